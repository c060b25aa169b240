//! A day's rules: how a life begins, what stands in its files, when notes are written.

mod boot;
mod config;
mod daily_log;
mod duties;
mod heartbeat;
mod journal;
mod rewrite;
mod turn;
mod edit;
mod hygiene;
mod onboarding;
mod retention;
mod seed;
mod soul;
mod state;

pub use boot::{Boot, BootState, StartStep, boot, start_plan};
pub use config::{BootPolicy, BootstrapEnd, HygieneConfig, LifeConfig, Onboarding, Preset, SeedSet};
pub use daily_log::DailyLogConfig;
pub use duties::{
    Duty, QuietHours, due_checks, heartbeat_has_tasks, is_heartbeat_ok, mark_checked, read_checks,
};
pub use heartbeat::{Beat, HeartbeatConfig, update_heartbeat};
pub use journal::{append_note, daily_log, today_log};
pub use turn::{TurnEnd, TurnReport, TurnState};
pub use edit::{EDITABLE, Editor, document_of_command};
pub use hygiene::{Proposal, is_hygiene_due, propose_hygiene};
pub use onboarding::{BootstrapFate, Completion, complete_onboarding, is_bootstrap_done, onboarding_end};
pub use retention::{Consent, Retention, RetentionPlan, archive_journal, delete_journal, propose_retention};
pub use seed::{SeedReport, seed, template};
pub use soul::{Soul, SoulNotice, read_soul};
