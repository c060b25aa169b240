//! Vectors and scores that were made before, in a file for each model: a run over a large set takes minutes of a model.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use noctuary::vectors::{EmbedError, Embedder, EmbedderId, Purpose, Reranker};
use sha2::{Digest, Sha256};

use super::Result;

/// The key of a text: its hash, with what it is for.
type Key = [u8; 32];

/// A model that remembers its answers.
pub(crate) struct Cache<M> {
    model: M,
    known: Mutex<Known>,
}

/// Numbers by their keys, and the file that they are in: records of a key and its numbers.
struct Known {
    numbers: HashMap<Key, Vec<f32>>,
    file: File,
}

impl<M> Cache<M> {
    fn open(folder: &Path, name: &str, width: usize, model: M) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{}.cache", &hex::encode(Sha256::digest(name))[..16]));
        let mut bytes = fs::read(&path).unwrap_or_default();
        let (key, record) = (size_of::<Key>(), size_of::<Key>() + width * size_of::<f32>());
        // The last record of a run that was killed may be half a one.
        bytes.truncate(bytes.len() / record * record);
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        file.set_len(bytes.len().try_into()?)?;
        let numbers = bytes.chunks_exact(record).map(|record| {
            let numbers = record[key..].chunks_exact(size_of::<f32>());
            let numbers = numbers.map(|bytes| f32::from_le_bytes(bytes.try_into().expect("four bytes")));
            (record[..key].try_into().expect("the bytes of a key"), numbers.collect())
        });
        let numbers = numbers.collect();
        Ok(Self { model, known: Mutex::new(Known { numbers, file }) })
    }

    /// Returns the numbers of each key, and has those made that are not known: `make` is told their places.
    fn numbers(
        &self,
        keys: &[Key],
        make: impl FnOnce(&[usize]) -> std::result::Result<Vec<Vec<f32>>, EmbedError>,
    ) -> std::result::Result<Vec<Vec<f32>>, EmbedError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lacks: Vec<usize> =
            (0..keys.len()).filter(|at| !known.numbers.contains_key(&keys[*at])).collect();
        lacks.dedup_by_key(|at| keys[*at]);
        if !lacks.is_empty() {
            for (at, numbers) in lacks.iter().zip(make(&lacks)?) {
                let mut record = keys[*at].to_vec();
                record.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
                known.file.write_all(&record).map_err(EmbedError::other)?;
                known.numbers.insert(keys[*at], numbers);
            }
        }
        Ok(keys.iter().map(|key| known.numbers[key].clone()).collect())
    }
}

impl<E: Embedder> Cache<E> {
    pub(crate) fn of_vectors(folder: &Path, model: E) -> Result<Self> {
        let id = model.id().clone();
        Self::open(folder, id.generation().as_str(), id.dimensions, model)
    }
}

impl<R: Reranker> Cache<R> {
    pub(crate) fn of_scores(folder: &Path, name: &str, model: R) -> Result<Self> {
        Self::open(folder, &format!("scores {name}"), 1, model)
    }
}

impl<E: Embedder> Embedder for Cache<E> {
    fn id(&self) -> &EmbedderId {
        self.model.id()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> std::result::Result<Vec<Vec<f32>>, EmbedError> {
        let keys: Vec<Key> = texts.iter().map(|text| key(&format!("{purpose:?}"), text)).collect();
        self.numbers(&keys, |lacks| {
            let texts: Vec<&str> = lacks.iter().map(|at| texts[*at]).collect();
            self.model.embed(&texts, purpose)
        })
    }
}

impl<R: Reranker> Reranker for Cache<R> {
    fn rerank(&self, query: &str, texts: &[&str]) -> std::result::Result<Vec<f32>, EmbedError> {
        let keys: Vec<Key> = texts.iter().map(|text| key(query, text)).collect();
        let scores = self.numbers(&keys, |lacks| {
            let texts: Vec<&str> = lacks.iter().map(|at| texts[*at]).collect();
            Ok(self.model.rerank(query, &texts)?.into_iter().map(|score| vec![score]).collect())
        })?;
        Ok(scores.into_iter().flatten().collect())
    }
}

fn key(of: &str, text: &str) -> Key {
    Sha256::new().chain_update(of.len().to_le_bytes()).chain_update(of).chain_update(text).finalize().into()
}
