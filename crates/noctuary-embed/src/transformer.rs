//! A transformer in ONNX that makes vectors.

use std::fmt;
use std::path::Path;

use noctuary::vectors::{EmbedError, Embedder, EmbedderId, Purpose};
use serde_json::Value;

use crate::error::OpenError;
use crate::folder::{Folder, checked, foreign};
use crate::graph::Graph;

/// Settings of a transformer, before those that its folder says.
///
/// ```
/// use noctuary_embed::{ModelConfig, Pooling};
///
/// let e5 = ModelConfig::default().pooling(Pooling::Mean).prefixes("query: ", "passage: ").tokens(512);
/// ```
#[derive(Debug, Clone, Default)]
pub struct ModelConfig {
    pooling: Option<Pooling>,
    prefixes: Option<(String, String)>,
    tokens: Option<usize>,
}

impl ModelConfig {
    /// Sets how one vector is made of those of the tokens. Otherwise `1_Pooling/config.json` says it, and the mean is taken
    /// where it is not there.
    #[must_use]
    pub fn pooling(mut self, pooling: Pooling) -> Self {
        self.pooling = Some(pooling);
        self
    }

    /// Sets the words before a question and before a text that is kept. Otherwise they are the prompts of
    /// `config_sentence_transformers.json`, if there are any.
    #[must_use]
    pub fn prefixes(mut self, query: impl Into<String>, document: impl Into<String>) -> Self {
        self.prefixes = Some((query.into(), document.into()));
        self
    }

    /// Sets how many tokens are read of a text: 256 unless set, and never more than the model takes.
    #[must_use]
    pub fn tokens(mut self, tokens: usize) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// Returns the tokens that are read of a text.
    pub(crate) fn tokens_in(&self, folder: &Folder<'_>) -> Result<usize, OpenError> {
        let mut tokens = self.tokens.unwrap_or(TOKENS);
        for (file, name) in MOST_TOKENS {
            if let Some(most) = folder.settings(file)?[name].as_u64() {
                tokens = tokens.min(usize::try_from(most).unwrap_or(usize::MAX));
            }
        }
        // Two are at the ends of each text, and three in a pair.
        Ok(tokens.max(8))
    }
}

/// Number of tokens that are read of a text, where nothing is set.
const TOKENS: usize = 256;

/// The settings of a folder that limit the tokens.
const MOST_TOKENS: [(&str, &str); 3] = [
    ("sentence_bert_config.json", "max_seq_length"),
    ("tokenizer_config.json", "model_max_length"),
    ("config.json", "max_position_embeddings"),
];

/// The way from the vectors of the tokens to one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pooling {
    /// The vector of the first token, as bge does.
    First,
    /// The mean of all, as `MiniLM` and e5 do.
    Mean,
    /// The vector of the last token, as models that were decoders do.
    Last,
}

/// A transformer in ONNX: `MiniLM`, bge-small, e5-small and others of that form.
///
/// Its folder holds `model.onnx`, or one of the same form in `onnx/`, and `tokenizer.json`. A graph with an output
/// `sentence_embedding` pools by itself.
pub struct TransformerEmbedder {
    graph: Graph,
    pooling: Pooling,
    prefixes: (String, String),
    id: EmbedderId,
}

impl fmt::Debug for TransformerEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransformerEmbedder").field("id", &self.id).finish_non_exhaustive()
    }
}

impl TransformerEmbedder {
    /// Opens the transformer of a folder. Nothing is downloaded.
    ///
    /// # Errors
    ///
    /// [`OpenError`] for a folder without a transformer, a damaged file, files of different models, and a graph that cannot be run.
    pub fn open(folder: impl AsRef<Path>, config: &ModelConfig) -> Result<Self, OpenError> {
        let folder = Folder::open(folder.as_ref())?;
        let graph = Graph::open(&folder, config.tokens_in(&folder)?)?;
        let shape = graph.tried("a")?;
        Self::over(graph, &shape, &folder, config)
    }

