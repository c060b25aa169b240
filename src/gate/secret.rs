//! The default secret filter: vendor shapes, and checksums where a shape is weak.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::classes::{Bounds, CLASSES, Class, Proof, Shape};
use crate::pii::{Confidence, Finding, PiiFilter};

/// How much a match must prove.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strictness {
    /// A distinctive shape is enough. The seed's behaviour.
    #[default]
    Shape,
    /// Where a class has a checksum, it must hold.
    Validated,
}

/// The secret filter that ships with the crate.
///
/// Finds the eleven classes of the seed: `anthropic_key`, `openai_key` (with its project and service forms),
/// `stripe_key`, `github_pat`, `google_api_key`, `slack_token`, `aws_access_key`, `evm_address`,
/// `btc_bech32`, `btc_legacy` (which must pass its checksum) and `pem_private`. Not gated, since their bare
/// shapes mean nothing: Solana addresses, mnemonics, 64 hexadecimal digits.
///
/// Addresses are public identifiers, and switching their classes off is a choice for hosts in finance:
///
/// ```
/// use noctuary::{PiiFilter, SecretGate};
///
/// let text = "pay 0x52908400098527886E0F7030069857D2E4169EE7";
/// assert_eq!(SecretGate::new().scan(text).len(), 1);
/// assert_eq!(SecretGate::new().without("evm_address").scan(text).len(), 0);
/// ```
#[derive(Clone)]
pub struct SecretGate {
    strictness: Strictness,
    off: Vec<String>,
}

/// What finds the shapes of [`CLASSES`], in their order.
static SEARCHERS: LazyLock<Vec<Searcher>> = LazyLock::new(|| {
    let searcher = |class: &Class| match class.shape {
        Shape::Pattern(pattern, _) => Searcher::Pattern(Regex::new(pattern).expect("a literal pattern")),
        Shape::Scan(scan) => Searcher::Scan(scan),
    };
    CLASSES.iter().map(searcher).collect()
});

/// Any literal of any pattern: where none occurs, most of all texts, one search is enough.
static LITERALS: LazyLock<Regex> = LazyLock::new(|| {
    let literals = |class: &Class| match class.shape {
        Shape::Pattern(_, literals) => literals,
        Shape::Scan(_) => &[],
    };
    let all: Vec<String> = CLASSES.iter().flat_map(literals).map(|literal| regex::escape(literal)).collect();
    Regex::new(&all.join("|")).expect("escaped literals")
});

enum Searcher {
    Pattern(Regex),
    Scan(fn(&str, usize) -> Option<Range<usize>>),
}

impl Searcher {
    fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        match self {
            Self::Pattern(pattern) => pattern.find_at(text, from).map(|found| found.range()),
            Self::Scan(scan) => scan(text, from),
        }
    }
}

impl SecretGate {
    /// All classes, on their shapes.
    #[must_use]
    pub fn new() -> Self {
        Self { strictness: Strictness::Shape, off: Vec::new() }
    }

    /// Sets how much a match must prove.
    #[must_use]
    pub fn strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// Switches a class off. A name that is no class changes nothing.
    #[must_use]
    pub fn without(mut self, class: impl Into<String>) -> Self {
        self.off.push(class.into());
        self
    }

    /// The names of all classes, in the order in which they are tried.
    pub fn classes() -> impl Iterator<Item = &'static str> {
        CLASSES.iter().map(|class| class.name)
    }

    fn judge(&self, class: &Class, matched: &str) -> Option<Confidence> {
        let (proven, required) = match class.proof {
            Proof::None => return Some(Confidence::Shape),
            Proof::Confidence(proof) => (proof(matched), self.strictness == Strictness::Validated),
            Proof::Required(proof) => (proof(matched), true),
        };
        match (proven, required) {
            (true, _) => Some(Confidence::Verified),
            (false, true) => None,
            (false, false) => Some(Confidence::Shape),
        }
    }
}

impl PiiFilter for SecretGate {
    fn scan(&self, text: &str) -> Vec<Finding> {
        // By where they begin; classes that are tried earlier win where two overlap.
        let mut findings: BTreeMap<usize, Finding> = BTreeMap::new();
        let has_literal = LITERALS.is_match(text);
        for (class, searcher) in CLASSES.iter().zip(SEARCHERS.iter()) {
            let may_occur = has_literal || matches!(class.shape, Shape::Scan(_));
            if !may_occur || self.off.iter().any(|off| off == class.name) {
                continue;
            }
            let mut from = 0;
            while let Some(found) = searcher.find(text, from) {
                let end = class.body.map_or(found.end, |body| body(text, found.end));
                let span = found.start..end;
                let before = findings.range(..span.end).next_back();
                let is_free = before.is_none_or(|(_, other)| other.span.end <= span.start);
                if is_free
                    && is_bounded(text, &span, class.bounds)
                    && let Some(confidence) = self.judge(class, &text[found])
                {
                    from = span.end;
                    findings
                        .insert(span.start, Finding { class: Cow::Borrowed(class.name), span, confidence });
                } else {
                    // All patterns begin with an ASCII character.
                    from = span.start + 1;
                }
            }
        }
        findings.into_values().collect()
    }
}

