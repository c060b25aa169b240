//! The word lists of the picker, a file for each language, and the guess of a line's language.
//!
//! ```text
//! # a comment
//! strong → decision, decided, from now, prefer*, my … is
//! ```
//!
//! A line has a cue, a tab (here `→`), and its words and phrases. A `*` stands for any ending, and `…` for up to three
//! words. In Korean, and in scripts that part no words, a phrase is looked for as it is. There `…` is up to twelve
//! characters.
//!
//! A line's language is guessed by its script, then by the language that knows the most of its words. A line that no language or two know as well
//! has the language of the lines around it, or else is English.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;

use super::token;
use crate::base::gather::Gather as _;
use crate::base::pattern::pattern;
use crate::base::sorted::SortedSet;
use crate::base::text;

/// A list of words and phrases that tell one thing of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cue {
    /// Says nothing about what a line is about.
    Stop,
    /// The speaker, as the one who acts.
    Own,
    /// The speaker, as the one who owns.
    Mine,
    /// The one spoken to.
    You,
    /// The speaker in any form: a line with one of these needs the speaker's name to be understood alone.
    Speaker,
    /// First words of a sentence that only answers the one before.
    Reaction,
    /// Praise and comfort.
    Praise,
    /// Places a line in time by itself.
    Time,
    /// Spans of time: with a number or a [`Relative`](Self::Relative) in front, they place a line in time.
    Unit,
    /// Comes before a span of time.
    Relative,
    /// Numbers in words.
    Number,
    /// Subjects of a verb in the past tense.
    Actor,
    /// Verbs in the past tense.
    Past,
    /// Marks what should be kept.
    Strong,
    /// States a lasting wish, or tells of the speaker's own life or habits.
    Standing,
    /// Kin, and things of a person's life: the speaker's own are kept.
    Life,
    /// First words of a sentence that leans on the one before.
    Leaning,
    /// First words of a question, by which it is known without a question mark.
    Asking,
    /// Last words of a question.
    AskingEnd,
    /// First words of a line that asks for something to be done, or thinks aloud.
    Errand,
    /// Last words of such a line.
    ErrandEnd,
    /// Things that hold for long: rules, habits, costs, terms, reasons.
    Lasting,
    /// Puts an earlier line right.
    Change,
    /// Says that something is as it was before.
    Return,
    /// First words of a line in which an agent says what it is doing right now.
    Chatter,
    /// May are before the first word that counts for [`Chatter`](Self::Chatter) and [`Errand`](Self::Errand).
    Lead,
    /// A heading under which lines are worth more.
    Section,
    /// Puts a line under `### Decisions`. "Agreed" alone is a nod.
    Decision,
    /// Puts a line under `### Preferences`. "Like" alone is mostly a comparison.
    Preference,
    /// First words of a clause that needs another.
    Opens,
}

impl Cue {
    const ALL: [(&str, Self); 30] = [
        ("stop", Self::Stop),
        ("self", Self::Own),
        ("mine", Self::Mine),
        ("you", Self::You),
        ("speaker", Self::Speaker),
        ("reaction", Self::Reaction),
        ("praise", Self::Praise),
        ("time", Self::Time),
        ("unit", Self::Unit),
        ("relative", Self::Relative),
        ("number", Self::Number),
        ("actor", Self::Actor),
        ("past", Self::Past),
        ("strong", Self::Strong),
        ("standing", Self::Standing),
        ("life", Self::Life),
        ("leaning", Self::Leaning),
        ("asking", Self::Asking),
        ("asking-end", Self::AskingEnd),
        ("errand", Self::Errand),
        ("errand-end", Self::ErrandEnd),
        ("lasting", Self::Lasting),
        ("change", Self::Change),
        ("return", Self::Return),
        ("chatter", Self::Chatter),
        ("lead", Self::Lead),
        ("section", Self::Section),
        ("decision", Self::Decision),
        ("preference", Self::Preference),
        ("opens", Self::Opens),
    ];

    /// Returns where in a text its phrases count.
    fn place(self) -> Place {
        match self {
            Self::Reaction
            | Self::Leaning
            | Self::Asking
            | Self::Errand
            | Self::Chatter
            | Self::Lead
            | Self::Opens => Place::First,
            Self::AskingEnd | Self::ErrandEnd => Place::Last,
            _ => Place::Any,
        }
    }
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    First,
    Last,
    Any,
}

