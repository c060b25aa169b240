//! The table of what was measured, at one size or at several.

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
            Unit::Rows => format!("{} rows/s", thousands(1e6 / self.cost)),
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

/// Prints a table for each store: a column for each size, and between two of them the growth of the cost.
pub(crate) fn print(sheets: &[Sheet]) {
    let mut stores: Vec<&str> = sheets.iter().map(|sheet| sheet.store).collect();
    stores.dedup();
    for store in stores {
        let of: Vec<&Sheet> = sheets.iter().filter(|sheet| sheet.store == store).collect();
        let mut heads = vec![store.to_owned()];
        for (at, sheet) in of.iter().enumerate() {
            heads.push(format!("{} rows", thousands(f64::from(sheet.rows))));
            heads.extend((at > 0).then(|| "growth".to_owned()));
        }
        let mut table = vec![heads];
        for (number, line) in of[0].lines.iter().enumerate() {
            let mut cells = vec![line.verb.clone()];
            for (at, sheet) in of.iter().enumerate() {
                cells.push(sheet.lines[number].print());
                cells.extend((at > 0).then(|| growth(of[at - 1], sheet, number)));
            }
            table.push(cells);
        }
        println!("\n{}", aligned(&table));
    }
}

/// The cost at one size over that at a tenth of it; for other sizes as if they were in this relation.
fn growth(before: &Sheet, after: &Sheet, line: usize) -> String {
    let ratio = after.lines[line].cost / before.lines[line].cost.max(f64::MIN_POSITIVE);
    format!("× {}", digits(ratio))
}

/// Prints a table in markdown: the first column to the left, the others to the right.
fn aligned(table: &[Vec<String>]) -> String {
    let width = |column: usize| table.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table[0].len()).map(width).collect();
    let mut text = String::new();
    for (number, cells) in table.iter().enumerate() {
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            text +=
                &if column == 0 { format!("| {cell:<width$} |") } else { format!(" {cell:>width$} |") };
        }
        text.push('\n');
        if number == 0 {
            for (column, width) in widths.iter().enumerate() {
                let dashes = "-".repeat(*width);
                text += &if column == 0 { format!("| {dashes} |") } else { format!(" {}: |", &dashes[1..]) };
            }
            text.push('\n');
        }
    }
    text
}

/// Three digits that count, or all before the point.
fn digits(number: f64) -> String {
    match number {
        number if number >= 100.0 => format!("{number:.0}"),
        number if number >= 10.0 => format!("{number:.1}"),
        number if number >= 1.0 => format!("{number:.2}"),
        number => format!("{number:.3}"),
    }
}

pub(crate) fn thousands(number: f64) -> String {
    let plain = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in plain.chars().enumerate() {
        if at > 0 && (plain.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
