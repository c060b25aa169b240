//! Sessions of programs that keep a line of JSON for each event: Claude Code, the Codex CLI, OpenClaw.
//!
//! ```text
//! {"type":"user","uuid":"a","sessionId":"6f0c","timestamp":"…","isSidechain":false,"message":{"role":"user","content":"Paint?"}}
//! {"type":"session_meta","timestamp":"…","payload":{"id":"6f0c"}}
//! {"type":"response_item","timestamp":"…","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Paint?"}]}}
//! {"type":"session","id":"6f0c","timestamp":"…"}
//! {"type":"message","id":"a","timestamp":"…","message":{"role":"toolResult","toolName":"exec","content":[{"type":"text","text":"ok"}]}}
//! ```
//!
//! A file is a session, and its lines are in the order in which the person saw them. Parents do not say what was seen. A
//! compaction, and tools that run side by side, begin branches, and the person sees each branch.

use std::io::{BufRead, Read};

use serde_json::Value;

use super::chat::{
    Chat, HIDDEN, MAX_CHAT, NOT_THIS, NOT_UTF8, SUBAGENTS, THINKING, TOO_LARGE, Take, UNKNOWN, is_set,
    moment, tool, word,
};
use super::format::{ChatFormat, INDEX};
use super::pieces::{Piece, Pieces};
use super::plan::LeftOut;
use super::source::Place;
use crate::base::error::Result;
use crate::base::sorted::SortedSet;
use crate::format::Origin;

const NO_JSON: &str = "lines that are no JSON, or are not complete yet";
const NO_LIST: &str = "the list of sessions cannot be read, so none of them comes in; mend or remove it";
const OTHERS: &str = "sessions with others, or without a person";

/// Reads the sessions of a program.
pub(super) struct Sessions {
    format: ChatFormat,
    /// The ids of sessions with others, or without a person.
    others: SortedSet<String>,
    /// The ids of all other sessions of the list, which has the last one of each chat.
    known: SortedSet<String>,
    /// Whether a list of sessions could not be read: nobody knows then which of them have a person.
    is_unlisted: bool,
}

impl Sessions {
    pub(super) fn new(format: ChatFormat) -> Self {
        Self { format, others: SortedSet::new(), known: SortedSet::new(), is_unlisted: false }
    }

    /// Reads a file.
    pub(super) fn read(
        &mut self,
        place: Place<'_>,
        reader: &mut dyn BufRead,
        left: &mut LeftOut,
        take: Take<'_>,
    ) -> Result<()> {
        if place.name.rsplit('/').next() == Some(INDEX) {
            return self.index(place, reader, left);
        }
        let mut chat = Chat::new(self.format, place.stem());
        let (mut pieces, mut buffer, mut is_any, mut is_named) =
            (Pieces::new(reader), Vec::new(), false, false);
        loop {
            match pieces.line(&mut buffer) {
                Err(error) => return place.failed(error, left),
                Ok(None) => break,
                Ok(Some(Piece::Whole)) => {}
                Ok(Some(_)) => {
                    left.refuse(place.name, TOO_LARGE);
                    continue;
                }
            }
            if buffer.trim_ascii().is_empty() {
                continue;
            }
            let Ok(text) = std::str::from_utf8(&buffer) else {
                left.refuse(place.name, NOT_UTF8);
                continue;
            };
            let Ok(line) = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) else {
                left.refuse(place.name, NO_JSON);
                continue;
            };
            is_any = true;
            let id = self.line(&mut chat, &line, left).filter(|id| !is_named && !id.is_empty());
            if let Some(id) = id {
                id.clone_into(&mut chat.id);
                is_named = true;
            }
            if chat.bytes > MAX_CHAT {
                break;
            }
        }
        if !is_any {
            left.refuse_whole(place.name, NO_JSON, NOT_THIS);
            return Ok(());
        }
        let is_listed = self.format != ChatFormat::OpenClaw || self.known.contains(chat.id.as_str());
        if self.is_unlisted || self.others.contains(chat.id.as_str()) || !is_listed && is_with_others(&chat) {
            left.count(OTHERS, 1);
            return Ok(());
        }
        chat.give(place, 0, left, take)
    }

    /// Reads the list of OpenClaw's sessions: keys as `agent:main:telegram:group:-100`, each with the id of its session.
    fn index(&mut self, place: Place<'_>, reader: &mut dyn BufRead, left: &mut LeftOut) -> Result<()> {
        let mut bytes = Vec::new();
        if let Err(error) = reader.take(MAX_CHAT as u64).read_to_end(&mut bytes) {
            self.is_unlisted = true;
            return place.failed(error, left);
        }
        let Ok(Value::Object(sessions)) = serde_json::from_slice(&bytes) else {
            left.refuse(place.name, NO_LIST);
            self.is_unlisted = true;
            return Ok(());
        };
        let is_other = |key: &str| {
            key.split(':').any(|part| matches!(part, "group" | "channel" | "subagent" | "cron" | "hook"))
        };
        for (key, session) in &sessions {
            let ids = if is_other(key) { &mut self.others } else { &mut self.known };
            ids.insert(word(session, "sessionId").to_owned());
        }
        Ok(())
    }

    /// Reads a line, and returns the id of the session where it says so.
    fn line<'l>(&self, chat: &mut Chat, line: &'l Value, left: &mut LeftOut) -> Option<&'l str> {
        let at = moment(line.get("timestamp"));
        chat.begun = chat.begun.or(at);
        match self.format {
            ChatFormat::Codex => codex(chat, line, left),
            ChatFormat::OpenClaw => openclaw(chat, line, left),
            _ => claude_code(chat, line, left),
        }
    }
}

