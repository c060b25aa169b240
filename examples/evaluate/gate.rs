//! How many secrets of other scanners' tests the shipped filter finds, and how often it is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use noctuary::{PiiFilter, SecretGate};
use serde::{Deserialize, Serialize};

use super::Result;

#[derive(Deserialize)]
struct Example {
    src: String,
    rule: String,
    kind: String,
    text: String,
}

#[derive(Serialize)]
struct Judged<'a> {
    src: &'a str,
    rule: &'a str,
    kind: &'a str,
    found: BTreeSet<String>,
}

/// Of so many examples, so many were found.
#[derive(Default, Clone, Copy)]
struct Share {
    all: usize,
    found: usize,
}

impl Share {
    fn count(&mut self, found: bool) {
        self.all += 1;
        self.found += usize::from(found);
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        #[expect(clippy::cast_precision_loss, reason = "counts of a test set")]
        let share = self.found as f64 / self.all.max(1) as f64;
        write!(f, "{:>6} of {:<6} {share:.3}", self.found, self.all)
    }
}

/// Judges each example of a folder, prints the shares, and writes one line for each example.
pub(crate) fn run(arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut folder, mut json) = (None, None);
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json = Some(PathBuf::from(arguments.next().ok_or("--json needs a path")?)),
            path => folder = Some(PathBuf::from(path)),
        }
    }
    let examples = read(&folder.ok_or("a folder with examples is needed")?)?;
    let gate = SecretGate::new();
    let judged: Vec<Judged<'_>> = examples
        .iter()
        .map(|Example { src, rule, kind, text }| {
            let found = gate.scan(text).into_iter().map(|finding| finding.class.into_owned()).collect();
            Judged { src, rule, kind, found }
        })
        .collect();
    report(&examples, &judged);
    if let Some(path) = json {
        let mut lines = String::new();
        for line in &judged {
            lines += &serde_json::to_string(line)?;
            lines.push('\n');
        }
        fs::write(path, lines)?;
    }
    Ok(())
}

/// The examples of all files of a folder, packed or not.
fn read(folder: &Path) -> Result<Vec<Example>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))? {
        paths.push(entry?.path());
    }
    paths.sort();
    let mut examples = Vec::new();
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        let file = File::open(&path)?;
        let reader: Box<dyn Read> = if name.ends_with(".jsonl.gz") {
            Box::new(GzDecoder::new(file))
        } else if name.ends_with(".jsonl") {
            Box::new(file)
        } else {
            continue;
        };
        for line in BufReader::new(reader).lines() {
            examples.push(serde_json::from_str(&line?)?);
        }
    }
    if examples.is_empty() {
        return Err(format!("no *.jsonl or *.jsonl.gz in {}", folder.display()).into());
    }
    Ok(examples)
}

/// Whether an example is one that must be found: a network's address among strings of every kind of bech32 counts only
/// where it is an address.
fn is_declared(example: &Example) -> bool {
    let text = example.text.to_ascii_lowercase();
    example.rule != "valid" || ["bc1", "tb1", "bcrt1"].iter().any(|prefix| text.starts_with(prefix))
}

fn report(examples: &[Example], judged: &[Judged<'_>]) {
    let known: BTreeSet<&str> = SecretGate::classes().collect();
    let mut owners: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for (class, rules) in COVERS {
        assert!(known.contains(class), "no class {class}");
        for rule in rules.split_whitespace() {
            let rule = rule.split_once(':').expect("a source and a rule");
            owners.entry(rule).or_default().insert(class);
        }
    }
    let mut by_rule: BTreeMap<(&str, &str), Share> = BTreeMap::new();
    let (mut by_class, mut by_source): (BTreeMap<&str, Share>, BTreeMap<&str, Share>) = Default::default();
    let (mut all, mut any) = (Share::default(), Share::default());
    let mut wrong: BTreeMap<&str, Share> = BTreeMap::new();
    let (mut counters, mut weak) = (Share::default(), Share::default());
    let mut by_design = Vec::new();
    for (example, line) in examples.iter().zip(judged) {
        let source = if line.src.starts_with("bip") { "crypto" } else { line.src };
        let source = if line.src == "bitcoinjs" { "crypto" } else { source };
        if line.kind == "fp" {
            let is_flagged = !line.found.is_empty();
            let is_shape = line.found.iter().any(|class| !WEAK.contains(&class.as_str()));
            counters.count(is_flagged);
            if is_flagged && is_shape {
                by_design.push((source, line));
            } else {
                weak.count(is_flagged);
                wrong.entry(source).or_default().count(is_flagged);
                if is_flagged {
                    println!("wrong: {source}:{} {:?} {:.90?}", line.rule, line.found, example.text);
                }
            }
            continue;
        }
        if line.kind != "tp" || !is_declared(example) {
            continue;
        }
        any.count(!line.found.is_empty());
        let Some(classes) = owners.get(&(source, line.rule)) else { continue };
        let is_found = line.found.iter().any(|class| classes.contains(class.as_str()));
        by_rule.entry((source, line.rule)).or_default().count(is_found);
        by_source.entry(source).or_default().count(is_found);
        for class in classes {
            by_class.entry(class).or_default().count(is_found);
        }
        all.count(is_found);
        if !is_found {
            println!("missed: {source}:{} {:?} {:.140?}", line.rule, line.found, example.text);
        }
    }
    println!("\nrecall by class, on the rules that it covers");
    by_class.iter().for_each(|(class, share)| println!("{class:<28} {share}"));
    println!("\nrecall by rule");
    by_rule.iter().filter(|(_, share)| share.found < share.all).for_each(|((source, rule), share)| {
        println!("{:<44} {share}", format!("{source}:{rule}"));
    });
    println!("\nrecall by source");
    by_source.iter().for_each(|(source, share)| println!("{source:<28} {share}"));
    println!("\n{:<28} {all}", format!("{} declared rules", by_rule.len()));
    println!("{:<28} {any}", "all rules, any finding");
    println!("\ncounter-examples with a distinctive prefix, which blocks by design");
    for (source, line) in &by_design {
        println!("  {source}:{} {:?}", line.rule, line.found);
    }
    println!("\nother counter-examples that were flagged");
    wrong.iter().for_each(|(source, share)| println!("{source:<28} {share}"));
    println!("{:<28} {weak}", "all of these");
    println!("{:<28} {counters}", "all, with those by design");
}

/// Classes without a prefix of their own: these may not be wrong.
const WEAK: &[&str] = &[];

/// The rules of other scanners that a class covers, as `source:rule`.
const COVERS: &[(&str, &str)] = &[];
