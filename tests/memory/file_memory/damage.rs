//! Damage to the file or in its place, and the store's answer.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use noctuary::memory::{Filter, MemoryEvent, MemoryId, MemoryObserver, Source};
use noctuary::store::StoreConfig;
use noctuary::testing::{Faults, FaultyDisk, folder as folder_of_disk};
use noctuary::workspace::Refusal;
use noctuary::{Error, FileMemoryStore, MemoryStore, Scope};
use tempfile::TempDir;

use super::{access, agent, at, file, found, mark, marta, row, store, text, write};

fn opened(folder: &TempDir) -> noctuary::Result<FileMemoryStore> {
    FileMemoryStore::open(folder.path(), marta())
}

fn configured(folder: &TempDir, change: impl FnOnce(&mut StoreConfig)) -> FileMemoryStore {
    let mut config = StoreConfig::default();
    change(&mut config);
    FileMemoryStore::open_with(folder.path(), marta(), config).unwrap()
}

#[test]
fn a_damaged_file_is_named_by_line_and_stays_as_it_is() {
    let (folder, store) = store();
    write(&store, "first", 0);
    write(&store, "second", 1);
    let path = file(folder.path());
    let sound = fs::read(&path).unwrap();
    let damaged = |at: usize, line: &[u8]| {
        let mut lines: Vec<&[u8]> = sound.split_inclusive(|byte| *byte == b'\n').collect();
        lines.insert(at, line);
        lines.concat()
    };
    for (line, bytes) in [
        (2, damaged(1, b"no line of ours\n")),
        (3, damaged(2, b"{\"at\":\"2026-\n")),
        (4, damaged(3, b"{\"at\":\"2026-11-21T09:00:00Z\",\"actor\":\"agent\",\"op\":\"sung\"}\n")),
        (4, damaged(3, b"\xff\xfe\n")),
        (4, damaged(3, b"a word that somebody typed")),
        (1, sound.split_inclusive(|byte| *byte == b'\n').skip(1).collect::<Vec<_>>().concat()),
        (1, b"# Memory\n\n- of another program".to_vec()),
        (1, b"\x1f\x8b\x08compressed".to_vec()),
    ] {
        fs::write(&path, &bytes).unwrap();
        // The store that has it open, and one that opens it.
        for error in [
            store.write(&agent(), &row("third"), at(2)).unwrap_err(),
            store.list(&agent(), &Filter::limit(9)).unwrap_err(),
            opened(&folder).unwrap_err(),
        ] {
            assert!(matches!(error, Error::Corrupt { line: at, .. } if at == line), "{line}: {error}");
            assert!(!error.to_string().contains("second"), "no word of it is told");
        }
        assert_eq!(fs::read(&path).unwrap(), bytes, "nothing is mended behind a person's back");
    }
    fs::write(&path, &sound).unwrap();
    assert_eq!(
        store.list(&agent(), &Filter::limit(9)).unwrap().len(),
        2,
        "it goes on where it is whole again"
    );
    assert!(write(&store, "third", 3) > MemoryId::new(2));
}

#[test]
fn what_an_editor_does_to_lines_costs_no_row() {
    let (folder, store) = store();
    write(&store, "first", 0);
    write(&store, "last", 1);
    let path = file(folder.path());
    let sound = text(&folder);
    for (edit, edited) in [
        ("no end of the last line", sound.trim_end().to_owned()),
        ("CRLF", sound.replace('\n', "\r\n")),
        ("a byte order mark", format!("\u{feff}{sound}")),
        ("blank lines", sound.replace('\n', "\n\n \n")),
    ] {
        // It also puts back an older file, so the mark goes: what was written since is meant to.
        fs::remove_file(mark(folder.path())).unwrap();
        fs::write(&path, edited).unwrap();
        let after = opened(&folder).unwrap();
        for store in [&store, &after] {
            assert_eq!(found(store, &agent(), "last"), ["last"], "{edit}");
        }
        write(&after, "one more", 2);
        assert_eq!(found(&store, &agent(), "last"), ["last"], "{edit}");
        assert_eq!(found(&opened(&folder).unwrap(), &agent(), "more"), ["one more"], "{edit}");
        assert_eq!(store.audit(&agent(), 9).unwrap().len(), 3, "{edit}");
    }
}

