//! The rules of document names, and the error that says which one a text breaks.

use crate::base::text;

/// A text that is not a document's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is not a document name: {rule}")]
#[non_exhaustive]
pub struct NameError {
    /// The text, cut at 80 characters, with characters that do not print replaced.
    pub name: String,
    /// The rule that it breaks.
    pub rule: &'static str,
}

/// The one hidden folder that holds documents.
pub(super) const DOT_SELF: &str = ".self";

/// Returns the rule that a text breaks as the name of a document; `None` where it breaks none.
pub(super) fn fault(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("it is empty");
    }
    if text.len() > 512 {
        return Some("it is longer than 512 bytes");
    }
    let is_plain = is_plain(text);
    if !is_plain && text.contains('\\') {
        return Some("it contains a backslash");
    }
    // The one hidden folder that holds documents.
    let hidden = text.strip_prefix(DOT_SELF).map_or(text, |rest| match rest.strip_prefix('/') {
        Some(below) => below,
        None if rest.is_empty() => "self",
        None => text,
    });
    hidden.split('/').find_map(|segment| segment_fault(segment, is_plain))
}

/// Returns the rule that a file breaks inside a folder whose own name breaks none.
pub(super) fn fault_inside(folder: &str, file: &str) -> Option<&'static str> {
    let is_plain = is_plain(file);
    if !is_plain || folder.len() + file.len() > 511 || file.contains('/') {
        return fault(&[folder, "/", file].concat());
    }
    segment_fault(file, is_plain)
}

/// Returns whether a name has nothing but letters, digits and marks of ASCII that every rule allows: most have. Without a
/// branch for each byte, since folders have thousands.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/');
    text.bytes().fold(true, |all, byte| all & is_plain(byte))
}

fn segment_fault(segment: &str, is_plain: bool) -> Option<&'static str> {
    if segment.is_empty() {
        return Some("it is absolute, or has an empty segment");
    }
    if segment.len() > 255 {
        return Some("a segment is longer than 255 bytes");
    }
    if segment.starts_with('.') {
        return Some("a segment begins with a dot");
    }
    if segment.ends_with(['.', ' ']) || segment.starts_with(' ') {
        return Some("a segment ends with a dot, or begins or ends with a space");
    }
    if !is_plain && text::has_hidden(segment) {
        return Some("it contains a control or invisible character");
    }
    if cfg!(windows) { windows_fault(segment) } else { None }
}

/// Returns why only Windows would not have a segment.
pub(super) fn windows_fault(segment: &str) -> Option<&'static str> {
    if segment.contains([':', '*', '?', '"', '<', '>', '|']) {
        return Some("it contains a character that Windows reserves");
    }
    is_device(segment).then_some("a segment is the name of a Windows device")
}

/// Returns whether Windows would open a device: `CON`, `nul.txt`, `COM1`, and `COM¹` with a superscript digit.
fn is_device(segment: &str) -> bool {
    // Most names are told apart by their first letter.
    if !segment.starts_with(['C', 'c', 'P', 'p', 'A', 'a', 'N', 'n', 'L', 'l']) {
        return false;
    }
    let stem = segment.split('.').next().unwrap_or(segment).trim_end();
    if stem.len() > "CONOUT$".len() {
        return false;
    }
    let stem = stem.to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    let port = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    port.is_some_and(|rest| {
        let mut chars = rest.chars();
        matches!(chars.next(), Some('0'..='9' | '¹' | '²' | '³')) && chars.next().is_none()
    })
}

/// Returns a text as messages show it: cut, and without what does not print.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .take(80)
        .map(|c| if c.is_control() || text::is_invisible(c) { '\u{fffd}' } else { c })
        .collect()
}
