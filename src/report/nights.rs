//! The log's entries of earlier nights.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use crate::format::DreamId;
use crate::format::state::log::LogLine;

/// The passes of one day.
#[derive(Debug, Default)]
pub(super) struct Night {
    /// The words of their outcomes, each once, and how often.
    pub(super) outcomes: BTreeMap<String, u32>,
    /// Lines that were promoted, or brought back.
    pub(super) promoted: u64,
    /// Lines that a person took back with their dream.
    pub(super) undone: u64,
    /// Lines promoted up to here, without those that were taken back.
    pub(super) total: u64,
    /// Bytes sent to the model.
    pub(super) sent: u64,
    /// Tokens, where the host said.
    pub(super) tokens: u64,
}

/// Gathers the passes by day, ascending.
pub(super) fn nights(log: &[LogLine]) -> BTreeMap<NaiveDate, Night> {
    let mut nights: BTreeMap<NaiveDate, Night> = BTreeMap::new();
    let mut standing: BTreeMap<&DreamId, u64> = BTreeMap::new();
    let mut undone: BTreeSet<&DreamId> = BTreeSet::new();
    for line in log {
        let night = nights.entry(line.day).or_default();
        *night.outcomes.entry(line.outcome.clone()).or_default() += 1;
        night.sent = night.sent.saturating_add(line.request_bytes);
        let tokens = line.usage.map_or(0, |usage| usage.input.saturating_add(usage.output));
        night.tokens = night.tokens.saturating_add(tokens);
        let of_dream = standing.entry(&line.id).or_default();
        match line.outcome.as_str() {
            APPENDED => {
                // Of one that was taken back, nothing is left of what it had promoted.
                *of_dream = line.lines.len() as u64 + if undone.remove(&line.id) { 0 } else { *of_dream };
                night.promoted += line.lines.len() as u64;
            }
            UNDONE => {
                undone.insert(&line.id);
                night.undone += *of_dream;
            }
            REDONE => {
                undone.remove(&line.id);
                night.promoted += *of_dream;
            }
            _ => {}
        }
    }
    let mut total = 0_u64;
    for night in nights.values_mut() {
        total = (total + night.promoted).saturating_sub(night.undone);
        night.total = total;
    }
    nights
}

/// The words of the log for what adds lines to memory, and takes them back.
const APPENDED: &str = "appended";
const UNDONE: &str = "undone";
const REDONE: &str = "redone";

/// The width and height that a curve is drawn in.
pub(super) const WIDTH: u64 = 1000;
/// See [`WIDTH`].
pub(super) const HEIGHT: u64 = 200;

/// Returns the steps of the growth as the path of an area: a day's lines count from that day on. `None` for less than
/// two days, and where nothing grew.
pub(super) fn curve(nights: &BTreeMap<NaiveDate, Night>) -> Option<String> {
    let (first, last) = (nights.keys().next()?, nights.keys().next_back()?);
    let days = u64::try_from(last.signed_duration_since(*first).num_days()).ok().filter(|days| *days > 0)?;
    let most = nights.values().map(|night| night.total).max().filter(|most| *most > 0)?;
    // The last day has room too.
    let x = |day: u64| day * WIDTH / (days + 1);
    let mut path = format!("M0 {HEIGHT}");
    for (date, night) in nights {
        let day = u64::try_from(date.signed_duration_since(*first).num_days()).unwrap_or(0);
        path.push_str(&format!("H{}V{}", x(day), HEIGHT - night.total * HEIGHT / most));
    }
    path.push_str(&format!("H{WIDTH}V{HEIGHT}Z"));
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::state::log;

    fn log(days: &[(&str, &str, usize)]) -> Vec<LogLine> {
        let line = |(day, outcome, lines): &(&str, &str, usize)| {
            format!(
                r#"{{"v":1,"at":null,"day":"{day}","id":"0123456789abcdef","epoch":1,"outcome":"{outcome}","sources":[],"lines":{:?},"request_bytes":10}}"#,
                vec!["x"; *lines]
            ) + "\n"
        };
        log::parse(&days.iter().map(line).collect::<String>()).collect()
    }

    #[test]
    fn passes_of_a_day_are_one_night_and_only_what_was_appended_counts() {
        let nights = nights(&log(&[
            ("2026-11-20", "appended", 2),
            ("2026-11-20", "appended", 1),
            ("2026-11-21", "llm_error", 0),
            ("2026-11-23", "appended", 1),
        ]));
        let told: Vec<_> = nights.values().map(|night| (night.promoted, night.total, night.sent)).collect();
        assert_eq!(told, [(3, 3, 20), (0, 3, 10), (1, 4, 10)]);
        assert_eq!(curve(&nights).unwrap(), "M0 200H0V50H250V50H750V0H1000V200Z");
    }

    #[test]
    fn a_dream_that_was_taken_back_counts_no_more_until_it_is_brought_back() {
        let nights = nights(&log(&[
            ("2026-11-20", "appended", 4),
            ("2026-11-21", "undone", 0),
            ("2026-11-22", "redone", 0),
        ]));
        assert_eq!(nights.values().map(|night| night.total).collect::<Vec<_>>(), [4, 0, 4]);
        assert_eq!(curve(&nights).unwrap(), "M0 200H0V0H333V200H666V0H1000V200Z");
    }

    #[test]
    fn one_night_and_nights_without_a_line_are_no_curve() {
        assert!(curve(&nights(&[])).is_none());
        assert!(curve(&nights(&log(&[("2026-11-20", "appended", 2)]))).is_none());
        assert!(
            curve(&nights(&log(&[("2026-11-20", "llm_error", 0), ("2026-11-21", "nothing_to_promote", 0)])))
                .is_none()
        );
    }
}
