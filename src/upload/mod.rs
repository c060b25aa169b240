//! Files that people hand to an agent: their keys, and the contract of what keeps them.

mod key;
mod media;
mod store;

pub use key::FileKey;
pub(crate) use key::folder_of;
pub use store::{FileStore, FileUrls, NewFile, Removal, StoredFile};
