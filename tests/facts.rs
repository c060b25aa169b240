//! Facts on both stores: what settles, what is suspected, what replaces what, and who may decide it.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::{
    Access, Actor, Decision, Error, EventOutcome, FactKey, FactState, FactStore, FileMemoryStore, Filter,
    MemoryEvent, MemoryId, MemoryObserver, MemoryStore, NewMemory, Query, Scope, SessionKind, Source,
    StoreConfig, SuspectReason, Verdict, categories,
};

trait Store: MemoryStore + FactStore {}

impl<S: MemoryStore + FactStore> Store for S {}

fn access(kind: SessionKind, actor: Actor) -> Access {
    Access::new(kind, actor, Scope::user("marta"))
}

fn agent() -> Access {
    access(SessionKind::Main, Actor::Agent)
}

fn human() -> Access {
    access(SessionKind::Main, Actor::Human)
}

fn at(minute: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap() + TimeDelta::minutes(minute)
}

fn fact(content: &str) -> NewMemory {
    NewMemory::new(categories::FACT, content, Source::AgentRecorded)
}

fn open(folder: &Path, config: StoreConfig) -> Vec<Box<dyn Store>> {
    let scope = Scope::user("marta");
    vec![
        #[cfg(feature = "sqlite")]
        Box::new(
            noctuary::SqliteMemoryStore::open_with(folder.join("memory.db"), scope.clone(), config.clone())
                .unwrap(),
        ),
        Box::new(FileMemoryStore::open_with(folder, scope, config).unwrap()),
    ]
}

/// Runs a test on each store.
fn each(test: impl Fn(&dyn Store)) {
    each_with(StoreConfig::default(), test);
}

fn each_with(config: StoreConfig, test: impl Fn(&dyn Store)) {
    let folder = tempfile::tempdir().unwrap();
    for store in open(folder.path(), config) {
        test(store.as_ref());
    }
}

fn record(store: &dyn Store, content: &str, minute: i64) -> MemoryId {
    store.record(&agent(), &fact(content), at(minute)).unwrap().id
}

fn state(store: &dyn Store, id: MemoryId) -> FactState {
    store.fact(&agent(), id).unwrap().unwrap().status.state
}

fn prompt(store: &dyn Store, minute: i64) -> Vec<String> {
    store.snapshot(&agent(), 50, at(minute)).unwrap().into_iter().map(|row| row.content).collect()
}

fn found(store: &dyn Store, text: &str) -> Vec<MemoryId> {
    store.search(&agent(), &Query::new(text)).unwrap().hits.into_iter().map(|hit| hit.memory.id).collect()
}

fn rule<T: std::fmt::Debug>(answer: Result<T, Error>) -> &'static str {
    match answer {
        Err(Error::Undecided { rule, .. }) => rule,
        other => panic!("{other:?}"),
    }
}

// FA-01, FA-03, FA-05, FA-06
#[test]
fn of_equal_statements_the_oldest_reaches_the_prompt_and_no_write_settles() {
    each(|store| {
        let ids: Vec<_> = ["Prefers tea", "Prefers coffee", "- prefers  TEA."]
            .iter()
            .enumerate()
            .map(|(minute, text)| record(store, text, i64::try_from(minute).unwrap()))
            .collect();
        assert!(store.is_settling_due().unwrap());
        assert!(ids.iter().all(|id| state(store, *id) == FactState::Pending), "a write settles nothing");
        assert_eq!(found(store, "tea").len(), 2, "what is pending is found");
        assert_eq!(
            prompt(store, 9),
            ["Prefers tea", "Prefers coffee"],
            "stated again last, so it comes first"
        );
        assert!(!store.is_settling_due().unwrap());
        assert_eq!(state(store, ids[0]), FactState::Candidate);
        let again = store.fact(&agent(), ids[2]).unwrap().unwrap();
        assert_eq!((again.status.state, again.status.successor), (FactState::Superseded, Some(ids[0])));
        assert_eq!(found(store, "tea"), [ids[0]]);
        let told = store.decisions(&agent(), 9).unwrap();
        let told: Vec<_> = told.iter().map(|event| (event.verdict, event.older, event.newer)).collect();
        let settle = |older, newer| (Verdict::Settle, older, Some(newer));
        assert_eq!(told, [settle(Some(ids[0]), ids[2]), settle(None, ids[1]), settle(None, ids[0])]);
        for restated in 10..15 {
            record(store, "prefers tea", restated);
        }
        assert_eq!(prompt(store, 20).iter().filter(|line| line.to_lowercase().contains("tea")).count(), 1);
    });
}

