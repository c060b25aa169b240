//! Every script over all verbs and homes: a word is found, compared and forgotten however it is written.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::path::Path;
use std::sync::Arc;

use noctuary::dream::LineOutcome;
use noctuary::exchange::Forget;
use noctuary::facts::FactKey;
use noctuary::life::Indexed;
use noctuary::memory::{NewMemory, Query, Source};
use noctuary::pages::Pages;
use noctuary::testing::Script;
use noctuary::testing::contract::edges::Edged;
use noctuary::{FileWorkspace, SqliteIndex, SqliteWorkspace, Workspace, WriteMode};
use noctuary_tests::common::backends;
use noctuary_tests::common::marta::{agent, human, marta, name, now};
use noctuary_tests::dreaming::{Life, MEMORY, dream, journal, night};
use noctuary_tests::open_store;
use unicode_normalization::UnicodeNormalization;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
struct Written {
    shows: &'static str,
    one: &'static str,
    other: &'static str,
}

/// The headings of the manual's tables.
const SAME: &[&str] = &["The same text"];
const ALL: &[&str] = &["The same text", "The same word"];

/// The rows of the manual's tables below some headings.
fn table(headings: &'static [&'static str]) -> impl Iterator<Item = Written> {
    let page = include_str!("../../src/manual/search.md");
    let parts = page.split("\n# ").filter(|part| headings.iter().any(|heading| part.starts_with(heading)));
    let rows = parts.flat_map(|part| part.lines().filter(|line| line.starts_with("| ")).skip(1));
    rows.map(|row| {
        let mut columns = row.trim_matches(['|', ' ']).split(" | ");
        let [shows, one, other] = std::array::from_fn(|_| columns.next().unwrap());
        Written { shows, one, other }
    })
}

#[test]
fn the_tables_of_the_manual_are_read() {
    let (same, all) = (table(SAME).count(), table(ALL).count());
    assert!(same > 20 && all > same + 20, "{same} and {all} rows");
    for row in table(ALL) {
        assert_ne!(row.one, row.other, "{row:?}");
    }
}

fn open(folder: &Path, backend: usize) -> Arc<dyn Edged> {
    open_store!(backend, folder, marta())
}

/// Runs a test on each store.
fn each(test: impl Fn(Arc<dyn Edged>)) {
    for backend in backends() {
        let folder = tempfile::tempdir().unwrap();
        test(open(folder.path(), backend));
    }
}

fn row(text: String) -> NewMemory {
    NewMemory::new("observation", text, Source::AgentRecorded)
}

// BX-53
#[test]
fn a_word_is_found_in_rows_however_it_is_written() {
    each(|store| {
        let write = |word: &str| store.write(&agent(), &row(format!("we saw {word} once")), now()).unwrap();
        let rows: Vec<_> = table(ALL).map(|row| (row, [write(row.one), write(row.other)])).collect();
        for (row, ids) in rows {
            let query = |word| Query::new(word).limit(200);
            let find = |word| store.search(&agent(), &query(word)).unwrap().hits;
            // An article that stands alone is no noun, so the whole is found by itself.
            let both = find(row.other);
            let found = |id| both.iter().any(|hit| hit.memory.id == id);
            assert!(ids.into_iter().all(found), "{row:?} by the other");
            assert!(find(row.one).iter().any(|hit| hit.memory.id == ids[1]), "{row:?}");
        }
    });
}

// BX-53
#[test]
fn a_word_is_found_in_documents_however_it_is_written() {
    for is_database in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let at = |file: &str| folder.path().join(file);
        std::fs::create_dir(at("life")).unwrap();
        let workspace: Arc<dyn Workspace> = if is_database {
            Arc::new(SqliteWorkspace::open(at("life.db"), marta()).unwrap())
        } else {
            Arc::new(FileWorkspace::open(at("life")).unwrap())
        };
        let home = Indexed::new(workspace, SqliteIndex::open(at("index.db"), marta()).unwrap());
        for (number, row) in table(ALL).enumerate() {
            let text = format!("We saw {} once.\n", row.one);
            home.write(&name(&format!("notes/n{number}.md")), text.as_bytes(), WriteMode::Create).unwrap();
        }
        for (number, row) in table(ALL).enumerate() {
            let found = home.search_unmasked(&agent(), row.other, 100).unwrap().results;
            let path = format!("notes/n{number}.md");
            assert!(found.iter().any(|found| found.path.as_str() == path), "{row:?}");
        }
    }
}

