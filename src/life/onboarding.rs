//! The end of the onboarding: the token, what becomes of `BOOTSTRAP.md`, and that it is remembered.

use chrono::{DateTime, NaiveTime, Utc};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use super::config::{BootstrapEnd, LifeConfig};
use super::state;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, StateName};
use crate::base::order;
use crate::base::text;
use crate::format::documents::day_log;
use crate::format::state::life::Onboarded;
use crate::format::{JournalName, OnboardingEnd};
use crate::gate::Doors;
use crate::session::journal;
use crate::workspace::{Workspace, WriteMode};

const TOKEN: &str = "BOOTSTRAP_DONE";

/// Returns whether a reply gives the token that ends the onboarding: alone on a line, outside of code fences.
///
/// ```
/// use noctuary::life::is_bootstrap_done;
///
/// assert!(is_bootstrap_done("All written down.\n\nBOOTSTRAP_DONE\n"));
/// assert!(!is_bootstrap_done("I will end with BOOTSTRAP_DONE when I know your name."));
/// assert!(!is_bootstrap_done("```\nBOOTSTRAP_DONE\n```"));
/// ```
#[must_use]
pub fn is_bootstrap_done(reply: &str) -> bool {
    if !reply.contains(TOKEN) {
        return false;
    }
    let fences: Vec<_> = Parser::new(reply)
        .into_offset_iter()
        .filter(|(event, _)| matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_)))))
        .map(|(_, range)| range)
        .gather();
    text::line_ranges(reply).any(|line| {
        reply[line.clone()].trim() == TOKEN && !fences.iter().any(|fence| fence.contains(&line.start))
    })
}

impl LifeConfig {
    /// Returns whether and how the onboarding ends after a turn: `reply` is the agent's answer, `None` if the turn failed.
    ///
    /// After a failure it goes on, unless [`end_failed_bootstrap`](Self::end_failed_bootstrap) says otherwise, as
    /// RFC-0009 does.
    ///
    /// ```
    /// use noctuary::LifeConfig;
    /// use noctuary::format::OnboardingEnd;
    ///
    /// let config = LifeConfig::default();
    /// assert_eq!(config.onboarding_end(Some("Nice to meet you.\n\nBOOTSTRAP_DONE")), Some(OnboardingEnd::Done));
    /// assert_eq!(config.onboarding_end(None), None);
    /// ```
    #[must_use]
    pub fn onboarding_end(&self, reply: Option<&str>) -> Option<OnboardingEnd> {
        match reply {
            Some(reply) => is_bootstrap_done(reply).then_some(OnboardingEnd::Done),
            None => self.end_failed_bootstrap.then_some(OnboardingEnd::Failed),
        }
    }
}

/// The result of the onboarding.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completion {
    /// The fate of `BOOTSTRAP.md`.
    pub bootstrap: BootstrapOutcome,
    /// The journal that says so.
    pub journal: DocName,
    /// The documents that the onboarding should have left and did not: of `SOUL.md`, `USER.md` and `AGENTS.md`.
    pub missing: Vec<DocName>,
}

/// The fate of `BOOTSTRAP.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BootstrapOutcome {
    /// It was renamed.
    Archived(DocName),
    /// It was deleted for good, by the policy: earlier versions, the editor's history and the index too. A backup
    /// or a commit that was made before holds it still, and is the operator's to delete.
    Deleted,
    /// It was to be archived, holds a secret, and was deleted for good.
    DeletedForSecrets {
        /// The classes of secrets.
        classes: Vec<String>,
    },
    /// It was emptied.
    Cleared,
    /// It was gone already: the agent or a person took it away, or an interrupted end did.
    Gone,
}

/// The end of an onboarding: its workspace, policy and doors, and the session whose journal notes it.
pub(super) struct Ending<'a> {
    pub(super) workspace: &'a dyn Workspace,
    pub(super) config: &'a LifeConfig,
    pub(super) doors: &'a Doors,
    pub(super) session: Option<&'a str>,
}

