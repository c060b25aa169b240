//! An operator without Rust: each name, number or word that was wrong says what is right.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use chrono::Utc;
use noctuary::format::Origin;
use noctuary::life::{GroupName, GroupView};
use noctuary::memory::{NewMemory, Source};
use noctuary::{
    Access, FileMemoryStore, FileWorkspace, Life, LifeConfig, MemoryStore, Note, Scope, SqliteMemoryStore,
    SqliteWorkspace, Workspace,
};

use crate::{ends, json, run};

/// Returns what a command printed and said, on one line.
#[track_caller]
pub(crate) fn told(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = run(folder, arguments);
    let told =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{told}");
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
pub(crate) fn says(told: &str, words: &[&str]) {
    for word in words {
        assert!(told.contains(word), "{word}: {told}");
    }
}

const PRESETS: [&str; 5] = ["minara", "openclaw", "ironclaw", "openseed", "rfc0009"];

// Under one preset nothing was made and no agent could start, and under three a note did not say where it is.
#[test]
fn every_preset_makes_a_life_in_which_a_note_names_its_journal() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for preset in PRESETS {
        let (settings, home) = (format!("{preset}.toml"), format!("home-{preset}"));
        fs::write(at.join(&settings), format!("preset = \"{preset}\"\n")).unwrap();
        let made = json(at, &["--config", &settings, "init", &home, "--json"], 0);
        assert!(made["wrote"].as_array().unwrap().len() >= 6, "{preset}: {made}");
        assert!(at.join(&home).join("SOUL.md").exists() && at.join(&home).join("BOOTSTRAP.md").exists());
        let noted = json(at, &["--config", &settings, "note", &home, "Tea.", "--json"], 0);
        let journal = noted["journals"][0].as_str().unwrap();
        assert!(fs::read_to_string(at.join(&home).join(journal)).unwrap().contains("Tea."), "{preset}");
        says(&told(at, &["--config", &settings, "note", &home, "Milk."], 0), &["Noted in ", journal]);
        let shown = ends(at, &["--config", &settings, "--show-config"], 0);
        let is_daily = ["openclaw", "ironclaw", "rfc0009"].contains(&preset);
        assert_eq!(shown.contains("# of the preset: journals = memory/YYYY-MM-DD.md"), is_daily, "{shown}");
        assert!(shown.parse::<toml::Table>().is_ok(), "it is a file of settings: {shown}");
        let shown = json(at, &["--config", &settings, "--show-config", "--json"], 0);
        assert!(shown["of_preset"]["bootstrap_ends"].is_string(), "{shown}");
    }
    assert!(!ends(at, &["--show-config"], 0).contains("preset"));
}

// A slip in the name of a user began a new life, without a word.
#[test]
fn a_user_who_is_not_there_is_refused_and_those_who_are_there_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let next = ends(at, &["init", "life.db", "--user", "marta"], 0);
    let next = next.lines().find_map(|line| line.strip_prefix("Next: noctuary ")).unwrap();
    let step: Vec<&str> = next.split(' ').collect();
    ends(at, &step, 0);
    assert_eq!(next, "note life.db --user marta \"…\"");
    ends(at, &["init", "life.db", "--user", "ilya k"], 0);
    ends(at, &["init", "life.db", "--user", "ilya k", "--agent", "crew"], 0);
    let before = fs::read(at.join("life.db")).unwrap();
    for verb in [
        &["status", "life.db"][..],
        &["search", "life.db", "boat"],
        &["note", "life.db", "Tea."],
        &["remember", "life.db", "Tea."],
        &["dream", "life.db"],
        &["preview", "life.db"],
        &["rows", "life.db"],
        &["doctor", "life.db"],
        &["erase", "life.db", "--yes"],
        &["export", "life.db", "out"],
    ] {
        let wrong = told(at, &[verb, &["--user", "mart"]].concat(), 3);
        says(&wrong, &["no life of mart is in life.db", "marta", "ilya k with --agent crew"]);
    }
    says(&told(at, &["status", "life.db", "--user", "marta", "--agent", "crew"], 3), &["no life of"]);
    assert_eq!(fs::read(at.join("life.db")).unwrap(), before, "nothing was begun");
    for wrong in ["a/b", "..\\b", "", " "] {
        let refused = told(at, &["init", "life.db", "--user", wrong], 2);
        says(&refused, &["is no name of a user"]);
        assert!(!refused.contains("settings"), "{refused}");
    }
    says(&told(at, &["note", "life.db", "Tea.", "--user", ""], 2), &["is no name of a user"]);
    ends(at, &["init", "agent"], 0);
    ends(at, &["remember", "agent", "The harbour opens at six."], 0);
    says(&told(at, &["rows", "agent", "--user", "marta"], 3), &["no life of marta", "user"]);
    says(
        &told(at, &["forget", "life.db", "no such words", "--user", "marta"], 1),
        &["list life.db --user marta"],
    );
    says(&told(at, &["erase", "agent", "--yes", "--user", "marta"], 3), &["no life of marta"]);
    assert!(at.join("agent/MEMORY.md").exists());
    let wrong = told(at, &["import", "gone", "agent"], 3);
    assert_eq!(wrong, "noctuary: there is no file or folder gone to import; look at the path");
}

