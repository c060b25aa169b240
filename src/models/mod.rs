//! Clients that ship with the crate.

pub(crate) mod extractive;

pub use extractive::Extractive;
