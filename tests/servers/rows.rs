//! A store on a server: every contract, the same answers as the other stores, and no row of anybody else.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use noctuary::doctor::{Doctor, FindingKind};
use noctuary::exchange::ForgetPlace;
use noctuary::facts::{Decision, FactKey, FactStore};
use noctuary::learning::{
    Ending, MethodStore, NewMethod, NewOutcome, NewPreference, NewRoleNote, PreferenceStore, RoleStore,
};
use noctuary::memory::{
    Filter, Hit, LearningStore, MemoryId, NewLearning, NewMemory, Order, Place, Query, Role, Source,
    categories,
};
use noctuary::postgres::{Postgres, PostgresMemoryStore};
use noctuary::store::StoreConfig;
use noctuary::testing::contract::{
    edges, fact, learning, memory as contract, method, preference, role, vectors,
};
use noctuary::{Access, Actor, FileMemoryStore, MemoryStore, Scope, SessionKind};
use postgres::{Client, NoTls};

use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::marta::now;
use noctuary_tests::common::server;

macro_rules! needs_a_server {
    () => {
        if !noctuary_tests::common::server::is_there() {
            return;
        }
    };
}

fn store() -> Arc<PostgresMemoryStore> {
    server::rows(contract::scope(), StoreConfig::default())
}

macro_rules! contracts {
    ($($name:ident),*) => {
        mod keeps {
            $(
                #[test]
                fn $name() {
                    needs_a_server!();
                    super::contract::$name(&*super::store());
                }
            )*
        }
    };
}

contracts!(
    rows, lists, words, operators, scripts, sessions, scopes, doors, edits, deletions, pins, profiles, audits
);

/// BX-31
#[test]
fn it_keeps_the_whole_contract_of_rows() {
    needs_a_server!();
    contract::store(&|| store());
}

#[test]
fn it_keeps_the_contract_of_facts() {
    needs_a_server!();
    fact::facts(&|| store());
}

#[test]
fn it_keeps_the_contracts_of_the_learning_loop() {
    needs_a_server!();
    learning::learnings(&|| store());
    method::methods(&|| store());
    preference::preferences(&|| store());
    role::roles(&|| store());
    role::edges(&*store());
}

#[test]
fn it_keeps_the_contract_of_edges() {
    needs_a_server!();
    edges::edges(&|| store());
}

#[test]
fn it_keeps_the_contract_of_vectors() {
    needs_a_server!();
    vectors::vectors(&|| store());
}

#[test]
fn no_string_makes_a_search_fail() {
    needs_a_server!();
    contract::any_text(&*store(), 300);
}

fn marta(kind: SessionKind, actor: Actor) -> Access {
    Access::new(kind, actor, Scope::user("marta"))
}

fn human() -> Access {
    marta(SessionKind::Main, Actor::Human)
}

// The server keeps no zero character in a text.
#[test]
fn every_character_of_a_row_comes_back() {
    needs_a_server!();
    let store = store();
    let access = human();
    for text in ["a\u{0}b of the harbour", "\u{10fffe}0 and \u{10fffe}", "plain 山寨币 \u{1f30a}"] {
        let id = store.write(&access, &NewMemory::new("note", text, Source::UserManual), now()).unwrap();
        let read = store.get(&access, id).unwrap().unwrap();
        assert_eq!(read.content, text);
        let found = store.search(&access, &Query::new(text)).unwrap();
        assert!(found.hits.iter().any(|hit| hit.memory.id == id), "{text:?}");
    }
}

fn any_text(dice: &mut Dice) -> String {
    const WORDS: [&str; 24] = [
        "harbour",
        "boats",
        "boat",
        "the",
        "of",
        "Lisbon",
        "Porto",
        "tea",
        "coffee",
        "BTC-USD",
        "C++",
        "0.5%",
        "slippage",
        "Ilya",
        "paints",
        "painting",
        "ferry",
        "山寨币",
        "Café",
        "rope",
        "moored",
        "ninth",
        "July",
        "don't",
    ];
    let words = 2 + dice.below(9);
    (0..words).map(|_| dice.pick(&WORDS)).collect::<Vec<_>>().join(" ")
}

