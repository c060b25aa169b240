//! `noctuary preview`, `dream` and `page`.

use std::path::Path;
use std::sync::Arc;

use chrono::Utc;
use noctuary::dream::{DreamMode, LineOutcome};
use noctuary::format::DreamId;
use noctuary::life::Indexed;
use noctuary::model::ChatCompletions;
use noctuary::pages::Pages;
use noctuary::report::{DreamPage, EntityPage};
use noctuary::{DreamReport, Extractive, JournalDreamer, LlmClient, Outcome, SqliteIndex, dream_once};
use serde_json::json;

use crate::arguments::Night;
use crate::config::{Config, KEY};
use crate::home::Home;
use crate::output::{End, Output, Trouble, count, size};
use crate::place::{Place, Whose};
use crate::progress::Progress;

pub(crate) fn preview(
    place: &Place,
    night: &Night,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let report = run(&home, DreamMode::Preview, night, config)?;
    write_page(&home, &report, night.html.as_deref(), config)?;
    tell(&report, output)
}

pub(crate) fn dream(
    place: &Place,
    night: &Night,
    propose: bool,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let mode = if propose { DreamMode::Propose } else { DreamMode::Append };
    let report = run(&home, mode, night, config)?;
    write_page(&home, &report, night.html.as_deref(), config)?;
    tell(&report, output)
}

/// The subject of a page.
pub(crate) struct Of<'a> {
    pub(crate) dream: Option<&'a str>,
    pub(crate) entity: Option<&'a str>,
    pub(crate) night: &'a Night,
}

pub(crate) fn page(
    place: &Place,
    out: &Path,
    of: &Of<'_>,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    if of.night.html.is_some() {
        return Err(Trouble::usage(
            "`--out FILE` says where the page goes; `--html` is of `dream` and `preview`",
        ));
    }
    let home = Home::open(place, whose)?;
    if let Some(entity) = of.entity {
        return entity_page(home, entity, out, output);
    }
    let report = match of.dream {
        Some(asked) => past(&home, asked, config)?,
        None => run(&home, DreamMode::Preview, of.night, config)?,
    };
    write_page(&home, &report, Some(out), config)?;
    if output.json {
        output.value(&json!({"page": out.display().to_string(), "outcome": report.outcome}))?;
    } else {
        output.line(format!("The page is {}.", out.display()));
    }
    Ok(End::Well)
}

/// Returns the report of a dream that was dreamt before.
fn past(home: &Home, asked: &str, config: &Config) -> Result<DreamReport, Trouble> {
    let dreamer = JournalDreamer::builder(Arc::clone(&home.workspace))
        .config(config.dreams()?)
        .enabled(true)
        .build()?;
    let id = if asked == "last" {
        let last = dreamer.dreams()?.into_iter().next();
        last.ok_or_else(|| Trouble::failed("there is no dream yet: `noctuary dream` makes one"))?.id
    } else {
        DreamId::parse(asked).ok_or_else(|| {
            Trouble::usage(format!("{asked} is no id of a dream: `noctuary status` lists them"))
        })?
    };
    let report = dreamer.past_dream(&id)?;
    report.ok_or_else(|| Trouble::failed(format!("there is no dream {id}: `noctuary status` lists them")))
}

/// Writes the page on an entity, of the rows and documents of a home.
fn entity_page(home: Home, entity: &str, out: &Path, output: Output) -> Result<End, Trouble> {
    let (owner, now) = (home.owner(), Utc::now());
    let index = SqliteIndex::open_in_memory(home.scope.clone())?;
    let documents = Indexed::new(Arc::clone(&home.workspace), index);
    {
        let _progress = Progress::begin("reading");
        documents.sync(now)?;
    }
    let pages = Pages::new(home.store.into_edges()).and(Arc::new(documents));
    let page = pages.page(&owner, entity, true, now)?;
    std::fs::write(out, EntityPage::new(&page).to_html())
        .map_err(|error| Trouble::failed(format!("cannot write {}: {error}", out.display())))?;
    if output.json {
        output.value(&json!({"page": out.display().to_string(), "texts": page.texts}))?;
    } else if page.is_empty() {
        output.line(format!("Nothing is known of {entity}; the page is {}.", out.display()));
    } else {
        output.line(format!("The page is {}.", out.display()));
    }
    Ok(End::look_if(page.is_empty()))
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

/// The model that the command line names.
pub(crate) struct Asked<'a> {
    pub(crate) endpoint: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
}

/// The model to ask: one at an endpoint, or none.
fn model(night: &Night, config: &Config) -> Result<Box<dyn LlmClient>, Trouble> {
    let asked = Asked { endpoint: night.endpoint.as_deref(), name: night.model.as_deref() };
    Ok(match asked.client(config)? {
        Some(client) => Box::new(client),
        None => Box::new(Extractive::new()),
    })
}

impl Asked<'_> {
    /// Makes the client of the model that is named here or in the settings; `None` where there is none.
    pub(crate) fn client(&self, config: &Config) -> Result<Option<ChatCompletions>, Trouble> {
        let endpoint = self.endpoint.or(config.model.endpoint.as_deref());
        let name = self.name.or(config.model.name.as_deref());
        let (endpoint, name) = match (endpoint, name) {
            (None, None) => return Ok(None),
            (Some(endpoint), Some(name)) => (endpoint, name),
            _ => return Err(Trouble::usage("an endpoint and the name of its model go together")),
        };
        let client = ChatCompletions::new(endpoint, name)?;
        Ok(Some(if std::env::var_os(KEY).is_some() { client.key_from_env(KEY)? } else { client }))
    }
}

fn write_page(home: &Home, report: &DreamReport, out: Option<&Path>, config: &Config) -> Result<(), Trouble> {
    let Some(out) = out else { return Ok(()) };
    let page =
        DreamPage::new(report).budget(config.dreams()?.total_input_bytes).read(home.workspace.as_ref())?;
    std::fs::write(out, page.to_html())
        .map_err(|error| Trouble::failed(format!("cannot write {}: {error}", out.display())))
}

fn tell(report: &DreamReport, output: Output) -> Result<End, Trouble> {
    let end = match report.outcome {
        Outcome::LockHeld => End::Busy,
        Outcome::LlmError | Outcome::Quarantined | Outcome::AllHeld => End::Look,
        _ => End::Well,
    };
    if output.json {
        output.value(report)?;
        return Ok(end);
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
    let left = report.passes.iter().map(|pass| pass.left.len()).sum();
    if left > 0 {
        let left = count(left, "further line");
        output.wrapped(
            0,
            &format!("Left in the journals: {left} that could have been kept; `--json` says why."),
        );
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
    Ok(end)
}
