//! Lines that a merge lost: each history here ended with a line that nobody took out in no memory at all.

use noctuary::exchange::{Forget, Merge, merge_copies};
use noctuary::format::{DreamId, JournalName};
use noctuary::life::Consent;
use noctuary::{LifeConfig, LlmClient, LlmReply, LlmRequest, llm_fn};

use noctuary_tests::dreaming::world::human;
use noctuary_tests::dreaming::{Life, dream, dreamer_over, journal, name, night, seen};

const ALMA: &str = "Alma keeps the harbour keys.";
const BORIS: &str = "Boris sails on Tuesdays.";
const CARLA: &str = "Carla paints the hull in May.";

/// Promotes each decision that it is shown, word for word.
fn model() -> impl LlmClient {
    llm_fn(|request: &LlmRequest| {
        let told = seen(request).into_iter().filter_map(|line| {
            let (_, said) = line.text.split_once("[user] Decision: ")?;
            Some(format!("- {said} ({}#L{})", line.journal, line.number))
        });
        let told: Vec<String> = told.collect();
        Ok(LlmReply::new(if told.is_empty() { "NOTHING_TO_PROMOTE".to_owned() } else { told.join("\n") }))
    })
}

fn said(hour: u32, words: &str) -> String {
    format!("- [{hour:02}:00:00] [user] Decision: {words}\n")
}

/// Dreams, and returns the ids of the dreams that appended.
fn dreams(life: &Life, day: u32) -> Vec<DreamId> {
    let report = dream(&dreamer_over(life.quick_workspace(), |_| {}), &model(), night(day));
    report.passes.into_iter().map(|pass| pass.dream_id).collect()
}

fn undo(life: &Life, id: &DreamId) -> bool {
    undo_of(life, id).unwrap()
}

fn undo_of(life: &Life, id: &DreamId) -> noctuary::Result<bool> {
    dreamer_over(life.quick_workspace(), |_| {}).undo_dream(&human(), id, night(22))
}

fn redo(life: &Life, id: &DreamId) -> bool {
    dreamer_over(life.quick_workspace(), |_| {}).redo_dream(&human(), id, night(23)).unwrap()
}

fn forget(life: &Life, words: &str, in_files: bool) {
    let workspace = life.quick_workspace();
    Forget::new(&human(), words).in_files(in_files).workspace(workspace.as_ref()).run(night(22)).unwrap();
}

fn waits(life: &Life) -> u64 {
    dreamer_over(life.quick_workspace(), |_| {}).survey(night(24)).unwrap().backlog.bytes
}

fn times(life: &Life, words: &str) -> usize {
    life.memory().matches(words).count()
}

/// Merges in each way and both orders, and looks at each result.
fn each_merge(base: &Life, one: &Life, other: &Life, look: impl Fn(&Life, &str)) {
    let [base, one, other] = [base, one, other].map(Life::quick_workspace);
    let merge = Merge::new(one.as_ref(), other.as_ref());
    let swapped = Merge::new(other.as_ref(), one.as_ref());
    let plans = [
        ("with a base", merge.base(base.as_ref()).plan()),
        ("swapped", swapped.base(base.as_ref()).plan()),
        ("without", Merge::new(one.as_ref(), other.as_ref()).plan()),
        ("by file", Merge::new(one.as_ref(), other.as_ref()).base(base.as_ref()).by_file(true).plan()),
    ];
    for (how, plan) in plans {
        let out = Life::empty();
        plan.unwrap().write(out.quick_workspace().as_ref()).unwrap();
        look(&out, how);
    }
}

/// A piece of an undone dream was known by its old hash in the log and by its new one in the ledger, so that nobody had shown it and
/// nothing of it waited.
#[test]
fn a_line_beside_a_forgotten_one_comes_back_with_its_undone_journal() {
    let a = Life::with(&[(20, &(said(9, ALMA) + &said(10, BORIS)))]);
    let id = dreams(&a, 21).remove(0);
    let (b, base) = (a.copy(), a.copy());
    assert!(undo(&b, &id));
    forget(&b, ALMA, true);
    a.add(&journal(20), "- [11:00:00] [user] another line\n");
    each_merge(&base, &a, &b, |out, how| {
        assert_eq!((times(out, BORIS), out.text(&journal(20)).matches(ALMA).count()), (0, 0), "{how}");
        dreams(out, 23);
        assert_eq!((times(out, BORIS), times(out, ALMA)), (1, 0), "{how}");
    });
}

