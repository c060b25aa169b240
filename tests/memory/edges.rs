//! Edges of rows in both stores: written with the row, gone with it, and in the seed's table.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use noctuary::Access;
use noctuary::MemoryStore;
use noctuary::edges::{Edge, EdgeExtractor, EdgeStore, Entity, TextEdges};
use noctuary::memory::{NewMemory, Source};
use noctuary::store::StoreConfig;
use noctuary::testing::contract::edges::{self as contract, Edged};

use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::marta::now;
use noctuary_tests::open_store;

fn human() -> Access {
    Access::human(contract::scope())
}

fn row(text: &str) -> NewMemory {
    NewMemory::new("observation", text, Source::AgentRecorded)
}

fn open_with(folder: &Path, backend: usize, config: StoreConfig) -> Arc<dyn Edged> {
    open_store!(backend, folder, contract::scope(), config)
}

fn open(folder: &Path, backend: usize) -> Arc<dyn Edged> {
    open_with(folder, backend, StoreConfig::default())
}

fn backends() -> std::ops::Range<usize> {
    noctuary_tests::common::backends()
}

fn top(store: &dyn EdgeStore) -> Vec<String> {
    let top = store.top_entities(&human(), 99).unwrap();
    top.into_iter().map(|top| format!("{} {}", top.entity, top.texts)).collect()
}

fn around(store: &dyn EdgeStore, asked: &str) -> Vec<String> {
    let near = store.neighborhood(&human(), asked, 99, now()).unwrap();
    let texts = near.mentions.iter().map(|mention| mention.said.text().to_owned());
    texts.chain(near.neighbors.iter().map(|near| format!("{} {}", near.entity, near.texts))).collect()
}

#[test]
fn both_stores_keep_the_whole_contract() {
    let homes = RefCell::new(Vec::new());
    for backend in backends() {
        contract::edges(&|| {
            let folder = tempfile::tempdir().unwrap();
            let store = open(folder.path(), backend);
            homes.borrow_mut().push(folder);
            store
        });
    }
}

/// Every verb in a drawn order, on both stores: they tell the same, a fresh handle too, and a replay adds nothing.
#[test]
#[ignore = "sweep"]
fn stores_tell_the_same_edges_after_the_same_life() {
    let names = ["Marta", "@jan", "[[Brisk]]", "#repairs", "the API", "keel", "in Porto", "docs/a.md"];
    for seed in 1..=6_u64 {
        let mut dice = Dice(seed);
        let mut roll = |sides: usize| dice.below(sides);
        let folders: Vec<_> = backends().map(|_| tempfile::tempdir().unwrap()).collect();
        let stores: Vec<_> = backends().map(|at| open(folders[at].path(), at)).collect();
        let mut ids = Vec::new();
        for step in 0..120 {
            let text = format!("{} saw {} and {} {step}", names[roll(8)], names[roll(8)], names[roll(8)]);
            let (verb, at) = (roll(8), roll(40));
            let mut new = None;
            for store in &stores {
                match ids.get(at) {
                    Some(id) if verb == 0 => drop(store.update(&human(), *id, &text, now())),
                    Some(id) if verb == 1 => drop(store.delete(&human(), *id, now())),
                    Some(id) if verb == 2 => drop(store.restore(&human(), *id, now())),
                    _ if verb == 3 && step % 10 == 0 => {
                        store.purge(now() + chrono::TimeDelta::days(1), now()).unwrap();
                    }
                    _ => new = Some(store.write(&human(), &row(&text), now()).unwrap()),
                }
            }
            ids.extend(new);
        }
        let told = |store: &dyn EdgeStore| -> Vec<Vec<String>> {
            let asked = ["marta", "jan", "brisk", "repairs", "api", "porto", "docs/a.md"];
            asked.iter().map(|asked| around(store, asked)).chain([top(store)]).collect()
        };
        let first = told(stores[0].as_ref());
        assert!(first.iter().all(|told| !told.is_empty()), "seed {seed}: {first:?}");
        for (at, store) in stores.iter().enumerate() {
            assert_eq!(told(store.as_ref()), first, "seed {seed}, backend {at}");
            assert_eq!(store.extract_edges().unwrap(), 0);
            assert_eq!(told(open(folders[at].path(), at).as_ref()), first, "a fresh handle of {at}");
        }
    }
}

/// Words in capitals are tickets.
#[derive(Debug)]
struct Tickets;

