//! The ways in which machines come together: merges of whole lives, git, and tools that carry single files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use noctuary::FileWorkspace;
use noctuary::dream::DreamStanding;
use noctuary::exchange::{Merge, MergeConflictKind, MergePlan};
use noctuary::testing::{Fault, Faults, FaultyDisk};

use super::home::Home;
use super::steps::Carrier;
use super::world::{World, without_marks};
use super::{Held, hold};
use noctuary_tests::common::dice::Dice;

/// What is known of earlier times.
pub(super) struct Carried {
    /// Lives as they were at some time when two machines were the same, in folders.
    moments: Vec<Home>,
    /// Of each machine: the moments that it came of.
    past: Vec<BTreeSet<usize>>,
    /// The files as they were when a tool had last made them the same.
    last: BTreeMap<String, Vec<u8>>,
    copies: usize,
}

impl Carried {
    pub(super) fn new(machines: &[Home]) -> Self {
        let first = machines[0].in_folder();
        let last = first.files();
        Self { moments: vec![first], past: vec![BTreeSet::from([0]); machines.len()], last, copies: 0 }
    }

    /// Notes that some machines are of one moment now.
    fn note(&mut self, moment: Home, machines: &[usize]) {
        let mut past: BTreeSet<usize> = machines.iter().flat_map(|at| self.past[*at].clone()).collect();
        past.insert(self.moments.len());
        for at in machines {
            self.past[*at].clone_from(&past);
        }
        self.moments.push(moment);
    }
}

fn plan(base: Option<&Home>, one: &Home, other: &Home, by_file: bool) -> MergePlan {
    let [one, other] = [one, other].map(Home::workspace);
    let base = base.map(Home::workspace);
    let merge = Merge::new(one.as_ref(), other.as_ref()).by_file(by_file);
    let planned = match &base {
        Some(base) => merge.base(base.as_ref()).plan(),
        None => merge.plan(),
    };
    planned.unwrap_or_else(|error| panic!("no plan of a merge: {error}"))
}

fn written(plan: &MergePlan, is_database: bool) -> Home {
    let out = Home::empty(is_database);
    plan.write(out.workspace().as_ref()).unwrap_or_else(|error| panic!("a merge is not written: {error}"));
    out
}

/// Returns the paths of which two sets of files say other things.
pub(super) fn differing(one: &BTreeMap<String, Vec<u8>>, other: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let paths: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    paths.into_iter().filter(|path| one.get(*path) != other.get(*path)).cloned().collect()
}

/// Returns the lines of a memory that are of no section.
fn own_lines(memory: &str) -> Vec<&str> {
    let mut is_in = false;
    let is_own = |line: &&str| {
        is_in = line.starts_with("## Dreamed") || is_in && !line.starts_with("<!-- /dream");
        !is_in && !line.starts_with("<!-- /dream") && !line.is_empty()
    };
    memory.lines().filter(is_own).collect()
}

fn is_within(few: &[&str], many: &[&str]) -> bool {
    let mut many = many.iter();
    few.iter().all(|line| many.any(|other| other == line))
}

impl World {
    pub(super) fn sync(&mut self, at: usize, random: &mut Dice) -> Held {
        self.counts.one("syncs");
        let other = (at + 1 + random.below(self.machines.len() - 1)) % self.machines.len();
        if self.kind.is_tool() {
            let mut paths = self.paths();
            self.tell(at, "a tool carries files");
            while !paths.is_empty() {
                let path = paths.swap_remove(random.below(paths.len()));
                if random.below(4) > 0 {
                    self.carry(&path, random);
                }
            }
            return Ok(());
        }
        self.meet(at, other, Some(random))
    }

