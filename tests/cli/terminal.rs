//! The program in a terminal of eighty columns, through a pty.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::{ends, noctuary};

/// The other end of a terminal.
struct Terminal {
    host: File,
    told: String,
    child: std::process::Child,
}

impl Terminal {
    fn start(folder: &Path, arguments: &[&str], editor: &str) -> Self {
        let host = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&host).unwrap();
        unlockpt(&host).unwrap();
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&host, size).unwrap();
        let name = ptsname(&host, Vec::new()).unwrap();
        let guest = || {
            let file = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
            Stdio::from(file)
        };
        let child = noctuary(folder)
            .args(arguments)
            .env("EDITOR", editor)
            .env_remove("VISUAL")
            .stdin(guest())
            .stdout(guest())
            .stderr(guest())
            .spawn()
            .unwrap();
        rustix::fs::fcntl_setfl(&host, rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::RDWR).unwrap();
        Self { host: File::from(host), told: String::new(), child }
    }

    /// Reads until a text is there, or the program has ended.
    fn read_until(&mut self, text: &str) -> bool {
        let begun = Instant::now();
        let mut bytes = [0; 4096];
        while !self.told.contains(text) && begun.elapsed() < Duration::from_secs(60) {
            match self.host.read(&mut bytes) {
                Ok(count) if count > 0 => self.told.push_str(&String::from_utf8_lossy(&bytes[..count])),
                _ if self.child.try_wait().unwrap().is_some() => break,
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        }
        self.told.contains(text)
    }

    #[track_caller]
    fn answer(&mut self, prompt: &str, line: &str) {
        assert!(self.read_until(prompt), "no {prompt:?} in {:?}", self.told);
        self.told.clear();
        self.host.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn end(mut self) -> (Option<i32>, String) {
        self.read_until("\u{0}never");
        let mut rest = [0; 4096];
        while let Ok(count @ 1..) = self.host.read(&mut rest) {
            self.told.push_str(&String::from_utf8_lossy(&rest[..count]));
        }
        (self.child.wait().unwrap().code(), std::mem::take(&mut self.told))
    }
}

/// Returns a text without its colours.
fn plain(text: &str) -> String {
    regex::Regex::new("\x1b\\[[0-9;?]*[a-zA-Z]").unwrap().replace_all(text, "").into_owned()
}

#[test]
fn a_terminal_has_colours_and_lines_that_fit() {
    let folder = tempfile::tempdir().unwrap();
    ends(folder.path(), &["init", "agent"], 0);
    std::fs::write(folder.path().join("agent/memory.md"), "- key AKIAIOSFODNN7EXAMPLE\n").unwrap();
    let (code, told) = Terminal::start(folder.path(), &["doctor", "agent"], "true").end();
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("\x1b[33m") && told.contains("two_memories"), "{told}");
    for arguments in [&["doctor", "agent"][..], &["status", "agent"], &[]] {
        let (_, told) = Terminal::start(folder.path(), arguments, "true").end();
        // What shows the progress writes over its own line.
        for line in plain(&told).split(['\n', '\r']) {
            assert!(line.trim_end().chars().count() <= 80, "{line:?}");
        }
    }
}

/// The commands of README's picture, as a person types them.
const SHOWN: [&[&str]; 6] = [
    &["init", "brisk"],
    &["note", "brisk", "Decision: releases go out on Fridays."],
    &["note", "brisk", "The boat is called Brisk, and lies in Porto."],
    &["dream", "brisk", "--now"],
    &["search", "brisk", "--limit", "1", "When do we release?"],
    &["undo", "brisk"],
];

