//! Workbooks, by `calamine`: their cells come one by one, so that no size that a file claims is believed.

use std::io::{self, Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::{DataRef, Reader, Xlsx};
use zip::ZipArchive;

use super::printer::{Printer, TableLimits};
use super::record::new_name;
use crate::base::error::{Error, Result};

/// Reads all sheets of a workbook.
pub(super) fn read(bytes: &[u8], limits: &TableLimits, table: &mut Printer<'_>) -> Result<()> {
    unpack(bytes, limits.unpacked_bytes)?;
    // A workbook that a stranger made must not end its reader.
    let sheets = catch_unwind(AssertUnwindSafe(|| open(bytes, table))).unwrap_or(None);
    sheets.ok_or_else(|| unreadable("it is no such workbook"))
}

/// Refuses what is larger than allowed once it is unpacked. Each part is unpacked, whatever length it says.
fn unpack(bytes: &[u8], limit: u64) -> Result<()> {
    let broken = |_| unreadable("it is no archive");
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    let mut left = limit;
    for at in 0..archive.len() {
        let part = archive.by_index(at).map_err(broken)?;
        let name = part.name().map_err(broken)?.to_ascii_lowercase();
        let has_strings = name.ends_with("sharedstrings.xml");
        let mut part = part.take(left + 1);
        let torn = |_| unreadable("a part of it does not unpack");
        let read = if has_strings {
            let mut strings = Vec::new();
            part.read_to_end(&mut strings).map_err(torn)?;
            check_strings(&strings)?;
            strings.len() as u64
        } else {
            io::copy(&mut part, &mut io::sink()).map_err(torn)?
        };
        if read > left {
            return Err(Error::TooLarge { name: new_name(), len: limit + 1, limit });
        }
        left -= read;
    }
    Ok(())
}

/// More strings than any workbook within the limits has.
const MOST_STRINGS: u64 = 8 << 20;

/// Refuses strings that claim a number for which no memory is: room for it is made at once.
fn check_strings(bytes: &[u8]) -> Result<()> {
    const CLAIM: &[u8] = b"uniqueCount";
    let is_wide = bytes.contains(&0);
    let mut claims = memchr::memmem::find_iter(bytes, CLAIM).map(|at| {
        let rest = bytes[at + CLAIM.len()..].iter().skip_while(|byte| !byte.is_ascii_digit());
        let digits: String =
            rest.take_while(|byte| byte.is_ascii_digit()).map(|byte| char::from(*byte)).collect();
        digits.parse::<u64>().unwrap_or(if digits.is_empty() { 0 } else { u64::MAX })
    });
    if is_wide || claims.any(|claimed| claimed > MOST_STRINGS) {
        return Err(unreadable("its strings claim more than there is"));
    }
    Ok(())
}

/// A workbook of XML; `None` where it does not read.
fn open(bytes: &[u8], table: &mut Printer<'_>) -> Option<()> {
    let mut book = Xlsx::new(Cursor::new(bytes)).ok()?;
    for name in book.sheet_names() {
        // A sheet of charts has no cells.
        if let Ok(mut cells) = book.worksheet_cells_reader(&name) {
            while let Some(cell) = cells.next_cell().ok()? {
                if !take(table, cell.get_position(), cell.get_value()) {
                    break;
                }
            }
        }
        if !table.end_sheet(&name) {
            break;
        }
    }
    Some(())
}

fn take(table: &mut Printer<'_>, (row, column): (u32, u32), value: &DataRef<'_>) -> bool {
    let text = match value {
        DataRef::Empty => return true,
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::DateTime(time) => date(time),
        DataRef::Bool(is_so) => if *is_so { "TRUE" } else { "FALSE" }.to_owned(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::Error(error) => error.to_string(),
    };
    table.cell(row as usize, column as usize, &text)
}

/// A time as a person would write it, and not as a number of days.
fn date(time: &calamine::ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    match (time.as_f64(), hour, minute, second) {
        (days, ..) if days < 1.0 => format!("{hour:02}:{minute:02}:{second:02}"),
        (_, 0, 0, 0) => format!("{year:04}-{month:02}-{day:02}"),
        _ => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
    }
}

/// A table that does not read.
#[cfg_attr(not(feature = "spreadsheets"), expect(dead_code, reason = "text is always a table"))]
fn unreadable(what: &'static str) -> Error {
    Error::Corrupt { name: "the workbook".to_owned(), line: 0, column: 0, what }
}
