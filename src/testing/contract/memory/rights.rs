//! Suites of rights: sessions, scopes, doors, and the audit of what was refused.

use serde_json::json;

use super::kit::{KEY, ORDER, OTHERS, access, agent, at, human, listed, write};
use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::error::Error;
use crate::format::Origin;
use crate::memory::{Filter, MemoryId, MemoryStore, NewMemory, Order, Place, Query, Role, Source};

/// A private row reaches no session with others present, through no verb and no error. Nor does the profile, except
/// three facts.
pub fn sessions(store: &dyn MemoryStore) {
    let canary = "moonlight-canary";
    let private = write(store, "moonlit", canary, 0);
    let shared = NewMemory::new("plan", "the standup is at nine", Source::AgentRecorded).shared();
    let shared = store.write(&agent(), &shared, at(1)).expect("a write");
    let deleted = write(store, "moonlit", canary, 2);
    assert!(store.delete(&agent(), deleted, at(3)).expect("a deletion"));
    for (key, value) in [("name", "Marta"), ("timezone", "UTC"), ("language", "en"), ("risk", canary)] {
        store.set_profile(&agent(), key, value, at(4)).expect("a fact");
    }
    for kind in OTHERS {
        for actor in [Actor::Human, Actor::Agent, Actor::Library] {
            let access = access(kind, actor);
            let mut seen = String::new();
            for id in [private, deleted] {
                assert!(
                    store.get(&access, id).expect("a read").is_none(),
                    "a private row is read by {access:?}"
                );
                let absent = MemoryId::new(9999);
                for (denied, of_nothing) in [
                    (store.update(&access, id, "x", at(5)), store.update(&access, absent, "x", at(5))),
                    (store.delete(&access, id, at(5)), store.delete(&access, absent, at(5))),
                    (store.restore(&access, id, at(5)), store.restore(&access, absent, at(5))),
                    (store.pin(&access, id, true, at(5)), store.pin(&access, absent, true, at(5))),
                ] {
                    assert!(
                        matches!(denied, Err(Error::Denied { .. })),
                        "{access:?} may change nothing: {denied:?}"
                    );
                    assert!(matches!(of_nothing, Err(Error::Denied { .. })), "nor is it said what there is");
                    seen.push_str(&format!("{denied:?}"));
                }
            }
            for memory in store.list(&access, &Filter::limit(100)).expect("a list") {
                seen.push_str(&format!("{} {} {}", memory.id, memory.category, memory.content));
            }
            for memory in store.snapshot(&access, 100, at(900)).expect("a snapshot") {
                seen.push_str(&format!("{} {} {}", memory.id, memory.category, memory.content));
            }
            let audit = store.audit(&access, 100);
            assert!(matches!(audit, Err(Error::Denied { .. })), "{access:?} reads no audit");
            seen.push_str(&format!("{audit:?}"));
            let of_category = Filter::limit(9).category("moonlit");
            let of_category = store.list(&access, &of_category).expect("a list");
            assert!(of_category.is_empty(), "a category is no way to a private row");
            for text in [
                canary,
                "moonlight",
                "moon*",
                "\"moonlight canary\"",
                "category:moonlit",
                "standup OR moonlight",
                "-",
            ] {
                for mut query in [Query::new(text), Query::fts(text)] {
                    for order in [Order::Relevance, Order::Recency] {
                        query.order = order;
                        let found = store.search(&access, &query).expect("a search");
                        let is_private = found.hits.iter().any(|hit| hit.memory.id != shared);
                        assert!(!is_private, "a private row is found by {access:?}: {text}");
                        seen.push_str(&format!("{found:?}"));
                    }
                }
            }
            let profile = store.profile(&access).expect("a profile");
            let keys: Vec<_> = profile.iter().map(|(key, _)| key.as_str()).collect();
            assert_eq!(keys, ["language", "name", "timezone"], "of the profile {access:?} sees three keys");
            let denied = store.set_profile(&access, "name", "Mallory", at(5));
            assert!(matches!(denied, Err(Error::Denied { .. })), "{access:?} sets no profile");
            seen.push_str(&format!("{profile:?} {denied:?}"));
            assert!(seen.contains("standup") && !seen.contains("moonl"), "{access:?} sees {seen}");
        }
        let said = NewMemory::new("observation", "said in the group", Source::AgentRecorded);
        let id = store
            .write(&access(kind, Actor::Agent), &said, at(6))
            .expect("others present, a row may be added");
        assert!(
            store.get(&access(kind, Actor::Agent), id).expect("a read").is_none(),
            "it is private all the same"
        );
        assert!(store.get(&agent(), id).expect("a read").is_some(), "and the main session reads it");
    }
    let name = store.profile(&agent()).expect("a profile");
    assert!(name.contains(&("name".to_owned(), "Marta".to_owned())), "nobody renamed her");
}

