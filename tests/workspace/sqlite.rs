//! The home in one SQLite file: its file, its tables, its scopes, its history, and its lease.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeMap;
use std::error::Error as _;
use std::fs;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use noctuary::workspace::{
    Claim, ClaimTerms, Holder, Lease, LostBy, Name, Revision, StateName, WorkspaceExt,
};
use noctuary::{DocName, Error, Scope, SqliteWorkspace, Workspace, WriteMode};
use rusqlite::{Connection, params};
use tempfile::TempDir;

use noctuary_tests::common::marta::{marta, name};
use noctuary_tests::common::{self, Peer, listen, role, tell};

const FILE: &str = "life.db";

/// A SQLite file in a folder of its own.
struct Life(TempDir);

impl Life {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn folder(&self) -> &Path {
        self.0.path()
    }

    fn path(&self) -> PathBuf {
        self.folder().join(FILE)
    }

    fn open(&self) -> SqliteWorkspace {
        self.of(marta())
    }

    fn of(&self, scope: Scope) -> SqliteWorkspace {
        SqliteWorkspace::open(self.path(), scope).unwrap()
    }

    fn refuses(&self) -> Error {
        SqliteWorkspace::open(self.path(), marta()).unwrap_err()
    }

    /// Another program's look at the file.
    fn peer(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    /// Every file with its bytes.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = fs::read_dir(self.folder()).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }

    fn guard(&self) -> PathBuf {
        let is_guard = |path: &PathBuf| path.to_string_lossy().contains(".guard-");
        self.files().into_keys().find(is_guard).expect("a guard")
    }
}

/// Everything that a scope holds, with its times of change.
fn dump(workspace: &SqliteWorkspace) -> BTreeMap<String, (Vec<u8>, DateTime<Utc>)> {
    let states =
        [StateName::DREAMED, StateName::QUARANTINE, StateName::LEDGER, StateName::INTENT, StateName::LOG];
    let mut names: Vec<Name> = states.into_iter().map(Name::from).collect();
    let mut folders = vec![None];
    while let Some(folder) = folders.pop() {
        let listing = workspace.list(folder.as_ref()).unwrap();
        names.extend(listing.documents.into_iter().map(Name::from));
        folders.extend(listing.folders.into_iter().map(Some));
    }
    let standing = |name: Name| {
        let document = workspace.read(&name).unwrap()?;
        let modified = workspace.metadata(&name).unwrap().unwrap().modified;
        Some((name.to_string(), (document.into_bytes(), modified)))
    };
    names.into_iter().filter_map(standing).collect()
}

fn pragma<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> T {
    connection.pragma_query_value(None, name, |row| row.get(0)).unwrap()
}

fn is_sound(path: &Path) {
    let verdict: String = pragma(&Connection::open(path).unwrap(), "integrity_check");
    assert_eq!(verdict, "ok");
}

fn granted(workspace: &SqliteWorkspace) -> Box<dyn Lease> {
    match workspace.claim(&ClaimTerms::default()).unwrap() {
        Claim::Granted(lease) => lease,
        Claim::Held(holder) => panic!("held by {holder:?}"),
    }
}

fn held(workspace: &SqliteWorkspace) -> Holder {
    match workspace.claim(&ClaimTerms::default()).unwrap() {
        Claim::Granted(lease) => panic!("granted: {lease:?}"),
        Claim::Held(holder) => holder,
    }
}

#[cfg(unix)]
#[test]
fn every_file_is_the_owners_alone() {
    // BX-17: mode 0600, the log of what was just written included.
    use std::os::unix::fs::PermissionsExt;
    let life = Life::new();
    let workspace = life.open();
    workspace.write(&DocName::MEMORY, b"private", WriteMode::Create).unwrap();
    let _lease = granted(&workspace);
    let files = life.files();
    for ending in ["", "-wal", "-shm"] {
        assert!(files.contains_key(&life.folder().join(format!("{FILE}{ending}"))), "{FILE}{ending}");
    }
    for path in files.keys().chain([&life.guard()]) {
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o600, "{}", path.display());
    }
}

/// How many descriptors this process has open that lead into a folder.
#[cfg(target_os = "linux")]
fn descriptors_into(folder: &Path) -> usize {
    let folder = folder.canonicalize().unwrap();
    let open =
        fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    open.filter(|to| to.starts_with(&folder)).count()
}

// A home of a workspace, a store and an index took eight descriptors in one file, and 200 of them all that a process may
// have by default.
#[cfg(target_os = "linux")]
#[test]
fn everything_that_a_process_has_open_in_a_file_shares_a_connection() {
    use noctuary::{FileMemoryStore, SqliteIndex, SqliteMemoryStore};

    let life = Life::new();
    let workspace = life.open();
    let of_one = descriptors_into(life.folder());
    assert!(of_one <= 4, "the file, its log, the map of that, and the folder: {of_one}");
    let store = SqliteMemoryStore::open(life.path(), marta()).unwrap();
    let index = SqliteIndex::open(life.path(), marta()).unwrap();
    let others: Vec<_> = (0..20).map(|at| life.of(Scope::user(format!("user {at}")))).collect();
    assert_eq!(descriptors_into(life.folder()), of_one);
    let alone = FileMemoryStore::open(life.folder(), marta()).unwrap();
    drop((workspace, store, index));
    assert!(descriptors_into(life.folder()) > 0, "the others have it");
    others[3].write(&DocName::SOUL, b"# Soul\n", WriteMode::Create).unwrap();
    drop((others, alone));
    assert_eq!(descriptors_into(life.folder()), 0, "the last one closes it");
}

// Of 200 homes with a workspace, a store and an index each, a process held 1,412 descriptors, and most may have 1,024.
// (BX-43)
#[cfg(target_os = "linux")]
#[test]
fn two_hundred_homes_of_a_process_hold_four_descriptors_each_at_most() {
    use noctuary::{SqliteIndex, SqliteMemoryStore};

    let life = Life::new();
    drop(SqliteMemoryStore::open(life.path(), marta()).unwrap());
    let template = fs::read(life.path()).unwrap();
    let mut homes = Vec::new();
    for at in 0..200 {
        let path = life.folder().join(format!("{at}.db"));
        fs::write(&path, &template).unwrap();
        let workspace = SqliteWorkspace::open(&path, marta()).unwrap();
        let store = SqliteMemoryStore::open(&path, marta()).unwrap();
        homes.push((workspace, store, SqliteIndex::open(&path, marta()).unwrap()));
    }
    homes[199].0.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create).unwrap();
    let held = descriptors_into(life.folder());
    assert!(held <= 4 * homes.len(), "{held}");
    drop(homes);
    assert_eq!(descriptors_into(life.folder()), 0);
}

