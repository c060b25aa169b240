//! A compiled page, in its parts and as markdown.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};

use super::line::{Citation, PageLine};
use super::source::{PageConstraint, PageMethod};
use crate::base::debug::debug_as;
use crate::base::text::counted;
use crate::edges::Neighbor;
use crate::facts::SuspectReason;

/// All that is known of one entity, on one page. The same memory gives the same bytes.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct CompiledPage {
    /// The entity, as the latest text writes it.
    pub title: String,
    /// The kinds under which it is known, in order.
    pub kinds: Vec<String>,
    /// The number of texts that speak of it, and whether there are more.
    pub texts: u64,
    /// Whether only the latest texts were read.
    pub is_cut: bool,
    /// Facts and preferences that hold now, the latest first.
    pub facts: Vec<PageLine>,
    /// Methods that graduated.
    pub methods: Vec<PageMethod>,
    /// Constraints in force; empty where they were left out.
    pub constraints: Vec<PageConstraint>,
    /// All other statements, the latest first.
    pub timeline: Vec<PageLine>,
    /// Pairs of rows that may contradict each other, and that nobody decided on.
    pub contradictions: Vec<Contradiction>,
    /// The entities beside it.
    pub neighbors: Vec<Neighbor>,
}

/// Two claims that may contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contradiction {
    /// The one that was there.
    pub older: PageLine,
    /// The one that came.
    pub newer: PageLine,
    /// Why.
    pub reason: SuspectReason,
}

impl CompiledPage {
    /// Returns whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let claims = [&self.facts, &self.timeline];
        claims.iter().all(|claims| claims.is_empty())
            && self.methods.is_empty()
            && self.constraints.is_empty()
            && self.contradictions.is_empty()
    }

    /// Returns every source that the page quotes.
    pub fn citations(&self) -> impl Iterator<Item = &Citation> {
        let pairs = self.contradictions.iter().flat_map(|pair| [&pair.older, &pair.newer]);
        self.facts.iter().chain(&self.timeline).chain(pairs).map(|claim| &claim.citation)
    }

    /// Returns the page as markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut page = format!("# {}\n", self.title);
        if self.is_empty() {
            page.push_str("\nNothing is known of it.\n");
            return page;
        }
        let latest = if self.is_cut { "the latest " } else { "" };
        if self.texts > 0 {
            let _ = writeln!(page, "\n{}: {latest}{}.", self.kinds.join(", "), counted(self.texts, "text"));
        }
        if !(self.facts.is_empty() && self.methods.is_empty() && self.constraints.is_empty()) {
            page.push_str("\n## Compiled truth\n");
        }
        section(&mut page, "\n### Constraints\n\n", &self.constraints, |rule| {
            let day = day(rule.approved_at);
            format!("- {} (approved by {} on {day})", rule.text, rule.approved_by)
        });
        section(&mut page, "\n### Facts\n\n", &self.facts, |claim| {
            format!("- {}{} {}", claim.text, about(claim, true), cited(claim))
        });
        section(&mut page, "\n### Methods\n\n", &self.methods, |method| {
            format!("- {} ({:.2} after {})", method.name, method.confidence, counted(method.uses, "use"))
        });
        section(&mut page, "\n## Timeline\n\n", &self.timeline, |claim| {
            let at = claim.at.map(|at| format!("{} ", day(at))).unwrap_or_default();
            format!("- {at}{}: {}{} {}", claim.kind, claim.text, about(claim, false), cited(claim))
        });
        section(&mut page, "\n## Open contradictions\n\n", &self.contradictions, |pair| {
            let Contradiction { older, newer, reason } = pair;
            let why = match reason {
                SuspectReason::SameKey => "both state the same property",
                _ => "both share most of their words",
            };
            format!("- {} {} against {} {}: {why}", older.text, cited(older), newer.text, cited(newer))
        });
        section(&mut page, "\n## Neighbours\n\n", &self.neighbors, |near| {
            format!("- {} ({}), {}", near.entity.key, near.entity.kind, counted(near.texts, "text"))
        });
        page
    }
}

debug_as!(CompiledPage, |it| "CompiledPage {{ texts: {}, facts: {} }}", it.texts, it.facts.len());

fn section<T>(page: &mut String, heading: &str, entries: &[T], line: impl Fn(&T) -> String) {
    if entries.is_empty() {
        return;
    }
    page.push_str(heading);
    for entry in entries {
        page.push_str(&line(entry));
        page.push('\n');
    }
}

/// Returns the time since which a claim holds, and the note on it.
fn about(claim: &PageLine, since: bool) -> String {
    let since = claim.at.filter(|_| since).map(|at| format!("since {}", day(at)));
    let notes: Vec<String> = since.into_iter().chain(claim.notes.iter().cloned()).collect();
    if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) }
}

fn cited(claim: &PageLine) -> String {
    let lines: String = claim.lines.iter().map(|line| format!("; {line}")).collect();
    format!("[{}{lines}]", claim.citation)
}

fn day(at: DateTime<Utc>) -> impl std::fmt::Display {
    at.format("%Y-%m-%d")
}
