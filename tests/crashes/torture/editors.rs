//! An operator's editor at every operation of a commit.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use noctuary::dream::Notice;
use noctuary::testing::{Disk, DiskFile, Entry, Open, Stat};
use noctuary::{FileWorkspace, LlmReply, Outcome, dream_once_at, llm_fn};

use super::kit::{Score, is_long};
use noctuary_tests::common::dice::Dice;
use noctuary_tests::dreaming::{Life, dreamer_over, journal, night};

const MEMORY: &str = "# Memory\n\n- Known already, and for long.\n";
/// The line that the operator adds.
const MINE: &str = "- Mine, added while you dreamed.\n";
const TOLD: &str = "Told of the day";

/// How an editor saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Editor {
    /// Reads; writes another file; gives it the name.
    Renames,
    /// Reads; truncates; writes.
    Truncates,
    /// Adds at the end.
    Appends,
}

impl Editor {
    fn steps(self) -> usize {
        match self {
            Self::Renames => 2,
            Self::Truncates => 3,
            Self::Appends => 1,
        }
    }
}

/// An editor under way.
struct Edit {
    editor: Editor,
    memory: PathBuf,
    /// The text that it read, with the operator's line at the top.
    buffer: Vec<u8>,
    open: Option<fs::File>,
}

impl Edit {
    fn step(&mut self, step: usize) {
        match (self.editor, step) {
            (Editor::Appends, _) => {
                let mut file = fs::File::options().append(true).open(&self.memory).unwrap();
                file.write_all(MINE.as_bytes()).unwrap();
            }
            (_, 0) => {
                let text = fs::read_to_string(&self.memory).unwrap();
                self.buffer = text.replacen("# Memory\n\n", &format!("# Memory\n\n{MINE}"), 1).into_bytes();
            }
            (Editor::Renames, _) => {
                let aside = self.memory.with_extension("md~");
                fs::write(&aside, &self.buffer).unwrap();
                fs::rename(&aside, &self.memory).unwrap();
            }
            (Editor::Truncates, 1) => self.open = Some(fs::File::create(&self.memory).unwrap()),
            (Editor::Truncates, _) => self.open.take().unwrap().write_all(&self.buffer).unwrap(),
        }
    }
}

/// A disk on which an editor works: before the operation of this number it takes a step.
struct Edited {
    disk: Arc<dyn Disk>,
    race: Arc<Race>,
}

struct Race {
    at: AtomicUsize,
    /// Whether the operations are about `MEMORY.md`: between two that are not, nothing can be told apart.
    seen: Mutex<Vec<String>>,
    schedule: Vec<usize>,
    edit: Mutex<(usize, Edit)>,
}

impl Race {
    fn pass(&self, what: String) {
        let at = self.at.fetch_add(1, Ordering::SeqCst);
        self.seen.lock().unwrap().push(what);
        self.catch_up(at);
    }

    fn catch_up(&self, at: usize) {
        let mut edit = self.edit.lock().unwrap();
        while self.schedule.get(edit.0).is_some_and(|due| *due <= at) {
            let step = edit.0;
            edit.1.step(step);
            edit.0 += 1;
        }
    }
}

impl fmt::Debug for Edited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Edited({:?})", self.disk)
    }
}

impl Disk for Edited {
    fn root(&self) -> &Path {
        self.disk.root()
    }
    fn open(&self, path: &str, how: Open) -> io::Result<Box<dyn DiskFile>> {
        self.race.pass(format!("open {path}"));
        let file = self.disk.open(path, how)?;
        Ok(Box::new(EditedFile { file, path: path.to_owned(), race: Arc::clone(&self.race) }))
    }
    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        self.race.pass(format!("stat {path}"));
        self.disk.stat(path)
    }
    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        self.race.pass(format!("list {folder}"));
        self.disk.list(folder)
    }
    fn create_folder(&self, path: &str) -> io::Result<()> {
        self.race.pass(format!("create folder {path}"));
        self.disk.create_folder(path)
    }
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.race.pass(format!("rename to {to}"));
        self.disk.rename(from, to)
    }
    fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        self.race.pass(format!("rename new to {to}"));
        self.disk.rename_new(from, to)
    }
    fn unlink(&self, path: &str) -> io::Result<()> {
        self.race.pass(format!("unlink {path}"));
        self.disk.unlink(path)
    }
    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        self.race.pass(format!("sync folder {folder}"));
        self.disk.sync_folder(folder)
    }
    fn network(&self) -> io::Result<Option<&'static str>> {
        self.disk.network()
    }
    fn clock(&self) -> DateTime<Utc> {
        self.disk.clock()
    }
    fn elapsed(&self) -> Duration {
        self.disk.elapsed()
    }
    fn pause(&self, duration: Duration) {
        self.disk.pause(duration);
    }
}

struct EditedFile {
    file: Box<dyn DiskFile>,
    path: String,
    race: Arc<Race>,
}

impl fmt::Debug for EditedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EditedFile({})", self.path)
    }
}

impl DiskFile for EditedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.race.pass(format!("read {}", self.path));
        self.file.read_at(buffer, offset)
    }
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.race.pass(format!("write {}", self.path));
        self.file.write_at(bytes, offset)
    }
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.race.pass(format!("append to {}", self.path));
        self.file.append(bytes)
    }
    fn sync(&self) -> io::Result<()> {
        self.race.pass(format!("sync {}", self.path));
        self.file.sync()
    }
    fn stat(&self) -> io::Result<Stat> {
        self.race.pass(format!("look at {}", self.path));
        self.file.stat()
    }
    fn make_like(&self, other: &Stat) -> io::Result<()> {
        self.race.pass(format!("set the mode of {}", self.path));
        self.file.make_like(other)
    }
    fn try_lock(&self) -> io::Result<bool> {
        self.race.pass(format!("lock {}", self.path));
        self.file.try_lock()
    }
}

