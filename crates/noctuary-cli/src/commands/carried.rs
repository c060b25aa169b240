//! A life that tools carry between machines: what `noctuary init` writes for them, `merge-copies` and `dreams-on`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use noctuary::JournalDreamer;
use noctuary::exchange::{TravelFile, merge_copies as merge};
use serde_json::json;

use super::merge::{listed, say_conflicts};
use crate::config::Config;
use crate::home::Home;
use crate::output::{At, End, Output, Trouble, count};
use crate::place::{Place, Whose};

/// The file that an earlier `init`, or the first dream, writes: nothing of the state travels.
const NOTHING_TRAVELS: &str = "*";

/// The lines of a person's `.gitignore` that keep at home what is to travel.
const KEEP_AT_HOME: [&str; 5] =
    [".dreaming.d/", ".dreaming.d", ".dreamed-state.json", ".dreamed-quarantine.json", ".soul-state.json"];

/// Writes what git and Syncthing need, where it was asked for; else says how, where the life is in a repository.
pub(crate) fn set_up(place: &Place, git: bool, syncthing: bool, output: Output) -> Result<End, Trouble> {
    let path = match place {
        Place::Path(path) => path,
        Place::Server(_) if !git && !syncthing => return Ok(End::Well),
        Place::Server(_) => return Err(Trouble::of("server_carried", &[place])),
    };
    if !path.is_dir() {
        return if git || syncthing {
            Err(Trouble::of("no_folder_carried", &[&path.display()]))
        } else {
            Ok(End::Well)
        };
    }
    let mut is_open = false;
    if git {
        let repository =
            repository_of(path).ok_or_else(|| Trouble::of("no_repository", &[&path.display()]))?;
        lets_travel(path)?;
        for file in [TravelFile::Attributes, TravelFile::Ignore, TravelFile::StateIgnore] {
            add_lines(path, file, output)?;
        }
        close(&path.join(".dreaming.d"))?;
        is_open = says_to_remove(path, output);
        let driver = driver(std::env::current_exe().ok().as_deref());
        for (key, value) in [("merge.noctuary.name", "lines of a life"), ("merge.noctuary.driver", &driver)] {
            let mut set = Command::new("git");
            set.arg("-C").arg(&repository).args(["config", key, value]).stdin(Stdio::null());
            if !set.status().is_ok_and(|status| status.success()) {
                is_open = true;
                say(output, &format!("to do: git config {key} \"{value}\""));
            }
        }
        if !is_open {
            say(output, "git of this clone merges the life by `noctuary merge-driver`");
        }
    } else if !syncthing && repository_of(path).is_some() && !has_driver(path) {
        add_lines(path, TravelFile::HomeIgnore, output)?;
        if !output.json {
            output.line("It is in a repository, which leaves the library's state out.");
            output.line(format!(
                "To carry all of it to other machines: noctuary init {} --git",
                path.display()
            ));
        }
    }
    if syncthing {
        add_lines(path, TravelFile::Syncthing, output)?;
    }
    Ok(End::look_if(is_open))
}

/// Returns the command by which git merges. It is the program on the path, else this one: jobs and windows may have a short
/// path.
fn driver(program: Option<&Path>) -> String {
    const COMMAND: &str = "noctuary merge-driver %O %A %B %P";
    let folder = program
        .and_then(Path::parent)
        .and_then(Path::to_str)
        .filter(|folder| !folder.contains(['\'', '%', ':']));
    match folder {
        Some(folder) => format!("PATH=\"$PATH\":'{folder}' {COMMAND}"),
        None => COMMAND.to_owned(),
    }
}

fn say(output: Output, text: &str) {
    if output.json {
        eprintln!("noctuary: {text}");
    } else {
        output.line(text);
    }
}

fn has_driver(path: &Path) -> bool {
    fs::read_to_string(path.join(TravelFile::Attributes.path()))
        .is_ok_and(|text| text.contains("merge=noctuary"))
}

/// Returns the folder of the repository that a folder is in.
fn repository_of(path: &Path) -> Option<PathBuf> {
    let path = fs::canonicalize(path).ok()?;
    path.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}

