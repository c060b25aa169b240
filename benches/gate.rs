//! The cost of a scan for secrets beside plain searches.
//!
//! Each row scans its text through the public API, 8 MB of it where the baseline allows, in rounds that alternate with a baseline. Both
//! look for the same shapes:
//! the baseline is handed what [`SecretGate::patterns`] says, for bytes, and knows no bounds, proofs and mnemonics.
//!
//! - *eleven*: the classes of seed 000 alone. Beside it: one search after the other for their patterns. The bound is 1.25
//!   times its time, which is .8 of its throughput.
//! - *all*: every class that is on by default. Beside it: one search for the alternation of their patterns, compiled as
//!   `ripgrep` does, in a tenth of its memory. The bound is its time.
//! - *disguises*: the same with every disguise undone, as a gate is where nobody says otherwise. Beside it: the same search.
//!   The bound is five times its time.
//!
//! The alternation of some hundred patterns takes a second and more for 20 KB of near misses, so its rows scan 120 KB of
//! those, 1 MB of code and 4 MB of journals, in three rounds. `NOCTUARY_BENCH_TIMES=8` makes every text eight times as long, which takes
//! some minutes.
//!
//! Run it with `cargo bench --bench gate`; `-- --quick`, and `cargo test --benches`, scan less and say nothing of speed.
#![expect(clippy::unwrap_used, reason = "a benchmark stops where something fails")]

mod measure;

use std::hint::black_box;

use measure::{Effort, compare};
use noctuary::{PiiFilter, SecretGate};
use regex::bytes::{Regex, RegexBuilder};

const SCANNED: usize = 8_000_000;

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn run(&mut self, symbols: &str, length: usize) -> String {
        (0..length).map(|_| char::from(symbols.as_bytes()[self.roll(symbols.len())])).collect()
    }
}

const ALNUM: &str = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const HEX: &str = "0123456789abcdef";
const WORDS: &str = "the harbour office asked whether we could move the release to Thursday because of a small change in \
    the plan, and Marta said that it was fine as long as nobody touched the berths of the older boats before noon";
const CODE: [&str; 8] = [
    "let mask = 0xff_00;",
    "if value >= 0x1F { return Err(Error::Mask) }",
    "fn task_list(&self) -> usize {",
    "const PORT: u16 = 31337;",
    "\"integrity\": \"sha512-1kQ3xw==\",",
    "// see https://docs.rs/regex/latest/regex/ and disk-usage.rs, line 133",
    "grep -rn 'sk-' src | head -n 13",
    "pub(crate) struct Entry1 { pub(crate) len: u64 }",
];

fn prose(dice: &mut Dice) -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let line: Vec<&str> = (0..8 + dice.roll(16)).map(|_| words[dice.roll(words.len())]).collect();
    format!("- [{:02}:{:02}] [user] {}\n", dice.roll(24), dice.roll(60), line.join(" "))
}

fn code(dice: &mut Dice) -> String {
    let commit = if dice.roll(12) == 0 { format!("// since {}", dice.run(HEX, 40)) } else { String::new() };
    format!("{}{}{commit}\n", "    ".repeat(dice.roll(4)), CODE[dice.roll(CODE.len())])
}

/// Texts that almost are secrets: too short, cut, or with a wrong checksum.
fn near_miss(dice: &mut Dice) -> String {
    let miss = match dice.roll(10) {
        0 => format!("sk-ant-{}", dice.run(ALNUM, 5)),
        1 => format!("sk-{}", dice.run(ALNUM, 18)),
        2 => format!("sk_live_{}", dice.run(ALNUM, 6)),
        3 => format!("ghp_{} github_pat_{}", dice.run(ALNUM, 12), dice.run(ALNUM, 9)),
        4 => format!("AIza{}", dice.run(ALNUM, 30)),
        5 => format!("xoxb-{}", dice.run(HEX, 5)),
        6 => format!("AKIA{}", dice.run("ABCDEFGH234567", 11)),
        7 => format!("0x{}", dice.run(HEX, 38)),
        8 => format!("bc1{}", dice.run("qpzry9x8gf2tvdw0", 9)),
        _ => format!("1{}", dice.run(ALNUM, 33)),
    };
    format!("the {miss} of it\n")
}

/// A gate, and what is measured beside it.
struct Subject {
    name: &'static str,
    gate: SecretGate,
    baseline: &'static str,
    searches: Vec<Regex>,
    /// The greatest ratio to the baseline's time.
    bound: f64,
    rounds: usize,
    /// How much is scanned, of each kind of text.
    bytes: [usize; 3],
}

/// As `ripgrep` compiles it, but for the tenth of its memory.
fn compile(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).unicode(false).size_limit(100 << 20).dfa_size_limit(100 << 20).build().unwrap()
}

fn subjects() -> [Subject; 3] {
    let raw = SecretGate::new().undisguised_only();
    let seed = SecretGate::classes().skip(11).fold(raw.clone(), SecretGate::without);
    let all = SecretGate::new();
    let patterns: Vec<String> = all.patterns().map(|(_, pattern)| pattern).collect();
    let alternation = vec![compile(&patterns.join("|"))];
    [
        Subject {
            name: "eleven",
            searches: seed.patterns().map(|(_, pattern)| compile(&pattern)).collect(),
            gate: seed,
            baseline: "find_iter of each pattern",
            bound: 1.25,
            rounds: 7,
            bytes: [SCANNED; 3],
        },
        Subject {
            name: "all",
            gate: raw,
            baseline: "find_iter of one alternation",
            searches: alternation.clone(),
            bound: 1.0,
            rounds: 3,
            bytes: [4_000_000, 1_000_000, 120_000],
        },
        Subject {
            name: "disguises",
            gate: all,
            baseline: "find_iter of one alternation",
            searches: alternation,
            bound: 5.0,
            rounds: 3,
            bytes: [4_000_000, 1_000_000, 120_000],
        },
    ]
}

/// How many times longer the texts are than usual.
fn times() -> usize {
    let said = std::env::var("NOCTUARY_BENCH_TIMES").ok();
    said.map_or(1, |said| said.parse().expect("NOCTUARY_BENCH_TIMES is a number"))
}

/// Writes a line.
type Writer = fn(&mut Dice) -> String;

fn main() {
    let effort = Effort::of_arguments();
    let times = times();
    let subjects = subjects();
    let mut rows = Vec::new();
    let kinds: [(&str, Writer); 3] = [("journals", prose), ("code", code), ("near misses", near_miss)];
    for (at, (kind, line)) in kinds.into_iter().enumerate() {
        let mut dice = Dice(7);
        let mut text = String::new();
        while text.len() < times * SCANNED / effort.divisor as usize {
            text.push_str(&line(&mut dice));
        }
        for Subject { name, gate, baseline, searches, bound, rounds, bytes } in &subjects {
            let effort = Effort { rounds: effort.rounds.min(*rounds), ..effort };
            // All of it is ASCII.
            let bytes = times * bytes[at];
            let text = &text[..text.len().min(bytes / effort.divisor as usize)];
            let bare = |_| {
                for search in searches {
                    black_box(search.find_iter(text.as_bytes()).count());
                }
            };
            let ours = |_| assert!(black_box(gate.scan(text)).is_empty(), "nothing of this is a secret");
            let row = compare(effort, [name, kind, baseline], 1, || {}, Box::new(bare), Box::new(ours));
            rows.push(measure::Row { bound: Some(*bound), ..row });
        }
    }
    measure::print(effort, ["classes", "text", "baseline"], &rows);
}
