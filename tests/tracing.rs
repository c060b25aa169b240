//! A host's tracing: the spans that the manual names, nested as it says, and no word of anybody's.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use chrono::{TimeZone, Utc};
use noctuary::dream::Step;
use noctuary::life::Guarded;
use noctuary::memory::{Filter, NewMemory, Query, Source};
use noctuary::model::{Finish, Usage};
use noctuary::testing::Script;
use noctuary::tools::{MemoryTool, Toolbox};
use noctuary::workspace::{Claim, ClaimTerms};
use noctuary::{
    Access, Dreamer as _, FileMemoryStore, FileWorkspace, JournalDreamer, LlmError, LlmReply, LlmRequest,
    MemoryStore, Outcome, Scope, Workspace, dream_once, dream_once_async, llm_fn,
};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Span, Subscriber};

/// Stands in every text that anybody wrote.
const CANARY: &str = "kestrel";
const MANUAL: &str = include_str!("../src/manual/operate.md");

/// Hears everything, and keeps it.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Heard>>);

#[derive(Default)]
struct Heard {
    spans: Vec<HeardSpan>,
    /// Which are entered, on the one thread that a test has.
    entered: Vec<u64>,
    events: Vec<String>,
}

#[derive(Debug, Clone)]
struct HeardSpan {
    name: &'static str,
    parent: Option<u64>,
    /// Which fields it may have.
    declared: BTreeSet<&'static str>,
    /// Which it was given.
    fields: BTreeMap<&'static str, String>,
}

impl Visit for HeardSpan {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

impl Subscriber for Listener {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut heard = self.0.lock().unwrap();
        let current = || heard.entered.last().copied();
        let parent = attributes.parent().map(Id::into_u64);
        let parent = if attributes.is_contextual() { current() } else { parent };
        let metadata = attributes.metadata();
        assert_eq!(metadata.target(), "noctuary");
        let declared = metadata.fields().iter().map(|field| field.name()).collect();
        let mut span = HeardSpan { name: metadata.name(), parent, declared, fields: BTreeMap::new() };
        attributes.record(&mut span);
        heard.spans.push(span);
        Id::from_u64(heard.spans.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let mut heard = self.0.lock().unwrap();
        let at = usize::try_from(id.into_u64()).unwrap() - 1;
        values.record(&mut heard.spans[at]);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.0.lock().unwrap().events.push(format!("{event:?}"));
    }

    fn enter(&self, id: &Id) {
        self.0.lock().unwrap().entered.push(id.into_u64());
    }

    fn exit(&self, id: &Id) {
        assert_eq!(self.0.lock().unwrap().entered.pop(), Some(id.into_u64()));
    }
}

impl Listener {
    fn hear<T>(&self, run: impl FnOnce() -> T) -> T {
        tracing::subscriber::with_default(self.clone(), run)
    }

    fn spans(&self) -> Vec<HeardSpan> {
        self.0.lock().unwrap().spans.clone()
    }

    /// The names, each below its parent by two blanks.
    fn tree(&self) -> Vec<String> {
        let spans = self.spans();
        let depth = |span: &HeardSpan| {
            let at = |id: &u64| &spans[usize::try_from(*id).unwrap() - 1];
            std::iter::successors(span.parent.as_ref().map(at), |span| span.parent.as_ref().map(at)).count()
        };
        spans.iter().map(|span| format!("{}{}", "  ".repeat(depth(span)), span.name)).collect()
    }

    /// Returns the fields of the last span of a name.
    fn told(&self, name: &str) -> BTreeMap<&'static str, String> {
        self.spans().into_iter().rfind(|span| span.name == name).unwrap().fields
    }

    /// No word of anybody's was heard, and no event.
    fn assert_discreet(&self) {
        let heard = self.0.lock().unwrap();
        assert!(heard.events.is_empty(), "{:?}", heard.events);
        assert!(heard.entered.is_empty(), "every span was left");
        let all = format!("{:?}", heard.spans);
        assert!(!all.contains(CANARY), "{all}");
    }
}

