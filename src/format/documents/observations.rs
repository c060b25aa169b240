//! Observations, `observations.md`: what a sleeper keeps of its days, one marked line each.
//!
//! ```text
//! ## 2026-02-12
//!
//! RED 09:32 PR #50 merged on janee, the first contribution
//! GRN 09:32 Dev environment verified working after reboot
//! ```
//!
//! All other lines of the file are kept as they are. Printing what was parsed gives the same bytes.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::day::DayPolicy;
use crate::base::debug::debug_as;
use crate::base::sorted::SortedSet;
use crate::base::text;

/// The weight of an observation, and so its lifetime. Prints and reads back as the word in front of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// `RED`: commitments, bans, deadlines, key wins. No pruning takes it.
    Red,
    /// `YLW`: the state of projects, patterns that were learned. It stays until a deep sleep names it.
    Yellow,
    /// `GRN`: tool output, surroundings, small detail. It stays for 48 hours.
    Green,
}

impl Mark {
    const ALL: [Self; 3] = [Self::Red, Self::Yellow, Self::Green];

    /// Returns the word in front of a line.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Red => "RED",
            Self::Yellow => "YLW",
            Self::Green => "GRN",
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Mark {
    type Err = UnknownMark;

    fn from_str(word: &str) -> Result<Self, UnknownMark> {
        Self::ALL.into_iter().find(|mark| mark.as_str() == word).ok_or(UnknownMark)
    }
}

/// A text that names no [`Mark`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a mark: RED, YLW or GRN")]
pub struct UnknownMark;

/// One observation: the minute it is of, its mark, and what was seen. Prints as its line: `RED 09:32 PR merged`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Observation {
    /// The operator's day.
    pub date: NaiveDate,
    /// The minute of it, on the operator's clock.
    pub time: NaiveTime,
    /// The weight.
    pub mark: Mark,
    /// The words: one line that is not blank.
    pub text: String,
}

impl Observation {
    fn parse(line: &str, date: NaiveDate) -> Option<Self> {
        let (mark, rest) = line.split_at_checked(3)?;
        let mark = mark.parse().ok()?;
        let (time, text) = rest.strip_prefix(' ')?.split_at_checked(5)?;
        let is_plain = time.bytes().enumerate().all(|(at, byte)| at == 2 || byte.is_ascii_digit());
        let time = NaiveTime::parse_from_str(time, "%H:%M").ok().filter(|_| is_plain)?;
        let text = text.strip_prefix(' ')?;
        let starts = text.starts_with(|c: char| !c.is_whitespace());
        starts.then(|| Self { date, time, mark, text: text.trim_end().to_owned() })
    }

    /// Returns the instant that the day and minute are on the operator's clock.
    #[must_use]
    pub fn instant(&self, day: DayPolicy) -> DateTime<Utc> {
        day.instant(self.date, self.time)
    }
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.mark, self.time.format("%H:%M"), self.text)
    }
}

debug_as!(Observation, |it| "{:?} {} {}, {} bytes", it.mark, it.date, it.time, it.text.len());

impl Serialize for Observation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{} {self}", self.date))
    }
}

impl<'de> Deserialize<'de> for Observation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parsed = text.split_once(' ').and_then(|(date, line)| Self::parse(line, date.parse().ok()?));
        parsed.ok_or_else(|| serde::de::Error::custom("not an observation"))
    }
}

/// A file of observations, taken apart line by line.
///
/// ```
/// use noctuary::format::{Mark, Observations};
///
/// let text = "## 2026-02-12\n\nRED 09:32 PR #50 merged\nGRN 09:40 tests pass\n";
/// let observations = Observations::parse(text);
/// assert_eq!(observations.entries().count(), 2);
/// let (line, first) = observations.entries().next().unwrap();
/// assert_eq!((line, first.mark, first.text.as_str()), (3, Mark::Red, "PR #50 merged"));
/// assert_eq!(observations.as_str(), text);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Observations {
    text: String,
    lines: Vec<Line>,
}

#[derive(Clone, PartialEq, Eq)]
struct Line {
    /// With its line break.
    range: Range<usize>,
    kind: Kind,
}

#[derive(Clone, PartialEq, Eq)]
enum Kind {
    Day(NaiveDate),
    Entry(Observation),
    Blank,
    Other,
}

impl Observations {
    /// Takes a file apart. Any text is one; a line that is no observation, or is under no day, is left alone.
    #[must_use]
    pub fn parse(text: impl Into<String>) -> Self {
        let text = text.into();
        let (mut day, mut start, mut lines) = (None, 0, Vec::new());
        for line in text.split_inclusive('\n') {
            let range = start..start + line.len();
            start = range.end;
            let line = line.trim_start_matches(text::BOM).trim_end();
            let kind = if line.is_empty() {
                Kind::Blank
            } else if let Some(date) = date_of(line) {
                day = Some(date);
                Kind::Day(date)
            } else if line.starts_with("# ") || line.starts_with("## ") {
                day = None;
                Kind::Other
            } else {
                day.and_then(|date| Observation::parse(line, date)).map_or(Kind::Other, Kind::Entry)
            };
            lines.push(Line { range, kind });
        }
        Self { text, lines }
    }

