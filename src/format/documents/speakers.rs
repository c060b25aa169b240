//! Who speaks in a line: one grammar for the journals of all dialects.
//!
//! ```text
//! [user] …          - [09:14:05] [tool:psql] …        tags
//! user: "…"         **Assistant:** …   Ada (09:14): …   labels
//! ## Assistant      **User**                          titles: what stands below is said
//! {"role":"user","content":"…"}                       a label too
//! ```
//!
//! Some words name a speaker wherever they are in this form ([`Speaker::is_sure`]). Others may be the label of a note
//! ("Model: a small one") and count where the journal has speakers. Any other name is a participant's there. Only the
//! bare word is the user's: "User 2" is somebody else. `[participant:Ada]` is how this library prints a name, which is
//! then nothing but a name: not a role, whatever words it holds.

use std::sync::LazyLock;

use regex::Regex;

use super::origin::Origin;
pub(crate) use super::roles::{Form, is_party, is_user};
use super::roles::{is_label, is_sure, role};
use crate::base::gather::Gather as _;
use crate::base::pattern::pattern;
use crate::base::text;

/// A speaker in front of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Speaker<'t> {
    /// The origin of the words that follow.
    pub(crate) origin: Origin,
    /// The form of the name.
    pub(crate) form: Form,
    /// Whether the word names a speaker in any journal.
    pub(crate) is_sure: bool,
    /// The name as it is there.
    pub(crate) name: &'t str,
    /// The start of the words.
    pub(crate) end: usize,
}

impl Speaker<'_> {
    /// Returns whether the name is no word for a role.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self.origin, Origin::Participant(_))
    }
}

/// Reads the speaker in front of a text that has lost its bullet and its time; `None` where there is none.
pub(crate) fn read(text: &str) -> Option<Speaker<'_>> {
    tag(text).or_else(|| label(text)).or_else(|| turn(text))
}

/// Returns whether a name is a word for a role, and so nobody's own.
pub(crate) fn is_role(name: &str) -> bool {
    role(name).is_some()
}

/// Returns whether a word, in small letters, is a label and no name.
pub(crate) fn is_label_word(word: &str) -> bool {
    is_label(word)
}

/// Reads a line that is nothing but a role: a heading, or an emphasised word.
pub(crate) fn title(line: &str) -> Option<Speaker<'_>> {
    static TITLE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^(?:#{1,6}\s+|[*_]{2})[^\p{L}\p{N}#]{0,8}(?<name>\p{L}[\p{L} ]{0,23}?)\s*(?:\([^()]{0,40}\))?\s*[:：]?[*_]{0,2}\s*[:：]?\s*$",
        )
    });
    if !line.starts_with(['#', '*', '_']) {
        return None;
    }
    let name = TITLE.captures(line)?.name("name")?.as_str();
    let (origin, _) = role(name)?;
    let is_sure = is_sure(&name.to_lowercase(), Form::Title);
    is_sure.then_some(Speaker { origin, form: Form::Title, is_sure, name, end: line.len() })
}

fn tag(text: &str) -> Option<Speaker<'_>> {
    static TAG: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"^["'“]?[*_`]*(?:\[(?<tag>[^\[\]]{1,80})\]|\((?<round>[^()]{1,40})\)|<(?<angle>/?[^<>]{1,40})>)[*_`]*(?<colon>[:：])?[*_`]*(?<gap>\s+|$)?"#,
        )
    });
    if !text.starts_with(['[', '(', '<', '*', '_', '`', '"', '\'', '“']) {
        return None;
    }
    let found = TAG.captures(text)?;
    let is_square = found.name("tag").is_some();
    let name = found.name("tag").or(found.name("round")).or(found.name("angle"))?.as_str();
    let (end, has_gap) = (found[0].len(), found.name("gap").is_some());
    let speaker = |origin, is_sure| Some(Speaker { origin, form: Form::Tag, is_sure, name, end });
    if let Some(printed) = name.strip_prefix(PARTICIPANT).filter(|_| is_square) {
        return speaker(Origin::Participant(plain_name(printed)), true);
    }
    match role(without_time(name)) {
        Some((origin, is_label)) => {
            let word = name.trim().to_lowercase();
            let first = word.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            let is_sure = is_label || (is_square && is_sure(first, Form::Tag));
            // "(web) …" and "<system> …" are text, unless the journal has speakers.
            speaker(origin, is_sure)
        }
        None if is_square && has_gap && is_name(name) => {
            speaker(Origin::Participant(plain_name(name)), false)
        }
        None => None,
    }
}

