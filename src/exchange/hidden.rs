//! The hidden files of a workspace that hold a statement that is to be forgotten.

use std::io::ErrorKind;

use super::home::{Home, NOT_ASKED};
use crate::base::error::{Error, Result};
use crate::base::name::{Name, StateName};
use crate::base::receipt::{ForgetPlace, ForgetReceipt, PlaceReceipt};
use crate::format::documents::copies::original_of;
use crate::format::state::history::History;
use crate::format::state::registry::{self, Names};
use crate::format::state::seal;

/// The most names that a line of a receipt lists.
const MOST_NAMED: usize = 3;

impl Home<'_> {
    /// Goes through the hidden files, such as those of an editor's bin. They count as other documents; a repository is
    /// named as a backup.
    pub(super) fn hidden(&self, line: &mut PlaceReceipt, receipt: &mut ForgetReceipt) -> Result<()> {
        let (mut unopened, mut repositories) = (Vec::new(), Vec::new());
        for name in self.workspace.hidden()? {
            if self.only.holds(name.as_str()) {
                line.found += 1;
                line.also_left("it stands in the name of a hidden file, to be renamed by hand");
            }
            let document = match self.workspace.read(&name) {
                Ok(Some(document)) => document,
                // A name that is not Unicode cannot be opened.
                Ok(None) if name.as_str().contains('\u{fffd}') => {
                    unopened.push(name.to_string());
                    continue;
                }
                Ok(None) => continue,
                Err(error) if is_closed(&error) => {
                    let list = if name.is_repository() { &mut repositories } else { &mut unopened };
                    list.push(name.to_string());
                    continue;
                }
                Err(error) => return Err(error),
            };
            let (found, removed) = self.strike_hidden(&name, document.bytes())?;
            line.found += found;
            line.removed += removed;
            if removed < found {
                line.also_left(self.why_left());
            }
        }
        if let Some(names) = self.named(&unopened) {
            line.also_left(format!("hidden, and not opened: {names}"));
        }
        if let Some(names) = self.named(&repositories) {
            let mut backups = receipt.place(ForgetPlace::Backups).clone();
            backups.also_left(format!("not opened: {names}"));
            receipt.set(backups);
        }
        Ok(())
    }

    /// Overwrites the statement in a hidden file; returns how often it was there, and how often it was
    /// removed.
    fn strike_hidden(&self, name: &Name, bytes: &[u8]) -> Result<(u64, u64)> {
        // The copy of a state file that a sync tool left is read once more, when it is merged.
        let original = original_of(name.as_str());
        let of = original.as_deref();
        let found = self.count(of, bytes);
        if found == 0 {
            return Ok((0, 0));
        }
        let mut left = found;
        let file = original.as_deref().and_then(registry::of_path);
        let is_struck = self.change(name, |bytes| {
            let struck = match (&original, file) {
                (Some(path), Some(file)) if matches!(file.names, Names::Preimages) => {
                    bytes.and_then(|bytes| self.struck_versions(path, bytes))
                }
                (_, Some(_)) => {
                    bytes.and_then(|bytes| self.struck(of, bytes)).map(|struck| seal::renewed(&struck))
                }
                (_, None) => bytes.and_then(|bytes| self.struck(of, bytes)),
            };
            left = struck.as_ref().map_or(found, |struck| self.count(of, struck));
            Ok(struck)
        })?;
        Ok((found, if is_struck { found.saturating_sub(left) } else { 0 }))
    }

    /// Overwrites the statement in earlier versions of a document with their hashes; `None` where they do not parse.
    fn struck_versions(&self, path: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut versions = History::parse(&StateName::of_path(path.to_owned()), Some(bytes)).ok()?;
        let changed = self.strike_history(&mut versions);
        (changed > 0).then(|| versions.print())
    }

    /// Says why a statement stays in a file.
    pub(super) fn why_left(&self) -> &'static str {
        match self.lease {
            None => NOT_ASKED,
            Some(_) => "a document is not text where it stands",
        }
    }

    /// Returns names for a receipt, without the statement: the first of them, and the number of the others.
    pub(super) fn named(&self, names: &[String]) -> Option<String> {
        let shown: Vec<_> =
            names.iter().take(MOST_NAMED).map(|name| self.only.struck(name).into_owned()).collect();
        match (shown.is_empty(), names.len().saturating_sub(MOST_NAMED)) {
            (true, _) => None,
            (_, 0) => Some(shown.join(", ")),
            (_, more) => Some(format!("{} and {more} more", shown.join(", "))),
        }
    }
}

/// Returns whether an error says that a file is closed to us: a link, a folder, too large, or not permitted.
pub(super) fn is_closed(error: &Error) -> bool {
    match error {
        Error::Refused { .. } | Error::TooLarge { .. } => true,
        Error::Io { source, .. } => source.kind() == ErrorKind::PermissionDenied,
        _ => false,
    }
}
