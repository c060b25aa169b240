//! The examples of the manual page, run as they stand there.

use std::collections::BTreeSet;
use std::process::Command;

use crate::{ends, settled};

const PAGE: &str = include_str!("../../src/manual/operate.md");

fn commands() -> impl Iterator<Item = &'static str> {
    PAGE.lines().filter_map(|line| line.strip_prefix("$ "))
}

/// BX-44
#[test]
fn each_example_of_the_manual_page_does_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    for line in commands() {
        // A shell reads the quotes; `noctuary` is the program that was built.
        let script = format!("noctuary() {{ \"$NOCTUARY\" \"$@\"; }}\n{line}");
        let mut shell = settled(Command::new("sh"), folder.path());
        shell.arg("-c").arg(&script).env("NOCTUARY", env!("CARGO_BIN_EXE_noctuary"));
        let output = shell.output().unwrap();
        let told =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {told}");
        assert!(!told.is_empty(), "{line} says nothing");
    }
    assert!(folder.path().join("night.html").exists() && folder.path().join("life.db").exists());
    assert!(!folder.path().join("agent/MEMORY.md").exists(), "it was erased at the end");
    assert!(folder.path().join("other/MEMORY.md").exists() && folder.path().join("saved/MEMORY.md").exists());
}

#[test]
fn every_command_has_an_example_and_help() {
    let folder = tempfile::tempdir().unwrap();
    let help = ends(folder.path(), &["--help"], 0);
    let listed: BTreeSet<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| *word != "help")
        .collect();
    assert!(listed.len() >= 16, "{listed:?}");
    for command in listed {
        assert!(
            commands().any(|line| line.split_whitespace().nth(1) == Some(command)),
            "{command} has no example"
        );
        assert!(ends(folder.path(), &[command, "--help"], 0).contains("Usage:"));
    }
}

#[test]
fn the_settings_of_the_page_are_settings() {
    let folder = tempfile::tempdir().unwrap();
    let block = PAGE.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    std::fs::write(folder.path().join("noctuary.toml"), block).unwrap();
    let shown = ends(folder.path(), &["--config", "noctuary.toml", "--show-config"], 0);
    let value = |text: &str| text.parse::<toml::Table>().unwrap();
    assert_eq!(value(&shown), value(block), "{shown}");
    std::fs::write(folder.path().join("noctuary.toml"), "[dream]\nwindow_day = 3\n").unwrap();
    let output = crate::run(folder.path(), &["--config", "noctuary.toml", "--show-config"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("window_day"));
}
