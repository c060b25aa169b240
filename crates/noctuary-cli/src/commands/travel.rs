//! `noctuary export`, `import`, `backup`, `copy` and `erase`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::Utc;
use noctuary::doctor::Doctor;
use noctuary::exchange::{
    Bundle, BundleAction, BundleImport, BundleItem, BundleKey, BundlePlan, Channel, EraseReceipt, Export,
    Foreign, Presence, copy_into, copy_rows,
};
use noctuary::finance::TradeHistory;
use noctuary::memory::Filter;
use noctuary::workspace::{Claim, ClaimTerms};
use noctuary::{Access, Scope, Workspace};
use serde_json::json;

use crate::config::Config;
use crate::home::{self, Home, Store, nothing_at};
use crate::kept::Kept;
use crate::key;
use crate::output::{At, End, Output, Trouble, count, notice};
use crate::place::{Place, Whose};
use crate::progress::Progress;

/// How a life is taken out.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct HowOut {
    pub(crate) signed: bool,
    pub(crate) documents: bool,
    pub(crate) constraints: bool,
    pub(crate) trades: bool,
    pub(crate) okf: bool,
}

/// How something is brought in.
pub(crate) struct HowIn<'a> {
    pub(crate) from: Option<Foreign>,
    pub(crate) of: Option<&'a str>,
    pub(crate) apply: bool,
    pub(crate) trust: &'a [String],
    /// Whether hard constraints may come in as proposals.
    pub(crate) approves: bool,
}

pub(crate) fn export(
    place: &Place,
    out: &Path,
    how: HowOut,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let key = if how.signed { key::read_or_make(config)? } else { None };
    let bundle = {
        let _progress = Progress::begin("exporting");
        let bundle = bundle_of(&home, key.as_ref(), how)?;
        // A model that reads the workspace must not read its export.
        let sandboxes: Vec<&Path> = match place {
            Place::Path(path) if path.is_dir() => vec![path],
            _ => Vec::new(),
        };
        bundle.write_to(out, &sandboxes)?;
        bundle
    };
    let mut groups = Vec::new();
    for group in home.groups()? {
        let of_group = Home::open(place, Whose { group: Some(&group.to_string()), ..whose })?;
        if !of_group.store.any().list(&of_group.owner(), &Filter::limit(1))?.is_empty() {
            groups.push(group.to_string());
        }
    }
    let files = bundle.files().count();
    let identity = key.as_ref().map(BundleKey::identity);
    if output.json {
        output.value(&json!({
            "out": out.display().to_string(), "files": files, "signed_by": identity, "groups_without_rows": groups,
        }))?;
        return Ok(End::Well);
    }
    output.line(format!("{} in {}.", count(files, "file"), out.display()));
    match identity {
        Some(identity) => {
            output.line("Signed. On another machine, `noctuary import --trust` takes this identity:");
            output.line(identity);
        }
        None => output.line("Not signed: whoever imports it takes it in with little trust."),
    }
    if groups.is_empty() {
        return Ok(End::Well);
    }
    Ok(output.say("rows_of_groups", &[&groups.join(", "), place]))
}

fn bundle_of(home: &Home, key: Option<&BundleKey>, how: HowOut) -> Result<Bundle, Trouble> {
    let owner = home.owner();
    let mut export = Export::new(&owner);
    export = match &home.store {
        Store::File(store) => export.file_store(store),
        Store::Sqlite(store) => export.sqlite_store(store),
        Store::Postgres(store) => export.postgres_store(store),
    };
    if how.trades
        && let Store::Sqlite(store) = &home.store
    {
        export = export.records(TradeHistory::new(Arc::new(store.clone())).records(&owner)?);
    }
    if how.documents {
        export = export.workspace(home.workspace.as_ref());
    }
    if how.okf {
        export = export.okf();
    }
    export = export.include_constraints(how.constraints);
    if let Some(key) = key {
        export = export.signed(key);
    }
    Ok(export.run()?)
}

