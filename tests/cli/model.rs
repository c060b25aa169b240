//! Search by meaning with the model of a folder.

use std::fs;
use std::path::Path;

use crate::{ends, run};

#[cfg(feature = "embed")]
#[path = "../../crates/noctuary-embed/tests/small/mod.rs"]
mod small;

fn said(at: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(at, arguments);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(not(feature = "embed"))]
#[test]
fn a_command_without_models_says_how_to_get_one_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ends(at, &["init", "life"], 0);
    fs::write(at.join("model.toml"), "[search]\nmodel = \"bge\"\n").unwrap();
    for arguments in [
        &["search", "life", "rope", "--model", "bge"][..],
        &["--config", "model.toml", "search", "life", "rope"],
    ] {
        let (code, error) = said(at, arguments);
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains("bge") && error.contains("--features embed"), "{error}");
    }
}

#[cfg(feature = "embed")]
#[test]
fn rows_and_documents_are_found_by_meaning() {
    for home in ["life", "life.db"] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        small::table(&at.join("model"));
        ends(at, &["init", home], 0);
        ends(at, &["remember", home, "The rope hangs there."], 0);
        ends(at, &["note", home, "Bought rope for the boat."], 0);
        ends(at, &["search", home, "cordage"], 1);
        let found = crate::json(at, &["search", home, "cordage", "--model", "model", "--json"], 0);
        assert_eq!(found["rows"][0]["content"], "The rope hangs there.", "{found}");
        assert!(found["documents"].to_string().contains("Bought rope"), "{found}");
        // A second search finds the vectors of rows kept.
        let again = crate::json(at, &["search", home, "cordage", "--model", "model", "--json"], 0);
        assert_eq!(found["rows"], again["rows"]);
        ends(at, &["search", home, "cordage"], 1);
        let told = |words: &str| said(at, &["search", home, words, "--model", "model"]).1;
        assert!(told("cordage").contains("nearest in meaning"), "{}", told("cordage"));
        assert!(!told("rope").contains("nearest in meaning"), "{}", told("rope"));
    }
}

#[cfg(feature = "embed")]
#[test]
fn the_settings_and_the_environment_name_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    small::table(&at.join("model"));
    ends(at, &["init", "life"], 0);
    ends(at, &["note", "life", "Bought rope for the boat."], 0);
    fs::write(at.join("model.toml"), "[search]\nmodel = \"model\"\nindex = \"kept\"\n").unwrap();
    for _ in 0..2 {
        let found = ends(at, &["--config", "model.toml", "search", "life", "cordage"], 0);
        assert!(found.contains("Bought rope"), "{found}");
    }
    let output = crate::noctuary(at)
        .args(["search", "life", "cordage"])
        .env("NOCTUARY_MODEL", at.join("model"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// A search would have thrown away the vectors that an agent's own model made.
#[cfg(feature = "embed")]
#[test]
fn vectors_of_another_model_stay_until_the_doctor_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    small::table(&at.join("model"));
    small::table(&at.join("other"));
    let table = [("embeddings", "I8", &[small::WORDS.len(), 2][..], vec![1; 14])];
    small::tensors(&at.join("other/model.safetensors"), &table);
    ends(at, &["init", "life"], 0);
    ends(at, &["remember", "life", "The rope hangs there."], 0);
    ends(at, &["search", "life", "cordage", "--model", "other"], 0);
    let (code, error) = said(at, &["search", "life", "cordage", "--model", "model"]);
    assert!(code == Some(1) && error.contains("of another model"), "{error}");
    ends(at, &["search", "life", "cordage", "--model", "other"], 0);
    fs::write(at.join("model.toml"), "[search]\nmodel = \"model\"\n").unwrap();
    let doctor = ["--config", "model.toml", "doctor", "life", "--fix", "--apply", "--only", "embeddings"];
    run(at, &doctor);
    ends(at, &["search", "life", "cordage", "--model", "model"], 0);
}

#[cfg(feature = "embed")]
#[test]
fn a_folder_without_a_model_and_one_of_another_kind_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    small::table(&at.join("model"));
    ends(at, &["init", "life"], 0);
    for (model, reranker, told) in [
        ("nowhere", "", "cannot find nowhere"),
        ("model", "model", "model holds a static table, and not a cross-encoder"),
    ] {
        let mut arguments = vec!["search", "life", "cordage", "--model", model];
        if !reranker.is_empty() {
            arguments.extend(["--reranker", reranker]);
        }
        let (code, error) = said(at, &arguments);
        assert!(code == Some(2) && error.contains(told), "{error}");
    }
}
