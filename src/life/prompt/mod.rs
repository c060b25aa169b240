//! The system prompt of a session: typed blocks in a stated order, within a budget.
//!
//! A [`Snapshot`] reads the workspace once, when the session starts, through the session's own view. So it holds
//! nothing that this session may not see, and a later edit is seen by the next session. Two texts may change from
//! turn to turn: the onboarding, and the notice of a changed `SOUL.md`. They are added when a prompt is made.
//!
//! [Standing rules](crate::learning::Constraint) come first, whatever the order, and take no room of the budget.
//!
//! The order is precedence: what the workspace says stands before everything that is inferred or learned
//! elsewhere, and a line says so. Remembered text is advice; it lifts no limit that code enforces.

mod block;
mod config;
mod context;
mod made;
mod notice;
mod order;
mod reader;
mod rules;
mod snapshot;
mod text;

pub use block::{Block, CacheHint};
pub use config::PromptConfig;
pub use context::{ContextConfig, MemoryContext};
pub use made::Prompt;
pub use notice::PromptNotice;
pub use order::PromptOrder;
pub use snapshot::Snapshot;
