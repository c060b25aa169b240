//! The night over generated journals: no secret leaves for the model or reaches memory,
//! and no citation points at another line than the one that was promoted.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use chrono::{NaiveDate, TimeDelta, TimeZone, Utc};
use noctuary::dream::{SectionCaps, Trust};
use noctuary::testing::cases;
use noctuary::{
    FileWorkspace, JournalDreamer, LlmClient, LlmError, LlmReply, LlmRequest, SecretGate, dream_once_at,
};
use noctuary_tests::common::dice::Dice;
use sha2::{Digest, Sha256};

/// A run of some of these symbols.
fn run(dice: &mut Dice, symbols: &str, len: usize) -> String {
    let symbols: Vec<char> = symbols.chars().collect();
    (0..len).map(|_| dice.pick(&symbols)).collect()
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdefABCDEF";
const BECH: &str = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const BASE58: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// A secret of a class, as vendors print it.
fn secret(class: &str, dice: &mut Dice) -> String {
    match class {
        "anthropic_key" => format!("sk-ant-api03-{}AA", run(dice, &format!("{ALNUM}-_"), 93)),
        "openai_key" => match dice.below(3) {
            0 => format!("sk-{}", run(dice, ALNUM, 48)),
            1 => format!("sk-proj-{}", run(dice, &format!("{ALNUM}-_"), 120)),
            _ => format!("sk-svcacct-{}", run(dice, &format!("{ALNUM}-_"), 60)),
        },
        "stripe_key" => format!("{}_live_{}", dice.pick(&["sk", "rk"]), run(dice, ALNUM, 24)),
        "github_pat" => match dice.below(2) {
            0 => format!("{}_{}", dice.pick(&["ghp", "gho", "ghu", "ghs", "ghr"]), run(dice, ALNUM, 36)),
            _ => format!("github_pat_{}_{}", run(dice, ALNUM, 22), run(dice, ALNUM, 59)),
        },
        "google_api_key" => format!("AIza{}", run(dice, &format!("{ALNUM}-_"), 35)),
        "slack_token" => {
            let kind = dice.pick(&["b", "p", "a", "r", "s"]);
            format!("xox{kind}-{}-{}", run(dice, "0123456789", 12), run(dice, ALNUM, 24))
        }
        "aws_access_key" => format!("AKIA{}", run(dice, UPPER, 16)),
        "evm_address" => format!("0x{}", run(dice, HEX, 40)),
        "btc_bech32" => format!("bc1q{}", run(dice, BECH, 38)),
        "btc_legacy" => base58check(dice),
        "pem_private" => {
            let kind = dice.pick(&["", "RSA ", "EC ", "OPENSSH "]);
            let body: Vec<String> =
                (0..=dice.below(4)).map(|_| run(dice, &format!("{ALNUM}+/"), 64)).collect();
            format!("-----BEGIN {kind}PRIVATE KEY-----\n{}\n-----END {kind}PRIVATE KEY-----", body.join("\n"))
        }
        other => panic!("no generator for {other}"),
    }
}

/// A pay-to-public-key-hash address with a sound checksum.
fn base58check(dice: &mut Dice) -> String {
    let mut bytes = vec![0_u8];
    bytes.extend((0..20).map(|_| u8::try_from(1 + dice.below(255)).unwrap()));
    let check = Sha256::digest(Sha256::digest(&bytes));
    bytes.extend_from_slice(&check[..4]);
    let mut digits = Vec::new();
    while bytes.iter().any(|byte| *byte != 0) {
        let mut rest = 0_u32;
        for byte in &mut bytes {
            let value = rest * 256 + u32::from(*byte);
            *byte = u8::try_from(value / 58).unwrap();
            rest = value % 58;
        }
        digits.push(BASE58[rest as usize]);
    }
    digits.push(b'1');
    digits.reverse();
    String::from_utf8(digits).unwrap()
}

const PLAIN: &[&str] = &[
    "[user] Decision: releases go out on 2026-04-03, Ilya signs them off.",
    "[user] I prefer short answers, with the conclusion first.",
    "[agent] It turned out that the pool was too small; we raised it to 20.",
    "[tool:cargo] test result: ok. 214 passed; 0 failed",
    "[user] thanks!",
    "[agent] Marta's berth is D07 from 2026-04-01 on, it costs 1,250 SEK a month.",
    "[web] Ten tips for a faster build",
    "",
    "ありがとう、明日もよろしく",
];

/// A journal with secrets in it: the text, and the pieces of each secret that must not be seen.
fn journal(dice: &mut Dice, classes: &[&str]) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut planted = Vec::new();
    let line_end = dice.pick(&["\n", "\n", "\n", "\r\n"]);
    for minute in 0..4 + dice.below(30) {
        let stamp = format!("[{:02}:{:02}:00]", 9 + minute / 60, minute % 60);
        if dice.below(5) == 0 {
            let secret = secret(classes[dice.below(classes.len())], dice);
            let (before, after) = (
                dice.pick(&["the key is ", "", "export TOKEN=", "\"", "`", "see ("]),
                dice.pick(&["", ".", "\"", "`", ")", " ok"]),
            );
            // Some logs put their stamp before each line of a block.
            let prefix = if dice.below(2) == 0 { format!("{stamp} [tool:env] ") } else { String::new() };
            let shown = secret.replace('\n', &format!("{line_end}{prefix}"));
            write!(text, "{stamp} [user] {before}{shown}{after}{line_end}").unwrap();
            planted.extend(secret.lines().filter(|line| !line.starts_with("-----")).map(str::to_owned));
        } else {
            write!(text, "{stamp} {} ({}){line_end}", dice.pick(PLAIN), dice.below(1 << 30)).unwrap();
        }
    }
    (text, planted)
}

