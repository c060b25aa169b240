//! Words alone, vectors alone, both, and both reranked, beside each other over the same rows.

#[cfg(feature = "http")]
#[path = "meaning/served.rs"]
mod served;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use noctuary::SqliteMemoryStore;
use noctuary::memory::{Hit, SearchOutcome, Signal};
use noctuary::vectors::{EmbedConfig, Embedder, Reranker, embed_once};
use serde_json::Value;

use super::Result;
use super::paired::Paired;
use super::retrieval::{ASKED_FOR, Filled, Measured, Question, config, file, scope};
use super::tally::Tally;

/// The models of an evaluation, as they are named on its command line.
pub(crate) struct Arguments {
    pub(crate) embedder: Option<String>,
    pub(crate) reranker: Option<String>,
    pub(crate) model: String,
    pub(crate) document: String,
    pub(crate) query: String,
    pub(crate) is_static: bool,
    pub(crate) key: Option<String>,
    pub(crate) cache: PathBuf,
    pub(crate) share: Option<f64>,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            embedder: None,
            reranker: None,
            model: "local".to_owned(),
            document: String::new(),
            query: String::new(),
            is_static: false,
            key: None,
            cache: PathBuf::from("target/evaluate-vectors"),
            share: None,
        }
    }
}

/// The models of an evaluation.
pub(crate) struct Meaning {
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) reranker: Option<Arc<dyn Reranker>>,
    /// The share of its scores, where it is not the usual one.
    pub(crate) share: Option<f64>,
    /// The server of models in folders.
    #[cfg(feature = "http")]
    _served: Option<served::Served>,
}

impl Arguments {
    /// Takes an argument that is about models; `false` for another one.
    pub(crate) fn take(&mut self, argument: &str, rest: &mut impl Iterator<Item = String>) -> Result<bool> {
        let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument {
            "--embedder" => self.embedder = Some(value()?),
            "--reranker" => self.reranker = Some(value()?),
            "--reranker-share" => self.share = Some(value()?.parse()?),
            "--model" => self.model = value()?,
            "--query-prefix" => self.query = value()?,
            "--document-prefix" => self.document = value()?,
            "--static" => self.is_static = true,
            "--key-from" => self.key = Some(value()?),
            "--cache" => self.cache = value()?.into(),
            _ => return Ok(false),
        }
        Ok(true)
    }

    #[cfg(not(feature = "http"))]
    pub(crate) fn open(self) -> Result<Option<Meaning>> {
        match self.embedder.or(self.reranker) {
            Some(_) => {
                Err("--embedder and --reranker need the feature http: cargo run --features http …".into())
            }
            None => Ok(None),
        }
    }

    /// Reaches the models, if any is named. The server is asked for one vector.
    #[cfg(feature = "http")]
    pub(crate) fn open(mut self) -> Result<Option<Meaning>> {
        use noctuary::model::{HttpEmbedder, HttpReranker};
        use noctuary::vectors::Strength;

        use super::cache::Cache;

        let Some(url) = self.embedder else {
            return if self.reranker.is_some() {
                Err("--reranker needs --embedder".into())
            } else {
                Ok(None)
            };
        };
        let mut named = None;
        let (url, served) = match Path::new(&url) {
            folder if folder.is_dir() => {
                let reranker = self.reranker.as_deref().map(Path::new);
                let served = served::Served::open(folder, reranker)?;
                self.model.clone_from(&served.model);
                self.is_static = served.is_static;
                if self.query.is_empty() {
                    served.query.clone_into(&mut self.query);
                }
                // A folder keeps its name among the scores that were kept, whatever the port.
                named.clone_from(&self.reranker);
                if let Some(reranker) = &mut self.reranker {
                    reranker.clone_from(&served.url);
                }
                (served.url.clone(), Some(served))
            }
            _ => (url, None),
        };
        let key = self.key.map(std::env::var).transpose()?;
        let strength = if self.is_static { Strength::Static } else { Strength::Transformer };
        let mut embedder = HttpEmbedder::new(&url, self.model.clone(), 0)?
            .prefixes(self.document, self.query)
            .strength(strength);
        if let Some(key) = &key {
            embedder = embedder.key(key)?;
        }
        let embedder = embedder.probed()?;
        println!("{} at {url}, {} dimensions\n", self.model, embedder.id().dimensions);
        let reranker = self.reranker.map(|url| -> Result<Arc<dyn Reranker>> {
            let mut reranker = HttpReranker::new(&url, self.model.clone())?;
            if let Some(key) = &key {
                reranker = reranker.key(key)?;
            }
            Ok(Arc::new(Cache::of_scores(&self.cache, named.as_ref().unwrap_or(&url), reranker)?))
        });
        let reranker = reranker.transpose()?;
        let embedder = Arc::new(Cache::of_vectors(&self.cache, embedder)?);
        Ok(Some(Meaning { embedder, reranker, share: self.share, _served: served }))
    }
}

