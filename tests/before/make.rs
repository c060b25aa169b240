//! How `tests/fixtures/before/` was made: by the version before the modules were rebuilt, once. It is not to be written
//! again, since people have such files on their disks. The code is kept to be read, and writes into another folder:
//!
//! `NOCTUARY_FIXTURE=/tmp/made cargo test --all-features --test before -- --ignored fixtures`
//!
//! Two lives with the same story, `life/` and `life.db`, each with a memory store beside it: `life/.dreaming.d/memories.jsonl`
//! and `memories.db`. The last night of each was killed between its intent and its append, and so was the last sleep. All
//! that is said in them is made up.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use noctuary::dream::{DreamMode, FactDreamer, HistoryItem, OverBudget, PersonalizationDreamer, history_fn};
use noctuary::exchange::Forget;
use noctuary::facts::{Decision, FactKey};
use noctuary::format::{DreamId, JournalName, Origin};
use noctuary::life::{Editor, TurnEnd, archive_journal, mark_checked};
use noctuary::memory::{LearningStore, NewLearning, NewMemory, Source, categories};
use noctuary::sleep::{Said, SleepDreamer};
use noctuary::store::StoreConfig;
use noctuary::testing::contract::fact::Facts;
use noctuary::testing::{Fault, Faults, FaultyWorkspace, Script};
use noctuary::workspace::StateName;
use noctuary::{
    DocName, DreamConfig, DreamReport, Dreamer, Extractive, FileMemoryStore, JournalDreamer, Life,
    LifeConfig, LlmClient, Note, Outcome, Workspace, WriteMode, dream_once_at,
};

use crate::kit::{
    Folder, Home, KEY, add, agent, at, copy_tree, dream, honest, human, keeper, marta, put, text_of,
    with_others,
};

/// The statement that is forgotten, and must stay refused.
pub(crate) const FORGOTTEN: &str = "my cousin Harald Minck hides the lantern money";

/// Opens a life in a folder, whose clock can be set.
type Open = fn(&Path) -> Box<dyn Home>;

/// When the journals of a day are written last.
fn evening(day: u32) -> DateTime<Utc> {
    at(10, day, 19, 0)
}

struct Author {
    home: Box<dyn Home>,
    workspace: Arc<dyn Workspace>,
}

impl Author {
    fn new(home: Box<dyn Home>) -> Self {
        let workspace = home.workspace();
        Self { home, workspace }
    }

    fn step(&self, clock: DateTime<Utc>, step: impl FnOnce(&dyn Workspace)) {
        self.home.set_clock(clock);
        step(self.workspace.as_ref());
        self.home.settle();
    }

    fn dreamer(&self, change: impl FnOnce(&mut DreamConfig)) -> JournalDreamer {
        dreamer_over(self.workspace.clone(), change)
    }

    fn night(&self, day: u32, model: &dyn LlmClient, change: impl FnOnce(&mut DreamConfig)) -> DreamReport {
        let dreamer = self.dreamer(change);
        let now = at(10, day + 1, 3, 0);
        self.home.set_clock(now);
        let report = dream(&dreamer, model, now);
        self.home.settle();
        report
    }

    fn sleeper(&self) -> SleepDreamer {
        sleeper_over(self.workspace.clone())
    }

    fn day(&self, life: &Life, day: u32, said: &[&str]) {
        self.step(evening(day), |workspace| {
            let mut session = life.begin_session(agent(), "repl", "repl", at(10, day, 9, 0)).unwrap();
            session.prompt(&[]).unwrap();
            for (minute, said) in (1..).zip(said) {
                let note = Note::happened(*said).from(Origin::User);
                session.note(&note, at(10, day, 9, minute)).unwrap();
            }
            session.note(&Note::question("What is for tomorrow?"), at(10, day, 9, 30)).unwrap();
            let end = TurnEnd::default().opens([format!("write letter {day}")]);
            let reply = if day == 1 { "Done.\nBOOTSTRAP_DONE" } else { "Noted." };
            session.end_turn(reply, end, at(10, day, 9, 31)).unwrap();
            session.flush().unwrap();
            if day == 3 {
                let mut crew = life.begin_session(with_others(), "crew", "chat", at(10, day, 11, 0)).unwrap();
                let note = Note::happened("Fact: Bram brings the ladder.")
                    .from(Origin::Participant("Bram".to_owned()));
                crew.note(&note, at(10, day, 11, 1)).unwrap();
                crew.flush().unwrap();
            }
            if day == 2 {
                let ops = format!(
                    "- [user] Fact: pump 2 was tested, the test key is {KEY}.\n- [user] It runs well.\n"
                );
                add(workspace, "memory/2026-10-02-ops.md", ops);
            }
            if day == 6 {
                put(
                    workspace,
                    "memory/2026-10-06.md",
                    "## Session [10:00]\r\n\r\n- [10:01] Fact: the attic is dry.\r\n",
                );
            }
        });
    }

