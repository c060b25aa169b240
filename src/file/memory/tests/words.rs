//! A word that left the lines is in no file.

use super::life::{Dice, FILE, TABLE, act, agent, at, human, open};
use crate::memory::{NewMemory, Place, Role, Source};
use crate::testing::MemoryDisk;
use crate::{FileMemoryStore, MemoryStore};

const WORD: &str = "quokkazebra";

fn files_with(disk: &MemoryDisk, word: &str) -> Vec<String> {
    let holds = |bytes: &[u8]| bytes.windows(word.len()).any(|part| part == word.as_bytes());
    disk.files().into_iter().filter(|(_, bytes)| holds(bytes)).map(|(path, _)| path).collect()
}

/// A store with a word in many places, and others around.
fn furnished(disk: &MemoryDisk) -> FileMemoryStore {
    let store = open(disk, 4);
    let mut dice = Dice::of(31);
    (0..60).for_each(|minute| act(&store, &mut dice, minute));
    let row = |text: &str| NewMemory::new("note", text, Source::AgentRecorded);
    let secret = format!("the name is {WORD} here");
    let place = Place {
        session: format!("with {WORD}"),
        position: 1,
        role: Role::User,
        speaker: Some(WORD.to_owned()),
        said_at: None,
    };
    let gone = store.write(&agent(), &row(&secret), at(100)).unwrap();
    store
        .write(&agent(), &row("plain").at(place).metadata(serde_json::json!({ "a": secret })), at(101))
        .unwrap();
    let edited = store.write(&agent(), &row(&secret), at(102)).unwrap();
    store.update(&agent(), edited, "says something else now", at(103)).unwrap();
    store.delete(&agent(), gone, at(104)).unwrap();
    store.set_profile(&human(), "pet", &secret, at(105)).unwrap();
    (200..230).for_each(|minute| act(&store, &mut dice, minute));
    for minute in 300..310 {
        store.write(&agent(), &row("more words behind it"), at(minute)).unwrap();
    }
    assert!(files_with(disk, WORD).contains(&FILE.to_owned()));
    store
}

#[test]
fn a_forgotten_word_is_in_no_file() {
    let disk = MemoryDisk::new();
    let store = furnished(&disk);
    assert!(files_with(&disk, WORD).len() > 1, "the index has it too");
    for statement in [format!("the name is {WORD} here"), format!("with {WORD}"), WORD.to_owned()] {
        store.forget(&human(), &statement, at(400)).unwrap();
    }
    assert_eq!(files_with(&disk, WORD), [""; 0]);
    assert!(disk.files().contains_key(TABLE));
}

#[test]
fn the_words_of_purged_rows_are_in_no_file_that_was_derived() {
    let disk = MemoryDisk::new();
    let store = open(&disk, 4);
    let row = |text: String| NewMemory::new("note", text, Source::AgentRecorded);
    let mut ids = Vec::new();
    for minute in 0..40_i64 {
        let mut row = row(format!("{WORD} number {minute}"));
        row.place = Some(Place {
            session: format!("{WORD} talks"),
            position: minute.unsigned_abs(),
            role: Role::User,
            speaker: Some(format!("Mrs {WORD}")),
            said_at: None,
        });
        ids.push(store.write(&agent(), &row, at(minute)).unwrap());
        store
            .write(&agent(), &NewMemory::new("note", "something else", Source::AgentRecorded), at(minute))
            .unwrap();
    }
    assert!(files_with(&disk, WORD).len() > 2);
    for id in ids {
        store.delete(&agent(), id, at(100)).unwrap();
    }
    assert_eq!(store.purge(at(200), at(201)).unwrap(), 40);
    assert_eq!(files_with(&disk, WORD), [""; 0]);
    assert!(disk.files().contains_key(TABLE));
}

// Where nothing says it, no line is written anew.
#[test]
fn a_statement_that_is_nowhere_is_one_line_more() {
    let disk = MemoryDisk::new();
    let store = furnished(&disk);
    let before = disk.files()[FILE].clone();
    store.forget(&human(), "nobody ever said violet giraffes", at(400)).unwrap();
    let after = disk.files()[FILE].clone();
    assert!(after.starts_with(&before));
    assert_eq!(after[before.len()..].split_inclusive(|byte| *byte == b'\n').count(), 1);
}
