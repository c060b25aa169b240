//! How a file is opened: by the workspace in it and by the store in it alike.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::{fold, schema};
use crate::disk::{Disk, Kind, Open, OsDisk};
use crate::error::{At, Error, Refusal, Result};

/// A file that is open, with its tables.
pub(super) struct Opened {
    pub(super) connection: Connection,
    /// The folder of the file.
    pub(super) disk: Arc<dyn Disk>,
    pub(super) path: PathBuf,
    /// The file's name in the folder.
    pub(super) file: String,
}

/// Where a file is or shall be: its folder, and its name there.
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

/// What happens to a file that another program made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    /// It is left alone.
    Refused,
    /// It is taken over where it has the seed's table `memories` and no version of its own.
    Adopted,
}

/// Opens or makes the file, and brings it to the newest version.
pub(super) fn open(path: &Path, patience: Duration, others: Others) -> Result<Opened> {
    let Place { disk, file } = place_of(path)?;
    let folder = disk.root();
    if let Some(file_system) = disk.network().at("look at", folder.display())? {
        return Err(Error::NetworkFileSystem { path: path.display().to_string(), file_system });
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
            what: "it is no SQLite database",
        });
    }
    let path = disk.root().join(file);
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(&path, flags);
    let mut connection = opened.map_err(|error| fold("open", file, error))?;
    // While another process makes the file, SQLite answers busy at once: its timeout does not apply to the
    // switch to the log.
    let begun = disk.elapsed();
    loop {
        match schema::prepare(&mut connection, file, patience, others) {
            Err(Error::Busy { .. }) if disk.elapsed().saturating_sub(begun) < patience => {
                disk.pause(Duration::from_millis(1));
            }
            prepared => break prepared?,
        }
    }
    Ok(Opened { connection, disk, path, file: file.to_owned() })
}

/// Makes a database that ends with the process, and says what errors call it.
pub(super) fn in_memory(patience: Duration) -> Result<(Connection, String)> {
    let file = ":memory:".to_owned();
    let mut connection = Connection::open_in_memory().map_err(|error| fold("open", &file, error))?;
    schema::prepare(&mut connection, &file, patience, Others::Refused)?;
    Ok((connection, file))
}

/// Makes the file for its mode, where it does not exist. An existing one is never opened but by SQLite, whose
/// locks a second handle of this process drops when it is closed; so one thread at a time.
fn make(disk: &dyn Disk, file: &str) -> Result<()> {
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    match disk.open(file, Open::CreateNew) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error).at("create", file),
        _ => Ok(()),
    }
}