// Two objects of one process share a connection, and no lock.
#[test]
fn a_lease_excludes_another_object_of_the_same_process() {
    let life = Life::new();
    let (one, other, guest) = (life.open(), life.open(), life.of(Scope::user("ilya")));
    let terms = ClaimTerms::default();
    let Claim::Granted(lease) = one.claim(&terms).unwrap() else { panic!("nobody has it") };
    for workspace in [&one, &other] {
        assert!(matches!(workspace.claim(&terms).unwrap(), Claim::Held(_)));
    }
    assert!(matches!(guest.claim(&terms).unwrap(), Claim::Granted(_)), "another scope is another lease");
    let name = Name::from(DocName::MEMORY);
    lease.append(&name, b"- tea\n").unwrap();
    assert_eq!(other.read_text(&DocName::MEMORY).unwrap().as_deref(), Some("- tea\n"));
    drop(one);
    lease.append(&name, b"- toast\n").unwrap();
    assert!(matches!(other.claim(&terms).unwrap(), Claim::Held(_)), "a lease outlives its workspace");
    drop(lease);
    assert!(matches!(other.claim(&terms).unwrap(), Claim::Granted(_)));
}

// What one store forgot another one of the same process wrote again, where it had looked before: a connection is told of the
// changes of others alone.
#[test]
fn what_one_object_forgets_no_other_of_the_process_takes_in() {
    use noctuary::memory::{NewMemory, Source};
    use noctuary::{Access, MemoryStore, SqliteMemoryStore};

    let life = Life::new();
    let open = || SqliteMemoryStore::open(life.path(), marta()).unwrap();
    let (one, other) = (open(), open());
    let human = Access::human(marta());
    let now = Utc::now();
    let row = |text: &str| NewMemory::new("fact", text, Source::UserManual);
    other.write(&human, &row("likes the red pier"), now).unwrap();
    one.forget(&human, "likes the red pier", now).unwrap();
    let again = other.write(&human, &row("likes the red pier"), now);
    assert!(matches!(again, Err(Error::Stopped { .. })), "{again:?}");
    assert!(other.lift(&human, "likes the red pier", now).unwrap());
    one.write(&human, &row("likes the red pier"), now).unwrap();
}

// A process that had all files open that it may was told "unable to open database file".
#[cfg(target_os = "linux")]
#[test]
fn who_runs_out_of_descriptors_is_told_of_which_limit() {
    let life = Life::new();
    let (_, here) = module_path!().split_once("::").unwrap();
    let test = format!("{here}::a_process_with_few_descriptors_opens_until_it_is_told");
    let script = format!("ulimit -n 64; exec \"$0\" --exact {test} --nocapture");
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env("NOCTUARY_FEW_DESCRIPTORS", life.folder())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("RLIMIT_NOFILE") && told.contains(" 64"), "{told}");
}

/// Where this test binary begins as a second process with few descriptors.
#[cfg(target_os = "linux")]
#[test]
fn a_process_with_few_descriptors_opens_until_it_is_told() {
    use noctuary::workspace::OpenLimit;

    let Some(folder) = std::env::var_os("NOCTUARY_FEW_DESCRIPTORS").map(PathBuf::from) else { return };
    let mut open = Vec::new();
    let refused = loop {
        let path = folder.join(format!("{}.db", open.len()));
        match SqliteWorkspace::open(&path, marta()) {
            Ok(workspace) if open.len() < 100 => open.push(workspace),
            Ok(_) => panic!("there is no limit"),
            Err(refused) => break refused,
        }
    };
    assert!(matches!(refused, Error::TooManyOpen { limit: OpenLimit::Process(Some(64)), .. }), "{refused:?}");
    println!("{refused}");
    let here = noctuary::FileWorkspace::open(&folder).and_then(|folder| folder.read_text(&DocName::SOUL));
    assert!(matches!(here, Ok(None) | Err(Error::TooManyOpen { .. })), "{here:?}");
    drop(open);
    SqliteWorkspace::open(folder.join("0.db"), marta()).unwrap();
}

#[test]
fn a_file_of_ours_says_so() {
    // MS-01: WAL, and a file says whose it is and how new.
    let life = Life::new();
    let _workspace = life.open();
    let peer = life.peer();
    assert_eq!(pragma::<String>(&peer, "journal_mode"), "wal");
    assert_eq!(pragma::<i64>(&peer, "application_id"), 0x4e4f_4354, "NOCT");
    assert_eq!(pragma::<i64>(&peer, "user_version"), 1);
}

#[test]
fn a_file_is_opened_again_with_what_it_held() {
    let life = Life::new();
    life.open().write(&DocName::MEMORY, b"- tea\n", WriteMode::Create).unwrap();
    let again = life.open();
    assert_eq!(again.read_text(&DocName::MEMORY).unwrap().as_deref(), Some("- tea\n"));
    assert_eq!(again.scope(), &marta());
    is_sound(&life.path());
}

