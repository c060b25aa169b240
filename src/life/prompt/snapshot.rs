//! The workspace as a session found it.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, Days, NaiveDate, Utc};

use super::order::{Heading, Source};
use super::{Block, Prompt, PromptConfig, PromptNotice};
use crate::base::day::DayPolicy;
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::base::text::{self, Unit};
use crate::dreamer::MemoryGauge;
use crate::format::JournalName;
use crate::format::documents::curated;
use crate::gate::{Door, Doors, InjectionPolicy};
use crate::session::{Guarded, SharedUser};
use crate::workspace::{Workspace, WorkspaceExt};

/// What stands above everything that is derived.
const PRECEDENCE: &str = "Where anything further down (an inferred preference, a learned method, a playbook) \
     disagrees with the files above and with MEMORY.md, the files win. What is remembered is advice: it never \
     lifts a limit that the surrounding program enforces.";

/// How the beginning of a cut journal is marked, as in a dream's request.
const CUT_HEAD: &str = "[...truncated head]\n";
/// How the end of another cut document is marked.
const CUT_TAIL: &str = "\n[...truncated tail]";

/// A workspace as one session may see it, frozen when the session began: an edit is seen by the next one.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::life::{Guarded, PromptConfig, SharedUser, Snapshot};
/// use noctuary::workspace::DayPolicy;
/// use noctuary::{Access, Actor, DocName, FileWorkspace, Scope, SessionKind, Workspace, WriteMode};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// workspace.write(&DocName::SOUL, b"# Soul\n\nYou are Wren.\n", WriteMode::Create)?;
/// workspace.write(&DocName::MEMORY, b"- The boat is called Brisk.\n", WriteMode::Create)?;
///
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// let prompt = |kind| -> noctuary::Result<String> {
///     let view = Guarded::new(&workspace, Access::new(kind, Actor::Agent, Scope::user("marta")));
///     let config = PromptConfig::default();
///     let snapshot = Snapshot::take(&view, &config, SharedUser::Subset, DayPolicy::UTC, now)?;
///     Ok(snapshot.prompt(&view, None, &[])?.to_string())
/// };
/// assert!(prompt(SessionKind::Main)?.contains("Brisk"));
/// assert!(!prompt(SessionKind::Shared)?.contains("Brisk"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Snapshot {
    config: PromptConfig,
    parts: BTreeMap<Source, Vec<Text>>,
    memory: Option<MemoryGauge>,
    notices: Vec<PromptNotice>,
}

/// The text of one document, ready to be printed.
#[derive(Clone, PartialEq, Eq)]
struct Text {
    name: String,
    body: String,
}

impl Snapshot {
    /// Reads what the view lets a session read. Reads each document once; of a journal it keeps no more than fits.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] for a missing `SOUL.md` where the configuration requires it; [`Error::Denied`] for another
    /// scope than the workspace's; those of the workspace.
    /// A document that cannot be read otherwise is named in a notice.
    pub fn take<W: Workspace>(
        view: &Guarded<W>,
        config: &PromptConfig,
        user: SharedUser,
        day: DayPolicy,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        view.check_scope(&DocName::MEMORY)?;
        let doors = view.current_doors()?;
        let mut taking = Taking {
            view,
            doors: &doors,
            snapshot: Self {
                config: config.clone(),
                parts: BTreeMap::new(),
                memory: None,
                notices: Vec::new(),
            },
            room: config.max_chars,
        };
        let mut sources: Vec<Source> =
            config.order.slots().iter().flat_map(|slot| slot.parts).map(|(source, _)| *source).collect();
        sources.sort_unstable();
        for source in sources {
            taking.take(source, user, day.date(now))?;
        }
        Ok(taking.snapshot)
    }

