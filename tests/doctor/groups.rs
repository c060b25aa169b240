//! The doctor looks into the groups of a life: their state, journals and rows.

use std::sync::Arc;

use chrono::TimeDelta;
use noctuary::doctor::{Apply, Doctor, Examination, FindingKind, FixAction};
use noctuary::learning::{NewRoleNote, RoleStore};
use noctuary::life::{GroupName, GroupView};
use noctuary::workspace::StateName;
use noctuary::{
    Access, DocName, Extractive, FileMemoryStore, FileWorkspace, JournalDreamer, LlmReply, LlmRequest,
    MemoryStore, Scope, SqliteMemoryStore, SqliteWorkspace, Workspace, WriteMode, dream_once_at, llm_fn,
};
use noctuary_tests::common::server;

use super::kit::{at, now};

fn name(name: &str) -> GroupName {
    GroupName::parse(name).unwrap()
}

/// Lives a day in two groups, and harms the first: its ledger is cut, a journal is too old, a note of a role waits.
fn live(workspace: &Arc<dyn Workspace>, store: &dyn Fn(&GroupName) -> Arc<dyn RoleStore>) {
    let marta = Scope::user("marta");
    workspace.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create).unwrap();
    for group in ["family", "office"].map(name) {
        let view: Arc<dyn Workspace> = Arc::new(GroupView::new(Arc::clone(workspace), &marta, &group));
        let journal = DocName::parse("memory/2026-11-20-chat.md").unwrap();
        view.append(&journal, b"- [user] Decision: We sail to Lisbon in May.\n").unwrap();
        let dreamer = JournalDreamer::builder(Arc::clone(&view)).enabled(true).build().unwrap();
        let report = dream_once_at(&dreamer, &Extractive::new(), &|| at(21, 3)).unwrap();
        assert_eq!(report.promoted().count(), 1, "{report}");
        let note = NewRoleNote::new("planner", "Packed in a hurry; the ferry was missed.");
        let age = TimeDelta::days(if group == name("family") { 9 } else { 0 });
        let access = Access::human(marta.group(&group));
        store(&group).take_note(&access, &note, now() - age).unwrap();
    }
    let family = GroupView::new(Arc::clone(workspace), &marta, &name("family"));
    family.write(&StateName::LEDGER, b"{\"v\":", WriteMode::Replace).unwrap();
    let old = DocName::parse("memory/2026-01-02-chat.md").unwrap();
    family.append(&old, b"- [user] We moved to Porto.\n").unwrap();
}

/// Returns what was found, each kind with its group.
fn kinds(found: &Examination) -> Vec<(FindingKind, Option<String>)> {
    found.findings.iter().map(|one| (one.kind, one.group.as_ref().map(ToString::to_string))).collect()
}

/// Returns the kinds, all in the one group.
fn in_family(kinds: &[FindingKind]) -> Vec<(FindingKind, Option<String>)> {
    kinds.iter().map(|kind| (*kind, Some("family".to_owned()))).collect()
}

/// Mends what a model mends, of a home whose harm is that of `live`.
fn reflects(doctor: &Doctor, found: &Examination) {
    let model = llm_fn(|request: &LlmRequest| {
        let is_first = request.system.contains("went well");
        Ok(LlmReply::new(if is_first { "N1 failure" } else { "N1: Be there half an hour early." }))
    });
    let fixed = doctor.reflect_pending(found, Apply::Yes, &model, now()).unwrap();
    assert_eq!(
        fixed.iter().map(|one| (one.action, one.done)).collect::<Vec<_>>(),
        [(FixAction::ReflectPending, true)]
    );
}

