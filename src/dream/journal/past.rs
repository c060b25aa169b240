//! The report of an earlier dream, made from the records in its home.

use super::dreamer::JournalDreamer;
use super::earlier::EarlierDreams;
use crate::base::document::{Document, SourceRef};
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::spread::Spread;
use crate::dream::commit;
use crate::dreamer::{DreamMode, DreamReport, LineOutcome, LineReport, Outcome, PassReport, ShownSlice};
use crate::format::DreamId;
use crate::format::documents::curated;
use crate::format::documents::sections::{self, SectionState};
use crate::format::replies::reply;
use crate::format::state::log::{LogLine, LogSource};
use crate::workspace::Workspace;

impl JournalDreamer {
    /// Returns the report of an earlier dream, as far as it can be told now. It has the promoted lines as they are or
    /// were, the shown journals, and the cost. `None` where the log knows no such dream. It says of itself that it is
    /// [retold](DreamReport::retold).
    ///
    /// Lines that were not promoted are kept nowhere, so they are not among them. Nor are lines that a person took out.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::report::DreamPage;
    /// use noctuary::{Extractive, FileWorkspace, JournalDreamer, dream_once};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::create_dir(folder.path().join("memory"))?;
    /// # let journal = "- 09:12 [user] Decision: we release on 2026-12-04, Ilya signs it off.\n";
    /// # std::fs::write(folder.path().join("memory/2026-11-20-repl.md"), journal)?;
    /// # let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    /// # let dreamer = JournalDreamer::builder(workspace.clone()).enabled(true)
    /// #     .configure(|config| config.window_days = None).build()?;
    /// # dream_once(&dreamer, &Extractive::new())?;
    /// let last = dreamer.dreams()?.remove(0);
    /// let report = dreamer.past_dream(&last.id)?.unwrap();
    /// assert_eq!(report.promoted().count(), 1);
    /// let page = DreamPage::new(&report).read(workspace.as_ref())?.to_html();
    /// assert!(page.contains("Ilya signs it off"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) for a state file that does not parse, and those of the workspace.
    pub fn past_dream(&self, id: &DreamId) -> Result<Option<DreamReport>> {
        let earlier = EarlierDreams::open(self.workspace())?;
        let Some(line) = earlier.pass(id) else { return Ok(None) };
        let archive = String::from_utf8_lossy(&commit::archive(earlier.workspace)?).into_owned();
        let memory = earlier.memory.lossy().into_owned();
        let mut pass = PassReport::new(id.clone());
        pass.outcome = Outcome::Appended;
        pass.request_bytes = line.request_bytes;
        pass.usage = line.usage;
        for source in &line.sources {
            pass.shown.extend(shown(earlier.workspace, source)?);
        }
        let kept = earlier.undone.get(id).filter(|_| earlier.is_undone(id)).map(|kept| kept.section.clone());
        pass.without_model = line.without_model;
        pass.section = kept.clone().or_else(|| {
            let printed = line.section_sha256?;
            [&memory, &archive].into_iter().find_map(|text| {
                match sections::find(text.as_bytes(), id, printed) {
                    SectionState::Whole(range) => Some(text[range].to_owned()),
                    _ => None,
                }
            })
        });
        let promoted = [memory, archive].into_iter().chain(kept).spread(|text| curated::promoted(&text));
        let promoted = promoted.filter(|promoted| promoted.dream == *id);
        pass.lines = promoted.map(|promoted| told(promoted.heading, promoted.text)).gather();
        Ok(Some(report(self.workspace().location(), line, pass)))
    }
}

fn report(location: String, line: &LogLine, pass: PassReport) -> DreamReport {
    let mut report = DreamReport::begun(DreamMode::Append, location, line.at.unwrap_or_default());
    report.outcome = Outcome::Appended;
    report.retold = true;
    report.epoch = Some(line.epoch);
    report.calls = u32::from(line.request_bytes > 0);
    report.usage = line.usage;
    report.passes = vec![pass];
    report
}

fn told(heading: Option<&'static str>, text: String) -> LineReport {
    let (_, citations) = reply::split_citations(&text);
    let sources: Vec<SourceRef> = citations
        .into_iter()
        .filter(|citation| citation.first_line > 0)
        .filter_map(|citation| {
            let (first_line, last_line) = (citation.first_line, citation.last_line);
            Some(SourceRef { name: citation.name?, first_line, last_line })
        })
        .gather();
    let fate = LineOutcome::Promoted { cited: !sources.is_empty() };
    LineReport::new(text, heading.map(str::to_owned), sources, fate)
}

/// Returns the piece of a journal that was shown, with its lines as they are counted now.
pub(super) fn shown(workspace: &dyn Workspace, source: &LogSource) -> Result<Option<ShownSlice>> {
    let Ok(name) = DocName::parse(source.name.as_str()) else { return Ok(None) };
    let bytes = workspace.read(&name)?.map(Document::into_bytes).unwrap_or_default();
    let lines = |until: u64| {
        let until = usize::try_from(until).unwrap_or(usize::MAX).min(bytes.len());
        bytes[..until].split(|byte| *byte == b'\n').skip(1).count() as u64
    };
    let first_line = lines(source.from) + 1;
    let last_line = lines(source.to).max(first_line);
    Ok(Some(ShownSlice { name, from: source.from, to: source.to, first_line, last_line }))
}
