//! Words, queries, an index and the ranking over it. No backend, no files.
//!
//! `fuse` scores rows, by the measures of `bm25`; `fresh` then puts newer rows before the older ones that they update.
//! `meaning` puts what vectors find beside it. `ranking` has only the weights that a host sets.

mod asked;
mod bm25;
mod card;
mod clause;
mod entity;
mod frequencies;
mod fresh;
mod fuse;
mod language;
mod meaning;
mod order;
mod pool;
mod query;
mod ranking;
mod sentence;
mod signal;
mod statement;
mod stem;
mod stemmer;
mod term;
mod terms;
mod visibility;
mod weigh;
mod word;

pub use bm25::{gain, norm, rarity};
pub use card::{Card, date, is_name};
pub use clause::{Clause, Spelled};
pub use entity::{Entities, GenericEntities};
pub use frequencies::Frequencies;
pub use fresh::newest_first;
pub use fuse::{Ranked, Search, Weighed};
pub use meaning::{GIVING_NEAR, Near, Shares, Strength, fuse_lists};
pub use order::Order;
pub use pool::{Counted, Pool};
pub use query::{MOST_TERMS, Plan, one_line};
pub use ranking::{Fusion, Ranking};
pub use sentence::sentences;
pub use signal::Signal;
pub use stem::{may_begin, stem};
pub use stemmer::{Stemmer, WORDS_VERSION, stems};
pub use term::Term;
pub use terms::{Beside, beside_words, is_stop_word};
pub use visibility::{REACH, Visibility};
pub use word::same_word;
