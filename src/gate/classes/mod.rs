//! The classes of secrets, one row each, by kind: `keys`, `vendors`, `labelled`, `named`, `wallets`, `personal`.
//!
//! To add a class, add a row: its name, what it is, the literals with which it begins and what comes then; where that is
//! weak, the proof that a match must give. The shapes are written from what the makers of a token publish of it. A
//! distinctive prefix blocks on its shape alone, and no failed proof clears it; a weak shape needs its proof. Where two
//! classes share a place, the earlier in the table names it.

mod keys;
mod labelled;
mod named;
mod pem;
mod personal;
mod vendors;
mod wallets;

use std::ops::Range;

use super::proof;

/// All classes, in their order.
pub(super) fn all() -> impl Iterator<Item = &'static Class> {
    [
        keys::SEED,
        vendors::VENDORS,
        vendors::WEBHOOKS,
        wallets::WALLETS,
        keys::KEYS,
        labelled::LABELLED,
        named::NAMED,
        personal::PERSONAL,
    ]
    .into_iter()
    .flatten()
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    pub(super) name: &'static str,
    /// What it is, for the page that people read.
    #[cfg_attr(not(test), expect(dead_code, reason = "the page is written from it by a test"))]
    pub(super) what: &'static str,
    pub(super) shape: Shape,
    /// What belongs to the secret before its literal.
    pub(super) lead: Option<Lead>,
    pub(super) bounds: Bounds,
    /// Given a text and where the shape ends, says where the secret ends.
    pub(super) body: Option<fn(&str, usize) -> usize>,
    pub(super) proof: Proof,
    /// Whether it is looked for where nobody chose.
    pub(super) default: Switch,
    /// Whether a match holds so long a run of symbols that prose need not be searched for it. A test tells who does not.
    pub(super) is_dense: bool,
}

/// How a match looks. Patterns know ASCII only, and see [`REACH`] bytes from their literal on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A literal and then a run of symbols, of the least and at most the greatest length.
    Token(&'static [&'static str], Symbols, usize, usize),
    /// The literals with which each match begins, and the pattern of a match, literal included. Where it has a
    /// group, the secret is the group.
    Pattern(&'static [&'static str], &'static str),
    /// Words, in small letters or as their maker writes them, of which one stands in the name of what is set, and the pattern of the value.
    Labelled(&'static [&'static str], &'static str),
    /// A scan by hand, from a place on, and the pattern that is nearest to it.
    Scan(fn(&str, usize) -> Option<Range<usize>>, Needs, Option<&'static str>),
}

/// What a text must hold for a scan to be worth its while.
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

/// So many symbols before the literal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lead {
    pub(super) symbols: Symbols,
    pub(super) least: usize,
    pub(super) most: usize,
}

/// What a match can prove of itself.
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

/// What must not stand right beside a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bounds {
    /// Anything may: the prefix is distinctive wherever it stands.
    None,
    /// No ASCII letter or digit before it, but for the end of an escape.
    Left,
    /// No ASCII letter or digit after it, but for another secret.
    Right,
    /// No ASCII letter or digit on either side, with the same exceptions.
    Both,
    /// As [`Both`](Self::Both), and none of the other symbols of base64 either: a prefix of letters that base64 may hold.
    Apart,
}

/// Whether a class is looked for where nobody chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
}

