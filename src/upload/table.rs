//! Tables that people hand over, as text for a model: bounded in cells and bytes.

use super::printer::{Printer, TableLimits, TableText};
use crate::base::error::Result;

/// Turns a table that a person handed over into text for a model: `csv` and `tsv`, and with the feature `spreadsheets` `xlsx`.
/// `None` for any other extension: a host may have a parser of its own.
///
/// No formula is computed and none is shown: a workbook has the values that were computed last. Texts of cells are data of the
/// table's author, not instructions; a prompt should say so. UTF-8 and UTF-16 are known by their marks, other bytes are read as
/// Western European.
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
/// [`Error::Corrupt`](crate::Error::Corrupt) for a workbook that does not read, and [`Error::TooLarge`](crate::Error::TooLarge) for one that is larger than allowed once it is unpacked.
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
}
