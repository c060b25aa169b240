//! Taking a dream back, and bringing it back: its section and its cursors together.
//!
//! Both are commits as a dream's own is one: an intent first, then steps that can each be done twice. Unlike a dream
//! they replace `MEMORY.md`, by the revision that was read: a save that comes in between is seen, and the section is
//! looked for anew in what was saved.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use chrono::{DateTime, Utc};
use serde_json::Number;

use super::JournalDreamer;
use super::dreams::{DreamRecord, DreamStanding};
use super::person;
use super::run::MOST_LOG;
use super::select::{hash_range, nanoseconds};
use crate::base::access::Access;
use crate::base::document::Document;
use crate::base::error::{Error, Refusal, Result};
use crate::base::name::{DocName, Name, StateName};
use crate::dream::commit::{self, state};
use crate::format::documents::curated;
use crate::format::documents::sections::{self, SectionState as Standing};
use crate::format::state::dreamed::watermark_ns;
use crate::format::state::intent::{Append, Change, Intent};
use crate::format::state::ledger::{Entry, Ledger, Piece};
use crate::format::state::log::{self, LogLine};
use crate::format::state::undone::{Kept, Undone};
use crate::format::{DreamId, DreamedState};
use crate::session;
use crate::workspace::{Lease, Workspace, WorkspaceExt, WriteMode};

/// How often a change is tried on a file that others change meanwhile.
const TRIES: u32 = 4;

