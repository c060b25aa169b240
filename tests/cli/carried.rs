//! Two folders that a tool carries file by file, while processes dream in both.

#![expect(clippy::case_sensitive_file_extension_comparisons, reason = "the names in here are lower case")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use noctuary::exchange::TravelFile;

use crate::{ends, noctuary};

/// The files that travel, by their paths.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !stays(&name)
                && let Ok(bytes) = fs::read(&path)
            {
                found.insert(name, bytes);
            }
        }
    }
    found
}

fn stays(path: &str) -> bool {
    path.ends_with(".tmp")
        || path == ".dreaming.d/.gitignore"
        || path == ".stignore"
        || TravelFile::Syncthing.lines().iter().any(|line| {
            let pattern = line.trim_start_matches("(?d)/");
            path == pattern
                || pattern.strip_suffix('*').is_some_and(|front| path.starts_with(front))
                || path.starts_with(&format!("{pattern}/"))
        })
}

/// The tool: what both had when they were last the same, and how many copies it made.
struct Tool {
    homes: [PathBuf; 2],
    last: BTreeMap<String, Vec<u8>>,
    copies: usize,
}

impl Tool {
    /// Gives a file its bytes, unless somebody changed it since it was read.
    fn set(&self, at: usize, path: &str, was: Option<&[u8]>, bytes: Option<&[u8]>) -> bool {
        let target = self.homes[at].join(path);
        if fs::read(&target).ok().as_deref() != was {
            return false;
        }
        match bytes {
            Some(bytes) => {
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                let beside = target.parent().unwrap().join(".carried.tmp");
                fs::write(&beside, bytes).unwrap();
                fs::rename(beside, target).unwrap();
            }
            None => {
                let _ = fs::remove_file(target);
            }
        }
        true
    }

    fn carry(&mut self) {
        let sides = [files(&self.homes[0]), files(&self.homes[1])];
        let paths: BTreeSet<&String> = sides.iter().flat_map(BTreeMap::keys).collect();
        for path in paths {
            let [one, other] = [sides[0].get(path), sides[1].get(path)].map(|bytes| bytes.map(Vec::as_slice));
            let last = self.last.get(path).map(Vec::as_slice);
            let (is_done, now) = if one == other {
                (true, one)
            } else if one == last {
                (self.set(0, path, one, other), other)
            } else if other == last {
                (self.set(1, path, other, one), one)
            } else if let (Some(mine), Some(theirs)) = (one, other) {
                self.copies += 1;
                let (stem, end) = path.rsplit_once('.').unwrap();
                let beside = format!("{stem}.sync-conflict-20261121-{:06}-ABCDEFG.{end}", self.copies);
                let is_done = self.set(1, &beside, None, Some(theirs)) && self.set(1, path, other, one);
                (is_done, Some(mine))
            } else {
                let kept = one.or(other);
                let at = usize::from(one.is_some());
                (self.set(at, path, None, kept), kept)
            };
            if is_done {
                match now {
                    Some(bytes) => self.last.insert(path.clone(), bytes.to_vec()),
                    None => self.last.remove(path),
                };
            }
        }
    }
}

