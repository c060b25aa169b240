//! Forgetting in all stores: gone from every row, index, reason and byte, kept out by every door.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::fs;
use std::path::Path;

use chrono::Days;
use noctuary::exchange::ForgetPlace;
use noctuary::facts::{Decision, FactKey, FactStore};
use noctuary::memory::{Filter, MemoryId, NewMemory, Place, PlaceReceipt, Query, Role, Source, categories};
use noctuary::{Access, Actor, Error, FileMemoryStore, MemoryStore, Scope, SessionKind};
use noctuary_tests::common::marta::{access, agent, human, now};
use noctuary_tests::open_store;
use std::sync::Arc;

trait Store: MemoryStore + FactStore {}

impl<S: MemoryStore + FactStore> Store for S {}

const SECRET: &str = "Zanzibarqx Kowalski is my landlord";

fn row(content: &str) -> NewMemory {
    NewMemory::new(categories::OBSERVATION, content, Source::AgentRecorded)
}

fn open(folder: &Path, backend: usize) -> Arc<dyn Store> {
    open_store!(backend, folder, Scope::user("marta"))
}

fn each(test: impl Fn(&dyn Fn() -> Arc<dyn Store>, &Path)) {
    for backend in noctuary_tests::common::backends() {
        let folder = tempfile::tempdir().unwrap();
        test(&|| open(folder.path(), backend), folder.path());
    }
}

