//! The contract of a memory store: rows that were remembered, found again by what they say.
//!
//! Files are the truth; a store is how an agent finds the right line of them among a hundred thousand. Every
//! verb states its [`Access`]: rows are private unless they were written as shared, and a session with others
//! present finds shared ones only. That holds down to the query, not only in what is printed.

use std::fmt::{self, Debug};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::document::SourceRef;
use crate::base::error::Result;
use crate::base::receipt::PlaceReceipt;
use crate::format::{DreamId, Origin};
use crate::memory::key::FactKey;

/// Rows under ids, with search. Verbs block; an async host calls them on a thread that may.
///
/// # Example: a row that begins every prompt, and what the audit says of it
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::memory::{NewMemory, Source};
/// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store: Box<dyn MemoryStore> = Box::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
/// let human = Access::human(Scope::user("marta"));
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// let typed = NewMemory::new("personalization", "Answer in German", Source::UserManual);
/// let id = store.write(&human, &typed, now)?;
/// store.pin(&human, id, true, now)?;
/// assert_eq!(store.snapshot(&human, 50, now)?[0].content, "Answer in German");
///
/// let agent = Access::agent(Scope::user("marta"));
/// assert!(store.delete(&agent, id, now).is_err(), "what the human typed is theirs");
/// let audit = store.audit(&human, 9)?;
/// let told: Vec<_> = audit.iter().map(|entry| (entry.action.as_str(), entry.outcome.as_str())).collect();
/// assert_eq!(
///     told,
///     [("memory_delete", "refused: denied"), ("memory_pin", "done"), ("memory_write", "done")]
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MemoryStore: Debug + Send + Sync {
    /// Says where it is, for messages: a path.
    fn location(&self) -> String;

    /// Says whose rows it holds, always the same: any other scope finds nothing in it. A dreamer that is built for
    /// another one is refused by that. As provided it is `None`: nobody is told.
    fn scope(&self) -> Option<&Scope> {
        None
    }

    /// Writes a row and returns its id. When it returns, the row is durable and found by a search.
    ///
    /// What a dream promoted is written once: where a row of that [dream](NewMemory::of_dream) has the same words, its
    /// id is returned and nothing changes, also where somebody deleted or retired it. What the library itself deleted
    /// comes back.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`](crate::Error::Stopped) where the content holds what the store does not take in,
    /// [`Error::TooLarge`](crate::Error::TooLarge) above the row cap, [`Error::Denied`](crate::Error::Denied)
    /// where the actor may not claim the source.
    fn write(&self, access: &Access, memory: &NewMemory, now: DateTime<Utc>) -> Result<MemoryId>;

    /// Reads a row as it stands; `None` where it is missing, deleted, or not for this session.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    fn get(&self, access: &Access, id: MemoryId) -> Result<Option<Memory>>;

    /// Lists rows as they stand, most recently touched first; ties by id, the greater first.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    fn list(&self, access: &Access, filter: &Filter) -> Result<Vec<Memory>>;

    /// Lists the rows for a prompt: the pinned ones, then those touched last, at most `limit` together; each
    /// ordered as a [`list`](Self::list). What came from a tool, a page or an import is left out, and so is what
    /// is pending; where anything is, it is [settled](crate::facts::FactStore::settle) first, if that can be.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    fn snapshot(&self, access: &Access, limit: usize, now: DateTime<Utc>) -> Result<Vec<SnapshotRow>>;

    /// Finds rows by what a person types, as a model may be shown them: by the store's policy of
    /// [`Door::PromptLoad`](crate::gate::Door::PromptLoad), so secrets are masked and instructions blocked, as they are unless it
    /// says otherwise. A row that only its masked words led to is not found; notes of the host in which anything was found are left out. Never fails
    /// because of the query's text.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    fn search(&self, access: &Access, query: &Query) -> Result<Found>;

    /// Finds what [`search`](Self::search) does, as it stands in the store: for the owner's own eyes, for what counts or
    /// compares rows, and for whoever masks it. It belongs into no request of a model.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    fn search_unmasked(&self, access: &Access, query: &Query) -> Result<Found>;

    /// Replaces the content of a row, and touches it.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write); [`Error::Denied`](crate::Error::Denied) for a row that this actor may not
    /// [edit](Source::may_edit), and outside a main session for every row, whether there is one or not.
    fn update(&self, access: &Access, id: MemoryId, content: &str, now: DateTime<Utc>) -> Result<bool>;

    /// Hides a row until it is restored or purged; `false` where there was none.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) as of [`update`](Self::update), and for the agent where the human
    /// confirmed the row or pinned it.
    fn delete(&self, access: &Access, id: MemoryId, now: DateTime<Utc>) -> Result<bool>;

    /// Takes a deletion back; `false` where there is nothing to restore, or its time is over.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) as of [`update`](Self::update).
    fn restore(&self, access: &Access, id: MemoryId, now: DateTime<Utc>) -> Result<bool>;

    /// Pins a row, so that every [`snapshot`](Self::snapshot) begins with it, or lets it go; `false` where there
    /// is none. It is not touched by that, and can be deleted as before, but for one that the human pinned: not by the agent.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session, and for the agent and the library where a
    /// row is not theirs to [edit](Source::may_edit), or to let go since the human pinned it. The human pins any row.
    fn pin(&self, access: &Access, id: MemoryId, pinned: bool, now: DateTime<Utc>) -> Result<bool>;

    /// Removes rows for good that were deleted before `cutoff`, with all that derives from them; returns how
    /// many. No other row is removed, ever. Due every [half hour](is_purge_due).
    ///
    /// # Errors
    ///
    /// Those of the backend.
    fn purge(&self, cutoff: DateTime<Utc>, now: DateTime<Utc>) -> Result<u64>;

    /// Forgets a statement: every row that says it is removed for good, deleted and retired ones included, with what
    /// derives from it; so is every learning, every value of the profile, and every reason in the audit. A tombstone without content
    /// stays, and no verb takes the statement in again until the human [lifts](Self::lift) it.
    ///
    /// A statement is its words in their order, whatever is around them; a row that says more goes as a whole. When it
    /// returns, the words are in none of the store's files, unless the receipt says so.
    /// [`Forget`](crate::exchange::Forget) asks a store, a workspace and its index at once.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session, and for anybody but the human where they
    /// typed or confirmed one of the rows; [`Error::Config`](crate::Error::Config) for fewer than two words of fewer
    /// than eight characters. Nothing was forgotten.
    fn forget(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<Vec<PlaceReceipt>>;

    /// Lets a statement that was forgotten be written again; `false` where it was not. Nothing comes back by it.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session, and for anybody but the human.
    fn lift(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<bool>;

    /// Sets a fact of the profile: one value a key. A key is overwritten, and not deleted.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write); [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn set_profile(&self, access: &Access, key: &str, value: &str, now: DateTime<Utc>) -> Result<()>;

    /// Returns the profile by key; of it a session with others present sees name, timezone and language.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    fn profile(&self, access: &Access) -> Result<Vec<(String, String)>>;

    /// Lists what was done and what was refused, the latest first, at most `limit` entries.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn audit(&self, access: &Access, limit: usize) -> Result<Vec<AuditEntry>>;
}

/// Whether deleted rows are to be [purged](MemoryStore::purge) at `now`: half an hour after they last were. (seed
/// 003, Schema)
///
/// ```
/// use chrono::{TimeDelta, Utc};
/// use noctuary::memory::is_purge_due;
///
/// let now = Utc::now();
/// assert!(is_purge_due(None, now));
/// assert!(!is_purge_due(Some(now - TimeDelta::minutes(29)), now));
/// assert!(is_purge_due(Some(now - TimeDelta::minutes(30)), now));
/// ```
#[must_use]
pub fn is_purge_due(last: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    // A clock that was set back must not put it off.
    last.is_none_or(|last| last > now || now - last >= TimeDelta::minutes(30))
}

/// The id of a row: positive, never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryId(i64);

impl MemoryId {
    /// An id of a store.
    #[must_use]
    pub fn new(id: i64) -> Self {
        Self(id)
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Where a row comes from. Set by the caller, who knows; never taken from what a model says of itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// Typed by the human into an interface. Never retired by code or model.
    UserManual,
    /// The human asked in a conversation to remember it.
    UserExplicit,
    /// A preference that was observed often enough.
    LearnedPreference,
    /// Derived from history by a rebuild.
    Inferred,
    /// Taken from a conversation by a scan.
    ChatExtracted,
    /// Recorded by the agent.
    AgentRecorded,
    /// Promoted by a dream.
    Dreamed,
    /// Brought from elsewhere.
    Imported,
    /// A word of another program, kept as it is.
    #[serde(untagged)]
    Other(String),
}

impl Source {
    /// The word that stands for it in a file: `user_manual`.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::UserManual => "user_manual",
            Self::UserExplicit => "user_explicit",
            Self::LearnedPreference => "learned_preference",
            Self::Inferred => "inferred",
            Self::ChatExtracted => "chat_extracted",
            Self::AgentRecorded => "agent_recorded",
            Self::Dreamed => "dreamed",
            Self::Imported => "imported",
            Self::Other(word) => word,
        }
    }

    /// The source that a word stands for. A word of another program is kept as it is.
    #[must_use]
    pub fn of(word: &str) -> Self {
        let known = [
            Self::UserManual,
            Self::UserExplicit,
            Self::LearnedPreference,
            Self::Inferred,
            Self::ChatExtracted,
            Self::AgentRecorded,
            Self::Dreamed,
            Self::Imported,
        ];
        known.into_iter().find(|source| source.word() == word).unwrap_or_else(|| Self::Other(word.to_owned()))
    }

    /// Whether a human typed it into an interface, however the word came.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        self.word() == Self::UserManual.word()
    }

    /// Whether `actor` may write rows with this source: what a human typed is claimed by the human alone, and
    /// what a dream promoted never by the agent.
    #[must_use]
    pub fn may_be_claimed(&self, actor: Actor) -> bool {
        match Self::of(self.word()) {
            Self::UserManual => actor == Actor::Human,
            Self::Dreamed => actor != Actor::Agent,
            _ => true,
        }
    }

    /// Whether `actor` may change the words of a row with this source: the human, through an interface, of the
    /// personal ones that were typed into it; agent and library of all others. (seed 003, Schema)
    ///
    /// The same holds for who deletes and restores it, but that the human of a main session may do so with any row.
    #[must_use]
    pub fn may_edit(source: Option<&Self>, category: &str, actor: Actor) -> bool {
        let is_typed = source.is_some_and(Self::is_typed);
        match actor {
            Actor::Human => is_typed && category == categories::PERSONALIZATION,
            Actor::Agent | Actor::Library => !is_typed,
        }
    }
}

