//! The tool by which an agent that tires plans its sleep.

use std::sync::Arc;

use serde_json::{Value, json};

use super::room::Room;
use super::tool::{Call, Tool};
use super::{ToolDef, ToolError, Toolbox};
use crate::dream::sleep::SetSleep;
use crate::gate::Doors;

/// The tool `set_sleep`.
#[derive(Debug)]
struct Sleep;

impl Toolbox {
    /// Adds `set_sleep`. It sleeps nobody: the host takes the `seconds` of the answer to
    /// [`SleepDreamer::fall_asleep`](crate::sleep::SleepDreamer::fall_asleep), and does the sleeping.
    #[must_use]
    #[cfg_attr(docsrs, doc(cfg(feature = "sleep")))]
    pub fn sleep(mut self) -> Self {
        self.rooms[3] = Some(Arc::new(Sleep));
        self.anew()
    }
}

impl Room for Sleep {
    fn tools(&self, _doors: &Doors) -> Vec<Tool> {
        let told = SetSleep::schema();
        let text = |field: &str| told[field].as_str().unwrap_or_default().to_owned();
        let definition = ToolDef::new(text("name"), text("description"), told["input_schema"].clone());
        vec![Tool::new(definition, plan)]
    }
}

fn plan(call: &Call<'_>) -> Result<Value, ToolError> {
    let arguments: Value = call.read()?;
    let asked = SetSleep::parse(&arguments.to_string()).map_err(|error| ToolError::at("the sleep", error))?;
    Ok(json!({ "status": "planned", "seconds": asked.seconds }))
}