    /// Eleven days and ten nights.
    fn live(&self, is_foreign: bool) {
        let mut config = LifeConfig::default();
        config.daily_log.enabled = true;
        let life = Life::new(self.workspace.clone(), config);
        self.step(at(10, 1, 8, 0), |workspace| {
            if is_foreign {
                // Another program's file of that name: ours is written beside it then.
                workspace.write(&StateName::SOUL, b"[\"another program's\"]\n", WriteMode::Create).unwrap();
            }
            life.boot(at(10, 1, 8, 0)).unwrap();
            put(workspace, "projects/untitled.md", "# Lanterns\n\nTwelve of them.\n");
        });
        self.day(
            &life,
            1,
            &["Fact: the mill wheel turns at 9 rounds a minute.", "Decision: flour is weighed on Mondays."],
        );
        assert_eq!(self.night(1, &honest(), |_| ()).outcome, Outcome::Appended);

        self.day(&life, 2, &["Preference: weights in kilograms."]);
        let leak =
            keeper(|_, bullet| if bullet.contains("-ops") { format!("- The key is {KEY}.") } else { bullet });
        assert_eq!(self.night(2, &leak, |_| ()).outcome, Outcome::Quarantined);

        self.day(&life, 3, &["Fact: the oven takes 30 loaves.", "Fact: the cellar key has 4 teeth."]);
        let wrong =
            keeper(|at, bullet| if at == 1 { bullet.replace("30", "77").replace('4', "6") } else { bullet });
        assert_eq!(self.night(3, &wrong, |_| ()).held().count(), 1);

        let propose = |config: &mut DreamConfig| config.mode = DreamMode::Propose;
        self.day(&life, 4, &["Preference: letters before noon.", "Decision: the old scale is sold."]);
        assert_eq!(self.night(4, &honest(), propose).outcome, Outcome::Proposed);
        self.day(
            &life,
            5,
            &["Fact: rye costs 2 crowns a sack.", "Fact: my cousin Harald Minck hides the lantern money."],
        );
        let shy = keeper(|_, bullet| if bullet.contains("Harald") { String::new() } else { bullet });
        assert_eq!(self.night(5, &shy, propose).outcome, Outcome::Proposed);
        self.step(at(10, 6, 12, 0), |workspace| {
            let (dreamer, now) = (self.dreamer(|_| ()), at(10, 6, 12, 0));
            let proposals = dreamer.proposals(&human(), now).unwrap();
            let [first, _] = &proposals[..] else { panic!("two wait: {}", proposals.len()) };
            let edited =
                first.document.lossy().replace("letters before noon", "letters before noon, never later");
            let mode = WriteMode::IfRevision(first.document.revision());
            workspace.write(first.document.name(), edited.as_bytes(), mode).unwrap();
            dreamer.accept_proposal(&human(), &first.id, now).unwrap();
        });

        self.day(&life, 6, &["Decision: the mill is closed in the first week of May."]);
        let sixth = self.night(6, &honest(), |_| ());
        let sixth: DreamId = sixth.passes[0].dream_id.clone();
        self.step(at(10, 7, 12, 0), |_| {
            assert!(self.dreamer(|_| ()).undo_dream(&human(), &sixth, at(10, 7, 12, 0)).unwrap());
        });
        self.day(&life, 7, &["It rained all day."]);
        assert_eq!(self.night(7, &Script::new(), |_| ()).outcome, Outcome::NothingToPromote);

        self.day(&life, 8, &["I decided today: Miller Jonna signs for all deliveries from 2026-10-20 on."]);
        self.night(8, &Extractive::new(), |_| ());
        self.sleep();
        let budget = text_of(self.workspace.as_ref(), "MEMORY.md").chars().count() as u64 - 20;
        self.day(&life, 9, &["Fact: the new scale weighs up to 150 kg."]);
        let archived = self.night(9, &honest(), |config| {
            (config.memory_budget, config.over_budget) = (budget, OverBudget::Archive);
        });
        assert!(!archived.archived.is_empty());
        self.tidy();
        self.day(&life, 10, &["Fact: the west window was mended."]);
        assert_eq!(self.night(10, &Script::new().fails("no route"), |_| ()).outcome, Outcome::LlmError);
    }

