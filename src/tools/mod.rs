//! What a model may call: tools over a session's view of a workspace and over a memory store.
//!
//! Not an agent loop. The host hands the definitions to its model, and what the model calls to [`Toolbox::call`] or
//! [`MemoryTool::call`]. For whom the session is stands in the view and in the [`Access`](crate::Access) that the host
//! gives; nothing that a model puts into its arguments changes it, and whatever acts through a tool is
//! [`Actor::Agent`](crate::Actor::Agent).

mod arguments;
mod command;
mod definition;
mod documents;
mod error;
mod found;
mod learn;
mod lines;
mod memory_tool;
mod rows;
mod session;
mod shown;
mod sleep;
mod tool;
mod toolbox;

pub use definition::ToolDef;
pub use error::ToolError;
pub use memory_tool::MemoryTool;
pub use toolbox::Toolbox;

/// The most that a tool answers, in bytes: 24 KiB, some 6,000 tokens. A longer answer is cut, and says so.
pub(crate) const MAX_ANSWER: usize = 24 << 10;
