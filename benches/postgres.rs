//! Searches on a PostgreSQL server beside the same in SQLite, over the same rows and documents, and a durable write beside its bare
//! statements.
//!
//! Each row of the table asks the same questions of both, in rounds that alternate between the two, and gives the median of the rounds
//! for one question, their ratio, and the ratio that is to be kept to. The rows are those of the bench `memory`, said in
//! conversations of 20; the documents are notes of a thousand words. A process keeps the words and places of rows that it has read: with
//! *nothing kept* the server is asked for all of them. The bare statements are those that a write cannot do without,
//! prepared, in one transaction: they say whose it is, count it with the token by which an unknown end is settled, and put a row, a
//! posting and a stem for each of its words, an entry of the audit and the numbers of the scope. At last a scope of 1,000 rows is asked
//! alone, and among many of which the server made copies: that needs the server of the script.
//!
//! ```text
//! export NOCTUARY_POSTGRES_FOLDER=/tmp/bench NOCTUARY_POSTGRES_FSYNC=on
//! NOCTUARY_POSTGRES="$(.ci/postgres)" cargo bench --features postgres --bench postgres
//! NOCTUARY_POSTGRES=… cargo bench --features postgres --bench postgres -- --rows 10000 --notes 100 --scopes 1000
//! ```
//!
//! Without `NOCTUARY_POSTGRES` nothing is measured. `-- --quick`, and `cargo test --benches`, take 500 rows and three notes.
#![expect(clippy::unwrap_used, reason = "a benchmark stops where something fails")]

#[allow(dead_code, reason = "the bench `memory` uses all of it")]
#[path = "memory/language.rs"]
mod language;
mod measure;

use std::hint::black_box;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::life::Indexed;
use noctuary::memory::{MemoryId, NewMemory, Place, Query, Role, Source};
use noctuary::postgres::{Postgres, PostgresConfig};
use noctuary::search::DocumentIndex;
use noctuary::{
    Access, DocName, MemoryStore, Scope, SqliteIndex, SqliteMemoryStore, SqliteWorkspace, Workspace,
    WriteMode,
};

use language::Language;
use measure::{Effort, Row, compare};

const QUESTIONS: u32 = 60;
const TESTS_ROLE: &str = "user=noctuary_test";

fn marta() -> Scope {
    Scope::user("marta")
}

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap()
}

fn main() {
    let Ok(url) = std::env::var("NOCTUARY_POSTGRES") else {
        println!("Set NOCTUARY_POSTGRES to the URL of a server: NOCTUARY_POSTGRES=\"$(.ci/postgres)\"");
        return;
    };
    let effort = Effort::of_arguments();
    let is_short = effort.divisor > 1;
    let rows = argument("--rows").unwrap_or(if is_short { 500 } else { 100_000 });
    let notes = argument("--notes").unwrap_or(if is_short { 3 } else { 5_000 });
    let mut config = PostgresConfig::default();
    config.schema = format!("bench_{}", std::process::id());
    let server = Postgres::connect_with(&url, config.clone()).unwrap();
    server.migrate().unwrap();
    let mut table = Vec::new();
    // Of a scope that this process has not searched yet, and of what is more than it keeps.
    let cold = Postgres::connect_with(&url, {
        let mut cold = config.clone();
        cold.kept_bytes = 0;
        cold
    });
    memories(effort, &server, &cold.unwrap(), rows, &mut table);
    writes(effort, &server, &url, &config.schema, &mut table);
    documents(effort, &server, notes, &mut table);
    let many = argument("--scopes").unwrap_or(if is_short { 3 } else { 100 });
    // The role of the script's server has an operator beside it, who may copy rows between scopes.
    if url.contains(TESTS_ROLE) {
        scopes(effort, &url, &config, many, &mut table);
    }
    measure::print(effort, ["server", "what", "beside"], &table);
    let mut shell = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    shell
        .batch_execute(&format!("SET client_min_messages = error; DROP SCHEMA {} CASCADE", config.schema))
        .unwrap();
}

