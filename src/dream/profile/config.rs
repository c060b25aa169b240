//! Settings for rebuilding personalization: a plain value.

use std::time::Duration;

use crate::base::env;
use crate::base::error::{Result, check_rules};
use crate::dream::engine::{CallBudget, Pace, SectionCaps};
use crate::dream::evidence::{Evidence, Rules, Trust};

/// Settings of a [`PersonalizationDreamer`](super::PersonalizationDreamer).
///
/// ```
/// use noctuary::dream::PersonalizationConfig;
///
/// let config = PersonalizationConfig::default();
/// assert!(!config.enabled, "nothing is rebuilt until somebody turns it on");
/// assert_eq!((config.items, config.pace.interval.as_secs()), (20, 24 * 60 * 60));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PersonalizationConfig {
    /// Whether to rebuild at all. Off: nothing is touched, and nobody is called. Writing by the human and the agent
    /// does not depend on it.
    pub enabled: bool,
    /// The number of latest items that are read of each source. 20.
    pub items: usize,
    /// The cap on what is shown of one item, in bytes: its end. 16 KiB.
    pub item_bytes: usize,
    /// The most current rows that are shown, so that they are not said again; all of them are compared. 100.
    pub known_rows: usize,
    /// The rule for checking citations. A line without a citation is held.
    pub evidence: Evidence,
    /// The speakers whose words may become memory by themselves.
    pub trust: Trust,
    /// The bounds of what one rebuild writes: 20 rows of 300 characters, 4 KiB.
    pub caps: SectionCaps,
    /// Limits on the calls of the model, and on the bytes sent: every 24 hours, 64 KiB, four times a day.
    pub pace: Pace,
}

impl Default for PersonalizationConfig {
    fn default() -> Self {
        let pace = Pace {
            interval: Duration::from_secs(24 * 60 * 60),
            max_passes: 1,
            request_bytes: 64 << 10,
            budget: CallBudget { max_calls_per_day: Some(4), ..Pace::default().budget },
            ..Pace::default()
        };
        Self {
            enabled: false,
            items: 20,
            item_bytes: 16 << 10,
            known_rows: 100,
            evidence: Evidence::Required,
            trust: Trust::People,
            caps: SectionCaps::new(20, 300, 4 << 10),
            pace,
        }
    }
}

const REBUILD: &str = "MINARA_PERSONALIZATION_REBUILD";

impl PersonalizationConfig {
    /// Reads `MINARA_PERSONALIZATION_REBUILD` through `lookup`: on as in the seed, unless it is `disabled` or any other word
    /// for off. The rest stays at its defaults.
    ///
    /// ```
    /// use noctuary::dream::PersonalizationConfig;
    ///
    /// let config = PersonalizationConfig::from_env(|name| std::env::var(name).ok())?;
    /// # let _ = config;
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) naming the variable whose value makes no sense.
    pub fn from_env(lookup: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let word = lookup(REBUILD).unwrap_or_default().trim().to_ascii_lowercase();
        let enabled = match word.as_str() {
            "disabled" => false,
            "enabled" => true,
            _ => env::flag(&lookup, REBUILD)?.unwrap_or(true),
        };
        Ok(Self { enabled, ..Self::default() })
    }

    /// Checks the bounds of all values.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) naming the setting and its rule.
    pub fn validate(&self) -> Result<()> {
        let rules = [
            (self.items == 0, "items", "must be at least 1"),
            (self.item_bytes < 256, "item_bytes", "must be at least 256"),
            (self.caps.items == 0, "caps.items", "must be at least 1"),
        ];
        check_rules(&rules)?;
        self.pace.validate()
    }

    /// Returns the rules that its lines are judged by.
    pub(crate) fn rules(&self) -> Rules<'_> {
        Rules { evidence: self.evidence, trust: self.trust, statements_only: true, user_names: &[] }
    }
}
