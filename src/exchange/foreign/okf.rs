//! The Open Knowledge Format, version 0.2: a folder of markdown. The frontmatter of a file names the source of the
//! text, and who vouches for it.
//!
//! ```text
//! ---
//! type: Fact
//! title: "Marta lives in Porto"
//! tags: ["fact"]
//! generated: { by: noctuary/1, at: 2026-11-20T09:00:00Z }
//! status: stable
//! stale_after: 2027-01-01
//! sources: [{"id":"s1","resource":"/documents/memory/2026-11-20.md#L1"}]
//! noctuary: {"kind":"fact", …}
//! ---
//! Marta lives in Porto
//! ```
//!
//! `noctuary` is a key of our own, with all that an import of ours needs. Beside the concepts are files that the
//! format does not know: tombstones, the history of facts, and the signature.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::part::{Taken, What};
use crate::base::document::SourceRef;
use crate::base::text;
use crate::exchange::bundle::{
    Bundle, DECISIONS, DOCUMENT_STONES, Front, INDEX, OUTCOMES, PREFERENCES_README, STONES, document_name,
    is_derived, is_seal,
};
use crate::facts::FactState;
use crate::format::JournalName;
use crate::memory::Source;

/// The contents of our own, in place of the index: an index of the format has no fields.
pub(in crate::exchange) const HEAD: &str = "noctuary.txt";
/// The end of a document that cannot be a concept.
const RAW: &str = ".raw";
/// The key of our own.
const OWN: &str = "noctuary";
/// The longest title, in bytes.
const LONGEST_TITLE: usize = 80;

/// Returns a bundle of ours, not signed yet, in the format.
pub(in crate::exchange) fn print(bundle: &Bundle) -> Bundle {
    let mut printed = Bundle::default();
    let mut sections: Vec<(&str, String)> = Vec::new();
    for (path, bytes) in bundle.files() {
        let front = || Front::parse(std::str::from_utf8(bytes).ok()?);
        if path == INDEX {
            let mut head = front().expect("an export has an index");
            head.body.clear();
            printed.put(HEAD, head.print());
            continue;
        }
        // It has no fields, and each markdown file of the format has.
        if path == PREFERENCES_README {
            continue;
        }
        let is_concept = is_markdown(path);
        let (path, text, title) = if document_name(path).is_some() {
            match std::str::from_utf8(bytes) {
                Ok(text) if is_concept && !is_reserved(path) => {
                    let name = path.split_once('/').map_or(path, |(_, name)| name);
                    (path.to_owned(), document(name, text), name.to_owned())
                }
                _ if is_concept => {
                    printed.put(format!("{path}{RAW}"), bytes);
                    continue;
                }
                _ => {
                    printed.put(path, bytes);
                    continue;
                }
            }
        } else if let Some(front) = front().filter(|_| is_concept) {
            let title = title(&front.body);
            (path.to_owned(), entry(&front, &title), title)
        } else {
            printed.put(path, bytes);
            continue;
        };
        let section = match path.split('/').next().unwrap_or_default() {
            "facts" => "Facts",
            "memories" => "Memories",
            "learnings" => "Learnings",
            "profile" => "Profile",
            "methodologies" => "Methods",
            "preferences" => "Preferences",
            "roles" => "Roles",
            "pages" => "Pages",
            _ => "Documents",
        };
        let line = format!("* [{}](<{path}>)\n", title.replace('[', "\\[").replace(']', "\\]"));
        match sections.iter_mut().find(|(known, _)| *known == section) {
            Some((_, lines)) => lines.push_str(&line),
            None => sections.push((section, line)),
        }
        printed.put(path, text);
    }
    let mut index = "---\nokf_version: \"0.2\"\n---\n".to_owned();
    for (section, lines) in sections {
        index.push_str(&format!("# {section}\n\n{lines}\n"));
    }
    printed.put(INDEX, index);
    printed
}

