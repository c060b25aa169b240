//! Shared parts of the tests of dreaming: a workspace in a temporary folder, a clock that stands still, and
//! models whose answers follow from what they are shown.

pub mod world;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

pub use crate::common::marta::{self, name};
use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::dream::{DreamEvent, JournalReport, Observer, ReadReason};
use noctuary::gate::Doors;
use noctuary::testing::{Disk, MemoryDisk, QuickDisk};
use noctuary::{
    DreamConfig, DreamReport, Dreamer, Error, FileWorkspace, JournalDreamer, LlmClient, LlmError, LlmReply,
    LlmRequest, Outcome, Workspace, dream_once_at, llm_fn,
};

/// The first text of `MEMORY.md`.
pub const MEMORY: &str = "# Memory\n\n- Known already.\n";

/// An example key of the class `aws_access_key`.
pub const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

/// The outcomes that an observer heard.
#[derive(Debug, Default)]
pub struct Ears(pub Mutex<Vec<Outcome>>);

impl Observer for Ears {
    fn event(&self, event: &DreamEvent<'_>) {
        self.0.lock().unwrap().push(event.outcome);
    }
}

/// Three in the morning of a day in November.
pub fn night(day: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, day, 3, 0, 0).unwrap()
}

/// The journal of a day.
pub fn journal(day: u32) -> String {
    format!("memory/2026-11-{day:02}-repl.md")
}

/// Dreams at a fixed time.
pub fn dream(dreamer: &dyn Dreamer, model: &dyn LlmClient, now: DateTime<Utc>) -> DreamReport {
    dream_once_at(dreamer, model, &|| now).unwrap()
}

/// A workspace in a folder of its own.
///
/// Files are changed in the evening of 2026-11-20, each a second after the last, whatever the day is on which a test
/// runs.
pub struct Life {
    folder: tempfile::TempDir,
    changes: AtomicU64,
}

/// 2026-11-20, 19:00, in seconds.
const EVENING: u64 = 1_795_201_200;

