//! What a model is shown by a tool: masked as in a prompt, and cut where it is too long.

use std::ops::Range;

use crate::error::Result;
use crate::gate::{Door, FORGOTTEN, InjectionPolicy, SecretPolicy};
use crate::name::Name;
use crate::session::{Guarded, shown};
use crate::text;
use crate::workspace::Workspace;

/// The lines of a text of a document that are shown otherwise than they stand there, by their bytes.
pub(super) fn hidden<W: Workspace>(view: &Guarded<W>, name: &Name, text: &str) -> Result<Vec<Range<usize>>> {
    let shown = shown(view, name, text)?;
    let mut hidden = Vec::new();
    let mut at = 0;
    for (line, shown) in text.split('\n').zip(shown.split('\n')) {
        if line != shown {
            hidden.push(at..at + line.len());
        }
        at += line.len() + 1;
    }
    Ok(hidden)
}

/// Whether a text of a document holds a secret that a model is not shown.
pub(super) fn hides_secret<W: Workspace>(view: &Guarded<W>, name: &Name, text: &str) -> Result<bool> {
    let doors = view.current_doors()?;
    let mut policy = doors.policy_of(Door::PromptLoad, name).as_shown();
    policy.injections = InjectionPolicy::Allow;
    let passed = view.judge(&doors, Door::PromptLoad, policy, name, text)?;
    let is_masked = policy.secrets == SecretPolicy::Redact;
    Ok(is_masked && passed.warnings.iter().any(|warning| warning.class != FORGOTTEN))
}

/// A query of a model's, without the sign for any ending: else it could be tried letter by letter what a masked word
/// begins with.
pub(super) fn plain(query: &str) -> String {
    query.replace('*', " ")
}

/// The beginning of a text that fits, and whether that is all of it.
pub(super) fn cut(text: &str, most: usize) -> (&str, bool) {
    if text.len() <= most {
        return (text, true);
    }
    (&text[..text::floor_boundary(text, most)], false)
}

/// The percent escapes of dots, slashes, backslashes and of the percent sign itself, read, as often as they are there.
fn unescaped(text: &str) -> String {
    const ESCAPES: [(&str, char); 4] = [("%2e", '.'), ("%2f", '/'), ("%5c", '\\'), ("%25", '%')];
    let mut read = String::new();
    for c in text.chars() {
        read.push(c);
        // What is read may begin an escape in its turn.
        if let Some((from, character)) = ESCAPES.iter().find_map(|(escape, character)| {
            let from = read.len().checked_sub(escape.len())?;
            read.get(from..)?.eq_ignore_ascii_case(escape).then_some((from, *character))
        }) {
            read.truncate(from);
            read.push(character);
        }
    }
    read
}

/// Whether a path has a segment `..`, also where it is escaped once or many times.
pub(super) fn hides_parent(path: &str) -> bool {
    unescaped(path).split(['/', '\\']).any(|segment| segment == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_seen_through_escapes() {
        for path in
            ["..", "a/..", "a\\..\\b", "%2e%2e", "%2E./x", "a%2f..", "%252e%252e/x", "%25252e.", "..%5cx"]
        {
            assert!(hides_parent(path), "{path}");
        }
        // Each layer hides the next: read one after the other, they take the square of the path's length.
        let layers = format!("a/%{}", "25".repeat(1 << 20));
        assert!(hides_parent(&format!("{layers}2e.")));
        assert!(!hides_parent(&layers));
        for path in ["", "a..b", "...", "100%.md", "a%2fb", "%", "%2", "%%%", "notes/v1.2"] {
            assert!(!hides_parent(path), "{path}");
        }
    }
}
