//! Whether a line says what its sources say: deterministic, and on the side of holding back.
//!
//! The cited lines must have been shown. Every number, date and name of the claim must occur in them, and
//! the claim must not turn a sentence of theirs into its opposite. A claim that is a cited line word for
//! word passes at once. This is no proof of truth: it catches what a model made up, not what it misread.

mod dates;
mod matter;
mod names;
mod numbers;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use chrono::NaiveDate;
use regex::Regex;

use crate::dreamer::{Hold, HoldReason, SourceRef};
use crate::format::JournalName;
use crate::format::curated::strip_date;
use crate::format::fences::ShownLine;
use crate::format::reply::Citation;
use crate::name::DocName;
use crate::text;

/// The lines that a model was shown, as it was shown them.
#[derive(Default)]
pub(super) struct Shown {
    journals: BTreeMap<DocName, (Option<NaiveDate>, BTreeMap<u64, String>)>,
    /// The whole extent of each slice: blank lines between shown ones may lie inside a citation.
    extents: BTreeMap<DocName, Vec<(u64, u64)>>,
}

impl Shown {
    /// Adds a slice of a journal.
    pub(super) fn add(
        &mut self,
        journal: &JournalName,
        first_line: u64,
        last_line: u64,
        lines: &[ShownLine],
    ) {
        let (_, known) = self
            .journals
            .entry(journal.name().clone())
            .or_insert_with(|| (Some(journal.date()), BTreeMap::new()));
        known.extend(lines.iter().map(|line| (line.number, line.text.clone())));
        self.extents.entry(journal.name().clone()).or_default().push((first_line, last_line));
    }

    /// Looks the cited lines up: what they are, or which citation is wrong.
    fn find(&self, citation: &Citation) -> Result<Source, HoldReason> {
        let (name, (date, lines)) = citation
            .name
            .as_ref()
            .and_then(|name| self.journals.get_key_value(name))
            .ok_or(HoldReason::UnknownSource)?;
        let (first, last) = (citation.first_line, citation.last_line);
        let inside = self
            .extents
            .get(name)
            .is_some_and(|extents| extents.iter().any(|(from, to)| *from <= first && last <= *to));
        if first == 0 || last < first || last - first > MOST_LINES || !inside {
            return Err(HoldReason::NoSuchLine);
        }
        let lines: Vec<String> = lines.range(first..=last).map(|(_, text)| text.clone()).collect();
        if lines.is_empty() {
            return Err(HoldReason::NoSuchLine);
        }
        let place = SourceRef { name: name.clone(), first_line: first, last_line: last };
        Ok(Source { place, date: *date, lines })
    }
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shown({:?})", self.extents)
    }
}

/// A citation of more lines than this proves nothing.
const MOST_LINES: u64 = 40;

struct Source {
    place: SourceRef,
    date: Option<NaiveDate>,
    lines: Vec<String>,
}

/// Judges a claim by what it cites: the sources, or why it is held back.
pub(super) fn judge(claim: &str, citations: &[Citation], shown: &Shown) -> (Vec<SourceRef>, Option<Hold>) {
    let mut sources = Vec::new();
    for citation in citations {
        match shown.find(citation) {
            Ok(source) => sources.push(source),
            Err(reason) => {
                let word = citation.name.as_ref().map(ToString::to_string);
                return (
                    sources.into_iter().map(|source| source.place).collect(),
                    Some(Hold { reason, word }),
                );
            }
        }
    }
    let hold =
        if sources.iter().any(|source| source.says(claim)) { None } else { check(claim, &sources).err() };
    (sources.into_iter().map(|source| source.place).collect(), hold)
}

impl Source {
    /// Whether a line, or all lines together, are the claim word for word.
    fn says(&self, claim: &str) -> bool {
        let (date, claim) = strip_date(claim);
        if date.is_some() && date != self.date {
            return false;
        }
        let unnamed = claim.split_once(": ").filter(|(speaker, _)| is_label(speaker)).map(|(_, rest)| rest);
        let claims: Vec<String> = [Some(claim), unnamed].into_iter().flatten().map(text::normalise).collect();
        let is_said = |line: &str| {
            let line = text::normalise(line);
            claims.iter().any(|claim| {
                !claim.is_empty() && line.strip_suffix(claim.as_str()).is_some_and(is_label_of_line)
            })
        };
        self.lines.iter().any(|line| is_said(line)) || is_said(&self.lines.join(" "))
    }
}

/// Whether a text in front of a colon only says who speaks.
fn is_label(text: &str) -> bool {
    text.split_whitespace().count() <= 2 && !text::words(text).any(|word| matter::is_negation(&word))
}

/// Whether a text in front of a line's matter is only a bullet, a time, a tag, a speaker.
fn is_label_of_line(text: &str) -> bool {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:[-*+>•]\s+)?(?:[\[(]?\d{1,4}[-\d:t.,z+ ]*[\])]?:?\s*)?(?:\[[^\[\]]{1,40}\]:?\s*)?(?:\p{L}[\p{L}\d.-]*(?: [\p{L}\d.-]+)?:\s*)?$")
            .expect("a literal pattern")
    });
    LABEL.is_match(text) && !text::words(text).any(|word| matter::is_negation(&word))
}

