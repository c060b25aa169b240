//! Pieces that were shown, carried along when a document is rewritten.
//!
//! The ledger, the log, undone dreams, proposals and the quarantine know pieces of journals by their places and hashes. After a
//! rewrite of a journal, one function corrects all of them, so that they still name the same bytes.

use super::ledger::{Ledger, Piece};
use super::log::{self, LogSource};
use super::proposal::Proposals;
use super::undone::Undone;
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, StateName};
use crate::base::sorted::{SortedMap, SortedSet};
use crate::base::spread::Spread;
use crate::format::documents::sections::{self, SectionState};
use crate::format::{DreamId, JournalName, Quarantine};

/// The state files that know pieces.
pub(crate) const FILES: [StateName; 5] =
    [StateName::LEDGER, StateName::LOG, StateName::UNDONE, StateName::PROPOSALS, StateName::QUARANTINE];

/// Where pieces and sections are after a rewrite.
pub(crate) trait Carry {
    /// Returns where a piece is now, in as many parts as it is in. `None` where it is as it was, or nobody knows.
    fn piece(&self, piece: &LogSource) -> Option<Vec<LogSource>>;

    /// Returns the hash that the section of a dream has now, where it has another one.
    fn section(&self, dream: &DreamId, printed: Digest) -> Option<Digest>;

    /// Returns the journals whose pieces may be elsewhere.
    fn journals(&self) -> Vec<&DocName>;
}

/// Returns a state file as it is after a rewrite; `None` where nothing of it changes.
///
/// # Errors
///
/// [`Error::Corrupt`](crate::Error::Corrupt) for a file that does not parse.
pub(crate) fn carried(name: &StateName, bytes: &[u8], carry: &dyn Carry) -> Result<Option<Vec<u8>>> {
    Ok(match name {
        name if *name == StateName::LEDGER => {
            let mut ledger = Ledger::parse(Some(bytes))?;
            let mut changed = false;
            for name in carry.journals() {
                let Some(mut entry) = ledger.get(name) else { continue };
                if entry.change_pieces(&|shown| of_pieces(name, shown, carry)) {
                    ledger.apply([(name, &entry)]);
                    changed = true;
                }
            }
            changed.then(|| ledger.print())
        }
        name if *name == StateName::LOG => in_log(&String::from_utf8_lossy(bytes), carry),
        name if *name == StateName::UNDONE => {
            let mut undone = Undone::parse(Some(bytes))?;
            let shown = undone.shown_mut();
            let changed = shown.fold(false, |changed, shown| of_journals(shown, carry) | changed);
            changed.then(|| undone.print())
        }
        name if *name == StateName::QUARANTINE => in_quarantine(bytes, carry),
        _ => {
            let mut proposals = Proposals::parse(Some(bytes))?;
            let all = proposals.sources_mut();
            let changed = all.fold(false, |changed, sources| of_sources(sources, carry) | changed);
            changed.then(|| proposals.print())
        }
    })
}

/// Carries what the log knows. Its other lines stay byte for byte.
fn in_log(text: &str, carry: &dyn Carry) -> Option<Vec<u8>> {
    let (mut all, mut is_changed) = (String::with_capacity(text.len()), false);
    for printed in text.split_inclusive('\n') {
        let line = log::parse(printed).next();
        let changed = line.and_then(|mut line| {
            let mut changed = of_sources(&mut line.sources, carry);
            for hash in line.section_sha256.iter_mut().chain(&mut line.also_sha256) {
                if let Some(now) = carry.section(&line.id, *hash) {
                    *hash = now;
                    changed = true;
                }
            }
            changed.then(|| line.print())
        });
        is_changed |= changed.is_some();
        all.push_str(changed.as_deref().unwrap_or(printed));
    }
    is_changed.then(|| all.into_bytes())
}

