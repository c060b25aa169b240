//! Ten days of an agent that learns: a method earns its graduation, a rule stops a tool, a night draws lessons, and one page
//! tells all of it.
//!
//! ```text
//! cargo run --example learn --features pages
//! cargo run --features report --example learn -- brisk.html
//! ```
//!
//! It needs no model, and checks what it tells: whatever does not hold ends it. The second command writes the page as HTML.

use std::error::Error as StdError;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::dream::RoleDreamer;
use noctuary::facts::{FactKey, FactStore};
use noctuary::learning::{
    Ending, LearningConfig, MethodId, MethodStore, NewMethod, NewOutcome, NewPreference, NewRoleNote,
    PreferenceStore, RoleStore,
};
use noctuary::memory::{NewMemory, Source};
use noctuary::pages::{Learned, Pages};
use noctuary::{
    Access, Actor, Error, FileMemoryStore, FileWorkspace, Life, LifeConfig, LlmReply, LlmRequest,
    MemoryStore, Outcome, Scope, SessionKind, dream_once_at, llm_fn,
};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn StdError>>;

/// How the trips of ten days ended: one a day, and which way of planning was used.
const TRIPS: [(bool, &str); 10] = [
    (true, "tide"),
    (true, "tide"),
    (false, "guess"),
    (true, "tide"),
    (true, "tide"),
    (true, "tide"),
    (true, "guess"),
    (true, "tide"),
    (true, "tide"),
    (true, "tide"),
];

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let scope = Scope::user("marta");
    let store = Arc::new(FileMemoryStore::open(folder.path(), scope.clone())?);
    let (agent, marta) = (Access::agent(scope.clone()), Access::human(scope.clone()));
    // The host's own code: it sees how things end, and reports it.
    let host = Access::new(SessionKind::Main, Actor::Library, scope.clone());

    println!("Day 1. The agent writes two ways of planning a trip down. Both begin in quarantine.");
    let tide =
        NewMethod::new("Tide first", "sailing", "Look at the tide table before a trip of Brisk is planned.");
    let guess = NewMethod::new("By feeling", "sailing", "Plan the trip by the look of the sky.");
    let tide = store.create_method(&agent, &tide, day(1))?;
    let guess = store.create_method(&agent, &guess, day(1))?;
    rule(&store, &agent, &marta)?;
    facts(&store, &agent, &marta)?;

    for (number, (is_good, way)) in (1..).zip(TRIPS) {
        let method = if way == "tide" { tide } else { guess };
        let ending = if is_good { Ending::Success } else { Ending::Failure };
        let trip = NewOutcome::new(format!("trip-{number}"), [method], ending);
        store.report_outcome(&host, &trip, day(number))?;
        // A host that is not sure reports again. It counts once.
        assert!(!store.report_outcome(&host, &trip, day(number))?.counted);
        if number == 4 {
            too_early(&store, &marta, tide)?;
        }
        let note = if is_good { "The trip went well." } else { "We ran aground at low water." };
        let note = NewRoleNote::new("skipper", format!("Trip {number} of Brisk, planned by {way}: {note}"));
        store.take_note(&agent, &note, day(number))?;
    }

    println!("\nDay 10. What the outcomes say:");
    for method in store.methods(&marta)? {
        println!(
            "  {:<12}{} of {} good, confidence {:.2}",
            method.name, method.successes, method.uses, method.confidence
        );
    }
    assert!(matches!(store.graduate_method(&agent, tide, day(10)), Err(Error::Denied { .. })));
    let graduated = store.graduate_method(&marta, tide, day(10))?;
    assert!(graduated.is_graduated(&LearningConfig::default()));
    println!("The agent may not graduate a method. Marta does: {} is out of quarantine.", graduated.name);

    night(&folder, &store, &scope)?;
    page(&store, &agent)
}

/// Facts about the boat in those days: two of them cannot both be true.
fn facts(store: &FileMemoryStore, agent: &Access, marta: &Access) -> Result<()> {
    let berth = || FactKey::one("Brisk", "berth");
    let said = |text: &str| NewMemory::new("fact", text, Source::UserExplicit);
    store.record(marta, &said("Brisk lies in Faro.").about(berth()), day(1))?;
    store.record(marta, &said("Brisk draws 1.4 metres."), day(2))?;
    let seen = "Jan Kowalski mended the rudder of Brisk in Olhão.";
    store.write(agent, &NewMemory::new("observation", seen, Source::AgentRecorded), day(5))?;
    store.record(marta, &said("Brisk lies in Olhão until spring.").about(berth()), day(9))?;
    Ok(())
}

