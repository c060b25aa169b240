//! Relative days: words such as "tomorrow", and the days that they mean, by language.
//!
//! The table beside this file has a language, a meaning and phrases in each line, and tells its own form. A phrase that may mean
//! two days has no date: "next Friday" on a Tuesday, "this Friday" on a Friday. Nor has a number of days or weeks, nor a name
//! such as "USA Today".

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use chrono::{Datelike, NaiveDate, TimeDelta, Weekday};
use regex::{Captures, Regex};
use unicode_normalization::UnicodeNormalization;

use super::gather::Gather as _;
use super::pattern::pattern;
use super::text;

/// The first and the last of some days.
pub(crate) type Span = (NaiveDate, NaiveDate);

/// A relative day in a text.
pub(crate) struct Relative {
    start: usize,
    end: usize,
    /// The first and the last day that it may mean.
    pub(crate) span: Span,
    /// The day that it means, where it means one.
    pub(crate) date: Option<NaiveDate>,
}

/// The phrases of a language.
struct Language {
    name: &'static str,
    /// Each meaning with its phrases, in the order of the table.
    meanings: Vec<(&'static str, &'static str)>,
    /// Rows that tell of words, and have no meaning of their own.
    words: Vec<(&'static str, &'static str)>,
    patterns: OnceLock<Patterns>,
    /// Any phrase at the end of a text.
    ends: OnceLock<Regex>,
}

struct Patterns {
    /// A group for each row.
    phrases: Regex,
    weekdays: Regex,
    numbers: Regex,
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let mut languages: Vec<Language> = Vec::new();
    for line in include_str!("relative.tsv").lines() {
        let Some((name, row)) = line.split_once('\t') else { continue };
        let Some(row) = row.split_once('\t') else { continue };
        if languages.last().is_none_or(|last| last.name != name) {
            let (patterns, ends) = (OnceLock::new(), OnceLock::new());
            languages.push(Language { name, meanings: Vec::new(), words: Vec::new(), patterns, ends });
        }
        let language = languages.last_mut().expect("it was just added");
        let is_of_words = matches!(row.0, "weekdays" | "numbers" | "noun");
        if is_of_words { &mut language.words } else { &mut language.meanings }.push(row);
    }
    languages
});

/// Returns the phrases of a row as one pattern, or as a group each. An accent is one character or two.
fn alternatives(phrases: &str, is_grouped: bool) -> String {
    let mut all = String::new();
    for phrase in phrases.split(", ") {
        let parted: String = phrase.nfd().collect();
        let also = if parted == phrase { String::new() } else { format!("|{parted}") };
        let (bar, group) = (if all.is_empty() { "" } else { "|" }, if is_grouped { "" } else { "?:" });
        all.extend([bar, "(", group, phrase, &also, ")"]);
    }
    all
}

