//! The output of the program, and how it ends.

use std::error::Error;
use std::fmt::{self, Display};
use std::io::{ErrorKind, IsTerminal};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

use noctuary::workspace::Refusal;
use serde::Serialize;
use serde_json::json;
use unicode_width::UnicodeWidthStr as _;

use super::address::masked;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// All is well.
    Well,
    /// There is something to look at.
    Look,
    /// Another process works there.
    Busy,
}

impl End {
    pub(crate) fn look_if(is_so: bool) -> Self {
        if is_so { Self::Look } else { Self::Well }
    }
}

impl From<End> for ExitCode {
    fn from(end: End) -> Self {
        match end {
            End::Well => Self::SUCCESS,
            End::Look => Self::from(1),
            End::Busy => Self::from(4),
        }
    }
}

/// The messages, a line each: name, exit code, what happened, what to do.
const MESSAGES: &str = include_str!("messages.tsv");

/// A message of the table, filled in.
#[derive(Debug)]
pub(crate) struct Message {
    name: &'static str,
    exit: u8,
    what: String,
    /// The step to take; empty where the message says it already.
    then: String,
}

impl Message {
    /// Takes a message out of the table by its name, and fills its places in.
    pub(crate) fn of(name: &str, words: &[&dyn Display]) -> Self {
        let row = MESSAGES.lines().find(|row| row.split('\t').next() == Some(name));
        let mut columns = row.expect("the table has each name that is used").split('\t');
        let mut column = || columns.next().unwrap_or_default();
        let (name, exit, what, then) = (column(), column(), column(), column());
        let then = if then == "=" { "" } else { then };
        Self { name, exit: exit.parse().unwrap_or(3), what: filled(what, words), then: filled(then, words) }
    }

    /// Returns how a command ends that says it and goes on.
    pub(crate) fn end(&self) -> End {
        match self.exit {
            0 => End::Well,
            4 => End::Busy,
            _ => End::Look,
        }
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if self.then.is_empty() { Ok(()) } else { write!(f, "; {}", self.then) }
    }
}

/// The home that this command is about, with the options that name the life, and with those that name its group too.
static HERE: OnceLock<[String; 2]> = OnceLock::new();

/// Names the home that this command is about; the first one counts.
pub(crate) fn is_about(homes: [String; 2]) {
    let _ = HERE.set(homes);
}

/// Returns a text with the home of this command where it says PATH. The doctor is one of a whole life.
pub(crate) fn here(text: &str) -> String {
    let Some([life, group]) = HERE.get() else { return text.to_owned() };
    text.replace("doctor PATH", &format!("doctor {life}")).replace(" PATH", &format!(" {group}"))
}

/// Puts words into the places of a text: {0}, {1}. Words that look like a place stay as they are.
fn filled(text: &str, words: &[&dyn Display]) -> String {
    let mut filled = String::new();
    for (part, piece) in text.split('{').enumerate() {
        match piece.split_once('}') {
            Some((place, rest)) if part > 0 => {
                let word = place.parse::<usize>().ok().and_then(|place| words.get(place));
                filled.push_str(&word.expect("each place has a word").to_string());
                filled.push_str(&here(rest));
            }
            _ => filled.push_str(&here(piece)),
        }
    }
    filled
}

/// Why a command could not be carried out.
#[derive(Debug)]
pub(crate) struct Trouble(Message);

impl Trouble {
    pub(crate) fn of(name: &str, words: &[&dyn Display]) -> Self {
        Self(Message::of(name, words))
    }

    /// Returns whether the command line or the settings make no sense.
    pub(crate) fn is_usage(&self) -> bool {
        self.0.exit == 2
    }

    /// Returns whether it is that of a name.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.0.name == name
    }

    /// Returns whether a file of the life is damaged.
    pub(crate) fn is_damage(&self) -> bool {
        self.is("error.corrupt") || self.is("error.shrunk")
    }

    /// Returns what happened, without the step to take.
    pub(crate) fn what(&self) -> &str {
        &self.0.what
    }

    /// Says it on stderr, for a program as JSON, and returns the exit code.
    pub(crate) fn tell(&self, output: Output) -> ExitCode {
        let text = masked(&self.0.to_string());
        if output.json {
            eprintln!("{}", json!({"error": text, "exit": self.0.exit}));
        } else {
            eprintln!("noctuary: {text}");
        }
        ExitCode::from(self.0.exit)
    }
}

