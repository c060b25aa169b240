//! What a dream says of itself: plain data, stable as JSON.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use crate::base::error::LostBy;
use crate::base::name::DocName;
use crate::base::text::counted;
use crate::base::usage::Usage;
use crate::format::DreamId;
use crate::pii::GateFinding;

use crate::base::document::SourceRef;
use crate::workspace::Holder;

/// How a run or pass ended. Prints the seed's words for the endings that the seed knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Outcome {
    /// Dreaming is off; nothing was touched.
    #[serde(rename = "disabled")]
    Disabled,
    /// No journal has anything that a model has not been shown; the model was not called.
    #[serde(rename = "nothing_new")]
    NothingNew,
    /// The section of exactly these inputs stands in `MEMORY.md` or the archive already; the model was not called.
    #[serde(rename = "already_promoted")]
    AlreadyPromoted,
    /// A proposal of exactly these inputs waits for a person's word; the model was not called.
    #[serde(rename = "already_proposed")]
    AlreadyProposed,
    /// The model was asked, and nothing was worth keeping or new.
    #[serde(rename = "nothing_to_promote")]
    NothingToPromote,
    /// The model was asked, and every line of its answer was held. Its journals wait for another try, up to
    /// [`max_tries`](crate::DreamConfig::max_tries) of them.
    #[serde(rename = "all_held")]
    AllHeld,
    /// A section was appended (in a preview: would have been).
    #[serde(rename = "appended")]
    Appended,
    /// What would be appended waits for a person's word.
    #[serde(rename = "proposed")]
    Proposed,
    /// It backs off after failures, or has reached its daily cap.
    #[serde(rename = "not_due_skip")]
    NotDue,
    /// As many proposals wait as may; the model was not called, and the journals wait.
    #[serde(rename = "proposals_full_skip")]
    ProposalsFull,
    /// A live peer holds the workspace.
    #[serde(rename = "lock_held_skip")]
    LockHeld,
    /// The lease was lost while the model thought; nothing was written.
    #[serde(rename = "lease_lost")]
    LeaseLost,
    /// There was no usable answer; nothing moved.
    #[serde(rename = "llm_error")]
    LlmError,
    /// The answer held a secret; the journals to blame are quarantined and `MEMORY.md` is untouched.
    #[serde(rename = "pii_detected_quarantine")]
    Quarantined,
    /// Facts were decided on, or in shadow mode would have been.
    #[serde(rename = "facts_decided")]
    Decided,
    /// The model was asked about facts, and nothing was decided.
    #[serde(rename = "nothing_decided")]
    Undecided,
    /// Rows about the human were written into a memory store.
    #[serde(rename = "personalization_rebuilt")]
    Rebuilt,
}

