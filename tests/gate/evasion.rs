//! Made-up secrets of every class in disguises: how many of them the gate sees, and whether it masks them whole.
//!
//! `cargo test -p noctuary-tests --test fast gate::evasion -- --include-ignored --nocapture` prints the table.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

mod makers;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use noctuary::gate::{Door, DoorPolicy, Doors, InjectionPolicy, SecretPolicy, View};
use noctuary::testing;
use noctuary::{DocName, PiiFilter, SecretGate};
use noctuary_tests::common::dice::Dice;
use proptest::prelude::*;

/// So many classes are those of the seed.
const SEED: usize = 11;
const SAMPLES: u64 = 20;

/// A disguise: its name, whether few people would think of it, what it makes of a secret by chance.
type Disguise = (&'static str, bool, fn(&str, &mut Dice) -> String);

const DISGUISES: [Disguise; 32] = [
    ("as it is", false, |secret, _| secret.to_owned()),
    ("zero width", false, |secret, dice| cut(secret, dice, "\u{200b}")),
    ("soft hyphen", false, |secret, dice| cut(secret, dice, "\u{ad}")),
    ("word joiner", false, |secret, dice| cut(secret, dice, "\u{2060}")),
    ("homoglyph", false, |secret, _| secret.chars().map(homoglyph).collect()),
    ("fullwidth", false, |secret, _| secret.chars().map(full).collect()),
    ("backticks", false, |secret, dice| cut(secret, dice, "`")),
    ("line wrap", false, |secret, dice| cut(secret, dice, "\n")),
    ("wrapped list", false, |secret, dice| cut(secret, dice, "\n  - ")),
    ("quoted wrap", false, |secret, dice| cut(secret, dice, "\r\n> ")),
    ("** split", false, |secret, dice| cut(secret, dice, "**")),
    ("<br>", false, |secret, dice| cut(secret, dice, "<br/>")),
    // Nothing of what follows was seen once: two tags beside each other, cells, strings of a list.
    ("tags", false, |secret, dice| cut(secret, dice, "</b><i class=\"x\">")),
    ("cells", false, |secret, dice| cut(secret, dice, " | ")),
    ("rows", false, |secret, dice| cut(secret, dice, " |\n| ")),
    ("<td>", false, |secret, dice| cut(secret, dice, "</td>\n  <td>")),
    ("list", false, |secret, dice| cut(secret, dice, "\", \"")),
    // Editors of markdown escape what could be a mark: most keys were missed so.
    ("markdown", false, |secret, _| each(secret, escaped)),
    ("css", false, |secret, _| each(secret, |c| format!("\\{:x} ", u32::from(c)))),
    ("mail", false, |secret, _| mail(secret, |_| true)),
    ("mail, in part", false, |secret, _| mail(secret, |c| !c.is_ascii_alphanumeric())),
    ("base32", false, |secret, _| base32(secret)),
    ("decimal", false, |secret, dice| {
        let bytes: Vec<String> = secret.bytes().map(|byte| byte.to_string()).collect();
        bytes.join([" ", ", ", ",", "\n"][dice.below(4)])
    }),
    ("groups of hex", true, |secret, _| grouped(secret)),
    ("concatenation", false, |secret, dice| cut(secret, dice, "\" + \"")),
    ("percent", false, |secret, _| each(secret, |c| format!("%{:02X}", u32::from(c)))),
    ("\\u", false, |secret, _| each(secret, |c| format!("\\u{:04x}", u32::from(c)))),
    ("entities", false, |secret, _| each(secret, |c| format!("&#{};", u32::from(c)))),
    ("base64", false, |secret, _| base64(secret)),
    ("base64 twice", true, |secret, _| base64(&base64(secret))),
    ("hex", true, |secret, _| each(secret, |c| format!("{:02x}", u32::from(c)))),
    ("spaced", true, |secret, dice| {
        let letters: Vec<String> = secret.chars().map(String::from).collect();
        letters.join([" ", ".", " ", "/"][dice.below(4)])
    }),
];

/// BX-34
#[test]
#[ignore = "sweep"]
fn secrets_are_seen_through_their_disguises_and_masked_whole() {
    let mut shares: BTreeMap<(usize, bool), Share> = BTreeMap::new();
    let mut missed: BTreeMap<(usize, &str), u32> = BTreeMap::new();
    let classes: Vec<&str> = SecretGate::classes().collect();
    let gates: Vec<SecretGate> = classes.iter().map(|class| SecretGate::new().with(*class)).collect();
    for sample in 0..SAMPLES {
        let mut dice = Dice(sample);
        for (number, (class, example)) in testing::secrets(sample).into_iter().enumerate() {
            let gate = &gates[number];
            let example = if class == "pem_private" { with_body(&example) } else { example };
            let raw =
                gate.scan(&example).into_iter().find(|finding| finding.class == class).expect("its example");
            for (which, (_, _, disguise)) in DISGUISES.iter().enumerate() {
                let (before, after) = example.split_at(raw.span.start);
                let (secret, after) = after.split_at(raw.span.len());
                let front = format!("- 09:12 [user] note this: {before}");
                let worn = disguise(secret, &mut dice);
                let text = format!("{front}{worn}{after} and keep it\n- 09:13 [user] That was it.\n");
                let place = front.len()..front.len() + worn.len();
                let is_seen = gate.scan(&text).iter().any(|finding| {
                    // What is left on either side, in characters of the secret.
                    let left = finding.span.start.saturating_sub(place.start)
                        + place.end.saturating_sub(finding.span.end);
                    left * secret.len() < 6 * worn.len()
                });
                for is_seed in [true, false] {
                    if !is_seed || number < SEED {
                        shares.entry((which, is_seed)).or_default().count(is_seen);
                    }
                }
                if !is_seen {
                    *missed.entry((which, class)).or_default() += 1;
                }
            }
        }
    }
    println!("{:<16} {:>8} {:>8}   missed", "disguise", "eleven", "all");
    for (which, (name, ..)) in DISGUISES.iter().enumerate() {
        let of: Vec<String> = missed
            .iter()
            .filter(|((it, _), _)| *it == which)
            .map(|((_, class), count)| format!("{class} {count}"))
            .collect();
        println!(
            "{name:<16} {:>8.3} {:>8.3}   {}",
            shares[&(which, true)].get(),
            shares[&(which, false)].get(),
            of.join(", ")
        );
    }
    for (which, (name, is_exotic, _)) in DISGUISES.iter().enumerate() {
        // In cells and lists, a piece without a digit is a name.
        let is_weak =
            matches!(*name, "hex" | "spaced" | "groups of hex" | "cells" | "rows" | "<td>" | "list");
        let least = if is_weak { (0.90, 0.91) } else { (0.99, 0.95) };
        assert!(shares[&(which, true)].get() >= least.0, "{name}");
        assert!(*is_exotic || shares[&(which, false)].get() >= least.1, "{name}");
    }
}

#[test]
fn one_secret_is_one_in_every_disguise() {
    let gate = SecretGate::new();
    let key = "AKIAIOSFODNN7EXAMPLE";
    let disguises = DISGUISES.iter().map(|(_, _, disguise)| disguise(key, &mut Dice(3)));
    let by_hand = [
        "&#x41;KIAIOSFODNN7EXAMPLE",
        "%2541KIAIOSFODNN7EXAMPLE",
        "&amp;#65;KIAIOSFODNN7EXAMPLE",
        "U+0041 U+004B U+0049 U+0041 U+0049 U+004F U+0053 U+0046 U+004F U+0044 U+004E U+004E U+0037 U+0045 U+0058 U+0041 U+004D U+0050 U+004C U+0045",
        "\\101\\113\\111\\101IOSFODNN7EXAMPLE",
        "\\x41\\u{4b}IAIOSFODNN7EXAMPLE",
        "[AKIAIOS](https://example.com)FODNN7EXAMPLE",
        "AKIA${'IOSFODNN'}7EXAMPLE",
        "AKIAIOS' . 'FODNN7EXAMPLE",
        "AKIAIOSFOD\\\n    NN7EXAMPLE",
        "41:4b:49:41:49:4f:53:46:4f:44:4e:4e:37:45:58:41:4d:50:4c:45",
        "0x41, 0x4b, 0x49, 0x41, 0x49, 0x4f, 0x53, 0x46, 0x4f, 0x44, 0x4e, 0x4e, 0x37, 0x45, 0x58, 0x41, 0x4d, 0x50, 0x4c, 0x45",
        // In UTF-16, and in the middle of other text.
        "QQBLAEkAQQBJAE8AUwBGAE8ARABOAE4ANwBFAFgAQQBNAFAATABFAA==",
        "a2V5OiBBS0lBSU9TRk9ETk43RVhBTVBMRSB0aGF0IGlzIGl0",
        // One disguise on another.
        "А\u{200b}KIA**IОS**FODNN7EXAMPLE",
        "Ａ Ｋ Ｉ Ａ Ｉ Ｏ Ｓ Ｆ Ｏ Ｄ Ｎ Ｎ ７ Ｅ Ｘ Ａ Ｍ Ｐ Ｌ Ｅ",
        "QUtJQUlPU0ZP\n> RE5ON0VYQU1QTEU=",
        // Line breaks of old, and what a terminal does not print.
        "AKIA\rIOSFODNN7EXAMPLE",
        "AKIAIOSF\u{b}ODNN\u{85}7EXAMPLE",
        "AKIA\0IOSF\0ODNN7EXAMPLE",
        // Not seen once.
        "\\41\\4b\\49\\41IOSFODNN7EXAMPLE",
        "\\000041\\00004b IAIOSFODNN7EXAMPLE",
        "[65, 75, 73, 65, 73, 79, 83, 70, 79, 68, 78, 78, 55, 69, 88, 65, 77, 80, 76, 69]",
        "[\"AKIA\", \"IOSF\",\n \"ODNN7EXAMPLE\"]",
        "<tr><td>AKIA</td><td>IOSFODNN7EXAMPLE</td></tr>",
        "<b>AKIA</b><i>IOSFODNN7EXAMPLE</i>",
        "| AKIA | IOSFODNN | 7EXAMPLE |",
        "AKIA=49OSFODNN=\r\n7EXAMPLE",
        "414b 4941 494f 5346 4f44 4e4e 3745 5841 4d50 4c45",
        "414b 4941 494f 5346 4f44 4e4e 3745 5841  AKIAIOSFODNN7EXA\n00000010: 4d50 4c45",
        "\u{e0041}\u{e004b}\u{e0049}\u{e0041}\u{e0049}\u{e004f}\u{e0053}\u{e0046}\u{e004f}\u{e0044}\u{e004e}\u{e004e}\u{e0037}\u{e0045}\u{e0058}\u{e0041}\u{e004d}\u{e0050}\u{e004c}\u{e0045}",
        "AKIA\u{1b}[1;31mIOSF\u{1b}[0mODNN7EXAMPLE",
    ];
    for worn in disguises.chain(by_hand.map(str::to_owned)) {
        let text = format!("it is {worn} and no more");
        let findings = gate.scan(&text);
        assert_eq!(findings.len(), 1, "{text}: {findings:?}");
        assert_eq!(gate.plain(&text, &findings[0]), key, "{text}");
        assert_eq!(
            gate.clone().undisguised_only().scan(&text).len(),
            usize::from(findings[0].view == View::Raw),
            "{text}"
        );
    }
}

// Keys that a markdown editor had escaped were missed in 16 of 20 classes, and a key beside a sign of another script was
// never tried.
#[test]
#[ignore = "sweep"]
fn escaped_and_glued_keys_of_every_class_are_found() {
    let gates: Vec<_> = SecretGate::classes().map(|class| (class, SecretGate::new().with(class))).collect();
    let beside = [
        ("鍵は", "です"),
        ("키:", "입니다"),
        ("é", "é"),
        ("（", "）"),
        ("「", "」"),
        ("\u{200b}", "\u{200b}"),
        ("(", ")"),
        ("[", "],"),
        ("{\"", "\"}"),
        ("`", "`."),
        ("**", "**"),
        ("__", "__"),
        (" ", ";"),
        ("\n", "\r\n"),
        ("\\n", "\\n"),
        ("\t", "\t"),
        ("<td>", "</td>"),
        ("| ", " | open | 2026-11-21 |"),
    ];
    let (mut all, mut missed) = (0, BTreeMap::new());
    for seed in 0..6 {
        for ((class, example), (_, gate)) in testing::secrets(seed).into_iter().zip(&gates) {
            let mut finds = |how: &str, text: &str| {
                all += 1;
                if gate.scan(text).is_empty() {
                    *missed.entry(format!("{how}: {class}")).or_insert(0) += 1;
                }
            };
            finds("escaped", &format!("- note: {} and more", each(&example, escaped)));
            finds(
                "escaped twice",
                &format!("- note: {} and more", each(&example, |c| escaped(c).replace('\\', "\\\\"))),
            );
            for (before, after) in beside {
                finds(&format!("{before}…{after}"), &format!("note {before}{example}{after}"));
            }
            // A prefix that nobody else has is known behind any letter, too.
            let is_known = ["anthropic_key", "stripe_key", "github_pat", "google_api_key", "slack_token"];
            if is_known.contains(&class) {
                for before in ["x", "7", "bot", "Key", "key_"] {
                    finds(before, &format!("note {before}{example} then"));
                }
            }
        }
    }
    let few: usize = missed.values().sum();
    println!("{few} of {all}: {missed:#?}");
    assert!(few * 100 <= all * 2, "{few} of {all}: {missed:#?}");
}

#[test]
fn what_a_line_ends_with_does_not_take_the_next_along() {
    let gate = SecretGate::new();
    let token = "sk-ant-api03-Ab3dE5gH7jK9mN1p";
    for next in ["and then the rest", "- and so on", "> quoted", "Then", "# Title"] {
        let text = format!("key {token}\n{next}\n");
        let findings = gate.scan(&text);
        assert_eq!(findings.len(), 1);
        assert_eq!((&text[findings[0].span.clone()], findings[0].view), (token, View::Raw), "{text}");
    }
    let list = format!("{token}\n{token}q\n");
    assert_eq!(gate.scan(&list).len(), 2, "two keys, one below the other");
}

#[test]
fn ordinary_text_is_no_disguise() {
    let gate = SecretGate::new();
    for text in [
        "Überraschung — naïve café, señor: Привет, Αθήνα, 東京 🗺️ “quoted” … 10−5",
        "- README\n- LICENSE\n- Cargo.toml\n  - src/lib.rs\n> RFC 2119\n> MUST\n",
        "use \"sk-\" + \"ant-\" and then some, or `AKIA` and `ghp_`",
        "1 2 3 4 5 6 7 8 9 10 11 12 | a | b | c | d | e | f | g | h | i | j | k | l |",
        "https://example.com/a%20b%2Fc?q=%7B%22x%22%3A1%7D&amp;y=&#39;z&#39;",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "| Name | Type | Since |\n|---|---|---|\n| sk-ant-api | AKIA | 2026-11-21 |\n| ghp_ | gho_ | v1.2 |",
        "[\"ghp_\", \"gho_\", \"ghu_\", \"ghs_\", \"ghr_\", \"github_pat_\"], ['AKIA', 'ASIA', 'ABIA']",
        "C:\\Users\\dead\\2f\\x.md, \\begin{equation} 3 \\times 10^{4}\\, \\$5 \\_ \\[x\\] and a \\| b",
        "<td>sk-</td><td>ant-</td><td>both</td> <b>bold</b> a=b=\nc=20d, MFRGG, NBSWY3DPEB3W64TMMQXC4LQ=",
        "12, 34, 56, 78, 90, 100, 101, 102, 103, 104, 105, 106, 107, 108 and 1.2.3.4 2026-11-21 09:00",
        "face feed dead beef cafe babe fade deaf 00000010: 0001 0203 0405 0607",
        "d41d8cd98f00b204e9800998ecf8427e 01:23:45:67:89:ab:cd:ef:01:23:45:67:89:ab:cd:ef",
    ] {
        assert_eq!(gate.scan(text), [], "{text}");
    }
}

/// As a door masks it.
fn mask(text: &str) -> String {
    let doors = Doors::default()
        .policy(Door::PromptLoad, DoorPolicy::new(SecretPolicy::Redact, InjectionPolicy::Allow));
    doors.pass(Door::PromptLoad, &DocName::MEMORY, text).unwrap().text.into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::cases(20_000)))]

    #[test]
    #[ignore = "sweep"]
    fn findings_lie_on_characters_in_order_and_what_is_masked_stays_so(pieces in proptest::collection::vec(piece(), 0..6)) {
        let gate = SecretGate::new();
        let text = pieces.concat();
        let mut end = 0;
        for finding in gate.scan(&text) {
            prop_assert!(finding.span.start >= end && !finding.span.is_empty());
            prop_assert!(text.get(finding.span.clone()).is_some());
            prop_assert!(!gate.plain(&text, &finding).is_empty());
            end = finding.span.end;
        }
        let masked = mask(&text);
        prop_assert_eq!(masked.matches('\n').count(), text.matches('\n').count());
        let apart = mask(&pieces.join(" ; "));
        prop_assert_eq!(mask(&apart), apart);
    }
}

