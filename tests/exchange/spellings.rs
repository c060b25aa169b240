//! The bytes of a home after each verb that removes words, in each spelling of a table.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use noctuary::artifacts::{ArtifactData, ArtifactKind, ArtifactStore, NewArtifact};
use noctuary::exchange::{Forget, feed};
use noctuary::learning::{MethodStore, NewMethod, NewPreference, NewRoleNote, PreferenceStore, RoleStore};
use noctuary::life::Indexed;
use noctuary::memory::{LearningStore, NewLearning, NewMemory, Source};
use noctuary::testing::HashEmbedder;
use noctuary::vectors::{EmbedConfig, VectorStore, embed_once};
use noctuary::{
    Error, FileArtifactStore, FileMemoryStore, FileWorkspace, LlmReply, LlmRequest, MemoryStore,
    SqliteArtifactStore, SqliteIndex, SqliteMemoryStore, SqliteWorkspace, Workspace, WriteMode, llm_fn,
};
use noctuary_tests::common::marta::{agent, human, marta, now};
use noctuary_tests::dreaming::world::dreamer_with;
use noctuary_tests::dreaming::{dream, journal, name, night};

/// Statements, each with the same in another spelling.
fn spellings() -> impl Iterator<Item = [&'static str; 2]> {
    let table = include_str!("../../src/gate/tombstone/stones/spellings.tsv");
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut columns = line.split('\t').skip(1);
        [columns.next().unwrap(), columns.next().unwrap()]
    })
}

/// Returns the files that hold a text as it is written, in UTF-8 or in UTF-16, free pages and logs included.
fn files_with(folder: &Path, text: &str, found: &mut Vec<String>) {
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_with(&path, text, found);
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let holds = |part: &[u8]| memchr::memmem::find(&bytes, part).is_some();
        // What is in a text of JSON or of SQL is escaped, and the same apart from that.
        let escaped = serde_json::to_string(text).unwrap();
        if holds(text.as_bytes()) || holds(&utf16) || holds(escaped.trim_matches('"').as_bytes()) {
            found.push(path.display().to_string());
        }
    }
}

fn nowhere(folder: &Path, texts: &[&str], verb: &str) {
    for text in texts {
        let mut found = Vec::new();
        files_with(folder, text, &mut found);
        assert!(found.is_empty(), "{verb}: {text:?} is in {found:?}");
    }
}

/// A store of rows with all that it keeps beside them.
trait Rows: MemoryStore + LearningStore + MethodStore + PreferenceStore + RoleStore + VectorStore {
    fn rows(&self) -> &dyn MemoryStore;
}

impl<S: MemoryStore + LearningStore + MethodStore + PreferenceStore + RoleStore + VectorStore> Rows for S {
    fn rows(&self) -> &dyn MemoryStore {
        self
    }
}

type Home = (Arc<dyn Workspace>, Box<dyn Rows>, Box<dyn ArtifactStore>);

fn open(folder: &Path, kind: usize) -> Home {
    if kind == 1 {
        let path = folder.join("life.db");
        let store = SqliteMemoryStore::open(&path, marta()).unwrap();
        let artifacts = SqliteArtifactStore::open(&path, marta()).unwrap();
        let workspace = SqliteWorkspace::open(&path, marta()).unwrap();
        return (Arc::new(workspace), Box::new(store), Box::new(artifacts));
    }
    let store = FileMemoryStore::open(folder, marta()).unwrap();
    let artifacts = FileArtifactStore::open(folder, marta()).unwrap();
    (Arc::new(FileWorkspace::open(folder).unwrap()), Box::new(store), Box::new(artifacts))
}

/// Returns what was kept; `None` where the place takes one plain line, and the text is none.
#[track_caller]
fn is_said<T>(answer: noctuary::Result<T>) -> Option<T> {
    match answer {
        Err(Error::Config { .. }) => None,
        answer => Some(answer.unwrap()),
    }
}

