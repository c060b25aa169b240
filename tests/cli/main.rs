//! The command `noctuary`, as a person and a script use it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod carried;
mod chats;
mod examples;
mod forms;
mod found;
mod git;
mod left_out;
mod model;
mod newcomer;
mod operator;
mod rows;
mod server;
#[cfg(target_os = "linux")]
mod terminal;
mod told;
mod vault;
mod zones;

use std::path::Path;
use std::process::{Command, Output};

/// The built program, with settings and a key of its own.
fn noctuary(folder: &Path) -> Command {
    settled(Command::new(env!("CARGO_BIN_EXE_noctuary")), folder)
}

fn settled(mut command: Command, folder: &Path) -> Command {
    command
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", folder.join(".config"))
        .env_remove("NOCTUARY_CONFIG")
        .env_remove("NOCTUARY_KEY_FILE")
        .env_remove("NO_COLOR")
        .env_remove("NOCTUARY_HOME")
        .env_remove("MINARA_WORKSPACE_DIR")
        .env_remove("EMBEDDING_PROVIDER")
        .env_remove("NOCTUARY_MODEL")
        .env_remove("TZ");
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    noctuary(folder).args(arguments).output().unwrap()
}

/// Runs a command that must end with a code; returns what it printed.
#[track_caller]
fn ends(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = run(folder, arguments);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{out}\n{err}");
    out.into_owned()
}

#[track_caller]
fn json(folder: &Path, arguments: &[&str], code: i32) -> serde_json::Value {
    let text = ends(folder, arguments, code);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{text}"))
}

/// The findings of the doctor.
#[track_caller]
fn findings(folder: &Path, home: &str, code: i32) -> serde_json::Value {
    let mut told = json(folder, &["doctor", home, "--json"], code);
    assert!(told["health"]["documents"].is_u64(), "{told}");
    told["findings"].take()
}
