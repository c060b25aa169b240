//! What is forgotten for good: the rows that say it, and the tombstone that keeps it out.

use std::sync::{Arc, PoisonError};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

use super::Inner;
use super::fact::{FACT, read};
use super::row::{self, COLUMNS, NOTES};
use crate::base::access::{Access, Actor};
use crate::base::error::{Error, Result};
use crate::base::receipt::PlaceReceipt;
use crate::gate::{Tombstone, TombstoneKey, Tombstones};
use crate::memory::MemoryId;
use crate::sqlite::error::fold;
use crate::store::forget::{self, Burial, REMOVED};
use crate::store::{self, Deed, row_name};

/// What is forgotten, as of a version of the file's data, which grows with each commit of another connection, and of how
/// often this one forgot.
pub(super) type Known = Option<((i64, u64), Option<Arc<Tombstones>>)>;

/// How much goes of a scope.
#[derive(Default)]
struct Gone {
    rows: Vec<MemoryId>,
    profile: u64,
    learnings: u64,
    reasons: u64,
}

impl Inner {
    /// What this scope has forgotten; `None` for nothing.
    pub(super) fn forgotten(&self, connection: &Connection) -> rusqlite::Result<Option<Arc<Tombstones>>> {
        let data: i64 =
            connection.prepare_cached("PRAGMA data_version")?.query_row([], |found| found.get(0))?;
        let version = (data, self.database.forgets());
        let mut known = self.forgotten.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, forgotten)) = &*known
            && *at == version
        {
            return Ok(forgotten.clone());
        }
        let forgotten = self.read_forgotten(connection)?.map(Arc::new);
        *known = Some((version, forgotten.clone()));
        Ok(forgotten)
    }

    fn read_forgotten(&self, connection: &Connection) -> rusqlite::Result<Option<Tombstones>> {
        let Some(key) = self.key(connection)? else { return Ok(None) };
        let mut statement = connection.prepare_cached(
            "SELECT words, mark, digest FROM memory_tombstones WHERE user_id = ?1 AND agent_id = ?2",
        )?;
        let mut forgotten = Tombstones::new(key);
        let mut stones = statement.query(params![self.user, self.agent])?;
        while let Some(stone) = stones.next()? {
            if let Ok(digest) = row::text(stone, 2)?.parse() {
                forgotten.insert(Tombstone { words: stone.get(0)?, mark: stone.get(1)?, digest });
            }
        }
        Ok(Some(forgotten).filter(|forgotten| !forgotten.is_empty()))
    }

    fn key(&self, connection: &Connection) -> rusqlite::Result<Option<TombstoneKey>> {
        let sql = "SELECT key FROM memory_tombstone_keys WHERE user_id = ?1 AND agent_id = ?2";
        let key = connection
            .prepare_cached(sql)?
            .query_row(params![self.user, self.agent], |found| row::text(found, 0))
            .optional()?;
        Ok(key.and_then(|key| serde_json::from_value(serde_json::Value::String(key)).ok()))
    }

    /// The next verb reads anew what is forgotten, also one of another store that shares the connection.
    fn unknow(&self) {
        self.database.has_forgotten();
    }

    pub(super) fn forget(
        &self,
        access: &Access,
        text: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<PlaceReceipt>> {
        let deed = Deed::new(access, "memory_forget", now);
        let forgot = store::main_only(&self.scope, access, &row_name(None)).and_then(|()| {
            let file = self.database.file();
            self.database.attempt("forget in", file, |connection| {
                let folded = |error| fold("forget in", file, error);
                let key = self.key(connection).map_err(folded)?.unwrap_or_else(TombstoneKey::random);
                let burial = Burial::new(&key, text)?;
                let gone = self.holding(connection, access, &burial)?;
                // Before another thread has the connection: it would still know what was forgotten before.
                self.unknow();
                self.bury(connection, &deed, &key, &burial, gone).map_err(folded)
            })
        });
        // It may have been rolled back.
        self.unknow();
        let gone = forgot.map_err(|error| self.refused(&deed, error))?;
        for id in &gone.rows {
            self.config.tell("memory:forgotten", Some(*id));
        }
        // Who writes without secure deletion, as a shell does, leaves words between the rows and in free pages.
        self.database.read("forget in", |connection| connection.execute_batch("VACUUM"))?;
        let is_whole = self.wipe()?;
        let left =
            (!is_whole).then_some("the log of the file: forget it again when whoever reads it now is done");
        Ok(forget::receipt(gone.rows.len() as u64, gone.profile, gone.learnings, gone.reasons, left))
    }

    /// The rows that say it, deleted and retired ones too; refused where one is not this actor's.
    fn holding(&self, connection: &Connection, access: &Access, burial: &Burial) -> Result<Gone> {
        let folded = |error| fold("forget in", self.database.file(), error);
        let sql = format!(
            "SELECT {COLUMNS}, {FACT} FROM memories m WHERE m.user_id = ?1 AND m.agent_id = ?2 ORDER BY m.id"
        );
        let mut statement = connection.prepare_cached(&sql).map_err(folded)?;
        let mut rows = statement.query(params![self.user, self.agent]).map_err(folded)?;
        let mut gone = Gone::default();
        while let Some(found) = rows.next().map_err(folded)? {
            let fact = read(found).map_err(folded)?;
            // Notes of another program may have a part that is not read.
            let notes = row::maybe(found, NOTES).map_err(folded)?;
            let is_in_notes = notes.is_some_and(|notes| burial.holds(&notes));
            if is_in_notes || burial.is_in(&fact.memory, fact.key.as_ref()) {
                let id = fact.memory.id;
                if !forget::may_forget(access, &fact.memory, Some(fact.status)) {
                    return Err(Error::Denied { name: row_name(Some(id)), kind: access.kind });
                }
                gone.rows.push(id);
            }
        }
        Ok(gone)
    }

    fn bury(
        &self,
        connection: &Connection,
        deed: &Deed<'_>,
        key: &TombstoneKey,
        burial: &Burial,
        mut gone: Gone,
    ) -> rusqlite::Result<Gone> {
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO memory_tombstone_keys (user_id, agent_id, key) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![self.user, self.agent, hex::encode(key.as_bytes())])?;
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO memory_tombstones (user_id, agent_id, words, mark, digest)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                self.user,
                self.agent,
                burial.stone.words,
                burial.stone.mark,
                burial.stone.digest.to_string()
            ])?;
        for id in &gone.rows {
            connection.prepare_cached("DELETE FROM memories WHERE id = ?1")?.execute([id.get()])?;
            self.record_done(connection, &Deed { action: REMOVED, ..deed.clone() }.to(*id))?;
        }
        let profile = if self.user.is_empty() {
            "user_profile WHERE ?1 = '' AND ?2 = ''"
        } else {
            "guest_profile WHERE user_id = ?1 AND agent_id = ?2"
        };
        // A key may say it too. The keys of others are not looked at: theirs may be the same.
        for column in ["value", "key"] {
            gone.profile += self.strike(connection, burial, (profile, "key", column), |key| {
                let sql = format!("DELETE FROM {profile} AND key = ?3");
                connection.prepare_cached(&sql)?.execute(params![self.user, self.agent, key])
            })?;
        }
        let learned = "memory_learnings WHERE user_id = ?1 AND agent_id = ?2";
        for column in ["content", "context"] {
            gone.learnings += self.strike(connection, burial, (learned, "id", column), |id| {
                connection.prepare_cached("DELETE FROM memory_learnings WHERE id = ?1")?.execute([id])
            })?;
        }
        for (table, column) in [
            ("memory_audit", "reason"),
            ("memory_audit", "source"),
            ("memory_audit", "origin"),
            ("memory_consolidation_events", "reason"),
        ] {
            let whose = format!("{table} WHERE user_id = ?1 AND agent_id = ?2");
            gone.reasons += self.strike(connection, burial, (&whose, "id", column), |id| {
                let sql = format!("UPDATE {table} SET {column} = NULL WHERE id = ?1");
                connection.prepare_cached(&sql)?.execute([id])
            })?;
        }
        self.record_done(connection, deed)?;
        Ok(gone)
    }

    /// Looks at the texts of a column, which are known by another, and strikes those that say it; returns how many.
    fn strike(
        &self,
        connection: &Connection,
        burial: &Burial,
        (whose, key, text): (&str, &str, &str),
        take: impl Fn(&str) -> rusqlite::Result<usize>,
    ) -> rusqlite::Result<u64> {
        let sql = format!("SELECT {key}, {text} FROM {whose} AND {text} IS NOT NULL");
        let mut holding = Vec::new();
        let mut statement = connection.prepare_cached(&sql)?;
        let mut keyed = statement.query(params![self.user, self.agent])?;
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

    pub(super) fn lift(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<bool> {
        let deed = Deed::new(access, "memory_lift", now);
        let name = row_name(None);
        let lifted = store::main_only(&self.scope, access, &name).and_then(|()| {
            if access.actor != Actor::Human {
                return Err(Error::Denied { name, kind: access.kind });
            }
            self.database.change("lift in", |connection| {
                let Some(stone) = self.key(connection)?.and_then(|key| Tombstones::new(key).bury(text))
                else {
                    return Ok(false);
                };
                let lifted = connection
                    .prepare_cached(
                        "DELETE FROM memory_tombstones WHERE user_id = ?1 AND agent_id = ?2 AND digest = ?3",
                    )?
                    .execute(params![self.user, self.agent, stone.digest.to_string()])?;
                self.unknow();
                if lifted > 0 {
                    self.record_done(connection, &deed)?;
                }
                Ok(lifted > 0)
            })
        });
        self.unknow();
        lifted.map_err(|error| self.refused(&deed, error))
    }

    /// Takes what was deleted out of the parts of the index and out of the log; `false` where somebody reads the
    /// log just now.
    pub(super) fn wipe(&self) -> Result<bool> {
        // The words of a removed row stay in the index until its parts are merged, and its page in the log until
        // that is written back.
        self.database.change("purge", |connection| {
            connection.execute_batch("INSERT INTO memories_fts (memories_fts) VALUES ('optimize')")
        })?;
        let busy: i64 = self.database.read("purge", |connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |found| found.get(0))
        })?;
        Ok(busy == 0)
    }
}