/// On one machine too a dream could neither be taken back nor brought back once another line of its journal was forgotten.
#[test]
fn a_dream_is_taken_back_and_brought_back_after_another_line_of_its_journal_was_forgotten() {
    let forgotten = "- [08:00:00] [user] my landlord is Jan Kowalski\n";
    let life = Life::with(&[(20, &(forgotten.to_owned() + &said(10, BORIS)))]);
    let id = dreams(&life, 21).remove(0);
    forget(&life, "my landlord is Jan Kowalski", true);
    assert_eq!(waits(&life), 0, "what was overwritten is not shown again");
    assert!(undo(&life, &id) && times(&life, BORIS) == 0 && waits(&life) > 0);
    forget(&life, "[08:00:00] [user]", true);
    assert!(redo(&life, &id));
    assert_eq!((times(&life, BORIS), waits(&life)), (1, 0));
}

/// A line of the section itself was overwritten: it is a section still, and is taken back.
#[test]
fn a_dream_is_taken_back_after_a_line_of_its_section_was_forgotten() {
    let life = Life::with(&[(20, &(said(9, ALMA) + &said(10, BORIS)))]);
    let id = dreams(&life, 21).remove(0);
    forget(&life, ALMA, true);
    assert_eq!((times(&life, ALMA), times(&life, BORIS)), (0, 1));
    assert!(undo(&life, &id));
    dreams(&life, 23);
    assert_eq!((times(&life, ALMA), times(&life, BORIS)), (0, 1));
}

/// The dream that was taken back got the journal, because it was earlier: the journal was shown once more, and a later undo of the dream
/// that stands lost its line.
#[test]
fn a_journal_of_an_undone_dream_belongs_to_the_dream_that_read_it_again() {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    let first = dreams(&a, 21).remove(0);
    let (b, base) = (a.copy(), a.copy());
    assert!(undo(&a, &first));
    a.put(&journal(19), said(9, BORIS));
    let second = dreams(&a, 22).remove(0);
    assert_ne!(first, second);
    b.put(&journal(20), said(9, CARLA));
    each_merge(&base, &a, &b, |out, how| {
        assert_eq!((times(out, ALMA), times(out, BORIS)), (1, 1), "{how}");
        assert_eq!(waits(out), said(9, CARLA).len() as u64, "{how}: nothing is shown and paid for twice");
        dreams(out, 23);
        assert!(undo(out, &second), "{how}");
        assert_eq!((times(out, ALMA), times(out, BORIS), times(out, CARLA)), (0, 0, 1), "{how}");
        dreams(out, 24);
        assert_eq!((times(out, ALMA), times(out, BORIS), times(out, CARLA)), (1, 1, 1), "{how}");
    });
}

/// A dream that read it again and kept nothing of it has read it too.
#[test]
fn a_journal_that_was_read_again_for_nothing_does_not_wait() {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    let first = dreams(&a, 21).remove(0);
    let (b, base) = (a.copy(), a.copy());
    assert!(undo(&a, &first));
    let nothing = llm_fn(|_| Ok(LlmReply::new("NOTHING_TO_PROMOTE")));
    dream(&dreamer_over(a.quick_workspace(), |_| {}), &nothing, night(22));
    assert_eq!(waits(&a), 0);
    b.put(&journal(20), said(9, CARLA));
    each_merge(&base, &a, &b, |out, how| {
        assert_eq!(waits(out), said(9, CARLA).len() as u64, "{how}");
    });
}

/// Two machines with a journal of their own lines each, one dream each.
fn two() -> ([Life; 2], [DreamId; 2]) {
    let a = Life::with(&[(19, &said(9, ALMA))]);
    dreams(&a, 20);
    let b = a.copy();
    a.add(&journal(19), said(10, BORIS));
    b.add(&journal(19), said(11, CARLA));
    let ids = [dreams(&a, 21).remove(0), dreams(&b, 21).remove(0)];
    ([a, b], ids)
}

