//! A copy of a database, whole and of one moment, while others write.

use std::path::Path;

use rusqlite::params;

use super::commits::mark_of;
use super::database::Database;
use super::open::{Place, place_of};
use crate::base::error::{At, Error, Result};
use crate::disk::{Open, atomic};

/// Copies the database into a new file. Until it is whole and synced it has another name beside the target.
pub(super) fn backup(database: &Database, target: &Path) -> Result<()> {
    let Place { disk, file } = place_of(target)?;
    let exists = || Error::Io {
        action: "back up into",
        path: file.to_owned(),
        source: std::io::ErrorKind::AlreadyExists.into(),
    };
    if disk.stat(file).at("look at", file)?.is_some() {
        return Err(exists());
    }
    let aside = atomic::temporary_beside(file);
    // Made here for its mode: an empty file is one that SQLite writes into.
    drop(disk.open(&aside, Open::CreateNew).at("create", &aside)?);
    let path = disk.root().join(&aside);
    let written = path
        .to_str()
        .ok_or(Error::Config { setting: "path", rule: "must name a file, in Unicode" })
        .and_then(|path| {
            database.read_at("back up into", file, |connection| {
                #[cfg(feature = "encryption")]
                if let Some(key) = super::key::of(&disk.root().join(file)) {
                    return super::key::copy(connection, path, &key);
                }
                connection.execute("VACUUM INTO ?1", params![path]).map(drop)
            })
        })
        .and_then(|()| atomic::sync_file(disk.as_ref(), &aside))
        // A mark that is left of another file of this name says nothing of the copy.
        .and_then(|()| match disk.unlink(&mark_of(file)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).at("remove", file),
            _ => Ok(()),
        })
        .and_then(|()| match disk.rename_new(&aside, file) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(exists()),
            renamed => renamed.at("create", file),
        });
    if let Err(error) = written {
        // A file that cannot be removed has a name that nobody takes for a backup.
        for left in [aside.clone(), format!("{aside}-journal")] {
            let _ = disk.unlink(&left);
        }
        return Err(error);
    }
    atomic::sync_folders_of(disk.as_ref(), file)
}
