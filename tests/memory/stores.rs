//! Faults that all memory stores survive: kills, and many writers at once beside a purge and a dream.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::TimeDelta;
use noctuary::format::Origin;
use noctuary::life::{ContextConfig, MemoryContext};
use noctuary::memory::{Filter, IndexState, Memory, MemoryId, NewMemory, Query, Source};
use noctuary::testing::Script;
use noctuary::testing::contract::memory as contract;
use noctuary::workspace::WorkspaceExt;
use noctuary::{
    Access, DocName, FileWorkspace, JournalDreamer, MemoryStore, Outcome, SqliteMemoryStore, SqliteWorkspace,
    Workspace, WriteMode, dream_once_at,
};
use rusqlite::Connection;

use noctuary_tests::common::marta::now;
use noctuary_tests::common::server;
use noctuary_tests::common::{Peer, backends, listen, role, tell};

const FILE: &str = "memory.db";

fn agent() -> Access {
    Access::agent(contract::scope())
}

fn fact(content: &str) -> NewMemory {
    NewMemory::new("fact", content, Source::AgentRecorded)
}

/// Everything that stands.
fn standing(store: &dyn MemoryStore) -> Vec<Memory> {
    store.list(&agent(), &Filter::limit(usize::MAX)).unwrap()
}

#[derive(Debug, Clone, Copy)]
enum Backend {
    Sqlite,
    File,
    Server,
}

impl Backend {
    /// The stores that are here: the last one where there is a server.
    fn all() -> Vec<Self> {
        let all = [Self::File, Self::Sqlite, Self::Server];
        all[backends()].to_vec()
    }

    fn of(word: &str) -> Self {
        *Self::all().iter().find(|backend| backend.word() == word).unwrap()
    }

    fn word(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::File => "file",
            Self::Server => "server",
        }
    }

    fn open(self, folder: &Path) -> Arc<dyn MemoryStore> {
        let backend = match self {
            Self::File => 0,
            Self::Sqlite => 1,
            Self::Server => 2,
        };
        noctuary_tests::open_store!(backend, folder, contract::scope())
    }

    /// The workspace in the same file or folder, or on the same server.
    fn workspace(self, folder: &Path) -> Arc<dyn Workspace> {
        match self {
            Self::Sqlite => Arc::new(SqliteWorkspace::open(folder.join(FILE), contract::scope()).unwrap()),
            Self::File => Arc::new(FileWorkspace::open(folder).unwrap()),
            Self::Server => Arc::new(server::rows_server_in(folder).workspace(contract::scope()).unwrap()),
        }
    }

    /// The index says what the rows say, and a store that followed all along says what one says that reads anew.
    fn is_sound(self, folder: &Path, follower: &dyn MemoryStore) {
        let fresh = self.open(folder);
        let rows = standing(fresh.as_ref());
        assert_eq!(standing(follower), rows, "{self:?}");
        assert_eq!(
            follower.snapshot(&agent(), 99, now()).unwrap(),
            fresh.snapshot(&agent(), 99, now()).unwrap()
        );
        assert_eq!(follower.audit(&agent(), 99_999).unwrap(), fresh.audit(&agent(), 99_999).unwrap());
        for (at, row) in rows.iter().enumerate() {
            // Each row has a word of its own.
            let word = row.content.split(' ').next().unwrap();
            let stores = if at % 7 == 0 { &[fresh.as_ref(), follower][..] } else { &[fresh.as_ref()][..] };
            for store in stores {
                let hits = store.search(&agent(), &Query::new(word)).unwrap().hits;
                let found: Vec<_> = hits.iter().map(|hit| &hit.memory).collect();
                assert_eq!(found, [row], "{self:?}: {word} is found, and alone");
            }
        }
        if matches!(self, Self::Sqlite) {
            let store = SqliteMemoryStore::open(folder.join(FILE), contract::scope()).unwrap();
            assert_eq!(store.check().unwrap(), IndexState::Sound);
            Connection::open(folder.join(FILE))
                .unwrap()
                .execute_batch("INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)")
                .unwrap();
        }
    }
}

