//! Learnings, in memory.

use chrono::{DateTime, Utc};

use super::entry::{put_time, read_time};
use crate::base::sorted::SortedMap;
use crate::base::text;
use crate::memory::{Learning, LearningId, NewLearning};
use crate::search::postings::bits::{Input, put, put_bytes, put_signed};
use crate::search::postings::{Error, Result as Read};
use crate::store::forget::Burial;
use crate::store::parts::Doubles;

/// The learnings of a file, as far as it was read.
#[derive(Default)]
pub(super) struct Learnings {
    by_id: SortedMap<LearningId, Learning>,
    last_id: i64,
}

impl Learnings {
    pub(super) fn next_id(&self) -> LearningId {
        LearningId::new(self.last_id + 1)
    }

    /// Takes a line in; a learning without words was forgotten, and its id is not used again.
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

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_signed(out, self.last_id);
        put(out, self.by_id.len() as u64);
        for (id, learning) in &self.by_id {
            put_signed(out, id.get());
            put_time(out, learning.created_at, DateTime::UNIX_EPOCH);
            put_bytes(out, learning.content.as_bytes());
            put(out, u64::from(learning.context.is_some()));
            learning.context.iter().for_each(|context| put_bytes(out, context.as_bytes()));
        }
    }

    pub(super) fn read(input: &mut Input<'_>) -> Read<Self> {
        let mut learnings = Self { last_id: input.signed()?, ..Self::default() };
        let text = |input: &mut Input<'_>| {
            String::from_utf8(input.bytes()?.to_vec()).map_err(|_| Error::Damaged("a learning is no text"))
        };
        for _ in 0..input.count()? {
            let id = LearningId::new(input.signed()?);
            let at = read_time(input, DateTime::UNIX_EPOCH)?;
            let mut learning = NewLearning { content: text(input)?, context: None };
            if input.number()? > 0 {
                learning.context = Some(text(input)?);
            }
            learnings.by_id.insert(id, Learning::new(id, learning, at));
        }
        Ok(learnings)
    }

    /// Returns the learning that says this.
    pub(super) fn saying(&self, content: &str) -> Option<LearningId> {
        let wanted = text::statement(content);
        let says = |learning: &&Learning| text::statement(&learning.content) == wanted;
        self.by_id.values().find(says).map(|learning| learning.id)
    }

    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(super) fn latest(&self, limit: usize) -> Vec<Learning> {
        self.by_id.values().rev().take(limit).cloned().collect()
    }

    /// Takes the statement out.
    pub(super) fn strike(&mut self, burial: &Burial, doubles: &Doubles) {
        self.by_id.retain(|id, learning| {
            burial.strike_maybe(&mut learning.context);
            burial.strike(&mut learning.content) && !doubles.has_learning(*id)
        });
    }
}
