//! A foreign peer that knows only the seed's protocol: a lock made with exclusive creation, judged by age and
//! process id, taken over by unlink, and one watermark. Once in Rust, once in Node.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use noctuary::dream::{Evidence, ReadReason};
use noctuary::testing::{Faults, FaultyDisk};
use noctuary::workspace::{Claim, ClaimTerms};
use noctuary::{FileWorkspace, LlmReply, Outcome, Workspace, dream_once_at, llm_fn};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::kills::{self, dreamer, keep};
use super::kit::{Score, add, end, length, read, scratch, signal, start};
use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::{Peer, in_role, listen, tell};
use noctuary_tests::dreaming::{Life, dreamer_over, reason_of};

const LOCK: &str = ".dreaming.lock";
const STATE: &str = ".dreamed-state.json";
const JOURNAL: &str = "memory/2025-03-01-a.md";
/// How old a lock may be for the peers of this test: the seed's half hour, scaled down.
const TTL: Duration = Duration::from_secs(1);

/// The peer.
struct Seed<'p> {
    life: &'p Path,
    ttl: Duration,
    host: String,
    chance: Dice,
    token: String,
}

impl<'p> Seed<'p> {
    fn new(life: &'p Path, ttl: Duration) -> Self {
        let host = read(Path::new("/proc/sys/kernel/hostname")).trim().to_owned();
        Self { life, ttl, host, chance: Dice::fresh(), token: String::new() }
    }

    /// Whether a lock is stale by the seed's two rules; one that does not parse is being written.
    fn is_stale(&self, text: &str) -> bool {
        let Ok(lock) = serde_json::from_str::<Value>(text) else { return false };
        let started: Option<DateTime<Utc>> = lock["started_at"].as_str().and_then(|at| at.parse().ok());
        let age = started.and_then(|at| (Utc::now() - at).to_std().ok()).unwrap_or_default();
        let is_dead = lock["hostname"].as_str() == Some(&self.host)
            && lock["pid"].as_u64().is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists());
        age > self.ttl || is_dead
    }

    fn create(&mut self) -> bool {
        self.token = format!("seed-{:016x}", self.chance.roll());
        let lock = json!({
            "pid": std::process::id(),
            "hostname": self.host,
            "started_at": Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true),
            "token": self.token,
        });
        match fs::File::options().write(true).create_new(true).open(self.life.join(LOCK)) {
            Ok(mut file) => file.write_all(lock.to_string().as_bytes()).is_ok(),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
                false
            }
        }
    }

    fn acquire(&mut self) -> bool {
        if self.create() {
            return true;
        }
        let standing = read(&self.life.join(LOCK));
        if !self.is_stale(&standing) || read(&self.life.join(LOCK)) != standing {
            return false;
        }
        let _ = fs::remove_file(self.life.join(LOCK));
        self.create()
    }

    fn is_mine(&self) -> bool {
        read(&self.life.join(LOCK)).contains(&self.token)
    }

    fn release(&self) {
        if self.is_mine() {
            let _ = fs::remove_file(self.life.join(LOCK));
        }
    }

    /// Dreams what was changed since the watermark, and moves it. Returns how many lines it promoted.
    fn dream(&self) -> usize {
        let state: Value = serde_json::from_str(&read(&self.life.join(STATE))).unwrap_or_else(|_| json!({}));
        let mark = state["last_processed_mtime"].as_f64().unwrap_or(0.0);
        let (mut newest, mut section, mut lines) = (mark, String::new(), 0);
        for entry in fs::read_dir(self.life.join("memory")).unwrap().flatten() {
            let Ok(changed) = entry.metadata().and_then(|metadata| metadata.modified()) else { continue };
            let changed = changed.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs_f64() * 1000.0;
            if changed <= mark {
                continue;
            }
            newest = newest.max(changed);
            for line in read(&entry.path()).lines().filter_map(|line| line.split_once("note n")) {
                section.push_str(&format!("- Peer told n{}.\n", line.1.split(' ').next().unwrap()));
                lines += 1;
            }
        }
        if newest > mark && self.is_mine() {
            add(&self.life.join("MEMORY.md"), format!("\n## Dreamed by a peer\n\n{section}").as_bytes());
            let mut state = state;
            state["last_processed_mtime"] = json!(newest);
            state["last_run_at"] = json!(Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true));
            let aside = self.life.join(format!(".state-{}", self.token));
            fs::write(&aside, state.to_string()).unwrap();
            fs::rename(&aside, self.life.join(STATE)).unwrap();
        }
        lines
    }
}

