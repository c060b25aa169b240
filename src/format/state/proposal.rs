//! Proposals: what a dream would append, each in a file that a person edits, and the list of those that wait.
//!
//! `.dreaming.d/proposals/<id>.md`:
//!
//! ```text
//! <!-- proposal:v1 id=0f3a9c5be2d14477 day=2026-11-21 src=3 -->
//! <!-- Change, add or take out lines, then accept it or reject it. Until then nothing reads it. -->
//!
//! ### Facts
//! - Deploys run on Fridays. (memory/2026-11-20-repl.md#L12)
//!
//! <!-- /proposal:v1 id=0f3a9c5be2d14477 -->
//! ```
//!
//! Between the marks are only bullets and the three headings. They are appended as they are, or not at all.
//! `.dreaming.d/proposals.json` has what is not for editing:
//!
//! ```text
//! {"v":1,"waiting":[{"id":"0f3a9c5be2d14477","at":"2026-11-21T03:00:00Z","day":"2026-11-21",
//!   "sources":[{"name":"memory/2026-11-20-repl.md","from":0,"to":18342,"sha256":"…"}],"lines":["…"]}]}
//! ```

use std::fmt;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::file::StateFile;
use super::log::LogSource;
use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::StateName;
use crate::base::order;
use crate::base::text;
use crate::format::DreamId;
use crate::format::replies::reply;

const VERSION: u64 = 1;
const FILE: StateFile = StateFile::sealed(StateName::PROPOSALS, Some(VERSION));

/// The second line of a file. A person may take it out.
const HINT: &str =
    "<!-- Change, add or take out lines, then accept it or reject it. Until then nothing reads it. -->";

/// The list of proposals that nobody has answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Proposals {
    v: u64,
    waiting: Vec<Waiting>,
    /// Keys of others, kept as they are.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// A proposal that nobody has answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiting {
    pub(crate) id: DreamId,
    /// When it was made.
    pub(crate) at: DateTime<Utc>,
    /// The day in the heading of its section.
    pub(crate) day: NaiveDate,
    /// The slices that the model was shown.
    pub(crate) sources: Vec<LogSource>,
    /// The hashes of the statements that it was made with.
    pub(crate) lines: Vec<String>,
}

impl Default for Proposals {
    fn default() -> Self {
        Self { v: VERSION, waiting: Vec::new(), others: Map::new() }
    }
}

impl Proposals {
    /// Parses the file; `None` (no file) means that nothing waits.
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Self> {
        Ok(FILE.parse(bytes)?.unwrap_or_default())
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        FILE.print(self)
    }

    /// Returns the proposals without an answer, oldest first.
    pub(crate) fn waiting(&self) -> &[Waiting] {
        &self.waiting
    }

    /// Returns the slices of each, to be changed.
    pub(crate) fn sources_mut(&mut self) -> impl Iterator<Item = &mut Vec<LogSource>> {
        self.waiting.iter_mut().map(|waiting| &mut waiting.sources)
    }

    pub(crate) fn get(&self, id: &DreamId) -> Option<&Waiting> {
        self.waiting.iter().find(|waiting| waiting.id == *id)
    }

    /// Adds one, in the place of another of the same dream.
    pub(crate) fn put(&mut self, waiting: &Waiting) {
        self.remove(&waiting.id);
        self.waiting.push(waiting.clone());
    }

    pub(crate) fn remove(&mut self, id: &DreamId) {
        order::retain(&mut self.waiting, |waiting| waiting.id != *id);
    }
}

impl Waiting {
    /// Returns the name of the file with the words.
    pub(crate) fn name(&self) -> StateName {
        StateName::proposal(&self.id)
    }

    fn header(&self) -> String {
        format!("<!-- proposal:v1 id={} day={} src={} -->", self.id, self.day, self.sources.len())
    }

    fn footer(&self) -> String {
        format!("<!-- /proposal:v1 id={} -->", self.id)
    }

