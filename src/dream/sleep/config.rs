//! Settings of a sleeper: a plain value with the seed's constants.

use std::time::Duration;

use crate::base::day::DayPolicy;
use crate::base::error::{Result, check_rules};
use crate::base::name::DocName;
use crate::base::preset::Preset;
use crate::dream::engine::{BackOff, CallBudget, SectionCaps};
use crate::workspace::ClaimTerms;

/// Settings of a [`SleepDreamer`](super::SleepDreamer). The defaults are seed 002's, if it has one.
///
/// ```
/// use noctuary::sleep::SleepConfig;
///
/// let mut config = SleepConfig::default();
/// assert!(!config.enabled, "dreaming is off until somebody turns it on");
/// assert_eq!((config.fatigue_warning, config.fatigue_limit, config.deep_sleep_every), (60, 80, Some(10)));
/// config.briefing = true;
/// config.validate()?;
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SleepConfig {
    /// Whether to dream at all. Off: no model is called and no dream written. Awake, everything works.
    pub enabled: bool,
    /// The folder of all files: `self`. The seed's is [`DocName::DOT_SELF`], the one hidden folder that may hold documents; many
    /// editors do not show it.
    pub folder: DocName,
    /// After how many actions the agent is told to wrap up. 60.
    pub fatigue_warning: u32,
    /// After how many actions it must sleep. 80.
    pub fatigue_limit: u32,
    /// The shortest time since the last dream before a voluntary sleep dreams. 10 minutes.
    pub min_dream_interval: Duration,
    /// Sleeps that are shorter only pause. 30 seconds.
    pub quick_nap: Duration,
    /// Every how many dreams one is a deep sleep; `None` for none. 10.
    pub deep_sleep_every: Option<u64>,
    /// For how long a deep sleep makes it rest. 300 seconds.
    pub deep_sleep_pause: Duration,
    /// The number of messages that a trim keeps. 20.
    pub keep_recent_messages: usize,
    /// Above how many characters a conversation must be trimmed. 100,000.
    pub max_context_chars: usize,
    /// With fewer actions than this no model is asked. 0.
    pub min_actions: u32,
    /// The lifetime of an observation marked `GRN`. 48 hours.
    pub green_lasts: Duration,
    /// The number of observations in a wake-up message. 20.
    pub wake_observations: usize,
    /// Whether each dream replaces a page that briefs the next session. Off.
    pub briefing: bool,
    /// The document that the wake-up message sends it to for orders. `MESSAGES.md`.
    pub orders: DocName,
    /// The most bytes of the conversation in one dream; the rest waits. 256 KiB.
    pub input_bytes: u64,
    /// The most bytes of one message in a dream. 4 KiB.
    pub message_bytes: usize,
    /// The bounds of what one dream notes.
    pub observations: SectionCaps,
    /// The bounds of a reflection, a priority, a diary entry and a briefing: lines, characters a line, bytes.
    pub prose: SectionCaps,
    /// The rule that gives an instant its day.
    pub day: DayPolicy,
    /// Terms for claiming the workspace.
    pub claim: ClaimTerms,
    /// Calls a day, their size, and the waiting time after failures. 200 calls are a dream every ten minutes and the
    /// deep ones. The wait is a minute first, an hour at most.
    pub budget: CallBudget,
}

impl Default for SleepConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            folder: DocName::SELF,
            fatigue_warning: 60,
            fatigue_limit: 80,
            min_dream_interval: Duration::from_secs(10 * 60),
            quick_nap: Duration::from_secs(30),
            deep_sleep_every: Some(10),
            deep_sleep_pause: Duration::from_secs(300),
            keep_recent_messages: 20,
            max_context_chars: 100_000,
            min_actions: 0,
            green_lasts: Duration::from_secs(48 * 60 * 60),
            wake_observations: 20,
            briefing: false,
            orders: DocName::MESSAGES,
            input_bytes: 256 << 10,
            message_bytes: 4 << 10,
            observations: SectionCaps::default(),
            prose: SectionCaps::new(40, 2000, 8 << 10),
            day: DayPolicy::UTC,
            claim: ClaimTerms::default(),
            budget: CallBudget {
                max_calls_per_day: Some(200),
                back_off: Some(BackOff {
                    first: Duration::from_secs(60),
                    most: Duration::from_secs(60 * 60),
                }),
                ..CallBudget::default()
            },
        }
    }
}

