//! `noctuary preview`, `dream` and `page`.

use std::path::Path;
use std::sync::Arc;

use noctuary::dream::{DreamMode, LineOutcome};
use noctuary::model::ChatCompletions;
use noctuary::report::DreamPage;
use noctuary::{DreamReport, Extractive, JournalDreamer, LlmClient, Outcome, dream_once};

use crate::arguments::Night;
use crate::config::Config;
use crate::home::Home;
use crate::output::{End, Output, Trouble, count, size};
use crate::progress::Progress;

pub(crate) fn preview(
    path: &Path,
    night: &Night,
    user: Option<&str>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(path, user)?;
    let report = run(&home, DreamMode::Preview, night, config)?;
    write_page(&home, &report, night.html.as_deref(), config)?;
    tell(&report, output)
}

pub(crate) fn dream(
    path: &Path,
    night: &Night,
    propose: bool,
    user: Option<&str>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(path, user)?;
    let mode = if propose { DreamMode::Propose } else { DreamMode::Append };
    let report = run(&home, mode, night, config)?;
    write_page(&home, &report, night.html.as_deref(), config)?;
    tell(&report, output)
}

pub(crate) fn page(
    path: &Path,
    out: &Path,
    night: &Night,
    user: Option<&str>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(path, user)?;
    let report = run(&home, DreamMode::Preview, night, config)?;
    write_page(&home, &report, Some(out), config)?;
    if output.json {
        output.value(&serde_json::json!({"page": out.display().to_string(), "outcome": report.outcome}))?;
    } else {
        output.line(format!("The page is {}.", out.display()));
    }
    Ok(End::Well)
}

fn run(home: &Home, mode: DreamMode, night: &Night, config: &Config) -> Result<DreamReport, Trouble> {
    let dreamer = JournalDreamer::builder(Arc::clone(&home.workspace))
        .config(config.dreams()?)
        .enabled(true)
        .configure(|config| {
            config.mode = mode;
            if night.all {
                config.window_days = None;
            }
        })
        .build()?;
    let model = model(night, config)?;
    let _progress = Progress::begin("dreaming");
    Ok(dream_once(&dreamer, model.as_ref())?)
}

/// The model to ask: one at an endpoint, or none.
fn model(night: &Night, config: &Config) -> Result<Box<dyn LlmClient>, Trouble> {
    // Of its own, so that no vendor's key goes to somebody else's server.
    const KEY: &str = "NOCTUARY_API_KEY";
    let endpoint = night.endpoint.as_ref().or(config.model.endpoint.as_ref());
    let name = night.model.as_ref().or(config.model.name.as_ref());
    let (endpoint, name) = match (endpoint, name) {
        (None, None) => return Ok(Box::new(Extractive::new())),
        (Some(endpoint), Some(name)) => (endpoint, name),
        _ => return Err(Trouble::usage("an endpoint and the name of its model go together")),
    };
    let client = ChatCompletions::new(endpoint, name.as_str())?;
    Ok(Box::new(if std::env::var_os(KEY).is_some() { client.key_from_env(KEY)? } else { client }))
}

fn write_page(home: &Home, report: &DreamReport, out: Option<&Path>, config: &Config) -> Result<(), Trouble> {
    let Some(out) = out else { return Ok(()) };
    let page =
        DreamPage::new(report).budget(config.dreams()?.total_input_bytes).read(home.workspace.as_ref())?;
    std::fs::write(out, page.to_html())
        .map_err(|error| Trouble::failed(format!("cannot write {}: {error}", out.display())))
}

fn tell(report: &DreamReport, output: Output) -> Result<End, Trouble> {
    let is_failure = matches!(
        report.outcome,
        Outcome::LlmError | Outcome::Quarantined | Outcome::LockHeld | Outcome::AllHeld
    );
    if output.json {
        output.value(report)?;
        return Ok(End::look_if(is_failure));
    }
    output.line(report.to_string());
    let mut heading = None;
    for line in report.passes.iter().flat_map(|pass| &pass.lines) {
        if !matches!(line.fate, LineOutcome::Promoted { .. }) {
            continue;
        }
        if heading != Some(&line.heading) {
            output.line(output.bold(line.heading.as_deref().unwrap_or("Other")));
            heading = Some(&line.heading);
        }
        output.wrapped(2, &format!("- {}", line.text));
    }
    let held: Vec<_> = report.held().collect();
    if !held.is_empty() {
        output.line(output.bold(&format!("Held back: {}", count(held.len(), "line"))));
        for line in held {
            output.wrapped(2, &format!("- {line}"));
        }
    }
    if report.backlog.bytes > 0 && report.mode != DreamMode::Preview {
        output.line(format!("Still waits: {}", size(report.backlog.bytes)));
    }
    for notice in &report.notices {
        output.wrapped(0, &format!("Note: {notice}"));
    }
    if report.mode == DreamMode::Preview {
        output.line(output.faint("A preview: nothing was written."));
    }
    Ok(End::look_if(is_failure))
}
