//! The fuzz targets under a small mutator of our own, so that every test run tries a few thousand inputs.
//!
//! ```text
//! NOCTUARY_FUZZ_SECONDS=60 cargo test --release -p noctuary-tests --test sweeps fuzz:: -- --include-ignored --nocapture
//! ```
//!
//! runs each target for that long; without the variable a target takes about a second. An input follows from
//! its number alone: a failure prints the number, and `NOCTUARY_FUZZ_SEED=<number>` tries that input again.
//! The same targets run guided by coverage, where cargo-fuzz and a nightly compiler are installed:
//!
//! ```text
//! cargo test -p noctuary-tests --test sweeps fuzz:: -- --include-ignored
//! cargo +nightly fuzz run --fuzz-dir tests/fuzz replies -- -max_total_time=60
//! ```

mod seeds;
mod targets;

use noctuary_tests::common::dice::Dice;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

type Target = fn(&[u8]);

const TARGETS: [(&str, Target); 10] = [
    ("state_files", targets::state_files),
    ("sections", targets::sections),
    ("replies", targets::replies),
    ("sanitiser", targets::sanitiser),
    ("citations", targets::citations),
    ("sleeps", targets::sleeps),
    ("names", targets::names),
    ("tails", targets::tails),
    ("gate", targets::gate),
    ("normaliser", targets::normaliser),
];

/// Inputs that failed once.
const REGRESSIONS: &[(&str, &[u8])] = &[
    // A session without an id was `memory/2020-11-21-.md`, which reads back as no session.
    ("names", b""),
    // A citation of it was read with another bracket.
    ("names", "memory/2020-11-20＜x.md".as_bytes()),
    // A link whose target has brackets in brackets stayed a link.
    ("replies", b"\x01- [a](http://e/((x)))\n- [b](http://e/\\(x)\n- [c\\]d]: http://e"),
    // A time at the end of the calendar panicked under a day that begins late, or in the west.
    ("state_files", br#"0{"last_run_at":"-262143-01-01T00:00:00Z"}"#),
    ("state_files", br#"0{"last_run_at":"-262143-01-01T00:00:00Z"} "#),
    // A list of the operator that cannot be read whole is set aside, and begun anew.
    ("state_files", br#"1L2[{"log_filenames":["2020-11-20-repl.md"]}]"#),
];

#[test]
fn any_state_file_ends_a_night_well_or_in_an_error_and_loses_nothing() {
    run("state_files");
}

#[test]
fn any_memory_is_only_appended_to() {
    run("sections");
}

#[test]
fn any_reply_becomes_a_section_of_allowed_lines_or_nothing() {
    run("replies");
}

#[test]
fn any_answer_that_is_kept_holds_no_frame_and_is_clean_once() {
    run("sanitiser");
}

#[test]
fn any_citation_that_is_kept_was_shown() {
    run("citations");
}

#[test]
fn any_sleep_loses_no_line_forges_none_and_is_slept_once() {
    run("sleeps");
}

#[test]
fn any_name_is_refused_or_stays_inside_and_reads_back() {
    run("names");
}

#[test]
fn any_journal_is_shown_once_under_its_line_numbers() {
    run("tails");
}

#[test]
fn any_text_passes_the_gate_without_its_secrets() {
    run("gate");
}

#[test]
fn any_disguise_is_undone_inside_of_the_text() {
    run("normaliser");
}

#[test]
#[ignore = "writes the first inputs for cargo-fuzz into tests/fuzz/corpus"]
fn the_guided_fuzzer_begins_with_the_same_inputs() {
    for (name, _) in TARGETS {
        let folder = noctuary_tests::root().join("tests/fuzz/corpus").join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        for (number, seed) in first_inputs(name).iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number:04}")), seed).expect("a file");
        }
    }
}

fn first_inputs(name: &str) -> Vec<Vec<u8>> {
    let regressions = REGRESSIONS.iter().filter(|(target, _)| *target == name);
    regressions.map(|(_, input)| input.to_vec()).chain(seeds::of(name)).collect()
}

fn run(name: &str) {
    let target = TARGETS.iter().find(|(known, _)| *known == name).expect("a target").1;
    let first = first_inputs(name);
    let number = |variable| -> Option<u64> { Some(std::env::var(variable).ok()?.parse().expect("a number")) };
    if let Some(only) = number("NOCTUARY_FUZZ_SEED") {
        return check(name, target, only, &first);
    }
    let length = Duration::from_secs(number("NOCTUARY_FUZZ_SECONDS").unwrap_or(1));
    let begun = Instant::now();
    let mut tried = 0;
    while tried < first.len() as u64 || begun.elapsed() < length {
        check(name, target, tried, &first);
        tried += 1;
    }
    println!("{name}: {tried} inputs, {} of them first ones, 0 failures", first.len());
}

fn check(name: &str, target: Target, number: u64, first: &[Vec<u8>]) {
    let input = input(number, first);
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(&input))) {
        let shown: String = input.escape_ascii().take(4000).map(char::from).collect();
        println!("{name}: NOCTUARY_FUZZ_SEED={number} fails with {} bytes: b\"{shown}\"", input.len());
        resume_unwind(panic);
    }
}

/// The input of a number: the first ones as they are, then one of them or two, changed a few times.
fn input(number: u64, first: &[Vec<u8>]) -> Vec<u8> {
    if let Some(seed) = usize::try_from(number).ok().and_then(|number| first.get(number)) {
        return seed.clone();
    }
    let mut chance = Dice(number);
    let mut bytes = chance.pick(first);
    for _ in 0..=chance.below(6) {
        mutate(&mut bytes, first, &mut chance);
    }
    bytes.truncate(64 << 10);
    bytes
}

fn mutate(bytes: &mut Vec<u8>, first: &[Vec<u8>], chance: &mut Dice) {
    let from = chance.below(bytes.len() + 1);
    let to = (from + chance.below(1 + (bytes.len() - from).min(24))).min(bytes.len());
    match chance.below(8) {
        0 if from < bytes.len() => bytes[from] ^= 1 << chance.below(8),
        1 if from < bytes.len() => bytes[from] = u8::try_from(chance.below(256)).expect("a byte"),
        2 => drop(bytes.drain(from..to)),
        3 => bytes.truncate(from),
        4 => {
            let piece = bytes[from..to].repeat(1 + chance.below(40));
            bytes.splice(from..from, piece);
        }
        5 => {
            let other = chance.pick(first);
            let cut = chance.below(other.len() + 1);
            bytes.splice(from.., other[cut..].iter().copied());
        }
        _ => {
            let token = chance.pick(seeds::DICTIONARY).as_bytes();
            let token = &token[..token.len() - if chance.below(8) == 0 { token.len().min(1) } else { 0 }];
            let end = if chance.below(2) == 0 { to } else { from };
            bytes.splice(from..end, token.iter().copied());
        }
    }
}
