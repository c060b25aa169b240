//! The lines that tools need which carry a life from one machine to another.

use crate::format::state::travel;

/// A file of a tool, in the folder of a life that the tool carries to other machines.
///
/// ```
/// use noctuary::exchange::TravelFile;
///
/// assert_eq!(TravelFile::Attributes.path(), ".gitattributes");
/// assert!(TravelFile::Attributes.lines().contains(&"*.md -text merge=noctuary".to_owned()));
/// assert!(TravelFile::StateIgnore.lines().contains(&"guard".to_owned()), "a lock is of one machine");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TravelFile {
    /// The files that git merges by `noctuary merge-driver`.
    Attributes,
    /// The names that git leaves out in the folder of the life.
    Ignore,
    /// The names that git leaves out in the folder of a life whose state stays on one machine, under a comment.
    HomeIgnore,
    /// The names that git leaves out in the folder of the library's state. Its first form, `*`, leaves out all.
    StateIgnore,
    /// The names that Syncthing leaves out.
    Syncthing,
}

impl TravelFile {
    /// Returns its path in the folder of the life.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Attributes => ".gitattributes",
            Self::Ignore | Self::HomeIgnore => ".gitignore",
            Self::StateIgnore => ".dreaming.d/.gitignore",
            Self::Syncthing => ".stignore",
        }
    }

    /// Returns the lines that must be in it.
    #[must_use]
    pub fn lines(self) -> Vec<String> {
        match self {
            Self::Attributes => travel::attributes(),
            Self::Ignore => travel::ignored(),
            Self::HomeIgnore => home_ignored(),
            Self::StateIgnore => state_ignored(),
            Self::Syncthing => syncthing_ignored(),
        }
    }
}

/// Returns the lines of `.gitignore` where the state stays.
fn home_ignored() -> Vec<String> {
    const HEADER: &str = "# noctuary: of this machine alone, until `noctuary init --git`";
    std::iter::once(HEADER.to_owned()).chain(travel::kept_at_home()).collect()
}

/// Returns the lines of `.dreaming.d/.gitignore` where the state travels.
fn state_ignored() -> Vec<String> {
    std::iter::once(travel::HEADER.to_owned()).chain(travel::of_one_machine()).collect()
}

/// Returns the lines of `.stignore` in the folder of a life.
fn syncthing_ignored() -> Vec<String> {
    let inner =
        travel::of_one_machine().map(|file| format!("(?d)/.dreaming.d/{}", file.trim_end_matches('/')));
    travel::ignored().into_iter().map(|name| format!("(?d)/{name}")).chain(inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_one_machine_is_named_and_nothing_that_travels() {
        let lines = state_ignored();
        for name in
            ["guard", "write-guard", "intent.json", "sleep-intent.json", "memories.mark", "memories.table"]
        {
            assert!(lines.iter().any(|line| line == name), "{name}");
        }
        for name in
            ["ledger.json", "log.jsonl", "forgotten.json", "memories.jsonl", "history/", "proposals.json"]
        {
            assert!(!lines.iter().any(|line| line == name), "{name}");
        }
        assert!(syncthing_ignored().contains(&"(?d)/.dreaming.d/memories.words".to_owned()));
    }
}