/// The folder of one machine with conflict copies, where each file has another winner: those of `mine` are of this machine.
fn mixed(lives: &[Life; 2], mine: impl Fn(&str) -> bool) -> Life {
    let out = Life::empty();
    for (path, bytes) in lives[0].tree().into_iter().filter(|(path, _)| !path.ends_with('/')) {
        let there = lives[1].has(&path).then(|| lives[1].bytes(&path));
        let (here, copy) = match there {
            Some(there) if there != bytes => {
                if mine(&path) {
                    (bytes, Some(there))
                } else {
                    (there, Some(bytes))
                }
            }
            _ => (bytes, None),
        };
        let is_local = path.ends_with("guard") || path == ".dreaming.lock";
        out.put(&path, here);
        if let Some(copy) = copy.filter(|_| !is_local) {
            let (stem, end) = path.rsplit_once('.').unwrap();
            out.put(&format!("{stem}.sync-conflict-20261121-091500-ABCDEFG.{end}"), copy);
        }
    }
    out
}

/// The journal of one machine lay beside the ledger and the log of the other: each piece fitted only the other copy of the journal and was
/// thrown away, so that both dreams had read nothing.
#[test]
fn winners_that_differ_by_file_lose_no_piece() {
    let (lives, ids) = two();
    let [ledger, log] = ["ledger", "log"];
    let mixes: [&[&str]; 6] =
        [&["memory/"], &[ledger, log], &["memory/", ledger], &[log], &[ledger], &["memory/", log, "MEMORY"]];
    for mix in mixes {
        for undone in [&[0, 1][..], &[1, 0], &[0], &[1]] {
            let out = mixed(&lives, |path| mix.iter().any(|part| path.contains(part)));
            merge_copies(out.quick_workspace().as_ref()).unwrap();
            assert_eq!(waits(&out), 0, "{mix:?}: what was shown on either machine is not shown again");
            for at in undone {
                assert!(undo(&out, &ids[*at]), "{mix:?}");
            }
            for (at, words) in [(0, BORIS), (1, CARLA)] {
                assert_eq!(times(&out, words), usize::from(!undone.contains(&at)), "{mix:?} {undone:?}");
            }
            dreams(&out, 24);
            for words in [ALMA, BORIS, CARLA] {
                assert_eq!(times(&out, words), 1, "{mix:?} {undone:?}: {words}");
            }
        }
    }
}

/// A journal that neither copy has as it was shown: the dreams that read it are not taken back for nothing.
#[test]
fn a_dream_whose_journal_is_nowhere_as_it_was_shown_stays() {
    let (a, b) = (Life::with(&[(20, &(said(9, ALMA) + &said(10, BORIS)))]), Life::empty());
    let id = dreams(&a, 21).remove(0);
    drop(b);
    let b = a.copy();
    a.put(&journal(20), said(9, ALMA) + &said(10, BORIS) + &said(11, "Dora mends nets."));
    b.put(&journal(20), said(8, CARLA) + &said(10, BORIS));
    a.put(&journal(20), said(9, ALMA) + &said(12, BORIS));
    let out = Life::empty();
    let plan = Merge::new(a.quick_workspace().as_ref(), b.quick_workspace().as_ref()).plan().unwrap();
    plan.write(out.quick_workspace().as_ref()).unwrap();
    dreams(&out, 23);
    let refused = dreamer_over(out.quick_workspace(), |_| {}).undo_dream(&human(), &id, night(24));
    assert!(matches!(refused, Err(noctuary::Error::DreamStays { .. })), "{refused:?}");
    assert_eq!((times(&out, ALMA), times(&out, BORIS)), (1, 1));
}