static EXAMPLES: LazyLock<[Vec<(&str, String)>; 4]> = LazyLock::new(|| [0, 1, 2, 3].map(testing::secrets));

/// A secret in up to three disguises, or what looks like a part of one.
fn piece() -> impl Strategy<Value = String> {
    let secret = (0..SEED, 0..4_usize, proptest::collection::vec((0..DISGUISES.len(), any::<u64>()), 0..3))
        .prop_map(|(class, seed, disguises)| {
            disguises.into_iter().fold(EXAMPLES[seed][class].1.clone(), |secret, (which, chance)| {
                DISGUISES[which].2(&secret, &mut Dice(chance))
            })
        });
    let mark = proptest::sample::select(vec![
        "\n",
        "\r\n> ",
        "**",
        "`",
        "\u{200b}",
        "%41",
        "&#65;",
        "\\u0041",
        "\\n",
        " A K I A ",
        "<br>",
        "\" + \"",
        "QUtJ",
        "414b49",
        "0x41, ",
        "](x)",
        "[",
        "é",
        "Ａ",
        "-----BEGIN",
        "-----",
        "=",
        "U+0041",
        "\\_",
        "\\41 ",
        "=41",
        "=\n",
        " | ",
        "</td><td>",
        "</b><i>",
        "\", \"",
        "65, 75, ",
        "414b 494f ",
        "IFFU",
        "\u{e0041}",
        "\\",
        "%",
        "&",
        "{\"",
        "41:4b:",
    ]);
    prop_oneof![2 => secret, 3 => mark.prop_map(str::to_owned), 1 => "\\PC{0,8}"]
}

