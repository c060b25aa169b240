//! Receipts: `why` names each source of a prompt, the log holds no word, and off is free.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use noctuary::life::{
    Block, CacheHint, ContextConfig, LeftOutReason, MemoryContext, PromptOrder, ReplySource, ShownBy,
    Standing, TurnEnd,
};
use noctuary::memory::{NewMemory, Query, Source};
use noctuary::testing::{Fault, Faults, FaultyWorkspace};
use noctuary::workspace::{StateName, WorkspaceExt};
use noctuary::{
    Access, Actor, DocName, FileMemoryStore, Life, LifeConfig, MemoryStore, Scope, SessionKind, Workspace,
};
use serde_json::json;

use crate::life::{access, at, begin, documents, home, homes, name, put};
use noctuary_tests::common::dice::Dice;

/// Settings with receipts.
fn on() -> LifeConfig {
    let mut config = LifeConfig::default();
    config.receipts.enabled = true;
    config
}

/// Returns a word that stands nowhere else.
fn word(dice: &mut Dice, number: &mut u64) -> String {
    *number += 1;
    let letters: String = (0..5).map(|_| char::from(dice.pick(b"qrstuvwxy"))).collect();
    format!("{letters}{number}z")
}

/// A text of some lines, each of words that stand nowhere else; some are blank.
fn text(dice: &mut Dice, number: &mut u64, lines: u64) -> String {
    let mut text = String::new();
    for _ in 0..lines {
        if dice.below(5) > 0 {
            let words: Vec<String> = (0..=dice.below(8)).map(|_| word(dice, number)).collect();
            text += &format!("- {}", words.join(" "));
        }
        text.push('\n');
    }
    text
}

/// The lines of documents of which a prompt shows any word, found by the words alone.
fn shown_lines(prompt: &str, documents: &BTreeMap<String, Vec<u8>>) -> BTreeSet<(String, u64)> {
    let mut shown = BTreeSet::new();
    for (name, bytes) in documents {
        for (number, line) in (1..).zip(String::from_utf8_lossy(bytes).lines()) {
            // Half of a word is none: a cut is looked for by the characters beside it, below.
            let words = line.split_whitespace().filter(|word| word.ends_with('z'));
            if words.into_iter().any(|word| prompt.contains(word)) {
                shown.insert((name.clone(), number));
            }
        }
    }
    shown
}

/// The lines that `why` names, blank ones, headings and lines of which only a part of a word is shown left out.
fn named_lines(
    why: &noctuary::life::Why,
    prompt: &str,
    documents: &BTreeMap<String, Vec<u8>>,
) -> BTreeSet<(String, u64)> {
    let mut named = BTreeSet::new();
    for shown in &why.sources {
        let ReplySource::Lines { at, .. } = &shown.source else { continue };
        assert_eq!(shown.by, ShownBy::Prompt);
        assert_ne!(shown.standing, Standing::Changed, "{shown}");
        let text = String::from_utf8_lossy(&documents[at.name.as_str()]).into_owned();
        for number in at.first_line..=at.last_line {
            let line = text.lines().nth(usize::try_from(number).unwrap() - 1).unwrap();
            let mut words = line.split_whitespace().filter(|word| word.ends_with('z')).peekable();
            if words.peek().is_none() {
                continue;
            }
            // A cut may leave a part of one word of the line.
            let is_part = !words.any(|word| prompt.contains(word));
            assert!(
                !is_part || has_part(prompt, line),
                "{at} is named, and line {number} is not shown: {line}\n{prompt}"
            );
            if !is_part {
                named.insert((at.name.to_string(), number));
            }
        }
    }
    named
}

/// Whether a line of the prompt is the beginning or the end of this one, as a cut within a line leaves it.
fn has_part(prompt: &str, line: &str) -> bool {
    prompt
        .lines()
        .map(|shown| shown.trim_start_matches('…'))
        .filter(|shown| !shown.is_empty())
        .any(|shown| *shown != *line && (line.starts_with(shown) || line.ends_with(shown)))
}

