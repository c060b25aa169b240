//! For agents of traders: tickers in texts, a mirror of trades, and pages on assets. (feature `finance`)
//!
//! ```
//! # #[cfg(feature = "sqlite")] {
//! use std::sync::Arc;
//! use chrono::Utc;
//! use noctuary::finance::{FinanceEdges, FinanceEntities, Fill, MirrorStore, TradeHistory};
//! use noctuary::pages::Pages;
//! use noctuary::store::StoreConfig;
//! use noctuary::{Access, Actor, Scope, SessionKind, SqliteMemoryStore};
//!
//! let mut config = StoreConfig::default();
//! config.edges = Some(Arc::new(FinanceEdges::default().tickers(["AAPL"])));
//! config.entities = Arc::new(FinanceEntities);
//! let store = Arc::new(SqliteMemoryStore::open_in_memory_with(Scope::user("marta"), config)?);
//!
//! let host = Access::new(SessionKind::Main, Actor::Library, Scope::user("marta"));
//! let fill = Fill::new("sub-1", "order-9", 1_795_230_000_000, "BTC", "buy").at(0.5, 64_000.0);
//! store.bulk_insert_perps_fills(&host, &[fill], Utc::now())?;
//!
//! let pages = Pages::new(store.clone()).source(Arc::new(TradeHistory::new(store)));
//! let page = pages.page(&Access::agent(Scope::user("marta")), "btc", true, Utc::now())?;
//! assert!(page.to_markdown().contains("buy 0.5 BTC at 64000"));
//! # }
//! # Ok::<(), noctuary::Error>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`FinanceEdges`] | edges to tickers, chains and addresses, with verbs in English and Chinese |
//! | [`FinanceEntities`] | coins under all their names, for the ranking of a search |
//! | [`asset`] | the one spelling of an asset: `EUR/USD` is `EURUSD`, `btc-usdt` is `BTC` |
//! | [`MirrorStore`], [`Fill`], [`SpotActivity`], [`Mirrored`] | trades that happened elsewhere, each kept once |
//! | [`MirrorSource`], [`SyncState`], [`SyncDue`], [`SyncConfig`] | how far a source was read, and when it is asked again |
//! | [`TradeHistory`] | trades on the pages of assets |
//! | [`outcome_of_pnl`] | the outcome of a trade, for the methods that were used |
//! | [`fills_as_history`], [`spot_as_history`] | trades as evidence of the profile |
//!
//! `SqliteMemoryStore` keeps the mirror, in the third seed's tables. A file of that seed's own program is taken over, where the
//! columns of its tables fit. Forgetting reaches the mirror, its raw records included.
//!
//! # Limits
//!
//! - The library reads no exchange: the host does, and reports.
//! - If one file has several scopes, only the owner has a mirror, since the seed's tables name no scope.
//! - A backup copies the mirror, and `copy_into` does not: it is read from the exchange again.
//! - A word is a ticker behind a `$`, in a pair, in the table of common coins, or in the host's list. Other words
//!   in capitals are names.

mod asset;
mod edges;
mod entities;
mod history;
mod outcome;
mod page;

pub use crate::trade::{
    Fill, MirrorSource, MirrorStore, Mirrored, SpotActivity, SyncConfig, SyncDue, SyncState,
};
pub use asset::asset;
pub use edges::FinanceEdges;
pub use entities::FinanceEntities;
pub use history::{fills_as_history, spot_as_history};
pub use outcome::outcome_of_pnl;
pub use page::TradeHistory;
