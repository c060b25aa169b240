//! The journals: what was read against the budget, and what was not, and why.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::page::{Page, Part, capital};
use super::parts::{count, fold, gauge, size, table};
use crate::base::name::DocName;
use crate::dreamer::{JournalReport, ReadReason};

pub(super) fn section(page: &Page<'_>) -> Part {
    let retold = if page.report.retold { retold(page) } else { Vec::new() };
    let all = if page.report.retold { &retold } else { &page.report.journals };
    let (read, others): (Vec<_>, Vec<_>) = all.iter().partition(|journal| journal.shown > 0);
    // Journals that wait or need a person come before finished ones.
    let (done, waiting): (Vec<_>, Vec<_>) = others.into_iter().partition(|journal| {
        matches!(journal.reason, ReadReason::AlreadyShown | ReadReason::OutsideWindow | ReadReason::Empty)
    });
    let shown = sum(read.iter().map(|journal| journal.shown));
    let body = html! {
        @if all.is_empty() { p.nothing { "There were none to read." } }
        @for (number, pass) in (1..).zip(page.passes()) {
            @let bytes = sum(pass.shown.iter().map(|slice| slice.to.saturating_sub(slice.from)));
            @let label = format!("Pass {number}");
            @match page.given.budget {
                Some(budget) => {
                    @let words = format!("{} of {}", size(bytes), size(budget));
                    (gauge(&label, bytes, budget, &words, false))
                }
                None => p.gauge { span { (label) } span.amount { (size(bytes)) } },
            }
        }
        @if !read.is_empty() { (rows(page, "Journals that were read", &read)) }
        @if page.report.retold { p.nothing { "Which others were not read, and what waited, was not kept." } }
        @if !waiting.is_empty() { h3 { "Not read" } (rows(page, "Journals that were not read", &waiting)) }
        @if !done.is_empty() {
            @let summary = format!("{} with nothing to read", count(done.len() as u64, "journal"));
            (fold(&summary, &rows(page, "Journals with nothing to read", &done)))
        }
    };
    let count = format!("{} read, {}", count(read.len() as u64, "journal"), size(shown));
    Part { title: "Journals", is_empty: false, count, body }
}

/// Returns the journals that a retold dream read, with their sizes as they are now, where they are known.
fn retold(page: &Page<'_>) -> Vec<JournalReport> {
    let mut all: BTreeMap<&DocName, u64> = BTreeMap::new();
    for slice in page.passes().iter().flat_map(|pass| &pass.shown) {
        *all.entry(&slice.name).or_default() += slice.to.saturating_sub(slice.from);
    }
    let of = |(name, shown): (&DocName, u64)| JournalReport {
        name: name.clone(),
        reason: ReadReason::Shown,
        size: page.given.journals.get(name).map_or(0, |bytes| bytes.len() as u64),
        shown,
        pending: 0,
    };
    all.into_iter().map(of).collect()
}

fn sum(bytes: impl Iterator<Item = u64>) -> u64 {
    bytes.fold(0, u64::saturating_add)
}

fn rows(page: &Page<'_>, label: &str, journals: &[&JournalReport]) -> Markup {
    let (first, rest) = journals.split_at(journals.len().min(MOST_ROWS));
    let rows = |journals: &[&JournalReport]| {
        table(
            label,
            &html! {
                thead { tr {
                    th scope="col" { "Journal" }
                    th.number scope="col" { "Size" }
                    th.number scope="col" { "Read" }
                    th.number scope="col" { "Waits" }
                    th scope="col" { "Why" }
                } }
                tbody {
                    @for journal in journals {
                        tr {
                            th scope="row" { code { (page.show(&journal.name)) } }
                            td.number { (amount(journal.size)) }
                            td.number { (amount(journal.shown)) }
                            td.number { (amount(journal.pending)) }
                            td { (capital(&journal.reason.to_string())) }
                        }
                    }
                }
            },
        )
    };
    html! {
        (rows(first))
        @if !rest.is_empty() { (fold(&count(rest.len() as u64, "more journal"), &rows(rest))) }
    }
}

const MOST_ROWS: usize = 40;

fn amount(bytes: u64) -> String {
    if bytes == 0 { "–".to_owned() } else { size(bytes) }
}