// FA-05
#[test]
fn what_only_looks_alike_is_not_one_statement() {
    each(|store| {
        let pairs = [("住在东京", "住在京东"), ("knows C", "knows C++"), ("likes it at 5", "likes it at -5")];
        for (one, other) in pairs {
            record(store, one, 0);
            record(store, other, 1);
        }
        let settled = store.settle(at(2)).unwrap();
        assert_eq!((settled.settled, settled.duplicates), (6, 0));
        record(store, "住在东京。", 3);
        assert_eq!(store.settle(at(4)).unwrap().duplicates, 1);
    });
}

#[test]
fn a_private_fact_does_not_hide_a_shared_one_nor_one_of_another_subject() {
    each(|store| {
        record(store, "The harbour closes at nine", 0);
        let shared = store.record(&agent(), &fact("The harbour closes at nine").shared(), at(1)).unwrap().id;
        for subject in ["marta", "ilya"] {
            let key = FactKey::one(subject, "drink");
            store.record(&agent(), &fact("prefers tea").about(key), at(2)).unwrap();
        }
        assert_eq!(store.settle(at(3)).unwrap().duplicates, 0);
        let group = access(SessionKind::Shared, Actor::Agent);
        let rows = store.snapshot(&group, 9, at(4)).unwrap();
        assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [shared]);
    });
}

// FA-04
#[test]
fn what_a_human_typed_confirmed_or_pinned_is_retired_by_nobody_else() {
    each(|store| {
        let typed = NewMemory::new(categories::PERSONALIZATION, "Prefers weekly charts", Source::UserManual);
        let typed = store.write(&human(), &typed, at(0)).unwrap();
        let confirmed = record(store, "Lives in Lisbon", 0);
        let pinned = record(store, "Reports are due on Fridays", 0);
        let newer = record(store, "Prefers daily charts", 1);
        store.settle(at(1)).unwrap();
        assert!(matches!(
            store.decide(&agent(), &Decision::confirm(confirmed), at(2)),
            Err(Error::Denied { .. })
        ));
        store.decide(&human(), &Decision::confirm(confirmed), at(2)).unwrap();
        assert!(store.pin(&agent(), pinned, true, at(2)).unwrap());
        for protected in [typed, confirmed, pinned] {
            for actor in [Actor::Agent, Actor::Library] {
                let whose = access(SessionKind::Main, actor);
                let supersede = Decision::supersede(protected, newer);
                assert_eq!(rule(store.decide(&whose, &supersede, at(3))), "only the human retires it");
                let reject = Decision::reject(protected);
                assert_eq!(rule(store.decide(&whose, &reject, at(3))), "only the human retires it");
                let duplicate = Decision::duplicate(newer, protected);
                assert_eq!(rule(store.decide(&whose, &duplicate, at(3))), "only the human retires it");
            }
        }
        let refused = store.decisions(&human(), 99).unwrap();
        let refused = refused.iter().filter(|event| event.outcome == EventOutcome::Protected).count();
        assert_eq!(refused, 18, "each refusal is told");
        record(store, "prefers weekly charts", 4);
        assert_eq!(store.settle(at(5)).unwrap().duplicates, 1, "what was typed says it already");
        assert_eq!(state(store, typed), FactState::Candidate);
        store.decide(&human(), &Decision::supersede(confirmed, newer), at(6)).unwrap();
        assert_eq!(state(store, confirmed), FactState::Superseded, "their own word is theirs to change");
    });
}