pub(crate) fn import(
    from: &Path,
    place: &Place,
    how: &HowIn<'_>,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let is_life = from.join(".dreaming.d").is_dir() || (from.is_file() && home::is_database(from));
    if is_life && how.from.is_none() {
        return Err(Trouble::of("home_to_import", &[&from.display(), place]));
    }
    for identity in config.travel.trust.iter().chain(how.trust) {
        if !is_identity(identity) {
            return Err(Trouble::of("trust_wrong", &[&format!("{identity:?}")]));
        }
    }
    if from.is_file() && how.from.is_none() {
        return Err(Trouble::of("whose_export", &[&from.display()]));
    }
    let apply = how.apply;
    let bundle = Bundle::read(from)?;
    if bundle.files().next().is_none() && bundle.too_large().next().is_none() {
        return Err(Trouble::of("empty_export", &[&from.display()]));
    }
    let home = Home::target(place, apply, whose)?;
    let key = key::read(config)?;
    let owner = home.owner();
    let mut import = BundleImport::new(&owner).workspace(home.workspace.as_ref());
    import = match &home.store {
        Store::File(store) => import.file_store(store),
        Store::Sqlite(store) => import.sqlite_store(store),
        Store::Postgres(store) => import.postgres_store(store),
    };
    if let Some(key) = &key {
        import = import.key(key);
    }
    for identity in config.travel.trust.iter().chain(how.trust) {
        import = import.trust(identity);
    }
    if let Some(from) = how.from {
        import = import.foreign(from);
    }
    if let Some(name) = how.of {
        import = import.of_user(name);
    }
    if how.approves {
        let is_terminal = std::io::stdin().is_terminal();
        match Presence::at_terminal(is_terminal, |name| std::env::var(name).ok())? {
            Some(presence) => import = import.approve_hard_constraints(presence),
            None => notice("nobody_there", &[]),
        }
    }
    let plan = {
        let _progress = Progress::begin("importing");
        if apply { import.apply(&bundle, Utc::now())? } else { import.plan(&bundle)? }
    };
    let is_telling = |item: &BundleItem| {
        matches!(item.action, BundleAction::Refuse(_)) || !item.found.is_empty() || item.hides > 0
    };
    let tells = plan.items.iter().any(is_telling) || !plan.missing.is_empty();
    if output.json {
        output.value(&plan)?;
    } else {
        tell(&plan, how.from.is_some(), output);
        let is_foreign = plan.items.iter().all(|item| matches!(item.action, BundleAction::Refuse(_)));
        if is_foreign && how.from.is_none() && from.is_dir() {
            output.say("no_export", &[&from.display()]);
        }
    }
    Ok(End::look_if(tells))
}

/// Returns whether a text has the form of an operator's identity: an instance and a public key.
fn is_identity(text: &str) -> bool {
    let is_hex = |text: &str, digits| text.len() == digits && text.bytes().all(|it| it.is_ascii_hexdigit());
    text.split_once(':').is_some_and(|(instance, key)| is_hex(instance, 16) && is_hex(key, 64))
}

/// The number of files that are named where they are refused or stay; the rest are counted.
const MAX_NAMED: usize = 20;

fn tell(plan: &BundlePlan, is_foreign: bool, output: Output) {
    let added = plan.added().count();
    // Forgetting what hides no line needs no trust.
    let is_little =
        |item: &&BundleItem| item.channel == Channel::Unsigned && !item.path.starts_with("tombstones");
    let little = plan.added().filter(is_little).count();
    let kept = plan.items.iter().filter(|item| item.action == BundleAction::Keep).count();
    match &plan.author {
        Some(author) => output.line(format!("Signed by {author}, whom you trust.")),
        None => {
            output.line("No signature that you trust: rows come in as imported, documents below imported/.");
        }
    }
    let verb = if plan.applied { "added" } else { "would be added" };
    output.line(format!(
        "{} {verb}, {little} of them with little trust; {kept} there already",
        count(added, if is_foreign { "entry" } else { "file" }).replace("entrys", "entries")
    ));
    for item in plan.added().filter(|item| item.hides > 0) {
        output.line(format!("{}    {}", output.bad("hides"), output.bold(&item.path)));
        let verb = if plan.applied { "hides" } else { "would hide" };
        output.wrapped(
            4,
            &format!(
                "It {verb} {} of yours; `noctuary forgotten` lists and lifts.",
                count(item.hides, "line")
            ),
        );
    }
    for item in plan.added().filter(|item| !item.found.is_empty()) {
        output.line(format!("{}   {}", output.bad("warned"), output.bold(&item.path)));
        output.wrapped(
            4,
            &format!(
                "It holds {}. It comes back as it was signed; no prompt shows it.",
                item.found.join(", ")
            ),
        );
    }
    tell_refused(plan, output);
    for path in &plan.missing {
        output.say("missing", &[path]);
    }
    if !plan.applied {
        output.line("Nothing was written. `--apply` does it.");
    }
}

fn tell_refused(plan: &BundlePlan, output: Output) {
    let mut left = MAX_NAMED;
    for item in plan.refused() {
        if let BundleAction::Refuse(why) = &item.action
            && left > 0
        {
            left -= 1;
            output.line(format!("{}  {}", output.bad("refused"), output.bold(&item.path)));
            output.wrapped(4, &format!("{why}."));
        }
    }
    if let Some(more) = plan.refused().count().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        output.line(format!("and {more} more, which `--json` lists"));
    }
    if plan.refused().next().is_some() {
        output.say("refused_all", &[]);
    }
}

