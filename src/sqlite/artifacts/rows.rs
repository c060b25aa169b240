//! The rows of artifacts in a database.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;

use super::tables::SEEDS;
use crate::artifacts::{
    Artifact, ArtifactAudit, ArtifactData, ArtifactFilter, ArtifactId, ArtifactKind, ArtifactStatus,
    NewArtifact,
};
use crate::base::access::{Actor, Scope, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::word::{from_word, to_word};
use crate::gate::{Tombstone, TombstoneKey, Tombstones};
use crate::sqlite::database::Database;
use crate::sqlite::error::fold;
use crate::store::artifacts::{ArtifactHome, ArtifactRows, ArtifactUsage, Sees};

const COLUMNS: &str = "id, type, status, title, session_id, is_shared, size, error, created_at, updated_at";

/// The artifacts of a scope in a file.
pub(super) struct SqliteArtifacts {
    pub(super) database: Database,
    pub(super) scope: Scope,
    pub(super) table: &'static str,
}

/// The same, as a connection sees them.
struct Rows<'a> {
    home: &'a SqliteArtifacts,
    connection: &'a Connection,
}

impl ArtifactHome for SqliteArtifacts {
    fn location(&self) -> String {
        self.database.path().display().to_string()
    }

    fn read(&self, id: &ArtifactId, sees: Sees) -> Result<Option<Artifact>> {
        let found = self
            .database
            .read("read an artifact of", |connection| Rows { home: self, connection }.find(id, sees))?;
        found.transpose()
    }

    fn page(&self, filter: &ArtifactFilter, sees: Sees) -> Result<Option<Vec<Artifact>>> {
        let page = self
            .database
            .read("list artifacts of", |connection| Rows { home: self, connection }.page(filter, sees))?;
        page.map(|page| page.into_iter().collect()).transpose()
    }

    fn lines(&self, limit: usize) -> Result<Vec<ArtifactAudit>> {
        self.database.read("read the audit of", |connection| Rows { home: self, connection }.lines(limit))
    }

    fn scrub(&self) -> Result<()> {
        // Who writes without secure deletion leaves words between the rows and in free pages.
        self.database.read("forget in", |connection| connection.execute_batch("VACUUM"))?;
        self.database.truncate_log()
    }

    fn change<T>(
        &self,
        action: &'static str,
        change: impl FnOnce(&mut dyn ArtifactRows) -> Result<T>,
    ) -> Result<T> {
        self.database
            .attempt(action, self.database.file(), |connection| change(&mut Rows { home: self, connection }))
    }
}

