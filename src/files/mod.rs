//! Files that people hand to an agent: opaque bytes under stable keys, which are in messages in their place.
//!
//! ```
//! use chrono::Utc;
//! use noctuary::files::{FileStore, LocalFileStore, NewFile};
//! use noctuary::{Access, Scope};
//!
//! # let data = tempfile::tempdir()?;
//! let store = LocalFileStore::open(data.path(), Scope::user("marta"))?;
//! let marta = Access::human(Scope::user("marta"));
//! let stored = store.put(&marta, &NewFile::named("berth.pdf"), &mut &b"%PDF-1.7"[..], Utc::now())?;
//! println!("{} for the transcript, {} for the provider", stored.key, stored.url);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`FileStore`] | the contract |
//! | [`LocalFileStore`], [`FileLimits`] | files in a folder, and how much is kept |
//! | [`NewFile`], [`StoredFile`], [`FileKey`] | a file before and after it is kept |
//! | `ObjectFileStore`, `ObjectStorage` | files in S3, Google Cloud Storage or Azure (feature `object-store`) |
//! | [`MessageFiles`], [`Provider`] | keys in messages, in the shapes of OpenAI, Anthropic and Gemini, and back |
//! | [`lift_inline`] | base64 in a stored text, lifted out into files |
//! | [`table_text`], [`TableLimits`] | tables as text for a model; workbooks with the feature `spreadsheets` |
//! | [`FileUrls`] | where a provider fetches a file, as the host says |
//! | [`Removal`] | the record of what was removed |
//! | [`roots_apart`] | whether no two folders of a host lie in one another |
//!
//! # Limits
//!
//! - A file has at most 20 MiB, unless [`FileLimits`] says otherwise.
//! - A key is a reference and no secret. A host that serves files over a network must check the session
//!   first.
//! - Bytes are opaque: no secret in them is looked for, and forgetting words does not reach into them. [`FileStore::delete`] removes a file.
//! - The list of a folder reads the names of all files of the scope, and records of those that it returns.

mod apart;
mod inline;
mod message;

pub use crate::file::uploads::LocalFileStore;
#[cfg(feature = "object-store")]
#[cfg_attr(docsrs, doc(cfg(feature = "object-store")))]
pub use crate::objects::{ObjectFileStore, ObjectSettings, ObjectStorage};
pub use crate::upload::{
    FileKey, FileLimits, FileStore, FileUrls, NewFile, Removal, StoredFile, TableLimits, TableText,
    table_text,
};
pub use apart::roots_apart;
pub use inline::{Lifted, lift_inline};
pub use message::{MessageFiles, Provider};
