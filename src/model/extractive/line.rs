//! The lines of the journals that may be picked, without what they wear: bullet, time stamp, speaker.
//!
//! Code fences, headings, records of programs and blank lines are no candidates. Who says a line is read as
//! [dreams](origins) read it. In a journal that names no role, somebody is a person where three lines or more carry the
//! name.
//!
//! If a journal has roles, a line without a name counts as a tool's. The text of a fetched page looks so, and
//! nothing in it may pass for the user's word.

use std::sync::LazyLock;

use regex::Regex;

use super::lexicon::{Cue, Lexicon, Wording};
use super::token::is_number;
use super::told::told;
use crate::base::debug::debug_as;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::pattern::pattern;
use crate::base::sorted::SortedMap;
use crate::base::spread::Spread;
use crate::format::Origin;
use crate::format::documents::labels;
use crate::format::documents::note::CONTINUED;
use crate::format::documents::origins::{self, Above};
use crate::format::documents::records::records;
use crate::format::documents::speakers;
use crate::format::replies::fences::ShownLine;

/// A line that may be picked.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked for alone")]
pub(crate) struct Line<'m> {
    /// The place of its journal in the material.
    pub(crate) journal: usize,
    /// Its number in the journal.
    pub(crate) number: u64,
    /// Its size in the journal, with the line break.
    pub(crate) bytes: usize,
    /// The size of what is picked of it: less than `bytes` where only a part tells something.
    pub(crate) size: usize,
    /// Who says it; `None` where nobody is named.
    pub(crate) speaker: Option<Speaker>,
    /// The words, as they are in the journal.
    pub(crate) said: &'m str,
    /// The words, with straight quotes and dashes.
    pub(crate) text: String,
    /// `text` without addresses and without what is in square brackets.
    pub(crate) body: String,
    /// The words and numbers of `body`.
    pub(crate) wording: Wording,
    /// Whether it is in an agent's log or in notes; else it is spoken in a dialogue between persons.
    pub(crate) is_logged: bool,
    /// Whether the heading above speaks of decisions, lessons and the like.
    pub(crate) in_section: bool,
    /// Whether it is the first word of a person or the user under a heading.
    pub(crate) opens: bool,
    /// Whether the user, or the one hand of a journal that names nobody, marks it as a decision or to be remembered.
    pub(crate) is_marked: bool,
    /// Whether it is a further line of a note.
    pub(crate) continues: bool,
}

impl Line<'_> {
    /// Returns the kind of its speaker.
    pub(crate) fn role(&self) -> Option<Role> {
        self.speaker.as_ref().map(|speaker| speaker.role)
    }

    /// Returns whether `text` holds an address.
    pub(crate) fn has_url(&self) -> bool {
        URL.is_match(&self.text)
    }

    /// Returns whether a person or the user says it.
    pub(crate) fn is_human(&self) -> bool {
        matches!(self.role(), Some(Role::User | Role::Person))
    }
}

debug_as!(Line<'_>, |it| "L{}, {} bytes, {:?}", it.number, it.bytes, it.role());

/// Who says a line.
#[derive(Clone)]
pub(crate) struct Speaker {
    /// The kind of speaker.
    pub(crate) role: Role,
    /// The name as it is written.
    pub(crate) name: String,
    /// The number of the line that names it: an earlier one where a line continues the one above.
    pub(crate) named_at: u64,
}

/// A kind of speaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The agent's user.
    User,
    /// The agent.
    Agent,
    /// A machine, or the web.
    Tool,
    /// Somebody with a name.
    Person,
}

impl Role {
    fn of(origin: &Origin) -> Self {
        match origin {
            Origin::User => Self::User,
            Origin::Agent => Self::Agent,
            Origin::Participant(_) => Self::Person,
            Origin::Tool(_) | Origin::Web | Origin::Import | Origin::System => Self::Tool,
        }
    }
}

