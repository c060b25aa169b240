//! The indexed fields of a store's row.

use chrono::{Datelike, NaiveDate};

use super::stemmer::Stemmer;

/// The indexed fields of a row.
#[derive(Debug, Clone, Copy)]
pub struct Card<'a> {
    /// The row's id.
    pub id: i64,
    /// The content; empty where it was not read.
    pub text: &'a str,
    /// In how many bytes it says it.
    pub bytes: u32,
    /// The kind of memory; searched too.
    pub category: &'a str,
    /// When it was said; searched too.
    pub said_on: Option<NaiveDate>,
    /// The conversation, and the position in it.
    pub place: Option<(&'a str, u64)>,
    /// The speaker, if somebody was named; searched too.
    pub speaker: Option<&'a str>,
    /// Whether it is the human's own word.
    pub own: bool,
    /// Whether sessions with others present may find it.
    pub shared: bool,
    /// When it was last changed, as a number that grows.
    pub touched: i64,
}

impl<'a> Card<'a> {
    /// Makes the card of a text without further facts.
    #[must_use]
    pub fn of(id: i64, text: &'a str) -> Self {
        Self {
            id,
            text,
            bytes: u32::try_from(text.len()).unwrap_or(u32::MAX),
            category: "",
            said_on: None,
            place: None,
            speaker: None,
            own: false,
            shared: false,
            touched: id,
        }
    }
}

impl Card<'_> {
    /// Gives each term of a row, and the word that it stands for; returns how many words it says.
    pub fn terms(&self, stemmer: &mut Stemmer, mut take: impl FnMut(&str, &str)) -> u32 {
        self.each_term(stemmer, &mut take)
    }

    fn each_term(&self, stemmer: &mut Stemmer, mut take: &mut dyn FnMut(&str, &str)) -> u32 {
        let length = stemmer.indexed(self.text, &mut take);
        stemmer.terms(self.category, &mut take);
        if let Some(day) = self.said_on {
            stemmer.terms(&date(day), &mut take);
        }
        stemmer.terms(self.speaker.unwrap_or_default(), &mut take);
        length
    }
}

/// Returns a day in the words that people ask for it: `8 May 2023 2023-05-08`.
#[must_use]
pub fn date(day: NaiveDate) -> String {
    let month = MONTHS[day.month0() as usize];
    format!("{} {month} {} {day}", day.day(), day.year())
}

/// Returns whether a speaker has a name, and not only a part.
#[must_use]
pub fn is_name(speaker: &str) -> bool {
    !ROLES.iter().any(|role| role.eq_ignore_ascii_case(speaker))
}

/// Roles that are no names.
const ROLES: [&str; 8] = ["user", "human", "assistant", "agent", "ai", "system", "tool", "bot"];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