/// Who says it, where a row is a part of a conversation or journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The human.
    User,
    /// The agent.
    Agent,
    /// A tool, a page, an import: nobody's own words.
    Other,
}

/// Where in a conversation a row stands, so that a search can weigh its neighbours and its session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The conversation or journal.
    pub session: String,
    /// The position in it, ascending.
    pub position: u64,
    /// Who says it.
    pub role: Role,
    /// The speaker's name, where there is one. It is searched too.
    pub speaker: Option<String>,
    /// When it was said. Its date is searched too.
    pub said_at: Option<DateTime<Utc>>,
}

/// A row to write.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewMemory {
    /// What kind of memory it is: one of [`categories`], or a word of the host's.
    pub category: String,
    /// What is remembered.
    pub content: String,
    /// Where it comes from.
    pub source: Source,
    /// Notes of the host, as JSON; never trusted.
    pub metadata: Option<serde_json::Value>,
    /// Where it was said.
    pub place: Option<Place>,
    /// Whether sessions with others present may find it. Private unless said otherwise.
    pub shared: bool,
    /// From what the words came. The host says it, never the model.
    pub origin: Option<Origin>,
    /// Why it is written, for the audit.
    pub reason: Option<String>,
    /// What it is about, where it states a fact.
    pub about: Option<FactKey>,
    /// Since when it is true, where that is known.
    pub valid_from: Option<DateTime<Utc>>,
    /// The lines that it was taken from.
    pub cites: Vec<SourceRef>,
    /// The dream that promoted it.
    pub dream: Option<DreamId>,
}

