//! The house stands: code uses the floors below its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module and its floor. An arrow points down only, and modules of one floor that stand apart do not
/// see each other, unless `TOGETHER` says so.
const FLOORS: &[(u32, &[&str])] = &[
    (0, &["digest", "text", "day", "name", "access", "document"]),
    (1, &["error"]),
    (2, &["workspace", "pii", "llm", "format", "disk", "env", "receipt"]),
    (3, &["memory", "dreamer", "index"]),
    (4, &["gate", "recall", "trace"]),
    (5, &["session", "store"]),
    (6, &["lifecycle", "prompt"]),
    (7, &["dream", "sleep", "consolidate", "file", "sqlite", "models"]),
    (8, &["drive", "life", "tools", "openclaw", "doctor", "exchange", "forget", "report"]),
    (9, &["testing"]),
];

/// Pairs of one floor of which the first may use the second: plain words of words, and the data of a
/// contract in the files that keep it. A sleeper's answers are cleaned as those of a curator are.
const TOGETHER: &[(&str, &str)] = &[
    ("document", "digest"),
    ("document", "name"),
    ("name", "text"),
    ("format", "llm"),
    ("workspace", "text"),
    ("lifecycle", "prompt"),
    ("sleep", "dream"),
    ("dreamer", "memory"),
    ("consolidate", "dream"),
];

#[test]
fn floors_hold_and_neighbours_do_not_see_each_other() {
    let floors: BTreeMap<&str, u32> = FLOORS
        .iter()
        .flat_map(|(floor, modules)| modules.iter().map(move |module| (*module, *floor)))
        .collect();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&source, &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let path = file.strip_prefix(&source).unwrap().to_string_lossy().replace('\\', "/");
        let module = path.split('/').next().unwrap().trim_end_matches(".rs");
        if module == "lib" || module == "manual" {
            continue;
        }
        let Some(floor) = floors.get(module) else {
            wrong.push(format!("{path}: {module} stands on no floor"));
            continue;
        };
        let text = fs::read_to_string(&file).unwrap();
        // Unit tests are exempt: they stand at the end of a file.
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for used in uses(code) {
            let Some(other) = floors.get(used.as_str()) else { continue };
            let apart = other == floor && used != module && !TOGETHER.contains(&(module, used.as_str()));
            if other > floor || apart {
                wrong.push(format!("{path} (floor {floor}) uses {used} (floor {other})"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the crate") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The modules that code names after `crate::`, comments left out.
fn uses(code: &str) -> Vec<String> {
    let mut used = Vec::new();
    for line in code.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        for rest in line.split("crate::").skip(1) {
            let module: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            if !module.is_empty() && !used.contains(&module) {
                used.push(module);
            }
        }
    }
    used
}

/// Only one module each speaks to the kernel's locks, writes files, reads the wall clock.
#[test]
fn floors_keep_their_own_doors() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&source, &mut files);
    let doors: &[(&str, &[&str])] = &[
        ("fs4::", &["disk/lock.rs"]),
        ("std::fs", &["disk/"]),
        ("Utc::now", &["disk/", "drive.rs"]),
        ("SystemTime::now", &[]),
        ("rusqlite", &["sqlite/"]),
    ];
    let mut wrong = Vec::new();
    for file in files {
        let path = file.strip_prefix(&source).unwrap().to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for line in code.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            for (word, allowed) in doors {
                if line.contains(word) && !allowed.iter().any(|door| path.starts_with(door)) {
                    wrong.push(format!("{path}: {line}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
