//! Machines that share nothing but a server: one lease, and each line promoted once, while processes are killed and paused, connections
//! are cut at every statement, the server crashes, its disk is full, and clocks are years apart.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chrono::{TimeZone, Utc};
use noctuary::dream::{Evidence, SectionCaps};
use noctuary::postgres::{Postgres, PostgresConfig, PostgresWorkspace};
use noctuary::workspace::{Claim, ClaimTerms, WorkspaceExt};
use noctuary::{DocName, Error, JournalDreamer, Outcome, Scope, Workspace, WriteMode, dream_once_at};
use postgres::{Client, NoTls};
use rustix::process::{Signal, getpid, kill_process};

use super::kills;
use super::kit::{self, Score, add, each_second, end, length, read, signal};
use noctuary_tests::common;
use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::server::{Private, url};

const PROCESSES: usize = 16;
const TTL: Duration = Duration::from_millis(400);
/// The least that a dream may have.
const DREAM_TTL: Duration = Duration::from_secs(1);
const MEMORY: &str = "# Memory\n\n- Operator line 0.\n";

fn settings() -> PostgresConfig {
    let mut settings = PostgresConfig::default();
    settings.max_connections = 2;
    settings.lock_timeout = Duration::from_secs(5);
    settings
}

fn connect(url: &str) -> noctuary::Result<PostgresWorkspace> {
    Postgres::connect_with(url, settings())?.workspace(Scope::user("marta"))
}

