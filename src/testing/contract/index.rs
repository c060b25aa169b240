//! Suites of every index over documents. Each suite panics with what does not hold.
//!
//! An index is made new and empty, for the scope of [`scope`].
//!
//! # Example: a backend proves itself
//!
//! ```
//! # #[cfg(feature = "sqlite")] {
//! use std::sync::Arc;
//! use noctuary::SqliteIndex;
//! use noctuary::testing::contract::index;
//!
//! index::suite(&|| Arc::new(SqliteIndex::open_in_memory(index::scope()).unwrap()));
//! # }
//! ```

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};

use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::document::Revision;
use crate::base::name::DocName;
use crate::search::documents::{
    Audience, ChunkConfig, DocumentIndex, IndexChange, IndexEntry, SearchResult, SeenDocument,
};

/// Makes a new, empty index of [`scope`].
pub type Make<'a> = &'a dyn Fn() -> Arc<dyn DocumentIndex>;

/// Returns the scope of the index.
#[must_use]
pub fn scope() -> Scope {
    Scope::user("marta")
}

/// Runs every suite.
pub fn suite(make: Make<'_>) {
    documents(make().as_ref());
    steps(make().as_ref());
    ids(make().as_ref());
    results(make().as_ref());
    audiences(make().as_ref());
    any_text(make().as_ref());
    peers(&make());
}

fn access(kind: SessionKind) -> Access {
    Access::new(kind, Actor::Agent, scope())
}

fn name(text: &str) -> DocName {
    DocName::parse(text).expect("a name of the suite")
}

fn at(second: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).single().expect("a time") + TimeDelta::seconds(second)
}

fn private() -> Audience {
    Audience::of(|kind| kind == SessionKind::Main)
}

fn seen(text: &str, second: i64, audience: Audience) -> SeenDocument {
    SeenDocument {
        size: text.len() as u64,
        modified: at(second) + TimeDelta::nanoseconds(1),
        revision: Revision::of(text.as_bytes()),
        audience,
        chunking: ChunkConfig::default().identity(),
    }
}

fn put(index: &dyn DocumentIndex, document: &str, text: &str, audience: Audience) -> IndexChange {
    let document = name(document);
    let before = index.seen_of(&document).expect("a look");
    let after = IndexEntry::Text {
        seen: seen(text, 0, audience),
        text: text.to_owned(),
        chunks: ChunkConfig::default().chunks(text),
    };
    IndexChange { name: document, before, after }
}

fn apply(index: &dyn DocumentIndex, changes: &[IndexChange]) {
    let done = index.apply(changes, at(9)).expect("changes are carried out");
    assert_eq!(done, vec![true; changes.len()], "nobody else was there");
}

fn find(index: &dyn DocumentIndex, text: &str) -> Vec<SearchResult> {
    index.search(&access(SessionKind::Main), text, 100).expect("a search never fails for its text")
}

fn paths(found: &[SearchResult]) -> Vec<&str> {
    found.iter().map(|result| result.path.as_str()).collect()
}