fn argument(name: &str) -> Option<u32> {
    let said = std::env::args().skip_while(|argument| argument != name).nth(1)?;
    Some(said.parse().expect("a number of rows or notes"))
}

/// A row as somebody said it in a conversation.
fn row(language: &Language, number: u32) -> NewMemory {
    let (role, speaker) =
        if number.is_multiple_of(2) { (Role::User, "Marta") } else { (Role::Agent, "Iris") };
    let place = Place {
        session: format!("talk-{:05}", number / 20),
        position: u64::from(number % 20),
        role,
        speaker: Some(speaker.to_owned()),
        said_at: Some(now() - TimeDelta::minutes(i64::from(number))),
    };
    NewMemory::new("observation", language.row(number), Source::ChatExtracted).at(place)
}

fn memories(effort: Effort, server: &Postgres, cold: &Postgres, count: u32, table: &mut Vec<Row>) {
    let (folder, language) = (tempfile::tempdir().unwrap(), Language::new());
    let sqlite = SqliteMemoryStore::open(folder.path().join("life.db"), marta()).unwrap();
    let postgres = server.memory(marta()).unwrap();
    let cold = cold.memory(marta()).unwrap();
    let stores: [&dyn MemoryStore; 2] = [&sqlite, &postgres];
    let agent = Access::agent(marta());
    let numbers: Vec<u32> = (0..count).collect();
    for batch in numbers.chunks(1_000) {
        let rows: Vec<NewMemory> = batch.iter().map(|number| row(&language, *number)).collect();
        for store in stores {
            let written =
                store.write_all(&agent, &rows, now() + TimeDelta::seconds(batch[0].into())).unwrap();
            assert!(written.iter().all(Result::is_ok), "no row is refused");
        }
    }
    let questions: Vec<String> =
        (0..QUESTIONS).map(|number| language.question(number).join(" and the ")).collect();
    // Each is the beginning of words, some of them common and most rare.
    let prefixes: Vec<String> = (0..QUESTIONS)
        .map(|number| {
            let word = language.question(number).pop().unwrap();
            format!("{}*", word.chars().take(4).collect::<String>())
        })
        .collect();
    for (what, asked, store, bound) in [
        ("search", &questions, &postgres, Some(1.5)),
        ("search, nothing kept", &questions, &cold, None),
        ("search by a prefix", &prefixes, &postgres, None),
    ] {
        let ask = |store: &dyn MemoryStore, text: &str| -> Vec<MemoryId> {
            let found = store.search(&agent, &Query::new(text).limit(10)).unwrap();
            found.hits.iter().map(|hit| hit.memory.id).collect()
        };
        let stores: [&dyn MemoryStore; 2] = [&sqlite, store];
        for text in asked {
            assert_eq!(ask(stores[0], text), ask(stores[1], text), "of both: {text}");
        }
        let text = |number: u64| &asked[usize::try_from(number).unwrap() % asked.len()];
        let [bare, ours] = stores.map(|store| move |number| drop(black_box(ask(store, text(number)))));
        let labels = ["rows", what, "SQLite"];
        let row = compare(effort, labels, QUESTIONS, || {}, Box::new(bare), Box::new(ours));
        table.push(Row { bound, ..row });
    }
}

const WRITES: u32 = 200;

