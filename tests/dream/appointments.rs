//! Statements of a day: the next appointment is none that has been.

use noctuary::dream::{DreamMode, LineOutcome, ProposalEnd};
use noctuary::testing::Script;
use noctuary::{DreamReport, Outcome};
use noctuary_tests::dreaming::marta::human as marta;
use noctuary_tests::dreaming::{Life, dream, night};

const FIRST: &str = "2026-11-18: Dentist.";
const NEXT: &str = "2027-05-20: Dentist.";

/// An answer of one line, which the first line of a journal says.
fn says(line: &str, day: u32) -> Script {
    Script::new().says(format!("- {line} (memory/2026-11-{day}-repl.md#L1)\n"))
}

fn fates(report: &DreamReport) -> Vec<(&str, &LineOutcome)> {
    report.passes.iter().flat_map(|pass| &pass.lines).map(|line| (line.text.as_str(), &line.fate)).collect()
}

fn count(life: &Life, text: &str) -> usize {
    life.memory().matches(text).count()
}

#[test]
fn two_appointments_of_one_night_are_two() {
    let life = Life::with(&[(20, &format!("- [user] {FIRST}\n- [user] {NEXT}\n"))]);
    let answer = format!(
        "- {FIRST} (memory/2026-11-20-repl.md#L1)\n- {NEXT} (memory/2026-11-20-repl.md#L2)\n\
         - Dentist. (memory/2026-11-20-repl.md#L2)\n"
    );
    let report = dream(&life.dreamer(), &Script::new().says(&answer), night(21));
    assert_eq!(report.outcome, Outcome::Appended, "{report:?}");
    assert_eq!([count(&life, FIRST), count(&life, NEXT), count(&life, "Dentist.")], [1, 1, 2], "{report:?}");
}

#[test]
fn an_appointment_of_a_later_night_is_kept_and_the_same_one_is_not_said_twice() {
    let life = Life::with(&[(20, &format!("- [user] {NEXT}\n"))]);
    life.put("MEMORY.md", format!("# Memory\n\n- {FIRST}\n"));
    let report = dream(&life.dreamer(), &says(NEXT, 20), night(21));
    assert_eq!(report.outcome, Outcome::Appended, "beside a line written by hand: {report:?}");
    for (day, line) in [(22, FIRST), (23, NEXT), (24, "Dentist.")] {
        life.add(&format!("memory/2026-11-{day}-repl.md"), format!("- [user] {line}\n"));
        let report = dream(&life.dreamer(), &says(line, day), night(day));
        assert_eq!(report.outcome, Outcome::NothingToPromote, "{report:?}");
        assert!(matches!(fates(&report)[..], [(_, LineOutcome::Duplicate)]), "{report:?}");
    }
    assert_eq!([count(&life, FIRST), count(&life, NEXT)], [1, 1]);
}

#[test]
fn an_appointment_that_a_person_took_out_keeps_no_other_one_away() {
    let life = Life::with(&[(19, &format!("- [user] {FIRST}\n"))]);
    dream(&life.dreamer(), &says(FIRST, 19), night(20));
    assert_eq!(count(&life, FIRST), 1);
    let memory = life.memory();
    let without: String = memory.split_inclusive('\n').filter(|line| !line.contains("Dentist")).collect();
    life.put("MEMORY.md", without);
    life.add("memory/2026-11-21-repl.md", format!("- [user] {FIRST}\n"));
    let report = dream(&life.dreamer(), &says(FIRST, 21), night(22));
    assert!(matches!(fates(&report)[..], [(_, LineOutcome::RemovedBefore)]), "{report:?}");
    life.add("memory/2026-11-22-repl.md", format!("- [user] {NEXT}\n"));
    let report = dream(&life.dreamer(), &says(NEXT, 22), night(23));
    assert_eq!(report.outcome, Outcome::Appended, "{report:?}");
    assert_eq!([count(&life, FIRST), count(&life, NEXT)], [0, 1]);
}

#[test]
fn proposals_of_two_appointments_are_answered_one_by_one() {
    for accepts in [true, false] {
        let life = Life::with(&[(19, &format!("- [user] {FIRST}\n"))]);
        let proposer = life.dreamer_with(|config| config.mode = DreamMode::Propose);
        assert_eq!(dream(&proposer, &says(FIRST, 19), night(20)).outcome, Outcome::Proposed);
        life.add("memory/2026-11-20-repl.md", format!("- [user] {NEXT}\n"));
        if !accepts {
            let first = proposer.proposals(&marta(), night(20)).unwrap().remove(0);
            assert!(proposer.reject_proposal(&marta(), &first.id, night(20)).unwrap());
        }
        let report = dream(&proposer, &says(NEXT, 20), night(21));
        assert_eq!(report.outcome, Outcome::Proposed, "{report:?}");
        for waiting in proposer.proposals(&marta(), night(21)).unwrap() {
            let report = proposer.accept_proposal(&marta(), &waiting.id, night(21)).unwrap();
            assert_eq!(report.end, ProposalEnd::Appended, "{report:?}");
        }
        assert_eq!([count(&life, FIRST), count(&life, NEXT)], [usize::from(accepts), 1]);
    }
}

// The day of a journal stands in front of what an answer says, and is none of the statement's own.
#[test]
fn a_statement_that_is_made_again_on_another_day_is_known() {
    let life = Life::with(&[(19, "- [user] Lunch is late.\n")]);
    dream(&life.dreamer(), &says("2026-11-19: Lunch is late.", 19), night(20));
    assert_eq!(count(&life, "Lunch is late."), 1);
    life.add("memory/2026-11-21-repl.md", "- [user] Lunch is late.\n");
    let report = dream(&life.dreamer(), &says("2026-11-21: Lunch is late.", 21), night(22));
    assert!(matches!(fates(&report)[..], [(_, LineOutcome::Duplicate)]), "{report:?}");
    let memory = life.memory();
    let without: String = memory.split_inclusive('\n').filter(|line| !line.contains("Lunch")).collect();
    life.put("MEMORY.md", without);
    life.add("memory/2026-11-23-repl.md", "- [user] Lunch is late.\n");
    let report = dream(&life.dreamer(), &says("2026-11-23: Lunch is late.", 23), night(24));
    assert!(matches!(fates(&report)[..], [(_, LineOutcome::RemovedBefore)]), "{report:?}");
}
