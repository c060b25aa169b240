//! Names: each word of the claim that looks like one is in the sources.

use std::cell::OnceCell;
use std::sync::LazyLock;

use regex::Regex;

use super::common::is_common;
use super::dates::Calendar;
use super::shown::held;
use crate::base::gather::Gather as _;
use crate::base::list::List;
use crate::base::pattern::pattern;
use crate::base::relative::weekdays_of_word;
use crate::base::sorted::SortedSet;
use crate::base::spread::Spread;
use crate::base::text;
use crate::dreamer::{Hold, HoldReason};

/// The words of the sources.
pub(crate) struct Words<'e> {
    evidence: &'e str,
    forms: OnceCell<Forms>,
}

impl<'e> Words<'e> {
    pub(crate) fn new(evidence: &'e str) -> Self {
        Self { evidence, forms: OnceCell::new() }
    }

    /// Returns whether a word is in the sources letter by letter. It is no proof that another does not.
    fn stands(&self, word: &str) -> bool {
        let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
        let is_whole = |(at, _): (usize, &str)| {
            !self.evidence[..at].ends_with(is_inside)
                && !self.evidence[at + word.len()..].starts_with(is_inside)
        };
        word.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && self.evidence.match_indices(word).any(is_whole)
    }

    /// The forms in which a claim may write them.
    fn forms(&self) -> &Forms {
        self.forms.get_or_init(|| Forms::of(self.evidence))
    }
}

/// The words of the sources, in the forms in which a claim may write them.
struct Forms {
    folded: SortedSet<String>,
    /// The initials of all words: "service level agreement" may be an "SLA". Two letters would be found in any
    /// longer text.
    initials: String,
}

impl Forms {
    fn of(evidence: &str) -> Self {
        let mut folded: SortedSet<String> = text::words(evidence).map(|word| fold(&word)).collect();
        let runs: Vec<&str> = evidence.split(|c: char| !c.is_alphanumeric()).collect();
        folded.extend(runs.iter().spread(|run| parts(run)).map(|part| fold(&part)));
        let initials = runs.iter().filter_map(|word| word.chars().next()).collect::<String>();
        // Words that are one in the claim: "VS Code" and "vscode", "on-call" and "OnCall".
        folded.extend(runs.windows(2).map(|pair| fold(&pair.concat())).filter(|pair| pair.len() > 3));
        for (unit, others) in UNITS {
            if others.iter().any(|other| folded.contains(*other) || evidence.contains(other)) {
                folded.insert((*unit).to_owned());
            }
        }
        Self { folded, initials: initials.to_lowercase() }
    }

    fn has(&self, word: &str) -> bool {
        self.folded.contains(&fold(word))
    }

    /// Returns whether a word is here, also as a plural, a possessive, or the name of a people.
    fn has_form(&self, word: &str) -> bool {
        let word = fold(word);
        let word = word.strip_suffix("'s").unwrap_or(&word);
        let is_long = word.chars().count() > 3;
        self.folded.contains(word)
            || ["s", "'s", "es"].iter().any(|ending| {
                self.folded.contains(&format!("{word}{ending}"))
                    || word.strip_suffix(ending).is_some_and(|base| self.folded.contains(base))
            })
            || (is_long
                && self
                    .folded
                    .iter()
                    .any(|other| is_form(word, other, &["", "y", "i", "an", "n", "ian", "ish", "ese"])))
    }
}

/// Units that a claim may write by their code.
const UNITS: &[(&str, &[&str])] = &[
    ("eur", &["€", "euro", "euros"]),
    ("euro", &["€", "eur"]),
    ("usd", &["$", "dollar", "dollars", "bucks"]),
    ("gbp", &["£", "pound", "pounds", "quid"]),
    ("jpy", &["¥", "yen", "円"]),
    ("cny", &["¥", "yuan", "rmb", "元"]),
    ("chf", &["franc", "francs", "franken"]),
    ("inr", &["₹", "rupee", "rupees"]),
    ("mb", &["megabyte", "megabytes", "megs"]),
    ("gb", &["gigabyte", "gigabytes", "gigs"]),
    ("tb", &["terabyte", "terabytes"]),
];

/// Returns a word without its accents, in lower case; umlauts in either spelling are one.
pub(crate) fn fold(word: &str) -> String {
    if word.is_ascii() {
        return without_umlauts(word.to_ascii_lowercase());
    }
    let parts: Vec<String> = word.split(['\'', '’']).map(text::same_word).gather();
    without_umlauts(parts.join("'"))
}