impl NewMemory {
    /// A private row.
    pub fn new(category: impl Into<String>, content: impl Into<String>, source: Source) -> Self {
        Self {
            category: category.into(),
            content: content.into(),
            source,
            metadata: None,
            place: None,
            shared: false,
            origin: None,
            reason: None,
            about: None,
            valid_from: None,
            cites: Vec::new(),
            dream: None,
        }
    }

    /// Sets where it was said.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Lets sessions with others present find it.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.shared = true;
        self
    }

    /// Sets from what the words came.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Sets the host's notes.
    #[must_use]
    pub fn metadata(mut self, metadata: serde_json::Value) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Says why, for the audit.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Says what it is about, where it states a fact.
    #[must_use]
    pub fn about(mut self, key: FactKey) -> Self {
        self.about = Some(key);
        self
    }

    /// Says since when it is true.
    #[must_use]
    pub fn valid_from(mut self, time: DateTime<Utc>) -> Self {
        self.valid_from = Some(time);
        self
    }

    /// Names the lines that it was taken from.
    #[must_use]
    pub fn cites(mut self, lines: Vec<SourceRef>) -> Self {
        self.cites = lines;
        self
    }

    /// Names the dream that promoted it.
    #[must_use]
    pub fn of_dream(mut self, dream: DreamId) -> Self {
        self.dream = Some(dream);
        self
    }

    /// From what the words came: as it was said, and what is imported came by an import.
    pub(crate) fn came_by(&self) -> Option<Origin> {
        let is_imported = self.source.word() == Source::Imported.word();
        self.origin.clone().or(is_imported.then_some(Origin::Import))
    }
}