fn is_long() -> bool {
    std::env::var_os("NOCTUARY_LONG_TESTS").is_some()
}

/// Where this test binary begins as a second process.
#[test]
fn a_child_plays_its_role() {
    let Some((role, folder)) = role() else { return };
    let words: Vec<&str> = role.split(' ').collect();
    let (verb, backend, run) = (words[0], Backend::of(words[1]), words[2]);
    let store = backend.open(&folder);
    let access = agent();
    match verb {
        // Writes, says what is acknowledged, and goes on until it is killed.
        "acknowledge" => {
            for row in 0.. {
                let content = format!("run{run}x{row} of the harbour");
                let id = store.write(&access, &fact(&content), now()).unwrap();
                tell(&format!("wrote {id} {content}"));
                if row % 3 == 0 {
                    assert!(store.update(&access, id, &format!("{content} again"), now()).unwrap());
                    tell(&format!("wrote {id} {content} again"));
                }
                if row % 4 == 0 {
                    assert!(store.pin(&access, id, true, now()).unwrap());
                    tell(&format!("pinned {id}"));
                }
                if row % 5 == 0 {
                    assert!(store.delete(&access, id, now()).unwrap());
                    tell(&format!("deleted {id}"));
                }
                if row % 11 == 5 {
                    store.purge(now() + TimeDelta::seconds(1), now()).unwrap();
                    tell("purged");
                }
            }
        }
        "write" => {
            tell("ready");
            listen();
            for row in 0..50 {
                store.write(&access, &fact(&format!("writer{run}row{row} of eight")), now()).unwrap();
            }
            tell("done");
        }
        other => panic!("{other}"),
    }
}

/// The rows that a child acknowledged before it died.
#[derive(Default)]
struct Acknowledged {
    contents: BTreeMap<i64, String>,
    pinned: BTreeSet<i64>,
    deleted: BTreeSet<i64>,
}

impl Acknowledged {
    fn take(&mut self, line: &str) {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (id, content) = rest.split_once(' ').unwrap_or((rest, ""));
        let id = || id.parse::<i64>().unwrap();
        match verb {
            "wrote" => drop(self.contents.insert(id(), content.to_owned())),
            "pinned" => drop(self.pinned.insert(id())),
            "deleted" => drop(self.deleted.insert(id())),
            other => assert_eq!(other, "purged"),
        }
    }

    /// No acknowledged row is lost, and none is there twice; returns how many were looked for.
    fn check(&self, store: &dyn MemoryStore) -> usize {
        for (id, content) in &self.contents {
            let read = store.get(&agent(), MemoryId::new(*id)).unwrap();
            if self.deleted.contains(id) {
                assert!(read.is_none(), "row {id} was deleted");
                continue;
            }
            // A change after the last word of a child may or may not stand: an update, a pin, or a deletion.
            let Some(read) = read else {
                let row: i64 = content.split(['x', ' ']).nth(1).unwrap().parse().unwrap();
                assert_eq!(row % 5, 0, "row {id} is lost");
                continue;
            };
            let again = format!("{content} again");
            assert!(read.content == *content || read.content == again, "row {id}: {}", read.content);
            assert!(read.pinned || !self.pinned.contains(id), "row {id} was pinned");
        }
        let mut seen = BTreeSet::new();
        for row in standing(store) {
            let word = row.content.split(' ').next().unwrap().to_owned();
            assert!(seen.insert(word), "{} is there twice", row.content);
        }
        self.contents.len()
    }
}

