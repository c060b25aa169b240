//! The words of retired rows and of keys, beside the index. A search that finds one of them is led to what holds now.

use super::table::Table;
use crate::base::error::Result;
use crate::memory::MemoryId;
use crate::postgres::link::params;
use crate::search::rank::Visibility;
use crate::sql::Dialect;
use crate::sql::DriverExt;
use crate::store::echo::EchoWord;

impl Table<'_> {
    /// Takes rows out of the lists.
    pub(super) fn unecho(&self, ids: &[i64]) -> Result<()> {
        if self.state().echoes == 0 {
            return Ok(());
        }
        let sql = "DELETE FROM memory_echoes WHERE user_id = $1 AND agent_id = $2 AND id = ANY ($3)";
        self.run(sql, params![ids.to_vec()]).map(drop)
    }

    /// Lists the latest rows in sight for each word.
    pub(super) fn latest_echoes(
        &self,
        visibility: Visibility,
        words: &[EchoWord],
        most: usize,
    ) -> Result<Vec<Vec<MemoryId>>> {
        if self.state().echoes == 0 {
            return Ok(Vec::new());
        }
        let sight = match visibility {
            Visibility::All => "",
            Visibility::Shared => "AND m.shared",
        };
        let row = Dialect::Postgres.by_id("e.id");
        let sql = format!(
            "SELECT w.place, f.id FROM unnest($3) WITH ORDINALITY w (word, place) CROSS JOIN LATERAL (
               SELECT e.id FROM memory_echoes e CROSS JOIN LATERAL {row}
               WHERE e.user_id = $1 AND e.agent_id = $2 AND e.word = w.word
               AND m.user_id = $1 AND m.agent_id = $2 AND m.deleted_at IS NULL {sight}
               AND CASE WHEN m.retired_at IS NULL THEN m.fact_key IS NOT NULL ELSE m.successor IS NOT NULL END
               ORDER BY e.id DESC LIMIT $4) f
             ORDER BY w.place, f.id DESC"
        );
        let asked: Vec<i64> = words.iter().map(|word| word.0.cast_signed()).collect();
        let mut lists = vec![Vec::new(); words.len()];
        let found = self.all(&sql, params![asked, most], |found| Ok((found.number(0)?, found.number(1)?)))?;
        for (place, id) in found {
            if let Some(list) = usize::try_from(place - 1).ok().and_then(|at| lists.get_mut(at)) {
                list.push(MemoryId::new(id));
            }
        }
        Ok(lists)
    }
}
