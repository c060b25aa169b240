//! A host on tokio that dreams at night: once by the async driver, and once by hand on a thread that may block.
//!
//! ```text
//! cargo run --example host_async --features tokio
//! ```

use std::error::Error;
use std::sync::Arc;

use chrono::Utc;
use noctuary::dream::Step;
use noctuary::{
    DreamReport, Dreamer, FileWorkspace, JournalDreamer, LlmError, LlmReply, LlmRequest, dream_once_async,
};

/// Stands for the client that the host uses already.
async fn ask(request: LlmRequest) -> Result<LlmReply, LlmError> {
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    println!("the model read {} bytes", request.bytes());
    Ok(LlmReply::new("### Preferences\n- The user prefers tea. (memory/2026-11-20-repl.md#L1)"))
}

/// Drives the steps by hand: the files are read and written where blocking is fine, the model is asked where
/// it is not. A host that wants to cancel drops the pass.
async fn dream_by_hand(dreamer: JournalDreamer) -> Result<DreamReport, Box<dyn Error + Send + Sync>> {
    let begun = dreamer.clone();
    let mut step = tokio::task::spawn_blocking(move || begun.begin(Utc::now())).await??;
    loop {
        match step {
            Step::Done(report) => return Ok(*report),
            Step::Ask(pass) => {
                let answer = ask(pass.request().clone()).await;
                step = tokio::task::spawn_blocking(move || pass.resume(answer, Utc::now())).await??;
            }
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let folder = tempfile::tempdir()?;
    std::fs::create_dir(folder.path().join("memory"))?;
    std::fs::write(folder.path().join("memory/2026-11-20-repl.md"), "[user] I prefer tea.\n")?;
    let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    let dreamer = JournalDreamer::builder(workspace)
        .enabled(true)
        .configure(|config| config.window_days = None)
        .build()?;

    // The future is Send, so it can be a task of its own.
    let night = dreamer.clone();
    let report = tokio::spawn(async move { dream_once_async(&night, ask).await }).await??;
    println!("the first run: {}", report.outcome);

    let report = dream_by_hand(dreamer).await?;
    println!("the second run: {}", report.outcome);
    print!("{}", std::fs::read_to_string(folder.path().join("MEMORY.md"))?);
    Ok(())
}
