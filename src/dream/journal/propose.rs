//! Proposals: the lines that a dream would append wait for a person's decision.
//!
//! A proposal is made by the ordinary commit, with a file in the place of a section. The cursors move with it, and
//! nobody is asked about the journals twice. An answer is an ordinary commit too. Section, log line and end of the
//! proposal are one intent, and happen together, once.
//!
//! - *Accepted*: what is in the file then is appended under the dream's id. An undo of that dream finds its section and
//!   its sources in the log as those of any other.
//! - *Rejected*: its lines are answered. The log keeps their hashes, so that no later dream brings them again.
//! - *Deleted by hand*: as rejected.
//! - *Too old*: it makes room in the queue, and stays. Time is no person's word, so nothing is appended or given up, and
//!   nobody is asked again.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::dreamer::JournalDreamer;
use super::person::{self, Claimed};
use super::queue::is_expired;
use crate::base::access::Access;
use crate::base::digest::Digest;
use crate::base::document::{Document, SourceRef};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, Name, StateName};
use crate::base::order;
use crate::base::sorted::{SortedMap, SortedSet};
use crate::base::text;
use crate::dream::commit;
use crate::dream::engine::{self, Item};
use crate::dreamer::{LineOutcome, LineReport, Outcome};
use crate::format::documents::curated;
use crate::format::documents::known::{Heard, KnownStatements};
use crate::format::documents::statements::statement_hash;
use crate::format::replies::reply;
use crate::format::state::intent::{Append, Books, Intent};
use crate::format::state::ledger::Ledger;
use crate::format::state::log::LogLine;
use crate::format::state::proposal::{Bullet, ProposalStep, Waiting};
use crate::format::{DreamId, DreamedState};
use crate::gate::{Door, Doors, Masks, is_struck};
use crate::workspace::{Lease, Workspace};

/// The log's word for the end of a pass that a person rejected.
const REJECTED: &str = "proposal_rejected";

/// A proposal that waits for a person's word.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DreamProposal {
    /// The dream.
    pub id: DreamId,
    /// When it was made.
    pub proposed_at: DateTime<Utc>,
    /// For how long it has waited.
    pub age: TimeDelta,
    /// Whether it has waited for longer than [`DreamConfig::proposal_max_age`](crate::DreamConfig::proposal_max_age). It can be accepted and rejected all the
    /// same.
    pub is_expired: bool,
    /// The file as it is. Where there is no file to open, a host writes under its [`name`](Document::name) with
    /// [`WriteMode::IfRevision`](crate::WriteMode::IfRevision).
    pub document: Document,
}

/// The result of an acceptance.
///
/// Holds words of the lines, so its `Debug` prints shapes there.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProposalReport {
    /// The dream.
    pub dream_id: DreamId,
    /// Its end.
    pub end: ProposalEnd,
    /// Every line of the proposal and its fate.
    pub lines: Vec<LineReport>,
    /// The section as it was appended.
    pub section: Option<String>,
    /// The dream that an earlier run or answer had left half done, and that was finished first. This one, where its
    /// acceptance had been cut.
    pub recovered: Option<DreamId>,
}

impl fmt::Debug for ProposalReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProposalReport")
            .field("dream_id", &self.dream_id)
            .field("end", &self.end)
            .field("lines", &self.lines)
            .field("section_bytes", &self.section.as_ref().map(String::len))
            .field("recovered", &self.recovered)
            .finish()
    }
}

/// The end of an acceptance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProposalEnd {
    /// Its section was appended.
    Appended,
    /// Every line of it is in `MEMORY.md` already; it is answered, and nothing was appended.
    NothingNew,
    /// No such proposal waits: it was answered before. Nothing was done.
    NotWaiting,
}

