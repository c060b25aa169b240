//! Edges: who and what is mentioned where.
//!
//! ```
//! use chrono::Utc;
//! use noctuary::edges::EdgeStore;
//! use noctuary::memory::{NewMemory, Source};
//! use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
//!
//! # let folder = tempfile::tempdir()?;
//! let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
//! let marta = Access::agent(Scope::user("marta"));
//! let row = NewMemory::new("observation", "Jan Kowalski repairs [[Brisk]] in Lisbon", Source::AgentRecorded);
//! store.write(&marta, &row, Utc::now())?; // its edges are written with it
//! let around = store.neighborhood(&marta, "Brisk", 10, Utc::now())?;
//! assert_eq!(around.neighbors[0].entity.to_string(), "name:jan kowalski");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`EdgeStore`], [`Neighborhood`], [`Mention`], [`Neighbor`], [`TopEntity`] | what is mentioned where, and beside what |
//! | [`Cited`], [`Passage`], [`CitedSource`] | a text: a row, lines of a document, or a note of a role |
//! | [`Edge`], [`Entity`] | a verb and what it leads to: names, links, tags, people, addresses, paths |
//! | [`EdgeExtractor`], [`TextEdges`] | the finder of edges; the default, to which verbs can be added |
//!
//! The extractor is a setting of a store: [`StoreConfig::edges`](crate::store::StoreConfig::edges). The notes of a workspace have
//! edges in its index, so the links of a vault work: [`Indexed`](crate::life::Indexed) is an [`EdgeStore`] too.
//!
//! # Limits
//!
//! - Entities are found by their form: no model is asked, and no pronoun is followed.
//! - A text has at most twenty edges; verbs come before mentions.
//! - No search is ranked by edges: on conversations that gains nothing.
//! - A name at the beginning of a sentence is found where a verb follows it.
//!
//! The manual has [the forms of entities, and notes of a vault](crate::manual::search#names-and-links).

mod edge;
mod entity;
mod extractor;
mod names;
mod row;
mod scan;
pub(crate) mod store;
mod text;
mod verbs;

pub use edge::Edge;
pub use entity::Entity;
pub use extractor::EdgeExtractor;
pub(crate) use row::{Words, edges_of, edges_of_note, scenario};
pub(crate) use store::is_asked;
pub use store::{Cited, CitedSource, EdgeStore, Mention, Neighbor, Neighborhood, Passage, TopEntity};
pub use text::TextEdges;
#[cfg(feature = "finance")]
pub(crate) use {
    text::spots,
    verbs::{Spot, Verbs, assemble},
};
