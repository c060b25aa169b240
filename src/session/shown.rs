//! The text of a document as a session is shown it: masked as in a prompt, even if only in part.

use std::borrow::Cow;
use std::ops::Range;

use super::Guarded;
use crate::base::access::SessionKind;
use crate::base::digest::Digest;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, Name};
use crate::base::order;
use crate::base::sorted::{SortedMap, SortedSet};
use crate::base::text;
use crate::format::documents::{curated, day_log};
use crate::format::{DayLog, Entry, JournalName, Origin};
use crate::gate::Door;
use crate::search::documents::{SearchResult, words_of_name};
use crate::search::rank::{Card, Plan, newest_first};
use crate::workspace::Workspace;

/// Returns a text of a document as a prompt would show it: secrets and what was forgotten are masked, instructions are
/// blocked. Lines keep their numbers.
///
/// Else a tool or a search would tell what the prompt of the same session hides.
///
/// With others present, only secrets and instructions are masked in their journals. Else somebody could write a guess
/// there, and a mask would tell that it was forgotten.
pub(crate) fn shown<W: Workspace>(view: &Guarded<W>, name: &Name, text: &str) -> Result<String> {
    let is_theirs = JournalName::is_shared_name(name.as_str()) && !is_private(view);
    let doors = if is_theirs { Cow::Borrowed(view.doors()) } else { view.doors_of(name)? };
    let policy = doors.policy_of(Door::PromptLoad, name).as_shown();
    Ok(view.judge(&doors, Door::PromptLoad, policy, name, text)?.text.into_owned())
}

/// Returns a text of a document as a prompt would show it. Behind each superseded line it says what holds now. Lines
/// keep their numbers.
pub(crate) fn marked<W: Workspace>(view: &Guarded<W>, name: &Name, text: &str) -> Result<String> {
    let mut text = shown(view, name, text)?;
    if let Some(notes) = view.notes_in(name) {
        notes.add_to(&mut text, &mut |_| ());
    }
    Ok(text)
}

/// Takes the marks of dreams out of a passage: a reader of a search has no use for them. Lines keep their numbers.
fn without_marks(passage: &str) -> String {
    curated::without_marks(passage, "")
}

/// Returns whether nobody else is present.
pub(crate) fn is_private<W>(view: &Guarded<W>) -> bool {
    view.access().kind == SessionKind::Main
}

/// A document, and what is shown of it.
struct MaskedDocument {
    text: String,
    /// As an index has it; none where nothing of it was forgotten.
    blanked: Option<String>,
    shown: String,
    /// The starts of the lines of `text` and of `shown`.
    starts: [Vec<usize>; 2],
    /// The entries of a journal; none in any other document.
    entries: Vec<Range<usize>>,
}

/// A passage of a document as it is shown.
pub(crate) struct ShownPassage {
    /// Its first and its last line, from 1.
    pub(crate) lines: (u64, u64),
    pub(crate) content: String,
}

/// The entries that one chunk of a journal gives; the ones that say the least of the query are left out.
const MAX_ENTRIES: usize = 3;
/// The most lines of a journal that are distinguished by time.
const LINES: i64 = 1_000_000;
/// The bytes of an entry that is given whole; of a longer one only the part in the chunk is given.
const MAX_ENTRY_BYTES: usize = 1600;

