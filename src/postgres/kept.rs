//! Cards of rows that searches read, kept in memory: a search that finds them again does not ask the server for them.
//!
//! They are kept for one scope and one sight: what a search for others found, it found by their conditions alone. Rows
//! are added, and seldom changed. Each change of a row that is not deleted leaves another random number in the scope.
//! Anything kept under the earlier number is no longer used.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::NaiveDate;

use crate::base::access::Scope;
use crate::search::rank::{Card, Visibility};

/// A row as it is weighed, without its text.
#[derive(Debug)]
pub(super) struct KeptCard {
    bytes: u32,
    category: Box<str>,
    said_on: Option<NaiveDate>,
    place: Option<(Box<str>, u64)>,
    speaker: Option<Box<str>>,
    own: bool,
    touched: i64,
    /// The numbers of its words, the smallest first, and how often it has each; `None` where its text was not read.
    words: Option<Words>,
}

#[derive(Debug)]
struct Words {
    numbers: Box<[i64]>,
    counts: Box<[u16]>,
    /// In words.
    length: u32,
}

impl KeptCard {
    /// Takes a row without its text.
    pub(super) fn of(card: &Card<'_>) -> Self {
        Self {
            bytes: card.bytes,
            category: card.category.into(),
            said_on: card.said_on,
            place: card.place.map(|(session, position)| (session.into(), position)),
            speaker: card.speaker.map(Into::into),
            own: card.own,
            touched: card.touched,
            words: None,
        }
    }

    /// Adds the words of its text: `counted` gives each with its number, in any order, and their length.
    pub(super) fn with_words(mut self, counted: HashMap<i64, u16>, length: u32) -> Self {
        let mut counted: Vec<(i64, u16)> = counted.into_iter().collect();
        counted.sort_unstable();
        let numbers = counted.iter().map(|(number, _)| *number).collect();
        let counts = counted.iter().map(|(_, count)| *count).collect();
        self.words = Some(Words { numbers, counts, length });
        self
    }

    /// Gives it as a card without text.
    pub(super) fn card(&self, id: i64) -> Card<'_> {
        Card {
            bytes: self.bytes,
            category: &self.category,
            said_on: self.said_on,
            place: self.place(),
            speaker: self.speaker.as_deref(),
            own: self.own,
            touched: self.touched,
            ..Card::of(id, "")
        }
    }

    /// Returns its conversation, and its position there.
    pub(super) fn place(&self) -> Option<(&str, u64)> {
        self.place.as_ref().map(|(session, position)| (&**session, *position))
    }

    /// Returns how many words its text says; `None` where it was not read.
    pub(super) fn length(&self) -> Option<u32> {
        self.words.as_ref().map(|words| words.length)
    }

    /// Returns how often its text has a word.
    pub(super) fn count(&self, number: i64) -> u32 {
        let Some(words) = &self.words else { return 0 };
        words.numbers.binary_search(&number).map_or(0, |at| words.counts[at].into())
    }

    /// Returns the memory that it takes, about.
    fn weight(&self) -> usize {
        let place = self.place.as_ref().map_or(0, |(session, _)| session.len());
        let speaker = self.speaker.as_ref().map_or(0, |speaker| speaker.len());
        let words = self.words.as_ref().map_or(0, |words| words.numbers.len() * 10);
        size_of::<Self>() + KEPT_AROUND + self.category.len() + place + speaker + words
    }
}

/// The bytes of a card's own place in the tables around it, about.
const KEPT_AROUND: usize = 64;

/// A scope, and the rows of it that a session sees.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Sight {
    scope: Scope,
    is_shared: bool,
}

impl Sight {
    pub(super) fn new(scope: &Scope, visibility: Visibility) -> Self {
        Self { scope: scope.clone(), is_shared: visibility == Visibility::Shared }
    }
}

/// The rows of a scope as a transaction sees them: equal moments see the same rows as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    /// The number of the last change of a row that is not deleted.
    pub(super) change: i64,
    /// The number of connections of the pool that broke before: behind one, another server may answer.
    pub(super) broken: u64,
    /// The last row that was added.
    pub(super) last: i64,
}

impl Moment {
    /// Returns whether the rows that both see are the same; one of them may see more.
    fn agrees(&self, other: &Self) -> bool {
        (self.change, self.broken) == (other.change, other.broken)
    }
}

#[derive(Debug)]
struct Part {
    moment: Moment,
    cards: HashMap<i64, Arc<KeptCard>>,
    /// For each row the rows beside it, as of the moment.
    beside: HashMap<i64, Box<[i64]>>,
    weight: usize,
    used: u64,
}

impl Part {
    fn new(moment: Moment) -> Self {
        Self { moment, cards: HashMap::new(), beside: HashMap::new(), weight: 0, used: 0 }
    }
}

/// The cards that are kept of all scopes.
#[derive(Debug)]
pub(super) struct Kept {
    /// In bytes.
    most: usize,
    parts: HashMap<Sight, Part>,
    weight: usize,
    uses: u64,
}

