//! Random lives of dreams, proposals and their answers, undos, redos, archives and edits, against a model that knows only texts: what a person wrote
//! stands to the byte, every byte of a journal is shown or waits, every line is told once, and the same life twice gives
//! the same files.
//!
//! No two lines ever written are the same, so a line that stands somewhere says who told it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use chrono::{DateTime, TimeDelta, Utc};
use noctuary::dream::{DreamMode, OverBudget, PassReport, ProposalEnd};
use noctuary::format::DreamId;
use noctuary::testing::MemoryDisk;
use noctuary::workspace::StateName;
use noctuary::{DocName, Error, Outcome, WriteMode, dream_once_at};

use noctuary_tests::common::dice::Dice;
use noctuary_tests::dreaming::world::{World, dreamer_with, human, teller};
use noctuary_tests::dreaming::{disk_with, journal, name, night};

/// Where a section is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Whole,
    Edited,
    Deleted,
    Undone,
    Archived,
    /// In a proposal that waits.
    Waiting,
    /// In a proposal that a person said no to.
    Rejected,
}

/// The facts about a dream in the model.
#[derive(Debug, Clone)]
struct Dream {
    id: DreamId,
    /// As it stands, or stood last; of a proposal what it was made with.
    text: String,
    /// As it was appended.
    appended: String,
    section: Section,
    /// The ranges that it read, and their bytes then.
    read: Vec<(String, Range<usize>, String)>,
}

#[derive(Default)]
struct Counts {
    dreams: u64,
    undone: u64,
    redone: u64,
    archived: u64,
    accepted: u64,
    rejected: u64,
    refused: BTreeMap<String, u64>,
    edits: u64,
}

struct Life {
    disk: MemoryDisk,
    world: World,
    chance: Dice,
    now: DateTime<Utc>,
    lines: u64,
    /// In the order in which they were appended.
    dreams: Vec<Dream>,
    /// All that a person wrote into memory.
    mine: String,
    /// Lines that a person took out of proposals before accepting them.
    declined: String,
    counts: Counts,
}

impl Life {
    fn new(seed: u64) -> Self {
        let disk = disk_with(&[("MEMORY.md", "# Memory\n")]);
        let world = World::on(&disk);
        let (now, mine) = (night(20), "# Memory\n".to_owned());
        let (dreams, counts) = (Vec::new(), Counts::default());
        let declined = String::new();
        Self { disk, world, chance: Dice(seed), now, lines: 0, dreams, mine, declined, counts }
    }

    fn line(&mut self) -> String {
        self.lines += 1;
        format!("line {} {}", self.lines, "x".repeat(self.chance.below(30)))
    }

    fn step(&mut self) {
        self.now += TimeDelta::hours(1);
        self.disk.set_clock(self.now);
        let file = journal(u32::try_from(self.chance.below(4)).unwrap() + 10);
        match self.chance.below(24) {
            0..=3 => {
                for _ in 0..=self.chance.below(3) {
                    let line = format!("- [user] {}\n", self.line());
                    self.world.add(&file, &line);
                }
            }
            4 => {
                // Written anew from the first line on.
                let text = format!("- [user] {}\n", self.line());
                self.world.put(&file, &text);
            }
            5 if self.chance.below(3) == 0 => drop(self.world.0.remove(&name(&file)).unwrap()),
            6 | 7 => self.dream(None),
            8 => {
                let budget = 100 + self.chance.below(4000);
                self.dream(Some(budget));
            }
            9..=12 => self.undo(),
            13..=16 => self.redo(),
            17 | 18 => self.propose(),
            19 | 20 => self.accept(),
            21 => self.reject(),
            22 => self.edit_proposal(),
            _ => self.edit(),
        }
        self.check();
    }

    fn content(&self, file: &str) -> Option<String> {
        self.world.0.read(&name(file)).unwrap().map(|document| document.lossy().into_owned())
    }

    /// Returns the slices of journals that a pass read, and their text.
    fn read_by(&self, pass: &PassReport) -> Vec<(String, Range<usize>, String)> {
        let read = pass.shown.iter().map(|slice| {
            let range = usize::try_from(slice.from).unwrap()..usize::try_from(slice.to).unwrap();
            let text = self.content(slice.name.as_str()).unwrap()[range.clone()].to_owned();
            (slice.name.to_string(), range, text)
        });
        read.collect()
    }