/// Which files hold a word, in any case, and which tables on a server that belong to the folder.
fn files_with(folder: &Path, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(noctuary_tests::common::server::tables_with(folder, word));
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, word));
            continue;
        }
        let bytes = fs::read(&path).unwrap().to_ascii_lowercase();
        if bytes.windows(word.len()).any(|window| window == word.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

fn of(receipt: &[PlaceReceipt], place: ForgetPlace) -> (u64, u64) {
    let line = receipt.iter().find(|line| line.place == place).unwrap();
    // What a server keeps for a while is out of reach.
    assert!(line.left.as_ref().is_none_or(|left| left.contains("its operator knows")), "{receipt:?}");
    (line.found, line.removed)
}

fn is_refused<T: std::fmt::Debug>(answer: Result<T, Error>) {
    match answer {
        Err(Error::Stopped { classes, .. }) => assert_eq!(classes, ["forgotten"]),
        other => panic!("{other:?}"),
    }
}

/// With others present nobody is told that it was forgotten.
fn is_refused_to<T: std::fmt::Debug>(whose: &Access, answer: Result<T, Error>) {
    match answer {
        Err(Error::Denied { kind, .. }) if kind == whose.kind => assert_ne!(kind, SessionKind::Main),
        answer => {
            assert_eq!(whose.kind, SessionKind::Main);
            is_refused(answer);
        }
    }
}

/// A store that says it in every place: rows that stand, are deleted, retired, pending and in a conversation, notes,
/// a key, the profile, and the reasons of writes and decisions.
fn furnish(store: &dyn Store) {
    let write = |memory: &NewMemory| store.write(&agent(), memory, now()).unwrap();
    write(&row("The harbour opens at nine"));
    write(&row("the words landlord and Kowalski apart"));
    write(&row("- zanzibarqx  KOWALSKI\nis my landlord!"));
    let deleted = write(&row(SECRET));
    store.delete(&agent(), deleted, now()).unwrap();
    let fact = |content: &str| NewMemory::new(categories::FACT, content, Source::AgentRecorded);
    let old = write(&fact(SECRET).about(FactKey::one("marta", "landlord")));
    let new = write(&fact("Piotr is the landlord now").about(FactKey::one("marta", "landlord")));
    let decision = Decision::supersede(old, new).because(format!("she said that {SECRET}"));
    store.decide(&agent(), &decision, now()).unwrap();
    write(&fact(&format!("I heard that {SECRET}, did you know?")));
    write(&row("with notes").metadata(serde_json::json!({ "said": [SECRET], "line": 3 })));
    let place = Place {
        session: "s".to_owned(),
        position: 1,
        role: Role::User,
        speaker: Some("Zanzibarqx Kowalski is my landlord".to_owned()),
        said_at: None,
    };
    write(&row("said by a strange name").at(place));
    write(&row("an innocent row").because(format!("since {SECRET}")));
    store.set_profile(&agent(), "landlord", SECRET, now()).unwrap();
    store.set_profile(&agent(), "name", "Marta", now()).unwrap();
}

#[test]
#[ignore = "sweep"]
fn what_is_forgotten_stands_nowhere_and_comes_in_by_no_door() {
    each(|open, folder| {
        let store = open();
        furnish(store.as_ref());
        let other = open();
        assert_eq!(other.search(&agent(), &Query::new("Zanzibarqx")).unwrap().hits.len(), 4, "it is known");
        assert!(!files_with(folder, "zanzibarqx").is_empty());

        let receipt = store.forget(&human(), "zanzibarqx kowalski is my landlord", now()).unwrap();
        assert_eq!(of(&receipt, ForgetPlace::Rows), (6, 6), "{receipt:?}");
        assert_eq!(of(&receipt, ForgetPlace::TextIndex), (6, 6));
        assert_eq!(of(&receipt, ForgetPlace::Profile), (1, 1));
        assert_eq!(of(&receipt, ForgetPlace::Decisions), (2, 2));
        assert_eq!(files_with(folder, "zanzibarqx"), [""; 0]);
        let audit = store.audit(&human(), 99).unwrap();
        assert_eq!(audit.iter().filter(|entry| entry.action == "memory_removed").count(), 5);
        assert_eq!(audit[0].action, "memory_forget");
        assert_eq!(store.profile(&agent()).unwrap(), [("name".to_owned(), "Marta".to_owned())]);

        // Every door, in this handle, in one that was open before, and in a new one.
        for store in [store, other, open()] {
            let kept =
                ["The harbour opens at nine", "the words landlord and Kowalski apart", "an innocent row"];
            let listed = store.list(&agent(), &Filter::limit(99)).unwrap();
            assert!(kept.iter().all(|content| listed.iter().any(|row| row.content == *content)));
            let rest = listed.iter().filter(|row| row.content.starts_with("I heard that [forgotten]"));
            assert_eq!((listed.len(), rest.count()), (5, 1), "and the fact that came after it, and a rest");
            for whose in [agent(), human(), access(SessionKind::Shared, Actor::Agent)] {
                for content in [SECRET, "so ZANZIBARQX Kowalski, is my *landlord*"] {
                    is_refused_to(&whose, store.write(&whose, &row(content), now()));
                    is_refused_to(
                        &whose,
                        store.write(&whose, &NewMemory::new("lesson", content, Source::Imported), now()),
                    );
                    is_refused_to(
                        &whose,
                        store.record(&whose, &NewMemory::new("fact", content, Source::Inferred), now()),
                    );
                    is_refused_to(
                        &whose,
                        store.write(&whose, &row("notes").metadata(serde_json::json!([content])), now()),
                    );
                }
            }
            is_refused(store.update(&agent(), MemoryId::new(1), SECRET, now()));
            is_refused(store.set_profile(&agent(), "who", SECRET, now()));
            is_refused(store.set_profile(&agent(), SECRET, "who", now()));
            for id in (1..99).map(MemoryId::new) {
                assert!(!store.restore(&agent(), id, now()).unwrap());
                assert!(
                    store
                        .history(&agent(), id)
                        .unwrap()
                        .iter()
                        .all(|fact| !fact.memory.content.contains("Zanzibarqx"))
                );
            }
            for event in store.decisions(&agent(), 99).unwrap() {
                assert!(store.revert(&agent(), event.id, now()).is_err() || event.reason.is_none());
            }
            store.settle(now()).unwrap();
            store.purge(now() + Days::new(99), now()).unwrap();
            assert!(store.search(&agent(), &Query::new("Zanzibarqx")).unwrap().hits.is_empty());
            assert_eq!(files_with(folder, "zanzibarqx"), [""; 0]);
        }
    });
}

// One statement took a whole row with it, also what nobody wanted to have forgotten, and the receipt did not say which.
#[test]
fn a_row_that_says_more_says_the_rest() {
    each(|open, folder| {
        let store = open();
        let more = "Marta is allergic to nuts, and lives in Zanzibarqx.";
        let write = |memory: &NewMemory| store.write(&agent(), memory, now()).unwrap();
        let kept = write(&row(more));
        let fact = write(&NewMemory::new(categories::FACT, more, Source::AgentRecorded));
        let alone = write(&row("She lives in Zanzibarqx"));
        let noted = write(
            &row("Marta is allergic to nuts, too").metadata(serde_json::json!(["lives in Zanzibarqx"])),
        );
        let deleted = write(&row(&format!("{more} Always.")));
        store.delete(&agent(), deleted, now()).unwrap();
        let receipt = store.forget(&human(), "lives in zanzibarqx", now()).unwrap();
        assert_eq!(of(&receipt, ForgetPlace::Rows), (5, 5));
        let rows = &receipt.iter().find(|line| line.place == ForgetPlace::Rows).unwrap().rows;
        let told: Vec<_> = rows.iter().map(|row| (row.row, row.is_kept, row.words.as_str())).collect();
        let rest = "Marta is allergic to nuts, and [forgotten]--------.";
        assert_eq!(
            told[..4],
            [
                (kept.get(), true, rest),
                (fact.get(), true, rest),
                (alone.get(), false, "She [forgotten]--------"),
                (noted.get(), false, "Marta is allergic to nuts, too"),
            ]
        );
        assert_eq!((told[4].0, told[4].1), (deleted.get(), false));
        assert!(!format!("{receipt:?}").contains("allergic"), "a receipt is printed by its shape");
        assert_eq!(files_with(folder, "zanzibarqx"), [""; 0]);
        for store in [store, open()] {
            for id in [kept, fact] {
                assert_eq!(store.get(&agent(), id).unwrap().unwrap().content, rest);
            }
            assert!([alone, noted, deleted].iter().all(|id| store.get(&agent(), *id).unwrap().is_none()));
            let found = store.search(&agent(), &Query::new("allergic to nuts")).unwrap().hits;
            assert_eq!(found.len(), 2);
            assert!(store.search(&agent(), &Query::new("Zanzibarqx")).unwrap().hits.is_empty());
            let again = store.forget(&human(), "lives in zanzibarqx", now()).unwrap();
            assert_eq!(of(&again, ForgetPlace::Rows), (0, 0));
        }
        // An agent that forgets is told no words of rows.
        let store = open();
        store.write(&agent(), &row("The quokkazebra is in the red shed"), now()).unwrap();
        let receipt = store.forget(&agent(), "the quokkazebra", now()).unwrap();
        assert!(receipt.iter().all(|line| line.rows.is_empty()));
        assert_eq!(files_with(folder, "quokkazebra"), [""; 0]);
    });
}

// A row of nothing but a day, a speaker and a label stayed, and `remember` of a promoted line contradicted it.
#[test]
fn the_day_the_speaker_and_the_label_of_a_line_say_nothing_by_themselves() {
    each(|open, _| {
        let store = open();
        let fact = |content: &str| NewMemory::new(categories::FACT, content, Source::AgentRecorded);
        let promoted = "2026-11-20: User: Remember: My dentist is Dr Olsen.";
        let lined = store.write(&agent(), &fact(promoted), now()).unwrap();
        let told = store.record(&agent(), &fact("My dentist is Dr Olsen."), now()).unwrap();
        assert!(told.suspects.is_empty(), "{:?}", told.suspects);
        let other = store.record(&agent(), &fact("My dentist is Dr Berg."), now()).unwrap();
        assert!(other.suspects.iter().any(|suspect| suspect.id == lined), "{:?}", other.suspects);
        store.forget(&human(), "my dentist is dr olsen", now()).unwrap();
        assert!(store.get(&agent(), lined).unwrap().is_none());
    });
}

// Whoever read the file kept a person waiting for a minute, without a word.
#[test]
fn a_reader_is_waited_for_a_moment_only() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 1);
    store.write(&agent(), &row(SECRET), now()).unwrap();
    let reader = rusqlite::Connection::open(folder.path().join("memory.db")).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM memories;").unwrap();
    let begun = std::time::Instant::now();
    let receipt = store.forget(&human(), SECRET, now()).unwrap();
    assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
    let left: Vec<_> = receipt.iter().filter_map(|line| line.left.as_deref()).collect();
    assert!(
        left.len() == 1 && left[0].contains("forget it again when whoever reads it now is done"),
        "{left:?}"
    );
}

