//! Taking dreams back, bringing them back, and moving the oldest to the archive: what must hold, whatever stops where.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use noctuary::dream::{DreamStanding, JournalSpan, Notice};
use noctuary::exchange::{Forget, feed};
use noctuary::format::{DreamId, JournalName};
use noctuary::life::Undreamed;
use noctuary::memory::Filter;
use noctuary::workspace::{Refusal, StateName};
use noctuary::{
    Access, Actor, DocName, Error, FileMemoryStore, MemoryStore, Outcome, Scope, SessionKind, Workspace,
    WriteMode,
};

use noctuary_tests::dreaming::world::{DAYS, MINE, World, dreamer_with, human, teller};
use noctuary_tests::dreaming::{self, disk_with, drain, dream, journal, name, night};

fn refusal(answer: noctuary::Result<bool>) -> (String, Refusal) {
    match answer {
        Err(Error::DreamStays { path, reason, .. }) => (path, reason),
        other => panic!("it was to be refused: {other:?}"),
    }
}

// An editor that saves an old copy takes a promoted section with it. It stood in a list of notices that nobody read, and
// no call brought it back.
#[test]
fn a_section_that_a_stale_save_took_is_told_in_the_line_of_the_report_and_comes_back() {
    let (world, ids) = World::dreamed();
    world.put("MEMORY.md", &format!("{MINE}- Saved from an old copy.\n"));
    let report = world.dream(night(24));
    let told = report.to_string();
    for id in &ids {
        assert!(
            told.contains(&format!("the section of dream {id} is no longer in MEMORY.md; redo_dream")),
            "{told}"
        );
    }
    assert_eq!(world.dreamer().dreams().unwrap()[0].standing, DreamStanding::Gone);
    for id in &ids {
        assert!(world.redo(id).unwrap());
        assert!(!world.redo(id).unwrap(), "it stands");
    }
    let after = world.text("MEMORY.md");
    assert!(
        after.starts_with(&format!("{MINE}- Saved from an old copy.\n")),
        "the person's bytes stand: {after}"
    );
    for day in DAYS {
        assert_eq!(after.matches(&format!("- Told: what day {day} was like.")).count(), 1, "{after}");
    }
    assert_eq!(world.dreamer().dreams().unwrap()[0].standing, DreamStanding::Whole);
    let report = world.dream(night(25));
    assert!(!report.to_string().contains("no longer"), "{report}");
    assert_eq!(report.calls, 0, "its journals are read");
    // It can be taken back as ever, and what stands there by other means is not said twice.
    assert!(world.undo(&ids[2]).unwrap());
    assert!(world.redo(&ids[2]).unwrap());
    world.put("MEMORY.md", &format!("{MINE}- Told: what day 18 was like.\n"));
    let refused = world.redo(&ids[0]);
    assert!(matches!(refused, Err(Error::DreamStays { reason: Refusal::SaidAgain, .. })), "{refused:?}");
}

#[test]
fn an_undone_dream_leaves_memory_as_it_was_and_its_journal_waits() {
    // BX-04: section and cursors go together.
    let world =
        World::on(&disk_with(&[("MEMORY.md", MINE), (&journal(20), "- [user] what day 20 was like\n")]));
    let report = world.dream(night(21));
    let (id, dreamed) = (report.passes[0].dream_id.clone(), world.memory());
    assert_eq!(world.tellings(20), 1);
    assert!(world.undo(&id).unwrap());
    assert_eq!(world.memory(), MINE);
    let shown = &world.json(&StateName::LEDGER)["journals"][journal(20)]["shown"];
    assert_eq!(shown, &serde_json::json!([]));
    let mark = world.json(&StateName::DREAMED)["last_processed_mtime"].as_i64().unwrap();
    let modified = world.0.metadata(&name(&journal(20))).unwrap().unwrap().modified;
    assert!(mark < modified.timestamp_millis(), "a peer that goes by the watermark reads it again");
    assert_eq!(world.json(&StateName::LEDGER)["watermark"], mark, "and it is no peer's");

    let waiting = JournalName::parse(&name(&journal(20))).unwrap();
    let undreamed = Undreamed::among(world.0.as_ref(), [&waiting]).unwrap();
    assert!(undreamed.contains(&waiting), "it is not archived before it is dreamed again");

    // The same inputs have the same id: nothing takes it for done, nor its lines for removed by a person.
    let again = world.dream(night(22));
    assert_eq!((again.outcome, &again.passes[0].dream_id), (Outcome::Appended, &id));
    assert_eq!(world.memory(), dreamed.replace("Dreamed 2026-11-21", "Dreamed 2026-11-22"));
    let words: Vec<String> = world.log().into_iter().map(|(word, _)| word).collect();
    assert_eq!(words, ["appended", "undone", "appended"]);
    assert_eq!(world.dream(night(23)).outcome, Outcome::NothingNew);

    // Then the first is history: what is kept of it is no way back any more.
    assert!(!world.redo(&id).unwrap(), "a section of this dream stands");
    assert!(world.undo(&id).unwrap());
    assert_eq!(world.memory(), MINE);
}

