//! For tests: a made-up secret of every class, and how many cases a test runs.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::PiiFilter;
use crate::secret::SecretGate;

/// One made-up example for every class of [`SecretGate`], with its name, in the order of the table.
///
/// They open nothing. They are drawn by chance from the shapes, as short as each allows, until the proof of their
/// class holds. Where chance never passes the proof, they are values that standards publish. The same number draws
/// the same examples, and another number draws others. So a few numbers show every form of a class. Labelled classes
/// come with the name in front of the value.
///
/// ```
/// # use noctuary_gate as noctuary;
/// use noctuary::{PiiFilter, SecretGate, testing};
///
/// let every = SecretGate::classes().fold(SecretGate::new(), SecretGate::with);
/// for (class, text) in testing::secrets(7) {
///     assert!(every.scan(&text).iter().any(|finding| finding.class == class), "{class}: {text}");
/// }
/// ```
#[must_use]
pub fn secrets(seed: u64) -> Vec<(&'static str, String)> {
    let mut dice = Dice(seed);
    let none = SecretGate::classes().fold(SecretGate::new(), SecretGate::without);
    let every = SecretGate::classes().fold(SecretGate::new(), SecretGate::with);
    let shapes: Vec<_> = every.patterns().collect();
    let example = |class| {
        if let Some((_, text)) = PUBLISHED.iter().find(|(of, _)| *of == class) {
            return (class, (*text).to_owned());
        }
        let (_, pattern) =
            shapes.iter().find(|(of, _)| *of == class).expect("a class has a shape or an example");
        let mut parser = ParserBuilder::new().unicode(false).utf8(false).build();
        let shape = parser.parse(pattern).expect("the gate reads it too");
        let gate = none.clone().with(class);
        let drawn = std::iter::repeat_with(|| {
            let mut text = String::new();
            draw(&shape, &mut dice, &mut text);
            text
        });
        let text = drawn.take(TRIES).find(|text| !gate.scan(text).is_empty());
        (class, text.unwrap_or_else(|| panic!("{class}: none of {TRIES} examples proves itself")))
    };
    SecretGate::classes().map(example).collect()
}

/// Returns the number of cases of a property: a fiftieth, or all of them if `NOCTUARY_LONG_TESTS` is set.
#[must_use]
pub fn cases(long: u32) -> u32 {
    if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { long } else { (long / 50).max(32) }
}

const TRIES: usize = 10_000;

/// Published examples of classes whose proof chance does not give.
const PUBLISHED: [(&str, &str); 15] = [
    ("btc_legacy", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"),
    ("mnemonic", "legal winner thank year wave sausage worth useful legal winner thank yellow"),
    ("wif_key", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"),
    (
        "extended_key",
        "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
    ),
    ("tezos_key", "edsk3gUfUPyBSfrS9CCgmCiQsTCHGkviBDusMxDJstFtojtc1zcpsh"),
    ("bech32_address", "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7"),
    ("base58_address", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn"),
    ("jwt", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"),
    ("basic_auth", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
    ("docker_auth", "\"auth\": \"QWxhZGRpbjpvcGVuIHNlc2FtZQ==\""),
    ("npmrc_token", "//registry.npmjs.org/:_authToken=00000000-1111-2222-3333-444444444444"),
    ("payment_card", "4111 1111 1111 1111"),
    ("foreign_password", "hasło: hunter2-Boat"),
    ("foreign_key", "密钥：9fk2LmQ7xV0bTz4RwYc8Hd1N"),
    ("iban", "GB82 WEST 1234 5698 7654 32"),
];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % sides
    }
}

/// Writes a text that a shape matches, the shortest of those that chance picks.
fn draw(shape: &Hir, dice: &mut Dice, text: &mut String) {
    match shape.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.push(symbol(class, dice)),
        HirKind::Repetition(repetition) => {
            for _ in 0..repetition.min {
                draw(&repetition.sub, dice, text);
            }
        }
        HirKind::Capture(capture) => draw(&capture.sub, dice, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| draw(part, dice, text)),
        HirKind::Alternation(ways) => draw(&ways[dice.roll(ways.len())], dice, text),
    }
}

/// A symbol that people would write. A letter in any case is a small one. A class without printable symbols has a
/// space; any other has a letter or digit instead of an unprintable one.
fn symbol(class: &Class, dice: &mut Dice) -> char {
    let Class::Bytes(class) = class else { return ' ' };
    let symbols = class.ranges().iter().flat_map(|range| range.start()..=range.end());
    let (print, other): (Vec<u8>, Vec<u8>) = symbols.partition(u8::is_ascii_graphic);
    let plain: Vec<u8> = print.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
    if let [great, small] = print[..]
        && great.to_ascii_lowercase() == small
    {
        return char::from(small);
    }
    let symbols = if !other.is_empty() && !plain.is_empty() { plain } else { print };
    if symbols.is_empty() { ' ' } else { char::from(symbols[dice.roll(symbols.len())]) }
}