#[test]
fn it_is_forgotten_once_and_other_statements_stay() {
    each(|open, _| {
        let store = open();
        let id = store.write(&agent(), &row("Likes tea in the morning"), now()).unwrap();
        store.forget(&human(), SECRET, now()).unwrap();
        let again = store.forget(&human(), SECRET, now()).unwrap();
        assert_eq!(of(&again, ForgetPlace::Rows), (0, 0));
        assert!(store.get(&agent(), id).unwrap().is_some());
        store.write(&agent(), &row("Kowalski is my landlord"), now()).unwrap();
        store.forget(&human(), "likes TEA in the morning", now()).unwrap();
        assert!(store.get(&agent(), id).unwrap().is_none());
        is_refused(store.write(&agent(), &row("Likes tea in the morning"), now()));
        is_refused(store.write(&agent(), &row(SECRET), now()));
    });
}

#[test]
fn what_a_human_typed_or_confirmed_is_forgotten_by_that_human_alone() {
    each(|open, folder| {
        let store = open();
        let typed = NewMemory::new(categories::PERSONALIZATION, SECRET, Source::UserManual);
        let typed = store.write(&human(), &typed, now()).unwrap();
        let confirmed =
            store.write(&agent(), &NewMemory::new("fact", "Drinks tea at four", Source::Inferred), now());
        store.decide(&human(), &Decision::confirm(confirmed.unwrap()), now()).unwrap();
        for whose in [agent(), access(SessionKind::Main, Actor::Library)] {
            for text in [SECRET, "drinks tea at four"] {
                let denied = store.forget(&whose, text, now());
                assert!(matches!(denied, Err(Error::Denied { .. })), "{denied:?}");
            }
        }
        for kind in [SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
            let denied = store.forget(&access(kind, Actor::Human), SECRET, now());
            assert!(matches!(denied, Err(Error::Denied { .. })), "{denied:?}");
            assert!(store.lift(&access(kind, Actor::Human), SECRET, now()).is_err());
        }
        assert!(store.get(&agent(), typed).unwrap().is_some());
        store.write(&agent(), &row("again: zanzibarqx kowalski is my landlord"), now()).unwrap();
        let short = store.forget(&human(), "tea", now());
        assert!(matches!(short, Err(Error::Config { .. })), "{short:?}");
        assert_eq!(of(&store.forget(&human(), SECRET, now()).unwrap(), ForgetPlace::Rows), (2, 2));
        assert_eq!(files_with(folder, "zanzibarqx"), [""; 0]);
    });
}

