//! The rows of artifacts on a server.

use ::postgres::Row;
use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::artifacts::{
    Artifact, ArtifactAudit, ArtifactData, ArtifactFilter, ArtifactId, ArtifactKind, ArtifactStatus,
    NewArtifact,
};
use crate::base::access::{Actor, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::word::{from_word, to_word};
use crate::gate::{Tombstone, TombstoneKey, Tombstones};
use crate::postgres::link::Param;
use crate::postgres::memory::by_chance;
use crate::postgres::scoped::ScopedServer;
use crate::postgres::within::Within;
use crate::store::artifacts::{ArtifactHome, ArtifactRows, ArtifactUsage, Sees};

/// The artifacts of a scope on a server.
pub(super) struct PostgresArtifacts {
    pub(super) scoped: ScopedServer,
}

/// The same inside a transaction.
struct Rows<'a>(&'a Within<'a>);

impl ArtifactHome for PostgresArtifacts {
    fn location(&self) -> String {
        self.scoped.location()
    }

    fn read(&self, id: &ArtifactId, sees: Sees) -> Result<Option<Artifact>> {
        self.scoped.look_within("read an artifact of", |within| Rows(within).find(id, sees))
    }

    fn page(&self, filter: &ArtifactFilter, sees: Sees) -> Result<Option<Vec<Artifact>>> {
        self.scoped.look_within("list artifacts of", |within| Rows(within).page(filter, sees))
    }

    fn lines(&self, limit: usize) -> Result<Vec<ArtifactAudit>> {
        self.scoped.look_within("read the audit of", |within| Rows(within).lines(limit))
    }

    /// The server's pages keep the words of removed rows until its next vacuum, which is its owner's to ask for.
    fn scrub(&self) -> Result<()> {
        Ok(())
    }

    fn change<T>(
        &self,
        action: &'static str,
        change: impl FnOnce(&mut dyn ArtifactRows) -> Result<T>,
    ) -> Result<T> {
        self.scoped.change_within(action, |within| change(&mut Rows(within)))
    }
}

impl ArtifactRows for Rows<'_> {
    /// Of other scopes nothing is seen: an id there is no conflict, since each key begins with its scope.
    fn has(&self, id: &ArtifactId) -> Result<bool> {
        let sql = "SELECT id FROM artifacts WHERE user_id = $1 AND agent_id = $2 AND id = $3
            UNION ALL SELECT artifact_id FROM artifact_audit WHERE user_id = $1 AND agent_id = $2 AND artifact_id = $3
            LIMIT 1";
        Ok(!self.0.run(sql, [id.as_str().into()])?.is_empty())
    }

    fn get(&self, id: &ArtifactId, sees: Sees) -> Result<Option<Artifact>> {
        self.find(id, sees)
    }

    fn usage(&self) -> Result<ArtifactUsage> {
        let sql = "SELECT count(*), coalesce(sum(size), 0)::bigint FROM artifacts WHERE user_id = $1 AND agent_id = $2";
        let rows = self.0.run(sql, [])?;
        let Some(row) = rows.first() else { return Ok(ArtifactUsage::default()) };
        let number = |column| self.0.column::<i64>(row, column).map(|it| u64::try_from(it).unwrap_or(0));
        Ok(ArtifactUsage { artifacts: number(0)?, bytes: number(1)? })
    }

    fn forgotten(&self) -> Result<Option<Tombstones>> {
        let key = "SELECT key FROM memory_tombstone_keys WHERE user_id = $1 AND agent_id = $2";
        let key: Option<String> = self.0.one(key, [])?;
        let Some(key) = key.and_then(|key| from_word::<TombstoneKey>(&key)) else { return Ok(None) };
        let mut forgotten = Tombstones::new(key);
        let stones = "SELECT words, mark, digest FROM memory_tombstones WHERE user_id = $1 AND agent_id = $2";
        for row in self.0.run(stones, [])? {
            let (words, mark): (i64, i64) = (self.0.column(&row, 0)?, self.0.column(&row, 1)?);
            if let (Ok(words), Ok(mark), Ok(digest)) =
                (words.try_into(), mark.try_into(), self.0.column::<String>(&row, 2)?.parse())
            {
                forgotten.insert(Tombstone { words, mark, digest });
            }
        }
        Ok(Some(forgotten).filter(|forgotten| !forgotten.is_empty()))
    }

    fn keep_forgotten(&mut self, stones: &Tombstones, stone: &Tombstone) -> Result<()> {
        let digest = Param::Text(stone.digest.to_string());
        if stones.contains(stone) {
            let key = "INSERT INTO memory_tombstone_keys (user_id, agent_id, key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
            self.0.run(key, [Param::Text(hex::encode(stones.key().as_bytes()))])?;
            let put = "INSERT INTO memory_tombstones (user_id, agent_id, words, mark, digest)
                VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
            let (words, mark) = (i64::from(stone.words), i64::from(stone.mark));
            self.0.run(put, [words.into(), mark.into(), digest])?;
        } else {
            let lift = "DELETE FROM memory_tombstones WHERE user_id = $1 AND agent_id = $2 AND digest = $3";
            self.0.run(lift, [digest])?;
        }
        // A memory store of the scope that is open reads them anew.
        self.0.run(OTHER_TOMBSTONES, [by_chance().into()])?;
        Ok(())
    }

    fn ids(&self) -> Result<Vec<ArtifactId>> {
        let rows = self.0.run("SELECT id FROM artifacts WHERE user_id = $1 AND agent_id = $2", [])?;
        let mut ids = Vec::with_capacity(rows.len());
        for row in &rows {
            ids.extend(self.0.column::<String>(row, 0)?.parse());
        }
        Ok(ids)
    }

    fn put(&mut self, artifact: &Artifact, line: Option<&ArtifactAudit>) -> Result<()> {
        let data = artifact.data.as_ref().map(|data| data.to_json().to_string().into_bytes());
        let bytes =
            |text: &Option<String>| Param::MaybeBytes(text.as_ref().map(|text| text.as_bytes().to_vec()));
        self.0.run(
            PUT,
            [
                artifact.id.as_str().into(),
                artifact.kind.as_str().into(),
                artifact.status.as_str().into(),
                artifact.title.as_bytes().into(),
                bytes(&artifact.session),
                i64::from(artifact.is_shared).into(),
                Param::MaybeBytes(data),
                i64::try_from(artifact.size).unwrap_or(i64::MAX).into(),
                bytes(&artifact.message),
                artifact.created_at.timestamp_micros().into(),
                artifact.updated_at.timestamp_micros().into(),
            ],
        )?;
        line.map_or(Ok(()), |line| self.tell(line))
    }

    fn remove(&mut self, id: &ArtifactId, line: &ArtifactAudit) -> Result<()> {
        let sql = "DELETE FROM artifacts WHERE user_id = $1 AND agent_id = $2 AND id = $3";
        self.0.run(sql, [id.as_str().into()])?;
        self.tell(line)
    }

    fn erase(&mut self) -> Result<u64> {
        let sql = "DELETE FROM artifacts WHERE user_id = $1 AND agent_id = $2 RETURNING 1";
        let erased = self.0.run(sql, [])?.len();
        self.0.run("DELETE FROM artifact_audit WHERE user_id = $1 AND agent_id = $2", [])?;
        Ok(erased as u64)
    }
}