/// BX-39
#[test]
#[ignore = "sweep"]
fn why_names_every_source_of_a_thousand_scripted_prompts() {
    let mut dice = Dice(7);
    let (mut prompts, mut cuts, mut sections) = (0, 0, 0);
    let mut number = 0;
    for round in 0..125 {
        for kind in 0..2 {
            let Some((_folder, workspace)) = home(kind) else { continue };
            let mut config = on();
            config.prompt.order =
                [PromptOrder::Seed, PromptOrder::IronClaw, PromptOrder::OpenClaw][round % 3];
            config.prompt.max_file_chars = [20_000, 400, 150][dice.below(3)];
            config.prompt.max_chars = [60_000, 1500, 600][dice.below(3)];
            config.prompt.journal_days = dice.below(3);
            for document in ["SOUL.md", "AGENTS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md"] {
                if document == "SOUL.md" || dice.below(5) > 0 {
                    let lines = 1 + dice.below(12);
                    let front = ["", "# A title\n\n", "---\nsummary: x\n---\n\n# A title\n\n"];
                    let front = front[dice.below(3)];
                    put(&workspace, document, format!("{front}{}", text(&mut dice, &mut number, lines)));
                }
            }
            let mut memory = format!("# Memory\n\n{}", text(&mut dice, &mut number, 6));
            for night in 0..dice.below(4) {
                let id = format!("0f3a9c5be2d1447{night}");
                memory +=
                    &format!("\n## Dreamed 2026-11-1{night}\n<!-- dream:v1 id={id} src=1 sha256=0 -->\n\n");
                memory += &text(&mut dice, &mut number, 5);
                if dice.below(6) > 0 {
                    memory += &format!("\n<!-- /dream:v1 id={id} -->\n");
                }
            }
            put(&workspace, "MEMORY.md", &memory);
            for day in 18..=21 {
                for session in ["one", "two"] {
                    let lines = dice.below(20);
                    let journal = text(&mut dice, &mut number, lines);
                    put(&workspace, &format!("memory/2026-11-{day}-{session}.md"), journal);
                }
            }
            let life = Life::new(workspace, config);
            let standing = documents(life.workspace());
            for (turn, (kind, id)) in [
                (SessionKind::Main, "a"),
                (SessionKind::Shared, "b"),
                (SessionKind::Main, "c"),
                (SessionKind::Scheduled, "d"),
            ]
            .into_iter()
            .enumerate()
            {
                let mut session =
                    life.begin_session(access(kind, Actor::Agent), id, "repl", at(21, 9, 0)).unwrap();
                let prompt = session.prompt(&[]).unwrap();
                let reply = format!("reply-{turn}");
                session.replied(&reply, at(21, 9, 1)).unwrap();
                let why = life.why(&access(SessionKind::Main, Actor::Human), &reply).unwrap().unwrap();
                let printed = prompt.to_string();
                let (expected, named) =
                    (shown_lines(&printed, &standing), named_lines(&why, &printed, &standing));
                assert_eq!(named, expected, "round {round}, {kind:?}: {why}\n{printed}");
                cuts += why
                    .left_out
                    .iter()
                    .filter(|left| matches!(left.reason, LeftOutReason::Budget { .. }))
                    .count();
                let of_dreams =
                    why.sources.iter().filter(|shown| shown.source.to_string().contains(" of dream "));
                sections += of_dreams.count();
                assert_eq!((why.kind, why.withheld), (kind, 0));
                prompts += 1;
            }
            let log = life.workspace().read_text(&StateName::RECEIPTS).unwrap().unwrap();
            for word in standing.values().flat_map(|bytes| {
                String::from_utf8_lossy(bytes).split_whitespace().map(str::to_owned).collect::<Vec<_>>()
            }) {
                assert!(!word.ends_with('z') || !log.contains(&word), "{word} is in the log");
            }
            assert!(!log.contains("reply-"), "a name of the host's is a hash");
        }
    }
    println!("{prompts} prompts, {cuts} cuts, {sections} sources in sections of dreams");
    assert!(prompts >= 500 && cuts > prompts / 5 && sections > prompts / 5);
    assert_eq!(prompts, 1000);
}

