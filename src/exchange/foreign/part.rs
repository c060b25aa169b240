//! A part of an export, and what the readers of all formats need.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use serde_json::Value;

use crate::format::Origin;
use crate::memory::{NewMemory, Source};

/// A part of an export, under the name that a plan shows.
pub(in crate::exchange) struct Taken<'b> {
    pub(in crate::exchange) shown: String,
    pub(in crate::exchange) what: What<'b>,
}

/// The meaning of a part of an export to a bundle.
pub(in crate::exchange) enum What<'b> {
    /// A file of a bundle of ours, at its path.
    File { path: String, bytes: Cow<'b, [u8]>, is_deprecated: bool },
    /// A row, and when it was written.
    Row { memory: Box<NewMemory>, at: Option<DateTime<Utc>> },
    /// Nothing that could come in, and why.
    Bad(String),
}

impl<'b> Taken<'b> {
    pub(super) fn bad(shown: impl Into<String>, why: impl Into<String>) -> Self {
        Self { shown: shown.into(), what: What::Bad(why.into()) }
    }

    /// A file of a bundle as it is.
    pub(in crate::exchange) fn file(path: &str, bytes: &'b [u8]) -> Self {
        let what = What::File { path: path.to_owned(), bytes: Cow::Borrowed(bytes), is_deprecated: false };
        Self { shown: path.to_owned(), what }
    }

    pub(super) fn row(shown: String, memory: NewMemory, at: Option<DateTime<Utc>>) -> Self {
        Self { shown, what: What::Row { memory: Box::new(memory), at } }
    }
}

/// The person whose memories are wanted of an export.
#[derive(Clone, Copy)]
pub(in crate::exchange) struct Owner<'a> {
    /// The name that a person gave.
    pub(in crate::exchange) asked: Option<&'a str>,
    /// The user of the home, who counts where the export has several and none was named.
    pub(in crate::exchange) home: &'a str,
}

/// Makes a row of words that came from elsewhere. Nothing of what an export says of itself raises its trust.
pub(super) fn imported(category: &str, content: &str, notes: Option<Value>) -> NewMemory {
    let mut memory =
        NewMemory::new(category, content.trim(), Source::Imported).origin(Origin::Import).because(REASON);
    memory.metadata = notes;
    memory
}

/// The reason of such a row in the audit.
pub(in crate::exchange) const REASON: &str = "memory_import.unsigned";

/// Reads a moment of another program. One without a zone is taken as UTC.
pub(in crate::exchange) fn moment(value: Option<&Value>) -> Option<DateTime<Utc>> {
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
pub(super) fn words<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value.get(field)?.as_str().filter(|text| !text.trim().is_empty())
}

/// Returns a word as a category: one line, without what the store keeps for itself.
pub(super) fn category(word: &str) -> Option<String> {
    let plain: String =
        word.chars().map(|c| if c.is_control() || "[]<>".contains(c) { ' ' } else { c }).collect();
    let plain = plain.trim();
    (!plain.is_empty() && plain.len() <= 128).then(|| plain.to_owned())
}
