//! The result of a request to forget, place by place.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::debug::debug_as;
use crate::base::name::DocName;

/// A place where something that is remembered may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ForgetPlace {
    /// The rows of a memory store.
    Rows,
    /// Its profile.
    Profile,
    /// Learnings.
    Learnings,
    /// Methods.
    Methods,
    /// Cases of methods, and the ids of outcomes.
    Cases,
    /// Preferences.
    Preferences,
    /// Notes of roles.
    RoleNotes,
    /// The mirror of trades, raw records included.
    Mirror,
    /// Its text index.
    TextIndex,
    /// Its record of what was decided about rows, and its audit.
    Decisions,
    /// Edges from rows to the names in them.
    Edges,
    /// Compiled pages that are kept in memory.
    Pages,
    /// Embeddings.
    Vectors,
    /// The index over documents: what it still held of documents when the request was run.
    DocumentIndex,
    /// Journals.
    Journals,
    /// `MEMORY.md`.
    Memory,
    /// `observations.md`.
    Observations,
    /// All other documents.
    Documents,
    /// Earlier versions of documents.
    Versions,
    /// Changes that wait for a person's word.
    Proposals,
    /// The ledger of dreams, and the journals in quarantine.
    Ledgers,
    /// The log of passes.
    Logs,
    /// Charts, spreadsheets and reports.
    Artifacts,
    /// Files that people handed over.
    Files,
    /// Prompts of sessions under way.
    Sessions,
    /// Copies elsewhere: exports, other homes.
    Exports,
    /// Records elsewhere, and the history of a repository.
    Backups,
}

impl ForgetPlace {
    /// All places.
    pub const ALL: [Self; 27] = [
        Self::Rows,
        Self::Profile,
        Self::Learnings,
        Self::Methods,
        Self::Cases,
        Self::Preferences,
        Self::RoleNotes,
        Self::Mirror,
        Self::TextIndex,
        Self::Decisions,
        Self::Edges,
        Self::Pages,
        Self::Vectors,
        Self::DocumentIndex,
        Self::Journals,
        Self::Memory,
        Self::Observations,
        Self::Documents,
        Self::Versions,
        Self::Proposals,
        Self::Ledgers,
        Self::Logs,
        Self::Artifacts,
        Self::Files,
        Self::Sessions,
        Self::Exports,
        Self::Backups,
    ];

    /// Returns whether nobody can look there, or nothing of the kind is kept.
    fn is_out_of_reach(self) -> bool {
        matches!(
            self,
            Self::Pages
                | Self::Vectors
                | Self::Artifacts
                | Self::Files
                | Self::Sessions
                | Self::Exports
                | Self::Backups
        )
    }

    /// Returns the note for a place where nobody looked.
    fn unseen(self) -> &'static str {
        match self {
            Self::Rows
            | Self::Profile
            | Self::Learnings
            | Self::Methods
            | Self::Cases
            | Self::Preferences
            | Self::RoleNotes
            | Self::Mirror
            | Self::TextIndex
            | Self::Decisions
            | Self::Edges => "no memory store was given",
            Self::Pages => "no pages were given",
            Self::Artifacts => "no store of artifacts was given",
            Self::Files => "no store of files was given",
            Self::Vectors => "no memory store was given, or it keeps none",
            Self::DocumentIndex => "no index was given",
            Self::Sessions => "out of reach: a session keeps the prompt that it began with",
            Self::Exports | Self::Backups => "out of reach: whoever made them must look",
            _ => "no workspace was given",
        }
    }
}

impl fmt::Display for ForgetPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Rows => "rows",
            Self::Profile => "profile",
            Self::Learnings => "learnings",
            Self::Methods => "methods",
            Self::Cases => "cases",
            Self::Preferences => "preferences",
            Self::RoleNotes => "notes of roles",
            Self::Mirror => "mirrored trades",
            Self::TextIndex => "text index",
            Self::Decisions => "decisions",
            Self::Edges => "edges",
            Self::Pages => "compiled pages",
            Self::Vectors => "vectors",
            Self::DocumentIndex => "document index",
            Self::Journals => "journals",
            Self::Memory => "MEMORY.md",
            Self::Observations => "observations",
            Self::Documents => "other documents",
            Self::Versions => "earlier versions",
            Self::Proposals => "proposals",
            Self::Ledgers => "ledgers",
            Self::Logs => "logs",
            Self::Artifacts => "artifacts",
            Self::Files => "files",
            Self::Sessions => "sessions under way",
            Self::Exports => "exports",
            Self::Backups => "backups",
        })
    }
}

/// The result in one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlaceReceipt {
    /// The place.
    pub place: ForgetPlace,
    /// The number of occurrences found.
    pub found: u64,
    /// The number of occurrences removed.
    pub removed: u64,
    /// Words that may still be there, and why; `None` where there are none.
    pub left: Option<Cow<'static, str>>,
    /// The rows of a store that said it, for the human of the session alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<RowReceipt>,
}

/// A row that said a statement which was forgotten.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RowReceipt {
    /// Its id; 0 for a value of the profile, which has a name.
    pub row: i64,
    /// The first words of it, without the statement.
    pub words: String,
    /// Whether it still says the rest; else it was removed whole.
    pub is_kept: bool,
}

