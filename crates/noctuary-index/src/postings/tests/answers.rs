//! The answers of an index that changes, is merged and is opened again.

use super::history::Kept;
use super::lines::Dice;
use super::model::check;
use crate::postings::partition::Partition;

#[test]
fn answers_are_those_of_scoring_every_row() {
    let queries = ask_through_histories(12, 20);
    assert!(queries >= 1_000, "{queries}");
}

#[test]
#[ignore = "takes minutes without optimization"]
fn ten_thousand_answers_are_those_of_scoring_every_row() {
    let queries = ask_through_histories(36, 5);
    assert!(queries >= 10_000, "{queries}");
}

/// Asks in histories of changes, after every so many; returns how many queries were compared.
fn ask_through_histories(histories: u64, apart: usize) -> usize {
    let mut queries = 0;
    for seed in 0..histories {
        let mut dice = Dice::new(seed + 1);
        let words = [12, 300, 4_000][seed as usize % 3];
        let mut kept = Kept::new(words);
        let churn = [0, 10, 50, 70][seed as usize % 4];
        let mut merges = 0;
        for step in 0..1_500 {
            kept.change(&mut dice, churn).expect("pages are in memory");
            merges = merges.max(kept.partition.merges.len());
            if step % apart == 0 {
                check(&kept.model, &kept.partition, &kept.pages, &mut dice, words)
                    .expect("pages are in memory");
                queries += 1;
            }
            if step % 250 == 99 {
                let mut opened = kept.reopened().expect("it was just saved");
                for index in [&mut opened, &mut kept.partition] {
                    while index.sweep(&mut kept.pages).expect("pages are in memory") {}
                }
                assert_eq!(opened.manifest(), kept.partition.manifest());
                for _ in 0..3 {
                    check(&kept.model, &opened, &kept.pages, &mut dice, words).expect("it was just saved");
                    queries += 1;
                }
                if step % 500 == 99 {
                    kept.partition = opened;
                }
            }
        }
        assert!(merges > 0, "no merge was under way");
    }
    queries
}

#[test]
fn an_index_made_anew_of_the_rows_answers_alike() {
    let mut dice = Dice::new(77);
    let mut kept = Kept::new(300);
    for _ in 0..2_000 {
        kept.change(&mut dice, 40).expect("pages are in memory");
    }
    let mut anew = Kept::new(300);
    for line in kept.model.rows.values() {
        anew.add(line.clone()).expect("pages are in memory");
    }
    for _ in 0..100 {
        check(&kept.model, &anew.partition, &anew.pages, &mut dice, 300).expect("pages are in memory");
    }
}

#[test]
fn a_reader_takes_in_what_another_one_wrote() {
    let mut dice = Dice::new(78);
    let mut kept = Kept::new(300);
    let mut reader = Partition::new(1 << 16);
    let mut seen = None;
    for step in 0..1_500 {
        kept.change(&mut dice, 40).expect("pages are in memory");
        if dice.below(20) > 0 {
            continue;
        }
        if seen != kept.manifest
            && let Some(manifest) = &kept.manifest
        {
            reader = reader.reopen(&kept.pages, manifest).expect("it was saved");
            seen = Some(manifest.clone());
        }
        let next = reader.number();
        for (_, record) in kept.log.iter().filter(|(number, _)| *number >= next) {
            reader.replay(&kept.pages, record).expect("it was written");
        }
        assert_eq!(reader.number(), kept.partition.number(), "{step}");
        check(&kept.model, &reader, &kept.pages, &mut dice, 300).expect("it was saved");
    }
}

#[test]
fn the_same_history_gives_the_same_bytes() {
    let history = || {
        let mut dice = Dice::new(5);
        let mut kept = Kept::new(300);
        for _ in 0..1_200 {
            kept.change(&mut dice, 40).expect("pages are in memory");
        }
        kept
    };
    let (one, mut other) = (history(), history());
    assert_eq!(one.manifest, other.manifest);
    assert!(one.pages.pages == other.pages.pages);
    let mut dice = Dice::new(6);
    other.change(&mut dice, 0).expect("pages are in memory");
    assert_ne!(one.log, other.log);
}