const PUT: &str = "
    INSERT INTO artifacts (user_id, agent_id, id, type, status, title, session, is_shared, data, size, message, created_us, updated_us)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    ON CONFLICT (user_id, agent_id, id) DO UPDATE SET status = excluded.status, size = excluded.size,
      message = excluded.message, updated_us = excluded.updated_us, data = excluded.data";

/// Whole rows; `$3` is the id, and `$4` is 1 for who sees all.
const FIND: &str = "
    SELECT id, type, status, title, session, is_shared, size, message, created_us, updated_us, data FROM artifacts
    WHERE user_id = $1 AND agent_id = $2 AND id = $3 AND ($4 = 1 OR is_shared = 1)";

const PAGE: &str = "
    SELECT id, type, status, title, session, is_shared, size, message, created_us, updated_us FROM artifacts
    WHERE user_id = $1 AND agent_id = $2 AND ($3 = 1 OR is_shared = 1)
      AND ($4::text IS NULL OR type = $4) AND ($5::text IS NULL OR status = $5)
      AND ($6 = '' OR (created_us, id) < (SELECT a.created_us, a.id FROM artifacts a
           WHERE a.user_id = $1 AND a.agent_id = $2 AND a.id = $6))
    ORDER BY created_us DESC, id DESC LIMIT $7";

