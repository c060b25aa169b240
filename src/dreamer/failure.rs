//! The reason for an answer that cannot be used.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why there was no usable answer.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Failure {
    /// The client failed.
    Client {
        /// Its words, secrets masked.
        message: String,
        /// Whether it said that waiting may help.
        retryable: bool,
    },
    /// Nothing, or white space.
    Empty,
    /// Cut off at a length limit.
    Truncated,
    /// Ended by something else than the model: a content filter, a tool call.
    Stopped,
    /// Nobody said why it ended, so it may have been cut off.
    Unsaid,
    /// Not in the requested form: neither bullets nor exactly the token for nothing. For a
    /// [`FactDreamer`](crate::dream::FactDreamer), no ruling for a shown pair.
    Malformed,
    /// Larger than any answer should be.
    TooLarge,
}

impl fmt::Debug for Failure {
    /// Vendors repeat prompts in their messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client { message, retryable } => {
                write!(f, "Client {{ message: {} bytes, retryable: {retryable} }}", message.len())
            }
            other => write!(f, "Failure({other})"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client { message, retryable: true } => {
                write!(f, "the client failed, which may pass: {message}")
            }
            Self::Client { message, retryable: false } => {
                write!(f, "the client failed, and waiting does not help: {message}")
            }
            Self::Empty => f.write_str("the answer was empty"),
            Self::Truncated => f.write_str("the answer was cut off"),
            Self::Stopped => f.write_str("the answer was stopped"),
            Self::Unsaid => f.write_str("the server did not say why the answer ended"),
            Self::Malformed => f.write_str("the answer had not the form that was asked for"),
            Self::TooLarge => f.write_str("the answer was too large"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_whether_it_may_pass() {
        let told = |retryable| Failure::Client { message: "no route".to_owned(), retryable }.to_string();
        assert_eq!(told(true), "the client failed, which may pass: no route");
        assert_eq!(told(false), "the client failed, and waiting does not help: no route");
    }
}
