//! The command on a life on a server.

use std::fs;
use std::path::Path;

use crate::forms::tree;
use crate::{ends, findings, json, run};
use noctuary_tests::common::server;

/// The address of the server for tests, and settings that name a schema of their own.
struct Place {
    address: String,
    fresh: server::Fresh,
    folder: tempfile::TempDir,
}

const PASSWORD: &str = "sesame-qx";

impl Place {
    /// `None` where there is no server.
    fn new() -> Option<Self> {
        let url = server::url()?;
        let value = |key: &str| {
            let word = url.split_whitespace().find_map(|word| word.strip_prefix(key));
            word.unwrap_or_default().to_owned()
        };
        let host = value("host=").replace('/', "%2F");
        // A server that trusts its socket takes any password.
        let address = format!("postgres://{}:{PASSWORD}@{host}/{}", value("user="), value("dbname="));
        let fresh = server::Fresh::new();
        let folder = tempfile::tempdir().unwrap();
        let settings = folder.path().join(".config/noctuary");
        fs::create_dir_all(&settings).unwrap();
        fs::write(settings.join("config.toml"), format!("[server]\nschema = {:?}\n", fresh.schema()))
            .unwrap();
        Some(Self { address, fresh, folder })
    }

    fn at(&self) -> &Path {
        self.folder.path()
    }
}