#[test]
#[ignore = "sweep"]
fn what_was_undone_comes_back_in_the_same_bytes_with_the_same_cursors_in_any_order() {
    // BX-04: later dreams and the lines of a person between them stay where they are.
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut tried = 0;
    for out in ORDERS {
        for back in ORDERS {
            for count in 1..=3 {
                let (world, ids) = World::dreamed();
                let (memory, cursors) = (world.memory(), world.cursors());
                let taken = &out[..count];
                for at in taken {
                    assert!(world.undo(&ids[*at]).unwrap());
                    assert_eq!(world.tellings(DAYS[*at]), 0);
                }
                let stand = |at: usize| usize::from(!taken.contains(&at));
                for (at, day) in DAYS.into_iter().enumerate() {
                    assert_eq!(world.tellings(day), stand(at), "{out:?}");
                }
                if count == 3 {
                    let mine = "- Mine, after 18.\n- Mine, after 19.\n- Mine, after 20.\n";
                    assert_eq!(world.memory(), format!("{MINE}{mine}"));
                }
                for at in back.into_iter().filter(|at| taken.contains(at)) {
                    assert!(world.redo(&ids[at]).unwrap());
                }
                assert_eq!(world.memory(), memory, "{taken:?} back as {back:?}");
                assert_eq!(world.cursors(), cursors, "{taken:?} back as {back:?}");
                let kept = world.json(&StateName::UNDONE);
                assert_eq!(kept["dreams"], serde_json::json!([]), "nothing is kept any more");
                assert_eq!(world.dream(night(28)).outcome, Outcome::NothingNew);
                tried += 1;
            }
        }
    }
    println!("{tried} orders");
}

#[test]
fn undoing_and_redoing_twice_has_no_effect_the_second_time() {
    let (world, ids) = World::dreamed();
    let all = || (world.memory(), world.cursors(), world.log(), world.text_of(&StateName::UNDONE));
    assert!(!world.redo(&ids[1]).unwrap(), "it stands");
    assert!(world.undo(&ids[1]).unwrap());
    let undone = all();
    assert!(!world.undo(&ids[1]).unwrap());
    assert_eq!(all(), undone);
    assert!(world.redo(&ids[1]).unwrap());
    let redone = all();
    assert!(!world.redo(&ids[1]).unwrap());
    assert_eq!(all(), redone);
    let words: Vec<String> = world.log().into_iter().map(|(word, _)| word).collect();
    assert_eq!(words, ["appended", "appended", "appended", "undone", "redone"]);
}

#[test]
fn a_dreamer_says_what_became_of_each_dream() {
    let (world, ids) = World::dreamed();
    let told = || -> Vec<(DreamId, DreamStanding)> {
        let dreams = world.dreamer().dreams().unwrap();
        dreams.into_iter().map(|dream| (dream.id, dream.standing)).collect()
    };
    let [first, second, third] = [0, 1, 2].map(|at: usize| ids[at].clone());
    let whole = DreamStanding::Whole;
    assert_eq!(told(), [(third.clone(), whole), (second.clone(), whole), (first.clone(), whole)]);
    let newest = world.dreamer().dreams().unwrap().remove(0);
    assert_eq!(newest.to_string(), format!("dream {third} of {}: 1 line, stands in MEMORY.md", newest.day));

    assert!(world.undo(&second).unwrap());
    assert_eq!(told()[1], (second.clone(), DreamStanding::Undone));
    assert!(world.redo(&second).unwrap());
    assert_eq!(told()[1], (second.clone(), whole));

    let memory = world.memory();
    world.put("MEMORY.md", &memory.replace("Told: what day 19 was", "Told: how day 19 was"));
    assert_eq!(told()[1], (second.clone(), DreamStanding::Edited));
    world.put("MEMORY.md", MINE);
    assert_eq!(told()[1], (second.clone(), DreamStanding::Gone));

    world.put("MEMORY.md", &memory);
    assert!(!world.compact(1).archived.is_empty());
    assert_eq!(told()[2], (first, DreamStanding::Archived));
}

