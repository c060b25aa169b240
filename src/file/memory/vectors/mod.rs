//! Vectors of the rows of a file, in a file beside them: `.dreaming.d/memories.vectors`.
//!
//! It has records, to which is only added: generations, the one that serves, and states of rows. A row that waits has
//! none. A state names the revision of its row. So no change of a row writes anything here, and no state of an older
//! text is used. When much of it is of no use any more, it is written anew; where words leave the lines for good, that
//! is before they do.
//!
//! Nobody but a call about vectors looks for it. It may be removed at any time.

mod addition;
mod records;
mod rows;
mod sidecar;
mod states;

pub(super) use records::MAGIC;
pub(super) use sidecar::Sidecar;
