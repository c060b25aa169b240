//! Edges of traders' texts: tickers, chains and addresses, with verbs in English and Chinese.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::asset::{COINS, asset, is_coin, pair};
use crate::base::debug::debug_as;
use crate::base::order;
use crate::base::pattern::pattern;
use crate::base::sorted::SortedSet;
use crate::edges::{Edge, EdgeExtractor, Entity, Spot, TextEdges, Verbs, assemble, spots};

/// Words of traders, and the relations of the third seed that they stand for. A short position is a trade, and holds nothing.
const VERBS: [(&str, &str); 74] = [
    ("long", "holds"),
    ("longed", "holds"),
    ("bought", "holds"),
    ("buy", "holds"),
    ("buys", "holds"),
    ("buying", "holds"),
    ("hold", "holds"),
    ("holds", "holds"),
    ("holding", "holds"),
    ("held", "holds"),
    ("own", "holds"),
    ("owns", "holds"),
    ("accumulate", "holds"),
    ("accumulated", "holds"),
    ("accumulating", "holds"),
    ("added", "holds"),
    ("staked", "holds"),
    ("做多", "holds"),
    ("买入", "holds"),
    ("买了", "holds"),
    ("买进", "holds"),
    ("持有", "holds"),
    ("加仓", "holds"),
    ("建仓", "holds"),
    ("開多", "holds"),
    ("开多", "holds"),
    ("買入", "holds"),
    ("sell", "exited"),
    ("sells", "exited"),
    ("sold", "exited"),
    ("selling", "exited"),
    ("exit", "exited"),
    ("exited", "exited"),
    ("exiting", "exited"),
    ("closed", "exited"),
    ("dumped", "exited"),
    ("took profit", "exited"),
    ("take profit", "exited"),
    ("stopped out", "exited"),
    ("stop loss", "exited"),
    ("stop-loss", "exited"),
    ("卖出", "exited"),
    ("卖了", "exited"),
    ("卖掉", "exited"),
    ("賣出", "exited"),
    ("止损", "exited"),
    ("止盈", "exited"),
    ("平仓", "exited"),
    ("清仓", "exited"),
    ("减仓", "exited"),
    ("trade", "traded"),
    ("traded", "traded"),
    ("trades", "traded"),
    ("trading", "traded"),
    ("swapped", "traded"),
    ("swap", "traded"),
    ("short", "traded"),
    ("shorted", "traded"),
    ("shorting", "traded"),
    ("交易", "traded"),
    ("兑换", "traded"),
    ("换成", "traded"),
    ("做空", "traded"),
    ("开空", "traded"),
    ("watch", "watched"),
    ("watches", "watched"),
    ("watched", "watched"),
    ("watching", "watched"),
    ("watchlist", "watched"),
    ("tracking", "watched"),
    ("eyeing", "watched"),
    ("关注", "watched"),
    ("盯着", "watched"),
    ("观察", "watched"),
];

/// Chains by their names; a name that a coin has too is the chain's behind `on`.
const CHAINS: [(&str, &str, bool); 12] = [
    ("ethereum", "ethereum", true),
    ("solana", "solana", true),
    ("bitcoin", "bitcoin", true),
    ("avalanche", "avalanche", true),
    ("hyperliquid", "hyperliquid", true),
    ("arbitrum", "arbitrum", true),
    ("base", "base", true),
    ("optimism", "optimism", true),
    ("polygon", "polygon", false),
    ("bsc", "bsc", false),
    ("bnb chain", "bsc", false),
    ("以太坊", "ethereum", true),
];

/// The forms of a run of a text: an address, a ticker with its sign, a pair, or a word.
static FORMS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?P<hex>\b0x[0-9a-fA-F]{40}\b)",
        r"|(?P<base58>\b[1-9A-HJ-NP-Za-km-z]{32,44}\b)",
        r"|\$(?P<sign>[A-Za-z][A-Za-z0-9]{1,9})\b",
        r"|\b(?P<pair>[A-Z][A-Z0-9]{1,9}[/-][A-Z]{3,5})\b",
        r"|(?P<word>\b(?i:usd coin|bnb chain)\b|[A-Za-z][A-Za-z0-9]*|比特币|以太坊|以太币|泰达币|狗狗币)",
    ))
});

