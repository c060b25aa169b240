//! `noctuary`: memory of an agent, for whoever runs it and writes no Rust.

mod address;
mod arguments;
mod commands;
mod config;
mod home;
mod kept;
mod key;
mod left_out;
mod meaning;
mod near;
mod output;
mod place;
mod progress;

use std::io::IsTerminal;
use std::process::ExitCode;

use arguments::{Arguments, Command, Forgotten, InFormat, OutFormat, Way};
use commands::rows::{self, Change};
use commands::rules;
use noctuary::life::GroupName;
use output::{End, Output, Trouble};
use place::{Place, Whose};

fn main() -> ExitCode {
    let said: Vec<_> = std::env::args_os().collect();
    let arguments = match left_out::parse(&said) {
        Ok(arguments) => arguments,
        Err(mut error) => {
            near::suggest(&mut error, &said);
            let is_short = error.kind() == clap::error::ErrorKind::MissingRequiredArgument;
            return match left_out::settings(&said) {
                // They may have said which home is meant.
                Err(trouble) if is_short => {
                    trouble.tell(Output::new(said.iter().any(|word| word == "--json")))
                }
                _ => refused(&error),
            };
        }
    };
    let output = Output::new(arguments.json);
    match run(&arguments, output) {
        Ok(end) => end.into(),
        Err(trouble) => trouble.tell(output),
    }
}

/// Says why a command line makes no sense, without the password of an address in it.
fn refused(error: &clap::Error) -> ExitCode {
    let rendered = error.render();
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let plain = left_out::shown(&rendered.to_string());
        return Trouble::of("clap", &[&plain.trim()]).tell(Output::new(true));
    }
    let is_terminal =
        if error.use_stderr() { std::io::stderr().is_terminal() } else { std::io::stdout().is_terminal() };
    let in_colours = is_terminal && !output::is_plain();
    let text = if in_colours { rendered.ansi().to_string() } else { rendered.to_string() };
    let text = left_out::shown(&address::masked(&text));
    if error.use_stderr() {
        eprint!("{text}");
    } else {
        output::print(&text);
    }
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

fn run(arguments: &Arguments, output: Output) -> Result<End, Trouble> {
    let config = config::Config::load(arguments.config.as_deref())?;
    if arguments.show_config {
        return commands::shell::show_config(&config, output);
    }
    let Some(command) = &arguments.command else { return commands::shell::first_screen(output) };
    let whose = whose(arguments, &config, command)?;
    match command {
        Command::Init { path, git, syncthing } => {
            commands::life::init(path, whose, &config, output)?;
            commands::carried::set_up(path, *git, *syncthing, output)
        }
        Command::Status { path } => commands::life::status(path, whose, &config, output),
        Command::Note { path, text, kind, who } => {
            commands::life::note(path, text, (*kind, who.as_deref()), whose, &config, output)
        }
        Command::Search { path, query, limit, around, as_of, with, model, reranker, kept } => {
            let sought =
                commands::memory::Sought { limit: *limit, around: *around, as_of: *as_of, with, kept };
            let models =
                meaning::Models::named(config.model(model.as_deref()).as_deref(), reranker.as_deref())?;
            let whose = Whose { models: models.as_ref(), ..whose };
            commands::memory::search(path, query, &sought, whose, &config, output)
        }
        Command::Forget { path, text, in_files } => {
            commands::memory::forget(path, text, *in_files, whose, &config, output)
        }
        Command::Rows { path, wanted } => rows::rows(path, wanted, whose, &config, output),
        Command::Row(row) => rows::row(row, whose, &config, output),
        Command::Remember { path, text, category, about } => {
            rows::remember(path, text, (category, about.as_deref()), whose, output)
        }
        Command::Correct { row, text } => rows::correct(row, text, whose, output),
        Command::Pin { row, off } => {
            rows::change(row, if *off { Change::Unpin } else { Change::Pin }, whose, output)
        }
        Command::Retire { row } => rows::change(row, Change::Retire, whose, output),
        Command::Restore { row } => rows::change(row, Change::Restore, whose, output),
        Command::Suspects(of) => rows::suspects(of, whose, &config, output),
        Command::Feed { path } => rows::feed(path, whose, output),
        Command::Rules(of) => rules::rules(of, whose, output),
        Command::Methods(of) => rules::methods(of, whose, output),
        Command::Lessons { path, limit } => rules::lessons(path, *limit, whose, &config, output),
        Command::Forgotten { what } => match what {
            Forgotten::List { path } => commands::memory::forgotten(path, whose, &config, output),
            Forgotten::Lift { path, text } => commands::memory::lift(path, text, whose, output),
        },
        Command::Preview { path, night } => commands::night::preview(path, night, whose, &config, output),
        Command::Dream { path, night, propose, now } => {
            commands::night::dream(path, night, *propose, *now, whose, &config, output)
        }
        Command::ReadAgain { path, journals } => {
            commands::night::read_again(path, journals, whose, &config, output)
        }
        Command::Page { path, out, dream, entity, asking } => {
            let of = commands::night::Of { dream: dream.as_deref(), entity: entity.as_deref(), asking };
            commands::night::page(path, out, &of, whose, &config, output)
        }
        Command::Review { path, accept, reject } => {
            commands::review::review(path, accept.as_deref(), reject.as_deref(), whose, &config, output)
        }
        Command::Undo { path, dream, redo } => {
            commands::review::undo(path, dream.as_deref(), *redo, whose, &config, output)
        }
        Command::Doctor { path, fix, apply, only, anonymous, endpoint, model } => {
            let model = commands::night::Asked { endpoint: endpoint.as_deref(), name: model.as_deref() };
            let fix = commands::doctor::Fix { wanted: *fix, apply: *apply, only, model };
            commands::doctor::doctor(path, &fix, *anonymous, whose, &config, output)
        }
        Command::Export { path, out, unsigned, no_documents, include_constraints, trades, format } => {
            let how = commands::travel::HowOut {
                signed: !*unsigned,
                documents: !*no_documents,
                constraints: *include_constraints,
                trades: *trades,
                okf: *format == Some(OutFormat::Okf),
            };
            commands::travel::export(path, out, how, whose, &config, output)
        }
        Command::Import { .. } => import(command, whose, &config, output),
        Command::Backup { path, out } => commands::travel::backup(path, out, whose, output),
        Command::Copy { path, out } => commands::travel::copy(path, out, whose, output),
        Command::Merge { ours, theirs, out, base } => {
            commands::merge::merge(ours, theirs, out, base.as_deref(), whose, output)
        }
        Command::MergeCopies { path } => commands::carried::merge_copies(path, whose, output),
        Command::MergeDriver { base, ours, theirs, path } => {
            commands::driver::drive([base, ours, theirs], path, output)
        }
        Command::DreamsOn { path, machine, anywhere } => {
            commands::carried::dreams_on(path, machine.as_deref(), *anywhere, whose, &config, output)
        }
        Command::Erase { path, who: Some(who), mentions, yes } => {
            commands::memory::erase_person(path, (who, *mentions), *yes, whose, &config, output)
        }
        Command::Erase { path, yes, .. } => commands::travel::erase(path, *yes, whose, &config, output),
        Command::Completions { shell } => Ok(commands::shell::completions(*shell)),
        Command::Man { out } => commands::shell::man(out.as_deref(), output),
    }
}