/// The fate of a section.
#[derive(Default)]
struct Counts {
    schedules: u64,
    once: u64,
    missing: u64,
    /// Beside the section, a line of an earlier append that an editor wrote over in part.
    remnants: u64,
    twice: u64,
}

/// One commit under an editor whose steps come before these operations. Returns what the operations were.
fn schedule(editor: Editor, schedule: &[usize], score: &mut Score, counts: &mut Counts) -> Vec<String> {
    let life = Life::empty();
    life.put("MEMORY.md", MEMORY);
    life.put(&journal(20), "- [user] what the day was like\n");
    let edit = Edit { editor, memory: life.path("MEMORY.md"), buffer: Vec::new(), open: None };
    let race = Arc::new(Race {
        at: AtomicUsize::new(0),
        seen: Mutex::default(),
        schedule: schedule.to_vec(),
        edit: Mutex::new((0, edit)),
    });
    let edited = Edited { disk: life.quick_disk(), race: Arc::clone(&race) };
    let place = format!("{editor:?} at {schedule:?}");
    let tick = |disk: Arc<dyn Disk>, wording: &str| {
        let text = format!("- {TOLD} in wording {wording}.");
        let model = llm_fn(move |_| Ok(LlmReply::new(text.clone())));
        let dreamer = dreamer_over(Arc::new(FileWorkspace::on_disk(disk)), |_| ());
        dream_once_at(&dreamer, &model, &|| night(21))
    };
    let first = tick(Arc::new(edited), "one");
    race.catch_up(usize::MAX);
    let seen = race.seen.lock().unwrap().clone();
    if !schedule.is_empty() {
        let before = life.memory();
        let second = tick(life.quick_disk(), "two");
        let memory = life.memory();
        counts.schedules += 1;
        let stands = memory.matches(TOLD).count();
        let sections = memory.matches("<!-- dream:v1 id=").count();
        match (stands, sections) {
            (0, _) => counts.missing += 1,
            (1, _) => counts.once += 1,
            (_, 0 | 1) => counts.remnants += 1,
            _ => counts.twice += 1,
        }
        score.check(memory.matches(MINE).count() == 1, || format!("{place}: the operator's line\n{memory}"));
        for line in MEMORY.split_inclusive('\n') {
            score.check(memory.contains(line), || format!("{place}: the operator's {line:?}\n{memory}"));
        }
        score.check(memory.starts_with(&before), || format!("{place}: the second night rewrote\n{memory}"));
        score.check(stands <= 1, || format!("{place}: {stands} times\n{memory}"));
        match second {
            Ok(second) => {
                let missing = second.notices.iter().any(|notice| matches!(notice, Notice::SectionMissing(_)));
                score.check(stands > 0 || missing, || format!("{place}: missing and not told\n{memory}"));
                score.check(second.outcome != Outcome::LlmError, || place.clone());
            }
            Err(error) => score.violation(format!("{place}: the second night: {error:?}; first {first:?}")),
        }
    }
    seen
}

pub(crate) fn run() -> bool {
    let mut score = Score::new("editors");
    let mut counts = Counts::default();
    let seen = schedule(Editor::Appends, &[], &mut score, &mut counts);
    // A step means something else only where an operation on MEMORY.md lies between; there is one after all.
    let about = |what: &String| what.ends_with("MEMORY.md");
    let mut places: Vec<usize> =
        seen.iter().enumerate().filter(|(_, what)| about(what)).map(|(at, _)| at).collect();
    places.push(seen.len() + 100);
    let mut schedules: Vec<(Editor, Vec<usize>)> = Vec::new();
    for editor in [Editor::Appends, Editor::Renames, Editor::Truncates] {
        // All at once, before every operation of the night, also those that are not about the file.
        schedules.extend((0..=seen.len()).map(|at| (editor, vec![at; editor.steps()])));
        spread(&places, editor.steps(), &mut Vec::new(), &mut |steps| {
            schedules.push((editor, steps.to_vec()));
        });
    }
    let all = schedules.len();
    let mut chance = Dice::fresh();
    for last in (1..all).rev() {
        schedules.swap(last, chance.below(last + 1));
    }
    for (editor, steps) in schedules {
        if !is_long() && !score.goes_on() {
            break;
        }
        schedule(editor, &steps, &mut score, &mut counts);
    }
    let text = format!(
        "{} of {all} schedules at {} operations, section once {}, missing and told {}, \
         beside a remnant {}, twice {}",
        counts.schedules,
        seen.len(),
        counts.once,
        counts.missing,
        counts.remnants,
        counts.twice
    );
    let least = if is_long() { all as u64 } else { 100 };
    score.finish(&text, &[("schedules", counts.schedules, least)])
}

/// Every way to put so many steps at these places, in order.
fn spread(places: &[usize], steps: usize, begun: &mut Vec<usize>, each: &mut impl FnMut(&[usize])) {
    if steps == 0 {
        each(begun);
        return;
    }
    for (at, place) in places.iter().enumerate() {
        begun.push(*place);
        spread(&places[at..], steps - 1, begun, each);
        begun.pop();
    }
}