impl ArtifactRows for Rows<'_> {
    fn has(&self, id: &ArtifactId) -> Result<bool> {
        let sql = format!(
            "SELECT 1 FROM {} WHERE id = ?1 UNION ALL SELECT 1 FROM memory_artifact_audit WHERE artifact_id = ?1",
            self.home.table
        );
        self.folded(|connection| connection.prepare_cached(&sql)?.exists([id.as_str()]))
    }

    fn get(&self, id: &ArtifactId, sees: Sees) -> Result<Option<Artifact>> {
        self.folded(|_| self.find(id, sees))?.transpose()
    }

    fn usage(&self) -> Result<ArtifactUsage> {
        let sql = format!(
            "SELECT count(*), coalesce(sum(size), 0) FROM {} WHERE user_id = ?1 AND agent_id = ?2",
            self.home.table
        );
        self.folded(|connection| {
            connection.prepare_cached(&sql)?.query_row(self.scope(), |row| {
                let (artifacts, bytes): (i64, i64) = (row.get(0)?, row.get(1)?);
                let plain = |number: i64| u64::try_from(number).unwrap_or(0);
                Ok(ArtifactUsage { artifacts: plain(artifacts), bytes: plain(bytes) })
            })
        })
    }

    fn forgotten(&self) -> Result<Option<Tombstones>> {
        let keys = "SELECT key FROM memory_tombstone_keys WHERE user_id = ?1 AND agent_id = ?2";
        let stones = "SELECT words, mark, digest FROM memory_tombstones WHERE user_id = ?1 AND agent_id = ?2";
        self.folded(|connection| {
            let key = connection
                .prepare_cached(keys)?
                .query_row(self.scope(), |row| row.get::<_, String>(0))
                .optional()?;
            let Some(key) = key.and_then(|key| from_word::<TombstoneKey>(&key)) else { return Ok(None) };
            let mut forgotten = Tombstones::new(key);
            let mut statement = connection.prepare_cached(stones)?;
            let mut found = statement.query(self.scope())?;
            while let Some(row) = found.next()? {
                if let Ok(digest) = row.get::<_, String>(2)?.parse() {
                    forgotten.insert(Tombstone { words: row.get(0)?, mark: row.get(1)?, digest });
                }
            }
            Ok(Some(forgotten).filter(|forgotten| !forgotten.is_empty()))
        })
    }

    fn keep_forgotten(&mut self, stones: &Tombstones, stone: &Tombstone) -> Result<()> {
        let [user, agent] = self.scope();
        self.folded(|connection| {
            let key = hex::encode(stones.key().as_bytes());
            let sql =
                "INSERT OR IGNORE INTO memory_tombstone_keys (user_id, agent_id, key) VALUES (?1, ?2, ?3)";
            connection.prepare_cached(sql)?.execute(params![user, agent, key])?;
            let digest = stone.digest.to_string();
            if stones.contains(stone) {
                let sql = "INSERT OR IGNORE INTO memory_tombstones (user_id, agent_id, words, mark, digest)
                    VALUES (?1, ?2, ?3, ?4, ?5)";
                connection.prepare_cached(sql)?.execute(params![
                    user,
                    agent,
                    stone.words,
                    stone.mark,
                    digest
                ])?;
            } else {
                let sql =
                    "DELETE FROM memory_tombstones WHERE user_id = ?1 AND agent_id = ?2 AND digest = ?3";
                connection.prepare_cached(sql)?.execute(params![user, agent, digest])?;
            }
            Ok(())
        })?;
        // A memory store over the same connection reads them anew.
        self.home.database.has_forgotten();
        Ok(())
    }

    fn ids(&self) -> Result<Vec<ArtifactId>> {
        let sql = format!("SELECT id FROM {} WHERE user_id = ?1 AND agent_id = ?2", self.home.table);
        self.folded(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let found = statement.query_map(self.scope(), |row| row.get::<_, String>(0))?;
            let ids = found.collect::<rusqlite::Result<Vec<_>>>()?;
            Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
        })
    }

    fn put(&mut self, artifact: &Artifact, line: Option<&ArtifactAudit>) -> Result<()> {
        let sql = format!(
            "INSERT INTO {} (user_id, agent_id, {COLUMNS}, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
             ON CONFLICT (id) DO UPDATE SET status = excluded.status, size = excluded.size, error = excluded.error,
                 updated_at = excluded.updated_at, data = excluded.data",
            self.home.table
        );
        let data = artifact.data.as_ref().map(|data| data.to_json().to_string());
        self.folded(|connection| {
            connection.prepare_cached(&sql)?.execute(params![
                self.home.scope.user,
                self.home.scope.agent,
                artifact.id.as_str(),
                artifact.kind.as_str(),
                artifact.status.as_str(),
                artifact.title,
                artifact.session,
                artifact.is_shared,
                i64::try_from(artifact.size).unwrap_or(i64::MAX),
                artifact.message,
                stamp(artifact.created_at),
                stamp(artifact.updated_at),
                data,
            ])?;
            line.map_or(Ok(()), |line| self.tell(line))
        })
    }

    fn remove(&mut self, id: &ArtifactId, line: &ArtifactAudit) -> Result<()> {
        let sql = format!("DELETE FROM {} WHERE id = ?3 AND user_id = ?1 AND agent_id = ?2", self.home.table);
        self.folded(|connection| {
            let scope = &self.home.scope;
            connection.prepare_cached(&sql)?.execute(params![scope.user, scope.agent, id.as_str()])?;
            self.tell(line)
        })
    }

    fn erase(&mut self) -> Result<u64> {
        let sql = format!("DELETE FROM {} WHERE user_id = ?1 AND agent_id = ?2", self.home.table);
        self.folded(|connection| {
            let erased = connection.prepare_cached(&sql)?.execute(self.scope())?;
            let sql = "DELETE FROM memory_artifact_audit WHERE user_id = ?1 AND agent_id = ?2";
            connection.prepare_cached(sql)?.execute(self.scope())?;
            Ok(erased as u64)
        })
    }
}

