//! The workspace as a session found it.

use std::fmt;

use chrono::{DateTime, Utc};

use super::order::{Heading, Source};
use super::reader::{Reader, passed, read};
use super::text::{PromptText, cut_tail, print, printed_part, without_frontmatter};
use super::{Block, CacheHint, Prompt, PromptConfig, PromptNotice, rules};
use crate::base::access::SessionKind;
use crate::base::day::DayPolicy;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::base::spread::Spread;
use crate::dreamer::MemoryGauge;
use crate::facts::Superseded;
use crate::learning::Constraint;
use crate::life::receipt::{Exhibit, Item, LeftOut, ShownBy};
use crate::memory::SnapshotRow;
use crate::session::{Guarded, Notes, SharedUser};
use crate::workspace::Workspace;

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
    parts: SortedMap<Source, Vec<PromptText>>,
    memory: Option<MemoryGauge>,
    notices: Vec<PromptNotice>,
    /// Standing rules, which come before all else.
    rules: String,
    /// The things that were left out and are in no notice; `None` where sources are not followed.
    left_out: Option<Vec<LeftOut>>,
}

impl Snapshot {
    /// Reads all that a session may read through the view. Reads each document once; of a journal it keeps no more
    /// than fits.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`](crate::Error::NotFound) for a missing `SOUL.md` where the configuration requires it; [`Error::Denied`](crate::Error::Denied) for another
    /// scope than the workspace's; those of the workspace.
    /// A document that cannot be read otherwise is named in a notice.
    pub fn take<W: Workspace>(
        view: &Guarded<W>,
        config: &PromptConfig,
        user: SharedUser,
        day: DayPolicy,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        Self::read(view, config, (user, day), now, false)
    }

    /// Reads the same. If asked, it also follows from which lines each text comes.
    pub(crate) fn read<W: Workspace>(
        view: &Guarded<W>,
        config: &PromptConfig,
        (user, day): (SharedUser, DayPolicy),
        now: DateTime<Utc>,
        follows: bool,
    ) -> Result<Self> {
        view.check_scope(&DocName::MEMORY)?;
        let doors = view.current_doors()?;
        let mut reader = Reader::new(view, &doors, config, follows);
        let mut sources: Vec<Source> =
            config.order.slots().iter().spread(|slot| slot.parts).map(|(source, _)| *source).gather();
        order::sort(&mut sources);
        let mut parts = SortedMap::new();
        for source in sources {
            parts.insert(source, reader.read(source, user, day.date(now))?);
        }
        let Reader { memory, notices, left_out, .. } = reader;
        Ok(Self { config: config.clone(), parts, memory, notices, rules: String::new(), left_out })
    }

    /// Marks each line of `MEMORY.md` that no longer holds with what holds now, and since when. Returns the number of marked
    /// lines. The file stays as it is, and the frozen text changes this once: call it right after [`take`](Self::take).
    ///
    /// # Errors
    ///
    /// The errors of the doors.
    pub fn mark_superseded<W: Workspace>(
        &mut self,
        view: &Guarded<W>,
        superseded: &[Superseded],
    ) -> Result<usize> {
        if !view.access().reads_memory() {
            return Ok(0);
        }
        let doors = view.current_doors()?;
        let mut notices = Vec::new();
        let notes = Notes::of(superseded, |text| passed(view, &doors, &DocName::MEMORY, text, &mut notices))?;
        self.notices.append(&mut notices);
        let say = |text: &mut PromptText| {
            let rows = &mut text.rows;
            notes.add_to(&mut text.body, &mut |row| rows.push(Item::row(ShownBy::Prompt, row)))
        };
        Ok(self.of_memory().map(say).sum())
    }

    /// Marks lines of `MEMORY.md` with the reason why they may be out of date, by the rows of
    /// [`MemoryStore::snapshot`](crate::MemoryStore::snapshot). Returns the number of marked lines. Call it after all other
    /// marks, right after [`take`](Self::take).
    ///
    /// # Errors
    ///
    /// The errors of the doors.
    pub fn mark_doubted<W: Workspace>(&mut self, view: &Guarded<W>, rows: &[SnapshotRow]) -> Result<usize> {
        if !view.access().reads_memory() {
            return Ok(0);
        }
        let doors = view.current_doors()?;
        let mut notices = Vec::new();
        let shown = |text: &str| passed(view, &doors, &DocName::MEMORY, text, &mut notices);
        let notes = Notes::default().doubting(rows, shown)?;
        self.notices.append(&mut notices);
        Ok(self.of_memory().map(|text| notes.add_to(&mut text.body, &mut |_| ())).sum())
    }

