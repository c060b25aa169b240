//! Random lives of facts, in both stores and in a plain model that was written from the rules as they are documented:
//! after each step all three tell the same, and nobody but the human ever retired what is protected.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use noctuary::exchange::ForgetPlace;
use noctuary::facts::{
    Cardinality, ConsolidationEvent, Decision, EventId, EventOutcome, FactKey, FactState, FactStatus,
    FactStore, StatusChange, SuspectReason, Verdict,
};
use noctuary::format::DreamId;
use noctuary::memory::{Filter, MemoryId, NewMemory, Query, Source, categories};
use noctuary::store::StoreConfig;
use noctuary::testing::MemoryDisk;
use noctuary::{Access, Actor, Error, FileMemoryStore, MemoryStore, Scope, SessionKind, SqliteMemoryStore};
use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::marta::now;

/// How many sequences run: where `NOCTUARY_LONG_TESTS` is set, all of them.
fn sequences() -> u64 {
    if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 10_000 } else { 300 }
}

const STEPS: usize = 24;

/// Statements: the same ones in two forms, and words of which each is found by itself. The model knows values of one key, not
/// values that are told by their words.
const STATEMENTS: [&str; 7] = [
    "Marta lives in Lisbon",
    "- marta  lives in LISBON.",
    "Porto is where Marta lives",
    "Drinks tea",
    "drinks tea!",
    "Drinks coffee",
    "Plays chess on Sundays",
];
const SEARCHED: [&str; 4] = ["Lisbon", "Porto", "tea", "chess"];
const CATEGORIES: [&str; 6] = [
    categories::FACT,
    categories::FACT,
    categories::FACT,
    categories::PREFERENCE,
    categories::PERSONALIZATION,
    categories::OBSERVATION,
];

const DREAMS: [&str; 2] = ["0123456789abcdef", "fedcba9876543210"];

fn main_of(actor: Actor) -> Access {
    Access::new(SessionKind::Main, actor, Scope::user("marta"))
}

