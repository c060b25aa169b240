//! The learning of an agent on pages: what a person's word and outcomes bear, on the page of what it names, and nothing else.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::edges::EdgeStore;
use noctuary::exchange::Forget;
use noctuary::learning::{
    Ending, LearningConfig, MethodId, MethodStore, NewMethod, NewOutcome, NewPreference, NewRoleNote,
    PreferenceStore, Reflection, RoleClass, RoleNoteId, RoleStore,
};
use noctuary::memory::{NewMemory, Source};
use noctuary::pages::{CompiledPage, Learned, Pages};
use noctuary::testing::contract::method as contract;
use noctuary::{Access, Actor, MemoryStore, Scope, SessionKind};
use noctuary_tests::open_store;

/// A store with all that a page of learning is made of.
trait Store: MemoryStore + MethodStore + PreferenceStore + RoleStore + EdgeStore {}

impl<S: MemoryStore + MethodStore + PreferenceStore + RoleStore + EdgeStore> Store for S {}

fn human() -> Access {
    Access::human(contract::scope())
}

fn agent() -> Access {
    Access::agent(contract::scope())
}

fn at(minute: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap() + TimeDelta::minutes(minute)
}

fn open(folder: &Path, backend: usize) -> Arc<dyn Store> {
    open_store!(backend, folder, contract::scope())
}

/// Runs a test on each store.
fn each(test: impl Fn(Arc<dyn Store>)) {
    for backend in noctuary_tests::common::backends() {
        let folder = tempfile::tempdir().unwrap();
        test(open(folder.path(), backend));
    }
}

fn pages(store: &Arc<dyn Store>) -> Pages {
    Pages::new(Arc::clone(store) as _).source(Arc::new(Learned::new(Arc::clone(store))))
}

fn page(pages: &Pages, asked: &str) -> Arc<CompiledPage> {
    pages.page(&agent(), asked, true, at(90)).unwrap()
}

/// Creates a method with so many good outcomes, and no bad one.
fn method(store: &dyn Store, name: &str, body: &str, good: u64) -> MethodId {
    let host = Access::new(SessionKind::Main, Actor::Library, contract::scope());
    let id = store.create_method(&agent(), &NewMethod::new(name, "sailing", body), at(0)).unwrap();
    for number in 0..good {
        let outcome = NewOutcome::new(format!("{name}-{number}"), [id], Ending::Success);
        store.report_outcome(&host, &outcome, at(1)).unwrap();
    }
    id
}

fn rule(store: &dyn Store, words: &str) {
    let rule = NewPreference::hard_constraint("safety", words);
    let id = store.propose_preference(&agent(), &rule, at(0)).unwrap();
    store.approve_preference(&human(), id, at(2)).unwrap();
}

fn note(store: &dyn Store, words: &str, minute: i64) -> RoleNoteId {
    store.take_note(&agent(), &NewRoleNote::new("skipper", words), at(minute)).unwrap()
}

fn reflect(store: &dyn Store, id: RoleNoteId, lesson: &str, minute: i64) {
    let lesson = Reflection::new(RoleClass::Failure, lesson, at(minute));
    assert!(store.reflect(&human(), id, &lesson).unwrap());
}

fn timeline(page: &CompiledPage) -> Vec<&str> {
    page.timeline.iter().map(|line| line.text.as_str()).collect()
}

// CP-07: where the host says which classes there are, a method of any other is on no page.
#[test]
fn a_method_of_a_class_that_nobody_knows_is_on_no_page() {
    each(|store| {
        for (name, class) in [("Moor Brisk early", "sailing"), ("Paint Brisk red", "alchemy")] {
            let new = NewMethod::new(name, class, format!("{name}, and do not wait."));
            let id = store.create_method(&agent(), &new, at(0)).unwrap();
            for number in 0..9 {
                let host = Access::new(SessionKind::Main, Actor::Library, contract::scope());
                let outcome = NewOutcome::new(format!("{name}-{number}"), [id], Ending::Success);
                store.report_outcome(&host, &outcome, at(1)).unwrap();
            }
            store.graduate_method(&human(), id, at(3)).unwrap();
        }
        let told = |learned: Learned<dyn Store>| -> Vec<String> {
            let pages = Pages::new(Arc::clone(&store) as _).source(Arc::new(learned));
            let page = pages.page(&human(), "brisk", true, at(5)).unwrap();
            page.methods.iter().map(|method| method.name.clone()).collect()
        };
        assert_eq!(told(Learned::new(store.clone())).len(), 2);
        let known = ["sailing", "cooking"];
        assert_eq!(told(Learned::new(store.clone()).classes(known)), ["Moor Brisk early"]);
    });
}