pub(crate) fn backup(place: &Place, out: &Path, whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    let path = place.path(
        "its operator makes a backup with pg_dump; `noctuary copy` puts one life into a folder or a file",
    )?;
    let home = Home::open(place, whose)?;
    check_outside(path, out)?;
    let _progress = Progress::begin("copying");
    let files = if let Store::Sqlite(store) = &home.store {
        home::unlock(out, whose)?;
        store.backup_to(out)?;
        1
    } else {
        if out.exists() {
            return Err(Trouble::of("out_exists", &[&out.display()]));
        }
        // No dream writes meanwhile.
        let lease = match home.workspace.claim(&ClaimTerms::default())? {
            Claim::Granted(lease) => lease,
            Claim::Held(_) => return Err(noctuary::Error::Busy { path: place.to_string() }.into()),
        };
        let files = copy_folder(path, out).inspect_err(|_| {
            // Half a copy is none. Where it cannot be removed, the next call says that it is there.
            let _ = std::fs::remove_dir_all(out);
        })?;
        lease.release()?;
        files
    };
    if output.json {
        output.value(&json!({"out": out.display().to_string(), "files": files}))?;
    } else {
        output.line(format!("{} copied to {}.", count(files, "file"), out.display()));
    }
    Ok(End::Well)
}

/// Copies a folder with its modes and times, without the repository of git, links, and the lock of this very copy.
fn copy_folder(from: &Path, to: &Path) -> Result<usize, Trouble> {
    let mut files = 0;
    std::fs::create_dir_all(to).at("create", to)?;
    for entry in std::fs::read_dir(from).at("read", from)? {
        let entry = entry.at("read", from)?;
        let (path, name) = (entry.path(), entry.file_name());
        if name == ".git" || name == ".dreaming.lock" {
            continue;
        }
        let kind = entry.file_type().at("read", &path)?;
        if kind.is_dir() {
            files += copy_folder(&path, &to.join(name))?;
        } else if kind.is_file() {
            copy_file(&path, &to.join(name)).at("copy", &path)?;
            files += 1;
        }
    }
    // At last, since nothing can be put into a folder that is for reading only.
    let permissions = from.metadata().map(|known| known.permissions());
    permissions
        .and_then(|permissions| std::fs::set_permissions(to, permissions))
        .at("set the mode of", to)?;
    Ok(files)
}

fn copy_file(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::copy(from, to)?;
    let changed = from.metadata()?.modified()?;
    // One that is for reading only keeps the time of the copy.
    match std::fs::File::options().append(true).open(to) {
        Ok(copy) => copy.set_modified(changed),
        Err(_) => Ok(()),
    }
}

/// Refuses a target inside the copied life: the copy would be a part of the source, and of every later copy.
fn check_outside(place: &Path, out: &Path) -> Result<(), Trouble> {
    let Ok(life) = place.canonicalize() else { return Ok(()) };
    // The part of the target that exists says where it leads; the rest is made below it.
    let existing = std::path::absolute(out).ok();
    let existing = existing.iter().flat_map(|out| out.ancestors()).find_map(|part| part.canonicalize().ok());
    if existing.is_some_and(|part| part.starts_with(&life)) {
        return Err(Trouble::of("out_inside", &[&out.display(), &place.display()]));
    }
    Ok(())
}

pub(crate) fn copy(place: &Place, out: &Place, whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    if let (Place::Path(place), Place::Path(out)) = (place, out) {
        check_outside(place, out)?;
    }
    let whose = Whose { user: Some(&home.scope.user), agent: Some(&home.scope.agent), ..whose };
    let target = Home::open_or_make(out, whose)?;
    let _progress = Progress::begin("copying");
    let documents =
        copy_into(home.workspace.as_ref(), target.workspace.as_ref()).map_err(|error| match error {
            noctuary::Error::Conflict { name, .. } => Trouble::of("copy_in_the_way", &[out, &name]),
            error => error.into(),
        })?;
    let now = Utc::now();
    let mut plans = vec![copy_rows(home.store.rows(), target.store.rows(), &target.owner(), now)?];
    for group in home.groups()? {
        let name = group.to_string();
        let whose = Whose { group: Some(&name), ..whose };
        let (from, to) = (Home::open(place, whose)?, Home::open(out, whose)?);
        plans.push(copy_rows(from.store.rows(), to.store.rows(), &to.owner(), now)?);
    }
    let rows: usize = plans.iter().map(|plan| plan.added().count()).sum();
    let refused: usize = plans.iter().map(|plan| plan.refused().count()).sum();
    if output.json {
        output.value(&json!({"documents": documents, "entries": rows, "refused": refused}))?;
    } else {
        output.line(format!(
            "{documents} documents and {} of the store are in {out}.",
            count(rows, "entry").replace("entrys", "entries")
        ));
        for plan in &plans {
            tell_refused(plan, output);
        }
    }
    Ok(End::look_if(refused > 0))
}

