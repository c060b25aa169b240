//! The rows of a store that each kind of session sees.

use crate::base::access::{Access, SessionKind};

/// The keys of a profile that a session with others present may see. (seed 001, 3.2)
pub(crate) const SHARED_KEYS: [&str; 3] = ["name", "timezone", "language"];

/// Returns whether a session sees the rows of its human, or those alone that are shared. (seed 001, 4.1)
///
/// A store of a group's scope holds nothing else than the group's rows.
pub(crate) fn sees_all(access: &Access) -> bool {
    match access.kind {
        SessionKind::Main => true,
        _ if access.is_of_group() => true,
        SessionKind::Shared | SessionKind::Subagent | SessionKind::Scheduled => false,
    }
}
