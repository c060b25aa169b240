//! What both memory stores find alike.
#![cfg(feature = "sqlite")]
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::testing::contract::memory as contract;
use noctuary::{
    Access, Actor, FileMemoryStore, Filter, MemoryStore, NewMemory, Order, Place, Query, Role, SessionKind,
    Source, SqliteMemoryStore, Syntax,
};
use proptest::prelude::*;

fn main_session() -> Access {
    Access::new(SessionKind::Main, Actor::Agent, contract::scope())
}

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap()
}

/// Both stores with the same rows.
struct Both {
    _folder: tempfile::TempDir,
    file: FileMemoryStore,
    sqlite: SqliteMemoryStore,
}

impl Both {
    fn with(rows: &[NewMemory]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let both = Self {
            file: FileMemoryStore::open(folder.path(), contract::scope()).unwrap(),
            sqlite: SqliteMemoryStore::open_in_memory(contract::scope()).unwrap(),
            _folder: folder,
        };
        for (at, row) in rows.iter().enumerate() {
            let now = now() + TimeDelta::seconds(i64::try_from(at / 3).unwrap());
            let ids = both.stores().map(|store| store.write(&main_session(), row, now).unwrap());
            assert_eq!(ids[0], ids[1]);
        }
        both
    }

    fn stores(&self) -> [&dyn MemoryStore; 2] {
        [&self.file, &self.sqlite]
    }
}

fn fact(content: &str) -> NewMemory {
    NewMemory::new("fact", content, Source::AgentRecorded)
}

fn found(store: &dyn MemoryStore, query: &Query) -> Vec<i64> {
    store.search(&main_session(), query).unwrap().hits.iter().map(|hit| hit.memory.id.get()).collect()
}

fn ask(text: &str, syntax: Syntax) -> Query {
    let mut query = Query::new(text);
    query.syntax = syntax;
    query.filter = Filter::limit(1000);
    query
}

/// Which rows are found, by both alike.
fn found_by(both: &Both, query: &Query) -> BTreeSet<i64> {
    let [file, sqlite] = both.stores().map(|store| found(store, query).into_iter().collect::<BTreeSet<_>>());
    assert_eq!(file, sqlite, "the file of lines and SQLite: {query:?}");
    sqlite
}

#[test]
fn a_prefix_finds_every_word_that_begins_so() {
    let both = Both::with(
        &[
            "the playground",
            "happyland",
            "anything goes",
            "callousness hurts",
            "generalizations",
            "BTC-USD fell",
            "foo_bar",
            "山寨币很好",
            "한국어를 배운다",
        ]
        .map(fact),
    );
    for (text, row) in [
        ("play*", 1),
        ("happy*", 2),
        ("any*", 3),
        ("callousn*", 4),
        ("generaliz*", 5),
        ("btc-u*", 6),
        ("foo_b*", 7),
        ("山寨币*", 8),
        ("한국*", 9),
    ] {
        assert_eq!(found_by(&both, &ask(text, Syntax::Plain)), [row].into(), "{text}");
    }
}

#[test]
fn text_without_words_and_categories_alone_are_found_as_they_stand() {
    let both = Both::with(&["a party 🎉", "C+++ is none", "\u{e02b} private", "Ⓐ circled"].map(fact));
    for (text, rows) in [
        ("🎉", vec![1]),
        ("+++", vec![2]),
        ("\u{e02b}", vec![3]),
        ("Ⓐ", vec![4]),
        ("\"Ⓐ\"", vec![4]),
        ("category:FACT", vec![1, 2, 3, 4]),
        ("category:other", vec![]),
        ("-", vec![]),
    ] {
        assert_eq!(found_by(&both, &ask(text, Syntax::Plain)), rows.into_iter().collect(), "{text}");
    }
}

#[test]
fn a_condition_of_any_length_finds_what_fulfils_it() {
    let long = "many boats ".repeat(40);
    let both = Both::with(&[long.as_str(), "many boats"].map(fact));
    let phrase = |times: usize| format!("\"{}\"", "many boats ".repeat(times));
    assert_eq!(found_by(&both, &ask(&phrase(40), Syntax::Plain)), [1].into());
    assert_eq!(found_by(&both, &ask(&phrase(100_000), Syntax::Plain)), [].into());
    let joined = vec!["many-boats"; 100_000].join("-");
    assert_eq!(found_by(&both, &ask(&format!("{joined} AND boats"), Syntax::Plain)), [1, 2].into());
    assert_eq!(found_by(&both, &ask(&format!("{}*", "boat".repeat(100_000)), Syntax::Plain)), [].into());
    let both = Both::with(&["boat".repeat(50)].map(|text| fact(&text)));
    assert_eq!(found_by(&both, &ask(&format!("{}*", "boat".repeat(30)), Syntax::Plain)), [1].into());
}

#[test]
fn a_neighbour_that_does_not_fulfil_a_condition_is_not_found() {
    let store = SqliteMemoryStore::open_in_memory(contract::scope()).unwrap();
    let at = |position| Place {
        session: "chat".to_owned(),
        position,
        role: Role::User,
        speaker: None,
        said_at: None,
    };
    let long = format!("dogs {}", "and other words ".repeat(60));
    store.write(&main_session(), &fact(&long).at(at(1)), now()).unwrap();
    store.write(&main_session(), &fact("fact fact fact").at(at(2)), now()).unwrap();
    for _ in 0..400 {
        store.write(&main_session(), &fact("fact"), now()).unwrap();
    }
    for limit in [5, 100, 150] {
        let mut query = Query::new("fact NOT dogs");
        query.filter = Filter::limit(limit);
        assert!(!found(&store, &query).contains(&1), "the first row says dogs");
    }
}