impl Language {
    fn named(name: &str) -> Option<&'static Self> {
        LANGUAGES.iter().find(|language| language.name == name)
    }

    /// Returns the language with a name. For a text that shows none, it is the one language in which a day is
    /// certain.
    fn of(name: Option<&str>, text: &str, day: NaiveDate) -> Option<&'static Self> {
        if let Some(name) = name {
            return Self::named(name);
        }
        let mut only: Option<&Self> = None;
        for language in LANGUAGES.iter() {
            for found in language.find(text, day) {
                if found.date.is_some() {
                    if only.is_some_and(|only| only.name != language.name) {
                        return None;
                    }
                    only = Some(language);
                }
            }
        }
        only
    }

    /// Returns the words of a row; where there is none, a pattern that is nowhere.
    fn row(&self, name: &str) -> &'static str {
        for (known, words) in &self.words {
            if *known == name {
                return words;
            }
        }
        r"[^\s\S]"
    }

    /// Returns what is around a word where words end.
    fn edges(&self) -> (&'static str, &'static str) {
        match self.name {
            "zh" | "ja" => ("", ""),
            // Particles are part of the word.
            "ko" => (r"\b", ""),
            _ => (r"\b", r"\b"),
        }
    }

    /// Returns a pattern that is in a line of the table, or made of such ones, between the edges of words.
    fn pattern(&self, text: &str, end: &str) -> Regex {
        let (before, behind) = self.edges();
        let mut text = text.replace(" ?", r"\s*").replace(' ', r"\s+");
        if self.name == "tr" {
            // Its capital is an I, and so it is without marks.
            text = text.replace('ı', "[ıIi]");
        }
        pattern(&format!("(?i){before}(?:{text}){behind}{end}"))
    }

    /// Returns the phrases, a group for each row.
    fn phrases(&self) -> String {
        let number = format!("(?:[0-9]{{1,3}}|{})", alternatives(&self.numbers(), false));
        let weekday = format!("(?:{})", alternatives(self.row("weekdays"), false));
        let mut groups = String::new();
        for (_, phrases) in &self.meanings {
            let phrases = alternatives(phrases, false).replace('#', &number).replace('@', &weekday);
            groups.extend([if groups.is_empty() { "(" } else { "|(" }, &phrases, ")"]);
        }
        groups
    }

    /// Returns the words for numbers from the last one back: "on iki" begins with "on".
    fn numbers(&self) -> String {
        let mut numbers: Vec<&str> = self.row("numbers").split(", ").gather();
        numbers.reverse();
        numbers.join(", ")
    }

    fn patterns(&self) -> &Patterns {
        self.patterns.get_or_init(|| Patterns {
            phrases: self.pattern(&self.phrases(), ""),
            weekdays: self.pattern(&alternatives(self.row("weekdays"), true), ""),
            numbers: self.pattern(&alternatives(&self.numbers(), true), ""),
        })
    }

    /// Returns whether a text ends with a phrase. Letters of another script make none.
    fn ends(&self, text: &str) -> bool {
        let script = |letter: Option<char>| match letter {
            Some('\u{400}'..='\u{52f}') => 1,
            Some('\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}') => 2,
            Some('\u{2e80}'..) => 3,
            _ => 0,
        };
        let ends = || self.ends.get_or_init(|| self.pattern(&self.phrases(), "$"));
        let own = self.row("weekdays").chars().find(|c| c.is_alphabetic());
        script(text.chars().rev().find(|c| c.is_alphabetic())) == script(own) && ends().is_match(text)
    }

    /// Returns the relative days of a text, seen from a day.
    fn find(&self, text: &str, day: NaiveDate) -> Vec<Relative> {
        let mut found = Vec::new();
        for captures in self.patterns().phrases.captures_iter(text) {
            let meaning = self.meanings[group(&captures)].0;
            let whole = captures.get(0).expect("the whole match");
            let (start, end) = (whole.start(), whole.end());
            if let Some((span, date)) = self.days(meaning, whole.as_str(), day) {
                let date = if self.is_apart(text, start, end) { date } else { None };
                found.push(Relative { start, end, span, date });
            }
        }
        found
    }

    /// Returns the span of days that a phrase may mean, and the day that it means.
    fn days(&self, meaning: &str, said: &str, day: NaiveDate) -> Option<(Span, Option<NaiveDate>)> {
        let shifted = |days: i64| day + TimeDelta::days(days);
        let patterns = self.patterns();
        let said: String = said.nfc().collect();
        let factor = match meaning {
            "none" => return None,
            "days" => 1,
            "weeks" => 7,
            "-days" => -1,
            "-weeks" => -7,
            _ => 0,
        };
        if factor != 0 {
            let digits: String = said.chars().filter(char::is_ascii_digit).collect();
            let number = match (digits.parse::<i64>(), patterns.numbers.captures(&said)) {
                (Ok(number), _) => number,
                (_, captures) => {
                    i64::try_from(self.row("numbers").split(", ").count() - group(&captures?)).ok()?
                }
            };
            // "In 90 days" may be a rule, and "in two weeks" tell how long something took: a span, and no date.
            let (date, slack) = (shifted(factor * number), TimeDelta::days(factor.abs() - 1));
            return Some(((date - slack, date + slack), None));
        }
        if let Some((from, to)) = meaning.split_once("..") {
            return Some(((shifted(from.parse().ok()?), shifted(to.parse().ok()?)), None));
        }
        if let Ok(days) = meaning.parse() {
            return Some(((shifted(days), shifted(days)), Some(shifted(days))));
        }
        let weekday = numbered(group(&patterns.weekdays.captures(&said)?))?;
        let date = on(meaning, day, weekday)?;
        Some(((date, date), Some(date)))
    }

    /// Returns whether a phrase is prose, and no part of an address, a name of code, or another noun.
    fn is_apart(&self, text: &str, start: usize, end: usize) -> bool {
        let (before, behind) = (&text[..start], &text[end..]);
        let mut next = behind.chars();
        let goes_on = match next.next() {
            Some('/' | '_' | '@' | '=') => true,
            Some('-' | '.') => next.next().is_some_and(char::is_alphanumeric),
            _ => false,
        };
        let said = &text[start..end];
        let opens = before.trim().is_empty()
            || before.trim_end().ends_with(['.', '!', '?', ':', '-', '–', '*', '(', '"', '“', '„', '«']);
        // A capital that opens no sentence is that of a name, but for days of the week.
        let is_name = said.starts_with(char::is_uppercase)
            && !opens
            && self.patterns().weekdays.find(said).is_none_or(|weekday| weekday.start() > 0);
        let is_noun = said.to_lowercase() == self.row("noun")
            && said.starts_with(char::is_uppercase)
            && !(opens && behind.starts_with(' '));
        let is_code = before.matches('`').count() % 2 == 1;
        !goes_on
            && !is_name
            && !is_noun
            && !is_code
            && !before.ends_with(['/', '_', '@', '#', '=', '&', '.', '-'])
    }
}

