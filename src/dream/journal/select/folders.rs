//! The folders that journals lie in.

use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::base::order;
use crate::dreamer::Notice;
use crate::format::JournalName;
use crate::format::documents::copies::original_of;
use crate::session::journal_folders;
use crate::workspace::Workspace;

/// Returns the journals of all folders in which they may be, ascending.
pub(super) fn journals(workspace: &dyn Workspace, notices: &mut Vec<Notice>) -> Result<Vec<JournalName>> {
    let mut journals = Vec::new();
    for (folder, listing) in journal_folders(workspace) {
        let listing = match listing {
            // `daily` is only an alias: whatever else has the name is a person's.
            Err(Error::Refused { path, .. }) if folder == DocName::DAILY => {
                notices.push(Notice::RefusedEntry(path));
                continue;
            }
            listing => listing?,
        };
        journals.reserve(listing.documents.len());
        for name in listing.documents {
            if original_of(name.as_str()).is_some() {
                notices.push(Notice::ConflictCopy(name));
            } else {
                journals.extend(JournalName::of(name));
            }
        }
        notices.extend(listing.refused.into_iter().map(Notice::RefusedEntry));
        notices.extend(listing.collisions.into_iter().map(|(one, other)| Notice::CaseCollision(one, other)));
    }
    // Stable, since it is quick on what is nearly sorted already.
    order::sort(&mut journals);
    Ok(journals)
}
