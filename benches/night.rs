//! The cost of a night beside the bare operations that it cannot do without.
//!
//! Each row compares a part of a dream, through the public API, with a baseline, in rounds that alternate
//! between the two, and gives the median of the rounds for one operation, and their ratio. Where the model
//! would be asked nobody is, or the answer is there at once. The rows, and what each measures:
//!
//! - *idle pass*: a whole run over 10,000 journals that were all shown before: claim, ledger, listing, a look at every
//!   journal of the window, state, release. Beside it stand a listing of the folder, and one with a look at every
//!   file. In the first row the window holds all names. In the second it holds a thirtieth, and there the date in the name
//!   decides. A listing alone is less than any run must do: one looks at the journals of its window too, and claims, writes
//!   its state and gives the lease back however few there are. Measured in memory, beside 4.3 ms for the listing: 0.7 ms
//!   for 333 looks, 0.3 ms for a run over an empty home. So the bound stands at a baseline with these. In a database
//!   the bare operation is one statement.
//! - *selecting pass*: a run over 10,000 journals that were never shown, up to its request, which is then
//!   dropped. Beside it: a listing, a look at every file, and reading as many bytes as are selected. Also without the
//!   work on those bytes: beside a run over the selected journals alone.
//! - *lines*: a pass of a drain that continues behind 28 MiB that were shown, beside the same pass without them.
//! - *tail*: the last 64 KiB of a journal of 64 MiB.
//! - *answer*: `resume` of a preview, with an answer of 200 bullets that all cite: gate, sanitiser, evidence,
//!   duplicates, report; nothing is written. Beside it: one parse of the answer as markdown.
//! - *commit*: `resume` with one bullet, until the lease is given back. Beside it: the durable writes of the
//!   protocol, by hand: intent, section, ledger, state and log are written and synced, and the intent removed.
//!
//! On a loaded machine, short operations are interrupted less often than long ones, and the ratios are too great: the
//! figures of the manual were taken with `chrt -f 1` before the command, on one core.
//!
//! `NOCTUARY_BENCH_JOURNALS=100000` sets how many journals there are. Run it with `cargo bench --bench night`; `-- --quick`, and `cargo test --benches`, run a few rounds only
//! and say nothing of speed; `-- idle tail` measures those rows alone. What is measured lies in the folder for temporary files (`TMPDIR`).
#![expect(clippy::unwrap_used, reason = "a benchmark stops where something fails")]

mod measure;

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Days, NaiveDate, TimeDelta, TimeZone, Utc};
use measure::{Effort, Operation, Row, compare};
use noctuary::dream::{DreamMode, DreamPass, SectionCaps, Step};
use noctuary::{
    DocName, DreamConfig, DreamReport, Dreamer, FileWorkspace, JournalDreamer, LlmReply, Outcome, Workspace,
    WriteMode,
};

/// The number of journals, unless [`HOW_MANY`] says another.
const JOURNALS: u32 = 10_000;
const HOW_MANY: &str = "NOCTUARY_BENCH_JOURNALS";
/// So long is a journal that may be selected, and any other.
const JOURNAL: usize = 16 << 10;
const SHORT: usize = 300;
/// So much stands in front of what a drain shows, and so much is drained.
const FRONT: usize = 28 << 20;
const DRAINED: usize = 16 << 20;
const LONG_JOURNAL: u64 = 64 << 20;
const TAIL: u64 = 64 << 10;
const BULLETS: u32 = 200;

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 12, 1, 3, 0, 0).unwrap()
}

/// The journal of a number, on the last of so many days.
fn journal(number: u32, days: u32) -> String {
    let last = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap();
    let date = last - Days::new(u64::from(number % days));
    format!("{date}-s{number:05}.md")
}

fn dreamer(workspace: Arc<dyn Workspace>, change: impl FnOnce(&mut DreamConfig)) -> JournalDreamer {
    JournalDreamer::builder(workspace)
        .enabled(true)
        .configure(|config| {
            config.max_passes = 1;
            config.budget.max_calls_per_day = None;
            change(config);
        })
        .build()
        .unwrap()
}

fn ask(step: Step) -> Box<dyn DreamPass> {
    match step {
        Step::Ask(pass) => pass,
        Step::Done(report) => panic!("nothing to ask: {:?}", report.outcome),
    }
}

fn done(step: Step) -> Box<DreamReport> {
    match step {
        Step::Done(report) => report,
        Step::Ask(pass) => panic!("nobody is to be asked: {pass:?}"),
    }
}

