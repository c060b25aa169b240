//! What a line is worth, and which lines are taken.
//!
//! A line's value is a logistic sum of its [`Features`], between 0 and 1, with one column of [`WEIGHTS`] for
//! what persons say to each other and one for what stands in an agent's log. Lines are ranked by value for
//! the room that they take, and taken while they fit.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::LazyLock;

use regex::Regex;

use super::line::{self, Line, Role, is_number, pattern, tokens};
use super::words::{self, any, any_pair, count};
use crate::format::replies::reply;

/// Bounds on what is taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The most lines.
    pub(crate) lines: usize,
    /// The bytes that may be picked however small the share is.
    pub(crate) least: usize,
    /// The most bytes of lines.
    pub(crate) bytes: usize,
    /// The most bytes of lines as a part of all bytes of the journals, from 0 to 1.
    pub(crate) share: f64,
    /// The most characters of one bullet.
    pub(crate) bullet_chars: usize,
    /// The most bytes of all bullets.
    pub(crate) bullet_bytes: usize,
}

/// A line with its value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Valued<'l, 'm> {
    /// Its place among the candidates.
    pub(crate) at: usize,
    pub(crate) line: &'l Line<'m>,
    /// How sure it is that the line is worth keeping, from 0 to 1.
    value: f64,
    /// What it is ranked by: value for size, in whole millionths, so that equal lines stay in their order
    /// whatever the last bits of a platform's mathematics are.
    pub(crate) key: f64,
}

/// Takes the lines that are worth keeping, best first, within the limits. `bullets` are the lines as they
/// will be printed, `total` is the size of all journals.
///
/// A line that says what memory or a better line says already is passed over, and so is one that a later
/// line puts right, one that cites a journal, for it repeats what was kept before, and one in which a secret
/// was masked.
pub(crate) fn pick<'l, 'm>(
    lines: &'l [Line<'m>],
    bullets: &[String],
    memory: &[String],
    total: usize,
    limits: Limits,
) -> Vec<Valued<'l, 'm>> {
    let memory: Vec<String> =
        memory.iter().map(|line| line::undressed(&reply::split_citations(line).0)).collect();
    let memory: Vec<Vec<String>> = memory.iter().map(|line| tokens(line)).collect();
    let mut said: Vec<Gist<'_>> = memory.iter().map(|words| Gist::of(words)).collect();
    let ranked: Vec<(Valued<'_, '_>, Gist<'_>)> =
        rank(lines, &memory).into_iter().map(|valued| (valued, Gist::of(&valued.line.words))).collect();
    let mut picked = Vec::new();
    let (mut bytes, mut bullet_bytes) = (0, 0);
    for (valued, gist) in &ranked {
        let (line, bullet) = (valued.line, &bullets[valued.at]);
        let (with, bullets_with) = (bytes + line.bytes, bullet_bytes + bullet.len());
        let over_share = with > limits.least && real(with) > limits.share * real(total);
        let over_bullets = bullets_with > limits.bullet_bytes || bullet.chars().count() > limits.bullet_chars;
        if over_share || over_bullets || with > limits.bytes || picked.len() >= limits.lines {
            continue;
        }
        if said.iter().any(|other| gist.repeats(other))
            || ranked.iter().any(|(later, other)| later.at > valued.at && other.renews(gist))
            || line.said.contains(MASK)
            || !reply::split_citations(line.said).1.is_empty()
        {
            continue;
        }
        said.push(gist.clone());
        picked.push(*valued);
        (bytes, bullet_bytes) = (with, bullets_with);
    }
    picked
}

/// The lines above the threshold, best first.
fn rank<'l, 'm>(lines: &'l [Line<'m>], memory: &[Vec<String>]) -> Vec<Valued<'l, 'm>> {
    let mut ranked: Vec<Valued<'l, 'm>> = measure(lines, memory)
        .iter()
        .zip(lines)
        .enumerate()
        .map(|(at, (features, line))| {
            let value = 1.0 / (1.0 + (-features.sum(column(line))).exp());
            let key = (1e6 * value * (100.0 / real(line.bytes)).powf(SIZE[column(line)])).floor();
            Valued { at, line, value, key }
        })
        .filter(|valued| valued.value >= THRESHOLD)
        .collect();
    ranked.sort_by(|one, other| other.key.total_cmp(&one.key));
    ranked
}