/// Carries the journals of a quarantine, which a person edits: one that does not parse is left to them.
fn in_quarantine(bytes: &[u8], carry: &dyn Carry) -> Option<Vec<u8>> {
    let mut quarantine = Quarantine::parse(Some(bytes)).ok()?;
    let mut changed = false;
    for file in quarantine.files_mut() {
        let piece = LogSource { name: file.name.to_string(), from: 0, to: file.len, sha256: file.sha256 };
        // One that is in parts now is held as a whole.
        if let Some([now]) = carry.piece(&piece).as_deref()
            && (now.from, now.to) == (0, file.len)
        {
            file.sha256 = now.sha256;
            changed = true;
        }
    }
    changed.then(|| quarantine.print_over(Some(bytes)))
}

fn of_sources(sources: &mut Vec<LogSource>, carry: &dyn Carry) -> bool {
    let mut changed = false;
    let now = sources.iter().spread(|source| {
        let now = carry.piece(source);
        changed |= now.is_some();
        now.unwrap_or_else(|| vec![source.clone()])
    });
    let now: Vec<LogSource> = now.gather();
    *sources = now;
    changed
}

/// Carries the pieces of journals. A piece whose bytes are another journal's now stays as it is.
fn of_journals(shown: &mut SortedMap<DocName, Vec<Piece>>, carry: &dyn Carry) -> bool {
    shown.iter_mut().fold(false, |changed, (name, pieces)| of_pieces(name, pieces, carry) | changed)
}

/// Carries pieces of a journal, those with a hash.
fn of_pieces(name: &DocName, pieces: &mut Vec<Piece>, carry: &dyn Carry) -> bool {
    let mut changed = false;
    let now = std::mem::take(pieces).into_iter().spread(|piece| {
        let now = piece.sha256.and_then(|sha256| {
            let source = LogSource { name: name.to_string(), from: piece.from, to: piece.to, sha256 };
            let now = carry.piece(&source)?;
            now.iter().all(|part| part.name == source.name).then_some(now)
        });
        changed |= now.is_some();
        let part = |part: LogSource| Piece {
            from: part.from,
            to: part.to,
            sha256: Some(part.sha256),
            // Words are overwritten, line breaks never.
            breaks: piece.breaks.filter(|_| (part.from, part.to) == (piece.from, piece.to)),
        };
        now.map_or_else(|| vec![piece.clone()], |now| now.into_iter().map(part).gather())
    });
    let now: Vec<Piece> = now.gather();
    *pieces = now;
    changed
}

/// Documents in which words are overwritten, each as it was and as it is then, of the same length.
pub(crate) struct Overwritten<'b> {
    documents: Vec<(DocName, &'b [u8], Vec<u8>)>,
    /// The dreams whose sections are in one of them.
    dreams: SortedSet<DreamId>,
}

impl<'b> Overwritten<'b> {
    /// Makes it of documents; the copy of a document that a sync tool left has the name of that document.
    pub(crate) fn of(documents: Vec<(DocName, &'b [u8], Vec<u8>)>) -> Self {
        let curated = documents.iter().filter(|(name, ..)| is_curated(name));
        let dreams = curated.spread(|(_, before, _)| sections::whole(before)).map(|section| section.dream);
        Self { dreams: dreams.collect(), documents }
    }
}

impl Carry for Overwritten<'_> {
    fn piece(&self, piece: &LogSource) -> Option<Vec<LogSource>> {
        let range = usize::try_from(piece.from).ok()?..usize::try_from(piece.to).ok()?;
        let now = |(name, before, after): &(DocName, &[u8], Vec<u8>)| {
            let may_be = piece.name == name.as_str() || name.as_str().starts_with(JournalName::ARCHIVED);
            let is_it = may_be && Digest::of(before.get(range.clone())?) == piece.sha256;
            is_it.then_some(Digest::of(after.get(range.clone())?))
        };
        let sha256 = self.documents.iter().find_map(now).filter(|now| *now != piece.sha256)?;
        Some(vec![LogSource { sha256, ..piece.clone() }])
    }

