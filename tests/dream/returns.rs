//! A value that returns: what held, held no more and holds again is news, and is said at its own day.

use noctuary::dream::{DreamMode, LineOutcome, ProposalEnd};
use noctuary::testing::Script;
use noctuary::{DreamReport, Extractive, Outcome};
use noctuary_tests::dreaming::marta::human as marta;
use noctuary_tests::dreaming::{Life, dream, night};

const OSLO: &str = "The office is in Oslo.";
const BERGEN: &str = "The office is in Bergen.";

/// An answer of one line, which the first line of a journal says.
fn says(line: &str, day: u32) -> Script {
    Script::new().says(format!("- {line} (memory/2026-11-{day:02}-repl.md#L1)\n"))
}

/// A night that reads one line.
fn lived(life: &Life, said: &str, day: u32) -> DreamReport {
    life.add(&format!("memory/2026-11-{day:02}-repl.md"), format!("- [user] {said}\n"));
    dream(&life.dreamer(), &says(said, day), night(day + 1))
}

/// The places of memory, in its order.
fn offices(memory: &str) -> Vec<&str> {
    let cities = ["Oslo", "Bergen", "Turku"];
    let lines = memory.lines().filter(|line| line.contains("office"));
    lines.map(|line| cities.into_iter().find(|city| line.contains(city)).unwrap_or(line)).collect()
}

/// Takes out the lines that cite a journal, as a person does.
fn without(life: &Life, cited: &str) {
    let memory = life.memory();
    let rest: String = memory.split_inclusive('\n').filter(|line| !line.contains(cited)).collect();
    life.put("MEMORY.md", rest);
}

fn fate(report: &DreamReport) -> Option<&LineOutcome> {
    report.passes.iter().flat_map(|pass| &pass.lines).map(|line| &line.fate).next()
}

#[test]
fn a_value_that_returns_is_kept_again_and_only_once() {
    let life = Life::with(&[]);
    for (day, line) in [(1, OSLO), (2, BERGEN), (3, OSLO)] {
        assert_eq!(lived(&life, line, day).outcome, Outcome::Appended, "{day}");
    }
    assert_eq!(offices(&life.memory()), ["Oslo", "Bergen", "Oslo"]);
    for day in [4, 5] {
        assert_eq!(fate(&lived(&life, OSLO, day)), Some(&LineOutcome::Duplicate), "{day}");
    }
    for (day, line) in [(6, BERGEN), (7, "The office is in Turku."), (8, OSLO)] {
        assert_eq!(lived(&life, line, day).outcome, Outcome::Appended, "{day}");
    }
    assert_eq!(offices(&life.memory()), ["Oslo", "Bergen", "Oslo", "Bergen", "Turku", "Oslo"]);
}

#[test]
fn nights_without_a_model_keep_what_is_taken_back() {
    for line in [
        "We take back the decision on tabs; spaces it is.",
        "The decision on tabs is withdrawn.",
        "We changed our minds on tabs: spaces it is.",
        "Wir nehmen den Beschluss zurück, es bleibt bei Leerzeichen.",
        "Vazgeçtik, sekme yerine boşluk kullanıyoruz.",
    ] {
        let life = Life::with(&[]);
        for (day, said) in [(1, "Decision: we indent with tabs."), (2, line)] {
            life.add(&format!("memory/2026-11-{day:02}-repl.md"), format!("- [user] {said}\n"));
            dream(&life.dreamer(), &Extractive::new(), night(day + 1));
        }
        assert!(life.memory().contains(line), "{line}: {}", life.memory());
    }
}

#[test]
fn nights_without_a_model_keep_a_value_that_returns() {
    let days = |life: &Life, in_one_night: bool| {
        for (day, line) in [(1, OSLO), (2, BERGEN), (3, OSLO)] {
            life.add(&format!("memory/2026-11-{day:02}-repl.md"), format!("- [user] Decision: {line}\n"));
            if !in_one_night || day == 3 {
                dream(&life.dreamer(), &Extractive::new(), night(day + 1));
            }
        }
    };
    for in_one_night in [false, true] {
        let life = Life::with(&[]);
        days(&life, in_one_night);
        assert_eq!(offices(&life.memory()), ["Oslo", "Bergen", "Oslo"], "in one night: {in_one_night}");
    }
}