fn journals_of(effort: Effort) -> u32 {
    let journals = std::env::var(HOW_MANY).ok().and_then(|number| number.parse().ok());
    (journals.unwrap_or(JOURNALS) / effort.divisor).max(30)
}

const LINE: &str = "- [09:14] [user] the harbour office opens at nine on weekdays and never on sundays\n";

/// Returns the text of the journal with this number: long for the last day.
fn text_of(number: u32, days: u32) -> String {
    let len = if number.is_multiple_of(days) && number / days < 16 { JOURNAL } else { SHORT };
    let mark = format!("- [user] number {number}\n");
    let text = LINE.repeat(len / LINE.len() + 1);
    [&mark, &text[text.len() - (len - mark.len())..]].concat()
}

/// A folder of journals whose dates are the last `days`, which were changed the day before the night.
fn journals(effort: Effort, days: u32) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("memory")).unwrap();
    let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_000_000);
    for number in 0..journals_of(effort) {
        let mut file = File::create(home.path().join("memory").join(journal(number, days))).unwrap();
        file.write_all(text_of(number, days).as_bytes()).unwrap();
        file.set_modified(changed + Duration::from_millis(u64::from(number))).unwrap();
    }
    home
}

/// Shows all journals to nobody, so that none is new.
fn show_all(workspace: Arc<dyn Workspace>) {
    let dreamer = dreamer(workspace, |config| config.total_input_bytes = u64::MAX / 2);
    let pass = ask(dreamer.begin(now() - TimeDelta::days(1)).unwrap());
    done(pass.resume(Ok(LlmReply::new("NOTHING_TO_PROMOTE")), now() - TimeDelta::days(1)).unwrap());
}

fn list(folder: &Path) -> Vec<std::ffi::OsString> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

fn list_and_look(folder: &Path) -> Vec<fs::Metadata> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| fs::symlink_metadata(path).unwrap()).collect()
}

fn idle(effort: Effort, rows: &mut Vec<Row>) {
    const IN_WINDOW: &str = "idle pass, all in the window";
    const A_THIRTIETH: &str = "idle pass, a thirtieth in it";
    const LISTING: &str = "read_dir";
    const LOOKING: &str = "read_dir, symlink_metadata of each";
    const NEEDED: &str = "read_dir, symlink_metadata of a thirtieth, pass over nothing";
    let effort = Effort { rounds: effort.rounds.div_ceil(2), ..effort };
    let empty = tempfile::tempdir().unwrap();
    let dreamer_of_none = dreamer(Arc::new(FileWorkspace::open(empty.path()).unwrap()), |_| ());
    let first = format!("{}", NaiveDate::from_ymd_opt(2026, 11, 30).unwrap() - Days::new(29));
    for (days, verb, second) in [(30, IN_WINDOW, LOOKING), (900, A_THIRTIETH, NEEDED)] {
        let home = journals(effort, days);
        let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(home.path()).unwrap());
        show_all(Arc::clone(&workspace));
        let folder = home.path().join("memory");
        let dreamer = dreamer(workspace, |_| ());
        for baseline in [LISTING, second] {
            let bare: Operation<'_> = match baseline {
                LISTING => Box::new(|_| drop(black_box(list(&folder)))),
                LOOKING => Box::new(|_| drop(black_box(list_and_look(&folder)))),
                _ => Box::new(|_| {
                    let names = list(&folder);
                    let inside = names.iter().filter(|name| name.as_encoded_bytes() >= first.as_bytes());
                    let looked = inside.map(|name| fs::symlink_metadata(folder.join(name)).unwrap());
                    black_box(looked.collect::<Vec<_>>());
                    black_box(names);
                    nothing_new(&dreamer_of_none);
                }),
            };
            let bound = match baseline {
                LISTING => None,
                LOOKING => Some(1.3),
                _ => Some(1.2),
            };
            let ours = |_| nothing_new(&dreamer);
            let row = compare(effort, ["files", verb, baseline], 1, || {}, bare, Box::new(ours));
            rows.push(Row { bound, ..row });
        }
    }
}

fn nothing_new(dreamer: &JournalDreamer) {
    let report = done(dreamer.begin(now()).unwrap());
    assert_eq!(report.outcome, Outcome::NothingNew);
}

