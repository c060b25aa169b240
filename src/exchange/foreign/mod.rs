//! Memory of other programs, as their exports have it: read into entries that are judged like those of a bundle.

mod letta;
mod mem0;
pub(super) mod okf;
mod part;

use serde::{Deserialize, Serialize};

use super::bundle::Bundle;
pub(super) use part::{Owner, REASON, Taken, What, moment};

/// A format of another program.
///
/// | format | what is read | what it becomes |
/// |---|---|---|
/// | [`Mem0`](Self::Mem0) | `.json` and `.jsonl`: a list, or `results` or `memories` with one | a row each |
/// | [`Letta`](Self::Letta) | `.af` and `.json`: blocks of core memory, messages | a row for each paragraph and message |
/// | [`Okf`](Self::Okf) | a folder of markdown with frontmatter, version 0.2 | rows of our own export; any other concept is a document |
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Foreign {
    /// The memories of mem0, as its API, its library and its exports print them.
    Mem0,
    /// An agent file of Letta.
    Letta,
    /// The Open Knowledge Format.
    Okf,
}

impl Foreign {
    /// Reads the parts of an export. `owner` is whose memories are wanted where it has those of several.
    pub(super) fn parts<'b>(self, bundle: &'b Bundle, owner: Owner<'_>) -> Vec<Taken<'b>> {
        match self {
            Self::Mem0 => mem0::parts(bundle, owner),
            Self::Letta => letta::parts(bundle),
            Self::Okf => okf::parts(bundle),
        }
    }
}
