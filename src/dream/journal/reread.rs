//! Giving a part of a journal back, so that a dream reads it again.

use std::ops::{Range, RangeInclusive};

use super::dreamer::JournalDreamer;
use super::earlier::EarlierDreams;
use super::past::shown;
use super::person;
use super::select::hash_range;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::base::order;
use crate::dream::commit;
use crate::dreamer::ShownSlice;
use crate::format::state::ledger::Ledger;
use crate::format::state::log::LogSource;
use crate::workspace::Workspace;

/// A part of a journal. It is widened to whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum JournalSpan {
    /// All of it.
    Whole,
    /// The lines from one to another, counted from 1.
    Lines(RangeInclusive<u64>),
    /// The bytes from one to before another.
    Bytes(Range<u64>),
}

impl JournalDreamer {
    /// Gives a part of a journal back, so that the next dream reads it again. Returns how many bytes wait by it that
    /// did not. For a night whose lines were held each time, or that a weak model read.
    ///
    /// Existing statements of `MEMORY.md` stay, and are not promoted twice in the same words, nor in fewer of them. In
    /// other words they may be. To avoid that, [`undo_dream`](Self::undo_dream) takes the section back together with
    /// its journals. A journal in quarantine, or outside the window, waits and is not read. A peer that knows only the
    /// watermark does not read it.
    ///
    /// When it returns, this survives a power loss; before, all of it is done or nothing.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::testing::Script;
    /// use noctuary::dream::JournalSpan;
    /// use noctuary::{
    ///     Access, DocName, FileWorkspace, JournalDreamer, Scope, Workspace,
    ///     dream_once_at,
    /// };
    /// # let folder = tempfile::tempdir()?;
    /// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    /// let journal = DocName::parse("memory/2026-11-20-repl.md")?;
    /// workspace.append(&journal, b"[user] Tea.\n[user] Releases go out on Fridays.\n")?;
    /// let dreamer = JournalDreamer::builder(workspace).enabled(true).build()?;
    /// let now = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
    /// dream_once_at(&dreamer, &Script::new(), &|| now)?; // it keeps nothing
    ///
    /// let human = Access::human(Scope::user("marta"));
    /// assert_eq!(dreamer.read_again(&human, &journal, &JournalSpan::Lines(2..=2))?, 35);
    /// assert_eq!(dreamer.survey(now)?.backlog.bytes, 35);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) for anybody but the human of a main session,
    /// [`Error::Busy`](crate::Error::Busy) where somebody dreams, and those of the workspace.
    pub fn read_again(&self, access: &Access, journal: &DocName, span: &JournalSpan) -> Result<u64> {
        let lease = person::claim(self, access, journal.clone())?.lease;
        let workspace = self.workspace();
        let standing = commit::state(workspace, &StateName::LEDGER)?;
        let mut ledger = Ledger::parse(standing.as_deref())?;
        let mut given = 0;
        if let Some(mut entry) = ledger.get(journal) {
            let span = whole_lines(workspace, journal, span, entry.size)?;
            // The rest of a rewritten piece may never have been shown, and waits too.
            let pieces = entry.pieces().to_vec();
            let stands = |part: &Range<u64>| {
                let piece = pieces.iter().find(|piece| piece.from <= part.start && part.end <= piece.to)?;
                let now = hash_range(workspace, journal, piece.from..piece.to).ok()?;
                (piece.sha256.is_none_or(|shown| shown == now)).then_some(())
            };
            given = entry.give_back(&span, |part| {
                stands(&part)?;
                hash_range(workspace, journal, part).ok()
            });
            ledger.apply([(journal, &entry)]);
            ledger.epoch = lease.epoch();
            lease.replace(&StateName::LEDGER, &ledger.print())?;
        }
        lease.release()?;
        Ok(given)
    }
}

impl JournalDreamer {
    /// Lists parts of journals that only nights [without a model](crate::llm::LlmReply::without_model) have read, in
    /// the order in which they read them. [`read_again`](Self::read_again) gives it back, so that a model reads what
    /// they left.
    ///
    /// Reads only the end of a log over 16 MiB. Claims nothing and writes nothing.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::dream::JournalSpan;
    /// use noctuary::testing::Script;
    /// use noctuary::{
    ///     Access, DocName, Extractive, FileWorkspace, JournalDreamer, Scope, Workspace,
    ///     dream_once_at,
    /// };
    /// # let folder = tempfile::tempdir()?;
    /// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    /// let journal = DocName::parse("memory/2026-11-20-repl.md")?;
    /// workspace.append(&journal, "[user] Nous livrons vendredi.\n".as_bytes())?;
    /// let dreamer = JournalDreamer::builder(workspace).enabled(true).build()?;
    /// let now = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
    /// dream_once_at(&dreamer, &Extractive::new(), &|| now)?; // its words are English
    ///
    /// let human = Access::human(Scope::user("marta"));
    /// for read in dreamer.read_without_model()? {
    ///     dreamer.read_again(&human, &read.name, &JournalSpan::Bytes(read.from..read.to))?;
    /// }
    /// let report = dream_once_at(&dreamer, &Script::new(), &|| now)?;
    /// assert_eq!(report.calls, 1);
    /// assert!(dreamer.read_without_model()?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) for a state file that does not parse, and those of the workspace.
    pub fn read_without_model(&self) -> Result<Vec<ShownSlice>> {
        let earlier = EarlierDreams::open(self.workspace())?;
        let mut read: Vec<&LogSource> = Vec::new();
        for line in earlier.log.iter().filter(|line| line.request_bytes > 0) {
            order::retain(&mut read, |known| !line.sources.iter().any(|source| meet(known, source)));
            if line.without_model {
                read.extend(&line.sources);
            }
        }
        let mut slices = Vec::new();
        for source in read {
            let Some(slice) = shown(earlier.workspace, source)? else { continue };
            // What waits again is not read.
            let entry = earlier.ledger.get(&slice.name).unwrap_or_default();
            if entry.pieces().iter().any(|piece| piece.from < slice.to && slice.from < piece.to) {
                slices.push(slice);
            }
        }
        Ok(slices)
    }
}

fn meet(one: &LogSource, other: &LogSource) -> bool {
    one.name == other.name && one.from < other.to && other.from < one.to
}

/// Returns the bytes of a span, from the beginning of its first line to the end of its last.
fn whole_lines(
    workspace: &dyn Workspace,
    journal: &DocName,
    span: &JournalSpan,
    size: u64,
) -> Result<Range<u64>> {
    if *span == JournalSpan::Whole {
        return Ok(0..u64::MAX);
    }
    let bytes = workspace.read(journal)?.map(crate::base::document::Document::into_bytes).unwrap_or_default();
    let (mut from, mut to) = (None, 0);
    let mut start = 0_u64;
    for (number, line) in (1_u64..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let end = start + line.len() as u64;
        let is_inside = match span {
            JournalSpan::Whole => true,
            JournalSpan::Lines(lines) => lines.contains(&number),
            JournalSpan::Bytes(bytes) => bytes.start < end && start < bytes.end,
        };
        if is_inside {
            from.get_or_insert(start);
            to = end;
        }
        start = end;
    }
    Ok(from.map_or(size..size, |from| from..to))
}
