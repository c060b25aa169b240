//! The documents of a workspace: names, sizes, text, fences, secrets.

use super::examination::Examination;
use super::finding::FindingKind as Kind;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::base::sorted::SortedSet;
use crate::base::text;
use crate::file::is_of_life;
use crate::format::documents::copies::original_of;
use crate::format::documents::curated;
use crate::format::documents::unmerged::{conflict_at, conflict_in_journal};
use crate::format::state::log;
use crate::format::{DreamId, JournalName};
use crate::gate::Doors;
use crate::life::{PromptConfig, is_poor};
use crate::session::Folder;
use crate::workspace::{Reach, Workspace};

/// Looks at every document that no ignore file names.
pub(super) fn examine(
    workspace: &dyn Workspace,
    doors: &Doors,
    told: &mut Examination,
) -> Result<Vec<String>> {
    let mut read = Vec::new();
    let mut folders = vec![Folder::root()];
    while let Some(folder) = folders.pop() {
        let within = folder.name.as_ref().map(|name| format!("{name}/")).unwrap_or_default();
        let looked = match folder.look(workspace, &Reach::everything()) {
            Ok(looked) => looked,
            Err(Error::Refused { .. }) => {
                let place = folder.name.as_ref().map_or(".", |name| name.as_str());
                told.add(Kind::RefusedName, place, "put a plain folder in its place");
                continue;
            }
            // What lies beside it is looked at.
            Err(error @ Error::Io { .. }) => {
                let place = folder.name.as_ref().map_or(".", |name| name.as_str());
                told.add(Kind::Unreadable, place, format!("{error}: make it readable for this account"));
                continue;
            }
            Err(error) => return Err(error),
        };
        for refused in &looked.listing.refused {
            // What lies about in a project is nobody's memory.
            let is_below = folder.name.is_some() && is_of_life(&format!("{within}{refused}"));
            let is_ours = is_below || is_markdown(refused);
            if is_ours {
                let fix = "give it a plain name, or copy what a link leads to into the workspace";
                told.add(Kind::RefusedName, format!("{within}{refused}"), fix);
            }
        }
        for (one, other) in &looked.listing.collisions {
            let memories = [&DocName::MEMORY, &DocName::LEGACY_MEMORY];
            if memories.contains(&one) && memories.contains(&other) {
                let fix = "move what memory.md says into MEMORY.md, and remove memory.md";
                told.add(Kind::TwoMemories, "MEMORY.md and memory.md", fix);
            } else {
                told.add(Kind::NameCollision, format!("{one} and {other}"), "rename one of them");
            }
        }
        for name in &looked.listing.documents {
            if looked.left_out.contains(name) {
                continue;
            }
            told.health.documents += 1;
            told.health.journals += u64::from(JournalName::parse(name).is_some());
            if JournalName::is_meant_by(name) {
                told.add(Kind::UnknownJournal, name, "rename it to memory/YYYY-MM-DD-NAME.md");
            }
            if let Some(original) = original_of(name.as_str()) {
                let fix =
                    format!("merge it into {original}, as `noctuary merge-copies` does with all copies");
                told.add(Kind::ConflictCopy, name, fix);
            }
            if is_of_life(name.as_str()) || is_markdown(name.as_str()) {
                read.push(name.to_string());
                // A name of numbers alone is a date, or a place in a row.
                let has_words =
                    name.file_name().split('.').next().is_some_and(|stem| stem.contains(char::is_alphabetic));
                if has_words && is_poor(name) {
                    told.add(Kind::PoorName, name, "give it a name that says what it holds");
                }
                examine_document(workspace, name, doors, told)?;
            }
        }
        folders.extend(looked.folders.into_iter().rev());
    }
    Ok(read)
}

fn is_markdown(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".md", ".markdown", ".txt"].iter().any(|end| name.ends_with(end))
}

