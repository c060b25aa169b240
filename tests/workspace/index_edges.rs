//! Edges of documents: links of a vault, told to whom the documents are.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::any::Any;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use noctuary::edges::{CitedSource, EdgeStore};
use noctuary::exchange::{Forget, ForgetPlace};
use noctuary::life::Indexed;
use noctuary::{Access, DocName, Scope, Workspace, WriteMode};

use crate::workspace::index_homes::{AnyIndex, NewHome, on_each_home};

type Vault = Indexed<Arc<dyn Workspace>>;

on_each_home! {
    links_of_a_vault_lead_both_ways_and_follow_every_edit
    a_session_with_others_is_told_of_no_private_document
    a_forgotten_statement_is_in_no_edge_of_a_document
}

fn vault(home: NewHome) -> (Vault, Arc<dyn AnyIndex>, Box<dyn Any>) {
    (Indexed::new(home.workspace, home.index.clone()), home.index, home.place)
}

fn marta() -> Access {
    Access::human(Scope::user("marta"))
}

fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH
}

fn put(vault: &Vault, name: &str, text: &str) {
    vault.write(&DocName::parse(name).unwrap(), text.as_bytes(), WriteMode::Replace).unwrap();
}

/// The sources of an entity, and what is beside it.
fn around(edges: &dyn EdgeStore, access: &Access, asked: &str) -> (Vec<String>, Vec<String>) {
    let near = edges.neighborhood(access, asked, 20, now()).unwrap();
    let sources = near.mentions.iter().map(|mention| mention.said.source().to_string()).collect();
    (sources, near.neighbors.iter().map(|near| near.entity.to_string()).collect())
}

fn links_of_a_vault_lead_both_ways_and_follow_every_edit(new: fn() -> NewHome) {
    let (vault, index, _place) = vault(new());
    put(&vault, "notes/boat.md", "# Boat\n\nLies in [[Harbour]] #sailing\n");
    put(&vault, "notes/log.md", "Sailed with [[boat|Brisk]] and @jan\n");
    put(&vault, "notes/crew.md", "@jan knows the [[notes/boat.md#Keel]]\n");
    let (sources, beside) = around(&vault, &marta(), "[[Boat]]");
    assert_eq!(sources, ["notes/log.md#L1", "notes/boat.md#L1-L3"]);
    assert_eq!(
        beside,
        ["person:jan", "link:log", "link:notes/log", "link:harbour", "link:notes/boat", "tag:sailing"]
    );
    assert_eq!(around(&vault, &marta(), "notes/boat").0, ["notes/crew.md#L1", "notes/boat.md#L1-L3"]);
    assert_eq!((index.extract_edges().unwrap(), vault.extract_edges().unwrap()), (0, 0));

    let edition = vault.edition().unwrap();
    put(&vault, "notes/log.md", "Sailed with [[kestrel]]\n");
    assert_ne!(vault.edition().unwrap(), edition);
    assert_eq!(around(&vault, &marta(), "boat").0, ["notes/boat.md#L1-L3"]);
    vault.remove(&DocName::parse("notes/boat.md").unwrap()).unwrap();
    assert_eq!(around(&vault, &marta(), "harbour"), (vec![], vec![]));
    assert!(vault.top_entities(&marta(), 99).unwrap().iter().all(|top| top.entity.key != "harbour"));
}

fn a_session_with_others_is_told_of_no_private_document(new: fn() -> NewHome) {
    let (vault, index, _place) = vault(new());
    put(&vault, "MEMORY.md", "# Memory\n\n- the keel of Brisk is paid by @jan\n");
    put(&vault, "SOUL.md", "# Soul\n\nYou know the keel of Brisk #boats\n");
    let lines = vault.neighborhood(&marta(), "brisk", 9, now()).unwrap().mentions;
    assert_eq!(lines.len(), 2);
    let private = lines.iter().map(|mention| mention.said.source());
    let private: Vec<CitedSource> =
        private.filter(|source| source.to_string().starts_with("MEMORY")).collect();
    let strange = Access::human(Scope::user("eve"));
    for edges in [&vault as &dyn EdgeStore, index.as_ref()] {
        let others = Access::shared(Scope::user("marta"));
        let (sources, beside) = around(edges, &others, "brisk");
        assert!(sources.iter().all(|source| !source.starts_with("MEMORY")), "{sources:?}");
        assert!(!beside.contains(&"person:jan".to_owned()), "{beside:?}");
        assert_eq!(around(edges, &others, "@jan"), (vec![], vec![]));
        let top = edges.top_entities(&others, 99).unwrap();
        assert!(top.iter().all(|top| top.entity.key != "jan"));
        assert_eq!(edges.words(&others, &private[0]).unwrap(), None);
        assert!(edges.words(&marta(), &private[0]).unwrap().unwrap().contains("@jan"));
        assert_eq!(around(edges, &strange, "brisk"), (vec![], vec![]));
        assert!(edges.top_entities(&strange, 9).unwrap().is_empty());
    }
}

fn a_forgotten_statement_is_in_no_edge_of_a_document(new: fn() -> NewHome) {
    let (vault, _, _place) = vault(new());
    put(&vault, "notes/rent.md", "The landlord of Brisk is @zanzibarqx\n\nTea with @jan\n");
    let source = vault.neighborhood(&marta(), "@zanzibarqx", 9, now()).unwrap().mentions[0].said.source();
    let human = marta();
    let forget = Forget::new(&human, "landlord of Brisk is @zanzibarqx").workspace(vault.workspace());
    forget.run(now()).unwrap();
    // The index was not brought up to date yet.
    assert_eq!(around(&vault, &marta(), "@zanzibarqx"), (vec![], vec![]));
    assert_eq!(vault.words(&marta(), &source).unwrap(), None);
    let forget = Forget::new(&human, "landlord of Brisk is @zanzibarqx").workspace(&vault).index(&vault);
    let receipt = forget.run(now()).unwrap();
    assert_eq!(receipt.place(ForgetPlace::DocumentIndex).left, None);
    assert_eq!(around(&vault, &marta(), "@zanzibarqx"), (vec![], vec![]));
    assert_eq!(around(&vault, &marta(), "@jan").0.len(), 1, "all other text is found as before");
    assert!(vault.top_entities(&marta(), 99).unwrap().iter().all(|top| top.entity.key != "zanzibarqx"));
}
