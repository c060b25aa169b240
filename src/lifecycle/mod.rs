//! A day's rules: how a life begins, what stands in its files, when notes are written.

mod boot;
mod config;
mod daily_log;
mod duties;
mod edit;
mod heartbeat;
mod hygiene;
mod journal;
mod onboarding;
mod retention;
mod rewrite;
mod seed;
mod soul;
mod state;
mod turn;

pub use boot::{Boot, BootState, StartStep, boot, start_plan};
pub use config::{
    BootPolicy, BootstrapEnd, HygieneConfig, JournalNaming, LifeConfig, Onboarding, Preset, SeedSet,
};
pub use daily_log::DailyLogConfig;
pub use duties::{
    Duty, QuietHours, due_checks, heartbeat_has_tasks, is_heartbeat_ok, mark_checked, read_checks,
};
pub(crate) use edit::keep_preimage;
pub use edit::{EDITABLE, Editor, document_of_command};
pub use heartbeat::{Beat, HeartbeatConfig, update_heartbeat};
pub use hygiene::{Proposal, is_hygiene_due, propose_hygiene};
pub use journal::{append_note, daily_log, today_log};
pub use onboarding::{BootstrapFate, Completion, complete_onboarding, is_bootstrap_done, onboarding_end};
pub use retention::{Consent, Retention, RetentionPlan, archive_journal, delete_journal, propose_retention};
pub(crate) use rewrite::rewrite;
pub use seed::{SeedReport, seed, template};
pub use soul::{Soul, SoulNotice, read_soul};
pub use turn::{TurnEnd, TurnReport, TurnState};
