//! Files that people have from the version before: each test works on a copy of `tests/fixtures/before/`, in the
//! folder and in the databases.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use noctuary::dream::{FactDreamer, LineOutcome, ProposalEnd, ReadReason};
use noctuary::exchange::{Forget, copy_into};
use noctuary::format::{DreamId, JournalName, Origin};
use noctuary::life::{BootState, Editor, Undreamed};
use noctuary::memory::{Filter, LearningStore, NewMemory, Query, Source, categories};
use noctuary::sleep::{Said, SleepDreamer};
use noctuary::store::StoreConfig;
use noctuary::testing::Script;
use noctuary::testing::contract::fact::Facts;
use noctuary::workspace::StateName;
use noctuary::{
    DocName, DreamConfig, DreamReport, Error, FileMemoryStore, FileWorkspace, JournalDreamer, Life,
    LifeConfig, Note, Outcome, SessionKind, Workspace,
};

use crate::kit::{
    self, add, agent, at, copy_tree, dream, honest, human, json, keeper, marta, name, text_of, tree,
    with_others,
};
use crate::make::FORGOTTEN;

/// The second dream in `MEMORY.md`.
const OLD: &str = "9f565593d4be64b8";
/// The one whose section is in the archive.
const ARCHIVED: &str = "088991d49fc53585";
/// The one that was taken back, and whose journals were read again since.
const UNDONE: &str = "df5b841652d0fb9c";
/// The one that was killed between its intent and its append.
const KILLED: &str = "af61a54d51db41b3";
/// The sleeper's that was killed so.
const KILLED_SLEEP: &str = "ac51ff3451b04791";
/// The proposal that waits.
const WAITING: &str = "95b4126fd0b07f5d";

/// The section of the dream that was killed before its append.
const KILLED_SECTION: &str = "\n## Dreamed 2026-10-12\n<!-- dream:v1 id=af61a54d51db41b3 src=2 sha256=faddd3e9d79035fd -->\n\n### Decisions\n- lanterns are lit at five. (memory/2026-10-11-repl.md#L6)\n\n### Facts\n- the west window was mended. (memory/2026-10-10-repl.md#L5)\n- the brook froze on 2026-10-11. (memory/2026-10-11-repl.md#L5)\n\n<!-- /dream:v1 id=af61a54d51db41b3 -->\n";
const OLD_SECTION: &str = "\n## Dreamed 2026-10-04\n<!-- dream:v1 id=9f565593d4be64b8 src=2 sha256=6ee00dbf1317049e -->\n\n### Facts\n- the oven takes 30 loaves. (memory/2026-10-03-repl.md#L5)\n- Bram brings the ladder. (memory/2026-10-03-shared.crew.md#L5)\n\n<!-- /dream:v1 id=9f565593d4be64b8 -->\n";

/// The night after the last one.
fn next_night() -> DateTime<Utc> {
    at(10, 13, 3, 0)
}

fn id(text: &str) -> DreamId {
    DreamId::parse(text).unwrap()
}

/// A copy of one home, and the store beside it.
struct Found {
    workspace: Arc<dyn Workspace>,
    store: Arc<dyn Facts>,
    learner: Arc<dyn LearningStore>,
    /// `MEMORY.md` as it was found.
    memory: String,
}

fn config() -> StoreConfig {
    let mut config = StoreConfig::default();
    config.facts.consolidation = true;
    config
}

/// A copy of all fixtures.
fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy_tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/before"), folder.path());
    // It has version control ignore the folder, so it is no fixture.
    fs::write(folder.path().join("life/.dreaming.d/.gitignore"), "*\n").unwrap();
    folder
}

/// Runs a test on a copy of each home.
fn each(test: impl Fn(&Found)) {
    let folder = copy();
    let life = folder.path().join("life");
    let store = Arc::new(FileMemoryStore::open_with(&life, marta(), config()).unwrap());
    test(&Found::new(Arc::new(FileWorkspace::open(&life).unwrap()), store.clone(), store));
    #[cfg(feature = "sqlite")]
    {
        let folder = copy();
        let path = folder.path().join("memories.db");
        let store = Arc::new(noctuary::SqliteMemoryStore::open_with(path, marta(), config()).unwrap());
        let workspace = noctuary::SqliteWorkspace::open(folder.path().join("life.db"), marta()).unwrap();
        test(&Found::new(Arc::new(workspace), store.clone(), store));
    }
}

