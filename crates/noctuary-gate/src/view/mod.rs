//! A text with its disguises undone, one after the other: the secrets that a reader still can take out of it.
//!
//! Seen, within a megabyte of text at a time: characters that are not seen or that look like others; pieces over lines
//! and cells of a table, in marks of markdown and tags, in strings that a program puts together or lists; letters with
//! one separator between each two; escapes of addresses, HTML, strings, markdown, style sheets and mail; base64,
//! base32, hexadecimal digits and decimal bytes, of text in UTF-8 (base64 and hexadecimal digits of UTF-16 too), in
//! runs of any length, 64 KiB at once. Where one disguise is put on another, they are undone in this order. Decoded or
//! unescaped text is looked at once more from the beginning. Two decodings are undone, and four disguises in all.
//!
//! Not seen: what is reversed, encrypted, compressed, translated or described; letters that stand for others; other
//! codes, as base 58 and base 85; pieces that are parted by words, in variables or fields of their own, or over
//! documents; two or three letters between separators; lines with one plain word each, as those of a mnemonic cut
//! within its words.

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
