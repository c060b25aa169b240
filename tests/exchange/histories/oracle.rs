//! What must hold when all machines have come together: each line of a person once, each byte shown to one standing dream or waiting,
//! what is forgotten nowhere, and what a dream took given back by its undo.

use std::collections::{BTreeMap, BTreeSet};

use chrono::Duration;
use noctuary::Error;
use noctuary::dream::{DreamMode, DreamStanding};
use noctuary::exchange::merge_copies;
use noctuary::format::DreamId;
use noctuary::workspace::Refusal;

use noctuary_tests::dreaming::marta::human;

use super::carry::{differing, told_of};
use super::home::Home;
use super::steps::Carrier;
use super::world::{Said, World, words};
use super::{Held, hold};
use noctuary_tests::common::dice::Dice;

/// Whether the section of a dream says some words.
pub(super) fn is_said_by(id: &str, words: &str, memory: &str) -> bool {
    let section = memory.split_once(&format!("<!-- dream:v1 id={id} ")).map(|(_, rest)| rest);
    section.and_then(|rest| rest.split_once("<!-- /")).is_some_and(|(lines, _)| lines.contains(words))
}

impl World {
    /// Brings all machines together, and checks every line.
    pub(super) fn check(&mut self) -> Held {
        self.told.push("all come together".to_owned());
        if self.kind.is_tool() {
            self.carry_all()?;
        } else {
            self.meet_all()?;
        }
        let first = self.machines[0].in_folder().files();
        for home in &self.machines[1..] {
            let other = home.in_folder().files();
            let differ = differing(&first, &other);
            hold(differ.is_empty(), "all machines are the same", || told_of(&differ, &first, &other))?;
        }
        self.check_journals()?;
        self.check_mine()?;
        self.check_forgotten(&first)?;
        self.check_undone()?;
        // A night shows what nobody was shown, and doubles nothing.
        self.now += Duration::days(1);
        self.dream(0)?;
        self.check_memory()?;
        self.check_owners()
    }

    fn meet_all(&mut self) -> Held {
        for _ in 0..2 {
            for a in 0..self.machines.len() {
                for b in a + 1..self.machines.len() {
                    self.meet(a, b, None)?;
                }
            }
        }
        Ok(())
    }

    fn carry_all(&mut self) -> Held {
        for _ in 0..12 {
            for path in self.paths() {
                self.carry(&path, &mut Dice(1));
            }
            // Both do it, and do the same.
            self.tidy(0)?;
            self.tidy(1)?;
            let [one, other] = [0, 1].map(|at: usize| self.machines[at].files());
            if one == other && !one.keys().any(|path| path.contains("onflict")) {
                return Ok(());
            }
        }
        hold(false, "copies come to an end", || format!("{:?}", self.paths()))
    }

    /// Each line that somebody said is in one journal.
    fn check_journals(&self) -> Held {
        let journals = self.machines[0].journals(true);
        let all: String = journals.values().map(String::as_str).collect();
        for (number, said) in &self.expected.said {
            let words = words(*number, said);
            let count = all.matches(&words).count();
            let may_be = if said.forgotten_in_files {
                // A file that one machine alone has changed is taken as it is.
                0..=usize::from(self.kind.is_by_file())
            } else {
                usize::from(!said.taken_out)..=1
            };
            hold(may_be.contains(&count), "each line is in one journal", || {
                format!("{words} is there {count} times, not {may_be:?}: {said:?}\n{journals:#?}")
            })?;
        }
        Ok(())
    }

    fn check_mine(&self) -> Held {
        let memory = self.machines[0].memory();
        for (line, is_gone) in &self.expected.mine {
            let count = memory.lines().filter(|known| known == line).count();
            // What was taken out where half of a sync had arrived may be back.
            let is_open =
                self.expected.has_conflicts || self.kind.carrier != Carrier::Base || self.kind.partial;
            let is_right = if *is_gone { count == 0 || (is_open && count == 1) } else { count == 1 };
            hold(is_right, "each own line of a person is there once", || {
                format!("{line} is there {count} times, taken out: {is_gone}\n{memory}")
            })?;
        }
        Ok(())
    }

    fn check_forgotten(&self, files: &BTreeMap<String, Vec<u8>>) -> Held {
        if self.kind.is_by_file() {
            return Ok(());
        }
        for (number, said) in self.expected.said.iter().filter(|(_, said)| said.forgotten_in_files) {
            let words = words(*number, said);
            let has_it = |(_, bytes): &(&String, &Vec<u8>)| String::from_utf8_lossy(bytes).contains(&words);
            let found: Vec<&String> = files.iter().filter(has_it).map(|(path, _)| path).collect();
            hold(found.is_empty(), "what is forgotten in files is nowhere", || {
                format!("{words}: {found:?}")
            })?;
        }
        Ok(())
    }

    fn check_undone(&self) -> Held {
        let home = self.machines[0].copy();
        if self.kind.carrier == Carrier::Git {
            // git takes a memory that one machine alone changed: a dream that this one had again is back until copies are merged.
            merge_copies(home.workspace().as_ref()).unwrap();
        }
        let memory = home.memory();
        for id in &self.expected.undone {
            let is_back = memory.contains(&format!("dream:v1 id={id} "));
            hold(!is_back || self.kind.hands, "a dream that was taken back is not back", || {
                format!("{id}\n{memory}")
            })?;
        }
        Ok(())
    }

