//! The tables of the mirror. They are made by the first trade that is kept, and those of the seed's own program are taken over.
//!
//! Where another program has a table of that name with other columns, it stays as it is, and ours is beside it.
//! Forgetting looks through them in every build.

use rusqlite::Connection;

/// A table of the mirror: the seed's name, ours where the seed's is taken, and its columns.
pub(in crate::sqlite) struct Mirror {
    seeds: &'static str,
    ours: &'static str,
    #[cfg_attr(not(feature = "finance"), expect(dead_code, reason = "nothing makes it"))]
    columns: &'static str,
    names: &'static str,
    /// The columns that hold words.
    pub(in crate::sqlite) words: &'static str,
    /// The columns by which a row is known.
    unique: &'static str,
}

/// The three tables. (seed 003, mirror tables)
pub(in crate::sqlite) const FILLS: Mirror = Mirror {
    seeds: "perps_fills",
    ours: "memory_perps_fills",
    columns: "
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        sub_account_id TEXT NOT NULL,
        wallet_address TEXT,
        oid TEXT NOT NULL,
        ts_ms INTEGER NOT NULL,
        symbol TEXT NOT NULL,
        side TEXT NOT NULL,
        dir TEXT,
        size REAL NOT NULL,
        price REAL NOT NULL,
        fee REAL NOT NULL DEFAULT 0,
        closed_pnl REAL NOT NULL DEFAULT 0,
        raw_json TEXT,
        fill_uid TEXT NOT NULL,
        created_at TEXT NOT NULL DEFAULT (datetime('now'))",
    names: "'id', 'sub_account_id', 'wallet_address', 'oid', 'ts_ms', 'symbol', 'side', 'dir', 'size', 'price', 'fee',
        'closed_pnl', 'raw_json', 'fill_uid', 'created_at'",
    words: "sub_account_id, wallet_address, oid, symbol, side, dir, raw_json, fill_uid",
    unique: "'sub_account_id', 'fill_uid'",
};

pub(in crate::sqlite) const SPOT: Mirror = Mirror {
    seeds: "external_spot_activities",
    ours: "memory_external_spot",
    columns: "
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        tx_hash TEXT NOT NULL UNIQUE,
        ts_ms INTEGER NOT NULL,
        type TEXT NOT NULL,
        from_token TEXT,
        to_token TEXT,
        amount TEXT,
        value_usd REAL,
        status TEXT NOT NULL,
        raw_json TEXT,
        created_at TEXT NOT NULL DEFAULT (datetime('now'))",
    names: "'id', 'tx_hash', 'ts_ms', 'type', 'from_token', 'to_token', 'amount', 'value_usd', 'status', 'raw_json',
        'created_at'",
    words: "tx_hash, type, from_token, to_token, amount, status, raw_json",
    unique: "'tx_hash'",
};

pub(in crate::sqlite) const SYNC: Mirror = Mirror {
    seeds: "minara_history_sync_state",
    ours: "memory_history_sync",
    columns: "
        source TEXT NOT NULL,
        sub_account_id TEXT NOT NULL DEFAULT '',
        last_synced_ts_ms INTEGER,
        last_synced_at TEXT NOT NULL DEFAULT (datetime('now')),
        last_error TEXT,
        consecutive_failures INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (source, sub_account_id)",
    names: "'source', 'sub_account_id', 'last_synced_ts_ms', 'last_synced_at', 'last_error', 'consecutive_failures'",
    words: "sub_account_id, last_error",
    unique: "'source', 'sub_account_id'",
};

/// When a source was tried last: the seed has no column for it.
const TRIES: &str = "memory_history_tries";

impl Mirror {
    /// Returns the name of the table, whether it exists or not.
    pub(super) fn table(&self, connection: &Connection) -> rusqlite::Result<&'static str> {
        let is_taken = has_table(connection, self.seeds)? && !self.fits(connection)?;
        Ok(if is_taken { self.ours } else { self.seeds })
    }

    /// Returns the name of the table if it exists.
    pub(in crate::sqlite) fn standing(
        &self,
        connection: &Connection,
    ) -> rusqlite::Result<Option<&'static str>> {
        let table = self.table(connection)?;
        Ok(has_table(connection, table)?.then_some(table))
    }

    /// Returns whether the seed's table can be filled, and keeps each row once.
    fn fits(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let Self { seeds, names, unique, .. } = self;
        let (columns, keys) = (names.split(',').count(), unique.split(',').count());
        let sql = format!(
            "SELECT (SELECT count(*) FROM pragma_table_info('{seeds}') WHERE name IN ({names})) = {columns}
              AND NOT EXISTS (SELECT 1 FROM pragma_table_info('{seeds}')
                  WHERE name NOT IN ({names}) AND \"notnull\" AND dflt_value IS NULL)
              AND EXISTS (SELECT 1 FROM pragma_index_list('{seeds}') i WHERE i.\"unique\"
                  AND (SELECT count(*) FROM pragma_index_info(i.name)) = {keys}
                  AND (SELECT count(*) FROM pragma_index_info(i.name) c WHERE c.name IN ({unique})) = {keys})"
        );
        connection.query_row(&sql, [], |row| row.get(0))
    }

    /// Makes the table where it does not exist; returns whether it is new.
    #[cfg(feature = "finance")]
    fn make(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let table = self.table(connection)?;
        if has_table(connection, table)? {
            return Ok(false);
        }
        connection.execute_batch(&format!("CREATE TABLE {table} ({});", self.columns))?;
        if self.seeds == FILLS.seeds {
            connection.execute_batch(&format!(
                "CREATE UNIQUE INDEX IF NOT EXISTS uniq_{table}_dedup ON {table} (sub_account_id, fill_uid);
                 CREATE INDEX IF NOT EXISTS idx_{table}_time ON {table} (ts_ms);"
            ))?;
        }
        Ok(true)
    }
}

/// Makes the tables that do not exist; returns whether any is new.
#[cfg(feature = "finance")]
pub(super) fn make(connection: &Connection) -> rusqlite::Result<bool> {
    connection.execute_batch(&format!(
        "CREATE TABLE IF NOT EXISTS {TRIES} (
             source TEXT NOT NULL,
             sub_account_id TEXT NOT NULL,
             tried_at TEXT NOT NULL,
             PRIMARY KEY (source, sub_account_id)
         );"
    ))?;
    let mut is_new = false;
    for mirror in [FILLS, SPOT, SYNC] {
        is_new |= mirror.make(connection)?;
    }
    Ok(is_new)
}

/// Returns the names of all tables of the mirror that exist.
pub(in crate::sqlite) fn standing(connection: &Connection) -> rusqlite::Result<Vec<&'static str>> {
    let mut standing = Vec::new();
    for mirror in [FILLS, SPOT, SYNC] {
        standing.extend(mirror.standing(connection)?);
    }
    if has_table(connection, TRIES)? {
        standing.push(TRIES);
    }
    Ok(standing)
}

fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1")?
        .exists([name])
}
