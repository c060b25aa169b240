//! `noctuary merge-driver`: one file of a merge by git, merged as a part of its life.
//!
//! The lives of both sides and of their ancestor are found among the merged commits, by the file that git gives. They are
//! merged once a pair, and kept below `.git/noctuary`; git asks for one file after the other. Where no commit has the file, it
//! is merged alone.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use noctuary::FileWorkspace;
use noctuary::exchange::{Merge, MergeConflict, MergeConflictKind, MergePlan};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::output::{At, End, Output, Trouble, notice};

/// Merges a file, and writes the result over ours.
pub(crate) fn drive(versions: [&PathBuf; 3], path: &str, output: Output) -> Result<End, Trouble> {
    let [base, ours, theirs] = versions;
    let read = |path: &PathBuf| fs::read(path).at("read", path);
    let texts = [read(base)?, read(ours)?, read(theirs)?];
    let merged = match Repository::around() {
        Some(git) => match git.whole(path, &texts)? {
            Some(merged) => merged,
            None => alone(path, &texts)?,
        },
        None => alone(path, &texts)?,
    };
    fs::write(ours, &merged.bytes).at("write", ours)?;
    let told: Vec<&str> = merged.conflicts.iter().map(|conflict| conflict.told.as_str()).collect();
    if output.json {
        output.value(&json!({"path": path, "conflicts": told}))?;
    }
    let has_any = !told.is_empty();
    for told in told {
        eprintln!("noctuary: {told}");
    }
    if has_any {
        notice("both_kept", &[]);
    }
    Ok(End::look_if(merged.conflicts.iter().any(|conflict| conflict.is_open)))
}

/// A merged file.
struct Merged {
    bytes: Vec<u8>,
    conflicts: Vec<Conflict>,
}

/// A conflict, as it is kept beside a merged life.
#[derive(Serialize, Deserialize)]
struct Conflict {
    name: String,
    told: String,
    /// Whether git is to stop for it.
    is_open: bool,
}

impl Conflict {
    fn of(conflict: &MergeConflict) -> Self {
        Self { name: conflict.name.clone(), told: conflict.to_string(), is_open: conflict.kind.is_open() }
    }
}

impl Merged {
    /// Takes a file out of a plan; `None` where the merged life has no such file.
    fn of(plan: &MergePlan, path: &str) -> Option<Self> {
        let bytes = plan.file(path)?.to_vec();
        let of_it = plan.conflicts().iter().filter(|conflict| conflict.name == path);
        Some(Self { bytes, conflicts: of_it.map(Conflict::of).collect() })
    }
}

/// Merges a file as if it were all of a life.
fn alone(path: &str, texts: &[Vec<u8>; 3]) -> Result<Merged, Trouble> {
    let folder = Scratch::new()?;
    let lives = ["base", "ours", "theirs"].map(|name| folder.0.join(name));
    // The front of the path is the folder of the life, as far as one can tell.
    let inner = inner_of(path);
    for (life, text) in lives.iter().zip(texts) {
        let target = life.join(inner);
        fs::create_dir_all(target.parent().unwrap_or(life)).at("create", life)?;
        fs::write(&target, text).at("write", &target)?;
    }
    let plan = planned(&lives)?;
    let whole = plan.conflicts().iter().any(|conflict| matches!(conflict.kind, MergeConflictKind::Whole(_)));
    if whole {
        return Err(Trouble::of("both_changed", &[&path]));
    }
    Merged::of(&plan, inner).ok_or_else(|| Trouble::of("no_place", &[&path]))
}

