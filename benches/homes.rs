//! The cost of a verb beside the bare operation that it cannot do without, on both homes.
//!
//! Each row compares a verb of the public API with a baseline, in rounds that alternate between the two, and
//! gives the median of the rounds for one operation, and their ratio. Beside a folder stand the system calls
//! alone: a read of a file, a look at one, a temporary file that is synced and renamed (once as most programs
//! do it, and once with the folder synced too, without which the new name may not survive a power loss), an
//! append that is synced, and the kernel's lock of a file. Beside a SQLite file stands one prepared statement
//! through rusqlite, with the same settings, on a file and a table of its own.
//!
//! A verb does more than its baseline: names and links are checked, a read is hashed into a revision, a
//! replacement compares revisions under a lock that other processes respect, and keeps what it replaces.
//!
//! A row takes four seconds or, at the least, three rounds; `NOCTUARY_BENCH_SECONDS` sets another time. What is measured lies in the
//! folder for temporary files (`TMPDIR`).
//!
//! Run it with `cargo bench --bench homes`; `-- --quick`, and `cargo test --benches`, run a few rounds only
//! and say nothing of speed.
#![expect(clippy::unwrap_used, reason = "a benchmark stops where something fails")]

mod measure;

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write;

use measure::{Effort, Operation, Row, compare};
use noctuary::workspace::{Claim, ClaimTerms, Revision};
use noctuary::{DocName, FileWorkspace, Workspace, WriteMode};

const PAGE: usize = 4 << 10;
const JOURNAL: usize = 64 << 10;
const LINE: usize = 200;

/// 4 KiB that no other number has.
fn page(number: u64) -> Vec<u8> {
    let mut bytes = vec![b'x'; PAGE];
    bytes[..20].copy_from_slice(format!("{number:020}").as_bytes());
    bytes
}

fn line() -> Vec<u8> {
    let mut bytes = vec![b'x'; LINE];
    bytes[LINE - 1] = b'\n';
    bytes
}

const DOCUMENT: DocName = DocName::MEMORY;

fn journal() -> DocName {
    DocName::parse("memory/2026-01-01-bench.md").unwrap()
}

/// Replaces the document as long as it is at the revision that was written last.
fn replace(workspace: &dyn Workspace) -> Operation<'_> {
    let mut seen: Revision = workspace.read(&DOCUMENT).unwrap().unwrap().revision();
    Box::new(move |number| {
        seen = workspace.write(&DOCUMENT, &page(number), WriteMode::IfRevision(seen)).unwrap();
    })
}

fn claim(workspace: &dyn Workspace) {
    match workspace.claim(&ClaimTerms::default()).unwrap() {
        Claim::Granted(lease) => lease.release().unwrap(),
        Claim::Held(holder) => panic!("held by {holder:?}"),
    }
}

fn fill(workspace: &dyn Workspace) {
    workspace.write(&DOCUMENT, &page(0), WriteMode::Replace).unwrap();
    shorten(workspace);
}

fn shorten(workspace: &dyn Workspace) {
    workspace.write(&journal(), &vec![b'x'; JOURNAL], WriteMode::Replace).unwrap();
}

fn files(effort: Effort, rows: &mut Vec<Row>) {
    const HOME: &str = "files";
    let (folder, bare) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let workspace = FileWorkspace::open(folder.path()).unwrap();
    fill(&workspace);
    let document = bare.path().join("MEMORY.md");
    let grown = bare.path().join("journal.md");
    let lock = bare.path().join("lock");
    fs::write(&document, page(0)).unwrap();
    fs::write(&lock, "").unwrap();
    let replace_bare = |number| {
        let temporary = bare.path().join(".tmp");
        let mut file = File::create(&temporary).unwrap();
        file.write_all(&page(number)).unwrap();
        file.sync_all().unwrap();
        fs::rename(&temporary, &document).unwrap();
    };

    rows.push(compare(
        effort,
        [HOME, "read 4 KiB", "fs::read"],
        500,
        || {},
        Box::new(|_| drop(black_box(fs::read(&document).unwrap()))),
        Box::new(|_| drop(black_box(workspace.read(&DOCUMENT).unwrap().unwrap()))),
    ));
    rows.push(compare(
        effort,
        [HOME, "read_range 4 KiB", "fs::read"],
        500,
        || {},
        Box::new(|_| drop(black_box(fs::read(&document).unwrap()))),
        Box::new(|_| drop(black_box(workspace.read_range(&DOCUMENT, 0..PAGE as u64).unwrap()))),
    ));
    rows.push(compare(
        effort,
        [HOME, "metadata", "fs::symlink_metadata"],
        500,
        || {},
        Box::new(|_| {
            black_box(fs::symlink_metadata(&document).unwrap());
        }),
        Box::new(|_| {
            black_box(workspace.metadata(&DOCUMENT).unwrap().unwrap());
        }),
    ));
    rows.push(compare(
        effort,
        [HOME, "write 4 KiB", "temp, fsync, rename"],
        10,
        || {},
        Box::new(replace_bare),
        replace(&workspace),
    ));
    rows.push(compare(
        effort,
        [HOME, "write 4 KiB", "… and fsync of the folder"],
        10,
        || {},
        Box::new(|number| {
            replace_bare(number);
            File::open(bare.path()).unwrap().sync_all().unwrap();
        }),
        replace(&workspace),
    ));
    rows.push(compare(
        effort,
        [HOME, "append 200 B", "O_APPEND, fsync"],
        10,
        || {
            shorten(&workspace);
            fs::write(&grown, vec![b'x'; JOURNAL]).unwrap();
            File::open(&grown).unwrap().sync_all().unwrap();
        },
        Box::new(|_| {
            let mut file = File::options().append(true).open(&grown).unwrap();
            file.write_all(&line()).unwrap();
            file.sync_all().unwrap();
        }),
        Box::new(|_| workspace.append(&journal(), &line()).unwrap()),
    ));
    rows.push(compare(
        effort,
        [HOME, "claim and release", "flock"],
        10,
        || {},
        Box::new(|_| {
            let file = File::options().write(true).open(&lock).unwrap();
            file.try_lock().unwrap();
            file.unlock().unwrap();
        }),
        Box::new(|_| claim(&workspace)),
    ));
}

