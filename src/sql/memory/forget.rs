//! Forgetting for good: the rows that say a statement, and the tombstone that keeps it out.

use super::audit::audit;
use super::driver::MemoryDriver;
use super::rows::profile;
use crate::base::error::Result;
use crate::base::text;
use crate::gate::{Tombstone, TombstoneKey};
use crate::memory::{AuditEntry, MemoryId};
use crate::sql::{Dialect, Driver, DriverExt, params, word};
use crate::store::forget::{Burial, NAMES, REMOVED, Struck};
use crate::store::practice::{Kept, Rest, normal};

/// The number of texts that are read together from a server.
const READ: usize = 1000;

const OF_SCOPE: &str = "WHERE user_id = $1 AND agent_id = $2";

/// Adds a tombstone, and the key of the first one.
pub(crate) fn add_tombstone(driver: &dyn Driver, key: &TombstoneKey, stone: &Tombstone) -> Result<()> {
    let sql = "INSERT INTO memory_tombstone_keys (user_id, agent_id, key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    driver.run(sql, params![hex::encode(key.as_bytes())])?;
    let sql =
        "INSERT INTO memory_tombstones (user_id, agent_id, words, mark, digest) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING";
    driver.run(sql, params![i64::from(stone.words), i64::from(stone.mark), stone.digest.to_string()])
}

/// Removes a tombstone.
pub(crate) fn lift(driver: &dyn Driver, stone: &Tombstone) -> Result<()> {
    let sql = format!("DELETE FROM memory_tombstones {OF_SCOPE} AND digest = $3");
    driver.run(&sql, params![stone.digest.to_string()])
}

/// Returns the condition of the key `$3` of the profile, whose number is `$4`.
fn of_key(driver: &dyn MemoryDriver) -> &'static str {
    driver.dialect().spell("key = $3", "key_word = $4 AND key = $3")
}

/// Returns the condition of lines of the audit with a word of somebody's. A list after `IN` would be sorted for each line.
pub(crate) fn worded() -> String {
    let is_other = |column: &str| NAMES.map(|name| format!("{column} <> '{name}'")).join(" AND ");
    format!("(reason IS NOT NULL OR ({}) OR ({}))", is_other("source"), is_other("origin"))
}

/// Removes rows, and takes a statement out of everything else.
pub(super) fn bury(
    driver: &dyn MemoryDriver,
    rows: &[MemoryId],
    burial: &Burial,
    key: &TombstoneKey,
    entry: &AuditEntry,
) -> Result<Struck> {
    let mut struck = Struck::default();
    for stone in &burial.stones {
        add_tombstone(driver, key, stone)?;
    }
    driver.remove_rows(rows, true)?;
    for id in rows {
        audit(driver, &AuditEntry { action: REMOVED.to_owned(), id: Some(*id), ..entry.clone() })?;
    }
    let [table, of_profile] = driver.profile();
    let sql = format!("DELETE FROM {table} WHERE {of_profile} AND {}", of_key(driver));
    for (key, value) in profile(driver, None)? {
        if burial.holds(&value) || burial.holds(&key) {
            driver.run(&sql, params![&key, word(&key)])?;
            struck.profile += 1;
        }
    }
    strike_practice(driver, burial, &mut struck)?;
    driver.strike_trades(burial, &mut struck)?;
    // Most lines have no word of anybody's.
    let lines = if burial.is_named() || driver.dialect() == Dialect::Postgres {
        format!("memory_audit {OF_SCOPE}")
    } else {
        format!("memory_audit INDEXED BY idx_audit_worded {OF_SCOPE} AND {}", worded())
    };
    let events = format!("memory_decisions {OF_SCOPE}");
    for (table, whose, column) in [
        ("memory_audit", &lines, "reason"),
        ("memory_audit", &lines, "source"),
        ("memory_audit", &lines, "origin"),
        ("memory_decisions", &events, "reason"),
    ] {
        let ids = rows_holding(driver, burial, whose, "id", &[column])?;
        struck.reasons += ids.len() as u64;
        let is_one = driver.dialect().is_in("id", "$3");
        let sql = format!("UPDATE {table} SET {column} = NULL {OF_SCOPE} AND {is_one}");
        driver.run(&sql, params![ids])?;
    }
    for _ in &burial.stones {
        audit(driver, entry)?;
    }
    Ok(struck)
}

