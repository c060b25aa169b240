//! The journals with bytes that no dream has read.

use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::base::sorted::SortedSet;
use crate::format::JournalName;
use crate::format::state::ledger::Ledger;
use crate::workspace::Workspace;

/// The journals with bytes that wait for a dream, by the ledger.
///
/// A journal that changed since it was looked at counts as waiting, and so does one that the ledger no longer
/// knows. For archiving or deleting journals.
///
/// ```
/// use noctuary::format::JournalName;
/// use noctuary::life::Undreamed;
/// use noctuary::{FileWorkspace, Workspace};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let journal = JournalName::new(chrono::NaiveDate::from_ymd_opt(2026, 11, 20).unwrap(), Some("repl"));
/// workspace.append(journal.name(), b"- [user] not dreamed yet\n")?;
/// assert!(Undreamed::among(&workspace, [&journal])?.contains(&journal));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Undreamed(SortedSet<DocName>);

impl Undreamed {
    /// Looks at these journals. Reads the ledger, and no journal.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) for a damaged ledger, and those of the workspace.
    pub fn among<'j>(
        workspace: &dyn Workspace,
        journals: impl IntoIterator<Item = &'j JournalName>,
    ) -> Result<Self> {
        let ledger = Ledger::parse(workspace.read(&StateName::LEDGER)?.as_ref().map(Document::bytes))?;
        let mut waiting = SortedSet::new();
        for journal in journals {
            let Some(metadata) = workspace.metadata(journal.name())? else { continue };
            let is_read = ledger.get(journal.name()).is_some_and(|entry| {
                let modified = metadata.modified.timestamp_nanos_opt().unwrap_or(i64::MAX);
                (entry.size, entry.modified) == (metadata.len, modified) && entry.pending(metadata.len) == 0
            });
            if !is_read && metadata.len > 0 {
                waiting.insert(journal.name().clone());
            }
        }
        Ok(Self(waiting))
    }

    /// Returns whether bytes of this journal wait.
    #[must_use]
    pub fn contains(&self, journal: &JournalName) -> bool {
        self.0.contains(journal.name())
    }
}
