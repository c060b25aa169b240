//! Forgotten statements, known again without being kept.
//!
//! A statement is buried as a keyed hash of its words in their order. Only letters, digits and the signs that
//! distinguish names and numbers count: `C` and `C++` differ. So do `1.5` and `15`, and `5` and `-5`. Case, white
//! space, line breaks, punctuation around words, emphasis, escapes and invisible characters do not count. So a
//! statement is found however it is wrapped or quoted. Scripts that write no spaces are taken character by character.
//!
//! It is found in each spelling. Composition, case, compatible forms (`ﬁ`, half-width kana), and points of Hebrew and
//! Arabic do not count. Nor do entities of HTML, escapes of JSON and addresses, and lookalike letters of another
//! script. Other marks tell letters apart: `zoe` is not `zoë`.
//!
//! Only the words themselves are known again. A paraphrase or a translation is not, nor a statement with other words
//! inside it, such as the target of a link.

mod key;
mod spelling;
mod stones;
mod words;

pub use key::TombstoneKey;
#[cfg(feature = "exchange")]
pub(crate) use stones::mark;
pub(crate) use stones::{FORGOTTEN, is_struck, signature, statement_signature};
pub use stones::{Tombstone, Tombstones};
