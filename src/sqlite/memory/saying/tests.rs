//! Rows that say a statement, beside a look at each row.

use std::time::Duration;

use chrono::{DateTime, TimeZone, Utc};
use rusqlite::Connection;

use super::*;
use crate::base::access::{Access, Scope};
use crate::base::document::SourceRef;
use crate::base::name::DocName;
use crate::facts::{Fact, FactKey};
use crate::format::Origin;
use crate::gate::TombstoneKey;
use crate::memory::{ForgetRequest, MemoryId, MemoryStore, NewMemory, Place, Role, Source};
use crate::sqlite::memory::SqliteMemoryStore;
use crate::sqlite::memory::table::SqliteBackend;
use crate::sqlite::open;
use crate::sqlite::schema::Others;
use crate::store::backend::Backend;
use crate::store::forget::Burial;

/// Words that are parted, folded or joined otherwise by a search than by a tombstone.
const WORDS: [&str; 48] = [
    "harbour",
    "Kowalski",
    "ko*wal*ski",
    "ko\u{200b}walski",
    "kowalski's",
    "don't",
    "O’Brien",
    "brien",
    "o",
    "t",
    "don",
    "Straße",
    "strasse",
    "Café",
    "cafe\u{301}",
    "café",
    "ČSOB",
    "c\u{30c}sob",
    "C++",
    "c",
    "1.5",
    "1,5",
    "-5",
    "5",
    "15",
    "a/b.rs",
    "_b_",
    "日本語",
    "日本",
    "本",
    "用Rust写",
    "rust",
    "서울에",
    "น้ำ",
    "ｆｕｌｌ",
    "full",
    "**bold**",
    "x`y`z",
    "xyz",
    "line\\nbreak",
    "break",
    "line",
    "1\\.5",
    "user",
    "manual",
    "assistant",
    "<b>tag</b>",
    "İzmir",
];

struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % 1_000_003).unwrap() % end
    }

    fn text(&mut self, most: usize) -> String {
        let mut text = String::new();
        for _ in 0..=self.below(most) {
            text.push_str(WORDS[self.below(WORDS.len())]);
            text.push_str([" ", " ", " ", "\n", ", ", "'", "-", "\\n", "\u{200b}", "*"][self.below(10)]);
        }
        text
    }

    fn row(&mut self, at: u64) -> NewMemory {
        let mut row = NewMemory::new("observation", self.text(8), Source::AgentRecorded);
        match self.below(16) {
            0 => row.category = self.text(2),
            1 => row.source = Source::Other(self.text(2)),
            2 => row.origin = Some(Origin::Participant(self.text(2))),
            3 => row.metadata = Some(serde_json::json!({ "a": [self.text(3)], self.text(2): 1 })),
            4 => row.about = Some(FactKey::one(self.text(2), self.text(2))),
            5 => {
                let name = DocName::parse("memory/Kowalski-harbour.md").unwrap();
                row.cites = vec![SourceRef { name, first_line: 1, last_line: 2 }];
            }
            6..9 => {
                row.place = Some(Place {
                    session: format!("{} {}", self.text(2), self.below(9)),
                    position: at,
                    role: Role::User,
                    speaker: [None, Some("assistant".to_owned()), Some(self.text(2))][self.below(3)].clone(),
                    said_at: None,
                });
            }
            _ => {}
        }
        row
    }

    /// Some words of a row in their order, or any, dressed otherwise.
    fn statement(&mut self, rows: &[String]) -> String {
        let said = if self.below(4) == 0 { self.text(4) } else { rows[self.below(rows.len())].clone() };
        let words: Vec<&str> = said.split_inclusive([' ', '\n', '-', ',']).collect();
        let first = self.below(words.len());
        let some: String = words[first..].iter().take(1 + self.below(4)).copied().collect();
        match self.below(4) {
            0 => some.to_uppercase(),
            1 => some.replace(' ', "  "),
            2 => some.replace(['*', '`', '\u{200b}'], ""),
            _ => some,
        }
    }
}

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap()
}

