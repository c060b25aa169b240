//! Random chats in each format, exported again and again, cut anywhere: no line is lost, doubled, or said by somebody else.

use std::collections::BTreeMap;
use std::fs;

use chrono::{DateTime, Utc};
use noctuary::Workspace;
use noctuary::exchange::{ChatFormat, ChatImport};
use noctuary::format::DayLog;
use noctuary::testing::cases;
use noctuary_tests::dreaming::Life;
use noctuary_tests::dreaming::marta::documents;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

#[derive(Debug, Clone)]
struct Message {
    /// 0 is the user, 1 the agent, 2 a tool.
    speaker: usize,
    text: String,
    /// Seconds since the message before it.
    later: u32,
}

/// An export: how many messages of each chat it has, and where it is cut.
#[derive(Debug, Clone)]
struct Export {
    messages: Vec<Index>,
    cut: Option<Index>,
}

fn messages() -> impl Strategy<Value = Vec<Message>> {
    let line = select(vec![
        "yes",
        "no",
        "It is blue.",
        "- [10:00:00] [user] forged",
        "  | bar",
        "[agent] said so",
        "```",
        "{\"role\":\"user\"}",
        "日本語 ☕",
        "\"quoted\" \\ back",
        "]}",
        "",
    ]);
    let text = prop::collection::vec(line, 1..4).prop_map(|lines| lines.join("\n"));
    let later = select(vec![0, 0, 1, 59, 3600, 90_000]);
    let message =
        (0..3_usize, text, later).prop_map(|(speaker, text, later)| Message { speaker, text, later });
    // A file in markdown begins with one of the two.
    prop::collection::vec(message, 1..9).prop_map(|mut messages| {
        messages[0].speaker = messages[0].speaker.min(1);
        messages
    })
}

fn exports(chats: usize) -> impl Strategy<Value = Vec<Export>> {
    let cut = prop::option::of(any::<Index>());
    let export = (prop::collection::vec(any::<Index>(), chats), cut)
        .prop_map(|(messages, cut)| Export { messages, cut });
    prop::collection::vec(export, 1..5)
}

/// The messages of a chat with their times: no two chats have one of the same moment.
fn timed(id: usize, messages: &[Message]) -> Vec<(usize, &Message, DateTime<Utc>)> {
    let mut at = 1_795_252_800 + 10_000_000 * i64::try_from(id).unwrap();
    let timed = messages.iter().enumerate().map(|(number, message)| {
        at += i64::from(message.later);
        (number, message, DateTime::from_timestamp(at, 0).unwrap())
    });
    timed.collect()
}

/// A time in one of the forms of exports.
fn time(number: usize, at: DateTime<Utc>) -> Value {
    match number % 4 {
        0 => json!(at.timestamp()),
        1 => json!(format!("{}.25", at.timestamp()).parse::<f64>().unwrap()),
        2 => json!(at.to_rfc3339()),
        _ => json!(at.timestamp_millis()),
    }
}

const SPEAKERS: [&str; 3] = ["user", "assistant", "tool"];

fn chatgpt(id: usize, messages: &[Message]) -> Value {
    let mut mapping = serde_json::Map::new();
    mapping.insert("root".to_owned(), json!({"parent": null, "message": null}));
    for (number, message, at) in timed(id, messages) {
        let parent = number.checked_sub(1).map_or("root".to_owned(), |before| format!("m{before}"));
        let author = json!({"role": SPEAKERS[message.speaker], "name": "psql"});
        let content = json!({"content_type": "text", "parts": [message.text]});
        let said = json!({"author": author, "create_time": time(number, at), "content": content});
        mapping.insert(format!("m{number}"), json!({"parent": parent, "message": said}));
        // A branch that nobody saw.
        mapping.insert(format!("x{number}"), json!({"parent": parent, "message": said}));
    }
    json!({"id": format!("c{id}"), "current_node": format!("m{}", messages.len() - 1), "mapping": mapping})
}

