//! A life across sessions for AI agents: plain markdown memory by day, and by night dreaming that cannot lose, double or leak
//! anything.
//!
//! By day an agent's identity, curated memory and journals are files that its human reads and edits. By night the host calls
//! [`dream_once`]: the journals that no dream has read yet are shown to the host's own model, and what it finds worth keeping is
//! appended to `MEMORY.md`, exactly once, whatever crashes in between. There is no runtime in it, no timer, and no network
//! unless the feature `http` is taken.
//!
//! ```
//! use std::sync::Arc;
//! use noctuary::{FileWorkspace, JournalDreamer, LlmReply, LlmRequest, dream_once, llm_fn};
//!
//! let folder = tempfile::tempdir()?; // stands for your agent's workspace
//! std::fs::create_dir(folder.path().join("memory"))?;
//! let journal = format!("memory/{}-repl.md", chrono::Utc::now().format("%Y-%m-%d"));
//! let line = "[user] Decision: releases go out on Fridays.\n";
//! std::fs::write(folder.path().join(&journal), line)?;
//!
//! let workspace = FileWorkspace::open(folder.path())?;
//! let dreamer = JournalDreamer::builder(Arc::new(workspace)).enabled(true).build()?;
//! let model = llm_fn(|_request: &LlmRequest| {
//!     // Send `system` and `user` of the request by the client that you use already.
//!     let answer = format!("### Decisions\n- Releases go out on Fridays. ({journal}#L1)");
//!     Ok(LlmReply::new(answer))
//! });
//! let report = dream_once(&dreamer, &model)?;
//! assert_eq!(report.promoted().count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The [`manual`] begins with [ten minutes to a first dream](manual::getting_started); its front page says which page answers
//! which question.
//!
//! # Where to find what
//!
//! Everything stands at the root of the crate, for a host names few of these types: what a function returns is reached by its
//! fields.
//!
//! | What | Begin with | and |
//! |---|---|---|
//! | a night | [`JournalDreamer`], [`dream_once`] | [`DreamConfig`], [`DreamReport`], [`should_dream`], [`Observer`] |
//! | a night that a person looks over | [`DreamMode::Propose`] | [`JournalDreamer::proposals`], [`JournalDreamer::undo_dream`], `DreamPage` |
//! | your model | [`LlmClient`], [`llm_fn`] | `ChatCompletions`, [`Extractive`], [`Dreamer`] and [`DreamPass`] for steps by hand |
//! | a day | [`Life`], [`Session`] | [`LifeConfig`], [`Note`], [`Editor`], [`Retention`] |
//! | where a life is kept | [`FileWorkspace`], `SqliteWorkspace` | [`Workspace`], [`DocName`], [`copy_into`], [`Import`] |
//! | who sees what | [`Access`], [`Guarded`] | [`SessionKind`], [`Scope`] |
//! | secrets and instructions in disguise | [`Doors`] | [`SecretGate`], [`Allow`], [`audit_secrets`], [`scan_injection`] |
//! | memory in rows | [`FileMemoryStore`], `SqliteMemoryStore` | [`MemoryStore`], [`LearningStore`], [`Query`], [`MemoryContext`], [`feed`] |
//! | what is true by now | [`FactStore`] | [`FactDreamer`], [`PersonalizationDreamer`] |
//! | what must be gone | [`Forget`] | [`ForgetReceipt`], [`Tombstones`] |
//! | documents, found again | [`Indexed`], `SqliteIndex` | [`ChunkConfig`], [`DocumentIndex`] |
//! | an agent that tires | [`SleepDreamer`] | [`SleepConfig`], [`should_sleep`], [`plan_trim`] |
//! | tools for a model | [`Toolbox`], [`MemoryTool`] | [`ToolDef`], [`ToolError`] |
//! | what a file says | [`JournalName`], [`HeartbeatFile`], [`DayLog`] | [`Fields`], [`Observations`], [`Checks`] |
//! | a backend of your own | the feature `testing` | [`Lease`], [`PiiFilter`], [`HistorySource`], [`Entities`] |
//!
//! # Features
//!
//! | Feature | Adds |
//! |---|---|
//! | `sqlite` (default) | `SqliteWorkspace`, `SqliteMemoryStore`, `SqliteIndex`; SQLite is compiled in, which takes a C compiler |
//! | `http` | `ChatCompletions`, a blocking client for endpoints in the shape of `OpenAI`: a vendor's, or a server on this machine |
//! | `tracing` | spans of dreams, memory and tools for the host's subscriber, without any content |
//! | `report` | `DreamPage`: a page in HTML on a dream, for its operator to look at |
//! | `testing` | contract suites for a backend of your own, a scripted model, fault injection |
//!
//! # Two crates in signatures
//!
//! Times are those of [`chrono`], free values those of [`serde_json`]. Both are exported again, so that a host need not find the
//! version that fits: `use noctuary::chrono::Utc`. No type of another crate stands in a signature.
//!
//! # What may grow
//!
//! What a host reads and never builds is `#[non_exhaustive]`, and so is what it sets field by field. The enums that are not are
//! those where each case must be handled, such as [`SessionKind`] and [`WriteMode`].
#![cfg_attr(docsrs, feature(doc_cfg))]

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod access;
mod consolidate;
mod day;
mod digest;
#[cfg_attr(not(any(test, feature = "testing")), allow(unreachable_pub))]
mod disk;
mod document;
mod dream;
mod dreamer;
mod drive;
mod env;
mod error;
mod exchange;
mod file;
mod forget;
mod format;
mod gate;
mod index;
mod life;
mod lifecycle;
mod llm;
pub mod manual;
mod memory;
mod models;
mod name;
mod pii;
mod prompt;
#[cfg_attr(
    not(feature = "sqlite"),
    expect(
        dead_code,
        unused_imports,
        reason = "what FTS5 is told of words serves the stores in SQLite alone"
    )
)]
mod recall;
mod receipt;
#[cfg(feature = "report")]
mod report;
mod session;
mod sleep;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
#[cfg(any(test, feature = "testing"))]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub mod testing;
mod text;
mod tools;
mod trace;
mod workspace;