/// The ways to search with models, and their figures.
pub(crate) struct Modes<'m, 'a> {
    meaning: &'m Meaning,
    fused: Option<Filled<'a>>,
    reranked: Option<Filled<'a>>,
    tallies: [Tally; 3],
    pairs: [Paired; 3],
}

const NAMES: [&str; 3] = ["vectors", "fused", "reranked"];
const TITLES: [&str; 3] = ["vectors alone", "words and vectors", "words and vectors, reranked"];

impl<'m, 'a> Modes<'m, 'a> {
    pub(crate) fn new(meaning: &'m Meaning) -> Self {
        Self { meaning, fused: None, reranked: None, tallies: Default::default(), pairs: Default::default() }
    }

    /// Opens the store of a corpus with the models, and gives its rows their vectors.
    pub(crate) fn open(&mut self, words: &Filled<'a>, measured: Measured, home: &Path) -> Result<()> {
        let open = |reranker: Option<Arc<dyn Reranker>>| -> Result<SqliteMemoryStore> {
            let mut config = config(measured);
            config.embedder = Some(Arc::clone(&self.meaning.embedder));
            config.reranker = reranker;
            config.reranker_share = self.meaning.share.unwrap_or(config.reranker_share);
            Ok(SqliteMemoryStore::open_with(file(home), scope(), config)?)
        };
        let fused = open(None)?;
        let report = embed_once(&fused, &self.meaning.embedder, &EmbedConfig::default())?;
        match report.error {
            Some(error) => return Err(error.into()),
            None if !report.serves => return Err(format!("not all rows have a vector: {report:?}").into()),
            None => {}
        }
        self.fused = Some(words.behind(Box::new(fused)));
        if let Some(reranker) = &self.meaning.reranker {
            self.reranked = Some(words.behind(Box::new(open(Some(Arc::clone(reranker)))?)));
        }
        for pairs in &mut self.pairs {
            pairs.begin();
        }
        Ok(())
    }

    /// Asks a question in each way, beside the turns that words find.
    pub(crate) fn ask(&mut self, question: &Question, words: &[(&str, &str)]) -> Result<()> {
        let Some(fused) = &self.fused else { return Err("no corpus is open".into()) };
        let (found, time) = fused.ask(&question.text)?;
        let all = fused.hits(&question.text, ASKED_FOR)?;
        if let SearchOutcome::Degraded(why) = all.outcome {
            return Err(format!("a part of the search is missing: {why}").into());
        }
        // The arm's own order; what it has is among the hits.
        let mut near: Vec<(usize, &Hit)> =
            all.hits.iter().filter_map(|hit| Some((by_meaning(hit)?, hit))).collect();
        near.sort_by_key(|(rank, _)| *rank);
        let near = fused.turns(near.into_iter().map(|(_, hit)| hit));
        self.add(0, question, words, &near, time);
        self.add(1, question, words, &found, time);
        if let Some(reranked) = &self.reranked {
            let (found, time) = reranked.ask(&question.text)?;
            if let SearchOutcome::Degraded(why) = reranked.hits(&question.text, ASKED_FOR)?.outcome {
                return Err(format!("a part of the search is missing: {why}").into());
            }
            self.add(2, question, words, &found, time);
        }
        Ok(())
    }

    fn add(
        &mut self,
        mode: usize,
        question: &Question,
        words: &[(&str, &str)],
        found: &[(&str, &str)],
        time: std::time::Duration,
    ) {
        self.tallies[mode].add(question, found, time);
        self.pairs[mode].add(question, words, found);
    }

    /// Prints the tables and the differences, and sets the figures beside those of words alone.
    pub(crate) fn figures(self, figures: &mut Value) {
        let modes = NAMES.into_iter().zip(TITLES).zip(self.tallies.into_iter().zip(self.pairs));
        for ((name, title), (tally, pairs)) in modes {
            if name == "reranked" && self.meaning.reranker.is_none() {
                continue;
            }
            println!("  {title}");
            let mut of_mode = tally.figures();
            of_mode["against_words"] = pairs.figures();
            figures[name] = of_mode;
        }
    }
}

/// The rank of a row by its meaning, if it has one.
fn by_meaning(hit: &Hit) -> Option<usize> {
    hit.why.iter().find(|(signal, _)| *signal == Signal::Meaning).map(|(_, rank)| *rank)
}
