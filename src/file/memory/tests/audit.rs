//! The audit, which is read from the end of the file in pieces.

use super::life::{Dice, NEVER, agent, at, human, open};
use crate::MemoryStore;
use crate::memory::{MemoryId, NewMemory, Source};
use crate::testing::MemoryDisk;

// It once read the whole file for its last lines.
#[test]
fn the_audit_tells_the_latest_entries_wherever_a_piece_ends() {
    let mut dice = Dice::of(5);
    let store = open(&MemoryDisk::default(), NEVER);
    let mut done: Vec<(&str, MemoryId)> = Vec::new();
    for minute in 0..60 {
        let words = usize::try_from(dice.roll(60)).unwrap() + 1;
        let content = format!("number {minute} {}", "harbour ".repeat(words));
        let new = NewMemory::new("observation", content, Source::AgentRecorded);
        let id = store.write(&agent(), &new, at(minute)).unwrap();
        done.push(("memory_write", id));
        if minute % 7 == 3 {
            store.delete(&agent(), id, at(minute)).unwrap();
            done.push(("memory_delete", id));
        }
    }
    done.reverse();
    for limit in (0..done.len() + 2).chain([usize::MAX]) {
        let told = store.audit(&human(), limit).unwrap();
        let told: Vec<_> = told.iter().map(|entry| (entry.action.as_str(), entry.id.unwrap())).collect();
        assert_eq!(told, done[..limit.min(done.len())], "{limit}");
    }
}
