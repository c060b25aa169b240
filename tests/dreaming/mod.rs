//! What the tests of dreaming share: a workspace in a temporary folder, a clock that stands still, and
//! models whose answers follow from what they are shown.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, TimeZone, Utc};
use noctuary::testing::{Disk, DiskFile, Entry, Open, Stat};
use noctuary::{
    DocName, DreamConfig, DreamReport, Dreamer, Error, FileWorkspace, JournalDreamer, JournalReport,
    LlmClient, LlmRequest, Outcome, ReadReason, Workspace, dream_once_at,
};

/// What stands in `MEMORY.md` at first.
pub(crate) const MEMORY: &str = "# Memory\n\n- Known already.\n";

/// An example key of the class `aws_access_key`.
pub(crate) const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

/// Three in the morning of a day in November.
pub(crate) fn night(day: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, day, 3, 0, 0).unwrap()
}

pub(crate) fn name(text: &str) -> DocName {
    DocName::parse(text).unwrap()
}

/// The journal of a day.
pub(crate) fn journal(day: u32) -> String {
    format!("memory/2026-11-{day:02}-repl.md")
}

/// Dreams at a fixed time.
pub(crate) fn dream(dreamer: &dyn Dreamer, model: &dyn LlmClient, now: DateTime<Utc>) -> DreamReport {
    dream_once_at(dreamer, model, &|| now).unwrap()
}

/// A workspace in a folder of its own.
pub(crate) struct Life(tempfile::TempDir);

impl Life {
    /// Nothing at all.
    pub(crate) fn empty() -> Self {
        Self::of(tempfile::tempdir().unwrap())
    }

    /// One in a folder that was chosen.
    pub(crate) fn of(folder: tempfile::TempDir) -> Self {
        Self(folder)
    }

    /// A `MEMORY.md`, and journals of the days of November 2026.
    pub(crate) fn with(journals: &[(u32, &str)]) -> Self {
        let life = Self::empty();
        life.put("MEMORY.md", MEMORY);
        for (day, text) in journals {
            life.put(&journal(*day), text);
        }
        life
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    pub(crate) fn put(&self, file: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn add(&self, file: &str, bytes: impl AsRef<[u8]>) {
        append(&self.path(file), bytes.as_ref());
    }

    pub(crate) fn bytes(&self, file: &str) -> Vec<u8> {
        fs::read(self.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    pub(crate) fn text(&self, file: &str) -> String {
        String::from_utf8(self.bytes(file)).unwrap()
    }

    pub(crate) fn memory(&self) -> String {
        self.text("MEMORY.md")
    }

    pub(crate) fn remove(&self, file: &str) {
        fs::remove_file(self.path(file)).unwrap();
    }

    pub(crate) fn has(&self, file: &str) -> bool {
        self.path(file).exists()
    }

    pub(crate) fn json(&self, file: &str) -> serde_json::Value {
        serde_json::from_slice(&self.bytes(file)).unwrap()
    }

    /// The state file of the seed, as it stands.
    pub(crate) fn state(&self) -> serde_json::Value {
        self.json(".dreamed-state.json")
    }

    /// Sets a file's time of change, in nanoseconds since the epoch.
    pub(crate) fn set_modified(&self, file: &str, nanoseconds: u64) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds);
        fs::File::options().write(true).open(self.path(file)).unwrap().set_modified(time).unwrap();
    }

    pub(crate) fn workspace(&self) -> Arc<dyn Workspace> {
        Arc::new(FileWorkspace::open(self.root()).unwrap())
    }

    /// The disk under the workspace, which does not wait for the drive: a test that runs ten thousand nights
    /// asks what a process finds, not what a power loss leaves.
    pub(crate) fn quick_disk(&self) -> Arc<dyn Disk> {
        Arc::new(Quick(noctuary::testing::folder(self.root()).unwrap()))
    }

    pub(crate) fn quick_workspace(&self) -> Arc<dyn Workspace> {
        Arc::new(FileWorkspace::on_disk(self.quick_disk()))
    }

    /// A dreamer that is on, and looks back as far as there are journals.
    pub(crate) fn dreamer(&self) -> JournalDreamer {
        self.dreamer_with(|_| ())
    }

    pub(crate) fn dreamer_with(&self, change: impl FnOnce(&mut DreamConfig)) -> JournalDreamer {
        dreamer_over(self.workspace(), change)
    }

    /// Dreams with the defaults on the night of the 21st.
    pub(crate) fn dream(&self, model: &dyn LlmClient) -> DreamReport {
        dream(&self.dreamer(), model, night(21))
    }

    /// Every file with its bytes, and every folder.
    pub(crate) fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        let mut tree = BTreeMap::new();
        walk(self.root(), self.root(), &mut tree);
        tree
    }

    /// The tree without what a claim leaves behind.
    pub(crate) fn tree_without_locks(&self) -> BTreeMap<String, Vec<u8>> {
        let mut tree = self.tree();
        for lock in [".dreaming.d/", ".dreaming.d/guard", ".dreaming.d/write-guard", ".dreaming.lock"] {
            tree.remove(lock);
        }
        tree
    }

    /// The files that are a person's.
    pub(crate) fn documents(&self) -> BTreeMap<String, Vec<u8>> {
        self.tree().into_iter().filter(|(file, _)| !file.starts_with('.')).collect()
    }
}

pub(crate) fn dreamer_over(
    workspace: Arc<dyn Workspace>,
    change: impl FnOnce(&mut DreamConfig),
) -> JournalDreamer {
    let dreamer = JournalDreamer::builder(workspace).enabled(true);
    dreamer.configure(|config| config.window_days = None).configure(change).build().unwrap()
}

pub(crate) fn append(path: &Path, bytes: &[u8]) {
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

/// A disk on which nothing is waited for.
#[derive(Debug)]
struct Quick(Arc<dyn Disk>);

#[derive(Debug)]
struct QuickFile(Box<dyn DiskFile>);

impl Disk for Quick {
    fn root(&self) -> &Path {
        self.0.root()
    }
    fn open(&self, path: &str, how: Open) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(QuickFile(self.0.open(path, how)?)))
    }
    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        self.0.stat(path)
    }
    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        self.0.list(folder)
    }
    fn create_folder(&self, path: &str) -> io::Result<()> {
        self.0.create_folder(path)
    }
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.rename(from, to)
    }
    fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.rename_new(from, to)
    }
    fn unlink(&self, path: &str) -> io::Result<()> {
        self.0.unlink(path)
    }
    fn sync_folder(&self, _folder: &str) -> io::Result<()> {
        Ok(())
    }
    fn network(&self) -> io::Result<Option<&'static str>> {
        self.0.network()
    }
    fn clock(&self) -> DateTime<Utc> {
        self.0.clock()
    }
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
    fn pause(&self, duration: Duration) {
        self.0.pause(duration);
    }
}

