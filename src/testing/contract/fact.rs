//! Suites of every fact layer that keeps its facts as rows of a memory store. Each suite panics with what does
//! not hold.
//!
//! A store is made new and empty, for the scope of [`scope`], with the default configuration.
//!
//! # Example: a backend proves itself
//!
//! ```
//! # #[cfg(feature = "sqlite")] {
//! use std::sync::Arc;
//! use noctuary::SqliteMemoryStore;
//! use noctuary::testing::contract::fact;
//!
//! fact::facts(&|| Arc::new(SqliteMemoryStore::open_in_memory(fact::scope()).unwrap()));
//! # }
//! ```

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};

use super::memory::{self, access, agent, human};
use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::error::Error;
use crate::facts::{Decision, EventId, EventOutcome, FactKey, FactState, FactStore, SuspectReason, Verdict};
use crate::memory::{AsOf, Filter, MemoryId, MemoryStore, NewMemory, Query, Source, Stale, categories};

/// A store whose rows are facts too.
pub trait Facts: MemoryStore + FactStore {}

impl<S: MemoryStore + FactStore> Facts for S {}

/// Makes a new, empty store of [`scope`].
pub type Make<'a> = &'a dyn Fn() -> Arc<dyn Facts>;

const WORKS: &str = "a verb that nothing stands against";

/// Returns the scope of the store.
#[must_use]
pub fn scope() -> Scope {
    memory::scope()
}

/// Runs every suite.
pub fn facts(make: Make<'_>) {
    settles(make().as_ref());
    returns(make().as_ref());
    replaces(make().as_ref());
    corrects(make().as_ref());
    distinguishes(make().as_ref());
    sights(make().as_ref());
    protects(make().as_ref());
    supersedes(make().as_ref());
    links(make().as_ref());
    suspects(make().as_ref());
    disputes(make().as_ref());
    rejects(make().as_ref());
    rewrites(make().as_ref());
    scopes(make().as_ref());
    reasons(make().as_ref());
    chains(make().as_ref());
    extracts(make().as_ref());
}

fn at(minute: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).single().expect("a time") + TimeDelta::minutes(minute)
}

fn fact(content: &str) -> NewMemory {
    NewMemory::new(categories::FACT, content, Source::AgentRecorded)
}

fn record(store: &dyn Facts, content: &str, minute: i64) -> MemoryId {
    store.record(&agent(), &fact(content), at(minute)).expect(WORKS).id
}

fn state(store: &dyn Facts, id: MemoryId) -> FactState {
    store.fact(&agent(), id).expect(WORKS).expect(WORKS).status.state
}

fn prompt(store: &dyn Facts, minute: i64) -> Vec<String> {
    store.snapshot(&agent(), 50, at(minute)).expect(WORKS).into_iter().map(|row| row.content).collect()
}

fn found(store: &dyn Facts, text: &str) -> Vec<MemoryId> {
    store
        .search(&agent(), &Query::new(text))
        .expect(WORKS)
        .hits
        .into_iter()
        .map(|hit| hit.memory.id)
        .collect()
}

fn rule<T: std::fmt::Debug>(answer: Result<T, Error>) -> &'static str {
    match answer {
        Err(Error::Undecided { rule, .. }) => rule,
        other => panic!("{other:?}"),
    }
}

