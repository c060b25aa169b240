//! A pass reads what it goes by once, and sees what somebody saves meanwhile all the same.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::dreaming::{Life, dream, journal, night};
use noctuary::dream::{DreamMode, LineOutcome};
use noctuary::testing::Script;
use noctuary::workspace::{Claim, ClaimTerms, Document, Listing, Metadata, Name, Reach, Revision};
use noctuary::{
    DocName, DreamConfig, FileWorkspace, JournalDreamer, LlmReply, Outcome, Result, Workspace, WriteMode,
    llm_fn,
};

/// A workspace that counts what is read, by name.
#[derive(Debug)]
struct Counting {
    inner: FileWorkspace,
    read: Mutex<Vec<String>>,
    ranges: Mutex<Vec<String>>,
}

impl Counting {
    fn over(life: &Life) -> Arc<Self> {
        let inner = FileWorkspace::open(life.root()).unwrap();
        Arc::new(Self { inner, read: Mutex::default(), ranges: Mutex::default() })
    }

    /// How often documents whose names begin so were read whole.
    fn reads(&self, front: &str) -> usize {
        self.read.lock().unwrap().iter().filter(|name| name.starts_with(front)).count()
    }

    /// How often a part of such documents was read.
    fn parts(&self, front: &str) -> usize {
        self.ranges.lock().unwrap().iter().filter(|name| name.starts_with(front)).count()
    }
}

impl Workspace for Counting {
    fn location(&self) -> String {
        self.inner.location()
    }
    fn reach(&self) -> Reach {
        self.inner.reach()
    }
    fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
        self.inner.list(folder)
    }
    fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
        self.inner.metadata(name)
    }
    fn read(&self, name: &Name) -> Result<Option<Document>> {
        self.read.lock().unwrap().push(name.to_string());
        self.inner.read(name)
    }
    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
        self.ranges.lock().unwrap().push(name.to_string());
        self.inner.read_range(name, range)
    }
    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        self.inner.write(name, bytes, mode)
    }
    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.inner.append(name, bytes)
    }
    fn remove(&self, name: &Name) -> Result<bool> {
        self.inner.remove(name)
    }
    fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        self.inner.rename(from, to)
    }
    fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
        self.inner.claim(terms)
    }
}

fn dreamer(workspace: Arc<dyn Workspace>, change: impl FnOnce(&mut DreamConfig)) -> JournalDreamer {
    JournalDreamer::builder(workspace).enabled(true).configure(change).build().unwrap()
}

fn said(day: u32) -> String {
    format!("- [user] We release on 2026-12-{day:02}.\n")
}

fn answer(day: u32) -> String {
    format!("- We release on 2026-12-{day:02}. ({}#L1)", journal(day))
}

#[test]
fn an_appending_pass_reads_memory_twice_and_no_proposal() {
    let life = Life::with(&[(19, &said(19))]);
    life.dream(&Script::new().says(answer(19)));
    life.put(&journal(20), said(20));

    let counting = Counting::over(&life);
    let report = dream(&dreamer(counting.clone(), |_| ()), &Script::new().says(answer(20)), night(22));
    assert_eq!((report.outcome, report.passes.len()), (Outcome::Appended, 1));
    let counted = (
        counting.reads("MEMORY.md"),
        counting.parts("MEMORY.md"),
        counting.reads(".dreaming.d/proposals/"),
        counting.reads(".dreaming.d/proposals.json"),
        counting.reads("memory/archive/dreamed.md"),
    );
    println!("reads of a pass: {:?}, {:?}", counting.read.lock().unwrap(), counting.ranges.lock().unwrap());
    // Once under the claim, once right before the append; and what was appended, once after it.
    assert_eq!(counted, (2, 1, 0, 1, 1));
}

#[test]
fn a_proposal_that_waits_is_read_once_in_a_pass() {
    for (mode, outcome) in [(DreamMode::Propose, Outcome::Proposed), (DreamMode::Append, Outcome::Appended)] {
        let life = Life::with(&[(19, &said(19))]);
        let proposer = dreamer(life.workspace(), |config| config.mode = DreamMode::Propose);
        dream(&proposer, &Script::new().says(answer(19)), night(21));
        life.put(&journal(20), said(20));

        let counting = Counting::over(&life);
        let both = format!("- We release on 2026-12-19.\n{}", answer(20));
        let dreamer = dreamer(counting.clone(), |config| config.mode = mode);
        let report = dream(&dreamer, &Script::new().says(both), night(23));
        assert_eq!(report.outcome, outcome);
        let fates: Vec<&LineOutcome> = report.passes[0].lines.iter().map(|line| &line.fate).collect();
        assert!(matches!(fates[..], [LineOutcome::Duplicate, LineOutcome::Promoted { .. }]), "{fates:?}");
        // Also where it is not proposed any more: what waits for a person's word is not appended past them.
        assert_eq!(counting.reads(".dreaming.d/proposals/"), 1, "{mode:?}");
    }
}

#[test]
fn what_is_saved_while_the_model_thinks_is_seen() {
    let life = Life::with(&[(20, &said(20))]);
    let counting = Counting::over(&life);
    let model = llm_fn(|_| {
        life.put("MEMORY.md", "# Memory\n\n- We release on 2026-12-20.\n");
        Ok(LlmReply::new(answer(20)))
    });
    let report = dream(&dreamer(counting.clone(), |_| ()), &model, night(21));
    assert_eq!(report.outcome, Outcome::NothingToPromote);
    assert_eq!(report.passes[0].lines[0].fate, LineOutcome::Duplicate);
    assert_eq!(report.memory.unwrap().chars, life.memory().chars().count() as u64);
    assert_eq!(counting.reads("MEMORY.md"), 2);
}
