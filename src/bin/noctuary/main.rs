//! `noctuary`: memory of an agent, for whoever runs it and writes no Rust.

mod arguments;
mod commands;
mod config;
mod home;
mod key;
mod output;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command, OutFormat};
use output::{End, Output, Trouble};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let output = Output::new(arguments.json);
    match run(&arguments, output) {
        Ok(end) => end.into(),
        Err(trouble) => trouble.tell(),
    }
}

fn run(arguments: &Arguments, output: Output) -> Result<End, Trouble> {
    let config = config::Config::load(arguments.config.as_deref())?;
    if arguments.show_config {
        return commands::shell::show_config(&config, output);
    }
    let Some(command) = &arguments.command else { return commands::shell::first_screen(output) };
    let user = arguments.user.as_deref();
    match command {
        Command::Init { path, git, syncthing } => {
            commands::life::init(path, user, output)?;
            commands::carried::set_up(path, *git, *syncthing, output)
        }
        Command::Status { path } => commands::life::status(path, user, &config, output),
        Command::Note { path, text, kind } => commands::life::note(path, text, *kind, user, output),
        Command::Search { path, query, limit } => commands::memory::search(path, query, *limit, user, output),
        Command::Forget { path, text, in_files } => {
            commands::memory::forget(path, text, *in_files, user, output)
        }
        Command::Preview { path, night } => commands::night::preview(path, night, user, &config, output),
        Command::Dream { path, night, propose } => {
            commands::night::dream(path, night, *propose, user, &config, output)
        }
        Command::Page { path, out, night } => commands::night::page(path, out, night, user, &config, output),
        Command::Review { path, accept, reject } => {
            commands::review::review(path, accept.as_deref(), reject.as_deref(), user, &config, output)
        }
        Command::Undo { path, dream, redo } => {
            commands::review::undo(path, dream.as_deref(), *redo, user, &config, output)
        }
        Command::Doctor { path, fix, apply, only, anonymous } => {
            let fix = commands::doctor::Fix { wanted: *fix, apply: *apply, only };
            commands::doctor::doctor(path, &fix, *anonymous, user, &config, output)
        }
        Command::Export { path, out, unsigned, no_documents, format } => {
            let how = commands::travel::HowOut {
                signed: !*unsigned,
                documents: !*no_documents,
                okf: *format == Some(OutFormat::Okf),
            };
            commands::travel::export(path, out, how, user, &config, output)
        }
        Command::Import { input, path, apply, trust, from, of } => {
            let how = commands::travel::HowIn {
                from: from.map(Into::into),
                of: of.as_deref(),
                apply: *apply,
                trust,
            };
            commands::travel::import(input, path, &how, user, &config, output)
        }
        Command::Backup { path, out } => commands::travel::backup(path, out, user, output),
        Command::Copy { path, out } => commands::travel::copy(path, out, user, output),
        Command::Merge { ours, theirs, out, base } => {
            commands::merge::merge(ours, theirs, out, base.as_deref(), user, output)
        }
        Command::MergeCopies { path } => commands::carried::merge_copies(path, user, output),
        Command::MergeDriver { base, ours, theirs, path } => {
            commands::driver::drive([base, ours, theirs], path, output)
        }
        Command::DreamsOn { path, machine, anywhere } => {
            commands::carried::dreams_on(path, machine.as_deref(), *anywhere, user, &config, output)
        }
        Command::Erase { path, yes } => commands::travel::erase(path, *yes, user, output),
        Command::Completions { shell } => Ok(commands::shell::completions(*shell)),
        Command::Man => commands::shell::man(),
    }
}
