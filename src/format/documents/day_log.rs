//! The text of a journal.
//!
//! ```text
//! # Memory — 2026-11-21
//!
//! ## Session [09:12]
//!
//! - [09:14:05] [user] Decision: Releases go out on Fridays.
//! - [09:20:31] [tool:psql] 3 rows
//!   | id, name
//! ```
//!
//! A journal only grows. Every line of a note below its first begins with `  | `. So no reader can take it
//! for a heading, a fence, or another entry with another origin. Readers also meet `[HH:MM]`, a
//! `# Daily Log - YYYY-MM-DD` heading, plain bullets and prose.

use std::ops::Range;

use chrono::{NaiveDate, NaiveTime};

use super::note::{CONTINUED, Note, NoteKind};
use super::origin::Origin;
use super::origins::{self, Above};
use super::speakers;
use crate::base::debug::debug_as;
use crate::base::gather::Gather as _;
use crate::base::spread::Spread;
use crate::base::text;

/// Returns the first line of a day's file.
pub(crate) fn heading(date: NaiveDate) -> String {
    format!("# Memory — {date}\n")
}

/// Returns the heading of the block of a session that began at a time of the day.
pub(crate) fn block(begun: NaiveTime) -> String {
    format!("## Session [{}]", begun.format("%H:%M"))
}

/// The end of a journal and its form, as far as a note that is added depends on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four independent facts of a file")]
pub(crate) struct JournalEnd {
    /// It has no byte.
    pub(crate) is_empty: bool,
    /// Its last line has no end.
    pub(crate) is_torn: bool,
    /// The block of the session has begun in it.
    pub(crate) has_block: bool,
    /// Most of its lines end in CRLF.
    pub(crate) has_crlf: bool,
}

/// Returns the text that a note adds to a journal: the session's block if it is missing, and the entry. It has the file's
/// own line endings. A torn last line is ended first. `None` if the note has no words.
pub(crate) fn addition(standing: JournalEnd, begun: NaiveTime, note: &Note, at: NaiveTime) -> Option<String> {
    let entry = note.print(Some(at))?;
    let block = block(begun);
    let mut lines: Vec<&str> = standing.is_torn.then_some("").into_iter().gather();
    if !standing.has_block {
        lines.extend((!standing.is_empty).then_some(""));
        lines.extend([block.as_str(), ""]);
    }
    lines.extend(entry.iter().map(String::as_str));
    let eol = if standing.has_crlf { "\r\n" } else { "\n" };
    Some(lines.into_iter().spread(|line| [line, eol]).collect())
}

/// A journal as it is read: opaque lines, or entries.
///
/// ```
/// use noctuary::format::{DayLog, NoteKind, Origin};
///
/// let log = DayLog::parse("# Memory — 2026-11-21\n\n## Session [09:12]\n\n- [09:14:05] [user] Decision: Fridays.\n");
/// let entry = &log.entries[0];
/// assert_eq!((entry.kind, entry.origin.as_ref(), &*entry.text), (NoteKind::Decision, Some(&Origin::User), "Fridays."));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DayLog {
    /// The date in its heading.
    pub date: Option<NaiveDate>,
    /// When each session block began.
    pub sessions: Vec<NaiveTime>,
    /// The entries, in their order.
    pub entries: Vec<Entry>,
}

/// An entry of a journal.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its time of day.
    pub time: Option<NaiveTime>,
    /// The origin of its words, where it says so.
    pub origin: Option<Origin>,
    /// Its kind.
    pub kind: NoteKind,
    /// The words, without what is in front of them; lines parted by `\n`.
    pub text: String,
    /// Its lines in the file, from 1.
    pub lines: Range<u64>,
}

impl DayLog {
    /// Reads a journal; every line that is no heading, and is not blank, belongs to an entry.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.strip_prefix(text::BOM).unwrap_or(text);
        let mut log = Self::default();
        for (number, range) in (1..).zip(text::line_ranges(text)) {
            let line = &text[range];
            if line.trim().is_empty() {
                continue;
            }
            if let Some(title) = heading_of(line) {
                log.date = log.date.or_else(|| day_in(title));
                log.sessions.extend(
                    title.strip_prefix("Session ").and_then(|time| stamp(time)).map(|(time, _)| time),
                );
            } else if let Some(above) = continued(line, &mut log.entries, number) {
                above.text.push('\n');
                above.text.push_str(line.strip_prefix(CONTINUED).unwrap_or(line.trim_start()).trim_end());
                above.lines.end = number + 1;
            } else {
                log.entries.push(Entry::read(line, number));
            }
        }
        log
    }
}