impl Debug for NewMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NewMemory {{ {}, {} bytes, {:?} }}", self.category, self.content.len(), self.source)
    }
}

/// A row.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// Its id.
    pub id: MemoryId,
    /// What kind of memory it is.
    pub category: String,
    /// What is remembered.
    pub content: String,
    /// Where it comes from; `None` where another program did not say.
    pub source: Option<Source>,
    /// Notes of the host.
    pub metadata: Option<serde_json::Value>,
    /// Where it was said.
    pub place: Option<Place>,
    /// Whether sessions with others present may find it.
    pub shared: bool,
    /// From what the words came, where that was said.
    pub origin: Option<Origin>,
    /// The lines that it was taken from.
    pub cites: Vec<SourceRef>,
    /// The dream that promoted it.
    pub dream: Option<DreamId>,
    /// Whether every [`snapshot`](MemoryStore::snapshot) begins with it.
    pub pinned: bool,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When its content last changed.
    pub updated_at: DateTime<Utc>,
}

impl Memory {
    /// A row as a store has it that just took it in.
    #[must_use]
    pub fn new(id: MemoryId, written: NewMemory, now: DateTime<Utc>) -> Self {
        let origin = written.came_by();
        let NewMemory { category, content, source, metadata, place, shared, cites, dream, .. } = written;
        Self {
            id,
            category,
            content,
            source: Some(source),
            metadata,
            place,
            shared,
            origin,
            cites,
            dream,
            pinned: false,
            created_at: now,
            updated_at: now,
        }
    }

    /// Whether its words are somebody's own: not those of a tool, a page or an import.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.origin.as_ref().is_none_or(Origin::is_trusted)
            && self.source.as_ref().is_none_or(|source| source.word() != Source::Imported.word())
    }
}

impl Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory {{ {}, {}, {} bytes }}", self.id, self.category, self.content.len())
    }
}

/// A row as a prompt shows it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotRow {
    /// Its id.
    pub id: MemoryId,
    /// What kind of memory it is.
    pub category: String,
    /// What is remembered.
    pub content: String,
    /// Whether every snapshot begins with it.
    pub pinned: bool,
}

impl SnapshotRow {
    /// A row of a store.
    #[must_use]
    pub fn new(id: MemoryId, category: String, content: String, pinned: bool) -> Self {
        Self { id, category, content, pinned }
    }
}

impl Debug for SnapshotRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SnapshotRow {{ {}, {}, {} bytes }}", self.id, self.category, self.content.len())
    }
}

/// Which rows are listed or searched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filter {
    /// Only of this category.
    pub category: Option<String>,
    /// Only what was touched at or after this.
    pub since: Option<DateTime<Utc>>,
    /// Only what was touched before this.
    pub until: Option<DateTime<Utc>>,
    /// Leaves out what came from a tool, a page or an import.
    pub trusted: bool,
    /// Only what dreams promoted.
    pub dreamed: bool,
    /// Also facts that are retired. A list alone has them; a search never.
    pub retired: bool,
    /// At most so many.
    pub limit: usize,
}

impl Filter {
    /// At most `limit` rows of any kind.
    #[must_use]
    pub fn limit(limit: usize) -> Self {
        Self {
            category: None,
            since: None,
            until: None,
            trusted: false,
            dreamed: false,
            retired: false,
            limit,
        }
    }

    /// Only of this category.
    #[must_use]
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.category = Some(category.into());
        self
    }

    /// Whether it takes this row; the limit is not looked at. The case of ASCII letters in a category does not
    /// count.
    #[must_use]
    pub fn takes(&self, memory: &Memory) -> bool {
        self.category.as_ref().is_none_or(|category| memory.category.eq_ignore_ascii_case(category))
            && self.since.is_none_or(|since| memory.updated_at >= since)
            && self.until.is_none_or(|until| memory.updated_at < until)
            && (!self.trusted || memory.is_trusted())
            && (!self.dreamed || memory.dream.is_some())
    }
}

