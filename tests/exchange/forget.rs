//! Forgetting: a statement leaves every place that the receipt names, comes back through no door, and takes no other
//! byte of its person's with it.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use noctuary::dream::{LineOutcome, LineReport, Notice, ReadReason, Step};
use noctuary::exchange::{
    Dialect, Forget, ForgetPlace, ForgetReceipt, ForgottenList, Import, ImportAction, ImportRefusal, Merge,
    copy_into,
};
use noctuary::format::JournalName;
use noctuary::life::{Editor, Guarded, Preset, PromptConfig, SharedUser, Snapshot, TurnEnd, Undreamed};
use noctuary::memory::{NewMemory, Source};
use noctuary::testing::{Fault, Faults, FaultyWorkspace, Script};
use noctuary::workspace::{
    Claim, ClaimTerms, DayPolicy, Document, Listing, Metadata, Name, Revision, StateName,
};
use noctuary::{
    Access, Actor, DocName, DreamReport, Dreamer, Error, Extractive, LifeConfig, LlmReply, MemoryStore,
    Outcome, Scope, SessionKind, SqliteMemoryStore, Workspace, WriteMode,
};

use crate::exchange::{home, homes, kinds, put, text};
use noctuary_tests::dreaming::{self, Life, dream, dreamer_over, journal, name, night, seen};

/// The forgotten statement, and a word of it that occurs nowhere else.
const STATEMENT: &str = "My landlord is Jan Kowalski.";
const WORD: &str = "kowalski";

fn access(actor: Actor) -> Access {
    Access::new(SessionKind::Main, actor, Scope::user("marta"))
}

/// A life in which the statement stands in every kind of document, in many a dress.
fn lived(workspace: &dyn Workspace) {
    for (file, text) in [
        ("SOUL.md", "# Soul\n\nYou are Wren.\n"),
        ("MEMORY.md", "# Memory\n\n- **My landlord** is Jan Kowalski.\n- The boat is called Brisk.\n"),
        (
            &journal(19),
            "- 09:12 [user] Decision: my landlord is\r\n  Jan Kowalski, we pay on 2026-12-01.\r\n- tea\r\n",
        ),
        (
            &journal(20),
            "- 10:00 [user] Decision: the boat moves to Lisbon on 2026-12-04.\n- 10:05 [user] Decision: MY LANDLORD IS JAN KOWALSKI, the rent is 900 EUR\n",
        ),
        ("daily/2026-11-18.md", "my landlord\u{200b} is _Jan_ Kowalski\n"),
        ("observations.md", "- (0.9) my landlord is Jan  Kowalski\n"),
        ("notes/house.md", "Über das Haus:\n> My landlord is\n> Jan Kowalski!\n\nThe roof leaks.\n"),
    ] {
        put(workspace, file, text);
    }
}

fn documents(workspace: &dyn Workspace) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![None];
    while let Some(folder) = folders.pop() {
        let listing = workspace.list(folder.as_ref()).unwrap();
        folders.extend(listing.folders.into_iter().map(Some));
        for document in listing.documents {
            found.insert(document.to_string(), text(workspace, document.as_str()));
        }
    }
    found
}

/// The documents that still hold the word.
fn holders(workspace: &dyn Workspace) -> Vec<String> {
    let holds = |text: &String| text.to_lowercase().contains(WORD);
    documents(workspace).into_iter().filter(|(_, text)| holds(text)).map(|(name, _)| name).collect()
}

/// Checks that no file below the folder holds the word, state and databases included.
fn assert_no_file_holds_it(life: &Life) {
    for (file, bytes) in life.tree() {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        assert!(!text.contains(WORD), "{file}");
    }
}

fn forget(workspace: &dyn Workspace, in_files: bool) -> noctuary::Result<ForgetReceipt> {
    let human = access(Actor::Human);
    Forget::new(&human, STATEMENT).in_files(in_files).workspace(workspace).run(night(21))
}

fn prompt(workspace: &Arc<dyn Workspace>) -> String {
    let view = Guarded::new(workspace, access(Actor::Agent));
    let config = PromptConfig::default();
    let snapshot = Snapshot::take(&view, &config, SharedUser::Full, DayPolicy::UTC, night(20)).unwrap();
    snapshot.prompt(&view, None, &[]).unwrap().to_string()
}

fn is_stopped<T>(done: noctuary::Result<T>) -> bool {
    matches!(done, Err(Error::Stopped { classes, .. }) if classes == ["forgotten"])
}

/// A door through which the statement would come back.
struct Door {
    name: &'static str,
    /// Tries it, and checks what it says.
    open: fn(&Arc<dyn Workspace>),
}

