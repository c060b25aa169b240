//! Methods, cases and outcomes, in tables of their own.

mod changes;
mod rows;
pub(in crate::sqlite) mod tables;