fn examine_document(
    workspace: &dyn Workspace,
    name: &DocName,
    doors: &Doors,
    told: &mut Examination,
) -> Result<()> {
    let document = match workspace.read(name) {
        Ok(Some(document)) => document,
        Ok(None) => return Ok(()),
        Err(Error::TooLarge { limit, .. }) => {
            let fix = format!("split it: a document of more than {} MiB is never read", limit >> 20);
            told.add(Kind::OversizeDocument, name, fix);
            return Ok(());
        }
        Err(Error::Refused { .. }) => {
            told.add(Kind::RefusedName, name, "put a plain file in its place");
            return Ok(());
        }
        Err(error @ Error::Io { .. }) => {
            told.add(Kind::Unreadable, name, format!("{error}: make it readable for this account"));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let own = is_of_life(name.as_str());
    if own && std::str::from_utf8(document.bytes()).is_err() {
        told.add(Kind::NotText, name, "save it as UTF-8");
    }
    let text = document.lossy();
    for found in doors.inspect(name, &text) {
        let place = format!("{name}:{}:{}", found.line, found.column);
        let fix = format!("take the {} out of the file, and replace it where it is in use", found.class);
        told.add(Kind::SecretAtRest, place, fix);
    }
    if !own {
        return Ok(());
    }
    for (line, fix) in open_fences(&text) {
        told.add(Kind::BrokenFence, format!("{name}:{line}"), fix);
    }
    let is_memory = *name == DocName::MEMORY || *name == DocName::LEGACY_MEMORY;
    // Either stops a dream.
    let conflict = match JournalName::parse(name) {
        Some(_) => conflict_in_journal(document.bytes()),
        None if is_memory => conflict_at(document.bytes()),
        None => None,
    };
    if let Some(line) = conflict {
        let fix = "keep what is true of the two versions, and remove the marks";
        told.add(Kind::ConflictMarks, format!("{name}:{line}"), fix);
    }
    if is_memory {
        for (line, fix) in torn_sections(&text, &known_dreams(workspace)) {
            told.add(Kind::BrokenFence, format!("{name}:{line}"), fix);
        }
    }
    let prompt = PromptConfig::default();
    let most = if is_memory {
        usize::try_from(prompt.memory_budget).unwrap_or(usize::MAX)
    } else {
        prompt.max_file_chars
    };
    // A journal reaches a dream piece by piece, however long it is.
    if name.folder().is_none() && text.chars().count() > most {
        let fix = if is_memory {
            format!("move what is old out of it: a prompt has {most} characters of it by default")
        } else {
            format!("shorten it: a prompt takes {most} characters of it by default")
        };
        told.add(Kind::OversizeDocument, name, fix);
    }
    Ok(())
}

/// Returns the lines on which a code fence or a comment begins that nothing ends.
fn open_fences(text: &str) -> Vec<(usize, &'static str)> {
    let mut fence: Option<(char, usize, usize)> = None;
    let mut comment = None;
    for (number, line) in (1..).zip(text.lines()) {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let line = line.trim_start_matches(text::BOM).trim();
        if let Some(from) = comment {
            comment = if line.contains("-->") { None } else { Some(from) };
            continue;
        }
        let mark = line.chars().next().filter(|mark| ['`', '~'].contains(mark) && indent < 4);
        let len = mark.map_or(0, |mark| line.chars().take_while(|c| *c == mark).count());
        match (fence, mark) {
            (Some((open, least, _)), Some(mark)) if open == mark && len >= least && line.len() == len => {
                fence = None;
            }
            (None, Some(mark)) if len >= 3 && !(mark == '`' && line[len..].contains('`')) => {
                fence = Some((mark, len, number));
            }
            (None, _) if line.starts_with("<!--") && !line.contains("-->") => comment = Some(number),
            _ => {}
        }
    }
    let fence = fence.map(|(_, _, line)| (line, "end the code fence that begins on this line"));
    let comment = comment.map(|line| (line, "end the comment that begins on this line"));
    fence.into_iter().chain(comment).collect()
}

/// Returns the dreams that the log knows: a mark of any other is a person's text.
fn known_dreams(workspace: &dyn Workspace) -> SortedSet<DreamId> {
    let log = workspace.read(&StateName::LOG).ok().flatten();
    let log = log.as_ref().map(Document::lossy).unwrap_or_default();
    log::of_curators(&log).map(|line| line.id).collect()
}

/// Returns the lines with a mark of a known dream's section whose other mark is missing.
fn torn_sections(text: &str, known: &SortedSet<DreamId>) -> Vec<(usize, &'static str)> {
    const END: &str = "restore the line that ends this dream's section, or take the section out";
    const START: &str = "take this line out: the section that it ends does not begin above it";
    let mut open: Option<(DreamId, usize)> = None;
    let mut torn = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if let Some(id) = curated::mark(line).filter(|id| known.contains(id)) {
            // A dream that was interrupted wrote its section again, under the same mark.
            if let Some((_, from)) = open.take().filter(|(before, _)| *before != id) {
                torn.push((from, END));
            }
            open = Some((id, number));
        } else if let Some(id) = end_mark(line).filter(|id| known.contains(id)) {
            match open.take() {
                Some((begun, _)) if begun == id => {}
                begun => {
                    torn.extend(begun.map(|(_, from)| (from, END)));
                    torn.push((number, START));
                }
            }
        }
    }
    torn.extend(open.map(|(_, from)| (from, END)));
    torn
}

/// Returns the dream whose section a line ends.
fn end_mark(line: &str) -> Option<DreamId> {
    let id = line.strip_prefix("<!-- /dream:v1 id=")?.strip_suffix("-->")?.trim();
    DreamId::parse(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_fence_is_told_by_its_first_line() {
        let lines = |text: &str| open_fences(text).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(lines("a\n```rust\nlet x;\n```\nb\n"), Vec::<usize>::new());
        assert_eq!(lines("a\n```rust\nlet x;\n"), [2]);
        assert_eq!(lines("~~~\n```\n~~~\n"), Vec::<usize>::new());
        assert_eq!(lines("````\n```\n````\n"), Vec::<usize>::new());
        assert_eq!(lines("see ```x``` there\n```a `b`\n"), Vec::<usize>::new());
        assert_eq!(lines("x\n<!-- a note\nand more\n"), [2]);
        assert_eq!(lines("<!-- a note\nand more -->\n```\n"), [3]);
    }

    #[test]
    fn a_torn_section_is_told_by_the_mark_that_is_left() {
        let begin = "<!-- dream:v1 id=0123456789abcdef src=1 sha256=00 -->\n";
        let end = "<!-- /dream:v1 id=0123456789abcdef -->\n";
        let known = ["0123456789abcdef"].into_iter().filter_map(DreamId::parse).collect();
        let lines =
            |text: String| torn_sections(&text, &known).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(lines(format!("{begin}- a\n{end}")), Vec::<usize>::new());
        assert_eq!(lines(format!("{begin}- a\n")), [1]);
        assert_eq!(lines(format!("- a\n{end}")), [2]);
        assert_eq!(lines(format!("{begin}- a\n{begin}- a\n{end}")), Vec::<usize>::new());
        let unknown = |text: &str| text.replace("0123456789abcdef", "aaaaaaaaaaaaaaaa");
        assert_eq!(lines(unknown(begin)), Vec::<usize>::new(), "no dream that the log knows");
        assert_eq!(lines(format!("{begin}- a\n{}{end}", unknown(end))), Vec::<usize>::new());
    }
}
