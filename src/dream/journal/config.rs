//! Settings of a dreamer: a plain value with the seed's defaults.

use std::time::Duration;

use crate::base::day::DayPolicy;
use crate::base::env;
use crate::base::error::{Result, check_rules};
use crate::dream::engine::{CallBudget, SectionCaps};
use crate::dream::evidence::{Evidence, Rules, Trust};
use crate::dreamer::DreamMode;
use crate::workspace::ClaimTerms;

/// Settings of a [`JournalDreamer`](super::JournalDreamer), changed by [`configure`](crate::dream::JournalDreamerBuilder::configure). The
/// defaults are the seed's, if it has one. A value out of bounds is [`Error::Config`](crate::Error::Config) at `build`.
///
/// ```
/// use noctuary::DreamConfig;
///
/// let mut config = DreamConfig::default();
/// assert!(!config.enabled, "dreaming is off until somebody turns it on");
/// assert_eq!(config.total_input_bytes, 256 * 1024);
/// config.window_days = None;
/// config.validate()?;
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each switches one thing, which its name says")]
pub struct DreamConfig {
    /// Whether to dream at all. It sends journals to a model, costs money and writes into a person's file, so somebody has to decide.
    /// Off: nothing is touched, and nobody is called.
    pub enabled: bool,
    /// The handling of findings: append, propose, or report only. `Append`.
    pub mode: DreamMode,
    /// The least time between two runs, for [`should_dream`](crate::dream::should_dream). 24 hours.
    pub interval: Duration,
    /// The cap on all journals of one pass together, in bytes of theirs; line numbers come on top. 256 KiB.
    pub total_input_bytes: u64,
    /// The cap on one journal in one pass, in bytes: 4 bytes to 32 MiB. 64 KiB.
    pub max_file_bytes: u64,
    /// The cap on `MEMORY.md` in the request, in bytes: its head, its headings and its tail. 64 KiB.
    pub memory_bytes: usize,
    /// The oldest journals that are read, in days by their date; `None` for all. 30.
    pub window_days: Option<u32>,
    /// The most calls of the model in one run, to work through a backlog. 4.
    pub max_passes: u32,
    /// The most times that a journal is shown while every line of the answer is held; after that it counts as read. 3.
    pub max_tries: u32,
    /// The rule that gives an instant its day, the same as [`LifeConfig::day`](crate::LifeConfig::day). UTC, midnight.
    pub day: DayPolicy,
    /// Terms for claiming the workspace.
    pub claim: ClaimTerms,
    /// Whether additions to a journal after its quarantine are read. Off: they wait for the release. Older bytes
    /// wait either way, and so does the whole journal if they were rewritten.
    pub read_past_quarantine: bool,
    /// The rule for checking citations. `Checked`.
    pub evidence: Evidence,
    /// The speakers whose words may become memory by themselves. `People`.
    pub trust: Trust,
    /// Whether a line that is an order to its reader is held back, other than the user's own word. On.
    pub statements_only: bool,
    /// Names of the user. With "Marta" here, "Marta lives in Porto" holds if a cited line of the user says "I live in
    /// Porto". So does "Marta's boat" if one says "my boat". None, unless you give some; at most 16, each one line of
    /// at most 64 characters, compared in this case.
    pub user_names: Vec<String>,
    /// Whether the life writes its [daily log](crate::LifeConfig::daily_log) by itself. If it does not, a first dream without
    /// journals says so. Not known unless set.
    pub daily_log: Option<bool>,
    /// The bounds of a section.
    pub section: SectionCaps,
    /// Whether each night replaces `BRIEFING.md`, one page on what is going on now, beside the lines that it promotes. The model
    /// is asked for it; each line must cite journals and is checked, whatever [`evidence`](Self::evidence) says. If the answer
    /// lacks it, the page has the promoted lines. A night that promotes nothing leaves the page as it is. It has at most 12 lines
    /// and 2 KiB. A page that a person wrote or edited stays. Prompts show it where [`PromptConfig::briefing`] is on. Proposals
    /// have none. Off.
    ///
    /// [`PromptConfig::briefing`]: crate::life::PromptConfig::briefing
    pub briefing: bool,
    /// The budget of `MEMORY.md` in characters; see `over_budget`. 10,000.
    pub memory_budget: u64,
    /// The reaction to a `MEMORY.md` that is over its budget. `Warn`.
    pub over_budget: OverBudget,
    /// Calls a day, their size, and the waiting time after failures.
    pub budget: CallBudget,
    /// Whether a run asks although it backs off, or a cap of the day is reached: a person wants it now. Its calls and failures count as
    /// ever. Off.
    pub insist: bool,
    /// The most proposals that may wait. At that number nobody is called, and the journals wait. 20.
    pub max_proposals: u32,
    /// After which time a proposal no longer counts among those that wait; `None` for never. It stays, and can still be
    /// accepted. 30 days.
    pub proposal_max_age: Option<Duration>,
}