// The answers were wrong, or those of the library.
#[test]
fn a_row_that_cannot_be_changed_says_why_and_which_one_is_meant() {
    for home in ["agent", "life.db"] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        ends(at, &["init", home], 0);
        ends(at, &["remember", home, "The harbour opens at six."], 0);
        says(&told(at, &["restore", home, "1"], 1), &["row 1 is in use already", "noctuary row"]);
        ends(at, &["retire", home, "1"], 0);
        for verb in ["pin", "retire"] {
            says(&told(at, &[verb, home, "1"], 3), &["row 1 is retired", "noctuary restore"]);
        }
        ends(at, &["restore", home, "1"], 0);
        for hour in ["seven", "eight"] {
            let row = if hour == "seven" { "1" } else { "2" };
            ends(at, &["correct", home, row, &format!("The harbour opens at {hour}.")], 0);
        }
        for wrong in [&["correct", home, "1", "The harbour opens at nine."][..], &["pin", home, "1"]] {
            let wrong = told(at, wrong, 3);
            says(&wrong, &["row 1 was replaced by row 3", &format!("noctuary row {home} 3")]);
        }
        let rows = [&["row"][..], &["pin"], &["retire"], &["restore"], &["correct"]];
        for verb in rows {
            let more: &[&str] = if verb == ["correct"] { &["Words."] } else { &[] };
            says(&told(at, &[verb, &[home, "4711"], more].concat(), 3), &["no row 4711"]);
        }
        // It was found by words that it has no more, and nobody said why.
        let found = told(at, &["search", home, "six"], 0);
        says(&found, &["memories/3 fact, found by memories/1, which it replaced"]);
        let found = json(at, &["search", home, "six", "--json"], 0);
        assert_eq!(found["rows"][0]["reached"], serde_json::json!({"retired": 1}));

        ends(at, &["remember", home, "The blue boat Ana lies in the harbour of Oslo"], 0);
        ends(at, &["remember", home, "The blue boat Ana lies in the harbour of Turku"], 1);
        let turned = told(at, &["suspects", home, "5", "4", "newer"], 3);
        says(&turned, &["row 4 is older than row 5", &format!("noctuary suspects {home} 4 5")]);
        ends(at, &["suspects", home, "4", "5", "both"], 0);
        for pair in [["4", "5"], ["5", "4"]] {
            let again = told(at, &["suspects", home, pair[0], pair[1], "newer"], 3);
            says(&again, &["answered before", &format!("noctuary suspects {home} 4 5 --undo")]);
        }
        let known = told(at, &["remember", home, "Tides are in UTC.", "--category", "nonsense"], 0);
        says(&known, &["nonsense is a category of your own", "decision", "fact"]);
        for verb in [&["rows", home][..], &["search", home, "boat"], &["lessons", home]] {
            says(&told(at, &[verb, &["--limit", "0"]].concat(), 2), &["a number from 1 on"]);
        }
    }
}