fn any_row(dice: &mut Dice) -> NewMemory {
    let category = dice.pick(&[categories::FACT, categories::PREFERENCE, categories::OBSERVATION, "note"]);
    let source = dice.pick(&[Source::AgentRecorded, Source::ChatExtracted, Source::UserExplicit]);
    let mut row = NewMemory::new(category, any_text(dice), source);
    row.shared = dice.one_in(3);
    if dice.one_in(2) {
        row = row.at(Place {
            session: format!("talk {}", dice.below(3)),
            position: dice.below(30),
            role: dice.pick(&[Role::User, Role::Agent, Role::Other]),
            speaker: dice.pick(&[None, Some("Ilya".to_owned()), Some("user".to_owned())]),
            said_at: dice.pick(&[None, Some(now() - TimeDelta::days(9))]),
        });
    }
    if dice.one_in(4) {
        row = row.about(FactKey::one(dice.pick(&["Alice", "Marta"]), dice.pick(&["home", "drink"])));
    }
    row
}

trait Store: MemoryStore + FactStore {}
impl<S: MemoryStore + FactStore> Store for S {}

fn filters() -> [Filter; 3] {
    let mut late = Filter::limit(5);
    late.since = Some(now());
    [Filter::limit(99), Filter::limit(9).category("NOTE"), late]
}

/// What a store tells, word for word and number for number.
fn told(store: &dyn Store, queries: &[Query], ids: i64) -> String {
    let mut told = String::new();
    for access in [human(), marta(SessionKind::Shared, Actor::Agent)] {
        for query in queries {
            let found = store.search(&access, query).unwrap();
            writeln!(told, "{:?} {:?}: {:?}", access.kind, query.text, found.outcome).unwrap();
            for hit in &found.hits {
                writeln!(
                    told,
                    "  {} {:?} {:?} {:?} {:?}",
                    hit.memory.id, hit.score, hit.why, hit.reached, hit.stale
                )
                .unwrap();
            }
        }
        for filter in filters() {
            let listed = store.list(&access, &filter).unwrap();
            writeln!(told, "{:?}", listed.iter().map(|row| row.id).collect::<Vec<_>>()).unwrap();
        }
        writeln!(told, "{:?}", store.snapshot(&access, 20, now()).unwrap()).unwrap();
    }
    for id in (1..=ids).map(MemoryId::new) {
        writeln!(told, "{:?}", store.fact(&human(), id).unwrap()).unwrap();
    }
    let suspicions = store.suspicions(&human(), 99).unwrap();
    let pairs = suspicions.iter().map(|pair| (pair.older.memory.id, pair.newer.memory.id, pair.reason));
    writeln!(told, "{:?}", pairs.collect::<Vec<_>>()).unwrap();
    writeln!(told, "{:?}", store.decisions(&human(), 99).unwrap()).unwrap();
    for entry in store.audit(&human(), 9999).unwrap() {
        writeln!(told, "{}", serde_json::to_string(&entry).unwrap()).unwrap();
    }
    told
}

fn queries(dice: &mut Dice, now: DateTime<Utc>) -> Vec<Query> {
    let mut queries: Vec<Query> =
        ["what about the boats?", "\"of the\" harbour", "bo*", "tea AND NOT coffee", "category:note rope"]
            .map(Query::new)
            .into();
    queries.extend((0..3).map(|_| Query::new(any_text(dice))));
    queries.push(Query::new("painting harbour Lisbon").limit(3));
    let mut recent = Query::new("boats of Lisbon");
    recent.order = Order::Recency;
    queries.push(recent);
    let mut narrow = Query::new("coffee ferry slippage");
    narrow.filter = Filter::limit(7).category("Fact");
    narrow.filter.until = Some(now);
    queries.push(narrow);
    queries
}

