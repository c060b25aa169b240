//! A folder with a model: its files, their digest, and the settings that they say.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use noctuary::workspace::Digest;
use serde_json::Value;
use tokenizers::Tokenizer;

use crate::error::OpenError;

/// A folder that exists.
pub(crate) struct Folder<'a>(&'a Path);

impl<'a> Folder<'a> {
    pub(crate) fn open(path: &'a Path) -> Result<Self, OpenError> {
        if path.is_dir() {
            return Ok(Self(path));
        }
        Err(OpenError::Missing { path: path.to_owned(), next: "name the folder that holds the model" })
    }

    pub(crate) fn path(&self) -> &'a Path {
        self.0
    }

    /// Returns the first of these files that is there.
    pub(crate) fn first(&self, names: &[&str]) -> Option<PathBuf> {
        names.iter().map(|name| self.0.join(name)).find(|path| path.is_file())
    }

    /// Reads a file of settings; null where it is not there.
    pub(crate) fn settings(&self, name: &str) -> Result<Value, OpenError> {
        let path = self.0.join(name);
        if !path.is_file() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&read(&path)?).map_err(|error| foreign(&path, &error))
    }

    /// Reads the tokenizer, and the digest of its file. It cuts texts to a number of tokens.
    pub(crate) fn tokenizer(&self, tokens: usize) -> Result<(Vocabulary, Digest), OpenError> {
        let path = self.0.join("tokenizer.json");
        let bytes = read(&path)?;
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(|error| foreign(&path, &error))?;
        let truncation = tokenizers::TruncationParams { max_length: tokens, ..Default::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|error| foreign(&path, &error))?;
        tokenizer.with_padding(None);
        // An added token may be behind the table, as some of Gemma are: no plain text has it.
        let last = tokenizer.get_vocab(false).into_values().max();
        let tokens = last.map_or(0, |last| last as usize + 1);
        Ok((Vocabulary { tokenizer, tokens, path }, Digest::of(&bytes)))
    }
}

/// A tokenizer, and the size of its vocabulary.
pub(crate) struct Vocabulary {
    pub(crate) tokenizer: Tokenizer,
    tokens: usize,
    path: PathBuf,
}

/// The rows that a table may have beyond its vocabulary: exports round the number up.
const MAX_SPARE_ROWS: usize = 256;

impl Vocabulary {
    /// Returns the tokenizer for a table with this number of rows.
    pub(crate) fn fitting(self, rows: usize) -> Result<Tokenizer, OpenError> {
        let Self { tokenizer, tokens, path } = self;
        if tokens > rows || rows - tokens > MAX_SPARE_ROWS {
            return Err(OpenError::Vocabulary { path, tokens, rows });
        }
        Ok(tokenizer)
    }
}

/// Reads a file that a model needs.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, OpenError> {
    std::fs::read(path).map_err(|source| {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => {
                OpenError::Missing { path, next: "put the file of the same model there" }
            }
            _ => OpenError::Unread { path, source },
        }
    })
}

/// Says why a file cannot be used.
pub(crate) fn foreign(path: &Path, reason: &dyn Display) -> OpenError {
    OpenError::Foreign { path: path.to_owned(), reason: reason.to_string() }
}

/// Returns the name of a model: the kind, and the digest of its files. A folder that is renamed keeps its vectors.
pub(crate) fn named(kind: &str, files: &[Digest]) -> String {
    let all: String = files.iter().map(|file| file.short(64)).collect();
    format!("{kind}-{}", Digest::of(all.as_bytes()).short(32))
}

/// Checks that vectors have the dimensions that a setting says, and not more than the library takes.
pub(crate) fn checked(path: &Path, found: usize, said: &Value) -> Result<usize, OpenError> {
    let said = said.as_u64().and_then(|said| usize::try_from(said).ok());
    let wanted = said.unwrap_or(found.clamp(1, MAX_DIMENSIONS));
    if wanted == found && found <= MAX_DIMENSIONS {
        return Ok(found);
    }
    Err(OpenError::Dimensions { path: path.to_owned(), found, wanted: wanted.min(MAX_DIMENSIONS) })
}

/// The most dimensions that the library takes.
const MAX_DIMENSIONS: usize = 4096;