// A receipt named the parts of the library, and a list showed the forgotten words.
#[test]
fn forgetting_is_told_in_plain_words() {
    for home in ["agent", "life.db"] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        ends(at, &["init", home], 0);
        let nothing = told(at, &["forget", home, "the landlord is called Jan"], 1);
        says(&nothing, &["Nothing of it was found; it is kept out from now on", "Out of reach"]);
        ends(at, &["remember", home, "The landlord is called Piotr. He sails."], 0);
        ends(at, &["note", home, "The landlord is called Piotr."], 0);
        let receipt = told(at, &["forget", home, "the landlord is called Piotr"], 1);
        says(&receipt, &["rows 1 found, 1 removed", "journals 1 found, 0 removed: files are touched"]);
        ends(at, &["remember", home, "Ilya paints the boat."], 0);
        let alone = told(at, &["forget", home, "Ilya paints the boat"], 0);
        assert!(alone.contains("was removed Out of reach"), "{alone}");
        for word in ["was given", "were given", "index", "edges", "artifacts"] {
            assert!(!receipt.contains(word), "{word}: {receipt}");
        }
        for form in [&["forgotten", "list", home][..], &["forgotten", "list", home, "--json"]] {
            let list = ends(at, form, 0);
            assert!(!list.contains("Piotr") && !list.contains("landlord"), "{list}");
            assert!(list.contains("-cli.md#L"), "{list}");
        }
        let list = json(at, &["forgotten", "list", home, "--json"], 0);
        assert_eq!(list.as_array().unwrap().len(), 3, "one for each forgetting: {list}");
        let of = |place: &str| {
            list.as_array().unwrap().iter().filter(|one| one["places"].to_string().contains(place)).count()
        };
        assert_eq!((of("rows"), of("journals")), (2, 1), "{list}");
        let today = chrono::Utc::now().date_naive().to_string();
        assert!(ends(at, &["forgotten", "list", home], 0).matches(&today).count() >= 2);
        for slip in ["zz", "00000000"] {
            let slip = told(at, &["forgotten", "lift", home, slip], 1);
            says(&slip, &["No forgotten statement has this id", "noctuary forgotten list"]);
        }
        let short = told(at, &["forget", home, "ab"], 2);
        says(&short, &["must have two words, or eight letters"]);
        assert!(!short.contains("settings"), "{short}");

        ends(at, &["note", home, "--kind", "decision", "Releases go out on Fridays."], 0);
        ends(at, &["dream", home], 0);
        ends(at, &["undo", home], 0);
        ends(at, &["forget", home, "Releases go out on Fridays"], 1);
        says(&told(at, &["undo", home, "--redo"], 3), &["forgotten since", "noctuary forgotten lift"]);
    }
}

// A page listed options that did nothing, a path of the settings was of the folder in which one happened to be, and the manual was no JSON.
#[test]
fn options_and_settings_do_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let help = ends(at, &["page", "--help"], 0);
    assert!(!help.contains("--html"), "{help}");
    let parts: Vec<&str> = help.split("For a page on the next dream:").collect();
    assert!(parts[1].contains("--all") && parts[1].contains("--endpoint") && !parts[0].contains("--all"));
    assert!(json(at, &["man", "--json"], 0)["page"].as_str().unwrap().contains("noctuary"));

    fs::create_dir_all(at.join("settings/elsewhere")).unwrap();
    fs::write(at.join("settings/mine.toml"), "[home]\npath = \"agent\"\n").unwrap();
    ends(at, &["init", "settings/agent"], 0);
    let status = json(at, &["--config", "settings/mine.toml", "status", "--json"], 0);
    assert!(status["path"].as_str().unwrap().ends_with("settings/agent"), "{status}");

    ends(at, &["init", "agent"], 0);
    ends(at, &["remember", "agent", "We paint #Cafe\u{301} tables."], 0);
    ends(at, &["rows", "agent", "--tag", "caf\u{e9}"], 0);
    ends(at, &["rows", "agent", "--tag", "cafe"], 1);
}

