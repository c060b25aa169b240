//! BX-57: several stores answer one question, the nearest first.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use chrono::TimeDelta;
use noctuary::facts::{FactKey, FactStore, Layers};
use noctuary::life::{ContextConfig, MemoryContext};
use noctuary::memory::{Filter, NewMemory, Query, Source};
use noctuary::{Access, Actor, FileMemoryStore, MemoryStore, Scope, SessionKind, SqliteMemoryStore};
use noctuary_tests::common::marta::{marta, now};
use tempfile::TempDir;

/// A project in a folder, with the memory of a person in a database behind it.
struct Homes {
    _folder: TempDir,
    project: FileMemoryStore,
    personal: SqliteMemoryStore,
}

const PROJECT: &str = "project";

impl Homes {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        let project = FileMemoryStore::open(folder.path().join("project"), Scope::user(PROJECT)).unwrap();
        let personal = SqliteMemoryStore::open(folder.path().join("personal.db"), marta()).unwrap();
        Self { _folder: folder, project, personal }
    }

    fn of_project(&self, text: &str) {
        let row = NewMemory::new("note", text, Source::UserExplicit);
        self.project.write(&Access::human(Scope::user(PROJECT)), &row, now()).unwrap();
    }

    fn of_marta(&self, text: &str, shared: bool) {
        let mut row = NewMemory::new("note", text, Source::UserExplicit);
        row.shared = shared;
        self.personal.write(&Access::human(marta()), &row, now()).unwrap();
    }

    fn layers(&self, access: fn(Scope) -> Access) -> Layers<'_> {
        Layers::default().then(PROJECT, &self.project, &self.project, access(Scope::user(PROJECT))).then(
            "personal",
            &self.personal,
            &self.personal,
            access(marta()),
        )
    }

    /// The names of the stores and the words of what is found.
    fn found(&self, access: fn(Scope) -> Access, question: &str) -> Vec<(String, String)> {
        let found = self.layers(access).search(&Query::new(question)).unwrap();
        found.hits.into_iter().map(|one| (one.layer.to_owned(), one.hit.memory.content)).collect()
    }
}

fn named(layer: &str, text: &str) -> (String, String) {
    (layer.to_owned(), text.to_owned())
}

#[test]
fn hits_say_whose_they_are_and_of_equal_places_the_nearest_comes_first() {
    let homes = Homes::new();
    homes.of_marta("Commits are written in English", false);
    homes.of_project("Commits are written in Vietnamese");
    homes.of_marta("Nobody writes commits at night", false);
    let found = homes.found(Access::agent, "commits written");
    assert_eq!(found[0], named(PROJECT, "Commits are written in Vietnamese"));
    assert_eq!(found[1], named("personal", "Commits are written in English"));
    assert_eq!(found[2], named("personal", "Nobody writes commits at night"));
}

#[test]
fn a_prompt_shows_the_rows_of_all_stores_in_the_same_order_each_with_its_rights() {
    let homes = Homes::new();
    homes.of_marta("Commits are written in English", true);
    homes.of_marta("Tests run before lunch.", false);
    homes.of_project("Tests run before lunch");
    homes.of_project("Indents with tabs");
    let rows = homes.personal.list(&Access::human(marta()), &Filter::limit(9)).unwrap();
    let pinned = rows.into_iter().find(|row| row.content.starts_with("Commits")).unwrap();
    homes.personal.pin(&Access::human(marta()), pinned.id, true, now()).unwrap();
    let block = |access: fn(Scope) -> Access, rows: usize| {
        let mut config = ContextConfig::default();
        config.max_rows = rows;
        MemoryContext::of_layers(&homes.layers(access), &config, now()).unwrap().to_string()
    };
    let lines = |block: String| -> Vec<String> {
        block.lines().filter(|line| line.starts_with("[note")).map(str::to_owned).collect()
    };
    let all = lines(block(Access::agent, 50));
    assert_eq!(all.len(), 3, "{all:?}");
    assert_eq!(all[0], format!("[note, of personal] {}", pinned.content), "a pinned row comes first");
    assert!(all[1].starts_with("[note] "), "{all:?}");
    assert_eq!(all.iter().filter(|line| line.contains("before lunch")).count(), 1, "{all:?}");
    assert_eq!(lines(block(Access::agent, 2)), all[..2]);
    let shared = |scope| Access::new(SessionKind::Shared, Actor::Agent, scope);
    assert_eq!(lines(block(shared, 50)), ["[note, of personal] Commits are written in English"]);
    assert_eq!(
        MemoryContext::of_layers(&Layers::default(), &ContextConfig::default(), now()).unwrap().as_str(),
        ""
    );
}