impl Found {
    fn new(workspace: Arc<dyn Workspace>, store: Arc<dyn Facts>, learner: Arc<dyn LearningStore>) -> Self {
        let memory = text_of(workspace.as_ref(), "MEMORY.md");
        Self { workspace, store, learner, memory }
    }

    fn memory(&self) -> String {
        text_of(self.workspace.as_ref(), "MEMORY.md")
    }

    fn dreamer(&self) -> JournalDreamer {
        dreamer_over(self.workspace.clone(), |_| ())
    }

    fn sleeper(&self) -> SleepDreamer {
        let sleeper = SleepDreamer::builder(self.workspace.clone()).enabled(true);
        sleeper.configure(|config| config.deep_sleep_every = Some(2)).build().unwrap()
    }

    /// A day more, with the words that were forgotten.
    fn lives_on(&self) {
        lives_on(&self.workspace);
    }
}

fn dreamer_over(workspace: Arc<dyn Workspace>, change: impl FnOnce(&mut DreamConfig)) -> JournalDreamer {
    JournalDreamer::builder(workspace).enabled(true).configure(change).build().unwrap()
}

fn lives_on(workspace: &Arc<dyn Workspace>) {
    let life = Life::new(workspace.clone(), LifeConfig::default());
    let mut session = life.begin_session(agent(), "repl", "repl", at(10, 12, 9, 0)).unwrap();
    for (minute, said) in [
        (1, "Fact: the ice on the brook is 3 cm thick."),
        (2, "Fact: my cousin Harald Minck hides the lantern money."),
        (3, "Preference: bad news first."),
        (4, "Fact: the oven takes 30 loaves."),
    ] {
        session.note(&Note::happened(said).from(Origin::User), at(10, 12, 9, minute)).unwrap();
    }
    session.flush().unwrap();
}

fn promoted(report: &DreamReport) -> Vec<&str> {
    report.promoted().map(|line| line.text.as_str()).collect()
}

#[test]
fn every_state_file_is_read() {
    each(|found| {
        let (workspace, now) = (found.workspace.as_ref(), next_night());
        let dreamer = found.dreamer();
        let state = dreamer.state().unwrap();
        assert_eq!(state.last_outcome.as_deref(), Some("llm_error"));
        assert_eq!((state.consecutive_failures, state.next_allowed_at), (1, Some(at(10, 11, 3, 15))));
        let quarantine = dreamer.quarantine().unwrap();
        assert_eq!(quarantine.entries().len(), 1);
        assert!(quarantine.holds(&name("memory/2026-10-02-ops.md")).is_some());
        let proposals = dreamer.proposals(&human(), now).unwrap();
        assert_eq!(proposals.iter().map(|proposal| proposal.id.as_str()).collect::<Vec<_>>(), [WAITING]);
        let survey = dreamer.survey(now).unwrap();
        let held = survey.journals.iter().filter(|journal| journal.reason == ReadReason::Quarantined);
        assert_eq!(held.count(), 1);

        let journals: Vec<JournalName> = workspace
            .list(Some(&DocName::JOURNALS))
            .unwrap()
            .documents
            .iter()
            .filter_map(JournalName::parse)
            .collect();
        assert_eq!(journals.len(), 13, "{journals:?}");
        let undreamed = Undreamed::among(workspace, &journals).unwrap();
        let waiting: Vec<&str> = journals
            .iter()
            .filter(|journal| undreamed.contains(journal))
            .map(|journal| journal.name().as_str())
            .collect();
        // The journals of the intent wait too, until it is carried out.
        let expected = ["memory/2026-10-02-ops.md", "memory/2026-10-10-repl.md", "memory/2026-10-11-repl.md"];
        assert_eq!(waiting, expected);

        let sleep = found.sleeper().state().unwrap();
        assert_eq!((sleep.dreams, sleep.actions, sleep.last_deep), (2, 4, 2));
        let life = Life::new(found.workspace.clone(), LifeConfig::default());
        let checks = life.checks().unwrap();
        let checked = ["mail", "weather", "tide"].map(|name| checks.last(name));
        let then = Some(at(10, 10, 12, 30).timestamp());
        assert_eq!(checked, [then, then, None]);
        let history = Editor::new(workspace, human()).history(&DocName::USER).unwrap();
        assert_eq!(history.len(), 2);
        assert_eq!(history[0].1.lossy(), "# User\n\n- Name: Marta\n");
        assert!(matches!(life.boot(now).unwrap().state, BootState::Ready));
        assert!(life.read_soul(SessionKind::Main, now).unwrap().notice.is_some(), "nobody replied yet");
        let mut session = life.begin_session(agent(), "repl", "repl", now).unwrap();
        let prompt = session.prompt(&[]).unwrap().to_string();
        assert!(prompt.contains("Dry humour") && prompt.contains("the oven takes 30 loaves"), "{prompt}");
        assert!(prompt.contains("write letter 11"), "the memo");
        let mut crew = life.begin_session(with_others(), "crew", "chat", now).unwrap();
        assert!(!crew.prompt(&[]).unwrap().to_string().contains("30 loaves"));
    });
}