/// Tries for as long as the server is away.
fn patiently<T>(mut act: impl FnMut() -> noctuary::Result<T>) -> T {
    for _ in 0..2000 {
        match act() {
            Ok(done) => return done,
            Err(Error::Unavailable { .. } | Error::Busy { .. } | Error::DurabilityUnknown { .. }) => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    panic!("the server does not come back")
}

/// Where a holder writes. A document takes some hundreds of lines, since it is written whole.
fn epochs(epoch: u64) -> DocName {
    DocName::parse(format!("epochs/{:08}.md", epoch / 256)).unwrap()
}

fn journal() -> DocName {
    DocName::parse("memory/2026-11-21-repl.md").unwrap()
}

/// A process of a machine of its own: in every third one the clock is years away.
fn start(role: &str, folder: &Path, number: u64) -> Child {
    let errors = std::fs::File::options().append(true).create(true).open(folder.join("stderr")).unwrap();
    let mut command = common::in_role(super::HERE, role, folder);
    let library = [
        "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
        "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
    ];
    if let Some(library) = library.iter().find(|library| Path::new(library).exists())
        && !number.is_multiple_of(3)
    {
        command
            .env("LD_PRELOAD", library)
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .env("DONT_FAKE_MONOTONIC", "1");
        command.env("FAKETIME", if number % 3 == 1 { "+5y" } else { "-3y" });
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors).spawn().unwrap()
}

/// Claims and writes until it is killed. What it is about to write, and what became of it, it tells in files.
pub(crate) fn claims(folder: &Path, seed: u64) {
    let mut chance = Dice(seed);
    let url = read(&folder.join("url"));
    let life = patiently(|| connect(&url));
    let terms = ClaimTerms { ttl: TTL, settle: Duration::ZERO, ..ClaimTerms::default() };
    let count = |word: &str| add(&folder.join("counts"), word.as_bytes());
    loop {
        let lease = match life.claim(&terms) {
            Ok(Claim::Granted(lease)) => lease,
            Ok(Claim::Held(_)) => {
                std::thread::sleep(Duration::from_millis(1) + Duration::from_micros(chance.below(8000)));
                continue;
            }
            Err(Error::Unavailable { .. } | Error::Busy { .. } | Error::DurabilityUnknown { .. }) => {
                count("u");
                std::thread::sleep(Duration::from_millis(5) + Duration::from_micros(chance.below(20_000)));
                continue;
            }
            Err(error) => {
                add(&folder.join("errors"), format!("a claim: {error:?}\n").as_bytes());
                continue;
            }
        };
        count("a");
        let epoch = lease.epoch();
        for number in 0..=chance.below(2) {
            let text = format!("{epoch} {seed} {number}");
            add(&folder.join("tried"), format!("{text}\n").as_bytes());
            let done = lease.append(&epochs(epoch), format!("{text}\n").as_bytes());
            let became = match &done {
                Ok(()) => "there",
                Err(Error::DurabilityUnknown { .. }) => "unknown",
                Err(Error::LeaseLost(_)) => {
                    count("t");
                    "refused"
                }
                Err(Error::Unavailable { .. } | Error::Busy { .. }) => "refused",
                Err(error) => {
                    add(&folder.join("errors"), format!("a write: {error:?}\n").as_bytes());
                    "refused"
                }
            };
            add(&folder.join(became), format!("{text}\n").as_bytes());
            if chance.one_in(40) {
                count("d");
                let _ = kill_process(getpid(), Signal::KILL);
            }
            if done.is_err() {
                break;
            }
            std::thread::sleep(Duration::from_micros(chance.below(1500)));
        }
        let _ = lease.release();
    }
}

fn dreamer(life: PostgresWorkspace, chance: &mut Dice) -> JournalDreamer {
    let budget = 200 + chance.below(4000);
    kills::unscanned(Arc::new(life), |config| {
        config.evidence = Evidence::Off;
        config.section = SectionCaps::new(100_000, 500, 1 << 24);
        config.budget.max_calls_per_day = None;
        config.budget.back_off = None;
        config.total_input_bytes = budget;
        config.max_file_bytes = budget;
        config.claim.settle = Duration::ZERO;
        config.claim.ttl = DREAM_TTL;
    })
}

/// Dreams until it is killed.
pub(crate) fn dreams(folder: &Path, seed: u64) {
    let mut chance = Dice(seed);
    let url = read(&folder.join("url"));
    let life = patiently(|| connect(&url));
    let model = kills::model(seed, false);
    loop {
        let night = || Utc.with_ymd_and_hms(2026, 11, 22, 3, 0, 0).unwrap();
        let word = match dream_once_at(&dreamer(life.clone(), &mut chance), &model, &night) {
            Ok(report) if report.outcome == Outcome::Appended => "A",
            Ok(report) if report.outcome == Outcome::LockHeld => {
                std::thread::sleep(Duration::from_millis(2) + Duration::from_micros(chance.below(20_000)));
                "H"
            }
            Ok(_) => {
                std::thread::sleep(Duration::from_millis(20));
                "N"
            }
            Err(Error::LeaseLost(_)) => "L",
            Err(Error::Unavailable { .. } | Error::Busy { .. } | Error::DurabilityUnknown { .. }) => {
                std::thread::sleep(Duration::from_millis(10));
                "u"
            }
            Err(error) => {
                add(&folder.join("errors"), format!("a dream: {error:?}\n").as_bytes());
                "E"
            }
        };
        add(&folder.join("ticks"), word.as_bytes());
    }
}

/// In seconds: of each cycle the first part is a storm.
const CYCLE: u64 = 24;
const STORM: u64 = 12;

/// What was done to the processes and the server.
#[derive(Default)]
struct Harm {
    kills: u64,
    pauses: u64,
    cuts: u64,
    crashes: u64,
}

/// Runs sixteen processes, and harms them and their server until it is time.
fn harm(role: &str, server: &Private, folder: &Path, meanwhile: &mut dyn FnMut()) -> Harm {
    let mut chance = Dice::fresh();
    let mut number = 0;
    let mut new = |chance: &mut Dice| {
        number += 1;
        start(&format!("{role} {}", chance.roll() >> 16), folder, number)
    };
    let mut children: Vec<Child> = (0..PROCESSES).map(|_| new(&mut chance)).collect();
    let mut paused: Vec<(usize, Instant)> = Vec::new();
    let mut done = Harm::default();
    let above = server.url.replace("user=noctuary_test", "user=postgres");
    let mut beside = Client::connect(&above, NoTls).ok();
    // A dream takes more time than a write, and its operator's appends slow this loop.
    let (crash_every, kill_in) = if role == "machine-dreams" {
        (Duration::from_secs(6), 4)
    } else {
        (Duration::from_millis(1800), 14)
    };
    let begun = Instant::now();
    let mut crashed = Instant::now();
    while begun.elapsed() < length() {
        std::thread::sleep(Duration::from_millis(8) + Duration::from_micros(chance.below(20_000)));
        let now = Instant::now();
        for (at, _) in paused.extract_if(.., |(_, until)| *until <= now) {
            signal(&children[at], Signal::CONT);
        }
        // Where all is harmed all the time, hardly anybody comes to hold anything.
        let is_calm = begun.elapsed().as_secs() % CYCLE >= STORM;
        let at = chance.below(PROCESSES);
        if !paused.iter().any(|(paused, _)| *paused == at) {
            if chance.one_in(40) {
                signal(&children[at], Signal::STOP);
                done.pauses += 1;
                paused.push((at, now + DREAM_TTL + Duration::from_micros(chance.below(400_000))));
            } else if !is_calm && chance.one_in(kill_in) {
                end(&mut children[at]);
                done.kills += 1;
                children[at] = new(&mut chance);
            }
        }
        // Those that killed themselves while they held.
        for child in &mut children {
            if child.try_wait().unwrap().is_some() {
                done.kills += 1;
                *child = new(&mut chance);
            }
        }
        if !is_calm && chance.one_in(12) {
            let sql = "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity
                WHERE usename = 'noctuary_test' ORDER BY random() LIMIT 2) AS few";
            match beside.as_mut().map(|client| client.query_one(sql, &[])) {
                Some(Ok(row)) => done.cuts += row.get::<_, i64>(0).unsigned_abs(),
                _ => beside = Client::connect(&above, NoTls).ok(),
            }
        }
        if !is_calm && crashed.elapsed() > crash_every {
            drop(beside.take());
            server.crash();
            server.again();
            done.crashes += 1;
            crashed = Instant::now();
        }
        meanwhile();
    }
    for child in &mut children {
        end(child);
    }
    done
}

fn new_life(server: &Private, folder: &Path) -> PostgresWorkspace {
    Postgres::connect_with(&server.url, settings()).unwrap().migrate().unwrap();
    std::fs::write(folder.join("url"), &server.url).unwrap();
    for file in ["counts", "tried", "there", "unknown", "refused", "errors", "ticks"] {
        std::fs::write(folder.join(file), "").unwrap();
    }
    connect(&server.url).unwrap()
}

fn lines(folder: &Path, file: &str) -> BTreeSet<String> {
    read(&folder.join(file)).lines().map(str::to_owned).collect()
}

/// One holder at a time.
pub(crate) fn run_claims() -> bool {
    if url().is_none() {
        return true;
    }
    let (server, folder) = (Private::start(false), tempfile::tempdir().unwrap());
    let folder = folder.path();
    let life = new_life(&server, folder);
    let mut score = Score::new("machines hold one lease");
    let harm = harm("machine-claims", &server, folder, &mut || {});
    let counts = read(&folder.join("counts"));
    let count = |word: char| counts.chars().filter(|found| *found == word).count() as u64;
    let (there, refused, tried) = (lines(folder, "there"), lines(folder, "refused"), lines(folder, "tried"));
    let mut standing = BTreeSet::new();
    let mut holders: BTreeMap<u64, String> = BTreeMap::new();
    let documents = patiently(|| life.list(Some(&DocName::parse("epochs").unwrap()))).documents;
    for document in documents {
        let text = patiently(|| life.read_text(&document)).unwrap();
        let mut last = 0;
        for line in text.lines() {
            let (epoch, rest) = line.split_once(' ').unwrap();
            let (epoch, who): (u64, &str) = (epoch.parse().unwrap(), rest.split(' ').next().unwrap());
            score.check(epoch >= last, || format!("a write of epoch {epoch} after one of {last}"));
            let holder = holders.entry(epoch).or_insert_with(|| who.to_owned());
            score.check(holder == who, || format!("two hold epoch {epoch}"));
            score.check(standing.insert(line.to_owned()), || format!("doubled: {line}"));
            score.check(!refused.contains(line), || format!("refused and there: {line}"));
            score.check(tried.contains(line), || format!("nobody wrote {line}"));
            last = epoch.max(last);
        }
    }
    for line in there.difference(&standing) {
        score.violation(format!("lost: {line}"));
    }
    for line in lines(folder, "errors") {
        score.violation(line);
    }
    let told = format!(
        "{} acquisitions, {} writes, {} thefts noticed, {} kills ({} while holding), {} pauses past the end, {} connections cut, \
         {} server crashes, {} unknown",
        count('a'),
        there.len(),
        count('t'),
        harm.kills,
        count('d'),
        harm.pauses,
        harm.cuts,
        harm.crashes,
        lines(folder, "unknown").len()
    );
    score
        .finish(&told, &[("acquisitions", count('a'), each_second(1)), ("kills", harm.kills, each_second(1))])
}

/// Each line is promoted once.
pub(crate) fn run_dreams() -> bool {
    if url().is_none() {
        return true;
    }
    let (server, folder) = (Private::start(false), tempfile::tempdir().unwrap());
    let folder = folder.path();
    let life = new_life(&server, folder);
    life.write(&DocName::MEMORY, MEMORY.as_bytes(), WriteMode::Create).unwrap();
    let mut score = Score::new("machines promote once");
    let (mut told, mut by_hand) = (0_u64, 0_u64);
    let harm = {
        let mut journal_line = || {
            if told < 1200
                && life.append(&journal(), format!("[user] note n{told} was told\n").as_bytes()).is_ok()
            {
                told += 1;
            }
            // A person writes into MEMORY.md too.
            if by_hand < told / 16
                && life.append(&DocName::MEMORY, format!("- By hand {by_hand}.\n").as_bytes()).is_ok()
            {
                by_hand += 1;
            }
        };
        harm("machine-dreams", &server, folder, &mut journal_line)
    };
    // What is left, in peace.
    let model = kills::model(1, false);
    let mut chance = Dice(1);
    let mut quiet = 0;
    while quiet < 2 {
        let night = || Utc.with_ymd_and_hms(2026, 11, 22, 3, 0, 0).unwrap();
        let report = patiently(|| dream_once_at(&dreamer(life.clone(), &mut chance), &model, &night));
        match report.outcome {
            Outcome::LockHeld => std::thread::sleep(Duration::from_millis(20)),
            Outcome::NothingNew => quiet += 1,
            _ => {}
        }
    }
    let memory = life.read_text(&DocName::MEMORY).unwrap().unwrap();
    score.check(memory.starts_with(MEMORY), || "the operator's bytes".to_owned());
    let mut promoted: BTreeMap<&str, u64> = BTreeMap::new();
    for line in memory.lines().filter_map(|line| line.strip_prefix("- Note n")) {
        *promoted.entry(line.split(' ').next().unwrap()).or_default() += 1;
    }
    for number in 0..told {
        let times = promoted.get(number.to_string().as_str()).copied().unwrap_or(0);
        score.check(times == 1, || format!("note {number} was promoted {times} times"));
    }
    for number in 0..by_hand {
        let times = memory.matches(&format!("- By hand {number}.\n")).count();
        score.check(times == 1, || format!("a line of the operator's is there {times} times"));
    }
    for line in lines(folder, "errors") {
        score.violation(line);
    }
    let ticks = read(&folder.join("ticks"));
    let count = |word: char| ticks.chars().filter(|found| *found == word).count() as u64;
    let said = format!(
        "{told} lines, {} dreams, {} skips, {} leases lost, {} kills, {} pauses past the end, {} connections cut, {} server crashes",
        count('A'),
        count('H'),
        count('L'),
        harm.kills,
        harm.pauses,
        harm.cuts,
        harm.crashes
    );
    score.finish(&said, &[("lines", told, 1), ("kills", harm.kills, 1)])
}

/// How a connection ends at a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// The server never hears of it.
    Before,
    /// The server does it, and nobody hears its answer.
    After,
    /// The server ends its process.
    Terminated,
}

