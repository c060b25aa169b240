//! Words, queries, an index and the ranking over it. No backend, no files.
//!
//! `fuse` scores rows, by the measures of `bm25`; `fresh` then puts older rows behind the newer ones that update them.
//! `meaning` puts what vectors find beside it. `ranking` has only the weights that a host sets.

mod asked;
mod bm25;
mod card;
mod clause;
mod entity;
mod frequencies;
mod fresh;
mod fuse;
mod meaning;
mod pool;
mod query;
mod ranking;
mod statement;
mod stem;
mod term;
mod terms;
mod visibility;
mod weigh;

pub(crate) use bm25::{gain, norm, rarity};
pub(crate) use card::{Card, date, is_name};
pub(crate) use clause::Clause;
pub use entity::{Entities, GenericEntities};
pub(crate) use frequencies::Frequencies;
pub(crate) use fuse::Search;
pub(crate) use meaning::{GIVING_NEAR, NEAR, Near, fuse_lists};
pub(crate) use pool::{Counted, Pool};
pub(crate) use query::{MOST_TERMS, Plan, one_line};
pub use ranking::{Fusion, Ranking};
pub(crate) use stem::{may_begin, stem};
pub(crate) use term::Term;
pub(crate) use terms::{Beside, Stemmer, beside_words, is_stop_word};
pub(crate) use visibility::{REACH, Visibility};
