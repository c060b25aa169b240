//! Erasing one life of a database: all that it has there, and nothing of the others.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use super::home::Home;
use super::lease::guard_name;
use super::memory::mirror::tables as mirror;
use super::workspace::SqliteWorkspace;
use crate::base::access::{Access, Scope};
use crate::base::error::{At, Error, Result};
use crate::base::name::{DocName, StateName};
use crate::base::receipt::EraseReceipt;
use crate::sqlite::columns::ReadAll;
use crate::workspace::{ClaimTerms, check_scope, claim_now};

/// The table of leases, which goes last: the erasing itself holds one.
const LEASES: &str = "workspace_leases";

impl SqliteWorkspace {
    /// Says what [`erase`](Self::erase) would remove. Writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human of this scope, and the errors of reading.
    pub fn would_erase(&self, access: &Access) -> Result<EraseReceipt> {
        self.may_erase(access)?;
        let rows = self.scoped().read("look at", DocName::MEMORY, count)?;
        Ok(EraseReceipt { rows, erased: false, left: None })
    }

    /// Removes the life of this scope from the file, whole. It removes documents with their versions, states, rows with
    /// all that belongs to them, indexes, the audit and the tombstones. No row of another scope is touched, and no page
    /// of the file keeps its words. When it returns, that survives a power loss.
    ///
    /// Open stores and workspaces of the scope must be dropped first: one that writes afterwards begins the life anew.
    ///
    /// ```
    /// use noctuary::{Access, DocName, Scope, SqliteWorkspace, Workspace, WriteMode};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let open = |user| SqliteWorkspace::open(folder.path().join("lives.db"), Scope::user(user));
    /// for user in ["marta", "ilya"] {
    ///     open(user)?.write(&DocName::MEMORY, b"- tea\n", WriteMode::Create)?;
    /// }
    /// let receipt = open("marta")?.erase(&Access::human(Scope::user("marta")))?;
    /// assert_eq!(receipt.rows["memory_documents"], 1);
    /// assert!(open("marta")?.read(&DocName::MEMORY)?.is_none());
    /// assert!(open("ilya")?.read(&DocName::MEMORY)?.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human of this scope. [`Error::Busy`] while a dream of it runs. Also those
    /// of writing; after them, all or nothing was removed.
    pub fn erase(&self, access: &Access) -> Result<EraseReceipt> {
        const LOG: &str = "the log of the file: erase it again when whoever reads it now is done";
        const DAMAGE: &str = "copies of words in pages that are not in use: the file is damaged, so it was not written anew; \
            copy the lives of others out of it, and delete it";
        self.may_erase(access)?;
        let lease = claim_now(self, &ClaimTerms::default())?;
        let scoped = self.scoped();
        let scope = &scoped.scope;
        let rows = scoped.database.change("erase", |connection| {
            let rows = count(connection, scope)?;
            remove(connection, scope)?;
            Ok(rows)
        })?;
        scoped.database.has_forgotten();
        lease.release()?;
        scoped.database.change("erase", |connection| {
            let sql = format!("DELETE FROM {LEASES} WHERE user_id = ?1 AND agent_id = ?2");
            connection.execute(&sql, params![scope.user, scope.agent]).map(drop)
        })?;
        if let Home::File { disk, .. } = &scoped.home {
            let guard = guard_name(scoped);
            match disk.unlink(&guard) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                unlinked => unlinked.at("remove", &guard)?,
            }
        }
        // Copies of what SQLite moved between pages, and the parts of the text indexes.
        let compacted = scoped.database.read("erase", |connection| {
            connection.execute_batch(
                "INSERT INTO memories_fts (memories_fts) VALUES ('optimize');
                 INSERT INTO memory_chunks_fts (memory_chunks_fts) VALUES ('optimize');
                 VACUUM",
            )
        });
        let is_empty = scoped.database.empty_log("erase")?;
        let left = match compacted {
            Ok(()) => (!is_empty).then_some(LOG),
            // The rows are gone, and what is damaged is of another life.
            Err(Error::Corrupt { .. }) => Some(DAMAGE),
            Err(error) => return Err(error),
        };
        Ok(EraseReceipt { rows, erased: true, left })
    }

    fn may_erase(&self, access: &Access) -> Result<()> {
        check_scope(self, access, StateName::whole_life())?;
        if *access == Access::human(access.scope.clone()) {
            return Ok(());
        }
        Err(Error::Denied { name: StateName::whole_life().into(), kind: access.kind })
    }
}

