//! Decisions of the person who sets the server up. No tool's argument can change any of it.

use std::path::{Path, PathBuf};

use chrono::FixedOffset;
use noctuary::workspace::DayPolicy;
use noctuary::{DocName, FileWorkspace, Scope, SessionKind};

pub(crate) const USAGE: &str = "\
noctuary-mcp --workspace PATH [--also NAMES] [--session main|shared] [--user NAME] [--offset +HH:MM]

  --workspace PATH   the folder of the workspace, or its SQLite file; it must be there
  --also NAMES       further folders and documents that are searched, such as context,README.md; of a folder of
                     files nothing but the agent's own documents is walked
  --session KIND     main (the default): one person in private; all of the workspace, its memory and its nights
                     shared: others see what the agent says; nothing of the person's is told
  --user NAME        whose life it is, in a SQLite file, which may hold several (default: user)
  --offset +HH:MM    how far the person's clock is from UTC (default: +00:00)
  --help, --version

WORKSPACE_DREAM_INTERVAL_HOURS in the environment says how often the host dreams (default: 24).

An editor starts it, and speaks with it over stdin and stdout. An entry, as most editors take it:

  { \"mcpServers\": { \"noctuary\": { \"command\": \"noctuary-mcp\", \"args\": [\"--workspace\", \"~/notes\"] } } }";

/// The name of a life, where a SQLite file holds several and none is said.
const USER: &str = "user";

/// The command line.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) workspace: PathBuf,
    pub(crate) session: SessionKind,
    pub(crate) user: Scope,
    pub(crate) day: DayPolicy,
    pub(crate) also: Vec<DocName>,
}

/// The options of the command line.
#[derive(Debug)]
pub(crate) enum Asked {
    Serve(Options),
    Help,
    Version,
}

impl Asked {
    /// Reads the arguments.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut workspace, mut session, mut user, mut offset, mut also) = (None, None, None, None, None);
        while let Some(argument) = arguments.next() {
            let (name, joined) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            let option = match name {
                "--help" | "-h" => return Ok(Self::Help),
                "--version" | "-V" => return Ok(Self::Version),
                "--workspace" => &mut workspace,
                "--session" => &mut session,
                "--user" => &mut user,
                "--offset" => &mut offset,
                "--also" => &mut also,
                _ => return Err(format!("{argument:?} is not known")),
            };
            let value = joined.or_else(|| arguments.next().filter(|next| !next.starts_with("--")));
            let value = value.filter(|value| !value.is_empty()).ok_or(format!("{name} needs a value"))?;
            if option.replace(value).is_some() {
                return Err(format!("{name} is given twice"));
            }
        }
        let given = workspace.ok_or("--workspace is needed")?;
        // No shell reads an editor's configuration, so `~/` is for us to read.
        let workspace = FileWorkspace::locate(Some(Path::new(&given)), |name| std::env::var(name).ok())
            .map_err(|error| error.to_string())?;
        if also.is_some() && workspace.is_file() {
            return Err("--also is for a folder: of a SQLite file all is searched".to_owned());
        }
        let also: Vec<DocName> = also
            .iter()
            .flat_map(|names| names.split(',').map(|name| name.trim().trim_end_matches('/')))
            .map(|name| DocName::parse(name).map_err(|error| format!("--also: {error}")))
            .collect::<Result<_, _>>()?;
        if user.is_some() && workspace.is_dir() {
            return Err("--user is for a SQLite file: a folder holds one life, of whomever it is".to_owned());
        }
        // An editor's agent talks to the one person who set it up.
        let session = session.as_deref().map_or(Ok(SessionKind::Main), kind)?;
        let offset = offset.as_deref().unwrap_or("+00:00");
        let offset: FixedOffset = offset.parse().map_err(|_| "--offset is like +02:00".to_owned())?;
        Ok(Self::Serve(Options {
            workspace,
            session,
            user: Scope::user(user.as_deref().unwrap_or(USER)),
            day: DayPolicy::new(offset, 0),
            also,
        }))
    }
}

fn kind(word: &str) -> Result<SessionKind, String> {
    match word {
        "main" => Ok(SessionKind::Main),
        "shared" => Ok(SessionKind::Shared),
        _ => Err("--session is main or shared".to_owned()),
    }
}
