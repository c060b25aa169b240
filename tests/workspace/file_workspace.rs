//! A folder as a workspace: what is written stands there whole, and nothing outside is touched.
#![allow(clippy::unwrap_used, reason = "a test panics with what does not hold")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, Utc};
use noctuary::testing::{Fault, Faults, FaultyDisk, MemoryDisk, QuickDisk, contract, folder};
use noctuary::workspace::{Claim, ClaimTerms, MAX_DOCUMENT, Revision, WorkspaceExt};
use noctuary::{DocName, Error, FileWorkspace, Result, Workspace, WriteMode};
use proptest::prelude::*;
use tempfile::TempDir;

use noctuary_tests::common::marta::name;
use noctuary_tests::common::{Peer, listen, role, tell, tree};

/// Where the processes begin that these tests start.
const HERE: &str = module_path!();

fn open(path: &Path) -> FileWorkspace {
    FileWorkspace::open(path).unwrap()
}

fn new() -> (TempDir, FileWorkspace) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = open(folder.path());
    (folder, workspace)
}

/// A workspace that fails when it is told to.
fn faulty(path: &Path) -> (FileWorkspace, Faults) {
    let faults = Faults::new();
    let disk = FaultyDisk::new(folder(path).unwrap(), faults.clone());
    (FileWorkspace::on_disk(Arc::new(disk)), faults)
}

#[test]
fn a_folder_keeps_the_contract() {
    let folders = RefCell::new(Vec::new());
    contract::workspace(&|| {
        let (folder, workspace) = new();
        folders.borrow_mut().push(folder);
        Arc::new(workspace)
    });
}

// Git took the library's own state for files to commit, and two clones of a life then fought over its ledger.
#[test]
fn git_sees_none_of_the_state_of_a_workspace_that_is_a_repository() {
    use std::process::{Command, Stdio};

    for ignores_itself in [false, true] {
        let (folder, workspace) = new();
        let git = |arguments: &[&str]| {
            let mut git = Command::new("git");
            git.current_dir(folder.path()).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
            git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").output()
        };
        // Its documentation names them: they stand in the root, beside the person's own documents.
        let mine = ".dreaming.lock\n.dreamed-state.json\n.dreamed-quarantine.json\n.soul-state.json\n";
        fs::write(folder.path().join(".gitignore"), mine).unwrap();
        if ignores_itself {
            fs::create_dir(folder.path().join(".dreaming.d")).unwrap();
            fs::write(folder.path().join(".dreaming.d/.gitignore"), "# mine\n*\n").unwrap();
        }
        fs::create_dir(folder.path().join("memory")).unwrap();
        fs::write(folder.path().join("memory/2026-11-20-repl.md"), "- [user] I keep two cats.\n").unwrap();
        let workspace: Arc<dyn Workspace> = Arc::new(workspace);
        let Claim::Granted(lease) = workspace.claim(&ClaimTerms::default()).unwrap() else {
            panic!("it is free")
        };
        let rules = fs::read_to_string(folder.path().join(".dreaming.d/.gitignore")).unwrap();
        assert_eq!(rules, if ignores_itself { "# mine\n*\n" } else { "*\n" });
        drop(lease);
        let dreamer =
            noctuary::JournalDreamer::builder(Arc::clone(&workspace)).enabled(true).build().unwrap();
        let now: DateTime<Utc> = "2026-11-21T03:00:00Z".parse().unwrap();
        let model =
            noctuary::testing::Script::new().says("- I keep two cats. (memory/2026-11-20-repl.md#L1)");
        let report = noctuary::dream_once_at(&dreamer, &model, &|| now).unwrap();
        assert_eq!(report.outcome, noctuary::Outcome::Appended);
        workspace.write(&name("SOUL.md"), b"# Soul\n", WriteMode::Create).unwrap();
        noctuary::Life::new(workspace.clone(), noctuary::LifeConfig::default())
            .read_soul(noctuary::SessionKind::Main, now)
            .unwrap();
        if !git(&["init", "-q"]).is_ok_and(|done| done.status.success()) {
            eprintln!("skipped: git is not here");
            return;
        }
        let seen = git(&["status", "--porcelain", "--untracked-files=all"]).unwrap();
        let seen = String::from_utf8(seen.stdout).unwrap();
        let seen: Vec<&str> = seen.lines().collect();
        assert_eq!(seen, ["?? .gitignore", "?? MEMORY.md", "?? SOUL.md", "?? memory/2026-11-20-repl.md"]);
    }
}

#[test]
fn a_folder_keeps_each_suite_without_being_shared() {
    type Suite = fn(&dyn Workspace);
    let suites: [Suite; 6] = [
        contract::documents,
        contract::revisions,
        contract::ranges,
        contract::listing,
        contract::renames,
        contract::states,
    ];
    for suite in suites {
        let (_folder, workspace) = new();
        suite(&workspace);
    }
}

#[test]
fn files_that_people_wrote_read_back_and_are_plain_files() {
    // WS-01: a workspace is plain files, readable with the standard library alone.
    let (folder, workspace) = new();
    fs::write(folder.path().join("SOUL.md"), "I am Iris.\n").unwrap();
    assert_eq!(workspace.read_text(&DocName::SOUL).unwrap().as_deref(), Some("I am Iris.\n"));
    workspace.append(&name("memory/2026-11-21-a.md"), "- Grüße\n".as_bytes()).unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("memory/2026-11-21-a.md")).unwrap(), "- Grüße\n");
}