    /// Returns the texts with lines that dreams promoted.
    fn of_memory(&mut self) -> impl Iterator<Item = &mut PromptText> {
        let parts = self.parts.iter_mut();
        parts
            .filter(|(source, _)| [Source::Memory, Source::Briefing].contains(source))
            .spread(|(_, texts)| texts)
    }

    /// Puts standing rules before everything else in each prompt from now on, in place of those before; returns how many. The
    /// block `standing_rules` takes no room of [`PromptConfig::max_chars`]. Outside of a main session there is none.
    ///
    /// # Errors
    ///
    /// The errors of the doors.
    pub fn hold_rules<W: Workspace>(&mut self, view: &Guarded<W>, rules: &[Constraint]) -> Result<usize> {
        if view.access().kind != SessionKind::Main {
            return Ok(0);
        }
        self.rules = rules::print(rules, view.doors())?;
        Ok(rules.iter().filter(|rule| rule.statement.is_some()).count())
    }

    /// Makes the prompt of a turn: standing rules, the frozen blocks, and the onboarding as long as `BOOTSTRAP.md` exists.
    /// Then the notice of a changed `SOUL.md`, if there is one, and last the host's derived blocks.
    ///
    /// # Errors
    ///
    /// The errors of reading `BOOTSTRAP.md`.
    pub fn prompt<W: Workspace>(
        &self,
        view: &Guarded<W>,
        soul_notice: Option<&str>,
        derived: &[Block],
    ) -> Result<Prompt> {
        Ok(self.made(view, soul_notice, derived)?.0)
    }

    /// Makes the same, with its sources where they are followed.
    pub(crate) fn made<W: Workspace>(
        &self,
        view: &Guarded<W>,
        soul_notice: Option<&str>,
        derived: &[Block],
    ) -> Result<(Prompt, Exhibit)> {
        let (mut notices, mut left_out) = (self.notices.clone(), self.left_out.clone());
        let name = &DocName::BOOTSTRAP;
        let bootstrap = match read(view, name, &mut notices, left_out.as_mut())? {
            Some((text, mut trail)) if !text.trim().is_empty() => {
                let body = without_frontmatter(&text);
                trail.keep_end(&text, body);
                let text = passed(view, &*view.current_doors()?, name, body, &mut notices)?;
                trail.pass(body, &text);
                vec![cut_tail(name, &text, self.config.max_file_chars, &mut notices, trail)]
            }
            _ => Vec::new(),
        };
        let notice: Vec<PromptText> = soul_notice.map(|text| PromptText::ours("", text)).into_iter().gather();
        let mut exhibit = Exhibit::default();
        let mut blocks = Vec::new();
        if !self.rules.is_empty() {
            let block = Block::derived(rules::ID, self.rules.clone(), CacheHint::Session);
            if left_out.is_some() {
                exhibit.extend(block.exhibit());
            }
            blocks.push(block);
        }
        for slot in self.config.order.slots() {
            let texts = slot.parts.iter().map(|(source, heading)| {
                let found = match source {
                    Source::Bootstrap => &bootstrap,
                    Source::SoulNotice => &notice,
                    other => self.parts.get(other).unwrap_or(&EMPTY),
                };
                if let Some(left_out) = &mut left_out {
                    sources(found, *heading, &mut exhibit, left_out);
                }
                print(found, *heading)
            });
            let text = texts.filter(|text| !text.is_empty()).gather().join("\n\n");
            if !text.is_empty() {
                blocks.push(Block::derived(slot.id, text, slot.cache));
            }
        }
        blocks.extend_from_slice(derived);
        if let Some(left_out) = left_out {
            for block in derived {
                exhibit.extend(block.exhibit());
            }
            exhibit.left_out.extend(left_out);
            exhibit.left_out.extend(notices.iter().filter_map(PromptNotice::left_out));
        }
        Ok((Prompt { blocks, memory: self.memory, notices }, exhibit))
    }
}

/// Adds the sources of texts as they are printed below a heading.
fn sources(texts: &[PromptText], heading: Heading, exhibit: &mut Exhibit, left_out: &mut Vec<LeftOut>) {
    for text in texts {
        let part = printed_part(text, heading);
        if part.is_empty() {
            continue;
        }
        let mut trail = text.trail.clone();
        let start = text.body.len() - part.len();
        trail.keep(&text.body, start..text.body.len());
        let (items, left) = trail.sources(part);
        items.into_iter().chain(text.rows.clone()).for_each(|item| exhibit.add(item));
        left_out.extend(left);
    }
}

static EMPTY: Vec<PromptText> = Vec::new();

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: usize = self.parts.values().flatten().map(|text| text.body.len()).sum();
        write!(f, "Snapshot {{ {:?}, {bytes} bytes }}", self.config.order)
    }
}