// The rows of its groups stayed where a life was erased beside others, and kept the file where it was alone.
#[test]
fn a_life_is_erased_with_the_rows_of_its_groups() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let crew = Scope::user("marta").group(&GroupName::parse("crew").unwrap());
    for (home, others) in [("one.db", &[][..]), ("two.db", &["ilya", "ida"])] {
        for user in others.iter().chain([&"marta"]) {
            ends(at, &["init", home, "--user", user], 0);
        }
        let store = SqliteMemoryStore::open(at.join(home), crew.clone()).unwrap();
        let row = NewMemory::new("fact", "The crew keeps the Qmartaq rope.", Source::UserManual);
        store.write(&Access::human(crew.clone()), &row, Utc::now()).unwrap();
        drop(store);
        if others.is_empty() {
            ends(at, &["status", home], 0);
        } else {
            let would = json(at, &["erase", home, "--user", "marta", "--json"], 0);
            assert_eq!(would["rows"]["memories"], 1, "{would}");
        }
        ends(at, &["erase", home, "--user", "marta", "--yes"], 0);
        assert_eq!(at.join(home).exists(), !others.is_empty());
        for entry in
            fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file())
        {
            let bytes = fs::read(&entry).unwrap();
            assert!(!bytes.windows(7).any(|part| part == b"Qmartaq"), "{}", entry.display());
        }
        for user in others {
            ends(at, &["status", home, "--user", user], 0);
        }
    }
}

// A host had to run one forgetting for each thing that somebody had said.
#[test]
fn a_person_of_a_group_is_erased_by_name_after_a_plan() {
    for home in ["agent", "life.db"] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        ends(at, &["init", home], 0);
        let (marta, crew) = (Scope::user("user"), GroupName::parse("crew").unwrap());
        let workspace: Arc<dyn Workspace> = match home {
            "agent" => Arc::new(FileWorkspace::open(at.join(home)).unwrap()),
            _ => Arc::new(SqliteWorkspace::open(at.join(home), marta.clone()).unwrap()),
        };
        let view: Arc<dyn Workspace> = Arc::new(GroupView::new(workspace, &marta, &crew));
        let life = Life::new(view, LifeConfig::default());
        let access = Access::shared(marta).group(&crew);
        let mut session = life.begin_session(access, "chat", "telegram", Utc::now()).unwrap();
        for (who, said) in [("Ana", "I am allergic to hazelnuts."), ("Boris", "Poor Ana, no cake.")] {
            let note = Note::happened(said).from(Origin::Participant(who.to_owned()));
            session.note(&note, Utc::now()).unwrap();
        }
        drop((session, life));
        let of = |more: &[&'static str], code| {
            let said: Vec<&str> = [&["erase", home, "--group", "crew", "--who"][..], more].concat();
            told(at, &said, code)
        };
        says(&of(&["Eve"], 1), &["Nothing is of Eve"]);
        says(
            &of(&["Ana"], 0),
            &["would erase", "hazelnuts", "names them", "Poor Ana", "--mentions", "--yes"],
        );
        says(&told(at, &["search", home, "hazelnuts", "--group", "crew"], 0), &["hazelnuts"]);
        says(&of(&["Ana", "--yes"], 0), &["journals 1 found, 1 removed", "names them"]);
        says(&told(at, &["search", home, "hazelnuts", "--group", "crew"], 1), &["Nothing was found"]);
        says(&told(at, &["search", home, "cake", "--group", "crew"], 0), &["Poor Ana"]);
        says(&of(&["Ana", "--mentions", "--yes"], 0), &["journals 1 found, 1 removed"]);
        says(&of(&["Ana"], 1), &["Nothing is of Ana"]);
        told(at, &["erase", home, "--group", "crew"], 2);
        // Whoever says the same later keeps their line. An erasing of anybody took it.
        told(at, &["note", home, "--group", "crew", "--who", "Boris", "I am allergic to hazelnuts."], 1);
        says(&of(&["Eve", "--yes"], 1), &["Nothing is of Eve"]);
        let kept = told(at, &["forgotten", "list", home, "--group", "crew"], 0);
        says(&kept, &["it hides memory/"]);
    }
}

