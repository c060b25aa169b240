//! Whether a promoted line is supported by the lines that it cites, by its words alone.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use noctuary::format::SourceRef;
use noctuary::workspace::WorkspaceExt;
use noctuary::{DocName, Workspace};

use super::super::Result;
use super::life::Promoted;

/// The share of the longer words of a claim that its lines have.
const MOST: f64 = 2.0 / 3.0;

/// The journals of a workspace, read once.
pub(super) struct Support<'w> {
    workspace: &'w dyn Workspace,
    journals: HashMap<DocName, Vec<String>>,
}

impl<'w> Support<'w> {
    pub(super) fn new(workspace: &'w dyn Workspace) -> Self {
        Self { workspace, journals: HashMap::new() }
    }

    /// Whether a line cites lines that exist, which have each of its numbers and two in three of its longer words.
    pub(super) fn holds(&mut self, line: &Promoted) -> Result<bool> {
        let cited = self.cited(line)?;
        Ok(!cited.is_empty() && is_said(&statement(&line.text), &cited))
    }

    /// The text of the lines that a line cites, with the dates of their journals; empty where one is missing.
    pub(super) fn cited(&mut self, line: &Promoted) -> Result<String> {
        let mut text = String::new();
        for SourceRef { name, first_line, last_line } in &line.sources {
            if !self.journals.contains_key(name) {
                let journal = self.workspace.read_text(name)?.unwrap_or_default();
                self.journals.insert(name.clone(), journal.lines().map(str::to_owned).collect());
            }
            let (first, last) = (usize::try_from(*first_line)?, usize::try_from(*last_line)?);
            let Some(lines) = self.journals[name].get(first.saturating_sub(1)..last) else {
                return Ok(String::new());
            };
            text.extend([name.as_str(), "\n", &lines.join("\n"), "\n"]);
        }
        Ok(text)
    }
}

/// A line without the citations at its end.
pub(super) fn statement(line: &str) -> String {
    line.split_once(" (memory/").map_or(line, |(statement, _)| statement).to_owned()
}

/// The words of a statement without its day, to tell whether another says the same.
pub(super) fn words(line: &str) -> Vec<String> {
    let statement = statement(line);
    let undated = statement.split_once(": ").filter(|(day, _)| day.starts_with(|c: char| c.is_ascii_digit()));
    tokens(undated.map_or(statement.as_str(), |(_, rest)| rest))
}

/// A statement without the dates in brackets that a night puts behind "tomorrow".
fn undated(statement: &str) -> String {
    let mut parts = statement.split('(');
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')').filter(|(date, _)| date.parse::<NaiveDate>().is_ok()) {
            Some((_, behind)) => rest.push_str(behind),
            None => rest.extend(["(", part]),
        }
    }
    rest
}

fn is_said(statement: &str, cited: &str) -> bool {
    let statement = &undated(statement);
    let there: BTreeSet<String> = tokens(cited).into_iter().collect();
    let claimed = tokens(statement);
    let (numbers, words): (Vec<&String>, Vec<&String>) =
        claimed.iter().partition(|token| token.starts_with(|c: char| c.is_ascii_digit()));
    // The label in front may name the user, whom a journal calls by a tag.
    let longer: Vec<&String> = words.into_iter().filter(|word| word.chars().count() > 3).collect();
    let found = longer.iter().filter(|word| there.contains(word.as_str())).count();
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    let is_most = found as f64 >= MOST * longer.len() as f64;
    is_most && numbers.into_iter().all(|number| there.contains(number))
}

fn tokens(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_supported_by_its_numbers_and_most_of_its_words() {
        let cited = "memory/2026-03-12-repl.md\n- [09:10:00] [user] The berth costs 1,250 kronor a month.\n";
        assert!(is_said("2026-03-12: The berth costs 1,250 kronor a month.", cited));
        assert!(is_said("The berth costs 1,250 kronor monthly", cited));
        assert!(is_said("The berth costs 1,250 kronor a month (and tomorrow (2026-03-13)).", cited));
        assert!(!is_said("The berth costs 1,400 kronor a month.", cited), "another number");
        assert!(!is_said("Hedda signs every release.", cited), "other words");
    }

    #[test]
    fn two_lines_say_the_same_on_other_days() {
        let one = words("2026-03-12: I like tea. (memory/2026-03-12-repl.md#L3)");
        assert_eq!(one, words("2026-04-01: I like tea! (memory/2026-04-01-repl.md#L9)"));
        assert_ne!(one, words("2026-03-12: I like tea no more. (memory/2026-03-12-repl.md#L3)"));
    }
}
