//! A look at a store that writes nothing, for the doctor.

use std::sync::Arc;

use super::FileMemoryStore;
use super::checkpoint::MAGIC;
use super::prefix::Prefix;
use super::record::is_merged;
use super::store::EVERY;
use crate::base::access::Scope;
use crate::base::error::Result;
use crate::base::name::StateName;
use crate::disk::mark::Mark;
use crate::disk::{Disk, Open, atomic};
use crate::store::StoreConfig;

impl FileMemoryStore {
    /// Opens a store to be looked at, over a disk that refuses to write.
    pub(crate) fn looked_at(disk: Arc<dyn Disk>, scope: Scope, config: StoreConfig) -> Result<Self> {
        Self::over(disk, scope, config, EVERY)
    }

    /// Returns whether another version of this library made the table of the rows and their words.
    pub(crate) fn are_words_older(disk: &dyn Disk) -> bool {
        let table = atomic::read(disk, StateName::MEMORIES_TABLE.as_str(), MAGIC.len() as u64);
        table
            .ok()
            .flatten()
            .is_some_and(|table| table.get(..7) == MAGIC.get(..7) && !table.starts_with(MAGIC))
    }

    /// Returns whether the lines are those of the last commit, by the checksum in the mark. `true` where there is none,
    /// and for a file that was merged, which another machine may have written since.
    pub(crate) fn is_as_written(disk: &dyn Disk) -> Result<bool> {
        let marked = || Mark::read(disk, StateName::MEMORIES_MARK.as_str());
        let mark = marked();
        let Some((held, sum)) = mark.clone().and_then(|mark| Some((mark.held, mark.sum?))) else {
            return Ok(true);
        };
        let lines = atomic::read(disk, StateName::MEMORIES.as_str(), u64::MAX - 1)?.unwrap_or_default();
        if is_merged(&lines) {
            return Ok(true);
        }
        let mut read = Prefix::default();
        let held = usize::try_from(held).unwrap_or(usize::MAX);
        lines.split_inclusive(|byte| *byte == b'\n').take(held).for_each(|line| read.push(line));
        // One that was cut short is told by its last line; and somebody may have written meanwhile.
        let is_sound = read.count < held || format!("{:016x}", read.edition()) == sum;
        Ok(is_sound || marked() != mark)
    }

    /// Returns whose rows a folder holds, by the first line of its file; `None` where there is none that can be read.
    pub(crate) fn owner(disk: &dyn Disk) -> Option<Scope> {
        #[derive(serde::Deserialize)]
        struct First {
            scope: Scope,
        }
        let file = disk.open(StateName::MEMORIES.as_str(), Open::Read).ok()?;
        let head = atomic::read_range(file.as_ref(), 0, 16 << 10).ok()?;
        let line = head.split(|byte| *byte == b'\n').next()?;
        serde_json::from_slice::<First>(line).ok().map(|first| first.scope)
    }
}
