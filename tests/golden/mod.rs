//! Files as version 0.1.0 wrote them: a life with a store of rows in a folder, and in a database. Each test opens a copy.
//!
//! They are not written anew because a test fails: it fails for those who have such files, too. For a release that adds to the
//! formats, `NOCTUARY_GOLDEN=write` writes them again beside this file, and the commit says why.

#![allow(clippy::unwrap_used, reason = "a test panics with what does not hold")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, NaiveDate, TimeDelta, TimeZone, Utc};
use noctuary::artifacts::{ArtifactData, ArtifactFilter, ArtifactKind, ArtifactStore, NewArtifact};
use noctuary::dream::{DreamMode, DreamStanding, ProposalEnd};
use noctuary::exchange::Forget;
use noctuary::facts::{Decision, FactKey};
use noctuary::life::Editor;
use noctuary::memory::{Filter, LearningStore, NewLearning, NewMemory, Query, Source};
use noctuary::sleep::{Said, SleepDreamer};
use noctuary::testing::Script;
use noctuary::testing::contract::fact::Facts;
use noctuary::{
    Access, DocName, DreamConfig, DreamReport, Error, FileArtifactStore, FileMemoryStore, FileWorkspace,
    JournalDreamer, Life, LifeConfig, Outcome, Scope, Workspace, dream_once_at,
};

const FORGOTTEN: &str = "my cousin Harald Minck hides the lantern money";
const MEMORY: &str = "# Memory\n\n- Mine, before all nights.\n";
const DREAM: &str = "OBSERVATIONS:\nRED 20:10 Jonna was promised an answer by Friday\n\nREFLECTION:\nA calm evening.\n\nPRIORITY:\nFind the sacks.\n";

/// A fact of each of four days of October, and how the night ends whose model keeps it. The key is an example of its maker's
/// handbook, which opens nothing.
const DAYS: [(&str, DreamMode, Outcome); 4] = [
    ("the mill wheel turns at 9 rounds a minute.", DreamMode::Append, Outcome::Appended),
    ("the test key of pump 2 is AKIAIOSFODNN7EXAMPLE.", DreamMode::Append, Outcome::Quarantined),
    ("rye costs 2 crowns a sack.", DreamMode::Propose, Outcome::Proposed),
    ("the oven takes 30 loaves.", DreamMode::Append, Outcome::Appended),
];

fn at(day: u32, hour: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 10, day, hour, 0, 0).unwrap()
}

fn marta() -> Scope {
    Scope::user("marta")
}

fn human() -> Access {
    Access::human(marta())
}

fn agent() -> Access {
    Access::agent(marta())
}

fn name(text: &str) -> DocName {
    DocName::parse(text).unwrap()
}

fn journal(day: u32) -> DocName {
    name(&format!("memory/2026-10-{day:02}-repl.md"))
}

/// A life, and the stores beside it.
struct Home {
    root: PathBuf,
    workspace: Arc<dyn Workspace>,
    store: Arc<dyn Facts>,
    learner: Arc<dyn LearningStore>,
    artifacts: Arc<dyn ArtifactStore>,
}

impl Home {
    fn in_a_folder(root: &Path) -> Self {
        let life = root.join("life");
        fs::create_dir_all(&life).unwrap();
        let store = Arc::new(FileMemoryStore::open(&life, marta()).unwrap());
        Self {
            root: root.to_owned(),
            workspace: Arc::new(FileWorkspace::open(&life).unwrap()),
            store: store.clone(),
            learner: store,
            artifacts: Arc::new(FileArtifactStore::open(&life, marta()).unwrap()),
        }
    }

    fn in_a_database(root: &Path) -> Self {
        let path = root.join("life.db");
        let store = Arc::new(noctuary::SqliteMemoryStore::open(&path, marta()).unwrap());
        Self {
            root: root.to_owned(),
            workspace: Arc::new(noctuary::SqliteWorkspace::open(&path, marta()).unwrap()),
            store: store.clone(),
            learner: store,
            artifacts: Arc::new(noctuary::SqliteArtifactStore::open(&path, marta()).unwrap()),
        }
    }

    fn dreamer(&self, change: impl FnOnce(&mut DreamConfig)) -> JournalDreamer {
        JournalDreamer::builder(self.workspace.clone()).enabled(true).configure(change).build().unwrap()
    }