#[test]
fn a_human_lets_it_be_said_again() {
    each(|open, _| {
        let store = open();
        assert!(!store.lift(&human(), SECRET, now()).unwrap());
        store.write(&agent(), &row(SECRET), now()).unwrap();
        store.forget(&agent(), SECRET, now()).unwrap();
        assert!(matches!(store.lift(&agent(), SECRET, now()), Err(Error::Denied { .. })));
        is_refused(store.write(&agent(), &row(SECRET), now()));
        assert!(store.lift(&human(), "zanzibarqx kowalski is my landlord.", now()).unwrap());
        for store in [store, open()] {
            assert!(store.list(&agent(), &Filter::limit(9)).unwrap().len() < 2, "nothing comes back by it");
            store.write(&agent(), &row(SECRET), now()).unwrap();
        }
    });
}

#[test]
fn a_guest_of_a_file_forgets_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let of = |user: &str| {
        let store = noctuary::SqliteMemoryStore::open(&path, Scope::user(user)).unwrap();
        (store, Access::human(Scope::user(user)))
    };
    let ((owner, marta), (guest, ilya)) = (of("marta"), of("ilya"));
    for (store, whose) in [(&owner, &marta), (&guest, &ilya)] {
        store.write(whose, &row(SECRET).because(SECRET), now()).unwrap();
        store.set_profile(whose, "landlord", SECRET, now()).unwrap();
    }
    guest.forget(&ilya, SECRET, now()).unwrap();
    assert!(
        guest.list(&ilya, &Filter::limit(9)).unwrap().is_empty() && guest.profile(&ilya).unwrap().is_empty()
    );
    is_refused(guest.write(&ilya, &row(SECRET), now()));
    assert_eq!(owner.list(&marta, &Filter::limit(9)).unwrap().len(), 1, "another's rows are theirs");
    assert_eq!(owner.profile(&marta).unwrap().len(), 1);
    assert!(owner.audit(&marta, 9).unwrap().iter().any(|entry| entry.reason.as_deref() == Some(SECRET)));
    owner.write(&marta, &row(SECRET), now()).unwrap();
}

