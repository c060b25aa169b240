//! Rows as a search reads them, beside the words that they are found by.

use super::driver::MemoryDriver;
use super::row::{COLUMNS, memory};
use crate::base::error::Result;
use crate::memory::{Filter, Memory};
use crate::search::rank::Visibility;
use crate::sql::{DriverExt, Param, params};
use crate::store::stamp::stamp;

/// The condition for a trusted row: it does not come from a tool, a page or an import.
macro_rules! trusted {
    () => {
        "AND (m.origin IS NULL OR m.origin IN ('user', 'agent', 'system')) AND m.source IS DISTINCT FROM 'imported'"
    };
}
pub(crate) const TRUSTED: &str = trusted!();

/// The same where those who take part speak for themselves: in a group.
pub(crate) const TRUSTED_OR_PARTICIPANT: &str =
    "AND (m.origin IS NULL OR m.origin IN ('user', 'agent', 'system') OR m.origin LIKE 'participant:%')
     AND m.source IS DISTINCT FROM 'imported'";

const DREAMED: &str = "AND m.dream IS NOT NULL";
const TRUSTED_AND_DREAMED: &str = concat!(trusted!(), " AND m.dream IS NOT NULL");

/// A list by time.
pub(crate) const BY_TIME: &str = "ORDER BY m.updated_at DESC, m.id DESC";

/// Returns the conditions of a filter that bind nothing.
pub(crate) fn trusted(filter: &Filter) -> &'static str {
    match (filter.trusted, filter.dreamed) {
        (false, false) => "",
        (true, false) => TRUSTED,
        (false, true) => DREAMED,
        (true, true) => TRUSTED_AND_DREAMED,
    }
}

/// Returns the values of a filter, `$3` to `$5`.
pub(crate) fn filtered(filter: &Filter) -> Vec<Param> {
    params![filter.category.clone(), filter.since.map(stamp), filter.until.map(stamp)]
}

/// Returns rows in sight, in any order.
pub(crate) fn rows_of(driver: &dyn MemoryDriver, visibility: Visibility, ids: &[i64]) -> Result<Vec<Memory>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let (rows, sight) = (driver.dialect().by_ids("$3"), driver.dialect().in_sight(visibility));
    let sql = format!("SELECT {COLUMNS} FROM {rows} WHERE m.user_id = $1 AND m.agent_id = $2 AND {sight}");
    driver.all(&sql, params![ids.to_vec()], memory)
}

/// Lists the rows that a filter takes, the latest touched first.
pub(crate) fn listed(
    driver: &dyn MemoryDriver,
    visibility: Visibility,
    filter: &Filter,
) -> Result<Vec<Memory>> {
    let words = driver.dialect();
    let sight = match (filter.deleted, filter.retired) {
        (true, _) => "m.deleted_at IS NOT NULL",
        (false, true) => words.in_sight_or_retired(visibility),
        (false, false) => words.in_sight(visibility),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM memories m WHERE {} AND {sight} {} {BY_TIME} LIMIT $6",
        words.conditions(),
        trusted(filter)
    );
    let mut values = filtered(filter);
    values.push(filter.limit.into());
    driver.all(&sql, values, memory)
}

/// Lists those of them that hold a text.
pub(crate) fn holding(
    driver: &dyn MemoryDriver,
    visibility: Visibility,
    filter: &Filter,
    text: &str,
) -> Result<Vec<Memory>> {
    let words = driver.dialect();
    let sql = format!(
        "SELECT {COLUMNS} FROM memories m
         WHERE {} AND {} {} AND {}(m.content, $6) > 0 {BY_TIME} LIMIT $7",
        words.conditions(),
        words.in_sight(visibility),
        trusted(filter),
        words.place_of()
    );
    let mut values = filtered(filter);
    values.extend(params![text, filter.limit]);
    driver.all(&sql, values, memory)
}
