//! Each operation of a checkpoint may fail, or be the last one of its process.

use std::io::ErrorKind;
use std::sync::Arc;

use super::life::{Dice, NEVER, act, agent, at, bare, copy, human, lived, on, open, told};
use crate::MemoryStore;
use crate::memory::{NewMemory, Source};
use crate::testing::{Fault, Faults, FaultyDisk, MemoryDisk};

/// Compares what a store tells with what its lines alone tell.
fn check(disk: &MemoryDisk, what: &str) {
    let plain = open(&bare(disk), NEVER);
    assert_eq!(told(&open(disk, 4)), told(&plain), "{what}");
}

fn each_operation(begin: impl Fn() -> MemoryDisk, run: impl Fn(&crate::FileMemoryStore) -> bool) -> usize {
    let life = begin();
    let (disk, faults) = (copy(&life), Faults::new());
    let store = on(Arc::new(FaultyDisk::new(Arc::new(disk), faults.clone())), 4);
    faults.disarm();
    assert!(run(&store));
    let operations = faults.seen();
    for n in 1..=operations.len() as u64 {
        for fault in [Fault::Error(ErrorKind::StorageFull), Fault::Crash] {
            let (disk, faults) = (copy(&life), Faults::new());
            let store = on(Arc::new(FaultyDisk::new(Arc::new(disk.clone()), faults.clone())), 4);
            faults.arm(n, fault);
            run(&store);
            faults.disarm();
            let what = format!("{fault:?} at {n}: {}", operations[usize::try_from(n - 1).unwrap()]);
            check(&disk, &what);
            if fault != Fault::Crash {
                // The same handle goes on.
                let mut dice = Dice::of(n);
                (500..508).for_each(|minute| act(&store, &mut dice, minute));
                assert_eq!(told(&store), told(&open(&bare(&disk), NEVER)), "{what}, later");
                check(&disk, &format!("{what}, later"));
            }
        }
    }
    operations.len()
}

#[test]
#[ignore = "sweep"]
fn each_operation_of_a_checkpoint_and_of_a_merge_may_fail() {
    let row = |minute: i64| NewMemory::new("note", format!("green tea {minute}"), Source::AgentRecorded);
    let operations = each_operation(
        || lived(21, 70, 4),
        |store| {
            (300..308).filter(|minute| store.write(&agent(), &row(*minute), at(*minute)).is_ok()).count() == 8
        },
    );
    assert!(operations > 40, "{operations}");
}

#[test]
#[ignore = "sweep"]
fn each_operation_of_a_forgetting_and_of_a_purge_may_fail() {
    let begin = || {
        let disk = lived(22, 30, 4);
        let store = open(&disk, 4);
        for minute in 200..206 {
            let row = NewMemory::new("note", "my landlord is Jan", Source::AgentRecorded);
            let id = store.write(&agent(), &row, at(minute)).unwrap();
            if minute > 203 {
                store.delete(&agent(), id, at(minute)).unwrap();
            }
        }
        disk
    };
    let forget = |store: &crate::FileMemoryStore| store.forget(&human(), "landlord is Jan", at(400)).is_ok();
    let purge = |store: &crate::FileMemoryStore| store.purge(at(400), at(401)).is_ok();
    assert!(each_operation(begin, forget) > 10);
    assert!(each_operation(begin, purge) > 10);
}
