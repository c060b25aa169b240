//! Documents found by their words: what is written, what is edited by hand, who finds it, and what is mended.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use noctuary::exchange::Forget;
use noctuary::life::{GroupName, GroupView, Guarded, Indexed, SyncReport};
use noctuary::memory::IndexState;
use noctuary::search::{
    Audience, ChunkConfig, DocumentIndex, IndexChange, IndexEntry, SearchResult, SeenDocument,
};
use noctuary::testing::{Faults, FaultyWorkspace, Script, contract};
use noctuary::workspace::{Claim, ClaimTerms, MAX_DOCUMENT, Reach, Revision, StateName, WorkspaceExt};
use noctuary::{
    Access, Actor, DocName, Error, FileWorkspace, JournalDreamer, Result, Scope, SessionKind, SqliteIndex,
    SqliteWorkspace, Workspace, WriteMode, dream_once_at,
};
use rusqlite::Connection;
use tempfile::TempDir;

use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::marta::{marta, name, now};
use noctuary_tests::common::{Peer, listen, role, tell};

type Home = Indexed<Arc<dyn Workspace>>;

fn access(kind: SessionKind) -> Access {
    Access::new(kind, Actor::Agent, marta())
}

const KINDS: [SessionKind; 4] =
    [SessionKind::Main, SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled];

/// A folder with documents and an index file beside it.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("life")).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn files(&self) -> Arc<dyn Workspace> {
        self.files_within(Reach::everything())
    }

    fn files_within(&self, reach: Reach) -> Arc<dyn Workspace> {
        Arc::new(FileWorkspace::open(self.path("life")).unwrap().reaching(reach))
    }

    fn put(&self, file: &str, text: &str) {
        let path = self.path("life").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn sqlite(&self) -> Arc<dyn Workspace> {
        Arc::new(SqliteWorkspace::open(self.path("life.db"), marta()).unwrap())
    }

    fn index(&self, file: &str) -> SqliteIndex {
        SqliteIndex::open(self.path(file), marta()).unwrap()
    }

    /// Documents as files, and an index in a file of its own.
    fn over_files(&self) -> Home {
        Indexed::new(self.files(), self.index("index.db"))
    }

    /// A plain connection, as another program has it.
    fn peer(&self, file: &str) -> Connection {
        Connection::open(self.path(file)).unwrap()
    }
}

/// Every home: a folder, a SQLite file with its index beside it, and one with its index inside.
fn on_every_home(test: impl Fn(&Home, Arc<dyn Workspace>, SqliteIndex)) {
    let over = |workspace: Arc<dyn Workspace>, index: SqliteIndex| {
        test(&Indexed::new(Arc::clone(&workspace), index.clone()), workspace, index);
    };
    let folder = Folder::new();
    over(folder.files(), folder.index("index.db"));
    let folder = Folder::new();
    over(folder.sqlite(), folder.index("index.db"));
    let folder = Folder::new();
    over(folder.sqlite(), folder.index("life.db"));
}

fn find(workspace: &Home, query: &str) -> Vec<SearchResult> {
    workspace.search_unmasked(&access(SessionKind::Main), query, 100).unwrap().results
}