#[test]
fn names_are_taken_in_their_exact_case() {
    // WS-03: root files have exactly these names, and the journal folder is `memory`.
    let (folder, workspace) = new();
    let root = [
        DocName::SOUL,
        DocName::AGENTS,
        DocName::IDENTITY,
        DocName::USER,
        DocName::MEMORY,
        DocName::BOOTSTRAP,
        DocName::TOOLS,
        DocName::HEARTBEAT,
    ];
    for name in &root {
        workspace.write(name, b"x", WriteMode::Create).unwrap();
    }
    let mut expected = [
        "SOUL.md",
        "AGENTS.md",
        "IDENTITY.md",
        "USER.md",
        "MEMORY.md",
        "BOOTSTRAP.md",
        "TOOLS.md",
        "HEARTBEAT.md",
    ];
    expected.sort_unstable();
    let mut found: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn machine_state_lives_in_dot_files_only() {
    // WS-24: whatever the library adds for itself begins with a dot.
    let (folder, workspace) = new();
    workspace.write(&DocName::MEMORY, b"x", WriteMode::Create).unwrap();
    workspace.append(&name("memory/a.md"), b"x").unwrap();
    drop(workspace.claim(&noctuary::workspace::ClaimTerms::default()).unwrap());
    let visible: Vec<String> = tree(folder.path())
        .into_keys()
        .map(|path| path.to_string_lossy().replace('\\', "/"))
        .filter(|path| !path.starts_with('.'))
        .collect();
    assert_eq!(visible, ["MEMORY.md", "memory", "memory/a.md"]);
}

#[test]
fn foreign_files_are_neither_read_nor_changed() {
    // WS-26: the workspace may be a project directory, whose files stay as they are.
    let (folder, workspace) = new();
    fs::create_dir_all(folder.path().join("src/deep")).unwrap();
    fs::write(folder.path().join("src/deep/main.rs"), "fn main() {}").unwrap();
    fs::write(folder.path().join("Cargo.lock"), "# locked").unwrap();
    let before = tree(folder.path());
    workspace.write(&DocName::MEMORY, b"x", WriteMode::Create).unwrap();
    workspace.append(&DocName::MEMORY, b"y").unwrap();
    drop(workspace.claim(&noctuary::workspace::ClaimTerms::default()).unwrap());
    let after = tree(folder.path());
    for (path, standing) in &before {
        assert_eq!(after.get(path), Some(standing), "{}", path.display());
    }
}

#[test]
fn opening_and_reading_write_nothing() {
    let (folder, _) = new();
    fs::create_dir(folder.path().join("memory")).unwrap();
    fs::write(folder.path().join("MEMORY.md"), "# Memory\n").unwrap();
    fs::write(folder.path().join("memory/2026-11-21-a.md"), "- x\n").unwrap();
    let before = tree(folder.path());
    let workspace = open(folder.path());
    workspace.list(None).unwrap();
    workspace.list(Some(&DocName::JOURNALS)).unwrap();
    workspace.list(Some(&name("none"))).unwrap();
    for document in [DocName::MEMORY, DocName::SOUL, name("memory/2026-11-21-a.md"), name("none/x.md")] {
        workspace.metadata(&document).unwrap();
        workspace.read(&document).unwrap();
        workspace.read_range(&document, 0..2).unwrap();
        workspace.read_tail(&document, 2).unwrap();
    }
    assert_eq!(tree(folder.path()), before);
}

#[test]
fn a_folder_that_is_not_there_does_not_open() {
    let (folder, _) = new();
    match FileWorkspace::open(folder.path().join("none")) {
        Err(Error::Io { source, .. }) => assert_eq!(source.kind(), ErrorKind::NotFound),
        other => panic!("{other:?}"),
    }
    fs::write(folder.path().join("file"), "x").unwrap();
    FileWorkspace::open(folder.path().join("file")).unwrap_err();
    assert_eq!(tree(folder.path()).len(), 1, "no folder was made");
}

#[test]
fn a_replace_of_the_same_content_leaves_the_file_alone() {
    let (folder, workspace) = new();
    workspace.write(&DocName::MEMORY, b"same", WriteMode::Create).unwrap();
    let before = tree(folder.path());
    workspace.write(&DocName::MEMORY, b"same", WriteMode::Replace).unwrap();
    workspace.write(&DocName::MEMORY, b"same", WriteMode::IfRevision(Revision::of(b"x"))).unwrap();
    assert_eq!(tree(folder.path()), before);
}

#[test]
fn line_ends_and_byte_order_marks_stay_byte_for_byte() {
    // BX-17: CRLF, a byte order mark and a torn last line are tolerated, and nothing is normalised.
    let (folder, workspace) = new();
    for bytes in [
        &b"\xef\xbb\xbf# Memory\r\n\r\n- one\r\n- torn"[..],
        b"a\rb\nc\r\n\n",
        b"\xef\xbb\xbf",
        b"nul \0 and \xff\xfe",
        b"",
    ] {
        fs::write(folder.path().join("MEMORY.md"), bytes).unwrap();
        let read = workspace.read(&DocName::MEMORY).unwrap().unwrap();
        assert_eq!(read.bytes(), bytes);
        assert_eq!(read.revision(), Revision::of(bytes));
        workspace.append(&DocName::MEMORY, b"- more\n").unwrap();
        let gap: &[u8] = if bytes.is_empty() || bytes.ends_with(b"\n") { b"" } else { b"\n" };
        assert_eq!(fs::read(folder.path().join("MEMORY.md")).unwrap(), [bytes, gap, b"- more\n"].concat());
        workspace.write(&DocName::USER, bytes, WriteMode::Replace).unwrap();
        assert_eq!(fs::read(folder.path().join("USER.md")).unwrap(), bytes);
    }
}

#[test]
fn what_editors_and_desktops_leave_behind_disturbs_no_listing() {
    let (folder, workspace) = new();
    fs::create_dir(folder.path().join("memory")).unwrap();
    for file in [".DS_Store", ".2026-11-21-a.md.swp", "._2026-11-21-a.md", ".#2026-11-21-a.md"] {
        fs::write(folder.path().join("memory").join(file), "\0\0binary").unwrap();
        fs::write(folder.path().join(file), "\0\0binary").unwrap();
    }
    for file in ["2026-11-21-a.md~", "#2026-11-21-a.md#", "2026-11-21-a.md.bak", "4913", "2026-11-21-a.md"] {
        fs::write(folder.path().join("memory").join(file), "x").unwrap();
    }
    fs::create_dir(folder.path().join(".git")).unwrap();
    let listing = workspace.list(Some(&DocName::JOURNALS)).unwrap();
    let names: Vec<&str> = listing.documents.iter().map(|name| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "memory/#2026-11-21-a.md#",
            "memory/2026-11-21-a.md",
            "memory/2026-11-21-a.md.bak",
            "memory/2026-11-21-a.md~",
            "memory/4913",
        ]
    );
    assert!(listing.refused.is_empty() && listing.folders.is_empty() && listing.collisions.is_empty());
    let root = workspace.list(None).unwrap();
    assert!(root.documents.is_empty() && root.refused.is_empty());
    assert_eq!(root.folders, [DocName::JOURNALS]);
}

