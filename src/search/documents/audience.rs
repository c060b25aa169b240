//! The kinds of session that may read a document.

use crate::base::access::SessionKind;

/// The kinds of session that may read a document.
///
/// ```
/// use noctuary::search::Audience;
/// use noctuary::SessionKind;
///
/// let private = Audience::of(|kind| kind == SessionKind::Main);
/// assert!(private.includes(SessionKind::Main) && !private.includes(SessionKind::Shared));
/// assert_eq!(Audience::from_bits(private.bits()), private);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audience(u8);

impl Audience {
    const KINDS: [SessionKind; 4] =
        [SessionKind::Main, SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled];

    /// Returns the kinds for which `reads` holds.
    #[must_use]
    pub fn of(reads: impl Fn(SessionKind) -> bool) -> Self {
        let kinds = Self::KINDS.into_iter().filter(|kind| reads(*kind));
        Self(kinds.fold(0, |bits, kind| bits | Self::bit(kind)))
    }

    /// Returns whether sessions of this kind may read it.
    #[must_use]
    pub fn includes(self, kind: SessionKind) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    /// Returns the bit of one kind: 1 main, 2 shared, 4 subagent, 8 scheduled.
    #[must_use]
    pub fn bit(kind: SessionKind) -> u8 {
        match kind {
            SessionKind::Main => 1,
            SessionKind::Shared => 2,
            SessionKind::Subagent => 4,
            SessionKind::Scheduled => 8,
        }
    }

    /// Returns all bits, for what is stored.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Returns the inverse of [`bits`](Self::bits).
    #[must_use]
    pub fn from_bits(bits: u8) -> Self {
        Self(bits & 15)
    }
}
