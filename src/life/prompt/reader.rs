//! The reading of a session's texts, within a budget.

use chrono::{Days, NaiveDate};

use super::order::Source;
use super::text::{CUT_HEAD, PromptText, cut_tail, without_frontmatter};
use super::{PromptConfig, PromptNotice};
use crate::base::access::SessionKind;
use crate::base::digest::Digest;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::base::order;
use crate::base::text::{self, Unit};
use crate::dreamer::MemoryGauge;
use crate::format::Profile;
use crate::format::documents::briefing;
use crate::format::documents::curated::{self, Piece};
use crate::gate::{Door, Doors, InjectionPolicy};
use crate::life::receipt::{LeftOut, LeftOutReason, ReplySource, ShownBy, Trail};
use crate::session::{self, Guarded, SharedUser};
use crate::workspace::{Tail, Workspace, WorkspaceExt};

/// The text above everything that is derived.
const PRECEDENCE: &str = "Where anything further down (an inferred preference, a learned method, a playbook) \
     disagrees with the files above and with MEMORY.md, the files win. What is remembered is advice: it never \
     lifts a limit that the surrounding program enforces.";

/// Bytes that are read before the shown end of a journal: no private key is longer.
const CONTEXT: u64 = 32 << 10;

/// Bytes of a document that are counted at once.
const PIECE: u64 = 4 << 20;

/// Reads the parts of a snapshot, one after the other, within one budget.
pub(super) struct Reader<'a, W> {
    view: &'a Guarded<W>,
    doors: &'a Doors,
    config: &'a PromptConfig,
    pub(super) memory: Option<MemoryGauge>,
    pub(super) notices: Vec<PromptNotice>,
    /// The things that were left out and are in no notice, where sources are followed.
    pub(super) left_out: Option<Vec<LeftOut>>,
    /// The number of characters left of the whole budget.
    room: usize,
}

impl<'a, W: Workspace> Reader<'a, W> {
    pub(super) fn new(
        view: &'a Guarded<W>,
        doors: &'a Doors,
        config: &'a PromptConfig,
        follows: bool,
    ) -> Self {
        let left_out = follows.then(Vec::new);
        Self { view, doors, config, memory: None, notices: Vec::new(), left_out, room: config.max_chars }
    }