#[test]
fn a_newer_file_is_left_alone() {
    let life = Life::new();
    life.open().write(&DocName::MEMORY, b"- tea\n", WriteMode::Create).unwrap();
    for version in [2_i64, 99, i64::from(i32::MAX)] {
        life.peer().pragma_update(None, "user_version", version).unwrap();
        let before = life.files();
        match life.refuses() {
            Error::NewerVersion { found, known: 1, .. } => {
                assert_eq!(found, u64::try_from(version).unwrap());
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(life.files(), before);
    }
}

#[test]
fn another_programs_database_is_left_alone() {
    for made in [
        "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1);",
        "PRAGMA application_id = 7;",
        "PRAGMA user_version = 1;",
        "PRAGMA application_id = 7; PRAGMA user_version = 1; CREATE TABLE memory_documents (id);",
    ] {
        let life = Life::new();
        life.peer().execute_batch(made).unwrap();
        let before = life.files();
        let error = life.refuses();
        assert!(matches!(&error, Error::Corrupt { name, .. } if name == FILE), "{made}: {error:?}");
        assert_eq!(life.files(), before, "{made}");
        assert_eq!(pragma::<String>(&life.peer(), "journal_mode"), "delete", "{made}");
    }
}

#[test]
fn a_file_of_text_is_left_alone() {
    for text in ["xy", "# Memory\n\n- Not a database.\n", &"long text\n".repeat(10_000)] {
        let life = Life::new();
        fs::write(life.path(), text).unwrap();
        let before = life.files();
        let error = life.refuses();
        assert!(matches!(error, Error::Corrupt { .. }), "{} bytes: {error:?}", text.len());
        assert!(!error.to_string().contains("Memory"), "no text of the file");
        assert_eq!(life.files(), before, "{} bytes", text.len());
    }
}

#[test]
fn a_file_of_one_byte_is_no_empty_database() {
    // SQLite takes it for one, and would write over it.
    let life = Life::new();
    fs::write(life.path(), "x").unwrap();
    let opened = SqliteWorkspace::open(life.path(), marta());
    assert!(matches!(opened, Err(Error::Corrupt { .. })), "{opened:?}");
    assert_eq!(fs::read(life.path()).unwrap(), b"x");
}

#[test]
fn a_truncated_file_is_never_taken_for_a_whole_or_an_empty_one() {
    let whole = Life::new();
    let workspace = whole.open();
    let bytes = |at: usize| vec![b'a' + u8::try_from(at % 26).unwrap(); 9000];
    for at in 0..40 {
        workspace.write(&name(&format!("notes/{at}.md")), &bytes(at), WriteMode::Create).unwrap();
    }
    drop(workspace);
    assert_eq!(
        whole.files().len(),
        2,
        "the log is folded in when the last one closes, beside it is the mark"
    );
    let image = fs::read(whole.path()).unwrap();
    let len = image.len();
    let mut cuts = vec![2, 15, 16, 50, 99, 100, 101, 511, 512, 1000, 4095, 4096, 4097, 8192, 12_288];
    cuts.extend([len / 3, len / 2, len - 8192, len - 4097, len - 4096, len - 4095, len - 100, len - 1]);
    let (mut refused, mut opened) = (0, 0);
    for cut in cuts {
        let life = Life::new();
        fs::write(life.path(), &image[..cut]).unwrap();
        let before = life.files();
        match SqliteWorkspace::open(life.path(), marta()) {
            Err(Error::Corrupt { .. } | Error::Database { .. }) => refused += 1,
            Err(other) => panic!("cut at {cut} of {len}: {other:?}"),
            Ok(workspace) => {
                opened += 1;
                for at in 0..40 {
                    match workspace.read(&name(&format!("notes/{at}.md"))) {
                        Ok(Some(document)) => assert_eq!(document.bytes(), bytes(at), "cut at {cut}"),
                        Err(Error::Corrupt { .. } | Error::Database { .. }) => {}
                        other => panic!("cut at {cut} of {len}: {other:?}"),
                    }
                }
            }
        }
        assert_eq!(life.files(), before, "cut at {cut} of {len}");
    }
    println!("truncated: {refused} refused, {opened} opened");
}

#[test]
fn a_document_whose_last_page_was_cut_is_never_read_as_another() {
    // Some versions of SQLite read what is missing of it as zeros, and say nothing.
    let mut wrong = Vec::new();
    for len in [20_000, 21_000, 22_000, 23_000, 24_000] {
        let whole = Life::new();
        let bytes = vec![b'x'; len];
        whole.open().write(&DocName::MEMORY, &bytes, WriteMode::Create).unwrap();
        let image = fs::read(whole.path()).unwrap();
        for cut in (image.len() - 4095..image.len()).step_by(455) {
            let life = Life::new();
            fs::write(life.path(), &image[..cut]).unwrap();
            match SqliteWorkspace::open(life.path(), marta()).and_then(|life| life.read(&DocName::MEMORY)) {
                Ok(Some(document)) if document.bytes() == bytes => {}
                Ok(Some(document)) => {
                    let zeros = document.lossy().matches('\0').count();
                    wrong.push(format!("{zeros} zeros in a document of {len} bytes"));
                }
                Err(Error::Corrupt { .. } | Error::Database { .. }) => {}
                other => panic!("{len} bytes, cut at {cut}: {other:?}"),
            }
            assert_eq!(fs::read(life.path()).unwrap(), image[..cut]);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[cfg(unix)]
#[test]
fn a_file_behind_a_link_is_refused() {
    // BX-17: symbolic links are refused; the folder itself may be reached through one.
    let life = Life::new();
    drop(life.open());
    let before = life.files();
    let other = Life::new();
    std::os::unix::fs::symlink(life.path(), other.path()).unwrap();
    let error = other.refuses();
    assert!(matches!(error, Error::Refused { .. } | Error::Database { .. }), "{error:?}");
    assert_eq!(life.files(), before);

    let nowhere = Life::new();
    std::os::unix::fs::symlink(nowhere.folder().join("elsewhere.db"), nowhere.path()).unwrap();
    nowhere.refuses();
    assert!(!nowhere.folder().join("elsewhere.db").exists(), "nothing is made behind it");

    let outer = tempfile::tempdir().unwrap();
    let link = outer.path().join("link");
    std::os::unix::fs::symlink(life.folder(), &link).unwrap();
    SqliteWorkspace::open(link.join(FILE), marta()).unwrap();
}

#[test]
fn a_missing_folder_is_an_error_and_is_not_made() {
    let life = Life::new();
    let missing = life.folder().join("none");
    let error = SqliteWorkspace::open(missing.join(FILE), marta()).unwrap_err();
    match &error {
        Error::Io { source, .. } => assert_eq!(source.kind(), ErrorKind::NotFound),
        other => panic!("{other:?}"),
    }
    assert!(error.source().is_some());
    assert!(!missing.exists());
    let no_file = SqliteWorkspace::open("/", marta()).unwrap_err();
    assert!(matches!(no_file, Error::Config { setting: "path", .. }), "{no_file:?}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let life = Life::new();
    let set = |mode| fs::set_permissions(life.folder(), fs::Permissions::from_mode(mode)).unwrap();
    set(0o500);
    let may_anyway = fs::write(life.folder().join("probe"), "").is_ok();
    let opened = SqliteWorkspace::open(life.path(), marta());
    set(0o700);
    if may_anyway {
        println!("skipped: the superuser may write anywhere");
        return;
    }
    match opened {
        Err(Error::Io { source, .. }) => assert_eq!(source.kind(), ErrorKind::PermissionDenied),
        other => panic!("{other:?}"),
    }
    assert!(life.files().is_empty());
}

#[test]
#[ignore = "sweep"]
fn threads_that_make_the_file_at_once_all_have_it() {
    // BX-28: zero raw busy, also while the tables are being made.
    for round in 0..100 {
        let life = Life::new();
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (life, start) = (&life, &start);
                scope.spawn(move || {
                    start.wait();
                    let workspace = SqliteWorkspace::open(life.path(), marta())
                        .unwrap_or_else(|error| panic!("round {round}: {error:?}"));
                    assert!(workspace.read(&DocName::MEMORY).unwrap().is_none(), "thread {thread}");
                });
            }
        });
        is_sound(&life.path());
    }
}

fn columns(connection: &Connection, table: &str) -> Vec<String> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid").unwrap();
    let rows = statement.query_map([table], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn the_tables_are_the_seeds() {
    // VW-04, VW-06: the fifth seed's tables, with the columns that it names.
    let life = Life::new();
    let _workspace = life.open();
    let peer = life.peer();
    for (table, expected) in [
        (
            "memory_documents",
            &["id", "user_id", "agent_id", "path", "content", "created_at", "updated_at"][..],
        ),
        ("memory_chunks", &["id", "document_id", "chunk_index", "content", "embedding", "created_at"]),
    ] {
        let found = columns(&peer, table);
        for column in expected {
            assert!(found.iter().any(|name| name == column), "{table}.{column} in {found:?}");
        }
    }
    for index in ["idx_documents_user", "idx_documents_path", "idx_chunks_document"] {
        let found: i64 = peer
            .query_row(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = ?1",
                [index],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(found, 1, "{index}");
    }
}

#[test]
fn a_query_by_scope_path_or_document_reads_no_whole_table() {
    // VW-06: by the query plan.
    let life = Life::new();
    let _workspace = life.open();
    let peer = life.peer();
    for (sql, index) in [
        ("SELECT id FROM memory_documents WHERE user_id = 'u' AND agent_id = ''", "idx_documents_user"),
        ("SELECT id FROM memory_documents WHERE path = 'p'", "idx_documents_path"),
        ("SELECT content FROM memory_chunks WHERE document_id = 'd'", "idx_chunks_document"),
        (
            "SELECT content FROM memory_documents WHERE user_id = 'u' AND agent_id = '' AND path = 'p'",
            "sqlite_autoindex_memory_documents_2",
        ),
        (
            "SELECT path FROM memory_documents WHERE user_id = 'u' AND agent_id = '' AND path > 'a/' AND path < 'a0'
             ORDER BY path",
            "sqlite_autoindex_memory_documents_2",
        ),
    ] {
        let mut statement = peer.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let plan: Vec<String> =
            statement.query_map([], |row| row.get("detail")).unwrap().map(Result::unwrap).collect();
        println!("{sql}: {plan:?}");
        assert!(plan.iter().all(|step| step.starts_with("SEARCH")), "{sql}: {plan:?}");
        assert!(plan[0].contains(index), "{sql}: {plan:?}");
    }
}

#[test]
fn one_path_of_one_life_is_one_row() {
    // VW-04: unique by user, agent and path, also where there is no agent.
    let life = Life::new();
    let _workspace = life.open();
    let peer = life.peer();
    let insert = |id: &str, agent: &str| {
        peer.execute(
            "INSERT INTO memory_documents
               (id, user_id, agent_id, path, content, revision, size, created_at, updated_at, modified_ns)
             VALUES (?1, 'marta', ?2, 'a.md', '', '', 0, '', '', 0)",
            params![id, agent],
        )
    };
    insert("1", "").unwrap();
    insert("2", "second").unwrap();
    for (id, agent) in [("3", ""), ("4", "second"), ("1", "third")] {
        let error = insert(id, agent).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::ConstraintViolation), "{agent:?}");
    }
    let absent = peer.execute(
        "INSERT INTO memory_documents
           (id, user_id, agent_id, path, content, revision, size, created_at, updated_at, modified_ns)
         VALUES ('5', 'marta', NULL, 'a.md', '', '', 0, '', '', 0)",
        [],
    );
    assert!(absent.is_err(), "an absent agent is empty text and never NULL, which would equal nothing");
}

/// VW-05
#[test]
fn chunks_go_with_their_document() {
    // VW-04: a removal leaves no piece of the text behind.
    let life = Life::new();
    let workspace = life.open();
    workspace.write(&DocName::MEMORY, b"- tea\n", WriteMode::Create).unwrap();
    let peer = life.peer();
    peer.execute_batch(
        "INSERT INTO indexed_documents
           (id, user_id, path, size, modified_ns, revision, audience, chunking, chunks, indexed_at)
         SELECT id, user_id, path, size, modified_ns, revision, 1, '', 2, '' FROM memory_documents",
    )
    .unwrap();
    let chunk = "INSERT INTO memory_chunks (id, document_id, chunk_index, content, created_at)
                 SELECT hex(randomblob(8)), id, ?1, 'tea', '' FROM memory_documents";
    peer.execute(chunk, [0]).unwrap();
    peer.execute(chunk, [1]).unwrap();
    peer.execute(chunk, [1]).expect_err("one chunk has one place");
    let count =
        || -> i64 { peer.query_row("SELECT count(*) FROM memory_chunks", [], |row| row.get(0)).unwrap() };
    workspace.write(&DocName::MEMORY, b"- coffee\n", WriteMode::Replace).unwrap();
    assert_eq!(count(), 2, "a replacement keeps the row, and what hangs on it");
    workspace.remove(&DocName::MEMORY).unwrap();
    assert_eq!(count(), 0);
}

#[test]
fn text_is_text_and_other_bytes_are_bytes() {
    // VW-03: any SQLite shell shows the text; what is no text comes back as it went.
    let life = Life::new();
    let workspace = life.open();
    let peer = life.peer();
    for (bytes, class) in [
        (&b""[..], "text"),
        (b"# Memory\r\n", "text"),
        ("\u{feff}日本 ✓".as_bytes(), "text"),
        (b"\xff\xfe", "blob"),
        (b"cut \xe2\x9c", "blob"),
        (b"a\0b", "blob"),
        (b"'; DROP TABLE memory_documents; --", "text"),
    ] {
        workspace.write(&DocName::MEMORY, bytes, WriteMode::Replace).unwrap();
        workspace.write(&StateName::LEDGER, bytes, WriteMode::Replace).unwrap();
        for table in ["memory_documents", "workspace_state"] {
            let (found, size): (String, i64) = peer
                .query_row(&format!("SELECT typeof(content), size FROM {table}"), [], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .unwrap();
            let len = i64::try_from(bytes.len()).unwrap();
            assert_eq!((found.as_str(), size), (class, len), "{table} {bytes:?}");
        }
        assert_eq!(workspace.read(&DocName::MEMORY).unwrap().unwrap().bytes(), bytes);
        assert_eq!(workspace.read(&StateName::LEDGER).unwrap().unwrap().bytes(), bytes);
    }
}

#[test]
fn a_document_keeps_its_id_through_removal_and_return() {
    // VW-21: UUIDs, by scope and path.
    let life = Life::new();
    let (workspace, other) = (life.open(), life.of(Scope::user("ilya")));
    let peer = life.peer();
    let id = |user: &str| -> String {
        peer.query_row("SELECT id FROM memory_documents WHERE user_id = ?1", [user], |row| row.get(0))
            .unwrap()
    };
    workspace.write(&DocName::MEMORY, b"one", WriteMode::Create).unwrap();
    other.write(&DocName::MEMORY, b"one", WriteMode::Create).unwrap();
    let first = id("marta");
    let parts: Vec<&str> = first.split('-').collect();
    assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12], "{first}");
    assert!(first.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)));
    assert!(parts[2].starts_with('8') && parts[3].starts_with(['8', '9', 'a', 'b']), "{first}");
    assert_ne!(first, id("ilya"));
    workspace.write(&DocName::MEMORY, b"two", WriteMode::Replace).unwrap();
    assert_eq!(id("marta"), first);
    workspace.remove(&DocName::MEMORY).unwrap();
    workspace.write(&DocName::MEMORY, b"three", WriteMode::Create).unwrap();
    assert_eq!(id("marta"), first);
}

