//! The mirror as a store keeps it.

use crate::sql::memory::{MemoryDriver, audit};
use crate::sqlite::error::carried;
use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row, params};

use super::super::row::{self, stamp};
use super::super::store::SqliteMemoryStore;
use super::super::table::Table;
use super::tables::{self, FILLS, SPOT, SYNC};
use crate::base::access::{Access, Actor};
use crate::base::error::{Error, Result};
use crate::base::name::{Name, StateName};
use crate::edges::EdgeStore;
use crate::gate::Tombstones;
use crate::memory::{AuditOutcome, EventName};
use crate::sqlite::removals;
use crate::store::{Operation, TradeEntry, main_only};
use crate::trade::{Fill, MirrorSource, MirrorStore, Mirrored, SpotActivity, SyncState};

impl MirrorStore for SqliteMemoryStore {
    fn bulk_insert_perps_fills(
        &self,
        access: &Access,
        fills: &[Fill],
        now: DateTime<Utc>,
    ) -> Result<Mirrored> {
        let mut words = Vec::with_capacity(fills.len());
        for fill in fills {
            let numbers = [fill.size, fill.price, fill.fee, fill.closed_pnl];
            let dir = fill.dir.as_deref().unwrap_or_default();
            let wallet = fill.wallet_address.as_deref().unwrap_or_default();
            words.push(Words {
                ids: vec![&fill.sub_account_id, &fill.oid, wallet, fill.uid.as_deref().unwrap_or_default()],
                texts: vec![&fill.symbol, &fill.side, dir],
                raw: fill.raw_json.as_deref(),
                is_sound: numbers.iter().all(|number| number.is_finite()),
            });
        }
        self.mirror(access, "perps_fills_record", EventName::FillsRecorded, &words, now, |table, at, raw| {
            table.add_fill(&fills[at], raw, now)
        })
    }

    fn bulk_insert_external_spot(
        &self,
        access: &Access,
        activities: &[SpotActivity],
        now: DateTime<Utc>,
    ) -> Result<Mirrored> {
        let mut words = Vec::with_capacity(activities.len());
        for one in activities {
            let parts = [&one.from_token, &one.to_token, &one.amount];
            let mut texts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
            texts.extend([one.kind.as_str(), one.status.as_str()]);
            words.push(Words {
                ids: vec![&one.tx_hash],
                texts,
                raw: one.raw_json.as_deref(),
                is_sound: one.value_usd.is_none_or(f64::is_finite),
            });
        }
        self.mirror(access, "external_spot_record", EventName::SpotRecorded, &words, now, |table, at, raw| {
            table.add_spot(&activities[at], raw, now)
        })
    }

    fn record_sync(
        &self,
        access: &Access,
        source: &MirrorSource,
        ended: std::result::Result<i64, &str>,
        now: DateTime<Utc>,
    ) -> Result<SyncState> {
        self.may_mirror(access)?;
        let config = self.config();
        self.backend().alter("write to", |table| {
            let forgotten = table.forgotten()?;
            let error = ended.err().map(|error| config.reason(Some(error)).unwrap_or_default());
            let error = error.map(|error| match &forgotten {
                Some(forgotten) if forgotten.holds(&error) => "[FORGOTTEN]".to_owned(),
                _ => error,
            });
            table.folded(|| {
                table.make_mirror()?;
                table.put_sync(source, ended.ok(), error.as_deref(), now)?;
                table.sync_state(source)
            })
        })
    }

    fn sync_state(&self, access: &Access, source: &MirrorSource) -> Result<SyncState> {
        self.may_see_mirror(access)?;
        self.backend().look("read", |table| table.folded(|| table.sync_state(source)))
    }

    fn perps_fills(&self, access: &Access, symbol: Option<&str>, limit: usize) -> Result<Vec<Fill>> {
        self.may_see_mirror(access)?;
        self.backend().look("list", |table| table.folded(|| table.fills(symbol, limit)))
    }

    fn external_spot(&self, access: &Access, token: Option<&str>, limit: usize) -> Result<Vec<SpotActivity>> {
        self.may_see_mirror(access)?;
        self.backend().look("list", |table| table.folded(|| table.spot(token, limit)))
    }

    fn mirror_edition(&self) -> Result<u64> {
        self.edition()
    }
}

/// The words of a trade.
struct Words<'w> {
    /// Ids of other programs, which look like keys.
    ids: Vec<&'w str>,
    texts: Vec<&'w str>,
    raw: Option<&'w str>,
    is_sound: bool,
}

impl SqliteMemoryStore {
    fn may_see_mirror(&self, access: &Access) -> Result<()> {
        let name = mirror_name();
        main_only(self.scope(), access, &name)?;
        if self.backend().user.is_empty() {
            return Ok(());
        }
        Err(Error::Denied { name, kind: access.kind })
    }

    fn may_mirror(&self, access: &Access) -> Result<()> {
        self.may_see_mirror(access)?;
        if access.actor == Actor::Agent {
            return Err(Error::Denied { name: mirror_name(), kind: access.kind });
        }
        Ok(())
    }