    /// Whether what a dream read still stands where it stood.
    fn is_as_read(&self, dream: &Dream) -> bool {
        dream.read.iter().all(|(file, range, text)| {
            self.content(file).is_some_and(|now| now.get(range.clone()) == Some(text.as_str()))
        })
    }

    fn dream(&mut self, budget: Option<u64>) {
        let dreamer = dreamer_with(self.world.0.clone(), |config| {
            if budget.is_some() {
                config.over_budget = OverBudget::Archive;
            }
            config.memory_budget = budget.unwrap_or(1 << 40);
            config.max_passes = 100;
        });
        let standing = self.in_file().into_iter().map(|at| &self.dreams[at]);
        let standing = standing.filter(|dream| dream.section == Section::Whole);
        let mut whole: Vec<DreamId> = standing.map(|dream| dream.id.clone()).collect();
        let now = self.now;
        let report = dream_once_at(&dreamer, &teller(), &|| now).unwrap();
        assert_eq!(report.backlog.bytes, 0, "nothing waits after a run");
        for pass in &report.passes {
            let Some(text) = pass.section.clone() else {
                // Lines that stand in a section that a person edited, or took out, are not told again.
                assert_eq!(pass.outcome, Outcome::NothingToPromote);
                continue;
            };
            let dream = Dream {
                id: pass.dream_id.clone(),
                appended: text.clone(),
                text,
                section: Section::Whole,
                read: self.read_by(pass),
            };
            whole.push(dream.id.clone());
            // The same inputs have the same id.
            self.dreams.retain(|known| known.id != dream.id);
            self.dreams.push(dream);
            self.counts.dreams += 1;
        }
        let gauge = report.memory.unwrap();
        let budget = budget.unwrap_or(u64::MAX);
        assert_eq!(Some(&report.archived[..]), whole.get(..report.archived.len()), "the oldest go first");
        assert!(gauge.chars <= budget || report.archived.len() == whole.len(), "all go that may");
        for id in &report.archived {
            let dream = self.dreams.iter_mut().find(|dream| dream.id == *id).unwrap();
            dream.section = Section::Archived;
            self.counts.archived += 1;
            let size = dream.text.chars().count() as u64;
            let is_last = report.archived.last() == Some(id);
            assert!(!is_last || gauge.chars + size > budget, "not one more than needed");
        }
        self.check_cursors();
    }

    fn propose(&mut self) {
        let dreamer = dreamer_with(self.world.0.clone(), |config| {
            config.mode = DreamMode::Propose;
            config.max_proposals = 1_000;
            config.max_passes = 100;
        });
        let now = self.now;
        let report = dream_once_at(&dreamer, &teller(), &|| now).unwrap();
        let proposals = dreamer.proposals(&human(), now).unwrap();
        for pass in report.passes.iter().filter(|pass| pass.outcome != Outcome::NothingToPromote) {
            assert_eq!(pass.outcome, Outcome::Proposed);
            let proposal = proposals.iter().find(|proposal| proposal.id == pass.dream_id).unwrap();
            let dream = Dream {
                id: pass.dream_id.clone(),
                text: proposal.document.lossy().into_owned(),
                appended: String::new(),
                section: Section::Waiting,
                read: self.read_by(pass),
            };
            self.dreams.retain(|known| known.id != dream.id);
            self.dreams.push(dream);
        }
        self.check_cursors();
    }

    fn accept(&mut self) {
        let Some(at) = self.any() else { return };
        let dreamer = dreamer_with(self.world.0.clone(), |_| ());
        let report = dreamer.accept_proposal(&human(), &self.dreams[at].id, self.now).unwrap();
        if self.dreams[at].section != Section::Waiting {
            assert_eq!(report.end, ProposalEnd::NotWaiting);
            return;
        }
        assert_eq!(report.end, ProposalEnd::Appended);
        let (mut dream, section) = (self.dreams.remove(at), report.section.unwrap());
        for line in dream.text.lines().filter_map(|line| line.strip_prefix("- Told: ")) {
            if !section.contains(line) {
                self.declined += line;
            }
        }
        dream.appended.clone_from(&section);
        (dream.text, dream.section) = (section, Section::Whole);
        self.dreams.push(dream);
        self.counts.accepted += 1;
    }

