//! Every operation of an undo, a redo and a compaction fails once, with an error and with a crash, and the recovery too:
//! then the dream is as it was or as it was to be, and doing it again ends as if nothing had happened.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io;
use std::sync::Arc;

use noctuary::format::DreamId;
use noctuary::testing::{CrashOutcome, Fault, Faults, FaultyDisk, FaultyWorkspace, MemoryDisk, PowerLoss};
use noctuary::workspace::{Refusal, StateName};
use noctuary::{DocName, Error, FileWorkspace};

use noctuary_tests::dreaming::disk_with;
use noctuary_tests::dreaming::world::{DAYS, MINE, World};

/// The actions on dreams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Undo,
    Redo,
    Compact,
}

const VERBS: [Verb; 3] = [Verb::Undo, Verb::Redo, Verb::Compact];
const FAULTS: [Fault; 3] =
    [Fault::Crash, Fault::Error(io::ErrorKind::StorageFull), Fault::Error(io::ErrorKind::PermissionDenied)];

impl Verb {
    /// Three dreams, and what the verb needs.
    fn prepare(self, world: World) -> (World, Vec<DreamId>) {
        let (world, ids) = world.dream_three();
        if self == Self::Redo {
            world.undo(&ids[0]).unwrap();
            world.undo(&ids[1]).unwrap();
        }
        (world, ids)
    }

    /// Does it. The compaction moves all three sections.
    fn act(self, world: &World, ids: &[DreamId]) -> Result<(), Error> {
        match self {
            Self::Undo => world.undo(&ids[1]).map(drop),
            Self::Redo => world.redo(&ids[1]).map(drop),
            Self::Compact => match world.try_compact(0)? {
                report if report.notices.iter().any(|told| format!("{told:?}").contains("NotArchived")) => {
                    Err(Error::Busy { path: "the archive".to_owned() })
                }
                _ => Ok(()),
            },
        }
    }
}

/// Finishes what was left half done, and nothing else: a dream of which nobody knows is brought back.
fn recover(world: &World) -> Result<(), Error> {
    match world.redo(&DreamId::parse("00000000000000ff").unwrap()) {
        Err(Error::DreamStays { reason: Refusal::UnknownDream, .. }) => Ok(()),
        other => other.map(drop),
    }
}

/// All that must be the same whatever happened on the way: documents, cursors, and what the log says.
type Picture = (String, String, serde_json::Value, Vec<(String, String)>, Vec<String>);

fn picture(world: &World) -> Picture {
    let undone = world.json(&StateName::UNDONE);
    let kept = undone["dreams"].as_array().into_iter().flatten();
    let kept = kept.map(|dream| format!("{} {}", dream["id"], dream["section"])).collect();
    (world.memory(), without_holes(&world.archive()), world.cursors(), world.log(), kept)
}

