//! Erasing one life of a database: all that it has there, and nothing of the others.

use std::collections::BTreeMap;

use super::link::Param;
use super::within::Within;
use super::workspace::PostgresWorkspace;
use crate::base::access::Access;
use crate::base::error::{Error, Result};
use crate::base::name::StateName;
use crate::base::receipt::EraseReceipt;
use crate::workspace::{ClaimTerms, check_scope, claim_now};

const LEFT: &str = "pages of the database until its next VACUUM, its write-ahead log, and standbys";

impl PostgresWorkspace {
    /// Says what [`erase`](Self::erase) would remove. Writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human of this scope, and the errors of reading.
    pub fn would_erase(&self, access: &Access) -> Result<EraseReceipt> {
        self.may_erase(access)?;
        let rows = self.scoped().look_within("look at", |within| {
            let tables = tables(within)?;
            tables.iter().map(|table| Ok((table.clone(), count(within, table)?))).collect::<Result<_>>()
        })?;
        Ok(EraseReceipt { rows: held(rows), ..EraseReceipt::default() })
    }

    /// Removes the life of this scope from the server, whole, in one transaction. It removes documents with their
    /// versions, states, rows of stores, indexes and artifacts. No row of another scope is touched. When it returns,
    /// that survives a power loss. The receipt names the places of the server that keep deleted bytes for a while.
    ///
    /// Open stores and workspaces of the scope must be dropped first: one that writes afterwards begins the life anew.
    ///
    /// ```no_run
    /// use noctuary::postgres::Postgres;
    /// use noctuary::{Access, Scope};
    ///
    /// let server = Postgres::connect("host=/run/postgresql user=noctuary dbname=lives")?;
    /// let marta = server.workspace(Scope::user("marta"))?;
    /// println!("{}", marta.erase(&Access::human(Scope::user("marta")))?);
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human of this scope. [`Error::Busy`] while a dream of it runs. Also those
    /// of writing; after them, all or nothing was removed.
    pub fn erase(&self, access: &Access) -> Result<EraseReceipt> {
        self.may_erase(access)?;
        let before: BTreeMap<String, i64> = self.scoped().look_within("look at", |within| {
            OURS.iter().map(|table| Ok(((*table).to_owned(), count(within, table)?))).collect::<Result<_>>()
        })?;
        let lease = claim_now(self, &ClaimTerms::default())?;
        let rows = self.scoped().change_within("erase", |within| {
            let mut rows = before;
            for table in tables(within)? {
                // This very erasing, until the end.
                if OURS.contains(&&*table) {
                    continue;
                }
                let found = count(within, &table)?;
                remove(within, &table)?;
                rows.insert(table, found);
            }
            Ok(rows)
        })?;
        self.scoped().shared.kept().forget(&self.scoped().scope);
        lease.release()?;
        self.scoped().change_within("erase", |within| {
            for table in OURS {
                remove(within, table)?;
            }
            Ok(())
        })?;
        Ok(EraseReceipt { rows: held(rows), erased: true, left: Some(LEFT) })
    }

    fn may_erase(&self, access: &Access) -> Result<()> {
        check_scope(self, access, StateName::whole_life())?;
        if *access == Access::human(access.scope.clone()) {
            return Ok(());
        }
        Err(Error::Denied { name: StateName::whole_life().into(), kind: access.kind })
    }
}

/// The tables that the erasing itself writes.
const OURS: [&str; 2] = ["leases", "lives"];

/// Returns the tables whose rows say whose they are.
fn tables(within: &Within<'_>) -> Result<Vec<String>> {
    // The scope is bound as in each statement, and names nothing here.
    let sql = "SELECT c.relname::text FROM pg_catalog.pg_class c
        WHERE $1::text IS NOT NULL AND $2::text IS NOT NULL
          AND c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
          AND (SELECT count(*) FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND NOT a.attisdropped
               AND a.attname IN ('user_id', 'agent_id')) = 2
        ORDER BY 1";
    within.run(sql, [])?.iter().map(|row| within.column(row, 0)).collect()
}

fn count(within: &Within<'_>, table: &str) -> Result<i64> {
    let sql = format!("SELECT count(*) FROM {} WHERE user_id = $1 AND agent_id = $2", quoted(table));
    Ok(within.one(sql, std::iter::empty::<Param>())?.unwrap_or(0))
}

fn remove(within: &Within<'_>, table: &str) -> Result<()> {
    let sql = format!("DELETE FROM {} WHERE user_id = $1 AND agent_id = $2", quoted(table));
    within.run(sql, []).map(drop)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Keeps the tables that held something.
fn held(rows: BTreeMap<String, i64>) -> BTreeMap<String, u64> {
    rows.into_iter().filter(|(_, rows)| *rows > 0).map(|(table, rows)| (table, rows.unsigned_abs())).collect()
}
