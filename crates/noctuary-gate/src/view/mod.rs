//! A text with its disguises undone, one after the other: the secrets that a reader still can take out of it.
//!
//! It sees these, within a megabyte of text at a time. Characters: invisible ones, and ones that look like others.
//! Pieces: over lines and cells of a table, in marks of markdown and tags, in strings that a program joins or lists.
//! Letters with one separator between each two. Escapes of addresses, HTML, strings, markdown, style sheets and mail.
//! Codes: base64, base32, hexadecimal digits and decimal bytes of text in UTF-8, in runs of any length, 64 KiB at
//! once. Base64 and hexadecimal digits are also read as UTF-16. Disguises on top of each other are undone in this
//! order. Decoded or unescaped text is looked at once more from the beginning. At most two decodings and four
//! disguises in all are undone.
//!
//! It does not see these. Text that is reversed, encrypted, compressed, translated or described. Letters that
//! replace others. Other codes, as base 58 and base 85. Pieces with words between them, in variables or fields of
//! their own, or over documents. Two or three letters between separators. Lines with one plain word each, as in a
//! mnemonic that is cut within its words.

mod base32;
mod base64;
mod decimal;
mod decoded;
mod escaped;
mod hex;
mod island;
mod joined;
mod lookalike;
mod plain;
mod quoted;
mod spaced;
mod undo;

pub use escaped::escape_at;
pub use lookalike::{as_drawn, letter_like};

pub(super) use island::Island;
pub(super) use joined::{is_date, is_word};
pub(super) use plain::is_plain;
pub(super) use undo::{Disguised, Undone, parts, undo};