    /// Returns the file, byte for byte.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the observations in their order, each with the number of its line, from 1.
    #[must_use]
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (u64, &Observation)> {
        self.lines.iter().enumerate().filter_map(|(at, line)| match &line.kind {
            Kind::Entry(entry) => Some((at as u64 + 1, entry)),
            _ => None,
        })
    }

    /// Returns the file without these observations, and without the headings of days that have nothing left.
    #[must_use]
    pub(crate) fn without(&self, dropped: &SortedSet<Observation>) -> String {
        let goes = |line: &Line| matches!(&line.kind, Kind::Entry(entry) if dropped.contains(entry));
        let mut kept = String::with_capacity(self.text.len());
        let mut at = 0;
        while at < self.lines.len() {
            // A day is its heading and all up to the next heading.
            let next = (at + 1..self.lines.len()).find(|next| self.is_heading(*next));
            let part = &self.lines[at..next.unwrap_or(self.lines.len())];
            at += part.len();
            let is_bare = |line: &Line| matches!(line.kind, Kind::Blank | Kind::Day(_)) || goes(line);
            let is_emptied =
                matches!(part[0].kind, Kind::Day(_)) && part.iter().any(goes) && part.iter().all(is_bare);
            if !is_emptied {
                part.iter()
                    .filter(|line| !goes(line))
                    .for_each(|line| kept.push_str(&self.text[line.range.clone()]));
            }
        }
        kept
    }

    fn is_heading(&self, at: usize) -> bool {
        let line = &self.lines[at];
        match line.kind {
            Kind::Day(_) => true,
            Kind::Other => {
                let text = &self.text[line.range.clone()];
                text.starts_with("# ") || text.starts_with("## ")
            }
            _ => false,
        }
    }

    /// Returns what is to be appended so that these observations are in the file: those that do not yet, under their
    /// days.
    #[must_use]
    pub(crate) fn addition(&self, observations: &[Observation]) -> String {
        let mut standing: SortedSet<&Observation> = self.entries().map(|(_, entry)| entry).collect();
        let last = self.lines.iter().enumerate().rev().find(|(at, _)| self.is_heading(*at));
        let mut day = last.and_then(|(_, line)| match line.kind {
            Kind::Day(date) => Some(date),
            _ => None,
        });
        let mut added = String::new();
        let mut is_begun = self.text.trim_start_matches(text::BOM).is_empty();
        for observation in observations {
            if !standing.insert(observation) {
                continue;
            }
            if added.is_empty() && !is_begun && !self.text.ends_with('\n') {
                added.push('\n');
            }
            if day != Some(observation.date) {
                added.push_str(if is_begun { "" } else { "\n" });
                added.push_str(&format!("## {}\n\n", observation.date));
                day = Some(observation.date);
            }
            is_begun = false;
            added.push_str(&format!("{observation}\n"));
        }
        added
    }
}

debug_as!(
    Observations,
    |it| "Observations {{ bytes: {}, entries: {} }}",
    it.text.len(),
    it.entries().count()
);

