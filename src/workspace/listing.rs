//! The names in a folder, and the facts about a document without reading it.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::order;
use crate::base::text;

/// The names in a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// The documents, ascending.
    pub documents: Vec<DocName>,
    /// The folders, ascending.
    pub folders: Vec<DocName>,
    /// Names without a place in a workspace: symbolic links, devices, names that are not document names. Lossy text.
    pub refused: Vec<String>,
    /// Names that differ in case or composition only, and would be one on another machine.
    pub collisions: Vec<(DocName, DocName)>,
}

impl Listing {
    /// Sorts, and finds the names that differ in case or composition only. For implementers of [`Workspace::list`](crate::Workspace::list).
    #[must_use]
    pub fn new(mut documents: Vec<DocName>, mut folders: Vec<DocName>, mut refused: Vec<String>) -> Self {
        // Stable sorts, here and below, since they are quick on what is nearly sorted already.
        order::sort(&mut documents);
        order::sort(&mut folders);
        order::sort(&mut refused);
        Self::of_ascending(documents, folders, refused)
    }

    /// Finds the names that differ in case or composition only, of names that ascend already.
    pub(crate) fn of_ascending(documents: Vec<DocName>, folders: Vec<DocName>, refused: Vec<String>) -> Self {
        debug_assert!(documents.is_sorted() && folders.is_sorted() && refused.is_sorted());
        let collisions = collisions(documents.iter().chain(&folders));
        Self { documents, folders, refused, collisions }
    }
}

/// Returns the pairs that differ in case or composition only, of names that differ.
fn collisions<'a>(names: impl Iterator<Item = &'a DocName> + Clone) -> Vec<(DocName, DocName)> {
    // Most are in lower case already, and no two of those are one in it.
    if names.clone().all(|name| is_folded(name.as_str())) {
        return Vec::new();
    }
    let mut folded: Vec<(Cow<'_, str>, &DocName)> = names.map(|name| (folded(name.as_str()), name)).gather();
    order::sort(&mut folded);
    let is_one = |pair: &&[(Cow<'_, str>, &DocName)]| pair[0].0 == pair[1].0;
    folded.windows(2).filter(is_one).map(|pair| (pair[0].1.clone(), pair[1].1.clone())).gather()
}

/// Without a branch for each byte, since it is asked of every name.
fn is_folded(text: &str) -> bool {
    text.bytes().fold(true, |all, byte| all & byte.is_ascii() & !byte.is_ascii_uppercase())
}

fn folded(text: &str) -> Cow<'_, str> {
    if is_folded(text) { Cow::Borrowed(text) } else { Cow::Owned(text::same_name(text)) }
}

/// The length and time of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// Its length in bytes.
    pub len: u64,
    /// When it was last changed, as precisely as the backend knows.
    pub modified: DateTime<Utc>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_or_composition_are_reported() {
        let name = |text| DocName::parse(text).unwrap();
        let listing =
            Listing::new(vec![name("memory.md"), name("MEMORY.md"), name("SOUL.md")], vec![], vec![]);
        assert_eq!(listing.collisions, [(name("MEMORY.md"), name("memory.md"))]);
        let (parted, composed) = (name("notes/z\u{30c}.md"), name("notes/ž.md"));
        let listing = Listing::new(vec![composed.clone(), parted.clone()], vec![], vec![]);
        assert_eq!(listing.collisions, [(parted, composed)]);
    }
}
