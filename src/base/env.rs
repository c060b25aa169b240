//! Values of environment variables, through a lookup function that the caller gives.

use crate::base::error::{Error, Result};

/// Parses a switch: `1`, `true`, `yes`, `on` or their opposites. Unset and empty are `None`.
pub(crate) fn flag(lookup: &impl Fn(&str) -> Option<String>, name: &'static str) -> Result<Option<bool>> {
    let Some(value) = lookup(name) else { return Ok(None) };
    match value.trim().to_ascii_lowercase().as_str() {
        "" => Ok(None),
        "1" | "true" | "yes" | "on" => Ok(Some(true)),
        "0" | "false" | "no" | "off" => Ok(Some(false)),
        _ => Err(Error::Config { setting: name, rule: "must be one of 1, true, yes, on, 0, false, no, off" }),
    }
}

/// Parses a whole number from 1. Unset and empty are `None`.
pub(crate) fn positive(lookup: &impl Fn(&str) -> Option<String>, name: &'static str) -> Result<Option<u64>> {
    let Some(value) = lookup(name) else { return Ok(None) };
    match value.trim() {
        "" => Ok(None),
        digits => match digits.parse() {
            Ok(number) if number > 0 => Ok(Some(number)),
            _ => Err(Error::Config { setting: name, rule: "must be a whole number from 1" }),
        },
    }
}
