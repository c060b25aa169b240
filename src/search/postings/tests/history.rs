//! Histories of changes, and a keeper that saves what it must.

use std::collections::BTreeMap;

use super::model::Model;
use crate::search::postings::error::Result;
use crate::search::postings::pages::MemoryPages;
use crate::search::postings::partition::Partition;
use crate::search::postings::record::Record;
use crate::search::postings::row::Row;

/// Numbers that look random, the same each time.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// A number below another one.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number below another one, most often a small one.
    pub(super) fn low(&mut self, end: u64) -> u64 {
        let share = (self.next() % 1_000_000) as f64 / 1e6;
        ((end as f64).powf(share) - 1.0) as u64
    }
}

/// A row of a model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) id: i64,
    pub(super) shared: bool,
    pub(super) length: u32,
    pub(super) terms: Vec<(String, u32)>,
}

impl Line {
    pub(super) fn random(dice: &mut Dice, id: i64, words: u64) -> Self {
        let mut terms: BTreeMap<String, u32> = BTreeMap::new();
        let length = if dice.below(20) == 0 { 60 } else { dice.below(14) };
        for _ in 0..length {
            *terms.entry(word(dice.low(words))).or_default() += 1;
        }
        let more = if dice.below(4) == 0 { dice.below(400) } else { 0 };
        let shared = dice.below(3) > 0;
        Self { id, shared, length: (length + more) as u32, terms: terms.into_iter().collect() }
    }

    pub(super) fn with<T>(&self, take: impl FnOnce(&Row<'_>) -> T) -> T {
        let terms: Vec<(&str, u32)> =
            self.terms.iter().map(|(term, count)| (term.as_str(), *count)).collect();
        take(&Row { id: self.id, shared: self.shared, length: self.length, terms: &terms })
    }
}

/// A word of a number; many have a beginning in common.
pub(super) fn word(number: u64) -> String {
    let ends = ["", "s", "ing", "ß", "漢"];
    format!("{}{}{}", ["w", "wo", "x", "tea"][number as usize % 4], number / 20, ends[number as usize % 5])
}

/// An index with its keeper.
pub(super) struct Kept {
    pub(super) partition: Partition,
    pub(super) pages: MemoryPages,
    pub(super) log: Vec<(u64, Vec<u8>)>,
    pub(super) manifest: Option<Vec<u8>>,
    pub(super) model: Model,
    pub(super) next: i64,
    pub(super) words: u64,
}

impl Kept {
    pub(super) fn new(words: u64) -> Self {
        Self {
            partition: Partition::new(1 << 16),
            pages: MemoryPages::default(),
            log: Vec::new(),
            manifest: None,
            model: Model::default(),
            next: -40,
            words,
        }
    }

    pub(super) fn add(&mut self, line: Line) -> Result<()> {
        let number = self.partition.number();
        line.with(|row| {
            self.log.push((number, Record::written(number, false, row)));
            self.partition.add(&self.pages, row)
        })?;
        self.model.rows.insert(line.id, line);
        self.keep_up()
    }

    pub(super) fn remove(&mut self, id: i64) -> Result<()> {
        let Some(line) = self.model.rows.remove(&id) else { return Ok(()) };
        let number = self.partition.number();
        let is_removed = line.with(|row| {
            self.log.push((number, Record::written(number, true, row)));
            self.partition.remove(&self.pages, row)
        })?;
        assert!(is_removed, "{id}");
        assert!(!line.with(|row| self.partition.remove(&self.pages, row))?);
        self.keep_up()
    }

    fn keep_up(&mut self) -> Result<()> {
        let number = self.partition.number();
        if self.partition.keep_up(&mut self.pages, number)? {
            self.manifest = Some(self.partition.manifest());
            let first = self.partition.first_in_log();
            self.log.retain(|(number, _)| *number >= first);
            self.partition.sweep(&mut self.pages)?;
        }
        Ok(())
    }

    pub(super) fn condense(&mut self) -> Result<()> {
        let number = self.partition.number();
        self.partition.condense(&mut self.pages, number)?;
        self.manifest = Some(self.partition.manifest());
        let first = self.partition.first_in_log();
        self.log.retain(|(number, _)| *number >= first);
        Ok(())
    }

    /// One change of any kind; `churn` is the share of changes in a hundred that are not of a new row.
    pub(super) fn change(&mut self, dice: &mut Dice, churn: u64) -> Result<()> {
        let any =
            self.model.rows.keys().nth(dice.below(self.model.rows.len().max(1) as u64) as usize).copied();
        if dice.below(100) >= churn || any.is_none() {
            self.next += 1 + dice.low(9) as i64;
            let id = if dice.below(30) == 0 { self.free(dice) } else { self.next };
            return self.add(Line::random(dice, id, self.words));
        }
        let Some(id) = any else { return Ok(()) };
        let line = self.model.rows[&id].clone();
        self.remove(id)?;
        match dice.below(3) {
            0 => Ok(()),
            1 => self.add(Line { shared: !line.shared, ..line }),
            _ => self.add(Line::random(dice, id, self.words)),
        }
    }

    /// An old id that no row has.
    fn free(&self, dice: &mut Dice) -> i64 {
        let id = self.next - dice.below(300) as i64;
        if self.model.rows.contains_key(&id) { self.next } else { id }
    }

    /// Opens it again from what is kept.
    pub(super) fn reopened(&self) -> Result<Partition> {
        let mut partition = match &self.manifest {
            Some(manifest) => Partition::open(&self.pages, manifest, 1 << 16)?,
            None => Partition::new(1 << 16),
        };
        for (_, record) in &self.log {
            partition.replay(&self.pages, record)?;
        }
        Ok(partition)
    }
}
