//! Power is lost at any moment: what the last manifest names is there, and the rest in any state.

use std::collections::BTreeSet;

use super::history::Kept;
use super::lines::{Dice, Line};
use super::model::{Model, check};
use crate::postings::error::Result;
use crate::postings::pages::{MemoryPages, Pages};
use crate::postings::partition::Partition;
use crate::postings::record::Record;

/// Pages, and those that were written or removed since the manifest was saved.
#[derive(Default)]
struct Journal {
    pages: MemoryPages,
    saved: MemoryPages,
    written: Vec<(u64, u32, Vec<u8>)>,
    removed: Vec<(u64, u32)>,
}

impl Pages for Journal {
    fn read(&self, segment: u64, page: u32) -> Result<Vec<u8>> {
        self.pages.read(segment, page)
    }

    fn write(&mut self, segment: u64, page: u32, bytes: &[u8]) -> Result<()> {
        self.written.push((segment, page, bytes.to_vec()));
        self.pages.write(segment, page, bytes)
    }

    fn remove(&mut self, segment: u64, page: u32) -> Result<()> {
        self.removed.push((segment, page));
        self.pages.remove(segment, page)
    }
}

impl Journal {
    fn save(&mut self) {
        self.saved = self.pages.clone();
        self.written.clear();
        self.removed.clear();
    }

    /// A state after a crash: each write since then is lost, whole or torn, and each removal is lost or not.
    fn crashed(&self, dice: &mut Dice) -> MemoryPages {
        let mut pages = self.saved.clone();
        for (segment, page, bytes) in &self.written {
            let mut bytes = bytes.clone();
            match dice.below(4) {
                0 => continue,
                1 => bytes.truncate(dice.below(bytes.len() as u64) as usize),
                2 => {
                    let from = dice.below(bytes.len() as u64) as usize;
                    bytes[from..].fill(0);
                }
                _ => {}
            }
            pages.write(*segment, *page, &bytes).expect("pages are in memory");
        }
        for (segment, page) in &self.removed {
            if dice.below(2) == 0 {
                continue;
            }
            pages.remove(*segment, *page).expect("pages are in memory");
        }
        pages
    }
}

#[test]
fn after_a_crash_the_saved_manifest_and_the_log_answer() {
    let (mut states, mut unsaved) = (0, 0);
    for seed in 0..3 {
        let mut dice = Dice::new(100 + seed);
        let mut journal = Journal::default();
        let mut partition = Partition::new(1 << 14);
        let mut manifest = partition.manifest();
        let mut log: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut model = Model::default();
        let (mut id, mut behind) = (0, false);
        let churn = [0, 40, 70][seed as usize % 3];
        for step in 0..1_400 {
            let number = partition.number();
            let old = model.rows.keys().nth(dice.below(model.rows.len().max(1) as u64) as usize).copied();
            if dice.below(100) < churn
                && let Some(line) = old.and_then(|id| model.rows.remove(&id))
            {
                line.with(|row| {
                    log.push((number, Record::written(number, true, row)));
                    partition.remove(&journal, row)
                })
                .expect("it was added");
            } else {
                id += 1 + dice.below(3) as i64;
                let line = Line::random(&mut dice, id, 300);
                line.with(|row| {
                    log.push((number, Record::written(number, false, row)));
                    partition.add(&journal, row)
                })
                .expect("it is new");
                model.rows.insert(id, line);
            }
            behind |= partition.keep_up(&mut journal, number).expect("pages are in memory");
            // Sometimes at once, else together with what comes later.
            if behind && dice.below(9) == 0 {
                manifest = partition.manifest();
                journal.save();
                let first = partition.first_in_log();
                log.retain(|(number, _)| *number >= first);
                behind = false;
                if dice.below(4) > 0 {
                    partition.sweep(&mut journal).expect("pages are in memory");
                }
            }
            if step % 8 > 0 && !behind || step % 4 > 0 {
                continue;
            }
            unsaved += usize::from(!journal.written.is_empty());
            let pages = journal.crashed(&mut dice);
            let mut opened = Partition::open(&pages, &manifest, 1 << 14).expect("the manifest was saved");
            for (_, record) in &log {
                opened.replay(&pages, record).expect("the log was written");
            }
            check(&model, &opened, &pages, &mut dice, 300).expect("all that it names is there");
            states += 1;
            if step % 56 == 0 {
                go_on(&model, opened, pages, &log, &manifest, &mut dice);
            }
        }
    }
    assert!(states >= 400 && unsaved >= 80, "{states} {unsaved}");
}

/// Goes on after a crash.
fn go_on(
    model: &Model,
    partition: Partition,
    pages: MemoryPages,
    log: &[(u64, Vec<u8>)],
    manifest: &[u8],
    dice: &mut Dice,
) {
    let next = 10_000;
    let rows = model.rows.clone();
    let (log, manifest) = (log.to_vec(), Some(manifest.to_vec()));
    let mut kept = Kept { partition, pages, log, manifest, model: Model { rows }, next, words: 300 };
    for _ in 0..200 {
        kept.change(dice, 40).expect("pages are in memory");
    }
    for _ in 0..5 {
        check(&kept.model, &kept.partition, &kept.pages, dice, 300).expect("pages are in memory");
    }
    let opened = kept.reopened().expect("it was saved");
    check(&kept.model, &opened, &kept.pages, dice, 300).expect("it was saved");
}

#[test]
fn what_no_manifest_names_is_removed() {
    let mut dice = Dice::new(4);
    let mut kept = Kept::new(300);
    for _ in 0..1_500 {
        kept.change(&mut dice, 40).expect("pages are in memory");
    }
    while kept.partition.sweep(&mut kept.pages).expect("pages are in memory") {}
    let segments = kept.partition.segments.iter().map(|segment| segment.id);
    let outputs = kept.partition.merges.iter().map(|merge| merge.output);
    let named: BTreeSet<u64> = segments.chain(outputs).collect();
    assert!(kept.pages.pages.keys().all(|segment| named.contains(segment)));
}
