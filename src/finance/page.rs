//! Trades on the pages of assets.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::DateTime;

use super::asset::asset;
use crate::base::access::{Access, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::order;
use crate::edges::{CitedSource, Entity};
use crate::pages::{PageLine, PageParts, PageSource};
use crate::trade::{Fill, MirrorStore, SpotActivity};

/// The trades of a mirror, on the pages of what was traded.
#[derive(Debug, Clone)]
pub struct TradeHistory {
    mirror: Arc<dyn MirrorStore>,
}

impl TradeHistory {
    /// Makes the trades of a mirror a source of pages.
    #[must_use]
    pub fn new(mirror: Arc<dyn MirrorStore>) -> Self {
        Self { mirror }
    }

    /// Returns the trades of each asset in words, the latest first, for the pages of an export
    /// ([`Export::records`](crate::exchange::Export::records)). If a file has several lives, one has trades.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] outside of a main session, and the errors of the mirror.
    pub fn records(&self, access: &Access) -> Result<Vec<(Entity, Vec<String>)>> {
        let fills = match self.mirror.perps_fills(access, None, usize::MAX) {
            Err(Error::Denied { kind: SessionKind::Main, .. }) => return Ok(Vec::new()),
            fills => fills?,
        };
        let mut assets: BTreeSet<String> = fills.iter().filter_map(|fill| asset(&fill.symbol)).collect();
        for one in self.mirror.external_spot(access, None, usize::MAX)? {
            assets.extend([one.from_token, one.to_token].iter().flatten().filter_map(|token| asset(token)));
        }
        let mut records = Vec::with_capacity(assets.len());
        for asset in assets {
            let lines = self.parts(access, std::slice::from_ref(&asset), usize::MAX)?.timeline;
            let told = lines.iter().map(|line| {
                let day = line.at.map(|at| format!("{}: ", at.date_naive())).unwrap_or_default();
                format!("{day}{} ({})", line.text, line.citation.source)
            });
            records.push((Entity::new(Entity::TICKER, asset), told.collect()));
        }
        Ok(records)
    }
}

impl PageSource for TradeHistory {
    fn parts(&self, access: &Access, keys: &[String], limit: usize) -> Result<PageParts> {
        let mut assets: Vec<String> = keys.iter().filter_map(|key| asset(key)).collect();
        order::sort(&mut assets);
        assets.dedup();
        let mut parts = PageParts::default();
        for asset in &assets {
            parts.timeline.extend(self.mirror.perps_fills(access, Some(asset), limit)?.iter().map(line));
            let activity = self.mirror.external_spot(access, Some(asset), limit)?;
            parts.timeline.extend(activity.iter().map(line_of_spot));
        }
        order::sort_by_key(&mut parts.timeline, |line| {
            std::cmp::Reverse((line.at, line.citation.source.clone()))
        });
        parts.timeline.dedup_by(|one, other| one.citation == other.citation);
        parts.timeline.truncate(limit);
        Ok(parts)
    }

    fn edition(&self) -> Result<u64> {
        self.mirror.mirror_edition()
    }
}

fn line(fill: &Fill) -> PageLine {
    let source = CitedSource::Record(format!("perps_fills {}", fill.fill_uid()));
    PageLine::new("trade", told(fill), DateTime::from_timestamp_millis(fill.ts_ms), source)
}

fn line_of_spot(activity: &SpotActivity) -> PageLine {
    let source = CitedSource::Record(format!("external_spot {}", activity.tx_hash));
    PageLine::new("trade", told_of_spot(activity), DateTime::from_timestamp_millis(activity.ts_ms), source)
}

/// Returns a fill in words.
pub(super) fn told(fill: &Fill) -> String {
    let Fill { side, size, symbol, price, closed_pnl, dir, .. } = fill;
    let mut told = format!("{side} {size} {symbol} at {price}");
    if let Some(dir) = dir {
        told.push_str(&format!(" ({dir})"));
    }
    if *closed_pnl != 0.0 {
        told.push_str(&format!(", profit {closed_pnl:+}"));
    }
    told
}

/// Returns an activity in words.
pub(super) fn told_of_spot(activity: &SpotActivity) -> String {
    let SpotActivity { kind, amount, from_token, to_token, value_usd, status, .. } = activity;
    let mut told = kind.clone();
    for (word, part) in [("", amount), ("", from_token), ("to ", to_token)] {
        if let Some(part) = part {
            told.push_str(&format!(" {word}{part}"));
        }
    }
    if let Some(value) = value_usd {
        told.push_str(&format!(", worth {value} USD"));
    }
    told.push_str(&format!(", {status}"));
    told
}