/// Kills writers, two at a time in one store, wherever they are.
fn kill_writers(backend: Backend) {
    let (homes, pairs) = if is_long() { (40, 25) } else { (1, 6) };
    let (mut looked_for, mut kills) = (0, 0);
    for home in 0..homes {
        let folder = tempfile::tempdir().unwrap();
        let follower = backend.open(folder.path());
        let mut acknowledged = Acknowledged::default();
        for pair in 0..pairs {
            let mut children: Vec<Peer> = ["a", "b"]
                .map(|child| {
                    Peer::start(
                        module_path!(),
                        &format!("acknowledge {} {home}p{pair}{child}", backend.word()),
                        folder.path(),
                    )
                })
                .into();
            for _ in 0..=((home + pair) * 7) % 23 {
                for child in &mut children {
                    acknowledged.take(&child.hear().unwrap());
                }
            }
            for child in &mut children {
                child.child.kill().unwrap();
                kills += 1;
            }
            // What they said before they died counts too.
            for child in &mut children {
                while let Some(line) = child.hear() {
                    acknowledged.take(&line);
                }
            }
            if pair % 5 == 0 {
                acknowledged.check(follower.as_ref());
            }
        }
        looked_for += acknowledged.check(follower.as_ref());
        acknowledged.check(backend.open(folder.path()).as_ref());
        backend.is_sound(folder.path(), follower.as_ref());
    }
    println!("{backend:?}: {kills} kills, {looked_for} acknowledged rows, 0 lost, 0 doubled");
    assert!(looked_for > kills, "{looked_for} rows of {kills} children");
}

#[test]
#[ignore = "sweep"]
fn killed_writers_of_a_database_lose_nothing_that_they_acknowledged() {
    kill_writers(Backend::Sqlite);
}

#[test]
#[ignore = "sweep"]
fn killed_writers_of_a_file_lose_nothing_that_they_acknowledged() {
    kill_writers(Backend::File);
}

#[test]
#[ignore = "sweep"]
fn killed_writers_of_a_server_lose_nothing_that_they_acknowledged() {
    Backend::all().into_iter().skip(2).for_each(kill_writers);
}

/// Eight processes write, while this one purges without an end, and dreams in the same file or folder.
fn write_at_once(backend: Backend) {
    let folder = tempfile::tempdir().unwrap();
    let store = backend.open(folder.path());
    let workspace = backend.workspace(folder.path());
    let journal = DocName::parse("memory/2026-11-20-repl.md").unwrap();
    workspace
        .write(&journal, b"- [user] Decision: the harbour is called Brisk\n", WriteMode::Create)
        .unwrap();
    let mut writers: Vec<Peer> = (0..8)
        .map(|writer| {
            Peer::start(module_path!(), &format!("write {} {writer}", backend.word()), folder.path())
        })
        .collect();
    for writer in &mut writers {
        assert_eq!(writer.hear().as_deref(), Some("ready"));
    }
    writers.iter_mut().for_each(Peer::go_on);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let purges = scope.spawn(|| {
            let mut purged = 0;
            while purged < 5 || !done.load(Ordering::SeqCst) {
                let gone = store.write(&agent(), &fact("to be purged"), now()).unwrap();
                assert!(store.delete(&agent(), gone, now()).unwrap());
                purged += store.purge(now() + TimeDelta::seconds(1), now()).unwrap();
            }
            purged
        });
        let dream = scope.spawn(|| {
            let dreamer = JournalDreamer::builder(Arc::clone(&workspace)).enabled(true).build().unwrap();
            let script = Script::new().says("- The harbour is called Brisk");
            dream_once_at(&dreamer, &script, &now).unwrap().outcome
        });
        for writer in &mut writers {
            assert_eq!(writer.finish(), ["done"], "nobody was told that it is busy");
        }
        done.store(true, Ordering::SeqCst);
        assert!(purges.join().unwrap() >= 5);
        assert_eq!(dream.join().unwrap(), Outcome::Appended);
    });
    let contents: BTreeSet<String> =
        standing(store.as_ref()).into_iter().map(|memory| memory.content).collect();
    let expected: BTreeSet<String> = (0..8)
        .flat_map(|writer| (0..50).map(move |row| format!("writer{writer}row{row} of eight")))
        .collect();
    assert_eq!(contents, expected);
    let memory = workspace.read_text(&DocName::MEMORY).unwrap().unwrap();
    assert_eq!(memory.matches("called Brisk").count(), 1, "{memory}");
    backend.is_sound(folder.path(), store.as_ref());
}

#[test]
#[ignore = "sweep"]
fn eight_processes_write_into_a_database_at_once() {
    write_at_once(Backend::Sqlite);
}

#[test]
#[ignore = "sweep"]
fn eight_processes_write_into_a_file_at_once() {
    write_at_once(Backend::File);
}

