//! The cost that edges add to a write.

use std::path::Path;

use noctuary::memory::{NewMemory, Source};
use noctuary::store::StoreConfig;
use noctuary::{FileMemoryStore, MemoryStore, SqliteMemoryStore};

use super::rows::Rows;
use super::{FILE, SQLITE};
use crate::home::{Kind, agent, at, scope};
use crate::language::Language;
use crate::measure::{Effort, Row, compare};

/// The names that rows speak of.
const NAMES: u32 = 400;

pub(super) fn both(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    let of_files = tempfile::tempdir_in(rows.folder.path()).unwrap();
    drop(rows.fill(Kind::File, of_files.path()));
    for (kind, label, from) in
        [(Kind::Sqlite, SQLITE, rows.folder.path()), (Kind::File, FILE, of_files.path())]
    {
        for (category, what) in
            [("observation", "write of a row that names two"), ("fact", "write of a fact that names two")]
        {
            let folders = [(); 2].map(|()| tempfile::tempdir_in(rows.folder.path()).unwrap());
            for folder in &folders {
                copy(from, folder.path());
            }
            let mut without = StoreConfig::default();
            without.edges = None;
            let with = StoreConfig::default();
            let [bare, ours] = [(&folders[0], without), (&folders[1], with)]
                .map(|(folder, config)| open(kind, folder.path(), config));
            let write = |store: &dyn MemoryStore, number: u64| {
                let number = u32::try_from(number).unwrap() + rows.count;
                let mut row = named(&rows.language, number);
                category.clone_into(&mut row.category);
                store.write(&agent(), &row, at(number)).unwrap();
            };
            let (mut of_bare, mut of_ours) = (0, 0);
            let bare = |_| {
                of_bare += 1;
                write(bare.as_ref(), of_bare);
            };
            let ours = |_| {
                of_ours += 1;
                write(ours.as_ref(), of_ours);
            };
            let labels = [label, what, "the same without edges"];
            let row = compare(effort, labels, 100, || {}, Box::new(bare), Box::new(ours));
            table.push(Row { bound: Some(1.1), ..row });
        }
    }
}

/// A row that speaks of a person and of a thing with a name, some of them more often than others.
pub(super) fn named(language: &Language, number: u32) -> NewMemory {
    let (person, thing) = (name(number.wrapping_mul(7919)), name(number.wrapping_mul(104_729)));
    let words = language.row(number);
    let words = format!("{} with @{} on {thing}.", words.trim_end_matches('.'), person.to_lowercase());
    NewMemory::new("observation", words, Source::AgentRecorded)
}

/// The name of a number: the first is in one of some thirty rows, the last in one of some hundreds.
pub(super) fn name(number: u32) -> String {
    let rank = (number % NAMES).min(number / 13 % NAMES);
    let syllable = |part: u32| ["Bri", "Kes", "Mar", "Tol", "Vas", "Zen", "Lun"][part as usize % 7];
    let end = |part: u32| ["sk", "trel", "ta", "der", "co", "ia", "ford", "mund"][part as usize % 8];
    format!("{}{}{}", syllable(rank), ["a", "o", "i", "e"][rank as usize / 56 % 4], end(rank / 7))
}

fn open(kind: Kind, folder: &Path, config: StoreConfig) -> Box<dyn MemoryStore> {
    match kind {
        Kind::Sqlite => {
            Box::new(SqliteMemoryStore::open_with(folder.join("life.db"), scope(), config).unwrap())
        }
        Kind::File => Box::new(FileMemoryStore::open_with(folder, scope(), config).unwrap()),
    }
}

/// Copies a store, and not what other parts put beside it.
fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_file() {
            std::fs::copy(&path, to.join(name)).unwrap();
        } else if name == ".dreaming.d" || from.ends_with(".dreaming.d") {
            std::fs::create_dir(to.join(&name)).unwrap();
            copy(&path, &to.join(name));
        }
    }
}
