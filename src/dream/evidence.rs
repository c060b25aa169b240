//! Whether a line says what its sources say: deterministic, and on the side of holding back.
//!
//! The cited lines must have been shown. Every number, date and name of the claim must occur in them, in this
//! notation or another ("15:00" is "3pm", "50 %" is "half", "on the 5th" is a day of the journal's month), and
//! the claim must not turn a sentence of theirs into its opposite, nor take the side of a contrast ("A instead
//! of B") that they drop. What it puts between quotation marks must stand there word for word. A claim that is a cited line word for word passes at once; in front of it may stand
//! a time, a tag and a speaker, but no label that takes it back ("Myth: …").
//!
//! This is no proof of truth: it catches what a model made up, not what it misread. What passes although it
//! is false: the right words in the wrong places (who called whom, which of two numbers is the rent, a
//! comparison turned round), a condition told as a fact, a question told as its answer, a denial without a
//! negation, an exact day out of a vague week, an invented name in a script without upper case, an opposite
//! by another word (cheap for dear), and a number or name that stands elsewhere in the cited lines. What is
//! held although it is true: what must be counted, reckoned or known (a year of birth from an age, two
//! children from their names), and a paraphrase or translation without a word in common.
//!
//! Two questions are asked besides, of what cites nothing too: [`origin`], whose words it is, and [`orders`],
//! whether it is an order to its reader.

mod common;
mod contrast;
mod dates;
mod implied;
mod matter;
mod names;
mod numbers;
mod orders;
mod origin;
mod person;
mod quotes;
mod spelled;
#[cfg(test)]
mod table;

pub(crate) use matter::is_negation;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use chrono::NaiveDate;
use regex::Regex;

use super::journal::config::{DreamConfig, Evidence};
use crate::base::document::SourceRef;
use crate::base::name::DocName;
use crate::base::text;
use crate::dreamer::{Hold, HoldReason};
use crate::format::documents::curated::strip_date;
use crate::format::documents::speakers::is_party;
use crate::format::replies::fences::ShownLine;
use crate::format::replies::reply::{self, Citation};
use crate::format::{JournalName, Origin};
use dates::Calendar;
use names::Words;
use origin::Spoken;

/// A line that a model was shown, and whose words it is.
#[derive(Clone)]
struct Line {
    text: String,
    origin: Option<Origin>,
}

/// The lines that a model was shown, as it was shown them.
#[derive(Default)]
pub(crate) struct Shown {
    journals: BTreeMap<DocName, (Option<NaiveDate>, BTreeMap<u64, Line>)>,
    /// The whole extent of each slice: blank lines between shown ones may lie inside a citation.
    extents: BTreeMap<DocName, Vec<(u64, u64)>>,
}

impl Shown {
    /// Adds a slice of a journal, and the origin of each of its lines that has one.
    pub(crate) fn add(
        &mut self,
        journal: &JournalName,
        first_line: u64,
        last_line: u64,
        lines: &[ShownLine],
        origins: &BTreeMap<u64, Origin>,
    ) {
        let (_, known) = self
            .journals
            .entry(journal.name().clone())
            .or_insert_with(|| (Some(journal.date()), BTreeMap::new()));
        let origin = |line: &ShownLine| origins.get(&line.number).cloned();
        known.extend(
            lines.iter().map(|line| (line.number, Line { text: line.text.clone(), origin: origin(line) })),
        );
        self.extents.entry(journal.name().clone()).or_default().push((first_line, last_line));
    }

    /// Looks the cited lines up: what they are, or which citation is wrong.
    fn find(&self, citation: &Citation) -> Result<Source, HoldReason> {
        // It names a journal, and no line that could be read.
        if citation.first_line == 0 {
            return Err(HoldReason::NoSuchLine);
        }
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
        if last < first || last - first > MOST_LINES || !inside {
            return Err(HoldReason::NoSuchLine);
        }
        let lines: Vec<Line> = lines.range(first..=last).map(|(_, line)| line.clone()).collect();
        if lines.is_empty() {
            return Err(HoldReason::NoSuchLine);
        }
        let place = SourceRef { name: name.clone(), first_line: first, last_line: last };
        Ok(Source { place, date: *date, lines })
    }