// Groups did not exist for the command.
#[test]
fn a_group_is_dreamt_searched_and_forgotten_in_by_its_name() {
    for home in ["agent", "life.db"] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        ends(at, &["init", home], 0);
        let (marta, crew) = (Scope::user("user"), GroupName::parse("crew").unwrap());
        let workspace: Arc<dyn Workspace> = match home {
            "agent" => Arc::new(FileWorkspace::open(at.join(home)).unwrap()),
            _ => Arc::new(SqliteWorkspace::open(at.join(home), marta.clone()).unwrap()),
        };
        let view: Arc<dyn Workspace> = Arc::new(GroupView::new(workspace, &marta, &crew));
        let life = Life::new(view, LifeConfig::default());
        let access = Access::shared(marta).group(&crew);
        let mut session = life.begin_session(access, "chat", "telegram", Utc::now()).unwrap();
        session.note(&Note::decision("The crew sails to Lisbon in May."), Utc::now()).unwrap();
        drop((session, life));

        says(&told(at, &["status", home], 0), &["Groups crew: noctuary status", "Documents"]);
        assert_eq!(json(at, &["status", home, "--json"], 0)["groups"][0], "crew");
        let of = |verb: &[&'static str], code| {
            let said: Vec<&str> = [&[verb[0], home][..], &verb[1..], &["--group", "crew"]].concat();
            told(at, &said, code)
        };
        let status = of(&["status"], 0);
        says(&status, &["of user, group crew", "in 1 journal"]);
        assert!(!status.contains("Documents"), "{status}");
        says(&of(&["preview"], 0), &["sails to Lisbon"]);
        says(&of(&["dream"], 0), &["1 line promoted"]);
        says(&of(&["status", "--json"], 0), &["\"group\": \"crew\""]);
        says(&of(&["search", "Lisbon"], 0), &["MEMORY.md#L"]);
        assert!(!ends(at, &["dream", home], 0).contains("Lisbon"), "nothing of it is in the private life");
        of(&["undo"], 0);
        of(&["undo", "--redo"], 0);
        let whole = told(at, &["forget", home, "the sail is torn"], 1);
        assert!(!whole.contains("not opened"), "the state of a group is no file of others: {whole}");
        let scope = Scope::user("user").group(&crew);
        let new = NewMemory::new("fact", "The mast is blue and the rope is red.", Source::UserManual);
        let owner = Access::human(scope.clone());
        match home {
            "agent" => {
                let store = FileMemoryStore::open(at.join(home).join("groups/crew"), scope).unwrap();
                store.write(&owner, &new, Utc::now()).unwrap()
            }
            _ => SqliteMemoryStore::open(at.join(home), scope)
                .unwrap()
                .write(&owner, &new, Utc::now())
                .unwrap(),
        };
        says(&of(&["search", "rope"], 0), &["rope is red"]);
        says(&told(at, &["forget", home, "the rope is red"], 0), &["rows 1 found, 1 removed"]);
        says(&of(&["search", "mast"], 0), &["mast is blue and [forgotten]"]);
        let receipt = of(&["forget", "The crew sails to Lisbon in May", "--in-files"], 0);
        says(&receipt, &["MEMORY.md 1 found, 1 removed"]);
        says(&of(&["search", "Lisbon"], 1), &["Nothing was found"]);
        let rows = of(&["rows", "--json"], 0);
        assert!(!rows.contains("Lisbon"), "{rows}");
        // The group's rows go along in a copy, and what it has forgotten in an export.
        let [copy, out, other] = ["copy", "out", "other"].map(|name| format!("{name}-of-{home}"));
        ends(at, &["copy", home, &copy], 0);
        says(&told(at, &["search", &copy, "mast", "--group", "crew"], 0), &["mast is blue"]);
        ends(at, &["export", home, &out], 0);
        ends(at, &["import", &out, &other, "--apply"], 0);
        says(&told(at, &["search", &other, "Lisbon"], 1), &["Nothing was found"]);
        assert!(!told(at, &["forgotten", "list", &other], 0).contains("Nothing is forgotten"));
        says(&told(at, &["dream", home, "--group", "crow"], 3), &["has no group crow", "crew"]);
        says(&told(at, &["doctor", home, "--group", "crew"], 2), &["leave --group out"]);
    }
}

