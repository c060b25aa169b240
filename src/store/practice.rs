//! The work of a backend for the learning loop: it keeps what it is given, and decides nothing.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::forget::Burial;
use super::names::{method_name, preference_name};
use crate::base::access::{Access, Actor};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::text;
use crate::learning::{
    Approval, Case, Constraint, Counted, Method, MethodId, NewPreference, Preference, PreferenceId,
    PreferenceKind, Reflection, RoleNote, RoleNoteId,
};
use crate::memory::{AuditEntry, Learning};

/// A part of the learning loop that a change adds or replaces.
#[derive(Clone, Serialize)]
#[serde(tag = "row", rename_all = "snake_case")]
pub(crate) enum Kept {
    /// A new method.
    Method(Method),
    /// The quarantine of a method, and the word of a person about it.
    Standing {
        method: MethodId,
        quarantine: u8,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        graduated: Option<Approval>,
    },
    /// A new case.
    Case(Case),
    /// A preference, new or changed.
    Preference(Preference),
    /// A new note of a role.
    Note(RoleNote),
    /// The reflection on a pending note.
    Reflected { note: RoleNoteId, reflection: Reflection },
    /// An outcome, which counts for its methods. One with an id that was counted before counts for none.
    Outcome(Counted),
    /// Words that were forgotten; their number is not used again.
    Gone { of: Numbered, id: i64 },
}

/// A part of a store beside its rows that says the rest of its words from now on.
#[cfg_attr(
    not(any(feature = "sqlite", feature = "postgres")),
    expect(dead_code, reason = "a store in files takes the words out of its lines by itself")
)]
pub(crate) enum Rest {
    Value { key: String, value: String },
    Learning(Learning),
    Practised(Kept),
}

/// The kinds of parts that have numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Numbered {
    Method,
    Case,
    Preference,
    Note,
}

impl Kept {
    /// Returns the texts of it.
    pub(crate) fn texts(&self) -> Vec<&str> {
        match self {
            Self::Method(method) => vec![&method.name, &method.class, &method.body],
            Self::Case(case) => {
                let mut texts = vec![case.content.as_str()];
                texts.extend(case.outcome.as_deref());
                texts
            }
            Self::Preference(preference) => {
                let texts = [&preference.dimension, &preference.statement].into_iter();
                texts.chain(&preference.tools).chain(&preference.words).map(String::as_str).gather()
            }
            Self::Note(note) => {
                let texts = [&note.role, &note.content].into_iter().chain(&note.subject);
                let lesson = note.reflection.iter().map(|reflection| &reflection.lesson);
                texts.chain(lesson).map(String::as_str).gather()
            }
            Self::Reflected { reflection, .. } => vec![&reflection.lesson],
            Self::Outcome(outcome) => vec![&outcome.id],
            Self::Standing { .. } | Self::Gone { .. } => Vec::new(),
        }
    }

    /// Returns it without a forgotten statement that it says. The words are taken out of a method's body, a case or a note. It is
    /// removed whole if the rest says nothing, or if the words are in a name or a lesson. A preference is removed whole too,
    /// because a person decided on its exact words.
    pub(crate) fn struck(&self, burial: &Burial) -> Option<Self> {
        if !self.says(burial) {
            return None;
        }
        let mut rest = self.clone();
        match &mut rest {
            Self::Method(method) => {
                burial.strike(&mut method.body);
            }
            Self::Case(case) => {
                burial.strike(&mut case.content);
                burial.strike_maybe(&mut case.outcome);
            }
            Self::Note(note) => {
                burial.strike(&mut note.content);
            }
            Self::Outcome(outcome) => outcome.id.clear(),
            _ => {}
        }
        if !rest.says(burial) {
            return Some(rest);
        }
        let gone = |of, id| Some(Self::Gone { of, id });
        match self {
            Self::Method(method) => gone(Numbered::Method, method.id.get()),
            Self::Case(case) => gone(Numbered::Case, case.id.get()),
            Self::Preference(preference) => gone(Numbered::Preference, preference.id.get()),
            Self::Note(note) => gone(Numbered::Note, note.id.get()),
            // The note leaves with its lesson.
            Self::Reflected { note, .. } => gone(Numbered::Note, note.get()),
            _ => Some(rest),
        }
    }

    /// Returns the number that it has or names.
    pub(crate) fn number(&self) -> Option<i64> {
        match self {
            Self::Method(method) => Some(method.id.get()),
            Self::Case(case) => Some(case.id.get()),
            Self::Preference(preference) => Some(preference.id.get()),
            Self::Note(note) => Some(note.id.get()),
            Self::Gone { id, .. } => Some(*id),
            Self::Standing { .. } | Self::Outcome(_) | Self::Reflected { .. } => None,
        }
    }

    /// Returns whether it says what is forgotten.
    pub(crate) fn says(&self, burial: &Burial) -> bool {
        self.texts().into_iter().any(|text| burial.holds(text))
    }
}

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let kept = Value::deserialize(deserializer)?;
        Self::read(kept.to_string().as_bytes()).map_err(D::Error::custom)
    }
}