const DOORS: &[Door] = &[
    Door {
        name: "a dream without a model, over a journal in which it is said again",
        open: |workspace| {
            put(
                workspace,
                &journal(21),
                "- 09:12 [user] Decision: my landlord is Jan Kowalski, paid on 2026-12-01.\n- [user] Decision: we sail to Porto on 2026-12-20.\n",
            );
            let report = dream(&dreamer_over(Arc::clone(workspace), |_| ()), &Extractive::new(), night(22));
            assert_eq!(report.outcome, Outcome::Appended);
            assert!(text(workspace, "MEMORY.md").contains("Porto"));
            workspace.remove(&name(&journal(21))).unwrap();
        },
    },
    Door {
        name: "a dream whose model says it itself",
        open: |workspace| {
            put(
                workspace,
                &journal(22),
                "- [user] my landlord is Jan Kowalski\n- [user] the harbour closes on 2026-12-24\n",
            );
            let model = Script::new().says(format!(
                "- {STATEMENT}\n- The harbour closes on 2026-12-24. (memory/2026-11-22-repl.md#L2)\n- My landlord\n- is Jan Kowalski.\n"
            ));
            let report = dream(&dreamer_over(Arc::clone(workspace), |_| ()), &model, night(23));
            let fates: Vec<_> = report.passes[0].lines.iter().map(|line| line.fate.clone()).collect();
            assert_eq!(
                fates,
                [
                    LineOutcome::Forgotten,
                    LineOutcome::Promoted { cited: true },
                    LineOutcome::Forgotten,
                    LineOutcome::Forgotten
                ]
            );
            assert!(!serde_json::to_string(&report).unwrap().to_lowercase().contains(WORD));
            let request = &model.requests()[0];
            assert!(!request.user.to_lowercase().contains(WORD));
            let lines: Vec<_> = seen(request).into_iter().map(|line| (line.number, line.text)).collect();
            let masked = "- [user] [REDACTED:forgotten#1]".to_owned();
            assert_eq!(lines, [(1, masked), (2, "- [user] the harbour closes on 2026-12-24".to_owned())]);
            assert!(text(workspace, "MEMORY.md").contains("- The harbour closes on 2026-12-24."));
            workspace.remove(&name(&journal(22))).unwrap();
        },
    },
    Door {
        name: "an import",
        open: |workspace| {
            let theirs = Life::empty();
            theirs.put("MEMORY.md", format!("Likes tea.\n§\n{STATEMENT}\n"));
            theirs.put("USER.md", "Speaks Polish.\n");
            let (import, source) = (Import::new(Dialect::Hermes), theirs.workspace());
            let plan = import.plan(source.as_ref(), workspace).unwrap();
            let memory = plan.items.iter().find(|item| item.source == DocName::MEMORY).unwrap();
            let refused = ImportRefusal::Stopped(vec!["forgotten".into()]);
            assert_eq!(memory.action, ImportAction::Refuse(refused));
            import.apply(plan, source.as_ref(), workspace).unwrap();
        },
    },
    Door {
        name: "a copy of another home into this one",
        open: |workspace| {
            let other = Life::empty();
            other.put("elsewhere/landlord.md", STATEMENT);
            assert!(is_stopped(copy_into(other.workspace().as_ref(), workspace)));
        },
    },
    Door {
        name: "what an agent writes",
        open: |workspace| {
            let agent = Guarded::new(workspace, access(Actor::Agent));
            for file in ["MEMORY.md", "USER.md", "HEARTBEAT.md", "notes/new.md", "observations.md"] {
                let file = name(file);
                assert!(is_stopped(agent.append(&file, b"- my landlord\nis Jan Kowalski\n")), "{file}");
                assert!(is_stopped(agent.write(&file, STATEMENT.as_bytes(), WriteMode::Replace)), "{file}");
            }
            let draft = name(&journal(23));
            agent.append(&draft, format!("- {STATEMENT}\n").as_bytes()).unwrap();
            let human = Guarded::new(workspace, access(Actor::Human));
            human.rename(&draft, &name("draft.md")).unwrap();
            assert!(is_stopped(agent.rename(&name("draft.md"), &name("notes/new.md"))));
            human.remove(&name("draft.md")).unwrap();
        },
    },
    Door {
        name: "a prompt",
        open: |workspace| {
            put(workspace, &journal(20), "- MY LANDLORD IS JAN KOWALSKI\n- the boat moves\n");
            let prompt = prompt(workspace);
            assert!(prompt.contains("the boat moves") && prompt.contains("Brisk"));
            assert!(prompt.contains("[REDACTED:forgotten#1]") && !prompt.to_lowercase().contains(WORD));
            workspace.remove(&name(&journal(20))).unwrap();
        },
    },
];

// BX-15, C28: forget, then try every other door.
#[test]
fn what_was_forgotten_comes_back_through_no_door() {
    for (_folder, workspace) in homes() {
        lived(workspace.as_ref());
        put(workspace.as_ref(), "MEMORY.md", "# Memory\n\n- The boat is called Brisk.\n");
        let before = dream(&dreamer_over(Arc::clone(&workspace), |_| ()), &Extractive::new(), night(21));
        let is_promoted = |line: &&LineReport| {
            matches!(line.fate, LineOutcome::Promoted { .. }) && line.text.to_lowercase().contains(WORD)
        };
        let promoted = before.passes[0].lines.iter().filter(is_promoted).count() as u64;
        assert!(promoted > 0, "it is worth promoting");
        let receipt = forget(workspace.as_ref(), true).unwrap();
        assert_eq!(receipt.left().count(), 0, "{receipt}");
        assert_eq!(holders(workspace.as_ref()), [""; 0]);
        assert_eq!(receipt.place(ForgetPlace::Logs).removed, promoted, "hashes of promoted lines go too");
        for door in DOORS {
            (door.open)(&workspace);
            assert_eq!(holders(workspace.as_ref()), [""; 0], "{}", door.name);
        }
    }
}

#[test]
fn files_that_their_person_did_not_speak_of_stay_and_nothing_more_comes_to_them() {
    for (_folder, workspace) in homes() {
        lived(workspace.as_ref());
        let before = documents(workspace.as_ref());
        let receipt = forget(workspace.as_ref(), false).unwrap();
        assert_eq!(documents(workspace.as_ref()), before);
        let line = receipt.place(ForgetPlace::Journals);
        assert_eq!((line.found, line.removed), (3, 0));
        assert!(line.left.as_ref().unwrap().contains("asks") && receipt.left().count() > 0);
        let found: Vec<_> = receipt.documents.iter().map(|document| document.name.as_str()).collect();
        let memory =
            ["MEMORY.md", "daily/2026-11-18.md", "memory/2026-11-19-repl.md", "memory/2026-11-20-repl.md"];
        assert_eq!(found, [&memory[..], &["notes/house.md", "observations.md"]].concat());

        // The dream reads them and does not see it; citations keep their lines.
        let model = Script::new().answers(|request| {
            assert!(!request.user.to_lowercase().contains(WORD));
            assert!(request.user.contains("Decision: [REDACTED:forgotten#") && request.user.contains("Brisk"));
            Ok(LlmReply::new(
                "- Tea was had. (memory/2026-11-19-repl.md#L3)\n- The boat moves to Lisbon on 2026-12-04. (memory/2026-11-20-repl.md#L1)\n",
            ))
        });
        let report = dream(&dreamer_over(Arc::clone(&workspace), |_| ()), &model, night(21));
        assert!(matches!(report.passes[0].lines[1].fate, LineOutcome::Promoted { .. }), "{report:?}");
        let masked = report.passes[0].masked.iter().find(|charge| charge.class == "forgotten").unwrap();
        assert_eq!(masked.count, 4, "three journals and MEMORY.md");
        for door in DOORS.iter().filter(|door| door.name != "a prompt") {
            (door.open)(&workspace);
        }
        let mut after = documents(workspace.as_ref());
        let memory = after.remove("MEMORY.md").unwrap();
        assert!(memory.starts_with(&before["MEMORY.md"]));
        assert!(!memory[before["MEMORY.md"].len()..].to_lowercase().contains(WORD));
        assert!(!prompt(&workspace).to_lowercase().contains(WORD));
        for (file, text) in before.iter().filter(|(file, _)| *file != "MEMORY.md") {
            assert_eq!(after[file], *text, "{file}");
        }
    }
}