/// Checks that the oldest of equal statements reaches the prompt, and that no write settles anything. (FA-01, FA-03,
/// FA-05, FA-06, FA-11)
pub fn settles(store: &dyn Facts) {
    let ids: Vec<_> = ["Prefers tea", "Prefers coffee", "- prefers  TEA."]
        .iter()
        .enumerate()
        .map(|(minute, text)| record(store, text, i64::try_from(minute).expect(WORKS)))
        .collect();
    assert!(store.is_settling_due().expect(WORKS));
    assert!(ids.iter().all(|id| state(store, *id) == FactState::Pending), "a write settles nothing");
    assert_eq!(found(store, "tea").len(), 2, "what is pending is found");
    assert_eq!(prompt(store, 9), ["Prefers tea", "Prefers coffee"], "stated again last, so it comes first");
    assert!(!store.is_settling_due().expect(WORKS));
    assert_eq!(state(store, ids[0]), FactState::Candidate);
    let again = store.fact(&agent(), ids[2]).expect(WORKS).expect(WORKS);
    assert_eq!((again.status.state, again.status.successor), (FactState::Superseded, Some(ids[0])));
    assert_eq!(found(store, "tea"), [ids[0]]);
    let told = store.decisions(&agent(), 9).expect(WORKS);
    let told: Vec<_> = told.iter().map(|event| (event.verdict, event.older, event.newer)).collect();
    let settle = |older, newer| (Verdict::Settle, older, Some(newer));
    assert_eq!(told, [settle(Some(ids[0]), ids[2]), settle(None, ids[1]), settle(None, ids[0])]);
    for restated in 10..15 {
        record(store, "prefers tea", restated);
    }
    assert_eq!(prompt(store, 20).iter().filter(|line| line.to_lowercase().contains("tea")).count(), 1);
}

/// A value that returns counts again, beside the one that was said between, until somebody decides; said once more, it is one. (FA-05)
pub fn returns(store: &dyn Facts) {
    let key = || FactKey::one("office", "city");
    for key in [Some(key()), None] {
        let say = |text: &str, minute| {
            let mut fact = NewMemory::new(categories::FACT, text, Source::AgentRecorded);
            fact.about.clone_from(&key);
            store.record(&agent(), &fact, at(minute)).expect(WORKS).id
        };
        let (oslo, bergen) = ("The main office is in Oslo.", "The main office is in Bergen.");
        let ids = [say(oslo, 0), say(bergen, 1), say(oslo, 2)];
        assert_eq!(store.settle(at(3)).expect(WORKS).duplicates, 0, "{key:?}");
        assert!(ids.iter().all(|id| state(store, *id) == FactState::Candidate), "{key:?}");
        let again = say(oslo, 4);
        assert_eq!(store.settle(at(5)).expect(WORKS).duplicates, 1, "{key:?}");
        assert_eq!(state(store, again), FactState::Superseded, "{key:?}");
        let pairs = store.suspicions(&agent(), 9).expect(WORKS);
        let pairs: Vec<_> = pairs.iter().map(|pair| (pair.older.memory.id, pair.newer.memory.id)).collect();
        assert!(pairs.contains(&(ids[1], ids[2])), "the first value is asked about again: {pairs:?}");
        for id in ids {
            store.delete(&agent(), id, at(6)).expect(WORKS);
        }
    }
}

/// A row that is put in place of another one, in one step or not at all. (FA-02)
pub fn corrects(store: &dyn Facts) {
    let say = |content: &str, source: Source| NewMemory::new(categories::FACT, content, source);
    let wrong = say("The harbour opens at six.", Source::UserManual).about(FactKey::many("harbour", "hours"));
    let wrong = store.record(&human(), &wrong, at(1)).expect(WORKS).id;
    let row = store.fact(&human(), wrong).expect(WORKS).expect(WORKS);
    // The agent may not retire what the human typed: neither row changes, and none is left behind.
    let error =
        store.correct(&agent(), wrong, &row.restated("It opens at noon.", Source::AgentRecorded), at(2));
    assert!(matches!(error, Err(Error::Denied { .. } | Error::Undecided { .. })), "{error:?}");
    assert_eq!(store.list(&human(), &Filter::limit(9)).expect(WORKS).len(), 1);
    let right = row.restated("The harbour opens at seven.", Source::UserManual);
    let right = store.correct(&human(), wrong, &right, at(3)).expect(WORKS).id;
    let now = store.fact(&human(), right).expect(WORKS).expect(WORKS);
    assert_eq!((&now.key, &now.memory.category), (&row.key, &row.memory.category));
    assert_eq!(state(store, wrong), FactState::Superseded);
    let chain = store.history(&human(), right).expect(WORKS);
    assert_eq!(chain.iter().map(|fact| fact.memory.id).collect::<Vec<_>>(), [wrong, right]);
    assert!(store.suspicions(&human(), 9).expect(WORKS).is_empty(), "nothing is left to decide");
    // It was so since the row was there, as it is known by now; what was believed then is another matter.
    let key = FactKey::many("harbour", "hours");
    let held = store.value_at(&human(), &key, at(2)).expect(WORKS).map(|fact| fact.memory.id);
    let believed = store.believed_at(&human(), &key, at(2)).expect(WORKS).map(|fact| fact.memory.id);
    assert_eq!((held, believed), (Some(right), Some(wrong)));
    // What is kept of a question about the past is looked at in the rows that counted then.
    let mut asked = Query::new("harbour").as_of(AsOf::Believed(at(2)));
    asked.filter.until = Some(at(2));
    let hits: Vec<_> =
        store.search(&human(), &asked).expect(WORKS).hits.into_iter().map(|hit| hit.memory.id).collect();
    assert_eq!(hits, [wrong]);
    // A row that is retired, or that is none, is corrected by nobody.
    for gone in [wrong, MemoryId::new(4711)] {
        let row = say("It opens at eight.", Source::UserManual);
        assert!(store.correct(&human(), gone, &row, at(4)).is_err(), "{gone:?}");
    }
    assert_eq!(store.list(&human(), &Filter::limit(9)).expect(WORKS).len(), 1);
}