/// Acts as the peer, as the Rust child and as the Node program: `watch` a lock for some time, `steal` it, wait
/// until it may `take` it by its own rules, or dream, once or in a `loop`.
pub(crate) fn child(folder: &Path, words: &[&str]) {
    if words[0] == "dreams" {
        return dream_slowly(folder);
    }
    let mut seed = Seed::new(folder, Duration::from_millis(words[1].parse().unwrap()));
    match words[0] {
        "watch" => {
            let until = Instant::now() + Duration::from_millis(words[2].parse().unwrap());
            let (mut looks, mut stale) = (0, 0);
            while Instant::now() < until {
                let text = read(&folder.join(LOCK));
                looks += u64::from(!text.is_empty());
                stale += u64::from(!text.is_empty() && seed.is_stale(&text));
                std::thread::sleep(Duration::from_millis(1));
            }
            tell(&format!("{looks} {stale}"));
        }
        "steal" => {
            tell("ready");
            listen();
            let _ = fs::remove_file(folder.join(LOCK));
            tell(if seed.create() { "stolen" } else { "not stolen" });
            listen();
            seed.release();
        }
        "take" => {
            while !seed.acquire() {
                std::thread::sleep(Duration::from_millis(1));
            }
            tell("held");
            listen();
            seed.release();
        }
        "dream" => {
            assert!(seed.acquire());
            tell("held");
            listen();
            tell(&seed.dream().to_string());
            listen();
            seed.release();
        }
        "loop" => loop {
            if seed.acquire() {
                std::thread::sleep(Duration::from_micros(seed.chance.below(2000)));
                seed.dream();
                std::thread::sleep(Duration::from_micros(seed.chance.below(1000)));
                seed.release();
                add(&folder.parent().unwrap().join("peer-ticks"), b"P");
            }
            std::thread::sleep(Duration::from_micros(seed.chance.below(4000)));
        },
        other => panic!("no peer {other:?}"),
    }
}

/// One of ours, whose model takes its time; says how the night ended.
fn dream_slowly(life: &Path) {
    let workspace = Arc::new(FileWorkspace::open(life).unwrap());
    let dreamer = dreamer_over(workspace, |config| {
        config.evidence = Evidence::Off;
        config.claim.ttl = TTL;
    });
    let model = llm_fn(|_| {
        tell("asked");
        listen();
        Ok(answer())
    });
    tell(&format!("{:?}", dream_once_at(&dreamer, &model, &Utc::now).map(|report| report.outcome)));
}

fn answer() -> LlmReply {
    LlmReply::new("- Note n000000 came in wording w11111. (memory/2025-03-01-a.md#L1)")
}

/// Which peer it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rust,
    Node,
}

impl Kind {
    fn command(self, words: &str, folder: &Path) -> Command {
        match self {
            Self::Rust => in_role(super::HERE, &format!("seed {words}"), folder),
            Self::Node => {
                let program = noctuary_tests::root().join("tests/crashes/torture/peer.mjs");
                let mut command = Command::new("node");
                command.arg(program).arg(folder).args(words.split(' '));
                command.stdin(Stdio::piped()).stdout(Stdio::piped());
                command
            }
        }
    }

    fn start(self, words: &str, folder: &Path) -> Peer {
        Peer::of(&mut self.command(words, folder)).unwrap()
    }

    fn is_there(self) -> bool {
        let node =
            || Command::new("node").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        self == Self::Rust || node().is_ok_and(|status| status.success())
    }
}

fn life() -> Life {
    let life = Life::with(&[]);
    life.put(JOURNAL, "- [user] note n000000 of the day\n");
    life
}

/// A live lock of ours never looks stale.
fn watch(kind: Kind, score: &mut Score) -> u64 {
    let life = life();
    let workspace = FileWorkspace::open(life.root()).unwrap();
    let terms = ClaimTerms { ttl: TTL, ..ClaimTerms::default() };
    let Claim::Granted(lease) = workspace.claim(&terms).unwrap() else { panic!("nobody holds it") };
    let millis = (length().as_millis() / 6).max(500) + TTL.as_millis();
    let said = kind.start(&format!("watch {} {millis}", TTL.as_millis()), life.root()).finish();
    let numbers: Vec<u64> = said[0].split(' ').map(|number| number.parse().unwrap()).collect();
    score.check(numbers[1] == 0, || format!("{kind:?}: our live lock was stale in {} looks", numbers[1]));
    score.check(lease.check().is_ok(), || format!("{kind:?}: the lease is lost"));
    numbers[0]
}