#[cfg(feature = "sqlite")]
fn idle_in_sqlite(effort: Effort, rows: &mut Vec<Row>) {
    use noctuary::{Scope, SqliteWorkspace};

    const LISTING: &str = "the paths of the folder";
    const LOOKING: &str = "the same, size and time of each";
    const NEEDED: &str = "the same, and a pass over nothing";
    let effort = Effort { rounds: effort.rounds.div_ceil(2), ..effort };
    let empty = tempfile::tempdir().unwrap();
    let none = SqliteWorkspace::open(empty.path().join("life.db"), Scope::user("marta")).unwrap();
    let dreamer_of_none = dreamer(Arc::new(none), |_| ());
    for (days, verb) in [(30, "idle pass, all in the window"), (900, "idle pass, a thirtieth in it")] {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("life.db");
        let workspace = Arc::new(SqliteWorkspace::open(&path, Scope::user("marta")).unwrap());
        for number in 0..journals_of(effort) / 5 {
            let name = DocName::parse(format!("memory/{}", journal(number, days))).unwrap();
            workspace.write(&name, text_of(number, days).as_bytes(), WriteMode::Create).unwrap();
        }
        show_all(workspace.clone());
        let dreamer = dreamer(workspace, |_| ());
        let connection = rusqlite::Connection::open(&path).unwrap();
        let query = |columns: &str| {
            let sql = format!(
                "SELECT path, {columns} FROM memory_documents
                 WHERE user_id = 'marta' AND agent_id = '' AND path > 'memory/' AND path < 'memory0'"
            );
            let mut statement = connection.prepare_cached(&sql).unwrap();
            let rows = statement.query_map([], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
            });
            black_box(rows.unwrap().collect::<Result<Vec<_>, _>>().unwrap());
        };
        for (baseline, columns) in
            [(LISTING, "0, 0"), (LOOKING, "size, modified_ns"), (NEEDED, "size, modified_ns")]
        {
            let ours = |_| nothing_new(&dreamer);
            let bare: Operation<'_> = Box::new(|_| {
                query(columns);
                if baseline == NEEDED {
                    nothing_new(&dreamer_of_none);
                }
            });
            rows.push(compare(effort, ["sqlite", verb, baseline], 1, || {}, bare, Box::new(ours)));
        }
    }
}

fn selecting(effort: Effort, rows: &mut Vec<Row>) {
    let effort = Effort { rounds: effort.rounds.div_ceil(2), ..effort };
    let home = journals(effort, 30);
    let folder = home.path().join("memory");
    let few = tempfile::tempdir().unwrap();
    fs::create_dir(few.path().join("memory")).unwrap();
    let night = |home: &Path| dreamer(Arc::new(FileWorkspace::open(home).unwrap()), |_| ());
    let (dreamer, dreamer_of_few) = (night(home.path()), night(few.path()));
    let selected: Vec<_> =
        (0..16).map(|at| folder.join(journal(30 * at, 30))).filter(|path| path.exists()).collect();
    for path in &selected {
        fs::copy(path, few.path().join("memory").join(path.file_name().unwrap())).unwrap();
    }
    let select = |dreamer: &JournalDreamer| drop(black_box(ask(dreamer.begin(now()).unwrap())));
    let read = |_| {
        black_box(list_and_look(&folder));
        for path in &selected {
            black_box(fs::read(path).unwrap());
        }
    };
    let ask_of_few = |_| {
        black_box(list_and_look(&folder));
        select(&dreamer_of_few);
    };
    let of_all = "selecting pass over all";
    let labels = ["files", of_all, "read_dir, symlink_metadata, read 256 KiB"];
    rows.push(compare(effort, labels, 1, || {}, Box::new(read), Box::new(|_| select(&dreamer))));
    let labels = ["files", of_all, "read_dir, symlink_metadata, pass over those selected"];
    let row = compare(effort, labels, 1, || {}, Box::new(ask_of_few), Box::new(|_| select(&dreamer)));
    rows.push(Row { bound: Some(1.3), ..row });
}

/// A drain of one journal, which goes on by a pass at every call. In front of what it shows stand bytes that were shown
/// before.
struct Drain {
    _home: tempfile::TempDir,
    waiting: RefCell<Option<Box<dyn DreamPass>>>,
}

impl Drain {
    fn begin(front: usize, effort: Effort) -> Self {
        let home = tempfile::tempdir().unwrap();
        let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(home.path()).unwrap());
        let name = DocName::parse("memory/2026-11-30-long.md").unwrap();
        let text = |len: usize| LINE.repeat(len / effort.divisor as usize / LINE.len() + 1);
        workspace.append(&name, text(front).as_bytes()).unwrap();
        let showing = dreamer(Arc::clone(&workspace), |config| {
            config.total_input_bytes = u64::MAX / 2;
            config.max_file_bytes = 32 << 20;
        });
        let pass = ask(showing.begin(now()).unwrap());
        done(pass.resume(Ok(LlmReply::new("NOTHING_TO_PROMOTE")), now()).unwrap());
        workspace.append(&name, text(DRAINED).as_bytes()).unwrap();
        let draining = dreamer(workspace, |config| config.max_passes = u32::MAX);
        let pass = ask(draining.begin(now()).unwrap());
        Self { _home: home, waiting: RefCell::new(Some(pass)) }
    }

    fn go_on(&self) {
        if let Some(pass) = self.waiting.take() {
            let step = pass.resume(Ok(LlmReply::new("NOTHING_TO_PROMOTE")), now()).unwrap();
            *self.waiting.borrow_mut() = match step {
                Step::Ask(pass) => Some(pass),
                Step::Done(_) => None,
            };
        }
    }
}

