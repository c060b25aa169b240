//! Curated memory of two machines: a person's text by three-way merge, sections of dreams by their ids.
//!
//! A section that is as it was printed moves as a whole. One that a person changed is the person's text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use chrono::NaiveDate;

use super::lines::{self, Stretch};
use super::night::Night;
use super::weave::{Strand, weave};
use crate::base::digest::Digest;
use crate::format::DreamId;
use crate::format::documents::cited::Cited;
use crate::format::documents::curated::{self, HEADING};
use crate::format::documents::known::KnownStatements;
use crate::format::documents::sections::{self, SectionState};
use crate::format::replies::reply;

/// The lines around two versions of a text that a person has to choose from. Tools for repositories know them.
const FROM: &str = "<<<<<<< one machine";
const OR: &str = "=======";
const TO: &str = ">>>>>>> the other machine";

/// A part of a document that is merged as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Token {
    Section(DreamId),
    /// A line, without its line feed.
    Line(Vec<u8>),
}

/// One copy of a document.
#[derive(Debug, Default)]
pub(super) struct Copy {
    tokens: Vec<Token>,
    pub(super) sections: BTreeMap<DreamId, Night>,
    /// Sections that a person changed: their lines.
    edited: BTreeMap<DreamId, Vec<Token>>,
}

/// A merged document.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub(super) bytes: Vec<u8>,
    /// Each section as it was printed.
    pub(super) printed: BTreeMap<DreamId, String>,
    /// The lines of the sections that were printed.
    pub(super) nights: BTreeMap<DreamId, Night>,
    /// The lines of the sections that a person changed.
    pub(super) edited: BTreeMap<DreamId, Night>,
}

impl Copy {
    /// Reads a copy, in which the sections of `printed` are as they were printed or were changed by a person.
    pub(super) fn read(bytes: &[u8], printed: &BTreeMap<DreamId, Digest>) -> Self {
        let mut copy = Self::default();
        let mut whole = Vec::new();
        for (id, printed) in printed {
            match sections::find(bytes, id, *printed) {
                SectionState::Whole(range) => {
                    let night = std::str::from_utf8(&bytes[range.clone()]).ok().and_then(Night::read);
                    if let Some(night) = night {
                        copy.sections.insert(id.clone(), night);
                        whole.push((range, id));
                    }
                }
                SectionState::Edited => {
                    let section = sections::whole(bytes).into_iter().find(|section| section.dream == *id);
                    let Some(section) = section else { continue };
                    let text = String::from_utf8_lossy(&bytes[section.range.clone()]).into_owned();
                    // The log that has its hash did not arrive: it is a section still.
                    match Night::read(&text).filter(|night| night.is_printed(&text, id)) {
                        Some(night) => {
                            copy.sections.insert(id.clone(), night);
                            let gap = bytes[..section.range.start].ends_with(b"\n\n");
                            whole.push((section.range.start - usize::from(gap)..section.range.end, id));
                        }
                        None => {
                            copy.edited.insert(id.clone(), tokens(&bytes[section.range]));
                        }
                    }
                }
                SectionState::Missing => {}
            }
        }
        whole.sort_by_key(|(range, _)| range.start);
        let mut at = 0;
        for (range, id) in whole {
            if range.start < at {
                copy.sections.remove(id);
                continue;
            }
            copy.tokens.extend(tokens(&bytes[at..range.start]));
            copy.tokens.push(Token::Section(id.clone()));
            at = range.end;
        }
        copy.tokens.extend(tokens(&bytes[at..]));
        copy
    }

    /// Returns whether a section is in a text as it was printed.
    pub(super) fn has(bytes: &[u8], id: &DreamId, printed: Digest) -> bool {
        matches!(sections::find(bytes, id, printed), SectionState::Whole(_))
    }

    /// Leaves sections out, and returns them.
    pub(super) fn without(&mut self, gone: &BTreeSet<DreamId>) -> BTreeMap<DreamId, Night> {
        self.tokens.retain(|token| !matches!(token, Token::Section(id) if gone.contains(id)));
        let (out, kept) =
            std::mem::take(&mut self.sections).into_iter().partition(|(id, _)| gone.contains(id));
        self.sections = kept;
        out
    }

