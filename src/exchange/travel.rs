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
            Self::Ignore => ".gitignore",
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
            Self::StateIgnore => travel::state_ignored(),
            Self::Syncthing => travel::syncthing_ignored(),
        }
    }
}
