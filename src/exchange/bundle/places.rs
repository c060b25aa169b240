//! The places of a bundle: the paths of what it has once, and those of documents.

use crate::base::name::DocName;

pub(in crate::exchange) const INDEX: &str = "index.md";
pub(in crate::exchange) const DECISIONS: &str = "facts/decisions.jsonl";
pub(in crate::exchange) const STONES: &str = "tombstones.json";
pub(in crate::exchange) const DOCUMENT_STONES: &str = "tombstones-of-documents.json";
pub(in crate::exchange) const OUTCOMES: &str = "methodologies/outcomes.json";
pub(in crate::exchange) const EDGES: &str = "edges.jsonl";
pub(in crate::exchange) const PAGES: &str = "pages/";
/// The pages of assets. Only a build with the words of traders writes them here, and none reads them.
pub(in crate::exchange) const ASSETS: &str = "assets/";
pub(in crate::exchange) const PREFERENCES_README: &str = "preferences/README.md";
const DOCUMENTS: &str = "documents/";
/// The documents of `.self/`, since a bundle has no hidden names.
const DOTTED: &str = "documents-of-dot/";

/// Returns whether a file is made of others, and is read by no import.
pub(in crate::exchange) fn is_derived(path: &str) -> bool {
    path == EDGES || path == PREFERENCES_README || path.starts_with(PAGES) || path.starts_with(ASSETS)
}

pub(super) fn document_path(name: &DocName) -> String {
    match name.as_str().strip_prefix('.') {
        Some(rest) => format!("{DOTTED}{rest}"),
        None => format!("{DOCUMENTS}{name}"),
    }
}

pub(in crate::exchange) fn document_name(path: &str) -> Option<DocName> {
    let name = match path.strip_prefix(DOTTED) {
        Some(rest) => format!(".{rest}"),
        None => path.strip_prefix(DOCUMENTS)?.to_owned(),
    };
    DocName::parse(name).ok()
}