/// Zeros that a power loss left in the archive stay, since nobody but a person takes anything out of it; then the
/// section stands whole below.
fn without_holes(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_matches('\0')).filter(|line| !line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

/// Returns the states between the beginning and the end of an action, each step whole.
fn pictures(verb: Verb, begin: &dyn Fn() -> World) -> (Vec<Picture>, Vec<DreamId>) {
    let (world, ids) = verb.prepare(begin());
    let mut all = vec![picture(&world)];
    if verb == Verb::Compact {
        for _ in 0..2 {
            let budget = world.memory().chars().count() as u64 - 1;
            assert_eq!(world.compact(budget).archived.len(), 1);
            all.push(picture(&world));
        }
    }
    verb.act(&world, &ids).unwrap();
    all.push(picture(&world));
    (all, ids)
}

/// Checks the promises that hold at any moment, also before a recovery.
fn check_torn(world: &World, all: &[Picture], ids: &[DreamId], place: &str) {
    let memory = world.memory();
    assert!(all.iter().any(|(known, ..)| *known == memory), "{place}: it was never to look so\n{memory}");
    let (archive, kept) = (world.archive(), world.text_of(&StateName::UNDONE));
    for id in ids {
        let stands = |text: &str| text.contains(&format!("<!-- /dream:v1 id={id} -->"));
        let some = stands(&memory) || stands(&archive) || stands(&kept);
        assert!(some, "{place}: {id} is lost");
    }
}

/// Checks a world after a fault: what it is now, what a recovery makes of it, and what the verb does then.
fn check(verb: Verb, world: &World, all: &[Picture], ids: &[DreamId], place: &str) {
    check_torn(world, all, ids, place);
    recover(world).unwrap_or_else(|error| panic!("{place}: {error:?}"));
    let now = picture(world);
    assert!(all.contains(&now), "{place}: neither before nor after\n{now:#?}\n{all:#?}");
    assert_eq!(world.text_of(&StateName::INTENT), "", "{place}: something is under way");
    verb.act(world, ids).unwrap_or_else(|error| panic!("{place}: {error:?}"));
    assert_eq!(Some(&picture(world)), all.last(), "{place}: it is not done");
    verb.act(world, ids).unwrap();
    assert_eq!(Some(&picture(world)), all.last(), "{place}: it is done twice");
}

fn fresh_disk() -> MemoryDisk {
    disk_with(&[("MEMORY.md", MINE)])
}

/// A disk on which a verb is about to be done, and a copy of it for each that asks.
fn begun(verb: Verb) -> (MemoryDisk, Vec<DreamId>) {
    let disk = fresh_disk();
    let (_, ids) = verb.prepare(World::on(&disk));
    (disk, ids)
}

fn copy(disk: &MemoryDisk) -> MemoryDisk {
    disk.after_kill(disk.operations().len())
}

/// Does a verb over faults; returns the operations that were seen.
fn act_over(
    workspace: &dyn Fn(&Faults) -> World,
    verb: Verb,
    ids: &[DreamId],
    fault: Option<(u64, Fault)>,
) -> Vec<String> {
    let faults = Faults::new();
    if let Some((at, fault)) = fault {
        faults.arm(at, fault);
    }
    // It may end in an error or in another way to end: what counts is what the next finds.
    let done = verb.act(&workspace(&faults), ids);
    assert!(fault.is_some() || done.is_ok(), "{done:?}");
    faults.seen()
}

fn over_verbs(disk: &MemoryDisk) -> impl Fn(&Faults) -> World + use<> {
    let world = World::on(disk);
    move |faults| World(Arc::new(FaultyWorkspace::new(Arc::clone(&world.0), faults.clone())))
}

fn over_disk(disk: &MemoryDisk) -> impl Fn(&Faults) -> World + use<> {
    let disk = disk.clone();
    move |faults| {
        let disk = FaultyDisk::new(Arc::new(disk.clone()), faults.clone());
        World(Arc::new(FileWorkspace::on_disk(Arc::new(disk))))
    }
}

/// Fails each operation in turn, and checks what is left.
fn sweep<F: Fn(&Faults) -> World>(verb: Verb, layer: &str, over: impl Fn(&MemoryDisk) -> F) {
    let (all, _) = pictures(verb, &|| World::on(&fresh_disk()));
    let (disk, ids) = begun(verb);
    let operations = act_over(&over(&copy(&disk)), verb, &ids, None);
    let mut states = 0;
    for (at, operation) in (1..).zip(&operations) {
        for fault in FAULTS {
            let disk = copy(&disk);
            act_over(&over(&disk), verb, &ids, Some((at, fault)));
            let place = format!("{verb:?}, {layer}, {fault:?} at {at}: {operation}");
            check(verb, &World::on(&disk), &all, &ids, &place);
            states += 1;
        }
    }
    println!("{verb:?}, {layer}: {} operations, {states} states", operations.len());
}

#[test]
#[ignore = "sweep"]
fn an_undo_a_redo_and_a_compaction_that_fail_anywhere_are_done_whole_or_not_at_all() {
    // BX-04, BX-19: 0 lost, 0 doubled, 0 torn.
    for verb in VERBS {
        sweep(verb, "workspace", over_verbs);
        sweep(verb, "disk", over_disk);
    }
}

#[test]
#[ignore = "sweep"]
fn a_crash_in_the_recovery_of_any_of_them_loses_and_doubles_nothing() {
    let step = if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 1 } else { 3 };
    for verb in VERBS {
        let (all, _) = pictures(verb, &|| World::on(&fresh_disk()));
        let (disk, ids) = begun(verb);
        let operations = act_over(&over_verbs(&copy(&disk)), verb, &ids, None);
        let mut states = 0;
        for (at, operation) in (1..).zip(&operations) {
            let crashed = copy(&disk);
            act_over(&over_verbs(&crashed), verb, &ids, Some((at, Fault::Crash)));
            for again in (1..).step_by(step) {
                let disk = copy(&crashed);
                let faults = Faults::new();
                faults.arm(again, Fault::Crash);
                let _ = recover(&over_verbs(&disk)(&faults));
                let place = format!(
                    "{verb:?}, crash at {at}: {operation}, and at {again}: {:?}",
                    faults.seen().last()
                );
                let is_over = faults.seen().len() < usize::try_from(again).unwrap();
                check(verb, &World::on(&disk), &all, &ids, &place);
                states += 1;
                if is_over {
                    break;
                }
            }
        }
        println!("{verb:?}, crash twice: {states} states");
    }
}

