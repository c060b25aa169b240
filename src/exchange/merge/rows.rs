//! The rows of a memory store in a file, `.dreaming.d/memories.jsonl`, of two machines.
//!
//! Both files begin with the same lines. Later lines are woven by their times, and their rows, learnings and decisions are
//! numbered anew: each machine gave the next number to another row. Each name of a row is its new number.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::weave::{strands, weave};
use crate::base::error::{Error, Refusal, Result, corrupt};
use crate::base::name::StateName;

type Line = Map<String, Value>;

/// The words of a line: a purge or a request to forget takes them out, and the line stays.
const WORDS: [&str; 8] = ["content", "metadata", "place", "about", "cites", "context", "value", "reason"];

/// The kinds of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Row,
    Learning,
    Event,
    Method,
    Case,
    Preference,
    Note,
}

/// Merges the files of two machines.
pub(super) fn merge(one: &[u8], other: &[u8]) -> Result<Vec<u8>> {
    let texts = [lines_of(one), lines_of(other)];
    let mut bytes = Vec::with_capacity(one.len().max(other.len()) + MERGED.len());
    let mut next: BTreeMap<Kind, i64> = BTreeMap::new();
    let mut common = 0;
    // Most lines are the same bytes, and are not taken apart.
    while let (Some(a), Some(b)) = (texts[0].get(common), texts[1].get(common)) {
        if common == 0 {
            let heads = [line(a)?, line(b)?];
            if heads[0].get("scope") != heads[1].get("scope") {
                let path = StateName::MEMORIES.to_string();
                return Err(Error::Refused { path, reason: Refusal::OtherScope });
            }
            let heads = heads.map(|mut head| {
                head.remove(MERGED);
                head
            });
            if bare(&heads[0]) != bare(&heads[1]) {
                break;
            }
            let mut head = poorer(&heads[0], &heads[1]);
            head.insert(MERGED.to_owned(), Value::Bool(true));
            print(&head, &mut bytes);
        } else if a == b {
            count(a, &mut next)?;
            end(a, &mut bytes);
        } else {
            let both = [line(a)?, line(b)?];
            if bare(&both[0]) != bare(&both[1]) {
                break;
            }
            let line = poorer(&both[0], &both[1]);
            made(&line, |kind, number| raise(&mut next, kind, number));
            print(&line, &mut bytes);
        }
        common += 1;
    }
    let mut tails = [parse(&texts[0][common..])?, parse(&texts[1][common..])?];
    let [a, b] = tails.each_mut().map(|tail| {
        let known = known_by(tail);
        let at = tail.iter().map(|line| line.get("at").and_then(Value::as_str).map(str::to_owned));
        strands(at.zip(known))
    });
    let mut numbers: [BTreeMap<(Kind, i64), i64>; 2] = [BTreeMap::new(), BTreeMap::new()];
    for place in weave(&a, &b) {
        let found = [place.0.map(|at| &tails[0][at]), place.1.map(|at| &tails[1][at])];
        for (side, line) in found.iter().enumerate() {
            let Some(line) = line else { continue };
            let is_first = side == 0 || found[0].is_none();
            made(line, |kind, number| {
                let new = next.entry(kind).or_insert(1);
                *new += i64::from(is_first);
                numbers[side].insert((kind, number), *new - 1);
            });
        }
        let raw = |side: usize, at: Option<usize>| at.map(|at| texts[side][common + at]);
        let kept = match (raw(0, place.0), raw(1, place.1)) {
            (Some(one), Some(other)) => Some(one).filter(|_| one == other),
            (one, other) => one.or(other),
        };
        let (side, at) = place.0.map_or((1, place.1), |at| (0, Some(at)));
        let line = &mut tails[side][at.expect("it is in one of them")];
        let mut is_changed = renumber(line, &numbers[side]);
        if bytes.is_empty() {
            is_changed |= line.insert(MERGED.to_owned(), Value::Bool(true)) != Some(Value::Bool(true));
        }
        match kept.filter(|_| !is_changed) {
            Some(kept) => end(kept, &mut bytes),
            None => print(line, &mut bytes),
        }
    }
    Ok(bytes)
}