// The file of lines keeps what a row said before; that was left there where the row says something else now.
#[test]
fn earlier_words_of_a_row_are_forgotten_and_what_it_says_now_stays() {
    each(|open, folder| {
        let store = open();
        let reworded = store.write(&agent(), &row(SECRET), now()).unwrap();
        assert!(store.update(&agent(), reworded, "My landlord is nobody's business", now()).unwrap());
        let mended = store.write(&agent(), &row("Tea at five"), now()).unwrap();
        assert!(store.update(&agent(), mended, SECRET, now()).unwrap());
        assert!(store.update(&agent(), mended, "Tea at six", now()).unwrap());
        store.delete(&agent(), mended, now()).unwrap();
        let gone = store.write(&agent(), &row("Coffee at five"), now()).unwrap();
        assert!(store.update(&agent(), gone, SECRET, now()).unwrap());
        store.forget(&human(), SECRET, now()).unwrap();
        assert_eq!(files_with(folder, "zanzibarqx"), [""; 0]);
        for store in [store, open()] {
            let kept = store.get(&agent(), reworded).unwrap().unwrap();
            assert_eq!(kept.content, "My landlord is nobody's business");
            assert_eq!(store.search(&agent(), &Query::new("business")).unwrap().hits.len(), 1);
            assert!(store.get(&agent(), gone).unwrap().is_none());
            assert!(store.restore(&agent(), mended, now()).unwrap());
            assert_eq!(store.get(&agent(), mended).unwrap().unwrap().content, "Tea at six");
            store.delete(&agent(), mended, now()).unwrap();
        }
    });
}

#[test]
fn it_is_forgotten_wherever_in_a_row_it_stands() {
    each(|open, folder| {
        let store = open();
        let place = |session: &str, speaker: Option<&str>| Place {
            session: session.to_owned(),
            position: 1,
            role: Role::User,
            speaker: speaker.map(str::to_owned),
            said_at: None,
        };
        let plain = || row("Nothing to see");
        let long = format!("{}\n{SECRET}\n{}", "a long row ".repeat(600), "and its end ".repeat(600));
        let doc = noctuary::DocName::parse("memory/zanzibarqx-kowalski-is-my-landlord.md").unwrap();
        let cite = noctuary::format::SourceRef { name: doc, first_line: 1, last_line: 1 };
        let rows = [
            NewMemory::new(SECRET, "Nothing to see", Source::AgentRecorded),
            NewMemory::new("lesson", "Nothing to see", Source::Other(SECRET.to_owned())),
            plain().at(place(SECRET, None)),
            plain().at(place("s", Some(SECRET))),
            plain().metadata(
                serde_json::from_str(r#"{"\u005aanzibarqx \"Kowalski\" is my landlord": 1}"#).unwrap(),
            ),
            plain().about(FactKey::one(SECRET, "home")),
            plain().about(FactKey::many("home", SECRET)),
            plain().cites(vec![cite]),
            row(&long),
        ];
        for new in &rows {
            store.write(&agent(), new, now()).unwrap();
        }
        let kept = store.write(&agent(), &plain(), now()).unwrap();
        let receipt = store.forget(&human(), SECRET, now()).unwrap();
        assert_eq!(of(&receipt, ForgetPlace::Rows), (9, 9), "{receipt:?}");
        assert_eq!(files_with(folder, "zanzibarqx"), [""; 0]);
        for store in [store, open()] {
            let ids: Vec<_> =
                store.list(&agent(), &Filter::limit(99)).unwrap().iter().map(|row| row.id).collect();
            // A long row that has it somewhere says the rest.
            assert_eq!(ids, [kept, MemoryId::new(9)]);
            for new in &rows {
                is_refused(store.write(&agent(), new, now()));
            }
            assert_eq!(files_with(folder, "zanzibarqx"), [""; 0]);
        }
    });
}

// A reason was looked at when the statement was forgotten, and not when the next one came in.
#[test]
fn no_reason_and_no_refusal_says_it_again() {
    each(|open, folder| {
        let store = open();
        store.forget(&human(), SECRET, now()).unwrap();
        for store in [store, open()] {
            let because = || format!("since {SECRET}");
            let id = store.write(&agent(), &row("Tea at five").because(because()), now()).unwrap();
            is_refused(store.write(&agent(), &row(SECRET).because(SECRET), now()));
            let source = Source::Other(SECRET.to_owned());
            is_refused(store.write(&agent(), &NewMemory::new("lesson", "Tea", source), now()));
            let decided = store.decide(&agent(), &Decision::reject(id).because(because()), now()).unwrap();
            assert!(store.audit(&human(), 99).unwrap().iter().all(|entry| entry.reason.is_none()));
            assert!(store.decisions(&human(), 99).unwrap().iter().all(|event| event.reason.is_none()));
            store.revert(&agent(), decided.id, now()).unwrap();
            assert_eq!(files_with(folder, "zanzibarqx"), [""; 0]);
        }
    });
}

// A write that saw what was forgotten before must not come after the forgetting.
#[test]
fn who_writes_while_it_is_forgotten_comes_before_or_is_refused() {
    each(|open, folder| {
        let (one, peer) = (open(), open());
        std::thread::scope(|scope| {
            for store in [&one, &peer] {
                scope.spawn(move || {
                    for _ in 0..200 {
                        if store.write(&agent(), &row(SECRET), now()).is_err() {
                            break;
                        }
                    }
                });
            }
            scope.spawn(|| one.forget(&human(), SECRET, now()).unwrap());
            scope.spawn(|| peer.forget(&human(), SECRET, now()).unwrap());
        });
        for store in [&one, &peer, &open()] {
            assert!(store.list(&agent(), &Filter::limit(9)).unwrap().is_empty());
        }
        one.forget(&human(), SECRET, now()).unwrap();
        assert_eq!(files_with(folder, "zanzibarqx"), [""; 0]);
    });
}

// The guest's own value went where another guest said the statement under the same key.
#[test]
fn a_guest_that_forgets_keeps_what_others_say_by_the_same_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let of = |user: &str| {
        let store = noctuary::SqliteMemoryStore::open(&path, Scope::user(user)).unwrap();
        (store, Access::human(Scope::user(user)))
    };
    let ((owner, marta), (guest, ilya), (other, olga)) = (of("marta"), of("ilya"), of("olga"));
    owner.set_profile(&marta, "landlord", SECRET, now()).unwrap();
    guest.set_profile(&ilya, "landlord", SECRET, now()).unwrap();
    other.set_profile(&olga, "landlord", "nobody", now()).unwrap();
    other.forget(&olga, SECRET, now()).unwrap();
    assert_eq!(other.profile(&olga).unwrap(), [("landlord".to_owned(), "nobody".to_owned())]);
    assert_eq!((owner.profile(&marta).unwrap().len(), guest.profile(&ilya).unwrap().len()), (1, 1));
}

