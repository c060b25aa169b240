//! Quotes: what a claim puts between quotation marks must be in the cited lines word for word.
//!
//! Only the place of words is compared, not their typography. White space, the shape of apostrophes and quotation marks,
//! and a comma or full stop before the closing mark make no difference. Letters, their case, and every missing word do.
//! Single marks open no quote, since apostrophes look the same.

use super::shown::{Source, held, without_marks};
use crate::base::gather::Gather as _;
use crate::dreamer::{Hold, HoldReason};

/// Opening quotation marks, each with its closing ones.
const MARKS: [(char, &str); 6] =
    [('"', "\"”"), ('“', "”\""), ('„', "“”\""), ('«', "»"), ('「', "」"), ('『', "』")];

/// Returns whether what a claim quotes is in a source, within one citation.
pub(crate) fn check(claim: &str, sources: &[Source]) -> Result<(), Hold> {
    let quotes = quotes(claim);
    if quotes.is_empty() {
        return Ok(());
    }
    let texts: Vec<String> = sources
        .iter()
        .map(|source| source.lines.iter().map(|line| said(&line.text)).gather().join(" "))
        .map(|text| plain(&text))
        .gather();
    let stands = |quote: &&str| {
        let quote = plain(quote);
        let quote = quote.trim_end_matches([',', '.']);
        quote.is_empty() || texts.iter().any(|text| holds(text, quote))
    };
    match quotes.into_iter().find(|quote| !stands(quote)) {
        Some(quote) => Err(held(HoldReason::Quote, quote)),
        None => Ok(()),
    }
}

/// Returns the texts between quotation marks; a quote that is not closed goes on to the end.
fn quotes(claim: &str) -> Vec<&str> {
    let mut quotes = Vec::new();
    let mut from = 0;
    while let Some((at, open, closers)) = opening(claim, from) {
        let start = at + open.len_utf8();
        let closes = |(at, c): &(usize, char)| {
            // A mark of inches or an apostrophe stands inside of a word.
            let after = claim[start + at + c.len_utf8()..].chars().next();
            closers.contains(*c) && (*c != '"' || !after.is_some_and(char::is_alphanumeric))
        };
        let end = claim[start..].char_indices().find(closes);
        let (stop, next) =
            end.map_or((claim.len(), claim.len()), |(at, c)| (start + at, start + at + c.len_utf8()));
        quotes.push(&claim[start..stop]);
        from = next;
    }
    quotes
}

/// Returns the next mark that opens a quote.
fn opening(claim: &str, from: usize) -> Option<(usize, char, &'static str)> {
    claim[from..].char_indices().find_map(|(at, c)| {
        let at = from + at;
        let (_, closers) = MARKS.into_iter().find(|(open, _)| *open == c)?;
        let before = claim[..at].chars().next_back();
        let after = claim[at + c.len_utf8()..].chars().next();
        // `27" wide` opens nothing.
        let opens = c != '"'
            || !before.is_some_and(char::is_alphanumeric)
                && after.is_some_and(|after| !after.is_whitespace());
        opens.then_some((at, c, closers))
    })
}

/// Returns a line without the bar that marks a continued entry.
fn said(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix("| ").unwrap_or(line)
}

/// Returns a text in one setting.
fn plain(text: &str) -> String {
    let text = without_marks(text).replace("&lt;", "<");
    let text: String = text
        .chars()
        .map(|c| match c {
            '‘' | '’' | 'ʼ' => '\'',
            '“' | '”' | '„' | '«' | '»' => '"',
            c => c,
        })
        .collect();
    text.split_whitespace().gather().join(" ")
}

/// Returns whether a text holds a quote, and not as a part of other words.
fn holds(text: &str, quote: &str) -> bool {
    let parts = |inside: Option<char>, outside: Option<char>| {
        let is_letter = |c: char| c.is_alphanumeric() && !super::matter::is_unparted(c);
        inside.is_some_and(is_letter) && outside.is_some_and(is_letter)
    };
    text.match_indices(quote).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + quote.len()..].chars().next());
        !parts(quote.chars().next(), before) && !parts(quote.chars().next_back(), after)
    })
}

#[cfg(test)]
mod tests {
    use super::super::shown::Line;
    use super::*;
    use crate::base::document::SourceRef;
    use crate::base::name::DocName;

    #[test]
    fn quotes_are_found_in_every_dress_and_marks_of_other_things_are_not() {
        for (claim, found) in [
            ("She said \"ship it\".", vec!["ship it"]),
            ("“Ship it”, he said, and “now”.", vec!["Ship it", "now"]),
            ("„Geht los“ und «parti» und 「行こう」", vec!["Geht los", "parti", "行こう"]),
            ("(\"ship\") \"it\" \"", vec!["ship", "it"]),
            ("“ship it\" now", vec!["ship it"]),
            ("He said \"ship it", vec!["ship it"]),
            ("A 27\" screen and a 5'10\" man", vec![]),
            ("It's Ana's and 'no quote'", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(quotes(claim), found, "{claim}");
        }
    }

    fn verdict(claim: &str) -> Option<HoldReason> {
        let line = |text: &str| Line { text: text.into(), origin: None, is_record: false };
        let place = |line| SourceRef {
            name: DocName::parse("memory/2026-03-12-repl.md").unwrap(),
            first_line: line,
            last_line: line,
        };
        let sources = [
            Source {
                place: place(1),
                date: None,
                lines: vec![
                    line("[user] I’ll never ship on\u{a0} Fridays,"),
                    line("  | not even for Ana. We call it \"the café rule\"."),
                ],
            },
            Source {
                place: place(9),
                date: None,
                lines: vec![line("And 100 boats left <harbour>. 我们明天发布")],
            },
        ];
        check(claim, &sources).err().map(|hold| hold.reason)
    }

    #[test]
    fn a_quote_stands_in_the_cited_lines_word_for_word() {
        for claim in [
            "The user: \"I'll never ship on Fridays\".",
            "“never ship on Fridays, not even for Ana.”",
            "“ship on Fridays.” and “for Ana,”",
            "Its name is “the café rule”.",
            "„for Ana. We call it »the café rule».\"",
            "“100 boats left &lt;harbour>.”",
            "「明天发布」",
            "Nothing is quoted, and \"\" is nothing.",
        ] {
            assert_eq!(verdict(claim), None, "{claim}");
        }
        for claim in [
            "The user said “I'll always ship on Fridays”.",
            "“I'll ship on Fridays”",
            "“never ship … Fridays”",
            "“Never ship on Fridays”",
            "“ship on Friday”",
            "“10 boats”",
            "“for Ana. We call it \"the cafe rule\"”",
            "“for Ana. And 100 boats left”",
            "“never ship on Fridays” and “even for Ilya”",
            "He said \"ship it",
            "「明天不发布」",
        ] {
            assert_eq!(verdict(claim), Some(HoldReason::Quote), "{claim}");
        }
    }
}