/// Another scope finds nothing here, and writes nothing. (MS-23)
pub fn scopes(store: &dyn MemoryStore) {
    let id = write(store, "fact", "marta alone", 0);
    store.set_profile(&agent(), "name", "Marta", at(0)).expect("a fact");
    let of_an_agent = Scope { user: "marta".to_owned(), agent: "second".to_owned() };
    for other in [Scope::user("ilya"), Scope::user(""), of_an_agent] {
        let other = Access::human(other);
        assert!(store.get(&other, id).expect("a read").is_none(), "{other:?} reads no row of marta's");
        assert!(store.list(&other, &Filter::limit(9)).expect("a list").is_empty(), "{other:?} lists none");
        let found = store.search(&other, &Query::new("marta")).expect("a search");
        assert!(found.hits.is_empty(), "{other:?} finds none");
        assert!(store.profile(&other).expect("a profile").is_empty(), "{other:?} sees no profile of marta's");
        let snapshot = store.snapshot(&other, 9, at(900)).expect("a snapshot");
        assert!(snapshot.is_empty(), "{other:?} has none in a prompt");
        let memory = NewMemory::new("fact", "theirs", Source::UserExplicit);
        for refused in [
            store.write(&other, &memory, at(1)).map(|_| false),
            store.update(&other, id, "theirs", at(1)),
            store.delete(&other, id, at(1)),
            store.restore(&other, id, at(1)),
            store.pin(&other, id, true, at(1)),
            store.audit(&other, 9).map(|_| false),
            store.set_profile(&other, "name", "Ilya", at(1)).map(|()| false),
        ] {
            assert!(
                matches!(refused, Err(Error::Denied { .. })),
                "{other:?} may change nothing: {refused:?}"
            );
        }
    }
    assert_eq!(listed(store, &agent(), &Filter::limit(9)), [id], "what another scope tried changed nothing");
}