impl Outcome {
    /// The word for logs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::NothingNew => "nothing_new",
            Self::AlreadyPromoted => "already_promoted",
            Self::AlreadyProposed => "already_proposed",
            Self::NothingToPromote => "nothing_to_promote",
            Self::AllHeld => "all_held",
            Self::Appended => "appended",
            Self::Proposed => "proposed",
            Self::NotDue => "not_due_skip",
            Self::ProposalsFull => "proposals_full_skip",
            Self::LockHeld => "lock_held_skip",
            Self::LeaseLost => "lease_lost",
            Self::LlmError => "llm_error",
            Self::Quarantined => "pii_detected_quarantine",
            Self::Decided => "facts_decided",
            Self::Undecided => "nothing_decided",
            Self::Rebuilt => "personalization_rebuilt",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What a dream does with what it found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DreamMode {
    /// Appends it to `MEMORY.md`.
    #[default]
    Append,
    /// Makes a file of it that a person edits, and then accepts or rejects; see
    /// [`JournalDreamer::proposals`](crate::JournalDreamer::proposals). What the model was shown counts as read.
    Propose,
    /// Asks the model and says what it would append. It claims nothing and writes nothing, neither state nor ledger, so
    /// that it runs beside a dream, counts against no cap and is stopped by none, nor by a back-off, and asks again when it is
    /// called again.
    Preview,
}

/// The report of one run: one call of [`dream_once`](crate::dream_once).
///
/// Holds words of the promoted lines, so its `Debug` prints shapes there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DreamReport {
    /// The version of this shape: 1. Fields are only added.
    pub schema_version: u32,
    /// How the run ended: the gravest ending of its passes.
    pub outcome: Outcome,
    /// Whether it wrote.
    pub mode: DreamMode,
    /// The workspace's location.
    pub workspace: String,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When its last answer came.
    pub ended_at: DateTime<Utc>,
    /// The number of its claim.
    pub epoch: Option<u64>,
    /// The dream that an earlier run had left half done, and that was finished first.
    pub recovered: Option<DreamId>,
    /// Who holds the workspace, for [`Outcome::LockHeld`].
    pub holder: Option<Holder>,
    /// Why it is not due, for [`Outcome::NotDue`].
    pub not_due: Option<NotDue>,
    /// One entry for each time that a model was, or need not be, asked.
    pub passes: Vec<PassReport>,
    /// Every candidate journal, and why it was or was not read. Ascending by date.
    pub journals: Vec<JournalReport>,
    /// What waits for later passes.
    pub backlog: Backlog,
    /// How often the model was called.
    pub calls: u32,
    /// What that cost, where the host said.
    pub usage: Option<Usage>,
    /// How full `MEMORY.md` is.
    pub memory: Option<MemoryGauge>,
    /// The dreams whose sections were moved to the archive, oldest first.
    #[serde(default)]
    pub archived: Vec<DreamId>,
    /// What the operator should know besides.
    pub notices: Vec<Notice>,
    /// What came of a sleep, where a sleeper dreamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep: Option<super::SleepReport>,
    /// What was decided on facts, where a dreamer judged them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<super::FactReport>,
}

impl DreamReport {
    /// That of a run that has done nothing yet: [`Outcome::Disabled`], and all counts 0. A dreamer of yours begins with
    /// it.
    #[must_use]
    pub fn begun(mode: DreamMode, workspace: String, now: DateTime<Utc>) -> Self {
        Self {
            schema_version: 1,
            outcome: Outcome::Disabled,
            mode,
            workspace,
            started_at: now,
            ended_at: now,
            epoch: None,
            recovered: None,
            holder: None,
            not_due: None,
            passes: Vec::new(),
            journals: Vec::new(),
            backlog: Backlog::default(),
            calls: 0,
            usage: None,
            memory: None,
            archived: Vec::new(),
            notices: Vec::new(),
            sleep: None,
            facts: None,
        }
    }

    /// All lines that were promoted, over all passes.
    pub fn promoted(&self) -> impl Iterator<Item = &LineReport> {
        self.passes
            .iter()
            .flat_map(|pass| &pass.lines)
            .filter(|line| matches!(line.fate, Fate::Promoted { .. }))
    }

    /// The journals of which something waits in quarantine. They are no part of the backlog, since no run reads them.
    pub fn quarantined(&self) -> impl Iterator<Item = &JournalReport> {
        let held = |journal: &&JournalReport| journal.reason == ReadReason::Quarantined;
        self.journals.iter().filter(move |journal| held(journal) && journal.pending > 0)
    }

    /// All lines that were held back for their evidence, over all passes.
    pub fn held(&self) -> impl Iterator<Item = &LineReport> {
        self.passes.iter().flat_map(|pass| &pass.lines).filter(|line| matches!(line.fate, Fate::Held(_)))
    }
}

