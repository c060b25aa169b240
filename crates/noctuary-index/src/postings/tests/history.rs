//! Histories of changes, and a keeper that saves what it must.

use super::lines::{Dice, Line};
use super::model::Model;
use crate::postings::error::Result;
use crate::postings::pages::MemoryPages;
use crate::postings::partition::Partition;
use crate::postings::record::Record;

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
