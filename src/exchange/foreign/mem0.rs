//! The memories of mem0.
//!
//! ```json
//! {"results": [
//!   {"id": "…", "memory": "Takes tea without milk", "user_id": "marta", "categories": ["food"],
//!    "metadata": {"mood": "calm"}, "created_at": "2025-11-20T09:00:00-08:00", "expiration_date": "2026-12-01"}
//! ]}
//! ```
//!
//! A list without `results`, a list under `memories`, and one memory a line are read too.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::part::{Owner, Taken, category, imported, moment, words};
use crate::exchange::bundle::Bundle;
use crate::memory::categories;

/// The fields that stay with a row as notes.
const NOTES: [&str; 6] = ["id", "agent_id", "app_id", "run_id", "categories", "metadata"];

pub(super) fn parts<'b>(bundle: &'b Bundle, owner: Owner<'_>) -> Vec<Taken<'b>> {
    let files: Vec<_> = bundle.files().map(|(path, bytes)| (path, memories(path, bytes))).collect();
    let users: BTreeSet<&str> = files
        .iter()
        .filter_map(|(_, read)| read.as_ref().ok())
        .flatten()
        .filter_map(|(_, memory)| words(memory.as_ref().ok()?, "user_id"))
        .collect();
    // One life is one person's: of an export with several, the others stay out.
    let wanted = match owner.asked {
        Some(asked) => Some(asked),
        None if users.len() > 1 => Some(owner.home),
        None => None,
    };
    let mut parts = Vec::new();
    for (path, read) in &files {
        match read {
            Err(why) => parts.push(Taken::bad(*path, *why)),
            Ok(memories) => parts.extend(memories.iter().map(|(shown, memory)| match memory {
                Err(why) => Taken::bad(shown, *why),
                Ok(memory) => row(shown, memory, wanted),
            })),
        }
    }
    parts
}

type Memories = Vec<(String, Result<Value, &'static str>)>;

/// Reads the memories of a file, each under its place in it.
fn memories(path: &str, bytes: &[u8]) -> Result<Memories, &'static str> {
    let end = path.rsplit('.').next().unwrap_or_default();
    if !["json", "jsonl"].iter().any(|known| end.eq_ignore_ascii_case(known)) {
        return Err("it is no JSON, and mem0 exports JSON");
    }
    let list = match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Array(list)) => list.into_iter().map(Ok).collect(),
        Ok(Value::Object(mut object)) => {
            let list = ["results", "memories"].iter().find_map(|field| object.remove(*field));
            match list {
                Some(Value::Array(list)) => list.into_iter().map(Ok).collect(),
                None if object.contains_key("memory") => vec![Ok(Value::Object(object))],
                _ => return Err("it holds no list of memories"),
            }
        }
        Ok(_) => return Err("it holds no list of memories"),
        Err(_) => {
            let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8")?;
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let lines: Vec<_> =
                lines.map(|line| serde_json::from_str(line).map_err(|_| "it is no JSON")).collect();
            if lines.iter().all(Result::is_err) {
                return Err("it is no JSON");
            }
            lines
        }
    };
    Ok((1..).zip(list).map(|(number, memory)| (format!("{path}#{number}"), memory)).collect())
}

fn row<'b>(shown: &str, memory: &Value, wanted: Option<&str>) -> Taken<'b> {
    let Some(content) = ["memory", "data", "text"].iter().find_map(|field| words(memory, field)) else {
        return Taken::bad(shown, "it has no words");
    };
    if let (Some(wanted), Some(user)) = (wanted, words(memory, "user_id"))
        && user != wanted
    {
        return Taken::bad(shown, "it is of another user; an import can name the one that is wanted");
    }
    let kind = memory.get("categories").and_then(|list| list.get(0)).and_then(Value::as_str);
    let kind = kind.and_then(category).unwrap_or_else(|| categories::REFERENCE.to_owned());
    let mut notes = Map::new();
    for field in NOTES {
        let value = memory.get(field).filter(|value| !value.is_null() && *value != &Value::Array(Vec::new()));
        notes.extend(value.map(|value| (field.to_owned(), value.clone())));
    }
    let notes = (!notes.is_empty()).then(|| serde_json::json!({ "mem0": notes }));
    let mut row = imported(&kind, content, notes);
    if let Some(end) = moment(memory.get("expiration_date")) {
        row = row.stale_after(end);
    }
    let at = moment(memory.get("created_at")).or_else(|| moment(memory.get("updated_at")));
    Taken::row(shown.to_owned(), row, at)
}