fn counting(effort: Effort, rows: &mut Vec<Row>) {
    let (short, long) = (Drain::begin(0, effort), Drain::begin(FRONT, effort));
    let labels = ["files", "pass of a drain behind 28 MiB", "the same without them"];
    let bare = Box::new(|_| short.go_on());
    let row = compare(effort, labels, 1, || {}, bare, Box::new(|_| long.go_on()));
    let is_under_way = |drain: &Drain| drain.waiting.borrow().is_some();
    assert!(effort.divisor > 1 || (is_under_way(&short) && is_under_way(&long)), "the drain ended too early");
    rows.push(Row { bound: Some(1.2), ..row });
}

fn tail(effort: Effort, rows: &mut Vec<Row>) {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("memory")).unwrap();
    let name = DocName::parse("memory/2026-11-30-long.md").unwrap();
    let path = home.path().join(name.as_str());
    let len = LONG_JOURNAL / u64::from(effort.divisor.min(64));
    fs::write(&path, vec![b'x'; usize::try_from(len).unwrap()]).unwrap();
    let workspace = FileWorkspace::open(home.path()).unwrap();
    let bare = |_| {
        let mut file = File::open(&path).unwrap();
        file.seek(SeekFrom::Start(len - TAIL)).unwrap();
        let mut bytes = vec![0; usize::try_from(TAIL).unwrap()];
        file.read_exact(&mut bytes).unwrap();
        black_box(bytes);
    };
    let ours = |_| drop(black_box(workspace.read_range(&name, len - TAIL..len).unwrap()));
    let labels = ["files", "tail of 64 MiB", "open, seek, read 64 KiB"];
    rows.push(compare(effort, labels, 200, || {}, Box::new(bare), Box::new(ours)));
}

fn judging(effort: Effort, rows: &mut Vec<Row>) {
    let home = tempfile::tempdir().unwrap();
    let workspace = Arc::new(FileWorkspace::open(home.path()).unwrap());
    let name = DocName::parse("memory/2026-11-30-talk.md").unwrap();
    let (mut lines, mut reply) = (String::new(), "### Facts\n".to_owned());
    for number in 1..=BULLETS {
        lines.push_str(&format!(
            "- [user] Berth {number} of the harbour costs {number}.50 a night in winter.\n"
        ));
        reply
            .push_str(&format!("- Berth {number} costs {number}.50 a night in winter. ({name}#L{number})\n"));
    }
    workspace.write(&name, lines.as_bytes(), WriteMode::Create).unwrap();
    let dreamer = dreamer(workspace, |config| {
        config.mode = DreamMode::Preview;
        config.section = SectionCaps::new(BULLETS as usize, 500, 1 << 20);
    });
    let waiting: RefCell<Option<Box<dyn DreamPass>>> = RefCell::new(None);
    let begin = || {
        waiting.borrow_mut().get_or_insert_with(|| ask(dreamer.begin(now()).unwrap()));
    };
    let ours = |_| {
        let report = done(waiting.take().unwrap().resume(Ok(LlmReply::new(reply.as_str())), now()).unwrap());
        assert_eq!(report.passes[0].lines.len(), BULLETS as usize);
        assert_eq!(report.outcome, Outcome::Appended);
    };
    let bare = |_| {
        black_box(pulldown_cmark::Parser::new(&reply).count());
    };
    let labels = ["text", "answer of 200 bullets, judged", "one parse as markdown"];
    rows.push(compare(effort, labels, 1, begin, Box::new(bare), Box::new(ours)));
}

