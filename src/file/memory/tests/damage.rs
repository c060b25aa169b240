//! A table that is lost, torn, stale, or of something else.

use super::life::{Dice, FILE, NEVER, TABLE, act, agent, at, bare, copy, lived, open, told};
use crate::MemoryStore;
use crate::disk::{Disk, Open};
use crate::memory::{NewMemory, Query, Source};
use crate::testing::MemoryDisk;

/// Opens what lies on a disk, and compares it with its lines alone; then lives on.
fn goes_on(disk: &MemoryDisk, what: &str) {
    let plain = bare(disk);
    let (store, other) = (open(disk, 4), open(&plain, NEVER));
    assert_eq!(told(&store), told(&other), "{what}");
    let (mut dice, mut others) = (Dice::of(5), Dice::of(5));
    for minute in 100..130 {
        act(&store, &mut dice, minute);
        act(&other, &mut others, minute);
    }
    assert_eq!(told(&store), told(&other), "{what}, later");
    assert_eq!(told(&open(disk, 4)), told(&other), "{what}, later and opened again");
}

/// A disk whose table is of its lines, and the paths of what was derived.
fn begun() -> (MemoryDisk, Vec<String>) {
    let disk = lived(11, 90, 4);
    let derived = disk.files().into_keys();
    let derived: Vec<_> =
        derived.filter(|path| *path == TABLE || path.starts_with(".dreaming.d/memories.words/")).collect();
    assert!(derived.len() > 2, "{derived:?}");
    (disk, derived)
}

#[test]
#[ignore = "sweep"]
fn whatever_of_it_is_deleted_or_cut_or_flipped_is_made_anew() {
    let (disk, derived) = begun();
    for path in &derived {
        let gone = copy(&disk);
        (&gone as &dyn Disk).unlink(path).unwrap();
        goes_on(&gone, &format!("{path} is deleted"));
        let bytes = disk.files()[path].clone();
        for share in [0, 1, 3, 7] {
            let cut = copy(&disk);
            cut.put(path, &bytes[..bytes.len() * share / 8]);
            goes_on(&cut, &format!("{path} is cut to {share} eighths"));
            let flipped = copy(&disk);
            let mut other = bytes.clone();
            let at = bytes.len() * share / 8;
            other[at] ^= 0x10;
            flipped.put(path, &other);
            goes_on(&flipped, &format!("{path} has another byte at {at}"));
        }
    }
}

#[test]
fn a_table_of_other_lines_says_nothing() {
    let (disk, derived) = begun();
    let others = lived(12, 90, 4);
    let of_another = copy(&disk);
    for path in derived.iter().filter(|path| others.files().contains_key(*path)) {
        of_another.put(path, &others.files()[path]);
    }
    goes_on(&of_another, "of another file");
    let newer = copy(&disk);
    let mut bytes = disk.files()[TABLE].clone();
    bytes[7] += 1;
    newer.put(TABLE, &bytes);
    goes_on(&newer, "of a newer version");
}

#[test]
fn words_of_an_older_version_are_made_anew_once() {
    let (disk, _) = begun();
    let mut bytes = disk.files()[TABLE].clone();
    bytes[7] = 6;
    disk.put(TABLE, &bytes);
    let store = open(&disk, 1);
    let german = NewMemory::new("fact", "Die Rechnung ist noch nicht bezahlt.", Source::AgentRecorded);
    store.write(&agent(), &german, at(950)).unwrap();
    assert_ne!(disk.files()[TABLE][7], 6, "once");
    drop(store);
    let found = open(&disk, 1).search(&agent(), &Query::new("Rechnungen")).unwrap();
    assert_eq!(found.hits.len(), 1);
}

// A person may edit the lines, and restore an older copy of them.
#[test]
fn a_table_is_not_believed_where_the_lines_are_others() {
    let disk = MemoryDisk::new();
    drop(with_teas(&disk));
    let lines = disk.files()[FILE].clone();
    let text = String::from_utf8(lines.clone()).unwrap();
    let edited = copy(&disk);
    edited.set_clock(at(900));
    edited.put(FILE, text.replace("black", "blank"));
    let store = open(&edited, 4);
    assert_eq!((hits(&store, "black"), hits(&store, "blank")), (0, 1));
    goes_on(&edited, "a line in the middle says something else");
    let older = copy(&disk);
    let at = text.match_indices('\n').nth(3).unwrap().0 + 1;
    older.put(FILE, &lines[..at]);
    (&older as &dyn Disk).unlink(".dreaming.d/memories.mark").unwrap();
    goes_on(&older, "an older copy of the lines");
}

