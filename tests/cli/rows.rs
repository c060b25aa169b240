//! Rows, rules, methods and lessons by the command.

use std::path::Path;

use chrono::Utc;
use noctuary::learning::{MethodStore, NewMethod, NewPreference, PreferenceStore};
use noctuary::memory::{LearningStore, NewLearning};
use noctuary::{Access, FileMemoryStore, Scope, SqliteMemoryStore};
use serde_json::Value;

use crate::{ends, json, run};

/// The homes that each test tries.
const HOMES: [&str; 2] = ["agent", "life.db"];

fn id(told: &Value) -> String {
    told["id"].to_string()
}

fn contents(told: &Value) -> Vec<&str> {
    told["rows"].as_array().unwrap().iter().map(|row| row["content"].as_str().unwrap()).collect()
}

#[test]
fn rows_are_written_listed_corrected_pinned_retired_and_restored() {
    for home in HOMES {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        ends(at, &["init", home], 0);
        ends(at, &["rows", home], 1);
        let wrong = id(&json(at, &["remember", home, "The harbour opens at six. #boats", "--json"], 0));
        let other = id(&json(
            at,
            &["remember", home, "Nguyễn Thị Ánh likes oat milk", "--category", "user", "--json"],
            0,
        ));
        let listed = json(at, &["rows", home, "--json"], 0);
        assert_eq!(contents(&listed), ["Nguyễn Thị Ánh likes oat milk", "The harbour opens at six. #boats"]);

        for (filter, hits) in [
            (vec!["--category", "fact"], 1),
            (vec!["--tag", "Boats"], 1),
            (vec!["--tag", "boat"], 0),
            (vec!["--from", "2020-02-29", "--until", "2999-12-31"], 2),
            (vec!["--until", "2020-02-29"], 0),
            (vec!["--state", "candidate"], 2),
            (vec!["--state", "superseded"], 0),
            (vec!["--origin", "tool"], 0),
            (vec!["--origin", "User"], 2),
            (vec!["--who", "ana"], 0),
            (vec!["--limit", "1"], 1),
        ] {
            let arguments: Vec<&str> = ["rows", home, "--json"].into_iter().chain(filter).collect();
            let told = json(at, &arguments, i32::from(hits == 0));
            assert_eq!(contents(&told).len(), hits, "{arguments:?}");
        }

        let right = id(&json(at, &["correct", home, &wrong, "The harbour opens at seven.", "--json"], 0));
        let told = json(at, &["row", home, &right, "--json"], 0);
        assert_eq!(told["history"][0]["content"], "The harbour opens at six. #boats");
        let page = ends(at, &["row", home, &format!("memories/{wrong}")], 0);
        assert!(page.contains(&format!("by memories/{right}")) && page.contains("Later"), "{page}");
        let retired = json(at, &["rows", home, "--state", "superseded", "--json"], 0);
        assert_eq!(contents(&retired), ["The harbour opens at six. #boats"]);

        ends(at, &["pin", home, &right], 0);
        let right =
            id(&json(at, &["correct", home, &right, "The harbour opens at seven sharp.", "--json"], 0));
        assert_eq!(
            json(at, &["row", home, &right, "--json"], 0)["pinned"],
            true,
            "a pinned row stays pinned"
        );
        ends(at, &["pin", home, &right, "--off"], 0);
        ends(at, &["pin", home, &other], 0);
        assert!(ends(at, &["rows", home], 0).contains("pinned"));
        ends(at, &["pin", home, &other, "--off"], 0);
        assert!(!ends(at, &["rows", home], 0).contains("pinned"));
        assert!(ends(at, &["retire", home, &other], 0).contains(&format!("restore {home} {other}")));
        ends(at, &["retire", home, &other], 3);
        ends(at, &["search", home, "oat milk"], 1);
        ends(at, &["restore", home, &other], 0);
        ends(at, &["search", home, "oat milk"], 0);

        for (arguments, code) in [
            (vec!["row", home, "4711"], 3),
            (vec!["row", home, "ana"], 2),
            (vec!["row", home, "-1"], 2),
            (vec!["correct", home, "4711", "It opens at eight."], 3),
            (vec!["correct", home, &wrong, "It opens at eight."], 3),
            (vec!["pin", home, "4711"], 3),
            (vec!["remember", home, " "], 2),
            (vec!["remember", home, "Oslo", "--about", "office"], 2),
            (vec!["remember", home, "Oslo", "--about", "/city"], 2),
            (vec!["remember", home, "Oslo", "--about", "a/b/c"], 2),
            (vec!["rows", home, "--from", "yesterday"], 2),
            (vec!["rows", home, "--state", "lost"], 2),
        ] {
            ends(at, &arguments, code);
        }
        let key = "AKIAIOSFODNN7EXAMPLE";
        for arguments in [vec!["remember", home, key], vec!["correct", home, &right, key]] {
            let output = run(at, &arguments);
            assert_eq!(output.status.code(), Some(3));
            assert!(!String::from_utf8_lossy(&output.stderr).contains(key));
        }
        assert_eq!(
            contents(&json(at, &["rows", home, "--json"], 0)).len(),
            2,
            "nothing came of what was refused"
        );
    }
}

