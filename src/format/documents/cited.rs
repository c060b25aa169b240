//! The places that a line cites.

use super::journal::JournalName;
use crate::base::name::DocName;
use crate::base::sorted::SortedSet;
use crate::format::replies::reply::Citation;

/// A cited place: a journal, and its first and last line.
pub(crate) type Cited = (DocName, u64, u64);

/// Returns the places that a line cites, without those that are no document's.
pub(crate) fn cited(citations: Vec<Citation>) -> SortedSet<Cited> {
    let place = |cited: Citation| Some((cited.name?, cited.first_line, cited.last_line));
    citations.into_iter().filter_map(place).collect()
}

/// Returns the place under which lines are compared. The place of a journal is in the archive, since two machines may
/// archive it at different times.
pub(crate) fn compared((name, first_line, last_line): &Cited) -> Cited {
    let archived = JournalName::parse(name).and_then(|journal| journal.archived(1).ok());
    (archived.unwrap_or_else(|| name.clone()), *first_line, *last_line)
}
