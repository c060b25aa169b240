//! The settings: one file of TOML, beside the names of the environment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use noctuary::dream::{Evidence, OverBudget};
use noctuary::life::{BootPolicy, BootstrapEnd, JournalNaming, Preset, SeedSet};
use noctuary::model::HttpEmbedder;
use noctuary::store::StoreConfig;
use noctuary::vectors::Embedder;
use noctuary::workspace::{DayPolicy, Zone};
use noctuary::{DreamConfig, LifeConfig};
use serde::{Deserialize, Serialize};

use super::address::is_address;
use super::meaning::Models;
use super::output::{At, Trouble};

/// The settings. A key that is not known is an error, so that a slip of the pen is noticed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    /// The dialect whose values count where nothing else is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    preset: Option<Dialect>,
    pub(crate) home: HomePath,
    pub(crate) day: Day,
    pub(crate) dream: Dream,
    pub(crate) model: Model,
    pub(crate) travel: Travel,
    pub(crate) search: Search,
    pub(crate) server: Server,
}

/// A dialect, by one word.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Dialect {
    Minara,
    OpenClaw,
    IronClaw,
    OpenSeed,
    Rfc0009,
}

/// The home that is meant where PATH is left out.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HomePath {
    /// A folder, a database or a server; `~/` is the folder of this account. A path that begins with no slash is below the folder of
    /// the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<PathBuf>,
    /// The file with the key of encrypted databases, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) encryption_key_file: Option<PathBuf>,
}

impl HomePath {
    /// Returns the key of encrypted databases: that of the environment, then of the file.
    pub(crate) fn encryption_key(&self) -> Result<Option<String>, Trouble> {
        if let Some(key) = std::env::var_os(ENCRYPTION_KEY) {
            // An empty one is a slip: a home must not become readable by it.
            let key = key.into_string().ok().filter(|key| !key.is_empty());
            return key.map(Some).ok_or_else(|| Trouble::of("encryption_key_empty", &[]));
        }
        let Some(path) = self.encryption_key_file.clone().map(of_account) else { return Ok(None) };
        let text = std::fs::read_to_string(&path).at("read", &path)?;
        match text.trim_end_matches(['\r', '\n']) {
            key if key.is_empty() || key.contains('\n') => {
                Err(Trouble::of("encryption_key_lines", &[&path.display()]))
            }
            key => Ok(Some(key.to_owned())),
        }
    }
}

/// The variable with the key of encrypted databases.
pub(crate) const ENCRYPTION_KEY: &str = "NOCTUARY_ENCRYPTION_KEY";

/// The day of the person. Where the file says nothing, the zone is that of `TZ`, then that of this machine.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Day {
    /// A name of the IANA database, an offset like `+02:00`, or `UTC`.
    pub(crate) zone: Option<String>,
    /// The hour at which a day begins, from 0 to 23.
    pub(crate) begins: Option<u8>,
}

/// How journals are read. The names of the environment, `WORKSPACE_DREAM_…`, count where the file says nothing.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Dream {
    /// Days back; 0 for no bound.
    pub(crate) window_days: Option<u32>,
    pub(crate) interval_hours: Option<u64>,
    pub(crate) total_input_bytes: Option<u64>,
    /// The most calls of the model in a day; 0 for no bound.
    pub(crate) max_calls_per_day: Option<u32>,
    /// `checked`, `required` or `off`.
    pub(crate) evidence: Option<String>,
    /// `warn` or `archive`.
    pub(crate) over_budget: Option<String>,
    pub(crate) user_names: Option<Vec<String>>,
}

/// The model that dreams ask; without an endpoint lines are selected without one.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Model {
    pub(crate) endpoint: Option<String>,
    pub(crate) name: Option<String>,
    /// The model of the endpoint that makes vectors, for the doctor to fill them, and the numbers of each.
    pub(crate) embedder: Option<String>,
    pub(crate) dimensions: Option<usize>,
}

/// The key that signs exports, and the signatures that count.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Travel {
    pub(crate) key_file: Option<PathBuf>,
    pub(crate) trust: Vec<String>,
}

/// The index that a search keeps for the next one, and its model.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Search {
    /// A folder outside of all homes, for the index of each folder that is searched. It holds private text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<PathBuf>,
    /// The folder of a model, for searches by meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<PathBuf>,
}

/// The servers that PATH may name: whose life there is meant, and the schema of its tables.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Server {
    pub(crate) user: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) schema: Option<String>,
    /// Whether one on another machine may be reached without encryption, as through a tunnel.
    pub(crate) allow_plaintext: bool,
}

/// The variable with the key of the endpoint: of its own, so that no vendor's key goes to somebody else's server.
pub(crate) const KEY: &str = "NOCTUARY_API_KEY";