// What a search prints was forgotten in rows and stayed in the journal, with a word that all was done.
#[test]
fn a_line_is_forgotten_as_it_is_printed() {
    for home in ["agent", "life.db"] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        ends(at, &["init", home], 0);
        ends(at, &["note", home, "--kind", "remember", "the cat is called Mia and is grey"], 0);
        ends(at, &["note", home, "--kind", "decision", "the boat is sold in spring"], 0);
        ends(at, &["dream", home], 0);
        let memory = told(at, &["search", home, "cat"], 0);
        let from = memory.rfind(": Remember: the cat").unwrap() - 10;
        let line = format!("{})", memory[from..].split(')').next().unwrap());
        assert!(line.contains("grey (memory/"), "{line}");
        ends(at, &["forget", home, "--in-files", &line], 0);
        assert!(!told(at, &["search", home, "cat"], 1).contains("Mia"), "{line}");
        says(&told(at, &["search", home, "boat"], 0), &["spring"]);
        says(&told(at, &["remember", home, "The mast is blue."], 0), &["Remembered"]);
        says(&told(at, &["remember", home, "The mast is blue."], 0), &["It is there already: memories/"]);
        ends(at, &["forgotten", "lift", home, &line], 0);
        says(&told(at, &["forgotten", "list", home], 0), &["Nothing is forgotten"]);
    }
}

// A group could not be begun by the command, and a note said nothing of forgotten words.
#[test]
fn a_note_begins_a_group_and_tells_of_forgotten_words() {
    for home in ["agent", "life.db"] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        ends(at, &["init", home], 0);
        says(&told(at, &["dream", home, "--group", "rowers"], 3), &["begins it"]);
        says(&told(at, &["note", home, "Tea.", "--group", "The Rowers"], 2), &["a-z, 0-9 and -"]);
        says(&told(at, &["note", home, "Tea.", "--who", "Ida"], 2), &["--group"]);
        let words = [
            "note",
            home,
            "The cox is Ida and we row on Mondays.",
            "--kind",
            "decision",
            "--group",
            "rowers",
        ];
        let noted = told(at, &[&words[..], &["--who", "Ida"]].concat(), 0);
        says(&noted, &["Noted in memory/", "shared.cli.md"]);
        says(&told(at, &["search", home, "cox", "--group", "rowers"], 0), &["Ida"]);
        ends(at, &["dream", home, "--group", "rowers"], 0);
        ends(at, &["remember", home, "The boat shed closes at nine.", "--group", "rowers"], 0);
        let rows = json(at, &["rows", home, "--group", "rowers", "--json"], 0);
        let id = rows["rows"][0]["id"].to_string();
        let id = id.trim_matches('"');
        ends(at, &["pin", home, id, "--group", "rowers"], 0);

        ends(at, &["forget", home, "the shed key is under the mat"], 1);
        let noted = told(at, &["note", home, "The shed key is under the mat."], 1);
        says(&noted, &["Noted in memory/", "what is forgotten"]);
        assert!(!told(at, &["search", home, "shed key"], 1).contains("mat"));
        if home == "agent" {
            std::fs::create_dir_all(at.join("agent/groups/The Rowers")).unwrap();
            says(&told(at, &["status", home], 0), &["No groups 1 folder below groups/", "The Rowers"]);
        }
    }
}

