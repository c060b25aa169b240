//! Random lives: the same verbs on every home and on a model of a few lines give the same answers, and leave the same bytes.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeMap;
use std::sync::Arc;

use noctuary::workspace::{Name, Revision};
use noctuary::{DocName, Error, Result, Workspace, WriteMode};

use crate::workspace::homes::homes;
use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::marta::name;

/// No document stands below another: what a home says then is its own.
const NAMES: [&str; 7] =
    ["a.md", "b.md", "MEMORY.md", "d/a.md", "d/b.md", "d/e/c.md", "memory/2026-11-21-repl.md"];
const VERBS: usize = 40;

fn any_name(dice: &mut Dice) -> DocName {
    name(dice.pick(&NAMES))
}

fn any_bytes(dice: &mut Dice) -> Vec<u8> {
    let parts: [&[u8]; 8] = [
        b"",
        b"- tea\n",
        b"no end",
        b"\n",
        b"\r\nline\r\n",
        b"zero \0",
        b"\xff\xfe",
        "\u{65e5}\n".as_bytes(),
    ];
    (0..=dice.below(2)).map(|_| dice.pick(&parts)).collect::<Vec<_>>().concat()
}

#[derive(Debug, Clone)]
enum Verb {
    Write(DocName, Vec<u8>, WriteMode),
    Append(DocName, Vec<u8>),
    Remove(DocName),
    Rename(DocName, DocName),
    Range(DocName, u64, u64),
}

/// Documents by their paths: all that a workspace is.
#[derive(Default)]
struct Model(BTreeMap<String, Vec<u8>>);

impl Model {
    fn live(&mut self, verb: &Verb) -> String {
        match verb {
            Verb::Write(name, bytes, mode) => {
                let path = name.as_str();
                let current = self.0.get(path).map(|bytes| Revision::of(bytes));
                let is_there = current == Some(Revision::of(bytes));
                let is_conflict = match mode {
                    WriteMode::Create => current.is_some(),
                    WriteMode::Replace => false,
                    WriteMode::IfRevision(seen) => current != Some(*seen) && !is_there,
                };
                if is_conflict {
                    return format!("conflict {current:?}");
                }
                self.0.insert(path.to_owned(), bytes.clone());
                format!("ok {:?}", Revision::of(bytes))
            }
            Verb::Append(name, bytes) => {
                let document = self.0.entry(name.as_str().to_owned()).or_default();
                let ends = document.last().is_none_or(|last| *last == b'\n');
                if !ends && !bytes.is_empty() && !bytes.starts_with(b"\n") && !bytes.starts_with(b"\r\n") {
                    document.push(b'\n');
                }
                document.extend_from_slice(bytes);
                "ok".to_owned()
            }
            Verb::Remove(name) => {
                format!("ok {}", self.0.remove(name.as_str()).is_some())
            }
            Verb::Rename(from, to) => {
                let (from, to) = (from.as_str(), to.as_str());
                let Some(bytes) = self.0.get(from).cloned() else { return "not found".to_owned() };
                if let Some(standing) = self.0.get(to) {
                    return format!("conflict {:?}", Some(Revision::of(standing)));
                }
                self.0.remove(from);
                self.0.insert(to.to_owned(), bytes);
                "ok".to_owned()
            }
            Verb::Range(name, start, end) => {
                let bytes = self.0.get(name.as_str()).map(Vec::as_slice).unwrap_or_default();
                let at = |place: u64| usize::try_from(place).unwrap().min(bytes.len());
                format!("ok {:?}", &bytes[at(*start)..at(*end)])
            }
        }
    }
}

fn live(workspace: &dyn Workspace, verb: &Verb) -> String {
    fn told<T>(done: Result<T>, tell: impl FnOnce(T) -> String) -> String {
        match done {
            Ok(done) => tell(done),
            Err(Error::Conflict { current, .. }) => format!("conflict {:?}", current.map(|it| it.revision())),
            Err(Error::NotFound { .. }) => "not found".to_owned(),
            Err(other) => panic!("{other:?}"),
        }
    }
    let ok = |()| "ok".to_owned();
    let full = |name: &DocName| Name::from(name.clone());
    match verb {
        Verb::Write(name, bytes, mode) => {
            told(workspace.write(&full(name), bytes, *mode), |revision| format!("ok {revision:?}"))
        }
        Verb::Append(name, bytes) => told(workspace.append(&full(name), bytes), ok),
        Verb::Remove(name) => told(workspace.remove(&full(name)), |was| format!("ok {was}")),
        Verb::Rename(from, to) => told(workspace.rename(&full(from), &full(to)), ok),
        Verb::Range(name, start, end) => {
            told(workspace.read_range(&full(name), *start..*end), |bytes| format!("ok {bytes:?}"))
        }
    }
}

fn all(workspace: &dyn Workspace) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![None]);
    while let Some(folder) = folders.pop() {
        let listing = workspace.list(folder.as_ref()).unwrap();
        folders.extend(listing.folders.into_iter().map(Some));
        for name in listing.documents {
            let bytes = workspace.read(&name.clone().into()).unwrap().unwrap().into_bytes();
            found.insert(name.to_string(), bytes);
        }
    }
    found
}

#[test]
fn random_lives_are_the_same_in_every_home() {
    let lives: u64 = if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 10_000 } else { 25 };
    let mut verbs = 0;
    for life in 0..lives {
        let homes: Vec<(&str, tempfile::TempDir, Arc<dyn Workspace>)> = homes()
            .into_iter()
            .map(|home| {
                let (folder, workspace) = home.quick();
                (home.name, folder, workspace)
            })
            .collect();
        let (mut dice, mut model) = (Dice(life), Model::default());
        let mut told = Vec::new();
        for _ in 0..VERBS {
            let verb = match dice.below(8) {
                0..=2 => {
                    let (name, bytes) = (any_name(&mut dice), any_bytes(&mut dice));
                    let seen = model.0.get(name.as_str()).map(|bytes| Revision::of(bytes));
                    let mode = match (dice.below(4), seen) {
                        (0, _) => WriteMode::Create,
                        (1, Some(seen)) => WriteMode::IfRevision(seen),
                        (2, _) => WriteMode::IfRevision(Revision::of(b"of something else")),
                        _ => WriteMode::Replace,
                    };
                    Verb::Write(name, bytes, mode)
                }
                3 | 4 => Verb::Append(any_name(&mut dice), any_bytes(&mut dice)),
                5 => Verb::Remove(any_name(&mut dice)),
                6 => Verb::Rename(any_name(&mut dice), any_name(&mut dice)),
                _ => {
                    let start = dice.below(9_u64);
                    Verb::Range(any_name(&mut dice), start, start + dice.below(12_u64))
                }
            };
            // A name that is renamed to itself is nothing that anybody asks for.
            if matches!(&verb, Verb::Rename(from, to) if from == to) {
                continue;
            }
            let expected = model.live(&verb);
            told.push((verb.clone(), expected.clone()));
            for (home, _, workspace) in &homes {
                assert_eq!(live(workspace, &verb), expected, "life {life} in {home}: {told:#?}");
            }
            verbs += 1;
        }
        for (home, _, workspace) in &homes {
            assert_eq!(all(workspace), model.0, "life {life} in {home}");
        }
    }
    println!("{lives} lives, {verbs} verbs");
}