impl DiskFile for QuickFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_at(bytes, offset)
    }
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.append(bytes)
    }
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
    fn stat(&self) -> io::Result<Stat> {
        self.0.stat()
    }
    fn make_like(&self, other: &Stat) -> io::Result<()> {
        self.0.make_like(other)
    }
    fn try_lock(&self) -> io::Result<bool> {
        self.0.try_lock()
    }
}

/// A journal line as a request shows it: journal, number, text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) journal: String,
    pub(crate) number: u64,
    pub(crate) text: String,
}

/// The journal lines of a request.
pub(crate) fn seen(request: &LlmRequest) -> Vec<Seen> {
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
pub(crate) fn journals_of(request: &LlmRequest) -> Vec<String> {
    let fences = request.user.lines().filter_map(|line| line.strip_prefix("<<<journal "));
    fences.map(|fence| fence.split_once(' ').unwrap().1.trim_end_matches(">>>").to_owned()).collect()
}

/// What a report says of a journal.
pub(crate) fn report_of<'r>(report: &'r DreamReport, journal: &str) -> &'r JournalReport {
    let found = report.journals.iter().find(|known| known.name.as_str() == journal);
    found.unwrap_or_else(|| panic!("no report of {journal}: {:?}", report.journals))
}

pub(crate) fn reason_of(report: &DreamReport, journal: &str) -> ReadReason {
    report_of(report, journal).reason
}

/// What the committed passes of some runs showed, by journal, ascending.
pub(crate) fn intervals(reports: &[DreamReport]) -> BTreeMap<String, Vec<(u64, u64)>> {
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
pub(crate) fn assert_shown_once(reports: &[DreamReport], sizes: &BTreeMap<String, u64>) {
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
pub(crate) fn sizes(life: &Life) -> BTreeMap<String, u64> {
    let is_journal = |file: &String| file.starts_with("memory/") || file.starts_with("daily/");
    let files = life.tree().into_iter().filter(|(file, _)| is_journal(file) && !file.ends_with('/'));
    files.map(|(file, bytes)| (file, bytes.len() as u64)).collect()
}

/// Dreams until nothing waits.
pub(crate) fn drain(dreamer: &dyn Dreamer, model: &dyn LlmClient, now: DateTime<Utc>) -> Vec<DreamReport> {
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
pub(crate) fn damaged(error: &Error) -> Option<&str> {
    match error {
        Error::Corrupt { name, .. } => Some(name),
        _ => None,
    }
}