/// Returns the number of the first group that is in a match, from 0. One of them always is.
fn group(captures: &Captures<'_>) -> usize {
    let mut at = 1;
    while captures.get(at).is_none() && at + 1 < captures.len() {
        at += 1;
    }
    at - 1
}

/// Returns the day of the week with a number, from Monday on.
fn numbered(number: usize) -> Option<Weekday> {
    Weekday::try_from(u8::try_from(number).ok()?).ok()
}

/// Returns the date of a day of the week. The week begins on Monday or on Sunday, and where that makes a difference there is none.
fn on(meaning: &str, day: NaiveDate, weekday: Weekday) -> Option<NaiveDate> {
    let shifted = |days: i64| day + TimeDelta::days(days);
    let (today, wanted) = (day.weekday(), weekday);
    let ahead = i64::from(wanted.days_since(today));
    let coming = shifted(if ahead == 0 { 7 } else { ahead });
    let before = shifted(ahead - 7);
    let week = |weeks: i64| {
        let from = |first: Weekday| i64::from(wanted.days_since(first)) - i64::from(today.days_since(first));
        let days = from(Weekday::Mon);
        (days == from(Weekday::Sun)).then(|| shifted(days + 7 * weeks))
    };
    match meaning {
        "coming" => Some(coming),
        "next" if week(1) == Some(coming) => Some(coming),
        "this" if week(0) == Some(coming) => Some(coming),
        "last" if week(-1) == Some(before) => Some(before),
        "next" | "this" | "last" => None,
        _ => week(meaning.strip_prefix("week")?.parse().ok()?),
    }
}

/// Returns the relative days of a text in any language, seen from a day.
pub(crate) fn in_any(text: &str, day: NaiveDate) -> Vec<Relative> {
    let mut found = Vec::new();
    for language in LANGUAGES.iter() {
        found.extend(language.find(text, day));
    }
    found
}

/// Returns the dates of the relative days in a text, in one language or the only one that knows such a day.
pub(crate) fn dates_of(text: &str, language: Option<&str>, day: NaiveDate) -> Vec<NaiveDate> {
    let mut dates = Vec::new();
    if let Some(language) = Language::of(language, text, day) {
        for found in language.find(text, day) {
            dates.extend(found.date);
        }
    }
    dates
}

