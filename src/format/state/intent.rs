//! The intent, `.dreaming.d/intent.json`: a commit that is under way, with all that is needed to finish it.

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::dreamed::DreamedState;
use super::file::StateFile;
use super::ledger::{Entry, Ledger};
use super::log::LogLine;
use super::proposal::ProposalStep;
use super::undone::Kept;
use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::base::sorted::SortedMap;
use crate::format::DreamId;
use crate::format::documents::curated;

/// The version of an intent with a proposal or with a change of an earlier dream. Others are of version 1.
const VERSION: u64 = 2;
const FILE: StateFile = StateFile::sealed(StateName::INTENT, Some(VERSION));

/// The steps of a commit: append, ledger, state, log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Intent {
    v: u64,
    pub(crate) id: DreamId,
    /// The claim that began it.
    pub(crate) epoch: u64,
    /// The section to append, if anything is promoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) append: Option<Append>,
    /// The change of a proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) proposal: Option<ProposalStep>,
    /// The change of an earlier dream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) change: Option<Change>,
    /// The ledger's entries of the journals that were shown.
    pub(crate) ledger: SortedMap<DocName, Entry>,
    /// Entries that the ledger no longer needs.
    pub(crate) forget: Vec<DocName>,
    pub(crate) watermark: Option<Number>,
    pub(crate) state: DreamedState,
    pub(crate) log: LogLine,
}

/// The changes of ledger and state in a commit.
#[derive(Debug, Clone)]
pub(crate) struct Books {
    /// The ledger's entries that change.
    pub(crate) ledger: SortedMap<DocName, Entry>,
    /// Entries that the ledger no longer needs.
    pub(crate) forget: Vec<DocName>,
    pub(crate) watermark: Option<Number>,
    pub(crate) state: DreamedState,
}

impl Books {
    /// Makes the books of a commit in which no journal was shown. A peer's watermark stays a peer's, and one that came
    /// from another machine before its ledger stays ours.
    pub(crate) fn unchanged(ledger: &Ledger, state: DreamedState) -> Self {
        let ours = if state.is_own() { &state.last_processed_mtime } else { &ledger.watermark };
        let watermark = ours.clone();
        Self { ledger: SortedMap::new(), forget: Vec::new(), watermark, state }
    }

    /// Makes the books of a commit whose state gives the watermark.
    pub(crate) fn of_state(ledger: SortedMap<DocName, Entry>, state: DreamedState) -> Self {
        let watermark = state.last_processed_mtime.clone();
        Self { ledger, forget: Vec::new(), watermark, state }
    }
}

/// The change of a dream that was committed earlier. Each names the document that holds curated memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Change {
    /// Its section is taken out and kept, and its journals wait again.
    Undo {
        name: DocName,
        kept: Kept,
        /// The dreams of the document, in their order.
        order: Vec<DreamId>,
        /// The watermark that was before.
        mark: Option<Number>,
    },
    /// Its section goes back to its place, and its journals count as shown again.
    Redo { name: DocName, kept: Kept, order: Vec<DreamId> },
    /// Its section, which was appended to the archive, is taken out.
    Archive { name: DocName },
}

/// A section and where it goes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Append {
    pub(crate) name: DocName,
    pub(crate) section: String,
    sha256: Digest,
    /// The length of the file before, and its hash, by which a torn append is known.
    pub(crate) before_len: u64,
    pub(crate) before_sha256: Digest,
}

debug_as!(Append, |it| "Append {{ name: {}, bytes: {} }}", it.name, it.section.len());

impl Append {
    pub(crate) fn new(name: DocName, section: String, before: &[u8]) -> Self {
        let sha256 = Digest::of(section.as_bytes());
        Self { name, section, sha256, before_len: before.len() as u64, before_sha256: Digest::of(before) }
    }

    /// Has another section appended in the place of this one, which has not begun to be there.
    pub(crate) fn replace_section(&mut self, section: String) {
        self.sha256 = Digest::of(section.as_bytes());
        self.section = section;
    }

    /// Returns its fault, if it has one. Nothing is appended that is not whole, that goes elsewhere than into curated
    /// memory, or that would not be found there afterwards.
    fn fault(&self, id: &DreamId, change: Option<&Change>) -> Option<&'static str> {
        let is_home = match change {
            Some(_) => self.name == DocName::DREAMED,
            None => is_curated(&self.name),
        };
        if Digest::of(self.section.as_bytes()) != self.sha256 {
            Some("its section is not the one that it was made with")
        } else if !is_home {
            Some("its section goes into another document than curated memory")
        } else if !curated::has_section(self.section.as_bytes(), id) {
            Some("its section belongs to another dream")
        } else {
            None
        }
    }

    /// Counts the bytes of the section that an interrupted append left at the end of `memory`. Only if all bytes before
    /// them are untouched.
    pub(crate) fn torn_bytes(&self, memory: &[u8]) -> usize {
        let Ok(before) = usize::try_from(self.before_len) else { return 0 };
        match memory.split_at_checked(before) {
            Some((head, rest))
                if self.section.as_bytes().starts_with(rest) && Digest::of(head) == self.before_sha256 =>
            {
                rest.len()
            }
            _ => 0,
        }
    }
}

