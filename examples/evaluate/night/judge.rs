//! A model that judges whether a promoted line is supported: optional, beside the count by words.

use noctuary::{LlmClient, LlmRequest};

use super::super::Result;
use super::life::Promoted;
use super::support::statement;

const PROMPT: &str = include_str!("judge.md");

pub(super) struct Judge<'m>(&'m dyn LlmClient);

impl<'m> Judge<'m> {
    pub(super) fn new(model: &'m dyn LlmClient) -> Self {
        Self(model)
    }

    /// Whether the model finds a line supported by what it cites.
    pub(super) fn supports(&self, line: &Promoted, cited: &str) -> Result<bool> {
        let material = format!("Line:\n{}\n\nJournal lines:\n{cited}", statement(&line.text));
        let answer = self.0.complete(&LlmRequest::new(PROMPT, material))?.text;
        Ok(is_supported(&answer))
    }
}

/// The first word of an answer that is one of both; none is no support.
fn is_supported(answer: &str) -> bool {
    let mut words = answer.split(|c: char| !c.is_alphabetic()).map(str::to_uppercase);
    words.find(|word| word.ends_with("SUPPORTED")).is_some_and(|word| word == "SUPPORTED")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_the_first_of_both_words() {
        assert!(is_supported(" Supported."));
        assert!(!is_supported("UNSUPPORTED: the number is not SUPPORTED"));
        assert!(!is_supported("I cannot tell."));
    }
}
