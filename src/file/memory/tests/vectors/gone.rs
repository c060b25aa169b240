//! The vector of a text that is removed for good is in no file.

use super::super::life::{FILE, NEVER, agent, at, human, open};
use super::{SIDECAR, embed, found, made_anew, model, write};
use crate::base::receipt::ForgetPlace;
use crate::embed::Embedder;
use crate::memory::MemoryId;
use crate::testing::MemoryDisk;
use crate::vectors::VectorStore;
use crate::{FileMemoryStore, MemoryStore};

/// A store with some rows, and one more, of which it returns the vector as the file has it.
fn begun(disk: &MemoryDisk) -> (FileMemoryStore, MemoryId, Vec<u8>) {
    let store = open(disk, NEVER);
    for minute in 0..9 {
        write(&store, &format!("green tea number {minute}"), minute);
    }
    embed(&store, &model(0));
    let id = write(&store, "the smuggler Jan sold us a boat", 10);
    embed(&store, &model(0));
    let bytes = disk.files()[SIDECAR].clone();
    // Behind it is the checksum of its record.
    let end = bytes.len() - 8;
    (store, id, bytes[end - 37..end].to_vec())
}

fn files_with(disk: &MemoryDisk, vector: &[u8]) -> Vec<String> {
    let holds = |bytes: &[u8]| bytes.windows(vector.len()).any(|part| part == vector);
    disk.files().into_iter().filter(|(_, bytes)| holds(bytes)).map(|(path, _)| path).collect()
}

#[test]
fn a_forgotten_row_leaves_no_byte_of_its_vector() {
    let disk = MemoryDisk::new();
    let (store, _, vector) = begun(&disk);
    // What a killed process left of writing the file anew.
    let aside = format!(".dreaming.d/.noctuary-{}.tmp", "0123456789abcdef".repeat(2));
    disk.put(&aside, &disk.files()[SIDECAR]);
    assert_eq!(files_with(&disk, &vector), [aside.as_str(), SIDECAR]);
    let receipts = store.forget(&human(), "the smuggler Jan sold us a boat", at(20)).unwrap();
    let line = receipts.iter().find(|line| line.place == ForgetPlace::Vectors).unwrap();
    assert_eq!((line.found, line.removed), (1, 1));
    assert_eq!(files_with(&disk, &vector), [""; 0]);
    let status = store.embedding_status(model(0).id()).unwrap();
    assert_eq!((status.embedded, status.pending), (9, 0), "those of others stay");
    assert_eq!(found(&store, &model(0)), made_anew(&disk, &model(0)));
}

// It says something else now, or is deleted: its earlier vector is of no use, and leaves with its words.
#[test]
fn earlier_vectors_of_a_row_leave_with_its_words() {
    for is_purged in [false, true] {
        let disk = MemoryDisk::new();
        let (store, id, vector) = begun(&disk);
        if is_purged {
            store.delete(&agent(), id, at(20)).unwrap();
            assert_eq!(store.purge(at(30), at(31)).unwrap(), 1);
        } else {
            store.update(&agent(), id, "a boat was sold", at(20)).unwrap();
            embed(&store, &model(0));
            store.forget(&human(), "the smuggler Jan", at(30)).unwrap();
        }
        assert_eq!(files_with(&disk, &vector), [""; 0]);
        assert_eq!(found(&store, &model(0)), made_anew(&disk, &model(0)));
    }
}

#[test]
fn the_vectors_of_a_model_that_is_replaced_leave_the_file() {
    let disk = MemoryDisk::new();
    let (store, _, vector) = begun(&disk);
    embed(&store, &model(1));
    assert_eq!(files_with(&disk, &vector), [""; 0]);
    assert_eq!(found(&store, &model(1)), made_anew(&disk, &model(1)));
}

// Before the lines: whoever is killed between both leaves rows that wait, and no vector without its row.
#[test]
fn a_vector_leaves_before_the_words_of_its_row() {
    let disk = MemoryDisk::new();
    let (store, _, vector) = begun(&disk);
    let before = disk.operations().len();
    store.forget(&human(), "the smuggler Jan sold us a boat", at(20)).unwrap();
    for n in before..=disk.operations().len() {
        let left = disk.after_kill(n);
        let says = String::from_utf8_lossy(&left.files()[FILE]).contains("smuggler");
        let has = left.files().get(SIDECAR).is_some_and(|bytes| bytes.windows(37).any(|part| part == vector));
        assert!(says || !has, "after {n} operations");
        assert_eq!(open(&left, NEVER).embedding_status(model(0).id()).unwrap().embedded, 9 + u64::from(has));
    }
}
