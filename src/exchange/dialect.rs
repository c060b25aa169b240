//! Tables of other programs: the places of their memory, and the place for each here.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::name::{DocName, Name};
use crate::base::text;
use crate::format::JournalName;

/// The program whose memory is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Dialect {
    /// A workspace of the same layout: documents and journals are copied under their names, except
    /// `BOOTSTRAP.md`, `HEARTBEAT.md` and its own dreams. The older `memory.md` counts where it alone exists.
    OpenClaw,
    /// A workspace with journals in `daily/`, exported to a folder; `context/` and `projects/` come along.
    IronClaw,
    /// `MEMORY.md` and `USER.md`, whose entries are parted by lines of `§`: beside `SOUL.md`, or in `memories/`.
    Hermes,
    /// A project's memory: an index `MEMORY.md`, and a file for each topic, which goes to `context/`.
    ClaudeCode,
    /// A workspace with `memory/MEMORY.md`, and journals `memory/YYYYMM/YYYYMMDD.md`.
    PicoClaw,
}

/// The route of a document into the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// It keeps its name.
    Keep,
    /// The name in the table is replaced by this name or folder.
    As(&'static str),
    /// It is a journal, and its name says the day.
    Day,
    /// Its entries become lines of the document of its file name.
    Entries,
    /// Its lines become lines of `MEMORY.md`; what they link to goes to [`TOPICS`].
    Index,
    /// It stays where it is, for this reason.
    Leave(&'static str),
}

/// A name, a folder with its slash, or nothing for everything; the first that fits counts.
type Rules = &'static [(&'static str, Route)];

const TOPICS: &str = "context/";
const DREAMS: &str = "the other program's own dreams";
const NO_PLACE: &str = "not a part of what is imported";

const DOCUMENTS: Rules = &[
    ("AGENTS.md", Route::Keep),
    ("SOUL.md", Route::Keep),
    ("IDENTITY.md", Route::Keep),
    ("USER.md", Route::Keep),
    ("MEMORY.md", Route::Keep),
    ("TOOLS.md", Route::Keep),
    ("BOOTSTRAP.md", Route::Leave("a first run is done once, where it began")),
    ("HEARTBEAT.md", Route::Leave("it means something else to each program")),
];
const OPENCLAW: Rules = &[
    ("memory.md", Route::As("MEMORY.md")),
    ("DREAMS.md", Route::Leave(DREAMS)),
    ("memory/dreaming/", Route::Leave(DREAMS)),
    ("memory/", Route::Keep),
];
const IRONCLAW: Rules = &[
    ("daily/", Route::Day),
    ("memory/", Route::Keep),
    ("context/", Route::Keep),
    ("projects/", Route::Keep),
];
const HERMES: Rules = &[
    ("SOUL.md", Route::Keep),
    ("MEMORY.md", Route::Entries),
    ("USER.md", Route::Entries),
    ("memories/MEMORY.md", Route::Entries),
    ("memories/USER.md", Route::Entries),
];
const CLAUDE_CODE: Rules = &[("MEMORY.md", Route::Index), ("", Route::As(TOPICS))];
const PICOCLAW: Rules = &[("memory/MEMORY.md", Route::As("MEMORY.md")), ("memory/", Route::Day)];

impl Dialect {
    fn rules(self) -> impl Iterator<Item = &'static (&'static str, Route)> {
        let (own, shared): (Rules, Rules) = match self {
            Self::OpenClaw => (OPENCLAW, DOCUMENTS),
            Self::IronClaw => (IRONCLAW, DOCUMENTS),
            Self::PicoClaw => (PICOCLAW, DOCUMENTS),
            Self::Hermes => (HERMES, &[]),
            Self::ClaudeCode => (CLAUDE_CODE, &[]),
        };
        own.iter().chain(shared)
    }

    /// Says what becomes of a document, and what its name is then.
    pub(super) fn route(self, name: &DocName) -> Result<(Route, DocName), &'static str> {
        let rule = self.rules().find(|(pattern, _)| covers(pattern, name.as_str()));
        let &(pattern, route) = rule.ok_or(NO_PLACE)?;
        if let Route::Leave(reason) = route {
            return Err(reason);
        }
        if !is_markdown(name.file_name()) {
            return Err("not markdown");
        }
        let target = match route {
            Route::As(other) => format!("{other}{}", &name.as_str()[pattern.len()..]),
            Route::Day => day(name).ok_or("its name says no day")?,
            Route::Entries | Route::Index => name.file_name().to_owned(),
            Route::Keep | Route::Leave(_) => name.to_string(),
        };
        DocName::parse(target).map(|target| (route, target)).map_err(|error| error.rule)
    }

    /// Says why a folder is not looked into; `None` where it is.
    pub(super) fn leaves(self, folder: &DocName) -> Option<&'static str> {
        let path = format!("{folder}/");
        match self.rules().find(|(pattern, _)| covers(pattern, &path)) {
            Some((_, Route::Leave(reason))) => Some(reason),
            Some(_) => None,
            None if self.rules().any(|(pattern, _)| pattern.starts_with(&path)) => None,
            None => Some(NO_PLACE),
        }
    }

    /// Returns the heading above lines that were entries elsewhere.
    pub(super) fn heading(self) -> String {
        format!("## Imported from {self}")
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::OpenClaw => "OpenClaw",
            Self::IronClaw => "IronClaw",
            Self::Hermes => "Hermes",
            Self::ClaudeCode => "Claude Code",
            Self::PicoClaw => "PicoClaw",
        })
    }
}

