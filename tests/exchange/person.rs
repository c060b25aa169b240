//! One person of a group is erased in one call: what they said, and what rests on it. What others said stays.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use noctuary::exchange::{Forget, ForgetPlace, ForgetReceipt};
use noctuary::format::{Origin, SourceRef};
use noctuary::life::{GroupName, GroupView, Indexed};
use noctuary::memory::{Filter, NewMemory, Place, Role, Source};
use noctuary::testing::{Fault, Faults, FaultyWorkspace, Script};
use noctuary::{Access, Error, Extractive, MemoryStore, Outcome, Scope, SqliteIndex, Workspace, WriteMode};

use crate::exchange::{home, kinds, put, text};
use noctuary_tests::dreaming::{Life, dream, dreamer_over, name, night};

const JOURNAL: &str = "memory/2026-11-20-shared.chat.md";
const SAID: &str = "\
# Memory — 2026-11-20

## Session [09:00]

- [09:12:00] [participant:Zora] Decision: I am allergic to hazelnuts since 2019.
  | and walnuts too
- [09:13:00] [participant:Zora Bell] I bring cider to the picnic.
- [09:14:00] [participant:Boris] Zora forgot the rope again.
- [09:15:00] [participant:Zora] Ok.
- [09:16:00] [agent] Noted: I am allergic to hazelnuts since 2019.
- [09:17:00] [participant:Boris] Thank you all for coming here.
- [09:18:00] [participant:Zora] Thank you all for coming here.
";
const MEMORY: &str = "\
# Memory