/// Gives every operation that was not durable this fate where it can have it; the others are lost.
fn all_of(loss: &PowerLoss, wanted: CrashOutcome) -> Vec<CrashOutcome> {
    let choices = loss.choices();
    choices.iter().map(|fates| if fates.contains(&wanted) { wanted } else { CrashOutcome::Lost }).collect()
}

#[test]
#[ignore = "sweep"]
fn a_power_loss_in_any_of_them_loses_and_doubles_nothing() {
    let mut states = 0;
    for verb in VERBS {
        let (all, _) = pictures(verb, &|| World::on(&fresh_disk()));
        let (disk, ids) = begun(verb);
        let from = disk.operations().len();
        verb.act(&World::on(&disk), &ids).unwrap();
        for cut in from..=disk.operations().len() {
            let loss = disk.power_loss(cut);
            let all_of = |wanted: CrashOutcome| all_of(&loss, wanted);
            let mut images = vec![
                all_of(CrashOutcome::Lost),
                all_of(CrashOutcome::Kept),
                all_of(CrashOutcome::Torn),
                all_of(CrashOutcome::Zeroed),
            ];
            for at in 0..loss.choices().len() {
                // One alone is there, or one alone is missing.
                for (one, others) in
                    [(CrashOutcome::Kept, CrashOutcome::Lost), (CrashOutcome::Lost, CrashOutcome::Kept)]
                {
                    let mut image = all_of(others);
                    image[at] = one;
                    images.push(image);
                }
            }
            images.dedup();
            for image in images {
                let left = loss.image(&image);
                let place = format!(
                    "{verb:?}, power lost after {cut}: {:?}, {image:?}",
                    disk.operations()[..cut].last()
                );
                check(verb, &World::on(&left), &all, &ids, &place);
                states += 1;
            }
        }
    }
    println!("power loss: {states} states");
}

#[test]
#[ignore = "sweep"]
fn a_power_loss_in_the_recovery_of_a_kill_loses_and_doubles_nothing() {
    // What a killed process left in the cache alone is durable before anything is built on it.
    let step = if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 1 } else { 4 };
    let mut states = 0;
    for verb in VERBS {
        let (all, _) = pictures(verb, &|| World::on(&fresh_disk()));
        let (disk, ids) = begun(verb);
        let from = disk.operations().len();
        verb.act(&World::on(&disk), &ids).unwrap();
        for kill in (from..=disk.operations().len()).step_by(step) {
            let killed = disk.after_kill(kill);
            recover(&World::on(&killed)).unwrap();
            for cut in kill..=killed.operations().len() {
                let left = killed.power_loss(cut).image(&[]);
                let place = format!("{verb:?}, killed after {kill}, power lost after {cut}");
                check(verb, &World::on(&left), &all, &ids, &place);
                states += 1;
            }
        }
    }
    println!("power loss in the recovery of a kill: {states} states");
}

#[test]
fn an_intent_that_a_killed_run_left_in_the_cache_is_durable_before_a_section_is_archived() {
    // A power loss took the intent back, and left half of the section that was appended from it to the archive. No step
    // between the two syncs the folder of the intent: only the recovery itself does.
    let verb = Verb::Compact;
    let (all, _) = pictures(verb, &|| World::on(&fresh_disk()));
    let (disk, ids) = begun(verb);
    let from = disk.operations().len();
    verb.act(&World::on(&disk), &ids).unwrap();
    let after = |disk: &MemoryDisk, from: usize, end: &str| {
        let operations = disk.operations();
        let at = operations.iter().skip(from).position(|known| known.ends_with(end));
        from + at.unwrap_or_else(|| panic!("no {end} in {operations:?}")) + 1
    };
    let kill = after(&disk, from, "to .dreaming.d/intent.json");
    let killed = disk.after_kill(kill);
    recover(&World::on(&killed)).unwrap();
    let appended = after(&killed, kill, &format!("bytes to {}", DocName::DREAMED));
    let loss = killed.power_loss(appended);
    let left = World::on(&loss.image(&all_of(&loss, CrashOutcome::Torn)));
    assert!(!left.archive().is_empty(), "half of it is there");
    check(verb, &left, &all, &ids, "killed with its intent, power lost in the recovery");
}