/// A home whose every text, and whose path, has the canary in it.
struct Home {
    _folder: tempfile::TempDir,
    workspace: Arc<FileWorkspace>,
    dreamer: JournalDreamer,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join(CANARY);
        std::fs::create_dir_all(root.join("memory")).unwrap();
        std::fs::write(root.join("MEMORY.md"), format!("# Memory\n\n- A {CANARY} nests here.\n")).unwrap();
        let line = format!("[user] I feed a {CANARY} on Sundays.\n");
        std::fs::write(root.join(format!("memory/2026-11-20-{CANARY}.md")), line).unwrap();
        let workspace = Arc::new(FileWorkspace::open(&root).unwrap());
        let dreamer = JournalDreamer::builder(workspace.clone())
            .enabled(true)
            .configure(|config| config.window_days = None)
            .build()
            .unwrap();
        Self { _folder: folder, workspace, dreamer }
    }
}

fn section() -> String {
    let cited = format!("memory/2026-11-20-{CANARY}.md#L1");
    format!(
        "### Facts\n- The user feeds a {CANARY} on Sundays. ({cited})\n- The {CANARY} costs 900 EUR. ({cited})\n"
    )
}

fn usage() -> Usage {
    Usage { input: 1200, output: 30, cached_input: 1000 }
}

fn a_dream_that_promotes(listener: &Listener) {
    let home = Home::new();
    let model = llm_fn(|_| Ok(LlmReply::new(section()).usage(usage())));
    let report = listener.hear(|| dream_once(&home.dreamer, &model)).unwrap();
    assert_eq!(report.outcome, Outcome::Appended);
}

fn a_dream_that_fails(listener: &Listener) {
    let home = Home::new();
    let model = Script::new().fails(format!("cannot reach the {CANARY}"));
    let report = listener.hear(|| dream_once(&home.dreamer, &model)).unwrap();
    assert_eq!(report.outcome, Outcome::LlmError);
}

fn a_dream_that_breaks(listener: &Listener) {
    let home = Home::new();
    let state = std::path::PathBuf::from(home.workspace.location()).join(".dreaming.d/ledger.json");
    std::fs::create_dir_all(&state).unwrap();
    listener.hear(|| dream_once(&home.dreamer, &Script::new())).unwrap_err();
}

fn memory(listener: &Listener, store: &dyn MemoryStore) {
    let access = Access::agent(Scope::user("marta"));
    let now = Utc.with_ymd_and_hms(2026, 11, 22, 9, 0, 0).unwrap();
    let row = |text: &str| NewMemory::new("fact", text, Source::AgentRecorded);
    listener.hear(|| {
        let id = store.write(&access, &row(&format!("A {CANARY} nests in the barn.")), now).unwrap();
        store.search(&access, &Query::new(format!("{CANARY} barn"))).unwrap();
        store.update(&access, id, &format!("A {CANARY} nests in the tower."), now).unwrap();
        store.delete(&access, id, now).unwrap();
        store.write(&access, &row(&format!("The {CANARY} key is AKIAIOSFODNN7EXAMPLE")), now).unwrap_err();
    });
}

/// A large file of rows is opened, whose index is not there.
fn large(listener: &Listener) {
    let folder = tempfile::tempdir().unwrap();
    let access = Access::agent(Scope::user("marta"));
    let now = Utc.with_ymd_and_hms(2026, 11, 22, 9, 0, 0).unwrap();
    let store = STORES[0].1(folder.path());
    store.write(&access, &NewMemory::new("note", CANARY, Source::AgentRecorded), now).unwrap();
    drop(store);
    let mut file =
        OpenOptions::new().append(true).open(folder.path().join(".dreaming.d/memories.jsonl")).unwrap();
    let blank = format!("{}\n", " ".repeat(1023));
    file.write_all(blank.repeat(4 << 10).as_bytes()).unwrap();
    listener.hear(|| {
        let store = STORES[0].1(folder.path());
        assert_eq!(store.list(&access, &Filter::limit(9)).unwrap().len(), 1);
    });
}

/// A model remembers, learns, finds by rows and documents, and is refused.
fn tools(listener: &Listener) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join(CANARY);
    std::fs::create_dir_all(&root).unwrap();
    let scope = Scope::user("marta");
    let access = Access::agent(scope.clone());
    let now = Utc.with_ymd_and_hms(2026, 11, 22, 9, 0, 0).unwrap();
    let store = Arc::new(FileMemoryStore::open(&root, scope).unwrap());
    let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(&root).unwrap());
    let view = || Guarded::new(workspace.clone(), access.clone());
    let tools = Toolbox::new(view()).store(store.clone()).learnings(store).sleep();
    let memory = MemoryTool::new(view());
    let call = |name: &str, arguments: serde_json::Value| tools.call(name, &arguments, now);
    listener.hear(|| {
        call("memory_write", json!({"category": "fact", "content": format!("A {CANARY} nests.")})).unwrap();
        call("memory_learn", json!({"content": format!("Ask for the {CANARY} first.")})).unwrap();
        call("memory_search", json!({"query": CANARY})).unwrap();
        call("memory_forget", json!({"id": CANARY})).unwrap_err();
        call("workspace_memory_read", json!({"path": format!("{CANARY}.md")})).unwrap_err();
        call(CANARY, json!({})).unwrap_err();
        memory.call(&json!({"command": "view", "path": "/memories"})).unwrap();
    });
}

