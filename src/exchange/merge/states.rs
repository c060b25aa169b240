//! The small files of two machines, each by its own rule: a union, the later by the clock, or what both say.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::dreams::later_mark;
use crate::base::error::{Result, parse_json};
use crate::base::name::{Name, StateName};
use crate::format::state::receipts::ReceiptKeys;
use crate::format::state::seal;
use crate::format::{DreamId, DreamedState, Quarantine};

/// The most earlier versions of a document.
const MOST_VERSIONS: usize = 20;

/// Three versions of a file: of the ancestor, and of both machines.
pub(super) struct Three<'f> {
    pub(super) base: Option<&'f [u8]>,
    pub(super) one: &'f [u8],
    pub(super) other: &'f [u8],
}

/// Merges the last runs: that of the later one, the higher watermark, and of one day the higher counters.
pub(super) fn dreamed(files: &Three<'_>) -> Vec<u8> {
    let [one, other] = [files.one, files.other].map(|bytes| DreamedState::read(Some(bytes)).state);
    let mark = later_mark([&one, &other]);
    let before =
        files.base.and_then(|base| DreamedState::parse(Some(base)).ok()).map(|state| state.dreams_on);
    let dreams_on = dreams_on(before, [&one, &other]);
    let key = |state: &DreamedState| (state.last_run_at, state.print());
    let (mut late, early) = if key(&one) >= key(&other) { (one, other) } else { (other, one) };
    late.own_mark.clone_from(&mark);
    late.last_processed_mtime = mark;
    late.dreams_on = dreams_on;
    if early.counted_day == late.counted_day {
        late.calls_that_day = late.calls_that_day.max(early.calls_that_day);
        late.bytes_that_day = late.bytes_that_day.max(early.bytes_that_day);
        late.tokens_that_day = late.tokens_that_day.max(early.tokens_that_day);
    }
    for (key, value) in early.others {
        late.others.entry(key).or_insert(value);
    }
    late.print()
}

/// Returns the machine that dreams. A change of one alone counts. A set one counts before an unset one, and the later
/// in the alphabet of two names.
#[expect(clippy::option_option, reason = "an ancestor that names nobody is not one that is missing")]
fn dreams_on(before: Option<Option<String>>, states: [&DreamedState; 2]) -> Option<String> {
    let [one, other] = states.map(|state| state.dreams_on.clone());
    match before {
        Some(before) if before == one => other,
        Some(before) if before == other => one,
        _ => one.max(other),
    }
}

/// Merges the lists of journals that wait for a person. An entry that a person took out of one copy is out, where an ancestor says
/// that it was in.
pub(super) fn quarantine(files: &Three<'_>) -> Result<Vec<u8>> {
    let list = |bytes: &[u8]| {
        let name = StateName::QUARANTINE;
        let edited = || Quarantine::read(Some(bytes)).state.print_over(None);
        parse_json::<Vec<Value>>(name.as_str(), bytes).or_else(|_| parse_json(name.as_str(), &edited()))
    };
    let (one, other) = (list(files.one)?, list(files.other)?);
    let before = files.base.map(list).transpose()?.unwrap_or_default();
    let mut all: BTreeMap<(String, String), Value> = BTreeMap::new();
    for entry in one.iter().chain(&other) {
        let is_released = before.contains(entry) && !(one.contains(entry) && other.contains(entry));
        if !is_released {
            all.insert((text(entry, "quarantined_at"), entry.to_string()), entry.clone());
        }
    }
    let mut bytes = serde_json::to_vec_pretty(&all.into_values().collect::<Vec<_>>()).expect("JSON prints");
    bytes.push(b'\n');
    Ok(bytes)
}

/// Merges earlier versions of a document: those of both, the last twenty.
pub(super) fn versions(name: &Name, files: &Three<'_>) -> Result<Vec<u8>> {
    let list = |bytes: &[u8]| parse_json::<Vec<Value>>(name.as_str(), bytes);
    let all: BTreeMap<(String, String), Value> = list(files.one)?
        .into_iter()
        .chain(list(files.other)?)
        .map(|entry| ((text(&entry, "at"), entry.to_string()), entry))
        .collect();
    let from = all.len().saturating_sub(MOST_VERSIONS);
    let mut bytes =
        serde_json::to_vec(&all.into_values().skip(from).collect::<Vec<_>>()).expect("JSON prints");
    bytes.push(b'\n');
    Ok(bytes)
}

