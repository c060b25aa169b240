//! The settings of a life by day: one plain value, and the five dialects as values of it.

use super::daily_log::DailyLogConfig;
use super::duties::QuietHours;
use super::heartbeat::HeartbeatConfig;
use super::hygiene::HygieneConfig;
use super::retention::Retention;
use crate::base::day::DayPolicy;
use crate::base::error::Result;
use crate::base::preset::Preset;
use crate::life::prompt::{PromptConfig, PromptOrder};
use crate::life::receipt::ReceiptConfig;
use crate::session::{SharedUser, SoulPolicy};

/// The settings of a life by day. The default is the main seed's; [`preset`](Self::preset) gives the other dialects.
///
/// ```
/// use noctuary::life::{BootstrapEnd, Preset};
/// use noctuary::LifeConfig;
///
/// assert_eq!(LifeConfig::default(), LifeConfig::preset(Preset::Default));
/// let mut config = LifeConfig::preset(Preset::OpenClaw);
/// assert_eq!(config.bootstrap_end, BootstrapEnd::Delete);
/// config.bootstrap_end = BootstrapEnd::Archive;
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct LifeConfig {
    /// The rule that gives an instant its day.
    pub day: DayPolicy,
    /// The reaction to missing documents at boot.
    pub boot: BootPolicy,
    /// The templates that are seeded.
    pub seed: SeedSet,
    /// The questions to a new human.
    pub bootstrap: Onboarding,
    /// The end of `BOOTSTRAP.md` after the onboarding.
    pub bootstrap_end: BootstrapEnd,
    /// Whether a failed onboarding ends too, and its file is removed. Off: it waits for the token.
    pub end_failed_bootstrap: bool,
    /// The automatic daily log.
    pub daily_log: DailyLogConfig,
    /// The names of journals.
    pub naming: JournalNaming,
    /// The memo at the end of a turn. The dialects in which `HEARTBEAT.md` is a checklist turn it off.
    pub heartbeat: HeartbeatConfig,
    /// When the human is not to be disturbed.
    pub quiet: QuietHours,
    /// Whether the agent may rewrite `SOUL.md`.
    pub soul: SoulPolicy,
    /// The part of `USER.md` that a session with others present may see.
    pub shared_user: SharedUser,
    /// The settings of prompts.
    pub prompt: PromptConfig,
    /// The time that journals stay in place. For ever.
    pub retention: Retention,
    /// Care for the documents.
    pub hygiene: HygieneConfig,
    /// Whether the tool `memory_write` with mode `write` replaces a document without its revision, if the session read or wrote
    /// its present text. The old version [is kept](crate::life::Editor::replaced). Off: the call names the revision.
    pub overwrites: bool,
    /// Receipts of what reached the model. Off.
    pub receipts: ReceiptConfig,
}

/// The reaction to missing documents at boot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BootPolicy {
    /// Missing documents are seeded, and reported.
    #[default]
    Seed,
    /// Nothing is written; without `BOOTSTRAP.md` or `SOUL.md` no session starts.
    Refuse,
}

/// The templates that are seeded. `HEARTBEAT.md` never is, and `BOOTSTRAP.md` only into a fresh workspace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeedSet {
    /// All.
    #[default]
    Full,
    /// All but `TOOLS.md`.
    WithoutTools,
}

/// The questions of the first-run playbook to a new human.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Onboarding {
    /// Name, timezone, language, focus, style.
    #[default]
    General,
    /// Name, timezone, focus, risk tolerance, default venue.
    Finance,
}

/// The names of journals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum JournalNaming {
    /// One a session and day, `memory/YYYY-MM-DD-<session>.md`: surfaces never write into one another.
    #[default]
    Session,
    /// One a day, `memory/YYYY-MM-DD.md`, for private sessions. Sessions with others present have their
    /// own, since such sessions may read them.
    Daily,
}

/// The end of `BOOTSTRAP.md` after the onboarding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BootstrapEnd {
    /// It is renamed to `BOOTSTRAP.md.done.<time>`; one that holds a secret is deleted instead.
    #[default]
    Archive,
    /// It is deleted, and no copy is kept.
    Delete,
    /// It stays as an empty file.
    Clear,
}

