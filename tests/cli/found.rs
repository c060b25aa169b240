//! The line that a search found is what a terminal shows.

use std::fs;

use crate::ends;

#[test]
fn a_search_shows_the_line_that_matched() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ends(at, &["init", "life"], 0);
    let lines = include_str!("../memory/found.tsv").lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    let filler =
        |word: &str| format!("Nothing {word} happened that night, and nobody wrote of it. ").repeat(8);
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let piano = if row[0].starts_with("two words") { "The piano is out of tune." } else { "" };
        text += &format!("## Entry {number}\n\n{}{}\n{}{piano}\n\n", filler("much"), row[2], filler("else"));
    }
    fs::write(at.join("life/MEMORY.md"), text).unwrap();
    for row in rows {
        let shown = ends(at, &["search", "life", row[1]], 0);
        let on_one_line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(on_one_line.contains(row[2]), "{row:?}\n{shown}");
        assert!(on_one_line.contains("… Nothing"), "{row:?} is far from the beginning\n{shown}");
    }
}

/// BX-57, of the command.
#[test]
fn two_homes_answer_one_question_and_each_hit_says_whose_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (home, text) in [("work", "- Releases of the ferry go out on Fridays.\n"), ("me.db", "")] {
        ends(at, &["init", home], 0);
        if !text.is_empty() {
            fs::write(at.join(home).join("MEMORY.md"), text).unwrap();
        }
    }
    ends(at, &["remember", "work", "The ferry leaves from the north pier.", "--about", "ferry/pier"], 0);
    ends(at, &["remember", "me.db", "The ferry leaves from the south pier.", "--about", "ferry/pier"], 0);
    let alone = ends(at, &["search", "work", "ferry pier"], 0);
    assert!(alone.starts_with("memories/1") && !alone.contains("south"), "{alone}");
    let both = ends(at, &["search", "work", "ferry pier", "--with", "me.db"], 0);
    let places: Vec<usize> =
        ["work: memories/1", "me.db: memories/1"].iter().map(|name| both.find(name).unwrap()).collect();
    assert!(places[0] < places[1] && both.contains("south pier"), "{both}");
    assert!(both.contains("memory 1 of me.db is newer and states the same property"), "{both}");
    assert!(both.contains("work: MEMORY.md#L1"), "{both}");
    let told = ends(at, &["--json", "search", "work", "ferry pier", "--with", "me.db"], 0);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["rows"][0]["home"], "work");
    assert_eq!(told["rows"][0]["newer"], serde_json::json!({"home": "me.db", "id": 1}));
    ends(at, &["search", "work", "ferry", "--with", "nowhere"], 3);
    let receipt = ends(at, &["forget", "work", "Releases of the ferry go out on Fridays"], 1);
    assert!(receipt.contains("With `--in-files`, `noctuary forget work`"), "the next step: {receipt}");
}

/// A passage with one tagged entry brought the entries beside it along.
#[test]
fn an_entry_without_the_tag_is_not_found_beside_one_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ends(at, &["init", "life"], 0);
    for text in ["The ferry is late today. #boats", "The ferry serves oat milk."] {
        ends(at, &["note", "life", text], 0);
    }
    let told = ends(at, &["search", "life", "ferry", "--tag", "Boats"], 0);
    assert!(told.contains("late today") && !told.contains("oat milk"), "{told}");
}

/// A step named PATH where the command knew the home.
#[test]
fn a_next_step_names_the_home_that_the_command_is_about() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ends(at, &["init", "me.db", "--user", "marta"], 0);
    for (arguments, step) in [
        (&["undo", "me.db"][..], "`noctuary status me.db` lists them"),
        (&["row", "me.db", "--user", "marta", "one"], "`noctuary rows me.db --user marta` lists them"),
        (&["undo", "me.db", "0123456789abcdef"], "`noctuary doctor me.db` says"),
    ] {
        let output = crate::run(at, arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(step) && !told.contains("PATH"), "{arguments:?}: {told}");
    }
}

/// A request by the command left the words in charts and reports.
#[test]
fn what_is_forgotten_leaves_artifacts_too() {
    use noctuary::artifacts::{ArtifactData, ArtifactKind, ArtifactStore, NewArtifact};
    use noctuary::{Access, FileArtifactStore, Scope, SqliteArtifactStore};

    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for home in ["life", "life.db"] {
        ends(at, &["init", home], 0);
        let (scope, now) = (Scope::user("user"), chrono::Utc::now());
        let open = || -> Box<dyn ArtifactStore> {
            if home == "life" {
                Box::new(FileArtifactStore::open(at.join(home), scope.clone()).unwrap())
            } else {
                Box::new(SqliteArtifactStore::open(at.join(home), scope.clone()).unwrap())
            }
        };
        let agent = Access::agent(scope.clone());
        let id = open().insert(&agent, &NewArtifact::new(ArtifactKind::Report, "Letters"), now).unwrap();
        let text = ArtifactData::markdown("The landlord is Jan Kowalski.");
        open().mark_completed(&agent, &id, &text, now).unwrap();
        let told = ends(at, &["forget", home, "The landlord is Jan Kowalski"], 0);
        assert!(told.contains("artifacts") && told.contains("1 removed"), "{told}");
        assert!(open().get(&agent, &id).is_err(), "{home}");
    }
}

