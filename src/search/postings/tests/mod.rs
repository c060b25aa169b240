//! The index against a model that scores every row.

mod bounds;
mod condense;
mod crash;
mod damage;
mod history;
mod model;
