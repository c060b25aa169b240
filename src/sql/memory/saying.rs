//! The rows that say a statement. Each row has a signature of its words, so that those that cannot say it are passed unread.

use super::driver::MemoryDriver;
use super::fact::{FACT, read};
use super::row::{COLUMNS, NOTES};
use crate::base::error::Result;
use crate::facts::Fact;
use crate::sql::params;
use crate::store::forget::Burial;

/// The number of rows that are read together.
const READ: usize = 500;

/// Returns the rows that say a statement, deleted and retired ones too, by id.
pub(crate) fn saying(driver: &dyn MemoryDriver, burial: &Burial) -> Result<Vec<Fact>> {
    // A name is in the rows, and not in their signatures.
    let asked = if burial.is_named() { 0 } else { burial.signature };
    let ids = driver.signed(asked)?;
    let rows = driver.dialect().by_ids("$3");
    let sql = format!(
        "SELECT {COLUMNS}, {FACT} FROM {rows} WHERE m.user_id = $1 AND m.agent_id = $2 ORDER BY m.id"
    );
    let mut saying = Vec::new();
    for ids in ids.chunks(READ) {
        driver.each(&sql, params![ids.to_vec()], &mut |found| {
            let fact = read(found)?;
            let is_in_notes = found.borrowed(NOTES)?.is_some_and(|notes| burial.holds(&notes));
            if is_in_notes || burial.is_in(&fact.memory, fact.key.as_ref()) {
                saying.push(fact);
            }
            Ok(())
        })?;
    }
    Ok(saying)
}