/// Stands between a client and the server, counts statements, and ends the connection at one of them.
struct Between {
    folder: tempfile::TempDir,
    statements: Arc<AtomicU64>,
    /// The statement at which to cut; behind it, nothing.
    at: Arc<AtomicI64>,
}

impl Between {
    fn start(server: PathBuf, cut: Cut, above: String) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
        let (statements, at) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicI64::new(-1)));
        let shared = (Arc::clone(&statements), Arc::clone(&at));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { return };
                let Ok(there) = UnixStream::connect(&server) else { continue };
                let (statements, at, above) = (Arc::clone(&shared.0), Arc::clone(&shared.1), above.clone());
                let is_cut = Arc::new(Mutex::new(false));
                let (mut back, mut to_client) = (there.try_clone().unwrap(), client.try_clone().unwrap());
                let silent = Arc::clone(&is_cut);
                std::thread::spawn(move || {
                    let mut bytes = vec![0; 1 << 16];
                    while let Ok(read) = back.read(&mut bytes) {
                        if read == 0
                            || *silent.lock().unwrap()
                            || to_client.write_all(&bytes[..read]).is_err()
                        {
                            break;
                        }
                    }
                    let _ = to_client.shutdown(std::net::Shutdown::Both);
                });
                std::thread::spawn(move || {
                    pass(client, there, &statements, &at, cut, &above, &is_cut);
                });
            }
        });
        Self { folder, statements, at }
    }

    fn url(&self) -> String {
        format!("host={} user=noctuary_test dbname=postgres", self.folder.path().display())
    }
}

