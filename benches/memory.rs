//! The cost of the memory stores beside the bare engine, over 100,000 rows.
//!
//! Each row compares a verb of the public API with what a person would write by hand through rusqlite, in rounds
//! that alternate between the two, and gives the median of the rounds for one operation, their ratio, and the
//! ratio that is to be kept to. The rows of the stores are drawn, the same every time: sentences of 8 to 40 words,
//! of which a half are stop words and the others fall off as words of a language do, in conversations of 20. What is
//! measured, by the name that selects it:
//!
//! - *alone*: 60 questions of three to six words, by BM25 of the rows and nothing else. Beside it: the same words
//!   in one statement over the FTS5 index, prepared once, with the columns of a memory.
//! - *fused*: the same as a store does it that nobody configured.
//! - *file*: both of the store in a file, whose index is in memory, beside the same statement. Its ten best rows are
//!   compared with those of the store in SQLite.
//! - *write*: one durable row. Beside it: the same values into the same tables, indexes and triggers, without the
//!   look for secrets and instructions, and without the line of the audit.
//! - *snapshot*: the rows and the profile for a system prompt, and the block that is made of them, judged by the
//!   doors. Beside each: one statement for 50 rows, and one for the profile.
//! - *open*: the file is opened and asked one question. Beside it: the same with the same settings by hand.
//! - *peak*: the most memory of a process that opens the file and asks 60 questions, and of one that does it by
//!   hand, as Linux has it.
//!
//! Run it with `cargo bench --bench memory -- alone fused file write snapshot`, and with `cargo bench --bench memory
//! -- open peak` for what needs fresh processes, which it starts itself; without names it measures all. `-- --quick`,
//! and `cargo test --benches`, run a few rounds over 2,000 rows only and say nothing of speed. What is measured
//! lies in the folder for temporary files (`TMPDIR`).
#![expect(clippy::unwrap_used, reason = "a benchmark stops where something fails")]

mod measure;

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use measure::{Effort, Operation, Row, compare, median};
use noctuary::life::{ContextConfig, MemoryContext};
use noctuary::memory::{MemoryId, NewMemory, Place, Query, Role, Source};
use noctuary::search::Ranking;
use noctuary::store::StoreConfig;
use noctuary::{Access, FileMemoryStore, MemoryStore, Scope, SqliteMemoryStore};
use rusqlite::types::Value;
use rusqlite::{Connection, Statement, params_from_iter};

const ROWS: u32 = 100_000;
const QUESTIONS: u32 = 60;
/// So many rows are of one conversation.
const CONVERSATION: u32 = 20;
/// The words of the language fall into so many groups, each of twice as many words as the one before it.
const GROUPS: u32 = 15;

const STOP_WORDS: &[&str] = &[
    "the", "and", "to", "of", "a", "in", "is", "that", "it", "for", "was", "on", "with", "as", "at", "this",
    "but", "from", "have", "not", "are", "be", "we", "you", "they", "which", "what", "there", "when", "all",
];

/// Draws the same numbers every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u32::try_from(mixed >> 33).unwrap() % sides
    }

    /// A word of these groups. Each group is drawn as often as any other, so the words of the first are in most
    /// rows and those of the last in a handful.
    fn word(&mut self, groups: Range<u32>) -> String {
        let size = 1 << (groups.start + self.roll(groups.end - groups.start));
        spelt(size + self.roll(size))
    }

    fn sentence(&mut self) -> String {
        let words = (0..8 + self.roll(33)).map(|_| match self.roll(2) {
            0 => STOP_WORDS[self.roll(u32::try_from(STOP_WORDS.len()).unwrap()) as usize].to_owned(),
            _ => self.word(0..GROUPS),
        });
        words.collect::<Vec<_>>().join(" ") + "."
    }
}

/// The word of a number: two syllables, three for the rarer.
fn spelt(mut number: u32) -> String {
    let (consonants, vowels) = (b"bdfgklmnprstvz", b"aiou");
    let mut word = String::new();
    while word.len() < 4 || number > 0 {
        word.push(consonants[(number / 4 % 14) as usize].into());
        word.push(vowels[(number % 4) as usize].into());
        number /= 56;
    }
    word
}

