//! Workbooks as text: values, not formulas, and no more than a bounded part of them.

use noctuary::files::{TableLimits, table_text};

mod workbooks {
    use std::io::Write;

    use flate2::write::DeflateEncoder;
    use flate2::{Compression, Crc};
    use noctuary::Error;

    use super::*;

    /// An archive of compressed parts, each of which may say another length than it has.
    fn archive(parts: &[(&str, &str)], claimed: Option<u32>) -> Vec<u8> {
        let (mut bytes, mut central) = (Vec::new(), Vec::new());
        let len = |len: usize| u32::try_from(len).unwrap().to_le_bytes();
        for (name, text) in parts {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(text.as_bytes()).unwrap();
            let packed = encoder.finish().unwrap();
            let mut crc = Crc::new();
            crc.update(text.as_bytes());
            let mut fields = vec![20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0x5a];
            fields.extend(crc.sum().to_le_bytes());
            fields.extend(len(packed.len()));
            fields.extend(claimed.map_or_else(|| len(text.len()), u32::to_le_bytes));
            fields.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
            fields.extend([0, 0]);
            central.extend(b"PK\x01\x02\x14\x00");
            central.extend(&fields);
            central.extend([0; 10]);
            central.extend(len(bytes.len()));
            central.extend(name.as_bytes());
            bytes.extend(b"PK\x03\x04");
            bytes.extend(&fields);
            bytes.extend(name.as_bytes());
            bytes.extend(packed);
        }
        let count = u16::try_from(parts.len()).unwrap().to_le_bytes();
        let (from, size) = (len(bytes.len()), len(central.len()));
        bytes.extend(central);
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        for field in [&count[..], &count, &size, &from, &[0, 0]] {
            bytes.extend(field);
        }
        bytes
    }

    fn workbook(sheet: &str, claimed: Option<u32>) -> Vec<u8> {
        const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
        const LINKS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
        let book = format!(
            "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{LINKS}\"><sheets>\
             <sheet name=\"Tides | 1\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
        );
        let links = format!(
            "<Relationships xmlns=\"{PACKAGE}\"><Relationship Id=\"rId1\" Type=\"{LINKS}/worksheet\" \
             Target=\"worksheets/sheet1.xml\"/></Relationships>"
        );
        let styles = format!(
            "<styleSheet xmlns=\"{MAIN}\"><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>"
        );
        let sheet = format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{sheet}</sheetData></worksheet>");
        let package = format!(
            "<Relationships xmlns=\"{PACKAGE}\"><Relationship Id=\"rId1\" Type=\"{LINKS}/officeDocument\" \
             Target=\"xl/workbook.xml\"/></Relationships>"
        );
        let parts = [
            ("_rels/.rels", &*package),
            ("xl/workbook.xml", &book),
            ("xl/_rels/workbook.xml.rels", &links),
            ("xl/styles.xml", &styles),
            ("xl/worksheets/sheet1.xml", &sheet),
        ];
        archive(&parts, claimed)
    }

    fn text(at: &str, text: &str) -> String {
        format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
    }

    // AF-16
    #[test]
    fn cells_are_values_and_dates_and_no_formulas() {
        let rows = format!(
            "<row r=\"1\">{}{}</row><row r=\"2\"><c r=\"A2\" s=\"1\"><v>46347</v></c>\
             <c r=\"B2\"><f>1+1</f><v>2</v></c><c r=\"D2\" t=\"b\"><v>1</v></c></row>",
            text("A1", "day"),
            text("B1", "=HYPERLINK(x)|y")
        );
        let table = table_text("XLSX", &workbook(&rows, None), &TableLimits::default()).unwrap().unwrap();
        let told = "## Tides \\| 1: 2 rows, 4 columns\n\n| | A | B | D |\n|---|---|---|---|\n\
                    | 1 | day | =HYPERLINK(x)\\|y | |\n| 2 | 2026-11-21 | 2 | TRUE |\n";
        assert_eq!((table.text.as_str(), table.cells, table.is_whole), (told, 5, true));
    }

    // A sheet of two cells at its ends has 17 thousand million of them, where somebody makes a rectangle of it.
    #[test]
    #[ignore = "sweep"]
    fn a_sparse_sheet_a_long_one_and_an_unpacked_giant_are_bounded() {
        let limits = TableLimits::default();
        let (near, far) = (text("A1", "near"), text("XFD1048576", "far"));
        let far = format!("<row r=\"1\">{near}</row><row r=\"1048576\">{far}</row>");
        let table = table_text("xlsx", &workbook(&far, None), &limits).unwrap().unwrap();
        assert!(table.text.contains("| 1048576 | | far |") && table.text.len() < 300, "{}", table.text);
        let row = |row: u32| format!("<row r=\"{row}\"><c r=\"A{row}\"><v>1</v></c></row>");
        let long: String = (1..40_000).map(row).collect();
        let table = table_text("xlsx", &workbook(&long, None), &limits).unwrap().unwrap();
        assert!(table.cells <= 20_000 && !table.is_whole);
        let giant = text("A1", &" ".repeat(70 << 20));
        for claimed in [None, Some(10)] {
            let bytes = workbook(&format!("<row r=\"1\">{giant}</row>"), claimed);
            assert!(bytes.len() < 200_000);
            let read = table_text("xlsx", &bytes, &limits);
            assert!(read.is_err(), "{claimed:?}");
            assert!(claimed.is_some() || matches!(read, Err(Error::TooLarge { .. })), "{read:?}");
        }
    }

    // Room was made for as many strings as a file claims to have, and a process without that much memory ends there.
    #[test]
    fn a_claim_of_strings_that_are_not_there_is_refused() {
        let strings = |count: &str| format!("<sst uniqueCount = '{count}'><si><t>x</t></si></sst>");
        let wide = strings("1")
            .encode_utf16()
            .map(|unit| char::from_u32(unit.into()).unwrap())
            .fold(String::new(), |text, c| text + &c.to_string() + "\0");
        for bad in [&*strings("999999999999"), &*strings("99999999999999999999999"), &wide] {
            let parts = archive(&[("xl/SharedStrings.xml", bad)], None);
            let read = table_text("xlsx", &parts, &TableLimits::default());
            let Err(Error::Corrupt { what, .. }) = read else { panic!("{read:?}") };
            assert_eq!(what, "its strings claim more than there is");
        }
        let fair = archive(&[("xl/sharedStrings.xml", &*strings("2"))], None);
        let Err(Error::Corrupt { what, .. }) = table_text("xlsx", &fair, &TableLimits::default()) else {
            panic!("it has no sheets")
        };
        assert_eq!(what, "it is no such workbook");
    }

    #[test]
    fn what_is_no_workbook_is_an_error_and_ends_nobody() {
        let good = workbook(&format!("<row r=\"1\">{}</row>", text("A1", "x")), None);
        let limits = TableLimits::default();
        for bytes in [&b""[..], b"PK\x03\x04", b"a,b\n", &good[..good.len() / 2]] {
            for kind in ["xlsx", "xlsm"] {
                assert!(matches!(table_text(kind, bytes, &limits), Err(Error::Corrupt { .. })), "{kind}");
            }
        }
        // Any byte changed: an answer, whichever it is.
        for at in (0..good.len()).step_by(3) {
            let mut bytes = good.clone();
            bytes[at] ^= 0x55;
            let _ = table_text("xlsx", &bytes, &limits);
        }
    }
}
