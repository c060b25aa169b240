//! Reflecting on notes of roles: first classes, then lessons, then methods.

mod answer;
mod ask;
mod config;
mod dreamer;
mod run;

pub use config::RoleConfig;
pub use dreamer::{RoleDreamer, RoleDreamerBuilder};