fn writes(effort: Effort, server: &Postgres, url: &str, schema: &str, table: &mut Vec<Row>) {
    let language = Language::new();
    let store = server.memory(Scope::user("ilya")).unwrap();
    let agent = Access::agent(Scope::user("ilya"));
    let mut shell = postgres::Client::connect(url, postgres::NoTls).unwrap();
    shell.batch_execute(&format!("SET search_path = {schema}")).unwrap();
    let [scope, writes, row_of, postings, stems, audit, state] = [
        "SELECT set_config('noctuary.user', 'bare', true), set_config('noctuary.agent', '', true)",
        "INSERT INTO lives (user_id, writes, recent) VALUES ('bare', 1, ARRAY[$1])
         ON CONFLICT (user_id, agent_id) DO UPDATE SET writes = lives.writes + 1, recent = (ARRAY[$1] || lives.recent)[1:32]",
        "INSERT INTO memories (user_id, id, category, content, source, created_at, updated_at, shared, session, session_word,
           position, role, speaker, said_at, bytes, signature)
         VALUES ('bare', $1, 'observation', $2, 'chat_extracted', $3, $3, false, $4, $5, $6, 'user', 'Marta', $3, 90, 7)",
        "INSERT INTO memory_postings (user_id, word, id, shared) SELECT 'bare', w, $2, false FROM unnest($1::bigint[]) w",
        "INSERT INTO memory_stems (user_id, stem, word) SELECT 'bare', s.stem, s.word FROM unnest($1::text[], $2::bigint[]) s (stem, word)
         ON CONFLICT DO NOTHING",
        "INSERT INTO memory_audit (user_id, id, created_at, actor, session_kind, action, outcome, memory_id, source)
         VALUES ('bare', $1, $2, 'agent', 'main', 'memory_write', 'done', $1, 'chat_extracted')",
        "INSERT INTO memory_state (user_id, numbers) VALUES ('bare', ARRAY[$1::bigint])
         ON CONFLICT (user_id, agent_id) DO UPDATE SET numbers = excluded.numbers",
    ]
    .map(|sql| shell.prepare(sql).unwrap());
    let (language, at) = (&language, "2026-11-21 09:00:00.000000000");
    let mut count = 0_i64;
    let bare = move |_| {
        count += 1;
        let number = u32::try_from(count).unwrap();
        let text = language.row(number);
        let mut words: Vec<(String, i64)> =
            text.split_whitespace().map(|word| (word.to_lowercase(), hash(&word.to_lowercase()))).collect();
        words.sort_unstable();
        words.dedup();
        let (names, numbers): (Vec<String>, Vec<i64>) = words.into_iter().unzip();
        let session = format!("talk-{:05}", number / 20);
        let mut transaction = shell.transaction().unwrap();
        let place = i64::from(number % 20);
        transaction.execute(&scope, &[]).unwrap();
        transaction.execute(&writes, &[&format!("{count:032x}")]).unwrap();
        transaction.execute(&row_of, &[&count, &text, &at, &session, &hash(&session), &place]).unwrap();
        transaction.execute(&postings, &[&numbers, &count]).unwrap();
        transaction.execute(&stems, &[&names, &numbers]).unwrap();
        transaction.execute(&audit, &[&count, &at]).unwrap();
        transaction.execute(&state, &[&count]).unwrap();
        transaction.commit().unwrap();
    };
    let mut number = 0;
    let ours = move |_| {
        number += 1;
        store.write(&agent, &row(language, number), now()).unwrap();
    };
    let labels = ["rows", "durable write", "bare statements"];
    let row = compare(effort, labels, WRITES, || {}, Box::new(bare), Box::new(ours));
    table.push(Row { bound: Some(1.3), ..row });
}

const OF_A_SCOPE: u32 = 1_000;
/// The most scopes that are asked, in turn.
const ASKED: u32 = 50;

