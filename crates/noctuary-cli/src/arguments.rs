//! The command line.
#![expect(clippy::doc_markdown, reason = "these lines are the help of the program")]

use std::path::PathBuf;

use chrono::NaiveDate;
use clap::{Args, Parser, Subcommand, ValueEnum};
use noctuary::exchange::{ChatFormat, Dialect, Foreign};
use noctuary::facts::FactState;

use super::place::Place;

/// Memory of an agent across sessions: look, search, dream, mend, and take it elsewhere.
///
/// PATH is a folder, a database file whose name ends in .db, .sqlite or .sqlite3, or a server's
/// address, postgres://user@host/database. It may be left out where $NOCTUARY_HOME names it, or
/// [home] path of the settings.
#[derive(Debug, Parser)]
#[command(name = "noctuary", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// Print JSON, for a program to read
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The owner of the life, where a database or server holds several
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// The agent of that owner, where they have several
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// A group of that life, by a name of a-z, 0-9 and -; the first note of a group begins it
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) group: Option<String>,
    /// The settings, in place of ~/.config/noctuary/config.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print the settings that count, as a file that can be edited
    #[arg(long)]
    pub(crate) show_config: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXIT_CODES: &str = "Exit codes:
  0  done, and nothing to say
  1  done, and something to look at: a finding, a refused file, nothing found
  2  the command line or the settings make no sense
  3  it could not be done, or a row or a life is not there: the message says what to do
  4  another process works there just now: try again";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a workspace with its first documents; changes no existing file
    Init {
        /// A folder, a database or a server, which may be new
        path: Place,
        /// Let git carry it to other machines: write the lines that git needs, and set up the merge driver in this clone
        #[arg(long)]
        git: bool,
        /// Let Syncthing carry it: write the lines that it needs
        #[arg(long)]
        syncthing: bool,
    },
    /// Say what is there, what waits for a dream, and when one is due
    Status {
        /// A folder, a database or a server
        path: Place,
    },
    /// Say what a dream would keep; writes nothing
    Preview {
        /// A folder, a database or a server
        path: Place,
        #[command(flatten)]
        night: Night,
    },
    /// Dream: read new journals and keep what lasts
    Dream {
        /// A folder, a database or a server
        path: Place,
        #[command(flatten)]
        night: Night,
        /// Let what it would keep wait for `noctuary review`
        #[arg(long)]
        propose: bool,
        /// Ask the model although it failed a while ago, or the day's calls are used up
        #[arg(long)]
        now: bool,
    },
    /// Give back what dreams without a model have read, or journals by name
    ReadAgain {
        /// A folder, a database or a server
        path: Place,
        /// Journals, as memory/2026-11-20-cli.md; without, all that dreams without a model have read
        journals: Vec<String>,
    },
    /// Look over what a dream proposed: accept, edit in $EDITOR, or reject
    Review {
        /// A folder, a database or a server
        path: Place,
        /// Accept one without asking
        #[arg(long, value_name = "ID", conflicts_with = "reject")]
        accept: Option<String>,
        /// Reject one without asking
        #[arg(long, value_name = "ID")]
        reject: Option<String>,
    },
    /// Take a dream back, the latest unless named
    Undo {
        /// A folder, a database or a server
        path: Place,
        /// Its id, as `noctuary status` says it
        dream: Option<String>,
        /// Bring back a dream that was taken back
        #[arg(long)]
        redo: bool,
    },
    /// Find rows and documents by plain words, and by meaning with a model
    Search {
        /// A folder, a database or a server
        path: Place,
        /// The words to look for
        #[arg(required = true)]
        query: Vec<String>,
        /// At most this number of each
        #[arg(long, default_value_t = 5, value_parser = at_least_one)]
        limit: usize,
        /// Show this number of journal entries before and after each that matched
        #[arg(long, default_value_t = 0)]
        around: usize,
        /// Rows as they held at the end of this day
        #[arg(long, value_name = "DATE", value_parser = date)]
        as_of: Option<NaiveDate>,
        /// Search this home too, behind PATH: personal memory behind that of a project. May be given again
        #[arg(long, value_name = "OTHER")]
        with: Vec<Place>,
        /// Search by meaning too, with the model of this folder. Rows get vectors that stay in the home
        #[arg(long, value_name = "FOLDER")]
        model: Option<PathBuf>,
        /// Order what is found by the cross-encoder of this folder; else by that of `reranker` in the model's
        #[arg(long, value_name = "FOLDER")]
        reranker: Option<PathBuf>,
        #[command(flatten)]
        kept: Kept,
    },
    /// Write a line into the journal of today
    Note {
        /// A folder, a database or a server
        path: Place,
        /// The line
        #[arg(required = true)]
        text: Vec<String>,
        /// The kind of the line
        #[arg(long, value_enum, default_value_t = Kind::Happened)]
        kind: Kind,
        /// Said by this person of the group
        #[arg(long, value_name = "NAME")]
        who: Option<String>,
    },
    /// Remove a statement for good, keep it out, and print a receipt
    Forget {
        /// A folder, a database or a server
        path: Place,
        /// The statement, in its words
        #[arg(required = true)]
        text: Vec<String>,
        /// Also take it out of files that a person wrote
        #[arg(long)]
        in_files: bool,
    },
    /// List what is forgotten and the lines that it hides, or let a statement in
    Forgotten {
        #[command(subcommand)]
        what: Forgotten,
    },
    /// List the rows of the memory store
    Rows {
        /// A folder, a database or a server
        path: Place,
        #[command(flatten)]
        wanted: Wanted,
    },
    /// Show all of one row: its source, what it replaced, what may contradict it
    Row(Row),
    /// Write a row in your words
    Remember {
        /// A folder, a database or a server
        path: Place,
        /// The statement
        #[arg(required = true)]
        text: Vec<String>,
        /// Its category, as fact, user, decision or preference
        #[arg(long, default_value = "fact")]
        category: String,
        /// The property that it gives a value, as office/city; the value before it goes into the history
        #[arg(long, value_name = "SUBJECT/PROPERTY")]
        about: Option<String>,
    },
    /// Say a row in other words; the one before stays in its history
    Correct {
        #[command(flatten)]
        row: Row,
        /// The statement as it should be
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Put a row into every prompt of a main session
    Pin {
        #[command(flatten)]
        row: Row,
        /// Let it go
        #[arg(long)]
        off: bool,
    },
    /// Take a row out of lists, searches and prompts; it can be restored for 30 days
    Retire {
        #[command(flatten)]
        row: Row,
    },
    /// Bring a retired row back
    Restore {
        #[command(flatten)]
        row: Row,
    },
    /// List the pairs of rows that may contradict each other, or answer one
    Suspects(Suspects),
    /// Make rows of the lines that dreams promoted
    Feed {
        /// A folder, a database or a server
        path: Place,
    },
    /// List the rules and preferences, approve one that is proposed, or withdraw one
    Rules(Rules),
    /// List the methods with their outcomes, graduate one, or put one into quarantine
    Methods(Methods),
    /// List the lessons that the agent wrote down
    Lessons {
        /// A folder, a database or a server
        path: Place,
        /// At most this number, the latest first
        #[arg(long, default_value_t = 20, value_parser = at_least_one)]
        limit: usize,
    },
    /// Write an HTML page on the next dream, a past one, or an entity
    Page {
        /// A folder, a database or a server
        path: Place,
        /// The page
        #[arg(long, value_name = "FILE", default_value = "night.html")]
        out: PathBuf,
        /// On a past dream: its id, as `noctuary status` says it, or `last`
        #[arg(long, value_name = "ID", conflicts_with_all = ["entity", "endpoint", "all"])]
        dream: Option<String>,
        /// On a name, link, tag or address: who and what is told of it, and where
        #[arg(long, value_name = "NAME", conflicts_with_all = ["endpoint", "all"])]
        entity: Option<String>,
        #[command(flatten, next_help_heading = "For a page on the next dream")]
        asking: Asking,
    },
    /// Look for what should be mended; writes nothing without --fix --apply
    Doctor {
        /// A folder, a database or a server
        path: Place,
        /// Say what the doctor would mend itself
        #[arg(long)]
        fix: bool,
        /// Carry it out
        #[arg(long, requires = "fix")]
        apply: bool,
        /// Only this action: index, state, lock, permissions, embeddings, edges, methodology_demotion, reflect_pending
        #[arg(long, value_name = "ACTION", requires = "fix")]
        only: Vec<String>,
        /// Ask the model at this endpoint, for reflect_pending
        #[arg(long, value_name = "URL", requires = "model")]
        endpoint: Option<String>,
        /// The model's name
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// Leave out names and exact numbers
        #[arg(long)]
        anonymous: bool,
    },
    /// Write all memory and documents as a tree of markdown
    Export {
        /// A folder, a database or a server
        path: Place,
        /// A folder that is new or empty
        out: PathBuf,
        /// Without a signature
        #[arg(long)]
        unsigned: bool,
        /// Rows alone
        #[arg(long)]
        no_documents: bool,
        /// Also hard constraints, which stay behind otherwise
        #[arg(long)]
        include_constraints: bool,
        /// Also the trades of a database, on the pages of their assets
        #[arg(long)]
        trades: bool,
        /// In a format that other programs read
        #[arg(long = "as", value_name = "FORMAT")]
        format: Option<OutFormat>,
    },
    /// Bring in such a tree, chats, or another program's memory; a plan until --apply
    Import {
        /// The tree, or what the other program has: its export, a file or a folder
        #[arg(value_name = "IN")]
        input: PathBuf,
        /// A folder, a database or a server, which may be new
        path: Place,
        /// Read it as what another program has
        #[arg(long, value_name = "FORMAT")]
        from: Option<InFormat>,
        /// The user of that export whose memories are wanted
        #[arg(long, value_name = "NAME", requires = "from")]
        of: Option<String>,
        /// Of chats, leave out messages before this day, as 2026-11-20
        #[arg(long, value_name = "DATE", requires = "from", value_parser = date)]
        since: Option<NaiveDate>,
        /// Of chats, take those whose id begins with this text or whose title holds it
        #[arg(long, value_name = "TEXT", requires = "from")]
        only: Option<String>,
        /// Say what it would do, as without --apply
        #[arg(long, conflicts_with = "apply")]
        dry_run: bool,
        /// Do it
        #[arg(long)]
        apply: bool,
        /// Trust what this operator has signed: the identity that their export printed
        #[arg(long, value_name = "IDENTITY")]
        trust: Vec<String>,
        /// Let hard constraints in as proposals, where a person is at the terminal
        #[arg(long)]
        approve_hard_constraints: bool,
    },
    /// Copy everything, as it is, into a new folder or file
    Backup {
        /// A folder or database
        path: Place,
        /// A new folder, or a new file for a database
        out: PathBuf,
    },
    /// Copy a life into another, empty home: between folders, databases and servers
    Copy {
        /// A folder, a database or a server
        path: Place,
        /// A folder, a database or a server, which may be new
        out: Place,
    },
    /// Merge two copies of a life, two folders or two databases, into a new one
    Merge {
        /// One copy
        ours: PathBuf,
        /// The other
        theirs: PathBuf,
        /// A folder that is new or empty, or a new database
        out: PathBuf,
        /// A copy from the moment when both were last the same
        #[arg(long, value_name = "PATH")]
        base: Option<PathBuf>,
    },
    /// Merge the copies that a sync tool left beside changed files, and remove them
    MergeCopies {
        /// A folder
        path: Place,
    },
    /// Merge one file, as git asks for it
    MergeDriver {
        /// The version that both came of
        base: PathBuf,
        /// Our version; the result is written here
        ours: PathBuf,
        /// Their version
        theirs: PathBuf,
        /// The path in the repository
        path: String,
    },
    /// Leave the dreaming to one machine, or say which has it
    DreamsOn {
        /// A folder, a database or a server
        path: Place,
        /// The name of the machine; without, say which it is
        machine: Option<String>,
        /// Let each machine dream again
        #[arg(long, conflicts_with = "machine")]
        anywhere: bool,
    },
    /// Remove a life, or one person of a group: documents, journals, rows and state
    Erase {
        /// A folder, a database or a server
        path: Place,
        /// This participant alone: what they said, and what rests on it
        #[arg(long, value_name = "NAME")]
        who: Option<String>,
        /// With --who: also the lines and rows of others that name them
        #[arg(long, requires = "who")]
        mentions: bool,
        /// Do it; without, say what would go
        #[arg(long, alias = "apply")]
        yes: bool,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man {
        /// Write it and a page for each command into this folder
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
}

impl Command {
    /// Returns whether it may be of a group alone.
    pub(crate) fn takes_group(&self) -> bool {
        matches!(
            self,
            Self::Status { .. }
                | Self::Preview { .. }
                | Self::Dream { .. }
                | Self::ReadAgain { .. }
                | Self::Review { .. }
                | Self::Undo { .. }
                | Self::Search { .. }
                | Self::Note { .. }
                | Self::Forget { .. }
                | Self::Forgotten { .. }
                | Self::Rows { .. }
                | Self::Row(_)
                | Self::Remember { .. }
                | Self::Correct { .. }
                | Self::Pin { .. }
                | Self::Retire { .. }
                | Self::Restore { .. }
                | Self::Suspects(_)
                | Self::Feed { .. }
                | Self::Export { .. }
                | Self::Import { .. }
                | Self::Erase { who: Some(_), .. }
        )
    }
}

/// The actions on forgotten statements.
#[derive(Debug, Subcommand)]
pub(crate) enum Forgotten {
    /// List them, without their words: an id, the day, where each was found, and the lines of yours that it hides
    List {
        /// A folder, a database or a server
        path: Place,
    },
    /// Let a statement in again; what was removed stays removed
    Lift {
        /// A folder, a database or a server
        path: Place,
        /// The statement in its words, or its id from `forgotten list`
        #[arg(required = true)]
        text: Vec<String>,
    },
}

/// A row of a life.
#[derive(Debug, Args)]
pub(crate) struct Row {
    /// A folder, a database or a server
    pub(crate) path: Place,
    /// Its id, as `noctuary rows` and `search` print it
    pub(crate) id: String,
}

/// The rows and documents that are kept.
#[derive(Debug, Args)]
pub(crate) struct Kept {
    /// Of this category, as user, fact or decision
    #[arg(long)]
    pub(crate) category: Option<String>,
    /// From this origin: user, agent, tool, tool:NAME, web, import, participant or system
    #[arg(long, value_parser = origin)]
    pub(crate) origin: Option<String>,
    /// Said by this participant of a group
    #[arg(long, value_name = "NAME")]
    pub(crate) who: Option<String>,
    /// With this #tag in its words
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Rows touched, and journals, of this day or later
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) from: Option<NaiveDate>,
    /// Rows touched, and journals, of this day or before
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) until: Option<NaiveDate>,
}

