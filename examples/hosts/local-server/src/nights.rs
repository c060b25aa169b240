//! Checks for every adapter: each function dreams a night through it and panics with what does not hold.

use std::net::TcpListener;
use std::sync::Arc;

use noctuary::dream::Failure;
use noctuary::model::Usage;
use noctuary::{DreamReport, FileWorkspace, JournalDreamer, Outcome};

use crate::{Answer, KEY, LocalServer};

/// Runs a night as a host on tokio does, which may give it to another thread.
pub fn run<F: Future + Send>(night: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(night)
}

const MEMORY: &str = "# Memory\n\n- Known already.\n";
const SECTION: &str = "### Preferences\n- The user prefers tea. (memory/2026-11-20-repl.md#L1)\n";

/// A host's night: a dream through its client, which asks the server at an address.
pub type Dream = dyn Fn(&JournalDreamer, &str) -> DreamReport;

/// A workspace with one journal that nobody has read.
struct Evening {
    folder: tempfile::TempDir,
    dreamer: JournalDreamer,
}

impl Evening {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("memory")).expect("a folder in it");
        std::fs::write(folder.path().join("memory/2026-11-20-repl.md"), "[user] I prefer tea.\n")
            .expect("a file");
        std::fs::write(folder.path().join("MEMORY.md"), MEMORY).expect("a file");
        let workspace = Arc::new(FileWorkspace::open(folder.path()).expect("a workspace"));
        let dreamer = JournalDreamer::builder(workspace)
            .enabled(true)
            .configure(|config| {
                config.window_days = None;
                config.budget.back_off = None;
            })
            .build()
            .expect("a dreamer");
        Self { folder, dreamer }
    }

    fn memory(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("MEMORY.md")).expect("a memory")
    }

    /// Dreams, sees that nothing moved and that no file holds the key, and that the next night promotes.
    fn nothing_moves(&self, dream: &Dream, url: &str) -> Failure {
        let report = dream(&self.dreamer, url);
        assert_eq!(report.outcome, Outcome::LlmError, "{report:?}");
        assert_eq!(self.memory(), MEMORY);
        assert_eq!(report.backlog.journals, 1, "the journal waits");
        let told = format!("{report:?}");
        assert!(!told.contains(KEY), "{told}");
        let log =
            std::fs::read_to_string(self.folder.path().join(".dreaming.d/log.jsonl")).unwrap_or_default();
        let state = std::fs::read_to_string(self.folder.path().join(".dreamed-state.json")).expect("a state");
        assert!(!log.contains(KEY) && !state.contains(KEY), "{log}{state}");
        self.promotes(dream);
        report.passes[0].failure.clone().expect("it says what failed")
    }

    /// Dreams with a server that answers well.
    fn promotes(&self, dream: &Dream) -> (DreamReport, LocalServer) {
        let server = LocalServer::start(Answer::Text(SECTION)).expect("a server");
        let report = dream(&self.dreamer, &server.url());
        assert_eq!(report.outcome, Outcome::Appended, "{report:?}");
        assert!(self.memory().starts_with(MEMORY) && self.memory().contains("- The user prefers tea."));
        (report, server)
    }
}

/// Promoted lines are in memory; the model was asked with both messages and the bound, and its tokens
/// are counted, those of the cache where the server tells of them.
pub fn promotion_stands_in_memory(dream: &Dream, cached_input: u64) {
    let evening = Evening::new();
    let (report, server) = evening.promotes(dream);
    assert_eq!(report.usage, Some(Usage { input: 1200, output: 30, cached_input }));
    let asked = server.asked();
    assert_eq!(asked.len(), 1, "one answer is asked for once");
    let roles: Vec<_> =
        asked[0]["messages"].as_array().expect("messages").iter().map(|m| &m["role"]).collect();
    assert_eq!(roles, ["system", "user"]);
    let request = asked[0].to_string();
    assert!(request.contains("I prefer tea."), "the journal is in it: {request}");
    assert!(request.contains("4096"), "the bound is in it: {request}");
}

