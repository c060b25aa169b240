//! Helpers of these tests: homes whose clock the test sets, models whose answers follow from what they are
//! shown, and snapshots.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, TimeZone, Utc};
#[cfg(feature = "sqlite")]
use noctuary::SqliteWorkspace;
use noctuary::testing::{self, Disk, DiskFile, Entry, Open, Stat};
use noctuary::workspace::Revision;
#[cfg(feature = "sqlite")]
use noctuary::workspace::StateName;
use noctuary::{
    Access, DocName, DreamReport, Dreamer, FileWorkspace, LlmClient, LlmReply, LlmRequest, Outcome, Scope,
    Workspace, WriteMode, dream_once_at, llm_fn,
};

/// A key of the class `aws_access_key`: the example of its maker's handbook, which opens nothing.
pub(crate) const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

pub(crate) fn at(month: u32, day: u32, hour: u32, minute: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, month, day, hour, minute, 0).unwrap()
}

pub(crate) fn name(text: &str) -> DocName {
    DocName::parse(text).unwrap()
}

pub(crate) fn marta() -> Scope {
    Scope::user("marta")
}

pub(crate) fn human() -> Access {
    Access::human(marta())
}

pub(crate) fn agent() -> Access {
    Access::agent(marta())
}

pub(crate) fn with_others() -> Access {
    Access::shared(marta())
}

/// Dreams at a fixed time.
pub(crate) fn dream(dreamer: &dyn Dreamer, model: &dyn LlmClient, now: DateTime<Utc>) -> DreamReport {
    dream_once_at(dreamer, model, &|| now).unwrap()
}

/// Writes a document as a person's editor does.
pub(crate) fn put(workspace: &dyn Workspace, document: &str, text: impl AsRef<[u8]>) {
    workspace.write(&name(document), text.as_ref(), WriteMode::Replace).unwrap();
}

pub(crate) fn add(workspace: &dyn Workspace, document: &str, text: impl AsRef<[u8]>) {
    workspace.append(&name(document), text.as_ref()).unwrap();
}

pub(crate) fn text_of(workspace: &dyn Workspace, document: &str) -> String {
    let document = workspace.read(&name(document)).unwrap().unwrap();
    String::from_utf8(document.into_bytes()).unwrap()
}

/// Every file below a folder, with its bytes.
pub(crate) fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let file = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                found.insert(file, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// Copies a folder. Each journal is given the evening of its day as its time of change: version control keeps no times.
pub(crate) fn copy_tree(from: &Path, to: &Path) {
    for (file, bytes) in tree(from) {
        let path = to.join(&file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        if let Some(time) = evening_of(&file) {
            set_modified(&path, time);
        }
    }
}

/// 19:00 of the day in a journal's name.
pub(crate) fn evening_of(file: &str) -> Option<DateTime<Utc>> {
    let day = file.rsplit('/').next()?.get(..10)?.parse::<chrono::NaiveDate>().ok()?;
    Some(day.and_hms_opt(19, 0, 0)?.and_utc())
}

pub(crate) fn set_modified(path: &Path, time: DateTime<Utc>) {
    let nanoseconds = u64::try_from(time.timestamp_nanos_opt().unwrap()).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds);
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// A home whose clock the test sets, also the times of change of its documents.
pub(crate) trait Home {
    fn workspace(&self) -> Arc<dyn Workspace>;
    /// Says what time it is.
    fn set_clock(&self, now: DateTime<Utc>);
    /// Gives what was changed since the last call the time that the clock says. Called after each step of a script.
    fn settle(&self);
    /// Every document and state file, with its bytes.
    fn files(&self) -> BTreeMap<String, Vec<u8>>;
}

/// The clock of a home.
#[derive(Debug, Clone, Default)]
struct Clock(Arc<Mutex<DateTime<Utc>>>);

impl Clock {
    fn set(&self, now: DateTime<Utc>) {
        *self.0.lock().unwrap() = now;
    }

    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
}

/// A folder.
pub(crate) struct Folder {
    root: PathBuf,
    clock: Clock,
}

impl Folder {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), clock: Clock::default() }
    }

    /// The disk under it, for a store in the same folder.
    pub(crate) fn disk(&self) -> Arc<dyn Disk> {
        let disk = testing::folder(&self.root).unwrap();
        Arc::new(Dated { disk, clock: self.clock.clone() })
    }
}

impl Home for Folder {
    fn workspace(&self) -> Arc<dyn Workspace> {
        Arc::new(FileWorkspace::on_disk(self.disk()))
    }

    fn set_clock(&self, now: DateTime<Utc>) {
        self.clock.set(now);
    }

    fn settle(&self) {}

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        tree(&self.root)
    }
}

/// The file system under a folder, where each write has the time of the test's clock. It waits for no drive.
#[derive(Debug)]
struct Dated {
    disk: Arc<dyn Disk>,
    clock: Clock,
}