/// Something that is done to a store.
#[derive(Debug, Clone)]
enum Step {
    Write(NewMemory),
    Record(NewMemory),
    Restate(MemoryId, &'static str),
    Decide(Decision),
    Revert(EventId),
    Pin(MemoryId, bool),
    Delete(MemoryId),
    Restore(MemoryId),
    Settle,
    Snapshot,
    Purge,
    Forget(&'static str),
    Lift(&'static str),
}

impl Step {
    fn word(&self) -> String {
        match self {
            Self::Write(new) | Self::Record(new) if new.dream.is_some() => "feed".to_owned(),
            Self::Write(_) => "write".to_owned(),
            Self::Record(new) if new.about.is_some() => "record with a key".to_owned(),
            Self::Record(_) => "record".to_owned(),
            Self::Restate(..) => "restate".to_owned(),
            Self::Decide(decision) => format!("{:?}", decision.verdict).to_lowercase(),
            Self::Revert(_) => "revert".to_owned(),
            Self::Pin(_, true) => "pin".to_owned(),
            Self::Pin(_, false) => "unpin".to_owned(),
            Self::Delete(_) => "delete".to_owned(),
            Self::Restore(_) => "restore".to_owned(),
            Self::Settle => "settle".to_owned(),
            Self::Snapshot => "snapshot".to_owned(),
            Self::Purge => "purge".to_owned(),
            Self::Forget(_) => "forget".to_owned(),
            Self::Lift(_) => "lift".to_owned(),
        }
    }

    fn draw(dice: &mut Dice, model: &Model) -> Self {
        let ids = |rows: &dyn Fn(&Row) -> bool| -> Vec<MemoryId> {
            model.rows.values().filter(|row| rows(row)).map(|row| row.id).collect()
        };
        let (all, standing) = (ids(&|_| true), ids(&Row::stands));
        // One that stands, mostly; now and then one that does not, or is not there.
        let row = |dice: &mut Dice| match dice.below(12) {
            0 => MemoryId::new(i64::try_from(dice.below(model.last_id + 2)).unwrap()),
            1 if !all.is_empty() => dice.pick(&all),
            _ if !standing.is_empty() => dice.pick(&standing),
            _ => MemoryId::new(1),
        };
        // It begins with something to decide on.
        match if model.last_id < 4 { dice.below(10) } else { dice.below(30) } {
            0 => Self::Write(drawn(dice)),
            1..=7 => Self::Record(drawn(dice)),
            8 => Self::Restate(row(dice), dice.pick(&STATEMENTS)),
            9..=16 => {
                // Often on what there is to decide on.
                let open = model.open_pairs();
                let (one, other) = match dice.below(3) {
                    0 if !open.is_empty() => dice.pick(&open),
                    _ => {
                        let one = row(dice);
                        let other = [row(dice), row(dice), row(dice)].into_iter().find(|other| *other != one);
                        (one, other.unwrap_or(one))
                    }
                };
                let (one, other) = if dice.one_in(2) { (one, other) } else { (other, one) };
                let decisions = [
                    Decision::supersede(one, other),
                    Decision::supersede(one, other),
                    Decision::duplicate(one, other),
                    Decision::coexist(one, other),
                    Decision::dispute(one, other),
                    Decision::confirm(one),
                    Decision::reject(one),
                ];
                Self::Decide(dice.pick(&decisions))
            }
            17..=19 => {
                // The latest, mostly: an earlier one is often in its way.
                let latest = model.events.len().saturating_sub(dice.below(3)).max(1);
                let any = 1 + dice.below(model.events.len() + 1);
                Self::Revert(EventId::new(i64::try_from(dice.pick(&[latest, latest, any])).unwrap()))
            }
            20..=21 => Self::Pin(row(dice), !dice.one_in(3)),
            22 => Self::Delete(row(dice)),
            23 => {
                let deleted = ids(&|row| row.deleted.is_some());
                Self::Restore(if deleted.is_empty() { row(dice) } else { dice.pick(&deleted) })
            }
            24..=25 => Self::Settle,
            26 => Self::Snapshot,
            27 => Self::Forget(dice.pick(&STATEMENTS)),
            // It is said again sooner or later, so that the rest of a life has something to say.
            28 => Self::Lift(model.forgotten.first().copied().unwrap_or(STATEMENTS[0])),
            _ => Self::Purge,
        }
    }
}

fn drawn(dice: &mut Dice) -> NewMemory {
    let sources = [
        Source::AgentRecorded,
        Source::AgentRecorded,
        Source::UserExplicit,
        Source::UserManual,
        Source::ChatExtracted,
        Source::Imported,
        Source::Dreamed,
    ];
    let mut new = NewMemory::new(dice.pick(&CATEGORIES), dice.pick(&STATEMENTS), dice.pick(&sources));
    let keys = [
        FactKey::one("marta", "home"),
        FactKey::one("Marta ", "HOME"),
        FactKey::many("marta", "home"),
        FactKey::one("ilya", "home"),
        FactKey::many("marta", "drink"),
    ];
    if dice.one_in(2) {
        new = new.about(dice.pick(&keys));
    }
    if dice.one_in(3) {
        new = new.valid_from(now() - TimeDelta::days(dice.below(9)));
    }
    if new.source == Source::Dreamed {
        new = new.of_dream(DreamId::parse(dice.pick(&DREAMS)).unwrap());
    }
    if dice.one_in(6) { new.shared() } else { new }
}

/// A row of the model.
#[derive(Debug, Clone)]
struct Row {
    id: MemoryId,
    new: NewMemory,
    created: DateTime<Utc>,
    updated: DateTime<Utc>,
    /// When, and by whom.
    deleted: Option<(DateTime<Utc>, Actor)>,
    pinned: bool,
    pinned_by_human: bool,
    /// `None` where it never waited, and nothing was ever decided of it.
    status: Option<FactStatus>,
}

impl Row {
    fn status(&self) -> FactStatus {
        self.status.unwrap_or(FactStatus::standing(FactState::Candidate))
    }

    fn state(&self) -> FactState {
        self.status().state
    }

    /// Returns whether its key has one value.
    fn is_single(&self) -> bool {
        self.new.about.as_ref().is_some_and(|key| key.cardinality == Cardinality::One)
    }

    fn is_retired(&self) -> bool {
        matches!(self.state(), FactState::Superseded | FactState::Rejected)
    }

    fn stands(&self) -> bool {
        self.deleted.is_none() && !self.is_retired()
    }

    fn is_typed(&self) -> bool {
        self.new.source == Source::UserManual
    }

    /// Returns whether only the human may retire it.
    fn is_protected(&self) -> bool {
        self.is_typed() || self.pinned || self.state() == FactState::Verified
    }

    /// The table of sources in the manual.
    fn may_edit(&self, actor: Actor) -> bool {
        let is_of_human = self.is_typed() && self.new.category == categories::PERSONALIZATION;
        if actor == Actor::Human { is_of_human } else { !self.is_typed() }
    }

    /// The human deletes any row, and restores it.
    fn may_delete(&self, actor: Actor) -> bool {
        actor == Actor::Human || self.may_edit(actor)
    }

    fn key(&self) -> Option<(String, String)> {
        self.new.about.as_ref().map(|key| (plain(&key.subject), plain(&key.slot)))
    }

    fn statement(&self) -> String {
        plain(self.new.content.trim_start_matches("- ").trim_end_matches(['.', '!']))
    }

    /// Whether it says something that can be said twice.
    fn states(&self) -> bool {
        self.new.about.is_some() || self.new.category != categories::OBSERVATION
    }

    fn says_the_same_as(&self, other: &Self) -> bool {
        self.states()
            && (self.statement(), self.key(), self.new.shared)
                == (other.statement(), other.key(), other.new.shared)
    }
}

fn plain(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A decision as the model tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    id: EventId,
    at: DateTime<Utc>,
    actor: Actor,
    kind: Option<SessionKind>,
    verdict: Verdict,
    older: Option<MemoryId>,
    newer: Option<MemoryId>,
    outcome: EventOutcome,
    reverts: Option<EventId>,
    changes: Vec<StatusChange>,
}

impl Told {
    fn of(event: &ConsolidationEvent) -> Self {
        Self {
            id: event.id,
            at: event.at,
            actor: event.actor,
            kind: event.kind,
            verdict: event.verdict,
            older: event.older,
            newer: event.newer,
            outcome: event.outcome,
            reverts: event.reverts,
            changes: event.changes.clone(),
        }
    }
}

/// A plain store of facts.
struct Model {
    rows: BTreeMap<MemoryId, Row>,
    last_id: usize,
    events: Vec<Told>,
    /// Newer and older row of pairs with one key.
    pairs: Vec<(MemoryId, MemoryId)>,
    config: StoreConfig,
    /// In the words of each request.
    forgotten: Vec<&'static str>,
}

const DENIED: &str = "denied";
const STOPPED: &str = "stopped: forgotten";
const OFF: &str = "undecided: consolidation is switched off";
const NOT_FOUND: &str = "not found";
const PROTECTED: &str = "undecided: only the human retires it";
const BREAKER: &str = "undecided: the limit of retired rows a day is reached";
const BESIDE: &str = "beside another value";
const SINCE: &str = "decided since";
const OUTDATED: &str = "undecided: it is not in the state that the decision needs";

impl Model {
    /// The row at the end of a chain, where nothing of it was removed.
    fn holds_now(&self, row: &Row) -> Option<MemoryId> {
        let mut row = row;
        while row.deleted.is_none() {
            if row.stands() {
                return Some(row.id);
            }
            row = self.rows.get(&row.status().successor?)?;
        }
        None
    }

    fn new(config: StoreConfig) -> Self {
        Self {
            rows: BTreeMap::new(),
            last_id: 0,
            events: Vec::new(),
            pairs: Vec::new(),
            forgotten: Vec::new(),
            config,
        }
    }

    /// Whether a row that is restored would be a second value of its property, of which nobody was told and nobody decided.
    fn is_beside_another_value(&self, id: MemoryId) -> bool {
        let Some(row) = self.rows.get(&id).filter(|row| row.is_single() && !row.is_retired()) else {
            return false;
        };
        let is_told = |other: MemoryId| {
            let is_of_both = |event: &Told| {
                let pair = [event.older, event.newer];
                event.outcome == EventOutcome::Applied
                    && pair.contains(&Some(id))
                    && pair.contains(&Some(other))
            };
            self.pairs.contains(&(id, other))
                || self.pairs.contains(&(other, id))
                || self.events.iter().any(is_of_both)
        };
        self.rows.values().any(|other| {
            other.id != id
                && other.is_single()
                && other.stands()
                && other.key() == row.key()
                && other.statement() != row.statement()
                && !is_told(other.id)
        })
    }

    /// A row that is not deleted.
    fn row(&self, id: MemoryId) -> Option<&Row> {
        self.rows.get(&id).filter(|row| row.deleted.is_none())
    }

    /// Does a step, and says how it ends.
    fn take(&mut self, step: &Step, access: &Access, now: DateTime<Utc>) -> String {
        let is_main = access.kind == SessionKind::Main;
        match step {
            Step::Write(new) | Step::Record(new)
                if may_claim(new, access) && self.is_forgotten(&new.content) =>
            {
                // With others present nothing tells what was forgotten.
                if is_main { STOPPED } else { DENIED }.to_owned()
            }
            Step::Write(new) => self.write(new, access, now).map_or(DENIED.to_owned(), |(id, _)| said(id)),
            Step::Record(new) => {
                self.write(new, access, now).map_or(DENIED.to_owned(), |(id, mut suspects)| {
                    suspects.retain(|id| is_main || self.rows[id].new.shared);
                    format!("{} {suspects:?}", said(id))
                })
            }
            Step::Restate(..)
            | Step::Pin(..)
            | Step::Delete(_)
            | Step::Restore(_)
            | Step::Decide(_)
            | Step::Revert(_)
            | Step::Forget(_)
            | Step::Lift(_)
                if !is_main =>
            {
                DENIED.to_owned()
            }
            Step::Lift(text) => self.lift(text, access),
            Step::Forget(text) => self.forget(text, access),
            Step::Restate(id, content) if self.is_forgotten(content) => {
                self.edit(*id, |row| match row.status.map(|status| status.state) {
                    _ if !row.may_edit(access.actor) => DENIED,
                    Some(_) if row.is_retired() => "false",
                    None | Some(FactState::Pending) => STOPPED,
                    Some(_) => "config content",
                })
            }
            Step::Restate(id, content) => self.edit(*id, |row| {
                if !row.may_edit(access.actor) {
                    return DENIED;
                }
                match row.status.map(|status| status.state) {
                    Some(_) if row.is_retired() => "false",
                    None | Some(FactState::Pending) => {
                        (*content).clone_into(&mut row.new.content);
                        row.updated = now;
                        "true"
                    }
                    Some(_) => "config content",
                }
            }),
            Step::Pin(id, pinned) => self.edit(*id, |row| {
                let is_human = access.actor == Actor::Human;
                let is_theirs = !*pinned && row.pinned_by_human;
                if !is_human && (is_theirs || !row.may_edit(access.actor)) {
                    return DENIED;
                }
                if row.is_retired() {
                    return "false";
                }
                row.pinned = *pinned;
                row.pinned_by_human = *pinned && (is_human || row.pinned_by_human);
                "true"
            }),
            Step::Delete(id) => self.edit(*id, |row| {
                // What the human confirmed or pinned is not the agent's to delete.
                let is_theirs = row.state() == FactState::Verified || row.pinned_by_human;
                if !row.may_delete(access.actor) || (is_theirs && access.actor == Actor::Agent) {
                    return DENIED;
                }
                row.deleted = Some((now, access.actor));
                "true"
            }),
            Step::Restore(id) => {
                let cutoff = self.config.cutoff(now);
                let is_beside = self.is_beside_another_value(*id);
                let deleted =
                    self.rows.get_mut(id).filter(|row| row.deleted.is_some_and(|(at, _)| at >= cutoff));
                match deleted {
                    None => "false",
                    Some(row) if !row.may_delete(access.actor) => DENIED,
                    Some(_) if is_beside => BESIDE,
                    Some(row) => {
                        row.deleted = None;
                        "true"
                    }
                }
                .to_owned()
            }
            Step::Decide(decision) => self.decide(decision, access, now),
            Step::Revert(id) => self.revert(*id, access, now),
            Step::Settle => {
                let (settled, duplicates) = self.settle(now);
                format!("settled {settled}, duplicates {duplicates}")
            }
            Step::Snapshot => {
                self.settle(now);
                format!("{:?}", self.prompt(is_main))
            }
            Step::Purge => self.purge(now),
        }
    }

    fn lift(&mut self, text: &str, access: &Access) -> String {
        if access.actor != Actor::Human {
            return DENIED.to_owned();
        }
        let before = self.forgotten.len();
        self.forgotten.retain(|forgotten| words(forgotten) != words(text));
        (self.forgotten.len() < before).to_string()
    }

    fn forget(&mut self, text: &'static str, access: &Access) -> String {
        let says_it = |row: &Row| words(&row.new.content) == words(text);
        let is_theirs = |row: &Row| row.new.source.is_typed() || row.state() == FactState::Verified;
        if access.actor != Actor::Human && self.rows.values().any(|row| says_it(row) && is_theirs(row)) {
            return DENIED.to_owned();
        }
        let before = self.rows.len();
        self.rows.retain(|_, row| !says_it(row));
        if !self.is_forgotten(text) {
            self.forgotten.push(text);
        }
        format!("forgot {}", before - self.rows.len())
    }

    fn purge(&mut self, now: DateTime<Utc>) -> String {
        let cutoff = self.config.cutoff(now);
        let before = self.rows.len();
        self.rows.retain(|_, row| row.deleted.is_none_or(|(at, _)| at >= cutoff));
        format!("purged {}", before - self.rows.len())
    }

    fn is_forgotten(&self, text: &str) -> bool {
        self.forgotten.iter().any(|forgotten| words(forgotten) == words(text))
    }

    fn edit(&mut self, id: MemoryId, edit: impl FnOnce(&mut Row) -> &'static str) -> String {
        let row = self.rows.get_mut(&id).filter(|row| row.deleted.is_none());
        row.map_or("false", edit).to_owned()
    }

    /// A row that is written: its id, and the rows of the same key that it may contradict.
    fn write(
        &mut self,
        new: &NewMemory,
        access: &Access,
        now: DateTime<Utc>,
    ) -> Option<(MemoryId, Vec<MemoryId>)> {
        if !may_claim(new, access) {
            return None;
        }
        // What a dream promoted is written once, and only what the library deleted comes back.
        let is_it = |row: &&mut Row| {
            new.dream.is_some() && row.new.dream == new.dream && row.new.content == new.content
        };
        let known = self.rows.values_mut().filter(is_it).min_by_key(|row| (row.deleted.is_some(), row.id));
        if let Some(row) = known {
            row.deleted = row.deleted.filter(|(_, actor)| *actor != Actor::Library);
            return Some((row.id, Vec::new()));
        }
        self.last_id += 1;
        let id = MemoryId::new(i64::try_from(self.last_id).unwrap());
        let waits = new.category == categories::FACT && new.source != Source::UserManual;
        let row = Row {
            id,
            new: new.clone(),
            created: now,
            updated: now,
            deleted: None,
            pinned: false,
            pinned_by_human: false,
            status: waits.then(|| FactStatus::standing(FactState::Pending)),
        };
        let contradicts = |other: &&Row| {
            row.is_single()
                && other.is_single()
                && other.stands()
                && other.key() == row.key()
                && other.statement() != row.statement()
        };
        let suspects: Vec<_> =
            self.rows.values().rev().filter(contradicts).take(5).map(|other| other.id).collect();
        self.pairs.extend(suspects.iter().map(|older| (id, *older)));
        self.rows.insert(id, row);
        Some((id, suspects))
    }

    /// Settles what is pending, the oldest first: how many count now, and how many were said already.
    fn settle(&mut self, now: DateTime<Utc>) -> (usize, usize) {
        let (mut settled, mut duplicates) = (0, 0);
        let waiting =
            self.rows.values().filter(|row| row.deleted.is_none() && row.state() == FactState::Pending);
        let waiting: Vec<_> = waiting.map(|row| row.id).collect();
        for id in waiting {
            let row = &self.rows[&id];
            // A value that returned is none that was said already: another one counts, and came between.
            let has_changed = |elder: &Row| {
                self.rows.values().any(|other| {
                    !elder.is_retired()
                        && (elder.id.min(id)..elder.id.max(id)).contains(&other.id)
                        && other.deleted.is_none()
                        && !other.is_retired()
                        && row.is_single()
                        && other.is_single()
                        && other.key() == row.key()
                        && other.statement() != row.statement()
                })
            };
            let says_it = |other: &&Row| {
                other.id != id
                    && !has_changed(other)
                    && other.deleted.is_none()
                    && !matches!(other.state(), FactState::Pending | FactState::Superseded)
                    && other.says_the_same_as(row)
            };
            // One that counts before one that was rejected, and the oldest of them.
            let older = self.rows.values().filter(says_it).min_by_key(|other| (other.is_retired(), other.id));
            let older = older.map(|older| older.id).filter(|_| !row.is_protected());
            let superseded_by = |by: MemoryId| {
                let mut after = FactStatus::standing(FactState::Superseded);
                (after.successor, after.retired_at) = (Some(by), Some(now));
                after
            };
            let candidate = FactStatus::standing(FactState::Candidate);
            // What a dream promoted leaves with its dream: it gives way to what was recorded beside it. And what a stranger
            // said first is the user's once they say it.
            let elder = self.rows.values().filter(says_it).min_by_key(|other| (other.is_retired(), other.id));
            let is_dreamed = |row: &Row| row.new.dream.is_some();
            let is_strange = |row: &Row| row.new.source == Source::Imported;
            let yields = elder.filter(|elder| {
                let is_less = (is_dreamed(elder) && !is_dreamed(row))
                    || (is_strange(elder) && !is_strange(row) && is_dreamed(elder) == is_dreamed(row));
                is_less && !elder.is_protected() && !elder.is_retired()
            });
            let (older, newer, changes) = match (yields, older) {
                (Some(elder), _) => {
                    let settles = StatusChange { id, before: row.status(), after: candidate };
                    let gives_way =
                        StatusChange { id: elder.id, before: elder.status(), after: superseded_by(id) };
                    (Some(id), elder.id, vec![settles, gives_way])
                }
                (None, Some(older)) => {
                    let change = StatusChange { id, before: row.status(), after: superseded_by(older) };
                    (Some(older), id, vec![change])
                }
                (None, None) => (None, id, vec![StatusChange { id, before: row.status(), after: candidate }]),
            };
            let said_at = self.rows[&newer].created;
            if let Some(older) = older {
                // It was said again.
                let older = self.rows.get_mut(&older).unwrap();
                older.updated = older.updated.max(said_at);
                duplicates += 1;
            } else {
                settled += 1;
            }
            self.tell(Told {
                id: EventId::new(0),
                at: now,
                actor: Actor::Library,
                kind: None,
                verdict: Verdict::Settle,
                older,
                newer: Some(newer),
                outcome: EventOutcome::Applied,
                reverts: None,
                changes,
            });
        }
        (settled, duplicates)
    }

    fn decide(&mut self, decision: &Decision, access: &Access, now: DateTime<Utc>) -> String {
        let mut told = Told {
            id: EventId::new(0),
            at: now,
            actor: access.actor,
            kind: Some(access.kind),
            verdict: decision.verdict,
            older: Some(decision.older),
            newer: decision.newer,
            outcome: EventOutcome::Applied,
            reverts: None,
            changes: Vec::new(),
        };
        if self.is_switched_off(access) {
            return OFF.to_owned();
        }
        let against = self.ruled(decision, access, now).and_then(|changes| {
            told.changes = changes;
            self.against(&told.changes, access, now)
        });
        self.end(told, against, access)
    }

    /// How the rows stand after a decision, where they may be decided on.
    fn ruled(
        &self,
        decision: &Decision,
        access: &Access,
        now: DateTime<Utc>,
    ) -> Result<Vec<StatusChange>, EventOutcome> {
        let standing = |id: MemoryId| match self.row(id) {
            None => Err(EventOutcome::NotFound),
            Some(row) if row.is_retired() => Err(EventOutcome::Outdated),
            Some(row) => Ok(row),
        };
        let older = standing(decision.older)?;
        let newer = match decision.newer {
            Some(id) if id == decision.older => return Err(EventOutcome::Outdated),
            Some(id) => Some(standing(id)?),
            None => None,
        };
        if decision.verdict == Verdict::Confirm && access.actor != Actor::Human {
            return Err(EventOutcome::Denied);
        }
        let with = |row: &Row, state: FactState| {
            let mut after = row.status();
            after.state = state;
            (row.id, row.status(), after)
        };
        // What was in dispute is not any more.
        let known = |row: &Row| {
            let is_disputed = row.state() == FactState::Disputed;
            with(row, if is_disputed { FactState::Candidate } else { row.state() })
        };
        let retired = |row: &Row, state, successor: Option<MemoryId>| {
            let (id, before, mut after) = with(row, state);
            (after.successor, after.retired_at) = (successor, Some(now));
            (id, before, after)
        };
        let disputed = |row: &Row| {
            // What the human confirmed stays so.
            with(
                row,
                if row.state() == FactState::Verified { FactState::Verified } else { FactState::Disputed },
            )
        };
        let changes = match (decision.verdict, newer) {
            (Verdict::Supersede, Some(newer)) => {
                let (id, before, mut after) = retired(older, FactState::Superseded, Some(newer.id));
                // It was true until its successor is.
                after.valid_until = newer.new.valid_from.or(after.valid_until);
                vec![(id, before, after), known(newer)]
            }
            (Verdict::Duplicate, Some(newer)) => {
                vec![retired(newer, FactState::Superseded, Some(older.id)), known(older)]
            }
            (Verdict::Coexist, Some(newer)) => vec![known(older), known(newer)],
            (Verdict::Dispute, Some(newer)) => vec![disputed(older), disputed(newer)],
            (Verdict::Confirm, None) => vec![with(older, FactState::Verified)],
            (Verdict::Reject, None) => vec![retired(older, FactState::Rejected, None)],
            other => unreachable!("{other:?}"),
        };
        let changes = changes.into_iter().filter(|(_, before, after)| before != after);
        Ok(changes.map(|(id, before, after)| StatusChange { id, before, after }).collect())
    }

    /// Returns whether the actor is a pass with a model, which is switched off.
    fn is_switched_off(&self, access: &Access) -> bool {
        access.actor == Actor::Library && !self.config.facts.consolidation
    }

    fn revert(&mut self, id: EventId, access: &Access, now: DateTime<Utc>) -> String {
        if self.is_switched_off(access) {
            return OFF.to_owned();
        }
        let decided =
            self.events.iter().find(|event| event.id == id && event.outcome == EventOutcome::Applied);
        let Some(decided) = decided.cloned() else { return NOT_FOUND.to_owned() };
        let mut told = Told {
            id: EventId::new(0),
            at: now,
            actor: access.actor,
            kind: Some(access.kind),
            verdict: Verdict::Revert,
            older: decided.older,
            newer: decided.newer,
            outcome: EventOutcome::Applied,
            reverts: Some(id),
            changes: Vec::new(),
        };
        let is_denied = decided.actor == Actor::Human && access.actor != Actor::Human;
        let later = self.built_upon(&decided).filter(|_| !is_denied);
        let mut back = || {
            if is_denied {
                return Err(EventOutcome::Denied);
            }
            if later.is_some() {
                return Err(EventOutcome::Outdated);
            }
            for change in &decided.changes {
                let row = self.row(change.id).ok_or(EventOutcome::NotFound)?;
                if row.status() != change.after {
                    return Err(EventOutcome::Outdated);
                }
                told.changes.push(StatusChange { id: change.id, before: change.after, after: change.before });
            }
            self.against(&told.changes, access, now)
        };
        let against = back();
        let ending = self.end(told, against, access);
        later.map_or(ending, |by| format!("{SINCE} {}", by.get()))
    }

    /// The last decision that counts and changed what an earlier one was about; what was settled is said by its successor.
    fn built_upon(&self, decided: &Told) -> Option<EventId> {
        if decided.changes.is_empty() {
            return None;
        }
        let mut about: Vec<MemoryId> = decided.older.into_iter().chain(decided.newer).collect();
        about.extend(decided.changes.iter().map(|change| change.id));
        let mut last = None;
        for event in self.events.iter().filter(|event| event.id > decided.id && event.reverts.is_none()) {
            let changed: Vec<_> = event.changes.iter().filter(|change| about.contains(&change.id)).collect();
            if changed.is_empty() || !self.counts(event) {
                continue;
            }
            if event.verdict == Verdict::Settle {
                let successors: Vec<_> = changed.iter().filter_map(|change| change.after.successor).collect();
                about.extend(successors);
            } else {
                last = Some(event.id);
            }
        }
        last
    }

    /// Returns the objections to changes: protection, and the circuit breaker.
    fn against(
        &self,
        changes: &[StatusChange],
        access: &Access,
        now: DateTime<Utc>,
    ) -> Result<(), EventOutcome> {
        let retired: Vec<_> = changes.iter().filter(|change| retires(change)).collect();
        if access.actor == Actor::Human || retired.is_empty() {
            return Ok(());
        }
        if retired.iter().any(|change| self.rows[&change.id].is_protected()) {
            return Err(EventOutcome::Protected);
        }
        let of_a_day = self.events.iter().filter(|event| {
            event.outcome == EventOutcome::Applied
                && event.actor != Actor::Human
                && event.verdict != Verdict::Settle
                && event.at >= now - TimeDelta::days(1)
        });
        let of_a_day = of_a_day.flat_map(|event| &event.changes).filter(|change| retires(change)).count();
        let most = usize::try_from(self.config.facts.max_retired_a_day).unwrap();
        if of_a_day + retired.len() > most { Err(EventOutcome::Breaker) } else { Ok(()) }
    }

    /// Tells how a decision ended.
    fn end(&mut self, mut told: Told, against: Result<(), EventOutcome>, access: &Access) -> String {
        match against {
            Ok(()) if self.config.facts.shadow && access.actor != Actor::Human => {
                told.outcome = EventOutcome::Shadow;
            }
            Ok(()) => {}
            Err(outcome) => {
                told.outcome = outcome;
                told.changes.clear();
            }
        }
        let outcome = told.outcome;
        self.tell(told);
        match outcome {
            EventOutcome::Applied | EventOutcome::Shadow => format!("event {}", self.events.len()),
            EventOutcome::Denied => DENIED.to_owned(),
            EventOutcome::NotFound => NOT_FOUND.to_owned(),
            EventOutcome::Protected => PROTECTED.to_owned(),
            EventOutcome::Breaker => BREAKER.to_owned(),
            _ => OUTDATED.to_owned(),
        }
    }

    fn tell(&mut self, mut told: Told) {
        told.id = EventId::new(i64::try_from(self.events.len() + 1).unwrap());
        if told.outcome == EventOutcome::Applied {
            for change in &told.changes {
                self.rows.get_mut(&change.id).unwrap().status = Some(change.after);
            }
        }
        self.events.push(told);
    }

    /// Whether an event counts: it was applied, and nothing that counts took it back.
    fn counts(&self, event: &Told) -> bool {
        event.outcome == EventOutcome::Applied
            && !self.events.iter().any(|other| other.reverts == Some(event.id) && self.counts(other))
    }

    /// Pairs of standing rows with one key, newer and older, on which no decision that counts was made.
    fn open_pairs(&self) -> Vec<(MemoryId, MemoryId)> {
        let stands = |id: &MemoryId| self.rows.get(id).is_some_and(Row::stands);
        let is_decided = |(newer, older): &(MemoryId, MemoryId)| {
            self.events.iter().any(|event| {
                let pair = (event.older, event.newer);
                let is_of_pair = pair == (Some(*older), Some(*newer)) || pair == (Some(*newer), Some(*older));
                is_of_pair
                    && matches!(
                        event.verdict,
                        Verdict::Supersede | Verdict::Duplicate | Verdict::Coexist | Verdict::Dispute
                    )
                    && self.counts(event)
            })
        };
        let open = self.pairs.iter().filter(|(newer, older)| stands(newer) && stands(older));
        let mut open: Vec<_> = open.filter(|pair| !is_decided(pair)).copied().collect();
        open.sort_unstable();
        open
    }

    /// The rows that stand, the last touched first.
    fn list(&self) -> Vec<&Row> {
        let mut rows: Vec<_> = self.rows.values().filter(|row| row.stands()).collect();
        rows.sort_by_key(|row| Reverse((row.updated, row.id)));
        rows
    }

    fn prompt(&self, is_main: bool) -> Vec<MemoryId> {
        let told = self.list().into_iter().filter(|row| {
            (is_main || row.new.shared)
                && row.new.source != Source::Imported
                && row.state() != FactState::Pending
        });
        let (pinned, rest): (Vec<&Row>, Vec<&Row>) = told.partition(|row| row.pinned);
        pinned.into_iter().chain(rest).map(|row| row.id).collect()
    }

    /// Returns the rows that a row replaced, the row, and its replacements, by the time since which they are true.
    fn history(&self, id: MemoryId) -> Vec<MemoryId> {
        let mut all = BTreeSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if let Some(row) = self.row(id)
                && all.insert(id)
            {
                open.extend(row.status().successor);
                let replaced = |other: &&Row| other.status().successor == Some(id);
                open.extend(self.rows.values().filter(replaced).map(|other| other.id));
            }
        }
        let mut all: Vec<MemoryId> = all.into_iter().collect();
        all.sort_by_key(|id| (self.rows[id].new.valid_from.unwrap_or(self.rows[id].created), *id));
        all
    }
}

fn retires(change: &StatusChange) -> bool {
    !change.before.state.is_retired() && change.after.state.is_retired()
}

fn said(id: MemoryId) -> String {
    format!("row {id}")
}

/// Returns the form of a statement that counts for forgetting.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn may_claim(new: &NewMemory, access: &Access) -> bool {
    match new.source {
        Source::UserManual => access.actor == Actor::Human,
        Source::Dreamed => access.actor != Actor::Agent,
        _ => true,
    }
}

trait Store: MemoryStore + FactStore {}

impl<S: MemoryStore + FactStore> Store for S {}

/// Does a step to a store, and says how it ends.
fn ask(store: &dyn Store, step: &Step, access: &Access, now: DateTime<Utc>) -> String {
    let told = match step {
        Step::Write(new) => store.write(access, new, now).map(said),
        Step::Record(new) => store.record(access, new, now).map(|recorded| {
            let of_key = recorded.suspects.iter().filter(|suspect| suspect.reason == SuspectReason::SameKey);
            format!("{} {:?}", said(recorded.id), of_key.map(|suspect| suspect.id).collect::<Vec<_>>())
        }),
        Step::Restate(id, content) => store.update(access, *id, content, now).map(|done| done.to_string()),
        Step::Decide(decision) => {
            store.decide(access, decision, now).map(|event| format!("event {}", event.id.get()))
        }
        Step::Revert(id) => store.revert(access, *id, now).map(|event| format!("event {}", event.id.get())),
        Step::Pin(id, pinned) => store.pin(access, *id, *pinned, now).map(|done| done.to_string()),
        Step::Delete(id) => store.delete(access, *id, now).map(|done| done.to_string()),
        Step::Restore(id) => store.restore(access, *id, now).map(|done| done.to_string()),
        Step::Settle => store
            .settle(now)
            .map(|settled| format!("settled {}, duplicates {}", settled.settled, settled.duplicates)),
        Step::Snapshot => store
            .snapshot(access, 99, now)
            .map(|rows| format!("{:?}", rows.iter().map(|row| row.id).collect::<Vec<_>>())),
        Step::Purge => {
            let cutoff = StoreConfig::default().cutoff(now);
            store.purge(cutoff, now).map(|purged| format!("purged {purged}"))
        }
        Step::Forget(text) => store.forget(access, text, now).map(|places| {
            let rows = places.iter().find(|line| line.place == ForgetPlace::Rows).unwrap();
            format!("forgot {}", rows.removed)
        }),
        Step::Lift(text) => store.lift(access, text, now).map(|done| done.to_string()),
    };
    told.unwrap_or_else(|error| match error {
        Error::Denied { .. } => DENIED.to_owned(),
        Error::NotFound { .. } => NOT_FOUND.to_owned(),
        Error::Undecided { rule, .. } => format!("undecided: {rule}"),
        Error::DecidedSince { decision, .. } => format!("{SINCE} {decision}"),
        Error::Config { setting, .. } => format!("config {setting}"),
        Error::ValueStands { .. } => BESIDE.to_owned(),
        Error::Stopped { classes, .. } if classes == ["forgotten"] => STOPPED.to_owned(),
        other => panic!("{other:?}"),
    })
}

/// Checks that a store tells what the model does.
fn compare(store: &dyn Store, model: &Model, searched: &[&str]) {
    let human = main_of(Actor::Human);
    let listed = store.list(&human, &Filter::limit(99)).unwrap();
    let listed: Vec<_> =
        listed.iter().map(|row| (row.id, row.content.as_str(), row.pinned, row.updated_at)).collect();
    let expected = model.list();
    let expected: Vec<_> =
        expected.iter().map(|row| (row.id, row.new.content.as_str(), row.pinned, row.updated)).collect();
    assert_eq!(listed, expected, "what is listed");

    for word in searched {
        let hits = store.search(&human, &Query::new(*word).limit(99)).unwrap().hits;
        let hits: BTreeSet<_> = hits.iter().map(|hit| hit.memory.id).collect();
        let has_word = |row: &&&Row| row.new.content.to_lowercase().contains(&word.to_lowercase());
        let rows = model.list();
        let mut expected: BTreeSet<_> = rows.iter().filter(has_word).map(|row| row.id).collect();
        // What held once leads to what holds now, and a key to its fact.
        let says = |row: &&Row| {
            let key = row.new.about.as_ref().map(|key| format!("{} {}", key.subject, key.slot));
            let said = format!("{} {}", row.new.content, key.unwrap_or_default()).to_lowercase();
            said.contains(&word.to_lowercase())
        };
        expected.extend(model.rows.values().filter(says).filter_map(|row| model.holds_now(row)));
        assert_eq!(hits, expected, "what is found of {word}");
    }

    for id in (1..=model.last_id).map(|id| MemoryId::new(i64::try_from(id).unwrap())) {
        let fact = store.fact(&human, id).unwrap();
        let row = model.row(id);
        assert_eq!(fact.as_ref().map(|fact| fact.status), row.map(Row::status), "how row {id} stands");
        if let (Some(fact), Some(row)) = (fact, row) {
            assert_eq!((&fact.key, fact.valid_from), (&row.new.about, row.new.valid_from));
            assert_eq!(fact.is_protected(), row.is_protected(), "whether row {id} is protected");
        }
        let history = store.history(&human, id).unwrap();
        let history: Vec<_> = history.iter().map(|fact| fact.memory.id).collect();
        assert_eq!(history, model.history(id), "the history of row {id}");
    }

    let open = store.suspicions(&human, 999).unwrap();
    let of_key = open.iter().filter(|pair| pair.reason == SuspectReason::SameKey);
    let of_key: Vec<_> = of_key.map(|pair| (pair.newer.memory.id, pair.older.memory.id)).collect();
    assert_eq!(of_key, model.open_pairs(), "the pairs that nobody decided on");

    let told: Vec<_> = store.decisions(&human, 9999).unwrap().iter().rev().map(Told::of).collect();
    assert_eq!(told, model.events, "the decisions");
    let waits = model.rows.values().any(|row| row.deleted.is_none() && row.state() == FactState::Pending);
    assert_eq!(store.is_settling_due().unwrap(), waits);
}

/// How often each step was taken, and how it ended.
#[derive(Default)]
struct Counts(BTreeMap<String, u64>);

impl Counts {
    fn add(&mut self, step: &Step, answer: &str) {
        let is_refused = [DENIED, NOT_FOUND, PROTECTED, BREAKER, OUTDATED, "config content", "false"];
        let ending = match is_refused.iter().find(|refusal| **refusal == answer) {
            Some(refusal) => refusal,
            None if answer.starts_with(SINCE) => SINCE,
            None => "done",
        };
        *self.0.entry(format!("{}: {ending}", step.word())).or_default() += 1;
    }
}

/// Every twentieth life is lived on a server too, which takes longer.
fn on_a_server(seed: u64) -> bool {
    seed.is_multiple_of(20) && noctuary_tests::common::server::is_there()
}

/// One life; returns how many protected rows the human alone retired.
fn live(seed: u64, counts: &mut Counts) -> u64 {
    let mut dice = Dice(seed);
    let mut config = StoreConfig::default();
    config.facts.consolidation = !dice.one_in(5);
    config.facts.shadow = dice.one_in(10);
    config.facts.max_retired_a_day = dice.pick(&[1, 2, 100, 100]);
    let file =
        FileMemoryStore::on_disk(Arc::new(MemoryDisk::new()), Scope::user("marta"), config.clone()).unwrap();
    let sqlite = SqliteMemoryStore::open_in_memory_with(Scope::user("marta"), config.clone()).unwrap();
    let stores: Vec<&dyn Store> = vec![&sqlite, &file];
    let server =
        on_a_server(seed).then(|| noctuary_tests::common::server::rows(Scope::user("marta"), config.clone()));
    let stores =
        stores.into_iter().chain(server.iter().map(|store| store.as_ref() as &dyn Store)).collect::<Vec<_>>();
    let mut model = Model::new(config);
    let mut now = now();
    let mut taken = Vec::new();
    let mut by_human = 0;
    for at in 0..STEPS {
        let searched = if at + 1 == STEPS { &SEARCHED[..] } else { &SEARCHED[at % SEARCHED.len()..][..1] };
        now += dice.pick(&[0, 1, 1, 5, 60, 600, 2000, 20_000].map(TimeDelta::minutes));
        let actor = dice.pick(&[Actor::Human, Actor::Agent, Actor::Agent, Actor::Library]);
        let kind = if dice.one_in(12) { SessionKind::Shared } else { SessionKind::Main };
        let access = Access::new(kind, actor, Scope::user("marta"));
        let step = Step::draw(&mut dice, &model);
        taken.push(format!("{actor:?} {kind:?} {step:?}"));
        let protected: Vec<_> =
            model.rows.values().filter(|row| row.stands() && row.is_protected()).map(|row| row.id).collect();
        let answer = model.take(&step, &access, now);
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for &store in &stores {
                assert_eq!(ask(store, &step, &access, now), answer, "what {store:?} answers");
                compare(store, &model, searched);
                for id in &protected {
                    let fact = store.fact(&main_of(Actor::Human), *id).unwrap();
                    let is_retired = fact.is_some_and(|fact| fact.status.state.is_retired());
                    let is_asked = matches!(step, Step::Decide(_) | Step::Revert(_));
                    assert!(!is_retired || (actor == Actor::Human && is_asked), "row {id} was protected");
                }
            }
            let all = stores.iter().map(|store| {
                let ids = (1..=model.last_id).map(|id| MemoryId::new(i64::try_from(id).unwrap()));
                ids.map(|id| store.fact(&main_of(Actor::Human), id).unwrap()).collect::<Vec<_>>()
            });
            let all: Vec<_> = all.collect();
            assert!(all.windows(2).all(|two| two[0] == two[1]), "all stores hold the same rows");
        }));
        by_human +=
            protected.iter().filter(|id| model.rows.get(id).is_some_and(Row::is_retired)).count() as u64;
        counts.add(&step, &answer);
        if let Err(panic) = checked {
            eprintln!("sequence {seed}:\n{}", taken.join("\n"));
            std::panic::resume_unwind(panic);
        }
    }
    by_human
}

