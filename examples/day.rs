//! Three days of an agent's life, and the night after them: a scripted agent, a fixed clock, no model, no network. On the third day it
//! is handed a table, and makes a chart and a report.
//!
//! ```text
//! cargo run --example day --features charts  in a folder that is made for it and taken away
//! cargo run --example day --features charts -- --sqlite FILE   inside one SQLite file; without FILE, one that is taken away
//! cargo run --example day --features charts,postgres -- --postgres URL
//!                                            on a PostgreSQL server, in a life that is erased at the end
//! cargo run --example day --features charts -- --pages FOLDER  leaves the pages of the chart and the report for a browser
//! ```
//!
//! It checks what it tells: whatever does not hold ends it.

use std::error::Error as StdError;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::artifacts::{
    ArtifactData, ArtifactKind, ArtifactStore, ArtifactStoreExt, Materialiser, NewArtifact, SvgCharts,
};
use noctuary::files::{FileStore, LocalFileStore, MessageFiles, NewFile, Provider};
use noctuary::format::{Fields, HeartbeatFile, Origin};
use noctuary::life::{Block, BootState, BootstrapOutcome, CacheHint, TurnEnd};
use noctuary::workspace::WorkspaceExt;
use noctuary::{
    Access, DocName, Error, Extractive, FileArtifactStore, FileWorkspace, JournalDreamer, Life, LifeConfig,
    Note, Outcome, Scope, Workspace, WriteMode, dream_once_at,
};

type Result<T> = std::result::Result<T, Box<dyn StdError + Send + Sync>>;

/// Facts that only Marta and her agent know.
const PRIVATE: &str = "the boat is called Brisk";

fn main() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let mut arguments = std::env::args().skip(1);
    let mut pages = scratch.path().join("pages");
    let (workspace, artifacts): Home = match arguments.next().as_deref() {
        None => (
            Arc::new(FileWorkspace::open(scratch.path())?),
            Box::new(FileArtifactStore::open(scratch.path(), marta())?),
        ),
        Some("--pages") => {
            pages = arguments.next().ok_or("--pages needs a folder")?.into();
            (
                Arc::new(FileWorkspace::open(scratch.path())?),
                Box::new(FileArtifactStore::open(scratch.path(), marta())?),
            )
        }
        Some("--sqlite") => {
            sqlite(&arguments.next().map_or_else(|| scratch.path().join("life.db"), Into::into))?
        }
        Some("--postgres") => postgres(&arguments.next().ok_or("--postgres needs a URL")?)?,
        Some(other) => {
            let known = "[--sqlite [FILE] | --postgres URL | --pages FOLDER]";
            return Err(format!("{other:?} is not known; use {known}").into());
        }
    };
    let server = postgres_url();
    if !workspace.list(None)?.documents.is_empty() {
        return Err("somebody lives there already".into());
    }
    let life = Life::new(workspace, LifeConfig::default());

    first_day(&life)?;
    second_day(&life)?;
    third_day(&life)?;
    let builds = upload(&life)?;
    std::fs::create_dir_all(&pages)?;
    figures(&life, artifacts.as_ref(), &builds, &pages)?;
    night(&life)?;
    fourth_morning(&life)?;
    if let Some(url) = server {
        drop((life, artifacts));
        leave(&url)?;
    }
    Ok(())
}

/// The place of a life, and that of what the agent makes.
type Home = (Arc<dyn Workspace>, Box<dyn ArtifactStore>);

fn sqlite(file: &Path) -> Result<Home> {
    let artifacts = noctuary::SqliteArtifactStore::open(file, marta())?;
    Ok((Arc::new(noctuary::SqliteWorkspace::open(file, marta())?), Box::new(artifacts)))
}

/// Returns the server that this run is on.
fn postgres_url() -> Option<String> {
    let mut arguments = std::env::args().skip(1);
    (arguments.next().as_deref() == Some("--postgres")).then(|| arguments.next()).flatten()
}

#[cfg(feature = "postgres")]
fn server(url: &str) -> Result<noctuary::postgres::Postgres> {
    let mut config = noctuary::postgres::PostgresConfig::default();
    "noctuary_day".clone_into(&mut config.schema);
    let server = noctuary::postgres::Postgres::connect_with(url, config)?;
    server.migrate()?;
    Ok(server)
}

#[cfg(feature = "postgres")]
fn postgres(url: &str) -> Result<Home> {
    let server = server(url)?;
    Ok((Arc::new(server.workspace(marta())?), Box::new(server.artifacts(marta())?)))
}

/// Marta leaves, and asks that all of it goes.
#[cfg(feature = "postgres")]
fn leave(url: &str) -> Result<()> {
    let receipt = server(url)?.workspace(marta())?.erase(&Access::human(marta()))?;
    println!("\n# Marta leaves\n\n{receipt}");
    Ok(())
}