/// The registry of state files must know each of these.
#[test]
fn the_folder_holds_every_kind_of_state() {
    let folder = copy();
    let files: BTreeSet<String> = tree(&folder.path().join("life")).into_keys().collect();
    let states = [
        StateName::DREAMED,
        StateName::QUARANTINE,
        StateName::LEDGER,
        StateName::INTENT,
        StateName::UNDONE,
        StateName::LOG,
        StateName::SOUL,
        StateName::LIFE,
        StateName::SLEEP,
        StateName::SLEEP_INTENT,
        StateName::FACTS,
        StateName::PERSONALIZATION,
        StateName::FORGOTTEN,
        StateName::PROPOSALS,
        StateName::MEMORIES,
        StateName::MEMORIES_MARK,
    ];
    for state in &states {
        assert!(files.contains(state.as_str()), "{state}");
    }
    for file in ["USER.md", "MEMORY.md"] {
        assert!(files.contains(&format!(".dreaming.d/history/{file}.json")), "{file}");
    }
    assert!(files.contains(&format!(".dreaming.d/proposals/{WAITING}.md")));
    #[cfg(feature = "sqlite")]
    {
        let workspace = noctuary::SqliteWorkspace::open(folder.path().join("life.db"), marta()).unwrap();
        let of_rows = [StateName::MEMORIES, StateName::MEMORIES_MARK];
        for state in states.iter().chain([&StateName::SOUL_BESIDE]).filter(|state| !of_rows.contains(state)) {
            assert!(workspace.read(state).unwrap().is_some(), "{state}");
        }
    }
}

#[test]
fn the_next_night_recovers_what_was_killed_once_and_promotes_what_is_new() {
    each(|found| {
        found.lives_on();
        let report = dream(&found.dreamer(), &honest(), next_night());
        assert_eq!((report.outcome, report.calls), (Outcome::Appended, 1));
        assert_eq!(report.recovered, Some(id(KILLED)));
        let lines = [
            "the ice on the brook is 3 cm thick. (memory/2026-10-12-repl.md#L5)",
            "bad news first. (memory/2026-10-12-repl.md#L7)",
        ];
        assert_eq!(promoted(&report), lines);
        let fates: Vec<&LineOutcome> = report.passes[0].lines.iter().map(|line| &line.fate).collect();
        assert!(fates.contains(&&LineOutcome::Duplicate), "{fates:?}");
        assert_eq!(report.quarantined().count(), 1);
        let section = "\n## Dreamed 2026-10-13\n";
        let appended = report.passes[0].section.clone().unwrap();
        assert!(appended.starts_with(section), "{appended}");
        assert_eq!(found.memory(), format!("{}{KILLED_SECTION}{appended}", found.memory));
        assert!(found.workspace.read(&StateName::INTENT).unwrap().is_none());

        let again = dream(&found.dreamer(), &Script::new(), at(10, 14, 3, 0));
        assert_eq!((again.outcome, again.calls, &again.recovered), (Outcome::NothingNew, 0, &None));
        assert_eq!(found.memory().matches(KILLED_SECTION).count(), 1);
        assert_eq!(found.memory().matches(&appended).count(), 1);
    });
}

