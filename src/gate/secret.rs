//! The default secret filter: vendor shapes, and checksums where a shape is weak.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::classes::{self, Class, Needs, Proof, Shape, Switch};
use super::proof;
use super::search::{Chosen, TABLE};
use super::view::{self, Disguised, Island, Undone};
use crate::base::text;
use crate::pii::{Confidence, Finding, PiiFilter, View};

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
/// It finds the classes of the table below, of which the first eleven are those of seed 000. A distinctive prefix is found
/// by its shape alone; what could be anything must prove itself, by a checksum, by its structure, or by the name under
/// which it stands. Bare shapes that mean nothing are not gated: Solana addresses, 64 hexadecimal digits, rows of words
/// whose checksum fails.
///
/// It sees through disguises: letters that look like others or are not seen, pieces over lines, cells and lists and in marks
/// of markdown and tags, letters that stand apart, escapes, base64, base32, hexadecimal digits and decimal bytes. It does
/// not see what is reversed, encrypted, compressed, translated or told in words, nor pieces in several documents.
///
/// Addresses are public identifiers, and switching their classes off is a choice for hosts in finance. Classes of data that
/// names a person are off until a host switches them on. Values under a plain name such as `password:` are looked for, and
/// a host whose texts are full of test data may switch those two classes off:
///
/// ```
/// use noctuary::{PiiFilter, SecretGate};
///
/// let text = "pay 0x52908400098527886E0F7030069857D2E4169EE7";
/// assert_eq!(SecretGate::new().scan(text).len(), 1);
/// assert_eq!(SecretGate::new().without("evm_address").scan(text).len(), 0);
///
/// let text = "pay with 4012 8888 8888 1881";
/// assert_eq!(SecretGate::new().scan(text).len(), 0);
/// assert_eq!(SecretGate::new().with("payment_card").scan(text).len(), 1);
///
/// let text = "password: hunter2-Boat";
/// assert_eq!(SecretGate::new().scan(text).len(), 1);
/// assert_eq!(SecretGate::new().without("named_password").scan(text).len(), 0);
/// ```
///
#[doc = include_str!("classes/classes.md")]
#[derive(Clone)]
pub struct SecretGate {
    strictness: Strictness,
    /// What differs from the table: on or off, by class.
    switched: BTreeMap<String, bool>,
    sees_disguises: bool,
    /// Made when the first text is scanned.
    chosen: OnceLock<Arc<Chosen>>,
}

/// What was found: as a [`Finding`], and the secret undisguised where it stands in a disguise.
struct Found {
    span: Range<usize>,
    class: usize,
    confidence: Confidence,
    view: View,
    plain: Option<String>,
}

impl SecretGate {
    /// All classes that are on by default, on their shapes.
    #[must_use]
    pub fn new() -> Self {
        Self {
            strictness: Strictness::Shape,
            switched: BTreeMap::new(),
            sees_disguises: true,
            chosen: OnceLock::new(),
        }
    }

    /// Sets how much a match must prove.
    #[must_use]
    pub fn strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// Switches a class off. A name that is no class changes nothing.
    #[must_use]
    pub fn without(self, class: impl Into<String>) -> Self {
        self.switch(class.into(), false)
    }

    /// Switches a class on that is off by default. A name that is no class changes nothing.
    #[must_use]
    pub fn with(self, class: impl Into<String>) -> Self {
        self.switch(class.into(), true)
    }

    /// Finds only what stands as it is, and sees through no disguise: faster, and for texts that nobody would hide
    /// something in.
    ///
    /// ```
    /// use noctuary::{PiiFilter, SecretGate};
    ///
    /// let text = "the key is AKIA**IOSFODNN**7EXAMPLE";
    /// assert_eq!(SecretGate::new().scan(text).len(), 1);
    /// assert_eq!(SecretGate::new().undisguised_only().scan(text).len(), 0);
    /// ```
    #[must_use]
    pub fn undisguised_only(mut self) -> Self {
        self.sees_disguises = false;
        self
    }

