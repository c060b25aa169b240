//! The memo from one session to the next, `HEARTBEAT.md`.
//!
//! ```text
//! # Heartbeat
//!
//! ## State
//!
//! - last_seen: 2026-11-21T14:03:00.000Z
//! - session_id: 8f14
//! - surface: repl
//! - turn_count: 12
//!
//! ## Open loops
//!
//! - send the report
//!
//! ## Schedule
//!
//! (the user's, byte for byte)
//! ```
//!
//! This library owns the four fields of `## State` and the bullets of `## Open loops`; every other byte is somebody
//! else's and stays. A file that does not look like this is foreign, most likely a checklist of the same name,
//! and is never rewritten.

mod memo;
mod sections;

use std::ops::Range;

use pulldown_cmark::{Event, Options, Tag, TagEnd};

use crate::base::debug::debug_as;
use crate::base::gather::Gather as _;
use crate::base::text;
pub use memo::Heartbeat;
use memo::{FIELDS, field};
use sections::{FRESH, LOOPS, SCHEDULE, STATE, Section, TITLE, bullets, events, find, put, sections};

/// The text of `HEARTBEAT.md`, or of whatever document carries the memo.
///
/// # Example: the state changes, and the user's schedule stays
///
/// ```
/// use noctuary::format::HeartbeatFile;
///
/// let text = "# Heartbeat\n\n## State\n\n- turn_count: 1\n\n## Schedule\n\n- 09:00 mail  <!-- mine -->\n";
/// let mut file = HeartbeatFile::parse(text);
/// let mut memo = file.memo().expect("it has our layout").clone();
/// memo.turn_count = 2;
/// memo.open(["send the report"]);
/// assert!(file.update(&memo));
/// assert_eq!(file.schedule(), Some("\n- 09:00 mail  <!-- mine -->\n"));
///
/// let mut checklist = HeartbeatFile::parse("# Heartbeat Checklist\n\n- [ ] Check the mail\n");
/// assert!(checklist.is_foreign() && !checklist.update(&memo), "somebody else's file is not touched");
/// assert_eq!(checklist.checklist(), ["Check the mail"]);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct HeartbeatFile {
    text: String,
    memo: Option<Heartbeat>,
}

impl HeartbeatFile {
    /// Returns a file without state, with an empty `## Schedule`.
    #[must_use]
    pub fn new() -> Self {
        Self::parse(FRESH)
    }

    /// Reads a text; every text is either a memo or foreign.
    ///
    /// A memo has a field of ours below `## State`, or is titled `# Heartbeat` and has a `## Schedule`, or is blank.
    /// Two sections of one of our names are nobody's memo.
    #[must_use]
    pub fn parse(text: impl Into<String>) -> Self {
        let text = text.into();
        let sections = sections(&text);
        let state = find(&sections, STATE).map(|state| bullets(&text, &state.body)).unwrap_or_default();
        let is_titled = sections.first().is_some_and(|first| first.title == TITLE);
        let is_single = |title| sections.iter().filter(|section| section.title == title).count() <= 1;
        let is_memo = is_single(STATE)
            && is_single(LOOPS)
            && (state.iter().any(|(_, bullet)| field(bullet).is_some())
                || (is_titled && find(&sections, SCHEDULE).is_some())
                || is_blank(&text));
        let memo = is_memo.then(|| {
            let get =
                |key| state.iter().filter_map(|(_, bullet)| field(bullet)).find(|(found, _)| *found == key);
            let filled = |key| get(key).map(|(_, value)| value.to_owned()).filter(|value| !value.is_empty());
            let [last_seen, session_id, surface, turn_count] = FIELDS;
            let loops = find(&sections, LOOPS).map(|loops| bullets(&text, &loops.body)).unwrap_or_default();
            let mut memo = Heartbeat {
                last_seen: filled(last_seen).and_then(|time| time.parse().ok()),
                session_id: filled(session_id),
                surface: filled(surface),
                turn_count: filled(turn_count).and_then(|count| count.parse().ok()).unwrap_or(0),
                open_loops: loops.into_iter().map(|(_, bullet)| bullet).gather(),
            };
            memo.bound();
            memo
        });
        Self { text, memo }
    }

    /// Returns its fields; `None` where the file is foreign.
    #[must_use]
    pub fn memo(&self) -> Option<&Heartbeat> {
        self.memo.as_ref()
    }