#[cfg(feature = "sqlite")]
fn sqlite(effort: Effort, rows: &mut Vec<Row>) {
    use noctuary::{Scope, SqliteWorkspace};
    use rusqlite::params;

    const HOME: &str = "sqlite";
    let (folder, bare) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let workspace = SqliteWorkspace::open(folder.path().join("life.db"), Scope::user("marta")).unwrap();
    fill(&workspace);
    let connection = connect(bare.path());
    let lock = bare.path().join("lock");
    fs::write(&lock, "").unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let put = |path: &str, text: &str| {
        let sql =
            "UPDATE documents SET content = ?2, size = ?3 WHERE user = 'marta' AND agent = '' AND path = ?1";
        let size = i64::try_from(text.len()).unwrap();
        assert_eq!(connection.prepare_cached(sql).unwrap().execute(params![path, text, size]).unwrap(), 1);
    };
    let select = |_| {
        let sql = "SELECT content FROM documents WHERE user = 'marta' AND agent = '' AND path = ?1";
        let mut statement = connection.prepare_cached(sql).unwrap();
        drop(black_box(statement.query_row(["MEMORY.md"], |row| row.get::<_, String>(0)).unwrap()));
    };

    rows.push(compare(
        effort,
        [HOME, "read 4 KiB", "SELECT content"],
        500,
        || {},
        Box::new(select),
        Box::new(|_| drop(black_box(workspace.read(&DOCUMENT).unwrap().unwrap()))),
    ));
    rows.push(compare(
        effort,
        [HOME, "read_range 4 KiB", "SELECT content"],
        500,
        || {},
        Box::new(select),
        Box::new(|_| drop(black_box(workspace.read_range(&DOCUMENT, 0..PAGE as u64).unwrap()))),
    ));
    rows.push(compare(
        effort,
        [HOME, "metadata", "SELECT size, modified"],
        500,
        || {},
        Box::new(|_| {
            let sql =
                "SELECT size, modified FROM documents WHERE user = 'marta' AND agent = '' AND path = ?1";
            let mut statement = connection.prepare_cached(sql).unwrap();
            let numbers = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
            black_box(statement.query_row(["MEMORY.md"], numbers).unwrap());
        }),
        Box::new(|_| {
            black_box(workspace.metadata(&DOCUMENT).unwrap().unwrap());
        }),
    ));
    rows.push(compare(
        effort,
        [HOME, "write 4 KiB", "UPDATE"],
        10,
        || {},
        Box::new(|number| put("MEMORY.md", &text(page(number)))),
        replace(&workspace),
    ));
    rows.push(compare(
        effort,
        [HOME, "append 200 B", "UPDATE content || line"],
        10,
        || {
            shorten(&workspace);
            put("journal.md", &"x".repeat(JOURNAL));
        },
        Box::new(|_| {
            let sql = "UPDATE documents SET content = content || ?1, size = size + ?2
                       WHERE user = 'marta' AND agent = '' AND path = 'journal.md'";
            let size = i64::try_from(LINE).unwrap();
            connection.prepare_cached(sql).unwrap().execute(params![text(line()), size]).unwrap();
        }),
        Box::new(|_| workspace.append(&journal(), &line()).unwrap()),
    ));
    rows.push(compare(
        effort,
        [HOME, "claim and release", "flock, UPDATE epoch"],
        10,
        || {},
        Box::new(|_| {
            let file = File::options().write(true).open(&lock).unwrap();
            file.try_lock().unwrap();
            let sql = "UPDATE leases SET epoch = epoch + 1 WHERE user = 'marta' AND agent = ''";
            connection.prepare_cached(sql).unwrap().execute([]).unwrap();
            file.unlock().unwrap();
        }),
        Box::new(|_| claim(&workspace)),
    ));
}

/// A file of the benchmark's own, set up as the library sets up its files.
#[cfg(feature = "sqlite")]
fn connect(folder: &std::path::Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(folder.join("bare.db")).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
             PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON;
             CREATE TABLE documents (
                 id INTEGER PRIMARY KEY, user TEXT NOT NULL, agent TEXT NOT NULL, path TEXT NOT NULL,
                 content NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
                 UNIQUE (user, agent, path)
             );
             INSERT INTO documents (user, agent, path, content, size, modified)
             VALUES ('marta', '', 'MEMORY.md', '', 0, 0), ('marta', '', 'journal.md', '', 0, 0);
             CREATE TABLE leases (
                 user TEXT NOT NULL, agent TEXT NOT NULL, epoch INTEGER NOT NULL, PRIMARY KEY (user, agent)
             ) WITHOUT ROWID;
             INSERT INTO leases VALUES ('marta', '', 1);",
        )
        .unwrap();
    let filled = "UPDATE documents SET content = ?1 WHERE path = 'MEMORY.md'";
    connection.execute(filled, [String::from_utf8(page(0)).unwrap()]).unwrap();
    connection
}

fn main() {
    let effort = Effort::of_arguments();
    let mut rows = Vec::new();
    files(effort, &mut rows);
    #[cfg(feature = "sqlite")]
    sqlite(effort, &mut rows);
    measure::print(effort, ["home", "verb", "baseline"], &rows);
}
