//! Whether nights help: chats become journals day by day, each night is dreamed, and questions are asked with and without
//! what the nights promoted.

#[path = "night/context.rs"]
mod context;
#[path = "night/figures.rs"]
mod figures;
#[path = "night/judge.rs"]
mod judge;
#[path = "night/life.rs"]
mod life;
#[path = "night/support.rs"]
mod support;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use noctuary::{Extractive, LlmClient};
use serde_json::Map;

use super::Result;
use super::retrieval::{Corpus, Question, Session, name_of, read, year};
use context::Asked;
use figures::Figures;
use judge::Judge;
use life::Lived;

/// Measures each set of the folders, prints its figures, and writes them.
pub(crate) fn run(arguments: impl Iterator<Item = String>) -> Result<()> {
    let arguments = Arguments::parse(arguments)?;
    let model = arguments.model()?;
    let judge = arguments.judges.then(|| Judge::new(model.as_ref()));
    let mut all = Map::new();
    for folder in sets(&arguments.folders)? {
        println!("{}", name_of(&folder));
        let figures = measure(&folder, &arguments, model.as_ref(), judge.as_ref())?;
        figures.print();
        all.insert(name_of(&folder), figures.json());
    }
    if let Some(path) = &arguments.json {
        fs::write(path, serde_json::to_string_pretty(&all)? + "\n")?;
    }
    Ok(())
}

struct Arguments {
    folders: Vec<PathBuf>,
    json: Option<PathBuf>,
    endpoint: Option<String>,
    model: Option<String>,
    judges: bool,
    limit: usize,
}

impl Arguments {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut parsed = Self {
            folders: Vec::new(),
            json: None,
            endpoint: None,
            model: None,
            judges: false,
            limit: usize::MAX,
        };
        while let Some(argument) = arguments.next() {
            let mut value = |of: &str| arguments.next().ok_or_else(|| format!("{of} needs a value"));
            match argument.as_str() {
                "--json" => parsed.json = Some(value("--json")?.into()),
                "--endpoint" => parsed.endpoint = Some(value("--endpoint")?),
                "--model" => parsed.model = Some(value("--model")?),
                "--limit" => parsed.limit = value("--limit")?.parse()?,
                "--judge" => parsed.judges = true,
                folder => parsed.folders.push(folder.into()),
            }
        }
        if parsed.folders.is_empty() {
            return Err("a folder with sets of chats is needed".into());
        }
        if parsed.endpoint.is_some() != parsed.model.is_some() {
            return Err("--endpoint and --model go together".into());
        }
        if parsed.judges && parsed.endpoint.is_none() {
            return Err("--judge asks the model of --endpoint and --model".into());
        }
        Ok(parsed)
    }

    /// The model to dream with.
    fn model(&self) -> Result<Box<dyn LlmClient>> {
        match (&self.endpoint, &self.model) {
            (Some(endpoint), Some(model)) => at_endpoint(endpoint, model),
            _ => Ok(Box::new(Extractive::new())),
        }
    }
}

#[cfg(feature = "http")]
fn at_endpoint(endpoint: &str, model: &str) -> Result<Box<dyn LlmClient>> {
    // Of its own, so that no vendor's key goes to somebody else's server.
    const KEY: &str = "NOCTUARY_API_KEY";
    let client = noctuary::model::ChatCompletions::new(endpoint, model)?;
    Ok(Box::new(if std::env::var_os(KEY).is_some() { client.key_from_env(KEY)? } else { client }))
}

#[cfg(not(feature = "http"))]
fn at_endpoint(_endpoint: &str, _model: &str) -> Result<Box<dyn LlmClient>> {
    Err("--endpoint needs the feature \"http\"".into())
}

/// The sets in some folders: a folder is one, or has some.
fn sets(folders: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut sets = Vec::new();
    for folder in folders {
        if is_set(folder) {
            sets.push(folder.clone());
            continue;
        }
        let entries = fs::read_dir(folder)
            .map_err(|error| format!("cannot read {}: {error}", folder.display()))?
            .collect::<std::io::Result<Vec<_>>>()?;
        let mut inside: Vec<PathBuf> =
            entries.into_iter().map(|entry| entry.path()).filter(|path| is_set(path)).collect();
        inside.sort();
        if inside.is_empty() {
            return Err(format!(
                "no set of chats in {}: the sets are public, and not a part of this repository",
                folder.display()
            )
            .into());
        }
        sets.extend(inside);
    }
    Ok(sets)
}

fn is_set(folder: &Path) -> bool {
    year::is_here(folder)
        || ["sessions.jsonl.gz", "corpora.jsonl", "questions.jsonl"]
            .iter()
            .all(|file| folder.join(file).is_file())
}