    fn reject(&mut self) {
        let Some(at) = self.any() else { return };
        let dreamer = dreamer_with(self.world.0.clone(), |_| ());
        let done = dreamer.reject_proposal(&human(), &self.dreams[at].id, self.now).unwrap();
        assert_eq!(done, self.dreams[at].section == Section::Waiting);
        if done {
            self.dreams[at].section = Section::Rejected;
            self.counts.rejected += 1;
        }
    }

    /// A person words a line of a proposal anew, or takes it out.
    fn edit_proposal(&mut self) {
        let dreamer = dreamer_with(self.world.0.clone(), |_| ());
        let proposals = dreamer.proposals(&human(), self.now).unwrap();
        if proposals.is_empty() {
            return;
        }
        let document = &proposals[self.chance.below(proposals.len())].document;
        let text = document.lossy();
        let bullets: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
        let bullet = bullets[self.chance.below(bullets.len())];
        let edited = if bullets.len() > 1 && self.chance.below(2) == 0 {
            text.replace(&format!("{bullet}\n"), "")
        } else {
            text.replace(bullet, &bullet.replace("Told: ", "Told by me: "))
        };
        self.world.0.write(document.name(), edited.as_bytes(), WriteMode::Replace).unwrap();
    }

    fn undo(&mut self) {
        let Some(at) = self.any() else { return };
        let dream = self.dreams[at].clone();
        let dreamer = dreamer_with(self.world.0.clone(), |_| ());
        let done = dreamer.undo_dream(&human(), &dream.id, self.now);
        let may = self.is_as_read(&dream);
        match (dream.section, &done) {
            (Section::Whole, Ok(true)) if may => {
                self.dreams[at].section = Section::Undone;
                self.counts.undone += 1;
            }
            // A proposal may be of a dream that was accepted and undone before.
            (Section::Undone | Section::Waiting | Section::Rejected, Ok(false)) => {}
            (Section::Whole, _) if may => panic!("{done:?}: nothing stands against it"),
            (_, Err(Error::DreamStays { reason, .. })) if dream.section != Section::Undone => {
                *self.counts.refused.entry(format!("undo, {reason:?}")).or_default() += 1;
            }
            other => panic!("{other:?}"),
        }
    }

    fn redo(&mut self) {
        let Some(at) = self.any() else { return };
        let dream = self.dreams[at].clone();
        let dreamer = dreamer_with(self.world.0.clone(), |_| ());
        let done = dreamer.redo_dream(&human(), &dream.id, self.now);
        let overlaps = |other: &Dream| {
            let is_live = other.id != dream.id && other.section != Section::Undone && self.is_as_read(other);
            let pairs = other.read.iter().flat_map(|one| dream.read.iter().map(move |two| (one, two)));
            is_live
                && pairs.into_iter().any(|((file, one, _), (other, two, _))| {
                    file == other && one.start < two.end && two.start < one.end
                })
        };
        let may = self.is_as_read(&dream) && !self.dreams.iter().any(overlaps);
        match (dream.section, &done) {
            (Section::Undone, Ok(true)) if may => {
                self.dreams[at].section = Section::Whole;
                self.counts.redone += 1;
            }
            (Section::Whole | Section::Edited, Ok(false)) => {}
            // It goes behind all others, as it was appended.
            (Section::Deleted, Ok(true)) => {
                let mut dream = self.dreams.remove(at);
                (dream.text, dream.section) = (dream.appended.clone(), Section::Whole);
                self.dreams.push(dream);
                self.counts.redone += 1;
            }
            (
                Section::Undone | Section::Deleted | Section::Archived | Section::Waiting | Section::Rejected,
                Err(Error::DreamStays { reason, .. }),
            ) => {
                assert!(
                    !(may && dream.section == Section::Undone) || self.is_shown_again(&dream),
                    "{reason:?}"
                );
                *self.counts.refused.entry(format!("redo, {reason:?}")).or_default() += 1;
            }
            other => panic!("{other:?}"),
        }
    }

    /// Whether a pass that promoted nothing read what a dream had read.
    fn is_shown_again(&self, dream: &Dream) -> bool {
        let ledger = self.world.json(&StateName::LEDGER);
        dream.read.iter().any(|(file, range, _)| {
            let pieces = ledger["journals"][file]["shown"].as_array().cloned().unwrap_or_default();
            pieces.iter().any(|piece| {
                piece["from"].as_u64().unwrap() < range.end as u64
                    && range.start as u64 <= piece["to"].as_u64().unwrap()
            })
        })
    }

