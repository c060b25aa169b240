//! The table of the classes, ready to be searched: one search for all their literals, and what follows each.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, packed};
use regex::Regex;

use super::bounds::{is_distinctive, is_left_bounded, led_start};
use super::class::{Bounds, Class, REACH, Shape};
use super::{classes, dense, steps};
use crate::text;

pub(super) static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

/// The classes, ready to be searched for.
pub(super) struct Table {
    pub(super) classes: Vec<&'static Class>,
    /// The pattern of each class, built when one of its literals is in a text.
    patterns: Vec<OnceLock<Regex>>,
    /// All literals, ready when a text has a part where more than the loose ones may be: most have none.
    literals: OnceLock<AhoCorasick>,
    /// The class of each literal.
    pub(super) owners: Vec<usize>,
    /// The literals of the classes that are no dense ones.
    loose: Option<packed::Searcher>,
    /// The beginnings of distinctive secrets, by the first byte.
    heads: Vec<Vec<&'static str>>,
}

/// A match of a shape.
pub(super) struct Match {
    /// An index into the table.
    pub(super) class: usize,
    /// The part that is masked.
    pub(super) span: Range<usize>,
    /// The part that must prove itself.
    pub(super) proving: Range<usize>,
}

impl Table {
    fn new() -> Self {
        let classes: Vec<_> = classes::all().collect();
        let (mut owners, mut heads) = (Vec::new(), vec![Vec::new(); 256]);
        for (owner, class) in classes.iter().enumerate() {
            owners.extend(literals_of(class).iter().map(|_| owner));
            if let Shape::Token(its, ..) | Shape::Pattern(its, _) = class.shape {
                for head in its.iter().filter(|head| head.len() >= 4 && class.lead.is_none()) {
                    heads[usize::from(head.as_bytes()[0])].push(*head);
                }
            }
        }
        let loose = classes.iter().filter(|class| !class.is_dense).flat_map(|class| literals_of(class));
        let loose = packed::Searcher::new(loose);
        Self {
            patterns: vec![OnceLock::new(); classes.len()],
            classes,
            literals: OnceLock::new(),
            owners,
            loose,
            heads,
        }
    }

    fn literals(&self) -> &AhoCorasick {
        self.literals.get_or_init(|| {
            AhoCorasick::builder()
                .kind(Some(AhoCorasickKind::DFA))
                .build(self.classes.iter().flat_map(|class| literals_of(class)))
                .expect("a few hundred short literals")
        })
    }

    /// Tells where the literals are, and the class of each. It returns from where on dense classes may be.
    pub(super) fn search(&self, text: &str, mut hit: impl FnMut(usize, Range<usize>)) -> Option<usize> {
        let Some(loose) = &self.loose else {
            self.search_part(text, 0..text.len(), &mut hit);
            return Some(0);
        };
        // This leaves next to nothing of prose.
        let mut parts = dense::parts(text.as_bytes()).peekable();
        let mut loose =
            loose.find_iter(text).map(|found| found.start()..found.end() + dense::LONGEST).peekable();
        let first = parts.peek().map(|part| part.start);
        let mut part = 0..0;
        loop {
            let is_loose = match (loose.peek(), parts.peek()) {
                (Some(one), Some(other)) => one.start < other.start,
                (one, _) => one.is_some(),
            };
            let Some(next) = (if is_loose { loose.next() } else { parts.next() }) else { break };
            if next.start > part.end {
                self.search_part(text, std::mem::replace(&mut part, next), &mut hit);
            } else {
                part.end = part.end.max(next.end);
            }
        }
        self.search_part(text, part, &mut hit);
        first
    }

    fn search_part(&self, text: &str, part: Range<usize>, hit: &mut impl FnMut(usize, Range<usize>)) {
        let part = Input::new(text).span(part.start..part.end.min(text.len()));
        for found in self.literals().find_overlapping_iter(part) {
            hit(self.owners[found.pattern().as_usize()], found.range());
        }
    }