impl Life {
    /// Nothing at all; in memory where that is possible, since a sweep makes thousands of them.
    pub fn empty() -> Self {
        Self::of(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    /// One in a folder that was chosen.
    pub fn of(folder: tempfile::TempDir) -> Self {
        Self { folder, changes: AtomicU64::new(EVENING) }
    }

    /// The same files with the same times of change.
    pub fn copy(&self) -> Self {
        let copy = Self::empty();
        copy_folder(self.root(), copy.root());
        copy.changes.store(self.changes.load(Ordering::Relaxed), Ordering::Relaxed);
        copy
    }

    /// A `MEMORY.md`, and journals of the days of November 2026.
    pub fn with(journals: &[(u32, &str)]) -> Self {
        let life = Self::empty();
        life.put("MEMORY.md", MEMORY);
        for (day, text) in journals {
            life.put(&journal(*day), text);
        }
        life
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub fn put(&self, file: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self.changed(file);
    }

    pub fn add(&self, file: &str, bytes: impl AsRef<[u8]>) {
        append(&self.path(file), bytes.as_ref());
        self.changed(file);
    }

    pub fn bytes(&self, file: &str) -> Vec<u8> {
        fs::read(self.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    pub fn text(&self, file: &str) -> String {
        String::from_utf8(self.bytes(file)).unwrap()
    }

    pub fn memory(&self) -> String {
        self.text("MEMORY.md")
    }

    pub fn remove(&self, file: &str) {
        fs::remove_file(self.path(file)).unwrap();
    }

    pub fn has(&self, file: &str) -> bool {
        self.path(file).exists()
    }

    pub fn json(&self, file: &str) -> serde_json::Value {
        serde_json::from_slice(&self.bytes(file)).unwrap()
    }

    /// The state file of the seed, as it stands.
    pub fn state(&self) -> serde_json::Value {
        self.json(".dreamed-state.json")
    }

    fn changed(&self, file: &str) {
        self.set_modified(file, self.changes.fetch_add(1, Ordering::Relaxed) * 1_000_000_000);
    }

    /// Sets a file's time of change, in nanoseconds since the epoch.
    pub fn set_modified(&self, file: &str, nanoseconds: u64) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds);
        fs::File::options().write(true).open(self.path(file)).unwrap().set_modified(time).unwrap();
    }

    pub fn workspace(&self) -> Arc<dyn Workspace> {
        Arc::new(FileWorkspace::open(self.root()).unwrap())
    }

    /// The disk under the workspace, which does not wait for the drive: a test that runs ten thousand nights
    /// asks what a process finds, not what a power loss leaves.
    pub fn quick_disk(&self) -> Arc<dyn Disk> {
        Arc::new(QuickDisk::new(noctuary::testing::folder(self.root()).unwrap()))
    }

    pub fn quick_workspace(&self) -> Arc<dyn Workspace> {
        Arc::new(FileWorkspace::on_disk(self.quick_disk()))
    }

    /// A dreamer that is on, and looks back as far as there are journals.
    pub fn dreamer(&self) -> JournalDreamer {
        self.dreamer_with(|_| ())
    }

    pub fn dreamer_with(&self, change: impl FnOnce(&mut DreamConfig)) -> JournalDreamer {
        dreamer_over(self.workspace(), change)
    }

    /// As [`dreamer`](Self::dreamer), through other doors.
    pub fn dreamer_through(&self, doors: Doors) -> JournalDreamer {
        JournalDreamer::builder(self.workspace())
            .enabled(true)
            .configure(|config| config.window_days = None)
            .doors(doors)
            .build()
            .unwrap()
    }

    /// Dreams with the defaults on the night of the 21st.
    pub fn dream(&self, model: &dyn LlmClient) -> DreamReport {
        dream(&self.dreamer(), model, night(21))
    }

    /// Every file with its bytes, and every folder.
    pub fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        let mut tree = BTreeMap::new();
        walk(self.root(), self.root(), &mut tree);
        tree
    }

    /// The tree without what a claim leaves behind.
    pub fn tree_without_locks(&self) -> BTreeMap<String, Vec<u8>> {
        let mut tree = self.tree();
        let locks = [".dreaming.d/guard", ".dreaming.d/write-guard", ".dreaming.lock"];
        for lock in locks.into_iter().chain([".dreaming.d/", ".dreaming.d/.gitignore"]) {
            tree.remove(lock);
        }
        tree
    }

    /// The files that are a person's.
    pub fn documents(&self) -> BTreeMap<String, Vec<u8>> {
        self.tree().into_iter().filter(|(file, _)| !file.starts_with('.')).collect()
    }
}

pub fn dreamer_over(workspace: Arc<dyn Workspace>, change: impl FnOnce(&mut DreamConfig)) -> JournalDreamer {
    let dreamer = JournalDreamer::builder(workspace).enabled(true);
    dreamer.configure(|config| config.window_days = None).configure(change).build().unwrap()
}

/// Copies the files of a folder into another one, with their times.
pub fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
            let modified = entry.metadata().unwrap().modified().unwrap();
            fs::File::options().write(true).open(&target).unwrap().set_modified(modified).unwrap();
        }
    }
}

pub fn append(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::options().append(true).create(true).open(path).unwrap().write_all(bytes).unwrap();
}

fn walk(root: &Path, folder: &Path, tree: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let file = entry.path().strip_prefix(root).unwrap().to_string_lossy().into_owned();
        if entry.file_type().unwrap().is_dir() {
            tree.insert(format!("{file}/"), Vec::new());
            walk(root, &entry.path(), tree);
        } else {
            tree.insert(file, fs::read(entry.path()).unwrap());
        }
    }
}

/// A journal line as a request shows it: journal, number, text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub journal: String,
    pub number: u64,
    pub text: String,
}

/// The journal lines of a request.
pub fn seen(request: &LlmRequest) -> Vec<Seen> {
    let mut lines = Vec::new();
    let mut journal = None;
    for line in request.user.lines() {
        if let Some(fence) = line.strip_prefix("<<<").and_then(|line| line.strip_suffix(">>>")) {
            let words: Vec<&str> = fence.splitn(3, ' ').collect();
            journal = (words[0] == "journal").then(|| words[2].to_owned());
        } else if let Some(journal) = &journal
            && let Some((number, text)) = line.strip_prefix('L').and_then(|line| line.split_once("| "))
        {
            lines.push(Seen {
                journal: journal.clone(),
                number: number.parse().unwrap(),
                text: text.to_owned(),
            });
        }
    }
    lines
}