#[test]
fn a_folder_is_mended_in_the_group_that_is_harmed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(path).unwrap());
    let marta = Scope::user("marta");
    FileMemoryStore::open(path, marta.clone()).unwrap();
    let in_groups = |group: &GroupName| path.join(group.folder().as_str());
    live(&workspace, &|group| Arc::new(FileMemoryStore::open(in_groups(group), marta.group(group)).unwrap()));
    let doctor = Doctor::of(path).unwrap().scope(marta.clone());
    let found = doctor.examine(now()).unwrap();
    let harm = [FindingKind::DamagedState, FindingKind::WaitingReflection, FindingKind::UnreadJournal];
    assert_eq!(kinds(&found), in_family(&harm), "{found:?}");
    let state = &found.findings[0];
    assert_eq!(state.place, ".dreaming.d/ledger.json");
    assert!(state.to_string().contains("of the group family"), "{state}");
    let office = std::fs::read(in_groups(&name("office")).join(".dreaming.d/ledger.json")).unwrap();

    let fixed = doctor.fix(&found, Apply::Yes, &[], now()).unwrap();
    assert_eq!(
        fixed.iter().map(|one| (one.action, one.done)).collect::<Vec<_>>(),
        [(FixAction::State, true)]
    );
    reflects(&doctor, &found);
    assert_eq!(kinds(&doctor.examine(now()).unwrap()), in_family(&harm[2..]));
    assert_eq!(std::fs::read(in_groups(&name("office")).join(".dreaming.d/ledger.json")).unwrap(), office);
    assert!(!in_groups(&name("family")).join(".dreaming.lock").exists(), "the lock is that of the life");
    // What the group's dream read is known again, and is not read twice.
    let view: Arc<dyn Workspace> = Arc::new(GroupView::new(workspace, &marta, &name("family")));
    let dreamer = JournalDreamer::builder(view).enabled(true).build().unwrap();
    let report = dream_once_at(&dreamer, &Extractive::new(), &|| at(23, 3)).unwrap();
    assert_eq!(report.promoted().count(), 0, "{report}");
    let audit = FileMemoryStore::open(in_groups(&name("family")), marta.group(&name("family"))).unwrap();
    let audit = audit.audit(&Access::human(marta.group(&name("family"))), 10).unwrap();
    assert!(audit.iter().any(|line| line.action == "doctor.fix.state"), "{audit:?}");
}

#[test]
fn a_database_is_looked_at_in_each_group() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("life.db");
    let marta = Scope::user("marta");
    let workspace: Arc<dyn Workspace> = Arc::new(SqliteWorkspace::open(&path, marta.clone()).unwrap());
    live(&workspace, &|group| Arc::new(SqliteMemoryStore::open(&path, marta.group(group)).unwrap()));
    let doctor = Doctor::of(&path).unwrap().scope(marta);
    let found = doctor.examine(now()).unwrap();
    let harm = [FindingKind::DamagedState, FindingKind::WaitingReflection, FindingKind::UnreadJournal];
    assert_eq!(kinds(&found), in_family(&harm), "{found:?}");
    reflects(&doctor, &found);
    assert_eq!(kinds(&doctor.examine(now()).unwrap()), in_family(&[harm[0], harm[2]]));
}

#[test]
fn a_server_is_looked_at_in_each_group() {
    let Some(_) = server::url() else { return };
    let folder = tempfile::tempdir().unwrap();
    let server = server::rows_server_in(folder.path());
    let marta = Scope::user("marta");
    let workspace: Arc<dyn Workspace> = Arc::new(server.workspace(marta.clone()).unwrap());
    live(&workspace, &|group| Arc::new(server.memory(marta.group(group)).unwrap()));
    let doctor = Doctor::of_server(&server).scope(marta);
    let found = doctor.examine(now()).unwrap();
    let harm = [FindingKind::DamagedState, FindingKind::WaitingReflection, FindingKind::UnreadJournal];
    assert_eq!(kinds(&found), in_family(&harm), "{found:?}");
    reflects(&doctor, &found);
    assert_eq!(kinds(&doctor.examine(now()).unwrap()), in_family(&[harm[0], harm[2]]));
}
