//! The evidence for a rebuild of personalization: a host's records of earlier sessions.

use std::fmt;

use chrono::{DateTime, Utc};

use crate::base::debug::debug_as;
use crate::base::error::Result;
use crate::format::Origin;

/// A source of evidence about the human: sessions of a host, or records of its domain (fills of an exchange, spot
/// activity). The host implements it over its own tables.
///
/// # Example: the last sessions of a chat
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::dream::{HistoryItem, HistorySource, history_fn};
///
/// let sessions = history_fn("chat", |limit| {
///     let at = Utc.with_ymd_and_hms(2026, 11, 20, 9, 0, 0).unwrap();
///     let all = vec![HistoryItem::new("session-41", at, "[user] I am vegetarian.\n[agent] Noted.")];
///     Ok(all.into_iter().take(limit).collect())
/// });
/// assert_eq!(sessions.latest(20)?.len(), 1);
/// # Ok::<(), noctuary::Error>(())
/// ```
pub trait HistorySource: fmt::Debug + Send + Sync {
    /// Returns a word for it, which no other source has: `chat`, `perps_fills`, `spot`.
    fn name(&self) -> &str;

    /// Returns the latest items, at most `limit`, in any order.
    ///
    /// # Errors
    ///
    /// An error of the host's reading; the run ends with it, and nobody was called.
    fn latest(&self, limit: usize) -> Result<Vec<HistoryItem>>;
}

/// One piece of evidence: a session, a fill.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryItem {
    /// The host's id for it.
    pub id: String,
    /// When it was.
    pub at: DateTime<Utc>,
    /// The words or actions, in lines. A speaker in front of a line (`[user]`, `[agent]`, `[tool:psql]`, `[web]`)
    /// counts as in a journal. Items of a tool, page or import keep their origin.
    pub text: String,
    /// The speaker of lines without a tag; `None` for the human and the agent. An item of a tool, a page or an
    /// import keeps that origin in every line, whatever tags it has.
    pub origin: Option<Origin>,
}

impl HistoryItem {
    /// Makes a piece of evidence.
    pub fn new(id: impl Into<String>, at: DateTime<Utc>, text: impl Into<String>) -> Self {
        Self { id: id.into(), at, text: text.into(), origin: None }
    }

    /// Sets whose words they are.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }
}

debug_as!(HistoryItem, |it| "HistoryItem {{ at: {}, {} bytes }}", it.at, it.text.len());

/// Makes a source of a closure, which is given how many items are wanted.
///
/// ```
/// use noctuary::dream::{HistorySource, history_fn};
///
/// let fills = history_fn("perps_fills", |_most| Ok(Vec::new()));
/// assert_eq!(fills.name(), "perps_fills");
/// ```
pub fn history_fn<F>(name: impl Into<String>, latest: F) -> HistoryFn<F>
where
    F: Fn(usize) -> Result<Vec<HistoryItem>> + Send + Sync,
{
    HistoryFn { name: name.into(), latest }
}

/// A closure as a source; made by [`history_fn`].
pub struct HistoryFn<F> {
    name: String,
    latest: F,
}

impl<F> fmt::Debug for HistoryFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HistoryFn({})", self.name)
    }
}

impl<F> HistorySource for HistoryFn<F>
where
    F: Fn(usize) -> Result<Vec<HistoryItem>> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn latest(&self, limit: usize) -> Result<Vec<HistoryItem>> {
        (self.latest)(limit)
    }
}