/// Whether nothing beside a match makes it a part of something longer.
fn is_bounded(text: &str, span: &Range<usize>, bounds: Bounds) -> bool {
    let after = text.as_bytes().get(span.end).is_some_and(u8::is_ascii_alphanumeric);
    let before = text[..span.start].bytes().next_back().is_some_and(|byte| byte.is_ascii_alphanumeric());
    match bounds {
        Bounds::None => true,
        Bounds::Right => !after,
        Bounds::Both => !after && (!before || ends_in_escape(&text[..span.start])),
    }
}

/// Whether a text ends in an escape whose last character is a letter or digit: `\n`, `%3D`, a colour of a
/// terminal.
fn ends_in_escape(before: &str) -> bool {
    let bytes = before.as_bytes();
    let at = |back: usize| bytes.len().checked_sub(back).map(|at| bytes[at]);
    let is_hex = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
    let control = at(2) == Some(b'\\') && matches!(at(1), Some(b'n' | b'r' | b't' | b'b' | b'f'));
    let percent = at(3) == Some(b'%') && is_hex(at(2)) && is_hex(at(1));
    let colour =
        before.strip_suffix('m').map(|rest| rest.trim_end_matches(|c: char| c.is_ascii_digit() || c == ';'));
    control
        || percent
        || colour
            .is_some_and(|rest| rest.ends_with("\u{1b}[") || rest.ends_with("b[") || rest.ends_with("\\e["))
}