/// What is measured of a line; as [`WEIGHTS`], what each of it counts.
#[derive(Debug, Clone, Copy)]
struct Features<T = f64> {
    /// The logarithm of its bytes, of 400 at most.
    len: T,
    /// The logarithm of its words, of 30 at most.
    words: T,
    /// Which part of it is questions; all of it where a log's line asks without a question mark.
    question: T,
    /// Whether the speaker acts (`I`).
    own: T,
    /// Whether the speaker owns (`my`).
    mine: T,
    /// Which part of its words is `you`, 0.2 at most.
    you: T,
    /// Whether somebody did something: `I`, `they` and the like, then a verb in the past tense.
    did: T,
    /// Whether it is placed in time.
    time: T,
    /// How many capitalised words stand inside its sentences, speakers left out, 3 at most.
    proper: T,
    /// Which part of its words is new to memory and to the lines above, 0.5 at most.
    new: T,
    /// How many of its words occur in no other line, 5 at most.
    rare: T,
    /// Whether it follows somebody else's question.
    reply: T,
    /// Whether it is the first word of a person or the user under a heading.
    open: T,
    /// Which part of its sentences begins with a reaction.
    react: T,
    /// Which part of its words is praise, 0.3 at most.
    praise: T,
    /// Whether a word marks it: decided, prefers, deadline.
    strong: T,
    /// Whether it begins with a label: `Decision:`, `Lesson:`.
    label: T,
    /// Whether it stands under a heading such as `Decisions`.
    section: T,
    /// Whether the agent says it.
    agent: T,
    /// Whether a machine or the web says it.
    tool: T,
    /// How many signs there are of logs, code and an agent's running commentary, 2 at most.
    noise: T,
    /// Whether it is a full sentence: six words or more, and a full stop.
    complete: T,
    /// Whether its first word leans on the line before: `it`, `then`, `that's`.
    leaning: T,
    /// How many numbers and dates it holds, 3 at most.
    figures: T,
    /// How many words of what holds for long it has: always, each, costs, because; 2 at most.
    lasting: T,
    /// Whether it asks for something to be done, or is the agent's report of what it does itself.
    errand: T,
    /// Whether the user states a wish that stands: `I prefer`, `always ask`, `call me`.
    standing: T,
}

impl<T: Copy> Features<T> {
    fn values(&self) -> [T; 27] {
        let Self { len, words, question, own, mine, you, did, time, proper, new, rare, reply, open, .. } =
            *self;
        let Self { react, praise, strong, label, section, agent, tool, noise, .. } = *self;
        let Self { complete, leaning, figures, lasting, errand, standing, .. } = *self;
        [
            len, words, question, own, mine, you, did, time, proper, new, rare, reply, open, react, praise,
            strong, label, section, agent, tool, noise, complete, leaning, figures, lasting, errand,
            standing,
        ]
    }
}

impl Features {
    /// The sum, weighted by a column.
    fn sum(&self, column: usize) -> f64 {
        let weighted = self.values().into_iter().zip(WEIGHTS.values());
        weighted.fold(BIAS[column], |sum, (value, weights)| sum + weights[column] * value)
    }
}

/// The column of the weights that a line is measured by: what persons say to each other is the first, what
/// stands in an agent's log or in notes the second.
fn column(line: &Line<'_>) -> usize {
    usize::from(line.is_logged)
}

/// What each feature counts, in a dialogue and in a log.
///
/// The first column was fitted and rounded on dialogue in which the lines that hold a fact, or answer a
/// question asked later, are known; `strong`, `label`, `section` and `noise`, which are rare there, are set
/// by hand. In a dialogue what is short, new and told of oneself is worth the most, and nearly every line
/// can be understood alone. A log is mostly instructions and running commentary: what counts is whether a
/// line is a statement that stands alone. The second column was set by hand after a fit to three weeks of a
/// log in which the durable lines are known, and looked over on two small logs of other trades. `tool` is so
/// low that no other features together lift a tool's line over [`THRESHOLD`].
const WEIGHTS: Features<[f64; 2]> = Features {
    len: [0.65, 0.0],
    words: [0.0, 1.7],
    question: [-1.3, -3.0],
    own: [0.5, 0.0],
    mine: [0.3, 0.3],
    you: [-2.5, -5.0],
    did: [0.4, 0.0],
    time: [1.0, 0.6],
    proper: [0.45, 0.7],
    new: [2.5, 0.0],
    rare: [0.06, 0.2],
    reply: [0.8, 0.0],
    open: [0.8, 0.0],
    react: [-0.5, -1.2],
    praise: [-2.5, -2.5],
    strong: [1.0, 1.2],
    label: [1.2, 1.2],
    section: [0.8, 0.8],
    agent: [0.0, -1.6],
    tool: [0.0, -10.0],
    noise: [-1.5, -1.5],
    complete: [0.0, 1.2],
    leaning: [0.0, -1.2],
    figures: [0.0, 0.6],
    lasting: [0.0, 1.0],
    errand: [0.0, -2.5],
    standing: [0.0, 4.5],
};