    /// Prints the file around bullets under their headings.
    pub(crate) fn print(&self, body: &str) -> String {
        format!("{}\n{HINT}\n\n{}\n\n{}\n", self.header(), body.trim_end(), self.footer())
    }

    /// Reads a file back, as a person may have edited it.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] with the file and the line, where the marks were changed, or anything but bullets and known
    /// headings is between them.
    pub(crate) fn parse(&self, file: &str) -> Result<Vec<Bullet>> {
        let file = file.strip_prefix(text::BOM).unwrap_or(file);
        let damaged =
            |line: usize, what| Err(Error::Corrupt { name: self.name().to_string(), line, column: 1, what });
        let lines: Vec<&str> = text::line_ranges(file).map(|range| file[range].trim_end()).gather();
        if lines.first().copied() != Some(&self.header()) {
            return damaged(1, "its first line is not the one that it was made with");
        }
        let last = lines.iter().rposition(|line| !line.is_empty()).unwrap_or(0);
        if last == 0 || lines[last] != self.footer() {
            return damaged(last + 1, "it does not end with the line that it was made with");
        }
        let mut bullets: Vec<Bullet> = Vec::new();
        let (mut heading, mut is_open) = (None, false);
        for (number, line) in (1..=last).zip(&lines).skip(1) {
            let continues = is_open && line.starts_with([' ', '\t']) && reply::bullet(line).is_none();
            is_open &= continues;
            if line.is_empty() || (number == 2 && *line == HINT) {
            } else if let (true, Some(bullet)) = (continues, bullets.last_mut()) {
                // A person may have folded a long line.
                bullet.text.push(' ');
                bullet.text.push_str(line.trim_start());
            } else if let Some(text) = reply::bullet(line) {
                bullets.push(Bullet { line: number, heading, text: text.to_owned() });
                is_open = true;
            } else if line.starts_with('#') {
                let title = line.trim_start_matches('#').trim();
                heading = reply::HEADINGS.into_iter().find(|known| known.eq_ignore_ascii_case(title));
                if heading.is_none() {
                    return damaged(number, "a heading is neither Facts, Preferences nor Decisions");
                }
            } else {
                return damaged(number, "a line is neither a bullet nor a heading");
            }
        }
        if bullets.is_empty() {
            damaged(last + 1, "no line is left of it: reject it instead")
        } else {
            Ok(bullets)
        }
    }
}

/// A line of a proposal.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Bullet {
    /// The first line in the file, from 1.
    pub(crate) line: usize,
    pub(crate) heading: Option<&'static str>,
    /// Without its mark, its citations included.
    pub(crate) text: String,
}

debug_as!(Bullet, |it| "Bullet {{ line: {}, bytes: {} }}", it.line, it.text.len());

/// The step of a commit that changes a proposal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProposalStep {
    /// It is made.
    Made {
        /// The proposal.
        waiting: Waiting,
        /// The file.
        text: String,
    },
    /// It is answered, and goes.
    Answered {
        id: DreamId,
        /// The file that the answer was given to: one that a person has changed since stays.
        sha256: Option<Digest>,
    },
}