/// Lives of writes, edits, decisions and forgets: a file, a database and a server give the same answers, ranks and scores.
#[test]
fn whatever_is_done_a_server_tells_what_the_other_stores_tell() {
    needs_a_server!();
    let lives = if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 400 } else { 6 };
    for life in 0..lives {
        let mut dice = Dice(life * 7919 + 17);
        let mut config = StoreConfig::default();
        config.facts.consolidation = dice.one_in(2);
        let folder = tempfile::tempdir().unwrap();
        let mut stores: Vec<Arc<dyn Store>> = vec![
            server::rows(Scope::user("marta"), config.clone()),
            Arc::new(
                FileMemoryStore::open_with(folder.path(), Scope::user("marta"), config.clone()).unwrap(),
            ),
        ];
        stores.push(Arc::new(
            noctuary::SqliteMemoryStore::open_in_memory_with(Scope::user("marta"), config).unwrap(),
        ));
        let (mut now, mut ids) = (now(), 0_i64);
        for step in 0..50 {
            now += dice.pick(&[0, 1, 60, 3000].map(TimeDelta::minutes)) + TimeDelta::nanoseconds(step);
            let access = dice.pick(&[human(), human(), marta(SessionKind::Main, Actor::Agent)]);
            let verb = dice.below(16);
            let row = any_row(&mut dice);
            let batch: Vec<NewMemory> = (0..dice.below(12)).map(|_| any_row(&mut dice)).collect();
            let mut id =
                || MemoryId::new(i64::try_from(dice.below(usize::try_from(ids + 1).unwrap())).unwrap() + 1);
            let (one, other) = (id(), id());
            let text = any_text(&mut dice);
            let answers: Vec<String> = stores
                .iter()
                .map(|store| match verb {
                    0..=4 => format!("{:?}", store.record(&access, &row, now)),
                    5 => format!("{:?}", store.write_all(&access, &batch, now)),
                    6 => format!("{:?}", store.update(&access, one, &text, now)),
                    7 => format!("{:?}", store.delete(&access, one, now)),
                    8 => format!("{:?}", store.restore(&access, one, now)),
                    9 => format!("{:?}", store.settle(now)),
                    10 => format!("{:?}", store.decide(&access, &Decision::supersede(one, other), now)),
                    11 => format!("{:?}", store.decide(&access, &Decision::coexist(one, other), now)),
                    12 => format!("{:?}", store.pin(&access, one, !dice_is_even(one), now)),
                    13 => format!("{:?}", store.purge(now - TimeDelta::days(2), now)),
                    14 if step % 3 == 0 => {
                        let forgotten = store.forget(&human(), &text, now);
                        // Where the words may be left differs between stores, and is said.
                        format!(
                            "{:?}",
                            forgotten.map(|places| {
                                places
                                    .into_iter()
                                    .map(|line| (line.place, line.found, line.removed))
                                    .collect::<Vec<_>>()
                            })
                        )
                    }
                    _ => format!("{:?}", store.set_profile(&access, &text, &text, now)),
                })
                .collect();
            for answer in &answers {
                assert_eq!(*answer, answers[0], "life {life}, step {step}, verb {verb}");
            }
            while stores[1].fact(&human(), MemoryId::new(ids + 1)).unwrap().is_some() {
                ids += 1;
            }
            if step % 10 == 9 {
                let queries = queries(&mut dice, now);
                let all: Vec<String> =
                    stores.iter().map(|store| told(store.as_ref(), &queries, ids)).collect();
                for (at, other) in all.iter().enumerate() {
                    let differs = all[0].lines().zip(other.lines()).find(|(one, other)| one != other);
                    assert!(all[0] == *other, "life {life}, step {step}, store {at}: {differs:#?}");
                }
            }
        }
    }
}

