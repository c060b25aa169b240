//! Notes of a session: their words pass the door of journals, and its rights decide which journal they reach.

use chrono::{DateTime, Utc};

use super::{Guarded, Journal};
use crate::base::error::Result;
use crate::base::name::{DocName, Name, StateName};
use crate::format::{JournalName, Note, Origin};
use crate::gate::{Door, DoorWarning};
use crate::workspace::Workspace;

impl<W: Workspace> Guarded<W> {
    /// Checks a text, such as a `note`, at the door of journals, and returns it as it may be written.
    pub(crate) fn admit(&self, what: &str, text: &str, warnings: &mut Vec<DoorWarning>) -> Result<String> {
        let policy = self.doors().policy_of(Door::JournalAppend, &DocName::JOURNALS);
        // The line of a finding is one of the text: the journal has others.
        let name: Name = StateName::new_row(what).into();
        let passed = self.judge(self.doors(), Door::JournalAppend, policy, &name, text)?;
        warnings.extend(passed.warnings);
        Ok(passed.text.into_owned())
    }

    /// Leaves out the name of a tool or a participant that the door would change: the rest of it is no name.
    pub(crate) fn admit_origin(&self, origin: &mut Origin, warnings: &mut Vec<DoorWarning>) -> Result<()> {
        if let Origin::Tool(name) | Origin::Participant(name) = origin {
            let passed = self.admit("note", name, warnings)?;
            if passed != *name {
                name.clear();
            }
        }
        Ok(())
    }

    /// Appends a note whose words were [admitted](Self::admit) to the journal of its day.
    pub(crate) fn note(&self, journal: &mut Journal, note: &Note, at: DateTime<Utc>) -> Result<JournalName> {
        self.check_append(journal.on(at).name())?;
        journal.append(self.workspace(), note, at)
    }
}
