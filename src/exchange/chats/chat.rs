//! A conversation as its person saw it, whatever format it was read from.

use chrono::{DateTime, Datelike, Utc};
use serde_json::Value;

use super::format::ChatFormat;
use super::plan::LeftOut;
use super::source::Place;
use crate::base::error::Result;
use crate::base::sorted::SortedMap;
use crate::base::text;
use crate::exchange::foreign;
use crate::format::Origin;

/// A conversation.
pub(super) struct Chat {
    format: ChatFormat,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) begun: Option<DateTime<Utc>>,
    /// The messages, in the order in which the person saw them.
    pub(super) messages: Vec<ChatMessage>,
    /// The names of tools by the ids of their calls.
    pub(super) tools: SortedMap<String, String>,
    /// The number of bytes of all messages.
    pub(super) bytes: usize,
}

/// Takes a conversation.
pub(super) type Take<'t> = &'t mut dyn FnMut(Chat, &mut LeftOut) -> Result<()>;

/// A message, or the part of one that has one speaker.
pub(super) struct ChatMessage {
    pub(super) id: String,
    pub(super) at: Option<DateTime<Utc>>,
    pub(super) origin: Origin,
    pub(super) text: String,
}

/// The largest conversation, in bytes of an export or of messages. A larger one is refused; the others come in.
pub(super) const MAX_CHAT: usize = 32 << 20;

/// The number of bytes that is kept of one output of a tool. A line says how much more there was.
const MAX_TOOL_OUTPUT: usize = 8 << 10;

/// The number of bytes that a message takes beside its words, so that many small ones are bounded too.
const MESSAGE: usize = 128;

pub(super) const TOO_LARGE: &str = "it is larger than 32 MiB";
pub(super) const NOT_UTF8: &str = "it is not UTF-8";
pub(super) const NO_WORDS: &str = "no message of it can be read";
const NO_TIME: &str = "none of its times can be read, so nobody knows its day";
pub(super) const NOT_THIS: &str = "it holds no conversation of this format; look at --from";

pub(super) const HIDDEN: &str = "prompts and messages of the program itself";
pub(super) const THINKING: &str = "thinking of a model";
pub(super) const CALLS: &str = "calls of tools";
pub(super) const BRANCHES: &str = "messages of branches that were left";
pub(super) const UNKNOWN: &str = "parts of a kind that is not known";
pub(super) const SUBAGENTS: &str = "messages of sub-agents";
const SHORTENED: &str = "ends of tool outputs above 8 KiB";

impl Chat {
    pub(super) fn new(format: ChatFormat, id: impl Into<String>) -> Self {
        Self {
            format,
            id: id.into(),
            title: String::new(),
            begun: None,
            messages: Vec::new(),
            tools: SortedMap::new(),
            bytes: 0,
        }
    }

    /// Adds the parts of a message.
    pub(super) fn say(
        &mut self,
        id: &str,
        at: Option<DateTime<Utc>>,
        parts: Vec<(Origin, String)>,
        left: &mut LeftOut,
    ) {
        for (origin, mut text) in parts {
            if text.trim().is_empty() {
                continue;
            }
            let is_tool = matches!(origin, Origin::Tool(_));
            if !is_tool && self.format.hides(&text) {
                left.count(HIDDEN, 1);
                continue;
            }
            if is_tool && text.len() > MAX_TOOL_OUTPUT {
                let kept = text::head(&text, MAX_TOOL_OUTPUT, text::Unit::Bytes).len();
                let more = text.len() - kept;
                text.truncate(kept);
                text.push_str(&format!("\n[{more} bytes more]"));
                left.count(SHORTENED, 1);
            }
            self.bytes += text.len() + id.len() + MESSAGE;
            self.messages.push(ChatMessage { id: id.to_owned(), at, origin, text });
        }
    }

    /// Keeps the name of a tool that is called, for its output.
    pub(super) fn call(&mut self, id: &str, name: &str, left: &mut LeftOut) {
        if let Origin::Tool(name) = tool(name) {
            self.bytes += id.len() + MESSAGE;
            self.tools.insert(id.to_owned(), name);
        }
        left.count(CALLS, 1);
    }

    /// Returns its title, else its id.
    fn called(&self) -> String {
        if self.title.trim().is_empty() { self.id.clone() } else { self.title.clone() }
    }

    /// Gives the conversation to its taker. A message without a time has the time of the one before it; the first ones that of the
    /// conversation. One without any time is refused; of a file that a person keeps, the last change is its time.
    pub(super) fn give(
        mut self,
        place: Place<'_>,
        number: usize,
        left: &mut LeftOut,
        take: Take<'_>,
    ) -> Result<()> {
        let is_dated = self.format != ChatFormat::Markdown;
        let first = self.messages.iter().find_map(|message| message.at);
        let modified = Some(place.modified).filter(|at| !is_dated && is_of_a_chat(at));
        let begun = self.begun.or(first).or(modified);
        let reason = match begun {
            _ if self.bytes > MAX_CHAT => TOO_LARGE,
            None if !self.messages.is_empty() => NO_TIME,
            _ => {
                let mut last = begun.unwrap_or_default();
                for message in &mut self.messages {
                    left.undated += u64::from(is_dated && message.at.is_none());
                    last = *message.at.get_or_insert(last);
                }
                return take(self, left);
            }
        };
        match number {
            0 => left.refuse(place.name, reason),
            _ => left.refuse_chat(place.name, number, self.called(), reason),
        }
        Ok(())
    }

