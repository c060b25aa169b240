//! The bytes of a home after each verb that removes words, in each spelling of a table.

use std::fs;
use std::path::Path;

use noctuary::exchange::Forget;
use noctuary::memory::{NewMemory, Source};
use noctuary::{
    FileMemoryStore, FileWorkspace, MemoryStore, SqliteMemoryStore, SqliteWorkspace, Workspace, WriteMode,
};
use noctuary_tests::common::marta::{agent, human, marta, now};
use noctuary_tests::dreaming::name;

/// Statements, each with the same in another spelling.
fn spellings() -> impl Iterator<Item = [&'static str; 2]> {
    let table = include_str!("../../src/gate/tombstone/stones/spellings.tsv");
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut columns = line.split('\t').skip(1);
        [columns.next().unwrap(), columns.next().unwrap()]
    })
}

/// Returns the files that hold a text as it is written, in UTF-8 or in UTF-16, free pages and logs included.
fn files_with(folder: &Path, text: &str, found: &mut Vec<String>) {
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_with(&path, text, found);
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let holds = |part: &[u8]| memchr::memmem::find(&bytes, part).is_some();
        // What is in a text of JSON or of SQL is escaped, and the same apart from that.
        let escaped = serde_json::to_string(text).unwrap();
        if holds(text.as_bytes()) || holds(&utf16) || holds(escaped.trim_matches('"').as_bytes()) {
            found.push(path.display().to_string());
        }
    }
}

fn nowhere(folder: &Path, texts: &[&str], verb: &str) {
    for text in texts {
        let mut found = Vec::new();
        files_with(folder, text, &mut found);
        assert!(found.is_empty(), "{verb}: {text:?} is in {found:?}");
    }
}

fn open(folder: &Path, kind: usize) -> (Box<dyn Workspace>, Box<dyn MemoryStore>) {
    if kind == 1 {
        let path = folder.join("life.db");
        let store = SqliteMemoryStore::open(&path, marta()).unwrap();
        return (Box::new(SqliteWorkspace::open(&path, marta()).unwrap()), Box::new(store));
    }
    let store = FileMemoryStore::open(folder, marta()).unwrap();
    (Box::new(FileWorkspace::open(folder).unwrap()), Box::new(store))
}

#[test]
#[ignore = "sweep"]
fn no_byte_of_what_is_forgotten_purged_or_erased_is_left_in_any_spelling() {
    for kind in 0..2 {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let (workspace, store) = open(at, kind);
        for (number, [statement, other]) in spellings().enumerate() {
            // It was said in the other spelling, in each kind of place, and is forgotten in this one.
            let row = |text: String| NewMemory::new("observation", text, Source::AgentRecorded);
            let rest = store
                .write(&agent(), &row(format!("We met on a Friday at noon: {other}. Fine.")), now())
                .unwrap();
            let whole = store.write(&agent(), &row(other.to_owned()), now()).unwrap();
            store
                .write(&agent(), &row("a note".to_owned()).metadata(serde_json::json!({ "a": other })), now())
                .unwrap();
            store.write(&agent(), &row("a row".to_owned()).because(format!("since {other}")), now()).unwrap();
            store.set_profile(&agent(), "word", other, now()).unwrap();
            let journal = name(&format!("memory/2026-11-20-s{number}.md"));
            let text = format!("# 2026-11-20\n\n- [09:00:00] [user] {other}, and tea.\n");
            workspace.write(&journal, text.as_bytes(), WriteMode::Create).unwrap();
            workspace
                .write(&name("MEMORY.md"), format!("- {other}.\n- Tea.\n").as_bytes(), WriteMode::Replace)
                .unwrap();
            let request = human();
            let forget = Forget::new(&request, statement)
                .store(store.as_ref())
                .workspace(workspace.as_ref())
                .in_files(true);
            let receipt = forget.run(now()).unwrap();
            assert_eq!(receipt.left().count(), 0, "{statement}: {receipt}");
            nowhere(at, &[statement, other], "forget");
            let rest = store.get(&agent(), rest).unwrap().unwrap().content;
            assert!(rest.starts_with("We met on a Friday at noon: [forgotten]"), "{rest}");
            assert!(store.get(&agent(), whole).unwrap().is_none());
            // It comes in by no door, in neither spelling.
            for said in [statement, other] {
                assert!(
                    store.write(&agent(), &row(format!("so {said}, you know")), now()).is_err(),
                    "{said}"
                );
            }
            assert!(forget.lift(now()).unwrap());
            assert!(store.write(&agent(), &row(format!("so {other}, you know")), now()).is_ok());
            forget.run(now()).unwrap();
            nowhere(at, &[statement, other], "forget again");
            // Another row of the table has the same statement.
            assert!(forget.lift(now()).unwrap());
        }
        let all: Vec<&str> = spellings().flatten().collect();
        forgets_nothing_by_purge(store.as_ref(), at);
        drop((workspace, store));
        if kind == 1 {
            let erased = SqliteWorkspace::open(at.join("life.db"), marta()).unwrap().erase(&human()).unwrap();
            assert_eq!(erased.left, None);
        } else {
            let files = FileWorkspace::open(at).unwrap().belongings().unwrap();
            assert_eq!(files.others, [""; 0]);
            files.life.iter().for_each(|path| fs::remove_file(at.join(path)).unwrap());
        }
        nowhere(at, &all, "erase");
        nowhere(at, &["and tea.", "We met on a Friday"], "erase");
    }
}

fn forgets_nothing_by_purge(store: &dyn MemoryStore, at: &Path) {
    let said: Vec<String> = spellings().map(|[_, other]| format!("{other} zweitens")).collect();
    // None of these words was forgotten so far: they are parted.
    let apart =
        |text: &str| text.split_whitespace().map(|word| format!("{word} zz")).collect::<Vec<_>>().join(" ");
    let said: Vec<String> = said.iter().map(|text| apart(text)).collect();
    for text in &said {
        let row = NewMemory::new("observation", text.as_str(), Source::AgentRecorded);
        let Ok(id) = store.write(&agent(), &row, now()) else { continue };
        store.delete(&agent(), id, now()).unwrap();
    }
    let later = now() + chrono::Days::new(99);
    store.purge(later, later).unwrap();
    nowhere(at, &said.iter().map(String::as_str).collect::<Vec<_>>(), "purge");
}
