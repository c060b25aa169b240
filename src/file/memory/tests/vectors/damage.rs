//! A file of vectors that is gone, torn, damaged, or of something else.

use std::sync::Arc;

use super::super::life::{NEVER, agent, on, open};
use super::{SIDECAR, bare_with_vectors, embed, found, made_anew, model, search, write};
use crate::MemoryStore;
use crate::disk::Disk;
use crate::embed::Embedder;
use crate::memory::{Degraded, Query, SearchOutcome};
use crate::testing::{Fault, Faults, FaultyDisk, MemoryDisk};
use crate::vectors::VectorStore;

/// A disk with vectors of all rows.
fn begun() -> MemoryDisk {
    let disk = MemoryDisk::new();
    let store = open(&disk, NEVER);
    for minute in 0..12 {
        write(&store, &format!("green tea number {minute}"), minute);
        write(&store, &format!("a boat to Porto on day {minute}"), minute);
    }
    embed(&store, &model(0));
    disk
}

/// Rows are found by words at least. A pass mends the rest, and a store that was open all the time agrees.
fn goes_on(disk: &MemoryDisk, what: &str) {
    let (store, model) = (open(disk, NEVER), model(0));
    let found_now = search(&store, &agent(), &model, "a boat on day 7");
    assert!(found_now.hits.iter().any(|hit| hit.memory.content == "a boat to Porto on day 7"), "{what}");
    embed(&store, &model);
    let expected = made_anew(disk, &model);
    assert_eq!(found(&store, &model), expected, "{what}");
    assert_eq!(found(&open(disk, NEVER), &model), expected, "{what}, opened again");
}

#[test]
#[ignore = "sweep"]
fn whatever_is_cut_or_flipped_waits_again_and_no_more() {
    let disk = begun();
    let bytes = disk.files()[SIDECAR].clone();
    let stays = found(&open(&disk, NEVER), &model(0));
    for at in (0..bytes.len()).step_by(29).chain([bytes.len() - 1]) {
        let cut = bare_with_vectors(&disk);
        cut.put(SIDECAR, &bytes[..at]);
        goes_on(&cut, &format!("cut at {at}"));
        let flipped = bare_with_vectors(&disk);
        let mut other = bytes.clone();
        other[at] ^= 0x20;
        flipped.put(SIDECAR, &other);
        goes_on(&flipped, &format!("another byte at {at}"));
    }
    let longer = bare_with_vectors(&disk);
    longer.put(SIDECAR, [&bytes[..], b"something else"].concat());
    assert_eq!(found(&open(&longer, NEVER), &model(0)), stays, "what is whole counts");
    goes_on(&longer, "something stands behind it");
}

#[test]
fn a_file_of_another_kind_or_another_folder_gives_no_vector() {
    let disk = begun();
    let bytes = disk.files()[SIDECAR].clone();
    for other in [&b""[..], b"no vectors at all", b"noctvec\x02 of a newer version"] {
        let copy = bare_with_vectors(&disk);
        copy.put(SIDECAR, other);
        let store = open(&copy, NEVER);
        assert_eq!(store.embedding_status(model(0).id()).unwrap().pending, 24);
        let outcome = search(&store, &agent(), &model(0), "verde").outcome;
        assert_eq!(outcome, SearchOutcome::Degraded(Degraded::Missing));
        goes_on(&copy, "another file");
    }
    // The same rows with other words.
    let another = MemoryDisk::new();
    let store = open(&another, NEVER);
    for minute in 0..24 {
        write(&store, &format!("an old piano number {minute}"), minute);
    }
    another.put(SIDECAR, &bytes);
    let status = open(&another, NEVER).embedding_status(model(0).id()).unwrap();
    assert_eq!((status.pending, status.embedded), (24, 0));
}

#[test]
fn a_store_that_is_open_sees_that_the_file_is_gone_or_another() {
    let (disk, model) = (begun(), model(0));
    let store = open(&disk, NEVER);
    let before = found(&store, &model);
    let bytes = disk.files()[SIDECAR].clone();
    (&disk as &dyn Disk).unlink(SIDECAR).unwrap();
    assert_eq!(search(&store, &agent(), &model, "verde").outcome, SearchOutcome::Degraded(Degraded::Missing));
    disk.put(SIDECAR, &bytes);
    assert_eq!(found(&store, &model), before);
    (&disk as &dyn Disk).unlink(SIDECAR).unwrap();
    embed(&store, &model);
    assert_eq!(found(&store, &model), before);
}

// A search never fails because of vectors.
#[test]
fn vectors_that_cannot_be_read_leave_a_search_by_words() {
    let (disk, faults, model) = (begun(), Faults::new(), model(0));
    let operations = {
        let store = on(Arc::new(FaultyDisk::new(Arc::new(disk.clone()), faults.clone())), NEVER);
        faults.disarm();
        search(&store, &agent(), &model, "a boat on day 7");
        faults.seen()
    };
    let of_vectors = |operation: &&String| operation.contains("memories.vectors");
    assert!(operations.iter().filter(of_vectors).count() > 3, "{operations:?}");
    for (operation, n) in operations.iter().zip(1..).filter(|(operation, _)| of_vectors(operation)) {
        let store = on(Arc::new(FaultyDisk::new(Arc::new(disk.clone()), faults.clone())), NEVER);
        let by_words = store.search(&agent(), &Query::new("a boat on day 7").limit(500)).unwrap();
        let fresh = on(Arc::new(FaultyDisk::new(Arc::new(disk.clone()), faults.clone())), NEVER);
        faults.arm(n, Fault::Error(std::io::ErrorKind::PermissionDenied));
        let found = search(&fresh, &agent(), &model, "a boat on day 7");
        faults.disarm();
        assert_eq!(found.outcome, SearchOutcome::Degraded(Degraded::Failed), "{operation}");
        assert_eq!(found.hits.len(), by_words.hits.len(), "{operation}");
        assert_eq!(
            search(&fresh, &agent(), &model, "a boat on day 7").outcome,
            SearchOutcome::Hit,
            "{operation}"
        );
    }
}
