//! Files that people hand to an agent: their keys, and the contract of what keeps them.

mod key;
mod media;
mod printer;
mod record;
mod store;
mod table;
#[cfg(feature = "spreadsheets")]
mod workbook;

pub use key::FileKey;
pub(crate) use key::folder_of;
pub(crate) use media::{extension_for, is_text};
pub use printer::{TableLimits, TableText};
pub(crate) use record::{
    RECORD_LIMIT, Record, RemovalLine, check_content, check_human, check_person, check_quota, check_scope_of,
    drain, name_of, new_name,
};
pub use store::{FileLimits, FileStore, FileUrls, NewFile, Removal, StoredFile};
pub use table::table_text;
