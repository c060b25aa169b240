//! The selection of the next material for the model: the seed's selection, over a ledger that forgets nothing.
//!
//! A run's first pass takes the newest contiguous suffix that fits, as the seed does. The rest stays
//! pending, and later passes take it oldest first. Names and dates decide; times of change only save looking
//! into journals that did not change.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::config::DreamConfig;
use crate::base::digest::{Digest, Hasher};
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name};
use crate::base::text;
use crate::dreamer::{JournalReport, Notice, ReadReason, ShownSlice};
use crate::format::documents::origins::{self, Above};
use crate::format::state::dreamed as state;
use crate::format::state::ledger::{Entry, Ledger, Piece};
use crate::format::{DreamId, DreamedState, JournalName, Quarantine, QuarantinedFile};
use crate::workspace::{Metadata, Workspace};

/// The bytes around a slice that are read for context: a secret that begins before the cut, or ends after it, is
/// still known. No private key is longer.
const CONTEXT: u64 = 32 << 10;

/// The bytes above a slice that are searched for its speaker; a speech that began further away counts as a tool's.
const MOST_ABOVE: u64 = 1 << 20;

/// A journal that changed this recently may be in the middle of a line.
const RESTING: TimeDelta = TimeDelta::minutes(10);

/// A watermark further ahead than this was not written by a clock.
const MOST_AHEAD: TimeDelta = TimeDelta::days(1);

/// All journals as they are now, against what was shown of them.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Inside the window and readable, ascending.
    candidates: Vec<Candidate>,
    /// Every journal that was seen, ascending, and what is known of it.
    pub(crate) looks: Vec<(JournalName, Look)>,
    pub(crate) notices: Vec<Notice>,
    /// Entries of the ledger that changed by looking: verified sizes, pieces that a rewrite made void,
    /// bytes that a peer dreamed.
    pub(crate) refreshed: BTreeMap<DocName, Entry>,
    /// Journals whose entries are no longer needed.
    pub(crate) forget: Vec<DocName>,
    /// The journals inside the window of which something waits, quarantined ones among them.
    pub(crate) waiting: Vec<Waiting>,
    /// When the newest of the others inside the window was changed, in nanoseconds since the epoch.
    pub(crate) newest_done: Option<i64>,
}

/// The facts about a journal: its [`JournalReport`], but for the name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) reason: ReadReason,
    pub(crate) size: u64,
    pub(crate) shown: u64,
    pub(crate) pending: u64,
}

impl Look {
    fn new(reason: ReadReason, size: u64, pending: u64) -> Self {
        Self { reason, size, shown: 0, pending }
    }

    pub(crate) fn report(self, journal: JournalName) -> JournalReport {
        let Self { reason, size, shown, pending } = self;
        JournalReport { name: journal.into_name(), reason, size, shown, pending }
    }
}

/// A journal inside the window of which something waits.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) name: DocName,
    /// Its time of change, in nanoseconds since the epoch.
    pub(crate) modified: i64,
    /// The number of its bytes that wait.
    pub(crate) pending: u64,
}

/// A journal that a pass may show.
#[derive(Debug, Clone)]
struct Candidate {
    journal: JournalName,
    metadata: Metadata,
    entry: Entry,
    rewritten: bool,
    /// The length of its front that is in quarantine and is not shown.
    held: u64,
}

/// A slice of a journal, read and remembered, so that the commit records exactly what was shown.
#[derive(Clone)]
pub(crate) struct Slice {
    pub(crate) journal: JournalName,
    pub(crate) range: Range<u64>,
    /// Bytes before and after the range, for context; never shown.
    pub(crate) before: Vec<u8>,
    pub(crate) after: Vec<u8>,
    /// The state of the journal above those bytes.
    pub(crate) above: Above,
    pub(crate) bytes: Vec<u8>,
    pub(crate) first_line: u64,
    /// Whether bytes right before the range wait to be shown.
    pub(crate) truncated: bool,
    pub(crate) sha256: Digest,
    pub(crate) metadata: Metadata,
    entry: Entry,
}

impl std::fmt::Debug for Slice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Slice({}, {:?})", self.journal.name(), self.range)
    }
}

/// The material of one pass, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    pub(crate) slices: Vec<Slice>,
}

/// The end that a pass begins at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The newest first, and the end of each journal: the seed's.
    Newest,
    /// The oldest first, and the beginning of what waits: the drain.
    Oldest,
}