/// The journals of a request, in their order.
pub fn journals_of(request: &LlmRequest) -> Vec<String> {
    let fences = request.user.lines().filter_map(|line| line.strip_prefix("<<<journal "));
    fences.map(|fence| fence.split_once(' ').unwrap().1.trim_end_matches(">>>").to_owned()).collect()
}

/// Returns the report about a journal.
pub fn report_of<'r>(report: &'r DreamReport, journal: &str) -> &'r JournalReport {
    let found = report.journals.iter().find(|known| known.name.as_str() == journal);
    found.unwrap_or_else(|| panic!("no report of {journal}: {:?}", report.journals))
}

pub fn reason_of(report: &DreamReport, journal: &str) -> ReadReason {
    report_of(report, journal).reason
}

/// Returns the shown ranges of the committed passes of some runs, by journal, ascending.
pub fn intervals(reports: &[DreamReport]) -> BTreeMap<String, Vec<(u64, u64)>> {
    let mut shown: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
    for pass in reports.iter().flat_map(|report| &report.passes) {
        if matches!(pass.outcome, Outcome::Appended | Outcome::NothingToPromote | Outcome::AlreadyPromoted) {
            for slice in &pass.shown {
                shown.entry(slice.name.to_string()).or_default().push((slice.from, slice.to));
            }
        }
    }
    for intervals in shown.values_mut() {
        intervals.sort_unstable();
    }
    shown
}

/// Checks that every byte of every journal was shown exactly once.
pub fn assert_shown_once(reports: &[DreamReport], sizes: &BTreeMap<String, u64>) {
    let shown = intervals(reports);
    for (journal, size) in sizes.iter().filter(|(_, size)| **size > 0) {
        let intervals = shown.get(journal).map_or(&[][..], Vec::as_slice);
        let mut at = 0;
        for (from, to) in intervals {
            assert_eq!(*from, at, "{journal}: every byte once, in {intervals:?} of {size}");
            assert!(from < to, "{journal}: no empty slice");
            at = *to;
        }
        assert_eq!(at, *size, "{journal}: shown to its end, in {intervals:?}");
    }
    assert!(shown.keys().all(|journal| sizes.contains_key(journal)), "nothing else was shown");
}

/// The sizes of all journals as they stand.
pub fn sizes(life: &Life) -> BTreeMap<String, u64> {
    let is_journal = |file: &String| file.starts_with("memory/") || file.starts_with("daily/");
    let files = life.tree().into_iter().filter(|(file, _)| is_journal(file) && !file.ends_with('/'));
    files.map(|(file, bytes)| (file, bytes.len() as u64)).collect()
}

/// Dreams until nothing waits.
pub fn drain(dreamer: &dyn Dreamer, model: &dyn LlmClient, now: DateTime<Utc>) -> Vec<DreamReport> {
    let mut reports = Vec::new();
    for _ in 0..1000 {
        let report = dream(dreamer, model, now);
        let waits = report.backlog.bytes > 0;
        reports.push(report);
        if !waits {
            return reports;
        }
    }
    panic!("the backlog never ends: {:?}", reports.last().map(|report| report.backlog))
}

/// The file that an error calls damaged.
pub fn damaged(error: &Error) -> Option<&str> {
    match error {
        Error::Corrupt { name, .. } => Some(name),
        _ => None,
    }
}

/// The night to run, for the tests that disturb it. The model words its answer anew each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Night {
    /// Promotes a line of each of two journals, in two passes.
    Commit,
    /// Finds nothing worth keeping.
    Nothing,
    /// Quarantines one journal, and promotes a line of the other.
    Quarantine,
    /// Is answered by lines that are all held, until the night after; then promotes a line of each of two journals.
    Held,
}

const NIGHT_JOURNALS: [u32; 2] = [19, 20];

impl Night {
    /// The journals that it begins with.
    pub fn journals(self) -> [(u32, String); 2] {
        let line = |day| format!("- [user] what day {day} was like\n");
        let bad = if self == Self::Quarantine { format!("- the key is {KEY}\n") } else { String::new() };
        [(19, format!("{}{bad}", line(19))), (20, line(20))]
    }

