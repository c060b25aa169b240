//! The folder of a workspace in files: locks, permissions, what a crash left, and git.

use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};

use super::examination::Examination;
use super::finding::FindingKind as Kind;
use crate::base::error::{At, Result};
use crate::base::name::StateName;
use crate::disk::{Disk, Kind as Entry, Looking, STATE_FOLDER, Stat, atomic};
use crate::file::is_root_state;
use crate::file::lease::{GUARD, is_guard_sound};
use crate::file::lock::{self, StandingLock};
use crate::format::documents::ignored::Ignored;
use crate::format::state::proposal::Proposals;
use crate::format::state::travel;
use crate::workspace::ClaimTerms;

/// Looks at the lock of a life and its groups, and returns whether a dream runs there.
pub(super) fn examine_lock(disk: &dyn Disk, now: DateTime<Utc>, told: &mut Examination) -> Result<bool> {
    let lock = lock::look(disk, ClaimTerms::default().ttl, now)?;
    match lock {
        Some(StandingLock::Stuck) => {
            let fix = "run `noctuary doctor PATH --fix --apply`, or the next dream: either takes it over by the protocol";
            told.add(Kind::StuckLock, ".dreaming.lock", fix);
        }
        Some(StandingLock::Foreign) => {
            let fix = "let the other program end; if it is gone for good, delete the file";
            told.add(Kind::ForeignLock, ".dreaming.lock", fix);
        }
        Some(StandingLock::Ours) | None => {}
    }
    if !is_guard_sound(disk)? {
        let fix =
            "run `noctuary doctor PATH --fix --apply`, or the next dream: either gives it a number again";
        told.add(Kind::DamagedState, GUARD, fix);
    }
    Ok(lock == Some(StandingLock::Ours))
}

/// Looks at the folder of a life or a group. `documents` are the names of what a person reads and writes in it.
pub(super) fn examine(
    disk: &dyn Disk,
    documents: &[String],
    is_dreaming: bool,
    now: DateTime<Utc>,
    told: &mut Examination,
) -> Result<()> {
    if !is_dreaming {
        for intent in [StateName::INTENT, StateName::SLEEP_INTENT] {
            if disk.stat(intent.as_str()).at("look at", intent.as_str())?.is_some_and(|stat| stat.len > 0) {
                told.add(
                    Kind::UnfinishedDream,
                    &*intent,
                    "run a dream: it finishes this one first, exactly once",
                );
            }
        }
    }
    examine_state_folder(disk, is_dreaming, now, told)?;
    permissions(disk, documents, told)?;
    orphans(disk, told)?;
    git(disk.root(), told)
}

fn open(stat: Option<Stat>, others: u32) -> bool {
    cfg!(unix) && stat.is_some_and(|stat| stat.kind != Entry::Symlink && stat.mode & others > 0)
}

fn permissions(disk: &dyn Disk, documents: &[String], told: &mut Examination) -> Result<()> {
    // By its path: a disk does not look at its own root.
    let root = disk.root();
    let parent = root.parent().zip(root.file_name().and_then(|name| name.to_str()));
    if let Some((parent, name)) = parent
        && let Ok(parent) = Looking::open(parent)
        && open(parent.stat(name).ok().flatten(), 0o002)
    {
        told.add(Kind::OpenPermissions, ".", "take the right to write from others: chmod o-w");
    }
    for entry in disk.list("").at("list", ".")?.iter().filter(|entry| is_root_state(&entry.name)) {
        if open(disk.stat(&entry.name).at("look at", &entry.name)?, 0o022) {
            told.add(Kind::OpenPermissions, &entry.name, "close it for others: chmod 600");
        }
    }
    for name in documents {
        if open(disk.stat(name).at("look at", name)?, 0o002) {
            told.add(Kind::OpenPermissions, name, "take the right to write from others: chmod o-w");
        }
    }
    Ok(())
}

