//! The program about itself: the first screen, settings, completions, the manual page.

use std::path::Path;

use clap::CommandFactory;
use serde_json::json;

use crate::arguments::Arguments;
use crate::config::Config;
use crate::output::{At, End, Output, Trouble, count, print_rendered};

/// Tells a newcomer the next three commands.
pub(crate) fn first_screen(output: Output) -> Result<End, Trouble> {
    const NEXT: [(&str, &str); 3] = [
        ("noctuary init ~/agent", "make a workspace with its first documents"),
        (
            "noctuary note ~/agent --kind decision \"We release on Fridays.\"",
            "write a line into the journal of today",
        ),
        ("noctuary preview ~/agent", "see what a dream would keep of it; writes nothing"),
    ];
    if output.json {
        let next: Vec<_> =
            NEXT.iter().map(|(command, does)| json!({"command": command, "does": does})).collect();
        output.value(&json!({"version": env!("CARGO_PKG_VERSION"), "next": next}))?;
        return Ok(End::Well);
    }
    output.line(format!("{} {}", output.bold("noctuary"), env!("CARGO_PKG_VERSION")));
    output.line("Memory of an agent across sessions: plain markdown by day, a dream by night.\n");
    output.line(output.bold("Begin here"));
    for (command, does) in NEXT {
        output.line(format!("  {command}"));
        output.line(format!("      {}", output.faint(does)));
    }
    output.line("\n`noctuary --help` lists all commands, `noctuary COMMAND --help` explains one.");
    Ok(End::Well)
}

/// Prints the settings that count.
pub(crate) fn show_config(config: &Config, output: Output) -> Result<End, Trouble> {
    let text = config.print()?;
    if output.json {
        let mut value: serde_json::Value =
            toml::from_str(&text).map_err(|error| Trouble::of("internal", &[&error]))?;
        let of_preset = config.of_preset().into_iter().map(|(name, set)| (name.to_owned(), json!(set)));
        value["of_preset"] = serde_json::Value::Object(of_preset.collect());
        output.value(&value)?;
    } else {
        output.line(text.trim_end());
        for (name, set) in config.of_preset() {
            output.line(format!("# of the preset: {name} = {set}"));
        }
    }
    Ok(End::Well)
}

/// Prints completions.
pub(crate) fn completions(shell: clap_complete::Shell) -> End {
    let mut rendered = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "noctuary", &mut rendered);
    print_rendered(&rendered);
    End::Well
}

/// Prints the manual page, or writes it and those of the commands into a folder.
pub(crate) fn man(out: Option<&Path>, output: Output) -> Result<End, Trouble> {
    let command = Arguments::command();
    let Some(out) = out else {
        let mut rendered = Vec::new();
        clap_mangen::Man::new(command).render(&mut rendered).expect("a page renders into memory");
        if output.json {
            output.value(&json!({"page": String::from_utf8_lossy(&rendered)}))?;
        } else {
            print_rendered(&rendered);
        }
        return Ok(End::Well);
    };
    std::fs::create_dir_all(out).at("create", out)?;
    clap_mangen::generate_to(command, out).at("write the pages into", out)?;
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(out).at("read", out)? {
        pages.push(entry.at("read", out)?.file_name().to_string_lossy().into_owned());
    }
    pages.retain(|page| page.starts_with("noctuary") && page.ends_with(".1"));
    pages.sort();
    for page in &pages {
        let path = out.join(page);
        let text = std::fs::read_to_string(&path).at("read", &path)?;
        // The parser wants PATH, and the home of the settings stands in for it.
        let shown = text.replace("<\\fIPATH\\fR>", "[\\fIPATH\\fR]");
        std::fs::write(&path, shown).at("write", &path)?;
    }
    if output.json {
        output.value(&json!({"pages": pages}))?;
    } else {
        output.line(format!(
            "{} in {}: man -l {}",
            count(pages.len(), "page"),
            out.display(),
            out.join("noctuary.1").display()
        ));
    }
    Ok(End::Well)
}
