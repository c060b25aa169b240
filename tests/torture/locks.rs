//! One holder at a time: sixteen processes, an oracle that knows nothing of leases, crashes while holding,
//! stop and continue signals, and guards deleted under their holder.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};

use noctuary::{Claim, ClaimTerms, DocName, Error, FileWorkspace, Lease, LostBy, Workspace};

use crate::kit::{Chance, Score, add, each_second, end, length, read, scratch, signal, start};

const PROCESSES: usize = 16;
const GUARD: &str = ".dreaming.d/guard";

/// Where the lease is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    Files,
    #[cfg(feature = "sqlite")]
    Sqlite,
}

impl Home {
    fn word(self) -> &'static str {
        match self {
            Self::Files => "files",
            #[cfg(feature = "sqlite")]
            Self::Sqlite => "sqlite",
        }
    }

    fn of(word: &str) -> Self {
        #[cfg(feature = "sqlite")]
        if word == "sqlite" {
            return Self::Sqlite;
        }
        assert_eq!(word, "files");
        Self::Files
    }

    fn open(self, root: &Path) -> noctuary::Result<Arc<dyn Workspace>> {
        let life = root.join("life");
        Ok(match self {
            Self::Files => Arc::new(FileWorkspace::open(life)?),
            #[cfg(feature = "sqlite")]
            Self::Sqlite => Arc::new(noctuary::SqliteWorkspace::open(
                life.join("life.db"),
                noctuary::Scope::user("marta"),
            )?),
        })
    }
}

fn epochs() -> DocName {
    DocName::parse("epochs.md").unwrap()
}

/// Says how something went, in one byte.
fn count(root: &Path, word: &str) {
    add(&root.join("counts"), word.as_bytes());
}

fn complain(root: &Path, what: &str) {
    add(&root.join("errors"), format!("{what}\n").as_bytes());
}

/// Claims again and again, until it is time, or until it dies while it holds.
pub(crate) fn child(root: &Path, words: &[&str]) {
    let home = Home::of(words[0]);
    let until = Instant::now() + Duration::from_millis(words[1].parse().unwrap());
    let mut chance = Chance::new(words[2].parse().unwrap());
    let guards_go = words[3] == "guards-go";
    let oracle = fs::File::options().append(true).open(root.join("oracle")).unwrap();
    let workspace = home.open(root).unwrap();
    let terms = ClaimTerms { settle: Duration::ZERO, ..ClaimTerms::default() };
    while Instant::now() < until {
        let lease = match workspace.claim(&terms) {
            Ok(Claim::Granted(lease)) => lease,
            Ok(Claim::Held(_)) => {
                std::thread::sleep(Duration::from_micros(100) + chance.micros(400));
                continue;
            }
            // A guard that is deleted three times while one claims.
            Err(Error::Busy { .. }) if guards_go => continue,
            // Two who claim at once, each with a guard: one sweeps away what the other is about to place.
            Err(Error::Io { source, .. }) if guards_go && source.kind() == io::ErrorKind::NotFound => {
                count(root, "s");
                continue;
            }
            Err(error) => {
                complain(root, &format!("a claim: {error:?}"));
                continue;
            }
        };
        if guards_go {
            hold_and_tell_often(root, workspace.as_ref(), lease.as_ref(), &mut chance);
        } else {
            hold(root, lease.as_ref(), &oracle, &mut chance);
        }
        count(root, "g");
        if chance.one_in(10) {
            count(root, "a");
            std::process::abort();
        }
        if let Err(error) = lease.release()
            && !guards_go
        {
            complain(root, &format!("a release: {error:?}"));
        }
    }
}

/// Holds the lease and the oracle for a moment.
fn hold(root: &Path, lease: &dyn Lease, oracle: &fs::File, chance: &mut Chance) {
    if oracle.try_lock().is_err() {
        count(root, "d");
        return;
    }
    std::thread::sleep(Duration::from_micros(100) + chance.micros(400));
    if let Err(error) = lease.append(&epochs(), format!("{}\n", lease.epoch()).as_bytes()) {
        complain(root, &format!("a fenced append: {error:?}"));
    }
    // Given back before the lease is, and before a crash: the kernel promises no order among the files of a
    // process that dies.
    oracle.unlock().unwrap();
}

/// Writes a few lines that say who holds. Once another has written, not one more may follow.
fn hold_and_tell_often(root: &Path, workspace: &dyn Workspace, lease: &dyn Lease, chance: &mut Chance) {
    let me = chance.next();
    for _ in 0..4 {
        match lease.append(&epochs(), format!("{me} {}\n", lease.epoch()).as_bytes()) {
            Ok(()) => {}
            Err(Error::LeaseLost(LostBy::Guard | LostBy::Token | LostBy::Epoch)) => {
                count(root, "l");
                break;
            }
            Err(error) => complain(root, &format!("a fenced append: {error:?}")),
        }
        let _ = workspace.location();
        std::thread::sleep(chance.micros(1500));
    }
}