#[test]
#[ignore = "sweep"]
fn all_rows_are_found_that_a_look_at_each_of_them_finds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let scope = Scope::user("marta");
    let (store, access) =
        (SqliteMemoryStore::open(&path, scope.clone()).unwrap(), Access::human(scope.clone()));
    let (key, mut dice) = (TombstoneKey::random(), Dice(17));
    let backend = || {
        SqliteBackend::over(
            open::open(&path, Duration::from_secs(5), Others::Adopted, None).unwrap(),
            &scope,
            None,
        )
        .unwrap()
    };
    let shell = Connection::open(&path).unwrap();
    let (mut cases, mut found, mut said) = (0, 0, Vec::new());
    for round in 0..4 {
        let rows: Vec<NewMemory> = (0..150).map(|at| dice.row(at)).collect();
        said.extend(rows.iter().flat_map(|row| {
            let place =
                row.place.iter().flat_map(|place| [Some(place.session.clone()), place.speaker.clone()]);
            let notes = row.metadata.iter().map(|notes| Some(notes.to_string()));
            let all =
                [Some(row.content.clone()), Some(row.category.clone())].into_iter().chain(place).chain(notes);
            all.flatten().collect::<Vec<_>>()
        }));
        store.write_all(&access, &rows, now()).unwrap();
        for _ in 0..12 {
            let id = MemoryId::new(1 + i64::try_from(dice.below(150 * (round + 1))).unwrap());
            let text = dice.text(6);
            match dice.below(4) {
                0 => drop(store.delete(&access, id, now())),
                1 => drop(store.update(&Access::agent(scope.clone()), id, &text, now())),
                2 => drop(
                    shell
                        .execute("UPDATE memories SET content = ?2 WHERE id = ?1", (id.get(), text))
                        .unwrap(),
                ),
                _ => {
                    let sql = "UPDATE memories SET retired_at = '2026-11-21 09:00:00' WHERE id = ?1";
                    shell.execute(sql, [id.get()]).unwrap();
                }
            }
        }
        store.set_profile(&access, "name", "Marta", now()).unwrap();
        // Words that are no text, as a shell may write them.
        shell
            .execute_batch(
                "UPDATE memories SET category = x'4b6f77616c736b69ff20686172626f7572' WHERE id = 3",
            )
            .unwrap();
        store.set_profile(&access, "name", "Marta", now()).unwrap();
        let (backend, mut all) = (backend(), Vec::new());
        let sql = format!("SELECT {COLUMNS}, {FACT} FROM memories m ORDER BY m.id");
        let mut statement = shell.prepare(&sql).unwrap();
        let mut facts = statement.query([]).unwrap();
        while let Some(row) = facts.next().unwrap() {
            let found = Found { row, run: Run::of(&shell) };
            all.push((read_fact(&found).unwrap(), found.maybe(NOTES).unwrap()));
        }
        for _ in 0..500 {
            let statement = dice.statement(&said);
            let Ok(burial) = Burial::new(&key, &ForgetRequest::of(statement.as_str())) else { continue };
            let says = |(fact, notes): &&(Fact, Option<String>)| {
                burial.is_in(&fact.memory, fact.key.as_ref())
                    || notes.as_ref().is_some_and(|notes| burial.holds(notes))
            };
            let expected: Vec<MemoryId> = all.iter().filter(says).map(|(fact, _)| fact.memory.id).collect();
            let (saying, is_narrowed) = (&backend as &dyn Backend)
                .read("forget in", |rows| Ok((rows.saying(&burial)?, !burial.is_named())))
                .unwrap();
            let ids: Vec<MemoryId> = saying.iter().map(|fact| fact.memory.id).collect();
            assert_eq!(ids, expected, "{statement:?}");
            cases += usize::from(is_narrowed);
            found += usize::from(!ids.is_empty());
        }
    }
    assert!(cases > 1_000 && found > 500, "{cases} {found}");
}

// A file of an earlier version has signatures of one spelling alone, by which a row in another one was passed unread.
#[test]
fn signatures_of_an_earlier_version_are_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let open = || SqliteMemoryStore::open(&path, Scope::user("marta")).unwrap();
    let human = Access::human(Scope::user("marta"));
    let row = NewMemory::new("observation", "My lаndlоrd is Zo&euml;", Source::AgentRecorded);
    let id = open().write(&human, &row, now()).unwrap();
    Connection::open(&path)
        .unwrap()
        .execute_batch(
            "DROP TRIGGER memories_unsigned; UPDATE memories SET signature = 0;
             CREATE TRIGGER memories_unsigned AFTER UPDATE OF content ON memories BEGIN SELECT 1; END",
        )
        .unwrap();
    let store = open();
    store.forget(&human, "my landlord is Zoë", now()).unwrap();
    assert!(store.get(&human, id).unwrap().is_none());
}
