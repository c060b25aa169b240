//! The statements of memory stores.

mod audit;
mod driver;
mod edges;
mod fact;
mod practice;
mod row;
mod rows;
mod saying;
mod search;

pub(crate) use audit::audit;
pub(crate) use driver::{MemoryDriver, Series};
pub(crate) use edges::{extract_next, put_edges, put_edges_anew};
#[cfg(all(feature = "doctor", feature = "postgres"))]
pub(crate) use edges::{extracted_after, of_rows as edges_of_rows};
pub(crate) use fact::{apply, cardinality_word, key_column, suspect};
pub(crate) use row::{role_word, with_card};
pub(crate) use rows::{PINNED_BY_THE_HUMAN, read_tombstones};
#[cfg(feature = "postgres")]
pub(crate) use search::filtered;
pub(crate) use search::{holding, listed, rows_of, trusted};
#[cfg(feature = "sqlite")]
pub(crate) use {
    edges::put_edges_of,
    fact::{FACT, read as read_fact},
    practice::notes,
    row::{COLUMNS, NOTES, memory},
    search::BY_TIME,
};