impl Class {
    const fn new(name: &'static str, what: &'static str, shape: Shape, bounds: Bounds) -> Self {
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

    const fn led_by(self, symbols: Symbols, least: usize, most: usize) -> Self {
        Self { lead: Some(Lead { symbols, least, most }), ..self }
    }

    const fn proof(self, proof: Proof) -> Self {
        Self { proof, ..self }
    }

    const fn bounds(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// A match need not hold a long run of symbols.
    const fn loose(self) -> Self {
        Self { is_dense: false, ..self }
    }

    const fn off(self) -> Self {
        Self { default: Switch::Off, ..self }
    }

    /// The whole shape as a regular expression, without bounds and proof.
    pub(super) fn pattern(&self) -> Option<String> {
        let lead = self.lead.map(|Lead { symbols, least, most }| repeated(symbols, least, most));
        Some(lead.unwrap_or_default() + &self.shape.pattern()?)
    }
}

impl Shape {
    /// The shape as a regular expression, from its literal on.
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

/// So many symbols, as a regular expression.
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

/// A literal, at the beginning of a word, and so many symbols or more.
const fn open(
    name: &'static str,
    what: &'static str,
    literals: &'static [&'static str],
    symbols: Symbols,
    least: usize,
) -> Class {
    Class::new(name, what, Shape::Token(literals, symbols, least, MANY), Bounds::Left)
}

/// A literal, at the beginning of a word, and exactly so many symbols up to its end.
const fn exact(
    name: &'static str,
    what: &'static str,
    literals: &'static [&'static str],
    symbols: Symbols,
    length: usize,
) -> Class {
    Class::new(name, what, Shape::Token(literals, symbols, length, length), Bounds::Both)
}

/// A pattern that begins with one of the literals, as a whole word.
const fn pattern(
    name: &'static str,
    what: &'static str,
    literals: &'static [&'static str],
    pattern: &'static str,
) -> Class {
    Class::new(name, what, Shape::Pattern(literals, pattern), Bounds::Both)
}

/// A value under a name that holds one of the words: weak, so it must look like chance.
const fn labelled(
    name: &'static str,
    what: &'static str,
    words: &'static [&'static str],
    value: &'static str,
) -> Class {
    Class::new(name, what, Shape::Labelled(words, value), Bounds::Both).proof(Proof::Required(proof::drawn))
}

const fn scan(
    name: &'static str,
    what: &'static str,
    scan: fn(&str, usize) -> Option<Range<usize>>,
    pattern: Option<&'static str>,
    proof: fn(&str) -> bool,
) -> Class {
    Class::new(name, what, Shape::Scan(scan, Needs::Nothing, pattern), Bounds::Both)
        .proof(Proof::Required(proof))
}

/// A run in base 58 that is sound by its proof.
const fn run58(
    name: &'static str,
    what: &'static str,
    scan: fn(&str, usize) -> Option<Range<usize>>,
    pattern: &'static str,
    proof: fn(&str) -> bool,
) -> Class {
    Class::new(name, what, Shape::Scan(scan, Needs::Run58, Some(pattern)), Bounds::Both)
        .proof(Proof::Required(proof))
}

/// The bytes that a run may hold.
pub(super) type Symbols = &'static [bool; 256];

const ALNUM: Symbols = &symbols("A-Za-z0-9");
const LOWER: Symbols = &symbols("a-z0-9");
const UPPER: Symbols = &symbols("A-Z0-9");
const DIGITS: Symbols = &symbols("0-9");
const HEX: Symbols = &symbols("0-9a-f");
const ANY_HEX: Symbols = &symbols("0-9A-Fa-f");
const LETTERS: Symbols = &symbols("A-Za-z");
/// Base64 as it stands in URLs.
const URL: Symbols = &symbols("A-Za-z0-9_-");
/// Base64.
const BASE64: Symbols = &symbols("A-Za-z0-9+/=");
/// What the freest makers use.
const FREE: Symbols = &symbols("A-Za-z0-9_.=-");

/// A set as it would stand between brackets: characters, and ranges such as `a-z`. A hyphen at the end is one.
const fn symbols(set: &str) -> [bool; 256] {
    let set = set.as_bytes();
    let mut symbols = [false; 256];
    let mut at = 0;
    while at < set.len() {
        let is_range = at + 2 < set.len() && set[at + 1] == b'-';
        let last = if is_range { set[at + 2] } else { set[at] };
        let mut symbol = set[at];
        while symbol <= last {
            symbols[symbol as usize] = true;
            symbol += 1;
        }
        at += if is_range { 3 } else { 1 };
    }
    symbols
}