/// Merges lists of parts with the ids of dreams: `dreams` that were taken back and `appended` sections, or `waiting` proposals. `keep` says
/// of a list and a part whether it stays, and may change it.
pub(super) fn by_id(
    name: &Name,
    files: &Three<'_>,
    mut keep: impl FnMut(&str, &DreamId, &mut Map<String, Value>) -> bool,
) -> Result<Vec<u8>> {
    let (mut all, other) = (object(name, files.one)?, object(name, files.other)?);
    let lists: BTreeSet<String> =
        all.iter().chain(&other).filter(|(_, value)| value.is_array()).map(|(key, _)| key.clone()).collect();
    for key in lists {
        let mut parts: BTreeMap<DreamId, Value> = BTreeMap::new();
        let listed = [&all, &other].into_iter().filter_map(|side| side.get(&key)?.as_array()).flatten();
        for part in listed.filter_map(Value::as_object) {
            let mut part = part.clone();
            let id = part.get("id").and_then(Value::as_str).and_then(DreamId::parse);
            let Some(id) = id.filter(|id| keep(&key, id, &mut part)) else { continue };
            let part = Value::Object(part);
            if parts.get(&id).is_none_or(|known| {
                (text(&part, "at"), part.to_string()) > (text(known, "at"), known.to_string())
            }) {
                parts.insert(id, part);
            }
        }
        let mut parts: Vec<Value> = parts.into_values().collect();
        parts.sort_by_cached_key(|part| (text(part, "at"), text(part, "id")));
        all.insert(key, Value::Array(parts));
    }
    merge_rest(&mut all, other);
    Ok(seal::print(&all))
}

/// Takes the file that is later by a time in it; keys that the other alone has are kept.
pub(super) fn latest(name: &Name, files: &Three<'_>, time: &[&str]) -> Result<Vec<u8>> {
    let at = |object: &Map<String, Value>| {
        let mut found = time
            .iter()
            .try_fold(&Value::Object(object.clone()), |value, key| value.get(key).ok_or(()).map_err(drop))
            .ok()
            .cloned();
        found.take().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    };
    let (one, other) = (object(name, files.one)?, object(name, files.other)?);
    let key = |side: &Map<String, Value>| (at(side), Value::Object(side.clone()).to_string());
    let (mut late, early) = if key(&one) >= key(&other) { (one, other) } else { (other, one) };
    merge_rest(&mut late, early);
    Ok(if seal_is_used(files) { seal::print(&late) } else { plain(&late) })
}

/// Merges what lives remember of their beginning: what one has seen, both have; the onboarding that ended first.
pub(super) fn beginning(name: &Name, files: &Three<'_>) -> Result<Vec<u8>> {
    let (one, other) = (object(name, files.one)?, object(name, files.other)?);
    let is_seen = [&one, &other].iter().any(|side| side.get("bootstrap_seen") == Some(&Value::Bool(true)));
    let end = |side: &Map<String, Value>| {
        let ended = side.get("onboarding")?;
        Some((ended.get("finished") != Some(&Value::Bool(true)), text(ended, "at"), ended.to_string()))
    };
    let is_first = match (end(&one), end(&other)) {
        (Some(a), Some(b)) => a <= b,
        (a, _) => a.is_some(),
    };
    let (mut all, rest) = if is_first { (one, other) } else { (other, one) };
    merge_rest(&mut all, rest);
    all.insert("bootstrap_seen".into(), Value::Bool(is_seen));
    Ok(seal::print(&all))
}

/// Merges the keys of receipts: all of both, so that the receipts of either machine can be read.
pub(super) fn receipt_keys(files: &Three<'_>) -> Result<Vec<u8>> {
    let mut all = ReceiptKeys::parse(Some(files.one))?.expect("a file was given");
    all.join(ReceiptKeys::parse(Some(files.other))?.expect("a file was given"));
    Ok(all.print())
}

/// Merges the times of checks: the later of each.
pub(super) fn checks(name: &Name, files: &Three<'_>) -> Result<Vec<u8>> {
    let (mut one, other) = (plain_object(name, files.one)?, plain_object(name, files.other)?);
    let checks = |side: &Map<String, Value>| {
        side.get("lastChecks").and_then(Value::as_object).cloned().unwrap_or_default()
    };
    let mut all = checks(&one);
    for (check, at) in checks(&other) {
        let known = all.entry(check).or_insert(Value::Null);
        if at.as_f64() > known.as_f64() {
            *known = at;
        }
    }
    merge_rest(&mut one, other);
    one.insert("lastChecks".into(), Value::Object(all));
    Ok(plain(&one))
}

/// Keeps keys that one side alone has; of a key that both have and no rule decides, the smaller text.
fn merge_rest(all: &mut Map<String, Value>, other: Map<String, Value>) {
    for (key, value) in other {
        all.entry(key).or_insert(value);
    }
}

fn seal_is_used(files: &Three<'_>) -> bool {
    [files.one, files.other].iter().any(|bytes| seal::sealed(bytes).is_some())
}

fn plain(object: &Map<String, Value>) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(object).expect("maps with text keys print");
    bytes.push(b'\n');
    bytes
}

fn object(name: &Name, bytes: &[u8]) -> Result<Map<String, Value>> {
    seal::parse(name.as_str(), bytes)
}

fn plain_object(name: &Name, bytes: &[u8]) -> Result<Map<String, Value>> {
    parse_json(name.as_str(), bytes)
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}
