//! Copies that tools leave where two machines changed one file.

use chrono::NaiveDate;

use crate::base::name::OWN_FILES;
use crate::base::text;
use crate::format::state::registry::{self, Names};

/// Returns the name of the file that a name is a copy of; `None` for a name of its own.
///
/// Known are the forms of Syncthing (`MEMORY.sync-conflict-20261121-091500-ABCDEFG.md`). Also those of Dropbox,
/// Nextcloud and our own merge (`MEMORY (conflicted copy …).md`, `MEMORY (Marta's conflicted copy …).md`,
/// `MEMORY (Case Conflict).md`) in the languages of `copies.tsv`, and `MEMORY.md.orig`. A number behind a name makes
/// a copy if the name is one of ours, a journal's or a state file's. Cloud drives leave `MEMORY (1).md` and
/// `2026-11-20-repl 2.md`. So is the name of a machine, `MEMORY~DESK.md`. Except for journals, so are
/// `MEMORY-DESKTOP-1A2B3C4.md` and `MEMORY-MARTA-PC.md`. Another document may have one in its own name.
pub(crate) fn original_of(name: &str) -> Option<String> {
    let file = &name[name.rfind('/').map_or(0, |at| at + 1)..];
    let folder = &name[..name.len() - file.len()];
    if let Some(original) = strip_end(file, ".orig") {
        let has_extension =
            original.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && !end.is_empty());
        return has_extension.then(|| format!("{folder}{original}"));
    }
    let (stem, extension) = file.rsplit_once('.').map_or((file, ""), |(stem, _)| (stem, &file[stem.len()..]));
    let named = |plain: &str| format!("{folder}{plain}{extension}");
    if let Some(plain) = stem_of(stem) {
        return (!plain.is_empty()).then(|| named(plain));
    }
    if let Some((plain, host)) = stem.rsplit_once('~') {
        let is_host = !host.is_empty() && host.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        return Some(named(plain)).filter(|original| is_host && is_ours(original, true));
    }
    let is_of_machine = |original: &String| session_of(original).is_none() && is_ours(original, true);
    if let Some(original) = without_machine(stem).map(named).find(is_of_machine) {
        return Some(original);
    }
    let (plain, is_in_brackets) = without_number(stem)?;
    Some(named(plain)).filter(|original| is_ours(original, is_in_brackets))
}

/// Returns the fronts of a name that ends with the name of a machine, as `OneDrive` leaves it.
fn without_machine(stem: &str) -> impl Iterator<Item = &str> {
    let stem =
        stem.rsplit_once('-').filter(|(_, end)| is_digits(end, 1..=2)).map_or(stem, |(front, _)| front);
    let is_plain =
        |host: &str| host.len() > 3 && host.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let made = stem.rsplit_once('-').filter(|(_, end)| is_plain(end)).and_then(|(front, _)| {
        ["-DESKTOP", "-LAPTOP", "-WIN"].iter().find_map(|kind| front.strip_suffix(*kind))
    });
    let named = stem.strip_suffix("-PC").into_iter();
    let named =
        named.flat_map(|front| front.match_indices('-').map(move |(at, _)| &front[..at]).chain([front]));
    made.into_iter().chain(named)
}

