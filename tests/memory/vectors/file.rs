//! What only a file of rows shows: the file of vectors beside it.

use std::fs;
use std::path::Path;

use noctuary::testing::MemoryDisk;
use noctuary::testing::contract::vectors;
use noctuary::vectors::VectorStore;

use super::*;

const SIDECAR: &str = ".dreaming.d/memories.vectors";

#[test]
fn a_store_in_a_file_keeps_the_contract_of_vectors() {
    let folders = Mutex::new(Vec::new());
    vectors::vectors(&|| {
        let folder = TempDir::new().unwrap();
        let store = FileMemoryStore::open(folder.path(), vectors::scope()).unwrap();
        folders.lock().unwrap().push(folder);
        Arc::new(store)
    });
}

#[test]
fn a_store_on_any_disk_keeps_the_contract_of_vectors() {
    vectors::vectors(&|| {
        let disk = Arc::new(MemoryDisk::new());
        Arc::new(FileMemoryStore::on_disk(disk, vectors::scope(), StoreConfig::default()).unwrap())
    });
}

fn open(folder: &Path) -> FileMemoryStore {
    let mut config = StoreConfig::default();
    config.embedder = Some(Arc::new(model()));
    FileMemoryStore::open_with(folder, Scope::user("marta"), config).unwrap()
}

#[test]
fn a_copy_of_the_folder_has_the_vectors_and_may_leave_them_out() {
    let (folder, copy) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = open(folder.path());
    let rope = fill(&store);
    embed(&store, &model());
    fs::create_dir(copy.path().join(".dreaming.d")).unwrap();
    for name in ["memories.jsonl", "memories.mark", "memories.vectors"] {
        let name = format!(".dreaming.d/{name}");
        fs::copy(folder.path().join(&name), copy.path().join(&name)).unwrap();
    }
    let found = search(&store, "cordage purchase");
    assert_eq!(first(&found), Some(rope));
    let other = open(copy.path());
    assert_eq!(search(&other, "cordage purchase"), found);
    assert_eq!(embed_once(&other, &model(), &EmbedConfig::default()).unwrap().requests, 0);
    fs::remove_file(copy.path().join(SIDECAR)).unwrap();
    for store in [&other, &open(copy.path())] {
        let without = search(store, "cordage purchase");
        assert_eq!(without.outcome, SearchOutcome::Degraded(Degraded::Missing));
    }
    embed(&other, &model());
    assert_eq!(search(&open(copy.path()), "cordage purchase"), found);
}

// A folder whose host brings no embedder has no file of vectors.
#[test]
fn a_folder_without_an_embedder_has_no_vectors() {
    let folder = TempDir::new().unwrap();
    let store = FileMemoryStore::open(folder.path(), Scope::user("marta")).unwrap();
    let rope = fill(&store);
    store.update(&marta(), rope, "Bought twine", noon()).unwrap();
    store.delete(&marta(), rope, noon()).unwrap();
    search(&store, "the ferry");
    store.forget(&Access::human(Scope::user("marta")), "Bought twine", noon()).unwrap();
    assert!(!folder.path().join(SIDECAR).exists());
}

// A person edits a line: the vector of its row is not used any more, and the others are.
#[test]
fn a_row_that_a_person_edits_waits() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    let rope = fill(&store);
    embed(&store, &model());
    let file = folder.path().join(".dreaming.d/memories.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::remove_file(folder.path().join(".dreaming.d/memories.mark")).unwrap();
    fs::write(&file, text.replace("Bought rope at the harbour", "Sold the old piano in Porto")).unwrap();
    let status = open(folder.path()).embedding_status(model().id()).unwrap();
    assert_eq!((status.pending, status.embedded), (1, 30));
    assert_ne!(first(&search(&open(folder.path()), "cordage purchase")), Some(rope));
}

// The bound of a file bounded its rows only: vectors grew beside them without one.
#[test]
fn the_file_of_vectors_has_a_bound_too() {
    let folder = TempDir::new().unwrap();
    fill(&open(folder.path()));
    let mut config = StoreConfig::default();
    config.max_file_bytes = Some(16 * 1024);
    let store = FileMemoryStore::open_with(folder.path(), Scope::user("marta"), config).unwrap();
    let wide = HashEmbedder::new(1024);
    let error = embed_once(&store, &wide, &EmbedConfig::default()).unwrap_err();
    assert!(matches!(&error, noctuary::Error::Io { .. }), "{error:?}");
    // In small batches as many are kept as fit, and the rest waits.
    embed_once(&store, &wide, &EmbedConfig::default().texts(4)).unwrap_err();
    let status = store.embedding_status(wide.id()).unwrap();
    assert!(status.embedded > 4 && status.pending > 4, "{status:?}");
    assert!(fs::metadata(folder.path().join(SIDECAR)).unwrap().len() <= 16 * 1024);
}