/// The key of the first line of a merged file: it has all lines of both, and not under the numbers by which a mark beside it knows them.
const MERGED: &str = "merged";

fn print(line: &Line, bytes: &mut Vec<u8>) {
    serde_json::to_writer(&mut *bytes, line).expect("maps with text keys print");
    bytes.push(b'\n');
}

fn end(line: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(line);
    bytes.push(b'\n');
}

/// Returns the lines; a torn last one is none.
fn lines_of(bytes: &[u8]) -> Vec<&[u8]> {
    let ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]);
    let mut from = 0;
    let line = |end| &bytes[std::mem::replace(&mut from, end + 1)..end];
    let mut lines: Vec<&[u8]> = ends.map(line).filter(|line| !line.is_empty()).collect();
    let is_torn = |line: &&[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_err();
    if !bytes.ends_with(b"\n") && lines.last().is_some_and(is_torn) {
        lines.pop();
    }
    lines
}

fn line(text: &[u8]) -> Result<Line> {
    serde_json::from_slice(text).map_err(|error| corrupt(StateName::MEMORIES.as_str(), &error))
}

fn parse(lines: &[&[u8]]) -> Result<Vec<Line>> {
    lines.iter().map(|text| line(text)).collect()
}

fn raise(next: &mut BTreeMap<Kind, i64>, kind: Kind, number: i64) {
    let next = next.entry(kind).or_insert(1);
    *next = (number + 1).max(*next);
}