/// Everything that a survey reads.
#[derive(Clone, Copy)]
pub(crate) struct Situation<'a> {
    pub(crate) workspace: &'a dyn Workspace,
    pub(crate) config: &'a DreamConfig,
    pub(crate) now: DateTime<Utc>,
    pub(crate) ledger: &'a Ledger,
    pub(crate) state: &'a DreamedState,
    pub(crate) quarantine: &'a Quarantine,
    /// Says whether a name may be shown to a model.
    pub(crate) may_show: &'a dyn Fn(&DocName) -> bool,
}

/// Looks at all journals. Opens only those whose size or time of change is new, and only where they had
/// been shown.
pub(crate) fn survey(situation: Situation<'_>) -> Result<Survey> {
    let Situation { workspace, config, now, ledger, state, quarantine, .. } = situation;
    let mut survey = Survey::default();
    let peer_mark = survey.peer_mark(situation);
    let window = config.window_days.and_then(|days| config.day.window_start(now, days));
    let journals = journals(workspace, &mut survey.notices)?;
    let is_old = |journal: &JournalName| window.is_some_and(|start| journal.date() < start);
    let inside: Vec<&Name> =
        journals.iter().filter(|journal| !is_old(journal)).map(|journal| &**journal.name()).collect();
    let mut found = workspace.metadata_of(&inside).into_iter();
    survey.looks.reserve_exact(journals.len());
    for journal in journals {
        let name = journal.name();
        let known = ledger.get(name);
        if is_old(&journal) {
            let pending = known.map_or(0, |entry| entry.pending(entry.size));
            let reason = if pending > 0 { ReadReason::Expired } else { ReadReason::OutsideWindow };
            let size = known.map_or(0, |entry| entry.size);
            survey.looks.push((journal, Look::new(reason, size, pending)));
            continue;
        }
        let metadata = match found.next() {
            Some(Ok(Some(metadata))) => metadata,
            Some(Ok(None)) => continue,
            Some(Err(_)) | None => {
                survey.looks.push((journal, Look::new(ReadReason::Unreadable, 0, 0)));
                continue;
            }
        };
        let is_held = quarantine.holds(name).is_some();
        let then = if is_held { quarantine.then(name) } else { None };
        let grown_from = then.filter(|(then, _)| metadata.len > *then);
        // Where the front was rewritten, what was in it may stand further on now.
        let is_as_it_was = |(then, sha256): &(u64, Digest)| {
            hash_range(workspace, name, 0..*then).is_ok_and(|now| now == *sha256)
        };
        let read_from = grown_from
            .filter(|_| config.read_past_quarantine)
            .filter(is_as_it_was)
            .and_then(|(then, _)| first_open(workspace, name, then, metadata.len).ok());
        if read_from.is_none() && grown_from.is_some() {
            survey.notices.push(Notice::QuarantinedGrew(name.clone()));
        }
        let held = if is_held && read_from.is_none() {
            Some(ReadReason::Quarantined)
        } else {
            (!(situation.may_show)(name)).then_some(ReadReason::SecretInName)
        };
        if let Some(reason) = held {
            // One that changed since may have been rewritten where it was shown: then all of it waits.
            let unchanged = |entry: &&Entry| {
                (entry.size, entry.modified) == (metadata.len, nanoseconds(metadata.modified))
            };
            let pending = known.filter(unchanged).map_or(metadata.len, |entry| entry.pending(metadata.len));
            survey.say_first(journal, reason, metadata, pending);
            continue;
        }
        let peer_mark = peer_mark.filter(|_| !is_held);
        survey.consider(workspace, journal, metadata, known, peer_mark, read_from.unwrap_or(0));
    }
    survey.forget = forgettable(ledger, state, config, now);
    Ok(survey)
}

/// Returns the journals whose entries have outlived their use: a whole window older than the window, by this clock and
/// by that of the last run. A journal that is merely not there today (a folder renamed, a branch checked out)
/// keeps its entry, and so does one that a clock ahead of its time would let go.
fn forgettable(
    ledger: &Ledger,
    state: &DreamedState,
    config: &DreamConfig,
    now: DateTime<Utc>,
) -> Vec<DocName> {
    let Some(days) = config.window_days else { return Vec::new() };
    let seen = state.last_run_at.map_or(now, |last| last.min(now));
    let Some(start) = config.day.window_start(seen, days.saturating_mul(2).max(60)) else {
        return Vec::new();
    };
    let is_old = |name: &DocName| JournalName::date_of(name).is_none_or(|date| date < start);
    let done = |entry: &Entry| entry.pending(entry.size) == 0;
    ledger
        .journals()
        .filter(|(name, entry)| is_old(name) && done(entry))
        .map(|(name, _)| name.clone())
        .collect()
}