#[test]
fn no_other_byte_of_a_persons_files_changes() {
    for (folder, workspace) in homes() {
        lived(workspace.as_ref());
        let before = documents(workspace.as_ref());
        let receipt = forget(workspace.as_ref(), true).unwrap();
        let after = documents(workspace.as_ref());
        assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
        let changed: Vec<_> = before.keys().filter(|file| before[*file] != after[*file]).collect();
        let named: Vec<_> = receipt.documents.iter().map(|document| document.name.as_str()).collect();
        assert_eq!(changed, named);
        for (file, text) in &before {
            assert_eq!(text.len(), after[file].len(), "{file}");
            let breaks = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
            assert_eq!(breaks(text), breaks(&after[file]), "{file}");
        }
        assert_eq!(
            after["MEMORY.md"],
            "# Memory\n\n- **[forgotten]------------------.\n- The boat is called Brisk.\n"
        );
        assert_eq!(
            after["memory/2026-11-19-repl.md"],
            "- 09:12 [user] Decision: [forgotten]---\r\n  [forgotten]-, we pay on 2026-12-01.\r\n- tea\r\n"
        );
        assert_eq!(
            after["notes/house.md"],
            "Über das Haus:\n> [forgotten]---\n> [forgotten]-!\n\nThe roof leaks.\n"
        );
        // Neither while the home is open nor afterwards.
        assert_no_file_holds_it(&folder);
        drop(workspace);
        assert_no_file_holds_it(&folder);
    }
}

#[test]
fn a_journal_that_was_overwritten_is_not_read_again() {
    for (_folder, workspace) in homes() {
        lived(workspace.as_ref());
        let dreamer = dreamer_over(Arc::clone(&workspace), |_| ());
        dream(&dreamer, &Script::new(), night(21));
        let late = "- [user] said later\n";
        workspace.append(&name(&journal(20)), late.as_bytes()).unwrap();
        forget(workspace.as_ref(), true).unwrap();
        let journals = [19, 20].map(|day| JournalName::parse(&name(&journal(day))).unwrap());
        let waiting = Undreamed::among(workspace.as_ref(), &journals).unwrap();
        assert_eq!(journals.map(|journal| waiting.contains(&journal)), [false, true]);
        let model = Script::new();
        let report = dream(&dreamer, &model, night(22));
        let lines: Vec<_> = seen(&model.requests()[0]).into_iter().map(|line| line.text).collect();
        assert_eq!(lines, ["- [user] said later"], "what was not shown yet is shown");
        assert_eq!(dreaming::reason_of(&report, &journal(19)), ReadReason::AlreadyShown);
        assert_eq!(dream(&dreamer, &model, night(23)).outcome, Outcome::NothingNew);
    }
}

#[test]
fn earlier_versions_are_forgotten_too() {
    for (folder, workspace) in homes() {
        let human = access(Actor::Human);
        let editor = Editor::new(workspace.as_ref(), human.clone());
        let first =
            editor.save(&DocName::USER, &format!("- Tea.\n- {STATEMENT}\n"), None, night(19)).unwrap();
        let second = editor.save(&DocName::USER, "- Tea.\n", Some(first), night(20)).unwrap();
        editor.save(&DocName::USER, "- Tea, at five.\n", Some(second), night(20)).unwrap();

        let asked = Forget::new(&human, STATEMENT).workspace(workspace.as_ref()).run(night(21)).unwrap();
        let kept = asked.place(ForgetPlace::Versions);
        assert!(kept.found > 0 && kept.removed == 0 && kept.left.is_some());
        let receipt = forget(workspace.as_ref(), true).unwrap();
        let gone = receipt.place(ForgetPlace::Versions);
        assert_eq!((gone.found, gone.removed, gone.left.as_ref()), (kept.found, kept.found, None));

        let history = editor.history(&DocName::USER).unwrap();
        let texts: Vec<_> = history.iter().map(|(_, document)| document.lossy().into_owned()).collect();
        assert_eq!(texts, ["- Tea.\n", "- Tea.\n- [forgotten]----------------.\n"]);
        assert_eq!(forget(workspace.as_ref(), true).unwrap().place(ForgetPlace::Versions).found, 0);
        drop((history, editor));
        drop(workspace);
        assert_no_file_holds_it(&folder);
    }
}