const CANARY: &str = "canary-of-marta";

/// Checks that every verb of `other` shows nothing of a life that holds the canary everywhere.
fn sees_nothing(other: &SqliteWorkspace, theirs: Revision) {
    let who = other.scope().clone();
    let said = |what: &dyn std::fmt::Debug| {
        let said = format!("{what:?}");
        assert!(!said.contains(CANARY), "{who:?}: {said}");
    };
    let names = ["MEMORY.md", "memory/canary-of-marta.md", "context/a/b.md"].map(name);
    for folder in [None, Some(name("memory")), Some(name("context")), Some(name("context/a"))] {
        let listing = other.list(folder.as_ref()).unwrap();
        said(&listing);
        assert!(listing.documents.is_empty() && listing.folders.is_empty(), "{who:?}: {listing:?}");
    }
    for document in &names {
        assert!(other.versions(document).unwrap().is_empty());
        assert!(other.read_version(document, theirs).unwrap().is_none());
    }
    let states: [Name; 2] = [StateName::LEDGER.into(), StateName::LOG.into()];
    for any in names.iter().map(|name| Name::from(name.clone())).chain(states) {
        assert!(other.read(&any).unwrap().is_none());
        assert!(other.read_range(&any, 0..1000).unwrap().is_empty());
        assert!(other.read_text(&any).unwrap().is_none());
        assert_eq!(other.read_tail(&any, 1000).unwrap().text, "");
        assert!(other.metadata(&any).unwrap().is_none());
        assert!(!other.remove(&any).unwrap());
        let conflict = other.write(&any, b"x", WriteMode::IfRevision(theirs)).unwrap_err();
        assert!(matches!(conflict, Error::Conflict { current: None, .. }), "{conflict:?}");
        assert!(matches!(other.rename(&any, &name("x.md")), Err(Error::NotFound { .. })));
        other.append(&any, b"own ").unwrap();
        assert_eq!(other.read_text(&any).unwrap().as_deref(), Some("own "));
        assert!(other.remove(&any).unwrap());
        other.write(&any, b"own", WriteMode::Create).unwrap();
        other.write(&any, b"own too", WriteMode::Replace).unwrap();
        assert!(other.remove(&any).unwrap());
    }
    // Marta's life is held; this one is another, and its holder is another.
    let lease = granted(other);
    let holder = held(other);
    assert_eq!(holder.pid, Some(std::process::id()));
    said(&holder);
    said(&lease);
    lease.release().unwrap();
}

