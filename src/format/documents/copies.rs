//! Copies that tools leave where two machines changed one file.

/// Returns the name of the file that a name is a copy of; `None` for a name of its own.
///
/// Known are the forms of Syncthing (`MEMORY.sync-conflict-20261121-091500-ABCDEFG.md`), of Dropbox, Nextcloud and our own merge
/// (`MEMORY (conflicted copy …).md`, `MEMORY (Marta's conflicted copy …).md`), and of merges and patches (`MEMORY.md.orig`).
pub(crate) fn original_of(name: &str) -> Option<String> {
    let file = &name[name.rfind('/').map_or(0, |at| at + 1)..];
    let folder = &name[..name.len() - file.len()];
    if let Some(original) = strip_end(file, ".orig") {
        let has_extension =
            original.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && !end.is_empty());
        return has_extension.then(|| format!("{folder}{original}"));
    }
    let (stem, extension) = file.rsplit_once('.').map_or((file, ""), |(stem, _)| (stem, &file[stem.len()..]));
    let plain = stem_of(stem)?;
    (!plain.is_empty()).then(|| format!("{folder}{plain}{extension}"))
}

/// Returns the front of a copy's name.
fn stem_of(stem: &str) -> Option<&str> {
    const SYNCTHING: &str = ".sync-conflict-";
    if let Some(at) = stem.find(SYNCTHING) {
        let mut parts = stem[at + SYNCTHING.len()..].split('-');
        let is_number = |part: Option<&str>, digits: usize| {
            part.is_some_and(|part| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        return (is_number(parts.next(), 8) && is_number(parts.next(), 6)).then(|| &stem[..at]);
    }
    let (plain, words) = stem.strip_suffix(')')?.rsplit_once(" (")?;
    words.to_ascii_lowercase().contains("conflicted copy").then_some(plain)
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
        ] {
            assert_eq!(original_of(name).as_deref(), Some(original), "{name}");
        }
        for name in [
            "MEMORY.md",
            "memory/2026-11-20-repl.md",
            "notes/the conflicted copy of a book.md",
            "a (1).md",
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
