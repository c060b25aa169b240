//! Suites of every memory store that keeps edges beside its rows. Each suite panics with what does not hold.
//!
//! A store is made new and empty, for the scope of [`scope`], with the default configuration.
//!
//! # Example: a backend proves itself
//!
//! ```
//! # #[cfg(feature = "sqlite")] {
//! use std::sync::Arc;
//! use noctuary::SqliteMemoryStore;
//! use noctuary::testing::contract::edges;
//!
//! edges::edges(&|| Arc::new(SqliteMemoryStore::open_in_memory(edges::scope()).unwrap()));
//! # }
//! ```

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};

use super::memory::{self, access, agent, human};
use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::receipt::ForgetPlace;
use crate::edges::{Cited, CitedSource, Edge, EdgeStore, Neighborhood};
use crate::facts::{Decision, FactKey, FactStore};
use crate::memory::{MemoryId, MemoryStore, NewMemory, Source};

/// A store that keeps edges beside its rows.
pub trait Edged: MemoryStore + FactStore + EdgeStore {}

impl<S: MemoryStore + FactStore + EdgeStore> Edged for S {}

/// Makes a new, empty store of [`scope`].
pub type Make<'a> = &'a dyn Fn() -> Arc<dyn Edged>;

const WORKS: &str = "a verb that nothing stands against";

/// Returns the scope of the store.
#[must_use]
pub fn scope() -> Scope {
    memory::scope()
}

/// Runs every suite.
pub fn edges(make: Make<'_>) {
    finds(make().as_ref());
    hides(make().as_ref());
    sessions(make().as_ref());
    changes(make().as_ref());
    replays(make().as_ref());
    caps(make().as_ref());
    scenarios(make().as_ref());
    contradictions(make().as_ref());
    forgets(make().as_ref());
    editions(make().as_ref());
}

fn at(minute: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).single().expect("a time") + TimeDelta::minutes(minute)
}

fn row(text: &str) -> NewMemory {
    NewMemory::new("observation", text, Source::AgentRecorded)
}

fn write(store: &dyn Edged, text: &str) -> MemoryId {
    store.write(&agent(), &row(text), at(0)).expect(WORKS)
}

fn around(store: &dyn Edged, access: &Access, asked: &str) -> Neighborhood {
    store.neighborhood(access, asked, 50, at(30)).expect(WORKS)
}

/// Returns the rows that speak of an entity.
fn mentions(store: &dyn Edged, asked: &str) -> Vec<MemoryId> {
    ids(&around(store, &human(), asked))
}

fn ids(around: &Neighborhood) -> Vec<MemoryId> {
    let of = |said: &Cited| match said {
        Cited::Row(fact) => fact.memory.id,
        other => panic!("a row was written, and not {other:?}"),
    };
    around.mentions.iter().map(|mention| of(&mention.said)).collect()
}

fn is_nothing(around: &Neighborhood) -> bool {
    around.mentions.is_empty() && around.neighbors.is_empty() && around.contradictions.is_empty()
}

fn beside(around: &Neighborhood) -> Vec<(String, u64)> {
    around.neighbors.iter().map(|near| (near.entity.to_string(), near.texts)).collect()
}

fn top(store: &dyn Edged, access: &Access) -> Vec<(String, u64)> {
    let top = store.top_entities(access, 99).expect(WORKS);
    top.into_iter().map(|top| (top.entity.to_string(), top.texts)).collect()
}

/// A written row is found by every name in it, the latest first, with what is beside it. (GE-01, GE-03)
pub fn finds(store: &dyn Edged) {
    assert!(is_nothing(&around(store, &human(), "Brisk")));
    let one = write(store, "Marta moored [[Brisk]] beside @jan #sailing");
    let two = write(store, "The keel of Brisk was repaired by Jan Kowalski in Lisbon");
    let key = FactKey::one("Brisk", "berth");
    let three = store.record(&agent(), &row("it lies at pier four").about(key), at(0)).expect(WORKS).id;
    write(store, "nothing of it");
    assert_eq!(mentions(store, "Brisk"), [three, two, one]);
    assert_eq!(mentions(store, " [[brisk]] "), [three, two, one], "a sign and a capital do not count");
    assert_eq!(mentions(store, "@jan"), [two, one], "a name goes on with more words");
    assert_eq!(mentions(store, "Jan Kowalski"), [two]);
    assert_eq!(mentions(store, "#sailing"), [one]);
    assert_eq!(mentions(store, "kowalski"), []);
    let near = around(store, &human(), "brisk");
    let expected = ["name:jan kowalski", "name:lisbon", "person:jan", "name:marta", "tag:sailing"];
    let expected: Vec<_> = expected.iter().map(|entity| ((*entity).to_owned(), 1)).collect();
    assert_eq!(beside(&near), expected, "those of the latest row come first");
    let verbs: Vec<&str> = near.mentions.iter().map(|mention| &*mention.edges[0].verb).collect();
    assert_eq!(verbs, [Edge::ABOUT, Edge::MENTIONS, Edge::MENTIONS]);
    assert!(!near.is_cut);
    let cut = store.neighborhood(&human(), "brisk", 2, at(1)).expect(WORKS);
    assert_eq!((ids(&cut), cut.is_cut), (vec![three, two], true));
    assert_eq!(top(store, &human())[0], ("name:brisk".to_owned(), 2));
    let words = store.words(&human(), &CitedSource::Row(three)).expect(WORKS);
    assert_eq!(words.as_deref(), Some("it lies at pier four"));
}