/// A property with one value keeps it by itself, by the time since when each value is true. (FA-02, BX-58)
pub fn replaces(store: &dyn Facts) {
    let key = FactKey::one("office", "city");
    let is_in = |city: &str, since: Option<i64>| {
        let mut fact =
            NewMemory::new(categories::FACT, format!("The office is in {city}."), Source::AgentRecorded);
        (fact.about, fact.valid_from) = (Some(key.clone()), since.map(at));
        fact
    };
    let say = |city: &str, since: Option<i64>, minute: i64| {
        store.replace(&agent(), &is_in(city, since), at(minute)).expect(WORKS)
    };
    let city = |fact: Option<crate::facts::Fact>| fact.map(|fact| fact.memory.content);
    let office = |name: &str| Some(format!("The office is in {name}."));
    let oslo = say("Oslo", None, 10);
    say("Bergen", None, 20);
    let back = say("Oslo", None, 30);
    assert_ne!(oslo.id, back.id, "a value that returns is a row of its own");
    assert_eq!(say("Oslo", None, 31).id, back.id, "what holds already is no second row");
    // Late news of what was before goes into the past.
    assert_eq!(say("Turku", Some(15), 40).id, back.id);
    store.settle(at(41)).expect(WORKS);
    assert_eq!(city(store.current(&agent(), &key).expect(WORKS)), office("Oslo"));
    for (minute, known, believed) in [
        (5, None, None),
        (12, office("Oslo"), office("Oslo")),
        (16, office("Turku"), office("Oslo")),
        (25, office("Bergen"), office("Bergen")),
        (35, office("Oslo"), office("Oslo")),
    ] {
        assert_eq!(city(store.value_at(&agent(), &key, at(minute)).expect(WORKS)), known, "{minute}");
        assert_eq!(city(store.believed_at(&agent(), &key, at(minute)).expect(WORKS)), believed, "{minute}");
    }
    // A question for what was is answered by what was, the oldest first, and each says what holds now.
    for (query, told) in [
        ("Where was the office originally?", vec!["Oslo", "Turku", "Bergen", "Oslo"]),
        ("office früher?", vec!["Oslo", "Turku", "Bergen", "Oslo"]),
        ("以前のoffice", vec!["Oslo", "Turku", "Bergen", "Oslo"]),
        ("Where is the office?", vec!["Oslo"]),
    ] {
        let hits = store.search(&agent(), &Query::new(query)).expect(WORKS).hits;
        let of_office: Vec<_> =
            hits.iter().filter(|hit| hit.memory.content.starts_with("The office")).collect();
        let cities: Vec<_> = of_office.iter().map(|hit| Some(hit.memory.content.clone())).collect();
        assert_eq!(cities, told.into_iter().map(office).collect::<Vec<_>>(), "{query}");
        let (now, then) = of_office.split_last().expect(WORKS);
        assert!(now.memory.id == back.id && now.stale.is_empty(), "{query}");
        assert!(then.iter().all(|hit| hit.stale == [Stale::Replaced(back.id)]), "{query}");
    }
    // A repetition counts for nobody.
    for (minute, id) in [(12, oslo.id), (35, back.id)] {
        let query = Query::new("office").as_of(AsOf::Held(at(minute)));
        let hits = store.search(&agent(), &query).expect(WORKS).hits;
        let hits: Vec<_> = hits.iter().map(|hit| (hit.memory.id, hit.stale.len())).collect();
        assert_eq!(hits, [(id, 0)], "{minute}");
    }
    let one =
        store.search(&agent(), &Query::new("Where was the office originally?").limit(1)).expect(WORKS).hits;
    assert_eq!((one.len(), one[0].memory.id), (1, oslo.id));
    assert!(store.suspicions(&agent(), 9).expect(WORKS).is_empty(), "nothing is left to decide");
    let told = found(store, "office");
    assert_eq!(told, [back.id], "a search finds what holds");
    // The human's own words stay until the human decides.
    let typed = NewMemory { source: Source::UserManual, ..is_in("Riga", None) };
    let riga = store.replace(&human(), &typed, at(50)).expect(WORKS).id;
    let other = say("Paris", None, 60);
    assert_eq!(other.suspects.iter().map(|suspect| suspect.id).collect::<Vec<_>>(), [riga]);
    assert_eq!(store.suspicions(&agent(), 9).expect(WORKS).len(), 1);
    // What has no value that could be replaced is refused, and nothing is written.
    let many = NewMemory { about: Some(FactKey::many("office", "city")), ..is_in("Rome", None) };
    for refused in [many, NewMemory { about: None, ..is_in("Rome", None) }] {
        let error = store.replace(&agent(), &refused, at(61)).expect_err("it has no key of one value");
        assert!(matches!(error, Error::Config { .. }), "{error}");
    }
    let group = access(SessionKind::Shared, Actor::Agent);
    let error = store.replace(&group, &is_in("Rome", None), at(62)).expect_err("only a main session decides");
    assert!(matches!(error, Error::Denied { .. }), "{error}");
    assert!(found(store, "Rome").is_empty());
}