    /// Answers a request by the journals in it, in another wording each time.
    fn answer(self, request: &LlmRequest, wording: u32) -> String {
        let shown = journals_of(request);
        match self {
            Self::Nothing => "NOTHING_TO_PROMOTE".to_owned(),
            Self::Held if wording < 1000 => {
                format!("- The user never wants us to:\n  - sail, wording {wording}")
            }
            Self::Quarantine if shown.contains(&journal(19)) => {
                format!("- The key is {KEY}, wording {wording}.")
            }
            _ => shown.iter().map(|journal| format!("- {}{wording}. Très bien.\n", told(journal))).collect(),
        }
    }

    /// The journals of which a line must stand in memory at last.
    pub fn promotes(self) -> &'static [u32] {
        match self {
            Self::Commit | Self::Held => &NIGHT_JOURNALS,
            Self::Nothing => &[],
            Self::Quarantine => &NIGHT_JOURNALS[1..],
        }
    }
}

fn told(journal: &str) -> String {
    // Without the ending, since a bullet that names a journal and cites no lines of it is held back.
    format!("Told of {} in wording ", journal.trim_end_matches(".md"))
}

/// How often the line of a day stands in memory.
pub fn tellings(memory: &str, day: u32) -> usize {
    memory.matches(&told(&journal(day))).count()
}

/// The clock of a host has more digits than a state file.
fn clock() -> DateTime<Utc> {
    night(21) + TimeDelta::nanoseconds(123_456_789)
}

/// Runs a night; how often the model was asked is added to `asked`.
pub fn run_night(
    night: Night,
    workspace: Arc<dyn Workspace>,
    asked: &AtomicU32,
) -> noctuary::Result<DreamReport> {
    run_night_with(night, workspace, asked, |_| (), &|| ())
}

/// The same with other settings, and something to do while the model is asked.
pub fn run_night_with(
    night: Night,
    workspace: Arc<dyn Workspace>,
    asked: &AtomicU32,
    change: impl FnOnce(&mut DreamConfig),
    meanwhile: &(dyn Fn() + Sync),
) -> noctuary::Result<DreamReport> {
    let dreamer = dreamer_over(workspace, |config| {
        // So that a commit has two passes, and the second is the drain.
        config.total_input_bytes = if night == Night::Commit { 1 } else { 1 << 20 };
        change(config);
    });
    let model = llm_fn(|request: &LlmRequest| -> Result<LlmReply, LlmError> {
        let wording = asked.fetch_add(1, Ordering::SeqCst);
        meanwhile();
        Ok(LlmReply::new(night.answer(request, wording)))
    });
    dream_once_at(&dreamer, &model, &clock)
}

/// Where a night runs.
pub trait Home {
    /// A workspace that waits for no drive.
    fn quick(&self) -> Arc<dyn Workspace>;
    /// Every file, with its bytes.
    fn all(&self) -> BTreeMap<String, Vec<u8>>;
}

impl Home for Life {
    fn quick(&self) -> Arc<dyn Workspace> {
        self.quick_workspace()
    }
    fn all(&self) -> BTreeMap<String, Vec<u8>> {
        self.tree()
    }
}

impl Home for MemoryDisk {
    fn quick(&self) -> Arc<dyn Workspace> {
        Arc::new(FileWorkspace::on_disk(Arc::new(self.clone())))
    }
    fn all(&self) -> BTreeMap<String, Vec<u8>> {
        self.files()
    }
}

/// A file of a tree as text, empty where there is none.
pub fn text_of(files: &BTreeMap<String, Vec<u8>>, file: &str) -> String {
    String::from_utf8_lossy(files.get(file).map_or(&[][..], Vec::as_slice)).into_owned()
}

/// A folder as it is before a night.
pub fn life_before(night: Night) -> Life {
    let journals = night.journals();
    Life::with(&journals.each_ref().map(|(day, text)| (*day, text.as_str())))
}

/// A disk in memory as it is before a night.
pub fn disk_before(night: Night) -> MemoryDisk {
    let [(first, one), (second, two)] = night.journals();
    disk_with(&[("MEMORY.md", MEMORY), (&journal(first), &one), (&journal(second), &two)])
}

/// A disk in memory with these files, each a day younger than the one before it.
pub fn disk_with(files: &[(&str, &str)]) -> MemoryDisk {
    let disk = MemoryDisk::new();
    for ((path, text), day) in files.iter().zip(17..) {
        disk.set_clock(night(day));
        disk.put(path, text);
    }
    disk.set_clock(night(21));
    disk
}