/// A search. `Debug` does not print what is searched for.
///
/// ```
/// use noctuary::memory::{Order, Query};
/// use noctuary::{FileMemoryStore, MemoryStore};
/// # use noctuary::{Access, Scope};
///
/// # let (folder, marta) = (tempfile::tempdir()?, Access::agent(Scope::user("marta")));
/// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
/// let mut query = Query::new("\"stop loss\" OR slippage").limit(3);
/// query.filter = query.filter.category("preference");
/// query.order = Order::Recency;
/// assert!(store.search(&marta, &query)?.hits.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Query {
    /// What is searched for.
    pub text: String,
    /// How `text` is read.
    pub syntax: Syntax,
    /// Which rows.
    pub filter: Filter,
    /// In which order.
    pub order: Order,
}

/// How the text of a query is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Syntax {
    /// As a person types it; where it clearly holds operators (a quoted phrase, `AND`, `OR`, `NOT`, `category:`,
    /// a trailing `*`) they count.
    #[default]
    Plain,
    /// As FTS5 has it; text that it does not take is read as plain.
    Fts,
}

/// In which order rows are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The best first.
    #[default]
    Relevance,
    /// The most recently touched first.
    Recency,
}

impl Query {
    /// Searches for what a person types, at most ten rows.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), syntax: Syntax::Plain, filter: Filter::limit(10), order: Order::Relevance }
    }

    /// Searches in FTS5's own syntax.
    pub fn fts(text: impl Into<String>) -> Self {
        Self { syntax: Syntax::Fts, ..Self::new(text) }
    }

    /// At most so many rows.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.filter.limit = limit;
        self
    }
}

impl Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, syntax, filter, order } = self;
        write!(f, "Query {{ {} bytes, {syntax:?}, {order:?}, {filter:?} }}", text.len())
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// How sure it is.
    pub outcome: SearchOutcome,
    /// The rows, best first.
    pub hits: Vec<Hit>,
}

impl Found {
    /// Rows that were found, best first.
    #[must_use]
    pub fn new(outcome: SearchOutcome, hits: Vec<Hit>) -> Self {
        Self { outcome, hits }
    }

    /// No rows.
    #[must_use]
    pub fn nothing() -> Self {
        Self { outcome: SearchOutcome::Empty, hits: Vec::new() }
    }
}

/// How sure a search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SearchOutcome {
    /// Rows that fit well.
    Hit,
    /// Rows that share little with the query.
    Weak,
    /// Nothing.
    Empty,
    /// An arm of the search failed; what the others found.
    Degraded,
}

/// A row that was found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// The row.
    pub memory: Memory,
    /// How well it fits: 1 where it is first in all lists. Compares within one result only.
    pub score: f64,
    /// Why it was found: each list that it is in, with its rank from 1; and `newer`, with the rank that it had, where it
    /// was brought before an older row that answers the same.
    pub why: Vec<(&'static str, usize)>,
}

impl Hit {
    /// A row of a store.
    #[must_use]
    pub fn new(memory: Memory, score: f64, why: Vec<(&'static str, usize)>) -> Self {
        Self { memory, score, why }
    }
}

/// Hears what was changed in a store, after it is durable.
///
/// ```
/// use std::sync::Arc;
/// use noctuary::memory::{MemoryEvent, MemoryObserver};
/// use noctuary::store::StoreConfig;
///
/// #[derive(Debug)]
/// struct ToStderr;
///
/// impl MemoryObserver for ToStderr {
///     fn event(&self, event: &MemoryEvent) {
///         eprintln!("{} {:?}", event.name, event.id);
///     }
/// }
///
/// let mut config = StoreConfig::default();
/// config.observer = Some(Arc::new(ToStderr));
/// ```
pub trait MemoryObserver: Debug + Send + Sync {
    /// Called once for each change, never for one that was refused. It may call the store.
    fn event(&self, event: &MemoryEvent);
}

/// A change in a store. It holds no text of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MemoryEvent {
    /// `memory:written` for a new row and for new content, `memory:deleted`, `memory:restored`, `memory:pinned`,
    /// `memory:unpinned`, `memory:purged`, `memory:forgotten`,
    /// `profile:written`, `learning:written`; `fact:recorded` for a new fact that is pending,
    /// `fact:retired` and `fact:returned`.
    pub name: &'static str,
    /// The row; `None` for the profile and for a learning.
    pub id: Option<MemoryId>,
}