/// Made anew by `NOCTUARY_PICTURE=1 cargo test -p noctuary-cli --test cli picture`.
#[test]
fn the_picture_of_a_terminal_is_what_the_command_prints() {
    let folder = tempfile::tempdir().unwrap();
    let is_plain = |word: &&&str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let mut told = String::new();
    for arguments in SHOWN {
        let typed = arguments
            .iter()
            .map(|word| if is_plain(&word) { (*word).to_owned() } else { format!("{word:?}") });
        told.push_str(&format!("\x1b[1;32m$\x1b[0m noctuary {}\n", typed.collect::<Vec<_>>().join(" ")));
        let (code, said) = Terminal::start(folder.path(), arguments, "true").end();
        assert_eq!(code, Some(0), "{said}");
        told.push_str(&said);
    }
    // The progress writes over its own line, and the day is that of the run.
    for (varies, always) in [
        ("(?:\r?[^\n]*\x1b\\[2K)+|\r", ""),
        (r"\d{4}-\d{2}-\d{2}", "2026-11-21"),
        (r"\d{2}:\d{2}:\d{2}", "09:12:00"),
        ("[0-9a-f]{16}", "0f3a9c5be2d14477"),
    ] {
        told = regex::Regex::new(varies).unwrap().replace_all(&told, always).into_owned();
    }
    let picture = anstyle_svg::Term::new().render_svg(&told);
    let path = noctuary_tests::root().join("pictures/terminal.svg");
    if std::env::var_os("NOCTUARY_PICTURE").is_some() {
        std::fs::write(&path, &picture).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), picture, "the command prints something else");
}

#[test]
fn the_home_that_stands_in_for_path_is_said_on_a_terminal_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ends(at, &["init", "agent"], 0);
    std::fs::create_dir_all(at.join(".config/noctuary")).unwrap();
    let settings = format!("[home]\npath = {:?}\n", at.join("agent"));
    std::fs::write(at.join(".config/noctuary/config.toml"), settings).unwrap();
    let (code, told) = Terminal::start(at, &["status"], "true").end();
    assert_eq!(code, Some(0), "{told}");
    let said = format!("PATH was left out: using {}", at.join("agent").display());
    assert!(told.contains(&said), "{told}");
    let (_, told) = Terminal::start(at, &["status", "agent"], "true").end();
    assert!(!told.contains("left out"), "{told}");
    let piped = noctuary(at).arg("status").output().unwrap();
    assert_eq!((piped.status.code(), piped.stderr.len()), (Some(0), 0), "{piped:?}");
    let (_, told) = Terminal::start(at, &["status", "--help"], "true").end();
    assert!(told.contains('\x1b') && plain(&told).contains("[PATH]"), "{told}");
}

#[test]
fn a_person_reviews_a_proposal_edits_it_and_accepts_it() {
    let folder = tempfile::tempdir().unwrap();
    ends(folder.path(), &["init", "agent"], 0);
    ends(folder.path(), &["note", "agent", "--kind", "decision", "Releases go out on Fridays."], 0);
    ends(folder.path(), &["dream", "agent", "--propose"], 0);
    let mut terminal = Terminal::start(folder.path(), &["review", "agent"], "sed -i s/Fridays/Mondays/");
    terminal.answer("[q]uit? ", "what");
    terminal.answer("[q]uit? ", "e");
    terminal.answer("[q]uit? ", "a");
    let (code, told) = terminal.end();
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("it is in MEMORY.md"), "{told}");
    let memory = std::fs::read_to_string(folder.path().join("agent/MEMORY.md")).unwrap();
    assert!(memory.contains("Releases go out on Mondays."), "{memory}");

    ends(folder.path(), &["note", "agent", "--kind", "decision", "Ilya signs off each release."], 0);
    ends(folder.path(), &["dream", "agent", "--propose"], 0);
    let mut terminal = Terminal::start(folder.path(), &["review", "agent"], "true");
    terminal.answer("[q]uit? ", "s");
    assert_eq!(terminal.end().0, Some(1), "it still waits");
    let mut terminal = Terminal::start(folder.path(), &["review", "agent"], "true");
    terminal.answer("[q]uit? ", "r");
    assert_eq!(terminal.end().0, Some(0));
    let (code, told) = Terminal::start(folder.path(), &["review", "agent"], "true").end();
    assert_eq!(code, Some(0));
    assert!(told.contains("Nothing waits"), "{told}");
}
