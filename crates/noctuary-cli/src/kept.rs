//! The index of a home's documents, kept for the next search where the settings name a folder for it.

use std::path::{Path, PathBuf};

use noctuary::workspace::Digest;
use noctuary::{Scope, SqliteIndex};

use super::config::{Config, of_account};
use super::home::unlock;
use super::output::{At, Trouble, notice};
use super::place::{Place, Whose};

/// The kept indexes of a home: one of each life, and one of each group.
pub(crate) struct Kept {
    home: PathBuf,
    folder: PathBuf,
    /// The beginning of their names, by the path of the home.
    name: String,
}

impl Kept {
    /// Returns where they are; `None` where the settings name no folder for them, or the home is on a server.
    pub(crate) fn of(place: &Place, config: &Config) -> Option<Self> {
        let (Some(folder), Place::Path(path)) = (&config.search.index, place) else { return None };
        let home = path.canonicalize().ok()?;
        let last = home.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let digest = Digest::of(home.as_os_str().as_encoded_bytes()).short(16);
        let name = format!("{last}.{digest}");
        Some(Self { home, folder: of_account(folder.clone()), name })
    }

    /// Removes them: what was forgotten is in them.
    pub(crate) fn remove(&self) -> Result<(), Trouble> {
        match std::fs::read_dir(&self.folder) {
            Ok(entries) => {
                for entry in entries {
                    let entry = entry.at("read", &self.folder)?;
                    if entry.file_name().to_string_lossy().starts_with(&self.name) {
                        std::fs::remove_file(entry.path()).at("remove", entry.path())?;
                    }
                }
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            read => read.map(drop).at("read", &self.folder),
        }
    }

    /// Returns the file of one of them. A database has several lives, and a key where the settings have one.
    fn file(&self, scope: &Scope, whose: Whose<'_>) -> Result<PathBuf, Trouble> {
        let mut name = self.name.clone();
        if self.home.is_file() {
            let life = format!("{}\n{}", scope.user, scope.agent);
            name.push_str(&format!(".{}", Digest::of(life.as_bytes()).short(16)));
        } else if let Some(group) = scope.group_name() {
            name.push_str(&format!(".{group}"));
        }
        if !self.home.is_file() || whose.home.encryption_key()?.is_none() {
            return Ok(self.folder.join(format!("{name}.db")));
        }
        let file = self.folder.join(format!("{name}.key.db"));
        unlock(&file, whose)?;
        Ok(file)
    }

    fn open(&self, scope: &Scope, whose: Whose<'_>) -> Result<SqliteIndex, Trouble> {
        std::fs::create_dir_all(&self.folder).at("make", &self.folder)?;
        let file = self.file(scope, whose)?;
        if let Ok(index) = SqliteIndex::open(&file, scope.clone()) {
            return Ok(index);
        }
        // A damaged one is made anew.
        self.remove()?;
        Ok(SqliteIndex::open(file, scope.clone())?)
    }
}

/// Opens the index of a home: the kept one, else one that ends with the command.
pub(crate) fn open(
    place: &Place,
    scope: &Scope,
    whose: Whose<'_>,
    config: &Config,
) -> Result<SqliteIndex, Trouble> {
    if let Some(kept) = Kept::of(place, config) {
        // The folder may not be there yet.
        let folder = kept.folder.ancestors().find_map(|folder| Path::canonicalize(folder).ok());
        if folder.is_some_and(|folder| folder.starts_with(&kept.home)) {
            return Err(Trouble::of("index_inside", &[&kept.folder.display(), &kept.home.display()]));
        }
        match kept.open(scope, whose) {
            Ok(index) => return Ok(index),
            Err(trouble) => notice("index_unkept", &[&kept.folder.display(), &trouble]),
        }
    }
    Ok(SqliteIndex::open_in_memory(scope.clone())?)
}