    fn night(&self, day: u32, answer: &str, mode: DreamMode) -> DreamReport {
        let dreamer = self.dreamer(|config| config.mode = mode);
        dream_once_at(&dreamer, &Script::new().says(answer), &|| at(day, 3)).unwrap()
    }

    /// Writes the journal of a day, at the evening of that day.
    fn day(&self, day: u32, text: &str) {
        self.workspace.append(&journal(day), text.as_bytes()).unwrap();
        age(&self.root);
    }

    fn text(&self, document: &DocName) -> String {
        self.workspace.read(document).unwrap().unwrap().lossy().into_owned()
    }

    fn documents(&self) -> BTreeMap<DocName, String> {
        let names = self.workspace.list(None).unwrap().documents;
        names.into_iter().map(|name| (name.clone(), self.text(&name))).collect()
    }

    fn sleeper(&self) -> SleepDreamer {
        SleepDreamer::builder(self.workspace.clone()).enabled(true).build().unwrap()
    }

    fn contents(&self) -> Vec<String> {
        let rows = self.store.list(&human(), &Filter::limit(99)).unwrap();
        rows.into_iter().map(|row| row.content).collect()
    }

    fn found(&self, words: &str) -> Vec<String> {
        let hits = self.store.search(&agent(), &Query::new(words)).unwrap().hits;
        hits.into_iter().map(|hit| hit.memory.content).collect()
    }
}

/// Gives journals the evening of their day as their time of change: version control keeps no times.
fn age(root: &Path) {
    let evening = |file: &str| {
        let day: NaiveDate = file.get(..10)?.parse().ok()?;
        Some(day.and_hms_opt(19, 0, 0)?.and_utc().timestamp())
    };
    for entry in fs::read_dir(root.join("life/memory")).into_iter().flatten() {
        let path = entry.unwrap().path();
        if let Some(seconds) = evening(path.file_name().unwrap().to_str().unwrap()) {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.unsigned_abs());
            fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        }
    }
    if root.join("life.db").exists() {
        let connection = rusqlite::Connection::open(root.join("life.db")).unwrap();
        let sql = "UPDATE memory_documents SET modified_ns = 1000000000 * unixepoch(substr(path, 8, 10) || ' 19:00')
            WHERE path GLOB 'memory/2026-*'";
        connection.execute(sql, []).unwrap();
    }
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let from = entry.unwrap().path();
        let to = to.join(from.file_name().unwrap());
        if from.is_dir() {
            copy_tree(&from, &to);
        } else {
            fs::write(&to, fs::read(&from).unwrap()).unwrap();
        }
    }
}

fn golden() -> PathBuf {
    noctuary_tests::root().join("tests/golden")
}

/// Runs a test on a copy of each home.
fn each(test: impl Fn(&Home)) {
    let copy = tempfile::tempdir().unwrap();
    copy_tree(&golden(), copy.path());
    age(copy.path());
    test(&Home::in_a_folder(copy.path()));
    test(&Home::in_a_database(copy.path()));
}