/// A fact drawn from a chat in the background keeps its source, waits as any fact does, and nobody confirms it. (FA-13)
pub fn extracts(store: &dyn Facts) {
    let drawn = NewMemory::new(categories::FACT, "The ferry leaves at six", Source::ChatExtracted);
    let background = access(SessionKind::Main, Actor::Library);
    let id = store.record(&background, &drawn, at(0)).expect(WORKS).id;
    assert_eq!(state(store, id), FactState::Pending);
    let said = record(store, "the ferry leaves at six", 1);
    store.settle(at(2)).expect(WORKS);
    let kept = store.fact(&agent(), id).expect(WORKS).expect(WORKS);
    assert_eq!((kept.memory.source, kept.status.state), (Some(Source::ChatExtracted), FactState::Candidate));
    assert_eq!(state(store, said), FactState::Superseded);
}

/// Statements that only look alike are not one. (FA-05)
pub fn distinguishes(store: &dyn Facts) {
    let pairs = [("住在东京", "住在京东"), ("knows C", "knows C++"), ("likes it at 5", "likes it at -5")];
    for (one, other) in pairs {
        record(store, one, 0);
        record(store, other, 1);
    }
    let settled = store.settle(at(2)).expect(WORKS);
    assert_eq!((settled.settled, settled.duplicates), (6, 0));
    record(store, "住在东京。", 3);
    assert_eq!(store.settle(at(4)).expect(WORKS).duplicates, 1);
}

/// A private fact does not hide a shared one, nor one of another subject.
pub fn sights(store: &dyn Facts) {
    record(store, "The harbour closes at nine", 0);
    let shared = store.record(&agent(), &fact("The harbour closes at nine").shared(), at(1)).expect(WORKS).id;
    for subject in ["marta", "ilya"] {
        let key = FactKey::one(subject, "drink");
        store.record(&agent(), &fact("prefers tea").about(key), at(2)).expect(WORKS);
    }
    assert_eq!(store.settle(at(3)).expect(WORKS).duplicates, 0);
    let group = access(SessionKind::Shared, Actor::Agent);
    let rows = store.snapshot(&group, 9, at(4)).expect(WORKS);
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [shared]);
}

