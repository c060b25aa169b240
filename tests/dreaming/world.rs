//! Three dreams over any home, taken back, brought back and archived: what the tests of undo share.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use noctuary::dream::{Evidence, OverBudget};
use noctuary::format::DreamId;
use noctuary::testing::MemoryDisk;
use noctuary::workspace::StateName;
use noctuary::{
    Access, DocName, DreamConfig, DreamReport, FileWorkspace, JournalDreamer, LlmClient, LlmError, LlmReply,
    LlmRequest, Scope, Workspace, WriteMode, dream_once_at, llm_fn,
};

use super::{Seen, disk_with, dream, dreamer_over, journal, name, night, seen};

/// The human of a main session.
pub fn human() -> Access {
    Access::human(Scope::user("marta"))
}

/// Answers each line that it is shown with a line of its own, always in the same words.
pub fn teller() -> impl LlmClient {
    llm_fn(|request: &LlmRequest| -> Result<LlmReply, LlmError> {
        let told = |line: Seen| {
            let text = line.text.trim_start_matches("- [user] ").to_owned();
            format!("- Told: {text}. ({}#L{})\n", line.journal, line.number)
        };
        Ok(LlmReply::new(seen(request).into_iter().map(told).collect::<String>()))
    })
}

/// A dreamer that asks about one journal at a time.
pub fn dreamer(workspace: Arc<dyn Workspace>) -> JournalDreamer {
    dreamer_with(workspace, |_| ())
}

pub fn dreamer_with(workspace: Arc<dyn Workspace>, change: impl FnOnce(&mut DreamConfig)) -> JournalDreamer {
    dreamer_over(workspace, |config| {
        config.evidence = Evidence::Off;
        config.total_input_bytes = 1;
        config.max_passes = 20;
        config.budget.max_calls_per_day = None;
        config.budget.back_off = None;
        change(config);
    })
}

/// A workspace, and how to look into it.
#[derive(Clone)]
pub struct World(pub Arc<dyn Workspace>);

pub const MINE: &str = "# Memory\n\n- Known already.\n";
pub const DAYS: [u32; 3] = [18, 19, 20];

impl World {
    /// One on a disk in memory, whose clock stands still.
    pub fn on(disk: &MemoryDisk) -> Self {
        Self(Arc::new(FileWorkspace::on_disk(Arc::new(disk.clone()))))
    }

    /// Three journals that were dreamed, a section each, with lines of a person between the sections.
    pub fn dreamed() -> (Self, Vec<DreamId>) {
        Self::on(&disk_with(&[("MEMORY.md", MINE)])).dream_three()
    }

    pub fn dream_three(self) -> (Self, Vec<DreamId>) {
        let mut ids = Vec::new();
        for day in DAYS {
            self.add(&journal(day), &format!("- [user] what day {day} was like\n"));
            let report = self.dream(night(day + 1));
            ids.push(report.passes[0].dream_id.clone());
            self.add("MEMORY.md", &format!("- Mine, after {day}.\n"));
        }
        (self, ids)
    }

    pub fn dreamer(&self) -> JournalDreamer {
        dreamer(Arc::clone(&self.0))
    }

    pub fn dream(&self, now: DateTime<Utc>) -> DreamReport {
        dream(&self.dreamer(), &teller(), now)
    }

    pub fn undo(&self, id: &DreamId) -> noctuary::Result<bool> {
        self.dreamer().undo_dream(&human(), id, night(25))
    }

    pub fn redo(&self, id: &DreamId) -> noctuary::Result<bool> {
        self.dreamer().redo_dream(&human(), id, night(26))
    }

    /// Runs with an archive, on a memory of at most so many characters.
    pub fn compact(&self, budget: u64) -> DreamReport {
        self.try_compact(budget).unwrap()
    }

    pub fn try_compact(&self, budget: u64) -> noctuary::Result<DreamReport> {
        let dreamer = dreamer_with(Arc::clone(&self.0), |config| {
            config.over_budget = OverBudget::Archive;
            config.memory_budget = budget;
        });
        dream_once_at(&dreamer, &teller(), &|| night(27))
    }

    pub fn text_of(&self, name: &noctuary::workspace::Name) -> String {
        let document = self.0.read(name).unwrap();
        document.map(|document| String::from_utf8(document.into_bytes()).unwrap()).unwrap_or_default()
    }

    pub fn text(&self, file: &str) -> String {
        self.text_of(&name(file))
    }

    pub fn memory(&self) -> String {
        self.text("MEMORY.md")
    }

    pub fn archive(&self) -> String {
        self.text_of(&DocName::DREAMED)
    }

    pub fn put(&self, file: &str, text: &str) {
        self.0.write(&name(file), text.as_bytes(), WriteMode::Replace).unwrap();
    }

    pub fn add(&self, file: &str, text: &str) {
        self.0.append(&name(file), text.as_bytes()).unwrap();
    }

    pub fn json(&self, name: &noctuary::workspace::Name) -> serde_json::Value {
        serde_json::from_str(&self.text_of(name)).unwrap_or_default()
    }

    /// Returns the shown ranges by journal, and the place up to which a peer takes them for read.
    pub fn cursors(&self) -> serde_json::Value {
        let (ledger, state) = (self.json(&StateName::LEDGER), self.json(&StateName::DREAMED));
        serde_json::json!([ledger["journals"], ledger["watermark"], state["last_processed_mtime"]])
    }

    /// Returns the log's entries about sections: the word and the dream, in order.
    pub fn log(&self) -> Vec<(String, String)> {
        let log = self.text_of(&StateName::LOG);
        // A torn line is skipped.
        let lines = log.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        lines
            .map(|line| {
                (line["outcome"].as_str().unwrap().to_owned(), line["id"].as_str().unwrap().to_owned())
            })
            .collect()
    }

    /// How often what a day was like stands in memory.
    pub fn tellings(&self, day: u32) -> usize {
        self.memory().matches(&format!("Told: what day {day} was like")).count()
    }
}