#[test]
fn an_old_dream_is_taken_back_and_brought_again() {
    each(|found| {
        let (dreamer, now) = (found.dreamer(), next_night());
        assert!(dreamer.undo_dream(&human(), &id(OLD), now).unwrap());
        // A person's act finishes first what was killed.
        let whole = format!("{}{KILLED_SECTION}", found.memory);
        assert_eq!(whole.matches(OLD_SECTION).count(), 1);
        assert_eq!(found.memory(), whole.replace(OLD_SECTION, ""));
        assert!(!dreamer.undo_dream(&human(), &id(OLD), now).unwrap(), "it is undone");
        assert!(dreamer.redo_dream(&human(), &id(OLD), now).unwrap());
        assert_eq!(found.memory(), whole);

        for archived_or_read_again in
            [dreamer.undo_dream(&human(), &id(ARCHIVED), now), dreamer.redo_dream(&human(), &id(UNDONE), now)]
        {
            assert!(
                matches!(archived_or_read_again, Err(Error::DreamStays { .. })),
                "{archived_or_read_again:?}"
            );
        }
        assert!(dreamer.undo_dream(&human(), &id(KILLED), now).unwrap(), "also the one that was recovered");
        assert_eq!(found.memory(), found.memory);
    });
}

#[test]
fn what_was_taken_back_is_read_again() {
    each(|found| {
        assert!(found.dreamer().undo_dream(&human(), &id(OLD), next_night()).unwrap());
        let report = dream(&found.dreamer(), &honest(), next_night());
        let lines: Vec<_> =
            report.passes[0].lines.iter().map(|line| (line.text.as_str(), json(&line.fate))).collect();
        let shown: Vec<&str> = report.passes[0].shown.iter().map(|slice| slice.name.as_str()).collect();
        assert_eq!(shown, ["memory/2026-10-03-repl.md", "memory/2026-10-03-shared.crew.md"]);
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert_eq!(report.outcome, Outcome::Appended, "{lines:?}");
    });
}

#[test]
fn the_proposal_that_waits_is_accepted_once() {
    each(|found| {
        let (dreamer, now) = (found.dreamer(), next_night());
        let report = dreamer.accept_proposal(&human(), &id(WAITING), now).unwrap();
        assert_eq!((report.end, report.recovered), (ProposalEnd::Appended, Some(id(KILLED))));
        let section = report.section.unwrap();
        assert!(
            section.contains("\n### Facts\n- rye costs 2 crowns a sack. (memory/2026-10-05-repl.md#L5)\n")
        );
        assert!(section.starts_with("\n## Dreamed 2026-10-06\n"), "{section}");
        assert_eq!(found.memory(), format!("{}{KILLED_SECTION}{section}", found.memory));
        let again = dreamer.accept_proposal(&human(), &id(WAITING), now).unwrap();
        assert_eq!((again.end, again.recovered), (ProposalEnd::NotWaiting, None));
        assert!(dreamer.proposals(&human(), now).unwrap().is_empty());
    });
    each(|found| {
        let (dreamer, now) = (found.dreamer(), next_night());
        assert!(dreamer.reject_proposal(&human(), &id(WAITING), now).unwrap());
        add(
            found.workspace.as_ref(),
            "memory/2026-10-12-repl.md",
            "- [user] Fact: rye costs 2 crowns a sack.\n",
        );
        let report = dream(&dreamer, &honest(), now);
        assert_eq!(report.passes[0].lines[0].fate, LineOutcome::RemovedBefore);
    });
}

#[test]
fn forgotten_words_stay_refused() {
    each(|found| {
        found.lives_on();
        let leak = keeper(|at, bullet| {
            if at == 0 {
                format!("{bullet}\n- My cousin Harald Minck hides the lantern money.")
            } else {
                bullet
            }
        });
        let report = dream(&found.dreamer(), &leak, next_night());
        assert!(report.passes[0].lines.iter().any(|line| line.fate == LineOutcome::Forgotten), "{report:?}");
        assert!(!found.memory().contains("Harald"));
        let row =
            NewMemory::new(categories::OBSERVATION, format!("It is so: {FORGOTTEN}."), Source::AgentRecorded);
        let written = found.store.write(&agent(), &row, next_night());
        assert!(matches!(written, Err(Error::Stopped { .. })), "{written:?}");
        let text = text_of(found.workspace.as_ref(), "memory/2026-10-05-repl.md");
        assert!(text.contains("[forgotten]---") && !text.contains("Harald"), "{text}");
        let marta = human();
        let forget =
            Forget::new(&marta, FORGOTTEN).workspace(found.workspace.as_ref()).store(found.store.as_ref());
        assert!(forget.lift(next_night()).unwrap());
        found.store.write(&agent(), &row, next_night()).unwrap();
    });
}