/// Returns a path with the folder of this account in place of `~`.
pub(crate) fn of_account(path: PathBuf) -> PathBuf {
    let account = std::env::var_os("HOME").map(PathBuf::from);
    match (path.strip_prefix("~"), account) {
        (Ok(inside), Some(account)) => account.join(inside),
        _ => path,
    }
}

impl Config {
    /// Reads the file that was named, or the one of this account, where there is one.
    pub(crate) fn load(named: Option<&Path>) -> Result<Self, Trouble> {
        let of_variable = std::env::var_os("NOCTUARY_CONFIG").map(PathBuf::from);
        let own = folder().map(|folder| folder.join("config.toml"));
        let (path, must_exist) = match (named, of_variable) {
            (Some(path), _) => (path.to_owned(), true),
            (None, Some(path)) => (path, true),
            (None, None) => match own {
                Some(path) => (path, false),
                None => return Ok(Self::default()),
            },
        };
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !must_exist => {
                return Ok(Self::default());
            }
            Err(error) => return Err(Trouble::of("settings_unread", &[&path.display(), &error])),
        };
        let mut config: Self = toml::from_str(&text)
            .map_err(|error| Trouble::of("settings_wrong", &[&path.display(), &said(&text, &error)]))?;
        if let (Some(home), Some(folder)) = (&mut config.home.path, path.parent())
            && !home.starts_with("~")
            && !home.to_str().is_some_and(is_address)
        {
            *home = folder.join(&*home);
        }
        for named in
            [&mut config.search.index, &mut config.search.model, &mut config.home.encryption_key_file]
        {
            if let (Some(named), Some(folder)) = (named, path.parent())
                && !named.starts_with("~")
            {
                *named = folder.join(&*named);
            }
        }
        config.dreams()?;
        Ok(config)
    }

    /// Returns the settings of dreams: those of the file, then of the environment.
    pub(crate) fn dreams(&self) -> Result<DreamConfig, Trouble> {
        // Here dreams are on, unless the master switch says that they are off.
        let on = |name: &str| (name == "WORKSPACE_DREAM_ENABLED").then(|| "on".to_owned());
        let lookup = |name: &str| {
            std::env::var(name).ok().filter(|value| !value.trim().is_empty()).or_else(|| on(name))
        };
        let mut config = DreamConfig::from_env(lookup)?;
        config.day = self.day()?;
        let dream = &self.dream;
        if let Some(days) = dream.window_days {
            config.window_days = (days > 0).then_some(days);
        }
        if let Some(hours) = dream.interval_hours {
            config.interval = std::time::Duration::from_secs(hours.saturating_mul(3600));
        }
        if let Some(bytes) = dream.total_input_bytes {
            config.total_input_bytes = bytes;
        }
        if let Some(calls) = dream.max_calls_per_day {
            config.budget.max_calls_per_day = (calls > 0).then_some(calls);
        }
        config.evidence = match dream.evidence.as_deref() {
            None => config.evidence,
            Some("checked") => Evidence::Checked,
            Some("required") => Evidence::Required,
            Some("off") => Evidence::Off,
            Some(_) => {
                return Err(Trouble::of(
                    "setting_of_words",
                    &[&"dream.evidence", &"checked, required or off"],
                ));
            }
        };
        config.over_budget = match dream.over_budget.as_deref() {
            None => config.over_budget,
            Some("warn") => OverBudget::Warn,
            Some("archive") => OverBudget::Archive,
            Some(_) => {
                return Err(Trouble::of("setting_of_words", &[&"dream.over_budget", &"warn or archive"]));
            }
        };
        if let Some(names) = &dream.user_names {
            config.user_names.clone_from(names);
        }
        let said = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        // What the environment says holds, also against a preset.
        let is_said = said("WORKSPACE_DAILY_LOG_ENABLED").is_some();
        let of_preset = LifeConfig::preset(self.preset()).daily_log.enabled;
        let of_environment = LifeConfig::from_env(said)?.daily_log.enabled;
        config.daily_log = Some(if is_said { of_environment } else { of_preset });
        config.validate()?;
        Ok(config)
    }

    /// Returns the settings of a life by day.
    pub(crate) fn life(&self) -> Result<LifeConfig, Trouble> {
        let mut config = LifeConfig::preset(self.preset());
        config.day = self.day()?;
        config.quiet = config.quiet.at(config.day.zone());
        Ok(config)
    }

    /// Returns the dialect that the file names.
    pub(crate) fn preset(&self) -> Preset {
        match self.preset {
            None => Preset::Default,
            Some(Dialect::Minara) => Preset::Minara,
            Some(Dialect::OpenClaw) => Preset::OpenClaw,
            Some(Dialect::IronClaw) => Preset::IronClaw,
            Some(Dialect::OpenSeed) => Preset::OpenSeed,
            Some(Dialect::Rfc0009) => Preset::Rfc0009Strict,
        }
    }

    /// Returns the day of the person: in the zone of the file, else of `TZ`, else of this machine, else in UTC.
    pub(crate) fn day(&self) -> Result<DayPolicy, Trouble> {
        let begins = self.day.begins.unwrap_or(0);
        if begins > 23 {
            return Err(Trouble::of("setting_of_words", &[&"day.begins", &"an hour from 0 to 23"]));
        }
        let parse = |named: &str, of: &str| {
            named.parse::<Zone>().map_err(|_| Trouble::of("zone_unknown", &[&of, &named]))
        };
        let variable = std::env::var("TZ").unwrap_or_default();
        // What stands behind the colon, or in the folder of the zones, is the name.
        let variable = variable.trim_start_matches(':');
        let variable = variable.split_once("zoneinfo/").map_or(variable, |(_, name)| name);
        let zone = match &self.day.zone {
            Some(named) => parse(named, "day.zone")?,
            None if !variable.is_empty() => parse(variable, "TZ")?,
            None => {
                let own = iana_time_zone::get_timezone().ok();
                own.and_then(|own| own.parse().ok()).unwrap_or(Zone::UTC)
            }
        };
        Ok(DayPolicy::new(zone, begins))
    }

    /// Says a time as the person's clock shows it, and of which zone.
    pub(crate) fn told(&self, at: DateTime<Utc>) -> Result<String, Trouble> {
        let zone = self.day()?.zone();
        let local = at.with_timezone(&zone.offset_at(at.naive_utc()));
        Ok(format!("{} {zone}", local.format("%Y-%m-%d %H:%M")))
    }

    /// Returns the settings of a store that the doctor looks at: with an embedder, where one is named. The model of searches is
    /// read where it is to fill vectors alone.
    pub(crate) fn stores_of_doctor(&self, is_filling: bool) -> Result<StoreConfig, Trouble> {
        let mut config = stores(self.preset())?;
        let Model { endpoint, embedder, dimensions, .. } = &self.model;
        let Some(embedder) = embedder else {
            config.embedder = embedder_of_variables()?;
            if is_filling && config.embedder.is_none() {
                config.embedder =
                    Models::named(self.model(None).as_deref(), None)?.map(|models| models.embedder);
            }
            return Ok(config);
        };
        let (Some(endpoint), Some(dimensions)) = (endpoint, dimensions) else {
            return Err(Trouble::of("embedder_alone", &[]));
        };
        let embedder = HttpEmbedder::new(endpoint, embedder.as_str(), *dimensions)?;
        let has_key = std::env::var_os(KEY).is_some();
        config.embedder = Some(Arc::new(if has_key { embedder.key_from_env(KEY)? } else { embedder }));
        Ok(config)
    }

    /// Returns the folder of the model of searches: that of the command line, else of the environment, else of the file.
    pub(crate) fn model(&self, said: Option<&Path>) -> Option<PathBuf> {
        let of_variable = || std::env::var_os("NOCTUARY_MODEL").filter(|folder| !folder.is_empty());
        let named = said.map(Path::to_owned).or_else(|| of_variable().map(PathBuf::from));
        named.or_else(|| self.search.model.clone().map(of_account))
    }

    /// Prints the settings that count, as a file that says the same.
    pub(crate) fn print(&self) -> Result<String, Trouble> {
        let dreams = self.dreams()?;
        let evidence = match dreams.evidence {
            Evidence::Required => "required",
            Evidence::Off => "off",
            _ => "checked",
        };
        let shown = Self {
            preset: self.preset,
            day: Day { zone: Some(dreams.day.zone().to_string()), begins: Some(dreams.day.cutoff_hour()) },
            dream: Dream {
                window_days: Some(dreams.window_days.unwrap_or(0)),
                interval_hours: Some(dreams.interval.as_secs() / 3600),
                total_input_bytes: Some(dreams.total_input_bytes),
                max_calls_per_day: Some(dreams.budget.max_calls_per_day.unwrap_or(0)),
                evidence: Some(evidence.to_owned()),
                over_budget: Some(
                    if dreams.over_budget == OverBudget::Archive { "archive" } else { "warn" }.to_owned(),
                ),
                user_names: Some(dreams.user_names.clone()),
            },
            home: self.home.clone(),
            search: self.search.clone(),
            model: self.model.clone(),
            travel: Travel { key_file: self.key_file(), trust: self.travel.trust.clone() },
            server: self.server.clone(),
        };
        toml::to_string(&shown).map_err(|error| Trouble::of("internal", &[&error]))
    }

    /// Returns what the chosen dialect sets beside the keys of the file, each by a name; nothing where none is chosen.
    pub(crate) fn of_preset(&self) -> Vec<(&'static str, &'static str)> {
        if self.preset.is_none() {
            return Vec::new();
        }
        let life = LifeConfig::preset(self.preset());
        let on = |is_on: bool| if is_on { "on" } else { "off" };
        let is_daily = life.naming == JournalNaming::Daily;
        vec![
            ("journals", if is_daily { "memory/YYYY-MM-DD.md" } else { "memory/YYYY-MM-DD-SESSION.md" }),
            (
                "bootstrap_ends",
                match life.bootstrap_end {
                    BootstrapEnd::Delete => "deleted",
                    BootstrapEnd::Clear => "emptied",
                    _ => "renamed",
                },
            ),
            ("tools_document", on(life.seed == SeedSet::Full)),
            ("made_at_first_session", on(life.boot == BootPolicy::Seed)),
            ("daily_log", on(life.daily_log.enabled)),
            ("heartbeat_memo", on(life.heartbeat.enabled)),
            ("journals_are_archived", on(life.retention != LifeConfig::default().retention)),
        ]
    }

    /// Returns the file of the key that signs exports; `None` where this account has no home.
    pub(crate) fn key_file(&self) -> Option<PathBuf> {
        let of_variable = std::env::var_os("NOCTUARY_KEY_FILE").filter(|path| !path.is_empty());
        let named = of_variable.map(PathBuf::from).or_else(|| self.travel.key_file.clone());
        named.or_else(|| folder().map(|folder| folder.join("key")))
    }
}