/// Any `[forgotten]` in any document of a machine had all that it ever forgot overwritten in the journals of the other.
#[test]
fn a_forget_that_asks_for_no_files_touches_none_of_the_other_machine() {
    for typed in ["Ask before you write [forgotten] anywhere.\n", "Nothing of note.\n"] {
        let a = Life::empty();
        a.put("TOOLS.md", typed);
        a.put("MEMORY.md", "# Memory\n");
        let (b, base) = (a.copy(), a.copy());
        let text = said(9, ALMA) + &said(10, BORIS);
        b.put(&journal(20), &text);
        forget(&a, ALMA, false);
        a.put(&journal(19), said(9, CARLA));
        each_merge(&base, &a, &b, |out, how| {
            assert_eq!(out.text(&journal(20)), text, "{how}");
        });
    }
    // Another statement of that machine was overwritten, this one was not.
    let a = Life::with(&[(19, &said(9, CARLA))]);
    let (b, base) = (a.copy(), a.copy());
    let text = said(9, ALMA) + &said(10, BORIS);
    b.put(&journal(20), &text);
    forget(&a, CARLA, true);
    forget(&a, ALMA, false);
    each_merge(&base, &a, &b, |out, how| {
        assert_eq!(out.text(&journal(20)), text, "{how}");
        assert!(!out.text(&journal(19)).contains(CARLA), "{how}");
    });
    // Asked for in files: it leaves those of the other machine, although the one that asks never had it.
    forget(&a, ALMA, true);
    each_merge(&base, &a, &b, |out, how| {
        assert!(!out.text(&journal(20)).contains(ALMA) && out.text(&journal(20)).contains(BORIS), "{how}");
    });
}

/// A line that both machines had dreamed stood in the earlier dream alone, and counted as taken out of the later one by a person once the
/// earlier dream was taken back.
#[test]
fn a_line_that_two_dreams_said_comes_back_after_the_undo_of_either() {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    let (b, base) = (a.copy(), a.copy());
    b.put(&journal(19), said(9, BORIS));
    let of_b = dreams(&b, 20).remove(0);
    let of_a = dreams(&a, 21).remove(0);
    assert_ne!(of_a, of_b);
    each_merge(&base, &a, &b, |out, how| {
        assert_eq!((times(out, ALMA), times(out, BORIS)), (1, 1), "{how}");
        let without = out.copy();
        assert!(undo(out, &of_b), "{how}");
        dreams(out, 23);
        assert_eq!((times(out, ALMA), times(out, BORIS)), (1, 1), "{how}");
        if undo_of(&without, &of_a).is_ok() {
            dreams(&without, 23);
            assert_eq!((times(&without, ALMA), times(&without, BORIS)), (1, 1), "{how}");
        }
    });
}

/// The dream of one machine owned nothing after the merge with one that had forgotten another line of its journal.
#[test]
fn a_dream_keeps_its_journal_where_the_other_machine_forgot_a_line_of_it() {
    let a = Life::with(&[(18, &(said(9, ALMA) + &said(10, BORIS)))]);
    let (b, base) = (a.copy(), a.copy());
    let id = dreams(&a, 21).remove(0);
    forget(&b, ALMA, true);
    each_merge(&base, &a, &b, |out, how| {
        assert_eq!((times(out, ALMA), times(out, BORIS), waits(out)), (0, 1, 0), "{how}");
        assert!(undo(out, &id) && times(out, BORIS) == 0, "{how}");
        let again = out.copy();
        dreams(out, 23);
        assert_eq!((times(out, ALMA), times(out, BORIS)), (0, 1), "{how}");
        // Brought back and taken back once more, it still gives its journal back.
        assert!(redo(&again, &id) && times(&again, BORIS) == 1 && waits(&again) == 0, "{how}");
        assert!(undo(&again, &id), "{how}");
        dreams(&again, 23);
        assert_eq!(times(&again, BORIS), 1, "{how}");
    });
}

/// Nothing said that one copy was in the other: what a person had changed since was a conflict with what they had changed it from.
#[test]
fn a_merge_that_is_repeated_without_a_base_keeps_what_a_person_edited_since() {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    let b = a.copy();
    a.put("USER.md", "# User\n\n- Lives in Lisbon.\n");
    b.put("USER.md", "# User\n\n- Likes tea.\n");
    b.add("MEMORY.md", "- Typed on the server.\n");
    let merged = |one: &Life, other: &Life| {
        let out = Life::empty();
        let plan =
            Merge::new(one.quick_workspace().as_ref(), other.quick_workspace().as_ref()).plan().unwrap();
        plan.write(out.quick_workspace().as_ref()).unwrap();
        (out, plan.conflicts().len())
    };
    let (out, _) = merged(&a, &b);
    let edited = "# User\n\n- Lives in Porto.\n- Likes green tea.\n";
    out.put("USER.md", edited);
    let memory = out.memory().replace("Typed on the server", "Typed on the server, and changed");
    out.put("MEMORY.md", &memory);
    for copy in [&a, &b] {
        for (one, other) in [(&out, copy), (copy, &out)] {
            let (again, conflicts) = merged(one, other);
            assert_eq!(
                (again.text("USER.md").as_str(), again.memory(), conflicts),
                (edited, memory.clone(), 0)
            );
        }
    }
    // Who has taken it over and puts it back to what it was has changed it too.
    let (whole, _) = merged(&out, &b);
    let back = whole.copy();
    back.put("USER.md", b.text("USER.md"));
    whole.put("USER.md", "# User\n\n- Lives in Porto.\n- Likes black tea.\n");
    let (both, conflicts) = merged(&whole, &back);
    assert_eq!(conflicts, 1, "{}", both.text("USER.md"));
}

