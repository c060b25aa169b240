//! The lines of the answer beside the journal lines that they cite.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::marks::Words;
use super::page::{Page, Part, capital};
use super::parts::{count, fold};
use super::veil::Shown;
use crate::base::digest::Digest;
use crate::base::document::SourceRef;
use crate::dreamer::{LineOutcome, LineReport, PassReport};
use crate::format::replies::reply;

/// The most lines of a citation that are shown at once, and in all; the number of lines around it.
const MOST_LINES: u64 = 8;
const MOST_FOLDED: u64 = 400;
const AROUND: u64 = 1;

/// Makes the part with promoted lines.
pub(super) fn promoted(page: &Page<'_>) -> Part {
    let mut headings: Vec<(Option<&str>, Vec<Markup>)> = Vec::new();
    let mut number = 0_u64;
    for pass in page.passes() {
        for line in pass.lines.iter().filter(|line| matches!(line.fate, LineOutcome::Promoted { .. })) {
            number += 1;
            let row = row(page, pass, line, &html! {});
            let heading = line.heading.as_deref();
            match headings.iter_mut().find(|(known, _)| *known == heading) {
                Some((_, rows)) => rows.push(row),
                None => headings.push((heading, vec![row])),
            }
        }
    }
    // Those of a retold dream that stand nowhere any more.
    let gone = of_fate(page, "promoted").map_or(0, |all| all.saturating_sub(number));
    let is_empty = headings.is_empty() && gone == 0;
    let body = html! {
        @if is_empty { p.nothing { "Nothing." } }
        @if gone > 0 { p.nothing { (count(gone, "line")) " more, no longer in memory and not kept." } }
        @for (heading, rows) in headings {
            h3 { (page.show(heading.unwrap_or("Other"))) }
            ul.lines { @for row in rows { (row) } }
        }
    };
    let title = if page.is_written() { "Promoted" } else { "Would promote" };
    Part { title, is_empty, count: count(number + gone, "line"), body }
}

/// Returns the number of lines of a retold dream that had a fate.
fn of_fate(page: &Page<'_>, fate: &str) -> Option<u64> {
    let fates = page.kept_fates()?;
    Some(fates.iter().find(|(known, _)| *known == fate).map_or(0, |(_, lines)| *lines))
}

/// Makes the part with lines that were held back.
pub(super) fn held(page: &Page<'_>) -> Part {
    let mut held = Vec::new();
    let mut others: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for pass in page.passes() {
        for line in &pass.lines {
            match &line.fate {
                LineOutcome::Held(why) => {
                    let why = html! {
                        p.why {
                            (capital(&why.reason.to_string()))
                            @if let Some(word) = &why.word { ": " strong dir="auto" { (page.show(word)) } }
                        }
                    };
                    held.push(row(page, pass, line, &why));
                }
                LineOutcome::Promoted { .. } => {}
                fate => others.entry(fate.to_string()).or_default().push(&line.text),
            }
        }
    }
    let mut dropped: BTreeMap<&str, u64> = BTreeMap::new();
    for drop in page.passes().iter().flat_map(|pass| &pass.dropped) {
        *dropped.entry(drop.reason.description()).or_default() += u64::from(drop.count);
    }
    let stripped: Vec<&SourceRef> = page.passes().iter().flat_map(|pass| &pass.stripped).collect();
    // Of a retold dream the counts are known, and no words.
    let counted: Vec<(&str, u64)> = page.kept_fates().unwrap_or_default();
    let counted: Vec<String> = counted
        .iter()
        .filter(|(fate, _)| *fate != "promoted")
        .map(|(fate, lines)| format!("{} {}", count(*lines, "line"), fate.replace('_', " ")))
        .collect();
    let number = held.len() as u64 + of_fate(page, "held").unwrap_or(0);
    let is_retold = page.report.retold;
    let is_empty =
        !is_retold && held.is_empty() && others.is_empty() && dropped.is_empty() && stripped.is_empty();
    let body = html! {
        @if is_empty { p.nothing { "Nothing." } }
        @if is_retold {
            p.nothing {
                @if !counted.is_empty() { (counted.join(", ")) ": the words were not kept. " }
                "What was taken out of the answer or the journals was not kept."
            }
        }
        @if !held.is_empty() { ul.lines { @for row in held { (row) } } }
        @for (why, texts) in others {
            (fold(&format!("{}: {}", count(texts.len() as u64, "line"), why), &html! {
                ul { @for text in texts { li dir="auto" { (Shown::masked(&claim(page, text))) } } }
            }))
        }
        @if !dropped.is_empty() {
            @let what: Vec<String> = dropped.iter().map(|(what, times)| count(*times, what)).collect();
            p { "Taken out of the answer: " (what.join(", ")) "." }
        }
        @if !stripped.is_empty() {
            @let passages = count(stripped.len() as u64, "passage");
            (fold(&format!("{passages} that a machine had written into journals, shown to no model"), &html! {
                ul { @for source in &stripped { li { code { (page.show(source)) } } } }
            }))
        }
    };
    Part { title: "Held back", is_empty, count: count(number, "line"), body }
}

