//! Shared parts of the tests of files: a look at a whole folder, and this test binary as a second process.

pub mod dice;
pub mod marta;
pub mod scripted_server;
pub mod server;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

const ROLE: &str = "NOCTUARY_TEST_ROLE";
const FOLDER: &str = "NOCTUARY_TEST_FOLDER";
/// The beginning of a line that is meant for the parent; the test harness prints lines of its own.
const TELL: &str = "child: ";

/// The stores that a test tries: 0 in a file, 1 in a database, and 2 on a server where there is one.
pub fn backends() -> std::ops::Range<usize> {
    if server::is_there() {
        return 0..3;
    }
    0..2
}

/// Opens the store of one of [`backends`] in a folder, in an `Arc` of whatever the caller knows it as.
#[macro_export]
macro_rules! open_store {
    ($backend:expr, $folder:expr, $scope:expr) => {
        $crate::open_store!($backend, $folder, $scope, noctuary::store::StoreConfig::default())
    };
    ($backend:expr, $folder:expr, $scope:expr, $config:expr) => {
        match $backend {
            0 => std::sync::Arc::new(noctuary::FileMemoryStore::open_with($folder, $scope, $config).unwrap())
                as _,
            1 => {
                let path = $folder.join("memory.db");
                std::sync::Arc::new(noctuary::SqliteMemoryStore::open_with(path, $scope, $config).unwrap())
                    as _
            }
            _ => std::sync::Arc::new($crate::common::server::rows_in($folder, $scope, $config)) as _,
        }
    };
}

/// The entry at a path: its bytes, and when it was last changed. A link is never followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    Folder(SystemTime),
    File(Vec<u8>, SystemTime),
    Other,
}

/// Everything below a folder.
pub fn tree(root: &Path) -> BTreeMap<PathBuf, Standing> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let modified = metadata.modified().unwrap();
            let standing = if metadata.is_dir() {
                folders.push(path.clone());
                Standing::Folder(modified)
            } else if metadata.is_file() {
                Standing::File(fs::read(&path).unwrap(), modified)
            } else {
                Standing::Other
            };
            found.insert(path.strip_prefix(root).unwrap().to_owned(), standing);
        }
    }
    found
}

/// Does something to each of some items, on as many threads as there are cores.
pub fn each<T: Sync>(items: &[T], act: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    act(item);
                }
            });
        }
    });
}

/// The role that this process was started for, and its folder; `None` in an ordinary test run.
pub fn role() -> Option<(String, PathBuf)> {
    Some((std::env::var(ROLE).ok()?, std::env::var_os(FOLDER)?.into()))
}

/// Says something to the parent.
pub fn tell(line: &str) {
    println!("\n{TELL}{line}");
    std::io::stdout().flush().unwrap();
}

/// Waits until the parent says go on.
pub fn listen() {
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// The command that starts this test binary again in a role; it begins in the test `a_child_plays_its_role` of a module,
/// which is named as `module_path!` names it.
pub fn in_role(module: &str, role: &str, folder: &Path) -> Command {
    let (_, module) = module.split_once("::").expect("a module of a test binary");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .arg(format!("{module}::a_child_plays_its_role"))
        .args(["--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

/// A second process. It is killed when it is dropped.
pub struct Peer {
    pub child: Child,
    says: BufReader<ChildStdout>,
    hears: ChildStdin,
}

impl Peer {
    pub fn start(module: &str, role: &str, folder: &Path) -> Self {
        Self::of(&mut in_role(module, role, folder)).unwrap()
    }

    pub fn of(command: &mut Command) -> std::io::Result<Self> {
        let mut child = command.spawn()?;
        let says = BufReader::new(child.stdout.take().unwrap());
        let hears = child.stdin.take().unwrap();
        Ok(Self { child, says, hears })
    }

    /// The next thing that it says; `None` where it ended.
    pub fn hear(&mut self) -> Option<String> {
        let mut line = String::new();
        while self.says.read_line(&mut line).unwrap() > 0 {
            if let Some(told) = line.trim_end().strip_prefix(TELL) {
                return Some(told.to_owned());
            }
            line.clear();
        }
        None
    }

    /// Lets it go on.
    pub fn go_on(&mut self) {
        self.hears.write_all(b"\n").unwrap();
    }

    /// Everything that it still says, once it has ended well.
    pub fn finish(&mut self) -> Vec<String> {
        let said = std::iter::from_fn(|| self.hear()).collect();
        assert!(self.child.wait().unwrap().success(), "the child process ended well");
        said
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
