//! Values under a plain name: `password: …`, `API_KEY=…`. Texts about programs are full of such names, so what a value
//! is decides.

mod abroad;

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::class::{Bounds, Class, Needs, Proof, Shape};
use crate::symbols::{Symbols, symbols};
use crate::text;
use crate::{proof, steps};

pub(super) const NAMED: &[Class] = &[
    named(
        "named_password",
        "passwords under a plain name",
        password_shape,
        Some(PASSWORD),
        proof::is_password,
    ),
    named("named_key", "keys, tokens and secrets under a plain name", key_shape, Some(KEY), proof::is_key),
    named(
        "foreign_password",
        "passwords under a name in 21 other languages",
        foreign_password,
        None,
        proof::is_password,
    ),
    named(
        "foreign_key",
        "keys, tokens and secrets under a name in 21 other languages",
        foreign_key,
        None,
        proof::is_key,
    ),
];

const fn named(
    name: &'static str,
    what: &'static str,
    scan: fn(&str, usize) -> Option<Range<usize>>,
    pattern: Option<&'static str>,
    proof: fn(&str) -> bool,
) -> Class {
    Class::new(name, what, Shape::Scan(scan, Needs::Name, pattern), Bounds::None)
        .proof(Proof::Required(proof))
}

/// First the end of a name, its closing mark and a few words on its use. Then a sign of setting, the opening mark
/// of the value, and the value. The match may go over the next one or two lines.
macro_rules! shape {
    ($names:literal, $more:literal, $value:literal) => {
        concat!(
            r"(?:--[a-z-]{0,24}?(?:",
            $names,
            r")[ \t]|(?i:",
            $names,
            r#")["'`\])*_?\\]{0,4}"#,
            r"(?: \([^()\r\n]{1,32}\)| (?:for|of|on|to|from|that|you|I|we|vom|von|zum)(?: [A-Za-z0-9._'@-]{1,24}){1,4}?)?",
            r"(?:",
            // The type may stand between: `key: &'static str =`.
            r"[ \t]{0,4}[ :][ \t]{0,4}&?(?:'[a-z]{1,10} )?[A-Za-z]{1,12}[ \t]{0,4}=[ \t]",
            r"|[ \t]{0,4}(?::{0,3}=|=>|[:.?]=|:)\*{0,3}",
            r"|:\*{0,3}[ \t]{0,4}(?:\r?\n[ \t]{0,8}){1,2}(?:```[a-z]{0,8}\r?\n)?",
            r"|[ \t]{1,4}(?:is|was|to|ist|lautet|est|es)(?: now)?:?[ \t]",
            r"|[ \t]\|[ \t]",
            r#")[ \t]{0,8}(?:[BbRrUu]?\\?["']|`{1,3}|\*{1,3})?"#,
            // The name as an element, and as an argument before the value.
            r#"|(?i:"#,
            $names,
            r#")(?:>\s{0,16}|["'],[ \t]?["'])"#,
            $more,
            r")(",
            $value,
            r")"
        )
    };
}

/// The symbols of a password that no quotes end, of one that quotes end, and of a key.
const BARE: Symbols = &symbols("!#-&(-+--:=?-_a-{}~");
const QUOTED: Symbols = &symbols("!#-&(-_a-~");
const PLAIN: Symbols = &symbols("A-Za-z0-9_./+=-");

const PASSWORD: &str = shape!(
    r"pass(?:word|wd|phrase|code|wort)|kennwort|contrasena|mot de passe|pwd|[_-]pass|\bpw",
    r#"|\b[Pp]ass[ \t]?[:=][ \t]{0,4}["'`]?"#,
    r#"[^\s"'`]{6,128}"#
);
const KEY: &str = shape!("(?:api|access|secret)[ _.-]?key|token|secret", "", r"[A-Za-z0-9_./+=-]{16,256}");

fn password_shape(text: &str, from: usize) -> Option<Range<usize>> {
    static SHAPE: LazyLock<Regex> = LazyLock::new(|| Regex::new(PASSWORD).expect("a literal pattern"));
    // One of these is in each of the names: `pass`, `pw`, `kenn`, `sena`.
    let may_be = |[a, b, c, d]: [u8; 4]| {
        ((a == b'p') & (((b == b'a') & (c == b's') & (d == b's')) | (b == b'w')))
            | ((a == b'k') & (b == b'e') & (c == b'n') & (d == b'n'))
            | ((a == b's') & (b == b'e') & (c == b'n') & (d == b'a'))
    };
    value(text, from, |at| starts(text, at, &SHAPE, &may_be), [BARE, QUOTED], 128)
}

fn key_shape(text: &str, from: usize) -> Option<Range<usize>> {
    static SHAPE: LazyLock<Regex> = LazyLock::new(|| Regex::new(KEY).expect("a literal pattern"));
    // `key`, `oken`, `ecre`.
    let may_be = |[a, b, c, d]: [u8; 4]| {
        ((a == b'k') & (b == b'e') & (c == b'y'))
            | ((a == b'o') & (b == b'k') & (c == b'e') & (d == b'n'))
            | ((a == b'e') & (b == b'c') & (c == b'r') & (d == b'e'))
    };
    value(text, from, |at| starts(text, at, &SHAPE, &may_be), [PLAIN; 2], 256)
}

fn foreign_password(text: &str, from: usize) -> Option<Range<usize>> {
    value(text, from, |at| abroad::password(text, at), [BARE, QUOTED], 128)
}

fn foreign_key(text: &str, from: usize) -> Option<Range<usize>> {
    value(text, from, |at| abroad::key(text, at), [PLAIN; 2], 256)
}

