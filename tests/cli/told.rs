//! An operator who has the command alone: the output says what was done, what was left, and what to do next.

use std::fs;
use std::path::Path;

use chrono::{TimeDelta, Utc};

use crate::operator::{says, told};
use crate::{ends, json};

/// Makes a home of a new folder.
fn home(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    ends(folder.path(), &["init", name], 0);
    folder
}

/// Writes a journal of days ago.
fn journal(folder: &Path, home: &str, days: i64, lines: &str) -> String {
    let day = (Utc::now() - TimeDelta::days(days)).date_naive();
    let name = format!("memory/{day}-cli.md");
    fs::create_dir_all(folder.join(home).join("memory")).unwrap();
    fs::write(folder.join(home).join(&name), format!("# {day}\n\n{lines}")).unwrap();
    name
}

// Lines for which a night without a model had no room were in the JSON alone, and the output said that something was sent
// to a model.
#[test]
fn a_night_without_a_model_says_what_had_no_room_and_that_nothing_was_sent() {
    let folder = home("life");
    let at = folder.path();
    let places = ["Oslo", "Bergen", "Nes", "Lysekil", "Marstrand", "Visby", "Kalmar", "Ystad", "Malmö"];
    let names = ["Hedda", "Karen", "Tom", "Ilya", "Amina", "Bengt", "Lovisa", "Nils", "Rasmus"];
    let lines: String = places
        .iter()
        .zip(names)
        .map(|(place, name)| {
            format!("- [09:00:00] [user] I decided last Monday that {name} moves our {name}shop to {place} for good.\n")
        })
        .collect();
    journal(at, "life", 1, &lines);
    let said = told(at, &["dream", "life", "--html", "night.html"], 0);
    says(
        &said,
        &[
            "nothing waits, no model.",
            "No room for 3 lines: without a model",
            "--json",
            "--endpoint and --model",
        ],
    );
    assert!(!said.contains("1 call"), "{said}");
    let page = fs::read_to_string(at.join("night.html")).unwrap();
    says(&page, &["none: lines were picked from ", " on this machine"]);
    assert!(!page.contains(" sent"), "nothing was sent");
    ends(at, &["page", "life", "--dream", "last", "--out", "past.html"], 0);
    says(&fs::read_to_string(at.join("past.html")).unwrap(), &["none: lines were picked from "]);
}

// The repair ended at a memory store that was cut, with an error alone: it had mended the ledger, and did not say so.
#[test]
fn a_repair_says_what_it_mended_and_goes_on_behind_a_file_that_it_cannot_read() {
    let folder = home("life");
    let at = folder.path();
    ends(at, &["note", "life", "--kind", "decision", "We release on Thursdays, Ilya signs."], 0);
    ends(at, &["dream", "life"], 0);
    ends(at, &["remember", "life", "The office is in Oslo."], 0);
    ends(at, &["remember", "life", "Amina is allergic to hazelnuts."], 0);
    let state = at.join("life/.dreaming.d");
    let rows = fs::read(state.join("memories.jsonl")).unwrap();
    fs::write(state.join("memories.jsonl"), &rows[..rows.len() - 25]).unwrap();
    fs::remove_file(state.join("ledger.json")).unwrap();
    open_to_all(&state.join("log.jsonl"));

    let said = told(at, &["doctor", "life", "--fix", "--apply"], 1);
    says(&said, &["done state .dreaming.d/ledger.json", "Something could not be mended or noted: "]);
    says(&said, &["put back a backup", "noctuary doctor life --fix --apply", "for you"]);
    if cfg!(unix) {
        says(&said, &["done permissions .dreaming.d/log.jsonl"]);
    }
    assert!(state.join("ledger.json").exists());
    let again = json(at, &["doctor", "life", "--fix", "--apply", "--json"], 1);
    assert_eq!((again["actions"].as_array().unwrap().len(), again["left"].as_u64()), (0, Some(1)), "{again}");
}

#[cfg(unix)]
fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;

    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
}

#[cfg(not(unix))]
fn open_to_all(_: &Path) {}

// A home in the place of the export was read as a foreign folder, or as a file of nobody knows whom.
#[test]
fn an_import_of_a_home_names_the_command_that_copies() {
    let folder = home("life");
    let at = folder.path();
    ends(at, &["init", "life.db"], 0);
    for source in ["life", "life.db", "postgres://127.0.0.1/lives"] {
        let said = told(at, &["import", source, "other"], 2);
        says(&said, &["is a home, and no export", &format!("`noctuary copy {source} other`")]);
    }
    ends(at, &["export", "life", "out"], 0);
    says(
        &told(at, &["import", "life", "out"], 2),
        &["`noctuary copy life out`", "`noctuary import EXPORT out`"],
    );
    ends(at, &["import", "out", "life"], 0);
}

// A part of an identity was taken without a word, and nothing was trusted.
#[test]
fn an_identity_that_is_cut_short_is_refused() {
    let folder = home("life");
    let at = folder.path();
    let said = ends(at, &["export", "life", "out"], 0);
    let identity = said.lines().find(|line| line.contains(':') && line.len() == 81).unwrap();
    for short in [&identity[..16], &identity[..40], "x"] {
        let said = told(at, &["import", "out", "other", "--trust", short], 2);
        says(
            &said,
            &["is no identity: it has 16 and 64 hexadecimal digits", "the whole line that `noctuary export`"],
        );
    }
    says(&told(at, &["import", "out", "other", "--trust", identity], 0), &["whom you trust"]);
}