/// Looks at every file of the state folder: for its mode, and for what a crash left.
fn examine_state_folder(
    disk: &dyn Disk,
    is_dreaming: bool,
    now: DateTime<Utc>,
    told: &mut Examination,
) -> Result<()> {
    let Some(stat) = disk.stat(STATE_FOLDER).at("look at", STATE_FOLDER)? else { return Ok(()) };
    if stat.kind != Entry::Folder {
        told.add(Kind::RefusedName, STATE_FOLDER, "put the folder of the library's state back in its place");
        return Ok(());
    }
    if open(Some(stat), 0o077) {
        told.add(Kind::OpenPermissions, STATE_FOLDER, "close it for others: chmod 700");
    }
    // git writes files that others may read; nobody else comes through the folder when it is closed.
    let own = text_of(disk, ".dreaming.d/.gitignore");
    let is_carried = own.is_some_and(|text| text.contains(travel::HEADER));
    let mut folders = vec![STATE_FOLDER.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in disk.list(&folder).at("list", &folder)? {
            let path = format!("{folder}/{}", entry.name);
            let stat = disk.stat(&path).at("look at", &path)?;
            match entry.kind {
                Entry::Folder => {
                    if open(stat, 0o077) && !is_carried {
                        told.add(Kind::OpenPermissions, &path, "close it for others: chmod 700");
                    }
                    folders.push(path);
                }
                Entry::File => {
                    if open(stat, 0o077) && !is_carried {
                        told.add(Kind::OpenPermissions, &path, "close it for others: chmod 600");
                    }
                    let is_old = stat.is_some_and(|stat| now - stat.modified > TimeDelta::minutes(1));
                    if atomic::is_temporary(&entry.name) && is_old && !is_dreaming {
                        told.add(Kind::LeftoverFile, &path, "delete it; the next dream does so too");
                    }
                }
                _ => told.add(Kind::RefusedName, &path, "put a plain file in its place"),
            }
        }
    }
    Ok(())
}

/// Texts of proposals that no list names.
fn orphans(disk: &dyn Disk, told: &mut Examination) -> Result<()> {
    const FOLDER: &str = ".dreaming.d/proposals";
    if disk.stat(FOLDER).at("look at", FOLDER)?.is_none_or(|stat| stat.kind != Entry::Folder) {
        return Ok(());
    }
    let list = atomic::read(disk, StateName::PROPOSALS.as_str(), 1 << 26)?;
    let Ok(proposals) = Proposals::parse(list.as_deref()) else { return Ok(()) };
    for entry in disk.list(FOLDER).at("list", FOLDER)? {
        let path = format!("{FOLDER}/{}", entry.name);
        let is_listed = proposals.waiting().iter().any(|waiting| waiting.name().as_str() == path);
        if !is_listed && !atomic::is_temporary(&entry.name) {
            let fix = "copy what is worth keeping into MEMORY.md, and delete the file: no list names it";
            told.add(Kind::OrphanProposal, path, fix);
        }
    }
    Ok(())
}

/// Looks whether git would take the library's state in.
fn git(root: &Path, told: &mut Examination) -> Result<()> {
    // The folder of the repository, and the path of the workspace in it.
    let Some(top) = root.ancestors().find(|folder| is_repository(folder)) else { return Ok(()) };
    let within = root.strip_prefix(top).unwrap_or(Path::new(""));
    let Some(within) = within.to_str().map(|path| path.replace('\\', "/")) else { return Ok(()) };
    let mut rules: Vec<(String, Ignored)> = Vec::new();
    let disk = Looking::open(top).at("open", top.display())?;
    if let Some(text) = text_of(&disk, ".git/info/exclude") {
        rules.push((String::new(), Ignored::parse(&text)));
    }
    let folders = std::iter::once("").chain(within.match_indices('/').map(|(at, _)| &within[..at]));
    let folders = folders.chain((!within.is_empty()).then_some(within.as_str()));
    for folder in folders {
        let path = if folder.is_empty() { ".gitignore".to_owned() } else { format!("{folder}/.gitignore") };
        if let Some(text) = text_of(&disk, &path) {
            rules.push((folder.to_owned(), Ignored::parse(&text)));
        }
    }
    let is_ignored = |path: &str, is_folder: bool| {
        let says = rules.iter().rev().find_map(|(folder, ignored)| {
            let inner = if folder.is_empty() {
                Some(path)
            } else {
                path.strip_prefix(folder.as_str()).and_then(|rest| rest.strip_prefix('/'))
            };
            inner.filter(|inner| !inner.is_empty()).and_then(|inner| ignored.says(inner, is_folder))
        });
        says.unwrap_or(false)
    };
    let above = within.match_indices('/').map(|(at, _)| &within[..at]).chain([within.as_str()]);
    if above.filter(|folder| !folder.is_empty()).any(|folder| is_ignored(folder, true)) {
        return Ok(());
    }
    let place = |name: &str| if within.is_empty() { name.to_owned() } else { format!("{within}/{name}") };
    if travels(&disk, &place, &is_ignored, told) {
        return Ok(());
    }
    let is_open = |line: &String| !is_ignored(&place(&a_name_of(line)), false);
    let mut missing: Vec<String> = travel::kept_at_home().into_iter().filter(is_open).collect();
    // The folder ignores itself by a file in it.
    let own = text_of(&disk, &place(".dreaming.d/.gitignore"));
    let has_folder = disk.stat(&place(STATE_FOLDER)).at("look at", STATE_FOLDER)?.is_some();
    let ignores_itself = own.is_some_and(|text| text.lines().any(|line| line.trim() == "*"));
    if has_folder && !ignores_itself && !is_ignored(&place(STATE_FOLDER), true) {
        missing.insert(0, ".dreaming.d/".to_owned());
    }
    if !missing.is_empty() {
        told.add(
            Kind::MissingIgnoreLines,
            ".gitignore",
            format!("add these lines to it: {}", missing.join(" ")),
        );
    }
    Ok(())
}

