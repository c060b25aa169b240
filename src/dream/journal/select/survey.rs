//! A survey: all journals as they are now, against what was shown of them.

use chrono::{DateTime, TimeDelta, Utc};

use super::bytes::{first_open, hash_range, is_utf16, unseen_piece, void_pieces};
use super::candidate::Candidate;
use super::folders::journals;
use super::look::{Look, Waiting, nanoseconds};
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, Name};
use crate::base::order;
use crate::dream::journal::config::DreamConfig;
use crate::dreamer::{Notice, ReadReason};
use crate::format::state::dreamed as state;
use crate::format::state::ledger::{Entry, Glance, Ledger};
use crate::format::{DreamedState, JournalName, Quarantine};
use crate::workspace::{Metadata, Workspace};

/// A watermark further ahead than this was not written by a clock.
const MOST_AHEAD: TimeDelta = TimeDelta::days(1);

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

#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Inside the window and readable, ascending.
    pub(super) candidates: Vec<Candidate>,
    /// Every journal that was seen, ascending, with its facts.
    pub(crate) looks: Vec<(JournalName, Look)>,
    pub(crate) notices: Vec<Notice>,
    /// Entries of the ledger that changed by looking: verified sizes, pieces that a rewrite made void,
    /// bytes that a peer dreamed. By name, ascending.
    pub(crate) refreshed: Vec<(DocName, Entry)>,
    /// Journals whose entries are no longer needed: they are gone for long.
    pub(crate) forget: Vec<DocName>,
    /// The journals inside the window with waiting bytes, quarantined ones among them.
    pub(crate) waiting: Vec<Waiting>,
    /// When the newest of the others inside the window was changed, in nanoseconds since the epoch.
    pub(crate) newest_done: Option<i64>,
}

/// Looks at all journals of the window. Opens only those whose size or time of change is new, and only where they had
/// been shown. An older one is not even looked at: its date decides.
pub(crate) fn survey(situation: Situation<'_>) -> Result<Survey> {
    let Situation { workspace, config, now, ledger, state, quarantine, .. } = situation;
    let mut survey = Survey::default();
    let peer_mark = survey.peer_mark(situation);
    let window = config.window_days.and_then(|days| config.day.window_start(now, days));
    let journals = journals(workspace, &mut survey.notices)?;
    let is_old = |journal: &JournalName| window.is_some_and(|start| journal.date() < start);
    let inside: Vec<&Name> =
        journals.iter().filter(|journal| !is_old(journal)).map(|journal| &**journal.name()).gather();
    let mut found = workspace.metadata_of(&inside).into_iter();
    survey.looks.reserve_exact(journals.len());
    let mut looking = ledger.looking();
    for journal in journals {
        let name = journal.name();
        let known = looking.at(name);
        if is_old(&journal) {
            let pending = known.map_or(0, |entry| entry.pending);
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
        if !is_held && known.is_some_and(|entry| is_as_shown(entry, metadata)) {
            survey.say_shown(journal, metadata);
            continue;
        }
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
            let unchanged = |entry: &Glance| {
                (entry.size, entry.modified) == (metadata.len, nanoseconds(metadata.modified))
            };
            let pending = known.filter(unchanged).map_or(metadata.len, |entry| entry.pending);
            survey.say_first(journal, reason, metadata, pending);
            continue;
        }
        let peer_mark = peer_mark.filter(|_| !is_held);
        let known = known.and_then(|_| ledger.get(name));
        survey.consider(workspace, journal, metadata, known.as_ref(), peer_mark, read_from.unwrap_or(0));
    }
    let mut there: Vec<&DocName> = survey.looks.iter().map(|(journal, _)| journal.name()).gather();
    order::sort(&mut there);
    survey.forget = forgettable(ledger, state, config, now);
    order::retain(&mut survey.forget, |name| there.binary_search(&&*name).is_err());
    Ok(survey)
}

/// Returns the journals whose entries may be removed because the journals are gone. They are a whole window older than the
/// window, by this clock and by that of the last run. A journal that is only missing today (a folder renamed, a branch
/// checked out) keeps its entry. So does one that a clock ahead of its time would remove.
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
    ledger.read_whole(|name| JournalName::date_of(name).is_none_or(|date| date < start))
}

impl Survey {
    /// Returns the watermark of a peer, where the present one is not ours: what lies below it was dreamed there.
    fn peer_mark(&mut self, situation: Situation<'_>) -> Option<i64> {
        let Situation { now, ledger, state, .. } = situation;
        // A tool may have brought the state of another machine of ours before its ledger.
        if state.last_processed_mtime == ledger.watermark || state.is_own() {
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
        if known.is_some_and(|entry| is_as_shown(entry.glance(), metadata)) {
            return self.say_shown(journal, metadata);
        }
        let mut entry = known.cloned().unwrap_or_default();
        let mut rewritten = false;
        let has_changed = (entry.size, entry.modified) != (metadata.len, modified);
        let by_peer = peer_mark.is_some_and(|mark| modified <= mark);
        // In UTF-16 nothing but noise would be shown, and all of it would count as read. Another that was never shown is
        // opened when a pass comes to it.
        if (by_peer || (known.is_some() && has_changed)) && is_utf16(workspace, journal.name()) {
            self.looks.push((journal, Look::new(ReadReason::Unreadable, metadata.len, 0)));
            return;
        }
        if has_changed {
            let Ok(void) = void_pieces(workspace, journal.name(), &entry, metadata.len) else {
                self.looks.push((journal, Look::new(ReadReason::Unreadable, metadata.len, 0)));
                return;
            };
            rewritten = !entry.retain_pieces(|piece| !void.contains(&piece.from));
            (entry.size, entry.modified) = (metadata.len, modified);
        }
        let by_peer = by_peer && entry.pending(metadata.len) > 0;
        if by_peer {
            for gap in entry.gaps(metadata.len) {
                entry.show(unseen_piece(workspace, journal.name(), gap));
            }
        }
        // One that was never shown is remembered too, so that it is missed when it leaves the window.
        if known != Some(&entry) {
            self.refreshed.push((journal.name().clone(), entry.clone()));
        }
        let pending = entry.pending(metadata.len);
        let reason = match pending {
            0 if metadata.len == 0 => ReadReason::Empty,
            0 if by_peer => ReadReason::DreamedByPeer,
            0 => ReadReason::AlreadyShown,
            _ if held > 0 && entry.gaps(metadata.len).iter().all(|gap| gap.end <= held) => {
                ReadReason::Quarantined
            }
            _ => ReadReason::OverBudget,
        };
        if reason == ReadReason::OverBudget {
            self.candidates.push(Candidate { at: self.looks.len(), metadata, entry, rewritten, held });
        }
        self.say_first(journal, reason, metadata, pending);
    }

    /// Reports a journal that was shown whole.
    fn say_shown(&mut self, journal: JournalName, metadata: Metadata) {
        let reason = if metadata.len == 0 { ReadReason::Empty } else { ReadReason::AlreadyShown };
        self.say_first(journal, reason, metadata, 0);
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
}

/// Returns whether a journal is as it was when all of it had been shown.
fn is_as_shown(entry: Glance, metadata: Metadata) -> bool {
    let modified = nanoseconds(metadata.modified);
    (entry.size, entry.modified) == (metadata.len, modified) && entry.pending == 0
}
