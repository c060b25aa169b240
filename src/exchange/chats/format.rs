//! The formats of chats that can be read.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The program that a chat was had with, or the form in which it was kept.
///
/// | format | what is read | which messages |
/// |---|---|---|
/// | [`ChatGpt`](Self::ChatGpt), [`Claude`](Self::Claude) | the export's zip, its folder, or a `conversations.json` | those of the branch that the person saw last |
/// | [`ClaudeCode`](Self::ClaudeCode), [`Codex`](Self::Codex), [`OpenClaw`](Self::OpenClaw) | a session's `.jsonl`, or a folder with any number of them | all, in the order of the file |
/// | [`Markdown`](Self::Markdown) | a file, or a folder of files, with a heading or label for each speaker | all |
///
/// System prompts, thinking, and calls of tools stay out; what tools answered comes in. Pictures and files become a short reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChatFormat {
    /// The export of ChatGPT.
    ChatGpt,
    /// The export of Claude.
    Claude,
    /// Sessions of Claude Code, `~/.claude/projects`.
    ClaudeCode,
    /// Sessions of the Codex CLI, `~/.codex/sessions`.
    Codex,
    /// Sessions of an OpenClaw agent, `~/.openclaw/agents/NAME/sessions`. Sessions with others stay out by `sessions.json`; those
    /// that it does not name, by the senders in front of their messages.
    OpenClaw,
    /// Markdown.
    Markdown,
}

impl ChatFormat {
    /// Returns whether a file of a folder or of a zip may hold chats, by its name.
    pub(super) fn wants(self, file: &str) -> bool {
        let file = file.to_ascii_lowercase();
        let end = file.rsplit('.').next().unwrap_or_default();
        match self {
            Self::ChatGpt | Self::Claude => file.starts_with("conversations") && end == "json",
            Self::OpenClaw if file == INDEX => true,
            Self::ClaudeCode | Self::Codex | Self::OpenClaw => end == "jsonl",
            Self::Markdown => ["md", "markdown", "txt"].contains(&end),
        }
    }

    /// Returns whether a session that is resumed copies the messages before it, under their ids.
    pub(super) fn copies_messages(self) -> bool {
        self == Self::ClaudeCode
    }

    /// Says that a folder or a zip holds no file of this format.
    pub(super) fn missing(self) -> &'static str {
        match self {
            Self::ChatGpt | Self::Claude => {
                "it holds no conversations.json; name the export as it was downloaded"
            }
            Self::ClaudeCode | Self::Codex | Self::OpenClaw => {
                "it holds no .jsonl file; name the folder of the sessions"
            }
            Self::Markdown => "it holds no markdown",
        }
    }

    /// Returns whether a text is the program's own, and nobody's words.
    pub(super) fn hides(self, text: &str) -> bool {
        let (name, text) = (self.to_string(), text.trim_start());
        let rows = include_str!("hidden.tsv").lines().filter_map(|row| row.split_once('\t'));
        rows.filter(|(of, _)| *of == name).any(|(_, front)| text.starts_with(front))
    }
}

/// The list of sessions beside those of OpenClaw.
pub(super) const INDEX: &str = "sessions.json";

impl fmt::Display for ChatFormat {
    /// Prints the word that the names of journals begin with.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ChatGpt => "chatgpt",
            Self::Claude => "claude",
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::OpenClaw => "openclaw",
            Self::Markdown => "markdown",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [ChatFormat; 6] = [
        ChatFormat::ChatGpt,
        ChatFormat::Claude,
        ChatFormat::ClaudeCode,
        ChatFormat::Codex,
        ChatFormat::OpenClaw,
        ChatFormat::Markdown,
    ];

    #[test]
    fn each_row_of_the_table_names_a_format_and_a_beginning() {
        let rows: Vec<&str> =
            include_str!("hidden.tsv").lines().filter(|row| !row.starts_with('#')).collect();
        for row in &rows {
            let (of, front) = row.split_once('\t').unwrap();
            let format = ALL.into_iter().find(|format| format.to_string() == of).unwrap();
            assert!(front.len() > 4 && format.hides(&format!("\n{front} and more")), "{row}");
        }
        assert!(rows.is_sorted(), "a row has its place");
        assert!(!ChatFormat::Codex.hides("What is an <environment_context>?"));
    }
}
