//! The rows of a memory store in a file, `.dreaming.d/memories.jsonl`, of two machines.
//!
//! Both files begin with the same lines. Later lines are woven by their times, and their rows, learnings and decisions
//! are numbered anew. Each machine gave the next number to another row. Each name of a row is its new number.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use memchr::memmem;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::doubts;
use super::weave::{Place, strands, weave};
use crate::base::error::{Error, Refusal, Result, corrupt};
use crate::base::name::StateName;
use crate::base::text;
use crate::facts::{Suspect, SuspectReason};
use crate::memory::MemoryId;

type Line = Map<String, Value>;

/// The words of a line: a purge or a request to forget takes them out, and the line stays.
const WORDS: [&str; 8] = ["content", "metadata", "place", "about", "cites", "context", "value", "reason"];

/// The kinds of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    let mut bytes = Vec::with_capacity(one.len().max(other.len()) + MERGED.len());
    let mut next: BTreeMap<Kind, i64> = BTreeMap::new();
    let mut rest = [whole(one), whole(other)];
    // Most lines are the same bytes, and are not taken apart.
    loop {
        let same = same_lines(rest[0], rest[1]);
        if !bytes.is_empty() && same > 0 {
            for line in lines_of(&rest[0][..same]) {
                count(line, &mut next)?;
                end(line, &mut bytes);
            }
            rest = rest.map(|text| &text[same..]);
            continue;
        }
        let [Some((a, after_a)), Some((b, after_b))] = rest.map(first_line) else { break };
        if a == b && !bytes.is_empty() {
            // The last one, which has no line feed in one of them.
            count(a, &mut next)?;
            end(a, &mut bytes);
            rest = [after_a, after_b];
            continue;
        }
        let mut both = [line(a)?, line(b)?];
        if bytes.is_empty() {
            if both[0].get("scope") != both[1].get("scope") {
                let path = StateName::MEMORIES.to_string();
                return Err(Error::Refused { path, reason: Refusal::OtherScope });
            }
            for head in &mut both {
                head.remove(MERGED);
            }
        }
        if !is_same(&both[0], &both[1]) {
            break;
        }
        let mut line = poorer(&both[0], &both[1]);
        if bytes.is_empty() {
            line.insert(MERGED.to_owned(), Value::Bool(true));
        } else {
            made(&line, |kind, number| raise(&mut next, kind, number));
        }
        print(&line, &mut bytes);
        rest = [after_a, after_b];
    }
    let mut tails = [tail_of(rest[0])?, tail_of(rest[1])?];
    let (mut names_a, mut names_b) = (names_of(&mut tails[0])?, names_of(&mut tails[1])?);
    equal_rows(&mut tails, [&mut names_a, &mut names_b])?;
    let [a, b] = [(&tails[0], names_a), (&tails[1], names_b)]
        .map(|(tail, names)| strands(tail.iter().map(Tail::at).zip(known_by(tail, names))));
    let woven = weave(&a, &b);
    let mut suspected = doubts_of(&tails, &woven)?;
    let mut numbers: [HashMap<(Kind, i64), i64>; 2] = [HashMap::new(), HashMap::new()];
    for (nth, place) in woven.into_iter().enumerate() {
        let found = [place.0.map(|at| &tails[0][at]), place.1.map(|at| &tails[1][at])];
        for (side, line) in found.iter().enumerate() {
            let Some(line) = line else { continue };
            let is_first = side == 0 || found[0].is_none();
            line.made(|kind, number| {
                let new = next.entry(kind).or_insert(1);
                *new += i64::from(is_first);
                numbers[side].insert((kind, number), *new - 1);
            });
        }
        let is_alike = !matches!(found, [Some(one), Some(other)] if one.raw != other.raw);
        // Of two times of one line the earlier, on whichever machine it was.
        let is_later =
            matches!(found, [Some(one), Some(other)] if (other.at(), other.raw) < (one.at(), one.raw));
        let more = suspected.remove(&nth).unwrap_or_default();
        let joined = match found {
            [Some(one), Some(other)] if !is_alike => joined([one, other], usize::from(is_later), &numbers)?,
            [Some(row), None] | [None, Some(row)] if !more.is_empty() => {
                let mut line = row.line()?;
                renumber(&mut line, &numbers[usize::from(found[0].is_none())]);
                Some(line)
            }
            _ => None,
        };
        if let Some(mut line) = joined {
            for (side, row, reason) in more {
                let row = numbers[side].get(&(Kind::Row, row)).copied().unwrap_or(row);
                let suspect = Suspect { id: MemoryId::new(row), reason };
                let suspect = serde_json::to_value(suspect).expect("plain data is JSON");
                join(&mut line, "suspects", vec![suspect]);
            }
            print(&line, &mut bytes);
            continue;
        }
        let (side, at) = place.0.filter(|_| !is_later).map_or((1, place.1), |at| (0, Some(at)));
        let tail = &mut tails[side][at.expect("it is in one of them")];
        tail.print(is_alike, &numbers[side], &mut bytes)?;
    }
    Ok(bytes)
}

