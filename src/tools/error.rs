//! The answer of a tool to a model about a call that failed.

use std::fmt;

use crate::base::error::{Error, Refusal};
use crate::base::gather::Gather as _;
use crate::base::text;
use crate::gate::FORGOTTEN;

/// The reason why a call failed, in words that the model can act on.
///
/// The message goes to the model as the tool's result, marked as an error where the host's protocol can. The
/// library's own error is the [`source`](std::error::Error::source), for the host.
///
/// ```
/// use noctuary::life::Guarded;
/// use noctuary::tools::MemoryTool;
/// use noctuary::{Access, FileWorkspace, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let access = Access::agent(Scope::user("marta"));
/// let tool = MemoryTool::new(Guarded::new(FileWorkspace::open(folder.path())?, access));
/// let error = tool.call(&serde_json::json!({"command": "view", "path": "/etc/passwd"})).unwrap_err();
/// assert_eq!(error.message(), "Path must start with /memories, got: /etc/passwd");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    message: String,
    source: Option<Box<Error>>,
}

impl fmt::Debug for ToolError {
    /// Prints the shape. The message may hold text that a model gave, or that a document holds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolError {{ message: {} bytes, source: {:?} }}", self.message.len(), self.source)
    }
}

/// The longest message, in bytes: what a model gave may be in it.
const MAX_MESSAGE: usize = 8 << 10;

impl ToolError {
    /// Makes a refusal that the tool itself has words for. A message over 8 KiB is cut.
    ///
    /// For a host with tools of its own beside those of a [`Toolbox`](crate::tools::Toolbox), as [`at`](Self::at) is.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.len() > MAX_MESSAGE {
            message.truncate(text::cut(&message, MAX_MESSAGE).len());
            message.push_str("… (cut)");
        }
        Self { message, source: None }
    }

    /// Adds the library's error.
    pub(super) fn because(mut self, error: Error) -> Self {
        self.source = Some(Box::new(error));
        self
    }

    /// Arguments that do not have the tool's shape.
    pub(super) fn arguments(tool: &str, error: &serde_json::Error) -> Self {
        // A Rust type's name says nothing to a model.
        let error = error.to_string().replace("expected i64", "expected a whole number");
        let error = error.replace("expected u64", "expected a whole number from 0 on");
        Self::new(format!("The arguments of {tool} are not as its schema says: {error}."))
    }

    /// Makes the error of a document or row that the model calls `called`, in words for the model and without host
    /// paths.
    ///
    /// ```
    /// use noctuary::tools::ToolError;
    /// use noctuary::workspace::WorkspaceExt;
    /// use noctuary::{DocName, FileWorkspace};
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("USER.md"), [0xff])?;
    /// let failed = FileWorkspace::open(folder.path())?.read_text(&DocName::USER).unwrap_err();
    /// assert_eq!(ToolError::at("USER.md", failed).message(), "USER.md is not text.");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn at(called: &str, error: Error) -> Self {
        let message = match &error {
            Error::Denied { .. } => format!("This session may not do this to {called}."),
            Error::Stopped { classes, .. } => {
                let found: Vec<&str> = classes.iter().map(|class| told(class)).gather();
                format!(
                    "Nothing was written to {called}: the text contains {}. Remove it, and write the rest.",
                    found.join(", ")
                )
            }
            Error::Conflict { .. } => {
                format!(
                    "{called} has changed since you read it, and nothing was written. Read it again first."
                )
            }
            Error::NotFound { .. } => format!("There is no {called}."),
            Error::Name(name) => format!(
                "{called} cannot be used as a name: {}. Give a relative path such as context/plan.md.",
                name.rule
            ),
            Error::NotUtf8 { .. } => format!("{called} is not text."),
            Error::TooLarge { len, limit, .. } => {
                format!(
                    "The text for {called}, or its present content, is too large: {len} bytes; at most {limit} are allowed."
                )
            }
            Error::Refused { reason: Refusal::Symlink, .. } => {
                format!("{called} is a symbolic link, or is below one. Links are not followed.")
            }
            Error::Refused { reason: Refusal::NotAFile, .. } => format!("{called} is not a file."),
            Error::Refused { reason: Refusal::NotAFolder, .. } => {
                format!("{called} is a file, or is below one. A folder was expected.")
            }
            Error::Config { setting, rule } => format!("Nothing was done: {setting} {rule}."),
            Error::ArtifactNotFound { artifact, hint } => format!("There is no artifact {artifact}: {hint}."),
            Error::ArtifactEnded { artifact, status } => {
                format!("{artifact} is {status} already, and nothing was changed. Begin another artifact.")
            }
            Error::QuotaReached { what, limit } => {
                format!("Nothing was written: at most {limit} {what} are kept. Tell the user.")
            }
            Error::Busy { .. } => format!("{called} is in use by another process. Try again in a moment."),
            // Their texts hold paths of the host's.
            _ => format!("The memory failed at {called}. It does not help to try again: tell the user."),
        };
        Self::new(message).because(error)
    }

    /// Returns the library's error.
    pub(super) fn library(&self) -> Option<&Error> {
        self.source.as_deref()
    }

    /// Returns the message for the model.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// Returns a class of what was stopped, as a model understands it.
fn told(class: &str) -> &str {
    if class == FORGOTTEN { "text that the user asked to forget" } else { class }
}