impl JournalDreamer {
    /// Takes a dream back: its section leaves `MEMORY.md`, and what it had read of the journals waits again for the next
    /// dream. `false` where it was taken back before.
    ///
    /// Only the section goes, and only where it stands as it was appended; every other byte stays, those of later dreams
    /// too. What the dream had promoted may be promoted again. [`redo_dream`](Self::redo_dream) brings it back, as long as
    /// it is among the last hundred that were taken back. Rows of a memory store go with the next [`feed`](crate::exchange::feed).
    ///
    /// When it returns, all of it survives a power loss. After a crash before, the next run, undo or redo finishes what was
    /// begun. `MEMORY.md` is replaced: what stood there is kept as a preimage of it, and a save between our last look and
    /// the replacement, a moment, is lost. So this is for a person to ask for: the human of a main session, and nobody else.
    ///
    /// ```
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::{
    ///     Access, DocName, Extractive, FileWorkspace, JournalDreamer, Outcome, Scope, Workspace,
    ///     dream_once_at,
    /// };
    /// # use std::sync::Arc;
    /// # let folder = tempfile::tempdir()?;
    /// # let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    /// # let journal = DocName::parse("memory/2026-11-20-repl.md")?;
    /// # workspace.append(&journal, b"- 09:12 [user] Decision: we release on 2026-12-04, Ilya signs it off.\n")?;
    /// # let dreamer = JournalDreamer::builder(workspace.clone())
    /// #     .enabled(true)
    /// #     .configure(|config| config.window_days = None)
    /// #     .build()?;
    /// let now = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
    /// let report = dream_once_at(&dreamer, &Extractive::new(), &|| now)?;
    /// let dreamed = std::fs::read(folder.path().join("MEMORY.md"))?;
    ///
    /// let human = Access::human(Scope::user("marta"));
    /// let id = &report.passes[0].dream_id;
    /// assert!(dreamer.undo_dream(&human, id, now)?);
    /// assert_eq!(std::fs::read(folder.path().join("MEMORY.md"))?, b"");
    ///
    /// assert!(dreamer.redo_dream(&human, id, now)?);
    /// assert_eq!(std::fs::read(folder.path().join("MEMORY.md"))?, dreamed);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DreamStays`], and nothing was changed: for `MEMORY.md`, where the section was edited
    /// ([`Refusal::SectionEdited`]) or taken out; for the archive, where it was moved there; for a journal, where its
    /// cursor can not go back since the journal is gone or changed; for the log, where it knows no such dream.
    /// [`Error::Denied`] for anybody but the human of a main session, [`Error::Busy`] where somebody dreams, and those of
    /// the workspace.
    pub fn undo_dream(&self, access: &Access, id: &DreamId, now: DateTime<Utc>) -> Result<bool> {
        let lease = person::claim(&self.0, access, DocName::MEMORY)?.lease;
        let desk = Desk::open(self.0.workspace.as_ref())?;
        let changed =
            desk.undo(lease.as_ref(), id, now, self).map_err(|error| stays(error, id, "taken back"))?;
        lease.release()?;
        Ok(changed)
    }

    /// Brings back a dream that was taken back by [`undo_dream`](Self::undo_dream): its section stands again where it stood, in the same
    /// bytes, and its journals count as read again. `false` where there is nothing to bring back, since it stands.
    ///
    /// Where the section is gone although nobody took the dream back, since an editor saved an older `MEMORY.md` over it
    /// ([`Notice::SectionMissing`](crate::dream::Notice::SectionMissing)), it is appended again at the end, as it was: of the last
    /// thirty dreams.
    ///
    /// Where a person changed what was around it, it goes behind that, and before the sections of later dreams. Rows come
    /// back with the next [`feed`](crate::exchange::feed). Who may ask, what survives a crash and what may be lost is as there, and so
    /// is an example of both.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use noctuary::{Access, FileWorkspace, JournalDreamer, Scope};
    /// use noctuary::format::DreamId;
    /// use noctuary::workspace::Refusal;
    /// use noctuary::Error;
    /// # let folder = tempfile::tempdir()?;
    /// # let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).build()?;
    /// # let human = Access::human(Scope::user("marta"));
    /// let id = DreamId::parse("0f3a9c5be2d14477").expect("sixteen digits");
    /// let refused = dreamer.redo_dream(&human, &id, chrono::Utc::now());
    /// assert!(matches!(refused, Err(Error::DreamStays { reason: Refusal::UnknownDream, .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DreamStays`], and nothing was changed: for a journal that was read by another dream since
    /// ([`Refusal::ReadAgain`]), changed or is gone; for `MEMORY.md`, where a part of the section stands, the section is
    /// gone for another reason, it holds what was forgotten, or a line of it stands there by now
    /// ([`Refusal::SaidAgain`]); for the archive, where it was moved there; where nothing is kept of
    /// it any more. Otherwise as [`undo_dream`](Self::undo_dream).
    pub fn redo_dream(&self, access: &Access, id: &DreamId, now: DateTime<Utc>) -> Result<bool> {
        let lease = person::claim(&self.0, access, DocName::MEMORY)?.lease;
        let desk = Desk::open(self.0.workspace.as_ref())?;
        let changed =
            desk.redo(lease.as_ref(), id, now, self).map_err(|error| stays(error, id, "brought back"))?;
        lease.release()?;
        Ok(changed)
    }
}

fn refused<T>(path: &Name, reason: Refusal) -> Result<T> {
    Err(Error::Refused { path: path.to_string(), reason })
}

/// Says of which dream it was that something stands against it.
fn stays(error: Error, id: &DreamId, attempt: &'static str) -> Error {
    match error {
        Error::Refused { path, reason } => Error::DreamStays { dream: id.to_string(), attempt, path, reason },
        other => other,
    }
}

/// All that a change of an earlier dream is judged by, as it stands.
pub(crate) struct Desk<'w> {
    pub(crate) workspace: &'w dyn Workspace,
    pub(crate) name: DocName,
    pub(crate) memory: Document,
    pub(crate) log: Vec<LogLine>,
    pub(crate) state: DreamedState,
    pub(crate) ledger: Ledger,
    undone: Undone,
}

impl<'w> Desk<'w> {
    pub(crate) fn open(workspace: &'w dyn Workspace) -> Result<Self> {
        let name = commit::memory_name(workspace)?;
        let memory = workspace.read(&name)?;
        Ok(Self {
            workspace,
            memory: memory.unwrap_or_else(|| Document::new(name.clone().into(), Vec::new())),
            log: log::of_curators(&workspace.read_tail(&StateName::LOG, MOST_LOG)?.text).collect(),
            state: DreamedState::parse(state(workspace, &StateName::DREAMED)?.as_deref())?,
            ledger: Ledger::parse(state(workspace, &StateName::LEDGER)?.as_deref())?,
            undone: Undone::parse(state(workspace, &StateName::UNDONE)?.as_deref())?,
            name,
        })
    }