#[cfg(not(feature = "postgres"))]
fn postgres(_url: &str) -> Result<Home> {
    Err("--postgres needs the feature \"postgres\"".into())
}

#[cfg(not(feature = "postgres"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it may fail")]
fn leave(_url: &str) -> Result<()> {
    Ok(())
}

/// A time of the story.
fn at(day: u32, hour: u32, minute: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, day, hour, minute, 0).unwrap()
}

fn marta() -> Scope {
    Scope::user("marta")
}

fn private() -> Access {
    Access::agent(marta())
}

/// The agent meets its human.
fn first_day(life: &Life) -> Result<()> {
    println!("# Day one\n");
    let boot = life.boot(at(19, 9, 0))?;
    assert_eq!(boot.state, BootState::NeedsBootstrap);
    println!("The workspace was empty. Seeded: {}.", names(&boot.seeded.wrote));
    assert!(life.boot(at(19, 9, 0))?.seeded.wrote.is_empty(), "booting twice seeds once");

    let mut session = life.begin_session(private(), "repl", "repl", at(19, 9, 1))?;
    let prompt = session.prompt(&[])?;
    assert!(prompt.block("bootstrap").is_some());
    println!("The prompt has {}; the last one asks it to find out who it serves.", blocks(&prompt.blocks));
    println!("Agent: What shall I call you, and where are you?");
    assert_eq!(
        session.end_turn("What shall I call you?", TurnEnd::default(), at(19, 9, 2))?.onboarding,
        None
    );

    println!("Marta: Marta, in Lisbon.");
    let view = session.view();
    let user = view.read(&DocName::USER)?.ok_or("it was seeded")?;
    let mut text = user.lossy().into_owned();
    for (label, value) in [("Name", "Marta"), ("Timezone", "Europe/Lisbon")] {
        text = Fields::parse(&text).set(label, value);
    }
    view.write(&DocName::USER, text.as_bytes(), WriteMode::IfRevision(user.revision()))?;
    let outcome =
        session.end_turn("Good to meet you.\n\nBOOTSTRAP_DONE", TurnEnd::default(), at(19, 9, 5))?;
    let Some(BootstrapOutcome::Archived(kept)) = outcome.onboarding.map(|completion| completion.bootstrap)
    else {
        return Err("the token ends the onboarding".into());
    };
    assert!(session.prompt(&[])?.block("bootstrap").is_none());
    assert_eq!(life.boot(at(19, 9, 6))?.state, BootState::Ready);
    println!("The answers stand in USER.md; the playbook is put away as {kept}.\n");
    Ok(())
}

/// Two surfaces at once, and a group that learns nothing of what is private.
fn second_day(life: &Life) -> Result<()> {
    println!("# Day two\n");
    let memory = format!("# Memory\n\n- Keep to yourself: {PRIVATE}.\n");
    let seeded = life.workspace().read(&DocName::MEMORY)?.ok_or("it was seeded")?;
    life.workspace().write(&DocName::MEMORY, memory.as_bytes(), WriteMode::IfRevision(seeded.revision()))?;

    std::thread::scope(|scope| {
        let talk = |surface: &'static str, notes: [Note; 2]| {
            scope.spawn(move || -> Result<()> {
                let mut session = life.begin_session(private(), surface, surface, at(20, 9, 0))?;
                for (minute, note) in (1..).zip(&notes) {
                    session.note(note, at(20, 9, minute))?;
                }
                let turn = TurnEnd::default().opens([format!("answer Sarah on {surface}")]);
                session.end_turn("Noted.", turn, at(20, 9, 3))?;
                Ok(())
            })
        };
        let repl = talk(
            "repl",
            [
                Note::decision("Releases go out on Fridays at 16:00.").from(Origin::User),
                Note::happened("The build took 41 minutes.").from(Origin::Tool("ci".into())),
            ],
        );
        let http = talk(
            "http",
            [
                Note::remember("I prefer short answers, without bullet points.").from(Origin::User),
                Note::question("Who signs the contract with Northwind?").from(Origin::User),
            ],
        );
        [repl, http].into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })?;
    let logs = life.today_log(at(20, 10, 0))?;
    assert_eq!(logs.len(), 2, "a journal for each, so that neither writes into the other's");
    for (journal, document) in &logs {
        println!("{}:\n{}", journal.name(), indented(&document.lossy()));
    }
    let memo = HeartbeatFile::parse(life.workspace().read_text(&DocName::HEARTBEAT)?.unwrap_or_default());
    assert_eq!(memo.memo().map(|memo| memo.open_loops.len()), Some(2));

    let mut group = life.begin_session(Access::shared(marta()), "team", "chat", at(20, 11, 0))?;
    let prompt = group.prompt(&[])?.to_string();
    assert!(prompt.contains("Marta") && !prompt.contains(PRIVATE) && !prompt.contains("Fridays"));
    let Err(denied @ Error::Denied { .. }) = group.view().read(&DocName::MEMORY) else {
        return Err("a group reads no memory".into());
    };
    group.note(&Note::happened("Sarah asked for the plan."), at(20, 11, 1))?;
    assert_eq!(group.today_log(at(20, 11, 2))?.len(), 1, "its own journal alone");
    let mut own = life.begin_session(private(), "repl", "repl", at(20, 12, 0))?;
    assert!(own.prompt(&[])?.to_string().contains(PRIVATE));
    println!("The group's prompt has Marta's name and not her boat. MEMORY.md? {denied}.\n");
    Ok(())
}

