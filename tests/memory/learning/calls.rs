//! Random calls of every kind of session: nobody but the human of a main session changes what only they may.

use std::sync::Arc;

use chrono::TimeDelta;

use super::{contract, human, method};
use noctuary::learning::{Ending, MethodId, NewOutcome};
use noctuary::testing::contract::method::Methods as Store;
use noctuary::testing::{Disk, MemoryDisk};
use noctuary::{Access, Actor, FileMemoryStore, Scope, SessionKind};
use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::marta::now;

/// Every access but that of the human of a main session.
pub(super) fn anybody_else(dice: &mut Dice) -> Access {
    let kinds = [SessionKind::Main, SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled];
    let actors = [Actor::Human, Actor::Agent, Actor::Library];
    let scopes = [contract::scope(), Scope::user("eve")];
    loop {
        let kind = kinds[dice.below(4)];
        let actor = actors[dice.below(3)];
        let scope = scopes[usize::from(dice.one_in(8))].clone();
        if (kind, actor, &scope) != (SessionKind::Main, Actor::Human, &contract::scope()) {
            return Access::new(kind, actor, scope);
        }
    }
}

/// How many calls: a few thousand, and a hundred thousand where they are asked for.
pub(super) fn many() -> u64 {
    std::env::var("NOCTUARY_CALLS").ok().and_then(|calls| calls.parse().ok()).unwrap_or(3_000)
}

pub(super) fn in_memory() -> Arc<FileMemoryStore> {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    Arc::new(
        FileMemoryStore::on_disk(disk, contract::scope(), noctuary::store::StoreConfig::default()).unwrap(),
    )
}

#[test]
fn no_call_of_anybody_else_graduates_a_method_or_takes_one_out_of_quarantine() {
    let store: Arc<dyn Store> = in_memory();
    let mut dice = Dice(1);
    let host = Access::new(SessionKind::Main, Actor::Library, contract::scope());
    for body in 0..6 {
        store.create_method(&human(), &method(&format!("Way {body}")), now()).unwrap();
    }
    for number in 0..40_i64 {
        let outcome =
            NewOutcome::new(format!("good-{number}"), [MethodId::new(number % 4 + 1)], Ending::Success);
        store.report_outcome(&host, &outcome, now()).unwrap();
    }
    store.graduate_method(&human(), MethodId::new(1), now()).unwrap();
    let graduated = |store: &dyn Store| {
        let methods = store.methods(&human()).unwrap();
        methods
            .into_iter()
            .filter(|method| method.graduated.is_some())
            .map(|method| method.id)
            .collect::<Vec<_>>()
    };
    let free = |store: &dyn Store| {
        let methods = store.methods(&human()).unwrap();
        methods
            .into_iter()
            .filter(|method| method.quarantine == 0)
            .map(|method| method.id)
            .collect::<Vec<_>>()
    };
    let mut changed = 0;
    for call in 0..many() {
        let access = anybody_else(&mut dice);
        let id = MethodId::new(dice.below(8));
        let at = now() + TimeDelta::seconds(i64::try_from(call).unwrap());
        match dice.below(if call < 1_000 { 6 } else { 40 }) {
            0 => drop(store.create_method(
                &access,
                &method(&format!("Way {}", dice.below(9))).case("It helped."),
                at,
            )),
            1 => {
                let ending = if dice.below(3) > 0 { Ending::Success } else { Ending::Failure };
                drop(store.report_outcome(&access, &NewOutcome::new(format!("o{call}"), [id], ending), at));
            }
            2 => drop(store.forget(&access, "way 0 is good", at)),
            3 | 4 => drop(store.quarantine_method(&access, id, dice.below(4) == 0, at)),
            _ => changed += u64::from(store.graduate_method(&access, id, at).is_ok()),
        }
        if call % 97 == 0 {
            assert!(free(store.as_ref()).iter().all(|id| *id == MethodId::new(1)), "call {call}");
        }
    }
    assert_eq!(changed, 0);
    assert!(graduated(store.as_ref()).iter().all(|id| *id == MethodId::new(1)));
    assert!(store.methods(&human()).unwrap().len() > 6, "calls that are allowed were among them");
}