/// One line for a log: the ending, how many lines were promoted and held, what waits, how often the model was called, and
/// which dreams' sections are no longer in `MEMORY.md`; where facts were judged, the pairs in place of lines. Everything else
/// that an operator should know is in [`notices`](DreamReport::notices).
///
/// ```
/// use noctuary::dream::DreamMode;
/// use noctuary::DreamReport;
///
/// let report = DreamReport::begun(DreamMode::Append, "life".to_owned(), chrono::Utc::now());
/// assert_eq!(report.to_string(), "disabled: 0 lines promoted, 0 held, nothing waits, 0 calls");
/// ```
impl fmt::Display for DreamReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(facts) = &self.facts {
            let decided = facts.rulings.iter().filter(|ruling| ruling.is_decided()).count();
            write!(f, "{}: {} decided, ", self.outcome, counted(decided as u64, "pair"))?;
            write!(f, "{} left to the human, {} wait", facts.left.len(), facts.waiting)?;
            return write!(f, ", {}", counted(self.calls, "call"));
        }
        let lines = counted(self.promoted().count() as u64, "line");
        let promoted = match self.mode {
            DreamMode::Append => "promoted",
            DreamMode::Propose => "proposed",
            DreamMode::Preview => "to promote",
        };
        write!(f, "{}: {lines} {promoted}, {} held, ", self.outcome, self.held().count())?;
        match self.backlog.bytes {
            0 => f.write_str("nothing waits")?,
            1 => write!(f, "1 byte waits in 1 journal")?,
            bytes => {
                let journals = counted(self.backlog.journals, "journal");
                write!(f, "{} wait in {journals}", counted(bytes, "byte"))?;
            }
        }
        match self.quarantined().count() as u64 {
            0 => {}
            held => write!(f, ", {} in quarantine", counted(held, "journal"))?,
        }
        write!(f, ", {}", counted(self.calls, "call"))?;
        // What a person lost by a save of theirs, and must hear of where they read nothing else.
        let mut gone = self.notices.iter().filter(|notice| matches!(notice, Notice::SectionMissing(_)));
        for notice in gone.by_ref().take(3) {
            write!(f, "; {notice}")?;
        }
        match gone.count() as u64 {
            0 => Ok(()),
            more => write!(f, "; {} more are gone", counted(more, "section")),
        }
    }
}

/// One pass: one selection, and the model's answer to it.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PassReport {
    /// How it ended.
    pub outcome: Outcome,
    /// The id of the dream: a hash of what the model was shown.
    pub dream_id: DreamId,
    /// What the model was shown, oldest first.
    pub shown: Vec<ShownSlice>,
    /// The size of the request in bytes; 0 where the model was not called.
    pub request_bytes: u64,
    /// What the call cost, where the host said.
    pub usage: Option<Usage>,
    /// Secrets that were masked before the request was made, by class.
    pub masked: Vec<Charge>,
    /// What the doors of request and answer found besides, by class: what was warned of, and instructions that were
    /// blocked or held.
    #[serde(default)]
    pub warned: Vec<Charge>,
    /// Journal lines that were left out of the request because a machine wrote them there: earlier dreams,
    /// recalled memory, marks of other tools.
    pub stripped: Vec<SourceRef>,
    /// Why there was no usable answer, for [`Outcome::LlmError`].
    pub failure: Option<Failure>,
    /// How the lease was lost, for [`Outcome::LeaseLost`].
    pub lost: Option<LostBy>,
    /// Every line of the answer and its fate.
    pub lines: Vec<LineReport>,
    /// What the sanitiser took out of the answer.
    pub dropped: Vec<Dropped>,
    /// Who is to blame, for [`Outcome::Quarantined`].
    pub quarantined: Vec<Blamed>,
    /// The section as it was appended, or in a proposal or a preview would be.
    pub section: Option<String>,
}

impl PassReport {
    /// That of a pass that has come to nothing yet.
    #[must_use]
    pub fn new(dream_id: DreamId) -> Self {
        Self {
            outcome: Outcome::NothingNew,
            dream_id,
            shown: Vec::new(),
            request_bytes: 0,
            usage: None,
            masked: Vec::new(),
            warned: Vec::new(),
            stripped: Vec::new(),
            failure: None,
            lost: None,
            lines: Vec::new(),
            dropped: Vec::new(),
            quarantined: Vec::new(),
            section: None,
        }
    }
}

impl PassReport {
    /// How many lines of the answer had each fate.
    pub(crate) fn fates(&self) -> BTreeMap<String, u32> {
        let mut fates = BTreeMap::new();
        for line in &self.lines {
            let word = match &line.fate {
                Fate::Promoted { .. } if self.outcome == Outcome::Proposed => "proposed",
                Fate::Promoted { .. } => "promoted",
                Fate::Duplicate => "duplicate",
                Fate::RemovedBefore => "removed_before",
                Fate::Forgotten => "forgotten",
                Fate::Held(_) => "held",
                Fate::OverCap(_) => "over_cap",
            };
            *fates.entry(word.to_owned()).or_default() += 1;
        }
        fates
    }

