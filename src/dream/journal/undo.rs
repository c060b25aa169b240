//! Taking a dream back, and bringing it back: its section and its cursors together.
//!
//! Both are commits as a dream's own is one: an intent first, then steps that can each be done twice. Unlike a dream
//! they replace `MEMORY.md`, by the revision that was read. A save that comes in between is seen, and the section is
//! looked for anew in what was saved.

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Number;

use super::dreamer::JournalDreamer;
use super::earlier::EarlierDreams;
use super::person;
use super::select::{hash_range, nanoseconds};
use crate::base::access::Access;
use crate::base::error::{Error, Refusal, Result};
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, Name, StateName};
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::dream::commit;
use crate::format::documents::briefing;
use crate::format::documents::curated;
use crate::format::documents::known::{Heard, KnownStatements};
use crate::format::documents::sections::{self, SectionState};
use crate::format::documents::statements::lines;
use crate::format::state::dreamed::watermark_ns;
use crate::format::state::intent::{Append, Books, Change, Intent};
use crate::format::state::ledger::{Entry, Piece};
use crate::format::state::log::{self, LogLine, LogSource};
use crate::format::state::undone::Kept;
use crate::format::{DreamId, JournalName};
use crate::session;
use crate::workspace::Lease;

impl JournalDreamer {
    /// Takes a dream back: its section leaves `MEMORY.md`, and what it had read of the journals waits again for the next
    /// dream. `false` where it was taken back before.
    ///
    /// Only the section goes, and only where it is as it was appended; every other byte stays, those of later dreams
    /// too. Its statements may be promoted again. [`redo_dream`](Self::redo_dream) brings it back, as long as it is
    /// among the last hundred that were taken back. Rows of a memory store go with the next
    /// [`feed`](crate::exchange::feed).
    ///
    /// When it returns, all of it survives a power loss. After a crash before, the next run, undo or redo finishes what
    /// was begun. `MEMORY.md` is replaced, and the text before is kept. A save in the moment between our last look and
    /// the replacement is lost. So this is for a person to ask for: the human of a main session, and nobody else.
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
    /// # Example: take back the last dream that is still there
    ///
    /// [`dreams`](Self::dreams) lists the newest first. A night of several passes is several dreams.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use noctuary::{Access, FileWorkspace, JournalDreamer, Scope};
    /// use noctuary::dream::DreamStanding;
    /// # let folder = tempfile::tempdir()?;
    /// # let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).build()?;
    /// # let human = Access::human(Scope::user("marta"));
    /// # let now = chrono::Utc::now();
    /// let last = dreamer.dreams()?.into_iter().find(|dream| dream.standing == DreamStanding::Whole);
    /// match last {
    ///     Some(dream) => assert!(dreamer.undo_dream(&human, &dream.id, now)?),
    ///     None => println!("no dream can be taken back"),
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DreamStays`], and nothing was changed. It names `MEMORY.md` where the section was edited
    /// ([`Refusal::SectionEdited`]) or taken out, and the archive where it was moved there. It names a journal that is
    /// gone or changed, and the log where it knows no such dream. [`Error::Denied`] for anybody but the human of a main
    /// session, [`Error::Busy`] where somebody dreams, and those of the workspace.
    pub fn undo_dream(&self, access: &Access, id: &DreamId, now: DateTime<Utc>) -> Result<bool> {
        self.change(access, now, |changing| changing.undo(id).map_err(|error| stays(error, id, "taken back")))
    }

    /// Brings back a dream that was taken back by [`undo_dream`](Self::undo_dream). Its section is again where it was,
    /// in the same bytes, and its journals count as read again. `false` where there is nothing to bring back, since it
    /// exists.
    ///
    /// An editor may have saved an older `MEMORY.md` over the section
    /// ([`Notice::SectionMissing`](crate::dream::Notice::SectionMissing)). If it is one of the last thirty dreams,
    /// it is appended again at the end, as it was.
    ///
    /// If a person changed the text around it, the section is put behind that text, and before the sections of later
    /// dreams. Rows come
    /// back with the next [`feed`](crate::exchange::feed). [`undo_dream`](Self::undo_dream) says who may ask,
    /// what survives a crash and what may be lost, and has an example of both.
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
    /// [`Error::DreamStays`], and nothing was changed. It names a journal that another dream has read since
    /// ([`Refusal::ReadAgain`]), or that is changed or gone. It names `MEMORY.md` where a part of the section is left,
    /// or a line of it is there by now ([`Refusal::SaidAgain`]). A section that holds what was forgotten is refused
    /// too. It names the archive where the section was moved there. Otherwise as [`undo_dream`](Self::undo_dream).
    pub fn redo_dream(&self, access: &Access, id: &DreamId, now: DateTime<Utc>) -> Result<bool> {
        self.change(access, now, |changing| {
            changing.redo(id).map_err(|error| stays(error, id, "brought back"))
        })
    }

    /// Changes an earlier dream at a person's word, under the lease.
    fn change(
        &self,
        access: &Access,
        now: DateTime<Utc>,
        change: impl FnOnce(&Changing<'_>) -> Result<bool>,
    ) -> Result<bool> {
        let lease = person::claim(self, access, DocName::MEMORY)?.lease;
        let changing = Changing {
            earlier: EarlierDreams::open(self.workspace())?,
            lease: lease.as_ref(),
            day: self.config.day.date(now),
            now,
        };
        let changed = change(&changing)?;
        lease.release()?;
        Ok(changed)
    }
}

fn refused<T>(path: &Name, reason: Refusal) -> Result<T> {
    Err(Error::Refused { path: path.to_string(), reason })
}

/// Adds the dream to a refusal.
fn stays(error: Error, id: &DreamId, attempt: &'static str) -> Error {
    match error {
        Error::Refused { path, reason } => Error::DreamStays { dream: id.to_string(), attempt, path, reason },
        other => other,
    }
}

/// A change of an earlier dream, under a claim.
struct Changing<'a> {
    earlier: EarlierDreams<'a>,
    lease: &'a dyn Lease,
    /// The operator's day, and the time.
    day: NaiveDate,
    now: DateTime<Utc>,
}

impl Changing<'_> {
    fn undo(&self, id: &DreamId) -> Result<bool> {
        let Some((pass, printed)) = self.earlier.pass(id).and_then(|pass| Some((pass, pass.section_sha256?)))
        else {
            return refused(&StateName::LOG, Refusal::UnknownDream);
        };
        let range = match sections::find(self.earlier.memory.bytes(), id, printed) {
            SectionState::Whole(range) => range,
            SectionState::Edited => return refused(&self.earlier.name, Refusal::SectionEdited),
            SectionState::Missing if self.earlier.is_undone(id) => return Ok(false),
            SectionState::Missing if self.earlier.is_archived(id)? => {
                return refused(&DocName::DREAMED, Refusal::SectionArchived);
            }
            SectionState::Missing => return refused(&self.earlier.name, Refusal::SectionGone),
        };
        let mark = self.earlier.state.last_processed_mtime.clone();
        self.check_peer()?;
        let mut entries = SortedMap::new();
        let mut shown: SortedMap<DocName, Vec<Piece>> = SortedMap::new();
        let mut limit = i64::MAX;
        for source in &pass.sources {
            let journal = DocName::parse(source.name.as_str())?;
            if source.name.starts_with(JournalName::ARCHIVED) {
                return refused(&journal, Refusal::JournalGone);
            }
            let known = entries.remove(&journal).or_else(|| self.earlier.ledger.get(&journal));
            // By its hash too: what stands there now may be as long, and another dream's.
            let is_it = |piece: &&Piece| {
                (piece.from, piece.to, piece.sha256) == (source.from, source.to, Some(source.sha256))
            };
            let piece = known.as_ref().and_then(|entry| entry.pieces().iter().find(is_it)).cloned();
            limit = limit.min(self.modified_before(&journal)?);
            let (Some(mut entry), Some(piece)) = (known.clone(), piece) else {
                return refused(&journal, self.why_unknown(&journal, source, known.as_ref()));
            };
            self.check(&journal, &piece)?;
            entry.retain_pieces(|other| *other != piece);
            entries.insert(journal.clone(), entry);
            shown.entry(journal).or_default().push(piece);
        }

        let order = self.order();
        let kept = Kept {
            id: id.clone(),
            at: self.now,
            section: String::from_utf8_lossy(&self.earlier.memory.bytes()[range.clone()]).into_owned(),
            place: self.earlier.undone.place_of(self.earlier.memory.bytes(), id, &range, &order),
            shown,
            mark: self
                .still_undone(id)
                .filter_map(|kept| kept.mark.clone())
                .chain(mark.clone())
                .max_by_key(watermark_ns),
            limit,
        };
        let mut state = self.earlier.state.clone();
        state.last_processed_mtime = lower(mark.clone(), limit);
        let change = Change::Undo { name: self.earlier.name.clone(), kept, order, mark };
        let line = pass.then(log::UNDONE, self.now, self.day, self.lease.epoch());
        self.earlier.keep_preimage(self.now)?;
        let intent = Intent::new(Books::of_state(entries, state), line).with_change(change);
        self.remove_briefing(id)?;
        self.commit(&intent)?;
        Ok(true)
    }

    /// Returns why a cursor does not have what a dream read: a part of it was given back, or the journal changed.
    fn why_unknown(&self, journal: &DocName, source: &LogSource, known: Option<&Entry>) -> Refusal {
        let stands = |from, to, sha256| {
            hash_range(self.earlier.workspace, journal, from..to).ok().is_some_and(|now| sha256 == Some(now))
        };
        // It may have been dropped long after the dream.
        let Some(known) = known else { return Refusal::JournalChanged };
        let mut read = 0;
        for piece in known.pieces() {
            let part = piece.to.min(source.to).saturating_sub(piece.from.max(source.from));
            if part > 0 && !stands(piece.from, piece.to, piece.sha256) {
                return Refusal::JournalChanged;
            }
            read += part;
        }
        if read < source.to - source.from && stands(source.from, source.to, Some(source.sha256)) {
            Refusal::GivenBack
        } else {
            Refusal::JournalChanged
        }
    }

    /// Removes the briefing of a dream; one that a person wrote or edited stays. The next night writes another.
    fn remove_briefing(&self, id: &DreamId) -> Result<()> {
        let page = self.earlier.workspace.read(&DocName::BRIEFING)?;
        if page.and_then(|page| briefing::dream(page.bytes())).as_ref() == Some(id) {
            self.lease.remove(&DocName::BRIEFING)?;
        }
        Ok(())
    }

    fn redo(&self, id: &DreamId) -> Result<bool> {
        let Some(pass) = self.earlier.pass(id) else {
            return refused(&StateName::LOG, Refusal::UnknownDream);
        };
        if curated::has_section(self.earlier.memory.bytes(), id) {
            return Ok(false);
        }
        if curated::has_mark(self.earlier.memory.bytes(), id) {
            return refused(&self.earlier.name, Refusal::SectionEdited);
        }
        if self.earlier.is_archived(id)? {
            return refused(&DocName::DREAMED, Refusal::SectionArchived);
        }
        if !self.earlier.is_undone(id) {
            return self.restore(pass);
        }
        let Some(kept) = self.earlier.undone.get(id) else {
            return refused(&StateName::UNDONE, Refusal::NothingKept);
        };
        if session::forgotten(self.earlier.workspace)?.is_some_and(|forgotten| forgotten.holds(&kept.section))
        {
            return refused(&self.earlier.name, Refusal::Forgotten);
        }
        self.check_peer()?;

        let mut entries = SortedMap::new();
        for (journal, pieces) in &kept.shown {
            let mut entry: Entry = self.earlier.ledger.get(journal).unwrap_or_default();
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
        let mut state = self.earlier.state.clone();
        if raised.as_ref().and_then(watermark_ns) > state.watermark_ns() {
            state.last_processed_mtime = raised;
        }
        let change =
            Change::Redo { name: self.earlier.name.clone(), kept: kept.clone(), order: self.order() };
        let line = pass.then(log::REDONE, self.now, self.day, self.lease.epoch());
        self.earlier.keep_preimage(self.now)?;
        let intent = Intent::new(Books::of_state(entries, state), line).with_change(change);
        self.commit(&intent)?;
        Ok(true)
    }

    /// Appends a section again that is gone although nobody took its dream back: an editor saved over it.
    fn restore(&self, pass: &LogLine) -> Result<bool> {
        let Some(section) = self.earlier.undone.appended(&pass.id) else {
            return refused(&self.earlier.name, Refusal::SectionGone);
        };
        if session::forgotten(self.earlier.workspace)?.is_some_and(|forgotten| forgotten.holds(section)) {
            return refused(&self.earlier.name, Refusal::Forgotten);
        }
        self.check_known(section)?;
        let append = Append::new(self.earlier.name.clone(), section.to_owned(), self.earlier.memory.bytes());
        let line = pass.then(log::RESTORED, self.now, self.day, self.lease.epoch());
        let books = Books::unchanged(&self.earlier.ledger, self.earlier.state.clone());
        self.commit(&Intent::new(books, line).with_append(append))?;
        Ok(true)
    }

    /// Returns the dreams of the file in the order in which they were appended: existing sections and undone dreams.
    fn order(&self) -> Vec<DreamId> {
        let appends = |line: &&LogLine| [log::APPENDED, log::RESTORED].contains(&line.outcome.as_str());
        let appended = self.earlier.log.iter().filter(appends);
        let all: Vec<&DreamId> = appended.map(|line| &line.id).gather();
        let standing = sections::whole(self.earlier.memory.bytes()).into_iter().map(|section| section.dream);
        // What looks like a section, and is none that the log knows, is a person's text.
        let standing = standing.filter(|id| all.contains(&id));
        let mut order: Vec<DreamId> =
            standing.chain(self.earlier.undone.dreams().iter().map(|kept| kept.id.clone())).gather();
        order::sort_by_key(&mut order, |id| all.iter().rposition(|known| *known == id));
        order::dedup(&mut order);
        order
    }

    /// Returns the kept parts of the other dreams that were taken back.
    fn still_undone(&self, id: &DreamId) -> impl Iterator<Item = &Kept> {
        self.earlier
            .undone
            .dreams()
            .iter()
            .filter(move |kept| kept.id != *id && self.earlier.is_undone(&kept.id))
    }

    /// Looks whether nothing of a section is in memory or in the archive: else it would be there twice.
    fn check_known(&self, section: &str) -> Result<()> {
        let archive = commit::archive(self.earlier.workspace)?;
        let texts = [(&self.earlier.name, self.earlier.memory.bytes()), (&DocName::DREAMED, &archive)];
        let mut known = KnownStatements::default();
        for (number, (_, text)) in texts.iter().enumerate() {
            known.take(&String::from_utf8_lossy(text), number);
        }
        let said_again = lines(section).find_map(|line| known.says(&Heard::of(line)));
        said_again.map_or(Ok(()), |number| refused(texts[number].0, Refusal::SaidAgain))
    }

    /// Looks whether the watermark is ours. Below a peer's, the next run counts as read what was dreamed there. A
    /// watermark of ours in its place would have it dreamed once more.
    fn check_peer(&self) -> Result<()> {
        let ours = self.earlier.ledger.watermark.as_ref().and_then(watermark_ns);
        if self.earlier.state.watermark_ns() > ours {
            refused(&StateName::DREAMED, Refusal::PeerAhead)
        } else {
            Ok(())
        }
    }

    /// Returns the highest watermark under which a journal waits, in milliseconds.
    fn modified_before(&self, journal: &DocName) -> Result<i64> {
        match self.earlier.workspace.metadata(journal)? {
            Some(metadata) => Ok((nanoseconds(metadata.modified) - 1).div_euclid(1_000_000)),
            None => refused(journal, Refusal::JournalGone),
        }
    }

    /// Looks whether the bytes that were shown still are in their journal.
    fn check(&self, journal: &DocName, piece: &Piece) -> Result<()> {
        let stands = hash_range(self.earlier.workspace, journal, piece.from..piece.to)?;
        if piece.sha256 == Some(stands) { Ok(()) } else { refused(journal, Refusal::JournalChanged) }
    }

    fn commit(&self, intent: &Intent) -> Result<()> {
        commit::commit(self.earlier.workspace, self.lease, intent).map(drop)
    }
}

/// Returns a watermark, or the limit where that is lower.
fn lower(mark: Option<Number>, limit: i64) -> Option<Number> {
    mark.map(|mark| {
        let is_over = watermark_ns(&mark).is_some_and(|mark| mark > limit.saturating_mul(1_000_000));
        if is_over { Number::from(limit) } else { mark }
    })
}
