//! The payload of an artifact, in the shape of its kind.

use serde_json::{Map, Value, json};

use super::id::ArtifactKind;
use crate::base::debug::debug_as;
use crate::base::error::{Error, Result};

/// The payload of an artifact: the shape of its kind is checked, and nothing of it is interpreted.
///
/// ```
/// use noctuary::artifacts::{ArtifactData, ArtifactKind};
/// use serde_json::json;
///
/// let data = ArtifactData::parse(ArtifactKind::Chart, json!({"charts": [{"series": [{"type": "bar", "data": [1, 2]}]}]}))?;
/// assert_eq!(data.kind(), ArtifactKind::Chart);
/// assert!(ArtifactData::parse(ArtifactKind::Chart, json!({"charts": "none"})).is_err());
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ArtifactData {
    /// Charts: `{ "charts": [...] }`.
    Chart {
        /// The options of each, as `ECharts` takes them.
        charts: Vec<Value>,
    },
    /// A spreadsheet: `{ "csvContent", "title"?, "description"? }`.
    Spreadsheet {
        /// The table as CSV.
        csv: String,
        /// Its title.
        title: Option<String>,
        /// A line on what it shows.
        description: Option<String>,
    },
    /// A report: `{ "markdown" }` or `{ "html" }`.
    Report {
        /// The text.
        text: String,
        /// Whether the text is HTML; else it is markdown. It is never served as it is.
        is_html: bool,
    },
}

debug_as!(ArtifactData, |it| "ArtifactData {{ {}, bytes: {} }}", it.kind(), it.size());

/// The deepest nesting of a chart's options: what is written must be read again.
const DEEPEST: usize = 64;

impl ArtifactData {
    /// Makes the payload of charts.
    #[must_use]
    pub fn charts(charts: impl IntoIterator<Item = Value>) -> Self {
        Self::Chart { charts: charts.into_iter().collect() }
    }

    /// Makes the payload of a spreadsheet.
    pub fn csv(csv: impl Into<String>) -> Self {
        Self::Spreadsheet { csv: csv.into(), title: None, description: None }
    }

    /// Makes the payload of a report in markdown.
    pub fn markdown(text: impl Into<String>) -> Self {
        Self::Report { text: text.into(), is_html: false }
    }

    /// Makes the payload of a report in HTML.
    pub fn html(text: impl Into<String>) -> Self {
        Self::Report { text: text.into(), is_html: true }
    }

    /// Returns the kind of its artifact.
    #[must_use]
    pub fn kind(&self) -> ArtifactKind {
        match self {
            Self::Chart { .. } => ArtifactKind::Chart,
            Self::Spreadsheet { .. } => ArtifactKind::Spreadsheet,
            Self::Report { .. } => ArtifactKind::Report,
        }
    }

    /// Reads the payload of a kind, as a builder hands it over.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] with the rule that the shape breaks.
    pub fn parse(kind: ArtifactKind, value: Value) -> Result<Self> {
        let Value::Object(mut fields) = value else { return Err(fault("must be an object")) };
        let data = match kind {
            ArtifactKind::Chart => {
                let Some(Value::Array(charts)) = fields.remove("charts") else {
                    return Err(fault("of a chart must be {\"charts\": [...]}"));
                };
                Self::Chart { charts }
            }
            ArtifactKind::Spreadsheet => {
                let csv = text(&mut fields, "csvContent")?
                    .ok_or_else(|| fault("of a spreadsheet must have csvContent"))?;
                Self::Spreadsheet {
                    csv,
                    title: text(&mut fields, "title")?,
                    description: text(&mut fields, "description")?,
                }
            }
            ArtifactKind::Report => match (text(&mut fields, "markdown")?, text(&mut fields, "html")?) {
                (Some(text), None) => Self::markdown(text),
                (None, Some(text)) => Self::html(text),
                _ => return Err(fault("of a report must have either markdown or html")),
            },
        };
        if !fields.is_empty() {
            return Err(fault("has a field that its kind does not know"));
        }
        data.check()?;
        Ok(data)
    }