    /// Returns how often a line may stand in memory after a night over everything.
    fn may_stand(&self, number: usize, said: &Said, memory: &str) -> std::ops::RangeInclusive<usize> {
        if !said.is_decision || (said.forgotten_in_files && !self.kind.is_by_file()) {
            return 0..=0;
        }
        let words = words(number, said);
        let is_accepted = self.expected.accepted.iter().any(|id| is_said_by(id, &words, memory));
        let is_sure = !(said.forgotten || said.edited || said.taken_out || self.kind.proposals);
        // Two machines said it apart, and persons made the sections of both their own.
        let is_apart = self.expected.has_conflicts || self.kind.is_tool();
        let is_open = (said.edited && (!self.expected.undone.is_empty() || is_apart))
            || (said.near_edit && self.kind.is_tool());
        usize::from(is_sure)..=1 + usize::from(is_accepted || is_open)
    }

    fn check_memory(&self) -> Held {
        let memory = self.machines[0].memory();
        for (number, said) in &self.expected.said {
            let (words, may_stand) = (words(*number, said), self.may_stand(*number, said, &memory));
            let count = memory.matches(&words).count();
            hold(may_stand.contains(&count), "each decision is in memory once", || {
                format!("{words} is there {count} times, not {may_stand:?}: {said:?}\n{memory}")
            })?;
        }
        Ok(())
    }

    /// Takes each dream back in a copy: its lines leave memory, they and no others are shown again, and they are promoted again.
    fn check_owners(&mut self) -> Held {
        // What waits in a proposal, or was rejected there, is shown no more.
        if self.kind.proposals {
            return Ok(());
        }
        let mut owners: BTreeMap<usize, DreamId> = BTreeMap::new();
        let now = self.clock(0);
        for record in self.records(0).into_iter().filter(|dream| dream.standing == DreamStanding::Whole) {
            let home = self.machines[0].copy();
            let before = self.stones(&home);
            let dreamer = self.dreamer(&home, DreamMode::Append);
            match dreamer.undo_dream(&human(), &record.id, now) {
                Ok(true) => {}
                Err(Error::DreamStays { reason, path, .. }) => {
                    self.counts.one("stayed at the end");
                    let is_sound = self.expected.has_edited_journals
                        || !self.kind.is_whole()
                        || reason != Refusal::JournalChanged
                        || path.starts_with("memory/archive/")
                        // Where the journal was, another one of its name is by now.
                        || self.is_archived(&path);
                    hold(is_sound, "a dream that stands can be taken back", || {
                        format!("{}: {path}: {reason}\n{}", record.id, home.memory())
                    })?;
                    continue;
                }
                other => panic!("{}: {other:?}", record.id),
            }
            self.counts.one("given back at the end");
            let left = self.stones(&home);
            let gone: BTreeSet<usize> = before.difference(&left).copied().collect();
            let shown = self.dream_over(&home, 0, DreamMode::Append);
            let shown: BTreeSet<usize> =
                shown.unwrap_or_else(|error| panic!("a night after an undo: {error}")).into_iter().collect();
            let after = self.stones(&home);
            let state = || {
                format!("{} said {gone:?}, shown again {shown:?}\n{}", record.id, self.machines[0].memory())
            };
            for number in &gone {
                let said = &self.expected.said[number];
                // A tool brings a section that a person wrote anew where another dream says its line too.
                if said.forgotten || said.taken_out || (said.edited && self.kind.is_tool()) {
                    continue;
                }
                hold(shown.contains(number), "an undo gives back what its dream took", || {
                    format!("{}\n{}", words(*number, said), state())
                })?;
                // What a person took out of a section stays out.
                let is_promoted = after.contains(number) || said.edited;
                hold(is_promoted, "what an undo gave back is promoted again", || {
                    format!("{}\n{}", words(*number, said), state())
                })?;
            }
            for number in &shown {
                let said = &self.expected.said[number];
                let is_kept = self.is_kept(&words(*number, said), &self.machines[0].memory());
                if self.kind.is_whole() && !self.expected.has_edited_journals && !said.edited && !is_kept {
                    let is_its_own = gone.contains(number) || !before.contains(number);
                    hold(is_its_own, "an undo gives back nothing of another dream", || {
                        format!("{}\n{}", words(*number, said), state())
                    })?;
                    if let Some(other) = owners.insert(*number, record.id.clone()) {
                        return hold(false, "each line is of one dream", || {
                            format!("{}: {other} and {}", words(*number, said), record.id)
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a journal of this name was moved into the archive.
    fn is_archived(&self, path: &str) -> bool {
        let name = path.trim_start_matches("memory/").replacen('-', "", 2);
        let archived = format!("memory/archive/log-{}", name.trim_end_matches(".md"));
        self.machines[0].journals(true).keys().any(|path| path.starts_with(&archived))
    }

    /// The numbers of the decisions that stand in a memory.
    fn stones(&self, home: &Home) -> BTreeSet<usize> {
        let memory = home.memory();
        let said = self.expected.said.iter();
        said.filter(|(number, said)| memory.contains(&words(**number, said)))
            .map(|(number, _)| *number)
            .collect()
    }
}
