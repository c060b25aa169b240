//! A day's rules: how a life begins, what stands in its files, when notes are written.

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
mod retention;
mod rewrite;
mod seed;
pub(crate) mod session;
mod soul;
mod state;
mod turn;
mod undreamed;

pub use crate::session::{Guarded, Indexed, Journal, SharedUser, SoulPolicy, SyncReport, Unreadable};
pub use boot::{Boot, BootState, StartStep};
pub use config::{BootPolicy, BootstrapEnd, JournalNaming, Onboarding, Preset, SeedSet};
pub use daily_log::DailyLogConfig;
pub use duties::{Duty, QuietHours, due_checks, is_heartbeat_ok};
pub(crate) use edit::keep_preimage;
pub use edit::{EDITABLE, Editor, document_of_command};
pub use heartbeat::{Beat, HeartbeatConfig};
pub use hygiene::{HygieneConfig, Proposal};
pub use onboarding::{BootstrapFate, Completion, is_bootstrap_done};
pub use prompt::{
    Block, CacheHint, ContextConfig, MemoryContext, Prompt, PromptConfig, PromptNotice, PromptOrder, Snapshot,
};
pub use retention::{Consent, Retention, RetentionPlan};
pub(crate) use rewrite::rewrite;
pub use seed::SeedReport;
pub use session::TurnOutcome;
pub use soul::{Soul, SoulNotice};
pub use turn::{TurnEnd, TurnReport};
pub use undreamed::Undreamed;
