//! Memory of other programs, as their exports have it: read into entries that are judged like those of a bundle.

mod letta;
mod mem0;
pub(super) mod okf;

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bundle::Bundle;
use crate::format::Origin;
use crate::memory::{NewMemory, Source};

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

/// A part of an export, under the name that a plan shows.
pub(super) struct Taken<'b> {
    pub(super) shown: String,
    pub(super) what: What<'b>,
}

/// What a part of an export is to a bundle.
pub(super) enum What<'b> {
    /// A file of a bundle of ours, at its path.
    File { path: String, bytes: Cow<'b, [u8]>, is_deprecated: bool },
    /// A row, and when it was written.
    Row { memory: Box<NewMemory>, at: Option<DateTime<Utc>> },
    /// Nothing that could come in, and why.
    Bad(String),
}

impl<'b> Taken<'b> {
    fn bad(shown: impl Into<String>, why: impl Into<String>) -> Self {
        Self { shown: shown.into(), what: What::Bad(why.into()) }
    }

    /// A file of a bundle as it is.
    pub(super) fn file(path: &str, bytes: &'b [u8]) -> Self {
        let what = What::File { path: path.to_owned(), bytes: Cow::Borrowed(bytes), is_deprecated: false };
        Self { shown: path.to_owned(), what }
    }

    fn row(shown: String, memory: NewMemory, at: Option<DateTime<Utc>>) -> Self {
        Self { shown, what: What::Row { memory: Box::new(memory), at } }
    }
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

/// Whose memories are wanted of an export.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    /// The name that a person gave.
    pub(super) asked: Option<&'a str>,
    /// The user of the home, who counts where the export has several and none was named.
    pub(super) home: &'a str,
}

/// Makes a row of words that came from elsewhere. Nothing of what an export says of itself raises its trust.
fn imported(category: &str, content: &str, notes: Option<Value>) -> NewMemory {
    let mut memory =
        NewMemory::new(category, content.trim(), Source::Imported).origin(Origin::Import).because(REASON);
    memory.metadata = notes;
    memory
}

/// The reason of such a row in the audit.
pub(super) const REASON: &str = "memory_import.unsigned";

/// Reads a moment of another program. One without a zone is taken as UTC.
fn moment(value: Option<&Value>) -> Option<DateTime<Utc>> {
    let text = value?.as_str()?.trim();
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Some(at.to_utc());
    }
    let plain = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];
    let plain = plain.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0);
    plain.or_else(day).map(|at| at.and_utc())
}

/// Returns a field that is a text with words in it.
fn words<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value.get(field)?.as_str().filter(|text| !text.trim().is_empty())
}

/// Returns a word as a category: one line, without what the store keeps for itself.
fn category(word: &str) -> Option<String> {
    let plain: String =
        word.chars().map(|c| if c.is_control() || "[]<>".contains(c) { ' ' } else { c }).collect();
    let plain = plain.trim();
    (!plain.is_empty() && plain.len() <= 128).then(|| plain.to_owned())
}
