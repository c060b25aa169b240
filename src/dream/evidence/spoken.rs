//! The lines that a pass showed, by who said them.

use super::matter::{matter, same_stem};
use super::rules::Trust;
use super::shown::{Line, Shown, Source};
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::spread::Spread;
use crate::format::Origin;

/// Who is behind a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Party {
    /// The user, or the writer of a journal that names nobody.
    User,
    /// The agent and its host.
    Agent,
    /// Somebody else who is named.
    Other,
    /// Somebody who may want something else than they do.
    Stranger,
}

pub(super) fn party(origin: Option<&Origin>, trust: Trust) -> Party {
    match origin {
        _ if trust == Trust::All => Party::User,
        None | Some(Origin::User) => Party::User,
        Some(Origin::Participant(_)) => Party::Other,
        Some(Origin::Agent | Origin::System) => Party::Agent,
        Some(Origin::Tool(_)) if trust == Trust::Tools => Party::Agent,
        Some(Origin::Tool(_) | Origin::Web | Origin::Import) => Party::Stranger,
    }
}

/// Two lines that follow one another, of one origin.
pub(super) struct Window {
    pub(super) party: Party,
    pub(super) origin: Option<Origin>,
    pub(super) words: Vec<String>,
    /// The words of the first line, of a participant's without what is in front.
    pub(super) first: Vec<String>,
}

/// Everything that a pass showed, by who said it. Empty where it makes no difference.
pub(crate) struct Spoken<'a> {
    trust: Trust,
    pub(super) user_names: &'a [String],
    pub(super) windows: Vec<Window>,
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
                let first = behind_name(line);
                let follows = |(name, next): &&(_, &Line)| *name == journal && next.origin == line.origin;
                if let Some((_, next)) = lines.peek().filter(follows) {
                    words.extend(matter(&next.text));
                }
                let origin = line.origin.clone();
                windows.push(Window { party: party(origin.as_ref()), origin, words, first });
            }
        }
        Self { trust, user_names, windows }
    }

    pub(super) fn party(&self, line: &Line) -> Party {
        party(line.origin.as_ref(), self.trust)
    }

    /// Returns a name as the lines that were shown have it.
    pub(super) fn known_name(&self, name: &str) -> Option<&str> {
        self.windows
            .iter()
            .filter_map(|window| Origin::participant(window.origin.as_ref()))
            .find(|known| *known == name)
    }

    /// Returns the most of the words that are in one window.
    pub(super) fn most(
        &self,
        words: &[String],
        wanted: impl Fn(&Window) -> bool,
    ) -> (usize, Option<&Window>) {
        self.most_by(words, &wanted)
    }

    fn most_by(&self, words: &[String], wanted: &dyn Fn(&Window) -> bool) -> (usize, Option<&Window>) {
        let windows = self.windows.iter().filter(|window| wanted(window));
        let counted = windows.map(|window| (count(words, &window.words), window));
        counted.max_by_key(|(count, _)| *count).map_or((0, None), |(count, window)| (count, Some(window)))
    }
}

/// Returns the words of a participant's line behind their name.
pub(super) fn behind_name(line: &Line) -> Vec<String> {
    let Some(name) = Origin::participant(line.origin.as_ref()) else { return Vec::new() };
    let at = line.text.find(name).map_or(0, |at| at + name.len());
    matter(&line.text[at..])
}

/// Returns the sources with the lines that are wanted; one without any is left out.
pub(super) fn only(sources: &[Source], wanted: impl Fn(&Line) -> bool) -> Vec<Source> {
    only_by(sources, &wanted)
}

fn only_by(sources: &[Source], wanted: &dyn Fn(&Line) -> bool) -> Vec<Source> {
    let kept = |source: &Source| Source {
        place: source.place.clone(),
        date: source.date,
        lines: source.lines.iter().filter(|line| wanted(line)).cloned().gather(),
    };
    sources.iter().map(kept).filter(|source| !source.lines.is_empty()).gather()
}

pub(super) fn words_of(claim: &str) -> Vec<String> {
    let mut words = matter(claim);
    order::sort(&mut words);
    order::dedup(&mut words);
    words
}

pub(super) fn words_in(sources: &[Source]) -> Vec<String> {
    sources.iter().spread(|source| &source.lines).spread(|line| matter(&line.text)).gather()
}

pub(super) fn stands(word: &str, known: &[String]) -> bool {
    known.iter().any(|other| same_stem(other, word))
}

pub(super) fn count(words: &[String], known: &[String]) -> usize {
    words.iter().filter(|word| stands(word, known)).count()
}