/// The other machine had moved the journal into the archive, where nothing is read, before it knew that its dream was taken back.
#[test]
fn entries_that_wait_since_an_undo_stay_in_their_journal_when_the_other_machine_archives_it() {
    let a = Life::with(&[(18, &(said(9, ALMA) + &said(10, BORIS)))]);
    let id = dreams(&a, 21).remove(0);
    let (b, base) = (a.copy(), a.copy());
    assert!(undo(&b, &id));
    let name = JournalName::parse(&name(&journal(18))).unwrap();
    let consent = Consent::given(&human(), name.clone()).unwrap();
    let life = noctuary::Life::new(a.quick_workspace(), LifeConfig::default());
    life.archive_journal(&name, Some(&consent), night(22)).unwrap();
    each_merge(&base, &a, &b, |out, how| {
        assert_eq!((times(out, ALMA), times(out, BORIS)), (0, 0), "{how}");
        dreams(out, 23);
        assert_eq!((times(out, ALMA), times(out, BORIS)), (1, 1), "{how}");
        let journals =
            out.documents().into_values().map(|bytes| String::from_utf8_lossy(&bytes).matches(ALMA).count());
        assert_eq!(journals.sum::<usize>(), 2, "{how}: in memory and in one journal");
    });
}

/// A request to forget while conflict copies wait: they know pieces too.
#[test]
fn copies_that_wait_are_carried_along_by_a_request_to_forget() {
    let (lives, ids) = two();
    for mine in ["memory/", "ledger"] {
        let out = mixed(&lives, |path| path.contains(mine));
        forget(&out, ALMA, true);
        merge_copies(out.quick_workspace().as_ref()).unwrap();
        assert_eq!((waits(&out), times(&out, ALMA)), (0, 0), "{mine}");
        assert!(undo(&out, &ids[0]) && undo(&out, &ids[1]), "{mine}");
        dreams(&out, 24);
        assert_eq!((times(&out, ALMA), times(&out, BORIS), times(&out, CARLA)), (0, 1, 1), "{mine}");
    }
}

/// A merge of a life whose list of what is forgotten was torn ended with an error, and its copy stood beside it.
#[test]
fn a_torn_list_of_what_is_forgotten_is_merged_by_its_copy() {
    const LIST: &str = ".dreaming.d/forgotten.json";
    let torn = |copy: bool| {
        let base = Life::empty();
        base.put("MEMORY.md", format!("# Memory\n- {ALMA}\n- {BORIS}\n"));
        let (one, other) = (base.copy(), base.copy());
        forget(&one, ALMA, true);
        let list = one.text(LIST);
        one.put(LIST, &list[..list.len() / 2]);
        if !copy {
            one.remove(".dreaming.d/forgotten.copy.json");
        }
        other.put("MEMORY.md", format!("# Memory\n- {ALMA}\n- {BORIS}\n- {CARLA}\n"));
        (base, one, other)
    };
    let (base, one, other) = torn(true);
    each_merge(&base, &one, &other, |out, how| {
        assert_eq!((times(out, ALMA), times(out, BORIS), times(out, CARLA)), (0, 1, 1), "{how}");
    });
    one.put("MEMORY.sync-conflict-20261121-091500-ABCDEFG.md", other.memory());
    merge_copies(one.quick_workspace().as_ref()).unwrap();
    assert_eq!((times(&one, ALMA), times(&one, CARLA)), (0, 1));
    assert!(one.text(LIST).ends_with("}\n"), "the list is whole again");

    let (_, one, other) = torn(false);
    let refused = Merge::new(one.quick_workspace().as_ref(), other.quick_workspace().as_ref()).plan();
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("forgotten.json") && told.contains("restore it"), "{told}");
}

