//! The contracts of models that compare meanings: `Embedder` and `Reranker`. The host brings both, and needs neither.

pub(crate) mod store;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use noctuary_index::rank::Strength;

/// Makes vectors of texts with the host's own model.
///
/// The library calls it in [`embed_once`](crate::vectors::embed_once), and once a search if a store's configuration has
/// it. A store calls it once more to compare a kept vector with its own. It holds no key, sets no timeout and does not
/// retry: the client that you use already does. No lock of a store is held while it works.
///
/// # Example: an embedder over a function that you have
///
/// ```
/// use noctuary::vectors::{EmbedError, Embedder, EmbedderId, Purpose};
///
/// # fn send(_model: &str, texts: &[String]) -> Result<Vec<Vec<f32>>, std::io::Error> { Ok(vec![vec![1.0; 384]; texts.len()]) }
/// struct Mine(EmbedderId);
///
/// impl Embedder for Mine {
///     fn id(&self) -> &EmbedderId {
///         &self.0
///     }
///
///     fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
///         // Some models ask for a prefix that says what a text is for.
///         let prefix = if purpose == Purpose::Query { "query: " } else { "passage: " };
///         let texts: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
///         send(&self.0.model, &texts).map_err(EmbedError::other)
///     }
/// }
///
/// let embedder = Mine(EmbedderId::new("e5-small", 384).settings("prefixes"));
/// assert_eq!(embedder.embed(&["hello"], Purpose::Query)?[0].len(), 384);
/// # Ok::<(), EmbedError>(())
/// ```
pub trait Embedder: Send + Sync {
    /// Says which model it is; the same for the life of the value. Vectors of two ids are never compared.
    fn id(&self) -> &EmbedderId;

    /// Returns a vector for each text, in their order, of the dimensions of its [id](Self::id) and any length.
    ///
    /// The answer is checked: another number of vectors or dimensions is refused, and so is a number that is not finite.
    ///
    /// # Errors
    ///
    /// [`EmbedError`] where there is no answer. The texts stay as they were, and a search goes on by words alone.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Scores texts against a query: a cross-encoder, or a service of that kind. It reorders the first hits of a search.
///
/// A text is that of a row, behind the name of its speaker. Ahead of it is the end of the row before in its
/// conversation, at most 200 bytes.
///
/// ```
/// use noctuary::vectors::{EmbedError, Reranker};
///
/// /// Counts equal words, which a model does better.
/// struct Count;
///
/// impl Reranker for Count {
///     fn rerank(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
///         let count = |text: &&str| query.split(' ').filter(|word| text.contains(word)).count();
///         Ok(texts.iter().map(|text| count(text) as f32).collect())
///     }
/// }
/// assert_eq!(Count.rerank("green tea", &["tea", "green tea"])?, [1.0, 2.0]);
/// # Ok::<(), EmbedError>(())
/// ```
pub trait Reranker: Send + Sync {
    /// Returns a score for each text, in their order: the greater, the better it answers the query.
    ///
    /// # Errors
    ///
    /// [`EmbedError`] where there is no answer. The hits keep their order then, and the search says so.
    fn rerank(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError>;
}

/// The use of a text: models embed a question unlike the passage that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// A text that is kept, and found later.
    Document,
    /// A question.
    Query,
}

/// The identity of an embedder: model, dimensions and settings.
///
/// Every setting that changes the vectors is a part of it: a prefix, a revision of the model, a shorter length. Two
/// embedders with the same id make the same vectors of the same text.
///
/// ```
/// use noctuary::vectors::{EmbedderId, Strength};
///
/// let small = EmbedderId::new("wordllama-l2", 256).strength(Strength::Static);
/// assert_ne!(small.generation(), EmbedderId::new("bge-small-en-v1.5", 384).generation());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EmbedderId {
    /// The name of the model, which is not empty. A server that answers for any model under any name needs a name of
    /// the host's own. A kept vector tells two models of one name apart, and the second is refused.
    pub model: String,
    /// The numbers of a vector: 1 to 4096.
    pub dimensions: usize,
    /// Everything else that changes the vectors, in words of the host.
    pub settings: String,
    /// How much its vectors weigh in a search. Not part of the generation.
    pub strength: Strength,
}

impl EmbedderId {
    /// Makes an id without settings, of a transformer.
    #[must_use]
    pub fn new(model: impl Into<String>, dimensions: usize) -> Self {
        Self { model: model.into(), dimensions, settings: String::new(), strength: Strength::Transformer }
    }