    /// Returns the dreams whose sections a person changed.
    pub(super) fn edited(&self) -> impl Iterator<Item = &DreamId> {
        self.edited.keys()
    }

    /// Takes over what a person made of a section that is here as it was printed.
    fn take_edits(&mut self, other: &Self) {
        for (id, edited) in &other.edited {
            let at = self.tokens.iter().position(|token| matches!(token, Token::Section(here) if here == id));
            if let Some(at) = at {
                let gap = (at > 0).then(|| Token::Line(Vec::new()));
                self.tokens.splice(at..=at, gap.into_iter().chain(edited.iter().cloned()));
                self.sections.remove(id);
            }
        }
    }
}

fn tokens(text: &[u8]) -> Vec<Token> {
    let line = |line: &[u8]| Token::Line(line.strip_suffix(b"\n").unwrap_or(line).to_vec());
    text.split_inclusive(|byte| *byte == b'\n').map(line).collect()
}

/// A document that is merged, and whose sections may still lose lines to those of others.
#[derive(Debug, Default)]
pub(super) struct Draft {
    tokens: Vec<Token>,
    pub(super) conflicts: u32,
    nights: BTreeMap<DreamId, Night>,
    /// The sections that one copy alone had.
    is_new: BTreeSet<DreamId>,
}

/// Merges two copies. `order` says when each dream was.
pub(super) fn merge(base: Option<Copy>, mut copies: [Copy; 2], order: &BTreeMap<DreamId, String>) -> Draft {
    let [mut one, mut other] = std::mem::take(&mut copies);
    one.take_edits(&other);
    other.take_edits(&one);
    // The same for both machines, whichever of them merges.
    if other.tokens < one.tokens {
        std::mem::swap(&mut one, &mut other);
    }
    let has_base = base.is_some();
    let was = base.map_or_else(|| common(&one.tokens, &other.tokens), |base| base.tokens);
    let mut out = Out { order, has_base, tokens: Vec::new(), conflicts: 0 };
    for stretch in lines::merge(&was, &one.tokens, &other.tokens) {
        match stretch {
            Stretch::One(range) => out.tokens.extend_from_slice(&one.tokens[range]),
            Stretch::Other(range) => out.tokens.extend_from_slice(&other.tokens[range]),
            Stretch::Both { base, one: a, other: b } => {
                out.both(&was[base], &one.tokens[a], &other.tokens[b]);
            }
        }
    }
    let Out { mut tokens, conflicts, .. } = out;
    drop_doubles(&mut tokens, [&one.tokens, &other.tokens]);
    if !has_base {
        drop_moved(&mut tokens, [&one.tokens, &other.tokens]);
    }
    let mut draft = Draft { tokens, conflicts, ..Draft::default() };
    for (id, mut night) in one.sections {
        match other.sections.remove(&id) {
            Some(theirs) => night.unite(theirs),
            None => drop(draft.is_new.insert(id.clone())),
        }
        draft.nights.insert(id, night);
    }
    for (id, night) in other.sections {
        draft.is_new.insert(id.clone());
        draft.nights.insert(id, night);
    }
    draft
}

/// Drops the second one of two equal sections that a person changed, where neither copy has both: one of them has moved. Two
/// versions of a place keep theirs.
fn drop_doubles(tokens: &mut Vec<Token>, copies: [&[Token]; 2]) {
    let found = written_sections(tokens);
    let known = copies.map(written_sections);
    let mut gone: Vec<Range<usize>> = Vec::new();
    for (at, range) in found.iter().enumerate() {
        let section = &tokens[range.clone()];
        let before = found[..at].iter().filter(|range| tokens[(*range).clone()] == *section).count();
        let in_copy = |side: usize| {
            known[side].iter().filter(|range| copies[side][(*range).clone()] == *section).count()
        };
        if before > 0 && before >= in_copy(0).max(in_copy(1)) {
            let gap = range.start > 0 && tokens[range.start - 1] == Token::Line(Vec::new());
            gone.push(range.start - usize::from(gap)..range.end);
        }
    }
    for range in gone.into_iter().rev() {
        tokens.drain(range);
    }
}

