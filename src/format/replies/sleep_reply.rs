//! The answer of a model to a sleeper: sections under words that it was given.
//!
//! ```text
//! OBSERVATIONS:                      DROP:
//! RED 09:32 PR #50 merged            L12, L14-L16
//!
//! REFLECTION:                        PRIORITIES:
//! Real progress.                     1. Answer the review.
//!
//! PRIORITY:                          DIARY:
//! Monitor the responses.             A week of small steps.
//! ```
//!
//! Models dress this up: in bold, as headings, in bullets, in another case. All of that is read.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use chrono::NaiveTime;
use regex::Regex;

use super::reply::strip_bullet;
use crate::base::pattern::pattern;
use crate::format::documents::observations::Mark;

const SECTIONS: &str = "OBSERVATIONS|REFLECTION|PRIORITY|BRIEFING|DROP|PRIORITIES|DIARY";

static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)^\s*(?:#{{1,6}}\s*)?[*_]{{0,3}}({SECTIONS})[*_]{{0,3}}\s*:\s*[*_]{{0,3}}\s*(.*)$|^\s*(?:#{{1,6}}\s*[*_]{{0,3}}|[*_]{{1,3}})({SECTIONS})[*_]{{0,3}}\s*$"
    ))
});

static OBSERVED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[\s*_`\[(|]*(RED|YLW|GRN|YELLOW|GREEN)\b[\s*_`\])|:–—-]*(?:[\[(]?([0-9]{1,2}:[0-9]{2})(?::[0-9]{2})?\b[\s*_`\])|:–—-]*)?(.*)$",
    )
});

static LINES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:and\s+|[,;&]\s*)*#?[Ll]?([0-9]{1,9})\b(?:\s*[-–—]\s*[Ll]?([0-9]{1,9})\b)?")
});

/// The answer to an ordinary dream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DreamReply {
    pub(crate) observations: Vec<Observed>,
    /// Lines among the observations that are none.
    pub(crate) strange: u32,
    pub(crate) reflection: String,
    pub(crate) priority: String,
    pub(crate) briefing: String,
}

/// A line that a model marked. Its time is missing where it gave none that a clock shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Observed {
    pub(crate) mark: Mark,
    pub(crate) time: Option<NaiveTime>,
    pub(crate) text: String,
}

impl DreamReply {
    /// Reads an answer. One that follows no form at all is empty.
    pub(crate) fn parse(text: &str) -> Self {
        let mut reply = Self::default();
        for (section, line) in lines(text) {
            match section {
                Some("OBSERVATIONS") => match observed(line) {
                    Some(observed) => reply.observations.push(observed),
                    None => reply.strange += u32::from(!is_nothing(line)),
                },
                // Some begin at once.
                None => reply.observations.extend(observed(line)),
                Some("REFLECTION") => add(&mut reply.reflection, line),
                Some("PRIORITY") => add(&mut reply.priority, line),
                Some("BRIEFING") => add(&mut reply.briefing, line),
                Some(_) => {}
            }
        }
        reply
    }
}

/// The answer to a deep sleep.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DeepReply {
    pub(crate) plan: Plan,
    pub(crate) priorities: Vec<String>,
    pub(crate) diary: String,
}

/// The lines that a model would drop.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Plan {
    /// It did not say.
    #[default]
    Missing,
    /// It said something else.
    Unreadable,
    /// These; none where it said none.
    Lines(BTreeSet<u64>),
}

/// No plan names more lines than this.
const MOST_LINES: usize = 100_000;

impl DeepReply {
    /// Reads an answer. One that follows no form at all is empty.
    pub(crate) fn parse(text: &str) -> Self {
        let mut reply = Self::default();
        for (section, line) in lines(text) {
            match section {
                Some("DROP") if !line.trim().is_empty() => reply.plan.take(line),
                Some("PRIORITIES") if !is_nothing(line) => {
                    reply.priorities.push(strip_bullet(line).to_owned());
                }
                Some("DIARY") => add(&mut reply.diary, line),
                _ => {}
            }
        }
        reply
    }
}

impl Plan {
    fn take(&mut self, line: &str) {
        let mut lines = match std::mem::take(self) {
            Self::Missing => BTreeSet::new(),
            Self::Lines(lines) => lines,
            Self::Unreadable => return *self = Self::Unreadable,
        };
        if !is_nothing(line) {
            let named = ranges(line);
            if named.is_empty() || named.iter().any(RangeInclusive::is_empty) {
                return *self = Self::Unreadable;
            }
            for range in named {
                lines.extend(range.take(MOST_LINES + 1));
                if lines.len() > MOST_LINES {
                    return *self = Self::Unreadable;
                }
            }
        }
        *self = Self::Lines(lines);
    }
}

/// Returns the lines that are named at the front of a line; what follows them may say why.
fn ranges(line: &str) -> Vec<RangeInclusive<u64>> {
    let mut rest = line.trim().trim_start_matches(['-', '*', '+', '•', ' ', '`', '[', '(']);
    let mut named = Vec::new();
    while let Some(found) = LINES.captures(rest) {
        let number = |at: usize| found.get(at).and_then(|digits| digits.as_str().parse().ok());
        let first = number(1).unwrap_or(0);
        named.push(first..=number(2).unwrap_or(first));
        let end = found.get(0).expect("the whole match").end();
        rest = rest[end..].trim_start_matches(['`', ']', ')', ' ']);
        // A number further on is one of the line's words.
        if !rest.starts_with([',', ';', '&']) && !rest.starts_with("and ") {
            break;
        }
    }
    named
}

/// Returns each line with the section that it is in. Text behind the word on the same line is the section's first line.
fn lines(text: &str) -> impl Iterator<Item = (Option<&'static str>, &str)> {
    let mut section = None;
    text.lines().map(move |line| {
        let Some(found) = HEADER.captures(line) else { return (section, line) };
        let word = found.get(1).or_else(|| found.get(3)).expect("one of the two forms");
        section = SECTIONS.split('|').find(|known| known.eq_ignore_ascii_case(word.as_str()));
        (section, found.get(2).map_or("", |rest| rest.as_str()))
    })
}

fn observed(line: &str) -> Option<Observed> {
    let found = OBSERVED.captures(strip_bullet(line))?;
    let mark = match &found[1] {
        "RED" => Mark::Red,
        "YLW" | "YELLOW" => Mark::Yellow,
        _ => Mark::Green,
    };
    let time = found.get(2).and_then(|time| NaiveTime::parse_from_str(time.as_str(), "%H:%M").ok());
    let text = found[3].trim();
    (!text.is_empty()).then(|| Observed { mark, time, text: text.to_owned() })
}

fn add(section: &mut String, line: &str) {
    if !section.is_empty() || !line.trim().is_empty() {
        section.push_str(line);
        section.push('\n');
    }
}

fn is_nothing(line: &str) -> bool {
    let word = strip_bullet(line).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    matches!(word.as_str(), "" | "none" | "nothing" | "n/a" | "no lines")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(reply: &DreamReply) -> Vec<String> {
        let time = |time: NaiveTime| time.format("%H:%M").to_string();
        let one = |seen: &Observed| {
            format!("{} {} {}", seen.mark, seen.time.map_or_else(|| "?".into(), time), seen.text)
        };
        reply.observations.iter().map(one).collect()
    }

    // SL-17.
    #[test]
    fn an_answer_is_read_however_a_model_dresses_it() {
        let bare = "OBSERVATIONS:\nRED 09:32 PR merged: done\nYLW 9:05 waits\nGRN 10:00 ok\n\nREFLECTION:\nGood.\nBetter.\n\nPRIORITY:\nGo on.\n";
        let dressed = "Here you are:\n\n## **Observations**\n\n- **RED** [09:32] PR merged: done\n* `YLW` 9:05 — waits\n1. GREEN: 10:00:17: ok\n\n**Reflection:** Good.\nBetter.\n\n### PRIORITY: Go on.";
        for text in [bare, dressed] {
            let reply = DreamReply::parse(text);
            assert_eq!(
                plain(&reply),
                ["RED 09:32 PR merged: done", "YLW 09:05 waits", "GRN 10:00 ok"],
                "{text}"
            );
            assert_eq!(
                (reply.reflection.trim(), reply.priority.trim()),
                ("Good.\nBetter.", "Go on."),
                "{text}"
            );
            assert_eq!(reply.strange, 0);
        }
    }

    // SL-17.
    #[test]
    fn what_has_no_form_is_empty_and_what_is_strange_is_counted() {
        for text in ["", "I slept well.", "NOTHING_TO_PROMOTE", "{\"observations\":[]}"] {
            assert_eq!(DreamReply::parse(text), DreamReply::default(), "{text}");
        }
        let reply = DreamReply::parse(
            "OBSERVATIONS:\nBLUE 09:00 x\nRED\nREDDISH 09:00 x\nRED 29:00 late\nRED no time\nnone\n",
        );
        assert_eq!(plain(&reply), ["RED ? late", "RED ? no time"]);
        assert_eq!(reply.strange, 3);
    }

    // SL-20.
    #[test]
    fn a_plan_names_lines_or_says_none_or_is_no_plan() {
        let plan = |drop: &str| DeepReply::parse(&format!("DROP:\n{drop}\nPRIORITIES:\n1. x\n")).plan;
        let lines = |lines: &[u64]| Plan::Lines(lines.iter().copied().collect());
        assert_eq!(plan("L3, L5-L7 and L9"), lines(&[3, 5, 6, 7, 9]));
        assert_eq!(plan("- L3: GRN 09:32 tests pass, 12 of them\n- `4`"), lines(&[3, 4]));
        assert_eq!(plan("None."), lines(&[]));
        assert_eq!(plan(""), Plan::Missing);
        assert_eq!(DeepReply::parse("PRIORITIES:\n1. x").plan, Plan::Missing);
        assert_eq!(plan("everything"), Plan::Unreadable);
        assert_eq!(plan("L3\nall RED lines"), Plan::Unreadable);
        assert_eq!(plan("all RED lines\nL3"), Plan::Unreadable);
        assert_eq!(plan("1-999999999"), Plan::Unreadable);
        assert_eq!(plan("0"), lines(&[0]));
        assert_eq!(plan("9-3"), Plan::Unreadable);
    }

    #[test]
    fn priorities_lose_their_numbers_and_a_diary_keeps_its_paragraphs() {
        let reply =
            DeepReply::parse("DROP: none\n\nPRIORITIES:\n1. One\n- Two\n\nDIARY:\nA day.\n\nAnother.\n");
        assert_eq!(reply.priorities, ["One", "Two"]);
        assert_eq!(reply.diary, "A day.\n\nAnother.\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(20_000)))]
        #[test]
        fn no_text_is_too_strange_to_read(text in "(OBSERVATIONS:|DROP:|RED |GRN 09:0|L1-|,|and |\\PC|\n){0,24}") {
            let _ = DreamReply::parse(&text);
            let _ = DeepReply::parse(&text);
        }
    }
}
