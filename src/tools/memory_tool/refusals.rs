//! Refusals of the memory tool, in the words that models were trained on.

use crate::base::error::{Error, Refusal};
use crate::tools::ToolError;

pub(super) fn no_path(given: &str) -> ToolError {
    ToolError::new(format!("The path {given} does not exist"))
}

pub(super) fn no_valid_path(given: &str) -> ToolError {
    ToolError::new(format!("The path {given} does not exist. Please provide a valid path."))
}

pub(super) fn no_file(given: &str) -> ToolError {
    ToolError::new(format!("The path {given} is not a file."))
}

pub(super) fn not_shown(outcome: &str, given: &str) -> ToolError {
    ToolError::new(format!("{outcome}: {given} holds text that you are not shown. Ask the user."))
}

pub(super) fn failed(given: &str, error: Error) -> ToolError {
    match error {
        Error::Refused { reason: Refusal::Symlink, .. } => {
            ToolError::new("Path would escape /memories directory via symlink").because(error)
        }
        error => ToolError::at(given, error),
    }
}

/// Makes the message about a folder that was changed in part.
pub(super) fn partly(given: &str, done: usize, all: usize, error: Error) -> ToolError {
    let failure = failed(given, error);
    if done == 0 {
        return failure;
    }
    ToolError::new(format!("Only {done} of {all} files of {given} were done. {failure}"))
}
