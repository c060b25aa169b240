//! Learnings, in memory.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::base::text;
use crate::memory::{Learning, LearningId, NewLearning};
use crate::store::forget::Burial;

/// The learnings of a file, as far as it was read.
#[derive(Default)]
pub(super) struct Learnings {
    by_id: BTreeMap<LearningId, Learning>,
    last_id: i64,
}

impl Learnings {
    pub(super) fn next_id(&self) -> LearningId {
        LearningId::new(self.last_id + 1)
    }

    /// Takes a line in; a learning without words was forgotten, and its id is used no more.
    pub(super) fn apply(
        &mut self,
        id: LearningId,
        said: Option<&str>,
        context: Option<&str>,
        at: DateTime<Utc>,
    ) {
        self.last_id = self.last_id.max(id.get());
        if let Some(said) = said {
            let learning = NewLearning { content: said.to_owned(), context: context.map(str::to_owned) };
            self.by_id.insert(id, Learning::new(id, learning, at));
        }
    }

    /// Returns the learning that says this.
    pub(super) fn saying(&self, content: &str) -> Option<LearningId> {
        let wanted = text::statement(content);
        let says = |learning: &&Learning| text::statement(&learning.content) == wanted;
        self.by_id.values().find(says).map(|learning| learning.id)
    }

    pub(super) fn latest(&self, limit: usize) -> Vec<Learning> {
        self.by_id.values().rev().take(limit).cloned().collect()
    }

    /// Takes the statement out; returns how many held it.
    pub(super) fn strike(&mut self, burial: &Burial) -> u64 {
        let before = self.by_id.len();
        self.by_id.retain(|_, learning| !burial.is_learned(&learning.content, learning.context.as_deref()));
        (before - self.by_id.len()) as u64
    }
}
