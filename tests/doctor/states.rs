//! State files that are damaged: each is found, told what to do about, and mended where anything tells what it said.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use noctuary::doctor::{Apply, Doctor, FindingKind, FixAction};
use noctuary::dream::ReadReason;
use noctuary::exchange::Forget;
use noctuary::testing::Script;
use noctuary::workspace::{Claim, ClaimTerms};
use noctuary::{
    Access, Error, FileMemoryStore, FileWorkspace, JournalDreamer, Outcome, Scope, Workspace, dream_once_at,
};

use crate::doctor::kit::{at, live, now};

/// A life of two days that dreamed once and was asked to forget something.
fn lived() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(folder.path()).unwrap());
    let store = FileMemoryStore::open(folder.path(), Scope::user("marta")).unwrap();
    live(&workspace, &store);
    folder
}

fn dreamer(home: &Path) -> JournalDreamer {
    JournalDreamer::builder(Arc::new(FileWorkspace::open(home).unwrap())).enabled(true).build().unwrap()
}

fn damaged(home: &Path) -> Vec<(FindingKind, String, String)> {
    let told = Doctor::of(home).unwrap().examine(now()).unwrap();
    told.findings.into_iter().map(|finding| (finding.kind, finding.place, finding.fix)).collect()
}

/// Mends all, and expects that the doctor says so and finds nothing afterwards but what it set aside.
fn mend(home: &Path) {
    let doctor = Doctor::of(home).unwrap();
    let found = doctor.examine(now()).unwrap();
    let planned = doctor.fix(&found, Apply::DryRun, &[], now()).unwrap();
    assert!(planned.iter().all(|one| !one.done && one.action == FixAction::State), "{planned:?}");
    let done = doctor.fix(&found, Apply::Yes, &[], now()).unwrap();
    assert!(!done.is_empty() && done.len() == planned.len() && done.iter().all(|one| one.done), "{done:?}");
    let left = damaged(home);
    assert!(left.iter().all(|(kind, ..)| *kind == FindingKind::SetAside), "{left:?}");
}

// It stopped every night and an erasure, and the doctor said that there was nothing to mend.
#[test]
fn a_damaged_guard_is_found_and_stops_nobody() {
    for damage in ["x", "not a number at all, and longer than one\n", "-1\n", "\u{feff}7"] {
        let folder = lived();
        let guard = folder.path().join(".dreaming.d/guard");
        let before = {
            let Claim::Granted(lease) =
                FileWorkspace::open(folder.path()).unwrap().claim(&ClaimTerms::default()).unwrap()
            else {
                panic!("held")
            };
            lease.epoch()
        };
        fs::write(&guard, damage).unwrap();
        let found = damaged(folder.path());
        assert_eq!(
            (found.len(), found[0].0, found[0].1.as_str()),
            (1, FindingKind::DamagedState, ".dreaming.d/guard")
        );
        assert!(found[0].2.contains("--fix"), "{found:?}");
        let copy = tempfile::tempdir().unwrap();
        crate::doctor::kit::copy(folder.path(), copy.path());
        mend(folder.path());

        let workspace = FileWorkspace::open(copy.path()).unwrap();
        let Claim::Granted(lease) = workspace.claim(&ClaimTerms::default()).unwrap() else { panic!("held") };
        assert!(lease.epoch() >= before, "{damage:?}: {} after {before}", lease.epoch());
        lease.check().unwrap();
        // Damaged under its holder, it is a lease that is lost.
        fs::write(copy.path().join(".dreaming.d/guard"), damage).unwrap();
        assert!(matches!(lease.check(), Err(Error::LeaseLost(_))));
        drop(lease);
        let report = dream_once_at(&dreamer(copy.path()), &Script::new(), &|| at(21, 3)).unwrap();
        assert_ne!(report.outcome, Outcome::LockHeld);
    }
}