/// Passes messages of a client on, whole ones. A statement ends with `Sync`, or is a simple query.
fn pass(
    mut client: UnixStream,
    mut there: UnixStream,
    statements: &AtomicU64,
    at: &AtomicI64,
    cut: Cut,
    above: &str,
    is_cut: &Mutex<bool>,
) -> Option<()> {
    let message = |client: &mut UnixStream, has_kind: bool| {
        let mut head = vec![0; if has_kind { 5 } else { 4 }];
        client.read_exact(&mut head).ok()?;
        let len = u32::from_be_bytes(head[head.len() - 4..].try_into().unwrap()) as usize;
        let mut body = vec![0; len - 4];
        client.read_exact(&mut body).ok()?;
        let kind = if has_kind { head[0] } else { 0 };
        Some((kind, [head, body].concat()))
    };
    let (_, first) = message(&mut client, false)?;
    there.write_all(&first).ok()?;
    loop {
        let (kind, bytes) = message(&mut client, true)?;
        if kind == b'S' || kind == b'Q' {
            let number = statements.fetch_add(1, Ordering::SeqCst);
            if i64::try_from(number) == Ok(at.load(Ordering::SeqCst)) {
                match cut {
                    Cut::Before => {}
                    Cut::After => {
                        *is_cut.lock().unwrap() = true;
                        there.write_all(&bytes).ok()?;
                        // It has time to do it.
                        std::thread::sleep(Duration::from_millis(15));
                    }
                    Cut::Terminated => {
                        // While the statement runs, or just before or behind it.
                        there.write_all(&bytes).ok()?;
                        let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'between'";
                        Client::connect(above, NoTls).ok()?.query(sql, &[]).ok()?;
                        continue;
                    }
                }
                let _ = client.shutdown(std::net::Shutdown::Both);
                let _ = there.shutdown(std::net::Shutdown::Both);
                return None;
            }
        }
        there.write_all(&bytes).ok()?;
    }
}

