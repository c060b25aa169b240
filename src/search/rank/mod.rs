//! What is found, and in which order: words, queries, an index and the ranking over it. No backend, no files.

mod card;
mod entity;
mod fresh;
mod fuse;
mod index;
mod query;
mod stem;
mod terms;

pub(crate) use card::{Card, date, is_name};
pub use entity::{Entities, FinanceEntities, GenericEntities};
pub use fuse::{Fusion, Ranking};
pub(crate) use fuse::{Search, WEAK};
pub(crate) use index::{Frequencies, Index, REACH, Row, Sight};
pub(crate) use query::{Clause, MOST_TERMS, Plan, Term};
pub(crate) use stem::stem;
pub(crate) use terms::{Beside, beside_words};