/// Returns the journals of both folders, ascending.
fn journals(workspace: &dyn Workspace, notices: &mut Vec<Notice>) -> Result<Vec<JournalName>> {
    let mut journals = Vec::new();
    for folder in [DocName::JOURNALS, DocName::DAILY] {
        let listing = match workspace.list(Some(&folder)) {
            // `daily` is only an alias: whatever else has the name is a person's.
            Err(Error::Refused { path, .. }) if folder == DocName::DAILY => {
                notices.push(Notice::RefusedEntry(path));
                continue;
            }
            listing => listing?,
        };
        journals.reserve(listing.documents.len());
        journals.extend(listing.documents.into_iter().filter_map(JournalName::of));
        notices.extend(listing.refused.into_iter().map(Notice::RefusedEntry));
        notices.extend(listing.collisions.into_iter().map(|(one, other)| Notice::CaseCollision(one, other)));
    }
    // Stable, since it is quick on what is nearly sorted already.
    journals.sort();
    Ok(journals)
}

impl Survey {
    /// Returns the watermark of a peer, where the one that stands is not ours: what lies below it was dreamed there.
    fn peer_mark(&mut self, situation: Situation<'_>) -> Option<i64> {
        let Situation { now, ledger, state, .. } = situation;
        if state.last_processed_mtime == ledger.watermark {
            return None;
        }
        let mark = state.watermark_ns()?;
        // Ours is written to the ledger first: a run that ended between the two leaves the lower one here.
        if ledger.watermark.as_ref().and_then(state::watermark_ns).is_some_and(|ours| mark <= ours) {
            return None;
        }
        if mark > nanoseconds(now.checked_add_signed(MOST_AHEAD).unwrap_or(now)) {
            self.notices.push(Notice::WatermarkInFuture);
            return None;
        }
        Some(mark)
    }

    fn consider(
        &mut self,
        workspace: &dyn Workspace,
        journal: JournalName,
        metadata: Metadata,
        known: Option<&Entry>,
        peer_mark: Option<i64>,
        held: u64,
    ) {
        let modified = nanoseconds(metadata.modified);
        let is_as_shown = |entry: &Entry| {
            (entry.size, entry.modified) == (metadata.len, modified) && entry.pending(metadata.len) == 0
        };
        if known.is_some_and(is_as_shown) {
            let reason = if metadata.len == 0 { ReadReason::Empty } else { ReadReason::AlreadyShown };
            return self.say_first(journal, reason, metadata, 0);
        }
        // In UTF-16 nothing but noise would be shown, and all of it would count as read.
        if is_utf16(workspace, journal.name()) {
            self.looks.push((journal, Look::new(ReadReason::Unreadable, metadata.len, 0)));
            return;
        }
        let mut entry = known.cloned().unwrap_or_default();
        let mut rewritten = false;
        if (entry.size, entry.modified) != (metadata.len, modified) {
            let Ok(void) = void_pieces(workspace, journal.name(), &entry, metadata.len) else {
                self.looks.push((journal, Look::new(ReadReason::Unreadable, metadata.len, 0)));
                return;
            };
            rewritten = !entry.retain_pieces(|piece| !void.contains(&piece.from));
            (entry.size, entry.modified) = (metadata.len, modified);
        }
        let by_peer = peer_mark.is_some_and(|mark| modified <= mark) && entry.pending(metadata.len) > 0;
        if by_peer {
            for gap in entry.gaps(metadata.len) {
                let sha256 = hash_range(workspace, journal.name(), gap.clone()).ok();
                entry.show(Piece { from: gap.start, to: gap.end, sha256 });
            }
        }
        // One that was never shown is remembered too, so that it is missed when it leaves the window.
        if known != Some(&entry) {
            self.refreshed.insert(journal.name().clone(), entry.clone());
        }
        let pending = entry.pending(metadata.len);
        let reason = match pending {
            0 if metadata.len == 0 => ReadReason::Empty,
            0 if by_peer => ReadReason::DreamedByPeer,
            0 => ReadReason::AlreadyShown,
            _ if entry.gaps(metadata.len).iter().all(|gap| gap.end <= held) => ReadReason::Quarantined,
            _ => ReadReason::OverBudget,
        };
        if reason == ReadReason::OverBudget {
            self.candidates.push(Candidate { journal: journal.clone(), metadata, entry, rewritten, held });
        }
        self.say_first(journal, reason, metadata, pending);
    }

