//! A disk in memory that knows what was made durable, and shows what a power loss may leave.

mod disk;
mod drive;
mod fate;
mod loss;
mod volume;

pub use disk::MemoryDisk;
pub use fate::{Fate, Lie};
pub use loss::PowerLoss;