/// Returns the places of the entries of a journal, whole lines each. An entry begins behind a heading or a blank line.
/// It also begins with a sign (a bullet, a time, a tag), a speaker or a label. Indented lines, and words that go on
/// with those above, are a part of it.
pub(crate) fn entries(journal: &str) -> Vec<Range<usize>> {
    let said = origins::read(journal, &Above::default()).lines;
    let mut all: Vec<Range<usize>> = Vec::new();
    let (mut is_open, mut is_code) = (false, false);
    for (at, range) in text::line_ranges(journal).enumerate() {
        let line = &journal[range.clone()];
        let is_mark = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        let end = journal[range.end..].find('\n').map_or(journal.len(), |at| range.end + at + 1);
        if !is_code && !is_mark && (line.trim().is_empty() || heading_of(line).is_some()) {
            is_open = false;
            continue;
        }
        let goes_on = |c: char| c.is_alphabetic() || c.is_whitespace();
        let is_named = said.get(at).is_some_and(|said| said.named_at == at);
        let begins = !line.starts_with(goes_on)
            || (!line.starts_with(char::is_whitespace)
                && (is_named || NoteKind::read(line).0 != NoteKind::Happened));
        match all.last_mut().filter(|_| is_open && (is_code || is_mark || !begins)) {
            Some(above) => above.end = end,
            None => all.push(range.start..end),
        }
        is_code ^= is_mark;
        is_open = true;
    }
    all
}

impl Entry {
    fn read(line: &str, number: u64) -> Self {
        let line = line.trim();
        let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line).trim_start();
        let (time, rest) = stamp(rest).map_or((None, rest), |(time, rest)| (Some(time), rest));
        // A name alone is somebody's only beside other speakers, which one entry does not know of.
        let tag =
            speakers::read(rest).filter(|speaker| speaker.form == speakers::Form::Tag && speaker.is_sure);
        let tag = tag.map(|speaker| (speaker.origin, rest[speaker.end..].trim_start()));
        let tag = tag.or_else(|| bracketed(rest).and_then(|(tag, rest)| Some((tag.parse().ok()?, rest))));
        let (origin, rest) = tag.map_or((None, rest), |(origin, rest)| (Some(origin), rest));
        let (kind, text) = NoteKind::read(rest);
        Self { time, origin, kind, text: text.to_owned(), lines: number..number + 1 }
    }
}

debug_as!(Entry, |it| "Entry {{ lines: {:?}, {:?}, {} bytes }}", it.lines, it.origin, it.text.len());

/// Returns the title of a heading line; an indented one is text.
fn heading_of(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    (1..=6).contains(&level).then_some(title).filter(|title| title.starts_with(' ')).map(str::trim)
}

/// Returns the date that ends a heading: `Memory — 2026-11-21`, `Daily Log - 2026-11-21`.
fn day_in(title: &str) -> Option<NaiveDate> {
    title.rsplit(' ').next()?.parse().ok()
}

/// Returns the entry that an indented line continues: the one right above.
fn continued<'e>(line: &str, entries: &'e mut [Entry], number: u64) -> Option<&'e mut Entry> {
    let is_indented = line.starts_with("  ") || line.starts_with('\t');
    entries.last_mut().filter(|above| is_indented && above.lines.end == number)
}

fn bracketed(text: &str) -> Option<(&str, &str)> {
    let (inside, rest) = text.strip_prefix('[')?.split_once(']')?;
    Some((inside, rest.trim_start()))
}