impl Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<noctuary::Error> for Trouble {
    fn from(error: noctuary::Error) -> Self {
        // In the verbs of the command.
        match &error {
            noctuary::Error::ValueStands { name, value } => {
                return Self::of("value_stands", &[name, value]);
            }
            noctuary::Error::Stopped { classes, .. } if classes.iter().any(|class| class == "forgotten") => {
                return Self::of("forgotten_words", &[]);
            }
            noctuary::Error::DreamStays { dream, reason: Refusal::GivenBack, .. } => {
                return Self::of("dream_given_back", &[dream]);
            }
            noctuary::Error::DreamStays { dream, reason: Refusal::Forgotten, .. } => {
                return Self::of("dream_forgotten", &[dream]);
            }
            noctuary::Error::Config { setting: "the text to forget", rule } => {
                return Self::of("little_to_forget", &[rule]);
            }
            _ => {}
        }
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text.push_str(&format!(": {cause}"));
            source = cause.source();
        }
        let text = in_verbs(&text);
        let name = format!("error.{}", error.kind());
        let is_known = MESSAGES.lines().any(|row| row.split('\t').next() == Some(&name));
        Self::of(if is_known { &name } else { "error.other" }, &[&text])
    }
}

impl From<serde_json::Error> for Trouble {
    fn from(error: serde_json::Error) -> Self {
        Self::of("internal", &[&error])
    }
}

/// The words of the library for a host, and those of the command for the same.
const VERBS: [(&str, &str); 5] = [
    (" (or call `merge_copies`)", ""),
    ("merge_copies merges", "`noctuary merge-copies` merges"),
    ("redo_dream", "`noctuary undo PATH ID --redo`"),
    ("read_again gives", "`noctuary read-again PATH` gives"),
    ("dream_on changes", "`noctuary dreams-on PATH` changes"),
];

/// Returns a text of the library in the verbs of the command.
pub(crate) fn in_verbs(text: &str) -> String {
    let mut said = text.to_owned();
    for (call, verb) in VERBS {
        said = said.replace(call, &here(verb));
    }
    said
}

/// Adds what was attempted, as a verb, and on which path to an error of the operating system.
pub(crate) trait At<T> {
    fn at(self, verb: &str, path: impl AsRef<Path>) -> Result<T, Trouble>;
}

impl<T> At<T> for std::io::Result<T> {
    fn at(self, verb: &str, path: impl AsRef<Path>) -> Result<T, Trouble> {
        self.map_err(|error| {
            let name = match error.kind() {
                ErrorKind::NotFound => "io.not_found",
                ErrorKind::PermissionDenied => "io.denied",
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "io.full",
                ErrorKind::AlreadyExists => "io.exists",
                _ => "io.other",
            };
            Trouble::of(name, &[&verb, &path.as_ref().display(), &error])
        })
    }
}