    fn sleep(&self) {
        const DREAM: &str = "OBSERVATIONS:\nRED 20:10 Jonna was promised an answer by Friday\nYLW 20:11 Two sacks are missing\nGRN 20:12 The wheel turns\n\nREFLECTION:\nA calm evening.\n\nPRIORITY:\nFind the sacks.\n";
        const DEEP: &str =
            "DROP:\nnone\n\nPRIORITIES:\n1. The sacks\n2. Jonna\n3. Rest\n\nDIARY:\nDays by the water.\n";
        let sleeper = self.sleeper();
        for day in [8, 9] {
            self.step(at(10, day, 20, 10), |_| {
                let now = at(10, day, 20, 10);
                let said = [
                    Said::new("user", format!("Where are the sacks of day {day}?")),
                    Said::new("assistant", "I count them.").calls(20),
                ];
                sleeper.log(&said, now).unwrap();
                let event = serde_json::json!({"kind": "sacks", "day": day});
                sleeper.note_event(event.as_object().unwrap().clone(), now).unwrap();
                sleeper.fall_asleep(900, now).unwrap();
                dream(&sleeper, &Script::new().says(DREAM).says(DEEP), now);
                sleeper.wake(&agent(), now + TimeDelta::minutes(15)).unwrap();
            });
        }
    }

    fn tidy(&self) {
        // At the time that the one journal has which holds it.
        self.step(evening(5), |workspace| {
            let forget =
                Forget::new(&human(), FORGOTTEN).in_files(true).workspace(workspace).run(at(10, 10, 12, 0));
            assert_eq!(forget.unwrap().documents.len(), 1);
        });
        self.step(at(10, 10, 12, 30), |workspace| {
            let now = at(10, 10, 12, 30);
            let journal = JournalName::parse(&crate::kit::name("memory/2026-10-01-repl.md")).unwrap();
            archive_journal(workspace, &journal, now.date_naive(), |_| false, None).unwrap();
            let editor = Editor::new(workspace, human());
            for text in ["# User\n\n- Name: Marta\n", "# User\n\n- Name: Marta\n- Mill: Brook Lane\n"] {
                let seen = editor.load(&DocName::USER).unwrap().map(|document| document.revision());
                editor.save(&DocName::USER, text, seen, now).unwrap();
            }
            mark_checked(workspace, "mail", now).unwrap();
            mark_checked(workspace, "weather", now).unwrap();
        });
    }
}

fn dreamer_over(workspace: Arc<dyn Workspace>, change: impl FnOnce(&mut DreamConfig)) -> JournalDreamer {
    JournalDreamer::builder(workspace).enabled(true).configure(change).build().unwrap()
}

fn sleeper_over(workspace: Arc<dyn Workspace>) -> SleepDreamer {
    let sleeper = SleepDreamer::builder(workspace).enabled(true);
    sleeper.configure(|config| config.deep_sleep_every = Some(2)).build().unwrap()
}