/// Says a text in each kind of place that a store has beside its rows, whole and in a longer one.
fn say_beside(store: &dyn Rows, artifacts: &dyn ArtifactStore, said: &str) {
    let longer = format!("We met on a Friday at noon: {said}. Fine.");
    for text in [said, &longer] {
        let mut learning = NewLearning::new(text);
        learning.context = Some(longer.clone());
        store.learn(&agent(), &learning, now()).unwrap();
        is_said(store.set_profile(&agent(), text, "a value", now()));
        store.set_profile(&agent(), &format!("word {}", text.len()), &longer, now()).unwrap();
        let method = NewMethod::new("A way", "home", text).case(text).case(longer.clone());
        store.create_method(&agent(), &method, now()).unwrap();
        let method = NewMethod::new("A plain way", "home", format!("Look first, at {}.", text.len()));
        let method = method.case(text).case(longer.clone());
        store.create_method(&agent(), &method, now()).unwrap();
        store.take_note(&agent(), &NewRoleNote::new("sailor", text), now()).unwrap();
        is_said(store.take_note(&agent(), &NewRoleNote::new("sailor", "A plain note.").about(text), now()));
        let wish = NewPreference::behavioural("talk", text);
        if let Some(wish) = is_said(store.propose_preference(&agent(), &wish, now())) {
            store.approve_preference(&human(), wish, now()).unwrap();
        }
        let rule = NewPreference::hard_constraint("calls", "Never without asking.").tool("send").when(text);
        is_said(store.propose_preference(&agent(), &rule, now()));
        let made = artifacts.insert(&agent(), &NewArtifact::new(ArtifactKind::Report, "Q3"), now()).unwrap();
        artifacts.mark_completed(&agent(), &made, &ArtifactData::markdown(text), now()).unwrap();
        artifacts.insert(&agent(), &NewArtifact::new(ArtifactKind::Report, text), now()).unwrap();
    }
}

#[test]
#[ignore = "sweep"]
fn no_byte_of_what_is_forgotten_purged_or_erased_is_left_in_any_spelling() {
    for kind in 0..2 {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let (workspace, store, artifacts) = open(at, kind);
        for (number, [statement, other]) in spellings().enumerate() {
            // It was said in the other spelling, in each kind of place, and is forgotten in this one.
            let row = |text: String| NewMemory::new("observation", text, Source::AgentRecorded);
            let rest = store
                .write(&agent(), &row(format!("We met on a Friday at noon: {other}. Fine.")), now())
                .unwrap();
            let whole = store.write(&agent(), &row(other.to_owned()), now()).unwrap();
            store
                .write(&agent(), &row("a note".to_owned()).metadata(serde_json::json!({ "a": other })), now())
                .unwrap();
            store.write(&agent(), &row("a row".to_owned()).because(format!("since {other}")), now()).unwrap();
            store.set_profile(&agent(), "word", other, now()).unwrap();
            say_beside(store.as_ref(), artifacts.as_ref(), other);
            let journal = name(&format!("memory/2026-11-20-s{number}.md"));
            let text = format!("# 2026-11-20\n\n- [09:00:00] [user] {other}, and tea.\n");
            workspace.write(&journal, text.as_bytes(), WriteMode::Create).unwrap();
            workspace
                .write(&name("MEMORY.md"), format!("- {other}.\n- Tea.\n").as_bytes(), WriteMode::Replace)
                .unwrap();
            let request = human();
            let forget = Forget::new(&request, statement)
                .store(store.rows())
                .workspace(workspace.as_ref())
                .in_files(true);
            let receipt = forget.run(now()).unwrap();
            assert_eq!(receipt.left().count(), 0, "{statement}: {receipt}");
            assert!(artifacts.forget(&human(), statement, now()).unwrap().removed >= 4, "{statement}");
            nowhere(at, &[statement, other], "forget");
            let rest = store.get(&agent(), rest).unwrap().unwrap().content;
            assert!(rest.starts_with("We met on a Friday at noon: [forgotten]"), "{rest}");
            assert!(store.get(&agent(), whole).unwrap().is_none());
            // It comes in by no door, in neither spelling.
            for said in [statement, other] {
                assert!(
                    store.write(&agent(), &row(format!("so {said}, you know")), now()).is_err(),
                    "{said}"
                );
            }
            assert!(forget.lift(now()).unwrap());
            artifacts.lift(&human(), statement).unwrap();
            assert!(store.write(&agent(), &row(format!("so {other}, you know")), now()).is_ok());
            forget.run(now()).unwrap();
            nowhere(at, &[statement, other], "forget again");
            // Another row of the table has the same statement.
            assert!(forget.lift(now()).unwrap());
        }
        let all: Vec<&str> = spellings().flatten().collect();
        forgets_nothing_by_purge(store.rows(), at);
        say_beside(store.as_ref(), artifacts.as_ref(), "an erased Wort");
        drop((workspace, store, artifacts));
        if kind == 1 {
            let erased = SqliteWorkspace::open(at.join("life.db"), marta()).unwrap().erase(&human()).unwrap();
            assert_eq!(erased.left, None);
        } else {
            let files = FileWorkspace::open(at).unwrap().belongings().unwrap();
            assert_eq!(files.others, [""; 0]);
            files.life.iter().for_each(|path| fs::remove_file(at.join(path)).unwrap());
        }
        nowhere(at, &all, "erase");
        nowhere(at, &["and tea.", "We met on a Friday", "an erased Wort"], "erase");
    }
}