/// A scope of 1,000 rows, alone and among many like it, which the server copies.
fn scopes(effort: Effort, url: &str, config: &PostgresConfig, count: u32, table: &mut Vec<Row>) {
    let language = Language::new();
    let mut above =
        postgres::Client::connect(&url.replace(TESTS_ROLE, "user=postgres"), postgres::NoTls).unwrap();
    let of_schema = |name: &str| {
        let mut config = config.clone();
        (config.schema, config.kept_bytes) = (format!("{}_{name}", config.schema), 0);
        let server = Postgres::connect_with(url, config.clone()).unwrap();
        server.migrate().unwrap();
        let rows: Vec<NewMemory> = (0..OF_A_SCOPE).map(|number| row(&language, number)).collect();
        let agent = Access::agent(Scope::user("0"));
        server.memory(Scope::user("0")).unwrap().write_all(&agent, &rows, now()).unwrap();
        (server, config.schema)
    };
    let [(alone, one), (among, many)] = ["one", "many"].map(of_schema);
    let columns = "SELECT table_name::text, string_agg(quote_ident(column_name), ', ')
        FROM information_schema.columns WHERE table_schema = $1 AND column_name <> 'user_id' AND is_generated = 'NEVER'
          AND table_name IN (SELECT table_name FROM information_schema.columns
            WHERE table_schema = $1 AND column_name = 'user_id')
        GROUP BY 1";
    for found in above.query(columns, &[&many]).unwrap() {
        let (name, columns): (String, String) = (found.get(0), found.get(1));
        let copied = format!(
            "SET session_replication_role = replica; INSERT INTO {many}.{name} (user_id, {columns})
             SELECT g::text, {columns} FROM generate_series(1, {count} - 1) g, {many}.{name} WHERE user_id = '0'; ANALYZE {many}.{name}"
        );
        above.batch_execute(&copied).unwrap();
    }
    let open = |server: &Postgres, number: u32| server.memory(Scope::user(number.to_string())).unwrap();
    let bare = vec![open(&alone, 0)];
    let asked = ASKED.min(count);
    let ours: Vec<_> = (0..asked).map(|number| open(&among, number * count / asked)).collect();
    let language = &language;
    let [bare, ours] = [bare, ours].map(|stores| {
        move |number: u64| {
            let number = usize::try_from(number).unwrap();
            let store = &stores[number % stores.len()];
            let text = language.question(u32::try_from(number).unwrap() % QUESTIONS).join(" and the ");
            let found =
                store.search(&Access::agent(store.scope().clone()), &Query::new(&text).limit(10)).unwrap();
            assert!(!found.hits.is_empty());
            drop(black_box(found));
        }
    });
    let what = format!("search among {count} scopes").leak();
    let labels = ["rows", &*what, "one scope"];
    let row = compare(effort, labels, QUESTIONS, || {}, Box::new(bare), Box::new(ours));
    table.push(Row { bound: Some(1.2), ..row });
    above
        .batch_execute(&format!(
            "SET client_min_messages = error; DROP SCHEMA {one} CASCADE; DROP SCHEMA {many} CASCADE"
        ))
        .unwrap();
}

/// A number for a word.
fn hash(word: &str) -> i64 {
    word.bytes()
        .fold(14_695_981_039_346_656_037_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211)
        })
        .cast_signed()
}

/// A note of a thousand words, in four parts.
fn note(language: &Language, number: u32) -> String {
    let mut text = format!("# Note {number}\n");
    for part in 0..4 {
        text.push_str(&format!("\n## Part {part}\n\n"));
        for line in 0..18 {
            text.push_str(&language.row(number * 100 + part * 20 + line));
            text.push('\n');
        }
    }
    text
}

fn documents(effort: Effort, server: &Postgres, count: u32, table: &mut Vec<Row>) {
    let (folder, language) = (tempfile::tempdir().unwrap(), Language::new());
    let home = SqliteWorkspace::open(folder.path().join("life.db"), marta()).unwrap();
    for number in 0..count {
        let name = DocName::parse(format!("notes/{number:05}.md")).unwrap();
        home.write(&name, note(&language, number).as_bytes(), WriteMode::Create).unwrap();
    }
    let sqlite = SqliteIndex::open(folder.path().join("index.db"), marta()).unwrap();
    let postgres = server.index(marta()).unwrap();
    Indexed::new(&home, sqlite.clone()).sync(now()).unwrap();
    Indexed::new(&home, postgres.clone()).sync(now()).unwrap();
    let agent = Access::agent(marta());
    let questions: Vec<String> = (0..QUESTIONS).map(|number| language.question(number).join(" ")).collect();
    let ask = |index: &dyn DocumentIndex, number: u64| {
        let text = &questions[usize::try_from(number).unwrap() % questions.len()];
        index.search(&agent, text, 10).unwrap()
    };
    let indexes: [&dyn DocumentIndex; 2] = [&sqlite, &postgres];
    let [bare, ours] = indexes.map(|index| move |number| drop(black_box(ask(index, number))));
    let labels = ["chunks", "search of documents", "SQLite"];
    table.push(compare(effort, labels, QUESTIONS, || {}, Box::new(bare), Box::new(ours)));
}
