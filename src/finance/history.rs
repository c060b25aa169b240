//! Trades as evidence of the profile.

use std::sync::Arc;

use chrono::DateTime;

use super::page::{told, told_of_spot};
use crate::base::access::Access;
use crate::dream::{HistoryItem, HistorySource, history_fn};
use crate::format::Origin;
use crate::trade::MirrorStore;

/// Makes the fills of a mirror a source of evidence about the human. (seed 003, the view of three sources)
pub fn fills_as_history(mirror: Arc<dyn MirrorStore>, access: Access) -> impl HistorySource {
    history_fn("perps_fills", move |limit| {
        let fills = mirror.perps_fills(&access, None, limit)?;
        Ok(fills.iter().filter_map(|fill| item(fill.fill_uid(), fill.ts_ms, told(fill))).collect())
    })
}

/// Makes the spot activity of a mirror a source of evidence about the human.
pub fn spot_as_history(mirror: Arc<dyn MirrorStore>, access: Access) -> impl HistorySource {
    history_fn("spot", move |limit| {
        let activity = mirror.external_spot(&access, None, limit)?;
        let items = activity.iter();
        Ok(items.filter_map(|one| item(one.tx_hash.clone(), one.ts_ms, told_of_spot(one))).collect())
    })
}

/// Makes an item; `None` for a time that is none.
fn item(id: String, ts_ms: i64, text: String) -> Option<HistoryItem> {
    let mut item = HistoryItem::new(id, DateTime::from_timestamp_millis(ts_ms)?, text);
    item.origin = Some(Origin::Tool("exchange".to_owned()));
    Some(item)
}