fn is_curated(name: &DocName) -> bool {
    [DocName::MEMORY, DocName::LEGACY_MEMORY].contains(name)
}

impl Change {
    /// Returns its fault, if it has one.
    fn fault(&self, intent: &Intent) -> Option<&'static str> {
        let (name, kept, appends) = match self {
            Self::Undo { name, kept, .. } | Self::Redo { name, kept, .. } => (name, Some(kept), false),
            Self::Archive { name } => (name, None, true),
        };
        let is_its_own =
            |kept: &Kept| kept.id == intent.id && curated::has_section(kept.section.as_bytes(), &intent.id);
        if !is_curated(name) {
            Some("it changes another document than curated memory")
        } else if appends != intent.append.is_some() || intent.log.section_sha256.is_none() {
            Some("a part of it is missing, or there is one too many")
        } else if !kept.is_none_or(is_its_own) {
            Some("its section belongs to another dream")
        } else {
            None
        }
    }
}

impl Intent {
    /// Makes a commit that changes the books, told by a line of the log: dream and claim are those of the line.
    pub(crate) fn new(books: Books, log: LogLine) -> Self {
        let Books { ledger, forget, watermark, state } = books;
        let (append, proposal, change) = (None, None, None);
        let (id, epoch) = (log.id.clone(), log.epoch);
        Self { v: 1, id, epoch, append, proposal, change, ledger, forget, watermark, state, log }
    }

    /// Adds a section.
    pub(crate) fn with_append(self, append: Append) -> Self {
        Self { append: Some(append), ..self }
    }

    /// Adds the change of a proposal.
    pub(crate) fn with_proposal(self, step: ProposalStep) -> Self {
        Self { v: VERSION, proposal: Some(step), ..self }
    }

    /// Adds the change of the earlier dream of its line.
    pub(crate) fn with_change(self, change: Change) -> Self {
        Self { v: VERSION, change: Some(change), ..self }
    }

    /// Parses the file; `None` (no file) means that nothing is under way.
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Option<Self>> {
        let Some(intent) = FILE.parse::<Self>(bytes)? else { return Ok(None) };
        let change = intent.change.as_ref();
        let fault = intent.append.as_ref().and_then(|append| append.fault(&intent.id, change));
        let fault = fault.or_else(|| change.and_then(|change| change.fault(&intent)));
        FILE.refuse(fault)?;
        Ok(Some(intent))
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        FILE.print(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_goes_into_curated_memory_and_is_found_there() {
        // An intent of another id was once appended at each try, since its section was never found.
        let id = |text| DreamId::parse(text).unwrap();
        let (own, other) = (id("0123456789abcdef"), id("aaaaaaaaaaaaaaaa"));
        let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        let section = curated::print_section(b"", day, &own, 1, "- x");
        let append = |name| Append::new(name, section.clone(), b"");
        assert_eq!(append(DocName::MEMORY).fault(&own, None), None);
        assert_eq!(append(DocName::LEGACY_MEMORY).fault(&own, None), None);
        assert!(append(DocName::SOUL).fault(&own, None).is_some());
        assert!(append(DocName::DREAMED).fault(&own, None).is_some());
        assert!(append(DocName::MEMORY).fault(&other, None).is_some());
        let archive = Change::Archive { name: DocName::MEMORY };
        assert_eq!(append(DocName::DREAMED).fault(&own, Some(&archive)), None);
        assert!(append(DocName::MEMORY).fault(&own, Some(&archive)).is_some());
    }

    #[test]
    fn a_torn_append_is_known_by_what_stands_before_it() {
        let append = Append::new(DocName::MEMORY, "\n## Dreamed\n".into(), b"# Memory\n");
        assert_eq!(append.torn_bytes(b"# Memory\n"), 0);
        assert_eq!(append.torn_bytes(b"# Memory\n\n## Dr"), 6);
        assert_eq!(append.torn_bytes(b"# Memory\n- edited"), 0);
        assert_eq!(append.torn_bytes(b"# Other!\n\n## Dr"), 0);
        assert_eq!(append.torn_bytes(b"# Mem"), 0);
    }
}