    /// The names of all classes, in the order of the table, those that are off by default too.
    pub fn classes() -> impl Iterator<Item = &'static str> {
        classes::all().map(|class| class.name)
    }

    /// The shapes of the classes that are on, as regular expressions for other tools: `ripgrep`, `grep -P`, a baseline.
    ///
    /// They are shapes only. What must not stand beside a match and what a match must prove are missing, so they find
    /// more than the gate does. A class whose scan is no pattern is given as the nearest one (runs in base 58, cards)
    /// or left out (mnemonics). Where a pattern has a group, the secret is the group. They are meant for bytes: `\s` and
    /// the like know ASCII only.
    ///
    /// ```
    /// let patterns: Vec<_> = noctuary::SecretGate::new().patterns().collect();
    /// assert!(patterns.contains(&("aws_access_key", "(?:AKIA)[0-9A-Z]{16,16}".to_owned())));
    /// ```
    pub fn patterns(&self) -> impl Iterator<Item = (&'static str, String)> {
        let rows = classes::all().filter(|class| self.is_on(class));
        rows.filter_map(|class| Some((class.name, class.pattern()?)))
    }

    fn switch(mut self, class: String, on: bool) -> Self {
        self.switched.insert(class, on);
        self.chosen = OnceLock::new();
        self
    }

    fn chosen(&self) -> &Chosen {
        self.chosen.get_or_init(|| Arc::new(Chosen::new(|class| self.is_on(class))))
    }

    fn is_on(&self, class: &Class) -> bool {
        self.switched.get(class.name).copied().unwrap_or(class.default == Switch::On)
    }

    fn judge(&self, class: &Class, matched: &str) -> Option<Confidence> {
        let (proven, required) = match class.proof {
            Proof::None => (false, false),
            Proof::Confidence(proof) => (proof(matched), false),
            Proof::Checksum(proof) => (proof(matched), self.strictness == Strictness::Validated),
            Proof::Required(proof) => (proof(matched), true),
        };
        match (proven, required) {
            (true, _) => Some(Confidence::Verified),
            (false, true) => None,
            // `ghp_xxxxxxxx…` shows how a token looks.
            (false, false) => (!proof::is_filler(matched)).then_some(Confidence::Shape),
        }
    }
}

impl SecretGate {
    /// What stands in `text` as it is, ascending and without overlap.
    fn undisguised(&self, text: &str) -> Vec<Found> {
        self.undisguised_but(text, |_, _| false)
    }

    /// The same, without secrets that are passed over by their place and class.
    fn undisguised_but(&self, text: &str, passes: impl Fn(&Range<usize>, usize) -> bool) -> Vec<Found> {
        let mut found: Vec<(Range<usize>, usize, Confidence)> = Vec::new();
        self.chosen().search(text, |of| {
            let confidence = self.judge(TABLE.classes[of.class], &text[of.proving]);
            let confidence = confidence.filter(|_| !passes(&of.span, of.class));
            found.extend(confidence.map(|confidence| (of.span, of.class, confidence)));
            confidence.is_some()
        });
        found.sort_by_key(|(span, class, _)| (span.start, *class));
        // Where two share a place, all of both is one finding of the class that stands first in the table.
        found.dedup_by(|(span, class, confidence), (before, first, known)| {
            let overlaps = span.start < before.end;
            if overlaps {
                before.end = before.end.max(span.end);
                if *class < *first {
                    (*first, *known) = (*class, *confidence);
                }
            }
            overlaps
        });
        let found = found.into_iter();
        found
            .map(|(span, class, confidence)| Found { span, class, confidence, view: View::Raw, plain: None })
            .collect()
    }