    /// Reads the content of a message, a text or blocks of any of the formats, into parts with one speaker each.
    pub(super) fn parts(
        &mut self,
        content: &Value,
        speaker: &Origin,
        left: &mut LeftOut,
    ) -> Vec<(Origin, String)> {
        let mut parts = Vec::new();
        match content {
            Value::String(text) => add(&mut parts, speaker.clone(), text),
            Value::Array(blocks) => {
                for block in blocks {
                    self.block(block, speaker, &mut parts, left);
                }
            }
            Value::Null => {}
            _ => left.count(UNKNOWN, 1),
        }
        parts
    }

    fn block(
        &mut self,
        block: &Value,
        speaker: &Origin,
        parts: &mut Vec<(Origin, String)>,
        left: &mut LeftOut,
    ) {
        match word(block, "type") {
            _ if block.is_string() => add(parts, speaker.clone(), block.as_str().unwrap_or_default()),
            "text" | "input_text" | "output_text" => add(parts, speaker.clone(), word(block, "text")),
            "thinking" | "redacted_thinking" | "reasoning" => left.count(THINKING, 1),
            "tool_use" | "toolCall" | "server_tool_use" => {
                self.call(word(block, "id"), word(block, "name"), left);
            }
            "tool_result" | "toolResult" | "web_search_tool_result" => {
                let known = self.tools.get(word(block, "tool_use_id")).cloned();
                let tool = known.map_or_else(|| tool(word(block, "name")), Origin::Tool);
                let inner = block.get("content").unwrap_or(&Value::Null);
                for (origin, text) in self.parts(inner, &tool, left) {
                    add(parts, origin, &text);
                }
            }
            "image" | "input_image" | "image_url" => add(parts, speaker.clone(), PICTURE),
            "document" | "file" | "input_file" => {
                let name = ["title", "name", "filename", "file_name"].map(|field| word(block, field));
                add(
                    parts,
                    speaker.clone(),
                    &file(name.into_iter().find(|name| !name.is_empty()).unwrap_or_default()),
                );
            }
            _ if !word(block, "text").is_empty() => add(parts, speaker.clone(), word(block, "text")),
            _ => left.count(UNKNOWN, 1),
        }
    }
}

/// Returns a tool as the one who speaks; of its name as much as a journal prints.
pub(super) fn tool(name: &str) -> Origin {
    Origin::Tool(name.chars().take(64).collect())
}

/// Stands for a picture.
pub(super) const PICTURE: &str = "[picture]";

/// Returns the line that stands for a file.
pub(super) fn file(name: &str) -> String {
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() { "[file]".to_owned() } else { format!("[file: {name}]") }
}

/// Adds a text: to the part before it where both have one speaker.
pub(super) fn add(parts: &mut Vec<(Origin, String)>, origin: Origin, text: &str) {
    match parts.last_mut().filter(|(before, _)| *before == origin) {
        Some((_, before)) => {
            before.push('\n');
            before.push_str(text);
        }
        None => parts.push((origin, text.to_owned())),
    }
}

/// Returns a field that is a text; empty where it is none.
pub(super) fn word<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Returns whether a field says yes.
pub(super) fn is_set(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool).unwrap_or(false)
}

/// Reads a moment: a text, or seconds or milliseconds since 1970 as a number of any form. A year that no calendar of a chat has
/// is no moment.
pub(super) fn moment(value: Option<&Value>) -> Option<DateTime<Utc>> {
    /// Seconds have this number in the year 5138, milliseconds had it in 1973.
    const MILLIS: f64 = 1e11;
    let number = match value? {
        Value::String(text) => text.trim().parse().ok(),
        number => number.as_f64(),
    };
    let at = match number {
        Some(number) => {
            let millis = if number.abs() < MILLIS { number * 1000.0 } else { number };
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a number that no time has saturates, and is no time"
            )]
            DateTime::from_timestamp_millis(millis.round() as i64)
        }
        None => foreign::moment(value),
    };
    at.filter(is_of_a_chat)
}

fn is_of_a_chat(at: &DateTime<Utc>) -> bool {
    (1971..=9998).contains(&at.year())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_time_is_read_in_every_form() {
        for value in [
            json!(1_795_252_800.25),
            json!(1_795_252_800),
            json!(1_795_252_800_250_u64),
            json!("1795252800.25"),
            json!("2026-11-21T09:20:00Z"),
            json!("2026-11-21T10:20:00.5+01:00"),
        ] {
            assert_eq!(moment(Some(&value)).unwrap().timestamp(), 1_795_252_800, "{value}");
        }
        for value in [
            json!(null),
            json!(1e300),
            json!(-1e300),
            json!(0),
            json!("soon"),
            json!([1]),
            json!("9999-12-31T23:00:00Z"),
        ] {
            assert_eq!(moment(Some(&value)), None, "{value}");
        }
    }
}
