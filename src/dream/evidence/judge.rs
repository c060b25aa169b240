//! The judge of the bullets of an answer: evidence, origin, and whether a bullet states anything.

use super::claim::check;
use super::orders;
use super::origin;
use super::rules::{Evidence, Rules};
use super::shown::{Shown, Source};
use super::spoken::{Spoken, only};
use super::taken::Taken;
use super::verbatim::speaks;
use crate::base::document::SourceRef;
use crate::base::gather::Gather as _;
use crate::base::relative;
use crate::base::spread::Spread;
use crate::dreamer::{Hold, HoldReason};
use crate::format::Origin;
use crate::format::documents::curated::strip_date;
use crate::format::documents::records::is_record;
use crate::format::replies::reply::{self, Citation};
use crate::model::extractive::language;

/// The objection to a bullet, and the heading where it belongs.
pub(crate) struct Verdict {
    /// The lines that it cites, as far as they were shown.
    pub(crate) sources: Vec<SourceRef>,
    pub(crate) hold: Option<Hold>,
    /// The heading that it may be under.
    pub(crate) heading: Option<&'static str>,
    /// The speaker of a line that would wrongly read as the user's word, to be put in front.
    pub(crate) teller: Option<String>,
    /// The claim with the dates of its relative days, where it has any and holds.
    pub(crate) dated: Option<String>,
    /// Whether it rests on the words of a participant who is not the user.
    pub(crate) is_participants: bool,
}

/// Returns a claim with the name of who said it in front, behind its date.
pub(crate) fn told(teller: &str, text: &str) -> String {
    let (_, rest) = strip_date(text);
    let front = &text[..text.len() - rest.len()];
    format!("{front}{teller}: {rest}")
}

/// Judges the bullets of one answer.
pub(crate) struct Judge<'a> {
    rules: Rules<'a>,
    shown: &'a Shown,
    spoken: Spoken<'a>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(rules: Rules<'a>, shown: &'a Shown) -> Self {
        Self { spoken: Spoken::new(shown, rules.trust, rules.user_names), rules, shown }
    }

    /// Judges a claim by what it cites, by who said it, and by whether it states anything.
    pub(crate) fn judge(
        &self,
        heading: Option<&'static str>,
        claim: &str,
        citations: &[Citation],
    ) -> Verdict {
        let (sources, unfound) = find(citations, self.shown);
        let evidence = || match self.rules.evidence {
            Evidence::Off => Ok(()),
            Evidence::Required if citations.is_empty() => {
                Err(Hold { reason: HoldReason::Uncited, word: None })
            }
            Evidence::Checked | Evidence::Required if citations.is_empty() => Ok(()),
            Evidence::Checked | Evidence::Required => {
                says(claim, &sources, unfound.clone(), self.rules.user_names)
            }
        };
        let is_statement = || {
            let is_order = self.rules.statements_only && orders::gives_order(claim);
            let is_order = is_order && !is_quoted(claim, &sources);
            if is_order { Err(Hold { reason: HoldReason::Imperative, word: None }) } else { Ok(()) }
        };
        let is_no_record = || {
            let is_record = is_record(claim)
                || (!sources.is_empty()
                    && sources.iter().spread(|source| &source.lines).all(|line| line.is_record));
            let hold = || Err(Hold { reason: HoldReason::Record, word: None });
            if self.rules.statements_only && is_record { hold() } else { Ok(()) }
        };
        // Opening such an address sends its text to the server.
        let carries_nothing = || {
            let is_users = |address: &str| origin::is_users_text(self.shown, self.rules.trust, address);
            let is_strange = self.rules.statements_only && !orders::addresses(claim).all(is_users);
            let word = || Some("exfiltration".to_owned());
            if is_strange { Err(Hold { reason: HoldReason::Injection, word: word() }) } else { Ok(()) }
        };
        let held = is_no_record()
            .and_then(|()| evidence())
            .and_then(|()| self.spoken.check(claim, &sources))
            .and_then(|()| is_statement())
            .and_then(|()| carries_nothing());
        let is_fact = matches!(heading, None | Some(reply::FACTS)) || self.spoken.is_users(claim, &sources);
        let is_participants = self.spoken.taken(claim, &sources) != Taken::OfNobody;
        let teller = self.spoken.teller(claim, &sources, !is_fact);
        // A line that is held is reported as the model gave it.
        let teller = teller.filter(|_| !is_participants || held.is_ok());
        Verdict {
            dated: if held.is_ok() && self.rules.evidence != Evidence::Off {
                dated(claim, &sources)
            } else {
                None
            },
            teller,
            is_participants,
            sources: sources.into_iter().map(|source| source.place).gather(),
            hold: held.err(),
            heading: if is_fact { heading } else { Some(reply::FACTS) },
        }
    }
}

/// Returns a claim with the dates of the relative days that a cited line has too. All lines must be of one day.
fn dated(claim: &str, sources: &[Source]) -> Option<String> {
    let day = sources.first()?.date?;
    let (front, said) = strip_date(claim);
    let spoken = language(said);
    if relative::dates_of(said, spoken, day).is_empty() {
        return None;
    }
    let mut days = Vec::new();
    for source in sources {
        if source.date != Some(day) {
            return None;
        }
        for line in &source.lines {
            days.extend(relative::dates_of(&line.text, language(&line.text), day));
        }
    }
    if front.is_some_and(|front| front != day) {
        return None;
    }
    // The day in front is told.
    let is_cited = |date| front != Some(date) && days.contains(&date);
    let dated = relative::dated(said, spoken, day, &is_cited)?;
    Some(format!("{}{dated}", &claim[..claim.len() - said.len()]))
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

/// Returns whether what a claim cites says it.
fn says(claim: &str, sources: &[Source], unfound: Option<Hold>, names: &[String]) -> Result<(), Hold> {
    match unfound {
        Some(hold) => Err(hold),
        None if sources.iter().any(|source| source.says(claim)) => Ok(()),
        None => check(claim, &only(sources, |line| !line.is_record), names),
    }
}

/// Returns whether a claim is the user's own word, said so by a host, or names its speaker: "Ana: Keep it up!" is a
/// statement about Ana.
fn is_quoted(claim: &str, sources: &[Source]) -> bool {
    let users = only(sources, |line| line.origin == Some(Origin::User));
    let (_, rest) = strip_date(claim);
    let tells = |source: &Source| {
        let speaker = rest.split_once(": ").map(|(speaker, _)| speaker);
        speaker.is_some_and(|speaker| source.lines.iter().any(|line| speaks(speaker, &line.text)))
    };
    users.iter().any(|source| source.says(claim))
        || sources.iter().any(|source| tells(source) && source.says(claim))
}

/// Returns the objection to a claim by its evidence alone.
#[cfg(test)]
pub(super) fn judge(claim: &str, citations: &[Citation], shown: &Shown) -> Option<Hold> {
    let (sources, unfound) = find(citations, shown);
    says(claim, &sources, unfound, &[]).err()
}

#[cfg(test)]
mod tests {
    use crate::base::sorted::SortedMap;

    use super::*;
    use crate::base::name::DocName;
    use crate::format::JournalName;
    use crate::format::replies::fences::ShownLine;
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
        shown.add(&journal, 7, 13, &lines, &SortedMap::new());
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
