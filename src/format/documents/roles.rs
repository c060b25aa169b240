//! Words for roles: names of the user, of the agent, and of tools, and words that name nobody.

use super::labels;
use super::origin::Origin;
use crate::base::text;

/// The form of a speaker's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// In brackets.
    Tag,
    /// Before a colon.
    Label,
    /// Alone on a line.
    Title,
}

/// Returns the role that a name tells, and whether it names a speaker in any journal before a colon. `None` for any
/// other name.
pub(super) fn role(name: &str) -> Option<(Origin, bool)> {
    let plain = text::same_name(name);
    let plain = plain.trim_start_matches('@').trim();
    let is_sure = is_sure(plain, Form::Label);
    if has(USERS, plain) {
        return Some((Origin::User, is_sure));
    }
    let first = plain.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    let last = plain.rsplit(' ').next().unwrap_or_default();
    let origin = match first {
        "system" => Origin::System,
        "import" => Origin::Import,
        _ if has(WEB, first) => Origin::Web,
        _ if has(TOOLS, first) => plain.parse().unwrap_or_else(|_| Origin::Tool(String::new())),
        _ if has(AGENTS, first) => Origin::Agent,
        // "Coding agent", "my assistant".
        _ if ENDINGS.contains(&last) => Origin::Agent,
        _ => return None,
    };
    Some((origin, is_sure))
}

/// Returns whether a name, in small letters, names a speaker in any journal where it is written in this form.
pub(super) fn is_sure(name: &str, form: Form) -> bool {
    let mut all = [USERS, AGENTS, WEB, TOOLS, OTHERS].into_iter().flatten();
    all.any(|(word, forms)| *word == name && forms.contains(&form))
}

/// Returns whether a word, in small letters, names nobody where it is in front of a colon or in brackets.
pub(super) fn is_label(word: &str) -> bool {
    labels::is_label(word)
}

/// Returns whether a word is one for the user or the agent.
pub(crate) fn is_party(word: &str) -> bool {
    has(USERS, word) || has(AGENTS, word) || word == "operator"
}

/// Returns whether a word is one for the user.
pub(crate) fn is_user(word: &str) -> bool {
    has(USERS, &word.to_lowercase())
}

fn has(words: &[Word], name: &str) -> bool {
    words.iter().any(|(word, _)| *word == name)
}

/// A word for a role, and the forms in which it names a speaker in any journal.
type Word = (&'static str, &'static [Form]);

const ANY: &[Form] = &[Form::Label, Form::Tag, Form::Title];
const LABEL: &[Form] = &[Form::Label];
const TAG: &[Form] = &[Form::Tag];
const TITLE: &[Form] = &[Form::Title];
const TAG_OR_TITLE: &[Form] = &[Form::Tag, Form::Title];
const LABEL_OR_TITLE: &[Form] = &[Form::Label, Form::Title];
/// Only where the journal has speakers.
const NONE: &[Form] = &[];

/// Words for the user, as the whole name.
const USERS: &[Word] = &[
    ("user", ANY),
    ("the user", LABEL),
    ("human", ANY),
    ("the human", NONE),
    ("me", NONE),
    ("owner", NONE),
    ("nutzer", LABEL),
    ("benutzer", LABEL),
    ("usuario", LABEL),
    ("utilisateur", LABEL),
    ("utente", LABEL),
    ("usuário", LABEL),
    ("пользователь", LABEL),
    ("用户", LABEL),
    ("ユーザー", LABEL),
    ("사용자", LABEL),
];

/// Words for the agent, as the first of a name.
const AGENTS: &[Word] = &[
    ("agent", TAG_OR_TITLE),
    ("assistant", ANY),
    ("ai", TAG_OR_TITLE),
    ("bot", TAG_OR_TITLE),
    ("model", NONE),
    ("llm", NONE),
    ("chatbot", NONE),
    ("chatgpt", LABEL_OR_TITLE),
    ("gpt", NONE),
    ("claude", TITLE),
    ("gemini", TITLE),
    ("copilot", NONE),
    ("assistent", LABEL),
    ("asistente", LABEL),
    ("assistente", LABEL),
    ("ассистент", LABEL),
    ("助手", LABEL),
    ("アシスタント", LABEL),
    ("비서", NONE),
];

/// Words for the agent, as the last of a name.
const ENDINGS: &[&str] = &["assistant", "agent", "bot", "chatbot"];

/// Words for a page or a search, as the first of a name.
const WEB: &[Word] = &[
    ("web", TAG),
    ("browser", TAG),
    ("fetch", NONE),
    ("search", NONE),
    ("website", NONE),
    ("webpage", NONE),
];

/// Words for a machine, as the first of a name.
const TOOLS: &[Word] = &[
    ("tool", TAG_OR_TITLE),
    ("tools", NONE),
    ("tool_result", LABEL),
    ("tool_call", NONE),
    ("function", NONE),
    ("shell", TAG),
    ("bash", TAG),
    ("cmd", NONE),
    ("stdout", TAG),
    ("stderr", TAG),
    ("output", NONE),
    ("log", NONE),
    ("cron", NONE),
    ("hook", NONE),
    ("exec", NONE),
    ("terminal", NONE),
    ("ci", NONE),
    ("result", NONE),
];

/// Other names that are a speaker's in any journal.
const OTHERS: &[Word] = &[
    ("system", TAG),
    ("import", TAG),
    ("the assistant", LABEL),
    ("ai assistant", LABEL),
    ("tool result", TITLE),
    ("tool output", TITLE),
    ("tool call", TITLE),
];