#[test]
fn a_value_is_replaced_by_its_property_and_a_doubt_is_answered() {
    for home in HOMES {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        ends(at, &["init", home], 0);
        for city in ["Oslo", "Bergen"] {
            let text = format!("The office is in {city}.");
            ends(at, &["remember", home, &text, "--about", "office/city", "--json"], 0);
        }
        assert_eq!(contents(&json(at, &["rows", home, "--json"], 0)), ["The office is in Bergen."]);

        for (answer, left) in [
            ("same", vec!["The blue boat Ana lies in the harbour of Oslo"]),
            ("newer", vec!["The blue boat Ana lies in the harbour of Lisbon"]),
            ("older", vec!["The blue boat Ana lies in the harbour of Oslo"]),
            (
                "both",
                vec![
                    "The blue boat Ana lies in the harbour of Lisbon",
                    "The blue boat Ana lies in the harbour of Oslo",
                ],
            ),
            ("neither", vec![]),
        ] {
            let home = format!("{answer}-{home}");
            ends(at, &["init", &home], 0);
            ends(at, &["suspects", &home], 0);
            let mut ids = Vec::new();
            for city in ["Oslo", "Lisbon"] {
                let text = format!("The blue boat Ana lies in the harbour of {city}");
                ids.push(id(&json(at, &["remember", &home, &text, "--json"], i32::from(city == "Lisbon"))));
            }
            let pairs = json(at, &["suspects", &home, "--json"], 1);
            assert_eq!(pairs[0]["older"]["id"].to_string(), ids[0]);
            assert!(ends(at, &["row", &home, &ids[1]], 1).contains("May contradict"));
            ends(at, &["suspects", &home, &ids[0], &ids[1]], 2);
            ends(at, &["suspects", &home, &ids[1], &ids[0], answer], 3);
            ends(at, &["suspects", &home, &ids[0], &ids[1], answer], 0);
            ends(at, &["suspects", &home], 0);
            let listed = json(at, &["rows", &home, "--json"], i32::from(left.is_empty()));
            assert_eq!(contents(&listed), left, "{answer}");
        }
    }
}