impl JournalDreamer {
    /// Lists the proposals that wait, oldest first; those of [`DreamMode::Propose`](crate::dream::DreamMode::Propose).
    ///
    /// Each is a file, `.dreaming.d/proposals/<id>.md`, in which a person changes, adds or takes out lines. It is state:
    /// no session, prompt, search, tool or dream reads it, and [`copy_into`](crate::exchange::copy_into) takes it along. Of what
    /// becomes of one:
    ///
    /// - [`accept_proposal`](Self::accept_proposal) appends what is in it then. The dream keeps its id.
    /// - [`reject_proposal`](Self::reject_proposal), or deleting the file: its lines are answered, and no later dream
    ///   brings them again. The journals stay read.
    /// - With the age of [`DreamConfig::proposal_max_age`](crate::DreamConfig::proposal_max_age) it makes room for others, and is said to have expired. It stays,
    ///   and can still be answered: nothing is given up without a word, and no model is asked again.
    ///
    /// If [`DreamConfig::max_proposals`](crate::DreamConfig::max_proposals) wait, a dream asks nobody and ends with
    /// [`Outcome::ProposalsFull`]; the journals wait unread. A statement of a waiting proposal is not proposed or
    /// appended again.
    /// Journals that were shown count as dreamed while their proposal waits, also for archiving.
    ///
    /// # Example: a person reads what the night would keep
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::dream::DreamMode;
    /// use noctuary::{
    ///     Access, Extractive, FileWorkspace, JournalDreamer, Outcome, Scope,
    ///     dream_once_at,
    /// };
    /// # use chrono::{TimeZone, Utc};
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::create_dir(folder.path().join("memory"))?;
    /// # let journal = "- 09:12 [user] Decision: we release on 2026-12-04, Ilya signs it off.\n";
    /// # std::fs::write(folder.path().join("memory/2026-11-20-repl.md"), journal)?;
    ///
    /// let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?))
    ///     .enabled(true)
    ///     .configure(|config| config.mode = DreamMode::Propose)
    ///     .build()?;
    /// let night = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
    /// let report = dream_once_at(&dreamer, &Extractive::new(), &|| night)?;
    /// assert_eq!(report.outcome, Outcome::Proposed);
    ///
    /// let marta = Access::human(Scope::user("marta"));
    /// let proposals = dreamer.proposals(&marta, night)?;
    /// assert!(proposals[0].document.lossy().contains("we release on 2026-12-04"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human of a main session. [`Error::Corrupt`] where the list of proposals
    /// does not parse, and those of reading.
    pub fn proposals(&self, access: &Access, now: DateTime<Utc>) -> Result<Vec<DreamProposal>> {
        person::check(self, access, StateName::PROPOSALS)?;
        let workspace = self.workspace();
        let list = commit::proposals(workspace)?;
        // One whose answer is under way has its answer: the next claim carries it out.
        let answered = commit::unfinished::<Intent>(workspace)?.and_then(|intent| match intent.proposal {
            Some(ProposalStep::Answered { id, .. }) => Some(id),
            _ => None,
        });
        let mut proposals = Vec::new();
        for waiting in list.waiting().iter().filter(|waiting| Some(&waiting.id) != answered.as_ref()) {
            let Some(document) = workspace.read(&waiting.name())? else { continue };
            proposals.push(DreamProposal {
                id: waiting.id.clone(),
                proposed_at: waiting.at,
                age: now - waiting.at,
                is_expired: is_expired(waiting, now, &self.config),
                document,
            });
        }
        Ok(proposals)
    }

