//! The judgement of a file of a bundle, and the writing of documents that may come in.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::entry::{self, NamedDecision};
use super::front::Front;
use super::gone::{self, Moments};
use super::places::DECISIONS;
use super::plan::{BundleAction, BundleItem, Channel, Work};
use super::seal::Verified;
use super::standing::Standing;
use crate::base::error::{Error, Result};
use crate::base::name::{Name, StateName};
use crate::base::text;
use crate::exchange::foreign::REASON;
use crate::facts::EventId;
use crate::format::Origin;
use crate::format::state::forgotten::{Forgotten, JOINED};
use crate::gate::Tombstones;
use crate::life::rewrite;
use crate::memory::{NewMemory, Source, end_of};
use crate::session;
use crate::store::carry::CarriedRow;
use crate::workspace::{Workspace, WriteMode};

pub(super) type Judged = std::result::Result<BundleAction, String>;
pub(super) type Pass<'p> = dyn Fn(&Name, &str) -> std::result::Result<(), String> + 'p;

/// A file with an entry, and what it is judged by.
pub(super) struct Entry<'e> {
    pub(super) path: &'e str,
    pub(super) bytes: &'e [u8],
    pub(super) moments: Option<&'e Moments>,
    pub(super) standing: Option<&'e Standing>,
    pub(super) verified: &'e Verified,
}

impl Entry<'_> {
    /// Returns whether the home once had it, and no longer has it.
    pub(super) fn is_gone(&self, kind: &'static str, at: DateTime<Utc>) -> bool {
        self.moments.is_some_and(|moments| moments.had(kind, at))
    }
}

/// Judges the history of facts.
pub(super) fn judge_decisions(
    bytes: &[u8],
    channel: Channel,
    standing: Option<&Standing>,
    pass: &Pass<'_>,
    work: &mut Work,
) -> Judged {
    let Some(standing) = standing else { return Err("no store was given".to_owned()) };
    if channel == Channel::Unsigned {
        return Err("decisions come in signed alone".to_owned());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let mut known: BTreeMap<String, Vec<EventId>> = BTreeMap::new();
    for (id, decision) in entry::decisions(&standing.events, &standing.names).into_iter().rev() {
        known.entry(decision.identity()).or_default().push(id);
    }
    let name: Name = StateName::row("imported", DECISIONS).into();
    let mut decisions = Vec::new();
    for line in text.lines() {
        let decision: NamedDecision =
            serde_json::from_str(line).map_err(|_| "a line of it is no decision".to_owned())?;
        if let Some(reason) = &decision.reason {
            pass(&name, reason)?;
        }
        let known = known.get_mut(&decision.identity()).and_then(Vec::pop);
        decisions.push((decision, known));
    }
    let is_new = decisions.iter().any(|(_, known)| known.is_none());
    work.decisions = decisions;
    Ok(if is_new { BundleAction::Add } else { BundleAction::Keep })
}

/// Judges a row that may come in.
pub(super) fn judge_row(
    entry: &Entry<'_>,
    front: &Front,
    mut row: CarriedRow,
    channel: &mut Channel,
    work: &mut Work,
) -> BundleAction {
    let id: String = front.get("id").unwrap_or_default();
    if *channel == Channel::Signed {
        if let Some(known) = entry.standing.and_then(|standing| standing.row(&id)) {
            let known = &known.fact.memory;
            work.standing.insert(id.clone(), known.id);
            let is_whole = known.updated_at >= row.updated_at && (known.pinned || !row.pinned);
            let is_newer = known.updated_at > row.updated_at;
            if is_whole || is_newer {
                return BundleAction::Keep;
            }
            row.pinned &= !known.pinned;
            row.standing = Some(known.id);
            work.signed.push((id, row));
            return BundleAction::Add;
        }
        // The same export of another program came in on another machine.
        if row.memory.source == Source::Imported
            && let Some(known) = entry.standing.and_then(|standing| standing.imported(&row.memory))
        {
            work.standing.insert(id, known);
            return BundleAction::Keep;
        }
        if !entry.is_gone(gone::ROW, row.created_at) {
            work.signed.push((id, row));
            return BundleAction::Add;
        }
        *channel = Channel::Unsigned;
    }
    // Nothing of what it says of itself is believed, but that it may be out of date.
    let end = end_of(row.memory.metadata.as_ref());
    let mut memory = NewMemory::new(row.memory.category, row.memory.content, Source::Imported)
        .origin(Origin::Import)
        .because(REASON);
    if let Some(end) = end {
        memory = memory.stale_after(end);
    }
    judge_unsigned(entry.path, memory, None, entry.standing, work)
}

/// Judges a row that comes in with little trust.
pub(super) fn judge_unsigned(
    shown: &str,
    memory: NewMemory,
    at: Option<DateTime<Utc>>,
    standing: Option<&Standing>,
    work: &mut Work,
) -> BundleAction {
    let said = (memory.category.clone(), text::statement(&memory.content));
    if standing.is_some_and(|standing| standing.says(&said)) || !work.queued.insert(said) {
        return BundleAction::Keep;
    }
    work.unsigned.push((shown.to_owned(), memory, at));
    BundleAction::Add
}

/// Says whether all texts of a row may come in.
pub(super) fn pass_row(name: &Name, memory: &NewMemory, pass: &Pass<'_>) -> std::result::Result<(), String> {
    let speaker = memory.place.as_ref().and_then(|place| place.speaker.as_ref());
    let about = memory.about.as_ref().map(|key| format!("{}: {}", key.subject, key.slot));
    let notes = memory.metadata.as_ref().map(ToString::to_string);
    let texts = [Some(&memory.content), Some(&memory.category), speaker, about.as_ref(), notes.as_ref()];
    texts.into_iter().flatten().try_for_each(|text| pass(name, text))
}

/// Returns why a store refused a row; an error of the store itself stays one.
pub(super) fn judged(error: Error) -> Result<String> {
    match error {
        Error::Stopped { classes, .. } => Ok(format!("it holds {}", classes.join(", "))),
        Error::TooLarge { .. } | Error::Config { .. } | Error::Denied { .. } => Ok(error.to_string()),
        error => Err(error),
    }
}

pub(super) fn apply_documents(workspace: &dyn Workspace, work: &mut Work) -> Result<()> {
    if let Some(stones) = &work.document_stones {
        rewrite(workspace, &StateName::FORGOTTEN, |bytes| {
            let file = Forgotten::<Tombstones>::or_copy(bytes, || session::forgotten_copy(workspace))?;
            let mut file = file.unwrap_or_else(|| Forgotten::new(Tombstones::new(stones.key().clone())));
            let is_new = stones.iter().any(|stone| !file.tombstones.contains(stone));
            file.tombstones.join(stones);
            if file.tombstones.is_joined() {
                file.v = JOINED;
            }
            Ok(is_new.then(|| file.print()))
        })?;
    }
    for (shown, name, bytes) in &work.documents {
        match workspace.write(name, bytes, WriteMode::Create) {
            Err(Error::Conflict { .. }) => {
                let is_it = |item: &&mut BundleItem| item.path == *shown;
                for item in work.plan.items.iter_mut().filter(is_it) {
                    item.action = BundleAction::Refuse("something else has this name".to_owned());
                }
            }
            written => drop(written?),
        }
    }
    Ok(())
}
