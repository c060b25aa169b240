//! Values that are one word in JSON, as columns of a table have them: a kind, an actor, a revision.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Returns the value that has this word; `None` where none has it.
pub(crate) fn from_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_slice(&serde_json::to_vec(word).ok()?).ok()
}

/// Returns the word of a value; an empty one where JSON has more than a word for it.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn to_word(value: &impl Serialize) -> String {
    let json = serde_json::to_vec(value).unwrap_or_default();
    serde_json::from_slice(&json).unwrap_or_default()
}