/// Several processes: rows that one of them keeps are of no more use once another one changed them.
#[test]
fn a_process_finds_at_once_what_another_one_changed() {
    needs_a_server!();
    let lives = if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 100 } else { 2 };
    for life in 0..lives {
        let mut dice = Dice(life * 6011 + 5);
        let fresh = server::Fresh::new();
        let of_process = |kept_bytes: usize| {
            let mut config = server::config(fresh.schema());
            config.kept_bytes = kept_bytes;
            let server = Postgres::connect_with(&server::url().unwrap(), config).unwrap();
            server.memory(Scope::user("marta")).unwrap()
        };
        // The third one has no room for all rows.
        let (writer, keeping, tight, forgetful) =
            (of_process(1 << 20), of_process(1 << 20), of_process(1 << 13), of_process(0));
        let (mut now, mut ids) = (now(), 40);
        let rows: Vec<NewMemory> = (0..ids).map(|_| any_row(&mut dice)).collect();
        assert!(writer.write_all(&human(), &rows, now).unwrap().iter().any(Result::is_ok));
        for step in 0..20 {
            now += TimeDelta::minutes(7);
            let id = |dice: &mut Dice| MemoryId::new(i64::try_from(dice.below(ids)).unwrap() + 1);
            let (one, other, text, row) =
                (id(&mut dice), id(&mut dice), any_text(&mut dice), any_row(&mut dice));
            let by = if dice.one_in(4) { &keeping } else { &writer };
            match dice.below(9) {
                0 | 1 => ids += usize::from(by.record(&human(), &row, now).is_ok()),
                2 | 3 => drop(by.update(&human(), one, &text, now)),
                4 => drop(by.delete(&human(), one, now)),
                5 => drop(by.restore(&human(), one, now)),
                6 => drop(by.decide(&human(), &Decision::supersede(one, other), now)),
                7 => drop(by.decide(&human(), &Decision::coexist(one, other), now)),
                _ if step % 7 == 0 => drop(by.forget(&human(), &text, now)),
                _ => drop(by.purge(now - TimeDelta::days(2), now)),
            }
            let texts =
                ["boats of Lisbon".to_owned(), any_text(&mut dice), any_text(&mut dice), any_text(&mut dice)];
            let queries = &texts.map(Query::new);
            let found = |store: &PostgresMemoryStore| {
                let mut found = String::new();
                for access in [human(), marta(SessionKind::Shared, Actor::Agent)] {
                    for query in queries {
                        for hit in store.search(&access, query).unwrap().hits {
                            let Hit { memory, score, why, .. } = hit;
                            writeln!(found, "{:?} {} {score:?} {why:?}", query.text, memory.id).unwrap();
                        }
                    }
                }
                found
            };
            let right = found(&forgetful);
            for (which, store) in [("writes", &writer), ("keeps", &keeping), ("has no room", &tight)] {
                let found = found(store);
                let differs = found.lines().zip(right.lines()).find(|(one, other)| one != other);
                assert!(found == right, "life {life}, step {step}, the one that {which}: {differs:#?}");
            }
        }
    }
}

