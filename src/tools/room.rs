//! Tools of a room that a build may leave out.

use std::fmt;

use super::tool::Tool;
use crate::gate::Doors;

/// Tools of a room of their own.
pub(super) trait Room: fmt::Debug + Send + Sync {
    /// Returns the tools, whose answers pass these doors.
    fn tools(&self, doors: &Doors) -> Vec<Tool>;
}
