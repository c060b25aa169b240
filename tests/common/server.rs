//! A PostgreSQL server for tests, and lives on it that no other test reaches.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use noctuary::postgres::{Postgres, PostgresConfig, PostgresMemoryStore, PostgresWorkspace};
use noctuary::store::StoreConfig;
use noctuary::workspace::{Claim, ClaimTerms, Digest, Document, Listing, Metadata, Name, Revision};
use noctuary::{DocName, Result, Scope, Workspace, WriteMode};

/// The URL of the server; `None` where there is none, which a gate does not let pass.
pub fn url() -> Option<String> {
    if let Ok(url) = std::env::var("NOCTUARY_POSTGRES") {
        return Some(url);
    }
    let how = "no PostgreSQL server: export NOCTUARY_POSTGRES=\"$(.ci/postgres)\" starts one";
    assert!(std::env::var_os("CI").is_none(), "{how}");
    println!("skipped: {how}");
    None
}

/// Settings for a schema of tests.
pub fn config(schema: &str) -> PostgresConfig {
    let mut config = PostgresConfig::default();
    schema.clone_into(&mut config.schema);
    config
}

/// The server that the tests of this process share.
pub fn server() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(|| {
        let server = Postgres::connect_with(&url().unwrap(), config("noctuary_tests")).unwrap();
        server.migrate().unwrap();
        server
    })
}

/// A server that no other test uses: it may crash, and be reached encrypted on the loopback.
pub struct Private {
    folder: PathBuf,
    /// Removed with it, where it is its own.
    _own: Option<tempfile::TempDir>,
    port: u16,
    /// The URL of its unix socket, as the role of tests.
    pub url: String,
}

impl Private {
    /// Starts one; with `encrypted` it listens on a port of the loopback too, and its certificate is of `db.test`.
    pub fn start(encrypted: bool) -> Self {
        let folder = tempfile::Builder::new().prefix("noctuary-pg-").tempdir().unwrap();
        let free = || std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let port = if encrypted { free() } else { 0 };
        Self::of(folder.path().to_owned(), Some(folder), port)
    }

    /// Starts one in a folder that is there.
    pub fn start_in(folder: &Path) -> Self {
        Self::of(folder.join("server"), None, 0)
    }

