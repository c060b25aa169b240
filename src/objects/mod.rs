//! Files that people hand over, in an object store: S3 and what speaks like it, Google Cloud Storage, Azure, a folder, memory.
//!
//! | object, below the prefix of the address | holds |
//! |---|---|
//! | `chat/files/<user>/<file>` | the bytes of a file |
//! | `.dreaming.d/files/<user>/<file>.json` | its record; a file is there when its record is |
//! | `.dreaming.d/removals/<user>/<file>.json` | the record of its removal |
//!
//! The first two are those of [`LocalFileStore`](crate::files::LocalFileStore), so a folder may be copied up as it is.

mod client;
mod settings;
mod storage;
mod store;
mod wait;

pub use settings::ObjectSettings;
pub use storage::ObjectStorage;
pub use store::ObjectFileStore;