/// Rows enough that frequent words have lists: a server gives the answers of a file, and no word is found twice or by a row that it left.
#[test]
fn frequent_words_are_found_in_lists_whatever_becomes_of_their_rows() {
    needs_a_server!();
    let fresh = server::Fresh::new();
    let folder = tempfile::tempdir().unwrap();
    let on_server = fresh.server.memory(Scope::user("marta")).unwrap();
    let in_file = FileMemoryStore::open(folder.path(), Scope::user("marta")).unwrap();
    let stores: [&dyn Store; 2] = [&on_server, &in_file];
    let mut dice = Dice(4242);
    let mut shell = Client::connect(&server::url().unwrap(), NoTls).unwrap();
    shell
        .batch_execute(&format!(
            "SET search_path = {}; SELECT set_config('noctuary.user', 'marta', false)",
            fresh.schema()
        ))
        .unwrap();
    let mut lists_of = |shared: bool| -> i64 {
        let sql = "SELECT count(*) FROM memory_lists WHERE shared = $1";
        shell.query_one(sql, &[&shared]).unwrap().get(0)
    };
    let mut time = now();
    for round in 0..3 {
        for _ in 0..3 {
            time += TimeDelta::minutes(1);
            let rows: Vec<NewMemory> = (0..300).map(|_| any_row(&mut dice)).collect();
            let written = stores.map(|store| {
                let written = store.write_all(&human(), &rows, time).unwrap();
                written.iter().filter(|row| row.is_ok()).count()
            });
            // What was forgotten is not said again.
            assert!(written[0] == written[1] && written[0] > 150, "{written:?}");
        }
        // A day's rows come one by one.
        for _ in 0..40 {
            let row = any_row(&mut dice);
            let is_kept = stores.map(|store| store.record(&human(), &row, time).is_ok());
            assert_eq!(is_kept[0], is_kept[1]);
        }
        let last = (round + 1) * 940;
        for _ in 0..60 {
            time += TimeDelta::seconds(7);
            let id = MemoryId::new(dice.below(last) + 1);
            let (verb, text) = (dice.below(4), any_text(&mut dice));
            let done = stores.map(|store| match verb {
                0 => format!("{:?}", store.update(&human(), id, &text, time)),
                1 => format!("{:?}", store.delete(&human(), id, time)),
                2 => format!("{:?}", store.restore(&human(), id, time)),
                _ => format!("{:?}", store.pin(&human(), id, true, time)),
            });
            assert_eq!(done[0], done[1], "round {round}");
        }
        if round == 1 {
            let forgotten = "slippage";
            let counts = stores.map(|store| {
                let places = store.forget(&human(), forgotten, time).unwrap();
                places
                    .iter()
                    .find(|line| line.place == ForgetPlace::Rows)
                    .map(|line| (line.found, line.removed))
            });
            assert!(counts[0].is_some_and(|(found, _)| found > 100), "{counts:?}");
            assert_eq!(counts[0], counts[1]);
            let purged = stores.map(|store| store.purge(time, time).unwrap());
            assert!(purged[0] > 20 && purged[0] == purged[1], "{purged:?}");
        }
        // A word of few rows has postings alone, the shared ones here at first.
        assert!(lists_of(false) >= 5 && (round < 2 || lists_of(true) > 0), "round {round}");
        let queries = queries(&mut dice, time);
        let all = stores.map(|store| told(store, &queries, 0));
        let differs = all[0].lines().zip(all[1].lines()).find(|(one, other)| one != other);
        assert!(all[0] == all[1], "round {round}: {differs:#?}");
        let sick = Doctor::of_server(&fresh.server).scope(Scope::user("marta")).examine(time).unwrap();
        let is_drifted = sick.findings.iter().any(|finding| finding.kind == FindingKind::DriftedIndex);
        assert!(!is_drifted, "round {round}");
    }
    on_server.rebuild_index().unwrap();
    assert!(lists_of(false) > 20 && lists_of(true) > 0);
}

fn dice_is_even(id: MemoryId) -> bool {
    id.get() % 2 == 0
}

/// Puts a word into every kind of thing that a store keeps.
fn fill(store: &PostgresMemoryStore, access: &Access, word: &str) {
    let write = |category: &str, text: String, shared: bool| {
        let mut row = NewMemory::new(category, text, Source::UserExplicit);
        row.shared = shared;
        store.write(access, &row, now()).unwrap()
    };
    write("note", format!("{word} privately moored"), false);
    write("note", format!("{word} shared mooring"), true);
    let old = write(categories::FACT, format!("{word} lives in Lisbon"), false);
    let new = write(categories::FACT, format!("{word} lives in Porto"), false);
    store.settle(now()).unwrap();
    store.decide(access, &Decision::supersede(old, new), now()).unwrap();
    let gone = write("note", format!("{word} was deleted"), false);
    store.delete(access, gone, now()).unwrap();
    store.set_profile(access, &format!("{word} key"), word, now()).unwrap();
    store.learn(access, &NewLearning::new(format!("{word} was learned")), now()).unwrap();
    let method =
        store.create_method(access, &NewMethod::new(word, "class", format!("{word} method")), now()).unwrap();
    store.report_outcome(access, &NewOutcome::new(word, [method], Ending::Success), now()).unwrap();
    store
        .propose_preference(access, &NewPreference::behavioural(word, format!("{word} wish")), now())
        .unwrap();
    store.take_note(access, &NewRoleNote::new("role", format!("{word} note")), now()).unwrap();
}