/// Returns whose life it is about. A user without a name is refused, and so is a group for a command about the whole life.
fn whose<'a>(
    arguments: &'a Arguments,
    config: &'a config::Config,
    command: &Command,
) -> Result<Whose<'a>, Trouble> {
    let whose = Whose {
        user: arguments.user.as_deref(),
        agent: arguments.agent.as_deref(),
        group: arguments.group.as_deref(),
        server: &config.server,
        preset: config.preset(),
        home: &config.home,
        models: None,
    };
    if let Some(name) = whose.group.filter(|name| GroupName::parse(name).is_err()) {
        return Err(Trouble::of("group_name", &[&format!("{name:?}")]));
    }
    if whose.group.is_some() && !command.takes_group() {
        let name = arguments.group.as_deref().unwrap_or_default();
        return Err(match command {
            Command::Erase { .. } => Trouble::of("erase_of_group", &[&name]),
            _ => Trouble::of("not_of_groups", &[]),
        });
    }
    whose.check()?;
    Ok(whose)
}

fn import(
    command: &Command,
    whose: Whose<'_>,
    config: &config::Config,
    output: Output,
) -> Result<End, Trouble> {
    let Command::Import {
        input, path, from, of, since, only, apply, trust, approve_hard_constraints, ..
    } = command
    else {
        return Ok(End::Well);
    };
    let source = Place::from(input.clone().into_os_string());
    if matches!(source, Place::Server(_)) {
        return Err(Trouble::of("home_to_import", &[&source, path]));
    }
    if !input.exists() {
        return Err(Trouble::of("no_import", &[&input.display()]));
    }
    // What another program had was said by one person.
    if from.is_some() && whose.group.is_some() {
        return Err(Trouble::of("not_of_groups", &[]));
    }
    let of_bundles = of.is_some() || !trust.is_empty() || *approve_hard_constraints;
    let of_chats = since.is_some() || only.is_some();
    let foreign = match from.map(InFormat::way) {
        Some(Way::Chats(_) | Way::Memory(_)) if of_bundles => return Err(Trouble::of("of_bundles", &[])),
        Some(Way::Foreign(_) | Way::Memory(_)) if of_chats => return Err(Trouble::of("of_chats", &[])),
        Some(Way::Chats(format)) => {
            let how =
                commands::chats::HowChats { format, since: *since, only: only.as_deref(), apply: *apply };
            return commands::chats::import(input, path, how, whose, config, output);
        }
        Some(Way::Memory(dialect)) => {
            return commands::chats::memory(input, path, dialect, *apply, whose, output);
        }
        Some(Way::Foreign(foreign)) => Some(foreign),
        None => None,
    };
    let how = commands::travel::HowIn {
        from: foreign,
        of: of.as_deref(),
        apply: *apply,
        trust,
        approves: *approve_hard_constraints,
    };
    commands::travel::import(input, path, &how, whose, config, output)
}