    /// Returns whether it is not a memo of ours, and so never rewritten.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.memo.is_none()
    }

    /// Returns the text, byte for byte as it was read, except the changes of [`update`](Self::update).
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns everything below `## Schedule`, verbatim; `None` where it has none.
    #[must_use]
    pub fn schedule(&self) -> Option<&str> {
        find(&sections(&self.text), SCHEDULE).map(|schedule| &self.text[schedule.body.clone()])
    }

    /// Writes a memo into the state sections, and makes those that are missing; every other byte stays.
    ///
    /// `false` where the file is foreign, or where the state would not read back, as inside an open code fence. Then
    /// nothing changed.
    #[must_use]
    pub fn update(&mut self, memo: &Heartbeat) -> bool {
        if self.is_foreign() {
            return false;
        }
        let memo = memo.normal();
        let mut text = self.text.clone();
        if is_blank(&text) {
            text.push_str(FRESH);
        }
        put(&mut text, STATE, |bullet| field(bullet).is_some(), &memo.fields());
        put(&mut text, LOOPS, |_| true, &memo.open_loops);
        let updated = Self::parse(text);
        let holds = updated.memo.as_ref() == Some(&memo)
            && (is_blank(&self.text) || updated.others() == self.others());
        if holds {
            *self = updated;
        }
        holds
    }

    /// Returns the sections that are not ours: title and text.
    fn others(&self) -> Vec<(String, &str)> {
        let others = sections(&self.text).into_iter().filter(|section| !section.is_ours());
        others.map(|section| (section.title, &self.text[section.body])).gather()
    }

    /// Returns the tasks that are not ticked, of every section but ours.
    #[must_use]
    pub fn checklist(&self) -> Vec<&str> {
        self.others_words().0
    }

    /// Returns whether the file asks for nothing: outside of our sections it has no words but headings and comments.
    /// Then a heartbeat run can be skipped.
    #[must_use]
    pub fn is_empty_of_tasks(&self) -> bool {
        !self.others_words().1
    }

    /// Returns the unticked tasks, and whether there is any word, outside of our sections.
    fn others_words(&self) -> (Vec<&str>, bool) {
        let text = &self.text;
        let ours: Vec<Range<usize>> = match self.memo {
            Some(_) => sections(text)
                .into_iter()
                .filter(Section::is_ours)
                .map(|section| section.start..section.body.end)
                .gather(),
            None => Vec::new(),
        };
        let (mut tasks, mut words) = (Vec::new(), false);
        let (mut in_heading, mut in_code) = (false, false);
        for (event, range) in events(text, Options::ENABLE_TASKLISTS) {
            if ours.iter().any(|ours| ours.contains(&range.start)) {
                continue;
            }
            match event {
                // Underlined text is more likely a task above a rule than a heading.
                Event::Start(Tag::Heading { .. }) => in_heading = text[range].trim_start().starts_with('#'),
                Event::End(TagEnd::Heading(_)) => in_heading = false,
                Event::Start(Tag::CodeBlock(_)) => in_code = true,
                Event::End(TagEnd::CodeBlock) => in_code = false,
                Event::Start(Tag::HtmlBlock) => words |= has_word(&without_comments(&text[range])),
                Event::TaskListMarker(false) => {
                    let task = text[range.end..].lines().next().unwrap_or_default().trim();
                    tasks.extend((!task.is_empty()).then_some(task));
                }
                // Templates put their comments into a fence.
                Event::Text(line) if in_code => {
                    words |= line.lines().any(|line| !line.trim_start().starts_with('#') && has_word(line));
                }
                Event::Text(said) | Event::Code(said) => words |= !in_heading && has_word(&said),
                _ => {}
            }
        }
        (tasks, words)
    }
}

impl Default for HeartbeatFile {
    fn default() -> Self {
        Self::new()
    }
}

debug_as!(HeartbeatFile, |it| "HeartbeatFile {{ bytes: {}, memo: {:?} }}", it.text.len(), it.memo);

fn is_blank(text: &str) -> bool {
    text.trim_start_matches(text::BOM).trim().is_empty()
}

