//! The proof that a person can be asked.

use crate::base::env;
use crate::base::error::Result;

/// The proof that a person is at the terminal of this process. Only for them does a hard constraint of a bundle come
/// in.
///
/// ```
/// use noctuary::exchange::Presence;
///
/// let nobody = |_: &str| None;
/// assert!(Presence::at_terminal(true, nobody)?.is_some());
/// assert!(Presence::at_terminal(false, nobody)?.is_none());
/// let unattended = |name: &str| (name == "MINARA_NON_INTERACTIVE").then(|| "1".to_owned());
/// assert!(Presence::at_terminal(true, unattended)?.is_none());
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Presence(());

impl Presence {
    /// Makes the proof where input comes from a terminal, as [`IsTerminal`](std::io::IsTerminal) has it of stdin, and
    /// `MINARA_NON_INTERACTIVE` does not say otherwise. The variable is read through `lookup`. (seed 003, Import)
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) where the variable is neither a yes nor a no.
    pub fn at_terminal(is_terminal: bool, lookup: impl Fn(&str) -> Option<String>) -> Result<Option<Self>> {
        let is_unattended = env::flag(&lookup, "MINARA_NON_INTERACTIVE")?.unwrap_or(false);
        Ok((is_terminal && !is_unattended).then_some(Self(())))
    }
}
