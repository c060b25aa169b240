//! Journals and their archived forms: which documents were journals of one name.
//!
//! A journal in `memory/archive/` has lost its name, and another one may have that name by now. So names say only which documents may be
//! one journal; their entries say which are.

use std::collections::{BTreeMap, BTreeSet};

use super::life::Copied;
use crate::base::name::DocName;
use crate::format::JournalName;

/// Journals of one name, and what is in an archive under the names that they get there.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Family {
    /// The documents: those in the archive in the order of their numbers, then journals.
    pub(super) documents: Vec<DocName>,
    /// The number of documents in the archive.
    pub(super) archived: usize,
}

/// Returns whether a document is a journal in the archive.
pub(super) fn is_archived(name: &DocName) -> bool {
    name.as_str().starts_with(JournalName::ARCHIVED)
}

/// Returns the families of lives with at least one document in an archive.
pub(super) fn families(lives: &[&Copied]) -> Vec<Family> {
    let names: BTreeSet<&DocName> = lives.iter().flat_map(|life| life.documents.keys()).collect();
    if !names.iter().any(|name| is_archived(name)) {
        return Vec::new();
    }
    let mut journals: BTreeMap<DocName, Vec<DocName>> = BTreeMap::new();
    for name in &names {
        let first = JournalName::parse(name).and_then(|journal| journal.archived(1).ok());
        if let Some(first) = first {
            journals.entry(first).or_default().push((*name).clone());
        }
    }
    let mut archives: BTreeMap<DocName, Vec<(u32, DocName)>> = BTreeMap::new();
    for name in names.into_iter().filter(|name| is_archived(name)) {
        let (first, number) = if journals.contains_key(name) { (name.clone(), 1) } else { numbered(name) };
        archives.entry(first).or_default().push((number, name.clone()));
    }
    let family = |(first, mut archived): (DocName, Vec<(u32, DocName)>)| {
        archived.sort();
        let mut documents: Vec<DocName> = archived.into_iter().map(|(_, name)| name).collect();
        let count = documents.len();
        documents.extend(journals.remove(&first).unwrap_or_default());
        Family { documents, archived: count }
    };
    archives.into_iter().map(family).collect()
}

/// Returns the name that the first journal of a name has in the archive, and which of them this one is.
fn numbered(name: &DocName) -> (DocName, u32) {
    let parts = name.as_str().strip_suffix(".md").and_then(|stem| {
        let (front, number) = stem.rsplit_once('-')?;
        let number: u32 = number.parse().ok().filter(|number| *number > 1)?;
        Some((DocName::parse(format!("{front}.md")).ok()?, number))
    });
    // What is in front of the number is a date at least.
    let parts = parts.filter(|(first, _)| is_archived(first));
    parts.unwrap_or_else(|| (name.clone(), 1))
}

/// Returns the documents of a life that a journal of this name may be: itself, and what is in the archive.
pub(super) fn candidates(life: &Copied, name: &DocName) -> Vec<DocName> {
    let mut all: Vec<DocName> = Vec::new();
    if life.documents.contains_key(name) {
        all.push(name.clone());
    }
    if let Some(journal) = JournalName::parse(name) {
        let archives = (1..=MOST).filter_map(|count| journal.archived(count).ok());
        all.extend(archives.filter(|archive| life.documents.contains_key(archive)));
    }
    all
}

/// The most journals of one name in an archive that are looked at.
const MOST: u32 = 30;
