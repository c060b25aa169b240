//! Relative days: "tomorrow" and its kin have dates in memory.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::sync::Arc;

use noctuary::dream::{HoldReason, LineOutcome};
use noctuary::exchange::{Forget, ForgetPlace};
use noctuary::testing::Script;
use noctuary::workspace::WorkspaceExt;
use noctuary::{Access, Extractive, Scope, SqliteWorkspace, Workspace, WriteMode};

use noctuary_tests::dreaming::{Life, MEMORY, dream, dreamer_over, journal, name, night};

/// The language, a line of Friday, 20 November 2026, and what memory says of it.
const LINES: &[(&str, &str, &str)] = &[
    ("en", "Remember: dentist tomorrow at nine.", "dentist tomorrow (2026-11-21) at nine."),
    ("de", "Merke: Zahnarzt übermorgen um neun.", "Zahnarzt übermorgen (2026-11-22) um neun."),
    ("de", "Wir haben entschieden: Der Umzug ist nächsten Freitag.", "nächsten Freitag (2026-11-27)."),
    ("fr", "À retenir : le dentiste est demain à neuf heures.", "demain (2026-11-21) à neuf heures."),
    ("es", "Recuerda: el dentista es mañana por la mañana.", "mañana (2026-11-21) por la mañana."),
    ("pt", "Lembra-te: o dentista é amanhã às nove.", "amanhã (2026-11-21) às nove."),
    ("it", "Ricorda: il dentista è domani alle nove.", "domani (2026-11-21) alle nove."),
    ("nl", "Onthoud: de tandarts is morgen om negen uur.", "morgen (2026-11-21) om negen uur."),
    ("pl", "Zapamiętaj: dentysta jest jutro o dziewiątej.", "jutro (2026-11-21) o dziewiątej."),
    ("tr", "Unutma: dişçi randevum yarın saat dokuzda.", "yarın (2026-11-21) saat dokuzda."),
    ("ru", "Запомни: к стоматологу завтра в девять.", "завтра (2026-11-21) в девять."),
    ("zh", "记住：明天九点看牙医。", "明天(2026-11-21)九点看牙医。"),
    ("ja", "覚えておいて：明日九時に歯医者です。", "明日(2026-11-21)九時に歯医者です。"),
    ("ko", "기억해: 내일 아홉 시에 치과에 가요.", "내일 (2026-11-21) 아홉 시에 치과에 가요."),
];

/// Returns the memory after the night of a line, in a database.
fn memory_of_a_database(line: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let database = SqliteWorkspace::open(folder.path().join("life.db"), Scope::user("marta")).unwrap();
    let workspace: Arc<dyn Workspace> = Arc::new(database);
    let day = format!("- [user] {line}\n");
    for (document, text) in [("MEMORY.md", MEMORY), (&journal(20), &day)] {
        workspace.write(&name(document), text.as_bytes(), WriteMode::Create).unwrap();
    }
    let dreamer = dreamer_over(Arc::clone(&workspace), |_| {});
    dream(&dreamer, &Extractive::with_share(1.0), night(21));
    workspace.read_text(&name("MEMORY.md")).unwrap().unwrap()
}

// BX-60: "tomorrow" told nothing to a session of the next week.
#[test]
fn relative_days_have_dates_in_memory_and_the_same_nights_the_same_bytes() {
    let mut wrong = Vec::new();
    for (language, line, expected) in LINES {
        let lives = [0, 1].map(|_| {
            let life = Life::with(&[(20, &format!("- [user] {line}\n"))]);
            life.dream(&Extractive::with_share(1.0));
            life.memory()
        });
        assert_eq!(lives[0], lives[1], "{language}");
        assert_eq!(lives[0], memory_of_a_database(line), "{language}");
        if !lives[0].contains(expected) {
            wrong.push(format!("{language}: {}", lives[0]));
        }
        // A model's line in the same words has the date too.
        let life = Life::with(&[(20, &format!("- [user] {line}\n"))]);
        life.dream(&Script::new().says(format!("- {line} ({}#L1)", journal(20))));
        if !life.memory().contains(expected) {
            wrong.push(format!("{language}, of a model: {}", life.memory()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

// BX-60: a model may say the date itself, and no other one.
#[test]
fn a_model_may_say_the_date_that_a_line_means() {
    let mut wrong = Vec::new();
    for (language, line, expected) in LINES {
        let from = expected.find("2026").unwrap();
        let date = &expected[from..from + 10];
        for (day, is_held) in [(date, false), ("2026-11-24", true)] {
            let life = Life::with(&[(20, &format!("- [user] {line}\n"))]);
            let report = life.dream(&Script::new().says(format!("- {day}: {line} ({}#L1)", journal(20))));
            let is_date = |held: &LineOutcome| matches!(held, LineOutcome::Held(hold) if hold.reason == HoldReason::Date);
            let held = report.passes[0].lines.iter().any(|line| is_date(&line.fate));
            if held != is_held {
                wrong.push(format!("{language}, {day}: {:?}", report.passes[0].lines));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_model_may_not_give_a_day_to_a_line_that_speaks_of_none() {
    let life = Life::with(&[(20, "- [user] I see the dentist at nine.\n")]);
    life.dream(
        &Script::new().says(format!("- The user sees the dentist tomorrow at nine. ({}#L1)", journal(20))),
    );
    assert!(life.memory().contains("dentist tomorrow at nine."), "{}", life.memory());
}

// The date inside the line would have kept it from being known again.
#[test]
fn a_line_with_a_date_is_promoted_once_and_forgotten_by_its_own_words() {
    let said = "Remember: I see Dr Olsen tomorrow at nine.";
    let life = Life::with(&[(20, &format!("- [user] {said}\n"))]);
    life.dream(&Extractive::with_share(1.0));
    let dated = "Remember: I see Dr Olsen tomorrow (2026-11-21) at nine.";
    assert!(life.memory().contains(dated), "{}", life.memory());
    // The record is lost, and the same night comes again.
    for lost in [".dreaming.d/ledger.json", ".dreaming.d/log.jsonl", ".dreamed-state.json"] {
        life.remove(lost);
    }
    dream(&life.dreamer(), &Extractive::with_share(1.0), night(22));
    assert_eq!(life.memory().matches("Dr Olsen").count(), 1, "{}", life.memory());

    for words in [said, dated] {
        let life = life.copy();
        let access = Access::human(Scope::user("marta"));
        let receipt =
            Forget::new(&access, words).in_files(true).workspace(&*life.workspace()).run(night(23)).unwrap();
        assert_eq!(receipt.place(ForgetPlace::Memory).removed, 1, "{words}");
        for file in ["MEMORY.md".to_owned(), journal(20)] {
            let text = fs::read_to_string(life.path(&file)).unwrap();
            assert!(!text.contains("Olsen") && !text.contains("(2026-11-21)"), "{words}: {text}");
        }
    }
}

// BX-60: the second appointment is no repetition of the first.
#[test]
fn the_same_words_of_two_days_are_two_lines() {
    let audit = "- [user] Decision: the audit is tomorrow.\n";
    let life = Life::with(&[(18, audit), (20, audit)]);
    let said = |day| format!("- Decision: the audit is tomorrow. ({}#L1)\n", journal(day));
    life.dream(&Script::new().says(said(18) + &said(20)));
    for date in ["2026-11-19", "2026-11-21"] {
        assert!(life.memory().contains(&format!("tomorrow ({date}).")), "{}", life.memory());
    }
}
