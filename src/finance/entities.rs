//! Entities of traders' texts, for the ranking of a search.

use std::collections::BTreeSet;

use super::asset::{COINS, is_ticker};
use crate::search::{Entities, GenericEntities};

/// The entities of [`GenericEntities`], and traders' forms: `$sol`, coins by their common names.
#[derive(Debug, Clone, Copy, Default)]
pub struct FinanceEntities;

impl Entities for FinanceEntities {
    fn of(&self, text: &str) -> BTreeSet<String> {
        let mut found = GenericEntities.of(text);
        // With a sign before it a word is a ticker, and a number is an amount.
        found.retain(|entity| !entity.starts_with('$'));
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '$')).filter(|word| !word.is_empty());
        for word in words {
            if let Some(ticker) = word.strip_prefix('$')
                && is_ticker(ticker)
                && ticker.bytes().all(|byte| byte.is_ascii_alphabetic())
            {
                found.insert(ticker.to_ascii_lowercase());
                continue;
            }
            let word = word.to_lowercase();
            let coin = |(name, ticker): &&(&str, &str)| *name == word || ticker.to_ascii_lowercase() == word;
            if let Some((_, ticker)) = COINS.iter().find(coin) {
                found.remove(&word);
                found.insert(ticker.to_ascii_lowercase());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coin_is_one_entity_under_all_its_names() {
        let of = |text: &str| FinanceEntities.of(text).into_iter().collect::<Vec<String>>();
        assert_eq!(of("bought Bitcoin and $sol"), ["btc", "sol"]);
        assert_eq!(of("sold BTC"), ["btc"]);
        assert_eq!(of("paid $500"), [""; 0]);
    }
}
