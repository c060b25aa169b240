//! The ways through a workspace's folders: all of them, those of journals, and those in reach that no ignore file
//! names.

use std::sync::Arc;

use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, StateName};
use crate::base::order;
use crate::format::JournalName;
use crate::format::documents::ignored::Ignored;
use crate::workspace::is_own;
use crate::workspace::{Listing, Reach, Workspace};

/// Goes through a folder and all that are below it, in ascending order: each folder with its listing. Below a folder that
/// `enters` refuses, nothing is looked at.
pub(crate) fn walk<'w>(
    workspace: &'w dyn Workspace,
    from: Option<DocName>,
    enters: impl Fn(&DocName) -> bool + 'w,
) -> impl Iterator<Item = Result<(Option<DocName>, Listing)>> + 'w {
    let mut folders = vec![from];
    std::iter::from_fn(move || {
        let folder = folders.pop()?;
        let listing = match workspace.list(folder.as_ref()) {
            Ok(listing) => listing,
            Err(error) => return Some(Err(error)),
        };
        let below = listing.folders.iter().filter(|below| enters(below));
        folders.extend(below.cloned().rev().map(Some).gather());
        Some(Ok((folder, listing)))
    })
}

/// Goes through the folders in which journals may be: both, and their folders of years and months.
pub(crate) fn journal_folders(
    workspace: &dyn Workspace,
) -> impl Iterator<Item = (DocName, Result<Listing>)> + '_ {
    let mut folders = vec![DocName::DAILY, DocName::JOURNALS];
    std::iter::from_fn(move || {
        let folder = folders.pop()?;
        let listing = workspace.list(Some(&folder));
        if let Ok(listing) = &listing {
            folders.extend(
                listing.folders.iter().rev().filter(|below| JournalName::is_folder(below.as_str())).cloned(),
            );
        }
        Some((folder, listing))
    })
}

/// Returns the journals of all folders in which they may be, ascending. A folder that `is_none` says is none for its error is
/// passed over.
pub(crate) fn journals(
    workspace: &dyn Workspace,
    is_none: impl Fn(&DocName, &Error) -> bool,
) -> Result<Vec<JournalName>> {
    let mut journals = Vec::new();
    for (folder, listing) in journal_folders(workspace) {
        match listing {
            Ok(listing) => journals.extend(listing.documents.iter().filter_map(JournalName::parse)),
            Err(error) if is_none(&folder, &error) => {}
            Err(error) => return Err(error),
        }
    }
    order::sort(&mut journals);
    Ok(journals)
}

/// The files that say what is ignored; of one folder the later one decides.
const IGNORING: [&str; 2] = [".gitignore", ".ignore"];

/// The most bytes of such a file that are read.
const MOST_RULES: u64 = 1 << 20;

/// A folder to look into; the root has no name.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) name: Option<DocName>,
    above: Option<Arc<Rules>>,
}

/// The rules of a folder, and of those above it.
#[derive(Debug)]
struct Rules {
    folder: Option<DocName>,
    ignored: Ignored,
    above: Option<Arc<Rules>>,
}

/// The entries that were found in a folder.
#[derive(Debug)]
pub(crate) struct Looked {
    /// All of it.
    pub(crate) listing: Listing,
    /// The folders to look into next, ascending.
    pub(crate) folders: Vec<Folder>,
    /// The documents and folders that are passed over, ascending.
    pub(crate) left_out: Vec<DocName>,
}

impl Folder {
    pub(crate) fn root() -> Self {
        Self { name: None, above: None }
    }

    /// Makes a folder of the library's own, for which no rules count.
    pub(crate) fn own(name: DocName) -> Self {
        Self { name: Some(name), above: None }
    }

    /// Makes a folder that was named, below all the rules above it.
    pub(crate) fn at<W: Workspace + ?Sized>(workspace: &W, name: DocName) -> Result<Self> {
        let mut above = rules_of(workspace, None, None)?;
        for (at, _) in name.as_str().match_indices('/') {
            let parent = DocName::parse(&name.as_str()[..at]).expect("a part of a name is one");
            above = rules_of(workspace, Some(parent), above)?;
        }
        Ok(Self { name: Some(name), above })
    }

    /// Lists the folder, and sorts what is within reach from what is passed over.
    pub(crate) fn look<W: Workspace + ?Sized>(&self, workspace: &W, reach: &Reach) -> Result<Looked> {
        let listing = workspace.list(self.name.as_ref())?;
        // In folders of the library's own, nobody else's rules count.
        let rules = match &self.name {
            Some(name) if is_own(name) => None,
            name => rules_of(workspace, name.clone(), self.above.clone())?,
        };
        let is_passed_over = |name: &DocName, is_folder: bool, is_reached: bool| {
            let is_sure = is_own(name) || reach.leads_to_declared(name);
            !is_reached || (!is_sure && is_ignored(rules.as_deref(), name, is_folder))
        };
        let mut left_out = Vec::new();
        for name in &listing.documents {
            if is_passed_over(name, false, reach.includes(name)) {
                left_out.push(name.clone());
            }
        }
        let mut folders = Vec::new();
        for name in &listing.folders {
            if is_passed_over(name, true, reach.enters(name)) {
                left_out.push(name.clone());
            } else {
                folders.push(Self { name: Some(name.clone()), above: rules.clone() });
            }
        }
        order::sort(&mut left_out);
        Ok(Looked { listing, folders, left_out })
    }
}

/// Returns the rules of a folder above those that are known.
fn rules_of<W: Workspace + ?Sized>(
    workspace: &W,
    folder: Option<DocName>,
    above: Option<Arc<Rules>>,
) -> Result<Option<Arc<Rules>>> {
    let mut text = String::new();
    for file in IGNORING {
        let name = StateName::ignoring(folder.as_ref(), file);
        match workspace.read_range(&name, 0..MOST_RULES) {
            Ok(bytes) => text.push_str(&String::from_utf8_lossy(&bytes)),
            // A link, or a folder of that name, is no rule.
            Err(Error::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
        text.push('\n');
    }
    if text.trim().is_empty() {
        return Ok(above);
    }
    Ok(Some(Arc::new(Rules { folder, ignored: Ignored::parse(&text), above })))
}

/// Returns whether the nearest rule that fits says that a name is ignored.
fn is_ignored(rules: Option<&Rules>, name: &DocName, is_folder: bool) -> bool {
    let mut rules = rules;
    while let Some(Rules { folder, ignored, above }) = rules {
        let below = folder.as_ref().map_or(0, |folder| folder.as_str().len() + 1);
        if let Some(says) = ignored.says(&name.as_str()[below..], is_folder) {
            return says;
        }
        rules = above.as_deref();
    }
    false
}
