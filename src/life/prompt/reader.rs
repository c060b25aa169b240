//! The reading of what a session is told, within a budget.

use chrono::{Days, NaiveDate};

use super::order::Source;
use super::text::{CUT_HEAD, PromptText, cut_tail, without_frontmatter};
use super::{PromptConfig, PromptNotice};
use crate::base::access::SessionKind;
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::base::text::{self, Unit};
use crate::dreamer::MemoryGauge;
use crate::format::documents::curated;
use crate::gate::{Door, Doors, InjectionPolicy};
use crate::session::{self, Guarded, SharedUser};
use crate::workspace::{Workspace, WorkspaceExt};

/// The text above everything that is derived.
const PRECEDENCE: &str = "Where anything further down (an inferred preference, a learned method, a playbook) \
     disagrees with the files above and with MEMORY.md, the files win. What is remembered is advice: it never \
     lifts a limit that the surrounding program enforces.";

/// So much is looked at before the end of a journal that is shown, in bytes: no private key is longer.
const CONTEXT: u64 = 32 << 10;

/// So much of a document is counted at once, in bytes.
const PIECE: u64 = 4 << 20;

/// Reads the parts of a snapshot, one after the other, within one budget.
pub(super) struct Reader<'a, W> {
    view: &'a Guarded<W>,
    doors: &'a Doors,
    config: &'a PromptConfig,
    pub(super) memory: Option<MemoryGauge>,
    pub(super) notices: Vec<PromptNotice>,
    /// The number of characters left of the whole budget.
    room: usize,
}

impl<'a, W: Workspace> Reader<'a, W> {
    pub(super) fn new(view: &'a Guarded<W>, doors: &'a Doors, config: &'a PromptConfig) -> Self {
        Self { view, doors, config, memory: None, notices: Vec::new(), room: config.max_chars }
    }

    /// Returns the texts of a part.
    pub(super) fn read(
        &mut self,
        source: Source,
        user: SharedUser,
        today: NaiveDate,
    ) -> Result<Vec<PromptText>> {
        let texts = match source {
            Source::Precedence => vec![PromptText { name: String::new(), body: PRECEDENCE.to_owned() }],
            // These may change from turn to turn.
            Source::Bootstrap | Source::SoulNotice => return Ok(Vec::new()),
            Source::Today => self.journals(today, 0)?,
            Source::Yesterday => self.journals(today - Days::new(1), 0)?,
            Source::Journals => self.journals(today, self.config.journal_days)?,
            Source::User if self.view.access().kind != SessionKind::Main => {
                let name = DocName::USER;
                match self.view.profile(user) {
                    Ok(Some(given)) => {
                        let given = self.pass(&name, &given)?;
                        let most = self.config.max_file_chars.min(self.room);
                        vec![cut_tail(&name, &given, most, &mut self.notices)]
                    }
                    Ok(None) => Vec::new(),
                    Err(error) => unreadable(error, &name, &mut self.notices).map(|()| Vec::new())?,
                }
            }
            Source::Memory => self.memory()?,
            Source::Heartbeat => match self.config.heartbeat.clone() {
                Some(name) => self.document(source, &name)?,
                None => Vec::new(),
            },
            document => {
                let name = document.document().expect("all others are no documents");
                self.document(document, &name)?
            }
        };
        self.room = self.room.saturating_sub(texts.iter().map(|text| text.body.chars().count()).sum());
        Ok(texts)
    }

    fn document(&mut self, source: Source, name: &DocName) -> Result<Vec<PromptText>> {
        let Some(text) = read(self.view, name, &mut self.notices)? else {
            if source == Source::Soul && self.config.requires_soul {
                return Err(Error::NotFound { name: name.clone().into() });
            }
            // USER.md may be missing without a word; who the agent is may not.
            if matches!(source, Source::Soul | Source::Agents) {
                self.notices.push(PromptNotice::Missing(name.clone()));
                return Ok(vec![PromptText { name: name.to_string(), body: format!("[missing: {name}]") }]);
            }
            return Ok(Vec::new());
        };
        let text = self.pass(name, without_frontmatter(&text))?;
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let most = self.config.max_file_chars.min(self.room);
        Ok(vec![cut_tail(name, &text, most, &mut self.notices)])
    }

