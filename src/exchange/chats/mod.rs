//! Chats that people have elsewhere, read into journals.
//!
//! A file of an export is read piece by piece ([`source`], [`pieces`]). A reader of each format makes a [`chat`] of a piece, and
//! [`import`] writes its new messages into journals. One conversation is in memory at a time.

mod chat;
mod chatgpt;
mod claude;
mod format;
mod import;
mod markdown;
mod path;
mod pieces;
mod plan;
mod progress;
mod read;
mod sessions;
mod source;

pub use format::ChatFormat;
pub use import::ChatImport;
pub use plan::{ChatItem, ChatLeftOut, ChatPlan, ChatRefused};
pub use progress::ChatProgress;
