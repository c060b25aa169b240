//! The cost of an index beside the bare operations that it cannot do without.
//!
//! Each row compares a verb with a baseline, in rounds that alternate between the two, and gives the median of the
//! rounds and their ratio. The baseline cuts the same documents by the same configuration and writes the same
//! chunks through rusqlite, with the same settings, into the same tables with the same triggers, in transactions
//! of the same size. It reads no directory, compares nothing with what stands, and hashes nothing, unless its label
//! says so.
//!
//! `NOCTUARY_BENCH_JOURNALS=1000` sets how many journals there are, in place of 300; a row takes four seconds or, at the least, three
//! rounds, and `NOCTUARY_BENCH_SECONDS` sets another time. What is measured lies in the folder for temporary files (`TMPDIR`).
//! Run it with `cargo bench --bench index`; `-- --quick`, and `cargo test --benches`, run a few rounds on few
//! documents and say nothing of speed.
#![expect(clippy::unwrap_used, reason = "a benchmark stops where something fails")]

#[cfg(feature = "sqlite")]
mod measure;

#[cfg(feature = "sqlite")]
mod index {
    use std::cell::RefCell;
    use std::fs::{self, File};
    use std::hint::black_box;
    use std::io::Write;
    use std::path::Path;

    use chrono::{DateTime, TimeZone, Utc};
    use noctuary::life::Indexed;
    use noctuary::search::ChunkConfig;
    use noctuary::{Access, DocName, FileWorkspace, Scope, SqliteIndex, Workspace};
    use rusqlite::{Connection, params};

    use super::measure::{Effort, Row, compare};

    const JOURNAL: usize = 16 << 10;

    /// How many journals the library writes in one transaction, which is 4 MiB of them.
    const BATCH: usize = 256;