fn paths(workspace: &Home, query: &str) -> BTreeSet<String> {
    find(workspace, query).into_iter().map(|result| result.path.to_string()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn write(workspace: &dyn Workspace, document: &str, text: &str) {
    workspace.write(&name(document), text.as_bytes(), WriteMode::Replace).unwrap();
}

/// Added, changed, removed, unchanged.
fn counts(report: &SyncReport) -> (usize, usize, usize, u64) {
    (report.added.len(), report.changed.len(), report.removed.len(), report.unchanged)
}

#[test]
fn an_index_in_a_file_keeps_the_contract() {
    let folders = std::cell::RefCell::new(Vec::new());
    contract::index::suite(&|| {
        let folder = Folder::new();
        let index = folder.index("index.db");
        folders.borrow_mut().push(folder);
        Arc::new(index)
    });
    contract::index::suite(&|| Arc::new(SqliteIndex::open_in_memory(marta()).unwrap()));
}

#[test]
fn an_indexed_workspace_is_a_workspace() {
    let folders = std::cell::RefCell::new(Vec::new());
    for is_sqlite in [false, true] {
        contract::workspace(&|| {
            let folder = Folder::new();
            let workspace = if is_sqlite { folder.sqlite() } else { folder.files() };
            let indexed = Indexed::new(workspace, SqliteIndex::open_in_memory(marta()).unwrap());
            folders.borrow_mut().push(folder);
            Arc::new(indexed)
        });
    }
}

/// VW-07
#[test]
fn what_is_written_is_found_when_the_verb_returns() {
    on_every_home(|workspace, _, _| {
        write(workspace, "a.md", "harbour\n");
        assert_eq!(paths(workspace, "harbour"), set(&["a.md"]));
        workspace.append(&name("a.md"), b"garden\n").unwrap();
        assert_eq!(paths(workspace, "garden"), set(&["a.md"]));
        write(workspace, "a.md", "lantern\n");
        assert_eq!(paths(workspace, "harbour OR garden"), set(&[]));
        workspace.rename(&name("a.md"), &name("deep/b.md")).unwrap();
        assert_eq!(paths(workspace, "lantern"), set(&["deep/b.md"]));
        workspace.append(&name("deep"), b"harbour").expect_err("a folder is no document");
        workspace.remove(&name("deep/b.md")).unwrap();
        assert_eq!(paths(workspace, "lantern"), set(&[]));

        let Claim::Granted(lease) = workspace.claim(&ClaimTerms::default()).unwrap() else { panic!("held") };
        lease.append(&DocName::MEMORY, b"- harbour\n").unwrap();
        assert_eq!(paths(workspace, "harbour"), set(&["MEMORY.md"]));
        lease.replace(&DocName::MEMORY, b"- garden\n").unwrap();
        assert_eq!(
            (paths(workspace, "harbour"), paths(workspace, "garden")),
            (set(&[]), set(&["MEMORY.md"]))
        );
        lease.remove(&DocName::MEMORY).unwrap();
        assert_eq!(paths(workspace, "garden"), set(&[]));
        lease.release().unwrap();

        write(workspace, "a.md", "harbour\n");
        let refused = workspace.write(&name("a.md"), b"garden\n", WriteMode::Create);
        assert!(matches!(refused, Err(Error::Conflict { .. })), "{refused:?}");
        assert_eq!((paths(workspace, "harbour"), paths(workspace, "garden")), (set(&["a.md"]), set(&[])));
        assert!(workspace.take_failures().is_empty());
        let report = workspace.sync(now()).unwrap();
        assert_eq!(counts(&report), (0, 0, 0, 1), "there is nothing to catch up with: {report:?}");
    });
}

// "What do I prefer?" found the headings of three templates before the one line that says it.
#[test]
fn what_nobody_has_written_is_not_found_before_what_somebody_said() {
    use noctuary::{Life, LifeConfig};

    on_every_home(|workspace, beneath, _| {
        Life::new(Arc::clone(&beneath), LifeConfig::default()).seed().unwrap();
        write(
            &beneath,
            "memory/2026-11-20-repl.md",
            "# Memory — 2026-11-20\n\n- [09:00:00] [user] I prefer short answers.\n",
        );
        workspace.sync(now()).unwrap();
        for query in ["What do I prefer?", "preferences", "prefer", "facts", "memory", "safety"] {
            let found = paths(workspace, query);
            assert!(found.is_subset(&set(&["memory/2026-11-20-repl.md"])), "{query}: {found:?}");
        }
        assert_eq!(find(workspace, "What do I prefer?").len(), 1);
        // What somebody writes below a heading is found, and the other headings are not.
        let memory = "# Memory\r\n\r\n## Facts\r\n\r\n- The boat is called Brisk.\r\n\r\n## Preferences\r\n\r\n## Decisions\r\n";
        write(workspace, "MEMORY.md", memory);
        assert_eq!(paths(workspace, "boat facts"), set(&["MEMORY.md"]));
        assert_eq!(paths(workspace, "decisions"), set(&[]));
        // A page that was edited is found by what was edited, and by no section that was not.
        let agents = beneath.read_text(&DocName::AGENTS).unwrap().unwrap();
        write(
            workspace,
            "AGENTS.md",
            &agents.replace("## Safety\n", "## Safety\n\nAsk Marta about the quetzal first.\n"),
        );
        assert_eq!(paths(workspace, "quetzal"), set(&["AGENTS.md"]));
        assert!(find(workspace, "heartbeats").is_empty());
        write(workspace, "notes.md", "# Preferences\n\n- tea\n\n## 好み\n");
        assert_eq!(
            (paths(workspace, "preferences").contains("notes.md"), paths(workspace, "好み")),
            (true, set(&[]))
        );
    });
}

// A hit in a journal was 1,600 bytes of the day.
#[test]
fn a_hit_of_a_journal_is_the_entry_that_matched() {
    on_every_home(|workspace, _, _| {
        let day: String = (0..30)
            .map(|n| format!("- [09:{n:02}:00] [agent] The garden was watered, round {n}.\n"))
            .collect();
        let text = format!(
            "# Memory — 2026-11-20\n\n## Session [09:00]\n\n{day}- [10:00:00] [user] I prefer short answers.\n  | In German.\n\
             - [10:01:00] [agent] Noted.\n- [10:02:00] [user] Tôi thích trà, phà lúc chín giờ.\n- [10:03:00] [user] フェリーは九時に出る。\n\
             - [10:04:00] [user] המעבורת יוצאת בתשע.\n- [10:05:00] [user] Vapur dokuzda kalkıyor.\n- [10:06:00] [user] नाव नौ बजे जाती है।\n{day}"
        );
        write(workspace, "memory/2026-11-20-repl.md", &text);
        write(workspace, "notes.md", "# Notes\n\nMore on answers:\nshort ones.\n");
        let access = access(SessionKind::Main);
        let shown = |workspace: &Home, query: &str| -> Vec<(String, (u64, u64), String)> {
            let found = workspace.search(&access, query, 9).unwrap().results;
            let raw = workspace.search_unmasked(&access, query, 9).unwrap();
            let own = workspace.entries(&access, query, raw, 9).unwrap().results;
            assert_eq!(own, found, "nothing is masked here");
            found.into_iter().map(|found| (found.path.to_string(), found.lines, found.content)).collect()
        };
        let journal =
            |lines, content: &str| ("memory/2026-11-20-repl.md".to_owned(), lines, content.to_owned());
        let entry = "- [10:00:00] [user] I prefer short answers.\n  | In German.\n";
        assert_eq!(shown(workspace, "What do I prefer?"), [journal((35, 36), entry)]);
        assert_eq!(shown(workspace, "prefer german"), [journal((35, 36), entry)]);
        for (query, line, words) in [
            ("thích trà", 38, "Tôi thích trà"),
            ("フェリー", 39, "フェリーは九時"),
            ("המעבורת", 40, "המעבורת"),
            ("vapur", 41, "Vapur dokuzda"),
            ("नाव", 42, "नाव नौ"),
        ] {
            let found = shown(workspace, query);
            assert_eq!((found.len(), found[0].1), (1, (line, line)), "{query}: {found:?}");
            assert!(found[0].2.contains(words), "{query}");
        }
        let most = shown(workspace, "garden watered");
        assert!(most.len() <= 9 && most.iter().all(|(_, (first, last), _)| first == last), "{most:?}");
        let places: BTreeSet<_> = most.iter().map(|(_, lines, _)| lines).collect();
        assert_eq!(places.len(), most.len(), "no entry is given twice");
        // By its day it is the whole chunk, as before; and other documents are given by chunks.
        assert!(shown(workspace, "2026-11-20").iter().any(|(.., content)| content.lines().count() > 5));
        let notes = shown(workspace, "\"more on answers\"");
        assert_eq!(notes[0].2, "# Notes\n\nMore on answers:\nshort ones.\n");
        let around = workspace.clone().with_neighbours(1);
        let with = shown(&around, "prefer german");
        assert_eq!((with.len(), with[0].1), (1, (34, 37)), "{with:?}");
        assert!(with[0].2.contains("round 29") && with[0].2.ends_with("[agent] Noted.\n"));
        // In a line that was moved since, it is found where it stands now.
        let moved = format!("- early\n{text}");
        workspace
            .workspace()
            .write(&name("memory/2026-11-20-repl.md"), moved.as_bytes(), WriteMode::Replace)
            .unwrap();
        assert_eq!(shown(workspace, "prefer german"), [journal((36, 37), entry)]);
    });
}

#[test]
fn an_entry_comes_behind_a_later_one_that_says_it_anew_and_names_it() {
    on_every_home(|workspace, _, _| {
        let days = ["2026-11-02", "2026-11-09", "2026-11-16"];
        let said = [
            [
                "The archive is in Oslo, the archive of the office.",
                "The archive of the office moved to Bergen.",
            ],
            ["Vapurun biletleri 40 lira.", "Vapurun biletleri 55 lira."],
            ["The quay is closed.", "Joris says that the quay is open now."],
        ];
        for (at, [older, newer]) in said.iter().enumerate() {
            let who = |at| if at == 2 { "agent" } else { "user" };
            let journal = |at: usize, text: &str| format!("- [09:0{at}:00] [{}] {text}\n", who(at));
            let old = journal(0, older);
            write(workspace, &format!("memory/{}-chat{at}.md", days[0]), &old);
            write(workspace, &format!("memory/{}-chat{at}.md", days[1]), &journal(at, newer));
        }
        let day = days[2];
        write(
            workspace,
            &format!("memory/{day}-chat.md"),
            "- [09:00:00] [user] We were late today, and the archive of the office is in Hamar now, says Ines.\n",
        );
        let access = access(SessionKind::Main);
        let found = |query: &str| workspace.search(&access, query, 9).unwrap().results;
        let told = |query: &str| -> Vec<(String, Option<String>)> {
            found(query).into_iter().map(|found| (found.path.to_string(), found.newer)).collect()
        };
        let [first, second] =
            [0, 1].map(|at| move |chat: usize| format!("memory/{}-chat{chat}.md", days[at]));
        let third = "memory/2026-11-16-chat.md";
        let newest = Some(format!("{third}#L1"));
        let all = told("Where is the archive of the office?");
        assert_eq!(all[0], (third.to_owned(), None), "{all:?}");
        for older in [first(0), second(0)] {
            assert!(all.contains(&(older, newest.clone())), "{all:?}");
        }
        let scores: Vec<f64> =
            found("Where is the archive of the office?").iter().map(|found| found.score).collect();
        assert!(
            scores.is_sorted_by(|one, other| one >= other),
            "the scores stay in their places: {scores:?}"
        );
        assert_eq!(
            told("vapurun biletleri kaç lira"),
            [(second(1), None), (first(1), Some(format!("{}#L1", second(1))))]
        );
        // Who asks for the past, and what the agent says of the human's words.
        assert!(
            told("Where was the archive of the office originally?").iter().all(|(_, newer)| newer.is_none())
        );
        assert!(told("Is the quay closed?").iter().all(|(_, newer)| newer.is_none()));
        // Where only one is given, it is the newest.
        let one = workspace.search(&access, "Where is the archive of the office?", 1).unwrap().results;
        assert_eq!((one.len(), one[0].path.as_str()), (1, third));
    });
}

// The choice among the entries of a chunk must not tell what is hidden in one of them.
#[test]
fn which_entry_is_given_does_not_tell_what_is_masked() {
    on_every_home(|workspace, _, _| {
        let text = "- [09:00:00] [user] The harbour key is AKIAIOSFODNN7EXAMPLE.\n- [09:01:00] [user] The harbour is quiet.\n";
        write(workspace, "memory/2026-11-20-repl.md", text);
        let given = |query: &str| -> Vec<(u64, u64)> {
            let found = workspace.search(&access(SessionKind::Main), query, 9).unwrap().results;
            found.into_iter().map(|found| found.lines).collect()
        };
        assert_eq!(given("harbour AKIAIOSFODNN7EXAMPLE"), given("harbour AKIAIOSFODNN7EXAMPLF"));
        assert!(given("AKIAIOSFODNN7EXAMPLE").is_empty());
    });
}

#[test]
fn a_cut_within_what_was_forgotten_parts_no_letter_and_shows_none_of_it() {
    let folder = Folder::new();
    let words = "Đường Nguyễn Huệ số chín mươi";
    let text = format!("- [09:00:00] [user] trà {words} trà ạ.\n- [09:01:00] [user] trà\n");
    for journal in ["2026-11-20-repl.md", "2026-11-20-shared.x.md"] {
        folder.put(&format!("memory/{journal}"), &text);
    }
    let files = folder.files();
    let human = Access::human(marta());
    noctuary::exchange::Forget::new(&human, words).workspace(&files).run(now()).unwrap();
    for max_bytes in 16..64 {
        let index = SqliteIndex::open_in_memory(marta()).unwrap();
        let chunks = ChunkConfig::Markdown { max_bytes, overlap_bytes: max_bytes / 4 };
        let workspace = Indexed::with_chunks(folder.files(), index, chunks).unwrap();
        workspace.sync(now()).unwrap();
        for kind in KINDS {
            let found = workspace.search(&access(kind), "trà", 99).unwrap().results;
            assert!(!found.is_empty(), "{max_bytes}, {kind:?}");
            assert!(found.iter().all(|found| !found.content.contains("Nguyễn")), "{max_bytes}, {kind:?}");
            let raw = workspace.search_unmasked(&access(kind), "trà", 99).unwrap();
            let own = workspace.entries(&access(kind), "trà", raw, 99).unwrap().results;
            assert!(own.iter().all(|found| !found.content.contains("Nguyễn")), "{max_bytes}, {kind:?}");
        }
    }
}

#[test]
fn what_is_edited_beside_it_is_found_after_a_sync() {
    on_every_home(|workspace, beneath, _| {
        for document in ["a.md", "b.md", "memory/2026-11-20.md", "projects/alpha/notes.md"] {
            write(&beneath, document, &format!("harbour of {document}\n"));
        }
        assert!(find(workspace, "harbour").is_empty());
        let report = workspace.sync(now()).unwrap();
        assert_eq!((counts(&report), report.at), ((4, 0, 0, 0), now()));
        assert_eq!(find(workspace, "harbour").len(), 4);

        write(&beneath, "a.md", "harbour of another text\n");
        beneath.remove(&name("b.md")).unwrap();
        beneath.rename(&name("projects/alpha/notes.md"), &name("projects/beta.md")).unwrap();
        let report = workspace.sync(now()).unwrap();
        assert_eq!(report.changed, [name("a.md")]);
        assert_eq!(report.added, [name("projects/beta.md")]);
        // A row of the same file leaves with its document, before anybody syncs.
        let left: BTreeSet<_> = report.removed.iter().map(|name| name.as_str()).collect();
        assert!(left.is_empty() || left == BTreeSet::from(["b.md", "projects/alpha/notes.md"]), "{left:?}");
        assert_eq!(paths(workspace, "harbour"), set(&["a.md", "memory/2026-11-20.md", "projects/beta.md"]));
        assert_eq!(counts(&workspace.sync(now()).unwrap()), (0, 0, 0, 3));
    });
}

#[test]
fn what_looks_unchanged_is_not_opened_and_the_same_text_is_not_cut_again() {
    let folder = Folder::new();
    let faults = Faults::new();
    let watched: Arc<dyn Workspace> = Arc::new(FaultyWorkspace::new(folder.files(), faults.clone()));
    let index = folder.index("index.db");
    let workspace: Home = Indexed::new(watched, index.clone());
    write(&workspace, "a.md", "harbour\n");
    write(&workspace, "b.md", "garden\n");
    let is_opened = |action: &String| {
        let is_state = ["forgotten.json", ".gitignore", ".ignore"].iter().any(|file| action.ends_with(file));
        action.starts_with("read") && !is_state
    };
    let opened = || faults.seen().into_iter().filter(is_opened).collect::<Vec<_>>();

    faults.disarm();
    assert_eq!(counts(&workspace.sync(now()).unwrap()), (0, 0, 0, 2));
    assert_eq!(opened(), [""; 0]);

    let row = "SELECT indexed_at || modified_ns FROM indexed_documents WHERE path = 'a.md'";
    let chunk = "SELECT created_at || number FROM memory_chunks WHERE content = 'harbour' || char(10)";
    let ask = |sql| folder.peer("index.db").query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    let (seen, made) = (ask(row), ask(chunk));
    let file = fs::File::options().write(true).open(folder.path("life/a.md")).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
    assert_eq!(counts(&workspace.sync(now()).unwrap()), (0, 0, 0, 2), "a touch is no change");
    assert_eq!(opened(), ["read a.md"]);
    assert_ne!(ask(row), seen, "the new time is noted");
    assert_eq!(ask(chunk), made, "and the chunk stands");

    faults.disarm();
    workspace.sync(now()).unwrap();
    assert_eq!(opened(), [""; 0]);
}

#[test]
fn an_append_leaves_the_chunks_before_it_alone() {
    let folder = Folder::new();
    let workspace = folder.over_files();
    let journal = "memory/2026-11-21-repl.md";
    write(&workspace, journal, &"[09:00:00] [user] the harbour lies east\n".repeat(400));
    let numbers = || -> Vec<(i64, i64)> {
        let peer = folder.peer("index.db");
        let mut statement =
            peer.prepare("SELECT chunk_index, number FROM memory_chunks ORDER BY chunk_index").unwrap();
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
    };
    let peer = folder.peer("index.db");
    peer.execute_batch("UPDATE memory_chunks SET embedding = x'00', generation = 'g'").unwrap();
    let before = numbers();
    assert!(before.len() > 5);
    workspace.append(&name(journal), b"[10:00:00] [user] the lantern is lit\n").unwrap();
    assert_eq!(numbers(), before, "places keep their rows");
    let blank: i64 = peer
        .query_row(
            "SELECT count(*) FROM memory_chunks WHERE embedding IS NULL AND generation IS NULL",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(blank, 1, "only the last one reads otherwise, and waits for its vector");
    assert_eq!(find(&workspace, "lantern")[0].lines.1, 401);
}

// A guest had another order than the owner, and found nothing older than the last 4,096 chunks.
#[test]
fn a_guest_finds_what_an_owner_of_the_same_documents_finds() {
    let (guests, owners) = (Folder::new(), Folder::new());
    let words = ["harbour", "boat", "brisk", "keel", "rope", "ferry", "garden", "tea", "rye", "lisbon"];
    let mut dice = Dice(11);
    let mut documents = vec![("notes/0000.md".to_owned(), "The sextant is in the harbour.\n".to_owned())];
    for number in 1..700 {
        let text: String = (0..3 + dice.below(40)).map(|_| dice.pick(&words).to_owned() + " ").collect();
        documents.push((format!("notes/{number:04}.md"), text + "\n"));
    }
    let (shared, alone) = (guests.index("index.db"), owners.index("index.db"));
    let seen = |text: &str, audience| SeenDocument {
        size: text.len() as u64,
        modified: now(),
        revision: Revision::of(text.as_bytes()),
        audience,
        chunking: ChunkConfig::default().identity(),
    };
    let put = |index: &SqliteIndex, path: &str, text: &str, audience| {
        let chunks = ChunkConfig::default().chunks(text);
        let after = IndexEntry::Text { seen: seen(text, audience), text: text.to_owned(), chunks };
        IndexChange { name: name(path), before: index.seen_of(&name(path)).unwrap(), after }
    };
    for part in documents.chunks(100) {
        for index in [&shared, &alone] {
            let changes = part.iter().map(|(path, text)| put(index, path, text, Audience::of(|_| true)));
            assert!(index.apply(&changes.collect::<Vec<_>>(), now()).unwrap().into_iter().all(|done| done));
        }
    }
    let hidden =
        put(&shared, "MEMORY.md", "sextant boat harbour\n", Audience::of(|kind| kind == SessionKind::Main));
    assert_eq!(shared.apply(&[hidden], now()).unwrap(), [true]);
    let found = |index: &SqliteIndex, kind, query: &str| index.search(&access(kind), query, 30).unwrap();
    for query in
        ["sextant", "where is the sextant in the harbour", "boat", "keel rope tea", "\"boat brisk\"", "ferr*"]
    {
        let theirs = found(&shared, SessionKind::Shared, query);
        assert_eq!(theirs, found(&alone, SessionKind::Main, query), "{query}");
        assert!(!theirs.is_empty() && theirs.iter().all(|found| found.path != DocName::MEMORY), "{query}");
    }
    assert_eq!(
        found(&shared, SessionKind::Shared, "where is the sextant in the harbour")[0].path,
        name("notes/0000.md")
    );
}

/// WS-23
#[test]
fn ids_are_the_same_on_every_home_and_after_a_rebuild() {
    let ids = std::cell::RefCell::new(BTreeSet::new());
    on_every_home(|workspace, _, _| {
        write(workspace, "a.md", "# One\n\nharbour\n\n# Two\n\nharbour\n");
        let first = find(workspace, "harbour");
        workspace.rebuild(now()).unwrap();
        let second = find(workspace, "harbour");
        assert_eq!(first, second);
        ids.borrow_mut().extend(first.into_iter().map(|result| (result.document_id, result.chunk_id)));
    });
    assert_eq!(ids.borrow().len(), 2, "two chunks of one document, whatever holds them");
}

/// One canary in each document.
fn fill(workspace: &dyn Workspace) -> Vec<DocName> {
    let documents = [
        "SOUL.md",
        "AGENTS.md",
        "IDENTITY.md",
        "USER.md",
        "MEMORY.md",
        "memory.md",
        "MEMORY.md~",
        "TOOLS.md",
        "BOOTSTRAP.md.done.20260101T000000Z",
        "HEARTBEAT.md",
        "README.md",
        "memory/2026-11-20.md",
        "memory/2026-11-20-repl.md",
        "memory/2026-11-20-shared.team.md",
        "memory/2026-11-20-Shared.team.md",
        "memory/archive/2026-01-01-shared.team.md",
        "daily/2026-11-20-shared.team.md",
        "context/vision.md",
        "projects/alpha/notes.md",
    ];
    for document in documents {
        write(workspace, document, &format!("# Page\n\ncanary +++ of {document}\n"));
    }
    documents.map(name).to_vec()
}

// A playbook that was archived at the end of the onboarding was found by every search of the user's own.
#[test]
fn an_archived_playbook_is_found_by_no_search_and_shown_in_no_prompt() {
    use noctuary::LifeConfig;
    use noctuary::format::OnboardingEnd;
    use noctuary::life::BootstrapOutcome;
    use noctuary::tools::Toolbox;

    on_every_home(|workspace, beneath, index| {
        let says = |told: &str| told.to_lowercase().contains("quetzal");
        let playbook = "# Bootstrap\n\nThe password of the quetzal is asked first.\n";
        write(workspace, "SOUL.md", "# Soul\n");
        write(workspace, "BOOTSTRAP.md", playbook);
        assert!(!paths(workspace, "quetzal").is_empty(), "it was found while it stood");
        let life = noctuary::Life::new(Arc::new(workspace.clone()), LifeConfig::default());
        let done = life.complete_onboarding(OnboardingEnd::Done, Some("repl"), now()).unwrap();
        let BootstrapOutcome::Archived(archived) = done.bootstrap else { panic!("{done:?}") };
        assert_eq!(beneath.read_text(&archived).unwrap().as_deref(), Some(playbook));

        // Also not by an index that was made anew, nor by one that follows edits by hand.
        for again in [false, true] {
            if again {
                workspace.rebuild(now()).unwrap();
                workspace.sync(now()).unwrap();
            }
            for kind in KINDS {
                for actor in [Actor::Human, Actor::Agent, Actor::Library] {
                    let access = Access::new(kind, actor, marta());
                    for query in ["quetzal", "quetz*", "\"password of the quetzal\"", "bootstrap"] {
                        let mut found = workspace.search_unmasked(&access, query, 100).unwrap().results;
                        found.extend(workspace.search(&access, query, 100).unwrap().results);
                        found.extend(index.search(&access, query, 100).unwrap());
                        assert!(!found.iter().any(|result| result.path == archived), "{access:?}: {query}");
                        assert!(!says(&format!("{found:?}")), "{access:?}: {query}");
                    }
                }
                let agent = access(kind);
                let shared: Arc<dyn Workspace> = Arc::new(workspace.clone());
                let tools = Toolbox::new(Guarded::new(Arc::clone(&shared), agent.clone())).indexed(workspace);
                let path = archived.as_str();
                for (tool, asked) in [
                    ("memory_search", serde_json::json!({"query": "quetzal"})),
                    ("memory_read", serde_json::json!({"path": path})),
                    ("memory_list", serde_json::json!({})),
                ] {
                    // By its whole name, the agent of a main session may read what it once followed.
                    if tool == "memory_read" && kind == SessionKind::Main {
                        continue;
                    }
                    let told = format!("{:?}", tools.call(tool, &asked, now()));
                    assert!(!says(&told.replace("\\\"quetzal\\\"", "")), "{kind:?}, {tool}: {told}");
                }
                let life = noctuary::Life::new(shared, LifeConfig::default());
                let mut session = life.begin_session(agent, "s", "repl", now()).unwrap();
                let prompt = session.prompt(&[]).unwrap();
                assert!(!says(&prompt.to_string()), "{kind:?}: {prompt}");
            }
        }
    });
}

#[test]
fn a_search_tells_a_session_what_the_guard_lets_it_read() {
    on_every_home(|workspace, beneath, index| {
        let documents = fill(workspace);
        for kind in KINDS {
            let guard = Guarded::new(&beneath, access(kind));
            let readable: BTreeSet<&DocName> =
                documents.iter().filter(|name| guard.read(name).is_ok()).collect();
            assert_eq!(readable.contains(&DocName::MEMORY), kind == SessionKind::Main);
            assert!(readable.contains(&name("memory/2026-11-20-shared.team.md")));
            // An archived playbook is read by its name alone.
            let is_found = |name: &&DocName| !name.as_str().starts_with("BOOTSTRAP.md.done.");
            let readable: BTreeSet<&DocName> = readable.into_iter().filter(is_found).collect();
            for query in ["canary", "+++", "\"canary\"", "canar*", "page", "canary NOT lantern"] {
                let found = workspace.search_unmasked(&access(kind), query, 100).unwrap().results;
                let told: BTreeSet<&DocName> = found.iter().map(|result| &result.path).collect();
                assert_eq!(told, readable, "{kind:?}: {query}");
                // The index alone says the same: the filter is in its statements.
                assert_eq!(index.search(&access(kind), query, 100).unwrap(), found);
            }
        }
        let stranger = Access::human(Scope::user("ilya"));
        assert!(workspace.search_unmasked(&stranger, "canary", 100).unwrap().results.is_empty());
    });
}

// A hit in MEMORY.md showed a reader the marks by which dreams find their sections again.
#[test]
fn a_passage_of_memory_shows_no_marks_of_a_dream() {
    on_every_home(|workspace, _, _| {
        let marks = [
            "<!-- dream:v1 id=0f3a9c5be2d14477 src=1 sha256=00 -->",
            "<!-- /dream:v1 id=0f3a9c5be2d14477 -->",
        ];
        let text = format!(
            "# Memory\n\n## Dreamed 2026-11-21\n{}\n\n- The boat is called Brisk.\n\n{}\n",
            marks[0], marks[1]
        );
        write(workspace, "MEMORY.md", &text);
        let agent = access(SessionKind::Main);
        let masked = workspace.search(&agent, "boat", 9).unwrap();
        let found = workspace.search_unmasked(&agent, "boat", 9).unwrap();
        for found in [masked, workspace.entries(&agent, "boat", found, 9).unwrap()] {
            let [found] = &found.results[..] else { panic!("{found:?}") };
            let shown = "# Memory\n\n## Dreamed 2026-11-21\n\n\n- The boat is called Brisk.\n\n\n";
            assert_eq!((found.content.as_str(), found.lines), (shown, (1, 8)), "lines keep their numbers");
            assert_eq!(&found.content[found.span.clone().unwrap()], "- The boat is called Brisk.");
        }
        assert_eq!(workspace.read_text(&DocName::MEMORY).unwrap().unwrap(), text);
    });
}

#[test]
fn what_a_session_is_told_hangs_on_no_document_that_it_may_not_see() {
    let told = |private: &str| {
        let folder = Folder::new();
        let workspace = folder.over_files();
        write(&workspace, "memory/2026-11-20-shared.team.md", "# Boats\n\nThe boat is in the harbour.\n");
        write(&workspace, "memory/2026-11-21-shared.team.md", "# Harbours\n\nNo lantern in this harbour.\n");
        write(&workspace, "SOUL.md", "A boat, a lantern, a harbour: I like them.\n");
        write(&workspace, "MEMORY.md", private);
        ["boat lantern", "harbour", "\"the harbour\"", "boat OR lantern", "lant*"].map(|query| {
            let found = workspace.search_unmasked(&access(SessionKind::Shared), query, 9).unwrap().results;
            assert!(!found.is_empty(), "{query}");
            found
                .iter()
                .map(|result| (result.path.clone(), result.score, result.bm25_score))
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(told("nothing"), told(&"lantern lantern boat and a long word or two\n\n".repeat(200)));
}

#[test]
fn an_index_that_says_too_much_is_not_believed() {
    let folder = Folder::new();
    let workspace = folder.over_files();
    fill(&workspace);
    folder.peer("index.db").execute_batch("UPDATE indexed_documents SET audience = 15").unwrap();
    let group = |query| workspace.search_unmasked(&access(SessionKind::Shared), query, 100).unwrap().results;
    let told: BTreeSet<String> = group("canary").iter().map(|result| result.path.to_string()).collect();
    assert_eq!(told, set(&["SOUL.md", "AGENTS.md", "IDENTITY.md", "memory/2026-11-20-shared.team.md"]));
    workspace.sync(now()).unwrap();
    let wrong: i64 = folder
        .peer("index.db")
        .query_row("SELECT count(*) FROM indexed_documents WHERE audience = 15", [], |row| row.get(0))
        .unwrap();
    assert_eq!(wrong, 4, "a sync says it as it is");
}

#[test]
fn scopes_of_one_file_do_not_meet() {
    let folder = Folder::new();
    let open = |user: &str| {
        let scope = Scope::user(user);
        let workspace = SqliteWorkspace::open(folder.path("life.db"), scope.clone()).unwrap();
        Indexed::new(workspace, SqliteIndex::open(folder.path("life.db"), scope).unwrap())
    };
    let (marta, ilya) = (open("marta"), open("ilya"));
    write(&marta, "MEMORY.md", "canary of marta\n");
    write(&ilya, "MEMORY.md", "canary of ilya\n");
    let text = |workspace: &Indexed<SqliteWorkspace>, user: &str| -> Vec<String> {
        let access = Access::agent(Scope::user(user));
        workspace
            .search_unmasked(&access, "canary", 9)
            .unwrap()
            .results
            .into_iter()
            .map(|result| result.content)
            .collect()
    };
    assert_eq!(text(&marta, "marta"), ["canary of marta\n"]);
    assert_eq!(text(&marta, "ilya"), [""; 0]);
    marta.rebuild(now()).unwrap();
    marta.remove(&DocName::MEMORY).unwrap();
    assert_eq!(text(&ilya, "ilya"), ["canary of ilya\n"], "a rebuild and a removal are of one scope");
}

type Meddling = Box<dyn FnOnce() + Send>;

/// An index that fails while it is told to, and whose next change comes after what somebody else does.
struct Broken {
    index: SqliteIndex,
    fails: Arc<AtomicBool>,
    meddling: Arc<Mutex<Option<Meddling>>>,
}

impl Broken {
    fn over(index: SqliteIndex) -> Self {
        Self { index, fails: Arc::default(), meddling: Arc::default() }
    }

    fn pass(&self) -> Result<()> {
        let fails = self.fails.load(Ordering::SeqCst);
        if fails { Err(Error::Busy { path: "the index".to_owned() }) } else { Ok(()) }
    }
}

impl std::fmt::Debug for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.index.fmt(f)
    }
}

impl DocumentIndex for Broken {
    fn scope(&self) -> &Scope {
        self.index.scope()
    }
    fn seen(&self) -> Result<BTreeMap<DocName, SeenDocument>> {
        self.pass().and_then(|()| self.index.seen())
    }
    fn seen_of(&self, name: &DocName) -> Result<Option<SeenDocument>> {
        self.index.seen_of(name)
    }
    fn apply(&self, changes: &[IndexChange], at: DateTime<Utc>) -> Result<Vec<bool>> {
        if let Some(meddle) = self.meddling.lock().unwrap().take() {
            meddle();
        }
        self.pass().and_then(|()| self.index.apply(changes, at))
    }
    fn clear(&self) -> Result<()> {
        self.pass().and_then(|()| self.index.clear())
    }
    fn search(&self, access: &Access, text: &str, limit: usize) -> Result<Vec<SearchResult>> {
        self.index.search(access, text, limit)
    }
}

#[test]
fn a_failing_index_fails_no_write_and_the_next_sync_mends_it() {
    let folder = Folder::new();
    let broken = Broken::over(folder.index("index.db"));
    let fails = Arc::clone(&broken.fails);
    let workspace: Home = Indexed::new(folder.files(), broken);
    write(&workspace, "a.md", "harbour\n");
    write(&workspace, "gone.md", "harbour\n");
    fails.store(true, Ordering::SeqCst);
    let time = fs::metadata(folder.path("life/a.md")).unwrap().modified().unwrap();
    write(&workspace, "a.md", "lantern\n");
    write(&workspace, "b.md", "lantern\n");
    workspace.remove(&name("gone.md")).unwrap();
    assert_eq!(workspace.read_text(&name("a.md")).unwrap().as_deref(), Some("lantern\n"), "it was written");
    let failures: Vec<_> = workspace.take_failures().into_iter().map(|failure| failure.name).collect();
    assert_eq!(failures, [name("a.md"), name("b.md"), name("gone.md")]);
    assert!(workspace.take_failures().is_empty(), "each is told once");
    workspace.sync(now()).expect_err("a sync that cannot reach its index says so");

    fails.store(false, Ordering::SeqCst);
    // The same size, and a clock that stood still: what was missed is looked at all the same.
    fs::File::options().write(true).open(folder.path("life/a.md")).unwrap().set_modified(time).unwrap();
    assert_eq!(counts(&workspace.sync(now()).unwrap()), (1, 1, 1, 0));
    assert_eq!(paths(&workspace, "lantern"), set(&["a.md", "b.md"]));
    assert_eq!(paths(&workspace, "harbour"), set(&[]));
}

#[test]
fn who_reads_last_is_indexed_last() {
    // Somebody else writes, removes or makes the document between the look at it and the change of the index, and
    // indexes it to the end.
    type Action = fn(&Home);
    let actions: [(&str, Action, &str); 4] = [
        ("written", |peer| write(peer, "a.md", "lantern of a peer\n"), "lantern"),
        ("removed", |peer| assert!(peer.remove(&name("a.md")).unwrap()), ""),
        (
            "removed and made anew",
            |peer| {
                peer.remove(&name("a.md")).unwrap();
                write(peer, "a.md", "lantern of a peer\n");
            },
            "lantern",
        ),
        ("appended to", |peer| peer.append(&name("a.md"), b"lantern of a peer\n").unwrap(), "lantern"),
    ];
    for (action, meddle, expected) in actions {
        for is_new in [true, false] {
            for by_sync in [true, false] {
                let folder = Folder::new();
                let (beneath, peer) = (folder.files(), folder.over_files());
                let broken = Broken::over(folder.index("index.db"));
                let meddling = Arc::clone(&broken.meddling);
                let workspace: Home = Indexed::new(Arc::clone(&beneath), broken);
                if !is_new {
                    write(&workspace, "a.md", "garden\n");
                }
                *meddling.lock().unwrap() = Some(Box::new(move || meddle(&peer)));
                if by_sync {
                    write(&beneath, "a.md", "harbour\n");
                    let report = workspace.sync(now()).unwrap();
                    assert!(report.unreadable.is_empty(), "{action}: {report:?}");
                } else {
                    write(&workspace, "a.md", "harbour\n");
                }
                assert!(meddling.lock().unwrap().is_none(), "there was a change to come before");
                let said: Vec<String> = find(&workspace, "harbour OR garden OR lantern")
                    .into_iter()
                    .map(|result| result.content)
                    .collect();
                let stands = beneath.read_text(&name("a.md")).unwrap();
                assert_eq!(said, stands.into_iter().collect::<Vec<_>>(), "{action} {is_new} {by_sync}");
                assert!(said.concat().contains(expected), "{action}: {said:?}");
            }
        }
    }
}

#[test]
fn a_crash_between_the_document_and_its_index_is_mended() {
    on_every_home(|workspace, beneath, index| {
        write(workspace, "a.md", "harbour\n");
        write(workspace, "b.md", "harbour\n");
        // The process ends where the document is written and the index is not.
        write(&beneath, "a.md", "lantern\n");
        write(&beneath, "new.md", "lantern\n");
        beneath.remove(&name("b.md")).unwrap();
        let after: Home = Indexed::new(beneath, index);
        after.sync(now()).unwrap();
        assert_eq!(paths(&after, "lantern"), set(&["a.md", "new.md"]));
        assert_eq!(paths(&after, "harbour"), set(&[]));
    });
}

/// VW-16
#[test]
fn what_another_program_broke_is_seen_and_mended() {
    let folder = Folder::new();
    let (workspace, index) = (folder.over_files(), folder.index("index.db"));
    for document in ["a.md", "b.md", "c.md"] {
        write(&workspace, document, "harbour\n");
    }
    let peer = folder.peer("index.db");
    let id = "(SELECT id FROM indexed_documents WHERE path = 'a.md')";
    let everything = set(&["a.md", "b.md", "c.md"]);
    assert_eq!(index.check().unwrap(), IndexState::Sound);

    // Chunks without their document.
    peer.execute_batch(&format!("PRAGMA foreign_keys = OFF; DELETE FROM indexed_documents WHERE id = {id}"))
        .unwrap();
    assert_eq!(paths(&workspace, "harbour"), set(&["b.md", "c.md"]), "they are found by nobody");
    assert_eq!(index.check().unwrap(), IndexState::Drifted);
    assert_eq!(index.optimize().unwrap(), 1);
    assert_eq!(index.check().unwrap(), IndexState::Sound);
    assert_eq!(workspace.sync(now()).unwrap().added, [name("a.md")]);
    assert_eq!(paths(&workspace, "harbour"), everything);

    // A document without its chunks.
    peer.execute_batch(&format!("DELETE FROM memory_chunks WHERE document_id = {id}")).unwrap();
    assert_eq!(index.check().unwrap(), IndexState::Drifted);
    assert_eq!(counts(&workspace.sync(now()).unwrap()), (1, 0, 0, 2));
    assert_eq!(
        (index.check().unwrap(), paths(&workspace, "harbour")),
        (IndexState::Sound, everything.clone())
    );

    // A text index that says something else, and one that is damaged.
    let without_trigger = "DROP TRIGGER memory_chunks_au; UPDATE memory_chunks SET content = 'garden'
                           WHERE document_id = (SELECT id FROM indexed_documents WHERE path = 'b.md')";
    for damage in [
        without_trigger,
        "UPDATE memory_chunks_fts_data SET block = x'00'",
        "DELETE FROM memory_chunks_fts_data",
        "DELETE FROM memory_chunks_fts_docsize",
    ] {
        peer.execute_batch(damage).unwrap();
        assert_eq!(index.check().unwrap(), IndexState::Drifted, "{damage}");
        index.optimize().unwrap();
        assert_eq!(index.check().unwrap(), IndexState::Sound, "{damage}");
        assert_eq!(paths(&workspace, "garden"), set(&["b.md"]), "{damage}: it says what the chunks say");
    }
    peer.execute_batch("UPDATE memory_chunks_fts_data SET block = x'00'").unwrap();
    assert_eq!(counts(&workspace.rebuild(now()).unwrap()), (3, 0, 0, 0), "a rebuild mends anything");
    assert_eq!((index.check().unwrap(), paths(&workspace, "harbour")), (IndexState::Sound, everything));
}

#[test]
fn another_way_to_cut_cuts_everything_anew() {
    on_every_home(|workspace, beneath, index| {
        let text = "Harbour words of some length. ".repeat(60);
        write(workspace, "a.md", &text);
        let long = find(workspace, "harbour");
        let seeds = Indexed::with_chunks(beneath, index, ChunkConfig::ironclaw()).unwrap();
        assert_eq!(seeds.sync(now()).unwrap().changed, [name("a.md")]);
        let short = find(&seeds, "harbour");
        assert!(short.len() > long.len() && short.iter().all(|result| result.content.chars().count() <= 500));
        assert_eq!(counts(&seeds.sync(now()).unwrap()), (0, 0, 0, 1));
    });
    let folder = Folder::new();
    let tiny = ChunkConfig::Markdown { max_bytes: 3, overlap_bytes: 0 };
    let refused = Indexed::with_chunks(folder.files(), folder.index("index.db"), tiny);
    assert!(matches!(refused, Err(Error::Config { .. })), "{refused:?}");
}

#[test]
fn what_no_program_reads_well_stops_no_sync() {
    let folder = Folder::new();
    let workspace = folder.over_files();
    let life = folder.path("life");
    for (file, bytes) in [
        ("latin.md", &b"caf\xe9 harbour\n"[..]),
        ("bom.md", "\u{feff}# Title\r\n\r\nharbour\r\n".as_bytes()),
        ("empty.md", b""),
        ("blank.md", b"\n\n \n"),
        ("picture.png", b"\x89PNG\0harbour\0"),
        ("setext.md", b"Harbour\n=======\n\nwords\n"),
        (".hidden.md", b"harbour"),
        (".dreamed-state.json", b"harbour"),
        (".DS_Store", b"harbour"),
    ] {
        fs::write(life.join(file), bytes).unwrap();
    }
    #[cfg(unix)]
    {
        fs::write(life.join("new\nline.md"), "harbour").unwrap();
        fs::write(folder.path("outside.md"), "harbour").unwrap();
        std::os::unix::fs::symlink(folder.path("outside.md"), life.join("link.md")).unwrap();
        std::os::unix::fs::symlink(folder.path("."), life.join("linked")).unwrap();
    }
    let sparse = fs::File::create(life.join("huge.md")).unwrap();
    sparse.set_len(MAX_DOCUMENT + 1).unwrap();

    let report = workspace.sync(now()).unwrap();
    assert_eq!(counts(&report), (6, 0, 0, 0), "{report:?}");
    let [huge] = &report.unreadable[..] else { panic!("{:?}", report.unreadable) };
    assert!(matches!(huge.reason, Error::TooLarge { .. }) && huge.name.as_str() == "huge.md");
    assert_eq!(paths(&workspace, "harbour"), set(&["latin.md", "bom.md", "setext.md"]));
    let bom =
        find(&workspace, "harbour").into_iter().find(|result| result.path.as_str() == "bom.md").unwrap();
    assert_eq!((bom.content.as_str(), bom.lines), ("# Title\r\n\r\nharbour\r\n", (1, 3)));
    assert!(find(&workspace, "latin harbour").iter().any(|result| result.content.contains("caf\u{fffd}")));
    assert_eq!(counts(&workspace.sync(now()).unwrap()), (0, 0, 0, 6));

    // What was small and grew too large is not found by what it was.
    fs::File::options().write(true).open(life.join("latin.md")).unwrap().set_len(MAX_DOCUMENT + 1).unwrap();
    let report = workspace.sync(now()).unwrap();
    assert_eq!((report.removed, report.unreadable.len()), (vec![name("latin.md")], 2));
    assert_eq!(paths(&workspace, "harbour"), set(&["bom.md", "setext.md"]));
}

/// Notes named as people name them on Linux were dropped by every sync, and no report told of it.
#[cfg(target_os = "linux")]
#[test]
fn names_that_linux_allows_are_found_and_what_is_refused_is_told() {
    const ALLOWED: [&str; 7] = [
        "what now?.md",
        "memory/2026-11-20: call with Ilya.md",
        "a|b.md",
        "notes/*important*.md",
        "say \"hi\".md",
        "memory/a<b>c.md",
        "con.md",
    ];
    const REFUSED: [&str; 4] =
        ["back\\slash.md", "ends with a dot.", " begins with a space.md", "new\nline.md"];
    let folder = Folder::new();
    let workspace = folder.over_files();
    for file in ALLOWED.iter().chain(&REFUSED) {
        folder.put(file, "harbour\n");
        folder.put(&format!("deep/{}", file.replace('/', "-")), "harbour\n");
    }
    let report = workspace.sync(now()).unwrap();
    assert_eq!((report.added.len(), report.not_portable.len()), (14, 14), "{report:?}");
    let mut refused: Vec<String> =
        REFUSED.iter().flat_map(|file| [(*file).to_owned(), format!("deep/{file}")]).collect();
    let mut told = report.refused;
    refused.sort();
    told.sort();
    assert_eq!(told, refused);
    for file in ALLOWED {
        assert!(paths(&workspace, "harbour").contains(file), "{file}");
        let read = workspace.read(&name(file)).unwrap().unwrap();
        assert_eq!(read.bytes(), b"harbour\n", "{file}");
        workspace.append(&name(file), b"lantern\n").unwrap();
        assert!(paths(&workspace, "lantern").contains(file), "{file}");
        workspace.rename(&name(file), &name(&format!("moved/{file}"))).unwrap();
        assert!(folder.path("life/moved").join(file).is_file(), "{file}");
    }
    assert_eq!(paths(&workspace, "lantern").len(), 7);
    let database = folder.sqlite();
    noctuary::exchange::copy_into(workspace.workspace(), &database).unwrap();
    let back = Folder::new();
    noctuary::exchange::copy_into(&database, &back.files()).unwrap();
    for file in ALLOWED {
        assert_eq!(fs::read(back.path("life/moved").join(file)).unwrap(), b"harbour\nlantern\n", "{file}");
    }
}

/// A project of thousands of files.
fn project(folder: &Folder) {
    for at in 0..2000 {
        folder.put(&format!("node_modules/p{}/f{at}.js", at / 100), "harbour\n");
        folder.put(&format!("src/m{}/f{at}.rs", at / 100), "harbour\n");
        folder.put(&format!("docs/target/t{at}.txt"), "harbour\n");
    }
    for file in [
        "README.md",
        "target/debug/x",
        "docs/plan.md",
        "docs/deep/more.md",
        "docs/draft.tmp",
        "notes/a.md",
        "private/p.md",
        "private/p.tmp",
        "hidden/in/it.md",
        "hidden/in/no.md",
    ] {
        folder.put(file, "harbour\n");
    }
    folder
        .put(".gitignore", "# build\ntarget/\nnode_modules/\n*.tmp\nmemory/\nMEMORY.md\nprivate/\nhidden/\n");
    folder.put("docs/deep/.gitignore", "*.md\n!more.md\n");
    for file in ["MEMORY.md", "memory/2026-11-20.md", "memory/notes/x.md", ".self/observations.md"] {
        folder.put(file, "harbour\n");
    }
}

/// Workspaces count what is asked of them: a folder that is no life's was walked to its last file.
#[derive(Debug)]
struct Counting {
    inner: Arc<dyn Workspace>,
    listed: Mutex<Vec<String>>,
    read: Mutex<Vec<String>>,
}

impl Workspace for Counting {
    fn location(&self) -> String {
        self.inner.location()
    }
    fn reach(&self) -> Reach {
        self.inner.reach()
    }
    fn list(&self, folder: Option<&DocName>) -> Result<noctuary::workspace::Listing> {
        self.listed.lock().unwrap().push(folder.map(ToString::to_string).unwrap_or_default());
        self.inner.list(folder)
    }
    fn metadata(&self, name: &noctuary::workspace::Name) -> Result<Option<noctuary::workspace::Metadata>> {
        self.inner.metadata(name)
    }
    fn read(&self, name: &noctuary::workspace::Name) -> Result<Option<noctuary::workspace::Document>> {
        self.read.lock().unwrap().push(name.to_string());
        self.inner.read(name)
    }
    fn read_range(&self, name: &noctuary::workspace::Name, range: std::ops::Range<u64>) -> Result<Vec<u8>> {
        self.inner.read_range(name, range)
    }
    fn write(
        &self,
        name: &noctuary::workspace::Name,
        bytes: &[u8],
        mode: WriteMode,
    ) -> Result<noctuary::workspace::Revision> {
        self.inner.write(name, bytes, mode)
    }
    fn append(&self, name: &noctuary::workspace::Name, bytes: &[u8]) -> Result<()> {
        self.inner.append(name, bytes)
    }
    fn remove(&self, name: &noctuary::workspace::Name) -> Result<bool> {
        self.inner.remove(name)
    }
    fn rename(&self, from: &noctuary::workspace::Name, to: &noctuary::workspace::Name) -> Result<()> {
        self.inner.rename(from, to)
    }
    fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
        self.inner.claim(terms)
    }
}

/// WS-26: a sync walked the whole of a project, 20,000 files of other people's packages too, and found them.
#[test]
fn a_project_around_a_life_is_neither_walked_nor_found() {
    let folder = Folder::new();
    project(&folder);
    let own = ["MEMORY.md", "memory/2026-11-20.md", "memory/notes/x.md", ".self/observations.md"];
    for (reach, found, listed) in [
        // What ignore files say of the life's own documents is for git.
        (Reach::own(), own.to_vec(), vec!["", ".self", "memory", "memory/notes"]),
        (
            Reach::own().and(name("docs")).and(name("README.md")),
            [&own[..], &["README.md", "docs/plan.md", "docs/deep/more.md"]].concat(),
            vec!["", ".self", "docs", "docs/deep", "memory", "memory/notes"],
        ),
        // What a host names, no ignore file hides.
        (
            Reach::own().and(name("private")).and(name("hidden/in/it.md")),
            [&own[..], &["private/p.md", "hidden/in/it.md"]].concat(),
            vec!["", ".self", "hidden", "hidden/in", "memory", "memory/notes", "private"],
        ),
        (
            Reach::own().and(name("docs/deep")),
            [&own[..], &["docs/deep/more.md"]].concat(),
            vec!["", ".self", "docs", "docs/deep", "memory", "memory/notes"],
        ),
    ] {
        let counting = Arc::new(Counting {
            inner: folder.files_within(reach.clone()),
            listed: Mutex::default(),
            read: Mutex::default(),
        });
        let beneath: Arc<dyn Workspace> = Arc::clone(&counting) as _;
        let workspace = Indexed::new(beneath, SqliteIndex::open_in_memory(marta()).unwrap());
        let report = workspace.sync(now()).unwrap();
        assert_eq!(paths(&workspace, "harbour"), set(&found), "{reach:?}");
        let mut walked = std::mem::take(&mut *counting.listed.lock().unwrap());
        walked.sort();
        assert_eq!(walked, listed, "{reach:?}");
        let read = std::mem::take(&mut *counting.read.lock().unwrap());
        assert!(!read.iter().any(|name| name.contains("src/") || name.contains("node_modules")), "{read:?}");
        for left in ["node_modules", "src", "target", "notes"] {
            assert!(
                report.left_out.contains(&name(left)),
                "{left} is left out, and said: {:?}",
                report.left_out
            );
        }
        assert_eq!(counts(&workspace.sync(now()).unwrap()), (0, 0, 0, found.len() as u64));
    }
    // Everything is everything but what is ignored.
    let workspace = folder.over_files();
    workspace.sync(now()).unwrap();
    let found: BTreeSet<String> = workspace
        .search(&access(SessionKind::Main), "harbour", 9999)
        .unwrap()
        .results
        .into_iter()
        .map(|one| one.path.to_string())
        .collect();
    assert!(found.contains("src/m3/f300.rs") && found.contains("notes/a.md"));
    let parts = ["target", "node_modules", ".tmp"];
    assert!(!found.iter().any(|path| parts.iter().any(|part| path.contains(part))));
}

/// A text of the agent that no sync covers was found at once: the next sync must not lose it, and follow what becomes of it.
#[test]
fn what_was_written_beyond_the_reach_is_found_until_it_is_gone() {
    let folder = Folder::new();
    folder.put("context/foreign.md", "harbour\n");
    let workspace = Indexed::new(folder.files_within(Reach::own()), folder.index("index.db"));
    write(&workspace, "context/plan.md", "harbour\n");
    write(&workspace, "context/other.md", "harbour\n");
    let report = workspace.sync(now()).unwrap();
    assert_eq!((counts(&report), report.left_out), ((0, 0, 0, 2), vec![name("context")]));
    assert_eq!(paths(&workspace, "harbour"), set(&["context/plan.md", "context/other.md"]));
    folder.put("context/plan.md", "lantern, and more of it\n");
    fs::remove_file(folder.path("life/context/other.md")).unwrap();
    let report = workspace.sync(now()).unwrap();
    assert_eq!(
        (report.changed, report.removed),
        (vec![name("context/plan.md")], vec![name("context/other.md")])
    );
    assert_eq!(paths(&workspace, "lantern"), set(&["context/plan.md"]));
    workspace.rebuild(now()).unwrap();
    assert_eq!(paths(&workspace, "lantern"), set(&[]), "a rebuild looks within reach alone");
}

#[test]
fn a_long_document_is_found_to_its_end() {
    let folder = Folder::new();
    let workspace = folder.over_files();
    let mut text = "[09:00:00] [user] the harbour lies east\n".repeat(60_000);
    text.push_str("the lantern is lit\n");
    write(&workspace, "memory/2026-11-20.md", &text);
    let found = find(&workspace, "lantern");
    assert_eq!((found.len(), found[0].lines.1), (1, 60_001));
}

#[test]
fn what_the_library_keeps_for_itself_is_never_found() {
    on_every_home(|workspace, _, index| {
        for state in [StateName::DREAMED, StateName::QUARANTINE, StateName::LEDGER, StateName::LOG] {
            workspace.write(&state, b"{\"canary\": 1}\n", WriteMode::Replace).unwrap();
        }
        workspace.write(&DocName::HEARTBEAT_STATE, b"{\"canary\": 1}\n", WriteMode::Replace).unwrap();
        write(workspace, "MEMORY.md", "- canary\n");
        workspace.sync(now()).unwrap();
        assert_eq!(paths(workspace, "canary"), set(&["MEMORY.md"]));
        let seen: Vec<String> = index.seen().unwrap().keys().map(ToString::to_string).collect();
        assert_eq!(seen, ["MEMORY.md"]);
    });
}

#[test]
fn what_a_dream_promotes_is_found_in_private_at_once() {
    on_every_home(|workspace, _, index| {
        write(workspace, "memory/2026-11-20-repl.md", "[user] I prefer the harbour at dawn.\n");
        let shared: Arc<dyn Workspace> = Arc::new(workspace.clone());
        let dreamer = JournalDreamer::builder(shared).enabled(true).build().unwrap();
        let script = Script::new().says("- The user prefers the harbour. (memory/2026-11-20-repl.md#L1)\n");
        dream_once_at(&dreamer, &script, &now).unwrap();
        assert_eq!(paths(workspace, "prefers harbour"), set(&["MEMORY.md", "memory/2026-11-20-repl.md"]));
        assert!(
            workspace.search_unmasked(&access(SessionKind::Shared), "harbour", 9).unwrap().results.is_empty()
        );
        assert!(index.seen().unwrap().keys().all(|name| !name.as_str().contains("dream")));
        assert_eq!(counts(&workspace.sync(now()).unwrap()), (0, 0, 0, 2));
    });
}

#[test]
fn what_cannot_be_listed_is_not_taken_for_removed() {
    let folder = Folder::new();
    let faults = Faults::new();
    let watched: Arc<dyn Workspace> = Arc::new(FaultyWorkspace::new(folder.files(), faults.clone()));
    let workspace: Home = Indexed::new(watched, folder.index("index.db"));
    write(&workspace, "a.md", "harbour\n");
    write(&workspace, "deep/b.md", "harbour\n");
    write(&workspace, "deep/er/c.md", "harbour\n");
    faults.disarm();
    workspace.sync(now()).unwrap();
    let attempts = faults.seen();
    let mut stopped = 0;
    for (number, attempt) in (1..).zip(&attempts) {
        faults.arm(number, noctuary::testing::Fault::Error(std::io::ErrorKind::PermissionDenied));
        match workspace.sync(now()) {
            Err(_) => stopped += 1,
            Ok(report) => {
                assert_eq!((report.removed.len(), report.unreadable.len()), (0, 1), "{attempt}: {report:?}");
            }
        }
        assert_eq!(find(&workspace, "harbour").len(), 3, "{attempt}");
    }
    assert_eq!(
        stopped, 4,
        "only without the root, what is ignored in it, and what was forgotten, there is no sync: {attempts:?}"
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(noctuary::testing::cases(20_000)))]

    #[test]
    fn no_query_is_an_error(
        query in "(\\PC|[\"*():^{}+.-]|AND |OR |NOT |NEAR|content:|terms:|harbour |日本|\\x00|\\n){0,12}",
        limit in 0_usize..4,
    ) {
        thread_local! {
            static INDEX: SqliteIndex = {
                let index = SqliteIndex::open_in_memory(marta()).unwrap();
                let folder = Folder::new();
                write(&Indexed::new(folder.files(), index.clone()), "a.md", "harbour 日本 NOT \"quoted\" * ( ) ^ + -\n");
                index
            };
        }
        let found = INDEX.with(|index| index.search(&access(SessionKind::Main), &query, limit)).unwrap();
        proptest::prop_assert!(found.len() <= limit);
        proptest::prop_assert!(found.iter().all(|result| (0.0..=1.0).contains(&result.score)));
    }
}

#[test]
fn the_same_documents_give_the_same_answers() {
    let answers = std::cell::RefCell::new(BTreeSet::new());
    on_every_home(|workspace, beneath, _| {
        let documents = fill(&beneath);
        // In another order, by other verbs.
        if answers.borrow().is_empty() {
            workspace.sync(now()).unwrap();
        } else {
            for document in documents.iter().rev() {
                let text = beneath.read(document).unwrap().unwrap().into_bytes();
                workspace.remove(document).unwrap();
                workspace.write(document, &text, WriteMode::Create).unwrap();
            }
        }
        let found = find(workspace, "canary of alpha page");
        let shown: Vec<String> = found
            .iter()
            .map(|result| format!("{result:?} {} {:?}", result.chunk_id, result.bm25_score))
            .collect();
        answers.borrow_mut().insert(shown.join("\n"));
    });
    assert_eq!(answers.borrow().len(), 1, "{:?}", answers.borrow());
}

const WRITERS: usize = 3;
const DOCUMENTS: usize = 20;

#[test]
fn a_child_plays_its_role() {
    let Some((role, folder)) = role() else { return };
    let (kind, number) = role.split_once(' ').unwrap();
    let workspace: Arc<dyn Workspace> = if kind == "files" {
        Arc::new(FileWorkspace::open(folder.join("life")).unwrap())
    } else {
        Arc::new(SqliteWorkspace::open(folder.join("life.db"), marta()).unwrap())
    };
    let file = if kind == "files" { "index.db" } else { "life.db" };
    let workspace: Home = Indexed::new(workspace, SqliteIndex::open(folder.join(file), marta()).unwrap());
    tell("ready");
    listen();
    for document in 0..DOCUMENTS {
        let own = format!("own/{number}-{document}.md");
        write(&workspace, &own, &format!("harbour {number}\n"));
        assert!(paths(&workspace, "harbour").contains(&own), "what was written is found");
        workspace
            .append(&name("shared.md"), format!("# By {number}\nlantern {number}x{document}\n\n").as_bytes())
            .unwrap();
        let line = format!("{number}x{document}");
        assert!(paths(&workspace, &line).contains("shared.md"), "{line} is found, whoever writes meanwhile");
        write(&workspace, "fought-over.md", &format!("garden {number}x{document}\n"));
        if document % 5 == 0 {
            workspace.sync(now()).unwrap();
        }
        if document % 3 == 0 {
            workspace.remove(&name(&own)).unwrap();
        }
    }
    let failures = workspace.take_failures();
    tell(&format!("failures: {failures:?}"));
}

#[test]
fn several_processes_write_and_sync_at_once_and_nothing_is_lost() {
    for kind in ["files", "sqlite"] {
        let folder = Folder::new();
        let (beneath, file) = match kind {
            "files" => (folder.files(), "index.db"),
            _ => (folder.sqlite(), "life.db"),
        };
        let index = folder.index(file);
        let workspace: Home = Indexed::new(Arc::clone(&beneath), index.clone());
        let mut peers: Vec<Peer> = (0..WRITERS)
            .map(|number| Peer::start(module_path!(), &format!("{kind} {number}"), folder.0.path()))
            .collect();
        for peer in &mut peers {
            assert_eq!(peer.hear().as_deref(), Some("ready"));
        }
        for peer in &mut peers {
            peer.go_on();
        }
        for _ in 0..5 {
            workspace.sync(now()).unwrap();
        }
        for peer in &mut peers {
            assert_eq!(peer.finish(), ["failures: []"], "{kind}");
        }
        // Without another sync: what the index says is what stands.
        let own = paths(&workspace, "harbour");
        assert_eq!(own.len(), WRITERS * (DOCUMENTS - DOCUMENTS.div_ceil(3)), "{kind}: {own:?}");
        let mut fresh = BTreeMap::new();
        for name in index.seen().unwrap().into_keys() {
            let revision = beneath.read(&name).unwrap().map(|document| document.revision());
            fresh.insert(name.clone(), (revision, index.seen_of(&name).unwrap().map(|seen| seen.revision)));
        }
        assert!(fresh.values().all(|(stands, seen)| stands == seen), "{kind}: {fresh:?}");
        for number in 0..WRITERS {
            for document in 0..DOCUMENTS {
                assert!(!find(&workspace, &format!("{number}x{document}")).is_empty(), "{kind}");
            }
        }
        assert_eq!(index.check().unwrap(), IndexState::Sound, "{kind}");
    }
}

#[test]
fn what_is_printed_holds_no_words() {
    let folder = Folder::new();
    let workspace = folder.over_files();
    write(&workspace, "a.md", "the harbour lies east\n");
    let shown = format!("{workspace:?} {:?}", find(&workspace, "harbour"));
    assert!(!shown.contains("east"), "{shown}");
    assert!(Path::new("a.md").is_relative() && shown.contains("a.md#0, L1-L1"), "{shown}");
}

// A search of the whole life showed what one of its groups alone had forgotten.
#[test]
fn what_a_group_has_forgotten_is_hidden_in_its_documents_and_nowhere_else() {
    on_every_home(|_, workspace, index| {
        for document in
            ["groups/family/MEMORY.md", "groups/family/memory/2026-11-20-chat.md", "groups/crew/MEMORY.md"]
        {
            write(&*workspace, document, "# Notes\n\n- The keel is green.\n- The harbour is full of fog.\n");
        }
        write(&*workspace, "MEMORY.md", "# Memory\n\n- The harbour is full of fog.\n");
        let whole = Indexed::new(Arc::clone(&workspace), index);
        whole.sync(now()).unwrap();
        assert_eq!(paths(&whole, "fog").len(), 4);

        let family = GroupName::parse("family").unwrap();
        let group = GroupView::new(Arc::clone(&workspace), &marta(), &family);
        let person = Access::human(marta().group(&family));
        Forget::new(&person, "the harbour is full of fog").workspace(&group).run(now()).unwrap();
        let theirs = set(&["MEMORY.md", "groups/crew/MEMORY.md"]);
        assert_eq!(paths(&whole, "fog"), theirs, "also before the index was brought up to date");
        assert_eq!(whole.sync(now()).unwrap().renewed, 2);
        assert_eq!(paths(&whole, "fog"), theirs);
        assert_eq!(paths(&whole, "keel").len(), 3, "the rest of them is found");
        let shown = whole.search(&access(SessionKind::Main), "keel", 10).unwrap().results;
        let of_family = |found: &&SearchResult| found.path.as_str().starts_with("groups/family");
        let told: String = shown.iter().filter(of_family).map(|found| found.content.as_str()).collect();
        assert!(!told.contains("fog"), "{told}");
    });
}
