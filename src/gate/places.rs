//! The lines and characters of findings.

use noctuary_gate::Finding;

use crate::base::document::FoundAt;
use crate::base::gather::Gather as _;
use crate::base::text;

/// The most places that an error names.
pub(super) const MOST_PLACES: usize = 20;

/// Goes through a text and says on which line and at which character of it a byte is.
pub(crate) struct Places<'a> {
    text: &'a str,
    at: usize,
    line: u64,
    column: u64,
}

impl<'a> Places<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self::from_line(text, 1)
    }

    /// Returns where the first line of the text has another number.
    pub(crate) fn from_line(text: &'a str, line: u64) -> Self {
        Self { text, at: 0, line, column: 1 }
    }

    /// Returns the line and the character, both from 1. Ask in ascending order.
    pub(crate) fn place(&mut self, byte: usize) -> (u64, u64) {
        let to = text::floor_boundary(self.text, byte).max(self.at);
        for c in self.text[self.at..to].chars() {
            match c {
                '\n' => (self.line, self.column) = (self.line + 1, 1),
                text::BOM => {}
                _ => self.column += 1,
            }
        }
        self.at = to;
        (self.line, self.column)
    }
}

/// Returns the places of the findings of a text, which are given in ascending order.
pub(super) fn found_at<'f>(text: &str, findings: impl Iterator<Item = &'f Finding>) -> Vec<FoundAt> {
    let mut places = Places::of(text);
    let found = |finding: &Finding| {
        let (line, column) = places.place(finding.span.start);
        FoundAt { class: finding.class.clone().into_owned(), line, column }
    };
    findings.map(found).gather()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters() {
        let text = "\u{feff}ab\r\né日x\n\ny";
        let mut places = Places::of(text);
        let at = |needle: &str| text.find(needle).unwrap();
        assert_eq!(places.place(at("a")), (1, 1));
        assert_eq!(places.place(at("b")), (1, 2));
        assert_eq!(places.place(at("x")), (2, 3));
        assert_eq!(places.place(at("y")), (4, 1));
        assert_eq!(places.place(text.len()), (4, 2));
        assert_eq!(Places::from_line("a\nb", 7).place(2), (8, 1));
    }
}
