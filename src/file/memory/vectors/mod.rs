//! Vectors of the rows of a file, in a file beside them: `.dreaming.d/memories.vectors`.
//!
//! It has records, and only grows: generations, the serving one, and states of rows. A row that waits has none. A
//! state names the revision of its row. So no change of a row writes anything here, and no state of an older text is
//! used. When much of it is no longer of use, it is written anew. If words leave the lines for good, it is written
//! anew before they do.
//!
//! Nobody but a call about vectors looks for it. It may be removed at any time.

mod addition;
mod records;
mod rows;
mod sidecar;
mod states;

pub(super) use records::MAGIC;
pub(super) use sidecar::Sidecar;