    /// Appends to `MEMORY.md` the present text of a proposal. A person's edits are the person's words, and need no
    /// evidence.
    ///
    /// Appends the text as it is, or not at all. It may hold only bullets under the three headings, and no secret,
    /// disguised instruction, forgotten statement, tag or link. Else the error names the line, and the proposal waits
    /// on. Lines that `MEMORY.md` has already are left out and reported, and so are lines with the marks that a
    /// forgetting left (`LineOutcome::Forgotten`). The heading bears the day of the dream.
    ///
    /// It is done by the ordinary commit. Once the intent is written, the next claim finishes it exactly once after a
    /// crash or a power loss. Before that, nothing has happened. A save of `MEMORY.md` in between is kept. Accepted
    /// again it has no effect: [`ProposalEnd::NotWaiting`].
    ///
    /// # Example: the night proposes, a person edits and says yes
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use noctuary::dream::ProposalEnd;
    /// use noctuary::{Access, Scope, WriteMode};
    /// # use noctuary::dream::DreamMode;
    /// # use noctuary::{Extractive, FileWorkspace, JournalDreamer, Workspace, dream_once_at};
    /// # use chrono::{TimeZone, Utc};
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::create_dir(folder.path().join("memory"))?;
    /// # let journal = "- 09:12 [user] Decision: we release on 2026-12-04, Ilya signs it off.\n";
    /// # std::fs::write(folder.path().join("memory/2026-11-20-repl.md"), journal)?;
    /// # let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    /// # let dreamer = JournalDreamer::builder(Arc::clone(&workspace) as _)
    /// #     .enabled(true)
    /// #     .configure(|config| config.mode = DreamMode::Propose)
    /// #     .build()?;
    /// # let now = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
    /// # dream_once_at(&dreamer, &Extractive::new(), &|| now)?;
    /// let marta = Access::human(Scope::user("marta"));
    /// let proposal = &dreamer.proposals(&marta, now)?[0];
    ///
    /// // In a folder a person opens the file; a host with a form of its own writes it back.
    /// let document = &proposal.document;
    /// let edited = document.lossy().replace("Ilya", "Ilya or Marta");
    /// workspace.write(document.name(), edited.as_bytes(), WriteMode::IfRevision(document.revision()))?;
    ///
    /// let report = dreamer.accept_proposal(&marta, &proposal.id, now)?;
    /// assert_eq!(report.end, ProposalEnd::Appended);
    /// assert!(std::fs::read_to_string(folder.path().join("MEMORY.md"))?.contains("Ilya or Marta signs it off"));
    /// assert_eq!(dreamer.accept_proposal(&marta, &proposal.id, now)?.end, ProposalEnd::NotWaiting);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human of a main session. [`Error::Corrupt`] and [`Error::Stopped`] with the
    /// file and the line of what cannot be appended, [`Error::NotFound`] where the file is gone. [`Error::Busy`] where
    /// somebody dreams. After any other error it was accepted wholly or not at all, and the next claim knows which.
    pub fn accept_proposal(
        &self,
        access: &Access,
        id: &DreamId,
        now: DateTime<Utc>,
    ) -> Result<ProposalReport> {
        let answering = Answering::begin(self, access, now)?;
        let mut report = ProposalReport {
            dream_id: id.clone(),
            end: ProposalEnd::NotWaiting,
            lines: Vec::new(),
            section: None,
            recovered: answering.recovered.clone(),
        };
        if let Some(waiting) = commit::proposals(answering.workspace())?.get(id) {
            answering.accept(waiting, &mut report)?;
        }
        answering.end()?;
        Ok(report)
    }

    /// Says no to a proposal: its file goes, and no later dream brings its lines again. The journals stay read. `false`
    /// where no such proposal waits.
    ///
    /// A crash leaves it rejected or waiting; as with [`accept_proposal`](Self::accept_proposal), the next claim finishes
    /// what was decided.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use noctuary::dream::DreamMode;
    /// # use noctuary::{
    /// #     Access, Extractive, FileWorkspace, JournalDreamer, Scope, dream_once_at,
    /// # };
    /// # use chrono::{TimeZone, Utc};
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::create_dir(folder.path().join("memory"))?;
    /// # let journal = "- 09:12 [user] Decision: we release on 2026-12-04, Ilya signs it off.\n";
    /// # std::fs::write(folder.path().join("memory/2026-11-20-repl.md"), journal)?;
    /// # let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?))
    /// #     .enabled(true)
    /// #     .configure(|config| config.mode = DreamMode::Propose)
    /// #     .build()?;
    /// # let now = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
    /// # dream_once_at(&dreamer, &Extractive::new(), &|| now)?;
    /// let marta = Access::human(Scope::user("marta"));
    /// let proposal = &dreamer.proposals(&marta, now)?[0];
    /// assert!(dreamer.reject_proposal(&marta, &proposal.id, now)?);
    /// assert!(!dreamer.reject_proposal(&marta, &proposal.id, now)?, "it was answered");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human of a main session, [`Error::Busy`] where somebody dreams, and those of
    /// the workspace.
    pub fn reject_proposal(&self, access: &Access, id: &DreamId, now: DateTime<Utc>) -> Result<bool> {
        let answering = Answering::begin(self, access, now)?;
        let list = commit::proposals(answering.workspace())?;
        let waiting = list.get(id);
        if let Some(waiting) = waiting {
            answering.reject(waiting)?;
        }
        let was_waiting = waiting.is_some();
        answering.end()?;
        Ok(was_waiting)
    }
}

/// An answer that is being given: the workspace is claimed, and what was left half done is finished.
struct Answering<'a> {
    dreamer: &'a JournalDreamer,
    lease: Box<dyn Lease>,
    recovered: Option<DreamId>,
    doors: Doors,
    now: DateTime<Utc>,
}