impl fmt::Debug for ProposalStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Made { waiting, text } => write!(f, "Made {{ id: {}, bytes: {} }}", waiting.id, text.len()),
            Self::Answered { id, .. } => write!(f, "Answered {{ id: {id} }}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn waiting() -> Waiting {
        Waiting {
            id: DreamId::parse("0123456789abcdef").unwrap(),
            at: DateTime::UNIX_EPOCH,
            day: NaiveDate::from_ymd_opt(2026, 11, 21).unwrap(),
            sources: Vec::new(),
            lines: vec!["a".into()],
        }
    }

    fn fault(file: &str) -> (usize, &'static str) {
        match waiting().parse(file) {
            Err(Error::Corrupt { name, line, what, .. }) => {
                assert_eq!(name, ".dreaming.d/proposals/0123456789abcdef.md");
                (line, what)
            }
            other => panic!("{other:?}\n{file}"),
        }
    }

    #[test]
    fn a_file_reads_back_and_takes_what_editors_do_to_it() {
        let file = waiting().print("- Bare.\n\n### Facts\n- One. (memory/a.md#L1)\n");
        assert!(
            file.starts_with("<!-- proposal:v1 id=0123456789abcdef day=2026-11-21 src=0 -->\n<!-- Change")
        );
        let bullet = |line, heading, text: &str| Bullet { line, heading, text: text.into() };
        let expected = [bullet(4, None, "Bare."), bullet(7, Some("Facts"), "One. (memory/a.md#L1)")];
        assert_eq!(waiting().parse(&file).unwrap(), expected);
        for edited in [
            format!("\u{feff}{}", file.replace('\n', "\r\n")),
            format!("{file}\n \n"),
            file.trim_end().into(),
        ] {
            assert_eq!(waiting().parse(&edited).unwrap(), expected);
        }
        let edited =
            file.replace(&format!("{HINT}\n"), "").replace("- Bare.", "* Folded\n  here.\n## decisions");
        let bullets = waiting().parse(&edited).unwrap();
        assert_eq!(bullets[0], bullet(3, None, "Folded here."));
        assert_eq!(bullets[1].line, 8);
    }

    #[test]
    fn a_file_that_is_none_any_more_is_told_by_its_line() {
        let file = waiting().print("### Facts\n- One.");
        let without = |line: usize| {
            let kept = file.lines().enumerate().filter(|(at, _)| *at + 1 != line).map(|(_, line)| line);
            kept.collect::<Vec<_>>().join("\n")
        };
        assert_eq!(fault("").0, 1);
        assert_eq!(fault(&without(1)).0, 1);
        assert_eq!(fault(&file.replacen("id=0123456789abcdef", "id=aaaaaaaaaaaaaaaa", 1)).0, 1);
        assert_eq!(fault(&file.replace("day=2026-11-21", "day=2026-11-22")).0, 1);
        assert_eq!(fault(&without(7)), (5, "it does not end with the line that it was made with"));
        assert_eq!(fault(&format!("{file}more\n")).0, 8);
        assert_eq!(fault(&without(5)), (6, "no line is left of it: reject it instead"));
        assert_eq!(fault(&file.replace("- One.", "- One.\nprose")).0, 6);
        assert_eq!(fault(&file.replace("- One.", "- One.\n\n  prose")).0, 7);
        assert_eq!(fault(&file.replace("### Facts", "### Mine")).0, 4);
        assert_eq!(fault(&file.replace("- One.", &format!("- One.\n{HINT}"))).0, 6);
        assert_eq!(fault(&file.replace("- One.", &format!("- One.\n{}", waiting().footer()))).0, 6);
        assert_eq!(
            fault(&file.replace("- One.", "<!-- dream:v1 id=0123456789abcdef src=1 -->\n- One.")).0,
            5
        );
    }

    #[test]
    fn a_proposal_is_listed_once() {
        let mut list = Proposals::default();
        list.put(&waiting());
        list.put(&waiting());
        assert_eq!(list.waiting(), [waiting()]);
        list.remove(&waiting().id);
        assert!(list.get(&waiting().id).is_none());
    }

    proptest! {
        #[test]
        fn any_text_parses_or_is_told_by_a_line_that_it_has(body in "(\\PC{0,12}|- |### Facts|\n|  |<!--|-->){0,12}") {
            let file = waiting().print(&body);
            match waiting().parse(&file) {
                Ok(bullets) => prop_assert!(!bullets.is_empty()),
                Err(Error::Corrupt { line, .. }) => prop_assert!((1..=file.lines().count()).contains(&line)),
                Err(other) => panic!("{other:?}"),
            }
        }
    }
}
