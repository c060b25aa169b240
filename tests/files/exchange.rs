//! What people handed over and what was made, where a life is copied, exported, forgotten and erased.

use noctuary::artifacts::{ArtifactData, ArtifactId, ArtifactKind, ArtifactStore, NewArtifact};
use noctuary::exchange::{
    Bundle, BundleAction, BundleImport, BundleKey, Export, Forget, ForgetPlace, copy_artifacts, copy_files,
};
use noctuary::files::{FileKey, FileStore, LocalFileStore, NewFile};
use noctuary::{Access, Error, FileArtifactStore, Scope};

use super::{human, marta, now};

struct Life {
    artifacts: FileArtifactStore,
    files: LocalFileStore,
    _folders: [tempfile::TempDir; 2],
}

fn life() -> Life {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    Life {
        artifacts: FileArtifactStore::open(folders[0].path(), marta()).unwrap(),
        files: LocalFileStore::open(folders[1].path(), marta()).unwrap(),
        _folders: folders,
    }
}

impl Life {
    fn keep(&self, extension: &str, bytes: &[u8]) -> FileKey {
        self.files.put(&human(), &NewFile::new(extension), &mut &*bytes, now()).unwrap().key
    }

    fn report(&self, text: &str) -> ArtifactId {
        let new = NewArtifact::new(ArtifactKind::Report, "October");
        let id = self.artifacts.insert(&human(), &new, now()).unwrap();
        self.artifacts.mark_completed(&human(), &id, &ArtifactData::markdown(text), now()).unwrap();
        id
    }
}

const SAID: &str = "my landlord is Jan Kowalski";

// BX-15
#[test]
fn forgetting_reads_files_of_text_and_says_where_nobody_looked() {
    let life = life();
    let said = life.keep("txt", format!("Dear all, {SAID}.\n").as_bytes());
    let table = life.keep("csv", format!("who\n\"{SAID}\"\n").as_bytes());
    let other = life.keep("txt", b"tea at five\n");
    let me = human();
    let request = |in_files| Forget::new(&me, SAID).in_files(in_files).files(&life.files).run(now()).unwrap();
    let counted = request(false);
    let told = counted.place(ForgetPlace::Files);
    assert_eq!((told.found, told.removed), (2, 0));
    assert!(told.left.as_deref().is_some_and(|why| why.contains("in_files")));
    assert!(life.files.get(&me, &said).is_ok(), "they are the person's own");
    let removed = request(true);
    let told = removed.place(ForgetPlace::Files);
    assert_eq!((told.found, told.removed, &told.left), (2, 2, &None));
    for gone in [&said, &table] {
        assert!(matches!(life.files.get(&me, gone), Err(Error::NotFound { .. })));
    }
    assert_eq!(life.files.removals(&me, 9).unwrap().len(), 2, "it can be traced");
    assert!(life.files.get(&me, &other).is_ok());
    life.keep("png", b"\x89PNG");
    let blind = request(true);
    let told = blind.place(ForgetPlace::Files);
    assert!(told.left.as_deref().is_some_and(|why| why.starts_with("1 files are no text")), "{told:?}");
    let unasked = Forget::new(&me, SAID).run(now()).unwrap();
    assert_eq!(unasked.place(ForgetPlace::Files).left.as_deref(), Some("no store of files was given"));
}

#[test]
fn a_copy_has_both_under_their_names_and_goes_on_where_it_ended() {
    let (here, there) = (life(), life());
    let keys = [here.keep("txt", b"one"), here.keep("bin", &vec![3; 300_000])];
    let ids = [here.report("# One"), here.report("# Two")];
    there.artifacts.adopt(&human(), &here.artifacts.get(&human(), &ids[0]).unwrap(), now()).unwrap();
    let copy = |access: &Access| {
        let artifacts = copy_artifacts(&here.artifacts, &there.artifacts, access, now());
        (artifacts.unwrap_or(0), copy_files(&here.files, &there.files, access).unwrap_or(0))
    };
    for access in [Access::human(Scope::user("ivo")), Access::shared(marta()), Access::agent(marta())] {
        assert_eq!(copy(&access), (0, 0), "the person's to copy");
    }
    assert_eq!(copy(&human()), (1, 2));
    for id in &ids {
        assert_eq!(there.artifacts.get(&human(), id).unwrap(), here.artifacts.get(&human(), id).unwrap());
    }
    for key in &keys {
        let read = |life: &Life| life.files.read(&human(), key, 0..u64::MAX).unwrap();
        assert!(read(&here) == read(&there));
    }
    there.files.delete(&human(), &keys[0], now()).unwrap();
    there.artifacts.delete(&human(), &ids[0], now()).unwrap();
    assert_eq!(copy(&human()), (0, 0), "deleted is deleted");
}