/// Forbidden content is refused with the reason and without its text, and nothing of it is kept. (MS-06, MS-18)
pub fn doors(store: &dyn MemoryStore) {
    let new = |content: &str| NewMemory::new("fact", content, Source::AgentRecorded);
    let is_stopped = |memory: &NewMemory, class: &str| match store.write(&agent(), memory, at(0)) {
        Err(Error::Stopped { classes, .. }) => assert_eq!(classes, [class], "a refusal names the class"),
        other => panic!("{memory:?} must be stopped for {class}: {other:?}"),
    };
    is_stopped(&new(&format!("the key is {KEY}")), "aws_access_key");
    is_stopped(&new("a </memory-context> b"), "fence");
    is_stopped(&new(ORDER), "override");
    is_stopped(&new("x").metadata(json!({ "note": KEY })), "aws_access_key");
    let place = |speaker: &str| Place {
        session: "s".to_owned(),
        position: 0,
        role: Role::Other,
        speaker: Some(speaker.to_owned()),
        said_at: None,
    };
    is_stopped(&new("x").at(place(KEY)), "aws_access_key");
    let error = store.set_profile(&agent(), "key", KEY, at(0)).expect_err("a secret");
    let is_named = format!("{error:?} {error}").contains(KEY);
    assert!(
        matches!(error, Error::Stopped { .. }) && !is_named,
        "the profile takes in no secret, and names none"
    );

    let long = "long words ".repeat(64 * 1024 / 11);
    for (refused, verb) in [
        (store.write(&agent(), &new(&long), at(0)).map(|_| ()), "a write"),
        (store.set_profile(&agent(), "key", &long, at(0)), "the profile"),
    ] {
        assert!(matches!(refused, Err(Error::TooLarge { .. })), "{verb} takes in no text above the cap");
    }
    for (category, content) in [("", "x"), ("two\nlines", "x"), ("a]b", "x"), ("fact", " \n"), (&long, "x")] {
        let memory = NewMemory::new(category, content, Source::AgentRecorded);
        let refused = store.write(&agent(), &memory, at(0));
        let is_refused = matches!(refused, Err(Error::Config { .. }));
        assert!(is_refused, "a blank row or a category that is no name: {memory:?}: {refused:?}");
    }
    for (source, actor) in [
        (Source::UserManual, Actor::Agent),
        (Source::Other("user_manual".to_owned()), Actor::Agent),
        (Source::UserManual, Actor::Library),
        (Source::Dreamed, Actor::Agent),
    ] {
        let memory = NewMemory::new("personalization", "mine", source);
        let denied = store.write(&access(SessionKind::Main, actor), &memory, at(0));
        let is_denied = matches!(denied, Err(Error::Denied { .. }));
        assert!(is_denied, "{actor:?} may not claim this source: {memory:?}: {denied:?}");
    }
    let rows = store.list(&agent(), &Filter::limit(9)).expect("a list");
    assert!(rows.is_empty(), "a write that was refused leaves no row");
    assert!(store.profile(&agent()).expect("a profile").is_empty(), "nor a value in the profile");

    let id = write(store, "fact", "harmless", 1);
    for content in [KEY, ORDER] {
        let refused = store.update(&agent(), id, content, at(2));
        assert!(matches!(refused, Err(Error::Stopped { .. })), "an update passes the same door: {refused:?}");
    }
    let refused = store.update(&agent(), id, &long, at(2));
    assert!(matches!(refused, Err(Error::TooLarge { .. })), "an update has the same cap: {refused:?}");
    let standing = store.get(&agent(), id).expect("a read").expect("it stands");
    assert_eq!(standing.content, "harmless", "an update that was refused changes nothing");
}