// Versions of documents that a tool replaced kept a forgotten word in the name of their document.
#[test]
fn versions_that_a_tool_replaced_are_forgotten_with_the_name_of_their_document() {
    for (folder, workspace) in homes() {
        let life = noctuary::Life::new(Arc::clone(&workspace), LifeConfig::preset(Preset::IronClaw));
        let session = life.begin_session(access(Actor::Agent), "8f14", "repl", night(19)).unwrap();
        let tools = session.tools();
        let (path, renamed) = ("notes/my-landlord-is-jan-kowalski.md", "notes/house.md");
        for content in [format!("- Tea.\n- {STATEMENT}\n"), "- Tea.\n".to_owned(), "- Coffee.\n".to_owned()] {
            let call = serde_json::json!({"path": path, "content": content, "mode": "write"});
            tools.call("memory_write", &call, night(19)).unwrap();
        }
        drop((tools, session));
        workspace.rename(&name(path), &name(renamed)).unwrap();
        let editor = life.editor(access(Actor::Human));
        let told = |editor: &Editor<'_>| -> Vec<(String, String)> {
            let kept = editor.replaced().unwrap();
            kept.iter().map(|(_, old)| (old.name().to_string(), old.lossy().into_owned())).collect()
        };
        assert_eq!(told(&editor).len(), 2);
        let receipt = forget(workspace.as_ref(), true).unwrap();
        let versions = receipt.place(ForgetPlace::Versions);
        // A database and a server have two versions of their own beside them, under the old name.
        let kept = if folder.path("notes").exists() { 3 } else { 5 };
        assert_eq!((versions.found, versions.removed), (kept, kept), "a text, and names: {versions:?}");
        let struck = |text: &str| ("[forgotten]".to_owned(), text.to_owned());
        assert_eq!(told(&editor), [struck("- Tea.\n"), struck("- Tea.\n- [forgotten]----------------.\n")]);
        assert_eq!(forget(workspace.as_ref(), true).unwrap().place(ForgetPlace::Versions).found, 0);
        assert!(editor.forget_replaced().unwrap() && !editor.forget_replaced().unwrap());
        assert!(told(&editor).is_empty());
        drop(editor);
        drop((life, workspace));
        assert_no_file_holds_it(&folder);
    }
}

/// A workspace in which somebody forgets the statement before a number of operations.
#[derive(Debug)]
struct Racing {
    workspace: Arc<dyn Workspace>,
    left: AtomicI64,
}

impl Racing {
    fn step(&self) -> &dyn Workspace {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            forget(self.workspace.as_ref(), true).unwrap();
        }
        self.workspace.as_ref()
    }
}

impl Workspace for Racing {
    fn location(&self) -> String {
        self.workspace.location()
    }
    fn list(&self, folder: Option<&DocName>) -> noctuary::Result<Listing> {
        self.step().list(folder)
    }
    fn metadata(&self, name: &Name) -> noctuary::Result<Option<Metadata>> {
        self.step().metadata(name)
    }
    fn read(&self, name: &Name) -> noctuary::Result<Option<Document>> {
        self.step().read(name)
    }
    fn read_range(&self, name: &Name, range: std::ops::Range<u64>) -> noctuary::Result<Vec<u8>> {
        self.step().read_range(name, range)
    }
    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> noctuary::Result<Revision> {
        self.step().write(name, bytes, mode)
    }
    fn append(&self, name: &Name, bytes: &[u8]) -> noctuary::Result<()> {
        self.step().append(name, bytes)
    }
    fn remove(&self, name: &Name) -> noctuary::Result<bool> {
        self.step().remove(name)
    }
    fn rename(&self, from: &Name, to: &Name) -> noctuary::Result<()> {
        self.step().rename(from, to)
    }
    fn claim(&self, terms: &ClaimTerms) -> noctuary::Result<Claim> {
        self.step().claim(terms)
    }
}

// A save that had read a document before it was overwritten kept its words as an earlier version.
#[test]
fn a_version_is_kept_without_what_is_forgotten_while_it_is_kept() {
    let mut kept = 0;
    for at in 0.. {
        let (folder, workspace) = home(0);
        put(workspace.as_ref(), "USER.md", &format!("- Tea.\n- {STATEMENT}\n"));
        let racing = Racing { workspace: Arc::clone(&workspace), left: AtomicI64::new(i64::MAX) };
        let editor = Editor::new(&racing, access(Actor::Human));
        let seen = editor.load(&DocName::USER).unwrap().unwrap().revision();
        racing.left.store(at, Ordering::SeqCst);
        let saved = editor.save(&DocName::USER, "- Tea.\n", Some(seen), night(20));
        drop(editor);
        let is_over = racing.left.load(Ordering::SeqCst) >= 0;
        assert!(matches!(saved, Ok(_) | Err(Error::Conflict { .. })), "{at}: {saved:?}");
        if is_over {
            break;
        }
        let history = Editor::new(workspace.as_ref(), access(Actor::Human)).history(&DocName::USER).unwrap();
        kept += history.len();
        drop((racing, workspace));
        assert_no_file_holds_it(&folder);
    }
    assert!(kept >= 3, "it was forgotten around the writing of the version: {kept}");
}

#[test]
fn only_the_human_in_private_touches_files_and_takes_it_back() {
    for (_folder, workspace) in homes() {
        lived(workspace.as_ref());
        let (human, agent) = (access(Actor::Human), access(Actor::Agent));
        let asks = |access: &Access, in_files| {
            Forget::new(access, STATEMENT).in_files(in_files).workspace(workspace.as_ref()).run(night(21))
        };
        let group = Access::new(SessionKind::Shared, Actor::Human, Scope::user("marta"));
        let denied = [
            asks(&agent, true).map(drop),
            asks(&group, false).map(drop),
            Forget::new(&agent, STATEMENT).workspace(workspace.as_ref()).lift(night(21)).map(drop),
        ];
        assert!(denied.iter().all(|denied| matches!(denied, Err(Error::Denied { .. }))), "{denied:?}");
        assert!(workspace.read(&StateName::FORGOTTEN).unwrap().is_none(), "nothing was forgotten");
        let few = Forget::new(&human, " tea. ").workspace(workspace.as_ref()).run(night(21));
        assert!(matches!(few, Err(Error::Config { .. })));

        asks(&agent, false).unwrap();
        let view = Guarded::new(&workspace, agent.clone());
        assert!(is_stopped(view.append(&DocName::USER, STATEMENT.as_bytes())));
        let request = Forget::new(&human, "my landlord is JAN KOWALSKI").workspace(workspace.as_ref());
        assert!(request.lift(night(21)).unwrap() && !request.lift(night(21)).unwrap());
        view.append(&DocName::USER, STATEMENT.as_bytes()).unwrap();
    }
}

