//! Whose words a claim rests on: a page, a tool or an import says nothing that a dream may keep by itself.
//!
//! A claim that cites such lines must stand on the others that it cites: these alone carry it, and no word of
//! it stands only in the former. And whatever it cites, or nothing: where a line of a page holds most words
//! of a claim, and more of them than the lines that it cites (where it cites none, than any line of a person),
//! the claim is the page's. So a line without a citation is held only where it can be told from what people said.

use super::matter::{matter, same_stem};
use super::{Hold, HoldReason, Shown, Source, check, held};
use crate::dream::config::Trust;
use crate::format::Origin;

/// Who is behind a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Party {
    /// The user, or whoever wrote a journal that names nobody.
    User,
    /// The agent and its host.
    Agent,
    /// Somebody who may want something else than they do.
    Stranger,
}

fn party(origin: Option<&Origin>, trust: Trust) -> Party {
    match origin {
        _ if trust == Trust::All => Party::User,
        None | Some(Origin::User) => Party::User,
        Some(Origin::Agent | Origin::System) => Party::Agent,
        Some(Origin::Tool(_)) if trust == Trust::Tools => Party::Agent,
        Some(Origin::Tool(_) | Origin::Web | Origin::Import) => Party::Stranger,
    }
}

/// Whether a text stands in a line of the user's.
pub(super) fn is_users_text(shown: &Shown, trust: Trust, text: &str) -> bool {
    let mut lines = shown.lines();
    lines.any(|(_, line)| party(line.origin.as_ref(), trust) == Party::User && line.text.contains(text))
}

/// Two lines that follow one another, of one origin.
struct Window {
    party: Party,
    origin: Option<Origin>,
    words: Vec<String>,
}

/// Everything that a pass showed, by who said it. Empty where it makes no difference.
pub(super) struct Spoken {
    trust: Trust,
    windows: Vec<Window>,
}

impl Spoken {
    pub(super) fn new(shown: &Shown, trust: Trust) -> Self {
        let mut windows = Vec::new();
        let is_one_party = shown.lines().all(|(_, line)| party(line.origin.as_ref(), trust) == Party::User);
        if !is_one_party {
            let mut lines = shown.lines().peekable();
            while let Some((journal, line)) = lines.next() {
                let mut words = matter(&line.text);
                let follows =
                    |(name, next): &&(_, &super::Line)| *name == journal && next.origin == line.origin;
                if let Some((_, next)) = lines.peek().filter(follows) {
                    words.extend(matter(&next.text));
                }
                let origin = line.origin.clone();
                windows.push(Window { party: party(origin.as_ref(), trust), origin, words });
            }
        }
        Self { trust, windows }
    }

    /// Holds a claim that rests on the words of strangers.
    pub(super) fn check(&self, claim: &str, sources: &[Source], user_names: &[String]) -> Result<(), Hold> {
        let strange = |line: &super::Line| party(line.origin.as_ref(), self.trust) == Party::Stranger;
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
            self.most(&words, |window| window.party != Party::Stranger).0
        } else {
            count(&words, &words_in(&own))
        };
        let (theirs, window) = self.most(&words, |window| window.party == Party::Stranger);
        let is_theirs = theirs >= 2 && theirs * 2 > words.len() && theirs > ours;
        if is_theirs { Err(of_stranger(window.and_then(|window| window.origin.as_ref()))) } else { Ok(()) }
    }

    /// Whether a claim rests on a word of the user. One that cites nothing does, unless the agent's lines hold
    /// most of it.
    pub(super) fn is_users(&self, claim: &str, sources: &[Source]) -> bool {
        if !sources.is_empty() {
            let mut lines = sources.iter().flat_map(|source| &source.lines);
            return lines.any(|line| party(line.origin.as_ref(), self.trust) == Party::User);
        }
        let words = words_of(claim);
        let (users, _) = self.most(&words, |window| window.party == Party::User);
        let (agents, _) = self.most(&words, |window| window.party == Party::Agent);
        agents * 2 <= words.len() || agents <= users
    }

    /// The most of the words that stand in one window.
    fn most(&self, words: &[String], wanted: impl Fn(&Window) -> bool) -> (usize, Option<&Window>) {
        let windows = self.windows.iter().filter(|window| wanted(window));
        let counted = windows.map(|window| (count(words, &window.words), window));
        counted.max_by_key(|(count, _)| *count).map_or((0, None), |(count, window)| (count, Some(window)))
    }
}

fn of_stranger(origin: Option<&Origin>) -> Hold {
    held(HoldReason::Origin, &origin.map(ToString::to_string).unwrap_or_default())
}

/// The sources with the lines that are wanted; one without any is left out.
pub(super) fn only(sources: &[Source], wanted: impl Fn(&super::Line) -> bool) -> Vec<Source> {
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