fn date_of(line: &str) -> Option<NaiveDate> {
    let date = line.strip_prefix("## ")?;
    let parsed: NaiveDate = date.parse().ok()?;
    (parsed.to_string() == date).then_some(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{FixedOffset, TimeZone};
    use proptest::prelude::*;

    const SAMPLE: &str = "## 2026-02-12\n\nRED 09:32 PR #50 merged on janee repo, first successful contribution\nRED 09:32 Engaged in 2 high-value discussions on GitHub\nYLW 09:32 No responses yet to comments, too early to judge impact\nGRN 09:32 Dev environment verified working after reboot\n";

    fn entries(text: &str) -> Vec<Observation> {
        Observations::parse(text).entries().map(|(_, entry)| entry.clone()).collect()
    }

    // SL-04.
    #[test]
    fn the_seeds_sample_reads_and_prints_back() {
        let read = entries(SAMPLE);
        let marks: Vec<_> = read.iter().map(|entry| entry.mark).collect();
        assert_eq!(marks, [Mark::Red, Mark::Red, Mark::Yellow, Mark::Green]);
        assert_eq!(read[3].to_string(), "GRN 09:32 Dev environment verified working after reboot");
        assert_eq!(Observations::parse("").addition(&read), SAMPLE);
        assert_eq!(Observations::parse(SAMPLE).addition(&read), "", "what stands there is not said again");
    }

    #[test]
    fn what_is_no_observation_is_none_and_stays() {
        let text = "RED 09:00 under no day\r\n## 2026-02-12\r\nRED 9:00 x\r\nRED 09:60 x\r\nred 09:00 x\r\nRED 09:00\r\nRED 09:00  x\r\nGRN +9:00 x\r\n- GRN 09:00 x\r\nGRN 09:00 yes\r\n## Notes\r\nGRN 09:00 no\r\n## 2026-2-12\r\nGRN 09:00 no";
        assert_eq!(entries(text).len(), 1);
        let nothing_left = Observations::parse(text).without(&entries(text).into_iter().collect());
        assert_eq!(nothing_left, text.replace("GRN 09:00 yes\r\n", ""));
    }

    #[test]
    fn a_day_that_is_emptied_leaves_with_its_heading_and_others_stay() {
        let text = "# Mine\n\n## 2026-02-11\n\n## 2026-02-12\n\nGRN 09:00 a\n\n## 2026-02-13\n\nGRN 09:00 b\nhandwritten\n";
        let gone = Observations::parse(text).without(&entries(text).into_iter().collect());
        assert_eq!(gone, "# Mine\n\n## 2026-02-11\n\n## 2026-02-13\n\nhandwritten\n");
    }

    #[test]
    fn a_day_goes_on_where_it_is_the_last_heading_and_begins_anew_elsewhere() {
        let new = entries("## 2026-02-12\n\nRED 10:00 new\n");
        let addition = |text: &str| Observations::parse(text).addition(&new);
        assert_eq!(addition("## 2026-02-12\n\nGRN 09:00 a\n"), "RED 10:00 new\n");
        assert_eq!(addition("## 2026-02-12\n\nGRN 09:00 a"), "\nRED 10:00 new\n");
        assert_eq!(addition("## 2026-02-11\n"), "\n## 2026-02-12\n\nRED 10:00 new\n");
        assert_eq!(addition("## 2026-02-12\n## Notes\n"), "\n## 2026-02-12\n\nRED 10:00 new\n");
    }

    #[test]
    fn a_minute_after_midnight_is_of_the_night_that_ends_the_day() {
        let day = DayPolicy::new(FixedOffset::east_opt(3600).unwrap(), 4);
        for hour in [0, 2, 3, 12, 23] {
            let instant = Utc.with_ymd_and_hms(2026, 2, 12, hour, 30, 0).unwrap();
            let entry = Observation {
                date: day.date(instant),
                time: day.time(instant),
                mark: Mark::Green,
                text: "x".into(),
            };
            assert_eq!(entry.instant(day), instant);
        }
    }

    fn observation() -> impl Strategy<Value = Observation> {
        let mark = prop_oneof![Just(Mark::Red), Just(Mark::Yellow), Just(Mark::Green)];
        (0i64..4, 0u32..1440, mark, "[!-~][ -~]{0,8}[!-~]").prop_map(|(day, minute, mark, text)| {
            let date = NaiveDate::from_ymd_opt(2026, 2, 12).unwrap() + chrono::TimeDelta::days(day);
            let time = NaiveTime::from_hms_opt(minute / 60, minute % 60, 0).unwrap();
            Observation { date, time, mark, text }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(20_000)))]

        #[test]
        fn any_text_comes_back_and_loses_only_what_is_dropped(
            text in proptest::collection::vec(prop_oneof![
                Just("## 2026-02-12\n".to_owned()), Just("## Notes\n".to_owned()), Just("\n".to_owned()),
                Just("GRN 09:00 a\r\n".to_owned()), Just("RED 09:00 b\n".to_owned()), "\\PC{0,12}\n", "\\PC{0,6}",
            ], 0..12).prop_map(|lines| lines.concat())
        ) {
            let parsed = Observations::parse(text.as_str());
            prop_assert_eq!(parsed.as_str(), &text);
            prop_assert_eq!(parsed.without(&SortedSet::new()), text.as_str());
            let greens: SortedSet<Observation> = entries(&text).into_iter().filter(|entry| entry.mark == Mark::Green).collect();
            let left = entries(&parsed.without(&greens));
            let expected: Vec<_> = entries(&text).into_iter().filter(|entry| !greens.contains(entry)).collect();
            prop_assert_eq!(left, expected);
        }

        #[test]
        fn what_is_added_stands_there_once_whatever_stood_there(
            before in proptest::collection::vec(observation(), 0..6),
            added in proptest::collection::vec(observation(), 0..6),
            rest in prop_oneof![Just(""), Just("\n## Notes\n\nmine"), Just("mine"), Just("\n")],
        ) {
            let mut text = Observations::parse("").addition(&before) + rest;
            text += &Observations::parse(text.as_str()).addition(&added);
            let stands: Vec<_> = entries(&text);
            let all: SortedSet<_> = before.iter().chain(&added).cloned().collect();
            prop_assert_eq!(stands.len(), all.len(), "{}", text);
            prop_assert_eq!(stands.into_iter().collect::<SortedSet<_>>(), all);
            prop_assert_eq!(Observations::parse(text.as_str()).addition(&added), "");
        }

        #[test]
        fn an_observation_survives_json(entry in observation()) {
            let json = serde_json::to_string(&entry).unwrap();
            prop_assert_eq!(serde_json::from_str::<Observation>(&json).unwrap(), entry);
        }
    }
}
