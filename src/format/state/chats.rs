//! The messages of chats that were imported, `.dreaming.d/chats.jsonl`.
//!
//! ```text
//! {"chat":"f7a81a846e6d","day":"2026-11-21","len":1834,"messages":["0f3a9c5be2d1"]}
//! ```
//!
//! There is one line for each journal that an import added to. It has a hash of the chat's id, the length of the journal after
//! it, and a hash of each message. The ids of the chat and of the message are hashed with its words. Sessions of Claude Code copy
//! messages of earlier ones. So their hashes have the format's name in place of the chat's id. A second hash has the time in
//! place of the message's id. A line that a crash tore is passed over: the next import finds the messages in the journal. Two
//! copies of the file merge as a union of lines.

use std::collections::HashSet;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::base::digest::Hasher;
use crate::base::gather::Gather as _;
use crate::base::sorted::{SortedMap, SortedSet};

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct ChatsLine {
    chat: String,
    day: NaiveDate,
    len: u64,
    messages: Vec<String>,
}

/// All that was imported of chats.
#[derive(Default)]
pub(crate) struct ImportedChats {
    chats: SortedMap<String, ImportedChat>,
    /// The messages of all chats together.
    messages: HashSet<u64>,
}

/// All that was imported of one chat.
#[derive(Default)]
struct ImportedChat {
    messages: SortedSet<u64>,
    /// The length of the journal of each day after the last import.
    lens: SortedMap<NaiveDate, u64>,
}

/// The number of bits of a hash: 12 hexadecimal digits.
const BITS: u32 = 48;

/// Returns the hash of a message.
pub(crate) fn message_hash(fields: &[&str]) -> u64 {
    let mut hasher = Hasher::new();
    for field in fields {
        hasher.field(field.as_bytes());
    }
    let digest = hasher.finish();
    digest.as_bytes()[..8].iter().fold(0, |hash, byte| hash << 8 | u64::from(*byte)) >> (64 - BITS)
}

impl ImportedChats {
    /// Returns the hash of the id of a chat, which may hold words: the name of a file.
    fn key(chat: &str) -> String {
        format!("{:012x}", message_hash(&[chat]))
    }

    /// Takes a line of the file in.
    pub(crate) fn take(&mut self, line: &[u8]) {
        let Ok(line) = serde_json::from_slice::<ChatsLine>(line) else { return };
        let hashes = line.messages.iter().filter_map(|hash| u64::from_str_radix(hash, 16).ok());
        self.add(line.chat, line.day, line.len, hashes);
    }

    fn add(&mut self, chat: String, day: NaiveDate, len: u64, hashes: impl Iterator<Item = u64>) {
        let chat = self.chats.entry(chat).or_default();
        chat.lens.insert(day, len);
        for hash in hashes {
            self.messages.insert(hash);
            chat.messages.insert(hash);
        }
    }

    /// Returns whether any message of a chat was imported.
    pub(crate) fn has(&self, chat: &str) -> bool {
        self.chats.contains_key(&Self::key(chat))
    }

    /// Returns whether a message was imported.
    pub(crate) fn knows(&self, chat: &str, hash: u64) -> bool {
        self.chats.get(&Self::key(chat)).is_some_and(|chat| chat.messages.contains(&hash))
    }

    /// Returns whether a message was imported in any chat: a session that goes on under another id copies the messages before.
    pub(crate) fn knows_anywhere(&self, hash: u64) -> bool {
        self.messages.contains(&hash)
    }

    /// Returns the length that a journal had after the last import; 0 where none is known.
    pub(crate) fn len(&self, chat: &str, day: NaiveDate) -> u64 {
        self.chats.get(&Self::key(chat)).and_then(|chat| chat.lens.get(&day)).copied().unwrap_or(0)
    }

    /// Adds the messages of one journal, and returns their line of the file.
    pub(crate) fn learn(&mut self, chat: &str, day: NaiveDate, len: u64, hashes: &[u64]) -> String {
        let chat = Self::key(chat);
        self.add(chat.clone(), day, len, hashes.iter().copied());
        let messages = hashes.iter().map(|hash| format!("{hash:012x}")).gather();
        let line = ChatsLine { chat, day, len, messages };
        serde_json::to_string(&line).expect("names and numbers print") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_and_a_torn_one_is_passed_over() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        let (mut chats, hash) = (ImportedChats::default(), message_hash(&["a", "words"]));
        assert_ne!(hash, message_hash(&["aw", "ords"]));
        let line = chats.learn("codex-1", day, 40, &[hash, 7]);
        let mut read = ImportedChats::default();
        for cut in 0..line.len() - 1 {
            read.take(&line.as_bytes()[..cut]);
            assert!(!read.has("codex-1"), "cut at {cut}");
        }
        read.take(line.as_bytes());
        assert!(read.knows("codex-1", hash) && read.knows("codex-1", 7) && !read.knows("codex-2", 7));
        assert!(read.knows_anywhere(hash) && read.knows_anywhere(7) && !read.knows_anywhere(8));
        assert_eq!((read.len("codex-1", day), read.len("codex-1", day.succ_opt().unwrap())), (40, 0));
    }
}
