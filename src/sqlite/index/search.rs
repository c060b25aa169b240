//! Chunks by words, as FTS5 finds them.

use crate::base::error::Result;
use crate::search::rank::{Clause, Term};
use crate::sql::chunks::{ChunkDriver, in_sight};
use crate::sql::{Dialect, DriverExt, params};
use crate::sqlite::driver::Run;
use crate::sqlite::words;
use crate::store::vectors::Sight;

impl ChunkDriver for Run<'_> {
    fn with_words(&self, sight: Sight, terms: &[&Term], most: usize) -> Result<Vec<Vec<i64>>> {
        let matching = self.matching(sight)?;
        let mut lists = Vec::with_capacity(terms.len());
        for term in terms {
            lists.push(self.numbers(&matching, sight, words::quoted(term.asked()), most)?);
        }
        Ok(lists)
    }

    fn fulfilling(&self, sight: Sight, clause: &Clause) -> Result<Option<Vec<i64>>> {
        let Some(expression) = words::may_fulfil(clause) else { return Ok(None) };
        self.numbers(&self.matching(sight)?, sight, expression, usize::MAX).map(Some)
    }
}

impl Run<'_> {
    /// Returns the statement for the chunks in sight that fit the expression `$4`. Those of a whole file need not be looked at.
    fn matching(&self, sight: Sight) -> Result<String> {
        let others = "SELECT 1 FROM indexed_documents
             WHERE user_id <> $1 OR agent_id <> $2 OR (audience & $3) = 0 LIMIT 1";
        let fitting = "SELECT rowid FROM memory_chunks_fts WHERE memory_chunks_fts MATCH $4";
        if !self.finds(others, params![i64::from(sight.0)])? {
            return Ok(format!("{fitting} LIMIT $5"));
        }
        let visible = in_sight(Dialect::Sqlite);
        Ok(format!("SELECT c.number FROM ({fitting}) f CROSS JOIN {visible} AND c.number = f.rowid LIMIT $5"))
    }

    fn numbers(&self, matching: &str, sight: Sight, expression: String, most: usize) -> Result<Vec<i64>> {
        self.all(matching, params![i64::from(sight.0), expression, most], |found| found.number(0))
    }
}