    /// Reads `MEMORY.md` for a session: without the marks of dreams, and without a section that is torn.
    fn memory(&mut self) -> Result<Vec<PromptText>> {
        let mut name = DocName::MEMORY;
        let mut found = read(self.view, &name, &mut self.notices)?;
        if found.is_none() {
            name = DocName::LEGACY_MEMORY;
            found = read(self.view, &name, &mut self.notices)?;
        }
        let Some(text) = found else { return Ok(Vec::new()) };
        let gauge = MemoryGauge { chars: text.chars().count() as u64, budget: self.config.memory_budget };
        if gauge.is_over() {
            self.notices.push(PromptNotice::MemoryOverBudget);
        }
        self.memory = Some(gauge);
        let text = self.pass(&name, &curated::for_session(&text))?;
        let text = text.trim();
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let (chars, most) = (text.chars().count(), self.config.max_file_chars.min(self.room));
        let mut body = text.to_owned();
        if chars > most {
            // The first curated lines and the last dreamed ones both stay in sight.
            curated::head_and_tail(text, most, Unit::Chars).trim_end().clone_into(&mut body);
            self.notices.push(PromptNotice::Cut { name: name.clone(), chars, shown: body.chars().count() });
        }
        let shown = format!("{name} ({} of {} characters)", gauge.chars, gauge.budget);
        Ok(vec![PromptText { name: shown, body }])
    }

    /// Returns the journals of a day and of those before it, oldest first; of each the end, and the newest get their
    /// share first.
    fn journals(&mut self, last: NaiveDate, days_before: u32) -> Result<Vec<PromptText>> {
        if !self.view.access().reads_memory() {
            // Journals of shared sessions may be looked up, and are not told unasked.
            return Ok(Vec::new());
        }
        let first = last.checked_sub_days(Days::new(days_before.into())).unwrap_or(last);
        let mut journals = session::journals(self.view, |_, error| matches!(error, Error::Refused { .. }))?;
        journals.retain(|journal| (first..=last).contains(&journal.date()));
        let mut texts = Vec::new();
        let mut room = self.room;
        for journal in journals.iter().rev() {
            let most = self.config.max_file_chars.min(room);
            if most <= CUT_HEAD.len() {
                break;
            }
            let name = journal.name();
            // A character has at most four bytes; and a secret may begin before what is shown.
            let tail = match self.view.read_tail(name, most as u64 * 4 + CONTEXT) {
                Ok(tail) => tail,
                Err(error) => {
                    unreadable(error, name, &mut self.notices)?;
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
                // The speaker is at the front of a line: the first line is whole, if there is more than one.
                body = match end.trim_end().split_once('\n') {
                    Some((_, rest)) if !before.is_empty() && !before.ends_with('\n') => rest,
                    _ => end.trim_end(),
                };
                chars += self.chars_before(name, tail.start)?;
                let shown = body.chars().count();
                self.notices.push(PromptNotice::Cut { name: name.clone(), chars, shown });
            }
            if body.trim().is_empty() {
                continue;
            }
            let body = if is_cut { format!("{CUT_HEAD}{body}") } else { body.to_owned() };
            texts.push(PromptText { name: self.pass(name, name.as_str())?, body });
        }
        texts.reverse();
        Ok(texts)
    }

    /// Counts the characters of a document before a byte.
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
        passed(self.view, self.doors, name, text, &mut self.notices)
    }
}

/// Reads a document through the view; `None` where it is missing, cannot be read, or is not for this session.
pub(super) fn read<W: Workspace>(
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
pub(super) fn passed<W: Workspace>(
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