// BX-16, FA-10
#[test]
fn a_superseded_fact_leaves_every_list_and_stays_in_the_history() {
    each(|store| {
        let home = |text: &str, from| fact(text).about(FactKey::one("Marta", "home")).valid_from(at(from));
        let lisbon = store.record(&agent(), &home("Marta lives in Lisbon", -900), at(0)).unwrap();
        assert!(lisbon.suspects.is_empty());
        let porto = store.record(&agent(), &home("Marta lives in Porto", -30), at(1)).unwrap();
        assert_eq!(porto.suspects[0].id, lisbon.id);
        assert_eq!(porto.suspects[0].reason, SuspectReason::SameKey);
        let pair = &store.suspicions(&agent(), 9).unwrap()[0];
        assert_eq!((pair.older.memory.id, pair.newer.memory.id), (lisbon.id, porto.id));

        let decided = store.decide(&agent(), &Decision::supersede(lisbon.id, porto.id), at(2)).unwrap();
        assert_eq!(found(store, "Where does Marta live?"), [porto.id]);
        assert_eq!(prompt(store, 3), ["Marta lives in Porto"]);
        assert!(store.get(&agent(), lisbon.id).unwrap().is_none());
        let listed = store.list(&agent(), &Filter::limit(9)).unwrap();
        assert_eq!(listed.iter().map(|row| row.id).collect::<Vec<_>>(), [porto.id]);
        let old = store.fact(&agent(), lisbon.id).unwrap().unwrap();
        assert_eq!(old.memory.content, "Marta lives in Lisbon", "no word of it was rewritten");
        assert_eq!(old.status.valid_until, Some(at(-30)), "it was true until the newer one is");
        assert_eq!(old.status.retired_at, Some(at(2)), "and known to be until then");
        for id in [lisbon.id, porto.id] {
            let history = store.history(&agent(), id).unwrap();
            let ids: Vec<_> = history.iter().map(|fact| fact.memory.id).collect();
            assert_eq!(ids, [lisbon.id, porto.id]);
        }
        assert!(store.suspicions(&agent(), 9).unwrap().is_empty());
        let outdated = store.decide(&agent(), &Decision::supersede(lisbon.id, porto.id), at(3));
        assert_eq!(rule(outdated), "it does not stand as it did");

        let reverted = store.revert(&agent(), decided.id, at(4)).unwrap();
        assert_eq!(reverted.reverts, Some(decided.id));
        assert_eq!(found(store, "Where does Marta live?").len(), 2);
        assert_eq!(store.suspicions(&agent(), 9).unwrap().len(), 1, "nobody has decided again");
        store.revert(&agent(), reverted.id, at(5)).unwrap();
        assert_eq!(found(store, "Where does Marta live?"), [porto.id], "and a reversal is reverted too");
    });
}

#[test]
fn a_statement_without_a_key_is_suspected_by_its_words_and_siblings_are_not() {
    each(|store| {
        let weekly = record(store, "The user prefers weekly charts", 0);
        let daily = store.record(&agent(), &fact("The user prefers daily charts"), at(1)).unwrap();
        assert_eq!((daily.suspects[0].id, daily.suspects[0].reason), (weekly, SuspectReason::Alike));
        let tools = |text: &str| fact(text).about(FactKey::many("project", "tool"));
        store.record(&agent(), &tools("The project uses Bun for its tests"), at(2)).unwrap();
        let node = store.record(&agent(), &tools("The project uses Node for its tests"), at(3)).unwrap();
        assert_eq!(node.suspects, [], "a project has many tools");
        let group = access(SessionKind::Shared, Actor::Agent);
        let theirs = store.record(&group, &fact("The user prefers monthly charts").shared(), at(4)).unwrap();
        assert_eq!(theirs.suspects, [], "private rows are not told of");
        assert_eq!(store.suspicions(&agent(), 99).unwrap().len(), 3, "and kept for those who may know");
    });
}

