//! Random histories, against a reference model that knows only bytes: what stands in a journal was shown
//! exactly once, or waits, or was reported as having left the window unread; or it came when its journal was
//! outside the window already, and is reported as that.
//!
//! No two lines ever written are the same, so a range that changed never looks as it did before.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::sync::Arc;
use std::sync::Mutex;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use noctuary::dream::{Evidence, JournalReport, JournalSpan, Notice, ReadReason};
use noctuary::testing::{Fault, Faults, FaultyDisk};
use noctuary::workspace::Digest;
use noctuary::{
    Access, DocName, DreamReport, FileWorkspace, LlmError, LlmReply, LlmRequest, Outcome, Scope, Workspace,
    dream_once_at, llm_fn,
};

use super::kit::{Score, each_second, is_long, length, read, scratch};
use noctuary_tests::common::dice::Dice;
use noctuary_tests::dreaming::{KEY, Life, dreamer_over, journal, night};

/// The journals as they stood at one moment.
type Standing = BTreeMap<String, Vec<u8>>;

/// The shown range of a journal, and its bytes then.
#[derive(Debug, Clone)]
struct Shown {
    range: Range<usize>,
    bytes: Vec<u8>,
}

impl Shown {
    fn holds(&self, content: &[u8]) -> bool {
        content.get(self.range.clone()) == Some(&self.bytes)
    }
}

struct History {
    life: Life,
    chance: Dice,
    now: DateTime<Utc>,
    /// How many lines were ever written; each has its number.
    written: u64,
    asked: u64,
    is_away: bool,
    /// The journals at each moment at which a model was asked, and at the beginning of each night.
    moments: Vec<Standing>,
    shown: BTreeMap<String, Vec<Shown>>,
    /// Each journal as a night inside its window saw it last; `None` where a fault, or a change meanwhile, leaves
    /// open what was seen.
    seen: BTreeMap<String, Option<Vec<u8>>>,
    /// How much of the log was read.
    logged: usize,
    appended: u64,
    /// How many reports said that a journal left the window unread.
    expired: u64,
    wrong: Vec<String>,
}

/// The plan of a night.
struct Weather {
    window: Option<u32>,
    faults: Option<(u64, Fault)>,
    is_calm: bool,
}

impl History {
    fn new(chance: Dice) -> Self {
        let life = Life::of(scratch(0));
        life.put("MEMORY.md", "# Memory\n");
        fs::create_dir(life.path("memory")).unwrap();
        Self {
            life,
            chance,
            now: night(21),
            written: 0,
            asked: 0,
            is_away: false,
            moments: Vec::new(),
            shown: BTreeMap::new(),
            seen: BTreeMap::new(),
            expired: 0,
            logged: 0,
            appended: 0,
            wrong: Vec::new(),
        }
    }