/// Rows with the cards of those beside them.
pub(super) type Beside = HashMap<i64, Vec<(i64, Arc<KeptCard>)>>;

impl Kept {
    pub(super) fn new(most: usize) -> Self {
        Self { most, parts: HashMap::new(), weight: 0, uses: 0 }
    }

    /// Returns the part of a sight at a moment; what it has of a moment that disagrees is forgotten.
    fn part(&mut self, sight: &Sight, moment: Moment) -> Option<&mut Part> {
        self.uses += 1;
        if self.parts.get(sight).is_some_and(|part| !part.moment.agrees(&moment)) {
            self.remove(sight);
        }
        let part = self.parts.get_mut(sight)?;
        part.used = self.uses;
        Some(part)
    }

    /// Returns those of some rows whose cards are kept, with words.
    pub(super) fn cards(
        &mut self,
        sight: &Sight,
        moment: Moment,
        ids: &[i64],
    ) -> HashMap<i64, Arc<KeptCard>> {
        let Some(part) = self.part(sight, moment) else { return HashMap::new() };
        let found = ids.iter().filter_map(|id| Some((*id, part.cards.get(id)?)));
        found.filter(|(_, card)| card.words.is_some()).map(|(id, card)| (id, Arc::clone(card))).collect()
    }

    /// Returns those of some rows whose neighbours are known.
    pub(super) fn beside(&mut self, sight: &Sight, moment: Moment, ids: &[i64]) -> Beside {
        // A row that was added since may be beside one of them.
        let Some(part) = self.part(sight, moment).filter(|part| part.moment == moment) else {
            return Beside::new();
        };
        let cards = |beside: &[i64]| -> Option<Vec<_>> {
            beside.iter().map(|id| Some((*id, Arc::clone(part.cards.get(id)?)))).collect()
        };
        ids.iter().filter_map(|id| Some((*id, cards(part.beside.get(id)?)?))).collect()
    }

    /// Keeps the cards of rows.
    pub(super) fn keep(
        &mut self,
        sight: &Sight,
        moment: Moment,
        cards: impl IntoIterator<Item = (i64, Arc<KeptCard>)>,
    ) {
        if self.most == 0 {
            return;
        }
        self.make_room(sight);
        self.part(sight, moment);
        let part = self.parts.entry(sight.clone()).or_insert_with(|| Part::new(moment));
        part.used = self.uses;
        let before = part.weight;
        for (id, card) in cards {
            if part.weight >= self.most {
                break;
            }
            // What knows the words of a row says more than what does not.
            if card.words.is_none() && part.cards.contains_key(&id) {
                continue;
            }
            part.weight += card.weight();
            if let Some(old) = part.cards.insert(id, card) {
                part.weight -= old.weight();
            }
        }
        self.weight = self.weight - before + part.weight;
    }

    /// Keeps what is beside some rows, of all that are.
    pub(super) fn keep_beside(&mut self, sight: &Sight, moment: Moment, beside: Beside) {
        self.keep(sight, moment, beside.values().flatten().map(|(id, card)| (*id, Arc::clone(card))));
        let Some(part) = self.parts.get_mut(sight).filter(|part| part.moment.last <= moment.last) else {
            return;
        };
        let before = part.weight;
        if part.moment != moment {
            part.weight -= part.beside.len() * KEPT_AROUND;
            part.beside.clear();
            part.moment = moment;
        }
        for (id, rows) in beside {
            let ids = rows.into_iter().map(|(id, _)| id).collect();
            if part.beside.insert(id, ids).is_none() {
                part.weight += KEPT_AROUND;
            }
        }
        self.weight = self.weight - before + part.weight;
    }

    /// If too much is kept, drops the data that was not used for the longest time, at last this sight's too.
    fn make_room(&mut self, sight: &Sight) {
        if self.weight < self.most {
            return;
        }
        let others = self.parts.iter().filter(|(other, _)| *other != sight);
        let mut oldest: Vec<(u64, Sight)> = others.map(|(other, part)| (part.used, other.clone())).collect();
        oldest.sort_unstable_by_key(|(used, _)| *used);
        oldest.push((self.uses, sight.clone()));
        // Some more than must be: the next ones find room.
        for (_, gone) in oldest {
            if self.weight <= self.most / 4 * 3 {
                return;
            }
            self.remove(&gone);
        }
    }

    /// Drops the kept data of a scope.
    pub(super) fn forget(&mut self, scope: &Scope) {
        for is_shared in [false, true] {
            self.remove(&Sight { scope: scope.clone(), is_shared });
        }
    }