#[test]
fn disputed_facts_are_both_found_until_somebody_knows() {
    each(|store| {
        let (one, other) =
            (record(store, "The key is under the mat", 0), record(store, "The key is in the pot", 1));
        store.settle(at(1)).unwrap();
        store.decide(&agent(), &Decision::dispute(one, other), at(2)).unwrap();
        assert_eq!([one, other].map(|id| state(store, id)), [FactState::Disputed; 2]);
        assert_eq!(found(store, "key").len(), 2);
        store.decide(&agent(), &Decision::coexist(one, other), at(3)).unwrap();
        assert_eq!([one, other].map(|id| state(store, id)), [FactState::Candidate; 2]);
        store.decide(&agent(), &Decision::dispute(one, other), at(4)).unwrap();
        store.decide(&agent(), &Decision::supersede(one, other), at(5)).unwrap();
        assert_eq!([one, other].map(|id| state(store, id)), [FactState::Superseded, FactState::Candidate]);
    });
}

#[test]
fn what_was_rejected_does_not_come_back_by_being_said_again() {
    each(|store| {
        let wrong = record(store, "Marta is allergic to nuts", 0);
        store.settle(at(0)).unwrap();
        store.decide(&human(), &Decision::reject(wrong).because("she is not"), at(1)).unwrap();
        record(store, "marta is allergic to nuts!", 2);
        assert_eq!(store.settle(at(3)).unwrap().duplicates, 1);
        assert!(found(store, "allergic").is_empty());
        assert!(prompt(store, 4).is_empty());
    });
}

// FA-10
#[test]
fn a_settled_fact_is_not_rewritten_and_can_be_deleted() {
    each(|store| {
        let id = record(store, "The ferry leaves at nine", 0);
        assert!(
            store.update(&agent(), id, "The ferry leaves at ten", at(0)).unwrap(),
            "nothing was settled yet"
        );
        store.settle(at(1)).unwrap();
        let rewritten = store.update(&agent(), id, "The ferry leaves at eight", at(2));
        assert!(matches!(rewritten, Err(Error::Config { setting: "content", .. })), "{rewritten:?}");
        assert!(store.delete(&agent(), id, at(3)).unwrap());
        assert!(store.fact(&agent(), id).unwrap().is_none());
        assert!(store.restore(&agent(), id, at(4)).unwrap());
        assert_eq!(state(store, id), FactState::Candidate);
    });
}

// FA-09, MS-22
#[test]
fn in_shadow_mode_decisions_are_told_and_change_nothing_but_the_humans() {
    let mut config = StoreConfig::default();
    config.facts.shadow = true;
    each_with(config, |store| {
        let (one, other) = (record(store, "Drinks tea", 0), record(store, "Drinks coffee", 1));
        assert_eq!(store.settle(at(1)).unwrap().settled, 2, "what is equal to nothing settles all the same");
        let told = store.decide(&agent(), &Decision::supersede(one, other), at(2)).unwrap();
        assert_eq!((told.outcome, told.changes.len()), (EventOutcome::Shadow, 1), "it says what it would do");
        assert_eq!(state(store, one), FactState::Candidate);
        let refused = store.revert(&agent(), told.id, at(3));
        assert!(matches!(refused, Err(Error::NotFound { .. })), "there is nothing to revert: {refused:?}");
        store.decide(&human(), &Decision::supersede(one, other), at(4)).unwrap();
        assert_eq!(state(store, one), FactState::Superseded);
    });
}