    /// Brings two machines together. With `random`, the merge may crash and be done again, or a tool may bring one machine a part of
    /// the files only.
    pub(super) fn meet(&mut self, a: usize, b: usize, mut random: Option<&mut Dice>) -> Held {
        let last =
            self.carried.past[a].intersection(&self.carried.past[b]).max().copied().expect("the first");
        let has_base = self.kind.carrier != Carrier::Bare;
        self.tell(a, format!("meets m{b}{}", if has_base { "" } else { ", without a base" }));
        let by_file = self.kind.carrier == Carrier::Git;
        let (one, other) = (&self.machines[a], &self.machines[b]);
        let base = has_base.then(|| &self.carried.moments[last]);
        let plans = [plan(base, one, other, by_file), plan(base, other, one, by_file)];
        let [out, mirrored] = [0, 1].map(|at: usize| written(&plans[at], false));
        let (files, mirror) = (out.files(), mirrored.files());
        let differ = differing(&files, &mirror);
        hold(differ.is_empty(), "it does not matter who merges", || told_of(&differ, &files, &mirror))?;
        for conflict in plans[0].conflicts() {
            let is_told = match conflict.kind {
                MergeConflictKind::Lines(_) => conflict.name == "MEMORY.md",
                MergeConflictKind::TakenBack(_) => self.kind.hands,
                _ => false,
            };
            hold(is_told, "a person decides on lines of memory alone", || conflict.to_string())?;
        }
        let is_open = plans[0].conflicts().iter().any(|conflict| conflict.kind.is_open());
        if !has_base {
            // Where one person only added, nobody has anything to decide.
            let memories = [one, other].map(|home| home.text("MEMORY.md"));
            let [mine, theirs] = [0, 1].map(|at: usize| own_lines(&memories[at]));
            let has_edits =
                |at: usize| self.records(at).iter().any(|dream| dream.standing == DreamStanding::Edited);
            let is_plain =
                (is_within(&mine, &theirs) || is_within(&theirs, &mine)) && !(has_edits(a) && has_edits(b));
            hold(!(is_plain && is_open), "who only adds has nothing to decide", || {
                format!("{}\n=====\n{}\n=====\n{}", memories[0], memories[1], out.text("MEMORY.md"))
            })?;
            if !is_open {
                for copy in [one, other] {
                    let again = written(&plan(None, &out, copy, false), false).files();
                    let differ = differing(&files, &again);
                    hold(differ.is_empty(), "a merge that is repeated changes nothing", || {
                        told_of(&differ, &files, &again)
                    })?;
                }
            }
        }
        if self.kind.crashes
            && let Some(random) = random.as_deref_mut().filter(|_| !by_file)
        {
            crashed(&plans[0], &files, random)?;
        }
        if by_file {
            return self.pull(a, b, last, &plans[0]);
        }
        let knows: BTreeSet<usize> = self.knows[a].union(&self.knows[b]).copied().collect();
        let is_partial = self.kind.partial
            && random.is_some_and(|random| {
                if random.below(3) > 0 {
                    return false;
                }
                self.arrive(b, &files, random);
                true
            });
        let machines = if is_partial { vec![a] } else { vec![a, b] };
        for at in &machines {
            self.machines[*at] = written(&plans[0], self.kind.databases[*at]);
            self.settle(*at)?;
            self.knows[*at].clone_from(&knows);
        }
        let moment = self.machines[a].in_folder();
        self.carried.note(moment, &machines);
        Ok(())
    }

    /// A tool brings some of the files of a merged life.
    fn arrive(&mut self, at: usize, files: &BTreeMap<String, Vec<u8>>, random: &mut Dice) {
        let mut came = Vec::new();
        for (path, bytes) in files {
            if random.below(2) == 0 {
                self.machines[at].life.put(path, bytes);
                self.machines[at].touch(path, self.clock(at));
                came.push(path.as_str());
            }
        }
        self.tell(at, format!("gets a part of it: {came:?}"));
        self.counts.one("partial syncs");
    }

    /// Takes each file that one machine alone changed, and those of the plan for the others, as git does.
    fn pull(&mut self, a: usize, b: usize, base: usize, plan: &MergePlan) -> Held {
        let [was, one, other] =
            [&self.carried.moments[base], &self.machines[a], &self.machines[b]].map(Home::files);
        let paths: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
        let mut merged = BTreeMap::new();
        for path in paths {
            let [was, one, other] = [&was, &one, &other].map(|files| files.get(path));
            let bytes = if one == other || was == other {
                one
            } else if was == one {
                other
            } else if let (Some(_), Some(_)) = (one, other) {
                let bytes = plan.file(path).map(<[u8]>::to_vec);
                hold(bytes.is_some(), "the merged life has each file of both", || path.clone())?;
                merged.insert(path.clone(), bytes.expect("it is there"));
                continue;
            } else {
                // Removed here and changed there: the person keeps it.
                one.or(other)
            };
            if let Some(bytes) = bytes {
                merged.insert(path.clone(), bytes.clone());
            }
        }
        if let Some(memory) = merged.get_mut("MEMORY.md") {
            let text = String::from_utf8(memory.clone()).unwrap();
            if text.contains("<<<<<<< ") {
                self.expected.has_conflicts = true;
                *memory = without_marks(&text).into_bytes();
            }
        }
        for at in [a, b] {
            for path in differing(&self.machines[at].files(), &merged) {
                self.set(at, &path, merged.get(&path).map(Vec::as_slice));
            }
        }
        let knows: BTreeSet<usize> = self.knows[a].union(&self.knows[b]).copied().collect();
        (self.knows[a], self.knows[b]) = (knows.clone(), knows);
        let moment = self.machines[a].copy();
        self.carried.note(moment, &[a, b]);
        Ok(())
    }