/// A line behind those that both files have.
struct Tail<'l> {
    raw: &'l [u8],
    what: What<'l>,
}

enum What<'l> {
    /// A row that names no other one, as all writers print it: it is not taken apart.
    Row {
        at: &'l str,
        number: i64,
        digits: Range<usize>,
    },
    Other(Line),
}

impl<'l> Tail<'l> {
    fn of(raw: &'l [u8]) -> Result<Self> {
        let what = match row_head(raw) {
            Some((at, number, digits)) if memmem::find(raw, br#""suspects""#).is_none() => {
                What::Row { at, number, digits }
            }
            _ => What::Other(line(raw)?),
        };
        Ok(Self { raw, what })
    }

    fn at(&self) -> Option<String> {
        match &self.what {
            What::Row { at, .. } => Some((*at).to_owned()),
            What::Other(line) => line.get("at").and_then(Value::as_str).map(str::to_owned),
        }
    }

    fn line(&self) -> Result<Line> {
        match &self.what {
            What::Row { .. } => line(self.raw),
            What::Other(line) => Ok(line.clone()),
        }
    }

    /// Returns the number of a row that the line writes.
    fn row(&self) -> Option<i64> {
        match &self.what {
            What::Row { number, .. } => Some(*number),
            What::Other(line) if op(line) == "written" => number(line.get("id")),
            What::Other(_) => None,
        }
    }

    /// Tells the numbers that the line gives.
    fn made(&self, mut tell: impl FnMut(Kind, i64)) {
        match &self.what {
            What::Row { number, .. } => tell(Kind::Row, *number),
            What::Other(line) => made(line, tell),
        }
    }

    /// Prints the line with its new numbers; where both machines print it alike, as they do.
    fn print(
        &mut self,
        is_alike: bool,
        numbers: &HashMap<(Kind, i64), i64>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let is_first = bytes.is_empty();
        match &mut self.what {
            What::Row { number, digits, .. } if is_alike && !is_first => {
                let new = numbers.get(&(Kind::Row, *number)).unwrap_or(number);
                bytes.extend_from_slice(&self.raw[..digits.start]);
                bytes.extend_from_slice(new.to_string().as_bytes());
                end(&self.raw[digits.end..], bytes);
            }
            What::Row { .. } => {
                let mut line = line(self.raw)?;
                renumber(&mut line, numbers);
                print(&line, bytes);
            }
            What::Other(line) => {
                let mut is_changed = renumber(line, numbers);
                if is_first {
                    is_changed |=
                        line.insert(MERGED.to_owned(), Value::Bool(true)) != Some(Value::Bool(true));
                }
                if is_alike && !is_changed { end(self.raw, bytes) } else { print(line, bytes) }
            }
        }
        Ok(())
    }
}

fn tail_of(text: &[u8]) -> Result<Vec<Tail<'_>>> {
    lines_of(text).map(Tail::of).collect()
}

/// The key of the first line of a merged file. It has all lines of both, and not under the numbers by which a mark
/// beside it knows them.
const MERGED: &str = "merged";

fn print(line: &Line, bytes: &mut Vec<u8>) {
    serde_json::to_writer(&mut *bytes, line).expect("maps with text keys print");
    bytes.push(b'\n');
}

fn end(line: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(line);
    bytes.push(b'\n');
}

/// Returns the text without a torn last line.
fn whole(text: &[u8]) -> &[u8] {
    let last = memchr::memrchr(b'\n', text).map_or(0, |end| end + 1);
    let is_torn = serde_json::from_slice::<serde::de::IgnoredAny>(&text[last..]).is_err();
    if is_torn { &text[..last] } else { text }
}

fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr_iter(b'\n', text).chain([text.len()]);
    let mut from = 0;
    ends.map(move |end| &text[std::mem::replace(&mut from, end + 1)..end]).filter(|line| !line.is_empty())
}