/// The rows of a scope. The owner of the file, the first scope that opened it, has no name in its rows.
const OWN: &str = "(user_id = ?1 AND agent_id = ?2) OR (user_id = '' AND agent_id = ''
    AND EXISTS (SELECT 1 FROM memory_owner o WHERE o.user_id = ?1 AND o.agent_id = ?2))";

/// Returns the tables whose rows say whose they are. The owner of the file has a name of its own there.
fn owned(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    const SQL: &str = "
        SELECT s.name FROM sqlite_schema s WHERE s.type = 'table' AND s.name NOT IN (?1, 'memory_owner')
            AND (SELECT count(*) FROM pragma_table_info(s.name) WHERE name IN ('user_id', 'agent_id')) = 2
        ORDER BY s.name";
    connection.prepare(SQL)?.query([LEASES])?.all(|row| row.get(0))
}

/// Returns all places of a scope in the file, each a table and a condition. A place that depends on another comes
/// before it.
fn places(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let within = |table: &str, column: &str, of: &str| {
        (table.to_owned(), format!("{column} IN (SELECT id FROM {of} WHERE {OWN})"))
    };
    let mut places = vec![
        within("memory_terms_pages", "terms_id", "memory_terms_state"),
        within("memory_vectors", "generation", "memory_generations"),
        within("chunk_vectors", "generation", "chunk_generations"),
        within("memory_echoes", "id", "memories"),
    ];
    // Tables of the seed name no scope: they are the owner's.
    let of_owner = "EXISTS (SELECT 1 FROM memory_owner o WHERE o.user_id = ?1 AND o.agent_id = ?2)";
    places.push(("user_profile".to_owned(), of_owner.to_owned()));
    for table in mirror::standing(connection)? {
        places.push((table.to_owned(), of_owner.to_owned()));
    }
    // A trigger on a vector that goes tells of it, as long as its generation is there.
    let (generations, others): (Vec<_>, Vec<_>) =
        owned(connection)?.into_iter().partition(|table| table.ends_with("_generations"));
    places.extend(others.into_iter().map(|table| (table, OWN.to_owned())));
    places.push(within("memory_vectors_gone", "generation", "memory_generations"));
    places.push(within("chunk_vectors_gone", "generation", "chunk_generations"));
    places.extend(generations.into_iter().map(|table| (table, OWN.to_owned())));
    Ok(places)
}

fn count(connection: &Connection, scope: &Scope) -> rusqlite::Result<BTreeMap<String, u64>> {
    let mut rows = BTreeMap::new();
    for (table, condition) in places(connection)? {
        let sql = format!("SELECT count(*) FROM {table} WHERE {condition}");
        let count: i64 = connection.query_row(&sql, params![scope.user, scope.agent], |row| row.get(0))?;
        if count > 0 {
            rows.insert(table, count.cast_unsigned());
        }
    }
    Ok(rows)
}

fn remove(connection: &Connection, scope: &Scope) -> rusqlite::Result<()> {
    for (table, condition) in places(connection)? {
        let sql = format!("DELETE FROM {table} WHERE {condition}");
        connection.execute(&sql, params![scope.user, scope.agent])?;
    }
    // Nobody owns the file from now on: the next one who opens it would not find their rows as its owner.
    let sql = "UPDATE memory_owner SET user_id = '', agent_id = '' WHERE user_id = ?1 AND agent_id = ?2";
    connection.execute(sql, params![scope.user, scope.agent]).map(drop)
}
