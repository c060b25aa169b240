//! An MCP server over stdio: a workspace as the tools of an editor's agent.
//!
//! stdout is the protocol and nothing else; whatever is for a person goes to stderr.

mod lines;
mod opening;
mod options;
mod server;
mod tools;

use std::process::ExitCode;
use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio;

use opening::Opening;
use options::{Asked, Options, USAGE};
use server::Server;
use tools::Tools;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let options = match Asked::parse(std::env::args().skip(1)) {
        Ok(Asked::Serve(options)) => options,
        Ok(Asked::Help) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Ok(Asked::Version) => {
            println!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("noctuary-mcp: {error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match serve(options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("noctuary-mcp: {error}");
            let mut source = error.source();
            while let Some(cause) = source {
                eprint!(": {cause}");
                source = cause.source();
            }
            eprintln!();
            ExitCode::FAILURE
        }
    }
}

/// The most bytes of the client's lines that wait to be read.
const PIPE: usize = 64 << 10;
/// The most lines that are no JSON and wait for their answer.
const UNREAD: usize = 16;

/// Serves until the client closes its end.
async fn serve(options: Options) -> Result<(), Box<dyn std::error::Error>> {
    if !options.workspace.exists() {
        let path = options.workspace.display();
        return Err(format!("there is no such folder: {path}; make it first").into());
    }
    let tools = Tools::open(options)?;
    let (stdin, stdout) = stdio();
    let (read, lines) = tokio::io::duplex(PIPE);
    let (sender, unread) = tokio::sync::mpsc::channel(UNREAD);
    tokio::spawn(lines::sift(stdin, lines, sender));
    let transport = Opening::new(AsyncRwTransport::new_server(read, stdout), unread);
    Server::new(Arc::new(tools)).serve(transport).await?.waiting().await?;
    Ok(())
}
