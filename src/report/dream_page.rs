//! The page of one dream, as its operator asks for it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::inputs::Inputs;
use super::page::Page;
use crate::base::day::DayPolicy;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::dreamer::DreamReport;
use crate::facts::Superseded;
use crate::format::Quarantine;
use crate::format::state::log;
use crate::gate::Doors;
use crate::session;
use crate::workspace::Workspace;

/// A page on one dream, for the operator: a [`DreamReport`], also one kept as JSON, beside its texts.
///
/// The report alone makes a page. [`read`](Self::read) adds the journals that it cites, `MEMORY.md`, the log of earlier
/// nights and the quarantine. [`journal`](Self::journal), [`memory`](Self::memory), [`log`](Self::log) and
/// [`quarantine`](Self::quarantine) add them from elsewhere. The same inputs give the same page.
///
/// It holds words of journals and of `MEMORY.md`, and belongs where those do. Secrets are masked in every text of it,
/// whatever the policies of the doors, and so are forgotten statements.
///
/// # Example: a night and its page
///
/// ```
/// use std::sync::Arc;
/// use noctuary::report::DreamPage;
/// use noctuary::{Extractive, FileWorkspace, JournalDreamer, dream_once};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::create_dir(folder.path().join("memory"))?;
/// let journal = "- 09:12 [user] Decision: we release on 2026-12-04, <b>Ilya</b> signs it off.\n";
/// std::fs::write(folder.path().join("memory/2026-11-20-repl.md"), journal)?;
///
/// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
/// let dreamer = JournalDreamer::builder(workspace.clone())
///     .enabled(true)
///     .configure(|config| config.window_days = None)
///     .build()?;
/// let report = dream_once(&dreamer, &Extractive::new())?;
///
/// let page = DreamPage::new(&report).read(workspace.as_ref())?.to_html();
/// std::fs::write(folder.path().join("night.html"), &page)?;
/// assert!(page.contains("memory/2026-11-20-repl.md#L1") && !page.contains("<b>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use = "`to_html` makes the page"]
pub struct DreamPage<'r>(Inputs<'r>);

impl<'r> DreamPage<'r> {
    /// Makes a page from the report alone.
    pub fn new(report: &'r DreamReport) -> Self {
        Self(Inputs {
            report,
            day: DayPolicy::UTC,
            doors: Doors::default(),
            forgotten: None,
            budget: None,
            journals: BTreeMap::new(),
            memory: None,
            log: Vec::new(),
            quarantine: None,
            superseded: Vec::new(),
        })
    }

    /// Sets what finds the secrets that are masked, and what of them the operator lets pass. The policies
    /// of the doors are not used: a page masks every secret.
    pub fn doors(mut self, doors: Doors) -> Self {
        self.0.doors = doors;
        self
    }

    /// Sets the days and the time zone in which the page prints times; UTC without it.
    pub fn day(mut self, day: DayPolicy) -> Self {
        self.0.day = day;
        self
    }

    /// Sets what a pass may show of journals in bytes, [`DreamConfig::total_input_bytes`](crate::DreamConfig), for the
    /// page to measure by.
    pub fn budget(mut self, bytes: u64) -> Self {
        self.0.budget = Some(bytes);
        self
    }

    /// Adds a journal, for what the report cites of it.
    pub fn journal(mut self, name: DocName, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.journals.insert(name, bytes.into());
        self
    }

    /// Sets `MEMORY.md` as it is after the dream.
    pub fn memory(mut self, text: impl Into<String>) -> Self {
        self.0.memory = Some(text.into());
        self
    }

    /// Sets the log of passes, `.dreaming.d/log.jsonl`. Lines that do not parse are left out.
    pub fn log(mut self, lines: &str) -> Self {
        self.0.log = log::of_curators(lines).collect();
        self
    }

    /// Sets the quarantine as it is after the dream.
    pub fn quarantine(mut self, quarantine: Quarantine) -> Self {
        self.0.quarantine = Some(quarantine);
        self
    }

    /// Sets the promoted lines that no longer hold, by [`FactStore::superseded`](crate::facts::FactStore::superseded). The
    /// page says behind each of them what holds now, and since when.
    pub fn superseded(mut self, superseded: Vec<Superseded>) -> Self {
        self.0.superseded = superseded;
        self
    }

    /// Reads the present texts that the report names from the workspace of the dream. Changes nothing.
    ///
    /// A journal that is gone, too large or no longer a plain file is left out, and the page says so.
    ///
    /// # Errors
    ///
    /// The errors of reading. The view of a session is [`Error::Denied`]: the page is the operator's, and reads the
    /// library's own files.
    pub fn read(mut self, workspace: &dyn Workspace) -> Result<Self> {
        let text = |document: Option<Document>| document.map(|document| document.lossy().into_owned());
        self.0.forgotten = session::forgotten(workspace)?.map(Arc::new);
        self = self.log(&text(workspace.read(&StateName::LOG)?).unwrap_or_default());
        let quarantine = workspace.read(&StateName::QUARANTINE)?;
        self.0.quarantine = Some(Quarantine::read(quarantine.as_ref().map(Document::bytes)).state);
        let memory = match workspace.read(&DocName::MEMORY)? {
            None => workspace.read(&DocName::LEGACY_MEMORY)?,
            memory => memory,
        };
        self.0.memory = text(memory);
        for name in self.0.cited() {
            match workspace.read(&name) {
                Ok(Some(document)) => drop(self.0.journals.insert(name, document.into_bytes())),
                Ok(None) | Err(Error::TooLarge { .. } | Error::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self)
    }

    /// Prints the page: one HTML document.
    #[must_use]
    pub fn to_html(&self) -> String {
        Page::new(&self.0).html().into_string()
    }
}

impl fmt::Debug for DreamPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DreamPage")
            .field("outcome", &self.0.report.outcome)
            .field("journals", &self.0.journals.keys())
            .field("memory_bytes", &self.0.memory.as_ref().map(String::len))
            .field("log_lines", &self.0.log.len())
            .finish_non_exhaustive()
    }
}