/// Everything that a store tells a session.
fn all_told(store: &PostgresMemoryStore, access: &Access, words: &[&str]) -> String {
    let mut all = String::new();
    for word in words {
        for query in
            [Query::new(*word), Query::new(format!("\"{word}\"")), Query::new(format!("{}*", &word[..4]))]
        {
            write!(
                all,
                "{:?}",
                store
                    .search(access, &query)
                    .unwrap()
                    .hits
                    .iter()
                    .map(|hit| &hit.memory.content)
                    .collect::<Vec<_>>()
            )
            .unwrap();
        }
        let near = noctuary::edges::EdgeStore::neighborhood(store, access, word, 99, now()).unwrap();
        write!(
            all,
            "{:?}",
            near.mentions.iter().map(|mention| mention.said.text().to_owned()).collect::<Vec<_>>()
        )
        .unwrap();
    }
    let mut everything = Filter::limit(999);
    everything.retired = true;
    let listed = store.list(access, &everything).unwrap();
    write!(all, "{:?}", listed.iter().map(|row| &row.content).collect::<Vec<_>>()).unwrap();
    write!(
        all,
        "{:?}",
        store.snapshot(access, 99, now()).unwrap().iter().map(|row| row.content.clone()).collect::<Vec<_>>()
    )
    .unwrap();
    write!(all, "{:?} {:?}", store.profile(access), store.learnings(access, 99)).unwrap();
    write!(all, "{:?} {:?}", store.methods(access), store.preferences(access)).unwrap();
    write!(all, "{:?}", store.notes(access, true)).unwrap();
    for id in (1..40).map(MemoryId::new) {
        let said = |fact: &noctuary::facts::Fact| fact.memory.content.clone();
        write!(all, "{:?}", store.get(access, id).unwrap().map(|row| row.content)).unwrap();
        write!(all, "{:?}", store.fact(access, id).unwrap().as_ref().map(said)).unwrap();
        write!(all, "{:?}", store.history(access, id).unwrap().iter().map(said).collect::<Vec<_>>()).unwrap();
    }
    all
}