/// The rows that are listed.
#[derive(Debug, Args)]
pub(crate) struct Wanted {
    #[command(flatten)]
    pub(crate) kept: Kept,
    /// In this state
    #[arg(long, value_enum)]
    pub(crate) state: Option<RowState>,
    /// At most this number, the latest first
    #[arg(long, default_value_t = 50, value_parser = at_least_one)]
    pub(crate) limit: usize,
}

/// A pair of rows that may contradict each other, and its answer.
#[derive(Debug, Args)]
pub(crate) struct Suspects {
    /// A folder, a database or a server
    pub(crate) path: Place,
    /// The older row of a pair
    #[arg(requires = "newer")]
    pub(crate) older: Option<String>,
    /// The newer one
    pub(crate) newer: Option<String>,
    /// The answer
    #[arg(value_enum)]
    pub(crate) answer: Option<Answer>,
    /// Take the answer on a pair back
    #[arg(long, requires = "newer", conflicts_with = "answer")]
    pub(crate) undo: bool,
}

/// The states of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowState {
    /// Written, and not settled yet
    Pending,
    /// It counts
    Candidate,
    /// A person confirmed it
    Verified,
    /// Another one contradicts it
    Disputed,
    /// Another one took its place
    Superseded,
    /// Found to be wrong
    Rejected,
    /// Out by `retire`; `restore` brings it back
    Retired,
}