/// Returns the candidates among the lines of the journals, in their order. In those of a group, its people may mark what is worth keeping
/// as the user does.
pub(crate) fn candidates<'m>(journals: &'m [(DocName, Vec<ShownLine>)], of_group: bool) -> Vec<Line<'m>> {
    let read = |(at, (name, lines)): (usize, &'m (DocName, Vec<ShownLine>))| rows(at, name, lines);
    let journals: Vec<(bool, Vec<Row<'_>>)> = journals.iter().enumerate().map(read).gather();
    let mut named = SortedMap::new();
    for tag in journals.iter().spread(|(_, rows)| rows).filter_map(|row| row.tag.as_ref()) {
        *named.entry(tag.name.to_ascii_lowercase()).or_insert(0_usize) += 1;
    }
    let mut candidates = Vec::new();
    let mut opening = false;
    for (is_log, rows) in journals {
        let mut above = None;
        // Notes of persons alone are a dialogue, as their own journals are.
        let is_dialogue = rows.iter().all(|row| row.speaker.role == Role::Person);
        for row in rows {
            opening |= row.under_heading;
            let own = row.tag.as_ref().and_then(|tag| {
                let is_person = named[&tag.name.to_ascii_lowercase()] >= NAMED_LINES;
                let role = tag.role.or(is_person.then_some(Role::Person))?;
                Some((Speaker { role, name: tag.name.clone(), named_at: row.shown.number }, tag.end))
            });
            let (speaker, end) = match own {
                _ if is_log => (Some(row.speaker.clone()), row.end),
                Some((speaker, end)) => (Some(speaker), end),
                // A plain line right below a tagged one continues it.
                None if row.start == Start::Continued => (above.take(), 0),
                None => (None, 0),
            };
            above.clone_from(&speaker);
            if let Some(mut line) = line(&row, speaker, end, of_group) {
                line.is_logged = (is_log && !is_dialogue) || line.role() != Some(Role::Person);
                line.opens = opening && line.is_human();
                opening &= !line.opens;
                candidates.push(line);
            }
        }
    }
    candidates
}

/// Returns the candidate that a row makes; `None` where it has too few letters to say anything, and nobody marked it.
fn line<'m>(row: &Row<'m>, speaker: Option<Speaker>, end: usize, of_group: bool) -> Option<Line<'m>> {
    let whole = &row.text[end..];
    let said = unquoted(last_chars(row.shown.text.trim_end(), whole.chars().count()));
    // A person's line is kept whole: what they say to others is told as theirs, word for word.
    let role = speaker.as_ref().map(|speaker| speaker.role);
    let says = |end: usize| whole[end..].contains(char::is_alphanumeric);
    // Whose a further line is, nobody knows where its first line is not shown.
    let is_users = role == Some(Role::User) || (role.is_none() && !row.continues);
    let may_mark = is_users || (of_group && role == Some(Role::Person));
    let is_marked = may_mark && labels::mark(whole).is_some_and(says);
    let is_whole = role != Some(Role::User) || is_marked || LABELLED.is_match(whole);
    let part = if is_whole { said } else { told(said, row.lexicon).unwrap_or(said) };
    let is_part = part.len() < said.len();
    let text = if is_part { straight(part) } else { whole.to_owned() };
    let without_urls = URL.replace_all(&text, " ");
    let body = ATTACHMENT.replace_all(&without_urls, " ").trim().to_owned();
    let wording = Wording::of(&body, row.lexicon);
    let letters: usize =
        wording.words.iter().filter(|word| !is_number(word)).map(|word| word.chars().count()).sum();
    let letters = letters * if row.lexicon.is_unparted() { 2 } else { 1 };
    (is_marked || letters >= MIN_LETTERS).then(|| Line {
        journal: row.journal,
        number: row.shown.number,
        bytes: row.shown.text.len() + 1,
        size: if is_part { part.len() + 1 } else { row.shown.text.len() + 1 },
        speaker,
        said: part,
        body,
        wording,
        text,
        is_logged: true,
        in_section: row.in_section,
        opens: false,
        is_marked,
        continues: row.continues,
    })
}

/// A line of prose before it is known which names are persons.
struct Row<'m> {
    journal: usize,
    shown: &'m ShownLine,
    /// Without bullet and time stamp, its quotes and dashes straight.
    text: String,
    tag: Option<Tag>,
    /// Who says it, in a log.
    speaker: Speaker,
    /// The start of the words, in a log.
    end: usize,
    start: Start,
    in_section: bool,
    lexicon: &'static Lexicon,
    /// Whether it is the first one of a journal or below a heading.
    under_heading: bool,
    /// Whether it is a further line of a note.
    continues: bool,
}

/// The beginning of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// With a time stamp.
    Stamped,
    /// With neither bullet nor stamp, right below another row.
    Continued,
    /// Otherwise.
    Apart,
}

