//! The rows right before and right behind others in their conversations.
//!
//! Rows of one conversation are side by side in the index of places. So near rows are read in one run. It begins some
//! positions before the first of them, and ends when enough rows are behind the last.

use chrono::NaiveDate;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{CachedStatement, Row, params_from_iter};

use super::row::CARD;
use super::search::{CONDITIONS, json, view};
use super::table::Table;
use crate::base::sorted::SortedMap;
use crate::memory::Filter;
use crate::search::rank::{Card, REACH, Visibility};
use crate::sql::memory::{trusted, with_card};
use crate::sqlite::error::carried;

/// Takes a row that is beside another, which is named first.
type Take<'a> = dyn FnMut(i64, &Card<'_>) + 'a;

/// The place of a row in its conversation.
type At = (i64, i64);

/// Rows by their conversations.
type Conversations = SortedMap<String, Vec<At>>;

/// A row of a run, and its card where the filter takes it.
struct Passed {
    at: At,
    card: Option<Kept>,
}

/// A card that outlives its row.
struct Kept {
    id: i64,
    bytes: u32,
    category: String,
    said_on: Option<NaiveDate>,
    place: Option<(String, u64)>,
    speaker: Option<String>,
    own: bool,
    touched: i64,
}

impl Kept {
    fn of(card: &Card<'_>) -> Self {
        Self {
            id: card.id,
            bytes: card.bytes,
            category: card.category.to_owned(),
            said_on: card.said_on,
            place: card.place.map(|(name, position)| (name.to_owned(), position)),
            speaker: card.speaker.map(str::to_owned),
            own: card.own,
            touched: card.touched,
        }
    }

    fn card(&self) -> Card<'_> {
        Card {
            id: self.id,
            text: "",
            bytes: self.bytes,
            category: &self.category,
            said_on: self.said_on,
            place: self.place.as_ref().map(|(name, position)| (name.as_str(), *position)),
            speaker: self.speaker.as_deref(),
            own: self.own,
            shared: false,
            touched: self.touched,
        }
    }
}

impl Table<'_> {
    /// Gives the rows beside some, in any order.
    pub(super) fn all_beside(
        &self,
        visibility: Visibility,
        filter: &Filter,
        rows: &[i64],
        take: &mut Take<'_>,
    ) -> rusqlite::Result<()> {
        let (conversations, mut alone) = self.places(visibility, rows)?;
        let sql = format!(
            "SELECT {CARD}, m.position, {CONDITIONS} {} FROM {} m
             WHERE m.user_id = ?1 AND m.agent_id = ?2 AND m.session = ?6 AND m.position >= ?7
             ORDER BY m.position, m.id",
            trusted(filter),
            view(visibility)
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let bound = self.bound(filter);
        for (conversation, mut givers) in conversations {
            givers.sort_unstable();
            let are_near = |one: &At, other: &At| {
                other.0.saturating_sub(reach()) <= one.0.saturating_add(reach()).saturating_add(1)
            };
            for run in givers.chunk_by(are_near) {
                let from = match run[0].0 {
                    // Where a conversation begins, nothing is before it that could be missed.
                    first if first <= reach() => i64::MIN,
                    first => first - reach(),
                };
                let mut bound = bound.clone();
                bound.extend([Value::Text(conversation.clone()), Value::Integer(from)]);
                self.give(&mut statement, bound, run, from > i64::MIN, take, &mut alone)?;
            }
        }
        self.beside_each(visibility, filter, &alone, take)
    }

    /// Returns the places of rows by their conversations, and the rows whose conversation has a name that is no text.
    fn places(&self, visibility: Visibility, rows: &[i64]) -> rusqlite::Result<(Conversations, Vec<i64>)> {
        let sql = format!(
            "SELECT o.session, coalesce(o.position, 0), o.id FROM json_each(?3) r CROSS JOIN {} o ON o.id = r.value
             WHERE o.user_id = ?1 AND o.agent_id = ?2 AND o.session IS NOT NULL",
            view(visibility)
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut values = self.whose();
        values.push(json(rows));
        let mut found = statement.query(params_from_iter(values))?;
        let (mut conversations, mut others) = (Conversations::new(), Vec::new());
        while let Some(row) = found.next()? {
            let id = row.get(2)?;
            match (row.get_ref(0)?, row.get_ref(1)?) {
                (ValueRef::Text(name), ValueRef::Integer(position)) if str::from_utf8(name).is_ok() => {
                    let name = String::from_utf8_lossy(name).into_owned();
                    conversations.entry(name).or_default().push((position, id));
                }
                _ => others.push(id),
            }
        }
        Ok((conversations, others))
    }

    /// Gives the rows beside each of some, each looked for by itself.
    fn beside_each(
        &self,
        visibility: Visibility,
        filter: &Filter,
        rows: &[i64],
        take: &mut Take<'_>,
    ) -> rusqlite::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let (view, trusted) = (view(visibility), trusted(filter));
        let side = |direction: &str| {
            format!(
                "SELECT id FROM (SELECT b.id FROM {view} b
                 WHERE b.user_id = ?1 AND b.agent_id = ?2 AND b.session = o.session
                 AND (b.position, b.id) {direction} LIMIT {REACH})"
            )
        };
        let place = "(coalesce(o.position, 0), o.id)";
        // Without their indexes, or the planner goes through all rows of the scope for each of these.
        let conditions = CONDITIONS.replace("m.user_id", "+m.user_id").replace("m.agent_id", "+m.agent_id");
        let sql = format!(
            "SELECT {CARD}, o.id FROM json_each(?6) r CROSS JOIN {view} o ON o.id = r.value
             CROSS JOIN {view} m ON m.id IN ({} UNION ALL {})
             WHERE {conditions} {trusted}",
            side(&format!("< {place} ORDER BY b.position DESC, b.id DESC")),
            side(&format!("> {place} ORDER BY b.position, b.id")),
        );
        let mut values = self.bound(filter);
        values.push(json(rows));
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut found = statement.query(params_from_iter(values))?;
        while let Some(row) = found.next()? {
            let giver = row.get(10)?;
            with_card(&self.found(row), "", |card| take(giver, card)).map_err(carried)?;
        }
        Ok(())
    }

    /// Reads a run of a conversation, and gives what is beside its givers. One before which rows may be missing is put aside.
    fn give(
        &self,
        statement: &mut CachedStatement<'_>,
        bound: Vec<Value>,
        givers: &[At],
        is_cut: bool,
        take: &mut Take<'_>,
        aside: &mut Vec<i64>,
    ) -> rusqlite::Result<()> {
        let Some(last) = givers.last() else { return Ok(()) };
        let (mut passed, mut behind): (Vec<Passed>, usize) = (Vec::new(), 0);
        let mut rows = statement.query(params_from_iter(bound))?;
        while behind < REACH
            && let Some(row) = rows.next()?
        {
            let read = self.read(row)?;
            behind += usize::from(read.at > *last);
            passed.push(read);
        }
        for giver in givers {
            let before = passed.partition_point(|row| row.at < *giver);
            if is_cut && before < REACH {
                aside.push(giver.1);
                continue;
            }
            let behind = passed[before..].iter().filter(|row| row.at > *giver);
            for row in passed[before.saturating_sub(REACH)..before].iter().chain(behind.take(REACH)) {
                if let Some(card) = &row.card {
                    take(giver.1, &card.card());
                }
            }
        }
        Ok(())
    }

    /// Reads a row of a run.
    fn read(&self, row: &Row<'_>) -> rusqlite::Result<Passed> {
        let at = (row.get(10)?, row.get(0)?);
        // A condition about nothing is no condition that is met.
        let is_taken = row.get::<_, Option<bool>>(11)?.unwrap_or(false);
        let card =
            if is_taken { Some(with_card(&self.found(row), "", Kept::of).map_err(carried)?) } else { None };
        Ok(Passed { at, card })
    }
}