fn said_at(number: u32) -> DateTime<Utc> {
    let first = Utc.with_ymd_and_hms(2022, 1, 1, 8, 0, 0).unwrap();
    let (conversation, position) = (number / CONVERSATION, number % CONVERSATION);
    first + TimeDelta::hours(8 * i64::from(conversation)) + TimeDelta::minutes(i64::from(position))
}

fn memory(number: u32) -> NewMemory {
    let (role, speaker) =
        if number.is_multiple_of(2) { (Role::User, "Marta") } else { (Role::Agent, "Iris") };
    let place = Place {
        session: format!("talk-{:05}", number / CONVERSATION),
        position: u64::from(number % CONVERSATION),
        role,
        speaker: Some(speaker.to_owned()),
        said_at: Some(said_at(number)),
    };
    let sentence = Dice(u64::from(number)).sentence();
    NewMemory::new("observation", sentence, Source::ChatExtracted).at(place)
}

/// The queries: as a person types them, and as FTS5 takes them.
struct Question {
    text: String,
    expression: String,
}

/// Questions of one or two words that are in every fiftieth to thousandth row, and some that are rarer.
fn questions() -> Vec<Question> {
    let question = |number: u32| {
        let mut dice = Dice(u64::MAX / 2 + u64::from(number));
        let middling = 1 + number % 2;
        let word = |at| dice.word(if at < middling { 5..9 } else { 9..GROUPS });
        let words: Vec<String> = (0..3 + number % 4).map(word).collect();
        Question {
            text: format!("What was it that you had about the {}?", words.join(" and the ")),
            expression: words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR "),
        }
    };
    (0..QUESTIONS).map(question).collect()
}

fn scope() -> Scope {
    Scope::user("marta")
}

fn access() -> Access {
    Access::agent(scope())
}

/// A store that ranks by the rows and nothing else.
fn rows_alone() -> StoreConfig {
    let mut config = StoreConfig::default();
    config.ranking = Ranking::rows_alone();
    config
}

/// Opens the file by hand, set up as the library sets up its files.
fn connect(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
             PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL;",
        )
        .unwrap();
    connection
}

/// The words that a memory is made of.
type Columns = (
    i64,
    String,
    String,
    Option<String>,
    Option<String>,
    bool,
    String,
    String,
    Option<String>,
    Option<i64>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
);

const BY_HAND: &str = "
    SELECT m.id, m.category, m.content, m.source, m.metadata, m.shared, m.created_at, m.updated_at, m.session,
        m.position, m.role, m.speaker, m.said_at, m.origin
    FROM memories_fts JOIN memories m ON m.id = memories_fts.rowid
    WHERE memories_fts MATCH ?1 AND m.deleted_at IS NULL ORDER BY rank LIMIT 10";

fn ask_by_hand(statement: &mut Statement<'_>, question: &Question) -> Vec<Columns> {
    let rows = statement.query_map([&question.expression], |row| Columns::try_from(row)).unwrap();
    rows.map(Result::unwrap).collect()
}

fn ask(store: &dyn MemoryStore, question: &Question, limit: usize) -> Vec<MemoryId> {
    let found = store.search(&access(), &Query::new(question.text.as_str()).limit(limit)).unwrap();
    found.hits.iter().map(|hit| hit.memory.id).collect()
}

/// The file with the rows, which all parts read.
struct Home {
    folder: tempfile::TempDir,
    rows: u32,
    questions: Vec<Question>,
}