/// The cues of one language.
pub(crate) struct Lexicon {
    /// The place in [`FILES`].
    number: usize,
    cues: Vec<Phrases>,
    /// Whether its phrases are looked for inside words.
    is_unparted: bool,
    /// The number of words in English that say what a hundred of its words say.
    words: usize,
    /// Whether a capital inside a sentence is the sign of a name.
    has_capitals: bool,
}

crate::base::debug::debug_as!(Lexicon, |it| "{}", it.name());

/// A text as a lexicon reads it.
#[derive(Clone)]
pub(crate) struct Wording {
    pub(crate) lexicon: &'static Lexicon,
    /// The words and numbers, in lower case; of a script that parts none, each two characters that are neighbours.
    pub(crate) words: Vec<String>,
    /// The text in lower case, where phrases are looked for inside words.
    folded: String,
}

impl Wording {
    pub(crate) fn of(text: &str, lexicon: &'static Lexicon) -> Self {
        let folded = if lexicon.is_unparted { text::same_name(text) } else { String::new() };
        Self { lexicon, words: lexicon.tokens(text), folded }
    }

    /// Returns the wording of a part of the text.
    pub(crate) fn same(&self, part: &str) -> Self {
        Self::of(part, self.lexicon)
    }

    /// Returns whether one of a cue's phrases is in it, at its beginning or at its end, as the cue has it.
    pub(crate) fn has(&self, cue: Cue) -> bool {
        self.has_behind(cue, 0)
    }

    /// Returns the same of the text behind a number of words.
    fn has_behind(&self, cue: Cue, skipped: usize) -> bool {
        let phrases = &self.lexicon.cues[cue as usize];
        if let Some(inside) = &phrases.inside {
            return inside.is_match(&self.folded);
        }
        let words = &self.words[skipped.min(self.words.len())..];
        match cue.place() {
            Place::First => phrases.at(words, 0).is_some(),
            Place::Last => (0..words.len()).any(|at| phrases.ends(words, at)),
            Place::Any => (0..words.len()).any(|at| phrases.at(words, at).is_some()),
        }
    }

    /// Returns whether the first word that counts begins a phrase: `I have found` begins with `found`.
    pub(crate) fn leads(&self, cue: Cue) -> bool {
        let lead = &self.lexicon.cues[Cue::Lead as usize];
        let skipped = self.words.iter().take_while(|word| lead.words.contains(word.as_str())).count();
        self.has_behind(cue, skipped)
    }

    /// Counts the places of a cue.
    pub(crate) fn count(&self, cue: Cue) -> usize {
        let phrases = &self.lexicon.cues[cue as usize];
        match &phrases.inside {
            Some(inside) => inside.find_iter(&self.folded).count(),
            None => (0..self.words.len()).filter(|at| phrases.at(&self.words, *at).is_some()).count(),
        }
    }

    /// Counts the phrases of a cue, each once.
    pub(crate) fn kinds(&self, cue: Cue) -> usize {
        let phrases = &self.lexicon.cues[cue as usize];
        let kinds: SortedSet<&str> = if let Some(inside) = &phrases.inside {
            inside.find_iter(&self.folded).map(|found| found.as_str()).collect()
        } else {
            let has = |at: &usize| phrases.at(&self.words, *at).is_some();
            (0..self.words.len()).filter(has).map(|at| self.words[at].as_str()).collect()
        };
        kinds.len()
    }

    /// Returns whether a word is one of a cue's.
    pub(crate) fn is(&self, cue: Cue, word: &str) -> bool {
        self.lexicon.is(cue, word)
    }

    /// Returns the number of words that the same would have in English.
    pub(crate) fn english_words(&self) -> usize {
        self.words.len() * self.lexicon.words / 100
    }

    /// Returns whether a capital inside a sentence is the sign of a name.
    pub(crate) fn has_capitals(&self) -> bool {
        self.lexicon.has_capitals
    }

    /// Returns whether the speaker tells of their own kin and life: "my wife", "my old phone number".
    pub(crate) fn tells_of_life(&self) -> bool {
        let (mine, life) = (&self.lexicon.cues[Cue::Mine as usize], &self.lexicon.cues[Cue::Life as usize]);
        let is_of_life = |at: usize| {
            (at + 1..self.words.len().min(at + 4)).any(|next| life.at(&self.words, next).is_some())
        };
        !self.lexicon.is_unparted
            && (0..self.words.len()).any(|at| mine.at(&self.words, at).is_some() && is_of_life(at))
    }
}