    fn section(&self, dream: &DreamId, printed: Digest) -> Option<Digest> {
        if !self.dreams.contains(dream) {
            return None;
        }
        let mut documents = self.documents.iter().filter(|(name, ..)| is_curated(name));
        let now =
            |(_, before, after): &(DocName, &[u8], Vec<u8>)| match sections::find(before, dream, printed) {
                SectionState::Whole(range) => Some(Digest::of(after.get(range)?)),
                _ => None,
            };
        documents.find_map(now).filter(|now| *now != printed)
    }

    fn journals(&self) -> Vec<&DocName> {
        self.documents.iter().map(|(name, ..)| name).gather()
    }
}

/// Returns whether sections of dreams are in a document.
pub(crate) fn is_curated(name: &DocName) -> bool {
    [DocName::MEMORY, DocName::LEGACY_MEMORY, DocName::DREAMED].contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_knows_a_piece_knows_it_as_it_is_then() {
        let (before, after) =
            (&b"- a\n- my landlord is Jan\n- b\n"[..], b"- a\n- [forgotten]-------\n- b\n".to_vec());
        assert_eq!(before.len(), after.len());
        let name = DocName::parse("memory/2026-11-20-repl.md").unwrap();
        let [old, new] = [before, &after].map(|bytes| Digest::of(&bytes[4..]).to_string());
        let piece = |hash: &str| format!("\"from\":4,\"to\":29,\"sha256\":\"{hash}\"");
        let id = "0f3a9c5be2d14477";
        let all = |hash: &str| {
            let source = format!("{{\"name\":\"{name}\",{}}}", piece(hash));
            let front = Digest::of(if hash == old { before } else { &after });
            [
                format!(
                    "{{\"v\":1,\"epoch\":1,\"journals\":{{\"{name}\":{{\"shown\":[{{{}}}],\"size\":29,\"modified\":1}}}}}}",
                    piece(hash)
                ),
                format!(
                    "{{\"v\":1,\"at\":\"2026-11-21T03:00:00.000Z\",\"day\":\"2026-11-21\",\"id\":\"{id}\",\"epoch\":1,\"outcome\":\"appended\",\"sources\":[{source}],\"request_bytes\":0}}\nnot a line\n"
                ),
                format!(
                    "{{\"v\":1,\"dreams\":[{{\"id\":\"{id}\",\"at\":\"2026-11-21T03:00:00Z\",\"section\":\"\",\"place\":{{\"before\":{{\"len\":0,\"sha256\":\"{}\"}},\"after\":{{\"len\":0,\"sha256\":\"{0}\"}}}},\"shown\":{{\"{name}\":[{{{}}}]}},\"limit\":0}}]}}",
                    Digest::of(b""),
                    piece(hash)
                ),
                format!(
                    "{{\"v\":1,\"waiting\":[{{\"id\":\"{id}\",\"at\":\"2026-11-21T03:00:00Z\",\"day\":\"2026-11-21\",\"sources\":[{source}],\"lines\":[]}}]}}"
                ),
                format!(
                    "[{{\"pattern\":\"x\",\"log_filenames\":[\"{name}\"],\"files\":[{{\"name\":\"{name}\",\"len\":29,\"sha256\":\"{front}\"}}]}}]"
                ),
            ]
        };
        let carry = Overwritten::of(vec![(name.clone(), before, after.clone())]);
        for (file, (was, is)) in FILES.iter().zip(all(&old).iter().zip(all(&new))) {
            let carried = carried(file, was.as_bytes(), &carry).unwrap().unwrap_or_else(|| panic!("{file}"));
            let carried = String::from_utf8(carried).unwrap();
            let hashes = |text: &str| -> Vec<String> {
                text.split('"').filter(|word| word.len() == 64).map(str::to_owned).collect()
            };
            assert_eq!(hashes(&carried), hashes(&is), "{file}");
            assert!(
                super::carried(file, carried.as_bytes(), &carry).unwrap().is_none(),
                "{file}: once is enough"
            );
        }
        assert_eq!(
            carried(&StateName::QUARANTINE, b"[{,]", &carry).unwrap(),
            None,
            "it is the person's to mend"
        );
    }
}
