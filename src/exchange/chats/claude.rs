//! The export of Claude: `conversations.json`.
//!
//! ```json
//! [{"uuid": "6f0c", "name": "Boats", "created_at": "2026-11-21T09:20:00.000000Z", "chat_messages": [
//!     {"uuid": "a", "sender": "human", "text": "Paint?", "content": [{"type": "text", "text": "Paint?"}],
//!      "created_at": "…", "attachments": [], "files": [], "parent_message_uuid": "00000000-0000-4000-8000-000000000000"}]}]
//! ```
//!
//! Older exports have the text alone, and no parents. With parents, the branch of the last message is what the person saw.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::chat::{BRANCHES, Chat, NOT_THIS, UNKNOWN, add, file, moment, word};
use super::format::ChatFormat;
use super::path::{Parent, branch};
use super::plan::LeftOut;
use crate::base::digest::Digest;
use crate::base::sorted::{SortedMap, SortedSet};
use crate::format::Origin;

#[derive(Deserialize)]
struct Exported<'a> {
    #[serde(borrow)]
    chat_messages: Vec<&'a RawValue>,
    #[serde(default)]
    uuid: Value,
    #[serde(default)]
    name: Value,
    #[serde(default)]
    created_at: Value,
    #[serde(default)]
    current_leaf_message_uuid: Value,
}

/// The place of a message in the tree.
#[derive(Deserialize)]
struct Node {
    #[serde(default)]
    uuid: Value,
    #[serde(default)]
    parent_message_uuid: Value,
}

/// The parent of a first message begins with this.
const ROOT: &str = "00000000-0000-";

/// Reads a conversation.
pub(super) fn read(text: &str, left: &mut LeftOut) -> Result<Chat, &'static str> {
    let found: Exported<'_> = serde_json::from_str(text).map_err(|_| NOT_THIS)?;
    let title = found.name.as_str().unwrap_or_default();
    let id = || Digest::of(format!("{title} {}", found.created_at).as_bytes()).short(16);
    let mut chat = Chat::new(ChatFormat::Claude, found.uuid.as_str().map_or_else(id, str::to_owned));
    title.clone_into(&mut chat.title);
    chat.begun = moment(Some(&found.created_at));
    let nodes: Vec<Node> = found
        .chat_messages
        .iter()
        .map(|raw| {
            let nobody = Node { uuid: Value::Null, parent_message_uuid: Value::Null };
            serde_json::from_str(raw.get()).unwrap_or(nobody)
        })
        .collect();
    let seen = seen(found.current_leaf_message_uuid.as_str(), &nodes);
    for (raw, node) in found.chat_messages.iter().zip(&nodes) {
        if seen.as_ref().is_some_and(|seen| !node.uuid.as_str().is_some_and(|id| seen.contains(id))) {
            left.count(BRANCHES, 1);
            continue;
        }
        match serde_json::from_str(raw.get()) {
            Ok(message) => say(&mut chat, &message, left),
            Err(_) => left.count(UNKNOWN, 1),
        }
    }
    Ok(chat)
}

/// Returns the ids of the branch that the person saw; `None` if there is only one branch, or no sign of branches.
fn seen<'n>(current: Option<&'n str>, nodes: &'n [Node]) -> Option<SortedSet<&'n str>> {
    let pairs =
        nodes.iter().filter_map(|node| Some((node.uuid.as_str()?, node.parent_message_uuid.as_str())));
    let parents: SortedMap<&str, Option<&str>> = pairs.collect();
    let parent = |id: &str| match parents.get(id) {
        None => Parent::Unknown,
        Some(Some(parent)) if !parent.starts_with(ROOT) => Parent::Is(parent),
        Some(_) => Parent::Root,
    };
    // Older exports know of no parents.
    if parents.values().all(Option::is_none) {
        return None;
    }
    let leaf = current.filter(|id| parents.contains_key(id)).or_else(|| nodes.last()?.uuid.as_str())?;
    branch(leaf, parent).map(|branch| branch.into_iter().collect())
}

/// Adds a message.
fn say(chat: &mut Chat, message: &Value, left: &mut LeftOut) {
    let origin = match word(message, "sender") {
        "human" | "user" => Origin::User,
        "assistant" => Origin::Agent,
        _ => return left.count(UNKNOWN, 1),
    };
    let content =
        message.get("content").filter(|content| content.as_array().is_some_and(|list| !list.is_empty()));
    let mut parts = match content {
        Some(content) => chat.parts(content, &origin, left),
        None => vec![(origin.clone(), word(message, "text").to_owned())],
    };
    for field in ["attachments", "files"] {
        for attached in message.get(field).and_then(Value::as_array).into_iter().flatten() {
            let name = word(attached, "file_name");
            let pasted = word(attached, "extracted_content").len();
            let line = if name.is_empty() && pasted > 0 {
                format!("[pasted text, {pasted} bytes]")
            } else {
                file(name)
            };
            add(&mut parts, origin.clone(), &line);
        }
    }
    chat.say(word(message, "uuid"), moment(message.get("created_at")), parts, left);
}