#[test]
fn a_reader_keeps_the_log_and_the_receipt_says_so_until_it_is_forgotten_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 1);
    store.write(&agent(), &row(SECRET), now()).unwrap();
    let reader = rusqlite::Connection::open(folder.path().join("memory.db")).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let count = |reader: &rusqlite::Connection| {
        reader.query_row("SELECT count(*) FROM memories", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(count(&reader), 1);
    let mut config = noctuary::store::StoreConfig::default();
    config.patience = std::time::Duration::from_millis(50);
    let path = folder.path().join("memory.db");
    let store = noctuary::SqliteMemoryStore::open_with(path, Scope::user("marta"), config).unwrap();
    let receipt = store.forget(&human(), SECRET, now()).unwrap();
    let left = |receipt: &[PlaceReceipt]| receipt.iter().filter_map(|line| line.left.clone()).count();
    assert_eq!(left(&receipt), 1, "{receipt:?}");
    assert!(!files_with(folder.path(), "zanzibarqx").is_empty(), "the reader still has it");
    assert_eq!(count(&reader), 1);
    reader.execute_batch("COMMIT").unwrap();
    assert_eq!(left(&store.forget(&human(), SECRET, now()).unwrap()), 0);
    assert_eq!(files_with(folder.path(), "zanzibarqx"), [""; 0]);
}

#[test]
fn no_part_of_the_index_keeps_a_word_of_what_was_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 1);
    let word = |at: u64| format!("q{:x}zv", at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20);
    let mut ids = Vec::new();
    for at in 0..400 {
        let content = format!("{} is the {} of the house", word(at), word(at + 1000));
        ids.push(store.write(&agent(), &row(&content), now()).unwrap());
        if at % 3 == 0 {
            store
                .update(&agent(), ids[ids.len() / 2], &format!("{} was here once", word(at + 2000)), now())
                .unwrap();
        }
        if at % 40 == 39 {
            let text = format!("{} is the {} of the house", word(at - 1), word(at + 999));
            store.forget(&human(), &text, now()).unwrap();
            for gone in [at - 1, at + 999] {
                assert_eq!(files_with(folder.path(), &word(gone)), [""; 0], "{at}");
            }
        }
    }
    assert_eq!(store.list(&agent(), &Filter::limit(999)).unwrap().len(), 390);
}