    fn now() -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap()
    }

    const WORDS: &str = "the harbour asked whether we could move risk-averse release to Friday, and I said no: tests \
         are disk-bound at since 2026-11-03, für Łódź task-list of 37 items was kept short enough today. lantern \
         garden boat slippage preference decision deploy channel keeper river stone window letter answer question";

    /// A journal of 16 KiB that no other number has.
    fn journal(number: usize) -> String {
        let words: Vec<&str> = WORDS.split_whitespace().collect();
        let mut state = number as u64;
        let mut roll = |sides: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % sides
        };
        let mut text = format!("# Daily Log {number}\n\n");
        while text.len() < JOURNAL {
            if roll(40) == 0 {
                text.push_str(&format!("\n## Topic {}\n\n", roll(1000)));
            }
            text.push_str(&format!("[09:{:02}:{:02}] [user] ", roll(60), roll(60)));
            for _ in 0..6 + roll(20) {
                text.push_str(words[roll(words.len())]);
                text.push_str(if roll(9) == 0 { " nr" } else { " " });
                if roll(9) == 0 {
                    text.push_str(&format!("{} ", roll(5000)));
                }
            }
            text.push('\n');
        }
        text
    }

    fn name(number: usize) -> String {
        format!("memory/2026-{:02}-{:02}-{number:04}.md", 1 + number / 28 % 12, 1 + number % 28)
    }

    /// A file of the benchmark's own, with the tables, indexes and triggers of the library.
    fn connect(path: &Path) -> Connection {
        drop(SqliteIndex::open(path, Scope::user("marta")).unwrap());
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch(
                "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
                 PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON;",
            )
            .unwrap();
        connection
    }

    /// Writes a document and its chunks.
    fn insert(connection: &Connection, number: usize, text: &str) {
        let id = format!("{number:036}");
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO indexed_documents
                   (id, user_id, path, size, modified_ns, revision, audience, chunking, chunks, indexed_at)
                 VALUES (?1, 'marta', ?2, ?3, 1763715600000000000, ?4, 1, 'markdown/1 1600/320', 0, '2026-11-21T09:00:00Z')",
            )
            .unwrap()
            .execute(params![id, name(number), i64::try_from(text.len()).unwrap(), "0".repeat(64)])
            .unwrap();
        let mut statement = connection
            .prepare_cached(
                "INSERT INTO memory_chunks
                   (id, document_id, chunk_index, content, terms, first_byte, first_line, last_line, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, '2026-11-21T09:00:00Z')",
            )
            .unwrap();
        for (index, chunk) in (0_i64..).zip(ChunkConfig::default().chunks(text)) {
            let [byte, first, last] = [chunk.bytes.start as u64, chunk.lines.0, chunk.lines.1]
                .map(|number| i64::try_from(number).unwrap());
            let id_of_chunk = format!("{number:018}{index:018}");
            let terms = [&name(number)[7..], &chunk.headings, ""].join("\n");
            let content = &text[chunk.bytes];
            statement.execute(params![id_of_chunk, id, index, content, terms, byte, first, last]).unwrap();
        }
    }

    fn replace(connection: &mut Connection, number: usize, text: &str) {
        let transaction = connection.transaction().unwrap();
        let delete = "DELETE FROM memory_chunks WHERE document_id = ?1";
        transaction.prepare_cached(delete).unwrap().execute([format!("{number:036}")]).unwrap();
        insert(&transaction, number, text);
        transaction.commit().unwrap();
    }

    fn list_and_look(folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            black_box(fs::symlink_metadata(entry.unwrap().path()).unwrap());
        }
    }

    fn append(path: &Path, line: &[u8]) {
        let mut file = File::options().append(true).open(path).unwrap();
        file.write_all(line).unwrap();
        file.sync_all().unwrap();
    }

    fn open_index(path: &Path) -> SqliteIndex {
        SqliteIndex::open(path, Scope::user("marta")).unwrap()
    }

    /// How many there are where nobody asked for a short run.
    fn journals() -> usize {
        let said = std::env::var("NOCTUARY_BENCH_JOURNALS").ok();
        said.map_or(300, |said| said.parse().expect("NOCTUARY_BENCH_JOURNALS is a number of journals"))
    }

    pub(super) fn rows(effort: Effort) -> Vec<Row> {
        let count = if effort.divisor == 1 { journals() } else { 20 };
        println!("{count} journals of 16 KiB.");
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("memory")).unwrap();
        let texts: Vec<String> = (0..count).map(journal).collect();
        for (number, text) in texts.iter().enumerate() {
            fs::write(home.path().join(name(number)), text).unwrap();
        }
        let mut rows = vec![make(effort.fewer(), home.path(), &texts)];
        keep(effort, home.path(), &texts, &mut rows);
        rows
    }

    /// All of it for the first time.
    fn make(effort: Effort, home: &Path, texts: &[String]) -> Row {
        let databases = tempfile::tempdir().unwrap();
        // Both begin with empty files each time.
        let ours = RefCell::new(None);
        let bare = RefCell::new(None);
        let made = RefCell::new(0);
        let fresh = || {
            *made.borrow_mut() += 1;
            let path = |of| databases.path().join(format!("{of}-{}.db", made.borrow()));
            drop((ours.take(), bare.take()));
            for entry in fs::read_dir(databases.path()).unwrap() {
                fs::remove_file(entry.unwrap().path()).unwrap();
            }
            *ours.borrow_mut() =
                Some(Indexed::new(FileWorkspace::open(home).unwrap(), open_index(&path("ours"))));
            *bare.borrow_mut() = Some(connect(&path("bare")));
        };
        compare(
            effort,
            ["all journals", "sync", "chunk, INSERT"],
            1,
            fresh,
            Box::new(|_| {
                let mut bare = bare.borrow_mut();
                for (batch, texts) in texts.chunks(BATCH).enumerate() {
                    let transaction = bare.as_mut().unwrap().transaction().unwrap();
                    for (number, text) in texts.iter().enumerate() {
                        insert(&transaction, batch * BATCH + number, text);
                    }
                    transaction.commit().unwrap();
                }
            }),
            Box::new(|_| {
                let ours = ours.borrow();
                assert_eq!(ours.as_ref().unwrap().sync(now()).unwrap().added.len(), texts.len());
            }),
        )
    }

    /// Documents that exist already, and change.
    fn keep(effort: Effort, home: &Path, texts: &[String], rows: &mut Vec<Row>) {
        let databases = tempfile::tempdir().unwrap();
        let folder = home.join("memory");
        let ours =
            Indexed::new(FileWorkspace::open(home).unwrap(), open_index(&databases.path().join("ours.db")));
        ours.sync(now()).unwrap();
        let mut bare = connect(&databases.path().join("bare.db"));
        for (number, text) in texts.iter().enumerate() {
            replace(&mut bare, number, text);
        }
        rows.push(compare(
            effort,
            ["all journals", "sync, nothing changed", "read_dir, symlink_metadata"],
            1,
            || {},
            Box::new(|_| list_and_look(&folder)),
            Box::new(|_| drop(black_box(ours.sync(now()).unwrap()))),
        ));

        let changed = home.join(name(0));
        let change = |number: u64| {
            let text = journal(usize::try_from(number).unwrap() + 5000);
            fs::write(&changed, text).unwrap();
        };
        let number = RefCell::new(0);
        let edit = || {
            *number.borrow_mut() += 1;
            change(*number.borrow());
        };
        rows.push(compare(
            effort,
            ["one of them edited", "sync", "read_dir, symlink_metadata, read, chunk, DELETE, INSERT"],
            1,
            edit,
            Box::new(|_| {
                list_and_look(&folder);
                replace(&mut bare, 0, &fs::read_to_string(&changed).unwrap());
            }),
            Box::new(|_| assert_eq!(ours.sync(now()).unwrap().changed.len(), 1)),
        ));

        let document = DocName::parse(name(0)).unwrap();
        let line = b"[10:00:00] [user] the keeper of the harbour asked for a lantern\n";
        ours.sync(now()).unwrap();
        rows.push(compare(
            effort,
            ["one line more in one", "append", "O_APPEND, fsync, read, chunk, DELETE, INSERT"],
            1,
            edit,
            Box::new(|_| {
                append(&changed, line);
                replace(&mut bare, 0, &fs::read_to_string(&changed).unwrap());
            }),
            Box::new(|_| ours.append(&document, line).unwrap()),
        ));

        ours.sync(now()).unwrap();
        let access = Access::agent(Scope::user("marta"));
        rows.push(compare(
            effort,
            ["a question of three words", "search, 10", "SELECT … MATCH … ORDER BY rank LIMIT 10"],
            10,
            || {},
            Box::new(|_| {
                let mut statement = bare
                    .prepare_cached(
                        "SELECT c.id, c.content, d.path, rank FROM memory_chunks_fts f
                         CROSS JOIN memory_chunks c ON c.number = f.rowid
                         JOIN indexed_documents d ON d.id = c.document_id
                         WHERE memory_chunks_fts MATCH 'lantern OR 4711 OR topic' ORDER BY rank LIMIT 10",
                    )
                    .unwrap();
                let found = statement.query_map([], |row| row.get::<_, String>(1)).unwrap();
                assert_eq!(black_box(found.count()), 10);
            }),
            Box::new(|_| {
                assert_eq!(
                    black_box(ours.search_unmasked(&access, "lantern 4711 topic", 10).unwrap().results).len(),
                    10
                );
            }),
        ));
    }
}

fn main() {
    #[cfg(feature = "sqlite")]
    {
        let effort = measure::Effort::of_arguments();
        measure::print(effort, ["what", "verb", "baseline"], &index::rows(effort));
    }
}
