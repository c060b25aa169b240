//! The file of one entry: fields in a fixed order, each a line of JSON behind its name, then the words.
//!
//! ```text
//! ---
//! schema_version: 1
//! instance_id: "0f3a9c5be2d14477"
//! kind: "memory"
//! …
//! ---
//! Takes tea without milk
//! ```
//!
//! Any reader of YAML reads the fields. Parsing and printing are inverse.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The version of the tree.
pub(in crate::exchange) const SCHEMA: u64 = 1;

/// A file of the tree.
#[derive(Clone, PartialEq)]
pub(in crate::exchange) struct Front {
    fields: Map<String, Value>,
    order: Vec<String>,
    pub(in crate::exchange) body: String,
}

impl Front {
    /// Makes an entry with the fields that every one has.
    pub(in crate::exchange) fn new(kind: &str, instance: Option<&str>) -> Self {
        let mut front = Self { fields: Map::new(), order: Vec::new(), body: String::new() };
        front.put("schema_version", SCHEMA);
        front.put("instance_id", instance.map(str::to_owned));
        front.put("kind", kind);
        front
    }

    /// Adds a field; none for what is null or empty.
    pub(in crate::exchange) fn put(&mut self, name: &str, value: impl serde::Serialize) {
        let value = serde_json::to_value(value).expect("plain data is always JSON");
        let is_empty = match &value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(values) => values.is_empty(),
            _ => false,
        };
        if !is_empty && self.fields.insert(name.to_owned(), value).is_none() {
            self.order.push(name.to_owned());
        }
    }

    /// Returns a field; `None` where it is missing or of another type.
    pub(in crate::exchange) fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_value(self.fields.get(name)?.clone()).ok()
    }

    /// Returns a field that may be missing; an error where it is of another type.
    pub(in crate::exchange) fn maybe<T: DeserializeOwned>(
        &self,
        name: &'static str,
    ) -> Result<Option<T>, &'static str> {
        match self.fields.get(name) {
            None => Ok(None),
            Some(value) => serde_json::from_value(value.clone()).map(Some).map_err(|_| name),
        }
    }

    /// Returns a field that must be there.
    pub(in crate::exchange) fn must<T: DeserializeOwned>(
        &self,
        name: &'static str,
    ) -> Result<T, &'static str> {
        self.maybe(name)?.ok_or(name)
    }

    /// Returns the fields as JSON.
    pub(in crate::exchange) fn as_value(&self) -> Value {
        Value::Object(self.fields.clone())
    }

    pub(in crate::exchange) fn print(&self) -> String {
        let mut text = "---\n".to_owned();
        for name in &self.order {
            text.push_str(&format!("{name}: {}\n", self.fields[name]));
        }
        text.push_str("---\n");
        text.push_str(&self.body);
        text.push('\n');
        text
    }

    /// Parses a file; `None` where it is none of a bundle.
    pub(in crate::exchange) fn parse(text: &str) -> Option<Self> {
        let mut rest = text.strip_prefix("---\n")?;
        let (mut fields, mut order) = (Map::new(), Vec::new());
        loop {
            let (line, after) = rest.split_once('\n')?;
            rest = after;
            if line == "---" {
                break;
            }
            let (name, value) = line.split_once(": ")?;
            let value: Value = serde_json::from_str(value).ok()?;
            if fields.insert(name.to_owned(), value).is_some() {
                return None;
            }
            order.push(name.to_owned());
        }
        Some(Self { fields, order, body: rest.strip_suffix('\n')?.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_printed_reads_back(body in "(?s).{0,80}", word in "[^\"]{0,12}", number in any::<i64>()) {
            let mut front = Front::new("memory", Some("0f3a"));
            front.put("category", &word);
            front.put("position", number);
            front.put("cites", Vec::<String>::new());
            front.body = body;
            let printed = front.print();
            let parsed = Front::parse(&printed).expect("it was printed");
            prop_assert_eq!(parsed.print(), printed);
            prop_assert_eq!(&parsed.body, &front.body);
            prop_assert_eq!(parsed.get::<String>("category"), Some(word));
        }
    }
}