#[test]
fn no_verb_of_one_life_shows_another() {
    // VW-20: user and agent stand in every statement.
    let life = Life::new();
    let workspace = life.open();
    for document in ["MEMORY.md", "memory/canary-of-marta.md", "context/a/b.md"] {
        workspace.write(&name(document), CANARY.as_bytes(), WriteMode::Create).unwrap();
        workspace.write(&name(document), format!("{CANARY} again").as_bytes(), WriteMode::Replace).unwrap();
    }
    for state in [StateName::LEDGER, StateName::LOG] {
        workspace.write(&state, CANARY.as_bytes(), WriteMode::Create).unwrap();
    }
    let lease = granted(&workspace);
    let (before, history) = (dump(&workspace), workspace.versions(&DocName::MEMORY).unwrap());
    let agent = |user: &str, agent: &str| Scope { user: user.to_owned(), agent: agent.to_owned() };
    for scope in [
        Scope::user("ilya"),
        Scope::user(""),
        Scope::user("Marta"),
        Scope::user("marta "),
        Scope::user("mart"),
        Scope::user("%"),
        Scope::user("' OR '1' = '1"),
        agent("marta", "second"),
        agent("", "marta"),
        agent("mart", "a"),
    ] {
        let theirs = Revision::of(CANARY.as_bytes());
        sees_nothing(&life.of(scope.clone()), theirs);
        assert_eq!(dump(&workspace), before, "{scope:?} changed nothing of hers");
        assert_eq!(workspace.versions(&DocName::MEMORY).unwrap(), history, "{scope:?}");
    }
    lease.check().unwrap();
}

#[test]
fn two_lives_in_one_file_dream_at_once() {
    // VW-20: a lease is of a scope, and not of the file.
    let life = Life::new();
    let (one, two) = (life.open(), life.of(Scope::user("ilya")));
    let (first, second) = (granted(&one), granted(&two));
    first.append(&DocName::MEMORY, b"- one\n").unwrap();
    second.append(&DocName::MEMORY, b"- two\n").unwrap();
    held(&one);
    held(&two);
    first.release().unwrap();
    second.check().unwrap();
    held(&two);
    drop(granted(&one));
    assert_eq!(one.read_text(&DocName::MEMORY).unwrap().as_deref(), Some("- one\n"));
    assert_eq!(two.read_text(&DocName::MEMORY).unwrap().as_deref(), Some("- two\n"));
}