    fn remove(&mut self, sight: &Sight) {
        if let Some(part) = self.parts.remove(sight) {
            self.weight -= part.weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(user: &str, visibility: Visibility) -> Sight {
        Sight::new(&Scope::user(user), visibility)
    }

    const MOMENT: Moment = Moment { change: 7, broken: 0, last: 9 };

    fn card(text: &str) -> Arc<KeptCard> {
        let counted = HashMap::from([(5, 2), (-3, 1)]);
        Arc::new(KeptCard::of(&Card { category: text, ..Card::of(1, text) }).with_words(counted, 4))
    }

    fn bare(text: &str) -> Arc<KeptCard> {
        Arc::new(KeptCard::of(&Card { category: text, ..Card::of(1, text) }))
    }

    fn ids(found: &HashMap<i64, Arc<KeptCard>>) -> Vec<i64> {
        let mut ids: Vec<i64> = found.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    #[test]
    fn a_card_says_what_it_was_made_of() {
        let card = card("tea");
        assert_eq!((card.count(5), card.count(-3), card.count(4), card.length()), (2, 1, 0, Some(4)));
        assert_eq!((card.card(8).id, card.card(8).category, card.card(8).bytes), (8, "tea", 3));
        assert_eq!((bare("tea").count(5), bare("tea").length()), (0, None));
    }

    #[test]
    fn cards_are_of_one_sight_and_of_rows_as_they_stand() {
        let mut kept = Kept::new(1 << 20);
        let main = sight("marta", Visibility::All);
        kept.keep(&main, MOMENT, [(1, card("a")), (2, card("b")), (3, bare("c"))]);
        assert_eq!(ids(&kept.cards(&main, MOMENT, &[1, 2, 3, 4])), [1, 2], "one without words is read again");
        for other in [sight("marta", Visibility::Shared), sight("ilya", Visibility::All)] {
            assert!(kept.cards(&other, MOMENT, &[1, 2]).is_empty(), "{other:?}");
        }
        let more = Moment { last: 10, ..MOMENT };
        assert_eq!(ids(&kept.cards(&main, more, &[1, 2])), [1, 2], "rows that are added change no other one");
        for changed in [Moment { change: 8, ..MOMENT }, Moment { broken: 1, ..MOMENT }] {
            kept.keep(&main, MOMENT, [(1, card("a"))]);
            assert!(kept.cards(&main, changed, &[1]).is_empty());
            assert!(kept.cards(&main, MOMENT, &[1]).is_empty(), "and all of before is gone");
        }
        assert_eq!(kept.weight, 0);
    }

    #[test]
    fn what_is_beside_a_row_is_known_until_one_is_added() {
        let mut kept = Kept::new(1 << 20);
        let main = sight("marta", Visibility::All);
        kept.keep(&main, MOMENT, [(2, card("b"))]);
        kept.keep_beside(
            &main,
            MOMENT,
            HashMap::from([(1, vec![(2, bare("b")), (3, bare("c"))]), (9, vec![])]),
        );
        let found = kept.beside(&main, MOMENT, &[1, 5, 9]);
        assert_eq!((found[&1].len(), found[&9].len(), found.len()), (2, 0, 2));
        assert_eq!(ids(&kept.cards(&main, MOMENT, &[2, 3])), [2], "words are not lost by it");
        let more = Moment { last: 10, ..MOMENT };
        assert!(kept.beside(&main, more, &[1]).is_empty());
        kept.keep_beside(&main, more, HashMap::from([(1, vec![(2, bare("b"))])]));
        assert_eq!(kept.beside(&main, more, &[1, 9]).len(), 1, "of before nothing is left");
        kept.keep_beside(&main, MOMENT, HashMap::from([(9, vec![])]));
        assert!(kept.beside(&main, MOMENT, &[9]).is_empty(), "what an older view read is not kept");
        assert_eq!(kept.beside(&main, more, &[1]).len(), 1);
        let weight = kept.weight;
        for last in 11..50 {
            let later = Moment { last, ..MOMENT };
            kept.keep_beside(&main, later, HashMap::from([(1, vec![(2, bare("b"))])]));
        }
        assert_eq!(kept.weight, weight, "what is forgotten weighs nothing");
        kept.forget(&Scope::user("marta"));
        assert_eq!((kept.weight, kept.parts.len()), (0, 0));
    }

    #[test]
    fn no_more_is_kept_than_is_allowed() {
        let one = card("a").weight();
        let mut kept = Kept::new(one * 10);
        let [marta, ilya] = ["marta", "ilya"].map(|user| sight(user, Visibility::All));
        kept.keep(&marta, MOMENT, (0..6).map(|id| (id, card("a"))));
        kept.keep(&ilya, MOMENT, (0..6).map(|id| (id, card("a"))));
        assert_eq!(kept.cards(&ilya, MOMENT, &[0, 1]).len(), 2);
        kept.keep(&ilya, MOMENT, [(6, card("a"))]);
        assert!(kept.cards(&marta, MOMENT, &[0]).is_empty(), "the one that was not used goes first");
        assert_eq!(kept.weight, one * 7);
        kept.keep(&ilya, MOMENT, (7..20).map(|id| (id, card("a"))));
        kept.keep(&ilya, MOMENT, [(20, card("a"))]);
        assert_eq!(ids(&kept.cards(&ilya, MOMENT, &[0, 6, 19, 20])), [20], "at last its own");
        let mut nothing = Kept::new(0);
        nothing.keep(&marta, MOMENT, [(1, card("a"))]);
        assert!(nothing.cards(&marta, MOMENT, &[1]).is_empty());
    }
}