#[test]
fn a_statement_of_several_stores_comes_once_as_that_of_the_nearest() {
    let homes = Homes::new();
    for filler in ["The harbour café opens late", "A harbour café is closed on Mondays"] {
        homes.of_project(filler);
    }
    // Composed in one home and decomposed in the other, with a stop at the end.
    homes.of_project("The café at the harbour takes cards and has two long tables for the whole team.");
    homes.of_marta(
        "The cafe\u{301} at the harbour takes cards and has two long tables for the whole team",
        false,
    );
    let found = homes.layers(Access::agent).search(&Query::new("harbour café cards tables")).unwrap();
    let same: Vec<_> = found.hits.iter().filter(|one| one.hit.memory.content.contains("cards")).collect();
    assert_eq!(same.len(), 1);
    assert_eq!((same[0].layer, same[0].also_in.as_slice()), (PROJECT, ["personal"].as_slice()));
    assert_eq!(found.outcomes.len(), 2);
}

#[test]
fn a_limit_holds_for_all_stores_together() {
    let homes = Homes::new();
    for number in 0..4 {
        homes.of_project(&format!("Ferry {number} of the project"));
        homes.of_marta(&format!("Ferry {number} of Marta"), false);
    }
    let found = homes.layers(Access::agent).search(&Query::new("ferry").limit(3)).unwrap();
    let layers: Vec<_> = found.hits.iter().map(|one| one.layer).collect();
    assert_eq!(layers, [PROJECT, "personal", PROJECT]);
}

#[test]
fn a_newer_value_of_another_store_is_told_and_hides_nothing() {
    let homes = Homes::new();
    let editor = |text: &str| {
        NewMemory::new("fact", text, Source::UserExplicit).about(FactKey::one("marta", "editor"))
    };
    let (of_project, of_marta) = (Access::human(Scope::user(PROJECT)), Access::human(marta()));
    homes.project.record(&of_project, &editor("Marta's editor is Vim"), now() - TimeDelta::days(9)).unwrap();
    let helix = homes.personal.record(&of_marta, &editor("Marta's editor is Helix"), now()).unwrap();
    let found = homes.layers(Access::human).search(&Query::new("Marta's editor")).unwrap();
    assert_eq!(found.hits.len(), 2);
    assert_eq!((found.hits[0].layer, found.hits[0].newer), (PROJECT, Some(("personal", helix.id))));
    assert_eq!((found.hits[1].layer, found.hits[1].newer), ("personal", None));
}

#[test]
fn each_store_keeps_its_rights_and_nothing_is_copied() {
    let homes = Homes::new();
    homes.of_project("The canary of the project is grey");
    homes.of_marta("The canary of Marta is yellow", false);
    homes.of_marta("The canary that everybody may see is blue", true);
    let shared: fn(Scope) -> Access = Access::shared;
    let found = homes.found(shared, "canary");
    assert_eq!(found, [named("personal", "The canary that everybody may see is blue")]);
    // A main session of the project is none of the person's memory: each access is its own.
    let mixed = Layers::default()
        .then(PROJECT, &homes.project, &homes.project, Access::human(Scope::user(PROJECT)))
        .then("personal", &homes.personal, &homes.personal, Access::shared(marta()))
        .search_unmasked(&Query::new("canary"))
        .unwrap();
    assert!(mixed.hits.iter().all(|one| !one.hit.memory.content.contains("yellow")));
    let rows = homes.project.list(&Access::human(Scope::user(PROJECT)), &Filter::limit(99)).unwrap();
    assert_eq!(rows.len(), 1, "nothing of the person is in the project");
}