/// Answers every line that it is shown, with its citation, and looks at what it is asked.
struct Echo<'a> {
    planted: &'a [String],
}

impl LlmClient for Echo<'_> {
    fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        for secret in self.planted {
            assert!(
                !request.user.contains(secret.as_str()),
                "a secret of {} characters was shown",
                secret.len()
            );
        }
        let mut answer = String::from("### Facts\n");
        let mut journal = "";
        for line in request.user.lines() {
            if let Some(fence) = line.strip_prefix("<<<journal ") {
                journal = fence.trim_end_matches(">>>").split_once(' ').unwrap().1;
            } else if let Some((number, text)) =
                line.split_once("| ").filter(|(number, _)| number.starts_with('L'))
            {
                writeln!(answer, "- {text} ({journal}#{number})").unwrap();
            }
        }
        Ok(LlmReply::new(answer))
    }
}

// BX-06, PF-01, DR-12: secrets of every class, in 10,000 journals in the long run.
#[test]
#[ignore = "sweep"]
fn no_planted_secret_reaches_the_prompt_or_memory_and_no_citation_is_shifted() {
    // Those of seed 000 stand first.
    let classes: Vec<&str> = SecretGate::classes().take(11).collect();
    let (mut journals, mut secrets, mut promoted) = (0, 0, 0);
    for seed in 0..u64::from(cases(10_000) / 25) {
        let mut dice = Dice(seed);
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("memory")).unwrap();
        let mut planted = Vec::new();
        for day in 0..25 {
            let date = NaiveDate::from_ymd_opt(2026, 3, 1).unwrap() + TimeDelta::days(day);
            let (text, of_journal) = journal(&mut dice, &classes);
            fs::write(folder.path().join(format!("memory/{date}-repl.md")), text).unwrap();
            planted.extend(of_journal);
            journals += 1;
        }
        // The operator's own memory may hold one; it stays there and is not shown.
        let own = secret(classes[dice.below(10)], &mut dice);
        fs::write(folder.path().join("MEMORY.md"), format!("# Memory\n\n- Mine: {own}\n")).unwrap();
        let before = fs::read_to_string(folder.path().join("MEMORY.md")).unwrap();
        secrets += planted.len();

        let mut shown = planted.clone();
        shown.extend(own.lines().map(str::to_owned));
        promoted += dream_and_check(folder.path(), &shown, &mut dice);
        let memory = fs::read_to_string(folder.path().join("MEMORY.md")).unwrap();
        let added = memory.strip_prefix(&before).expect("what stood there stands there");
        for secret in &planted {
            assert!(!added.contains(secret.as_str()), "a secret of {} characters was promoted", secret.len());
        }
    }
    println!(
        "{journals} journals, {secrets} planted secrets, {promoted} promoted lines: 0 shown, 0 promoted, 0 shifted"
    );
    assert!(promoted > journals, "enough lines were promoted for this to mean anything");
}

/// Dreams until nothing waits; returns how many lines were promoted.
fn dream_and_check(path: &Path, planted: &[String], dice: &mut Dice) -> usize {
    let small = dice.below(2) == 0;
    let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(path).unwrap()))
        .enabled(true)
        .configure(|config| {
            config.window_days = None;
            config.budget.max_calls_per_day = None;
            // The lines of tools are to be cited too.
            config.trust = Trust::All;
            config.section = SectionCaps::new(10_000, 2_000, 1 << 20);
            if small {
                // Cuts fall into the middle of blocks.
                config.max_file_bytes = 300;
                config.total_input_bytes = 4_000;
            }
        })
        .build()
        .unwrap();
    let clock = || Utc.with_ymd_and_hms(2026, 4, 1, 3, 0, 0).unwrap();
    let mut lines: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let dates = regex::Regex::new(r" ?\(\d{4}-\d\d-\d\d\)").unwrap();
    let mut promoted = 0;
    loop {
        let report = dream_once_at(&dreamer, &Echo { planted }, &clock).unwrap();
        if let Some(held) = report.held().next() {
            panic!("a line that stands there word for word was held: {held:?} {}", held.text);
        }
        for line in report.promoted() {
            promoted += 1;
            let source = &line.sources[0];
            let journal = lines.entry(source.name.to_string()).or_insert_with(|| {
                let text = fs::read_to_string(path.join(source.name.as_str())).unwrap();
                text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
            });
            let first = usize::try_from(source.first_line).unwrap() - 1;
            let last = usize::try_from(source.last_line).unwrap();
            let cited = journal[first..last].join(" ");
            // The day that "tomorrow" means is the library's.
            let claim = dates.replace_all(line.text.rsplit_once(" (").unwrap().0, "");
            for said in
                claim.split("[REDACTED:").map(|piece| piece.split_once(']').map_or(piece, |(_, rest)| rest))
            {
                let said = said.trim();
                assert!(cited.contains(said), "{said:?} is not in {source}: {cited:?}");
            }
        }
        if report.backlog.bytes == 0 || report.calls == 0 {
            return promoted;
        }
    }
}