// An emptied file opened as a new store, and one that was cut at the end of a line as a shorter one: nobody was told that
// rows were gone, and the next change was written behind what was left.
#[test]
fn a_file_that_lost_its_last_line_is_told_from_a_new_one() {
    let (folder, store) = store();
    for minute in 0..6 {
        write(&store, &format!("row {minute}"), minute);
    }
    let (path, sound) = (file(folder.path()), text(&folder));
    let ends: Vec<usize> = sound.match_indices('\n').map(|(at, _)| at + 1).collect();
    let mut cuts = vec![0, 1, ends[0] - 1, sound.len() - 2, sound.len() - 40];
    cuts.extend(&ends[..ends.len() - 1]);
    let lost = |after: noctuary::Result<()>, place: &str| {
        assert!(matches!(&after, Err(Error::Shrunk { held: 7, of: "lines", .. })), "{place}: {after:?}");
        let told = after.unwrap_err().to_string();
        assert!(told.contains("held 7 lines") && told.contains("memories.mark"), "{told}");
    };
    for cut in cuts {
        fs::write(&path, &sound[..cut]).unwrap();
        lost(opened(&folder).map(drop), &format!("opened, cut at {cut}"));
        lost(store.list(&agent(), &Filter::limit(9)).map(drop), &format!("a verb, cut at {cut}"));
        lost(store.write(&agent(), &row("one more"), at(9)).map(drop), &format!("a change, cut at {cut}"));
        assert_eq!(fs::read(&path).unwrap(), &sound.as_bytes()[..cut], "nothing is written behind the rest");
    }
    fs::remove_file(&path).unwrap();
    lost(opened(&folder).map(drop), "deleted");
    fs::write(&path, &sound[..ends[2]]).unwrap();
    fs::remove_file(mark(folder.path())).unwrap();
    assert_eq!(
        store.list(&agent(), &Filter::limit(9)).unwrap().len(),
        2,
        "the person goes on with what is there"
    );
    write(&store, "one more", 9);
    fs::write(&path, "").unwrap();
    assert!(matches!(opened(&folder), Err(Error::Shrunk { held: 4, found: 0, .. })));
}

// A mark is no state of its own: whoever has none, a damaged one, or one of before a crash, loses nothing by it.
#[test]
fn a_mark_that_lags_or_cannot_be_read_stops_nobody() {
    let (folder, store) = store();
    for minute in 0..3 {
        write(&store, &format!("row {minute}"), minute);
    }
    let (path, marked) = (file(folder.path()), mark(folder.path()));
    let of_three = fs::read(&marked).unwrap();
    let torn = text(&folder) + "{\"at\":\"2026-";
    fs::write(&path, torn).unwrap();
    assert_eq!(
        opened(&folder).unwrap().list(&agent(), &Filter::limit(9)).unwrap().len(),
        3,
        "a crash amid a line"
    );
    write(&store, "row 3", 3);
    assert!(store.delete(&agent(), MemoryId::new(4), at(4)).unwrap());
    store.purge(at(9), at(9)).unwrap();
    store.forget(&agent(), "row 2", at(9)).unwrap();
    write(&store, "row 4", 5);
    let now = fs::read(&marked).unwrap();
    assert_eq!(now.len(), of_three.len());
    for bytes in [&b""[..], b"{", &[0; 128], b"\xff\xfe", &now[..60]] {
        fs::write(&marked, bytes).unwrap();
        assert_eq!(opened(&folder).unwrap().list(&agent(), &Filter::limit(9)).unwrap().len(), 3, "{bytes:?}");
    }
    // A person mends a line by hand, which is not the last.
    fs::write(&marked, now).unwrap();
    fs::write(&path, text(&folder).replacen("row 0", "row zero", 1)).unwrap();
    let listed = opened(&folder).unwrap().list(&agent(), &Filter::limit(9)).unwrap();
    assert!(listed.iter().any(|row| row.content == "row zero"), "{listed:?}");
}

// Behind the greatest number there is no next one.
#[test]
fn an_id_that_no_store_gives_is_damage() {
    let (folder, store) = store();
    write(&store, "the only one", 0);
    let sound = text(&folder);
    assert!(sound.contains("\"id\":1,"));
    for id in ["9223372036854775807", "0", "-7"] {
        fs::write(file(folder.path()), sound.replace("\"id\":1,", &format!("\"id\":{id},"))).unwrap();
        let damaged = opened(&folder).map(drop);
        assert!(matches!(damaged, Err(Error::Corrupt { line: 2, .. })), "{id}: {damaged:?}");
    }
}

#[test]
fn a_line_that_was_copied_is_one_row() {
    let (folder, store) = store();
    let id = write(&store, "the only one", 0);
    assert!(store.update(&agent(), id, "the only row", at(1)).unwrap());
    let (head, update) =
        text(&folder).trim_end().rsplit_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let written = head.lines().last().unwrap();
    fs::write(file(folder.path()), format!("{head}\n{update}\n{written}\n")).unwrap();
    let store = opened(&folder).unwrap();
    assert_eq!(store.list(&agent(), &Filter::limit(9)).unwrap().len(), 1);
    assert_eq!(found(&store, &agent(), "only"), ["the only one"]);
}