/// Runs processes until the time is over; those that died are replaced, and some are stopped for a while.
fn stress(score: &mut Score, home: Home, root: &Path, length: Duration, guards_go: bool) -> u64 {
    fs::create_dir(root.join("life")).unwrap();
    fs::write(root.join("oracle"), "").unwrap();
    drop(home.open(root).unwrap());
    let mut chance = Chance::fresh();
    let until = Instant::now() + length;
    let begin = |chance: &mut Chance| {
        let left = until.saturating_duration_since(Instant::now()).as_millis();
        let word = if guards_go { "guards-go" } else { "guards-stay" };
        start(&format!("claims {} {left} {} {word}", home.word(), chance.next()), root)
    };
    let mut children: Vec<Child> = (0..PROCESSES).map(|_| begin(&mut chance)).collect();
    let mut deleted = 0;
    while Instant::now() < until {
        for child in &mut children {
            if child.try_wait().unwrap().is_some() {
                *child = begin(&mut chance);
            }
        }
        if chance.one_in(20) {
            let stopped = &children[chance.index(PROCESSES)];
            signal(stopped, "-STOP");
            std::thread::sleep(chance.micros(5000));
            signal(stopped, "-CONT");
        }
        if guards_go && chance.one_in(10) && fs::remove_file(root.join("life").join(GUARD)).is_ok() {
            deleted += 1;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let patience = Instant::now() + Duration::from_secs(20);
    for child in &mut children {
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > patience {
                score.violation("a process hangs");
                end(child);
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let errors = read(&root.join("errors"));
    let lines = errors.lines().count();
    score.check(errors.is_empty(), || {
        format!("{lines} errors, the first: {}", errors.lines().next().unwrap_or_default())
    });
    deleted
}

fn counted(root: &Path, word: char) -> u64 {
    read(&root.join("counts")).chars().filter(|known| *known == word).count() as u64
}

pub(crate) fn run(home: Home) {
    let title = match home {
        Home::Files => "lock (files)",
        #[cfg(feature = "sqlite")]
        Home::Sqlite => "lock (sqlite)",
    };
    let mut score = Score::new(title);
    let folder = scratch(0);
    let root = folder.path();
    stress(&mut score, home, root, length(), false);
    let (granted, crashes, doubled) = (counted(root, 'g'), counted(root, 'a'), counted(root, 'd'));
    score.check(doubled == 0, || format!("{doubled} double holds"));
    let written = home.open(root).unwrap().read(&epochs()).unwrap().unwrap();
    let numbers: Vec<u64> =
        String::from_utf8_lossy(written.bytes()).lines().map(|line| line.parse().unwrap()).collect();
    score.check(numbers.windows(2).all(|pair| pair[0] < pair[1]), || "epochs do not rise".to_owned());
    score.check(numbers.len() as u64 == granted - doubled, || {
        format!("{} fenced appends of {granted} holders", numbers.len())
    });
    // After the last crash nobody waits.
    let begun = Instant::now();
    let next = home.open(root).unwrap().claim(&ClaimTerms::default()).unwrap();
    score.check(matches!(next, Claim::Granted(_)), || format!("the next claim finds {next:?}"));
    score.check(begun.elapsed() < Duration::from_millis(900), || "the next claim had to wait".to_owned());
    let counts = format!(
        "{PROCESSES} processes, {granted} acquisitions, {crashes} crashes while holding, {doubled} double holds"
    );
    score
        .finish(&counts, &[("acquisitions", granted, each_second(60)), ("crashes", crashes, each_second(5))]);
}

pub(crate) fn run_with_deleted_guards() {
    let mut score = Score::new("guard deleted");
    let folder = scratch(0);
    let root = folder.path();
    let deleted = stress(&mut score, Home::Files, root, length(), true);
    let (granted, lost) = (counted(root, 'g'), counted(root, 'l'));
    let written = read(&root.join("life/epochs.md"));
    let holders: Vec<&str> = written.lines().filter_map(|line| line.split(' ').next()).collect();
    let mut runs = holders.clone();
    runs.dedup();
    let mut unique = runs.clone();
    unique.sort_unstable();
    unique.dedup();
    score.check(unique.len() == runs.len(), || {
        format!("{} holders wrote after another had written", runs.len() - unique.len())
    });
    let epochs: Vec<u64> =
        written.lines().map(|line| line.split(' ').nth(1).unwrap().parse().unwrap()).collect();
    let falls = epochs.windows(2).filter(|pair| pair[0] > pair[1]).count();
    let counts = format!(
        "{granted} acquisitions, {deleted} guards deleted, {lost} leases lost, {} writes, {} claims swept by \
         another, epochs began anew {falls} times",
        holders.len(),
        counted(root, 's')
    );
    score.finish(
        &counts,
        &[("guards deleted", deleted, each_second(5)), ("leases lost", lost, each_second(1))],
    );
}
