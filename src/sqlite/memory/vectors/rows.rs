//! Vectors of the rows of a scope.

use crate::sql::memory::trusted;
use crate::sql::memory::with_card;
use crate::sqlite::error::carried;
use std::collections::HashSet;

use rusqlite::{Connection, params, params_from_iter};

use super::super::row::CARD;
use super::super::search::{CONDITIONS, json, view};
use super::super::table::Table;
use super::tables::NAMES;
use crate::base::error::Result;
use crate::memory::{Filter, MemoryId};
use crate::search::rank::{Card, Visibility};
use crate::sqlite::columns::ReadAll;
use crate::sqlite::vectors::{Names, VectorTables};
use crate::store::vectors::{MemoryVectors, Sight};

impl VectorTables for Table<'_> {
    const NAMES: Names = NAMES;

    fn view(sight: Sight) -> &'static str {
        view(if sight == Sight::from(Visibility::All) { Visibility::All } else { Visibility::Shared })
    }

    fn connection(&self) -> &Connection {
        self.connection
    }

    fn owner(&self) -> [&str; 2] {
        [self.user(), self.agent()]
    }

    fn run<A>(&self, run: impl FnOnce() -> rusqlite::Result<A>) -> Result<A> {
        self.folded(run)
    }
}

impl MemoryVectors for Table<'_> {
    fn kept_of(&self, ids: &[MemoryId]) -> Result<u64> {
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        let sql = "SELECT count(*) FROM json_each(?1) r CROSS JOIN memory_vectors v ON v.text_id = r.value
            WHERE v.state = 1";
        self.folded(|| {
            let kept: i64 =
                self.connection.prepare_cached(sql)?.query_row([json(&ids)], |found| found.get(0))?;
            Ok(kept.unsigned_abs())
        })
    }

    fn taken_by(&self, visibility: Visibility, filter: &Filter) -> Result<HashSet<i64>> {
        let sql = format!("SELECT m.id FROM {} m WHERE {CONDITIONS} {}", view(visibility), trusted(filter));
        self.folded(|| {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let ids = statement.query(params_from_iter(self.bound(filter)))?.all(|found| found.get(0))?;
            Ok(ids.into_iter().collect())
        })
    }

    fn cards(&self, visibility: Visibility, ids: &[i64], take: &mut dyn FnMut(&Card<'_>)) -> Result<()> {
        let sql = format!(
            "SELECT {CARD} FROM json_each(?3) r CROSS JOIN {} m ON m.id = r.value
             WHERE m.user_id = ?1 AND m.agent_id = ?2",
            view(visibility)
        );
        self.folded(|| {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut found = statement.query(params![self.user(), self.agent(), json(ids)])?;
            while let Some(found) = found.next()? {
                with_card(&self.found(found), "", |card| take(card)).map_err(carried)?;
            }
            Ok(())
        })
    }
}