/// The page that tells it: for the agent as markdown, and for a person as HTML.
fn page(store: &Arc<FileMemoryStore>, agent: &Access) -> Result<()> {
    let pages = Pages::new(store.clone()).source(Arc::new(Learned::new(store.clone())));
    let page = pages.page(agent, "Brisk", true, day(13))?;
    assert_eq!((page.methods.len(), page.constraints.len(), page.contradictions.len()), (1, 1, 1));
    assert!(page.methods[0].name == "Tide first", "the other one waits in quarantine");
    println!("\nThe page on Brisk, as the agent reads it:\n");
    page.to_markdown().lines().take(24).for_each(|line| println!("  {line}"));
    #[cfg(feature = "report")]
    if let Some(file) = std::env::args().nth(1) {
        std::fs::write(&file, noctuary::report::EntityPage::new(&page).to_html())?;
        println!("\n{file} is the same page for a person.");
    }
    Ok(())
}

/// A rule of Marta's, which stops a tool.
fn rule(store: &FileMemoryStore, agent: &Access, marta: &Access) -> Result<()> {
    let rule =
        NewPreference::hard_constraint("safety", "Never start the engine of Brisk while somebody swims.")
            .tool("engine_*")
            .when("start");
    let id = store.propose_preference(agent, &rule, day(1))?;
    let start = json!({"command": "START", "throttle": 0.2});
    assert!(store.constraints_for(agent, "engine_control", &start)?.is_empty(), "nobody approved it");
    assert!(matches!(store.approve_preference(agent, id, day(1)), Err(Error::Denied { .. })));
    store.approve_preference(marta, id, day(1))?;

    for (tool, arguments) in [("engine_control", start), ("engine_control", json!({"command": "stop"}))] {
        println!("{}", call(store, agent, tool, &arguments)?);
    }
    Ok(())
}

/// A host's door before a tool runs.
fn call(store: &FileMemoryStore, access: &Access, tool: &str, arguments: &Value) -> Result<String> {
    let rules = store.constraints_for(access, tool, arguments)?;
    Ok(match rules.first().and_then(|rule| rule.statement.as_deref()) {
        Some(rule) => format!("  {tool} {arguments} is stopped: {rule}"),
        None => format!("  {tool} {arguments} runs."),
    })
}

/// Three good trips of three are too few, whoever asks.
fn too_early(store: &FileMemoryStore, marta: &Access, method: MethodId) -> Result<()> {
    match store.graduate_method(marta, method, day(4)) {
        Err(error @ Error::Undecided { .. }) => println!("Day 4. Marta asks too early: {error}."),
        other => return Err(format!("it graduated too early: {other:?}").into()),
    }
    Ok(())
}

/// The night after: a scripted model reads the notes, and a session is told the rule first.
fn night(folder: &tempfile::TempDir, store: &Arc<FileMemoryStore>, scope: &Scope) -> Result<()> {
    let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    let dreamer =
        RoleDreamer::builder(workspace.clone(), store.clone(), scope.clone()).enabled(true).build()?;
    let model = llm_fn(|request: &LlmRequest| {
        let lines = request.user.lines().filter_map(|line| line.strip_prefix("| "));
        let is_first = request.system.contains("went well");
        let answer = |line: &str| {
            let number = line.split(' ').next().unwrap_or_default();
            let is_bad = line.contains("aground");
            match (is_first, is_bad) {
                (true, true) => format!("{number} failure"),
                (true, false) => format!("{number} success"),
                (false, true) => format!("{number}: Look at the tide before the sky."),
                (false, false) => format!("{number}: Plan it the same way again."),
            }
        };
        Ok(LlmReply::new(lines.map(answer).collect::<Vec<_>>().join("\n")))
    });
    let report = dream_once_at(&dreamer, &model, &|| day(12))?;
    assert_eq!(report.outcome, Outcome::Reflected);
    let marta = Access::human(scope.clone());
    let lessons = store.notes(&marta, false)?;
    println!("\nThe night: {} lessons of {} notes. One of them:", report.promoted().count(), TRIPS.len());
    let lesson = lessons.iter().find(|note| note.content.contains("aground")).ok_or("a lesson is missing")?;
    println!("  {} -> {}", lesson.content, lesson.reflection.as_ref().ok_or("it has none")?.lesson);

    let life = Life::new(workspace, LifeConfig::default());
    let mut session = life.begin_session(Access::agent(scope.clone()), "repl", "repl", day(13))?;
    assert_eq!(session.hold_rules(store.as_ref())?, 1);
    let prompt = session.system_prompt()?;
    assert!(prompt.starts_with("# Standing rules\n"));
    println!("\nThe next session begins with:\n");
    prompt.lines().take(5).for_each(|line| println!("  {line}"));
    let mut group = life.begin_session(Access::shared(scope.clone()), "crew", "crew", day(13))?;
    assert_eq!(group.hold_rules(store.as_ref())?, 0, "others are not told the words of a rule");
    Ok(())
}

fn day(number: i64) -> DateTime<Utc> {
    let first = Utc.with_ymd_and_hms(2026, 11, 1, 9, 0, 0).single().expect("a time");
    first + TimeDelta::days(number - 1)
}