/// Merges without a base, and repeats the merge with each copy: it changes nothing.
fn repeated(one: &Life, other: &Life) -> Life {
    let merged = |one: &Life, other: &Life| {
        let out = Life::empty();
        let plan =
            Merge::new(one.quick_workspace().as_ref(), other.quick_workspace().as_ref()).plan().unwrap();
        assert!(plan.conflicts().is_empty(), "{:?}", plan.conflicts());
        plan.write(out.quick_workspace().as_ref()).unwrap();
        out
    };
    let files = |life: &Life| {
        let mut files = life.tree();
        files.retain(|path, _| !path.ends_with('/') && !path.ends_with("guard"));
        files
    };
    let out = merged(one, other);
    for copy in [one, other] {
        assert_eq!(files(&merged(&out, copy)), files(&out));
    }
    out
}

fn archive(life: &Life, day: u32) {
    let name = JournalName::parse(&name(&journal(day))).unwrap();
    let consent = Consent::given(&human(), name.clone()).unwrap();
    let life = noctuary::Life::new(life.quick_workspace(), LifeConfig::default());
    life.archive_journal(&name, Some(&consent), night(23)).unwrap();
}

/// The dream that was brought back and the one that had read its journal meanwhile both owned the bytes.
#[test]
fn a_dream_that_is_brought_back_owns_its_journal_alone() {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    let first = dreams(&a, 20).remove(0);
    assert!(undo(&a, &first));
    let (b, base) = (a.copy(), a.copy());
    a.put(&journal(19), said(9, BORIS));
    let second = dreams(&a, 22).remove(0);
    assert!(redo(&b, &first));
    let workspaces = [&base, &a, &b].map(Life::quick_workspace);
    let [base, one, other] = workspaces.each_ref().map(AsRef::as_ref);
    let out = Life::empty();
    Merge::new(one, other).base(base).plan().unwrap().write(out.quick_workspace().as_ref()).unwrap();
    assert_eq!((times(&out, ALMA), times(&out, BORIS), waits(&out)), (1, 1, 0));
    assert!(undo(&out, &second));
    assert_eq!((times(&out, ALMA), waits(&out)), (1, said(9, BORIS).len() as u64));
}

/// The machine that had read the journal again, and archived it, knew that its first dream was taken back: the journal came out of the archive.
#[test]
fn a_journal_that_was_read_again_stays_in_the_archive() {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    assert!(undo(&a, &dreams(&a, 20).remove(0)));
    let b = a.copy();
    b.put(&journal(19), said(9, BORIS));
    dreams(&b, 22);
    archive(&b, 18);
    let out = repeated(&a, &b);
    assert!(!out.has(&journal(18)) && waits(&out) == 0);
}

/// The dream of the other machine stood, and its journal came out of the archive.
#[test]
fn a_journal_of_a_dream_that_stands_stays_in_the_archive_when_another_dream_is_taken_back() {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    let b = a.copy();
    b.add(&journal(18), said(10, BORIS));
    assert!(undo(&b, &dreams(&b, 20).remove(0)));
    dreams(&a, 21);
    archive(&a, 18);
    let out = repeated(&a, &b);
    assert_eq!(out.text(&journal(18)), said(10, BORIS));
}

/// A dream that was taken back and dreamed again had given its bytes to another one in its last line of the log alone.
#[test]
fn a_dream_that_is_dreamed_again_gives_its_bytes_away_once() {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    let b = a.copy();
    assert!(undo(&a, &dreams(&a, 22).remove(0)));
    dreams(&a, 23);
    b.put(&journal(19), said(9, BORIS));
    dreams(&b, 21);
    let out = repeated(&a, &b);
    assert_eq!((times(&out, ALMA), times(&out, BORIS), waits(&out)), (1, 1, 0));
}