    fn of(folder: PathBuf, own: Option<tempfile::TempDir>, port: u16) -> Self {
        let mut private = Self { folder, _own: own, port, url: String::new() };
        private.url = private.ask("");
        private
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Asks the script for something, and returns what it prints.
    fn ask(&self, what: &str) -> String {
        let script = crate::root().join(".ci/postgres");
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
    pub fn crash(&self) {
        self.ask("crash");
    }

    /// Starts it again.
    pub fn again(&self) {
        self.ask("");
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        self.ask("stop");
    }
}

/// A server with a schema of its own, which ends with it.
pub struct Fresh {
    pub server: Postgres,
    schema: String,
}

impl Fresh {
    pub fn new() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let schema = format!("fresh_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        drop_schema(&schema);
        let mut settings = config(&schema);
        settings.max_connections = 3;
        let server = Postgres::connect_with(&url().unwrap(), settings).unwrap();
        server.migrate().unwrap();
        Self { server, schema }
    }

    pub fn schema(&self) -> &str {
        &self.schema
    }
}

/// A server with a schema for a folder. Those of earlier runs are removed by the next.
pub fn at(folder: &Path) -> Postgres {
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
pub fn open(folder: &Path) -> MartaOf {
    open_on(server(), folder)
}

pub fn open_on(server: &Postgres, folder: &Path) -> MartaOf {
    let name = Digest::of(folder.as_os_str().as_encoded_bytes()).short(16);
    MartaOf(server.workspace(Scope::user(format!("marta-{name}"))).unwrap())
}

/// A life of somebody who says that she is Marta.
#[derive(Debug, Clone)]
pub struct MartaOf(pub PostgresWorkspace);

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

/// Returns whether there is a server.
pub fn is_there() -> bool {
    static IS_THERE: OnceLock<bool> = OnceLock::new();
    *IS_THERE.get_or_init(|| url().is_some())
}

/// A schema for one store at a time, so that tests may all be Marta.
struct Rows {
    schema: String,
    server: Postgres,
    user: User,
}

/// The store that has a schema.
enum User {
    /// One that is open.
    Store(Weak<PostgresMemoryStore>),
    /// The stores of a folder, while it is there.
    Folder(PathBuf),
}

impl Rows {
    fn is_free(&self) -> bool {
        match &self.user {
            User::Store(store) => store.strong_count() == 0,
            User::Folder(folder) => !folder.exists(),
        }
    }

    /// Takes a schema without rows.
    fn take(user: User) -> (MutexGuard<'static, Vec<Self>>, usize) {
        static ALL: Mutex<Vec<Rows>> = Mutex::new(Vec::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let mut shell = ::postgres::Client::connect(&url().unwrap(), ::postgres::NoTls).unwrap();
        if all.is_empty() {
            drop_schemas_of_the_dead(&mut shell);
        }
        if let Some(at) = all.iter().position(Self::is_free) {
            wipe(&mut shell, &all[at].schema);
            all[at].user = user;
            return (all, at);
        }
        let schema = format!("rows_{}_{}", std::process::id(), all.len());
        let server = rows_server(&schema);
        server.migrate().unwrap();
        all.push(Self { schema, server, user });
        let at = all.len() - 1;
        (all, at)
    }
}

fn rows_server(schema: &str) -> Postgres {
    let mut config = config(schema);
    config.max_connections = 4;
    Postgres::connect_with(&url().unwrap(), config).unwrap()
}

/// Removes all rows of all scopes.
fn wipe(shell: &mut ::postgres::Client, schema: &str) {
    let sql = "SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') FROM pg_tables
               WHERE schemaname = $1 AND tablename <> 'schema_version'";
    let tables: String = shell.query_one(sql, &[&schema]).unwrap().get(0);
    shell.batch_execute(&format!("TRUNCATE {tables}")).unwrap();
}

/// Drops the schemas that earlier processes left.
fn drop_schemas_of_the_dead(shell: &mut ::postgres::Client) {
    let found =
        shell.query("SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'rows\\_%'", &[]).unwrap();
    for schema in found {
        let schema: String = schema.get(0);
        let is_alive = schema.split('_').nth(1).is_some_and(|pid| Path::new("/proc").join(pid).exists());
        if !is_alive {
            let _ = shell.batch_execute(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE"));
        }
    }
}

/// Opens a store without rows, which nobody else has while it is open.
pub fn rows(scope: Scope, config: StoreConfig) -> Arc<PostgresMemoryStore> {
    let (mut all, at) = Rows::take(User::Store(Weak::new()));
    let store = Arc::new(all[at].server.memory_with(scope, config).unwrap());
    all[at].user = User::Store(Arc::downgrade(&store));
    store
}

/// Opens the store that belongs to a folder, also from another process.
pub fn rows_in(folder: &Path, scope: Scope, config: StoreConfig) -> PostgresMemoryStore {
    rows_server_in(folder).memory_with(scope, config).unwrap()
}

/// Returns the server with the rows that belong to a folder.
pub fn rows_server_in(folder: &Path) -> Postgres {
    let file = folder.join(".postgres-rows");
    if let Ok(schema) = fs::read_to_string(&file) {
        return rows_server(&schema);
    }
    let (all, at) = Rows::take(User::Folder(folder.to_owned()));
    fs::write(file, &all[at].schema).unwrap();
    all[at].server.clone()
}

/// Returns the tables that hold a word of Marta's, in any case, of the rows that belong to a folder; none where it has no rows.
pub fn tables_with(folder: &Path, word: &str) -> Vec<String> {
    let Ok(schema) = fs::read_to_string(folder.join(".postgres-rows")) else { return Vec::new() };
    let mut shell = ::postgres::Client::connect(&url().unwrap(), ::postgres::NoTls).unwrap();
    let tables =
        "SELECT relname::text FROM pg_class WHERE relnamespace = $1::text::regnamespace AND relkind = 'r'";
    let tables: Vec<String> = shell.query(tables, &[&schema]).unwrap().iter().map(|row| row.get(0)).collect();
    shell.batch_execute("SELECT set_config('noctuary.user', 'marta', false)").unwrap();
    let holds = |table: &String| {
        let sql = format!("SELECT 1 FROM {schema}.{table} t WHERE strpos(lower(t::text), $1) > 0 LIMIT 1");
        !shell.query(&sql, &[&word]).unwrap().is_empty()
    };
    tables.into_iter().filter(holds).collect()
}
