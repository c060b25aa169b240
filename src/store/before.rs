//! The rows right before some in their conversations: an answer says little without its question.

use std::collections::HashMap;

use super::searchable::Searchable;
use crate::base::error::Result;
use crate::memory::{Filter, Hit, Memory};
use crate::search::rank::Visibility;

/// Rows in sight that stand right before others in their conversations, by the ids of those.
pub(crate) type Before = HashMap<i64, Memory>;

/// Reads the rows that stand right before some hits in their conversations, of those that a filter takes.
pub(crate) fn before(
    rows: &dyn Searchable,
    visibility: Visibility,
    filter: &Filter,
    hits: &[Hit],
) -> Result<Before> {
    let places: HashMap<i64, (u64, i64)> = hits
        .iter()
        .filter_map(|hit| {
            let id = hit.memory.id.get();
            Some((id, (hit.memory.place.as_ref()?.position, id)))
        })
        .collect();
    let ids: Vec<i64> = places.keys().copied().collect();
    let mut nearest: HashMap<i64, (u64, i64)> = HashMap::new();
    rows.beside(visibility, filter, &ids, &mut |giver, card| {
        let (Some(own), Some((_, position))) = (places.get(&giver), card.place) else { return };
        let place = (position, card.id);
        if place < *own {
            let known = nearest.entry(giver).or_insert(place);
            *known = place.max(*known);
        }
    })?;
    let read = rows.rows(visibility, &nearest.values().map(|(_, id)| *id).collect::<Vec<i64>>())?;
    let read: HashMap<i64, Memory> = read.into_iter().map(|memory| (memory.id.get(), memory)).collect();
    let found = nearest.into_iter().filter_map(|(giver, (_, id))| Some((giver, read.get(&id)?.clone())));
    Ok(found.collect())
}
