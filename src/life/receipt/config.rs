//! The settings of receipts.

/// The settings of receipts of replies. They are off.
///
/// ```
/// use noctuary::LifeConfig;
///
/// let mut config = LifeConfig::default();
/// config.receipts.enabled = true;
/// assert_eq!(config.receipts.max_bytes, 1 << 20);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReceiptConfig {
    /// Whether sessions keep receipts. Off: nothing is read, written or hashed for them.
    pub enabled: bool,
    /// The most bytes of a generation: 1 MiB, about a thousand replies. Two are kept, and the older one is dropped whole.
    pub max_bytes: u64,
}

impl Default for ReceiptConfig {
    fn default() -> Self {
        Self { enabled: false, max_bytes: 1 << 20 }
    }
}
