//! The page on a name, over all rows.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use noctuary::edges::EdgeStore;
use noctuary::facts::{FactKey, FactStore};
use noctuary::learning::{
    MethodStore, NewPreference, NewRoleNote, PreferenceStore, Reflection, RoleClass, RoleStore,
};
use noctuary::memory::NewMemory;
use noctuary::pages::{Learned, Pages};
use noctuary::{FileMemoryStore, MemoryStore, SqliteMemoryStore};

use super::edges::{name, named};
use super::rows::Rows;
use super::{FILE, SQLITE};
use crate::home::{Kind, agent, at, human, scope};
use crate::measure::{Effort, Operation, Row, compare};

/// Rules and lessons of the agent.
const LEARNED: u32 = 200;

trait Home: MemoryStore + FactStore + EdgeStore + MethodStore + PreferenceStore + RoleStore {}

impl<S: MemoryStore + FactStore + EdgeStore + MethodStore + PreferenceStore + RoleStore> Home for S {}

pub(super) fn cold(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    for (kind, label) in [(Kind::Sqlite, SQLITE), (Kind::File, FILE)] {
        let folder = tempfile::tempdir_in(rows.folder.path()).unwrap();
        let store = filled(kind, rows, folder.path());
        let pages = Pages::new(Arc::clone(&store) as _).source(Arc::new(Learned::new(Arc::clone(&store))));
        let now = at(2 * rows.count);
        assert!(pages.page(&agent(), &name(3), true, now).unwrap().texts > 0, "a name is known");
        let mut beside = |number: u64| {
            let asked = name(u32::try_from(number % 9_973).unwrap() * 31);
            black_box(store.neighborhood(&agent(), &asked, 120, now).unwrap());
        };
        let mut page = |number: u64| {
            let asked = name(u32::try_from(number % 9_973).unwrap() * 31);
            pages.clear();
            black_box(pages.page(&agent(), &asked, true, now).unwrap().to_markdown());
        };
        let (bare, ours): (Operation<'_>, Operation<'_>) = (Box::new(&mut beside), Box::new(&mut page));
        let labels = [label, "page of a name, cold", "its surroundings alone"];
        table.push(compare(effort, labels, 5, || {}, bare, ours));
    }
}

/// A store with all rows, each of which names two; a twentieth are facts on a thing.
fn filled(kind: Kind, rows: &Rows, folder: &Path) -> Arc<dyn Home> {
    let store: Arc<dyn Home> = match kind {
        Kind::Sqlite => Arc::new(SqliteMemoryStore::open(folder.join("life.db"), scope()).unwrap()),
        Kind::File => Arc::new(FileMemoryStore::open(folder, scope()).unwrap()),
    };
    let numbers: Vec<u32> = (0..rows.count).collect();
    for batch in numbers.chunks(1_000) {
        let row = |number: &u32| -> NewMemory {
            let mut row = named(&rows.language, *number);
            if number.is_multiple_of(20) {
                let key = FactKey::one(name(*number), format!("matter {}", number / 400 % 50));
                row.category = "fact".into();
                return row.about(key);
            }
            row
        };
        let written = store.write_all(&agent(), &batch.iter().map(row).collect::<Vec<_>>(), at(batch[0]));
        assert!(written.unwrap().iter().all(Result::is_ok), "no row is refused");
    }
    for number in 0..LEARNED.min(rows.count / 10) {
        let words = format!("Never lend {} to anybody, {number}.", name(number));
        let rule = NewPreference::hard_constraint("safety", words);
        let rule = store.propose_preference(&human(), &rule, at(number)).unwrap();
        store.approve_preference(&human(), rule, at(number)).unwrap();
        let note = NewRoleNote::new("skipper", format!("{} was late, {number}.", name(number)));
        let note = store.take_note(&agent(), &note, at(number)).unwrap();
        let lesson = Reflection::new(RoleClass::Failure, "Leave earlier.", at(number + 1));
        store.reflect(&human(), note, &lesson).unwrap();
    }
    store.settle(at(2 * rows.count)).unwrap();
    store
}
