//! PATH where it is left out: the home of the environment or the settings.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use super::arguments::Arguments;
use super::config::{Config, of_account};
use super::home::is_database;
use super::output::{Trouble, notice};
use super::place::Place;

/// The names of the environment that hold a home, the first first; the second is that of the seed.
const VARIABLES: [&str; 2] = ["NOCTUARY_HOME", "MINARA_WORKSPACE_DIR"];

/// Parses the command line; where PATH is left out, with the home of the environment or the settings in its place.
pub(crate) fn parse(said: &[OsString]) -> Result<Arguments, clap::Error> {
    let parsed = Arguments::command().try_get_matches_from(said);
    let is_left_out = match &parsed {
        Err(error) => error.kind() == ErrorKind::MissingRequiredArgument,
        Ok(matches) => names_no_place(matches),
    };
    let home = if is_left_out { home(said) } else { None };
    let filled = home.as_ref().and_then(|home| filled(said, home.clone()));
    let again = filled.map(|filled| Arguments::command().try_get_matches_from(filled));
    let matches = match (parsed, again) {
        (_, Some(Ok(again))) => {
            let home = home.unwrap_or_default();
            if std::io::stderr().is_terminal() {
                notice("home_used", &[&Place::from(home.into_os_string())]);
            }
            again
        }
        (Ok(parsed), _) => parsed,
        (Err(_), Some(Err(error))) | (Err(error), None) => return Err(error),
    };
    Arguments::from_arg_matches(&matches)
}

/// Returns a text of the help in which PATH may be left out. The parser wants it, and this module puts it in.
pub(crate) fn shown(help: &str) -> String {
    help.replace("<PATH>", "[PATH]")
}

/// Returns whether the first word is no place: it does not look like a path, and is no life either. A folder that happens to have
/// the name of a word is none.
fn names_no_place(matches: &ArgMatches) -> bool {
    let Some((verb, mut of)) = matches.subcommand() else { return false };
    if let Some((_, deeper)) = of.subcommand() {
        of = deeper;
    }
    let Ok(Some(Place::Path(path))) = of.try_get_one::<Place>("path") else { return false };
    let is_below = |folder: &Path| !folder.as_os_str().is_empty() && folder.is_dir();
    let looks_so = path.is_absolute()
        || path.starts_with(".")
        || path.starts_with("..")
        || path.starts_with("~")
        || path.parent().is_some_and(is_below)
        || is_database(path);
    // A journal is named by a path too, inside of the life.
    let is_journal = verb == "read-again" && !path.exists();
    let is_life = LIFE.iter().any(|name| path.join(name).exists());
    verb != "init" && (is_journal || !looks_so && !is_life)
}

/// The names that make a folder a life.
const LIFE: [&str; 3] = [".dreaming.d", "MEMORY.md", "memory"];

/// Returns the command that a command line names, and the place behind its name.
pub(crate) fn deepest(said: &[OsString]) -> (clap::Command, usize) {
    let mut command = Arguments::command();
    let mut behind = 0;
    for (at, word) in said.iter().enumerate().skip(1) {
        let is_value = ["--user", "--agent", "--group", "--config"].iter().any(|name| said[at - 1] == *name);
        if let Some(deeper) = command.find_subcommand(word).filter(|_| !is_value).cloned() {
            (command, behind) = (deeper, at + 1);
        }
    }
    (command, behind)
}

/// Returns the command line with a home where its command wants PATH; `None` where it wants none.
fn filled(said: &[OsString], home: PathBuf) -> Option<Vec<OsString>> {
    let (command, behind) = deepest(said);
    let places: Vec<_> = command.get_positionals().map(|place| place.get_id().as_str()).collect();
    let at = match places.iter().position(|place| *place == "path")? {
        0 => behind,
        // `import IN PATH`.
        1 => said.len(),
        _ => return None,
    };
    let mut filled = said.to_vec();
    filled.insert(at, home.into());
    Some(filled)
}

/// Returns why the settings cannot be read, where a home could be in them.
pub(crate) fn settings(said: &[OsString]) -> Result<Config, Trouble> {
    let named = said.iter().enumerate().find_map(|(at, word)| match word.to_str() {
        Some("--config") => said.get(at + 1).map(PathBuf::from),
        word => word?.strip_prefix("--config=").map(PathBuf::from),
    });
    Config::load(named.as_deref())
}

/// Returns the home of the environment, else of the settings.
fn home(said: &[OsString]) -> Option<PathBuf> {
    let of_variable = VARIABLES.iter().filter_map(std::env::var_os).find(|value| !value.is_empty());
    let path = of_variable.map(PathBuf::from).or_else(|| settings(said).ok()?.home.path)?;
    Some(of_account(path))
}