impl Lexicon {
    /// Returns the lexicon of English.
    pub(crate) fn english() -> &'static Self {
        &LEXICONS[0]
    }

    pub(crate) fn name(&self) -> &'static str {
        FILES[self.number].0
    }

    /// Returns whether phrases are looked for inside words, where few letters make a word.
    pub(crate) fn is_unparted(&self) -> bool {
        self.is_unparted
    }

    pub(crate) fn is_english(&self) -> bool {
        self.number == 0
    }

    /// Returns whether a word is one of a cue's.
    pub(crate) fn is(&self, cue: Cue, word: &str) -> bool {
        let phrases = &self.cues[cue as usize];
        if self.is_unparted { phrases.whole.contains(word) } else { phrases.has_word(word) }
    }

    /// Returns the words and numbers of a text, in lower case.
    fn tokens(&self, text: &str) -> Vec<String> {
        if self.is_english() {
            return token::tokens(text);
        }
        token::parted(&text::same_name(text), self.is_unparted)
    }

    fn read(number: usize) -> Self {
        let (_, text) = FILES[number];
        let mut entries: Vec<Vec<&'static str>> = vec![Vec::new(); Cue::ALL.len()];
        let (mut words, mut has_capitals, mut is_unparted) = (100, true, false);
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (name, phrases) = line.split_once('\t').unwrap_or((line, ""));
            match name {
                "words" => words = phrases.parse().expect("a percentage"),
                "capitals" => has_capitals = phrases == "names",
                "inside" => is_unparted = phrases == "words",
                _ => {
                    let cue = Cue::ALL.iter().position(|(known, _)| *known == name).expect("a known cue");
                    entries[cue].extend(phrases.split(", "));
                }
            }
        }
        let cues = Cue::ALL.iter().zip(entries);
        let cues = cues.map(|((_, cue), entries)| Phrases::of(&entries, *cue, number == 0, is_unparted));
        Self { number, cues: cues.gather(), is_unparted, words, has_capitals }
    }

    /// Returns the language of a text, by its script or by its words.
    pub(crate) fn of(text: &str) -> &'static Self {
        Self::guess(text, None).unwrap_or(Self::english())
    }

    /// Returns the language of a text among others: that of the others, unless its own words say another.
    pub(crate) fn of_among(text: &str, around: &'static Self) -> &'static Self {
        Self::guess(text, Some(around)).unwrap_or(around)
    }

    /// Returns the language that most of the texts show: English where none shows any.
    pub(crate) fn of_most<'t>(texts: impl Iterator<Item = &'t str>) -> &'static Self {
        let mut counts = [0_usize; FILES.len()];
        for lexicon in texts.filter_map(|text| Self::guess(text, None)) {
            counts[lexicon.number] += 1;
        }
        let most = counts.iter().copied().max().unwrap_or_default();
        counts.iter().position(|count| *count == most).map_or(Self::english(), |number| &LEXICONS[number])
    }

    pub(super) fn guess(text: &str, around: Option<&Self>) -> Option<&'static Self> {
        if !text.is_ascii()
            && let Some(name) = script(text)
        {
            return LEXICONS.iter().find(|lexicon| FILES[lexicon.number].0 == name);
        }
        let mut counts = [0_usize; FILES.len()];
        for word in token::parted(&text::same_name(text), false) {
            let known = KNOWN.get(&word).copied().unwrap_or_default();
            for (number, count) in counts.iter_mut().enumerate() {
                *count += usize::from(known & (1 << number) > 0);
            }
        }
        let most = counts.iter().copied().max().unwrap_or_default();
        let least = around.map_or(1, |around| counts[around.number] + LEAD);
        let mut best = (0..FILES.len()).filter(|number| counts[*number] == most);
        let first = best.next().filter(|_| most >= least)?;
        // What English knows as well is English, and what two others know as well tells nothing.
        (first == 0 || best.next().is_none()).then(|| &LEXICONS[first])
    }
}

/// Returns the language of a text in letters that one of ours alone has: the script of most of its letters.
fn script(text: &str) -> Option<&'static str> {
    let (mut letters, mut kana, mut han, mut hangul, mut cyrillic) = (0_usize, 0, 0, 0, 0);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        match c {
            '\u{3041}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9d}' => kana += 1,
            '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => han += 1,
            '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}' => hangul += 1,
            '\u{400}'..='\u{52f}' => cyrillic += 1,
            _ => {}
        }
    }
    // Names and terms of a line are often in Latin letters.
    let is_most = |count: usize| count * 3 > letters;
    if is_most(hangul) {
        Some("ko")
    } else if is_most(kana + han) {
        // Few Japanese sentences have no kana, and they look Chinese.
        Some(if kana * 8 > han { "ja" } else { "zh" })
    } else {
        is_most(cyrillic).then_some("ru")
    }
}