#[test]
fn the_quarantine_is_released_and_read() {
    each(|found| {
        let (dreamer, now) = (found.dreamer(), next_night());
        assert!(dreamer.release(&name("memory/2026-10-02-ops.md")).unwrap());
        let report = dream(&dreamer, &honest(), now);
        assert_eq!(report.passes[0].shown[0].name.as_str(), "memory/2026-10-02-ops.md");
        assert_eq!(report.passes[0].masked.len(), 1, "the model is not shown the key");
        assert!(!found.memory().contains(kit::KEY));
    });
}

#[test]
fn the_sleeper_goes_on() {
    each(|found| {
        let (sleeper, now) = (found.sleeper(), at(10, 12, 21, 0));
        let before = text_of(found.workspace.as_ref(), "self/observations.md");
        let woken = sleeper.wake(&agent(), now).unwrap().to_string();
        assert!(
            woken.contains("Jonna was promised an answer by Friday") && !woken.contains("frozen since noon")
        );
        sleeper.log(&[Said::new("assistant", "I broke the ice.").calls(3)], now).unwrap();
        let answer =
            "OBSERVATIONS:\nYLW 21:00 The ice was broken\n\nREFLECTION:\nDone.\n\nPRIORITY:\nRest.\n";
        let deep = "DROP:\nnone\n\nPRIORITIES:\n1. Rest\n2. The sacks\n3. Jonna\n\nDIARY:\nWinter came.\n";
        let script = Script::new().says(answer).says(deep);
        let report = dream(&sleeper, &script, now);
        assert_eq!((report.outcome, report.calls), (Outcome::Appended, 2));
        assert_eq!(report.recovered, Some(id(KILLED_SLEEP)));
        assert!(
            !script.requests()[0].user.contains("Is the brook frozen?"),
            "that was shown to the one that was killed"
        );
        let sleep = report.sleep.unwrap();
        // The fourth is a deep one, which removes stale observations.
        assert_eq!((sleep.dream, sleep.deep.map(|deep| deep.stale)), (4, Some(2)));
        let fresh = before.replace("GRN 20:12 The wheel turns\n", "");
        let expected = format!(
            "{fresh}\n## 2026-10-11\n\nRED 20:00 The brook is frozen since noon\n\n## 2026-10-12\n\nYLW 21:00 The ice was broken\n"
        );
        assert_eq!(text_of(found.workspace.as_ref(), "self/observations.md"), expected);
        assert_eq!(text_of(found.workspace.as_ref(), "self/dreams.jsonl").matches(KILLED_SLEEP).count(), 1);
        assert_eq!(sleeper.state().unwrap().dreams, 4);
        assert!(found.workspace.read(&StateName::SLEEP_INTENT).unwrap().is_none());
    });
}