#[test]
fn what_another_program_wrote_is_forgotten_however_it_wrote_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let seed = rusqlite::Connection::open(&path).unwrap();
    seed.execute_batch(
        "CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, category TEXT NOT NULL, content TEXT NOT NULL,
           metadata TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')),
           updated_at TEXT NOT NULL DEFAULT (datetime('now')));
         CREATE VIRTUAL TABLE memories_fts USING fts5(content, category, content='memories', content_rowid='id');",
    )
    .unwrap();
    let insert = |content: &str, metadata: &str| {
        seed.execute(
            "INSERT INTO memories (category, content, metadata) VALUES ('fact', ?1, ?2)",
            [content, metadata],
        )
        .unwrap();
    };
    for at in 0..50 {
        insert(&format!("row {at} {SECRET} {}", "x".repeat(at * 97)), "{}");
        insert(&format!("row {at} stays"), r#"{"source": "chat_extracted"}"#);
    }
    insert("notes", r#"{"twice": "Zanzibarqx Kowalski is my landlord", "twice": "innocent"}"#);
    insert("broken notes", "{ Zanzibarqx Kowalski is my landlord");
    // An update and a deletion of theirs leave the bytes where they were.
    seed.execute_batch(
        "INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');
         UPDATE memories SET content = 'short now' WHERE id % 4 = 1 AND id < 50;
         DELETE FROM memories WHERE id BETWEEN 60 AND 70;",
    )
    .unwrap();
    drop(seed);
    assert!(!files_with(folder.path(), "zanzibarqx").is_empty());
    let store = open(folder.path(), 1);
    store.forget(&human(), SECRET, now()).unwrap();
    assert_eq!(files_with(folder.path(), "zanzibarqx"), [""; 0]);
}

// A forgetting that finds nothing does not rewrite a file from which nothing was removed.
#[test]
fn what_was_removed_before_it_was_forgotten_is_not_left_between_the_rows() {
    let removals = [
        "DELETE FROM memories WHERE content LIKE 'Zanzibarqx%'",
        "UPDATE memories SET content = 'short' WHERE content LIKE 'Zanzibarqx%'",
        "DELETE FROM user_profile",
        "INSERT OR REPLACE INTO user_profile (key, value) VALUES ('home', 'short')",
        "DROP TRIGGER memories_removed; DELETE FROM memories WHERE content LIKE 'Zanzibarqx%'",
    ];
    for removal in removals {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), 1);
        for at in 0..40 {
            store.write(&agent(), &row(&format!("Row {at} stays {}", "x".repeat(at * 31))), now()).unwrap();
        }
        if removal.contains("user_profile") {
            store.set_profile(&human(), "home", SECRET, now()).unwrap();
        } else {
            store.write(&agent(), &row(SECRET), now()).unwrap();
        }
        let shell = rusqlite::Connection::open(folder.path().join("memory.db")).unwrap();
        let vacuums = || shell.query_row("PRAGMA schema_version", [], |row| row.get::<_, i64>(0)).unwrap();
        let before = vacuums();
        store.forget(&human(), "nobody ever said this", now()).unwrap();
        assert_eq!(vacuums(), before, "nothing was removed: {removal}");
        shell.execute_batch(&format!("PRAGMA secure_delete = OFF; {removal}")).unwrap();
        drop(store);
        let store = open(folder.path(), 1);
        store.forget(&human(), SECRET, now()).unwrap();
        assert_eq!(files_with(folder.path(), "zanzibarqx"), [""; 0], "{removal}");
        assert!(vacuums() > before, "{removal}");
        let before = vacuums();
        store.forget(&human(), SECRET, now()).unwrap();
        assert_eq!(vacuums(), before, "{removal}");
    }
}