#[test]
fn hostile_names_make_nothing_outside() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    let workspace = open(&root);
    for text in [
        "../out.md",
        "a/../../out.md",
        "/etc/out.md",
        "..",
        "a/..",
        "..\\out.md",
        "a\0.md",
        "\\\\server\\share",
        ".dreaming.lock",
        ".dreaming.d/guard",
        "memory/.git/config",
        "~/../out.md/",
        "a\u{202e}md.b",
    ] {
        DocName::parse(text).expect_err(text);
    }
    let home = name("~/out.md");
    workspace.write(&home, b"a tilde is a letter", WriteMode::Create).unwrap();
    assert!(root.join("~/out.md").is_file());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(noctuary::testing::cases(2000)))]

    #[test]
    fn a_name_that_parses_lands_inside_the_root_and_is_listed(
        text in prop_oneof![".{1,40}", "[./a-c\\\\ ~]{1,12}", "(\\.\\./)?[a-z]{1,3}(/[a-z.]{1,3}){0,3}"]
    ) {
        let Ok(name) = DocName::parse(text.as_str()) else { return Ok(()) };
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("root");
        fs::create_dir(&root).unwrap();
        let workspace = open(&root);
        workspace.write(&name, b"x", WriteMode::Create).unwrap();
        let landed = root.join(&text).canonicalize().unwrap();
        prop_assert!(landed.starts_with(root.canonicalize().unwrap()));
        prop_assert_eq!(fs::read_dir(outer.path()).unwrap().count(), 1);
        let folder = name.folder().map(|folder| DocName::parse(folder).unwrap());
        prop_assert_eq!(workspace.list(folder.as_ref()).unwrap().documents, [name]);
    }
}

/// Where a scenario begins, and what it does.
struct Scenario {
    title: &'static str,
    before: &'static [(&'static str, &'static str)],
    operate: fn(&FileWorkspace) -> Result<()>,
    /// The bytes that are there when all went well.
    after: &'static [(&'static str, &'static str)],
}

const SCENARIOS: &[Scenario] = &[
    Scenario {
        title: "create in a new folder",
        before: &[("MEMORY.md", "untouched")],
        operate: |workspace| {
            workspace.write(&name("memory/deep/a.md"), b"new", WriteMode::Create).map(|_| ())
        },
        after: &[("MEMORY.md", "untouched"), ("memory/deep/a.md", "new")],
    },
    Scenario {
        title: "replace",
        before: &[("MEMORY.md", "old bytes")],
        operate: |workspace| workspace.write(&DocName::MEMORY, b"new", WriteMode::Replace).map(|_| ()),
        after: &[("MEMORY.md", "new")],
    },
    Scenario {
        title: "write if at a revision",
        before: &[("memory/a.md", "old bytes")],
        operate: |workspace| {
            let mode = WriteMode::IfRevision(Revision::of(b"old bytes"));
            workspace.write(&name("memory/a.md"), b"new", mode).map(|_| ())
        },
        after: &[("memory/a.md", "new")],
    },
    Scenario {
        title: "append",
        before: &[("MEMORY.md", "old bytes")],
        operate: |workspace| workspace.append(&DocName::MEMORY, b"and new"),
        after: &[("MEMORY.md", "old bytes\nand new")],
    },
    Scenario {
        title: "append to a new document",
        before: &[],
        operate: |workspace| workspace.append(&name("memory/a.md"), b"new"),
        after: &[("memory/a.md", "new")],
    },
    Scenario {
        title: "rename to a new folder",
        before: &[("BOOTSTRAP.md", "old bytes")],
        operate: |workspace| workspace.rename(&DocName::BOOTSTRAP, &name("done/BOOTSTRAP.md")),
        after: &[("done/BOOTSTRAP.md", "old bytes")],
    },
    Scenario {
        title: "remove",
        before: &[("MEMORY.md", "untouched"), ("memory/a.md", "old bytes")],
        operate: |workspace| workspace.remove(&name("memory/a.md")).map(|_| ()),
        after: &[("MEMORY.md", "untouched")],
    },
];