pub(crate) fn erase(
    place: &Place,
    yes: bool,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let kept = Kept::of(place, config);
    let erased = match place {
        Place::Path(path) if path.is_dir() => erase_folder(path, yes, whose, output),
        _ => erase_stored(place, yes, whose, output),
    }?;
    if yes {
        kept.iter().try_for_each(Kept::remove)?;
    }
    Ok(erased)
}

/// Erases a life in a database or on a server.
fn erase_stored(place: &Place, yes: bool, whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    let gone = {
        let home = Home::open(place, whose).map_err(|trouble| by_hand(trouble, place))?;
        if let (Store::Postgres(..), Place::Server(address)) = (&home.store, place) {
            let server = home::connect(address, whose)?;
            let groups = home.groups()?.into_iter().map(|group| home.scope.group(&group));
            let mut receipt = EraseReceipt::default();
            for scope in groups.chain([home.scope.clone()]) {
                let (workspace, owner) = (server.workspace(scope.clone())?, Access::human(scope));
                let erased = if yes { workspace.erase(&owner)? } else { workspace.would_erase(&owner)? };
                add(&mut receipt, erased);
            }
            return tell_erased(&receipt, yes, output);
        }
        let path = place.path("it holds lives, and one of them is erased")?;
        let scopes = Doctor::of(path).and_then(|doctor| doctor.scopes());
        let scopes = scopes.map_err(|error| by_hand(error.into(), place))?;
        // The stores of its groups have scopes of their own.
        let is_of_life = |scope: &Scope| {
            *scope == home.scope || scope.group_name().is_some_and(|group| home.scope.group(&group) == *scope)
        };
        let (of_life, others): (Vec<_>, Vec<_>) = scopes.into_iter().partition(is_of_life);
        if !others.is_empty() {
            return erase_some(path, home, of_life, yes, output);
        }
        claimed(home.workspace.as_ref(), place).map_err(|trouble| by_hand(trouble, place))?;
        database_files(path)?
    };
    if yes {
        for path in &gone {
            remove(path)?;
        }
    }
    let told: Vec<_> = gone.iter().map(|path| (path.display().to_string(), None)).collect();
    tell_files(&told, &[], yes, output)
}

/// Erases the life in a folder. No file of it is opened, since one that is damaged is erased too.
fn erase_folder(folder: &Path, yes: bool, whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    // A person's notes alone are no life.
    if !folder.join(".dreaming.d").is_dir() {
        return Err(Trouble::of("no_life_to_erase", &[&folder.display()]));
    }
    if let Ok(scopes) = Doctor::of(folder)?.scopes()
        && whose.among(scopes)?.is_none()
    {
        return Err(nothing_at(&Place::Path(folder.to_owned()), whose));
    }
    let workspace = noctuary::FileWorkspace::open(folder)?;
    match claimed(&workspace, &folder.display()) {
        Err(trouble) if trouble.is_damage() => {}
        claimed => claimed?,
    }
    let files = workspace.belongings()?;
    drop(workspace);
    let told = files.told().into_iter().map(|(path, count)| {
        let path = folder.join(path);
        (path.display().to_string(), path.is_dir().then_some(count))
    });
    let told: Vec<_> = told.collect();
    if yes {
        for path in &files.life {
            remove(&folder.join(path))?;
        }
        // The folders that are empty now; one that holds something else stays.
        let mut folders: Vec<&Path> = files.life.iter().filter_map(|path| Path::new(path).parent()).collect();
        folders = folders
            .iter()
            .flat_map(|path| path.ancestors())
            .filter(|path| !path.as_os_str().is_empty())
            .collect();
        folders.sort_unstable_by_key(|path| (std::cmp::Reverse(path.components().count()), *path));
        folders.dedup();
        for empty in folders {
            let _ = std::fs::remove_dir(folder.join(empty));
        }
    }
    let stays: Vec<String> =
        files.others.iter().map(|path| folder.join(path).display().to_string()).collect();
    tell_files(&told, &stays, yes, output)
}

