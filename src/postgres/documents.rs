//! The rows of one scope, documents and states alike, read and changed inside one transaction.

use ::postgres::Row;

use super::fault::Fault;
use super::link::Param;
use super::transaction::{Transaction, key};
use crate::base::access::Scope;
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Refusal, Result};
use crate::base::name::{Name, Space};
use crate::workspace::{MAX_DOCUMENT, WriteMode, line_break_before};

/// The most earlier versions of a document that are kept.
const KEPT_VERSIONS: i64 = 10;

/// The statements that both kinds of row share: each row has a scope, a name, a content and a time of change.
pub(super) struct Statements {
    /// Reads the content.
    pub(super) content: &'static str,
    /// Reads a part of the content.
    pub(super) range: &'static str,
    /// Reads size and time of change.
    pub(super) metadata: &'static str,
    /// Reads size and last byte, as a number; -1 where there is none.
    end: &'static str,
    put: &'static str,
    /// Adds at the end.
    add: &'static str,
    delete: &'static str,
}

/// The server's clock, in microseconds.
macro_rules! now {
    () => {
        "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    };
}

macro_rules! statements {
    ($table:literal) => {
        Statements {
            content: statements!(@ "SELECT content FROM ", $table),
            range: statements!(@ "SELECT substring(content FROM $4::bigint::int FOR $5::bigint::int) FROM ", $table),
            metadata: statements!(@ "SELECT length(content)::bigint, modified_us FROM ", $table),
            end: statements!(@ "SELECT length(content)::bigint, CASE WHEN length(content) = 0 THEN -1
                ELSE get_byte(content, length(content) - 1) END::bigint FROM ", $table),
            // A change of content is a change of time.
            put: concat!(
                "INSERT INTO ", $table, " AS held (user_id, agent_id, path, content, modified_us)
                 VALUES ($1, $2, $3, $4, ", now!(), ")
                 ON CONFLICT (user_id, agent_id, path) DO UPDATE SET content = excluded.content,
                   modified_us = greatest(excluded.modified_us, held.modified_us + 1)"
            ),
            add: concat!(
                "UPDATE ", $table, " SET content = content || $4,
                   modified_us = greatest(", now!(), ", modified_us + 1)
                 WHERE user_id = $1 AND agent_id = $2 AND path = $3"
            ),
            delete: statements!(@ "DELETE FROM ", $table),
        }
    };
    (@ $verb:literal, $table:literal) => {
        concat!($verb, $table, " WHERE user_id = $1 AND agent_id = $2 AND path = $3")
    };
}

impl Statements {
    const DOCUMENTS: Self = statements!("documents");
    const STATES: Self = statements!("states");

    /// Returns the statements on the rows of a kind of name.
    pub(super) const fn on(space: Space) -> &'static Self {
        match space {
            Space::Document => &Self::DOCUMENTS,
            Space::State => &Self::STATES,
        }
    }
}

const KEEP: &str = concat!(
    "INSERT INTO document_versions (user_id, agent_id, path, version, content, revision, replaced_us)
     SELECT $1, $2, $3, coalesce(max(version), 0) + 1, $4, $5, ",
    now!(),
    " FROM document_versions WHERE user_id = $1 AND agent_id = $2 AND path = $3"
);

const KEEP_NO_MORE: &str = "
    DELETE FROM document_versions WHERE user_id = $1 AND agent_id = $2 AND path = $3
    AND version <= (SELECT max(version) FROM document_versions WHERE user_id = $1 AND agent_id = $2 AND path = $3) - $4";

/// The rows of one scope inside a transaction.
pub(super) struct Rows<'a> {
    pub(super) transaction: &'a Transaction,
    pub(super) scope: &'a Scope,
    /// The server, for messages.
    pub(super) location: &'a str,
    pub(super) action: &'static str,
}

