//! PATH: a folder, a database file, or a server's address.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use noctuary::Scope;
use noctuary::life::Preset;
use noctuary::store::StoreConfig;

use super::address::{is_address, shown};
use super::config::{HomePath, Server, stores};
use super::meaning::Models;
use super::output::{Trouble, is_about};

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

/// Lists lives by their users, and their agents where they have one.
pub(crate) fn listed(scopes: &[Scope]) -> String {
    let name = |scope: &Scope| match scope.agent.as_str() {
        "" => scope.user.clone(),
        agent => format!("{} with --agent {agent}", scope.user),
    };
    scopes.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// The owner of the life that is meant, as the command line or the settings name them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whose<'a> {
    pub(crate) user: Option<&'a str>,
    pub(crate) agent: Option<&'a str>,
    /// A group of that life.
    pub(crate) group: Option<&'a str>,
    /// The settings of servers.
    pub(crate) server: &'a Server,
    /// The dialect whose values a store has.
    pub(crate) preset: Preset,
    /// The settings of the home, which name the key of encrypted databases.
    pub(crate) home: &'a HomePath,
    /// The models that a search asks.
    pub(crate) models: Option<&'a Models>,
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

    /// Returns the life that is meant, among those of a home. `None` if the named one is not there.
    pub(crate) fn among(&self, mut scopes: Vec<Scope>) -> Result<Option<Scope>, Trouble> {
        // The store of a group is a part of its life.
        scopes.retain(|scope| scope.group_name().is_none());
        if scopes.is_empty() {
            return Ok(Some(self.or_user()));
        }
        if let Some(named) = self.named().filter(|named| scopes.contains(named)) {
            return Ok(Some(named));
        }
        scopes.retain(|scope| {
            self.user.is_none_or(|user| scope.user == user)
                && self.agent.is_none_or(|agent| scope.agent == agent)
        });
        match scopes.len() {
            0 | 1 => Ok(scopes.pop()),
            _ => Err(Trouble::of("several_lives", &[&listed(&scopes)])),
        }
    }

    /// Returns the settings of the stores of the life.
    pub(crate) fn stores(&self) -> Result<StoreConfig, Trouble> {
        let mut config = stores(self.preset)?;
        if let Some(Models { embedder, reranker }) = self.models {
            config.embedder = Some(Arc::clone(embedder));
            config.reranker.clone_from(reranker);
        }
        Ok(config)
    }

    /// Refuses names that no new life may have: an empty one, and one with a slash, which would look like a path.
    pub(crate) fn check_new(&self) -> Result<(), Trouble> {
        let is_wrong = |name: &&str| name.contains(['/', '\\']) || name.contains(char::is_control);
        match self.user.into_iter().chain(self.agent).find(is_wrong) {
            Some(name) => Err(Trouble::of("life_name", &[&name])),
            None => self.check(),
        }
    }

    /// Refuses a user without a name.
    pub(crate) fn check(&self) -> Result<(), Trouble> {
        match self.user.filter(|user| user.trim().is_empty()) {
            Some(user) => Err(Trouble::of("life_name", &[&format!("{user:?}")])),
            None => Ok(()),
        }
    }

    /// Names the home that the command is about to all that says a next step.
    pub(crate) fn is_about(&self, place: &Place) {
        is_about([Self { group: None, ..*self }.here(place), self.here(place)]);
    }

    /// Returns a place with the options that name the life there, as a shell takes them.
    pub(crate) fn here(&self, place: &Place) -> String {
        format!("{place}{}", self.options())
    }

    /// Returns the options that name the life, as a shell takes them; empty where none was named.
    pub(crate) fn options(&self) -> String {
        let mut options = String::new();
        for (option, name) in [("--user", self.user), ("--agent", self.agent), ("--group", self.group)] {
            let Some(name) = name else { continue };
            let is_plain = name.chars().all(|c| c.is_alphanumeric() || "-_.@+".contains(c));
            let quoted = format!("'{}'", name.replace('\'', r"'\''"));
            options.push_str(&format!(" {option} {}", if is_plain { name } else { &quoted }));
        }
        options
    }
}
