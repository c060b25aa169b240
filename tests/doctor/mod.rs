//! The doctor: every planted fault is found by its name, a sound life has none, and a look writes nothing.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod faults;
mod groups;
mod kit;
mod looks;
mod practice;
mod states;