impl Rows<'_> {
    /// Runs a statement on rows of the scope, whose key its first two values are.
    pub(super) fn run(&self, name: &Name, sql: &'static str, more: Vec<Param>) -> Result<Vec<Row>> {
        let mut params = key(self.scope);
        params.extend(more);
        self.transaction.run(sql, params).map_err(|fault| self.fold(name, fault))
    }

    fn fold(&self, name: &Name, fault: Fault) -> Error {
        fault.fold(self.action, format_args!("{name} in {}", self.location))
    }

    /// Reads columns of the first row.
    pub(super) fn first<T>(
        &self,
        name: &Name,
        rows: &[Row],
        read: impl FnOnce(&Row) -> Result<T, ::postgres::Error>,
    ) -> Result<Option<T>> {
        rows.first().map(read).transpose().map_err(|error| self.fold(name, Fault::Said(error)))
    }

    pub(super) fn get(&self, name: &Name) -> Result<Option<Vec<u8>>> {
        let rows = self.run(name, Statements::on(name.space()).content, vec![name.as_str().into()])?;
        self.first(name, &rows, |row| row.try_get(0))
    }

    /// Returns the length and the last byte.
    fn end(&self, name: &Name) -> Result<Option<(u64, Option<u8>)>> {
        let rows = self.run(name, Statements::on(name.space()).end, vec![name.as_str().into()])?;
        let end =
            self.first(name, &rows, |row| Ok((row.try_get::<_, i64>(0)?, row.try_get::<_, i64>(1)?)))?;
        Ok(end.map(|(len, last)| (u64::try_from(len).unwrap_or(0), u8::try_from(last).ok())))
    }

    pub(super) fn put(&self, name: &Name, bytes: &[u8], is_new: bool) -> Result<()> {
        check_size(name, bytes.len() as u64)?;
        if is_new && name.space() == Space::Document {
            self.check_place(name)?;
        }
        self.run(name, Statements::on(name.space()).put, vec![name.as_str().into(), bytes.into()]).map(drop)
    }

    /// Refuses what a folder would refuse: a document where documents are below, or below a document.
    fn check_place(&self, name: &Name) -> Result<()> {
        let mut above = Vec::new();
        let mut rest = name.as_str();
        while let Some((folder, _)) = rest.rsplit_once('/') {
            above.push(folder.to_owned());
            rest = folder;
        }
        if !above.is_empty() {
            let sql = "SELECT path FROM documents WHERE user_id = $1 AND agent_id = $2 AND path = ANY ($3) ORDER BY path DESC LIMIT 1";
            let rows = self.run(name, sql, vec![above.into()])?;
            if let Some(path) = self.first(name, &rows, |row| row.try_get(0))? {
                return Err(Error::Refused { path, reason: Refusal::NotAFolder });
            }
        }
        if is_folder(self.transaction, self.scope, name.as_str()).map_err(|fault| self.fold(name, fault))? {
            return Err(Error::Refused { path: name.to_string(), reason: Refusal::NotAFile });
        }
        Ok(())
    }

    /// Keeps the document in the history, before it is replaced.
    fn keep(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        if name.space() == Space::State {
            return Ok(());
        }
        let revision = Revision::of(bytes).to_string();
        let params = vec![name.as_str().into(), bytes.into(), Param::Text(revision)];
        self.run(name, KEEP, params)?;
        self.run(name, KEEP_NO_MORE, vec![name.as_str().into(), KEPT_VERSIONS.into()]).map(drop)
    }

    pub(super) fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        let written = Revision::of(bytes);
        let standing = self.get(name)?;
        let conflict = |standing: Option<Vec<u8>>| {
            let current = standing.map(|bytes| Box::new(Document::new(name.clone(), bytes)));
            Err(Error::Conflict { name: name.clone(), current })
        };
        let current = standing.as_deref().map(Revision::of);
        match mode {
            WriteMode::Create if standing.is_some() => return conflict(standing),
            WriteMode::Replace | WriteMode::IfRevision(_) if current == Some(written) => return Ok(written),
            WriteMode::IfRevision(seen) if current != Some(seen) => return conflict(standing),
            _ => {}
        }
        if let Some(bytes) = &standing {
            self.keep(name, bytes)?;
        }
        self.put(name, bytes, standing.is_none())?;
        Ok(written)
    }

    pub(super) fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        let Some((len, last)) = self.end(name)? else { return self.put(name, bytes, true) };
        self.add(name, len, &[line_break_before(last, bytes), bytes].concat())
    }

    /// Adds exactly these bytes, if the document is still so long.
    pub(super) fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
        match self.end(name)? {
            None if len == 0 => self.put(name, rest, true)?,
            Some((standing, _)) if standing == len => self.add(name, len, rest)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn add(&self, name: &Name, len: u64, bytes: &[u8]) -> Result<()> {
        check_size(name, len.saturating_add(bytes.len() as u64))?;
        self.run(name, Statements::on(name.space()).add, vec![name.as_str().into(), bytes.into()]).map(drop)
    }

    pub(super) fn remove(&self, name: &Name) -> Result<bool> {
        let Some(bytes) = self.get(name)? else {
            if name.space() == Space::Document
                && is_folder(self.transaction, self.scope, name.as_str())
                    .map_err(|fault| self.fold(name, fault))?
            {
                return Err(Error::Refused { path: name.to_string(), reason: Refusal::NotAFile });
            }
            return Ok(false);
        };
        self.keep(name, &bytes)?;
        self.delete(name)?;
        Ok(true)
    }

    pub(super) fn delete(&self, name: &Name) -> Result<()> {
        self.run(name, Statements::on(name.space()).delete, vec![name.as_str().into()]).map(drop)
    }
}

fn check_size(name: &Name, len: u64) -> Result<()> {
    if len > MAX_DOCUMENT {
        return Err(Error::TooLarge { name: name.clone(), len, limit: MAX_DOCUMENT });
    }
    Ok(())
}

/// Returns whether documents have paths below this one.
pub(super) fn is_folder(transaction: &Transaction, scope: &Scope, path: &str) -> Result<bool, Fault> {
    let sql =
        "SELECT 1 FROM documents WHERE user_id = $1 AND agent_id = $2 AND path > $3 AND path < $4 LIMIT 1";
    let mut params = key(scope);
    params.extend([Param::Text(format!("{path}/")), Param::Text(format!("{path}0"))]);
    Ok(!transaction.run(sql, params)?.is_empty())
}
