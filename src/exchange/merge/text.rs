//! Documents of a person: text by lines, logs of lines, the memo of a heartbeat.

use std::collections::BTreeMap;

use super::curated::{self, Copy};
use super::weave::{strands, weave};
use crate::base::digest::Digest;
use crate::base::name::DocName;

/// Returns whether a name ends in a dot and these letters.
pub(super) fn has_end(name: &DocName, end: &str) -> bool {
    name.folded().rsplit_once('.').is_some_and(|(_, found)| found == end)
}

/// Merges a text by its lines. Returns it with the number of places that a person must decide.
pub(super) fn merge(base: Option<&[u8]>, one: Option<&[u8]>, other: Option<&[u8]>) -> (Vec<u8>, u32) {
    let copy = |bytes: &[u8]| Copy::read(bytes, &BTreeMap::new());
    let copies = [one, other].map(|bytes| copy(bytes.unwrap_or_default()));
    let draft = curated::merge(base.map(copy), copies, &BTreeMap::new());
    let conflicts = draft.conflicts;
    (draft.print().bytes, conflicts)
}

/// Merges files to which only lines are added.
pub(super) fn lines(one: &[u8], other: &[u8]) -> Vec<u8> {
    let lines = [one, other].map(|bytes| {
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(<[u8]>::to_vec).collect::<Vec<_>>()
    });
    let [a, b] = [0, 1].map(|side: usize| {
        strands::<String>(lines[side].iter().map(|line| (time(line), line.escape_ascii().to_string())))
    });
    let place = |(one, other): super::weave::Place| match one {
        Some(at) => &lines[0][at],
        None => &lines[1][other.expect("it is in one of them")],
    };
    let woven = weave(&a, &b).into_iter().map(place);
    woven.flat_map(|line| line.iter().copied().chain([b'\n'])).collect()
}

/// Returns the time that a line of JSON says under one of the usual keys.
fn time(line: &[u8]) -> Option<String> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(line).ok()?;
    ["at", "t", "time", "ts", "timestamp"]
        .iter()
        .find_map(|key| object.get(*key)?.as_str().map(str::to_owned))
}

/// Names the document that has the other version of a file.
pub(super) fn beside(name: &DocName, bytes: &[u8]) -> DocName {
    let hash = Digest::of(bytes).short(8);
    let path = name.as_str();
    let named = match path.rsplit_once('.').filter(|(_, end)| !end.contains('/')) {
        Some((stem, end)) => format!("{stem} (conflicted copy {hash}).{end}"),
        None => format!("{path} (conflicted copy {hash})"),
    };
    DocName::parse(named).unwrap_or_else(|_| name.clone())
}

/// The lines of a heartbeat that say what the last session was.
const MEMO: [&str; 4] = ["- last_seen:", "- session_id:", "- surface:", "- turn_count:"];

/// Gives all versions of a heartbeat the memo of the session that was seen last. `None` where one has no memo.
pub(super) fn memos(base: Option<&[u8]>, one: &[u8], other: &[u8]) -> Option<[Option<Vec<u8>>; 3]> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    let (one, other) = (text(one)?, text(other)?);
    let memo = |text: &str| -> Option<[String; 4]> {
        let line = |key: &str| text.lines().find(|line| line.starts_with(key)).map(str::to_owned);
        Some([line(MEMO[0])?, line(MEMO[1])?, line(MEMO[2])?, line(MEMO[3])?])
    };
    let late = memo(&one)?.max(memo(&other)?);
    let told = |text: &str| -> Vec<u8> {
        let line = |line: &str| {
            let at = MEMO.iter().position(|key| line.starts_with(key));
            let end = &line[line.trim_end_matches(['\r', '\n']).len()..];
            at.map_or_else(|| line.to_owned(), |at| late[at].trim_end().to_owned() + end)
        };
        text.split_inclusive('\n').map(line).collect::<String>().into_bytes()
    };
    let base = base.and_then(text).map(|base| told(&base));
    Some([base, Some(told(&one)), Some(told(&other))])
}