// XP: out and in again are the same bytes; what is not signed stays out.
#[test]
fn a_bundle_has_both_and_brings_them_in_signed_alone() {
    const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\x00\xff";
    let (here, there) = (life(), life());
    let keys = [here.keep("csv", b"day,high\n"), here.keep("png", PICTURE)];
    let ids = [here.report("# One"), here.report("| a |\n|---|\n")];
    let key = BundleKey::from_bytes([7; 32]);
    let me = human();
    let export = |life: &Life| {
        Export::new(&me).artifacts(&life.artifacts).files(&life.files).signed(&key).run().unwrap()
    };
    let bundle = export(&here);
    assert!(bundle.get(&format!("artifacts/{}.json", ids[0])).is_some());
    let (_, path) = keys[1].as_str().split_once('/').unwrap();
    assert_eq!(bundle.get(path), Some(PICTURE));
    let import = || BundleImport::new(&me).artifacts(&there.artifacts).files(&there.files);
    let unsigned = import().apply(&bundle, now()).unwrap();
    assert_eq!(unsigned.added().count(), 0, "nothing comes in without a key that counts");
    let mut tampered = bundle.clone();
    tampered.put(path, b"else".to_vec());
    let plan = import().key(&key).plan(&tampered).unwrap();
    assert!(plan.refused().any(|item| item.path == path), "a byte that changed stays out");
    let plan = import().key(&key).apply(&bundle, now()).unwrap();
    assert_eq!(plan.refused().count(), 0, "{:?}", plan.items);
    assert!(export(&there) == bundle, "the same bytes");
    let again = import().key(&key).apply(&bundle, now()).unwrap();
    assert!(again.items.iter().all(|item| item.action == BundleAction::Keep), "twice is once");
    there.files.delete(&me, &keys[0], now()).unwrap();
    let back = import().key(&key).apply(&bundle, now()).unwrap();
    assert_eq!(back.refused().count(), 1, "what was removed here stays so");
    // Through a folder, as a person keeps it.
    let out = tempfile::tempdir().unwrap();
    bundle.write_to(out.path().join("bundle"), &[]).unwrap();
    assert!(Bundle::read(out.path().join("bundle")).unwrap() == bundle);
}

#[test]
fn erasing_a_scope_and_a_backup_of_a_database_have_the_artifacts() {
    use noctuary::artifacts::ArtifactFilter;
    use noctuary::{SqliteArtifactStore, SqliteWorkspace};
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("life.db");
    let workspace = SqliteWorkspace::open(&file, marta()).unwrap();
    let store = SqliteArtifactStore::open(&file, marta()).unwrap();
    let id = store.insert(&human(), &NewArtifact::new(ArtifactKind::Report, "quokkazebra"), now()).unwrap();
    store.mark_completed(&human(), &id, &ArtifactData::markdown("# quokkazebra"), now()).unwrap();
    let copy = folder.path().join("backup.db");
    workspace.backup_to(&copy).unwrap();
    let backup = SqliteArtifactStore::open(&copy, marta()).unwrap();
    assert_eq!(backup.get(&human(), &id).unwrap(), store.get(&human(), &id).unwrap());
    drop((store, backup));
    let receipt = workspace.erase(&human()).unwrap();
    assert_eq!(receipt.rows["chat_artifacts"], 1, "{receipt}");
    let store = SqliteArtifactStore::open(&file, marta()).unwrap();
    assert!(store.list(&human(), &ArtifactFilter::default()).unwrap().is_empty());
    assert!(store.audit(&human(), 9).unwrap().is_empty());
    let bytes = std::fs::read(&file).unwrap();
    assert!(!bytes.windows(11).any(|part| part == b"quokkazebra"), "no byte is left");
}
