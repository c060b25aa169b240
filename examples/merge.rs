//! Merges two copies of a life into a new folder: `merge OURS THEIRS OUT [--base BASE]`.
//!
//! ```text
//! cargo run --example merge --features exchange -- laptop/ server/ both/ --base last-sync/
//! ```
//!
//! Ends with 0 where nothing is left to decide, and with 1 where both changed the same: each conflict is named, and both versions
//! are in the result.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use noctuary::FileWorkspace;
use noctuary::exchange::{Merge, MergeReport};

const USAGE: &str = "usage: merge OURS THEIRS OUT [--base BASE]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(report) => {
            println!("{} documents, {} joined", report.documents, report.joined);
            for conflict in &report.conflicts {
                println!("to decide: {conflict}");
            }
            ExitCode::from(u8::from(!report.conflicts.is_empty()))
        }
        Err(error) => {
            eprintln!("merge: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<MergeReport, Box<dyn Error>> {
    let (folders, base) = match arguments {
        [ours, theirs, out] => ([ours, theirs, out], None),
        [ours, theirs, out, flag, base] if flag == "--base" => ([ours, theirs, out], Some(base)),
        _ => return Err(USAGE.into()),
    };
    std::fs::create_dir_all(folders[2])?;
    if std::fs::read_dir(folders[2])?.next().is_some() && !Path::new(folders[2]).join(".dreaming.d").is_dir()
    {
        return Err(format!("{} is not empty", folders[2]).into());
    }
    let [ours, theirs, out] = folders.map(FileWorkspace::open);
    let (ours, theirs, out) = (ours?, theirs?, out?);
    let base = base.map(FileWorkspace::open).transpose()?;
    let mut merge = Merge::new(&ours, &theirs);
    if let Some(base) = &base {
        merge = merge.base(base);
    }
    Ok(merge.plan()?.write(&out)?)
}