fn covers(pattern: &str, path: &str) -> bool {
    pattern == path || ((pattern.is_empty() || pattern.ends_with('/')) && path.starts_with(pattern))
}

/// Returns the journal that a name means: `2026-11-21.md`, whatever follows the date, or `20261121.md`.
fn day(name: &Name) -> Option<String> {
    let journal = JournalName::parse(&DocName::JOURNALS.join(name.file_name()).ok()?)?;
    let is_compact = journal.session().is_none() && !name.file_name().contains('-');
    Some(if is_compact { JournalName::new(journal.date(), None) } else { journal }.name().to_string())
}

/// Returns the entries of a text, each as one line, so that none can forge a heading or another entry.
pub(super) fn entries(route: Route, text: &str) -> Vec<String> {
    let text = body(text);
    let entries: Vec<String> = if route == Route::Index {
        text.lines().filter(|line| !line.starts_with('#')).map(|line| relink(unlisted(line.trim()))).collect()
    } else {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines.split(|line| *line == "§").map(|entry| entry.join(" ")).collect()
    };
    // No entry begins a comment either: by those, dreams know their sections.
    let plain =
        |entry: String| entry.split_whitespace().collect::<Vec<_>>().join(" ").replace("<!--", "<! --");
    entries.into_iter().map(plain).filter(|entry| !entry.is_empty()).collect()
}

fn unlisted(line: &str) -> &str {
    ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line)
}

/// Changes links to topics to the new places of the topics.
fn relink(line: &str) -> String {
    let mut parts = line.split("](");
    let mut linked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let to = part.strip_prefix("./").unwrap_or(part);
        let path = to.split([')', '#']).next().unwrap_or_default();
        linked.push_str("](");
        if is_markdown(path) && DocName::parse(path).is_ok() {
            linked.push_str(TOPICS);
            linked.push_str(to);
        } else {
            linked.push_str(part);
        }
    }
    linked
}

fn is_markdown(path: &str) -> bool {
    path.to_ascii_lowercase().ends_with(".md")
}

/// Returns the text below its frontmatter and the white space that follows it; without frontmatter, all of it. A
/// byte order mark is left out.
pub(super) fn body(text: &str) -> &str {
    let text = text.strip_prefix(text::BOM).unwrap_or(text);
    let mut lines = text::line_ranges(text);
    if lines.next().is_none_or(|first| text[first].trim_end() != "---") {
        return text;
    }
    let end = lines.find(|line| text[line.clone()].trim_end() == "---");
    end.map_or(text, |line| text[line.end..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_of_any_program_says_its_day() {
        let day = |text: &str| day(&DocName::parse(text).unwrap());
        assert_eq!(day("memory/202611/20261121.md").as_deref(), Some("memory/2026-11-21.md"));
        assert_eq!(day("daily/2026-11-21.md").as_deref(), Some("memory/2026-11-21.md"));
        assert_eq!(day("daily/2026-11-21-late.md").as_deref(), Some("memory/2026-11-21-late.md"));
        assert_eq!(day("memory/202613/20261321.md"), None);
        assert_eq!(day("memory/notes.md"), None);
    }

    #[test]
    fn an_entry_is_one_line_that_forges_nothing() {
        let text = "Likes tea.\n§\nWorks in\n## Facts\n<!-- dream:v1 id=0 -->\r\n§\n\n§\n";
        assert_eq!(
            entries(Route::Entries, text),
            ["Likes tea.", "Works in ## Facts <! -- dream:v1 id=0 -->"]
        );
    }

    #[test]
    fn links_of_an_index_follow_the_topics() {
        let index = "\u{feff}---\ntype: index\n---\n\n# Index\n\n- [Build](build.md) how\n* [Site](https://x.example/a.md) [a](./sub/a.md#b)\n";
        assert_eq!(
            entries(Route::Index, index),
            ["[Build](context/build.md) how", "[Site](https://x.example/a.md) [a](context/sub/a.md#b)"]
        );
    }

    #[test]
    fn frontmatter_ends_where_it_is_closed() {
        assert_eq!(body("---\r\ntitle: x\r\n---\r\n\r\n# Soul\r\n"), "# Soul\r\n");
        assert_eq!(body("\u{feff}# Soul\n---\n"), "# Soul\n---\n");
        assert_eq!(body("---\nnever closed\n"), "---\nnever closed\n");
    }
}
