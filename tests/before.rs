//! A life and its stores as the version before the modules were rebuilt wrote them: they open, dream, undo and answer the
//! same, and thirty scripted nights leave the same bytes.
//!
//! `tests/fixtures/before/` was written once, by `before/make.rs`, and is not to be written again: a test that fails here
//! tells of a change for those who have such files. The snapshots in `before/*.txt` are of the same version; where a change
//! is meant, `NOCTUARY_BEFORE=write` prints them anew, and the commit says why.
//!
//! With `feature = "sqlite"` all of it is done in databases too. No test depends on the day on which it runs.

#![allow(clippy::unwrap_used, reason = "a test panics with what does not hold")]

#[path = "before/found.rs"]
mod found;
#[path = "before/kit.rs"]
mod kit;
#[path = "before/make.rs"]
mod make;
#[path = "before/nights.rs"]
mod nights;
#[path = "before/rows.rs"]
mod rows;
