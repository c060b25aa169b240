//! An agent file of Letta, `.af`: the blocks of its core memory, and its messages.
//!
//! ```json
//! {"agents": [{"id": "agent-0", "name": "sam", "block_ids": ["block-0"], "messages": [
//!     {"role": "user", "content": [{"type": "text", "text": "I moved to Porto."}], "created_at": "…"}]}],
//!  "blocks": [{"id": "block-0", "label": "human", "value": "Her name is Marta."}]}
//! ```
//!
//! The older form, one agent with `core_memory` and `messages`, is read too. The system's prompt, the calls of tools and
//! their results stay out: they are the program's, and no memory.

use serde_json::{Value, json};

use super::part::{Taken, category, imported, moment, words};
use crate::exchange::bundle::Bundle;
use crate::memory::{Place, Role};

pub(super) fn parts(bundle: &Bundle) -> Vec<Taken<'_>> {
    let mut parts = Vec::new();
    for (path, bytes) in bundle.files() {
        let end = path.rsplit('.').next().unwrap_or_default();
        if !["af", "json"].iter().any(|known| end.eq_ignore_ascii_case(known)) {
            parts.push(Taken::bad(path, "it is no agent file"));
            continue;
        }
        let Ok(file) = serde_json::from_slice::<Value>(bytes) else {
            parts.push(Taken::bad(path, "it is no JSON"));
            continue;
        };
        let before = parts.len();
        if let Some(agents) = file.get("agents").and_then(Value::as_array) {
            let shared = list(&file, "blocks");
            for (number, agent) in (1..).zip(agents) {
                let named = words(agent, "name").map_or_else(|| format!("agent {number}"), str::to_owned);
                let ids = list(agent, "block_ids");
                let own = shared.iter().filter(|block| {
                    block.get("id").is_some_and(|id| ids.contains(id))
                        || (ids.is_empty() && agents.len() == 1)
                });
                let blocks = own.chain(list(agent, "memory_blocks")).chain(list(agent, "core_memory"));
                take(path, &named, blocks, list(agent, "messages"), &mut parts);
            }
        } else {
            let named = words(&file, "name").unwrap_or("agent").to_owned();
            take(path, &named, list(&file, "core_memory").iter(), list(&file, "messages"), &mut parts);
        }
        if parts.len() == before {
            parts.push(Taken::bad(path, "it holds no agent with blocks or messages"));
        }
    }
    parts
}

fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Takes the memory of one agent. It makes a row for each paragraph of a block, and one for each message.
fn take<'v>(
    path: &str,
    agent: &str,
    blocks: impl Iterator<Item = &'v Value>,
    messages: &[Value],
    parts: &mut Vec<Taken<'_>>,
) {
    for block in blocks {
        let label = words(block, "label").and_then(category).unwrap_or_else(|| "block".to_owned());
        let Some(value) = words(block, "value") else { continue };
        let at = moment(block.get("updated_at")).or_else(|| moment(block.get("created_at")));
        for (number, paragraph) in (1..).zip(paragraphs(value)) {
            let notes = json!({"letta": {"agent": agent, "block": label}});
            let shown = format!("{path}#{agent}/{label}/{number}");
            parts.push(Taken::row(shown, imported(&label, &paragraph, Some(notes)), at));
        }
    }
    for (position, message) in (0..).zip(messages) {
        let speaker = match words(message, "role") {
            Some("user") => "user",
            Some("assistant") => "assistant",
            _ => continue,
        };
        let at = moment(message.get("created_at"));
        for text in said(message) {
            let place = Place {
                session: format!("letta/{agent}"),
                position,
                // Nobody's own words, as far as this home can know.
                role: Role::Other,
                speaker: Some(speaker.to_owned()),
                said_at: at,
            };
            let notes = json!({"letta": {"agent": agent}});
            let row = imported("message", &text, Some(notes)).at(place);
            parts.push(Taken::row(format!("{path}#{agent}/messages/{}", position + 1), row, at));
        }
    }
}

/// Returns the paragraphs of a block.
fn paragraphs(value: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in value.lines() {
        if line.trim().is_empty() {
            all.push(String::new());
            continue;
        }
        let last = all.last_mut().expect("there is always one");
        if !last.is_empty() {
            last.push('\n');
        }
        last.push_str(line.trim_end());
    }
    all.retain(|paragraph| !paragraph.is_empty());
    all
}

/// Returns the texts of a message: those that a person wrote or read.
fn said(message: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    for field in ["content", "text"] {
        match message.get(field) {
            Some(Value::String(text)) => texts.push(text.clone()),
            Some(Value::Array(parts)) => {
                let parts = parts.iter().filter(|part| words(part, "type").is_none_or(|kind| kind == "text"));
                texts.extend(parts.filter_map(|part| words(part, "text").map(str::to_owned)));
            }
            _ => {}
        }
    }
    // An older agent speaks by a tool, and an older server wraps what a person said.
    if message.get("role").and_then(Value::as_str) == Some("assistant") {
        let calls = list(message, "tool_calls").iter().filter_map(|call| call.get("function"));
        let calls: Vec<_> = calls.filter(|call| words(call, "name") == Some("send_message")).collect();
        if !calls.is_empty() {
            // The text beside such a call is what the agent thought.
            texts.clear();
        }
        let arguments = calls.iter().filter_map(|call| words(call, "arguments"));
        let arguments = arguments.filter_map(|text| serde_json::from_str::<Value>(text).ok());
        texts.extend(arguments.filter_map(|value| words(&value, "message").map(str::to_owned)));
    }
    texts.into_iter().filter_map(unwrapped).filter(|text| !text.trim().is_empty()).collect()
}

/// Returns what a person said out of the wrapper of an older server; `None` for a wrapper around anything else.
fn unwrapped(text: String) -> Option<String> {
    let Ok(Value::Object(object)) = serde_json::from_str::<Value>(&text) else { return Some(text) };
    let wrapper = Value::Object(object);
    match words(&wrapper, "type") {
        Some("user_message") => words(&wrapper, "message").map(str::to_owned),
        Some("heartbeat" | "login" | "system_alert" | "package_message") => None,
        _ => Some(text),
    }
}
