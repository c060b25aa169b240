//! Tables in markdown, and the numbers in them.

/// Prints a table in markdown, the first line as its head: the first column to the left, the others to the right.
pub(crate) fn aligned(table: &[Vec<String>]) -> String {
    let width = |column: usize| table.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table[0].len()).map(width).collect();
    let mut text = String::new();
    for (number, cells) in table.iter().enumerate() {
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            text += &if column == 0 { format!("| {cell:<width$} |") } else { format!(" {cell:>width$} |") };
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
pub(crate) fn digits(number: f64) -> String {
    match number {
        number if number >= 100.0 => format!("{number:.0}"),
        number if number >= 10.0 => format!("{number:.1}"),
        number if number >= 1.0 => format!("{number:.2}"),
        number => format!("{number:.3}"),
    }
}

/// A whole number, its digits in groups of three.
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
