//! The part of a line that tells something: without the requests, questions and thanks around it.
//!
//! "I'm planning a trip. By the way, I moved to Porto in May, can you suggest a hotel?" only says "I moved to Porto in
//! May". The result is always one unchanged piece of the line: whole sentences, or a sentence without the request at
//! its end.

use std::sync::LazyLock;

use regex::Regex;

use super::lexicon::{Cue, Lexicon, Wording};
use super::token::is_number;
use crate::base::pattern::pattern;

/// Returns the part of a line that tells the most. All of it where nothing around it asks, and `None` where nothing
/// tells.
pub(super) fn told<'s>(said: &'s str, lexicon: &'static Lexicon) -> Option<&'s str> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let (mut begins, mut leaves_out) = (None, false);
    for sentence in SENTENCE.find_iter(said) {
        let piece = telling(sentence.as_str(), lexicon);
        leaves_out |= piece != Some(sentence.as_str());
        let Some(piece) = piece else {
            begins = None;
            continue;
        };
        let start = *begins.get_or_insert(sentence.start());
        let end = sentence.start() + piece.len();
        match runs.last_mut() {
            Some(run) if run.0 == start => run.1 = end,
            _ => runs.push((start, end)),
        }
        if piece.len() < sentence.as_str().len() {
            begins = None;
        }
    }
    if !leaves_out {
        return Some(said);
    }
    // Of two that tell as much, the later: people come to the point last.
    let runs = runs.into_iter().map(|(start, end)| said[start..end].trim());
    runs.max_by_key(|run| worth(&Wording::of(run, lexicon), run)).filter(|run| !run.is_empty())
}

/// Returns the part of a sentence that comes before a request; `None` where that is nothing.
fn telling<'s>(sentence: &'s str, lexicon: &'static Lexicon) -> Option<&'s str> {
    let text = sentence.trim();
    let wording = Wording::of(text, lexicon);
    let asks = if lexicon.is_english() {
        ASKS.is_match(text)
    } else {
        wording.has(Cue::Errand) || wording.has(Cue::ErrandEnd)
    };
    if asks || is_reaction(&wording) {
        return None;
    }
    let cut = REQUEST.find(sentence).map(|request| sentence[..request.start()].trim_end());
    let told = match cut {
        Some(before) => before,
        None if text.ends_with(['?', '？']) => return None,
        None => return Some(sentence),
    };
    let words = Wording::of(told, lexicon);
    // A condition without what follows from it says nothing.
    let is_whole = words.words.len() >= LEAST_WORDS && !words.has(Cue::Opens);
    is_whole.then_some(told)
}

/// Returns whether a short sentence only answers the one before: thanks, a nod.
fn is_reaction(sentence: &Wording) -> bool {
    sentence.words.len() <= MOST_OF_A_NOD && sentence.has(Cue::Reaction)
}

/// Returns how much a run of sentences tells: of the speaker, of deeds, times, numbers and names.
fn worth(wording: &Wording, run: &str) -> usize {
    let words = &wording.words;
    let has = |cue| usize::from(wording.has(cue));
    let numbers = usize::from(words.iter().any(|word| is_number(word)));
    let names = NAME.find_iter(run).take(2).count();
    let deed = words.windows(2).any(|two| {
        wording.is(Cue::Actor, &two[0]) && (wording.is(Cue::Past, &two[1]) || two[1].ends_with("ed"))
    });
    let way = usize::from(words.windows(3).any(|three| three == ["by", "the", "way"]));
    has(Cue::Own) + has(Cue::Mine) + has(Cue::Time) + 2 * usize::from(deed) + numbers + names + 2 * way
}

/// The least words of what is before a request.
const LEAST_WORDS: usize = 4;

/// The most words of a sentence that is a reaction by its first.
const MOST_OF_A_NOD: usize = 9;

/// A sentence with its end marks; a point inside a number or an address ends none.
static SENTENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?:[^.!?。！？]|[.!?]+[^\s.!?。！？"')”])+[.!?。！？]*["')”」]*\s*"#));

/// A sentence that asks, by its beginning.
static ASKS: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!("(?i)^(?:{})*(?:{})", requests("opens"), requests("asks"))));

/// The beginning of a request inside a sentence, with the words that join it.
static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
    let [joins, joined, inside] = ["joins", "joined", "inside"].map(requests);
    pattern(&format!("(?i){joins}(?:{joined})|{inside}"))
});

/// Returns the patterns of a kind as one that any of them fits.
fn requests(kind: &str) -> String {
    let lines = include_str!("words/en.requests.tsv").lines();
    let of_kind = lines.filter_map(|line| line.split_once('\t').filter(|(other, _)| *other == kind));
    of_kind.map(|(_, pattern)| pattern).collect::<Vec<_>>().join("|")
}

/// A capitalised word inside a sentence.
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"[a-z,] [A-Z][a-z]+"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_to_what_it_tells() {
        for (said, expected) in [
            (
                "I'm looking for a hotel. Can you help? By the way, I moved to Porto in May. Any tips?",
                Some("By the way, I moved to Porto in May."),
            ),
            (
                "I've only got $500.50 saved for the fund by June 30, can you help me make a plan to reach my goal?",
                Some("I've only got $500.50 saved for the fund by June 30"),
            ),
            (
                "Thanks for the tips! I met Emily at 5.30 pm, see a.b/c.html.",
                Some("I met Emily at 5.30 pm, see a.b/c.html."),
            ),
            ("I prefer metric units in every report.", Some("I prefer metric units in every report.")),
            ("What does a full backfill cost?", None),
            ("If I move to Porto, can you find me a flat?", None),
        ] {
            assert_eq!(told(said, Lexicon::english()), expected, "{said}");
        }
    }

    #[test]
    fn what_is_left_is_a_piece_of_the_line() {
        let said = "Wow! I painted it last year — a gift. Is it yours? We sold ours for €40, you know, what do you think?";
        let left = told(said, Lexicon::english()).unwrap();
        assert!(said.contains(left), "{left}");
        assert!(!left.contains('?'), "{left}");
    }
}