impl LifeConfig {
    /// Returns the configuration of a dialect.
    #[must_use]
    pub fn preset(preset: Preset) -> Self {
        let mut config = Self::default();
        match preset {
            Preset::Default => {}
            Preset::Minara => config.bootstrap = Onboarding::Finance,
            Preset::OpenSeed => {
                // The wake-up message is its memo.
                config.heartbeat.enabled = false;
                config.prompt.heartbeat = None;
            }
            Preset::Rfc0009Strict => {
                config.boot = BootPolicy::Refuse;
                config.bootstrap_end = BootstrapEnd::Delete;
                config.end_failed_bootstrap = true;
                config.daily_log.enabled = true;
                config.naming = JournalNaming::Daily;
                config.heartbeat.enabled = false;
                config.shared_user = SharedUser::None;
                config.prompt.requires_soul = true;
            }
            Preset::OpenClaw => {
                config.seed = SeedSet::WithoutTools;
                config.bootstrap_end = BootstrapEnd::Delete;
                config.naming = JournalNaming::Daily;
                config.heartbeat.enabled = false;
                config.prompt.order = PromptOrder::OpenClaw;
                config.prompt.max_user_chars = 4000;
            }
            Preset::IronClaw => {
                config.bootstrap_end = BootstrapEnd::Clear;
                config.daily_log.enabled = true;
                config.naming = JournalNaming::Daily;
                config.heartbeat.enabled = false;
                config.prompt.order = PromptOrder::IronClaw;
                config.hygiene.enabled = true;
                config.overwrites = true;
                config.retention = Retention::from(&config.hygiene);
            }
        }
        config
    }

    /// Reads the seed's variables through `lookup`, and leaves the rest at its defaults:
    /// `WORKSPACE_HEARTBEAT_ENABLED`, `WORKSPACE_DAILY_LOG_ENABLED` and `WORKSPACE_DAILY_LOG_INTERVAL`. Nothing else
    /// of the environment is read.
    ///
    /// ```
    /// use noctuary::LifeConfig;
    ///
    /// let config = LifeConfig::from_env(|name| std::env::var(name).ok())?;
    /// # let _ = config;
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) naming the variable whose value makes no sense.
    pub fn from_env(lookup: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let daily_log = DailyLogConfig::from_env(&lookup)?;
        Ok(Self { daily_log, heartbeat: HeartbeatConfig::from_env(&lookup)?, ..Self::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the differences between a preset and the default, field by field.
    fn differences(preset: Preset) -> Vec<String> {
        let print = |config: LifeConfig| -> Vec<String> {
            let printed = format!("{config:#?}")
                .replace("(\n            ", "(")
                .replace(",\n        )", ")")
                .replace("Some(\n            HEARTBEAT.md", "Some(HEARTBEAT.md")
                .replace("Some(\n", "Some(");
            printed.lines().map(|line| line.trim().trim_end_matches(',').to_owned()).collect()
        };
        let (default, other) = (print(LifeConfig::default()), print(LifeConfig::preset(preset)));
        assert_eq!(default.len(), other.len());
        other.into_iter().zip(default).filter(|(new, old)| new != old).map(|(new, _)| new).collect()
    }

    // CF-16, BS-07, C14, JR-18, CF-15: what each dialect changes, and nothing else.
    #[test]
    fn each_preset_differs_from_the_default_in_these_values() {
        let all = [
            Preset::Default,
            Preset::Minara,
            Preset::Rfc0009Strict,
            Preset::OpenClaw,
            Preset::OpenSeed,
            Preset::IronClaw,
        ];
        let snapshot: Vec<_> =
            all.iter().map(|preset| format!("{preset:?}: {}", differences(*preset).join("; "))).collect();
        assert_eq!(
            snapshot,
            [
                "Default: ",
                "Minara: bootstrap: Finance",
                "Rfc0009Strict: boot: Refuse; bootstrap_end: Delete; end_failed_bootstrap: true; enabled: true; naming: Daily; enabled: false; shared_user: None; requires_soul: true",
                "OpenClaw: seed: WithoutTools; bootstrap_end: Delete; naming: Daily; enabled: false; order: OpenClaw; max_user_chars: 4000",
                "OpenSeed: enabled: false; heartbeat: None",
                "IronClaw: bootstrap_end: Clear; enabled: true; naming: Daily; enabled: false; order: IronClaw; most: Some(60); without_dreams: true; enabled: true; overwrites: true",
            ]
        );
    }

    #[test]
    fn the_environment_sets_the_daily_log() {
        assert_eq!(LifeConfig::from_env(|_| None).unwrap(), LifeConfig::default());
        let on = LifeConfig::from_env(|name| (name == "WORKSPACE_DAILY_LOG_ENABLED").then(|| "1".into()));
        assert!(on.unwrap().daily_log.enabled);
        assert!(LifeConfig::from_env(|_| Some("maybe".into())).is_err());
    }
}
