//! The words of retired rows and of keys, beside the index. A search that finds one of them is led to what holds now.

use super::driver::MemoryDriver;
use crate::base::error::Result;
use crate::facts::FactKey;
use crate::memory::MemoryId;
use crate::sql::{DriverExt, params};
use crate::store::echo::echo_words;

/// Lists a row by the words of its key, and of what it said before it was retired.
fn list(driver: &dyn MemoryDriver, id: MemoryId, said: Option<&str>, key: Option<&FactKey>) -> Result<()> {
    let listed: Vec<i64> = echo_words(said, key).into_iter().map(|word| word.0.cast_signed()).collect();
    if listed.is_empty() {
        return Ok(());
    }
    driver.gets_echoes();
    let (words, [columns, values]) = (driver.dialect(), driver.dialect().with_scope());
    let sql = format!(
        "INSERT INTO memory_echoes ({columns}word, id) SELECT {values}l.value, $3 FROM {} WHERE true
         ON CONFLICT DO NOTHING",
        words.list("$4", "l")
    );
    driver.put(sql.into(), params![id.get(), listed])
}

/// Lists a new row by the words of its key.
pub(super) fn echo_key(driver: &dyn MemoryDriver, id: MemoryId, key: Option<&FactKey>) -> Result<()> {
    if key.is_some() { list(driver, id, None, key) } else { Ok(()) }
}

/// Lists a row that was replaced by what it says.
pub(super) fn echo_retired(driver: &dyn MemoryDriver, id: MemoryId) -> Result<()> {
    let sql = "SELECT content, subject, slot FROM memories WHERE user_id = $1 AND agent_id = $2 AND id = $3";
    let found = driver.first(sql, params![id.get()], |found| {
        let key = found.maybe(1)?.zip(found.maybe(2)?);
        Ok((found.text(0)?, key.map(|(subject, slot)| FactKey::one(subject, slot))))
    })?;
    let Some((content, key)) = found else { return Ok(()) };
    list(driver, id, Some(&content), key.as_ref())
}

/// Lists a row whose text changes by its key alone.
pub(super) fn echo_anew(driver: &dyn MemoryDriver, id: MemoryId, key: Option<&FactKey>) -> Result<()> {
    // Most stores have no facts.
    if !driver.has_echoes()? {
        return Ok(());
    }
    let sql = format!("DELETE FROM memory_echoes AS s WHERE {} s.id = $3", driver.dialect().of_scope());
    driver.run(&sql, params![id.get()])?;
    echo_key(driver, id, key)
}
