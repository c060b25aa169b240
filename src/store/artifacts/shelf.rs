//! The rules of all homes of artifacts.

use chrono::{DateTime, Utc};

use super::config::ArtifactConfig;
use super::rows::{ArtifactHome, ArtifactRows, Sees};
use crate::artifacts::{
    Artifact, ArtifactAudit, ArtifactData, ArtifactEventName, ArtifactFilter, ArtifactId, ArtifactStatus,
    NewArtifact, not_found,
};
use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::{Name, StateName};
use crate::base::receipt::{ForgetPlace, PlaceReceipt};
use crate::base::text::{Unit, head};
use crate::disk::host;
use crate::gate::{
    Door, DoorPolicy, FORGOTTEN, InjectionPolicy, Masks, SecretPolicy, TombstoneKey, Tombstones,
};

/// The artifacts of one scope.
pub(crate) struct Shelf<H> {
    home: H,
    scope: Scope,
    config: ArtifactConfig,
}

/// The longest title, and the longest name of a session, in bytes.
const LONGEST_TITLE: usize = 512;
/// The longest message of an error, in bytes.
const LONGEST_MESSAGE: usize = 2_000;

const UNKNOWN: &str = "no artifact has this id; list the artifacts, and copy the reference from there";

impl<H: ArtifactHome> Shelf<H> {
    pub(crate) fn new(home: H, scope: Scope, config: ArtifactConfig) -> Self {
        Self { home, scope, config }
    }

