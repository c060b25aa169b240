//! Suites of search.

use super::kit::{agent, search, sorted, write};
use crate::memory::{MemoryId, MemoryStore, Order, Query, SearchOutcome};

/// A question finds the rows that share its words, the best first. (SQ-01, SQ-03, SQ-08, BX-14)
pub fn words(store: &dyn MemoryStore) {
    let base = write(store, "preference", "Always use Base for swaps; slippage 0.5%", 0);
    let noise = write(store, "observation", "The harbour is closed on the first day of the year", 1);
    let impact = write(store, "lesson", "Price impact was worse than slippage", 2);
    assert_eq!(sorted(search(store, "slippage")), [base, impact], "each row with the word is found");
    let best = search(store, "What is the slippage that I use on Base?")[0];
    assert_eq!(best, base, "the row with more of the words is first");
    assert_eq!(search(store, "harbours closing"), [noise], "endings do not count");
    assert_eq!(search(store, "observation"), [noise], "the category is searched too");
    assert_eq!(search(store, "zebra"), [], "a word of no row finds none");
    let found = store.search(&agent(), &Query::new("slippage")).expect("a search");
    assert_eq!(found.outcome, SearchOutcome::Hit, "the outcome says that there are hits");
    let scores = (found.hits[0].score, found.hits[1].score);
    assert!(scores.0 >= scores.1 && scores.0 <= 1.0, "scores fall, and are at most 1: {scores:?}");
    assert!(found.hits.iter().all(|hit| !hit.why.is_empty()), "each hit says why");
    let empty = store.search(&agent(), &Query::new("zebra")).expect("a search");
    assert_eq!(empty.outcome, SearchOutcome::Empty, "the outcome says that there are none");
    for limit in [1, 0] {
        let found = store.search(&agent(), &Query::new("slippage").limit(limit)).expect("a search");
        assert_eq!(found.hits.len(), limit, "a search gives at most its limit");
    }

    let mut recent = Query::new("slippage");
    recent.order = Order::Recency;
    let found = store.search(&agent(), &recent).expect("a search");
    let order: Vec<_> = found.hits.iter().map(|hit| hit.memory.id).collect();
    assert_eq!(order, [impact, base], "the latest touched first, where that is asked");

    let tied: Vec<_> = [3, 4, 4].iter().map(|second| write(store, "tie", "same words", *second)).collect();
    assert_eq!(
        search(store, "same words"),
        [tied[2], tied[1], tied[0]],
        "ties: the newest, then the greater id"
    );
}

/// Operators count where they are clearly meant. (seed 003, Search semantics; SQ-04 to SQ-07, SQ-10)
pub fn operators(store: &dyn MemoryStore) {
    let phrase = write(store, "preference", "I always use limit orders on base", 0);
    let stem = write(store, "observation", "I always used market orders; slippage hurts", 1);
    let both = write(store, "preference", "slippage on base", 2);
    let prefix = write(store, "observation", "slippery when wet, slips", 3);
    let is = |text: &str, expected: &[MemoryId]| {
        assert_eq!(sorted(search(store, text)), sorted(expected.to_vec()), "as a person types it: {text}");
        let raw = store.search(&agent(), &Query::fts(text)).expect("a search never fails for its text");
        let raw = raw.hits.into_iter().map(|hit| hit.memory.id).collect();
        assert_eq!(sorted(raw), sorted(expected.to_vec()), "in FTS5's own syntax: {text}");
    };
    is("\"always use\"", &[phrase]);
    is("\"limit orders\" AND base", &[phrase]);
    is("slippage AND base", &[both]);
    is("slippage OR limit", &[phrase, stem, both]);
    is("slippage NOT base", &[stem]);
    is("category:preference slippage", &[both]);
    is("slip*", &[stem, both, prefix]);
    is("slippage OR \"limit orders\"", &[phrase, stem, both]);
    // A phrase asks for its signs, and a category in quotes may have spaces.
    let vitamin = write(store, "travel plans", "vitamin C, and a manual of C#", 4);
    let language = write(store, "travel plans", "writes C++, mostly", 5);
    is("\"C++\"", &[language]);
    is("\"C#\"", &[vitamin]);
    is("category:\"travel plans\"", &[vitamin, language]);
    is("category:\"travel plans\" manual", &[vitamin]);
    // A query that FTS5 does not accept is plain words.
    for text in ["slippage AND", "(slippage", "slippage:base", "\"slippage", "NOT slippage", "^^slippage"] {
        let found = store.search(&agent(), &Query::fts(text)).expect("a search never fails for its text");
        assert!(!found.hits.is_empty(), "broken syntax is plain words: {text}");
    }
}

