//! The documents that are looked for where nobody names them.

use crate::base::name::{DocName, Name, OWN_FILES};
use crate::base::sorted::SortedSet;

/// The documents of a workspace that are looked for where nobody names them; see [`Workspace::reach`](crate::Workspace::reach).
///
/// A folder may be an agent's home, or a project with thousands of files that are nobody's memory. So
/// [`FileWorkspace`](crate::FileWorkspace) looks for its [`own`](Self::own) documents, and for those that the host
/// declares. In folders that are not its own, names of a `.gitignore` or `.ignore` file are skipped, unless they are
/// declared.
///
/// ```
/// use noctuary::workspace::Reach;
/// use noctuary::{DocName, FileWorkspace, Workspace};
///
/// let folder = tempfile::tempdir()?;
/// let reach = Reach::own().and(DocName::parse("context")?).and(DocName::parse("README.md")?);
/// let workspace = FileWorkspace::open(folder.path())?.reaching(reach);
/// let (plan, source) = (DocName::parse("context/plan.md")?, DocName::parse("src/main.rs")?);
/// assert!(workspace.reach().includes(&plan) && !workspace.reach().includes(&source));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// `None` for everything.
    declared: Option<SortedSet<DocName>>,
}

impl Reach {
    /// Makes the reach of the root files that this library knows, and all of `memory/`, `daily/`, `self/` and `.self/`.
    #[must_use]
    pub fn own() -> Self {
        Self { declared: Some(SortedSet::new()) }
    }

    /// Makes the reach of every document. Only what ignore files name is passed over.
    #[must_use]
    pub fn everything() -> Self {
        Self { declared: None }
    }

    /// Adds a document, or a folder with all that is below it.
    #[must_use]
    pub fn and(mut self, name: DocName) -> Self {
        if let Some(declared) = &mut self.declared {
            declared.insert(name);
        }
        self
    }

    /// Returns whether a document or folder of this name is looked for.
    #[must_use]
    pub fn includes(&self, name: &Name) -> bool {
        let Some(declared) = &self.declared else { return true };
        is_own(name) || declared.iter().any(|declared| is_at_or_below(name.as_str(), declared.as_str()))
    }

    /// Returns whether a folder is looked into: it is included, or what is declared lies below it.
    pub(crate) fn enters(&self, folder: &Name) -> bool {
        self.includes(folder) || self.leads_to_declared(folder)
    }

    /// Returns whether a name is declared itself, or leads to one that is. No ignore file hides a declared name.
    pub(crate) fn leads_to_declared(&self, name: &Name) -> bool {
        let is_below = |declared: &DocName| is_at_or_below(declared.as_str(), name.as_str());
        self.declared.iter().flatten().any(is_below)
    }
}

/// Returns whether a name is one that only this library's documents have. Ignore files say nothing of them.
pub(crate) fn is_own(name: &Name) -> bool {
    const FOLDERS: [&str; 4] = ["memory", "daily", "self", ".self"];
    let folded = name.folded();
    OWN_FILES.contains(&folded.as_str()) || FOLDERS.iter().any(|folder| is_at_or_below(&folded, folder))
}

fn is_at_or_below(name: &str, folder: &str) -> bool {
    name.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reach_is_of_whole_segments_and_of_any_case() {
        let name = |text| DocName::parse(text).unwrap();
        let reach = Reach::own().and(name("docs/notes")).and(name("README.md"));
        for within in
            ["MEMORY.md", "Soul.md", "memory/2026/a.txt", "Memory/x.md", "docs/notes/a/b.md", "README.md"]
        {
            assert!(reach.includes(&name(within)), "{within}");
        }
        for without in
            ["docs/a.md", "docs/notes.md", "memory-old/a.md", "src/MEMORY.md", "readme.md", "target/x"]
        {
            assert!(!reach.includes(&name(without)), "{without}");
        }
        assert!(reach.enters(&name("docs")) && !reach.enters(&name("src")) && !reach.includes(&name("docs")));
        assert!(Reach::everything().and(name("a")).includes(&name("target/x")));
    }
}
