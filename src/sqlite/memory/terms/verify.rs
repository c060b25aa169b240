//! Whether the index says what the rows say.

use std::collections::HashMap;

use rusqlite::params;

use super::count::{INDEXED, with_row};
use crate::search::postings::{Error, Totals};
use crate::search::rank::{Stemmer, Visibility};
use crate::sqlite::error::is_corrupt;
use crate::sqlite::memory::table::Table;

impl Table<'_> {
    /// Compares the index with the rows of the scope: each is in, and each term is in as many. An index that is not whole
    /// yet is sound.
    pub(in crate::sqlite::memory) fn are_terms_sound(&self) -> rusqlite::Result<bool> {
        let (mut totals, mut found_in, mut ids) = (Totals::default(), HashMap::new(), Vec::new());
        let mut stemmer = Stemmer::default();
        let sql = format!("SELECT {INDEXED} FROM main_memories WHERE user_id = ?1 AND agent_id = ?2");
        let mut statement = self.connection.prepare(&sql)?;
        let mut rows = statement.query(params![self.user(), self.agent()])?;
        while let Some(found) = rows.next()? {
            with_row(&self.found(found), &mut stemmer, |row| {
                totals.add(row);
                ids.push(row.id);
                for (term, _) in row.terms {
                    let counts: &mut [u64; 2] = found_in.entry((*term).to_owned()).or_default();
                    counts[Visibility::All as usize] += 1;
                    counts[Visibility::Shared as usize] += u64::from(row.shared);
                }
            })?;
        }
        let compared = self.ask_terms(|partition, pages| {
            let mut is_sound = *partition.totals() == totals;
            for id in ids {
                is_sound = is_sound && partition.has(pages, id)?;
            }
            for (term, counts) in &found_in {
                is_sound = is_sound && partition.found_in(pages, term)? == *counts;
            }
            Ok::<_, Error>(is_sound)
        });
        match compared {
            Err(error) if is_corrupt(&error) => Ok(false),
            compared => Ok(compared?.unwrap_or(true)),
        }
    }
}