// A shop told its assistant in few words that the storage is back. The nights kept the older move alone.
#[test]
fn nights_without_a_model_keep_an_update_of_memory_however_short() {
    for (before, news) in [
        ("The storage moved from Kadıköy to Üsküdar.", "The storage is in Kadıköy again."),
        (
            "We moved from Vim to Helix for the price lists.",
            "We moved from Helix back to Vim for the price lists.",
        ),
        ("Wir sind mit dem Lager von Kadıköy nach Üsküdar umgezogen.", "Das Lager ist wieder in Kadıköy."),
    ] {
        let life = Life::with(&[]);
        life.put("MEMORY.md", format!("# Memory\n\n- {before}\n"));
        let asked = "Is the storage in Kadıköy again?";
        life.add(
            "memory/2026-11-05-repl.md",
            format!("- [user] {asked}\n- [user] {news}\n- [tool:x] {news}\n"),
        );
        dream(&life.dreamer(), &Extractive::new(), night(6));
        let memory = life.memory();
        assert_eq!((memory.matches(news).count(), memory.contains("Is the storage")), (1, false), "{memory}");
    }
}

#[test]
fn one_night_that_is_shown_all_three_keeps_all_three() {
    let life = Life::with(&[]);
    let mut answer = String::new();
    for (day, line) in [(1, OSLO), (2, BERGEN), (3, OSLO)] {
        life.add(&format!("memory/2026-11-{day:02}-repl.md"), format!("- [user] {line}\n"));
        answer += &format!("- {line} (memory/2026-11-{day:02}-repl.md#L1)\n");
    }
    dream(&life.dreamer(), &Script::new().says(answer), night(4));
    assert_eq!(offices(&life.memory()), ["Oslo", "Bergen", "Oslo"]);
}

#[test]
fn a_value_whose_first_line_was_archived_or_tidied_away_returns() {
    for is_archived in [true, false] {
        let life = Life::with(&[]);
        lived(&life, OSLO, 1);
        if is_archived {
            life.put("memory/archive/dreamed.md", life.memory());
            life.put("MEMORY.md", "# Memory\n");
        }
        lived(&life, BERGEN, 2);
        if !is_archived {
            without(&life, "memory/2026-11-01");
        }
        assert_eq!(offices(&life.memory()), ["Bergen"]);
        assert_eq!(lived(&life, OSLO, 3).outcome, Outcome::Appended, "archived: {is_archived}");
        assert_eq!(offices(&life.memory()), ["Bergen", "Oslo"]);
        // Taken out once more, after the last change: that is the person's word.
        without(&life, "memory/2026-11-03");
        assert_eq!(offices(&life.memory()), ["Bergen"]);
        let report = lived(&life, OSLO, 4);
        assert_eq!(fate(&report), Some(&LineOutcome::RemovedBefore), "archived: {is_archived}");
    }
}

#[test]
fn a_value_that_returns_while_proposals_wait() {
    let life = Life::with(&[]);
    let proposer = life.dreamer_with(|config| config.mode = DreamMode::Propose);
    for (day, line) in [(1, OSLO), (2, BERGEN), (3, OSLO)] {
        life.add(&format!("memory/2026-11-{day:02}-repl.md"), format!("- [user] {line}\n"));
        assert_eq!(dream(&proposer, &says(line, day), night(day + 1)).outcome, Outcome::Proposed, "{day}");
    }
    for proposal in proposer.proposals(&marta(), night(4)).unwrap() {
        assert_eq!(
            proposer.accept_proposal(&marta(), &proposal.id, night(4)).unwrap().end,
            ProposalEnd::Appended
        );
    }
    assert_eq!(offices(&life.memory()), ["Oslo", "Bergen", "Oslo"]);
}

#[test]
fn a_night_that_is_taken_back_and_brought_again_takes_its_value_along() {
    let life = Life::with(&[]);
    for (day, line) in [(1, OSLO), (2, BERGEN), (3, OSLO)] {
        lived(&life, line, day);
    }
    let dreamer = life.dreamer();
    let last = dreamer.dreams().unwrap().into_iter().max_by_key(|dream| dream.at).unwrap().id;
    dreamer.undo_dream(&marta(), &last, night(4)).unwrap();
    assert_eq!(offices(&life.memory()), ["Oslo", "Bergen"]);
    dreamer.redo_dream(&marta(), &last, night(4)).unwrap();
    assert_eq!(offices(&life.memory()), ["Oslo", "Bergen", "Oslo"]);
}
