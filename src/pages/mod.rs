//! Pages: all that is known of one entity, compiled into one page of markdown.
//!
//! ```
//! use std::sync::Arc;
//! use chrono::Utc;
//! use noctuary::memory::{NewMemory, Source};
//! use noctuary::pages::Pages;
//! use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
//!
//! # let folder = tempfile::tempdir()?;
//! let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
//! let marta = Access::agent(Scope::user("marta"));
//! store.write(&marta, &NewMemory::new("fact", "Brisk lies in Lisbon", Source::UserExplicit), Utc::now())?;
//! let pages = Pages::new(store); // and(indexed), source(learned)
//! println!("{}", pages.page(&marta, "Brisk", true, Utc::now())?.to_markdown());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`Pages`] | makes pages, and keeps them for a minute |
//! | [`CompiledPage`], [`PageLine`], [`Contradiction`] | a page in its parts; `to_markdown` prints it |
//! | [`Citation`] | the source of a claim, with a hash of the quoted words |
//! | [`Learned`] | the methods, rules and lessons of a store, on the pages of what they name |
//! | [`PageSource`], [`PageParts`], [`PageMethod`], [`PageConstraint`] | the additions of a host: methods, constraints, records |
//!
//! A [`Toolbox`](crate::tools::Toolbox::pages) offers them as `memory_compiled_page`. With the feature `report`, `EntityPage` prints one as HTML.
//!
//! # Limits
//!
//! - A page is made of the latest 120 texts of each home. It shows at most 40 facts and 30 entries of its timeline.
//! - A claim has at most 400 bytes; the hash is of all its words.
//! - A page decides nothing: it shows each row that nobody retired, and says which rows may contradict each other.
//!
//! The manual has [the sections of a page](crate::manual::search#pages).

mod cache;
mod compile;
mod forget;
mod learned;
mod line;
mod naming;
mod page;
#[expect(clippy::module_inception, reason = "the pages are what this room is about")]
mod pages;
mod source;

pub use learned::Learned;
pub use line::{Citation, PageLine};
pub use page::{CompiledPage, Contradiction};
pub use pages::Pages;
pub use source::{PageConstraint, PageMethod, PageParts, PageSource};
