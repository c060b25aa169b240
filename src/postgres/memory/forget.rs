//! Forgetting for good: the rows that say a statement, and the tombstone that keeps it out.

use crate::sql::memory::read_tombstones;
use std::sync::{Arc, PoisonError};

use super::table::Table;
use crate::base::error::Result;
use crate::base::text;
use crate::gate::{TombstoneKey, Tombstones};
use crate::memory::{AuditEntry, MemoryId};
use crate::postgres::link::params;
use crate::sql::DriverExt;
use crate::sql::memory::{MemoryDriver, audit};
use crate::sql::word;
use crate::store::forget::{Burial, REMOVED, Struck};
use crate::store::practice::{Kept, Rest, normal};

/// So many texts are looked at together.
const READ: i64 = 1000;

impl Table<'_> {
    /// Returns the tombstones of this scope; `None` if it has forgotten nothing.
    pub(super) fn known_tombstones(&self) -> Result<Option<Arc<Tombstones>>> {
        let version = self.state().forgets;
        if version == 0 {
            return Ok(None);
        }
        let known = self.backend.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((at, forgotten)) = known
            && at == version
        {
            return Ok(forgotten);
        }
        let forgotten = read_tombstones(self)?.map(Arc::new);
        *self.backend.known.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((version, forgotten.clone()));
        Ok(forgotten)
    }

    /// Removes rows that a search does not find, with all that belongs to them.
    pub(super) fn remove_all_of(&self, ids: &[MemoryId]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        self.alters_rows();
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        self.unecho(&ids)?;
        self.drop_vectors(&ids)?;
        for sql in [
            "DELETE FROM memory_edges WHERE user_id = $1 AND agent_id = $2 AND src_id = ANY ($3)",
            "DELETE FROM memory_suspects WHERE user_id = $1 AND agent_id = $2 AND newer_id = ANY ($3)",
            "DELETE FROM memory_suspects WHERE user_id = $1 AND agent_id = $2 AND older_id = ANY ($3)",
            "DELETE FROM memories WHERE user_id = $1 AND agent_id = $2 AND id = ANY ($3)",
        ] {
            self.run(sql, params![ids.clone()])?;
        }
        Ok(())
    }

    /// Removes rows, and takes a statement out of everything else.
    pub(super) fn bury_rows(
        &self,
        rows: &[MemoryId],
        burial: &Burial,
        key: &TombstoneKey,
        entry: &AuditEntry,
    ) -> Result<Struck> {
        let mut struck = Struck::default();
        self.run(
            "INSERT INTO memory_tombstone_keys (user_id, agent_id, key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            params![hex::encode(key.as_bytes())],
        )?;
        let stone = &burial.stone;
        self.run(
            "INSERT INTO memory_tombstones (user_id, agent_id, words, mark, digest) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT DO NOTHING",
            params![i64::from(stone.words), i64::from(stone.mark), stone.digest.to_string()],
        )?;
        self.remove_rows(rows, true)?;
        for id in rows {
            audit(self, &AuditEntry { action: REMOVED.to_owned(), id: Some(*id), ..entry.clone() })?;
        }
        // A key may say it too.
        for column in ["value", "key"] {
            struck.profile += self.remove(burial, "user_profile", "key_word", column)?;
        }
        for column in ["content", "context"] {
            struck.learnings += self.remove(burial, "memory_learnings", "id", column)?;
        }
        self.strike_practice(burial, &mut struck)?;
        for (table, column) in [
            ("memory_audit", "reason"),
            ("memory_audit", "source"),
            ("memory_audit", "origin"),
            ("memory_decisions", "reason"),
        ] {
            let ids = self.holding_it(burial, table, "id", column)?;
            struck.reasons += ids.len() as u64;
            if !ids.is_empty() {
                let sql = format!(
                    "UPDATE {table} SET {column} = NULL WHERE user_id = $1 AND agent_id = $2 AND id = ANY ($3)"
                );
                self.run(sql, params![ids])?;
            }
        }
        audit(self, entry)?;
        Ok(struck)
    }

    /// Has a part beside the rows say the rest of its words. One that says the same as another from now on is left to be removed.
    pub(super) fn say_rest(&self, rest: &Rest) -> Result<()> {
        const OF_SCOPE: &str = "WHERE user_id = $1 AND agent_id = $2 AND id = $3";
        match rest {
            Rest::Value { key, value } => {
                let sql = "UPDATE user_profile SET value = $5
                     WHERE user_id = $1 AND agent_id = $2 AND key_word = $3 AND key = $4";
                self.run(sql, params![word(key), key, value])?;
            }
            Rest::Learning(learning) => {
                let normal = text::statement(&learning.content);
                let normal_word = word(&normal);
                let sql = format!(
                    "UPDATE memory_learnings SET content = $4, context = $5, normal = $6, normal_word = $7 {OF_SCOPE}"
                );
                let context = learning.context.clone();
                self.run(sql, params![learning.id.get(), &learning.content, context, normal, normal_word])?;
            }
            Rest::Practised(Kept::Method(method)) => {
                let sql = format!(
                    "UPDATE memory_methods SET body = $4, normal = $5 {OF_SCOPE} AND NOT EXISTS (SELECT 1
                     FROM memory_methods o WHERE o.user_id = $1 AND o.agent_id = $2 AND o.normal = $5)"
                );
                let normal = normal(&method.class, &method.body);
                self.run(sql, params![method.id.get(), &method.body, normal])?;
            }
            Rest::Practised(Kept::Case(case)) => {
                let sql = format!("UPDATE memory_cases SET content = $4, outcome = $5 {OF_SCOPE}");
                self.run(sql, params![case.id.get(), &case.content, case.outcome.clone()])?;
            }
            Rest::Practised(Kept::Note(note)) => {
                let sql = format!("UPDATE memory_roles SET content = $4 {OF_SCOPE}");
                self.run(sql, params![note.id.get(), &note.content])?;
            }
            Rest::Practised(_) => {}
        }
        Ok(())
    }

    /// Takes a statement out of the learning loop: a method leaves with its cases.
    fn strike_practice(&self, burial: &Burial, struck: &mut Struck) -> Result<()> {
        for column in ["name", "class", "body"] {
            let ids = self.holding_it(burial, "memory_methods", "id", column)?;
            if ids.is_empty() {
                continue;
            }
            struck.cases += self.delete("memory_cases", "method_id", ids.clone())?;
            struck.methods += self.delete("memory_methods", "id", ids)?;
        }
        for (table, column) in
            [("memory_cases", "content"), ("memory_cases", "outcome"), ("memory_outcomes", "outcome")]
        {
            struck.cases += self.remove(burial, table, "id", column)?;
        }
        for column in ["dimension", "statement", "tools", "words"] {
            struck.preferences += self.remove(burial, "memory_preferences", "id", column)?;
        }
        for column in ["role", "subject", "content", "reflection"] {
            struck.notes += self.remove(burial, "memory_roles", "id", column)?;
        }
        Ok(())
    }

    /// Removes the rows of a table that say it; returns how many.
    fn remove(&self, burial: &Burial, table: &str, key: &str, column: &str) -> Result<u64> {
        let ids = self.holding_it(burial, table, key, column)?;
        if ids.is_empty() { Ok(0) } else { self.delete(table, key, ids) }
    }

    fn delete(&self, table: &str, key: &str, ids: Vec<i64>) -> Result<u64> {
        let sql = format!(
            "WITH gone AS (DELETE FROM {table} WHERE user_id = $1 AND agent_id = $2 AND {key} = ANY ($3) RETURNING 1)
             SELECT count(*) FROM gone"
        );
        let gone = self.first(&sql, params![ids], |found| found.number(0))?;
        Ok(gone.unwrap_or(0).unsigned_abs())
    }

    /// Returns the keys of the rows of a table that say it in a column.
    fn holding_it(&self, burial: &Burial, table: &str, key: &str, column: &str) -> Result<Vec<i64>> {
        let sql = format!(
            "SELECT {key}, {column} FROM {table} WHERE user_id = $1 AND agent_id = $2 AND {key} > $3
             ORDER BY {key} LIMIT $4"
        );
        let (mut after, mut holding) = (i64::MIN, Vec::new());
        loop {
            let read = self.all(&sql.clone(), params![after, READ], |found| {
                let says_it = found.borrowed(1)?.is_some_and(|text| burial.holds(&text));
                Ok((found.number(0)?, says_it))
            })?;
            let Some((last, _)) = read.last() else { return Ok(holding) };
            after = *last;
            holding.extend(read.iter().filter(|(_, says_it)| *says_it).map(|(key, _)| *key));
            if read.len() < usize::try_from(READ).unwrap_or(usize::MAX) {
                return Ok(holding);
            }
        }
    }
}
