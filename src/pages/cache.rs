//! Pages that were made lately.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use super::page::CompiledPage;
use crate::base::access::Access;

/// A page is shown again for so long, by the caller's clock. (seed 003, Compiled pages)
const FRESH: TimeDelta = TimeDelta::seconds(60);

/// The most pages that are kept.
const MAX_PAGES: usize = 64;

/// The question that a page answers: who asks, for which entity, and whether with constraints.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PageQuestion {
    pub(super) access: Access,
    pub(super) entity: String,
    pub(super) with_constraints: bool,
}

/// Pages that were made lately, the last used last.
#[derive(Default)]
pub(super) struct Cache(Vec<Kept>);

struct Kept {
    question: PageQuestion,
    made: DateTime<Utc>,
    editions: Vec<u64>,
    page: Arc<CompiledPage>,
}

impl Cache {
    /// Returns a page that was made less than a minute ago, from the present state.
    pub(super) fn get(
        &mut self,
        question: &PageQuestion,
        editions: &[u64],
        now: DateTime<Utc>,
    ) -> Option<Arc<CompiledPage>> {
        let at = self.0.iter().position(|kept| kept.question == *question)?;
        let kept = self.0.remove(at);
        let age = now - kept.made;
        if kept.editions != editions || age < TimeDelta::zero() || age >= FRESH {
            return None;
        }
        let page = Arc::clone(&kept.page);
        self.0.push(kept);
        Some(page)
    }

    /// Keeps a page; the one that was used longest ago goes where there are too many.
    pub(super) fn keep(
        &mut self,
        question: PageQuestion,
        editions: Vec<u64>,
        made: DateTime<Utc>,
        page: Arc<CompiledPage>,
    ) {
        self.0.retain(|kept| kept.question != question && kept.editions == editions);
        if self.0.len() >= MAX_PAGES {
            self.0.remove(0);
        }
        self.0.push(Kept { question, made, editions, page });
    }

    /// Drops all pages; returns how many there were.
    pub(super) fn clear(&mut self) -> u64 {
        let many = self.0.len() as u64;
        self.0.clear();
        many
    }
}