// A letter of a pointed word was found as a word, and a syllable of another one.
#[test]
fn a_letter_of_a_word_is_no_word() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = SqliteWorkspace::open(folder.path().join("life.db"), marta()).unwrap();
    let home = Indexed::new(workspace, SqliteIndex::open(folder.path().join("life.db"), marta()).unwrap());
    let said = ["שם אשתי רָחֵל ואני גר בחיפה", "مُحَمَّد في العمل", "アレルギーは卵です"];
    for (number, said) in said.into_iter().enumerate() {
        home.write(&name(&format!("notes/n{number}.md")), said.as_bytes(), WriteMode::Create).unwrap();
    }
    let found = |query: &str| home.search_unmasked(&agent(), query, 9).unwrap().results.len();
    for (query, results) in
        [("ל", 0), ("م", 0), ("テレビ", 0), ("רחל", 1), ("محمد", 1), ("アレルギー", 1), ("卵", 1)]
    {
        assert_eq!(found(query), results, "{query}");
    }
    each(|store| {
        store.write(&agent(), &row("アレルギーは卵です".to_owned()), now()).unwrap();
        let found = |query: &str| store.search(&agent(), &Query::new(query)).unwrap().hits.len();
        assert_eq!([found("テレビ"), found("アレルギー"), found("卵")], [0, 1, 1]);
    });
}

// BX-53
#[test]
fn a_name_is_one_fact_one_entity_and_one_page_however_it_is_written() {
    each(|store| {
        let pages = Pages::new(Arc::clone(&store) as _);
        for row in table(SAME) {
            let lives = |name: &str, town: &str| {
                let fact =
                    NewMemory::new("fact", format!("[[{name}]] lives in {town}"), Source::AgentRecorded);
                store.record(&agent(), &fact.about(FactKey::one(name, "home")), now()).unwrap()
            };
            let first = lives(row.one, "Oslo");
            let second = lives(row.other, "Porto");
            assert!(second.suspects.iter().any(|suspect| suspect.id == first.id), "{row:?} has one home");
            let near = store.neighborhood(&human(), row.other, 9, now()).unwrap();
            assert_eq!(near.mentions.len(), 2, "{row:?} is one entity");
            let page = pages.page(&human(), row.one, false, now()).unwrap().to_markdown();
            assert!(page.contains("Porto"), "{row:?} has one page: {page}");
        }
    });
}

// A decomposed name lost the mark at its end and was parted there; a Turkish case was a part of the name.
#[test]
fn a_name_inside_a_sentence_is_whole_however_it_is_written() {
    each(|store| {
        let text = "We met Nguyễn Thị Hường in Hà Nội, and @Thị in #Huế.";
        for text in [text.to_owned(), text.nfd().collect(), "We flew to Ankara’da and sang.".to_owned()] {
            store.write(&agent(), &row(text), now()).unwrap();
        }
        for (entity, texts) in
            [("Hà Nội", 2), ("nguyễn thị hường", 2), ("@Thị", 2), ("#huế", 2), ("Ankara", 1)]
        {
            let near = store.neighborhood(&human(), entity, 9, now()).unwrap();
            assert_eq!(near.mentions.len(), texts, "{entity}");
        }
    });
}

// BX-53: `max_tokens` and `maxtokens` were one slot, and a syllable found the words around it.
#[test]
fn words_like_code_are_two_facts_and_a_part_of_an_indic_word_finds_nothing() {
    each(|store| {
        for (one, other) in [("max_tokens", "maxtokens"), ("__init__", "init"), ("aB3", "Ab3"), ("2*3", "23")]
        {
            let value = |name: &str, value: &str| {
                let fact = NewMemory::new("fact", format!("{name} is {value}"), Source::AgentRecorded);
                store.record(&agent(), &fact.about(FactKey::one(name, "value")), now()).unwrap()
            };
            let (first, second) = (value(one, "512"), value(other, "512"));
            assert!(first.id != second.id && second.suspects.is_empty(), "{one} {other}: {second:?}");
        }
        store.write(&agent(), &row("वह हिन्दी बोलती है".to_owned()), now()).unwrap();
        assert!(store.search(&agent(), &Query::new("दी")).unwrap().hits.is_empty());
        assert_eq!(store.search(&agent(), &Query::new("हिन्दी")).unwrap().hits.len(), 1);
    });
}