impl MaskedDocument {
    fn of<W: Workspace>(view: &Guarded<W>, document: &Document, is_masked: bool) -> Result<Self> {
        let text = document.lossy().into_owned();
        let blanked = view.doors_of(document.name())?.blanked(&text);
        let shown = match &blanked {
            _ if is_masked => marked(view, document.name(), &text)?,
            blanked => blanked.as_ref().unwrap_or(&text).clone(),
        };
        let is_journal = JournalName::is_name(&document.name().folded());
        let entries = if is_journal { day_log::entries(&text) } else { Vec::new() };
        let starts = [&text, &shown].map(|text| {
            let ends = text.match_indices('\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(ends).gather()
        });
        Ok(Self { text, blanked, shown, starts, entries })
    }

    /// Returns the place of a result: on its line, or the first place of its text. `None` if the text is gone.
    fn place(&self, found: &SearchResult) -> Option<Range<usize>> {
        let passage = found.content.as_str();
        let line = usize::try_from(found.lines.0).unwrap_or(usize::MAX).saturating_sub(1);
        let line = self.starts[0].get(line).map_or(self.text.len(), |start| *start);
        let on_its_line = self.text[line..]
            .find(passage)
            .map(|at| line + at)
            .filter(|at| self.line(*at) as u64 + 1 == found.lines.0);
        let indexed = || self.blanked.as_ref()?.find(passage);
        let at = on_its_line.or_else(|| self.text.find(passage)).or_else(indexed)?;
        // A cut may lie within blanks, where the document has longer letters.
        Some(text::floor_boundary(&self.text, at)..text::ceil_boundary(&self.text, at + passage.len()))
    }

    /// Returns the number of the line at a place, from 0.
    fn line(&self, at: usize) -> usize {
        self.starts[0].partition_point(|start| *start <= at) - 1
    }

    /// Returns a passage as the document shows it, whole lines where something in them is masked. Alone, the half of a secret
    /// looks like none.
    fn passage(&self, range: Range<usize>) -> ShownPassage {
        // What was forgotten is shown by no search, also where the document shows it to those who wrote it.
        let passage = &self.blanked.as_ref().unwrap_or(&self.text)[range.clone()];
        let (first, lines) =
            (self.line(range.start), passage.trim_end_matches('\n').matches('\n').count() + 1);
        let in_lines = |text: &str, starts: &[usize]| {
            let place = |line: usize| starts.get(line).map_or(text.len(), |start| *start);
            text[place(first)..place(first + lines)].to_owned()
        };
        let shown = in_lines(&self.shown, &self.starts[1]);
        let is_shown = in_lines(&self.text, &self.starts[0]) == shown;
        let content = without_marks(if is_shown { passage } else { &shown });
        ShownPassage { lines: (first as u64 + 1, (first + lines) as u64), content }
    }

    /// Returns the entries of a journal in a chunk at `range` that have words of a query beside those of its `name`.
    /// Entries with the most come first, then the ones that say what no other says. Each has `around` entries before
    /// and behind it. None where no entry can be told.
    ///
    /// They are judged as they are shown: else the choice would tell what a mask hides.
    fn matching(&self, range: &Range<usize>, name: &str, asked: &Plan, around: usize) -> Vec<ShownPassage> {
        let is_in = |entry: &Range<usize>| entry.start < range.end && range.start < entry.end;
        let part = |entry: &Range<usize>| {
            let is_whole = entry.len() <= MAX_ENTRY_BYTES;
            let bounds =
                if is_whole { entry.clone() } else { entry.start.max(range.start)..entry.end.min(range.end) };
            self.passage(bounds)
        };
        let (mut said, mut covered) = (name.to_owned(), asked.share_in(name));
        let mut found: Vec<(f64, usize, ShownPassage)> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate().filter(|(_, entry)| is_in(entry)) {
            let shown = part(entry);
            let with_name = format!("{name}\n{}", shown.content);
            let share = asked.share_in(&with_name);
            if share > covered && asked.is_fulfilled_by(&with_name) {
                found.push((share, at, shown));
            }
        }
        order::sort_by(&mut found, |one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let best = found.first().map_or(0.0, |(share, ..)| *share);
        let mut kept: Vec<Range<usize>> = Vec::new();
        let mut passages = Vec::new();
        for (share, at, shown) in found {
            let with = format!("{said}\n{}", shown.content);
            let covers = asked.share_in(&with);
            if passages.len() == MAX_ENTRIES || (share < best && covers <= covered) {
                continue;
            }
            (said, covered) = (with, covers);
            if around == 0 {
                passages.push(shown);
                continue;
            }
            let last = self.entries.len() - 1;
            let with_neighbours = at.saturating_sub(around)..at.saturating_add(around).min(last) + 1;
            if !kept.iter().any(|kept| kept.contains(&at)) {
                passages.push(self.passage(
                    self.entries[with_neighbours.start].start..self.entries[with_neighbours.end - 1].end,
                ));
                kept.push(with_neighbours);
            }
        }
        passages
    }
}

/// The passages of one search, as its session is shown them. Each document is read once.
pub(crate) struct Passages<'v, W> {
    view: &'v Guarded<W>,
    asked: Plan,
    seen: SortedMap<DocName, Option<MaskedDocument>>,
    /// The number of entries before and behind one that matched.
    around: usize,
    is_masked: bool,
    /// The places that were given: chunks repeat the end of the one before.
    given: SortedSet<(DocName, (u64, u64))>,
}

impl<'v, W: Workspace> Passages<'v, W> {
    pub(crate) fn new(view: &'v Guarded<W>, query: &str, around: usize) -> Self {
        let (asked, seen, given) = (Plan::of(query, false), SortedMap::new(), SortedSet::new());
        Self { view, asked, seen, around, is_masked: true, given }
    }