    fn mirror(
        &self,
        access: &Access,
        action: &'static str,
        event: EventName,
        words: &[Words<'_>],
        now: DateTime<Utc>,
        add: impl Fn(&Table<'_>, usize, Option<&str>) -> rusqlite::Result<bool>,
    ) -> Result<Mirrored> {
        self.may_mirror(access)?;
        let config = self.config();
        let mut admitted = Vec::with_capacity(words.len());
        for one in words {
            admitted.push(config.admit_trade(
                access,
                &mirror_name(),
                (&one.ids, &one.texts),
                one.raw,
                one.is_sound,
            )?);
        }
        let refused = admitted.iter().filter(|entry| matches!(entry, TradeEntry::Refused)).count() as u64;
        let mirrored = self.backend().alter("write to", |table| {
            let forgotten = table.forgotten()?;
            let is_forgotten = |one: &Words<'_>| {
                let texts = || one.ids.iter().chain(&one.texts).chain(&one.raw);
                forgotten.as_deref().is_some_and(|stones: &Tombstones| texts().any(|text| stones.holds(text)))
            };
            table.folded(|| {
                let mut mirrored = Mirrored::new(0, refused);
                table.make_mirror()?;
                for (at, one) in words.iter().enumerate() {
                    let TradeEntry::Kept(raw) = &admitted[at] else { continue };
                    if is_forgotten(one) {
                        mirrored.refused += 1;
                    } else if add(table, at, raw.as_deref())? {
                        mirrored.inserted += 1;
                    }
                }
                let operation = Operation::new(access, action, now);
                if mirrored.inserted > 0 {
                    audit(table, &config.entry(&operation, AuditOutcome::Done)).map_err(carried)?;
                }
                if mirrored.refused > 0 {
                    let why = AuditOutcome::Refused("secret or forgotten".to_owned());
                    audit(table, &config.entry(&operation, why)).map_err(carried)?;
                }
                Ok(mirrored)
            })
        })?;
        if mirrored.inserted > 0 {
            config.tell(event, None);
        }
        Ok(mirrored)
    }
}

impl Table<'_> {
    /// Makes the tables that do not exist, and the triggers that count removals from them.
    fn make_mirror(&self) -> rusqlite::Result<()> {
        if tables::make(self.connection)? { removals::put_triggers(self.connection) } else { Ok(()) }
    }

    fn add_fill(&self, fill: &Fill, raw: Option<&str>, now: DateTime<Utc>) -> rusqlite::Result<bool> {
        let table = FILLS.table(self.connection)?;
        if let Some(uid) = fill.uid_of_the_seed() {
            let sql = format!("SELECT 1 FROM {table} WHERE sub_account_id = ?1 AND fill_uid = ?2");
            if self.connection.prepare_cached(&sql)?.exists(params![fill.sub_account_id, uid])? {
                return Ok(false);
            }
        }
        let sql = format!(
            "INSERT OR IGNORE INTO {table} (sub_account_id, wallet_address, oid, ts_ms, symbol, side, dir, size, price,
               fee, closed_pnl, raw_json, fill_uid, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
        );
        let bound = params![
            fill.sub_account_id,
            fill.wallet_address,
            fill.oid,
            fill.ts_ms,
            fill.symbol,
            fill.side,
            fill.dir,
            fill.size,
            fill.price,
            fill.fee,
            fill.closed_pnl,
            raw,
            fill.fill_uid(),
            stamp(now)
        ];
        Ok(self.connection.prepare_cached(&sql)?.execute(bound)? > 0)
    }

    fn add_spot(&self, one: &SpotActivity, raw: Option<&str>, now: DateTime<Utc>) -> rusqlite::Result<bool> {
        let table = SPOT.table(self.connection)?;
        let sql = format!(
            "INSERT OR IGNORE INTO {table} (tx_hash, ts_ms, type, from_token, to_token, amount, value_usd, status,
               raw_json, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        );
        let bound = params![
            one.tx_hash,
            one.ts_ms,
            one.kind,
            one.from_token,
            one.to_token,
            one.amount,
            one.value_usd,
            one.status,
            raw,
            stamp(now)
        ];
        Ok(self.connection.prepare_cached(&sql)?.execute(bound)? > 0)
    }