fn place(root: &Path, documents: &[(&str, &str)]) {
    for (path, text) in documents {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Every document of a workspace that a listing shows, read as text.
fn shown(workspace: &FileWorkspace) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![None];
    while let Some(folder) = folders.pop() {
        let listing = workspace.list(folder.as_ref()).unwrap();
        assert!(listing.refused.is_empty(), "{:?}", listing.refused);
        for document in listing.documents {
            found.insert(document.to_string(), workspace.read_text(&document).unwrap().unwrap());
        }
        folders.extend(listing.folders.into_iter().map(Some));
    }
    found
}

fn texts(documents: &[(&str, &str)]) -> BTreeMap<String, String> {
    documents.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// Old whole, or new whole; of an append, the old bytes and a part of the new ones.
fn is_old_or_new(scenario: &Scenario, standing: &BTreeMap<String, String>) -> bool {
    let (old, new) = (texts(scenario.before), texts(scenario.after));
    if scenario.title.starts_with("append") {
        return new.iter().all(|(path, after)| {
            let before = old.get(path);
            standing.get(path).map_or(before.is_none(), |text| {
                after.starts_with(text.as_str()) && text.starts_with(before.map_or("", String::as_str))
            })
        }) && standing.len() <= new.len();
    }
    *standing == old || *standing == new
}

#[test]
fn a_write_that_fails_at_any_operation_leaves_the_old_or_the_new() {
    // BX-17: every file write is whole or absent, wherever it is cut off.
    for scenario in SCENARIOS {
        let clean = tempfile::tempdir().unwrap();
        place(clean.path(), scenario.before);
        let (workspace, faults) = faulty(clean.path());
        faults.disarm();
        (scenario.operate)(&workspace).unwrap();
        let operations = faults.seen();
        assert_eq!(shown(&open(clean.path())), texts(scenario.after), "{}", scenario.title);

        for (at, operation) in operations.iter().enumerate() {
            for fault in [Fault::Error(ErrorKind::StorageFull), Fault::Crash] {
                let context = format!("{}: {fault:?} at {} of {operations:?}", scenario.title, at + 1);
                let folder = tempfile::tempdir().unwrap();
                place(folder.path(), scenario.before);
                let (workspace, faults) = faulty(folder.path());
                faults.arm(at as u64 + 1, fault);
                let outcome = (scenario.operate)(&workspace);
                if operation.ends_with(".dreaming.d/.gitignore") && fault != Fault::Crash {
                    // Without it git shows our files, and nothing else fails.
                    assert!(outcome.is_ok(), "{context}: {outcome:?}");
                    continue;
                }
                let error = outcome.expect_err(&context);
                let synced = operation.starts_with("sync");
                assert_eq!(matches!(error, Error::DurabilityUnknown { .. }), synced, "{context}: {error:?}");
                faults.disarm();

                let standing = shown(&open(folder.path()));
                assert!(is_old_or_new(scenario, &standing), "{context}: {standing:?}");
                if fault != Fault::Crash {
                    let stray = tree(folder.path())
                        .into_keys()
                        .find(|path| path.to_string_lossy().contains(".noctuary-"));
                    assert_eq!(stray, None, "{context}: an error cleans up after itself");
                }
            }
        }
    }
}

#[test]
fn a_write_can_be_tried_again_after_a_crash() {
    for scenario in SCENARIOS.iter().filter(|scenario| !scenario.title.starts_with("append")) {
        for at in 1.. {
            let folder = tempfile::tempdir().unwrap();
            place(folder.path(), scenario.before);
            let (workspace, faults) = faulty(folder.path());
            faults.arm(at, Fault::Crash);
            if (scenario.operate)(&workspace).is_ok() {
                break;
            }
            drop(workspace);
            let again = (scenario.operate)(&open(folder.path()));
            assert!(
                matches!(again, Ok(()) | Err(Error::Conflict { .. } | Error::NotFound { .. })),
                "{}: crash at {at}: {again:?}",
                scenario.title
            );
            assert_eq!(
                shown(&open(folder.path())),
                texts(scenario.after),
                "{}: crash at {at}",
                scenario.title
            );
        }
    }
}

/// Lets the first operation whose name begins so fail, and says what was attempted.
fn fail_at(
    path: &Path,
    operation: &str,
    operate: impl Fn(&FileWorkspace) -> Result<()>,
) -> (FileWorkspace, Faults) {
    let twin = tempfile::tempdir().unwrap();
    let (rehearsal, faults) = faulty(twin.path());
    faults.disarm();
    operate(&rehearsal).unwrap();
    let seen = faults.seen();
    let at = seen.iter().position(|seen| seen.starts_with(operation)).unwrap_or_else(|| panic!("{seen:?}"));
    let (workspace, faults) = faulty(path);
    faults.arm(at as u64 + 1, Fault::Error(ErrorKind::Other));
    match operate(&workspace) {
        Err(Error::DurabilityUnknown { .. }) => {}
        other => panic!("a failing sync is not certain: {other:?}"),
    }
    faults.disarm();
    (workspace, faults)
}

#[test]
fn a_write_that_is_tried_again_after_a_failed_sync_is_synced() {
    // BX-17: when a write returns, its bytes survive a power loss, also where they stood there before.
    let folder = tempfile::tempdir().unwrap();
    let write =
        |workspace: &FileWorkspace| workspace.write(&DocName::MEMORY, b"new", WriteMode::Replace).map(|_| ());
    let (workspace, faults) = fail_at(folder.path(), "sync folder ", |workspace| {
        // The folder of our own files is made and synced first, and is not what is tested.
        fs::create_dir_all(Path::new(&workspace.location()).join(".dreaming.d")).unwrap();
        write(workspace)
    });
    assert_eq!(workspace.read_text(&DocName::MEMORY).unwrap().as_deref(), Some("new"));
    faults.disarm();
    write(&workspace).unwrap();
    let seen = faults.seen();
    assert!(seen.iter().any(|operation| operation == "sync folder "), "{seen:?}");
}

#[test]
fn an_append_that_is_tried_again_after_a_failed_sync_is_synced() {
    // BX-17: the name of a new document is durable when an append returns, whichever append made it.
    let folder = tempfile::tempdir().unwrap();
    let append = |workspace: &FileWorkspace| workspace.append(&DocName::MEMORY, b"new\n");
    let (workspace, faults) = fail_at(folder.path(), "sync folder ", |workspace| {
        fs::create_dir_all(Path::new(&workspace.location()).join(".dreaming.d")).unwrap();
        append(workspace)
    });
    faults.disarm();
    append(&workspace).unwrap();
    let seen = faults.seen();
    assert!(seen.iter().any(|operation| operation == "sync folder "), "{seen:?}");
}

#[test]
fn a_replace_makes_way_for_a_document_of_any_length() {
    let (folder, workspace) = new();
    let path = folder.path().join("MEMORY.md");
    fs::File::create(&path).unwrap().set_len(MAX_DOCUMENT + 1).unwrap();
    match workspace.read(&DocName::MEMORY) {
        Err(Error::TooLarge { len, limit, .. }) => assert_eq!((len, limit), (MAX_DOCUMENT + 1, MAX_DOCUMENT)),
        other => panic!("{other:?}"),
    }
    workspace.write(&DocName::MEMORY, b"small", WriteMode::Replace).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"small");
}

#[test]
fn appends_of_four_processes_lose_nothing() {
    // BX-28: several processes share files without loss.
    let (folder, workspace) = new();
    let mut peers: Vec<Peer> = (0..4).map(|_| Peer::start(HERE, "append", folder.path())).collect();
    for peer in &mut peers {
        peer.go_on();
    }
    let mut expected = Vec::new();
    for peer in &mut peers {
        peer.finish();
        expected.extend((0..APPENDS).map(|at| line(peer.child.id(), at)));
    }
    let text = workspace.read_text(&shared_journal()).unwrap().unwrap();
    let mut found: Vec<&str> = text.lines().collect();
    for peer in &peers {
        let mine: Vec<&str> =
            found.iter().copied().filter(|line| line.starts_with(&format!("{} ", peer.child.id()))).collect();
        let in_order: Vec<String> = (0..APPENDS).map(|at| line(peer.child.id(), at)).collect();
        assert_eq!(mine, in_order, "a process' own lines follow one another");
    }
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn a_counter_that_four_processes_raise_counts_every_raise() {
    // BX-28: of the writers who saw one revision, one wins. Each signs what it writes, since a write of
    // what stands there already succeeds, whatever revision it saw.
    let (folder, workspace) = new();
    workspace.write(&DocName::HEARTBEAT, b"0 nobody", WriteMode::Create).unwrap();
    let mut peers: Vec<Peer> = (0..4).map(|_| Peer::start(HERE, "raise", folder.path())).collect();
    for peer in &mut peers {
        peer.go_on();
    }
    let mut won: Vec<u32> = Vec::new();
    for peer in &mut peers {
        let said = peer.finish();
        assert_eq!(said.len(), RAISES);
        won.extend(said.iter().map(|value| value.parse::<u32>().unwrap()));
    }
    won.sort_unstable();
    let each_once: Vec<u32> = (1..=u32::try_from(4 * RAISES).unwrap()).collect();
    assert_eq!(won, each_once, "one winner a revision");
    let text = workspace.read_text(&DocName::HEARTBEAT).unwrap().unwrap();
    assert_eq!(counted(&text), u32::try_from(4 * RAISES).unwrap());
}

/// A disk that is full now and then: an append leaves the front of its bytes.
fn often_full(root: &Path) -> QuickDisk {
    let appends = AtomicUsize::new(0);
    QuickDisk::new(folder(root).unwrap()).appending(move |file, bytes| {
        let at = appends.fetch_add(1, Ordering::SeqCst);
        if at % 3 != 2 {
            return file.append(bytes);
        }
        file.append(&bytes[..at / 3 % (bytes.len() + 1)])?;
        Err(ErrorKind::StorageFull.into())
    })
}

#[test]
fn on_a_full_disk_no_acknowledged_line_is_glued_to_a_torn_one() {
    // 41 of 8,781 acknowledged lines stood behind the half of another that had found no room.
    let root = tempfile::tempdir().unwrap();
    let full = often_full(root.path());
    let workspace = FileWorkspace::on_disk(Arc::new(full));
    let Claim::Granted(lease) = workspace.claim(&ClaimTerms::default()).unwrap() else {
        panic!("it is free")
    };
    let journal = shared_journal();
    let (mut acknowledged, mut refused) = (Vec::new(), 0);
    for at in 0..600 {
        let line = format!("- [user] {} {at}", "é".repeat(at % 40));
        let end = if at % 2 == 0 { "\n" } else { "" };
        let bytes = format!("{line}{end}");
        let done = if at % 5 == 0 {
            lease.append(&journal, bytes.as_bytes())
        } else {
            workspace.append(&journal, bytes.as_bytes())
        };
        match done {
            Ok(()) => acknowledged.push(line),
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::StorageFull => refused += 1,
            Err(error) => panic!("{error:?}"),
        }
    }
    let bytes = workspace.read(&journal).unwrap().unwrap().into_bytes();
    let text = String::from_utf8_lossy(&bytes);
    assert_eq!((acknowledged.len(), refused), (400, 200));
    // A line that was cut off behind its last letter is whole, and was not acknowledged.
    let mut lines = text.lines();
    for line in &acknowledged {
        assert!(lines.any(|standing| standing == line), "{line} is glued, lost or out of order");
    }
}

const APPENDS: usize = 200;
const RAISES: usize = 40;

fn shared_journal() -> DocName {
    name("memory/2026-11-21-shared.md")
}

/// The number in front of a signed count.
fn counted(text: &str) -> u32 {
    text.split(' ').next().unwrap().parse().unwrap()
}

fn line(process: u32, at: usize) -> String {
    format!("{process} {at:03} {}", "x".repeat(at % 50))
}

#[test]
fn a_child_plays_its_role() {
    let Some((role, folder)) = role() else { return };
    let workspace = open(&folder);
    listen();
    match role.as_str() {
        "append" => {
            for at in 0..APPENDS {
                let text = line(std::process::id(), at) + "\n";
                workspace.append(&shared_journal(), text.as_bytes()).unwrap();
            }
        }
        "raise" => {
            let mut raised = 0;
            while raised < RAISES {
                let document = workspace.read(&DocName::HEARTBEAT).unwrap().unwrap();
                let next = counted(&document.lossy()) + 1;
                let signed = format!("{next} {}", std::process::id());
                let mode = WriteMode::IfRevision(document.revision());
                match workspace.write(&DocName::HEARTBEAT, signed.as_bytes(), mode) {
                    Ok(_) => {
                        tell(&next.to_string());
                        raised += 1;
                    }
                    Err(Error::Conflict { .. }) => {}
                    Err(error) => panic!("{error:?}"),
                }
            }
        }
        #[cfg(unix)]
        "read only" => unix::try_to_write(&workspace),
        #[cfg(target_os = "linux")]
        "read a long tail" => unix::read_a_long_tail(&workspace),
        other => panic!("no role {other:?}"),
    }
}

/// Modes, links, pipes, sparse files.
#[test]
fn a_replacement_is_durable_also_where_the_writers_before_were_killed() {
    // One was killed when it had made a folder, the next when it had put the file there, each before its sync.
    // The replacement then synced the innermost folder alone, and a power loss took the others. The same bytes are
    // durable too: they may stand there in the cache alone.
    let write = |disk: &MemoryDisk, bytes: &[u8], mode| {
        FileWorkspace::on_disk(Arc::new(disk.clone())).write(&name("a/b/new.md"), bytes, mode).unwrap();
        disk.operations().len()
    };
    let created = MemoryDisk::new();
    for n in 0..write(&created, b"old", WriteMode::Create) {
        let first = created.after_kill(n);
        for m in n..write(&first, b"older", WriteMode::Replace) {
            for last in [&b"new"[..], b"older", b"old"] {
                let disk = first.after_kill(m);
                let end = write(&disk, last, WriteMode::Replace);
                let files = disk.power_loss(end).image(&[]).files();
                assert_eq!(files.get("a/b/new.md").map(Vec::as_slice), Some(last), "killed after {n}, {m}");
            }
        }
    }
}

#[test]
fn a_guard_of_zeros_is_a_guard_without_an_epoch() {
    // Its first epoch was lost with the power, its length was not; every claim then called it damaged.
    let disk = MemoryDisk::new();
    disk.put(".dreaming.d/guard", [0; 21]);
    let workspace = FileWorkspace::on_disk(Arc::new(disk));
    let Claim::Granted(lease) = workspace.claim(&ClaimTerms::default()).unwrap() else { panic!("held") };
    assert_eq!(lease.epoch(), 1);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use noctuary::workspace::{Claim, ClaimTerms, Name, Refusal, StateName};

    use super::*;
    use noctuary_tests::common::in_role;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn refusal<T: std::fmt::Debug>(result: Result<T>) -> Refusal {
        match result {
            Err(Error::Refused { reason, .. }) => reason,
            other => panic!("this must be refused: {other:?}"),
        }
    }

    /// A workspace `root` beside a folder `outside` that holds a document and a folder.
    struct Fenced {
        folder: TempDir,
        workspace: FileWorkspace,
    }

    impl Fenced {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir_all(folder.path().join("root")).unwrap();
            fs::create_dir_all(folder.path().join("outside/memory")).unwrap();
            fs::write(folder.path().join("outside/secret.md"), "secret").unwrap();
            fs::write(folder.path().join("outside/memory/secret.md"), "secret").unwrap();
            let workspace = open(&folder.path().join("root"));
            Self { folder, workspace }
        }

        fn root(&self) -> std::path::PathBuf {
            self.folder.path().join("root")
        }

        fn outside(&self) -> std::path::PathBuf {
            self.folder.path().join("outside")
        }

        /// Runs, and holds against what was outside before.
        fn keeps_outside(&self, run: impl FnOnce(&FileWorkspace)) {
            let before = tree(&self.outside());
            run(&self.workspace);
            assert_eq!(tree(&self.outside()), before, "nothing outside is written");
        }
    }

    /// Every verb on a name refuses, and says why.
    fn every_verb_refuses(workspace: &FileWorkspace, name: &Name, reason: Refusal) {
        assert_eq!(refusal(workspace.metadata(name)), reason, "metadata of {name}");
        for found in workspace.metadata_of(&[name, name]) {
            assert_eq!(refusal(found), reason, "metadata of {name} and others");
        }
        assert_eq!(refusal(workspace.read(name)), reason, "read {name}");
        assert_eq!(refusal(workspace.read_range(name, 0..9)), reason, "read a range of {name}");
        assert_eq!(refusal(workspace.read_tail(name, 9)), reason, "read a tail of {name}");
        let revision = Revision::of(b"secret");
        for mode in [WriteMode::Create, WriteMode::Replace, WriteMode::IfRevision(revision)] {
            assert_eq!(refusal(workspace.write(name, b"x", mode)), reason, "write {name}, {mode:?}");
        }
        assert_eq!(refusal(workspace.append(name, b"x")), reason, "append to {name}");
        assert_eq!(refusal(workspace.remove(name)), reason, "remove {name}");
        assert_eq!(refusal(workspace.rename(name, &super::name("moved.md"))), reason, "rename {name}");
        workspace.write(&DocName::TOOLS, b"x", WriteMode::Replace).unwrap();
        assert_eq!(refusal(workspace.rename(&DocName::TOOLS, name)), reason, "rename to {name}");
    }

    #[test]
    fn new_files_and_folders_are_their_owners_alone() {
        // BX-17: modes 0600 and 0700.
        let (folder, workspace) = new();
        workspace.write(&DocName::MEMORY, b"x", WriteMode::Create).unwrap();
        workspace.write(&DocName::USER, b"x", WriteMode::Replace).unwrap();
        workspace.append(&name("memory/deep/a.md"), b"x").unwrap();
        workspace.write(&StateName::LEDGER, b"{}", WriteMode::Replace).unwrap();
        let lease = workspace.claim(&ClaimTerms::default()).unwrap();
        for path in tree(folder.path()).into_keys() {
            let full = folder.path().join(&path);
            let expected = if full.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(&full), expected, "{}", path.display());
        }
        drop(lease);
    }

    #[test]
    fn a_replace_keeps_the_mode() {
        // BX-17: permissions of an existing document are kept.
        let (folder, workspace) = new();
        let path = folder.path().join("MEMORY.md");
        for (at, kept) in [0o644, 0o600, 0o640, 0o666, 0o444].into_iter().enumerate() {
            fs::write(&path, "old").unwrap();
            set_mode(&path, kept);
            workspace.write(&DocName::MEMORY, format!("new {at}").as_bytes(), WriteMode::Replace).unwrap();
            assert_eq!(mode(&path), kept, "{kept:o}");
            set_mode(&path, 0o644);
            workspace.append(&DocName::MEMORY, b"more").unwrap();
            assert_eq!(mode(&path), 0o644, "an append keeps it too");
        }
    }

    #[test]
    fn the_root_may_be_a_link_and_is_resolved_once() {
        let folder = tempfile::tempdir().unwrap();
        for root in ["real", "other"] {
            fs::create_dir(folder.path().join(root)).unwrap();
        }
        let link = folder.path().join("link");
        symlink(folder.path().join("real"), &link).unwrap();
        let workspace = open(&link);
        workspace.write(&DocName::MEMORY, b"x", WriteMode::Create).unwrap();
        fs::remove_file(&link).unwrap();
        symlink(folder.path().join("other"), &link).unwrap();
        workspace.append(&DocName::MEMORY, b"y").unwrap();
        assert_eq!(fs::read(folder.path().join("real/MEMORY.md")).unwrap(), b"x\ny");
        assert!(tree(&folder.path().join("other")).is_empty());
    }

    #[test]
    fn a_linked_file_is_refused_by_every_verb() {
        // BX-17: symlinks are refused.
        let fenced = Fenced::new();
        symlink(fenced.outside().join("secret.md"), fenced.root().join("MEMORY.md")).unwrap();
        symlink(fenced.outside().join("none.md"), fenced.root().join("SOUL.md")).unwrap();
        fs::write(fenced.root().join("plain.md"), "x").unwrap();
        symlink("plain.md", fenced.root().join("USER.md")).unwrap();
        fenced.keeps_outside(|workspace| {
            for name in [DocName::MEMORY, DocName::SOUL, DocName::USER] {
                every_verb_refuses(workspace, &name, Refusal::Symlink);
            }
            let listing = workspace.list(None).unwrap();
            assert_eq!(listing.refused, ["MEMORY.md", "SOUL.md", "USER.md"]);
            assert_eq!(listing.documents, [DocName::TOOLS, name("plain.md")]);
        });
        assert!(!fenced.outside().join("none.md").exists(), "a dangling link makes nothing");
        assert_eq!(fs::read(fenced.root().join("plain.md")).unwrap(), b"x");
    }

    #[test]
    fn a_linked_state_file_is_refused_by_every_verb() {
        let fenced = Fenced::new();
        symlink(fenced.outside().join("secret.md"), fenced.root().join(".dreamed-state.json")).unwrap();
        fenced
            .keeps_outside(|workspace| every_verb_refuses(workspace, &StateName::DREAMED, Refusal::Symlink));
    }

    #[test]
    fn a_linked_folder_is_refused_by_every_verb() {
        let fenced = Fenced::new();
        symlink(fenced.outside().join("memory"), fenced.root().join("memory")).unwrap();
        symlink(fenced.outside().join("none"), fenced.root().join("daily")).unwrap();
        fs::create_dir(fenced.root().join("deep")).unwrap();
        symlink(fenced.outside(), fenced.root().join("deep/linked")).unwrap();
        fenced.keeps_outside(|workspace| {
            for path in ["memory/secret.md", "memory/new.md", "daily/new.md", "deep/linked/memory/secret.md"]
            {
                every_verb_refuses(workspace, &name(path), Refusal::Symlink);
            }
            for folder in [DocName::JOURNALS, DocName::DAILY, name("deep/linked"), name("deep/linked/memory")]
            {
                assert_eq!(refusal(workspace.list(Some(&folder))), Refusal::Symlink, "list {folder}");
            }
            assert_eq!(workspace.list(None).unwrap().refused, ["daily", "memory"]);
            assert_eq!(workspace.list(Some(&name("deep"))).unwrap().refused, ["linked"]);
        });
    }

    #[test]
    fn a_pipe_is_refused_and_holds_nobody() {
        let fenced = Fenced::new();
        let made = Command::new("mkfifo").arg(fenced.root().join("MEMORY.md")).status();
        if !made.is_ok_and(|status| status.success()) {
            println!("skipped: there is no mkfifo here");
            return;
        }
        fenced.keeps_outside(|workspace| {
            every_verb_refuses(workspace, &DocName::MEMORY, Refusal::NotAFile);
            assert_eq!(workspace.list(None).unwrap().refused, ["MEMORY.md"]);
            assert_eq!(refusal(workspace.list(Some(&DocName::MEMORY))), Refusal::NotAFolder);
        });
    }

    #[test]
    fn a_socket_is_refused() {
        let fenced = Fenced::new();
        let _socket = std::os::unix::net::UnixListener::bind(fenced.root().join("MEMORY.md")).unwrap();
        every_verb_refuses(&fenced.workspace, &DocName::MEMORY, Refusal::NotAFile);
    }

    #[test]
    fn a_folder_is_no_file_and_a_file_is_no_folder() {
        let fenced = Fenced::new();
        fs::create_dir(fenced.root().join("MEMORY.md")).unwrap();
        fs::write(fenced.root().join("memory"), "x").unwrap();
        every_verb_refuses(&fenced.workspace, &DocName::MEMORY, Refusal::NotAFile);
        every_verb_refuses(&fenced.workspace, &name("memory/a.md"), Refusal::NotAFolder);
        assert_eq!(refusal(fenced.workspace.list(Some(&DocName::JOURNALS))), Refusal::NotAFolder);
        assert!(fenced.root().join("MEMORY.md").is_dir());
        assert_eq!(fs::read(fenced.root().join("memory")).unwrap(), b"x");
    }

    #[test]
    fn our_own_folder_and_files_are_refused_where_they_are_links() {
        type Place = fn(&Fenced);
        let places: [(&str, Place); 6] = [
            ("the folder", |fenced| {
                symlink(fenced.outside(), fenced.root().join(".dreaming.d")).unwrap();
            }),
            ("the folder, dangling", |fenced| {
                symlink(fenced.outside().join("none"), fenced.root().join(".dreaming.d")).unwrap();
            }),
            ("the guard", |fenced| {
                fs::create_dir(fenced.root().join(".dreaming.d")).unwrap();
                symlink(fenced.outside().join("secret.md"), fenced.root().join(".dreaming.d/guard")).unwrap();
            }),
            ("the write guard", |fenced| {
                fs::create_dir(fenced.root().join(".dreaming.d")).unwrap();
                symlink(fenced.outside().join("none"), fenced.root().join(".dreaming.d/write-guard"))
                    .unwrap();
            }),
            ("the lock", |fenced| {
                symlink(fenced.outside().join("secret.md"), fenced.root().join(".dreaming.lock")).unwrap();
            }),
            ("the lock, dangling", |fenced| {
                symlink(fenced.outside().join("none"), fenced.root().join(".dreaming.lock")).unwrap();
            }),
        ];
        for (title, place) in places {
            let fenced = Fenced::new();
            place(&fenced);
            fenced.keeps_outside(|workspace| {
                let answer = workspace.claim(&ClaimTerms::default());
                assert_eq!(refusal(answer), Refusal::Symlink, "{title}");
                if title.contains("folder") || title.contains("write") {
                    let answer = workspace.write(&DocName::MEMORY, b"x", WriteMode::Create);
                    assert_eq!(refusal(answer), Refusal::Symlink, "{title}");
                    assert_eq!(
                        refusal(workspace.append(&DocName::MEMORY, b"x")),
                        Refusal::Symlink,
                        "{title}"
                    );
                }
            });
        }
    }

    #[test]
    fn a_folder_that_is_swapped_for_a_link_leads_nobody_outside() {
        let fenced = Fenced::new();
        let (root, outside) = (fenced.root(), fenced.outside());
        let journal = name("memory/secret.md");
        fs::create_dir(root.join("memory")).unwrap();
        let before = tree(&outside);
        let stop = AtomicBool::new(false);
        let mut counts = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for at in 0_u64.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    // Each step may meet what the writers made meanwhile; then the next round goes on.
                    let parked = root.join(format!("parked-{at}"));
                    let _ = fs::rename(root.join("memory"), &parked);
                    let _ = symlink(outside.join("memory"), root.join("memory"));
                    let _ = fs::remove_file(root.join("memory"));
                    let _ = fs::rename(&parked, root.join("memory"));
                }
            });
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let _ = fs::remove_file(root.join("USER.md"));
                    let _ = symlink(outside.join("secret.md"), root.join("USER.md"));
                    let _ = fs::remove_file(root.join("USER.md"));
                    let _ = fs::write(root.join("USER.md.new"), "inside");
                    let _ = fs::rename(root.join("USER.md.new"), root.join("USER.md"));
                }
            });
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(1) {
                for name in [&journal, &DocName::USER] {
                    let answer = fenced.workspace.append(name, b"inside\n");
                    counts.0 += u32::from(answer.is_ok());
                    counts.1 += u32::from(answer.is_err());
                    if let Ok(Some(document)) = fenced.workspace.read(name) {
                        assert!(!document.lossy().contains("secret"), "nothing outside is read");
                    }
                    if let Ok(range) = fenced.workspace.read_range(name, 0..6) {
                        assert_ne!(range, b"secret", "nothing outside is read");
                    }
                    let _ = fenced.workspace.write(name, b"inside\n", WriteMode::Replace);
                    let _ = fenced.workspace.remove(name);
                }
                if let Ok(listing) = fenced.workspace.list(Some(&DocName::JOURNALS)) {
                    assert!(listing.folders.is_empty());
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        println!("appends inside: {}, refused or gone: {}", counts.0, counts.1);
        assert!(counts.0 > 0, "some appends went through");
        assert_eq!(tree(&outside), before, "nothing outside is written");
    }

    #[test]
    fn a_read_only_folder_is_read_and_says_that_it_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("MEMORY.md"), "old").unwrap();
        set_mode(&folder.path().join("MEMORY.md"), 0o444);
        let is_root = fs::metadata(folder.path()).unwrap().uid() == 0;
        let mut command = in_role(super::HERE, "read only", folder.path());
        if is_root {
            // Modes do not bind the superuser, so somebody else has to try.
            command.uid(NOBODY).gid(NOBODY);
            command.current_dir("/");
        }
        set_mode(folder.path(), 0o555);
        let before = tree(folder.path());
        match Peer::of(&mut command) {
            Ok(mut peer) => {
                peer.go_on();
                assert_eq!(peer.finish(), ["read, and not written"]);
            }
            Err(error) => {
                println!("skipped: modes do not bind the superuser, and nobody cannot run: {error}");
            }
        }
        assert_eq!(tree(folder.path()), before);
        set_mode(folder.path(), 0o700);
    }

    const NOBODY: u32 = 65534;

    pub(super) fn try_to_write(workspace: &FileWorkspace) {
        assert_eq!(workspace.read_text(&DocName::MEMORY).unwrap().as_deref(), Some("old"));
        assert_eq!(workspace.list(None).unwrap().documents, [DocName::MEMORY]);
        let denied = |error: Error| match error {
            Error::Io { source, .. } => assert_eq!(source.kind(), ErrorKind::PermissionDenied),
            other => panic!("{other:?}"),
        };
        denied(workspace.write(&DocName::MEMORY, b"new", WriteMode::Replace).unwrap_err());
        denied(workspace.write(&DocName::USER, b"new", WriteMode::Create).unwrap_err());
        denied(workspace.append(&DocName::MEMORY, b"new").unwrap_err());
        denied(workspace.remove(&DocName::MEMORY).unwrap_err());
        denied(workspace.rename(&DocName::MEMORY, &DocName::USER).unwrap_err());
        denied(workspace.claim(&ClaimTerms::default()).unwrap_err());
        tell("read, and not written");
    }

    #[test]
    fn a_write_by_the_superuser_leaves_the_document_to_its_owner() {
        let (folder, workspace) = new();
        let path = folder.path().join("MEMORY.md");
        fs::write(&path, "old").unwrap();
        if std::os::unix::fs::chown(&path, Some(NOBODY), Some(NOBODY)).is_err() {
            println!("skipped: only the superuser gives files away");
            return;
        }
        workspace.write(&DocName::MEMORY, b"new", WriteMode::Replace).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!((metadata.uid(), metadata.gid()), (NOBODY, NOBODY), "who could read it, still can");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_long_journal_is_read_from_its_end_in_bounded_memory() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("memory")).unwrap();
        let file = fs::File::create(folder.path().join("memory/long.md")).unwrap();
        file.set_len(2 << 30).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, "\nthe last line ✓\n".as_bytes(), 2 << 30).unwrap();
        let mut peer = Peer::start(super::HERE, "read a long tail", folder.path());
        peer.go_on();
        assert_eq!(peer.finish(), ["read in bounded memory"]);
    }

    /// In a process of its own, whose memory is no other test's.
    #[cfg(target_os = "linux")]
    pub(super) fn read_a_long_tail(workspace: &FileWorkspace) {
        let journal = name("memory/long.md");
        let text = "\nthe last line ✓\n";
        let len = (2 << 30) + text.len() as u64;
        let before = peak_memory();
        assert_eq!(workspace.metadata(&journal).unwrap().unwrap().len, len);
        let tail = workspace.read_tail(&journal, 64 << 10).unwrap();
        assert!(tail.text.ends_with(text));
        assert_eq!(tail.start, len - (64 << 10));
        assert_eq!(workspace.read_range(&journal, len - 2..len + 5).unwrap(), "✓\n".as_bytes()[2..]);
        let grown = peak_memory() - before;
        assert!(grown < 8 << 10, "{grown} KiB for a tail of 64 KiB");

        match workspace.read(&journal) {
            Err(Error::TooLarge { len: found, limit, .. }) => assert_eq!((found, limit), (len, MAX_DOCUMENT)),
            other => panic!("{other:?}"),
        }
        let error = workspace.read_range(&journal, 0..MAX_DOCUMENT + 1).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error:?}");
        let error = workspace.read_tail(&journal, u64::MAX).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error:?}");
        let grown = (peak_memory() - before) >> 10;
        assert!(grown < 2 * (MAX_DOCUMENT >> 20), "{grown} MiB to refuse a document");
        tell("read in bounded memory");
    }

    /// The most memory that this process has had at once, in KiB.
    #[cfg(target_os = "linux")]
    fn peak_memory() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_that_differ_in_case_only_are_reported() {
        let (folder, workspace) = new();
        for file in ["MEMORY.md", "memory.md", "Notes.md", "notes.md", "NOTES.md"] {
            fs::write(folder.path().join(file), file).unwrap();
        }
        let listing = workspace.list(None).unwrap();
        assert_eq!(listing.documents.len(), 5);
        assert!(listing.collisions.contains(&(DocName::MEMORY, DocName::LEGACY_MEMORY)));
        assert_eq!(listing.collisions.len(), 3, "{:?}", listing.collisions);
        assert_eq!(workspace.read_text(&DocName::LEGACY_MEMORY).unwrap().as_deref(), Some("memory.md"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_name_that_is_no_text_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        let (folder, workspace) = new();
        fs::create_dir(folder.path().join("memory")).unwrap();
        let hostile = std::ffi::OsStr::from_bytes(b"2026-\xff\xfe.md");
        fs::write(folder.path().join(hostile), "x").unwrap();
        fs::write(folder.path().join("memory").join(hostile), "x").unwrap();
        fs::write(folder.path().join("a\\b.md"), "x").unwrap();
        fs::write(folder.path().join("line\nbreak.md"), "x").unwrap();
        fs::write(folder.path().join("SOUL.md"), "x").unwrap();
        let root = workspace.list(None).unwrap();
        assert_eq!(root.documents, [DocName::SOUL]);
        assert_eq!(root.refused, ["2026-\u{fffd}\u{fffd}.md", "a\\b.md", "line\nbreak.md"]);
        let journals = workspace.list(Some(&DocName::JOURNALS)).unwrap();
        assert!(journals.documents.is_empty());
        assert_eq!(journals.refused, ["2026-\u{fffd}\u{fffd}.md"]);
    }

    #[test]
    fn a_claim_on_a_plain_root_goes_through_after_all_that() {
        let fenced = Fenced::new();
        assert!(matches!(fenced.workspace.claim(&ClaimTerms::default()).unwrap(), Claim::Granted(_)));
    }
}
