//! The contract of what mirrors trades.

use std::fmt::Debug;

use chrono::{DateTime, Utc};

use super::fill::Fill;
use super::spot::SpotActivity;
use super::sync::{MirrorSource, SyncState};
use crate::base::access::Access;
use crate::base::error::Result;

/// A mirror of trades that happened elsewhere. (seed 003, mirror tables)
///
/// Every verb is for main sessions of the scope that owns the file: the seed's tables know no other. Any other session is
/// [`Error::Denied`](crate::Error::Denied), and so is an agent that writes: the host reports what it read.
///
/// # Example: fills, and the same again
///
/// ```
/// # #[cfg(feature = "sqlite")] {
/// use chrono::Utc;
/// use noctuary::finance::{Fill, MirrorSource, MirrorStore};
/// use noctuary::{Access, Actor, Scope, SessionKind, SqliteMemoryStore};
///
/// let store = SqliteMemoryStore::open_in_memory(Scope::user("marta"))?;
/// let host = Access::new(SessionKind::Main, Actor::Library, Scope::user("marta"));
/// let raw = r#"{"tid": 77, "coin": "BTC", "px": "64000", "sz": "0.5"}"#;
/// let fill = Fill::new("sub-1", "order-9", 1_795_230_000_000, "BTC", "buy").at(0.5, 64_000.0).raw(raw);
///
/// assert_eq!(store.bulk_insert_perps_fills(&host, &[fill.clone()], Utc::now())?.inserted, 1);
/// assert_eq!(store.bulk_insert_perps_fills(&host, &[fill], Utc::now())?.inserted, 0); // known by its tid
/// let source = MirrorSource::PerpsFills("sub-1".to_owned());
/// store.record_sync(&host, &source, Ok(1_795_230_000_000), Utc::now())?;
/// assert_eq!(store.perps_fills(&host, Some("BTC"), 10)?.len(), 1);
/// # }
/// # Ok::<(), noctuary::Error>(())
/// ```
pub trait MirrorStore: Debug + Send + Sync {
    /// Adds fills that are not known yet, by sub-wallet and [`Fill::fill_uid`]. A trade with a forgotten statement,
    /// or with a secret where none belongs, is left out. In a record a secret is masked.
    ///
    /// When it returns, all of them are durable; if it fails, none is.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied); [`Error::TooLarge`](crate::Error::TooLarge) for a fill above the row cap;
    /// [`Error::Config`](crate::Error::Config) for a number that is none.
    fn bulk_insert_perps_fills(
        &self,
        access: &Access,
        fills: &[Fill],
        now: DateTime<Utc>,
    ) -> Result<Mirrored>;

    /// Adds spot activity that is not known yet, by the hash of its transaction. As
    /// [`bulk_insert_perps_fills`](Self::bulk_insert_perps_fills).
    ///
    /// # Errors
    ///
    /// As there.
    fn bulk_insert_external_spot(
        &self,
        access: &Access,
        activities: &[SpotActivity],
        now: DateTime<Utc>,
    ) -> Result<Mirrored>;

    /// Records a try to read a source. It has the time of its latest trade in milliseconds since the epoch, or why it
    /// failed. A failure keeps how far it was; that never goes back.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied).
    fn record_sync(
        &self,
        access: &Access,
        source: &MirrorSource,
        ended: std::result::Result<i64, &str>,
        now: DateTime<Utc>,
    ) -> Result<SyncState>;

    /// Returns how far a source was read; the default where it never was.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied).
    fn sync_state(&self, access: &Access, source: &MirrorSource) -> Result<SyncState>;

    /// Returns the latest fills, of one symbol or of all, the latest first.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied).
    fn perps_fills(&self, access: &Access, symbol: Option<&str>, limit: usize) -> Result<Vec<Fill>>;

    /// Returns the latest spot activity, of one token or of all, the latest first.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied).
    fn external_spot(&self, access: &Access, token: Option<&str>, limit: usize) -> Result<Vec<SpotActivity>>;

    /// Returns a number that is another one after any change.
    ///
    /// # Errors
    ///
    /// [`Error::Database`](crate::Error::Database).
    fn mirror_edition(&self) -> Result<u64>;
}

/// The result of adding trades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Mirrored {
    /// How many are new.
    pub inserted: u64,
    /// How many were left out because of their words.
    pub refused: u64,
}

impl Mirrored {
    /// Makes the result that a store returns.
    #[must_use]
    pub fn new(inserted: u64, refused: u64) -> Self {
        Self { inserted, refused }
    }
}