#[test]
fn an_undo_that_cannot_put_everything_back_says_what_stands_against_it() {
    let unchanged = |change: &dyn Fn(&World, &[DreamId]), at: usize| {
        let (world, ids) = World::dreamed();
        change(&world, &ids);
        let before = (world.memory(), world.cursors(), world.log());
        let refused = refusal(world.undo(&ids[at]));
        assert_eq!((world.memory(), world.cursors(), world.log()), before, "{refused:?}");
        refused
    };
    let edit = |from: &'static str, to: &'static str| {
        move |world: &World, _: &[DreamId]| world.put("MEMORY.md", &world.memory().replace(from, to))
    };
    let memory = "MEMORY.md".to_owned();
    let edited = unchanged(&edit("Told: what day 19 was", "Told: how day 19 was"), 1);
    assert_eq!(edited, (memory.clone(), Refusal::SectionEdited));
    let torn = unchanged(&edit("\n- Told: what day 19", "\n"), 1);
    assert_eq!(torn, (memory.clone(), Refusal::SectionEdited));
    // The line break before its heading ends their line then: to take it would join that line with the next.
    let closer = unchanged(&edit("- Mine, after 18.\n\n", "- Mine, after 18.\n"), 1);
    assert_eq!(closer, (memory.clone(), Refusal::SectionEdited));
    let (world, ids) = World::dreamed();
    world.put("MEMORY.md", MINE);
    let told = world.undo(&ids[1]).unwrap_err().to_string();
    assert_eq!(told, format!("dream {} cannot be taken back: the section is missing (MEMORY.md)", ids[1]));
    let gone = unchanged(&|world, _| world.put("MEMORY.md", MINE), 1);
    assert_eq!(gone, (memory, Refusal::SectionGone));

    let rewritten = unchanged(&|world, _| world.put(&journal(19), "- [user] what day 19 was not\n"), 1);
    assert_eq!(rewritten, (journal(19), Refusal::JournalChanged));
    let surveyed = |world: &World, _: &[DreamId]| {
        world.put(&journal(19), "- [user] what day 19 was not\n");
        world.dream(night(24));
        world.put(&journal(19), "- [user] what day 19 was like\n");
    };
    assert_eq!(unchanged(&surveyed, 1), (journal(19), Refusal::JournalChanged), "its cursor moved on");
    // It was once taken for the dream's own, since it is as long.
    let read_anew = |world: &World, _: &[DreamId]| {
        world.put(&journal(19), "- [user] what day 19 has been\n");
        world.dream(night(24));
    };
    assert_eq!(unchanged(&read_anew, 1), (journal(19), Refusal::JournalChanged), "another dream read it");
    // It was once said to have changed.
    let human = human();
    let given = |world: &World, _: &[DreamId]| {
        let given = world.dreamer().read_again(&human, &name(&journal(19)), &JournalSpan::Whole);
        assert!(given.unwrap() > 0);
    };
    assert_eq!(unchanged(&given, 1), (journal(19), Refusal::GivenBack));
    let removed = |world: &World, _: &[DreamId]| assert!(world.0.remove(&name(&journal(18))).unwrap());
    assert_eq!(unchanged(&removed, 0), (journal(18), Refusal::JournalGone));
    let unlogged = |world: &World, _: &[DreamId]| assert!(world.0.remove(&StateName::LOG).unwrap());
    let log = StateName::LOG.to_string();
    assert_eq!(unchanged(&unlogged, 0), (log, Refusal::UnknownDream));
    let by_peer = |world: &World, _: &[DreamId]| {
        let mark = format!("{{\"last_processed_mtime\":{}}}", night(27).timestamp_millis());
        world.0.write(&StateName::DREAMED, mark.as_bytes(), WriteMode::Replace).unwrap();
    };
    assert_eq!(unchanged(&by_peer, 2), (StateName::DREAMED.to_string(), Refusal::PeerAhead));

    // What grew below, or another journal, stands against nothing.
    let (world, ids) = World::dreamed();
    world.add(&journal(19), "- [user] and then\n");
    world.put(&journal(18), "- [user] all of it anew\n");
    assert!(world.undo(&ids[1]).unwrap());
    world.dream(night(24));
    assert_eq!(world.tellings(19), 1);
    assert_eq!(world.memory().matches("Told: and then").count(), 1);
}