    /// Returns the match of a class whose literal is at a place.
    pub(super) fn match_at(
        &self,
        class: usize,
        text: &str,
        literal: Range<usize>,
        ended: usize,
    ) -> Option<Match> {
        let row = self.classes[class];
        steps::take(1);
        let start = match row.lead {
            Some(lead) => led_start(text, literal.start, lead)?,
            None => literal.start,
        };
        // The cheap half of the bounds first.
        let may_begin = matches!(row.shape, Shape::Labelled(..))
            || is_left_bounded(text, start, row.bounds, ended)
            || row.lead.is_none() && is_distinctive(&text[literal.clone()]);
        if !may_begin {
            return None;
        }
        let found = match row.shape {
            Shape::Token(_, symbols, least, most) => {
                let run = text.as_bytes()[literal.end..].iter().take(most);
                let length = run.take_while(|byte| symbols[usize::from(**byte)]).count();
                steps::take(length);
                (length >= least).then_some(start..literal.end + length)?
            }
            Shape::Pattern(..) | Shape::Labelled(..) => {
                let pattern = self.patterns[class].get_or_init(|| compile(row));
                let reach = text::floor_boundary(text, literal.start.saturating_add(REACH));
                let within = &text[literal.start..reach];
                let (found, is_group) = if pattern.captures_len() > 1 {
                    (pattern.captures(within)?.get(1)?.range(), true)
                } else {
                    (pattern.find(within)?.range(), false)
                };
                (if is_group { literal.start + found.start } else { start })..literal.start + found.end
            }
            Shape::Scan(..) => return None,
        };
        if !self.is_right_bounded(text, found.end, row.bounds) {
            return None;
        }
        let end = row.body.map_or(found.end, |body| body(text, found.end));
        Some(Match { class, span: found.start..end, proving: found })
    }

    pub(super) fn is_bounded(&self, text: &str, span: &Range<usize>, bounds: Bounds, ended: usize) -> bool {
        is_left_bounded(text, span.start, bounds, ended) && self.is_right_bounded(text, span.end, bounds)
    }

    /// Returns whether nothing after a match makes it a part of something longer. Another secret does not.
    fn is_right_bounded(&self, text: &str, end: usize, bounds: Bounds) -> bool {
        let Some(after) = text.as_bytes().get(end) else { return true };
        if bounds == Bounds::Apart && matches!(after, b'+' | b'/') {
            return false;
        }
        matches!(bounds, Bounds::None | Bounds::Left)
            || !after.is_ascii_alphanumeric()
            || self.heads[usize::from(*after)].iter().any(|head| text[end..].starts_with(head))
    }
}

/// Returns what a class may begin with.
pub(super) fn literals_of(class: &Class) -> BTreeSet<String> {
    match class.shape {
        Shape::Token(literals, ..) | Shape::Pattern(literals, _) => {
            literals.iter().map(|literal| (*literal).to_owned()).collect()
        }
        Shape::Labelled(words, _) => words.iter().flat_map(|words| spellings(words)).collect(),
        Shape::Scan(..) => BTreeSet::new(),
    }
}

/// Returns how names are spelled that hold these words: `secret key`, `SECRET_KEY`, `secretKey` and so on.
fn spellings(words: &str) -> Vec<String> {
    let small: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let great: Vec<String> = small.iter().map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect();
    let camel = small[..1].iter().chain(&great[1..]).map(String::as_str).collect();
    let mut all = vec![camel];
    for between in ["", "_", "-", " ", "."] {
        let joined = small.join(between);
        all.extend([joined.to_ascii_uppercase(), joined, great.join(between)]);
    }
    all
}

fn compile(class: &Class) -> Regex {
    let pattern = class.shape.pattern().expect("only a scan has none");
    Regex::new(&format!(r"\A{pattern}")).expect("a literal pattern")
}

#[cfg(test)]
mod tests {
    use regex_syntax::ParserBuilder;
    use regex_syntax::hir::{Class, Hir, HirKind};

    use super::*;
    use crate::class::Lead;

    #[test]
    fn every_row_of_the_table_is_sound() {
        let mut names = BTreeSet::new();
        for class in classes::all() {
            assert!(names.insert(class.name), "{} stands twice", class.name);
            assert!(!class.what.is_empty() && !class.what.contains('|'), "{}", class.name);
            let literals = literals_of(class);
            assert!(literals.iter().all(|literal| literal.len() >= 2), "{}", class.name);
            match class.shape {
                Shape::Token(_, _, least, most) => assert!(least <= most && most <= REACH, "{}", class.name),
                Shape::Pattern(..) | Shape::Labelled(..) => {
                    assert!(compile(class).captures_len() <= 2, "{}: one group at most", class.name);
                }
                Shape::Scan(..) => assert!(literals.is_empty()),
            }
        }
    }

    /// The runs that every match of a shape has.
    #[derive(Debug, Clone, Copy)]
    struct Runs {
        /// The least length of a match.
        least: usize,
        most: usize,
        /// Whether it contains only symbols, and the number of symbols at its ends.
        all: bool,
        head: usize,
        tail: usize,
        /// The largest distance from its beginning to the run that makes it dense.
        run: Option<usize>,
    }

    impl Runs {
        const EMPTY: Self = Self { least: 0, most: 0, all: true, head: 0, tail: 0, run: None };

