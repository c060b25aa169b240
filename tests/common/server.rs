//! A PostgreSQL server for tests, and lives on it that no other test reaches.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use noctuary::postgres::{Postgres, PostgresConfig, PostgresWorkspace};
use noctuary::workspace::{Claim, ClaimTerms, Digest, Document, Listing, Metadata, Name, Revision};
use noctuary::{DocName, Result, Scope, Workspace, WriteMode};

/// The URL of the server; `None` where there is none, which a gate does not let pass.
pub(crate) fn url() -> Option<String> {
    if let Ok(url) = std::env::var("NOCTUARY_POSTGRES") {
        return Some(url);
    }
    let how = "no PostgreSQL server: export NOCTUARY_POSTGRES=\"$(.ci/postgres)\" starts one";
    assert!(std::env::var_os("CI").is_none(), "{how}");
    println!("skipped: {how}");
    None
}

/// Settings for a schema of tests.
pub(crate) fn config(schema: &str) -> PostgresConfig {
    let mut config = PostgresConfig::default();
    schema.clone_into(&mut config.schema);
    config
}

/// The server that the tests of this process share.
pub(crate) fn server() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(|| {
        let server = Postgres::connect_with(&url().unwrap(), config("noctuary_tests")).unwrap();
        server.migrate().unwrap();
        server
    })
}

/// Opens the life of Marta that belongs to a folder: another life on the server for each.
pub(crate) fn open(folder: &Path) -> MartaOf {
    open_on(server(), folder)
}

pub(crate) fn open_on(server: &Postgres, folder: &Path) -> MartaOf {
    let name = Digest::of(folder.as_os_str().as_encoded_bytes()).short(16);
    MartaOf(server.workspace(Scope::user(format!("marta-{name}"))).unwrap())
}

/// A life of somebody who says that she is Marta.
#[derive(Debug, Clone)]
pub(crate) struct MartaOf(pub(crate) PostgresWorkspace);

impl Workspace for MartaOf {
    fn location(&self) -> String {
        self.0.location()
    }
    fn scope(&self) -> Option<&Scope> {
        static MARTA: OnceLock<Scope> = OnceLock::new();
        Some(MARTA.get_or_init(|| Scope::user("marta")))
    }
    fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
        self.0.list(folder)
    }
    fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
        self.0.metadata(name)
    }
    fn metadata_of(&self, names: &[&Name]) -> Vec<Result<Option<Metadata>>> {
        self.0.metadata_of(names)
    }
    fn read(&self, name: &Name) -> Result<Option<Document>> {
        self.0.read(name)
    }
    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
        self.0.read_range(name, range)
    }
    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        self.0.write(name, bytes, mode)
    }
    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.0.append(name, bytes)
    }
    fn remove(&self, name: &Name) -> Result<bool> {
        self.0.remove(name)
    }
    fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        self.0.rename(from, to)
    }
    fn drop_versions(&self, holds: &dyn Fn(&str, &[u8]) -> bool) -> Result<u64> {
        self.0.drop_versions(holds)
    }
    fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
        self.0.claim(terms)
    }
}