fn forgets_nothing_by_purge(store: &dyn MemoryStore, at: &Path) {
    let said: Vec<String> = spellings().map(|[_, other]| format!("{other} zweitens")).collect();
    // None of these words was forgotten so far: they are parted.
    let apart =
        |text: &str| text.split_whitespace().map(|word| format!("{word} zz")).collect::<Vec<_>>().join(" ");
    let said: Vec<String> = said.iter().map(|text| apart(text)).collect();
    for text in &said {
        let row = NewMemory::new("observation", text.as_str(), Source::AgentRecorded);
        let Ok(id) = store.write(&agent(), &row, now()) else { continue };
        store.delete(&agent(), id, now()).unwrap();
    }
    let later = now() + chrono::Days::new(99);
    store.purge(later, later).unwrap();
    nowhere(at, &said.iter().map(String::as_str).collect::<Vec<_>>(), "purge");
}

// What a dream said in its own words is nowhere but in its way back, once a person took it out.
#[test]
fn no_word_of_an_undone_dream_is_left_in_memory_its_index_the_page_and_the_rows() {
    for kind in 0..2 {
        let (folder, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let workspace = open(folder.path(), kind).0;
        let store = SqliteMemoryStore::open(beside.path().join("rows.db"), marta()).unwrap();
        let files = FileMemoryStore::open(beside.path(), marta()).unwrap();
        let stores: [&dyn Rows; 2] = [&store, &files];
        let index = Arc::new(SqliteIndex::open(beside.path().join("index.db"), marta()).unwrap());
        let indexed = Indexed::new(Arc::clone(&workspace), Arc::clone(&index));
        let said: Vec<&str> = spellings().map(|[_, other]| other).collect();
        workspace.write(&name("MEMORY.md"), b"# Memory\n\n- Tea.\n", WriteMode::Create).unwrap();
        workspace.write(&name(&journal(20)), b"- [user] We sail at noon.\n", WriteMode::Create).unwrap();
        let lines: String = said.iter().map(|said| format!("- {said}, as they say.\n")).collect();
        let page = format!("### Briefing\n- {} ({}#L1)\n", said[0], journal(20));
        let model = llm_fn(|_: &LlmRequest| Ok(LlmReply::new(format!("{lines}\n{page}"))));
        let dreamer = dreamer_with(Arc::clone(&workspace), |config| config.briefing = true);
        let report = dream(&dreamer, &model, night(21));
        let text = |file: &str| {
            let document = workspace.read(&name(file)).unwrap();
            document.map(|document| String::from_utf8(document.into_bytes()).unwrap()).unwrap_or_default()
        };
        let memory = text("MEMORY.md");
        let said: Vec<&str> = said.into_iter().filter(|said| memory.contains(said)).collect();
        assert!(said.len() > 20, "{memory}");
        assert!(!text("BRIEFING.md").is_empty());
        let carry = |now| {
            indexed.sync(now).unwrap();
            embed_once(index.as_ref(), &HashEmbedder::new(64), &EmbedConfig::default()).unwrap();
            for store in stores {
                feed(workspace.as_ref(), store.rows(), &marta(), now).unwrap();
                embed_once(store, &HashEmbedder::new(64), &EmbedConfig::default()).unwrap();
            }
        };
        carry(night(21));
        let mut found = Vec::new();
        files_with(beside.path(), said[0], &mut found);
        assert!(found.len() >= 3, "{found:?}");

        assert!(dreamer.undo_dream(&human(), &report.passes[0].dream_id, night(22)).unwrap());
        carry(night(22));
        for store in stores {
            // A removed row waits for its purge, as each that is deleted.
            store.purge(night(23), night(23)).unwrap();
        }
        drop((indexed, index, store, files));
        nowhere(beside.path(), &said, "undo");
        for file in ["MEMORY.md", "BRIEFING.md", &journal(20)] {
            let text = text(file);
            assert!(said.iter().all(|said| !text.contains(said)), "{file}: {text}");
        }
        if kind == 0 {
            fs::remove_dir_all(folder.path().join(".dreaming.d/history")).unwrap();
            nowhere(folder.path(), &said, "undo, but for its way back");
        }
    }
}
