//! An Obsidian vault as a workspace, in place: found, linked, and never rewritten.

#![expect(clippy::case_sensitive_file_extension_comparisons, reason = "the names in here are lower case")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::{ends, findings, json, run};

/// A vault as Obsidian leaves it, with names that only Linux and macOS have.
const NOTES: &[(&str, &str)] = &[
    (
        "Boats/Brisk.md",
        "---\naliases: [Little Gull, \"the boat, ours\"]\ntags:\n  - sailing\n  - boats/small\ncreated: 2026-03-01\n---\n\
         # Brisk\n\nLies in [[Harbour|the harbour]]. ![[keel.png]]\n\n> [!note] Callout\n> The keel is new. ^keel\n",
    ),
    ("Places/Harbour.md", "Where [[Boats/Brisk#Keel]] lies. %%a comment%%\r\n- [ ] paint the mole\r\n"),
    ("What next?.md", "Whether to sail in May with [[Brisk]].\n"),
    ("2026: plans.md", "Sell the old violin and buy rope.\n"),
    ("this | that.md", "A choice between paint and varnish. #boats/small\n"),
    ("<draft> \"one\" *.md", "The mast wants oil.\n"),
    ("Daily/2026-11-20.md", "Bought rope in Porto.\n"),
    (".obsidian/app.json", "{\"alwaysUpdateLinks\": true}\n"),
    (".trash/old.md", "An old note.\n"),
    ("Boats/plan.canvas", "{\"nodes\":[]}\n"),
];

fn vault(at: &Path) {
    for (name, text) in NOTES {
        let path = at.join("vault").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::write(at.join("vault/Boats/keel.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
}

/// Every file but those of the library's state, with its time of change.
fn tree(at: &Path) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
    let mut all = BTreeMap::new();
    let mut folders = vec![at.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(at).unwrap().to_str().unwrap().to_owned();
            if name == ".dreaming.d" || name.starts_with(".dream") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let modified = path.metadata().unwrap().modified().unwrap();
                all.insert(name, (fs::read(&path).unwrap(), modified));
            }
        }
    }
    all
}

/// BX-45
#[cfg(unix)]
#[test]
fn a_vault_is_searched_and_linked_where_it_lies_and_keeps_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    vault(at);
    let before = tree(&at.join("vault"));

    for (words, document) in [
        ("keel", "Boats/Brisk.md"),
        ("mole", "Places/Harbour.md"),
        ("May", "What next?.md"),
        ("violin", "2026: plans.md"),
        ("varnish", "this | that.md"),
        ("mast", "<draft> \"one\" *.md"),
        ("gull", "Boats/Brisk.md"),
    ] {
        let found = json(at, &["search", "vault", words, "--json"], 0);
        let documents = found["documents"].as_array().unwrap();
        assert!(documents.iter().any(|one| one["document"] == document), "{words}: {found}");
    }
    assert_eq!(
        run(at, &["search", "vault", "alwaysUpdateLinks"]).status.code(),
        Some(1),
        "no settings of a program"
    );

    // A note by its name, by its path, by another name of it, and a tag of the frontmatter.
    for (asked, beside) in [
        ("Brisk", "What next?.md"),
        ("[[Harbour]]", "Boats/Brisk.md"),
        ("Little Gull", "Boats/Brisk.md"),
        ("the boat, ours", "Boats/Brisk.md"),
        ("#sailing", "Boats/Brisk.md"),
        ("#boats/small", "this | that.md"),
    ] {
        ends(at, &["page", "vault", "--entity", asked, "--out", "entity.html"], 0);
        let page = fs::read_to_string(at.join("entity.html")).unwrap();
        assert!(page.contains(beside), "{asked} leads to {beside}");
    }
    let told = findings(at, "vault", 0);
    assert_eq!(told, serde_json::json!([]), "a sound vault has no finding");
    assert_eq!(json(at, &["status", "vault", "--json"], 0)["documents"].as_u64(), Some(9));
    assert_eq!(tree(&at.join("vault")), before);

    // A life in the vault adds its own documents, and a night appends to MEMORY.md alone.
    ends(at, &["init", "vault"], 0);
    ends(at, &["note", "vault", "--kind", "decision", "We sail on 2026-05-02 with [[Brisk]]."], 0);
    ends(at, &["dream", "vault"], 0);
    ends(at, &["export", "vault", "out"], 0);
    let after = tree(&at.join("vault"));
    for (name, was) in &before {
        assert_eq!(after.get(name), Some(was), "{name}");
    }
    assert!(fs::read_to_string(at.join("vault/MEMORY.md")).unwrap().contains("[[Brisk]]"));
    for (name, text) in NOTES.iter().filter(|(name, _)| name.ends_with(".md") && !name.starts_with('.')) {
        assert_eq!(
            fs::read_to_string(at.join("out/documents").join(name)).unwrap(),
            *text,
            "{name} travels as it is"
        );
    }
    ends(at, &["import", "out", "elsewhere", "--apply"], 0);
    for (name, text) in NOTES.iter().filter(|(name, _)| name.ends_with(".md") && !name.starts_with('.')) {
        assert_eq!(fs::read_to_string(at.join("elsewhere").join(name)).unwrap(), *text, "{name}");
    }
}
