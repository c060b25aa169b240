//! The mirror of trades that happened elsewhere, in the third seed's tables.

#[cfg(feature = "finance")]
mod store;
pub(in crate::sqlite) mod tables;
