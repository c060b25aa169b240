//! The export of ChatGPT: `conversations.json`, or `conversations-000.json` and those that follow it.
//!
//! ```json
//! [{"id": "6f0c", "title": "Boats", "create_time": 1795252800.25, "current_node": "b", "mapping": {
//!     "a": {"id": "a", "parent": null, "children": ["b"], "message": {"id": "a", "author": {"role": "user"},
//!           "create_time": 1795252800.25, "content": {"content_type": "text", "parts": ["Paint?"]}}},
//!     "b": {"id": "b", "parent": "a", "children": [], "message": {"…": "…"}}}}]
//! ```
//!
//! The branch from `current_node` up to the first message is what the person saw. Where a parent is missing, or parents go in a
//! circle, all messages come in, in the order of their times.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::chat::{
    BRANCHES, CALLS, Chat, HIDDEN, NOT_THIS, PICTURE, THINKING, UNKNOWN, add, file, is_set, moment, word,
};
use super::format::ChatFormat;
use super::path::{Parent, branch};
use super::plan::LeftOut;
use crate::base::digest::Digest;
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::format::Origin;

#[derive(Deserialize)]
struct Exported<'a> {
    #[serde(borrow)]
    mapping: SortedMap<String, &'a RawValue>,
    #[serde(default)]
    current_node: Value,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    conversation_id: Value,
    #[serde(default)]
    title: Value,
    #[serde(default)]
    create_time: Value,
}

#[derive(Deserialize)]
struct Node<'a> {
    #[serde(default)]
    parent: Value,
    #[serde(default, borrow)]
    message: Option<&'a RawValue>,
}

/// Reads a conversation.
pub(super) fn read(text: &str, left: &mut LeftOut) -> Result<Chat, &'static str> {
    let found: Exported<'_> = serde_json::from_str(text).map_err(|_| NOT_THIS)?;
    let title = found.title.as_str().unwrap_or_default();
    let id = found.conversation_id.as_str().or(found.id.as_str());
    let id = id.map_or_else(
        || Digest::of(format!("{title} {}", found.create_time).as_bytes()).short(16),
        str::to_owned,
    );
    let mut chat = Chat::new(ChatFormat::ChatGpt, id);
    title.clone_into(&mut chat.title);
    chat.begun = moment(Some(&found.create_time));
    let mut nodes: SortedMap<&str, Node<'_>> = SortedMap::new();
    for (id, raw) in &found.mapping {
        match serde_json::from_str(raw.get()) {
            Ok(node) => drop(nodes.insert(id.as_str(), node)),
            Err(_) => left.count(UNKNOWN, 1),
        }
    }
    for id in seen(found.current_node.as_str(), &nodes, left) {
        let Some(raw) = nodes.get(id).and_then(|node| node.message) else { continue };
        match serde_json::from_str(raw.get()) {
            Ok(message) => say(&mut chat, id, &message, left),
            Err(_) => left.count(UNKNOWN, 1),
        }
    }
    Ok(chat)
}

/// Returns the ids of the messages that the person saw.
fn seen<'n>(
    current: Option<&'n str>,
    nodes: &'n SortedMap<&str, Node<'_>>,
    left: &mut LeftOut,
) -> Vec<&'n str> {
    let at = |id: &str| {
        let message: Value = serde_json::from_str(nodes.get(id)?.message?.get()).ok()?;
        moment(message.get("create_time"))
    };
    let by_time = || {
        let mut ids: Vec<&str> = nodes.keys().copied().collect();
        order::sort_by_key(&mut ids, |id| at(id));
        ids
    };
    let parent = |id: &str| match nodes.get(id).map(|node| &node.parent) {
        None => Parent::Unknown,
        Some(Value::String(parent)) => Parent::Is(parent.as_str()),
        Some(_) => Parent::Root,
    };
    let leaf = current.filter(|id| nodes.contains_key(id)).or_else(|| by_time().pop());
    let Some(branch) = leaf.and_then(|leaf| branch(leaf, parent)) else { return by_time() };
    let with_words = |node: &Node<'_>| node.message.is_some();
    let on_it = branch.iter().filter_map(|id| nodes.get(id)).filter(|node| with_words(node)).count();
    left.count(BRANCHES, (nodes.values().filter(|node| with_words(node)).count() - on_it) as u64);
    branch
}

/// Adds a message.
fn say(chat: &mut Chat, id: &str, message: &Value, left: &mut LeftOut) {
    let nothing = Value::Null;
    let [author, content, metadata] =
        ["author", "content", "metadata"].map(|field| message.get(field).unwrap_or(&nothing));
    let role = word(author, "role");
    if is_set(metadata, "is_visually_hidden_from_conversation") || matches!(role, "system" | "developer") {
        return left.count(HIDDEN, 1);
    }
    match word(content, "content_type") {
        "thoughts" | "reasoning_recap" => return left.count(THINKING, 1),
        "user_editable_context" | "model_editable_context" => return left.count(HIDDEN, 1),
        _ => {}
    }
    let recipient = word(message, "recipient");
    let origin = match role {
        "assistant" if !matches!(recipient, "" | "all" | "assistant") => return left.count(CALLS, 1),
        "user" => Origin::User,
        "assistant" => Origin::Agent,
        "tool" => Origin::Tool(word(author, "name").to_owned()),
        _ => return left.count(UNKNOWN, 1),
    };
    let mut parts = Vec::new();
    for part in content.get("parts").and_then(Value::as_array).into_iter().flatten() {
        let text = part.as_str().unwrap_or_else(|| word(part, "text"));
        match word(part, "content_type") {
            "image_asset_pointer" => add(&mut parts, origin.clone(), PICTURE),
            kind if kind.ends_with("asset_pointer") => add(&mut parts, origin.clone(), "[recording]"),
            _ if part.is_string() || !text.is_empty() => add(&mut parts, origin.clone(), text),
            _ => left.count(UNKNOWN, 1),
        }
    }
    for field in ["text", "result"] {
        if !word(content, field).is_empty() {
            add(&mut parts, origin.clone(), word(content, field));
        }
    }
    for attached in metadata.get("attachments").and_then(Value::as_array).into_iter().flatten() {
        add(&mut parts, origin.clone(), &file(word(attached, "name")));
    }
    if parts.is_empty() && content.get("parts").is_none() {
        left.count(UNKNOWN, 1);
    }
    let id = Some(word(message, "id")).filter(|id| !id.is_empty()).unwrap_or(id);
    chat.say(id, moment(message.get("create_time")), parts, left);
}