#[test]
#[ignore = "sweep"]
fn whatever_is_done_both_stores_and_the_model_tell_the_same() {
    let (next, all) = (AtomicU64::new(0), sequences());
    let (counts, by_human) = std::thread::scope(|threads| {
        let workers: Vec<_> = (0..2)
            .map(|_| {
                threads.spawn(|| {
                    let (mut counts, mut by_human) = (Counts::default(), 0);
                    loop {
                        let seed = next.fetch_add(1, Ordering::SeqCst);
                        if seed >= all {
                            return (counts, by_human);
                        }
                        by_human += live(seed, &mut counts);
                    }
                })
            })
            .collect();
        let (mut counts, mut by_human) = (Counts::default(), 0);
        for worker in workers {
            let (counted, retired) = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            by_human += retired;
            for (step, times) in counted.0 {
                *counts.0.entry(step).or_default() += times;
            }
        }
        (counts, by_human)
    });
    let told: Vec<_> = counts.0.iter().map(|(step, times)| format!("  {times:>6} {step}")).collect();
    println!("{}", told.join("\n"));
    println!(
        "{all} sequences, both backends equal, 0 protected rows retired but by the human ({by_human} by them)"
    );
    for ending in [
        "supersede: done",
        "duplicate: done",
        "coexist: done",
        "dispute: done",
        "confirm: done",
        "confirm: denied",
        "reject: done",
        "revert: done",
        "restore: done",
        "restate: config content",
        &format!("supersede: {PROTECTED}"),
        &format!("duplicate: {PROTECTED}"),
        &format!("reject: {PROTECTED}"),
        &format!("reject: {BREAKER}"),
        &format!("revert: {OUTDATED}"),
        &format!("revert: {SINCE}"),
    ] {
        assert!(counts.0.get(ending).is_some_and(|times| *times > 0), "{ending} was never seen");
    }
    assert!(by_human > 0);
}