#[test]
fn a_redo_that_cannot_put_everything_back_says_what_stands_against_it() {
    let refused = |change: &dyn Fn(&World, &DreamId)| {
        let (world, ids) = World::dreamed();
        assert!(world.undo(&ids[1]).unwrap());
        change(&world, &ids[1]);
        let before = (world.memory(), world.cursors(), world.log());
        let refused = refusal(world.redo(&ids[1]));
        assert_eq!((world.memory(), world.cursors(), world.log()), before, "{refused:?}");
        refused
    };
    let grown = |world: &World, _: &DreamId| {
        world.add(&journal(19), "- [user] and then\n");
        world.dream(night(26));
    };
    assert_eq!(refused(&grown), (journal(19), Refusal::ReadAgain), "with more below, by another dream");
    let rewritten = |world: &World, _: &DreamId| world.put(&journal(19), "- [user] what day 19 was not\n");
    assert_eq!(refused(&rewritten), (journal(19), Refusal::JournalChanged));
    let removed = |world: &World, _: &DreamId| assert!(world.0.remove(&name(&journal(19))).unwrap());
    assert_eq!(refused(&removed), (journal(19), Refusal::JournalGone));
    let lost = |world: &World, _: &DreamId| assert!(world.0.remove(&StateName::UNDONE).unwrap());
    assert_eq!(refused(&lost), (StateName::UNDONE.to_string(), Refusal::NothingKept));
    let part = |world: &World, id: &DreamId| {
        world.add("MEMORY.md", &format!("<!-- dream:v1 id={id} src=1 sha256=0 -->\n"));
    };
    assert_eq!(refused(&part), ("MEMORY.md".to_owned(), Refusal::SectionEdited));
    let (world, ids) = World::dreamed();
    world.put("MEMORY.md", MINE);
    assert!(world.0.remove(&StateName::UNDONE).unwrap(), "as where a person deleted it");
    assert_eq!(refusal(world.redo(&ids[0])), ("MEMORY.md".to_owned(), Refusal::SectionGone));
    let unknown = DreamId::parse("00000000000000ff").unwrap();
    assert_eq!(refusal(world.redo(&unknown)).1, Refusal::UnknownDream);
}

#[test]
fn a_section_whose_surroundings_were_edited_goes_back_behind_them_and_before_later_ones() {
    let (world, ids) = World::dreamed();
    world.undo(&ids[1]).unwrap();
    let edited =
        world.memory().replace("- Mine, after 18.\n", "- Anew.\n").replace("- Mine, after 19.\n", "- Too.\n");
    world.put("MEMORY.md", &edited);
    assert!(world.redo(&ids[1]).unwrap());
    let memory = world.memory();
    let at = |text: &str| memory.find(text).unwrap_or_else(|| panic!("{text} is gone\n{memory}"));
    assert!(at("day 18 was") < at("- Anew.") && at("- Too.") < at("day 19 was"));
    assert!(at("day 19 was") < at("day 20 was"));
    assert!(world.undo(&ids[1]).unwrap(), "and it stands whole");
    assert_eq!(world.memory(), edited);
}

