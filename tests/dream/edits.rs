//! State files that a person edits by hand: no night stops, no line is lost or doubled, no byte of theirs goes.

#![expect(clippy::unwrap_used, reason = "a helper of tests panics with what does not hold")]

use noctuary::dream::{DreamMode, Notice, ReadReason};
use noctuary::life::Guarded;
use noctuary::testing::Script;
use noctuary::{Access, LlmReply, LlmRequest, Outcome, Scope, Workspace as _, dream_once_at, llm_fn};

use noctuary_tests::dreaming::{KEY, Life, dream, journal, name, night, reason_of, seen};

const STATE: &str = ".dreamed-state.json";
const QUARANTINE: &str = ".dreamed-quarantine.json";

/// Promotes each line that it is shown.
fn keeps_all(request: &LlmRequest) -> LlmReply {
    let lines = seen(request);
    let bullets = lines.iter().filter(|line| line.text.contains("[user]"));
    let bullets = bullets.map(|line| {
        format!("- {} ({}#L{})\n", line.text.split("] ").last().unwrap(), line.journal, line.number)
    });
    LlmReply::new(bullets.collect::<String>())
}

fn promoted(life: &Life, day: u32) -> usize {
    life.memory().matches(&format!("harbour {day}.")).count()
}

fn line(day: u32) -> String {
    format!("- 09:00 [user] The boat lies in harbour {day}.\n")
}

/// The texts of files that were set aside because they could not be read whole.
fn kept(life: &Life) -> Vec<Vec<u8>> {
    life.tree().into_iter().filter(|(file, _)| file.contains(".unread-")).map(|(_, bytes)| bytes).collect()
}

// A trailing comma, a comment or one value that made no sense stopped every night, with the doctor at a loss.
#[test]
fn no_edit_of_the_state_file_stops_a_night_or_loses_or_doubles_a_line() {
    let first = Life::with(&[(18, &line(18))]);
    dream(&first.dreamer(), &llm_fn(|request| Ok(keeps_all(request))), night(20));
    let state = first.text(STATE);
    let mark = first.state()["last_processed_mtime"].to_string();
    let edits = [
        // The checksum does not fit, and the rest parses.
        (state.replace("appended", "done"), false),
        (
            state.replace(
                &format!("\"last_processed_mtime\":{mark}"),
                "\"last_processed_mtime\":99999999999999",
            ),
            false,
        ),
        (state.replace(&format!("\"last_processed_mtime\":{mark}"), "\"last_processed_mtime\":0"), false),
        (state.replace(&mark, "1999999999999"), false),
        // It does not.
        (state.replace("}\n", ",}\n"), true),
        (state.replace('{', "{ // looked at on Friday\n"), true),
        (state.replace(&mark, "\"soon\""), true),
        (state.replace("2026-11-20", "last Friday"), true),
        (state[..state.len() / 2].to_owned(), true),
        ("not JSON".to_owned(), true),
        ("[1]".to_owned(), true),
        (String::new(), false),
    ];
    for (edited, is_kept) in edits {
        let life = first.copy();
        life.put(STATE, &edited);
        life.put(&journal(19), line(19));
        let before = life.tree_without_locks();
        let survey = life.dreamer().survey(night(21)).unwrap();
        let is_told = |notice: &Notice| matches!(notice, Notice::EditedState(file) | Notice::UnreadState { file, .. } if file == STATE);
        assert!(survey.notices.iter().any(is_told), "{edited}");
        assert_eq!(life.tree_without_locks(), before, "a look writes nothing");

        let model = llm_fn(|request| Ok(keeps_all(request)));
        let preview = life.dreamer_with(|config| config.mode = DreamMode::Preview);
        assert_eq!(dream(&preview, &model, night(21)).outcome, Outcome::Appended, "{edited}");
        assert_eq!(life.tree_without_locks(), before, "a preview writes nothing");
        let report = dream(&life.dreamer(), &model, night(21));
        assert_eq!(report.outcome, Outcome::Appended, "{edited}: {report:?}");
        assert_eq!(reason_of(&report, &journal(18)), ReadReason::AlreadyShown, "{edited}");
        assert_eq!(reason_of(&report, &journal(19)), ReadReason::Shown, "{edited}");
        assert!(report.notices.iter().any(is_told), "{edited}");
        assert_eq!([promoted(&life, 18), promoted(&life, 19)], [1, 1], "{edited}");
        let expected = if is_kept { vec![edited.clone().into_bytes()] } else { Vec::new() };
        assert_eq!(kept(&life), expected, "every byte of it is there, under a name of its own");
        if let Some(Notice::UnreadState { aside: Some(aside), .. }) =
            report.notices.iter().find(|n| is_told(n))
        {
            assert_eq!(life.text(aside), edited);
        }

        // From here on all is as if nobody had touched it.
        life.put(&journal(20), line(20));
        let report = dream(&life.dreamer(), &model, night(22));
        assert!(!report.notices.iter().any(is_told), "{edited}: {report:?}");
        assert_eq!([18, 19, 20].map(|day| promoted(&life, day)), [1, 1, 1], "{edited}");
        assert!(life.state()["last_processed_mtime"].as_u64().unwrap() < 1_900_000_000_000, "{edited}");
    }
}