    /// The line of the pass that appended the dream's section last.
    pub(crate) fn pass(&self, id: &DreamId) -> Option<&LogLine> {
        self.log.iter().rev().find(|line| line.id == *id && line.outcome == log::APPENDED)
    }

    /// Whether a person took the dream back, and it was not dreamed again since.
    fn is_undone(&self, id: &DreamId) -> bool {
        let words = [log::APPENDED, log::UNDONE, log::REDONE, log::ARCHIVED, log::RESTORED];
        let last =
            self.log.iter().rev().find(|line| line.id == *id && words.contains(&line.outcome.as_str()));
        last.is_some_and(|line| line.outcome == log::UNDONE)
    }

    /// The dreams that appended a section, the newest first, and what became of each.
    pub(crate) fn dreams(&self) -> Result<Vec<DreamRecord>> {
        let archive = commit::archive(self.workspace)?;
        let mut seen = BTreeSet::new();
        let appended = self.log.iter().rev().filter(|line| line.outcome == log::APPENDED);
        let last = appended.filter(|line| seen.insert(&line.id));
        let record = |line: &LogLine| {
            let found =
                line.section_sha256.map(|printed| sections::find(self.memory.bytes(), &line.id, printed));
            let standing = match found {
                Some(Standing::Whole(_)) => DreamStanding::Whole,
                Some(Standing::Edited) => DreamStanding::Edited,
                _ if self.is_undone(&line.id) => DreamStanding::Undone,
                _ if curated::has_section(&archive, &line.id) => DreamStanding::Archived,
                _ => DreamStanding::Gone,
            };
            let lines = line.lines.len() as u64;
            DreamRecord { id: line.id.clone(), day: line.day, at: line.at, lines, standing }
        };
        Ok(last.map(record).collect())
    }

    fn is_archived(&self, id: &DreamId) -> Result<bool> {
        Ok(curated::has_section(&commit::archive(self.workspace)?, id))
    }

    fn undo(
        &self,
        lease: &dyn Lease,
        id: &DreamId,
        now: DateTime<Utc>,
        dreamer: &JournalDreamer,
    ) -> Result<bool> {
        let Some((pass, printed)) = self.pass(id).and_then(|pass| Some((pass, pass.section_sha256?))) else {
            return refused(&StateName::LOG, Refusal::UnknownDream);
        };
        let range = match sections::find(self.memory.bytes(), id, printed) {
            Standing::Whole(range) => range,
            Standing::Edited => return refused(&self.name, Refusal::SectionEdited),
            Standing::Missing if self.is_undone(id) => return Ok(false),
            Standing::Missing if self.is_archived(id)? => {
                return refused(&DocName::DREAMED, Refusal::SectionArchived);
            }
            Standing::Missing => return refused(&self.name, Refusal::SectionGone),
        };
        let mark = self.state.last_processed_mtime.clone();
        self.check_peer()?;
        let mut entries = BTreeMap::new();
        let mut shown: BTreeMap<DocName, Vec<Piece>> = BTreeMap::new();
        let mut limit = i64::MAX;
        for source in &pass.sources {
            let journal = DocName::parse(source.name.as_str())?;
            let known = entries.remove(&journal).or_else(|| self.ledger.get(&journal).cloned());
            // By its hash too: what stands there now may be as long, and another dream's.
            let piece = Piece { from: source.from, to: source.to, sha256: Some(source.sha256) };
            let piece = known.as_ref().filter(|entry| entry.pieces().contains(&piece)).map(|_| piece);
            limit = limit.min(self.modified_before(&journal)?);
            let (Some(mut entry), Some(piece)) = (known, piece) else {
                return refused(&journal, Refusal::JournalChanged);
            };
            self.check(&journal, &piece)?;
            entry.retain_pieces(|other| *other != piece);
            entries.insert(journal.clone(), entry);
            shown.entry(journal).or_default().push(piece);
        }

        let order = self.order();
        let kept = Kept {
            id: id.clone(),
            at: now,
            section: String::from_utf8_lossy(&self.memory.bytes()[range.clone()]).into_owned(),
            place: self.undone.place_of(self.memory.bytes(), id, &range, &order),
            shown,
            mark: self
                .still_undone(id)
                .filter_map(|kept| kept.mark.clone())
                .chain(mark.clone())
                .max_by_key(watermark_ns),
            limit,
        };
        let mut state = self.state.clone();
        state.last_processed_mtime = lower(mark.clone(), limit);
        let change = Change::Undo { name: self.name.clone(), kept, order, mark };
        let line = pass.then(log::UNDONE, now, dreamer.0.config.day.date(now), lease.epoch());
        self.keep_preimage(now)?;
        commit::commit(self.workspace, lease, &Intent::of_change(change, None, entries, state, line))?;
        Ok(true)
    }

