//! What a scan for secrets costs beside plain searches.
//!
//! Each row scans 64 MB through the public API, in rounds that alternate with a baseline:
//!
//! - *eleven*: the classes of seed 000 alone. Beside it: one search after the other for their patterns, without checksums
//!   and bounds.
//! - *all*: every class that is on by default. Beside it: one search for an alternation of patterns of vendors, as
//!   `ripgrep` compiles it: fewer patterns than there are classes.
//!
//! Run it with `cargo bench --bench gate`; `-- --quick`, and `cargo test --benches`, scan less and say nothing of speed.
#![expect(clippy::unwrap_used, reason = "a benchmark stops where something fails")]

mod measure;

use std::hint::black_box;

use measure::{Effort, compare};
use noctuary::{PiiFilter, SecretGate};
use regex::Regex;

const SCANNED: usize = 64_000_000;

const ELEVEN: [&str; 11] = [
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----",
    r"sk-ant-[A-Za-z0-9_-]{8,}",
    r"sk-[A-Za-z0-9]{20,}",
    r"[sr]k_live_[A-Za-z0-9]{8,}",
    r"(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
    r"AIza[0-9A-Za-z_-]{35}",
    r"xox[bpars]-[0-9A-Za-z-]{8,}",
    r"AKIA[0-9A-Z]{16}",
    r"0x[0-9a-fA-F]{40}",
    r"bc1[02-9ac-hj-np-z]{11,87}",
    r"[13][1-9A-HJ-NP-Za-km-z]{25,34}",
];

const MORE: [&str; 24] = [
    r"glpat-[0-9A-Za-z_-]{20,}",
    r"npm_[0-9A-Za-z]{36}",
    r"pypi-AgEIcHlwaS5vcmc[0-9A-Za-z_-]{50,}",
    r"hf_[A-Za-z]{34}",
    r"GOCSPX-[0-9A-Za-z_-]{28}",
    r"do[pors]_v1_[0-9a-f]{64}",
    r"whsec_[0-9A-Za-z]{32}",
    r"SK[0-9a-f]{32}",
    r"SG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}",
    r"key-[0-9a-f]{32}",
    r"hooks\.slack\.com/services/[0-9A-Za-z/]{20,}",
    r"[0-9]{8,10}:AA[0-9A-Za-z_-]{33}",
    r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    r"sq0(?:atp|csp)-[0-9A-Za-z_-]{22,}",
    r"lin_api_[0-9A-Za-z]{40}",
    r"ntn_[0-9]{11}[0-9A-Za-z]{35}",
    r"hv[sb]\.[0-9A-Za-z_-]{24,}",
    r"dapi[0-9a-f]{32}",
    r"sbp_[0-9a-f]{40}",
    r"pscale_tkn_[0-9A-Za-z_-]{32,}",
    r"eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{2,}",
    r"://[^\s/:@]{0,64}:[^\s/:@]{3,64}@",
    r"AGE-SECRET-KEY-1[0-9A-Z]{58}",
    r"xprv[1-9A-HJ-NP-Za-km-z]{107}",
];

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

/// What almost is a secret: too short, cut, or with a wrong checksum.
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

fn main() {
    let effort = Effort::of_arguments();
    let effort = Effort { rounds: effort.rounds.min(7), ..effort };
    let mut rows = Vec::new();
    let eleven = ELEVEN.map(|pattern| Regex::new(pattern).unwrap());
    let every: Vec<&str> = ELEVEN.iter().chain(&MORE).copied().collect();
    let every = Regex::new(&every.join("|")).unwrap();
    let all = SecretGate::new();
    let seed = SecretGate::classes().skip(11).fold(SecretGate::new(), SecretGate::without);
    let kinds: [(&str, fn(&mut Dice) -> String); 3] =
        [("journals", prose), ("code", code), ("near misses", near_miss)];
    for (kind, line) in kinds {
        let mut dice = Dice(7);
        let mut text = String::new();
        while text.len() < SCANNED / effort.divisor as usize {
            text.push_str(&line(&mut dice));
        }
        let bare = |_| {
            for pattern in &eleven {
                black_box(pattern.find_iter(&text).count());
            }
        };
        let ours = |_| assert!(black_box(seed.scan(&text)).is_empty(), "nothing of this is a secret");
        let labels = ["eleven", kind, "find_iter of each pattern"];
        rows.push(compare(effort, labels, 1, || {}, Box::new(bare), Box::new(ours)));
        let bare = |_| {
            black_box(every.find_iter(&text).count());
        };
        let ours = |_| assert!(black_box(all.scan(&text)).is_empty(), "nothing of this is a secret");
        let labels = ["all", kind, "find_iter of one alternation"];
        rows.push(compare(effort, labels, 1, || {}, Box::new(bare), Box::new(ours)));
    }
    measure::print(effort, ["classes", "64 MB of", "baseline"], &rows);
}
