//! The pieces of a stream: elements of a list of JSON, or lines. One is in memory at a time, whatever length the stream has.

use std::io::{self, BufRead};

use super::chat::MAX_CHAT;

/// A piece that was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// It is in the buffer.
    Whole,
    /// It is larger than [`MAX_CHAT`], and was passed over.
    TooLarge,
    /// The stream ends inside of it.
    Cut,
}

/// A stream that is read piece by piece.
pub(super) struct Pieces<'r> {
    reader: &'r mut dyn BufRead,
    /// Whether the list has begun and not ended.
    is_list: bool,
}

impl<'r> Pieces<'r> {
    pub(super) fn new(reader: &'r mut dyn BufRead) -> Self {
        Self { reader, is_list: false }
    }

    /// Reads the next element of a list, or the next object of several that follow one another. `None` at the end.
    pub(super) fn element(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<Piece>> {
        buffer.clear();
        let (mut depth, mut is_text, mut is_escaped, mut is_large) = (0_usize, false, false, false);
        // A text, a number or a word in the place of an object.
        let mut is_bare = false;
        loop {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                let is_cut = depth > 0 || self.is_list;
                self.is_list = false;
                return Ok(is_cut.then_some(Piece::Cut));
            }
            let mut from = (depth > 0 || is_bare).then_some(0);
            let (mut used, mut is_done) = (0, false);
            for byte in chunk {
                used += 1;
                if is_text {
                    is_text = is_escaped || *byte != b'"';
                    is_escaped = !is_escaped && *byte == b'\\';
                    continue;
                }
                if is_bare && matches!(byte, b',' | b'{' | b'[' | b']') {
                    // The sign is read again, as that of the next element.
                    used -= 1;
                    is_done = true;
                    break;
                }
                if depth == 0 && self.is_list && !matches!(byte, b',' | b'{' | b'[' | b']') {
                    is_bare = is_bare || !byte.is_ascii_whitespace();
                    from = from.or(is_bare.then_some(used - 1));
                }
                match byte {
                    b'"' => is_text = true,
                    b'[' if depth == 0 && !self.is_list => self.is_list = true,
                    b'{' | b'[' => {
                        from = from.or(Some(used - 1));
                        depth += 1;
                    }
                    b'}' | b']' if depth > 0 => {
                        depth -= 1;
                        if depth == 0 {
                            is_done = true;
                            break;
                        }
                    }
                    b']' => self.is_list = false,
                    _ => {}
                }
            }
            let part = from.map_or(&[][..], |from| &chunk[from..used]);
            is_large = is_large || !keep(buffer, part);
            self.reader.consume(used);
            if is_done {
                return Ok(Some(if is_large { Piece::TooLarge } else { Piece::Whole }));
            }
        }
    }

    /// Reads the next line. `None` at the end.
    pub(super) fn line(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<Piece>> {
        buffer.clear();
        let (mut is_large, mut is_any) = (false, false);
        loop {
            let chunk = self.reader.fill_buf()?;
            let end = memchr::memchr(b'\n', chunk);
            let part = &chunk[..end.unwrap_or(chunk.len())];
            let used = part.len() + usize::from(end.is_some());
            is_any = is_any || used > 0;
            is_large = is_large || !keep(buffer, part);
            self.reader.consume(used);
            if end.is_some() || used == 0 {
                return Ok(is_any.then_some(if is_large { Piece::TooLarge } else { Piece::Whole }));
            }
        }
    }
}

/// Adds to a buffer; one that would be too large is emptied.
fn keep(buffer: &mut Vec<u8>, part: &[u8]) -> bool {
    if buffer.len() + part.len() > MAX_CHAT {
        *buffer = Vec::new();
        return false;
    }
    buffer.extend_from_slice(part);
    true
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// Reads through a buffer of one byte and one of many, which must not matter.
    fn elements(text: &str) -> Vec<String> {
        let read = |size| {
            let (mut reader, mut all, mut buffer) =
                (BufReader::with_capacity(size, text.as_bytes()), Vec::new(), Vec::new());
            let mut pieces = Pieces::new(&mut reader);
            while let Some(piece) = pieces.element(&mut buffer).unwrap() {
                all.push(if piece == Piece::Whole {
                    String::from_utf8(buffer.clone()).unwrap()
                } else {
                    format!("{piece:?}")
                });
            }
            all
        };
        assert_eq!(read(1), read(1 << 16), "{text}");
        read(1)
    }

    #[test]
    fn elements_are_found_whatever_stands_in_their_texts() {
        assert_eq!(
            elements(r#"[{"a": "]}\"{"}, {"b": [1, {}]} ,"x", 3]"#),
            [r#"{"a": "]}\"{"}"#, r#"{"b": [1, {}]}"#, "\"x\"", "3"]
        );
        assert_eq!(
            elements("[null ,\"a,]\"\n,{}x{} ]"),
            ["null ", "\"a,]\"\n", "{}", "x", "{}"],
            "none is passed over"
        );
        assert_eq!(elements("[\"a"), ["Cut"]);
        assert_eq!(elements("\u{feff}{\"a\":1}\n{\"b\":2}"), [r#"{"a":1}"#, r#"{"b":2}"#], "without a list");
        assert_eq!(elements("[[1],{}]"), ["[1]", "{}"]);
        assert_eq!(elements(r#"[{"a":1},{"b":"#), [r#"{"a":1}"#, "Cut"]);
        assert_eq!(elements(r#"[{"a":1}"#), [r#"{"a":1}"#, "Cut"]);
        assert!(elements("").is_empty() && elements("[]").is_empty() && elements("}] words").is_empty());
    }

    #[test]
    fn a_piece_above_the_limit_is_passed_over_and_the_next_one_is_read() {
        let large = "x".repeat(MAX_CHAT);
        let text = format!("[{{\"a\":\"{large}\"}},{{}}]");
        let (mut reader, mut buffer) = (BufReader::new(text.as_bytes()), Vec::new());
        let mut pieces = Pieces::new(&mut reader);
        assert_eq!(pieces.element(&mut buffer).unwrap(), Some(Piece::TooLarge));
        assert_eq!(pieces.element(&mut buffer).unwrap(), Some(Piece::Whole));
        assert_eq!((buffer.as_slice(), pieces.element(&mut Vec::new()).unwrap()), (&b"{}"[..], None));
        let text = format!("{large}x\nnext");
        let mut reader = BufReader::new(text.as_bytes());
        let mut pieces = Pieces::new(&mut reader);
        assert_eq!(pieces.line(&mut buffer).unwrap(), Some(Piece::TooLarge));
        assert_eq!(
            (pieces.line(&mut buffer).unwrap(), buffer.as_slice()),
            (Some(Piece::Whole), &b"next"[..])
        );
        assert_eq!(pieces.line(&mut buffer).unwrap(), None);
    }
}
