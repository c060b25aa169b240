//! Words that all rooms use: names, access, documents, days, errors.

pub(crate) mod access;
pub(crate) mod day;
pub(crate) mod debug;
pub(crate) mod digest;
pub(crate) mod document;
pub(crate) mod env;
pub(crate) mod error;
pub(crate) mod finding;
pub(crate) mod gather;
pub(crate) mod group;
pub(crate) mod list;
pub(crate) mod name;
pub(crate) mod name_rules;
pub(crate) mod order;
pub(crate) mod pattern;
pub(crate) mod preset;
pub(crate) mod receipt;
pub(crate) mod relative;
pub(crate) mod row_id;
pub(crate) mod sorted;
pub(crate) mod spread;
pub(crate) mod text;
pub(crate) mod usage;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) mod uuid;
pub(crate) mod word;
