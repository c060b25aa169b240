//! The texts that a tool shows to a model: masked as in a prompt, and cut if they are too long.

use std::ops::Range;

use crate::base::error::Result;
use crate::base::name::{DocName, Name};
use crate::base::text;
use crate::format::JournalName;
use crate::gate::{Door, FORGOTTEN, InjectionPolicy, SecretPolicy, as_drawn};
use crate::life::EDITABLE;
use crate::session::{Guarded, shown};
use crate::workspace::Workspace;

/// Returns the lines of a text of a document that are shown otherwise than they are there, by their bytes.
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

/// Returns whether a text of a document holds a secret that a model is not shown.
pub(super) fn hides_secret<W: Workspace>(view: &Guarded<W>, name: &Name, text: &str) -> Result<bool> {
    let doors = view.doors_of(name)?;
    let mut policy = doors.policy_of(Door::PromptLoad, name).as_shown();
    policy.injections = InjectionPolicy::Allow;
    let passed = view.judge(&doors, Door::PromptLoad, policy, name, text)?;
    let is_masked = policy.secrets == SecretPolicy::Redact;
    Ok(is_masked && passed.warnings.iter().any(|warning| warning.class != FORGOTTEN))
}

/// Returns a query of a model without the sign for any ending. Else a model could guess a masked word letter by
/// letter.
pub(super) fn plain(query: &str) -> String {
    query.replace('*', " ")
}

/// Returns the beginning of a text that fits, and whether that is all of it.
pub(super) fn cut(text: &str, most: usize) -> (&str, bool) {
    if text.len() <= most {
        return (text, true);
    }
    (text::cut(text, most), false)
}

/// Returns a text with the percent escapes of ASCII read, as often as they are there.
fn unescaped(text: &str) -> String {
    let mut read = String::new();
    for c in text.chars() {
        read.push(c);
        // The decoded text may begin another escape.
        let escape =
            read.len().checked_sub(3).and_then(|from| Some((from, read.get(from..)?.strip_prefix('%')?)));
        if let Some((from, digits)) = escape
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            && let Some(character) = u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii)
        {
            read.truncate(from);
            read.push(char::from(character));
        }
    }
    read
}

/// Returns why a model may not give a document this name, where it may not. A name that looks like another would be
/// taken for it by a person, a disk or a program.
pub(super) fn disguise(name: &Name) -> Option<&'static str> {
    let given = name.as_str();
    let is_home = |segment: &str| segment.starts_with('~');
    let mut segments = given.rsplit('/');
    if given.starts_with(['~', '$']) || segments.next() == Some("~") || segments.any(is_home) {
        return Some("~ and $ stand for a folder elsewhere, and mean nothing here");
    }
    let read = as_drawn(&unescaped(&as_drawn(given)));
    let is_no_name = |segment: &str| segment.is_empty() || segment.starts_with('.');
    let has_drive = matches!(read.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if has_drive || read.split(['/', '\\']).any(is_no_name) {
        return Some("it leads out of the workspace once it is read without its escapes");
    }
    let meant = text::same_name(&read);
    let is_own = EDITABLE.iter().any(|own| own.folded() == meant && own.as_str() != given);
    let is_playbook = meant.starts_with("bootstrap.md") && !given.starts_with(DocName::BOOTSTRAP.as_str());
    let is_journal = JournalName::is_name(&meant) && !JournalName::is_name(given);
    (is_own || is_playbook || is_journal)
        .then_some("it looks like another document of the workspace; give that its exact name")
}

/// Returns whether a path has a segment `..`, also where it is escaped once or many times.
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
