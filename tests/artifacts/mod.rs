//! Artifacts on every home: the suite of the contract, limits, faults, and the files of a turn's end.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod homes;
mod pages;