#[test]
fn nobody_but_the_human_of_a_main_session_takes_a_dream_back() {
    let (world, ids) = World::dreamed();
    let before = (world.memory(), world.log());
    for kind in [SessionKind::Main, SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
        for actor in [Actor::Human, Actor::Agent, Actor::Library] {
            let access = Access::new(kind, actor, Scope::user("marta"));
            if (kind, actor) == (SessionKind::Main, Actor::Human) {
                continue;
            }
            let undone = world.dreamer().undo_dream(&access, &ids[0], night(25));
            assert!(matches!(undone, Err(Error::Denied { .. })), "{access:?}");
            let redone = world.dreamer().redo_dream(&access, &ids[0], night(25));
            assert!(matches!(redone, Err(Error::Denied { .. })), "{access:?}");
        }
    }
    let held = world.0.claim(&noctuary::workspace::ClaimTerms::default()).unwrap();
    assert!(matches!(world.undo(&ids[0]), Err(Error::Busy { .. })), "somebody dreams");
    drop(held);
    assert_eq!((world.memory(), world.log()), before);
}

#[test]
fn rows_go_and_come_back_with_their_dream() {
    // BX-04: the store follows the file, in the same call as after a dream.
    let (world, ids) = World::dreamed();
    let folder = tempfile::tempdir().unwrap();
    let scope = Scope::user("marta");
    let store = FileMemoryStore::open(folder.path(), scope.clone()).unwrap();
    let fed = || feed(world.0.as_ref(), &store, &scope, night(28)).unwrap();
    let rows = || -> Vec<String> {
        let rows = store.list(&human(), &Filter::limit(9)).unwrap();
        let mut rows: Vec<String> = rows.into_iter().map(|row| row.content).collect();
        rows.sort();
        rows
    };
    assert_eq!(fed().written, 3);
    let all = rows();
    world.undo(&ids[1]).unwrap();
    assert_eq!(fed().removed, 1);
    assert_eq!(rows().len(), 2);
    assert!(rows().iter().all(|row| !row.contains("day 19")), "{:?}", rows());
    world.redo(&ids[1]).unwrap();
    assert_eq!(fed().written, 1);
    assert_eq!(rows(), all);
    // What moves to the archive is remembered all the same.
    assert_eq!(world.compact(0).archived.len(), 3);
    let report = fed();
    assert_eq!((report.lines, report.removed, report.written), (3, 0, 0));
    assert_eq!(rows(), all);
}

#[test]
fn what_is_forgotten_does_not_come_back_with_a_dream() {
    let (world, ids) = World::dreamed();
    world.undo(&ids[1]).unwrap();
    assert!(world.text_of(&StateName::UNDONE).contains("day 19 was like"));
    let access = human();
    let forget = || Forget::new(&access, "what day 19 was like").workspace(world.0.as_ref());
    forget().run(night(26)).unwrap();
    assert_eq!(refusal(world.redo(&ids[1])).1, Refusal::Forgotten, "also where files were not touched");
    let receipt = forget().in_files(true).run(night(26)).unwrap();
    assert_eq!(receipt.left().count(), 0, "{receipt:?}");
    assert_eq!(world.text_of(&StateName::UNDONE).matches("day 19").count(), 0);
    assert_eq!(refusal(world.redo(&ids[1])).1, Refusal::NothingKept);
}