/// A fact that a human typed, confirmed or pinned is retired by nobody else. (FA-04)
pub fn protects(store: &dyn Facts) {
    let typed = NewMemory::new(categories::PERSONALIZATION, "Prefers weekly charts", Source::UserManual);
    let typed = store.write(&human(), &typed, at(0)).expect(WORKS);
    let confirmed = record(store, "Lives in Lisbon", 0);
    let pinned = record(store, "Reports are due on Fridays", 0);
    let newer = record(store, "Prefers daily charts", 1);
    store.settle(at(1)).expect(WORKS);
    assert!(matches!(
        store.decide(&agent(), &Decision::confirm(confirmed), at(2)),
        Err(Error::Denied { .. })
    ));
    store.decide(&human(), &Decision::confirm(confirmed), at(2)).expect(WORKS);
    assert!(matches!(store.delete(&agent(), confirmed, at(2)), Err(Error::Denied { .. })));
    assert!(store.pin(&agent(), pinned, true, at(2)).expect(WORKS));
    for protected in [typed, confirmed, pinned] {
        for (actor, why) in
            [(Actor::Agent, "only the human retires it"), (Actor::Library, "consolidation is switched off")]
        {
            let whose = access(SessionKind::Main, actor);
            let supersede = Decision::supersede(protected, newer);
            assert_eq!(rule(store.decide(&whose, &supersede, at(3))), why);
            let reject = Decision::reject(protected);
            assert_eq!(rule(store.decide(&whose, &reject, at(3))), why);
            let duplicate = Decision::duplicate(newer, protected);
            assert_eq!(rule(store.decide(&whose, &duplicate, at(3))), why);
        }
    }
    let refused = store.decisions(&human(), 99).expect(WORKS);
    let refused = refused.iter().filter(|event| event.outcome == EventOutcome::Protected).count();
    assert_eq!(refused, 9, "each refusal is told");
    record(store, "prefers weekly charts", 4);
    assert_eq!(store.settle(at(5)).expect(WORKS).duplicates, 1, "what was typed says it already");
    assert_eq!(state(store, typed), FactState::Candidate);
    store.decide(&human(), &Decision::supersede(confirmed, newer), at(6)).expect(WORKS);
    assert_eq!(state(store, confirmed), FactState::Superseded, "their own word is theirs to change");
}