impl Rows<'_> {
    fn folded<T>(&self, query: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        query(self.connection).map_err(|error| fold("write artifacts of", self.home.database.file(), error))
    }

    fn scope(&self) -> [&str; 2] {
        [&self.home.scope.user, &self.home.scope.agent]
    }

    fn find(&self, id: &ArtifactId, sees: Sees) -> rusqlite::Result<Option<Result<Artifact>>> {
        let sql = format!(
            "SELECT {COLUMNS}, data FROM {} WHERE user_id = ?1 AND agent_id = ?2 AND id = ?3 AND (?4 OR is_shared)",
            self.home.table
        );
        let scope = &self.home.scope;
        let all = sees == Sees::All;
        self.connection
            .prepare_cached(&sql)?
            .query_row(params![scope.user, scope.agent, id.as_str(), all], |row| {
                let data: Option<String> = row.get(10)?;
                Ok(read(row)?.and_then(|artifact| with_data(artifact, data.as_deref())))
            })
            .optional()
    }

    fn page(&self, filter: &ArtifactFilter, sees: Sees) -> rusqlite::Result<Option<Vec<Result<Artifact>>>> {
        let (scope, all) = (&self.home.scope, sees == Sees::All);
        let after: Option<(String, String)> = match &filter.after {
            None => None,
            Some(id) => {
                let sql = format!(
                    "SELECT created_at, id FROM {} WHERE user_id = ?1 AND agent_id = ?2 AND id = ?3 AND (?4 OR is_shared)",
                    self.home.table
                );
                let found = self
                    .connection
                    .prepare_cached(&sql)?
                    .query_row(params![scope.user, scope.agent, id.as_str(), all], |row| {
                        Ok((row.get(0)?, row.get(1)?))
                    })
                    .optional()?;
                let Some(found) = found else { return Ok(None) };
                Some(found)
            }
        };
        let (at, id) = after.unzip();
        let sql = format!(
            "SELECT {COLUMNS} FROM {} WHERE user_id = ?1 AND agent_id = ?2 AND (?3 OR is_shared)
                 AND (?4 IS NULL OR type = ?4) AND (?5 IS NULL OR status = ?5)
                 AND (?6 IS NULL OR (created_at, id) < (?6, ?7))
             ORDER BY created_at DESC, id DESC LIMIT ?8",
            self.home.table
        );
        let kind = filter.kind.map(ArtifactKind::as_str);
        let status = filter.status.map(ArtifactStatus::as_str);
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let found =
            statement.query_map(params![scope.user, scope.agent, all, kind, status, at, id, limit], read)?;
        found.collect::<rusqlite::Result<Vec<_>>>().map(Some)
    }

    fn lines(&self, limit: usize) -> rusqlite::Result<Vec<ArtifactAudit>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT created_at, actor, session_kind, action, artifact_id FROM memory_artifact_audit
             WHERE user_id = ?1 AND agent_id = ?2 ORDER BY number DESC LIMIT ?3",
        )?;
        let scope = &self.home.scope;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut lines = Vec::new();
        let mut found = statement.query(params![scope.user, scope.agent, limit])?;
        while let Some(row) = found.next()? {
            // A line that somebody else wrote may name nothing of ours.
            if let Ok(id) = row.get::<_, String>(4)?.parse() {
                let actor = from_word(&row.get::<_, String>(1)?).unwrap_or(Actor::Library);
                let kind = from_word(&row.get::<_, String>(2)?).unwrap_or(SessionKind::Shared);
                let at = time(&row.get::<_, String>(0)?).unwrap_or_default();
                lines.push(ArtifactAudit::new(at, actor, kind, row.get::<_, String>(3)?, id));
            }
        }
        Ok(lines)
    }

    fn tell(&self, line: &ArtifactAudit) -> rusqlite::Result<()> {
        let sql = "INSERT INTO memory_artifact_audit
                (user_id, agent_id, created_at, actor, session_kind, action, artifact_id)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let (actor, kind) = (to_word(&line.actor), to_word(&line.kind));
        let [user, agent] = self.scope();
        let bound = params![user, agent, stamp(line.at), actor, kind, line.action, line.id.as_str()];
        self.connection.prepare_cached(sql)?.execute(bound).map(drop)
    }
}

/// Reads a row without its data.
fn read(row: &Row<'_>) -> rusqlite::Result<Result<Artifact>> {
    let text = |column: usize| row.get::<_, String>(column);
    let parsed = (
        text(0)?.parse::<ArtifactId>(),
        text(1)?.parse::<ArtifactKind>(),
        text(2)?.parse::<ArtifactStatus>(),
    );
    let times = (time(&text(8)?), time(&text(9)?));
    let ((Ok(id), Ok(kind), Ok(status)), (Some(created_at), Some(updated_at))) = (parsed, times) else {
        return Ok(Err(damaged("a row of an artifact does not read")));
    };
    let new = NewArtifact::new(kind, text(3)?);
    let mut artifact = Artifact::begun(id, &new, created_at);
    (artifact.status, artifact.updated_at) = (status, updated_at);
    (artifact.session, artifact.message) = (row.get(4)?, row.get(7)?);
    artifact.is_shared = row.get(5)?;
    artifact.size = u64::try_from(row.get::<_, i64>(6)?).unwrap_or(0);
    Ok(Ok(artifact))
}

/// Adds the data of a row.
fn with_data(mut artifact: Artifact, data: Option<&str>) -> Result<Artifact> {
    let Some(data) = data else { return Ok(artifact) };
    let data = serde_json::from_slice::<Value>(data.as_bytes()).ok();
    let data = data.and_then(|data| ArtifactData::parse(artifact.kind, data).ok());
    artifact.data =
        Some(data.ok_or_else(|| damaged("the data of an artifact has not the shape of its kind"))?);
    Ok(artifact)
}

fn damaged(what: &'static str) -> Error {
    Error::Corrupt { name: SEEDS.to_owned(), line: 0, column: 0, what }
}

/// Writes a time to the microsecond: texts are in the order of their times.
fn stamp(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
}

fn time(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc())
}