debug_as!(
    RowReceipt,
    |it| "RowReceipt {{ row: {}, {} bytes, is_kept: {} }}",
    it.row,
    it.words.len(),
    it.is_kept
);

impl fmt::Display for RowReceipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { row, words, is_kept } = self;
        let end = if *is_kept { "says the rest" } else { "was removed" };
        match row {
            0 => write!(f, "a value {end}: {words}"),
            row => write!(f, "row {row} {end}: {words}"),
        }
    }
}

impl PlaceReceipt {
    /// Makes the receipt of a place: the number of occurrences found and removed. Nothing may still be there.
    #[must_use]
    pub fn new(place: ForgetPlace, found: u64, removed: u64) -> Self {
        Self { place, found, removed, left: None, rows: Vec::new() }
    }

    fn is_unseen(&self) -> bool {
        self.left.as_deref() == Some(self.place.unseen())
    }

    /// Returns whether somebody looked, and words may still be there.
    pub(crate) fn is_left(&self) -> bool {
        !self.is_unseen() && (self.left.is_some() || self.removed < self.found)
    }

    /// Adds a reason for words that may still be there to those that are known.
    pub(crate) fn also_left(&mut self, why: impl Into<Cow<'static, str>>) {
        let why = why.into();
        self.left = Some(match self.left.take() {
            None => why,
            Some(known) if known.split("; ").any(|known| known == why) => known,
            Some(known) => format!("{known}; {why}").into(),
        });
    }

    /// Says why words may still be there.
    #[must_use]
    pub fn left(mut self, why: impl Into<Cow<'static, str>>) -> Self {
        self.left = Some(why.into());
        self
    }
}

/// The result of a request to forget: every place, also those that could not be reached. It holds nothing of what was
/// forgotten; rows that said it are named by other words of theirs. Printed, it has a line for each place with a find.
/// Places where nobody looked share a line by reason.
///
/// ```
/// use noctuary::exchange::{ForgetPlace, ForgetReceipt};
/// use noctuary::memory::PlaceReceipt;
///
/// let mut receipt = ForgetReceipt::new(chrono::DateTime::UNIX_EPOCH);
/// receipt.set(PlaceReceipt::new(ForgetPlace::Rows, 2, 2));
/// assert!(receipt.place(ForgetPlace::Rows).left.is_none());
/// let printed = receipt.to_string();
/// assert!(printed.starts_with("rows                 2 found,   2 removed\n"));
/// assert!(printed.lines().any(|line| line.contains("backups") && line.contains("out of reach")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ForgetReceipt {
    /// When.
    pub at: DateTime<Utc>,
    /// Each place once, in the order of [`ForgetPlace::ALL`]. As JSON it has the places with something to tell alone.
    #[serde(with = "told")]
    pub places: Vec<PlaceReceipt>,
    /// The documents that held it, ascending. Hidden files are counted in their place alone.
    pub documents: Vec<DocumentReceipt>,
    /// For an erased person: rows (`memories/12`) and lines (`memory/2026-11-20.md#L4`) of others that name them, and stay.
    /// Ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<String>,
}

/// The places of a receipt that something was found in, or is left to say of.
mod told {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::{ForgetPlace, PlaceReceipt};