/// A lock that is stolen while the model thinks stops the commit, and the thief's own is respected.
fn steal(kind: Kind, score: &mut Score, chance: &mut Dice) {
    let life = life();
    let peer = std::sync::Mutex::new(kind.start(&format!("steal {}", TTL.as_millis()), life.root()));
    assert_eq!(peer.lock().unwrap().hear().unwrap(), "ready");
    let model = llm_fn(|_| {
        let mut peer = peer.lock().unwrap();
        peer.go_on();
        assert_eq!(peer.hear().unwrap(), "stolen");
        Ok(answer())
    });
    let documents = life.documents();
    let report = dream_once_at(&dreamer(life.root(), chance), &model, &Utc::now);
    let outcome = report.as_ref().map(|report| report.outcome);
    let is_lost = matches!(outcome, Ok(Outcome::LeaseLost));
    score.check(is_lost, || format!("{kind:?}: after a theft {outcome:?}"));
    score.check(life.documents() == documents, || format!("{kind:?}: something was written after a theft"));
    score.check(!life.has(STATE) && !life.has(".dreaming.d/intent.json"), || format!("{kind:?}: state"));
    let theirs = life.bytes(LOCK);
    let never = llm_fn(|_| panic!("nobody is asked while a peer holds"));
    let held = dream_once_at(&dreamer(life.root(), chance), &never, &Utc::now).unwrap();
    score.check(held.outcome == Outcome::LockHeld, || format!("{kind:?}: its lock gives {:?}", held.outcome));
    score.check(life.bytes(LOCK) == theirs, || format!("{kind:?}: its lock was touched"));
    peer.lock().unwrap().go_on();
    peer.lock().unwrap().finish();
    let done = kills::drain(life.root(), chance);
    score.check(done.is_ok(), || format!("{kind:?}: {done:?}"));
    let told = kills::numbers(&life.memory());
    score.check(told.get(&0) == Some(&1), || format!("{kind:?}: after the thief left, {told:?}"));
}

/// One of ours is stopped for longer than its lock may be old. Ours still know that it lives, whatever the clock
/// says; a peer may take it for dead, and then it writes nothing once it goes on.
fn stop(kind: Kind, score: &mut Score, chance: &mut Dice) {
    let life = life();
    let mut ours = Peer::start(super::HERE, "seed dreams", life.root());
    assert_eq!(ours.hear().unwrap(), "asked");
    let documents = life.documents();
    signal(&ours.child, Signal::STOP);
    let disk = FaultyDisk::new(noctuary::testing::folder(life.root()).unwrap(), Faults::new());
    for hours in [7, -14] {
        disk.shift_clock(TimeDelta::hours(hours));
        let claim = FileWorkspace::on_disk(Arc::new(disk.clone())).claim(&ClaimTerms::default()).unwrap();
        score
            .check(matches!(claim, Claim::Held(_)), || format!("{kind:?}: a stopped holder gives {claim:?}"));
    }
    let mut peer = kind.start(&format!("take {}", TTL.as_millis()), life.root());
    assert_eq!(peer.hear().unwrap(), "held");
    let theirs = life.bytes(LOCK);
    signal(&ours.child, Signal::CONT);
    ours.go_on();
    let outcome = ours.hear().unwrap();
    score.check(outcome == "Ok(LeaseLost)", || format!("{kind:?}: after a stop {outcome}"));
    ours.finish();
    score.check(life.documents() == documents, || format!("{kind:?}: something was written after a stop"));
    score.check(life.bytes(LOCK) == theirs, || format!("{kind:?}: the lock was touched after a stop"));
    score.check(!life.has(STATE) && !life.has(".dreaming.d/intent.json"), || format!("{kind:?}: state"));
    peer.go_on();
    peer.finish();
    let done = kills::drain(life.root(), chance);
    score.check(done.is_ok(), || format!("{kind:?}: {done:?}"));
    let told = kills::numbers(&life.memory());
    score.check(told.get(&0) == Some(&1), || format!("{kind:?}: after a stop, {told:?}"));
}