#[test]
fn ten_earlier_versions_are_kept_newest_first() {
    let life = Life::new();
    let workspace = life.open();
    let document = name("context/vision.md");
    let text = |at: u32| format!("version {at}, \u{1f319}").into_bytes();
    assert!(workspace.versions(&document).unwrap().is_empty());
    let begun = Utc::now();
    for at in 0..15 {
        workspace.write(&document, &text(at), WriteMode::Replace).unwrap();
        workspace.write(&document, &text(at), WriteMode::Replace).unwrap();
    }
    let check = |newest: u32| {
        let versions = workspace.versions(&document).unwrap();
        let found: Vec<Revision> = versions.iter().map(|version| version.revision).collect();
        let expected: Vec<Revision> = (0..10).map(|back| Revision::of(&text(newest - back))).collect();
        assert_eq!(found, expected, "what was written twice is one version");
        assert!(versions.windows(2).all(|pair| pair[0].replaced_at >= pair[1].replaced_at));
        assert!(versions.iter().all(|version| version.replaced_at.timestamp() >= begun.timestamp()));
        for back in 0..10 {
            let bytes = text(newest - back);
            let version = workspace.read_version(&document, Revision::of(&bytes)).unwrap().unwrap();
            assert_eq!((version.bytes(), version.name().as_str()), (&bytes[..], "context/vision.md"));
        }
        assert!(workspace.read_version(&document, Revision::of(&text(newest - 10))).unwrap().is_none());
    };
    check(13);
    assert!(workspace.remove(&document).unwrap());
    check(14);
    workspace.write(&document, b"anew", WriteMode::Create).unwrap();
    check(14);
    workspace.append(&document, b" and on").unwrap();
    check(14);
    let lease = granted(&workspace);
    lease.replace(&document, &text(16)).unwrap();
    assert_eq!(workspace.versions(&document).unwrap()[0].revision, Revision::of(b"anew\n and on"));
    assert!(workspace.read_version(&DocName::MEMORY, Revision::of(&text(9))).unwrap().is_none());
}

#[test]
fn a_change_of_content_is_a_change_of_time() {
    // What goes by time alone would otherwise miss the second of two changes.
    let life = Life::new();
    let workspace = life.open();
    let modified = |name: &Name| workspace.metadata(name).unwrap().unwrap().modified;
    for any in [Name::from(DocName::MEMORY), Name::from(StateName::LEDGER)] {
        workspace.append(&any, b"x").unwrap();
        let mut last = modified(&any);
        for at in 0..200_u32 {
            if at % 2 == 0 {
                workspace.append(&any, b"x").unwrap();
            } else {
                workspace.write(&any, &at.to_be_bytes(), WriteMode::Replace).unwrap();
            }
            let now = modified(&any);
            assert!(now > last, "{any} {at}: {now} after {last}");
            last = now;
        }
    }
    // Also where the clock has been set back.
    let ahead = Utc::now() + chrono::TimeDelta::days(1000);
    let nanoseconds = ahead.timestamp_nanos_opt().unwrap();
    life.peer().execute("UPDATE memory_documents SET modified_ns = ?1", [nanoseconds]).unwrap();
    for at in 0..3 {
        let last = modified(&DocName::MEMORY);
        assert!(last >= ahead - chrono::TimeDelta::nanoseconds(1));
        workspace.append(&DocName::MEMORY, format!("{at}").as_bytes()).unwrap();
        assert!(modified(&DocName::MEMORY) > last);
    }
    let last = modified(&DocName::MEMORY);
    let same = workspace.read(&DocName::MEMORY).unwrap().unwrap();
    workspace.write(&DocName::MEMORY, same.bytes(), WriteMode::Replace).unwrap();
    assert_eq!(modified(&DocName::MEMORY), last, "the same content is no change");
}

#[test]
fn epochs_rise_from_claim_to_claim_and_from_process_to_process() {
    let life = Life::new();
    let mut last = 0;
    for _ in 0..20 {
        let lease = granted(&life.open());
        assert!(lease.epoch() > last);
        last = lease.epoch();
    }
    let mut peer = Peer::start(module_path!(), "hold", life.folder());
    let epoch: u64 = peer.hear().unwrap().parse().unwrap();
    assert!(epoch > last);
    peer.go_on();
    peer.finish();
    assert!(granted(&life.open()).epoch() > epoch);
}

#[test]
fn a_dead_holder_holds_nothing() {
    // DL-05 of the folder, here: the kernel frees the guard of a killed process, and nobody waits.
    let life = Life::new();
    let workspace = life.open();
    for _ in 0..5 {
        let mut peer = Peer::start(module_path!(), "hold", life.folder());
        let epoch: u64 = peer.hear().unwrap().parse().unwrap();
        let holder = held(&workspace);
        assert_eq!(holder.pid, Some(peer.child.id()));
        assert!(holder.hostname.is_some() && holder.since.is_some());
        peer.child.kill().unwrap();
        peer.child.wait().unwrap();
        assert!(granted(&workspace).epoch() > epoch, "at the first try");
    }
}

#[test]
fn a_lease_that_is_gone_is_free_and_one_that_lives_is_not() {
    let life = Life::new();
    let workspace = life.open();
    let lease = granted(&workspace);
    held(&life.open());
    drop(workspace);
    held(&life.open());
    lease.append(&DocName::MEMORY, b"- the lease keeps its workspace\n").unwrap();
    drop(lease);
    let workspace = life.open();
    granted(&workspace).release().unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _lease = granted(&workspace);
        std::panic::resume_unwind(Box::new("on purpose"));
    }));
    assert!(panicked.is_err());
    granted(&workspace);
}

type Lose = fn(&Life);

#[test]
fn a_lost_lease_writes_nothing_and_says_how_it_was_lost() {
    // DL-10 of the folder, here: the fence is looked at in the transaction of the write.
    let ways: [(&str, LostBy, Lose); 6] = [
        ("the guard is deleted", LostBy::Guard, |life| fs::remove_file(life.guard()).unwrap()),
        ("the guard is replaced", LostBy::Guard, |life| {
            fs::remove_file(life.guard()).unwrap();
            drop(granted(&life.open()));
        }),
        ("the token is another", LostBy::Token, |life| {
            life.peer().execute("UPDATE workspace_leases SET token = 'theirs'", []).unwrap();
        }),
        ("the epoch is later", LostBy::Epoch, |life| {
            life.peer().execute("UPDATE workspace_leases SET epoch = epoch + 1", []).unwrap();
        }),
        ("the row is gone", LostBy::Token, |life| {
            life.peer().execute("DELETE FROM workspace_leases", []).unwrap();
        }),
        ("its time is over", LostBy::Deadline, |_| std::thread::sleep(Duration::from_millis(400))),
    ];
    for (way, by, lose) in ways {
        let life = Life::new();
        let workspace = life.open();
        workspace.write(&DocName::MEMORY, b"- stands\n", WriteMode::Create).unwrap();
        let max_hold =
            if by == LostBy::Deadline { Duration::from_millis(300) } else { Duration::from_secs(600) };
        let Claim::Granted(lease) =
            workspace.claim(&ClaimTerms { max_hold, ..ClaimTerms::default() }).unwrap()
        else {
            panic!("held")
        };
        lease.check().unwrap();
        lease.replace(&StateName::LEDGER, b"{}").unwrap();
        lose(&life);
        let (before, history) = (dump(&workspace), workspace.versions(&DocName::MEMORY).unwrap());
        for answer in [
            lease.check(),
            lease.append(&DocName::MEMORY, b"- late\n"),
            lease.append(&name("late.md"), b"- late\n"),
            lease.replace(&StateName::LEDGER, b"late"),
            lease.replace(&StateName::LEDGER, b"{}"),
            lease.replace(&DocName::MEMORY, b"late"),
            lease.remove(&StateName::LEDGER).map(drop),
            lease.remove(&DocName::MEMORY).map(drop),
        ] {
            assert!(matches!(answer, Err(Error::LeaseLost(found)) if found == by), "{way}: {answer:?}");
        }
        assert_eq!(dump(&workspace), before, "{way}");
        assert_eq!(workspace.versions(&DocName::MEMORY).unwrap(), history, "{way}");
        drop(lease);
        let next = granted(&workspace);
        next.append(&DocName::MEMORY, b"- next\n").unwrap();
        assert_eq!(
            workspace.read_text(&DocName::MEMORY).unwrap().as_deref(),
            Some("- stands\n- next\n"),
            "{way}"
        );
    }
}