/// Looks that nobody dreams.
fn claimed(workspace: &dyn Workspace, place: &dyn std::fmt::Display) -> Result<(), Trouble> {
    match workspace.claim(&ClaimTerms::default())? {
        Claim::Granted(lease) => Ok(lease.release()?),
        Claim::Held(_) => Err(noctuary::Error::Busy { path: place.to_string() }.into()),
    }
}

/// Says what to do with an unreadable database. It may hold lives of others, so it is not deleted unseen.
fn by_hand(trouble: Trouble, place: &Place) -> Trouble {
    match place {
        Place::Path(path) => damaged(trouble, path, "damaged_to_erase"),
        Place::Server(_) => trouble,
    }
}

/// Names the files of a database that cannot be read, in a message that says what to do with them.
fn damaged(trouble: Trouble, path: &Path, message: &'static str) -> Trouble {
    if !trouble.is_damage() {
        return trouble;
    }
    let files = database_files(path).unwrap_or_default();
    let files: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
    Trouble::of(message, &[&path.display(), &trouble.what(), &files.join(", ")])
}

fn remove(path: &Path) -> Result<(), Trouble> {
    match std::fs::remove_file(path) {
        // SQLite takes its own files away when it closes the database.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed.at("remove", path),
    }
}

/// Says which files were erased, folders with the number of their files, and which stay.
fn tell_files(
    gone: &[(String, Option<u64>)],
    stays: &[String],
    yes: bool,
    output: Output,
) -> Result<End, Trouble> {
    if output.json {
        let paths: Vec<&String> = gone.iter().map(|(path, _)| path).collect();
        output.value(&json!({"erased": yes, "paths": paths, "stays": stays}))?;
        return Ok(End::Well);
    }
    for (path, files) in gone {
        let files =
            files.map(|files| format!("  ({})", count(usize::try_from(files).unwrap_or(usize::MAX), "file")));
        let files = files.unwrap_or_default();
        output.line(format!("{}  {path}{files}", if yes { "erased" } else { "would erase" }));
    }
    for path in stays.iter().take(MAX_NAMED) {
        output.line(format!("{}  {path}", if yes { "stays" } else { "would stay" }));
    }
    if let Some(more) = stays.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        output.line(format!("and {more} more that are no part of the life"));
    }
    if yes {
        output.line("Backups, git, and the logs of a model's provider are out of reach.");
    } else {
        output.line("Nothing was removed. `--yes` does it, and nothing brings it back.");
    }
    Ok(End::Well)
}

/// Erases one life of a database with several: its own scope, and those of the stores of its groups.
fn erase_some(
    path: &Path,
    home: Home,
    scopes: Vec<Scope>,
    yes: bool,
    output: Output,
) -> Result<End, Trouble> {
    drop(home);
    let mut receipt = EraseReceipt::default();
    for scope in scopes {
        let owner = Access::human(scope.clone());
        let erased = noctuary::SqliteWorkspace::open(path, scope)
            .and_then(|workspace| if yes { workspace.erase(&owner) } else { workspace.would_erase(&owner) });
        add(&mut receipt, erased.map_err(|error| damaged(error.into(), path, "damaged_with_others"))?);
    }
    tell_erased(&receipt, yes, output)
}

/// Adds a receipt to another one.
fn add(sum: &mut EraseReceipt, one: EraseReceipt) {
    for (table, rows) in one.rows {
        *sum.rows.entry(table).or_default() += rows;
    }
    sum.erased |= one.erased;
    sum.left = sum.left.or(one.left);
}

fn tell_erased(receipt: &EraseReceipt, yes: bool, output: Output) -> Result<End, Trouble> {
    if output.json {
        output.value(receipt)?;
        return Ok(End::look_if(receipt.left.is_some()));
    }
    for line in receipt.to_string().lines() {
        output.line(line);
    }
    if !yes {
        output.line("Nothing was removed. `--yes` does it, and nothing brings it back.");
    }
    Ok(End::look_if(receipt.left.is_some()))
}

/// Returns the files of a database.
fn database_files(home: &Path) -> Result<Vec<PathBuf>, Trouble> {
    let folder = home.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = home.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut gone = Vec::new();
    for entry in std::fs::read_dir(folder).at("read", folder)? {
        let entry = entry.at("read", folder)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_beside = name.strip_prefix(&file).is_some_and(|rest| {
            ["", "-wal", "-shm", "-journal", ".mark"].contains(&rest) || rest.starts_with(".guard")
        });
        if is_beside {
            gone.push(entry.path());
        }
    }
    gone.sort();
    Ok(gone)
}