impl Home {
    fn make(effort: Effort) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let rows = (ROWS / effort.divisor).max(2_000);
        let home = Self { folder, rows, questions: questions() };
        drop(SqliteMemoryStore::open(home.database(), scope()).unwrap());
        home.fill();
        // Opened again, the store reads what another program wrote.
        let store = SqliteMemoryStore::open(home.database(), scope()).unwrap();
        for number in 0..10 {
            let (key, value) = (format!("fact-{number}"), Dice(u64::MAX - number).sentence());
            store.set_profile(&access(), &key, &value, said_at(rows)).unwrap();
        }
        home
    }

    fn database(&self) -> PathBuf {
        self.folder.path().join("life.db")
    }

    /// Writes the rows in one transaction, as another program may.
    fn fill(&self) {
        let mut connection = connect(&self.database());
        let transaction = connection.transaction().unwrap();
        let sql = "INSERT INTO memories (category, content, source, created_at, updated_at, session, position, role,
                       speaker, said_at)
                   VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?4)";
        let mut insert = transaction.prepare(sql).unwrap();
        for number in 0..self.rows {
            let memory = memory(number);
            let place = memory.place.unwrap();
            let role = if place.role == Role::User { "user" } else { "agent" };
            let at = said_at(number).format("%Y-%m-%d %H:%M:%S").to_string();
            let (source, position) = (memory.source.as_str(), number % CONVERSATION);
            insert
                .execute((
                    &memory.category,
                    &memory.content,
                    source,
                    at,
                    place.session,
                    position,
                    role,
                    place.speaker,
                ))
                .unwrap();
        }
        drop(insert);
        transaction.commit().unwrap();
    }

    fn question(&self, number: u64) -> &Question {
        &self.questions[usize::try_from(number).unwrap() % self.questions.len()]
    }
}