    /// Counts what was found and not masked.
    pub(crate) fn warn(&mut self, found: impl Iterator<Item = (String, u32)>) {
        for (class, count) in found {
            if self.masked.iter().any(|charge| charge.class == class) {
                continue;
            }
            match self.warned.iter_mut().find(|charge| charge.class == class) {
                Some(charge) => charge.count += count,
                None => self.warned.push(Charge { class, count }),
            }
        }
    }
}

impl fmt::Debug for PassReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassReport")
            .field("outcome", &self.outcome)
            .field("dream_id", &self.dream_id)
            .field("shown", &self.shown)
            .field("lines", &self.lines)
            .field("dropped", &self.dropped)
            .field("quarantined", &self.quarantined)
            .field("failure", &self.failure)
            .field("lost", &self.lost)
            .field("section_bytes", &self.section.as_ref().map(String::len))
            .finish_non_exhaustive()
    }
}

/// A slice of a journal that a model was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShownSlice {
    /// The journal.
    pub name: DocName,
    /// The first byte.
    pub from: u64,
    /// One past the last byte.
    pub to: u64,
    /// The first line, from 1.
    pub first_line: u64,
    /// The last line.
    pub last_line: u64,
}

/// One line of an answer and what became of it.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LineReport {
    /// The line after the sanitiser, without its bullet.
    pub text: String,
    /// The heading above it: `Facts`, `Preferences`, `Decisions`.
    pub heading: Option<String>,
    /// The journal lines that it cites.
    pub sources: Vec<SourceRef>,
    /// What became of it.
    pub fate: Fate,
}

impl LineReport {
    /// Says what became of a line.
    #[must_use]
    pub fn new(text: String, heading: Option<String>, sources: Vec<SourceRef>, fate: Fate) -> Self {
        Self { text, heading, sources, fate }
    }
}

/// A line with what became of it, for a person: it holds words of journals, as the line does.
///
/// ```
/// use noctuary::dream::{Fate, LineReport};
///
/// let line = LineReport::new("Likes tea.".to_owned(), None, Vec::new(), Fate::Promoted { cited: false });
/// assert_eq!(line.to_string(), "promoted, citing nothing: Likes tea.");
/// ```
impl fmt::Display for LineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fate {
            Fate::Held(Hold { word: Some(word), .. }) => {
                write!(f, "{} ({word}): {}", self.fate, self.text)
            }
            fate => write!(f, "{fate}: {}", self.text),
        }
    }
}

impl fmt::Debug for LineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "LineReport {{ bytes: {}, sources: {:?}, fate: {:?} }}",
            self.text.len(),
            self.sources,
            self.fate
        )
    }
}

/// What became of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fate {
    /// It is in the section, or in the proposal.
    Promoted {
        /// Whether it cites journal lines, which were then checked.
        cited: bool,
    },
    /// The same statement stands in `MEMORY.md`, in the archive, in a proposal that waits, or earlier in the answer.
    Duplicate,
    /// An earlier dream promoted it and a person took it out again, or said no to it.
    RemovedBefore,
    /// It says what the workspace has forgotten, and is reported as `[REDACTED:forgotten#1]`.
    Forgotten,
    /// Its evidence does not hold.
    Held(Hold),
    /// It lies beyond the bounds of a section.
    OverCap(DropReason),
}

impl fmt::Display for Fate {
    /// Says nothing of the line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Promoted { cited: true } => f.write_str("promoted"),
            Self::Promoted { cited: false } => f.write_str("promoted, citing nothing"),
            Self::Duplicate => f.write_str("memory holds it already"),
            Self::RemovedBefore => f.write_str("somebody took it out of memory before"),
            Self::Forgotten => f.write_str("it says what was forgotten"),
            Self::Held(hold) => write!(f, "held, {}", hold.reason.explain()),
            Self::OverCap(reason) => f.write_str(reason.explain()),
        }
    }
}