    pub(super) fn serialize<S: Serializer>(places: &[PlaceReceipt], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(places.iter().filter(|line| line.found > 0 || line.left.is_some()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PlaceReceipt>, D::Error> {
        let told = Vec::<PlaceReceipt>::deserialize(from)?;
        let mut places = Vec::with_capacity(ForgetPlace::ALL.len());
        for place in ForgetPlace::ALL {
            let line = told.iter().find(|line| line.place == place);
            places.push(line.cloned().unwrap_or_else(|| PlaceReceipt::new(place, 0, 0)));
        }
        Ok(places)
    }
}

/// The result in one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DocumentReceipt {
    /// The document.
    pub name: DocName,
    /// The number of occurrences found.
    pub found: u64,
    /// The number of occurrences removed.
    pub removed: u64,
}

impl DocumentReceipt {
    pub(crate) fn new(name: DocName, found: u64, removed: u64) -> Self {
        Self { name, found, removed }
    }
}

impl ForgetReceipt {
    /// Makes a receipt for which nobody has looked anywhere yet.
    #[must_use]
    pub fn new(at: DateTime<Utc>) -> Self {
        let unseen = |place: ForgetPlace| PlaceReceipt::new(place, 0, 0).left(place.unseen());
        Self { at, places: ForgetPlace::ALL.map(unseen).into(), documents: Vec::new(), mentions: Vec::new() }
    }

    /// Replaces the result for a place.
    pub fn set(&mut self, receipt: PlaceReceipt) {
        if let Some(line) = self.places.iter_mut().find(|line| line.place == receipt.place) {
            *line = receipt;
        }
    }

    /// Adds a result to the earlier ones of its place.
    pub(crate) fn add(&mut self, receipt: PlaceReceipt) {
        if let Some(line) = self.places.iter_mut().find(|line| line.place == receipt.place) {
            if line.is_unseen() {
                line.left = None;
            }
            line.found += receipt.found;
            line.removed += receipt.removed;
            line.rows.extend(receipt.rows);
            if let Some(why) = receipt.left {
                line.also_left(why);
            }
        }
    }

    /// Returns the result in a place.
    #[must_use]
    pub fn place(&self, place: ForgetPlace) -> &PlaceReceipt {
        self.places.iter().find(|line| line.place == place).expect("each place has a line")
    }

    /// Returns whether it is gone from the workspace, a memory store and an index: all were given
    /// ([`unasked`](Self::unasked)), and nothing may still be where the request looked ([`left`](Self::left)). Artifacts,
    /// handed-over files, vectors and pages count where their store was given: give each that the host has. Prompts of
    /// sessions under way, exports and backups are out of reach. A link and a repository of the workspace are never opened,
    /// so this is `false` as long as the workspace has one.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.unasked().next().is_none() && self.left().next().is_none()
    }

    /// Returns the places at which nobody looked, since no memory store, no workspace or no index was given. A host without a store
    /// always finds its places here, and may ask whether [`left`](Self::left) is empty instead of
    /// [`is_gone`](Self::is_gone).
    pub fn unasked(&self) -> impl Iterator<Item = &PlaceReceipt> {
        self.places.iter().filter(|line| !line.place.is_out_of_reach() && line.is_unseen())
    }

    /// Returns the places at which somebody looked, and where it may still be.
    pub fn left(&self) -> impl Iterator<Item = &PlaceReceipt> {
        self.places.iter().filter(|line| line.is_left())
    }
}

impl fmt::Display for ForgetReceipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut unseen, mut told) = (Vec::new(), Vec::new());
        for line in &self.places {
            if line.is_unseen() {
                unseen.push(line);
            } else if line.found > 0 || line.left.is_some() {
                told.push(line);
            }
        }
        if told.is_empty() {
            writeln!(f, "nothing was found")?;
        }
        for PlaceReceipt { place, found, removed, left, rows } in told {
            write!(f, "{place:<18} {found:>3} found, {removed:>3} removed")?;
            match left {
                Some(why) => writeln!(f, ": {why}")?,
                None => writeln!(f)?,
            }
            for row in rows {
                writeln!(f, "    {row}")?;
            }
        }
        for (line, next) in unseen.iter().zip(1..) {
            write!(f, "{}", line.place)?;
            match unseen.get(next) {
                Some(next) if next.left == line.left => f.write_str(", ")?,
                _ => writeln!(f, ": {}", line.left.as_deref().unwrap_or_default())?,
            }
        }
        Ok(())
    }
}

/// The receipt for a life that was erased, or would be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EraseReceipt {
    /// The tables that held something of it, each with the number of its rows.
    pub rows: BTreeMap<String, u64>,
    /// Whether they were removed.
    pub erased: bool,
    /// Why bytes of it may be left in the file; `None` where nothing is.
    pub left: Option<&'static str>,
}

impl EraseReceipt {
    /// Returns the number of all rows.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.rows.values().sum()
    }
}

impl fmt::Display for EraseReceipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.erased { "erased" } else { "would erase" };
        for (table, count) in &self.rows {
            writeln!(f, "{verb} {count} of {table}")?;
        }
        if let Some(left) = self.left {
            writeln!(f, "left: {left}")?;
        }
        f.write_str("out of reach: backups, exports, git, and the logs of a model's provider")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_has_a_line_for_every_place_and_reads_back() {
        let mut receipt = ForgetReceipt::new(DateTime::UNIX_EPOCH);
        assert!(!receipt.is_gone(), "nobody looked anywhere");
        assert_eq!((receipt.unasked().count(), receipt.left().count()), (20, 0));
        assert!(receipt.places.iter().all(|line| line.left.is_some()));
        receipt.set(PlaceReceipt::new(ForgetPlace::Journals, 3, 1).left("not asked for"));
        assert_eq!((receipt.unasked().count(), receipt.left().count()), (19, 1));
        let mut gone = receipt.clone();
        for place in ForgetPlace::ALL.into_iter().filter(|place| !place.is_out_of_reach()) {
            gone.set(PlaceReceipt::new(place, 2, 2));
        }
        assert!(gone.is_gone());
        gone.set(PlaceReceipt::new(ForgetPlace::TextIndex, 2, 2).left("the log of the file"));
        assert!(!gone.is_gone(), "what is left is left, whatever was removed");
        let json = serde_json::to_string(&receipt).unwrap();
        assert_eq!(serde_json::from_str::<ForgetReceipt>(&json).unwrap(), receipt);
        let told = receipt.to_string();
        assert!(told.starts_with("journals             3 found,   1 removed: not asked for\n"), "{told}");
        assert!(ForgetPlace::ALL.iter().all(|place| told.contains(&place.to_string())), "{told}");
        assert!(told.lines().count() < 15, "places alike share a line: {told}");
        for place in ForgetPlace::ALL {
            receipt.set(PlaceReceipt::new(place, 0, 0));
        }
        assert_eq!(receipt.to_string(), "nothing was found\n");
    }
}
