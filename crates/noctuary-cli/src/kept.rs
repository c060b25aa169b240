//! The index of a folder's documents, kept for the next search where the settings name a folder for it.

use std::path::{Path, PathBuf};

use noctuary::SqliteIndex;

use super::config::{Config, of_account};
use super::home::Home;
use super::output::{At, Trouble};
use super::place::Place;

/// Opens the index of a home: the kept one, else one that ends with the command. One that cannot be opened is made anew.
pub(crate) fn open(home: &Home, place: &Place, config: &Config) -> Result<SqliteIndex, Trouble> {
    let Some((folder, name)) = place_of(place, config)? else {
        return Ok(SqliteIndex::open_in_memory(home.scope.clone())?);
    };
    std::fs::create_dir_all(&folder).at("make", &folder)?;
    let group = home.scope.group_name().map(|group| group.to_string()).unwrap_or_default();
    let file = folder.join(format!("{name}.{group}.db"));
    match SqliteIndex::open(&file, home.scope.clone()) {
        Ok(index) => Ok(index),
        Err(_) => {
            remove(&folder, &format!("{name}.{group}."))?;
            Ok(SqliteIndex::open(&file, home.scope.clone())?)
        }
    }
}

/// Removes what is kept of a home: what was forgotten is in it.
pub(crate) fn drop_all(place: &Place, config: &Config) -> Result<(), Trouble> {
    match place_of(place, config)? {
        Some((folder, name)) if folder.is_dir() => remove(&folder, &format!("{name}.")),
        _ => Ok(()),
    }
}

fn remove(folder: &Path, begin: &str) -> Result<(), Trouble> {
    for entry in std::fs::read_dir(folder).at("read", folder)? {
        let entry = entry.at("read", folder)?;
        if entry.file_name().to_string_lossy().starts_with(begin) {
            std::fs::remove_file(entry.path()).at("remove", &entry.path())?;
        }
    }
    Ok(())
}

/// Returns the folder of kept indexes, and the beginning of the names of those of a home: its path. `None` where nothing is kept.
fn place_of(place: &Place, config: &Config) -> Result<Option<(PathBuf, String)>, Trouble> {
    let (Some(folder), Place::Path(path)) = (&config.search.index, place) else { return Ok(None) };
    let folder = of_account(folder.clone());
    if !path.is_dir() {
        return Ok(None);
    }
    let home = path.canonicalize().at("open", path)?;
    // The folder may not be there yet.
    let kept = folder.ancestors().find_map(|folder| folder.canonicalize().ok());
    if kept.is_some_and(|kept| kept.starts_with(&home)) {
        return Err(Trouble::of("index_inside", &[&folder.display(), &home.display()]));
    }
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let name: String = home.to_string_lossy().chars().map(plain).collect();
    // The end of a long path tells more of it.
    let name: String = name.chars().rev().take(MOST).collect::<Vec<_>>().into_iter().rev().collect();
    Ok(Some((folder, name)))
}

/// The most characters of a home's path in the name of a file.
const MOST: usize = 60;
