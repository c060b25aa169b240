//! What a line is worth, and which lines are taken.
//!
//! A line's value is a logistic sum of [`Features`] and [`WEIGHTS`], between 0 and 1. Lines are ranked by
//! value for the room that they take, and taken while they fit.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::LazyLock;

use regex::Regex;

use super::line::{self, Line, Role, is_number, pattern, tokens};
use super::words::{self, any, any_pair, count};
use crate::format::reply;

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

/// Takes the lines that are worth keeping, best first, within the limits. `total` is the size of all
/// journals.
///
/// A line that says what memory or a better line says already is passed over, and so is one that cites a
/// journal: it repeats what was kept before.
pub(crate) fn pick<'l, 'm>(
    lines: &'l [Line<'m>],
    memory: &[String],
    total: usize,
    limits: Limits,
) -> Vec<Valued<'l, 'm>> {
    let memory: Vec<String> =
        memory.iter().map(|line| line::undressed(&reply::split_citations(line).0)).collect();
    let memory: Vec<Vec<String>> = memory.iter().map(|line| tokens(line)).collect();
    let mut said: Vec<BTreeSet<&str>> = memory.iter().map(|words| gist(words)).collect();
    let mut picked = Vec::new();
    let mut used = 0;
    for valued in rank(lines, &memory) {
        let bytes = used + valued.line.bytes;
        let over_share = bytes > limits.least && real(bytes) > limits.share * real(total);
        if bytes > limits.bytes || over_share || picked.len() >= limits.lines {
            continue;
        }
        let gist = gist(&valued.line.words);
        if said.iter().any(|other| same(&gist, other))
            || !reply::split_citations(valued.line.said).1.is_empty()
        {
            continue;
        }
        said.push(gist);
        picked.push(valued);
        used = bytes;
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
            let value = 1.0 / (1.0 + (-features.sum()).exp());
            let key = (1e6 * value * (100.0 / real(line.bytes)).powf(ALPHA)).floor();
            Valued { at, line, value, key }
        })
        .filter(|valued| valued.value >= THRESHOLD)
        .collect();
    ranked.sort_by(|one, other| other.key.total_cmp(&one.key));
    ranked
}

/// Twenty numbers for a line; in [`WEIGHTS`], what each of them counts.
#[derive(Debug, Clone, Copy)]
struct Features {
    /// The logarithm of its bytes, of 400 at most.
    len: f64,
    /// Which part of it is questions.
    question: f64,
    /// Whether the speaker acts (`I`).
    own: f64,
    /// Whether the speaker owns (`my`).
    mine: f64,
    /// Which part of its words is `you`, 0.2 at most.
    you: f64,
    /// Whether somebody did something: `I`, `they` and the like, then a verb in the past tense.
    did: f64,
    /// Whether it is placed in time.
    time: f64,
    /// How many capitalised words stand inside its sentences, speakers left out, 3 at most.
    proper: f64,
    /// Which part of its words is new to memory and to the lines above, 0.5 at most.
    new: f64,
    /// How many of its words occur in no other line, 5 at most.
    rare: f64,
    /// Whether it follows somebody else's question.
    reply: f64,
    /// Whether it is the first word of a person or the user under a heading.
    open: f64,
    /// Which part of its sentences begins with a reaction.
    react: f64,
    /// Which part of its words is praise, 0.3 at most.
    praise: f64,
    /// Whether a word marks it: decided, prefers, deadline.
    strong: f64,
    /// Whether it begins with a label: `Decision:`, `Lesson:`.
    label: f64,
    /// Whether it stands under a heading such as `Decisions`.
    section: f64,
    /// Whether the agent says it.
    agent: f64,
    /// Whether a machine or the web says it.
    tool: f64,
    /// How many signs there are of logs, code and an agent's running commentary, 2 at most.
    noise: f64,
}

impl Features {
    /// The weighted sum.
    fn sum(&self) -> f64 {
        self.values().iter().zip(WEIGHTS.values()).fold(BIAS, |sum, (value, weight)| sum + weight * value)
    }