/// The edges of [`TextEdges`], and those of traders' texts: tickers (`$SOL`, `BTC`, `EUR/USD`, coins by their names),
/// chains, and addresses. Verbs are `holds`, `exited`, `traded` and `watched`, in English and Chinese. Up to five
/// tickers of a text occur together. (seed 003, Typed memory edges)
///
/// ```
/// use noctuary::edges::EdgeExtractor;
/// use noctuary::finance::FinanceEdges;
///
/// let told = |text: &str| -> Vec<String> {
///     let edges = FinanceEdges::default().edges(text);
///     edges.iter().map(|edge| format!("{} {}", edge.verb, edge.entity)).collect()
/// };
/// assert_eq!(told("bought $SOL on Solana"), ["holds ticker:SOL", "holds chain:solana"]);
/// assert_eq!(told("今天止损了比特币"), ["exited ticker:BTC"]);
/// assert_eq!(told("EUR/USD is quiet"), ["mentions ticker:EURUSD"]);
/// ```
#[derive(Clone)]
pub struct FinanceEdges {
    verbs: Verbs,
    text: TextEdges,
    own: SortedSet<String>,
    together: SortedSet<String>,
}

debug_as!(FinanceEdges, |it| "FinanceEdges {{ tickers: {} }}", it.own.len());

impl Default for FinanceEdges {
    fn default() -> Self {
        Self {
            verbs: Verbs::default().with(VERBS),
            text: TextEdges::default(),
            own: SortedSet::new(),
            together: SortedSet::from([Self::TICKER.to_owned()]),
        }
    }
}

impl FinanceEdges {
    /// The kind of a ticker: `BTC`, `EURUSD`.
    pub const TICKER: &'static str = Entity::TICKER;
    /// The kind of a chain: `solana`.
    pub const CHAIN: &'static str = "chain";
    /// The kind of an address of a wallet or contract.
    pub const ADDRESS: &'static str = "address";

    /// Adds words that are tickers wherever they are in capitals.
    #[must_use]
    pub fn tickers<'t>(mut self, tickers: impl IntoIterator<Item = &'t str>) -> Self {
        self.own.extend(tickers.into_iter().map(str::to_ascii_uppercase));
        self
    }

    fn is_verb(&self, word: &str) -> bool {
        self.verbs.table().any(|(verb, _)| verb.eq_ignore_ascii_case(word))
    }

    /// Returns the entities of traders in a text, in order.
    fn own_spots(&self, text: &str) -> Vec<Spot> {
        let mut found = Vec::new();
        for form in FORMS.captures_iter(text) {
            let whole = form.get(0).expect("a match has a whole").range();
            let entity = if let Some(hex) = form.name("hex") {
                Some((Self::ADDRESS, hex.as_str().to_ascii_lowercase()))
            } else if let Some(run) = form.name("base58").filter(|run| is_mixed(run.as_str())) {
                Some((Self::ADDRESS, run.as_str().to_owned()))
            } else if let Some(sign) = form.name("sign") {
                Some((Self::TICKER, sign.as_str().to_ascii_uppercase()))
            } else if let Some(of_pair) = form.name("pair") {
                let (base, quote) = of_pair.as_str().split_once(['/', '-']).unwrap_or_default();
                pair(base, quote).map(|asset| (Self::TICKER, asset))
            } else {
                form.name("word").and_then(|word| self.of_word(text, word.range()))
            };
            found.extend(entity.map(|(kind, key)| Spot { place: whole, entity: Entity::new(kind, key) }));
        }
        found
    }

    fn of_word(&self, text: &str, place: Range<usize>) -> Option<(&'static str, String)> {
        let word = &text[place.clone()];
        let folded = word.to_lowercase();
        if let Some((_, chain, only_behind_on)) = CHAINS.iter().find(|(name, ..)| *name == folded)
            && (!only_behind_on || is_behind_on(&text[..place.start]))
        {
            return Some((Self::CHAIN, (*chain).to_owned()));
        }
        if let Some((_, ticker)) = COINS.iter().find(|(name, _)| *name == folded) {
            return Some((Self::TICKER, (*ticker).to_owned()));
        }
        let is_ours = is_coin(word) || self.own.contains(word);
        // `LINK`, `DOT` and `ADA` are words too, which only capitals tell.
        is_ours.then(|| (Self::TICKER, word.to_owned()))
    }
}

