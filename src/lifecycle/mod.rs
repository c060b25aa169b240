//! A day's rules: when notes are written.

mod daily_log;

pub use daily_log::DailyLogConfig;