/// Says what is wrong with the text of settings: the line, the name that stands in it, and why.
fn said(text: &str, error: &toml::de::Error) -> String {
    let why = error.message();
    let Some((before, rest)) = error.span().and_then(|span| text.split_at_checked(span.start)) else {
        return why.to_owned();
    };
    let number = before.matches('\n').count() + 1;
    let line = before.rsplit('\n').next().unwrap_or_default().len();
    let line = &text[before.len() - line..before.len() + rest.find('\n').unwrap_or(rest.len())];
    match line.split_once('=') {
        Some((name, _)) => format!("line {number}, {}: {why}", name.trim()),
        None => format!("line {number}: {why}"),
    }
}

/// The models of the provider that the names of the environment may mean, with the numbers of a vector. The first counts where none is
/// named.
const EMBEDDING_MODELS: [(&str, usize); 3] =
    [("text-embedding-3-small", 1536), ("text-embedding-3-large", 3072), ("text-embedding-ada-002", 1536)];

/// Returns the embedder that the seeds' names of the environment mean: `EMBEDDING_PROVIDER`, `EMBEDDING_MODEL` and
/// `EMBEDDING_API_KEY`. (seeds 003 and 004)
fn embedder_of_variables() -> Result<Option<Arc<dyn Embedder>>, Trouble> {
    let said = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    match said("EMBEDDING_PROVIDER").as_deref() {
        None | Some("disabled") => return Ok(None),
        Some("openai") => {}
        Some(_) => {
            return Err(Trouble::of("setting_of_words", &[&"EMBEDDING_PROVIDER", &"openai or disabled"]));
        }
    }
    let named = said("EMBEDDING_MODEL");
    let known =
        EMBEDDING_MODELS.iter().find(|(model, _)| named.as_deref().is_none_or(|named| named == *model));
    let Some((model, dimensions)) = known else {
        let models = EMBEDDING_MODELS.map(|(model, _)| model).join(", ");
        return Err(Trouble::of("setting_of_words", &[&"EMBEDDING_MODEL", &format!("one of {models}")]));
    };
    let key = if said("EMBEDDING_API_KEY").is_some() { "EMBEDDING_API_KEY" } else { "OPENAI_API_KEY" };
    let embedder = HttpEmbedder::new("https://api.openai.com/v1", *model, *dimensions)?;
    Ok(Some(Arc::new(embedder.key_from_env(key)?)))
}

/// Returns the settings of stores: those of a dialect, and what the environment says.
pub(crate) fn stores(preset: Preset) -> Result<StoreConfig, Trouble> {
    let said = StoreConfig::from_env(|name| std::env::var(name).ok())?;
    let mut config = StoreConfig::preset(preset);
    (config.retention_days, config.facts, config.learning) = (said.retention_days, said.facts, said.learning);
    Ok(config)
}

/// Returns the folder of this account's settings.
fn folder() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = of("XDG_CONFIG_HOME").or_else(|| of("HOME").map(|home| home.join(".config")));
    Some(base?.join("noctuary"))
}
