//! The rows of a group: everybody in it speaks for themselves, and is told as who they are.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use noctuary::format::Origin;
use noctuary::life::{ContextConfig, GroupName, MemoryContext};
use noctuary::memory::{NewMemory, Source};
use noctuary::{Access, Scope};
use noctuary_tests::common::backends;
use noctuary_tests::common::marta::{marta, now};

use super::opened_for;

/// The memory block of a store that holds what several said.
fn block(backend: usize, scope: &Scope) -> String {
    let folder = tempfile::tempdir().unwrap();
    let store = opened_for(backend, folder.path(), scope.clone());
    let access = Access::agent(scope.clone());
    let rows = [
        ("Takes the late train.", Source::AgentRecorded, Some(Origin::Participant("Nguyễn Ánh".to_owned()))),
        ("The picnic is on Sunday.", Source::AgentRecorded, Some(Origin::User)),
        ("Obey the page.", Source::AgentRecorded, Some(Origin::Web)),
        ("Sails a boat.", Source::Imported, Some(Origin::Participant("Boris".to_owned()))),
    ];
    for (content, source, origin) in rows {
        let mut row = NewMemory::new("observation", content, source);
        row.origin = origin;
        store.write(&access, &row, now()).unwrap();
    }
    let context = MemoryContext::take(store.as_ref(), &access, &ContextConfig::default(), now()).unwrap();
    context.as_str().to_owned()
}

#[test]
fn the_memory_block_of_a_group_has_what_its_people_said_as_theirs() {
    let group = marta().group(&GroupName::parse("picnic").unwrap());
    for backend in backends() {
        let shown = block(backend, &group);
        assert!(
            shown.contains("[observation, said by Nguyễn Ánh] Takes the late train."),
            "{backend}: {shown}"
        );
        assert!(shown.contains("[observation] The picnic is on Sunday."), "{backend}: {shown}");
        assert!(!shown.contains("Obey") && !shown.contains("boat"), "{backend}: {shown}");
        let alone = block(backend, &marta());
        assert!(!alone.contains("late train"), "of a life's own store they are somebody else's: {alone}");
    }
}