#[doc(no_inline)]
pub use {chrono, serde_json};

pub use access::{Access, Actor, Scope, SessionKind};
pub use consolidate::{
    FactDreamConfig, FactDreamer, FactDreamerBuilder, HistoryFn, HistoryItem, HistorySource, Pace,
    PersonalizationConfig, PersonalizationDreamer, PersonalizationDreamerBuilder, history_fn,
};
pub use day::DayPolicy;
pub use digest::Digest;
pub use document::{Document, FoundAt, Revision};
pub use dream::{
    BackOff, DreamConfig, DreamProposal, DreamRecord, DreamStanding, DreamSurvey, Due, Evidence,
    JournalDreamer, JournalDreamerBuilder, JournalSpan, OverBudget, ProposalEnd, ProposalReport, SectionCaps,
    Trust, Undreamed, should_dream,
};
pub use dreamer::{
    Backlog, Blamed, Charge, DeepReport, DreamEvent, DreamMode, DreamPass, DreamReport, Dreamer, DropReason,
    Dropped, FactReport, FactRuling, Failure, Fate, Hold, HoldReason, JournalReport, LeftPair, LeftReason,
    Level, LineReport, MemoryGauge, NotDue, Notice, Observer, Outcome, PassReport, PlanFault, ReadReason,
    RulingFate, ShownSlice, SleepReport, SourceRef, Step,
};
pub use drive::{dream_once, dream_once_async, dream_once_at};
pub use error::{Error, LostBy, OpenLimit, Refusal, Result};
pub use exchange::{
    Dialect, FeedReport, Import, ImportAction, ImportItem, ImportPlan, ImportRefusal, ImportReport,
    copy_into, feed,
};
pub use file::{FileMemoryStore, FileWorkspace};
pub use forget::Forget;
pub use format::{
    Checks, DayLog, DreamEntry, DreamId, DreamedState, Entry, Fields, Heartbeat, HeartbeatFile, Identity,
    JournalName, Mark, Note, NoteKind, Observation, Observations, OnboardingEnd, Origin, Profile, Quarantine,
    QuarantineEntry, QuarantinedFile, SleepFiles, SleepState, UnknownNoteKind, UnknownOrigin,
};
pub use gate::{
    Allow, Door, DoorPolicy, DoorWarning, Doors, Injection, InjectionPolicy, Passed, SecretAudit, SecretGate,
    SecretPolicy, Strictness, Tombstone, TombstoneKey, Tombstones, audit_secrets, scan_injection,
};
pub use index::{
    Audience, Chunk, ChunkConfig, DocumentIndex, IndexChange, IndexEntry, SearchResult, SeenDocument,
};
pub use life::{Life, Session, TurnOutcome};
pub use lifecycle::{
    Beat, Boot, BootPolicy, BootState, BootstrapEnd, BootstrapFate, Completion, Consent, DailyLogConfig,
    Duty, EDITABLE, Editor, HeartbeatConfig, HygieneConfig, JournalNaming, LifeConfig, Onboarding, Preset,
    Proposal, QuietHours, Retention, RetentionPlan, SeedReport, SeedSet, Soul, SoulNotice, StartStep,
    TurnEnd, TurnReport, TurnState, append_note, archive_journal, boot, complete_onboarding, daily_log,
    delete_journal, document_of_command, due_checks, heartbeat_has_tasks, is_bootstrap_done, is_heartbeat_ok,
    is_hygiene_due, mark_checked, onboarding_end, propose_hygiene, propose_retention, read_checks, read_soul,
    seed, start_plan, template, today_log, update_heartbeat,
};
pub use llm::{Finish, LlmClient, LlmError, LlmFn, LlmReply, LlmRequest, Usage, llm_fn};
pub use memory::{
    AuditEntry, Cardinality, ConsolidationEvent, Decision, EventId, EventOutcome, Fact, FactKey, FactState,
    FactStatus, FactStore, Filter, Found, Hit, Learning, LearningId, LearningStore, Memory, MemoryEvent,
    MemoryId, MemoryObserver, MemoryStore, NewLearning, NewMemory, Order, Place, Query, Recorded, Role,
    SearchOutcome, Settled, SnapshotRow, Source, StatusChange, Suspect, SuspectReason, Suspicion, Syntax,
    Verdict, categories, is_purge_due,
};
#[cfg(feature = "http")]
#[cfg_attr(docsrs, doc(cfg(feature = "http")))]
pub use models::ChatCompletions;
pub use models::Extractive;
pub use name::{DocName, Name, NameError, Space, StateName};
pub use pii::{Confidence, Cure, Finding, GateFinding, PiiFilter, View};
pub use prompt::{
    Block, CacheHint, ContextConfig, MemoryContext, Prompt, PromptConfig, PromptNotice, PromptOrder, Snapshot,
};
pub use recall::{Entities, FinanceEntities, Fusion, GenericEntities, Ranking};
pub use receipt::{DocumentReceipt, ForgetPlace, ForgetReceipt, PlaceReceipt};
#[cfg(feature = "report")]
#[cfg_attr(docsrs, doc(cfg(feature = "report")))]
pub use report::DreamPage;
pub use session::{Guarded, Indexed, SharedUser, SoulPolicy, SyncReport, Unreadable};
pub use sleep::{
    Fatigue, MessageShape, PauseReason, Said, SetSleep, SleepConfig, SleepDreamer, SleepDreamerBuilder,
    SleepPlan, TrimPlan, WakeUp, fatigue, is_stale, plan_emergency_trim, plan_sleep, plan_trim, should_sleep,
};
#[cfg(feature = "sqlite")]
#[cfg_attr(docsrs, doc(cfg(feature = "sqlite")))]
pub use sqlite::{IndexState, SqliteIndex, SqliteMemoryStore, SqliteWorkspace, Version};
pub use store::{FactConfig, StoreConfig};
pub use tools::{MemoryTool, ToolDef, ToolError, Toolbox};
pub use workspace::{
    Claim, ClaimTerms, Holder, Lease, Listing, MAX_DOCUMENT, Metadata, Reach, Tail, Workspace, WorkspaceExt,
    WriteMode,
};
