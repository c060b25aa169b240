//! A class of secrets: its name, its shape, its bounds, and the proof that a match must give.

use std::ops::Range;

use super::proof;
use super::symbols::Symbols;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    pub(super) name: &'static str,
    /// A description for the page that people read.
    #[cfg_attr(not(test), expect(dead_code, reason = "the page is written from it by a test"))]
    pub(super) what: &'static str,
    pub(super) shape: Shape,
    /// The part of the secret before its literal.
    pub(super) lead: Option<Lead>,
    pub(super) bounds: Bounds,
    /// Given a text and where the shape ends, says where the secret ends.
    pub(super) body: Option<fn(&str, usize) -> usize>,
    pub(super) proof: Proof,
    /// Whether it is searched for by default.
    pub(super) default: Switch,
    /// Whether a match holds so long a run of symbols that prose need not be searched for it. A test checks each class.
    pub(super) is_dense: bool,
}

/// The shape of a match. Patterns know ASCII only, and see [`REACH`] bytes from their literal on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A literal and then a run of symbols, of the least and at most the greatest length.
    Token(&'static [&'static str], Symbols, usize, usize),
    /// The literals with which each match begins, and the pattern of a match, literal included. Where it has a
    /// group, the secret is the group.
    Pattern(&'static [&'static str], &'static str),
    /// Words, in small letters or as their maker writes them, one in each name, and the pattern of the value.
    Labelled(&'static [&'static str], &'static str),
    /// A scan by hand, from a place on, and the pattern that is nearest to it.
    Scan(fn(&str, usize) -> Option<Range<usize>>, Needs, Option<&'static str>),
}

/// The condition under which a text is scanned by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    /// A run of 26 symbols of base 58.
    Run58,
    /// A name before the secret, which alone says that it is one.
    Name,
}

/// No pattern goes further than this, and no run, in bytes: a bound for hostile text.
pub(super) const REACH: usize = 4096;
/// A run of any length.
const MANY: usize = REACH;

/// The symbols before the literal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lead {
    pub(super) symbols: Symbols,
    pub(super) least: usize,
    pub(super) most: usize,
}

/// The proof that a match can give.
#[derive(Debug, Clone, Copy)]
pub(super) enum Proof {
    /// Nothing: the shape decides.
    None,
    /// Raises the confidence; a failed proof leaves the shape's.
    Confidence(fn(&str) -> bool),
    /// Raises the confidence too, and a host may demand it: [`Strictness::Validated`](super::Strictness).
    Checksum(fn(&str) -> bool),
    /// Without it there is no finding.
    Required(fn(&str) -> bool),
}

/// The characters that are not allowed right beside a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bounds {
    /// Anything may: the prefix is distinctive wherever it is.
    None,
    /// No ASCII letter or digit before it, except the end of an escape.
    Left,
    /// No ASCII letter or digit after it, except another secret.
    Right,
    /// No ASCII letter or digit on either side, with the same exceptions.
    Both,
    /// As [`Both`](Self::Both), and none of the other symbols of base64 either: a prefix of letters that base64 may hold.
    Apart,
}

/// Whether a class is searched for by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
}

impl Class {
    pub(super) const fn new(name: &'static str, what: &'static str, shape: Shape, bounds: Bounds) -> Self {
        Self {
            name,
            what,
            shape,
            lead: None,
            bounds,
            body: None,
            proof: Proof::None,
            default: Switch::On,
            is_dense: true,
        }
    }

    pub(super) const fn led_by(self, symbols: Symbols, least: usize, most: usize) -> Self {
        Self { lead: Some(Lead { symbols, least, most }), ..self }
    }

    pub(super) const fn proof(self, proof: Proof) -> Self {
        Self { proof, ..self }
    }

