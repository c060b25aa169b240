//! Every operation of a report fails once, and the power goes after each: an outcome counts once, whole or not at all.

use std::io::ErrorKind;
use std::sync::Arc;

use super::{agent, contract, host, human, method};
use crate::common::marta::now;
use noctuary::FileMemoryStore;
use noctuary::learning::{Ending, Method, MethodId, MethodStore, NewOutcome};
use noctuary::store::StoreConfig;
use noctuary::testing::{Disk, Fault, Faults, FaultyDisk, MemoryDisk};

const FAULTS: [Fault; 3] =
    [Fault::Error(ErrorKind::StorageFull), Fault::Error(ErrorKind::PermissionDenied), Fault::Crash];

fn on(disk: impl Disk + 'static) -> FileMemoryStore {
    FileMemoryStore::on_disk(Arc::new(disk), contract::scope(), StoreConfig::default()).unwrap()
}

/// A store with two methods out of quarantine, one of them an outcome away from going back.
fn begun() -> MemoryDisk {
    let disk = MemoryDisk::new();
    let store = on(disk.clone());
    for body in ["one", "two"] {
        let id = store.create_method(&agent(), &method(body), now()).unwrap();
        store.quarantine_method(&human(), id, false, now()).unwrap();
    }
    for number in 0..19 {
        let outcome = NewOutcome::new(format!("bad-{number}"), [MethodId::new(1)], Ending::Failure);
        store.report_outcome(&host(), &outcome, now()).unwrap();
    }
    disk
}

fn told(disk: &MemoryDisk) -> Vec<Method> {
    on(disk.clone()).methods(&human()).unwrap()
}

fn cases(disk: &MemoryDisk) -> usize {
    let store = on(disk.clone());
    (1..=2).map(|id| store.method_cases(&human(), MethodId::new(id), 99).unwrap().len()).sum()
}

#[test]
fn an_outcome_counts_once_whatever_fails_and_however_often_it_is_reported_again() {
    let outcome =
        NewOutcome::new("the-one", [MethodId::new(1), MethodId::new(2)], Ending::Failure).case("It rained.");
    let before = told(&begun());
    let counted = {
        let disk = begun();
        assert_eq!(
            on(disk.clone()).report_outcome(&host(), &outcome, now()).unwrap().quarantined,
            [MethodId::new(1)]
        );
        told(&disk)
    };
    let faults = Faults::new();
    let store = on(FaultyDisk::new(Arc::new(begun()), faults.clone()));
    faults.disarm();
    store.report_outcome(&host(), &outcome, now()).unwrap();
    let operations = faults.seen().len() as u64;
    assert!(operations >= 3, "{operations}");
    let mut whole = 0;
    for nth in 1..=operations {
        for fault in FAULTS {
            let (disk, faults) = (begun(), Faults::new());
            let store = on(FaultyDisk::new(Arc::new(disk.clone()), faults.clone()));
            faults.arm(nth, fault);
            let reported = store.report_outcome(&host(), &outcome, now());
            drop(store);
            let standing = told(&disk);
            assert!(standing == before || standing == counted, "{fault:?} at {nth}: half of it");
            assert!(reported.is_err() || standing == counted, "{fault:?} at {nth}: said and not done");
            whole += u64::from(standing == counted);
            // The host does not know, and reports it again, and again.
            let store = on(disk.clone());
            let again = store.report_outcome(&host(), &outcome, now()).unwrap();
            assert_eq!(again.counted, standing == before, "{fault:?} at {nth}");
            assert!(!store.report_outcome(&host(), &outcome, now()).unwrap().counted);
            assert_eq!((told(&disk), cases(&disk)), (counted.clone(), 2), "{fault:?} at {nth}");
        }
    }
    assert!(whole > 0 && whole < operations * 3, "{whole} of {operations}");
}
