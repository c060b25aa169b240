//! Every operation of every verb fails once, and the power goes after each: a verb is there whole or not at all,
//! what was acknowledged stands, and the next verb works.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::Arc;

use noctuary::edges::EdgeStore;
use noctuary::facts::{Decision, FactKey, FactStore};
use noctuary::memory::{Filter, MemoryId, NewMemory, Source};
use noctuary::store::StoreConfig;
use noctuary::testing::{CrashOutcome, Disk, Fault, Faults, FaultyDisk, MemoryDisk};
use noctuary::{Error, FileMemoryStore, MemoryStore};

use super::{agent, at, marta, row};

const FILE: &str = ".dreaming.d/memories.jsonl";
const FAULTS: [Fault; 3] =
    [Fault::Error(ErrorKind::StorageFull), Fault::Error(ErrorKind::PermissionDenied), Fault::Crash];

fn open(disk: impl Disk + 'static) -> FileMemoryStore {
    FileMemoryStore::on_disk(Arc::new(disk), marta(), StoreConfig::default()).unwrap()
}

/// All that a store tells.
fn told(store: &FileMemoryStore) -> Vec<String> {
    let rows = store.list(&agent(), &Filter::limit(99)).unwrap();
    let rows =
        rows.into_iter().map(|row| format!("{} {} {} {:?}", row.id, row.content, row.pinned, row.updated_at));
    let profile = store.profile(&agent()).unwrap().into_iter().map(|(key, value)| format!("{key}: {value}"));
    let audit =
        store.audit(&agent(), 99).unwrap().into_iter().map(|entry| format!("{entry:?} {:?}", entry.at));
    let decisions = store.decisions(&agent(), 99).unwrap().into_iter().map(|event| format!("{event:?}"));
    let edges = store
        .top_entities(&agent(), 99)
        .unwrap()
        .into_iter()
        .map(|top| format!("{} {}", top.entity, top.texts));
    rows.chain(profile).chain(audit).chain(decisions).chain(edges).collect()
}

fn lines(disk: &MemoryDisk) -> usize {
    disk.files().get(FILE).map_or(0, |bytes| String::from_utf8_lossy(bytes).matches('\n').count())
}

/// A verb, and the disk that it finds.
struct Case {
    name: &'static str,
    begin: fn() -> MemoryDisk,
    /// Does it; `true` where it says that it is done.
    act: fn(&FileMemoryStore) -> bool,
}

/// A durable file with a row, a deleted one, a pinned one, and a fact.
fn furnished() -> MemoryDisk {
    with(&file())
}

/// The same, and what a crash left of a line.
fn torn() -> MemoryDisk {
    with(&[&file()[..], b"{\"at\":\"2026-"].concat())
}

/// The same, and two facts that wait, of which one says what the other does.
fn waiting() -> MemoryDisk {
    let disk = furnished();
    let store = open(disk.clone());
    for text in ["Drinks tea", "drinks tea."] {
        store.record(&agent(), &NewMemory::new("fact", text, Source::AgentRecorded), at(7)).unwrap();
    }
    with(&disk.files()[FILE])
}

fn with(bytes: &[u8]) -> MemoryDisk {
    let disk = MemoryDisk::new();
    disk.put(FILE, bytes);
    disk
}

fn file() -> Vec<u8> {
    let disk = MemoryDisk::new();
    let store = open(disk.clone());
    for (minute, content) in (0..).zip(["the first of Brisk", "quicksilver by @jan", "third"]) {
        store.write(&agent(), &row(content), at(minute)).unwrap();
    }
    assert!(store.update(&agent(), MemoryId::new(2), "quicksilver again", at(3)).unwrap());
    assert!(store.delete(&agent(), MemoryId::new(2), at(4)).unwrap());
    assert!(store.pin(&agent(), MemoryId::new(3), true, at(5)).unwrap());
    store.set_profile(&agent(), "name", "Marta", at(6)).unwrap();
    disk.files()[FILE].clone()
}