#[test]
fn a_purge_takes_the_words_out_of_unfinished_copies_too() {
    let (folder, store) = store();
    let id = write(&store, "quicksilver", 0);
    let state = file(folder.path()).parent().unwrap().to_owned();
    let copy = state.join(format!(".noctuary-{}.tmp", "0123456789abcdef".repeat(2)));
    let other = state.join(format!(".noctuary-{}.tmp", "fedcba9876543210".repeat(2)));
    fs::copy(file(folder.path()), &copy).unwrap();
    fs::write(&other, "{\"at\":").unwrap();
    assert!(store.delete(&agent(), id, at(1)).unwrap());
    assert_eq!(store.purge(at(2), at(2)).unwrap(), 1);
    for entry in fs::read_dir(&state).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("quicksilver"));
    }
    assert!(other.exists(), "what may be of somebody else stays");
}

#[test]
fn nothing_else_than_a_plain_file_is_followed() {
    let (folder, store) = store();
    let path = file(folder.path());
    write(&store, "first", 0);
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    let before = fs::read(&elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    let is_refused = |reason| {
        for refused in [
            opened(&folder).map(|_| ()),
            store.write(&agent(), &row("second"), at(1)).map(|_| ()),
            store.list(&agent(), &Filter::limit(9)).map(|_| ()),
        ] {
            assert!(
                matches!(refused, Err(Error::Refused { reason: found, .. }) if found == reason),
                "{refused:?}"
            );
        }
    };
    is_refused(Refusal::Symlink);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    is_refused(Refusal::NotAFile);
    assert_eq!(fs::read(&elsewhere).unwrap(), before);
    fs::remove_dir(&path).unwrap();
    fs::rename(&elsewhere, &path).unwrap();
    assert_eq!(found(&store, &agent(), "first"), ["first"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_read_on() {
    let (folder, store) = store();
    write(&store, "first", 0);
    let state = file(folder.path()).parent().unwrap().to_owned();
    let path = file(folder.path());
    let set = |mode: u32| {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode & 0o666)).unwrap();
        fs::set_permissions(state.join("write-guard"), fs::Permissions::from_mode(mode & 0o666)).unwrap();
        fs::set_permissions(&state, fs::Permissions::from_mode(mode)).unwrap();
    };
    set(0o500);
    if fs::write(state.join("probe"), "").is_ok() {
        println!("skipped: this user writes everywhere");
        set(0o700);
        return;
    }
    let denied = store.write(&agent(), &row("second"), at(1));
    assert!(
        matches!(&denied, Err(Error::Io { source, .. }) if source.kind() == ErrorKind::PermissionDenied),
        "{denied:?}"
    );
    assert_eq!(found(&opened(&folder).unwrap(), &agent(), "first"), ["first"]);
    set(0o700);
    write(&store, "second", 2);
}

#[test]
fn a_full_file_is_said_and_rows_can_still_be_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let store = configured(&folder, |config| config.max_file_bytes = Some(4096));
    let mut written = Vec::new();
    let error = loop {
        match store.write(&agent(), &row(&format!("row{} of many", written.len())), at(0)) {
            Ok(id) => written.push(id),
            Err(error) => break error,
        }
    };
    assert!(
        matches!(&error, Error::Io { source, .. } if source.kind() == ErrorKind::StorageFull),
        "{error:?}"
    );
    assert!(written.len() > 10 && fs::metadata(file(folder.path())).unwrap().len() <= 4096);
    assert_eq!(store.list(&agent(), &Filter::limit(99)).unwrap().len(), written.len(), "nothing is lost");
    assert!(store.update(&agent(), written[0], &"more words ".repeat(400), at(1)).is_err());
    for id in &written[1..] {
        assert!(store.delete(&agent(), *id, at(1)).unwrap());
    }
    let refused = store.write(&agent(), &row("key AKIAIOSFODNN7EXAMPLE"), at(2));
    assert!(matches!(refused, Err(Error::Stopped { .. })), "a refusal that cannot be recorded is one");
    assert_eq!(store.purge(at(3), at(3)).unwrap(), written.len() as u64 - 1);
    assert_eq!(found(&opened(&folder).unwrap(), &agent(), "row0"), ["row0 of many"]);
}

#[test]
fn a_guard_that_is_held_makes_a_writer_busy_and_reads_go_on() {
    let (folder, first) = store();
    write(&first, "first", 0);
    let store = configured(&folder, |config| config.patience = Duration::from_millis(20));
    let guard = fs::File::open(folder.path().join(".dreaming.d/write-guard")).unwrap();
    assert!(guard.try_lock().is_ok());
    let busy = store.write(&agent(), &row("second"), at(1));
    assert!(matches!(busy, Err(Error::Busy { .. })), "{busy:?}");
    assert_eq!(found(&store, &agent(), "first"), ["first"]);
    drop(guard);
    write(&store, "second", 2);
}

#[test]
fn a_store_has_a_scope_and_a_file_has_one() {
    let (folder, store) = store();
    write(&store, "first", 0);
    let path = folder.path();
    let of = |scope: Scope| FileMemoryStore::open(path, scope);
    assert!(matches!(of(Scope::user("")), Err(Error::Config { setting: "scope", .. })));
    let second = Scope { user: "marta".to_owned(), agent: "second".to_owned() };
    for other in [Scope::user("eve"), second] {
        assert!(matches!(of(other), Err(Error::Refused { reason: Refusal::OtherScope, .. })));
    }
    let network = FaultyDisk::new(folder_of_disk(path).unwrap(), Faults::new()).on_network("nfs");
    let refused = FileMemoryStore::on_disk(Arc::new(network), marta(), StoreConfig::default());
    assert!(matches!(refused, Err(Error::NetworkFileSystem { file_system: "nfs", .. })));
    let error = FileMemoryStore::open(path.join("nowhere"), marta()).unwrap_err();
    assert!(matches!(&error, Error::Io { source, .. } if source.kind() == ErrorKind::NotFound), "{error:?}");
}

#[test]
fn writers_are_switched_off_by_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let store = configured(&folder, |config| {
        config.refused.insert(Source::ChatExtracted);
        config.retention_days = 7;
        config.max_row_bytes = 100;
    });
    let chat = noctuary::memory::NewMemory::new("fact", "x", Source::Other("chat_extracted".to_owned()));
    assert!(matches!(store.write(&agent(), &chat, at(0)), Err(Error::Denied { .. })));
    let long = row(&"x ".repeat(60));
    assert!(matches!(store.write(&agent(), &long, at(0)), Err(Error::TooLarge { limit: 100, .. })));
    let id = write(&store, "soon gone", 0);
    assert!(store.delete(&agent(), id, at(0)).unwrap());
    let day = 24 * 60;
    assert_eq!(store.purge_expired(at(7 * day)).unwrap(), 0);
    assert!(!store.restore(&agent(), id, at(7 * day + 1)).unwrap());
    assert_eq!(store.purge_expired(at(7 * day + 1)).unwrap(), 1);
    assert_eq!((store.config().retention_days, store.scope()), (7, &marta()));
}

