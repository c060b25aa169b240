//! The edges of the documents of a workspace, as a session sees them.

use chrono::{DateTime, Utc};

use super::indexed::Indexed;
use super::rights::audience;
use super::upkeep::{Cuts, is_indexed};
use crate::base::access::Access;
use crate::base::document::SourceRef;
use crate::base::error::Result;
use crate::base::order;
use crate::edges::{Cited, CitedSource, EdgeStore, Neighborhood, TopEntity};
use crate::workspace::{Workspace, is_of};

/// The links, tags and names of documents. A session gets edges of documents that it may read. Nobody gets forgotten words. An
/// index without edges has none.
impl<W: Workspace> EdgeStore for Indexed<W> {
    fn neighborhood(
        &self,
        access: &Access,
        asked: &str,
        limit: usize,
        now: DateTime<Utc>,
    ) -> Result<Neighborhood> {
        let Some(edges) = self.edges_for(access) else { return Ok(Neighborhood::default()) };
        let mut around = edges.neighborhood(access, asked, limit, now)?;
        let (mut cuts, mut failed) = (Cuts::default(), None);
        around.retain(|mention| match &mention.said {
            Cited::Passage(passage) => {
                let is_told = self.is_told(access, &mut cuts, &passage.lines, &passage.text);
                is_told.unwrap_or_else(|error| {
                    failed = Some(error);
                    false
                })
            }
            Cited::Row(_) | Cited::Note(_) => true,
        });
        failed.map_or(Ok(around), Err)
    }

    fn top_entities(&self, access: &Access, limit: usize) -> Result<Vec<TopEntity>> {
        let Some(edges) = self.edges_for(access) else { return Ok(Vec::new()) };
        let mut top = edges.top_entities(access, limit)?;
        if let Some(forgotten) = self.upkeep.forgotten.get(&self.upkeep.workspace)? {
            order::retain(&mut top, |top| !forgotten.holds(&top.entity.key));
        }
        Ok(top)
    }

    fn words(&self, access: &Access, source: &CitedSource) -> Result<Option<String>> {
        let Some(edges) = self.edges_for(access) else { return Ok(None) };
        let words = edges.words(access, source)?;
        Ok(match (source, words) {
            (CitedSource::Lines(lines), Some(text)) => {
                self.is_told(access, &mut Cuts::default(), lines, &text)?.then_some(text)
            }
            (_, words) => words,
        })
    }

    fn extract_edges(&self) -> Result<u64> {
        self.upkeep.index.edges().map_or(Ok(0), EdgeStore::extract_edges)
    }

    fn edition(&self) -> Result<u64> {
        self.upkeep.index.edges().map_or(Ok(0), EdgeStore::edition)
    }
}

impl<W: Workspace> Indexed<W> {
    fn edges_for(&self, access: &Access) -> Option<&dyn EdgeStore> {
        self.upkeep.index.edges().filter(|_| is_of(&self.upkeep.workspace, &access.scope))
    }

    /// Returns whether a session sees lines of a document. The index may not have been brought up to date since something was
    /// forgotten.
    fn is_told(&self, access: &Access, cuts: &mut Cuts, lines: &SourceRef, text: &str) -> Result<bool> {
        Ok(audience(&lines.name, self.upkeep.is_of_group()).includes(access.kind)
            && is_indexed(&lines.name)
            && !cuts.of(&self.upkeep, &lines.name)?.hides(&lines.name, text))
    }
}
