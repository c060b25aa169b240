//! A pass reads what it goes by once, and sees what somebody saves meanwhile all the same.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use chrono::Days;

use noctuary::dream::{DreamMode, JournalReport, LineOutcome, ReadReason};
use noctuary::testing::Script;
use noctuary::workspace::{Claim, ClaimTerms, Document, Listing, Metadata, Name, Reach, Revision};
use noctuary::{
    DocName, DreamConfig, FileWorkspace, JournalDreamer, LlmReply, Outcome, Result, Workspace, WriteMode,
    llm_fn,
};
use noctuary_tests::dreaming::{Life, dream, journal, name, night};

/// A workspace that counts what is read, by name.
#[derive(Debug)]
struct Counting {
    inner: Arc<dyn Workspace>,
    read: Mutex<Vec<String>>,
    ranges: Mutex<Vec<(String, Range<u64>)>>,
    looked_at: Mutex<Vec<String>>,
}

impl Counting {
    fn over(life: &Life) -> Arc<Self> {
        Self::around(Arc::new(FileWorkspace::open(life.root()).unwrap()))
    }

    fn around(inner: Arc<dyn Workspace>) -> Arc<Self> {
        let (read, ranges, looked_at) = Default::default();
        Arc::new(Self { inner, read, ranges, looked_at })
    }

    /// How often documents whose names begin so were read whole.
    fn reads(&self, front: &str) -> usize {
        self.read.lock().unwrap().iter().filter(|name| name.starts_with(front)).count()
    }

    /// How often a part of such documents was read.
    fn parts(&self, front: &str) -> usize {
        self.ranges.lock().unwrap().iter().filter(|(name, _)| name.starts_with(front)).count()
    }

    /// Which documents with such names were opened.
    fn opened(&self, front: &str) -> BTreeSet<String> {
        let (whole, parts) = (self.read.lock().unwrap(), self.ranges.lock().unwrap());
        let names = whole.iter().chain(parts.iter().map(|(name, _)| name));
        names.filter(|name| name.starts_with(front)).cloned().collect()
    }