/// Returns the first line, and what is behind it.
fn first_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = lines_of(text).next()?;
    let gap = text.iter().take_while(|byte| **byte == b'\n').count();
    Some((line, text.get(gap + line.len() + 1..).unwrap_or_default()))
}

/// Returns the length of the whole lines with which both begin.
fn same_lines(one: &[u8], other: &[u8]) -> usize {
    const PART: usize = 4096;
    let parts = one.chunks(PART).zip(other.chunks(PART)).take_while(|(a, b)| a == b);
    let same = parts.map(|(part, _)| part.len()).sum();
    let rest = one[same..].iter().zip(&other[same..]).take_while(|(a, b)| a == b).count();
    let same = same + rest;
    if same == one.len() && same == other.len() {
        return same;
    }
    memchr::memrchr(b'\n', &one[..same]).map_or(0, |end| end + 1)
}

fn line(text: &[u8]) -> Result<Line> {
    serde_json::from_slice(text).map_err(|error| corrupt(StateName::MEMORIES.as_str(), &error))
}

fn raise(next: &mut BTreeMap<Kind, i64>, kind: Kind, number: i64) {
    let next = next.entry(kind).or_insert(1);
    *next = (number + 1).max(*next);
}

/// Returns the time, the number and the number's place of a row, by the head of its line. All writers print it
/// alike. `None` for any other line.
fn row_head(raw: &[u8]) -> Option<(&str, i64, Range<usize>)> {
    let word = |rest: &mut &'_ [u8], front: &[u8]| -> Option<usize> {
        *rest = rest.strip_prefix(front)?;
        let end = memchr::memchr2(b'"', b'\\', rest).filter(|end| rest[*end] == b'"')?;
        *rest = &rest[end + 1..];
        Some(end)
    };
    let mut rest = raw;
    let front = br#"{"at":""#;
    let at = word(&mut rest, front)?;
    let at = str::from_utf8(&raw[front.len()..front.len() + at]).ok()?;
    word(&mut rest, br#","actor":""#)?;
    let rest = rest.strip_prefix(br#","op":"written","id":"#)?;
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_end = matches!(rest.get(count), Some(b',' | b'}'));
    let number = str::from_utf8(&rest[..count]).ok().filter(|_| is_end)?.parse().ok()?;
    let start = raw.len() - rest.len();
    Some((at, number, start..start + count))
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
    if let Some((_, number, _)) = row_head(raw) {
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

/// Returns whether two lines are one, apart from words that a machine has taken out. Two rows of one export that
/// came in at one moment are distinguished by their words.
fn is_same(one: &Line, other: &Line) -> bool {
    let said = |line: &Line, key| line.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let agree = |key| {
        let (a, b) = (said(one, key), said(other, key));
        a == b || a.is_empty() || b.is_empty()
    };
    agree("content") && agree("value") && bare(one) == bare(other)
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

fn op(line: &Line) -> &str {
    line.get("op").and_then(Value::as_str).unwrap_or_default()
}

/// Returns the text by which each row and learning is known on the other machine, where it has another number. A row by
/// when it was written, and in which words. Empty for all other lines.
fn names_of(tail: &mut [Tail<'_>]) -> Result<Vec<String>> {
    let name = |tail: &mut Tail<'_>| match &mut tail.what {
        What::Row { .. } => row_without_number(tail.raw),
        What::Other(line) if matches!(op(line), "written" | "learned") => Ok(without_numbers(line)),
        What::Other(_) => Ok(String::new()),
    };
    tail.iter_mut().map(name).collect()
}

/// Returns the text by which each line is known on the other machine, by the names of the rows.
fn known_by(tail: &[Tail<'_>], mut all: Vec<String>) -> Vec<String> {
    let rows: HashMap<i64, usize> =
        tail.iter().enumerate().filter_map(|(at, tail)| Some((tail.row()?, at))).collect();
    for (at, tail) in tail.iter().enumerate() {
        let What::Other(line) = &tail.what else { continue };
        if matches!(op(line), "written" | "learned") {
            continue;
        }
        let mut line = line.clone();
        let action = line.get("action").and_then(Value::as_str);
        if matches!(action, Some("method_create" | "preference_propose")) && op(&line) == "practised" {
            without_times(&mut line);
        }
        each(&mut line, |kind, value| match kind {
            Kind::Row | Kind::Learning => {
                if let Some(row) = value.as_i64().and_then(|number| rows.get(&number)) {
                    *value = Value::String(all[*row].clone());
                }
            }
            Kind::Event | Kind::Method | Kind::Case | Kind::Preference | Kind::Note => *value = Value::Null,
        });
        all[at] = printed(&line);
    }
    all
}

/// Gives the same name to equal rows that each machine wrote for itself: they become one row.
///
/// A row that a machine has changed, retired or decided on stays a row of its own. A pin is of either.
fn equal_rows(tails: &mut [Vec<Tail<'_>>; 2], names: [&mut Vec<String>; 2]) -> Result<()> {
    let mut timeless: [HashMap<usize, String>; 2] = Default::default();
    for side in [0, 1] {
        let there: HashSet<&String> = names[1 - side].iter().collect();
        let mut touched: HashSet<i64> = HashSet::new();
        for tail in &mut tails[side] {
            if let What::Other(line) = &mut tail.what
                && !matches!(op(line), "written" | "learned" | "pinned" | "unpinned")
            {
                each(line, |kind, value| {
                    touched.extend(value.as_i64().filter(|_| kind == Kind::Row));
                });
            }
        }
        for (at, tail) in tails[side].iter().enumerate() {
            if tail.row().is_none_or(|row| touched.contains(&row)) || there.contains(&names[side][at]) {
                continue;
            }
            let mut line = tail.line()?;
            let content = line.get("content").and_then(Value::as_str).map(text::statement);
            let Some(content) = content.filter(|content| !content.is_empty()) else { continue };
            for key in ["id", "at", "suspects", "cites"] {
                line.remove(key);
            }
            line.insert("content".to_owned(), Value::String(content));
            timeless[side].insert(at, printed(&line));
        }
    }
    let said: HashSet<&String> = timeless[0].values().collect();
    let both: HashSet<String> = timeless[1].values().filter(|name| said.contains(name)).cloned().collect();
    for (names, timeless) in names.into_iter().zip(timeless) {
        for (at, name) in timeless.into_iter().filter(|(_, name)| both.contains(name)) {
            names[at] = name;
        }
    }
    Ok(())
}

/// Returns the row that two machines have, with the citations and suspicions of both, in its new numbers. It is
/// otherwise as the machine `side` has it. `None` for a line that is no row.
fn joined(
    rows: [&Tail<'_>; 2],
    side: usize,
    numbers: &[HashMap<(Kind, i64), i64>; 2],
) -> Result<Option<Line>> {
    if rows[0].row().is_none() {
        return Ok(None);
    }
    let mut lines = [rows[0].line()?, rows[1].line()?];
    for (line, numbers) in lines.iter_mut().zip(numbers) {
        renumber(line, numbers);
    }
    let [mut line, other] = lines;
    let other = if side == 0 { other } else { std::mem::replace(&mut line, other) };
    for key in ["cites", "suspects"] {
        if let Some(Value::Array(more)) = other.get(key) {
            join(&mut line, key, more.clone());
        }
    }
    Ok(Some(line))
}

/// Adds to a list of a line what is not in it; the list ascends by the numbers in it.
fn join(line: &mut Line, key: &str, more: Vec<Value>) {
    let list = line.entry(key).or_insert_with(|| Value::Array(Vec::new()));
    let Some(list) = list.as_array_mut() else { return };
    for value in more {
        let is_in = |known: &Value| match value.get("id") {
            Some(id) => known.get("id") == Some(id),
            None => *known == value,
        };
        if !list.iter().any(is_in) {
            list.push(value);
        }
    }
    list.sort_by_key(|value| number(value.get("id")));
}

/// Returns the rows that each new line may contradict, by the place of the line: each by its machine and its number
/// there. Only rows are compared that one machine alone has.
fn doubts_of(tails: &[Vec<Tail<'_>>; 2], woven: &[Place]) -> Result<BTreeMap<usize, Vec<Doubt>>> {
    let (mut places, mut rows) = (Vec::new(), Vec::new());
    for (nth, place) in woven.iter().enumerate() {
        let (side, at) = match place {
            (Some(at), None) => (0, *at),
            (None, Some(at)) => (1, *at),
            _ => continue,
        };
        if let Some(number) = tails[side][at].row() {
            places.push((nth, number));
            rows.push((side, tails[side][at].line()?));
        }
    }
    let lines: Vec<(usize, &Line)> = rows.iter().map(|(side, line)| (*side, line)).collect();
    let of_row = |(row, reason): (usize, SuspectReason)| (rows[row].0, places[row].1, reason);
    let found = doubts::doubts(&lines).into_iter();
    Ok(found.map(|(row, doubts)| (places[row].0, doubts.into_iter().map(of_row).collect())).collect())
}

/// A row that another may contradict: the machine that has it, its number there, and why.
type Doubt = (usize, i64, SuspectReason);

/// Prints the line of a row as [`without_numbers`] does, and takes apart only what could be printed in another way.
fn row_without_number(raw: &[u8]) -> Result<String> {
    let Ok(fields) = serde_json::from_slice::<BTreeMap<&str, &RawValue>>(raw) else {
        return line(raw).map(|mut line| without_numbers(&mut line));
    };
    let mut text = String::with_capacity(raw.len());
    let is_imported = fields.get("source").is_some_and(|source| source.get().trim_matches('"') == IMPORTED);
    for (key, value) in fields.into_iter().filter(|(key, _)| *key != "id" && (*key != "at" || !is_imported)) {
        text.push(if text.is_empty() { '{' } else { ',' });
        text.extend(["\"", key, "\":"]);
        let value = value.get();
        let is_plain = match value.as_bytes() {
            [b'"', words @ ..] => !words.contains(&b'\\'),
            value => value.iter().all(u8::is_ascii_digit) || matches!(value, b"true" | b"false" | b"null"),
        };
        if is_plain {
            text.push_str(value);
        } else {
            let value: Value =
                serde_json::from_str(value).map_err(|error| corrupt(StateName::MEMORIES.as_str(), &error))?;
            text.push_str(&value.to_string());
        }
    }
    text.push('}');
    Ok(text)
}

/// The source of a row that came out of an export of another program. It may have come in on both machines, at
/// different times.
const IMPORTED: &str = "imported";

/// Takes the times out of what a store has once, in whatever moment it came: a method, a preference.
fn without_times(line: &mut Line) {
    line.remove("at");
    let kept = line.get_mut("kept").and_then(Value::as_array_mut).into_iter().flatten();
    for kept in kept.filter_map(Value::as_object_mut) {
        kept.remove("created_at");
        kept.remove("updated_at");
    }
}

/// Prints a line without its number and those of its suspects. A line that exists once, whatever its time, is printed without
/// the time too.
fn without_numbers(line: &mut Line) -> String {
    let is_learned = line.get("op").and_then(Value::as_str) == Some("learned");
    let is_timeless = is_learned || line.get("source").and_then(Value::as_str) == Some(IMPORTED);
    let time = if is_timeless { "at" } else { "id" };
    let numbers = ["id", "suspects", time].map(|key| line.remove_entry(key));
    let text = printed(line);
    line.extend(numbers.into_iter().flatten());
    text
}

fn printed(line: &Line) -> String {
    serde_json::to_string(line).expect("maps with text keys print")
}

/// Gives a line its new numbers; returns whether it had others.
fn renumber(line: &mut Line, numbers: &HashMap<(Kind, i64), i64>) -> bool {
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
        let read = |bytes: &[u8]| lines_of(bytes).map(|text| line(text).unwrap()).collect::<Vec<_>>();
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
        let known = |line: &str| row_head(line.as_bytes()).map(|(_, number, _)| number);
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

    /// A row is known by its words, whether its store printed it or, sorted, a merge.
    #[test]
    fn a_row_that_is_not_taken_apart_is_known_as_one_that_is() {
        for more in [
            "",
            r#","category":"fact","content":"Says \"tea\" \u00e9","shared":true"#,
            r#","content":"tea","about":{"subject":"Marta","slot":"drink"},"weight":1.50,"tags":["b", "a"]"#,
        ] {
            let raw =
                format!(r#"{{"at":"2026-11-21T09:00:07Z","actor":"agent","op":"written","id":7{more}}}"#);
            let known = row_without_number(raw.as_bytes()).unwrap();
            assert_eq!(known, without_numbers(&mut line(raw.as_bytes()).unwrap()));
        }
    }

    #[test]
    fn words_that_one_machine_took_out_are_out() {
        let one = file(&[OPENED.to_owned(), written(1, 1, "tea")]);
        let gone = String::from_utf8(one.clone()).unwrap().replace(r#","content":"tea""#, "").into_bytes();
        assert!(!String::from_utf8(merge(&one, &gone).unwrap()).unwrap().contains("tea"));
    }
}
