//! Settings for decisions on facts by anybody but the human.

/// Settings for decisions on facts by anybody but the human.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FactConfig {
    /// Whether a pass with a model may decide, which acts as the library. Off: its decisions are refused, and
    /// nothing is written. Decisions of agent and human do not depend on it. (seed 003, Facts)
    pub consolidation: bool,
    /// The operator's wish for that pass, at most 500 characters. It has no authority: it overrides no rule.
    pub guidance: Option<String>,
    /// Shadow mode: decisions of dreamers are reported, and change no row. Off.
    pub shadow: bool,
    /// The circuit breaker: maximum number of facts that their decisions retire within 24 hours: 100.
    pub max_retired_a_day: u32,
}

impl Default for FactConfig {
    fn default() -> Self {
        Self { consolidation: false, guidance: None, shadow: false, max_retired_a_day: 100 }
    }
}