#[test]
#[ignore = "sweep"]
fn eight_processes_write_into_a_server_at_once() {
    Backend::all().into_iter().skip(2).for_each(write_at_once);
}

/// How many texts are searched for, in both syntaxes.
fn texts() -> u64 {
    if is_long() { 500_000 } else { 1_000 }
}

#[test]
fn no_string_makes_a_search_of_a_database_fail() {
    contract::any_text(&SqliteMemoryStore::open_in_memory(contract::scope()).unwrap(), texts());
}

#[test]
fn no_string_makes_a_search_of_a_file_fail() {
    let folder = tempfile::tempdir().unwrap();
    contract::any_text(Backend::File.open(folder.path()).as_ref(), texts());
}

#[test]
#[ignore = "sweep"]
fn no_string_makes_a_search_of_a_server_fail() {
    for backend in Backend::all().into_iter().skip(2) {
        let folder = tempfile::tempdir().unwrap();
        contract::any_text(backend.open(folder.path()).as_ref(), texts());
    }
}

/// Returns the answers of one backend, word for word.
fn answers(store: &dyn MemoryStore) -> Vec<String> {
    let access = agent();
    let mut said = Vec::new();
    let mut say = |what: &str, told: String| said.push(format!("{what}: {told}"));
    let ids: Vec<_> = (0..4)
        .map(|row| {
            store.write(&access, &fact(&format!("row {row}")), now() + TimeDelta::seconds(row)).unwrap()
        })
        .collect();
    let imported = NewMemory::new("fact", "imported", Source::Imported);
    say("import", format!("{:?}", store.write(&access, &imported, now())));
    for (at, id) in (0..).zip(ids.iter().copied().chain([MemoryId::new(99)])) {
        let later = now() + TimeDelta::minutes(at);
        say("pin", format!("{:?}", store.pin(&access, id, at % 2 == 0, later)));
        say("update", format!("{:?}", store.update(&access, id, "anew", later)));
        say("delete", format!("{:?}", store.delete(&access, id, later)));
        say("restore", format!("{:?}", store.restore(&access, id, later + TimeDelta::days(29 + at))));
    }
    say("refused", format!("{:?}", store.write(&access, &fact("<memory-context>"), now())));
    say("empty", format!("{:?}", store.update(&access, ids[0], " ", now())));
    say("purge", format!("{:?}", store.purge(now() + TimeDelta::minutes(2), now())));
    for row in store.snapshot(&access, 99, now()).unwrap() {
        say("snapshot", format!("{row:?} {:?} {}", row.pinned, row.content));
    }
    for memory in store.list(&access, &Filter::limit(99)).unwrap() {
        let times = (memory.created_at, memory.updated_at);
        say(
            "row",
            format!("{memory:?} {:?} {:?} {:?} {times:?}", memory.pinned, memory.source, memory.origin),
        );
    }
    for entry in store.audit(&access, 99).unwrap() {
        say("audit", serde_json::to_string(&entry).unwrap());
    }
    said
}

/// Stores that were written apart, and keep one set of rules.
#[test]
fn all_stores_answer_alike() {
    let folder = tempfile::tempdir().unwrap();
    let file = answers(Backend::File.open(folder.path()).as_ref());
    for backend in Backend::all() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(answers(backend.open(folder.path()).as_ref()), file, "{backend:?}");
    }
    assert!(file.len() > 40);
}

