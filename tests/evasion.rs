//! Made-up secrets of every class in disguises: how many of them the gate sees, and whether it masks them whole.
//!
//! `cargo test --test evasion -- --nocapture` prints the table.

use std::collections::BTreeMap;

use noctuary::{Finding, PiiFilter, SecretGate, View, testing};
use proptest::prelude::*;

/// So many classes are those of the seed.
const SEED: usize = 11;
const SAMPLES: u64 = 20;

/// A disguise: its name, whether few people would think of it, what it makes of a secret by chance.
type Disguise = (&'static str, bool, fn(&str, &mut Dice) -> String);

const DISGUISES: [Disguise; 20] = [
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
    ("concatenation", false, |secret, dice| cut(secret, dice, "\" + \"")),
    ("percent", false, |secret, _| each(secret, |c| format!("%{:02X}", u32::from(c)))),
    ("\\u", false, |secret, _| each(secret, |c| format!("\\u{:04x}", u32::from(c)))),
    ("entities", false, |secret, _| each(secret, |c| format!("&#{};", u32::from(c)))),
    ("base64", false, |secret, _| base64(secret)),
    ("base64 twice", true, |secret, _| base64(&base64(secret))),
    ("hex", true, |secret, _| each(secret, |c| format!("{:02x}", u32::from(c)))),
    ("spaced", true, |secret, dice| {
        let letters: Vec<String> = secret.chars().map(String::from).collect();
        letters.join([" ", ".", " ", "/"][dice.roll(4)])
    }),
];

#[test]
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
                    if number < SEED && !DISGUISES[which].1 {
                        println!("DBG {} {class} {text:?} {:?}", DISGUISES[which].0, gate.scan(&text));
                    }
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
        let least = if matches!(*name, "hex" | "spaced") { 0.90 } else { 0.99 };
        assert!(shares[&(which, true)].get() >= least, "{name}");
        assert!(*is_exotic || shares[&(which, false)].get() >= 0.95, "{name}");
    }
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

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

fn with_body(head: &str) -> String {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(3);
    format!("{head}\n{body}{}", head.replace("BEGIN", "END"))
}

/// Puts something in at one place or two.
fn cut(secret: &str, dice: &mut Dice, between: &str) -> String {
    let mut places: Vec<usize> = (0..=dice.roll(2)).map(|_| 1 + dice.roll(secret.len() - 1)).collect();
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