/// Both copies had the section as it was before a person wrote at the front of the journal: it cited the old line and the new one.
#[test]
fn a_section_cites_a_line_that_has_moved_once() {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    dreams(&a, 20);
    let b = a.copy();
    b.put("USER.md", "# User\n");
    let a = repeated(&a, &b);
    a.put(&journal(18), format!("- Chat.\n{}", said(9, ALMA)));
    let out = repeated(&a, &b);
    assert_eq!(out.memory().matches("#L").count(), 1, "{}", out.memory());
}

/// The machine that was asked had no such file yet: it came by an undo after both knew that the statement is forgotten.
#[test]
fn what_is_forgotten_in_files_leaves_an_undone_dream_of_the_other_machine() {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    let id = dreams(&a, 20).remove(0);
    forget(&a, ALMA, false);
    let (b, base) = (a.copy(), a.copy());
    assert!(undo(&a, &id));
    forget(&b, ALMA, true);
    each_merge(&base, &a, &b, |out, how| {
        let has_it = |(_, bytes): &(&String, &Vec<u8>)| String::from_utf8_lossy(bytes).contains(ALMA);
        let tree = out.tree();
        let found: Vec<&String> = tree.iter().filter(has_it).map(|(path, _)| path).collect();
        assert!(how == "by file" || found.is_empty(), "{how}: {found:?}");
    });
}

/// A section in which words were overwritten counted as one that a person had changed, where the log that has its hash had not come yet.
#[test]
fn a_section_with_overwritten_words_is_as_printed_by_its_own_mark() {
    let a = Life::with(&[(18, &(said(9, ALMA) + &said(10, BORIS)))]);
    let base = Life::empty();
    let id = dreams(&a, 20).remove(0);
    let b = Life::empty();
    for path in ["MEMORY.md", &journal(18)] {
        b.put(path, a.bytes(path));
    }
    forget(&b, ALMA, true);
    assert!(undo(&a, &id));
    let workspaces = [&base, &a, &b].map(Life::quick_workspace);
    let [base, one, other] = workspaces.each_ref().map(AsRef::as_ref);
    let out = Life::empty();
    let plan = Merge::new(one, other).base(base).plan().unwrap();
    plan.write(out.quick_workspace().as_ref()).unwrap();
    assert!(!out.memory().contains("## Dreamed"), "{}", out.memory());
}

/// Nobody had changed the same: one person had edited a section, the other had added a line.
#[test]
fn an_edited_section_and_a_new_line_are_no_versions_of_one_another() {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    a.put("MEMORY.md", "# Memory\n");
    let b = a.copy();
    dreams(&a, 20);
    a.put("MEMORY.md", a.memory().replace("- Alma", "- Surely: Alma"));
    b.put("MEMORY.md", "# Memory\n- Mine.\n");
    let out = repeated(&a, &b);
    assert_eq!((times(&out, "Surely: Alma"), times(&out, "- Mine.")), (1, 1));
}

/// The other machine had archived it while it was empty: "removed on one machine, changed on the other".
#[test]
fn an_empty_journal_is_not_removed_by_an_archive() {
    let base = Life::with(&[(18, "")]);
    let (a, b) = (base.copy(), base.copy());
    a.add(&journal(18), said(9, ALMA));
    archive(&b, 18);
    let workspaces = [&base, &a, &b].map(Life::quick_workspace);
    let [base, one, other] = workspaces.each_ref().map(AsRef::as_ref);
    let plan = Merge::new(one, other).base(base).plan().unwrap();
    assert!(plan.conflicts().is_empty(), "{:?}", plan.conflicts());
}

/// A person wrote at the front of a journal: its line was promoted once more, in other words, since it is another line by now.
#[test]
fn a_line_that_a_person_moved_in_its_journal_is_not_promoted_in_other_words() {
    let life = Life::with(&[(18, &said(9, ALMA))]);
    dreams(&life, 20);
    life.put(&journal(18), format!("- Chat.\n{}", said(9, ALMA)));
    let model = llm_fn(|request: &LlmRequest| {
        let told = seen(request).into_iter().find(|line| line.text.contains(ALMA)).unwrap();
        Ok(LlmReply::new(format!("- We know: {ALMA} ({}#L{})", told.journal, told.number)))
    });
    dream(&dreamer_over(life.quick_workspace(), |_| {}), &model, night(21));
    assert_eq!(times(&life, ALMA), 1, "{}", life.memory());
}

