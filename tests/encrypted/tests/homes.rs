//! Homes in encrypted files keep the contracts of all homes, and no text is readable in any of their files.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, TimeZone, Utc};
use noctuary::doctor::Doctor;
use noctuary::memory::{NewMemory, Query, Source};
use noctuary::testing::{Script, contract};
use noctuary::workspace::{Refusal, WorkspaceExt};
use noctuary::{
    Access, DocName, Error, JournalDreamer, MemoryStore, Outcome, Scope, SqliteArtifactStore, SqliteIndex,
    SqliteMemoryStore, SqliteWorkspace, Workspace, WriteMode, dream_once_at,
};
use tempfile::TempDir;

/// A key that needs no derivation: the suites open many files.
const KEY: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";

/// A text that is in each of the homes.
const SAID: &str = "Marta drinks smoky tea from Wuyi";

/// Files of encrypted homes, in folders that last as long as this.
#[derive(Default)]
struct Files(RefCell<Vec<TempDir>>);

impl Files {
    fn unlocked(&self) -> PathBuf {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("life.db");
        self.0.borrow_mut().push(folder);
        SqliteWorkspace::unlock(&path, KEY).unwrap();
        path
    }
}

fn marta() -> Scope {
    Scope::user("marta")
}

fn night() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap()
}

/// Returns the files of a folder that hold a text as it is.
fn readable(folder: &Path, text: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| fs::read(path).unwrap().windows(text.len()).any(|bytes| bytes == text.as_bytes()))
        .collect()
}

#[test]
fn a_workspace_keeps_the_contract() {
    let files = Files::default();
    contract::workspace(&|| Arc::new(SqliteWorkspace::open(files.unlocked(), marta()).unwrap()));
}

#[test]
fn a_store_keeps_the_contracts() {
    let files = Files::default();
    let open = |scope: Scope| Arc::new(SqliteMemoryStore::open(files.unlocked(), scope).unwrap());
    contract::memory::store(&|| open(contract::memory::scope()));
    contract::fact::facts(&|| open(contract::fact::scope()));
    contract::edges::edges(&|| open(contract::edges::scope()));
    contract::learning::learnings(&|| open(contract::learning::scope()));
}

#[test]
fn an_index_keeps_the_contract() {
    let files = Files::default();
    contract::index::suite(&|| {
        Arc::new(SqliteIndex::open(files.unlocked(), contract::index::scope()).unwrap())
    });
}

#[test]
fn artifacts_keep_the_contract() {
    let files = Files::default();
    contract::artifacts::artifacts(&|| {
        Arc::new(SqliteArtifactStore::open(files.unlocked(), marta()).unwrap())
    });
}

/// Makes a life with a document, a row and a dream.
fn lived(path: &Path) -> Arc<SqliteWorkspace> {
    let life = Arc::new(SqliteWorkspace::open(path, marta()).unwrap());
    let journal = DocName::parse("memory/2026-11-20-repl.md").unwrap();
    life.append(&journal, format!("[user] {SAID}.\n").as_bytes()).unwrap();
    let dreamer = JournalDreamer::builder(life.clone()).enabled(true).build().unwrap();
    let model = Script::new().says(format!("### Preferences\n- {SAID}. (memory/2026-11-20-repl.md#L1)"));
    assert_eq!(dream_once_at(&dreamer, &model, &|| night()).unwrap().outcome, Outcome::Appended);
    let store = SqliteMemoryStore::open(path, marta()).unwrap();
    store
        .write(&Access::human(marta()), &NewMemory::new("preference", SAID, Source::UserExplicit), night())
        .unwrap();
    life
}

/// Asserts that a life is there: its section, and its row by a search.
#[track_caller]
fn is_there(path: &Path) {
    let life = SqliteWorkspace::open(path, marta()).unwrap();
    assert!(life.read_text(&DocName::MEMORY).unwrap().unwrap().contains(SAID));
    let store = SqliteMemoryStore::open(path, marta()).unwrap();
    let found = store.search(&Access::human(marta()), &Query::new("smoky tea")).unwrap();
    assert_eq!(found.hits.len(), 1, "{found:?}");
}

#[test]
fn no_file_has_a_readable_word() {
    let files = Files::default();
    let path = files.unlocked();
    let folder = path.parent().unwrap();
    let life = lived(&path);
    assert_eq!(readable(folder, "Wuyi"), Vec::<PathBuf>::new(), "while it is open, with its log");
    assert_eq!(readable(folder, "SQLite format 3"), Vec::<PathBuf>::new());
    drop(life);
    is_there(&path);
    assert_eq!(readable(folder, "Wuyi"), Vec::<PathBuf>::new());
}