/// The reach to each side, in positions: as many rows, if no position is empty.
fn reach() -> i64 {
    i64::try_from(REACH).expect("a few rows")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use chrono::DateTime;
    use proptest::prelude::*;

    use super::*;
    use crate::base::access::{Access, Scope};
    use crate::memory::{MemoryStore, NewMemory, Place, Role, Source};
    use crate::sqlite::SqliteMemoryStore;

    /// A row of a conversation: its position, and what was done to it.
    #[derive(Debug, Clone, Copy)]
    struct Line {
        conversation: u8,
        position: u64,
        is_shared: bool,
        is_deleted: bool,
        is_note: bool,
    }

    fn line() -> impl Strategy<Value = Line> {
        let parts = (0..3_u8, 0..14_u64, any::<bool>(), prop::bool::weighted(0.2), any::<bool>());
        parts.prop_map(|(conversation, position, is_shared, is_deleted, is_note)| Line {
            conversation,
            position: if position > 11 { position * 1000 } else { position },
            is_shared,
            is_deleted,
            is_note,
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Rows in runs are those that are found one by one, with gaps, with positions that several have, in each sight.
        #[test]
        fn runs_find_what_is_found_for_each_alone(
            lines in prop::collection::vec(line(), 1..60),
            asked in prop::collection::btree_set(1..60_i64, 1..30),
        ) {
            let store = SqliteMemoryStore::open_in_memory(Scope::user("marta")).expect("a store");
            let (access, now) = (Access::human(Scope::user("marta")), DateTime::UNIX_EPOCH);
            for line in &lines {
                let place = Place {
                    session: format!("talk {}", line.conversation),
                    position: line.position,
                    role: Role::User,
                    speaker: None,
                    said_at: None,
                };
                let category = if line.is_note { "note" } else { "observation" };
                let mut row = NewMemory::new(category, "Rope was bought", Source::ChatExtracted).at(place);
                row.shared = line.is_shared;
                let id = store.write(&access, &row, now).expect("written");
                if line.is_deleted {
                    store.delete(&access, id, now).expect("deleted");
                }
            }
            let asked: Vec<i64> = asked.into_iter().collect();
            for visibility in [Visibility::All, Visibility::Shared] {
                for filter in [Filter::limit(9), Filter::limit(9).category("note")] {
                    let found = |each: bool| {
                        store.backend().look("read", |table| {
                            let mut found = BTreeSet::new();
                            let mut take = |giver: i64, card: &Card<'_>| {
                                found.insert((giver, card.id, card.place.map(|(name, at)| (name.to_owned(), at))));
                            };
                            let read = if each {
                                table.beside_each(visibility, &filter, &asked, &mut take)
                            } else {
                                table.all_beside(visibility, &filter, &asked, &mut take)
                            };
                            read.expect("read");
                            Ok(found)
                        })
                        .expect("read")
                    };
                    prop_assert_eq!(found(false), found(true));
                }
            }
        }
    }
}