/// Rows of every kind, and what the two dreamers over rows leave in the workspace.
fn fill(store: &Arc<dyn Facts>, learner: &dyn LearningStore, workspace: &Arc<dyn Workspace>) {
    let mut now = at(10, 9, 8, 0);
    let mut tick = || {
        now += TimeDelta::minutes(5);
        now
    };
    let rows = [
        (categories::OBSERVATION, "The mill wheel squeaks when the brook is high", true),
        (categories::PREFERENCE, "Marta prefers weights in kilograms", false),
        (categories::OBSERVATION, "Rye from the valley is coarser than rye from the hill", true),
        (categories::OBSERVATION, "The oven takes thirty loaves at once", true),
        (categories::OBSERVATION, "A sack fell from the cart", false),
        (categories::OBSERVATION, "My cousin Harald Minck hides the lantern money", false),
    ];
    for (category, content, shared) in rows {
        let row = NewMemory::new(category, content, Source::AgentRecorded);
        store.write(&agent(), &if shared { row.shared() } else { row }, tick()).unwrap();
    }
    let typed = NewMemory::new(categories::PERSONALIZATION, "The user is called Marta", Source::UserManual);
    store.write(&human(), &typed, tick()).unwrap();
    let secret = NewMemory::new(categories::OBSERVATION, format!("the key is {KEY}"), Source::AgentRecorded);
    store.write(&agent(), &secret, tick()).unwrap_err();
    let all = store.list(&human(), &noctuary::memory::Filter::limit(99)).unwrap();
    let id = |words: &str| all.iter().find(|row| row.content.contains(words)).unwrap().id;
    assert!(store.delete(&agent(), id("sack fell"), tick()).unwrap());
    assert!(
        store
            .update(&agent(), id("squeaks"), "The mill wheel squeaks when the brook is low", tick())
            .unwrap()
    );
    assert!(store.pin(&human(), id("kilograms"), true, tick()).unwrap());

    let fact = |content: &str, subject: &str, slot: &str| {
        NewMemory::new(categories::FACT, content, Source::ChatExtracted).about(FactKey::one(subject, slot))
    };
    let mut record = |fact: &NewMemory| store.record(&agent(), fact, tick()).unwrap().id;
    let one = record(&fact("Jonna lives in Brook Lane", "jonna", "home"));
    let two = record(&fact("Jonna lives in Hill Street", "jonna", "home"));
    let three = record(&fact("The scale weighs up to 120 kg", "scale", "most"));
    let four = record(&fact("The scale weighs up to 150 kg", "scale", "most"));
    record(&fact("Bram's boat is the Heron", "bram", "boat"));
    record(&fact("Bram's boat is the Egret", "bram", "boat"));
    store.settle(tick()).unwrap();
    store.decide(&agent(), &Decision::supersede(one, two).because("moved in September"), tick()).unwrap();
    store.decide(&human(), &Decision::reject(three), tick()).unwrap();
    store.decide(&human(), &Decision::confirm(four), tick()).unwrap();

    let judge = FactDreamer::builder(workspace.clone(), store.clone(), marta())
        .enabled(true)
        .configure(|config| config.pace.interval = Duration::ZERO)
        .build()
        .unwrap();
    let report = dream(&judge, &Script::new().says("P1 unsure: nobody knows\n"), tick());
    assert_eq!(report.outcome, Outcome::Undecided, "{report:?}");
    // After the last sweep: pending, and in suspicion.
    store.record(&agent(), &fact("Bram's boat is the Tern", "bram", "boat"), tick()).unwrap();

    let chat =
        history_fn("chat", |_| Ok(vec![HistoryItem::new("c", at(10, 8, 9, 0), "[user] I am left-handed.")]));
    let rebuilder = PersonalizationDreamer::builder(workspace.clone(), store.clone(), marta())
        .source(Arc::new(chat))
        .enabled(true)
        .build()
        .unwrap();
    let answer = "### Facts\n- The user is left-handed. (memory/2026-10-08-chat.1.md#L1)\n";
    assert_eq!(dream(&rebuilder, &Script::new().says(answer), tick()).outcome, Outcome::Rebuilt);

    store.set_profile(&human(), "timezone", "Europe/Lisbon", tick()).unwrap();
    let learning = NewLearning::new("Weigh twice before selling.").context("a sack was too light");
    learner.learn(&agent(), &learning, tick()).unwrap();
    Forget::new(&human(), FORGOTTEN).store(store.as_ref()).run(tick()).unwrap();
}

/// Runs an act that is killed right before an operation. Which one that is in the count is tried on a copy.
fn kill(root: &Path, open: Open, before: &str, act: &dyn Fn(Arc<dyn Workspace>) -> noctuary::Result<()>) {
    let copy = tempfile::tempdir().unwrap();
    copy_tree(root, copy.path());
    let run = |root: &Path, faults: &Faults| {
        let home = open(root);
        home.set_clock(at(10, 12, 3, 0));
        let done = act(Arc::new(FaultyWorkspace::new(home.workspace(), faults.clone())));
        home.settle();
        done
    };
    let faults = Faults::new();
    run(copy.path(), &faults).unwrap();
    let seen = faults.seen();
    let at = seen.iter().position(|operation| operation == before);
    let at = at.unwrap_or_else(|| panic!("{before} is none of {seen:?}"));
    faults.arm(at as u64 + 1, Fault::Crash);
    run(root, &faults).unwrap_err();
}