    fn redo(
        &self,
        lease: &dyn Lease,
        id: &DreamId,
        now: DateTime<Utc>,
        dreamer: &JournalDreamer,
    ) -> Result<bool> {
        let Some(pass) = self.pass(id) else { return refused(&StateName::LOG, Refusal::UnknownDream) };
        if curated::has_section(self.memory.bytes(), id) {
            return Ok(false);
        }
        if curated::has_mark(self.memory.bytes(), id) {
            return refused(&self.name, Refusal::SectionEdited);
        }
        if self.is_archived(id)? {
            return refused(&DocName::DREAMED, Refusal::SectionArchived);
        }
        if !self.is_undone(id) {
            return self.restore(lease, pass, now, dreamer);
        }
        let Some(kept) = self.undone.get(id) else {
            return refused(&StateName::UNDONE, Refusal::NothingKept);
        };
        if session::forgotten(self.workspace)?.is_some_and(|forgotten| forgotten.holds(&kept.section)) {
            return refused(&self.name, Refusal::Forgotten);
        }
        self.check_peer()?;

        let mut entries = BTreeMap::new();
        for (journal, pieces) in &kept.shown {
            let mut entry: Entry = self.ledger.get(journal).cloned().unwrap_or_default();
            for piece in pieces {
                self.modified_before(journal)?;
                let overlaps = |other: &Piece| other.from < piece.to && piece.from < other.to;
                if entry.pieces().iter().any(overlaps) {
                    return refused(journal, Refusal::ReadAgain);
                }
                self.check(journal, piece)?;
                entry.show(piece.clone());
            }
            entries.insert(journal.clone(), entry);
        }
        self.check_known(&kept.section)?;

        let limit = self.still_undone(id).map(|kept| kept.limit).min().unwrap_or(i64::MAX);
        let raised = lower(kept.mark.clone(), limit);
        let mut state = self.state.clone();
        if raised.as_ref().and_then(watermark_ns) > state.watermark_ns() {
            state.last_processed_mtime = raised;
        }
        let change = Change::Redo { name: self.name.clone(), kept: kept.clone(), order: self.order() };
        let line = pass.then(log::REDONE, now, dreamer.0.config.day.date(now), lease.epoch());
        self.keep_preimage(now)?;
        commit::commit(self.workspace, lease, &Intent::of_change(change, None, entries, state, line))?;
        Ok(true)
    }

    /// Appends a section again that is gone although nobody took its dream back: an editor saved over it.
    fn restore(
        &self,
        lease: &dyn Lease,
        pass: &LogLine,
        now: DateTime<Utc>,
        dreamer: &JournalDreamer,
    ) -> Result<bool> {
        let Some(section) = self.undone.appended(&pass.id) else {
            return refused(&self.name, Refusal::SectionGone);
        };
        if session::forgotten(self.workspace)?.is_some_and(|forgotten| forgotten.holds(section)) {
            return refused(&self.name, Refusal::Forgotten);
        }
        self.check_known(section)?;
        let append = Append::new(self.name.clone(), section.to_owned(), self.memory.bytes());
        let line = pass.then(log::RESTORED, now, dreamer.0.config.day.date(now), lease.epoch());
        let intent = Intent::new(
            pass.id.clone(),
            lease.epoch(),
            Some(append),
            BTreeMap::new(),
            Vec::new(),
            self.ledger.watermark.clone(),
            self.state.clone(),
            line,
        );
        commit::commit(self.workspace, lease, &intent)?;
        Ok(true)
    }

