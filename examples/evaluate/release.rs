//! Every figure that the manual publishes and an evaluation makes, in one file: with the commit, the sets and the commands.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::retrieval::name_of;
use super::{DreamArguments, Result, dream, facts, gate, night, paraphrases, retrieval};

/// An evaluation, by the name of its figures.
struct Part {
    name: &'static str,
    arguments: &'static [&'static str],
    sets: &'static [&'static str],
}

const CHATS: &[&str] = &["longmemeval-s", "locomo", "beam-100k", "year"];

const PARTS: &[Part] = &[
    Part { name: "retrieval", arguments: &["retrieval"], sets: CHATS },
    Part { name: "retrieval_in_files", arguments: &["retrieval", "--file"], sets: CHATS },
    Part { name: "facts", arguments: &["facts"], sets: &["beam-100k", "year"] },
    Part { name: "paraphrases", arguments: &["paraphrases"], sets: &[] },
    Part { name: "dream_20", arguments: &["dream", "--share", "0.20"], sets: &["dialogue-workspaces"] },
    Part { name: "dream_10", arguments: &["dream", "--share", "0.10"], sets: &["dialogue-workspaces"] },
    Part { name: "night", arguments: &["night"], sets: &["beam-100k", "locomo", "longmemeval-s"] },
    Part { name: "gate", arguments: &["gate"], sets: &["secrets"] },
];

/// The set of this repository.
const YEAR: &str = "tests/fixtures/year";

/// Runs each part whose sets are there. The file is written behind each, so that one that fails loses no other.
pub(crate) fn run(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut folders, mut json, mut only, mut models) = (vec![], None, vec![], vec![]);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--json" => json = Some(PathBuf::from(value()?)),
            "--only" => only.push(value()?),
            "--static" => models.push(argument),
            // About models: their part is the retrieval with them.
            option if option.starts_with("--") => models.extend([option.to_owned(), value()?]),
            folder => folders.push(PathBuf::from(folder)),
        }
    }
    let json = json.ok_or("--json OUT is needed")?;
    if let Some(unknown) = only.iter().find(|name| !names().any(|known| known == name.as_str())) {
        return Err(format!("{unknown} is none of {}", names().collect::<Vec<_>>().join(", ")).into());
    }
    let sets = sets(&folders)?;
    let mut made = json!({
        "command": "cargo run --release --example evaluate -- release FOLDER --json OUT",
        "commit": git(&["rev-parse", "HEAD"]),
        "is_changed": git(&["status", "--porcelain", "--untracked-files=no"]).map(|changes| !changes.is_empty()),
        "sets": {},
        "parts": {},
    });
    for (name, folder) in &sets {
        made["sets"][name] = json!(hash(folder)?);
    }
    for part in PARTS.iter().chain(models.first().map(|_| &MEANING)) {
        let is_asked = only.is_empty() || only.iter().any(|name| name == part.name);
        let there: Vec<&str> = part.sets.iter().filter(|set| sets.contains_key(**set)).copied().collect();
        if !is_asked || (there.is_empty() && !part.sets.is_empty()) {
            continue;
        }
        let with: &[String] = if part.name == MEANING.name { &models } else { &[] };
        let shown: Vec<String> = there.iter().map(|set| format!("FOLDER/{set}")).collect();
        let shown: Vec<&str> =
            part.arguments.iter().copied().chain(shown.iter().map(String::as_str)).collect();
        println!("# {}\n", shown.join(" "));
        let figures = measure(part, &there.iter().map(|set| sets[*set].as_path()).collect::<Vec<_>>(), with)?;
        made["parts"][part.name] = json!({ "arguments": shown.join(" "), "figures": without_times(figures) });
        fs::write(&json, serde_json::to_string_pretty(&made)? + "\n")?;
    }
    Ok(())
}

/// The retrieval with models, where any are named.
const MEANING: Part = Part { name: "meaning", arguments: &["retrieval"], sets: CHATS };

fn names() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|part| part.name).chain([MEANING.name])
}

