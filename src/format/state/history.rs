//! `.dreaming.d/history/<document>.json`: what a document was before it was replaced, oldest first.
//!
//! ```text
//! [{"at":"2026-11-21T09:14:05Z","revision":"9f86d0…","text":"# Soul\n"}]
//! ```
//!
//! Bytes that are not UTF-8 are kept as `hex` in place of `text`. `replaced.json` has those of all documents that a person does not
//! edit whole, each with its `document`.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::file::{StateFile, line};
use crate::base::debug::debug_as;
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::base::order;

/// The most earlier versions of a document, and the most bytes of them; the newest is always kept.
const MOST: usize = 20;
const MOST_BYTES: usize = 1 << 20;

const DAMAGED: &str =
    "a text in it is not the one that was kept: restore the file, or delete it, and earlier versions with it";

/// The preimages of one document.
#[derive(Debug, Default)]
pub(crate) struct History(Vec<Entry>);

#[derive(Serialize, Deserialize)]
struct Entry {
    at: DateTime<Utc>,
    revision: Revision,
    /// The document, in the file of those that have none of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    document: Option<DocName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

impl Entry {
    fn new(at: DateTime<Utc>, bytes: &[u8]) -> Self {
        let (text, hex) = match std::str::from_utf8(bytes) {
            Ok(text) => (Some(text.to_owned()), None),
            Err(_) => (None, Some(hex::encode(bytes))),
        };
        Self { at, revision: Revision::of(bytes), document: None, text, hex }
    }

    /// Returns whether its content matches its revision.
    fn is_whole(&self) -> bool {
        let revision = match (&self.text, &self.hex) {
            (Some(text), None) => Some(Revision::of(text.as_bytes())),
            (None, Some(digits)) => hex::decode(digits).ok().map(|bytes| Revision::of(&bytes)),
            _ => None,
        };
        revision == Some(self.revision)
    }

    fn len(&self) -> usize {
        [&self.text, &self.hex].into_iter().flatten().map(String::len).sum()
    }
}

debug_as!(Entry, |it| "{}, {} bytes", it.at, it.len());

impl History {
    pub(crate) fn parse(name: &StateName, bytes: Option<&[u8]>) -> Result<Self> {
        let file = StateFile::plain(name.clone());
        let entries: Vec<Entry> = file.parse(bytes)?.unwrap_or_default();
        let is_damaged = !entries.iter().all(Entry::is_whole);
        file.refuse(is_damaged.then_some(DAMAGED))?;
        Ok(Self(entries))
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        line(&self.0)
    }

    /// Adds a preimage, and drops the oldest beyond the bounds; `false` where it is the newest one already. `of` is the document, where the
    /// history is not of one alone.
    pub(crate) fn push(&mut self, of: Option<&DocName>, preimage: &Document, at: DateTime<Utc>) -> bool {
        let revision = preimage.revision();
        if self.0.last().is_some_and(|newest| newest.revision == revision && newest.document.as_ref() == of) {
            return false;
        }
        self.0.push(Entry { document: of.cloned(), ..Entry::new(at, preimage.bytes()) });
        let mut bytes = 0;
        let kept = self.0.iter().rev().take(MOST).take_while(|entry| {
            bytes += entry.len();
            bytes <= MOST_BYTES
        });
        let drop = self.0.len() - kept.count().max(1);
        self.0.drain(..drop);
        true
    }

    /// Overwrites the names of documents and the preimages that `holds` says yes to. A preimage is replaced by what `struck` makes of it;
    /// where that is nothing, it is removed. Returns how many of both.
    pub(crate) fn strike(
        &mut self,
        holds: &dyn Fn(&str) -> bool,
        struck: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> u64 {
        let mut changed = 0;
        order::retain(&mut self.0, |entry| {
            if let Some(name) = entry.document.as_mut().filter(|name| holds(name.as_str())) {
                changed += 1;
                *name = StateName::STRUCK;
            }
            let decoded = entry.hex.as_ref().and_then(|digits| hex::decode(digits).ok());
            let bytes = entry.text.as_ref().map(String::as_bytes).or(decoded.as_deref()).unwrap_or_default();
            if !holds(&String::from_utf8_lossy(bytes)) {
                return true;
            }
            changed += 1;
            let Some(after) = struck(bytes) else { return false };
            *entry = Entry { document: entry.document.take(), ..Entry::new(entry.at, &after) };
            true
        });
        changed
    }

    /// Returns the preimages and when each was replaced, newest first.
    pub(crate) fn documents(self, name: &DocName) -> Result<Vec<(DateTime<Utc>, Document)>> {
        let bytes = |entry: Entry| match (entry.text, entry.hex) {
            (Some(text), None) => Some((entry.at, entry.document, text.into_bytes())),
            (None, Some(digits)) => Some((entry.at, entry.document, hex::decode(digits).ok()?)),
            _ => None,
        };
        let entries: Option<Vec<_>> = self.0.into_iter().rev().map(bytes).collect();
        let entries = entries.ok_or_else(|| Error::Corrupt {
            name: StateName::history(name).to_string(),
            line: 0,
            column: 0,
            what: "an entry has no content",
        })?;
        let mut documents = Vec::with_capacity(entries.len());
        for (at, document, bytes) in entries {
            documents.push((at, Document::new(document.unwrap_or_else(|| name.clone()).into(), bytes)));
        }
        Ok(documents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn document(bytes: Vec<u8>) -> Document {
        Document::new(DocName::SOUL.into(), bytes)
    }

    #[test]
    fn the_newest_twenty_are_kept_and_one_is_kept_however_large() {
        let mut history = History::default();
        for count in 0..30_u8 {
            assert!(history.push(None, &document(vec![b'a' + count]), DateTime::UNIX_EPOCH));
            assert!(!history.push(None, &document(vec![b'a' + count]), DateTime::UNIX_EPOCH));
        }
        let kept = history.documents(&DocName::SOUL).unwrap();
        assert_eq!(kept.len(), MOST);
        assert_eq!(kept[0].1.bytes(), [b'a' + 29]);
        let mut history = History::default();
        history.push(None, &document(b"small".to_vec()), DateTime::UNIX_EPOCH);
        history.push(None, &document(vec![b'x'; MOST_BYTES + 1]), DateTime::UNIX_EPOCH);
        assert_eq!(history.documents(&DocName::SOUL).unwrap().len(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(5_000)))]
        #[test]
        fn any_bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let mut history = History::default();
            history.push(None, &document(bytes.clone()), DateTime::UNIX_EPOCH);
            let name = StateName::history(&DocName::SOUL);
            let again = History::parse(&name, Some(&history.print())).unwrap();
            let kept = again.documents(&DocName::SOUL).unwrap();
            prop_assert_eq!(kept[0].1.bytes(), bytes);
        }
    }
}
