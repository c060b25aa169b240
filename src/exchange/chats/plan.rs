//! The plan of an import of chats, or its result.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::Serialize;

use crate::base::debug::debug_as;
use crate::base::sorted::SortedMap;

/// The plan of an import of chats, or its result: it says what is added to journals, and all that stays out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatPlan {
    /// Conversations with something new, in the order in which they were read.
    pub chats: Vec<ChatItem>,
    /// The number of conversations that are in the journals already, as a whole.
    pub unchanged: u64,
    /// The number of messages that are added, without titles: the parts of a message with one speaker count as one each.
    pub messages: u64,
    /// The number of messages without a readable time, in conversations that bring something new. Each has the day of the one before it, and the first ones that of the
    /// conversation.
    pub undated: u64,
    /// The number of bytes that are added to journals.
    pub bytes: u64,
    /// The kinds of messages and parts that stay out of conversations that bring something new, and how many of each there are.
    pub left_out: Vec<ChatLeftOut>,
    /// Parts of the export that cannot be read; the others come in.
    pub refused: Vec<ChatRefused>,
    /// The classes of findings in the imported messages, each with its number of messages: masked secrets, suspicious
    /// text.
    pub found: BTreeMap<String, u64>,
    /// Whether it was carried out.
    pub applied: bool,
}

/// A conversation with something new.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatItem {
    /// The name of the format and the id of the conversation: the names of its journals have it.
    pub id: String,
    /// Its title; empty where it has none.
    pub title: String,
    /// Whether none of its messages was imported before.
    pub is_new: bool,
    /// The days of the messages that are added, ascending.
    pub days: Vec<NaiveDate>,
    /// The number of messages that are added, without the title.
    pub messages: u64,
    /// The number of bytes that are added.
    pub bytes: u64,
}

debug_as!(ChatItem, |it| "ChatItem {{ {}, {} messages on {} days }}", it.id, it.messages, it.days.len());

/// A kind of messages or parts that stay out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatLeftOut {
    /// The kind: `calls of tools`.
    pub what: String,
    /// The number.
    pub count: u64,
}

/// A part of an export that cannot be read.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatRefused {
    /// The file, with the number of the conversation in it: `conversations.json#17`.
    pub place: String,
    /// The title of the conversation, else its id; empty where neither can be read.
    pub title: String,
    /// Why.
    pub reason: String,
    /// The number of such parts: 1 for a conversation, more for lines of one file. If a file has over a hundred such
    /// conversations, the rest are counted together.
    pub count: u64,
}

debug_as!(ChatRefused, |it| "ChatRefused {{ {}, {}, {} times }}", it.place, it.reason, it.count);

/// The most conversations of a file that are named for one reason.
const MAX_NAMED: usize = 100;

/// The messages and parts that stay out, as they are counted.
#[derive(Default)]
pub(super) struct LeftOut {
    /// The counts of the conversation that is read.
    counts: SortedMap<&'static str, u64>,
    pub(super) undated: u64,
    /// The counts of all conversations before it that have something new.
    told: SortedMap<&'static str, u64>,
    told_undated: u64,
    refused: SortedMap<(String, &'static str), Refused>,
}

/// The parts of a file that are refused for one reason.
#[derive(Default)]
struct Refused {
    /// The first conversations, each with its number and what it is called.
    named: Vec<(usize, String)>,
    /// All others.
    others: u64,
}

impl LeftOut {
    pub(super) fn count(&mut self, what: &'static str, number: u64) {
        if number > 0 {
            *self.counts.entry(what).or_default() += number;
        }
    }

    /// Ends a conversation. Nothing is told of one that was not asked for, or that brings nothing new.
    pub(super) fn end_chat(&mut self, is_told: bool) {
        let (counts, undated) = (std::mem::take(&mut self.counts), std::mem::take(&mut self.undated));
        if is_told {
            self.told_undated += undated;
            for (what, number) in counts {
                *self.told.entry(what).or_default() += number;
            }
        }
    }

    /// Returns how many of a kind stay out of the conversation so far.
    pub(super) fn counted(&self, what: &'static str) -> u64 {
        self.counts.get(what).copied().unwrap_or_default()
    }

    /// Counts as it did before, for a conversation that is refused as a whole.
    pub(super) fn count_again(&mut self, what: &'static str, number: u64) {
        if let Some(count) = self.counts.get_mut(what) {
            *count = number;
        }
    }

    /// Refuses a file of which nothing comes in: for this reason in place of another one, unless there are further ones.
    pub(super) fn refuse_whole(&mut self, file: &str, other: &'static str, reason: &'static str) {
        self.refused.remove(&(file.to_owned(), other));
        if !self.refused.keys().any(|(known, _)| known == file) {
            self.refuse(file, reason);
        }
    }

    /// Refuses a file, or a line of it.
    pub(super) fn refuse(&mut self, file: &str, reason: &'static str) {
        self.refused.entry((file.to_owned(), reason)).or_default().others += 1;
    }

    /// Refuses a conversation by its number in a file; `title` is what it is called, as far as that can be read.
    pub(super) fn refuse_chat(&mut self, file: &str, number: usize, title: String, reason: &'static str) {
        let refused = self.refused.entry((file.to_owned(), reason)).or_default();
        if refused.named.len() < MAX_NAMED {
            refused.named.push((number, title));
        } else {
            refused.others += 1;
        }
    }

    /// Tells of all of it; `passed` lets a title pass as those do that come in.
    pub(super) fn tell(mut self, plan: &mut ChatPlan, passed: &dyn Fn(&str) -> String) {
        self.end_chat(true);
        let left = |(what, count): (&'static str, u64)| ChatLeftOut { what: what.to_owned(), count };
        plan.undated = self.told_undated;
        plan.left_out.extend(self.told.into_iter().filter(|(_, count)| *count > 0).map(left));
        for ((file, reason), refused) in self.refused {
            for (number, title) in refused.named {
                plan.refused.push(ChatRefused {
                    place: format!("{file}#{number}"),
                    title: passed(&title),
                    reason: reason.to_owned(),
                    count: 1,
                });
            }
            if refused.others > 0 {
                plan.refused.push(ChatRefused {
                    place: file,
                    title: String::new(),
                    reason: reason.to_owned(),
                    count: refused.others,
                });
            }
        }
    }
}
