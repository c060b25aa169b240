//! Facts on both stores: what settles, what is suspected, what replaces what, and who may decide it.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::facts::{Decision, EventOutcome, FactKey, FactState};
use noctuary::format::Origin;
use noctuary::memory::{Filter, MemoryEvent, MemoryId, MemoryObserver, NewMemory, Query, Source, categories};
use noctuary::store::StoreConfig;
use noctuary::testing::contract::fact::{self as contract, Facts as Store};
use noctuary::{Access, Actor, Error, Scope, SessionKind};
use noctuary_tests::common::backends;
use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::marta::{access, agent, human};
use noctuary_tests::open_store;

fn at(minute: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap() + TimeDelta::minutes(minute)
}

fn fact(content: &str) -> NewMemory {
    NewMemory::new(categories::FACT, content, Source::AgentRecorded)
}

fn open(folder: &Path, config: &StoreConfig) -> Vec<Arc<dyn Store>> {
    backends().map(|backend| open_store!(backend, folder, Scope::user("marta"), config.clone())).collect()
}

/// Runs a test on each store.
fn each(test: impl Fn(&dyn Store)) {
    each_with(&StoreConfig::default(), test);
}

fn each_with(config: &StoreConfig, test: impl Fn(&dyn Store)) {
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

fn found(store: &dyn Store, text: &str) -> Vec<MemoryId> {
    store.search(&agent(), &Query::new(text)).unwrap().hits.into_iter().map(|hit| hit.memory.id).collect()
}

fn rule<T: std::fmt::Debug>(answer: Result<T, Error>) -> &'static str {
    match answer {
        Err(Error::Undecided { rule, .. }) => rule,
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_stores_keep_the_whole_contract() {
    let made = std::cell::RefCell::new(Vec::new());
    for backend in 0..open(tempfile::tempdir().unwrap().path(), &StoreConfig::default()).len() {
        contract::facts(&|| {
            let folder = tempfile::tempdir().unwrap();
            let store = open(folder.path(), &StoreConfig::default()).remove(backend);
            made.borrow_mut().push(folder);
            store
        });
    }
}

#[test]
fn in_shadow_mode_decisions_are_told_and_change_nothing_but_the_humans() {
    let mut config = StoreConfig::default();
    config.facts.shadow = true;
    each_with(&config, |store| {
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

/// MS-22
#[test]
fn so_many_facts_are_retired_in_a_day_and_no_more() {
    let mut config = StoreConfig::default();
    config.facts.consolidation = true;
    config.facts.max_retired_a_day = 2;
    each_with(&config, |store| {
        let ids: Vec<_> = (0..5).map(|row| record(store, &format!("boat number {row} is blue"), 0)).collect();
        store.settle(at(1)).unwrap();
        let reject =
            |whose: Access, row: usize, minute| store.decide(&whose, &Decision::reject(ids[row]), at(minute));
        reject(agent(), 0, 2).unwrap();
        reject(access(SessionKind::Main, Actor::Library), 1, 3).unwrap();
        assert_eq!(rule(reject(agent(), 2, 4)), "the limit of retired rows a day is reached");
        reject(human(), 2, 5).unwrap();
        assert_eq!(rule(reject(agent(), 3, 24 * 60)), "the limit of retired rows a day is reached");
        reject(agent(), 3, 24 * 60 + 4).unwrap();
        let latest = store.decisions(&agent(), 1).unwrap();
        assert_eq!(latest[0].outcome, EventOutcome::Applied);
    });
}

#[derive(Debug, Default)]
struct Ears(std::sync::Mutex<Vec<&'static str>>);

impl MemoryObserver for Ears {
    fn event(&self, event: &MemoryEvent) {
        self.0.lock().unwrap().push(event.name.as_str());
    }
}

#[test]
fn recording_and_retiring_are_told() {
    let ears = Arc::new(Ears::default());
    let mut config = StoreConfig::default();
    config.observer = Some(ears.clone());
    each_with(&config, |store| {
        let id = record(store, "Drinks tea", 0);
        assert_eq!(store.fact(&agent(), id).unwrap().unwrap().memory.source, Some(Source::AgentRecorded));
        store.settle(at(1)).unwrap();
        let rejected = store.decide(&agent(), &Decision::reject(id), at(1)).unwrap();
        store.revert(&agent(), rejected.id, at(2)).unwrap();
        let heard = std::mem::take(&mut *ears.0.lock().unwrap());
        assert_eq!(heard, ["memory:written", "fact:recorded", "fact:retired", "fact:returned"]);
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
    let decided: Vec<_> = open(folder.path(), &StoreConfig::default())
        .iter()
        .map(|store| {
            let (one, other) =
                (record(store.as_ref(), "Drinks tea", 0), record(store.as_ref(), "Drinks coffee", 1));
            let event = store.decide(&agent(), &Decision::supersede(one, other), at(2)).unwrap();
            (one, other, event)
        })
        .collect();
    for (store, (one, other, event)) in open(folder.path(), &StoreConfig::default()).iter().zip(decided) {
        assert_eq!(store.decisions(&agent(), 9).unwrap(), std::slice::from_ref(&event));
        assert_eq!(found(store.as_ref(), "drinks"), [other]);
        assert_eq!(store.history(&agent(), other).unwrap()[0].memory.id, one);
        store.revert(&agent(), event.id, at(3)).unwrap();
        assert_eq!(found(store.as_ref(), "drinks").len(), 2);
    }
}

/// CF-10
#[test]
fn a_pass_with_a_model_decides_only_where_it_is_switched_on() {
    let library = || access(SessionKind::Main, Actor::Library);
    each(|store| {
        let id = record(store, "Drinks tea", 0);
        let refused = store.decide(&library(), &Decision::reject(id), at(1));
        assert_eq!(rule(refused), "consolidation is switched off");
        assert!(store.decisions(&agent(), 9).unwrap().is_empty(), "off means that nothing is written");
        assert!(store.decide(&agent(), &Decision::reject(id), at(1)).is_ok());
    });
    let of = |pairs: &'static [(&str, &str)]| {
        StoreConfig::from_env(move |name| {
            pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    };
    let off = of(&[]).unwrap().facts;
    assert_eq!((off.consolidation, off.guidance), (false, None));
    let on = of(&[
        ("MEMORY_CONSOLIDATION_ENABLED", "true"),
        ("MEMORY_CONSOLIDATION_GUIDANCE", " Prefer what is newer. "),
    ]);
    let on = on.unwrap().facts;
    assert_eq!((on.consolidation, on.guidance.as_deref()), (true, Some("Prefer what is newer.")));
    let long = "x".repeat(1001);
    let long = StoreConfig::from_env(|name| (name == "MEMORY_CONSOLIDATION_GUIDANCE").then(|| long.clone()));
    assert!(matches!(long, Err(Error::Config { setting: "MEMORY_CONSOLIDATION_GUIDANCE", .. })), "{long:?}");
    let odd = of(&[("MEMORY_CONSOLIDATION_ENABLED", "perhaps")]);
    assert!(matches!(odd, Err(Error::Config { setting: "MEMORY_CONSOLIDATION_ENABLED", .. })), "{odd:?}");
}

#[test]
fn the_database_itself_keeps_what_is_protected() {
    use noctuary::facts::FactStore;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let store = noctuary::SqliteMemoryStore::open(&path, Scope::user("marta")).unwrap();
    let typed = NewMemory::new(categories::PERSONALIZATION, "Prefers weekly charts", Source::UserManual);
    let typed = noctuary::MemoryStore::write(&store, &human(), &typed, at(0)).unwrap();
    let free = record(&store, "Prefers daily charts", 0);
    let stock = rusqlite::Connection::open(&path).unwrap();
    let retire = |id: MemoryId| {
        stock.execute("UPDATE memories SET retired_at = datetime('now') WHERE id = ?1", [id.get()])
    };
    assert!(retire(typed).unwrap_err().to_string().contains("only the human"));
    assert_eq!(retire(free).unwrap(), 1);
    store.decide(&human(), &Decision::reject(typed), at(1)).unwrap();
    assert_eq!(state(&store, typed), FactState::Rejected);
}

#[test]
fn what_a_dream_promoted_gives_way_to_what_was_recorded() {
    each(|store| {
        let dream = noctuary::format::DreamId::parse("0f3a9c5be2d14477").unwrap();
        let dreamed = NewMemory::new(categories::FACT, "Drinks tea", Source::Dreamed).of_dream(dream);
        let dreamed = store.write(&access(SessionKind::Main, Actor::Library), &dreamed, at(0)).unwrap();
        store.settle(at(1)).unwrap();
        let recorded = record(store, "drinks tea.", 2);
        assert_eq!(store.settle(at(3)).unwrap().duplicates, 1);
        assert_eq!(found(store, "tea"), [recorded]);
        assert!(store.delete(&access(SessionKind::Main, Actor::Library), dreamed, at(4)).unwrap());
        assert_eq!(found(store, "tea"), [recorded], "the dream was undone, and what was recorded stands");
    });
}

// A row that a session may not read, told by what a shared one became, and by the room that it took.
#[test]
fn a_session_with_others_learns_nothing_of_private_rows() {
    each(|store| {
        let group = access(SessionKind::Shared, Actor::Agent);
        let shared = |content: &str| store.record(&agent(), &fact(content).shared(), at(0)).unwrap().id;
        let (first, last) = (shared("Meets at the old harbour"), shared("Meets at the lighthouse"));
        let private = record(store, "Meets at the doctor", 1);
        store.settle(at(2)).unwrap();
        store.decide(&agent(), &Decision::supersede(first, private), at(3)).unwrap();
        let seen = store.fact(&group, first).unwrap().unwrap();
        assert_eq!((seen.status.state, seen.status.successor), (FactState::Superseded, None));
        assert_eq!(store.fact(&agent(), first).unwrap().unwrap().status.successor, Some(private));
        store.decide(&agent(), &Decision::supersede(private, last), at(4)).unwrap();
        let history = |access: &Access, id| -> Vec<_> {
            store.history(access, id).unwrap().into_iter().map(|fact| fact.memory.id).collect()
        };
        assert_eq!(history(&agent(), private), [first, last, private]);
        assert!(history(&group, private).is_empty(), "as of a row that is not there");
        assert_eq!((history(&group, first), history(&group, last)), (vec![first], vec![last]));

        let alike: Vec<_> = (0..5).map(|at| shared(&format!("The blue boat leaves at {at} sharp"))).collect();
        for at in 5..25 {
            record(store, &format!("The blue boat leaves at {at} sharp"), 0);
        }
        let told = store.record(&group, &fact("The blue boat leaves at noon sharp").shared(), at(5)).unwrap();
        let mut ids: Vec<_> = told.suspects.iter().map(|suspect| suspect.id).collect();
        ids.sort_unstable();
        assert_eq!(ids, alike, "as many as if nothing else were there");
    });
}

// Only content and category went through the door.
#[test]
fn what_a_fact_is_about_comes_in_by_the_same_door() {
    each(|store| {
        for key in
            [FactKey::one("AKIAIOSFODNN7EXAMPLE", "home"), FactKey::many("marta", "AKIAIOSFODNN7EXAMPLE")]
        {
            let refused = store.record(&agent(), &fact("Lives in Lisbon").about(key), at(0));
            assert!(matches!(refused, Err(Error::Stopped { .. })), "{refused:?}");
        }
        let long = FactKey::one("marta", "home ".repeat(9999));
        let refused = store.record(&agent(), &fact("Lives in Lisbon").about(long), at(0));
        assert!(matches!(refused, Err(Error::TooLarge { .. })), "{refused:?}");
    });
}

// A button "delete this memory" that was given a row typed as a lesson: the person deletes it, and nobody else.
#[test]
fn what_a_person_typed_under_another_category_they_can_delete_and_reject() {
    each(|store| {
        let typed = NewMemory::new(categories::LESSON, "Buses are late on Mondays", Source::UserManual);
        let id = store.write(&human(), &typed, at(0)).unwrap();
        for actor in [Actor::Agent, Actor::Library] {
            let deleted = store.delete(&access(SessionKind::Main, actor), id, at(1));
            assert!(matches!(deleted, Err(Error::Denied { .. })), "{actor:?}: {deleted:?}");
        }
        assert!(store.delete(&human(), id, at(1)).unwrap());
        assert_eq!(found(store, "late buses"), []);
        assert!(store.restore(&human(), id, at(1)).unwrap());
        assert_eq!(found(store, "late buses"), [id]);
        store.decide(&human(), &Decision::reject(id), at(2)).unwrap();
        assert_eq!(found(store, "late buses"), []);
        assert_eq!(store.list(&agent(), &Filter::limit(9)).unwrap(), []);
    });
}

// The value that took the place of a deleted one counted beside it once that was restored, and nobody was told.
#[test]
fn a_value_is_not_restored_beside_another_one_that_counts() {
    each(|store| {
        let key = FactKey::one("office", "city");
        let of = |city: &str| {
            let text = format!("The office is in {city}");
            NewMemory::new(categories::FACT, text, Source::UserManual).about(key.clone())
        };
        let oslo = store.replace(&human(), &of("Oslo"), at(0)).unwrap().id;
        assert!(store.delete(&human(), oslo, at(1)).unwrap());
        let mut deleted = Filter::limit(9);
        deleted.deleted = true;
        let listed = |access: &Access| {
            store.list(access, &deleted).unwrap().into_iter().map(|row| row.id).collect::<Vec<_>>()
        };
        assert_eq!(listed(&human()), [oslo]);
        assert_eq!(listed(&access(SessionKind::Shared, Actor::Human)), []);

        let bergen = store.replace(&human(), &of("Bergen"), at(2)).unwrap().id;
        let refused = store.restore(&human(), oslo, at(3)).unwrap_err().to_string();
        let wanted = format!(
            "cannot restore memories/{oslo}: memories/{bergen} says the same property now; delete memories/{bergen} first, or correct it"
        );
        assert_eq!(refused, wanted);
        assert_eq!(listed(&human()), [oslo]);
        let values = store.values(&human(), &key).unwrap();
        assert_eq!(values.iter().map(|fact| fact.memory.id).collect::<Vec<_>>(), [bergen]);

        // What says the same, or is known as a pair, may stand beside it.
        assert!(store.delete(&human(), bergen, at(4)).unwrap());
        assert!(store.restore(&human(), oslo, at(5)).unwrap());
        let lisbon = store.record(&human(), &of("Lisbon"), at(6)).unwrap();
        assert!(store.delete(&human(), oslo, at(7)).unwrap());
        assert!(store.restore(&human(), oslo, at(8)).unwrap());
        assert_eq!(store.suspicions(&human(), 9).unwrap().len(), 1);
        store.decide(&human(), &Decision::coexist(oslo, lisbon.id), at(9)).unwrap();
        assert!(store.delete(&human(), oslo, at(10)).unwrap());
        assert!(store.restore(&human(), oslo, at(11)).unwrap(), "a person let both stand");
    });
}

#[test]
fn what_the_human_pinned_the_agent_deletes_when_they_let_it_go() {
    each(|store| {
        let id = record(store, "Marta lives in Porto", 0);
        assert!(store.pin(&human(), id, true, at(1)).unwrap());
        let deleted = store.delete(&agent(), id, at(2));
        assert!(matches!(deleted, Err(Error::Denied { .. })), "{deleted:?}");
        assert_eq!(found(store, "Porto"), [id]);
        assert!(store.pin(&human(), id, false, at(3)).unwrap());
        assert!(store.delete(&agent(), id, at(4)).unwrap());
        assert!(store.restore(&agent(), id, at(5)).unwrap());
    });
}

// A label says nothing, and nobody speaks for another.
#[test]
fn two_people_of_a_group_contradict_nobody_but_themselves() {
    each(|store| {
        let say = |who: &str, text: &str, minute: i64| {
            let content = format!("2026-11-20: {who}: Remember: {text}");
            let mut fact = fact(&content);
            fact.origin = Some(Origin::Participant(who.to_owned()));
            store.record(&agent(), &fact, at(minute)).unwrap()
        };
        assert_eq!(say("Ana", "I am allergic to hazelnuts.", 0).suspects, []);
        let room = say("Ana", "the hall is booked for Sunday.", 1);
        assert_eq!(room.suspects, [], "it is about something else");
        assert_eq!(say("İlker", "the hall is booked for Monday.", 2).suspects, [], "another one says it");
        let again = say("Ana", "the hall is booked for Monday.", 3).suspects;
        assert_eq!(again.iter().map(|suspect| suspect.id).collect::<Vec<_>>(), [room.id]);
    });
}

// Words that are in more rows than are listed for one: what is suspected then is what is in the latest of them.
#[test]
#[ignore = "sweep"]
fn rows_of_frequent_words_have_the_same_suspects_in_both_stores() {
    let words = [
        "user",
        "prefers",
        "lives",
        "Lisbon",
        "tea",
        "coffee",
        "chess",
        "Sundays",
        "ferry",
        "nine",
        "O'Brien's",
        "C++",
        "weekly",
        "charts",
        "don't",
        "won",
        "café",
        "10:30",
    ];
    let mut dice = Dice(5);
    let mut roll = |bound: usize| dice.below(bound);
    let rows: Vec<NewMemory> = (0..900)
        .map(|number| {
            let length = 2 + roll(6);
            let mut text: Vec<&str> = (0..length).map(|_| words[roll(words.len())]).collect();
            let own = format!("thing{}", number / 3);
            text.push(&own);
            fact(&text.join(" "))
        })
        .collect();
    let (first, later) = rows.split_at(600);
    let folder = tempfile::tempdir().unwrap();
    let told = open(folder.path(), &StoreConfig::default()).into_iter().map(|store| {
        assert!(store.write_all(&agent(), first, at(0)).unwrap().iter().all(Result::is_ok));
        store.settle(at(1)).unwrap();
        for id in [3, 299, 590, 600] {
            store.delete(&agent(), MemoryId::new(id), at(2)).unwrap();
        }
        store.restore(&agent(), MemoryId::new(299), at(3)).unwrap();
        for row in later {
            store.record(&agent(), row, at(4)).unwrap();
        }
        let pairs = store.suspicions(&agent(), usize::MAX).unwrap().into_iter();
        pairs.map(|pair| (pair.newer.memory.id, pair.older.memory.id)).collect::<Vec<_>>()
    });
    let told: Vec<_> = told.collect();
    assert!(told[0].len() > 900, "{}", told[0].len());
    assert_eq!(told[0], told[1]);
}

// A name of two frequent words was found among a thousand others, and must be.
#[test]
#[ignore = "sweep"]
fn a_statement_with_one_rare_word_is_suspected_however_many_rows_have_the_others() {
    each(|store| {
        let old = record(store, "Ilya moors the Brisk in Porto", 0);
        let rows: Vec<NewMemory> =
            (0..600).map(|at| fact(&format!("Ilya moors boat{at} in Porto beside pier{at}"))).collect();
        store.write_all(&agent(), &rows, at(1)).unwrap();
        let told = store.record(&agent(), &fact("Ilya moors the Brisk in Lagos"), at(2)).unwrap();
        assert!(told.suspects.iter().any(|suspect| suspect.id == old), "{:?}", told.suspects);
    });
}