    fn any(&mut self) -> Option<usize> {
        let count = self.dreams.len();
        (count > 0).then(|| self.chance.below(count))
    }

    /// The sections that stand in memory, in their order.
    fn in_file(&self) -> Vec<usize> {
        let memory = self.world.memory();
        let stands = |dream: &Dream| matches!(dream.section, Section::Whole | Section::Edited);
        let mut found: Vec<(usize, usize)> = self
            .dreams
            .iter()
            .enumerate()
            .filter(|(_, dream)| stands(dream))
            .map(|(at, dream)| {
                let places: Vec<usize> = memory.match_indices(&dream.text).map(|(place, _)| place).collect();
                assert_eq!(places.len(), 1, "{} stands once\n{}\n{memory}", dream.id, dream.text);
                (places[0], at)
            })
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, at)| at).collect()
    }

    /// Memory, cut into what a person wrote and sections.
    fn cut(&self) -> Vec<(Option<usize>, String)> {
        let memory = self.world.memory();
        let (mut parts, mut from) = (Vec::new(), 0);
        for at in self.in_file() {
            let text = &self.dreams[at].text;
            let place = from + memory[from..].find(text.as_str()).unwrap();
            parts.push((None, memory[from..place].to_owned()));
            parts.push((Some(at), text.clone()));
            from = place + text.len();
        }
        parts.push((None, memory[from..].to_owned()));
        parts
    }

    /// A person edits memory.
    fn edit(&mut self) {
        self.counts.edits += 1;
        let line = format!("- Mine: {}\n", self.line());
        let mut parts = self.cut();
        let at = self.chance.below(parts.len());
        match (parts[at].0, self.chance.below(4)) {
            (None, 0) => {
                // A line of theirs is worded anew.
                let mut lines: Vec<&str> = parts[at].1.split_inclusive('\n').collect();
                if let Some(last) = lines.last_mut() {
                    *last = &line;
                }
                parts[at].1 = lines.concat();
            }
            (None, _) => {
                let starts: Vec<usize> = std::iter::once(0)
                    .chain(parts[at].1.match_indices('\n').map(|(place, _)| place + 1))
                    .collect();
                let place = starts[self.chance.below(starts.len())];
                parts[at].1.insert_str(place, &line);
            }
            (Some(dream), 0) => {
                self.dreams[dream].section = Section::Deleted;
                parts[at].1 = String::new();
            }
            (Some(dream), 1) => {
                let text = self.dreams[dream].text.replacen("Told: ", "Told by me: ", 1);
                if text != self.dreams[dream].text {
                    self.dreams[dream].section = Section::Edited;
                }
                self.dreams[dream].text.clone_from(&text);
                parts[at].1 = text;
            }
            (Some(dream), 2) if self.dreams[dream].text.starts_with('\n') => {
                // The blank line above a section goes.
                self.dreams[dream].text.remove(0);
                self.dreams[dream].section = Section::Edited;
                parts[at].1.remove(0);
            }
            _ => {}
        }
        let theirs = parts.iter().filter(|(dream, _)| dream.is_none());
        self.mine = theirs.map(|(_, text)| text.as_str()).collect();
        let memory: String = parts.iter().map(|(_, text)| text.as_str()).collect();
        self.world.put("MEMORY.md", &memory);
    }

    /// Checks the promises that hold at any time.
    fn check(&self) {
        let parts = self.cut();
        let theirs: String =
            parts.iter().filter(|(dream, _)| dream.is_none()).map(|(_, text)| text.as_str()).collect();
        assert_eq!(theirs, self.mine, "what a person wrote stands to the byte");
        let order: Vec<usize> = parts.iter().filter_map(|(dream, _)| *dream).collect();
        assert!(order.is_sorted(), "later dreams stand later: {order:?}");
        let (memory, archive) = (self.world.memory(), self.world.archive());
        let mut told = BTreeSet::new();
        for line in memory.lines().chain(archive.lines()).filter(|line| line.starts_with("- Told")) {
            let number = line.split("line ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
            assert!(told.insert(number.to_owned()), "line {number} is told twice\n{memory}\n{archive}");
        }
        for dream in &self.dreams {
            let mark = format!("<!-- /dream:v1 id={} -->", dream.id);
            let stands = (memory.matches(&mark).count(), archive.matches(&mark).count());
            let expected = match dream.section {
                Section::Whole | Section::Edited => (1, 0),
                Section::Archived => (0, 1),
                Section::Deleted | Section::Undone | Section::Waiting | Section::Rejected => (0, 0),
            };
            assert_eq!(stands, expected, "{dream:?}");
        }
    }

    /// After a run every byte of every journal was shown, and each once.
    fn check_cursors(&self) {
        let ledger = self.world.json(&StateName::LEDGER);
        for document in self.world.0.list(Some(&DocName::JOURNALS)).unwrap().documents {
            let len = self.content(document.as_str()).unwrap().len() as u64;
            let shown = ledger["journals"][document.as_str()]["shown"].as_array().unwrap();
            let mut at = 0;
            for piece in shown {
                assert_eq!(piece["from"], at, "{document}: {shown:?}");
                at = piece["to"].as_u64().unwrap();
            }
            assert_eq!(at, len, "{document}");
        }
        let state = self.world.json(&StateName::DREAMED);
        assert_eq!(ledger["watermark"], state["last_processed_mtime"], "no mark is a peer's");
    }

    /// All is told at last that stands in a journal and in no section that a person took out.
    fn end(mut self) -> (Counts, BTreeMap<String, Vec<u8>>) {
        for at in 0..self.dreams.len() {
            self.now += TimeDelta::hours(1);
            let dream = self.dreams[at].clone();
            let dreamer = dreamer_with(self.world.0.clone(), |_| ());
            if dream.section == Section::Undone
                && let Ok(true) = dreamer.redo_dream(&human(), &dream.id, self.now)
            {
                self.dreams[at].section = Section::Whole;
            }
            self.check();
        }
        self.dream(None);
        self.check();
        let texts = [self.world.memory(), self.world.archive()].concat();
        let is_out =
            |dream: &&Dream| [Section::Deleted, Section::Waiting, Section::Rejected].contains(&dream.section);
        let out: Vec<&Dream> = self.dreams.iter().filter(is_out).collect();
        for document in self.world.0.list(Some(&DocName::JOURNALS)).unwrap().documents {
            for line in self.content(document.as_str()).unwrap().lines() {
                let text = line.trim_start_matches("- [user] ").trim_end();
                let is_told = texts.contains(&format!("{text}. ("));
                let is_out = out.iter().any(|dream| dream.text.contains(&format!("{text}. (")))
                    || self.declined.contains(&format!("{text}. ("));
                assert!(is_told || is_out, "{document}: {text:?} is not told");
            }
        }
        (self.counts, self.disk.files())
    }
}

