//! No value that was replaced is told as one that holds: by searches, prompts, snapshots, pages and tools.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::dream::{DreamMode, LineOutcome, LineReport, PassReport};
use noctuary::exchange::feed;
use noctuary::facts::{Decision, FactStore};
use noctuary::format::DreamId;
use noctuary::life::{ContextConfig, Indexed, MemoryContext};
use noctuary::memory::{Filter, MemoryId, Query};
use noctuary::report::DreamPage;
use noctuary::testing::contract::fact::Facts as Store;
use noctuary::{
    DocName, DreamReport, FileWorkspace, Life, LifeConfig, MemoryStore, SqliteIndex, Workspace, WriteMode,
};
use serde_json::{Value, json};

use crate::memory::chains::{Chain, SEED, chains, world};
use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::marta::{agent, human, marta};

/// Lines a section.
const SECTION: usize = 20;

fn at(day: usize) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 1, 5, 8, 0, 0).unwrap() + TimeDelta::days(i64::try_from(day).unwrap())
}

/// A curated file with lines as dreams promoted them.
fn memory(lines: &[String]) -> String {
    let mut memory = "# Memory\n".to_owned();
    for (section, lines) in lines.chunks(SECTION).enumerate() {
        let (day, id) = (at(section).date_naive(), format!("{section:016x}"));
        write!(memory, "\n## Dreamed {day}\n<!-- dream:v1 id={id} src=1 sha256=0 -->\n\n### Facts\n\n")
            .unwrap();
        for (number, line) in lines.iter().enumerate() {
            writeln!(memory, "- {line} (memory/{day}-repl.md#L{})", number + 1).unwrap();
        }
        write!(memory, "\n<!-- /dream:v1 id={id} -->\n").unwrap();
    }
    memory
}

/// The statements of chains that hold no more, and those that do.
struct Told<'c> {
    old: BTreeSet<&'c str>,
    new: BTreeSet<&'c str>,
}

impl<'c> Told<'c> {
    fn of(chains: &'c [Chain]) -> Self {
        let (mut old, mut new) = (BTreeSet::new(), BTreeSet::new());
        for chain in chains {
            let (last, before) = chain.states.split_last().unwrap();
            old.extend(before.iter().map(String::as_str));
            new.insert(last.as_str());
        }
        Self { old, new }
    }

    /// Returns the lines that tell an old value and say nothing of it; and counts those that tell an old or a new one.
    fn look(&self, text: &str, mark: &str) -> (Vec<String>, usize) {
        let (mut bare, mut told) = (Vec::new(), 0);
        let mut cut = false;
        for line in text.lines() {
            let said = line.trim_start().trim_start_matches("- ").trim_start_matches('…');
            let begins_within = cut;
            let is = |old: &&str| said.contains(*old) || (begins_within && is_end(old, said));
            cut = line.contains("[...left out]");
            if self.old.iter().any(is) {
                told += 1;
                bare.extend((!line.contains(mark)).then(|| line.to_owned()));
            } else if self.new.iter().any(|new| said.contains(new)) {
                told += 1;
            }
        }
        (bare, told)
    }
}

/// Returns whether a line that begins within a statement is the end of this one.
fn is_end(old: &str, said: &str) -> bool {
    let end = said.split(" (memory/").next().unwrap_or_default();
    !end.is_empty() && old.ends_with(end)
}

#[test]
#[ignore = "sweep"]
fn no_value_that_was_replaced_is_told_as_one_that_holds() {
    let mut dice = Dice(SEED);
    let mut asked = 0;
    // A round takes half a minute: unless asked for, one.
    let rounds = if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 3 } else { 1 };
    for _ in 0..rounds {
        let chains = chains(&mut dice, 120);
        let (lines, _) = world(&mut dice, &chains);
        for kind in noctuary_tests::common::backends() {
            asked += deliveries(kind, &chains, &lines);
        }
    }
    assert_eq!(asked, noctuary_tests::common::backends().count() * 120 * rounds);
}