#[test]
fn tools_searches_and_blocks_are_sources_too() {
    for (folder, workspace) in homes() {
        put(&workspace, "notes/boat.md", "# Boat\n\nIt lies in Lisbon.\n");
        let scope = Scope::user("marta");
        let store = Arc::new(FileMemoryStore::open(folder.path(), scope).unwrap());
        let life = Life::new(workspace, on());
        let agent = crate::life::private();
        let row = |text: &str| {
            store.write(&agent, &NewMemory::new("fact", text, Source::UserExplicit), at(20, 8, 0)).unwrap()
        };
        let (boat, tea) = (row("The boat is called Brisk"), row("Likes tea"));
        let mut session = begin(&life, "s", at(20, 9, 0));
        let context =
            MemoryContext::take(store.as_ref(), &agent, &ContextConfig::default(), at(20, 9, 0)).unwrap();
        let skills = Block::derived("skills", "books a seat", CacheHint::Session);
        session.prompt(&[context.block(), skills]).unwrap();
        let tools = session.tools().store(store.clone());
        tools.call("memory_search", &json!({"query": "boat"}), at(20, 9, 1)).unwrap();
        tools
            .call("workspace_memory_read", &json!({"path": "notes/boat.md", "from_line": 3}), at(20, 9, 1))
            .unwrap();
        session.showed(&store.search(&agent, &Query::new("tea")).unwrap());
        session.replied("first", at(20, 9, 2)).unwrap();
        let printed = session.why("first").unwrap().unwrap().to_string();
        for line in [
            format!("memory {boat} (prompt)"),
            format!("memory {tea} (prompt)"),
            "block skills (prompt)".to_owned(),
            format!("memory {boat} (search)"),
            format!("memory {tea} (search)"),
            "notes/boat.md#L3 (read)".to_owned(),
        ] {
            assert!(printed.lines().any(|told| told == line), "{line} is missing in\n{printed}");
        }
        // The next reply has the prompt, and none of the searches before.
        session.replied("second", at(20, 9, 3)).unwrap();
        let why = session.why("second").unwrap().unwrap();
        assert!(why.sources.iter().all(|shown| shown.by == ShownBy::Prompt) && why.turn == 2);
        assert!(why.earlier.iter().any(|shown| shown.by == ShownBy::Search));
        put(life.workspace(), "notes/boat.md", "# Boat\n\nIt lies in Porto.\n");
        let why = session.why("first").unwrap().unwrap();
        let is_changed = |shown: &&noctuary::life::Shown| shown.standing == Standing::Changed;
        assert_eq!(why.sources.iter().filter(is_changed).count(), 1, "{why}");
        assert!(session.why("third").unwrap().is_none());
        // Others are told what they may see, and how much they may not.
        let shared = life.why(&access(SessionKind::Shared, Actor::Agent), "first").unwrap().unwrap();
        assert!(shared.sources.iter().all(|shown| {
            shown.source.document().is_some_and(|name| [DocName::SOUL, DocName::AGENTS].contains(name))
        }));
        assert!(shared.withheld >= 6, "{shared}");
    }
}

/// Everything that a session does with receipts off, or on.
fn day(workspace: Arc<dyn Workspace>, config: LifeConfig) {
    let life = Life::new(workspace, config);
    life.boot(at(20, 8, 0)).unwrap();
    let mut session = begin(&life, "s", at(20, 9, 0));
    session.prompt(&[]).unwrap();
    session.tools().call("memory_read", &json!({"path": "SOUL.md"}), at(20, 9, 0)).unwrap();
    session.end_turn("Yes.", TurnEnd::default(), at(20, 9, 1)).unwrap();
}

#[test]
fn off_is_free() {
    for kind in 0..2 {
        let Some((_one, plain)) = home(kind) else { continue };
        let Some((_two, replying)) = home(kind) else { continue };
        let (faults, counted) = (Faults::new(), Faults::new());
        let plain: Arc<dyn Workspace> = Arc::new(FaultyWorkspace::new(plain, faults.clone()));
        let replying: Arc<dyn Workspace> = Arc::new(FaultyWorkspace::new(replying, counted.clone()));
        day(plain.clone(), LifeConfig::default());
        day(replying.clone(), LifeConfig::default());
        let life = Life::new(replying.clone(), LifeConfig::default());
        assert_eq!(faults.seen(), counted.seen());
        let mut session = begin(&life, "s", at(20, 10, 0));
        session.prompt(&[]).unwrap();
        counted.disarm();
        session.replied("a", at(20, 10, 1)).unwrap();
        session.showed(&noctuary::memory::Found::nothing());
        assert!(counted.seen().is_empty(), "no operation: {:?}", counted.seen());
        assert_eq!(documents(&plain), documents(&replying));
        for state in [StateName::RECEIPT_KEYS, StateName::RECEIPTS, StateName::RECEIPTS_BEFORE] {
            assert!(replying.read(&state).unwrap().is_none());
        }
    }
}

