//! The lines that a model was shown, and those that a claim cites.

use chrono::NaiveDate;

use crate::base::debug::debug_as;
use crate::base::document::SourceRef;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::sorted::SortedMap;
use crate::base::spread::Spread;
use crate::base::text;
use crate::dreamer::{Hold, HoldReason};
use crate::format::documents::records::records;
use crate::format::replies::fences::ShownLine;
use crate::format::replies::reply::Citation;
use crate::format::{JournalName, Origin};

/// A line that a model was shown, and whose words it is.
#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) origin: Option<Origin>,
    /// Whether it is a record of a program, which states nothing.
    pub(crate) is_record: bool,
}

/// The lines that a model was shown, as it was shown them.
#[derive(Default)]
pub(crate) struct Shown {
    journals: SortedMap<DocName, (Option<NaiveDate>, SortedMap<u64, Line>)>,
    /// The whole extent of each slice: blank lines between shown ones may lie inside a citation.
    extents: SortedMap<DocName, Vec<(u64, u64)>>,
}

impl Shown {
    /// Adds a slice of a journal, and the origin of each of its lines that has one.
    pub(crate) fn add(
        &mut self,
        journal: &JournalName,
        first_line: u64,
        last_line: u64,
        lines: &[ShownLine],
        origins: &SortedMap<u64, Origin>,
    ) {
        let (_, known) = self
            .journals
            .entry(journal.name().clone())
            .or_insert_with(|| (Some(journal.date()), SortedMap::new()));
        let origin = |line: &ShownLine| origins.get(&line.number).cloned();
        let records = records(lines.iter().map(|line| line.text.as_str()));
        known.extend(lines.iter().zip(records).map(|(line, is_record)| {
            (line.number, Line { text: line.text.clone(), origin: origin(line), is_record })
        }));
        self.extents.entry(journal.name().clone()).or_default().push((first_line, last_line));
    }

    /// Looks the cited lines up: what they are, or which citation is wrong.
    pub(crate) fn find(&self, citation: &Citation) -> Result<Source, HoldReason> {
        // It names a journal, and no line that could be read.
        if citation.first_line == 0 {
            return Err(HoldReason::NoSuchLine);
        }
        let name = citation.name.as_ref().ok_or(HoldReason::UnknownSource)?;
        let (date, lines) = self.journals.get(name).ok_or(HoldReason::UnknownSource)?;
        let (first, last) = (citation.first_line, citation.last_line);
        let inside = self
            .extents
            .get(name)
            .is_some_and(|extents| extents.iter().any(|(from, to)| *from <= first && last <= *to));
        if last < first || last - first > MOST_LINES || !inside {
            return Err(HoldReason::NoSuchLine);
        }
        let lines: Vec<Line> = lines.range(first..=last).map(|(_, line)| line.clone()).gather();
        if lines.is_empty() {
            return Err(HoldReason::NoSuchLine);
        }
        let place = SourceRef { name: name.clone(), first_line: first, last_line: last };
        Ok(Source { place, date: *date, lines })
    }

    /// Returns all lines, in their order.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&DocName, &Line)> {
        self.journals.iter().spread(|(name, (_, lines))| lines.values().map(move |line| (name, line)))
    }
}

debug_as!(Shown, |it| "Shown({:?})", it.extents);

/// A citation of more lines than this proves nothing.
const MOST_LINES: u64 = 40;

/// Cited lines, as they were shown.
pub(crate) struct Source {
    pub(crate) place: SourceRef,
    pub(crate) date: Option<NaiveDate>,
    pub(crate) lines: Vec<Line>,
}

/// Returns a hold for a reason, with the word that was missed.
pub(crate) fn held(reason: HoldReason, word: &str) -> Hold {
    Hold { reason, word: Some(word.to_owned()) }
}

/// Returns a text without marks that are on letters of their own: "u\u{308}" is compared as "u".
pub(crate) fn without_marks(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\u{300}'..='\u{36f}') && !text::is_invisible(*c)).collect()
}