    /// Reports a journal inside the window.
    fn say_first(&mut self, journal: JournalName, reason: ReadReason, metadata: Metadata, pending: u64) {
        let modified = nanoseconds(metadata.modified);
        if pending > 0 {
            self.waiting.push(Waiting { name: journal.name().clone(), modified, pending });
        } else {
            self.newest_done = self.newest_done.max(Some(modified));
        }
        self.looks.push((journal, Look::new(reason, metadata.len, pending)));
    }

    /// Returns whether nothing waits that a pass could show.
    pub(crate) fn is_idle(&self) -> bool {
        self.candidates.is_empty()
    }

    /// Leaves out the journals that this run has tried already.
    pub(crate) fn leave(&mut self, tried: &BTreeSet<DocName>) {
        self.candidates.retain(|candidate| !tried.contains(candidate.journal.name()));
    }

    /// Returns the number of waiting bytes that a pass may show.
    pub(crate) fn waits(&self) -> u64 {
        self.waiting.iter().map(|journal| journal.pending).sum()
    }

    /// Chooses what the next pass shows, within the budget, and says of each candidate why.
    pub(crate) fn select(
        &mut self,
        workspace: &dyn Workspace,
        config: &DreamConfig,
        now: DateTime<Utc>,
        order: Order,
    ) -> Selection {
        let today = config.day.date(now);
        let mut slices: Vec<Slice> = Vec::new();
        let mut total = 0;
        let mut candidates = std::mem::take(&mut self.candidates);
        if order == Order::Newest {
            candidates.reverse();
        }
        for candidate in &candidates {
            let range = match candidate.next_range(
                workspace,
                config.max_file_bytes,
                candidate.is_resting(now, today),
                order,
            ) {
                Ok(Some(range)) => range,
                Ok(None) => {
                    self.say(candidate, ReadReason::Unfinished);
                    continue;
                }
                Err(_) => {
                    self.say(candidate, ReadReason::Unreadable);
                    continue;
                }
            };
            let len = range.end - range.start;
            if !slices.is_empty() && total + len > config.total_input_bytes {
                break;
            }
            match candidate.read(workspace, range) {
                Ok(Some(slice)) => {
                    total += len;
                    self.say(candidate, candidate.reason_when_shown(&slice));
                    slices.push(slice);
                }
                Ok(None) => {
                    self.notices.push(Notice::ChangedWhileReading(candidate.journal.name().clone()));
                }
                Err(_) => self.say(candidate, ReadReason::Unreadable),
            }
        }
        slices.sort_by(|one, other| one.journal.cmp(&other.journal));
        Selection { slices }
    }

    fn say(&mut self, candidate: &Candidate, reason: ReadReason) {
        if let Ok(at) = find(&self.looks, &candidate.journal) {
            self.looks[at].1.reason = reason;
        }
    }
}

/// Returns the place of a journal in the sorted list, or the place to insert it.
pub(crate) fn find(
    looks: &[(JournalName, Look)],
    journal: &JournalName,
) -> std::result::Result<usize, usize> {
    looks.binary_search_by(|(other, _)| other.cmp(journal))
}

/// Returns whether a later pass may show what is pending.
pub(crate) fn is_waiting(reason: ReadReason) -> bool {
    !matches!(
        reason,
        ReadReason::Quarantined
            | ReadReason::SecretInName
            | ReadReason::OutsideWindow
            | ReadReason::Expired
            | ReadReason::DreamedByPeer
    )
}

/// Returns whether a journal begins with the mark of UTF-16.
fn is_utf16(workspace: &dyn Workspace, name: &DocName) -> bool {
    let front = workspace.read_range(name, 0..2).unwrap_or_default();
    front == b"\xff\xfe" || front == b"\xfe\xff"
}

/// Returns the pieces of `entry` whose bytes are no longer what was shown, by where they begin.
fn void_pieces(workspace: &dyn Workspace, name: &DocName, entry: &Entry, len: u64) -> Result<Vec<u64>> {
    let mut void = Vec::new();
    for piece in entry.pieces() {
        let holds = match piece.sha256 {
            _ if piece.to > len => false,
            None => true,
            Some(sha256) => hash_range(workspace, name, piece.from..piece.to)? == sha256,
        };
        if !holds {
            void.push(piece.from);
        }
    }
    Ok(void)
}

