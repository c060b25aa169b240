//! Settings for judging facts: a plain value.

use crate::base::error::{Error, Result};
use crate::dream::engine::Pace;
use crate::facts::FactConfig;
use crate::store::StoreConfig;

/// Settings of a [`FactDreamer`](super::FactDreamer).
///
/// ```
/// use noctuary::dream::FactDreamConfig;
///
/// let mut config = FactDreamConfig::default();
/// assert!(!config.enabled, "no model judges facts until somebody turns it on");
/// config.guidance = Some("Of two addresses keep the newer.".into());
/// config.validate()?;
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct FactDreamConfig {
    /// Whether to ask at all. Off: nothing is touched, and nobody is called. The store has the same switch
    /// ([`FactConfig::consolidation`]), and where that is off nobody is called either.
    pub enabled: bool,
    /// The operator's wish for the judge, at most 1,000 characters. It is shown to the model as a wish; it overrides
    /// no rule.
    pub guidance: Option<String>,
    /// Limits on the calls of the model, and on the bytes sent to it.
    pub pace: Pace,
}

/// In characters.
const LONGEST_GUIDANCE: usize = 1000;

impl FactDreamConfig {
    /// Reads the switch and the guidance of a store.
    ///
    /// ```
    /// use noctuary::dream::FactDreamConfig;
    /// use noctuary::store::StoreConfig;
    ///
    /// let mut store = StoreConfig::default();
    /// store.facts.consolidation = true;
    /// assert!(FactDreamConfig::of(&store.facts).enabled);
    /// ```
    #[must_use]
    pub fn of(facts: &FactConfig) -> Self {
        Self { enabled: facts.consolidation, guidance: facts.guidance.clone(), pace: Pace::default() }
    }

    /// Reads `MEMORY_CONSOLIDATION_ENABLED` and `MEMORY_CONSOLIDATION_GUIDANCE` through `lookup`; the rest stays at its
    /// defaults.
    ///
    /// ```
    /// use noctuary::dream::FactDreamConfig;
    ///
    /// let config = FactDreamConfig::from_env(|name| std::env::var(name).ok())?;
    /// # let _ = config;
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Config`] naming the variable whose value makes no sense.
    pub fn from_env(lookup: impl Fn(&str) -> Option<String>) -> Result<Self> {
        Ok(Self::of(&StoreConfig::from_env(lookup)?.facts))
    }

    /// Checks the bounds of all values.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] naming the setting and its rule.
    pub fn validate(&self) -> Result<()> {
        if self.guidance.as_ref().is_some_and(|text| text.chars().count() > LONGEST_GUIDANCE) {
            return Err(Error::Config { setting: "guidance", rule: "must have at most 1,000 characters" });
        }
        self.pace.validate()
    }

    /// Returns the guidance, where it says anything.
    pub(crate) fn wish(&self) -> Option<&str> {
        self.guidance.as_deref().map(str::trim).filter(|wish| !wish.is_empty())
    }
}
