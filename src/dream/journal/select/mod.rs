//! The selection of the next material for the model: the seed's selection, over a ledger that forgets nothing.
//!
//! A run's first pass takes the newest contiguous suffix that fits, as the seed does. The rest stays
//! pending, and later passes take it oldest first. Names and dates decide; times of change only save looking
//! into journals that did not change.

mod bytes;
mod candidate;
mod choose;
mod folders;
mod look;
mod slice;
mod survey;

pub(crate) use bytes::hash_range;
pub(crate) use candidate::Order;
pub(crate) use look::{Look, Waiting, find, is_waiting, nanoseconds};
pub(crate) use slice::{Selection, Slice};
pub(crate) use survey::{Situation, Survey, survey};
