//! Keys of encrypted files. The encryption is that of SQLCipher, which the host builds into `rusqlite`.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::{carried, fold};
use crate::base::error::{At, Error, Refusal, Result};
use crate::base::sorted::SortedMap;
use crate::disk::Disk;

/// The keys that this process was given, by the whole path of each file.
static KEYS: Mutex<SortedMap<PathBuf, String>> = Mutex::new(SortedMap::new());

/// Keeps the key of a file for as long as this process runs. See [`SqliteWorkspace::unlock`](super::SqliteWorkspace::unlock).
pub(super) fn unlock(disk: &dyn Disk, file: &str, key: &str) -> Result<()> {
    if key.is_empty() || key.contains('\0') || key.starts_with("x'") {
        return Err(Error::Config {
            setting: "key",
            rule: "must have text, without a zero byte, and not begin with x'",
        });
    }
    let open = |error| fold("unlock", file, error);
    can_encrypt(&Connection::open_in_memory().map_err(open)?).map_err(open)?;
    let path = disk.root().join(file);
    let len = disk.stat(file).at("look at", file)?.map_or(0, |stat| stat.len);
    if len > 0 {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(&path, flags).map_err(open)?;
        give(&connection, key).map_err(open)?;
        let read = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
        if read.as_ref().is_err_and(|error| error.sqlite_error_code() == Some(ErrorCode::NotADatabase)) {
            return Err(Error::Refused { path: file.to_owned(), reason: Refusal::WrongKey });
        }
        read.map_err(open)?;
    }
    KEYS.lock().unwrap_or_else(PoisonError::into_inner).insert(path, key.to_owned());
    Ok(())
}

/// Returns the key of a file, by its whole path.
pub(super) fn of(path: &Path) -> Option<String> {
    KEYS.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
}

/// Gives a connection the key of its file, before anything else is asked of it.
pub(super) fn give(connection: &Connection, key: &str) -> rusqlite::Result<()> {
    can_encrypt(connection)?;
    // SQLCipher writes of a wrong key to the standard error, beside the error that it returns.
    connection.pragma_update(None, "cipher_log_level", "NONE")?;
    connection.pragma_update(None, "key", pragma(key))
}

/// Returns a key as SQLCipher takes it: 64 hexadecimal digits are the key itself, and any other text is one to derive it from.
fn pragma(key: &str) -> String {
    let is_raw = key.len() == 64 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_raw { format!("x'{key}'") } else { key.to_owned() }
}

/// Refuses where SQLite was built without encryption: it would take a key without a word, and write plain text.
fn can_encrypt(connection: &Connection) -> rusqlite::Result<()> {
    const RULE: &str =
        "wants a `rusqlite` that is built with its feature `bundled-sqlcipher`, or another with SQLCipher";
    match connection.query_row("PRAGMA cipher_version", [], |row| row.get::<_, String>(0)) {
        Err(rusqlite::Error::QueryReturnedNoRows) => {
            Err(carried(Error::Config { setting: "key", rule: RULE }))
        }
        version => version.map(drop),
    }
}

/// Copies a whole database into a new file with a key of its own.
pub(super) fn copy(connection: &Connection, target: &str, key: &str) -> rusqlite::Result<()> {
    can_encrypt(connection)?;
    connection.execute("ATTACH ?1 AS copy KEY ?2", [target, &pragma(key)])?;
    let copied = export(connection);
    connection.execute_batch("DETACH copy").and(copied)
}

/// Returns a whole database without encryption, as the bytes of a file.
#[cfg(feature = "doctor")]
pub(super) fn plain(connection: &mut Connection) -> rusqlite::Result<Vec<u8>> {
    connection.execute("ATTACH ':memory:' AS copy KEY ''", [])?;
    export(connection)?;
    Ok(connection.serialize("copy")?.to_vec())
}

/// Copies the database into the attached `copy`, at one moment.
fn export(connection: &Connection) -> rusqlite::Result<()> {
    let moment = connection.unchecked_transaction()?;
    moment.query_row("SELECT sqlcipher_export('copy')", [], |_| Ok(()))?;
    for pragma in ["application_id", "user_version"] {
        let value: i64 = moment.pragma_query_value(Some("main"), pragma, |row| row.get(0))?;
        moment.pragma_update(Some("copy"), pragma, value)?;
    }
    moment.commit()
}
