//! The dialects of the one idea, by name.

/// A dialect of the one idea: the values that its source names, for every configuration that has one of them.
///
/// | configuration | values that a preset sets |
/// |---|---|
/// | [`LifeConfig::preset`](crate::LifeConfig::preset) | onboarding, journals, memo, prompt, care |
/// | [`StoreConfig::preset`](crate::store::StoreConfig::preset) | ranking, addresses, edits by hand |
/// | [`ChunkConfig::preset`](crate::search::ChunkConfig::preset) | the size of chunks |
/// | `SleepConfig::preset` (feature `sleep`) | the folder, calls without a cap |
///
/// No preset turns a dream on, since a dream asks a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preset {
    /// This library's: the main seed's by day, and what was measured best in a search.
    #[default]
    Default,
    /// Minara's settings: a trader's agent, with its ranking.
    Minara,
    /// RFC-0009 to the letter: nothing starts without `SOUL.md`, nothing is kept of the onboarding.
    Rfc0009Strict,
    /// OpenClaw's settings.
    OpenClaw,
    /// OpenSeed's settings.
    OpenSeed,
    /// IronClaw's settings.
    IronClaw,
}