#[test]
fn what_the_human_writes_is_theirs() {
    for (_folder, workspace) in homes() {
        forget(workspace.as_ref(), false).unwrap();
        let human = Guarded::new(&workspace, access(Actor::Human));
        human.write(&DocName::USER, STATEMENT.as_bytes(), WriteMode::Create).unwrap();
        assert_eq!(text(workspace.as_ref(), "USER.md"), STATEMENT);
        assert!(!prompt(&workspace).to_lowercase().contains(WORD), "and stays out of prompts");
        let warned = human.take_warnings();
        let [warning] = &warned[..] else { panic!("{warned:?}") };
        assert_eq!(
            (warning.class.as_str(), warning.name.as_str(), warning.line),
            ("forgotten", "USER.md", 1)
        );
    }
}

#[test]
fn while_somebody_dreams_the_tombstone_stands_and_the_files_wait() {
    for (_folder, workspace) in homes() {
        lived(workspace.as_ref());
        let Step::Ask(pass) = dreamer_over(Arc::clone(&workspace), |_| ()).begin(night(21)).unwrap() else {
            panic!("there is something to dream of")
        };
        let Claim::Held(_) = workspace.claim(&ClaimTerms::default()).unwrap() else { panic!("it is held") };
        assert!(matches!(forget(workspace.as_ref(), true), Err(Error::Busy { .. })));
        // The model was asked before, and says what it was shown.
        let answer = LlmReply::new(format!("- {STATEMENT}\n- The boat is called Brisk, and moves.\n"));
        let Step::Done(report) = pass.resume(Ok(answer), night(21)).unwrap() else { panic!("it is done") };
        assert_eq!(report.passes[0].lines[0].fate, LineOutcome::Forgotten);
        assert_eq!(forget(workspace.as_ref(), true).unwrap().left().count(), 0);
        assert_eq!(holders(workspace.as_ref()), [""; 0]);
    }
}

/// Dreams over a journal until an operation after the answer crashes; with none, says what was done after it.
fn dream_until(
    workspace: &Arc<dyn Workspace>,
    crash: Option<u64>,
) -> (noctuary::Result<DreamReport>, Vec<String>) {
    put(workspace.as_ref(), &journal(20), "- [user] nothing of note\n");
    let faults = Faults::new();
    let crashing: Arc<dyn Workspace> = Arc::new(FaultyWorkspace::new(Arc::clone(workspace), faults.clone()));
    let model = Script::new().answers({
        let faults = faults.clone();
        move |_| {
            faults.disarm();
            if let Some(at) = crash {
                faults.arm(at, Fault::Crash);
            }
            Ok(LlmReply::new(format!("- {STATEMENT}\n- Tea is at five.\n")))
        }
    });
    let report = noctuary::dream_once_at(&dreamer_over(crashing, |_| ()), &model, &|| night(21));
    let seen = faults.seen();
    faults.disarm();
    (report, seen)
}

#[test]
fn a_commit_that_a_crash_cut_is_finished_without_what_was_forgotten_since() {
    for in_files in [false, true] {
        for ((_folder, workspace), (_other, rehearsed)) in homes().zip(homes()) {
            let (whole, seen) = dream_until(&rehearsed, None);
            assert_eq!(whole.unwrap().outcome, Outcome::Appended);
            let append =
                seen.iter().position(|operation| operation.starts_with("append")).expect("an append");
            let (cut, seen) = dream_until(&workspace, Some(append as u64 + 1));
            assert!(cut.is_err());
            assert!(workspace.read(&StateName::INTENT).unwrap().is_some(), "{seen:?}");
            assert!(workspace.read(&DocName::MEMORY).unwrap().is_none(), "{seen:?}");

            forget(workspace.as_ref(), in_files).unwrap();
            let report = dream(&dreamer_over(Arc::clone(&workspace), |_| ()), &Script::new(), night(22));
            assert_eq!(report.recovered.is_some(), !in_files);
            let memory = text(workspace.as_ref(), "MEMORY.md");
            assert!(
                memory.contains("- [forgotten]-----") && memory.contains("- Tea is at five."),
                "{memory}"
            );
            assert_eq!(holders(workspace.as_ref()), [""; 0]);
        }
    }
}

#[test]
#[ignore = "sweep"]
fn a_recovery_that_a_crash_cuts_as_well_is_finished_without_what_was_forgotten() {
    // The next recovery found the intent as it was first written, with the words, since a part of it was done.
    for kind in kinds() {
        let (_folder, rehearsed) = home(kind);
        let (_, seen) = dream_until(&rehearsed, None);
        let append = seen.iter().position(|operation| operation.starts_with("append")).expect("an append");
        for at in 1.. {
            let (_folder, workspace) = home(kind);
            dream_until(&workspace, Some(append as u64 + 1)).0.unwrap_err();
            forget(workspace.as_ref(), false).unwrap();
            let faults = Faults::new();
            faults.arm(at, Fault::Crash);
            let crashing: Arc<dyn Workspace> =
                Arc::new(FaultyWorkspace::new(Arc::clone(&workspace), faults.clone()));
            let cut = noctuary::dream_once_at(&dreamer_over(crashing, |_| ()), &Script::new(), &|| night(22));
            dream(&dreamer_over(Arc::clone(&workspace), |_| ()), &Script::new(), night(23));
            let memory = text(workspace.as_ref(), "MEMORY.md");
            assert_eq!(memory.matches("- Tea is at five.").count(), 1, "crash at {at}: {memory}");
            assert!(workspace.read(&StateName::INTENT).unwrap().is_none(), "crash at {at}");
            let kept = workspace.read(&StateName::UNDONE).unwrap().expect("what would bring the dream back");
            let is_held = kept.lossy().to_lowercase().contains(WORD);
            assert!(!is_held, "crash at {at}: {:?}", faults.seen().last());
            assert_eq!(holders(workspace.as_ref()), [""; 0], "crash at {at}: {:?}", faults.seen().last());
            if faults.seen().len() < usize::try_from(at).unwrap() {
                assert!(cut.unwrap().recovered.is_some());
                break;
            }
        }
    }
}