/// The sets by their names: a folder is one, or has some. That of this repository is always one.
fn sets(folders: &[PathBuf]) -> Result<BTreeMap<String, PathBuf>> {
    let is_known = |folder: &Path| PARTS.iter().any(|part| part.sets.contains(&name_of(folder).as_str()));
    let mut sets = BTreeMap::new();
    for folder in folders.iter().cloned().chain(Path::new(YEAR).is_dir().then(|| YEAR.into())) {
        if is_known(&folder) {
            sets.insert(name_of(&folder), folder);
            continue;
        }
        let inside =
            fs::read_dir(&folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
        for entry in inside {
            let path = entry?.path();
            if path.is_dir() && is_known(&path) {
                sets.insert(name_of(&path), path);
            }
        }
    }
    Ok(sets)
}

fn measure(part: &Part, folders: &[&Path], models: &[String]) -> Result<Value> {
    let out = tempfile::tempdir()?;
    let out = out.path().join("figures.json");
    let paths = |paths: &[&Path]| -> Result<Vec<String>> {
        let text = |path: &&Path| path.to_str().map(str::to_owned).ok_or("a folder's name is no text");
        Ok(paths.iter().map(text).collect::<std::result::Result<_, _>>()?)
    };
    let mut arguments: Vec<String> =
        part.arguments[1..].iter().map(|argument| (*argument).to_owned()).collect();
    arguments.extend(paths(folders)?);
    arguments.extend_from_slice(models);
    arguments.extend(["--json".to_owned()].into_iter().chain(paths(&[&out])?));
    let arguments = arguments.into_iter();
    match part.arguments[0] {
        "retrieval" => retrieval::run(arguments)?,
        "facts" => facts::run(arguments)?,
        "paraphrases" => paraphrases::run(arguments)?,
        "dream" => dream(&DreamArguments::parse(arguments)?)?,
        "night" => night::run(arguments)?,
        _ => return gate::figures(folders.first().ok_or("a folder with examples is needed")?),
    }
    Ok(serde_json::from_slice(&fs::read(out)?)?)
}

/// Leaves out how long something took: the same commit makes the same file on each machine.
fn without_times(figures: Value) -> Value {
    match figures {
        Value::Object(figures) => {
            let is_kept = |(key, _): &(String, Value)| !key.ends_with("_us") && !key.ends_with("_ms");
            let kept = figures.into_iter().filter(is_kept);
            Value::Object(kept.map(|(key, value)| (key, without_times(value))).collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// The SHA-256 of the names and bytes of all files below a folder.
fn hash(folder: &Path) -> Result<String> {
    let (mut files, mut waiting) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.file_name() != Some(OsStr::new(".DS_Store")) {
                let name = path.strip_prefix(folder)?.to_string_lossy().replace('\\', "/");
                files.insert(name, path);
            }
        }
    }
    let mut hasher = Sha256::new();
    for (name, path) in files {
        hasher.update(format!("{name}\n{:x?}\n", Sha256::digest(fs::read(path)?).as_slice()));
    }
    Ok(hex::encode(hasher.finalize()))
}

/// The answer of git, where there is one.
fn git(arguments: &[&str]) -> Option<String> {
    let answer = Command::new("git").args(arguments).output().ok()?;
    answer.status.success().then(|| String::from_utf8_lossy(&answer.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_names_its_commit_its_sets_and_its_commands() {
        let folder = tempfile::tempdir().unwrap();
        let set = folder.path().join("year");
        fs::create_dir(&set).unwrap();
        fs::write(set.join("turns.tsv"), "1.1\t2026-01-05\tMaren\tI moved to Porto in May.\n").unwrap();
        fs::write(set.join("questions.tsv"), "single\tWhere does Maren live?\t1.1\n").unwrap();
        let out = folder.path().join("release.json");
        let [set, json] = [&set, &out].map(|path| path.to_str().unwrap().to_owned());
        let arguments = [set.as_str(), "--only", "retrieval", "--only", "facts", "--json", &json];
        run(arguments.into_iter().map(str::to_owned)).unwrap();
        let made: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
        let retrieval = &made["parts"]["retrieval"];
        assert_eq!(retrieval["arguments"], "retrieval FOLDER/year");
        assert_eq!(retrieval["figures"]["year"]["turn_any@1"], 1.0, "{made:#}");
        assert!(retrieval["figures"]["year"].get("p50_us").is_none(), "no times");
        assert_eq!(made["sets"]["year"].as_str().map(str::len), Some(64));
        assert!(made["parts"].get("night").is_none(), "not asked for");
        assert!(run(["--only", "nothing", "--json", &json].into_iter().map(str::to_owned)).is_err());
    }
}
