//! A picked line as a bullet, and the heading that it goes under.

use super::lexicon::Cue;
use super::line::{Line, Role};
use crate::base::name::DocName;
use crate::format::documents::journal::JournalName;
use crate::format::replies::fences;

/// The heading that a line goes under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Fact,
    Preference,
    Decision,
}

impl Kind {
    /// Returns a decision by its words, from any speaker. Else returns a preference by its words, unless the
    /// agent is speaking, and else a fact.
    pub(super) fn of(line: &Line<'_>) -> Self {
        if line.wording.has(Cue::Decision) {
            Self::Decision
        } else if line.role() != Some(Role::Agent) && line.wording.has(Cue::Preference) {
            Self::Preference
        } else {
            Self::Fact
        }
    }
}

/// Prints a line as a bullet: its day, who says it where that matters, its words, and its place.
pub(super) fn bullet(line: &Line<'_>, journal: &DocName) -> String {
    let day = JournalName::parse(journal).map(|journal| format!("{}: ", journal.date())).unwrap_or_default();
    let (name, first) = match shown_speaker(line) {
        // The line that names the speaker is evidence too.
        Some((name, named_at)) => (format!("{name}: "), named_at.min(line.number)),
        None => (String::new(), line.number),
    };
    let said = fences::one_line(line.said);
    let last = if first < line.number { format!("-L{}", line.number) } else { String::new() };
    format!("- {day}{name}{said} ({}#L{first}{last})\n", fences::reference(journal))
}

/// Returns the name to put in front of a line, and the number of the line that has it. A person's name is always put
/// there. The user's and the agent's are put there if the line speaks of `I` or `we`. The agent's is also put there if
/// the line would read as the user's decision.
fn shown_speaker<'l>(line: &'l Line<'_>) -> Option<(&'l str, u64)> {
    let speaker = line.speaker.as_ref()?;
    let name = match speaker.role {
        Role::Person => speaker.name.as_str(),
        Role::User => "User",
        Role::Agent => "Agent",
        Role::Tool => return None,
    };
    let needed = speaker.role == Role::Person
        || line.wording.has(Cue::Speaker)
        || (speaker.role == Role::Agent && Kind::of(line) == Kind::Decision);
    needed.then_some((name, speaker.named_at))
}