// BX-09, MS-22
#[test]
fn so_many_facts_are_retired_in_a_day_and_no_more() {
    let mut config = StoreConfig::default();
    config.facts.max_retired_a_day = 2;
    each_with(config, |store| {
        let ids: Vec<_> = (0..5).map(|row| record(store, &format!("boat number {row} is blue"), 0)).collect();
        store.settle(at(1)).unwrap();
        let reject =
            |whose: Access, row: usize, minute| store.decide(&whose, &Decision::reject(ids[row]), at(minute));
        reject(agent(), 0, 2).unwrap();
        reject(access(SessionKind::Main, Actor::Library), 1, 3).unwrap();
        assert_eq!(rule(reject(agent(), 2, 4)), "enough was retired for a day");
        reject(human(), 2, 5).unwrap();
        assert_eq!(rule(reject(agent(), 3, 24 * 60)), "enough was retired for a day");
        reject(agent(), 3, 24 * 60 + 4).unwrap();
        let latest = store.decisions(&agent(), 1).unwrap();
        assert_eq!(latest[0].outcome, EventOutcome::Applied);
    });
}

#[test]
fn decisions_are_a_main_sessions_and_of_its_own_scope() {
    each(|store| {
        let id = record(store, "Drinks tea", 0);
        let other = Access::new(SessionKind::Main, Actor::Human, Scope::user("ilya"));
        for whose in
            [other, access(SessionKind::Shared, Actor::Human), access(SessionKind::Subagent, Actor::Agent)]
        {
            let refused = store.decide(&whose, &Decision::reject(id), at(1));
            assert!(matches!(refused, Err(Error::Denied { .. })), "{refused:?}");
            assert!(store.decisions(&whose, 9).is_err() && store.suspicions(&whose, 9).is_err());
            assert!(
                store.fact(&whose, id).unwrap().is_none() && store.history(&whose, id).unwrap().is_empty()
            );
        }
        let missing = store.decide(&agent(), &Decision::reject(MemoryId::new(77)), at(1));
        assert!(matches!(missing, Err(Error::NotFound { .. })), "{missing:?}");
        let itself = store.decide(&agent(), &Decision::supersede(id, id), at(1));
        assert_eq!(rule(itself), "it does not stand as it did");
    });
}