    /// The dreams of the file in the order in which they were appended: those whose sections stand, and those that
    /// were taken back.
    fn order(&self) -> Vec<DreamId> {
        let appends = |line: &&LogLine| [log::APPENDED, log::RESTORED].contains(&line.outcome.as_str());
        let appended = self.log.iter().filter(appends);
        let all: Vec<&DreamId> = appended.map(|line| &line.id).collect();
        let standing = sections::whole(self.memory.bytes()).into_iter().map(|section| section.dream);
        let mut order: Vec<DreamId> =
            standing.chain(self.undone.dreams().iter().map(|kept| kept.id.clone())).collect();
        order.sort_by_key(|id| all.iter().rposition(|known| *known == id));
        order.dedup();
        order
    }

    /// What is kept of the other dreams that were taken back.
    fn still_undone(&self, id: &DreamId) -> impl Iterator<Item = &Kept> {
        self.undone.dreams().iter().filter(move |kept| kept.id != *id && self.is_undone(&kept.id))
    }

    /// Looks whether nothing of a section stands in memory or in the archive: else it would stand there twice.
    fn check_known(&self, section: &str) -> Result<()> {
        let back: BTreeSet<String> = curated::statements(section).collect();
        for (name, text) in [
            (&self.name, Cow::Borrowed(self.memory.bytes())),
            (&DocName::DREAMED, Cow::Owned(commit::archive(self.workspace)?)),
        ] {
            if curated::statements(&String::from_utf8_lossy(&text)).any(|known| back.contains(&known)) {
                return refused(name, Refusal::SaidAgain);
            }
        }
        Ok(())
    }

    /// Looks whether the watermark is ours. Below a peer's, the next run counts as read what was dreamed there; a watermark
    /// of ours in its place would have it dreamed once more.
    fn check_peer(&self) -> Result<()> {
        let ours = self.ledger.watermark.as_ref().and_then(watermark_ns);
        if self.state.watermark_ns() > ours {
            refused(&StateName::DREAMED, Refusal::PeerAhead)
        } else {
            Ok(())
        }
    }

    /// The highest watermark under which a journal waits, in milliseconds.
    fn modified_before(&self, journal: &DocName) -> Result<i64> {
        match self.workspace.metadata(journal)? {
            Some(metadata) => Ok((nanoseconds(metadata.modified) - 1).div_euclid(1_000_000)),
            None => refused(journal, Refusal::JournalGone),
        }
    }

    /// Looks whether the bytes that were shown still stand in their journal.
    fn check(&self, journal: &DocName, piece: &Piece) -> Result<()> {
        let stands = hash_range(self.workspace, journal, piece.from..piece.to)?;
        if piece.sha256 == Some(stands) { Ok(()) } else { refused(journal, Refusal::JournalChanged) }
    }

    /// Keeps `MEMORY.md` as it stands, before it is replaced.
    pub(crate) fn keep_preimage(&self, now: DateTime<Utc>) -> Result<()> {
        crate::life::keep_preimage(self.workspace, &DocName::MEMORY, &self.memory, now)
    }
}

/// A watermark, or the limit where that is lower.
fn lower(mark: Option<Number>, limit: i64) -> Option<Number> {
    mark.map(|mark| {
        let is_over = watermark_ns(&mark).is_some_and(|mark| mark > limit.saturating_mul(1_000_000));
        if is_over { Number::from(limit) } else { mark }
    })
}

