//! Artifacts: their rows, and their audit.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::memory::{add_tombstone, lift, read_tombstones};
use super::{Columns, Dialect, Driver, DriverExt, Param, params};
use crate::artifacts::{
    Artifact, ArtifactAudit, ArtifactData, ArtifactFilter, ArtifactId, ArtifactKind, ArtifactStatus,
    NewArtifact,
};
use crate::base::access::{Actor, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::word::{from_word, to_word};
use crate::gate::{Tombstone, Tombstones};
use crate::store::artifacts::{ArtifactRows, ArtifactUsage, Sees};

/// The artifacts of a scope inside one transaction.
pub(crate) struct Artifacts<'a> {
    pub(crate) driver: &'a dyn Driver,
    pub(crate) table: &'static str,
    /// Says that other tombstones are kept from now on.
    pub(crate) changes_forgotten: &'a dyn Fn() -> Result<()>,
}

const OF_SCOPE: &str = "WHERE user_id = $1 AND agent_id = $2";

impl ArtifactRows for Artifacts<'_> {
    /// A server shows nothing of other scopes: an id there is no conflict, since each key begins with its scope.
    fn has(&self, id: &ArtifactId) -> Result<bool> {
        let of_scope = self.spell("", "user_id = $1 AND agent_id = $2 AND");
        let sql = format!(
            "SELECT id FROM {} WHERE {of_scope} id = $3
             UNION ALL SELECT artifact_id FROM {} WHERE {of_scope} artifact_id = $3 LIMIT 1",
            self.table,
            self.audit()
        );
        self.driver.finds(&sql, params![id.as_str()])
    }

    fn get(&self, id: &ArtifactId, sees: Sees) -> Result<Option<Artifact>> {
        let sql = format!(
            "SELECT {}, data FROM {} {OF_SCOPE} AND id = $3 AND ($4 OR is_shared <> 0)",
            self.columns(),
            self.table
        );
        self.driver.first(&sql, params![id.as_str(), sees == Sees::All], |found| {
            let artifact = self.read(found)?;
            let Some(data) = found.maybe(10)? else { return Ok(artifact) };
            let data = serde_json::from_slice::<Value>(data.as_bytes()).ok();
            let data = data.and_then(|data| ArtifactData::parse(artifact.kind, data).ok());
            let data =
                data.ok_or_else(|| self.damaged("the data of an artifact has not the shape of its kind"));
            Ok(Artifact { data: Some(data?), ..artifact })
        })
    }

    fn usage(&self) -> Result<ArtifactUsage> {
        let sql =
            format!("SELECT count(*), CAST(coalesce(sum(size), 0) AS bigint) FROM {} {OF_SCOPE}", self.table);
        let usage = self.driver.first(&sql, Vec::new(), |found| {
            Ok(ArtifactUsage { artifacts: found.count(0)?, bytes: found.count(1)? })
        })?;
        Ok(usage.unwrap_or_default())
    }

    fn forgotten(&self) -> Result<Option<Tombstones>> {
        read_tombstones(self.driver)
    }

    fn keep_forgotten(&mut self, stones: &Tombstones, stone: &Tombstone) -> Result<()> {
        if stones.contains(stone) {
            add_tombstone(self.driver, stones.key(), stone)?;
        } else {
            lift(self.driver, stone)?;
        }
        // A memory store of the scope that is open reads them anew.
        (self.changes_forgotten)()
    }

    fn ids(&self) -> Result<Vec<ArtifactId>> {
        let sql = format!("SELECT id FROM {} {OF_SCOPE}", self.table);
        let ids = self.driver.all(&sql, Vec::new(), |found| found.text(0))?;
        Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
    }

    fn put(&mut self, artifact: &Artifact, line: Option<&ArtifactAudit>) -> Result<()> {
        let [error, updated] = [self.spell("error", "message"), self.spell("updated_at", "updated_us")];
        let sql = format!(
            "INSERT INTO {} (user_id, agent_id, {}, data)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
             ON CONFLICT ({}) DO UPDATE SET status = excluded.status, size = excluded.size,
               {error} = excluded.{error}, {updated} = excluded.{updated}, data = excluded.data",
            self.table,
            self.columns(),
            self.spell("id", "user_id, agent_id, id")
        );
        let data = artifact.data.as_ref().map(|data| data.to_json().to_string());
        let values = params![
            artifact.id.as_str(),
            artifact.kind.as_str(),
            artifact.status.as_str(),
            self.words(Some(&artifact.title)),
            self.words(artifact.session.as_deref()),
            i64::from(artifact.is_shared),
            artifact.size,
            self.words(artifact.message.as_deref()),
            self.time(artifact.created_at),
            self.time(artifact.updated_at),
            self.words(data.as_deref()),
        ];
        self.driver.run(&sql, values)?;
        line.map_or(Ok(()), |line| self.tell(line))
    }

    fn remove(&mut self, id: &ArtifactId, line: &ArtifactAudit) -> Result<()> {
        let sql = format!("DELETE FROM {} {OF_SCOPE} AND id = $3", self.table);
        self.driver.run(&sql, params![id.as_str()])?;
        self.tell(line)
    }

    fn erase(&mut self) -> Result<u64> {
        let sql = format!("DELETE FROM {} {OF_SCOPE} RETURNING id", self.table);
        let erased = self.driver.count(&sql, Vec::new())?;
        self.driver.run(&format!("DELETE FROM {} {OF_SCOPE}", self.audit()), Vec::new())?;
        Ok(erased)
    }
}