impl Ending<'_> {
    /// Ends the onboarding; see [`Life::complete_onboarding`](crate::Life::complete_onboarding).
    pub(super) fn complete(&self, end: OnboardingEnd, now: DateTime<Utc>) -> Result<Completion> {
        let remains = |error| Error::BootstrapRemains { source: Box::new(error) };
        let playbook = self.workspace.read(&DocName::BOOTSTRAP).map_err(remains)?;
        let journal = |at| JournalName::new(self.config.day.date(at), self.session);
        // Time and journal of the first try are kept: a second one finds what the first one named after them.
        let begun = state::remember(self.workspace, |life| {
            life.bootstrap_seen |= playbook.is_some();
            if life.onboarding.as_ref().is_none_or(|known| known.finished && playbook.is_some()) {
                life.onboarding = Some(Onboarded::begun(end, now, journal(now).name().to_string()));
            }
        })
        .map(|life| life.onboarding.expect("it was just set"));
        let at = begun.as_ref().map_or(now, |begun| begun.at);
        let of_first = begun.as_ref().ok().and_then(|begun| DocName::parse(begun.journal.as_deref()?).ok());
        let journal = of_first.and_then(|name| JournalName::parse(&name)).unwrap_or_else(|| journal(at));

        // The playbook is taken away even if another step fails, and the other steps are done even if that
        // fails. (seed 001, 6.2)
        let taken =
            take_away(self.workspace, self.config.bootstrap_end, playbook, self.doors, at).map_err(remains);
        let noted = match &begun {
            Ok(begun) if begun.finished => Ok(()),
            Ok(begun) => note(self.workspace, &journal, self.config.day.time(at), begun.end),
            // Without the playbook nobody comes back for it.
            Err(_) => note(self.workspace, &journal, self.config.day.time(at), end),
        };
        let bootstrap = taken?;
        begun?;
        noted?;
        state::remember(self.workspace, |life| {
            if let Some(onboarding) = &mut life.onboarding {
                onboarding.finished = true;
            }
        })?;
        let mut missing = Vec::new();
        for name in [DocName::SOUL, DocName::USER, DocName::AGENTS] {
            if self.workspace.metadata(&name)?.is_none() {
                missing.push(name);
            }
        }
        Ok(Completion { bootstrap, journal: journal.name().clone(), missing })
    }
}

fn take_away(
    workspace: &dyn Workspace,
    policy: BootstrapEnd,
    playbook: Option<Document>,
    doors: &Doors,
    at: DateTime<Utc>,
) -> Result<BootstrapOutcome> {
    let Some(playbook) = playbook else {
        // A first try may have stopped between the playbook and what is kept of it.
        return delete_earlier(workspace).map(|()| BootstrapOutcome::Gone);
    };
    match policy {
        BootstrapEnd::Clear => {
            workspace.write(&DocName::BOOTSTRAP, b"", WriteMode::Replace)?;
            delete_earlier(workspace).map(|()| BootstrapOutcome::Cleared)
        }
        BootstrapEnd::Delete => {
            workspace.remove(&DocName::BOOTSTRAP)?;
            delete_earlier(workspace).map(|()| BootstrapOutcome::Deleted)
        }
        BootstrapEnd::Archive => {
            let found = doors.inspect(&DocName::BOOTSTRAP, &playbook.lossy());
            let mut classes: Vec<String> = found.into_iter().map(|finding| finding.class).gather();
            if classes.is_empty() {
                return archive(workspace, at).map(BootstrapOutcome::Archived);
            }
            order::sort(&mut classes);
            order::dedup(&mut classes);
            workspace.remove(&DocName::BOOTSTRAP)?;
            delete_earlier(workspace).map(|()| BootstrapOutcome::DeletedForSecrets { classes })
        }
    }
}