// The page on nights ran its steps on other threads, which do not know the current span: theirs belonged to nobody.
#[test]
fn steps_are_below_the_span_that_a_host_takes_along() {
    const PAGE: &str = include_str!("../src/dreamer/contract.rs");
    assert!(PAGE.contains("span.in_scope(work)"), "the docs of a step do as this test");
    let tree = |is_taken: bool| {
        let (listener, home) = (Listener::default(), Home::new());
        listener.hear(|| {
            let host = tracing::info_span!(target: "noctuary", "dream");
            // As another thread has it: nothing is entered.
            let there = |work: &mut dyn FnMut() -> Step| if is_taken { host.in_scope(work) } else { work() };
            let mut step = there(&mut || home.dreamer.begin(Utc::now()).unwrap());
            while let Step::Ask(pass) = step {
                let mut pass = Some(pass);
                step = there(&mut || {
                    pass.take().unwrap().resume(Ok(LlmReply::new(section())), Utc::now()).unwrap()
                });
            }
        });
        listener.tree()
    };
    assert_eq!(tree(false), ["dream", "claim", "select", "commit", "select"]);
    assert_eq!(tree(true), ["dream", "  claim", "  select", "  commit", "  select"]);
}

#[test]
fn a_tool_is_told_of_by_its_name_and_by_no_word_of_the_models() {
    let listener = Listener::default();
    tools(&listener);
    let tree = [
        "execute_tool",
        "  create_memory",
        "execute_tool",
        "  create_memory",
        "execute_tool",
        "  search_memory",
        "execute_tool",
        "execute_tool",
        "execute_tool",
    ];
    assert_eq!(listener.tree(), tree);
    let spans = listener.spans();
    let told: Vec<_> = spans
        .iter()
        .filter(|span| span.name == "execute_tool")
        .map(|span| {
            (span.fields["gen_ai.tool.name"].as_str(), span.fields.get("error.type").map(String::as_str))
        })
        .collect();
    let expected = [
        ("memory_write", None),
        ("memory_learn", None),
        ("memory_search", None),
        ("memory_forget", Some("refused")),
        ("workspace_memory_read", Some("not_found")),
        ("memory", None),
    ];
    assert_eq!(told, expected);
    listener.assert_discreet();
}

#[test]
fn a_search_of_documents_is_told_of() {
    let (listener, home) = (Listener::default(), Home::new());
    let index = noctuary::SqliteIndex::open_in_memory(Scope::user("marta")).unwrap();
    let indexed = noctuary::life::Indexed::new(home.workspace.clone(), index);
    let access = Access::agent(Scope::user("marta"));
    indexed.sync(Utc.with_ymd_and_hms(2026, 11, 22, 9, 0, 0).unwrap()).unwrap();
    listener.hear(|| indexed.search(&access, CANARY, 9)).unwrap();
    assert_eq!(listener.tree(), ["search_memory"]);
    assert_eq!(listener.told("search_memory")["gen_ai.memory.record.count"], "2");
    listener.assert_discreet();
}

#[test]
fn what_is_forgotten_is_told_of_by_its_number() {
    for (label, open) in STORES {
        let (listener, folder) = (Listener::default(), tempfile::tempdir().unwrap());
        let store = open(folder.path());
        let access = Access::human(Scope::user("marta"));
        let now = Utc.with_ymd_and_hms(2026, 11, 22, 9, 0, 0).unwrap();
        let text = format!("A {CANARY} nests in the barn.");
        store.write(&access, &NewMemory::new("fact", &text, Source::UserExplicit), now).unwrap();
        listener.hear(|| store.forget(&access, &text, now)).unwrap();
        assert_eq!(listener.tree(), ["delete_memory"], "{label}");
        assert_eq!(listener.told("delete_memory")["gen_ai.memory.record.count"], "1", "{label}");
        listener.assert_discreet();
    }
}