impl Artifacts<'_> {
    /// Lists artifacts without their data, as [`ArtifactHome::page`](crate::store::artifacts::ArtifactHome::page).
    pub(crate) fn page(&self, filter: &ArtifactFilter, sees: Sees) -> Result<Option<Vec<Artifact>>> {
        let (table, created, all) = (self.table, self.spell("created_at", "created_us"), sees == Sees::All);
        let kind = filter.kind.map(ArtifactKind::as_str);
        let status = filter.status.map(ArtifactStatus::as_str);
        let mut values = params![all, kind, status, filter.limit];
        let which = match &filter.after {
            None => String::new(),
            Some(id) => {
                let sql = format!(
                    "SELECT {created} FROM {table} {OF_SCOPE} AND id = $3 AND ($4 OR is_shared <> 0)"
                );
                let after = self.driver.first(&sql, params![id.as_str(), all], |found| {
                    Ok(match self.driver.dialect() {
                        Dialect::Sqlite => found.maybe(0)?.into(),
                        Dialect::Postgres => found.number(0)?.into(),
                    })
                })?;
                let Some(after) = after else { return Ok(None) };
                values.extend([after, id.as_str().into()]);
                format!("AND ({created}, id) < ($7, $8)")
            }
        };
        let sql = format!(
            "SELECT {} FROM {table} {OF_SCOPE} AND ($3 OR is_shared <> 0) AND ($4 IS NULL OR type = $4)
               AND ($5 IS NULL OR status = $5) {which} ORDER BY {created} DESC, id DESC LIMIT $6",
            self.columns()
        );
        self.driver.all(&sql, values, |found| self.read(found)).map(Some)
    }

    /// Returns the audit, the latest line first.
    pub(crate) fn lines(&self, limit: usize) -> Result<Vec<ArtifactAudit>> {
        let sql = format!(
            "SELECT {}, actor, session_kind, action, artifact_id FROM {} {OF_SCOPE} ORDER BY number DESC LIMIT $3",
            self.spell("created_at", "at_us"),
            self.audit()
        );
        let lines = self.driver.all(&sql, params![limit], |found| {
            // A line that somebody else wrote may name nothing of ours.
            let Ok(id) = found.text(4)?.parse() else { return Ok(None) };
            let actor = from_word(&found.text(1)?).unwrap_or(Actor::Library);
            let kind = from_word(&found.text(2)?).unwrap_or(SessionKind::Shared);
            let at = self.read_time(found, 0)?.unwrap_or_default();
            Ok(Some(ArtifactAudit::new(at, actor, kind, found.text(3)?, id)))
        })?;
        Ok(lines.into_iter().flatten().collect())
    }

    fn tell(&self, line: &ArtifactAudit) -> Result<()> {
        let sql = format!(
            "INSERT INTO {} (user_id, agent_id, {}, actor, session_kind, action, artifact_id{})
             SELECT $1, $2, $3, $4, $5, $6, $7{}",
            self.audit(),
            self.spell("created_at", "at_us"),
            self.spell("", ", number"),
            self.spell(
                "",
                ", coalesce(max(number), 0) + 1 FROM artifact_audit WHERE user_id = $1 AND agent_id = $2"
            )
        );
        let (actor, kind) = (to_word(&line.actor), to_word(&line.kind));
        self.driver.run(&sql, params![self.time(line.at), actor, kind, &line.action, line.id.as_str()])
    }

    /// Returns the spelling of a part of one statement alone.
    fn spell(&self, sqlite: &'static str, postgres: &'static str) -> &'static str {
        self.driver.dialect().spell(sqlite, postgres)
    }

    fn audit(&self) -> &'static str {
        self.spell("memory_artifact_audit", "artifact_audit")
    }

    /// Returns the columns that [`read`](Self::read) reads.
    fn columns(&self) -> &'static str {
        self.spell(
            "id, type, status, title, session_id, is_shared, size, error, created_at, updated_at",
            "id, type, status, title, session, is_shared, size, message, created_us, updated_us",
        )
    }

    /// Returns words as a value. A server keeps them as bytes: its texts have no zero character.
    fn words(&self, text: Option<&str>) -> Param {
        match self.driver.dialect() {
            Dialect::Sqlite => text.into(),
            Dialect::Postgres => Param::MaybeBytes(text.map(|text| text.as_bytes().to_vec())),
        }
    }

    /// Returns a time to the microsecond as a value: texts are in the order of their times.
    fn time(&self, at: DateTime<Utc>) -> Param {
        match self.driver.dialect() {
            Dialect::Sqlite => at.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string().into(),
            Dialect::Postgres => at.timestamp_micros().into(),
        }
    }

    fn read_time(&self, found: &dyn Columns, column: usize) -> Result<Option<DateTime<Utc>>> {
        match self.driver.dialect() {
            Dialect::Sqlite => found.time(column),
            Dialect::Postgres => Ok(DateTime::from_timestamp_micros(found.number(column)?)),
        }
    }

    /// Reads a row without its data.
    fn read(&self, found: &dyn Columns) -> Result<Artifact> {
        let parsed = (found.text(0)?.parse(), found.text(1)?.parse(), found.text(2)?.parse());
        let times = (self.read_time(found, 8)?, self.read_time(found, 9)?);
        let ((Ok(id), Ok(kind), Ok(status)), (Some(created_at), Some(updated_at))) = (parsed, times) else {
            return Err(self.damaged("a row of an artifact does not read"));
        };
        let new = NewArtifact::new(kind, found.text(3)?);
        let mut artifact = Artifact::begun(id, &new, created_at);
        (artifact.status, artifact.updated_at) = (status, updated_at);
        (artifact.session, artifact.message) = (found.maybe(4)?, found.maybe(7)?);
        (artifact.is_shared, artifact.size) = (found.number(5)? != 0, found.count(6)?);
        Ok(artifact)
    }

    fn damaged(&self, what: &'static str) -> Error {
        let name = self.spell("chat_artifacts", "artifacts").to_owned();
        Error::Corrupt { name, line: 0, column: 0, what }
    }
}
