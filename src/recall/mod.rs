//! What is found, and in which order: words, queries, an index and the ranking over it. No backend, no files.

mod entity;
mod fuse;
mod index;
mod query;
mod stem;
mod terms;

pub use entity::{Entities, FinanceEntities, GenericEntities};
pub use fuse::Ranking;
pub(crate) use fuse::{Search, WEAK};
pub(crate) use index::{Card, Index, Row, Sight};
pub(crate) use query::Plan;
