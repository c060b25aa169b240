//! Forgetting for good: the rows that say a statement, and the tombstone that keeps it out.

use crate::sql::memory::read_tombstones;
use std::cell::Cell;
use std::sync::{Arc, PoisonError};

use rusqlite::{ToSql, params};

use super::mirror::tables::{FILLS, SPOT, SYNC};
use super::row;
use super::saying::worded;
use super::table::Table;
use crate::base::error::Error;
use crate::base::text;
use crate::gate::{TombstoneKey, Tombstones};
use crate::memory::{AuditEntry, MemoryId};
use crate::sql::memory::audit;
use crate::sqlite::error::carried;
use crate::store::forget::{Burial, REMOVED, Struck};
use crate::store::practice::{Kept, Rest, normal};

impl Table<'_> {
    /// Returns the tombstones of this scope; `None` if it has forgotten nothing.
    pub(super) fn known_tombstones(&self) -> Result<Option<Arc<Tombstones>>, Error> {
        let data = self.folded(|| self.held.borrow_mut().data_version(self.connection))?;
        let version = (data, self.backend.database().forgets());
        let mut known = self.backend.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, forgotten)) = &*known
            && *at == version
        {
            return Ok(forgotten.clone());
        }
        let forgotten = read_tombstones(self)?.map(Arc::new);
        *known = Some((version, forgotten.clone()));
        Ok(forgotten)
    }

    /// Removes rows, and takes a statement out of everything else.
    pub(super) fn bury_rows(
        &self,
        rows: &[MemoryId],
        burial: &Burial,
        key: &TombstoneKey,
        entry: &AuditEntry,
    ) -> rusqlite::Result<Struck> {
        let connection = self.connection;
        let mut struck = Struck::default();
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO memory_tombstone_keys (user_id, agent_id, key) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![self.user(), self.agent(), hex::encode(key.as_bytes())])?;
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO memory_tombstones (user_id, agent_id, words, mark, digest)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                self.user(),
                self.agent(),
                burial.stone.words,
                burial.stone.mark,
                burial.stone.digest.to_string()
            ])?;
        for id in rows {
            connection.prepare_cached("DELETE FROM memories WHERE id = ?1")?.execute([id.get()])?;
            let removed = AuditEntry { action: REMOVED.to_owned(), id: Some(*id), ..entry.clone() };
            audit(self, &removed).map_err(carried)?;
        }
        let profile = if self.has_profile_of_the_seed() {
            "user_profile WHERE ?1 = '' AND ?2 = ''"
        } else {
            "guest_profile WHERE user_id = ?1 AND agent_id = ?2"
        };
        // A key may say it too. The keys of others are not looked at: theirs may be the same.
        for column in ["value", "key"] {
            struck.profile += self.strike(burial, (profile, "key", column), &|key| {
                let sql = format!("DELETE FROM {profile} AND key = ?3");
                connection.prepare_cached(&sql)?.execute(params![self.user(), self.agent(), key])
            })?;
        }
        let learned = "memory_learnings WHERE user_id = ?1 AND agent_id = ?2";
        for column in ["content", "context"] {
            struck.learnings += self.strike(burial, (learned, "id", column), &|id| {
                connection.prepare_cached("DELETE FROM memory_learnings WHERE id = ?1")?.execute([id])
            })?;
        }
        self.strike_practice(burial, &mut struck)?;
        self.strike_trades(burial, &mut struck)?;
        let of_scope = "WHERE user_id = ?1 AND agent_id = ?2";
        // Most lines have no word of anybody's.
        let lines = if burial.is_named() {
            format!("memory_audit {of_scope}")
        } else {
            format!("memory_audit INDEXED BY idx_audit_worded {of_scope} AND {}", worded())
        };
        let events = format!("memory_decisions {of_scope}");
        for (table, whose, column) in [
            ("memory_audit", &lines, "reason"),
            ("memory_audit", &lines, "source"),
            ("memory_audit", &lines, "origin"),
            ("memory_decisions", &events, "reason"),
        ] {
            struck.reasons += self.strike(burial, (whose, "id", column), &|id| {
                let sql = format!("UPDATE {table} SET {column} = NULL WHERE id = ?1");
                connection.prepare_cached(&sql)?.execute([id])
            })?;
        }
        audit(self, entry).map_err(carried)?;
        Ok(struck)
    }

    /// Has a part beside the rows say the rest of its words. One that says the same as another from now on is left to be removed.
    pub(super) fn say_rest(&self, rest: &Rest) -> rusqlite::Result<()> {
        const OF_SCOPE: &str = "WHERE id = ?1 AND user_id = ?2 AND agent_id = ?3";
        let (user, agent) = (self.user(), self.agent());
        let set = |table: &str, columns: &str, bound: &[&dyn ToSql]| {
            let sql = format!("UPDATE OR IGNORE {table} SET {columns} {OF_SCOPE}");
            self.connection.prepare_cached(&sql)?.execute(bound).map(drop)
        };
        match rest {
            Rest::Value { key, value } => {
                let sql = if self.has_profile_of_the_seed() {
                    "UPDATE user_profile SET value = ?4 WHERE key = ?1 AND ?2 = '' AND ?3 = ''"
                } else {
                    "UPDATE guest_profile SET value = ?4 WHERE key = ?1 AND user_id = ?2 AND agent_id = ?3"
                };
                self.connection.prepare_cached(sql)?.execute(params![key, user, agent, value]).map(drop)
            }
            Rest::Learning(learning) => {
                let normal = text::statement(&learning.content);
                let bound: [&dyn ToSql; 6] =
                    [&learning.id.get(), &user, &agent, &learning.content, &learning.context, &normal];
                set("memory_learnings", "content = ?4, context = ?5, normal = ?6", &bound)
            }
            Rest::Practised(Kept::Method(method)) => {
                let normal = normal(&method.class, &method.body);
                let bound: [&dyn ToSql; 5] = [&method.id.get(), &user, &agent, &method.body, &normal];
                set("memory_methods", "body = ?4, normal = ?5", &bound)
            }
            Rest::Practised(Kept::Case(case)) => {
                let bound: [&dyn ToSql; 5] = [&case.id.get(), &user, &agent, &case.content, &case.outcome];
                set("memory_cases", "content = ?4, outcome = ?5", &bound)
            }
            Rest::Practised(Kept::Note(note)) => {
                set("memory_roles", "content = ?4", &[&note.id.get(), &user, &agent, &note.content])?;
                self.put_edges_of_note_anew(note)
            }
            Rest::Practised(_) => Ok(()),
        }
    }

    /// Takes a statement out of the learning loop: a method leaves with its cases.
    fn strike_practice(&self, burial: &Burial, struck: &mut Struck) -> rusqlite::Result<()> {
        let connection = self.connection;
        let of = |table: &str| format!("{table} WHERE user_id = ?1 AND agent_id = ?2");
        let cases = Cell::new(0);
        for column in ["name", "class", "body"] {
            struck.methods += self.strike(burial, (&of("memory_methods"), "id", column), &|id| {
                let sql = "DELETE FROM memory_cases WHERE method_id = ?1";
                cases.set(cases.get() + connection.prepare_cached(sql)?.execute([id])? as u64);
                connection.prepare_cached("DELETE FROM memory_methods WHERE id = ?1")?.execute([id])
            })?;
        }
        for (table, column) in
            [("memory_cases", "content"), ("memory_cases", "outcome"), ("memory_outcomes", "outcome")]
        {
            let gone = self.strike(burial, (&of(table), "id", column), &|id| {
                connection.prepare_cached(&format!("DELETE FROM {table} WHERE id = ?1"))?.execute([id])
            })?;
            cases.set(cases.get() + gone);
        }
        struck.cases += cases.get();
        for column in ["dimension", "statement", "tools", "words"] {
            struck.preferences += self.strike(burial, (&of("memory_preferences"), "id", column), &|id| {
                connection.prepare_cached("DELETE FROM memory_preferences WHERE id = ?1")?.execute([id])
            })?;
        }
        for column in ["role", "subject", "content", "reflection"] {
            struck.notes += self.strike(burial, (&of("memory_roles"), "id", column), &|id| {
                connection.prepare_cached("DELETE FROM memory_roles WHERE id = ?1")?.execute([id])
            })?;
        }
        Ok(())
    }

    /// Takes a statement out of the mirror of trades, which is the owner's: a trade leaves whole, an error loses its words.
    fn strike_trades(&self, burial: &Burial, struck: &mut Struck) -> rusqlite::Result<()> {
        let connection = self.connection;
        for mirror in [FILLS, SPOT] {
            let Some(table) = mirror.standing(connection)? else { continue };
            for column in mirror.words.split(", ") {
                let whose = format!("{table} WHERE ?1 = '' AND ?2 = ''");
                struck.trades += self.strike(burial, (&whose, "id", column), &|id| {
                    connection.prepare_cached(&format!("DELETE FROM {table} WHERE id = ?1"))?.execute([id])
                })?;
            }
        }
        if let Some(table) = SYNC.standing(connection)? {
            let whose = format!("{table} WHERE ?1 = '' AND ?2 = ''");
            struck.trades += self.strike(burial, (&whose, "rowid", "last_error"), &|id| {
                let sql = format!("UPDATE {table} SET last_error = NULL WHERE rowid = ?1");
                connection.prepare_cached(&sql)?.execute([id])
            })?;
        }
        Ok(())
    }

    /// Looks at the texts of a column, which are known by another, and strikes those that say it; returns how many.
    fn strike(
        &self,
        burial: &Burial,
        (whose, key, text): (&str, &str, &str),
        take: &dyn Fn(&str) -> rusqlite::Result<usize>,
    ) -> rusqlite::Result<u64> {
        let sql = format!("SELECT {key}, {text} FROM {whose} AND {text} IS NOT NULL");
        let mut holding = Vec::new();
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut keyed = statement.query(params![self.user(), self.agent()])?;
        while let Some(found) = keyed.next()? {
            if burial.holds(&row::text(found, 1)?) {
                holding.push(row::text(found, 0)?);
            }
        }
        let mut struck = 0;
        for key in holding {
            struck += take(&key)? as u64;
        }
        Ok(struck)
    }
}
