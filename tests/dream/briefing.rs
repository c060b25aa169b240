//! The page on what is going on now, which each night replaces.

use noctuary::dream::{DreamMode, HoldReason, LineOutcome, Notice};
use noctuary::format::DreamId;
use noctuary::life::PromptConfig;
use noctuary::{
    Access, Actor, DreamReport, LifeConfig, LlmReply, LlmRequest, Outcome, Scope, SessionKind, llm_fn,
};
use noctuary_tests::dreaming::{Life, MEMORY, dream, journal, night};

const PAGE: &str = "BRIEFING.md";

const DAY: &str = "[user] Decision: the mast is stepped on Friday at the yard in Nes.\n\
                   [user] I still wait for the sailmaker's offer.\n";

/// A night of the 21st or later whose model answers this.
fn ask(life: &Life, answer: &str, day: u32) -> DreamReport {
    let model = llm_fn(|request: &LlmRequest| {
        assert!(request.system.contains("### Briefing"));
        Ok(LlmReply::new(answer))
    });
    dream(&life.dreamer_with(|config| config.briefing = true), &model, night(day))
}

fn cited(text: &str, line: u32) -> String {
    format!("- {text} ({}#L{line})\n", journal(20))
}

/// BX-22
#[test]
fn a_night_replaces_the_page_by_what_holds_of_the_answer() {
    let life = Life::with(&[(20, DAY)]);
    let decision = cited("2026-11-20: The mast is stepped on Friday at the yard in Nes.", 1);
    let open = cited("The user still waits for the sailmaker's offer.", 2);
    let invented = cited("The mast costs 4,200 kronor.", 1);
    let answer = format!("### Decisions\n{decision}\n### Briefing\n{open}{invented}- The yard opens late.\n");
    let report = ask(&life, &answer, 21);
    assert_eq!(report.outcome, Outcome::Appended);
    let page = life.text(PAGE);
    assert_eq!(report.passes[0].briefing.as_deref(), Some(page.as_str()));
    let (mark, body) = page.split_once('\n').unwrap();
    assert!(mark.starts_with(&format!("<!-- briefing:v1 dream={}", report.passes[0].dream_id)), "{mark}");
    assert_eq!(body, format!("# Briefing, 2026-11-21\n\n{open}"));
    let held: Vec<HoldReason> = report
        .held()
        .map(|line| match &line.fate {
            LineOutcome::Held(hold) => hold.reason,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(held, [HoldReason::Number, HoldReason::Uncited]);
    assert!(!life.memory().contains("sailmaker"), "the page is no part of memory");

    // The next night puts its page in this one's place, also where nothing is promoted.
    life.put(&journal(21), "[user] The sailmaker wrote at last.\n");
    let news = format!("- The sailmaker wrote. ({}#L1)\n", journal(21));
    let report = ask(&life, &format!("NOTHING_TO_PROMOTE\n\n### Briefing\n{news}"), 22);
    assert_eq!(report.outcome, Outcome::NothingToPromote);
    assert!(life.text(PAGE).ends_with(&format!("# Briefing, 2026-11-22\n\n{news}")), "{}", life.text(PAGE));
}

#[test]
fn an_answer_without_a_page_gives_one_of_what_it_promotes() {
    let life = Life::with(&[(20, DAY)]);
    let decision = cited("2026-11-20: The mast is stepped on Friday at the yard in Nes.", 1);
    ask(&life, &format!("### Decisions\n{decision}"), 21);
    assert!(life.text(PAGE).ends_with(&format!("\n\n{decision}")));
    // A night without anything leaves it.
    life.put(&journal(21), "[user] Hello there.\n");
    ask(&life, "NOTHING_TO_PROMOTE", 22);
    assert!(life.text(PAGE).ends_with(&format!("\n\n{decision}")));
}

#[test]
fn the_page_of_a_person_stays() {
    let decision = cited("2026-11-20: The mast is stepped on Friday at the yard in Nes.", 1);
    let answer = format!("### Decisions\n{decision}");
    let life = Life::with(&[(20, DAY)]);
    life.put(PAGE, "# My own\n");
    let report = ask(&life, &answer, 21);
    assert!(report.notices.contains(&Notice::BriefingKept), "{:?}", report.notices);
    assert_eq!(life.text(PAGE), "# My own\n");

    let life = Life::with(&[(20, DAY)]);
    ask(&life, &answer, 21);
    let edited = life.text(PAGE) + "- And call the yard.\n";
    life.put(PAGE, &edited);
    life.put(&journal(21), "[user] Decision: the boat is blue from now on.\n");
    let report =
        ask(&life, &format!("### Decisions\n- The boat is blue from now on. ({}#L1)\n", journal(21)), 22);
    assert!(report.notices.contains(&Notice::BriefingKept), "{:?}", report.notices);
    assert_eq!(life.text(PAGE), edited);
}

#[test]
fn no_page_without_the_setting_in_a_preview_or_from_a_proposal() {
    let decision = cited("2026-11-20: The mast is stepped on Friday at the yard in Nes.", 1);
    let answer = format!("### Decisions\n{decision}\n### Briefing\n{decision}");
    let model = llm_fn(|_| Ok(LlmReply::new(answer.as_str())));
    for (is_on, mode) in [(false, DreamMode::Append), (true, DreamMode::Preview), (true, DreamMode::Propose)]
    {
        let life = Life::with(&[(20, DAY)]);
        let dreamer = life.dreamer_with(|config| (config.briefing, config.mode) = (is_on, mode));
        let report = dream(&dreamer, &model, night(21));
        assert!(!life.has(PAGE), "{mode:?}");
        assert_eq!(report.passes[0].briefing.is_some(), mode == DreamMode::Preview, "{mode:?}");
    }
}

#[test]
fn a_dream_that_is_taken_back_takes_its_page_along() {
    let life = Life::with(&[(20, DAY)]);
    let decision = cited("2026-11-20: The mast is stepped on Friday at the yard in Nes.", 1);
    let report = ask(&life, &format!("### Decisions\n{decision}"), 21);
    let id: &DreamId = &report.passes[0].dream_id;
    let human = Access::human(Scope::user("marta"));
    assert!(life.dreamer().undo_dream(&human, id, night(22)).unwrap());
    assert!(!life.has(PAGE));
    assert_eq!(life.memory(), MEMORY);
}

#[test]
fn prompts_of_main_sessions_show_it_where_that_is_on() {
    let life = Life::with(&[(20, DAY)]);
    let open = cited("The user still waits for the sailmaker's offer.", 2);
    let decision = cited("2026-11-20: The mast is stepped on Friday at the yard in Nes.", 1);
    ask(&life, &format!("### Decisions\n{decision}\n### Briefing\n{open}"), 21);
    let prompt = |kind, is_on| {
        let mut config = LifeConfig::default();
        config.prompt = PromptConfig::default();
        config.prompt.briefing = is_on;
        config.prompt.journal_days = 0;
        let life = noctuary::Life::new(life.workspace(), config);
        let access = Access::new(kind, Actor::Agent, Scope::user("marta"));
        life.begin_session(access, "8f14", "repl", night(23)).unwrap().system_prompt().unwrap()
    };
    let main = prompt(SessionKind::Main, true);
    assert!(main.contains(&format!("# Briefing, 2026-11-21\n\n{}", open.trim_end())), "{main}");
    assert!(!main.contains("briefing:v1"), "{main}");
    for (kind, is_on) in [
        (SessionKind::Main, false),
        (SessionKind::Shared, true),
        (SessionKind::Subagent, true),
        (SessionKind::Scheduled, true),
    ] {
        assert!(!prompt(kind, is_on).contains("sailmaker"), "{kind:?}");
    }
}
