//! The markdown that people write and read: journals, curated memory, profiles, memos, observations.

pub(crate) mod briefing;
pub(crate) mod checks;
pub(crate) mod cited;
pub(crate) mod copies;
pub(crate) mod curated;
pub(crate) mod day_log;
pub(crate) mod fields;
pub(crate) mod heartbeat;
pub(crate) mod identity;
pub(crate) mod ignored;
pub(crate) mod journal;
pub(crate) mod known;
pub(crate) mod labels;
pub(crate) mod negations;
pub(crate) mod note;
#[cfg(any(feature = "doctor", feature = "exchange", feature = "sleep"))]
pub(crate) mod observations;
pub(crate) mod origin;
pub(crate) mod origins;
pub(crate) mod profile;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) mod properties;
pub(crate) mod records;
mod roles;
pub(crate) mod sections;
pub(crate) mod speakers;
pub(crate) mod statements;
pub(crate) mod templates;
pub(crate) mod unmerged;