type Write = fn(&SqliteWorkspace);

#[test]
#[ignore = "sweep"]
fn a_verb_waits_for_another_writer_and_a_reader_for_nobody() {
    // BX-28, MS-01: a peer's long transaction is waited for, and no raw busy comes out.
    let life = Life::new();
    let workspace = life.open();
    workspace.write(&DocName::MEMORY, b"- one\n", WriteMode::Create).unwrap();
    let (begun, over) = (Barrier::new(2), AtomicBool::new(false));
    let writes: [Write; 5] = [
        |workspace| workspace.append(&DocName::MEMORY, b"- two\n").unwrap(),
        |workspace| assert!(workspace.write(&DocName::USER, b"x", WriteMode::Replace).is_ok()),
        |workspace| assert!(!workspace.remove(&DocName::SOUL).unwrap()),
        |workspace| drop(granted(workspace)),
        |workspace| granted(workspace).append(&DocName::MEMORY, b"- three\n").unwrap(),
    ];
    for write in writes {
        over.store(false, Ordering::SeqCst);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let peer = life.peer();
                peer.execute_batch("BEGIN IMMEDIATE; UPDATE memory_documents SET created_at = 'held';")
                    .unwrap();
                begun.wait();
                std::thread::sleep(Duration::from_secs(1));
                over.store(true, Ordering::SeqCst);
                peer.execute_batch("ROLLBACK").unwrap();
            });
            begun.wait();
            let read = life.open().read_text(&DocName::MEMORY).unwrap().unwrap();
            assert!(read.starts_with("- one\n"));
            assert!(!over.load(Ordering::SeqCst), "a reader does not wait, also one that opens the file");
            let before = Instant::now();
            write(&workspace);
            assert!(over.load(Ordering::SeqCst), "it waited");
            assert!(before.elapsed() < Duration::from_secs(10), "and not for long");
        });
    }
    let text = workspace.read_text(&DocName::MEMORY).unwrap();
    assert_eq!(text.as_deref(), Some("- one\n- two\n- three\n"));
}

/// Returns the output of a process that may make no file longer than a mebibyte or so, which stands for a full disk.
#[cfg(unix)]
fn said_where_there_is_no_room(role: &str, folder: &Path) -> Vec<String> {
    let plain = common::in_role(module_path!(), role, folder);
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 1024; exec \"$0\" \"$@\""]).arg(plain.get_program());
    limited.args(plain.get_args());
    for (key, value) in plain.get_envs() {
        limited.env(key, value.unwrap());
    }
    limited.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    Peer::of(&mut limited).unwrap().finish()
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_loses_nothing_that_was_there() {
    // BX-17, BX-28: a write that fails for want of room is an error and changes nothing. The limit of a
    // process stands for a full disk here.
    let life = Life::new();
    drop(life.open());
    let said = said_where_there_is_no_room("fill", life.folder());
    let error = said.last().unwrap();
    assert!(["Io", "Database"].contains(&error.as_str()), "{error}");
    let acknowledged = said.len() - 1;
    println!("{acknowledged} lines until the file was full: {error}");
    assert!(acknowledged > 10);
    is_sound(&life.path());
    let workspace = life.open();
    let text = workspace.read_text(&DocName::MEMORY).unwrap().unwrap();
    assert_eq!(text, (0..acknowledged).map(filler).collect::<String>());
    workspace.append(&DocName::MEMORY, filler(acknowledged).as_bytes()).unwrap();
}

#[test]
fn a_backup_is_a_moment_of_the_whole_file_while_others_write() {
    let life = Life::new();
    let (workspace, ilya) = (life.open(), life.of(Scope::user("ilya")));
    workspace.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create).unwrap();
    workspace.write(&DocName::SOUL, b"# Soul, again\n", WriteMode::Replace).unwrap();
    ilya.write(&DocName::USER, b"- Ilya\n", WriteMode::Create).unwrap();
    let lease = granted(&workspace);
    lease.replace(&StateName::DREAMED, br#"{"lastOutcome":"appended"}"#).unwrap();
    let backup = life.folder().join("backup.db");
    let done = AtomicBool::new(false);
    let before = dump(&workspace);
    std::thread::scope(|threads| {
        let writer = threads.spawn(|| {
            let other = life.open();
            let mut lines = 0;
            while !done.load(Ordering::Relaxed) || lines == 0 {
                other.append(&DocName::MEMORY, format!("- {lines}\n").as_bytes()).unwrap();
                lines += 1;
            }
            lines
        });
        for round in 0..5 {
            workspace.backup_to(life.folder().join(format!("round-{round}.db"))).unwrap();
        }
        done.store(true, Ordering::Relaxed);
        assert!(writer.join().unwrap() > 0);
    });
    lease.release().unwrap();
    workspace.backup_to(&backup).unwrap();
    let whole = dump(&workspace);
    // Alone, as it comes back from a shelf: nothing of it may be in a log beside the first file.
    for copy in ["round-0.db", "round-4.db", "backup.db"] {
        let elsewhere = Life::new();
        fs::copy(life.folder().join(copy), elsewhere.path()).unwrap();
        is_sound(&elsewhere.path());
        let restored = elsewhere.open();
        let mut held = dump(&restored);
        if copy == "backup.db" {
            assert_eq!(held, whole);
        } else {
            let memory = held
                .remove("MEMORY.md")
                .map_or(String::new(), |(bytes, _)| String::from_utf8(bytes).unwrap());
            let lines = memory.lines().count();
            assert_eq!(
                memory,
                (0..lines).map(|line| format!("- {line}\n")).collect::<String>(),
                "whole lines"
            );
            assert_eq!(held, before, "{copy}");
        }
        assert_eq!(restored.versions(&DocName::SOUL).unwrap().len(), 1, "{copy}");
        assert_eq!(
            elsewhere.of(Scope::user("ilya")).read_text(&DocName::USER).unwrap().as_deref(),
            Some("- Ilya\n")
        );
        assert!(granted(&restored).epoch() > 1, "{copy}: the epochs go on");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&backup).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_backup_goes_over_nothing_and_a_failed_one_leaves_nothing() {
    let life = Life::new();
    let workspace = life.open();
    workspace.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create).unwrap();
    let target = life.folder().join("backup.db");
    for standing in ["", "last year's\n"] {
        fs::write(&target, standing).unwrap();
        let before = life.files();
        let error = workspace.backup_to(&target).unwrap_err();
        assert!(
            matches!(&error, Error::Io { source, .. } if source.kind() == ErrorKind::AlreadyExists),
            "{error:?}"
        );
        assert!(error.to_string().contains("backup.db"), "{error}");
        assert_eq!(life.files(), before);
    }
    let onto_itself = workspace.backup_to(life.path()).unwrap_err();
    assert!(matches!(onto_itself, Error::Io { .. }), "{onto_itself:?}");
    let nowhere = workspace.backup_to(life.folder().join("no/folder.db")).unwrap_err();
    assert!(matches!(nowhere, Error::Io { .. }), "{nowhere:?}");
    assert_eq!(workspace.read_text(&DocName::SOUL).unwrap().as_deref(), Some("# Soul\n"));
}