/// A superseded fact leaves every list and stays in the history; each decision is reverted. (BX-16, FA-10)
pub fn supersedes(store: &dyn Facts) {
    let home = |text: &str, from| fact(text).about(FactKey::one("Marta", "home")).valid_from(at(from));
    let lisbon = store.record(&agent(), &home("Marta lives in Lisbon", -900), at(0)).expect(WORKS);
    assert!(lisbon.suspects.is_empty());
    let porto = store.record(&agent(), &home("Marta lives in Porto", -30), at(1)).expect(WORKS);
    assert_eq!(porto.suspects[0].id, lisbon.id);
    assert_eq!(porto.suspects[0].reason, SuspectReason::SameKey);
    let pair = &store.suspicions(&agent(), 9).expect(WORKS)[0];
    assert_eq!((pair.older.memory.id, pair.newer.memory.id), (lisbon.id, porto.id));

    let decided = store.decide(&agent(), &Decision::supersede(lisbon.id, porto.id), at(2)).expect(WORKS);
    assert_eq!(found(store, "Where does Marta live?"), [porto.id]);
    assert_eq!(prompt(store, 3), ["Marta lives in Porto"]);
    assert!(store.get(&agent(), lisbon.id).expect(WORKS).is_none());
    let listed = store.list(&agent(), &Filter::limit(9)).expect(WORKS);
    assert_eq!(listed.iter().map(|row| row.id).collect::<Vec<_>>(), [porto.id]);
    let old = store.fact(&agent(), lisbon.id).expect(WORKS).expect(WORKS);
    assert_eq!(old.memory.content, "Marta lives in Lisbon", "no word of it was rewritten");
    assert_eq!(old.status.valid_until, Some(at(-30)), "it was true until the newer one is");
    assert_eq!(old.status.retired_at, Some(at(2)), "and known to be until then");
    for id in [lisbon.id, porto.id] {
        let history = store.history(&agent(), id).expect(WORKS);
        let ids: Vec<_> = history.iter().map(|fact| fact.memory.id).collect();
        assert_eq!(ids, [lisbon.id, porto.id]);
    }
    assert!(store.suspicions(&agent(), 9).expect(WORKS).is_empty());
    let outdated = store.decide(&agent(), &Decision::supersede(lisbon.id, porto.id), at(3));
    assert_eq!(
        rule(outdated),
        "it is not in the state that the decision needs",
        "a second decision is refused"
    );
    let told = store.decisions(&agent(), 1).expect(WORKS);
    let told: Vec<_> = told.iter().map(|event| (event.outcome, event.older)).collect();
    assert_eq!(told, [(EventOutcome::Outdated, Some(lisbon.id))], "and the latest that is told");

    let reverted = store.revert(&agent(), decided.id, at(4)).expect(WORKS);
    assert_eq!(reverted.reverts, Some(decided.id));
    assert_eq!(found(store, "Where does Marta live?").len(), 2);
    assert_eq!(store.suspicions(&agent(), 9).expect(WORKS).len(), 1, "nobody has decided again");
    store.revert(&agent(), reverted.id, at(5)).expect(WORKS);
    assert_eq!(found(store, "Where does Marta live?"), [porto.id], "and a reversal is reverted too");
}

/// Checks that the last decision of a chain of values is reverted first. The first alone would leave two that count, or
/// none.
pub fn links(store: &dyn Facts) {
    let home = |city: &str, minute| {
        let new = fact(&format!("Marta lives in {city}")).about(FactKey::one("Marta", "home"));
        store.record(&agent(), &new, at(minute)).expect(WORKS).id
    };
    let standing = || {
        let listed = store.list(&agent(), &Filter::limit(9)).expect(WORKS);
        listed.into_iter().rev().map(|row| row.id).collect::<Vec<_>>()
    };
    let [lisbon, porto, turin] = [home("Lisbon", 0), home("Porto", 1), home("Turin", 2)];
    let decide = |older, newer, minute| {
        store.decide(&agent(), &Decision::supersede(older, newer), at(minute)).expect(WORKS).id
    };
    let refused = |event, by: EventId, minute| {
        let refused = store.revert(&agent(), event, at(minute));
        let is_named = matches!(refused, Err(Error::DecidedSince { decision, .. }) if decision == by.get());
        assert!(is_named, "{refused:?} names {by}");
    };
    let (first, second) = (decide(lisbon, porto, 3), decide(porto, turin, 4));
    assert_eq!(standing(), [turin]);
    refused(first, second, 5);
    assert_eq!(standing(), [turin], "nothing was changed");
    let back = store.revert(&agent(), second, at(6)).expect(WORKS).id;
    store.revert(&agent(), back, at(7)).expect(WORKS);
    refused(first, second, 8);
    store.revert(&agent(), second, at(9)).expect(WORKS);
    let back = store.revert(&agent(), first, at(10)).expect(WORKS).id;
    assert_eq!(standing(), [lisbon, porto, turin], "from the last to the first");
    let other = decide(porto, lisbon, 11);
    refused(back, other, 12);
    assert_eq!(standing(), [lisbon, turin], "else neither of the first two would count");
}