/// A document that is put is seen and found; one that is gone is neither.
pub fn documents(index: &dyn DocumentIndex) {
    assert!(index.seen().expect("a look").is_empty());
    apply(
        index,
        &[put(index, "a.md", "harbour\n", private()), put(index, "b/c.md", "harbour master\n", private())],
    );
    let all = index.seen().expect("a look");
    assert_eq!(all.keys().map(|name| name.as_str()).collect::<Vec<_>>(), ["a.md", "b/c.md"]);
    assert_eq!(all[&name("a.md")], seen("harbour\n", 0, private()), "to the nanosecond");
    assert_eq!(index.seen_of(&name("a.md")).expect("a look").as_ref(), all.get(&name("a.md")));
    assert_eq!(find(index, "harbour").len(), 2);

    apply(index, &[put(index, "a.md", "garden\n", private())]);
    assert_eq!(paths(&find(index, "harbour")), ["b/c.md"], "the old text is gone");
    assert_eq!(paths(&find(index, "garden")), ["a.md"]);

    let touched = seen("garden\n", 5, private());
    let before = index.seen_of(&name("a.md")).expect("a look");
    apply(index, &[IndexChange { name: name("a.md"), before, after: IndexEntry::Same(touched.clone()) }]);
    assert_eq!(index.seen_of(&name("a.md")).expect("a look"), Some(touched));
    assert_eq!(paths(&find(index, "garden")), ["a.md"], "the text stands");

    apply(index, &[put(index, "a.md", "", private())]);
    assert!(find(index, "garden").is_empty());
    assert!(index.seen_of(&name("a.md")).expect("a look").is_some(), "an empty document is seen");

    let before = index.seen_of(&name("b/c.md")).expect("a look");
    apply(index, &[IndexChange { name: name("b/c.md"), before, after: IndexEntry::Gone }]);
    assert!(index.seen_of(&name("b/c.md")).expect("a look").is_none());
    assert!(find(index, "harbour").is_empty());

    apply(index, &[put(index, "a.md", "harbour\n", private())]);
    index.clear().expect("a clear");
    assert!(index.seen().expect("a look").is_empty() && find(index, "harbour").is_empty());
    apply(index, &[put(index, "a.md", "harbour\n", private())]);
    assert_eq!(find(index, "harbour").len(), 1, "a cleared index goes on");
}

/// A change is carried out only where the index is as the change says.
pub fn steps(index: &dyn DocumentIndex) {
    let first = put(index, "a.md", "one\n", private());
    let late = put(index, "a.md", "late\n", private());
    let other = put(index, "b.md", "other\n", private());
    apply(index, &[first]);
    let done = index.apply(&[late, other], at(9)).expect("a refusal is no error");
    assert_eq!(done, [false, true], "the one that came late is not carried out; the other one is");
    assert_eq!((find(index, "late").len(), find(index, "one").len(), find(index, "other").len()), (0, 1, 1));
    let gone = IndexChange { name: name("a.md"), before: None, after: IndexEntry::Gone };
    assert_eq!(index.apply(&[gone], at(9)).expect("a refusal is no error"), [false]);
    assert_eq!(index.apply(&[], at(9)).expect("nothing to do"), [false; 0]);
}

/// Documents and chunks keep their ids for as long as they keep their places.
pub fn ids(index: &dyn DocumentIndex) {
    let text = |word: &str| format!("# One\n\nharbour {word}\n\n# Two\n\nharbour {word}\n");
    let ids = |index: &dyn DocumentIndex| {
        let mut found = find(index, "harbour");
        found.sort_by_key(|result| result.chunk_index);
        found.into_iter().map(|result| (result.document_id, result.chunk_id)).collect::<Vec<_>>()
    };
    apply(index, &[put(index, "a.md", &text("east"), private())]);
    let first = ids(index);
    assert_eq!(first.len(), 2);
    assert!(first[0].0 == first[1].0 && first[0].1 != first[1].1, "one document, two chunks");
    let is_uuid = |id: &str| {
        id.split('-').map(str::len).eq([8, 4, 4, 4, 12])
            && id.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
    };
    assert!(first.iter().all(|(document, chunk)| is_uuid(document) && is_uuid(chunk)), "{first:?}");
    apply(index, &[put(index, "a.md", &text("west"), private())]);
    assert_eq!(ids(index), first, "another text, the same places");
    index.clear().expect("a clear");
    apply(index, &[put(index, "a.md", &text("west"), private())]);
    assert_eq!(ids(index), first, "and so it is when all is made anew");
}