/// Drops the second one of two equal bullets of a person, where neither copy has both. Nothing says which machine has
/// moved it. A bullet of a section or of two versions of a place stays.
fn drop_moved(tokens: &mut Vec<Token>, copies: [&[Token]; 2]) {
    let bullets = |tokens: &[Token]| -> Vec<(usize, Vec<u8>)> {
        let sections = written_sections(tokens);
        let mut is_open = false;
        let mut all = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let Token::Line(line) = token else { continue };
            let text = std::str::from_utf8(line).unwrap_or_default();
            is_open = text == FROM || (is_open && text != TO);
            if !is_open && reply::bullet(text).is_some() && !sections.iter().any(|range| range.contains(&at))
            {
                all.push((at, line.clone()));
            }
        }
        all
    };
    let known = copies.map(|copy| {
        let mut counts: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        for (_, line) in bullets(copy) {
            *counts.entry(line).or_default() += 1;
        }
        counts
    });
    let mut seen: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let mut gone = Vec::new();
    for (at, line) in bullets(tokens) {
        let most = known.iter().filter_map(|counts| counts.get(&line)).max().copied().unwrap_or(1);
        let count = seen.entry(line).or_default();
        *count += 1;
        if *count > most {
            gone.push(at);
        }
    }
    for at in gone.into_iter().rev() {
        tokens.remove(at);
    }
}

/// Returns the places of sections that are a person's text, from their headings on, outside of two versions of a place.
fn written_sections(tokens: &[Token]) -> Vec<Range<usize>> {
    let line = |at: usize| match &tokens[at] {
        Token::Line(line) => std::str::from_utf8(line).ok(),
        Token::Section(_) => None,
    };
    let mut all = Vec::new();
    let (mut is_open, mut begun) = (false, None);
    for at in 0..tokens.len() {
        let Some(text) = line(at) else { continue };
        is_open = text == FROM || (is_open && text != TO);
        if let Some(id) = curated::mark(text.trim_end()) {
            let heading =
                at.checked_sub(1).filter(|at| line(*at).is_some_and(|text| text.starts_with(HEADING)));
            begun = Some((id, heading.unwrap_or(at))).filter(|_| !is_open);
        } else if let Some((_, start)) = begun.take_if(|(id, _)| text.trim_end() == id.end_mark()) {
            all.push(start..at + 1);
        }
    }
    all
}

fn common(one: &[Token], other: &[Token]) -> Vec<Token> {
    let kept = lines::matches(one, other);
    one.iter().zip(kept).filter(|(_, kept)| kept.is_some()).map(|(token, _)| token.clone()).collect()
}

/// The merged document so far.
struct Out<'o> {
    order: &'o BTreeMap<DreamId, String>,
    has_base: bool,
    tokens: Vec<Token>,
    conflicts: u32,
}