    fn folder(&self) -> &'static str {
        if self.is_away { "away" } else { "memory" }
    }

    /// A journal's file, also where its folder has another name at the moment.
    fn file(&mut self) -> String {
        let day = u32::try_from(self.chance.below(5)).unwrap() * 4 + 2;
        journal(day).replacen("memory", self.folder(), 1)
    }

    fn line(&mut self) -> String {
        self.written += 1;
        let padding = "x".repeat(self.chance.below(60));
        format!("- [user] line {} {padding}\n", self.written)
    }

    /// Gives a file a time of change that it never had, somewhere in the past.
    fn touch(&mut self, file: &str) {
        let age = self.chance.below(20 * 86_400) * 1_000_000_000 + self.written * 1000 + self.asked;
        let now = u64::try_from(self.now.timestamp_nanos_opt().unwrap()).unwrap();
        self.life.set_modified(file, now - age);
    }

    fn step(&mut self) {
        let file = self.file();
        match self.chance.below(16) {
            0..=4 => {
                for _ in 0..=self.chance.below(5) {
                    let line = self.line();
                    self.life.add(&file, line);
                }
            }
            5 if self.life.has(&file) => {
                // Cut somewhere, and go on in other words.
                let mut bytes = self.life.bytes(&file);
                bytes.truncate(self.chance.below(bytes.len() + 1));
                bytes.extend(self.line().bytes());
                self.life.put(&file, bytes);
                self.touch(&file);
            }
            6 if self.life.has(&file) => {
                // One line in the middle is worded anew.
                let text = self.life.text(&file);
                let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
                if !lines.is_empty() {
                    let at = self.chance.below(lines.len());
                    lines[at] = self.line();
                    self.life.put(&file, lines.concat());
                    self.touch(&file);
                }
            }
            7 if self.life.has(&file) => self.touch(&file),
            8 => {
                let (from, to) = (self.folder(), if self.is_away { "memory" } else { "away" });
                fs::rename(self.life.path(from), self.life.path(to)).unwrap();
                self.is_away = !self.is_away;
            }
            9 => {
                // Never so far ahead that the ledger may let an entry go. (a window after the window)
                self.now = night(21) + TimeDelta::hours(self.chance.below(35 * 24));
            }
            10 => self.release(),
            11 if self.chance.one_in(3) => self.give_back(),
            _ => {
                let weather = Weather {
                    window: (!self.chance.one_in(3)).then_some(30),
                    faults: self.chance.one_in(3).then(|| self.fault()),
                    is_calm: false,
                };
                self.night(&weather);
            }
        }
    }

    fn fault(&mut self) -> (u64, Fault) {
        let kind = match self.chance.below(3) {
            0 => Fault::Error(std::io::ErrorKind::StorageFull),
            1 => Fault::Error(std::io::ErrorKind::PermissionDenied),
            _ => Fault::Crash,
        };
        (self.chance.below(400) + 1, kind)
    }

    fn release(&mut self) {
        let dreamer = dreamer_over(self.life.quick_workspace(), |_| ());
        let names: Vec<DocName> = dreamer
            .quarantine()
            .unwrap()
            .entries()
            .iter()
            .flat_map(|entry| &entry.files)
            .map(|file| file.name.clone())
            .collect();
        for name in names {
            dreamer.release(&name).unwrap();
        }
    }

    /// A person gives a journal back: what was shown of it may be shown once more.
    fn give_back(&mut self) {
        let day = u32::try_from(self.chance.below(5)).unwrap() * 4 + 2;
        let dreamer = dreamer_over(self.life.quick_workspace(), |_| ());
        let human = Access::human(Scope::user("marta"));
        let name = DocName::parse(journal(day)).unwrap();
        dreamer.read_again(&human, &name, &JournalSpan::Whole).unwrap();
        // It carries out first what a fault left of a night: that was shown before it was given back.
        self.read_log();
        self.shown.remove(name.as_str());
    }

    fn standing(life: &Life) -> Standing {
        let files = life.tree().into_iter();
        files.filter(|(file, _)| file.starts_with("memory/") && !file.ends_with('/')).collect()
    }

    /// One night; returns what waits.
    fn night(&mut self, weather: &Weather) -> Option<u64> {
        let faults = Faults::new();
        if let Some((at, fault)) = weather.faults {
            faults.arm(at, fault);
        }
        let disk = FaultyDisk::new(self.life.quick_disk(), faults);
        let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::on_disk(Arc::new(disk)));
        let (budget, most) = (64 + self.chance.below(2000), 64 + self.chance.below(400));
        let dreamer = dreamer_over(workspace, |config| {
            config.window_days = weather.window;
            config.evidence = Evidence::Off;
            config.budget.max_calls_per_day = None;
            config.budget.back_off = None;
            config.total_input_bytes = budget;
            config.max_file_bytes = most;
        });
        let begun = Self::standing(&self.life);
        self.moments.push(begun.clone());
        let report = {
            let inner = Mutex::new(&mut *self);
            let model = llm_fn(|_: &LlmRequest| -> Result<LlmReply, LlmError> {
                inner.lock().unwrap().answer(weather.is_calm)
            });
            let now = inner.lock().unwrap().now;
            dream_once_at(&dreamer, &model, &|| now)
        };
        self.read_log();
        match &report {
            Ok(report) if says_all(report) => {
                self.see(weather, &begun, Some(report));
                if !self.is_away && Self::standing(&self.life) == begun {
                    self.look_at(weather, report);
                }
            }
            _ => self.see(weather, &begun, None),
        }
        match report {
            Ok(report) => Some(report.backlog.bytes),
            Err(error) => {
                if weather.faults.is_none() {
                    self.wrong.push(format!("a night without a fault: {error:?}"));
                }
                None
            }
        }
    }

    fn answer(&mut self, is_calm: bool) -> Result<LlmReply, LlmError> {
        self.moments.push(Self::standing(&self.life));
        self.asked += 1;
        // The day goes on while the model thinks.
        if !is_calm && !self.is_away && self.chance.one_in(4) {
            let (file, line) = (self.file(), self.line());
            self.life.add(&file, line);
        }
        match if is_calm { 9 } else { self.chance.below(10) } {
            0 => Err(LlmError::new("no route")),
            1 => Ok(LlmReply::new(format!("- The key is {KEY}."))),
            2 | 3 => Ok(LlmReply::new("NOTHING_TO_PROMOTE")),
            4 => Ok(LlmReply::new(format!("- The user never wants:\n  - answer number {}", self.asked))),
            _ => Ok(LlmReply::new(format!("- Told in answer number {} of this life.", self.asked))),
        }
    }

    /// Takes in what the log says was committed: the record of what counts as shown.
    fn read_log(&mut self) {
        let log = read(&self.life.path(".dreaming.d/log.jsonl"));
        let whole = log.rfind('\n').map_or(0, |at| at + 1);
        let news = log.get(self.logged..whole).unwrap_or_default().to_owned();
        self.logged = self.logged.max(whole);
        for line in news.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
            let outcome = line["outcome"].as_str().unwrap();
            if outcome == Outcome::Quarantined.as_str() || outcome == Outcome::LlmError.as_str() {
                continue;
            }
            self.appended += u64::from(outcome == Outcome::Appended.as_str());
            for source in line["sources"].as_array().unwrap() {
                let at = |key: &str| usize::try_from(source[key].as_u64().unwrap()).unwrap();
                self.show(source["name"].as_str().unwrap(), at("from")..at("to"), &source["sha256"]);
            }
        }
    }

    fn show(&mut self, name: &str, range: Range<usize>, sha256: &serde_json::Value) {
        let sha256 = sha256.as_str().unwrap();
        let moment = self.moments.iter().rev().filter_map(|moment| moment.get(name)).find(|content| {
            content.get(range.clone()).is_some_and(|bytes| Digest::of(bytes).to_string() == sha256)
        });
        let Some(content) = moment else {
            self.wrong.push(format!("{name} {range:?} was committed and never stood there"));
            return;
        };
        let known = self.shown.entry(name.to_owned()).or_default();
        let overlaps = |shown: &&Shown| shown.range.start < range.end && range.start < shown.range.end;
        let twice = known.iter().filter(|shown| shown.holds(content)).find(overlaps);
        if let Some(twice) = twice {
            self.wrong.push(format!("{name} {range:?} was shown before, as {:?}", twice.range));
        }
        known.retain(|shown| shown.holds(content));
        known.push(Shown { bytes: content[range.clone()].to_vec(), range });
    }

    /// How many bytes of a journal were never shown.
    fn gap(&self, name: &str, content: &[u8]) -> usize {
        let known = self.shown.get(name).map_or(&[][..], Vec::as_slice);
        let shown: usize = known.iter().filter(|one| one.holds(content)).map(|one| one.range.len()).sum();
        content.len() - shown.min(content.len())
    }

    fn is_inside(&self, window: Option<u32>, name: &str) -> bool {
        let date: NaiveDate = name["memory/".len()..][..10].parse().unwrap();
        window.is_none_or(|days| date >= self.now.date_naive() - TimeDelta::days(days.into()))
    }

    /// Remembers what a night saw of the journals inside its window.
    fn see(&mut self, weather: &Weather, begun: &Standing, report: Option<&DreamReport>) {
        for (name, content) in Self::standing(&self.life) {
            let is_known = self.seen.get(&name).is_some_and(|seen| seen.as_ref() == Some(&content));
            if is_known || !self.is_inside(weather.window, &name) {
                continue;
            }
            let said =
                report.and_then(|report| report.journals.iter().find(|said| said.name.as_str() == name));
            // Nobody looks into one in quarantine.
            let was_read = said
                .is_some_and(|said| !matches!(said.reason, ReadReason::Quarantined | ReadReason::Unreadable));
            let is_sure = was_read && begun.get(&name) == Some(&content);
            self.seen.insert(name, is_sure.then_some(content));
        }
    }

    /// Of a journal outside the window a report says what was left of it when it was seen last.
    fn look_outside(&mut self, name: &str, said: &JournalReport) {
        let left = match self.seen.get(name) {
            None => 0,
            Some(Some(content)) => self.gap(name, content) as u64,
            Some(None) => return,
        };
        let expected = if left > 0 { ReadReason::Expired } else { ReadReason::OutsideWindow };
        self.expired += u64::from(left > 0);
        if (said.reason, said.pending) != (expected, left) {
            let (reason, pending) = (said.reason, said.pending);
            self.wrong.push(format!("{name}: {pending} bytes, {reason:?}; {left} left the window unread"));
        }
    }

    /// Checks the report about journals that did not change meanwhile.
    fn look_at(&mut self, weather: &Weather, report: &DreamReport) {
        for (name, content) in Self::standing(&self.life) {
            let Some(said) = report.journals.iter().find(|known| known.name.as_str() == name) else {
                self.wrong.push(format!("{name} is not reported"));
                continue;
            };
            if !self.is_inside(weather.window, &name) {
                self.look_outside(&name, said);
                continue;
            }
            let gap = self.gap(&name, &content) as u64;
            // Of one in quarantine nobody looks whether it was rewritten, before it is released.
            let is_closed = matches!(said.reason, ReadReason::Quarantined | ReadReason::Unreadable);
            let claims_all = matches!(said.reason, ReadReason::AlreadyShown | ReadReason::Shown);
            if claims_all && gap > 0 {
                self.wrong.push(format!("{name}: {gap} bytes are called {:?}", said.reason));
            } else if !is_closed && said.pending != gap {
                let pending = said.pending;
                self.wrong.push(format!("{name}: {pending} bytes wait, {:?}; {gap} do", said.reason));
            }
        }
    }

    /// The folder is back, nothing is in quarantine, the window is open: all that stands must have been shown.
    fn end(mut self) -> (u64, Vec<String>) {
        if self.is_away {
            fs::rename(self.life.path("away"), self.life.path("memory")).unwrap();
            self.is_away = false;
        }
        self.release();
        self.now = night(21) + TimeDelta::days(36);
        let calm = Weather { window: None, faults: None, is_calm: true };
        let is_drained = (0..500).any(|_| self.night(&calm) == Some(0));
        if !is_drained {
            self.wrong.push("the backlog never ends".to_owned());
        }
        for (name, content) in Self::standing(&self.life) {
            let gap = self.gap(&name, &content);
            if gap > 0 {
                self.wrong.push(format!("{name}: {gap} of {} bytes were never shown", content.len()));
            }
        }
        let memory = self.life.memory();
        let told = |number| memory.matches(&format!("answer number {number} of this life")).count() as u64;
        let counts: Vec<u64> = (1..=self.asked).map(told).collect();
        if counts.iter().any(|count| *count > 1) || counts.iter().sum::<u64>() != self.appended {
            self.wrong.push(format!("{} sections are logged, and these stand: {counts:?}", self.appended));
        }
        (self.expired, self.wrong)
    }
}