#[derive(Default)]
struct Share {
    all: u32,
    seen: u32,
}

impl Share {
    fn count(&mut self, is_seen: bool) {
        self.all += 1;
        self.seen += u32::from(is_seen);
    }

    fn get(&self) -> f64 {
        f64::from(self.seen) / f64::from(self.all)
    }
}

fn with_body(head: &str) -> String {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(3);
    format!("{head}\n{body}{}", head.replace("BEGIN", "END"))
}

/// Puts something in at one place or two.
fn cut(secret: &str, dice: &mut Dice, between: &str) -> String {
    if !secret.is_ascii() {
        return secret.to_owned();
    }
    let mut places: Vec<usize> = (0..=dice.below(2)).map(|_| 1 + dice.below(secret.len() - 1)).collect();
    places.sort_unstable();
    places.dedup();
    let mut worn = secret.to_owned();
    for place in places.into_iter().rev() {
        worn.insert_str(place, between);
    }
    worn
}

fn each(secret: &str, write: fn(char) -> String) -> String {
    secret.chars().map(write).collect()
}

fn homoglyph(c: char) -> char {
    let (latin, other) = ("ABCEHIKMOPTXaceopxyijs", "АВСЕНІКМОРТХасеорхуіјѕ");
    latin.find(c).and_then(|at| other.chars().nth(at)).unwrap_or(c)
}