    /// Shows them as they are: for the owner's own eyes.
    pub(crate) fn unmasked(self) -> Self {
        Self { is_masked: false, ..self }
    }

    /// Returns the sentence of a passage that matched.
    pub(crate) fn sentence_in(&self, passage: &str) -> Option<Range<usize>> {
        self.asked.sentence_in(passage)
    }

    /// Puts entries of journals behind later ones that say the same anew. An older one gets the place of the newer, and each
    /// entry its origin. The scores stay in their places. A result with several entries is left as it is.
    ///
    /// They are compared as they are shown: else the order would tell what a mask hides.
    pub(crate) fn newest_first(&self, results: &mut Vec<SearchResult>) {
        let (mut entries, mut places) = (Vec::new(), Vec::new());
        for (place, found) in results.iter_mut().enumerate() {
            let mut said = DayLog::parse(&found.content).entries;
            if said.len() == 1 && JournalName::day_of(found.path.as_str()).is_some() {
                found.origin.clone_from(&said[0].origin);
                entries.append(&mut said);
                places.push(place);
            }
        }
        let mut cards = Vec::with_capacity(entries.len());
        for (Entry { time, origin, text, .. }, place) in entries.iter().zip(&places) {
            let SearchResult { path, lines, .. } = &results[*place];
            let day = JournalName::day_of(path.as_str()).unwrap_or_default();
            let said = day.and_time(time.unwrap_or_default()).and_utc().timestamp();
            let line = i64::try_from(lines.0).unwrap_or(LINES).min(LINES);
            let touched = said.saturating_mul(LINES).saturating_add(line);
            let (own, speaker) = match origin {
                None | Some(Origin::User) => (true, None),
                Some(Origin::Participant(name)) => (true, Some(name.as_str())),
                Some(_) => (false, None),
            };
            cards.push(Card {
                touched,
                own,
                speaker,
                ..Card::of(i64::try_from(*place).unwrap_or(i64::MAX), text)
            });
        }
        let (order, pairs) = newest_first(&self.asked, &cards);
        // Without a pair nothing moves.
        if pairs.is_empty() {
            return;
        }
        let at = |id: i64| usize::try_from(id).unwrap_or_default();
        for (newer, older) in pairs {
            let SearchResult { path, lines, .. } = &results[at(newer)];
            results[at(older)].newer = Some(format!("{path}#L{}", lines.0));
        }
        let mut sorted = results.clone();
        for (place, from) in places.into_iter().zip(order) {
            sorted[place] = SearchResult { score: results[place].score, ..results[at(from)].clone() };
        }
        *results = sorted;
    }

    /// Returns the digest of a document that a result was shown of.
    pub(crate) fn revision(&self, name: &DocName) -> Option<Digest> {
        let seen = self.seen.get(name)?.as_ref()?;
        Some(Digest::of(seen.text.as_bytes()))
    }

    /// Returns a result as it is shown: for a journal, the entries that matched. `None` if its document no longer
    /// has it. `None` also if only hidden words led to it: those could be guessed word by word.
    pub(crate) fn shown(&mut self, found: &SearchResult) -> Result<Option<Vec<ShownPassage>>> {
        if !self.seen.contains_key(&found.path) {
            let document = match self.view.read(&found.path) {
                // It was replaced by a link, or by what is no document any more.
                Err(Error::Refused { .. } | Error::TooLarge { .. }) => None,
                read => read?,
            };
            let masked = |document: Document| MaskedDocument::of(self.view, &document, self.is_masked);
            self.seen.insert(found.path.clone(), document.map(masked).transpose()?);
        }
        let Some(document) = self.seen.get(&found.path).and_then(Option::as_ref) else { return Ok(None) };
        let Some(range) = document.place(found) else { return Ok(None) };
        let mut passages = document.matching(&range, &words_of_name(&found.path), &self.asked, self.around);
        // Which of them is near in meaning cannot be told.
        let has_all = |passage: &ShownPassage| self.asked.share_in(&passage.content) >= 1.0;
        if passages.is_empty() || (found.vector_score.is_some() && !has_all(&passages[0])) {
            let content = document.passage(range).content;
            if content != without_marks(&found.content) && self.asked.share_in(&content) <= 0.0 {
                return Ok(None);
            }
            passages = vec![ShownPassage { lines: found.lines, content }];
        }
        order::retain(&mut passages, |passage| self.given.insert((found.path.clone(), passage.lines)));
        Ok(Some(passages))
    }
}
