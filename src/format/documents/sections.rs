//! The places of dream sections in a curated file, to the byte: text that may be taken out, and its place.
//!
//! A section is taken out as it was printed, with the line break printed in front of it. The hash of both identifies
//! it. Words that a person wrote before, behind or inside are never a part of it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::curated::{self, HEADING};
use crate::base::digest::Digest;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::format::DreamId;

/// A section that is whole, both marks on lines of their own: from its heading to the end of its last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) dream: DreamId,
    pub(crate) range: Range<usize>,
}

/// Returns the whole sections of a file, in their order.
pub(crate) fn whole(memory: &[u8]) -> Vec<Section> {
    let mut all = Vec::new();
    let mut open: Option<(DreamId, usize)> = None;
    let (mut at, mut heading) = (0, None);
    for line in memory.split_inclusive(|byte| *byte == b'\n') {
        let end = at + line.len();
        let text = std::str::from_utf8(line).unwrap_or_default().trim_end();
        if let Some(dream) = curated::mark(text) {
            open = Some((dream, heading.unwrap_or(at)));
        } else if let Some((dream, start)) = open.take_if(|(dream, _)| text == dream.end_mark()) {
            all.push(Section { dream, range: start..end });
        }
        heading = text.starts_with(HEADING).then_some(at);
        at = end;
    }
    all
}

/// Renews the hashes in the marks of sections with overwritten words. So each section still agrees with its own
/// mark. A section that a person had changed before keeps its mark.
pub(crate) fn marked_anew(before: &[u8], mut after: Vec<u8>) -> Vec<u8> {
    for Section { range, .. } in whole(before) {
        let Some((at, is_printed, _)) = hash_in_mark(&before[range.clone()]) else { continue };
        let Some((_, _, hash)) = after.get(range.clone()).and_then(hash_in_mark) else { continue };
        if is_printed && before.len() == after.len() {
            after[range.start + at..][..hash.len()].copy_from_slice(hash.as_bytes());
        }
    }
    after
}

/// Returns where the mark of a section says its hash, whether that is the one of its lines, and that one.
fn hash_in_mark(section: &[u8]) -> Option<(usize, bool, String)> {
    const HASH: &str = " sha256=";
    let at = memchr::memmem::find(section, HASH.as_bytes())? + HASH.len();
    let text = std::str::from_utf8(section).ok()?.replace("\r\n", "\n");
    let (_, body) = text.split_once("-->\n")?;
    let body = &body[..body.rfind("<!-- /dream:")?];
    let hash = Digest::of(body.trim().as_bytes()).short(16);
    Some((at, section.get(at..at + hash.len())? == hash.as_bytes(), hash))
}

/// The state of a dream's section in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SectionState {
    /// As it was printed; these bytes may go.
    Whole(Range<usize>),
    /// A person changed it, or took a part of it out.
    Edited,
    /// Nothing of it is there.
    Missing,
}

/// Looks for the section that was printed with this hash.
pub(crate) fn find(memory: &[u8], dream: &DreamId, printed: Digest) -> SectionState {
    let mut floor = 0;
    for section in whole(memory) {
        let Range { start, end } = section.range;
        if section.dream == *dream
            && let Some(start) = printed_from(memory, floor, start, end, printed)
        {
            return SectionState::Whole(start..end);
        }
        floor = end;
    }
    if curated::has_mark(memory, dream) { SectionState::Edited } else { SectionState::Missing }
}

/// Returns the first of the bytes that were printed with this hash and end at `end`. They begin at `start`, or up
/// to two line breaks before it, but not below `floor`, where another section ends.
fn printed_from(memory: &[u8], floor: usize, start: usize, end: usize, printed: Digest) -> Option<usize> {
    let breaks = std::iter::successors(Some(start), |at| line_break_before(memory, *at));
    let starts: Vec<usize> = breaks.take(3).take_while(|at| *at >= floor).gather();
    let gap = starts.iter().position(|from| Digest::of(&memory[*from..end]) == printed)?;
    match gap {
        // A line break that ends a person's line is theirs, whatever was printed.
        1 if !ends_a_line(memory, starts[1]) => None,
        // The first one ends a line that had no end: it stays where something follows, else two lines became one.
        2 if !ends_a_line(memory, starts[2]) && end < memory.len() => Some(starts[1]),
        _ => Some(starts[gap]),
    }
}

