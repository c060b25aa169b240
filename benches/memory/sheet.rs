//! The measured figures, at one size or at several.

use crate::table::{aligned, digits, thousands};

/// One line: a verb and its cost.
pub(crate) struct Line {
    pub(crate) verb: String,
    /// In microseconds, or in megabytes.
    pub(crate) cost: f64,
    pub(crate) unit: Unit,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Microseconds, printed as rows a second.
    Rows,
    /// Microseconds, printed as milliseconds.
    Time,
    Megabytes,
}

impl Line {
    pub(crate) fn rows(verb: impl Into<String>, rows_a_second: f64) -> Self {
        Self { verb: verb.into(), cost: 1e6 / rows_a_second, unit: Unit::Rows }
    }

    pub(crate) fn time(verb: impl Into<String>, microseconds: f64) -> Self {
        Self { verb: verb.into(), cost: microseconds, unit: Unit::Time }
    }

    fn print(&self) -> String {
        match self.unit {
            Unit::Rows => format!("{}/s", thousands(1e6 / self.cost)),
            Unit::Time => format!("{} ms", digits(self.cost / 1e3)),
            Unit::Megabytes => format!("{} MB", digits(self.cost)),
        }
    }
}

/// The lines of one store at one size.
pub(crate) struct Sheet {
    pub(crate) store: &'static str,
    pub(crate) rows: u32,
    pub(crate) lines: Vec<Line>,
}

/// Prints a table: for each store a column for each size, and between two of them the growth of the cost.
pub(crate) fn print(sheets: &[Sheet]) {
    let grows = |at: usize| at > 0 && sheets[at - 1].store == sheets[at].store;
    let mut heads = vec![String::new()];
    for (at, sheet) in sheets.iter().enumerate() {
        heads.push(format!("{}, {}", sheet.store, thousands(f64::from(sheet.rows))));
        heads.extend(grows(at).then(|| "growth".to_owned()));
    }
    let mut table = vec![heads];
    for (number, line) in sheets[0].lines.iter().enumerate() {
        let mut cells = vec![line.verb.clone()];
        for (at, sheet) in sheets.iter().enumerate() {
            assert_eq!(sheet.lines[number].verb, line.verb, "every sheet has the same lines");
            cells.push(sheet.lines[number].print());
            cells.extend(grows(at).then(|| growth(&sheets[at - 1], sheet, number)));
        }
        table.push(cells);
    }
    println!("\n{}", aligned(&table));
}

/// The cost at one size over that at the size before it.
fn growth(before: &Sheet, after: &Sheet, line: usize) -> String {
    let ratio = after.lines[line].cost / before.lines[line].cost.max(f64::MIN_POSITIVE);
    format!("× {}", digits(ratio))
}
