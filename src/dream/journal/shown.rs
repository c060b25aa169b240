//! What of a slice a model is shown: without what a machine wrote there, and with secrets and what was forgotten masked. Line
//! numbers never move.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::select::Slice;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::base::text;
use crate::format::Origin;
use crate::format::documents::{curated, origins};
use crate::format::replies::fences::{ShownLine, one_line};
use crate::gate::{Door, DoorWarning, Doors, Masks};

/// A slice as it goes into the request.
#[derive(Debug)]
pub(crate) struct ShownJournal {
    /// The lines that are not blank.
    pub(crate) lines: Vec<ShownLine>,
    /// The lines that were left out because a machine wrote them, as runs of first and last.
    pub(crate) stripped: Vec<(u64, u64)>,
    /// Whose words a line is, where the journal says so, by its number.
    pub(crate) origins: BTreeMap<u64, Origin>,
}

/// Prepares a slice, and adds what was found in it.
pub(crate) fn prepare(
    slice: &Slice,
    user_names: &[String],
    doors: &Doors,
    masks: &mut Masks,
    found: &mut Vec<DoorWarning>,
) -> Result<ShownJournal> {
    let before = String::from_utf8_lossy(&slice.before);
    let body = String::from_utf8_lossy(&slice.bytes);
    let after = String::from_utf8_lossy(&slice.after);
    let boundary = before.len();
    let whole = format!("{before}{body}{after}");
    let name = slice.journal.name();
    let policy = doors.policy_of(Door::DreamRequest, name);
    let part = boundary..boundary + body.len();
    let passed = doors.judge_part(Door::DreamRequest, policy, name, &whole, part, masks)?;
    found.extend(passed.warnings);
    let masked = passed.text;
    let machine = machine_ranges(&whole);
    let goes_on = slice.range.end < slice.metadata.len;
    let reading = origins::read_part(&whole, &slice.above, goes_on);
    let nobody = reading.unnamed();
    let spoken = reading.lines.into_iter().zip(text::line_ranges(&whole));
    let mut spoken = spoken.skip_while(|(_, line)| line.end < boundary);
    let mut origins = BTreeMap::new();
    let mut stripped: Vec<(u64, u64)> = Vec::new();
    let mut lines = Vec::new();
    for ((number, original), shown) in
        (slice.first_line..).zip(text::line_ranges(&body)).zip(text::line_ranges(&masked))
    {
        if let Some((said, _)) = spoken.next()
            && let Some(origin) = said.of_user(user_names).or_else(|| nobody.clone())
        {
            origins.insert(number, without_secrets(origin, doors));
        }
        let place = boundary + original.start..boundary + original.end.max(original.start + 1);
        if machine.iter().any(|range| range.start < place.end && place.start < range.end) {
            match stripped.last_mut() {
                Some((_, last)) if *last + 1 == number => *last = number,
                _ => stripped.push((number, number)),
            }
            continue;
        }
        let shown = one_line(&masked[shown]);
        let shown = shown.trim_end().trim_start_matches(text::BOM);
        if !shown.trim().is_empty() {
            lines.push(ShownLine { number, text: shown.to_owned() });
        }
    }
    let joined: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    if let Some(masked) = mask_printed(&joined.join("\n"), name, doors, masks, found)? {
        for (line, masked) in lines.iter_mut().zip(masked.split('\n')) {
            masked.clone_into(&mut line.text);
        }
    }
    Ok(ShownJournal { lines, stripped, origins })
}

/// An origin as a report may tell of it: a name that holds a secret, or what was forgotten, is left out.
pub(crate) fn without_secrets(origin: Origin, doors: &Doors) -> Origin {
    let hides = |name: &str| !doors.gate().inspect(name).is_empty() || doors.has_forgotten(name);
    match origin {
        Origin::Tool(name) if hides(&name) => Origin::Tool(String::new()),
        Origin::Participant(name) if hides(&name) => Origin::Participant(String::new()),
        other => other,
    }
}

/// Masks what only stands in a text as it is printed: without the control characters and the lines that hid it.
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
    .map(|pattern| Regex::new(pattern).expect("a literal pattern"))
    .collect()
});

/// The headings of OpenClaw's machine-written sections.
static FOREIGN_SECTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^## (?:Promoted From Short-Term Memory|Consolidated Memory) \([^\n]*\)[ \t]*\r?$|^## (?:Light Sleep|REM Sleep|Deep Sleep|Memory Consolidation History)[ \t]*\r?$",
    )
    .expect("a literal pattern")
});

/// Where machine-written text stands, so that a dream never feeds on a dream.
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