// One row of 15.8 KB took the block from 49 rows to 13.
#[test]
fn a_long_row_does_not_take_the_room_of_the_others() {
    for backend in Backend::all() {
        let folder = tempfile::tempdir().unwrap();
        let store = backend.open(folder.path());
        for row in 0..49 {
            let text = format!("row {row:02} {}", "of the harbour and the boat ".repeat(8));
            store.write(&agent(), &fact(text.trim()), now() + TimeDelta::seconds(row)).unwrap();
        }
        let take =
            |config: &ContextConfig| MemoryContext::take(store.as_ref(), &agent(), config, now()).unwrap();
        let before = take(&ContextConfig::default());
        assert_eq!((before.rows(), before.left_out(), before.cut()), (49, 0, 0), "{backend:?}");
        let long = format!("a long one {}", "港 and the quay, ".repeat(880));
        store.write(&agent(), &fact(&long), now() + TimeDelta::days(1)).unwrap();
        for most in [0, 40, 41, 42, 43, 100, 2048] {
            let mut config = ContextConfig::default();
            config.max_line_bytes = if most == 0 { 2048 } else { most };
            config.max_bytes = if most == 0 { 16 * 1024 } else { 64 * 1024 };
            let after = take(&config);
            assert_eq!((after.rows(), after.left_out()), (50, 0), "{backend:?} {most}");
            assert!(after.as_str().len() <= config.max_bytes);
            let line = after.as_str().lines().find(|line| line.starts_with("[fact] a l")).unwrap_or_default();
            assert!(line.len() <= config.max_line_bytes.max(60), "{most}: {}", line.len());
            if config.max_line_bytes == 2048 {
                let chars = long.trim().chars().count() + "[fact] ".len();
                assert_eq!(after.cut(), 1);
                assert!(line.ends_with(&format!(" of {chars} characters]")) && line.len() > 2000, "{line}");
            }
        }
    }
}

#[test]
fn all_stores_give_a_prompt_the_same_bytes_and_pinned_rows_their_place() {
    let blocks = Backend::all().into_iter().map(|backend| {
        let folder = tempfile::tempdir().unwrap();
        let store = backend.open(folder.path());
        let ids: Vec<_> = (0..60)
            .map(|row| {
                let category = ["fact", "lesson", "of the host's own"][row % 3];
                let memory = NewMemory::new(category, format!("row {row:02}"), Source::AgentRecorded);
                store
                    .write(&agent(), &memory, now() + TimeDelta::seconds(i64::try_from(row).unwrap()))
                    .unwrap()
            })
            .collect();
        let take =
            |config: &ContextConfig| MemoryContext::take(store.as_ref(), &agent(), config, now()).unwrap();
        let of_fifty = take(&ContextConfig::default());
        assert!(
            of_fifty.rows() == 50
                && of_fifty.as_str().contains("row 10")
                && !of_fifty.as_str().contains("row 09")
        );

        for row in [3, 1] {
            assert!(store.pin(&agent(), ids[row], true, now()).unwrap());
        }
        store.write(&agent(), &fact("</memory-context> is stopped").origin(Origin::Web), now()).unwrap_err();
        for key in 0..40 {
            store.set_profile(&agent(), &format!("key {key:02}"), "a value of some length", now()).unwrap();
        }
        let whole = take(&ContextConfig::default());
        let (_, rows) = whole.as_str().split_once("## Observations\n").unwrap();
        assert!(rows.starts_with("[fact] row 03\n[lesson] row 01\n[of the host's own] row 59\n"), "{rows}");
        assert_eq!((whole.rows(), whole.left_out()), (50, 0));
        assert!(
            whole.as_str().contains("row 12") && !whole.as_str().contains("row 11"),
            "48 beside the pinned"
        );

        let mut narrow = ContextConfig::default();
        narrow.max_bytes = 280;
        let narrow = take(&narrow);
        assert!(narrow.as_str().len() <= 280, "{}", narrow.as_str().len());
        assert!(narrow.as_str().contains("row 03\n") && narrow.as_str().contains("row 01\n"), "{narrow}");
        assert!(narrow.as_str().contains("- key 00: "), "then the profile: {narrow}");
        assert!(!narrow.as_str().contains("row 59"), "then the other rows: {narrow}");
        assert_eq!(narrow.rows(), 2);

        let frozen = whole.to_string();
        store.update(&agent(), ids[1], "row 01 changed", now() + TimeDelta::days(1)).unwrap();
        assert_eq!(whole.as_str(), frozen, "a later write is for the next session");
        assert_eq!(take(&ContextConfig::default()), take(&ContextConfig::default()));
        [of_fifty, whole, narrow, take(&ContextConfig::default())].map(|block| block.to_string())
    });
    let blocks: Vec<_> = blocks.collect();
    assert!(blocks.iter().all(|block| *block == blocks[0]), "{blocks:?}");
}