/// A word of each scope and kind: no verb of another scope and no session with others present tells it, and no statement as the
/// library's role does.
#[test]
fn nothing_of_another_scope_and_nothing_private_is_told_by_any_verb_or_statement() {
    needs_a_server!();
    let folder = tempfile::tempdir().unwrap();
    let server = server::rows_server_in(folder.path());
    let scopes = [
        (Scope { user: "marta".into(), agent: String::new() }, "martawordqx"),
        (Scope { user: "marta".into(), agent: "second".into() }, "secondwordqx"),
        (Scope { user: "otto".into(), agent: String::new() }, "ottowordqx"),
    ];
    let words: Vec<&str> = scopes.iter().map(|(_, word)| *word).collect();
    let stores: Vec<PostgresMemoryStore> = scopes
        .iter()
        .map(|(scope, word)| {
            let store = server.memory(scope.clone()).unwrap();
            fill(&store, &Access::new(SessionKind::Main, Actor::Human, scope.clone()), word);
            store
        })
        .collect();
    for (store, (scope, own)) in stores.iter().zip(&scopes) {
        for (asking, _) in &scopes {
            let told = all_told(store, &Access::new(SessionKind::Main, Actor::Human, asking.clone()), &words);
            for word in &words {
                assert_eq!(
                    told.contains(word),
                    asking == scope && word == own,
                    "{word}: {asking:?} of {scope:?}"
                );
            }
        }
        for kind in [SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
            let told = all_told(store, &Access::new(kind, Actor::Agent, scope.clone()), &words);
            assert!(told.contains("shared mooring"), "{kind:?}");
            for private in
                ["privately", "Lisbon", "Porto", "deleted", "was learned", "wish", "ottowordqx key"]
            {
                assert!(!told.contains(private), "{private} is told to {kind:?}: {told}");
            }
        }
        let told = all_told(store, &Access::new(SessionKind::Main, Actor::Human, scope.clone()), &words);
        assert!(told.contains("privately") && !told.contains("was deleted"));
    }
    // Statements beside the library's, as its role.
    let schema = std::fs::read_to_string(folder.path().join(".postgres-rows")).unwrap();
    let mut shell = Client::connect(&server::url().unwrap(), NoTls).unwrap();
    shell.batch_execute(&format!("SET search_path = {schema}")).unwrap();
    let tables = shell
        .query(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = $1 AND tablename <> 'schema_version'",
            &[&schema],
        )
        .unwrap();
    let tables: Vec<String> = tables.iter().map(|row| row.get(0)).collect();
    let holding = |shell: &mut Client, word: &str| {
        let mut found = BTreeSet::new();
        for table in &tables {
            let sql = format!("SELECT count(*) FROM {table} t WHERE strpos(t::text, $1) > 0");
            let rows: i64 = shell.query_one(&sql, &[&word]).unwrap().get(0);
            if rows > 0 {
                found.insert(table.clone());
            }
        }
        found
    };
    for word in &words {
        assert_eq!(holding(&mut shell, word), BTreeSet::new(), "outside of a scope nothing is seen");
    }
    for (scope, own) in &scopes {
        let sql = "SELECT set_config('noctuary.user', $1, false), set_config('noctuary.agent', $2, false)";
        shell.query_one(sql, &[&scope.user, &scope.agent]).unwrap();
        for word in &words {
            let tables = holding(&mut shell, word);
            assert_eq!(tables.len() >= 7, word == own, "{word} of {scope:?}: {tables:?}");
            assert!(word == own || tables.is_empty(), "{word} of {scope:?}: {tables:?}");
        }
        for forbidden in [
            "INSERT INTO memory_learnings (user_id, agent_id, id, content, normal, normal_word, created_at)
             VALUES ('eve', '', 1, 'x', 'x', 1, 'x')",
            "INSERT INTO memory_learnings (user_id, agent_id, id, content, normal, normal_word, created_at)
             VALUES ('', '', 1, 'x', 'x', 1, 'x')",
        ] {
            assert!(shell.batch_execute(forbidden).is_err(), "a row of somebody else is refused");
        }
        // What was forgotten is in no row of any table, also of other kinds.
        let store = &stores[scopes.iter().position(|(other, _)| other == scope).unwrap()];
        let access = Access::new(SessionKind::Main, Actor::Human, scope.clone());
        let receipt = store.forget(&access, own, now()).unwrap();
        let rows = receipt.iter().find(|line| line.place == ForgetPlace::Rows).unwrap();
        assert_eq!((rows.found, rows.removed), (5, 5));
        assert_eq!(holding(&mut shell, own), BTreeSet::new(), "{own} was forgotten");
    }
}

/// A program beside the library may not do what is the human's.
#[test]
fn what_is_the_humans_is_guarded_by_the_tables() {
    needs_a_server!();
    let folder = tempfile::tempdir().unwrap();
    let store = server::rows_in(folder.path(), contract::scope(), StoreConfig::default());
    store.write(&human(), &NewMemory::new("fact", "Typed by hand", Source::UserManual), now()).unwrap();
    let agent = marta(SessionKind::Main, Actor::Agent);
    store
        .propose_preference(&agent, &NewPreference::hard_constraint("trade", "Never without asking"), now())
        .unwrap();
    store.create_method(&agent, &NewMethod::new("Name", "class", "Look twice"), now()).unwrap();
    let schema = std::fs::read_to_string(folder.path().join(".postgres-rows")).unwrap();
    let mut shell = Client::connect(&server::url().unwrap(), NoTls).unwrap();
    shell
        .batch_execute(&format!(
            "SET search_path = {schema}; SELECT set_config('noctuary.user', 'marta', false)"
        ))
        .unwrap();
    for forbidden in [
        "UPDATE memories SET retired_at = '2026-01-01 00:00:00'",
        "UPDATE memory_preferences SET state = 'active', approved_by = 'human'",
        "UPDATE memory_methods SET quarantine = 0",
        "UPDATE memory_methods SET graduated_by = 'human', graduated_at = '2026-01-01 00:00:00'",
    ] {
        let error = shell.batch_execute(forbidden).unwrap_err();
        assert!(error.as_db_error().unwrap().message().contains("only the human"), "{forbidden}: {error}");
    }
}
