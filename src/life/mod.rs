//! A day: booting a life, sessions with their prompts and rights, notes, journals and their retention.
//!
//! ```
//! use std::sync::Arc;
//! use chrono::Utc;
//! use noctuary::format::Origin;
//! use noctuary::life::TurnEnd;
//! use noctuary::{Access, FileWorkspace, Life, LifeConfig, Note, Scope};
//!
//! # let folder = tempfile::tempdir()?;
//! let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
//! life.boot(Utc::now())?; // writes missing templates, changes no existing file
//! let marta = Access::agent(Scope::user("marta"));
//! let mut session = life.begin_session(marta, "8f14", "terminal", Utc::now())?;
//! let prompt = session.prompt(&[])?.to_string(); // the system prompt for your model
//! session.note(&Note::decision("Releases go out on Fridays.").from(Origin::User), Utc::now())?;
//! session.end_turn("Noted.", TurnEnd::default().opens(["send the report"]), Utc::now())?;
//! session.flush()?;
//! # assert!(!prompt.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Life`](crate::Life) begins sessions and takes care of what lies between them; a [`Session`](crate::Session) reads, writes and asks for
//! one of them.
//!
//! | Name | Use |
//! |---|---|
//! | [`Guarded`], [`SharedUser`], [`SoulPolicy`] | a workspace as one session may reach it |
//! | [`GroupView`], [`GroupName`] | the workspace of a group: an audience of its own |
//! | [`Indexed`], [`SyncReport`], [`Unreadable`] | a workspace with an index: search, and writes that are found at once |
//! | [`Boot`], [`BootState`], [`SeedReport`], [`StartStep`] | the first start: [`Life::boot`](crate::Life::boot), [`Life::seed`](crate::Life::seed) |
//! | [`is_bootstrap_done`], [`Completion`], [`BootstrapOutcome`] | the end of the onboarding: [`Life::complete_onboarding`](crate::Life::complete_onboarding) |
//! | [`Prompt`], [`Block`], [`CacheHint`], [`PromptConfig`], [`PromptOrder`], [`PromptNotice`], [`Snapshot`] | the system prompt |
//! | [`MemoryContext`], [`ContextConfig`] | rows of a memory store as a block of a prompt |
//! | [`Why`], [`Shown`], [`ReplySource`], [`ShownBy`], [`Standing`], [`LeftOut`], [`LeftOutReason`], [`ShownRules`], [`Exhibit`], [`ReceiptConfig`] | receipts: what reached the model before a reply, by [`Session::why`](crate::Session::why) |
//! | [`TurnEnd`], [`TurnOutcome`], [`TurnReport`] | the end of a turn |
//! | [`Journal`] | notes in the journal of a day: [`Session::note`](crate::Session::note), [`Life::today_log`](crate::Life::today_log) |
//! | [`Beat`], [`HeartbeatConfig`], [`is_heartbeat_ok`] | the memo in `HEARTBEAT.md`: [`Life::update_heartbeat`](crate::Life::update_heartbeat) |
//! | [`Duty`], [`due_checks`], [`QuietHours`] | checks of an agent on a timer: [`Life::checks`](crate::Life::checks), [`Life::mark_checked`](crate::Life::mark_checked) |
//! | [`Editor`], [`EDITABLE`], [`document_of_command`] | editing by a person, with earlier versions: [`Life::editor`](crate::Life::editor) |
//! | [`Soul`], [`SoulNotice`] | changes of `SOUL.md`: [`Life::read_soul`](crate::Life::read_soul) |
//! | [`Retention`], [`RetentionPlan`], [`Consent`], [`Undreamed`] | old journals: [`Life::propose_retention`](crate::Life::propose_retention), [`Life::archive_journal`](crate::Life::archive_journal) |
//! | [`HygieneConfig`], [`Proposal`] | doubled or outdated documents: [`Life::propose_hygiene`](crate::Life::propose_hygiene) |
//! | [`Preset`], [`BootPolicy`], [`BootstrapEnd`], [`SeedSet`], [`Onboarding`], [`JournalNaming`], [`DailyLogConfig`] | [settings](crate::LifeConfig) of a life |
//!
//! # Limits
//!
//! - The automatic daily log is off by default. Without notes there are no journals, and nothing to dream of.
//! - A session reads the workspace once, when it begins. The next session sees later edits.
//! - Nothing is printed or logged: `note`, `end_turn` and `take_warnings` return the warnings.
//! - Your own [`Block::derived`] is not scanned and not cut.
//! - A session that ends without `flush` loses the notes of [`TurnEnd`] that wait.
//!
//! The manual has [the whole day](crate::manual::bot) and [who may read what](crate::manual::privacy).

mod boot;
mod care;
pub(crate) mod config;
mod daily_log;
mod duties;
mod edit;
mod heartbeat;
mod hygiene;
mod journal;
#[expect(clippy::module_inception, reason = "the file is named by its noun")]
pub(crate) mod life;
mod onboarding;
mod prompt;
pub(crate) mod receipt;
mod retention;
mod rewrite;
mod seed;
pub(crate) mod session;
mod soul;
mod state;
mod turn;
mod undreamed;

pub use crate::base::group::GroupName;
pub use crate::base::preset::Preset;
pub use crate::session::{
    GroupView, Guarded, Indexed, Journal, SharedUser, SoulPolicy, SyncReport, Unreadable,
};
pub use boot::{Boot, BootState, StartStep};
pub use config::{BootPolicy, BootstrapEnd, JournalNaming, Onboarding, SeedSet};
pub use daily_log::DailyLogConfig;
pub use duties::{Duty, QuietHours, due_checks, is_heartbeat_ok};
pub(crate) use edit::keep_preimage;
pub use edit::{EDITABLE, Editor, document_of_command};
pub use heartbeat::{Beat, HeartbeatConfig};
#[cfg(feature = "doctor")]
pub(crate) use hygiene::is_poor;
pub use hygiene::{HygieneConfig, Proposal};
pub use onboarding::{BootstrapOutcome, Completion, is_bootstrap_done};
pub use prompt::{
    Block, CacheHint, ContextConfig, MemoryContext, Prompt, PromptConfig, PromptNotice, PromptOrder, Snapshot,
};
pub use receipt::{
    Exhibit, LeftOut, LeftOutReason, ReceiptConfig, ReplySource, Shown, ShownBy, ShownRules, Standing, Why,
};
pub use retention::{Consent, Retention, RetentionPlan};
pub(crate) use rewrite::rewrite;
pub use seed::SeedReport;
pub use session::TurnOutcome;
pub use soul::{Soul, SoulNotice};
pub use turn::{TurnEnd, TurnReport};
pub use undreamed::Undreamed;