/// Returns a line, masked, without its citations, which are beside it.
fn claim(page: &Page<'_>, text: &str) -> String {
    page.veil.mask(&reply::split_citations(&page.veil.mask(text)).0)
}

/// Returns a line of the answer, why it is where it is, and its sources.
fn row(page: &Page<'_>, pass: &PassReport, line: &LineReport, why: &Markup) -> Markup {
    let claim = claim(page, &line.text);
    let words = Words::of(&claim);
    html! {
        li {
            div.claim {
                p dir="auto" { (Shown::masked(&claim)) }
                @if let Some(note) = page.notes.of_bullet(&line.text) { p.note { (Shown::masked(note.trim_start())) } }
                (why)
                @if matches!(line.fate, LineOutcome::Promoted { .. }) && line.sources.is_empty() { p.note { "Cites nothing." } }
            }
            div.sources {
                @for source in &line.sources { (quote(page, pass, source, &words)) }
            }
        }
    }
}

/// Returns the lines that a citation names, with those around them; the words of the claim are marked.
fn quote(page: &Page<'_>, pass: &PassReport, source: &SourceRef, words: &Words) -> Markup {
    let lines = page.journals.get(&source.name);
    let note = match lines {
        None if page.given.journals.is_empty() => None,
        None => Some("not there any more"),
        Some(_) if has_changed(page, pass, source) => Some("changed since the dream read it"),
        Some(_) => None,
    };
    let lines = lines.map(Vec::as_slice).unwrap_or_default();
    let cited = source.first_line..=source.last_line.min(source.first_line.saturating_add(MOST_FOLDED));
    let first = source.first_line.saturating_sub(AROUND).max(1);
    let last = cited.end().saturating_add(AROUND).min(lines.len() as u64);
    let line = |number: u64| {
        let text = usize::try_from(number - 1).ok().and_then(|at| lines.get(at)).map_or("", String::as_str);
        html! {
            @if cited.contains(&number) {
                li.cited value=(number) {
                    span dir="auto" {
                        @for (is_word, piece) in words.cut(text) {
                            @let piece = Shown::masked(piece);
                            @if is_word { mark { (piece) } } @else { (piece) }
                        }
                    }
                }
            } @else {
                li value=(number) { span dir="auto" { (Shown::masked(text)) } }
            }
        }
    };
    let split = last.min(source.first_line.saturating_add(MOST_LINES));
    html! {
        figure {
            figcaption { code { (page.show(source)) } @if let Some(note) = note { " " em { (note) } } }
            @if first <= split { ol.quote { @for number in first..=split { (line(number)) } } }
            @if split < last {
                (fold(&count(last - split, "more line"), &html! {
                    ol.quote { @for number in split + 1..=last { (line(number)) } }
                }))
            }
        }
    }
}

/// Returns whether the bytes that the model was shown, as the log of the dream has them, are others now.
fn has_changed(page: &Page<'_>, pass: &PassReport, source: &SourceRef) -> bool {
    let Some(bytes) = page.given.journals.get(&source.name) else { return false };
    let shown = page.given.log.iter().filter(|line| line.id == pass.dream_id).flat_map(|line| &line.sources);
    shown.filter(|shown| shown.name == source.name.as_str()).any(|shown| {
        let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        bytes.get(at(shown.from)..at(shown.to)).is_none_or(|bytes| Digest::of(bytes) != shown.sha256)
    })
}