#[test]
#[ignore = "sweep"]
fn a_record_that_fails_anywhere_loses_itself_alone() {
    for kind in 0..2 {
        for step in 1..40 {
            for fault in [Fault::Crash, Fault::Error(std::io::ErrorKind::StorageFull)] {
                let Some((_folder, home)) = home(kind) else { continue };
                put(&home, "SOUL.md", "# Soul\n");
                let faults = Faults::new();
                let breaks: Arc<dyn Workspace> = Arc::new(FaultyWorkspace::new(home.clone(), faults.clone()));
                let mut config = on();
                // Each third record begins a generation.
                config.receipts.max_bytes = 2000;
                let life = Life::new(breaks, config);
                let mut session = begin(&life, "s", at(20, 9, 0));
                session.prompt(&[]).unwrap();
                faults.arm(step, fault);
                let mut acknowledged = Vec::new();
                for reply in 0..9 {
                    if session.replied(&format!("r{reply}"), at(20, 9, reply)).is_ok() {
                        acknowledged.push(reply);
                    }
                }
                faults.disarm();
                let life = Life::new(home.clone(), on());
                let kept =
                    |reply: &u32| life.why(&crate::life::private(), &format!("r{reply}")).unwrap().is_some();
                let both = home.read_text(&StateName::RECEIPTS).unwrap().unwrap_or_default().lines().count()
                    + home
                        .read_text(&StateName::RECEIPTS_BEFORE)
                        .unwrap()
                        .unwrap_or_default()
                        .lines()
                        .count();
                let newest = acknowledged.len().saturating_sub(3).min(acknowledged.len());
                assert!(
                    acknowledged[newest..].iter().all(kept),
                    "step {step}, {fault:?}: {acknowledged:?}, {both}"
                );
                let session = begin(&life, "t", at(20, 10, 0));
                session.replied("after", at(20, 10, 1)).unwrap();
                assert!(session.why("after").unwrap().is_some());
            }
        }
    }
}

#[test]
fn a_name_that_is_forgotten_leaves_the_log_and_machines_join_theirs() {
    use noctuary::FileWorkspace;
    use noctuary::exchange::{Forget, Merge};

    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [laptop, server, both] =
        [0, 1, 2].map(|at: usize| Arc::new(FileWorkspace::open(folders[at].path()).unwrap()));
    for (home, reply) in [(&laptop, "of-laptop"), (&server, "of-server")] {
        put(home.as_ref(), "SOUL.md", "# Soul\n");
        put(home.as_ref(), "notes/landlord Jan Kowalski.md", "Rent.\n");
        let life = Life::new(home.clone(), on());
        let session = begin(&life, "s", at(20, 9, 0));
        session
            .tools()
            .call("memory_read", &json!({"path": "notes/landlord Jan Kowalski.md"}), at(20, 9, 0))
            .unwrap();
        session.replied(reply, at(20, 9, 1)).unwrap();
        assert!(home.read_text(&StateName::RECEIPTS).unwrap().unwrap().contains("Kowalski"));
    }
    let human = Access::human(Scope::user("marta"));
    let forget = Forget::new(&human, "landlord Jan Kowalski").workspace(laptop.as_ref()).in_files(true);
    forget.run(at(20, 10, 0)).unwrap();
    assert!(!laptop.read_text(&StateName::RECEIPTS).unwrap().unwrap().contains("Kowalski"));

    Merge::new(laptop.as_ref(), server.as_ref()).plan().unwrap().write(both.as_ref()).unwrap();
    assert!(!both.read_text(&StateName::RECEIPTS).unwrap().unwrap().contains("Kowalski"));
    let life = Life::new(both.clone(), on());
    for reply in ["of-laptop", "of-server"] {
        assert!(life.why(&human, reply).unwrap().is_some(), "{reply}");
    }
    let examined = noctuary::doctor::Doctor::of(folders[2].path()).unwrap().examine(at(21, 9, 0)).unwrap();
    assert!(!format!("{examined:?}").contains("receipts"), "{examined:?}");
    let _ = name("SOUL.md");
}