/// Four days and nights, an evening of a sleeper, and rows of every kind.
fn live(home: &Home) {
    let workspace = home.workspace.as_ref();
    let life = Life::new(home.workspace.clone(), LifeConfig::default());
    workspace.append(&DocName::MEMORY, MEMORY.as_bytes()).unwrap();
    workspace.append(&name("projects/mill.md"), format!("# Mill\n\n{FORGOTTEN}\n").as_bytes()).unwrap();
    life.boot(at(1, 8)).unwrap();
    for (day, (fact, mode, end)) in (1..).zip(DAYS) {
        home.day(day, &format!("- [user] Fact: {fact}\n"));
        let answer = format!("### Facts\n- {fact} ({}#L1)\n", journal(day));
        assert_eq!(home.night(day + 1, &answer, mode).outcome, end, "{fact}");
    }
    let dreamer = home.dreamer(|_| ());
    assert!(dreamer.undo_dream(&human(), &dreamer.dreams().unwrap()[0].id, at(5, 9)).unwrap());

    let editor = Editor::new(workspace, human());
    for text in ["# User\n\n- Name: Marta\n", "# User\n\n- Name: Marta\n- Mill: Brook Lane\n"] {
        let seen = editor.load(&DocName::USER).unwrap().map(|document| document.revision());
        editor.save(&DocName::USER, text, seen, at(5, 10)).unwrap();
    }
    life.mark_checked("mail", at(5, 11)).unwrap();
    let sleeper = home.sleeper();
    sleeper.log(&[Said::new("user", "Where are the sacks?")], at(5, 20)).unwrap();
    sleeper.fall_asleep(900, at(5, 20)).unwrap();
    dream_once_at(&sleeper, &Script::new().says(DREAM), &|| at(5, 20)).unwrap();
    sleeper.wake(&agent(), at(5, 21)).unwrap();

    let mut now = at(6, 8);
    let mut tick = || {
        now += TimeDelta::minutes(5);
        now
    };
    let store = home.store.as_ref();
    for (category, content) in [
        ("observation", "The mill wheel squeaks when the brook is high"),
        ("preference", "Marta prefers weights in kilograms"),
        ("observation", "A sack fell from the cart"),
        ("observation", "My cousin Harald Minck hides the lantern money"),
    ] {
        store.write(&agent(), &NewMemory::new(category, content, Source::AgentRecorded), tick()).unwrap();
    }
    let rows = store.list(&human(), &Filter::limit(9)).unwrap();
    let id = |words: &str| rows.iter().find(|row| row.content.contains(words)).unwrap().id;
    assert!(store.delete(&agent(), id("sack fell"), tick()).unwrap());
    assert!(store.update(&agent(), id("squeaks"), "The mill wheel is quiet now", tick()).unwrap());
    assert!(store.pin(&human(), id("kilograms"), true, tick()).unwrap());
    let mut record = |content: &str| {
        let fact =
            NewMemory::new("fact", content, Source::ChatExtracted).about(FactKey::one("jonna", "home"));
        store.record(&agent(), &fact, tick()).unwrap().id
    };
    let (older, newer) = (record("Jonna lives in Brook Lane"), record("Jonna lives in Hill Street"));
    store.decide(&human(), &Decision::supersede(older, newer).because("moved"), tick()).unwrap();
    store.set_profile(&human(), "timezone", "Europe/Lisbon", tick()).unwrap();
    home.learner.learn(&agent(), &NewLearning::new("Weigh twice before selling."), tick()).unwrap();
    let sheet = NewArtifact::new(ArtifactKind::Spreadsheet, "Sacks");
    let sheet = home.artifacts.insert(&agent(), &sheet, tick()).unwrap();
    home.artifacts.mark_completed(&agent(), &sheet, &ArtifactData::csv("day,sacks\n1,2\n"), tick()).unwrap();
    Forget::new(&human(), FORGOTTEN).in_files(true).workspace(workspace).store(store).run(tick()).unwrap();
    age(&home.root);
}

#[test]
fn golden_files_are_written_where_that_is_asked_for() {
    if std::env::var_os("NOCTUARY_GOLDEN").is_none_or(|value| value != "write") {
        return;
    }
    let made = tempfile::tempdir().unwrap();
    live(&Home::in_a_folder(made.path()));
    // It has version control ignore the folder, so it is no fixture.
    fs::remove_file(made.path().join("life/.dreaming.d/.gitignore")).unwrap();
    {
        live(&Home::in_a_database(made.path()));
        // Small pages, and no name of a machine.
        let connection = rusqlite::Connection::open(made.path().join("life.db")).unwrap();
        let sql = "UPDATE workspace_leases SET hostname = 'mill', pid = 4711, token = 'e0';
            PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM;";
        connection.execute_batch(sql).unwrap();
    }
    let _ = fs::remove_dir_all(golden().join("life"));
    copy_tree(made.path(), &golden());
}

