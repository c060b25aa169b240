//! Two SQLite databases of one life, each with its documents and its rows, that both dreamed and become one.

use std::sync::Arc;

use chrono::Duration;
use noctuary::exchange::{Forget, Merge, feed, merge_rows};
use noctuary::facts::FactStore;
use noctuary::memory::{Filter, NewMemory, Source};
use noctuary::{
    Access, FileMemoryStore, FileWorkspace, JournalDreamer, LlmReply, LlmRequest, MemoryStore,
    SqliteMemoryStore, SqliteWorkspace, Workspace, llm_fn,
};

use crate::exchange::text;
use noctuary_tests::dreaming::marta::marta;
use noctuary_tests::dreaming::{Life, dream, dreamer_over, name, night, seen};

/// A life in one file.
struct Database {
    workspace: Arc<dyn Workspace>,
    store: SqliteMemoryStore,
}

fn human() -> Access {
    Access::human(marta())
}

fn open(folder: &Life, file: &str) -> Database {
    let workspace = SqliteWorkspace::open(folder.path(file), marta()).unwrap();
    let store = SqliteMemoryStore::open(folder.path(file), marta()).unwrap();
    Database { workspace: Arc::new(workspace), store }
}

fn stone(number: usize) -> String {
    format!("Stone q{number} lies in harbour h{number}.")
}

fn promotes(request: &LlmRequest, front: &str) -> LlmReply {
    let line = |line: noctuary_tests::dreaming::Seen| {
        let at = line.text.find("Stone q")?;
        Some(format!("- {front}{} ({}#L{})", &line.text[at..], line.journal, line.number))
    };
    LlmReply::new(seen(request).into_iter().filter_map(line).collect::<Vec<_>>().join("\n"))
}

impl Database {
    fn note(&self, file: &str, hour: u32, number: usize) {
        let line = format!("- [{hour:02}:00:00] [user] {}\n", stone(number));
        self.workspace.append(&name(file), line.as_bytes()).unwrap();
    }

    fn dreamer(&self) -> JournalDreamer {
        dreamer_over(Arc::clone(&self.workspace), |_| {})
    }

    fn dream(&self, front: &str, hours: i64) {
        let now = night(21) + Duration::hours(hours);
        dream(&self.dreamer(), &llm_fn(|request| Ok(promotes(request, front))), now);
        feed(self.workspace.as_ref(), &self.store, &marta(), now).unwrap();
    }

    fn rows(&self) -> Vec<String> {
        let rows = self.store.list(&human(), &Filter::limit(99)).unwrap();
        let mut rows: Vec<String> = rows.into_iter().map(|row| row.content).collect();
        rows.sort();
        rows
    }
}

#[test]
fn two_databases_that_both_dreamed_become_one_with_each_line_and_each_row_once() {
    let folder = Life::empty();
    let base = open(&folder, "base.db");
    base.workspace.append(&name("MEMORY.md"), b"# Memory\n\n- Known already.\n").unwrap();
    base.note("memory/2026-11-20-repl.md", 9, 1);
    for file in ["laptop.db", "server.db"] {
        let copy = open(&folder, file);
        noctuary::exchange::copy_into(base.workspace.as_ref(), copy.workspace.as_ref()).unwrap();
    }
    let [laptop, server] = ["laptop.db", "server.db"].map(|file| open(&folder, file));
    laptop.note("memory/2026-11-20-repl.md", 10, 2);
    server.note("memory/2026-11-20-repl.md", 11, 3);
    server.note("memory/2026-11-20-repl.md", 12, 4);
    // Both dream the first line, each in other words and with more.
    laptop.dream("", 0);
    server.dream("We know: ", 3);
    let now = night(22);
    for (machine, row) in [(&laptop, "Tea at five."), (&server, "The boat is called Brisk.")] {
        machine.store.write(&human(), &NewMemory::new("fact", row, Source::UserManual), now).unwrap();
    }
    Forget::new(&human(), stone(4))
        .in_files(true)
        .workspace(server.workspace.as_ref())
        .store(&server.store)
        .run(now)
        .unwrap();

    let merged = |file: &str, one: &Database, other: &Database| {
        let out = open(&folder, file);
        let merge = Merge::new(one.workspace.as_ref(), other.workspace.as_ref());
        let plan = merge.base(base.workspace.as_ref()).plan().unwrap();
        assert!(plan.conflicts().is_empty(), "{:?}", plan.conflicts());
        plan.write(out.workspace.as_ref()).unwrap();
        merge_rows(&human(), [&one.store, &other.store], &out.store, now).unwrap();
        out
    };
    let out = merged("both.db", &laptop, &server);
    let mirror = merged("mirror.db", &server, &laptop);
    for file in ["MEMORY.md", "memory/2026-11-20-repl.md"] {
        assert_eq!(text(out.workspace.as_ref(), file), text(mirror.workspace.as_ref(), file));
    }
    assert_eq!(out.rows(), mirror.rows(), "no machine is first");
    let check = |what: &str| {
        let memory = text(out.workspace.as_ref(), "MEMORY.md");
        let journal = text(out.workspace.as_ref(), "memory/2026-11-20-repl.md");
        for number in 1..=3 {
            assert_eq!(memory.matches(&stone(number)).count(), 1, "{what}\n{memory}");
            assert_eq!(journal.matches(&stone(number)).count(), 1, "{what}\n{journal}");
        }
        let rows = out.rows();
        assert!(
            !(memory + &journal + &rows.join("\n")).contains(&stone(4)),
            "{what}: forgotten is forgotten"
        );
        for row in ["Tea at five.", "The boat is called Brisk."] {
            assert_eq!(rows.iter().filter(|known| *known == row).count(), 1, "{what}: {rows:?}");
        }
    };
    check("merged");
    // The next night finds nothing new, and doubles nothing.
    out.dream("Then: ", 48);
    check("a night later");
}

