//! A page on a dream: one HTML file. It has each promoted line beside its journal lines, held lines with reasons, and
//! the growth of `MEMORY.md`.
//!
//! ```
//! use std::sync::Arc;
//! use noctuary::report::DreamPage;
//! use noctuary::{Extractive, FileWorkspace, JournalDreamer, dream_once};
//!
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("night.html");
//! let workspace = Arc::new(FileWorkspace::open(folder.path())?);
//! let dreamer = JournalDreamer::builder(workspace.clone()).enabled(true).build()?;
//! let report = dream_once(&dreamer, &Extractive::new())?;
//! let page = DreamPage::new(&report).read(workspace.as_ref())?.to_html();
//! std::fs::write(file, page)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`EntityPage`] is a page on one name: a [compiled page](crate::pages) with its neighbourhood drawn. [`DreamPage`] is on a dream. The report alone makes a page; `read` adds texts from a workspace, and `journal`, `memory`, `log` and
//! `quarantine` add them from elsewhere.
//!
//! # Limits
//!
//! - The page holds words of journals and of `MEMORY.md`: keep it where those are.
//! - It has no script, and it forbids itself to fetch anything.
//! - Text that is not the page's own is masked by the filter of the [doors](crate::gate::Doors) and then escaped. Invisible characters are shown by their numbers.

mod dream_page;
mod entity_page;
mod frame;
mod growth;
mod inputs;
mod journals;
mod lines;
mod marks;
mod memory;
mod nights;
mod page;
mod parts;
mod secrets;
mod veil;

pub use dream_page::DreamPage;
pub use entity_page::EntityPage;
