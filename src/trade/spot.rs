//! Spot activity: a swap or transfer on a chain.

use crate::base::debug::debug_as;

/// A swap or transfer on a chain, in the columns of the third seed's `external_spot_activities`.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SpotActivity {
    /// The hash of the transaction, by which it is known.
    pub tx_hash: String,
    /// When, in milliseconds since the epoch.
    pub ts_ms: i64,
    /// `swap`, `transfer`, or another word.
    pub kind: String,
    /// The token that was given.
    pub from_token: Option<String>,
    /// The token that was received.
    pub to_token: Option<String>,
    /// How much, as the chain wrote it: it may have more digits than a number keeps.
    pub amount: Option<String>,
    /// The value in dollars.
    pub value_usd: Option<f64>,
    /// How it ended: `confirmed`.
    pub status: String,
    /// The record as the source gave it. It is kept with its secrets masked.
    pub raw_json: Option<String>,
}

impl SpotActivity {
    /// Makes an activity that names no token.
    pub fn new(
        tx_hash: impl Into<String>,
        ts_ms: i64,
        kind: impl Into<String>,
        status: impl Into<String>,
    ) -> Self {
        Self { tx_hash: tx_hash.into(), ts_ms, kind: kind.into(), status: status.into(), ..Self::default() }
    }

    /// Sets what was given and received.
    #[must_use]
    pub fn tokens(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        (self.from_token, self.to_token) = (Some(from.into()), Some(to.into()));
        self
    }

    /// Sets the amount, as the chain wrote it.
    #[must_use]
    pub fn amount(mut self, amount: impl Into<String>) -> Self {
        self.amount = Some(amount.into());
        self
    }
}

debug_as!(SpotActivity, |it| "SpotActivity {{ {}, {} }}", it.ts_ms, it.kind);
