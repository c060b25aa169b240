//! The vectors beside the lines. Whatever happens to them and to the rows, the used vectors are those of the present rows.

mod crash;
mod damage;
mod gone;

use std::sync::Arc;

use super::life::{Dice, FILE, NEVER, act, agent, at, bare, on, open};
use crate::embed::{Embedder, Purpose};
use crate::memory::{Found, MemoryId, NewMemory, Query, Source};
use crate::testing::{Faults, FaultyDisk, HashEmbedder, MemoryDisk};
use crate::vectors::{EmbedConfig, VectorStore, embed_once};
use crate::{Access, FileMemoryStore, MemoryStore, SessionKind};

const SIDECAR: &str = ".dreaming.d/memories.vectors";

/// A model of a name: another one is another generation.
fn model(number: usize) -> HashEmbedder {
    HashEmbedder::new(32).named(&format!("hash-{number}")).alike(&["green", "verde"])
}

fn search(store: &FileMemoryStore, access: &Access, model: &HashEmbedder, text: &str) -> Found {
    let vector = model.embed(&[text], Purpose::Query).unwrap().remove(0);
    store.search(access, &Query::new(text).vector(model.id(), vector).limit(500)).unwrap()
}

/// Returns what a model finds, alone and with others present.
fn found(store: &FileMemoryStore, model: &HashEmbedder) -> Vec<Found> {
    let shared = Access { kind: SessionKind::Shared, ..agent() };
    let questions = ["verde tea", "dogs running", "trains in Porto", "orders of the slippage", "the boat"];
    let ask = |access: &Access| questions.map(|text| search(store, access, model, text));
    [agent(), shared].iter().flat_map(ask).collect()
}

/// Gives all rows their vectors.
fn embed(store: &FileMemoryStore, model: &HashEmbedder) {
    let report = embed_once(store, model, &EmbedConfig::default().texts(5)).unwrap();
    assert!(report.serves && report.status.pending == 0 && report.status.failed == 0, "{report:?}");
    assert_eq!(report.status.generations, [model.id().generation()]);
}

/// Returns what the same lines find with vectors that are all made anew.
fn made_anew(disk: &MemoryDisk, model: &HashEmbedder) -> Vec<Found> {
    let store = open(&bare(disk), NEVER);
    embed(&store, model);
    found(&store, model)
}

fn write(store: &FileMemoryStore, text: &str, minute: i64) -> MemoryId {
    store.write(&agent(), &NewMemory::new("note", text, Source::AgentRecorded), at(minute)).unwrap()
}

#[test]
#[ignore = "sweep"]
fn whatever_happens_to_rows_their_vectors_are_those_of_what_they_say() {
    for seed in 0..40 {
        let disk = MemoryDisk::new();
        let stores = [open(&disk, 4), open(&disk, 5)];
        let mut dice = Dice::of(seed);
        for minute in 0..80_i64 {
            let store = &stores[usize::try_from(minute / 9 % 2).unwrap()];
            act(store, &mut dice, minute);
            let model = model(usize::try_from(minute / 40).unwrap());
            if dice.roll(4) == 0 {
                let requests = 1 + u32::try_from(dice.roll(3)).unwrap();
                embed_once(store, &model, &EmbedConfig::default().texts(3).requests(requests)).unwrap();
            }
            if minute % 10 == 9 && disk.files().contains_key(FILE) {
                let fresh = found(&open(&disk, NEVER), &model);
                for store in &stores {
                    assert_eq!(found(store, &model), fresh, "seed {seed} at {minute}");
                }
            }
        }
        let model = model(1);
        embed(&stores[1], &model);
        let expected = made_anew(&disk, &model);
        for store in [&stores[0], &stores[1], &open(&disk, 4)] {
            assert_eq!(found(store, &model), expected, "seed {seed}");
        }
    }
}

// The same instant twice, the same words again, and a life between: none of them makes an old vector count.
#[test]
fn a_row_waits_after_each_change_of_what_it_says_and_each_return() {
    let (disk, model) = (MemoryDisk::new(), model(0));
    let store = open(&disk, 4);
    let id = write(&store, "green tea in the morning", 0);
    let pending = |what: &str| {
        let others = [&store, &open(&disk, NEVER), &open(&bare_with_vectors(&disk), NEVER)];
        for store in others {
            let status = store.embedding_status(model.id()).unwrap();
            assert_eq!((status.pending, status.embedded), (1, 0), "{what}");
        }
        embed(&store, &model);
    };
    pending("new");
    store.update(&agent(), id, "black tea in the morning", at(0)).unwrap();
    pending("changed at once");
    store.update(&agent(), id, "green tea in the morning", at(1)).unwrap();
    pending("as it was");
    store.delete(&agent(), id, at(2)).unwrap();
    store.restore(&agent(), id, at(2)).unwrap();
    pending("back");
    store.pin(&agent(), id, true, at(3)).unwrap();
    assert_eq!(store.embedding_status(model.id()).unwrap().embedded, 1, "no word of it changed");
}