    /// All lines, in their order.
    fn lines(&self) -> impl Iterator<Item = (&DocName, &Line)> {
        self.journals.iter().flat_map(|(name, (_, lines))| lines.values().map(move |line| (name, line)))
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
    lines: Vec<Line>,
}

/// What is held against a bullet, and where it belongs.
pub(crate) struct Verdict {
    /// The lines that it cites, as far as they were shown.
    pub(crate) sources: Vec<SourceRef>,
    pub(crate) hold: Option<Hold>,
    /// The heading that it may stand under.
    pub(crate) heading: Option<&'static str>,
    /// Whose word it is, where it would read as the user's and is not.
    pub(crate) teller: Option<&'static str>,
}

/// A claim with the name of who said it in front, behind its date.
pub(crate) fn told(teller: &str, text: &str) -> String {
    let (_, rest) = strip_date(text);
    let front = &text[..text.len() - rest.len()];
    format!("{front}{teller}: {rest}")
}

/// Judges the bullets of one answer.
pub(crate) struct Judge<'a> {
    config: &'a DreamConfig,
    shown: &'a Shown,
    spoken: Spoken<'a>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(config: &'a DreamConfig, shown: &'a Shown) -> Self {
        Self { config, shown, spoken: Spoken::new(shown, config.trust, &config.user_names) }
    }

    /// Judges a claim by what it cites, by who said it, and by whether it states anything.
    pub(crate) fn judge(
        &self,
        heading: Option<&'static str>,
        claim: &str,
        citations: &[Citation],
    ) -> Verdict {
        let (sources, unfound) = find(citations, self.shown);
        let evidence = || match self.config.evidence {
            Evidence::Off => Ok(()),
            Evidence::Required if citations.is_empty() => {
                Err(Hold { reason: HoldReason::Uncited, word: None })
            }
            Evidence::Checked | Evidence::Required if citations.is_empty() => Ok(()),
            Evidence::Checked | Evidence::Required => {
                says(claim, &sources, unfound.clone(), &self.config.user_names)
            }
        };
        let is_statement = || {
            let is_order = self.config.statements_only && orders::gives_order(claim);
            let is_order = is_order && !is_quoted(claim, &sources);
            if is_order { Err(Hold { reason: HoldReason::Imperative, word: None }) } else { Ok(()) }
        };
        // Whoever opens such an address tells it what stands in it.
        let carries_nothing = || {
            let is_users = |address: &str| origin::is_users_text(self.shown, self.config.trust, address);
            let is_strange = self.config.statements_only && !orders::addresses(claim).all(is_users);
            let word = || Some("exfiltration".to_owned());
            if is_strange { Err(Hold { reason: HoldReason::Injection, word: word() }) } else { Ok(()) }
        };
        let held = evidence()
            .and_then(|()| self.spoken.check(claim, &sources))
            .and_then(|()| is_statement())
            .and_then(|()| carries_nothing());
        let is_fact = matches!(heading, None | Some(reply::FACTS)) || self.spoken.is_users(claim, &sources);
        let teller = self.spoken.teller(claim, &sources, !is_fact);
        Verdict {
            teller,
            sources: sources.into_iter().map(|source| source.place).collect(),
            hold: held.err(),
            heading: if is_fact { heading } else { Some(reply::FACTS) },
        }
    }
}

/// Looks citations up, up to the first that is wrong.
fn find(citations: &[Citation], shown: &Shown) -> (Vec<Source>, Option<Hold>) {
    let mut sources = Vec::new();
    for citation in citations {
        match shown.find(citation) {
            Ok(source) => sources.push(source),
            Err(reason) => {
                let word = citation.name.as_ref().map(ToString::to_string);
                return (sources, Some(Hold { reason, word }));
            }
        }
    }
    (sources, None)
}

/// Whether what a claim cites says it.
fn says(claim: &str, sources: &[Source], unfound: Option<Hold>, names: &[String]) -> Result<(), Hold> {
    match unfound {
        Some(hold) => Err(hold),
        None if sources.iter().any(|source| source.says(claim)) => Ok(()),
        None => check(claim, sources, names),
    }
}

/// Whether a claim is the user's own word, where a host said so, or tells whose word it is: "Ana: Keep it up!" is a
/// statement about Ana.
fn is_quoted(claim: &str, sources: &[Source]) -> bool {
    let users = origin::only(sources, |line| line.origin == Some(Origin::User));
    let (_, rest) = strip_date(claim);
    let tells = |source: &Source| {
        let speaker = rest.split_once(": ").map(|(speaker, _)| speaker);
        speaker.is_some_and(|speaker| source.lines.iter().any(|line| speaks(speaker, &line.text)))
    };
    users.iter().any(|source| source.says(claim))
        || sources.iter().any(|source| tells(source) && source.says(claim))
}

impl Source {
    /// Whether a line, or all lines together, are the claim word for word.
    fn says(&self, claim: &str) -> bool {
        let lines = || self.lines.iter().map(|line| line.text.as_str());
        let whole = lines().collect::<Vec<_>>().join(" ");
        let mut texts = lines().chain([whole.as_str()]);
        texts.any(|text| self.is_said(claim, text))
    }

    /// Whether a text of the source is the claim, but for what only says when, where and who.
    fn is_said(&self, claim: &str, text: &str) -> bool {
        let (plain, whole) = (text::normalise(text), text::normalise(claim));
        if plain == whole || text.trim_end().strip_suffix(claim.trim()).is_some_and(is_label_of_line) {
            return true;
        }
        let (date, rest) = strip_date(claim);
        if date.is_some() && date != self.date {
            return false;
        }
        let unnamed =
            rest.split_once(": ").filter(|(speaker, _)| speaks(speaker, text)).map(|(_, said)| said);
        [Some(rest), unnamed].into_iter().flatten().map(text::normalise).any(|claim| {
            !claim.is_empty()
                && plain.strip_suffix(claim.as_str()).is_some_and(|label| is_label_before(text, label))
        })
    }
}

