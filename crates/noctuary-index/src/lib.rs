#![doc = include_str!("../README.md")]

pub mod postings;
pub mod rank;
pub mod vectors;
