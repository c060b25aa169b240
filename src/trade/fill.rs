//! A fill: one execution of an order at an exchange.

use serde_json::Value;
use sha1::{Digest as _, Sha1};

use crate::base::debug::debug_as;
use crate::base::digest::Digest;

/// One execution of an order, in the columns of the third seed's `perps_fills`. An order may have several.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Fill {
    /// The id of the sub-wallet.
    pub sub_account_id: String,
    /// The address of the wallet.
    pub wallet_address: Option<String>,
    /// The id of the order.
    pub oid: String,
    /// When, in milliseconds since the epoch.
    pub ts_ms: i64,
    /// The thing that was traded: `BTC`.
    pub symbol: String,
    /// `buy` or `sell`, or the exchange's word for it.
    pub side: String,
    /// The exchange's word for what it did: `Open Long`.
    pub dir: Option<String>,
    /// How much, in units of the symbol.
    pub size: f64,
    /// The price of a unit.
    pub price: f64,
    /// The fee.
    pub fee: f64,
    /// The profit, or loss below zero, of what it closed; 0 where it closed nothing.
    pub closed_pnl: f64,
    /// The record as the exchange gave it. It is kept with its secrets masked.
    pub raw_json: Option<String>,
    /// The id by which it is known, where the host has a better one than the record does.
    pub uid: Option<String>,
}

impl Fill {
    /// Makes a fill without fee, profit or record.
    pub fn new(
        sub_account_id: impl Into<String>,
        oid: impl Into<String>,
        ts_ms: i64,
        symbol: impl Into<String>,
        side: impl Into<String>,
    ) -> Self {
        Self {
            sub_account_id: sub_account_id.into(),
            oid: oid.into(),
            ts_ms,
            symbol: symbol.into(),
            side: side.into(),
            ..Self::default()
        }
    }

    /// Sets how much was traded, and the price of a unit.
    #[must_use]
    pub fn at(mut self, size: f64, price: f64) -> Self {
        (self.size, self.price) = (size, price);
        self
    }

    /// Sets the record as the exchange gave it.
    #[must_use]
    pub fn raw(mut self, raw_json: impl Into<String>) -> Self {
        self.raw_json = Some(raw_json.into());
        self
    }

    /// Returns the id by which it is known within its sub-wallet. It is the host's, else the `tid` of the record, else
    /// its `hash`. Else it is `sha256:` and the hash of the record, or of the fields without one.
    #[must_use]
    pub fn fill_uid(&self) -> String {
        let said = self.uid.clone().filter(|uid| !uid.is_empty()).or_else(|| {
            let record: Value = serde_json::from_str(self.raw_json.as_deref()?).ok()?;
            ["tid", "hash"].iter().find_map(|name| word(record.get(name)?))
        });
        said.unwrap_or_else(|| format!("sha256:{}", Digest::of(self.record().as_bytes())))
    }

    /// Returns the id that the seed's program gave it, where that was made of the whole record: the SHA-1 of it.
    #[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "the file store keeps no mirror"))]
    pub(crate) fn uid_of_the_seed(&self) -> Option<String> {
        self.raw_json.as_ref().map(|raw| hex::encode(Sha1::digest(raw.as_bytes())))
    }

    fn record(&self) -> String {
        self.raw_json.clone().unwrap_or_else(|| {
            let Self { oid, ts_ms, symbol, side, dir, size, price, .. } = self;
            let dir = dir.as_deref().unwrap_or_default();
            [oid, &ts_ms.to_string(), symbol, side, dir, &size.to_string(), &price.to_string()].join("\n")
        })
    }
}

debug_as!(Fill, |it| "Fill {{ {}, {} }}", it.ts_ms, it.symbol);

/// Returns a number or a text that is not empty.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(word) if !word.is_empty() => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // FX-03
    #[test]
    fn a_fill_is_known_by_the_host_then_tid_then_hash_then_its_record() {
        let fill = |raw: &str| Fill::new("sub", "1", 5, "BTC", "buy").raw(raw);
        assert_eq!(fill(r#"{"tid":77,"hash":"0xab"}"#).fill_uid(), "77");
        assert_eq!(fill(r#"{"tid":"","hash":"0xab"}"#).fill_uid(), "0xab");
        let of_record = fill(r#"{"px":"1"}"#);
        assert_eq!(of_record.fill_uid(), format!("sha256:{}", Digest::of(br#"{"px":"1"}"#)));
        assert_eq!(of_record.uid_of_the_seed().unwrap().len(), 40);
        // The published vector of the algorithm.
        assert_eq!(fill("abc").uid_of_the_seed().unwrap(), "a9993e364706816aba3e25717850c26c9cd0d89d");
        let mut own = fill(r#"{"tid":77}"#);
        own.uid = Some("mine".to_owned());
        assert_eq!(own.fill_uid(), "mine");
        let (one, other) = (Fill::new("sub", "1", 5, "BTC", "buy"), Fill::new("sub", "1", 6, "BTC", "buy"));
        assert_ne!(one.fill_uid(), other.fill_uid());
        assert_eq!(one.fill_uid(), one.clone().fill_uid());
    }
}