    /// What stands in `text` in disguises, in any order.
    fn disguised(&self, text: &str, undone: Undone, found: &mut Vec<Found>) {
        let of = Disguised::new(text);
        for view in undone.next() {
            view::undo(view, &of, &mut |island| {
                let has_lines = matches!(view, View::Joined | View::Escaped);
                // What only a name proves ends with its line: it has any length, and the next line may look as good.
                let mut inside = self.undisguised_but(&island.text, |span, class| {
                    has_lines
                        && is_named(class)
                        && island.joints(span).into_iter().any(|joint| is_line(text, &island, joint))
                });
                inside.retain_mut(|one| {
                    if has_lines {
                        self.let_go_of_lines(text, &island, one);
                    }
                    let secret = &island.text[one.span.clone()];
                    one.plain = Some(secret.to_owned());
                    // Where only what stands around it is in a disguise, the secret stands as it is.
                    text[island.place(&one.span)] != *secret || view != View::Joined
                });
                self.disguised(&island.text, undone.and(view), &mut inside);
                found.extend(inside.into_iter().map(|one| {
                    let place = island.place(&one.span);
                    let end = if view == View::Joined {
                        place.start + held(&text[place.clone()])
                    } else {
                        place.end
                    };
                    Found { span: place.start..end, view: one.view.max(view), ..one }
                }));
            });
        }
    }

    /// A line, cell or string of a list that follows a secret need not go on with it: a word is left out, a date, and so is
    /// all that the rest of a key may be by itself, if what remains is a secret.
    fn let_go_of_lines(&self, text: &str, island: &Island, found: &mut Found) {
        let is_open_key = TABLE.classes[found.class].body.is_some()
            && !island.text[found.span.clone()].contains("-----END");
        let (start, class) = (found.span.start, found.class);
        let is_secret = |joint: usize| {
            let rest = &island.text[start..joint];
            let is_whole = |one: &Found| one.class == class && one.span == (0..rest.len());
            self.undisguised(rest).iter().any(is_whole)
        };
        let joints = island.joints(&found.span).into_iter();
        let lines: Vec<usize> = joints.take_while(|joint| is_line(text, island, *joint)).collect();
        if is_open_key {
            // Its head is enough, and what is before the end of that is short.
            found.span.end =
                lines.into_iter().rev().find(|joint| is_secret(*joint)).unwrap_or(found.span.end);
            return;
        }
        for joint in lines {
            let rest = &island.text.as_bytes()[joint..found.span.end];
            let is_other =
                view::is_word(rest) || is_cell(between(text, island, joint)) && view::is_date(rest);
            if !is_other || !is_secret(joint) {
                break;
            }
            found.span.end = joint;
        }
    }

    fn found(&self, text: &str) -> Vec<Found> {
        let mut raw = self.undisguised(text);
        if !self.sees_disguises {
            return raw;
        }
        let mut disguised = Vec::new();
        for part in view::parts(text) {
            let from = disguised.len();
            self.disguised(&text[part.clone()], Undone::default(), &mut disguised);
            for one in &mut disguised[from..] {
                one.span = part.start + one.span.start..part.start + one.span.end;
                // The rest of a key may stand there as it is, further on.
                let plain = one.plain.as_deref().unwrap_or_default();
                if let Some(body) = TABLE.classes[one.class].body.filter(|_| !plain.contains("-----END")) {
                    one.span.end = body(text, one.span.end);
                }
            }
        }
        if !disguised.is_empty() {
            // Several keys that stand one below the other are no single one.
            disguised.retain(|one| {
                let inside =
                    |known: &&Found| one.span.start <= known.span.start && known.span.end <= one.span.end;
                let known = raw.partition_point(|known| known.span.start < one.span.start);
                let lengths = raw[known..].iter().take_while(inside).map(|known| known.span.len());
                // A code of a key may look like one.
                let is_coded = one.view >= View::Escaped;
                let length =
                    if is_coded { one.span.len() } else { one.plain.as_ref().map_or(0, String::len) };
                lengths.sum::<usize>() < length
            });
            raw.append(&mut disguised);
            raw = settled(raw);
        }
        raw
    }
}