impl EdgeExtractor for FinanceEdges {
    fn edges(&self, text: &str) -> Vec<Edge> {
        let own = self.own_spots(text);
        let mut all: Vec<Spot> = spots(text);
        // What traders call by its ticker is no name beside it.
        all.retain(|spot| {
            !own.iter().any(|own| own.place.start <= spot.place.start && spot.place.end <= own.place.end)
        });
        // Nor is a verb that begins a sentence the first word of a name: "Bought Bitcoin".
        all.retain(|spot| {
            let before = |own: &Spot| text.get(spot.place.start..own.place.start);
            !own.iter().any(|own| {
                own.place.end == spot.place.end && before(own).is_some_and(|word| self.is_verb(word.trim()))
            })
        });
        // Nor is a pair a path, or a sign a part of a word.
        all.retain(|spot| spot.entity.kind != Entity::PATH || !own.iter().any(|own| own.place == spot.place));
        all.extend(own);
        order::sort_by_key(&mut all, |spot| spot.place.start);
        assemble(text, &all, &self.verbs, &self.together)
    }

    fn keys(&self, asked: &str) -> Vec<String> {
        let mut keys = self.text.keys(asked);
        let own = self.own_spots(asked.trim());
        let own = own.into_iter().filter(|spot| spot.place.len() == asked.trim().len());
        for key in own.map(|spot| spot.entity.key).chain(asset(asked)) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    fn identity(&self) -> String {
        let own: Vec<&str> = self.own.iter().map(String::as_str).collect();
        format!("finance 1 {}", own.join(" "))
    }
}

/// Returns whether a run has capitals, small letters and digits: no word does.
fn is_mixed(run: &str) -> bool {
    [u8::is_ascii_uppercase, u8::is_ascii_lowercase, u8::is_ascii_digit]
        .iter()
        .all(|is_kind| run.as_bytes().iter().any(is_kind))
}

/// Returns whether a text ends with a word that a chain is behind.
fn is_behind_on(before: &str) -> bool {
    let before = before.trim_end();
    before.ends_with('在')
        || before.rsplit(|c: char| !c.is_alphabetic()).next().is_some_and(|word| {
            ["on", "via", "to", "from", "over"].iter().any(|on| word.eq_ignore_ascii_case(on))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let edges = FinanceEdges::default().tickers(["aapl"]).edges(text);
        edges.iter().map(|edge| format!("{} {}", edge.verb, edge.entity)).collect()
    }

    // GE-01, GE-02, GE-03
    #[test]
    fn verbs_of_both_languages_lead_to_tickers_and_a_denied_one_to_a_mention() {
        for (text, edge) in [
            ("went long ETH at 3200", "holds ticker:ETH"),
            ("Bought Bitcoin", "holds ticker:BTC"),
            ("做多 ETH", "holds ticker:ETH"),
            ("Sold $DOGE", "exited ticker:DOGE"),
            ("止损 SOL", "exited ticker:SOL"),
            ("swapped USDC", "traded ticker:USDC"),
            ("shorted AAPL", "traded ticker:AAPL"),
            ("关注以太坊", "watched ticker:ETH"),
            ("watching EUR/USD", "watched ticker:EURUSD"),
            ("BTC-USDT looks tired", "mentions ticker:BTC"),
            ("never bought ADA", "mentions ticker:ADA"),
        ] {
            assert_eq!(told(text), [edge], "{text}");
        }
    }

    #[test]
    fn chains_and_addresses_are_entities_and_plain_words_are_not() {
        let wallet = "0x52908400098527886E0F7030069857D2E4169EE7";
        assert_eq!(
            told(&format!("sent it to {wallet} on Arbitrum")),
            [format!("mentions address:{}", wallet.to_lowercase()), "mentions chain:arbitrum".to_owned()]
        );
        assert_eq!(told("the base of the link is a dot, on an api"), [""; 0]);
        assert_eq!(told("paid $500 for 3/4 of it"), [""; 0]);
        assert_eq!(told("they met Marta"), ["mentions name:marta"]);
    }

    // GE-04
    #[test]
    fn of_six_tickers_five_occur_together_in_ten_pairs() {
        let edges = FinanceEdges::default().edges("BTC ETH SOL XRP ADA DOGE");
        let pairs = edges.iter().filter(|edge| edge.verb == Edge::CO_OCCURS_WITH);
        assert_eq!(pairs.clone().count(), 10);
        assert!(pairs.clone().all(|edge| edge.entity.kind == "ticker_pair"));
    }

    // CP-06
    #[test]
    fn an_asset_is_asked_for_in_any_spelling() {
        let edges = FinanceEdges::default();
        for (asked, key) in
            [("eur/usd", "EURUSD"), ("EUR/USD", "EURUSD"), ("bitcoin", "BTC"), ("$sol", "SOL")]
        {
            assert!(edges.keys(asked).contains(&key.to_owned()), "{asked}");
        }
        assert!(!edges.keys("EUR/USD").contains(&"EUR".to_owned()));
    }
}
