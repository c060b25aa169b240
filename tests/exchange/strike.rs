//! Lines of `MEMORY.md` that hold no more: marked in prompts, struck through for a person, and taken back.

use std::sync::Arc;

use chrono::{DateTime, TimeZone, Utc};
use noctuary::exchange::{feed, strike_superseded, unstrike};
use noctuary::facts::{Decision, FactState, FactStore};
use noctuary::memory::{Filter, MemoryId, NewMemory, Query, Reached, Source};
use noctuary::{Access, Actor, Error, FileMemoryStore, LifeConfig, MemoryStore, SessionKind, Workspace};

use crate::exchange::{homes, put, text};
use noctuary_tests::dreaming::marta::{access, agent, human, marta};

const MEMORY: &str = "# Memory\r\n\r\nMy own words: lives in Berlin.\r\n\r\n\
## Dreamed 2026-11-20\r\n<!-- dream:v1 id=0f3a9c5be2d14477 src=1 sha256=9b1f -->\r\n\r\n### Facts\r\n\
- Marta lives in Berlin. (memory/2026-11-20-repl.md#L1)\r\n\
- The boat is called Brisk.\r\n\
\r\n<!-- /dream:v1 id=0f3a9c5be2d14477 -->\r\n- Marta lives in Berlin.\r\n";

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap()
}

fn row(store: &dyn MemoryStore, content: &str) -> MemoryId {
    let rows = store.list(&agent(), &Filter::limit(99)).unwrap();
    rows.iter().find(|row| row.content == content).unwrap().id
}

/// A home with dreamed lines, and a store in which one of them was replaced.
fn moved(workspace: &dyn Workspace, folder: &std::path::Path) -> (FileMemoryStore, MemoryId, MemoryId) {
    put(workspace, "MEMORY.md", MEMORY);
    let rows = folder.join("rows");
    std::fs::create_dir(&rows).unwrap();
    let store = FileMemoryStore::open(rows, marta()).unwrap();
    assert_eq!(feed(workspace, &store, &marta(), now()).unwrap().written, 2);
    let berlin = row(&store, "Marta lives in Berlin.");
    let lisbon = NewMemory::new("fact", "Marta moved to Lisbon.", Source::UserExplicit);
    let lisbon = store.record(&agent(), &lisbon, now()).unwrap().id;
    store.decide(&human(), &Decision::supersede(berlin, lisbon), now()).unwrap();
    (store, berlin, lisbon)
}

#[test]
fn a_line_that_holds_no_more_says_so_in_prompts_of_main_sessions() {
    for (life, workspace) in homes() {
        let (store, ..) = moved(workspace.as_ref(), &life.path(""));
        let lives = noctuary::Life::new(Arc::clone(&workspace), LifeConfig::default());
        let mut session = lives.begin_session(agent(), "repl", "repl", now()).unwrap();
        let before = session.system_prompt().unwrap();
        // In the section, and in the person's own line that says the same.
        assert_eq!(session.mark_superseded(&store).unwrap(), 2);
        let after = session.system_prompt().unwrap();
        let note = " [superseded since 2026-11-21; now: Marta moved to Lisbon.]";
        assert!(after.contains(&format!("(memory/2026-11-20-repl.md#L1){note}")), "{after}");
        assert_eq!(after.replace(note, ""), before);
        assert_eq!(text(workspace.as_ref(), "MEMORY.md"), MEMORY, "the file stays");

        let others = access(SessionKind::Shared, Actor::Agent);
        assert_eq!(store.superseded(&others).unwrap(), []);
        let mut session = lives.begin_session(others, "group", "chat", now()).unwrap();
        assert_eq!(session.mark_superseded(&store).unwrap(), 0);
        let shared = session.system_prompt().unwrap();
        assert!(!shared.contains("Berlin") && !shared.contains("Lisbon"));
    }
}

#[test]
fn a_person_strikes_such_lines_and_takes_it_back() {
    for (life, workspace) in homes() {
        let (store, berlin, lisbon) = moved(workspace.as_ref(), &life.path(""));
        let nobody: [Access; 2] = [agent(), access(SessionKind::Shared, Actor::Human)];
        for access in nobody {
            let refused = strike_superseded(workspace.as_ref(), &store, &access);
            assert!(matches!(refused, Err(Error::Denied { .. })), "{access:?}: {refused:?}");
        }
        let strikes = strike_superseded(workspace.as_ref(), &store, &human()).unwrap();
        assert_eq!(strikes.lines.len(), 1);
        let struck = "- ~~Marta lives in Berlin.~~ (memory/2026-11-20-repl.md#L1)\r\n";
        let line = "- Marta lives in Berlin. (memory/2026-11-20-repl.md#L1)\r\n";
        assert_eq!(text(workspace.as_ref(), "MEMORY.md"), MEMORY.replacen(line, struck, 1));
        assert_eq!(strike_superseded(workspace.as_ref(), &store, &human()).unwrap().lines.len(), 0, "once");

        // The row stays, and leads on.
        let fed = feed(workspace.as_ref(), &store, &marta(), now()).unwrap();
        assert_eq!((fed.written, fed.removed), (0, 0), "{fed:?}");
        assert_eq!(store.fact(&agent(), berlin).unwrap().unwrap().status.state, FactState::Superseded);
        let hits = store.search(&agent(), &Query::new("Berlin")).unwrap().hits;
        assert_eq!((hits[0].memory.id, hits[0].reached), (lisbon, Reached::Retired(berlin)));

        assert_eq!(unstrike(workspace.as_ref(), &strikes, &human()).unwrap(), 1);
        assert_eq!(text(workspace.as_ref(), "MEMORY.md"), MEMORY);
        assert_eq!(unstrike(workspace.as_ref(), &strikes, &human()).unwrap(), 0);
    }
}

#[test]
fn a_line_that_two_dreams_promoted_holds() {
    let again = MEMORY.replace("0f3a9c5be2d14477", "1f3a9c5be2d14477").replace("# Memory\r\n", "");
    let twice = format!("{MEMORY}{again}");
    for (life, workspace) in homes() {
        put(workspace.as_ref(), "MEMORY.md", &twice);
        let rows = life.path("rows");
        std::fs::create_dir(&rows).unwrap();
        let store = FileMemoryStore::open(rows, marta()).unwrap();
        assert_eq!(feed(workspace.as_ref(), &store, &marta(), now()).unwrap().written, 4);
        store.settle(now()).unwrap();
        assert_eq!(
            store.superseded(&agent()).unwrap(),
            [],
            "its second row is retired, and the first one holds"
        );
        assert_eq!(strike_superseded(workspace.as_ref(), &store, &human()).unwrap().lines.len(), 0);
    }
}