#[derive(Debug, Default)]
struct Ears(std::sync::Mutex<Vec<&'static str>>);

impl MemoryObserver for Ears {
    fn event(&self, event: &MemoryEvent) {
        self.0.lock().unwrap().push(event.name);
    }
}

// FA-02
#[test]
fn recording_and_retiring_are_told() {
    let ears = Arc::new(Ears::default());
    let mut config = StoreConfig::default();
    config.observer = Some(ears.clone());
    each_with(config, |store| {
        let id = record(store, "Drinks tea", 0);
        assert_eq!(store.fact(&agent(), id).unwrap().unwrap().memory.source, Some(Source::AgentRecorded));
        store.settle(at(1)).unwrap();
        let rejected = store.decide(&agent(), &Decision::reject(id), at(1)).unwrap();
        store.revert(&agent(), rejected.id, at(2)).unwrap();
        let heard = std::mem::take(&mut *ears.0.lock().unwrap());
        assert_eq!(heard, ["memory:written", "fact:recorded", "fact:retired", "fact:returned"]);
    });
}

#[test]
fn reasons_of_decisions_hold_no_secret() {
    each(|store| {
        let id = record(store, "Drinks tea", 0);
        let decision = Decision::reject(id).because("the key AKIAIOSFODNN7EXAMPLE says so");
        store.decide(&agent(), &decision, at(1)).unwrap();
        let reason = store.decisions(&agent(), 1).unwrap().remove(0).reason.unwrap();
        assert!(reason.contains("[REDACTED:") && !reason.contains("AKIA"), "{reason}");
    });
}

// BX-16: of twenty subjects, each with three generations among other rows, the current one alone is delivered.
#[test]
fn chains_of_supersessions_deliver_the_current_fact_alone() {
    each(|store| {
        let cities = ["Lisbon", "Porto", "Faro"];
        let mut chains = Vec::new();
        for subject in 0..20 {
            let mut ids: Vec<MemoryId> = Vec::new();
            for (generation, city) in (0_i64..).zip(cities) {
                for filler in 0..5 {
                    let text = format!("Keeper {subject} counted {filler} boats in {city} that day");
                    let row = NewMemory::new(categories::OBSERVATION, text, Source::AgentRecorded);
                    store.write(&agent(), &row, at(generation * 100 + subject)).unwrap();
                }
                let key = FactKey::one(format!("keeper {subject}"), "home");
                let text = format!("Keeper {subject} lives in {city} with the lantern");
                let recorded =
                    store.record(&agent(), &fact(&text).about(key), at(generation * 100 + subject)).unwrap();
                if let Some(before) = ids.last() {
                    assert_eq!(recorded.suspects[0].id, *before);
                    store
                        .decide(&agent(), &Decision::supersede(*before, recorded.id), at(generation * 100))
                        .unwrap();
                }
                ids.push(recorded.id);
            }
            chains.push(ids);
        }
        let told: Vec<MemoryId> =
            store.snapshot(&agent(), 999, at(999)).unwrap().iter().map(|row| row.id).collect();
        for (subject, chain) in chains.iter().enumerate() {
            let hits = found(store, &format!("Where does keeper {subject} live, with the lantern?"));
            assert_eq!(hits[0], chain[2], "subject {subject}");
            assert!(!hits.contains(&chain[0]) && !hits.contains(&chain[1]));
            assert!(told.contains(&chain[2]) && !told.contains(&chain[0]) && !told.contains(&chain[1]));
            for id in chain {
                let history: Vec<_> =
                    store.history(&agent(), *id).unwrap().iter().map(|fact| fact.memory.id).collect();
                assert_eq!(&history, chain);
            }
        }
    });
}

// Siblings: two things that hold at once, of which no sweep makes one and none replaces the other.
#[test]
fn siblings_are_neither_merged_nor_superseded() {
    let tools =
        ["Bun", "Deno", "Ruff", "Vitest", "Postgres", "Redis", "Nginx", "Vim", "Zed", "Make", "Just", "Nix"];
    let uses = [
        ("for testing", "as runtime"),
        ("at work", "at home"),
        ("on the laptop", "on the server"),
        ("in the morning", "in the evening"),
        ("for Marta", "for Ilya"),
        ("in the old project", "in the new project"),
    ];
    each(|store| {
        let mut pairs = 0;
        for tool in tools {
            for (one, other) in uses {
                let [one, other] = [one, other].map(|how| record(store, &format!("{tool} {how}"), pairs));
                pairs += 1;
                store.settle(at(pairs)).unwrap();
                for id in [one, other] {
                    assert_eq!(state(store, id), FactState::Candidate);
                }
            }
        }
        assert!(pairs >= 60, "{pairs}");
        assert_eq!(store.list(&agent(), &Filter::limit(999)).unwrap().len(), tools.len() * uses.len() * 2);
        let retired = store.decisions(&agent(), 9999).unwrap();
        assert!(retired.iter().flat_map(|event| &event.changes).all(|change| !change.retires()));
    });
}

#[test]
fn a_store_that_is_opened_again_knows_what_was_decided() {
    let folder = tempfile::tempdir().unwrap();
    let decided: Vec<_> = open(folder.path(), StoreConfig::default())
        .iter()
        .map(|store| {
            let (one, other) =
                (record(store.as_ref(), "Drinks tea", 0), record(store.as_ref(), "Drinks coffee", 1));
            let event = store.decide(&agent(), &Decision::supersede(one, other), at(2)).unwrap();
            (one, other, event)
        })
        .collect();
    for (store, (one, other, event)) in open(folder.path(), StoreConfig::default()).iter().zip(decided) {
        assert_eq!(store.decisions(&agent(), 9).unwrap(), std::slice::from_ref(&event));
        assert_eq!(found(store.as_ref(), "drinks"), [other]);
        assert_eq!(store.history(&agent(), other).unwrap()[0].memory.id, one);
        store.revert(&agent(), event.id, at(3)).unwrap();
        assert_eq!(found(store.as_ref(), "drinks").len(), 2);
    }
}