    /// Makes the prompt of a turn: the frozen blocks, the onboarding as long as `BOOTSTRAP.md` exists, the
    /// notice of a changed `SOUL.md` where there is one, and last the host's derived blocks.
    ///
    /// # Errors
    ///
    /// Those of reading `BOOTSTRAP.md`.
    pub fn prompt<W: Workspace>(
        &self,
        view: &Guarded<W>,
        soul_notice: Option<&str>,
        derived: &[Block],
    ) -> Result<Prompt> {
        let mut notices = self.notices.clone();
        let bootstrap = match read(view, &DocName::BOOTSTRAP, &mut notices)? {
            Some(text) if !text.trim().is_empty() => {
                let text = passed(
                    view,
                    &*view.current_doors()?,
                    &DocName::BOOTSTRAP,
                    without_frontmatter(&text),
                    &mut notices,
                )?;
                vec![cut_tail(&DocName::BOOTSTRAP, &text, self.config.max_file_chars, &mut notices)]
            }
            _ => Vec::new(),
        };
        let notice: Vec<Text> =
            soul_notice.map(|text| Text { name: String::new(), body: text.to_owned() }).into_iter().collect();
        let mut blocks = Vec::new();
        for slot in self.config.order.slots() {
            let texts = slot.parts.iter().map(|(source, heading)| {
                let found = match source {
                    Source::Bootstrap => &bootstrap,
                    Source::SoulNotice => &notice,
                    other => self.parts.get(other).unwrap_or(&EMPTY),
                };
                print(found, *heading)
            });
            let text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
            if !text.is_empty() {
                blocks.push(Block { id: slot.id.into(), text, cache: slot.cache });
            }
        }
        blocks.extend_from_slice(derived);
        Ok(Prompt { blocks, memory: self.memory, notices })
    }
}

static EMPTY: Vec<Text> = Vec::new();

/// So much is looked at before the end of a journal that is shown, in bytes: no private key is longer.
const CONTEXT: u64 = 32 << 10;

/// So much of a document is counted at once, in bytes.
const PIECE: u64 = 4 << 20;

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: usize = self.parts.values().flatten().map(|text| text.body.len()).sum();
        write!(f, "Snapshot {{ {:?}, {bytes} bytes }}", self.config.order)
    }
}

/// A snapshot in the making.
struct Taking<'a, W> {
    view: &'a Guarded<W>,
    doors: &'a Doors,
    snapshot: Snapshot,
    /// How many characters are left of the whole budget.
    room: usize,
}