impl Out<'_> {
    /// Adds a stretch that both sides changed.
    fn both(&mut self, base: &[Token], one: &[Token], other: &[Token]) {
        let ids = |tokens: &[Token]| -> BTreeSet<DreamId> {
            tokens
                .iter()
                .filter_map(|token| if let Token::Section(id) = token { Some(id.clone()) } else { None })
                .collect()
        };
        // A section of the ancestor that a person took out of one copy.
        let (in_one, in_other) = (ids(one), ids(other));
        let gone: BTreeSet<DreamId> =
            ids(base).into_iter().filter(|id| !in_one.contains(id) || !in_other.contains(id)).collect();
        let left = |tokens: &[Token]| -> Vec<Token> {
            let stays = |token: &&Token| !matches!(token, Token::Section(id) if gone.contains(id));
            tokens.iter().filter(stays).cloned().collect()
        };
        let (one, other) = (left(one), left(other));
        let head = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
        let most = one.len().min(other.len()) - head;
        let tail = one.iter().rev().zip(other.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
        self.tokens.extend_from_slice(&one[..head]);
        let end = one[one.len() - tail..].to_vec();
        let (one, other) = (&one[head..one.len() - tail], &other[head..other.len() - tail]);
        let (was, mine, theirs) = (written(base), written(one), written(other));
        let is_new = was.is_empty();
        if mine == theirs || (is_new && (self.has_base || are_apart(&mine, &theirs))) {
            // Nobody changed what the other changed: both have added something.
            self.weave(one, other);
        } else if theirs == was {
            self.weave(one, &only_sections(other));
        } else if mine == was {
            self.weave(&only_sections(one), other);
        } else {
            let line = |text: &str| Token::Line(text.as_bytes().to_vec());
            self.conflicts += 1;
            self.tokens.push(line(FROM));
            self.tokens.extend(mine);
            self.tokens.push(line(OR));
            self.tokens.extend(theirs);
            self.tokens.push(line(TO));
            self.weave(&only_sections(one), &only_sections(other));
        }
        self.tokens.extend(end);
    }

    /// Adds sections of both in the order of their nights, and the text of each where it was between them. Lines that
    /// both have are there once; the others stay together as each has them.
    fn weave(&mut self, one: &[Token], other: &[Token]) {
        let keyed = |tokens: &[Token]| -> Vec<(String, usize)> {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            let key = |token: &Token| {
                let text = format!("{token:?}");
                let count = counts.entry(text.clone()).or_default();
                *count += 1;
                (text, *count)
            };
            tokens.iter().map(key).collect()
        };
        let (a, b) = (keyed(one), keyed(other));
        let (strands_a, strands_b) = (self.strands(one, &a, &b), self.strands(other, &b, &a));
        for place in weave(&strands_a, &strands_b) {
            let token = place.0.map(|at| &one[at]).or(place.1.map(|at| &other[at]));
            self.tokens.push(token.expect("it is in one of them").clone());
        }
    }

    /// Makes strands: the time of a line is that of the section before it, and of all lines that it came with.
    fn strands(&self, tokens: &[Token], keys: &[(String, usize)], others: &[(String, usize)]) -> Vec<Part> {
        let others: BTreeSet<&(String, usize)> = others.iter().collect();
        let is_alone = |at: usize| matches!(tokens[at], Token::Line(_)) && !others.contains(&keys[at]);
        let mut parts: Vec<Part> = Vec::with_capacity(tokens.len());
        let (mut night, mut run) = (String::new(), String::new());
        for (at, token) in tokens.iter().enumerate() {
            if let Token::Section(id) = token {
                night = self.order.get(id).cloned().unwrap_or_default();
            }
            if !is_alone(at) {
                run.clear();
            } else if at == 0 || !is_alone(at - 1) {
                let end = (at..tokens.len()).find(|next| !is_alone(*next)).unwrap_or(tokens.len());
                run = format!("{:?}", &tokens[at..end]);
            }
            parts.push(Strand { time: (night.clone(), run.clone()), key: keys[at].clone() });
        }
        parts
    }
}

/// A token between two copies: the night and the lines that it belongs to, and its text.
type Part = Strand<(String, String), (String, usize)>;

/// Returns the text without sections.
fn written(tokens: &[Token]) -> Vec<Token> {
    tokens.iter().filter(|token| matches!(token, Token::Line(_))).cloned().collect()
}

/// Returns whether two texts are no versions of one: beside blank lines one of them has only sections that the other
/// lacks.
fn are_apart(one: &[Token], other: &[Token]) -> bool {
    let sections_of = |tokens: &[Token]| {
        let sections = written_sections(tokens);
        let is_rest = |at: &usize| !sections.iter().any(|range| range.contains(at));
        let is_blank = |at: usize| matches!(&tokens[at], Token::Line(line) if line.trim_ascii().is_empty());
        let is_all = (0..tokens.len()).filter(is_rest).all(is_blank);
        (Draft { tokens: tokens.to_vec(), ..Draft::default() }.dreams(), is_all)
    };
    let ((in_one, is_all_of_one), (in_other, is_all_of_other)) = (sections_of(one), sections_of(other));
    in_one.is_disjoint(&in_other) && (is_all_of_one || is_all_of_other)
}

fn only_sections(tokens: &[Token]) -> Vec<Token> {
    tokens.iter().filter(|token| matches!(token, Token::Section(_))).cloned().collect()
}

