//! The change of `MEMORY.md`, and the way to undo it.

use maud::{Markup, html};

use super::page::{Page, Part};
use super::parts::{count, fold, gauge, grouped};
use super::veil::Shown;
use crate::dreamer::PassReport;
use crate::format::documents::curated;

/// The most earlier lines that are shown above an addition, and the most added lines at once.
const ABOVE: usize = 3;
const MOST_ADDED: usize = 60;

/// The state of a section in `MEMORY.md` now.
enum Whereabouts {
    /// Nothing is known of `MEMORY.md`.
    Unknown,
    /// As it was appended, from this line of the file on, from 0.
    AsAppended(usize),
    /// A person edited it.
    Edited,
    /// It is not there.
    Missing,
}

pub(super) fn section(page: &Page<'_>) -> Part {
    let raw = page.given.memory.as_deref().unwrap_or_default();
    let masked: Vec<String> = page.mask_memory(raw).lines().map(str::to_owned).collect();
    let mut added = 0;
    let mut parts = Vec::new();
    // Where it would be added: at the end, after the passes before it.
    let mut end = masked.clone();
    for pass in page.passes() {
        let Some(section) = &pass.section else {
            if page.report.retold {
                let where_now = match standing(page, pass, "") {
                    Whereabouts::Edited => "Somebody has edited this section since",
                    Whereabouts::Missing => "This section is no longer in MEMORY.md",
                    Whereabouts::Unknown | Whereabouts::AsAppended(_) => "It appended a section",
                };
                parts.push(html! { p.note { (where_now) "; what was appended was not kept." } });
            }
            continue;
        };
        let lines: Vec<String> = page.mask_memory(section).lines().map(str::to_owned).collect();
        added += lines.len();
        if page.is_written() {
            parts.push(of_pass(page, pass, section, &lines, &masked));
        } else {
            parts.push(diff(&end[end.len().saturating_sub(ABOVE)..], &lines, end.len()));
            end.extend(lines);
        }
    }
    let body = html! {
        @if let Some(memory) = page.report.memory {
            @let words = format!("{} of {} characters", grouped(memory.chars), grouped(memory.budget));
            (gauge("MEMORY.md", memory.chars, memory.budget, &words, true))
        }
        @if parts.is_empty() { p.nothing { "Unchanged." } }
        @for part in parts { (part) }
    };
    let count = if added == 0 { String::new() } else { format!("+{}", count(added as u64, "line")) };
    Part { title: "MEMORY.md", is_empty: false, count, body }
}

fn of_pass(page: &Page<'_>, pass: &PassReport, section: &str, lines: &[String], masked: &[String]) -> Markup {
    let standing = standing(page, pass, section);
    let (above, from) = match standing {
        Whereabouts::AsAppended(line) => {
            (&masked[line.saturating_sub(ABOVE).min(masked.len())..line.min(masked.len())], line)
        }
        _ => (&[][..], 0),
    };
    html! {
        h3 { "Dream " code { (page.show(&pass.dream_id)) } }
        @match standing {
            Whereabouts::Edited => p.note { "Somebody has edited this section since; here is what was appended." },
            Whereabouts::Missing => p.note { "This section is no longer in MEMORY.md; here is what was appended." },
            Whereabouts::AsAppended(_) | Whereabouts::Unknown => {}
        }
        (diff(above, lines, from))
        @if !matches!(standing, Whereabouts::Missing) { (undo(page, pass)) }
    }
}

fn standing(page: &Page<'_>, pass: &PassReport, section: &str) -> Whereabouts {
    let Some(memory) = page.given.memory.as_deref() else { return Whereabouts::Unknown };
    match memory.find(section).filter(|_| !section.is_empty()) {
        Some(at) => Whereabouts::AsAppended(memory[..at].matches('\n').count()),
        None if curated::has_mark(memory.as_bytes(), &pass.dream_id) => Whereabouts::Edited,
        None => Whereabouts::Missing,
    }
}

/// Prints the added lines, below the lines that were there before.
fn diff(above: &[String], added: &[String], from: usize) -> Markup {
    let (shown, rest) = added.split_at(added.len().min(MOST_ADDED));
    let rows = |lines: &[String], start: usize| {
        html! {
            ol.diff {
                @for (number, line) in (start + 1..).zip(lines) {
                    li.added value=(number) { ins dir="auto" { (Shown::masked(line)) } }
                }
            }
        }
    };
    html! {
        @if !above.is_empty() {
            ol.diff {
                @for (number, line) in (from - above.len() + 1..).zip(above) {
                    li value=(number) { span dir="auto" { (Shown::masked(line)) } }
                }
            }
        }
        (rows(shown, from))
        @if !rest.is_empty() {
            (fold(&count(rest.len() as u64, "more line"), &rows(rest, from + shown.len())))
        }
    }
}

fn undo(page: &Page<'_>, pass: &PassReport) -> Markup {
    html! {
        (fold("Undo this dream", &html! {
            p { "Section, rows and what counts as read go back together; it can be redone:" }
            pre tabindex="0" { code {
                "let id = DreamId::parse(\"" (page.show(&pass.dream_id)) "\").expect(\"an id\");\n"
                "dreamer.undo_dream(&access, &id, now)?;"
            } }
            p { "To drop single lines, delete them from MEMORY.md: what a person took out is not promoted again." }
        }))
    }
}