/// A dream whose connection ends at each of its statements in turn: afterwards each line is promoted once.
pub(crate) fn run_cuts() -> bool {
    if url().is_none() {
        return true;
    }
    let server = Private::start(false);
    Postgres::connect_with(&server.url, settings()).unwrap().migrate().unwrap();
    let above = server.url.replace("user=noctuary_test", "user=postgres");
    let socket = server.path().join(".s.PGSQL.5432");
    let mut score = Score::new("connections are cut at every statement of a dream");
    let night = || Utc.with_ymd_and_hms(2026, 11, 22, 3, 0, 0).unwrap();
    let step = if kit::is_long() { 1 } else { 9 };
    let (mut points, mut unknown, mut user) = (0, 0, 0_u64);
    for cut in [Cut::Before, Cut::After, Cut::Terminated] {
        let mut at = 0;
        loop {
            user += 1;
            let whose = Scope::user(format!("marta-{user}"));
            let direct =
                Postgres::connect_with(&server.url, settings()).unwrap().workspace(whose.clone()).unwrap();
            direct.write(&DocName::MEMORY, MEMORY.as_bytes(), WriteMode::Create).unwrap();
            direct.append(&journal(), b"[user] note n0 was told\n[user] note n1 was told\n").unwrap();
            let between = Between::start(socket.clone(), cut, above.clone());
            let url = format!("{} application_name=between", between.url());
            let life = Postgres::connect_with(&url, settings()).unwrap().workspace(whose).unwrap();
            let begun = between.statements.load(Ordering::SeqCst);
            between.at.store(i64::try_from(begun + at).unwrap(), Ordering::SeqCst);
            let model = kills::model(at, false);
            let done = dream_once_at(&dreamer(life, &mut Dice(at)), &model, &night);
            let all = between.statements.load(Ordering::SeqCst) - begun;
            match &done {
                Ok(_) | Err(Error::Unavailable { .. } | Error::LeaseLost(_) | Error::Busy { .. }) => {}
                Err(Error::DurabilityUnknown { .. }) => unknown += 1,
                Err(error) => score.violation(format!("{cut:?} at {at}: {error:?}")),
            }
            let mut looked = 0;
            loop {
                let report = dream_once_at(&dreamer(direct.clone(), &mut Dice(1)), &model, &night).unwrap();
                looked += 1;
                match report.outcome {
                    Outcome::NothingNew => break,
                    Outcome::LockHeld => std::thread::sleep(Duration::from_millis(10)),
                    _ => {}
                }
                assert!(looked < 5000, "{cut:?} at {at}: never free");
            }
            let memory = direct.read_text(&DocName::MEMORY).unwrap().unwrap();
            score.check(memory.starts_with(MEMORY), || format!("{cut:?} at {at}: the operator's bytes"));
            for note in ["- Note n0 ", "- Note n1 "] {
                let times = memory.matches(note).count();
                score.check(times == 1, || format!("{cut:?} at {at}: {note:?} {times} times"));
            }
            points += 1;
            if at >= all {
                break;
            }
            at += step;
        }
    }
    score.finish(&format!("{points} points, {unknown} unknown"), &[("points", points, 20)])
}