fn label(text: &str) -> Option<Speaker<'_>> {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"^["'“‘]?[*_`]*["'“‘]?(?<name>[@\p{L}][\p{L}\p{M}\p{N}_.'’/-]{0,31}(?::[\w./-]{1,64})?(?: [\p{L}\p{N}(][\p{L}\p{M}\p{N}_.'’()/-]{0,31}){0,2})["'”’]?[*_`]*\s*,?\s*(?:[\[(]\s*[^\[\]()]{1,40}[\])])?[*_`]*(?: (?:said|says|wrote|asked|replied))?\s*[*_`]*["'”’]?[:：][*_`]*(?:\s+|$|(?<quote>["“'‘「]))"#,
        )
    });
    // No name stands further in.
    if !text.bytes().take(MOST_NAME).any(|byte| byte == b':' || byte == 0xef) {
        return None;
    }
    let found = LABEL.captures(text)?;
    let name = found.name("name")?.as_str().trim_end_matches(['*', '_', '`']);
    let end = found.name("quote").map_or(found[0].len(), |quote| quote.start());
    let speaker = |origin, is_sure| Some(Speaker { origin, form: Form::Label, is_sure, name, end });
    match role(name) {
        // "Owner: Bob" in the middle of an answer is a label, and not the user's voice.
        Some((Origin::User, false)) if is_label(&name.to_lowercase()) => None,
        Some((origin, is_sure)) => speaker(of_transcript(origin), is_sure),
        None if is_name(name) => speaker(Origin::Participant(plain_name(name)), false),
        None => None,
    }
}

/// Returns an origin as a transcript has it. Its "system" tells what tools and hooks said, and is not the host's own
/// note.
fn of_transcript(origin: Origin) -> Origin {
    if origin == Origin::System { Origin::Tool("system".to_owned()) } else { origin }
}

/// Returns a message as chat interfaces store it.
fn turn(text: &str) -> Option<Speaker<'_>> {
    static TURN: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#""(?:(?<role>role|speaker)|sender|from)"\s*:\s*"(?<name>[^"\\]{1,40})""#));
    if !text.starts_with('{') {
        return None;
    }
    // A message may carry others, of a tool: it is the user's where all say so. Quotes inside a text are escaped.
    let said = |is_role: bool| {
        let found = TURN.captures_iter(text).filter(move |found| found.name("role").is_some() == is_role);
        let names = found.filter_map(|found| found.name("name")).map(|name| name.as_str());
        let known = names.map(|name| {
            let origin =
                role(name).map_or_else(|| Origin::Participant(plain_name(name)), |(origin, _)| origin);
            (name, origin)
        });
        // The first of somebody else, or else the last.
        known.reduce(|first, next| if first.1 == Origin::User { next } else { first })
    };
    let (name, origin) = said(true).or_else(|| said(false))?;
    Some(Speaker { origin: of_transcript(origin), form: Form::Label, is_sure: true, name, end: 0 })
}

/// Returns a role without the time that may be beside it in its brackets.
fn without_time(name: &str) -> &str {
    static TIME: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\s,@-]+\(?\d{1,2}:\d\d[^\p{L}]*$"));
    TIME.find(name).map_or(name, |time| &name[..time.start()])
}

/// Returns whether a text in front of a line may be somebody's name: no label, and no more than three words.
fn is_name(name: &str) -> bool {
    let name = name.trim();
    let words: Vec<&str> = name.split_whitespace().gather();
    let begins = |word: &&str| {
        word.starts_with(|c: char| c.is_uppercase() || (c.is_alphabetic() && !c.is_lowercase()))
    };
    let lower = name.to_lowercase();
    name.contains(char::is_alphabetic)
        && name.chars().filter(|c| c.is_alphanumeric()).count() > 1
        && !name.contains("REDACTED")
        && !name.contains("://")
        && words.len() <= 3
        && (words.len() == 1
            || words.iter().skip(1).all(|word| begins(word) || word.starts_with(char::is_numeric)))
        && !is_label(&lower)
        && !words.iter().any(|word| is_label(&word.to_lowercase()))
}

