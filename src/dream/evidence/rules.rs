//! The rules that a judge of evidence goes by.

/// The rule for checking the citations of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// Cited lines are checked, and get the date of a relative day, as in "Dentist tomorrow (2026-03-04).". Lines without
    /// a citation are promoted unchecked, under the model's heading. They are reported as
    /// [`LineOutcome::Promoted`](crate::dream::LineOutcome::Promoted) with `cited: false`. The seed wants it so.
    #[default]
    Checked,
    /// The same; lines without a citation are held back.
    Required,
    /// Nothing is checked, and no date is added to "tomorrow".
    Off,
}

/// The speakers whose words may become memory by themselves, by the [`Origin`](crate::format::Origin) in front of them in a
/// journal. It holds whatever [`Evidence`] says.
///
/// A line that rests on the words of others is held with [`HoldReason::Origin`](crate::dream::HoldReason::Origin). It
/// cites only them, or takes words from them that no other cited line has. A line whose words are mostly in a line of
/// theirs, and less in anybody else's, is held too. A line that cites nothing and resembles none of them cannot be
/// recognised, and is kept. A line without a speaker goes on with the entry above it. Where a journal names nobody, as
/// those of the seed, its lines are the user's. Where it names anybody, a line without a name is the agent's.
///
/// A line from a [participant](crate::format::Origin::Participant) is kept if it names them, and is never the user's. A
/// line under `Preferences` or `Decisions` that rests on no word of the user is put under `Facts`. One of the agent's
/// that reads as the user's is told as `Agent: …`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trust {
    /// The user, the agent and the host; not tools, pages and imports.
    #[default]
    People,
    /// Tools too: for a host whose tools show it nothing that others wrote.
    Tools,
    /// Everybody's: origins are not looked at.
    All,
}

/// The rules of one judge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) evidence: Evidence,
    pub(crate) trust: Trust,
    /// Whether a line that is an order to its reader is held back.
    pub(crate) statements_only: bool,
    /// Names of the user.
    pub(crate) user_names: &'a [String],
}
