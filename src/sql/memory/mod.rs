//! The statements of memory stores.

mod audit;
mod change;
mod driver;
mod echo;
mod edges;
mod fact;
mod practice;
mod row;
mod rows;
mod saying;
mod search;

pub(crate) use audit::audit;
pub(crate) use driver::{MemoryDriver, Series};
pub(crate) use edges::put_edges_anew;
#[cfg(all(feature = "doctor", feature = "postgres"))]
pub(crate) use edges::{extracted_after, of_rows as edges_of_rows};
pub(crate) use row::with_card;
pub(crate) use rows::read_tombstones;
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