#[test]
#[ignore = "sweep"]
fn an_edit_after_a_crash_anywhere_stands_and_a_section_that_is_a_persons_by_then_stays() {
    let mut states = 0;
    for verb in VERBS {
        let (disk, ids) = begun(verb);
        let operations = act_over(&over_verbs(&copy(&disk)), verb, &ids, None);
        for (at, operation) in (1..).zip(&operations) {
            let place = format!("{verb:?}, edited after a crash at {at}: {operation}");
            for edit in ["above", "below", "inside"] {
                let disk = copy(&disk);
                act_over(&over_verbs(&disk), verb, &ids, Some((at, Fault::Crash)));
                let world = World::on(&disk);
                let memory = world.memory();
                let edited = match edit {
                    "above" => format!("- Mine, on top.\n{memory}"),
                    "below" => format!("{memory}- Mine, below.\n"),
                    _ => memory.replace("Told: what day", "Told by me: what day"),
                };
                world.put("MEMORY.md", &edited);
                recover(&world).unwrap();
                let after = world.memory();
                let people = |text: &str| -> Vec<String> {
                    text.lines()
                        .filter(|line| line.contains("Mine") || line.contains("by me"))
                        .map(str::to_owned)
                        .collect()
                };
                assert_eq!(people(&after), people(&edited), "{place}, {edit}");
                for id in &ids {
                    let marks = |mark: &str| after.matches(&format!("<!-- {mark}dream:v1 id={id}")).count();
                    assert_eq!(marks(""), marks("/"), "{place}, {edit}: torn\n{after}");
                    assert!(marks("") <= 1, "{place}, {edit}: doubled\n{after}");
                }
                assert_eq!(world.text_of(&StateName::INTENT), "", "{place}, {edit}");
                // Every line is shown or waits: the next night brings what is not there.
                world.dream(noctuary_tests::dreaming::night(28));
                for day in DAYS {
                    let told = format!("what day {day} was like");
                    let stand =
                        world.memory().matches(&told).count() + world.archive().matches(&told).count();
                    let is_undone = world.text_of(&StateName::UNDONE).contains(&told);
                    assert!(
                        stand >= 1,
                        "{place}, {edit}: day {day} is lost, {is_undone}\n{}",
                        world.memory()
                    );
                }
                states += 1;
            }
        }
    }
    println!("edited after a crash: {states} states");
}

#[test]
#[ignore = "sweep"]
fn in_a_database_too_they_are_done_whole_or_not_at_all() {
    use noctuary::workspace::WorkspaceExt;
    use noctuary::{DocName, Scope, SqliteWorkspace, Workspace, WriteMode};

    let open = |folder: &tempfile::TempDir| -> World {
        World(Arc::new(SqliteWorkspace::open(folder.path().join("life.db"), Scope::user("marta")).unwrap()))
    };
    let begin = |folder: &tempfile::TempDir| {
        let world = open(folder);
        world.0.write(&DocName::MEMORY, MINE.as_bytes(), WriteMode::Create).unwrap();
        world
    };
    let every = if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 1 } else { 2 };
    for verb in VERBS {
        let master = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let (world, ids) = verb.prepare(begin(&master));
        assert!(world.0.read_text(&DocName::MEMORY).unwrap().is_some());
        drop(world);
        let copy = || {
            let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
            for entry in std::fs::read_dir(master.path()).unwrap() {
                let entry = entry.unwrap();
                std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
            }
            folder
        };
        let mut all = {
            let folder = copy();
            let world = open(&folder);
            let mut all = vec![picture(&world)];
            while verb == Verb::Compact && world.memory().contains("Told") {
                let budget = world.memory().chars().count() as u64 - 1;
                world.compact(budget);
                all.push(picture(&world));
            }
            verb.act(&world, &ids).unwrap();
            all.push(picture(&world));
            all
        };
        all.dedup();
        let over = |folder: &tempfile::TempDir, faults: &Faults| {
            World(Arc::new(FaultyWorkspace::new(open(folder).0, faults.clone())))
        };
        let folder = copy();
        let operations = act_over(&|faults| over(&folder, faults), verb, &ids, None);
        let mut states = 0;
        for (at, operation) in (1..).zip(&operations).step_by(every) {
            for fault in FAULTS {
                let folder = copy();
                act_over(&|faults| over(&folder, faults), verb, &ids, Some((at, fault)));
                let place = format!("{verb:?}, database, {fault:?} at {at}: {operation}");
                check(verb, &open(&folder), &all, &ids, &place);
                states += 1;
            }
            // And once more in the recovery.
            for again in (1..40).step_by(7) {
                let folder = copy();
                act_over(&|faults| over(&folder, faults), verb, &ids, Some((at, Fault::Crash)));
                let faults = Faults::new();
                faults.arm(again, Fault::Crash);
                let _ = recover(&over(&folder, &faults));
                let place = format!("{verb:?}, database, crash at {at}: {operation}, and at {again}");
                check(verb, &open(&folder), &all, &ids, &place);
                states += 1;
                if faults.seen().len() < usize::try_from(again).unwrap() {
                    break;
                }
            }
        }
        println!("{verb:?}, database: {} operations, {states} states", operations.len());
    }
}