    fn put_sync(
        &self,
        source: &MirrorSource,
        reached: Option<i64>,
        error: Option<&str>,
        now: DateTime<Utc>,
    ) -> rusqlite::Result<()> {
        let table = SYNC.table(self.connection)?;
        let (name, sub) = source.key();
        let sql = match reached {
            Some(_) => format!(
                "INSERT INTO {table} (source, sub_account_id, last_synced_ts_ms, last_synced_at, last_error,
                   consecutive_failures) VALUES (?1, ?2, ?3, ?4, ?5, 0)
                 ON CONFLICT (source, sub_account_id) DO UPDATE SET last_error = NULL, consecutive_failures = 0,
                   last_synced_ts_ms = max(coalesce(last_synced_ts_ms, excluded.last_synced_ts_ms),
                       excluded.last_synced_ts_ms), last_synced_at = excluded.last_synced_at"
            ),
            None => format!(
                "INSERT INTO {table} (source, sub_account_id, last_synced_ts_ms, last_synced_at, last_error,
                   consecutive_failures) VALUES (?1, ?2, ?3, ?4, ?5, 1)
                 ON CONFLICT (source, sub_account_id) DO UPDATE SET last_error = excluded.last_error,
                   consecutive_failures = consecutive_failures + 1"
            ),
        };
        self.connection.prepare_cached(&sql)?.execute(params![name, sub, reached, stamp(now), error])?;
        let sql = "INSERT INTO memory_history_tries (source, sub_account_id, tried_at) VALUES (?1, ?2, ?3)
                   ON CONFLICT (source, sub_account_id) DO UPDATE SET tried_at = excluded.tried_at";
        self.connection.prepare_cached(sql)?.execute(params![name, sub, stamp(now)]).map(drop)
    }

    fn sync_state(&self, source: &MirrorSource) -> rusqlite::Result<SyncState> {
        let Some(table) = SYNC.standing(self.connection)? else { return Ok(SyncState::default()) };
        let (name, sub) = source.key();
        let sql = format!(
            "SELECT last_synced_ts_ms, last_synced_at, last_error, consecutive_failures FROM {table}
             WHERE source = ?1 AND sub_account_id = ?2"
        );
        let state = self.connection.prepare_cached(&sql)?.query_row(params![name, sub], |found| {
            let last_synced_ts_ms: Option<i64> = found.get(0)?;
            // The seed's column is never empty: a source that only ever failed was not read.
            Ok(SyncState {
                last_synced_ts_ms,
                last_synced_at: last_synced_ts_ms.and(row::time(found, 1)?),
                last_tried_at: None,
                last_error: found.get(2)?,
                consecutive_failures: found.get(3)?,
            })
        });
        let mut state = state.optional()?.unwrap_or_default();
        // The seed's own program keeps no time of a try; then it is the time of the last reading.
        state.last_tried_at = state.last_synced_at;
        let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'memory_history_tries'";
        if self.connection.prepare_cached(sql)?.exists([])? {
            let sql = "SELECT tried_at FROM memory_history_tries WHERE source = ?1 AND sub_account_id = ?2";
            let mut statement = self.connection.prepare_cached(sql)?;
            let tried = statement.query_row(params![name, sub], |found| row::time(found, 0)).optional()?;
            state.last_tried_at = tried.flatten().max(state.last_tried_at);
        }
        Ok(state)
    }

    fn fills(&self, symbol: Option<&str>, limit: usize) -> rusqlite::Result<Vec<Fill>> {
        let Some(table) = FILLS.standing(self.connection)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT sub_account_id, wallet_address, oid, ts_ms, symbol, side, dir, size, price, fee, closed_pnl, raw_json,
               fill_uid FROM {table}
             WHERE ?1 IS NULL OR {} ORDER BY ts_ms DESC, id DESC LIMIT ?2",
            of_asset("symbol")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let fills =
            statement.query_map(params![symbol.map(str::to_uppercase), most(limit)], |found: &Row<'_>| {
                let mut fill = Fill::new(
                    row::text(found, 0)?,
                    row::text(found, 2)?,
                    found.get(3)?,
                    row::text(found, 4)?,
                    row::text(found, 5)?,
                );
                fill.wallet_address = found.get(1)?;
                fill.dir = found.get(6)?;
                (fill.size, fill.price) = (found.get(7)?, found.get(8)?);
                (fill.fee, fill.closed_pnl) = (found.get(9)?, found.get(10)?);
                fill.raw_json = found.get(11)?;
                fill.uid = found.get(12)?;
                Ok(fill)
            })?;
        fills.collect()
    }

    fn spot(&self, token: Option<&str>, limit: usize) -> rusqlite::Result<Vec<SpotActivity>> {
        let Some(table) = SPOT.standing(self.connection)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT tx_hash, ts_ms, type, from_token, to_token, amount, value_usd, status, raw_json FROM {table}
             WHERE ?1 IS NULL OR {} OR {} ORDER BY ts_ms DESC, id DESC LIMIT ?2",
            of_asset("from_token"),
            of_asset("to_token")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let spot =
            statement.query_map(params![token.map(str::to_uppercase), most(limit)], |found: &Row<'_>| {
                let mut one = SpotActivity::new(
                    row::text(found, 0)?,
                    found.get(1)?,
                    row::text(found, 2)?,
                    row::text(found, 7)?,
                );
                (one.from_token, one.to_token, one.amount) = (found.get(3)?, found.get(4)?, found.get(5)?);
                (one.value_usd, one.raw_json) = (found.get(6)?, found.get(8)?);
                Ok(one)
            })?;
        spot.collect()
    }
}

/// Returns the condition that a column names the asset ?1: alone, as a pair without its sign, or first in a pair.
fn of_asset(column: &str) -> String {
    format!(
        "replace(replace(upper({column}), '/', ''), '-', '') = ?1
         OR upper({column}) LIKE ?1 || '/%' OR upper({column}) LIKE ?1 || '-%'"
    )
}

fn most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn mirror_name() -> Name {
    StateName::new_row("trade").into()
}
