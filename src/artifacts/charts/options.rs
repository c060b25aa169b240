//! The part of a chart's options that is drawn.

use plotters::style::RGBColor;
use serde_json::Value;

/// More of either are refused or left out: a picture of them shows nothing.
const MOST_SERIES: usize = 24;
const MOST_POINTS: usize = 4_000;

/// A chart as it is drawn.
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) subtitle: String,
    pub(super) series: Vec<Series>,
    /// The words along the axis of categories; points beyond them are numbered.
    pub(super) categories: Vec<String>,
    /// Whether the categories are down the side, and bars lie.
    pub(super) is_lying: bool,
    /// The names of the axes of categories and of values.
    pub(super) names: [String; 2],
    pub(super) has_legend: bool,
    colours: Vec<RGBColor>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Line,
    Bar,
    Pie,
}

/// The numbers of a chart under one name.
pub(super) struct Series {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) points: Vec<Point>,
    pub(super) stack: Option<String>,
    pub(super) is_area: bool,
    pub(super) is_ring: bool,
}

/// A number, and where it has its own, its place or its name.
pub(super) struct Point {
    pub(super) value: Option<f64>,
    pub(super) x: Option<f64>,
    pub(super) name: Option<String>,
}

const COLOURS: [&str; 8] =
    ["#2f6fb5", "#d9822b", "#3a9d5d", "#b8434e", "#7a5ea8", "#2a9d9d", "#8c6d46", "#c2569b"];

impl Chart {
    pub(super) fn read(options: &Value) -> Result<Self, String> {
        let series = match options.get("series") {
            Some(Value::Array(all)) => {
                all.iter().take(MOST_SERIES).map(Series::read).collect::<Result<Vec<_>, _>>()?
            }
            Some(one @ Value::Object(_)) => vec![Series::read(one)?],
            _ => Vec::new(),
        };
        if series.is_empty() {
            return Err("it has no series".to_owned());
        }
        let pies = series.iter().filter(|one| one.kind == Kind::Pie).count();
        if pies > 1 || pies == 1 && series.len() > 1 {
            return Err("a pie is drawn alone".to_owned());
        }
        if !series.iter().flat_map(|one| &one.points).any(|point| point.value.is_some()) {
            return Err("it has no number".to_owned());
        }
        let (x, y) = (axis(options, "xAxis"), axis(options, "yAxis"));
        let is_category = |axis: Option<&Value>| {
            let axis = axis.unwrap_or(&Value::Null);
            axis["type"] == "category" || axis["type"].is_null() && axis["data"].is_array()
        };
        let is_lying = is_category(y) && !is_category(x);
        let (along, across) = if is_lying { (y, x) } else { (x, y) };
        let words = along.and_then(|axis| axis["data"].as_array());
        let categories = words.into_iter().flatten().take(MOST_POINTS).map(word).collect();
        let name = |axis: Option<&Value>| axis.map(|axis| word(&axis["name"])).unwrap_or_default();
        let titled = |field: &str| match &options["title"] {
            Value::Array(all) => all.first().map(|title| word(&title[field])).unwrap_or_default(),
            title => word(&title[field]),
        };
        let is_shown = options.pointer("/legend/show").and_then(Value::as_bool).unwrap_or(true);
        let has_legend = is_shown && series.len() > 1 && series.iter().any(|one| !one.name.is_empty());
        let own = options["color"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut colours: Vec<_> = own.filter_map(colour).collect();
        if colours.is_empty() {
            colours.extend(COLOURS.into_iter().filter_map(colour));
        }
        Ok(Self {
            title: titled("text"),
            subtitle: titled("subtext"),
            series,
            categories,
            is_lying,
            names: [name(along), name(across)],
            has_legend,
            colours,
        })
    }

    /// Returns the colour of the n-th part.
    pub(super) fn colour(&self, number: usize) -> RGBColor {
        self.colours[number % self.colours.len()]
    }
}

impl Series {
    fn read(series: &Value) -> Result<Self, String> {
        let kind = match series["type"].as_str().unwrap_or_default() {
            "line" => Kind::Line,
            "bar" => Kind::Bar,
            "pie" => Kind::Pie,
            other => {
                let other: String = other.chars().filter(char::is_ascii_alphanumeric).take(24).collect();
                return Err(format!("no series of the type {other:?} is drawn"));
            }
        };
        let points =
            series["data"].as_array().into_iter().flatten().take(MOST_POINTS).map(Point::read).collect();
        Ok(Self {
            kind,
            name: word(&series["name"]),
            points,
            stack: series["stack"].as_str().filter(|stack| !stack.is_empty()).map(str::to_owned),
            is_area: series["areaStyle"].is_object(),
            is_ring: series["radius"].is_array(),
        })
    }
}

impl Point {
    fn read(value: &Value) -> Self {
        match value {
            Value::Object(fields) => {
                let inner = fields.get("value").map(Self::read);
                let name = fields.get("name").map(word).filter(|name| !name.is_empty());
                let (value, x) = inner.map_or((None, None), |inner| (inner.value, inner.x));
                Self { value, x, name }
            }
            Value::Array(pair) if pair.len() >= 2 => {
                let name = pair[0].as_str().map(str::to_owned);
                Self { value: number(&pair[1]), x: number(&pair[0]), name }
            }
            other => Self { value: number(other), x: None, name: None },
        }
    }
}

/// Returns a number that a picture can show.
fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let number = number.filter(|number: &f64| number.abs() < 1e100)?;
    Some(if number.abs() < 1e-100 { 0.0 } else { number })
}

fn axis<'o>(options: &'o Value, name: &str) -> Option<&'o Value> {
    match options.get(name) {
        Some(Value::Array(all)) => all.first(),
        other => other,
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Object(fields) => fields.get("value").and_then(Value::as_str).unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

/// Returns a colour by its three or six digits.
fn colour(text: &str) -> Option<RGBColor> {
    let digits = text.strip_prefix('#')?;
    if ![3, 6].contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    let [_, red, green, blue] = number.to_be_bytes();
    Some(match digits.len() {
        6 => RGBColor(red, green, blue),
        _ => RGBColor(green % 16 * 17, blue / 16 * 17, blue % 16 * 17),
    })
}
