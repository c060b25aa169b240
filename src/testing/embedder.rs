//! Embedders without a model: one that hashes words, and one that answers from a list.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::base::debug::debug_as;
use crate::embed::{EmbedError, Embedder, EmbedderId, Purpose, Strength};

/// An embedder that hashes words: texts are near that share words, or words that it was told to mean the same.
///
/// The same text has the same vector on every machine. A text without words has zeros.
///
/// ```
/// use noctuary::testing::HashEmbedder;
/// use noctuary::vectors::{Embedder, Purpose};
///
/// let embedder = HashEmbedder::new(64).alike(&["rope", "cordage"]);
/// let vectors = embedder.embed(&["buy rope", "buy cordage", "sell land"], Purpose::Document)?;
/// assert_eq!(vectors[0], vectors[1]);
/// assert_ne!(vectors[0], vectors[2]);
/// # Ok::<(), noctuary::vectors::EmbedError>(())
/// ```
#[derive(Clone)]
pub struct HashEmbedder {
    id: EmbedderId,
    alike: BTreeMap<String, String>,
}

impl HashEmbedder {
    /// Makes one with a number of dimensions, at least one.
    #[must_use]
    pub fn new(dimensions: usize) -> Self {
        Self { id: EmbedderId::new("hash", dimensions.max(1)), alike: BTreeMap::new() }
    }

    /// Says that words mean the same. The embedder is of another generation then.
    #[must_use]
    pub fn alike(mut self, words: &[&str]) -> Self {
        for word in words {
            self.alike.insert(word.to_lowercase(), words[0].to_lowercase());
        }
        self.id.settings += &words.join("=");
        self.id.settings.push(' ');
        self
    }

    /// Gives the model a name: another generation.
    #[must_use]
    pub fn named(mut self, model: &str) -> Self {
        model.clone_into(&mut self.id.model);
        self
    }

    /// Says what kind of model it stands for.
    #[must_use]
    pub fn strength(mut self, strength: Strength) -> Self {
        self.id.strength = strength;
        self
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.id.dimensions];
        let text = text.to_lowercase();
        for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = self.alike.get(word).map_or(word, String::as_str);
            // Four dimensions a word, so that two words seldom fall together in all of them.
            let hash = Sha256::digest(format!("{}:{word}", self.id.model));
            for part in hash.chunks(8).take(4) {
                let number = u64::from_le_bytes(part.try_into().expect("eight bytes"));
                let at = usize::try_from(number >> 1).unwrap_or_default() % vector.len();
                vector[at] += if number & 1 == 0 { 1.0 } else { -1.0 };
            }
        }
        vector
    }
}

impl Embedder for HashEmbedder {
    fn id(&self) -> &EmbedderId {
        &self.id
    }

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

debug_as!(HashEmbedder, |it| "HashEmbedder {{ dimensions: {} }}", it.id.dimensions);

/// An embedder that misbehaves by a script, remembers what it was asked, and else answers as [`HashEmbedder`] does.
///
/// ```
/// use noctuary::testing::{EmbedScript, HashEmbedder};
/// use noctuary::vectors::{Embedder, Purpose};
///
/// let embedder = EmbedScript::new(HashEmbedder::new(8)).fails("no route").says(Vec::new());
/// assert!(embedder.embed(&["tea"], Purpose::Document).is_err());
/// assert!(embedder.embed(&["tea"], Purpose::Document)?.is_empty());
/// assert_eq!(embedder.embed(&["tea"], Purpose::Document)?.len(), 1); // the script has run out
/// assert_eq!(embedder.asked()[0], ["tea"]);
/// # Ok::<(), noctuary::vectors::EmbedError>(())
/// ```
pub struct EmbedScript {
    embedder: HashEmbedder,
    answers: Mutex<VecDeque<Answer>>,
    asked: Mutex<Vec<Vec<String>>>,
}

type Vectors = Result<Vec<Vec<f32>>, EmbedError>;
type Answer = Box<dyn FnOnce(&[&str], Vectors) -> Vectors + Send>;

impl EmbedScript {
    /// Makes an empty script over an embedder.
    #[must_use]
    pub fn new(embedder: HashEmbedder) -> Self {
        Self { embedder, answers: Mutex::default(), asked: Mutex::default() }
    }

    /// Then fails.
    #[must_use]
    pub fn fails(self, message: impl Into<String>) -> Self {
        let message = message.into();
        self.answers(move |_, _| Err(EmbedError::new(message)))
    }

    /// Then answers with these vectors, whatever it is asked.
    #[must_use]
    pub fn says(self, vectors: Vec<Vec<f32>>) -> Self {
        self.answers(move |_, _| Ok(vectors))
    }

    /// Then answers as a closure makes it of the texts and of the right answer. A closure may also wait, or do something
    /// else meanwhile.
    #[must_use]
    pub fn answers(self, answer: impl FnOnce(&[&str], Vectors) -> Vectors + Send + 'static) -> Self {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push_back(Box::new(answer));
        self
    }

    /// Returns the texts of each call.
    #[must_use]
    pub fn asked(&self) -> Vec<Vec<String>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Embedder for EmbedScript {
    fn id(&self) -> &EmbedderId {
        self.embedder.id()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Vectors {
        let asked = texts.iter().map(|text| (*text).to_owned()).collect();
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
        let answer = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let right = self.embedder.embed(texts, purpose);
        match answer {
            Some(answer) => answer(texts, right),
            None => right,
        }
    }
}

debug_as!(EmbedScript, |it| "EmbedScript {{ asked: {} }}", it.asked().len());
