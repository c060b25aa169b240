//! Tools: functions that a session's model may call, over documents and rows.
//!
//! ```
//! use std::sync::Arc;
//! use chrono::Utc;
//! use noctuary::{Access, FileMemoryStore, FileWorkspace, Life, LifeConfig, Scope};
//!
//! # let folder = tempfile::tempdir()?;
//! let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
//! let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
//! let session = life.begin_session(Access::agent(Scope::user("marta")), "8f14", "repl", Utc::now())?;
//! let tools = session.tools().store(store);
//! let definitions: Vec<_> = tools.catalogue().iter().map(|tool| tool.mcp()).collect(); // or openai(), anthropic()
//! match tools.call("memory_search", &serde_json::json!({"query": "tea"}), Utc::now()) {
//!     Ok(answer) => println!("{answer}"),
//!     Err(refused) => println!("{}", refused.message()), // goes back to the model
//! }
//! # assert!(!definitions.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`Toolbox`] | rows, documents, search, learnings, pages, artifacts and `set_sleep`, with one `call` |
//! | [`MemoryTool`] | the tool `memory_20250818` of Anthropic, over one folder |
//! | [`ToolDef`] | a definition, in the shape of MCP, `OpenAI` or Anthropic |
//! | [`ToolError`] | a refusal, in words for the model |
//!
//! # Limits
//!
//! - There is no agent loop: the host hands the definitions to its model and makes the calls.
//! - The session decides who acts. Arguments of a model change nothing of that, and every tool acts as
//!   [`Actor::Agent`](crate::Actor::Agent).
//! - An answer has at most 24 KiB.
//! - Warnings about documents are in `take_warnings`.
//!
//! The manual has [rights, and the differences from `memory_20250818`](crate::manual::coding_assistant).

mod arguments;
#[cfg(feature = "artifacts")]
mod artifacts;
mod command;
mod definition;
mod documents;
mod error;
#[cfg(feature = "artifacts")]
mod files;
mod found;
mod learn;
mod lines;
mod memory_tool;
#[cfg(feature = "pages")]
mod page;
mod room;
mod rows;
mod session;
mod shown;
#[cfg(feature = "sleep")]
mod sleep;
mod tool;
mod toolbox;

pub use definition::ToolDef;
pub use error::ToolError;
pub use memory_tool::MemoryTool;
pub use toolbox::Toolbox;

/// The most that a tool answers, in bytes: 24 KiB, some 6,000 tokens. A longer answer is cut, and says so.
pub(crate) const MAX_ANSWER: usize = 24 << 10;
