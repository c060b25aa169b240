//! The pages of a life: compiled of its homes, and kept for a minute.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};

use super::cache::{Cache, PageQuestion};
use super::compile::{Compiler, TEXTS, TIMELINE, says};
use super::line::Citation;
use super::page::CompiledPage;
use super::source::PageSource;
use crate::base::access::{Access, SessionKind};
use crate::base::error::Result;
use crate::edges::{Cited, CitedSource, EdgeStore, Entity};
use crate::gate::Doors;

/// Makes pages on entities from the rows of a memory store, from documents, and from other sources.
///
/// A page holds what its session may know. An [`EdgeStore`] answers by its rights, and additions of a [`PageSource`]
/// are for main sessions. Texts are masked as in a prompt. A page is made of the latest 120 texts of each home.
///
/// A page is kept for 60 seconds by the caller's clock, in the same bytes, unless any process wrote meanwhile.
///
/// # Example: a page, and a source that changed
///
/// ```
/// use std::sync::Arc;
/// use chrono::{TimeZone, Utc};
/// use noctuary::memory::{NewMemory, Source};
/// use noctuary::pages::Pages;
/// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
/// let access = Access::agent(Scope::user("marta"));
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// let berth = NewMemory::new("preference", "Brisk lies in Lisbon", Source::AgentRecorded);
/// let id = store.write(&access, &berth, now)?;
///
/// let pages = Pages::new(store.clone());
/// let page = pages.page(&access, "brisk", true, now)?;
/// assert_eq!(page.title, "Brisk");
/// assert!(page.to_markdown().contains("- Brisk lies in Lisbon (since 2026-11-21) [memory 1, "));
///
/// store.update(&access, id, "Brisk lies in Porto", now)?;
/// assert_eq!(pages.changed(&access, &page)?[0].source.to_string(), "memory 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pages {
    homes: Vec<Arc<dyn EdgeStore>>,
    sources: Vec<Arc<dyn PageSource>>,
    doors: Doors,
    cache: Mutex<Cache>,
}

impl Pages {
    /// Makes pages of a home: a memory store, or an [`Indexed`](crate::life::Indexed) workspace.
    #[must_use]
    pub fn new(home: Arc<dyn EdgeStore>) -> Self {
        Self { homes: vec![home], sources: Vec::new(), doors: Doors::default(), cache: Mutex::default() }
    }

    /// Adds another home.
    #[must_use]
    pub fn and(mut self, home: Arc<dyn EdgeStore>) -> Self {
        self.homes.push(home);
        self
    }

    /// Adds a source of methods, constraints or records.
    #[must_use]
    pub fn source(mut self, source: Arc<dyn PageSource>) -> Self {
        self.sources.push(source);
        self
    }

    /// Sets what texts pass, by [`Door::PromptLoad`](crate::gate::Door::PromptLoad).
    #[must_use]
    pub fn doors(mut self, doors: Doors) -> Self {
        self.doors = doors;
        self
    }

    /// Returns the page on an entity, as a person names it; an [empty](CompiledPage::is_empty) one where nothing is known.
    ///
    /// # Errors
    ///
    /// The errors of the homes and sources.
    pub fn page(
        &self,
        access: &Access,
        asked: &str,
        with_constraints: bool,
        now: DateTime<Utc>,
    ) -> Result<Arc<CompiledPage>> {
        let entity = Entity::fold(asked);
        let question = PageQuestion { access: access.clone(), entity, with_constraints };
        let mut before = self.editions()?;
        if let Some(page) = self.cache().get(&question, &before, now) {
            return Ok(page);
        }
        // Facts that wait are settled by the first look; somebody may write meanwhile.
        let mut page = self.compile(access, asked, with_constraints, now)?;
        let after = self.editions()?;
        if after != before {
            before = after;
            page = self.compile(access, asked, with_constraints, now)?;
        }
        let page = Arc::new(page);
        self.cache().keep(question, before, now, Arc::clone(&page));
        Ok(page)
    }

    /// Returns the citations of a page whose source says something else now, is gone, or is not for this session. Rows,
    /// documents and notes of roles are looked for in the homes; a record of the host's counts as unchanged.
    ///
    /// # Errors
    ///
    /// The errors of the homes.
    pub fn changed(&self, access: &Access, page: &CompiledPage) -> Result<Vec<Citation>> {
        let mut changed = Vec::new();
        for citation in page.citations() {
            if self.is_changed(access, citation)? && !changed.contains(citation) {
                changed.push(citation.clone());
            }
        }
        Ok(changed)
    }

    fn is_changed(&self, access: &Access, citation: &Citation) -> Result<bool> {
        for home in &self.homes {
            if let Some(words) = home.words(access, &citation.source)?
                && says(&self.doors, citation, &words)?
            {
                return Ok(false);
            }
        }
        Ok(!matches!(citation.source, CitedSource::Record(_)))
    }

    /// Drops the pages that are kept, and returns how many. [`Forget`](crate::exchange::Forget) does so.
    pub fn clear(&self) -> u64 {
        self.cache().clear()
    }

    fn compile(
        &self,
        access: &Access,
        asked: &str,
        with_constraints: bool,
        now: DateTime<Utc>,
    ) -> Result<CompiledPage> {
        let mut homes = Vec::with_capacity(self.homes.len());
        for home in &self.homes {
            let mut around = home.neighborhood(access, asked, TEXTS, now)?;
            // The learning loop tells of notes, once they have a lesson.
            around.retain(|mention| !matches!(mention.said, Cited::Note(_)));
            homes.push(around);
        }
        let mut keys = vec![Entity::fold(asked)];
        for key in homes.iter().flat_map(|home| &home.keys) {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        let mut parts = Vec::new();
        if access.kind == SessionKind::Main {
            for source in &self.sources {
                parts.push(source.parts(access, &keys, TIMELINE)?);
            }
        }
        Compiler::new(&self.doors, keys, now).page(asked, &homes, parts, with_constraints)
    }

    fn editions(&self) -> Result<Vec<u64>> {
        let homes = self.homes.iter().map(|home| home.edition());
        homes.chain(self.sources.iter().map(|source| source.edition())).collect()
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pages {{ homes: {:?}, sources: {:?} }}", self.homes, self.sources)
    }
}