/// Returns a folded word with one spelling of its umlauts: "Müller" may be written "Muller" too.
fn without_umlauts(folded: String) -> String {
    let is_umlaut = |pair: &[u8]| matches!(pair, b"ae" | b"oe" | b"ue");
    if folded.as_bytes().windows(2).any(is_umlaut) {
        folded.replace("ae", "a").replace("oe", "o").replace("ue", "u")
    } else {
        folded
    }
}

/// Returns the parts of a word: letters, digits, humps.
fn parts(word: &str) -> Vec<String> {
    static PART: LazyLock<Regex> = LazyLock::new(|| pattern(r"\p{Lu}+(?:\p{Ll}+)?|[\p{L}&&[^\p{Lu}]]+|\d+"));
    PART.find_iter(word).map(|part| part.as_str().to_lowercase()).gather()
}

/// Returns whether two words differ only in their endings.
fn is_form(one: &str, other: &str, endings: &[&str]) -> bool {
    let shared: usize =
        one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    // The endings may share a letter: "lived" and "lives", "decided" and "decision".
    (4..=shared).rev().take(2).any(|stem| {
        one.is_char_boundary(stem)
            && other.is_char_boundary(stem)
            && endings.contains(&&one[stem..])
            && endings.contains(&&other[stem..])
    })
}

/// A word of the claim, and what is around it.
struct Word<'c> {
    text: &'c str,
    opens: bool,
    /// The word in front of it.
    previous: &'c str,
    /// The text after it.
    after: &'c str,
}

/// Refuses a word in upper case that is neither the sources' nor opens a sentence: it is an invented name.
pub(crate) fn check(claim: &str, known: &Words<'_>, calendar: &Calendar<'_>) -> Result<(), Hold> {
    static ZONE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:Europe|America|Asia|Africa|Australia|Atlantic|Pacific)/"));
    let claim = ZONE.replace_all(claim, "");
    let words = words(&claim);
    let nouns_are_capital = is_german(&words);
    for (at, word) in words.iter().enumerate() {
        if !looks_like_a_name(word.text) || (nouns_are_capital && follows_article(word)) {
            continue;
        }
        let next = words.get(at + 1).map_or("", |next| next.text);
        let joined = || [format!("{}{next}", word.text), format!("{}{}", word.previous, word.text)];
        let is_known = known.stands(word.text)
            || is_known(word.text, known, calendar)
            || joined().iter().any(|pair| known.forms().has(pair))
            || is_spelled_out(&words, at, known)
            || (word.opens && !is_a_name_in_front(word, known));
        if !is_known {
            return Err(held(HoldReason::Name, word.text));
        }
    }
    Ok(())
}

