//! Receipts: which sources reached the model before a reply, and what was left out, without a word of them.
//!
//! A session that keeps receipts remembers what its prompts, tools and searches handed out. When the host names a reply,
//! one line goes to `.dreaming.d/receipts.jsonl`: names, lines, ids, keyed hashes and reasons.

mod answer;
mod config;
mod exhibit;
mod line;
mod log;
mod session;
mod source;
mod trail;
mod why;

pub use config::ReceiptConfig;
pub use exhibit::Exhibit;
pub(crate) use exhibit::{Item, Recorder, are_shared};
pub use line::ShownRules;
pub(crate) use log::without_forgotten;
pub use source::{LeftOut, LeftOutReason, ReplySource, Shown, ShownBy, Standing};
pub(crate) use trail::{Trail, hash_of};
pub use why::Why;