/// Why a line was held back.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hold {
    /// The check that it failed.
    pub reason: HoldReason,
    /// The word of the line that the check missed in its sources; for [`HoldReason::Origin`], whose words they are,
    /// such as `web` or `tool:psql`, and for
    /// [`HoldReason::Injection`] the reason of [`scan_injection`](crate::gate::scan_injection).
    pub word: Option<String>,
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.reason)
    }
}

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
    /// What it quotes does not stand in the cited lines word for word.
    Quote,
    /// It cites nothing, and citations are required.
    Uncited,
    /// It rests on the words of a page, a tool, an import or another person alone, or says that the user said what
    /// somebody else did.
    Origin,
    /// It is an order to its reader, and no statement.
    Imperative,
    /// It hides an instruction of a form that is known.
    Injection,
    /// It stands under another line of the answer, or leads to lines under it, and says something else alone.
    Nested,
}

impl HoldReason {
    /// Says it to a person.
    #[must_use]
    pub fn explain(self) -> &'static str {
        match self {
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
            Self::Injection => "hides an instruction",
            Self::Imperative => "is an order and no statement",
            Self::Nested => "is a part of a nested list and says something else alone",
        }
    }
}

/// What the sanitiser took out of an answer, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dropped {
    /// What it was.
    pub reason: DropReason,
    /// How often.
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
    /// Says it to a person.
    #[must_use]
    pub fn explain(self) -> &'static str {
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

/// How often a class of secrets was masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Charge {
    /// The class, such as `aws_access_key`.
    pub class: String,
    /// How many places.
    pub count: u32,
}

/// Journals that were quarantined for a secret in the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Blamed {
    /// The class of the secret.
    pub pattern: String,
    /// Where it stands: journal and line. Empty where no journal contains it, and all of the batch are blamed.
    pub places: Vec<SourceRef>,
    /// The quarantined journals.
    pub journals: Vec<DocName>,
    /// Where it stands to the character, and what to do about it; the first fifty.
    #[serde(default)]
    pub findings: Vec<GateFinding>,
}

/// Why there was no usable answer.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Failure {
    /// The client failed.
    Client {
        /// Its words, secrets masked.
        message: String,
        /// Whether it said that waiting may help.
        retryable: bool,
    },
    /// Nothing, or white space.
    Empty,
    /// Cut off at a length limit.
    Truncated,
    /// Ended by something else than the model: a content filter, a tool call.
    Stopped,
    /// Nobody said why it ended, so it may have been cut off.
    Unsaid,
    /// Not in the form that was asked for: neither bullets nor exactly the token for nothing, or, of a
    /// [`FactDreamer`](crate::dream::FactDreamer), no ruling for a pair that was shown.
    Malformed,
    /// Larger than any answer should be.
    TooLarge,
}

impl fmt::Debug for Failure {
    /// Vendors repeat prompts in their messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client { message, retryable } => {
                write!(f, "Client {{ message: {} bytes, retryable: {retryable} }}", message.len())
            }
            other => write!(f, "Failure({other})"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client { message, retryable: true } => {
                write!(f, "the client failed, which may pass: {message}")
            }
            Self::Client { message, retryable: false } => {
                write!(f, "the client failed, and waiting does not help: {message}")
            }
            Self::Empty => f.write_str("the answer was empty"),
            Self::Truncated => f.write_str("the answer was cut off"),
            Self::Stopped => f.write_str("the answer was stopped"),
            Self::Unsaid => f.write_str("the server did not say why the answer ended"),
            Self::Malformed => f.write_str("the answer had not the form that was asked for"),
            Self::TooLarge => f.write_str("the answer was too large"),
        }
    }
}

/// A candidate journal and why it was or was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JournalReport {
    /// The journal.
    pub name: DocName,
    /// Why.
    pub reason: ReadReason,
    /// Its size in bytes, where it was looked at.
    pub size: u64,
    /// Bytes that were shown in this run.
    pub shown: u64,
    /// Bytes that still wait.
    pub pending: u64,
}

