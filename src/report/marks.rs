//! The words of a source that the citing line has too.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::base::text;

/// The words of a promoted line.
pub(super) struct Words(BTreeSet<String>);

impl Words {
    pub(super) fn of(claim: &str) -> Self {
        Self(text::words(claim).collect())
    }

    /// Cuts a source line into runs that are the claim's words, and what is between them. A run of small words alone
    /// says nothing, and is none.
    pub(super) fn cut<'l>(&self, line: &'l str) -> Vec<(bool, &'l str)> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut follows = false;
        let said = after_front(line);
        for word in words(line).filter(|word| word.start >= said) {
            let known = self.knows(&line[word.clone()]);
            match runs.last_mut() {
                Some(run) if known && follows => run.end = word.end,
                _ if known => runs.push(word),
                _ => {}
            }
            follows = known;
        }
        runs.retain(|run| {
            let says = |word: &Range<usize>| {
                let word = &line[run.start + word.start..run.start + word.end];
                word.chars().count() > 3
                    || word.chars().any(|c| c.is_numeric() || c.is_uppercase() || !c.is_ascii())
            };
            words(&line[run.clone()]).any(|word| says(&word))
        });
        let mut pieces = Vec::new();
        let mut end = 0;
        for run in runs {
            pieces.push((false, &line[end..run.start]));
            end = run.end;
            pieces.push((true, &line[run]));
        }
        pieces.push((false, &line[end..]));
        pieces.retain(|(_, piece)| !piece.is_empty());
        pieces
    }

    fn knows(&self, word: &str) -> bool {
        text::words(word).all(|word| self.0.contains(&word))
    }
}

/// Returns the start of a line's statement: after the time of day and the speaker that a journal puts in front.
fn after_front(line: &str) -> usize {
    let is_of_time = |c: char| c.is_ascii_digit() || c.is_whitespace() || "-*:[]".contains(c);
    let front = line.find(|c| !is_of_time(c)).unwrap_or(line.len());
    match line[front..].find(']') {
        // A link has its address behind its words.
        Some(end) if line[..front].ends_with('[') && !line[front + end..].starts_with("](") => {
            front + end + 1
        }
        _ if line[..front].contains(':') => front,
        _ => 0,
    }
}

/// Returns the places of words: runs of letters and digits, as in [`text::words`].
fn words(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_in = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
    let mut at = 0;
    line.split_inclusive(move |c| !is_in(c)).filter_map(move |piece| {
        let word = piece.trim_matches(|c: char| !c.is_alphanumeric());
        let start = at + piece.find(word).unwrap_or(0);
        at += piece.len();
        (!word.is_empty()).then_some(start..start + word.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(claim: &str, line: &str) -> Vec<String> {
        let pieces = Words::of(claim).cut(line);
        assert_eq!(pieces.iter().map(|(_, piece)| *piece).collect::<String>(), line);
        pieces.into_iter().filter(|(is_word, _)| *is_word).map(|(_, piece)| piece.to_owned()).collect()
    }

    #[test]
    fn what_stands_word_for_word_is_one_run() {
        let line = "[07:51:28] [user] Skarvholmen is station number 42; it’s live.";
        let claim = "Skarvholmen is station number 42; it's live.";
        assert_eq!(marked(claim, line), ["Skarvholmen is station number 42; it’s live"]);
    }

    // A line about a user marked the speaker too, so the mark began inside of a bracket.
    #[test]
    fn the_speaker_of_a_line_is_no_part_of_its_statement() {
        assert_eq!(marked("The user sails", "- [07:51:28] [user] The user sails."), ["The user sails"]);
        assert_eq!(marked("The user sails", "[user] The user sails."), ["The user sails"]);
        assert_eq!(marked("Brisk leaks", "- [Brisk](boat.md) leaks"), ["Brisk", "leaks"]);
    }

    #[test]
    fn other_words_part_runs_and_small_words_alone_are_none() {
        assert_eq!(
            marked("The release is on Friday at 16:00", "so the big release, on a Friday, is the 16th"),
            ["release, on", "Friday, is the"]
        );
        assert!(marked("it is on", "is it on?").is_empty());
        assert!(marked("", "«» — ").is_empty());
        assert_eq!(marked("14 boats", "[18:14:00] [user] 14 boats"), ["14 boats"]);
        assert_eq!(marked("14 boats", "- 14 boats"), ["14 boats"]);
        assert_eq!(marked("Ilya am See", "«Ilya» ist am See"), ["Ilya", "am See"]);
    }
}
