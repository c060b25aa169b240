//! The models that a search by meaning asks: those of folders, where the feature `embed` is built in.

use std::path::Path;
use std::sync::Arc;

use noctuary::search::SearchResult;
use noctuary::vectors::{EmbedConfig, Embedder, Reranker, VectorStore, embed_once};

use super::output::{Trouble, notice};

/// The models of a search.
#[derive(Debug)]
pub(crate) struct Models {
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) reranker: Option<Arc<dyn Reranker>>,
}

/// The folder of a reranker, in that of its embedder.
const RERANKER: &str = "reranker";

/// The most passages that a reranker orders: each takes it a tenth of a second.
pub(crate) const MAX_RERANKED: usize = 20;

impl Models {
    /// Opens the model of a folder, and the reranker that is named or beside it; `None` where no model is named.
    pub(crate) fn named(model: Option<&Path>, reranker: Option<&Path>) -> Result<Option<Self>, Trouble> {
        let Some(folder) = model else { return Ok(None) };
        let beside = folder.join(RERANKER);
        let reranker = reranker.or(beside.is_dir().then_some(&*beside));
        Self::open(folder, reranker).map(Some)
    }

    #[cfg(feature = "embed")]
    fn open(folder: &Path, reranker: Option<&Path>) -> Result<Self, Trouble> {
        let unusable = |error: noctuary_embed::OpenError| Trouble::of("model_unusable", &[&error]);
        let open = |folder: &Path| noctuary_embed::Model::open(folder).map_err(unusable);
        let embedder = open(folder)?.embedder().map_err(unusable)?;
        let reranker = match reranker {
            Some(folder) => Some(open(folder)?.reranker().map_err(unusable)?),
            None => None,
        };
        Ok(Self { embedder, reranker })
    }

    #[cfg(not(feature = "embed"))]
    fn open(folder: &Path, _reranker: Option<&Path>) -> Result<Self, Trouble> {
        Err(Trouble::of("no_embed", &[&folder.display()]))
    }

    /// Gives rows or passages that wait their vectors. Vectors of another model may be those of the agent: they stay, and the
    /// search goes by words.
    pub(crate) fn fill(&self, store: &dyn VectorStore) -> Result<(), Trouble> {
        let own = self.embedder.id().generation();
        let status = store.embedding_status(self.embedder.id())?;
        if status.generations.iter().any(|generation| *generation != own) {
            notice("other_model", &[]);
            return Ok(());
        }
        self.fill_anew(store)
    }

    /// Does so too where there are vectors of another model, which then leave.
    pub(crate) fn fill_anew(&self, store: &dyn VectorStore) -> Result<(), Trouble> {
        if let Some(error) = embed_once(store, &self.embedder, &EmbedConfig::default())?.error {
            notice("model_failed", &[&error]);
        }
        Ok(())
    }

    /// Puts the passages that answer a question best before the others.
    pub(crate) fn rerank(&self, query: &str, found: &mut [SearchResult]) {
        let Some(reranker) = &self.reranker else { return };
        let first = found.len().min(MAX_RERANKED);
        let found = &mut found[..first];
        let texts: Vec<&str> = found.iter().map(|one| one.content.as_str()).collect();
        let scores = match reranker.rerank(query, &texts) {
            Ok(scores) if scores.len() == first => scores,
            Ok(_) => return,
            Err(error) => return notice("model_failed", &[&error]),
        };
        let mut ordered: Vec<_> = scores.into_iter().zip(found.iter().cloned()).collect();
        ordered.sort_by(|one, other| other.0.total_cmp(&one.0));
        for (place, (_, one)) in found.iter_mut().zip(ordered) {
            *place = one;
        }
    }
}