    /// Says what else changes the vectors.
    #[must_use]
    pub fn settings(mut self, settings: impl Into<String>) -> Self {
        self.settings = settings.into();
        self
    }

    /// Says what kind of model it is.
    #[must_use]
    pub fn strength(mut self, strength: Strength) -> Self {
        self.strength = strength;
        self
    }

    /// Returns the generation of its vectors.
    #[must_use]
    pub fn generation(&self) -> Generation {
        // Lengths keep the parts apart, whatever they contain.
        let Self { model, dimensions, settings, .. } = self;
        Generation(format!("text={TEXT} dims={dimensions} model={}:{model} {settings}", model.len()))
    }
}

/// The version of the text that is made of a row. Another one makes other vectors.
const TEXT: u32 = 1;

/// The name of a set of vectors that may be compared. They have one model, one number of dimensions, the same settings,
/// and one way to make texts of rows. Generations are never mixed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(String);

impl Generation {
    /// Reads the words of a generation back.
    #[must_use]
    pub fn from_words(words: impl Into<String>) -> Self {
        Self(words.into())
    }

    /// Returns its words.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The reason why there is no vector and no score.
///
/// The message is shown to the operator: put no key into it.
///
/// ```
/// use noctuary::vectors::EmbedError;
///
/// assert!(EmbedError::new("no route to the server").is_retryable());
/// assert!(!EmbedError::new("no such model").permanent().is_retryable());
/// ```
#[derive(thiserror::Error)]
#[error("{message}")]
pub struct EmbedError {
    message: String,
    retryable: bool,
    wait: Option<Duration>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl fmt::Debug for EmbedError {
    /// Vendors repeat texts and keys in their messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EmbedError {{ message: {} bytes, retryable: {} }}", self.message.len(), self.retryable)
    }
}

impl EmbedError {
    /// Makes an error in the host's words.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), retryable: true, wait: None, source: None }
    }

    /// Wraps the error of a client library.
    #[must_use]
    pub fn other(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let source = source.into();
        Self { message: source.to_string(), retryable: true, wait: None, source: Some(source) }
    }

    /// Marks it as one that will not go away by waiting: a wrong key, a model that does not exist.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.retryable = false;
        self
    }

    /// Says how long the provider asks to wait: its `Retry-After`.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = Some(wait);
        self
    }

    /// Returns whether waiting may help.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.retryable
    }

    /// Returns the time that the provider asks to wait, if it says so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.wait
    }
}

macro_rules! handed_on {
    ($($pointer:ty),*) => {$(
        #[deny(clippy::missing_trait_methods)]
        impl<E: Embedder + ?Sized> Embedder for $pointer {
            fn id(&self) -> &EmbedderId {
                (**self).id()
            }

            fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
                (**self).embed(texts, purpose)
            }
        }

        #[deny(clippy::missing_trait_methods)]
        impl<E: Reranker + ?Sized> Reranker for $pointer {
            fn rerank(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
                (**self).rerank(query, texts)
            }
        }
    )*};
}

handed_on!(&E, Box<E>, Arc<E>);

impl fmt::Debug for dyn Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Embedder {{ id: {:?} }}", self.id())
    }
}

impl fmt::Debug for dyn Reranker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reranker")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_is_of_whatever_changes_the_vectors() {
        let of = |model: &str, dimensions, settings: &str| {
            EmbedderId::new(model, dimensions).settings(settings).generation()
        };
        let one = of("bge", 384, "");
        assert_eq!(one, of("bge", 384, ""));
        for other in [of("bge ", 384, ""), of("bge", 256, ""), of("bge", 384, "x"), of("bg", 384, "e")] {
            assert_ne!(one, other);
        }
        assert_ne!(of("a b", 1, "c"), of("a", 1, "b c"), "a space is no border");
        let weak = EmbedderId::new("bge", 384).strength(Strength::Static);
        assert_eq!(one, weak.generation(), "its weight changes no vector");
        assert_eq!(Generation::from_words(one.to_string()), one);
    }

    #[test]
    fn an_error_prints_its_shape_only() {
        let error = EmbedError::new("sk-123 was refused").wait(Duration::from_secs(9));
        assert_eq!(format!("{error:?}"), "EmbedError { message: 18 bytes, retryable: true }");
        assert_eq!(error.retry_after(), Some(Duration::from_secs(9)));
    }
}