fn ends_a_line(memory: &[u8], at: usize) -> bool {
    memory[..at].last().is_none_or(|last| *last == b'\n')
}

fn line_break_before(memory: &[u8], at: usize) -> Option<usize> {
    let head = &memory[..at];
    head.strip_suffix(b"\r\n").or_else(|| head.strip_suffix(b"\n")).map(<[u8]>::len)
}

/// The former place of a section: the text between it and the sections next to it, removed ones included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    before: Text,
    after: Text,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Text {
    len: usize,
    sha256: Digest,
}

impl Text {
    fn of(bytes: &[u8]) -> Self {
        Self { len: bytes.len(), sha256: Digest::of(bytes) }
    }

    fn begins(&self, text: &[u8]) -> bool {
        text.get(..self.len).is_some_and(|head| Digest::of(head) == self.sha256)
    }

    fn ends(&self, text: &[u8]) -> bool {
        let tail = text.len().checked_sub(self.len).map(|from| &text[from..]);
        tail.is_some_and(|tail| Digest::of(tail) == self.sha256)
    }
}

/// The order of the dreams of a file, and the places of those that were taken out of it.
#[derive(Debug)]
pub(crate) struct Order<'a> {
    pub(crate) dreams: &'a [DreamId],
    pub(crate) taken_out: Vec<(&'a DreamId, &'a Place)>,
}

impl Order<'_> {
    fn rank(&self, id: &DreamId) -> Option<usize> {
        self.dreams.iter().position(|known| known == id)
    }

    /// Returns the places between two sections, in their order; `None` is an end of the file.
    fn between(&self, one: Option<&Section>, id: &DreamId, other: Option<&Section>) -> [Vec<&Place>; 2] {
        let rank = |section: Option<&Section>| section.and_then(|section| self.rank(&section.dream));
        let (from, at, to) = (rank(one), self.rank(id), rank(other).unwrap_or(usize::MAX));
        let places = self.taken_out.iter().filter_map(|(id, place)| Some((self.rank(id)?, *place)));
        let mut places: Vec<(usize, &Place)> =
            places.filter(|(rank, _)| Some(*rank) > from && *rank < to).gather();
        order::sort_by_key(&mut places, |(rank, _)| *rank);
        let (before, after) = places.into_iter().partition::<Vec<_>, _>(|(rank, _)| Some(*rank) < at);
        [before, after].map(|places| places.into_iter().map(|(_, place)| place).gather())
    }
}

/// The text between two sections, in which one was or is to be.
struct Around<'m> {
    text: &'m [u8],
    /// The start in the file.
    from: usize,
    /// The ends of the texts in it, from above and from below, that are nearer to other removed sections. `None` where
    /// a person changed them.
    above: Option<usize>,
    below: Option<usize>,
}

impl<'m> Around<'m> {
    fn new(
        memory: &'m [u8],
        id: &DreamId,
        previous: Option<&Section>,
        next: Option<&Section>,
        order: &Order<'_>,
    ) -> Self {
        let from = previous.map_or(0, |section| section.range.end);
        let to = next.map_or(memory.len(), |section| {
            // The blank line in front of a section is its own.
            let above = line_break_before(memory, section.range.start).filter(|at| *at >= from);
            above.filter(|at| ends_a_line(memory, *at)).unwrap_or(section.range.start)
        });
        let text = &memory[from..to];
        let [before, after] = order.between(previous, id, next);
        let down =
            |at: usize, place: &&Place| place.before.begins(&text[at..]).then(|| at + place.before.len);
        let up = |at: usize, place: &&Place| place.after.ends(&text[..at]).then(|| at - place.after.len);
        Self {
            text,
            from,
            above: before.iter().try_fold(0, down),
            below: after.iter().rev().try_fold(text.len(), up),
        }
    }
}

impl Place {
    #[cfg(test)]
    pub(crate) fn nowhere() -> Self {
        Self { before: Text::of(b""), after: Text::of(b"") }
    }

