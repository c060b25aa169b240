//! Two copies of a life, merged into a new folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use chrono::Utc;
use noctuary::FileWorkspace;
use noctuary::edges::Entity;
use noctuary::exchange::{Merge, MergeConflict, MergeReport, merge_rows};
use noctuary::facts::{Cardinality, FactKey};
use noctuary::memory::{Filter, MemoryId};
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
    let both = Home::open(&Place::Path(target), whose)?;
    tell(&report, &doubtful(&both)?, out, output)
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
    tell(&report, &doubtful(&both)?, out, output)
}

/// The rows of a merged life that a person decides on.
struct Doubtful {
    /// The number of pairs that the store knows already.
    known: usize,
    pairs: Vec<Pair>,
}

/// Two rows in force that nobody compared, since each side wrote one.
struct Pair {
    rows: [MemoryId; 2],
    /// The property of which they say two values; `None` where they say the same.
    property: Option<String>,
}

/// The number of pairs that are named; the rest are counted.
const MAX_NAMED: usize = 20;

/// Returns the rows of a merged life that say the same, or two values of one property. A person decides on them.
fn doubtful(home: &Home) -> Result<Doubtful, Trouble> {
    let (owner, store) = (home.owner(), home.store.any());
    let mut rows = store.list(&owner, &Filter::limit(usize::MAX))?;
    rows.sort_by_key(|row| row.id);
    let known = store.suspicions(&owner, usize::MAX)?;
    let is_known = |pair: [MemoryId; 2]| {
        known
            .iter()
            .any(|known| pair.iter().all(|row| [known.older.memory.id, known.newer.memory.id].contains(row)))
    };
    let (mut said, mut valued) = (BTreeMap::new(), BTreeMap::new());
    let mut pairs = Vec::new();
    for row in rows {
        let Some(fact) = store.fact(&owner, row.id)?.filter(|fact| !fact.status.state.is_retired()) else {
            continue;
        };
        let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let words = (folded(&row.content), row.origin.clone(), row.shared, fact.key.as_ref().map(key));
        if let Some(older) = said.get(&words) {
            pairs.push(Pair { rows: [*older, row.id], property: None });
            continue;
        }
        said.insert(words, row.id);
        if let Some(of) = fact.key.as_ref().filter(|of| of.cardinality == Cardinality::One)
            && let Some(older) = valued.insert((key(of), row.shared), row.id)
            && !is_known([older, row.id])
        {
            pairs.push(Pair {
                rows: [older, row.id],
                property: Some(format!("{} / {}", of.subject, of.slot)),
            });
        }
    }
    Ok(Doubtful { known: known.len(), pairs })
}

fn key(of: &FactKey) -> [String; 2] {
    [&of.subject, &of.slot].map(|name| Entity::fold(name))
}

fn tell(report: &MergeReport, doubtful: &Doubtful, out: &Path, output: Output) -> Result<End, Trouble> {
    let Doubtful { known, pairs } = doubtful;
    if output.json {
        let (documents, joined) = (report.documents, report.joined);
        let conflicts = listed(&report.conflicts);
        let rows: Vec<_> =
            pairs.iter().map(|pair| json!({"rows": pair.rows, "property": pair.property})).collect();
        output.value(
            &json!({"documents": documents, "joined": joined, "conflicts": conflicts, "pairs": rows, "suspects": known}),
        )?;
    } else {
        output.line(format!(
            "Merged into {}: {} documents, {} of them put together from both.",
            out.display(),
            report.documents,
            report.joined
        ));
        say_conflicts(&report.conflicts, output);
        for Pair { rows: [older, newer], property } in pairs.iter().take(MAX_NAMED) {
            let what = property.as_ref().map_or_else(
                || "say the same".to_owned(),
                |property| format!("say two values of {property}"),
            );
            output.line(format!("{} rows {older} and {newer} {what}", output.bad("to decide:")));
        }
        if let Some(more) = pairs.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
            output.line(format!("and {more} more pairs of rows, which `--json` lists"));
        }
        if *known > 0 {
            output.line(format!("Rows may contradict each other: noctuary suspects {}", out.display()));
        }
        if let Some(Pair { rows: [_, newer], .. }) = pairs.first() {
            output.line(format!(
                "`noctuary retire {} {newer}` takes one out, and `restore` brings it back.",
                out.display()
            ));
        }
    }
    Ok(End::look_if(!report.conflicts.is_empty() || !pairs.is_empty() || *known > 0))
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