// What is marked in a group was left, a group's state was looked at by nobody, and hints were about the life.
#[test]
fn a_group_is_kept_told_and_mended_as_a_life_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for home in ["agent", "agent.db"] {
        ends(at, &["init", home], 0);
        let words = "oars rope anchor sails lamps charts flares radio stove water bread knife";
        for (place, thing) in (1..).zip(words.split(' ')) {
            let text = format!("The {thing} stay in locker {place}.");
            ends(at, &["note", home, "--group", "crew", "--who", "Ana", "--kind", "remember", &text], 0);
        }
        ends(at, &["dream", home, "--group", "crew"], 0);
        told(at, &["feed", home, "--group", "crew"], 0);
        let rows = json(at, &["rows", home, "--group", "crew", "--json"], 0);
        assert_eq!(rows["rows"].as_array().unwrap().len(), 12, "{rows}");

        let out = format!("out-of-{home}");
        says(&told(at, &["export", home, &out], 0), &["rows of crew are not in it", "noctuary copy"]);
        // Its rows went nowhere by an export.
        let crew = format!("crew-of-{home}");
        let second = format!("second-{home}");
        ends(at, &["export", home, &crew, "--group", "crew"], 0);
        ends(at, &["init", &second], 0);
        let plan = told(at, &["import", &crew, &second, "--group", "crew"], 0);
        says(&plan, &["would be added", "Nothing was written"]);
        assert!(!at.join(&second).join("groups").exists());
        told(at, &["import", &crew, &second, "--group", "crew", "--apply"], 0);
        let rows = json(at, &["rows", &second, "--group", "crew", "--json"], 0);
        assert_eq!(rows["rows"].as_array().unwrap().len(), 12, "{rows}");
        json(at, &["rows", &second, "--json"], 1);
        told(at, &["import", &crew, &second, "--group", "crew", "--from", "codex"], 2);
        says(&told(at, &["import", &crew, &second, "--group", "crew", "--apply"], 0), &["0 files added"]);
        // What was forgotten there and is noted again was told in the life alone.
        let words = "The parrot sleeps in the galley.";
        ends(at, &["note", home, "--group", "crew", "--who", "Ana", words], 0);
        told(at, &["forget", home, "--group", "crew", "--in-files", words], 0);
        let again = told(at, &["note", home, "--group", "crew", "--who", "Ana", words], 1);
        says(&again, &["It says what is forgotten", "Noted in memory/"]);
        says(&told(at, &["erase", home, "--group", "crew"], 2), &["--who erases one of its people"]);
        ends(at, &["remember", home, "The office is in Oslo.", "--group", "crew"], 0);
        let doubted = told(at, &["remember", home, "The office is in Bergen.", "--group", "crew"], 1);
        says(&doubted, &[&format!("noctuary suspects {home} --group crew")]);
        let answer = told(at, &["suspects", home, "--group", "crew"], 1);
        says(&answer, &[&format!("noctuary suspects {home} --group crew 1 2 newer")]);
        let retired = told(at, &["retire", home, "14", "--group", "crew"], 0);
        says(&retired, &[&format!("noctuary restore {home} --group crew 14")]);
    }
    let ledger = at.join("agent/groups/crew/.dreaming.d/ledger.json");
    fs::write(&ledger, "{\"v\":").unwrap();
    let erase = ["erase", "agent", "--group", "crew", "--who", "Ana", "--yes"];
    says(&told(at, &erase, 3), &["ledger.json", "`noctuary doctor agent`"]);
    let rows = json(at, &["rows", "agent", "--group", "crew", "--json"], 0);
    assert_eq!(rows["rows"].as_array().unwrap().len(), 13, "nothing is half erased: {rows}");
    says(&told(at, &["doctor", "agent"], 1), &["ledger.json of the group crew"]);
    ends(at, &["doctor", "agent", "--fix", "--apply"], 0);
    ends(at, &erase, 0);
    assert_eq!(
        fs::read_to_string(at.join("agent/groups/crew/MEMORY.md")).unwrap().matches("locker").count(),
        0
    );
}

#[test]
fn of_a_pair_the_row_of_the_earlier_time_is_the_older_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ends(at, &["init", "agent"], 0);
    fs::create_dir_all(at.join("agent/memory")).unwrap();
    for (day, town) in [("2026-11-20", "Bergen"), ("2026-04-18", "Oslo")] {
        let journal = at.join(format!("agent/memory/{day}-chat.md"));
        fs::write(journal, format!("- [user] Decision: The office is in {town}.\n")).unwrap();
        ends(at, &["dream", "agent", "--all"], 0);
        told(at, &["feed", "agent"], 0);
    }
    let pairs = json(at, &["suspects", "agent", "--json"], 1);
    assert!(pairs[0]["older"]["content"].as_str().unwrap().contains("Oslo"), "{pairs}");
    let (older, newer) = (pairs[0]["older"]["id"].to_string(), pairs[0]["newer"]["id"].to_string());
    ends(at, &["suspects", "agent", &older, &newer, "newer"], 0);
    let row = json(at, &["row", "agent", &newer, "--json"], 0);
    assert_eq!(row["status"]["valid_until"], serde_json::Value::Null, "{row}");
}
