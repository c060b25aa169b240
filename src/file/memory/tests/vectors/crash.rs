//! Each operation of filling, swapping and forgetting may fail, or be the last one of its process.

use std::io::ErrorKind;
use std::sync::Arc;

use super::super::life::{FILE, NEVER, agent, at, human, on, open};
use super::{embed, found, made_anew, model};
use crate::memory::{MemoryId, NewMemory, Source};
use crate::testing::{CrashOutcome, Fault, Faults, FaultyDisk, MemoryDisk};
use crate::vectors::{EmbedConfig, embed_once};
use crate::{FileMemoryStore, MemoryStore};

const WORDS: [&str; 8] = ["green", "tea", "Porto", "boat", "slippage", "dogs", "pier", "garden"];

fn text(number: usize) -> String {
    format!("the {} and the {} number {number}", WORDS[number % 8], WORDS[number / 8 % 8])
}

/// Makes a step of a history: rows come, change, leave and return. Passes with small batches use one model, then the next.
fn step(store: &FileMemoryStore, number: usize) -> crate::Result<()> {
    let id = MemoryId::new(i64::try_from(1 + number / 2).unwrap());
    let now = at(i64::try_from(number).unwrap());
    match number % 12 {
        1 => store.update(&agent(), id, &text(number + 1_000), now).map(drop),
        3 => store.delete(&agent(), id, now).map(drop),
        5 if number % 24 > 12 => store.restore(&agent(), MemoryId::new(id.get() - 7), now).map(drop),
        7 => store.purge(at(i64::try_from(number).unwrap() - 9), now).map(drop),
        9 => store.forget(&human(), &format!("number {}", number - 4), now).map(drop),
        4 | 6 | 10 => {
            let config = EmbedConfig::default().texts(3).requests(1 + 8 * u32::from(number % 12 == 10));
            embed_once(store, &model(number / 24), &config).map(drop)
        }
        _ => {
            let row = NewMemory::new("observation", text(number), Source::AgentRecorded);
            let row = if number.is_multiple_of(3) { row.shared() } else { row };
            store.write(&agent(), &row, now).map(drop)
        }
    }
}

/// Enough steps to fill three generations and swap them.
const STEPS: usize = 60;

/// A new store finds whole data, and a pass ends interrupted work. Then all is as if it had been made at once.
fn check(disk: &MemoryDisk, last: usize, what: &str) {
    if !disk.files().contains_key(FILE) {
        return;
    }
    let (store, model) = (open(disk, NEVER), model(last / 24));
    found(&store, &model);
    embed(&store, &model);
    let expected = made_anew(disk, &model);
    assert_eq!(found(&store, &model), expected, "{what}");
    assert_eq!(found(&open(disk, NEVER), &model), expected, "{what}, opened again");
}

#[test]
fn each_operation_of_filling_swapping_and_forgetting_may_fail() {
    let (disk, faults) = (MemoryDisk::new(), Faults::new());
    let store = on(Arc::new(FaultyDisk::new(Arc::new(disk.clone()), faults.clone())), 16);
    let (mut failed, mut tried) = (0, 0_u64);
    for number in 0..STEPS {
        for n in 1.. {
            faults.arm(n, Fault::Error(ErrorKind::StorageFull));
            let done = step(&store, number);
            let is_over = (faults.seen().len() as u64) < n;
            faults.disarm();
            if is_over {
                done.unwrap();
                break;
            }
            failed += u64::from(done.is_err());
            tried += 1;
            if tried % 24 == 0 && disk.files().contains_key(FILE) {
                // What is in memory is what a store that begins reads.
                let model = model(number / 24);
                assert_eq!(
                    found(&store, &model),
                    found(&open(&disk, NEVER), &model),
                    "step {number}, operation {n}"
                );
            }
        }
    }
    assert!(failed > 300, "{failed} of {tried}");
    check(&disk, STEPS - 1, "the end");
}

#[test]
#[ignore = "sweep"]
fn the_process_may_be_killed_and_the_power_may_go_after_each_operation() {
    let disk = MemoryDisk::new();
    let store = open(&disk, NEVER);
    let mut done = Vec::new();
    for number in 0..STEPS {
        step(&store, number).unwrap();
        done.push(disk.operations().len());
    }
    let (operations, all) = (disk.operations(), disk.operations().len());
    let mut tried = 0;
    for n in 1..=all {
        // Those of lines alone are tried elsewhere.
        let is_near =
            operations[n.saturating_sub(6)..all.min(n + 2)].iter().any(|one| one.contains("vectors"));
        if !is_near {
            continue;
        }
        let last = done.partition_point(|end| *end < n);
        let what = format!("{n}: {}", operations[n - 1]);
        if n % 2 == 0 {
            check(&disk.after_kill(n), last, &format!("killed after {what}"));
        } else {
            let loss = disk.power_loss(n);
            let fate = [CrashOutcome::Lost, CrashOutcome::Kept, CrashOutcome::Torn][n / 2 % 3];
            let choices = loss.choices();
            let fates = choices.iter().map(|all| if all.contains(&fate) { fate } else { CrashOutcome::Lost });
            let fates: Vec<CrashOutcome> = fates.collect();
            check(&loss.image(&fates), last, &format!("the power went after {what}"));
        }
        tried += 1;
    }
    assert!(tried > 100, "{tried}");
}
