//! An embedder over a static model: a table of one vector a token, and their mean.

use std::path::Path;

use model2vec_rs::model::StaticModel;
use noctuary::vectors::{EmbedError, Embedder, EmbedderId, Purpose, Strength};

/// The tokens that are read of a text.
const TOKENS: usize = 512;

/// A model in a folder with `tokenizer.json`, `model.safetensors` and `config.json`, as those of model2vec are.
#[derive(Debug)]
pub struct StaticEmbedder {
    model: StaticModel,
    id: EmbedderId,
}

impl StaticEmbedder {
    /// Loads a model; nothing is downloaded.
    ///
    /// # Errors
    ///
    /// [`EmbedError`] for a folder that holds no model that can be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, EmbedError> {
        let folder = folder.as_ref();
        let broken = |error: &dyn std::fmt::Display| {
            EmbedError::new(format!("cannot load a model from {}: {error}", folder.display())).permanent()
        };
        let name = folder.file_name().ok_or_else(|| broken(&"it has no name"))?.to_string_lossy();
        let model =
            StaticModel::from_pretrained(folder, None, Some(true), None).map_err(|error| broken(&error))?;
        let id = EmbedderId::new(name, model.dim())
            .settings(format!("model2vec tokens={TOKENS}"))
            .strength(Strength::Static);
        Ok(Self { model, id })
    }
}

impl Embedder for StaticEmbedder {
    fn id(&self) -> &EmbedderId {
        &self.id
    }

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Ok(self.model.encode_with_args(&texts, Some(TOKENS), 64))
    }
}