// BX-15: everything at once, then everything that could bring it back.
#[test]
fn stores_workspace_and_index_forget_together_and_nothing_brings_it_back() {
    use noctuary::exchange::{Forget, feed};
    use noctuary::life::Indexed;
    use noctuary::{DocName, FileWorkspace, SqliteIndex, SqliteMemoryStore, Workspace, WriteMode};

    let folder = tempfile::tempdir().unwrap();
    let scope = Scope::user("marta");
    let life = folder.path().join("life");
    fs::create_dir(&life).unwrap();
    let workspace = Indexed::new(
        FileWorkspace::open(&life).unwrap(),
        SqliteIndex::open(folder.path().join("index.db"), scope.clone()).unwrap(),
    );
    let put = |name: &str, text: &str| {
        workspace.write(&DocName::parse(name).unwrap(), text.as_bytes(), WriteMode::Create).unwrap();
    };
    let memory = format!(
        "# Memory\n\n- Tea at five.\n\n## Dreamed 2026-11-21\n<!-- dream:v1 id=0f3a9c5be2d14477 src=1 sha256=9b1f -->\n\n\
         ### Facts\n- {SECRET}. (memory/2026-11-20-repl.md#L2)\n- Likes tea. (memory/2026-11-20-repl.md#L3)\n\n\
         <!-- /dream:v1 id=0f3a9c5be2d14477 -->\n"
    );
    put("MEMORY.md", &memory);
    put(
        "memory/2026-11-20-repl.md",
        &format!("# Daily Log\n[09:00:00] [user] {SECRET}!\n[09:01:00] [user] Likes tea\n"),
    );
    let in_rows = SqliteMemoryStore::open(folder.path().join("memory.db"), scope.clone()).unwrap();
    let in_lines = FileMemoryStore::open(&life, scope.clone()).unwrap();
    for store in [&in_rows as &dyn MemoryStore, &in_lines] {
        assert_eq!(feed(&workspace, store, &scope, now()).unwrap().written, 2);
    }
    assert_eq!(workspace.search(&human(), "Zanzibarqx", 9).unwrap().results.len(), 2);

    let access = human();
    let forget = |in_files| {
        let asked = Forget::new(&access, SECRET).store(&in_rows).store(&in_lines).workspace(&workspace);
        asked.index(&workspace).in_files(in_files).run(now()).unwrap()
    };
    let receipt = forget(false);
    assert_eq!((receipt.place(ForgetPlace::Rows).found, receipt.place(ForgetPlace::Rows).removed), (2, 2));
    assert_eq!(
        (receipt.place(ForgetPlace::Memory).found, receipt.place(ForgetPlace::Memory).removed),
        (1, 0)
    );
    assert!(!receipt.is_gone(), "the person's files are theirs: {receipt}");
    let kept = fs::read_to_string(life.join("MEMORY.md")).unwrap();
    assert_eq!(kept, memory);

    let nothing_brings_it_back = || {
        for store in [&in_rows as &dyn MemoryStore, &in_lines] {
            let fed = feed(&workspace, store, &scope, now()).unwrap();
            assert_eq!((fed.written, fed.refused), (0, 1), "{fed:?}");
            is_refused(store.write(&human(), &NewMemory::new("fact", SECRET, Source::Imported), now()));
            store.purge(now() + Days::new(99), now()).unwrap();
            assert!(store.search(&human(), &Query::new("Zanzibarqx")).unwrap().hits.is_empty());
        }
        workspace.sync(now()).unwrap();
        workspace.rebuild(now()).unwrap();
        assert!(workspace.search(&human(), "Zanzibarqx", 9).unwrap().results.is_empty());
        assert!(workspace.search(&human(), "tea", 9).unwrap().results.len() >= 2, "the rest is found");
    };
    nothing_brings_it_back();
    let in_files: Vec<_> = files_with(folder.path(), "zanzibarqx");
    assert_eq!(in_files.len(), 2, "the two documents alone: {in_files:?}");

    let receipt = forget(true);
    assert!(receipt.is_gone(), "{receipt}");
    assert_eq!(files_with(folder.path(), "zanzibarqx"), [""; 0]);
    let struck = fs::read_to_string(life.join("MEMORY.md")).unwrap();
    assert_eq!(struck.len(), memory.len(), "every line stays where it was");
    assert!(
        struck.contains("- Tea at five.\n") && struck.contains("- Likes tea. (memory/2026-11-20-repl.md#L3)")
    );
    nothing_brings_it_back();
}
