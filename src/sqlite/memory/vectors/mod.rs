//! Vectors of rows, in tables beside them.
//!
//! A row that waits has nothing here. One that is changed, deleted, retired or removed loses its vectors by triggers in plain
//! SQL, whoever changes it.

mod rows;
mod tables;
#[cfg(test)]
mod tests;

pub(super) use tables::{TRIGGER_NAMES, TRIGGERS, distrust, make};