fn cases() -> Vec<Case> {
    let case = |name, act| Case { name, begin: furnished, act };
    let mut cases = vec![
        case("write", |store| store.write(&agent(), &row("fourth"), at(9)).is_ok()),
        case("update", |store| store.update(&agent(), MemoryId::new(1), "anew", at(9)).is_ok()),
        case("delete", |store| store.delete(&agent(), MemoryId::new(1), at(9)).is_ok()),
        case("restore", |store| store.restore(&agent(), MemoryId::new(2), at(9)).is_ok()),
        case("pin", |store| store.pin(&agent(), MemoryId::new(1), true, at(9)).is_ok()),
        case("unpin", |store| store.pin(&agent(), MemoryId::new(3), false, at(9)).is_ok()),
        case("profile", |store| store.set_profile(&agent(), "name", "Marta L.", at(9)).is_ok()),
        case("purge", |store| store.purge(at(8), at(9)).is_ok()),
        case("forget", |store| store.forget(&agent(), "quicksilver again", at(9)).is_ok()),
        case("record", |store| {
            let about = FactKey::one("first", "place");
            store
                .record(&agent(), &NewMemory::new("fact", "first", Source::AgentRecorded).about(about), at(9))
                .is_ok()
        }),
        case("decide", |store| {
            let decision = Decision::supersede(MemoryId::new(1), MemoryId::new(3));
            store.decide(&agent(), &decision, at(9)).is_ok()
        }),
        case("refusal", |store| {
            let typed = NewMemory::new("fact", "claimed", Source::UserManual);
            let refused = store.write(&agent(), &typed, at(9));
            assert!(matches!(refused, Err(Error::Denied { .. })), "{refused:?}");
            false
        }),
    ];
    cases.extend([
        Case { name: "first write", begin: MemoryDisk::new, ..case("", cases[0].act) },
        Case { name: "write behind a torn line", begin: torn, ..case("", cases[0].act) },
        Case { name: "settle", begin: waiting, act: |store| store.settle(at(9)).is_ok() },
        Case { name: "first forget", begin: MemoryDisk::new, ..case("", cases[8].act) },
        Case { name: "forget in a torn file", begin: torn, ..case("", cases[8].act) },
        Case { name: "purge of a torn file", begin: torn, ..case("", cases[7].act) },
    ]);
    cases
}

/// The answers of a store before the verb, and after it.
struct Told {
    before: Vec<String>,
    after: Vec<String>,
    lines: usize,
}

impl Case {
    fn told(&self) -> Told {
        let disk = (self.begin)();
        let store = open(disk.clone());
        let (before, lines) = (told(&store), lines(&disk));
        (self.act)(&store);
        let after = told(&store);
        assert_ne!(before, after, "{}", self.name);
        Told { before, after, lines }
    }
}

impl Told {
    /// It is there whole, or not at all; and after it the next verb works and stands.
    fn check(&self, disk: &MemoryDisk, is_done: bool, what: &str) {
        let store = open(disk.clone());
        let now = told(&store);
        assert!(now == self.after || (now == self.before && !is_done), "{what}: {now:#?}");
        assert!(lines(disk) >= self.lines, "{what}: lines are lost");
        let words = disk.files().values().any(|bytes| String::from_utf8_lossy(bytes).contains("quicksilver"));
        let purged = now.iter().any(|line| line.contains("memory_removed"));
        assert!(!(words && purged), "{what}: the words of a purged row stand there");
        Self::goes_on(&store, disk, what);
    }

    fn goes_on(store: &FileMemoryStore, disk: &MemoryDisk, what: &str) {
        let before = told(store);
        let id = store.write(&agent(), &row("the next one"), at(20)).unwrap();
        let expected = format!("{id} the next one false {:?}", at(20));
        for store in [store, &open(disk.clone())] {
            let now = told(store);
            assert!(now.contains(&expected), "{what}: the next row is lost");
            assert!(before.iter().all(|line| now.contains(line)), "{what}: {before:#?} {now:#?}");
        }
    }
}

/// Runs a verb on a disk that fails; returns what the disk was asked, and whether the verb says that it is done.
fn run(case: &Case, disk: &MemoryDisk, armed: Option<(u64, Fault)>) -> (FileMemoryStore, Faults, bool) {
    let faults = Faults::new();
    let store = open(FaultyDisk::new(Arc::new(disk.clone()), faults.clone()));
    faults.disarm();
    if let Some((n, fault)) = armed {
        faults.arm(n, fault);
    }
    let is_done = (case.act)(&store);
    (store, faults, is_done)
}