    /// Returns the place of a dream's section, which is at `range`.
    pub(crate) fn of(memory: &[u8], id: &DreamId, range: &Range<usize>, order: &Order<'_>) -> Self {
        let sections = whole(memory);
        let previous = sections.iter().rev().find(|section| section.range.end <= range.start);
        let next = sections.iter().find(|section| section.range.start >= range.end);
        let around = Around::new(memory, id, previous, next, order);
        let from = around.from + around.above.unwrap_or(0);
        let to = around.from + around.below.unwrap_or(around.text.len());
        Self {
            before: Text::of(&memory[from.min(range.start)..range.start]),
            after: Text::of(&memory[range.end..to.max(range.end)]),
        }
    }

    /// Returns `memory` with the dream's section back in its place, before those of later dreams. Where a person changed
    /// what was around it, it goes behind that.
    pub(crate) fn put_back(&self, memory: &[u8], id: &DreamId, section: &str, order: &Order<'_>) -> Vec<u8> {
        let at = self.find(memory, id, order);
        let (head, tail) = memory.split_at(at);
        let begins_a_line = head.is_empty()
            || head.ends_with(b"\n")
            || ["\n\n", "\r\n\r\n"].iter().any(|gap| section.starts_with(gap));
        let line_break: &[u8] = if begins_a_line { b"" } else { b"\n" };
        [head, line_break, section.as_bytes(), tail].concat()
    }

