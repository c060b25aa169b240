//! Days: a span of them, and the words for days of the week.

use chrono::{NaiveDate, Weekday};

/// The first and the last of some days.
pub(crate) type Span = (NaiveDate, NaiveDate);

/// Returns the day of the week that a word names.
pub(crate) fn weekday(word: &str) -> Option<Weekday> {
    const NAMES: [(&str, &str, Weekday); 7] = [
        ("monday|mon|mondays", "montag|montags|lundi|lunes|周一|星期一|月曜", Weekday::Mon),
        ("tuesday|tue|tues|tuesdays", "dienstag|dienstags|mardi|martes|周二|星期二|火曜", Weekday::Tue),
        ("wednesday|wed|wednesdays", "mittwoch|mittwochs|mercredi|周三|星期三|水曜", Weekday::Wed),
        (
            "thursday|thu|thur|thurs|thursdays",
            "donnerstag|donnerstags|jeudi|jueves|周四|星期四|木曜",
            Weekday::Thu,
        ),
        ("friday|fri|fridays", "freitag|freitags|vendredi|viernes|周五|星期五|金曜", Weekday::Fri),
        ("saturday|sat|saturdays", "samstag|samstags|samedi|sábado|周六|星期六|土曜", Weekday::Sat),
        ("sunday|sun|sundays", "sonntag|sonntags|dimanche|domingo|周日|星期日|日曜", Weekday::Sun),
    ];
    NAMES
        .into_iter()
        .find(|(english, others, _)| english.split('|').chain(others.split('|')).any(|name| name == word))
        .map(|(.., weekday)| weekday)
}