// A restore made two current values of one property, a retired row was in no list, and a wrong answer could not be taken back.
#[test]
fn what_a_person_did_to_a_row_by_mistake_is_listed_and_taken_back() {
    for home in HOMES {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        ends(at, &["init", home], 0);
        let city = |city: &str| {
            let text = format!("The office is in {city}.");
            id(&json(at, &["remember", home, &text, "--about", "office/city", "--json"], 0))
        };
        assert!(ends(at, &["rows", home, "--state", "retired"], 1).contains("No row is retired."));
        let oslo = city("Oslo");
        ends(at, &["retire", home, &oslo], 0);
        let retired = json(at, &["rows", home, "--state", "retired", "--json"], 0);
        assert_eq!(contents(&retired), ["The office is in Oslo."]);
        let listed = ends(at, &["rows", home, "--state", "retired"], 0);
        assert!(listed.contains(&format!("noctuary restore {home} {oslo}")), "{listed}");
        let says = |arguments: &[&str], words: &[&str]| {
            let output = run(at, arguments);
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(3), "{arguments:?} {told}");
            for word in words {
                assert!(told.contains(word), "{arguments:?} {told}");
            }
        };
        says(&["row", home, &oslo], &["is retired", "noctuary restore", "--state retired"]);
        let bergen = city("Bergen");
        says(
            &["restore", home, &oslo],
            &[&format!("memories/{bergen} says the same property by now"), "retire memories/"],
        );
        assert_eq!(contents(&json(at, &["rows", home, "--json"], 0)), ["The office is in Bergen."]);
        ends(at, &["retire", home, &bergen], 0);
        ends(at, &["restore", home, &oslo], 0);
        assert_eq!(contents(&json(at, &["rows", home, "--json"], 0)), ["The office is in Oslo."]);

        // A correction is no answer.
        let lisbon = id(&json(at, &["correct", home, &oslo, "The office is in Lisbon.", "--json"], 0));
        says(&["suspects", home, &oslo, &lisbon, "--undo"], &["no answer on rows"]);
        ends(at, &["suspects", home, &oslo, &lisbon], 2);
        let boat = |harbour: &str, code| {
            let text = format!("The blue boat Ana lies in the harbour of {harbour}");
            id(&json(at, &["remember", home, &text, "--json"], code))
        };
        let (older, newer) = (boat("Oslo", 0), boat("Turku", 1));
        let before = json(at, &["rows", home, "--json"], 0);
        for answer in ["same", "newer", "older", "both", "neither"] {
            let told = ends(at, &["suspects", home, &older, &newer, answer], 0);
            assert!(told.contains(&format!("noctuary suspects {home} {older} {newer} --undo")), "{told}");
            ends(at, &["suspects", home], 0);
            ends(at, &["suspects", home, &older, &newer, "--undo"], 0);
            assert_eq!(json(at, &["suspects", home, "--json"], 1).as_array().unwrap().len(), 1, "{answer}");
            assert_eq!(contents(&json(at, &["rows", home, "--json"], 0)), contents(&before), "{answer}");
            says(&["suspects", home, &older, &newer, "--undo"], &["no answer on rows"]);
        }
    }
}

// The messages were those of the parser and of the library.
#[test]
fn a_wrong_filter_or_word_says_what_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ends(at, &["init", "agent"], 0);
    ends(at, &["remember", "agent", "The harbour opens at six."], 0);
    let told = |arguments: &[&str], code: i32| {
        let output = run(at, arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {told}");
        told
    };
    for arguments in [
        &["rows", "agent", "--from", "yesterday"][..],
        &["rows", "agent", "--until", "20.11.2026"],
        &["search", "agent", "tea", "--as-of", "2026-13-01"],
        &["import", "x", "agent", "--from", "codex", "--since", "soon"],
    ] {
        assert!(told(arguments, 2).contains("a day is wanted, as 2026-11-20"), "{arguments:?}");
    }
    assert!(told(&["rows", "agent", "--state", "lost"], 2).contains("superseded"));
    assert!(told(&["rows", "agent", "--origin", "tol"], 2).contains("tool, web, import"));
    assert_eq!(told(&["rows", "agent", "--origin", "tool:exec"], 1), "");
    for verb in [&["rows", "agent"][..], &["search", "agent", "harbour"]] {
        let known = told(&[verb, &["--category", "facts"]].concat(), 1);
        assert!(known.contains("no row has the category facts") && known.contains("fact"), "{known}");
        assert_eq!(told(&[verb, &["--category", "fact"]].concat(), 0), "");
    }

    ends(at, &["forget", "agent", "the landlord is called Jan"], 1);
    for verb in ["remember", "note"] {
        let refused = run(at, &[verb, "agent", "The landlord is called Jan."]);
        let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.contains("Forget::lift"), "{verb}: {refused}");
        assert!(refused.is_empty() || refused.contains("noctuary forgotten lift"), "{verb}: {refused}");
    }
    assert!(told(&["init", "other", "--user", "ana"], 2).contains("a folder is one life"));
    assert!(!at.join("other").exists());
    assert_eq!(told(&["init", "life.db", "--user", "ana"], 0), "");
}