// BX-53
#[test]
#[ignore = "sweep"]
fn what_is_forgotten_is_forgotten_however_it_is_written() {
    for backend in backends() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), backend);
        // Beside a database, which is no document.
        let life = if backend == 0 { folder.path().to_owned() } else { folder.path().join("life") };
        std::fs::create_dir_all(&life).unwrap();
        let workspace = FileWorkspace::open(life).unwrap();
        for row in table(SAME) {
            let said = |word: &str| format!("{word} keeps the spare boat key");
            let id = store.write(&agent(), &self::row(said(row.other)), now()).unwrap();
            let text = format!("- [09:00:00] [user] {}, and tea.\n", said(row.other));
            for document in [name(&journal(20)), name("MEMORY.md")] {
                workspace.write(&document, text.as_bytes(), WriteMode::Replace).unwrap();
            }
            let (request, statement) = (human(), said(row.one));
            let forget =
                Forget::new(&request, &statement).store(&*store).workspace(&workspace).in_files(true);
            let receipt = forget.run(now()).unwrap();
            assert!(backend == 2 || receipt.left().count() == 0, "{row:?} in store {backend}: {receipt}");
            assert!(store.get(&agent(), id).unwrap().is_none(), "{row:?}");
            for document in [name(&journal(20)), name("MEMORY.md")] {
                let left = workspace.read(&document).unwrap().unwrap().lossy().into_owned();
                assert!(!left.contains("spare boat key") && left.contains("and tea"), "{row:?}: {left}");
            }
            assert!(store.write(&agent(), &self::row(said(row.other)), now()).is_err(), "{row:?} comes back");
        }
    }
}

// BX-53
#[test]
fn a_night_knows_its_lines_however_they_are_written() {
    for row in table(SAME).filter(|row| !row.shows.starts_with("Persian")) {
        let noted = |word: &str| format!("- 09:12 [user] I sail with {word} on Sundays.\n");
        let fact = |word: &str| format!("### Facts\n- The user sails with {word} on Sundays.\n");
        let life = Life::with(&[(20, &noted(row.one))]);
        life.dream(&Script::new().says(fact(row.one)));
        assert!(life.memory().contains(row.one), "{row:?}");
        let fate = |day: u32| {
            life.put(&journal(day), noted(row.other));
            let script = Script::new().says(fact(row.other));
            dream(&life.dreamer(), &script, night(day + 1)).passes[0].lines[0].fate.clone()
        };
        assert_eq!(fate(21), LineOutcome::Duplicate, "{row:?}");
        life.put("MEMORY.md", MEMORY);
        assert_eq!(fate(22), LineOutcome::RemovedBefore, "{row:?}");
    }
}

// BX-53
#[test]
fn names_of_files_that_are_one_elsewhere_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let homes: [Box<dyn Workspace>; 2] = [
        Box::new(FileWorkspace::open(folder.path()).unwrap()),
        Box::new(SqliteWorkspace::open(folder.path().join("life.db"), marta()).unwrap()),
    ];
    for home in homes {
        // No name has characters that take no room.
        for row in table(SAME).filter(|row| !row.one.contains('\u{200c}')) {
            let names = [row.one, row.other].map(|word| name(&format!("notes/{word}.md")));
            for name in &names {
                home.write(name, b"x", WriteMode::Replace).unwrap();
            }
            let told = home.list(Some(&name("notes"))).unwrap().collisions;
            let is_told = told.iter().any(|(one, other)| names.contains(one) && names.contains(other));
            assert!(is_told, "{row:?}: {told:?}");
        }
    }
}
