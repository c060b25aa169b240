//! The tables of the learning loop.

pub(in crate::sqlite) mod tables;