    pub(super) const fn bounds(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// Returns a match need not hold a long run of symbols.
    pub(super) const fn loose(self) -> Self {
        Self { is_dense: false, ..self }
    }

    pub(super) const fn off(self) -> Self {
        Self { default: Switch::Off, ..self }
    }

    /// Returns the whole shape as a regular expression, without bounds and proof.
    pub(super) fn pattern(&self) -> Option<String> {
        let lead = self.lead.map(|Lead { symbols, least, most }| repeated(symbols, least, most));
        Some(lead.unwrap_or_default() + &self.shape.pattern()?)
    }
}

impl Shape {
    /// Returns the shape as a regular expression, from its literal on.
    pub(super) fn pattern(&self) -> Option<String> {
        match *self {
            Shape::Token(literals, symbols, least, most) => {
                let literals: Vec<_> = literals.iter().map(|literal| regex::escape(literal)).collect();
                Some(format!("(?:{}){}", literals.join("|"), repeated(symbols, least, most)))
            }
            Shape::Pattern(_, pattern) => Some(format!("(?:{pattern})")),
            Shape::Labelled(words, value) => {
                let words = words.join("|").replace(' ', "[ _.-]?");
                // The rest of the name, what closes it, a sign of setting, what opens the value.
                Some(format!(
                    r#"(?i:{words})[A-Za-z0-9_ .-]{{0,40}}?["'`)\]\\]{{0,3}}[ \t]{{0,4}}(?:(?:[?.:]{{0,3}}=>?|[:,>])\s{{0,8}}["'`\\]{{0,3}}|[ \t]["'])({value})(?:[^A-Za-z0-9]|\z)"#
                ))
            }
            Shape::Scan(.., pattern) => pattern.map(str::to_owned),
        }
    }
}

/// Prints a run of symbols as a regular expression.
fn repeated(symbols: Symbols, least: usize, most: usize) -> String {
    let mut set = String::new();
    let mut bytes = (0..=u8::MAX).filter(|byte| symbols[usize::from(*byte)]).peekable();
    while let Some(first) = bytes.next() {
        let mut end = first;
        while let Some(next) = bytes.next_if(|next| *next == end + 1) {
            end = next;
        }
        set += &regex::escape(&char::from(first).to_string());
        if end > first {
            set += &format!("-{}", regex::escape(&char::from(end).to_string()));
        }
    }
    let most = if most == MANY { String::new() } else { most.to_string() };
    format!("[{set}]{{{least},{most}}}")
}

/// Returns a literal, at the beginning of a word, and a number of symbols or more.
pub(super) const fn open(
    name: &'static str,
    what: &'static str,
    literals: &'static [&'static str],
    symbols: Symbols,
    least: usize,
) -> Class {
    Class::new(name, what, Shape::Token(literals, symbols, least, MANY), Bounds::Left)
}

/// Returns a literal, at the beginning of a word, and an exact number of symbols up to its end.
pub(super) const fn exact(
    name: &'static str,
    what: &'static str,
    literals: &'static [&'static str],
    symbols: Symbols,
    length: usize,
) -> Class {
    Class::new(name, what, Shape::Token(literals, symbols, length, length), Bounds::Both)
}

/// Returns a pattern that begins with one of the literals, as a whole word.
pub(super) const fn pattern(
    name: &'static str,
    what: &'static str,
    literals: &'static [&'static str],
    pattern: &'static str,
) -> Class {
    Class::new(name, what, Shape::Pattern(literals, pattern), Bounds::Both)
}

/// Returns a value under a name that holds one of the words: weak, so it must look like chance.
pub(super) const fn labelled(
    name: &'static str,
    what: &'static str,
    words: &'static [&'static str],
    value: &'static str,
) -> Class {
    Class::new(name, what, Shape::Labelled(words, value), Bounds::Both).proof(Proof::Required(proof::drawn))
}

pub(super) const fn scan(
    name: &'static str,
    what: &'static str,
    scan: fn(&str, usize) -> Option<Range<usize>>,
    pattern: Option<&'static str>,
    proof: fn(&str) -> bool,
) -> Class {
    Class::new(name, what, Shape::Scan(scan, Needs::Nothing, pattern), Bounds::Both)
        .proof(Proof::Required(proof))
}

/// Returns a run in base 58 that is sound by its proof.
pub(super) const fn run58(
    name: &'static str,
    what: &'static str,
    scan: fn(&str, usize) -> Option<Range<usize>>,
    pattern: &'static str,
    proof: fn(&str) -> bool,
) -> Class {
    Class::new(name, what, Shape::Scan(scan, Needs::Run58, Some(pattern)), Bounds::Both)
        .proof(Proof::Required(proof))
}
