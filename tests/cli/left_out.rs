//! PATH where it is left out.

use std::fs;

use crate::{ends, json, noctuary, run};

#[test]
fn a_home_of_the_environment_or_the_settings_stands_in_for_path() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let home = |variable: &str, arguments: &[&str]| {
        noctuary(at).env(variable, at.join("home")).args(arguments).output().unwrap()
    };
    for variable in ["NOCTUARY_HOME", "MINARA_WORKSPACE_DIR"] {
        for arguments in [
            &["init"][..],
            &["note", "--kind", "decision", "Releases go out on Fridays."],
            &["--json", "note", "nobody", "needs", "quotes"],
            &["search", "Releases"],
            &["status"],
            &["forgotten", "list"],
            &["remember", "Ana keeps the keys."],
            &["row", "1"],
            &["correct", "1", "Boris keeps the keys."],
            &["row", "--json", "1"],
        ] {
            if variable == "MINARA_WORKSPACE_DIR" && ["correct", "remember"].contains(&arguments[0]) {
                continue;
            }
            let output = home(variable, arguments);
            let told = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), Some(0), "{variable} {arguments:?} {told:?}");
        }
    }
    assert_eq!(json(at, &["rows", "home", "--json"], 0)["rows"][0]["content"], "Boris keeps the keys.");

    // PATH that is said counts, and one that looks like a path is no word of a note.
    ends(at, &["init", "other"], 0);
    assert_eq!(home("NOCTUARY_HOME", &["note", "other", "Tea."]).status.code(), Some(0));
    assert_eq!(json(at, &["search", "other", "tea", "--json"], 0)["documents"].as_array().unwrap().len(), 1);
    fs::create_dir_all(at.join("tea/leaves")).unwrap();
    fs::write(at.join("milk"), "").unwrap();
    for words in
        [&["note", "tea", "is out"][..], &["note", "12/05", "a meeting"], &["note", "milk", "is out"]]
    {
        assert_eq!(home("NOCTUARY_HOME", words).status.code(), Some(0), "{words:?}");
    }
    assert!(!at.join("tea/MEMORY.md").exists(), "a folder that is no life stays as it is");
    assert_eq!(fs::read_dir(at.join("tea")).unwrap().count(), 1);
    assert_eq!(home("NOCTUARY_HOME", &["read-again", "memory/2026-11-20-cli.md"]).status.code(), Some(1));
    for typo in ["./othr", "tea/othr", "life.db"] {
        assert_eq!(home("NOCTUARY_HOME", &["note", typo, "Tea."]).status.code(), Some(3), "{typo}");
    }
    assert_eq!(home("NOCTUARY_HOME", &["status", "othr"]).status.code(), Some(3));
    assert_eq!(home("NOCTUARY_HOME", &["note"]).status.code(), Some(2));
    assert_eq!(run(at, &["status"]).status.code(), Some(2), "without any of them it is wanted");

    fs::create_dir_all(at.join(".config/noctuary")).unwrap();
    fs::write(at.join(".config/noctuary/config.toml"), "[home]\npath = \"~/other\"\n").unwrap();
    let output = noctuary(at).env("HOME", at).args(["status", "--json"]).output().unwrap();
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(told["path"].as_str().unwrap().ends_with("/other"), "{told}");
    fs::write(at.join("wrong.toml"), "[home]\npth = 3\n").unwrap();
    let output = noctuary(at).args(["--config", "wrong.toml", "status"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("pth"), "{output:?}");
    fs::write(at.join("b.toml"), format!("[home]\npath = {:?}\n", at.join("home"))).unwrap();
    for named in [&["--config=b.toml"][..], &["--config", "b.toml"]] {
        let output = noctuary(at).env("HOME", at).args(named).args(["status", "--json"]).output().unwrap();
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(told["path"].as_str().unwrap().ends_with("/home"), "{told}");
    }
}

#[test]
fn the_help_shows_that_path_may_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for arguments in [&["status", "--help"][..], &["forgotten", "lift", "--help"], &["import", "--help"]] {
        let help = ends(at, arguments, 0);
        assert!(help.contains("[PATH]") && !help.contains("<PATH>"), "{help}");
    }
    let wrong = String::from_utf8_lossy(&run(at, &["status"]).stderr).into_owned();
    assert!(wrong.contains("[PATH]") && !wrong.contains("<PATH>"), "{wrong}");
    ends(at, &["man", "--out", "man"], 0);
    let page = fs::read_to_string(at.join("man/noctuary-status.1")).unwrap();
    assert!(page.contains("[\\fIPATH\\fR]") && !page.contains("<\\fIPATH\\fR>"), "{page}");
}
