//! Tools for tests of your own, and the contracts that every backend keeps.
//!
//! - [`contract`]: suites that a backend runs, each panicking with what does not hold.
//! - [`Script`]: a model that answers from a list and remembers what it was asked.
//! - [`Faults`]: decides which operation fails; [`FaultyWorkspace`] and [`FaultyDisk`] ask it.
//! - [`secrets()`]: a made-up secret of every class of the gate.
//! - [`MemoryDisk`]: shows what a kill or a power loss may leave of a run, at each of its operations.

pub mod contract;
mod disk;
mod faults;
mod power;
mod script;
mod secrets;
mod workspace;

pub use crate::disk::{Disk, DiskFile, Entry, Kind, Open, Stat};
pub use disk::{FaultyDisk, folder};
pub use faults::{Fault, Faults};
pub use power::{Fate, Lie, MemoryDisk, PowerLoss};
pub use script::Script;
pub use secrets::secrets;
pub use workspace::FaultyWorkspace;

/// How many cases a property runs: a fiftieth, or all of them where `NOCTUARY_LONG_TESTS` is set.
#[must_use]
pub fn cases(long: u32) -> u32 {
    if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { long } else { (long / 50).max(32) }
}