#[derive(Debug)]
struct DatedFile {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    clock: Clock,
}

impl Disk for Dated {
    fn root(&self) -> &Path {
        self.disk.root()
    }
    fn open(&self, path: &str, how: Open) -> io::Result<Box<dyn DiskFile>> {
        let file = self.disk.open(path, how)?;
        Ok(Box::new(DatedFile { file, path: self.root().join(path), clock: self.clock.clone() }))
    }
    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        self.disk.stat(path)
    }
    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        self.disk.list(folder)
    }
    fn create_folder(&self, path: &str) -> io::Result<()> {
        self.disk.create_folder(path)
    }
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename(from, to)
    }
    fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename_new(from, to)
    }
    fn unlink(&self, path: &str) -> io::Result<()> {
        self.disk.unlink(path)
    }
    fn sync_folder(&self, _folder: &str) -> io::Result<()> {
        Ok(())
    }
    fn network(&self) -> io::Result<Option<&'static str>> {
        self.disk.network()
    }
    fn clock(&self) -> DateTime<Utc> {
        self.clock.now()
    }
    fn elapsed(&self) -> Duration {
        self.disk.elapsed()
    }
    fn pause(&self, duration: Duration) {
        self.disk.pause(duration);
    }
}

impl DatedFile {
    fn written(&self) {
        set_modified(&self.path, self.clock.now());
    }
}

impl DiskFile for DatedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buffer, offset)
    }
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_at(bytes, offset)?;
        self.written();
        Ok(())
    }
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.file.append(bytes)?;
        self.written();
        Ok(())
    }
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
    fn stat(&self) -> io::Result<Stat> {
        self.file.stat()
    }
    fn make_like(&self, other: &Stat) -> io::Result<()> {
        self.file.make_like(other)
    }
    fn try_lock(&self) -> io::Result<bool> {
        self.file.try_lock()
    }
}

/// A workspace in a file of SQLite, and a connection that sets the times which the library takes from the wall.
#[cfg(feature = "sqlite")]
pub(crate) struct Database {
    workspace: SqliteWorkspace,
    connection: rusqlite::Connection,
    clock: Clock,
    /// Documents that have their time already, by path: revision and time.
    known: Mutex<BTreeMap<String, (String, i64)>>,
}

#[cfg(feature = "sqlite")]
impl Database {
    pub(crate) fn new(path: &Path) -> Self {
        let workspace = SqliteWorkspace::open(path, marta()).unwrap();
        let connection = rusqlite::Connection::open(path).unwrap();
        let home = Self { workspace, connection, clock: Clock::default(), known: Mutex::default() };
        home.known.lock().unwrap().extend(home.times());
        home
    }

    /// Revision and time of each document.
    fn times(&self) -> Vec<(String, (String, i64))> {
        let sql = "SELECT path, revision, modified_ns FROM memory_documents";
        self.rows(sql, |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))
    }

    fn rows<T>(&self, sql: &str, read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
        let mut statement = self.connection.prepare(sql).unwrap();
        statement.query_map([], read).unwrap().map(Result::unwrap).collect()
    }
}

#[cfg(feature = "sqlite")]
impl Home for Database {
    fn workspace(&self) -> Arc<dyn Workspace> {
        Arc::new(self.workspace.clone())
    }

    fn set_clock(&self, now: DateTime<Utc>) {
        self.clock.set(now);
    }

    fn settle(&self) {
        let now = self.clock.now().timestamp_nanos_opt().unwrap();
        let mut known = self.known.lock().unwrap();
        for (path, found) in self.times() {
            if known.get(&path) != Some(&found) {
                let sql = "UPDATE memory_documents SET modified_ns = ?2 WHERE path = ?1";
                self.connection.execute(sql, rusqlite::params![path, now]).unwrap();
                known.insert(path, (found.0, now));
            }
        }
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let bytes = |row: &rusqlite::Row<'_>, column: usize| {
            row.get_ref(column).map(|value| value.as_bytes().unwrap().to_owned())
        };
        let mut files = BTreeMap::new();
        files.extend(
            self.rows("SELECT path, content FROM memory_documents", |row| Ok((row.get(0)?, bytes(row, 1)?))),
        );
        files.extend(
            self.rows("SELECT name, content FROM workspace_state", |row| Ok((row.get(0)?, bytes(row, 1)?))),
        );
        // Without `replaced_at`, which is the time on the wall.
        files.extend(self.rows("SELECT path, version, content FROM memory_document_versions", |row| {
            let (path, version): (String, i64) = (row.get(0)?, row.get(1)?);
            Ok((format!("{path} version {version:03}"), bytes(row, 2)?))
        }));
        assert!(files.contains_key(StateName::LEDGER.as_str()));
        files
    }
}