#[test]
fn another_key_is_refused_and_so_is_none() {
    let files = Files::default();
    let path = files.unlocked();
    drop(lived(&path));
    let wrong = SqliteWorkspace::unlock(&path, "another");
    assert!(matches!(&wrong, Err(Error::Refused { reason: Refusal::WrongKey, .. })), "{wrong:?}");
    assert_eq!(
        wrong.unwrap_err().to_string(),
        "cannot use life.db: the key does not open it: it was made with another one or with none, or its first page is damaged"
    );
    is_there(&path);
    // A copy has no key in this process.
    let copy = path.with_file_name("copy.db");
    fs::copy(&path, &copy).unwrap();
    let locked = SqliteWorkspace::open(&copy, marta()).unwrap_err();
    assert!(locked.to_string().contains("unlock it with its key first"), "{locked}");
    let locked = Doctor::of(&copy).unwrap().examine(night()).unwrap();
    assert_eq!(locked.findings.len(), 1, "{locked:?}");
    SqliteWorkspace::unlock(&copy, KEY).unwrap();
    is_there(&copy);
    // A file without encryption is no encrypted one.
    let plain = path.with_file_name("plain.db");
    drop(lived(&plain));
    let wrong = SqliteWorkspace::unlock(&plain, KEY);
    assert!(matches!(wrong, Err(Error::Refused { reason: Refusal::WrongKey, .. })), "{wrong:?}");
    is_there(&plain);
    for key in ["", "a\0b"] {
        let refused = SqliteWorkspace::unlock(&path, key);
        assert!(matches!(refused, Err(Error::Config { setting: "key", .. })), "{refused:?}");
    }
}

#[test]
fn a_backup_keeps_the_key_or_takes_that_of_its_target() {
    let files = Files::default();
    let path = files.unlocked();
    let life = lived(&path);
    let folder = path.parent().unwrap();
    let same = folder.join("same.db");
    life.backup_to(&same).unwrap();
    SqliteWorkspace::unlock(&same, KEY).unwrap();
    is_there(&same);

    let other = folder.join("other.db");
    SqliteWorkspace::unlock(&other, "a passphrase, or \"two\" 'of them'").unwrap();
    life.backup_to(&other).unwrap();
    is_there(&other);
    let wrong = SqliteWorkspace::unlock(&other, KEY);
    assert!(matches!(wrong, Err(Error::Refused { reason: Refusal::WrongKey, .. })), "{wrong:?}");
    assert_eq!(readable(folder, "Wuyi"), Vec::<PathBuf>::new());

    // A life that was plain becomes an encrypted one.
    let plain = lived(&folder.join("plain.db"));
    let copy = folder.join("encrypted.db");
    SqliteWorkspace::unlock(&copy, KEY).unwrap();
    plain.backup_to(&copy).unwrap();
    is_there(&copy);
    assert!(!readable(folder, "Wuyi").contains(&copy));
    assert!(plain.backup_to(&copy).is_err(), "never over what is there");
}

#[test]
fn the_doctor_looks_into_it_and_leaves_no_copy() {
    let files = Files::default();
    let path = files.unlocked();
    let life = lived(&path);
    let doctor = Doctor::of(&path).unwrap();
    assert_eq!(doctor.scopes().unwrap(), [marta()]);
    let found = doctor.scope(marta()).examine(night()).unwrap();
    assert!(found.is_sound(), "{found:?}");
    assert_eq!((found.health.rows, found.health.schema), (1, found.health.schema));
    drop(life);
    is_there(&path);
}

#[test]
fn a_life_is_erased_and_another_stays() {
    let files = Files::default();
    let path = files.unlocked();
    drop(lived(&path));
    let ilya = SqliteWorkspace::open(&path, Scope::user("ilya")).unwrap();
    ilya.write(&DocName::MEMORY, b"- rye bread\n", WriteMode::Create).unwrap();
    let life = SqliteWorkspace::open(&path, marta()).unwrap();
    assert!(life.erase(&Access::human(marta())).unwrap().erased);
    assert_eq!(life.read(&DocName::MEMORY).unwrap(), None);
    assert!(ilya.read(&DocName::MEMORY).unwrap().is_some());
}
