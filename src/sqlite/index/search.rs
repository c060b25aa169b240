//! Chunks by words, as FTS5 finds them.

use crate::base::error::Result;
use crate::search::rank::{Clause, Term};
use crate::sql::chunks::{ChunkDriver, InSight, in_sight};
use crate::sql::{Dialect, params, read_numbers};
use crate::sqlite::driver::Run;
use crate::sqlite::words;

impl ChunkDriver for Run<'_> {
    fn with_words(&self, within: InSight, terms: &[&Term]) -> Result<Vec<Vec<i64>>> {
        let mut lists = Vec::with_capacity(terms.len());
        for term in terms {
            lists.push(self.matching(within, words::quoted(term.asked()))?);
        }
        Ok(lists)
    }

    fn fulfilling(&self, within: InSight, clause: &Clause) -> Result<Option<Vec<i64>>> {
        let Some(expression) = words::may_fulfil(clause) else { return Ok(None) };
        self.matching(within, expression).map(Some)
    }
}

impl Run<'_> {
    /// Lists the chunks in sight that fit an expression. Where all of the file are in sight, none is looked at.
    fn matching(&self, within: InSight, expression: String) -> Result<Vec<i64>> {
        let fitting = "SELECT rowid FROM memory_chunks_fts WHERE memory_chunks_fts MATCH $4";
        let sql = if within.is_whole {
            fitting.to_owned()
        } else {
            let visible = in_sight(Dialect::Sqlite);
            format!("SELECT c.number FROM ({fitting}) f CROSS JOIN {visible} AND c.number = f.rowid")
        };
        read_numbers(self, &sql, params![i64::from(within.sight.0), expression])
    }
}