/// Returns where the next match of a shape begins, and where its value does.
fn starts(
    text: &str,
    from: usize,
    shape: &Regex,
    may_be: &impl Fn([u8; 4]) -> bool,
) -> Option<(usize, usize)> {
    let found = captures(text, from, shape, may_be)?;
    Some((found.get(0)?.start(), found.get(1)?.start()))
}

/// Returns the next value that ends where its quotes do, or with its run of symbols. `next` tells where the next name and its value begin.
fn value(
    text: &str,
    from: usize,
    next: impl Fn(usize) -> Option<(usize, usize)>,
    [bare, quoted]: [Symbols; 2],
    most: usize,
) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        let (name, start) = next(at)?;
        let quote = text[..start].chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'));
        let symbols = if quote.is_some() { quoted } else { bare };
        let run = text.as_bytes()[start..].iter();
        let length = run.take_while(|byte| symbols[usize::from(**byte)]).count();
        steps::take(start - at + length);
        let behind = text[start + length..].chars().next();
        let run = &text[start..start + length];
        let value = match quote {
            // In a string in a string, the quotes have backslashes.
            Some(_) if behind == quote => run.trim_end_matches('\\'),
            None if !behind.is_some_and(goes_on) && !run.ends_with("...") => without_end(run),
            _ => "",
        };
        if length <= most && !value.is_empty() && !is_public(&text[..name]) {
            return Some(start..start + value.len());
        }
        // A value that begins early in a long run is too long as well. Within quotes the run may end earlier for a
        // later one.
        at = if quote.is_none() { start + length.saturating_sub(most) } else { start };
    }
}

/// Returns the next match of a shape, looked for about the four letters, small or great, one row in each name. The
/// shape costs ten times as much to look for.
fn captures<'t>(
    text: &'t str,
    from: usize,
    shape: &Regex,
    may_be: &impl Fn([u8; 4]) -> bool,
) -> Option<Captures<'t>> {
    /// Maximum bytes from the beginning of a match to its name.
    const BEFORE: usize = 64;
    /// No match is longer.
    const LONGEST: usize = 768;
    /// The number of places that are looked at together.
    const MANY: usize = 256;
    let mut at = from;
    loop {
        let name = at + first_of_four(&text.as_bytes()[at..], may_be)?;
        let start = text::floor_boundary(text, name.saturating_sub(BEFORE)).max(at);
        let part = &text[..text::floor_boundary(text, name + MANY + LONGEST)];
        steps::take(part.len() - start);
        // A match that begins later may be cut, and is found from there on.
        at = text::ceil_boundary(text, name + MANY);
        let found = shape.captures_at(part, start);
        if let Some(found) = found.filter(|found| found.get(0).is_some_and(|all| all.start() < at)) {
            return Some(found);
        }
    }
}

/// Returns where four letters are in such a row, whatever their case.
fn first_of_four(bytes: &[u8], may_be: &impl Fn([u8; 4]) -> bool) -> Option<usize> {
    const BLOCK: usize = 32;
    let small = |byte: Option<&u8>| byte.map_or(0, |byte| byte | 0x20);
    let is_at = |at: usize| {
        may_be([
            small(bytes.get(at)),
            small(bytes.get(at + 1)),
            small(bytes.get(at + 2)),
            small(bytes.get(at + 3)),
        ])
    };
    let mut at = 0;
    while let Some(block) = bytes.get(at..at + BLOCK + 3) {
        // Many at once, without branches.
        let rows = block.iter().zip(&block[1..]).zip(&block[2..]).zip(&block[3..]);
        let any =
            rows.fold(false, |any, (((a, b), c), d)| any | may_be([a | 0x20, b | 0x20, c | 0x20, d | 0x20]));
        if any {
            return (at..at + BLOCK).find(|at| is_at(*at));
        }
        at += BLOCK;
    }
    // The rest of a text, and most names, are shorter than a block.
    let rest = bytes.get(at..)?;
    let mut block = [0; BLOCK + 6];
    block[..rest.len()].copy_from_slice(rest);
    let rows = block.iter().zip(&block[1..]).zip(&block[2..]).zip(&block[3..]);
    let any =
        rows.fold(false, |any, (((a, b), c), d)| any | may_be([a | 0x20, b | 0x20, c | 0x20, d | 0x20]));
    if any { (at..bytes.len()).find(|at| is_at(*at)) } else { None }
}

/// Returns whether the name says of what follows that everybody may know it: `NEXT_PUBLIC_API_KEY`, `csrf-token`.
fn is_public(before: &str) -> bool {
    let before = before.trim_end_matches(['_', '-', '.', ' ']);
    ["public", "csrf", "xsrf"].iter().any(|word| {
        let start = before.len().saturating_sub(word.len());
        before.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(word))
    })
}

/// Returns whether more of a value, or of the code that computes it, follows.
fn goes_on(next: char) -> bool {
    // Of a script that parts no words, the sentence goes on and the value does not.
    let is_unparted = matches!(next, '\u{e00}'..='\u{e7f}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}');
    next.is_alphanumeric() && !is_unparted || matches!(next, '(' | '[' | '{' | '@' | '$' | '%' | '~' | '^')
}

/// Returns a value without what ends the sentence, or closes what was opened before it.
fn without_end(run: &str) -> &str {
    let value = run.trim_end_matches("**").trim_end_matches(['.', ':', '\\']).trim_end_matches("**");
    let is_closing = |(open, close)| value.ends_with(close) && !value.contains::<char>(open);
    if [('(', ')'), ('[', ']'), ('{', '}')].into_iter().any(is_closing) {
        without_end(&value[..value.len() - 1])
    } else {
        value
    }
}

#[cfg(test)]
mod tests;