/// A deleted or retired row is in no answer, and comes back with its edges. (GE-09, MS-11)
pub fn hides(store: &dyn Edged) {
    let id = write(store, "the keel of Brisk, with @jan");
    assert!(store.delete(&human(), id, at(1)).expect(WORKS));
    assert_eq!((mentions(store, "brisk"), top(store, &human())), (vec![], vec![]));
    assert_eq!(store.words(&human(), &CitedSource::Row(id)).expect(WORKS), None);
    assert!(store.restore(&human(), id, at(2)).expect(WORKS));
    assert_eq!(mentions(store, "brisk"), [id]);
    let other = write(store, "the keel of Kestrel, with @jan");
    let decided = store.decide(&human(), &Decision::supersede(id, other), at(3)).expect(WORKS);
    assert_eq!((mentions(store, "brisk"), mentions(store, "@jan")), (vec![], vec![other]));
    assert_eq!(top(store, &human()), [("name:kestrel".to_owned(), 1), ("person:jan".to_owned(), 1)]);
    store.revert(&human(), decided.id, at(4)).expect(WORKS);
    assert_eq!(mentions(store, "@jan"), [other, id]);
    assert!(store.delete(&human(), other, at(5)).expect(WORKS));
    assert_eq!(store.purge(at(99), at(6)).expect(WORKS), 1);
    assert_eq!(top(store, &human()), [("name:brisk".to_owned(), 1), ("person:jan".to_owned(), 1)]);
}

/// A session with others present is told of shared rows alone, also in what is beside them. (GE-09, SE-14)
pub fn sessions(store: &dyn Edged) {
    let private = write(store, "the keel of Brisk was paid by @jan");
    let shared = store.write(&agent(), &row("the keel of Brisk is in #Porto").shared(), at(0)).expect(WORKS);
    assert_eq!(mentions(store, "brisk"), [shared, private]);
    for kind in [SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
        for actor in [Actor::Human, Actor::Agent] {
            let others = access(kind, actor);
            let told = around(store, &others, "brisk");
            assert_eq!(ids(&told), [shared], "{kind:?}");
            assert_eq!(beside(&told), [("tag:porto".to_owned(), 1)], "{kind:?}");
            assert!(is_nothing(&around(store, &others, "@jan")));
            let expected = [("name:brisk".to_owned(), 1), ("tag:porto".to_owned(), 1)];
            assert_eq!(top(store, &others), expected, "{kind:?}");
            assert_eq!(store.words(&others, &CitedSource::Row(private)).expect(WORKS), None);
        }
    }
    let strange = Access::human(Scope::user("eve"));
    assert!(is_nothing(&around(store, &strange, "brisk")) && top(store, &strange).is_empty());
    assert_eq!(store.words(&strange, &CitedSource::Row(shared)).expect(WORKS), None);
}

/// A row that says something else has the edges of that, and no other.
pub fn changes(store: &dyn Edged) {
    let id = write(store, "the keel of Brisk, with @jan");
    assert!(store.update(&agent(), id, "the keel of Kestrel, with @jan", at(1)).expect(WORKS));
    assert_eq!(mentions(store, "brisk"), []);
    assert_eq!((mentions(store, "kestrel"), mentions(store, "@jan")), (vec![id], vec![id]));
    assert_eq!(top(store, &human()), [("name:kestrel".to_owned(), 1), ("person:jan".to_owned(), 1)]);
}

/// To extract again adds nothing, however often. (GE-07)
pub fn replays(store: &dyn Edged) {
    for text in ["Marta met @jan in Porto", "the keel of Brisk #repairs", "see docs/berth.md"] {
        write(store, text);
    }
    let id = write(store, "Kestrel is sold");
    store.delete(&human(), id, at(1)).expect(WORKS);
    let before = (top(store, &human()), around(store, &human(), "Marta"));
    assert_eq!((store.extract_edges().expect(WORKS), store.extract_edges().expect(WORKS)), (0, 0));
    assert_eq!((top(store, &human()), around(store, &human(), "Marta")), before);
    store.restore(&human(), id, at(2)).expect(WORKS);
    assert_eq!(mentions(store, "kestrel"), [id]);
}

