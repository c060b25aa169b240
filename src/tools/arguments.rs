//! The arguments of a tool call, in every form that a host may carry them.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Number, Value};

use super::ToolError;
use super::shown::cut;
use crate::base::gather::Gather as _;

/// Reads arguments: an object, or the JSON text of one, as it is in the calls of `OpenAI`'s protocol. Nothing at all is
/// an object without fields. Fields that are not known are [refused](known) before, and a whole number may be written
/// as `3.0`, for hosts without integers.
pub(super) fn parsed<T: for<'de> Deserialize<'de>>(tool: &str, arguments: &Value) -> Result<T, ToolError> {
    match given(arguments).and_then(T::deserialize) {
        Ok(read) => Ok(read),
        Err(error) => Err(ToolError::arguments(tool, &error)),
    }
}

/// Returns the fields that have a value: some hosts send all that a schema names, without one where the model gave none.
fn given(arguments: &Value) -> serde_json::Result<Value> {
    let mut given = Map::new();
    for (name, value) in object(arguments)?.iter().filter(|(_, value)| !value.is_null()) {
        given.insert(name.clone(), with_whole(value));
    }
    Ok(Value::Object(given))
}

/// The most fields that are named which a tool does not take.
const MAX_NAMES: usize = 8;
/// The most bytes of the name of each.
const MAX_NAME_BYTES: usize = 40;

/// Refuses fields that a tool does not take: a model that gives one expects that it does something. A field without a value
/// is none, since some hosts send all that a schema names.
pub(super) fn known(tool: &str, arguments: &Value, takes: &[&str]) -> Result<(), ToolError> {
    let given = object(arguments).map_err(|error| ToolError::arguments(tool, &error))?;
    let unknown = |(name, value): &(&String, &Value)| !value.is_null() && !takes.contains(&name.as_str());
    let unknown: Vec<String> = given
        .iter()
        .filter(unknown)
        .take(MAX_NAMES)
        .map(|(name, _)| format!("{:?}", cut(name, MAX_NAME_BYTES).0))
        .gather();
    if unknown.is_empty() {
        return Ok(());
    }
    let takes = if takes.is_empty() { "no arguments".to_owned() } else { takes.join(", ") };
    Err(ToolError::new(format!(
        "Nothing was done: {tool} does not take {}. It takes {takes}.",
        unknown.join(", ")
    )))
}

/// Returns the fields that a model gave.
pub(super) fn object(arguments: &Value) -> serde_json::Result<Cow<'_, Map<String, Value>>> {
    Ok(match arguments {
        Value::Object(object) => Cow::Borrowed(object),
        Value::Null => Cow::Owned(Map::new()),
        Value::String(text) if text.trim().is_empty() => Cow::Owned(Map::new()),
        Value::String(text) => Cow::Owned(serde_json::from_slice(text.as_bytes())?),
        // A list would be taken for the fields in their order.
        other => Cow::Owned(Map::deserialize(other)?),
    })
}

/// Returns a number, or the numbers of a list, as integers where they are whole.
fn with_whole(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(whole(number).unwrap_or_else(|| number.clone())),
        Value::Array(values) if values.iter().all(Value::is_number) => {
            values.iter().map(with_whole).collect()
        }
        other => other.clone(),
    }
}

fn whole(number: &Number) -> Option<Number> {
    /// From here on not every integer has a float of its own.
    const END: f64 = 9_007_199_254_740_992.0;
    let float = number.as_f64().filter(|_| number.is_f64())?;
    let is_whole = float.fract() == 0.0 && float.abs() < END;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and has fewer than 54 bits")]
    is_whole.then(|| Number::from(float as i64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Options {
        #[serde(default)]
        lines: Vec<i64>,
        limit: Option<u64>,
    }

    // A field that did nothing was passed over by some tools, named by others and refused by none.
    #[test]
    fn fields_that_a_tool_does_not_take_are_refused_by_name() {
        let refused =
            |given: Value, takes: &[&str]| known("t", &given, takes).unwrap_err().message().to_owned();
        for given in
            [json!({"limit": 3}), json!({"limit": 3, "other": null}), json!("{\"limit\": 3}"), json!(null)]
        {
            known("t", &given, &["limit"]).unwrap();
        }
        assert_eq!(
            refused(json!({"limit": 3, "kind\n": "main", "actor": 1}), &["limit", "query"]),
            "Nothing was done: t does not take \"actor\", \"kind\\n\". It takes limit, query."
        );
        assert_eq!(
            refused(json!({"x": 0}), &[]),
            "Nothing was done: t does not take \"x\". It takes no arguments."
        );
        let many: Map<String, Value> = (0..99).map(|at| (format!("{at:0>99}"), json!(1))).collect();
        assert!(refused(Value::Object(many), &[]).len() < 500);
    }

    #[test]
    fn arguments_come_as_an_object_as_its_text_or_not_at_all() {
        let options = |lines: &[i64], limit| Options { lines: lines.into(), limit };
        for (given, expected) in [
            (json!({"limit": 3, "lines": [1, -1]}), options(&[1, -1], Some(3))),
            (json!({"limit": null, "lines": null}), options(&[], None)),
            (json!("{\"limit\": 3.0, \"lines\": [1.0, -1]}"), options(&[1, -1], Some(3))),
            (json!(" "), options(&[], None)),
            (json!(null), options(&[], None)),
        ] {
            assert_eq!(parsed::<Options>("t", &given).unwrap(), expected, "{given}");
        }
        for wrong in [
            json!({"limit": 3.5}),
            json!({"limit": -1}),
            json!({"limit": 1e300}),
            json!({"limit": "3"}),
            json!({"lines": [1, 2.5]}),
            json!("[1]"),
            json!("{\"limit\": 3"),
            json!("\"{}\""),
            json!(true),
            json!([[]]),
            json!([[1], 3]),
            json!("[".repeat(9999)),
        ] {
            let error = parsed::<Options>("t", &wrong).unwrap_err();
            assert!(
                error.message().starts_with("The arguments of t are not as its schema says: "),
                "{wrong}"
            );
        }
    }
}
