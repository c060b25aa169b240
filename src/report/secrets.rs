//! Masked secrets and quarantined journals: classes and places, and the way out.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::page::{Page, Part};
use super::parts::{count, fold};
use super::veil::Shown;
use crate::dreamer::{Blamed, Charge};
use crate::format::{Quarantine, QuarantineEntry};

pub(super) fn section(page: &Page<'_>) -> Part {
    let masked = sum(page.passes().iter().flat_map(|pass| &pass.masked));
    let warned = sum(page.passes().iter().flat_map(|pass| &pass.warned));
    let blamed: Vec<&Blamed> = page.passes().iter().flat_map(|pass| &pass.quarantined).collect();
    let standing = page.given.quarantine.as_ref().map_or(&[][..], Quarantine::entries);
    let charges = |charges: &BTreeMap<&str, u64>| {
        html! {
            ul.charges {
                @for (class, times) in charges { li { code { (page.show(class)) } " × " (times) } }
            }
        }
    };
    let is_empty = !page.report.retold
        && masked.is_empty()
        && warned.is_empty()
        && blamed.is_empty()
        && standing.is_empty();
    let body = html! {
        @if page.report.retold {
            p.nothing { "What was masked for the model, and what was found besides, was not kept." }
        } @else if is_empty {
            p.nothing {
                "None was found" @if page.given.quarantine.is_some() { ", and no journal is in quarantine" } "."
            }
        }
        @if !masked.is_empty() { p { "Masked before anybody was asked:" } (charges(&masked)) }
        @if !warned.is_empty() { p { "Found besides, in request or answer:" } (charges(&warned)) }
        @if !blamed.is_empty() {
            h3 { "Quarantined by this dream" }
            p { "The answer held a secret, so nothing of it was kept. It stands in these journals, which no model \
                reads until they are released." }
            @for blamed in &blamed { (quarantined(page, blamed)) }
        }
        @if !standing.is_empty() {
            h3 { "In quarantine now" }
            ul { @for entry in standing { (entered(page, entry)) } }
        }
        @if !blamed.is_empty() || !standing.is_empty() { (release(page, &blamed, standing)) }
    };
    let journals: BTreeSet<&str> = blamed
        .iter()
        .flat_map(|blamed| blamed.journals.iter().map(|journal| journal.file_name()))
        .chain(standing.iter().flat_map(|entry| entry.log_filenames.iter().map(|name| file_name(name))))
        .collect();
    let quarantined = match journals.len() {
        0 => String::new(),
        number => format!("{} in quarantine", count(number as u64, "journal")),
    };
    Part { title: "Secrets", is_empty, count: quarantined, body }
}

fn file_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn sum<'c>(charges: impl Iterator<Item = &'c Charge>) -> BTreeMap<&'c str, u64> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for charge in charges {
        *sums.entry(&charge.class).or_default() += u64::from(charge.count);
    }
    sums
}

/// Returns a class of secrets in the answer, and where it is in journals.
fn quarantined(page: &Page<'_>, blamed: &Blamed) -> Markup {
    let findings = html! {
        ul {
            @for finding in &blamed.findings {
                li {
                    code { (page.show(&format!("{}:{}:{}", finding.name, finding.line, finding.column))) }
                    " " code { (page.show(&finding.preview)) }
                    (line(page, finding.name.as_str(), finding.line))
                }
            }
        }
    };
    let places = html! {
        ul {
            @for place in &blamed.places {
                li { code { (page.show(place)) } (line(page, place.name.as_str(), place.first_line)) }
            }
        }
    };
    html! {
        h4 { code { (page.show(&blamed.pattern)) } }
        @if blamed.findings.is_empty() && blamed.places.is_empty() {
            p { "No journal of the batch contains it as it stands in the answer, so all of them are blamed:" }
            ul { @for journal in &blamed.journals { li { code { (page.show(journal)) } } } }
        } @else if blamed.findings.len() > MOST_FINDINGS {
            (fold(&count(blamed.findings.len() as u64, "place"), &findings))
        } @else if blamed.findings.is_empty() { (places) } @else { (findings) }
    }
}

const MOST_FINDINGS: usize = 10;

/// Returns a journal line, masked.
fn line(page: &Page<'_>, name: &str, number: u64) -> Markup {
    let journal = page.journals.iter().find(|(known, _)| known.as_str() == name).map(|(_, lines)| lines);
    let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let line = journal.zip(at).and_then(|(lines, at)| lines.get(at));
    html! {
        @if let Some(line) = line {
            ol.quote { li.cited value=(number) { span dir="auto" { (Shown::masked(line)) } } }
        }
    }
}

fn entered(page: &Page<'_>, entry: &QuarantineEntry) -> Markup {
    html! {
        li {
            code { (page.show(&entry.pattern)) }
            @if let Some(at) = entry.quarantined_at { ", since " (page.time(at)) }
            ": "
            @for (at, name) in entry.log_filenames.iter().enumerate() {
                @if at > 0 { ", " }
                code { (page.show(name)) }
            }
        }
    }
}

fn release(page: &Page<'_>, blamed: &[&Blamed], standing: &[QuarantineEntry]) -> Markup {
    let first = blamed.iter().flat_map(|blamed| &blamed.journals).map(ToString::to_string).next();
    let first = first.or_else(|| {
        let name = standing.iter().flat_map(|entry| &entry.log_filenames).next()?;
        Some(if name.contains('/') { name.clone() } else { format!("memory/{name}") })
    });
    html! {
        h3 { "To release a journal" }
        ol {
            li { "Take the secret out of the journal, or let its value or its class pass by " code { "Allow" } "; and \
                change the secret where it is used, for it has been written down." }
            li {
                "Delete the entry of " code { ".dreamed-quarantine.json" } ", or call"
                pre tabindex="0" { code {
                    "dreamer.release(&DocName::parse(\"" (page.show(&first.unwrap_or_default())) "\")?)?;"
                } }
            }
            li { "The next dream reads it." }
        }
    }
}
