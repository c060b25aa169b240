//! The six commands of the memory tool.

use serde::Deserialize;
use serde_json::Value;

use super::ToolError;
use super::arguments::{known, object, parsed};
use crate::base::gather::Gather as _;

/// A command; [`Command::FIELDS`] names the fields of each.
pub(super) enum Command {
    View { path: String, view_range: Option<Vec<i64>> },
    Create { path: String, file_text: String },
    StrReplace { path: String, old_str: String, new_str: String },
    Insert { path: String, insert_line: i64, insert_text: String },
    Delete { path: String },
    Rename { old_path: String, new_path: String },
}

/// The name of a command.
#[derive(Deserialize)]
#[serde(variant_identifier, rename_all = "snake_case")]
enum Name {
    View,
    Create,
    StrReplace,
    Insert,
    Delete,
    Rename,
}

#[derive(Deserialize)]
struct Called {
    command: Name,
}

#[derive(Deserialize)]
struct View {
    path: String,
    view_range: Option<Vec<i64>>,
}

#[derive(Deserialize)]
struct Create {
    path: String,
    file_text: String,
}

#[derive(Deserialize)]
struct StrReplace {
    path: String,
    old_str: String,
    #[serde(default)]
    new_str: String,
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names of the fields of the tool")]
struct Insert {
    path: String,
    insert_line: i64,
    insert_text: String,
}

#[derive(Deserialize)]
struct Delete {
    path: String,
}

#[derive(Deserialize)]
struct Rename {
    old_path: String,
    new_path: String,
}

impl Command {
    /// The fields of each command, without its name.
    const FIELDS: [(&str, &[&str]); 6] = [
        ("view", &["path", "view_range"]),
        ("create", &["path", "file_text"]),
        ("str_replace", &["path", "old_str", "new_str"]),
        ("insert", &["path", "insert_line", "insert_text"]),
        ("delete", &["path"]),
        ("rename", &["old_path", "new_path"]),
    ];

    pub(super) fn read(arguments: &Value) -> Result<Self, ToolError> {
        let command = Self::of(arguments)?;
        let given = object(arguments).map_err(|error| ToolError::arguments("memory", &error))?;
        let called = given.get("command").and_then(Value::as_str).unwrap_or_default();
        let fields = Self::FIELDS.iter().find(|(command, _)| *command == called);
        let (called, fields) = fields.expect("a command that was read is one of them");
        let takes: Vec<&str> = ["command"].iter().chain(*fields).copied().gather();
        known(&format!("the memory command {called}"), arguments, &takes)?;
        Ok(command)
    }

    /// Reads the name, and then the fields that its command has.
    fn of(arguments: &Value) -> Result<Self, ToolError> {
        let tool = "memory";
        let Called { command } = parsed(tool, arguments)?;
        Ok(match command {
            Name::View => {
                let View { path, view_range } = parsed(tool, arguments)?;
                Self::View { path, view_range }
            }
            Name::Create => {
                let Create { path, file_text } = parsed(tool, arguments)?;
                Self::Create { path, file_text }
            }
            Name::StrReplace => {
                let StrReplace { path, old_str, new_str } = parsed(tool, arguments)?;
                Self::StrReplace { path, old_str, new_str }
            }
            Name::Insert => {
                let Insert { path, insert_line, insert_text } = parsed(tool, arguments)?;
                Self::Insert { path, insert_line, insert_text }
            }
            Name::Delete => {
                let Delete { path } = parsed(tool, arguments)?;
                Self::Delete { path }
            }
            Name::Rename => {
                let Rename { old_path, new_path } = parsed(tool, arguments)?;
                Self::Rename { old_path, new_path }
            }
        })
    }
}