#[test]
fn a_document_that_may_not_be_written_keeps_no_other_one() {
    let mut forbidden = std::collections::BTreeSet::new();
    for at in 1.. {
        let (_folder, workspace) = home(0);
        lived(workspace.as_ref());
        let faults = Faults::new();
        faults.arm(at, Fault::Error(std::io::ErrorKind::PermissionDenied));
        let cut = forget(&FaultyWorkspace::new(Arc::clone(&workspace), faults.clone()), true);
        if faults.seen().len() < usize::try_from(at).unwrap() {
            cut.unwrap();
            break;
        }
        if let Ok(receipt) = cut {
            let kept = holders(workspace.as_ref());
            assert!(kept.len() <= 1, "{kept:?}");
            let told = receipt.to_string();
            let is_unwritten = told.contains("a document may not be written");
            let is_unread = |name: &String| told.contains(&format!("could not be read: {name}"));
            assert!(kept.len() == 1 || !is_unwritten, "{receipt}");
            assert!(is_unwritten || kept.iter().all(is_unread), "{receipt}");
            forbidden.extend(kept);
        }
        assert_eq!(forget(workspace.as_ref(), true).unwrap().left().count(), 0);
        assert_eq!(holders(workspace.as_ref()), [""; 0]);
    }
    assert_eq!(forbidden.len(), 6, "{forbidden:?}");
}

#[test]
#[ignore = "sweep"]
fn wherever_a_crash_stops_it_running_again_finishes() {
    let life = |workspace: &Arc<dyn Workspace>| {
        lived(workspace.as_ref());
        let editor = Editor::new(workspace.as_ref(), access(Actor::Human));
        let first = editor.save(&DocName::USER, STATEMENT, None, night(19)).unwrap();
        editor.save(&DocName::USER, "- Tea.\n", Some(first), night(20)).unwrap();
        dream(&dreamer_over(Arc::clone(workspace), |_| ()), &Script::new(), night(21));
    };
    for kind in kinds() {
        let (_folder, clean) = home(kind);
        life(&clean);
        assert_eq!(forget(clean.as_ref(), true).unwrap().left().count(), 0);
        let expected = documents(clean.as_ref());

        // A folder is asked for twice as much, since it is quicker.
        let faults = [Fault::Crash, Fault::Error(std::io::ErrorKind::StorageFull)];
        for fault in faults.into_iter().take(if kind == 0 { 2 } else { 1 }) {
            let mut points = 0;
            for at in 1.. {
                let (folder, workspace) = home(kind);
                life(&workspace);
                let faults = Faults::new();
                faults.arm(at, fault);
                let crashing = FaultyWorkspace::new(Arc::clone(&workspace), faults.clone());
                let cut = forget(&crashing, true);
                if faults.seen().len() < usize::try_from(at).unwrap() {
                    cut.unwrap();
                    break;
                }
                points += 1;
                let cut_at = faults.seen().pop();
                // What came before the tombstone forgot nothing; from there on no door is open.
                if workspace.read(&StateName::FORGOTTEN).unwrap().is_some() {
                    assert!(!prompt(&workspace).to_lowercase().contains(WORD), "{cut_at:?}");
                    let shown = Script::new();
                    dream(&dreamer_over(Arc::clone(&workspace), |_| ()), &shown, night(22));
                    assert_eq!(shown.requests(), [], "nothing is shown twice: {cut_at:?}");
                }
                let receipt = forget(workspace.as_ref(), true).unwrap();
                assert_eq!(receipt.left().count(), 0, "{cut_at:?}: {receipt}");
                assert_eq!(documents(workspace.as_ref()), expected, "{cut_at:?}");
                assert!(forget(workspace.as_ref(), true).unwrap().documents.is_empty());
                let shown = Script::new();
                dream(&dreamer_over(Arc::clone(&workspace), |_| ()), &shown, night(23));
                assert_eq!(shown.requests(), [], "nothing is shown twice: {cut_at:?}");
                drop(workspace);
                assert_no_file_holds_it(&folder);
            }
            assert!(points > 30, "{points}");
        }
    }
}

#[test]
fn a_receipt_has_a_line_for_every_place_and_no_word_of_it() {
    for (_folder, workspace) in homes() {
        lived(workspace.as_ref());
        put(workspace.as_ref(), "notes/my landlord is Jan Kowalski.md", "nothing\n");
        let bytes: &[u8] = b"\xff my landlord is Jan Kowalski\xff";
        workspace.write(&name("notes/latin.md"), bytes, WriteMode::Create).unwrap();
        workspace.write(&name("noise.bin"), &[bytes, &[0]].concat(), WriteMode::Create).unwrap();
        let human = access(Actor::Human);
        let request = Forget::new(&human, STATEMENT).in_files(true).workspace(workspace.as_ref());
        assert_eq!(format!("{request:?}"), "Forget { statements: 1, person: false, in_files: true }");
        let receipt = request.run(night(21)).unwrap();
        let places: Vec<_> = receipt.places.iter().map(|line| line.place).collect();
        assert_eq!(places, ForgetPlace::ALL);
        for place in [
            ForgetPlace::Edges,
            ForgetPlace::Vectors,
            ForgetPlace::Exports,
            ForgetPlace::Backups,
            ForgetPlace::Rows,
        ] {
            assert!(receipt.place(place).left.is_some(), "{place}");
        }
        let other = receipt.place(ForgetPlace::Documents);
        assert_eq!(
            (other.found, other.removed),
            (4, 2),
            "a name and what is no text are left, and said to be"
        );
        let latin = workspace.read(&name("notes/latin.md")).unwrap().unwrap();
        assert_eq!(latin.bytes(), b"\xff [forgotten]----------------\xff");
        assert!(other.left.is_some() && receipt.left().any(|line| line == other));
        let told = format!("{receipt}{receipt:?}{}", serde_json::to_string(&receipt.places).unwrap());
        assert!(!told.replace("my landlord is Jan Kowalski.md", "").to_lowercase().contains(WORD), "{told}");
        let state = workspace.read(&StateName::FORGOTTEN).unwrap().unwrap();
        assert!(!state.lossy().to_lowercase().contains(WORD));
    }
}