/// Returns the days of the week that a word is, in any language, and not that it only has in it.
pub(crate) fn weekdays_of_word(word: &str) -> Vec<Weekday> {
    let mut named = Vec::new();
    for language in LANGUAGES.iter() {
        for captures in language.patterns().weekdays.captures_iter(word) {
            let is_whole = captures.get(0).is_some_and(|whole| whole.len() == word.len());
            named.extend(is_whole.then(|| numbered(group(&captures))).flatten());
        }
    }
    named
}

/// Returns the days of the week that a text names in any language.
pub(crate) fn weekdays(text: &str) -> Vec<Weekday> {
    let mut named = Vec::new();
    for language in LANGUAGES.iter() {
        for captures in language.patterns().weekdays.captures_iter(text) {
            named.extend(numbered(group(&captures)));
        }
    }
    named
}

/// Returns a text with the date of each relative day in brackets behind it; `None` where there is none to add. A date that the text
/// has already, or that is beside the phrase, is not told again.
pub(crate) fn dated(
    text: &str,
    language: Option<&str>,
    day: NaiveDate,
    is_known: &dyn Fn(NaiveDate) -> bool,
) -> Option<String> {
    let language = Language::of(language, text, day)?;
    let gap = if language.edges().0.is_empty() { "" } else { " " };
    let (mut written, mut from) = (String::new(), 0);
    for found in language.find(text, day) {
        let Some(date) = found.date else { continue };
        let printed = date.to_string();
        let is_told = text.contains(&printed) || written.contains(&printed);
        if !is_told && !is_beside_date(&text[..found.start], &text[found.end..]) && is_known(date) {
            written.extend([&text[from..found.end], gap, "(", &printed, ")"]);
            from = found.end;
        }
    }
    (from > 0).then(|| written + &text[from..])
}

/// Returns whether a date is beside a place: "tomorrow, 4 March", "4 March (tomorrow)".
fn is_beside_date(before: &str, behind: &str) -> bool {
    const MONTH: &str = r"(?:jan|feb|f[eé]v|m[aä]r|apr|abr|avr|kwi|nis|mai|may|mei|maj|mag|jun|jui|giu|cze|haz|jul|lug|lip|tem|aug|ago|aoû|sie|ağu|sep|set|wrz|eyl|o[ck]t|ott|out|paź|eki|nov|lis|kas|de[cz]|déc|dic|gru|ara|ene|gen|sty|lut|oca|şub|янв|фев|мар|апр|ма[йя]|июн|июл|авг|сен|окт|ноя|дек)\p{L}*\.?";
    static DATES: LazyLock<[Regex; 2]> = LazyLock::new(|| {
        let date = format!(
            r"(?:\d{{4}}[-/]\d{{1,2}}[-/]\d{{1,2}}|\d{{1,2}}[./]\d{{1,2}}(?:[./](?:\d{{4}})?)?|\d{{1,2}}(?:st|nd|rd|th|er|º|\.)?\s(?:of |de )?{MONTH}(?:,?(?: de)? \d{{4}})?|{MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{1,2}}\s?[月월]\s?\d{{1,2}}\s?[日号號일]?)"
        );
        [
            pattern(&format!(r"(?i){date}\W{{0,3}}$")),
            pattern(&format!(r"(?i)^\W{{0,3}}(?:\p{{L}}+\W{{1,2}}){{0,2}}{date}")),
        ]
    });
    DATES[0].is_match(before) || DATES[1].is_match(behind)
}

/// Returns the places of dates in brackets right behind a relative day, as [`dated`] adds them, with the space in front.
pub(crate) fn dates(text: &str) -> Vec<Range<usize>> {
    /// The bytes in front in which a phrase is looked for.
    const PHRASE: usize = 64;
    let mut dates = Vec::new();
    for (open, _) in text.match_indices('(') {
        let end = open + "(2026-03-04)".len();
        let Some(date) = text.get(open + 1..end).and_then(|date| date.strip_suffix(')')) else { continue };
        if date.parse::<NaiveDate>().is_err() {
            continue;
        }
        let start = if text[..open].ends_with(' ') { open - 1 } else { open };
        let front = &text[text::ceil_boundary(text, start.saturating_sub(PHRASE))..start];
        let front = front.rsplit('\n').next().unwrap_or(front);
        for language in LANGUAGES.iter() {
            if language.ends(front) {
                dates.push(start..end);
                break;
            }
        }
    }
    dates
}