/// The reaction to a `MEMORY.md` that is over its budget.
///
/// ```
/// use noctuary::dream::OverBudget;
/// use noctuary::DreamConfig;
///
/// let mut config = DreamConfig::default();
/// assert_eq!((config.memory_budget, config.over_budget), (10_000, OverBudget::Warn));
/// config.over_budget = OverBudget::Archive;
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OverBudget {
    /// It says so in its report, [`Notice::MemoryOverBudget`](crate::dream::Notice::MemoryOverBudget).
    #[default]
    Warn,
    /// It moves the oldest sections of dreams to `memory/archive/dreamed.md` until `MEMORY.md` is within. Sections that a
    /// person edited stay, and so does every byte that is no section; what is over then is reported.
    Archive,
}

impl Default for DreamConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            mode: DreamMode::Append,
            interval: Duration::from_secs(24 * 60 * 60),
            total_input_bytes: 256 << 10,
            max_file_bytes: 64 << 10,
            memory_bytes: 64 << 10,
            window_days: Some(30),
            max_passes: 4,
            max_tries: 3,
            day: DayPolicy::UTC,
            claim: ClaimTerms::default(),
            read_past_quarantine: false,
            evidence: Evidence::Checked,
            trust: Trust::People,
            statements_only: true,
            user_names: Vec::new(),
            daily_log: None,
            section: SectionCaps::default(),
            briefing: false,
            memory_budget: 10_000,
            over_budget: OverBudget::Warn,
            budget: CallBudget::default(),
            insist: false,
            max_proposals: 20,
            proposal_max_age: Some(Duration::from_secs(30 * 24 * 60 * 60)),
        }
    }
}

impl DreamConfig {
    /// Reads the seed's variables through `lookup`, and leaves the rest at its defaults:
    /// `WORKSPACE_DREAM_ENABLED`, `WORKSPACE_DREAM_INTERVAL_HOURS`, `WORKSPACE_DREAM_TOTAL_INPUT_BYTES` and
    /// `WORKSPACE_DREAM_LOCK_TTL_MS`. Nothing else of the environment is read.
    ///
    /// ```
    /// use noctuary::DreamConfig;
    ///
    /// let config = DreamConfig::from_env(|name| std::env::var(name).ok())?;
    /// # let _ = config;
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) naming the variable whose value makes no sense.
    pub fn from_env(lookup: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let mut config = Self::default();
        if let Some(enabled) = env::flag(&lookup, "WORKSPACE_DREAM_ENABLED")? {
            config.enabled = enabled;
        }
        if let Some(hours) = env::positive(&lookup, "WORKSPACE_DREAM_INTERVAL_HOURS")? {
            config.interval = Duration::from_secs(hours.saturating_mul(60 * 60));
        }
        if let Some(bytes) = env::positive(&lookup, "WORKSPACE_DREAM_TOTAL_INPUT_BYTES")? {
            config.total_input_bytes = bytes;
        }
        if let Some(millis) = env::positive(&lookup, "WORKSPACE_DREAM_LOCK_TTL_MS")? {
            config.claim.ttl = Duration::from_millis(millis);
        }
        config.validate()?;
        Ok(config)
    }

    /// Returns the rules that its lines are judged by.
    pub(crate) fn rules(&self) -> Rules<'_> {
        Rules {
            evidence: self.evidence,
            trust: self.trust,
            statements_only: self.statements_only,
            user_names: &self.user_names,
        }
    }

    /// Checks the bounds of all values.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) naming the setting and its rule.
    pub fn validate(&self) -> Result<()> {
        let rules = [
            (self.interval.is_zero(), "interval", "must be longer than nothing"),
            (self.total_input_bytes == 0, "total_input_bytes", "must be at least 1"),
            (self.max_file_bytes < 4, "max_file_bytes", "must be at least 4, the longest character"),
            (
                self.max_file_bytes > crate::workspace::MAX_DOCUMENT / 2,
                "max_file_bytes",
                "must be at most 32 MiB",
            ),
            (self.max_passes == 0, "max_passes", "must be at least 1"),
            (self.max_tries == 0, "max_tries", "must be at least 1"),
            (self.claim.ttl < Duration::from_secs(1), "claim.ttl", "must be at least a second"),
            (self.section.items == 0, "section.items", "must be at least 1"),
            (self.max_proposals == 0, "max_proposals", "must be at least 1"),
            (self.user_names.len() > 16, "user_names", "must be at most 16"),
            (
                !self.user_names.iter().all(|name| is_name(name)),
                "user_names",
                "must each be one line of 1 to 64 characters, without space around it",
            ),
        ];
        check_rules(&rules)
    }
}

