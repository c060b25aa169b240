//! Two SQLite databases of one life, each with its documents and its rows, that both dreamed and become one.

use std::sync::Arc;

use chrono::Duration;
use noctuary::exchange::{Forget, Merge, feed, merge_rows};
use noctuary::memory::{Filter, NewMemory, Source};
use noctuary::{
    Access, JournalDreamer, LlmReply, LlmRequest, MemoryStore, SqliteMemoryStore, SqliteWorkspace, Workspace,
    llm_fn,
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
