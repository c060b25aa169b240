//! Models in folders, served by `crates/noctuary-embed` for as long as an evaluation runs.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::Result;

/// The server of an embedder, and of a reranker beside it. It ends with this value.
pub(crate) struct Served {
    server: Child,
    pub(crate) url: String,
    pub(crate) model: String,
    /// Whether the model is a table of vectors, and no transformer.
    pub(crate) is_static: bool,
    /// The words that the model wants before a question.
    pub(crate) query: &'static str,
}

impl Served {
    /// Serves the models of folders. Builds the server first.
    pub(crate) fn open(embedder: &Path, reranker: Option<&Path>) -> Result<Self> {
        let is_static = !embedder.join("model.onnx").is_file();
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/noctuary-embed/Cargo.toml");
        let run = |command: &str| {
            let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            cargo.args([command, "--release", "--quiet", "--example", "model", "--manifest-path"]);
            cargo.arg(&manifest);
            cargo
        };
        if !run("build").status()?.success() {
            return Err("the server of the models was not built".into());
        }
        let mut server = run("run");
        server.arg("--").arg(embedder.canonicalize()?);
        if let Some(reranker) = reranker {
            server.arg("--rerank").arg(reranker.canonicalize()?);
        }
        let server = server.args(["--serve", &port.to_string()]).stdout(Stdio::null()).spawn()?;
        let model = embedder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let query = if is_static || !model.starts_with("bge-") { "" } else { QUESTION };
        let mut this = Self { server, url: format!("http://127.0.0.1:{port}/v1"), model, is_static, query };
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if let Some(status) = this.server.try_wait()? {
                return Err(format!("the server of the models ended: {status}").into());
            }
            sleep(Duration::from_millis(100));
        }
        Ok(this)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // `cargo run` becomes the program on unix; elsewhere it ends with its caller's console.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

const QUESTION: &str = "Represent this sentence for searching relevant passages: ";
