//! Tables as CSV: read as they come, and written so that no spreadsheet runs a cell.

/// Reads a table: commas, quoted cells, any line ends. Every text is one.
pub(super) fn parse(text: &str) -> Vec<Vec<String>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows = Vec::new();
    let (mut row, mut cell) = (Vec::new(), String::new());
    let (mut is_quoted, mut is_begun) = (false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if cell.is_empty() => (is_quoted, is_begun) = (true, true),
            ',' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                is_begun = true;
            }
            '\r' if !is_quoted && chars.peek() == Some(&'\n') => {}
            '\n' | '\r' if !is_quoted => {
                if is_begun || !cell.is_empty() {
                    row.push(std::mem::take(&mut cell));
                    rows.push(std::mem::take(&mut row));
                }
                is_begun = false;
            }
            other => {
                cell.push(other);
                is_begun = true;
            }
        }
    }
    if is_begun || !cell.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

/// Writes a table. A cell that a spreadsheet would take for a formula gets an apostrophe in front, as spreadsheets mark
/// text. Numbers stay numbers.
pub(super) fn print(rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for row in rows {
        for (number, cell) in row.iter().enumerate() {
            if number > 0 {
                text.push(',');
            }
            let cell = inert(cell);
            if cell.contains(['"', ',', '\n', '\r', ';', '\t'])
                || cell.trim() != cell
                || cell.is_empty() && row.len() == 1
            {
                text.push('"');
                text.push_str(&cell.replace('"', "\"\""));
                text.push('"');
            } else {
                text.push_str(&cell);
            }
        }
        text.push('\n');
    }
    text
}

/// Returns a cell that no spreadsheet runs.
fn inert(cell: &str) -> String {
    // Some programs skip what does not print before they look for a formula.
    let first =
        cell.chars().find(|c| !c.is_whitespace() && !c.is_control() && !crate::base::text::is_invisible(*c));
    let opens = matches!(first, Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠' | '|' | '%'))
        || cell.starts_with(['\t', '\r', '\n']);
    if opens && !is_number(cell) { format!("'{cell}") } else { cell.to_owned() }
}

fn is_number(cell: &str) -> bool {
    let rest = cell.trim().trim_end_matches('%');
    let is_plain =
        rest.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | ',' | 'e' | 'E' | ' '));
    is_plain && rest.replace([',', ' '], "").parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formulas_become_text_and_numbers_stay() {
        for cell in [
            "=1+1",
            "+cmd|' /C calc'!A0",
            "-2+3",
            "@SUM(A1)",
            "\t=1",
            " =1",
            "\u{200b}=1",
            "＝1",
            "=HYPERLINK(\"http://a\")",
            "%0A",
        ] {
            let printed = print(&[vec![cell.to_owned(), "x".to_owned()]]);
            assert_eq!(parse(&printed)[0][0], format!("'{cell}"), "{cell:?}");
        }
        for cell in ["-5", "+3.5", "-1,200.50", "-2.5%", "1e-3", "a=b", "", "naïve"] {
            assert_eq!(parse(&print(&[vec![cell.to_owned(), "x".to_owned()]]))[0][0], cell);
        }
    }

    #[test]
    fn rows_are_read_with_quotes_and_any_line_end() {
        let rows = parse("\u{feff}a,\"b,\"\"c\"\"\"\r\n1,\"two\nlines\"\n\nlast,\r");
        let expected = [vec!["a", "b,\"c\""], vec!["1", "two\nlines"], vec!["last", ""]];
        assert_eq!(rows, expected.map(|row| row.into_iter().map(str::to_owned).collect::<Vec<_>>()));
    }

    proptest! {
        #[test]
        fn a_printed_table_reads_back_and_is_printed_alike(
            rows in prop::collection::vec(prop::collection::vec("[a-z=+@,\"\n\r\t '-]{0,6}", 1..4), 0..4)
        ) {
            let printed = print(&rows);
            let once = parse(&printed);
            prop_assert_eq!(once.len(), rows.len());
            for (row, read) in rows.iter().zip(&once) {
                prop_assert_eq!(&row.iter().map(|cell| inert(cell)).collect::<Vec<_>>(), read);
            }
            prop_assert_eq!(print(&once), printed);
        }
    }
}
