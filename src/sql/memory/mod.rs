//! The statements of memory stores.

mod audit;
mod change;
mod driver;
mod echo;
mod edges;
mod fact;
mod forget;
mod practice;
mod row;
mod rows;
mod saying;
mod search;
mod vectors;

#[cfg(all(feature = "sqlite", feature = "finance"))]
pub(crate) use audit::audit;
pub(crate) use driver::{MemoryDriver, Series};
#[cfg(all(feature = "doctor", feature = "postgres"))]
pub(crate) use edges::{extracted_after, of_rows as edges_of_rows};
#[cfg(feature = "artifacts")]
pub(crate) use forget::{add_tombstone, lift};
pub(crate) use row::{card, with_card};
pub(crate) use rows::read_tombstones;
#[cfg(feature = "postgres")]
pub(crate) use search::filtered;
pub(crate) use search::{holding, listed, rows_of, trusted};
pub(crate) use vectors::{texts, texts_by_ids};
#[cfg(feature = "sqlite")]
pub(crate) use {
    edges::{put_edges_anew, put_edges_of},
    fact::{FACT, read as read_fact},
    forget::{rows_holding, worded},
    practice::notes,
    row::{COLUMNS, NOTES, memory},
    search::BY_TIME,
};