#[test]
fn the_oldest_sections_move_to_the_archive_until_memory_is_within_its_budget() {
    // BX-19, WS-17: only sections of ours, oldest first, and not a byte more than needed.
    let (world, ids) = World::dreamed();
    let (memory, cursors) = (world.memory(), world.cursors());
    let sizes: Vec<u64> = [0, 1, 2, 3]
        .into_iter()
        .map(|gone| {
            let (other, ids) = World::dreamed();
            ids[..gone].iter().for_each(|id| assert!(other.undo(id).unwrap()));
            other.memory().chars().count() as u64
        })
        .collect();
    assert_eq!(world.compact(sizes[0]).archived, [], "exactly full is within");
    let report = world.compact(sizes[1]);
    assert_eq!(report.archived, ids[..1]);
    assert_eq!(report.memory.unwrap().chars, sizes[1]);
    assert!(!report.notices.contains(&Notice::MemoryOverBudget));
    let report = world.compact(0);
    assert_eq!(report.archived, ids[1..]);
    assert!(report.notices.contains(&Notice::MemoryOverBudget), "what is left is a person's");
    let mine = "- Mine, after 18.\n- Mine, after 19.\n- Mine, after 20.\n";
    assert_eq!(world.memory(), format!("{MINE}{mine}"));
    assert_eq!(world.cursors(), cursors, "what was read was read");
    let archive = world.archive();
    assert!(archive.starts_with("# Dreamed earlier\n\n"));
    let moved = archive.split_once("oldest first, when that was over its budget.\n\n").unwrap().1;
    let sections = memory.replace(MINE, "").replace(mine, "");
    let sections =
        DAYS.iter().fold(sections, |text, day| text.replace(&format!("- Mine, after {day}.\n"), ""));
    assert_eq!(format!("\n{moved}"), sections, "as they stood");
    // The preimages are kept, for a person to look at.
    let editor = noctuary::life::Editor::new(world.0.as_ref(), human());
    let kept = editor.history(&DocName::MEMORY).unwrap();
    assert_eq!(kept.last().unwrap().1.bytes(), memory.as_bytes());

    // Clear answers, and no second promotion.
    let archived = (DocName::DREAMED.to_string(), Refusal::SectionArchived);
    assert_eq!(refusal(world.undo(&ids[0])), archived);
    assert_eq!(refusal(world.redo(&ids[0])), archived);
    assert_eq!(world.dream(night(28)).outcome, Outcome::NothingNew);
    assert!(world.dream(night(28)).notices.iter().all(|notice| !matches!(notice, Notice::SectionMissing(_))));
}

#[test]
fn a_dream_whose_section_is_archived_counts_as_done_also_where_the_ledger_is_lost() {
    let (world, ids) = World::dreamed();
    world.compact(0);
    for lost in [StateName::LEDGER, StateName::DREAMED, StateName::LOG] {
        world.0.remove(&lost).unwrap();
    }
    let (memory, archive) = (world.memory(), world.archive());
    let reports = drain(&world.dreamer(), &teller(), night(28));
    let outcomes: Vec<(Outcome, DreamId)> = reports
        .iter()
        .flat_map(|report| &report.passes)
        .map(|pass| (pass.outcome, pass.dream_id.clone()))
        .collect();
    let expected: Vec<_> = ids.into_iter().rev().map(|id| (Outcome::AlreadyPromoted, id)).collect();
    assert_eq!(outcomes, expected);
    assert_eq!((world.memory(), world.archive()), (memory, archive));
    assert_eq!(reports.iter().map(|report| report.calls).sum::<u32>(), 0, "nobody is asked");

    // Said again in another journal, a line that is in the archive is a duplicate.
    world.add("memory/2026-11-21-repl.md", "- [user] what day 19 was like\n");
    let report = world.dream(night(29));
    assert_eq!(report.outcome, Outcome::NothingToPromote);
    assert_eq!(report.passes[0].lines[0].fate, noctuary::dream::LineOutcome::Duplicate);
}

/// HB-11
#[test]
fn edited_sections_and_unknown_ones_stay_and_are_reported_over_budget() {
    let (world, ids) = World::dreamed();
    world.put(
        "MEMORY.md",
        &world.memory().replace("Told: what day 18 was", "Told (checked): what day 18 was"),
    );
    let foreign = "\n## Dreamed 2026-11-01\n<!-- dream:v1 id=aaaaaaaaaaaaaaaa src=1 sha256=0 -->\n\n- Theirs.\n\n<!-- /dream:v1 id=aaaaaaaaaaaaaaaa -->\n";
    world.add("MEMORY.md", foreign);
    let report = world.compact(0);
    assert_eq!(report.archived, ids[1..]);
    let memory = world.memory();
    assert!(memory.contains("Told (checked)") && memory.ends_with(foreign));
    assert!(report.notices.contains(&Notice::MemoryOverBudget));
    let (world, _) = World::dreamed();
    let memory = world.memory();
    let dreamer = dreamer_with(Arc::clone(&world.0), |config| config.memory_budget = 0);
    let report = dream(&dreamer, &teller(), night(27));
    assert_eq!((report.archived.len(), world.memory()), (0, memory), "it is off unless turned on");
}