- The picnic has no cake. (memory/2026-11-20-shared.chat.md#L5)
- Zora: walnuts are poison.
- Zora forgot the rope. (memory/2026-11-20-shared.chat.md#L8)
- Boris thanked all of them.
";

struct Lived {
    folder: Life,
    root: Arc<dyn Workspace>,
    group: Arc<dyn Workspace>,
    store: Arc<dyn MemoryStore>,
    owner: Access,
}

fn family() -> GroupName {
    GroupName::parse("family").unwrap()
}

fn lived(kind: usize) -> Lived {
    let (folder, root) = home(kind);
    let marta = Scope::user("marta");
    let group: Arc<dyn Workspace> = Arc::new(GroupView::new(Arc::clone(&root), &marta, &family()));
    put(root.as_ref(), "SOUL.md", "# Soul\n\nYou are Wren. Zora is a friend.\n");
    put(group.as_ref(), JOURNAL, SAID);
    put(group.as_ref(), "MEMORY.md", MEMORY);
    let (rows, scope) = (folder.path("groups/family"), marta.group(&family()));
    fs::create_dir_all(&rows).unwrap();
    let store: Arc<dyn MemoryStore> = noctuary_tests::open_store!(kind, &rows, scope);
    let owner = Access::human(marta).group(&family());
    let by = |name: &str| Some(Origin::Participant(name.to_owned()));
    for (content, origin) in [
        ("Sleeps until noon on Sundays.", by("Zora")),
        ("Hates the smell of cellars.", by("zora")),
        ("Yes.", by("Zora")),
        ("Zora owes me nine pounds.", by("Boris")),
        ("The rope is blue.", by("Boris")),
        ("The cider is dry.", by("Zora Bell")),
    ] {
        let mut row = NewMemory::new("observation", content, Source::AgentRecorded);
        row.origin = origin;
        let id = store.write(&Access::agent(owner.scope.clone()), &row, night(20)).unwrap();
        if content.starts_with("Hates") {
            store.delete(&owner, id, night(20)).unwrap();
        }
    }
    let mut cited = NewMemory::new("fact", "Nuts are out of the menu.", Source::AgentRecorded);
    cited.cites = vec![SourceRef { name: name(JOURNAL), first_line: 5, last_line: 6 }];
    store.write(&owner, &cited, night(20)).unwrap();
    let mut spoken = NewMemory::new("observation", "Snores at sea.", Source::AgentRecorded);
    let speaker = Some("Zora".to_owned());
    spoken.place =
        Some(Place { session: "chat".to_owned(), position: 1, role: Role::Other, speaker, said_at: None });
    store.write(&owner, &spoken, night(20)).unwrap();
    Lived { folder, root, group, store, owner }
}

impl Lived {
    fn erase(&self, workspace: &dyn Workspace, mentions: bool) -> noctuary::Result<ForgetReceipt> {
        let request = Forget::person(&self.owner, "Zora").mentions(mentions).in_files(true);
        request.store(self.store.as_ref()).workspace(workspace).run(night(21))
    }

    fn rows(&self) -> Vec<String> {
        let mut rows = Vec::new();
        for deleted in [false, true] {
            let mut filter = Filter::limit(99);
            (filter.deleted, filter.retired) = (deleted, true);
            rows.extend(self.store.list(&self.owner, &filter).unwrap().into_iter().map(|row| row.content));
        }
        rows.sort();
        rows
    }

    /// The words in the documents of the group and in all files.
    fn all_words(&self) -> String {
        let mut words = text(self.group.as_ref(), JOURNAL) + &text(self.group.as_ref(), "MEMORY.md");
        for (_, bytes) in self.folder.tree() {
            words.push_str(&String::from_utf8_lossy(&bytes));
        }
        words
    }
}

/// The places at which something is left, but for the pages of a server, which keep it for a while.
fn left(receipt: &ForgetReceipt) -> Vec<ForgetPlace> {
    receipt.left().map(|line| line.place).filter(|place| *place != ForgetPlace::TextIndex).collect()
}

const LEFT: [&str; 3] = ["The cider is dry.", "The rope is blue.", "Zora owes me nine pounds."];

// A host ran one `Forget` for each statement: tags, the deleted row, the audit and what rested on them stayed.
#[test]
fn one_person_of_a_group_leaves_it_in_one_call() {
    for kind in kinds() {
        let place = lived(kind);
        let human = &place.owner;
        let request = Forget::person(human, "Zora").store(place.store.as_ref()).workspace(&place.group);
        let plan = request.plan().unwrap();
        let places = |lines: &[noctuary::exchange::HiddenLine]| -> Vec<String> {
            lines.iter().filter(|line| line.place.contains('#')).map(|line| line.place.clone()).collect()
        };
        let line = |number: u64| format!("{JOURNAL}#L{number}");
        assert_eq!(places(&plan.said), [line(12), line(5), line(6), line(9)]);
        assert_eq!(places(&plan.rests), ["MEMORY.md#L3", "MEMORY.md#L4"]);
        assert_eq!(
            (plan.said.len(), plan.rests.len(), plan.mentions.len()),
            (4 + 4, 2 + 1, 2 + 1),
            "{plan:?}"
        );
        assert_eq!(text(place.group.as_ref(), JOURNAL), SAID, "a plan changes nothing");

        let receipt = place.erase(&place.group, false).unwrap();
        assert_eq!(left(&receipt), [], "{receipt}");
        assert_eq!(receipt.place(ForgetPlace::Rows).removed, 5, "{receipt}");
        assert_eq!(receipt.mentions.len(), 3, "{:?}", receipt.mentions);
        assert!(!format!("{receipt}{receipt:?}").to_lowercase().contains("zora"), "{receipt:?}");
        assert_eq!(place.rows(), LEFT, "{kind}");
        let audit = place.store.audit(human, 99).unwrap();
        let named: BTreeSet<String> =
            audit.iter().filter_map(|line| line.origin.as_ref()).map(ToString::to_string).collect();
        assert!(!named.iter().any(|name| name.to_lowercase() == "participant:zora"), "{named:?}");
        assert!(named.contains("participant:Boris") && named.contains("participant:Zora Bell"));

        let journal = text(place.group.as_ref(), JOURNAL);
        assert_eq!(journal.len(), SAID.len(), "no line moves");
        let kept: Vec<&str> = journal.lines().filter(|line| SAID.contains(line)).collect();
        assert_eq!(kept.len(), 7, "{journal}");
        assert!(journal.contains("- [09:15:00] [participant:xxxx] ***"), "who speaks stays apart: {journal}");
        assert!(journal.contains("[agent] Noted: [forgotten]---"), "{journal}");
        assert!(journal.contains("[participant:Boris] Thank you all for coming here."), "{journal}");
        let memory = text(place.group.as_ref(), "MEMORY.md");
        assert!(
            memory.contains("- Zora forgot the rope.") && memory.ends_with("- Boris thanked all of them.\n")
        );
        let words = place.all_words();
        for gone in
            ["hazelnuts", "walnuts", "no cake", "Sunday", "cellars", "menu", "Snores", "participant:Zora]"]
        {
            assert!(!words.contains(gone), "{kind}: {gone}");
        }
        assert!(text(place.root.as_ref(), "SOUL.md").contains("Zora is a friend"), "the life's own");

        let again = |text: &str| {
            let row = NewMemory::new("observation", text, Source::AgentRecorded);
            place.store.write(&Access::agent(human.scope.clone()), &row, night(22))
        };
        assert!(matches!(again("I am allergic to hazelnuts since 2019."), Err(Error::Stopped { .. })));
        again("Thank you all for coming here.").unwrap();
        let report = dream(&dreamer_over(Arc::clone(&place.group), |_| ()), &Extractive::new(), night(22));
        assert!(!serde_json::to_string(&report).unwrap().contains("Zora]"));

        let twice = place.erase(&place.group, false).unwrap();
        assert!(twice.documents.is_empty() && twice.place(ForgetPlace::Rows).found == 0, "{twice}");
    }
}

#[test]
fn a_person_is_found_however_their_name_is_composed() {
    for (written, asked) in [
        ("Đặng Thị Hà", "Đa\u{323}\u{306}ng Thi\u{323} Ha\u{300}"),
        ("Đa\u{323}\u{306}ng Thi\u{323} Ha\u{300}", "Đặng Thị Hà"),
        ("رضا می\u{200c}رزا", "رضا می\u{200c}رزا"),
    ] {
        let (_folder, root) = home(0);
        let origin = Origin::Participant(written.to_owned());
        let line = format!("- [09:12:00] [{origin}] I keep the keys of the boathouse.\n");
        put(root.as_ref(), JOURNAL, &line);
        let owner = Access::human(Scope::user("marta"));
        let erase = Forget::person(&owner, asked).workspace(&root);
        assert_eq!(erase.plan().unwrap().said.len(), 1, "{origin}");
        erase.in_files(true).run(night(9)).unwrap();
        let left = text(root.as_ref(), JOURNAL);
        assert!(!left.contains("boathouse") && left.contains("[participant:xxx"), "{left}");
    }
}

#[test]
fn what_others_said_of_a_person_leaves_where_it_is_asked_for() {
    for kind in kinds() {
        let place = lived(kind);
        let receipt = place.erase(&place.group, true).unwrap();
        assert!(receipt.mentions.is_empty());
        assert_eq!(place.rows(), LEFT[..2], "{kind}");
        let journal = text(place.group.as_ref(), JOURNAL);
        assert!(journal.contains("[participant:Boris] [forgotten]---"), "{journal}");
        assert!(journal.contains("[participant:Zora Bell] I bring cider"), "another person: {journal}");
        assert!(!text(place.group.as_ref(), "MEMORY.md").contains("Zora"));
    }
}

// A line that two people said left with the first of them, and `Ana María: …` was taken for words about Ana.
#[test]
fn what_another_said_too_and_the_line_of_a_longer_name_stay() {
    for kind in kinds() {
        let place = lived(kind);
        let said = "\
- [09:00:00] [participant:Zora] Decision: We meet at the pier on Fridays.
- [09:01:00] [participant:Boris] We meet at the pier on Fridays.
- [09:02:00] [participant:Zora Bell] I row, and Zora Bell rows well.
- [09:03:00] [participant:Boris] Zora Bell rows, and Zora sleeps.
";
        let journal = "memory/2026-11-21-shared.chat.md";
        put(place.group.as_ref(), journal, said);
        let said = &format!("{said}- [09:04:00] [participant:Boris] Zora bells the cat.\n");
        let [both, longer, about] = [
            format!("- Decision: We meet at the pier on Fridays. ({journal}#L1)\n"),
            "- Zora Bell: rows well.\n".to_owned(),
            "- Zora Bell rows, and Zora sleeps.\n- Zora Phone: 555-1234.\n".to_owned(),
        ];
        place
            .group
            .write(&name("MEMORY.md"), format!("{both}{longer}{about}").as_bytes(), WriteMode::Replace)
            .unwrap();
        let mut row = NewMemory::new("fact", "We meet at the pier on Fridays.", Source::AgentRecorded);
        row.cites = vec![SourceRef { name: name(journal), first_line: 1, last_line: 1 }];
        place.store.write(&place.owner, &row, night(20)).unwrap();
        place.erase(&place.group, true).unwrap();
        assert_eq!(place.rows(), [&LEFT[..2], &["We meet at the pier on Fridays."]].concat(), "{kind}");
        let memory = text(place.group.as_ref(), "MEMORY.md");
        assert!(memory.contains(&both) && memory.contains(&longer) && !memory.contains("sleeps"), "{memory}");
        assert!(!memory.contains("555-1234"), "a label is nobody's name: {memory}");
        let left = text(place.group.as_ref(), journal);
        let stays = |line: usize| left.lines().nth(line) == said.lines().nth(line);
        assert_eq!([0, 1, 2, 3, 4].map(stays), [false, true, true, false, false], "{left}");
    }
}

// Without being asked, files stay as they are.
#[test]
fn a_person_of_a_group_is_erased_in_files_only_where_it_is_asked_for() {
    let place = lived(0);
    let request = Forget::person(&place.owner, "Zora").store(place.store.as_ref()).workspace(&place.group);
    let receipt = request.run(night(21)).unwrap();
    assert_eq!(receipt.place(ForgetPlace::Journals).found, 5, "{receipt}");
    assert_eq!(receipt.place(ForgetPlace::Journals).removed, 0, "{receipt}");
    assert_eq!(text(place.group.as_ref(), JOURNAL), SAID);
    assert_eq!(place.rows(), LEFT);
    let agent = Access::agent(place.owner.scope.clone());
    let denied = Forget::person(&agent, "Zora").workspace(&place.group).run(night(21));
    assert!(matches!(denied, Err(Error::Denied { .. })), "the human alone");
    let nobody = Forget::person(&place.owner, " ").workspace(&place.group).run(night(21));
    assert!(matches!(nobody, Err(Error::Config { .. })));
}

#[test]
fn an_erasure_that_was_cut_anywhere_is_finished_by_the_next_one() {
    for kind in 0..2 {
        let whole = lived(kind);
        let dreamt = |place: &Lived| {
            let line = format!("- Zora: allergic to hazelnuts since 2019. ({JOURNAL}#L5)\n");
            let script = Script::new().says(line);
            let report = dream(&dreamer_over(Arc::clone(&place.group), |_| ()), &script, night(20));
            assert_eq!(report.outcome, Outcome::Appended, "{report:?}");
        };
        dreamt(&whole);
        whole.erase(&whole.group, false).unwrap();
        let documents = |place: &Lived| [JOURNAL, "MEMORY.md"].map(|file| text(place.group.as_ref(), file));
        let expected = documents(&whole);
        for at in 1.. {
            let place = lived(kind);
            dreamt(&place);
            let faults = Faults::new();
            faults.arm(at, Fault::Crash);
            let crashing = FaultyWorkspace::new(Arc::clone(&place.group), faults.clone());
            let cut = place.erase(&crashing, false);
            if faults.seen().len() < usize::try_from(at).unwrap() {
                cut.unwrap();
                break;
            }
            let seen = faults.seen().pop();
            let receipt = place.erase(&place.group, false).unwrap();
            assert_eq!(left(&receipt), [], "{seen:?}: {receipt}");
            assert_eq!(documents(&place), expected, "{kind}: {seen:?}");
            assert_eq!(place.rows(), LEFT);
            let shown = Script::new();
            dream(&dreamer_over(Arc::clone(&place.group), |_| ()), &shown, night(22));
            assert_eq!(shown.requests(), [], "nothing is shown twice: {seen:?}");
        }
    }
}

// Twenty-eight lines of receipt for each statement, and one rewrite of the file.
#[test]
fn many_statements_are_forgotten_at_once_with_one_receipt() {
    for kind in kinds() {
        let place = lived(kind);
        let before = place.store.audit(&place.owner, 99).unwrap().len();
        let request = Forget::new(&place.owner, "the rope is blue")
            .also("sleeps until noon on Sundays")
            .also("no such words");
        let receipt = request
            .store(place.store.as_ref())
            .workspace(&place.group)
            .in_files(true)
            .run(night(21))
            .unwrap();
        assert_eq!(receipt.place(ForgetPlace::Rows).removed, 2, "{receipt}");
        let told: serde_json::Value = serde_json::to_value(&receipt).unwrap();
        let places = told["places"].as_array().unwrap();
        assert!(places.iter().all(|line| line["found"] != 0 || !line["left"].is_null()), "{told}");
        assert_eq!(serde_json::from_value::<ForgetReceipt>(told).unwrap(), receipt);
        let audit = place.store.audit(&place.owner, 99).unwrap();
        let actions: Vec<&str> =
            audit[..audit.len() - before].iter().map(|line| line.action.as_str()).collect();
        assert_eq!(actions.iter().filter(|action| **action == "memory_forget").count(), 3, "{actions:?}");
        assert_eq!(actions.iter().filter(|action| **action == "memory_removed").count(), 2, "{actions:?}");
        for said in ["The rope is blue.", "Sleeps until noon on Sundays.", "No such words"] {
            let row = NewMemory::new("observation", said, Source::AgentRecorded);
            let is_stopped = |written| matches!(written, Err(Error::Stopped { .. }));
            assert!(is_stopped(place.store.write(&place.owner, &row, night(22))), "{said}");
        }
        let both = Forget::new(&place.owner, "the rope is blue").also("no such words");
        assert!(both.store(place.store.as_ref()).workspace(&place.group).lift(night(22)).unwrap());
        let row = NewMemory::new("observation", "The rope is blue.", Source::AgentRecorded);
        place.store.write(&place.owner, &row, night(23)).unwrap();
    }
}

#[test]
fn a_life_with_a_group_is_forgotten_whole_once_the_store_of_each_is_given() {
    for kind in kinds() {
        let place = lived(kind);
        put(place.root.as_ref(), "SOUL.md", "# Soul\n\nThe rope is blue.\n");
        let marta = Access::human(Scope::user("marta"));
        let own: Arc<dyn MemoryStore> =
            noctuary_tests::open_store!(kind, &place.folder.path(""), marta.scope.clone());
        let index = SqliteIndex::open_in_memory(Scope::user("marta")).unwrap();
        let indexed = Indexed::new(Arc::clone(&place.root), index);
        let ask =
            || Forget::new(&marta, "the rope is blue").workspace(&indexed).index(&indexed).in_files(true);
        let part = ask().store(own.as_ref()).run(night(21)).unwrap();
        assert!(!part.is_gone());
        let why = part.place(ForgetPlace::Rows).left.clone().unwrap();
        assert_eq!(why, "no store of the group family was given");
        let all = ask().store(own.as_ref()).store(place.store.as_ref()).run(night(22)).unwrap();
        assert_eq!(left(&all), [], "{all}");
        assert!(all.is_gone() || kind == 2, "{kind}: {all}");
        assert_eq!(all.place(ForgetPlace::Rows).removed, 1, "{all}");
        assert!(!text(place.root.as_ref(), "SOUL.md").contains("blue"));
    }
}