/// Prints an entry of ours as a concept.
fn entry(front: &Front, title: &str) -> String {
    let kind = front.get::<String>("kind").unwrap_or_default();
    let kind_shown = match kind.as_str() {
        "fact" => "Fact",
        "learning" => "Learning",
        "profile" => "Profile",
        "methodology" => "Method",
        "preference" => "Preference",
        "role_note" => "Role Note",
        "page" => "Page",
        _ => "Memory",
    };
    let mut text = format!("---\ntype: {kind_shown}\ntitle: {}\n", quoted(title));
    if let Some(category) = front.get::<String>("category") {
        text.push_str(&format!("tags: [{}]\n", quoted(&category)));
    }
    let source = front.get::<String>("source").map(|word| Source::from(word.as_str()));
    let is_said = matches!(source, Some(Source::UserManual | Source::UserExplicit));
    let written = front.get::<DateTime<Utc>>("updated_at").or_else(|| front.get("created_at"));
    if let Some(at) = written {
        let by = if is_said { PERSON } else { "noctuary/1" };
        text.push_str(&format!("generated: {{ by: {by}, at: {} }}\n", moment(at)));
    }
    let state = front.get::<String>("state").and_then(|word| word.parse::<FactState>().ok());
    // A person vouches for what they said, and for what they confirmed.
    if let Some(at) = written.filter(|_| is_said || state == Some(FactState::Verified)) {
        text.push_str(&format!("verified: {{ by: {PERSON}, at: {} }}\n", moment(at)));
    }
    if let Some(state) = state {
        let status = match state {
            FactState::Superseded | FactState::Rejected => "deprecated",
            FactState::Pending | FactState::Disputed => "draft",
            FactState::Candidate | FactState::Verified => "stable",
        };
        text.push_str(&format!("status: {status}\n"));
    }
    let notes = front.get::<Value>("metadata");
    let end = front.get("valid_until").or_else(|| crate::memory::end_of(notes.as_ref()));
    if let Some(end) = end {
        text.push_str(&format!("stale_after: {}\n", end.format("%Y-%m-%d")));
    }
    let sources: Vec<Value> = (1..)
        .zip(cited(front))
        .map(|(number, resource)| serde_json::json!({"id": format!("s{number}"), "resource": resource}))
        .collect();
    if !sources.is_empty() {
        text.push_str(&format!("sources: {}\n", Value::from(sources)));
    }
    text.push_str(&format!("{OWN}: {}\n---\n{}\n", front.as_value(), front.body));
    text
}

/// The person whose memory it is. Their name stays at home.
const PERSON: &str = "human:owner";

/// Returns the places that a row cites, as paths of the bundle.
fn cited(front: &Front) -> Vec<String> {
    let cites: Vec<SourceRef> = front.get("cites").unwrap_or_default();
    cites.iter().map(|cite| format!("/documents/{cite}")).collect()
}

/// Prints a document as a concept, byte for byte behind its fields. A file that is already a concept stays as it
/// is.
fn document(name: &str, text: &str) -> String {
    if let Some(fields) = Fields::of(text)
        && fields.word("type").is_some()
        && fields.line(OWN).is_none()
    {
        return text.to_owned();
    }
    let folded = name.to_lowercase();
    let kind = if JournalName::is_name(&folded) { "Journal" } else { "Document" };
    format!("---\ntype: {kind}\ntitle: {}\n{OWN}: {{\"kind\":\"document\"}}\n---\n{text}", quoted(name))
}

/// Reads the parts of a folder in the format.
pub(super) fn parts(bundle: &Bundle) -> Vec<Taken<'_>> {
    let is_ours = bundle.get(HEAD).is_some();
    let own = |path: &str| {
        path == HEAD
            || path == STONES
            || path == DOCUMENT_STONES
            || is_seal(path)
            || (is_ours && is_derived(path))
    };
    let files = bundle.files().filter(|(path, _)| !own(path) && !is_reserved(path));
    files.map(|(path, bytes)| part(path, bytes)).collect()
}