/// The words and phrases of a cue.
#[derive(Default)]
struct Phrases {
    words: HashSet<String>,
    stems: HashSet<String>,
    /// Longer phrases, by what their first word begins with.
    longer: HashMap<String, Vec<Vec<Part>>>,
    /// The phrases as they are, and all of them as one pattern, where they are looked for inside words.
    whole: HashSet<String>,
    inside: Option<Regex>,
}

/// A part of a phrase.
enum Part {
    Word(String),
    Stem(String),
    Gap,
}

impl Part {
    fn read(text: &str) -> Self {
        match text.strip_suffix('*') {
            _ if text == "…" => Self::Gap,
            Some(stem) => Self::Stem(stem.to_owned()),
            None => Self::Word(text.to_owned()),
        }
    }

    fn is(&self, word: &str) -> bool {
        match self {
            Self::Word(known) => known == word,
            Self::Stem(stem) => word.starts_with(stem.as_str()),
            Self::Gap => false,
        }
    }
}

impl Phrases {
    fn of(entries: &[&str], cue: Cue, is_english: bool, is_unparted: bool) -> Self {
        let mut phrases = Self::default();
        let fold = |entry: &&str| {
            let ending = if entry.ends_with('*') { "*" } else { "" };
            let folded = text::same_name(entry.trim_end_matches('*')).replace("...", "…");
            if is_english { folded + ending } else { folded.replace('\'', " ") + ending }
        };
        let entries = entries.iter().map(fold);
        if is_unparted {
            phrases.whole = entries.collect();
            let mut sorted: Vec<&String> = phrases.whole.iter().collect();
            sorted.sort();
            let patterns: Vec<String> =
                sorted.iter().map(|entry| regex::escape(entry).replace('…', ".{0,12}?")).collect();
            let all = patterns.join("|");
            phrases.inside = Some(match cue.place() {
                _ if patterns.is_empty() => pattern(r"[^\s\S]"),
                Place::First => pattern(&format!(r"^[^\p{{L}}\p{{N}}]*(?:{all})")),
                Place::Last => pattern(&format!(r"(?:{all})[^\p{{L}}\p{{N}}]*$")),
                Place::Any => pattern(&format!("(?:{all})")),
            });
            return phrases;
        }
        for entry in entries {
            let parts: Vec<Part> = entry.split_whitespace().map(Part::read).gather();
            match parts.as_slice() {
                [Part::Word(word)] => drop(phrases.words.insert(word.clone())),
                [Part::Stem(stem)] => drop(phrases.stems.insert(stem.clone())),
                [Part::Word(first) | Part::Stem(first), ..] => {
                    phrases.longer.entry(first.clone()).or_default().push(parts);
                }
                _ => {}
            }
        }
        phrases
    }

    fn has_word(&self, word: &str) -> bool {
        self.words.contains(word)
            || (!self.stems.is_empty() && beginnings(word).any(|beginning| self.stems.contains(beginning)))
    }

    /// Returns the end of a phrase that begins at a word.
    fn at(&self, words: &[String], at: usize) -> Option<usize> {
        let word = words.get(at)?;
        if self.has_word(word) {
            return Some(at + 1);
        }
        if self.longer.is_empty() {
            return None;
        }
        let mut begun = beginnings(word).filter_map(|beginning| self.longer.get(beginning)).flatten();
        begun.find_map(|phrase| end_of(phrase, words, at))
    }

    fn ends(&self, words: &[String], at: usize) -> bool {
        let begun = beginnings(&words[at]).filter_map(|beginning| self.longer.get(beginning)).flatten();
        (at + 1 == words.len() && self.has_word(&words[at]))
            || begun.filter_map(|phrase| end_of(phrase, words, at)).any(|end| end == words.len())
    }
}

/// Returns the beginnings of a word, and the word.
fn beginnings(word: &str) -> impl Iterator<Item = &str> {
    word.char_indices().map(|(at, c)| &word[..at + c.len_utf8()])
}

