//! The speakers that a claim rests on. A dream keeps nothing that only a page, a tool or an import says.
//!
//! A claim that cites such lines must rest on its other cited lines. These alone carry it, and no word of it is only
//! in the former. A claim is also a page's if a line of the page has most of its words, and more than cited lines.
//! That holds for all citations, and without any. A claim that cites nothing is compared with all lines of persons.
//! So a line without a citation is held only if it differs from people's words.
//!
//! A participant is such a stranger too, unless they are the user or the claim is about them: "Ada sails on Mondays". A
//! claim that names them otherwise, or speaks of the user, gets their name in front: "Marta pays Ada" becomes Ada's
//! word. No name that reads as the user's, or as a label, is used. A claim that rests only on the agent's words, and
//! reads as the user's, gets its speaker's name too.

use super::claim::check;
use super::rules::Trust;
use super::shown::{Line, Shown, Source, held};
use super::spoken::{Party, Spoken, count, only, party, stands, words_in, words_of};
use super::taken::Taken;
use super::tellers;
use crate::base::spread::Spread;
use crate::base::text;
use crate::dreamer::{Hold, HoldReason};
use crate::format::Origin;
use crate::format::documents::curated::strip_date;
use crate::format::documents::speakers;

/// Returns whether a text is in a line of the user's.
pub(crate) fn is_users_text(shown: &Shown, trust: Trust, text: &str) -> bool {
    let is_users = |origin: Option<&Origin>| party(origin, trust) == Party::User;
    shown.lines().any(|(_, line)| is_users(line.origin.as_ref()) && line.text.contains(text))
}

impl Spoken<'_> {
    /// Holds a claim that rests on the words of strangers, or says that the user said what somebody else did.
    pub(crate) fn check(&self, claim: &str, sources: &[Source]) -> Result<(), Hold> {
        let user_names = self.user_names;
        let is_strange = |party: Party, origin: Option<&Origin>| match party {
            Party::User | Party::Agent => false,
            Party::Other => !tellers::names(claim, origin, user_names),
            Party::Stranger => true,
        };
        let strange = |line: &Line| is_strange(self.party(line), line.origin.as_ref());
        if self.is_labelled_users(claim) && !self.is_users(claim, sources) {
            let line = sources.iter().spread(|source| &source.lines).next();
            return Err(of_stranger(line.and_then(|line| line.origin.as_ref()).or(Some(&Origin::Agent))));
        }
        if self.windows.is_empty() && !sources.iter().spread(|source| &source.lines).any(strange) {
            return Ok(());
        }
        let own = only(sources, |line| !strange(line));
        let foreign = only(sources, strange);
        let words = words_of(claim);
        if let Some(line) = foreign.iter().spread(|source| &source.lines).next() {
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
        if is_theirs {
            return Err(of_stranger(window.and_then(|window| window.origin.as_ref())));
        }
        let (_, rest) = strip_date(claim);
        match self.taken(claim, sources) {
            Taken::Of(name) if !tellers::is_tellable(name, user_names) => Err(of_participant(name)),
            Taken::OfSeveral(first) if !self.tells_of_any(rest) => Err(of_participant(first)),
            _ => Ok(()),
        }
    }

    /// Returns whether a claim rests on a word of the user, and takes none of a participant. One that cites nothing does,
    /// unless the agent's lines hold most of it.
    pub(crate) fn is_users(&self, claim: &str, sources: &[Source]) -> bool {
        if self.taken(claim, sources) != Taken::OfNobody {
            return false;
        }
        if !sources.is_empty() {
            let mut lines = sources.iter().spread(|source| &source.lines);
            return lines.any(|line| self.party(line) == Party::User);
        }
        let words = words_of(claim);
        let (users, _) = self.most(&words, |window| window.party == Party::User);
        let (others, _) = self.most(&words, |window| window.party != Party::User);
        others * 2 <= words.len() || others <= users
    }

    /// Returns whether a claim tells of somebody who was heard, and puts nothing into their mouth.
    fn tells_of_any(&self, claim: &str) -> bool {
        let mut names = self.windows.iter().filter_map(|window| Origin::participant(window.origin.as_ref()));
        names.any(|name| tellers::begins_with(claim, name, self.user_names))
    }

    /// Returns the speaker to be put in front of a claim that wrongly reads as the user's. The agent, or a participant
    /// whom it does not tell of.
    pub(crate) fn teller(&self, claim: &str, sources: &[Source], is_moved: bool) -> Option<String> {
        let (_, rest) = strip_date(claim);
        match self.taken(claim, sources) {
            Taken::Of(name) => {
                let is_told = tellers::tells_of(rest, name, self.user_names);
                return (!is_told).then(|| tellers::shown(name));
            }
            Taken::OfSeveral(_) => return None,
            Taken::OfNobody => {}
        }
        let reads_as_users = is_moved || self.is_about_user(rest);
        if !reads_as_users || self.is_users(claim, sources) {
            return None;
        }
        let is_told = speakers::read(rest).is_some_and(|speaker| speaker.origin != Origin::User);
        let mut lines = sources.iter().spread(|source| &source.lines);
        let is_others = !sources.is_empty() && lines.any(|line| self.party(line) == Party::Other);
        (!is_told && !is_others).then(|| "Agent".to_owned())
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
}

fn of_participant(name: &str) -> Hold {
    of_stranger(Some(&Origin::Participant(name.to_owned())))
}

fn of_stranger(origin: Option<&Origin>) -> Hold {
    held(HoldReason::Origin, &origin.map(ToString::to_string).unwrap_or_default())
}
