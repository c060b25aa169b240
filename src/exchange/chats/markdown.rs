//! Chats in markdown: a heading or a label for each speaker.
//!
//! ```text
//! # Boats
//!
//! ## User
//! Paint?
//!
//! ## Assistant
//! Blue.
//! ```
//!
//! Speakers are read as in journals: `**User:**`, `## Assistant`, `User: …`. The form of the first one counts in the whole file.
//! So a list or a heading in an answer names nobody. A file is a conversation, its name the id. Its day is `date` or `created` in
//! the frontmatter, or a date in the file's name. Else it is the day of the last change.

use std::io::{BufRead, Read};

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde_json::Value;

use super::chat::{Chat, MAX_CHAT, NOT_THIS, NOT_UTF8, TOO_LARGE, Take, moment};
use super::format::ChatFormat;
use super::plan::LeftOut;
use super::source::Place;
use crate::base::day::DayPolicy;
use crate::base::error::Result;
use crate::exchange::dialect::body;
use crate::format::Origin;
use crate::format::documents::speakers::{self, Form, Speaker};

const BEFORE: &str = "lines before the first speaker";

/// Reads a file.
pub(super) fn read(
    day: DayPolicy,
    place: Place<'_>,
    reader: &mut dyn BufRead,
    left: &mut LeftOut,
    take: Take<'_>,
) -> Result<()> {
    let mut bytes = Vec::new();
    if let Err(error) = reader.take(MAX_CHAT as u64 + 1).read_to_end(&mut bytes) {
        return place.failed(error, left);
    }
    let refused = match std::str::from_utf8(&bytes) {
        _ if bytes.len() > MAX_CHAT => TOO_LARGE,
        Err(_) => NOT_UTF8,
        Ok(text) => {
            let chat = conversation(text, place.stem(), day, left);
            if !chat.messages.is_empty() {
                return chat.give(place, 0, left, take);
            }
            NOT_THIS
        }
    };
    left.refuse(place.name, refused);
    Ok(())
}

fn conversation(text: &str, stem: &str, day: DayPolicy, left: &mut LeftOut) -> Chat {
    let mut chat = Chat::new(ChatFormat::Markdown, stem);
    let words = body(text);
    chat.begun = begun(&text[..text.len() - words.len()], stem, day);
    let (mut said, mut style, mut is_code): (Vec<(Origin, String)>, _, _) = (Vec::new(), None, false);
    for line in words.lines() {
        let is_mark = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        is_code ^= is_mark;
        let speaker = if is_code || is_mark { None } else { speaker(line, style) };
        if let Some(speaker) = speaker {
            style = Some(style_of(line, speaker.form));
            said.push((speaker.origin, line[speaker.end..].trim().to_owned()));
        } else if let Some((_, text)) = said.last_mut() {
            text.push('\n');
            text.push_str(line);
        } else if let Some(title) = line.strip_prefix("# ").filter(|_| chat.title.is_empty()) {
            title.trim().clone_into(&mut chat.title);
        } else if !line.trim().is_empty() {
            left.count(BEFORE, 1);
        }
    }
    for (origin, text) in said {
        // A rule parts one message from the next.
        let text = text.trim_end();
        let text =
            ["---", "***"].iter().find_map(|rule| text.strip_suffix(&format!("\n{rule}"))).unwrap_or(text);
        chat.say("", None, vec![(origin, text.to_owned())], left);
    }
    chat
}

/// The form of the names of speakers, and the signs before them.
type Style<'t> = (Form, &'t str);

fn style_of(line: &str, form: Form) -> Style<'_> {
    (form, &line[..line.len() - line.trim_start_matches(['#', '*', '_', ' ', '[']).len()])
}

/// Returns the speaker at the beginning of a line, in the style of the file. The first one must be the user or the
/// agent.
fn speaker<'t>(line: &'t str, style: Option<Style<'_>>) -> Option<Speaker<'t>> {
    if line.starts_with(['{', '-', '>', ' ']) {
        return None;
    }
    let mut speaker = speakers::title(line).or_else(|| speakers::read(line))?;
    // As people copy it out of a page: "You said:".
    if speaker.name.eq_ignore_ascii_case("you") {
        speaker.origin = Origin::User;
    }
    let fits = match style {
        Some(style) => style == style_of(line, speaker.form),
        None => matches!(speaker.origin, Origin::User | Origin::Agent),
    };
    fits.then_some(speaker)
}

/// Returns when a conversation was had, as far as its file says.
fn begun(front: &str, stem: &str, day: DayPolicy) -> Option<DateTime<Utc>> {
    let field = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let is_one = ["date", "created", "created_at", "create_time"].contains(&name.trim());
        let value = value.trim().trim_matches(['"', '\'']);
        is_one.then(|| moment(Some(&Value::from(value)))).flatten()
    };
    let noon = NaiveTime::from_hms_opt(12, 0, 0)?;
    let begins = |text: &&str| text.starts_with(|c: char| c.is_ascii_digit());
    let stem = stem.rsplit('/').next().unwrap_or(stem);
    let parts = (0..stem.len()).filter_map(|from| stem.get(from..from + 10)).filter(begins);
    let dates = parts.filter_map(|part| part.parse::<NaiveDate>().ok());
    let named = || dates.map(|date| day.instant(date, noon)).next();
    front.lines().find_map(field).or_else(named)
}
