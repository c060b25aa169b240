//! `SOUL.md` is read once a session, and a change since the last one is made known, once.

use chrono::{DateTime, Utc};

use super::rewrite::rewrite;
use crate::base::access::SessionKind;
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name, StateName};
use crate::format::state::soul::SoulState;
use crate::workspace::Workspace;

/// `SOUL.md` as a session read it at its start.
#[derive(Debug)]
#[non_exhaustive]
pub struct Soul {
    /// The document, frozen for the session; `None` where there is none.
    pub document: Option<Document>,
    /// The notice for the agent, if there is one.
    pub notice: Option<SoulNotice>,
}

/// A change of `SOUL.md` that the agent has not acknowledged. Its [`TEXT`](Self::TEXT) goes into the prompt, and
/// [`confirm`](Self::confirm) follows after the reply. A notice that is dropped before that comes again.
#[derive(Debug)]
#[must_use = "a notice that is not confirmed comes again"]
pub struct SoulNotice {
    revision: Revision,
}

/// Reads `SOUL.md` for a session; see [`Life::read_soul`](crate::Life::read_soul).
pub(super) fn read_soul(workspace: &dyn Workspace, kind: SessionKind, now: DateTime<Utc>) -> Result<Soul> {
    let document = workspace.read(&DocName::SOUL)?;
    let Some(revision) = document.as_ref().map(Document::revision) else {
        return Ok(Soul { document, notice: None });
    };
    let mut changed = false;
    change(workspace, |known| {
        changed = kind == SessionKind::Main && known.hash.is_some_and(|hash| hash != revision);
        if known.hash.is_none() {
            (known.hash, known.seen_at) = (Some(revision), Some(now));
        }
        if kind == SessionKind::Main {
            known.pending = changed.then_some(revision);
        }
    })?;
    Ok(Soul { document, notice: changed.then_some(SoulNotice { revision }) })
}

impl SoulNotice {
    /// The text of the notice.
    pub const TEXT: &'static str = "SOUL.md has changed since your last session. Tell your human so in your next \
        reply, in a sentence, and go on by what it says now.";

    /// Notes that the agent was told and has replied: the document as it was read is known from now on. A change
    /// that came after that read gives a notice of its own.
    ///
    /// When it returns, this survives a power loss; before, the notice comes again.
    ///
    /// # Errors
    ///
    /// The errors of [`Life::read_soul`](crate::Life::read_soul).
    pub fn confirm(self, workspace: &dyn Workspace, now: DateTime<Utc>) -> Result<()> {
        change(workspace, |known| {
            if known.hash != Some(self.revision) {
                (known.hash, known.seen_at) = (Some(self.revision), Some(now));
            }
            known.pending = known.pending.filter(|pending| *pending != self.revision);
        })
    }
}

/// Returns the place of the state: beside a file that another program has in the seed's place, and that stays.
fn place(workspace: &dyn Workspace) -> Result<Name> {
    let is_foreign = match workspace.read(&StateName::SOUL) {
        Ok(standing) => SoulState::parse(standing.as_ref().map(Document::bytes)).is_err(),
        Err(Error::Refused { .. } | Error::TooLarge { .. }) => true,
        Err(error) => return Err(error),
    };
    Ok(if is_foreign { StateName::SOUL_BESIDE } else { StateName::SOUL }.into())
}

fn change(workspace: &dyn Workspace, mut change: impl FnMut(&mut SoulState)) -> Result<()> {
    rewrite(workspace, &place(workspace)?, |bytes| {
        // Nothing hangs on it but a notice, which damage may not keep a session waiting for.
        let before = SoulState::parse(bytes).unwrap_or_default();
        let mut after = before.clone();
        change(&mut after);
        Ok((after != before).then(|| after.print()))
    })
    .map(drop)
}