    pub(super) fn paths(&self) -> Vec<String> {
        let all: BTreeSet<String> = self.machines.iter().flat_map(|home| home.files().into_keys()).collect();
        all.into_iter().collect()
    }

    /// Carries one file between two machines, as a tool does: of two versions any is kept, and the other has a name of its own.
    pub(super) fn carry(&mut self, path: &str, random: &mut Dice) {
        let [one, other] = [0, 1].map(|at: usize| {
            let life = &self.machines[at].life;
            life.has(path).then(|| life.bytes(path))
        });
        let last = self.carried.last.get(path).cloned();
        let both = match (one, other) {
            (one, other) if one == other => one,
            (one, other) if one == last => other,
            (one, other) if other == last => one,
            (Some(one), Some(other)) => {
                self.carried.copies += 1;
                let wins = random.below(2);
                let (kept, copy) = if wins == 0 { (one, other) } else { (other, one) };
                let beside = self.beside(path);
                self.told.push(format!("tool: {path} of m{wins} stays, the other is {beside}"));
                for at in 0..2 {
                    self.set(at, &beside, Some(&copy));
                }
                self.carried.last.insert(beside, copy);
                Some(kept)
            }
            (one, other) => one.or(other),
        };
        for at in 0..2 {
            self.set(at, path, both.as_deref());
        }
        match both {
            Some(bytes) => self.carried.last.insert(path.to_owned(), bytes),
            None => self.carried.last.remove(path),
        };
    }

    fn beside(&self, path: &str) -> String {
        let (folder, file) =
            path.rsplit_once('/').map_or((None, path), |(folder, file)| (Some(folder), file));
        let (stem, end) = file.rsplit_once('.').unwrap_or((file, ""));
        let count = self.carried.copies;
        let named = if self.kind.carrier == Carrier::Drive {
            format!("{stem} (Marta's conflicted copy 2026-11-21 {count}).{end}")
        } else {
            format!("{stem}.sync-conflict-20261121-{count:06}-ABCDEFG.{end}")
        };
        folder.map_or_else(|| named.clone(), |folder| format!("{folder}/{named}"))
    }

    fn set(&self, at: usize, path: &str, bytes: Option<&[u8]>) {
        let life = &self.machines[at].life;
        match bytes {
            Some(bytes) if !life.has(path) || life.bytes(path) != bytes => {
                life.put(path, bytes);
                self.machines[at].touch(path, self.clock(at));
            }
            None if life.has(path) => life.remove(path),
            _ => {}
        }
    }
}

/// Says what differs in two sets of files.
pub(super) fn told_of(
    paths: &[String],
    one: &BTreeMap<String, Vec<u8>>,
    other: &BTreeMap<String, Vec<u8>>,
) -> String {
    let text = |files: &BTreeMap<String, Vec<u8>>, path: &String| {
        files
            .get(path)
            .map_or_else(|| "(none)".to_owned(), |bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    let told = |path: &String| format!("{path}:\n{}\n=====\n{}", text(one, path), text(other, path));
    paths.iter().map(told).collect::<Vec<_>>().join("\n")
}

/// Writes a merge that crashes at some operation, and writes it again: nothing of it is lost or doubled.
fn crashed(plan: &MergePlan, whole: &BTreeMap<String, Vec<u8>>, random: &mut Dice) -> Held {
    let out = Home::empty(false);
    let faults = Faults::new();
    let workspace = FileWorkspace::on_disk(Arc::new(FaultyDisk::new(out.life.quick_disk(), faults.clone())));
    faults.arm(1 + random.below(120), Fault::Crash);
    // It may end before.
    let _ = plan.write(&workspace);
    drop(workspace);
    plan.write(out.workspace().as_ref()).unwrap();
    let again = out.files();
    let differ = differing(whole, &again);
    hold(differ.is_empty(), "a merge that was interrupted is the same", || told_of(&differ, whole, &again))
}