#[test]
fn a_dream_makes_rows_where_a_home_keeps_them_and_an_undo_takes_them_along() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for home in HOMES {
        ends(at, &["init", home], 0);
        ends(at, &["note", home, "--kind", "decision", "Releases go out on Fridays."], 0);
        ends(at, &["dream", home], 0);
        if home == "agent" {
            // A folder keeps rows from the first that somebody asks for.
            ends(at, &["rows", home], 1);
            assert_eq!(json(at, &["feed", home, "--json"], 0)["written"], 1);
        }
        let listed = json(at, &["rows", home, "--json"], 0);
        assert!(contents(&listed)[0].ends_with("Releases go out on Fridays."), "{listed}");
        assert!(listed["rows"][0]["cites"][0].as_str().unwrap().starts_with("memory/"));
        ends(at, &["undo", home], 0);
        ends(at, &["rows", home], 1);
        ends(at, &["undo", home, "--redo"], 0);
        ends(at, &["rows", home], 0);
    }
}

/// The memory store of a home, as a host opens it.
fn stored(at: &Path, home: &str, write: impl Fn(&dyn Practised)) {
    let path = at.join(home);
    let scope = Scope::user("user");
    if home == HOMES[1] {
        write(&SqliteMemoryStore::open(&path, scope).unwrap());
    } else {
        write(&FileMemoryStore::open(&path, scope).unwrap());
    }
}

trait Practised: MethodStore + PreferenceStore + LearningStore {}

impl<S: MethodStore + PreferenceStore + LearningStore> Practised for S {}

#[test]
fn rules_methods_and_lessons_are_listed_and_answered() {
    for home in HOMES {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        ends(at, &["init", home], 0);
        for verb in ["rules", "methods", "lessons"] {
            assert!(ends(at, &[verb, home], 0).starts_with("There are no"));
        }
        stored(at, home, |store| {
            let (agent, now) = (Access::agent(Scope::user("user")), Utc::now());
            let liked = NewPreference::behavioural("tone", "Answers are short.");
            let rule = NewPreference::hard_constraint("trade", "Never sell the boat.");
            store.propose_preference(&agent, &liked, now).unwrap();
            store.propose_preference(&agent, &rule.tool("sell"), now).unwrap();
            store
                .create_method(&agent, &NewMethod::new("Pull before push", "git", "Pull, then push."), now)
                .unwrap();
            store.learn(&agent, &NewLearning::new("Tides are in UTC."), now).unwrap();
        });
        let told = ends(at, &["rules", home], 1);
        assert!(told.contains("hard constraint, proposed, trade") && told.contains("tools: sell"), "{told}");
        assert_eq!(json(at, &["rules", home, "--approve", "1", "--json"], 0)[0]["state"], "active");
        assert_eq!(contents(&json(at, &["rows", home, "--json"], 0)), ["Answers are short."]);
        stored(at, home, |store| {
            let person = Access::human(Scope::user("user"));
            let rule = NewPreference::hard_constraint("safety", "Never sail Brisk alone.");
            let rule = store.propose_preference(&person, &rule, Utc::now()).unwrap();
            store.approve_preference(&person, rule, Utc::now()).unwrap();
        });
        ends(at, &["page", home, "--entity", "Brisk", "--out", "brisk.html"], 0);
        let page = std::fs::read_to_string(at.join("brisk.html")).unwrap();
        assert!(page.contains("Never sail Brisk alone."), "a standing rule is on the page");
        // Nobody sits at a terminal here.
        ends(at, &["rules", home, "--approve", "2"], 3);
        assert_eq!(json(at, &["rules", home, "--json"], 1)[1]["state"], "proposed");
        assert_eq!(json(at, &["rules", home, "--withdraw", "1", "--json"], 0)[0]["state"], "withdrawn");
        ends(at, &["rows", home], 1);
        ends(at, &["rules", home, "--approve", "7"], 3);
        ends(at, &["rules", home, "--approve", "x"], 2);

        assert!(ends(at, &["methods", home], 0).contains("in quarantine, 0 of 0 good, git"));
        assert!(ends(at, &["methods", home, "--release", "1"], 0).contains("in use"));
        ends(at, &["methods", home, "--graduate", "1"], 3);
        assert!(ends(at, &["methods", home, "--quarantine", "1"], 0).contains("in quarantine"));
        ends(at, &["methods", home, "--quarantine", "7"], 3);
        assert_eq!(json(at, &["lessons", home, "--json"], 0)[0]["content"], "Tides are in UTC.");
        assert!(ends(at, &["lessons", home], 0).contains("Tides are in UTC."));
    }
}