impl Default for SecretGate {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SecretGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretGate").field("strictness", &self.strictness).field("off", &self.off).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(text: &str) -> Vec<String> {
        SecretGate::new().scan(text).into_iter().map(|finding| finding.class.into_owned()).collect()
    }

    fn run(symbols: &str, len: usize) -> String {
        symbols.chars().cycle().take(len).collect()
    }

    #[test]
    fn anthropic_keys_are_not_taken_for_openai_keys() {
        assert_eq!(classes(&format!("sk-ant-api03-{}", run("aB3", 40))), ["anthropic_key"]);
    }

    #[test]
    fn openai_keys_of_every_form_from_twenty_characters() {
        assert_eq!(classes(&format!("key sk-{}.", run("aB3", 20))), ["openai_key"]);
        assert!(classes(&format!("key sk-{}.", run("aB3", 19))).is_empty());
        for form in ["proj", "svcacct", "admin"] {
            assert_eq!(classes(&format!("sk-{form}-{}", run("aB-3_", 40))), ["openai_key"], "{form}");
        }
        assert!(classes(&format!("risk-{}", run("abc", 30))).is_empty());
    }

    #[test]
    fn stripe_keys_live_and_not_test() {
        assert_eq!(
            classes(&format!("sk_live_{} rk_live_{}", run("a1", 24), run("b2", 24))),
            ["stripe_key"; 2]
        );
        assert!(classes(&format!("sk_test_{}", run("a1", 24))).is_empty());
    }

    #[test]
    fn github_tokens_of_six_prefixes_and_prose_about_them() {
        for prefix in ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"] {
            assert_eq!(classes(&format!("{prefix}{}", run("aB3", 36))), ["github_pat"], "{prefix}");
        }
        assert!(classes("tokens begin with ghp_ or github_pat_ today").is_empty());
    }

    #[test]
    fn google_keys_need_thirty_five() {
        assert_eq!(classes(&format!("AIza{}", run("aB-_3", 35))), ["google_api_key"]);
        assert!(classes(&format!("AIza{}", run("aB-_3", 34))).is_empty());
    }

    #[test]
    fn slack_tokens_of_five_prefixes() {
        for kind in ["b", "p", "a", "r", "s"] {
            assert_eq!(classes(&format!("xox{kind}-123456789012-{}", run("aB3", 20))), ["slack_token"]);
        }
        assert!(classes("the xoxb- prefix").is_empty());
    }

    #[test]
    fn aws_keys_are_upper_case_and_whole_words() {
        assert_eq!(classes("AKIAIOSFODNN7EXAMPLE"), ["aws_access_key"]);
        assert!(classes("akiaiosfodnn7example").is_empty());
        assert!(classes("AKIAIOSFODNN7EXAMPLEX").is_empty());
    }

    #[test]
    fn evm_addresses_of_forty_and_not_sixty_four() {
        assert_eq!(classes(&format!("0x{}", run("0aB9", 40))), ["evm_address"]);
        assert!(classes(&format!("0x{}", run("0aB9", 64))).is_empty());
    }

    #[test]
    fn bech32_blocks_on_shape_and_prose_passes() {
        assert_eq!(classes("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"), ["btc_bech32"]);
        let wrong = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5";
        assert_eq!(SecretGate::new().scan(wrong)[0].confidence, Confidence::Shape);
        assert!(SecretGate::new().strictness(Strictness::Validated).scan(wrong).is_empty());
        assert!(classes("addresses begin with bc1 these days").is_empty());
    }

    #[test]
    fn legacy_addresses_need_their_checksum() {
        assert_eq!(classes("to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa now"), ["btc_legacy"]);
        assert!(classes("to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb now").is_empty());
    }

    #[test]
    fn the_head_of_a_private_key_is_a_hit_and_its_body_is_in_the_span() {
        assert_eq!(classes("-----BEGIN OPENSSH PRIVATE KEY-----"), ["pem_private"]);
        let body = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----", run("aB3/", 64));
        let text = format!("x {body} y");
        assert_eq!(SecretGate::new().scan(&text)[0].span, 2..2 + body.len());
        let cut = format!("-----BEGIN RSA PRIVATE KEY-----\n{}\nand prose", run("aB3/", 64));
        let span = SecretGate::new().scan(&cut)[0].span.clone();
        assert_eq!(&cut[span.end..], "\nand prose");
        assert!(classes("-----BEGIN PUBLIC KEY-----").is_empty());
    }

    // The block of PGP once passed: its head lacks the words of the others in a row.
    #[test]
    fn a_private_key_block_of_pgp_is_a_private_key() {
        assert_eq!(classes("-----BEGIN PGP PRIVATE KEY BLOCK-----"), ["pem_private"]);
    }

    #[test]
    fn bare_shapes_are_not_gated() {
        let solana = run("5Hb9kLmNpQ", 44);
        let mnemonic = "legal winner thank year wave sausage worth useful legal winner thank yellow";
        let hash = run("0123456789abcdef", 64);
        for text in [solana.as_str(), mnemonic, hash.as_str()] {
            assert!(classes(text).is_empty(), "{text}");
        }
    }

    // Markdown, escapes of JSON and URLs, and colours of a terminal beside a key once hid it.
    #[test]
    fn what_stands_beside_a_key_does_not_hide_it() {
        let keys = [
            ("aws_access_key", "AKIAIOSFODNN7EXAMPLE".to_owned()),
            ("openai_key", format!("sk-{}", run("aB3", 48))),
            ("anthropic_key", format!("sk-ant-api03-{}", run("aB3", 40))),
            ("github_pat", format!("ghp_{}", run("aB3", 36))),
            ("google_api_key", format!("AIza{}", run("aB3", 35))),
            ("slack_token", format!("xoxb-123456789012-{}", run("aB3", 20))),
            ("stripe_key", format!("sk_live_{}", run("a1", 24))),
            ("evm_address", format!("0x{}", run("0aB9", 40))),
            ("btc_bech32", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4".to_owned()),
            ("btc_legacy", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa".to_owned()),
        ];
        for (class, key) in &keys {
            for (before, after) in [
                ("_", "_"),
                ("__", "__"),
                ("\\n", "\\t"),
                ("\\t", ""),
                ("%3D", "&"),
                ("\u{1b}[31m", "\u{1b}[0m"),
                ("\\x1b[0m", ""),
                ("key_", ""),
                ("é", "é"),
                ("`", "`"),
            ] {
                let text = format!("x {before}{key}{after} y");
                assert!(
                    classes(&text).contains(&(*class).to_owned()),
                    "{class} between {before:?} and {after:?}"
                );
            }
        }
    }

    #[test]
    fn a_key_without_an_end_is_masked_as_far_as_it_goes() {
        let head = "-----BEGIN RSA PRIVATE KEY-----";
        let line = run("aB3/", 64);
        for (body, rest) in [
            (format!(" {line} {line}"), "\nand prose follows"),
            (format!("\\n{line}\\n{line}\\n"), ""),
            (
                format!("\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{line}\nshort=="),
                "\nand prose follows",
            ),
            (
                format!("\n[09:14:00] [tool:cat] {line}\n[09:14:00] [tool:cat] MIIE"),
                "\n[09:15:00] [user] thanks a lot",
            ),
        ] {
            let text = format!("{head}{body}{rest}");
            let span = SecretGate::new().scan(&text)[0].span.clone();
            assert_eq!(&text[span.end..], rest, "{text}");
        }
        // A far end mark hides nothing of a person's in between.
        let far = format!(
            "{head}\n[user] Decision: keep this.\n{}\n-----END RSA PRIVATE KEY-----",
            "x y\n".repeat(300)
        );
        assert_eq!(SecretGate::new().scan(&far)[0].span, 0..head.len());
    }

    #[test]
    fn a_finding_prints_no_text() {
        let findings = SecretGate::new().scan("AKIAIOSFODNN7EXAMPLE");
        assert!(!format!("{findings:?}").contains("IOSFODNN"));
    }
}