fn words(claim: &str) -> Vec<Word<'_>> {
    static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\p{L}\p{M}\d_]+(?:['’][\p{L}\d]+)*"));
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut end = 0;
    for found in WORD.find_iter(claim) {
        let between = &claim[end..found.start()];
        let previous = words.last().map_or("", |word| word.text);
        let is_title = matches!(previous, "Dr" | "Mr" | "Mrs" | "Ms" | "Prof" | "St") && between == ". ";
        let stops =
            between.trim_start().starts_with(['.', '!', '?', ':', ';', '—', '–', '。', '：', '\u{1}'])
                && between.ends_with([' ', '"', '“', '。', '：', '*'])
                || between.trim() == "-";
        words.push(Word {
            text: found.as_str(),
            opens: words.is_empty() || (stops && !is_title),
            previous,
            after: &claim[found.end()..],
        });
        end = found.end();
    }
    words
}

fn looks_like_a_name(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    letters > 1 && word.chars().any(char::is_uppercase) && !word.starts_with("I'") && !word.starts_with("I’")
}

fn is_known(word: &str, known: &Words<'_>, calendar: &Calendar<'_>) -> bool {
    let lower = word.to_lowercase();
    let parts = parts(word);
    known.forms().has_form(&lower)
        || (parts.len() > 1 && parts.iter().all(|part| known.forms().has_form(part) || part.len() == 1))
        || lower.split('_').filter(|part| !part.is_empty()).all(|part| known.forms().has_form(part))
        || is_allowed(calendar, &lower)
        || (word.chars().all(char::is_uppercase) && word.len() > 2 && known.forms().initials.contains(&lower))
        || ALWAYS.split(' ').any(|always| always == lower.strip_suffix("'s").unwrap_or(&lower))
}

/// Returns whether a word is a day of the week that the sources allow.
fn is_allowed(calendar: &Calendar<'_>, word: &str) -> bool {
    for weekday in weekdays_of_word(word) {
        if calendar.allows_weekday(weekday) {
            return true;
        }
    }
    false
}

/// Words that may be in upper case anywhere, and name nothing that could be made up.
const ALWAYS: &str = "user users agent human operator assistant owner version mr mrs ms dr prof ok todo am pm utc faq \
    api id url pdf ui ci pr prs tv pc ai llm note q1 q2 q3 q4 monday's eta rfc cpu gpu ram uhr";

/// Returns whether words in upper case spell out an abbreviation of the sources: "Pull Request" for "PR".
fn is_spelled_out(words: &[Word<'_>], at: usize, known: &Words<'_>) -> bool {
    let capital = |word: &Word<'_>| word.text.chars().next().is_some_and(char::is_uppercase);
    let from = words[..at].iter().rposition(|word| !capital(word)).map_or(0, |before| before + 1);
    let to = words[at..].iter().position(|word| !capital(word)).map_or(words.len(), |after| at + after);
    (from..=at).any(|from| {
        (at + 1..=to).filter(|to| to - from > 1).any(|to| {
            let initials: String =
                words[from..to].iter().filter_map(|word| word.text.chars().next()).collect();
            known.forms().has(&initials)
        })
    })
}

/// Returns whether a word at the front of a sentence is a name. A name is no common word and no form of a word of the
/// sources. A verb, a preposition or a comma follows it.
fn is_a_name_in_front(word: &Word<'_>, known: &Words<'_>) -> bool {
    const ENDINGS: &[&str] = &[
        "", "s", "es", "ed", "d", "e", "ing", "er", "ers", "y", "ies", "ied", "ion", "ions", "ation", "ly",
        "n", "al", "ment", "ments", "ance", "ence", "ences", "able", "t", "ic", "sion", "ded", "des", "ive",
        "ful",
    ];
    let lower = word.text.to_lowercase();
    let bare = lower.strip_suffix("'s").or_else(|| lower.strip_suffix("’s")).unwrap_or(&lower);
    let folded = fold(bare);
    let is_plain = bare.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '’')
        && word.text.chars().skip(1).all(|c| !c.is_uppercase());
    let is_latin = bare.chars().any(|c| c < '\u{370}' && c.is_alphabetic());
    if is_plain
        && (!is_latin
            || is_common(bare)
            || known.forms().folded.iter().any(|other| is_form(&folded, other, ENDINGS)))
    {
        return false;
    }
    !is_plain || bare != lower || is_used_as_a_name(word.after)
}

/// Returns whether what follows a word is what follows a name.
fn is_used_as_a_name(after: &str) -> bool {
    static AFTER_NAMES: List = List::new(
        "is are was were has have had will would can could should must does did do may might \
        and or for in on with as likes wants went said told took got made left came gave wrote bought met \
        also still now never always often usually only currently recently probably likely not cannot",
    );
    let next = text::words(after).next().unwrap_or_default();
    let gap = after.trim_start_matches(['*', '`', '_', '"', '”', ')']);
    let is_end = !gap.starts_with(' ') && !gap.starts_with('-');
    let next_is_capital = after.trim_start().starts_with(char::is_uppercase);
    // A verb of the third person, or of the past; "address" and "previous" are none.
    let ends_as_verb = (next.ends_with('s')
        && !["ss", "us", "is", "ous"].iter().any(|end| next.ends_with(end)))
        || next.ends_with("ed")
        || next.ends_with("n't");
    is_end || next_is_capital || ends_as_verb || AFTER_NAMES.has(&next)
}

/// Returns whether a claim is German, where every noun is in upper case.
fn is_german(words: &[Word<'_>]) -> bool {
    static GERMAN: List =
        List::new("und ist nicht das der eine einen für wird wurde werden kein keine keinen seine ihre");
    words.iter().any(|word| GERMAN.has(&word.text.to_lowercase()))
}

fn follows_article(word: &Word<'_>) -> bool {
    static ARTICLES: List = List::new(
        "der die das den dem des ein eine einen einem einer eines im am zum zur vom kein keine keinen \
        sein seine seinen seiner ihr ihre ihren ihrer jeden jede jedes",
    );
    let previous = word.previous.to_lowercase();
    ARTICLES.has(&previous)
}
