//! Tools for tests of your own, and the contracts that every backend keeps.
//!
//! - [`contract`]: suites that a backend runs, each panicking with what does not hold.
//! - [`Script`]: a model that answers from a list and remembers what it was asked.
//! - [`Faults`]: decides which operation fails; [`FaultyWorkspace`] and [`FaultyDisk`] ask it.
//! - [`QuickDisk`]: a disk that syncs nothing, where a test has a thousand writes and no crash.
//! - [`secrets()`]: a made-up secret of every class of the gate.
//! - [`MemoryDisk`]: shows what a kill or a power loss may leave of a run, at each of its operations.
//!
//! # Example: a test of a host that touches no disk
//!
//! `SqliteWorkspace::open_in_memory` and `SqliteMemoryStore::open_in_memory` need no feature but `sqlite`. Without SQLite, a
//! folder and a store lie on a [`MemoryDisk`], whose clock is the test's too.
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

pub mod contract;
mod disk;
mod faults;
mod power;
mod quick;
mod script;
mod secrets;
mod workspace;

pub use crate::disk::{Disk, DiskFile, Entry, Kind, Open, Stat};
pub use disk::{FaultyDisk, folder};
pub use faults::{Fault, Faults};
pub use power::{Fate, Lie, MemoryDisk, PowerLoss};
pub use quick::QuickDisk;
pub use script::Script;
pub use secrets::secrets;
pub use workspace::FaultyWorkspace;

/// How many cases a property runs: a fiftieth, or all of them where `NOCTUARY_LONG_TESTS` is set.
#[must_use]
pub fn cases(long: u32) -> u32 {
    if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { long } else { (long / 50).max(32) }
}