/// Each home that this build has, in a folder of its own, under the name of its snapshot.
pub(crate) fn homes(test: impl Fn(&str, &dyn Home)) {
    let folder = tempfile::tempdir().unwrap();
    test("file", &Folder::new(folder.path()));
    #[cfg(feature = "sqlite")]
    {
        let folder = tempfile::tempdir().unwrap();
        test("sqlite", &Database::new(&folder.path().join("life.db")));
    }
}

/// A journal line as a request shows it.
#[derive(Debug, Clone)]
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
            let (number, text) = (number.parse().unwrap(), text.to_owned());
            lines.push(Seen { journal: journal.clone(), number, text });
        }
    }
    lines
}

/// Returns the heading and the statement of a line that is marked as worth keeping.
pub(crate) fn kept(line: &str) -> Option<(&'static str, &str)> {
    let marks = [("Fact: ", "Facts"), ("Preference: ", "Preferences"), ("Decision: ", "Decisions")];
    marks.into_iter().find_map(|(mark, heading)| Some((heading, line.split_once(mark)?.1.trim_end())))
}

/// A model that keeps what is marked, cited, under its heading; `change` may spoil each bullet.
pub(crate) fn keeper(change: impl Fn(usize, String) -> String + Send + Sync + 'static) -> impl LlmClient {
    llm_fn(move |request: &LlmRequest| {
        let mut sections: BTreeMap<&str, String> = BTreeMap::new();
        let lines = seen(request);
        let bullets = lines.iter().filter_map(|line| kept(&line.text).map(|kept| (line, kept)));
        for (at, (line, (heading, said))) in bullets.enumerate() {
            let bullet = change(at, format!("- {said} ({}#L{})", line.journal, line.number));
            writeln!(sections.entry(heading).or_default(), "{bullet}").unwrap();
        }
        let answer: String =
            sections.iter().map(|(heading, bullets)| format!("### {heading}\n{bullets}")).collect();
        Ok(LlmReply::new(if answer.is_empty() { "NOTHING_TO_PROMOTE".to_owned() } else { answer }))
    })
}

/// The same, and nothing spoilt.
pub(crate) fn honest() -> impl LlmClient {
    keeper(|_, bullet| bullet)
}

/// A value as it is printed for other programs, which is a contract; its `Debug` is none.
pub(crate) fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// Prints a night: how it ended, and each line with what became of it. Words that the library says to people are left out,
/// since those may be said better.
pub(crate) fn told(report: &DreamReport) -> String {
    let waits = (report.backlog.journals, report.backlog.bytes);
    let mut told = format!("{}, {} calls, waiting {waits:?}\n", report.outcome.as_str(), report.calls);
    if let Some(id) = &report.recovered {
        writeln!(told, "  recovered {id}").unwrap();
    }
    for pass in &report.passes {
        writeln!(told, "  pass {}: {}", pass.dream_id, pass.outcome.as_str()).unwrap();
        for slice in &pass.shown {
            writeln!(told, "    shown {} {}..{}", slice.name, slice.from, slice.to).unwrap();
        }
        for line in &pass.lines {
            let heading = line.heading.as_deref().unwrap_or("-");
            writeln!(told, "    {} | {heading} | {}", json(&line.fate), line.text).unwrap();
        }
        writeln!(told, "    dropped {}", json(&pass.dropped)).unwrap();
        if pass.outcome == Outcome::Quarantined {
            let journals: Vec<&DocName> =
                pass.quarantined.iter().flat_map(|blamed| &blamed.journals).collect();
            writeln!(told, "    to quarantine {journals:?}").unwrap();
        }
        if let Some(section) = &pass.section {
            writeln!(told, "    section {}", &hash(section.as_bytes())[..16]).unwrap();
        }
    }
    for id in &report.archived {
        writeln!(told, "  archived {id}").unwrap();
    }
    writeln!(told, "  notices {}", json(&report.notices)).unwrap();
    writeln!(told, "  journals {}", &hash(json(&report.journals).as_bytes())[..16]).unwrap();
    if let Some(sleep) = &report.sleep {
        writeln!(told, "  sleep {}", json(sleep)).unwrap();
    }
    told.trim_end().to_owned()
}

/// The hash of bytes: sha256, in hexadecimal digits.
pub(crate) fn hash(bytes: &[u8]) -> String {
    Revision::of(bytes).to_string()
}

/// Compares with a committed snapshot; says which lines differ.
pub(crate) fn compare(file: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/before").join(file);
    if std::env::var_os("NOCTUARY_BEFORE").is_some_and(|value| value == "write") {
        fs::write(&path, found).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if expected == found {
        return;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let mut message = String::new();
    let differing = (0..old.len().max(new.len())).filter(|at| old.get(*at) != new.get(*at));
    for at in differing.take(20) {
        let line = |lines: &[&str]| lines.get(at).map_or("(nothing)", |line| *line).to_owned();
        writeln!(message, "{}\n  before: {}\n  now:    {}", at + 1, line(&old), line(&new)).unwrap();
    }
    panic!("{file} is not as the version before wrote it:\n{message}");
}
