//! The nearest known names to a command or an option that is not known.
//!
//! The parser compares common letters: it lists far names beside the near one, and passes over swapped letters.

use std::ffi::OsString;

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue};

use super::arguments::Arguments;
use super::left_out::deepest;

/// Puts the nearest names into an error of the parser, in place of those that it suggests itself.
pub(crate) fn suggest(error: &mut clap::Error, said: &[OsString]) {
    let said_name = |kind| match error.get(kind) {
        Some(ContextValue::String(name)) => Some(name.clone()),
        _ => None,
    };
    let (command, _) = deepest(said);
    if let Some(name) = said_name(ContextKind::InvalidSubcommand) {
        let known = command.get_subcommands().map(|known| known.get_name().to_owned());
        let near = nearest(&name, known.collect());
        if near.is_empty() {
            error.remove(ContextKind::SuggestedSubcommand);
        } else {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(near));
        }
    } else if let Some(name) = said_name(ContextKind::InvalidArg)
        && error.kind() == clap::error::ErrorKind::UnknownArgument
    {
        let root = Arguments::command();
        let global = root.get_arguments().filter(|option| option.is_global_set());
        let known = command.get_arguments().chain(global).filter_map(clap::Arg::get_long);
        let near = nearest(name.trim_start_matches('-'), known.map(str::to_owned).collect());
        if let Some(near) = near.first() {
            error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{near}")));
            error.remove(ContextKind::Suggested);
        }
    }
}

/// Returns the known names with the fewest changes from a name: no more than one for each three of its letters.
fn nearest(name: &str, mut known: Vec<String>) -> Vec<String> {
    let most = (name.chars().count() / 3).max(1);
    let least = known.iter().map(|known| changes(name, known)).min().unwrap_or(usize::MAX);
    known.retain(|known| least <= most && changes(name, known) == least);
    known.sort();
    known.dedup();
    known
}

/// Counts the letters that are added, left out, replaced, or swapped with the next one.
fn changes(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows = vec![vec![0; other.len() + 1]; one.len() + 1];
    for at in 0..=one.len() {
        for to in 0..=other.len() {
            rows[at][to] = if at == 0 || to == 0 {
                at + to
            } else {
                let replaced = rows[at - 1][to - 1] + usize::from(one[at - 1] != other[to - 1]);
                let mut least = replaced.min(rows[at - 1][to] + 1).min(rows[at][to - 1] + 1);
                if at > 1 && to > 1 && one[at - 1] == other[to - 2] && one[at - 2] == other[to - 1] {
                    least = least.min(rows[at - 2][to - 2] + 1);
                }
                least
            };
        }
    }
    rows[one.len()][other.len()]
}