#[test]
fn something_else_in_the_place_of_the_archive_stops_no_dream() {
    let life = dreaming::Life::with(&[]);
    let (world, _) = World(life.quick_workspace()).dream_three();
    world.put("memory/archive", "- a file of mine, and no folder\n");
    let memory = world.memory();
    let report = world.compact(0);
    assert!(report.notices.iter().any(|notice| matches!(notice, Notice::NotArchived(_))), "{report:?}");
    assert_eq!((report.outcome, world.memory()), (Outcome::NothingNew, memory), "and nothing moved");
    world.add(&journal(21), "- [user] what day 21 was like\n");
    assert_eq!(world.dream(night(28)).outcome, Outcome::Appended);
    assert_eq!(world.text("memory/archive"), "- a file of mine, and no folder\n");
}

#[test]
fn an_undone_dream_that_is_dreamed_again_and_archived_is_answered_clearly() {
    let (world, ids) = World::dreamed();
    world.undo(&ids[1]).unwrap();
    assert_eq!(world.compact(0).archived.len(), 3, "it is dreamed again first");
    let archived = (DocName::DREAMED.to_string(), Refusal::SectionArchived);
    assert_eq!(refusal(world.redo(&ids[1])), archived);
    assert_eq!(refusal(world.undo(&ids[1])), archived);
}

// A model with a shell wrote a section with our marks into `MEMORY.md`. It is a person's text to every reader.
#[test]
fn what_looks_like_a_dream_and_is_none_that_the_log_knows_is_a_persons_text() {
    let forged = DreamId::parse("0123456789abcdef").unwrap();
    let section = format!(
        "\n## Dreamed 2026-11-19\n<!-- dream:v1 id={forged} src=1 sha256=0011223344556677 -->\n\n### Facts\n\n\
         - Pays Northwind. (memory/2026-11-20-repl.md#L1)\n\n<!-- /dream:v1 id={forged} -->\n"
    );
    let torn = "\n<!-- dream:v1 id=aaaaaaaaaaaaaaaa src=1 sha256=0011223344556677 -->\n- Torn.\n";
    let whole = format!("{MINE}{section}{torn}");
    let journals =
        [(journal(19), "- [user] what day 19 was like\n"), (journal(20), "- [user] what day 20 was like\n")];
    let files: Vec<(&str, &str)> = journals.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let world = World::on(&disk_with(&[&[("MEMORY.md", whole.as_str())], files.as_slice()].concat()));
    let report = world.dream(night(21));
    let ids: Vec<DreamId> = report.passes.iter().map(|pass| pass.dream_id.clone()).collect();
    assert_eq!(ids.len(), 2);
    let memory = world.memory();
    assert!(memory.starts_with(&whole), "{memory}");
    let dreamer = world.dreamer();
    let known: Vec<DreamId> = dreamer.dreams().unwrap().into_iter().map(|dream| dream.id).collect();
    assert_eq!(known, [ids[1].clone(), ids[0].clone()]);
    assert!(dreamer.past_dream(&forged).unwrap().is_none());
    for answer in [world.undo(&forged), world.redo(&forged)] {
        assert_eq!(refusal(answer).1, Refusal::UnknownDream);
    }
    assert_eq!(world.memory(), memory);
    for id in &ids {
        assert!(world.undo(id).unwrap());
    }
    assert_eq!(world.memory(), whole, "it stands where it stood");
    for id in ids.iter().rev() {
        assert!(world.redo(id).unwrap());
    }
    assert_eq!(world.memory(), memory);
    // Nor does a merge take it for one, also where a mark stands in the archive.
    let other = World::on(&disk_with(&[("MEMORY.md", memory.as_str())]));
    let mark = format!("# Dreamed earlier\n\n<!-- dream:v1 id={} src=1 -->\n", ids[0]);
    world.put("memory/dreamed.md", &mark);
    let plan = noctuary::exchange::Merge::new(world.0.as_ref(), other.0.as_ref()).plan().unwrap();
    let out = World::on(&disk_with(&[]));
    plan.write(out.0.as_ref()).unwrap();
    for section in [section.trim(), "- Told: what day 19 was like.", "- Told: what day 20 was like."] {
        assert_eq!(out.memory().matches(section).count(), 1, "{section}: {}", out.memory());
    }
}