/// Says what does not hold.
pub fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// Runs a night undisturbed after any fault, and says what is not as it must be then.
pub fn check_night(night: Night, home: &impl Home) -> Result<(), String> {
    let asked = AtomicU32::new(1000);
    let run = || run_night(night, home.quick(), &asked).map_err(|error| format!("{error:?}"));
    let outcome = run()?.outcome;
    let is_over = !matches!(outcome, Outcome::LockHeld | Outcome::LlmError | Outcome::LeaseLost);
    ensure(is_over, || format!("it ended with {outcome:?}"))?;

    let before = home.all();
    let memory = text_of(&before, "MEMORY.md");
    ensure(memory.starts_with(MEMORY), || format!("the operator's bytes are gone\n{memory}"))?;
    for day in NIGHT_JOURNALS {
        let (stands, expected) = (tellings(&memory, day), usize::from(night.promotes().contains(&day)));
        ensure(stands == expected, || format!("the line of {day} stands there {stands} times\n{memory}"))?;
    }
    let marks = |mark| memory.matches(mark).count();
    let (begun, ended) = (marks("<!-- dream:v1 id="), marks("<!-- /dream:v1 id="));
    // Zeros that a power loss left in a section stay, since nobody but the operator takes anything out of this
    // file; then the section stands whole below.
    let has_hole = memory.contains('\0') && begun > ended;
    ensure(begun == ended || has_hole, || format!("a torn section\n{memory}"))?;
    let headings = marks("\n## Dreamed 2026-11-21\n");
    ensure(begun == headings || has_hole, || format!("a torn heading\n{memory}"))?;
    let mut ids: Vec<&str> =
        memory.split("<!-- dream:v1 id=").skip(1).filter_map(|rest| rest.split_whitespace().next()).collect();
    ids.sort_unstable();
    ids.dedup();
    ensure(ids.len() == begun || has_hole, || format!("a section twice\n{memory}"))?;
    ensure(!memory.contains(KEY), || "a key in memory".to_owned())?;

    let quarantined = quarantined(&text_of(&before, ".dreamed-quarantine.json"))?;
    let expected: &[&str] = if night == Night::Quarantine { &["2026-11-19-repl.md"] } else { &[] };
    ensure(quarantined == expected, || format!("in quarantine: {quarantined:?}"))?;

    let log = text_of(&before, ".dreaming.d/log.jsonl");
    let mut dreams: BTreeMap<String, u32> = BTreeMap::new();
    for line in log.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
        if line["outcome"] != "pii_detected_quarantine" && line["outcome"] != "all_held" {
            *dreams.entry(line["id"].to_string()).or_default() += 1;
        }
    }
    ensure(dreams.values().all(|count| *count == 1), || format!("a dream is logged twice\n{log}"))?;

    let asked_before = asked.load(Ordering::SeqCst);
    let again = run()?;
    ensure(again.outcome == Outcome::NothingNew, || format!("then it ended with {:?}", again.outcome))?;
    ensure(asked.load(Ordering::SeqCst) == asked_before, || "something is asked twice".to_owned())?;
    ensure(again.recovered.is_none(), || "something was left to recover".to_owned())?;
    let mut after = home.all();
    let left = after.keys().find(|file| file.contains("noctuary-") || *file == ".dreaming.lock");
    ensure(left.is_none(), || format!("left behind: {left:?}"))?;
    // When it ran last, and how that ended, are news of each run; the guard counts claims.
    let news = [".dreamed-state.json", ".dreaming.d/guard", ".dreaming.d/write-guard"];
    let mut before = before;
    for file in news {
        before.remove(file);
        after.remove(file);
    }
    ensure(after == before, || "a further run changes something".to_owned())
}

/// The journals in quarantine.
fn quarantined(json: &str) -> Result<Vec<String>, String> {
    if json.is_empty() {
        return Ok(Vec::new());
    }
    let entries: Vec<serde_json::Value> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let names = entries.iter().filter_map(|entry| entry["log_filenames"].as_array()).flatten();
    Ok(names.filter_map(|name| name.as_str()).map(str::to_owned).collect())
}