    /// Returns the texts of a part.
    pub(super) fn read(
        &mut self,
        source: Source,
        user: SharedUser,
        today: NaiveDate,
    ) -> Result<Vec<PromptText>> {
        let texts = match source {
            Source::Precedence => vec![PromptText::ours("", PRECEDENCE)],
            // These may change from turn to turn.
            Source::Bootstrap | Source::SoulNotice => return Ok(Vec::new()),
            Source::Today => self.journals(today, 0)?,
            Source::Yesterday => self.journals(today - Days::new(1), 0)?,
            Source::Journals => self.journals(today, self.config.journal_days)?,
            Source::User if self.view.access().kind != SessionKind::Main => {
                let name = DocName::USER;
                match self.view.profile_of(user, self.follows()) {
                    Ok(Some((given, whole))) => {
                        let mut trail =
                            whole.map_or_else(Trail::none, |whole| trail_of_profile(&whole, &given));
                        let given = self.pass(&name, &given, &mut trail)?;
                        let most = self.most(source);
                        vec![cut_tail(&name, &given, most, &mut self.notices, trail)]
                    }
                    Ok(None) => Vec::new(),
                    Err(error) => unreadable(error, &name, &mut self.notices).map(|()| Vec::new())?,
                }
            }
            Source::Memory => self.memory()?,
            Source::Briefing if !self.config.briefing => Vec::new(),
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

    /// Returns the most characters of a document that are shown.
    fn most(&self, source: Source) -> usize {
        let config = self.config;
        let most = config.max_file_chars.min(self.room);
        if source == Source::User { most.min(config.max_user_chars) } else { most }
    }

    fn document(&mut self, source: Source, name: &DocName) -> Result<Vec<PromptText>> {
        let Some((text, mut trail)) = self.found(name)? else {
            if source == Source::Soul && self.config.requires_soul {
                return Err(Error::NotFound { name: name.clone().into() });
            }
            // USER.md may be missing without a word; who the agent is may not.
            if matches!(source, Source::Soul | Source::Agents) {
                self.notices.push(PromptNotice::Missing(name.clone()));
                return Ok(vec![PromptText::ours(name.to_string(), format!("[missing: {name}]"))]);
            }
            return Ok(Vec::new());
        };
        let body = match source {
            Source::Briefing => briefing::without_mark(&text),
            _ => without_frontmatter(&text),
        };
        trail.keep_end(&text, body);
        let text = self.pass(name, body, &mut trail)?;
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let most = self.most(source);
        Ok(vec![cut_tail(name, &text, most, &mut self.notices, trail)])
    }

    /// Reads `MEMORY.md` for a session: without the marks of dreams, and without a section that is torn.
    fn memory(&mut self) -> Result<Vec<PromptText>> {
        let mut name = DocName::MEMORY;
        let mut found = self.found(&name)?;
        if found.is_none() {
            name = DocName::LEGACY_MEMORY;
            found = self.found(&name)?;
        }
        let Some((text, mut trail)) = found else { return Ok(Vec::new()) };
        let gauge = MemoryGauge { chars: text.chars().count() as u64, budget: self.config.memory_budget };
        if gauge.is_over() {
            self.notices.push(PromptNotice::MemoryOverBudget);
        }
        self.memory = Some(gauge);
        let (pieces, torn) = curated::session_pieces(&text);
        trail.tear(&text, &torn);
        trail.pick(&text, &pieces);
        let passed = self.pass(&name, &Piece::text(&pieces, &text), &mut trail)?;
        let text = passed.trim();
        let start = passed.len() - passed.trim_start().len();
        trail.keep(&passed, start..start + text.len());
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let (chars, most) = (text.chars().count(), self.config.max_file_chars.min(self.room));
        let mut body = text.to_owned();
        if chars > most {
            // The first curated lines and the last dreamed ones both stay in sight.
            let pieces = curated::cut_pieces(text, most, Unit::Chars);
            trail.pick(text, &pieces);
            Piece::text(&pieces, text).trim_end().clone_into(&mut body);
            self.notices.push(PromptNotice::Cut { name: name.clone(), chars, shown: body.chars().count() });
        }
        let shown = format!("{name} ({} of {} characters)", gauge.chars, gauge.budget);
        Ok(vec![PromptText::of(shown, body, trail)])
    }

    /// Returns the journals of a day and of the days before it, oldest first. Only the end of each is returned, and
    /// the newest get their share first.
    fn journals(&mut self, last: NaiveDate, days_before: u32) -> Result<Vec<PromptText>> {
        if !self.view.access().reads_memory() {
            // Journals of shared sessions may be looked up, and are not told unasked.
            return Ok(Vec::new());
        }
        let first = last.checked_sub_days(Days::new(days_before.into())).unwrap_or(last);
        let mut journals = session::journals(self.view, |_, error| matches!(error, Error::Refused { .. }))?;
        order::retain(&mut journals, |journal| (first..=last).contains(&journal.date()));
        let mut texts = Vec::new();
        let mut room = self.room;
        for journal in journals.iter().rev() {
            let name = journal.name();
            let most = self.config.max_file_chars.min(room);
            if most <= CUT_HEAD.len() {
                let Some(left_out) = &mut self.left_out else { break };
                let source = ReplySource::Document(name.clone());
                left_out.push(LeftOut::new(ShownBy::Prompt, source, LeftOutReason::NoRoom));
                continue;
            }
            // A character has at most four bytes; and a secret may begin before what is shown.
            let tail = match self.view.read_tail(name, most as u64 * 4 + CONTEXT) {
                Ok(tail) => tail,
                Err(error) => {
                    unreadable(error, name, &mut self.notices)?;
                    continue;
                }
            };
            let mut followed = self.trail_of_tail(name, &tail)?;
            let text = self.pass(name, tail.text.trim_start_matches(text::BOM), &mut followed)?;
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
            let whole = text.trim_end();
            followed.keep_end(whole, body);
            if body.trim().is_empty() {
                continue;
            }
            followed.frame(usize::from(is_cut), 0);
            let body = if is_cut { format!("{CUT_HEAD}{body}") } else { body.to_owned() };
            texts.push(PromptText::of(self.pass(name, name.as_str(), &mut Trail::none())?, body, followed));
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

    /// Counts the line breaks of a document before a byte.
    fn lines_before(&self, name: &DocName, end: u64) -> Result<u64> {
        let (mut lines, mut from) = (0, 0);
        while from < end {
            let to = end.min(from + PIECE);
            lines += text::line_breaks(&self.view.read_range(name, from..to)?);
            from = to;
        }
        Ok(lines)
    }

    /// Returns whether sources are followed.
    fn follows(&self) -> bool {
        self.left_out.is_some()
    }

    /// Follows the lines of a journal's end, where sources are followed.
    fn trail_of_tail(&self, name: &DocName, tail: &Tail) -> Result<Trail> {
        if !self.follows() {
            return Ok(Trail::none());
        }
        let revision = (tail.start == 0).then(|| Digest::of(tail.text.as_bytes()));
        let first = self.lines_before(name, tail.start)? + 1;
        Ok(Trail::from_line(name, &tail.text, first, tail.start == 0, revision))
    }

    /// Reads a document, and begins to follow its lines.
    fn found(&mut self, name: &DocName) -> Result<Option<(String, Trail)>> {
        read(self.view, name, &mut self.notices, self.left_out.as_mut())
    }

    fn pass(&mut self, name: &DocName, text: &str, trail: &mut Trail) -> Result<String> {
        let passed = passed(self.view, self.doors, name, text, &mut self.notices)?;
        trail.pass(text, &passed);
        Ok(passed)
    }
}

/// Reads a document through the view; `None` where it is missing, cannot be read, or is not for this session. Its lines are
/// followed where there is a list of what is left out.
pub(super) fn read<W: Workspace>(
    view: &Guarded<W>,
    name: &DocName,
    notices: &mut Vec<PromptNotice>,
    left_out: Option<&mut Vec<LeftOut>>,
) -> Result<Option<(String, Trail)>> {
    let document = match view.read(name) {
        Ok(Some(document)) => document,
        Ok(None) => return Ok(None),
        Err(Error::Denied { .. }) => {
            let source = ReplySource::Document(name.clone());
            let denied = LeftOut::new(ShownBy::Prompt, source, LeftOutReason::Rights);
            if let Some(left_out) = left_out {
                left_out.push(denied);
            }
            return Ok(None);
        }
        Err(error) => return unreadable(error, name, notices).map(|()| None),
    };
    let bytes = document.into_bytes();
    let revision = left_out.is_some().then(|| Digest::of(&bytes));
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            notices.push(PromptNotice::NotUtf8(name.clone()));
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }
    };
    let trail = if left_out.is_some() { Trail::of(name, &text, revision) } else { Trail::none() };
    Ok(Some((text, trail)))
}

/// Follows the lines of `USER.md` that became a part of it. Each line of the part has the text of a line of the document.
fn trail_of_profile(whole: &Document, given: &str) -> Trail {
    let text = whole.lossy();
    let mut trail = Trail::of(&DocName::USER, &text, Some(Digest::of(whole.bytes())));
    let lines = || (1..).zip(text::line_ranges(&text)).map(|(number, range)| (number, &text[range]));
    if text.trim_start_matches(text::BOM) != given {
        let says = |line: &str| Profile::parse(line).subset();
        let of = |part: &str| {
            let found = lines().find(|(_, line)| !part.is_empty() && says(line).trim_end() == part);
            found.map_or(0, |(number, _)| number)
        };
        trail.number(of, given);
    }
    trail
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