/// Writes lines of two people into a journal of the group `chat`.
fn group(folder: &Path) {
    for (who, text) in
        [("Ana", "My landlord in Oslo is Jan Kowalski."), ("Boris", "Ana, tell him of the rain!")]
    {
        ends(folder, &["note", "life", "--group", "chat", "--who", who, text], 0);
    }
}

// The list showed what a group has forgotten as if the owner had.
#[test]
fn a_list_of_what_is_forgotten_says_what_is_of_a_group_alone() {
    let folder = home("life");
    let at = folder.path();
    group(at);
    ends(at, &["note", "life", "The rent in Oslo is 900 euros."], 0);
    ends(at, &["forget", "life", "The rent in Oslo is 900 euros."], 1);
    ends(at, &["forget", "life", "--group", "chat", "My landlord in Oslo is Jan Kowalski."], 1);
    let list = json(at, &["forgotten", "list", "life", "--json"], 0);
    let groups: Vec<_> = list.as_array().unwrap().iter().map(|one| &one["groups"]).collect();
    assert_eq!(groups.iter().filter(|of| ***of == serde_json::json!(["chat"])).count(), 1, "{list}");
    assert_eq!(groups.iter().filter(|of| ***of == serde_json::json!([])).count(), groups.len() - 1, "{list}");
    let said = told(at, &["forgotten", "list", "life"], 0);
    assert_eq!(said.matches("of the group chat alone").count(), 1, "{said}");
    let said = told(at, &["forgotten", "list", "life", "--group", "chat"], 0);
    assert!(!said.contains("of the group"), "its own list needs no name: {said}");
}

// The plan of an erasing named neither the proposal nor the earlier versions that it removes as well.
#[test]
fn the_plan_of_an_erasing_counts_proposals_and_earlier_versions() {
    let folder = home("life");
    let at = folder.path();
    group(at);
    ends(at, &["dream", "life", "--group", "chat"], 0);
    let more = ["--who", "Ana", "--kind", "remember", "I am allergic to hazelnuts since 2026-01-03."];
    ends(at, &[&["note", "life", "--group", "chat"][..], &more].concat(), 0);
    ends(at, &["dream", "life", "--group", "chat", "--propose", "--now"], 0);

    let erase = ["erase", "life", "--group", "chat", "--who", "Ana"];
    let said = told(at, &erase, 0);
    says(
        &said,
        &["would erase 1 place in proposals that wait for review", " in earlier versions of documents"],
    );
    let plan = json(at, &[&erase[..], &["--json"]].concat(), 0);
    let receipt = json(at, &[&erase[..], &["--yes", "--json"]].concat(), 0);
    for place in ["proposals", "versions"] {
        let gone = receipt["places"].as_array().unwrap().iter().find(|line| line["place"] == place).unwrap();
        assert_eq!(plan[place], gone["removed"], "{plan} {receipt}");
    }
}

// The parser listed `review`, `retire` and `dreams-on` beside `dream`, and for swapped letters it named none.
#[test]
fn an_unknown_command_or_option_names_the_nearest_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (said, near) in [
        (&["dreem", "life"][..], "similar subcommand exists: 'dream'"),
        (&["forgoten", "list"], "similar subcommand exists: 'forgotten'"),
        (&["dream", "life", "--nwo"], "similar argument exists: '--now'"),
        (&["status", "life", "--jsno"], "similar argument exists: '--json'"),
        (&["dreem", "life", "--json"], "similar subcommand exists: 'dream'"),
    ] {
        let told = told(at, said, 2);
        says(&told, &[near]);
        assert!(!told.contains("retire") && !told.contains("as a value"), "{told}");
    }
    let told = told(at, &["zzzzzz"], 2);
    assert!(!told.contains("similar"), "{told}");
}

// A name with a capital was refused by a note with a rule of paths, and other commands told to note with it.
#[test]
fn the_name_of_a_group_that_cannot_be_says_its_letters() {
    let folder = home("life");
    let at = folder.path();
    for command in [&["note", "life", "Tea."][..], &["status", "life"], &["rows", "life"]] {
        let said = told(at, &[command, &["--group", "Family Chat"]].concat(), 2);
        says(&said, &["\"Family Chat\" is no name of a group", "at most 40 of a-z, 0-9 and -"]);
    }
    says(&told(at, &["note", "--help"], 0), &["a name of a-z, 0-9 and -"]);
}

// A row of a dream said an hour from which it was true, which nobody had told.
#[test]
fn a_row_of_a_dream_is_true_from_a_day_and_not_from_an_hour() {
    let folder = home("life");
    let at = folder.path();
    let name = journal(at, "life", 3, "- [09:00:00] [user] Decision: the office is in Oslo from now on.\n");
    let day = &name["memory/".len()..][..10];
    ends(at, &["dream", "life"], 0);
    ends(at, &["feed", "life"], 0);
    fs::write(at.join("far.toml"), "[day]\nzone = \"Asia/Bangkok\"\n").unwrap();
    for settings in [&[][..], &["--config", "far.toml"]] {
        let said = ends(at, &[settings, &["row", "life", "1"]].concat(), 0);
        let line = said.lines().find(|line| line.contains("true from")).unwrap();
        assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["true", "from", day], "{said}");
    }
}
