//! The contract of a home of edges: what is mentioned where, and beside what.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::{self, Debug};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::edge::Edge;
use super::entity::Entity;
use crate::base::access::Access;
use crate::base::debug::debug_as;
use crate::base::document::SourceRef;
use crate::base::error::Result;
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::facts::{Fact, Suspicion};
use crate::learning::{RoleNote, RoleNoteId};
use crate::memory::MemoryId;

/// Edges from texts to the entities that they speak of. A memory store keeps the edges of its rows and of its [notes of
/// roles](crate::learning::RoleStore). An [`Indexed`](crate::life::Indexed) workspace keeps the edges of its documents.
///
/// Edges are derived: they are written with the row in one step, and go with it. They are for finding one's way, and no
/// search is ranked by them. A session with others present gets only shared rows, down to the query, and no note.
/// Nobody gets deleted or retired rows.
///
/// # Example: the surroundings of a name
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::edges::EdgeStore;
/// use noctuary::memory::{NewMemory, Source};
/// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
/// let access = Access::agent(Scope::user("marta"));
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// for text in ["Marta moored Brisk in Lisbon", "Brisk needs a new keel #repairs"] {
///     store.write(&access, &NewMemory::new("observation", text, Source::AgentRecorded), now)?;
/// }
/// let around = store.neighborhood(&access, "Brisk", 10, now)?;
/// assert_eq!(around.mentions.len(), 2);
/// let beside: Vec<String> = around.neighbors.iter().map(|near| near.entity.to_string()).collect();
/// assert_eq!(beside, ["tag:repairs", "name:lisbon", "name:marta"]); // the latest first
/// assert_eq!(store.top_entities(&access, 1)?[0].entity.key, "brisk");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait EdgeStore: Debug + Send + Sync {
    /// Returns the latest texts that speak of an entity, at most `limit`, and the entities beside it in them. Words of
    /// a person, with or without the sign of a kind, say which entity. All kinds with that key count, and longer names
    /// (`Marta Sails` for `Marta`). Facts that wait are [settled](crate::facts::FactStore::settle) first, where that
    /// can be.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn neighborhood(
        &self,
        access: &Access,
        asked: &str,
        limit: usize,
        now: DateTime<Utc>,
    ) -> Result<Neighborhood>;

    /// Lists the entities that most texts in sight speak of, at most `limit`; ties by kind, then by key. It counts all
    /// edges, which takes as long as there are many.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn top_entities(&self, access: &Access, limit: usize) -> Result<Vec<TopEntity>>;

    /// Returns the words of a text as it is now; `None` where it is gone, or not for this session.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn words(&self, access: &Access, source: &CitedSource) -> Result<Option<String>>;

    /// Extracts the edges of every text anew, and returns how many were added. Nothing is removed, and a second time adds
    /// nothing. For rows of another program, and after a change of the [extractor](super::EdgeExtractor).
    ///
    /// # Errors
    ///
    /// The errors of the backend; some edges may have been added.
    fn extract_edges(&self) -> Result<u64>;

    /// Returns a number that is another one after any change of the home, by this process or by another one.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn edition(&self) -> Result<u64>;
}

/// The surroundings of an entity.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Neighborhood {
    /// The texts that speak of it, the latest first.
    pub mentions: Vec<Mention>,
    /// The entities beside it in those texts: those of most texts first, then the latest, then by key.
    pub neighbors: Vec<Neighbor>,
    /// Pairs of those texts that may contradict each other, and that nobody decided on.
    pub contradictions: Vec<Suspicion>,
    /// Whether there are more texts than were asked for.
    pub is_cut: bool,
    /// The keys under which it was looked for.
    pub keys: Vec<String>,
}

debug_as!(
    Neighborhood,
    |it| "Neighborhood {{ mentions: {:?}, neighbors: {} }}",
    it.mentions,
    it.neighbors.len()
);

impl Neighborhood {
    /// Makes the surroundings of texts, the latest first. The requested entity itself is left out, by its keys.
    #[must_use]
    pub fn of(mentions: Vec<Mention>, keys: &[String]) -> Self {
        let is_beside = |edge: &Edge| {
            edge.verb != Edge::CO_OCCURS_WITH
                && edge.verb != Edge::BELONGS_TO_SCENARIO
                && !is_asked(&edge.entity.key, keys)
        };
        let neighbors = neighbors(&mentions, is_beside);
        Self { mentions, neighbors, contradictions: Vec::new(), is_cut: false, keys: keys.to_vec() }
    }