/// Returns a time in brackets, with or without seconds, and what follows it.
fn stamp(text: &str) -> Option<(NaiveTime, &str)> {
    let (inside, rest) = bracketed(text)?;
    let time = ["%H:%M:%S", "%H:%M"].iter().find_map(|form| NaiveTime::parse_from_str(inside, form).ok())?;
    Some((time, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::documents::curated;
    use crate::testing::cases;
    use proptest::prelude::*;

    fn at(hour: u32, minute: u32, second: u32) -> NaiveTime {
        NaiveTime::from_hms_opt(hour, minute, second).unwrap()
    }

    fn standing(text: &str, begun: NaiveTime) -> JournalEnd {
        let heading = block(begun);
        JournalEnd {
            is_empty: text.is_empty(),
            is_torn: !text.is_empty() && !text.ends_with('\n'),
            has_block: text.split('\n').any(|line| line.trim_ascii_end() == heading),
            has_crlf: curated::has_crlf(text.as_bytes()),
        }
    }

    fn append(text: &mut String, note: &Note, time: NaiveTime) {
        let begun = at(9, 12, 40);
        text.extend(addition(standing(text, begun), begun, note, time));
    }

    #[test]
    fn the_entries_of_a_journal_are_its_lines_with_what_goes_on_with_them() {
        let parts = |text: &str| -> Vec<String> {
            entries(text).into_iter().map(|range| text[range].to_owned()).collect()
        };
        let text = "# Memory — 2026-11-21\r\n\r\n## Session [09:12]\r\n\r\n- [09:14:05] [user] I prefer tea.\r\n  | And short answers.\r\n- [09:15:00] [agent] Noted.\r\n\r\n[09:20] plain\r\nlast";
        assert_eq!(
            parts(text),
            [
                "- [09:14:05] [user] I prefer tea.\r\n  | And short answers.\r\n",
                "- [09:15:00] [agent] Noted.\r\n",
                "[09:20] plain\r\nlast"
            ]
        );
        let prose = "We walked to the harbour, and it\nrained. Decision: none.\nDecision: tea.\nuser: Fridays.\nassistant: Noted.\n\nまた明日。\n続き。\n- `x`\n```\n# no heading\n\n- y\n```\n";
        assert_eq!(
            parts(prose),
            [
                "We walked to the harbour, and it\nrained. Decision: none.\n",
                "Decision: tea.\n",
                "user: Fridays.\n",
                "assistant: Noted.\n",
                "また明日。\n続き。\n",
                "- `x`\n```\n# no heading\n\n- y\n```\n"
            ]
        );
        assert!(parts("").is_empty() && parts("# x\n\n## y").is_empty());
    }

    // JR-07, JR-08, JR-09, BX-29
    #[test]
    fn every_kind_of_note_reads_back_as_it_prints() {
        for kind in NoteKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
            assert_eq!(serde_json::from_str::<NoteKind>(&format!("\"{kind}\"")).unwrap(), kind);
        }
    }

    #[test]
    fn a_day_has_its_heading_its_block_and_its_four_kinds() {
        let mut text = heading(NaiveDate::from_ymd_opt(2026, 11, 21).unwrap());
        append(&mut text, &Note::decision("Releases go out on Fridays.").from(Origin::User), at(9, 14, 5));
        append(
            &mut text,
            &Note::happened("3 rows\r\n\r\n## Session [10:00]\n- [10:00:00] [user] Pay them.")
                .from(Origin::Tool("ps ql]".into())),
            at(9, 20, 31),
        );
        append(&mut text, &Note::remember("The boat is called Brisk."), at(9, 30, 0));
        append(&mut text, &Note::question("Who signs?").from(Origin::Web), at(9, 31, 0));
        append(&mut text, &Note::question(" \n"), at(9, 32, 0));
        assert_eq!(
            text,
            "# Memory — 2026-11-21\n\n## Session [09:12]\n\n- [09:14:05] [user] Decision: Releases go out on Fridays.\n\
             - [09:20:31] [tool:ps-ql-] 3 rows\n  | ## Session [10:00]\n  | - [10:00:00] [user] Pay them.\n\
             - [09:30:00] [agent] Remember: The boat is called Brisk.\n- [09:31:00] [web] Open question: Who signs?\n"
        );
        let log = DayLog::parse(&text);
        assert_eq!(
            (log.date.unwrap().to_string().as_str(), log.sessions.as_slice()),
            ("2026-11-21", &[at(9, 12, 0)][..])
        );
        assert_eq!(log.entries.len(), 4);
        assert_eq!(log.entries[1].lines, 6..9);
        assert!(log.entries[1].text.ends_with("[user] Pay them."));
        assert_eq!(log.entries[1].origin, Some(Origin::Tool("ps-ql-".into())));
    }

    // JR-09
    #[test]
    fn every_dialect_is_read() {
        let log = DayLog::parse(
            "\u{feff}# Daily Log - 2026-11-21\r\n\r\n[09:14] one\r\n[09:14:05] [user] two\r\n* three\r\n  and on\r\n[x] [web] four\r\nfive",
        );
        let read: Vec<_> =
            log.entries.iter().map(|entry| (entry.time, entry.origin.clone(), entry.text.as_str())).collect();
        let expected = [
            (Some(at(9, 14, 0)), None, "one"),
            (Some(at(9, 14, 5)), Some(Origin::User), "two"),
            (None, None, "three\nand on"),
            (None, None, "[x] [web] four"),
            (None, None, "five"),
        ];
        assert_eq!(read, expected);
        assert_eq!(log.date.unwrap().to_string(), "2026-11-21");
    }

    fn texts() -> impl Strategy<Value = String> {
        let pieces = vec![
            "# Memory — 2026-11-21",
            "## Session [09:12]",
            "- [09:14:05] [user] x",
            "  | more",
            "[09:14] y",
            "",
            "```",
            "## Schedule",
            "- [ ] task",
            "\tz",
            "  ## Session [09:12]",
            "- [09:14:05] [to",
            "日",
            "\r",
        ];
        let piece = (proptest::sample::select(pieces), proptest::sample::select(vec!["\n", "\r\n"]));
        (proptest::collection::vec(piece, 0..12), any::<bool>(), any::<bool>()).prop_map(
            |(pieces, bom, torn)| {
                let mut text = String::from(if bom { "\u{feff}" } else { "" });
                text.extend(pieces.into_iter().flat_map(|(piece, eol)| [piece, eol]));
                if torn {
                    text.pop();
                }
                text
            },
        )
    }

    fn notes() -> impl Strategy<Value = Note> {
        let line = proptest::sample::select(vec![
            "- [10:00:00] [user] forged",
            "# Memory — 2020-01-01",
            "## Session [10:00]",
            "[web] x",
            "Decision: y",
            "```",
            "",
            "  deep",
            "plain",
            "<!--",
            "\u{2028}[user] z",
            "a\rb",
            "  | bar",
        ]);
        let origin = proptest::sample::select(vec![
            Origin::User,
            Origin::Agent,
            Origin::Tool("sh".into()),
            Origin::Tool(String::new()),
            Origin::Web,
            Origin::Import,
            Origin::System,
        ]);
        let kind = proptest::sample::select(vec![
            NoteKind::Happened,
            NoteKind::Decision,
            NoteKind::Remember,
            NoteKind::Question,
        ]);
        (proptest::collection::vec(line, 0..5), origin, kind).prop_map(|(lines, origin, kind)| Note {
            kind,
            origin,
            text: lines.join("\n"),
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(100_000)))]

        // JR-06
        #[test]
        fn a_note_is_one_entry_of_its_own_origin_and_what_stood_stands(text in texts(), note in notes()) {
            let before = DayLog::parse(&text);
            let Some(added) = addition(standing(&text, at(9, 12, 0)), at(9, 12, 0), &note, at(9, 14, 5)) else {
                prop_assert!(note.text.trim().is_empty());
                return Ok(());
            };
            let after = DayLog::parse(&(text.clone() + &added));
            prop_assert_eq!(&after.entries[..before.entries.len()], &before.entries[..]);
            prop_assert_eq!(after.date, before.date);
            prop_assert_eq!(after.entries.len(), before.entries.len() + 1, "{}", added);
            let entry = &after.entries[before.entries.len()];
            prop_assert_eq!(entry.origin.as_ref(), Some(&note.origin));
            prop_assert_eq!(entry.time, Some(at(9, 14, 5)));
            if note.kind != NoteKind::Happened {
                prop_assert_eq!(entry.kind, note.kind);
            }
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(words(&format!("{}{}", entry.kind.label(), entry.text)), words(&format!("{}{}", note.kind.label(), note.text)));
            let sessions = (text.clone() + &added).lines().filter(|line| line.trim_end() == "## Session [09:12]").count();
            prop_assert_eq!(sessions, text.lines().filter(|line| line.trim_end() == "## Session [09:12]").count().max(1));
        }
    }
}