fn is_name(name: &str) -> bool {
    let has_letter = name.contains(char::is_alphabetic);
    has_letter && name.trim() == name && name.chars().count() <= 64 && !name.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::Error;

    fn with(name: &'static str, value: &'static str) -> Result<DreamConfig> {
        DreamConfig::from_env(move |asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn defaults_are_the_seeds() {
        let config = DreamConfig::from_env(|_| None).unwrap();
        assert_eq!(config, DreamConfig::default());
        assert!(!config.enabled);
        assert_eq!(config.interval.as_secs(), 86_400);
        assert_eq!(config.total_input_bytes, 262_144);
        assert_eq!(config.claim.ttl.as_millis(), 1_800_000);
        assert_eq!(config.window_days, Some(30));
    }

    #[test]
    fn the_seeds_variables_are_read_and_nonsense_is_named() {
        assert!(with("WORKSPACE_DREAM_ENABLED", "1").unwrap().enabled);
        assert!(!with("WORKSPACE_DREAM_ENABLED", "0").unwrap().enabled);
        assert!(!with("WORKSPACE_DREAM_ENABLED", "").unwrap().enabled);
        assert_eq!(with("WORKSPACE_DREAM_INTERVAL_HOURS", "6").unwrap().interval.as_secs(), 21_600);
        assert_eq!(with("WORKSPACE_DREAM_TOTAL_INPUT_BYTES", "1000").unwrap().total_input_bytes, 1000);
        assert_eq!(with("WORKSPACE_DREAM_LOCK_TTL_MS", "60000").unwrap().claim.ttl.as_secs(), 60);
        for (name, value) in [
            ("WORKSPACE_DREAM_ENABLED", "maybe"),
            ("WORKSPACE_DREAM_INTERVAL_HOURS", "0"),
            ("WORKSPACE_DREAM_INTERVAL_HOURS", "-1"),
            ("WORKSPACE_DREAM_TOTAL_INPUT_BYTES", "256KB"),
            ("WORKSPACE_DREAM_LOCK_TTL_MS", "soon"),
        ] {
            let error = with(name, value).unwrap_err();
            assert!(matches!(error, Error::Config { setting, .. } if setting == name), "{name}={value}");
        }
    }

    #[test]
    fn names_of_the_user_are_short_lines() {
        let named =
            |names: Vec<String>| DreamConfig { user_names: names, ..DreamConfig::default() }.validate();
        named(vec!["Marta".to_owned(), "Marta Silva".to_owned(), "x".repeat(64)]).unwrap();
        for wrong in ["", " ", "-", " Marta", "Marta\nIlya", &"x".repeat(65)] {
            let error = named(vec![wrong.to_owned()]).unwrap_err();
            assert!(matches!(error, Error::Config { setting: "user_names", .. }), "{wrong:?}");
        }
        named(vec!["Marta".to_owned(); 17]).unwrap_err();
    }
}