/// Why a journal was or was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReadReason {
    /// It was shown, and nothing of it waits.
    Shown,
    /// It was shown, and the rest of it waits.
    PartlyShown,
    /// All of it was shown before.
    AlreadyShown,
    /// It changed where it had been shown before, so that was shown again.
    Rewritten,
    /// It did not fit and waits.
    OverBudget,
    /// It waits, since no model was asked: it was not due, or too many proposals wait.
    NotAsked,
    /// It was asked about, there was no usable answer, and it waits.
    Unanswered,
    /// It was shown, every line of the answer was held, and it waits for another try.
    Held,
    /// It waits for its last line to end.
    Unfinished,
    /// It is in quarantine until the operator releases it.
    Quarantined,
    /// A foreign peer's watermark says that it was dreamed.
    DreamedByPeer,
    /// Its date lies outside the window.
    OutsideWindow,
    /// It left the window before all of it was shown.
    Expired,
    /// It could not be read.
    Unreadable,
    /// Its name holds a secret, or what was forgotten, so it is not shown.
    SecretInName,
    /// It is empty, or nothing is left of it for a model to read.
    Empty,
}

impl ReadReason {
    /// Says it to a person.
    #[must_use]
    pub fn explain(self) -> &'static str {
        match self {
            Self::Shown => "read",
            Self::PartlyShown => "read in part",
            Self::AlreadyShown => "nothing new",
            Self::Rewritten => "read again, it was rewritten",
            Self::OverBudget => "waits, over budget",
            Self::NotAsked => "waits, no model was asked",
            Self::Unanswered => "waits, there was no usable answer",
            Self::Held => "waits, every line of the answer was held",
            Self::Unfinished => "waits for its last line to end",
            Self::Quarantined => "in quarantine",
            Self::DreamedByPeer => "dreamed by a peer",
            Self::OutsideWindow => "outside the window",
            Self::Expired => "left the window unread",
            Self::Unreadable => "could not be read",
            Self::SecretInName => "its name holds what is not shown",
            Self::Empty => "empty",
        }
    }
}

/// What waits for later passes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Backlog {
    /// How many journals.
    pub journals: u64,
    /// How many bytes.
    pub bytes: u64,
    /// The date of the oldest of them.
    pub oldest: Option<NaiveDate>,
}

/// How full `MEMORY.md` is against its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemoryGauge {
    /// Its length in characters.
    pub chars: u64,
    /// The budget in characters; being over it only warns.
    pub budget: u64,
}

impl MemoryGauge {
    /// Whether it is over its budget.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.chars > self.budget
    }
}

/// Why a dream is not due, and when it will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum NotDue {
    /// The interval since the last run has not passed.
    Interval {
        /// When it will have.
        next: DateTime<Utc>,
    },
    /// It backs off after failures in a row.
    BackOff {
        /// How many.
        failures: u32,
        /// When it tries again.
        next: DateTime<Utc>,
    },
    /// The day's calls are used up.
    CallsToday {
        /// How many were made.
        calls: u32,
        /// When the next day begins, at the earliest.
        next: DateTime<Utc>,
    },
    /// The day's bytes are used up.
    BytesToday {
        /// How many were sent.
        bytes: u64,
        /// When the next day begins, at the earliest.
        next: DateTime<Utc>,
    },
    /// The day's tokens are used up.
    TokensToday {
        /// How many were read and written, as the host said.
        tokens: u64,
        /// When the next day begins, at the earliest.
        next: DateTime<Utc>,
    },
}

impl NotDue {
    /// When to ask again.
    #[must_use]
    pub fn next(&self) -> DateTime<Utc> {
        match self {
            Self::Interval { next }
            | Self::BackOff { next, .. }
            | Self::CallsToday { next, .. }
            | Self::BytesToday { next, .. }
            | Self::TokensToday { next, .. } => *next,
        }
    }
}

impl fmt::Display for NotDue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interval { .. } => f.write_str("the interval since the last run has not passed")?,
            Self::BackOff { failures, .. } => {
                write!(f, "it backs off after {} in a row", counted(*failures, "failure"))?;
            }
            Self::CallsToday { calls, .. } => write!(f, "the day's calls are used up, {calls} of them")?,
            Self::BytesToday { bytes, .. } => write!(f, "the day's bytes are used up, {bytes} of them")?,
            Self::TokensToday { tokens, .. } => write!(f, "the day's tokens are used up, {tokens} of them")?,
        }
        write!(f, "; next at {}", self.next().format("%Y-%m-%d %H:%M:%S UTC"))
    }
}