#[test]
fn a_dream_nests_as_the_manual_says_and_tells_its_figures() {
    let listener = Listener::default();
    a_dream_that_promotes(&listener);
    assert_eq!(listener.tree(), ["dream", "  claim", "  select", "  ask", "  commit", "  select"]);
    let dream = listener.told("dream");
    assert_eq!(dream["noctuary.outcome"], "appended");
    assert_eq!(dream["noctuary.calls"], "1");
    assert_eq!(dream["noctuary.candidates"], "1");
    assert_eq!(dream["noctuary.promoted"], "1");
    assert_eq!(dream["noctuary.held"], "1");
    assert_eq!(dream["noctuary.backlog.bytes"], "0");
    assert_eq!(dream["noctuary.dream.id"], listener.told("commit")["noctuary.dream.id"]);
    let ask = listener.told("ask");
    assert_eq!(ask["gen_ai.usage.input_tokens"], "1200");
    assert_eq!(ask["gen_ai.usage.output_tokens"], "30");
    assert_eq!(ask["gen_ai.usage.cache_read.input_tokens"], "1000");
    assert_eq!(ask["gen_ai.response.finish_reasons"], "stop");
    assert_eq!(listener.told("claim")["noctuary.claim.granted"], "yes");
    listener.assert_discreet();
}

#[test]
fn a_dream_that_fails_tells_the_kind_and_not_the_words() {
    let listener = Listener::default();
    a_dream_that_fails(&listener);
    assert_eq!(listener.tree(), ["dream", "  claim", "  select", "  ask"]);
    assert_eq!(listener.told("ask")["error.type"], "retryable");
    assert_eq!(listener.told("dream")["noctuary.outcome"], "llm_error");
    assert_ne!(listener.told("dream")["noctuary.backlog.bytes"], "0");
    listener.assert_discreet();
}

#[test]
fn a_dream_that_breaks_off_tells_the_kind_of_its_error() {
    let listener = Listener::default();
    a_dream_that_breaks(&listener);
    let dream = listener.told("dream");
    assert_eq!(dream.get("error.type").map(String::as_str), Some("refused"), "{dream:?}");
    assert!(!dream.contains_key("noctuary.outcome"));
    listener.assert_discreet();
}

#[test]
fn a_held_lease_is_told_of() {
    let (listener, home) = (Listener::default(), Home::new());
    let Claim::Granted(lease) = home.workspace.claim(&ClaimTerms::default()).unwrap() else { panic!() };
    let report = listener.hear(|| dream_once(&home.dreamer, &Script::new())).unwrap();
    assert_eq!(report.outcome, Outcome::LockHeld);
    assert_eq!(listener.tree(), ["dream", "  claim"]);
    assert_eq!(listener.told("claim")["noctuary.claim.granted"], "no");
    assert_eq!(listener.told("dream")["noctuary.outcome"], "lock_held_skip");
    drop(lease);
    listener.assert_discreet();
}

/// While the model is waited for, a neighbour on the same thread is below no span, and the client is below `ask`.
#[test]
fn no_span_is_entered_over_a_point_of_waiting() {
    let (listener, home) = (Listener::default(), Home::new());
    let (dreamer, below) = (home.dreamer.clone(), Mutex::new(Vec::new()));
    let entered = || {
        let heard = listener.0.lock().unwrap();
        heard.entered.iter().map(|id| heard.spans[usize::try_from(*id).unwrap() - 1].name).collect::<Vec<_>>()
    };
    let ask = |_: LlmRequest| async {
        for _ in 0..3 {
            below.lock().unwrap().push(entered());
            tokio::task::yield_now().await;
        }
        Ok(LlmReply::new(section()).finish(Finish::Length))
    };
    let mut beside = Vec::new();
    let report = listener.hear(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut night = Box::pin(dream_once_async(&dreamer, ask));
            std::future::poll_fn(|context| {
                let polled = night.as_mut().poll(context);
                beside.push(entered());
                if polled.is_pending() {
                    context.waker().wake_by_ref();
                }
                polled
            })
            .await
        })
    });
    assert_eq!(report.unwrap().outcome, Outcome::LlmError);
    assert_eq!(*below.lock().unwrap(), vec![vec!["ask"]; 3]);
    assert_eq!(beside, vec![Vec::<&str>::new(); 4]);
    assert_eq!(listener.tree(), ["dream", "  claim", "  select", "  ask"]);
    assert_eq!(listener.told("ask")["gen_ai.response.finish_reasons"], "length");
    listener.assert_discreet();
}