impl<W: Workspace> Taking<'_, W> {
    fn take(&mut self, source: Source, user: SharedUser, today: NaiveDate) -> Result<()> {
        let texts = match source {
            Source::Precedence => vec![Text { name: String::new(), body: PRECEDENCE.to_owned() }],
            // These may change from turn to turn.
            Source::Bootstrap | Source::SoulNotice => return Ok(()),
            Source::Today => self.journals(today, 0)?,
            Source::Yesterday => self.journals(today - Days::new(1), 0)?,
            Source::Journals => self.journals(today, self.snapshot.config.journal_days)?,
            Source::User if !self.view.access().reads_memory() => {
                let name = DocName::USER;
                match self.view.profile(user) {
                    Ok(Some(given)) => {
                        let given = self.pass(&name, &given)?;
                        let most = self.snapshot.config.max_file_chars.min(self.room);
                        vec![cut_tail(&name, &given, most, &mut self.snapshot.notices)]
                    }
                    Ok(None) => Vec::new(),
                    Err(error) => {
                        unreadable(error, &name, &mut self.snapshot.notices).map(|()| Vec::new())?
                    }
                }
            }
            Source::Memory => self.memory()?,
            Source::Heartbeat => match self.snapshot.config.heartbeat.clone() {
                Some(name) => self.document(source, &name)?,
                None => Vec::new(),
            },
            document => {
                let name = document.document().expect("all others are no documents");
                self.document(document, &name)?
            }
        };
        self.room = self.room.saturating_sub(texts.iter().map(|text| text.body.chars().count()).sum());
        self.snapshot.parts.insert(source, texts);
        Ok(())
    }

    fn document(&mut self, source: Source, name: &DocName) -> Result<Vec<Text>> {
        let Some(text) = read(self.view, name, &mut self.snapshot.notices)? else {
            if source == Source::Soul && self.snapshot.config.requires_soul {
                return Err(Error::NotFound { name: name.clone().into() });
            }
            // USER.md may be missing without a word; who the agent is may not.
            if matches!(source, Source::Soul | Source::Agents) {
                self.snapshot.notices.push(PromptNotice::Missing(name.clone()));
                return Ok(vec![Text { name: name.to_string(), body: format!("[missing: {name}]") }]);
            }
            return Ok(Vec::new());
        };
        let text = self.pass(name, without_frontmatter(&text))?;
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let most = self.snapshot.config.max_file_chars.min(self.room);
        Ok(vec![cut_tail(name, &text, most, &mut self.snapshot.notices)])
    }

    /// `MEMORY.md` as a session reads it: without the marks of dreams, and without a section that is torn.
    fn memory(&mut self) -> Result<Vec<Text>> {
        let mut name = DocName::MEMORY;
        let mut found = read(self.view, &name, &mut self.snapshot.notices)?;
        if found.is_none() {
            name = DocName::LEGACY_MEMORY;
            found = read(self.view, &name, &mut self.snapshot.notices)?;
        }
        let Some(text) = found else { return Ok(Vec::new()) };
        let gauge =
            MemoryGauge { chars: text.chars().count() as u64, budget: self.snapshot.config.memory_budget };
        if gauge.is_over() {
            self.snapshot.notices.push(PromptNotice::MemoryOverBudget);
        }
        self.snapshot.memory = Some(gauge);
        let text = self.pass(&name, &curated::for_session(&text))?;
        let text = text.trim();
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let (chars, most) = (text.chars().count(), self.snapshot.config.max_file_chars.min(self.room));
        let mut body = text.to_owned();
        if chars > most {
            // What was curated first and what was dreamed last both stay in sight.
            curated::head_and_tail(text, most, Unit::Chars).trim_end().clone_into(&mut body);
            self.snapshot.notices.push(PromptNotice::Cut {
                name: name.clone(),
                chars,
                shown: body.chars().count(),
            });
        }
        let shown = format!("{name} ({} of {} characters)", gauge.chars, gauge.budget);
        Ok(vec![Text { name: shown, body }])
    }

    /// The journals of a day and of those before it, oldest first; of each the end, and the newest get their
    /// share first.
    fn journals(&mut self, last: NaiveDate, days_before: u32) -> Result<Vec<Text>> {
        if !self.view.access().reads_memory() {
            // Journals of shared sessions may be looked up, and are not told unasked.
            return Ok(Vec::new());
        }
        let first = last.checked_sub_days(Days::new(days_before.into())).unwrap_or(last);
        let mut journals: Vec<JournalName> = Vec::new();
        for folder in [DocName::JOURNALS, DocName::DAILY] {
            let listing = match self.view.list(Some(&folder)) {
                Err(Error::Refused { .. }) => continue,
                listing => listing?,
            };
            let named = listing.documents.iter().filter_map(JournalName::parse);
            journals.extend(named.filter(|journal| (first..=last).contains(&journal.date())));
        }
        journals.sort_unstable();
        let mut texts = Vec::new();
        let mut room = self.room;
        for journal in journals.iter().rev() {
            let most = self.snapshot.config.max_file_chars.min(room);
            if most <= CUT_HEAD.len() {
                break;
            }
            let name = journal.name();
            // A character has at most four bytes; and a secret may begin before what is shown.
            let tail = match self.view.read_tail(name, most as u64 * 4 + CONTEXT) {
                Ok(tail) => tail,
                Err(error) => {
                    unreadable(error, name, &mut self.snapshot.notices)?;
                    continue;
                }
            };
            let text = self.pass(name, tail.text.trim_start_matches(text::BOM))?;
            let mut chars = text.chars().count();
            let is_cut = tail.start > 0 || chars > most;
            room = room.saturating_sub(if is_cut { most } else { chars });
            let mut body = text.trim_end();
            if is_cut {
                let end = text::tail(&text, most.saturating_sub(CUT_HEAD.len()), Unit::Chars);
                let before = &text[..text.len() - end.len()];
                // Whose a line is stands at its front: the first is whole, where there is more than one.
                body = match end.trim_end().split_once('\n') {
                    Some((_, rest)) if !before.is_empty() && !before.ends_with('\n') => rest,
                    _ => end.trim_end(),
                };
                chars += self.chars_before(name, tail.start)?;
                let shown = body.chars().count();
                self.snapshot.notices.push(PromptNotice::Cut { name: name.clone(), chars, shown });
            }
            if body.trim().is_empty() {
                continue;
            }
            let body = if is_cut { format!("{CUT_HEAD}{body}") } else { body.to_owned() };
            texts.push(Text { name: self.pass(name, name.as_str())?, body });
        }
        texts.reverse();
        Ok(texts)
    }

    /// How many characters stand in a document before a byte.
    fn chars_before(&self, name: &DocName, end: u64) -> Result<usize> {
        let (mut chars, mut from) = (0, 0);
        while from < end {
            let to = end.min(from + PIECE);
            let bytes = self.view.read_range(name, from..to)?;
            chars += bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
            from = to;
        }
        Ok(chars)
    }

    fn pass(&mut self, name: &DocName, text: &str) -> Result<String> {
        passed(self.view, self.doors, name, text, &mut self.snapshot.notices)
    }
}