        fn one(is_symbol: bool) -> Self {
            let symbols = usize::from(is_symbol);
            Self { least: 1, most: 1, all: is_symbol, head: symbols, tail: symbols, run: None }
        }

        fn then(self, next: Self) -> Self {
            let before = if self.all { 0 } else { self.most };
            let across = (self.tail + next.head >= dense::LEAST).then_some(before);
            let after = next.run.map(|run| self.most.saturating_add(run));
            Self {
                least: self.least + next.least,
                most: self.most.saturating_add(next.most),
                all: self.all && next.all,
                head: if self.all { self.least + next.head } else { self.head },
                tail: if next.all { next.least + self.tail } else { next.tail },
                run: [self.run, across, after].into_iter().flatten().min(),
            }
        }

        fn or(self, other: Self) -> Self {
            Self {
                least: self.least.min(other.least),
                most: self.most.max(other.most),
                all: self.all && other.all,
                head: self.head.min(other.head),
                tail: self.tail.min(other.tail),
                run: self.run.zip(other.run).map(|(one, two)| one.max(two)),
            }
        }

        fn of(shape: &Hir) -> Self {
            match shape.kind() {
                HirKind::Empty | HirKind::Look(_) => Self::EMPTY,
                HirKind::Literal(of) => {
                    of.0.iter().fold(Self::EMPTY, |runs, byte| runs.then(Self::one(dense::is_symbol(*byte))))
                }
                HirKind::Class(Class::Bytes(of)) => {
                    Self::one(of.iter().flat_map(|range| range.start()..=range.end()).all(dense::is_symbol))
                }
                HirKind::Class(Class::Unicode(_)) => unreachable!("patterns are read as bytes"),
                HirKind::Capture(of) => Self::of(&of.sub),
                HirKind::Concat(of) => of.iter().fold(Self::EMPTY, |runs, next| runs.then(Self::of(next))),
                HirKind::Alternation(of) => of.iter().map(Self::of).reduce(Self::or).unwrap(),
                HirKind::Repetition(of) => {
                    let one = Self::of(&of.sub);
                    let least = (0..of.min).fold(Self::EMPTY, |runs, _| runs.then(one));
                    let more =
                        of.max.map_or(usize::MAX, |max| one.most.saturating_mul((max - of.min) as usize));
                    least.then(Self { most: more, all: one.all, ..Self::EMPTY })
                }
            }
        }
    }

    #[test]
    fn every_match_of_a_dense_class_holds_a_run_soon_after_its_literal() {
        for class in classes::all().filter(|class| class.is_dense) {
            let literals = literals_of(class);
            assert!(literals.iter().all(|literal| literal.len() <= dense::LONGEST), "{}", class.name);
            let is_led = |lead: Lead| {
                let symbols = (0..=u8::MAX).filter(|byte| lead.symbols[usize::from(*byte)]);
                lead.least >= dense::LEAST && symbols.into_iter().all(dense::is_symbol)
            };
            if literals.is_empty() || class.lead.is_some_and(is_led) {
                continue;
            }
            let pattern = class.shape.pattern().unwrap();
            let shape = ParserBuilder::new().unicode(false).utf8(false).build().parse(&pattern).unwrap();
            let runs = Runs::of(&shape);
            let is_sound = runs.run.is_some_and(|run| run <= dense::BEFORE);
            assert!(is_sound, "{} is a loose class: {runs:?}", class.name);
        }
        assert!(TABLE.loose.is_some(), "few enough for a packed search");
    }

    // The prose that the search leaves out must hold no match.
    #[test]
    fn the_parts_that_are_searched_hold_every_match_of_the_whole() {
        for (seed, sentences) in (0..8).zip(0..) {
            for (class, example) in crate::testing::secrets(seed) {
                let prose = "and so it went on, day after day, until Marta said no. ".repeat(sentences);
                let text = format!("{prose}{example}{prose}{example} {prose}");
                let (mut parts, mut whole) = (Vec::new(), Vec::new());
                let matched = |found: &mut Vec<_>, class, place| {
                    found.extend(TABLE.match_at(class, &text, place, 0).map(|one| (class, one.span)));
                };
                TABLE.search(&text, |class, place| matched(&mut parts, class, place));
                TABLE
                    .search_part(&text, 0..text.len(), &mut |class, place| matched(&mut whole, class, place));
                assert_eq!(parts, whole, "{class}: {text}");
            }
        }
    }

    #[test]
    fn names_are_spelled_in_many_ways() {
        let all = spellings("secret key");
        for name in
            ["secret_key", "SECRET_KEY", "secretKey", "SecretKey", "secretkey", "Secret Key", "secret-key"]
        {
            assert!(all.iter().any(|spelling| spelling == name), "{name}");
        }
    }
}