/// Returns whether a text is a relative day and nothing else.
pub(crate) fn is_day(text: &str) -> bool {
    let text = text.trim();
    for language in LANGUAGES.iter() {
        if language.patterns().phrases.find(text).is_some_and(|phrase| phrase.len() == text.len()) {
            return true;
        }
    }
    false
}

/// Returns a text without such dates.
pub(crate) fn undated(text: &str) -> String {
    let (mut rest, mut from) = (String::new(), 0);
    for date in dates(text) {
        rest.push_str(&text[from..date.start]);
        from = date.end;
    }
    rest + &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn told(text: &str, language: &str, on: &str) -> String {
        dated(text, Some(language), day(on), &|_| true).unwrap_or_else(|| text.to_owned())
    }

    /// A Tuesday.
    const TUE: &str = "2026-03-03";

    #[test]
    fn every_row_has_a_known_meaning_and_patterns_without_groups_of_their_own() {
        assert_eq!(LANGUAGES.len(), 13);
        for language in LANGUAGES.iter() {
            let patterns = language.patterns();
            let (name, rows) = (language.name, language.meanings.len());
            assert_eq!(patterns.phrases.captures_len(), rows + 1, "{name}");
            assert_eq!(
                (patterns.weekdays.captures_len(), patterns.numbers.captures_len()),
                (8, if name == "ko" { 11 } else { 13 }),
                "{name}"
            );
            for (meaning, _) in &language.meanings {
                let is_known = matches!(
                    *meaning,
                    "none" | "days" | "weeks" | "-days" | "-weeks" | "coming" | "next" | "this" | "last"
                ) || meaning.parse::<i64>().is_ok()
                    || meaning.strip_prefix("week").is_some_and(|weeks| weeks.parse::<i64>().is_ok())
                    || meaning
                        .split_once("..")
                        .is_some_and(|(from, to)| from.parse::<i64>().unwrap() <= to.parse().unwrap());
                assert!(is_known, "{name}: {meaning}");
            }
        }
    }

    // BX-60: the words stay, and the date is behind them.
    #[test]
    fn relative_days_have_dates_in_every_language() {
        let mut wrong = Vec::new();
        for (language, text, expected) in [
            ("en", "Dentist tomorrow.", "Dentist tomorrow (2026-03-04)."),
            ("en", "The day before yesterday it broke.", "The day before yesterday (2026-03-01) it broke."),
            ("en", "Audit on Friday of next week.", "Audit on Friday of next week (2026-03-13)."),
            ("en", "Audit this Friday.", "Audit this Friday (2026-03-06)."),
            ("en", "Read yesterday's log.", "Read yesterday's (2026-03-02) log."),
            ("de", "Zahnarzt morgen früh.", "Zahnarzt morgen früh (2026-03-04)."),
            ("de", "Übermorgen ist Abgabe.", "Übermorgen (2026-03-05) ist Abgabe."),
            ("de", "Morgen gehe ich zum Arzt.", "Morgen (2026-03-04) gehe ich zum Arzt."),
            ("de", "Kommenden Freitag ist Markt.", "Kommenden Freitag (2026-03-06) ist Markt."),
            ("fr", "Dentiste demain.", "Dentiste demain (2026-03-04)."),
            ("fr", "Il est venu avant-hier.", "Il est venu avant-hier (2026-03-01)."),
            (
                "fr",
                "Réunion mardi de la semaine prochaine.",
                "Réunion mardi de la semaine prochaine (2026-03-10).",
            ),
            ("es", "Dentista mañana por la mañana.", "Dentista mañana (2026-03-04) por la mañana."),
            ("es", "Dentista man\u{303}ana.", "Dentista man\u{303}ana (2026-03-04)."),
            ("es", "Pasado mañana viene Ana.", "Pasado mañana (2026-03-05) viene Ana."),
            ("es", "Llega el viernes que viene.", "Llega el viernes que viene (2026-03-06)."),
            ("pt", "Dentista amanhã.", "Dentista amanhã (2026-03-04)."),
            ("pt", "A Ana vem depois de amanhã.", "A Ana vem depois de amanhã (2026-03-05)."),
            ("it", "Dentista domani.", "Dentista domani (2026-03-04)."),
            ("nl", "Tandarts morgen.", "Tandarts morgen (2026-03-04)."),
            ("nl", "Aanstaande vrijdag is er markt.", "Aanstaande vrijdag (2026-03-06) is er markt."),
            ("pl", "Dentysta jutro.", "Dentysta jutro (2026-03-04)."),
            ("pl", "Targ w najbliższy piątek.", "Targ w najbliższy piątek (2026-03-06)."),
            ("tr", "Dişçi yarın.", "Dişçi yarın (2026-03-04)."),
            ("tr", "YARIN DOKTOR VAR.", "YARIN (2026-03-04) DOKTOR VAR."),
            ("tr", "Disciye yarin gidiyorum.", "Disciye yarin (2026-03-04) gidiyorum."),
            ("tr", "Önümüzdeki cuma pazar var.", "Önümüzdeki cuma (2026-03-06) pazar var."),
            ("ru", "Завтра к врачу.", "Завтра (2026-03-04) к врачу."),
            ("ru", "Рынок в ближайшую пятницу.", "Рынок в ближайшую пятницу (2026-03-06)."),
            ("zh", "明天看牙医。", "明天(2026-03-04)看牙医。"),
            ("zh", "下周五发布。", "下周五(2026-03-13)发布。"),
            ("ja", "明日は歯医者です。", "明日(2026-03-04)は歯医者です。"),
            ("ja", "来週の金曜日に出発します。", "来週の金曜日(2026-03-13)に出発します。"),
            ("ko", "내일 치과에 가요.", "내일 (2026-03-04) 치과에 가요."),
            ("ko", "다음 주 금요일에 출발해요.", "다음 주 금요일 (2026-03-13)에 출발해요."),
        ] {
            let found = told(text, language, TUE);
            if found != expected || undated(expected) != text {
                wrong.push(format!("{language}: {found}, {}", undated(expected)));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_text_of_no_known_language_has_the_day_that_one_language_alone_knows() {
        let told = |text: &str| dated(text, None, day(TUE), &|_| true);
        let said = "Yarın Ankara'da dişçiye gideceğim.";
        assert_eq!(told(said).unwrap(), "Yarın (2026-03-04) Ankara'da dişçiye gideceğim.");
        // Two languages know it, or none.
        assert_eq!([told("Tandarts morgen."), told("Vol op 3 mei.")], [None, None]);
    }

    #[test]
    fn a_phrase_with_two_meanings_and_a_word_that_is_none_stay_as_they_are() {
        for (language, text, on) in [
            ("en", "Audit this Friday.", "2026-03-06"),
            ("en", "Audit next Friday.", TUE),
            ("en", "We met last Friday.", "2026-03-07"),
            ("en", "Audit next week.", TUE),
            ("en", "We built it in two weeks.", TUE),
            ("en", "It broke two or three weeks ago.", TUE),
            ("en", "It broke 2-3 weeks ago.", TUE),
            ("en", "It broke twenty-two days ago.", TUE),
            ("en", "Open https://a.example/today/x or run `log yesterday`.", TUE),
            ("en", "See today.html and last_today.", TUE),
            ("en", "He last sat there; enjoy this sun.", TUE),
            ("de", "Der Morgen war kalt, jeden Morgen Yoga.", TUE),
            ("de", "Morgen, kannst du das ansehen?", TUE),
            ("de", "Ich wohne hier.", TUE),
            ("de", "Das wurde in zwei Wochen gebaut.", TUE),
            ("fr", "Je reviens dans quinze jours.", TUE),
            ("es", "Corre por la mañana, hoy en día.", TUE),
            ("nl", "Elke morgen yoga, ik woon hier.", TUE),
            ("ru", "Через два дня он уехал.", TUE),
            ("tr", "İki gün sonra gitti.", TUE),
            ("zh", "以后天气会好，目前天气不好，二十天后见。", TUE),
            ("ja", "明日香は3月12日後半に来た。", TUE),
            ("ko", "오늘날 언어제공은 그제야 시작돼요.", TUE),
            ("en", "Ana leaves in two weeks.", TUE),
            ("en", "Moved in 10 days ago.", TUE),
            ("de", "Abgabe in zwei Wochen.", TUE),
            ("de", "Vor drei Tagen kam der Brief.", TUE),
            ("fr", "Elle part dans deux semaines.", TUE),
            ("es", "Se rompió hace tres días.", TUE),
            ("pt", "Viajo daqui a duas semanas.", TUE),
            ("it", "Parto fra due settimane.", TUE),
            ("it", "È arrivata tre giorni fa.", TUE),
            ("nl", "Ik vertrek over twee weken.", TUE),
            ("pl", "Wyjeżdżam za dwa tygodnie.", TUE),
            ("tr", "On iki gün sonra gidiyorum.", TUE),
            ("ru", "Уезжаю через две недели.", TUE),
            ("zh", "两周后搬家。", TUE),
            ("ja", "3日後に届きます。", TUE),
            ("ko", "사흘 후에 도착해요.", TUE),
            ("en", "Passwords expire in 90 days.", TUE),
            ("en", "The user reads USA Today.", TUE),
            ("en", "She sings Yesterday well.", TUE),
            ("de", "Am Freitag morgen war es kalt.", TUE),
            ("es", "Aquella mañana llovió.", TUE),
            ("zh", "用户在玩明日方舟，也看今日头条。", TUE),
            ("xx", "tomorrow", TUE),
        ] {
            assert_eq!(told(text, language, on), text, "{language}, {on}");
        }
    }

    #[test]
    fn a_date_that_is_there_is_not_told_again() {
        for text in [
            "Dentist tomorrow, 4 March.",
            "Dentist tomorrow (Wednesday, 4 March).",
            "Dentist on 4 March (tomorrow).",
            "Dentist tomorrow, 2026-03-04.",
            "2026-03-04 is tomorrow.",
            "Dentist tomorrow (2026-03-04).",
            "Dentist tomorrow, 4.3., at nine",
        ] {
            assert_eq!(told(text, "en", TUE), text);
        }
        assert_eq!(
            told("Tomorrow is far, and tomorrow at 9 comes Ana; the rent is due on 5 May.", "en", TUE),
            "Tomorrow (2026-03-04) is far, and tomorrow at 9 comes Ana; the rent is due on 5 May."
        );
    }

    #[test]
    fn months_end_and_leap_days_count() {
        for (on, tomorrow) in [
            ("2026-02-28", "2026-03-01"),
            ("2028-02-28", "2028-02-29"),
            ("2028-02-29", "2028-03-01"),
            ("2026-12-31", "2027-01-01"),
            ("2026-04-30", "2026-05-01"),
            // The clock changes in Berlin and in Los Angeles.
            ("2026-03-28", "2026-03-29"),
            ("2026-03-07", "2026-03-08"),
        ] {
            assert_eq!(told("Ana comes tomorrow.", "en", on), format!("Ana comes tomorrow ({tomorrow})."));
        }
        assert_eq!(told("Audit next Friday.", "en", "2027-12-31"), "Audit next Friday (2028-01-07).");
        assert_eq!(told("Audit next Friday.", "en", "2028-02-26"), "Audit next Friday (2028-03-03).");
        assert_eq!(told("We met last Friday.", "en", "2028-03-01"), "We met last Friday (2028-02-25).");
    }
}