    /// Returns it as it is kept: the seed's shape.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Chart { charts } => json!({ "charts": charts }),
            Self::Spreadsheet { csv, title, description } => {
                let mut fields = Map::from_iter([("csvContent".to_owned(), Value::from(csv.as_str()))]);
                for (name, value) in [("title", title), ("description", description)] {
                    if let Some(value) = value {
                        fields.insert(name.to_owned(), Value::from(value.as_str()));
                    }
                }
                Value::Object(fields)
            }
            Self::Report { text, is_html: false } => json!({ "markdown": text }),
            Self::Report { text, is_html: true } => json!({ "html": text }),
        }
    }

    /// Refuses a shape that its kind does not have.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::Chart { charts } if charts.is_empty() => {
                Err(fault("of a chart must have one chart at least"))
            }
            Self::Chart { charts } if !charts.iter().all(Value::is_object) => {
                Err(fault("of a chart must be options: an object for each chart"))
            }
            Self::Chart { charts } if !charts.iter().all(|chart| is_within(chart, DEEPEST)) => {
                Err(fault("must not be nested deeper than 64 times"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the number of bytes that it takes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.to_json().to_string().len() as u64
    }

    /// Returns the texts in it, one a line, for what looks at words: names and values of options included.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Chart { charts } => {
                let mut words = String::new();
                for chart in charts {
                    collect(chart, &mut words);
                }
                words
            }
            Self::Spreadsheet { csv, title, description } => {
                [title.as_deref(), description.as_deref(), Some(csv)]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            Self::Report { text, .. } => text.clone(),
        }
    }
}

fn collect(value: &Value, words: &mut String) {
    match value {
        Value::String(text) => {
            words.push_str(text);
            words.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, words)),
        Value::Object(fields) => {
            for (name, value) in fields {
                // The name beside a value may show its class.
                words.push_str(name);
                words.push_str(if matches!(value, Value::String(_)) { ": " } else { "\n" });
                collect(value, words);
            }
        }
        Value::Number(number) => {
            words.push_str(&number.to_string());
            words.push('\n');
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn is_within(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(values) => depth > 0 && values.iter().all(|value| is_within(value, depth - 1)),
        Value::Object(fields) => depth > 0 && fields.values().all(|value| is_within(value, depth - 1)),
        _ => true,
    }
}

fn text(fields: &mut Map<String, Value>, name: &str) -> Result<Option<String>> {
    match fields.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(fault("has a field that must be a text")),
    }
}

fn fault(rule: &'static str) -> Error {
    Error::Config { setting: "the data of an artifact", rule }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AF-03, AF-04, AF-05
    #[test]
    fn a_payload_has_the_shape_of_its_kind_and_reads_back() {
        let good = [
            (ArtifactKind::Chart, json!({"charts": [{"series": []}, {}]})),
            (ArtifactKind::Spreadsheet, json!({"csvContent": "a,b\n1,2\n", "title": "T"})),
            (ArtifactKind::Spreadsheet, json!({"csvContent": ""})),
            (ArtifactKind::Report, json!({"markdown": "# Q3"})),
            (ArtifactKind::Report, json!({"html": "<h1>Q3</h1>"})),
        ];
        for (kind, value) in good {
            let data = ArtifactData::parse(kind, value.clone()).unwrap();
            assert_eq!((data.kind(), data.to_json()), (kind, value));
        }
        let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
        let bad = [
            (ArtifactKind::Chart, json!({"charts": []})),
            (ArtifactKind::Chart, json!({"charts": [1]})),
            (ArtifactKind::Chart, json!({"charts": {}})),
            (ArtifactKind::Chart, json!({"chart": [{}]})),
            (ArtifactKind::Chart, json!({"charts": [{}], "more": 1})),
            (ArtifactKind::Chart, json!({"charts": [{"a": deep}]})),
            (ArtifactKind::Chart, json!([])),
            (ArtifactKind::Spreadsheet, json!({"csv": "a"})),
            (ArtifactKind::Spreadsheet, json!({"csvContent": 1})),
            (ArtifactKind::Report, json!({})),
            (ArtifactKind::Report, json!({"markdown": "a", "html": "b"})),
            (ArtifactKind::Report, json!({"markdown": ["a"]})),
        ];
        for (kind, value) in bad {
            let error = ArtifactData::parse(kind, value.clone()).unwrap_err();
            assert!(matches!(error, Error::Config { .. }), "{value}");
        }
    }
}
