//! Twenty-five short cycles of a creature that tires, sleeps, dreams and wakes up: a fixed clock, no model, no network.
//!
//! ```text
//! cargo run --example sleep             in a folder that is made for it and taken away
//! cargo run --example sleep -- FOLDER   in one that stays
//! ```
//!
//! Its mind is a few rules in this file that follow the form a model is asked to follow; `Extractive` answers a curator
//! in bullets, which is another form. It checks what it tells: whatever does not hold ends it.

use std::error::Error as StdError;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::{
    Access, Actor, Fatigue, FileWorkspace, LlmError, LlmReply, LlmRequest, MessageShape, Outcome, Said,
    Scope, SessionKind, SetSleep, SleepDreamer, Workspace, WorkspaceExt, dream_once_at, llm_fn, plan_trim,
};

type Result<T> = std::result::Result<T, Box<dyn StdError + Send + Sync>>;

const CYCLES: u32 = 25;

/// What it is busy with, one after the other; `{}` is the number of the cycle.
const WORK: [&str; 5] = [
    "I promise the maintainer a test for issue {}.",
    "The review of pull request {} is open; nobody has answered yet.",
    "ran the tests, 2{} pass",
    "Pull request {} was merged.",
    "read chapter {} of the guide for contributors",
];

fn main() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let folder = std::env::args_os().nth(1).map_or_else(|| scratch.path().to_owned(), Into::into);
    let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(folder)?);
    let creature = SleepDreamer::builder(Arc::clone(&workspace)).enabled(true).build()?;
    let mind = llm_fn(|request: &LlmRequest| -> std::result::Result<LlmReply, LlmError> {
        Ok(LlmReply::new(if request.system.contains("DROP:") {
            sleep_deeply(request)
        } else {
            dream(request)
        }))
    });

    let private = Access::new(SessionKind::Main, Actor::Agent, Scope::user("creator"));
    let mut now = Utc.with_ymd_and_hms(2026, 2, 12, 6, 0, 0).unwrap();
    println!("{}\n{}", creature.prompt_fragment(), creature.wake(&private, now)?);
    let mut conversation = Vec::new();
    for cycle in 0..CYCLES {
        let tired = live(&creature, cycle, &mut conversation, &mut now)?;
        // Every other cycle it works until it drops; else it asks for sleep, as a model does.
        let arguments = if tired == Fatigue::Forced { r#"{"seconds": 60}"# } else { r#"{"seconds": 1800}"# };
        let asked = SetSleep::parse(arguments)?;
        let plan = creature.fall_asleep(asked.seconds, now)?;
        assert!(plan.dreams, "the last dream is hours ago");
        let report = dream_once_at(&creature, &mind, &|| now)?;
        assert_eq!(report.outcome, Outcome::Appended);
        let sleep = report.sleep.ok_or("a sleep tells what came of it")?;
        conversation.drain(..plan_trim(&conversation, creature.config()).keep_from);
        assert!(conversation.len() <= 21, "twenty stay, and the call of a result");
        if let Some(deep) = &sleep.deep {
            println!(
                "Deep sleep after dream {}: {} pruned, {} of them stale; rests {} s.",
                sleep.dream,
                deep.named + deep.stale,
                deep.stale,
                sleep.pause_seconds
            );
        }
        now += TimeDelta::from_std(plan.duration.max(sleep.pause()))?;
        let message = creature.wake(&private, now)?;
        if cycle + 1 == CYCLES {
            println!("\n# The last time it wakes up\n\n{message}");
        }
        now += TimeDelta::hours(5);
    }

    let state = creature.state()?;
    assert_eq!((state.dreams, state.last_deep, state.actions), (25, 20, 0));
    let files = creature.files();
    let read = |name| workspace.read_text(name).map(Option::unwrap_or_default);
    let (observations, archive) = (read(&files.observations)?, read(&files.archive)?);
    assert_eq!(observations.matches("I promise").count(), 25, "no promise is ever pruned");
    assert!(
        archive.contains("ran the tests, 21 pass") && !archive.contains("RED"),
        "what was pruned is still found"
    );
    println!("{}\n# Its diary\n\n{}", read(&files.priorities)?, read(&files.diary)?);
    Ok(())
}

/// A cycle: it acts, and what it says and does is logged.
fn live(
    creature: &SleepDreamer,
    cycle: u32,
    conversation: &mut Vec<MessageShape>,
    now: &mut DateTime<Utc>,
) -> Result<Fatigue> {
    let rounds = if cycle.is_multiple_of(2) { 16 } else { 6 };
    let mut warnings = 0;
    for round in 0..rounds {
        *now += TimeDelta::minutes(2);
        let text = WORK[round % WORK.len()].replace("{}", &(cycle + 1).to_string());
        let id = format!("{cycle}-{round}");
        conversation.push(MessageShape::new(text.len()).calls(&id));
        conversation.push(MessageShape::new(2).answers(&id));
        let said = [Said::new("assistant", text.as_str()).calls(5), Said::new("tool", "ok")];
        match creature.log(&said, *now)? {
            Fatigue::Warning => warnings += 1,
            Fatigue::Forced => {
                assert_eq!(warnings, 1, "it was warned, once");
                return Ok(Fatigue::Forced);
            }
            _ => {}
        }
    }
    Ok(Fatigue::Awake)
}

/// What it says in a dream: each different line once, marked by its words.
fn dream(request: &LlmRequest) -> String {
    let mut seen: Vec<&str> = Vec::new();
    let mut observations = String::new();
    for line in request.user.lines() {
        let Some((_, said)) = line.strip_prefix('L').and_then(|line| line.split_once("| [")) else {
            continue;
        };
        let Some((time, text)) = said.split_once("] [assistant] ") else { continue };
        if !seen.contains(&text) {
            seen.push(text);
            observations.push_str(&format!("{} {time} {text}\n", mark(text)));
        }
    }
    let kinds = seen.len();
    format!(
        "OBSERVATIONS:\n{observations}\nREFLECTION:\nI did {kinds} kinds of things. The newest promise is still open.\n\nPRIORITY:\nWrite the test that I promised.\n"
    )
}

fn mark(text: &str) -> &'static str {
    if text.contains("promise") || text.contains("merged") {
        "RED"
    } else if text.contains("open") {
        "YLW"
    } else {
        "GRN"
    }
}

/// What it says in a deep sleep: a review that is open is overtaken by the same one noted later.
fn sleep_deeply(request: &LlmRequest) -> String {
    let numbered = request.user.lines().filter_map(|line| line.strip_prefix('L')?.split_once("| "));
    let mut open: Vec<&str> =
        numbered.clone().filter(|(_, text)| text.starts_with("YLW")).map(|(at, _)| at).collect();
    open.pop();
    let drop = if open.is_empty() { "none".to_owned() } else { format!("L{}", open.join(", L")) };
    let merged = numbered.filter(|(_, text)| text.contains("merged")).count();
    format!(
        "DROP:\n{drop}\n\nPRIORITIES:\n1. Write the tests that I promised\n2. Answer the review\n3. Read less, do more\n\nDIARY:\nBy now I have noted {merged} times that something of mine was merged.\n\nThe promises weigh on me.\n"
    )
}
