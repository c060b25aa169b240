//! Forgotten statements, known again without being kept.
//!
//! A statement is buried as a keyed hash of its words in their order. Only these count: letters, digits and the
//! signs that tell names and numbers apart: `C` and `C++`, `1.5` and `15`, `5` and `-5` are different. Case, white
//! space, line breaks, punctuation around words, emphasis, escapes and invisible characters do not count, so a
//! statement is found however it is wrapped and wherever it is quoted. Scripts that write no spaces are taken
//! character by character.
//!
//! It is found in each spelling: composed and decomposed, in the other case of its letters, in compatible forms (`ﬁ`, half-width
//! kana), as entities of HTML and as escapes of JSON and of addresses, in letters of another script that look the same, with the
//! points of Hebrew and Arabic and without. Other marks tell letters apart: `zoe` is not `zoë`.
//!
//! Only the words themselves are known again: a paraphrase, a translation, and a statement whose words are
//! parted by others (the target of a link in its middle) are not.

mod key;
mod spelling;
mod stones;
mod words;

pub use key::TombstoneKey;
pub(crate) use stones::{FORGOTTEN, is_struck, signature, statement_signature};
pub use stones::{Tombstone, Tombstones};