impl Rows<'_> {
    fn find(&self, id: &ArtifactId, sees: Sees) -> Result<Option<Artifact>> {
        let rows = self.0.run(FIND, [id.as_str().into(), all(sees)])?;
        let Some(row) = rows.first() else { return Ok(None) };
        let mut artifact = self.of(row)?;
        if let Some(data) = self.0.column::<Option<Vec<u8>>>(row, 10)? {
            let data = serde_json::from_slice::<Value>(&data).ok();
            let data = data.and_then(|data| ArtifactData::parse(artifact.kind, data).ok());
            let data =
                data.ok_or_else(|| damaged("the data of an artifact has not the shape of its kind"))?;
            artifact.data = Some(data);
        }
        Ok(Some(artifact))
    }

    fn page(&self, filter: &ArtifactFilter, sees: Sees) -> Result<Option<Vec<Artifact>>> {
        let after = filter.after.as_ref().map_or("", ArtifactId::as_str);
        if let Some(after) = &filter.after
            && self.0.run(FIND, [after.as_str().into(), all(sees)])?.is_empty()
        {
            return Ok(None);
        }
        let word = |word: Option<&str>| Param::MaybeText(word.map(str::to_owned));
        let rows = self.0.run(
            PAGE,
            [
                all(sees),
                word(filter.kind.map(ArtifactKind::as_str)),
                word(filter.status.map(ArtifactStatus::as_str)),
                after.into(),
                i64::try_from(filter.limit).unwrap_or(i64::MAX).into(),
            ],
        )?;
        rows.iter().map(|row| self.of(row)).collect::<Result<_>>().map(Some)
    }

    fn lines(&self, limit: usize) -> Result<Vec<ArtifactAudit>> {
        let sql = "SELECT at_us, actor, session_kind, action, artifact_id FROM artifact_audit
            WHERE user_id = $1 AND agent_id = $2 ORDER BY number DESC LIMIT $3";
        let mut lines = Vec::new();
        for row in self.0.run(sql, [i64::try_from(limit).unwrap_or(i64::MAX).into()])? {
            let text = |column| self.0.column::<String>(&row, column);
            // A line that somebody else wrote may name nothing of ours.
            if let Ok(id) = text(4)?.parse() {
                let actor = from_word(&text(1)?).unwrap_or(Actor::Library);
                let kind = from_word(&text(2)?).unwrap_or(SessionKind::Shared);
                lines.push(ArtifactAudit::new(time(self.0.column(&row, 0)?), actor, kind, text(3)?, id));
            }
        }
        Ok(lines)
    }

    fn tell(&self, line: &ArtifactAudit) -> Result<()> {
        let sql = "INSERT INTO artifact_audit (user_id, agent_id, number, at_us, actor, session_kind, action, artifact_id)
            SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7 FROM artifact_audit
            WHERE user_id = $1 AND agent_id = $2";
        let params = [
            line.at.timestamp_micros().into(),
            Param::Text(to_word(&line.actor)),
            Param::Text(to_word(&line.kind)),
            Param::from(&*line.action),
            line.id.as_str().into(),
        ];
        self.0.run(sql, params).map(drop)
    }

    /// Reads a row without its data.
    fn of(&self, row: &Row) -> Result<Artifact> {
        let text = |column| self.0.column::<String>(row, column);
        let bytes = |column| {
            let bytes: Option<Vec<u8>> = self.0.column(row, column)?;
            Ok::<_, Error>(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        };
        let number = |column| self.0.column::<i64>(row, column);
        let (Ok(id), Ok(kind), Ok(status)) = (
            text(0)?.parse::<ArtifactId>(),
            text(1)?.parse::<ArtifactKind>(),
            text(2)?.parse::<ArtifactStatus>(),
        ) else {
            return Err(damaged("a row of an artifact does not read"));
        };
        let new = NewArtifact::new(kind, self.0.text(row, 3)?);
        let mut artifact = Artifact::begun(id, &new, time(number(8)?));
        (artifact.status, artifact.updated_at) = (status, time(number(9)?));
        (artifact.session, artifact.message) = (bytes(4)?, bytes(7)?);
        artifact.is_shared = number(5)? == 1;
        artifact.size = u64::try_from(number(6)?).unwrap_or(0);
        Ok(artifact)
    }
}

fn all(sees: Sees) -> Param {
    i64::from(sees == Sees::All).into()
}

fn damaged(what: &'static str) -> Error {
    Error::Corrupt { name: "artifacts".to_owned(), line: 0, column: 0, what }
}

fn time(micros: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(micros).unwrap_or_default()
}

/// Says that the tombstones of a scope are others now, by a number that no change of them had. Numbers that are missing from the row are 0.
const OTHER_TOMBSTONES: &str = "
    INSERT INTO memory_state AS held (user_id, agent_id, numbers)
    VALUES ($1, $2, array_append(array_fill(0::bigint, ARRAY[14]), $3))
    ON CONFLICT (user_id, agent_id) DO UPDATE SET numbers[15] = $3";