// CP-02, CP-07, LL-03
#[test]
fn a_page_has_what_graduated_and_what_a_person_approved_and_nothing_that_waits() {
    each(|store| {
        let moor = method(store.as_ref(), "Moor against the tide", "Turn Brisk before she is moored.", 9);
        store.graduate_method(&human(), moor, at(3)).unwrap();
        // Named by a case alone.
        let call = method(store.as_ref(), "Call ahead", "Call the harbour an hour before.", 9);
        store
            .create_method(
                &agent(),
                &NewMethod::new("Call ahead", "sailing", "Call the harbour an hour before.")
                    .case("Brisk got the last berth."),
                at(3),
            )
            .unwrap();
        store.graduate_method(&human(), call, at(3)).unwrap();
        // None of these is shown: in quarantine, out of it without graduating, fallen since, of something else.
        method(store.as_ref(), "Sail Brisk by night", "By the stars.", 9);
        let free = method(store.as_ref(), "Sail Brisk by day", "By the sun.", 9);
        store.quarantine_method(&human(), free, false, at(3)).unwrap();
        let fallen = method(store.as_ref(), "Sail Brisk by feeling", "By the sky.", 5);
        store.graduate_method(&human(), fallen, at(3)).unwrap();
        let host = Access::new(SessionKind::Main, Actor::Library, contract::scope());
        let aground = NewOutcome::new("aground", [fallen], Ending::Failure);
        store.report_outcome(&host, &aground, at(4)).unwrap();
        let other = method(store.as_ref(), "Paint in spring", "Kestrel is painted in spring.", 9);
        store.graduate_method(&human(), other, at(3)).unwrap();

        rule(store.as_ref(), "Never sail Brisk alone.");
        rule(store.as_ref(), "Never lend Kestrel.");
        let proposed = NewPreference::hard_constraint("safety", "Always sell Brisk.");
        store.propose_preference(&agent(), &proposed, at(0)).unwrap();
        let over = NewPreference::hard_constraint("safety", "Never name Brisk.");
        let over = store.propose_preference(&agent(), &over, at(0)).unwrap();
        store.approve_preference(&human(), over, at(1)).unwrap();
        store.withdraw_preference(&human(), over, at(2)).unwrap();
        note(store.as_ref(), "Brisk waits for her lesson.", 1);

        let pages = pages(&store);
        let told = page(&pages, "[[brisk]]");
        let names: Vec<&str> = told.methods.iter().map(|method| method.name.as_str()).collect();
        assert_eq!(names, ["Call ahead", "Moor against the tide"]);
        assert_eq!((told.methods[0].uses, told.methods[0].is_quarantined), (9, false));
        let rules: Vec<_> = told
            .constraints
            .iter()
            .map(|rule| (rule.text.as_str(), rule.approved_by.as_str(), rule.approved_at))
            .collect();
        assert_eq!(rules, [("Never sail Brisk alone.", "the human", at(2))]);
        assert!(timeline(&told).is_empty(), "{told:?}");
        assert_eq!(
            told.to_markdown(),
            "# Brisk\n\n## Compiled truth\n\n### Constraints\n\n\
             - Never sail Brisk alone. (approved by the human on 2026-11-21)\n\n### Methods\n\n\
             - Call ahead (0.70 after 9 uses)\n- Moor against the tide (0.70 after 9 uses)\n"
        );
        assert!(pages.page(&agent(), "Brisk", false, at(90)).unwrap().constraints.is_empty());
        let mut strict = LearningConfig::default();
        strict.graduation = 0.8;
        let strict = Learned::new(Arc::clone(&store)).config(strict);
        let strict = Pages::new(Arc::clone(&store) as _).source(Arc::new(strict));
        assert!(page(&strict, "Brisk").methods.is_empty());
    });
}

