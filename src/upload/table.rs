//! Tables that people hand over, as text for a model: bounded in cells and bytes.

use std::fmt::Write;

use crate::base::debug::debug_as;
use crate::base::error::{Error, Result};
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

/// Turns a table that a person handed over into text for a model: `csv` and `tsv`, and with the feature `spreadsheets` `xlsx`.
/// `None` for any other extension: a host may have a parser of its own.
///
/// No formula is computed and none is shown: a workbook has the values that were computed last. Texts of cells are data of whoever made the
/// table, not instructions; a prompt should say so. UTF-8 and UTF-16 are known by their marks, other bytes are read as Western European.
///
/// ```
/// use noctuary::files::{TableLimits, table_text};
///
/// let table = table_text("csv", b"day;high\nMon;3,2\n\"Tue | Wed\";3,4\n", &TableLimits::default())?;
/// let text = "## Table: 3 rows, 2 columns\n\n| | A | B |\n|---|---|---|\n\
///             | 1 | day | high |\n| 2 | Mon | 3,2 |\n| 3 | Tue \\| Wed | 3,4 |\n";
/// assert_eq!(table.map(|table| table.text).as_deref(), Some(text));
/// assert!(table_text("pdf", b"%PDF", &TableLimits::default())?.is_none());
/// # Ok::<(), noctuary::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Corrupt`] for a workbook that does not read, and [`Error::TooLarge`] for one that is larger than allowed once it is unpacked.
pub fn table_text(extension: &str, bytes: &[u8], limits: &TableLimits) -> Result<Option<TableText>> {
    let mut table = Printer::new(limits);
    match extension.to_ascii_lowercase().as_str() {
        "csv" => separated(&decoded(bytes), None, &mut table),
        "tsv" => separated(&decoded(bytes), Some('\t'), &mut table),
        #[cfg(feature = "spreadsheets")]
        "xlsx" | "xlsm" => super::workbook::read(bytes, limits, &mut table)?,
        _ => return Ok(None),
    }
    Ok(Some(table.finish()))
}

/// Prints sheets within the limits.
pub(super) struct Printer<'a> {
    limits: &'a TableLimits,
    text: String,
    cells: usize,
    is_whole: bool,
    sheet: Vec<(usize, Vec<(usize, String)>)>,
}

impl<'a> Printer<'a> {
    fn new(limits: &'a TableLimits) -> Self {
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
        used.dedup();
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

    fn finish(mut self) -> TableText {
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

/// Reads a table of cells that a sign separates. Every text is one.
fn separated(text: &str, separator: Option<char>, table: &mut Printer<'_>) {
    let separator = separator.unwrap_or_else(|| separator_of(text));
    let (mut row, mut column) = (0, 0);
    let mut cell = String::new();
    let (mut is_quoted, mut is_open) = (false, true);
    let mut chars = text.chars().peekable();
    // No cell is kept longer than what is printed of it.
    let most = table.limits.cell_bytes + 8;
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if cell.is_empty() => is_quoted = true,
            c if c == separator && !is_quoted => {
                if !table.cell(row, column, &std::mem::take(&mut cell)) {
                    is_open = false;
                    break;
                }
                column += 1;
            }
            '\r' if !is_quoted && chars.peek() == Some(&'\n') => {}
            '\n' | '\r' if !is_quoted => {
                if (!cell.is_empty() || column > 0) && !table.cell(row, column, &std::mem::take(&mut cell)) {
                    is_open = false;
                    break;
                }
                (row, column) = (row + 1, 0);
            }
            other if cell.len() < most => cell.push(other),
            _ => {}
        }
    }
    if is_open && (!cell.is_empty() || column > 0) {
        table.cell(row, column, &cell);
    }
    table.end_sheet("Table");
}

/// The sign that separates cells: the one that is most often in the first line, outside of quotes.
fn separator_of(text: &str) -> char {
    let mut is_quoted = false;
    let mut counts = [(',', 0), (';', 0), ('\t', 0)];
    for c in text.chars().take(64 << 10) {
        match c {
            '"' => is_quoted = !is_quoted,
            '\n' | '\r' if !is_quoted => break,
            c if !is_quoted => {
                for (sign, count) in &mut counts {
                    *count += usize::from(*sign == c);
                }
            }
            _ => {}
        }
    }
    // Of two that are as often the first.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(',', |(sign, _)| *sign)
}

/// Reads bytes as text, whatever they are.
fn decoded(bytes: &[u8]) -> String {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect()
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        bytes => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            // The last character of a part may be cut.
            Err(error) if error.error_len().is_none() => {
                String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned()
            }
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
    }
}