fn check(claim: &str, sources: &[Source]) -> Result<(), Hold> {
    let evidence: String =
        sources.iter().flat_map(|source| &source.lines).map(|line| format!("{line}\n")).collect();
    let (claim, claim_dates) = dates::take_dates(claim);
    let (rest, evidence_dates) = dates::take_dates(&evidence);
    let known: BTreeSet<String> = text::words(&evidence).collect();
    dates::check(&claim_dates, &evidence_dates, sources)?;
    numbers::check(&claim, &rest, &claim_dates, &evidence_dates)?;
    names::check(&claim, &known)?;
    matter::check_overlap(&claim, &known)?;
    matter::check_negation(&claim, sources)
}

fn held(reason: HoldReason, word: &str) -> Hold {
    Hold { reason, word: Some(word.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::reply::split_citations;

    fn shown() -> Shown {
        let journal = JournalName::parse(&DocName::parse("memory/2026-03-12-repl.md").unwrap()).unwrap();
        let lines = [
            (7, "[09:14:05] [user] The release moves to 2026-03-27, Ilya signs it off."),
            (8, "[09:15:00] [user] I prefer tabs, three spaces at most."),
            (9, "[09:16:00] [agent] We never deploy on Fridays; Mondays are fine."),
            (10, "[09:17:00] Caroline: I went to the support group yesterday and it was powerful."),
            (12, "[09:18:00] [user] The berth costs 1,250.50 a month from next month."),
            (13, "[09:19:00] [user] Do not send invoices to Acme."),
        ];
        let lines: Vec<ShownLine> = lines
            .iter()
            .map(|(number, text)| ShownLine { number: *number, text: (*text).to_owned() })
            .collect();
        let mut shown = Shown::default();
        shown.add(&journal, 7, 13, &lines);
        shown
    }

    fn verdict(bullet: &str) -> Option<HoldReason> {
        let (claim, citations) = split_citations(bullet);
        judge(&claim, &citations, &shown()).1.map(|hold| hold.reason)
    }

    fn cite(claim: &str, lines: &str) -> String {
        format!("{claim} (memory/2026-03-12-repl.md#{lines})")
    }

    #[test]
    fn what_the_sources_say_is_kept() {
        for (claim, lines) in [
            ("The release is on 2026-03-27 and Ilya signs it off.", "L7"),
            ("2026-03-12: The release moves to 2026-03-27, Ilya signs it off.", "L7"),
            ("Prefers tabs, 3 spaces at most.", "L8"),
            ("User prefers tabs.", "L8"),
            ("Never deploys on Fridays.", "L9"),
            ("Deploying on Mondays is fine.", "L9"),
            ("Caroline went to a support group on 2026-03-11.", "L10"),
            ("Caroline: I went to the support group yesterday and it was powerful.", "L10"),
            ("The berth costs 1250.5 a month from April 2026.", "L12"),
            ("Invoices are not sent to Acme.", "L13"),
            ("Release on 27 March.", "L7-L9"),
        ] {
            assert_eq!(verdict(&cite(claim, lines)), None, "{claim}");
        }
    }

    #[test]
    fn what_was_made_up_is_held() {
        use HoldReason::{Date, Name, Negation, NoSuchLine, Number, UnknownSource, Unrelated};
        for (claim, lines, reason) in [
            ("The release is on 2026-03-28.", "L7", Date),
            ("The release is in April 2027.", "L7", Date),
            ("The release moves to 3 days later.", "L7", Number),
            ("Prefers tabs, four spaces at most.", "L8", Number),
            ("Marta signs the release off.", "L7", Name),
            ("The release is signed off by Marta.", "L7", Name),
            ("Uses Kubernetes for the release.", "L7", Name),
            ("Deploys happen on Fridays.", "L9", Negation),
            ("Send invoices to Acme.", "L13", Negation),
            ("send invoices to Acme", "L13", Negation),
            ("Does not prefer tabs.", "L8", Negation),
            ("The cat eats fish.", "L7", Unrelated),
            ("The release moves to 2026-03-27.", "L6", NoSuchLine),
            ("The release moves to 2026-03-27.", "L11", NoSuchLine),
            ("The release moves to 2026-03-27.", "L13-L99", NoSuchLine),
            ("The release moves to 2026-03-27.", "L0", NoSuchLine),
        ] {
            assert_eq!(verdict(&cite(claim, lines)), Some(reason), "{claim}");
        }
        assert_eq!(verdict("The release moves. (memory/2026-03-13-repl.md#L7)"), Some(UnknownSource));
        assert_eq!(verdict("The release moves. (memory/../x.md#L7)"), Some(UnknownSource));
    }
}
