//! The printer of tables: sheets as text within limits.

use std::fmt::Write;

use crate::base::debug::debug_as;
use crate::base::order;
use crate::base::text::floor_boundary;

/// How much of a table becomes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableLimits {
    /// The most cells, of all sheets. 20,000.
    pub cells: usize,
    /// The most bytes of text. 256 KiB.
    pub bytes: usize,
    /// The most bytes of a cell. 1,000.
    pub cell_bytes: usize,
    /// The most bytes that a workbook may have once it is unpacked. 64 MiB.
    pub unpacked_bytes: u64,
}

impl Default for TableLimits {
    fn default() -> Self {
        Self { cells: 20_000, bytes: 256 << 10, cell_bytes: 1_000, unpacked_bytes: 64 << 20 }
    }
}

/// A table as text.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableText {
    /// The sheets, each with a heading, and its rows with their numbers.
    pub text: String,
    /// The number of cells in the text.
    pub cells: usize,
    /// Whether all of it is there.
    pub is_whole: bool,
}

debug_as!(TableText, |it| "TableText {{ bytes: {}, cells: {} }}", it.text.len(), it.cells);

/// Prints sheets within the limits.
pub(super) struct Printer<'a> {
    pub(super) limits: &'a TableLimits,
    text: String,
    cells: usize,
    is_whole: bool,
    sheet: Vec<(usize, Vec<(usize, String)>)>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(limits: &'a TableLimits) -> Self {
        Self { limits, text: String::new(), cells: 0, is_whole: true, sheet: Vec::new() }
    }

    /// Takes a cell, in the order of rows and columns, both from 0. `false` where no more is taken.
    pub(super) fn cell(&mut self, row: usize, column: usize, text: &str) -> bool {
        if self.cells >= self.limits.cells || self.text.len() >= self.limits.bytes {
            self.is_whole = false;
            return false;
        }
        if self.sheet.last().is_none_or(|(last, _)| *last != row) {
            self.sheet.push((row, Vec::new()));
        }
        let end = floor_boundary(text, self.limits.cell_bytes.min(text.len()));
        self.is_whole &= end == text.len();
        let cut = if end < text.len() { "…" } else { "" };
        if let Some((_, cells)) = self.sheet.last_mut() {
            cells.push((column, format!("{}{cut}", &text[..end])));
            self.cells += 1;
        }
        true
    }

    /// Ends a sheet. `false` where there is no room for another.
    pub(super) fn end_sheet(&mut self, name: &str) -> bool {
        let mut sheet = std::mem::take(&mut self.sheet);
        // A workbook has them in any order.
        sheet.sort_by_key(|(row, _)| *row);
        for (_, cells) in &mut sheet {
            cells.sort_by_key(|(column, _)| *column);
        }
        let columns = sheet.iter().flat_map(|(_, cells)| cells.iter().map(|(column, _)| *column + 1)).max();
        let (rows, columns) = (sheet.len(), columns.unwrap_or(0));
        // A cell far to the right does not make thousands of empty ones: columns without any are left out.
        let mut used: Vec<usize> =
            sheet.iter().flat_map(|(_, cells)| cells.iter().map(|(column, _)| *column)).collect();
        used.sort_unstable();
        order::dedup(&mut used);
        self.is_whole &= used.len() <= WIDEST;
        used.truncate(WIDEST);
        let name = plain(name);
        let mut text = format!("## {name}: {rows} rows, {columns} columns\n\n");
        if !used.is_empty() {
            text += "| |";
            for column in &used {
                let _ = write!(text, " {} |", letters(*column));
            }
            text += "\n|---|";
            text.extend(used.iter().map(|_| "---|"));
            text.push('\n');
        }
        for (row, cells) in sheet {
            let mut line = format!("| {} |", row + 1);
            let mut cells = cells.into_iter().peekable();
            for column in &used {
                match cells.next_if(|(at, _)| at == column) {
                    Some((_, cell)) => {
                        let _ = write!(line, " {} |", plain(&cell));
                    }
                    None => line += " |",
                }
            }
            line.push('\n');
            if self.text.len() + text.len() + line.len() > self.limits.bytes {
                self.is_whole = false;
                break;
            }
            text += &line;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text += &text;
        self.is_whole
    }

    pub(super) fn finish(mut self) -> TableText {
        if !self.is_whole {
            self.text += "\n(The rest is left out.)\n";
        }
        TableText { text: self.text, cells: self.cells, is_whole: self.is_whole }
    }
}

/// The most columns of a sheet that are shown.
const WIDEST: usize = 256;

/// The letters of a column, as spreadsheets have them.
fn letters(column: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or(0)));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

/// A cell in one line that ends no cell of the table, and has nothing that does not print.
fn plain(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    for c in cell.trim().chars() {
        match c {
            '|' | '\\' => text.extend(['\\', c]),
            '\n' => text += "<br>",
            '\t' => text.push(' '),
            c if c.is_control() || crate::base::text::is_invisible(c) => {}
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_their_letters() {
        let named: Vec<String> = [0, 25, 26, 701, 702, 16_383].into_iter().map(letters).collect();
        assert_eq!(named, ["A", "Z", "AA", "ZZ", "AAA", "XFD"]);
    }
}
