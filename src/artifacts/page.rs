//! A plain page on an artifact: no script, nothing fetched, every text escaped.

use std::fmt::Write as _;

use data_encoding::BASE64;
use serde_json::Value;

use super::artifact::Artifact;
use super::csv;
use super::data::ArtifactData;
use super::markdown::{escape, render};
use super::renderer::ChartPicture;

/// More rows than these are in the file beside the page.
const MOST_ROWS: usize = 500;

const STYLE: &str = concat!(
    include_str!("../report/style.css"),
    "table { display: block; overflow-x: auto } tr:first-child td { font-weight: 600 }\n"
);

/// Makes the page of an artifact with its data. Each chart may have a picture.
pub(super) fn page(artifact: &Artifact, data: &ArtifactData, pictures: &[Option<ChartPicture>]) -> String {
    let title = title(artifact, data);
    let mut body = String::new();
    match data {
        ArtifactData::Chart { charts } => {
            for (number, chart) in charts.iter().enumerate() {
                let picture = pictures.get(number).and_then(Option::as_ref);
                self::chart(&mut body, number + 1, chart, picture);
            }
        }
        ArtifactData::Spreadsheet { csv, description, .. } => {
            if let Some(description) = description {
                let _ = writeln!(body, "<p>{}</p>", escape(description));
            }
            let rows = csv::parse(csv);
            table(&mut body, rows.iter().take(MOST_ROWS).map(Vec::as_slice));
            if rows.len() > MOST_ROWS {
                let _ = writeln!(
                    body,
                    "<p>{} of {} rows; all of them are in data.csv.</p>",
                    MOST_ROWS,
                    rows.len()
                );
            }
        }
        ArtifactData::Report { text, is_html: false } => body.push_str(&render(text)),
        ArtifactData::Report { text, is_html: true } => {
            let _ = writeln!(body, "<p>This report is HTML. Its source:</p>\n<pre>{}</pre>", escape(text));
        }
    }
    let made = artifact.updated_at.format("%Y-%m-%d %H:%M UTC");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
         form-action 'none'; base-uri 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}\
         <footer>{} · {made}</footer>\n</body>\n</html>\n",
        artifact.uri(),
    )
}

/// Returns the title of a page, escaped.
fn title(artifact: &Artifact, data: &ArtifactData) -> String {
    let of_data = match data {
        ArtifactData::Spreadsheet { title: Some(title), .. } => title.as_str(),
        _ => "",
    };
    let titles = [artifact.title.as_str(), of_data];
    let title = titles.into_iter().find(|title| !title.trim().is_empty());
    title.map_or_else(|| artifact.uri().to_string(), escape)
}

fn chart(body: &mut String, number: usize, options: &Value, picture: Option<&ChartPicture>) {
    let title =
        options.pointer("/title/text").or_else(|| options.pointer("/title/0/text")).and_then(Value::as_str);
    if let Some(title) = title {
        let _ = writeln!(body, "<h2>{}</h2>", escape(title));
    }
    if let Some(picture) = picture {
        let (kind, bytes) = (picture.media_type(), BASE64.encode(picture.bytes()));
        let _ = writeln!(body, "<p><img alt=\"Chart {number}\" src=\"data:{kind};base64,{bytes}\"></p>");
    }
    let rows = numbers(options);
    table(body, rows.iter().take(MOST_ROWS).map(Vec::as_slice));
    let printed = serde_json::to_string_pretty(options).unwrap_or_default();
    let _ = writeln!(body, "<details><summary>Options</summary><pre>{}</pre></details>", escape(&printed));
}

/// Returns the numbers of a chart as a table: categories down, series across. None where it has no series of plain data.
fn numbers(options: &Value) -> Vec<Vec<String>> {
    let series: Vec<&Value> = match options.get("series") {
        Some(Value::Array(series)) => series.iter().collect(),
        Some(one @ Value::Object(_)) => vec![one],
        _ => return Vec::new(),
    };
    let axis = ["/xAxis/data", "/xAxis/0/data", "/yAxis/data", "/yAxis/0/data"];
    let categories = axis.into_iter().find_map(|path| options.pointer(path)?.as_array());
    let columns: Vec<&[Value]> = series
        .iter()
        .map(|one| one.get("data").and_then(Value::as_array).map_or(&[][..], Vec::as_slice))
        .collect();
    let rows = columns.iter().map(|column| column.len()).max().unwrap_or(0);
    if rows == 0 {
        return Vec::new();
    }
    let named = |number: usize, one: &Value| {
        one.get("name")
            .and_then(Value::as_str)
            .map_or_else(|| format!("Series {}", number + 1), str::to_owned)
    };
    let mut table = vec![
        std::iter::once(String::new())
            .chain(series.iter().enumerate().map(|(at, one)| named(at, one)))
            .collect::<Vec<_>>(),
    ];
    for row in 0..rows {
        let category = categories.and_then(|all| all.get(row)).map(word);
        let own = columns.iter().find_map(|column| column.get(row)?.get("name")).map(word);
        let mut cells = vec![category.or(own).unwrap_or_else(|| (row + 1).to_string())];
        cells.extend(columns.iter().map(|column| column.get(row).map(word).unwrap_or_default()));
        table.push(cells);
    }
    table
}

/// Returns a value as the text of a cell; of a point with a name, its value.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Object(fields) => fields.get("value").map(word).unwrap_or_default(),
        other => other.to_string(),
    }
}

fn table<'r>(body: &mut String, rows: impl Iterator<Item = &'r [String]>) {
    let mut is_begun = false;
    for row in rows {
        body.push_str(if is_begun { "<tr>" } else { "<table>\n<tr>" });
        is_begun = true;
        for cell in row {
            let _ = write!(body, "<td>{}</td>", escape(cell));
        }
        body.push_str("</tr>\n");
    }
    if is_begun {
        body.push_str("</table>\n");
    }
}