/// Asks all questions in each round, of the store and by hand.
fn searches(effort: Effort, home: &Home, labels: [&'static str; 2], store: &dyn MemoryStore) -> Row {
    let connection = connect(&home.database());
    let mut statement = connection.prepare(BY_HAND).unwrap();
    for question in &home.questions {
        let (ours, by_hand) = (ask(store, question, 10), ask_by_hand(&mut statement, question));
        assert!(ours.len() >= by_hand.len(), "what is found by hand is found: {}", question.text);
    }
    let bare = |number| drop(black_box(ask_by_hand(&mut statement, home.question(number))));
    let ours = |number| drop(black_box(ask(store, home.question(number), 10)));
    let labels = [labels[0], labels[1], "MATCH … ORDER BY rank LIMIT 10"];
    compare(effort, labels, QUESTIONS, || {}, Box::new(bare), Box::new(ours))
}

fn alone(effort: Effort, home: &Home, rows: &mut Vec<Row>) {
    let store = SqliteMemoryStore::open_with(home.database(), scope(), rows_alone()).unwrap();
    let row = searches(effort, home, [SQLITE, "search of rows alone"], &store);
    rows.push(Row { bound: Some(1.15), ..row });
}

fn fused(effort: Effort, home: &Home, rows: &mut Vec<Row>) {
    let store = SqliteMemoryStore::open(home.database(), scope()).unwrap();
    let row = searches(effort, home, [SQLITE, "search, fused"], &store);
    rows.push(Row { bound: Some(4.0), ..row });
}

fn file(effort: Effort, home: &Home, rows: &mut Vec<Row>) {
    let folder = tempfile::tempdir().unwrap();
    fill_file(folder.path(), home.rows);
    let store = FileMemoryStore::open(folder.path(), scope()).unwrap();
    let fused = searches(effort, home, [FILE, "search, fused"], &store);
    let store = FileMemoryStore::open_with(folder.path(), scope(), rows_alone()).unwrap();
    let beside = SqliteMemoryStore::open_with(home.database(), scope(), rows_alone()).unwrap();
    for question in &home.questions {
        let best = |store: &dyn MemoryStore| ask(store, question, 10);
        assert_eq!(best(&store), best(&beside), "the best of both stores: {}", question.text);
    }
    let alone = searches(effort, home, [FILE, "search of rows alone"], &store);
    rows.push(Row { bound: Some(0.2), ..alone });
    rows.push(fused);
}

/// Writes the first row through the store, and the others as it wrote the first.
fn fill_file(folder: &Path, rows: u32) {
    let store = FileMemoryStore::open(folder, scope()).unwrap();
    store.write(&access(), &memory(0), said_at(0)).unwrap();
    let path = PathBuf::from(store.location());
    let mut lines = fs::read_to_string(&path).unwrap();
    let mut line: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    for number in 1..rows {
        let memory = memory(number);
        line["at"] = serde_json::to_value(said_at(number)).unwrap();
        line["id"] = (number + 1).into();
        line["content"] = memory.content.into();
        line["place"] = serde_json::to_value(memory.place).unwrap();
        writeln!(lines, "{line}").unwrap();
    }
    fs::write(path, lines).unwrap();
}

fn write(effort: Effort, home: &Home, rows: &mut Vec<Row>) {
    let copy = |name| {
        let path = home.folder.path().join(name);
        fs::copy(home.database(), &path).unwrap();
        path
    };
    let store = SqliteMemoryStore::open(copy("ours.db"), scope()).unwrap();
    let connection = connect(&copy("bare.db"));
    let columns: Vec<String> = connection
        .prepare("SELECT name FROM pragma_table_info('memories') WHERE name <> 'id'")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .unwrap();
    // The rows that stand are written once more, so that both sides write the same ones.
    let stand: Vec<Vec<Value>> = connection
        .prepare(&format!("SELECT {} FROM memories ORDER BY id LIMIT 2000", columns.join(", ")))
        .and_then(|mut statement| {
            let values = |row: &rusqlite::Row<'_>| (0..columns.len()).map(|at| row.get(at)).collect();
            statement.query_map([], values)?.collect()
        })
        .unwrap();
    let memories: Vec<(NewMemory, DateTime<Utc>)> =
        (0..).map(|number| (memory(number), said_at(number))).take(stand.len()).collect();
    let places = vec!["?"; columns.len()].join(", ");
    let sql = format!("INSERT INTO memories ({}) VALUES ({places})", columns.join(", "));
    let mut insert = connection.prepare(&sql).unwrap();
    let (access, mut of_bare, mut of_ours) = (access(), 0, 0);
    let bare = |_| {
        of_bare += 1;
        insert.execute(params_from_iter(&stand[of_bare % stand.len()])).unwrap();
    };
    let ours = |_| {
        of_ours += 1;
        let (memory, at) = &memories[of_ours % memories.len()];
        store.write(&access, memory, *at).unwrap();
    };
    let labels = [SQLITE, "write of one row", "INSERT"];
    let row = compare(effort, labels, 100, || {}, Box::new(bare), Box::new(ours));
    rows.push(Row { bound: Some(1.25), ..row });
}

fn snapshot(effort: Effort, home: &Home, rows: &mut Vec<Row>) {
    let store = SqliteMemoryStore::open(home.database(), scope()).unwrap();
    let connection = connect(&home.database());
    let sql =
        "SELECT category, content FROM memories WHERE user_id = '' AND agent_id = '' AND deleted_at IS NULL
               ORDER BY updated_at DESC, id DESC LIMIT 50";
    let mut newest = connection.prepare(sql).unwrap();
    let mut profile = connection.prepare("SELECT key, value FROM user_profile ORDER BY key").unwrap();
    let pairs = |statement: &mut Statement<'_>| -> Vec<(String, String)> {
        let rows = statement.query_map([], |row| <(String, String)>::try_from(row)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let (access, config) = (access(), ContextConfig::default());
    let mut bare = || {
        black_box((pairs(&mut profile), pairs(&mut newest)));
    };
    let read = || {
        let rows = store.snapshot(&access, 50, said_at(0)).unwrap();
        assert_eq!(rows.len(), 50);
        black_box((store.profile(&access).unwrap(), rows));
    };
    let take = || {
        let context = MemoryContext::take(&store, &access, &config, said_at(0)).unwrap();
        assert_eq!((context.rows(), context.left_out()), (50, 0));
        black_box(context);
    };
    let by_hand = "SELECT of 50 rows and of the profile";
    let ours: [(&str, &dyn Fn(), f64); 2] =
        [("snapshot", &read, 3.0), ("the same as a block of a prompt, judged", &take, 4.0)];
    for (what, ours, bound) in ours {
        let (bare, ours): (Operation<'_>, Operation<'_>) = (Box::new(|_| bare()), Box::new(|_| ours()));
        let row = compare(effort, [SQLITE, what, by_hand], 50, || {}, bare, ours);
        rows.push(Row { bound: Some(bound), ..row });
    }
}

const SQLITE: &str = "sqlite";
const FILE: &str = "file";

/// Says to a process that was started by this one what it is to be.
const ROLE: &str = "NOCTUARY_BENCH_ROLE";

/// The output of a process about itself.
struct Spent {
    micros: f64,
    peak: Option<f64>,
}

/// Starts a process that opens the file and asks so many questions.
fn spawn(home: &Home, role: &str, first: u64, count: u32) -> Spent {
    let output = Command::new(std::env::current_exe().unwrap())
        .env(ROLE, role)
        .arg(home.database())
        .args([first.to_string(), count.to_string()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let mut numbers = said.split_whitespace().map(|number| number.parse().unwrap());
    Spent { micros: numbers.next().unwrap(), peak: numbers.next() }
}

/// Opens the file, asks, and says on standard output how long that took and how much memory.
fn play(role: &str) {
    let mut arguments = std::env::args().skip(1);
    let mut argument = || arguments.next().unwrap();
    let (path, first, count) = (PathBuf::from(argument()), argument(), argument());
    let questions = questions();
    let asked = questions.iter().cycle().skip(first.parse().unwrap()).take(count.parse().unwrap());
    let begun = Instant::now();
    let micros = if role == BARE {
        let connection = connect(&path);
        let mut statement = connection.prepare(BY_HAND).unwrap();
        asked.for_each(|question| drop(black_box(ask_by_hand(&mut statement, question))));
        begun.elapsed().as_secs_f64() * 1e6
    } else {
        let config = if role == ALONE { rows_alone() } else { StoreConfig::default() };
        let store = SqliteMemoryStore::open_with(path, scope(), config).unwrap();
        asked.for_each(|question| drop(black_box(ask(&store, question, 10))));
        begun.elapsed().as_secs_f64() * 1e6
    };
    println!("{micros} {}", peak().map(|kib| kib.to_string()).unwrap_or_default());
}

/// The most memory that this process had at once, in KiB, where the system says it.
fn peak() -> Option<u32> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

const BARE: &str = "bare";
const ALONE: &str = "alone";
const FUSED: &str = "fused";

/// Starts a process of each kind in turn, and compares what `of` says of them.
fn processes(
    effort: Effort,
    home: &Home,
    labels: [&'static str; 3],
    role: &str,
    count: u32,
    of: impl Fn(Spent) -> Option<f64>,
) -> Option<Row> {
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    of(spawn(home, BARE, 0, count))?;
    for round in 0..effort.rounds {
        let first = round as u64 % u64::from(QUESTIONS);
        bare.push(of(spawn(home, BARE, first, count))?);
        ours.push(of(spawn(home, role, first, count))?);
    }
    Some(Row { labels, bare: median(bare), ours: median(ours), bound: None })
}

fn open(effort: Effort, home: &Home, rows: &mut Vec<Row>) {
    const BY_HAND: &str = "open, prepare and step";
    for (role, what, bound) in
        [(FUSED, "open, first search", Some(3.0)), (ALONE, "open, first search of rows alone", None)]
    {
        let row = processes(effort, home, [SQLITE, what, BY_HAND], role, 1, |spent| Some(spent.micros));
        rows.extend(row.map(|row| Row { bound, ..row }));
    }
}

fn peak_memory(effort: Effort, home: &Home, rows: &mut Vec<Row>) {
    const WHAT: &str = "peak memory of 60 searches, in KiB";
    let effort = Effort { rounds: effort.rounds.min(5), ..effort };
    for (role, what, bound) in [(FUSED, WHAT, Some(2.0)), (ALONE, "the same of rows alone", None)] {
        let row =
            processes(effort, home, [SQLITE, what, "the statement 60 times"], role, QUESTIONS, |spent| {
                spent.peak
            });
        rows.extend(row.map(|row| Row { bound, ..row }));
    }
}

/// Adds its rows.
type Part = fn(Effort, &Home, &mut Vec<Row>);

fn main() {
    if let Ok(role) = std::env::var(ROLE) {
        return play(&role);
    }
    let parts: &[(&str, Part)] = &[
        ("alone", alone),
        ("fused", fused),
        ("file", file),
        ("write", write),
        ("snapshot", snapshot),
        ("open", open),
        ("peak", peak_memory),
    ];
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let effort = Effort::of_arguments();
    let home = Home::make(effort);
    let mut rows = Vec::new();
    for (name, measure) in parts {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == *name) {
            measure(effort, &home, &mut rows);
        }
    }
    measure::print(effort, ["store", "what", "baseline"], &rows);
}