/// Lets a line be added to a journal and a pass wait for its answer, before every commit.
fn committing(workspace: &Arc<dyn Workspace>, mut commit: impl FnMut(&mut dyn FnMut(), Operation<'_>)) {
    let name = DocName::parse("memory/2026-11-30-talk.md").unwrap();
    let dreamer = dreamer(Arc::clone(workspace), |_| ());
    let waiting: RefCell<Option<Box<dyn DreamPass>>> = RefCell::new(None);
    let berth = Cell::new(0);
    let mut begin = || {
        if waiting.borrow().is_none() {
            berth.set(berth.get() + 1);
            let line = format!("- [user] Berth {} is free.\n", berth.get());
            workspace.append(&name, line.as_bytes()).unwrap();
            waiting.replace(Some(ask(dreamer.begin(now()).unwrap())));
        }
    };
    let ours = |_| {
        let bullet = format!("- Berth {} is free.", berth.get());
        let report = done(waiting.take().unwrap().resume(Ok(LlmReply::new(bullet)), now()).unwrap());
        assert_eq!(report.outcome, Outcome::Appended);
    };
    commit(&mut begin, Box::new(ours));
}

fn files(effort: Effort, rows: &mut Vec<Row>) {
    let (home, bare) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = |file: &str| bare.path().join(file);
    let (text, line) = (vec![b'x'; 2 << 10], vec![b'x'; 300]);
    let sync_folder = || File::open(bare.path()).unwrap().sync_all().unwrap();
    let replace = |file: &str| {
        let mut temporary = File::create(path(".tmp")).unwrap();
        temporary.write_all(&text).unwrap();
        temporary.sync_all().unwrap();
        fs::rename(path(".tmp"), path(file)).unwrap();
        sync_folder();
    };
    let append = |file: &str| {
        let mut file = File::options().append(true).create(true).open(path(file)).unwrap();
        file.write_all(&line).unwrap();
        file.sync_all().unwrap();
    };
    let by_hand = |_| {
        replace("intent.json");
        append("MEMORY.md");
        replace("ledger.json");
        replace("state.json");
        append("log.jsonl");
        fs::remove_file(path("intent.json")).unwrap();
        sync_folder();
    };
    let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(home.path()).unwrap());
    committing(&workspace, |begin, ours| {
        let labels = ["files", "commit of a pass", "3 replaced, 2 appended, 1 removed, synced"];
        rows.push(compare(effort, labels, 1, begin, Box::new(by_hand), ours));
    });
}

#[cfg(feature = "sqlite")]
fn sqlite(effort: Effort, rows: &mut Vec<Row>) {
    use noctuary::{Scope, SqliteWorkspace};

    let (home, bare) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let connection = rusqlite::Connection::open(bare.path().join("bare.db")).unwrap();
    let make = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
                CREATE TABLE files (name TEXT PRIMARY KEY, content TEXT NOT NULL);
                INSERT INTO files VALUES ('MEMORY.md', ''), ('ledger.json', ''), ('state.json', ''), ('log', '');";
    connection.execute_batch(make).unwrap();
    let (text, line) = ("x".repeat(2 << 10), "x".repeat(300));
    let run = |sql: &str, values: &[&str]| {
        let mut statement = connection.prepare_cached(sql).unwrap();
        assert_eq!(statement.execute(rusqlite::params_from_iter(values)).unwrap(), 1);
    };
    let replace = |file: &str| run("REPLACE INTO files VALUES (?1, ?2)", &[file, &text]);
    let append = |file: &str| run("UPDATE files SET content = content || ?2 WHERE name = ?1", &[file, &line]);
    let by_hand = |_| {
        replace("intent.json");
        append("MEMORY.md");
        replace("ledger.json");
        replace("state.json");
        append("log");
        run("DELETE FROM files WHERE name = ?1", &["intent.json"]);
    };
    let workspace = SqliteWorkspace::open(home.path().join("life.db"), Scope::user("marta")).unwrap();
    let workspace: Arc<dyn Workspace> = Arc::new(workspace);
    committing(&workspace, |begin, ours| {
        let labels = ["sqlite", "commit of a pass", "the same in 6 transactions"];
        rows.push(compare(effort, labels, 1, begin, Box::new(by_hand), ours));
    });
}

/// Adds its rows.
type Part = fn(Effort, &mut Vec<Row>);

fn main() {
    let parts: &[(&str, Part)] = &[
        ("idle", idle),
        #[cfg(feature = "sqlite")]
        ("idle", idle_in_sqlite),
        ("selecting", selecting),
        ("lines", counting),
        ("tail", tail),
        ("answer", judging),
        ("commit", files),
        #[cfg(feature = "sqlite")]
        ("commit", sqlite),
    ];
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let effort = Effort::of_arguments();
    let mut rows = Vec::new();
    for (name, measure) in parts {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == *name) {
            measure(effort, &mut rows);
        }
    }
    measure::print(effort, ["home", "what", "baseline"], &rows);
}
