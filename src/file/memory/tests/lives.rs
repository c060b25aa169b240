//! Random lives, with and without a table.

use std::sync::Arc;

use super::life::{Dice, NEVER, TABLE, act, at, bare, human, lived, on, open, told};
use crate::MemoryStore;
use crate::testing::MemoryDisk;

const LIVES: u64 = 200;

#[test]
#[ignore = "sweep"]
fn two_hundred_lives_are_told_the_same_with_a_table_and_without() {
    let mut tables = 0;
    for seed in 0..LIVES {
        let (with, without) = (MemoryDisk::new(), MemoryDisk::new());
        let (mut one, other) = (open(&with, 3 + usize::try_from(seed % 9).unwrap()), open(&without, NEVER));
        let (mut dice, mut others) = (Dice::of(seed), Dice::of(seed));
        let acts = 30 + i64::try_from(seed % 50).unwrap();
        for minute in 0..acts {
            act(&one, &mut dice, minute);
            act(&other, &mut others, minute);
            if minute % 16 == 15 {
                one = open(&with, 4);
            }
        }
        assert_eq!(told(&one), told(&other), "seed {seed}");
        let plain = open(&bare(&with), NEVER);
        for (what, store) in [("again", open(&with, 4)), ("without its table", plain)] {
            assert_eq!(told(&store), told(&other), "seed {seed}, {what}");
        }
        assert!(!without.files().contains_key(TABLE));
        tables += usize::from(with.files().contains_key(TABLE));
    }
    assert!(tables > 150, "{tables} lives end with a table");
}

#[test]
#[ignore = "sweep"]
fn two_handles_that_write_in_turn_see_what_the_other_wrote() {
    for seed in 0..30 {
        let (disk, without) = (MemoryDisk::new(), MemoryDisk::new());
        let (stores, plain) = ([open(&disk, 3), open(&disk, 5)], open(&without, NEVER));
        let (mut dice, mut others) = (Dice::of(seed), Dice::of(seed));
        for minute in 0..80_i64 {
            let turn = usize::try_from(minute / 7 % 2).unwrap();
            act(&stores[turn], &mut dice, minute);
            act(&plain, &mut others, minute);
            if minute % 20 == 19 {
                let expected = told(&plain);
                assert!(stores.iter().all(|store| told(store) == expected), "seed {seed} at {minute}");
            }
        }
    }
}

// Another process may remove the pages that this one reads.
#[test]
fn a_reader_goes_on_where_the_table_and_the_pages_are_gone() {
    for seed in 0..10 {
        let disk = lived(seed, 70, 4);
        let before = told(&open(&bare(&disk), NEVER));
        let reader = open(&disk, 4);
        for path in disk.files().keys().filter(|path| path.contains("memories.words") || *path == TABLE) {
            let disk: &dyn crate::disk::Disk = &disk;
            disk.unlink(path).unwrap();
        }
        assert_eq!(told(&reader), before, "seed {seed}");
    }
}

#[test]
fn a_large_file_without_a_table_gets_one_when_it_is_opened() {
    let disk = bare(&lived(3, 60, NEVER));
    let store = open(&disk, 5);
    assert!(disk.files().contains_key(TABLE));
    assert_eq!(told(&store), told(&on(Arc::new(disk), 5)));
    assert!(store.list(&human(), &crate::memory::Filter::limit(1)).unwrap()[0].updated_at <= at(60));
}
