//! The rows right before and right behind others in their conversations.

use crate::sql::Columns;
use std::collections::HashMap;
use std::sync::Arc;

use super::search::CARD;
use super::search::CONDITIONS;
use super::table::Table;
use crate::base::error::Result;
use crate::memory::Filter;
use crate::postgres::kept::{Beside, KeptCard};
use crate::postgres::link::params;
use crate::search::rank::{Card, REACH, Visibility};
use crate::sql::Dialect;
use crate::sql::DriverExt;
use crate::sql::memory::with_card;
use crate::sql::memory::{filtered, trusted};
use crate::sql::word;

/// The place of a row in its conversation.
struct PlaceOf {
    session: String,
    position: i64,
}

impl Table<'_> {
    /// Gives the rows beside some, in any order.
    pub(super) fn all_beside(
        &self,
        visibility: Visibility,
        filter: &Filter,
        rows: &[i64],
        take: &mut dyn FnMut(i64, &Card<'_>),
    ) -> Result<()> {
        // What a filter takes is not kept.
        let kept_as = self.kept_as(visibility).filter(|_| *filter == Filter::limit(filter.limit));
        let Some((sight, moment)) = kept_as else {
            return self.read_beside(visibility, filter, rows, take);
        };
        let known = self.backend.server.shared.kept().beside(&sight, moment, rows);
        for (giver, cards) in &known {
            for (id, card) in cards {
                take(*giver, &card.card(*id));
            }
        }
        let unknown: Vec<i64> = rows.iter().copied().filter(|id| !known.contains_key(id)).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let mut new: Beside = unknown.iter().map(|id| (*id, Vec::new())).collect();
        self.read_beside(visibility, filter, &unknown, &mut |giver, card| {
            take(giver, card);
            new.entry(giver).or_default().push((card.id, Arc::new(KeptCard::of(card))));
        })?;
        self.backend.server.shared.kept().keep_beside(&sight, moment, new);
        Ok(())
    }

    fn read_beside(
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
        let sight = Dialect::Postgres.in_sight(visibility);
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
        let mut values = filtered(filter);
        let words = places.values().map(|place| word(&place.session)).collect::<Vec<i64>>();
        values.extend(params![
            places.keys().copied().collect::<Vec<i64>>(),
            words,
            places.values().map(|place| place.session.clone()).collect::<Vec<String>>(),
            places.values().map(|place| place.position).collect::<Vec<i64>>(),
        ]);
        // The rows beside one are the next ones of an index. A server without statistics of the table would sort all rows for
        // each.
        self.run("SET LOCAL enable_sort = off", Vec::new())?;
        let rows = self.run(sql, values)?;
        self.run("SET LOCAL enable_sort = on", Vec::new())?;
        for found in &rows {
            let found = self.found(found);
            let giver = found.number(10)?;
            with_card(&found, "", |card| take(giver, card))?;
        }
        Ok(())
    }

    /// Returns the places of those of some rows in sight that are in conversations. The places of rows that this search has read
    /// are known.
    fn places(&self, visibility: Visibility, rows: &[i64]) -> Result<HashMap<i64, PlaceOf>> {
        let (mut places, mut unknown) = (HashMap::new(), Vec::new());
        for id in rows {
            match self.held.borrow().cards.get(id).map(|card| card.place()) {
                None => unknown.push(*id),
                Some(None) => {}
                Some(Some((session, position))) => {
                    let position = i64::try_from(position).unwrap_or(i64::MAX);
                    places.insert(*id, PlaceOf { session: session.to_owned(), position });
                }
            }
        }
        if !unknown.is_empty() {
            let sql = format!(
                "SELECT m.id, m.session, m.position FROM {}
                 WHERE m.user_id = $1 AND m.agent_id = $2 AND m.session_word IS NOT NULL AND {}",
                Dialect::Postgres.by_ids("$3"),
                Dialect::Postgres.in_sight(visibility)
            );
            let read = self.all(&sql, params![unknown], |found| {
                Ok((found.number(0)?, found.maybe(1)?.zip(found.maybe_number(2)?)))
            })?;
            let found = read.into_iter().filter_map(|(id, place)| Some((id, place?)));
            places.extend(found.map(|(id, (session, position))| (id, PlaceOf { session, position })));
        }
        Ok(places)
    }
}
