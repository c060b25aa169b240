//! The one spelling of an asset.

/// Coins by their names and tickers, and whether the name is that of a chain too.
pub(super) const COINS: [(&str, &str); 20] = [
    ("bitcoin", "BTC"),
    ("ether", "ETH"),
    ("ethereum", "ETH"),
    ("solana", "SOL"),
    ("tether", "USDT"),
    ("ripple", "XRP"),
    ("cardano", "ADA"),
    ("dogecoin", "DOGE"),
    ("polkadot", "DOT"),
    ("avalanche", "AVAX"),
    ("chainlink", "LINK"),
    ("litecoin", "LTC"),
    ("usd coin", "USDC"),
    ("hyperliquid", "HYPE"),
    ("arbitrum", "ARB"),
    ("比特币", "BTC"),
    ("以太坊", "ETH"),
    ("以太币", "ETH"),
    ("泰达币", "USDT"),
    ("狗狗币", "DOGE"),
];

/// Currencies of states.
const CURRENCIES: [&str; 20] = [
    "USD", "EUR", "JPY", "GBP", "CHF", "AUD", "CAD", "NZD", "CNY", "CNH", "HKD", "SGD", "SEK", "NOK", "KRW",
    "INR", "MXN", "ZAR", "TRY", "PLN",
];

/// Tokens that prices are also given in.
const QUOTES: [&str; 5] = ["USDT", "USDC", "DAI", "FDUSD", "PERP"];

/// Returns the one spelling of an asset: capitals, without `$`. Two currencies are one thing; the price of anything else is
/// given in the second, and the first is the asset.
///
/// ```
/// use noctuary::finance::asset;
///
/// assert_eq!(asset("EUR/USD").as_deref(), Some("EURUSD"));
/// assert_eq!(asset("btc-usdt").as_deref(), Some("BTC"));
/// assert_eq!(asset("$sol").as_deref(), Some("SOL"));
/// assert_eq!(asset("Bitcoin").as_deref(), Some("BTC"));
/// assert_eq!(asset("a boat"), None);
/// ```
#[must_use]
pub fn asset(text: &str) -> Option<String> {
    let text = text.trim();
    let known = COINS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text) || *name == text);
    if let Some((_, ticker)) = known {
        return Some((*ticker).to_owned());
    }
    let plain = text.strip_prefix('$').unwrap_or(text);
    match plain.split_once(['/', '-', '_']) {
        Some((base, quote)) => pair(base, quote),
        None => is_ticker(plain).then(|| plain.to_ascii_uppercase()),
    }
}

/// Returns the asset of a pair; `None` where it is none.
pub(super) fn pair(base: &str, quote: &str) -> Option<String> {
    if !is_ticker(base) || !is_ticker(quote) {
        return None;
    }
    let (base, quote) = (base.to_ascii_uppercase(), quote.to_ascii_uppercase());
    let is_currency = |word: &str| CURRENCIES.contains(&word);
    if is_currency(&base) && is_currency(&quote) {
        return Some(base + &quote);
    }
    let is_quote = is_currency(&quote) || QUOTES.contains(&&*quote) || is_coin(&quote);
    is_quote.then_some(base)
}

pub(super) fn is_coin(ticker: &str) -> bool {
    COINS.iter().any(|(_, coin)| *coin == ticker)
}

/// Returns whether a word has the form of a ticker: two to ten letters and digits, a letter among them.
pub(super) fn is_ticker(word: &str) -> bool {
    (2..=10).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}
