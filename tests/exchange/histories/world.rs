//! The machines of a history, the steps that happen on one of them, and what a person may expect.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Mutex;

use chrono::{DateTime, Duration, Utc};
use noctuary::dream::{DreamMode, DreamRecord, DreamStanding, Evidence, OverBudget};
use noctuary::exchange::{Forget, merge_copies};
use noctuary::format::JournalName;
use noctuary::life::Consent;
use noctuary::{
    Access, DocName, Error, JournalDreamer, LifeConfig, LlmReply, LlmRequest, dream_once_at, llm_fn,
};

use noctuary_tests::dreaming::marta::human;
use noctuary_tests::dreaming::{dreamer_over, name, night, seen};

use super::carry::Carried;
use super::home::Home;
use super::oracle::is_said_by;
use super::steps::{Kind, Step, What, any_of};
use super::{Held, hold};
use noctuary_tests::common::dice::Dice;

/// A line that somebody said in a session, and what became of it.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each may have happened, in any order")]
pub(super) struct Said {
    /// Whether the model promotes it.
    pub(super) is_decision: bool,
    pub(super) forgotten: bool,
    pub(super) forgotten_in_files: bool,
    /// Whether a person took it out of its journal.
    pub(super) taken_out: bool,
    /// Whether a person took it out of memory, or wrote it anew.
    pub(super) edited: bool,
    /// Whether a person changed another line of its section, so that all of it is theirs.
    pub(super) near_edit: bool,
}

/// What a person may expect of the life.
#[derive(Debug, Default)]
pub(super) struct Expected {
    /// The lines of the journals, by their numbers.
    pub(super) said: BTreeMap<usize, Said>,
    /// The person's own lines in memory, and whether somebody took each out.
    pub(super) mine: BTreeMap<String, bool>,
    /// The dreams that a person took back.
    pub(super) undone: BTreeSet<String>,
    /// Whether two versions of a place waited for a person: a line that was taken out may be back.
    pub(super) has_conflicts: bool,
    /// Whether a journal was edited where a model had been shown it.
    pub(super) has_edited_journals: bool,
    /// The nights of proposals that a person accepted: what another night says in other words by then, the person wants so too.
    pub(super) accepted: BTreeSet<String>,
}

/// What happened, so that a run may say that it means something.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    pub(super) all: BTreeMap<&'static str, usize>,
}

impl Counts {
    pub(super) fn one(&mut self, what: &'static str) {
        *self.all.entry(what).or_default() += 1;
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (what, count) in &other.all {
            *self.all.entry(what).or_default() += count;
        }
    }

    /// Whether what matters happened often.
    pub(super) fn are_enough(&self, histories: usize) -> bool {
        let of = |what| self.all.get(what).copied().unwrap_or_default();
        of("syncs") > histories
            && of("taken back") > histories / 4
            && of("given back at the end") > histories / 2
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.all.iter().map(|(what, count)| format!("{count} {what}")).collect();
        f.write_str(&all.join(", "))
    }
}

pub(super) struct World {
    pub(super) kind: Kind,
    pub(super) machines: Vec<Home>,
    /// The lines whose tombstones a machine has.
    pub(super) knows: Vec<BTreeSet<usize>>,
    pub(super) carried: Carried,
    pub(super) expected: Expected,
    pub(super) now: DateTime<Utc>,
    pub(super) told: Vec<String>,
    pub(super) counts: Counts,
}

/// The words of a line.
pub(super) fn words(number: usize, said: &Said) -> String {
    if said.is_decision {
        format!("Stone q{number} lies in harbour h{number}.")
    } else {
        format!("Chat q{number} was of weather w{number}.")
    }
}

/// Returns the number of the line that a text has.
pub(super) fn number_in(text: &str) -> Option<usize> {
    let at = text.find("Stone q").map(|at| at + 7).or_else(|| text.find("Chat q").map(|at| at + 6))?;
    text[at..].split(' ').next()?.parse().ok()
}

/// Promotes each decision that it is shown, in the words of its machine.
fn promotes(request: &LlmRequest, front: &str) -> LlmReply {
    let lines = seen(request).into_iter().filter_map(|line| {
        let at = line.text.find("Stone q")?;
        Some(format!("- {front}{} ({}#L{})", &line.text[at..], line.journal, line.number))
    });
    let lines: Vec<String> = lines.collect();
    LlmReply::new(if lines.is_empty() { "NOTHING_TO_PROMOTE".to_owned() } else { lines.join("\n") })
}