/// Returns the number of a row by the head of its line, which all writers print alike; `None` for any other line.
fn row_number(raw: &[u8]) -> Option<i64> {
    let word = |rest: &mut &[u8], front: &[u8]| -> Option<()> {
        *rest = rest.strip_prefix(front)?;
        let end = memchr::memchr2(b'"', b'\\', rest).filter(|end| rest[*end] == b'"')?;
        *rest = &rest[end + 1..];
        Some(())
    };
    let mut rest = raw;
    word(&mut rest, br#"{"at":""#)?;
    word(&mut rest, br#","actor":""#)?;
    let rest = rest.strip_prefix(br#","op":"written","id":"#)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_end = matches!(rest.get(digits), Some(b',' | b'}'));
    std::str::from_utf8(&rest[..digits]).ok().filter(|_| is_end)?.parse().ok()
}

/// Counts the numbers that a common line gives.
fn count(raw: &[u8], next: &mut BTreeMap<Kind, i64>) -> Result<()> {
    #[derive(serde::Deserialize)]
    struct Numbered<'l> {
        #[serde(borrow)]
        op: std::borrow::Cow<'l, str>,
        #[serde(default)]
        id: Option<i64>,
    }
    if let Some(number) = row_number(raw) {
        raise(next, Kind::Row, number);
        return Ok(());
    }
    let known: Numbered<'_> =
        serde_json::from_slice(raw).map_err(|error| corrupt(StateName::MEMORIES.as_str(), &error))?;
    match (&*known.op, known.id) {
        ("written", Some(number)) => raise(next, Kind::Row, number),
        ("learned", Some(number)) => raise(next, Kind::Learning, number),
        ("ruled" | "practised", _) => made(&line(raw)?, |kind, number| raise(next, kind, number)),
        _ => {}
    }
    Ok(())
}

/// Returns a line without its words.
fn bare(line: &Line) -> Line {
    line.iter()
        .filter(|(key, _)| !WORDS.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Returns the one of two versions of a line that has fewer words: what one machine took out is out.
fn poorer(one: &Line, other: &Line) -> Line {
    let text = |line: &Line| Value::Object(line.clone()).to_string();
    let key = |line: &Line| (text(line).len(), text(line));
    if key(one) <= key(other) { one.clone() } else { other.clone() }
}

fn number(value: Option<&Value>) -> Option<i64> {
    value.and_then(Value::as_i64)
}

/// Tells the numbers that a line gives.
fn made(line: &Line, mut tell: impl FnMut(Kind, i64)) {
    let kind = match line.get("op").and_then(Value::as_str) {
        Some("written") => Kind::Row,
        Some("learned") => Kind::Learning,
        Some("ruled") => {
            for event in line.get("events").and_then(Value::as_array).into_iter().flatten() {
                if let Some(number) = number(event.get("id")) {
                    tell(Kind::Event, number);
                }
            }
            return;
        }
        Some("practised") => {
            for kept in line.get("kept").and_then(Value::as_array).into_iter().flatten() {
                let of = kept.get("of").or_else(|| kept.get("row")).and_then(Value::as_str);
                let kind = match of {
                    Some("method") => Kind::Method,
                    Some("case") => Kind::Case,
                    Some("preference") => Kind::Preference,
                    Some("note") => Kind::Note,
                    _ => continue,
                };
                if let Some(number) = number(kept.get("id")) {
                    tell(kind, number);
                }
            }
            return;
        }
        _ => return,
    };
    if let Some(number) = number(line.get("id")) {
        tell(kind, number);
    }
}

/// Returns the text by which each line is known on the other machine, where rows have other numbers: a row by when it was written,
/// and in which words.
fn known_by(tail: &mut [Line]) -> Vec<String> {
    let op = |line: &Line| line.get("op").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut all = Vec::with_capacity(tail.len());
    let mut names: BTreeMap<i64, usize> = BTreeMap::new();
    for (at, line) in tail.iter_mut().enumerate() {
        let op = op(line);
        if op == "written"
            && let Some(id) = number(line.get("id"))
        {
            names.insert(id, at);
        }
        let is_new = ["written", "learned"].contains(&&*op);
        all.push(if is_new { without_numbers(line) } else { String::new() });
    }
    for (at, line) in
        tail.iter().enumerate().filter(|(_, line)| !["written", "learned"].contains(&&*op(line)))
    {
        let mut line = line.clone();
        each(&mut line, |kind, value| match kind {
            Kind::Row | Kind::Learning => {
                if let Some(row) = value.as_i64().and_then(|number| names.get(&number)) {
                    *value = Value::String(all[*row].clone());
                }
            }
            Kind::Event | Kind::Method | Kind::Case | Kind::Preference | Kind::Note => *value = Value::Null,
        });
        all[at] = printed(&line);
    }
    all
}

/// Prints a line without its number and those of its suspects.
fn without_numbers(line: &mut Line) -> String {
    let numbers = ["id", "suspects"].map(|key| line.remove_entry(key));
    let text = printed(line);
    line.extend(numbers.into_iter().flatten());
    text
}

fn printed(line: &Line) -> String {
    serde_json::to_string(line).expect("maps with text keys print")
}

/// Gives a line its new numbers; returns whether it had others.
fn renumber(line: &mut Line, numbers: &BTreeMap<(Kind, i64), i64>) -> bool {
    let mut is_changed = false;
    each(line, |kind, value| {
        let Some(old) = value.as_i64() else { return };
        if let Some(new) = numbers.get(&(kind, old)).filter(|new| **new != old) {
            *value = Value::from(*new);
            is_changed = true;
        }
    });
    is_changed
}

/// Goes through all numbers of a line.
fn each(line: &mut Line, mut act: impl FnMut(Kind, &mut Value)) {
    let is_learning = line.get("op").and_then(Value::as_str) == Some("learned");
    if let Some(id) = line.get_mut("id") {
        act(if is_learning { Kind::Learning } else { Kind::Row }, id);
    }
    for id in line.get_mut("ids").and_then(Value::as_array_mut).into_iter().flatten() {
        act(Kind::Row, id);
    }
    for suspect in line.get_mut("suspects").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(id) = suspect.get_mut("id") {
            act(Kind::Row, id);
        }
    }
    for kept in line.get_mut("kept").and_then(Value::as_array_mut).into_iter().flatten() {
        let of = kept.get("of").or_else(|| kept.get("row")).and_then(Value::as_str).unwrap_or_default();
        let of_id = match of {
            "method" => Some(Kind::Method),
            "case" => Some(Kind::Case),
            "preference" => Some(Kind::Preference),
            "note" => Some(Kind::Note),
            _ => None,
        };
        if let Some((kind, id)) = of_id.zip(kept.get_mut("id")) {
            act(kind, id);
        }
        if let Some(id) = kept.get_mut("note") {
            act(Kind::Note, id);
        }
        if let Some(id) = kept.get_mut("memory") {
            act(Kind::Row, id);
        }
        if let Some(id) = kept.get_mut("method") {
            act(Kind::Method, id);
        }
        for id in kept.get_mut("methods").and_then(Value::as_array_mut).into_iter().flatten() {
            act(Kind::Method, id);
        }
    }
    for event in line.get_mut("events").and_then(Value::as_array_mut).into_iter().flatten() {
        for (key, kind) in
            [("id", Kind::Event), ("reverts", Kind::Event), ("older", Kind::Row), ("newer", Kind::Row)]
        {
            if let Some(id) = event.get_mut(key) {
                act(kind, id);
            }
        }
        for change in event.get_mut("changes").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(id) = change.get_mut("id") {
                act(Kind::Row, id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENED: &str = r#"{"at":"2026-11-20T09:00:00Z","actor":"library","op":"opened","version":1,"scope":{"user":"marta","agent":""}}"#;

    fn written(second: u32, id: i64, content: &str) -> String {
        format!(
            r#"{{"at":"2026-11-21T09:00:{second:02}Z","actor":"agent","op":"written","id":{id},"category":"fact","content":"{content}"}}"#
        )
    }

    fn file(lines: &[String]) -> Vec<u8> {
        lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
    }

    #[test]
    fn rows_of_both_get_new_numbers_and_what_names_them_names_them_still() {
        let head = [OPENED.to_owned(), written(1, 1, "tea")];
        let one = file(
            &[
                &head[..],
                &[
                    written(5, 2, "boat"),
                    r#"{"at":"2026-11-21T09:00:07Z","actor":"agent","op":"deleted","id":2}"#.to_owned(),
                ],
            ]
            .concat(),
        );
        let other = file(&[&head[..], &[written(4, 2, "harbour")]].concat());
        let both = merge(&one, &other).unwrap();
        assert_eq!(both, merge(&other, &one).unwrap(), "no machine is first");
        let read = |bytes: &[u8]| parse(&lines_of(bytes)).unwrap();
        let lines = read(&both);
        let said = |line: &Line| {
            (
                line.get("id").and_then(Value::as_i64),
                line.get("content").and_then(Value::as_str).map(str::to_owned),
            )
        };
        assert_eq!(
            lines[2..].iter().map(said).collect::<Vec<_>>(),
            [(Some(2), Some("harbour".to_owned())), (Some(3), Some("boat".to_owned())), (Some(3), None)]
        );
        assert_eq!(read(&merge(&both, &one).unwrap()), lines, "a second time adds nothing");
        assert_eq!(read(&merge(&both, &both).unwrap()), lines);
    }

    #[test]
    fn a_row_is_known_by_the_head_of_its_line_and_by_nothing_that_it_says() {
        let known = |line: &str| row_number(line.as_bytes());
        assert_eq!(known(&written(5, 27, "boat")), Some(27));
        for other in [
            OPENED.to_owned(),
            r#"{"at":"2026-11-21T09:00:07Z","actor":"agent","op":"deleted","id":2}"#.to_owned(),
            written(5, 27, "boat").replace(r#""id":27"#, r#""id":2.7"#),
            written(5, 27, "boat").replace(r#""id":27"#, r#""id":null"#),
            written(5, 27, "boat").replacen("agent", r"ag\u0065nt", 1),
            format!(r#"{{"content":"x","op":"deleted","y":{}"#, written(5, 27, "boat")),
        ] {
            assert_eq!(known(&other), None, "{other}");
        }
    }

    #[test]
    fn words_that_one_machine_took_out_are_out() {
        let one = file(&[OPENED.to_owned(), written(1, 1, "tea")]);
        let gone = String::from_utf8(one.clone()).unwrap().replace(r#","content":"tea""#, "").into_bytes();
        assert!(!String::from_utf8(merge(&one, &gone).unwrap()).unwrap().contains("tea"));
    }
}