/// Results say where they are, and come in one order. (VW-10, VW-11, VW-22)
pub fn results(index: &dyn DocumentIndex) {
    let section = "# Quay\n\nThe harbour lies east.\n";
    for document in ["c.md", "a.md", "b.md"] {
        apply(index, &[put(index, document, &format!("# Intro\n\nNothing.\n\n{section}"), private())]);
    }
    apply(index, &[put(index, "best.md", "harbour harbour harbour\n", private())]);
    let found = find(index, "What of the harbour?");
    assert_eq!(paths(&found), ["best.md", "a.md", "b.md", "c.md"], "ties come by path");
    assert_eq!((found[1].chunk_index, found[1].lines, found[1].content.as_str()), (1, (5, 7), section));
    assert!((found[0].score - 1.0).abs() < f64::EPSILON, "first in every arm is 1");
    assert!(found.windows(2).all(|pair| pair[0].score > pair[1].score), "and then it falls");
    let words: Vec<f64> = found.iter().map(|result| result.bm25_score.expect("there were words")).collect();
    assert!(words.iter().all(|score| (0.0..=1.0).contains(score)), "{words:?}");
    assert!(words.windows(2).all(|pair| pair[0] >= pair[1]), "by the words alone it is the same order");
    assert!(found.iter().all(|result| result.vector_score.is_none()));
    for limit in 0..5 {
        let access = access(SessionKind::Main);
        let first = index.search(&access, "harbour", limit).expect("a search");
        assert_eq!(paths(&first), &paths(&find(index, "harbour"))[..limit], "a limit cuts the same order");
    }
    assert!(!format!("{found:?}").contains("lies east"), "what is printed holds no words");
}

/// A session finds only what has it in its audience, and another scope nothing.
pub fn audiences(index: &dyn DocumentIndex) {
    let kinds = [SessionKind::Main, SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled];
    for (at, kind) in kinds.into_iter().enumerate() {
        let audience = Audience::of(|other| other == kind);
        apply(index, &[put(index, &format!("{at}.md"), "harbour +++\n", audience)]);
    }
    for query in ["harbour", "+++", "harb*", "harbour NOT garden", "\"harbour\"", "0"] {
        for (at, kind) in kinds.into_iter().enumerate() {
            let found = index.search(&access(kind), query, 100).expect("a search");
            let own = format!("{at}.md");
            assert!(found.iter().all(|result| result.path.as_str() == own), "{kind:?} {query}: {found:?}");
            assert!(query == "0" || found.len() == 1, "{kind:?} {query}: {found:?}");
        }
    }
    let other = Access::human(Scope::user("ilya"));
    assert!(index.search(&other, "harbour", 100).expect("a search").is_empty());
    let agent = Scope { user: "marta".to_owned(), agent: "second".to_owned() };
    let other = Access::human(agent);
    assert!(index.search(&other, "harbour", 100).expect("a search").is_empty());
}

/// No text is an error, and scripts without spaces are found.
pub fn any_text(index: &dyn DocumentIndex) {
    let text = "山寨币崩了。沈黙は金。한국어로 말해요. ภาษาไทย. C++ and 0.5% for O'Brien\n";
    apply(index, &[put(index, "memory/2026-11-21-repl.md", text, private())]);
    for query in ["山寨", "崩", "沈黙", "한국", "ไทย", "C++", "0.5%", "O'Brien", "repl", "2026-11-21"]
    {
        assert_eq!(find(index, query).len(), 1, "{query}");
    }
    let deep = "(".repeat(5000);
    let long = "harbour ".repeat(20_000);
    let marks = [
        "",
        " ",
        "\"",
        "'",
        "*",
        "(",
        ")",
        "AND",
        "NOT a",
        "a OR",
        "a:b",
        "content:",
        "NEAR(a b)",
        "-a",
        "\0",
    ];
    let hostile =
        ["terms : x", "category:x y", "{a b} : c", "^a", "a + b", "a\u{0}b", "\"a\" \"", "😀", "\u{202e}"];
    for query in marks.into_iter().chain(hostile).chain([deep.as_str(), &long, &"\"a\" AND ".repeat(3000)]) {
        let _ = find(index, query);
    }
}

/// Handles in several threads lose nothing.
pub fn peers(index: &Arc<dyn DocumentIndex>) {
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let index = Arc::clone(index);
            scope.spawn(move || {
                for document in 0..10 {
                    let document = format!("{thread}-{document}.md");
                    apply(index.as_ref(), &[put(index.as_ref(), &document, "harbour\n", private())]);
                }
            });
        }
    });
    assert_eq!(index.seen().expect("a look").len(), 40);
    assert_eq!(find(index.as_ref(), "harbour").len(), 40);
}