/// Hashes a range in bounded memory.
pub(crate) fn hash_range(workspace: &dyn Workspace, name: &DocName, range: Range<u64>) -> Result<Digest> {
    let mut hasher = Hasher::new();
    for_each_chunk(workspace, name, range, |chunk| hasher.update(chunk))?;
    Ok(hasher.finish())
}

/// Returns the start of the first line that was added after a quarantine. The rest of a line that existed then is held with
/// it.
fn first_open(workspace: &dyn Workspace, name: &DocName, held: u64, len: u64) -> Result<u64> {
    let mut at = held.saturating_sub(1);
    while at < len {
        let chunk = workspace.read_range(name, at..len.min(at + CONTEXT))?;
        match chunk.iter().position(|byte| *byte == b'\n') {
            Some(found) => return Ok(at + found as u64 + 1),
            None if chunk.is_empty() => break,
            None => at += chunk.len() as u64,
        }
    }
    Ok(len)
}

/// Reads the state of a journal above a place.
fn above(workspace: &dyn Workspace, name: &DocName, at: u64) -> Result<Above> {
    if at == 0 {
        return Ok(Above::default());
    }
    let from = at.saturating_sub(MOST_ABOVE);
    let text = workspace.read_range(name, from..at)?;
    // A speech that began further away counts as a tool's.
    let begun = if from > 0 { Above::unknown() } else { Above::default() };
    Ok(origins::read_part(&String::from_utf8_lossy(&text), &begun, true).left)
}

fn for_each_chunk(
    workspace: &dyn Workspace,
    name: &DocName,
    range: Range<u64>,
    mut feed: impl FnMut(&[u8]),
) -> Result<()> {
    const CHUNK: u64 = 1 << 20;
    let mut from = range.start;
    while from < range.end {
        let chunk = workspace.read_range(name, from..range.end.min(from + CHUNK))?;
        if chunk.is_empty() {
            break;
        }
        feed(&chunk);
        from += chunk.len() as u64;
    }
    Ok(())
}

impl Candidate {
    /// Returns whether it is as it will stay: of an earlier day, and not touched in the last minutes. Another may be in
    /// the middle of a line, which then waits.
    fn is_resting(&self, now: DateTime<Utc>, today: NaiveDate) -> bool {
        let age = now - self.metadata.modified;
        self.journal.date() < today && !(TimeDelta::zero()..RESTING).contains(&age)
    }

    /// Returns the bytes that a pass would show of this journal: whole lines, at most `max` bytes; `None` while its
    /// last line is still being written.
    fn next_range(
        &self,
        workspace: &dyn Workspace,
        max: u64,
        is_resting: bool,
        order: Order,
    ) -> Result<Option<Range<u64>>> {
        let name = self.journal.name();
        let mut gaps = self.entry.gaps(self.metadata.len);
        if !is_resting && let Some(last) = gaps.last_mut().filter(|gap| gap.end == self.metadata.len) {
            let from = last.start.max(last.end.saturating_sub(max));
            let tail = workspace.read_range(name, from..last.end)?;
            match tail.iter().rposition(|byte| *byte == b'\n') {
                Some(at) => last.end = from + at as u64 + 1,
                None => last.end = last.start,
            }
            gaps.retain(|gap| gap.start < gap.end);
        }
        gaps.retain(|gap| gap.end > self.held);
        if let Some(first) = gaps.first_mut() {
            first.start = first.start.max(self.held);
        }
        let gap = match order {
            Order::Newest => gaps.last(),
            Order::Oldest => gaps.first(),
        };
        let Some(gap) = gap.cloned() else { return Ok(None) };
        if gap.end - gap.start <= max {
            return Ok(Some(gap));
        }
        Ok(Some(match order {
            Order::Newest => {
                let from = gap.end - max;
                let bytes = workspace.read_range(name, from - 1..gap.end)?;
                // A line that begins exactly at the cut is whole: the byte before it is a line break.
                let skip = match bytes.iter().position(|byte| *byte == b'\n') {
                    Some(at) if (at as u64) < max => at as u64,
                    _ => text::leading_continuation(bytes.get(1..).unwrap_or_default()) as u64,
                };
                from + skip..gap.end
            }
            Order::Oldest => {
                let bytes = workspace.read_range(name, gap.start..gap.start + max)?;
                if (bytes.len() as u64) < max {
                    // It became shorter meanwhile.
                    return Ok(None);
                }
                let keep = match bytes.iter().rposition(|byte| *byte == b'\n') {
                    Some(at) => at + 1,
                    None => bytes.len() - text::trailing_fragment(&bytes),
                };
                gap.start..gap.start + keep as u64
            }
        }))
    }