/// Deletes what is kept of the playbook as it was before: else it would be deleted in name alone. (seed 001, 2.6)
fn delete_earlier(workspace: &dyn Workspace) -> Result<()> {
    workspace.remove(&StateName::history(&DocName::BOOTSTRAP))?;
    workspace.drop_versions(&|path, _| path == DocName::BOOTSTRAP.as_str()).map(drop)
}

/// Renames the playbook after the time of its end, with a counter where that name is taken.
fn archive(workspace: &dyn Workspace, at: DateTime<Utc>) -> Result<DocName> {
    let stem = format!("{}.done.{}", DocName::BOOTSTRAP, at.format("%Y%m%dT%H%M%SZ"));
    let mut count = 1_u32;
    loop {
        let name = if count == 1 { stem.clone() } else { format!("{stem}-{count}") };
        let name = DocName::parse(name).expect("a time and a counter are plain");
        match workspace.rename(&DocName::BOOTSTRAP, &name) {
            Err(Error::Conflict { .. }) => count += 1,
            renamed => return renamed.map(|()| name),
        }
    }
}

/// Appends the entry to the journal, unless it stands there.
fn note(workspace: &dyn Workspace, journal: &JournalName, at: NaiveTime, end: OnboardingEnd) -> Result<()> {
    let said = match end {
        OnboardingEnd::Done => "Onboarding is complete.",
        OnboardingEnd::Failed => "Onboarding failed and was ended.",
    };
    let line = format!("- [{}] [system] {said}", at.format("%H:%M:%S"));
    let standing = match workspace.read(journal.name())? {
        Some(document) => document.into_bytes(),
        None => journal::begin(workspace, journal)?,
    };
    let text = String::from_utf8_lossy(&standing);
    if text.lines().any(|standing| standing == line) {
        return Ok(());
    }
    let is_begun = text == day_log::heading(journal.date()) || !(text.is_empty() || text.ends_with('\n'));
    let gap = if is_begun { "\n" } else { "" };
    workspace.append(journal.name(), format!("{gap}{line}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::life::Preset;

    // BS-05, C2.
    #[test]
    fn the_token_counts_alone_on_a_line_outside_of_fences() {
        for reply in [
            "BOOTSTRAP_DONE",
            "Written.\r\n\r\n  BOOTSTRAP_DONE \r\n",
            "```\ncode\n```\nBOOTSTRAP_DONE",
            "BOOTSTRAP_DONE\n\nTalk to you soon.",
            "- item\nBOOTSTRAP_DONE",
        ] {
            assert!(is_bootstrap_done(reply), "{reply:?}");
        }
        for reply in [
            "",
            "I say BOOTSTRAP_DONE later.",
            "`BOOTSTRAP_DONE`",
            "> BOOTSTRAP_DONE",
            "bootstrap_done",
            "BOOTSTRAP_DONE.",
            "BOOTSTRAP_DONE!",
            "\u{200b}BOOTSTRAP_DONE",
            "```\nBOOTSTRAP_DONE\n```",
            "~~~text\nBOOTSTRAP_DONE\n~~~\n",
            "- list\n  ```\n  BOOTSTRAP_DONE\n  ```",
            "```\nnever closed\nBOOTSTRAP_DONE",
        ] {
            assert!(!is_bootstrap_done(reply), "{reply:?}");
        }
    }

    // BS-10, C3.
    #[test]
    fn a_failed_turn_ends_the_onboarding_in_strict_alone() {
        for preset in [Preset::Default, Preset::OpenClaw, Preset::OpenSeed, Preset::IronClaw] {
            assert_eq!(LifeConfig::preset(preset).onboarding_end(None), None, "{preset:?}");
        }
        let strict = LifeConfig::preset(Preset::Rfc0009Strict);
        assert_eq!(strict.onboarding_end(None), Some(OnboardingEnd::Failed));
        assert_eq!(strict.onboarding_end(Some("What is your name?")), None);
        assert_eq!(strict.onboarding_end(Some("BOOTSTRAP_DONE")), Some(OnboardingEnd::Done));
    }
}