/// The text that parts two pieces of an island.
fn between<'a>(text: &'a str, island: &Island, joint: usize) -> &'a str {
    let place = island.place(&(joint - 1..joint)).end..island.place(&(joint..joint + 1)).start;
    text.get(place).unwrap_or_default()
}

/// Whether a line, cell or string of a list ends at a joint.
fn is_line(text: &str, island: &Island, joint: usize) -> bool {
    let between = between(text, island, joint);
    between.contains(['\n', '\r', '\u{b}', '\u{c}', '\\']) || is_cell(between)
}

/// Whether cells or strings of a list are parted.
fn is_cell(between: &str) -> bool {
    between.contains(['|', ',']) || between.contains("<t")
}

/// Whether only the name before it says of a secret of this class that it is one.
fn is_named(class: usize) -> bool {
    matches!(TABLE.classes[class].shape, Shape::Scan(_, Needs::Name, _))
}

/// Of findings that share a place, one: which has all of it, as it stands rather than in a disguise, else the largest.
fn settled(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|one| (one.span.start, one.view, one.class));
    let mut settled: Vec<Found> = Vec::new();
    for one in found {
        match settled.last_mut() {
            Some(last) if one.span.start < last.span.end => {
                let all = last.span.start..last.span.end.max(one.span.end);
                if (one.span.len(), last.view, last.class) > (last.span.len(), one.view, one.class) {
                    *last = one;
                }
                last.span = all;
            }
            _ => settled.push(one),
        }
    }
    settled
}

impl PiiFilter for SecretGate {
    fn scan(&self, text: &str) -> Vec<Finding> {
        let finding = |one: Found| Finding {
            class: Cow::Borrowed(TABLE.classes[one.class].name),
            span: one.span,
            confidence: one.confidence,
            view: one.view,
        };
        self.found(text).into_iter().map(finding).collect()
    }

    fn plain<'a>(&self, text: &'a str, finding: &Finding) -> Cow<'a, str> {
        let span = finding.span.clone();
        let written = text.get(span.clone()).unwrap_or_default();
        if finding.view == View::Raw {
            return Cow::Borrowed(written);
        }
        // What stands beside a secret may say what it is: a little of it, or else all.
        let start = text::floor_boundary(text, span.start.saturating_sub(BESIDE));
        let end = text::ceil_boundary(text, span.end.saturating_add(BESIDE));
        let parts = [(text.get(start..end).unwrap_or_default(), start), (text, 0)];
        let secret = parts.into_iter().find_map(|(part, from)| {
            let is_it = |one: &Found| {
                TABLE.classes[one.class].name == finding.class
                    && (from + one.span.start, from + one.span.end) == (span.start, span.end)
            };
            self.found(part).into_iter().find(is_it)?.plain
        });
        secret.map_or(Cow::Borrowed(written), Cow::Owned)
    }
}

/// So much on each side of a secret, in bytes, mostly says the same of it as the whole text.
const BESIDE: usize = 512;

impl Default for SecretGate {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SecretGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretGate")
            .field("strictness", &self.strictness)
            .field("switched", &self.switched)
            .field("sees_disguises", &self.sees_disguises)
            .finish_non_exhaustive()
    }
}

