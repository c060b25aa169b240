//! The lines of an answer and their fates.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::debug::debug_as;
use crate::base::document::SourceRef;
use crate::dreamer::outcome::DreamMode;

/// One line of an answer and what became of it.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LineReport {
    /// The line after the sanitiser, without its bullet, and with its citations.
    pub text: String,
    /// The heading above it: `Facts`, `Preferences`, `Decisions`.
    pub heading: Option<String>,
    /// The journal lines that it cites.
    pub sources: Vec<SourceRef>,
    /// The fate of the line.
    pub fate: LineOutcome,
    /// The mode of its dream: a promoted line of [`DreamMode::Propose`] waits in a proposal, and prints as `proposed`.
    #[serde(default, skip_serializing_if = "DreamMode::is_append")]
    pub mode: DreamMode,
}

impl LineReport {
    /// Says what became of a line of a dream that [appends](DreamMode::Append).
    #[must_use]
    pub fn new(text: String, heading: Option<String>, sources: Vec<SourceRef>, fate: LineOutcome) -> Self {
        Self { text, heading, sources, fate, mode: DreamMode::Append }
    }
}

/// A line with what became of it, for a person: it holds words of journals, as the line does.
///
/// ```
/// use noctuary::dream::{LineOutcome, LineReport};
///
/// let line = LineReport::new("Likes tea.".to_owned(), None, Vec::new(), LineOutcome::Promoted { cited: false });
/// assert_eq!(line.to_string(), "promoted, citing nothing: Likes tea.");
/// ```
impl fmt::Display for LineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fate {
            LineOutcome::Held(Hold { word: Some(word), .. }) => {
                write!(f, "{} ({word}): {}", self.fate, self.text)
            }
            LineOutcome::Promoted { cited } => {
                let done = self.mode.of_promoted();
                write!(f, "{done}{}: {}", if *cited { "" } else { ", citing nothing" }, self.text)
            }
            fate => write!(f, "{fate}: {}", self.text),
        }
    }
}

debug_as!(
    LineReport,
    |it| "LineReport {{ bytes: {}, sources: {:?}, fate: {:?} }}",
    it.text.len(),
    it.sources,
    it.fate
);

/// The fate of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LineOutcome {
    /// It is in the section, or in the proposal.
    Promoted {
        /// Whether it cites journal lines, which were then checked.
        cited: bool,
    },
    /// The same statement is in `MEMORY.md`, in the archive, in a proposal that waits, or earlier in the answer.
    Duplicate,
    /// An earlier dream promoted it and a person took it out again, or said no to it.
    RemovedBefore,
    /// It says a forgotten statement, and is reported as `[REDACTED:forgotten#1]`. Or it holds the mark of a forgotten
    /// statement in a file, such as `[forgotten]----`.
    Forgotten,
    /// Its evidence does not hold.
    Held(Hold),
    /// It lies beyond the bounds of a section.
    OverCap(DropReason),
}

impl fmt::Display for LineOutcome {
    /// Says nothing of the line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Promoted { cited: true } => f.write_str("promoted"),
            Self::Promoted { cited: false } => f.write_str("promoted, citing nothing"),
            Self::Duplicate => f.write_str("memory holds it already"),
            Self::RemovedBefore => f.write_str("somebody took it out of memory before"),
            Self::Forgotten => f.write_str("it says what was forgotten"),
            Self::Held(hold) => write!(f, "held, {}", hold.reason),
            Self::OverCap(reason) => reason.fmt(f),
        }
    }
}

/// Why a line was held back.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hold {
    /// The check that it failed.
    pub reason: HoldReason,
    /// The word of the line that the check missed in its sources. For [`HoldReason::Origin`] it is the speaker, such as
    /// `web` or `tool:psql`, and for [`HoldReason::Injection`] the reason of
    /// [`scan_injection`](crate::gate::scan_injection).
    pub word: Option<String>,
}

