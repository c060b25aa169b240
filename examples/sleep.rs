//! Twenty-five short cycles of a creature that tires, sleeps, dreams and wakes up: a fixed clock, no model, no network.
//!
//! ```text
//! cargo run --example sleep --features sleep             in a folder that is made for it and taken away
//! cargo run --example sleep --features sleep -- FOLDER   in one that stays
//! ```
//!
//! Its mind is a few rules in this file that follow the form a model is asked to follow; `Extractive` answers a curator
//! in bullets, which is another form. It checks what it tells: whatever does not hold ends it.

use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::sleep::{Fatigue, MessageShape, Said, SetSleep, SleepDreamer, plan_trim};
use noctuary::workspace::WorkspaceExt;
use noctuary::{
    Access, FileWorkspace, LlmError, LlmReply, LlmRequest, Outcome, Scope, Workspace, dream_once_at, llm_fn,
};

type Result<T> = std::result::Result<T, Box<dyn StdError + Send + Sync>>;

/// The events of its days, one in a cycle.
const STORY: [&str; 25] = [
    "I promise Ines a test for issue 12, the clock that runs backwards.",
    "The test for issue 12 is open as pull request 3; nobody has answered yet.",
    "Ines asks for a smaller one; pull request 3 is still open.",
    "Pull request 3 was merged, the test for the clock that runs backwards.",
    "Never push to main on a Friday, says Ines.",
    "I promise Tomas a page about leap seconds.",
    "The page about leap seconds is open as pull request 5.",
    "Tomas doubts a number on the page; pull request 5 is still open.",
    "I was wrong by a second, and said so.",
    "Pull request 5 was merged, the page about leap seconds.",
    "Looked for something to do, and found a list of old issues.",
    "Issue 2 is open since the first year; nobody can reproduce it.",
    "Tried issue 2 a hundred times; it does not happen.",
    "Issue 2 is still open; I asked who saw it last.",
    "Ada saw it, in the night in which the clocks change.",
    "I promise Ada to stay up in the night of the 29th of March.",
    "Read how other libraries count the hour that happens twice.",
    "I was wrong about issue 2: it happens in autumn, not in spring.",
    "The fix of issue 2 is open as pull request 9, with the hour that happens twice.",
    "Pull request 9 was merged, and closed an issue that is older than I am.",
    "Ines lets me review what others send.",
    "Never review when tired, I tell myself after the first one.",
    "The review of pull request 11 is open; its author is new here.",
    "I promise the author of pull request 11 an answer by tomorrow.",
    "Pull request 11 was merged, which is not mine, and I am glad.",
];

fn main() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let folder = std::env::args_os().nth(1).map_or_else(|| scratch.path().to_owned(), Into::into);
    let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(folder)?);
    let creature = SleepDreamer::builder(Arc::clone(&workspace)).enabled(true).build()?;
    // How many of the things that it never forgets its diary has told.
    let told = AtomicUsize::new(0);
    let mind = llm_fn(|request: &LlmRequest| -> std::result::Result<LlmReply, LlmError> {
        Ok(LlmReply::new(if request.system.contains("DROP:") {
            sleep_deeply(request, &told)
        } else {
            dream(request)
        }))
    });

    let private = Access::agent(Scope::user("creator"));
    let mut now = Utc.with_ymd_and_hms(2026, 2, 12, 6, 0, 0).unwrap();
    println!("{}\n{}", creature.prompt_fragment(), creature.wake(&private, now)?);
    let mut conversation = Vec::new();
    for (cycle, event) in (1..).zip(STORY) {
        let tired = live(&creature, cycle, event, &mut conversation, &mut now)?;
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
        if cycle == STORY.len() {
            println!("\n# The last time it wakes up\n\n{message}");
        }
        now += TimeDelta::hours(5);
    }

    let state = creature.state()?;
    assert_eq!((state.dreams, state.last_deep, state.actions), (25, 20, 0));
    let files = creature.files();
    let read = |name| workspace.read_text(name).map(Option::unwrap_or_default);
    let (observations, archive) = (read(&files.observations)?, read(&files.archive)?);
    assert_eq!(observations.matches("I promise").count(), 4, "no promise is ever pruned");
    assert!(archive.contains("ran the tests of cycle 1") && !archive.contains("RED"), "it is still found");
    assert!(!observations.contains("ran the tests of cycle 1,"), "and no longer in the way");
    println!("{}\n# Its diary\n\n{}", read(&files.priorities)?, read(&files.diary)?);
    Ok(())
}

/// A cycle: something happens, it acts, and what it says and does is logged.
fn live(
    creature: &SleepDreamer,
    cycle: usize,
    event: &str,
    conversation: &mut Vec<MessageShape>,
    now: &mut DateTime<Utc>,
) -> Result<Fatigue> {
    let rounds = if cycle.is_multiple_of(2) { 6 } else { 16 };
    let mut warnings = 0;
    for round in 0..rounds {
        *now += TimeDelta::minutes(2);
        let text =
            if round == 0 { event.to_owned() } else { format!("ran the tests of cycle {cycle}, all pass") };
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

/// Answers in a dream: each different line once, marked by its words.
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
    let event = seen.first().copied().unwrap_or("Nothing happened.");
    format!(
        "OBSERVATIONS:\n{observations}\nREFLECTION:\nOne thing counts of all that I did: {event} The rest was tests.\n\nPRIORITY:\nKeep what I promised, before I promise more.\n"
    )
}

fn mark(text: &str) -> &'static str {
    if ["promise", "merged", "Never", "wrong"].iter().any(|word| text.contains(word)) {
        "RED"
    } else if text.contains("open") {
        "YLW"
    } else {
        "GRN"
    }
}

/// Answers in a deep sleep: later notes replace open ones, and the diary tells the news of
/// all that it never forgets.
fn sleep_deeply(request: &LlmRequest, told: &AtomicUsize) -> String {
    let numbered: Vec<(&str, &str)> =
        request.user.lines().filter_map(|line| line.strip_prefix('L')?.split_once("| ")).collect();
    let marked = |mark: &str| -> Vec<(&str, &str)> {
        let lines = numbered.iter().filter_map(|(at, line)| Some((*at, line.strip_prefix(mark)?.get(7..)?)));
        lines.collect()
    };
    let mut open = marked("YLW");
    open.pop();
    let drop: Vec<String> = open.iter().map(|(at, _)| format!("L{at}")).collect();
    let drop = if drop.is_empty() { "none".to_owned() } else { drop.join(", ") };

    let kept = marked("RED");
    let news = &kept[told.swap(kept.len(), Ordering::Relaxed)..];
    let with = |word: &str| -> String {
        let lines: Vec<&str> =
            news.iter().map(|(_, text)| *text).filter(|text| text.contains(word)).collect();
        lines.join(" ")
    };
    let (promised, merged, learned) = (with("promise"), with("merged"), with("Never") + " " + &with("wrong"));
    format!(
        "DROP:\n{drop}\n\nPRIORITIES:\n1. Keep what I promised\n2. Answer whoever waits\n3. Read more, do less\n\nDIARY:\nIt began with a promise. {promised}\n\nSome of it came to an end. {merged} I keep them small now; the small ones are read.\n\nWhat I learned: {}\n\nI ran tests in every cycle, {} times that I still remember, and shall forget all of them.\n",
        learned.trim(),
        marked("GRN").len()
    )
}