/// The last night and the last sleep.
fn end_in_crashes(root: &Path, open: Open) {
    {
        let author = Author::new(open(root));
        let life = Life::new(author.workspace.clone(), LifeConfig::default());
        author.day(
            &life,
            11,
            &["Fact: the brook froze on 2026-10-11.", "Decision: lanterns are lit at five."],
        );
        let said =
            [Said::new("user", "Is the brook frozen?"), Said::new("assistant", "Since noon.").calls(4)];
        author.step(at(10, 11, 20, 0), |_| {
            author.sleeper().log(&said, at(10, 11, 20, 0)).unwrap();
        });
        author.step(at(10, 11, 21, 0), |workspace| {
            put(workspace, "SOUL.md", "# Soul\n\nDry humour, and few words.\n");
            // Is told that it changed, and does not reply.
            let mut session = life.begin_session(agent(), "repl", "repl", at(10, 11, 21, 0)).unwrap();
            session.prompt(&[]).unwrap();
        });
    }
    kill(root, open, "append under the lease to MEMORY.md", &|workspace| {
        let dreamer = dreamer_over(workspace, |_| ());
        dream_once_at(&dreamer, &honest(), &|| at(10, 12, 3, 0)).map(drop)
    });
    kill(root, open, "append under the lease to self/observations.md", &|workspace| {
        let sleeper: Box<dyn Dreamer> = Box::new(sleeper_over(workspace));
        let answer = "OBSERVATIONS:\nRED 20:00 The brook is frozen since noon\n\nREFLECTION:\nCold.\n\nPRIORITY:\nKeep the wheel from the ice.\n";
        dream_once_at(sleeper.as_ref(), &Script::new().says(answer), &|| at(10, 12, 3, 30)).map(drop)
    });
}

fn config() -> StoreConfig {
    let mut config = StoreConfig::default();
    config.facts.consolidation = true;
    config
}

#[test]
#[ignore = "the fixtures were written by the version before, and are not to be written again"]
fn fixtures_are_made() {
    let Some(root) = std::env::var_os("NOCTUARY_FIXTURE").map(PathBuf::from) else { return };
    fs::create_dir_all(root.join("life")).unwrap();
    let open: Open = |root| Box::new(Folder::new(&root.join("life")));
    {
        let author = Author::new(open(&root));
        author.live(false);
        let store =
            FileMemoryStore::on_disk(Folder::new(&root.join("life")).disk(), marta(), config()).unwrap();
        let store = Arc::new(store);
        fill(&(store.clone() as Arc<dyn Facts>), store.as_ref(), &author.workspace);
    }
    end_in_crashes(&root, open);
    // It has git ignore the folder, also this one. The copy that a test works on has it again.
    fs::remove_file(root.join("life/.dreaming.d/.gitignore")).unwrap();
    #[cfg(feature = "sqlite")]
    databases_are_made(&root);
}

#[cfg(feature = "sqlite")]
fn databases_are_made(root: &Path) {
    let open: Open = |root| Box::new(crate::kit::Database::new(&root.join("life.db")));
    {
        let author = Author::new(open(root));
        author.live(true);
        let store =
            noctuary::SqliteMemoryStore::open_with(root.join("memories.db"), marta(), config()).unwrap();
        let store = Arc::new(store);
        fill(&(store.clone() as Arc<dyn Facts>), store.as_ref(), &author.workspace);
    }
    end_in_crashes(root, open);
    // The name of the machine that wrote it is nobody's business. No claim is open, so nobody reads it.
    let connection = rusqlite::Connection::open(root.join("life.db")).unwrap();
    let sql = "UPDATE workspace_leases SET hostname = 'mill', pid = 4711, token = 'e0'";
    connection.execute_batch(&format!("PRAGMA secure_delete = ON; {sql}; VACUUM;")).unwrap();
}