// CP-03
#[test]
fn lessons_stand_in_the_timeline_by_the_time_of_their_reflection() {
    each(|store| {
        let ids =
            [1, 2, 3].map(|number| note(store.as_ref(), &format!("Brisk ran aground {number}"), number));
        note(store.as_ref(), "Brisk ran aground 4", 4);
        for (id, minute) in [(ids[2], 10), (ids[0], 30), (ids[1], 20)] {
            reflect(store.as_ref(), id, &format!("Look at the tide, {minute}"), minute);
        }
        let of_lesson = note(store.as_ref(), "We were late", 5);
        reflect(store.as_ref(), of_lesson, "Leave Brisk at the berth", 25);
        store
            .write(
                &human(),
                &NewMemory::new("observation", "Brisk has a new keel", Source::UserExplicit),
                at(15),
            )
            .unwrap();
        let told = page(&pages(&store), "Brisk");
        assert_eq!(
            timeline(&told),
            [
                "Brisk ran aground 1 Lesson: Look at the tide, 30",
                "We were late Lesson: Leave Brisk at the berth",
                "Brisk ran aground 2 Lesson: Look at the tide, 20",
                "Brisk has a new keel",
                "Brisk ran aground 3 Lesson: Look at the tide, 10",
            ]
        );
        assert_eq!(told.timeline[0].citation.source.to_string(), format!("role note {}", ids[0]));
        assert_eq!((told.timeline[0].kind.as_str(), told.timeline[0].at), ("skipper", Some(at(30))));
    });
}

// CP-05
#[test]
fn a_page_is_made_anew_after_any_change_of_what_was_learned() {
    each(|store| {
        let pages = pages(&store);
        let seen = || page(&pages, "Brisk").to_markdown();
        let mut before = seen();
        let mut is_new = |what: &str, change: &dyn Fn()| {
            change();
            let after = seen();
            assert_ne!(before, after, "{what}");
            before = after;
        };
        let moor = method(store.as_ref(), "Moor against the tide", "Turn Brisk first.", 9);
        is_new("a graduation", &|| drop(store.graduate_method(&human(), moor, at(3)).unwrap()));
        let host = Access::new(SessionKind::Main, Actor::Library, contract::scope());
        is_new("an outcome", &|| {
            let calm = NewOutcome::new("calm", [moor], Ending::Success);
            drop(store.report_outcome(&host, &calm, at(4)).unwrap());
        });
        is_new("a rule", &|| rule(store.as_ref(), "Never sail Brisk alone."));
        let id = note(store.as_ref(), "Brisk ran aground", 4);
        is_new("a lesson", &|| reflect(store.as_ref(), id, "Look at the tide", 5));
        is_new("a quarantine", &|| drop(store.quarantine_method(&human(), moor, true, at(6)).unwrap()));
        is_new("a forgetting", &|| {
            let human = human();
            drop(Forget::new(&human, "Brisk ran aground").store(store.as_ref()).run(at(7)).unwrap());
        });
    });
}

#[test]
fn nobody_but_a_main_session_of_the_life_is_shown_what_was_learned() {
    each(|store| {
        let moor = method(store.as_ref(), "Moor against the tide", "Turn Brisk first.", 9);
        store.graduate_method(&human(), moor, at(3)).unwrap();
        rule(store.as_ref(), "Never sail Brisk alone.");
        let id = note(store.as_ref(), "Brisk ran aground", 4);
        reflect(store.as_ref(), id, "Look at the tide", 5);
        let pages = pages(&store);
        assert!(!page(&pages, "Brisk").is_empty());
        let kinds = [SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled];
        let others = kinds.map(|kind| Access { kind, ..human() }).into_iter();
        for access in others.chain([Access::human(Scope::user("eve"))]) {
            let told = pages.page(&access, "Brisk", true, at(90)).unwrap();
            assert_eq!(told.to_markdown(), "# Brisk\n\nNothing is known of it.\n", "{access:?}");
        }
    });
}
