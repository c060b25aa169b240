//! The definition of a tool for a model, in the shapes that hosts use.

use serde_json::{Value, json};

use super::ToolError;
use super::arguments::known;
use crate::base::gather::Gather as _;
use crate::base::spread::Spread;

/// The definition of a tool for a model.
///
/// ```
/// # #[cfg(feature = "sleep")] {
/// use noctuary::tools::Toolbox;
/// use noctuary::{Access, Scope};
///
/// let tools = Toolbox::without_documents(Access::agent(Scope::user("marta"))).sleep().catalogue();
/// assert_eq!(tools[0].name, "set_sleep");
/// assert_eq!(tools[0].mcp()["inputSchema"]["required"][0], "seconds");
/// assert_eq!(tools[0].openai()["function"]["name"], "set_sleep");
/// assert_eq!(tools[0].anthropic()["input_schema"]["type"], "object");
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolDef {
    /// The name that the model calls it by.
    pub name: String,
    /// The purpose of the tool, and the occasions for it.
    pub description: String,
    /// The JSON schema of its arguments.
    pub input_schema: Value,
}

impl ToolDef {
    /// Defines a tool of the host's own, to be beside those of a [`Toolbox`](crate::tools::Toolbox).
    ///
    /// ```
    /// use noctuary::tools::ToolDef;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    /// let tool = ToolDef::new("journal_note", "Adds a line to today's journal.", schema);
    /// assert_eq!(tool.mcp()["inputSchema"]["required"][0], "text");
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, input_schema: Value) -> Self {
        Self { name: name.into(), description: description.into(), input_schema }
    }

    /// Refuses arguments that the schema does not name. A [`Toolbox`](crate::tools::Toolbox) does so for its own tools; a host
    /// that has tools of its own beside them may for those.
    ///
    /// ```
    /// use noctuary::tools::ToolDef;
    /// use serde_json::json;
    ///
    /// let tool = ToolDef::new("journal_note", "Adds a line.", json!({"properties": {"text": {"type": "string"}}}));
    /// tool.check(&json!({"text": "Met Ilya."}))?;
    /// let error = tool.check(&json!({"text": "Met Ilya.", "origin": "user"})).unwrap_err();
    /// assert_eq!(error.message(), "Nothing was done: journal_note does not take \"origin\". It takes text.");
    /// # Ok::<(), noctuary::tools::ToolError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ToolError`] with the names, for the model; also for arguments that are no object.
    pub fn check(&self, arguments: &Value) -> Result<(), ToolError> {
        let takes = self.input_schema["properties"].as_object();
        let mut takes: Vec<&str> =
            takes.into_iter().spread(|fields| fields.keys().map(String::as_str)).gather();
        // A folder goes by two names.
        if takes.contains(&"directory") {
            takes.push("path");
        }
        known(&self.name, arguments, &takes)
    }

    /// As MCP servers list it: `inputSchema`.
    #[must_use]
    pub fn mcp(&self) -> Value {
        json!({ "name": self.name, "description": self.description, "inputSchema": self.input_schema })
    }

    /// As `OpenAI` and the many endpoints that speak like it want it: a `function`.
    #[must_use]
    pub fn openai(&self) -> Value {
        json!({
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.input_schema
            }
        })
    }

    /// As Anthropic wants it: `input_schema`.
    #[must_use]
    pub fn anthropic(&self) -> Value {
        json!({ "name": self.name, "description": self.description, "input_schema": self.input_schema })
    }
}