/// Looks at every delivery of one store; returns how many chains were asked for.
fn deliveries(kind: usize, chains: &[Chain], lines: &[String]) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let workspace = FileWorkspace::open(folder.path()).unwrap();
    let store: Arc<dyn Store> = noctuary_tests::open_store!(kind, folder.path(), marta());
    let memory = memory(lines);
    workspace.write(&DocName::MEMORY, memory.as_bytes(), WriteMode::Create).unwrap();
    let now = at(lines.len());
    feed(&workspace, store.as_ref(), &marta(), now).unwrap();
    let rows = store.list(&agent(), &Filter::limit(usize::MAX)).unwrap();
    let ids: BTreeMap<&str, MemoryId> = rows.iter().map(|row| (row.content.as_str(), row.id)).collect();
    for chain in chains {
        for pair in chain.states.windows(2) {
            let decision = Decision::supersede(ids[pair[0].as_str()], ids[pair[1].as_str()]);
            store.decide(&human(), &decision, now).unwrap();
        }
    }
    let told = Told::of(chains);

    // Searches, by the question and by the words of each value.
    for chain in chains {
        let newest = chain.states.last().unwrap();
        for question in std::iter::once(&chain.question).chain(&chain.states) {
            let found = store.search(&agent(), &Query::new(question.as_str())).unwrap().hits;
            let contents: Vec<&str> = found.iter().map(|hit| hit.memory.content.as_str()).collect();
            assert!(contents.contains(&newest.as_str()), "{question}: {contents:?}");
            assert!(!contents.iter().any(|row| told.old.contains(row)), "{question}: {contents:?}");
        }
    }

    // The snapshot of rows.
    let mut config = ContextConfig::default();
    (config.max_rows, config.max_bytes) = (lines.len(), 1 << 20);
    let context = MemoryContext::take(store.as_ref(), &agent(), &config, now).unwrap();
    let (bare, count) = told.look(context.as_str(), "nothing marks a row that is not there");
    assert_eq!((bare, count), (vec![], told.new.len()));

    // The prompt.
    let mark = "[superseded since 20";
    let indexed = Indexed::new(workspace.clone(), SqliteIndex::open_in_memory(marta()).unwrap())
        .with_facts(Arc::clone(&store) as Arc<dyn FactStore>);
    indexed.sync(now).unwrap();
    let life = Life::new(Arc::new(indexed.clone()), LifeConfig::default());
    let mut session = life.begin_session(agent(), "repl", "repl", now).unwrap();
    assert!(session.mark_superseded(&*store).unwrap() > 20);
    let (bare, count) = told.look(&session.system_prompt().unwrap(), mark);
    assert_eq!(bare, Vec::<String>::new(), "in the prompt");
    assert!(count > 60, "{count}");

    // Tools: of rows, of documents read, and of passages.
    let tools = session.tools().store(Arc::clone(&store) as Arc<dyn MemoryStore>).indexed(&indexed);
    let call = |tool: &str, arguments: Value| tools.call(tool, &arguments, now).unwrap();
    let (mut from, mut shown) = (1, 0);
    loop {
        let read = call("workspace_memory_read", json!({"path": "MEMORY.md", "from_line": from}));
        let said = read["content"].as_str().unwrap();
        let (bare, count) = told.look(said, mark);
        assert_eq!(bare, Vec::<String>::new(), "where the tool reads");
        (from, shown) = (from + said.lines().count(), shown + count);
        if read.get("cut").is_none() {
            break;
        }
    }
    assert_eq!(shown, told.old.len() + told.new.len());
    for chain in chains {
        let question = json!({"query": chain.question});
        for row in call("memory_search", question.clone())["results"].as_array().unwrap() {
            assert!(!told.old.contains(row["content"].as_str().unwrap()), "{row}");
        }
        let passages = call("workspace_memory_search", question);
        let passages = passages["results"].as_array().unwrap().iter();
        let mut passages: Vec<String> =
            passages.map(|found| found["content"].as_str().unwrap().to_owned()).collect();
        let found = indexed.search(&agent(), &chain.question, 5).unwrap().results;
        passages.extend(found.into_iter().map(|found| found.content));
        assert!(!passages.is_empty());
        for passage in passages {
            let (bare, _) = told.look(&passage, mark);
            assert_eq!(bare, Vec::<String>::new(), "in a passage of {passage}");
        }
    }

    // Pages: of each night, by its section.
    let superseded = store.superseded(&agent()).unwrap();
    assert_eq!(superseded.len(), told.old.len());
    let mut shown = 0;
    for (section, of_night) in lines.chunks(SECTION).enumerate() {
        let report = night(section, of_night, &memory);
        let page = DreamPage::new(&report).superseded(superseded.clone()).read(&workspace).unwrap().to_html();
        // A claim stands in a paragraph with its note behind, a line of the file in one element.
        let page =
            page.replace("</p><p class=\"note\">", " ").replace("<li", "\n<li").replace("<div", "\n<div");
        let (bare, count) = told.look(&page.replace("&amp;", "&"), mark);
        assert_eq!(bare, Vec::<String>::new(), "on the page");
        shown += count;
    }
    assert!(shown >= 2 * (told.old.len() + told.new.len()), "{shown}");
    assert_eq!(
        workspace.read(&DocName::MEMORY).unwrap().unwrap().bytes(),
        memory.as_bytes(),
        "the file stays"
    );
    chains.len()
}

/// The report of the night that promoted a section.
fn night(section: usize, lines: &[String], memory: &str) -> DreamReport {
    let id = DreamId::parse(&format!("{section:016x}")).unwrap();
    let (heading, end) =
        (format!("\n## Dreamed {}", at(section).date_naive()), format!("<!-- /dream:v1 id={id} -->\n"));
    let (from, to) = (memory.find(&heading).unwrap(), memory.find(&end).unwrap() + end.len());
    let line = |line: &String| {
        let fate = LineOutcome::Promoted { cited: true };
        LineReport::new(line.clone(), Some("Facts".to_owned()), Vec::new(), fate)
    };
    let mut pass = PassReport::new(id);
    (pass.lines, pass.section) = (lines.iter().map(line).collect(), Some(memory[from..to].to_owned()));
    let mut report = DreamReport::begun(DreamMode::Append, "life".to_owned(), at(section));
    report.passes.push(pass);
    report
}
