//! A life and its stores as the version before the modules were rebuilt wrote them: they open, dream, undo and answer the
//! same, and thirty scripted nights leave the same bytes.
//!
//! is meant, `NOCTUARY_BEFORE=write` prints them anew, and the commit says why.

#![allow(clippy::unwrap_used, reason = "a test panics with what does not hold")]

#[path = "before/kit.rs"]
mod kit;
#[path = "before/nights.rs"]
mod nights;
#[path = "before/rows.rs"]
mod rows;
