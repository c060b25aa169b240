//! A static model: a table of one vector a token, and their mean.

use std::fmt;
use std::path::Path;

use half::{bf16, f16};
use noctuary::vectors::{EmbedError, Embedder, EmbedderId, Purpose, Strength};
use noctuary::workspace::Digest;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use tokenizers::Tokenizer;

use crate::error::OpenError;
use crate::folder::{Folder, checked, foreign, named, read};

/// Number of tokens that are read of a text.
const TOKENS: usize = 512;

/// The files that may hold the table.
pub(crate) const TABLES: [&str; 2] = ["model.safetensors", "0_StaticEmbedding/model.safetensors"];

/// A table of one vector a token, as those of model2vec and `WordLlama`: fast and small, and a small help.
///
/// Its folder holds `model.safetensors` and `tokenizer.json`. The table has one of the names `embeddings`,
/// `embedding.weight` and `0`. Weights and the mapping of tokens that model2vec writes are used.
pub struct StaticEmbedder {
    tokenizer: Tokenizer,
    table: Vec<f32>,
    /// The row of each token, where they are shared.
    mapping: Option<Vec<usize>>,
    weights: Option<Vec<f32>>,
    unknown: Option<u32>,
    id: EmbedderId,
}

impl fmt::Debug for StaticEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticEmbedder").field("id", &self.id).finish_non_exhaustive()
    }
}

impl StaticEmbedder {
    /// Opens the table of a folder. Nothing is downloaded.
    ///
    /// # Errors
    ///
    /// [`OpenError`] for a folder without such a table, a damaged file, and files of different models.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::of(&Folder::open(folder.as_ref())?)
    }

    pub(crate) fn of(folder: &Folder<'_>) -> Result<Self, OpenError> {
        let path = folder.first(&TABLES).unwrap_or_else(|| folder.path().join(TABLES[0]));
        let bytes = read(&path)?;
        let tensors = SafeTensors::deserialize(&bytes).map_err(|error| foreign(&path, &error))?;
        let table = NAMES.iter().find_map(|name| tensors.tensor(name).ok());
        let table = table.ok_or_else(|| {
            foreign(&path, &"it holds no table of vectors, and a transformer is read as model.onnx alone")
        })?;
        let &[rows, columns] = table.shape() else {
            return Err(foreign(&path, &"its table has not two axes"));
        };
        let dimensions = checked(&path, columns, &folder.settings("config.json")?["hidden_dim"])?;
        let weights = tensors.tensor("weights").ok().map(|weights| numbers(&path, &weights)).transpose()?;
        let mapping = tensors.tensor("mapping").ok().map(|mapping| rows_of(&path, &mapping)).transpose()?;
        if mapping.iter().flatten().any(|row| *row >= rows) {
            return Err(foreign(&path, &"a token is mapped to a row that is not there"));
        }
        // Of tokens that share rows the mapping has one entry each, and so have the weights.
        let known = mapping.as_ref().map_or(rows, Vec::len);
        if weights.as_ref().is_some_and(|weights| weights.len() < known) {
            return Err(foreign(&path, &"it has fewer weights than tokens"));
        }
        let (vocabulary, digest) = folder.tokenizer(TOKENS)?;
        let tokenizer = vocabulary.fitting(known)?;
        let id = EmbedderId::new(named("static", &[Digest::of(&bytes), digest]), dimensions)
            .settings(format!("mean tokens={TOKENS}"))
            .strength(Strength::Static);
        let unknown = UNKNOWN.iter().find_map(|token| tokenizer.token_to_id(token));
        Ok(Self { tokenizer, table: numbers(&path, &table)?, mapping, weights, unknown, id })
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let encoding = self.tokenizer.encode_fast(text, false).map_err(EmbedError::other)?;
        let mut sum = vec![0.0; self.id.dimensions];
        for token in encoding.get_ids().iter().filter(|token| Some(**token) != self.unknown) {
            let token = *token as usize;
            let row = match &self.mapping {
                Some(mapping) => mapping.get(token).copied(),
                None => Some(token),
            };
            let at = row.unwrap_or(usize::MAX).saturating_mul(sum.len());
            let Some(vector) = self.table.get(at..at.saturating_add(sum.len())) else { continue };
            let weight =
                self.weights.as_ref().and_then(|weights| weights.get(token)).map_or(1.0, |weight| *weight);
            for (sum, number) in sum.iter_mut().zip(vector) {
                *sum += weight * number;
            }
        }
        // The mean points where the sum does, and a search compares directions; of a short length it keeps the digits.
        let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
        if length > 0.0 {
            for number in &mut sum {
                *number /= length;
            }
        }
        Ok(sum)
    }
}

impl Embedder for StaticEmbedder {
    fn id(&self) -> &EmbedderId {
        &self.id
    }

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.vector(text)).collect()
    }
}

/// The names of a table.
const NAMES: [&str; 3] = ["embeddings", "embedding.weight", "0"];

/// The names of the token for what is in no vocabulary, which has no meaning.
const UNKNOWN: [&str; 2] = ["[UNK]", "<unk>"];

/// Returns the numbers of a tensor.
fn numbers(path: &Path, tensor: &TensorView<'_>) -> Result<Vec<f32>, OpenError> {
    let data = tensor.data();
    #[expect(clippy::cast_possible_truncation, reason = "a weight needs no more digits")]
    Ok(match tensor.dtype() {
        Dtype::F64 => data.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes) as f32).collect(),
        Dtype::F32 => data.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
        Dtype::F16 => data.as_chunks().0.iter().map(|bytes| f16::from_le_bytes(*bytes).to_f32()).collect(),
        Dtype::BF16 => data.as_chunks().0.iter().map(|bytes| bf16::from_le_bytes(*bytes).to_f32()).collect(),
        Dtype::I8 => data.iter().map(|byte| f32::from(byte.cast_signed())).collect(),
        other => return Err(foreign(path, &format!("its numbers are of the type {other:?}"))),
    })
}

/// Returns the rows that a mapping names.
fn rows_of(path: &Path, tensor: &TensorView<'_>) -> Result<Vec<usize>, OpenError> {
    let data = tensor.data();
    // A row below zero is none.
    let row = |row: i64| usize::try_from(row).unwrap_or(usize::MAX);
    Ok(match tensor.dtype() {
        Dtype::I64 => data.as_chunks().0.iter().map(|bytes| row(i64::from_le_bytes(*bytes))).collect(),
        Dtype::I32 => data.as_chunks().0.iter().map(|bytes| row(i32::from_le_bytes(*bytes).into())).collect(),
        other => return Err(foreign(path, &format!("its mapping is of the type {other:?}"))),
    })
}