impl Draft {
    /// Returns the dreams that have a section here, as printed, or changed by a person.
    pub(super) fn dreams(&self) -> BTreeSet<DreamId> {
        let (mut all, mut begun) = (BTreeSet::new(), BTreeSet::new());
        for token in &self.tokens {
            match token {
                Token::Section(id) => drop(all.insert(id.clone())),
                Token::Line(line) => {
                    let line = std::str::from_utf8(line).unwrap_or_default().trim_end();
                    // A mark alone is no section: it takes none out of memory.
                    all.extend(begun.iter().find(|id: &&DreamId| line == id.end_mark()).cloned());
                    begun.extend(curated::mark(line));
                }
            }
        }
        all
    }

    /// Takes in the sections of dreams that are here already, in part.
    pub(super) fn take_in(&mut self, nights: BTreeMap<DreamId, Night>) {
        for (id, night) in nights {
            if let Some(here) = self.nights.get_mut(&id) {
                here.unite(night);
            }
        }
    }

    /// Leaves a line of two dreams only in the earlier dream. A dream of `archive` is earlier than all. `is_same`
    /// says whether cited lines are the same lines in both lives.
    pub(super) fn join(&mut self, archive: Option<&mut Self>, is_same: &dyn Fn(&Cited) -> bool) {
        let of_lines = |tokens: &mut dyn Iterator<Item = &Token>| {
            let texts = tokens.filter_map(|token| match token {
                Token::Line(line) => std::str::from_utf8(line).ok(),
                Token::Section(_) => None,
            });
            Night::of_lines(texts, NaiveDate::default())
        };
        let mut written = of_lines(&mut self.tokens.iter());
        let edited = written_sections(&self.tokens).into_iter();
        let mut edited = of_lines(&mut edited.flat_map(|range| &self.tokens[range]));
        let mut archived: Vec<&mut Night> =
            archive.into_iter().flat_map(|it| it.nights.values_mut()).collect();
        let mut all = KnownStatements::default();
        let nights = self.nights.values().chain(archived.iter().map(|night| &**night));
        nights.chain([&written, &edited]).for_each(|night| night.tell(&mut all));
        let mut earlier: Vec<DreamId> = Vec::new();
        for token in &self.tokens {
            let Token::Section(id) = token else { continue };
            let Some(mut night) = self.nights.remove(id) else { continue };
            edited.take_doubles(&mut night, is_same, &all);
            if self.is_new.contains(id) {
                written.take_doubles(&mut night, is_same, &all);
            }
            for before in &mut archived {
                before.take_doubles(&mut night, is_same, &all);
            }
            for before in &earlier {
                if let Some(before) = self.nights.get_mut(before) {
                    before.take_doubles(&mut night, is_same, &all);
                }
            }
            self.nights.insert(id.clone(), night);
            earlier.push(id.clone());
        }
    }

    pub(super) fn print(self) -> Merged {
        let (bytes, printed) = print(&self.tokens, &self.nights);
        let edited =
            sections::whole(&bytes).into_iter().filter(|section| !printed.contains_key(&section.dream));
        let night = |section: sections::Section| {
            Some((section.dream, Night::read(std::str::from_utf8(&bytes[section.range]).ok()?)?))
        };
        let edited = edited.filter_map(night).collect();
        Merged { edited, bytes, printed, nights: self.nights }
    }
}

fn print(tokens: &[Token], nights: &BTreeMap<DreamId, Night>) -> (Vec<u8>, BTreeMap<DreamId, String>) {
    let (mut bytes, mut printed) = (Vec::new(), BTreeMap::new());
    for token in tokens {
        match token {
            Token::Line(line) => {
                bytes.extend_from_slice(line);
                bytes.push(b'\n');
            }
            Token::Section(id) => {
                let Some(night) = nights.get(id).filter(|night| !night.is_empty()) else { continue };
                if printed.contains_key(id) {
                    continue;
                }
                let section = curated::print_section(&bytes, night.day, id, night.sources, &night.body);
                bytes.extend_from_slice(section.as_bytes());
                printed.insert(id.clone(), section);
            }
        }
    }
    (bytes, printed)
}
