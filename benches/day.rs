//! The cost of a day beside the bare operations that it cannot do without, on both homes.
//!
//! Each row compares a part of a day with a baseline, in rounds that alternate between the two, and gives the
//! median of the rounds for one operation, and their ratio. The workspace has 60 KB in the documents and journals
//! that a session is told. Beside a folder stands `fs::read` of the same files, and an append that is synced;
//! beside a SQLite file stands one prepared statement for each of the same documents.
//!
//! A prompt does more than its baseline: names and links are checked, what stands in `memory/` is listed, a
//! document is hashed, and all of it is searched for eleven classes of secrets and seven of hidden instructions. A
//! session also reads and keeps what it knows of `SOUL.md`. A note reads the journal that it is added to, and
//! is searched as well.
//!
//! A row takes four seconds or, at the least, three rounds; `NOCTUARY_BENCH_SECONDS` sets another time. What is measured lies in the
//! folder for temporary files (`TMPDIR`).
//!
//! Run it with `cargo bench --bench day`; `-- --quick`, and `cargo test --benches`, run a few rounds only and say
//! nothing of speed.
#![expect(clippy::unwrap_used, reason = "a benchmark stops where something fails")]

mod measure;

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeZone, Utc};
use measure::{Effort, Row, compare};
use noctuary::gate::Doors;
use noctuary::life::{PromptConfig, SharedUser, Snapshot, TurnEnd};
use noctuary::workspace::DayPolicy;
use noctuary::{Access, DocName, FileWorkspace, Life, LifeConfig, Note, Scope, Workspace, WriteMode};

/// The documents of a session, and how many bytes of each: 60 KB together.
const DOCUMENTS: [(&str, usize); 8] = [
    ("SOUL.md", 4_000),
    ("AGENTS.md", 8_000),
    ("USER.md", 2_000),
    ("MEMORY.md", 14_000),
    ("memory/2026-11-20-repl.md", 10_000),
    ("memory/2026-11-20-http.md", 6_000),
    ("memory/2026-11-21-repl.md", 10_000),
    ("memory/2026-11-21-http.md", 6_000),
];

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap()
}

fn access() -> Access {
    Access::agent(Scope::user("marta"))
}

/// Lines as a journal has them.
fn words(bytes: usize) -> String {
    let mut text = String::new();
    for n in 0.. {
        let line = format!(
            "- [09:{:02}:00] [user] Decision {n}: the figures of team {} go to Sarah by Friday.\n",
            n % 60,
            n % 7
        );
        if text.len() + line.len() > bytes {
            break;
        }
        text.push_str(&line);
    }
    text
}

fn furnished(workspace: Arc<dyn Workspace>) -> Life {
    for (name, bytes) in DOCUMENTS {
        let name = DocName::parse(name).unwrap();
        workspace.write(&name, words(bytes).as_bytes(), WriteMode::Replace).unwrap();
    }
    let life = Life::new(workspace, LifeConfig::default());
    life.boot(now()).unwrap();
    let mut session = life.begin_session(access(), "bench", "repl", now()).unwrap();
    session.end_turn("Yes.", TurnEnd::default(), now()).unwrap();
    life
}

fn begin_and_prompt(life: &Life) {
    let mut session = life.begin_session(access(), "bench", "repl", now()).unwrap();
    let prompt = session.prompt(&[]).unwrap().to_string();
    assert!(prompt.len() > 55_000);
    black_box(prompt);
}

fn assemble(life: &Life, doors: &Doors) {
    let view = life.view(access()).with_doors(doors.clone());
    let config = PromptConfig::default();
    let snapshot = Snapshot::take(&view, &config, SharedUser::Subset, DayPolicy::UTC, now()).unwrap();
    black_box(snapshot.prompt(&view, None, &[]).unwrap().to_string());
}

/// Doors that let everything pass unseen.
fn open_doors() -> Doors {
    use noctuary::gate::{Door, DoorPolicy, InjectionPolicy, SecretPolicy};
    Doors::default().policy(Door::PromptLoad, DoorPolicy::new(SecretPolicy::Allow, InjectionPolicy::Allow))
}

