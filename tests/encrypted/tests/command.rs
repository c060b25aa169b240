//! The command over an encrypted database: `NOCTUARY` names one that was built with the feature `sqlcipher`.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::Command;

const KEY: &str = "a passphrase of the operator";

/// Returns what the command prints and says, without changes of line.
#[track_caller]
fn told(folder: &Path, key: Option<&str>, arguments: &[&str], code: i32) -> String {
    let command = std::env::var("NOCTUARY").expect("NOCTUARY names the command, as `./check.sh` does");
    let mut command = Command::new(command);
    command.args(arguments).current_dir(folder).env_clear().env("HOME", folder).env("TZ", "UTC");
    if let Some(key) = key {
        command.env("NOCTUARY_ENCRYPTION_KEY", key);
    }
    let output = command.output().unwrap();
    let told =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{told}");
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn holds(path: &Path, text: &str) -> bool {
    fs::read(path).unwrap().windows(text.len()).any(|bytes| bytes == text.as_bytes())
}

#[test]
fn a_home_is_made_used_and_carried_with_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let key = Some(KEY);
    told(at, key, &["init", "life.db"], 0);
    told(at, key, &["note", "life.db", "--kind", "decision", "We sail to Lisbon in May."], 0);
    told(at, key, &["dream", "life.db"], 0);
    assert!(told(at, key, &["search", "life.db", "Lisbon"], 0).contains("We sail to Lisbon"));
    told(at, key, &["doctor", "life.db"], 0);
    told(at, key, &["backup", "life.db", "copy.db"], 0);
    for file in ["life.db", "copy.db"] {
        assert!(!holds(&at.join(file), "Lisbon") && !holds(&at.join(file), "SQLite format 3"), "{file}");
    }
    assert!(told(at, key, &["search", "copy.db", "Lisbon"], 0).contains("We sail to Lisbon"));
    for (wrong, why) in [(None, "unlock it with its key"), (Some("another"), "the key does not open it")] {
        let refused = told(at, wrong, &["status", "life.db"], 3);
        assert!(refused.contains(why), "{refused}");
    }
    // The key may be in a file that the settings name, and the kept index has it too.
    fs::write(at.join("key"), format!("{KEY}\n")).unwrap();
    let settings = "[home]\npath = \"life.db\"\nencryption_key_file = \"key\"\n[search]\nindex = \"kept\"\n";
    fs::write(at.join("settings.toml"), settings).unwrap();
    told(at, None, &["--config", "settings.toml", "status"], 0);
    for _ in 0..2 {
        let found = told(at, None, &["--config", "settings.toml", "search", "Lisbon"], 0);
        assert!(found.contains("We sail to Lisbon") && !found.contains("no index"), "{found}");
    }
    let kept: Vec<_> = fs::read_dir(at.join("kept")).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!kept.is_empty() && !kept.iter().any(|file| holds(file, "Lisbon")), "{kept:?}");
}

#[test]
fn a_home_without_encryption_is_opened_so_and_copied_into_an_encrypted_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    told(at, None, &["init", "plain.db"], 0);
    told(at, None, &["note", "plain.db", "We sail to Lisbon in May."], 0);
    let said = told(at, Some(KEY), &["backup", "plain.db", "life.db"], 0);
    assert!(said.contains("plain.db is not encrypted"), "{said}");
    assert!(holds(&at.join("plain.db"), "Lisbon") && !holds(&at.join("life.db"), "Lisbon"));
    assert!(told(at, Some(KEY), &["search", "life.db", "Lisbon"], 0).contains("We sail to Lisbon"));
}