    /// Reads a slice; `None` where the journal became shorter meanwhile.
    fn read(&self, workspace: &dyn Workspace, range: Range<u64>) -> Result<Option<Slice>> {
        let name = self.journal.name();
        let context = range.start.saturating_sub(CONTEXT);
        let mut before = workspace.read_range(name, context..range.end.saturating_add(CONTEXT))?;
        if range.is_empty() || (before.len() as u64) < range.end - context {
            return Ok(None);
        }
        let split = |at: u64| usize::try_from(at - context).unwrap_or(usize::MAX);
        let after = before.split_off(split(range.end));
        let bytes = before.split_off(split(range.start));
        let mut breaks = 0;
        for_each_chunk(workspace, name, 0..range.start, |chunk| {
            breaks += text::line_breaks(chunk);
        })?;
        Ok(Some(Slice {
            truncated: self.entry.gaps(range.start).last().is_some_and(|gap| gap.end == range.start),
            journal: self.journal.clone(),
            sha256: Digest::of(&bytes),
            first_line: breaks + 1,
            metadata: self.metadata,
            entry: self.entry.clone(),
            above: above(workspace, name, context)?,
            before,
            bytes,
            after,
            range,
        }))
    }

    fn reason_when_shown(&self, slice: &Slice) -> ReadReason {
        if self.rewritten {
            ReadReason::Rewritten
        } else if slice.entry_after().pending(self.metadata.len) > 0 {
            ReadReason::PartlyShown
        } else {
            ReadReason::Shown
        }
    }
}

impl Slice {
    /// Returns the ledger's entry once this slice has been shown.
    pub(crate) fn entry_after(&self) -> Entry {
        let mut entry = self.entry.clone();
        entry.tries = 0;
        entry.show(Piece { from: self.range.start, to: self.range.end, sha256: Some(self.sha256) });
        entry
    }

    /// Returns the ledger's entry once every line of an answer about this slice was held.
    pub(crate) fn entry_tried(&self) -> Entry {
        let mut entry = self.entry.clone();
        entry.tries = entry.tries.saturating_add(1);
        entry
    }

    /// Counts its lines.
    pub(crate) fn lines(&self) -> u64 {
        text::line_breaks(&self.bytes) + u64::from(self.bytes.last().is_some_and(|last| *last != b'\n'))
    }

    pub(crate) fn quarantined(&self, workspace: &dyn Workspace) -> QuarantinedFile {
        let (name, len) = (self.journal.name().clone(), self.metadata.len);
        // Without it the journal is held as a whole, however it grows.
        let sha256 = hash_range(workspace, &name, 0..len).unwrap_or(self.sha256);
        QuarantinedFile { name, len, sha256 }
    }

    pub(crate) fn report(&self) -> ShownSlice {
        ShownSlice {
            name: self.journal.name().clone(),
            from: self.range.start,
            to: self.range.end,
            first_line: self.first_line,
            last_line: self.first_line + self.lines().saturating_sub(1),
        }
    }
}

impl Selection {
    /// Returns the id of the dream over these slices: names, places and bytes. (reference: inputs, not answers)
    pub(crate) fn id(&self) -> DreamId {
        let mut hasher = Hasher::new();
        for slice in &self.slices {
            hasher
                .field(slice.journal.name().as_str().as_bytes())
                .field(&slice.range.start.to_be_bytes())
                .field(&slice.range.end.to_be_bytes())
                .field(slice.sha256.to_string().as_bytes());
            // Else the section of the first reading would stand for the second.
            if slice.entry.again > 0 {
                hasher.field(&slice.entry.again.to_be_bytes());
            }
        }
        DreamId::from_digest(hasher.finish())
    }
}

/// Returns a time as the ledger keeps it.
pub(crate) fn nanoseconds(instant: DateTime<Utc>) -> i64 {
    instant.timestamp_nanos_opt().unwrap_or(i64::MAX)
}