impl EdgeExtractor for Tickets {
    fn edges(&self, text: &str) -> Vec<Edge> {
        let tickets = text.split_whitespace().filter(|word| word.starts_with("OPS-"));
        tickets.map(|ticket| Edge::new("works_on", Entity::new("ticket", ticket))).collect()
    }
    fn keys(&self, asked: &str) -> Vec<String> {
        vec![asked.to_owned()]
    }
    fn identity(&self) -> String {
        "tickets 1".to_owned()
    }
}

#[test]
fn another_extractor_counts_from_then_on_and_reaches_earlier_rows_by_a_replay() {
    for backend in backends() {
        let folder = tempfile::tempdir().unwrap();
        open(folder.path(), backend).write(&human(), &row("Marta took OPS-1"), now()).unwrap();
        let mut config = StoreConfig::default();
        config.edges = Some(Arc::new(Tickets));
        let store = open_with(folder.path(), backend, config.clone());
        store.write(&human(), &row("and OPS-2 with @jan"), now()).unwrap();
        store.extract_edges().unwrap();
        assert!(top(store.as_ref()).contains(&"ticket:OPS-1 1".to_owned()), "{:?}", top(store.as_ref()));
        assert_eq!(around(store.as_ref(), "OPS-2"), ["and OPS-2 with @jan"]);
        config.edges = None;
        let without = open_with(folder.path(), backend, config);
        without.write(&human(), &row("OPS-3 by @jan"), now()).unwrap();
        assert!(around(without.as_ref(), "OPS-3").is_empty(), "off is off");
        assert!(around(store.as_ref(), "jan").is_empty());
    }
}

fn holds(folder: &Path, word: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, word);
        }
        String::from_utf8_lossy(&fs::read(path).unwrap()).to_lowercase().contains(word)
    })
}

#[test]
fn a_forgotten_name_is_in_no_file() {
    for backend in backends().take(2) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), backend);
        for number in 0..1_100 {
            store.write(&human(), &row(&format!("the boat of Zanzibarqx Quillon {number}")), now()).unwrap();
            if number == 20 && backend == 1 {
                break;
            }
        }
        assert!(holds(folder.path(), "zanzibarqx"));
        store.forget(&human(), "boat of Zanzibarqx Quillon", now()).unwrap();
        assert!(!holds(folder.path(), "zanzibarqx"), "backend {backend}");
        assert!(top(store.as_ref()).is_empty());
        store.write(&human(), &row("the keel of Brisk"), now()).unwrap();
        drop(store);
        assert_eq!(top(open(folder.path(), backend).as_ref()), ["name:brisk 1"]);
        assert!(!holds(folder.path(), "zanzibarqx"), "backend {backend}");
    }
}

#[test]
fn verbs_are_data_of_the_host() {
    let verbs =
        TextEdges::default().verbs([("met", "met"), ("trifft", "met"), ("见", "met")]).together(["person"]);
    let told = |text: &str| -> Vec<String> {
        verbs.edges(text).iter().map(|edge| format!("{} {}", edge.verb, edge.entity)).collect()
    };
    assert_eq!(told("she met @jan and @ilya")[..2], ["met person:jan", "met person:ilya"]);
    assert_eq!(told("she met @jan and @ilya")[2], "co_occurs_with person_pair:ilya|jan");
    assert_eq!(told("she never met @jan"), ["mentions person:jan"]);
    assert_eq!(
        told("er trifft @jan. Then @ilya left"),
        ["met person:jan", "mentions person:ilya", "co_occurs_with person_pair:ilya|jan"]
    );
    let six = told("@a1 @b2 @c3 @d4 @e5 @f6");
    assert_eq!(six.iter().filter(|edge| edge.starts_with("co_occurs_with")).count(), 10, "of five entities");
}

mod in_sqlite {
    use noctuary::learning::{NewRoleNote, RoleStore};
    use noctuary::{Scope, SqliteMemoryStore};
    use rusqlite::Connection;

    use super::*;

    fn stock(folder: &Path) -> Connection {
        Connection::open(folder.join("memory.db")).unwrap()
    }

    fn count(connection: &Connection, which: &str) -> i64 {
        connection.query_row(&format!("SELECT count(*) FROM {which}"), [], |row| row.get(0)).unwrap()
    }

