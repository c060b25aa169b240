//! The index against a model that scores every row.

mod answers;
mod bounds;
mod condense;
mod crash;
mod damage;
mod history;
mod lines;
mod model;