trait Rows: MemoryStore + FactStore {}
impl<S: MemoryStore + FactStore> Rows for S {}

/// A merge had each row twice that both machines had noted, and asked nobody about two values of one property.
#[test]
fn what_both_noted_is_one_row_and_two_values_are_asked_about() {
    let noted = |store: &dyn Rows, minute: i64, words: &str| {
        let row = NewMemory::new("fact", words, Source::UserManual);
        store.write(&human(), &row, night(21) + Duration::minutes(minute)).unwrap()
    };
    let fill = |stores: [&dyn Rows; 2]| {
        noted(stores[0], 5, "The office is in Lyon.");
        noted(stores[0], 3, "The lamp is from Ilya.");
        let pinned = noted(stores[1], 6, "the lamp  is from Ilya.");
        stores[1].pin(&human(), pinned, true, night(21) + Duration::minutes(7)).unwrap();
        noted(stores[1], 8, "The office is in Porto.");
    };
    let check = |store: &dyn Rows, what: &str| {
        let mut rows = store.list(&human(), &Filter::limit(99)).unwrap();
        rows.sort_by_key(|row| row.created_at);
        let said: Vec<(&str, bool)> = rows.iter().map(|row| (row.content.as_str(), row.pinned)).collect();
        let expected = [
            ("The lamp is from Ilya.", true),
            ("The office is in Lyon.", false),
            ("The office is in Porto.", false),
        ];
        assert_eq!(said, expected, "{what}");
        let pairs = store.suspicions(&human(), 9).unwrap();
        let pairs: Vec<_> = pairs
            .iter()
            .map(|pair| [&pair.older, &pair.newer].map(|fact| fact.memory.content.clone()))
            .collect();
        let [pair] = &pairs[..] else { panic!("{what}: {pairs:?}") };
        assert!(pair.contains(&"The office is in Lyon.".to_owned()), "{what}: {pair:?}");
        assert!(pair.contains(&"The office is in Porto.".to_owned()), "{what}: {pair:?}");
    };

    let folder = Life::empty();
    let open = |name: &str| FileMemoryStore::open(folder.path(name), marta()).unwrap();
    let workspace = |name: &str| FileWorkspace::open(folder.path(name)).unwrap();
    for name in ["one", "other", "both", "mirror", "again", "later"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    fill([&open("one"), &open("other")]);
    let merged = |one: &str, other: &str, out: &str| {
        Merge::new(&workspace(one), &workspace(other)).plan().unwrap().write(&workspace(out)).unwrap();
        check(&open(out), out);
        std::fs::read_to_string(folder.path(out).join(".dreaming.d/memories.jsonl")).unwrap()
    };
    let both = merged("one", "other", "both");
    assert_eq!(merged("other", "one", "mirror"), both, "no machine is first");
    assert_eq!(merged("both", "other", "again"), both, "it is in already");
    assert_eq!(merged("one", "both", "later"), both, "it is in already");

    let [one, other, both, mirror, again] =
        [0; 5].map(|_| SqliteMemoryStore::open_in_memory(marta()).unwrap());
    fill([&one, &other]);
    for (out, pair) in [(&both, [&one, &other]), (&mirror, [&other, &one]), (&again, [&both, &other])] {
        merge_rows(&human(), pair, out, night(22)).unwrap();
        check(out, "database");
    }
}