fn claude(id: usize, messages: &[Message]) -> Value {
    let messages: Vec<Value> = timed(id, messages)
        .into_iter()
        .map(|(number, message, at)| {
            let sender = if message.speaker == 0 { "human" } else { "assistant" };
            let block = match message.speaker {
                2 => json!({"type": "tool_result", "name": "psql", "content": message.text}),
                _ => json!({"type": "text", "text": message.text}),
            };
            json!({"uuid": format!("m{number}"), "sender": sender, "created_at": time(number, at), "content": [block]})
        })
        .collect();
    json!({"uuid": format!("c{id}"), "chat_messages": messages})
}

fn session(format: ChatFormat, id: usize, messages: &[Message]) -> String {
    let timed = timed(id, messages);
    let id = format!("c{id}");
    let mut lines = vec![match format {
        ChatFormat::Codex => json!({"type": "session_meta", "payload": {"id": id}}),
        ChatFormat::OpenClaw => json!({"type": "session", "id": id}),
        _ => json!({"type": "queue-operation", "sessionId": id}),
    }];
    for (number, message, at) in timed {
        let (role, text, at) = (SPEAKERS[message.speaker], &message.text, time(number, at));
        let blocks = json!([{"type": "text", "text": text}]);
        if (format, message.speaker) == (ChatFormat::Codex, 2) {
            lines.push(json!({"type": "response_item", "payload": {"type": "function_call", "name": "psql", "call_id": "t"}}));
        }
        lines.push(match (format, message.speaker) {
            (ChatFormat::Codex, 2) => {
                json!({"type": "response_item", "timestamp": at, "payload": {"type": "function_call_output", "call_id": "t", "output": text}})
            }
            (ChatFormat::Codex, _) => {
                json!({"type": "response_item", "timestamp": at, "payload": {"type": "message", "role": role, "content": blocks}})
            }
            (ChatFormat::OpenClaw, 2) => json!({"type": "message", "timestamp": at, "id": format!("m{number}"),
                "message": {"role": "toolResult", "toolName": "psql", "content": blocks}}),
            (ChatFormat::OpenClaw, _) => json!({"type": "message", "timestamp": at, "id": format!("m{number}"),
                "message": {"role": role, "content": blocks}}),
            (_, 2) => json!({"type": "user", "timestamp": at, "uuid": format!("{id}-m{number}"), "sessionId": id,
                "message": {"content": [{"type": "tool_result", "name": "psql", "content": text}]}}),
            _ => json!({"type": role, "timestamp": at, "uuid": format!("{id}-m{number}"), "sessionId": id, "message": {"content": text}}),
        });
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn markdown(messages: &[Message]) -> String {
    let names = ["User", "Assistant", "Tool"];
    let said = messages
        .iter()
        .map(|message| format!("## {}\n\n{}\n\n", names[message.speaker], message.text.replace("```", "``")));
    said.collect()
}

/// The files of an export of whole chats.
fn files(format: ChatFormat, chats: &[&[Message]]) -> Vec<(String, String)> {
    let numbered = chats.iter().enumerate().filter(|(_, messages)| !messages.is_empty());
    match format {
        ChatFormat::ChatGpt | ChatFormat::Claude => {
            let one = if format == ChatFormat::ChatGpt { chatgpt } else { claude };
            let list: Vec<Value> = numbered.map(|(id, messages)| one(id, messages)).collect();
            vec![("conversations.json".to_owned(), Value::from(list).to_string())]
        }
        ChatFormat::Markdown => {
            numbered.map(|(id, messages)| (format!("2026-11-21 c{id}.md"), markdown(messages))).collect()
        }
        _ => numbered.map(|(id, messages)| (format!("c{id}.jsonl"), session(format, id, messages))).collect(),
    }
}

/// The words of a person, as they read back from a journal.
fn plain(text: &str) -> String {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let mut lines: Vec<&str> = lines.collect();
    if let Some(first) = lines.first_mut() {
        *first = first.trim();
    }
    lines.join("\n")
}

/// The messages of each chat, as journals tell them in the order of their days.
fn told(home: &dyn Workspace) -> BTreeMap<String, Vec<(String, String)>> {
    let mut told: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (name, bytes) in documents(home) {
        let text = String::from_utf8(bytes).unwrap();
        let log = DayLog::parse(&text);
        let entries =
            log.entries.into_iter().map(|entry| (entry.origin.unwrap().to_string(), plain(&entry.text)));
        let chat = name
            .split(['-', '.'])
            .find(|part| part.starts_with('c') && part.len() == 2)
            .or(name.split("-c").nth(1));
        told.entry(chat.map_or(name.clone(), |chat| chat.chars().take(2).collect()))
            .or_default()
            .extend(entries);
    }
    told
}

fn check(format: ChatFormat, chats: &[Vec<Message>], exports: &[Export]) {
    let (life, source) = (Life::empty(), tempfile::tempdir().unwrap());
    let target = life.quick_workspace();
    let import = ChatImport::new(format);
    let whole: Vec<&[Message]> = chats.iter().map(Vec::as_slice).collect();
    for export in exports {
        let parts: Vec<&[Message]> = chats
            .iter()
            .zip(&export.messages)
            .map(|(chat, end)| &chat[..end.index(chat.len() + 1)])
            .collect();
        for (name, text) in files(format, &parts) {
            let mut bytes = text.into_bytes();
            // Half a message in markdown is another message.
            if let Some(cut) = export.cut.filter(|_| format != ChatFormat::Markdown) {
                bytes.truncate(cut.index(bytes.len() + 1));
            }
            fs::write(source.path().join(name), bytes).unwrap();
        }
        match import.apply(source.path(), &target) {
            Ok(_) => {}
            Err(error) => assert!(error.to_string().contains("it holds no"), "{error}"),
        }
    }
    for (name, text) in files(format, &whole) {
        fs::write(source.path().join(name), text).unwrap();
    }
    import.apply(source.path(), &target).unwrap();
    let again = import.apply(source.path(), &target).unwrap();
    assert_eq!((again.bytes, again.messages), (0, 0));
    let told = told(&target);
    for (id, chat) in chats.iter().enumerate() {
        let origin = |speaker: usize| match (format, speaker) {
            (_, 0) => "user",
            (_, 1) => "agent",
            (ChatFormat::Markdown, _) => "tool",
            _ => "tool:psql",
        };
        let is_markdown = format == ChatFormat::Markdown;
        let text = |message: &Message| {
            if is_markdown { message.text.replace("```", "``") } else { message.text.clone() }
        };
        let said = chat.iter().map(|message| (origin(message.speaker).to_owned(), plain(&text(message))));
        let said: Vec<_> = said.filter(|(_, text)| !text.is_empty()).collect();
        let found =
            told.iter().find(|(name, _)| name.as_str() == format!("c{id}")).map(|(_, found)| found.clone());
        assert_eq!(found.unwrap_or_default(), said, "{format}, chat {id}: {told:#?}");
    }
}

fn random(format: ChatFormat) {
    let chats = prop::collection::vec(messages(), 1..4);
    let case = chats.prop_flat_map(|chats| (exports(chats.len()), Just(chats)));
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(cases(1_000)));
    let checked = runner.run(&case, |(exports, chats)| {
        check(format, &chats, &exports);
        Ok(())
    });
    checked.unwrap();
}

#[test]
fn no_line_of_chatgpt_is_lost_doubled_or_said_by_another() {
    random(ChatFormat::ChatGpt);
}

#[test]
fn no_line_of_claude_is_lost_doubled_or_said_by_another() {
    random(ChatFormat::Claude);
}

#[test]
fn no_line_of_claude_code_is_lost_doubled_or_said_by_another() {
    random(ChatFormat::ClaudeCode);
}

#[test]
fn no_line_of_codex_is_lost_doubled_or_said_by_another() {
    random(ChatFormat::Codex);
}

#[test]
fn no_line_of_openclaw_is_lost_doubled_or_said_by_another() {
    random(ChatFormat::OpenClaw);
}

#[test]
fn no_line_of_markdown_is_lost_doubled_or_said_by_another() {
    random(ChatFormat::Markdown);
}
