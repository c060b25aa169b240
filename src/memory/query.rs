//! A search, and the filter of lists and searches.

use std::fmt::{self, Debug};

use chrono::{DateTime, Utc};
use noctuary_index::rank::Order;

use super::row::Memory;
use crate::base::gather::Gather as _;
use crate::embed::EmbedderId;

/// The rows that are listed or searched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each says of one kind of rows whether they are taken")]
pub struct Filter {
    /// Keeps only rows of this category.
    pub category: Option<String>,
    /// Only what was touched at or after this.
    pub since: Option<DateTime<Utc>>,
    /// Only what was touched before this.
    pub until: Option<DateTime<Utc>>,
    /// Leaves out what came from a tool, a page or an import.
    pub trusted: bool,
    /// Only what dreams promoted.
    pub dreamed: bool,
    /// Retired facts too. A list alone has them; a search is led to what replaced them.
    pub retired: bool,
    /// Only rows that were deleted and are not purged yet. A list of a main session alone has them. A search finds none of them.
    pub deleted: bool,
    /// Maximum number.
    pub limit: usize,
}

impl Filter {
    /// Makes a filter for at most `limit` rows of any kind.
    #[must_use]
    pub fn limit(limit: usize) -> Self {
        Self {
            category: None,
            since: None,
            until: None,
            trusted: false,
            dreamed: false,
            retired: false,
            deleted: false,
            limit,
        }
    }

    /// Keeps only rows of this category.
    #[must_use]
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.category = Some(category.into());
        self
    }

    /// Returns whether it takes this row; the limit is not looked at. The case of ASCII letters in a category does not
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
    /// The text that is searched for.
    pub text: String,
    /// The syntax of `text`.
    pub syntax: Syntax,
    /// The rows that are searched.
    pub filter: Filter,
    /// The order.
    pub order: Order,
    /// The vector of the text, where the host made it; else the store's embedder does, if it has one.
    pub vector: Option<QueryVector>,
    /// The time of the search: hits say by it that their [time is over](super::Memory::stale_after).
    pub now: Option<DateTime<Utc>>,
    /// The time in the past that the query asks about.
    pub as_of: Option<AsOf>,
}

/// A time in the past that a search asks about, and whose knowledge of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AsOf {
    /// The statements that held then, as it is known by now: late news of that time count.
    Held(DateTime<Utc>),
    /// The statements that the store had then, and had not retired.
    Believed(DateTime<Utc>),
}

/// The vector of a query. `Debug` prints none of its numbers.
#[derive(Clone)]
pub struct QueryVector {
    pub(crate) embedder: EmbedderId,
    pub(crate) numbers: Vec<f32>,
}

impl QueryVector {
    /// Makes the vector of a query, by an embedder.
    #[must_use]
    pub fn new(embedder: &EmbedderId, numbers: Vec<f32>) -> Self {
        Self { embedder: embedder.clone(), numbers }
    }
}

impl PartialEq for QueryVector {
    fn eq(&self, other: &Self) -> bool {
        let bits = |vector: &Self| vector.numbers.iter().map(|number| number.to_bits()).gather();
        self.embedder == other.embedder && bits(self) == bits(other)
    }
}

impl Eq for QueryVector {}

impl Debug for QueryVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QueryVector {{ dimensions: {} }}", self.numbers.len())
    }
}

/// The syntax of a query's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Syntax {
    /// As a person types it; where it clearly holds operators (a quoted phrase, `AND`, `OR`, `NOT`, `category:`,
    /// a trailing `*`) they count.
    #[default]
    Plain,
    /// The syntax of FTS5; text that FTS5 does not accept is read as plain.
    Fts,
}

impl Query {
    /// Searches for what a person types, at most ten rows.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            syntax: Syntax::Plain,
            filter: Filter::limit(10),
            order: Order::Relevance,
            vector: None,
            now: None,
            as_of: None,
        }
    }

    /// Searches in FTS5's own syntax.
    pub fn fts(text: impl Into<String>) -> Self {
        Self { syntax: Syntax::Fts, ..Self::new(text) }
    }

    /// Keeps a maximum of rows.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.filter.limit = limit;
        self
    }

    /// Says when it is, so that hits whose time is over say so.
    #[must_use]
    pub fn now(mut self, now: DateTime<Utc>) -> Self {
        self.now = Some(now);
        self
    }

    /// Asks about a time in the past. Each found row is replaced by the one of its
    /// [history](crate::facts::FactStore::history) that held then. Without one it is left out. So is a value whose
    /// history ends with a row that was rejected or deleted. A row that was replaced since [says by
    /// what](super::Stale::Replaced).
    ///
    /// ```
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::facts::{FactKey, FactStore};
    /// use noctuary::memory::{AsOf, NewMemory, Query, Source, categories};
    /// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
    /// let access = Access::agent(Scope::user("marta"));
    /// for (month, city) in [(3, "Oslo"), (9, "Bergen")] {
    ///     let words = format!("The office is in {city}.");
    ///     let fact = NewMemory::new(categories::FACT, words, Source::AgentRecorded).about(FactKey::one("office", "city"));
    ///     store.replace(&access, &fact, Utc.with_ymd_and_hms(2026, month, 1, 9, 0, 0).unwrap())?;
    /// }
    /// let may = Utc.with_ymd_and_hms(2026, 5, 1, 9, 0, 0).unwrap();
    /// let found = store.search(&access, &Query::new("Where is the office?").as_of(AsOf::Held(may)))?;
    /// assert_eq!(found.hits[0].memory.content, "The office is in Oslo.");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn as_of(mut self, time: AsOf) -> Self {
        self.as_of = Some(time);
        self
    }

    /// Hands in the vector of the text, by an embedder of the host's. An unusable one counts as none, and the outcome
    /// says so.
    ///
    /// ```
    /// use noctuary::memory::Query;
    /// use noctuary::testing::HashEmbedder;
    /// use noctuary::vectors::{Embedder, Purpose};
    ///
    /// let (embedder, text) = (HashEmbedder::new(64), "Where did I buy the rope?");
    /// let vector = embedder.embed(&[text], Purpose::Query)?.remove(0); // an async host awaits its own client
    /// let query = Query::new(text).vector(embedder.id(), vector);
    /// # let _ = query;
    /// # Ok::<(), noctuary::vectors::EmbedError>(())
    /// ```
    #[must_use]
    pub fn vector(mut self, embedder: &EmbedderId, numbers: Vec<f32>) -> Self {
        self.vector = Some(QueryVector::new(embedder, numbers));
        self
    }
}

impl Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, syntax, filter, order, vector, now, as_of } = self;
        let bytes = text.len();
        write!(
            f,
            "Query {{ {bytes} bytes, {syntax:?}, {order:?}, {filter:?}, {vector:?}, {now:?}, {as_of:?} }}"
        )
    }
}