    fn values(&self) -> [f64; 20] {
        let Self { len, question, own, mine, you, did, time, proper, new, rare, .. } = *self;
        let Self { reply, open, react, praise, strong, label, section, agent, tool, noise, .. } = *self;
        [
            len, question, own, mine, you, did, time, proper, new, rare, reply, open, react, praise, strong,
            label, section, agent, tool, noise,
        ]
    }
}

/// What each feature counts.
///
/// The first fourteen were fitted and rounded on dialogue in which the lines that hold a fact, or answer a
/// question asked later, are known. Dialogue holds no labels, tools or agents, so the last six are set by
/// hand; `tool` is so low that no other features together lift a tool's line over [`THRESHOLD`].
const WEIGHTS: Features = Features {
    len: 0.65,
    question: -1.3,
    own: 0.5,
    mine: 0.3,
    you: -2.5,
    did: 0.4,
    time: 1.0,
    proper: 0.45,
    new: 2.5,
    rare: 0.06,
    reply: 0.8,
    open: 0.8,
    react: -0.5,
    praise: -2.5,
    strong: 1.0,
    label: 1.2,
    section: 0.8,
    agent: -0.7,
    tool: -5.0,
    noise: -1.5,
};

/// The sum of a line without features.
const BIAS: f64 = -5.0;

/// The value below which a line is never taken, however much room there is.
const THRESHOLD: f64 = 0.35;

/// How much a line's size counts against it in the ranking: 0 not at all, 1 in full.
const ALPHA: f64 = 0.8;

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
    Features {
        len: real(line.bytes.min(400)).ln(),
        question: part(questions, sentences.iter().map(chars).sum()),
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

/// The words of a line by which it is compared to another.
fn gist(words: &[String]) -> BTreeSet<&str> {
    words.iter().map(String::as_str).filter(|word| is_content(word)).collect()
}

fn is_content(word: &str) -> bool {
    word.chars().nth(2).is_some() && !words::STOP.contains(word)
}

/// Whether two lines have so many words in common that they say the same.
fn same(one: &BTreeSet<&str>, other: &BTreeSet<&str>) -> bool {
    let common = one.intersection(other).count();
    common > 0 && common * 100 >= SAME_PERCENT * (one.len() + other.len() - common)
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
    let lead = line.words.iter().find(|word| !words::LEAD.contains(word.as_str()));
    let may_chatter = !line.is_human() && line.role() != Some(Role::Tool) && !marked;
    [
        LOG.is_match(&line.text),
        symbols * 12 > line.body.chars().count(),
        line.has_url && line.words.len() < 8,
        HEX.find_iter(&line.text).any(|found| is_hash(found.as_str())),
        may_chatter && lead.is_some_and(|word| words::CHATTER.contains(word.as_str())),
    ]
    .into_iter()
    .filter(|sign| *sign)
    .count()
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

const SYMBOLS: &str = "{}<>=;|\\_$&^~/#@+*";

static SENTENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"[^.!?]*[.!?]*"));
static WORD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[A-Za-z\u{c0}-\u{1fff}\u{2c00}-\u{d7ff}][A-Za-z']*"));
static HEX: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[0-9a-f]{7,64}\b"));
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    let labels = [
        "decision|decided|lesson|lessons|learned|fact|preference|rule|deadline|remember|todo",
        "root cause|cause|fix|important|policy|constraint",
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
    use crate::format::fences::ShownLine;
    use crate::name::DocName;

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
            len: 400_f64.ln(),
            own: 1.0,
            mine: 1.0,
            did: 1.0,
            time: 1.0,
            proper: 3.0,
            new: 0.5,
            rare: 5.0,
            tool: 1.0,
            ..alone(&line::candidates(&shown(&["[tool] a line of words"]))[0])
        };
        assert!(1.0 / (1.0 + (-best.sum()).exp()) < THRESHOLD);
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
    fn two_lines_say_the_same_from_seven_words_in_ten() {
        let (one, other) =
            (tokens("red blue green white black brown grey"), tokens("red blue green white black"));
        assert!(same(&gist(&one), &gist(&other)));
        assert!(!same(&gist(&one), &gist(&other[1..])));
        assert!(!same(&gist(&[]), &gist(&[])), "lines without words say nothing");
    }
}
