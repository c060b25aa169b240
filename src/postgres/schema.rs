//! The migrations that give a schema its tables.

use ::postgres::Client;

use super::config::Address;
use super::fault::{Fault, not_migrated};
use super::link::{Link, Param, Session, Statement};
use super::{artifacts, index, memory, tables};
use crate::base::access::Scope;
use crate::base::digest::Hasher;
use crate::base::error::{Error, Result};

/// One step a version; a schema at version n has run the first n.
const MIGRATIONS: &[(&str, &[&str])] = &[(
    "make the tables of workspaces, memory stores, indexes and artifacts, with row-level security",
    &[tables::WORKSPACE, memory::TABLES, index::tables::INDEX, artifacts::tables::ARTIFACTS],
)];

/// Shows a transaction only the rows of its own scope, even if it is the owner of the tables. It adds this rule to each table
/// with a scope that lacks it. It runs behind all migrations.
///
/// A setting that was local to an earlier transaction of a connection is empty and not null, so empty is no user.
const GUARD: &str = "
    DO $$
    DECLARE each regclass;
    BEGIN
        FOR each IN
            SELECT c.oid::regclass FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = 'user_id' AND NOT a.attisdropped
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
              AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_policy p WHERE p.polrelid = c.oid)
        LOOP
            EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', each);
            EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', each);
            EXECUTE format(
                'CREATE POLICY scope ON %s USING (
                    user_id = nullif(current_setting(''noctuary.user'', true), '''')
                    AND agent_id = coalesce(current_setting(''noctuary.agent'', true), ''''))',
                each);
        END LOOP;
    END $$;
";

const VERSION_TABLE: &str = "
    CREATE TABLE IF NOT EXISTS schema_version (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        version bigint NOT NULL
    );
";

/// Returns the version of the schema; `None` where it has no tables.
fn version(client: &mut Session, schema: &str) -> std::result::Result<Option<u64>, ::postgres::Error> {
    let is_there =
        "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'schema_version'";
    let asked = Statement { sql: is_there.into(), params: vec![Param::from(schema)] };
    if asked.run(client)?.is_empty() {
        return Ok(None);
    }
    // The name was checked to be a plain word.
    let rows = client.query_typed(&format!("SELECT version FROM \"{schema}\".schema_version"), &[])?;
    let version: Option<i64> = rows.first().map(|row| row.try_get(0)).transpose()?;
    Ok(version.map(|version| u64::try_from(version).unwrap_or(u64::MAX)))
}

/// Refuses a version that this library does not know.
fn known(address: &Address, found: Option<u64>) -> Result<usize> {
    let (found, known) = (found.unwrap_or(0), MIGRATIONS.len() as u64);
    if found > known {
        return Err(Error::NewerVersion { name: address.to_string(), found, known });
    }
    Ok(usize::try_from(found).unwrap_or(0))
}

/// Checks that a schema is as this library knows it, and that its rows are guarded against this role.
pub(super) fn check(link: &Link, address: &Address, schema: &str) -> Result<()> {
    let folded = |fault: Fault| fault.fold("open", address);
    let name = schema.to_owned();
    let (found, is_above, is_utf8) = link
        .call(move |client| Ok((version(client, &name)?, is_above(client)?, is_utf8(client)?)))
        .map_err(folded)?;
    if !is_utf8 {
        return Err(NOT_UTF8);
    }
    if is_above {
        return Err(Error::Config {
            setting: "url",
            rule: "must log in as a role that is neither SUPERUSER nor BYPASSRLS: row-level security does not bind those",
        });
    }
    if known(address, found)? < MIGRATIONS.len() {
        return Err(not_migrated(address.to_string()));
    }
    Ok(())
}

/// Lists the scopes of a schema. A role that sees one at a time is refused.
pub(super) fn scopes(link: &Link, address: &Address, schema: &str) -> Result<Vec<Scope>> {
    let name = schema.to_owned();
    let (found, is_above, scopes) = link
        .call(move |client| {
            let (found, is_above) = (version(client, &name)?, is_above(client)?);
            let mut scopes = Vec::new();
            if found.is_some() && is_above {
                let sql =
                    format!("SELECT user_id, agent_id FROM \"{name}\".lives ORDER BY user_id, agent_id");
                for row in client.query_typed(&sql, &[])? {
                    scopes.push(Scope { user: row.try_get(0)?, agent: row.try_get(1)? });
                }
            }
            Ok((found, is_above, scopes))
        })
        .map_err(|fault| fault.fold("list the scopes of", address))?;
    if known(address, found)? == 0 {
        return Err(not_migrated(address.to_string()));
    }
    if !is_above {
        return Err(Error::Config {
            setting: "url",
            rule: "must log in as a role that is SUPERUSER or BYPASSRLS to list scopes: any other sees one at a time",
        });
    }
    Ok(scopes)
}

/// Returns whether row-level security does not bind this role.
fn is_above(client: &mut Client) -> std::result::Result<bool, ::postgres::Error> {
    let sql = "SELECT rolsuper OR rolbypassrls FROM pg_catalog.pg_roles WHERE rolname = current_user";
    let rows = client.query_typed(sql, &[])?;
    Ok(rows.first().map(|row| row.try_get(0)).transpose()?.unwrap_or(false))
}

/// Returns whether the database keeps any text.
fn is_utf8(client: &mut Session) -> std::result::Result<bool, ::postgres::Error> {
    let rows = client.query_typed("SELECT current_setting('server_encoding') = 'UTF8'", &[])?;
    Ok(rows.first().map(|row| row.try_get(0)).transpose()?.unwrap_or(false))
}

/// The error of a database that does not.
const NOT_UTF8: Error = Error::Config {
    setting: "url",
    rule: "must name a database with the encoding UTF8: `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`",
};

/// Returns the steps that a migration would take.
pub(super) fn pending(link: &Link, address: &Address, schema: &str) -> Result<Vec<&'static str>> {
    let name = schema.to_owned();
    let found = link
        .call(move |client| version(client, &name))
        .map_err(|fault| fault.fold("look at the tables of", address))?;
    let done = known(address, found)?;
    Ok(MIGRATIONS[done..].iter().map(|(told, _)| *told).collect())
}

