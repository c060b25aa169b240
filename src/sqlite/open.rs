//! The opening of a file, the same for a workspace, a store and an index.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::commits::{check_mark, mark_of};
use super::database::{Database, Shared};
use super::error::fold;
use super::schema::{self, Others};
use crate::base::error::{At, Error, Refusal, Result};
use crate::base::sorted::SortedMap;
use crate::disk::mark::Mark;
use crate::disk::{Disk, Kind, Open, OsDisk};

/// The place of a file: its folder, and its name there.
pub(super) struct Place<'a> {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) file: &'a str,
}

/// Opens the folder of a file.
pub(super) fn place_of(path: &Path) -> Result<Place<'_>> {
    let file = path
        .file_name()
        .and_then(|name| name.to_str())
        .ok_or(Error::Config { setting: "path", rule: "must name a file, in Unicode" })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(Place { disk: Arc::new(OsDisk::open(folder).at("open", folder.display())?), file })
}

/// The time that a statement of a workspace or an index waits for another process.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// The files that this process has open, by device and inode, and by how many bytes a connection may make of them.
static OPEN: Mutex<SortedMap<Key, Weak<Shared>>> = Mutex::new(SortedMap::new());

type Key = ((u64, u64), Option<u64>);

/// Opens or makes the file, and brings it to the newest version. Where this process has it open already, its connection
/// is shared.
pub(super) fn open(
    path: &Path,
    patience: Duration,
    others: Others,
    max_file_bytes: Option<u64>,
) -> Result<Database> {
    let Place { disk, file } = place_of(path)?;
    let folder = disk.root();
    if let Some(file_system) = disk.network().at("look at", folder.display())? {
        return Err(Error::NetworkFileSystem { path: path.display().to_string(), file_system });
    }
    // Before the file: a process that changes the file meanwhile writes the mark afterwards.
    let mark = Mark::read(disk.as_ref(), &mark_of(file));
    let standing = disk.stat(file).at("look at", file)?;
    if let Some(mark) = &mark
        && standing.is_none_or(|stat| stat.kind == Kind::File && stat.len == 0)
    {
        check_mark(file, mark, 0)?;
    }
    make(disk.as_ref(), file)?;
    // SQLite takes a file of one byte for an empty one, and would write over it.
    let stat = disk.stat(file).at("look at", file)?;
    if stat.is_some_and(|stat| stat.kind == Kind::Symlink) {
        return Err(Error::Refused { path: file.to_owned(), reason: Refusal::Symlink });
    }
    if stat.is_some_and(|stat| (1..512).contains(&stat.len)) {
        return Err(Error::Corrupt {
            name: file.to_owned(),
            line: 0,
            column: 0,
            what: "it is not an SQLite database",
        });
    }
    // Where the system does not say which file it is, none is known to be the same.
    let key = stat.filter(|stat| stat.id != (0, 0)).map(|stat| (stat.id, max_file_bytes));
    if let Some(shared) = key.and_then(|key| is_open(key, None)) {
        let database = Database::new(shared, patience);
        schema::check_version(&database.lock(), file)?;
        return Ok(database);
    }
    let path = disk.root().join(file);
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(&path, flags);
    let mut connection = opened.map_err(|error| fold("open", file, error))?;
    #[cfg(feature = "encryption")]
    if let Some(key) = super::key::of(&path) {
        super::key::give(&connection, &key).map_err(|error| fold("open", file, error))?;
    }
    // While another process makes the file, SQLite answers busy at once: its timeout does not apply to the
    // switch to the log.
    let begun = disk.elapsed();
    loop {
        match schema::prepare(&mut connection, file, patience, others, mark.as_ref()) {
            Err(Error::Busy { .. }) if disk.elapsed().saturating_sub(begun) < patience => {
                disk.pause(Duration::from_millis(1));
            }
            prepared => break prepared?,
        }
    }
    if let Some(bytes) = max_file_bytes {
        bound(&connection, bytes).map_err(|error| fold("open", file, error))?;
    }
    // Somebody may have put another file in its place meanwhile.
    let is_same = disk.stat(file).at("look at", file)?.map(|now| now.id) == stat.map(|stat| stat.id);
    let id = stat.filter(|_| is_same).map(|stat| stat.id);
    let shared = Arc::new(Shared::new(connection, Some(disk.clone()), path, file.to_owned(), id));
    let shared = match key.filter(|_| is_same) {
        // Another thread may have opened it meanwhile.
        Some(key) => is_open(key, Some(&shared)).unwrap_or(shared),
        None => shared,
    };
    Ok(Database::new(shared, patience))
}

/// Returns the open file of a key; where there is none, the one that is given is it from now on.
fn is_open(key: Key, opened: Option<&Arc<Shared>>) -> Option<Arc<Shared>> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let standing = open.get(&key).and_then(Weak::upgrade);
    if let (None, Some(opened)) = (&standing, opened) {
        open.retain(|_, shared| shared.strong_count() > 0);
        open.insert(key, Arc::downgrade(opened));
    }
    standing
}

/// Bounds what a connection may make of the file.
fn bound(connection: &Connection, bytes: u64) -> rusqlite::Result<()> {
    // SQLCipher says the size of an encrypted file as text.
    const PAGE: &str = "SELECT CAST(page_size AS INTEGER) FROM pragma_page_size";
    let page: i64 = connection.query_row(PAGE, [], |row| row.get(0))?;
    let page = u64::try_from(page).unwrap_or(4096).max(1);
    let pages = u32::try_from(bytes / page).unwrap_or(u32::MAX).max(1);
    connection.pragma_update(None, "max_page_count", pages)
}

/// Makes a database that ends with the process.
pub(super) fn in_memory(patience: Duration, max_file_bytes: Option<u64>) -> Result<Database> {
    let file = ":memory:".to_owned();
    let mut connection = Connection::open_in_memory().map_err(|error| fold("open", &file, error))?;
    schema::prepare(&mut connection, &file, patience, Others::Refused, None)?;
    if let Some(bytes) = max_file_bytes {
        bound(&connection, bytes).map_err(|error| fold("open", &file, error))?;
    }
    let shared = Shared::new(connection, None, PathBuf::from(&file), file, None);
    Ok(Database::new(Arc::new(shared), patience))
}

/// Makes the file for its mode, where it does not exist. An existing one is never opened but by SQLite, whose locks a
/// second handle of this process drops when it is closed. So one thread at a time.
fn make(disk: &dyn Disk, file: &str) -> Result<()> {
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    match disk.open(file, Open::CreateNew) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error).at("create", file),
        _ => Ok(()),
    }
}