    /// Takes a graph whose answer has a shape.
    pub(crate) fn over(
        graph: Graph,
        shape: &[usize],
        folder: &Folder<'_>,
        config: &ModelConfig,
    ) -> Result<Self, OpenError> {
        let is_whole = shape.len() == 2;
        let &[1, .., found] = shape else {
            return Err(graph.wrong(format!("its answer has the shape {shape:?}, and is no vector")));
        };
        if !is_whole && folder.settings("modules.json")?.to_string().contains("models.Dense") {
            return Err(graph.wrong("its folder names a layer behind it, which it lacks".to_owned()));
        }
        let hidden = &folder.settings("config.json")?["hidden_size"];
        let dimensions = checked(&graph.path, found, if is_whole { &Value::Null } else { hidden })?;
        let pooling = match config.pooling {
            _ if is_whole => Pooling::First,
            Some(pooling) => pooling,
            None => pooling_of(folder)?,
        };
        let prefixes = match &config.prefixes {
            Some(prefixes) => prefixes.clone(),
            None => prefixes_of(folder)?,
        };
        let settings = format!("{pooling:?} tokens={} prefixes={prefixes:?}", config.tokens_in(folder)?);
        let id = EmbedderId::new(&graph.name, dimensions).settings(settings);
        Ok(Self { graph, pooling, prefixes, id })
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let output = self.graph.run(text)?;
        let numbers =
            output.to_plain_array_view::<f32>().map_err(|error| EmbedError::new(error.to_string()))?;
        let numbers: Vec<f32> = numbers.iter().copied().collect();
        let dimensions = self.id.dimensions;
        let mut tokens = numbers.chunks_exact(dimensions);
        let vector = match self.pooling {
            Pooling::First => tokens.next().map(<[f32]>::to_vec),
            Pooling::Last => tokens.next_back().map(<[f32]>::to_vec),
            Pooling::Mean => Some(mean(tokens, dimensions)),
        };
        vector.ok_or_else(|| EmbedError::new("the model gave no vector"))
    }
}

impl Embedder for TransformerEmbedder {
    fn id(&self) -> &EmbedderId {
        &self.id
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (query, document) = &self.prefixes;
        let prefix = if purpose == Purpose::Query { query } else { document };
        texts.iter().map(|text| self.vector(&format!("{prefix}{text}"))).collect()
    }
}

/// Returns the mean of vectors: one text is run at a time, so that no token is padding.
fn mean<'a>(tokens: impl ExactSizeIterator<Item = &'a [f32]>, dimensions: usize) -> Vec<f32> {
    #[expect(clippy::cast_precision_loss, reason = "a text has some hundred tokens")]
    let count = tokens.len().max(1) as f32;
    let mut sum = vec![0.0; dimensions];
    for token in tokens {
        for (sum, number) in sum.iter_mut().zip(token) {
            *sum += number / count;
        }
    }
    sum
}

/// Returns the pooling that a folder says.
fn pooling_of(folder: &Folder<'_>) -> Result<Pooling, OpenError> {
    let file = "1_Pooling/config.json";
    let said = folder.settings(file)?;
    let is = |mode: &str| said[format!("pooling_mode_{mode}")] == Value::Bool(true);
    match (is("cls_token"), is("mean_tokens"), is("lasttoken")) {
        _ if said.is_null() => Ok(Pooling::Mean),
        (true, false, false) => Ok(Pooling::First),
        (false, true, false) => Ok(Pooling::Mean),
        (false, false, true) => Ok(Pooling::Last),
        _ => Err(foreign(&folder.path().join(file), &"it names none or several of the ways that are known")),
    }
}

/// Returns the words before a question and before a text that a folder says.
fn prefixes_of(folder: &Folder<'_>) -> Result<(String, String), OpenError> {
    let said = &folder.settings("config_sentence_transformers.json")?["prompts"];
    let prompt =
        |names: [&str; 2]| names.iter().find_map(|name| said[name].as_str()).unwrap_or_default().to_owned();
    Ok((prompt(["query", "search_query"]), prompt(["document", "passage"])))
}