fn both() -> [Box<dyn Store>; 2] {
    let (disk, scope, config) = (Arc::new(MemoryDisk::new()), Scope::user("marta"), StoreConfig::default());
    [
        Box::new(FileMemoryStore::on_disk(disk, scope.clone(), config).unwrap()),
        Box::new(SqliteMemoryStore::open_in_memory(scope).unwrap()),
    ]
}

// A reversal that was taken back left the pair open, although the decision on it counted again; and so did the
// reversal of an earlier one of two decisions.
#[test]
fn a_pair_is_decided_as_long_as_a_decision_on_it_counts() {
    for store in both() {
        let human = main_of(Actor::Human);
        let home = |text: &str| {
            let new = NewMemory::new(categories::FACT, text, Source::UserExplicit);
            store.record(&human, &new.about(FactKey::one("marta", "home")), now()).unwrap().id
        };
        let (lisbon, porto) = (home("Marta lives in Lisbon"), home("Marta lives in Porto"));
        let is_open = || !store.suspicions(&human, 9).unwrap().is_empty();
        let decide = |decision: &Decision| store.decide(&human, decision, now()).unwrap().id;
        let revert = |id| store.revert(&human, id, now()).unwrap().id;
        let coexist = decide(&Decision::coexist(lisbon, porto));
        let reverted = revert(coexist);
        assert!(is_open());
        let again = revert(reverted);
        assert!(!is_open(), "it counts again");
        revert(again);
        assert!(is_open());
        revert(reverted);
        let dispute = decide(&Decision::dispute(porto, lisbon));
        revert(coexist);
        assert!(!is_open(), "the later decision counts");
        revert(dispute);
        assert!(is_open());
    }
}

// A pinned fact that an older row says already took the place of that row for the rest of a sweep.
#[test]
fn a_pinned_duplicate_is_no_elder_of_the_next_one() {
    for store in both() {
        let human = main_of(Actor::Human);
        let record = || {
            let new = NewMemory::new(categories::FACT, "Drinks tea", Source::UserExplicit);
            store.record(&human, &new, now()).unwrap().id
        };
        let oldest = record();
        store.settle(now()).unwrap();
        let (pinned, again) = (record(), record());
        assert!(store.pin(&human, pinned, true, now()).unwrap());
        assert_eq!(store.settle(now()).unwrap().duplicates, 1);
        assert_eq!(store.fact(&human, again).unwrap().unwrap().status.successor, Some(oldest));
    }
}
