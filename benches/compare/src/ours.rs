//! A store of noctuary.

use std::collections::HashMap;
use std::path::Path;

use noctuary::MemoryStore;
use noctuary::memory::{MemoryId, NewMemory, Query, Source};

use crate::engine::Engine;
use crate::home::{Kind, Store, agent, at};

/// The most rows of one step; what is written at once costs the memory of its lines.
const STEP: usize = 1_000;

pub(crate) struct Ours {
    kind: Kind,
    store: Box<dyn Store>,
    numbers: HashMap<MemoryId, u32>,
}

impl Ours {
    pub(crate) fn open(kind: Kind, folder: &Path) -> Self {
        Self { kind, store: kind.open(folder), numbers: HashMap::new() }
    }
}

impl Engine for Ours {
    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Sqlite => "noctuary, sqlite",
            Kind::File => "noctuary, file",
        }
    }

    fn write(&mut self, rows: &[(u32, String)]) {
        for step in rows.chunks(STEP) {
            let memory = |(_, text): &(u32, String)| {
                NewMemory::new("observation", text.as_str(), Source::AgentRecorded)
            };
            let memories: Vec<NewMemory> = step.iter().map(memory).collect();
            let written = self.store.write_all(&agent(), &memories, at(step[0].0)).unwrap();
            for ((number, _), id) in step.iter().zip(written) {
                self.numbers.insert(id.unwrap(), *number);
            }
        }
    }

    fn search(&mut self, words: &[String]) -> Vec<u32> {
        let query = Query::new(words.join(" ")).limit(10);
        let found = MemoryStore::search(&*self.store, &agent(), &query).unwrap();
        found.hits.iter().map(|hit| self.numbers[&hit.memory.id]).collect()
    }
}