/// The place of what is printed: JSON, or lines for a person, with colours on a terminal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    pub(crate) json: bool,
    colour: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, colour: !json && !is_plain() && std::io::stdout().is_terminal() }
    }

    /// Prints a value as JSON.
    #[expect(clippy::unused_self, reason = "what is printed goes through the output")]
    pub(crate) fn value(self, value: &impl Serialize) -> Result<(), Trouble> {
        print(&format!("{}\n", serde_json::to_string_pretty(value)?));
        Ok(())
    }

    /// Prints a line.
    #[expect(clippy::unused_self, reason = "what is printed goes through the output")]
    pub(crate) fn line(self, text: impl AsRef<str>) {
        // What turns the order of letters around would turn the rest of the line too.
        let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        print(&format!("{}\n", text.as_ref().replace(turns, "")));
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.paint("33", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Prints a message of the table, in lines that fit; a program that reads JSON gets it on stderr. Returns how a command ends
    /// that goes on.
    pub(crate) fn say(self, name: &str, words: &[&dyn Display]) -> End {
        let message = Message::of(name, words);
        if self.json {
            notice(name, words);
        } else {
            self.wrapped(0, &format!("{message}."));
        }
        message.end()
    }

    /// Prints a line as it is. A long line is broken, with `indent` blanks before all but the first part.
    pub(crate) fn folded(self, indent: usize, text: &str) {
        if text.width() <= WIDTH {
            return self.line(text);
        }
        let fits = |(at, _): &(usize, char)| text[..*at].width() <= WIDTH;
        let (end, _) =
            text.char_indices().filter(|(_, c)| *c == ' ').take_while(fits).last().unwrap_or_default();
        if end == 0 {
            return self.wrapped(indent, text);
        }
        self.line(text[..end].trim_end());
        self.wrapped(indent, &text[end..]);
    }

    /// Prints text in lines that fit, with so many blanks before each.
    pub(crate) fn wrapped(self, indent: usize, text: &str) {
        let most = WIDTH - indent;
        let mut line = String::new();
        for word in text.split_whitespace() {
            if !line.is_empty() && line.width() + 1 + word.width() > most {
                self.line(format!("{:indent$}{line}", ""));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if !line.is_empty() {
            self.line(format!("{:indent$}{line}", ""));
        }
    }
}

/// Says a message of the table on stderr, whoever reads the rest.
pub(crate) fn notice(name: &str, words: &[&dyn Display]) {
    eprintln!("noctuary: {}", masked(&Message::of(name, words).to_string()));
}

/// Returns whether no colours are wanted.
pub(crate) fn is_plain() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// The columns of an ordinary terminal.
const WIDTH: usize = 80;

/// Prints what a library has rendered.
pub(crate) fn print_rendered(bytes: &[u8]) {
    print(&String::from_utf8_lossy(bytes));
}

/// Prints to stdout. A reader that went away, as `head` does, is no failure.
pub(crate) fn print(text: &str) {
    use std::io::Write;

    if std::io::stdout().write_all(masked(text).as_bytes()).is_err() {
        std::process::exit(0);
    }
}

/// Says how many of something there are.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if noun.ends_with('s') { "es" } else { "s" };
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}{plural}") }
}

/// Says a number of bytes.
pub(crate) fn size(bytes: u64) -> String {
    let tenths = bytes * 10 / 1024;
    if bytes < 1024 { format!("{bytes} B") } else { format!("{}.{} KiB", tenths / 10, tenths % 10) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Returns the rows of the table, in columns.
    fn rows() -> impl Iterator<Item = Vec<&'static str>> {
        MESSAGES.lines().filter(|row| !row.starts_with('#')).map(|row| row.split('\t').collect())
    }

    /// Returns the names of messages that the code takes out of the table.
    fn used() -> BTreeSet<String> {
        let mut folders = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut names = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                if path.extension().is_none_or(|end| end != "rs") {
                    continue;
                }
                let text = std::fs::read_to_string(path).unwrap();
                names.extend(text.split('"').skip(1).step_by(2).map(str::to_owned));
            }
        }
        names
    }

    #[test]
    fn each_message_says_what_happened_and_what_to_do() {
        let used = used();
        let mut names = BTreeSet::new();
        for row in rows() {
            let [name, exit, what, then] = row[..] else { panic!("{row:?} has not four columns") };
            assert!(names.insert(name), "{name} stands there twice");
            assert!(exit.parse::<u8>().is_ok_and(|exit| exit <= 4), "{name}");
            assert!(!what.trim().is_empty() && !then.trim().is_empty(), "{name}");
            // What stands in front of the step ends no sentence: both are one.
            assert!(!what.ends_with('.') && !then.ends_with('.'), "{name}");
            let computed = name.starts_with("error.") || name.starts_with("outcome.");
            assert!(computed || used.contains(name), "nothing says {name}");
        }
    }

    #[test]
    fn no_error_of_the_library_is_told_without_a_step() {
        const SOURCE: &str = include_str!("../../../src/base/error/error.rs");
        let kinds = SOURCE.split("fn kind(&self)").nth(1).unwrap().split("\n}\n").next().unwrap();
        let mut count = 0;
        for kind in kinds.split("=> \"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let row = rows().find(|row| row[0] == format!("error.{kind}"));
            let row = row.unwrap_or_else(|| panic!("error.{kind} has no row"));
            if row[3] == "=" {
                // The error says the step itself.
                let variant: String = kind.split('_').map(capital).collect();
                let at = SOURCE
                    .find(&format!("    {variant} {{"))
                    .or_else(|| SOURCE.find(&format!("    {variant},")));
                let before = &SOURCE[..at.unwrap_or_else(|| panic!("there is no {variant}"))];
                let text = &before[before.rfind("#[error(").unwrap()..];
                let says = text.contains("; ") || text.contains("{hint}");
                assert!(says, "{kind}: {text}");
            }
            count += 1;
        }
        assert!(count > 20, "the kinds were found: {count}");
    }

    #[test]
    fn each_call_that_a_message_of_the_library_names_has_its_verb() {
        const SAID: [&str; 2] = [
            include_str!("../../../src/base/error/error.rs"),
            include_str!("../../../src/dreamer/notice.rs"),
        ];
        // A text goes on in the next line.
        let one_line =
            |text: &str| text.replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ");
        let said = SAID.map(one_line).join(" ");
        for (call, verb) in VERBS {
            assert!(said.contains(call.trim()), "{call}");
            assert_eq!(in_verbs(&format!("a{call} it")), format!("a{verb} it"));
        }
    }

    fn capital(word: &str) -> String {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    }

    #[test]
    fn words_stay_as_they_are_in_their_places() {
        let told = Message::of("io.other", &[&"read", &"a{1}b", &"no}{2}"]).to_string();
        assert_eq!(
            told,
            "cannot read a{1}b: no}{2}; look at the path and its disk, and run the command again"
        );
    }
}