/// Lives the conversations of a set, and asks their questions.
fn measure(
    folder: &Path,
    arguments: &Arguments,
    model: &dyn LlmClient,
    judge: Option<&Judge<'_>>,
) -> Result<Figures> {
    let (sessions, corpora, questions) = read(folder)?;
    let mut figures = Figures::default();
    let asked = corpora.iter().filter_map(|corpus| Some((corpus, questions.get(&corpus.id)?)));
    for (corpus, questions) in asked.take(arguments.limit) {
        live(corpus, &sessions, questions, model, judge, &mut figures)?;
    }
    Ok(figures)
}

fn live(
    corpus: &Corpus,
    sessions: &HashMap<String, Session>,
    questions: &[Question],
    model: &dyn LlmClient,
    judge: Option<&Judge<'_>>,
    figures: &mut Figures,
) -> Result<()> {
    let lived = Lived::new(corpus, sessions, model)?;
    figures.begin();
    lived.count(questions, judge, figures)?;
    for question in questions {
        figures.ask(question, &Asked::new(&lived, question)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use serde_json::json;

    use super::*;

    const LONG: &str = "I'm looking for some ideas for a long weekend, can you help me with that? By the way, \
                        I moved to Porto in May, so nothing far away. What would you do there in three days?";

    /// A set of one conversation of two days, and two questions.
    fn set(folder: &Path) {
        let turn =
            |id: &str, role: &str, text: &str| json!({"id": id, "role": role, "speaker": role, "text": text});
        let advice = "Walk along the river, and take the tram to the sea. ".repeat(40);
        let sessions = [
            json!({"id": "s1", "turns": [turn("s1:0", "user", LONG), turn("s1:1", "assistant", &advice)]}),
            json!({"id": "s2", "turns": [turn("s2:0", "user", "Decision: releases go out on Fridays from now on.")]}),
        ];
        let mut packed =
            GzEncoder::new(File::create(folder.join("sessions.jsonl.gz")).unwrap(), Compression::fast());
        for session in sessions {
            writeln!(packed, "{session}").unwrap();
        }
        packed.finish().unwrap();
        let corpus = json!({"id": "c", "sessions": [["s1", "2026-11-19 10:00"], ["s2", "2026-11-20 10:00"]]});
        fs::write(folder.join("corpora.jsonl"), format!("{corpus}\n")).unwrap();
        let question = |text: &str, gold: &[&str], fresh: &[&str], stale: &[&str]| {
            json!({"corpus": "c", "type": "t", "text": text, "gold_turns": gold, "gold_sessions": [],
                   "fresh": fresh, "stale": stale})
        };
        let questions = [
            question("When did I move to Porto?", &["s1:0"], &[], &[]),
            question("When do releases go out?", &["s2:0"], &["s2:0"], &["s1:1"]),
        ];
        let lines: String = questions.iter().map(|question| format!("{question}\n")).collect();
        fs::write(folder.join("questions.jsonl"), lines).unwrap();
    }

    /// BX-40
    #[test]
    fn a_small_set_is_lived_dreamed_and_asked_the_same_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let chats = folder.path().join("chats");
        fs::create_dir(&chats).unwrap();
        set(&chats);
        let measured = |name: &str| {
            let out = folder.path().join(name);
            let arguments = [folder.path().to_str().unwrap(), "--json", out.to_str().unwrap()];
            run(arguments.into_iter().map(str::to_owned)).unwrap();
            fs::read_to_string(out).unwrap()
        };
        let first = measured("one.json");
        assert_eq!(first, measured("two.json"));
        let figures: serde_json::Value = serde_json::from_str(&first).unwrap();
        let figures = figures["chats"].as_object().unwrap();
        let keys: Vec<&str> = figures.keys().map(String::as_str).collect();
        let mut expected = [
            "conversations",
            "questions",
            "updates",
            "lines@5",
            "rows@5",
            "difference@2000",
            "difference@4000",
            "supported",
            "gold_in_memory",
            "duplicates",
            "stale_first_before",
            "stale_first_after",
            "raw@2000",
            "both@2000",
            "raw@4000",
            "both@4000",
            "memory_bytes",
            "journal_bytes",
            "calls",
        ];
        expected.sort_unstable();
        assert_eq!(keys, expected);
        for (key, value) in [
            ("supported", 1.0),
            ("gold_in_memory", 1.0),
            ("duplicates", 0.0),
            ("stale_first_before", 0.0),
            ("stale_first_after", 0.0),
            ("both@2000", 1.0),
            ("raw@4000", 1.0),
        ] {
            assert_eq!(figures[key].as_f64(), Some(value), "{key}: {first}");
        }
        assert_eq!(figures["calls"], 2, "a night after each day");
        assert!(figures["memory_bytes"].as_u64() < figures["journal_bytes"].as_u64());
    }

    #[test]
    fn a_folder_without_a_set_and_halves_of_options_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        for arguments in [
            &[][..],
            &[path],
            &[path, "--endpoint", "http://127.0.0.1:1/v1"],
            &[path, "--judge"],
            &[path, "--limit", "few"],
        ] {
            assert!(run(arguments.iter().map(|argument| (*argument).to_owned())).is_err(), "{arguments:?}");
        }
    }
}
