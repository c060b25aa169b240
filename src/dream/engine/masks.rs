//! Parts of a text that are left out or masked before a model sees it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::pattern::pattern;
use crate::format::Origin;
use crate::format::documents::curated;
use crate::gate::{Door, DoorWarning, Doors, Masks};

/// Returns an origin as a report may show it: a name with a secret or a forgotten statement is left out.
pub(crate) fn without_secrets(origin: Origin, doors: &Doors) -> Origin {
    let hides = |name: &str| !doors.gate().inspect(name).is_empty() || doors.has_forgotten(name);
    match origin {
        Origin::Tool(name) if hides(&name) => Origin::Tool(String::new()),
        Origin::Participant(name) if hides(&name) => Origin::Participant(String::new()),
        other => other,
    }
}

/// Masks what only is in a text as it is printed: without the control characters and the lines that hid it.
pub(crate) fn mask_printed(
    printed: &str,
    name: &DocName,
    doors: &Doors,
    masks: &mut Masks,
    found: &mut Vec<DoorWarning>,
) -> Result<Option<String>> {
    let policy = doors.policy_of(Door::DreamRequest, name);
    let passed = doors.judge(Door::DreamRequest, policy, name, printed, masks)?;
    Ok(match passed.text {
        Cow::Borrowed(_) => None,
        Cow::Owned(masked) => {
            found.extend(passed.warnings);
            Some(masked)
        }
    })
}

/// Blocks that a host or another dreamer put into a text: recalled memory, our own prompts, OpenClaw's
/// machine-written marks and sections.
static BLOCKS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"(?ims)^[^\n]*<memory-context\b[^>\n]*>.*?</memory-context>[^\n]*$",
        r"(?ms)^<<<(?:memory|journal) [0-9a-f]{16} [^\n]*>>>$.*?^<<<end [0-9a-f]{16}>>>$",
        r"(?s)<!-- openclaw:dreaming:[a-z]+:start -->.*?<!-- openclaw:dreaming:[a-z]+:end -->",
        r"(?m)^[^\n]*<!-- openclaw-memory-(?:promotion|lineage):[^\n]*$",
    ]
    .iter()
    .map(|text| pattern(text))
    .gather()
});

/// The headings of OpenClaw's machine-written sections.
static FOREIGN_SECTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)^## (?:Promoted From Short-Term Memory|Consolidated Memory) \([^\n]*\)[ \t]*\r?$|^## (?:Light Sleep|REM Sleep|Deep Sleep|Memory Consolidation History)[ \t]*\r?$",
    )
});

/// Returns the ranges of machine-written text, so that a dream never feeds on a dream.
pub(crate) fn machine_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = curated::dreamed_ranges(text);
    for block in BLOCKS.iter() {
        ranges.extend(block.find_iter(text).map(|found| found.range()));
    }
    for heading in FOREIGN_SECTION.find_iter(text) {
        let rest = &text[heading.end()..];
        // Up to the next heading of its level or above.
        let end = ["\n# ", "\n## "].iter().filter_map(|next| rest.find(next)).min().unwrap_or(rest.len());
        ranges.push(heading.start()..heading.end() + end);
    }
    ranges
}