fn live(seed: u64) -> (Counts, BTreeMap<String, Vec<u8>>) {
    let mut life = Life::new(seed);
    for _ in 0..20 + life.chance.below(40) {
        life.step();
    }
    life.end()
}

#[test]
#[ignore = "sweep"]
fn any_life_of_dreams_and_undos_keeps_what_a_person_wrote_and_tells_every_line_once() {
    let lives = u64::from(noctuary::testing::cases(1_000));
    let mut all = Counts::default();
    for seed in 0..lives {
        let (counts, files) =
            std::panic::catch_unwind(|| live(seed)).unwrap_or_else(|_| panic!("seed {seed}"));
        // A few are lived twice, to the same bytes.
        if seed % 8 == 0 {
            let (_, again) = live(seed);
            assert_eq!(again.keys().collect::<Vec<_>>(), files.keys().collect::<Vec<_>>());
            for (file, bytes) in &files {
                assert_eq!(again[file], *bytes, "seed {seed}: {file}");
            }
        }
        all.dreams += counts.dreams;
        all.undone += counts.undone;
        all.redone += counts.redone;
        all.archived += counts.archived;
        all.accepted += counts.accepted;
        all.rejected += counts.rejected;
        all.edits += counts.edits;
        for (what, count) in counts.refused {
            *all.refused.entry(what).or_default() += count;
        }
    }
    println!(
        "{lives} lives, {} dreams, {} accepted, {} rejected, {} undone, {} redone, {} archived, {} edits, refused: {:?}",
        all.dreams, all.accepted, all.rejected, all.undone, all.redone, all.archived, all.edits, all.refused
    );
    assert!(
        all.undone > lives / 2
            && all.redone > lives / 8
            && all.archived > lives / 2
            && all.accepted > lives / 2
            && all.rejected > lives / 8,
        "too few to mean anything"
    );
}