/// A disk that fills: what was acknowledged is there once, and the life goes on when there is room again.
pub(crate) fn run_full_disk() -> bool {
    if url().is_none() {
        return true;
    }
    let mut score = Score::new("a server's disk is full");
    let folder = tempfile::tempdir().unwrap();
    let mount = |words: &[&str]| {
        Command::new(words[0])
            .args(&words[1..])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    let path = folder.path().to_str().unwrap();
    if !mount(&["mount", "-t", "tmpfs", "-o", "size=160m,mode=755", "tmpfs", path]) {
        println!("a server's disk is full: skipped, since no file system can be mounted here");
        return true;
    }
    let rounds = if kit::is_long() { 20 } else { 3 };
    let (mut full, mut acknowledged) = (0, 0_u64);
    {
        let server = Private::start_in(folder.path());
        Postgres::connect_with(&server.url, settings()).unwrap().migrate().unwrap();
        let life = connect(&server.url).unwrap();
        let ballast = folder.path().join("ballast");
        for round in 0..rounds {
            let free = rustix::fs::statvfs(folder.path()).unwrap();
            let free = free.f_bavail * free.f_frsize;
            std::fs::write(&ballast, vec![0; usize::try_from(free.saturating_sub(512 * 1024)).unwrap()])
                .unwrap();
            let document = DocName::parse(format!("round-{round}.md")).unwrap();
            let mut there = Vec::new();
            let mut refused = Vec::new();
            for number in 0..400 {
                let text = format!("{number} {}", format!("{:016x}", Dice(number).roll()).repeat(400));
                match life.append(&document, format!("{text}\n").as_bytes()) {
                    Ok(()) => there.push(text),
                    Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::StorageFull => {
                        full += 1;
                        refused.push(text);
                        break;
                    }
                    Err(Error::Unavailable { .. } | Error::Busy { .. }) => {
                        full += 1;
                        refused.push(text);
                        break;
                    }
                    Err(Error::DurabilityUnknown { .. }) => break,
                    Err(error) => {
                        score.violation(format!("{error:?}"));
                        break;
                    }
                }
            }
            std::fs::remove_file(&ballast).unwrap();
            // Where it could not write its log it ended itself.
            server.again();
            let text = patiently(|| life.read_text(&document)).unwrap_or_default();
            let standing: Vec<&str> = text.lines().collect();
            for line in &there {
                let times = standing.iter().filter(|found| *found == line).count();
                score.check(times == 1, || format!("an acknowledged line is there {times} times"));
            }
            for line in &refused {
                score.check(!standing.contains(&line.as_str()), || "a refused line is there".to_owned());
            }
            acknowledged += there.len() as u64;
            patiently(|| life.append(&DocName::MEMORY, b"- goes on\n"));
            patiently(|| life.remove(&document).map(drop));
        }
    }
    assert!(mount(&["umount", path]), "the file system is let go");
    score.finish(
        &format!("{rounds} rounds, {full} times full, {acknowledged} acknowledged"),
        &[("rounds full", full, 1)],
    )
}