fn has_word(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

fn without_comments(html: &str) -> String {
    let mut rest = html;
    let mut kept = String::new();
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cases;
    use chrono::{DateTime, TimeZone, Utc};
    use proptest::prelude::*;

    fn memo() -> Heartbeat {
        Heartbeat {
            last_seen: Some(Utc.with_ymd_and_hms(2026, 11, 21, 14, 3, 0).unwrap()),
            session_id: Some("8f14".into()),
            surface: Some("repl".into()),
            turn_count: 12,
            open_loops: vec!["send the report".into()],
        }
    }

    // HB-02, U2
    #[test]
    fn a_new_file_has_the_layout() {
        let mut file = HeartbeatFile::new();
        assert!(file.update(&memo()));
        let golden = "# Heartbeat\n\n## State\n\n- last_seen: 2026-11-21T14:03:00.000Z\n- session_id: 8f14\n- surface: repl\n\
                      - turn_count: 12\n\n## Open loops\n\n- send the report\n\n## Schedule\n";
        assert_eq!(file.as_str(), golden);
        assert_eq!(HeartbeatFile::parse(golden).memo(), Some(&memo()));
        assert!(file.update(&memo()) && file.as_str() == golden, "the same state twice changes nothing");

        let mut many = memo();
        many.open((0..14).map(|n| format!("loop {n}")));
        many.open(["loop 7"]);
        many.close(["loop 9"]);
        assert!(file.update(&many));
        let loops = &file.memo().unwrap().open_loops;
        assert_eq!((loops.len(), loops[0].as_str(), loops[8].as_str()), (9, "loop 4", "loop 7"));
    }

    // HB-03
    #[test]
    fn the_users_bytes_stand_around_the_state() {
        let text = "\u{feff}# Heartbeat\r\n\r\n## State\r\nkept by hand\r\n- turn_count: 3\r\n- mood: fine\r\n\r\n## Open loops\r\n\
                    - one\r\n  and its second line\r\n\r\n## Mine\r\n```\r\n## Schedule\r\n```\r\n## Schedule\r\n\r\n\r\n- 09:00 mail  \r\n<!-- x -->";
        let mut file = HeartbeatFile::parse(text);
        assert_eq!(file.memo().unwrap().open_loops, ["one and its second line"]);
        assert!(file.update(&memo()));
        assert_eq!(
            file.as_str(),
            text.replace(
                "- turn_count: 3\r\n",
                "- last_seen: 2026-11-21T14:03:00.000Z\r\n- session_id: 8f14\r\n- surface: repl\r\n- turn_count: 12\r\n"
            )
            .replace("- one\r\n  and its second line\r\n", "- send the report\r\n")
        );
    }

    // HB-05
    #[test]
    fn a_foreign_checklist_is_not_touched() {
        for text in [
            "# Heartbeat Checklist\n\nRotate through these:\n\n- [ ] Check the mail\n- [x] Check the log\n",
            "# HEARTBEAT.md\n\n# Keep this file empty to skip\n# Add tasks below\n",
            "- [ ] one thing\n\n## Schedule\n\ndaily\n",
            "## State\n\nThe state of the garden.\n",
        ] {
            let mut file = HeartbeatFile::parse(text);
            assert!(file.is_foreign() && !file.update(&memo()), "{text}");
            assert_eq!(file.as_str(), text);
        }
        // The fence is not closed, so what is added behind it would be code.
        let open = "# Heartbeat\n\n## State\n\n- turn_count: 1\n```\n## Schedule\n";
        let mut file = HeartbeatFile::parse(open);
        assert!(!file.update(&memo()) && file.as_str() == open);
    }

    // HB-06
    #[test]
    fn headings_comments_and_our_memo_ask_for_nothing() {
        let mut ours = HeartbeatFile::new();
        assert!(ours.update(&memo()));
        for empty in [
            ours.as_str(),
            "",
            "\u{feff}\r\n",
            "# HEARTBEAT.md\n\n# Keep this file empty to skip\n",
            "<!-- one\n\n- [ ] two -->\n\n```markdown\n# three\n```\n- [ ]\n---\n",
        ] {
            assert!(HeartbeatFile::parse(empty).is_empty_of_tasks(), "{empty}");
        }
        for asks in [
            format!("{}\n- 09:00 mail\n", ours.as_str()),
            "Check the mail\n---\n".into(),
            "<!-- c --> and look".into(),
            "- [x] done, and done again tomorrow".into(),
            "```\nrun me\n```".into(),
        ] {
            assert!(!HeartbeatFile::parse(asks.clone()).is_empty_of_tasks(), "{asks}");
        }
        let schedule = format!("{}\n- [ ] mail\n- [x] done\n```\n- [ ] code\n```\n", ours.as_str());
        assert_eq!(HeartbeatFile::parse(schedule).checklist(), ["mail"]);
    }

    const PIECES: &[&str] = &[
        "# Heartbeat",
        "## State",
        "## state ##",
        "## Open loops",
        "## Schedule",
        "- last_seen: 2026-11-21T14:03:00.000Z",
        "- last_seen: soon",
        "- turn_count: 3",
        "* surface: web",
        "- theirs: x",
        "- a loop",
        "  goes on",
        "+ plus",
        "```",
        "~~~",
        "```\n## Schedule\n- [ ] in code\n```",
        "<!-- c -->",
        "<!--",
        "-->",
        "- [ ] task",
        "> ## State",
        "- ## Schedule",
        "Schedule\n---",
        "note\n===",
        "",
        "",
        "\r",
        "text",
        "   ## State",
        "\t- tab",
        "### Deep",
        "# Other",
        "-",
        "日 \u{2028} x",
    ];

    fn texts() -> impl Strategy<Value = String> {
        let piece = (proptest::sample::select(PIECES), proptest::sample::select(vec!["\n", "\n", "\r\n"]));
        let body = proptest::collection::vec(piece, 0..18);
        (body, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(pieces, ours, bom, torn)| {
            let mut text = String::from(if bom { "\u{feff}" } else { "" });
            text.push_str(if ours { "# Heartbeat\n\n## State\n- turn_count: 1\n" } else { "" });
            text.extend(pieces.into_iter().flat_map(|(piece, eol)| [piece, eol]));
            if torn {
                text.pop();
            }
            text
        })
    }

    fn memos() -> impl Strategy<Value = Heartbeat> {
        let word = || {
            proptest::sample::select(vec![
                "```",
                "<!--",
                "## Schedule",
                "a\nb",
                "",
                " x ",
                "---",
                "- y",
                "日\r\n# z",
                "\u{85}",
            ])
        };
        let seen = proptest::option::of(0..4_000_000_000_000_i64);
        (seen, proptest::option::of(word()), any::<u64>(), proptest::collection::vec(word(), 0..13)).prop_map(
            |(seen, session, turn_count, loops)| Heartbeat {
                last_seen: seen.and_then(DateTime::from_timestamp_millis),
                session_id: session.map(str::to_owned),
                surface: None,
                turn_count,
                open_loops: loops.into_iter().map(str::to_owned).collect(),
            },
        )
    }

    /// Returns the lines that are certainly not ours: no bullet, no indented line.
    fn others(text: &str) -> Vec<&str> {
        let is_other = |line: &&str| !line.trim().is_empty() && !line.starts_with(['-', '*', '+', ' ', '\t']);
        text.trim_start_matches(text::BOM).split_inclusive('\n').filter(is_other).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(100_000)))]

        // HB-02, HB-03
        #[test]
        fn an_update_reads_back_and_moves_no_other_byte(text in texts(), memo in memos()) {
            let mut file = HeartbeatFile::parse(text.clone());
            prop_assert_eq!(file.as_str(), &text, "print is the inverse of parse");
            let before = file.clone();
            let could = !file.is_foreign();
            if !file.update(&memo) {
                prop_assert_eq!(&file, &before);
                return Ok(());
            }
            prop_assert!(could);
            let read = HeartbeatFile::parse(file.as_str());
            prop_assert_eq!(read.memo(), Some(&memo.normal()));
            prop_assert_eq!(read.schedule().unwrap_or_default(), before.schedule().unwrap_or_default());
            // Text that is not ours is still there, in its order.
            let mut after = others(file.as_str()).into_iter();
            for line in others(&text) {
                let line = line.trim_end_matches('\n').trim_end_matches('\r');
                prop_assert!(after.any(|kept| kept.trim_end_matches(['\r', '\n']) == line.trim_end_matches('\r')), "{line:?}");
            }
            let mut again = read.clone();
            prop_assert!(again.update(&memo) && again == read, "an update is idempotent");
            prop_assert_eq!(
                read.is_empty_of_tasks(), before.is_empty_of_tasks(),
                "our memo is no task"
            );
        }
    }
}
