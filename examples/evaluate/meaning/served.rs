//! Models in folders, served by the example packages for as long as an evaluation runs.

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
    /// Serves the models of folders: a transformer where there is a `model.onnx`, else a static one. Builds the package first.
    pub(crate) fn open(embedder: &Path, reranker: Option<&Path>) -> Result<Self> {
        let is_static = !embedder.join("model.onnx").is_file();
        if is_static && reranker.is_some() {
            return Err("a reranker in a folder needs an embedder with a model.onnx".into());
        }
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("embedders/Cargo.toml");
        let package = if is_static { "noctuary-static" } else { "noctuary-transformer" };
        let run = |command: &str| {
            let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            cargo.args([command, "--release", "--quiet", "--package", package, "--manifest-path"]);
            cargo.arg(&manifest);
            cargo
        };
        if !run("build").status()?.success() {
            return Err(format!("{package} was not built").into());
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
                return Err(format!("{package} ended: {status}").into());
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