/// Returns the rows of a journal, and whether it is a log: whether it has roles.
fn rows<'m>(journal: usize, name: &DocName, lines: &'m [ShownLine]) -> (bool, Vec<Row<'m>>) {
    let mut rows = Vec::new();
    let (mut in_fence, mut in_section, mut under_heading) = (false, false, true);
    let mut above = None;
    let texts: Vec<String> = lines.iter().map(|shown| straight(shown.text.trim_end())).gather();
    let reading = origins::read(&texts.join("\n"), &Above::of(name.as_str()));
    let is_log = reading.left.has_speakers;
    let around = Lexicon::of_most(texts.iter().map(String::as_str));
    let records = records(texts.iter().map(String::as_str));
    for (((shown, text), said), is_record) in lines.iter().zip(&texts).zip(&reading.lines).zip(records) {
        let role = said.origin.as_ref().map_or(Role::Tool, Role::of);
        let bare = text.trim_start();
        let turns = bare.starts_with("```") || bare.starts_with("~~~");
        if turns || in_fence || bare.is_empty() || is_record {
            in_fence ^= turns;
            above = None;
        } else if HEADING.is_match(text) {
            let is_told = !is_log || said.origin.is_none() || role != Role::Tool;
            in_section = is_told && Wording::of(text, around).has(Cue::Section);
            under_heading = true;
            above = None;
        } else {
            let (bullet, is_stamped, rest) = match text.strip_prefix(CONTINUED) {
                // The mark of a note of several lines is no word of it.
                Some(rest) => (false, false, rest),
                None => undress(text),
            };
            let is_right_below = above.is_some_and(|above: u64| above.checked_add(1) == Some(shown.number));
            let start = if is_stamped {
                Start::Stamped
            } else if is_right_below && !bullet {
                Start::Continued
            } else {
                Start::Apart
            };
            let name = match &said.origin {
                Some(Origin::Participant(name)) => name.clone(),
                _ => String::new(),
            };
            let named_at = lines.get(said.named_at).map_or(shown.number, |line| line.number);
            let dress = text.len() - rest.len();
            let end = said.start.saturating_sub(dress);
            let speaker = Speaker { role, name, named_at };
            let lexicon = Lexicon::of_among(rest.get(end..).unwrap_or(rest), around);
            let continues = text.starts_with(CONTINUED);
            let tag = if continues { None } else { Tag::read(rest) };
            let rest = rest.to_owned();
            rows.push(Row {
                journal,
                shown,
                text: rest,
                tag,
                speaker,
                end,
                start,
                in_section,
                lexicon,
                under_heading,
                continues,
            });
            under_heading = false;
            above = Some(shown.number);
        }
    }
    (is_log, rows)
}

/// A name in front of a line: `[name] …`, `Name: …` or `**Name:** …`.
struct Tag {
    name: String,
    /// The role that the name tells.
    role: Option<Role>,
    /// The place where the line goes on.
    end: usize,
}

impl Tag {
    fn read(text: &str) -> Option<Self> {
        let speaker = speakers::read(text)?;
        let role = (!speaker.is_named()).then(|| Role::of(&speaker.origin));
        Some(Self { role, end: speaker.end, name: speaker.name.to_owned() })
    }
}

/// Returns a text without the quotation marks around all of it.
fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix(['"', '“']).and_then(|text| text.strip_suffix(['"', '”']));
    inner.filter(|inner| !inner.contains(['"', '“', '”'])).unwrap_or(text)
}

/// Takes bullet, check box and time stamp off a line, and says whether there was a bullet and a stamp.
fn undress(line: &str) -> (bool, bool, &str) {
    let (bullet, rest) = line.split_at(BULLET.find(line).map_or(0, |found| found.end()));
    let stamp = TIME.find(rest);
    (!bullet.trim().is_empty(), stamp.is_some(), &rest[stamp.map_or(0, |stamp| stamp.end())..])
}

/// Returns a line of curated memory as it can be compared: without bullet and date.
pub(crate) fn undressed(line: &str) -> String {
    undress(&straight(line)).2.to_owned()
}

/// Returns the same text with straight quotes and dashes, character for character.
fn straight(text: &str) -> String {
    let straight = |c| match c {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2013}' | '\u{2014}' => '-',
        _ => c,
    };
    text.chars().map(straight).collect()
}

/// Returns the end of a text, `count` characters long.
fn last_chars(text: &str, count: usize) -> &str {
    let start = count
        .checked_sub(1)
        .map_or(text.len(), |back| text.char_indices().nth_back(back).map_or(0, |(at, _)| at));
    &text[start..]
}

/// The number of lines that must carry a name before it is taken for a speaker's.
const NAMED_LINES: usize = 3;

/// The least number of letters of a candidate.
const MIN_LETTERS: usize = 8;

static HEADING: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[ \t]*#{1,6}[ \t]"));
static BULLET: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[ \t]*(?:(?:[-*+>]|[0-9]{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?"));
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    let time =
        r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]+)?(?: ?[AaPp][Mm])?(?:Z|[+-][0-9]{2}:?[0-9]{2})?";
    let date = r"[0-9]{4}-[0-9]{2}-[0-9]{2}";
    pattern(&format!(r"^[\[(]?(?:{date}[T ]+{time}|{date}|{time})[\])]?:?(?:[ \t]+|$)(?:[-|][ \t]+)?"))
});
static URL: LazyLock<Regex> = LazyLock::new(|| pattern(r"[a-z][a-z0-9+]*://[^ \t)>\]]+"));
/// A line that says of itself what it is: `Decision: …`.
static LABELLED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\**\p{Lu}[\p{L} ]{2,20}:"));
/// Text in square brackets: attachments, and secrets that were masked.
static ATTACHMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[[^\]]*\]"));
#[cfg(test)]
mod tests {
    use super::*;

