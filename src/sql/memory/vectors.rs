//! Vectors of rows.

use std::collections::HashSet;

use super::driver::MemoryDriver;
use super::row::{card, numbers, with_card};
use super::search::{filtered, trusted};
use crate::base::error::Result;
use crate::memory::{Filter, MemoryId};
use crate::search::rank::{Card, Visibility};
use crate::sql::vectors::VectorDriver;
use crate::sql::{Dialect, params, read_count, read_numbers};
use crate::store::vectors::{MemoryVectors, Sight};

/// Returns a table `m` of the rows in sight, or of all that a search finds.
pub(crate) fn texts(words: Dialect, sight: Option<Sight>) -> String {
    let visibility = match sight {
        Some(sight) if sight != Sight::from(Visibility::All) => Visibility::Shared,
        _ => Visibility::All,
    };
    format!("(SELECT m.* FROM memories m WHERE {}) m", words.in_sight(visibility))
}

/// Returns a table `m` of all rows that a search finds, whose ids are the list `$3`.
pub(crate) fn texts_by_ids(words: Dialect) -> String {
    let (rows, sight) = (words.by_ids("$3"), words.in_sight(Visibility::All));
    format!("(SELECT m.* FROM {rows} WHERE {sight}) m")
}

impl<T: MemoryDriver + VectorDriver> MemoryVectors for T {
    fn kept_of(&self, ids: &[MemoryId]) -> Result<u64> {
        let words = self.dialect();
        let sql = format!(
            "SELECT count(*) FROM memory_vectors s WHERE {} {} AND s.state = 1",
            words.of_scope(),
            words.is_in("s.text_id", "$3")
        );
        read_count(self, &sql, params![numbers(ids)])
    }

    fn taken_by(&self, visibility: Visibility, filter: &Filter) -> Result<HashSet<i64>> {
        let (words, trusted) = (self.dialect(), trusted(filter));
        let (conditions, sight) = (words.conditions(), words.in_sight(visibility));
        let sql = format!("SELECT m.id FROM memories m WHERE {conditions} AND {sight} {trusted}");
        Ok(read_numbers(self, &sql, filtered(filter))?.into_iter().collect())
    }

    fn cards(&self, visibility: Visibility, ids: &[i64], take: &mut dyn FnMut(&Card<'_>)) -> Result<()> {
        cards(self, visibility, ids, take)
    }
}

fn cards(
    driver: &dyn MemoryDriver,
    visibility: Visibility,
    ids: &[i64],
    take: &mut dyn FnMut(&Card<'_>),
) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let words = driver.dialect();
    let sql = format!(
        "SELECT {} FROM {} WHERE m.user_id = $1 AND m.agent_id = $2 AND {}",
        card(words),
        words.by_ids("$3"),
        words.in_sight(visibility)
    );
    driver.each(&sql, params![ids.to_vec()], &mut |found| with_card(found, "", |card| take(card)))
}