fn files(effort: Effort, rows: &mut Vec<Row>) {
    const HOME: &str = "files";
    let (folder, bare) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let life = furnished(Arc::new(FileWorkspace::open(folder.path()).unwrap()));
    let read = |root: &Path| {
        for (name, _) in DOCUMENTS {
            black_box(fs::read(root.join(name)).unwrap());
        }
    };
    let (doors, open) = (Doors::default(), open_doors());
    rows.push(compare(
        effort,
        [HOME, "prompt of 60 KB, doors open", "fs::read of the same files"],
        50,
        || {},
        Box::new(|_| read(folder.path())),
        Box::new(|_| assemble(&life, &open)),
    ));
    rows.push(compare(
        effort,
        [HOME, "prompt of 60 KB", "… with the doors open"],
        10,
        || {},
        Box::new(|_| assemble(&life, &open)),
        Box::new(|_| assemble(&life, &doors)),
    ));
    rows.push(compare(
        effort,
        [HOME, "open, begin a session, prompt", "fs::read of the same files"],
        10,
        || {},
        Box::new(|_| read(folder.path())),
        Box::new(|_| {
            let workspace = FileWorkspace::open(folder.path()).unwrap();
            begin_and_prompt(&Life::new(Arc::new(workspace), LifeConfig::default()));
        }),
    ));
    let grown = bare.path().join("journal.md");
    let shorten = || {
        let journal = DocName::parse("memory/2026-11-21-note.md").unwrap();
        life.workspace().write(&journal, words(10_000).as_bytes(), WriteMode::Replace).unwrap();
        fs::write(&grown, words(10_000)).unwrap();
        File::open(&grown).unwrap().sync_all().unwrap();
    };
    shorten();
    let mut session = life.begin_session(access(), "note", "repl", now()).unwrap();
    rows.push(compare(
        effort,
        [HOME, "note", "O_APPEND, fsync"],
        10,
        shorten,
        Box::new(|number| {
            let mut file = File::options().append(true).open(&grown).unwrap();
            file.write_all(line(number).as_bytes()).unwrap();
            file.sync_all().unwrap();
        }),
        Box::new(|number| {
            session.note(&Note::happened(line(number).trim_end()), now()).unwrap();
        }),
    ));
    let memo = bare.path().join("memo");
    let mut session = life.begin_session(access(), "turn", "repl", now()).unwrap();
    rows.push(compare(
        effort,
        [HOME, "end of a turn", "temp, fsync, rename, fsync of the folder"],
        10,
        || {},
        Box::new(|number| {
            let temporary = bare.path().join(".tmp");
            let mut file = File::create(&temporary).unwrap();
            file.write_all(line(number).as_bytes()).unwrap();
            file.sync_all().unwrap();
            fs::rename(&temporary, &memo).unwrap();
            File::open(bare.path()).unwrap().sync_all().unwrap();
        }),
        Box::new(|_| {
            session.end_turn("Yes.", TurnEnd::default(), now()).unwrap();
        }),
    ));
}

fn line(number: u64) -> String {
    format!("- [09:00:00] [user] Decision {number:020}: the figures go to Sarah by Friday.\n")
}

#[cfg(feature = "sqlite")]
fn sqlite(effort: Effort, rows: &mut Vec<Row>) {
    use noctuary::SqliteWorkspace;

    const HOME: &str = "sqlite";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("life.db");
    let open = || Arc::new(SqliteWorkspace::open(&file, Scope::user("marta")).unwrap());
    let life = furnished(open());
    let connection = rusqlite::Connection::open(&file).unwrap();
    let doors = open_doors();
    let read = |connection: &rusqlite::Connection| {
        let sql =
            "SELECT content FROM memory_documents WHERE user_id = 'marta' AND agent_id = '' AND path = ?1";
        let mut statement = connection.prepare_cached(sql).unwrap();
        for (name, _) in DOCUMENTS {
            black_box(statement.query_row([name], |row| row.get::<_, String>(0)).unwrap());
        }
    };
    rows.push(compare(
        effort,
        [HOME, "prompt of 60 KB, doors open", "SELECT content of the same"],
        50,
        || {},
        Box::new(|_| read(&connection)),
        Box::new(|_| assemble(&life, &doors)),
    ));
    rows.push(compare(
        effort,
        [HOME, "open, begin a session, prompt", "open, SELECT content of the same"],
        10,
        || {},
        Box::new(|_| read(&rusqlite::Connection::open(&file).unwrap())),
        Box::new(|_| begin_and_prompt(&Life::new(open(), LifeConfig::default()))),
    ));
}

fn main() {
    let effort = Effort::of_arguments();
    let mut rows = Vec::new();
    files(effort, &mut rows);
    #[cfg(feature = "sqlite")]
    sqlite(effort, &mut rows);
    measure::print(effort, ["home", "part of a day", "baseline"], &rows);
}