fn dreams(at: &Path, home: &str) -> Child {
    let mut command = noctuary(at);
    let settings = at.join("settings.toml");
    command
        .arg("--config")
        .arg(settings)
        .args(["dream", home, "--all"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

// 500 rounds, each with two syncs of both ways, in a long run.
#[test]
fn processes_that_dream_while_a_tool_carries_their_folders_lose_nothing() {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let at = folder.path();
    for home in ["laptop", "server"] {
        fs::create_dir_all(at.join(home).join("memory")).unwrap();
        fs::write(at.join(home).join("MEMORY.md"), "# Memory\n").unwrap();
    }
    let homes = ["laptop", "server"].map(|home| at.join(home));
    let last = files(&homes[0]);
    let mut tool = Tool { homes, last, copies: 0 };
    let rounds = if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 500 } else { 12 };
    // Else a day's calls are used up after 48 rounds, and what is left is a test of carrying.
    fs::write(at.join("settings.toml"), "[dream]\nmax_calls_per_day = 0\n").unwrap();
    let mut said = Vec::new();
    for round in 0..rounds {
        for (machine, home) in tool.homes.iter().enumerate() {
            let line =
                format!("Decision: boat b{round}m{machine} is painted in harbour {}.", round * 2 + machine);
            let day = 1 + round * 28 / rounds;
            let journal = home.join(format!("memory/2026-10-{day:02}-repl.md"));
            let mut file = fs::File::options().append(true).create(true).open(journal).unwrap();
            let (hour, minute) = (round / 60 % 24, round % 60);
            file.write_all(format!("- [{hour:02}:{minute:02}:0{machine}] [user] {line}\n").as_bytes())
                .unwrap();
            said.push(line);
        }
        let mut children = [dreams(at, "laptop"), dreams(at, "server")];
        tool.carry();
        for child in &mut children {
            child.wait().unwrap();
        }
        tool.carry();
        if round % 2 == 1 {
            ends(at, &["merge-copies", ["laptop", "server"][round / 2 % 2], "--json"], 0);
        }
    }
    for _ in 0..8 {
        tool.carry();
        for home in ["laptop", "server"] {
            ends(at, &["merge-copies", home, "--json"], 0);
        }
    }
    let [one, other] = [files(&tool.homes[0]), files(&tool.homes[1])];
    let differ: Vec<_> =
        one.iter().filter(|(path, bytes)| other.get(*path) != Some(bytes)).map(|(path, _)| path).collect();
    assert!(one == other, "machines differ: {differ:?}");
    let text = |front: &str| -> String {
        let found = one.iter().filter(|(path, _)| path.starts_with(front));
        found.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect()
    };
    let (journals, memory) = (text("memory/2026"), text("MEMORY.md"));
    for line in &said {
        assert_eq!(journals.matches(line.as_str()).count(), 1, "{line}");
        assert!(memory.matches(line.as_str()).count() <= 1, "{line} is doubled");
    }
    assert!(memory.matches("Decision: boat").count() > said.len() / 3, "dreams kept lines: {memory}");
    println!("{} syncs, {} copies, {} lines", rounds * 2, tool.copies, said.len());
}

// `merge-copies` opened the store before it merged the copies, and ended with 3 as every other command did.
#[test]
fn copies_are_merged_where_a_tool_kept_the_rows_of_the_other_machine() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let add = |home: &str, text: &str| {
        fs::write(at.join("m.json"), format!("[{{\"memory\": \"{text}\"}}]")).unwrap();
        ends(at, &["import", "m.json", home, "--from", "mem0", "--apply"], 0);
    };
    ends(at, &["init", "laptop"], 0);
    add("laptop", "Takes tea without milk.");
    let (lines, state) = (".dreaming.d/memories.jsonl", ".dreaming.d");
    let (laptop, server) = (at.join("laptop"), at.join("server"));
    fs::create_dir_all(server.join(state)).unwrap();
    for entry in fs::read_dir(laptop.join(state)).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), server.join(state).join(entry.file_name())).unwrap();
    }
    add("laptop", "Paints boats on the desk.");
    add("laptop", "Sails on Sundays in May.");
    add("server", "Reads the tide tables.");
    // The tool keeps the other machine's, which is shorter.
    let copy = "memories.sync-conflict-20261121-091500-ABCDEFG.jsonl";
    fs::rename(laptop.join(lines), laptop.join(state).join(copy)).unwrap();
    fs::copy(server.join(lines), laptop.join(lines)).unwrap();
    let output = crate::run(at, &["status", "laptop"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(3) && told.contains("merge-copies"), "{told}");
    let told = ends(at, &["merge-copies", "laptop"], 0);
    assert!(told.contains(copy), "{told}");
    let status = crate::json(at, &["status", "laptop", "--json"], 0);
    assert_eq!(status["rows"], 4, "{status}");
}

#[test]
fn a_journal_that_no_dream_reads_is_named_by_status() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ends(at, &["init", "agent"], 0);
    fs::create_dir_all(at.join("agent/memory/2026/11")).unwrap();
    let line = "- [09:00:00] [user] Decision: the boat is Brisk.\n";
    for file in
        ["memory/16.11.2026.md", "memory/2026/11/2026-11-22.md", "memory/20261124.md", "2026-11-25.md"]
    {
        fs::write(at.join("agent").join(file), line).unwrap();
    }
    let told = ends(at, &["status", "agent"], 0);
    assert!(
        told.contains("Not read") && told.contains("memory/16.11.2026.md") && told.contains("2026-11-25.md"),
        "{told}"
    );
    let status = crate::json(at, &["status", "agent", "--json"], 0);
    assert_eq!(status["unknown_journals"].as_array().unwrap().len(), 2, "{status}");
    assert_eq!(status["journals"], 2, "{status}");
}
