//! The places of a bundle: the paths of what it has once, and those of documents.

use crate::base::name::DocName;

pub(in crate::exchange) const INDEX: &str = "index.md";
pub(in crate::exchange) const DECISIONS: &str = "facts/decisions.jsonl";
pub(in crate::exchange) const STONES: &str = "tombstones.json";
pub(in crate::exchange) const DOCUMENT_STONES: &str = "tombstones-of-documents.json";
const DOCUMENTS: &str = "documents/";
/// The documents of `.self/`, since a bundle has no hidden names.
const DOTTED: &str = "documents-of-dot/";

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
