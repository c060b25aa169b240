//! The conversations of an export, one after the other.

use std::io::BufRead;
use std::path::Path;

use serde_json::Value;

use super::chat::{NO_WORDS, NOT_THIS, NOT_UTF8, TOO_LARGE, Take, UNKNOWN, word};
use super::format::ChatFormat;
use super::pieces::{Piece, Pieces};
use super::plan::LeftOut;
use super::sessions::Sessions;
use super::source::{self, Place};
use super::{chatgpt, claude, markdown};
use crate::base::day::DayPolicy;
use crate::base::error::{Error, Result};

const CUT: &str = "the file ends in the middle; download the export again";

/// Reads all conversations of an export.
pub(super) fn read(
    format: ChatFormat,
    day: DayPolicy,
    path: &Path,
    left: &mut LeftOut,
    take: Take<'_>,
) -> Result<()> {
    let mut sessions = Sessions::new(format);
    let wants = |file: &str| format.wants(file);
    let files = source::each(path, &wants, left, &mut |place, reader, left| match format {
        ChatFormat::ChatGpt | ChatFormat::Claude => list(format, place, reader, left, take),
        ChatFormat::Markdown => markdown::read(day, place, reader, left, take),
        ChatFormat::ClaudeCode | ChatFormat::Codex | ChatFormat::OpenClaw => {
            sessions.read(place, reader, left, take)
        }
    })?;
    if files == 0 {
        let name = path.display().to_string();
        return Err(Error::Corrupt { name, line: 0, column: 0, what: format.missing() });
    }
    Ok(())
}

/// Reads a list of conversations.
fn list(
    format: ChatFormat,
    place: Place<'_>,
    reader: &mut dyn BufRead,
    left: &mut LeftOut,
    take: Take<'_>,
) -> Result<()> {
    let (mut pieces, mut buffer) = (Pieces::new(reader), Vec::new());
    for number in 1.. {
        let unknown = left.counted(UNKNOWN);
        let chat = match pieces.element(&mut buffer) {
            Err(error) => return place.failed(error, left),
            Ok(None) if number > 1 => break,
            Ok(None) => {
                left.refuse(place.name, NOT_THIS);
                break;
            }
            Ok(Some(Piece::TooLarge)) => Err(TOO_LARGE),
            Ok(Some(Piece::Cut)) => Err(CUT),
            Ok(Some(Piece::Whole)) => match std::str::from_utf8(&buffer) {
                Err(_) => Err(NOT_UTF8),
                Ok(text) if format == ChatFormat::ChatGpt => chatgpt::read(text, left),
                Ok(text) => claude::read(text, left),
            },
        };
        match chat {
            Ok(chat) if chat.messages.is_empty() && left.counted(UNKNOWN) > unknown => {
                left.count_again(UNKNOWN, unknown);
                left.refuse_chat(place.name, number, called(&buffer), NO_WORDS);
            }
            Ok(chat) => chat.give(place, number, left, take)?,
            Err(reason) => left.refuse_chat(place.name, number, called(&buffer), reason),
        }
    }
    Ok(())
}

/// Returns the title of a conversation that cannot be read, else its id; empty where neither can be found.
fn called(bytes: &[u8]) -> String {
    let found: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let fields = ["title", "name", "conversation_id", "id", "uuid"].map(|field| word(&found, field));
    fields.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default().to_owned()
}