#[test]
fn a_home_that_moves_keeps_what_it_forgot() {
    for (_folder, source) in homes() {
        lived(source.as_ref());
        forget(source.as_ref(), false).unwrap();
        for (_folder, target) in homes() {
            copy_into(source.as_ref(), target.as_ref()).unwrap();
            assert_eq!(documents(target.as_ref()), documents(source.as_ref()));
            // Taken up where it was interrupted.
            copy_into(source.as_ref(), target.as_ref()).unwrap();
            let view = Guarded::new(&target, access(Actor::Agent));
            assert!(is_stopped(view.append(&DocName::USER, STATEMENT.as_bytes())));
        }
    }
}

#[test]
fn a_damaged_list_of_tombstones_opens_no_door() {
    for (_folder, workspace) in homes() {
        lived(workspace.as_ref());
        workspace.write(&StateName::FORGOTTEN, b"{\"v\":1", WriteMode::Create).unwrap();
        let view = Guarded::new(&workspace, access(Actor::Agent));
        let config = PromptConfig::default();
        let corrupt = [
            view.append(&DocName::USER, b"- tea\n"),
            forget(workspace.as_ref(), false).map(drop),
            dreamer_over(Arc::clone(&workspace), |_| ()).begin(night(21)).map(drop),
            Snapshot::take(&view, &config, SharedUser::Full, DayPolicy::UTC, night(20)).map(drop),
        ];
        assert!(corrupt.iter().all(|error| matches!(error, Err(Error::Corrupt { .. }))), "{corrupt:?}");
    }
}

#[test]
fn tombstones_of_other_words_change_nothing_of_a_dream() {
    let request = |other: bool| {
        let (_folder, workspace) = home(0);
        lived(workspace.as_ref());
        if other {
            let human = access(Actor::Human);
            Forget::new(&human, "never said by anybody")
                .workspace(workspace.as_ref())
                .run(night(20))
                .unwrap();
        }
        let model = Script::new();
        let report = dream(&dreamer_over(Arc::clone(&workspace), |_| ()), &model, night(21));
        (model.requests().remove(0), report.passes[0].dream_id.clone())
    };
    assert_eq!(request(true), request(false));
}

mod index {
    use super::*;
    use noctuary::SqliteIndex;
    use noctuary::life::Indexed;

    #[test]
    fn no_search_finds_it_and_the_rest_stands_where_it_stood() {
        for in_files in [false, true] {
            for (_folder, workspace) in homes() {
                let folder = Life::empty();
                let open = || SqliteIndex::open(folder.path("index.db"), Scope::user("marta")).unwrap();
                let indexed = Indexed::new(Arc::clone(&workspace), open());
                lived(&indexed);
                let (agent, human) = (access(Actor::Agent), access(Actor::Human));
                let finds = |words: &str| indexed.search(&agent, words, 20).unwrap().results;
                assert_eq!(finds("Kowalski").len(), 6);
                let roof = finds("roof leaks")[0].clone();

                let unsynced = Forget::new(&human, STATEMENT).workspace(workspace.as_ref());
                unsynced.run(night(20)).unwrap();
                assert_eq!(finds("Kowalski").len(), 0, "also while the index knows it still");

                let request = Forget::new(&human, STATEMENT).in_files(in_files);
                let receipt = request.workspace(&indexed).index(&indexed).run(night(21)).unwrap();
                let line = receipt.place(ForgetPlace::DocumentIndex);
                assert_eq!((line.found, line.removed, line.left.as_ref()), (6, 6, None));
                assert_no_file_holds_it(&folder);
                let holds = || {
                    finds("landlord Kowalski")
                        .iter()
                        .any(|hit| format!("{hit:?}{}", hit.content).to_lowercase().contains(WORD))
                };
                assert!(!holds());
                let again = finds("roof leaks")[0].clone();
                assert_eq!((&again.path, again.lines), (&roof.path, roof.lines));

                // Whoever indexes anew finds it no more.
                indexed.sync(night(22)).unwrap();
                assert!(!holds());
                let told = "memory/my-landlord-is-jan-kowalski.md";
                put(&indexed, told, "The attic is dry.\n");
                assert!(!holds() && finds("attic").is_empty(), "nor is a name that says it");
                indexed.remove(&name(told)).unwrap();
                indexed.rebuild(night(22)).unwrap();
                assert!(!holds());
                put(&indexed, "memory/house.md", "My landlord is Jan Kowalski. The cellar is wet.\n");
                assert!(!holds() && finds("cellar").len() == 1);
                let walked =
                    documents(&indexed).into_keys().filter(|file| indexed.reach().includes(&name(file)));
                assert_eq!(indexed.sync(night(23)).unwrap().unchanged, walked.count() as u64);
                drop(indexed);
                assert_no_file_holds_it(&folder);

                let indexed = Indexed::new(Arc::clone(&workspace), open());
                let request = Forget::new(&human, STATEMENT).workspace(workspace.as_ref()).index(&indexed);
                assert!(request.lift(night(24)).unwrap());
                assert!(
                    !indexed.search(&agent, "Kowalski", 20).unwrap().results.is_empty(),
                    "it was taken back"
                );
            }
        }
    }
}

