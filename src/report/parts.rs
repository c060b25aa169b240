//! Small parts that every section of the page is made of.

use maud::{Markup, html};

pub(super) use crate::base::text::{counted as count, grouped};

/// Returns a section under its heading, which links lead to. Neighbours that say only that they are empty share a line.
pub(super) fn section(id: &str, title: &str, count: &str, body: &Markup) -> Markup {
    let heading = format!("{id}-heading");
    let is_empty =
        body.0.starts_with("<p class=\"nothing\">") && body.0.find("</p>") == Some(body.0.len() - 4);
    html! {
        section.empty[is_empty] id=(id) aria-labelledby=(heading) {
            h2 id=(heading) { (title) @if !count.is_empty() { " " span.count { (count) } } }
            (body)
        }
    }
}

/// Makes a fold around a long text, which a reader can open.
pub(super) fn fold(summary: &str, body: &Markup) -> Markup {
    html! { details { summary { (summary) } (body) } }
}

/// Returns a table that may be wider than a small screen: it scrolls by itself, also by keys.
pub(super) fn table(label: &str, body: &Markup) -> Markup {
    html! { div.scroll role="region" aria-label=(label) tabindex="0" { table { (body) } } }
}

/// Makes a bar with words for a fill level; a full bar is bad if it is a limit.
pub(super) fn gauge(label: &str, value: u64, most: u64, words: &str, is_limit: bool) -> Markup {
    let is_over = is_limit && value > most;
    // A bar over its end is full, and one of nothing is empty.
    let (value, most) = (value.min(most.max(1)), most.max(1));
    html! {
        p.gauge.over[is_over] {
            span { (label) }
            @if is_limit {
                meter min="0" low=(most / 4 * 3) high=(most - 1) optimum="0" max=(most) value=(value) aria-label=(label) {
                    (words)
                }
            } @else {
                meter min="0" max=(most) value=(value) aria-label=(label) { (words) }
            }
            span.amount { (words) }
        }
    }
}

/// Returns a list of terms, those without a value left out.
pub(super) fn facts(facts: &[(&str, Option<Markup>)]) -> Markup {
    html! {
        dl.facts {
            @for (term, value) in facts {
                @if let Some(value) = value { div { dt { (term) } dd { (value) } } }
            }
        }
    }
}

pub(super) fn size(bytes: u64) -> String {
    let tenths = |unit: u64| {
        let tenths = u128::from(bytes) * 10 / u128::from(unit);
        format!("{}.{}", tenths / 10, tenths % 10)
    };
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", tenths(1024)),
        _ => format!("{} MiB", tenths(1_048_576)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_as_a_person_reads_them() {
        let told = [size(0), size(1023), size(1536), size(256 << 10), size(3 << 20), size(u64::MAX)];
        assert_eq!(told[..5], ["0 B", "1023 B", "1.5 KiB", "256.0 KiB", "3.0 MiB"]);
        assert_eq!(
            [count(1_u64, "pass"), count(2_u64, "pass"), count(1200_u64, "line")],
            ["1 pass", "2 passes", "1,200 lines"]
        );
        assert_eq!([grouped(0), grouped(999), grouped(1_000_000)], ["0", "999", "1,000,000"]);
    }
}