/// How much of what was joined is the secret: a last line without a letter or digit, as one that begins with `=`, is not.
fn held(joined: &str) -> usize {
    match joined.rfind(['\n', '\r']) {
        Some(at) if !joined[at..].contains(char::is_alphanumeric) => joined[..at].trim_end().len(),
        _ => joined.len(),
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
        let mnemonic = "legal winner thank year wave sausage worth useful legal winner thank zoo";
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

    // Two ids without a gap once hid each other.
    #[test]
    fn secrets_without_a_gap_are_both_found() {
        let token = format!("ghp_{}", run("aB3", 36));
        assert_eq!(classes("AKIAIOSFODNN7EXAMPLEAKIAIOSFODNN7EXAMPLF"), ["aws_access_key"; 2]);
        assert_eq!(classes(&format!("AKIAIOSFODNN7EXAMPLE{token}")), ["aws_access_key", "github_pat"]);
    }

    // A head whose spaces are other control characters once passed.
    #[test]
    fn a_control_character_in_the_head_of_a_private_key_does_not_hide_it() {
        for space in ["\t", "\u{0}", "\u{b}", "\u{85}", "\u{2028}"] {
            let head = "-----BEGIN RSA PRIVATE KEY-----".replace(' ', space);
            assert_eq!(classes(&head), ["pem_private"], "{space:?}");
        }
    }

    #[test]
    fn wallets_are_found_where_their_checksum_holds() {
        let phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow";
        assert_eq!(classes(&format!("my seed: {phrase}")), ["mnemonic"]);
        assert_eq!(classes("5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"), ["wif_key"]);
        assert!(classes("5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTK").is_empty());
        let key = run("0a1b2c3d4e5f6978", 64);
        assert_eq!(classes(&format!("PRIVATE_KEY=0x{key}")), ["hex_private_key"]);
        assert!(classes(&format!("sha256 {key}")).is_empty());
    }

    #[test]
    fn what_names_a_person_is_found_only_where_a_host_wants_it() {
        let text = "card 4012 8888 8888 1881, IBAN DE89 3704 0044 0532 0130 00, SSN 123-45-6789, call +44 20 7946 0958 or mail marta@example.com";
        assert!(classes(text).is_empty());
        let names = ["payment_card", "iban", "us_ssn", "phone_number", "email_address"];
        let gate = names.into_iter().fold(SecretGate::new(), SecretGate::with);
        let found: Vec<_> = gate.scan(text).into_iter().map(|finding| finding.class).collect();
        assert_eq!(found, names);
    }

    // Constants in code once were cards.
    #[test]
    fn a_card_without_groups_needs_a_word_for_it() {
        let gate = SecretGate::new().with("payment_card");
        assert_eq!(gate.scan("const POWERS: [u64; 2] = [4012888888881881, 5555555555554444];"), []);
        assert_eq!(gate.scan("her Visa is 4012888888881881")[0].class, "payment_card");
        assert_eq!(gate.scan("4012-8888-8888-1881")[0].class, "payment_card");
    }

    #[test]
    fn a_failed_checksum_clears_no_distinctive_prefix() {
        let sound = "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";
        let broken = "ghp_wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUy";
        for (token, confidence) in [(sound, Confidence::Verified), (broken, Confidence::Shape)] {
            for strictness in [Strictness::Shape, Strictness::Validated] {
                assert_eq!(SecretGate::new().strictness(strictness).scan(token)[0].confidence, confidence);
            }
        }
    }

    #[test]
    fn a_weak_shape_needs_the_name_under_which_it_stands() {
        let value = run("a1b2c3d4e5f60718293a", 40);
        assert_eq!(classes(&format!("DATADOG_API_KEY={value}")), ["datadog_key"]);
        assert_eq!(classes(&format!("{{\"datadogApiKey\": \"{value}\"}}")), ["datadog_key"]);
        assert!(classes(&format!("commit {value} of datadog")).is_empty());
        assert!(classes(&format!("DATADOG_API_KEY={}", run("x", 40))).is_empty(), "a place for one");
    }

    /// How much was looked at for a text of so many bytes.
    fn steps(gate: &SecretGate, piece: &str, length: usize) -> u64 {
        let text = piece.repeat(length / piece.len());
        let before = super::super::search::steps::taken();
        gate.scan(&text);
        super::super::search::steps::taken() - before
    }

    #[test]
    fn twice_the_text_takes_twice_the_steps_in_every_disguise() {
        const MANY: usize = 1_200_000;
        for piece in [
            "A",
            "QUtJQUlPU0ZPRE5ON0VYQU1QTEU9\n",
            "QUtJQUlPU0ZPRE5ON0VYQU1QTEU9 ",
            "7",
            "41",
            "%41",
            "%2541",
            "&#65;",
            "\\u0041",
            "\\n",
            "A ",
            "A, ",
            "41:",
            "ff:",
            "0x41,",
            "0x",
            "\n",
            "A1\n",
            "a\n- ",
            "a**",
            "\"",
            "a\" + \"",
            "[a](",
            "<",
            "{\"",
            "\u{200b}",
            "é",
            "А",
            "U+0041",
            "\\_",
            "\\41 ",
            "=41",
            "a=\n",
            "=\r\n",
            "|",
            "a1 | ",
            "Ab3dE5|",
            "|\n|",
            "<b>",
            "<td>",
            "a<b></b>",
            "Ab3dE5</td> <td>",
            "a\", \"",
            "Ab3dE5\",\"",
            "65 ",
            "65,",
            "130 ",
            "IFFUSQJANRUW4ZKB\n",
            "IFFUSQJANRUW4ZKB",
            "m5",
            "414b ",
            "ff ",
            "00000010: 414b 414b  AKAK\n",
            "\u{e0041}",
        ] {
            let (once, twice) =
                (steps(&SecretGate::new(), piece, MANY), steps(&SecretGate::new(), piece, 2 * MANY));
            assert!(twice <= once * 2 + once / 4, "{piece}: {once} and {twice}");
            assert!(once <= 100 * MANY as u64, "{piece}: {once}");
        }
    }

    #[test]
    fn twice_the_text_takes_twice_the_steps_whatever_it_is() {
        const MANY: usize = 5_000_000;
        for piece in [
            "x",
            "A",
            "7",
            "-",
            "QUtJQUlPU0ZPRE5ON0VYQU1QTEU9",
            "1",
            "sk-",
            "AKIA",
            "eyJ",
            "5K",
            "0x",
            "abandon ",
            "://",
            "password",
            "password: ",
            "password=a1",
            "token = ",
            "token=",
            "secret is ",
            "token for a b c d ",
            "token: &'a ",
            "9fk2LmQ7",
        ] {
            let gate = SecretGate::new().with("named_password").with("named_key").undisguised_only();
            let (once, twice) = (steps(&gate, piece, MANY), steps(&gate, piece, 2 * MANY));
            assert!(once > 0, "{piece}: something is counted");
            assert!(twice <= once * 2 + once / 10 + 10_000, "{piece}: {once} and {twice}");
        }
    }

    // Whether a dump with short lines was read once hung on the place where it began.
    #[test]
    fn a_dump_is_read_wherever_it_begins() {
        let dump = "00000000: 414b 4941 494f 5346  AKIAIOSF\n00000008: 4f44 4e4e 3745 5841  ODNN7EXA\n00000010: 4d50 4c45  MPLE\n";
        for before in 0..40 {
            let text = format!("{}{dump}", "=".repeat(before));
            assert_eq!(classes(&text), ["aws_access_key"], "{before}");
        }
    }

    // Words of one letter before letters that stand apart once hid them, where the text began at some places.
    #[test]
    fn letters_that_stand_apart_are_read_behind_words_of_one_letter() {
        let apart = "AKIAIOSFODNN7EXAMPLE"
            .split("")
            .filter(|letter| !letter.is_empty())
            .collect::<Vec<_>>()
            .join(" | ");
        for before in 0..20 {
            for words in ["a", "I", "a a", "- a a a"] {
                let text = format!("{}ok {words} {apart}", "x".repeat(before));
                assert_eq!(classes(&text), ["aws_access_key"], "{text}");
            }
        }
    }

    #[test]
    fn what_pads_a_code_is_no_sign_of_the_next_line() {
        let text = "a path/xaQUtJQUlPU0ZPRE5ON0VYQU1QTEU=\n = \n";
        let spans: Vec<&str> = SecretGate::new().scan(text).into_iter().map(|one| &text[one.span]).collect();
        assert!(!spans.is_empty() && spans.iter().all(|span| !span.contains('\n')), "{spans:?}");
        // But what goes on there does.
        let text = "key QUtJQUlPU0ZP\n> RE5ON0VYQU1QTEU=\n";
        let found = SecretGate::new().scan(text);
        assert!(found.iter().any(|one| text[one.span.clone()].ends_with("QTEU")), "{found:?}");
    }

    #[test]
    fn every_class_finds_its_own_example_and_names_it() {
        let every = SecretGate::classes().fold(SecretGate::new(), SecretGate::with);
        for seed in 0..8 {
            let examples = crate::testing::secrets(seed);
            assert!(examples.iter().map(|(class, _)| *class).eq(SecretGate::classes()));
            for (class, text) in examples {
                for text in [text.clone(), format!("note: {text} and more"), format!("`{text}`\n")] {
                    let found = every.scan(&text);
                    assert!(
                        found.iter().any(|finding| finding.class == class),
                        "{class}: {text} is {found:?}"
                    );
                }
            }
        }
    }

    // A gate with few classes searches in another way, and finds the same.
    #[test]
    fn a_class_that_is_alone_is_found_where_it_is_found_among_all() {
        let none = SecretGate::classes().fold(SecretGate::new(), SecretGate::without);
        let every = SecretGate::classes().fold(SecretGate::new(), SecretGate::with);
        for (class, example) in crate::testing::secrets(3) {
            let text = format!("first {example}, then sk-ant-{example} and {example}");
            let alone = none.clone().with(class).scan(&text);
            let covered = |one: &Finding| {
                every
                    .scan(&text)
                    .iter()
                    .any(|of| of.span.start <= one.span.start && one.span.end <= of.span.end)
            };
            let reaches = alone.last().is_some_and(|last| text.len() - last.span.end < example.len());
            assert!(reaches && alone.iter().all(covered), "{class}: {text} is {alone:?}");
        }
    }

    // Another tool that is handed the patterns must not see less than the gate.
    #[test]
    fn every_pattern_matches_the_example_of_its_class() {
        let every = SecretGate::classes().fold(SecretGate::new(), SecretGate::with);
        let examples = crate::testing::secrets(1);
        for (class, pattern) in every.patterns() {
            let pattern = regex::bytes::RegexBuilder::new(&pattern).unicode(false).build().unwrap();
            let (_, text) = examples.iter().find(|(of, _)| *of == class).unwrap();
            assert!(pattern.is_match(text.as_bytes()), "{class}: {text}");
        }
        let patterns: Vec<_> = every.patterns().map(|(class, _)| class).collect();
        let left_out: Vec<_> = SecretGate::classes().filter(|class| !patterns.contains(class)).collect();
        assert_eq!(left_out, ["mnemonic"]);
    }

    /// The table of the classes, as people read it.
    fn table() -> String {
        let mut table = "| class | what | proof | by default |\n|---|---|---|---|\n".to_owned();
        for class in classes::all() {
            let proof = match class.proof {
                Proof::None => "its shape is enough",
                Proof::Confidence(_) | Proof::Checksum(_) => "raises the confidence",
                Proof::Required(_) => "needed",
            };
            let switch = if class.default == Switch::On { "on" } else { "off" };
            table += &format!("| `{}` | {} | {proof} | {switch} |\n", class.name, class.what);
        }
        table
    }

    #[test]
    fn the_page_shows_the_table_as_it_is() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/gate/classes/classes.md");
        if std::env::var_os("NOCTUARY_WRITE_TABLE").is_some() {
            std::fs::write(path, table()).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), table(), "set NOCTUARY_WRITE_TABLE=1 to write it");
    }
}
