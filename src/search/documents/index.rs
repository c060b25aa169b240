//! The contract of an index: what was seen of each document of a workspace, and the chunks that it is found by.
//!
//! The documents are the truth. An index may be thrown away at any time, and is made anew from them. Its content about
//! a document holds for the bytes whose revision it names.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::audience::Audience;
use super::chunk::Chunk;
use super::result::{FoundChunks, SearchResult};
use crate::base::access::{Access, Scope};
use crate::base::document::Revision;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::edges::EdgeStore;
use crate::memory::{Degraded, QueryVector};

/// Chunks of documents, for one scope, and the search over them.
///
/// [`Indexed`](crate::life::Indexed) keeps one in step with a workspace. Verbs block; several handles and processes may
/// use the same index at once.
pub trait DocumentIndex: fmt::Debug + Send + Sync {
    /// Returns the scope of the documents. For any other scope nothing is found.
    fn scope(&self) -> &Scope;

    /// Says what was seen of every document. One whose chunks are not all there counts as not seen.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn seen(&self) -> Result<BTreeMap<DocName, SeenDocument>>;

    /// Says what was seen of one document, as [`seen`](Self::seen) does.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn seen_of(&self, name: &DocName) -> Result<Option<SeenDocument>>;

    /// Carries out changes in one step: after a failure or a crash all of them are there, or none.
    ///
    /// Answers of each whether it was carried out. It is not where the index by now says anything but the change's
    /// [`before`](IndexChange::before). Somebody else indexed the document meanwhile, and it must be looked at again.
    /// `at` is when the documents were looked at.
    ///
    /// A document and a chunk of the same place keep their ids.
    ///
    /// # Errors
    ///
    /// The errors of the backend; nothing was changed.
    fn apply(&self, changes: &[IndexChange], at: DateTime<Utc>) -> Result<Vec<bool>>;

    /// Forgets every document of the scope, also where the index is damaged.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn clear(&self) -> Result<()>;

    /// Leaves no removed text of the index on the disk, as far as the backend can. It is for forgotten text. As
    /// provided it does nothing, which is right where nothing is kept of what was taken out.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn scrub(&self) -> Result<()> {
        Ok(())
    }

    /// Finds the chunks that fit a text as a person types it, best first, in documents for the kind of session. No text
    /// is an error. Ties come by path, then by the place in the document. They are given as they are:
    /// [`Indexed::search`](crate::life::Indexed::search) masks what a model is not to be shown.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn search(&self, access: &Access, text: &str, limit: usize) -> Result<Vec<SearchResult>>;

    /// Finds chunks by words and by the vector of the text. As provided it goes by words, and says that there are no vectors.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn search_near(
        &self,
        access: &Access,
        text: &str,
        _vector: &QueryVector,
        limit: usize,
    ) -> Result<FoundChunks> {
        let found = FoundChunks::by_words(text, self.search(access, text, limit)?);
        Ok(found.degraded(Degraded::Missing))
    }

    /// Returns the edges of its documents. As provided there are none.
    fn edges(&self) -> Option<&dyn EdgeStore> {
        None
    }
}

macro_rules! forward {
    ($($type:ty),*) => {$(
        #[deny(clippy::missing_trait_methods)]
        impl<I: DocumentIndex + ?Sized> DocumentIndex for $type {
            fn scope(&self) -> &Scope {
                (**self).scope()
            }
            fn seen(&self) -> Result<BTreeMap<DocName, SeenDocument>> {
                (**self).seen()
            }
            fn seen_of(&self, name: &DocName) -> Result<Option<SeenDocument>> {
                (**self).seen_of(name)
            }
            fn apply(&self, changes: &[IndexChange], at: DateTime<Utc>) -> Result<Vec<bool>> {
                (**self).apply(changes, at)
            }
            fn clear(&self) -> Result<()> {
                (**self).clear()
            }
            fn scrub(&self) -> Result<()> {
                (**self).scrub()
            }
            fn search(&self, access: &Access, text: &str, limit: usize) -> Result<Vec<SearchResult>> {
                (**self).search(access, text, limit)
            }
            fn search_near(
                &self,
                access: &Access,
                text: &str,
                vector: &QueryVector,
                limit: usize,
            ) -> Result<FoundChunks> {
                (**self).search_near(access, text, vector, limit)
            }
            fn edges(&self) -> Option<&dyn EdgeStore> {
                (**self).edges()
            }
        }
    )*};
}
forward!(&I, Box<I>, Arc<I>);

/// The state of a document that an index has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenDocument {
    /// Its length in bytes.
    pub size: u64,
    /// When it was last changed, to the nanosecond.
    pub modified: DateTime<Utc>,
    /// The revision that was indexed.
    pub revision: Revision,
    /// Who may read it.
    pub audience: Audience,
    /// The rule that cut it: the [identity](super::ChunkConfig::identity) of a configuration.
    pub chunking: String,
}

/// A change of one document in an index.
#[derive(Debug)]
pub struct IndexChange {
    /// The document.
    pub name: DocName,
    /// The state that the index had before the document was looked at.
    pub before: Option<SeenDocument>,
    /// The state from now on.
    pub after: IndexEntry,
}

/// The state of a document in an index after an [`IndexChange`].
pub enum IndexEntry {
    /// Nothing.
    Gone,
    /// The same text, and what was seen of it anew.
    Same(SeenDocument),
    /// Another text.
    Text {
        /// The state that was seen.
        seen: SeenDocument,
        /// The text.
        text: String,
        /// Its chunks, in order.
        chunks: Vec<Chunk>,
    },
}

impl fmt::Debug for IndexEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("Gone"),
            Self::Same(seen) => write!(f, "Same({seen:?})"),
            Self::Text { text, chunks, .. } => {
                write!(f, "Text {{ bytes: {}, chunks: {} }}", text.len(), chunks.len())
            }
        }
    }
}