    #[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "a folder has no backup of its own"))]
    pub(crate) fn home(&self) -> &H {
        &self.home
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    pub(crate) fn config(&self) -> &ArtifactConfig {
        &self.config
    }

    pub(crate) fn location(&self) -> String {
        self.home.location()
    }

    pub(crate) fn insert(
        &self,
        access: &Access,
        new: &NewArtifact,
        now: DateTime<Utc>,
    ) -> Result<ArtifactId> {
        let name: Name = StateName::new_row("artifact").into();
        if access.scope != self.scope {
            return Err(Error::Denied { name, kind: access.kind });
        }
        let session = new.session.as_deref().unwrap_or_default();
        for text in [&*new.title, session] {
            if text.len() > LONGEST_TITLE {
                let (len, limit) = (text.len() as u64, LONGEST_TITLE as u64);
                return Err(Error::TooLarge { name, len, limit });
            }
        }
        self.admit(access, &name, &new.title)?;
        let mut new = new.clone();
        new.is_shared |= !access.reads_memory();
        let artifact = self.home.change("begin an artifact in", |rows| {
            Self::remembers(rows, &name, &[session, &new.title].join("\n"))?;
            let id = loop {
                let id = ArtifactId::of(new.kind, &host::token()[..16]);
                if !rows.has(&id)? {
                    break id;
                }
            };
            if let Some(limit) = self.config.max_artifacts
                && rows.usage()?.artifacts >= limit
            {
                return Err(Error::QuotaReached { what: "artifacts", limit });
            }
            let artifact = Artifact::begun(id, &new, now);
            rows.put(&artifact, Some(&line(access, "artifact_insert", &artifact.id, now)))?;
            Ok(artifact)
        })?;
        self.config.tell(ArtifactEventName::Running, artifact.uri());
        Ok(artifact.id)
    }

    pub(crate) fn update(
        &self,
        access: &Access,
        id: &ArtifactId,
        draft: &ArtifactData,
        now: DateTime<Utc>,
    ) -> Result<Artifact> {
        let (action, event) = (None, ArtifactEventName::Updated);
        self.fill(access, id, draft, (action, event, ArtifactStatus::Running), now)
    }

    pub(crate) fn mark_completed(
        &self,
        access: &Access,
        id: &ArtifactId,
        data: &ArtifactData,
        now: DateTime<Utc>,
    ) -> Result<Artifact> {
        let (action, event) = (Some("artifact_complete"), ArtifactEventName::Completed);
        self.fill(access, id, data, (action, event, ArtifactStatus::Completed), now)
    }

    pub(crate) fn mark_error(
        &self,
        access: &Access,
        id: &ArtifactId,
        message: &str,
        now: DateTime<Utc>,
    ) -> Result<Artifact> {
        let name: Name = StateName::row("artifacts", id).into();
        let policy = DoorPolicy::new(SecretPolicy::Redact, InjectionPolicy::Block);
        let masked =
            self.config.doors.judge(Door::PromptLoad, policy, &name, message, &mut Masks::default())?.text;
        let message = head(&masked, LONGEST_MESSAGE, Unit::Bytes).to_owned();
        let ended = self.home.change("end an artifact in", |rows| {
            let mut artifact = self.running(rows, access, id)?;
            artifact.status = ArtifactStatus::Error;
            let stones = rows.forgotten()?;
            artifact.message = Some(match &stones {
                Some(stones) => stones.struck(&message).into_owned(),
                None => message,
            });
            (artifact.data, artifact.size) = (None, 0);
            artifact.updated_at = now;
            rows.put(&artifact, Some(&line(access, "artifact_error", id, now)))?;
            Ok(artifact)
        })?;
        self.config.tell(ArtifactEventName::Error, ended.uri());
        Ok(ended)
    }

    /// Gives an artifact that runs its data.
    fn fill(
        &self,
        access: &Access,
        id: &ArtifactId,
        data: &ArtifactData,
        (action, event, status): (Option<&'static str>, ArtifactEventName, ArtifactStatus),
        now: DateTime<Utc>,
    ) -> Result<Artifact> {
        let name: Name = StateName::row("artifacts", id).into();
        if !id.may_be(data.kind()) {
            return Err(OTHER_KIND);
        }
        data.check()?;
        let (size, limit) = (data.size(), self.config.max_artifact_bytes);
        if size > limit {
            return Err(Error::TooLarge { name, len: size, limit });
        }
        // Nobody learns by the answer of a door what an artifact of others holds.
        self.seen(access, id)?;
        self.admit(access, &name, &data.words())?;
        let filled = self.home.change("write an artifact of", |rows| {
            let mut artifact = self.running(rows, access, id)?;
            if artifact.kind != data.kind() {
                return Err(OTHER_KIND);
            }
            self.check_bytes(rows, artifact.size, size)?;
            Self::remembers(rows, &name, &data.words())?;
            artifact.status = status;
            (artifact.data, artifact.size) = (Some(data.clone()), size);
            artifact.updated_at = now;
            rows.put(&artifact, action.map(|action| line(access, action, id, now)).as_ref())?;
            Ok(artifact)
        })?;
        self.config.tell(event, filled.uri());
        Ok(filled)
    }

    /// Refuses data that does not fit beside the present data.
    fn check_bytes(&self, rows: &dyn ArtifactRows, before: u64, after: u64) -> Result<()> {
        let Some(limit) = self.config.max_bytes else { return Ok(()) };
        if rows.usage()?.bytes.saturating_sub(before).saturating_add(after) > limit {
            return Err(Error::QuotaReached { what: "bytes of artifacts", limit });
        }
        Ok(())
    }

    pub(crate) fn get(&self, access: &Access, id: &ArtifactId) -> Result<Artifact> {
        let found = match self.sees(access) {
            Some(sees) => self.home.read(id, sees)?,
            None => None,
        };
        found.ok_or_else(|| not_found(id.as_str(), UNKNOWN))
    }

    pub(crate) fn list(&self, access: &Access, filter: &ArtifactFilter) -> Result<Vec<Artifact>> {
        let Some(sees) = self.sees(access) else { return Ok(Vec::new()) };
        let page = self.home.page(filter, sees)?;
        page.ok_or_else(|| {
            let after = filter.after.as_ref().map_or("", ArtifactId::as_str);
            not_found(after, "the last artifact of the page before is gone; begin the list anew")
        })
    }

    pub(crate) fn delete(&self, access: &Access, id: &ArtifactId, now: DateTime<Utc>) -> Result<bool> {
        if access.scope != self.scope || access.kind != SessionKind::Main {
            return Err(Error::Denied { name: StateName::row("artifacts", id).into(), kind: access.kind });
        }
        let removed = self.home.change("delete an artifact of", |rows| {
            let Some(artifact) = rows.get(id, Sees::All)? else { return Ok(None) };
            rows.remove(id, &line(access, "artifact_delete", id, now))?;
            Ok(Some(artifact))
        })?;
        if let Some(artifact) = &removed {
            self.config.tell(ArtifactEventName::Deleted, artifact.uri());
        }
        Ok(removed.is_some())
    }

    pub(crate) fn forget(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<PlaceReceipt> {
        self.check_main(access, access.actor)?;
        let removed = self.home.change("forget in", |rows| {
            let mut stones = rows.forgotten()?.unwrap_or_else(|| Tombstones::new(TombstoneKey::random()));
            let mut alone = Tombstones::new(stones.key().clone());
            let stone = alone.bury(text).ok_or(Error::Config {
                setting: "the text to forget",
                rule: "must have two words, or eight letters",
            })?;
            alone.insert(stone);
            if stones.insert(stone) {
                rows.keep_forgotten(&stones, &stone)?;
            }
            let mut removed = Vec::new();
            for id in rows.ids()? {
                let Some(artifact) = rows.get(&id, Sees::All)? else { continue };
                if alone.holds(&words(&artifact)) {
                    rows.remove(&id, &line(access, "artifact_forget", &id, now))?;
                    removed.push(artifact.uri());
                }
            }
            Ok(removed)
        })?;
        // Again after one that failed: nothing is found then, and something may be left.
        self.home.scrub()?;
        let count = removed.len() as u64;
        for uri in removed {
            self.config.tell(ArtifactEventName::Forgotten, uri);
        }
        Ok(PlaceReceipt::new(ForgetPlace::Artifacts, count, count))
    }

    pub(crate) fn lift(&self, access: &Access, text: &str) -> Result<bool> {
        self.check_main(access, Actor::Human)?;
        self.home.change("lift in", |rows| {
            let Some(mut stones) = rows.forgotten()? else { return Ok(false) };
            let lifted: Vec<_> = stones.stones_of(text).filter(|stone| stones.contains(stone)).gather();
            let is_lifted = stones.lift(text);
            for stone in &lifted {
                rows.keep_forgotten(&stones, stone)?;
            }
            Ok(is_lifted)
        })
    }

    /// Refuses anybody but an actor of a main session of the scope.
    fn check_main(&self, access: &Access, actor: Actor) -> Result<()> {
        let is_main = access.scope == self.scope && access.kind == SessionKind::Main && access.actor == actor;
        if is_main {
            return Ok(());
        }
        Err(Error::Denied { name: StateName::FORGOTTEN.into(), kind: access.kind })
    }

    pub(crate) fn audit(&self, access: &Access, limit: usize) -> Result<Vec<ArtifactAudit>> {
        match self.sees(access) {
            Some(Sees::All) => self.home.lines(limit),
            _ => Ok(Vec::new()),
        }
    }

    pub(crate) fn adopt(&self, access: &Access, artifact: &Artifact, now: DateTime<Utc>) -> Result<bool> {
        let name: Name = StateName::row("artifacts", &artifact.id).into();
        let is_person = access.kind == SessionKind::Main && access.actor != Actor::Agent;
        if access.scope != self.scope || !is_person {
            return Err(Error::Denied { name, kind: access.kind });
        }
        let mut artifact = artifact.clone();
        artifact.size = 0;
        if let Some(data) = &artifact.data {
            if data.kind() != artifact.kind {
                return Err(OTHER_KIND);
            }
            data.check()?;
            artifact.size = data.size();
        }
        let is_whole = artifact.data.is_some() || artifact.status != ArtifactStatus::Completed;
        if !is_whole || !artifact.id.may_be(artifact.kind) {
            return Err(OTHER_KIND);
        }
        if artifact.size > self.config.max_artifact_bytes {
            let limit = self.config.max_artifact_bytes;
            return Err(Error::TooLarge { name, len: artifact.size, limit });
        }
        let words = words(&artifact);
        self.admit(access, &name, &words)?;
        self.home.change("keep an artifact in", |rows| {
            if rows.has(&artifact.id)? {
                return Ok(false);
            }
            if let Some(limit) = self.config.max_artifacts
                && rows.usage()?.artifacts >= limit
            {
                return Err(Error::QuotaReached { what: "artifacts", limit });
            }
            self.check_bytes(rows, 0, artifact.size)?;
            Self::remembers(rows, &name, &words)?;
            rows.put(&artifact, Some(&line(access, "artifact_import", &artifact.id, now)))?;
            Ok(true)
        })
    }

    pub(crate) fn erase(&self, access: &Access) -> Result<u64> {
        self.check_main(access, Actor::Human)?;
        let erased = self.home.change("erase the artifacts of", |rows| rows.erase())?;
        self.home.scrub()?;
        Ok(erased)
    }

    /// Returns the rows that a session sees; `None` where it is of another scope.
    fn sees(&self, access: &Access) -> Option<Sees> {
        let sees = if access.reads_memory() { Sees::All } else { Sees::Shared };
        (access.scope == self.scope).then_some(sees)
    }

    /// Refuses an artifact that a session does not see.
    fn seen(&self, access: &Access, id: &ArtifactId) -> Result<()> {
        self.get(access, id).map(drop)
    }

    /// Returns an artifact that runs, as a session may change it.
    fn running(&self, rows: &dyn ArtifactRows, access: &Access, id: &ArtifactId) -> Result<Artifact> {
        let found = match self.sees(access) {
            Some(sees) => rows.get(id, sees)?,
            None => None,
        };
        let artifact = found.ok_or_else(|| not_found(id.as_str(), UNKNOWN))?;
        if artifact.status == ArtifactStatus::Running {
            return Ok(artifact);
        }
        Err(Error::ArtifactEnded { artifact: id.to_string(), status: artifact.status.as_str() })
    }

    /// Refuses a text that holds what was forgotten.
    fn remembers(rows: &dyn ArtifactRows, name: &Name, text: &str) -> Result<()> {
        match rows.forgotten()? {
            Some(stones) if stones.holds(text) => Err(Error::Stopped {
                name: name.clone(),
                classes: vec![FORGOTTEN.to_owned()],
                places: Box::default(),
            }),
            _ => Ok(()),
        }
    }

    /// Refuses a text that holds a secret.
    fn admit(&self, access: &Access, name: &Name, text: &str) -> Result<()> {
        let door = Door::WorkspaceWrite;
        let policy = self.config.doors.policy_for(access.actor, door, name);
        self.config.doors.judge(door, policy, name, text, &mut Masks::default()).map(drop)
    }
}

/// Returns all words of an artifact.
fn words(artifact: &Artifact) -> String {
    let data = artifact.data.as_ref().map(ArtifactData::words).unwrap_or_default();
    let texts = [
        Some(artifact.title.as_str()),
        artifact.session.as_deref(),
        artifact.message.as_deref(),
        Some(&data),
    ];
    texts.into_iter().flatten().gather().join("\n")
}

const OTHER_KIND: Error =
    Error::Config { setting: "the data of an artifact", rule: "must be of the kind that was begun" };

fn line(access: &Access, action: &str, id: &ArtifactId, now: DateTime<Utc>) -> ArtifactAudit {
    ArtifactAudit::new(now, access.actor, access.kind, action, id.clone())
}