/// Brings the schema to the newest version, in one transaction, while no other process does.
pub(super) fn migrate(link: &Link, address: &Address, schema: &str) -> Result<Vec<&'static str>> {
    if !link.call(is_utf8).map_err(|fault| fault.fold("look at the tables of", address))? {
        return Err(NOT_UTF8);
    }
    let name = schema.to_owned();
    let found = link
        .call(move |client| {
            // A role that may make no tables finds nothing to make.
            if let Some(found) = version(client, &name)?
                && found >= MIGRATIONS.len() as u64
            {
                return Ok(i64::try_from(found).unwrap_or(i64::MAX));
            }
            let mut transaction = client.transaction()?;
            transaction.execute_typed("SELECT pg_advisory_xact_lock($1)", &[(&lock_of(&name), ::postgres::types::Type::INT8)])?;
            transaction.batch_execute(&format!(
                "CREATE SCHEMA IF NOT EXISTS \"{name}\"; SET LOCAL search_path = \"{name}\", pg_temp; {VERSION_TABLE}"
            ))?;
            let rows = transaction.query_typed("SELECT version FROM schema_version", &[])?;
            let found: i64 = rows.first().map_or(Ok(0), |row| row.try_get(0))?;
            let done = usize::try_from(found).unwrap_or(usize::MAX);
            let Some(steps) = MIGRATIONS.get(done..).filter(|steps| !steps.is_empty()) else {
                return Ok(found);
            };
            for sql in steps.iter().flat_map(|(_, tables)| *tables) {
                transaction.batch_execute(sql)?;
            }
            transaction.batch_execute(GUARD)?;
            let newest = MIGRATIONS.len();
            transaction.batch_execute(&format!(
                "INSERT INTO schema_version (version) VALUES ({newest}) ON CONFLICT (one) DO UPDATE SET version = {newest}"
            ))?;
            transaction.commit()?;
            Ok(found)
        })
        .map_err(|fault| fault.fold("migrate", address))?;
    let done = known(address, Some(u64::try_from(found).unwrap_or(u64::MAX)))?;
    Ok(MIGRATIONS[done..].iter().map(|(told, _)| *told).collect())
}

/// Allows a role to use the tables, and nothing more.
pub(super) fn grant(link: &Link, address: &Address, schema: &str, role: &str) -> Result<()> {
    if role.is_empty() || role.contains('\0') {
        return Err(Error::Config { setting: "role", rule: "must be the name of a role" });
    }
    let (name, quoted, text) = (schema.to_owned(), role.replace('"', "\"\""), text_of(role));
    link.call(move |client| {
        // A server only warns of rights that this role may not give.
        client.batch_execute(&format!(
            "GRANT USAGE ON SCHEMA \"{name}\" TO \"{quoted}\";
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \"{name}\" TO \"{quoted}\";
             REVOKE INSERT, UPDATE, DELETE ON \"{name}\".schema_version FROM \"{quoted}\";
             DO $grant$ BEGIN
                 IF NOT has_schema_privilege(E'{text}', '{name}', 'USAGE') OR EXISTS (
                     SELECT 1 FROM pg_catalog.pg_class c
                     WHERE c.relnamespace = '{name}'::regnamespace AND c.relkind = 'r'
                       AND NOT has_table_privilege(E'{text}', c.oid, 'SELECT')) THEN
                     RAISE insufficient_privilege USING MESSAGE = 'this role may not give rights on the tables';
                 END IF;
             END $grant$;"
        ))
    })
    .map_err(|fault| fault.fold("grant rights on", address))
}

/// Returns a text as a part of a literal `E'…'`.
fn text_of(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "''").replace('$', "\\x24")
}

/// Returns the number under which migrations of a schema are locked.
fn lock_of(schema: &str) -> i64 {
    let mut hasher = Hasher::new();
    hasher.field(b"noctuary").field(schema.as_bytes());
    let digest = hasher.finish();
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest.as_bytes()[..8]);
    i64::from_be_bytes(bytes)
}