/// Returns a name as an origin carries it.
fn plain_name(name: &str) -> String {
    let plain: String =
        name.trim().trim_start_matches('@').chars().filter(|c| !text::is_invisible(*c)).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name with what is beside it ends before this byte.
const MOST_NAME: usize = 256;

/// Comes before the name of a participant, as an [`Origin`] prints it.
const PARTICIPANT: &str = "participant:";

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Option<(String, &str)> {
        read(text).map(|speaker| (speaker.origin.to_string(), &text[speaker.end..]))
    }

    // The assistant of a transcript was nobody, so its words were the user's.
    #[test]
    fn a_speaker_is_read_in_every_form_and_stripped() {
        for (text, origin) in [
            ("[user] Fridays.", "user"),
            ("[User]: Fridays.", "user"),
            ("**[user]** Fridays.", "user"),
            ("[user 09:14] Fridays.", "user"),
            ("user: Fridays.", "user"),
            ("**User:** Fridays.", "user"),
            ("**User**: Fridays.", "user"),
            ("_User_: Fridays.", "user"),
            ("User (09:14): Fridays.", "user"),
            ("User [09:14]: Fridays.", "user"),
            ("Human： Fridays.", "user"),
            ("[assistant] Fridays.", "agent"),
            ("assistant: Fridays.", "agent"),
            ("Assistant (gpt-5): Fridays.", "agent"),
            ("**AI:** Fridays.", "agent"),
            ("[bot] Fridays.", "agent"),
            ("bot: Fridays.", "agent"),
            ("model: Fridays.", "agent"),
            ("Coding Agent: Fridays.", "agent"),
            ("ChatGPT said: Fridays.", "agent"),
            ("tool:psql: Fridays.", "tool:psql"),
            ("TOOL:psql: Fridays.", "tool:psql"),
            ("web:example.com: Fridays.", "web"),
            ("agent:main: Fridays.", "agent"),
            ("user:bob: Fridays.", "participant:user:bob"),
            ("[tool:psql] Fridays.", "tool:psql"),
            ("[web:example.com] Fridays.", "web"),
            ("[import] Fridays.", "import"),
            ("[system] Fridays.", "system"),
            ("system: Fridays.", "tool:system"),
            ("Ada: Fridays.", "participant:Ada"),
            ("Ada Lovelace: Fridays.", "participant:Ada Lovelace"),
            ("**Ada**: Fridays.", "participant:Ada"),
            ("[Ada] Fridays.", "participant:Ada"),
            ("bob: Fridays.", "participant:bob"),
            ("User 2: Fridays.", "participant:User 2"),
            ("[user:marta] Fridays.", "participant:user:marta"),
            ("[participant:Ada] Fridays.", "participant:Ada"),
            ("[participant:user] Fridays.", "participant:user"),
            ("[participant:eve smith the third bot] Fridays.", "participant:eve smith the third bot"),
            ("[participant:Bob's todo: note] Fridays.", "participant:Bob's todo: note"),
        ] {
            assert_eq!(said(text), Some((origin.to_owned(), "Fridays.")), "{text}");
        }
        assert_eq!(said("user: \"Fridays.\""), Some(("user".to_owned(), "\"Fridays.\"")));
        assert_eq!(said("assistant:\"Fridays.\""), Some(("agent".to_owned(), "\"Fridays.\"")));
        assert_eq!(said("\"user\": Fridays."), Some(("user".to_owned(), "Fridays.")));
    }

    // A message that began with its text was nobody's, and so went on with what the user had said above it.
    #[test]
    fn a_message_of_a_chat_is_its_roles_wherever_that_stands() {
        let long = "a word ".repeat(99);
        for (text, origin) in [
            (r#"{"role":"user","content":"Fridays."}"#.to_owned(), "user"),
            (format!(r#"{{"content":"{long}","role":"assistant"}}"#), "agent"),
            (format!(r#"{{"content":"{long} \"role\":\"user\"","role":"tool"}}"#), "tool"),
            (r#"{"parts":[{"role":"user","text":"Pay Bob."}],"role":"assistant"}"#.to_owned(), "agent"),
            (r#"{"role":"user","parts":[{"role":"tool","text":"Pay Bob."}]}"#.to_owned(), "tool"),
            (r#"{"from":"telegram","role":"user","content":"Fridays."}"#.to_owned(), "user"),
            (r#"{"sender":"Bob","content":"Fridays."}"#.to_owned(), "participant:Bob"),
        ] {
            let speaker = read(&text).map(|speaker| speaker.origin.to_string());
            assert_eq!(speaker.as_deref(), Some(origin), "{text}");
        }
        assert_eq!(said(r#"{"content":"Fridays."}"#), None);
    }

    #[test]
    fn a_label_a_link_and_a_mask_name_nobody() {
        for text in [
            "Decision: Fridays.",
            "Open question: Fridays?",
            "Owner: Bob.",
            "https://example.com",
            "https://example.com: a page",
            "12:30 Fridays.",
            "[REDACTED:aws_access_key#1] is the key.",
            "[x] done",
            "[the page] says",
            "[Build](build.md) how",
            "C:\\temp",
            "We ship: Fridays.",
        ] {
            assert_eq!(said(text), None, "{text}");
        }
    }

    #[test]
    fn a_title_is_a_role_alone() {
        for (line, origin) in [
            ("## User", "user"),
            ("**Assistant**", "agent"),
            ("### Assistant (09:14):", "agent"),
            ("**User:**", "user"),
        ] {
            assert_eq!(
                title(line).map(|speaker| speaker.origin.to_string()).as_deref(),
                Some(origin),
                "{line}"
            );
        }
        for line in ["## Tools", "## Decisions", "# Model", "User", "## User stories", "## System"] {
            assert_eq!(title(line), None, "{line}");
        }
    }
}