#[test]
fn lines_that_came_behind_an_older_table_are_read() {
    let (disk, derived) = begun();
    let older = copy(&disk);
    let store = open(&disk, 4);
    let mut dice = Dice::of(8);
    (200..240).for_each(|minute| act(&store, &mut dice, minute));
    let now = copy(&disk);
    for path in now.files().keys().filter(|path| path.starts_with(".dreaming.d/memories.words/")) {
        (&now as &dyn Disk).unlink(path).unwrap();
    }
    for path in &derived {
        now.put(path, &older.files()[path]);
    }
    goes_on(&now, "an older table");
}

/// Writes over a part of the lines, as an editor does that writes in place.
fn edit(disk: &MemoryDisk, before: &str, after: &str) {
    let text = String::from_utf8(disk.files()[FILE].clone()).unwrap();
    let at = text.find(before).unwrap() as u64;
    let disk: &dyn Disk = disk;
    disk.open(FILE, Open::Ensure).unwrap().write_at(after.as_bytes(), at).unwrap();
}

fn with_teas(disk: &MemoryDisk) -> crate::FileMemoryStore {
    let store = open(disk, 4);
    for (minute, text) in (0..).zip(["green tea", "black tea", "white tea", "red tea", "no tea", "iced tea"])
    {
        store.write(&agent(), &NewMemory::new("note", text, Source::AgentRecorded), at(minute)).unwrap();
    }
    assert!(disk.files().contains_key(TABLE));
    store
}

fn hits(store: &crate::FileMemoryStore, word: &str) -> usize {
    store.search(&agent(), &Query::new(word)).unwrap().hits.len()
}

#[test]
fn a_store_that_is_open_sees_an_edit_that_leaves_the_file_as_long() {
    let disk = MemoryDisk::new();
    let store = with_teas(&disk);
    assert_eq!((hits(&store, "black"), hits(&store, "blank")), (1, 0));
    disk.set_clock(at(900));
    edit(&disk, "black", "blank");
    assert_eq!((hits(&store, "black"), hits(&store, "blank")), (0, 1));
    goes_on(&disk, "a line in the middle says something else");
}

// The next mark would vouch for it: a file that was marked last by a store was only added to.
#[test]
fn a_table_of_other_lines_is_removed_before_the_file_is_marked() {
    let disk = MemoryDisk::new();
    drop(with_teas(&disk));
    disk.set_clock(at(900));
    edit(&disk, "black", "blank");
    let store = open(&disk, NEVER);
    disk.set_clock(at(901));
    store.write(&agent(), &NewMemory::new("note", "one more", Source::AgentRecorded), at(901)).unwrap();
    drop(store);
    let store = open(&disk, NEVER);
    assert_eq!((hits(&store, "black"), hits(&store, "blank")), (0, 1));
    goes_on(&disk, "a table of the lines before an edit");
}

#[cfg(feature = "doctor")]
#[test]
fn lines_of_another_commit_are_told_unless_a_merge_wrote_them() {
    let (disk, _) = begun();
    let is_as_written = |disk: &MemoryDisk| crate::FileMemoryStore::is_as_written(disk).unwrap();
    assert!(is_as_written(&disk));
    let lines = String::from_utf8(disk.files()[FILE].clone()).unwrap();
    let other = lines.replacen("\"actor\":\"agent\"", "\"actor\":\"human\"", 1);
    assert_ne!(other, lines);
    disk.put(FILE, other.as_bytes());
    assert!(!is_as_written(&disk), "a bit that flipped, or a hand");
    let merged = other.replacen("\"op\":\"opened\",", "\"op\":\"opened\",\"merged\":true,", 1);
    assert_ne!(merged, other);
    disk.put(FILE, merged.as_bytes());
    assert!(is_as_written(&disk), "another machine may have written since");
}