impl World {
    pub(super) fn new(kind: &Kind) -> Self {
        let homes = (0..kind.machines).map(|at| Home::empty(kind.databases[at]));
        let machines: Vec<Home> = homes.collect();
        for home in &machines {
            home.append("MEMORY.md", "# Memory\n\n- Known already.\n", night(9));
        }
        Self {
            kind: kind.clone(),
            carried: Carried::new(&machines),
            knows: vec![BTreeSet::new(); kind.machines],
            machines,
            expected: Expected::default(),
            now: night(10),
            told: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// The clock of a machine, which may be hours off.
    pub(super) fn clock(&self, at: usize) -> DateTime<Utc> {
        self.now + Duration::hours([0, -5, 3][at]) + Duration::days(self.kind.days[at])
    }

    pub(super) fn tell(&mut self, at: usize, what: impl fmt::Display) {
        self.told.push(format!("m{at}: {what}"));
    }

    pub(super) fn step(&mut self, step: &Step) -> Held {
        self.now += Duration::minutes(7);
        let (at, mut random) = (step.at % self.kind.machines, Dice(step.pick));
        match step.what {
            What::Note => self.note(at, true, &mut random),
            What::Chat => self.note(at, false, &mut random),
            What::Dream => return self.dream(at),
            What::Undo => self.undo(at, &mut random),
            What::Redo => self.redo(at, &mut random),
            What::Forget => self.forget(at, false, &mut random),
            What::ForgetInFiles => self.forget(at, true, &mut random),
            What::TypeMark => {
                self.tell(at, "a person types [forgotten] in TOOLS.md");
                self.machines[at].write("TOOLS.md", "# Tools\n\nThe mark [forgotten] is of the library.\n");
            }
            What::AddMine => self.add_mine(at, &mut random),
            What::TakeMine => self.take_mine(at, &mut random),
            What::EditSection if self.kind.hands => self.edit_section(at, &mut random),
            What::EditJournal if self.kind.hands => self.edit_journal(at, &mut random),
            What::Archive if self.kind.archives => return self.archive(at, &mut random),
            What::Propose if self.kind.proposals => return self.propose(at, &mut random),
            What::Sync => return self.sync(at, &mut random),
            What::Tidy if self.kind.is_tool() => return self.tidy(at),
            What::EditSection | What::EditJournal | What::Archive | What::Propose | What::Tidy => {}
        }
        Ok(())
    }

    fn note(&mut self, at: usize, is_decision: bool, random: &mut Dice) {
        let number = self.expected.said.len() + 1;
        let said = Said { is_decision, ..Said::default() };
        let words = words(number, &said);
        self.expected.said.insert(number, said);
        let mut session = ["repl".to_owned(), format!("m{at}")][random.below(2)].clone();
        let archived = self.machines[at].journals(true).into_keys();
        let moved = archived.filter(|path| path.starts_with("memory/archive/")).count();
        if moved > 0 && !self.kind.reuses {
            session = format!("{session}-{moved}");
        }
        let journal = format!("memory/{}-{session}.md", self.now.date_naive());
        let label = if is_decision { "Decision: " } else { "" };
        let now = self.clock(at);
        let line = format!("- [{}] [user] {label}{words}\n", now.format("%H:%M:%S"));
        self.tell(at, format!("notes in {journal}: {}", line.trim_end()));
        self.machines[at].append(&journal, &line, now);
    }

    pub(super) fn dreamer(&self, home: &Home, mode: DreamMode) -> JournalDreamer {
        dreamer_over(home.workspace(), |config| {
            config.mode = mode;
            config.evidence = Evidence::Checked;
            config.max_passes = 20;
            config.budget.max_calls_per_day = None;
            config.budget.back_off = None;
            if self.kind.compacts {
                (config.memory_budget, config.over_budget) = (900, OverBudget::Archive);
            }
        })
    }

    /// Dreams over a home, in the words of a machine, and returns the numbers of the lines that were shown.
    pub(super) fn dream_over(&self, home: &Home, at: usize, mode: DreamMode) -> Result<Vec<usize>, Error> {
        let (shown, front) =
            (Mutex::new(Vec::new()), if at == 1 && self.kind.has_words { "We know: " } else { "" });
        let model = llm_fn(|request: &LlmRequest| {
            shown.lock().unwrap().extend(seen(request).iter().filter_map(|line| number_in(&line.text)));
            Ok(promotes(request, front))
        });
        let now = self.clock(at);
        dream_once_at(&self.dreamer(home, mode), &model, &|| now)?;
        Ok(shown.into_inner().unwrap())
    }

    pub(super) fn dream(&mut self, at: usize) -> Held {
        self.night(at, DreamMode::Append)
    }

    /// A night, by which what a person took back here may be promoted again.
    fn night(&mut self, at: usize, mode: DreamMode) -> Held {
        self.tidy(at)?;
        let (before, memory) = (self.records(at), self.machines[at].memory());
        let shown = match self.dream_over(&self.machines[at], at, mode) {
            Err(Error::Unmerged { name, line }) if self.kind.is_tool() => {
                self.tell(at, format!("dreams not: {name} has marks at {line}"));
                return Ok(());
            }
            shown => shown.unwrap_or_else(|error| panic!("a night ends with: {error}")),
        };
        let after = self.records(at);
        let is = |records: &[DreamRecord], id: &str, standing: DreamStanding| {
            records.iter().any(|dream| dream.id.as_str() == id && dream.standing == standing)
        };
        let undone = |records, id: &str| is(records, id, DreamStanding::Undone);
        self.expected.undone.retain(|id| !undone(&before, id) || undone(&after, id));
        let new: Vec<&str> = after
            .iter()
            .filter(|dream| dream.standing == DreamStanding::Whole)
            .filter(|dream| !is(&before, dream.id.as_str(), DreamStanding::Whole))
            .map(|dream| dream.id.as_str())
            .collect();
        self.tell(at, format!("dreams, is shown {shown:?}, appends {new:?}"));
        self.counts.one("nights");
        for number in &shown {
            let said = &self.expected.said[number];
            let words = words(*number, said);
            hold(!self.knows[at].contains(number), "what is forgotten is not shown", || words.clone())?;
            let is_again = self.kind.is_whole()
                && !self.is_kept(&words, &memory)
                && !self.expected.has_edited_journals
                && !said.edited
                && !self.kind.proposals
                && memory.contains(&words);
            hold(!is_again, "what a dream says is not shown again", || format!("{words}\n{memory}"))?;
        }
        Ok(())
    }

    /// Whether a section says some words whose dream was taken back on one machine and which a person changed on the other. That is reported,
    /// and its journals are read again.
    pub(super) fn is_kept(&self, words: &str, memory: &str) -> bool {
        self.expected.undone.iter().any(|id| is_said_by(id, words, memory))
    }

    /// The dreams that a machine knows, the newest first.
    pub(super) fn records(&self, at: usize) -> Vec<DreamRecord> {
        self.dreamer(&self.machines[at], DreamMode::Append).dreams().unwrap()
    }

    fn one_of(&self, at: usize, standing: &[DreamStanding], random: &mut Dice) -> Option<DreamRecord> {
        let mut dreams = self.records(at);
        dreams.retain(|dream| standing.contains(&dream.standing));
        any_of(random, &dreams).cloned()
    }

    fn undo(&mut self, at: usize, random: &mut Dice) {
        let Some(dream) = self.one_of(at, &[DreamStanding::Whole], random) else { return };
        let dreamer = self.dreamer(&self.machines[at], DreamMode::Append);
        match dreamer.undo_dream(&human(), &dream.id, self.clock(at)) {
            Ok(was) => {
                self.tell(at, format!("takes {} back: {was}", dream.id));
                if was {
                    self.expected.undone.insert(dream.id.to_string());
                    self.counts.one("taken back");
                }
            }
            Err(Error::DreamStays { reason, .. }) => {
                self.tell(at, format!("cannot take {} back: {reason}", dream.id));
                self.counts.one("stayed");
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn redo(&mut self, at: usize, random: &mut Dice) {
        let standing = [DreamStanding::Undone, DreamStanding::Gone];
        let Some(dream) = self.one_of(at, &standing, random) else { return };
        let dreamer = self.dreamer(&self.machines[at], DreamMode::Append);
        match dreamer.redo_dream(&human(), &dream.id, self.clock(at)) {
            Ok(was) => {
                self.tell(at, format!("brings {} back: {was}", dream.id));
                self.expected.undone.remove(dream.id.as_str());
                self.counts.one("brought back");
            }
            Err(Error::DreamStays { reason, .. }) => {
                self.tell(at, format!("cannot bring {} back: {reason}", dream.id));
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn forget(&mut self, at: usize, in_files: bool, random: &mut Dice) {
        let numbers: Vec<usize> = self.expected.said.keys().copied().collect();
        let Some(number) = any_of(random, &numbers) else { return };
        let words = words(*number, &self.expected.said[number]);
        let home = &self.machines[at];
        // Whoever has something overwritten has it.
        if in_files && !home.documents().values().any(|text| String::from_utf8_lossy(text).contains(&words)) {
            return;
        }
        let (workspace, human) = (home.workspace(), human());
        let request = Forget::new(&human, words.clone()).in_files(in_files).workspace(workspace.as_ref());
        request.run(self.clock(at)).unwrap();
        self.tell(at, format!("forgets{}: {words}", if in_files { " in files" } else { "" }));
        let said = self.expected.said.get_mut(number).expect("it was said");
        said.forgotten = true;
        said.forgotten_in_files |= in_files;
        self.knows[at].insert(*number);
        self.counts.one("forgotten");
    }

    fn add_mine(&mut self, at: usize, random: &mut Dice) {
        let line = format!("- Mine {} m{at}.", self.expected.mine.len());
        let memory = self.machines[at].text("MEMORY.md");
        let mut lines: Vec<&str> = memory.lines().collect();
        let place = if random.below(2) == 0 { 2.min(lines.len()) } else { lines.len() };
        lines.insert(place, &line);
        self.tell(at, format!("writes line {} of memory: {line}", place + 1));
        self.machines[at].write("MEMORY.md", &(lines.join("\n") + "\n"));
        self.expected.mine.insert(line, false);
    }

    fn take_mine(&mut self, at: usize, random: &mut Dice) {
        let memory = self.machines[at].text("MEMORY.md");
        let mine: Vec<&str> = memory.lines().filter(|line| line.starts_with("- Mine ")).collect();
        let Some(gone) = any_of(random, &mine) else { return };
        self.tell(at, format!("takes out of memory: {gone}"));
        let left: Vec<&str> = memory.lines().filter(|line| line != gone).collect();
        self.machines[at].write("MEMORY.md", &(left.join("\n") + "\n"));
        self.expected.mine.insert((*gone).to_owned(), true);
    }

    /// A person changes a line of a dream, takes it out, or takes out the whole section.
    fn edit_section(&mut self, at: usize, random: &mut Dice) {
        let memory = self.machines[at].text("MEMORY.md");
        let lines: Vec<&str> = memory.lines().collect();
        let promoted: Vec<usize> = (0..lines.len()).filter(|at| number_in(lines[*at]).is_some()).collect();
        let Some(place) = any_of(random, &promoted).copied() else { return };
        let is = |at: &usize, front: &str| lines[*at].starts_with(front);
        let start = (0..place).rev().find(|at| is(at, "## Dreamed")).unwrap_or(place);
        let end = (place..lines.len()).find(|at| is(at, "<!-- /dream")).unwrap_or(place);
        for number in lines[start..=end].iter().filter_map(|line| number_in(line)) {
            self.expected.said.get_mut(&number).expect("it was said").near_edit = true;
        }
        let mut gone = place..place + 1;
        let mut instead = None;
        match random.below(3) {
            0 => instead = Some(lines[place].replacen("- ", "- Surely: ", 1)),
            1 => {}
            _ => gone = start..end + 1,
        }
        for number in lines[gone.clone()].iter().filter_map(|line| number_in(line)) {
            self.expected.said.get_mut(&number).expect("it was said").edited = true;
        }
        let (front, end) = (&lines[..gone.start], &lines[gone.end..]);
        let instead: Vec<&str> = instead.iter().map(String::as_str).collect();
        let text = [front, &instead, end].concat().join("\n") + "\n";
        self.tell(at, format!("edits lines {}..{} of memory: {instead:?}", gone.start + 1, gone.end + 1));
        self.machines[at].write("MEMORY.md", &text);
    }

    /// A person takes a line out of a journal, or writes one at its front.
    fn edit_journal(&mut self, at: usize, random: &mut Dice) {
        let journals: Vec<(String, String)> = self.machines[at].journals(false).into_iter().collect();
        let Some((path, text)) = any_of(random, &journals) else { return };
        let mut lines: Vec<&str> = text.lines().collect();
        let (number, said) = (self.expected.said.len() + 1, Said::default());
        let line = format!("- {}", words(number, &said));
        if random.below(2) == 0 && !lines.is_empty() {
            let gone = lines.remove(random.below(lines.len()));
            self.tell(at, format!("takes out of {path}: {gone}"));
            if let Some(number) = number_in(gone) {
                self.expected.said.get_mut(&number).expect("it was said").taken_out = true;
            }
        } else {
            self.tell(at, format!("writes at the front of {path}: {line}"));
            lines.insert(0, &line);
            self.expected.said.insert(number, said);
        }
        self.expected.has_edited_journals = true;
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        self.machines[at].write(path, &text);
        self.machines[at].touch(path, self.clock(at));
    }

    /// A person moves a journal away that was dreamed whole.
    fn archive(&mut self, at: usize, random: &mut Dice) -> Held {
        self.dream(at)?;
        let paths = self.machines[at].journals(false).into_keys();
        let journals: Vec<JournalName> = paths.filter_map(|path| JournalName::parse(&name(&path))).collect();
        let Some(journal) = any_of(random, &journals) else { return Ok(()) };
        let life = noctuary::Life::new(self.machines[at].workspace(), LifeConfig::default());
        let consent = Consent::given(&human(), journal.clone()).unwrap();
        let to = life.archive_journal(journal, Some(&consent), self.clock(at)).unwrap();
        self.tell(at, format!("moves {} to {to}", journal.name()));
        self.counts.one("journals archived");
        Ok(())
    }

    /// A night leaves its lines to a person, who accepts the first proposal that waits, rejects it, or does nothing.
    fn propose(&mut self, at: usize, random: &mut Dice) -> Held {
        self.night(at, DreamMode::Propose)?;
        let (human, now): (Access, _) = (human(), self.clock(at));
        let dreamer = self.dreamer(&self.machines[at], DreamMode::Propose);
        let before = self.records(at);
        let Some(first) = dreamer.proposals(&human, now).unwrap().into_iter().next() else { return Ok(()) };
        match random.below(3) {
            0 => {
                match dreamer.accept_proposal(&human, &first.id, now) {
                    // They asked elsewhere to forget a line that waits in it, and not in files.
                    Err(Error::Stopped { name, .. }) => {
                        self.tell(at, format!("cannot accept {name}: it has forgotten words"));
                        return Ok(());
                    }
                    accepted => drop(accepted.unwrap()),
                }
                self.tell(at, format!("accepts {}", first.id));
                self.expected.accepted.insert(first.id.to_string());
                let was_undone = before
                    .iter()
                    .any(|dream| dream.id == first.id && dream.standing == DreamStanding::Undone);
                if was_undone {
                    self.expected.undone.remove(first.id.as_str());
                }
            }
            1 => {
                assert!(dreamer.reject_proposal(&human, &first.id, now).unwrap());
                self.tell(at, format!("rejects {}", first.id));
            }
            _ => {}
        }
        Ok(())
    }

    /// Merges the copies that a tool left, and has the person keep both versions of what they must decide.
    pub(super) fn tidy(&mut self, at: usize) -> Held {
        if !self.kind.is_tool() {
            // A tool may have brought a memory in which two versions wait.
            return self.settle(at);
        }
        let report = merge_copies(self.machines[at].workspace().as_ref())
            .unwrap_or_else(|error| panic!("copies are not merged: {error}"));
        hold(report.left.is_empty(), "each copy is merged", || format!("{report:?}"))?;
        if !report.merged.is_empty() {
            self.tell(at, format!("merges {:?}", report.merged));
        }
        self.settle(at)
    }

    /// Has a person keep both versions of each place that waits, a line of both once.
    pub(super) fn settle(&mut self, at: usize) -> Held {
        let mut decided = Vec::new();
        let home = &self.machines[at];
        for (path, bytes) in home.documents() {
            let text = String::from_utf8(bytes).unwrap();
            if !text.lines().any(|line| line.starts_with("<<<<<<< ")) {
                continue;
            }
            hold(path == DocName::MEMORY.as_str(), "a journal has no conflict", || {
                format!("{path}:\n{text}")
            })?;
            home.write(&path, &without_marks(&text));
            decided.push(path);
        }
        if !decided.is_empty() {
            self.expected.has_conflicts = true;
            self.counts.one("conflicts");
            self.tell(at, format!("keeps both versions in {decided:?}"));
        }
        Ok(())
    }
}

/// Returns a text without conflict marks. A line of both versions is kept once, and one of the person's own once in all.
pub(super) fn without_marks(text: &str) -> String {
    let (mut kept, mut first): (Vec<&str>, Option<usize>) = (Vec::new(), None);
    for line in text.lines() {
        let from = if line.starts_with("- Mine ") { Some(0) } else { first };
        if line.starts_with("<<<<<<< ") {
            first = Some(kept.len());
        } else if line.starts_with(">>>>>>> ") {
            first = None;
        } else if line != "======="
            && (line.is_empty() || from.is_none_or(|from| !kept[from..].contains(&line)))
        {
            kept.push(line);
        }
    }
    kept.join("\n") + "\n"
}
