//! Errors of JSON, without the text that broke.

use super::error::{Error, Result};

/// Parses JSON of a state file; the error says where it breaks and never quotes it.
pub(crate) fn parse_json<T: serde::de::DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T> {
    // Some editors put a byte order mark in front.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| corrupt(name, &error))
}

/// Turns a JSON error into [`Error::Corrupt`] without the text that serde would quote.
pub(crate) fn corrupt(name: &str, error: &serde_json::Error) -> Error {
    let what = match error.classify() {
        serde_json::error::Category::Eof => "it ends too early",
        serde_json::error::Category::Syntax => "it is not JSON",
        serde_json::error::Category::Data => "a value is missing or has another type",
        serde_json::error::Category::Io => "it could not be read",
    };
    Error::Corrupt { name: name.to_owned(), line: error.line(), column: error.column(), what }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_state_file_is_named_and_never_quoted() {
        let error = parse_json::<u64>("state.json", b"\"sk-ant-secret\"").unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot use state.json, damaged at line 1, column 15: a value is missing or has another type"
        );
    }
}