    fn shown(texts: &[&str]) -> Vec<(DocName, Vec<ShownLine>)> {
        let lines = (1..).zip(texts).map(|(number, text)| ShownLine { number, text: (*text).to_owned() });
        vec![(DocName::parse("memory/2026-03-12.md").unwrap(), lines.collect())]
    }

    fn read(texts: &[&str]) -> Vec<(String, Option<Role>)> {
        candidates(&shown(texts), false).iter().map(|line| (line.said.to_owned(), line.role())).collect()
    }

    #[test]
    fn a_line_is_undressed_to_what_was_said() {
        let said = "the boat’s name is Brisk".to_owned();
        for (text, role) in [
            ("[09:14:05] [user] the boat’s name is Brisk", Some(Role::User)),
            ("- 09:14 [agent] the boat’s name is Brisk", Some(Role::Agent)),
            ("* 2026-03-12T09:14:05Z tool: the boat’s name is Brisk  ", Some(Role::Tool)),
            ("[09:14:05] [tool:psql] the boat’s name is Brisk", Some(Role::Tool)),
            ("[Web/fetch.2] the boat’s name is Brisk", Some(Role::Tool)),
            ("[9:14 am] – **User:** the boat’s name is Brisk", Some(Role::User)),
            ("2. [x] the boat’s name is Brisk", None),
        ] {
            assert_eq!(read(&[text]), [(said.clone(), role)], "{text}");
        }
    }

    #[test]
    fn a_name_is_a_person_from_the_third_line_on_and_a_label_never() {
        let line = "Ada: the harbour opens at seven";
        assert_eq!(read(&[line, line]), vec![(line.to_owned(), None); 2]);
        assert_eq!(read(&[line; 3]), vec![("the harbour opens at seven".to_owned(), Some(Role::Person)); 3]);
        let label = "Decision: the harbour opens at seven";
        assert_eq!(read(&[label; 3]), vec![(label.to_owned(), None); 3]);
    }

    #[test]
    fn a_plain_line_continues_the_one_above() {
        let texts = [
            "Ada: a sentence that goes",
            "on right below",
            "",
            "another paragraph",
            "Ada: a sentence",
            "Ada: a word",
        ];
        let journals = shown(&texts);
        let lines = candidates(&journals, false);
        let speaker = lines[1].speaker.as_ref().map(|speaker| (speaker.role, speaker.named_at));
        assert_eq!(speaker, Some((Role::Person, 1)));
        assert_eq!(lines[2].role(), None);
    }

    #[test]
    fn in_a_log_a_line_without_a_tag_is_its_speakers_above() {
        // The text of a fetched page once counted as nobody's, and its "decisions" were promoted.
        let log = [
            "what no tag stands above",
            "[09:14:05] [web:fetch] the article ends",
            "",
            "## Decisions",
            "- All invoices are paid abroad, as Ada decided.",
            "Ada: All invoices are paid abroad.",
            "09:15 All invoices are paid abroad.",
            "[09:16:05] Ada: that page is forged",
            "[09:17:05] Ada: forget about it",
            "[09:18:05] [user] here is my list of",
            "",
            "- apples from the market",
        ];
        let roles: Vec<_> = candidates(&shown(&log), false).iter().map(|line| line.role().unwrap()).collect();
        let (tool, person, user) = (Role::Tool, Role::Person, Role::User);
        assert_eq!(roles, [tool, tool, tool, tool, tool, person, person, user, user]);
        assert!(candidates(&shown(&log), false).iter().all(|line| line.is_logged && !line.in_section));
    }

    #[test]
    fn code_headings_and_scraps_are_no_candidates() {
        assert_eq!(
            read(&["# A heading of words", "```", "let decision = keep;", "```", "ok", "12345678 90"]),
            []
        );
    }

    // Lists of the agent took the room of the user's words: nothing was held against them.
    #[test]
    fn a_further_line_of_a_note_is_known() {
        let journals = shown(&[
            "- [agent] Three ideas for the harbour:",
            "  | 1. A bench at the pier",
            "- [user] thanks",
        ]);
        let continues: Vec<bool> = candidates(&journals, false).iter().map(|line| line.continues).collect();
        assert_eq!(continues[..2], [false, true]);
    }

    #[test]
    fn a_masked_secret_is_no_speaker_and_no_word() {
        let journals = shown(&["[REDACTED:aws_access_key#1] is the key of the harbour account"]);
        let line = &candidates(&journals, false)[0];
        assert!(line.speaker.is_none() && line.said.starts_with("[REDACTED:aws_access_key#1] is"));
        assert!(line.wording.words.iter().all(|word| word != "redacted"));
    }
}