/// Checks that journals that a peer dreamed are not dreamed again.
fn trust(kind: Kind, score: &mut Score, chance: &mut Dice) {
    let life = life();
    let mut peer = kind.start(&format!("dream {}", TTL.as_millis()), life.root());
    assert_eq!(peer.hear().unwrap(), "held");
    peer.go_on();
    assert_eq!(peer.hear().unwrap(), "1");
    peer.go_on();
    peer.finish();
    let never = llm_fn(|_| panic!("nothing is left to ask"));
    let report = dream_once_at(&dreamer(life.root(), chance), &never, &Utc::now).unwrap();
    score.check(reason_of(&report, JOURNAL) == ReadReason::DreamedByPeer, || format!("{kind:?}: {report:?}"));
    life.add(JOURNAL, "- [user] note n000001 of the day\n");
    let done = kills::drain(life.root(), chance);
    let told = kills::numbers(&life.memory());
    let is_new = told == BTreeMap::from([(1, 1)]);
    score.check(is_new && done.is_ok(), || format!("{kind:?}: of what came after it {told:?}, {done:?}"));
}

/// Ours and theirs on one workspace; ours are killed now and then.
fn mix(kind: Kind, time: Duration, score: &mut Score, chance: &mut Dice) -> (u64, u64, u64) {
    let folder = scratch(chance.roll());
    let (root, life) = (folder.path(), folder.path().join("life"));
    kills::prepare(root);
    let begin = |chance: &mut Dice| start(&format!("ticks {}", chance.roll()), root);
    let mut ours: Vec<Child> = (0..2).map(|_| begin(chance)).collect();
    let mut theirs: Vec<Child> = (0..2)
        .map(|_| {
            let mut command = kind.command(&format!("loop {}", TTL.as_millis()), &life);
            command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    let (until, mut lines) = (Instant::now() + time, 0);
    while Instant::now() < until {
        let journal = life.join(format!("memory/2025-03-{:02}-s.md", chance.below(9) + 1));
        add(&journal, format!("- [user] note n{lines:06} of the day\n").as_bytes());
        lines += 1;
        if chance.one_in(8) {
            let at = chance.below(ours.len());
            end(&mut ours[at]);
            ours[at] = begin(chance);
        }
        std::thread::sleep(Duration::from_micros(chance.below(12_000)));
    }
    for child in ours.iter_mut().chain(&mut theirs) {
        end(child);
    }
    // A lock that a peer left behind when it was ended is known as dead by its process; one that it had not
    // written yet says no process, and is known by its age.
    if fs::metadata(life.join(LOCK)).is_ok_and(|lock| lock.len() == 0) {
        let lock = fs::File::options().write(true).open(life.join(LOCK)).unwrap();
        lock.set_modified(SystemTime::now() - Duration::from_secs(120)).unwrap();
    }
    if let Err(what) = kills::drain(&life, chance) {
        score.violation(format!("{kind:?}: {what}"));
    }
    let told = kills::numbers(&read(&life.join("MEMORY.md")));
    let doubled: Vec<_> = told.iter().filter(|(_, times)| **times > 1).collect();
    score.check(doubled.is_empty(), || format!("{kind:?}: doubled by us {doubled:?} in {}", keep(root)));
    for what in kills::whole(&life) {
        score.violation(format!("{kind:?}: {what} in {}", keep(root)));
    }
    let errors = read(&root.join("errors"));
    score.check(errors.is_empty(), || format!("{kind:?}: errors without a fault: {errors}"));
    (lines, told.len() as u64, read(&root.join("peer-ticks")).len() as u64)
}

pub(crate) fn run() -> bool {
    let mut is_enough = true;
    for kind in [Kind::Rust, Kind::Node] {
        let mut score = Score::new(if kind == Kind::Rust { "peer (rust)" } else { "peer (node)" });
        if !kind.is_there() {
            println!("peer (node): skipped, there is no node on the path");
            continue;
        }
        let mut chance = Dice::fresh();
        let looks = watch(kind, &mut score);
        let (mut thefts, mut stops) = (0, 0);
        let begun = Instant::now();
        while thefts == 0 || begun.elapsed() < length() / 6 {
            steal(kind, &mut score, &mut chance);
            trust(kind, &mut score, &mut chance);
            thefts += 1;
        }
        while stops == 0 || begun.elapsed() < length() / 3 {
            stop(kind, &mut score, &mut chance);
            stops += 1;
        }
        let (lines, by_us, peer_ticks) = mix(kind, length() / 2, &mut score, &mut chance);
        let counts = format!(
            "{looks} looks at our live lock, {thefts} thefts, {thefts} moved watermarks, {stops} holders stopped \
             past their age, mixed: {lines} lines, {by_us} by us, {peer_ticks} ticks of the peer"
        );
        let enough = [("looks", looks, 200), ("lines", lines, 50), ("ticks of the peer", peer_ticks, 3)];
        is_enough &= score.finish(&counts, &enough);
    }
    is_enough
}
