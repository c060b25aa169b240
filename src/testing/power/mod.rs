//! A disk in memory that knows what was made durable, and shows what a power loss may leave.

mod disk;
mod drive;
mod loss;
mod outcome;
mod volume;

pub use disk::MemoryDisk;
pub use loss::PowerLoss;
pub use outcome::{CrashOutcome, Lie};