impl Kept {
    /// Parses a part twice, for its kind and for what it is.
    fn read(kept: &[u8]) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        struct Parts {
            method: Option<MethodId>,
            quarantine: Option<u8>,
            graduated: Option<Approval>,
            note: Option<RoleNoteId>,
            reflection: Option<Reflection>,
            of: Option<Numbered>,
            id: Option<i64>,
        }
        fn some<T>(part: Option<T>) -> serde_json::Result<T> {
            part.ok_or_else(|| serde_json::Error::custom("a part is missing"))
        }
        #[derive(Deserialize)]
        struct Row {
            row: String,
        }
        let Row { row } = serde_json::from_slice(kept)?;
        Ok(match row.as_str() {
            "method" => Self::Method(serde_json::from_slice(kept)?),
            "case" => Self::Case(serde_json::from_slice(kept)?),
            "preference" => Self::Preference(serde_json::from_slice(kept)?),
            "note" => Self::Note(serde_json::from_slice(kept)?),
            "outcome" => Self::Outcome(serde_json::from_slice(kept)?),
            _ => {
                let parts: Parts = serde_json::from_slice(kept)?;
                match row.as_str() {
                    "standing" => Self::Standing {
                        method: some(parts.method)?,
                        quarantine: some(parts.quarantine)?,
                        graduated: parts.graduated,
                    },
                    "reflected" => {
                        Self::Reflected { note: some(parts.note)?, reflection: some(parts.reflection)? }
                    }
                    "gone" => Self::Gone { of: some(parts.of)?, id: some(parts.id)? },
                    _ => return Err(serde_json::Error::custom("it is of no known kind")),
                }
            }
        })
    }
}

/// Returns the form in which methods are compared: by class and by what they say.
pub(crate) fn normal(class: &str, body: &str) -> String {
    format!("{}\n{}", text::statement(class), text::statement(body))
}

/// Returns the form in which preferences are compared, with the calls that a constraint is about. So nobody first proposes a
/// rule that reaches less than the person's own.
pub(crate) fn wanted(preference: &NewPreference) -> String {
    let NewPreference { dimension, kind, statement, tools, words, .. } = preference;
    same_wish((*kind, dimension, statement), tools, words)
}

/// Returns the form in which a kept preference is compared.
pub(crate) fn kept_wish(preference: &Preference) -> String {
    let Preference { dimension, kind, statement, tools, words, .. } = preference;
    same_wish((*kind, dimension, statement), tools, words)
}

fn same_wish(
    (kind, dimension, statement): (PreferenceKind, &str, &str),
    tools: &[String],
    words: &[String],
) -> String {
    let mut parts = vec![kind.to_string(), text::statement(dimension), text::statement(statement)];
    for list in [tools, words] {
        let mut list: Vec<String> = list.iter().map(|text| text::statement(text)).gather();
        order::sort(&mut list);
        order::dedup(&mut list);
        parts.push(list.join("\t"));
    }
    parts.join("\n")
}

/// Refuses to forget what a person graduated or decided on, for anybody but the human.
pub(crate) fn may_forget(rows: &dyn Practice, access: &Access, burial: &Burial) -> Result<()> {
    if access.actor == Actor::Human {
        return Ok(());
    }
    let graduated = rows.methods()?.into_iter().filter(|method| method.graduated.is_some());
    for method in graduated {
        let (id, kept) = (method.id, Kept::Method(method));
        if kept.says(burial) {
            return Err(Error::Denied { name: method_name(id), kind: access.kind });
        }
    }
    for preference in rows.preferences()?.into_iter().filter(|preference| preference.approved.is_some()) {
        let (id, kept) = (preference.id, Kept::Preference(preference));
        if kept.says(burial) {
            return Err(Error::Denied { name: preference_name(id), kind: access.kind });
        }
    }
    Ok(())
}

/// The learning loop as it is read.
pub(crate) trait Practice {
    /// Returns the methods by id.
    fn methods(&self) -> Result<Vec<Method>>;
    /// Returns a method.
    fn method(&self, id: MethodId) -> Result<Option<Method>>;
    /// Returns the method with this [normal] form.
    fn method_saying(&self, normal: &str) -> Result<Option<Method>>;
    /// Returns the cases of a method, the latest first.
    fn cases(&self, method: MethodId, limit: usize) -> Result<Vec<Case>>;
    /// Returns whether an outcome with this id was counted.
    fn is_counted(&self, outcome: &str) -> Result<bool>;
    /// Lists the ids of outcomes that were counted, ascending; those that were forgotten are left out.
    fn counted(&self) -> Result<Vec<String>>;
    /// Returns the preferences by id.
    fn preferences(&self) -> Result<Vec<Preference>>;
    /// Returns a preference.
    fn preference(&self, id: PreferenceId) -> Result<Option<Preference>>;
    /// Returns the preference with this form, as [wanted] makes it.
    fn preference_saying(&self, wish: &str) -> Result<Option<Preference>>;
    /// Returns the approved constraints by id, with the calls that they are about; their words only if the session may
    /// see them.
    fn constraints(&self, told: bool) -> Result<Vec<Constraint>>;
    /// Returns the pending notes of roles by id, or those that were reflected on.
    fn notes(&self, pending: bool) -> Result<Vec<RoleNote>>;
    /// Returns the next number of a kind, which no part had.
    fn next_number(&self, of: Numbered) -> Result<i64>;
}

/// The learning loop as it is changed.
pub(crate) trait PracticeChanges: Practice {
    /// Keeps parts in their order, with one line of the audit. All of them, or none.
    fn keep(&mut self, kept: Vec<Kept>, entry: AuditEntry) -> Result<()>;
}