/// A dream was brought back where a tool had brought the log and the watermark, and no ledger yet: the watermark counted as a peer's, and a
/// journal that nobody was shown as read.
#[test]
fn a_dream_that_is_brought_back_before_its_ledger_came_has_no_journal_taken_for_read() {
    let b = Life::with(&[(19, &said(9, BORIS))]);
    let a = Life::with(&[(18, &said(9, ALMA))]);
    let id = dreams(&a, 20).remove(0);
    for file in [".dreamed-state.json", ".dreaming.d/log.jsonl", ".dreaming.d/history/undone.json"] {
        b.put(file, a.bytes(file));
    }
    assert!(redo(&b, &id));
    let out = repeated(&a, &b);
    assert_eq!((times(&out, ALMA), waits(&out)), (1, said(9, BORIS).len() as u64));
}

/// A life in which the later of two dreams has no lines of its own, as the earlier one says them all; and that life before they met.
fn emptied() -> ([Life; 2], [DreamId; 2]) {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    let (b, base) = (a.copy(), a.copy());
    let later = dreams(&a, 22).remove(0);
    b.put(&journal(19), said(9, BORIS));
    let earlier = dreams(&b, 21).remove(0);
    let workspaces = [&base, &a, &b].map(Life::quick_workspace);
    let [base, one, other] = workspaces.each_ref().map(AsRef::as_ref);
    let met = Life::empty();
    Merge::new(one, other).base(base).plan().unwrap().write(met.quick_workspace().as_ref()).unwrap();
    ([a, met], [earlier, later])
}

/// Its section, which a third machine had seen, counted as taken out by a person.
#[test]
fn a_dream_whose_lines_another_says_comes_back_where_that_one_is_taken_back() {
    let ([a, met], [earlier, _]) = emptied();
    assert!(undo(&met, &earlier));
    let base = a.copy();
    a.put(&journal(20), said(9, CARLA));
    each_merge(&base, &a, &met, |out, how| {
        dreams(out, 24);
        let all = (times(out, ALMA), times(out, BORIS), times(out, CARLA));
        assert_eq!(all, (1, 1, 1), "{how}\n{}", out.memory());
    });
}

/// It was brought back without a journal to give back, and its undo lost the line.
#[test]
fn a_dream_whose_lines_another_says_is_not_brought_back_without_its_journal() {
    let ([_, met], [earlier, later]) = emptied();
    assert!(undo(&met, &earlier));
    let back = dreamer_over(met.quick_workspace(), |_| {}).redo_dream(&human(), &later, night(23));
    assert!(matches!(back, Err(noctuary::Error::DreamStays { .. })), "{back:?}");
    dreams(&met, 24);
    assert_eq!((times(&met, ALMA), times(&met, BORIS)), (1, 1));
}

/// The first line of the journal was cited, and a person wrote another in front of it: then a model said the line again in other words.
#[test]
fn a_line_that_moved_is_not_promoted_again_without_its_label() {
    let life = Life::with(&[(18, &said(9, ALMA))]);
    let labelled =
        llm_fn(|_: &LlmRequest| Ok(LlmReply::new(format!("- We know: {ALMA} ({}#L1)", journal(18)))));
    dream(&dreamer_over(life.quick_workspace(), |_| {}), &labelled, night(20));
    life.put(&journal(18), format!("- [08:00:00] [user] It rains.\n{}", said(9, ALMA)));
    dreams(&life, 21);
    assert_eq!(times(&life, ALMA), 1, "{}", life.memory());
}

/// The piece that one copy was shown is in the archive of the other, and its own journal was changed since.
#[test]
fn a_dream_of_an_archived_journal_has_its_piece_once() {
    let a = Life::with(&[(18, &said(9, ALMA))]);
    let b = a.copy();
    dreams(&b, 20);
    b.put(&journal(18), "");
    dreams(&a, 21);
    archive(&a, 18);
    repeated(&a, &b);

    let a = Life::with(&[(18, &said(9, ALMA))]);
    dreams(&a, 20);
    let b = a.copy();
    b.put(&journal(18), format!("- [08:00:00] [user] It rains.\n{}", said(9, ALMA)));
    dreams(&b, 21);
    archive(&b, 18);
    let out = repeated(&a, &b);
    assert_eq!((times(&out, ALMA), waits(&out)), (1, 0));
}
