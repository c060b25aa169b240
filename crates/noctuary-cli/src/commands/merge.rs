//! Two copies of a life, merged into a new folder.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::Utc;
use noctuary::FileWorkspace;
use noctuary::exchange::{Merge, MergeConflict, MergeReport, merge_rows};
use serde_json::{Value, json};

use crate::home::{Home, Store};
use crate::output::{At, End, Output, Trouble};
use crate::place::{Place, Whose};

pub(crate) fn merge(
    ours: &Path,
    theirs: &Path,
    out: &Path,
    base: Option<&Path>,
    whose: Whose<'_>,
    output: Output,
) -> Result<End, Trouble> {
    if [ours, theirs].iter().all(|path| path.is_file()) {
        return databases([ours, theirs], out, base, whose, output);
    }
    let mut copies = vec![existing(ours)?, existing(theirs)?];
    if let Some(base) = base {
        copies.push(existing(base)?);
    }
    let target = target(out, &copies)?;
    let (ours, theirs) = (FileWorkspace::open(&copies[0])?, FileWorkspace::open(&copies[1])?);
    let base = copies.get(2).map(FileWorkspace::open).transpose()?;
    let mut merge = Merge::new(&ours, &theirs);
    if let Some(base) = &base {
        merge = merge.base(base);
    }
    let report = merge.plan()?.write(&FileWorkspace::open(&target)?)?;
    tell(&report, &Home::open(&Place::Path(target), whose)?, out, output)
}

/// Merges two databases into a new one.
fn databases(
    copies: [&Path; 2],
    out: &Path,
    base: Option<&Path>,
    whose: Whose<'_>,
    output: Output,
) -> Result<End, Trouble> {
    if out.exists() {
        return Err(Trouble::of("merged_exists", &[&out.display()]));
    }
    let open = |path: &Path| Home::open(&Place::Path(path.to_owned()), whose);
    let homes = [open(copies[0])?, open(copies[1])?];
    let base = base.map(open).transpose()?;
    let mut merge = Merge::new(homes[0].workspace.as_ref(), homes[1].workspace.as_ref());
    if let Some(base) = &base {
        merge = merge.base(base.workspace.as_ref());
    }
    let plan = merge.plan()?;
    let whose = Whose { user: Some(&homes[0].scope.user), agent: Some(&homes[0].scope.agent), ..whose };
    let both = Home::open_or_make(&Place::Path(out.to_owned()), whose)?;
    let report = plan.write(both.workspace.as_ref())?;
    let (Store::Sqlite(one), Store::Sqlite(other), Store::Sqlite(target)) =
        (&homes[0].store, &homes[1].store, &both.store)
    else {
        return Err(Trouble::of("no_database", &[&out.display()]));
    };
    merge_rows(&both.owner(), [one, other], target, Utc::now())?;
    tell(&report, &both, out, output)
}

fn tell(report: &MergeReport, both: &Home, out: &Path, output: Output) -> Result<End, Trouble> {
    let suspects = both.store.any().suspicions(&both.owner(), usize::MAX)?.len();
    if output.json {
        let (documents, joined) = (report.documents, report.joined);
        let conflicts = listed(&report.conflicts);
        output.value(
            &json!({"documents": documents, "joined": joined, "conflicts": conflicts, "suspects": suspects}),
        )?;
    } else {
        output.line(format!(
            "Merged into {}: {} documents, {} of them put together from both.",
            out.display(),
            report.documents,
            report.joined
        ));
        say_conflicts(&report.conflicts, output);
        if suspects > 0 {
            output.line(format!("Rows may contradict each other: noctuary suspects {}", out.display()));
        }
    }
    Ok(End::look_if(!report.conflicts.is_empty() || suspects > 0))
}

/// Returns what a person has to decide, as JSON.
pub(super) fn listed(conflicts: &[MergeConflict]) -> Value {
    let of = |conflict: &MergeConflict| json!({"name": conflict.name, "what": conflict.to_string()});
    conflicts.iter().map(of).collect()
}

/// Says what a person has to decide, a line each.
pub(super) fn say_conflicts(conflicts: &[MergeConflict], output: Output) {
    for conflict in conflicts {
        output.line(format!("{} {conflict}", output.bad("to decide:")));
    }
    if !conflicts.is_empty() {
        output.say("both_kept", &[]);
    }
}

/// Returns where a copy is: a folder that is there.
fn existing(path: &Path) -> Result<PathBuf, Trouble> {
    match fs::canonicalize(path) {
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(_) => Err(Trouble::of("no_folder_merged", &[&path.display()])),
        Err(error) => Err(error).at("read", path),
    }
}

/// Returns where the merged life goes: a new or empty folder, or one that an interrupted merge began, outside of the copies.
fn target(out: &Path, copies: &[PathBuf]) -> Result<PathBuf, Trouble> {
    let is_new = !out.exists();
    fs::create_dir_all(out).at("create", out)?;
    let target = fs::canonicalize(out).at("read", out)?;
    if copies.iter().any(|copy| copy.starts_with(&target) || target.starts_with(copy)) {
        if is_new {
            fs::remove_dir(out).at("remove", out)?;
        }
        return Err(Trouble::of("shares_folder", &[&out.display()]));
    }
    if fs::read_dir(&target).at("read", &target)?.next().is_some() && !target.join(".dreaming.d").is_dir() {
        return Err(Trouble::of("not_empty", &[&out.display()]));
    }
    Ok(target)
}
