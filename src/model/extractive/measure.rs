//! The measuring of the features of a line.

use std::sync::LazyLock;

use regex::Regex;

use super::features::Features;
use super::gist::is_content;
use super::lexicon::{Cue, Wording};
use super::line::{Line, Role};
use super::token::is_number;
use crate::base::gather::Gather as _;
use crate::base::pattern::pattern;
use crate::base::sorted::{SortedMap, SortedSet};
use crate::base::spread::Spread;
use crate::format::documents::labels;

/// Measures each line, which depends on the ones above it and on how often its words occur.
pub(super) fn measure(lines: &[Line<'_>], memory: &[Wording]) -> Vec<Features> {
    let names = names(lines);
    let content: Vec<Vec<&str>> = lines.iter().map(|line| content(line, &names)).gather();
    let mut frequency: SortedMap<&str, usize> = SortedMap::new();
    for word in content.iter().flatten() {
        *frequency.entry(word).or_default() += 1;
    }
    let mut seen: SortedSet<&str> = memory.iter().flat_map(|line| &line.words).map(String::as_str).collect();
    let mut above: Option<&Line<'_>> = None;
    let mut features = Vec::with_capacity(lines.len());
    for (line, content) in lines.iter().zip(&content) {
        let new = content.iter().filter(|word| !seen.contains(*word)).count();
        seen.extend(content.iter().copied());
        let rare = content.iter().filter(|word| frequency.get(*word) == Some(&1)).count();
        let above_here = above.filter(|above| above.journal == line.journal);
        features.push(Features {
            proper: real(proper_names(line, &names).min(3)),
            new: part(new, line.wording.words.len()).min(0.5),
            rare: real(rare.min(5)),
            reply: flag(above_here.is_some_and(|above| answers(line, above))),
            ..alone(line)
        });
        above = Some(line);
    }
    features
}

/// Returns the features that a line has by itself; the others are 0.
fn alone(line: &Line<'_>) -> Features {
    let (sentences, said) = (sentences(&line.body), &line.wording);
    let chars = |sentence: &&str| sentence.chars().count();
    let questions = sentences.iter().filter(|sentence| sentence.ends_with(['?', '？'])).map(chars).sum();
    let reactions =
        sentences.iter().filter(|sentence| line.wording.same(sentence).has(Cue::Reaction)).count();
    // Web pages and tools cannot claim a decision.
    let trusted = line.role() != Some(Role::Tool);
    let strong = trusted && said.has(Cue::Strong);
    let label = trusted && labels::is_labelled(&line.text);
    let is_cut = line.size < line.bytes;
    let ends =
        is_cut || line.body.trim_end_matches(['"', '\'', ')', '*', '`']).ends_with(['.', '!', '。', '！']);
    let asks = line.is_logged && !ends && (said.has(Cue::Asking) || said.has(Cue::AskingEnd));
    let standing = trusted
        && line.role() != Some(Role::Agent)
        && !line.body.contains(['?', '？'])
        && (said.has(Cue::Standing) || said.tells_of_life());
    // Who they are and what they wish takes a person few words.
    let least = if standing { STANDING_WORDS } else { 0 };
    Features {
        len: real(line.size.min(400)).ln(),
        words: real(said.english_words().max(least).min(30)).ln(),
        question: if asks { 1.0 } else { part(questions, sentences.iter().map(chars).sum()) },
        own: flag(said.has(Cue::Own)),
        mine: flag(said.has(Cue::Mine)),
        you: part(said.count(Cue::You), said.words.len()).min(0.2),
        did: flag(tells_a_deed(said)),
        time: flag(is_placed_in_time(said)),
        proper: 0.0,
        new: 0.0,
        rare: 0.0,
        reply: 0.0,
        open: flag(line.opens),
        react: part(reactions, sentences.len()),
        praise: part(said.count(Cue::Praise), said.words.len()).min(0.3),
        strong: flag(strong),
        label: flag(label),
        section: flag(trusted && line.in_section),
        agent: flag(line.role() == Some(Role::Agent)),
        tool: flag(!trusted),
        noise: real(signs_of_noise(line, strong || label).min(2)),
        complete: flag(ends && said.english_words() >= 6),
        leaning: flag(said.has(Cue::Leaning)),
        figures: real(FIGURE.find_iter(&line.body).count().min(3)),
        lasting: real(said.kinds(Cue::Lasting).min(2)),
        errand: flag(is_errand(line) || (said.has(Cue::ErrandEnd) && !standing)),
        standing: flag(standing),
    }
}

/// Returns the words of the names of all persons.
fn names(lines: &[Line<'_>]) -> SortedSet<String> {
    let persons =
        lines.iter().filter_map(|line| line.speaker.as_ref()).filter(|speaker| speaker.role == Role::Person);
    persons.spread(|speaker| speaker.name.split_whitespace().map(str::to_ascii_lowercase)).collect()
}

/// Returns the words of a line that say what it is about, each once.
fn content<'l>(line: &'l Line<'_>, names: &SortedSet<String>) -> Vec<&'l str> {
    let mut met = SortedSet::new();
    let speaks = |word: &&str| is_content(&line.wording, word) && !is_number(word) && !names.contains(*word);
    line.wording.words.iter().map(String::as_str).filter(speaks).filter(|word| met.insert(*word)).collect()
}

/// Counts the capitalised words inside the sentences of a line: no days, months and speakers.
fn proper_names(line: &Line<'_>, names: &SortedSet<String>) -> usize {
    let said = &line.wording;
    if !said.has_capitals() {
        return 0;
    }
    let is_proper = |word: &str| {
        let name = word.split('\'').next().unwrap_or(word).to_lowercase();
        word.starts_with(char::is_uppercase)
            && name != "i"
            && !said.is(Cue::Time, &name)
            && !is_speaker(&name, names)
    };
    let inside = |sentence| WORD.find_iter(sentence).skip(1).filter(|word| is_proper(word.as_str())).count();
    sentences(&line.body).into_iter().map(inside).sum()
}

/// Returns whether a word is a speaker's name, or the beginning of one, three letters or more.
fn is_speaker(word: &str, names: &SortedSet<String>) -> bool {
    let next = names.starting_at(word).next();
    next.is_some_and(|name| name == word || (word.chars().nth(2).is_some() && name.starts_with(word)))
}

/// Returns whether a human's line follows a question of somebody else's.
fn answers(line: &Line<'_>, above: &Line<'_>) -> bool {
    let name = |line: &Line<'_>| line.speaker.as_ref().map(|speaker| speaker.name.to_ascii_lowercase());
    line.is_human() && name(line) != name(above) && above.body.contains(['?', '？'])
}

fn tells_a_deed(said: &Wording) -> bool {
    let is_past = |word: &String| {
        said.is(Cue::Past, word)
            || (said.lexicon.is_english() && word.ends_with("ed") && word.chars().nth(3).is_some())
    };
    if said.lexicon.is_unparted() {
        return said.has(Cue::Past);
    }
    let words = &said.words;
    words
        .iter()
        .enumerate()
        .any(|(at, word)| said.is(Cue::Actor, word) && words[at + 1..].iter().take(3).any(is_past))
}

fn is_placed_in_time(said: &Wording) -> bool {
    let words = &said.words;
    let is_unit = |word: Option<&String>| word.is_some_and(|word| said.is(Cue::Unit, word));
    let is_placed = |at: usize, word: &String| {
        let (next, second) = (is_unit(words.get(at + 1)), is_unit(words.get(at + 2)));
        let counted = is_number(word) || said.is(Cue::Number, word);
        (counted && next) || (said.is(Cue::Relative, word) && (next || second))
    };
    said.has(Cue::Time) || words.iter().enumerate().any(|(at, word)| is_placed(at, word))
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
        line.has_url() && line.wording.words.len() < 8,
        HEX.find_iter(&line.text).any(|found| is_hash(found.as_str())),
        may_chatter && line.wording.leads(Cue::Chatter),
        // A list in an answer leans on what is above it.
        line.continues && !line.is_human(),
    ]
    .into_iter()
    .filter(|sign| *sign)
    .count()
}

fn is_errand(line: &Line<'_>) -> bool {
    let reports = line.role() == Some(Role::Agent) && line.wording.has(Cue::Own);
    reports || line.wording.leads(Cue::Errand)
}

/// Returns the sentences of a text, each with its end mark.
fn sentences(text: &str) -> Vec<&str> {
    SENTENCE
        .find_iter(text)
        .map(|found| found.as_str().trim())
        .filter(|sentence| !sentence.is_empty())
        .gather()
}

fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// Returns a count as a number to reckon with; counts of more than 32 bits, which no request holds, are cut.
pub(super) fn real(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Returns `some` of `all`; 0 of nothing.
fn part(some: usize, all: usize) -> f64 {
    real(some) / real(all.max(1))
}

/// A line that states who somebody is or what they wish counts as long as this, although it has few words.
const STANDING_WORDS: usize = 8;

const SYMBOLS: &str = "{}<>=;|\\_$&^~/#@+*";

static SENTENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"[^.!?。！？]*[.!?。！？]*"));
static FIGURE: LazyLock<Regex> = LazyLock::new(|| pattern(r"[0-9][0-9.,:/-]*"));
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"\p{L}[\p{L}\p{M}']*"));
static HEX: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[0-9a-f]{7,64}\b"));
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
    use crate::model::extractive::features::THRESHOLD;
    use crate::model::extractive::lexicon::Lexicon;
    use crate::model::extractive::line;

    fn shown(texts: &[&str]) -> Vec<(DocName, Vec<ShownLine>)> {
        let lines = (1..).zip(texts).map(|(number, text)| ShownLine { number, text: (*text).to_owned() });
        vec![(DocName::parse("memory/2026-03-12.md").unwrap(), lines.collect())]
    }

    fn features(texts: &[&str]) -> Vec<Features> {
        measure(&line::candidates(&shown(texts), false), &[])
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
            ..alone(&line::candidates(&shown(&["[tool] a line of words"]), false)[0])
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
            assert!(is_placed_in_time(&Wording::of(text, Lexicon::english())), "{text}");
        }
        for text in ["weeks", "last one", "twelve", "the week"] {
            assert!(!is_placed_in_time(&Wording::of(text, Lexicon::english())), "{text}");
        }
    }

    #[test]
    fn speakers_and_days_are_no_proper_names() {
        let names = SortedSet::from(["melanie".to_owned()]);
        let journals = shown(&["Today I met Mel and Karen's dog in Oslo on Friday. Then home."]);
        assert_eq!(proper_names(&line::candidates(&journals, false)[0], &names), 2);
    }
}