#[test]
fn a_search_keeps_what_was_asked_for_and_asks_about_the_past() {
    for home in HOMES {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        ends(at, &["init", home], 0);
        ends(at, &["note", home, "We painted the boat. #harbour"], 0);
        for city in ["Oslo", "Bergen"] {
            ends(
                at,
                &["remember", home, &format!("The boat lies in {city}. #boats"), "--about", "boat/city"],
                0,
            );
        }
        let today = Utc::now().date_naive();
        let (before, after) =
            ((today - chrono::Days::new(2)).to_string(), (today + chrono::Days::new(2)).to_string());
        for (filter, rows, documents) in [
            (vec![], 1, 1),
            (vec!["--from", &before, "--until", &after], 1, 1),
            (vec!["--until", &before], 0, 0),
            (vec!["--from", &after], 0, 0),
            (vec!["--category", "fact"], 1, 0),
            (vec!["--category", "user"], 0, 0),
            (vec!["--tag", "boats"], 1, 0),
            (vec!["--tag", "#Harbour"], 0, 1),
            (vec!["--who", "ana"], 0, 0),
            (vec!["--as-of", &before], 0, 0),
            (vec!["--as-of", &after], 1, 1),
        ] {
            let arguments: Vec<&str> =
                ["search", home, "boat", "--json"].into_iter().chain(filter.iter().copied()).collect();
            let told = json(at, &arguments, i32::from(rows + documents == 0));
            let (found, also) = (told["rows"].as_array().unwrap(), told["documents"].as_array().unwrap());
            assert_eq!((found.len(), also.len()), (rows, documents), "{home} {arguments:?}: {told}");
            assert!(found.iter().all(|row| row["content"] == "The boat lies in Bergen. #boats"));
        }
        // Of a journal's entry it is known who said it.
        let note = ["note", home, "--group", "rowers", "--who", "Mai Ánh", "The oar of the boat is broken."];
        ends(at, &note, 0);
        for (filter, documents) in [
            (["--who", "mai a\u{301}nh"], 1),
            (["--who", "Mai"], 0),
            (["--origin", "participant"], 1),
            (["--origin", "user"], 0),
        ] {
            let arguments = [&["search", home, "oar", "--json", "--group", "rowers"][..], &filter].concat();
            let told = json(at, &arguments, i32::from(documents == 0));
            let said: Vec<_> =
                told["documents"].as_array().unwrap().iter().map(|one| &one["origin"]).collect();
            assert_eq!(said, vec!["participant:Mai Ánh"; documents], "{home} {filter:?}: {told}");
        }
    }
}

/// A new value of a pinned property was pinned no more.
#[test]
fn a_pin_goes_on_to_the_new_value_of_a_property() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for home in ["agent", "life.db"] {
        ends(at, &["init", home], 0);
        let keyed =
            |text: &str| id(&json(at, &["remember", home, text, "--about", "boat/berth", "--json"], 0));
        ends(at, &["pin", home, &keyed("The boat lies at pier two.")], 0);
        let moved = keyed("The boat lies at pier nine.");
        assert_eq!(json(at, &["row", home, &moved, "--json"], 0)["pinned"], true);
    }
}