#[test]
fn what_a_hand_set_in_the_state_file_counts_where_it_makes_sense() {
    let life = Life::with(&[(18, &line(18))]);
    life.dreamer().dream_on(Some("desk")).unwrap();
    let state = life.text(STATE);
    // The machine, and a key of the person's own, behind a comment.
    life.put(STATE, state.replace('{', "{\n/* moved */ \"mine\": [1],\n").replace("desk", "laptop"));
    assert_eq!(life.dreamer().state().unwrap().dreams_on.as_deref(), Some("laptop"));
    assert_eq!(life.dreamer().state().unwrap().others["mine"][0], 1);
    life.dreamer().dream_on(None).unwrap();
    assert_eq!(life.state()["mine"][0], 1);
    assert_eq!(kept(&life).len(), 1, "the comment stays under a name of its own");
    assert_eq!(
        dream(&life.dreamer(), &llm_fn(|request| Ok(keeps_all(request))), night(20)).outcome,
        Outcome::Appended
    );
}

// The commonest edit leaves a comma behind: an entry was taken out by hand.
#[test]
fn an_edited_quarantine_holds_each_journal_that_it_names_and_stops_no_night() {
    let first = Life::with(&[(17, &line(17)), (18, &line(18)), (19, &line(19))]);
    let entry = |day: u32| format!("{{\"pattern\":\"mine\",\"log_filenames\":[\"2026-11-{day}-repl.md\"]}}");
    let (one, two) = (entry(17), entry(18));
    for edited in [
        format!("[\n{one},\n{two},\n]\n"),
        format!("[\n// {}\n{one}, {two} ]", entry(19)),
        format!("{one}{two}"),
        format!("[{one}, {{\"pattern\": 7, \"log_filenames\": [\"memory/2026-11-18-repl.md\"]}}]"),
        format!("[{one},{two},{{\"pattern\":\"x\""),
    ] {
        let life = first.copy();
        life.put(QUARANTINE, &edited);
        let held = life.dreamer().quarantine().unwrap();
        assert!([17, 18].iter().all(|day| held.holds(&name(&journal(*day))).is_some()), "{edited}");
        let report = dream(&life.dreamer(), &llm_fn(|request| Ok(keeps_all(request))), night(20));
        for (day, reason) in
            [(17, ReadReason::Quarantined), (18, ReadReason::Quarantined), (19, ReadReason::Shown)]
        {
            assert_eq!(reason_of(&report, &journal(day)), reason, "{edited}");
        }
        assert_eq!(kept(&life), [edited.clone().into_bytes()]);
        assert!(life.json(QUARANTINE).is_array());
        // A new hit stands beside the old ones.
        life.put(&journal(20), "- [user] More.\n");
        let script = Script::new().says(format!("- the key is {KEY} (memory/2026-11-20-repl.md#L1)"));
        assert_eq!(dream(&life.dreamer(), &script, night(21)).outcome, Outcome::Quarantined);
        assert!(life.dreamer().release(&name(&journal(18))).unwrap());
        let model = llm_fn(|request| Ok(keeps_all(request)));
        dream(&life.dreamer_with(|config| config.budget.max_calls_per_day = None), &model, night(22));
        assert_eq!([17, 18, 19].map(|day| promoted(&life, day)), [0, 1, 1], "{edited}");
    }
    // Released without a dream in between.
    let life = first.copy();
    life.put(QUARANTINE, format!("[{one},]"));
    assert!(life.dreamer().release(&name(&journal(17))).unwrap());
    assert_eq!(life.text(QUARANTINE).trim(), "[]");
}

// An undo reads the file too, and so does what finishes an interrupted commit.
#[test]
fn a_person_undoes_a_dream_over_an_edited_state_file() {
    let life = Life::with(&[(18, &line(18))]);
    let report = dream(&life.dreamer(), &llm_fn(|request| Ok(keeps_all(request))), night(20));
    life.put(STATE, "{ oops");
    let human = Access::human(Scope::user("marta"));
    life.dreamer().undo_dream(&human, &report.passes[0].dream_id, night(21)).unwrap();
    assert_eq!((promoted(&life, 18), kept(&life)), (0, vec![b"{ oops".to_vec()]));
    let model = llm_fn(|request| Ok(keeps_all(request)));
    assert_eq!(dream_once_at(&life.dreamer(), &model, &|| night(22)).unwrap().outcome, Outcome::Appended);
    assert_eq!(promoted(&life, 18), 1);
}

// Journals in folders of years and dates without hyphens were neither dreamed nor named.
#[test]
fn journals_in_folders_of_years_and_with_compact_dates_are_dreamed() {
    let life = Life::with(&[(16, &line(16))]);
    let files = [
        ("memory/2026/11/2026-11-17.md", 17),
        ("memory/2026/2026-11-18-repl.md", 18),
        ("memory/20261119.md", 19),
        ("memory/202611/20261114-repl.md", 14),
        ("daily/2026-11/2026-11-15.md", 15),
    ];
    for (file, day) in files {
        life.put(file, line(day));
    }
    life.put("memory/archive/2026-11-13.md", line(13));
    let model = llm_fn(|request| Ok(keeps_all(request)));
    let report = dream(&life.dreamer(), &model, night(21));
    for (file, day) in files {
        assert_eq!((reason_of(&report, file), promoted(&life, day)), (ReadReason::Shown, 1), "{file}");
    }
    assert_eq!(promoted(&life, 13), 0);
    for (file, _) in files {
        assert!(life.memory().contains(&format!("({file}#L1)")), "{file} is cited: {}", life.memory());
    }
    let again = dream(&life.dreamer(), &model, night(22));
    assert!(files.iter().all(|(file, _)| reason_of(&again, file) == ReadReason::AlreadyShown), "{again:?}");
    // A shared session reads none of them, whatever it is called.
    life.put("memory/2026/2026-11-20-shared.team.md", line(20));
    let view = Guarded::new(life.workspace(), Access::shared(Scope::user("marta")));
    for file in
        ["memory/2026/2026-11-20-shared.team.md", "memory/20261119.md", "memory/2026/11/2026-11-17.md"]
    {
        assert!(view.read(&name(file)).is_err(), "{file}");
    }
}