    /// Keeps some of the texts, and the entities beside it in those.
    pub(crate) fn retain(&mut self, keeps: impl FnMut(&Mention) -> bool) {
        let before = self.mentions.len();
        self.mentions.retain(keeps);
        if self.mentions.len() < before {
            let known: SortedSet<Entity> = self.neighbors.drain(..).map(|near| near.entity).collect();
            self.neighbors = neighbors(&self.mentions, |edge| known.contains(&edge.entity));
        }
    }
}

/// Counts the entities of some edges.
fn neighbors(mentions: &[Mention], is_beside: impl Fn(&Edge) -> bool) -> Vec<Neighbor> {
    let mut neighbors: Vec<Neighbor> = Vec::new();
    let mut places = HashMap::new();
    for (age, mention) in mentions.iter().enumerate() {
        let mut told = SortedSet::new();
        for edge in mention.edges.iter().filter(|edge| is_beside(edge)) {
            if told.insert(&edge.entity) {
                let at = *places.entry(&edge.entity).or_insert_with(|| {
                    neighbors.push(Neighbor { entity: edge.entity.clone(), texts: 0, latest: age });
                    neighbors.len() - 1
                });
                neighbors[at].texts += 1;
            }
        }
    }
    order::sort_by(&mut neighbors, |one, other| {
        let place = |near: &Neighbor| (Reverse(near.texts), near.latest);
        place(one)
            .cmp(&place(other))
            .then_with(|| (&one.entity.key, &one.entity.kind).cmp(&(&other.entity.key, &other.entity.kind)))
    });
    neighbors
}

/// Returns whether a key was requested, or is a longer name.
pub(crate) fn is_asked(key: &str, keys: &[String]) -> bool {
    keys.iter().any(|asked| {
        key.strip_prefix(asked.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

/// A text that speaks of an entity.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Mention {
    /// The text.
    pub said: Cited,
    /// All edges of it.
    pub edges: Vec<Edge>,
}

impl Mention {
    /// Makes a mention.
    #[must_use]
    pub fn new(said: Cited, edges: Vec<Edge>) -> Self {
        Self { said, edges }
    }
}

/// A text with edges.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cited {
    /// A row of a memory store.
    Row(Box<Fact>),
    /// A passage of a document.
    Passage(Passage),
    /// A note of a role.
    Note(Box<RoleNote>),
}

impl Cited {
    /// Returns its source.
    #[must_use]
    pub fn source(&self) -> CitedSource {
        match self {
            Self::Row(fact) => CitedSource::Row(fact.memory.id),
            Self::Passage(passage) => CitedSource::Lines(passage.lines.clone()),
            Self::Note(note) => CitedSource::Note(note.id),
        }
    }

    /// Returns its words.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Row(fact) => &fact.memory.content,
            Self::Passage(passage) => &passage.text,
            Self::Note(note) => &note.content,
        }
    }
}

/// A passage of a document.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passage {
    /// The document and the lines.
    pub lines: SourceRef,
    /// Their words.
    pub text: String,
}

impl Passage {
    /// Makes a passage.
    #[must_use]
    pub fn new(lines: SourceRef, text: impl Into<String>) -> Self {
        Self { lines, text: text.into() }
    }
}

debug_as!(Passage, |it| "Passage {{ {}, {} bytes }}", it.lines, it.text.len());

/// The source of a text. Prints as `memory 12`, `notes/boat.md#L3` or `role note 4`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CitedSource {
    /// A row of a memory store.
    Row(MemoryId),
    /// Lines of a document.
    Lines(SourceRef),
    /// A note of a role.
    Note(RoleNoteId),
    /// A record of the host's, by the name that the host gives it.
    Record(String),
}

impl Debug for CitedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(id) => write!(f, "Row({id})"),
            Self::Lines(lines) => write!(f, "Lines({lines})"),
            Self::Note(id) => write!(f, "Note({id})"),
            Self::Record(name) => write!(f, "Record({} bytes)", name.len()),
        }
    }
}

impl fmt::Display for CitedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(id) => write!(f, "memory {id}"),
            Self::Lines(lines) => write!(f, "{lines}"),
            Self::Note(id) => write!(f, "role note {id}"),
            Self::Record(name) => f.write_str(name),
        }
    }
}

/// An entity beside another one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Neighbor {
    /// The entity.
    pub entity: Entity,
    /// The number of texts that speak of both.
    pub texts: u64,
    /// The place of the latest of them among all, from 0.
    pub latest: usize,
}

/// An entity, and how many texts speak of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TopEntity {
    /// The entity.
    pub entity: Entity,
    /// The number of texts.
    pub texts: u64,
}

impl TopEntity {
    /// Makes an entry.
    #[must_use]
    pub fn new(entity: Entity, texts: u64) -> Self {
        Self { entity, texts }
    }
}
