//! The tool by which an agent that tires plans its sleep.

use serde_json::{Value, json};

use super::tool::{Call, Tool};
use super::{ToolDef, ToolError};
use crate::dream::sleep::SetSleep;

/// Returns the tool `set_sleep`.
pub(super) fn tool() -> Tool {
    let told = SetSleep::schema();
    let text = |field: &str| told[field].as_str().unwrap_or_default().to_owned();
    Tool::new(ToolDef::new(text("name"), text("description"), told["input_schema"].clone()), plan)
}

fn plan(call: &Call<'_>) -> Result<Value, ToolError> {
    let arguments: Value = call.read()?;
    let asked = SetSleep::parse(&arguments.to_string()).map_err(|error| ToolError::at("the sleep", error))?;
    Ok(json!({ "status": "planned", "seconds": asked.seconds }))
}