/// Whether a claim's label names a speaker that the line may have.
fn speaks(speaker: &str, line: &str) -> bool {
    let words: Vec<String> = text::words(speaker).collect();
    let stands = |word: &String| text::words(line).any(|known| known == *word);
    words.len() <= 2 && words.iter().all(|word| is_party(word) || (is_speaker(speaker) && stands(word)))
}

/// Whether a label is a party to the talk, or at most two words that can be a name: not "Myth".
fn is_speaker(label: &str) -> bool {
    let words: Vec<&str> = label.split_whitespace().collect();
    let is_capital = |word: &&str| word.starts_with(|c: char| c.is_uppercase() || !c.is_ascii());
    let is_name = |word: &&str| {
        let lower = word.to_lowercase();
        is_capital(word) && !common::is_common(&lower) && !matter::is_negation(&lower) && !is_distance(&lower)
    };
    words.len() <= 2 && (words.iter().all(is_name) || words.iter().all(|word| is_party(&word.to_lowercase())))
}

/// Whether a word in front of a colon takes back what follows.
fn is_distance(word: &str) -> bool {
    matches!(
        word,
        "rumour"
            | "rumor"
            | "joke"
            | "fiction"
            | "lie"
            | "hypothetical"
            | "hypothesis"
            | "incorrect"
            | "hearsay"
            | "satire"
            | "alleged"
            | "allegedly"
            | "supposedly"
            | "maybe"
            | "doubtful"
            | "unlikely"
            | "gerücht"
    )
}

/// The same for a label of a normalised line, whose upper case stands in the line itself.
fn is_label_before(line: &str, label: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let wanted = letters(label);
    let end =
        line.char_indices().filter(|(_, c)| c.is_alphanumeric()).nth(wanted).map_or(line.len(), |(at, _)| at);
    let front: String =
        line[..end].chars().filter(|c| !text::is_invisible(*c) && !"*`_".contains(*c)).collect();
    is_label_of_line(&front)
}

/// Whether a text in front of a line's matter is only a bullet, a time, a tag, a speaker.
fn is_label_of_line(text: &str) -> bool {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"^\s*(?:(?:[-*+>•]|\d{1,3}[.)])\s+)*(?:[\[(]?\d{1,4}[-\d:t.,z+ ]*(?:[ap]m)?[\])]?:?\s*[-–—]?\s*)?(?:\[[^\[\]]{1,40}\]:?\s*){0,2}(?:\**([\p{L}\d][\p{L}\d.'_-]*(?: [\p{L}\d.'_-]+)?)\**:\**\s*)?["“'(]*$"#)
            .expect("a literal pattern")
    });
    let Some(found) = LABEL.captures(text) else { return false };
    let tag_denies = text::words(text).any(|word| matter::is_negation(&word) || is_distance(&word));
    !tag_denies && found.get(1).is_none_or(|speaker| is_speaker(speaker.as_str()))
}

fn check(claim: &str, sources: &[Source], user_names: &[String]) -> Result<(), Hold> {
    quotes::check(claim, sources)?;
    let claim = without_marks(&person::unnamed(claim, sources, user_names));
    let evidence: String = sources
        .iter()
        .flat_map(|source| &source.lines)
        .map(|line| format!("{}\n", without_marks(&line.text)))
        .collect();
    let (undated, claim_dates) = dates::take_dates(&claim);
    let (rest, evidence_dates) = dates::take_dates(&evidence);
    let calendar = Calendar::new(evidence_dates, &rest, sources);
    calendar.check(&claim_dates)?;
    numbers::check(&undated, &rest, &calendar)?;
    names::check(&undated, &Words::new(&evidence), &calendar)?;
    if claim_dates.is_empty() {
        matter::check_overlap(&undated, &evidence)?;
    }
    matter::check_negation(&claim, sources)?;
    contrast::check(&claim, sources)
}

/// A text without marks that stand on letters of their own: "u\u{308}" is compared as "u".
fn without_marks(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\u{300}'..='\u{36f}') && !text::is_invisible(*c)).collect()
}

fn held(reason: HoldReason, word: &str) -> Hold {
    Hold { reason, word: Some(word.to_owned()) }
}

/// What the evidence alone holds against a claim.
#[cfg(test)]
fn judge(claim: &str, citations: &[Citation], shown: &Shown) -> Option<Hold> {
    let (sources, unfound) = find(citations, shown);
    says(claim, &sources, unfound, &[]).err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::replies::reply::split_citations;

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
        shown.add(&journal, 7, 13, &lines, &BTreeMap::new());
        shown
    }

    fn verdict(bullet: &str) -> Option<HoldReason> {
        let (claim, citations) = split_citations(bullet);
        judge(&claim, &citations, &shown()).map(|hold| hold.reason)
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