fn full(c: char) -> char {
    if c.is_ascii_graphic() { char::from_u32(u32::from(c) + 0xfee0).unwrap() } else { c }
}

/// As an editor of markdown saves it.
fn escaped(c: char) -> String {
    if c.is_ascii_punctuation() { format!("\\{c}") } else { c.to_string() }
}

/// In quoted-printable, of which no line is longer than 76 characters.
fn mail(text: &str, is_written: fn(char) -> bool) -> String {
    let (mut mail, mut line) = (String::new(), 0);
    for c in text.chars() {
        let mut bytes = [0; 4];
        let bytes = c.encode_utf8(&mut bytes).as_bytes();
        let is_written = is_written(c) || !c.is_ascii();
        let coded = bytes.iter().map(|byte| format!("={byte:02X}")).collect();
        let piece: String = if is_written { coded } else { c.into() };
        if line + piece.len() > 60 {
            mail.push_str("=\r\n");
            line = 0;
        }
        line += piece.len();
        mail.push_str(&piece);
    }
    mail
}

/// As programs print bytes: in groups of two.
fn grouped(text: &str) -> String {
    let pair = |pair: &[u8]| pair.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    text.as_bytes().chunks(2).map(pair).collect::<Vec<_>>().join(" ")
}

fn base32(text: &str) -> String {
    const SYMBOLS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut written = String::new();
    for five in text.as_bytes().chunks(5) {
        let bits = five.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte)) << (8 * (5 - five.len()));
        let full = (five.len() * 8).div_ceil(5);
        for symbol in 0..8 {
            let value = usize::try_from(bits >> (35 - 5 * symbol) & 31).unwrap();
            written.push(if symbol < full { char::from(SYMBOLS[value]) } else { '=' });
        }
    }
    written
}

fn base64(text: &str) -> String {
    const SYMBOLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut written = String::new();
    for three in text.as_bytes().chunks(3) {
        let bits = three.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for symbol in 0..4 {
            let value = (bits >> (18 - 6 * symbol) & 63) as usize;
            written.push(if symbol <= three.len() { char::from(SYMBOLS[value]) } else { '=' });
        }
    }
    written
}