#[test]
fn everything_reads_back() {
    each(|home| {
        let memory = home.text(&DocName::MEMORY);
        assert!(memory.starts_with(MEMORY) && memory.contains("the mill wheel turns at 9 rounds a minute."));
        assert!(!memory.contains("the oven"), "it was undone");
        let dreamer = home.dreamer(|_| ());
        assert_eq!(dreamer.state().unwrap().last_outcome.as_deref(), Some("appended"));
        assert!(dreamer.quarantine().unwrap().holds(&journal(2)).is_some());
        assert_eq!(dreamer.proposals(&human(), at(7, 3)).unwrap().len(), 1);
        assert_eq!(Editor::new(home.workspace.as_ref(), human()).history(&DocName::USER).unwrap().len(), 2);
        let checks = Life::new(home.workspace.clone(), LifeConfig::default()).checks().unwrap();
        assert_eq!(checks.last("mail"), Some(at(5, 11).timestamp()));
        assert_eq!(home.sleeper().state().unwrap().dreams, 1);
        assert!(home.text(&name("self/observations.md")).contains("Jonna was promised an answer"));

        let rows = [
            "Jonna lives in Hill Street",
            "The mill wheel is quiet now",
            "Marta prefers weights in kilograms",
        ];
        assert_eq!(home.contents(), rows);
        assert_eq!(home.found("wheel"), [rows[1]]);
        assert_eq!(home.store.decisions(&human(), 9).unwrap()[0].reason.as_deref(), Some("moved"));
        assert_eq!(home.store.profile(&human()).unwrap()[0].1, "Europe/Lisbon");
        assert!(home.store.audit(&human(), 99).unwrap().len() > 10);
        assert_eq!(home.learner.learnings(&human(), 9).unwrap()[0].content, "Weigh twice before selling.");
        let sheets = home.artifacts.list(&human(), &ArtifactFilter::default()).unwrap();
        assert_eq!(home.artifacts.get(&human(), &sheets[0].id).unwrap().title, "Sacks");
    });
}

#[test]
fn the_next_night_goes_on_and_loses_nothing() {
    each(|home| {
        let (before, rows) = (home.documents(), home.contents());
        let dreamer = home.dreamer(|_| ());
        let undone = dreamer.dreams().unwrap().remove(0);
        assert_eq!(undone.standing, DreamStanding::Undone);
        assert!(dreamer.redo_dream(&human(), &undone.id, at(6, 9)).unwrap());
        let memory = home.text(&DocName::MEMORY);
        assert!(
            memory.starts_with(&before[&DocName::MEMORY]) && memory.contains("the oven takes 30 loaves.")
        );

        home.day(6, &format!("- [user] Fact: the brook froze on 2026-10-06.\n- [user] Fact: {FORGOTTEN}.\n"));
        let answer = format!(
            "### Facts\n- the brook froze on 2026-10-06. (memory/2026-10-06-repl.md#L1)\n- {FORGOTTEN}. (memory/2026-10-06-repl.md#L2)\n"
        );
        let report = home.night(7, &answer, DreamMode::Append);
        assert_eq!((report.outcome, report.recovered.is_none()), (Outcome::Appended, true));
        let promoted: Vec<&str> = report.promoted().map(|line| line.text.as_str()).collect();
        assert_eq!(promoted, ["the brook froze on 2026-10-06. (memory/2026-10-06-repl.md#L1)"]);
        let again = home.night(8, "", DreamMode::Append);
        assert_eq!((again.outcome, again.calls), (Outcome::NothingNew, 0));

        let waiting = dreamer.proposals(&human(), at(8, 9)).unwrap().remove(0).id;
        let accepted = dreamer.accept_proposal(&human(), &waiting, at(8, 9)).unwrap();
        assert_eq!(accepted.end, ProposalEnd::Appended);
        let grown =
            [&*memory, &report.passes[0].section.clone().unwrap(), &accepted.section.unwrap()].concat();
        assert_eq!(home.text(&DocName::MEMORY), grown);
        let after = home.documents();
        for (name, text) in before.iter().filter(|(name, _)| **name != DocName::MEMORY) {
            assert_eq!(after.get(name), Some(text), "{name}");
        }

        let row = |content: &str| NewMemory::new("observation", content, Source::AgentRecorded);
        let refused =
            home.store.write(&agent(), &row("My cousin Harald Minck hides the lantern money"), at(8, 10));
        assert!(matches!(refused, Err(Error::Stopped { .. })), "{refused:?}");
        home.store.write(&agent(), &row("The cart has a new wheel"), at(8, 10)).unwrap();
        assert_eq!(home.contents().len(), rows.len() + 1);
        assert_eq!(home.found("wheel").len(), 2);
    });
}
