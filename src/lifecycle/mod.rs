//! A day's rules: when notes are written.

mod daily_log;
mod duties;
mod heartbeat;
mod journal;
mod rewrite;
mod turn;

pub use daily_log::DailyLogConfig;
pub use duties::{
    Duty, QuietHours, due_checks, heartbeat_has_tasks, is_heartbeat_ok, mark_checked, read_checks,
};
pub use heartbeat::{Beat, HeartbeatConfig, update_heartbeat};
pub use journal::{append_note, daily_log, today_log};
pub use turn::{TurnEnd, TurnReport, TurnState};
