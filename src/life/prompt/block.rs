//! A block of a prompt, and how long it stays the same.

use std::borrow::Cow;

use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::life::receipt::{Exhibit, Item, ReplySource, ShownBy};

/// A part of a prompt.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// The id of the block, such as `identity` or `memory_snapshot`; the same from release to release.
    pub id: Cow<'static, str>,
    /// Its text, headings included, without a line break at the end.
    pub text: String,
    /// For how long it stays the same.
    pub cache: CacheHint,
    /// The sources of its text, where they are known.
    sources: Option<Exhibit>,
}

impl Block {
    /// Makes a block of text that the host derives from elsewhere: a skill catalogue, a playbook, a profile it inferred.
    ///
    /// `id` is the host's own name for it, `cache` how long its text stays the same. [`Session::prompt`](crate::Session::prompt)
    /// puts it after all that the workspace says. It is shown as it is: not scanned, not cut, not counted in
    /// [`PromptConfig::max_chars`](super::PromptConfig::max_chars), and to whichever session it is given.
    ///
    /// ```
    /// use noctuary::life::{Block, CacheHint};
    ///
    /// let skills = Block::derived("skills", "# Skills\n\n- book_train: books a seat", CacheHint::Session);
    /// assert_eq!(skills.id, "skills");
    /// // let prompt = session.prompt(&[skills])?;
    /// ```
    pub fn derived(id: impl Into<Cow<'static, str>>, text: impl Into<String>, cache: CacheHint) -> Self {
        Self { id: id.into(), text: text.into(), cache, sources: None }
    }

    /// Says which sources its text has.
    pub(crate) fn of(mut self, sources: Exhibit) -> Self {
        self.sources = Some(sources);
        self
    }

    /// Returns its sources: the block itself, where nothing else is known.
    pub(super) fn exhibit(&self) -> Exhibit {
        if let Some(sources) = &self.sources {
            return sources.clone();
        }
        let (source, hash) =
            (ReplySource::Block(self.id.to_string()), Some(Digest::of(self.text.as_bytes())));
        let mut exhibit = Exhibit::default();
        exhibit.add(Item { by: ShownBy::Prompt, source, revision: None, hash });
        exhibit
    }
}

debug_as!(Block, |it| "Block {{ {}, {:?}, {} bytes }}", it.id, it.cache, it.text.len());

/// For how long a block stays the same, byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CacheHint {
    /// Until somebody edits who the agent is.
    Stable,
    /// For this session.
    Session,
    /// For this turn.
    Turn,
}
