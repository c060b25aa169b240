//! Chats, and the memory of other programs, brought in by the command.

use std::fs;

use serde_json::json;

use crate::{ends, findings, json as answer, run};

/// An export of Claude with this number of conversations.
fn export(chats: usize) -> String {
    let chat = |number: usize| {
        let said = |id: &str, sender: &str, text: &str| json!({"uuid": id, "sender": sender, "text": text, "created_at": format!("2025-03-{:02}T09:20:00Z", number + 1)});
        json!({"uuid": format!("chat-{number}"), "name": format!("Boat {number}"), "chat_messages": [
            said("a", "human", "Which colour?"), said("b", "assistant", "Blue, since the key AKIAIOSFODNN7EXAMPLE says so.")]})
    };
    (0..chats).map(chat).collect::<serde_json::Value>().to_string()
}

#[test]
fn chats_come_in_by_a_plan_once_and_the_nights_that_they_take_are_told() {
    for home in ["agent", "life.db"] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        fs::write(at.join("conversations.json"), export(2)).unwrap();
        let import = |more: &[&str], exit| {
            let arguments = [&["import", "conversations.json", home, "--from", "claude"], more].concat();
            // Long lines are wrapped.
            ends(at, &arguments, exit).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        // A masked secret is something to look at.
        let told = import(&[], 1);
        assert!(told.contains("2 conversations: 4 messages") && told.contains("would be added."), "{told}");
        assert!(
            told.contains("claude-chat-1") && told.contains("Boat 1") && told.contains("aws_access_key"),
            "{told}"
        );
        assert!(
            told.ends_with("Nothing was written. `--apply` does it.") && !told.contains("AKIA"),
            "{told}"
        );
        assert!(!at.join(home).exists(), "a plan makes nothing");
        assert_eq!(import(&["--dry-run"], 1), told);
        let plan = answer(
            at,
            &["import", "conversations.json", home, "--from", "claude", "--only", "boat 1", "--json"],
            1,
        );
        assert_eq!((&plan["chats"][0]["id"], &plan["applied"]), (&json!("claude-chat-1"), &json!(false)));
        let told = import(&["--apply"], 1);
        assert!(told.contains("2 journals added"), "{told}");
        // No night reads what is too old by itself.
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("in 2 journals wait for a dream. "), "{told}");
        assert!(
            told.contains("older than 30 days") && told.contains(": about 1 night, 1 call of a model."),
            "{told}"
        );
        let status = ends(at, &["status", home], 0);
        assert!(status.contains("in 2 journals") && status.contains("older than 30 days"), "{status}");
        fs::write(at.join("conversations.json"), export(3)).unwrap();
        let done = answer(
            at,
            &[
                "import",
                "conversations.json",
                home,
                "--from",
                "claude",
                "--since",
                "2025-03-02",
                "--apply",
                "--json",
            ],
            1,
        );
        assert_eq!(
            (&done["messages"], &done["unchanged"], &done["backlog"]["journals"]),
            (&json!(2), &json!(1), &json!(3))
        );
        assert_eq!(done["left_out"][0], json!({"what": "messages of earlier days", "count": 2}));
        assert_eq!(answer(at, &["status", home, "--json"], 0)["journals"], 3);
        assert!(
            import(&["--apply"], 0)
                .starts_with("0 conversations: 0 messages, 0 B in 0 journals added; 3 there already.")
        );
        // The masked line is no finding; old journals are.
        let doctor = findings(at, home, 1);
        assert_eq!(doctor.as_array().unwrap().len(), 1, "{doctor}");
        assert_eq!(doctor[0]["finding"], "unread_journal");
        assert!(doctor[0]["where"].as_str().unwrap().starts_with("3 journals of 2025-"), "{doctor}");
        assert!(doctor[0]["fix"].as_str().unwrap().contains("noctuary dream PATH --all"), "{doctor}");
    }
}

#[test]
fn a_wrong_path_or_option_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("empty")).unwrap();
    fs::write(at.join("cut.zip"), b"PK\x03\x04 and no more").unwrap();
    let fails = |arguments: &[&str], exit: i32, words: &str| {
        let output = run(at, arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}: {told}");
        assert!(
            told.split_whitespace().collect::<Vec<_>>().join(" ").contains(words),
            "{arguments:?}: {told}"
        );
    };
    fails(&["import", "empty", "agent", "--from", "chatgpt"], 3, "it holds no conversations.json");
    fails(&["import", "cut.zip", "agent", "--from", "claude"], 3, "download the export again");
    fails(&["import", "gone", "agent", "--from", "codex"], 3, "there is no file or folder gone");
    fails(&["import", "empty", "agent", "--from", "codex", "--trust", "x"], 2, "leave them out");
    fails(&["import", "empty", "agent", "--from", "okf", "--only", "x"], 2, "name chats with --from");
    fails(&["import", "empty", "agent", "--from", "codex", "--since", "soon"], 2, "--since");
    fails(&["import", "cut.zip", "agent", "--from", "hermes"], 2, "no folder");
    assert!(!at.join("agent").exists());
}

#[test]
fn the_memory_of_another_program_comes_in_by_a_plan_too() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("theirs")).unwrap();
    fs::write(at.join("theirs/MEMORY.md"), "Likes tea.\n§\nWorks from Lisbon.\n").unwrap();
    fs::write(at.join("theirs/USER.md"), "The key is AKIAIOSFODNN7EXAMPLE.\n").unwrap();
    fs::write(at.join("theirs/notes.txt"), "x").unwrap();
    let from = ["import", "theirs", "agent", "--from", "hermes"];
    let told = ends(at, &from, 1);
    assert!(
        told.contains("would copy  MEMORY.md") && told.contains("USER.md: it holds aws_access_key"),
        "{told}"
    );
    assert!(told.contains("left out  notes.txt") && !at.join("agent").exists(), "{told}");
    let done = answer(at, &[&from[..], &["--apply", "--json"]].concat(), 1);
    assert_eq!(done["applied"], true);
    assert!(
        fs::read_to_string(at.join("agent/MEMORY.md")).unwrap().ends_with("- [import] Works from Lisbon.\n")
    );
    assert!(ends(at, &[&from[..], &["--apply"]].concat(), 1).contains("MEMORY.md: it is there already"));
}