// A torn list of what was forgotten stopped searches and dreams; beginning anew would have brought it all back.
#[test]
fn nothing_that_was_forgotten_comes_back_where_its_list_is_torn() {
    let folder = lived();
    let home = folder.path();
    let list = home.join(".dreaming.d/forgotten.json");
    let whole = fs::read(&list).unwrap();
    let secret = "The landlord is called Jan.";
    let journal =
        "- [09:00:00] [user] The landlord is called Jan.\n- [09:01:00] [user] Decision: the boat is Brisk.\n";
    fs::write(home.join("memory/2026-11-21-repl.md"), journal).unwrap();
    for len in (0..whole.len() - 2).step_by(7) {
        fs::write(&list, &whole[..len]).unwrap();
        let script = Script::new().says(format!("- {secret}"));
        let report = dream_once_at(&dreamer(home), &script, &|| at(22, 3)).unwrap();
        assert!(!script.requests().iter().any(|asked| asked.user.contains("called Jan")), "cut at {len}");
        assert!(!fs::read_to_string(home.join("MEMORY.md")).unwrap().contains("called Jan"), "{report:?}");
    }
    let found = damaged(home);
    let of_list = found.iter().find(|(_, place, _)| place == ".dreaming.d/forgotten.json").unwrap();
    assert!(of_list.2.contains("--fix --apply"), "{found:?}");
    // Something else is forgotten meanwhile: the torn list is not begun anew.
    let human = Access::human(Scope::user("marta"));
    let workspace = FileWorkspace::open(home).unwrap();
    Forget::new(&human, "the boat was bought in Faro").workspace(&workspace).run(now()).unwrap();
    let both = fs::read(&list).unwrap();
    assert!(both.len() > whole.len());
    fs::write(&list, &both[..both.len() / 2]).unwrap();
    mend(home);
    assert_eq!(fs::read(&list).unwrap(), both);

    // Gone, with its copy there: it is named.
    fs::remove_file(&list).unwrap();
    assert_eq!(damaged(home)[0].0, FindingKind::MissingState);
    mend(home);
    assert_eq!(fs::read(&list).unwrap(), both);

    // Without a copy nobody knows, and nothing goes on.
    fs::write(&list, &both[..both.len() / 2]).unwrap();
    fs::write(home.join(".dreaming.d/forgotten.copy.json"), "{").unwrap();
    let error = dream_once_at(&dreamer(home), &Script::new(), &|| at(23, 3)).unwrap_err().to_string();
    assert!(
        error.contains("forgotten.json") && error.contains("backup") && error.contains("forget again"),
        "{error}"
    );
    let found = damaged(home);
    assert!(
        found
            .iter()
            .any(|(_, place, fix)| place.ends_with("forgotten.json") && fix.contains("forget it again"))
    );
    let doctor = Doctor::of(home).unwrap();
    let told = doctor.examine(now()).unwrap();
    assert!(doctor.fix(&told, Apply::Yes, &[], now()).unwrap().is_empty(), "it mends nothing by guessing");
}

#[test]
fn a_ledger_is_made_anew_from_the_log_and_shows_nothing_twice() {
    for damage in [Some("{\"v\":1,\"epoch\":"), None] {
        let folder = lived();
        let home = folder.path();
        let ledger = home.join(".dreaming.d/ledger.json");
        match damage {
            Some(text) => fs::write(&ledger, text).unwrap(),
            None => fs::remove_file(&ledger).unwrap(),
        }
        let found = damaged(home);
        assert!(
            found.len() == 1 && found[0].2.contains("--fix --apply") && found[0].2.contains("log"),
            "{found:?}"
        );
        mend(home);
        let day = "memory/2026-11-21-repl.md";
        fs::write(home.join(day), "- [09:00:00] [user] The boat is called Brisk.\n").unwrap();
        let script = Script::new();
        let report = dream_once_at(&dreamer(home), &script, &|| at(22, 3)).unwrap();
        let reasons: Vec<_> =
            report.journals.iter().map(|journal| (journal.name.as_str(), journal.reason)).collect();
        assert_eq!(reasons.last(), Some(&(day, ReadReason::Shown)));
        let shown = reasons.iter().filter(|(_, reason)| *reason == ReadReason::Shown).count();
        assert_eq!(shown, 1, "{reasons:?}");
    }
}

#[test]
fn what_a_hand_left_in_the_root_is_mended_and_kept() {
    let folder = lived();
    let home = folder.path();
    let state = home.join(".dreamed-state.json");
    let text = fs::read_to_string(&state).unwrap().replace('{', "{ // mine\n");
    fs::write(&state, &text).unwrap();
    fs::write(home.join(".dreamed-quarantine.json"), "[ // none\n]\n").unwrap();
    let found = damaged(home);
    assert!(found.len() == 2 && found.iter().all(|(_, _, fix)| fix.contains("--fix --apply")), "{found:?}");
    mend(home);
    let aside: Vec<String> = damaged(home).into_iter().map(|(_, place, _)| place).collect();
    assert_eq!(aside.len(), 2);
    assert!(aside.iter().any(|file| fs::read_to_string(home.join(file)).unwrap() == text));
}