    // GE-06
    #[test]
    fn the_table_is_the_seeds() {
        let folder = tempfile::tempdir().unwrap();
        drop(open(folder.path(), 1));
        let stock = stock(folder.path());
        let mut info = stock
            .prepare("SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('memory_edges')")
            .unwrap();
        let columns: Vec<String> = info
            .query_map([], |row| {
                let default: Option<String> = row.get(3)?;
                let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
                Ok(format!(
                    "{name} {kind} {} {} {}",
                    row.get::<_, i64>(2)?,
                    default.unwrap_or_default(),
                    row.get::<_, i64>(4)?
                ))
            })
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(
            columns,
            [
                "id INTEGER 0  1",
                "src_table TEXT 1  0",
                "src_id INTEGER 1  0",
                "dst_entity_kind TEXT 1  0",
                "dst_entity_key TEXT 1  0",
                "edge_type TEXT 1  0",
                "weight REAL 1 1.0 0",
                "created_at TEXT 1 datetime('now') 0",
            ]
        );
        let unique =
            "pragma_index_list('memory_edges') i WHERE i.\"unique\" AND (SELECT group_concat(name) FROM
            pragma_index_info(i.name)) = 'src_table,src_id,dst_entity_kind,dst_entity_key,edge_type'";
        assert_eq!(count(&stock, unique), 1);
    }

    // GE-08
    #[test]
    fn edges_go_by_triggers_whoever_deletes_or_rewrites_a_row() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), 1);
        let ids = ["the keel of Brisk", "the keel of Kestrel"]
            .map(|text| store.write(&human(), &row(text), now()).unwrap().get());
        let stock = stock(folder.path());
        stock
            .execute_batch(
                "INSERT INTO memory_roles (user_id, agent_id, role, content, created_at)
                 VALUES ('u', 'a', 'pilot', 'x', '2026-11-21');",
            )
            .unwrap();
        drop(store);
        let store = open(folder.path(), 1);
        let edge = "INSERT INTO memory_edges (src_table, src_id, dst_entity_kind, dst_entity_key, edge_type)
            VALUES ('role_memory', 1, 'ticker', 'ETH', 'holds')";
        stock.execute_batch(edge).unwrap();
        assert_eq!(count(&stock, "memory_edges"), 3);
        stock.execute("DELETE FROM memory_roles", []).unwrap();
        stock.execute("DELETE FROM memories WHERE id = ?1", [ids[0]]).unwrap();
        stock.execute("UPDATE memories SET content = 'no name' WHERE id = ?1", [ids[1]]).unwrap();
        assert_eq!(count(&stock, "memory_edges"), 0);
        // Triggers that were dropped come back, and what they missed is mended.
        let id = store.write(&human(), &row("the keel of Brisk"), now()).unwrap();
        stock.execute_batch("DROP TRIGGER memory_edges_of_removed; DELETE FROM memories;").unwrap();
        assert_eq!(count(&stock, &format!("memory_edges WHERE src_id = {id}")), 1);
        drop(store);
        drop(open(folder.path(), 1));
        assert_eq!(count(&stock, "memory_edges"), 0);
        assert_eq!(count(&stock, "sqlite_schema WHERE name LIKE 'memory_edges_of_%'"), 5);
    }

    /// They are found by a table of keys that takes many in at a time. It was an index once: two more pages in each write.
    #[test]
    fn edges_are_found_before_and_after_the_table_of_keys_has_them_and_leave_both() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), 1);
        let text = |number: usize| format!("{number}: the keel of Brisk was seen by @m{}", number % 100);
        let rows: Vec<NewMemory> = (0..2_500).map(|number| row(&text(number))).collect();
        let ids: Vec<i64> = store
            .write_all(&human(), &rows, now())
            .unwrap()
            .into_iter()
            .map(|id| id.unwrap().get())
            .collect();
        let stock = stock(folder.path());
        let up_to = count(&stock, "memory_edges WHERE id <= (SELECT up_to FROM memory_edge_keys_state)");
        assert!((4_000..5_000).contains(&up_to), "{up_to}");
        assert_eq!(count(&stock, "memory_edge_keys"), up_to);
        let found = |asked: &str| {
            let near = store.neighborhood(&human(), asked, 9_999, now()).unwrap();
            near.mentions.iter().map(|mention| mention.said.text().to_owned()).collect::<Vec<_>>()
        };
        let all: Vec<String> = (0..2_500).rev().map(text).collect();
        assert_eq!(found("Brisk"), all, "each once, the latest first");
        assert_eq!(found("@m42").len(), 25);

        // A row that was taken in, one that was not, and an edge that another program takes out.
        stock.execute("DELETE FROM memories WHERE id IN (?1, ?2)", [ids[0], ids[2_499]]).unwrap();
        let edge = "DELETE FROM memory_edges WHERE src_id = ?1 AND dst_entity_key = 'brisk'";
        stock.execute(edge, [ids[1]]).unwrap();
        assert_eq!(found("Brisk"), all[1..2_498]);
        assert_eq!(count(&stock, &format!("memory_edge_keys WHERE src_id IN ({}, {})", ids[0], ids[1])), 1);
        assert_eq!(count(&stock, "memory_edge_keys"), up_to - 3);
    }

    // GE-08, DC-06
    #[test]
    fn a_note_of_a_role_has_edges_in_the_seeds_table_and_those_of_another_program_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteMemoryStore::open(folder.path().join("memory.db"), contract::scope()).unwrap();
        let note = NewRoleNote::new("skipper", "We left with @jan.").about("Brisk");
        let of_notes = "memory_edges WHERE src_table = 'role_memory'";
        let stock = stock(folder.path());
        store.take_note(&human(), &note, now()).unwrap();
        assert_eq!(count(&stock, of_notes), 2);
        stock.execute_batch("DELETE FROM memory_edges").unwrap();
        assert_eq!((store.extract_edges().unwrap(), store.extract_edges().unwrap()), (2, 0));
        assert!(store.forget(&human(), "We left with @jan", now()).is_ok());
        assert_eq!(count(&stock, of_notes), 0);
        // Orphans that no trigger saw are mended, and a table of another program has the name to itself.
        let note = NewRoleNote::new("skipper", "We met @eve.");
        store.take_note(&human(), &note, now()).unwrap();
        stock.execute_batch("DROP TRIGGER memory_edges_of_removed_role; DELETE FROM memory_roles;").unwrap();
        drop(store);
        let open = || SqliteMemoryStore::open(folder.path().join("memory.db"), contract::scope()).unwrap();
        drop(open());
        assert_eq!(count(&stock, of_notes), 0);
        stock
            .execute_batch(
                "DROP VIEW role_memory; CREATE TABLE role_memory (id INTEGER PRIMARY KEY, content TEXT);
                 INSERT INTO role_memory (content) VALUES ('x');
                 INSERT INTO memory_edges (src_table, src_id, dst_entity_kind, dst_entity_key, edge_type)
                     VALUES ('role_memory', 1, 'ticker', 'ETH', 'holds');",
            )
            .unwrap();
        let store = open();
        let id = store.take_note(&human(), &note, now()).unwrap();
        assert_eq!(count(&stock, of_notes), 1, "the edge of the other program alone");
        let near = store.neighborhood(&human(), "@eve", 9, now()).unwrap();
        assert_eq!(near.mentions[0].said.source(), noctuary::edges::CitedSource::Note(id));
    }

    #[test]
    fn a_row_without_its_edges_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), 1);
        stock(folder.path())
            .execute_batch(
                "CREATE TRIGGER no_more BEFORE INSERT ON memory_edges WHEN new.dst_entity_key = 'kestrel'
                 BEGIN SELECT RAISE(ABORT, 'no'); END;",
            )
            .unwrap();
        store.write(&human(), &row("the keel of Brisk"), now()).unwrap();
        assert!(store.write(&human(), &row("the keel of Kestrel"), now()).is_err());
        let stock = stock(folder.path());
        assert_eq!((count(&stock, "memories"), count(&stock, "memory_edges")), (1, 1));
    }

    #[test]
    fn rows_that_wait_and_rows_of_another_program_get_their_edges() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), 1);
        for number in 0..700 {
            store.write(&human(), &row(&format!("the keel of Brisk {number}")), now()).unwrap();
        }
        drop(store);
        let connection = stock(folder.path());
        connection
            .execute_batch(
                "DELETE FROM memory_edges; INSERT INTO memory_edges_due SELECT 1, max(id) FROM memories",
            )
            .unwrap();
        let store = open(folder.path(), 1);
        assert_eq!(top(store.as_ref()), ["name:brisk 700"]);
        assert_eq!(store.extract_edges().unwrap(), 0);
        assert_eq!(count(&connection, "memory_edges_due"), 0);
        // Of another program, also in the place of a row that had edges.
        connection
            .execute_batch(
                "INSERT INTO memories (category, content) VALUES ('fact', 'the sails of Kestrel');
                 INSERT OR REPLACE INTO memories (id, category, content) VALUES (1, 'fact', 'the mast of Osprey');",
            )
            .unwrap();
        drop(store);
        let store = open(folder.path(), 1);
        assert_eq!(top(store.as_ref()), ["name:brisk 699", "name:kestrel 1", "name:osprey 1"]);
    }

    const THEIRS: &str = "CREATE TABLE memories (
        id INTEGER PRIMARY KEY AUTOINCREMENT, category TEXT NOT NULL, content TEXT NOT NULL, metadata TEXT,
        source TEXT, deleted_at TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')),
        updated_at TEXT NOT NULL DEFAULT (datetime('now')));
        INSERT INTO memories (category, content) VALUES ('fact', 'went long'), ('fact', 'the keel of Brisk');";

    #[test]
    fn the_table_of_the_seeds_program_is_taken_over_with_its_edges() {
        let folder = tempfile::tempdir().unwrap();
        stock(folder.path())
            .execute_batch(&format!(
                "{THEIRS} CREATE TABLE memory_edges (
                  id INTEGER PRIMARY KEY AUTOINCREMENT, src_table TEXT NOT NULL, src_id INTEGER NOT NULL,
                  dst_entity_kind TEXT NOT NULL, dst_entity_key TEXT NOT NULL, edge_type TEXT NOT NULL,
                  weight REAL NOT NULL DEFAULT 1.0, created_at TEXT NOT NULL DEFAULT (datetime('now')),
                  UNIQUE(src_table, src_id, dst_entity_kind, dst_entity_key, edge_type));
                 INSERT INTO memory_edges (src_table, src_id, dst_entity_kind, dst_entity_key, edge_type)
                 VALUES ('memories', 1, 'ticker', 'eth', 'holds');"
            ))
            .unwrap();
        let store = open(folder.path(), 1);
        assert_eq!(around(store.as_ref(), "ETH"), ["went long"]);
        assert_eq!(top(store.as_ref()), ["name:brisk 1", "ticker:eth 1"]);
        let stock = stock(folder.path());
        assert_eq!(count(&stock, "sqlite_schema WHERE name = 'memory_row_edges'"), 0);
    }

    #[test]
    fn a_table_with_other_columns_stays_as_it_is_beside_ours() {
        for theirs in [
            "CREATE TABLE memory_edges (id INTEGER PRIMARY KEY, src_table TEXT NOT NULL, src_id INTEGER NOT NULL,
               dst_entity_key TEXT NOT NULL);
             INSERT INTO memory_edges VALUES (1, 'memories', 2, 'ETH');",
            "CREATE TABLE memory_edges (id INTEGER PRIMARY KEY, src_table TEXT NOT NULL, src_id INTEGER NOT NULL,
               dst_entity_kind TEXT NOT NULL, dst_entity_key TEXT NOT NULL, edge_type TEXT NOT NULL,
               weight REAL NOT NULL DEFAULT 1.0, created_at TEXT NOT NULL DEFAULT '', judge TEXT NOT NULL,
               UNIQUE(src_table, src_id, dst_entity_kind, dst_entity_key, edge_type));
             INSERT INTO memory_edges VALUES (1, 'memories', 2, 'ticker', 'ETH', 'holds', 1.0, '', 'model');",
        ] {
            let folder = tempfile::tempdir().unwrap();
            stock(folder.path()).execute_batch(&format!("{THEIRS} {theirs}")).unwrap();
            let store = open(folder.path(), 1);
            assert_eq!(top(store.as_ref()), ["name:brisk 1"]);
            store.write(&human(), &row("the sails of Kestrel"), now()).unwrap();
            assert_eq!(around(store.as_ref(), "kestrel"), ["the sails of Kestrel"]);
            store.forget(&human(), "the keel of Brisk", now()).unwrap();
            let stock = stock(folder.path());
            assert_eq!((count(&stock, "memory_edges"), count(&stock, "memory_row_edges")), (1, 1));
            drop(store);
            assert_eq!(top(open(folder.path(), 1).as_ref()), ["name:kestrel 1"]);
        }
    }

    #[test]
    fn guests_of_a_file_see_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        let owner = SqliteMemoryStore::open(&path, Scope::user("owner")).unwrap();
        let theirs = Access::human(Scope::user("owner"));
        owner.write(&theirs, &row("the keel of Osprey"), now()).unwrap();
        let guest = open(folder.path(), 1);
        guest.write(&human(), &row("the keel of Brisk"), now()).unwrap();
        assert_eq!(top(guest.as_ref()), ["name:brisk 1"]);
        assert!(around(guest.as_ref(), "osprey").is_empty());
        assert_eq!(owner.top_entities(&theirs, 9).unwrap().len(), 1);
        let edition = owner.edition().unwrap();
        stock(folder.path()).execute("UPDATE memories SET category = 'x'", []).unwrap();
        assert_ne!(owner.edition().unwrap(), edition, "a write of another program is seen");
    }
}