fn part<'b>(path: &str, bytes: &'b [u8]) -> Taken<'b> {
    let taken =
        |path: String, bytes: Cow<'b, [u8]>, is_deprecated: bool| What::File { path, bytes, is_deprecated };
    let what = if path == DECISIONS || path == OUTCOMES {
        taken(path.to_owned(), bytes.into(), false)
    } else if !is_markdown(path) {
        let name = path.strip_suffix(RAW).unwrap_or(path);
        match document_name(name) {
            Some(_) => taken(name.to_owned(), bytes.into(), false),
            None => What::Bad("it is no concept of the format".to_owned()),
        }
    } else {
        let fields = std::str::from_utf8(bytes).ok().and_then(Fields::of);
        let Some(fields) = fields.filter(|fields| fields.word("type").is_some()) else {
            return Taken::bad(path, "it has no type, as each concept of the format has");
        };
        let is_deprecated = fields.word("status") == Some("deprecated");
        let own = fields.line(OWN).and_then(|line| serde_json::from_str::<Map<String, Value>>(line).ok());
        match own {
            Some(own) if own.get("kind").and_then(Value::as_str) == Some("document") => {
                taken(path.to_owned(), fields.body.as_bytes().into(), is_deprecated)
            }
            Some(own) => {
                let mut text = "---\n".to_owned();
                for (name, value) in &own {
                    text.push_str(&format!("{name}: {value}\n"));
                }
                text.push_str(&format!("---\n{}", fields.body));
                taken(path.to_owned(), text.into_bytes().into(), is_deprecated)
            }
            // The concept of another program is a document, with its fields.
            None => {
                let name = if document_name(path).is_some() {
                    path.to_owned()
                } else {
                    format!("documents/okf/{path}")
                };
                match document_name(&name) {
                    Some(_) => taken(name, bytes.into(), is_deprecated),
                    None => What::Bad("its name cannot be that of a document".to_owned()),
                }
            }
        }
    };
    Taken { shown: path.to_owned(), what }
}

/// The frontmatter of a file: only fields of the outermost level are read.
struct Fields<'t> {
    lines: &'t str,
    body: &'t str,
}

impl<'t> Fields<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let text = text.strip_prefix(text::BOM).unwrap_or(text);
        let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
        let mut at = 0;
        for line in rest.split_inclusive('\n') {
            if line.trim_end() == "---" {
                return Some(Self { lines: &rest[..at], body: &rest[at + line.len()..] });
            }
            at += line.len();
        }
        None
    }

    /// Returns the rest of the line of a field.
    fn line(&self, name: &str) -> Option<&'t str> {
        let value = |line: &'t str| line.strip_prefix(name)?.strip_prefix(':').map(str::trim);
        self.lines.lines().find_map(value)
    }

    /// Returns a field that is one word or a few.
    fn word(&self, name: &str) -> Option<&'t str> {
        let value = self.line(name)?;
        let plain = |quote: char| value.strip_prefix(quote)?.split(quote).next();
        let value =
            plain('"').or_else(|| plain('\'')).unwrap_or_else(|| value.split(" #").next().unwrap_or(value));
        Some(value.trim()).filter(|value| !value.is_empty())
    }
}

fn is_markdown(path: &str) -> bool {
    path.rsplit('/').next().and_then(|file| file.rsplit_once('.')).is_some_and(|(_, end)| end == "md")
}

/// Returns whether the format keeps a name for itself.
fn is_reserved(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("index.md" | "log.md"))
}

/// Returns the first words of a text, on one line.
fn title(body: &str) -> String {
    let line = body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let plain: String = line.chars().filter(|c| !c.is_control() && !text::is_invisible(*c)).collect();
    let cut = text::cut(&plain, LONGEST_TITLE);
    if cut.len() < plain.len() { format!("{}…", cut.trim_end()) } else { plain }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)
}