/// Remembers what it heard, and asks the store meanwhile.
#[derive(Debug, Default)]
struct Ears {
    heard: Mutex<Vec<(&'static str, Option<MemoryId>, bool)>>,
    store: Mutex<Option<FileMemoryStore>>,
}

impl MemoryObserver for Ears {
    fn event(&self, event: &MemoryEvent) {
        let store = self.store.lock().unwrap().clone().unwrap();
        let stands = event.id.is_some_and(|id| store.get(&agent(), id).unwrap().is_some());
        self.heard.lock().unwrap().push((event.name.as_str(), event.id, stands));
    }
}

#[test]
fn events_tell_of_changes_after_they_are_durable() {
    let (folder, ears) = (tempfile::tempdir().unwrap(), Arc::new(Ears::default()));
    let store = configured(&folder, |config| config.observer = Some(ears.clone()));
    *ears.store.lock().unwrap() = Some(store.clone());
    let id = write(&store, "one", 0);
    store.update(&agent(), id, "two", at(1)).unwrap();
    store.pin(&agent(), id, true, at(1)).unwrap();
    store.pin(&agent(), id, false, at(1)).unwrap();
    store.delete(&agent(), id, at(1)).unwrap();
    store.restore(&agent(), id, at(1)).unwrap();
    store.delete(&agent(), id, at(1)).unwrap();
    store.delete(&agent(), id, at(1)).unwrap();
    assert!(store.write(&agent(), &row("</memory-context>"), at(1)).is_err());
    assert!(!store.update(&agent(), MemoryId::new(99), "x", at(1)).unwrap());
    store.purge(at(2), at(2)).unwrap();
    store
        .set_profile(&access(noctuary::SessionKind::Main, noctuary::Actor::Human), "name", "Marta", at(3))
        .unwrap();
    let of = |name, stands| (name, Some(id), stands);
    assert_eq!(
        *ears.heard.lock().unwrap(),
        [
            of("memory:written", true),
            of("memory:written", true),
            of("memory:pinned", true),
            of("memory:unpinned", true),
            of("memory:deleted", false),
            of("memory:restored", true),
            of("memory:deleted", false),
            of("memory:purged", false),
            ("profile:written", None, false),
        ]
    );
    *ears.store.lock().unwrap() = None;
}
