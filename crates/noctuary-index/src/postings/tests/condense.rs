//! An index that is condensed has all rows that stand, and no word of another one.

use super::history::Kept;
use super::lines::{Dice, Line};
use super::model::check;

#[test]
fn a_condensed_index_answers_alike_and_has_no_term_of_a_removed_row() {
    let mut condensed = 0;
    for seed in 0..12 {
        let mut dice = Dice::new(seed + 200);
        let mut kept = Kept::new(300);
        let churn = [0, 20, 60, 95][seed as usize % 4];
        for step in 0..900 {
            kept.change(&mut dice, churn).expect("pages are in memory");
            if step % 90 != 89 {
                continue;
            }
            let line =
                Line { terms: vec![("canary".to_owned(), 1)], ..Line::random(&mut dice, kept.next + 1, 300) };
            kept.next += 1;
            kept.add(line).expect("pages are in memory");
            for _ in 0..dice.below(40) {
                kept.change(&mut dice, churn).expect("pages are in memory");
            }
            let canaries: Vec<i64> = kept
                .model
                .rows
                .values()
                .filter(|line| line.terms.iter().any(|(term, _)| term == "canary"))
                .map(|line| line.id)
                .collect();
            for id in canaries {
                kept.remove(id).expect("pages are in memory");
            }
            if kept.partition.holds_removed() {
                kept.condense().expect("pages are in memory");
                assert!(!kept.partition.holds_removed() && kept.log.is_empty());
                assert!(kept.partition.segments.len() <= 1);
                condensed += 1;
            }
            let held: Vec<u8> =
                kept.pages.pages.values().flat_map(|pages| pages.values()).flatten().copied().collect();
            let saved = kept.manifest.clone().unwrap_or_default();
            let log = kept.log.iter().flat_map(|(_, record)| record).copied().collect();
            for bytes in [held, saved, log] {
                assert!(!bytes.windows(6).any(|bytes| bytes == b"canary"), "{seed} {step}");
            }
            let opened = kept.reopened().expect("it was just saved");
            for index in [&opened, &kept.partition] {
                for _ in 0..3 {
                    check(&kept.model, index, &kept.pages, &mut dice, 300).expect("it was saved");
                }
            }
        }
    }
    assert!(condensed > 100, "{condensed}");
}