impl SleepConfig {
    /// Returns the configuration of a dialect. [`Preset::OpenSeed`] keeps its files in `.self/`, and no cap on calls lets an
    /// exhausted sleeper wait: at [`fatigue_limit`](Self::fatigue_limit) it dreams. All others are the default.
    ///
    /// ```
    /// use noctuary::life::Preset;
    /// use noctuary::sleep::SleepConfig;
    ///
    /// let config = SleepConfig::preset(Preset::OpenSeed);
    /// assert_eq!(config.folder.as_str(), ".self");
    /// assert_eq!((config.budget.max_calls_per_day, config.enabled), (None, false));
    /// ```
    #[must_use]
    pub fn preset(preset: Preset) -> Self {
        let mut config = Self::default();
        if preset == Preset::OpenSeed {
            config.folder = DocName::DOT_SELF;
            config.budget.max_calls_per_day = None;
            config.budget.back_off = None;
        }
        config
    }

    /// Checks the bounds of all values.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) naming the setting and its rule.
    pub fn validate(&self) -> Result<()> {
        let reserved = ["memory", "daily"].iter().any(|folder| {
            let own = self.folder.folded();
            own == *folder || own.starts_with(&format!("{folder}/"))
        });
        let rules = [
            (reserved, "folder", "must not be one of journals"),
            (self.folder.join(crate::format::LONGEST_SLEEP_FILE).is_err(), "folder", "must be shorter"),
            (self.fatigue_limit == 0, "fatigue_limit", "must be at least 1"),
            (self.min_actions > self.fatigue_limit, "min_actions", "must not be above fatigue_limit"),
            (self.fatigue_warning > self.fatigue_limit, "fatigue_warning", "must not be above fatigue_limit"),
            (self.deep_sleep_every == Some(0), "deep_sleep_every", "must be at least 1"),
            (self.keep_recent_messages == 0, "keep_recent_messages", "must be at least 1"),
            (self.input_bytes == 0, "input_bytes", "must be at least 1"),
            (self.input_bytes > crate::workspace::MAX_DOCUMENT / 2, "input_bytes", "must be at most 32 MiB"),
            (self.message_bytes < 64, "message_bytes", "must be at least 64"),
            (self.observations.items == 0, "observations.items", "must be at least 1"),
            (self.prose.items == 0, "prose.items", "must be at least 1"),
            (self.claim.ttl < Duration::from_secs(1), "claim.ttl", "must be at least a second"),
        ];
        check_rules(&rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::Error;

    // SL-02, SL-03, SL-11 to SL-15, SL-19, SL-23.
    #[test]
    fn defaults_are_the_seeds_constants() {
        let config = SleepConfig::default();
        assert!(!config.enabled);
        assert_eq!((config.fatigue_warning, config.fatigue_limit), (60, 80));
        assert_eq!((config.min_dream_interval.as_secs(), config.quick_nap.as_secs()), (600, 30));
        assert_eq!((config.deep_sleep_every, config.deep_sleep_pause.as_secs()), (Some(10), 300));
        assert_eq!((config.keep_recent_messages, config.max_context_chars), (20, 100_000));
        assert_eq!(config.min_actions, 0);
        config.validate().unwrap();
    }

    #[test]
    fn nonsense_is_named() {
        let broken = |change: fn(&mut SleepConfig)| {
            let mut config = SleepConfig::default();
            change(&mut config);
            match config.validate() {
                Err(Error::Config { setting, .. }) => setting,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(broken(|config| config.folder = DocName::JOURNALS), "folder");
        assert_eq!(broken(|config| config.folder = DocName::parse("Memory/x").unwrap()), "folder");
        assert_eq!(broken(|config| config.folder = DocName::parse(["x"; 250].join("/")).unwrap()), "folder");
        assert_eq!(broken(|config| config.fatigue_limit = 59), "fatigue_warning");
        assert_eq!(broken(|config| config.min_actions = 81), "min_actions");
        assert_eq!(broken(|config| config.deep_sleep_every = Some(0)), "deep_sleep_every");
    }
}
