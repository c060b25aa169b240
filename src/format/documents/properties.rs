//! The properties of a note: what its frontmatter says of aliases and tags, as Obsidian and others write it.
//!
//! ```text
//! ---
//! aliases: [Brisk, "the boat"]
//! tags:
//!   - sailing
//!   - boats/small
//! ---
//! ```
//!
//! Only lists of words under these two keys are read. Whatever else is there is left alone: this is no parser of YAML.

/// The other names of a note, and its tags.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Properties {
    pub(crate) aliases: Vec<String>,
    pub(crate) tags: Vec<String>,
}

/// The most words of a property.
const MOST: usize = 50;

impl Properties {
    /// Reads the frontmatter at the beginning of a text; nothing where there is none, or where it does not end.
    pub(crate) fn of(text: &str) -> Self {
        let mut properties = Self::default();
        let Some(lines) = frontmatter(text) else { return properties };
        let mut list: Option<Key> = None;
        for line in lines {
            let words = line.trim();
            let is_inside = line.starts_with([' ', '\t', '-']);
            if let (Some(key), true) = (list, is_inside) {
                let item = words.strip_prefix('-').map(str::trim_start);
                properties.take(key, item.into_iter());
                continue;
            }
            list = None;
            let Some((name, value)) = line.split_once(':') else { continue };
            let Some(key) = Key::of(name) else { continue };
            let value = value.trim();
            if value.is_empty() {
                list = Some(key);
            } else if let Some(inner) = value.strip_prefix('[').and_then(|value| value.strip_suffix(']')) {
                properties.take(key, split(inner).into_iter());
            } else if key == Key::Tags && !value.starts_with(['"', '\'']) {
                properties.take(key, value.split([',', ' ']));
            } else {
                properties.take(key, split(value).into_iter());
            }
        }
        properties
    }

    fn take<'w>(&mut self, key: Key, words: impl Iterator<Item = &'w str>) {
        let list = match key {
            Key::Aliases => &mut self.aliases,
            Key::Tags => &mut self.tags,
        };
        for word in words {
            let word = unquoted(word.trim());
            let word = if key == Key::Tags { word.trim_start_matches('#') } else { word };
            if !word.is_empty() && list.len() < MOST && !list.iter().any(|known| known == word) {
                list.push(word.to_owned());
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Aliases,
    Tags,
}

impl Key {
    fn of(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "aliases" | "alias" => Some(Self::Aliases),
            "tags" | "tag" => Some(Self::Tags),
            _ => None,
        }
    }
}

/// Returns the lines between the marks of a frontmatter.
fn frontmatter(text: &str) -> Option<Vec<&str>> {
    let text = text.strip_prefix(crate::base::text::BOM).unwrap_or(text);
    let mut lines = text.lines();
    if lines.next()?.trim_end() != "---" {
        return None;
    }
    let mut inside = Vec::new();
    for line in lines {
        if line.trim_end() == "---" {
            return Some(inside);
        }
        inside.push(line);
    }
    None
}

/// Splits a list at commas that no quotes hold.
fn split(list: &str) -> Vec<&str> {
    let (mut words, mut from, mut quote) = (Vec::new(), 0, None);
    for (at, c) in list.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') if list[from..at].trim().is_empty() => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, ',') => {
                words.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    words.push(&list[from..]);
    words
}

fn unquoted(word: &str) -> &str {
    let inner = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_all_three_ways_are_read() {
        let read = |text: &str| {
            let Properties { aliases, tags } = Properties::of(text);
            (aliases.join("|"), tags.join("|"))
        };
        let is = |aliases: &str, tags: &str| (aliases.to_owned(), tags.to_owned());
        assert_eq!(
            read("---\naliases: [Brisk, \"the boat, ours\"]\ntags: sailing, boats\n---\nx"),
            is("Brisk|the boat, ours", "sailing|boats")
        );
        assert_eq!(
            read("---\r\nalias: Brisk\r\ntags:\r\n  - '#sailing'\r\n- boats/small\r\nid: 7\r\n---\r\n"),
            is("Brisk", "sailing|boats/small")
        );
        assert_eq!(read("---\nAliases:\n  - Brisk\n  - Brisk\ntitle: tags: no\n---\n"), is("Brisk", ""));
        assert_eq!(read("---\naliases: [Brisk]\nnever ends\n"), is("", ""));
        assert_eq!(read("text\n---\naliases: [Brisk]\n---\n"), is("", ""));
        assert_eq!(read("---\naliases: []\ntags:\n---\n"), is("", ""));
    }
}