impl RowState {
    /// Returns the state of the library; `None` for a row that was taken out.
    pub(crate) fn of_fact(self) -> Option<FactState> {
        self.to_possible_value()?.get_name().parse().ok()
    }
}

/// Reads a day of the command line.
fn date(text: &str) -> Result<NaiveDate, String> {
    text.parse().map_err(|_| "a day is wanted, as 2026-11-20".to_owned())
}

/// Reads a number of things to show.
fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "a number from 1 on is wanted".to_owned())
}

/// The origins that a row can have, without the names of tools and participants.
pub(crate) const ORIGINS: [&str; 7] = ["user", "agent", "tool", "web", "import", "participant", "system"];

/// Reads an origin of the command line: one of the known ones, `tool:NAME` or `participant:NAME`.
fn origin(text: &str) -> Result<String, String> {
    let kind = text.split(':').next().unwrap_or_default().to_lowercase();
    if ORIGINS.contains(&kind.as_str()) {
        Ok(text.to_owned())
    } else {
        Err(format!("an origin is one of {}", ORIGINS.join(", ")))
    }
}

/// The answers to a pair of rows that may contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Answer {
    /// Both say the same: the older one stays
    Same,
    /// The newer one is how it is now
    Newer,
    /// The older one is right, and the newer one wrong
    Older,
    /// Both are right
    Both,
    /// Neither is right
    Neither,
}

