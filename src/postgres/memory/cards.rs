//! Cards of rows with their words counted; only those that are not kept are read.

use crate::sql::Columns;
use crate::sql::memory::with_card;
use std::collections::HashMap;
use std::sync::Arc;

use super::table::Table;
use super::terms::word_of;
use crate::base::error::Result;
use crate::postgres::kept::{KeptCard, Moment, Sight};
use crate::search::rank::{Card, Stemmer, Visibility};

impl Table<'_> {
    /// Returns rows in sight, by their ids.
    pub(super) fn counted(&self, visibility: Visibility, ids: &[i64]) -> Result<HashMap<i64, Arc<KeptCard>>> {
        let (kept_as, shared) = (self.kept_as(visibility), &self.backend.server.shared);
        let mut cards = match &kept_as {
            Some((sight, moment)) => shared.kept().cards(sight, *moment, ids),
            None => HashMap::new(),
        };
        let unknown: Vec<i64> = ids.iter().copied().filter(|id| !cards.contains_key(id)).collect();
        if !unknown.is_empty() {
            let (mut new, mut stemmer) = (HashMap::with_capacity(unknown.len()), Stemmer::default());
            for (id, found) in self.read(visibility, &unknown)? {
                let found = self.found(&found);
                let text = found.text(10)?;
                let card = with_card(&found, &text, |card| count(card, &mut stemmer))?;
                new.insert(id, Arc::new(card));
            }
            if let Some((sight, moment)) = &kept_as {
                let new = new.iter().map(|(id, card)| (*id, Arc::clone(card)));
                shared.kept().keep(sight, *moment, new);
            }
            cards.extend(new);
        }
        self.held.borrow_mut().cards.extend(cards.iter().map(|(id, card)| (*id, Arc::clone(card))));
        Ok(cards)
    }

    /// Returns as what cards are kept; `None` in a transaction that changes something, and may not come to be.
    pub(super) fn kept_as(&self, visibility: Visibility) -> Option<(Sight, Moment)> {
        let moment = self.held.borrow().moment?;
        Some((Sight::new(&self.backend.server.scope, visibility), moment))
    }
}

fn count(card: &Card<'_>, stemmer: &mut Stemmer) -> KeptCard {
    let mut words: HashMap<i64, u16> = HashMap::new();
    let length = card.terms(stemmer, |stem, _| {
        if !stem.is_empty() {
            let count = words.entry(word_of(stem)).or_default();
            *count = count.saturating_add(1);
        }
    });
    KeptCard::of(card).with_words(words, length)
}
