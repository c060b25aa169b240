//! The part of a slice that a model is shown: without machine-written text, and with secrets and forgotten statements
//! masked. Line
//! numbers never move.

use super::select::Slice;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::sorted::SortedMap;
use crate::base::text;
use crate::dream::engine::{machine_ranges, mask_printed, without_secrets};
use crate::format::Origin;
use crate::format::documents::origins;
use crate::format::replies::fences::{ShownLine, one_line};
use crate::gate::{Door, DoorWarning, Doors, Masks};

/// A slice as it goes into the request.
#[derive(Debug)]
pub(crate) struct ShownJournal {
    /// The lines that are not blank.
    pub(crate) lines: Vec<ShownLine>,
    /// The lines that were left out because a machine wrote them, as runs of first and last.
    pub(crate) stripped: Vec<(u64, u64)>,
    /// The speaker of each line by its number, if the journal names one.
    pub(crate) origins: SortedMap<u64, Origin>,
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
    let mut origins = SortedMap::new();
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
    let joined: Vec<&str> = lines.iter().map(|line| line.text.as_str()).gather();
    if let Some(masked) = mask_printed(&joined.join("\n"), name, doors, masks, found)? {
        for (line, masked) in lines.iter_mut().zip(masked.split('\n')) {
            masked.clone_into(&mut line.text);
        }
    }
    Ok(ShownJournal { lines, stripped, origins })
}
