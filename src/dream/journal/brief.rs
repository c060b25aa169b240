//! The briefing of a night: one page on what is going on now, beside the lines that are promoted.
//!
//! Its bullets are judged as those of the section are, and each must cite its lines. An answer without any gives a page of
//! what it promotes. The page is written after the commit: a crash in between leaves the page of the night before.

use super::curation::{Curation, Material};
use super::screen::{instructs, without_forgotten};
use super::select::Order;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::dream::engine::{self, Item, Pass, Run, Sanitised, SectionCaps};
use crate::dream::evidence::{Evidence, Judge, Rules, Verdict, told};
use crate::dreamer::{DreamMode, Hold, HoldReason, LineOutcome, LineReport, Notice};
use crate::format::documents::briefing;
use crate::format::replies::reply::split_citations;
use crate::gate::is_struck;
use crate::workspace::Workspace;

/// The heading of the briefing in an answer.
pub(super) const HEADING: &str = "Briefing";

/// Parts an answer into the section and what is below the heading of the briefing.
pub(super) fn split(answer: &str) -> (String, String) {
    let (mut section, mut page) = (String::with_capacity(answer.len()), String::new());
    let mut is_page = false;
    for line in answer.split_inclusive('\n') {
        if let Some(title) = line.trim_start().strip_prefix('#') {
            is_page = title.trim_matches(['#', ' ', '*', ':', '\n', '\r']).eq_ignore_ascii_case(HEADING);
            if is_page {
                continue;
            }
        }
        if is_page { &mut page } else { &mut section }.push_str(line);
    }
    (section, page)
}

/// Returns the bounds of a page.
pub(super) fn caps() -> SectionCaps {
    SectionCaps::new(12, 300, 2 << 10)
}

impl Curation {
    /// Returns whether this pass makes a page: the pass over the newest journals does.
    pub(super) fn briefs(&self) -> bool {
        self.dreamer.config.briefing
            && self.order == Order::Newest
            && self.dreamer.config.mode != DreamMode::Propose
    }

    /// Makes the page of a pass: of the bullets of the answer that hold, else of those that are promoted. Lines that
    /// were held are reported under the heading `Briefing`.
    pub(super) fn page(&self, run: &Run, pass: &mut Pass<Material>, page: &Sanitised, kept: &[Item]) {
        let rules = Rules { evidence: Evidence::Required, ..self.dreamer.config.rules() };
        let Pass { report, material } = pass;
        let judge = Judge::new(rules, &material.shown);
        let mut bullets = Vec::new();
        for (item, forgotten) in page
            .items
            .iter()
            .zip(without_forgotten(run, page.items.iter()).into_iter().chain(std::iter::repeat(None)))
        {
            let (claim, citations) = split_citations(&item.text);
            let Verdict { sources, hold, teller, .. } = judge.judge(None, &claim, &citations);
            let nested = item.is_nested.then_some(Hold { reason: HoldReason::Nested, word: None });
            let text = teller.map_or_else(|| item.text.clone(), |teller| told(&teller, &item.text));
            let (text, fate) = match (forgotten, instructs(run, item, report).or(nested).or(hold)) {
                (Some(text), _) => (text, LineOutcome::Forgotten),
                (None, _) if is_struck(&item.text) => (text, LineOutcome::Forgotten),
                (None, Some(hold)) => (text, LineOutcome::Held(hold)),
                (None, None) => {
                    bullets.push(text);
                    continue;
                }
            };
            report.lines.push(LineReport::new(text, Some(HEADING.to_owned()), sources, fate));
        }
        if bullets.is_empty() {
            bullets = kept.iter().map(|item| item.text.clone()).gather();
        }
        let caps = caps();
        let mut room = caps.bytes;
        let mut body = String::new();
        for bullet in bullets.into_iter().take(caps.items) {
            let line = format!("- {bullet}\n");
            if line.len() <= room {
                room -= line.len();
                body.push_str(&line);
            }
        }
        if !body.is_empty() {
            report.briefing = Some(briefing::print(&report.dream_id, self.day(run), &body));
        }
    }

    /// Puts the page of a committed pass in the place of the one before. A page that a person wrote or edited stays.
    pub(super) fn brief(run: &mut Run, pass: &Pass<Material>) {
        let (Some(page), Some(lease)) = (&pass.report.briefing, &run.lease) else { return };
        let written = match run.host.workspace.read(&DocName::BRIEFING) {
            Ok(Some(standing)) if briefing::dream(standing.bytes()).is_none() => {
                run.report.notices.push(Notice::BriefingKept);
                return;
            }
            Ok(Some(standing)) if standing.bytes() == page.as_bytes() => Ok(()),
            Ok(_) => lease.replace(&DocName::BRIEFING, page.as_bytes()),
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            run.report.notices.push(Notice::NoBriefing(error.to_string()));
        }
    }
}

/// Prints what is looked through for secrets.
pub(super) fn printed(page: &Sanitised) -> String {
    engine::print(page.items.iter().chain(page.over_caps.iter().map(|(item, _)| item)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_parted_at_its_headings() {
        let answer = "### Facts\n- a\n\n### briefing:\n- b\n- c\n### Decisions\n- d\n# Briefing\n- e";
        let (section, page) = split(answer);
        assert_eq!(section, "### Facts\n- a\n\n### Decisions\n- d\n");
        assert_eq!(page, "- b\n- c\n- e");
        assert_eq!(split("- a\n"), ("- a\n".to_owned(), String::new()));
    }
}
