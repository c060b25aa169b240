//! The intent of a merge of copies, `.dreaming.d/merge-copies.json`: the files that it writes, and what it removes.
//!
//! ```text
//! {"writes":[{"path":"MEMORY.md","before":"<sha256>","text":"…"}],"removals":[…],"copies":[…]}
//! ```

use serde::{Deserialize, Serialize};

use crate::base::digest::Digest;
use crate::base::error::{Error, Result, parse_json};
use crate::base::name::{Name, StateName};

/// The steps of a merge of copies. Each is done where the file is as it was before.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct CopiesIntent {
    pub(crate) writes: Vec<WrittenFile>,
    pub(crate) removals: Vec<RemovedFile>,
    /// The copies, which are removed last.
    pub(crate) copies: Vec<RemovedFile>,
}

/// A file that is written; `None` where there was none.
#[derive(Serialize, Deserialize)]
pub(crate) struct WrittenFile {
    pub(crate) path: String,
    pub(crate) before: Option<Digest>,
    pub(crate) text: String,
}

/// A file that is removed.
#[derive(Serialize, Deserialize)]
pub(crate) struct RemovedFile {
    pub(crate) path: String,
    pub(crate) before: Digest,
}

impl CopiesIntent {
    /// Adds a file that is written. Only texts are merged.
    pub(crate) fn write(&mut self, name: &Name, before: Option<&[u8]>, bytes: &[u8]) -> Result<()> {
        let text = std::str::from_utf8(bytes)
            .map_err(|error| Error::NotUtf8 { name: name.clone(), valid_up_to: error.valid_up_to() })?;
        self.writes.push(WrittenFile {
            path: name.to_string(),
            before: before.map(Digest::of),
            text: text.to_owned(),
        });
        Ok(())
    }

    pub(crate) fn remove(&mut self, path: &str, before: &[u8]) {
        self.removals.push(RemovedFile { path: path.to_owned(), before: Digest::of(before) });
    }

    pub(crate) fn done_with(&mut self, copy: &str, before: &[u8]) {
        self.copies.push(RemovedFile { path: copy.to_owned(), before: Digest::of(before) });
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("JSON prints")
    }

    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        parse_json(StateName::COPIES_INTENT.as_str(), bytes)
    }
}