impl MemoryEvent {
    /// A change of a row, or of the profile.
    #[must_use]
    pub fn new(name: &'static str, id: Option<MemoryId>) -> Self {
        Self { name, id }
    }
}

/// A line of the audit: what was done to a store or refused, by whom and why, without the words that it was about.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditEntry {
    /// When.
    pub at: DateTime<Utc>,
    /// Who acted.
    pub actor: Actor,
    /// In what kind of session; `None` where it was in none.
    pub kind: Option<SessionKind>,
    /// `memory_write`, `memory_update`, `memory_delete`, `memory_restore`, `memory_pin`, `memory_unpin`,
    /// `memory_removed` for a row that is gone for good, `memory_forget`, `memory_lift`, `memory_learn`, or
    /// `profile_write`.
    pub action: String,
    /// `done`, or `refused: ` with the classes of what was found or the rule that was broken.
    pub outcome: String,
    /// The row, where it has an id.
    pub id: Option<MemoryId>,
    /// Where the row comes from, as it was claimed.
    pub source: Option<Source>,
    /// From what the words came.
    pub origin: Option<Origin>,
    /// Why, as it was stored: with secrets and instructions masked.
    pub reason: Option<String>,
}

impl AuditEntry {
    /// What somebody did, or was refused, without the rest: its fields can be set.
    pub fn new(
        at: DateTime<Utc>,
        actor: Actor,
        action: impl Into<String>,
        outcome: impl Into<String>,
    ) -> Self {
        Self {
            at,
            actor,
            kind: None,
            action: action.into(),
            outcome: outcome.into(),
            id: None,
            source: None,
            origin: None,
            reason: None,
        }
    }
}

impl Debug for AuditEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AuditEntry {{ {:?}, {}, {}, {:?} }}", self.actor, self.action, self.outcome, self.id)
    }
}

/// The categories of the seed; any other word is one too. The manual says [who writes
/// which](crate::manual::memory).
pub mod categories {
    /// A preference that the human declared.
    pub const PREFERENCE: &str = "preference";
    /// Something that the agent noticed.
    pub const OBSERVATION: &str = "observation";
    /// A completed trade with profit and loss (finance).
    pub const TRADE_OUTCOME: &str = "trade_outcome";
    /// A lesson from an outcome.
    pub const LESSON: &str = "lesson";
    /// Rebuilt from history from time to time.
    pub const PERSONALIZATION: &str = "personalization";
    /// An event to remember.
    pub const ALERT: &str = "alert";
    /// A durable fact: an address, a number.
    pub const REFERENCE: &str = "reference";
    /// A fact about the human.
    pub const FACT: &str = "fact";

    /// All of them.
    pub const ALL: [&str; 8] =
        [PREFERENCE, OBSERVATION, TRADE_OUTCOME, LESSON, PERSONALIZATION, ALERT, REFERENCE, FACT];
}

/// How the index of a store stands to its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexState {
    /// It says what the rows say.
    Sound,
    /// It does not, and `rebuild_index` mends it.
    Drifted,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first words of the rows of a table in the manual.
    fn listed(section: &str) -> Vec<String> {
        let page = include_str!("../manual/memory.md");
        let (_, rest) = page.split_once(&format!("## {section}\n")).unwrap();
        let section = rest.split("\n## ").next().unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        rows.map(|row| row.split('`').next().unwrap().to_owned()).collect()
    }

    // MS-13
    #[test]
    fn the_manual_lists_every_category_and_source() {
        assert_eq!(listed("Categories"), categories::ALL);
        let sources = listed("Sources");
        assert_eq!(sources.len(), 8);
        for word in sources {
            assert!(!matches!(Source::of(&word), Source::Other(_)), "{word}");
        }
    }

    // SN-08
    #[test]
    fn the_categories_are_those_of_the_seed() {
        let seed = [
            "preference",
            "observation",
            "trade_outcome",
            "lesson",
            "personalization",
            "alert",
            "reference",
            "fact",
        ];
        assert_eq!(categories::ALL, seed);
    }

    // MS-10
    #[test]
    fn a_clock_that_was_set_back_puts_no_purge_off() {
        let now = DateTime::UNIX_EPOCH;
        assert!(is_purge_due(Some(now + TimeDelta::seconds(1)), now));
        assert!(!is_purge_due(Some(now), now));
    }
}