/// Something that the operator should know besides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Notice {
    /// A section that a dream appended is no longer in `MEMORY.md`: somebody took it out, or an editor saved
    /// over it. It is not appended again, unless a person asks by [`redo_dream`](crate::JournalDreamer::redo_dream).
    SectionMissing(DreamId),
    /// Every line of an answer was held; so many journals wait for another try.
    HeldWaits(u64),
    /// Every line about this journal was held as often as it may be tried; what was shown of it counts as read, until
    /// [`read_again`](crate::JournalDreamer::read_again) gives it back.
    HeldUsedUp(DocName),
    /// `MEMORY.md` will be over its budget by what this night promotes; said before it is written.
    WillPassBudget {
        /// How many characters it will have.
        chars: u64,
        /// The budget in characters.
        budget: u64,
        /// Whether sections will move to the archive then.
        archives: bool,
    },
    /// A peer that knows only the watermark dreamed meanwhile; so many journals count as dreamed.
    DreamedByPeer(u64),
    /// Two names differ in case only.
    CaseCollision(DocName, DocName),
    /// An entry of a journal folder that is no journal and no plain file.
    RefusedEntry(String),
    /// So many journals wait in quarantine, which no run reads until they are released; said in each run.
    InQuarantine(u64),
    /// So many journals wait under names that hold what no model is shown: no run reads them until they are renamed; said
    /// in each run.
    HiddenNames(u64),
    /// A quarantined journal has grown since it was quarantined; it stays out until released.
    QuarantinedGrew(DocName),
    /// A journal changed between being selected and being read; it waits for the next pass.
    ChangedWhileReading(DocName),
    /// `MEMORY.md` is over its budget; nothing was dropped.
    MemoryOverBudget,
    /// Not all sections could be moved to the archive; what failed, in a sentence. The next run goes on with it.
    NotArchived(String),
    /// The lock could not be removed; peers wait for its time to run out.
    LockNotRemoved,
    /// No journal exists at all. The automatic daily log is off by default.
    NoJournals,
    /// The watermark lies in the future, so it is not trusted.
    WatermarkInFuture,
    /// A pass was committed, and the next one could not begin; what failed, in a sentence.
    StoppedEarly(String),
    /// So many proposals wait for a person's word.
    ProposalsWaiting(u64),
    /// So many proposals have waited for too long: they take no room among those that wait, and can still be accepted.
    ProposalsExpired(u64),
    /// There is an unfinished commit, which a preview does not finish.
    UnfinishedCommit(DreamId),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SectionMissing(id) => {
                write!(f, "the section of dream {id} is no longer in MEMORY.md; redo_dream brings it back")
            }
            Self::HeldWaits(journals) => {
                let wait = if *journals == 1 { "waits" } else { "wait" };
                let journals = counted(*journals, "journal");
                write!(f, "every line of an answer was held; {journals} {wait} for another try")
            }
            Self::HeldUsedUp(name) => {
                write!(
                    f,
                    "every line about {name} was held each time; it counts as read, read_again gives it back"
                )
            }
            Self::WillPassBudget { chars, budget, archives } => {
                let chars = counted(*chars, "character");
                write!(f, "MEMORY.md will have {chars}, over its budget of {budget}; ")?;
                f.write_str(if *archives {
                    "the oldest dream sections will move to the archive"
                } else {
                    "nothing will be dropped"
                })
            }
            Self::DreamedByPeer(journals) => write!(f, "a peer dreamed {}", counted(*journals, "journal")),
            Self::InQuarantine(journals) => {
                let wait = if *journals == 1 { "waits" } else { "wait" };
                write!(f, "{} {wait} in quarantine until released", counted(*journals, "journal"))
            }
            Self::HiddenNames(1) => {
                f.write_str("the name of 1 journal holds what is not shown; it waits until renamed")
            }
            Self::HiddenNames(journals) => {
                write!(f, "the names of {journals} journals hold what is not shown; they wait until renamed")
            }
            Self::CaseCollision(one, other) => write!(f, "{one} and {other} differ in case only"),
            Self::RefusedEntry(name) => write!(f, "{name:?} in a journal folder is no plain file"),
            Self::QuarantinedGrew(name) => write!(f, "{name} grew while in quarantine"),
            Self::ChangedWhileReading(name) => write!(f, "{name} changed while it was read, and waits"),
            Self::MemoryOverBudget => f.write_str("MEMORY.md is over its budget"),
            Self::NotArchived(why) => write!(f, "sections could not be moved to the archive: {why}"),
            Self::LockNotRemoved => {
                f.write_str("the lock could not be removed; peers wait for its time to run out")
            }
            Self::NoJournals => {
                f.write_str("there are no journals yet; they are memory/YYYY-MM-DD-<session>.md")
            }
            Self::WatermarkInFuture => f.write_str("the watermark lies in the future and is not trusted"),
            Self::StoppedEarly(why) => write!(f, "the run stopped after a committed pass: {why}"),
            Self::ProposalsWaiting(1) => f.write_str("1 proposal waits for a person's word"),
            Self::ProposalsWaiting(count) => {
                write!(f, "{} wait for a person's word", counted(*count, "proposal"))
            }
            Self::ProposalsExpired(1) => {
                f.write_str("1 proposal has waited for too long; it can still be accepted")
            }
            Self::ProposalsExpired(count) => {
                let proposals = counted(*count, "proposal");
                write!(f, "{proposals} have waited for too long; they can still be accepted")
            }
            Self::UnfinishedCommit(id) => {
                write!(f, "the commit of dream {id} is unfinished; a real run finishes it")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    #[test]
    fn a_report_is_told_in_a_line_and_its_lines_in_one_each() {
        let now = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
        let mut report = DreamReport::begun(DreamMode::Append, "life".to_owned(), now);
        let mut pass = PassReport::new(DreamId::parse("0123456789abcdef").unwrap());
        let hold = Hold { reason: HoldReason::Number, word: Some("4,200".to_owned()) };
        let fates = [
            Fate::Promoted { cited: true },
            Fate::Held(hold),
            Fate::Duplicate,
            Fate::OverCap(DropReason::TooMany),
        ];
        let line = |fate| LineReport::new("Tea.".to_owned(), None, Vec::new(), fate);
        pass.lines = fates.into_iter().map(line).collect();
        let told: Vec<String> = pass.lines.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "promoted: Tea.",
                "held, a number is not in the cited lines (4,200): Tea.",
                "memory holds it already: Tea.",
                "bullet over the item cap: Tea.",
            ]
        );
        assert!(!pass.lines[1].fate.to_string().contains("4,200"), "a fate alone holds no word of a journal");
        report.passes.push(pass);
        (report.outcome, report.calls) = (Outcome::Appended, 1);
        report.backlog = Backlog { journals: 2, bytes: 1200, oldest: None };
        assert_eq!(
            report.to_string(),
            "appended: 1 line promoted, 1 held, 1,200 bytes wait in 2 journals, 1 call"
        );
    }

    #[test]
    fn what_is_not_due_says_why_and_until_when() {
        let next = Utc.with_ymd_and_hms(2026, 11, 22, 3, 0, 0).unwrap();
        let told = |not_due: NotDue| not_due.to_string();
        assert_eq!(
            told(NotDue::BackOff { failures: 1, next }),
            "it backs off after 1 failure in a row; next at 2026-11-22 03:00:00 UTC"
        );
        assert_eq!(
            told(NotDue::CallsToday { calls: 6, next }),
            "the day's calls are used up, 6 of them; next at 2026-11-22 03:00:00 UTC"
        );
    }

    #[test]
    fn one_is_said_as_one() {
        let told: Vec<String> = [1, 2]
            .into_iter()
            .flat_map(|n| {
                [Notice::DreamedByPeer(n), Notice::ProposalsWaiting(n), Notice::ProposalsExpired(n)]
            })
            .map(|notice| notice.to_string())
            .collect();
        assert_eq!(
            told,
            [
                "a peer dreamed 1 journal",
                "1 proposal waits for a person's word",
                "1 proposal has waited for too long; it can still be accepted",
                "a peer dreamed 2 journals",
                "2 proposals wait for a person's word",
                "2 proposals have waited for too long; they can still be accepted",
            ]
        );
    }

    #[test]
    fn a_failure_says_whether_it_may_pass() {
        let told = |retryable| Failure::Client { message: "no route".to_owned(), retryable }.to_string();
        assert_eq!(told(true), "the client failed, which may pass: no route");
        assert_eq!(told(false), "the client failed, and waiting does not help: no route");
    }
}
