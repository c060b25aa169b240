//! The participants whose words a claim takes.
//!
//! If lines of several participants are cited, a claim is the word of the one whose lines alone carry it. Where
//! nobody's do, it is nobody's word: it tells of them ("Ada sails on Mondays, Bob on Fridays"), or is held.

use super::claim::check;
use super::shown::{Line, Source};
use super::spoken::{Party, Spoken, Window, count, only, stands, words_in, words_of};
use super::tellers;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::spread::Spread;
use crate::format::Origin;
use crate::format::documents::curated::strip_date;

/// The participants whose words a claim takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken<'n> {
    /// Nobody in particular: words of others support it.
    OfNobody,
    /// One said it, or what it has of the words of participants.
    Of(&'n str),
    /// Several said parts of it, and none of them the whole; this is the first.
    OfSeveral(&'n str),
}

impl Spoken<'_> {
    /// Returns the participants whose words a claim takes, if what anybody else said does not bear it out.
    pub(crate) fn taken(&self, claim: &str, sources: &[Source]) -> Taken<'_> {
        if sources.is_empty() {
            return self.taken_uncited(claim);
        }
        let is_others = |line: &Line| self.party(line) == Party::Other;
        let theirs = only(sources, is_others);
        let mut names: Vec<&str> = Vec::new();
        for name in theirs
            .iter()
            .spread(|source| &source.lines)
            .filter_map(|line| Origin::participant(line.origin.as_ref()))
        {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if names.is_empty() {
            let known = words_in(sources);
            return self.taken_in(claim, |word, _| stands(word, &known));
        }
        let words = words_of(claim);
        // Whether these lines carry the claim, and no word of it stands only in the lines of the others.
        let carries = |own: &[Source], others: &[Source]| {
            let (known, others) = (words_in(own), words_in(others));
            let takes = || words.iter().any(|word| stands(word, &others) && !stands(word, &known));
            let says = own.iter().any(|source| source.says(claim));
            says || (!own.is_empty() && !takes() && check(claim, own, self.user_names).is_ok())
        };
        if carries(&only(sources, |line| !is_others(line)), &theirs) {
            return Taken::OfNobody;
        }
        let is_of = |line: &Line, name: &str| {
            is_others(line) && Origin::participant(line.origin.as_ref()) == Some(name)
        };
        let carries_alone = |name: &str| {
            let own = only(sources, |line| !is_others(line) || is_of(line, name));
            carries(&own, &only(sources, |line| is_others(line) && !is_of(line, name)))
        };
        let alone: Vec<&str> = match names.as_slice() {
            [one] => vec![*one],
            several => several.iter().copied().filter(|name| carries_alone(name)).gather(),
        };
        self.one_of(claim, &alone, &names)
    }

    /// Returns the participant who said a claim alone. If there are several, it is the one that the claim is about, or else
    /// the first.
    fn one_of(&self, claim: &str, alone: &[&str], names: &[&str]) -> Taken<'_> {
        let (_, rest) = strip_date(claim);
        let told = alone.iter().find(|name| tellers::tells_of(rest, name, self.user_names));
        let one = told.or(alone.first()).and_then(|name| self.known_name(name));
        let first = || names.first().and_then(|name| self.known_name(name));
        one.map(Taken::Of).or_else(|| first().map(Taken::OfSeveral)).unwrap_or(Taken::OfNobody)
    }

    /// Returns the participants whose words a claim takes that cites nothing.
    fn taken_uncited(&self, claim: &str) -> Taken<'_> {
        // The words of two other lines may be more, and yet not say it.
        let is_said = |word: &str, wanted: &dyn Fn(&Window) -> bool| {
            self.windows.iter().any(|window| wanted(window) && stands(word, &window.words))
        };
        let alone =
            self.taken_in(claim, |word, theirs| is_said(word, &|other| other.origin != theirs.origin));
        if alone != Taken::OfNobody {
            return alone;
        }
        let words = words_of(claim);
        let (theirs, _) = self.most(&words, |window| window.party == Party::Other);
        let (users, _) = self.most(&words, |window| window.party == Party::User);
        let (agents, _) = self.most(&words, |window| window.party == Party::Agent);
        // Of two who said as much of it, it is the user's only where they said it all.
        let is_most = theirs > users || (theirs == users && theirs < words.len());
        if theirs < 2 || theirs * 2 <= words.len() || !is_most || theirs < agents {
            return self.taken_in(claim, |word, _| is_said(word, &|other| other.party != Party::Other));
        }
        let of_most = |window: &&Window| count(&words, &window.words) == theirs;
        self.of_windows(claim, theirs == words.len(), of_most)
    }

    /// Returns the participants whose line a claim holds, almost all of it, where a word of it is not known of others.
    fn taken_in(&self, claim: &str, is_known: impl Fn(&str, &Window) -> bool) -> Taken<'_> {
        let said = words_of(claim);
        let is_held = |window: &Window| {
            let line = &window.first;
            let held = line.iter().filter(|word| stands(word, &said));
            held.clone().count() * 4 >= line.len() * 3
                && held.clone().count() >= 3
                && held.clone().any(|word| !is_known(word, window))
        };
        let of = |window: &Window| if is_held(window) { count(&window.first, &said) } else { 0 };
        let theirs = || self.windows.iter().filter(|window| window.party == Party::Other);
        // Of several, the one of whom it holds most.
        match theirs().map(of).max() {
            None | Some(0) => Taken::OfNobody,
            Some(most) => self.of_windows(claim, false, |window| of(window) == most),
        }
    }

    /// Returns the participants of the windows that are wanted: if each of them said it all, one of them said it.
    fn of_windows(&self, claim: &str, is_all: bool, wanted: impl Fn(&&Window) -> bool) -> Taken<'_> {
        let theirs = self.windows.iter().filter(|window| window.party == Party::Other).filter(wanted);
        let mut names: Vec<&str> =
            theirs.filter_map(|window| Origin::participant(window.origin.as_ref())).gather();
        order::dedup(&mut names);
        let is_one = names.iter().all(|name| Some(name) == names.first());
        let alone = if is_all || is_one { names.clone() } else { Vec::new() };
        self.one_of(claim, &alone, &names)
    }
}