/// A folder of another program was refused file by file, and nothing named the option.
#[test]
fn a_folder_that_is_no_export_says_how_it_comes_in() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("theirs")).unwrap();
    for number in 0..30 {
        fs::write(at.join(format!("theirs/{number}.jsonl")), "{}\n").unwrap();
    }
    fs::create_dir(at.join("theirs/workspace")).unwrap();
    let told = ends(at, &["import", "theirs", "life", "--from", "openclaw"], 1);
    assert!(told.contains("Nothing of theirs is memory of that program"), "{told}");
    let told = ends(at, &["import", "theirs", "life"], 1);
    assert!(told.contains("and 10 more") && told.contains("say whose it is with --from:"), "{told}");
}

/// A search of a database read all of its documents each time.
#[test]
fn a_kept_index_of_a_database_is_of_each_life_and_leaves_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("kept.toml"), "[search]\nindex = \"kept\"\n").unwrap();
    let kept =
        |arguments: &[&str], code: i32| ends(at, &[&["--config", "kept.toml"], arguments].concat(), code);
    let files = || fs::read_dir(at.join("kept")).map_or(0, Iterator::count);
    for (user, text) in [("ana", "The ferry leaves at six."), ("boris", "The ferry leaves at nine.")] {
        kept(&["init", "home.db", "--user", user], 0);
        kept(&["note", "home.db", "--user", user, text], 0);
    }
    for (user, hour, other) in [("ana", "six", "nine"), ("boris", "nine", "six"), ("ana", "six", "nine")] {
        let told = kept(&["search", "home.db", "--user", user, "ferry leaves"], 0);
        assert!(told.contains(hour) && !told.contains(other), "{told}");
    }
    assert!(files() >= 2, "one of each life");
    kept(&["note", "home.db", "--user", "ana", "The ferry is blue."], 0);
    assert!(kept(&["search", "home.db", "--user", "ana", "blue"], 0).contains("blue"));
    kept(&["forget", "home.db", "--user", "ana", "--in-files", "The ferry leaves at six."], 0);
    assert_eq!(files(), 0, "what was forgotten is in them");
    kept(&["search", "home.db", "--user", "boris", "ferry"], 0);
    kept(&["erase", "home.db", "--user", "boris", "--yes"], 0);
    assert_eq!(files(), 0);
}

/// A search of a large folder read all of it each time.
#[test]
fn a_kept_index_follows_the_folder_and_leaves_with_what_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ends(at, &["init", "life"], 0);
    fs::write(at.join("life/MEMORY.md"), "- Releases of the ferry go out on Fridays.\n").unwrap();
    fs::write(at.join("kept.toml"), "[search]\nindex = \"kept\"\n").unwrap();
    let search = |words: &str, code: i32| ends(at, &["--config", "kept.toml", "search", "life", words], code);
    let files =
        || -> Vec<_> { fs::read_dir(at.join("kept")).unwrap().map(|file| file.unwrap().path()).collect() };
    assert!(search("ferry releases", 0).contains("Fridays"));
    let other = at.join("other/life");
    ends(at, &["init", "other/life"], 0);
    ends(at, &["--config", "kept.toml", "search", "other/life", "ferry"], 1);
    let of_one = files().len();
    ends(at, &["--config", "kept.toml", "erase", "other/life", "--yes"], 0);
    assert!(files().len() < of_one && !files().is_empty(), "{other:?} has an index of its own");
    let kept = files().into_iter().find(|file| file.extension().is_some_and(|end| end == "db")).unwrap();
    fs::write(at.join("life/memory.txt"), "no document").unwrap();
    fs::write(at.join("life/MEMORY.md"), "- Releases of the ferry go out on Mondays.\n").unwrap();
    let told = search("ferry releases", 0);
    assert!(told.contains("Mondays") && !told.contains("Fridays"), "{told}");
    // A damaged one is made anew.
    fs::write(&kept, "no database at all, but long enough to be one. ".repeat(40)).unwrap();
    assert!(search("ferry releases", 0).contains("Mondays"));
    let forget =
        ["--config", "kept.toml", "forget", "life", "--in-files", "Releases of the ferry go out on Mondays"];
    ends(at, &forget, 0);
    assert!(files().is_empty(), "{:?}", files());
    search("ferry releases", 1);
    let held =
        files().into_iter().any(|file| String::from_utf8_lossy(&fs::read(file).unwrap()).contains("Mondays"));
    assert!(!held, "what is forgotten is not kept again");
    ends(at, &["--config", "kept.toml", "erase", "life", "--yes"], 0);
    assert!(files().is_empty(), "{:?}", files());
    ends(at, &["init", "life"], 0);
    fs::write(at.join("kept.toml"), "[search]\nindex = \"life/kept\"\n").unwrap();
    search("ferry", 2);
    assert!(!at.join("life/kept").exists());
    ends(at, &["--config", "kept.toml", "forget", "life", "nobody said this"], 1);
    // It is a help, and no need.
    fs::write(at.join("life/MEMORY.md"), "- The ferry is blue.\n").unwrap();
    fs::write(at.join("kept.toml"), "[search]\nindex = \"kept.toml\"\n").unwrap();
    let output = crate::run(at, &["--config", "kept.toml", "search", "life", "ferry"]);
    let warned = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && warned.contains("[search]"), "{output:?}");
}