/// The rules of a life, and an answer to one.
#[derive(Debug, Args)]
pub(crate) struct Rules {
    /// A folder, a database or a server
    pub(crate) path: Place,
    /// Put a proposed one into force; a hard constraint asks at the terminal
    #[arg(long, value_name = "ID", conflicts_with = "withdraw")]
    pub(crate) approve: Option<String>,
    /// Take one back
    #[arg(long, value_name = "ID")]
    pub(crate) withdraw: Option<String>,
}

/// The methods of a life, and a word on one.
#[derive(Debug, Args)]
pub(crate) struct Methods {
    /// A folder, a database or a server
    pub(crate) path: Place,
    /// Graduate one whose outcomes bear it out
    #[arg(long, value_name = "ID", conflicts_with_all = ["quarantine", "release"])]
    pub(crate) graduate: Option<String>,
    /// Put one into quarantine
    #[arg(long, value_name = "ID", conflicts_with = "release")]
    pub(crate) quarantine: Option<String>,
    /// Let one out of quarantine
    #[arg(long, value_name = "ID")]
    pub(crate) release: Option<String>,
    /// Show this number of cases of each
    #[arg(long, default_value_t = 0)]
    pub(crate) cases: usize,
}

/// The settings of one dream, and its page.
#[derive(Debug, Args)]
pub(crate) struct Night {
    #[command(flatten)]
    pub(crate) asking: Asking,
    /// Also write an HTML page on it
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// The settings of one dream.
#[derive(Debug, Args)]
pub(crate) struct Asking {
    /// Ask the model at this endpoint, as Ollama's http://127.0.0.1:11434/v1
    #[arg(long, value_name = "URL", requires = "model")]
    pub(crate) endpoint: Option<String>,
    /// The model's name; its key, where it wants one, is in $NOCTUARY_API_KEY
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Read journals of any age
    #[arg(long)]
    pub(crate) all: bool,
}

/// The formats that an export can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutFormat {
    /// Open Knowledge Format, version 0.2
    Okf,
}