/// Two editors of one file, and a soul that changes.
fn third_day(life: &Life) -> Result<()> {
    println!("# Day three\n");
    let editor = life.editor(Access::human(marta()));
    let seen = editor.load(&DocName::SOUL)?.ok_or("it was seeded")?;
    let tab = format!("{}\nNever promise a date.\n", seen.lossy());
    editor.save(&DocName::SOUL, &tab, Some(seen.revision()), at(21, 8, 0))?;
    let other = |text: &str| format!("{text}\nDry humour is welcome.\n");
    let Err(Error::Conflict { current: Some(current), .. }) =
        editor.save(&DocName::SOUL, &other(&seen.lossy()), Some(seen.revision()), at(21, 8, 1))
    else {
        return Err("the other tab was first".into());
    };
    println!(
        "A second tab saves SOUL.md: conflict, and the other tab's text is in hand. It adds its line to that."
    );
    editor.save(&DocName::SOUL, &other(&current.lossy()), Some(current.revision()), at(21, 8, 2))?;
    let merged = editor.load(&DocName::SOUL)?.ok_or("it was saved")?;
    assert!(merged.lossy().contains("Never promise") && merged.lossy().contains("Dry humour"));
    assert_eq!(editor.history(&DocName::SOUL)?.len(), 2);

    let mut told = 0;
    for hour in [9, 10] {
        let mut session = life.begin_session(private(), "repl", "repl", at(21, hour, 0))?;
        told += usize::from(session.prompt(&[])?.block("soul_notice").is_some());
        session.note(&Note::happened("Read the figures for October."), at(21, hour, 1))?;
        session.end_turn("My SOUL.md has changed.", TurnEnd::default(), at(21, hour, 2))?;
        session.flush()?;
    }
    assert_eq!(told, 1);
    println!("The next session is told that SOUL.md changed, the one after it is not.\n");
    Ok(())
}

/// A table that Marta hands over: its key stands in the journal, and its bytes are kept elsewhere. Returns days and minutes.
fn upload(life: &Life) -> Result<Vec<(String, u32)>> {
    let data = tempfile::tempdir()?;
    let store = LocalFileStore::open(data.path(), marta())?;
    let mut table = &b"day,minutes\nWed,41\nThu,38\nFri,29\n"[..];
    let stored =
        store.put(&Access::human(marta()), &NewFile::named("builds.csv"), &mut table, at(21, 10, 58))?;
    let mut session = life.begin_session(private(), "repl", "repl", at(21, 10, 58))?;
    session.note(
        &Note::happened(format!("How fast are the builds in {}?", stored.key)).from(Origin::User),
        at(21, 10, 58),
    )?;
    session.flush()?;
    println!("Marta hands over a table: {} ({} bytes).", stored.key, stored.len);
    // The transcript keeps the key, and a provider is sent the table as text.
    let files = MessageFiles::new(Provider::OpenAi, Arc::new(store.clone()), private());
    let kept = serde_json::json!([{"type": "text", "text": "How fast?"}, MessageFiles::part(&stored.key)]);
    let sent = files.inward(&kept)?;
    println!("The model reads:\n{}", indented(sent[1]["text"].as_str().unwrap_or_default()));
    assert_eq!(files.outward(&sent, at(21, 10, 59))?, kept, "what is stored has the key again");
    let text = String::from_utf8(store.read(&private(), &stored.key, 0..stored.len)?)?;
    let rows = text.lines().skip(1).filter_map(|line| line.split_once(','));
    Ok(rows.filter_map(|(day, minutes)| Some((day.to_owned(), minutes.parse().ok()?))).collect())
}