/// Returns a disk with the same lines and vectors, and no table.
fn bare_with_vectors(disk: &MemoryDisk) -> MemoryDisk {
    let copy = bare(disk);
    if let Some(bytes) = disk.files().get(SIDECAR) {
        copy.put(SIDECAR, bytes);
    }
    copy
}

#[test]
fn a_file_of_vectors_does_not_grow_with_what_is_of_no_use() {
    let (disk, model) = (MemoryDisk::new(), model(0));
    let store = open(&disk, NEVER);
    let ids: Vec<MemoryId> =
        (0..20).map(|minute| write(&store, &format!("green tea {minute}"), minute)).collect();
    embed(&store, &model);
    let begun = disk.files()[SIDECAR].len();
    for minute in 100..140 {
        for id in &ids {
            store.update(&agent(), *id, &format!("the boat {id} at {minute}"), at(minute)).unwrap();
        }
        embed(&store, &model);
        let now = disk.files()[SIDECAR].len();
        assert!(now < begun * 4, "{now} bytes after {begun}");
    }
    assert_eq!(found(&store, &model), made_anew(&disk, &model));
}

// Who has no embedder pays nothing for those who have one. (CF-08)
#[test]
fn nobody_looks_for_vectors_who_asks_for_none() {
    let (disk, faults) = (MemoryDisk::new(), Faults::new());
    let store = on(Arc::new(FaultyDisk::new(Arc::new(disk.clone()), faults.clone())), 4);
    let id = write(&store, "green tea in the morning", 0);
    for minute in 1..20 {
        write(&store, "the boat in Porto", minute);
    }
    store.update(&agent(), id, "black tea in the morning", at(30)).unwrap();
    store.delete(&agent(), id, at(31)).unwrap();
    store.restore(&agent(), id, at(32)).unwrap();
    store.search(&agent(), &Query::new("the boat")).unwrap();
    store.snapshot(&agent(), 9, at(33)).unwrap();
    drop(on(Arc::new(FaultyDisk::new(Arc::new(disk.clone()), faults.clone())), 4));
    let seen = faults.seen();
    assert!(seen.len() > 40 && seen.iter().all(|operation| !operation.contains("vectors")), "{seen:?}");
    assert!(!disk.files().contains_key(SIDECAR));
}

#[test]
fn what_another_process_adds_is_read_and_no_more() {
    let (disk, faults, model) = (MemoryDisk::new(), Faults::new(), model(0));
    let (other, store) =
        (open(&disk, NEVER), on(Arc::new(FaultyDisk::new(Arc::new(disk.clone()), faults.clone())), NEVER));
    for minute in 0..30 {
        write(&other, &format!("green tea {minute}"), minute);
    }
    embed(&other, &model);
    search(&store, &agent(), &model, "verde");
    let read = || {
        faults
            .seen()
            .iter()
            .filter(|operation| operation.starts_with("read .dreaming.d/memories.vectors"))
            .count()
    };
    faults.disarm();
    search(&store, &agent(), &model, "verde");
    let again = read();
    write(&other, "the boat in Porto", 50);
    embed(&other, &model);
    faults.disarm();
    assert_eq!(search(&store, &agent(), &model, "the boat").hits[0].memory.content, "the boat in Porto");
    assert!(read() <= again + 4, "{:?}", faults.seen());
}

// Whoever reads rows, and then vectors, may see a vector before its row.
#[test]
fn a_store_that_searches_while_another_writes_and_embeds_finds_all_in_the_end() {
    let (disk, model) = (MemoryDisk::new(), model(0));
    let (reader, writer) = (open(&disk, NEVER), open(&disk, NEVER));
    write(&writer, "green tea in the morning", 0);
    embed(&writer, &model);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for minute in 1..120 {
                write(&writer, &format!("green boat number {minute}"), minute);
                embed(&writer, &model);
            }
        });
        while !writing.is_finished() {
            search(&reader, &agent(), &model, "verde");
        }
    });
    assert_eq!(found(&reader, &model), found(&open(&disk, NEVER), &model));
}