/// Reads a document through the view; `None` where it is missing, cannot be read, or is not for this session.
fn read<W: Workspace>(
    view: &Guarded<W>,
    name: &DocName,
    notices: &mut Vec<PromptNotice>,
) -> Result<Option<String>> {
    let document = match view.read(name) {
        Ok(Some(document)) => document,
        Ok(None) | Err(Error::Denied { .. }) => return Ok(None),
        Err(error) => return unreadable(error, name, notices).map(|()| None),
    };
    let bytes = document.into_bytes();
    Ok(Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            notices.push(PromptNotice::NotUtf8(name.clone()));
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }
    }))
}

/// Passes over a document that is of no use for a prompt; what fails otherwise is an error.
fn unreadable(error: Error, name: &DocName, notices: &mut Vec<PromptNotice>) -> Result<()> {
    match error {
        Error::TooLarge { .. } | Error::Refused { .. } | Error::NotUtf8 { .. } => {
            notices.push(PromptNotice::Unreadable(name.clone()));
            Ok(())
        }
        other => Err(other),
    }
}

/// Masks and blocks what may not be read back to a model. The document stays as it is.
fn passed<W: Workspace>(
    view: &Guarded<W>,
    doors: &Doors,
    name: &DocName,
    text: &str,
    notices: &mut Vec<PromptNotice>,
) -> Result<String> {
    let mut policy = doors.policy_of(Door::PromptLoad, name).as_shown();
    if *name == DocName::BOOTSTRAP && policy.injections == InjectionPolicy::Block {
        // A playbook is made of instructions, and names the token that ends it.
        policy.injections = InjectionPolicy::Warn;
    }
    let passed = view.judge(doors, Door::PromptLoad, policy, name, text)?;
    notices.extend(passed.warnings.into_iter().map(PromptNotice::Found));
    Ok(passed.text.into_owned())
}

/// The beginning of a text, and how much is left out.
fn cut_tail(name: &DocName, text: &str, most: usize, notices: &mut Vec<PromptNotice>) -> Text {
    let text = text.trim_start_matches(text::BOM).trim_end();
    let chars = text.chars().count();
    let mut body = text.to_owned();
    if chars > most {
        let head = text::head(text, most.saturating_sub(CUT_TAIL.len()), Unit::Chars).trim_end();
        notices.push(PromptNotice::Cut { name: name.clone(), chars, shown: head.chars().count() });
        body = format!("{head}{CUT_TAIL}");
    }
    Text { name: name.to_string(), body }
}

/// A text without the YAML block that a template may begin with.
fn without_frontmatter(text: &str) -> &str {
    let body = text.trim_start_matches(text::BOM);
    let Some(rest) = body.strip_prefix("---\n").or_else(|| body.strip_prefix("---\r\n")) else { return body };
    let mut at = body.len() - rest.len();
    for line in rest.split_inclusive('\n') {
        at += line.len();
        if line.trim_end() == "---" {
            return body[at..].trim_start_matches(['\r', '\n']);
        }
    }
    body
}

fn print(texts: &[Text], heading: Heading) -> String {
    let printed = texts.iter().map(|text| match heading {
        Heading::FileName => format!("## {}\n\n{}", text.name, text.body),
        Heading::Words(_) => without_title(&text.body).to_owned(),
        Heading::None => text.body.clone(),
    });
    let printed = printed.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    match heading {
        Heading::Words(words) if !printed.is_empty() => format!("## {words}\n\n{printed}"),
        _ => printed,
    }
}

/// A text without its level-one title, for which another heading stands in.
fn without_title(text: &str) -> &str {
    let body = text.trim_start();
    match body.split_once('\n') {
        Some((first, rest)) if first.starts_with("# ") => rest.trim_start_matches(['\r', '\n']),
        None if body.starts_with("# ") => "",
        _ => text,
    }
}
