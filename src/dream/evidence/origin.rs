//! The speakers that a claim rests on: a page, a tool or an import says nothing that a dream may keep by itself.
//!
//! A claim that cites such lines must stand on the others that it cites: these alone carry it, and no word of
//! it stands only in the former. And whatever it cites, or nothing: where a line of a page holds most words
//! of a claim, and more of them than the lines that it cites (where it cites none, than any line of a person),
//! the claim is the page's. So a line without a citation is held only where it can be told from what people said.
//!
//! A participant who is not the user is such a stranger too, unless the claim names them: "Ada sails on Mondays" is
//! told of Ada. And a claim that rests on the agent's words alone, and reads as the user's, says who it is from.

use super::claim::check;
use super::matter::{matter, same_stem};
use super::rules::Trust;
use super::shown::{Line, Shown, Source, held};
use crate::base::text;
use crate::dreamer::{Hold, HoldReason};
use crate::format::Origin;
use crate::format::documents::curated::strip_date;
use crate::format::documents::speakers;

/// Who is behind a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Party {
    /// The user, or the writer of a journal that names nobody.
    User,
    /// The agent and its host.
    Agent,
    /// Somebody else who is named.
    Other,
    /// Somebody who may want something else than they do.
    Stranger,
}

fn party(origin: Option<&Origin>, trust: Trust) -> Party {
    match origin {
        _ if trust == Trust::All => Party::User,
        None | Some(Origin::User) => Party::User,
        Some(Origin::Participant(_)) => Party::Other,
        Some(Origin::Agent | Origin::System) => Party::Agent,
        Some(Origin::Tool(_)) if trust == Trust::Tools => Party::Agent,
        Some(Origin::Tool(_) | Origin::Web | Origin::Import) => Party::Stranger,
    }
}

/// Returns whether a text stands in a line of the user's.
pub(crate) fn is_users_text(shown: &Shown, trust: Trust, text: &str) -> bool {
    let is_users = |origin: Option<&Origin>| party(origin, trust) == Party::User;
    shown.lines().any(|(_, line)| is_users(line.origin.as_ref()) && line.text.contains(text))
}

/// Two lines that follow one another, of one origin.
struct Window {
    party: Party,
    origin: Option<Origin>,
    words: Vec<String>,
}

/// Everything that a pass showed, by who said it. Empty where it makes no difference.
pub(crate) struct Spoken<'a> {
    trust: Trust,
    user_names: &'a [String],
    windows: Vec<Window>,
}

impl<'a> Spoken<'a> {
    pub(crate) fn new(shown: &Shown, trust: Trust, user_names: &'a [String]) -> Self {
        let mut windows = Vec::new();
        let party = |origin: Option<&Origin>| party(origin, trust);
        let is_one_party = shown.lines().all(|(_, line)| party(line.origin.as_ref()) == Party::User);
        if !is_one_party {
            let mut lines = shown.lines().peekable();
            while let Some((journal, line)) = lines.next() {
                let mut words = matter(&line.text);
                let follows = |(name, next): &&(_, &Line)| *name == journal && next.origin == line.origin;
                if let Some((_, next)) = lines.peek().filter(follows) {
                    words.extend(matter(&next.text));
                }
                let origin = line.origin.clone();
                windows.push(Window { party: party(origin.as_ref()), origin, words });
            }
        }
        Self { trust, user_names, windows }
    }

    fn party(&self, line: &Line) -> Party {
        party(line.origin.as_ref(), self.trust)
    }

    /// Holds a claim that rests on the words of strangers, or says that the user said what somebody else did.
    pub(crate) fn check(&self, claim: &str, sources: &[Source]) -> Result<(), Hold> {
        let user_names = self.user_names;
        let is_strange = |party: Party, origin: Option<&Origin>| match party {
            Party::User | Party::Agent => false,
            Party::Other => !names(claim, origin),
            Party::Stranger => true,
        };
        let strange = |line: &Line| is_strange(self.party(line), line.origin.as_ref());
        if self.is_labelled_users(claim) && !self.is_users(claim, sources) {
            let line = sources.iter().flat_map(|source| &source.lines).next();
            return Err(of_stranger(line.and_then(|line| line.origin.as_ref()).or(Some(&Origin::Agent))));
        }
        if self.windows.is_empty() && !sources.iter().flat_map(|source| &source.lines).any(strange) {
            return Ok(());
        }
        let own = only(sources, |line| !strange(line));
        let foreign = only(sources, strange);
        let words = words_of(claim);
        if let Some(line) = foreign.iter().flat_map(|source| &source.lines).next() {
            let says = own.iter().any(|source| source.says(claim));
            let (known, others) = (words_in(&own), words_in(&foreign));
            let takes = words.iter().any(|word| stands(word, &others) && !stands(word, &known));
            if own.is_empty() || (!says && (takes || check(claim, &own, user_names).is_err())) {
                return Err(of_stranger(line.origin.as_ref()));
            }
        }
        let ours = if sources.is_empty() {
            self.most(&words, |window| !is_strange(window.party, window.origin.as_ref())).0
        } else {
            count(&words, &words_in(&own))
        };
        let (theirs, window) = self.most(&words, |window| is_strange(window.party, window.origin.as_ref()));
        let is_theirs = theirs >= 2 && theirs * 2 > words.len() && theirs > ours;
        if is_theirs { Err(of_stranger(window.and_then(|window| window.origin.as_ref()))) } else { Ok(()) }
    }