impl<'a> Answering<'a> {
    fn begin(dreamer: &'a JournalDreamer, access: &Access, now: DateTime<Utc>) -> Result<Self> {
        let Claimed { lease, forgotten, recovered } = person::claim(dreamer, access, StateName::PROPOSALS)?;
        let doors = dreamer.host.doors.clone().heeding(forgotten);
        Ok(Self { dreamer, lease, recovered: recovered.map(|intent| intent.id), doors, now })
    }

    fn workspace(&self) -> &dyn Workspace {
        self.dreamer.workspace()
    }

    fn end(self) -> Result<()> {
        self.lease.release()
    }

    fn accept(&self, waiting: &Waiting, report: &mut ProposalReport) -> Result<()> {
        let name: Name = waiting.name().into();
        let document = self.workspace().read(&name)?.ok_or_else(|| Error::NotFound { name: name.clone() })?;
        let file = std::str::from_utf8(document.bytes())
            .map_err(|error| Error::NotUtf8 { name: name.clone(), valid_up_to: error.valid_up_to() })?;
        let bullets = waiting.parse(file)?;
        let items = self.sanitised(&name, &bullets)?;
        let (memory_name, memory) = commit::memory(self.workspace())?;
        let archive = commit::archive(self.workspace())?;
        let (text, archived) = (String::from_utf8_lossy(&memory), String::from_utf8_lossy(&archive));
        let mut known = KnownStatements::default();
        for text in [&text, &archived] {
            known.take(text, 0);
        }
        // A person may have put the section there by hand.
        let stands = [&memory, &archive].into_iter().any(|text| curated::has_section(text, &waiting.id));
        let mut kept = Vec::new();
        for item in items {
            let (_, citations) = reply::split_citations(&item.text);
            let cited = !citations.is_empty();
            let source = |citation: reply::Citation| {
                let name = citation.name.filter(|_| citation.first_line > 0)?;
                Some(SourceRef { name, first_line: citation.first_line, last_line: citation.last_line })
            };
            let sources = citations.into_iter().filter_map(source).gather();
            // The placeholder of forgotten words says nothing.
            if is_struck(&item.text) {
                let heading = item.heading.map(str::to_owned);
                report.lines.push(LineReport::new(item.text, heading, Vec::new(), LineOutcome::Forgotten));
                continue;
            }
            let heard = Heard::of(&item.text);
            let is_new = known.says(&heard).is_none() && !stands;
            known.insert(heard, 0);
            let fate = if is_new { LineOutcome::Promoted { cited } } else { LineOutcome::Duplicate };
            let heading = item.heading.map(str::to_owned);
            report.lines.push(LineReport::new(item.text.clone(), heading, sources, fate));
            if is_new {
                kept.push(item);
            }
        }
        let mut log = self.log_line(waiting, Outcome::NothingToPromote.as_str());
        // Lines that a person removed stay removed, also if the rest is taken back.
        let standing: SortedSet<String> =
            report.lines.iter().map(|line| statement_hash(&line.text)).collect();
        (log.lines, log.declined) = log.lines.into_iter().partition(|hash| standing.contains(hash));
        log.lines.extend(kept.iter().map(|item| statement_hash(&item.text)));
        let mut append = None;
        report.end = ProposalEnd::NothingNew;
        if !kept.is_empty() {
            let body = engine::print(&kept);
            let sources = waiting.sources.len();
            let section = curated::print_section(&memory, waiting.day, &waiting.id, sources, &body);
            Outcome::Appended.as_str().clone_into(&mut log.outcome);
            log.section_sha256 = Some(Digest::of(section.as_bytes()));
            append = Some(Append::new(memory_name, section.clone(), &memory));
            report.section = Some(section);
            report.end = ProposalEnd::Appended;
        }
        let duplicates = report.lines.iter().filter(|line| line.fate == LineOutcome::Duplicate).count();
        for (word, count) in [("promoted", kept.len()), ("duplicate", duplicates)] {
            if count > 0 {
                log.fates.insert(word.to_owned(), u32::try_from(count).unwrap_or(u32::MAX));
            }
        }
        let outcome = if append.is_some() { Outcome::Appended } else { Outcome::NothingToPromote };
        self.commit(waiting, append, log, Some(document.bytes()))?;
        let files = waiting.sources.iter().map(|source| source.name.as_str()).gather();
        self.dreamer.host.tell(outcome, Some(&waiting.id), Vec::new(), files);
        Ok(())
    }

