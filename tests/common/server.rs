//! A PostgreSQL server for tests, and lives on it that no other test reaches.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// A server that no other test uses: it may crash, and be reached encrypted on the loopback.
pub(crate) struct Private {
    folder: PathBuf,
    /// Removed with it, where it is its own.
    _own: Option<tempfile::TempDir>,
    port: u16,
    /// The URL of its unix socket, as the role of tests.
    pub(crate) url: String,
}

impl Private {
    /// Starts one; with `encrypted` it listens on a port of the loopback too, and its certificate is of `db.test`.
    pub(crate) fn start(encrypted: bool) -> Self {
        let folder = tempfile::Builder::new().prefix("noctuary-pg-").tempdir().unwrap();
        let free = || std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let port = if encrypted { free() } else { 0 };
        Self::of(folder.path().to_owned(), Some(folder), port)
    }

    /// Starts one in a folder that is there.
    pub(crate) fn start_in(folder: &Path) -> Self {
        Self::of(folder.join("server"), None, 0)
    }

    fn of(folder: PathBuf, own: Option<tempfile::TempDir>, port: u16) -> Self {
        let mut private = Self { folder, _own: own, port, url: String::new() };
        private.url = private.ask("");
        private
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Asks the script for something, and returns what it prints.
    fn ask(&self, what: &str) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/postgres");
        let mut command = std::process::Command::new(script);
        command.env("NOCTUARY_POSTGRES_FOLDER", &self.folder);
        if self.port > 0 {
            command.env("NOCTUARY_POSTGRES_TLS", self.port.to_string());
        }
        if !what.is_empty() {
            command.arg(what);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{what:?}: {said}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Ends it as a crash does, without a word to anybody.
    pub(crate) fn crash(&self) {
        self.ask("crash");
    }

    /// Starts it again.
    pub(crate) fn again(&self) {
        self.ask("");
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        self.ask("stop");
    }
}

/// A server with a schema of its own, which ends with it.
pub(crate) struct Fresh {
    pub(crate) server: Postgres,
    schema: String,
}

impl Fresh {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let schema = format!("fresh_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        drop_schema(&schema);
        let mut settings = config(&schema);
        settings.max_connections = 3;
        let server = Postgres::connect_with(&url().unwrap(), settings).unwrap();
        server.migrate().unwrap();
        Self { server, schema }
    }

    pub(crate) fn schema(&self) -> &str {
        &self.schema
    }
}

/// A server with a schema for a folder. Those of earlier runs are removed by the next.
pub(crate) fn at(folder: &Path) -> Postgres {
    static SWEPT: OnceLock<()> = OnceLock::new();
    SWEPT.get_or_init(|| {
        let mut client = postgres::Client::connect(&url().unwrap(), postgres::NoTls).unwrap();
        let sql = "SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'folder\\_%'";
        for row in client.query(sql, &[]).unwrap() {
            let schema: String = row.get(0);
            let pid = schema.split('_').nth(1).unwrap_or_default();
            if !Path::new("/proc").join(pid).exists() {
                drop_schema(&schema);
            }
        }
    });
    let name = Digest::of(folder.as_os_str().as_encoded_bytes()).short(12);
    let mut settings = config(&format!("folder_{}_{name}", std::process::id()));
    settings.max_connections = 4;
    let server = Postgres::connect_with(&url().unwrap(), settings).unwrap();
    server.migrate().unwrap();
    server
}

impl Drop for Fresh {
    fn drop(&mut self) {
        drop_schema(&self.schema);
    }
}

fn drop_schema(schema: &str) {
    let mut client = postgres::Client::connect(&url().unwrap(), postgres::NoTls).unwrap();
    client
        .batch_execute(&format!("SET client_min_messages = error; DROP SCHEMA IF EXISTS {schema} CASCADE"))
        .unwrap();
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
