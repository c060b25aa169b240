//! The rows right before and right behind others in their conversations.

use super::row::{self, CARD};
use super::search::{CONDITIONS, bound, by_ids, in_sight, trusted};
use super::table::Table;
use crate::base::error::Result;
use crate::memory::Filter;
use crate::postgres::link::params;
use crate::search::rank::{Card, REACH, Visibility};

impl Table<'_> {
    /// Gives the rows beside some, in any order.
    pub(super) fn all_beside(
        &self,
        visibility: Visibility,
        filter: &Filter,
        rows: &[i64],
        take: &mut dyn FnMut(i64, &Card<'_>),
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let sight = in_sight(visibility);
        let side = |direction: &str| {
            format!(
                "(SELECT m.* FROM memories m WHERE m.user_id = $1 AND m.agent_id = $2
                  AND m.session_word = o.session_word AND m.session = o.session AND {sight}
                  AND (m.position, m.id) {direction} LIMIT {REACH})"
            )
        };
        let sql = format!(
            "SELECT {CARD}, o.id FROM (
               SELECT m.id, m.session, m.session_word, m.position FROM {}
               WHERE m.user_id = $1 AND m.agent_id = $2 AND m.session_word IS NOT NULL AND {sight} OFFSET 0) o
             CROSS JOIN LATERAL ({} UNION ALL {}) m WHERE {CONDITIONS} {}",
            by_ids("$6"),
            side("< (o.position, o.id) ORDER BY m.position DESC, m.id DESC"),
            side("> (o.position, o.id) ORDER BY m.position, m.id"),
            trusted(filter)
        );
        let mut values = bound(filter);
        values.extend(params![rows.to_vec()]);
        // The rows beside one are the next ones of an index, and a server that knows nothing of the table would sort all rows for each.
        self.run("SET LOCAL enable_sort = off", Vec::new())?;
        let rows = self.run(sql, values)?;
        self.run("SET LOCAL enable_sort = on", Vec::new())?;
        for found in &rows {
            let given =
                found.try_get(10).and_then(|giver| row::with_card(found, "", |card| take(giver, card)));
            given.map_err(|error| self.misread(error))?;
        }
        Ok(())
    }
}
