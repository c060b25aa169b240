//! What the person who sets the server up decides. No tool's argument can change any of it.

use std::path::{Path, PathBuf};

use chrono::FixedOffset;
use noctuary::{DayPolicy, FileWorkspace, Scope, SessionKind};

pub(crate) const USAGE: &str = "\
noctuary-mcp --workspace PATH [--session main|shared] [--user NAME] [--offset +HH:MM]

  --workspace PATH   the folder of the workspace, or its SQLite file; it must be there
  --session KIND     main (the default): one person in private; all of the workspace, its memory and its nights
                     shared: others see what the agent says; nothing of the person's is told
  --user NAME        whose life it is, in a SQLite file that holds several (default: user)
  --offset +HH:MM    how far the person's clock is from UTC (default: +00:00)";

/// The command line.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) workspace: PathBuf,
    pub(crate) session: SessionKind,
    pub(crate) user: Scope,
    pub(crate) day: DayPolicy,
}

impl Options {
    /// Reads the arguments; `None` where help was asked for.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut workspace = None;
        // An editor's agent talks to the one person who set it up.
        let (mut session, mut user, mut day) = (SessionKind::Main, Scope::user("user"), DayPolicy::UTC);
        while let Some(name) = arguments.next() {
            if matches!(name.as_str(), "--help" | "-h") {
                return Ok(None);
            }
            let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
            match name.as_str() {
                "--workspace" => workspace = Some(value()?),
                "--session" => session = kind(&value()?)?,
                "--user" => user = Scope::user(value()?),
                "--offset" => {
                    let offset: FixedOffset =
                        value()?.parse().map_err(|_| "--offset is like +02:00".to_owned())?;
                    day = DayPolicy::new(offset, 0);
                }
                _ => return Err(format!("{name:?} is not known")),
            }
        }
        let given = workspace.ok_or("--workspace is needed")?;
        // No shell reads an editor's configuration, so `~/` is for us to read.
        let workspace = FileWorkspace::locate(Some(Path::new(&given)), |name| std::env::var(name).ok())
            .map_err(|error| error.to_string())?;
        Ok(Some(Self { workspace, session, user, day }))
    }
}

fn kind(word: &str) -> Result<SessionKind, String> {
    match word {
        "main" => Ok(SessionKind::Main),
        "shared" => Ok(SessionKind::Shared),
        _ => Err("--session is main or shared".to_owned()),
    }
}
