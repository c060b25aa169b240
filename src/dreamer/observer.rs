//! The observer of a dreamer: it hears how each pass ended.

use std::fmt::Debug;

use super::outcome::Outcome;
use crate::format::DreamId;

/// Hears how each pass ended, for the host's log.
///
/// ```
/// use noctuary::dream::{DreamEvent, Level, Observer};
///
/// #[derive(Debug)]
/// struct ToStderr;
///
/// impl Observer for ToStderr {
///     fn event(&self, event: &DreamEvent<'_>) {
///         if event.level != Level::Info {
///             eprintln!("{}: {} {:?}", event.module, event.outcome, event.files);
///         }
///     }
/// }
/// ```
pub trait Observer: Debug + Send + Sync {
    /// Receives one event for each pass that ended, and for each run that ended without one.
    fn event(&self, event: &DreamEvent<'_>);
}

/// One line for a structured log. It names files and classes and holds no text out of them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DreamEvent<'a> {
    /// `workspace/dreaming-task`, the seed's module name.
    pub module: &'static str,
    /// The level of the event.
    pub level: Level,
    /// The end of the pass.
    pub outcome: Outcome,
    /// Where: the workspace's location.
    pub workspace: &'a str,
    /// The dream, if one was selected.
    pub dream_id: Option<&'a DreamId>,
    /// Classes of secrets that were found in the reply.
    pub patterns: Vec<&'a str>,
    /// The journals that were quarantined, else those that were read.
    pub files: Vec<&'a str>,
}

/// The level of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// As expected.
    Info,
    /// Worth a look: it will be tried again.
    Warn,
    /// Somebody has to look at it.
    Error,
}