/// Carries out what becomes of an earlier dream's section; `false` where a person changed it meanwhile, so that it stays.
pub(crate) fn carry_out(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    intent: &Intent,
    change: &Change,
) -> Result<bool> {
    let (Change::Undo { name, .. } | Change::Redo { name, .. } | Change::Archive { name }) = change;
    for _ in 0..TRIES {
        let standing = workspace.read(name)?;
        let memory = standing.as_ref().map_or(&[][..], Document::bytes);
        let after = match change {
            Change::Undo { kept, order, .. } => taken_out(intent, memory, |range| {
                let mut undone = Undone::parse(state(workspace, &StateName::UNDONE)?.as_deref())?;
                let section = String::from_utf8_lossy(&memory[range.clone()]).into_owned();
                let place = undone.place_of(memory, &intent.id, range, order);
                undone.keep(Kept { section, place, ..kept.clone() });
                lease.replace(&StateName::UNDONE, &undone.print())
            }),
            Change::Archive { .. } => taken_out(intent, memory, |_| Ok(())),
            Change::Redo { kept, order, .. } => {
                let undone = Undone::parse(state(workspace, &StateName::UNDONE)?.as_deref())?;
                Ok(put_back(intent, memory, kept, &undone, order))
            }
        }?;
        let (after, is_done) = match after {
            After::Changed(after) => (after, false),
            // An interrupted change may have been killed before its sync: to write what stands there settles it.
            After::Done => (memory.to_vec(), true),
            After::Edited => {
                if let Change::Undo { .. } = change {
                    let_go(workspace, lease, &intent.id)?;
                }
                return Ok(false);
            }
        };
        let mode = match &standing {
            Some(standing) => WriteMode::IfRevision(standing.revision()),
            None if is_done => return Ok(true),
            None => WriteMode::Create,
        };
        lease.check()?;
        match workspace.write(name, &after, mode) {
            Ok(_) => return Ok(true),
            Err(Error::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::Busy { path: name.to_string() })
}

/// Whether a section is still to be moved to the archive: a part of it is there, or it stands in `MEMORY.md` as it did.
/// Else a person changed it, or took it out, before anything was done: theirs is all that is to stand.
pub(crate) fn still_moves(
    workspace: &dyn Workspace,
    intent: &Intent,
    append: &Append,
    name: &DocName,
) -> Result<bool> {
    let archive = workspace.read(&append.name)?.map(Document::into_bytes).unwrap_or_default();
    if append.torn_bytes(&archive) > 0 || curated::has_mark(&archive, &intent.id) {
        return Ok(true);
    }
    let memory = workspace.read(name)?.map(Document::into_bytes).unwrap_or_default();
    let printed = intent.log.section_sha256;
    Ok(printed
        .is_some_and(|printed| matches!(sections::find(&memory, &intent.id, printed), Standing::Whole(_))))
}

/// What is to be done with a document.
enum After {
    /// To write this.
    Changed(Vec<u8>),
    /// Nothing: it was done.
    Done,
    /// Nothing: a person was here.
    Edited,
}

/// The document without the section; `keep` is told where it stands first.
fn taken_out(
    intent: &Intent,
    memory: &[u8],
    keep: impl FnOnce(&Range<usize>) -> Result<()>,
) -> Result<After> {
    let Some(printed) = intent.log.section_sha256 else { return Ok(After::Edited) };
    Ok(match sections::find(memory, &intent.id, printed) {
        Standing::Whole(range) => {
            keep(&range)?;
            After::Changed([&memory[..range.start], &memory[range.end..]].concat())
        }
        Standing::Edited => After::Edited,
        Standing::Missing => After::Done,
    })
}

fn put_back(intent: &Intent, memory: &[u8], kept: &Kept, undone: &Undone, order: &[DreamId]) -> After {
    if curated::has_section(memory, &intent.id) {
        After::Done
    } else if curated::has_mark(memory, &intent.id) {
        After::Edited
    } else {
        After::Changed(undone.put_back(memory, kept, order))
    }
}

/// Lets go what was kept of a dream. Written also where it is gone already: whoever let it go may have been killed before
/// that was durable.
pub(crate) fn let_go(workspace: &dyn Workspace, lease: &dyn Lease, id: &DreamId) -> Result<()> {
    let Some(standing) = state(workspace, &StateName::UNDONE)? else { return Ok(()) };
    let mut undone = Undone::parse(Some(&standing))?;
    undone.retain(|kept| kept.id != *id);
    lease.replace(&StateName::UNDONE, &undone.print())
}