/// A statement without a key is suspected by its words, and siblings are not.
pub fn suspects(store: &dyn Facts) {
    let weekly = record(store, "The user prefers weekly charts", 0);
    let daily = store.record(&agent(), &fact("The user prefers daily charts"), at(1)).expect(WORKS);
    assert_eq!((daily.suspects[0].id, daily.suspects[0].reason), (weekly, SuspectReason::Alike));
    let tools = |text: &str| fact(text).about(FactKey::many("project", "tool"));
    store.record(&agent(), &tools("The project uses Bun for its tests"), at(2)).expect(WORKS);
    let node = store.record(&agent(), &tools("The project uses Node for its tests"), at(3)).expect(WORKS);
    assert_eq!(node.suspects, [], "a project has many tools");
    let group = access(SessionKind::Shared, Actor::Agent);
    let theirs = store.record(&group, &fact("The user prefers monthly charts").shared(), at(4)).expect(WORKS);
    assert_eq!(theirs.suspects, [], "private rows are not told of");
    assert_eq!(store.suspicions(&agent(), 99).expect(WORKS).len(), 3, "and kept for those who may know");
    let rows = ["The ferry leaves Porto at nine", "The ferry leaves Porto at ten"].map(fact);
    store.write_all(&agent(), &rows, at(5)).expect(WORKS);
    assert_eq!(store.suspicions(&agent(), 99).expect(WORKS).len(), 4, "rows of one step, too");
    // Of a short statement only one word may stay the same.
    let mut minute = 6;
    let mut doubts = |text: &str| {
        minute += 1;
        store.record(&agent(), &fact(text), at(minute)).expect(WORKS).suspects.len()
    };
    for (text, doubted) in [
        ("The office is in Oslo.", 0),
        ("The office is in Bergen now.", 1),
        ("The office is in Oslo again.", 2),
        ("The office closes at noon on Fridays.", 0),
        ("The limit is 4096.", 0),
        ("The limit is 8192.", 1),
        ("Hạn nộp bài là thứ Ba.", 0),
        ("Hạn nộp bài là thứ Sáu.", 1),
        ("Toplantı salonu ikinci katta.", 0),
        ("Toplantı salonu beşinci katta.", 1),
        ("המשרד נמצא בעיר חיפה.", 0),
        ("המשרד נמצא בעיר אילת.", 1),
        ("2026-11-03: The boat lies in Porto.", 0),
        ("2026-11-12: The boat lies in Faro.", 1),
        ("We use Vim.", 0),
        ("We use Git.", 0),
    ] {
        assert_eq!(doubts(text), doubted, "{text}");
    }
}

/// Disputed facts are both found until somebody knows.
pub fn disputes(store: &dyn Facts) {
    let (one, other) =
        (record(store, "The key is under the mat", 0), record(store, "The key is in the pot", 1));
    store.settle(at(1)).expect(WORKS);
    store.decide(&agent(), &Decision::dispute(one, other), at(2)).expect(WORKS);
    assert_eq!([one, other].map(|id| state(store, id)), [FactState::Disputed; 2]);
    assert_eq!(found(store, "key").len(), 2);
    store.decide(&agent(), &Decision::coexist(one, other), at(3)).expect(WORKS);
    assert_eq!([one, other].map(|id| state(store, id)), [FactState::Candidate; 2]);
    store.decide(&agent(), &Decision::dispute(one, other), at(4)).expect(WORKS);
    store.decide(&agent(), &Decision::supersede(one, other), at(5)).expect(WORKS);
    assert_eq!([one, other].map(|id| state(store, id)), [FactState::Superseded, FactState::Candidate]);
}

/// A rejected fact does not come back by being said again.
pub fn rejects(store: &dyn Facts) {
    let wrong = record(store, "Marta is allergic to nuts", 0);
    store.settle(at(0)).expect(WORKS);
    store.decide(&human(), &Decision::reject(wrong).because("she is not"), at(1)).expect(WORKS);
    record(store, "marta is allergic to nuts!", 2);
    assert_eq!(store.settle(at(3)).expect(WORKS).duplicates, 1);
    assert!(found(store, "allergic").is_empty());
    assert!(prompt(store, 4).is_empty());
}

/// A settled fact is not rewritten, and can be deleted and restored. (FA-10)
pub fn rewrites(store: &dyn Facts) {
    let id = record(store, "The ferry leaves at nine", 0);
    assert!(
        store.update(&agent(), id, "The ferry leaves at ten", at(0)).expect(WORKS),
        "nothing was settled yet"
    );
    store.settle(at(1)).expect(WORKS);
    let rewritten = store.update(&agent(), id, "The ferry leaves at eight", at(2));
    assert!(matches!(rewritten, Err(Error::Config { setting: "content", .. })), "{rewritten:?}");
    assert!(store.delete(&agent(), id, at(3)).expect(WORKS));
    assert!(store.fact(&agent(), id).expect(WORKS).is_none());
    assert!(store.restore(&agent(), id, at(4)).expect(WORKS));
    assert_eq!(state(store, id), FactState::Candidate);
}