/// A folder that is gone when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, Trouble> {
        let folder = std::env::temp_dir().join(format!("noctuary-merge-{}", std::process::id()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder).at("create", &folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left of it is in the folder of temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the path of a file in its life, by the folders that every life has.
fn inner_of(path: &str) -> &str {
    for mark in [".dreaming.d/", "memory/", "daily/", "self/", ".self/"] {
        if path.starts_with(mark) {
            return path;
        }
        if let Some(at) = path.find(&format!("/{mark}")) {
            return &path[at + 1..];
        }
    }
    path.rsplit('/').next().unwrap_or(path)
}

fn planned(lives: &[PathBuf; 3]) -> Result<MergePlan, Trouble> {
    let [base, ours, theirs] = lives;
    let (base, ours, theirs) =
        (FileWorkspace::open(base)?, FileWorkspace::open(ours)?, FileWorkspace::open(theirs)?);
    Ok(Merge::new(&ours, &theirs).base(&base).by_file(true).plan()?)
}

/// The repository in which git merges.
struct Repository {
    folder: PathBuf,
}

impl Repository {
    /// Finds the repository around this process; git sets where it is.
    fn around() -> Option<Self> {
        let folder = git(&["rev-parse", "--absolute-git-dir"])?;
        Some(Self { folder: PathBuf::from(folder) })
    }

    /// Merges the lives that the three versions are of; `None` where they are not found among the commits.
    fn whole(&self, path: &str, texts: &[Vec<u8>; 3]) -> Result<Option<Merged>, Trouble> {
        let mut blobs = Vec::new();
        for text in texts {
            let Some(blob) = fed(&["hash-object", "--no-filters", "--stdin"], text) else { return Ok(None) };
            blobs.push(blob);
        }
        let candidates = self.candidates();
        let known = blobs_of(&candidates, path);
        let has = |commit: &str, text: usize| {
            let found =
                known.get(commit).cloned().or_else(|| blobs_of(&[commit.to_owned()], path).remove(commit));
            // Of a file that is new on both sides, the version that both came of is empty.
            found.map_or(texts[text].is_empty(), |found| found == blobs[text])
        };
        let (base, ours, theirs) = (0, 1, 2);
        let Some(our) = candidates.iter().find(|commit| has(commit, ours)) else { return Ok(None) };
        for their in candidates.iter().filter(|commit| *commit != our && has(commit, theirs)) {
            let common = git(&["merge-base", our, their]);
            // A commit that is picked or replayed comes of its parent.
            let parent = git(&["rev-parse", "--verify", "--quiet", &format!("{their}^")]);
            let mut bases = [common, parent].into_iter().flatten();
            if let Some(ancestor) = bases.find(|commit| has(commit, base)) {
                return self.merged([&ancestor, our, their], path);
            }
        }
        Ok(None)
    }

    /// Returns the commits that git may be merging, the likely ones first.
    fn candidates(&self) -> Vec<String> {
        let mut named = vec!["HEAD".to_owned()];
        // A merge names what it merges in the environment of its drivers.
        named.extend(std::env::vars().filter_map(|(key, _)| key.strip_prefix("GITHEAD_").map(str::to_owned)));
        named.extend(["MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "REVERT_HEAD"].map(str::to_owned));
        if let Ok(done) = fs::read_to_string(self.folder.join("rebase-merge/done")) {
            let picked = done.lines().rev().find_map(|line| line.split(' ').nth(1));
            named.extend(picked.map(str::to_owned));
        }
        named.extend(["stash@{0}", "ORIG_HEAD", "FETCH_HEAD", "@{upstream}"].map(str::to_owned));
        let refs = git(&["for-each-ref", "--format=%(objectname)", "refs/heads", "refs/remotes"]);
        named.extend(refs.iter().flat_map(|all| all.lines()).map(str::to_owned));
        let mut found: Vec<String> = Vec::new();
        let mut add = |commit: &str| {
            if !found.iter().any(|known| known == commit) {
                found.push(commit.to_owned());
            }
        };
        let asked: String = named.iter().map(|name| format!("{name}^{{commit}}\n")).collect();
        let said = fed(&["cat-file", "--batch-check=%(objectname)"], asked.as_bytes());
        said.iter().flat_map(|all| all.lines()).filter(|line| !line.contains(' ')).for_each(&mut add);
        // Commits that are picked by number stand in no list of names.
        let recent = git(&["rev-list", "--all", "--reflog", "--max-count=400"]);
        recent.iter().flat_map(|all| all.lines()).for_each(&mut add);
        found
    }

    fn merged(&self, commits: [&str; 3], path: &str) -> Result<Option<Merged>, Trouble> {
        let prefix = life_of(commits, path);
        let inner = path.strip_prefix(&prefix).unwrap_or(path);
        let kept = self.folder.join("noctuary");
        let key = format!(
            "{}{}",
            commits.map(|commit| &commit[..commit.len().min(16)]).join("-"),
            prefix.replace('/', "+")
        );
        let folder = kept.join(key);
        if !folder.join("whole").exists() {
            // One merge at a time is under way: what an earlier one left is of no use.
            if kept.exists() {
                fs::remove_dir_all(&kept).at("remove", &kept)?;
            }
            for (name, commit) in ["base", "ours", "theirs"].iter().zip(commits) {
                check_out(commit, &prefix, &folder.join(name))?;
            }
            let lives = ["base", "ours", "theirs"].map(|name| folder.join(name));
            let plan = planned(&lives)?;
            fs::create_dir_all(folder.join("merged")).at("create", &folder)?;
            plan.write(&FileWorkspace::open(folder.join("merged"))?)?;
            let conflicts: Vec<Conflict> = plan.conflicts().iter().map(Conflict::of).collect();
            fs::write(folder.join("whole"), serde_json::to_vec(&conflicts)?).at("write", &folder)?;
        }
        let conflicts: Vec<Conflict> =
            serde_json::from_slice(&fs::read(folder.join("whole")).at("read", &folder)?)?;
        let Ok(bytes) = fs::read(folder.join("merged").join(inner)) else { return Ok(None) };
        let of_it = conflicts.into_iter().filter(|conflict| conflict.name == inner);
        Ok(Some(Merged { bytes, conflicts: of_it.collect() }))
    }
}

/// Returns the folder of the life in the repository, with a slash at its end. It is the folder around the file that has state or
/// a memory.
fn life_of(commits: [&str; 3], path: &str) -> String {
    let fronts = path.match_indices('/').map(|(at, _)| &path[..=at]);
    let fronts: Vec<&str> = std::iter::once("").chain(fronts).collect();
    for mark in
        [".dreaming.d/log.jsonl", ".dreamed-state.json", ".dreaming.d/.gitignore", "MEMORY.md", "AGENTS.md"]
    {
        for front in &fronts {
            let is_there = |commit: &str| {
                git(&["cat-file", "-t", &format!("{commit}:{front}{mark}")])
                    .is_some_and(|kind| kind == "blob")
            };
            if commits.iter().any(|commit| is_there(commit)) {
                return (*front).to_owned();
            }
        }
    }
    String::new()
}

/// Writes the files of a commit below a folder of the repository into a folder.
fn check_out(commit: &str, prefix: &str, into: &Path) -> Result<(), Trouble> {
    fs::create_dir_all(into).at("create", into)?;
    let index = into.with_extension("index");
    let tree = format!("{commit}:{}", prefix.trim_end_matches('/'));
    let failed = |what: &str| Trouble::of("git_failed", &[&what, &tree]);
    if git(&["cat-file", "-t", &tree]).is_none() {
        return Ok(());
    }
    let run = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(arguments).env("GIT_INDEX_FILE", &index).stdin(Stdio::null()).stdout(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !run(&["read-tree", &tree]) {
        return Err(failed("read-tree"));
    }
    if !run(&["checkout-index", "--all", "--quiet", &format!("--prefix={}/", into.display())]) {
        return Err(failed("checkout-index"));
    }
    fs::remove_file(&index).at("remove", &index)?;
    Ok(())
}

/// Returns the ids of a file in commits.
fn blobs_of(commits: &[String], path: &str) -> BTreeMap<String, String> {
    let asked: String = commits.iter().map(|commit| format!("{commit}:{path}\n")).collect();
    let said = fed(&["cat-file", "--batch-check=%(objectname)"], asked.as_bytes()).unwrap_or_default();
    let found = commits.iter().zip(said.lines()).filter(|(_, line)| !line.contains(' '));
    found.map(|(commit, blob)| (commit.clone(), blob.to_owned())).collect()
}

/// Runs git with something to read, and returns what it says.
fn fed(arguments: &[&str], input: &[u8]) -> Option<String> {
    let mut child = Command::new("git")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let (mut pipe, input) = (child.stdin.take()?, input.to_vec());
    // It answers while it reads.
    let feeding = std::thread::spawn(move || pipe.write_all(&input));
    let said = child.wait_with_output().ok()?;
    feeding.join().ok()?.ok()?;
    Some(String::from_utf8(said.stdout).ok()?.trim().to_owned()).filter(|_| said.status.success())
}

/// Runs git, and returns what it says.
fn git(arguments: &[&str]) -> Option<String> {
    let said =
        Command::new("git").args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(said.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| said.status.success() && !text.is_empty())
}