#[test]
#[ignore = "sweep"]
fn each_operation_of_each_verb_may_fail() {
    let mut tried = 0;
    for case in cases() {
        let expected = case.told();
        let (_, faults, _) = run(&case, &(case.begin)(), None);
        let operations = faults.seen();
        for (n, operation) in (1..).zip(&operations) {
            for fault in FAULTS {
                let what = format!("{} with {fault:?} at {n}, {operation}", case.name);
                let disk = (case.begin)();
                let (store, faults, is_done) = run(&case, &disk, Some((n, fault)));
                faults.disarm();
                // Another process finds it, and where it lives the one that saw the failure goes on.
                expected.check(&disk.after_kill(disk.operations().len()), is_done, &what);
                if fault != Fault::Crash {
                    Told::goes_on(&store, &disk, &what);
                    for image in images(&disk, disk.operations().len()) {
                        let rows = open(image).list(&agent(), &Filter::limit(99)).unwrap();
                        assert!(
                            rows.iter().any(|row| row.content == "the next one"),
                            "{what}, then no power"
                        );
                    }
                }
                tried += 1;
            }
        }
    }
    println!("{tried} failed operations");
    assert!(tried > 300, "{tried}");
}

/// Every state that a power loss may leave after so many operations.
fn images(disk: &MemoryDisk, operations: usize) -> Vec<MemoryDisk> {
    let loss = disk.power_loss(operations);
    let mut fates: Vec<Vec<CrashOutcome>> = vec![Vec::new()];
    for choices in loss.choices() {
        let longer = |fates: &Vec<CrashOutcome>| {
            choices.iter().map(|fate| [&fates[..], &[*fate]].concat()).collect::<Vec<_>>()
        };
        fates = fates.iter().flat_map(longer).collect();
        assert!(fates.len() <= 10_000, "too many to try");
    }
    let mut seen = BTreeSet::new();
    let images = fates.iter().map(|fates| loss.image(fates));
    images.filter(|image| seen.insert(format!("{:?}", image.files()))).collect()
}

#[test]
#[ignore = "sweep"]
fn the_power_may_go_after_each_operation() {
    let mut tried = 0;
    for case in cases() {
        let expected = case.told();
        let disk = (case.begin)();
        let is_done = (case.act)(&open(disk.clone()));
        let operations = disk.operations().len();
        for cut in 0..=operations {
            let is_done = is_done && cut == operations;
            for image in images(&disk, cut) {
                expected.check(&image, is_done, &format!("{} without power after {cut}", case.name));
                tried += 1;
            }
            // A process is killed, another one writes, and then the power goes: it must not have built on what
            // the first one left in the cache.
            let killed = disk.after_kill(cut);
            let id = open(killed.clone()).write(&agent(), &row("of another"), at(15)).unwrap();
            for image in images(&killed, killed.operations().len()) {
                let what = format!("{} killed after {cut}, then another write, then no power", case.name);
                let store = open(image.clone());
                let read = store.get(&agent(), id).unwrap();
                assert_eq!(read.expect(&what).content, "of another", "{what}");
                let now: Vec<_> = told(&store);
                let has = |lines: &[String]| lines.iter().all(|line| now.contains(line));
                assert!(has(&expected.after) || (has(&expected.before) && !is_done), "{what}: {now:#?}");
                tried += 1;
            }
        }
    }
    println!("{tried} states after a power loss");
    assert!(tried > 300, "{tried}");
}

// Rows that are written in one step are more than one line, and a crash may cut behind any of them.
#[test]
fn of_rows_that_are_written_in_one_step_a_crash_leaves_the_first_whole() {
    let rows = ["fourth", "fifth", "sixth"].map(row);
    let case = Case {
        name: "write_all",
        begin: torn,
        act: |store| {
            let rows = ["fourth", "fifth", "sixth"].map(row);
            store.write_all(&agent(), &rows, at(9)).is_ok_and(|written| written.iter().all(Result::is_ok))
        },
    };
    let contents = |store: &FileMemoryStore| {
        let mut rows = store.list(&agent(), &Filter::limit(99)).unwrap();
        rows.sort_by_key(|row| row.id);
        rows.into_iter().map(|row| row.content).collect::<Vec<_>>()
    };
    let before = contents(&open(torn()));
    let check = |disk: &MemoryDisk, is_done: bool, what: &str| {
        let store = open(disk.clone());
        let now = contents(&store);
        let (old, new) = now.split_at(before.len());
        assert_eq!(old, before, "{what}");
        assert!(rows.iter().map(|row| &row.content).take(new.len()).eq(new), "{what}: {new:?}");
        assert!(!is_done || new.len() == rows.len(), "{what}: {new:?}");
        Told::goes_on(&store, disk, what);
    };
    let (_, faults, is_done) = run(&case, &torn(), None);
    assert!(is_done);
    for (n, operation) in (1..).zip(&faults.seen()) {
        for fault in FAULTS {
            let what = format!("{fault:?} at {n}, {operation}");
            let disk = torn();
            let (store, faults, is_done) = run(&case, &disk, Some((n, fault)));
            faults.disarm();
            check(&disk.after_kill(disk.operations().len()), is_done, &what);
            if fault != Fault::Crash {
                Told::goes_on(&store, &disk, &what);
            }
        }
    }
    let disk = torn();
    let is_done = (case.act)(&open(disk.clone()));
    let operations = disk.operations().len();
    for cut in 0..=operations {
        for image in images(&disk, cut) {
            check(&image, is_done && cut == operations, &format!("without power after {cut}"));
        }
    }
}