/// The formats that an import can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InFormat {
    /// The memories of mem0, as JSON
    Mem0,
    /// An agent file of Letta
    Letta,
    /// Open Knowledge Format, version 0.2
    Okf,
    /// Chats: the export of ChatGPT, its zip or conversations.json
    Chatgpt,
    /// Chats: the export of Claude, its zip or conversations.json
    Claude,
    /// Chats: sessions of Claude Code, ~/.claude/projects
    ClaudeCode,
    /// Chats: sessions of the Codex CLI, ~/.codex/sessions
    Codex,
    /// Chats: sessions of an OpenClaw agent, ~/.openclaw/agents/NAME/sessions
    OpenclawSessions,
    /// Chats in markdown, with a heading or label for each speaker
    MarkdownChats,
    /// Memory: the workspace of OpenClaw
    Openclaw,
    /// Memory: the folder of Hermes
    Hermes,
    /// Memory: the folder of Claude Code's memory of a project
    ClaudeCodeMemory,
    /// Memory: the workspace of IronClaw
    Ironclaw,
    /// Memory: the workspace of PicoClaw
    Picoclaw,
}

/// The way in which a format comes in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Way {
    /// As parts that are judged like those of a bundle.
    Foreign(Foreign),
    /// As journals.
    Chats(ChatFormat),
    /// As documents.
    Memory(Dialect),
}

impl InFormat {
    pub(crate) fn way(self) -> Way {
        match self {
            Self::Mem0 => Way::Foreign(Foreign::Mem0),
            Self::Letta => Way::Foreign(Foreign::Letta),
            Self::Okf => Way::Foreign(Foreign::Okf),
            Self::Chatgpt => Way::Chats(ChatFormat::ChatGpt),
            Self::Claude => Way::Chats(ChatFormat::Claude),
            Self::ClaudeCode => Way::Chats(ChatFormat::ClaudeCode),
            Self::Codex => Way::Chats(ChatFormat::Codex),
            Self::OpenclawSessions => Way::Chats(ChatFormat::OpenClaw),
            Self::MarkdownChats => Way::Chats(ChatFormat::Markdown),
            Self::Openclaw => Way::Memory(Dialect::OpenClaw),
            Self::Hermes => Way::Memory(Dialect::Hermes),
            Self::ClaudeCodeMemory => Way::Memory(Dialect::ClaudeCode),
            Self::Ironclaw => Way::Memory(Dialect::IronClaw),
            Self::Picoclaw => Way::Memory(Dialect::PicoClaw),
        }
    }
}

/// The kinds of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Something that happened
    Happened,
    /// A decision
    Decision,
    /// Something to remember
    Remember,
    /// An open question
    Question,
}