/// Takes a statement out of learnings and of the learning loop: a method leaves with its cases.
fn strike_practice(driver: &dyn MemoryDriver, burial: &Burial, struck: &mut Struck) -> Result<()> {
    let of = |table: &str, columns: &[&str]| {
        rows_holding(driver, burial, &format!("{table} {OF_SCOPE}"), "id", columns)
    };
    let strike = |table: &str, columns: &[&str]| remove(driver, table, "id", of(table, columns)?);
    struck.learnings += strike("memory_learnings", &["content", "context"])?;
    let methods = of("memory_methods", &["name", "class", "body"])?;
    struck.cases += remove(driver, "memory_cases", "method_id", methods.clone())?;
    struck.methods += remove(driver, "memory_methods", "id", methods)?;
    struck.cases += strike("memory_cases", &["content", "outcome"])?;
    struck.cases += strike("memory_outcomes", &["outcome"])?;
    struck.preferences += strike("memory_preferences", &["dimension", "statement", "tools", "words"])?;
    struck.notes += strike("memory_roles", &["role", "subject", "content", "reflection"])?;
    Ok(())
}

/// Removes the rows of a table of the scope with these keys; returns how many.
fn remove(driver: &dyn MemoryDriver, table: &str, key: &str, keys: Vec<i64>) -> Result<u64> {
    if keys.is_empty() {
        return Ok(0);
    }
    let is_one = driver.dialect().is_in(key, "$3");
    let sql = format!("DELETE FROM {table} {OF_SCOPE} AND {is_one} RETURNING id");
    driver.count(&sql, params![keys])
}

/// Returns the keys of the rows that say it in one of some columns.
pub(crate) fn rows_holding(
    driver: &dyn MemoryDriver,
    burial: &Burial,
    whose: &str,
    key: &str,
    columns: &[&str],
) -> Result<Vec<i64>> {
    let words = driver.dialect();
    let page = words.spell("", "AND id > $3 ORDER BY id LIMIT $4");
    let sql = format!("SELECT {key}, {} FROM {whose} {page}", columns.join(", "));
    let (mut after, mut holding) = (i64::MIN, Vec::new());
    loop {
        let mut read = 0;
        driver.each(&sql, params![after, READ], &mut |found| {
            (after, read) = (found.number(0)?, read + 1);
            for column in 1..=columns.len() {
                if found.borrowed(column)?.is_some_and(|text| burial.holds(&text)) {
                    holding.push(after);
                    break;
                }
            }
            Ok(())
        })?;
        // A file gives all of them, one by one.
        if read < READ || words == Dialect::Sqlite {
            return Ok(holding);
        }
    }
}

/// Replaces a part beside the rows by the rest of its words. A part that becomes equal to another is left to be removed.
pub(super) fn overwrite(driver: &dyn MemoryDriver, rest: &Rest) -> Result<()> {
    let of_row = format!("{OF_SCOPE} AND id = $3");
    let of_new = |table: &str| {
        format!(
            "{of_row} AND NOT EXISTS (SELECT 1 FROM {table} o
               WHERE o.user_id = $1 AND o.agent_id = $2 AND o.normal = $4 AND o.id <> $3)"
        )
    };
    let (sql, values) = match rest {
        Rest::Value { key, value } => {
            let ([table, of_profile], is_key) = (driver.profile(), of_key(driver));
            let sql = format!("UPDATE {table} SET value = $5 WHERE {of_profile} AND {is_key}");
            (sql, params![key, word(key), value])
        }
        Rest::Learning(learning) => {
            let sql = format!(
                "UPDATE memory_learnings SET normal = $4, content = $5, context = $6{} {}",
                driver.dialect().spell("", ", normal_word = $7"),
                of_new("memory_learnings")
            );
            let normal = text::statement(&learning.content);
            let normal_word = word(&normal);
            let context = learning.context.clone();
            (sql, params![learning.id.get(), normal, &learning.content, context, normal_word])
        }
        Rest::Practised(Kept::Method(method)) => {
            let sql =
                format!("UPDATE memory_methods SET normal = $4, body = $5 {}", of_new("memory_methods"));
            (sql, params![method.id.get(), normal(&method.class, &method.body), &method.body])
        }
        Rest::Practised(Kept::Case(case)) => {
            let sql = format!("UPDATE memory_cases SET content = $4, outcome = $5 {of_row}");
            (sql, params![case.id.get(), &case.content, case.outcome.clone()])
        }
        Rest::Practised(Kept::Note(note)) => {
            let sql = format!("UPDATE memory_roles SET content = $4 {of_row}");
            (sql, params![note.id.get(), &note.content])
        }
        Rest::Practised(_) => return Ok(()),
    };
    driver.run(&sql, values)?;
    if let Rest::Practised(Kept::Note(note)) = rest { driver.changes_note(note) } else { Ok(()) }
}
