//! The output of the program, and how it ends.

use std::error::Error;
use std::io::IsTerminal;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;

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

/// Why a command could not be carried out.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The command line or the settings make no sense.
    Usage(String),
    /// Something failed.
    Failed(Box<dyn Error>),
}

impl Trouble {
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into().into())
    }

    /// Says it on stderr, for a program as JSON, and returns the exit code.
    pub(crate) fn tell(&self, output: Output) -> ExitCode {
        let (text, code) = self.said();
        let text = masked(&text);
        if output.json {
            eprintln!("{}", json!({"error": text, "exit": code}));
        } else {
            eprintln!("noctuary: {text}");
        }
        ExitCode::from(code)
    }

    /// Returns the text and the exit code.
    fn said(&self) -> (String, u8) {
        match self {
            Self::Usage(text) => (text.clone(), 2),
            Self::Failed(error) => {
                let mut text = error.to_string();
                let mut source = error.source();
                while let Some(cause) = source {
                    text.push_str(&format!(": {cause}"));
                    source = cause.source();
                }
                let is_busy = error
                    .downcast_ref::<noctuary::Error>()
                    .is_some_and(|error| matches!(error, noctuary::Error::Busy { .. }));
                (text, if is_busy { 4 } else { 3 })
            }
        }
    }
}

impl<E: Error + 'static> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self::Failed(Box::new(error))
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
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { json, colour: !json && !is_plain && std::io::stdout().is_terminal() }
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
        print(&format!("{}\n", text.as_ref()));
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

    /// Prints a line as it is, or where it is too long in several, with so many blanks before all but the first.
    pub(crate) fn folded(self, indent: usize, text: &str) {
        if text.chars().count() <= WIDTH {
            return self.line(text);
        }
        let fits = |(at, _): &(usize, char)| text[..*at].chars().count() <= WIDTH;
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
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > most {
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

/// The columns of an ordinary terminal.
const WIDTH: usize = 80;

/// Prints what a library has rendered.
pub(crate) fn print_rendered(bytes: &[u8]) {
    print(&String::from_utf8_lossy(bytes));
}

/// Prints to stdout. A reader that went away, as `head` does, is no failure.
fn print(text: &str) {
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