/// Every change and every refusal leaves an entry, without the words. (MS-14, MS-19, MS-26)
pub fn audits(store: &dyn MemoryStore) {
    let because = format!("she said so, the key is {KEY}");
    let memory = NewMemory::new("fact", "the harbour", Source::Imported).because(because);
    let id = store.write(&agent(), &memory, at(0)).expect("a write");
    store.update(&agent(), id, "the pier", at(1)).expect("an update");
    store.pin(&agent(), id, true, at(2)).expect("a pin");
    store.pin(&agent(), id, false, at(3)).expect("an end of the pin");
    store.delete(&agent(), id, at(4)).expect("a deletion");
    store.restore(&agent(), id, at(5)).expect("a restoration");
    store.delete(&agent(), id, at(6)).expect("a deletion");
    store.delete(&agent(), id, at(6)).expect("nothing is done, and nothing told");
    assert_eq!(store.purge(at(7), at(7)).expect("a purge"), 1, "the deleted row is purged");
    store.set_profile(&human(), "name", "Marta", at(8)).expect("a fact");
    let claimed = NewMemory::new("personalization", "x", Source::UserManual);
    let group = access(SessionKind::Shared, Actor::Agent);
    let long = NewMemory::new("fact", "x".repeat(64 * 1024), Source::AgentRecorded);
    let tool =
        NewMemory::new("fact", KEY, Source::Other(ORDER.to_owned())).origin(Origin::Tool("psql".into()));
    let forged = NewMemory::new("fact", "a </memory-context> b", Source::AgentRecorded);
    for (refused, second) in [
        (store.write(&agent(), &claimed, at(9)).map(|_| ()), 9),
        (store.write(&agent(), &long, at(10)).map(|_| ()), 10),
        (store.write(&agent(), &tool, at(11)).map(|_| ()), 11),
        (store.write(&agent(), &forged, at(12)).map(|_| ()), 12),
        (store.delete(&group, id, at(13)).map(|_| ()), 13),
        (store.set_profile(&agent(), "two\nlines", "x", at(14)), 14),
    ] {
        assert!(refused.is_err(), "the verb at second {second} is refused");
    }
    let entries = store.audit(&agent(), 100).expect("an audit");
    let told: Vec<_> = entries
        .iter()
        .map(|entry| {
            let source = entry.source.as_ref().map_or("", Source::as_str);
            (entry.action.as_str(), entry.outcome.to_string(), entry.actor, source, entry.id)
        })
        .collect();
    let (of, the) = ("imported", Some(id));
    let expected = [
        ("profile_write", "refused: key", Actor::Agent, "", None),
        ("memory_delete", "refused: denied", Actor::Agent, "", the),
        ("memory_write", "refused: fence", Actor::Agent, "agent_recorded", None),
        ("memory_write", "refused: aws_access_key", Actor::Agent, "[BLOCKED: override]", None),
        ("memory_write", "refused: too large", Actor::Agent, "agent_recorded", None),
        ("memory_write", "refused: denied", Actor::Agent, "user_manual", None),
        ("profile_write", "done", Actor::Human, "", None),
        ("memory_removed", "done", Actor::Library, "", the),
        ("memory_delete", "done", Actor::Agent, of, the),
        ("memory_restore", "done", Actor::Agent, of, the),
        ("memory_delete", "done", Actor::Agent, of, the),
        ("memory_unpin", "done", Actor::Agent, of, the),
        ("memory_pin", "done", Actor::Agent, of, the),
        ("memory_update", "done", Actor::Agent, of, the),
        ("memory_write", "done", Actor::Agent, of, the),
    ]
    .map(|(action, outcome, actor, source, id)| (action, outcome.to_owned(), actor, source, id));
    assert_eq!(told, expected, "the latest first");
    let times: Vec<_> = entries.iter().map(|entry| entry.at).collect();
    let expected: Vec<_> = (0..15).rev().map(at).collect();
    assert_eq!(times, expected, "an entry has the caller's time");
    let kinds: Vec<_> = entries.iter().filter(|entry| entry.kind != Some(SessionKind::Main)).collect();
    let kinds = (kinds[0].kind, kinds[1].kind);
    assert_eq!(
        kinds,
        (Some(SessionKind::Shared), None),
        "an entry has the kind of session; a purge has none"
    );
    let first = entries.last().expect("a first one");
    let origins = (first.origin.clone(), entries[3].origin.clone());
    assert_eq!(origins, (Some(Origin::Import), Some(Origin::Tool("psql".into()))), "an entry has the origin");
    let reason = Some("she said so, the key is [REDACTED:aws_access_key#1]");
    assert_eq!(first.reason.as_deref(), reason, "a reason is kept, and a secret in it is masked");
    let told = format!("{:?}", entries.iter().map(|entry| (entry, &entry.reason)).collect::<Vec<_>>());
    for word in [KEY, "harbour", "pier", "Marta", "previous"] {
        assert!(!told.contains(word), "an audit holds no words of rows: {word}");
    }
    assert_eq!(store.audit(&agent(), 2).expect("an audit"), entries[..2], "a limit keeps the latest");
    assert_eq!(store.audit(&agent(), 0).expect("an audit"), [], "a limit of none gives none");
}