/// Adds the lines that are missing at the end of a file; every byte that is there stays.
fn add_lines(path: &Path, file: TravelFile, output: Output) -> Result<(), Trouble> {
    let target = path.join(file.path());
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder).at("create", folder)?;
    }
    let standing = match fs::read_to_string(&target) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        standing => standing.at("read", &target)?,
    };
    // Ours, from before: it would keep all of the state at home.
    if file == TravelFile::StateIgnore && standing.trim() == NOTHING_TRAVELS {
        fs::write(&target, file.lines().join("\n") + "\n").at("write", &target)?;
        say(output, &format!("wrote {}", file.path()));
        return Ok(());
    }
    let missing: Vec<String> =
        file.lines().into_iter().filter(|line| !standing.lines().any(|known| known.trim() == line)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let gap = if standing.is_empty() || standing.ends_with('\n') { "" } else { "\n" };
    let mut open = fs::File::options().append(true).create(true).open(&target).at("write", &target)?;
    open.write_all(format!("{gap}{}\n", missing.join("\n")).as_bytes()).at("write", &target)?;
    say(output, &format!("{} added to {}", count(missing.len(), "line"), file.path()));
    Ok(())
}

/// Removes from `.gitignore` what an earlier `init` wrote there to keep the state at home; a person's lines stay.
fn lets_travel(path: &Path) -> Result<(), Trouble> {
    let target = path.join(TravelFile::HomeIgnore.path());
    let ours = TravelFile::HomeIgnore.lines();
    let (header, lines) = (&ours[0], &ours[1..]);
    let Ok(text) = fs::read_to_string(&target) else { return Ok(()) };
    let Some(at) = text.find(&format!("{header}\n")) else { return Ok(()) };
    let (before, behind) = text.split_at(at);
    let kept = TravelFile::Ignore.lines();
    let is_ours = |line: &&str| {
        let line = line.trim_end().to_owned();
        line == *header || lines.contains(&line) && !kept.contains(&line)
    };
    let behind = behind.split_inclusive('\n').filter(|line| !is_ours(line));
    fs::write(&target, before.to_owned() + &behind.collect::<String>()).at("write", &target)
}

/// Closes the folder of the library's state for others: git makes folders open.
fn close(folder: &Path) -> Result<(), Trouble> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).at("close", folder)?;
        for entry in fs::read_dir(folder).at("read", folder)? {
            let entry = entry.at("read", folder)?;
            if entry.file_type().at("read", folder)?.is_file() {
                let closed = fs::Permissions::from_mode(0o600);
                fs::set_permissions(entry.path(), closed).at("close", entry.path())?;
            }
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Says which lines of a person's `.gitignore` keep the state at home.
fn says_to_remove(path: &Path, output: Output) -> bool {
    let text = fs::read_to_string(path.join(TravelFile::Ignore.path())).unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| KEEP_AT_HOME.contains(line)).collect();
    if lines.is_empty() {
        return false;
    }
    say(output, &format!("to do: remove from .gitignore: {}", lines.join(" ")));
    true
}

pub(crate) fn merge_copies(place: &Place, whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    let report = merge(Home::workspace(place, whose)?.as_ref())?;
    if output.json {
        let conflicts = listed(&report.conflicts);
        output.value(&json!({"merged": report.merged, "left": report.left, "conflicts": conflicts}))?;
    } else {
        if report.merged.is_empty() && report.left.is_empty() {
            output.line("There are no copies.");
        }
        for copy in &report.merged {
            output.line(format!("{} {copy}", output.good("merged:")));
        }
        for copy in &report.left {
            output.say("no_text_left", &[copy]);
        }
        say_conflicts(&report.conflicts, output);
    }
    Ok(End::look_if(!report.conflicts.is_empty() || !report.left.is_empty()))
}

pub(crate) fn dreams_on(
    place: &Place,
    machine: Option<&str>,
    anywhere: bool,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let dreamer = JournalDreamer::builder(Home::workspace(place, whose)?).config(config.dreams()?).build()?;
    if machine.is_some() || anywhere {
        dreamer.dream_on(machine)?;
    }
    let chosen = dreamer.state()?.dreams_on;
    if output.json {
        output.value(&json!({"dreams_on": chosen}))?;
    } else {
        output.line(match chosen {
            Some(machine) => format!("{machine} dreams for this life; on other machines no dream is due."),
            None => "Each machine may dream.".to_owned(),
        });
    }
    Ok(End::Well)
}
