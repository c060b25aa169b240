//! The verbs of a store that are neither writes of new rows nor searches nor `forget`.

use std::cell::Cell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use noctuary::facts::Decision;
use noctuary::memory::{Filter, MemoryId, NewMemory, Source};

use crate::home::{Store, agent, at, human, query};
use crate::language::Language;
use crate::measure::median;
use crate::sheet::Line;

/// The most calls of a verb, and the most time for them.
const CALLS: u32 = 100;
const TIME: Duration = Duration::from_millis(250);

/// Measures one call after the other; returns the median.
fn calls(most: u32, time: Duration, mut call: impl FnMut(u32)) -> f64 {
    median(each(most, time, &mut call))
}

/// Measures one call after the other, each in microseconds, at least two if that many are wanted.
pub(crate) fn each(most: u32, time: Duration, call: &mut dyn FnMut(u32)) -> Vec<f64> {
    let all = Instant::now();
    let mut spent = Vec::new();
    for number in 0..most {
        let begun = Instant::now();
        call(number);
        spent.push(begun.elapsed().as_secs_f64() * 1e6);
        if number > 0 && all.elapsed() > time {
            break;
        }
    }
    spent
}

/// Measures two verbs in turn, of which the second takes back the first.
fn pairs(lines: &mut Vec<Line>, verbs: [&str; 2], mut first: impl FnMut(u32), mut second: impl FnMut(u32)) {
    let (mut of_first, mut of_second) = (Vec::new(), Vec::new());
    let all = Instant::now();
    for number in 0..CALLS {
        of_first.extend(each(1, TIME, &mut |_| first(number)));
        of_second.extend(each(1, TIME, &mut |_| second(number)));
        if all.elapsed() > 2 * TIME {
            break;
        }
    }
    lines.push(Line::time(verbs[0], median(of_first)));
    lines.push(Line::time(verbs[1], median(of_second)));
}

/// Calls the other verbs on so many rows. They change a few.
pub(crate) fn of_rows(store: &dyn Store, language: &Language, rows: u32) -> Vec<Line> {
    let (agent, human, now) = (agent(), human(), at(rows));
    let id = |number: u32| anywhere(number, rows);
    let mut lines = Vec::new();
    let mut line = |verb: &str, call: &mut dyn FnMut(u32)| {
        lines.push(Line::time(verb, calls(CALLS, TIME, call)));
    };
    line("search_unmasked", &mut |number| {
        black_box(store.search_unmasked(&agent, &query(language, number)).unwrap());
    });
    line("get", &mut |number| drop(black_box(store.get(&agent, id(number)).unwrap().unwrap())));
    line("list, 50", &mut |_| assert_eq!(store.list(&agent, &Filter::limit(50)).unwrap().len(), 50));
    line("snapshot, 50", &mut |_| assert_eq!(store.snapshot(&agent, 50, now).unwrap().len(), 50));
    line("audit, 50", &mut |_| assert_eq!(store.audit(&human, 50).unwrap().len(), 50));
    line("update", &mut |number| {
        assert!(store.update(&agent, id(number), &language.row(2 * rows + number), now).unwrap());
    });
    line("set_profile", &mut |number| {
        let key = format!("key-{}", number % 20);
        store.set_profile(&agent, &key, &language.row(number), now).unwrap();
    });
    line("profile", &mut |_| assert!(!black_box(store.profile(&agent).unwrap()).is_empty()));
    line("purge, nothing due", &mut |_| assert_eq!(store.purge(at(0), now).unwrap(), 0));
    let pin = |number, pinned| assert!(store.pin(&human, id(number), pinned, now).unwrap());
    pairs(&mut lines, ["pin", "pin, taken back"], |number| pin(number, true), |number| pin(number, false));
    let delete = |number| assert!(store.delete(&human, id(number), now).unwrap());
    let restore = |number| assert!(store.restore(&human, id(number), now).unwrap());
    pairs(&mut lines, ["delete", "restore"], delete, restore);
    lines
}

/// Calls the verbs of facts on so many facts.
pub(crate) fn of_facts(store: &dyn Store, language: &Language, rows: u32) -> Vec<Line> {
    let (agent, now) = (agent(), at(2 * rows));
    let mut lines = Vec::new();
    // A new fact waits until it is settled.
    let settled = each(1, TIME, &mut |_| assert_eq!(store.settle(now).unwrap().settled, u64::from(rows)));
    lines.push(Line::rows("settle of all facts", f64::from(rows) * 1e6 / settled[0]));
    let mut line = |verb: &str, call: &mut dyn FnMut(u32)| {
        lines.push(Line::time(verb, calls(CALLS, TIME, call)));
    };
    line("settle, nothing due", &mut |_| assert_eq!(store.settle(now).unwrap().settled, 0));
    line("record", &mut |number| {
        let fact = NewMemory::new("fact", language.row(3 * rows + number), Source::AgentRecorded);
        black_box(store.record(&agent, &fact, now).unwrap());
    });
    line("fact", &mut |number| {
        drop(black_box(store.fact(&agent, anywhere(number, rows)).unwrap().unwrap()));
    });
    line("history", &mut |number| {
        assert_eq!(store.history(&agent, anywhere(number, rows)).unwrap().len(), 1);
    });
    line("suspicions, 50", &mut |_| drop(black_box(store.suspicions(&agent, 50).unwrap())));
    let event = Cell::new(None);
    let decide = |number: u32| {
        // An even row and the odd one after it.
        let older = anywhere(number, rows).get() & !1;
        let decision = Decision::supersede(MemoryId::new(older.max(2)), MemoryId::new(older.max(2) + 1));
        event.set(Some(store.decide(&agent, &decision, now).unwrap().id));
    };
    let revert = |_| drop(store.revert(&agent, event.take().unwrap(), now).unwrap());
    pairs(&mut lines, ["decide", "revert"], decide, revert);
    lines.push(Line::time(
        "decisions, 50",
        calls(CALLS, TIME, |_| assert!(!store.decisions(&agent, 50).unwrap().is_empty())),
    ));
    lines
}

/// A row of any age; the prime makes the calls meet different ones.
fn anywhere(number: u32, rows: u32) -> MemoryId {
    MemoryId::new(1 + i64::from(number * 7919 % (rows - 1)))
}
