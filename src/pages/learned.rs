//! Methods, rules and lessons on the pages of what they name.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

use super::line::PageLine;
use super::naming::names;
use super::source::{PageConstraint, PageMethod, PageParts, PageSource};
use crate::base::access::Access;
use crate::base::error::{Error, Result};
use crate::edges::{CitedSource, EdgeExtractor, EdgeStore};
use crate::learning::{
    Approval, LearningConfig, Method, MethodStore, Preference, PreferenceKind, PreferenceState,
    PreferenceStore, RoleNote, RoleStore,
};

/// The most cases of a method that are looked through.
const CASES: usize = 50;

/// The learning of an agent on pages: methods that graduated, standing rules, and notes of roles that somebody reflected on.
///
/// Each is on the page of an entity that its words name. Methods in quarantine, or without a person's word, are left
/// out. So are proposed and withdrawn preferences, and notes that wait for their reflection.
///
/// # Example: a rule on a page
///
/// ```
/// use std::sync::Arc;
/// use chrono::Utc;
/// use noctuary::learning::{NewPreference, PreferenceStore};
/// use noctuary::pages::{Learned, Pages};
/// use noctuary::{Access, FileMemoryStore, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
/// let marta = Access::human(Scope::user("marta"));
/// let rule = NewPreference::hard_constraint("safety", "Never sail Brisk alone.");
/// let rule = store.propose_preference(&marta, &rule, Utc::now())?;
/// store.approve_preference(&marta, rule, Utc::now())?;
///
/// let pages = Pages::new(store.clone()).source(Arc::new(Learned::new(store)));
/// let page = pages.page(&marta, "brisk", true, Utc::now())?;
/// assert_eq!(page.constraints[0].text, "Never sail Brisk alone.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Learned<S: ?Sized> {
    store: Arc<S>,
    config: LearningConfig,
    extractor: Option<Arc<dyn EdgeExtractor>>,
    classes: Option<Vec<String>>,
}

impl<S: ?Sized> Learned<S> {
    /// Makes the lessons of a store a source of pages.
    #[must_use]
    pub fn new(store: Arc<S>) -> Self {
        Self { store, config: LearningConfig::default(), extractor: None, classes: None }
    }

    /// Sets the thresholds, where the store has others than the default ones.
    #[must_use]
    pub fn config(mut self, config: LearningConfig) -> Self {
        self.config = config;
        self
    }

    /// Sets what finds entities in words that do not write them out, as `bitcoin` for `BTC`.
    #[must_use]
    pub fn extractor(mut self, extractor: Arc<dyn EdgeExtractor>) -> Self {
        self.extractor = Some(extractor);
        self
    }

    /// Sets the classes that the host knows: a method of any other class is on no page. Unless set, every class is known.
    #[must_use]
    pub fn classes<C: Into<String>>(mut self, classes: impl IntoIterator<Item = C>) -> Self {
        self.classes = Some(classes.into_iter().map(Into::into).collect());
        self
    }

    /// Returns whether one of some texts names the entity of these keys.
    fn is_named<'t>(&self, mut texts: impl Iterator<Item = &'t str>, keys: &[String]) -> bool {
        texts.any(|text| names(self.extractor.as_deref(), text, keys))
    }
}

impl<S: MethodStore + PreferenceStore + RoleStore + ?Sized> Learned<S> {
    fn method(&self, access: &Access, method: &Method, keys: &[String]) -> Result<Option<PageMethod>> {
        let is_known = self.classes.as_ref().is_none_or(|classes| classes.contains(&method.class));
        if !is_known || !method.is_graduated(&self.config) {
            return Ok(None);
        }
        let own = [&method.name, &method.class, &method.body].into_iter().map(String::as_str);
        if !self.is_named(own, keys) {
            let cases = self.store.method_cases(access, method.id, CASES)?;
            if !self.is_named(cases.iter().map(|case| case.content.as_str()), keys) {
                return Ok(None);
            }
        }
        Ok(Some(PageMethod::new(&method.name, method.confidence, method.uses)))
    }

    fn rule(&self, rule: Preference, keys: &[String]) -> Option<PageConstraint> {
        let Approval { at, .. } = rule.approved?;
        if (rule.state, rule.kind) != (PreferenceState::Active, PreferenceKind::HardConstraint) {
            return None;
        }
        let texts = [&rule.statement, &rule.dimension].into_iter().chain(&rule.words);
        self.is_named(texts.map(String::as_str), keys)
            .then(|| PageConstraint::new(rule.statement, "the human", at))
    }

    fn lesson(&self, note: &RoleNote, keys: &[String]) -> Option<PageLine> {
        let reflection = note.reflection.as_ref()?;
        let texts = [&note.content, &reflection.lesson].into_iter().chain(&note.subject);
        self.is_named(texts.map(String::as_str), keys)
            .then(|| PageLine::new(&note.role, note.told(), Some(reflection.at), CitedSource::Note(note.id)))
    }

    fn learned(&self, access: &Access, keys: &[String], limit: usize) -> Result<PageParts> {
        let mut parts = PageParts::default();
        for method in self.store.methods(access)? {
            parts.methods.extend(self.method(access, &method, keys)?);
        }
        let rules = self.store.preferences(access)?.into_iter();
        parts.constraints = rules.filter_map(|rule| self.rule(rule, keys)).collect();
        let notes = self.store.notes(access, false)?;
        parts.timeline = notes.iter().filter_map(|note| self.lesson(note, keys)).collect();
        parts.timeline.sort_by_key(|line| Reverse((line.at, line.citation.source.clone())));
        parts.timeline.truncate(limit);
        Ok(parts)
    }
}

impl<S: MethodStore + PreferenceStore + RoleStore + EdgeStore + ?Sized> PageSource for Learned<S> {
    fn parts(&self, access: &Access, keys: &[String], limit: usize) -> Result<PageParts> {
        match self.learned(access, keys, limit) {
            // Who may not read it has a page without it.
            Err(Error::Denied { .. }) => Ok(PageParts::default()),
            parts => parts,
        }
    }

    fn edition(&self) -> Result<u64> {
        self.store.edition()
    }
}

impl<S: ?Sized> Clone for Learned<S> {
    fn clone(&self) -> Self {
        let (store, extractor) = (Arc::clone(&self.store), self.extractor.clone());
        Self { store, config: self.config.clone(), extractor, classes: self.classes.clone() }
    }
}

impl<S: fmt::Debug + ?Sized> fmt::Debug for Learned<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Learned {{ {:?} }}", self.store)
    }
}
