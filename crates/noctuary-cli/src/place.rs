//! PATH: a folder, a database file, or a server's address.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use noctuary::Scope;
use noctuary::life::Preset;

use super::address::{is_address, shown};
use super::config::Server;
use super::output::Trouble;

/// The place of a home. It is printed without the password of an address.
#[derive(Clone)]
pub(crate) enum Place {
    /// A folder or a database file.
    Path(PathBuf),
    /// A server, by its whole address.
    Server(String),
}

impl From<OsString> for Place {
    fn from(said: OsString) -> Self {
        match said.to_str().filter(|text| is_address(text)) {
            Some(address) => Self::Server(address.to_owned()),
            None => Self::Path(said.into()),
        }
    }
}

impl Place {
    /// Returns the path for a command that takes no server.
    pub(crate) fn path(&self, instead: &str) -> Result<&Path, Trouble> {
        match self {
            Self::Path(path) => Ok(path),
            Self::Server(_) => Err(Trouble::of("server_path", &[self, &instead])),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::Server(address) => f.write_str(&shown(address)),
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Place({self})")
    }
}

/// The owner of the life that is meant, as the command line or the settings name them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whose<'a> {
    pub(crate) user: Option<&'a str>,
    pub(crate) agent: Option<&'a str>,
    /// The settings of servers.
    pub(crate) server: &'a Server,
    /// The dialect whose values a store has.
    pub(crate) preset: Preset,
}

impl Whose<'_> {
    /// Returns the life that the command line names.
    pub(crate) fn named(&self) -> Option<Scope> {
        let agent = self.agent.unwrap_or_default().to_owned();
        self.user.map(|user| Scope { agent, ..Scope::user(user) })
    }

    /// Returns the life that is named, or the one that a new home has.
    pub(crate) fn or_user(&self) -> Scope {
        let agent = self.agent.unwrap_or_default().to_owned();
        self.named().unwrap_or_else(|| Scope { agent, ..Scope::user("user") })
    }

    /// Returns the life on a server, which may list no other: the one that is named here or in the settings.
    pub(crate) fn on_server(&self) -> Scope {
        let Server { user, agent, .. } = self.server;
        Self { user: self.user.or(user.as_deref()), agent: self.agent.or(agent.as_deref()), ..*self }
            .or_user()
    }

    /// Returns the one life of a home that is meant.
    pub(crate) fn only(&self, mut scopes: Vec<Scope>) -> Result<Scope, Trouble> {
        scopes.retain(|scope| self.agent.is_none_or(|agent| scope.agent == agent));
        match scopes.len() {
            0 => Ok(self.or_user()),
            1 => Ok(scopes.remove(0)),
            _ => {
                let users: Vec<&str> = scopes.iter().map(|scope| scope.user.as_str()).collect();
                let users = users.join(", ");
                Err(Trouble::of("several_lives", &[&users]))
            }
        }
    }
}