/// A row has at most twenty edges, those with a verb before the others. (GE-10)
pub fn caps(store: &dyn Edged) {
    let names: Vec<String> = (0..30).map(|at| format!("@p{at:02}")).collect();
    let about = FactKey::one("Marta", "friends");
    store.record(&agent(), &row(&names.join(" ")).about(about), at(0)).expect(WORKS);
    let near = around(store, &human(), "Marta");
    let edges = &near.mentions[0].edges;
    assert_eq!((edges.len(), &*edges[0].verb), (Edge::MOST, Edge::ABOUT));
    assert_eq!(mentions(store, "@p18").len(), 1);
    assert_eq!(mentions(store, "@p19").len(), 0);
}

/// A scenario is named by the notes of a trusted writer, and by no words. (GE-05)
pub fn scenarios(store: &dyn Edged) {
    let notes = serde_json::json!({ "scenario_id": "crash-2026" });
    let told = row("a plain row").metadata(notes);
    store.write(&agent(), &told, at(0)).expect(WORKS);
    write(store, "scenario_id: crash-2026 belongs_to_scenario scenario:crash-2026");
    assert_eq!(mentions(store, "crash-2026"), []);
    let library = access(SessionKind::Main, Actor::Library);
    let id = store.write(&library, &told, at(0)).expect(WORKS);
    assert_eq!(mentions(store, "crash-2026"), [id]);
    assert!(store.update(&agent(), id, "another plain row", at(1)).expect(WORKS));
    assert_eq!(mentions(store, "crash-2026"), [id], "the notes stay");
    store.extract_edges().expect(WORKS);
    assert_eq!(mentions(store, "crash-2026"), [id], "a replay trusts nobody else");
}

/// Open contradictions among the rows are told, to whom both rows are told.
pub fn contradictions(store: &dyn Edged) {
    let home = |text: &str| row(text).about(FactKey::one("Marta", "home"));
    let one = store.record(&agent(), &home("she lives in Porto"), at(0)).expect(WORKS).id;
    let two = store.record(&agent(), &home("she lives in Faro").shared(), at(1)).expect(WORKS).id;
    let near = around(store, &human(), "Marta");
    let pairs: Vec<_> =
        near.contradictions.iter().map(|pair| (pair.older.memory.id, pair.newer.memory.id)).collect();
    assert_eq!(pairs, [(one, two)]);
    let others = around(store, &access(SessionKind::Shared, Actor::Agent), "Marta");
    assert_eq!((ids(&others), others.contradictions.len()), (vec![two], 0));
    store.decide(&human(), &Decision::supersede(one, two), at(2)).expect(WORKS);
    assert!(around(store, &human(), "Marta").contradictions.is_empty());
}

/// Edges go with a forgotten row, and the receipt counts them. (BX-15)
pub fn forgets(store: &dyn Edged) {
    write(store, "the landlord of Brisk is @zanzibarqx");
    let kept = write(store, "the keel of Brisk");
    let receipt = store.forget(&human(), "landlord of Brisk", at(1)).expect(WORKS);
    let line = receipt.iter().find(|line| line.place == ForgetPlace::Edges).expect("a line for them");
    assert_eq!((line.found, line.removed, line.left.as_deref()), (2, 2, None));
    assert_eq!((mentions(store, "@zanzibarqx"), mentions(store, "brisk")), (vec![], vec![kept]));
    assert_eq!(top(store, &human()), [("name:brisk".to_owned(), 1)]);
}

/// Every change is another edition, and a question is none.
pub fn editions(store: &dyn Edged) {
    let mut seen = vec![store.edition().expect(WORKS)];
    let mut is_new = |what: &str| {
        let edition = store.edition().expect(WORKS);
        assert!(!seen.contains(&edition), "{what}");
        seen.push(edition);
        around(store, &human(), "brisk");
        assert_eq!(store.edition().expect(WORKS), edition, "a question after {what}");
    };
    let id = write(store, "the keel of Brisk");
    is_new("a write");
    store.update(&agent(), id, "the sails of Brisk", at(1)).expect(WORKS);
    is_new("an update");
    store.pin(&agent(), id, true, at(1)).expect(WORKS);
    is_new("a pin");
    store.delete(&human(), id, at(2)).expect(WORKS);
    is_new("a deletion");
    store.restore(&human(), id, at(3)).expect(WORKS);
    is_new("a restoration");
    store.forget(&human(), "sails of Brisk", at(4)).expect(WORKS);
    is_new("a forgetting");
}