#[test]
fn rows_are_found_and_facts_stand_as_they_did() {
    each(|found| {
        let store = found.store.as_ref();
        let mut told = String::new();
        let queries = [
            "rye",
            "mill wheel brook",
            "What does Marta prefer?",
            "Where does Jonna live?",
            "How much does the scale weigh?",
            "\"thirty loaves\"",
            "category:fact",
            "Bram's boat",
            "sack",
            "lantern money",
            "left-handed",
        ];
        for text in queries {
            for access in [agent(), with_others()] {
                let hits = store.search(&access, &Query::new(text)).unwrap();
                let ids: Vec<i64> = hits.hits.iter().map(|hit| hit.memory.id.get()).collect();
                write!(told, "{text} | {} {ids:?} ", json(&hits.outcome)).unwrap();
            }
            told.push('\n');
        }
        let mut all = Filter::limit(99);
        all.retired = true;
        let mut rows = store.list(&human(), &all).unwrap();
        rows.sort_by_key(|row| row.id);
        for row in &rows {
            let fact = store.fact(&human(), row.id).unwrap().unwrap();
            let chain: Vec<i64> =
                store.history(&human(), row.id).unwrap().iter().map(|fact| fact.memory.id.get()).collect();
            let status = json(&fact.status);
            writeln!(
                told,
                "{} {} {:?} pinned {} {status} {chain:?}",
                row.id, row.category, row.content, row.pinned
            )
            .unwrap();
        }
        let pairs = store.suspicions(&human(), 99).unwrap();
        for pair in &pairs {
            writeln!(told, "suspicion {} {}", pair.older.memory.id, pair.newer.memory.id).unwrap();
        }
        for event in store.decisions(&human(), 99).unwrap() {
            writeln!(told, "decision {}", json(&event)).unwrap();
        }
        for entry in store.audit(&human(), 99).unwrap() {
            let (id, outcome) =
                (json(&entry.id), entry.outcome.to_string().split(':').next().unwrap().to_owned());
            writeln!(told, "audit {} {} {id} {outcome}", entry.at.to_rfc3339(), entry.action).unwrap();
        }
        for learning in found.learner.learnings(&human(), 9).unwrap() {
            writeln!(told, "learning {} {} {:?}", learning.id, learning.content, learning.context).unwrap();
        }
        writeln!(told, "profile {:?}", store.profile(&human()).unwrap()).unwrap();
        let snapshot = store.snapshot(&agent(), 9, at(10, 12, 8, 0)).unwrap();
        let snapshot: Vec<_> = snapshot.iter().map(|row| (row.id.get(), row.pinned)).collect();
        writeln!(told, "snapshot {snapshot:?}").unwrap();
        // Both stores have the same rows.
        kit::compare("found-rows.txt", &told);

        // And it goes on: the row that was deleted comes back, and the next has an id of its own.
        let standing: BTreeSet<i64> = rows.iter().map(|row| row.id.get()).collect();
        let gone = (1..=99).find(|id| !standing.contains(id)).unwrap();
        assert!(store.restore(&human(), noctuary::memory::MemoryId::new(gone), at(10, 12, 8, 5)).unwrap());
        let row = NewMemory::new(categories::OBSERVATION, "The sacks were found", Source::AgentRecorded);
        let id = store.write(&agent(), &row, at(10, 12, 8, 6)).unwrap();
        assert!(rows.iter().all(|row| row.id < id));
    });
}

#[test]
fn the_judge_of_facts_asks_about_the_new_pairs_alone() {
    each(|found| {
        let judge = FactDreamer::builder(found.workspace.clone(), found.store.clone(), marta())
            .enabled(true)
            .configure(|config| config.pace.interval = Duration::ZERO)
            .build()
            .unwrap();
        let script = Script::new().says("P1 coexist\nP2 supersede\n");
        let report = dream(&judge, &script, at(10, 12, 8, 0));
        assert_eq!((report.outcome, report.calls), (Outcome::Decided, 1), "{report:?}");
        let asked: Vec<String> = script.requests()[0]
            .user
            .lines()
            .filter(|line| line.starts_with('P'))
            .map(|line| line.split_once("| ").unwrap().1.to_owned())
            .collect();
        // The pair of Heron and Egret was asked about, and nobody knew.
        let [heron, egret, tern] =
            ["Heron", "Egret", "Tern"].map(|boat| format!("Bram's boat is the {boat}"));
        assert_eq!(asked, [&heron, &tern, &egret, &tern].map(Clone::clone));
    });
}

#[test]
fn a_copy_into_another_home_dreams_on() {
    each(|found| {
        let folder = tempfile::tempdir().unwrap();
        let target: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(folder.path()).unwrap());
        assert!(copy_into(found.workspace.as_ref(), target.as_ref()).unwrap() > 20);
        lives_on(&target);
        let report = dream(&dreamer_over(target.clone(), |_| ()), &honest(), next_night());
        assert_eq!(report.recovered, Some(id(KILLED)));
        let appended = report.passes[0].section.clone().unwrap();
        assert_eq!(promoted(&report).len(), 2);
        let memory = text_of(target.as_ref(), "MEMORY.md");
        assert_eq!(memory, format!("{}{KILLED_SECTION}{appended}", found.memory));
    });
}