/// Returns whether an OpenClaw session that no list names is one with others, or without a person, by what is put in front of messages:
/// `[Channel Group id:-1 2026-01-05 10:00 UTC] Name: words` in a group, without a name where one person writes. Where this is so of
/// each message, all are words of others.
fn is_with_others(chat: &Chat) -> bool {
    let mut is_any = false;
    for message in chat.messages.iter().filter(|message| message.origin == Origin::User) {
        let Some((head, words)) = message.text.strip_prefix('[').and_then(|text| text.split_once(']')) else {
            is_any |= IN_GROUP.iter().any(|said| message.text.contains(said));
            continue;
        };
        if head.starts_with("cron:") || head.starts_with(SINCE_REPLY) {
            return true;
        }
        // Another bracket than that of a channel has no time.
        if !head.contains(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let name = words.lines().next().unwrap_or_default().split_once(": ").map(|(name, _)| name.trim());
        if !name.is_some_and(|name| !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS) {
            return false;
        }
        is_any = true;
    }
    is_any
}

/// The longest name in front of words.
const MAX_NAME_CHARS: usize = 64;

/// The words in front of what a group said since the last reply.
const SINCE_REPLY: &str = "Chat messages since your last reply";

/// The words by which newer versions name a message in a group.
const IN_GROUP: [&str; 2] = ["\"is_group_chat\": true", "\"is_group_chat\":true"];

fn claude_code<'l>(chat: &mut Chat, line: &'l Value, left: &mut LeftOut) -> Option<&'l str> {
    let origin = match word(line, "type") {
        "user" => Origin::User,
        "assistant" => Origin::Agent,
        "summary" => {
            word(line, "summary").clone_into(&mut chat.title);
            return None;
        }
        // Snapshots of files, hooks, queues, notices.
        _ => return None,
    };
    let id = Some(word(line, "sessionId"));
    if is_set(line, "isSidechain") {
        left.count(SUBAGENTS, 1);
    } else if is_set(line, "isMeta") || is_set(line, "isCompactSummary") {
        left.count(HIDDEN, 1);
    } else {
        let content = line.get("message").and_then(|message| message.get("content"));
        let parts = chat.parts(content.unwrap_or(&Value::Null), &origin, left);
        chat.say(word(line, "uuid"), moment(line.get("timestamp")), parts, left);
    }
    id
}

fn codex<'l>(chat: &mut Chat, line: &'l Value, left: &mut LeftOut) -> Option<&'l str> {
    // The first versions wrote items without a wrapper, and the id without a type.
    let payload = line.get("payload").unwrap_or(line);
    let is_first = line.get("type").is_none() && line.get("record_type").is_none();
    match word(line, "type") {
        "session_meta" => return Some(word(payload, "id")),
        _ if is_first => return Some(word(line, "id")),
        // What is shown and counted beside the items, and items of a compaction again.
        "event_msg" | "turn_context" | "compacted" => return None,
        _ => {}
    }
    let content = |field| payload.get(field).unwrap_or(&Value::Null);
    let parts = match word(payload, "type") {
        "message" => match word(payload, "role") {
            "user" => chat.parts(content("content"), &Origin::User, left),
            "assistant" => chat.parts(content("content"), &Origin::Agent, left),
            _ => {
                left.count(HIDDEN, 1);
                return None;
            }
        },
        "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call" => {
            let name = Some(word(payload, "name")).filter(|name| !name.is_empty()).unwrap_or("shell");
            chat.call(word(payload, "call_id"), name, left);
            return None;
        }
        "function_call_output" | "custom_tool_call_output" => {
            let known = chat.tools.get(word(payload, "call_id")).cloned();
            chat.parts(&output(content("output")), &Origin::Tool(known.unwrap_or_default()), left)
        }
        "reasoning" => {
            left.count(THINKING, 1);
            return None;
        }
        _ => {
            left.count(UNKNOWN, 1);
            return None;
        }
    };
    let at = line.get("timestamp");
    // Most items have no id, and their time tells them apart.
    let id = [word(payload, "id"), word(line, "timestamp")].into_iter().find(|id| !id.is_empty());
    chat.say(id.unwrap_or_default(), moment(at), parts, left);
    None
}

/// Returns the words of an output, which older versions put into an object, and that into a text.
fn output(value: &Value) -> Value {
    let inner = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let object = inner.as_ref().filter(|inner| inner.is_object()).unwrap_or(value);
    let words = ["output", "content"].iter().find_map(|field| object.get(*field));
    words.unwrap_or(value).clone()
}

fn openclaw<'l>(chat: &mut Chat, line: &'l Value, left: &mut LeftOut) -> Option<&'l str> {
    match word(line, "type") {
        "session" => return Some(word(line, "id")),
        "message" => {}
        // Changes of the model, compactions, labels.
        _ => return None,
    }
    let message = line.get("message")?;
    let origin = match word(message, "role") {
        "user" => Origin::User,
        "assistant" => Origin::Agent,
        "toolResult" => tool(word(message, "toolName")),
        _ => {
            left.count(HIDDEN, 1);
            return None;
        }
    };
    let parts = chat.parts(message.get("content").unwrap_or(&Value::Null), &origin, left);
    let at = moment(line.get("timestamp")).or_else(|| moment(message.get("timestamp")));
    chat.say(word(line, "id"), at, parts, left);
    None
}