/// Decisions are those of a main session of the scope.
pub fn scopes(store: &dyn Facts) {
    let id = record(store, "Drinks tea", 0);
    let other = Access::human(Scope::user("ilya"));
    for whose in
        [other, access(SessionKind::Shared, Actor::Human), access(SessionKind::Subagent, Actor::Agent)]
    {
        let refused = store.decide(&whose, &Decision::reject(id), at(1));
        assert!(matches!(refused, Err(Error::Denied { .. })), "{refused:?}");
        assert!(store.decisions(&whose, 9).is_err() && store.suspicions(&whose, 9).is_err());
        assert!(
            store.fact(&whose, id).expect(WORKS).is_none()
                && store.history(&whose, id).expect(WORKS).is_empty()
        );
    }
    let missing = store.decide(&agent(), &Decision::reject(MemoryId::new(77)), at(1));
    assert!(matches!(missing, Err(Error::NotFound { .. })), "{missing:?}");
    let itself = store.decide(&agent(), &Decision::supersede(id, id), at(1));
    assert_eq!(rule(itself), "it is not in the state that the decision needs");
}

/// Reasons of decisions hold no secret.
pub fn reasons(store: &dyn Facts) {
    let id = record(store, "Drinks tea", 0);
    let decision = Decision::reject(id).because("the key AKIAIOSFODNN7EXAMPLE says so");
    store.decide(&agent(), &decision, at(1)).expect(WORKS);
    let reason = store.decisions(&agent(), 1).expect(WORKS).remove(0).reason.expect(WORKS);
    assert!(reason.contains("[REDACTED:") && !reason.contains("AKIA"), "{reason}");
}

/// Checks that only the current one is delivered of twenty subjects with three generations each. (BX-16)
pub fn chains(store: &dyn Facts) {
    let cities = ["Lisbon", "Porto", "Faro"];
    let mut chains = Vec::new();
    for subject in 0..20 {
        let mut ids: Vec<MemoryId> = Vec::new();
        for (generation, city) in (0_i64..).zip(cities) {
            for filler in 0..5 {
                let text = format!("Keeper {subject} counted {filler} boats in {city} that day");
                let row = NewMemory::new(categories::OBSERVATION, text, Source::AgentRecorded);
                store.write(&agent(), &row, at(generation * 100 + subject)).expect(WORKS);
            }
            let key = FactKey::one(format!("keeper {subject}"), "home");
            let text = format!("Keeper {subject} lives in {city} with the lantern");
            let recorded =
                store.record(&agent(), &fact(&text).about(key), at(generation * 100 + subject)).expect(WORKS);
            if let Some(before) = ids.last() {
                assert_eq!(recorded.suspects[0].id, *before);
                store
                    .decide(&agent(), &Decision::supersede(*before, recorded.id), at(generation * 100))
                    .expect(WORKS);
            }
            ids.push(recorded.id);
        }
        chains.push(ids);
    }
    let told: Vec<MemoryId> =
        store.snapshot(&agent(), 999, at(999)).expect(WORKS).iter().map(|row| row.id).collect();
    for (subject, chain) in chains.iter().enumerate() {
        let hits = found(store, &format!("Where does keeper {subject} live, with the lantern?"));
        assert_eq!(hits[0], chain[2], "subject {subject}");
        assert!(!hits.contains(&chain[0]) && !hits.contains(&chain[1]));
        assert!(told.contains(&chain[2]) && !told.contains(&chain[0]) && !told.contains(&chain[1]));
        for id in chain {
            let history: Vec<_> =
                store.history(&agent(), *id).expect(WORKS).iter().map(|fact| fact.memory.id).collect();
            assert_eq!(&history, chain);
        }
    }
}