/// A section of which the end is missing is not promoted.
pub fn an_answer_that_was_cut_off_moves_nothing(dream: &Dream) {
    let server = LocalServer::start(Answer::CutOff(SECTION)).expect("a server");
    let failure = Evening::new().nothing_moves(dream, &server.url());
    assert_eq!(failure, Failure::Truncated);
}

/// Nor is one that the model did not end itself.
pub fn a_filtered_answer_moves_nothing(dream: &Dream) {
    let server = LocalServer::start(Answer::Filtered(SECTION)).expect("a server");
    let failure = Evening::new().nothing_moves(dream, &server.url());
    assert_eq!(failure, Failure::Stopped);
}

/// Thoughts of a model before its answer are no memory: they were in front of the section, and the night was lost
/// or the thought was promoted.
pub fn thoughts_are_not_promoted(dream: &Dream) {
    const THOUGHT: &str = "<think>\n- The user prefers coffee.\n</think>\n\n### Preferences\n\
                           - The user prefers tea. (memory/2026-11-20-repl.md#L1)\n";
    let evening = Evening::new();
    let server = LocalServer::start(Answer::Text(THOUGHT)).expect("a server");
    let report = dream(&evening.dreamer, &server.url());
    assert_eq!(report.outcome, Outcome::Appended, "{report:?}");
    let memory = evening.memory();
    assert!(memory.contains("- The user prefers tea.") && !memory.contains("coffee"), "{memory}");
}

/// Nor is a model's refusal, though it says that it ended by itself and has the form of a memory.
pub fn a_model_that_refuses_moves_nothing(dream: &Dream) {
    let server = LocalServer::start(Answer::Refused(SECTION)).expect("a server");
    let failure = Evening::new().nothing_moves(dream, &server.url());
    assert!(matches!(failure, Failure::Stopped | Failure::Empty), "{failure:?}");
}

/// A failing server is worth another night, and so is a busy one, whatever the body.
pub fn a_server_that_fails_moves_nothing(dream: &Dream) {
    for answer in [Answer::Status(500), Answer::Numbered(503), Answer::Numbered(429), Answer::Page(502)] {
        let server = LocalServer::start(answer).expect("a server");
        let failure = Evening::new().nothing_moves(dream, &server.url());
        assert!(matches!(&failure, Failure::Client { retryable: true, .. }), "{answer:?}: {failure:?}");
        assert!(!server.asked().is_empty());
    }
}

/// A call that is refused today, for a wrong key or a missing model, is refused tomorrow, in whichever shape the server
/// says it: a `code` that is a number, and a page, came out as no answer at all, which may pass. What the server says
/// of it is not repeated.
pub fn a_refusal_will_not_go_away(dream: &Dream, status: u16, told: &str) {
    for answer in [Answer::Status(status), Answer::Numbered(status), Answer::Page(status)] {
        let server = LocalServer::start(answer).expect("a server");
        let failure = Evening::new().nothing_moves(dream, &server.url());
        assert!(matches!(&failure, Failure::Client { retryable: false, .. }), "{answer:?}: {failure}");
        // A client library may hide the status, and a page has none.
        let why = failure.to_string();
        let is_page = matches!(answer, Answer::Page(_)) && why.contains("check its address");
        assert!(is_page || why.contains(told), "the operator learns why: {answer:?}: {why}");
        assert_eq!(server.asked().len(), 1, "and nobody asks twice");
    }
}

/// Nobody listens; the address, in which hosts put keys as well, is not repeated.
pub fn a_server_that_is_gone_moves_nothing(dream: &Dream) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let failure = Evening::new().nothing_moves(dream, &format!("http://{address}/{KEY}"));
    assert!(matches!(&failure, Failure::Client { retryable: true, .. }), "{failure:?}");
}

/// An adapter is short enough to be copied: under 30 lines of code.
pub fn the_adapter_is_short(source: &str) {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let lines = source.lines().filter(is_code).count();
    assert!((10..30).contains(&lines), "{lines} lines");
}