    /// Returns whether a claim rests on a word of the user. One that cites nothing does, unless the agent's lines hold
    /// most of it.
    pub(crate) fn is_users(&self, claim: &str, sources: &[Source]) -> bool {
        if !sources.is_empty() {
            let mut lines = sources.iter().flat_map(|source| &source.lines);
            return lines.any(|line| self.party(line) == Party::User);
        }
        let words = words_of(claim);
        let (users, _) = self.most(&words, |window| window.party == Party::User);
        let (others, _) = self.most(&words, |window| window.party != Party::User);
        others * 2 <= words.len() || others <= users
    }

    /// Returns the speaker of a claim that wrongly reads as the user's, unless the claim does not tell: the agent.
    pub(crate) fn teller(&self, claim: &str, sources: &[Source], is_moved: bool) -> Option<&'static str> {
        let (_, rest) = strip_date(claim);
        let reads_as_users = is_moved || self.is_about_user(rest);
        if !reads_as_users || self.is_users(claim, sources) {
            return None;
        }
        let is_told = speakers::read(rest).is_some_and(|speaker| speaker.origin != Origin::User);
        let mut lines = sources.iter().flat_map(|source| &source.lines);
        let is_others = !sources.is_empty() && lines.any(|line| self.party(line) == Party::Other);
        (!is_told && !is_others).then_some("Agent")
    }

    /// Returns whether a claim begins as a decision, or with the user, or speaks of "I".
    fn is_about_user(&self, claim: &str) -> bool {
        let mut words = text::words(claim);
        let first = words.by_ref().find(|word| word != "the").unwrap_or_default();
        let is_name = self.user_names.iter().any(|name| claim.starts_with(name.as_str()));
        let is_self = |word: String| matches!(word.as_str(), "i" | "my" | "we" | "our");
        is_name
            || speakers::is_user(&first)
            || matches!(first.as_str(), "decision" | "decided" | "preference" | "prefers")
            || is_self(first)
    }

    /// Returns whether a claim says of itself that the user said it.
    fn is_labelled_users(&self, claim: &str) -> bool {
        let (_, rest) = strip_date(claim);
        match speakers::read(rest).map(|speaker| speaker.origin) {
            Some(Origin::User) => true,
            Some(Origin::Participant(name)) => self.user_names.contains(&name),
            _ => false,
        }
    }

    /// Returns the most of the words that stand in one window.
    fn most(&self, words: &[String], wanted: impl Fn(&Window) -> bool) -> (usize, Option<&Window>) {
        let windows = self.windows.iter().filter(|window| wanted(window));
        let counted = windows.map(|window| (count(words, &window.words), window));
        counted.max_by_key(|(count, _)| *count).map_or((0, None), |(count, window)| (count, Some(window)))
    }
}

/// Returns whether a claim names the participant whose words it takes.
fn names(claim: &str, origin: Option<&Origin>) -> bool {
    let Some(Origin::Participant(name)) = origin else { return false };
    let said: Vec<String> = text::words(claim).collect();
    text::words(name).filter(|word| word.chars().count() > 1).any(|word| said.contains(&word))
}

fn of_stranger(origin: Option<&Origin>) -> Hold {
    held(HoldReason::Origin, &origin.map(ToString::to_string).unwrap_or_default())
}

/// Returns the sources with the lines that are wanted; one without any is left out.
pub(crate) fn only(sources: &[Source], wanted: impl Fn(&Line) -> bool) -> Vec<Source> {
    let kept = |source: &Source| Source {
        place: source.place.clone(),
        date: source.date,
        lines: source.lines.iter().filter(|line| wanted(line)).cloned().collect(),
    };
    sources.iter().map(kept).filter(|source| !source.lines.is_empty()).collect()
}

fn words_of(claim: &str) -> Vec<String> {
    let mut words = matter(claim);
    words.sort();
    words.dedup();
    words
}

fn words_in(sources: &[Source]) -> Vec<String> {
    sources.iter().flat_map(|source| &source.lines).flat_map(|line| matter(&line.text)).collect()
}

fn stands(word: &str, known: &[String]) -> bool {
    known.iter().any(|other| same_stem(other, word))
}

fn count(words: &[String], known: &[String]) -> usize {
    words.iter().filter(|word| stands(word, known)).count()
}