debug_as!(Hold, |it| "{:?}", it.reason);

/// The check that a line failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HoldReason {
    /// It cites a journal that was not shown.
    UnknownSource,
    /// It cites lines that were not shown.
    NoSuchLine,
    /// A number does not occur in the cited lines.
    Number,
    /// A date neither occurs there nor follows from the journal's date.
    Date,
    /// A name does not occur there.
    Name,
    /// It says the opposite of a cited line.
    Negation,
    /// It has no word in common with the cited lines.
    Unrelated,
    /// Its quotation does not occur word for word in the cited lines.
    Quote,
    /// It cites nothing, and citations are required.
    Uncited,
    /// It rests only on words of a page, a tool, an import or another person, or gives such words to the user.
    Origin,
    /// It is an order to its reader, and no statement.
    Imperative,
    /// It is a record of a program, or rests on such records alone: it states nothing.
    Record,
    /// It hides an instruction of a form that is known.
    Injection,
    /// It is below a line of the answer that denies it, or leads to lines below it, and says something else alone.
    Nested,
}

impl fmt::Display for HoldReason {
    /// Says it to a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::UnknownSource => "cites a journal that was not shown",
            Self::NoSuchLine => "cites lines that were not shown",
            Self::Number => "a number is not in the cited lines",
            Self::Date => "a date is not in the cited lines",
            Self::Name => "a name is not in the cited lines",
            Self::Negation => "says the opposite of a cited line",
            Self::Unrelated => "has nothing in common with the cited lines",
            Self::Quote => "what it quotes is not in the cited lines",
            Self::Uncited => "cites nothing",
            Self::Origin => "rests on the words of a page, a tool, an import or another person",
            Self::Record => "is a record of a program and no statement",
            Self::Injection => "hides an instruction",
            Self::Imperative => "is an order and no statement",
            Self::Nested => "is a part of a nested list and says something else alone",
        })
    }
}

/// A kind of part that the sanitiser removed from an answer, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dropped {
    /// The kind of part.
    pub reason: DropReason,
    /// The number of times.
    pub count: u32,
}

/// Why a piece of an answer was taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DropReason {
    /// A heading other than Facts, Preferences and Decisions.
    Heading,
    /// A line of prose between the bullets.
    NotABullet,
    /// An HTML comment.
    Comment,
    /// An HTML or prompt tag.
    Tag,
    /// A code fence around the bullets.
    Fence,
    /// A frontmatter or thematic line.
    Frontmatter,
    /// A token that the library or a host acts on, alone on a line.
    ControlToken,
    /// Characters that cannot be seen.
    Invisible,
    /// An image, whose address a viewer would fetch.
    Image,
    /// The target of a link.
    Link,
    /// A bullet about a secret that was masked.
    Masked,
    /// A bullet with nothing left in it.
    Empty,
    /// A bullet above the length cap.
    TooLong,
    /// A bullet after the item cap.
    TooMany,
    /// A bullet that would take the section over its size cap.
    SectionFull,
    /// A line of prose that is an instruction in disguise.
    Injection,
}

impl DropReason {
    /// Returns the words of its `Display`, where they must outlive it.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Heading => "heading",
            Self::NotABullet => "line that is no bullet",
            Self::Comment => "comment",
            Self::Tag => "tag",
            Self::Fence => "code fence",
            Self::Frontmatter => "frontmatter line",
            Self::ControlToken => "control token",
            Self::Invisible => "run of invisible characters",
            Self::Image => "image",
            Self::Link => "link target",
            Self::Masked => "bullet about a masked secret",
            Self::Empty => "empty bullet",
            Self::TooLong => "bullet over the length cap",
            Self::TooMany => "bullet over the item cap",
            Self::SectionFull => "bullet over the section cap",
            Self::Injection => "line that is an instruction in disguise",
        }
    }
}

impl fmt::Display for DropReason {
    /// Says it to a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.description())
    }
}
