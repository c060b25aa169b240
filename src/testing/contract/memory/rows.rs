//! Suites of rows: written, listed, edited, deleted, pinned, promoted.

use std::sync::Arc;

use chrono::Days;
use serde_json::json;

use super::kit::{KEY, OTHERS, access, agent, at, human, listed, search, sorted, write};
use crate::base::access::{Access, Actor, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::receipt::ForgetPlace;
use crate::format::{DreamId, Origin};

use crate::memory::{
    Filter, ForgetRequest, MemoryId, MemoryStore, NewMemory, Place, Query, Role, Source, categories,
};

/// Rows are read back whole as they were written, and found at once. (MS-06, MS-12, MS-15)
pub fn rows(store: &dyn MemoryStore) {
    let place = Place {
        session: "chat-7".to_owned(),
        position: 3,
        role: Role::User,
        speaker: Some("Ilya".to_owned()),
        said_at: Some(at(-86_400)),
    };
    let memory = NewMemory::new("harbour", "The boat is called\n\"Brisk\" – 0.5% ✓", Source::UserExplicit)
        .at(place.clone())
        .metadata(json!({"source": "user_manual", "n": 1}))
        .origin(Origin::User)
        .shared();
    let id = store.write(&agent(), &memory, at(0)).expect("a write");
    assert!(id.get() > 0, "ids are positive");
    let read = store.get(&agent(), id).expect("a read").expect("what was written");
    assert_eq!((read.id, read.category.as_str()), (id, "harbour"), "a row is read under its id");
    assert_eq!(read.content, memory.content, "the content comes back as it went");
    assert_eq!(read.source, Some(Source::UserExplicit), "the caller's word counts, not that of the metadata");
    assert_eq!(read.metadata, memory.metadata, "the metadata comes back as it went");
    assert_eq!(read.place, Some(place), "the place comes back as it went");
    assert_eq!(read.origin, Some(Origin::User), "the origin comes back as it went");
    assert!(read.shared, "what was shared is shared");
    assert_eq!((read.created_at, read.updated_at), (at(0), at(0)), "times are the caller's");
    for text in ["boat", "What was Ilya's boat called?", "20 November 2026"] {
        assert_eq!(search(store, text), [id], "a row is found by its words, speaker and day: {text}");
    }
    assert!(!format!("{read:?} {memory:?}").contains("Brisk"), "what is printed holds no words");

    let second = write(store, categories::FACT, "another", 1);
    assert_ne!(second, id, "each row has its own id");
    let absent = MemoryId::new(second.get() + 1000);
    assert!(store.get(&agent(), absent).expect("a read").is_none(), "what is not there is none");
    let plain = store.get(&agent(), second).expect("a read").expect("it stands");
    assert_eq!((plain.place, plain.metadata, plain.shared), (None, None, false), "nothing is made up");
}

/// Many rows in one step are judged and told of as if they were written one by one. A refused row leaves the others.
pub fn batches(store: &dyn MemoryStore, one_by_one: &dyn MemoryStore) {
    assert!(
        store.write_all(&agent(), &[], at(0)).expect("a write of nothing").is_empty(),
        "no row, no outcome"
    );
    let row = |content: &str| NewMemory::new(categories::FACT, content, Source::AgentRecorded);
    let dream = DreamId::parse("0123456789abcdef").expect("an id");
    let promoted = NewMemory::new("note", "promoted once", Source::Dreamed).of_dream(dream);
    let manual = NewMemory::new(categories::FACT, "typed by hand", Source::UserManual);
    let rows = [
        row("the ferry leaves at nine"),
        row(KEY),
        row("the ferry leaves at ten"),
        manual,
        row(" "),
        promoted.clone(),
        promoted,
        row(&"long ".repeat(1 << 20)),
        row("the last one"),
    ];
    let library = access(SessionKind::Main, Actor::Library);
    let mut stored = Vec::new();
    for rows_of in [&agent(), &library, &access(SessionKind::Shared, Actor::Agent)] {
        let written = store.write_all(rows_of, &rows, at(1)).expect("a write of many");
        assert_eq!(written.len(), rows.len(), "each row has its outcome");
        for (memory, written) in rows.iter().zip(written) {
            let alone = one_by_one.write(rows_of, memory, at(1));
            let shape = |outcome: &Result<MemoryId>| match outcome {
                Ok(id) => Ok(*id),
                Err(error) => Err(std::mem::discriminant(error)),
            };
            assert_eq!(shape(&written), shape(&alone), "as a row alone");
            stored.extend(written.ok());
        }
    }
    assert!(stored.len() >= 9 && stored.len() < 3 * rows.len(), "some come in, and some do not");
    let audit = |store: &dyn MemoryStore| {
        let lines = store.audit(&human(), usize::MAX).expect("an audit").into_iter();
        lines.map(|line| (line.action, line.outcome, line.id, line.actor, line.at)).collect::<Vec<_>>()
    };
    assert_eq!(audit(store), audit(one_by_one), "each row has its line");
    let all = |store: &dyn MemoryStore| {
        let rows = store.list(&agent(), &Filter::limit(usize::MAX)).expect("a list").into_iter();
        rows.map(|row| (row.id, row.category, row.content)).collect::<Vec<_>>()
    };
    assert_eq!(all(store), all(one_by_one), "a list shows rows of one step as rows one by one");
    assert_eq!(search(store, "ferry"), search(one_by_one, "ferry"), "and is found at once");
    assert!(store.write(&agent(), &row("one more"), at(2)).is_ok(), "a single write goes on behind them");
}

/// A list has the latest touched first, ties by the greater id, and only what the filter names. (MS-16)
pub fn lists(store: &dyn MemoryStore) {
    let ids: Vec<_> = [("a", 5), ("b", 1), ("a", 5), ("b", 9), ("a", 5)]
        .iter()
        .enumerate()
        .map(|(at, (category, second))| write(store, category, &format!("row {at}"), *second))
        .collect();
    let newest = [ids[3], ids[4], ids[2], ids[0], ids[1]];
    for (filter, expected, rule) in [
        (Filter::limit(10), &newest[..], "the latest touched first, ties by the greater id"),
        (Filter::limit(2), &newest[..2], "a limit keeps the first"),
        (Filter::limit(0), &[], "a limit of none gives none"),
        (Filter::limit(10).category("b"), &[ids[3], ids[1]], "one category, in the same order"),
        (Filter::limit(usize::MAX).category("c"), &[], "a category without rows gives none"),
    ] {
        assert_eq!(listed(store, &agent(), &filter), expected, "{rule}");
    }
    let mut filter = Filter::limit(10);
    (filter.since, filter.until) = (Some(at(5)), Some(at(9)));
    assert_eq!(listed(store, &agent(), &filter), newest[1..4], "since the one time, and before the other");

    let mut query = Query::new("row");
    query.filter = filter;
    let found = store.search(&agent(), &query).expect("a search");
    assert_eq!(found.hits.len(), 3, "a search has the same filter");

    let page = NewMemory::new("a", "row of a page", Source::AgentRecorded).origin(Origin::Web);
    let import = NewMemory::new("a", "row of an import", Source::Imported);
    for (memory, origin) in [(&page, Origin::Web), (&import, Origin::Import)] {
        let id = store.write(&agent(), memory, at(20)).expect("a write");
        let read = store.get(&agent(), id).expect("a read").expect("it stands");
        assert_eq!(read.origin, Some(origin), "what is imported came by an import");
        assert!(!read.is_trusted(), "a page and an import are nobody's own words");
    }
    let mut filter = Filter::limit(10);
    filter.trusted = true;
    assert_eq!(
        listed(store, &agent(), &filter),
        newest,
        "nobody's own words are left out where that is asked"
    );
    assert_eq!(listed(store, &agent(), &Filter::limit(10)).len(), 7, "and only there");
    let mut query = Query::new("row");
    query.filter.trusted = true;
    let found = store.search(&agent(), &query).expect("a search");
    assert_eq!(found.hits.len(), 5, "and from a search");
}

/// An update replaces the content and touches the row; who may edit what follows its source. (MS-08, MS-17)
pub fn edits(store: &dyn MemoryStore) {
    let id = write(store, "fact", "the ferry leaves at nine", 0);
    write(store, "fact", "something newer", 1);
    assert!(store.update(&agent(), id, "the train leaves at ten", at(2)).expect("an update"));
    assert_eq!(search(store, "ferry"), [], "the old words are gone");
    assert_eq!(search(store, "train"), [id], "and the new ones are found");
    let read = store.get(&agent(), id).expect("a read").expect("it stands");
    assert_eq!((read.created_at, read.updated_at), (at(0), at(2)), "an update touches the row");
    assert_eq!(listed(store, &agent(), &Filter::limit(1)), [id], "a touched row comes first");
    let of_nothing = store.update(&agent(), MemoryId::new(9999), "x", at(3));
    assert!(!of_nothing.expect("an update of nothing"), "an update of no row is `false`, and no error");

    let manual = |category: &str| {
        let memory = NewMemory::new(category, "typed by hand", Source::UserManual);
        store.write(&human(), &memory, at(4)).expect("the human may claim it")
    };
    let (personal, other) = (manual(categories::PERSONALIZATION), manual(categories::FACT));
    let library = access(SessionKind::Main, Actor::Library);
    for (row, editors) in
        [(personal, &[Actor::Human][..]), (other, &[]), (id, &[Actor::Agent, Actor::Library])]
    {
        for editor in [&human(), &agent(), &library] {
            let edited = store.update(editor, row, "edited", at(5));
            if editors.contains(&editor.actor) {
                assert!(edited.expect("an update"), "{editor:?} may edit {row}");
            } else {
                assert!(
                    matches!(edited, Err(Error::Denied { .. })),
                    "{editor:?} may not edit {row}: {edited:?}"
                );
            }
            // The human of a main session deletes any row, and may have it back.
            let may_delete = |of: &Access| of.actor == Actor::Human || editors.contains(&of.actor);
            let deleted = store.delete(editor, row, at(5));
            if !may_delete(editor) {
                let is_denied = matches!(deleted, Err(Error::Denied { .. }));
                assert!(is_denied, "{editor:?} may not delete {row}: {deleted:?}");
                continue;
            }
            assert!(deleted.expect("a deletion"), "{editor:?} may delete {row}");
            for stranger in [&human(), &agent(), &library].into_iter().filter(|of| !may_delete(of)) {
                let restored = store.restore(stranger, row, at(6));
                let is_denied = matches!(restored, Err(Error::Denied { .. }));
                assert!(is_denied, "{stranger:?} may not restore {row}: {restored:?}");
            }
            assert!(
                store.restore(editor, row, at(6)).expect("a restoration"),
                "{editor:?} may restore {row}"
            );
        }
    }
    for (kind, row) in [SessionKind::Shared, SessionKind::Subagent].into_iter().zip([personal, other]) {
        let deleted = store.delete(&access(kind, Actor::Human), row, at(7));
        assert!(matches!(deleted, Err(Error::Denied { .. })), "no {kind:?} session deletes: {deleted:?}");
    }
}

/// A deleted row is nowhere, comes back whole, and is gone for good after a purge. (MS-09, MS-10)
pub fn deletions(store: &dyn MemoryStore) {
    let id = write(store, "fact", "the lighthouse keeper", 0);
    let kept = write(store, "fact", "the lighthouse stands", 0);
    assert!(store.delete(&agent(), id, at(1)).expect("a deletion"), "a deletion says that it hid a row");
    assert!(!store.delete(&agent(), id, at(1)).expect("an answer"), "a second deletion is `false`");
    assert!(!store.update(&agent(), id, "x", at(1)).expect("an answer"), "a deleted row is not edited");
    assert!(store.get(&agent(), id).expect("a read").is_none(), "a deleted row is not read");
    assert_eq!(listed(store, &agent(), &Filter::limit(9)), [kept], "a deleted row is not listed");
    for text in ["lighthouse", "keeper OR lighthouse", "light*"] {
        assert_eq!(search(store, text), [kept], "a deleted row is not found: {text}");
    }
    assert!(!store.restore(&agent(), kept, at(2)).expect("an answer"), "a row that is there is not restored");
    assert!(store.restore(&agent(), id, at(2)).expect("an answer"), "a deletion is taken back");
    assert!(!store.restore(&agent(), id, at(2)).expect("an answer"), "a second restoration is `false`");
    assert_eq!(search(store, "keeper"), [id], "found again");
    let read = store.get(&agent(), id).expect("a read").expect("it stands");
    assert_eq!((read.content.as_str(), read.updated_at), ("the lighthouse keeper", at(0)), "untouched by it");

    assert!(store.delete(&agent(), id, at(3)).expect("an answer"), "a restored row is deleted again");
    assert_eq!(store.purge(at(3), at(9)).expect("a purge"), 0, "what was deleted at the cutoff stays");
    assert_eq!(store.purge(at(4), at(9)).expect("a purge"), 1, "what was deleted before the cutoff goes");
    assert_eq!(store.purge(at(4), at(9)).expect("a purge"), 0, "nothing is purged twice");
    assert!(!store.restore(&agent(), id, at(9)).expect("an answer"), "a purged row is gone for good");
    assert_eq!(search(store, "keeper"), [], "a purged row is not found");
    // The greatest id of all is the one that a counter of the rows would give again.
    let last = write(store, "fact", "the last row", 9);
    assert!(store.delete(&agent(), last, at(9)).expect("an answer"));
    assert_eq!(store.purge(at(10), at(10)).expect("a purge"), 1);
    assert!(write(store, "fact", "a later row", 10) > last, "an id is never used twice, also after a purge");

    let late = write(store, "fact", "too late", 11);
    assert!(store.delete(&agent(), late, at(12)).expect("a deletion"));
    let after = |days| at(12) + Days::new(days);
    assert!(
        !store.restore(&agent(), late, after(31)).expect("an answer"),
        "nothing is restored after 31 days"
    );
    assert!(store.restore(&agent(), late, after(29)).expect("an answer"), "a row is restored after 29 days");
}

/// A forgotten statement is in no row and no search, and no verb takes it in again until it is lifted. All of a request is
/// forgotten, or nothing.
pub fn forgets(store: &dyn MemoryStore) {
    const SAID: &str = "Jan Kowalski is my landlord";
    let said = write(store, "fact", SAID, 0);
    let deleted = write(store, "fact", &format!("- {SAID}!"), 1);
    assert!(store.delete(&agent(), deleted, at(2)).expect("an answer"));
    let kept = write(store, "fact", "the ferry leaves at nine", 3);
    let [named, bens] = [("fact", Origin::User), ("note", Origin::Participant("Ben".to_owned()))].map(
        |(category, origin)| {
            let memory =
                NewMemory::new(category, "the lantern is green", Source::AgentRecorded).origin(origin);
            store.write(&agent(), &memory, at(4)).expect("a write")
        },
    );
    let all = || listed(store, &agent(), &Filter::limit(9));
    let before = all();
    let forget = |access: &Access, request: &ForgetRequest| store.forget_all(access, request, at(5));
    let mut request = ForgetRequest::of(SAID);
    for kind in OTHERS {
        let denied = forget(&access(kind, Actor::Human), &request);
        assert!(matches!(denied, Err(Error::Denied { .. })), "no {kind:?} session forgets: {denied:?}");
    }
    request.statements.push("tea".to_owned());
    let refused = forget(&human(), &request);
    assert!(matches!(refused, Err(Error::Config { .. })), "one short word is no statement: {refused:?}");
    assert_eq!(all(), before, "a request that is refused forgets nothing");

    request.statements.pop();
    (request.rows, request.person) = (vec![named, MemoryId::new(9999)], Some("Ben".to_owned()));
    let receipt = forget(&human(), &request).expect("a request to forget");
    let line = receipt.iter().find(|line| line.place == ForgetPlace::Rows).expect("a line on rows");
    assert_eq!(
        (line.found, line.removed),
        (4, 4),
        "the receipt counts deleted rows, named rows, and a person's"
    );
    assert_eq!(all(), [kept], "other rows stay");
    for gone in [said, deleted, named, bens] {
        assert!(store.get(&agent(), gone).expect("a read").is_none(), "a forgotten row is not read: {gone}");
        assert!(!store.restore(&human(), gone, at(6)).expect("an answer"), "nor restored: {gone}");
    }
    assert_eq!(search(store, "Kowalski landlord lantern"), [], "and no word of it is found");
    let again = NewMemory::new("fact", "so, jan KOWALSKI is my landlord", Source::AgentRecorded);
    let is_stopped = |outcome: Result<bool>, verb| match outcome {
        Err(Error::Stopped { classes, .. }) => assert_eq!(classes, ["forgotten"], "{verb} names the class"),
        other => panic!("{verb} must not take in what was forgotten: {other:?}"),
    };
    is_stopped(store.write(&agent(), &again, at(7)).map(|_| true), "a write");
    is_stopped(store.update(&agent(), kept, SAID, at(7)), "an update");
    is_stopped(store.set_profile(&agent(), "landlord", SAID, at(7)).map(|()| true), "the profile");
    assert_eq!(all(), [kept], "a write that was refused leaves no row");
    let denied = store.lift(&agent(), SAID, at(8));
    assert!(matches!(denied, Err(Error::Denied { .. })), "the human alone lifts: {denied:?}");
    assert!(store.lift(&human(), SAID, at(8)).expect("an answer"), "the human lifts what was forgotten");
    assert!(!store.lift(&human(), SAID, at(8)).expect("an answer"), "a second lift is `false`");
    assert_eq!(all(), [kept], "nothing comes back by it");
    let id = store.write(&agent(), &again, at(9)).expect("a write of what was lifted");
    assert!(id > bens, "an id is never used twice, also after a row was forgotten");
}

/// A pinned row comes first in every snapshot, keeps its times, and goes by a deletion alone.
pub fn pins(store: &dyn MemoryStore) {
    let ids: Vec<_> = (0..6).map(|row| write(store, "lesson", &format!("row {row}"), row)).collect();
    let snapshot = |limit| -> Vec<MemoryId> {
        let rows = store.snapshot(&agent(), limit, at(900)).expect("a snapshot");
        rows.into_iter().map(|memory| memory.id).collect()
    };
    assert_eq!(snapshot(3), [ids[5], ids[4], ids[3]], "the latest touched");
    for row in [1, 0] {
        assert!(store.pin(&agent(), ids[row], true, at(20)).expect("a pin"));
    }
    assert!(store.pin(&agent(), ids[0], true, at(20)).expect("a pin again"));
    assert_eq!(snapshot(3), [ids[1], ids[0], ids[5]], "the pinned ones first, in their order");
    assert_eq!(snapshot(1), [ids[1]], "a limit counts pinned rows too");
    assert_eq!(snapshot(0), [], "a limit of none gives none");
    assert_eq!(snapshot(usize::MAX), [ids[1], ids[0], ids[5], ids[4], ids[3], ids[2]], "pinned ones once");
    let read = store.get(&agent(), ids[0]).expect("a read").expect("it stands");
    assert!(read.pinned && read.updated_at == at(0), "a pin touches nothing");
    assert_eq!(listed(store, &agent(), &Filter::limit(1)), [ids[5]], "a list knows no pins");
    assert!(!store.pin(&agent(), MemoryId::new(9999), true, at(20)).expect("there is no such row"));

    assert!(store.update(&agent(), ids[0], "row 0 anew", at(21)).expect("an update"));
    assert_eq!(snapshot(2), [ids[0], ids[1]], "an update leaves it pinned");
    assert_eq!(store.purge(at(1000), at(1000)).expect("a purge"), 0, "no row is purged that stands");
    assert!(store.delete(&agent(), ids[0], at(22)).expect("a deletion"));
    assert_eq!(snapshot(2), [ids[1], ids[5]], "a deleted row is nowhere, pinned or not");
    assert!(!store.pin(&agent(), ids[0], false, at(23)).expect("it is deleted"));
    assert!(store.restore(&agent(), ids[0], at(23)).expect("a restoration"));
    assert_eq!(snapshot(1), [ids[0]], "it comes back as it was");
    assert!(store.pin(&agent(), ids[0], false, at(24)).expect("an end of the pin"));
    assert_eq!(snapshot(2), [ids[1], ids[0]], "the one pinned row, and the one touched last");

    assert!(store.pin(&human(), ids[3], true, at(25)).expect("a pin"));
    assert!(store.pin(&agent(), ids[3], true, at(25)).expect("a pin again"));
    let denied = store.pin(&agent(), ids[3], false, at(25));
    assert!(matches!(denied, Err(Error::Denied { .. })), "what the human pinned is theirs: {denied:?}");
    let denied = store.delete(&agent(), ids[3], at(25));
    assert!(matches!(denied, Err(Error::Denied { .. })), "nor does the agent delete it: {denied:?}");
    assert!(
        store.get(&agent(), ids[3]).expect("a read").is_some(),
        "a deletion that was denied hides nothing"
    );
    assert!(store.pin(&human(), ids[3], false, at(25)).expect("an end of the pin"));
    assert!(store.delete(&agent(), ids[3], at(26)).expect("a deletion"), "then it is a row like any other");

    let page = NewMemory::new("fact", "of a page", Source::AgentRecorded).origin(Origin::Web);
    let page = store.write(&agent(), &page, at(30)).expect("a write");
    assert!(store.pin(&human(), page, true, at(31)).expect("the human pins any row"));
    assert!(!snapshot(9).contains(&page), "nobody's own words are in no prompt");
    let typed = NewMemory::new("fact", "typed by hand", Source::UserManual);
    let typed = store.write(&human(), &typed, at(32)).expect("a write");
    assert!(store.pin(&human(), typed, true, at(33)).expect("a pin"));
    let denied = store.pin(&agent(), typed, false, at(34));
    assert!(matches!(denied, Err(Error::Denied { .. })), "what was typed is not the agent's: {denied:?}");
    assert_eq!(snapshot(1), [typed], "and stays pinned");

    let shared = NewMemory::new("fact", "for all", Source::AgentRecorded).shared();
    let shared = store.write(&agent(), &shared, at(35)).expect("a write");
    for kind in OTHERS {
        let rows = store.snapshot(&access(kind, Actor::Agent), 9, at(900)).expect("a snapshot");
        let seen: Vec<_> = rows.into_iter().map(|memory| memory.id).collect();
        assert_eq!(seen, [shared], "a pin shows a private row to nobody");
    }
}

/// A promoted line is written once. Neither a second feed nor one beside it doubles a row. A row that somebody deleted
/// stays away.
pub fn promotions(store: &dyn MemoryStore) {
    let library = access(SessionKind::Main, Actor::Library);
    let [one, other] =
        ["0123456789abcdef", "fedcba9876543210"].map(|id| DreamId::parse(id).expect("sixteen digits"));
    let row = |dream: &DreamId, content: &str| {
        NewMemory::new("preference", content, Source::Dreamed).of_dream(dream.clone())
    };
    let write = |row: &NewMemory| store.write(&library, row, at(0)).expect("an answer");
    let id = write(&row(&one, "prefers tea"));
    assert_eq!(write(&row(&one, "prefers tea")), id, "once a dream");
    assert_ne!(write(&row(&one, "prefers Tea")), id, "other words are another row");
    let second = write(&row(&other, "prefers tea"));
    assert_ne!(second, id, "another dream may promote the same");
    let mut promoted = Filter::limit(9);
    promoted.dreamed = true;
    self::write(store, "preference", "prefers tea", 0);
    assert_eq!(listed(store, &agent(), &promoted).len(), 3, "and anybody may say it");
    let told = store.audit(&agent(), 99).expect("an answer").len();
    assert_eq!(write(&row(&one, "prefers tea")), id, "a second feed gives the id of the first");
    assert_eq!(store.audit(&agent(), 99).expect("an answer").len(), told, "and nothing is told of it");

    for (actor, comes_back) in [(Actor::Agent, false), (Actor::Library, true)] {
        let id = if comes_back { second } else { id };
        let dream = if comes_back { &other } else { &one };
        assert!(store.delete(&access(SessionKind::Main, actor), id, at(1)).expect("an answer"));
        for _ in 0..2 {
            assert_eq!(write(&row(dream, "prefers tea")), id, "deleted by {actor:?}");
            assert_eq!(
                store.get(&agent(), id).expect("an answer").is_some(),
                comes_back,
                "deleted by {actor:?}"
            );
        }
    }
    assert!(store.delete(&agent(), second, at(2)).expect("an answer"));
    write(&row(&other, "prefers tea"));
    assert!(store.get(&agent(), second).expect("an answer").is_none(), "the last deletion counts");
    assert_eq!(store.purge(at(9), at(9)).expect("an answer"), 2, "both go for good");
    assert!(write(&row(&one, "prefers tea")) > second, "a purged row is not known any more");

    let claimed = NewMemory::new("preference", "x", Source::AgentRecorded).of_dream(one.clone());
    let refused = store.write(&agent(), &claimed, at(3));
    let is_refused = matches!(refused, Err(Error::Config { setting: "dream", .. }));
    assert!(is_refused, "a dream is named by what was dreamed alone: {refused:?}");
    let refused = store.write(&agent(), &row(&one, "x"), at(3));
    assert!(matches!(refused, Err(Error::Denied { .. })), "the agent claims no dream: {refused:?}");
}

/// A key of the profile has one value, the last. (MS-03)
pub fn profiles(store: &dyn MemoryStore) {
    for (key, value) in
        [("risk_tolerance", "bold"), ("home_language", "en"), ("risk_tolerance", "conservative")]
    {
        store.set_profile(&agent(), key, value, at(0)).expect("a fact");
    }
    let expected = [("home_language", "en"), ("risk_tolerance", "conservative")];
    let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(store.profile(&agent()).expect("a profile"), expected, "one value a key, ordered by key");
    for key in ["", "two\nlines", "<tag>"] {
        let refused = store.set_profile(&agent(), key, "x", at(0));
        assert!(matches!(refused, Err(Error::Config { .. })), "{key:?} is no key: {refused:?}");
    }
}

/// Writers at once lose nothing, and each has its own id.
pub fn writers(store: &Arc<dyn MemoryStore>) {
    let ids: Vec<MemoryId> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                scope.spawn(move || -> Vec<MemoryId> {
                    (0..25)
                        .map(|row| write(store.as_ref(), "fact", &format!("writer {writer} row {row}"), row))
                        .collect()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().expect("a writer")).collect()
    });
    let listed = listed(store.as_ref(), &agent(), &Filter::limit(1000));
    assert_eq!(sorted(listed), sorted(ids), "writers at once lose no row and share no id");
    let query = Query::new("writer").limit(1000);
    assert_eq!(store.search(&agent(), &query).expect("a search").hits.len(), 100, "each is found");
}