    /// Forgets what was counted.
    fn reset(&self) {
        self.read.lock().unwrap().clear();
        self.ranges.lock().unwrap().clear();
        self.looked_at.lock().unwrap().clear();
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
        self.looked_at.lock().unwrap().push(name.to_string());
        self.inner.metadata(name)
    }
    fn read(&self, name: &Name) -> Result<Option<Document>> {
        self.read.lock().unwrap().push(name.to_string());
        self.inner.read(name)
    }
    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
        self.ranges.lock().unwrap().push((name.to_string(), range.clone()));
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

/// The homes that a life may have.
fn homes(life: &Life) -> Vec<Arc<dyn Workspace>> {
    vec![
        life.quick_workspace(),
        Arc::new(noctuary::SqliteWorkspace::open_in_memory(noctuary::Scope::user("marta")).unwrap()),
    ]
}

#[test]
#[ignore = "sweep"]
fn an_idle_pass_opens_no_journal_and_looks_only_at_those_that_the_date_lets_in() {
    const JOURNALS: u32 = 10_000;
    let life = Life::empty();
    for home in homes(&life) {
        let last = night(21).date_naive();
        let file = |number: u32| {
            let day = last - Days::new(u64::from(number % 900));
            name(&format!("memory/{day}-s{number}.md"))
        };
        for number in 0..JOURNALS {
            home.write(&file(number), b"- [user] Tea.\n", WriteMode::Create).unwrap();
        }
        let counting = Counting::around(home);
        let dreamer = dreamer(counting.clone(), |config| config.total_input_bytes = 1 << 30);
        dream(&dreamer, &Script::new(), night(21));

        counting.reset();
        let report = dream(&dreamer, &Script::new(), night(21));
        assert_eq!((report.outcome, report.journals.len()), (Outcome::NothingNew, JOURNALS as usize));
        let inside = report.journals.iter().filter(|journal| journal.reason == ReadReason::AlreadyShown);
        let inside: BTreeSet<String> = inside.map(|journal| journal.name.to_string()).collect();
        assert!((300..400).contains(&inside.len()), "{}", inside.len());
        assert_eq!(counting.opened("memory/"), BTreeSet::new());
        let looked_at = counting.looked_at.lock().unwrap().clone();
        let looked_at: Vec<String> = looked_at.into_iter().filter(|name| name.contains("/20")).collect();
        assert_eq!(looked_at.len(), inside.len(), "one look at each");
        assert_eq!(looked_at.into_iter().collect::<BTreeSet<String>>(), inside);

        // A line that comes late into an old one is found, and no other journal is opened for it.
        let late = file(29);
        counting.append(&late, b"- [user] Coffee.\n").unwrap();
        counting.reset();
        let script = Script::new();
        dream(&dreamer, &script, night(22));
        assert!(script.requests()[0].user.contains("Coffee") && !script.requests()[0].user.contains("Tea"));
        assert_eq!(counting.opened("memory/20"), BTreeSet::from([late.to_string()]));
    }
}

#[test]
fn journals_that_wait_are_opened_when_a_pass_comes_to_them() {
    let life = Life::empty();
    for home in homes(&life) {
        let wish = "- [user] We release on Fridays.\n";
        for number in 0..100 {
            let file = name(&format!("memory/2026-11-20-s{number:02}.md"));
            home.write(&file, wish.repeat(100).as_bytes(), WriteMode::Create).unwrap();
        }
        let counting = Counting::around(home);
        let dreamer = dreamer(counting.clone(), |config| {
            config.total_input_bytes = 4 * 100 * wish.len() as u64;
            config.max_passes = 1;
        });
        let report = dream(&dreamer, &Script::new(), night(21));
        let shown = report.passes[0].shown.len();
        assert_eq!((shown, report.backlog.journals), (4, 96));
        assert!(counting.opened("memory/20").len() <= shown + 1, "{:?}", counting.opened("memory/20"));
    }
}

#[test]
fn where_nothing_but_noise_waits_there_is_nothing_new() {
    let life = Life::with(&[(20, "\u{feff}")]);
    for day in [18, 19] {
        life.put(&journal(day), b"\xff\xfeh\0i\0");
    }
    life.put(&journal(20), b"");
    let noise = |journals: &[JournalReport]| {
        let noise = journals.iter().filter(|journal| journal.reason == ReadReason::Unreadable);
        noise.map(|journal| journal.pending).collect::<Vec<_>>()
    };
    let survey = life.dreamer().survey(night(21)).unwrap();
    assert_eq!((noise(&survey.journals), survey.backlog.journals), (vec![0, 0], 0));
    let report = life.dream(&Script::new());
    assert_eq!((report.outcome, noise(&report.journals)), (Outcome::NothingNew, vec![0, 0]));
    assert_eq!((report.backlog.journals, report.backlog.bytes), (0, 0));
}

#[test]
#[ignore = "sweep"]
fn the_lines_of_a_later_slice_are_counted_from_where_the_last_one_ended() {
    const FRONT: usize = 3 << 20;
    let berth = |number: usize| format!("- [user] Berth {number} is free, says the harbour office.\n");
    let numbered = |from: usize, len: usize| {
        let mut text = String::new();
        for number in from.. {
            text.push_str(&berth(number));
            if text.len() >= len {
                break;
            }
        }
        text
    };
    let life = Life::empty();
    for home in homes(&life) {
        let file = name("memory/2026-11-20-long.md");
        let front = numbered(1, FRONT);
        home.write(&file, front.as_bytes(), WriteMode::Create).unwrap();
        let all = dreamer(home.clone(), |config| {
            (config.total_input_bytes, config.max_file_bytes) = (1 << 30, 32 << 20);
        });
        dream(&all, &Script::new(), night(21));
        let lines = front.lines().count();
        home.append(&file, numbered(lines + 1, 512 << 10).as_bytes()).unwrap();
        let text = home.read(&file).unwrap().unwrap().bytes().to_vec();

        let counting = Counting::around(home);
        let draining = dreamer(counting.clone(), |config| config.max_passes = 4);
        // The first run looks once whether the front is what was shown, since the file grew.
        for round in 0..2 {
            counting.reset();
            let report = dream(&draining, &Script::new(), night(22));
            assert_eq!(report.passes.len(), 4);
            for shown in report.passes.iter().flat_map(|pass| &pass.shown) {
                let before = &text[..usize::try_from(shown.from).unwrap()];
                let breaks = before.split(|byte| *byte == b'\n').count() - 1;
                assert_eq!(shown.first_line, breaks as u64 + 1, "{shown:?}");
            }
            let ranges = counting.ranges.lock().unwrap().clone();
            let of_front: Vec<Range<u64>> = ranges
                .into_iter()
                .filter(|(name, range)| *name == *file.as_str() && range.start == 0 && range.end > 2)
                .map(|(_, range)| range)
                .collect();
            assert_eq!(of_front.len(), usize::from(round == 0), "{of_front:?}");
        }
    }
}