/// Returns the place behind a phrase that is at a word.
fn end_of(phrase: &[Part], words: &[String], at: usize) -> Option<usize> {
    match phrase {
        [] => Some(at),
        [Part::Gap, rest @ ..] => (at..=at + GAP).find_map(|next| end_of(rest, words, next)),
        [part, rest @ ..] => {
            words.get(at).filter(|word| part.is(word)).and_then(|_| end_of(rest, words, at + 1))
        }
    }
}

/// The number of words more that a language must know of a line than the language around it.
const LEAD: usize = 2;

/// The most words that `…` stands for.
const GAP: usize = 3;

macro_rules! files {
    ($($name:literal),*) => { [$(($name, include_str!(concat!("words/", $name, ".tsv")))),*] };
}

/// The languages, and their lists. English is the first.
const FILES: [(&str, &str); 13] =
    files!("en", "de", "fr", "es", "pt", "it", "nl", "pl", "tr", "ru", "zh", "ja", "ko");

static LEXICONS: LazyLock<Vec<Lexicon>> = LazyLock::new(|| (0..FILES.len()).map(Lexicon::read).gather());

/// The words of all languages that part them, and a bit for each language that has it.
static KNOWN: LazyLock<HashMap<String, u16>> = LazyLock::new(|| {
    let mut known = HashMap::new();
    for lexicon in LEXICONS.iter().filter(|lexicon| !lexicon.is_unparted) {
        let words = |phrases: &'static Phrases| {
            phrases.words.iter().chain(&phrases.stems).chain(phrases.longer.keys())
        };
        for word in lexicon.cues.iter().flat_map(words) {
            for part in token::parted(word, false) {
                *known.entry(part).or_insert(0) |= 1 << lexicon.number;
            }
        }
    }
    known
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_known_cues_and_no_empty_phrases() {
        for (name, text) in FILES {
            for line in text.lines().filter(|line| !line.starts_with('#')) {
                let (cue, phrases) = line.split_once('\t').expect(name);
                let is_setting = matches!(cue, "words" | "capitals" | "inside");
                assert!(is_setting || Cue::ALL.iter().any(|(known, _)| *known == cue), "{name}: {cue}");
                assert!(phrases.split(", ").all(|phrase| !phrase.trim().is_empty()), "{name}: {cue}");
            }
        }
        assert!(Cue::ALL.iter().enumerate().all(|(at, (_, cue))| *cue as usize == at));
    }

    #[test]
    fn a_line_shows_its_language() {
        for (line, language) in [
            ("My wife is called Ana.", "en"),
            ("Meine Frau heißt Ana.", "de"),
            ("Ma femme s’appelle Ana.", "fr"),
            ("Mi mujer se llama Ana.", "es"),
            ("A minha mulher chama-se Ana.", "pt"),
            ("Mia moglie si chiama Ana.", "it"),
            ("Mijn vrouw heet Ana.", "nl"),
            ("Moja żona ma na imię Ana.", "pl"),
            ("Eşimin adı Ana.", "tr"),
            ("Мою жену зовут Ана.", "ru"),
            ("我的妻子叫安娜。", "zh"),
            ("妻の名前はアナです。", "ja"),
            ("제 아내 이름은 아나예요.", "ko"),
        ] {
            assert_eq!(FILES[Lexicon::of(line).number].0, language, "{line}");
        }
        let around = Lexicon::of("Meine Frau heißt Ana.");
        for (line, language) in [
            ("Kiro 12 xyz", "de"),
            ("Die war in Kiel", "de"),
            ("This is all that I have", "en"),
            ("Oslo, no?", "de"),
        ] {
            assert_eq!(FILES[Lexicon::of_among(line, around).number].0, language, "{line}");
        }
        assert_eq!(FILES[Lexicon::of("Kiro 12 xyz").number].0, "en");
    }

    #[test]
    fn a_phrase_has_endings_and_gaps() {
        let phrases = Phrases::of(&["moved … to", "prefer*", "no long* use"], Cue::Strong, true, false);
        let has = |text: &str| {
            let words = token::tokens(text);
            (0..words.len()).any(|at| phrases.at(&words, at).is_some())
        };
        for text in
            ["I moved to Oslo", "I moved from old Berlin to Oslo", "she prefers tea", "I no longer use it"]
        {
            assert!(has(text), "{text}");
        }
        for text in ["moved", "I moved out of the flat in Berlin to Oslo", "no long walks"] {
            assert!(!has(text), "{text}");
        }
    }
}