fn is_digits(text: &str, many: std::ops::RangeInclusive<usize>) -> bool {
    many.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the front of a name that ends with a number: `MEMORY (1)`, `MEMORY 2`; and whether that is in brackets.
fn without_number(stem: &str) -> Option<(&str, bool)> {
    let (plain, number) = stem.rsplit_once(' ')?;
    let inner = number.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let digits = inner.unwrap_or(number);
    is_digits(digits, 1..=2).then_some((plain, inner.is_some()))
}

/// Returns whether a name is one that this library gives. It may be of a document of the root, of a state file, or of a
/// journal of a session. People number the journals of a day by themselves: `2026-11-20 2.md` is a copy with brackets
/// alone.
fn is_ours(name: &str, is_in_brackets: bool) -> bool {
    OWN_FILES.contains(&name.to_ascii_lowercase().as_str())
        || registry::of_path(name).is_some_and(|file| matches!(file.names, Names::One(_)))
        || session_of(name).is_some_and(|session| match session.strip_prefix('-') {
            Some(session) => !session.contains(char::is_whitespace),
            None => session.is_empty() && is_in_brackets,
        })
}

/// Returns what is behind the day in the name of a journal.
fn session_of(name: &str) -> Option<&str> {
    let file = ["memory/", "daily/"].iter().find_map(|folder| name.strip_prefix(folder))?;
    let stem = file.strip_suffix(".md").filter(|stem| !stem.contains('/'))?;
    let (day, session) = stem.split_at_checked(10)?;
    NaiveDate::parse_from_str(day, "%Y-%m-%d").is_ok().then_some(session)
}

/// Returns the front of a copy's name.
fn stem_of(stem: &str) -> Option<&str> {
    const SYNCTHING: &str = ".sync-conflict-";
    if let Some(at) = stem.find(SYNCTHING) {
        let mut parts = stem[at + SYNCTHING.len()..].split('-');
        let is_number =
            |part: Option<&str>, many: usize| part.is_some_and(|part| is_digits(part, many..=many));
        return (is_number(parts.next(), 8) && is_number(parts.next(), 6)).then(|| &stem[..at]);
    }
    let (plain, words) = stem.strip_suffix(')')?.rsplit_once(" (")?;
    // A name may be composed or decomposed, as the disk has it.
    let words = text::same_name(words);
    words_of_copies().any(|known| words.contains(&text::same_name(known))).then_some(plain)
}

/// Returns the words by which tools call a copy, in lower case.
fn words_of_copies() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("copies.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).map(|(_, words)| words)
}

fn strip_end<'t>(text: &'t str, end: &str) -> Option<&'t str> {
    let at = text.len().checked_sub(end.len())?;
    let is_there = text.get(at..)?.eq_ignore_ascii_case(end);
    is_there.then(|| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_known_by_their_names_and_plain_names_are_none() {
        for (name, original) in [
            ("MEMORY.sync-conflict-20261121-091500-ABCDEFG.md", "MEMORY.md"),
            ("memory/2026-11-20-repl.sync-conflict-20261121-091500-ABCDEFG.md", "memory/2026-11-20-repl.md"),
            ("MEMORY (conflicted copy 2026-11-21 091500).md", "MEMORY.md"),
            ("MEMORY (Marta's Conflicted Copy 2026-11-21).md", "MEMORY.md"),
            ("memory/2026-11-20 (conflicted copy of laptop).md", "memory/2026-11-20.md"),
            ("MEMORY.md.orig", "MEMORY.md"),
            ("notes/Boat.md.ORIG", "notes/Boat.md"),
            ("notes/Boat (Case Conflict 1).md", "notes/Boat.md"),
            ("MEMORY (1).md", "MEMORY.md"),
            ("User 2.md", "User.md"),
            ("memory/2026-11-20-repl (12).md", "memory/2026-11-20-repl.md"),
            ("daily/2026-11-20 (2).md", "daily/2026-11-20.md"),
            ("daily/2026-11-20-repl 2.md", "daily/2026-11-20-repl.md"),
            (".dreamed-state (1).json", ".dreamed-state.json"),
            ("MEMORY (In Konflikt stehende Kopie von Marta 2026-11-21).md", "MEMORY.md"),
            ("memory/2026-11-20-repl (Copie en conflit de poste 2026-11-21).md", "memory/2026-11-20-repl.md"),
            ("USER (Конфликтующая копия с компьютера Marta 2026-11-21).md", "USER.md"),
            ("MEMORY (co\u{301}pia em conflito de Marta).md", "MEMORY.md"),
            ("MEMORY (Marta の競合コピー 2026-11-21).md", "MEMORY.md"),
            ("MEMORY~DESK.md", "MEMORY.md"),
            ("memory/2026-11-20-repl~MARTA-PC.md", "memory/2026-11-20-repl.md"),
            ("MEMORY-MARTA-PC.md", "MEMORY.md"),
            ("USER-PC.md", "USER.md"),
            ("MEMORY-DESKTOP-1A2B3C4.md", "MEMORY.md"),
            ("MEMORY-LAPTOP-1A2B3C4-2.md", "MEMORY.md"),
            (".dreamed-state-MARTA-PC.json", ".dreamed-state.json"),
            (".dreaming.d/memories-MARTA-PC.jsonl", ".dreaming.d/memories.jsonl"),
            (".dreaming.d/memories (In Konflikt stehende Kopie).jsonl", ".dreaming.d/memories.jsonl"),
        ] {
            assert_eq!(original_of(name).as_deref(), Some(original), "{name}");
        }
        for name in [
            "MEMORY.md",
            "memory/2026-11-20-repl.md",
            // The session of a host may be called like its machine.
            "memory/2026-11-20-MARTA-PC.md",
            "memory/2026-11-20-DESKTOP-1A2B3C4.md",
            "AGENTS-old.md",
            "USER-GUIDE.md",
            "notes/Boat-PC.md",
            "notes/Boat~DESK.md",
            "MEMORY~.md",
            "MEMORY-DESKTOP-notes.md",
            "notes/the conflicted copy of a book.md",
            "a (1).md",
            "notes/Boat 2.md",
            "notes/MEMORY 2.md",
            "memory/plan 2.md",
            "MEMORY 1234.md",
            "memory/2026-11-20 2.md",
            "memory/2026-11-20 day 2.md",
            "memory/2026-11-20 930.md",
            "memory/2026-11-20/plan 2.md",
            "memory/2026-11-20-photos/boat 2.jpg",
            "MEMORY ().md",
            "2026-11-20 2.md",
            ".orig",
            "x.orig",
            "memory/2026-11-20-sync-conflict.md",
            "a.sync-conflict-soon.md",
            "(conflicted copy).md",
            "é).md",
            "",
            "/",
            "orig",
        ] {
            assert_eq!(original_of(name), None, "{name}");
        }
    }
}