/// Scripts without spaces are found by their words, and identifiers by what they are. (BX-13)
pub fn scripts(store: &dyn MemoryStore) {
    for (second, (content, query)) in [
        ("我喜欢低滑点交易", "滑点"),
        ("他昨天去了海边散步", "海边在哪里"),
        ("ビットコインの価格は上がった", "価格"),
        ("회의는 부산에서 열린다", "부산"),
        ("ฉันชอบกาแฟดำ", "กาแฟ"),
        ("The error E0277 came from a missing bound", "E0277"),
        ("BTC-USD closed above 64,000", "BTC-USD"),
        ("Wrote the parser in C++ over a weekend", "c++ parser"),
        ("see src/sqlite/mod.rs:42", "mod.rs"),
    ]
    .into_iter()
    .enumerate()
    {
        let id = write(store, "observation", content, i64::try_from(second).expect("small"));
        assert_eq!(search(store, query).first(), Some(&id), "words of every script are found: {query}");
    }
}

/// No text makes a search fail: signs of the syntax, put together in `count` ways. (SQ-02)
pub fn any_text(store: &dyn MemoryStore, count: u64) {
    const SIGNS: [&str; 34] = [
        "\"",
        "'",
        "*",
        "(",
        ")",
        ":",
        "^",
        "+",
        "-",
        "{",
        "}",
        "NEAR",
        "NEAR(",
        ", 2)",
        "AND",
        "OR",
        "NOT",
        "row",
        "category:",
        "content :",
        "memories_fts",
        "rank",
        "%",
        "_",
        "\\",
        "\0",
        "\u{202e}",
        "交",
        "🦀",
        " ",
        "\n",
        "é",
        "--",
        ";",
    ];
    write(store, "fact", "a row to be found, 100% sure", 0);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    for _ in 0..count {
        let text: String = (0..=next(9))
            .map(|_| {
                let any = u32::try_from(next(0x11_0000)).ok().and_then(char::from_u32).map(String::from);
                let sign =
                    any.filter(|_| next(4) == 0).unwrap_or_else(|| SIGNS[next(SIGNS.len())].to_owned());
                sign + if next(2) == 0 { " " } else { "" }
            })
            .collect();
        for query in [Query::new(text.clone()), Query::fts(text.clone())] {
            if let Err(error) = store.search(&agent(), &query) {
                panic!("no text makes a search fail: {text:?}: {error:?}");
            }
        }
    }
    let long = "word ".repeat(50_000);
    let deep = "(".repeat(10_000);
    let dashes = "a-".repeat(10_000);
    let unbroken = "x".repeat(200_000);
    for text in [
        "",
        " ",
        "\0",
        "%",
        &long,
        &deep,
        &dashes,
        &unbroken,
        &"a AND ".repeat(5_000),
        &"\"a\" ".repeat(5_000),
    ] {
        for query in [Query::new(text), Query::fts(text)] {
            if let Err(error) = store.search(&agent(), &query) {
                panic!("no text makes a search fail: {} bytes: {error:?}", text.len());
            }
        }
    }
    assert_eq!(search(store, "100% sure").len(), 1, "and the row is still found");
}
