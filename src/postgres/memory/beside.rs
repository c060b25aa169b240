//! The rows right before and right behind others in their conversations.

use super::columns::word;
use super::row::{self, CARD};
use super::search::{CONDITIONS, bound, by_ids, in_sight, trusted};
use super::table::{PlaceOf, Table};
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
        let places = self.places(visibility, rows)?;
        let sight = in_sight(visibility);
        let side = |direction: &str| {
            format!(
                "(SELECT m.* FROM memories m WHERE m.user_id = $1 AND m.agent_id = $2
                  AND m.session_word = o.session_word AND m.session = o.session AND {sight}
                  AND (m.position, m.id) {direction} LIMIT {REACH})"
            )
        };
        let sql = format!(
            "SELECT {CARD}, o.id FROM unnest($6, $7, $8, $9) o (id, session_word, session, position)
             CROSS JOIN LATERAL ({} UNION ALL {}) m WHERE {CONDITIONS} {}",
            side("< (o.position, o.id) ORDER BY m.position DESC, m.id DESC"),
            side("> (o.position, o.id) ORDER BY m.position, m.id"),
            trusted(filter)
        );
        let mut values = bound(filter);
        let words = places.iter().map(|(_, place)| word(&place.session)).collect::<Vec<i64>>();
        values.extend(params![
            places.iter().map(|(id, _)| *id).collect::<Vec<i64>>(),
            words,
            places.iter().map(|(_, place)| place.session.clone()).collect::<Vec<String>>(),
            places.iter().map(|(_, place)| place.position).collect::<Vec<i64>>(),
        ]);
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

    /// Returns the places of those of some rows in sight that are in conversations. Of rows that this search has read they are known.
    fn places(&self, visibility: Visibility, rows: &[i64]) -> Result<Vec<(i64, PlaceOf)>> {
        let unknown: Vec<i64> = {
            let known = &self.held.borrow().places;
            rows.iter().copied().filter(|id| !known.contains_key(id)).collect()
        };
        if !unknown.is_empty() {
            let sql = format!(
                "SELECT m.id, m.session, m.position FROM {}
                 WHERE m.user_id = $1 AND m.agent_id = $2 AND m.session_word IS NOT NULL AND {}",
                by_ids("$3"),
                in_sight(visibility)
            );
            for found in &self.run(sql, params![unknown])? {
                self.remember_place(found, [0, 1, 2])?;
            }
        }
        let known = &self.held.borrow().places;
        Ok(rows.iter().filter_map(|id| Some((*id, known.get(id)?.clone()?))).collect())
    }

    /// Keeps the place of a row in sight, of these columns, for as long as the search takes.
    pub(super) fn remember_place(&self, found: &::postgres::Row, columns: [usize; 3]) -> Result<()> {
        let [id, session, position] = columns;
        let read = || -> Result<_, ::postgres::Error> {
            let session = row::maybe(found, session)?;
            let position: Option<i64> = found.try_get(position)?;
            let place = session.zip(position).map(|(session, position)| PlaceOf { session, position });
            Ok((found.try_get::<_, i64>(id)?, place))
        };
        let (id, place) = read().map_err(|error| self.misread(error))?;
        self.held.borrow_mut().places.insert(id, place);
        Ok(())
    }
}
