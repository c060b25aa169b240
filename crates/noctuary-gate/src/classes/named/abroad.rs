//! Values under a plain name in other languages than English: `hasło: …`, `mot de passe : …`, `密码是…`.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use crate::{dense, steps, text};

/// Returns where the next name of a password begins that has a value behind it, and where the value does.
pub(super) fn password(text: &str, from: usize) -> Option<(usize, usize)> {
    static NAMES: LazyLock<Names> = LazyLock::new(|| Names::new("password", r#"[^\s"'`]{6,128}"#));
    NAMES.next(text, from..text.len())
}

/// Returns the same of the next name of a key, token or secret.
pub(super) fn key(text: &str, from: usize) -> Option<(usize, usize)> {
    static NAMES: LazyLock<Names> = LazyLock::new(|| Names::new("key", r"[A-Za-z0-9_./+=-]{16,256}"));
    // Such a value is a run of symbols, which prose does not have.
    let mut searched = from;
    dense::runs(&text.as_bytes()[from..]).find_map(|run| {
        // The end of the last part may hold the beginning of a name.
        let start = (from + run.start).saturating_sub(BEFORE).max(searched.saturating_sub(dense::LONGEST));
        let end = text::floor_boundary(text, from + run.end);
        searched = end;
        NAMES.next(text, text::floor_boundary(text, start).max(from)..end)
    })
}

/// Maximum bytes from a name to its value.
const BEFORE: usize = 384;

/// The names of a kind of secrets, and what is between a name and its value.
struct Names {
    words: AhoCorasick,
    behind: Regex,
}

impl Names {
    fn new(kind: &str, value: &str) -> Self {
        let mut words = Vec::new();
        for word in words_of(kind) {
            let mut chars = word.chars();
            let first = chars.next().into_iter().flat_map(char::to_uppercase);
            let title: String = first.chain(chars).collect();
            for cased in [word.to_owned(), title, word.to_uppercase()] {
                words.extend([cased.nfc().collect::<String>(), cased.nfd().collect()]);
            }
        }
        words.sort();
        words.dedup();
        let words = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(words)
            .expect("a few hundred words");
        Self { words, behind: Regex::new(&behind(value)).expect("a pattern of its parts") }
    }

    /// Returns the first name in a part of a text that has a value behind it, and the beginning of that value.
    fn next(&self, text: &str, part: Range<usize>) -> Option<(usize, usize)> {
        // No match behind a name is longer.
        const LONGEST: usize = 512;
        let mut at = part.start;
        loop {
            let name = self.words.find(text.as_bytes().get(at..part.end)?)?.span();
            let (start, end) = (at + name.start, at + name.end);
            steps::take(end - at);
            let rest = &text[end..text::floor_boundary(text, end + LONGEST)];
            if let Some(value) = self.behind.captures(rest).and_then(|found| found.get(1)) {
                return Some((start, end + value.start()));
            }
            at = end;
        }
    }
}

/// Returns the words of a kind.
fn words_of(kind: &str) -> impl Iterator<Item = &'static str> {
    let rows = include_str!("words.tsv").lines().filter(|line| !line.starts_with('#'));
    let rows = rows.filter(move |row| row.split('\t').next() == Some(kind));
    rows.filter_map(|row| row.split('\t').nth(2)).flat_map(|words| words.split(", "))
}

/// Returns the pattern of what is behind a name. First come the ending of the name and a few words on its use.
/// Then come a sign of setting, or a word for "is", and the value in its marks.
fn behind(value: &str) -> String {
    let is = "ist|lautet|est|es|é|è|is|luidt|to|jest|on|je|er|är|az|este|יא|הוא|היא|هو|هي|คือ|это|-|—|–";
    format!(
        r#"\A[\p{{L}}\p{{M}}]{{0,8}}["'`\])*_»」』]{{0,4}}(?:[ \u{{a0}}]?[(（][^()（）\r\n]{{1,32}}[)）]|(?: [^\s:：=]{{1,24}}){{1,4}}?)?(?:[ \t\u{{a0}}\u{{202f}}]{{0,4}}(?::{{0,2}}=|=>|[:：])\*{{0,3}}(?:[ \t]{{0,4}}\r?\n)?|[ \t]{{1,4}}(?:{is}):?[ \t]|(?:是|为|為|は|은|는|이|가)[:：]?)[ \t\u{{3000}}]{{0,8}}(?:["'`「『“«]{{1,3}}|\*{{1,3}})?({value})"#
    )
}