/// Whether a night came to its end and says what it saw. After a fault behind a committed pass, what was
/// selected next was not shown; the cursors hold.
fn says_all(report: &DreamReport) -> bool {
    !report.notices.iter().any(|notice| matches!(notice, Notice::StoppedEarly(_)))
        && !matches!(report.outcome, Outcome::LockHeld | Outcome::LeaseLost | Outcome::NotDue)
}

pub(crate) fn run() -> bool {
    let mut score = Score::new("histories");
    let first = Dice::fresh().roll();
    let total = Mutex::new((0, 0, 0, 0, Vec::new()));
    let begun = std::time::Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while begun.elapsed() < length() {
                    let seed = {
                        let mut total = total.lock().unwrap();
                        total.0 += 1;
                        first.wrapping_add(total.0)
                    };
                    let mut chance = Dice(seed);
                    let steps = chance.below(40) + 10;
                    let mut history = History::new(chance);
                    for _ in 0..steps {
                        history.step();
                    }
                    let (written, asked) = (history.written, history.asked);
                    let (expired, wrong) = history.end();
                    let mut total = total.lock().unwrap();
                    total.1 += written;
                    total.2 += asked;
                    total.3 += expired;
                    total.4.extend(wrong.into_iter().map(|what| format!("seed {seed}: {what}")));
                }
            });
        }
    });
    let (histories, lines, asked, expired, wrong) = total.into_inner().unwrap();
    for what in wrong {
        score.violation(what);
    }
    let least = if is_long() { each_second(10) } else { 20 };
    let counts = format!(
        "{histories} histories, {lines} lines, {asked} requests, {expired} times a journal had left unread"
    );
    score.finish(&counts, &[("histories", histories, least)])
}
