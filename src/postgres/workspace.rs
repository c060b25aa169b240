//! A workspace on a PostgreSQL server: documents under virtual paths, state as rows, and a lease across machines.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use chrono::DateTime;

use super::documents::{Statements, is_folder};
use super::fault::Fault;
use super::lease;
use super::link::Param;
use super::scoped::ScopedServer;
use super::transaction::Transaction;
use crate::base::access::Scope;
use crate::base::debug::debug_as;
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Refusal, Result};
use crate::base::name::{DocName, Name, Space, StateName};
use crate::base::word::from_word;
use crate::trace;
use crate::workspace::{Claim, ClaimTerms, Listing, MAX_DOCUMENT, Metadata, Version, Workspace, WriteMode};

/// A workspace on a PostgreSQL server, for one scope of it; made by [`Postgres::workspace`](crate::postgres::Postgres::workspace).
///
/// Processes on several machines may use it at once. Each verb is one transaction, and writes of one scope follow one
/// another. After a verb its change is committed, and survives a power loss of the server. A call that waits for longer
/// than [`lock_timeout`](crate::postgres::PostgresConfig::lock_timeout) gets [`Error::Busy`], one that reaches no
/// server [`Error::Unavailable`]. A replaced or removed document keeps its last ten versions.
///
/// Clones are the same workspace. The database too lets a transaction see the rows of its scope alone, by row-level security.
#[derive(Clone)]
pub struct PostgresWorkspace {
    scoped: Arc<ScopedServer>,
}

impl PostgresWorkspace {
    pub(super) fn over(scoped: ScopedServer) -> Self {
        Self { scoped: Arc::new(scoped) }
    }

    pub(super) fn scoped(&self) -> &ScopedServer {
        &self.scoped
    }

    /// Returns the scope that was fixed when it was opened.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scoped.scope
    }

    /// Lists the kept earlier versions of a document, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], [`Error::Unavailable`].
    pub fn versions(&self, name: &DocName) -> Result<Vec<Version>> {
        self.scoped.read("list the versions of", name, |transaction| {
            let sql = "SELECT revision, replaced_us FROM document_versions
                       WHERE user_id = $1 AND agent_id = $2 AND path = $3 ORDER BY version DESC";
            let mut versions = Vec::new();
            for row in transaction.run(sql, self.with([name.as_str().into()]))? {
                let (revision, replaced): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
                let revision = from_word(&revision);
                let replaced = DateTime::from_timestamp_micros(replaced);
                if let (Some(revision), Some(replaced_at)) = (revision, replaced) {
                    versions.push(Version { revision, replaced_at });
                }
            }
            Ok(versions)
        })
    }

    /// Reads an earlier version of a document; `None` where it is not kept.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], [`Error::Unavailable`].
    pub fn read_version(&self, name: &DocName, revision: Revision) -> Result<Option<Document>> {
        let bytes = self.scoped.read("read a version of", name, |transaction| {
            let sql = "SELECT content FROM document_versions
                       WHERE user_id = $1 AND agent_id = $2 AND path = $3 AND revision = $4 LIMIT 1";
            let params = self.with([name.as_str().into(), Param::Text(revision.to_string())]);
            first(transaction, sql, params, |row| row.try_get(0))
        })?;
        let name: Name = name.clone().into();
        Ok(bytes.map(|bytes| Document::new(name, bytes)))
    }

    /// Returns the values of a statement on rows of the scope.
    fn with(&self, more: impl IntoIterator<Item = Param>) -> Vec<Param> {
        let mut params = self.scoped.key();
        params.extend(more);
        params
    }

    /// Reads columns of a row by a name; refuses a folder.
    fn one<T>(
        &self,
        action: &'static str,
        name: &Name,
        sql: &'static str,
        more: impl IntoIterator<Item = Param>,
        read: impl FnOnce(&::postgres::Row) -> Result<T, ::postgres::Error>,
    ) -> Result<Option<T>> {
        let params = self.with(std::iter::once(name.as_str().into()).chain(more));
        let (found, is_folder) = self.scoped.read(action, name, |transaction| {
            let found = first(transaction, sql, params, read)?;
            let is_folder = found.is_none()
                && name.space() == Space::Document
                && is_folder(transaction, &self.scoped.scope, name.as_str())?;
            Ok((found, is_folder))
        })?;
        if is_folder {
            return Err(Error::Refused { path: name.to_string(), reason: Refusal::NotAFile });
        }
        Ok(found)
    }
}