// The memo is no record, and no agent's turn brings back into it what its person asked to be gone.
#[test]
fn a_loop_of_a_turn_brings_nothing_back() {
    for (_folder, workspace) in homes() {
        lived(workspace.as_ref());
        let life = noctuary::Life::new(Arc::clone(&workspace), LifeConfig::default());
        let mut before = life.begin_session(access(Actor::Agent), "one", "repl", night(21)).unwrap();
        let said = format!("ask whether {STATEMENT}");
        before.end_turn("ok", TurnEnd::default().opens([said.as_str()]), night(21)).unwrap();
        forget(workspace.as_ref(), false).unwrap();
        let mut session = life.begin_session(access(Actor::Agent), "two", "repl", night(22)).unwrap();
        session.end_turn("ok", TurnEnd::default().closes([said.as_str()]), night(22)).unwrap();
        assert!(!text(workspace.as_ref(), "HEARTBEAT.md").to_lowercase().contains(WORD), "it can be closed");

        let turn = TurnEnd::default().opens([said.as_str(), "buy tea"]);
        let ended = session.end_turn("ok", turn, night(22)).unwrap();
        let memo = text(workspace.as_ref(), "HEARTBEAT.md");
        assert!(memo.contains("ask whether [REDACTED:forgotten#") && memo.contains("buy tea"), "{memo}");
        assert!(!memo.to_lowercase().contains(WORD), "{memo}");
        let [warning] = &ended.warnings[..] else { panic!("{:?}", ended.warnings) };
        assert_eq!((warning.class.as_str(), warning.name.as_str()), ("forgotten", "HEARTBEAT.md"));
        session.end_turn("ok", TurnEnd::default().closes([said.as_str()]), night(22)).unwrap();
        assert!(!text(workspace.as_ref(), "HEARTBEAT.md").contains("forgotten"), "masked, it is closed too");
    }
}

// A name is read by whoever lists: a host names journals by what was talked of, and then that is forgotten.
#[test]
fn a_journal_whose_name_says_it_is_announced_each_night_and_counted_in_the_receipt() {
    for (_folder, workspace) in homes() {
        let file = "memory/2026-11-20-my-landlord-is-jan-kowalski.md";
        put(workspace.as_ref(), file, "- The boat is called Brisk.\n");
        put(workspace.as_ref(), &file.replace("-20-", "-19-"), "- The boat moves.\n");
        let receipt = forget(workspace.as_ref(), true).unwrap();
        let journals = receipt.place(ForgetPlace::Journals);
        assert_eq!((journals.found, journals.removed), (2, 0));
        assert!(journals.left.as_ref().unwrap().contains("in the names of 2 documents"), "{receipt}");
        let report = dream(&dreamer_over(Arc::clone(&workspace), |_| ()), &Script::new(), night(22));
        assert_eq!(report.notices, [Notice::HiddenNames(2)]);
        assert!(!report.notices[0].to_string().to_lowercase().contains(WORD));
    }
}

#[test]
fn a_text_in_another_encoding_is_named_where_its_words_may_be_other_bytes() {
    let human = access(Actor::Human);
    for (file, bytes, is_always_named) in [
        ("notes/latin.md", &b"- My landlady is Zo\xeb Kowalska.\n"[..], false),
        ("notes/utf16.txt", &b"M\0y\0 \0b\0o\0a\0t\0"[..], true),
    ] {
        let (_folder, workspace) = home(0);
        workspace.write(&name(file), bytes, WriteMode::Create).unwrap();
        workspace.write(&name("notes/picture.png"), b"\xff\0\xff", WriteMode::Create).unwrap();
        let run = |text: &str| {
            Forget::new(&human, text).in_files(true).workspace(&workspace).run(night(21)).unwrap()
        };
        let told = run("My landlady is Zo\u{eb} Kowalska.").to_string();
        assert!(
            told.contains(&format!("not in UTF-8, where the words may stand in other bytes: {file}\n")),
            "{told}"
        );
        // Plain letters are the same bytes in Latin-1, and others in UTF-16.
        let is_named = run(STATEMENT).to_string().contains("not in UTF-8");
        assert_eq!(is_named, is_always_named, "{file}");
    }
}

// A store and a workspace have a tombstone each, under keys of their own, and a list showed one forgetting as two.
#[test]
fn a_forgetting_that_was_noted_is_listed_once_and_lifted_in_both_and_a_merge_keeps_the_note() {
    const BOAT: &str = "The boat is called Brisk.";
    let (one, other, out) = (Life::empty(), Life::empty(), Life::empty());
    let (workspace, owner) = (one.quick_workspace(), access(Actor::Human));
    put(workspace.as_ref(), "MEMORY.md", &format!("# Memory\n\n- {STATEMENT}\n"));
    other.put("MEMORY.md", "# Memory\n");
    let store = SqliteMemoryStore::open_in_memory(owner.scope.clone()).unwrap();
    let list = ForgottenList::new(&owner).workspace(workspace.as_ref()).store(&store);
    for (statement, day) in [(STATEMENT, 22), (BOAT, 22), (STATEMENT, 23)] {
        let request = Forget::new(&owner, statement).store(&store).workspace(workspace.as_ref());
        let receipt = request.in_files(true).run(night(day)).unwrap();
        list.note(statement, &receipt).unwrap();
    }
    let all = list.list().unwrap();
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all.iter().all(|statement| statement.at == Some(night(22))), "the first time: {all:?}");
    let landlord = all.iter().find(|statement| statement.places.contains(&ForgetPlace::Memory)).unwrap();
    assert!(all.iter().any(|statement| statement.places.is_empty()), "{all:?}");
    assert!(!one.text(".dreaming.d/forgotten.json").to_lowercase().contains(WORD));

    let plan = Merge::new(workspace.as_ref(), other.quick_workspace().as_ref()).plan().unwrap();
    plan.write(out.quick_workspace().as_ref()).unwrap();
    let merged = out.quick_workspace();
    let merged = ForgottenList::new(&owner).workspace(merged.as_ref()).list().unwrap();
    assert!(merged.len() == 2 && merged.iter().all(|statement| statement.at.is_some()), "{merged:?}");

    assert!(list.lift(&landlord.id, night(24)).unwrap());
    assert_eq!(list.list().unwrap().len(), 1);
    let row = NewMemory::new("fact", STATEMENT, Source::UserManual);
    store.write(&owner, &row, night(24)).unwrap();
    assert!(!one.text(".dreaming.d/forgotten.json").contains(&landlord.id), "nothing is left of its note");
}
