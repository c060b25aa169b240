//! A note: an entry of a journal before it is written.

use std::fmt;
use std::str::FromStr;

use chrono::NaiveTime;
use serde::{Deserialize, Serialize};

use super::origin::Origin;
use crate::base::debug::debug_as;
use crate::base::spread::Spread;
use crate::format::replies::fences;

/// The kind of a note. Prints and reads back as one word, also in JSON.
///
/// ```
/// use noctuary::format::NoteKind;
///
/// assert_eq!("decision".parse(), Ok(NoteKind::Decision));
/// assert_eq!(NoteKind::Question.to_string(), "question");
/// assert!("Decision: ".parse::<NoteKind>().is_err());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoteKind {
    /// Something that happened.
    #[default]
    Happened,
    /// A decision.
    Decision,
    /// Something to remember.
    Remember,
    /// An open question.
    Question,
}

impl NoteKind {
    /// The kinds that print a word in front of the text.
    const LABELLED: [(Self, &str); 3] =
        [(Self::Decision, "Decision: "), (Self::Remember, "Remember: "), (Self::Question, "Open question: ")];

    pub(super) const ALL: [Self; 4] = [Self::Happened, Self::Decision, Self::Remember, Self::Question];

    pub(super) fn label(self) -> &'static str {
        Self::LABELLED.iter().find(|(kind, _)| *kind == self).map_or("", |(_, label)| label)
    }

    pub(super) fn read(text: &str) -> (Self, &str) {
        let labelled = |(kind, label): (Self, &str)| Some((kind, text.strip_prefix(label)?));
        Self::LABELLED.into_iter().find_map(labelled).unwrap_or((Self::Happened, text))
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Happened => "happened",
            Self::Decision => "decision",
            Self::Remember => "remember",
            Self::Question => "question",
        })
    }
}

impl FromStr for NoteKind {
    type Err = UnknownNoteKind;

    fn from_str(text: &str) -> Result<Self, UnknownNoteKind> {
        Self::ALL.into_iter().find(|kind| kind.to_string() == text).ok_or(UnknownNoteKind)
    }
}

/// A text that names no [`NoteKind`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a kind of note: happened, decision, remember or question")]
pub struct UnknownNoteKind;

/// An entry for a journal.
///
/// ```
/// use noctuary::format::{NoteKind, Origin};
/// use noctuary::Note;
///
/// let note = Note::decision("Releases go out on Fridays.").from(Origin::User);
/// assert_eq!((note.kind, &note.origin), (NoteKind::Decision, &Origin::User));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// Its kind.
    pub kind: NoteKind,
    /// The origin of the words; the agent unless said otherwise.
    pub origin: Origin,
    /// The words.
    pub text: String,
}

impl Note {
    fn new(kind: NoteKind, text: impl Into<String>) -> Self {
        Self { kind, origin: Origin::Agent, text: text.into() }
    }

    /// Returns a note of something that happened.
    #[must_use]
    pub fn happened(text: impl Into<String>) -> Self {
        Self::new(NoteKind::Happened, text)
    }

    /// Returns a note of a decision.
    #[must_use]
    pub fn decision(text: impl Into<String>) -> Self {
        Self::new(NoteKind::Decision, text)
    }

    /// Returns a note of something to remember, such as a preference. It is the user's where it comes
    /// [from](Self::from) them.
    #[must_use]
    pub fn remember(text: impl Into<String>) -> Self {
        Self::new(NoteKind::Remember, text)
    }

    /// Returns a note of an open question.
    #[must_use]
    pub fn question(text: impl Into<String>) -> Self {
        Self::new(NoteKind::Question, text)
    }

    /// Sets the origin of the words.
    #[must_use]
    pub fn from(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// Returns whether it has no words; then nothing is written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.print(None).is_none()
    }

    /// Returns the entry without a time, for a caller that does not know the operator's day; empty where there are no
    /// words.
    pub(crate) fn untimed(&self) -> String {
        self.print(None).unwrap_or_default().into_iter().spread(|line| [line, "\n".to_owned()]).collect()
    }

    /// Returns the entry as it is appended, without line ending; `None` where there are no words.
    pub(super) fn print(&self, at: Option<NaiveTime>) -> Option<Vec<String>> {
        let said = self
            .text
            .replace("\r\n", "\n")
            .replace(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], "\n");
        let mut said =
            said.lines().map(|line| fences::one_line(line.trim_end())).filter(|line| !line.trim().is_empty());
        let first = said.next()?;
        let (label, first) = (self.kind.label(), first.trim());
        let at = at.map(|at| at.format("[%H:%M:%S] ").to_string()).unwrap_or_default();
        let mut lines = vec![format!("- {at}[{}] {label}{first}", self.origin)];
        lines.extend(said.map(|line| format!("{CONTINUED}{line}")));
        Some(lines)
    }
}

debug_as!(Note, |it| "Note {{ {:?}, {}, {} bytes }}", it.kind, it.origin, it.text.len());

/// The mark in front of every line of an entry below its first.
pub(crate) const CONTINUED: &str = "  | ";