/// Reads columns of the first row of a query.
fn first<T>(
    transaction: &Transaction,
    sql: &'static str,
    params: Vec<Param>,
    read: impl FnOnce(&::postgres::Row) -> Result<T, ::postgres::Error>,
) -> Result<Option<T>, Fault> {
    Ok(transaction.run(sql, params)?.first().map(read).transpose()?)
}

fn metadata(size: i64, modified_us: i64) -> Metadata {
    Metadata {
        len: u64::try_from(size).unwrap_or(0),
        modified: DateTime::from_timestamp_micros(modified_us).unwrap_or_default(),
    }
}

impl Workspace for PostgresWorkspace {
    fn location(&self) -> String {
        let Scope { user, agent } = &self.scoped.scope;
        let agent = if agent.is_empty() { String::new() } else { format!("/{agent}") };
        format!("{} ({user}{agent})", self.scoped.location())
    }

    fn scope(&self) -> Option<&Scope> {
        Some(&self.scoped.scope)
    }

    fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
        let place = folder.map_or("/", |name| name.as_str());
        let (is_document, paths) = self.scoped.read("list", place, |transaction| {
            let text = |row: &::postgres::Row| row.try_get::<_, String>(0);
            let rows = match folder {
                None => {
                    let sql = "SELECT path FROM documents WHERE user_id = $1 AND agent_id = $2 ORDER BY path";
                    transaction.run(sql, self.with([]))?
                }
                Some(folder) => {
                    let sql = "SELECT path FROM documents WHERE user_id = $1 AND agent_id = $2 AND path = $3";
                    if !transaction.run(sql, self.with([folder.as_str().into()]))?.is_empty() {
                        return Ok((true, Vec::new()));
                    }
                    // Names below a folder are a range: `/` is followed by `0`.
                    let sql = "SELECT path FROM documents WHERE user_id = $1 AND agent_id = $2
                               AND path > $3 AND path < $4 ORDER BY path";
                    let bounds = [Param::Text(format!("{folder}/")), Param::Text(format!("{folder}0"))];
                    transaction.run(sql, self.with(bounds))?
                }
            };
            let paths: Result<Vec<String>, _> = rows.iter().map(text).collect();
            Ok((false, paths?))
        })?;
        if is_document {
            return Err(Error::Refused { path: place.to_owned(), reason: Refusal::NotAFolder });
        }
        let prefix = folder.map_or_else(String::new, |folder| format!("{folder}/"));
        let (mut documents, mut folders, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for path in paths {
            let (name, into) = match path[prefix.len()..].split_once('/') {
                None => (path, &mut documents),
                Some((below, _)) => (format!("{prefix}{below}"), &mut folders),
            };
            match DocName::within(None, name) {
                Ok(name) if into.last() != Some(&name) => into.push(name),
                Ok(_) => {}
                Err(name) => refused.push(name),
            }
        }
        Ok(Listing::new(documents, folders, refused))
    }

    fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
        let found = self.one("look at", name, Statements::on(name.space()).metadata, [], |row| {
            Ok((row.try_get(0)?, row.try_get(1)?))
        })?;
        Ok(found.map(|(size, modified)| metadata(size, modified)))
    }

    /// Asks for all documents in one query; a name without a row is looked at by itself.
    fn metadata_of(&self, names: &[&Name]) -> Vec<Result<Option<Metadata>>> {
        let documents = names.iter().filter(|name| name.space() == Space::Document);
        let paths: Vec<String> = documents.map(|name| name.as_str().to_owned()).collect();
        let sql = "SELECT path, length(content)::bigint, modified_us FROM documents
                   WHERE user_id = $1 AND agent_id = $2 AND path = ANY ($3)";
        let found = self.scoped.read("look at", "documents", |transaction| {
            let mut found: HashMap<String, Metadata> = HashMap::new();
            for row in transaction.run(sql, self.with([paths.into()]))? {
                found.insert(row.try_get(0)?, metadata(row.try_get(1)?, row.try_get(2)?));
            }
            Ok(found)
        });
        // Where it failed, each has an error of its own.
        let found = found.unwrap_or_default();
        let known = |name: &Name| found.get(name.as_str()).filter(|_| name.space() == Space::Document);
        let each = names.iter().map(|name| match known(name) {
            Some(metadata) => Ok(Some(*metadata)),
            None => self.metadata(name),
        });
        each.collect()
    }

    fn read(&self, name: &Name) -> Result<Option<Document>> {
        let bytes = self.one("read", name, Statements::on(name.space()).content, [], |row| row.try_get(0))?;
        Ok(bytes.map(|bytes| Document::new(name.clone(), bytes)))
    }

    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
        let len = range.end.saturating_sub(range.start);
        if len > MAX_DOCUMENT {
            return Err(Error::TooLarge { name: name.clone(), len, limit: MAX_DOCUMENT });
        }
        // Nothing is stored behind the limit, and the server counts from 1.
        let start = range.start.min(MAX_DOCUMENT);
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let bounds = [Param::from(number(start + 1)), Param::from(number(len))];
        let bytes = self
            .one("read a range of", name, Statements::on(name.space()).range, bounds, |row| row.try_get(0))?;
        Ok(bytes.unwrap_or_default())
    }

    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        self.scoped.write("write", name, |rows| rows.write(name, bytes, mode))
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.scoped.write("append to", name, |rows| rows.append(name, bytes))
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.scoped.write("remove", name, |rows| rows.remove(name))
    }

    fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        self.scoped.write("rename", from, |rows| {
            let Some(bytes) = rows.get(from)? else { return Err(Error::NotFound { name: from.clone() }) };
            if let Some(standing) = rows.get(to)? {
                let current = Some(Box::new(Document::new(to.clone(), standing)));
                return Err(Error::Conflict { name: to.clone(), current });
            }
            rows.delete(from)?;
            rows.put(to, &bytes, true)
        })
    }

    fn drop_versions(&self, holds: &dyn Fn(&str, &[u8]) -> bool) -> Result<u64> {
        let name: Name = StateName::FORGOTTEN.into();
        self.scoped.write("drop versions with", &name, |rows| {
            let kept = "SELECT path, version FROM document_versions WHERE user_id = $1 AND agent_id = $2";
            let content = "SELECT content FROM document_versions
                           WHERE user_id = $1 AND agent_id = $2 AND path = $3 AND version = $4";
            let drop = "DELETE FROM document_versions
                        WHERE user_id = $1 AND agent_id = $2 AND path = $3 AND version = $4";
            let mut dropped = 0;
            for row in rows.run(&name, kept, Vec::new())? {
                let place = |row: &::postgres::Row| Ok((row.try_get(0)?, row.try_get(1)?));
                let Some((path, version)): Option<(String, i64)> =
                    rows.first(&name, std::slice::from_ref(&row), place)?
                else {
                    continue;
                };
                let key = || vec![Param::from(&path), Param::from(version)];
                let found = rows.run(&name, content, key())?;
                let bytes: Option<Vec<u8>> = rows.first(&name, &found, |row| row.try_get(0))?;
                if bytes.is_some_and(|bytes| holds(&path, &bytes)) {
                    rows.run(&name, drop, key())?;
                    dropped += 1;
                }
            }
            Ok(dropped)
        })
    }

    fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
        trace::claim(|| lease::claim(&self.scoped, terms))
    }
}

debug_as!(PostgresWorkspace, |it| "PostgresWorkspace({})", it.location());
