//! The edges of chunks, written with them.

use std::sync::Arc;

use crate::base::error::Result;
use crate::base::name::DocName;
use crate::edges::{EdgeExtractor, Words, edges_of};
use crate::format::JournalName;
use crate::format::documents::properties::Properties;
use crate::postgres::within::Within;

/// The writer of the edges of chunks.
#[derive(Clone)]
pub(super) struct Links {
    pub(super) extractor: Option<Arc<dyn EdgeExtractor>>,
}

impl Links {
    /// Adds the edges of chunks of a document; returns how many are new.
    pub(super) fn put(&self, within: &Within<'_>, name: &DocName, chunks: &[(i64, &str)]) -> Result<u64> {
        let Some(extractor) = &self.extractor else { return Ok(0) };
        let path = name.as_str();
        // Journals are named by their day, and nobody links to them.
        let note = path.strip_suffix(".md").filter(|_| JournalName::parse(name).is_none());
        let (mut numbers, mut places) = (Vec::new(), Vec::new());
        let [mut keys, mut kinds, mut verbs] = [Vec::new(), Vec::new(), Vec::new()];
        for (number, text) in chunks {
            // The frontmatter of a note is a chunk of its own.
            let Properties { aliases, tags } = note.map(|_| Properties::of(text)).unwrap_or_default();
            let words = Words { text, note, aliases: &aliases, tags: &tags, ..Words::default() };
            let found = edges_of(extractor.as_ref(), &words);
            // The server's texts hold no zero character.
            let found = found.into_iter().filter(|edge| {
                ![&*edge.entity.key, &*edge.entity.kind, &*edge.verb].iter().any(|text| text.contains('\0'))
            });
            for (place, edge) in (0..).zip(found) {
                numbers.push(*number);
                places.push(place);
                keys.push(edge.entity.key);
                kinds.push(edge.entity.kind.into_owned());
                verbs.push(edge.verb.into_owned());
            }
        }
        if numbers.is_empty() {
            return Ok(0);
        }
        let put =
            within.run(PUT, [numbers.into(), keys.into(), kinds.into(), verbs.into(), places.into()])?;
        Ok(put.len() as u64)
    }
}

const PUT: &str = "
    INSERT INTO chunk_edges (user_id, agent_id, number, entity_key, entity_kind, verb, place)
    SELECT $1, $2, n.* FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[]) AS n
    ON CONFLICT DO NOTHING RETURNING 1";
