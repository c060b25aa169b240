//! The journals of a day.

use chrono::NaiveDate;

use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::format::JournalName;
use crate::session;
use crate::workspace::Workspace;

/// Returns all journals of a day, of whatever session and dialect: the day's own file first.
///
/// Through a view that guards a workspace it returns those that the view shows.
pub(super) fn daily_log(workspace: &dyn Workspace, date: NaiveDate) -> Result<Vec<(JournalName, Document)>> {
    // A view that closes a folder shows nothing of it.
    let names = session::journals(workspace, |_, error| matches!(error, Error::Denied { .. }))?;
    let mut journals = Vec::new();
    for journal in names.into_iter().filter(|journal| journal.date() == date) {
        // It may be gone since the look.
        if let Some(document) = workspace.read(journal.name())? {
            journals.push((journal, document));
        }
    }
    Ok(journals)
}