/// Looks at a life whose state travels in git. Files of one machine must stay out, and our driver must merge the rest.
fn travels(
    disk: &dyn Disk,
    place: &dyn Fn(&str) -> String,
    is_ignored: &dyn Fn(&str, bool) -> bool,
    told: &mut Examination,
) -> bool {
    const OWN: &str = ".dreaming.d/.gitignore";
    const ATTRIBUTES: &str = ".gitattributes";
    let own = text_of(disk, &place(OWN)).unwrap_or_default();
    let attributes = text_of(disk, &place(ATTRIBUTES)).unwrap_or_default();
    if !own.contains(travel::HEADER) && !attributes.contains("merge=noctuary") {
        return false;
    }
    let fix = |missing: &[String]| format!("add these lines to it: {}", missing.join(" | "));
    let lacks = |text: &str, lines: Vec<String>| -> Vec<String> {
        lines.into_iter().filter(|line| !text.lines().any(|known| known.trim() == line)).collect()
    };
    let missing = lacks(&attributes, travel::attributes());
    if !missing.is_empty() {
        told.add(Kind::MissingMergeDriver, ATTRIBUTES, fix(&missing));
    }
    if missing.is_empty() && !knows_driver(disk) {
        let fix = "run `noctuary init PATH --git` on this machine too: git does not know the driver that .gitattributes names";
        told.add(Kind::MissingMergeDriver, GIT_CONFIG, fix);
    }
    let is_open = |name: &&&str| disk.stat(&format!(".git/{name}")).ok().flatten().is_some();
    if let Some(name) = UNFINISHED.iter().find(is_open) {
        let fix = "remove the conflict marks, `git add` and commit; where git did not find `noctuary`, `git merge --abort` (or `git rebase --abort`) and pull again";
        told.add(Kind::OpenMerge, format!(".git/{name}"), fix);
    }
    let rules = Ignored::parse(&own);
    let is_out = |file: &String| {
        let (file, is_folder) = (file.trim_end_matches('/'), file.ends_with('/'));
        rules
            .says(file, is_folder)
            .unwrap_or_else(|| is_ignored(&place(&format!("{STATE_FOLDER}/{file}")), is_folder))
    };
    let open: Vec<String> =
        travel::of_one_machine().filter(|file| !file.starts_with('*') && !is_out(file)).collect();
    if !open.is_empty() {
        told.add(Kind::MissingIgnoreLines, OWN, fix(&open));
    }
    let open: Vec<String> =
        travel::ignored().into_iter().filter(|line| !is_ignored(&place(&a_name_of(line)), false)).collect();
    if !open.is_empty() {
        told.add(Kind::MissingIgnoreLines, ".gitignore", fix(&open));
    }
    true
}

/// Returns a name that a line of an ignore file is for.
fn a_name_of(line: &str) -> String {
    line.replace('*', "")
}

const GIT_CONFIG: &str = ".git/config";

/// The files that git keeps while a merge, a pick or a rebase waits for a person.
const UNFINISHED: [&str; 5] =
    ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

/// Returns whether the settings of a clone or of this account name our merge driver; `true` where they are somewhere else.
fn knows_driver(disk: &dyn Disk) -> bool {
    const SECTION: &str = "[merge \"noctuary\"]";
    if text_of(disk, GIT_CONFIG).is_none_or(|text| text.contains(SECTION) || text.contains("[include")) {
        return true;
    }
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = [
        folder("GIT_CONFIG_GLOBAL"),
        folder("HOME").map(|home| home.join(".gitconfig")),
        folder("XDG_CONFIG_HOME")
            .or_else(|| folder("HOME").map(|home| home.join(".config")))
            .map(|base| base.join("git/config")),
    ];
    own.into_iter().flatten().any(|path| {
        let at = path.parent().zip(path.file_name().and_then(|name| name.to_str()));
        let opened = at.and_then(|(folder, name)| Some((Looking::open(folder).ok()?, name)));
        opened.is_some_and(|(disk, name)| {
            // A link leads to where we do not look.
            let is_link = disk.stat(name).ok().flatten().is_some_and(|stat| stat.kind == Entry::Symlink);
            is_link || text_of(&disk, name).is_some_and(|text| text.contains(SECTION))
        })
    })
}

fn is_repository(folder: &Path) -> bool {
    let Ok(disk) = Looking::open(folder) else { return false };
    disk.stat(".git").ok().flatten().is_some()
}

fn text_of(disk: &dyn Disk, path: &str) -> Option<String> {
    let bytes = atomic::read(disk, path, 1 << 20).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
