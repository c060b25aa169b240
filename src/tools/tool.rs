//! A tool: its definition, and the function that carries out a call.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;

use super::arguments::parsed;
use super::{ToolDef, ToolError};
use crate::base::debug::debug_as;
use crate::format::Origin;

/// A tool of a session.
pub(super) struct Tool {
    pub(super) definition: ToolDef,
    /// Whether the catalogue names it: a session with others present is not told of a tool that it is always refused.
    pub(super) is_listed: bool,
    function: Box<Function>,
}

type Function = dyn Fn(&Call<'_>) -> Result<Value, ToolError> + Send + Sync;

/// A call of a tool by a model.
pub(super) struct Call<'c> {
    /// The name by which it was called.
    pub(super) tool: &'c str,
    pub(super) arguments: &'c Value,
    /// The speaker whose words the model passes on.
    pub(super) origin: &'c Origin,
    pub(super) now: DateTime<Utc>,
}

impl Tool {
    pub(super) fn new(
        definition: ToolDef,
        function: impl Fn(&Call<'_>) -> Result<Value, ToolError> + Send + Sync + 'static,
    ) -> Self {
        Self { definition, is_listed: true, function: Box::new(function) }
    }

    /// Sets whether the catalogue names it.
    pub(super) fn listed(mut self, is_listed: bool) -> Self {
        self.is_listed = is_listed;
        self
    }

    /// Carries out a call, whose arguments are those of the schema.
    pub(super) fn call(&self, call: &Call<'_>) -> Result<Value, ToolError> {
        self.definition.check(call.arguments)?;
        (self.function)(call)
    }
}

impl Call<'_> {
    /// Reads the arguments.
    pub(super) fn read<T: for<'de> Deserialize<'de>>(&self) -> Result<T, ToolError> {
        parsed(self.tool, self.arguments)
    }
}

debug_as!(Tool, |it| "Tool({})", it.definition.name);