/// A table that does not read.
#[cfg_attr(not(feature = "spreadsheets"), expect(dead_code, reason = "text is always a table"))]
pub(super) fn unreadable(what: &'static str) -> Error {
    Error::Corrupt { name: "the workbook".to_owned(), line: 0, column: 0, what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(extension: &str, bytes: &[u8], limits: TableLimits) -> TableText {
        table_text(extension, bytes, &limits).unwrap().unwrap()
    }

    fn rows(text: &TableText) -> Vec<&str> {
        text.text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| |")).collect()
    }

    #[test]
    fn quotes_line_ends_separators_and_encodings_are_read() {
        let all = TableLimits::default();
        for (extension, bytes) in [
            ("csv", b"a,b\r\n\"x,1\",\"say \"\"hi\"\"\"".to_vec()),
            ("CSV", b"\xef\xbb\xbfa;b\rx,1;\"say \"\"hi\"\"\"\r".to_vec()),
            ("tsv", b"a\tb\nx,1\tsay \"hi\"\n".to_vec()),
            ("csv", "\u{feff}a\tb\nx,1\tsay \"hi\"\n".encode_utf16().flat_map(u16::to_le_bytes).collect()),
            ("csv", "\u{feff}a\tb\nx,1\tsay \"hi\"\n".encode_utf16().flat_map(u16::to_be_bytes).collect()),
        ] {
            let table = text(extension, &bytes, all);
            assert_eq!(rows(&table), ["| 1 | a | b |", "| 2 | x,1 | say \"hi\" |"], "{}", table.text);
            assert!(table.is_whole && table.cells == 4);
        }
        let latin = text("csv", b"caf\xe9\n", all);
        assert_eq!(rows(&latin), ["| 1 | café |"]);
        assert_eq!(text("csv", b"", all).text, "## Table: 0 rows, 0 columns\n\n");
    }

    #[test]
    fn a_cell_ends_no_row_and_hides_nothing() {
        let table = text("csv", "\"a|b\nc\\\",x\u{202e}y\u{0}\n".as_bytes(), TableLimits::default());
        assert_eq!(rows(&table), ["| 1 | a\\|b<br>c\\\\ | xy |"]);
    }

    #[test]
    fn cells_bytes_and_long_cells_are_cut_and_said_so() {
        let mut limits = TableLimits { cells: 6, ..TableLimits::default() };
        let many = "1,2\n".repeat(1_000);
        let table = text("csv", many.as_bytes(), limits);
        assert_eq!((rows(&table).len(), table.cells, table.is_whole), (3, 6, false));
        assert!(table.text.ends_with("(The rest is left out.)\n"));
        limits = TableLimits { bytes: 200, ..TableLimits::default() };
        let table = text("csv", many.as_bytes(), limits);
        assert!(table.text.len() < 260 && !table.is_whole && rows(&table).len() > 5, "{}", table.text.len());
        limits = TableLimits { cell_bytes: 5, ..TableLimits::default() };
        let table = text("csv", "ééééé,x\n".as_bytes(), limits);
        assert_eq!((rows(&table), table.is_whole), (vec!["| 1 | éé… | x |"], false));
        // A quote that nobody closes, and a line without end.
        let table = text("csv", ["\"".to_owned(), "x,\n".repeat(1 << 20)].concat().as_bytes(), limits);
        assert_eq!((table.cells, table.is_whole), (1, false));
    }

    #[test]
    fn columns_have_their_letters() {
        let named: Vec<String> = [0, 25, 26, 701, 702, 16_383].into_iter().map(letters).collect();
        assert_eq!(named, ["A", "Z", "AA", "ZZ", "AAA", "XFD"]);
    }
}