/// A chart and a report, which outlive the session that made them.
fn figures(life: &Life, artifacts: &dyn ArtifactStore, builds: &[(String, u32)], pages: &Path) -> Result<()> {
    let agent = private();
    let (days, counts): (Vec<&str>, Vec<u32>) =
        builds.iter().map(|(day, count)| (day.as_str(), *count)).unzip();
    let minutes = serde_json::json!({
        "title": {"text": "Minutes a build"},
        "xAxis": {"type": "category", "data": days},
        "yAxis": {"type": "value"},
        "series": [{"name": "main", "type": "bar", "data": counts}],
    });
    let chart =
        artifacts.insert(&agent, &NewArtifact::new(ArtifactKind::Chart, "Minutes a build"), at(21, 11, 0))?;
    println!("Agent: I draw the builds. {}", artifacts.get(&agent, &chart)?);
    let chart = artifacts.mark_completed(&agent, &chart, &ArtifactData::charts([minutes]), at(21, 11, 1))?;
    let report =
        artifacts.insert(&agent, &NewArtifact::new(ArtifactKind::Report, "October"), at(21, 11, 2))?;
    let text = "# October\n\n| day | minutes |\n|---|---|\n| Wed | 41 |\n| Fri | 29 |\n\nBuilds are **a third** faster.\n";
    let report = artifacts.mark_completed(&agent, &report, &ArtifactData::markdown(text), at(21, 11, 3))?;

    let mut session = life.begin_session(agent.clone(), "repl", "repl", at(21, 11, 4))?;
    let message = format!("The builds: {}\nThe month: {}", chart.uri(), report.uri());
    session.end_turn(&message, TurnEnd::default(), at(21, 11, 5))?;
    session.flush()?;
    println!("Agent:\n{}", indented(&message));

    let files = Materialiser::open(pages)?.renderer(Arc::new(SvgCharts::new()));
    let written = files.materialise(artifacts, &agent, &message)?;
    for page in &written.pages {
        println!("{} has {} for a browser.", page.uri, page.files.join(", "));
    }
    assert_eq!((written.pages.len(), written.unknown.len()), (2, 0));
    let Err(made_up @ Error::ArtifactNotFound { .. }) = artifacts.resolve(&agent, "chart://x-1234") else {
        return Err("nobody made it".into());
    };
    println!("A reference that a model makes up: {made_up}.");
    let group = artifacts.resolve(&Access::shared(marta()), &chart.uri().to_string());
    assert!(matches!(group, Err(Error::ArtifactNotFound { .. })), "what was made in private stays there");
    println!("With others present the chart is not there at all.\n");
    Ok(())
}

/// Lasting statements become memory.
fn night(life: &Life) -> Result<()> {
    println!("# The night\n");
    let dreamer = JournalDreamer::builder(Arc::clone(life.workspace())).enabled(true).build()?;
    let report = dream_once_at(&dreamer, &Extractive::new(), &|| at(22, 3, 0))?;
    assert_eq!(report.outcome, Outcome::Appended);
    let memory = life.workspace().read_text(&DocName::MEMORY)?.unwrap_or_default();
    assert!(
        memory.starts_with(&format!("# Memory\n\n- Keep to yourself: {PRIVATE}.\n")),
        "what stood stands"
    );
    assert!(memory.contains("Fridays") && memory.contains("short answers"));
    let again = dream_once_at(&dreamer, &Extractive::new(), &|| at(22, 3, 0) + TimeDelta::days(1))?;
    assert_eq!(again.promoted().count(), 0, "once is once");
    println!(
        "{} lines promoted, each with where it comes from; a second dream adds none.\n",
        report.promoted().count()
    );
    Ok(())
}

/// A new session, which knows.
fn fourth_morning(life: &Life) -> Result<()> {
    println!("# Day four: the prompt\n");
    assert_eq!(life.boot(at(22, 9, 0))?.state, BootState::Ready);
    let mut session = life.begin_session(private(), "repl", "repl", at(22, 9, 0))?;
    let skills = Block::derived("skills", "## Skills\n\nrelease, invoice", CacheHint::Session);
    let prompt = session.prompt(std::slice::from_ref(&skills))?;
    let text = prompt.to_string();
    assert!(text.contains("Fridays") && text.contains("Dry humour") && text.contains("Europe/Lisbon"));
    assert_eq!(session.prompt(&[skills])?.to_string(), text, "the same bytes, for the host's cache");
    assert_eq!(prompt.blocks.last().map(|block| &*block.id), Some("skills"));
    println!("{}", indented(&text));
    Ok(())
}

fn names(documents: &[DocName]) -> String {
    documents.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
}

fn blocks(blocks: &[Block]) -> String {
    blocks.iter().map(|block| &*block.id).collect::<Vec<_>>().join(", ")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect()
}