/// A dream that a host gave up closed its span as if nothing had come of it: operators could not tell it from a bug.
#[test]
fn a_dream_that_is_dropped_or_panics_tells_that_it_was_cancelled() {
    let (listener, home) = (Listener::default(), Home::new());
    listener.hear(|| {
        let never = |_: LlmRequest| std::future::pending();
        let mut night = Box::pin(dream_once_async(&home.dreamer, never));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(night.as_mut().poll(&mut context).is_pending());
        drop(night);
    });
    assert_eq!(listener.told("dream")["noctuary.outcome"], "cancelled");
    listener.assert_discreet();

    let (listener, home) = (Listener::default(), Home::new());
    let breaks = llm_fn(|_| panic!("the {CANARY} flew away"));
    let night = std::panic::AssertUnwindSafe(|| listener.hear(|| dream_once(&home.dreamer, &breaks)));
    std::panic::catch_unwind(night).unwrap_err();
    assert_eq!(listener.told("dream")["noctuary.outcome"], "cancelled");
    listener.assert_discreet();
}

type Store = (&'static str, fn(&Path) -> Box<dyn MemoryStore>);

const STORES: &[Store] = &[
    ("files", |path| Box::new(FileMemoryStore::open(path, Scope::user("marta")).unwrap())),
    ("sqlite", |path| {
        let path = path.join("memory.db");
        Box::new(noctuary::SqliteMemoryStore::open(path, Scope::user("marta")).unwrap())
    }),
];

#[test]
fn memory_is_written_and_searched_without_its_words() {
    for (label, open) in STORES {
        let (listener, folder) = (Listener::default(), tempfile::tempdir().unwrap());
        memory(&listener, open(folder.path()).as_ref());
        let verbs = ["create_memory", "search_memory", "update_memory", "delete_memory", "create_memory"];
        assert_eq!(listener.tree(), verbs, "{label}");
        let search = listener.told("search_memory");
        assert_eq!(search["gen_ai.memory.record.count"], "1", "{label}");
        assert_eq!(search["noctuary.search.outcome"], "hit", "{label}");
        assert_eq!(listener.spans()[0].fields["gen_ai.memory.record.id"], "1", "{label}");
        assert_eq!(listener.told("delete_memory")["gen_ai.memory.record.count"], "1", "{label}");
        assert_eq!(listener.told("create_memory")["error.type"], "stopped", "{label}");
        listener.assert_discreet();
    }
}

/// Returns the words of a cell that are set as code.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The table of the manual is the truth: each span and field in it occurs, and none beside it.
#[test]
fn the_manual_names_every_span_and_field() {
    let listener = Listener::default();
    a_dream_that_promotes(&listener);
    a_dream_that_fails(&listener);
    a_dream_that_breaks(&listener);
    let folder = tempfile::tempdir().unwrap();
    memory(&listener, STORES[0].1(folder.path()).as_ref());
    large(&listener);
    tools(&listener);
    let mut named: BTreeSet<(String, String)> = BTreeSet::new();
    let (_, spans) = MANUAL.split_once("\n# Spans\n").unwrap();
    for row in spans.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').collect();
        for span in quoted(cells[1]) {
            named.extend(quoted(cells[2]).map(|field| (span.to_owned(), field.to_owned())));
        }
    }
    assert!(MANUAL.contains("| all | `error.type` |"));
    let (mut declared, mut told) = (BTreeSet::new(), BTreeSet::new());
    for span in listener.spans() {
        let pair = |field: &str| (span.name.to_owned(), field.to_owned());
        assert!(span.declared.contains("error.type"), "{}", span.name);
        let ours = |field: &&&str| **field != "error.type";
        declared.extend(span.declared.iter().filter(ours).map(|field| pair(field)));
        told.extend(span.fields.keys().filter(ours).map(|field| pair(field)));
    }
    assert_eq!(declared, named, "what may be told, and what the manual names");
    assert_eq!(told, named, "what was told, and what the manual names");
    listener.assert_discreet();
}

/// Nobody listens: a dream and a search are as they were.
#[test]
fn without_a_listener_nothing_changes() {
    let home = Home::new();
    let model = llm_fn(|_: &LlmRequest| Err(LlmError::new("gone").permanent()));
    assert_eq!(dream_once(&home.dreamer, &model).unwrap().outcome, Outcome::LlmError);
    assert!(Span::current().is_none());
}