/// What a session with others present is told of a store in which private rows say this.
fn told(store: &dyn MemoryStore, private: &[String], queries: &[String]) -> Vec<String> {
    const SHARED: [(&str, &str); 6] = [
        ("The boat lies in Lisbon", "ilya"),
        ("Marta likes the green harbour", "marta"),
        ("A harbour for a boat", "ilya"),
        ("Nice", "marta"),
        ("Lisbon is green in May", "ilya"),
        ("The boat and the train to Porto", "marta"),
    ];
    let place = |position: u64, speaker: &str| Place {
        session: "chat".to_owned(),
        position,
        role: Role::User,
        speaker: Some(speaker.to_owned()),
        said_at: None,
    };
    for (at, (text, speaker)) in (0_u64..).zip(SHARED) {
        store.write(&main_session(), &fact(text).at(place(at * 10, speaker)).shared(), now()).unwrap();
        if let Some(secret) = private.get(usize::try_from(at).unwrap()) {
            let (speaker, text) = secret.split_once(' ').unwrap_or((secret, secret));
            store.write(&main_session(), &fact(text).at(place(at * 10 + 1, speaker)), now()).unwrap();
        }
    }
    let group = Access::new(SessionKind::Shared, Actor::Agent, contract::scope());
    let mut told = Vec::new();
    for text in queries {
        for syntax in [Syntax::Plain, Syntax::Fts] {
            for order in [Order::Relevance, Order::Recency] {
                let mut query = ask(text, syntax);
                query.order = order;
                told.push(format!("{text}: {:?}", store.search(&group, &query).unwrap()));
            }
        }
    }
    told
}

fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(&WORDS[..]);
    prop::collection::vec(word, 1..6).prop_map(|words| words.join(" "))
}

const WORDS: [&str; 34] = [
    "boat",
    "boats",
    "harbour",
    "Marta",
    "Ilya",
    "Porto",
    "Porto's",
    "O'Brien",
    "O’Brien's",
    "Lisbon",
    "green",
    "greener",
    "playing",
    "play",
    "happiness",
    "happy",
    "BTC-USD",
    "btc",
    "C++",
    "0.5%",
    "山寨币",
    "山寨",
    "寨币很好",
    "用Rust写",
    "rust",
    "น้ำใจ",
    "ใจ",
    "Café",
    "cafe\u{301}",
    "ｃａｆｅ",
    "한국어",
    "don't",
    "src/lib.rs",
    "the",
];

fn expression() -> impl Strategy<Value = String> {
    let word = prop::sample::select(&WORDS[..]);
    let leaf = prop_oneof![
        4 => word.clone().prop_map(str::to_owned),
        2 => prop::collection::vec(word.clone(), 1..3).prop_map(|words| format!("\"{}\"", words.join(" "))),
        2 => (word, 1_usize..6).prop_map(|(word, chars)| {
            let prefix: String = word.chars().filter(|c| c.is_alphanumeric()).take(chars).collect();
            format!("{prefix}*")
        }),
        1 => Just("category:fact".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        (inner.clone(), prop::sample::select(&["AND", "OR", "NOT", ""][..]), inner)
            .prop_map(|(one, operator, other)| format!("({one} {operator} {other})"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(noctuary::testing::cases(2_000)))]

    #[test]
    fn conditions_find_the_same_rows_in_both_stores(
        rows in prop::collection::vec(words(), 1..10),
        queries in prop::collection::vec((expression(), expression(), 0_usize..3), 1..8),
    ) {
        let both = Both::with(&rows.iter().map(|row| fact(row)).collect::<Vec<_>>());
        for (one, other, operator) in queries {
            let text = format!("{one} {} {other}", ["AND", "OR", "NOT"][operator]);
            for syntax in [Syntax::Plain, Syntax::Fts] {
                found_by(&both, &ask(&text, syntax));
            }
        }
    }

    #[test]
    fn questions_find_the_same_rows_in_both_stores(
        rows in prop::collection::vec(words(), 1..12),
        queries in prop::collection::vec(words(), 1..8),
    ) {
        let both = Both::with(&rows.iter().map(|row| fact(row)).collect::<Vec<_>>());
        for text in queries {
            found_by(&both, &ask(&text, Syntax::Plain));
        }
    }

    /// The rows of others stand where they stand, and say other things.
    #[test]
    fn nothing_that_is_private_shows_in_what_a_session_with_others_is_told(
        ones in prop::collection::vec(words(), 6),
        others in prop::collection::vec(words(), 6),
        mut queries in prop::collection::vec(words(), 1..6),
    ) {
        queries.extend(["^The boat", "NEAR(boat lisbon) OR harbour", "{content} : green OR boat OR harbour"].map(str::to_owned));
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let files = folders.each_ref().map(|folder| FileMemoryStore::open(folder.path(), contract::scope()).unwrap());
        prop_assert_eq!(told(&files[0], &ones, &queries), told(&files[1], &others, &queries));
        let stores = [(); 2].map(|()| SqliteMemoryStore::open_in_memory(contract::scope()).unwrap());
        prop_assert_eq!(told(&stores[0], &ones, &queries), told(&stores[1], &others, &queries));
    }
}