// What is asked of the disk.
#[test]
fn a_write_is_one_append_and_one_sync_and_reads_nothing() {
    let (disk, faults) = (furnished(), Faults::new());
    let store = open(FaultyDisk::new(Arc::new(disk.clone()), faults.clone()));
    store.write(&agent(), &row("the first one makes the name durable"), at(10)).unwrap();
    for act in [
        |store: &FileMemoryStore| store.write(&agent(), &row("one more"), at(11)).map(|_| ()),
        |store: &FileMemoryStore| store.update(&agent(), MemoryId::new(1), "anew", at(12)).map(|_| ()),
        |store: &FileMemoryStore| store.set_profile(&agent(), "name", "Marta L.", at(13)),
    ] {
        faults.disarm();
        act(&store).unwrap();
        let asked = |verb: &str| faults.seen().iter().filter(|operation| operation.starts_with(verb)).count();
        assert_eq!((asked("append to"), asked("sync"), asked("read")), (1, 1, 0), "{:?}", faults.seen());
        let of_mark = asked("write .dreaming.d/memories.mark");
        assert_eq!((asked("rename"), asked("write"), of_mark), (0, 1, 1), "{:?}", faults.seen());
    }
}

// A system may forget what it could not sync, and call the next sync a success.
#[test]
fn what_could_not_be_synced_is_written_anew() {
    let (disk, faults) = (furnished(), Faults::new());
    let store = open(FaultyDisk::new(Arc::new(disk.clone()), faults.clone()));
    store.write(&agent(), &row("the first one makes the name durable"), at(10)).unwrap();
    faults.disarm();
    store.write(&agent(), &row("one more"), at(11)).unwrap();
    let syncs = |operation: &String| operation.starts_with("sync .dreaming.d/memories.jsonl");
    let n = faults.seen().iter().position(syncs).unwrap() as u64 + 1;
    faults.arm(n, Fault::Error(ErrorKind::Other));
    let unknown = store.write(&agent(), &row("nobody knows"), at(12));
    assert!(matches!(unknown, Err(Error::DurabilityUnknown { .. })), "{unknown:?}");
    faults.disarm();
    store.write(&agent(), &row("the next"), at(13)).unwrap();
    let seen = faults.seen();
    assert!(seen.iter().any(|operation| operation == "rename to .dreaming.d/memories.jsonl"), "{seen:?}");
    faults.disarm();
    store.write(&agent(), &row("and once only"), at(14)).unwrap();
    assert!(!faults.seen().iter().any(|operation| operation.starts_with("rename")), "{:?}", faults.seen());
    assert_eq!(store.list(&agent(), &Filter::limit(99)).unwrap().len(), 7);
}

#[test]
fn what_another_store_wrote_is_read_and_no_more() {
    let (disk, faults) = (MemoryDisk::new(), Faults::new());
    let other = open(disk.clone());
    for minute in 0..200 {
        other.write(&agent(), &row(&"long words ".repeat(500)), at(minute)).unwrap();
    }
    let store = open(FaultyDisk::new(Arc::new(disk), faults.clone()));
    let reads = || faults.seen().iter().filter(|operation| operation.starts_with("read")).count();
    assert!(reads() > 10, "the file is read in pieces");
    other.write(&agent(), &row("a short one"), at(300)).unwrap();
    faults.disarm();
    assert_eq!(store.list(&agent(), &Filter::limit(999)).unwrap().len(), 201);
    assert!(reads() <= 2, "{:?}", faults.seen());
    faults.disarm();
    assert_eq!(store.list(&agent(), &Filter::limit(999)).unwrap().len(), 201);
    assert_eq!(reads(), 0, "{:?}", faults.seen());
}