    fn reject(&self, waiting: &Waiting) -> Result<()> {
        let document = self.workspace().read(&waiting.name())?;
        let mut log = self.log_line(waiting, REJECTED);
        if let Some(document) = &document {
            let file = document.lossy();
            let bullets = text::line_ranges(&file).filter_map(|line| reply::bullet(&file[line]));
            log.lines.extend(bullets.map(statement_hash));
        }
        self.commit(waiting, None, log, document.as_ref().map(Document::bytes))
    }

    /// Checks a person's text by the policies of `MEMORY.md` and of a dream's reply. Text that either policy would
    /// change is refused.
    fn pass(&self, name: &Name, file: &str) -> Result<()> {
        let policy = self.doors.policy_of(Door::WorkspaceWrite, &DocName::MEMORY);
        let policy = policy.stricter(self.doors.policy_of(Door::DreamReply, &DocName::MEMORY)).as_it_is();
        self.doors.judge(Door::WorkspaceWrite, policy, name, file, &mut Masks::default()).map(|_| ())
    }

    /// Returns the lines as they go into a section: the sanitiser of a dream's answer must find nothing to take out.
    fn sanitised(&self, name: &Name, bullets: &[Bullet]) -> Result<Vec<Item>> {
        let caps = &self.dreamer.config.section;
        let refused = |line: usize, what| Error::Corrupt { name: name.to_string(), line, column: 1, what };
        let mut items = Vec::with_capacity(bullets.len());
        // The text to append, on its lines of the file, so that findings have a place.
        let mut cleaned = String::new();
        for bullet in bullets {
            let mut alone = engine::sanitise(&format!("- {}", bullet.text), caps);
            if let Some(dropped) = alone.dropped().first() {
                return Err(refused(bullet.line, dropped.reason.description()));
            }
            let Some(item) = alone.items.pop() else { return Err(refused(bullet.line, "empty bullet")) };
            while text::line_breaks(cleaned.as_bytes()) + 1 < bullet.line as u64 {
                cleaned.push('\n');
            }
            cleaned.push_str(&item.text);
            items.push(Item { heading: bullet.heading, ..item });
        }
        let together = engine::sanitise(&engine::print(&items), caps);
        if let Some((over, reason)) = together.over_caps.first() {
            let at = items.iter().rposition(|item| item.text == over.text).unwrap_or_default();
            return Err(refused(bullets[at].line, reason.description()));
        }
        self.pass(name, &cleaned)?;
        Ok(items)
    }

    fn log_line(&self, waiting: &Waiting, outcome: &str) -> LogLine {
        LogLine {
            v: 1,
            by: None,
            at: Some(self.now),
            day: waiting.day,
            id: waiting.id.clone(),
            epoch: self.lease.epoch(),
            outcome: outcome.to_owned(),
            sources: waiting.sources.clone(),
            // A line that a person took out of it is answered too.
            lines: waiting.lines.clone(),
            declined: Vec::new(),
            fates: SortedMap::new(),
            section_sha256: None,
            also_sha256: Vec::new(),
            request_bytes: 0,
            usage: None,
            without_model: false,
            patterns: Vec::new(),
        }
    }

    /// Commits an answer. Ledger and state stay as they are: no journal was shown.
    fn commit(
        &self,
        waiting: &Waiting,
        append: Option<Append>,
        mut log: LogLine,
        answered: Option<&[u8]>,
    ) -> Result<()> {
        let workspace = self.workspace();
        order::sort(&mut log.lines);
        order::dedup(&mut log.lines);
        let ledger = Ledger::parse(commit::state(workspace, &StateName::LEDGER)?.as_deref())?;
        let state = DreamedState::read(commit::state(workspace, &StateName::DREAMED)?.as_deref()).state;
        let intent = Intent::new(Books::unchanged(&ledger, state), log);
        let intent = match append {
            Some(append) => intent.with_append(append),
            None => intent,
        };
        let step = ProposalStep::Answered { id: waiting.id.clone(), sha256: answered.map(Digest::of) };
        commit::commit(workspace, self.lease.as_ref(), &intent.with_proposal(step)).map(drop)
    }
}
