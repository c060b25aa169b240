//! Tests: a life without a disk, a scripted model, failures on demand, and the suites that every backend must pass.
//!
//! ```
//! use std::sync::Arc;
//! use chrono::{TimeZone, Utc};
//! use noctuary::testing::{MemoryDisk, Script};
//! use noctuary::store::StoreConfig;
//! use noctuary::workspace::WorkspaceExt;
//! use noctuary::{
//!     DocName, FileMemoryStore, FileWorkspace, JournalDreamer, Scope, Workspace, dream_once_at,
//! };
//!
//! let disk = MemoryDisk::new();
//! let workspace = Arc::new(FileWorkspace::on_disk(Arc::new(disk.clone())));
//! let store = FileMemoryStore::on_disk(Arc::new(disk), Scope::user("marta"), StoreConfig::default())?;
//!
//! let journal = DocName::parse("memory/2026-11-20-repl.md")?;
//! workspace.append(&journal, b"[user] I prefer tea.\n")?;
//! let dreamer = JournalDreamer::builder(workspace.clone()).enabled(true).build()?;
//! let model = Script::new().says("### Preferences\n- The user prefers tea. (memory/2026-11-20-repl.md#L1)");
//! let night = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
//! dream_once_at(&dreamer, &model, &|| night)?;
//! assert!(workspace.read_text(&DocName::MEMORY)?.is_some_and(|memory| memory.contains("prefers tea")));
//! # let _ = store;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`contract`] | suites for a workspace, a store, an index, a filter, a dreamer |
//! | [`Script`] | a model that answers from a list and records the requests |
//! | [`HashEmbedder`], [`EmbedScript`] | an embedder without a model, and one that misbehaves by a list |
//! | [`MemoryDisk`], [`PowerLoss`], [`Lie`], [`CrashOutcome`] | a disk in memory, and what a kill or a power loss leaves of a run |
//! | [`Faults`], [`Fault`], [`FaultyDisk`], [`FaultyWorkspace`] | the *n*-th operation fails |
//! | [`QuickDisk`] | a disk that syncs nothing, for a thousand writes and no crash |
//! | [`Disk`], [`DiskFile`], [`Entry`], [`Kind`], [`Open`], [`Stat`], [`folder`] | the file system under a [`FileWorkspace`](crate::FileWorkspace) |
//! | [`secrets()`] | a made-up secret of every class of the gate |
//! | [`cases`] | how many cases a test runs, more with `NOCTUARY_LONG_TESTS` |
//!
//! `SqliteWorkspace::open_in_memory` and `SqliteMemoryStore::open_in_memory` need no feature but `sqlite`.
//!
//! # Limits
//!
//! - A suite cannot see durability, or two processes at once: [the manual](crate::manual::backends) says how to prove those.
//! - A suite panics with the sentence that does not hold.

pub mod contract;
mod disk;
mod embedder;
mod faults;
mod power;
mod quick;
mod script;
mod workspace;

pub use crate::disk::{Disk, DiskFile, Entry, Kind, Open, Stat};
pub use disk::{FaultyDisk, folder};
pub use embedder::{EmbedScript, HashEmbedder};
pub use faults::{Fault, Faults};
#[doc(inline)]
pub use noctuary_gate::testing::{cases, secrets};
pub use power::{CrashOutcome, Lie, MemoryDisk, PowerLoss};
pub use quick::QuickDisk;
pub use script::Script;
pub use workspace::FaultyWorkspace;