#[test]
fn a_life_on_a_server_is_noted_dreamt_searched_and_looked_after() {
    let Some(place) = Place::new() else { return };
    let (at, home) = (place.at(), place.address.as_str());
    let output = run(at, &["status", home, "--user", "marta"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && told.contains("no life of marta"), "{told}");
    ends(at, &["init", home, "--user", "marta"], 0);
    ends(at, &["note", home, "--user", "marta", "--kind", "decision", "Releases go out on Fridays."], 0);
    ends(at, &["dream", home, "--user", "marta"], 0);
    let status = json(at, &["status", home, "--user", "marta", "--json"], 0);
    assert_eq!((&status["user"], &status["dreams"]), (&"marta".into(), &1.into()), "{status}");
    assert_eq!(
        json(at, &["doctor", home, "--user", "marta", "--json"], 0)["findings"],
        serde_json::json!([])
    );
    let found = json(at, &["search", home, "--user", "marta", "releases", "--json"], 0);
    assert!(found.to_string().contains("Fridays"), "{found}");
    ends(at, &["preview", home, "--user", "marta", "--all"], 0);
    ends(at, &["page", home, "--user", "marta", "--dream", "last"], 0);
    ends(at, &["undo", home, "--user", "marta"], 0);
    ends(at, &["undo", home, "--user", "marta", "--redo"], 0);
    ends(at, &["forget", home, "--user", "marta", "Releases go out on Fridays.", "--in-files"], 1);
    ends(at, &["search", home, "--user", "marta", "Fridays"], 1);
    assert_eq!(run(at, &["status", home, "--user", "ilya"]).status.code(), Some(3), "lives lie apart");
    assert_eq!(run(at, &["status", home, "--user", "marta", "--agent", "two"]).status.code(), Some(3));

    let told = String::from_utf8(run(at, &["backup", home, "saved", "--user", "marta"]).stderr).unwrap();
    assert!(told.contains("pg_dump") && told.contains("copy"), "{told}");
    assert_eq!(run(at, &["init", home, "--git"]).status.code(), Some(2));
    let would = json(at, &["erase", home, "--user", "marta", "--json"], 0);
    assert_eq!((&would["erased"], would["rows"]["documents"].as_u64() > Some(5)), (&false.into(), true));
    let done = json(at, &["erase", home, "--user", "marta", "--yes", "--json"], 1);
    assert_eq!(done["erased"], true, "and it says what the server keeps for a while");
    assert_eq!(run(at, &["status", home, "--user", "marta"]).status.code(), Some(3));
}

#[test]
fn an_export_goes_into_a_server_and_comes_back_byte_for_byte() {
    let Some(place) = Place::new() else { return };
    let (at, home) = (place.at(), place.address.as_str());
    ends(at, &["init", "agent"], 0);
    ends(at, &["note", "agent", "--kind", "decision", "Releases go out on Fridays."], 0);
    ends(at, &["dream", "agent"], 0);
    fs::write(at.join("m.json"), r#"[{"memory": "Ilya paints boats"}]"#).unwrap();
    ends(at, &["import", "m.json", "agent", "--from", "mem0", "--apply"], 0);
    ends(at, &["export", "agent", "out"], 0);
    // Without a name it is the life of `user`, as in a new folder.
    let plan = json(at, &["import", "out", home, "--json"], 0);
    assert_eq!(plan["applied"], false);
    assert_eq!(run(at, &["status", home]).status.code(), Some(3), "a plan makes nothing");
    ends(at, &["import", "out", home, "--apply"], 0);
    ends(at, &["export", home, "again"], 0);
    assert_eq!(tree(&at.join("out")), tree(&at.join("again")));
    assert!(ends(at, &["import", "out", home, "--apply"], 0).contains("0 files added"));

    for (from, to, out) in [(home, "copy.db", "third"), ("copy.db", "copy", "fourth")] {
        ends(at, &["copy", from, to], 0);
        ends(at, &["export", to, out], 0);
        assert_eq!(tree(&at.join("out")), tree(&at.join(out)), "{to}");
    }
    ends(at, &["copy", "copy", home, "--user", "user"], 0);
    ends(at, &["export", home, "fifth"], 0);
    assert_eq!(tree(&at.join("out")), tree(&at.join("fifth")));
}

#[test]
fn a_doctor_finds_what_is_wrong_on_a_server_and_mends_it() {
    let Some(place) = Place::new() else { return };
    let (at, home) = (place.at(), place.address.as_str());
    ends(at, &["init", home], 0);
    fs::write(at.join("m.json"), r#"[{"memory": "Ilya paints boats"}, {"memory": "@marta likes tea"}]"#)
        .unwrap();
    ends(at, &["import", "m.json", home, "--from", "mem0", "--apply"], 0);
    assert_eq!(findings(at, home, 0), serde_json::json!([]));
    let schema = place.fresh.schema();
    let mut shell = postgres::Client::connect(&server::url().unwrap(), postgres::NoTls).unwrap();
    shell
        .batch_execute(&format!(
            "SET search_path = {schema}; SELECT set_config('noctuary.user', 'user', false);
             DELETE FROM memory_postings WHERE id = 1; DELETE FROM memory_edges"
        ))
        .unwrap();
    let kinds = |told: &serde_json::Value| -> Vec<String> {
        told.as_array().unwrap().iter().map(|one| one["finding"].as_str().unwrap().to_owned()).collect()
    };
    let told = findings(at, home, 1);
    assert_eq!(kinds(&told), ["drifted_index", "missing_edges"], "{told}");
    let fixed = json(at, &["doctor", home, "--fix", "--apply", "--json"], 0);
    assert_eq!(fixed["left"], 0, "{fixed}");
    assert_eq!(findings(at, home, 0), serde_json::json!([]));
    let found = json(at, &["search", home, "boats", "--json"], 0);
    assert!(found.to_string().contains("Ilya paints boats"), "{found}");
    shell.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).unwrap();
    assert_eq!(kinds(&findings(at, home, 1)), ["older_schema"]);
    ends(at, &["init", home], 0);
    ends(at, &["doctor", home], 0);
    shell.batch_execute("UPDATE schema_version SET version = 99").unwrap();
    assert_eq!(kinds(&findings(at, home, 1)), ["newer_version"]);
}

#[test]
fn the_password_of_an_address_is_told_by_no_command() {
    let Some(place) = Place::new() else { return };
    let (at, home) = (place.at(), place.address.as_str());
    let nowhere = format!("postgres://marta:{PASSWORD}@127.0.0.1:1/lives");
    let far = format!("postgres://marta:{PASSWORD}@db.invalid/lives?sslmode=disable");
    let odd = format!("postgres://marta:{PASSWORD}@127.0.0.1:nine/lives");
    let mut said = String::new();
    for address in [home, &nowhere, &far, &odd] {
        for arguments in [
            &["status", address][..],
            &["init", address],
            &["note", address, "tea"],
            &["doctor", address, "--json"],
            &["export", address, "out"],
            &["import", "nowhere", address],
            &["backup", address, "saved"],
            &["status", address, "and more"],
            &["status", "agent", address],
            &["completions", address],
            &["--user", "marta", address],
            &["merge", address, "agent", "out"],
            &["merge-copies", address],
            &["dreams-on", address],
            &["erase", address],
            &["status", address, "--help"],
        ] {
            let output = run(at, arguments);
            said += &String::from_utf8_lossy(&output.stdout);
            said += &String::from_utf8_lossy(&output.stderr);
        }
    }
    assert!(said.contains("postgres://127.0.0.1:1/lives"), "{said}");
    assert!(!said.contains(PASSWORD), "{said}");
}