// A backup had the name of a store that was deleted and whose mark was left: it did not open, since it lacked that one's
// last commit.
#[test]
fn a_backup_opens_beside_the_mark_of_a_file_that_had_its_name() {
    let life = Life::new();
    let (workspace, target) = (life.open(), life.folder().join("backup.db"));
    workspace.append(&DocName::SOUL, b"# Soul\n").unwrap();
    let other = SqliteWorkspace::open(&target, Scope::user("marta")).unwrap();
    for line in 0..9 {
        other.append(&DocName::MEMORY, format!("- {line}\n").as_bytes()).unwrap();
    }
    drop(other);
    fs::remove_file(&target).unwrap();
    assert!(life.folder().join("backup.db.mark").exists());
    workspace.backup_to(&target).unwrap();
    let restored = SqliteWorkspace::open(&target, workspace.scope().clone()).unwrap();
    assert_eq!(restored.read_text(&DocName::SOUL).unwrap().as_deref(), Some("# Soul\n"));
}

#[cfg(unix)]
#[test]
fn a_backup_into_a_folder_that_cannot_be_written_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let (life, shelf) = (Life::new(), tempfile::tempdir().unwrap());
    let workspace = life.open();
    let set = |mode| fs::set_permissions(shelf.path(), fs::Permissions::from_mode(mode)).unwrap();
    set(0o500);
    let may_anyway = fs::write(shelf.path().join("probe"), "").is_ok();
    let done = workspace.backup_to(shelf.path().join("backup.db"));
    set(0o700);
    if may_anyway {
        println!("skipped: the superuser may write anywhere");
        return;
    }
    match done {
        Err(Error::Io { source, .. }) => assert_eq!(source.kind(), ErrorKind::PermissionDenied),
        other => panic!("{other:?}"),
    }
    assert_eq!(fs::read_dir(shelf.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_backup_for_which_there_is_no_room_leaves_no_file() {
    let life = Life::new();
    let text = (0..2000).map(filler).collect::<String>();
    life.open().write(&DocName::MEMORY, text.as_bytes(), WriteMode::Create).unwrap();
    let said = said_where_there_is_no_room("back up", life.folder());
    assert!(["Io", "Database"].contains(&said.last().unwrap().as_str()), "{said:?}");
    let left: Vec<PathBuf> =
        life.files().into_keys().filter(|path| !path.to_string_lossy().contains(FILE)).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(life.open().read_text(&DocName::MEMORY).unwrap(), Some(text));
}

#[test]
fn a_killed_backup_leaves_no_file_that_passes_for_one() {
    let life = Life::new();
    let text = (0..300).map(filler).collect::<String>();
    life.open().write(&DocName::MEMORY, text.as_bytes(), WriteMode::Create).unwrap();
    let mut unfinished = 0;
    for round in 0..10_u64 {
        let mut peer = Peer::start(module_path!(), "back up forever", life.folder());
        assert!(peer.hear().is_some());
        std::thread::sleep(Duration::from_millis(round));
        drop(peer);
        for path in life.files().into_keys() {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            if file.starts_with("backup") {
                is_sound(&path);
                let restored = SqliteWorkspace::open(&path, marta()).unwrap();
                assert_eq!(restored.read_text(&DocName::MEMORY).unwrap().as_ref(), Some(&text), "{file}");
                drop(restored);
                fs::remove_file(&path).unwrap();
            } else if file.starts_with(".noctuary-") {
                unfinished += 1;
                fs::remove_file(&path).unwrap();
            }
        }
    }
    println!("{unfinished} were cut");
}

fn filler(at: usize) -> String {
    format!("{at} {}\n", "x".repeat(2000))
}

#[test]
fn a_child_plays_its_role() {
    let Some((role, folder)) = role() else { return };
    let workspace = SqliteWorkspace::open(folder.join(FILE), marta()).unwrap();
    match role.as_str() {
        "hold" => {
            let lease = granted(&workspace);
            tell(&lease.epoch().to_string());
            listen();
        }
        "fill" => {
            for at in 0.. {
                let error = match workspace.append(&DocName::MEMORY, filler(at).as_bytes()) {
                    Ok(()) => {
                        tell(&at.to_string());
                        continue;
                    }
                    Err(error) => format!("{error:?}"),
                };
                // What stands there is still read by the one that could not write.
                let text = workspace.read_text(&DocName::MEMORY).unwrap().unwrap();
                assert_eq!(text.lines().count(), at);
                tell(error.split([' ', '(']).next().unwrap());
                return;
            }
        }
        "back up forever" => {
            for at in 0.. {
                workspace.backup_to(folder.join(format!("backup-{at}.db"))).unwrap();
                tell(&at.to_string());
            }
        }
        "back up" => {
            let error = format!("{:?}", workspace.backup_to(folder.join("backup.db")).unwrap_err());
            tell(error.split([' ', '(']).next().unwrap());
        }
        other => panic!("no role {other:?}"),
    }
}
