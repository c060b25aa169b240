//! A day's rules: how a life begins, what stands in its files, when notes are written.

mod boot;
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
mod retention;
mod rewrite;
mod seed;
mod soul;
mod state;
mod turn;
mod undreamed;

pub use crate::session::{Guarded, Indexed, SharedUser, SoulPolicy, SyncReport, Unreadable};
pub use boot::{Boot, BootState, StartStep, boot, start_plan};
pub(crate) use config::LifeConfig;
pub use config::{BootPolicy, BootstrapEnd, HygieneConfig, JournalNaming, Onboarding, Preset, SeedSet};
pub use daily_log::DailyLogConfig;
pub use duties::{
    Duty, QuietHours, due_checks, heartbeat_has_tasks, is_heartbeat_ok, mark_checked, read_checks,
};
pub(crate) use edit::keep_preimage;
pub use edit::{EDITABLE, Editor, document_of_command};
pub use heartbeat::{Beat, HeartbeatConfig, update_heartbeat};
pub use hygiene::{Proposal, is_hygiene_due, propose_hygiene};
pub use journal::{append_note, daily_log, today_log};
pub use life::TurnOutcome;
pub use onboarding::{BootstrapFate, Completion, complete_onboarding, is_bootstrap_done, onboarding_end};
pub use prompt::{
    Block, CacheHint, ContextConfig, MemoryContext, Prompt, PromptConfig, PromptNotice, PromptOrder, Snapshot,
};
pub use retention::{Consent, Retention, RetentionPlan, archive_journal, delete_journal, propose_retention};
pub(crate) use rewrite::rewrite;
pub use seed::{SeedReport, seed, template};
pub use soul::{Soul, SoulNotice, read_soul};
pub use turn::{TurnEnd, TurnReport, TurnState};
pub use undreamed::Undreamed;