/// The sum of a line without features.
const BIAS: [f64; 2] = [-5.0, -8.2];

/// How much a line's size counts against it in the ranking: 0 not at all, 1 in full.
const SIZE: [f64; 2] = [0.8, 0.3];

/// The value below which a line is never taken, however much room there is.
const THRESHOLD: f64 = 0.35;

/// How many in a hundred of the words of two lines must be common for the two to say the same.
const SAME_PERCENT: usize = 70;

/// Measures each line, which depends on the ones above it and on how often its words occur.
fn measure(lines: &[Line<'_>], memory: &[Vec<String>]) -> Vec<Features> {
    let names = names(lines);
    let content: Vec<Vec<&str>> = lines.iter().map(|line| content(line, &names)).collect();
    let mut frequency: BTreeMap<&str, usize> = BTreeMap::new();
    for word in content.iter().flatten() {
        *frequency.entry(word).or_default() += 1;
    }
    let mut seen: BTreeSet<&str> = memory.iter().flatten().map(String::as_str).collect();
    let mut above: Option<&Line<'_>> = None;
    let mut features = Vec::with_capacity(lines.len());
    for (line, content) in lines.iter().zip(&content) {
        let new = content.iter().filter(|word| !seen.contains(*word)).count();
        seen.extend(content);
        let rare = content.iter().filter(|word| frequency.get(*word) == Some(&1)).count();
        let above_here = above.filter(|above| above.journal == line.journal);
        features.push(Features {
            proper: real(proper_names(line, &names).min(3)),
            new: part(new, line.words.len()).min(0.5),
            rare: real(rare.min(5)),
            reply: flag(above_here.is_some_and(|above| answers(line, above))),
            ..alone(line)
        });
        above = Some(line);
    }
    features
}

/// The features that a line has by itself; the others are 0.
fn alone(line: &Line<'_>) -> Features {
    let sentences = sentences(&line.body);
    let chars = |sentence: &&str| sentence.chars().count();
    let questions = sentences.iter().filter(|sentence| sentence.ends_with('?')).map(chars).sum();
    let reactions =
        sentences.iter().filter(|sentence| any(&words::REACTION, first(&tokens(sentence)))).count();
    // Web pages and tools cannot claim a decision.
    let trusted = line.role() != Some(Role::Tool);
    let strong = trusted && (any(&words::STRONG, &line.words) || any_pair(words::STRONG_PAIRS, &line.words));
    let label = trusted && LABEL.is_match(&line.text.to_ascii_lowercase());
    let ends = line.body.trim_end_matches(['"', '\'', ')', '*', '`']).ends_with(['.', '!']);
    let asks = line.is_logged && !ends && any(&words::ASKING, first(&line.words));
    let lasting: BTreeSet<&String> =
        line.words.iter().filter(|word| words::LASTING.contains(word.as_str())).collect();
    Features {
        len: real(line.bytes.min(400)).ln(),
        words: real(line.words.len().min(30)).ln(),
        question: if asks { 1.0 } else { part(questions, sentences.iter().map(chars).sum()) },
        own: flag(any(&words::SELF, &line.words)),
        mine: flag(any(&words::MINE, &line.words)),
        you: part(count(&words::YOU, &line.words), line.words.len()).min(0.2),
        did: flag(tells_a_deed(&line.words)),
        time: flag(is_placed_in_time(&line.words)),
        proper: 0.0,
        new: 0.0,
        rare: 0.0,
        reply: 0.0,
        open: flag(line.opens),
        react: part(reactions, sentences.len()),
        praise: part(count(&words::PRAISE, &line.words), line.words.len()).min(0.3),
        strong: flag(strong),
        label: flag(label),
        section: flag(trusted && line.in_section),
        agent: flag(line.role() == Some(Role::Agent)),
        tool: flag(!trusted),
        noise: real(signs_of_noise(line, strong || label).min(2)),
        complete: flag(ends && line.words.len() >= 6),
        leaning: flag(any(&words::LEANING, first(&line.words))),
        figures: real(FIGURE.find_iter(&line.body).count().min(3)),
        lasting: real(lasting.len().min(2)),
        errand: flag(is_errand(line)),
        standing: flag(
            trusted
                && line.role() != Some(Role::Agent)
                && !line.body.contains('?')
                && any_pair(words::STANDING_PAIRS, &line.words),
        ),
    }
}

/// The words of the names of all persons.
fn names(lines: &[Line<'_>]) -> BTreeSet<String> {
    let persons =
        lines.iter().filter_map(|line| line.speaker.as_ref()).filter(|speaker| speaker.role == Role::Person);
    persons.flat_map(|speaker| speaker.name.split_whitespace().map(str::to_ascii_lowercase)).collect()
}

/// The words of a line that say what it is about, each once.
fn content<'l>(line: &'l Line<'_>, names: &BTreeSet<String>) -> Vec<&'l str> {
    let mut met = BTreeSet::new();
    let speaks = |word: &&str| is_content(word) && !is_number(word) && !names.contains(*word);
    line.words.iter().map(String::as_str).filter(speaks).filter(|word| met.insert(*word)).collect()
}

fn is_content(word: &str) -> bool {
    word.chars().nth(2).is_some() && !words::STOP.contains(word)
}

/// What a line is compared to another by.
#[derive(Clone)]
struct Gist<'l> {
    words: BTreeSet<&'l str>,
    numbers: BTreeSet<&'l str>,
    /// Whether it says that something changed.
    changes: bool,
}

impl<'l> Gist<'l> {
    fn of(words: &'l [String]) -> Self {
        let (numbers, others): (BTreeSet<&str>, _) =
            words.iter().map(String::as_str).partition(|word| is_number(word));
        Self {
            words: others.into_iter().filter(|word| is_content(word)).collect(),
            numbers,
            changes: any(&words::CHANGE, words) || any_pair(words::CHANGE_PAIRS, words),
        }
    }

    fn common(&self, other: &Self) -> usize {
        self.words.intersection(&other.words).count()
    }

    /// Whether the two have so many words in common that they speak of the same.
    fn is_near(&self, other: &Self) -> bool {
        let (one, two) = (self.words.len(), other.words.len());
        // Two sets of very different sizes need not be compared.
        if one.min(two) * 100 < SAME_PERCENT * one.max(two) {
            return false;
        }
        let common = self.common(other);
        common > 0 && common * 100 >= SAME_PERCENT * (one + two - common)
    }

    /// Whether it says nothing that the other does not say.
    fn repeats(&self, other: &Self) -> bool {
        self.is_near(other) && self.numbers.is_subset(&other.numbers)
    }

    /// Whether the other, which stands above it, no longer holds: the same with other numbers, or put right
    /// by a line that says so.
    fn renews(&self, other: &Self) -> bool {
        let common = || self.common(other);
        let corrects = || self.changes && common() >= 3 && common() * 2 >= other.words.len();
        (self.is_near(other) || corrects()) && !other.repeats(self)
    }
}

/// How many capitalised words stand inside the sentences of a line: no days, months and speakers.
fn proper_names(line: &Line<'_>, names: &BTreeSet<String>) -> usize {
    let is_proper = |word: &str| {
        let name = word.split('\'').next().unwrap_or(word).to_ascii_lowercase();
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && name != "i"
            && !words::TIME.contains(name.as_str())
            && !is_speaker(&name, names)
    };
    let inside = |sentence| WORD.find_iter(sentence).skip(1).filter(|word| is_proper(word.as_str())).count();
    sentences(&line.body).into_iter().map(inside).sum()
}

/// Whether a word is a speaker's name, or the beginning of one, three letters or more.
fn is_speaker(word: &str, names: &BTreeSet<String>) -> bool {
    let next = names.range::<str, _>((Bound::Included(word), Bound::Unbounded)).next();
    next.is_some_and(|name| name == word || (word.chars().nth(2).is_some() && name.starts_with(word)))
}

/// Whether a human's line follows a question of somebody else's.
fn answers(line: &Line<'_>, above: &Line<'_>) -> bool {
    let name = |line: &Line<'_>| line.speaker.as_ref().map(|speaker| speaker.name.to_ascii_lowercase());
    line.is_human() && name(line) != name(above) && above.body.contains('?')
}

fn tells_a_deed(words: &[String]) -> bool {
    let is_past = |word: &String| {
        words::PAST.contains(word.as_str()) || (word.ends_with("ed") && word.chars().nth(3).is_some())
    };
    words
        .iter()
        .enumerate()
        .any(|(at, word)| words::ACTOR.contains(word.as_str()) && words[at + 1..].iter().take(3).any(is_past))
}

fn is_placed_in_time(words: &[String]) -> bool {
    let is_unit = |word: Option<&String>| word.is_some_and(|word| words::UNIT.contains(word.as_str()));
    let is_placed = |at: usize, word: &String| {
        let (next, second) = (is_unit(words.get(at + 1)), is_unit(words.get(at + 2)));
        let counted = is_number(word) || words::NUMBER.contains(word.as_str());
        (counted && next) || (words::RELATIVE.contains(word.as_str()) && (next || second))
    };
    any(&words::TIME, words) || words.iter().enumerate().any(|(at, word)| is_placed(at, word))
}

/// Counts the signs of logs, code and running commentary; what is `marked` as worth keeping is no commentary.
fn signs_of_noise(line: &Line<'_>, marked: bool) -> usize {
    let symbols = line.body.chars().filter(|c| SYMBOLS.contains(*c)).count();
    let is_hash = |text: &str| {
        text.contains(|c: char| c.is_ascii_digit()) && text.contains(|c: char| c.is_ascii_alphabetic())
    };
    let may_chatter = !line.is_human() && line.role() != Some(Role::Tool) && !marked;
    [
        LOG.is_match(&line.text),
        symbols * 12 > line.body.chars().count(),
        line.has_url() && line.words.len() < 8,
        HEX.find_iter(&line.text).any(|found| is_hash(found.as_str())),
        may_chatter && leads(line, &words::CHATTER),
    ]
    .into_iter()
    .filter(|sign| *sign)
    .count()
}

/// Whether the first word that counts is in a list: `I have found` begins with `found`.
fn leads(line: &Line<'_>, list: &words::Words) -> bool {
    let lead = line.words.iter().find(|word| !words::LEAD.contains(word.as_str()));
    lead.is_some_and(|word| list.contains(word.as_str()))
}

fn is_errand(line: &Line<'_>) -> bool {
    let reports = line.role() == Some(Role::Agent) && any(&words::SELF, &line.words);
    reports || leads(line, &words::ERRAND)
}

/// The sentences of a text, each with its end mark.
fn sentences(text: &str) -> Vec<&str> {
    SENTENCE
        .find_iter(text)
        .map(|found| found.as_str().trim())
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

fn first(words: &[String]) -> &[String] {
    &words[..words.len().min(1)]
}

fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// A count as a number to reckon with; counts of more than 32 bits, which no request holds, are cut.
pub(crate) fn real(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// `some` of `all`; 0 of nothing.
fn part(some: usize, all: usize) -> f64 {
    real(some) / real(all.max(1))
}

/// What the mask of a secret begins with.
const MASK: &str = "[REDACTED:";

const SYMBOLS: &str = "{}<>=;|\\_$&^~/#@+*";

static SENTENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"[^.!?]*[.!?]*"));
static FIGURE: LazyLock<Regex> = LazyLock::new(|| pattern(r"[0-9][0-9.,:/-]*"));
static WORD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[A-Za-z\u{c0}-\u{1fff}\u{2c00}-\u{d7ff}][A-Za-z']*"));
static HEX: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[0-9a-f]{7,64}\b"));
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    let labels = [
        "decision|decided|lesson|lessons|learned|fact|preference|rule|deadline|remember|todo",
        "root cause|cause|fix|important|policy|constraint|correction",
    ];
    pattern(&format!(r"^\**(?:{})\**:", labels.join("|")))
});
static LOG: LazyLock<Regex> = LazyLock::new(|| {
    let tools = r#"at |File "|Traceback|error\[|error:|warning:|warning\[|thread '|\$ |> |npm "#;
    let marks = r"\+\+\+|---|@@|-->|[|]|[{}<]";
    pattern(&format!("^(?:{tools}|{marks})"))
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::name::DocName;
    use crate::format::replies::fences::ShownLine;

    fn shown(texts: &[&str]) -> Vec<(DocName, Vec<ShownLine>)> {
        let lines = (1..).zip(texts).map(|(number, text)| ShownLine { number, text: (*text).to_owned() });
        vec![(DocName::parse("memory/2026-03-12.md").unwrap(), lines.collect())]
    }

    fn features(texts: &[&str]) -> Vec<Features> {
        measure(&line::candidates(&shown(texts)), &[])
    }

    #[test]
    fn no_tool_line_can_reach_the_threshold() {
        // Everything at its best; the words of decision, sections and answers are closed to tools.
        let best = Features {
            words: 30_f64.ln(),
            mine: 1.0,
            time: 1.0,
            proper: 3.0,
            rare: 5.0,
            complete: 1.0,
            figures: 3.0,
            lasting: 2.0,
            tool: 1.0,
            ..alone(&line::candidates(&shown(&["[tool] a line of words"]))[0])
        };
        assert!(1.0 / (1.0 + (-best.sum(1)).exp()) < THRESHOLD);
    }

    #[test]
    fn a_tool_cannot_claim_a_decision() {
        let both =
            features(&["## Decisions", "[tool] Decision: from now on so", "[user] Decision: from now on so"]);
        let marks = |features: &Features| {
            [features.strong, features.label, features.section, features.tool].map(|mark| mark > 0.5)
        };
        assert_eq!(marks(&both[0]), [false, false, false, true]);
        assert_eq!(marks(&both[1]), [true, true, true, false]);
    }

    #[test]
    fn a_line_is_placed_in_time_by_a_day_or_a_span() {
        for text in ["on monday", "three weeks", "last week", "a few more days", "12 hours"] {
            assert!(is_placed_in_time(&tokens(text)), "{text}");
        }
        for text in ["weeks", "last one", "twelve", "the week"] {
            assert!(!is_placed_in_time(&tokens(text)), "{text}");
        }
    }

    #[test]
    fn speakers_and_days_are_no_proper_names() {
        let names = BTreeSet::from(["melanie".to_owned()]);
        let journals = shown(&["Today I met Mel and Karen's dog in Oslo on Friday. Then home."]);
        assert_eq!(proper_names(&line::candidates(&journals)[0], &names), 2);
    }

    #[test]
    fn two_lines_are_near_from_seven_words_in_ten() {
        let words = ["red blue green white black brown grey", "red blue green white black"].map(tokens);
        let [all, most] = [&words[0], &words[1]].map(|words| Gist::of(words));
        assert!(all.is_near(&most));
        assert!(!all.is_near(&Gist::of(&words[1][1..])));
        assert!(!Gist::of(&[]).is_near(&Gist::of(&[])), "lines without words say nothing");
    }

    #[test]
    fn a_later_line_renews_what_it_puts_right() {
        let renews = |new: &str, old: &str| Gist::of(&tokens(new)).renews(&Gist::of(&tokens(old)));
        let cost = "the berth costs 1,250 kronor a month";
        assert!(renews("the berth costs 1,400 kronor a month", cost));
        assert!(!renews(cost, cost), "a repetition changes nothing");
        let visit = "Sill's appointment at the clinic is on 2026-03-10 in the afternoon, with Hanna";
        assert!(renews("Sill's appointment with Hanna has moved to 2026-03-12, same clinic", visit));
        assert!(!renews("Sill's appointment with Hanna at the clinic went well", visit));
    }

    #[test]
    fn what_memory_holds_with_another_number_is_news() {
        let [memory, line] = ["the berth costs 1,250 kronor", "the berth costs 1,400 kronor"].map(tokens);
        assert!(!Gist::of(&line).repeats(&Gist::of(&memory)));
        assert!(Gist::of(&line).repeats(&Gist::of(&line)));
    }

    /// Whether a line of the user's in a log is worth keeping.
    fn is_kept(text: &str) -> bool {
        let journals = shown(&[&format!("[user] {text}")]);
        let lines = line::candidates(&journals);
        rank(&lines, &[]).len() == 1
    }

    #[test]
    fn a_statement_that_stands_alone_is_kept_and_talk_is_not() {
        for text in [
            "Sill takes his tablets in a little butter, never crushed; crushed he spits them out.",
            "Bengt Hallgren is told first and by phone if the alerts are late.",
            "Backfills never run between 07:00 and 10:00, the analysts in Lyon need the slots then.",
            "I prefer metric units in every report, please remember that.",
        ] {
            assert!(is_kept(text), "{text}");
        }
        for text in [
            "hi. today: how do the alerts hear about new readings",
            "better. less red",
            "remind me what I told bengt",
            "yes. he promised, I have witnesses",
            "what does a full backfill cost",
            "did I promise anything for the meetup",
            "no broker. I refuse to run a broker on a 4 GB box",
            "Write a summary of the meeting with Karen and Tom, two paragraphs, and send it to me.",
        ] {
            assert!(!is_kept(text), "{text}");
        }
    }
}