    fn find(&self, memory: &[u8], id: &DreamId, order: &Order<'_>) -> usize {
        let sections = whole(memory);
        let rank = order.rank(id);
        let next = sections.iter().position(|section| order.rank(&section.dream) > rank);
        let (before, after) = sections.split_at(next.unwrap_or(sections.len()));
        let Around { text, from, above, below } =
            Around::new(memory, id, before.last(), after.first(), order);
        let above = above.filter(|at| self.before.begins(&text[*at..])).map(|at| at + self.before.len);
        let below = below.filter(|at| self.after.ends(&text[..*at])).map(|at| at - self.after.len);
        // A line that went on since is not parted.
        let parts_no_line = |at: &usize| from + at == memory.len() || ends_a_line(memory, from + at);
        from + above.filter(parts_no_line).or(below.filter(parts_no_line)).unwrap_or(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;
    use proptest::prelude::*;

    fn id(n: usize) -> DreamId {
        DreamId::parse(&format!("{n:016x}")).unwrap()
    }

    fn print(memory: &[u8], n: usize) -> String {
        let day = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        curated::print_section(memory, day, &id(n), 1, &format!("### Facts\n\n- Line {n}."))
    }

    fn printed(memory: &[u8], n: usize) -> (Vec<u8>, Digest) {
        let section = print(memory, n);
        ([memory, section.as_bytes()].concat(), Digest::of(section.as_bytes()))
    }

    const NOTHING: Order<'_> = Order { dreams: &[], taken_out: Vec::new() };

    fn take_out(memory: &[u8], n: usize, sha256: Digest, order: &Order<'_>) -> (Vec<u8>, String, Place) {
        let SectionState::Whole(range) = find(memory, &id(n), sha256) else { panic!("it stands whole") };
        let place = Place::of(memory, &id(n), &range, order);
        let section = String::from_utf8(memory[range.clone()].to_vec()).unwrap();
        ([&memory[..range.start], &memory[range.end..]].concat(), section, place)
    }

    #[test]
    fn a_section_goes_as_it_came_whatever_stood_before_it() {
        for before in ["", "# Memory\n", "# Memory\n\n\n", "no end of line", "# A\r\n\r\n- b\r\n", "\n"] {
            let (memory, sha256) = printed(before.as_bytes(), 1);
            let (left, section, place) = take_out(&memory, 1, sha256, &NOTHING);
            assert_eq!(String::from_utf8(left.clone()).unwrap(), before);
            assert_eq!(place.put_back(&left, &id(1), &section, &NOTHING), memory, "{before:?}");
        }
    }

    #[test]
    fn line_breaks_of_a_person_stay() {
        let (memory, sha256) = printed(b"- mine", 1);
        let below = [&memory[..], b"- mine too\n"].concat();
        let (left, section, place) = take_out(&below, 1, sha256, &NOTHING);
        assert_eq!(left, b"- mine\n- mine too\n", "two lines do not become one");
        assert_eq!(place.put_back(&left, &id(1), &section, &NOTHING), below);

        // A person goes on with the line that the section stood behind.
        let (memory, sha256) = printed(b"- mine", 1);
        let (left, section, place) = take_out(&memory, 1, sha256, &NOTHING);
        let longer = [&left[..], b" and more\n"].concat();
        let back = place.put_back(&longer, &id(1), &section, &NOTHING);
        assert!(String::from_utf8(back).unwrap().starts_with("- mine and more\n"));

        let (memory, sha256) = printed(b"- mine\n", 1);
        let closer = String::from_utf8(memory).unwrap().replacen("mine\n\n", "mine\n", 1);
        assert_eq!(find(closer.as_bytes(), &id(1), sha256), SectionState::Edited, "its blank line is gone");
    }

    #[test]
    fn an_edit_inside_and_a_part_are_told_from_nothing() {
        let (memory, sha256) = printed(b"# Memory\n", 1);
        let text = String::from_utf8(memory).unwrap();
        for edited in [
            text.replace("Line 1.", "Line one."),
            text.replace("\n\n- Line", "\n- Line"),
            text.replace("2026-11-21", "2026-11-22"),
            text.trim_end().to_owned(),
            text.split_once("### Facts").unwrap().0.to_owned(),
            text.replace('\n', "\r\n"),
        ] {
            assert_eq!(find(edited.as_bytes(), &id(1), sha256), SectionState::Edited, "{edited}");
        }
        assert_eq!(find(b"# Memory\n", &id(1), sha256), SectionState::Missing);
        let not_text = [b"\xff\xfe\n".as_slice(), text.as_bytes()].concat();
        assert!(
            matches!(find(&not_text, &id(1), sha256), SectionState::Whole(_)),
            "other bytes are a person's"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(2_000)))]
        #[test]
        fn what_was_taken_out_in_any_order_goes_back_in_any_order(
            notes in proptest::collection::vec("(- [a-z]{1,3}\n{1,3}){0,2}", 5),
            out in Just((0..4usize).collect::<Vec<_>>()).prop_shuffle(),
            count in 0..=4usize,
            seed in any::<prop::sample::Index>(),
        ) {
            let mut memory = notes[0].clone().into_bytes();
            let mut hashes = Vec::new();
            for n in 0..4 {
                let (grown, sha256) = printed(&memory, n);
                memory = grown;
                hashes.push(sha256);
                memory.extend(notes[n + 1].bytes());
            }
            let dreams: Vec<DreamId> = (0..4).map(id).collect();
            let mut left = memory.clone();
            let mut taken: Vec<(usize, String, Place)> = Vec::new();
            for n in out.into_iter().take(count) {
                let taken_out = taken.iter().map(|(n, _, place)| (&dreams[*n], place)).collect();
                let (after, section, place) = take_out(&left, n, hashes[n], &Order { dreams: &dreams, taken_out });
                left = after;
                taken.push((n, section, place));
            }
            let people: String = notes.concat();
            let mine = |memory: &[u8]| {
                let mut text = String::from_utf8(memory.to_vec()).unwrap();
                for (n, sha256) in hashes.iter().enumerate() {
                    if let SectionState::Whole(range) = find(text.as_bytes(), &id(n), *sha256) {
                        text.replace_range(range, "");
                    }
                }
                text
            };
            prop_assert_eq!(mine(&left), people);
            while !taken.is_empty() {
                let (n, section, place) = taken.remove(seed.index(taken.len()));
                let taken_out = taken.iter().map(|(n, _, place)| (&dreams[*n], place)).collect();
                left = place.put_back(&left, &id(n), &section, &Order { dreams: &dreams, taken_out });
                prop_assert!(matches!(find(&left, &id(n), hashes[n]), SectionState::Whole(_)));
            }
            prop_assert_eq!(String::from_utf8(left).unwrap(), String::from_utf8(memory).unwrap());
        }
    }
}
