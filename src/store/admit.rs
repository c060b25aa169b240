//! The check of a store: which texts come in, and from whom.

use serde_json::Value;

use super::config::StoreConfig;
use super::edit::Edit;
use super::names::{
    learning_name, new_method_name, new_note_name, new_preference_name, outcome_name, row_name,
};
use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::name::{Name, StateName};
use crate::base::text;
use crate::gate::{Door, InjectionPolicy, Masks};
use crate::learning::{NewMethod, NewOutcome, NewPreference, NewRoleNote, PreferenceKind};
use crate::memory::{NewLearning, NewMemory, Source};

/// The longest category, source, or key of a profile, in bytes.
pub(super) const LONGEST_WORD: usize = 128;

/// The deepest nesting of notes. A written note must be readable again, and a line of a file is read only to a
/// limited depth.
const DEEPEST: usize = 32;

impl StoreConfig {
    /// Says whether a row may come in.
    pub(crate) fn admit(&self, scope: &Scope, access: &Access, memory: &NewMemory) -> Result<()> {
        let name = row_name(None);
        if access.scope != *scope
            || !memory.source.may_be_claimed(access.actor)
            || self.refused.contains(&Source::from(memory.source.as_str()))
        {
            return Err(Error::Denied { name, kind: access.kind });
        }
        if memory.dream.is_some() && memory.source.as_str() != Source::Dreamed.as_str() {
            return Err(Error::Config {
                setting: "dream",
                rule: "may be set only on a row that a dream promoted",
            });
        }
        if memory.metadata.as_ref().is_some_and(|notes| !is_within(notes, DEEPEST)) {
            return Err(Error::Config {
                setting: "metadata",
                rule: "must not be nested deeper than 32 times",
            });
        }
        check_word("category", &memory.category)?;
        check_word("source", memory.source.as_str())?;
        let notes = memory.metadata.as_ref().map(ToString::to_string).unwrap_or_default();
        let speaker = memory.place.as_ref().and_then(|place| place.speaker.as_deref()).unwrap_or_default();
        let session = memory.place.as_ref().map_or(0, |place| place.session.len());
        let (subject, slot) =
            memory.about.as_ref().map_or(("", ""), |key| (key.subject.as_str(), key.slot.as_str()));
        let beside = [&memory.category, memory.source.as_str(), speaker, subject, slot, &notes].join("\n");
        self.admit_text(access, &name, &memory.content, beside.len() + session)?;
        // Not the session: it is an id of the host's, and ids look like keys.
        self.pass(access, &name, &beside)?;
        // The words beside a value may show its class.
        for label in [&memory.category, subject, slot].into_iter().filter(|label| !label.is_empty()) {
            self.pass_secrets(access, &name, &labelled(label, &memory.content))?;
        }
        let origin = memory.origin.as_ref().map(ToString::to_string);
        let cites = memory.cites.iter().map(|line| line.name.to_string());
        origin.into_iter().chain(cites).try_for_each(|text| self.pass(access, &name, &text))
    }

    /// Says whether one row may be changed so, as far as can be said without the row.
    pub(crate) fn admit_edit(
        &self,
        scope: &Scope,
        access: &Access,
        name: &Name,
        edit: Edit<'_>,
    ) -> Result<()> {
        main_only(scope, access, name)?;
        match edit {
            Edit::Content(content) => self.admit_text(access, name, content, 0),
            Edit::Delete | Edit::Restore(_) | Edit::Pin(_) => Ok(()),
        }
    }

    /// Says whether a fact of the profile may come in.
    pub(crate) fn admit_fact(&self, scope: &Scope, access: &Access, key: &str, value: &str) -> Result<()> {
        let name: Name = StateName::row("user_profile", "new").into();
        main_only(scope, access, &name)?;
        check_word("key", key)?;
        self.admit_text(access, &name, value, key.len())?;
        self.pass(access, &name, key)?;
        self.pass_secrets(access, &name, &labelled(key, value))
    }

    /// Says whether a learning may come in.
    pub(crate) fn admit_learning(
        &self,
        scope: &Scope,
        access: &Access,
        learning: &NewLearning,
    ) -> Result<()> {
        let name = learning_name();
        main_only(scope, access, &name)?;
        let context = learning.context.as_deref().unwrap_or_default();
        self.admit_text(access, &name, &learning.content, context.len())?;
        self.pass(access, &name, context)
    }

    /// Says whether a method may come in.
    pub(crate) fn admit_method(&self, scope: &Scope, access: &Access, method: &NewMethod) -> Result<()> {
        let name = new_method_name();
        main_only(scope, access, &name)?;
        check_word("name", &method.name)?;
        check_word("class", &method.class)?;
        let cases: usize = method.cases.iter().map(String::len).sum();
        self.admit_text(access, &name, &method.body, method.name.len() + method.class.len() + cases)?;
        let texts = [&method.name, &method.class].into_iter().chain(&method.cases);
        texts.into_iter().try_for_each(|text| self.pass(access, &name, text))?;
        // The words beside a value may show its class.
        let labels = [&method.name, &method.class];
        labels
            .into_iter()
            .try_for_each(|label| self.pass_secrets(access, &name, &labelled(label, &method.body)))
    }

    /// Says whether an outcome may come in: an agent does not report on itself.
    pub(crate) fn admit_outcome(&self, scope: &Scope, access: &Access, outcome: &NewOutcome) -> Result<()> {
        let name = outcome_name();
        main_only(scope, access, &name)?;
        if access.actor == Actor::Agent {
            return Err(Error::Denied { name, kind: access.kind });
        }
        check_word("id", &outcome.id)?;
        match &outcome.case {
            Some(case) => self.admit_text(access, &name, case, outcome.id.len()),
            None => Ok(()),
        }
    }

    /// Says whether a preference may be proposed.
    pub(crate) fn admit_preference(
        &self,
        scope: &Scope,
        access: &Access,
        preference: &NewPreference,
    ) -> Result<()> {
        let name = new_preference_name();
        main_only(scope, access, &name)?;
        let is_constraint = preference.kind == PreferenceKind::HardConstraint;
        let has_person = access.actor == Actor::Human && !self.learning.non_interactive;
        if preference.imported && is_constraint && !has_person {
            return Err(Error::Denied { name, kind: access.kind });
        }
        let of_call = || preference.tools.iter().chain(&preference.words);
        if !is_constraint && of_call().next().is_some() {
            return Err(Error::Config { setting: "tools", rule: "may be named by a hard constraint only" });
        }
        if preference.tools.is_empty() && !preference.words.is_empty() {
            return Err(Error::Config { setting: "words", rule: "must have tools beside them" });
        }
        check_word("dimension", &preference.dimension)?;
        // A rule is read as one line, and as it looks.
        let is_plain = |text: &str| !text::has_hidden(text);
        if !is_plain(&preference.statement)
            || !of_call().all(|text| is_plain(text) && !text.trim().is_empty())
        {
            return Err(Error::Config {
                setting: "statement",
                rule: "must be one line of visible characters",
            });
        }
        let beside: usize = of_call().map(String::len).sum();
        self.admit_text(access, &name, &preference.statement, preference.dimension.len() + beside)?;
        let texts = std::iter::once(&preference.dimension).chain(of_call());
        texts.into_iter().try_for_each(|text| self.pass(access, &name, text))?;
        self.pass_secrets(access, &name, &labelled(&preference.dimension, &preference.statement))
    }

    /// Says whether a note of a role may come in.
    pub(crate) fn admit_note(&self, scope: &Scope, access: &Access, note: &NewRoleNote) -> Result<()> {
        let name = new_note_name();
        main_only(scope, access, &name)?;
        check_word("role", &note.role)?;
        note.subject.iter().try_for_each(|subject| check_word("subject", subject))?;
        let subject = note.subject.as_deref().unwrap_or_default();
        self.admit_text(access, &name, &note.content, note.role.len() + subject.len())?;
        [&note.role, subject].into_iter().try_for_each(|text| self.pass(access, &name, text))?;
        let labels = [&note.role, subject].into_iter().filter(|label| !label.is_empty());
        labels
            .into_iter()
            .try_for_each(|label| self.pass_secrets(access, &name, &labelled(label, &note.content)))
    }

    /// Says whether a trade may be kept, and its record with secrets masked. Ids
    /// of other programs look like keys, and are not looked at.
    #[cfg(all(feature = "finance", feature = "sqlite"))]
    pub(crate) fn admit_trade(
        &self,
        access: &Access,
        name: &Name,
        (ids, texts): (&[&str], &[&str]),
        raw: Option<&str>,
        is_sound: bool,
    ) -> Result<TradeEntry> {
        if !is_sound {
            return Err(Error::Config { setting: "number", rule: "must be finite" });
        }
        let len: usize = ids.iter().chain(texts).chain(&raw).map(|text| text.len()).sum();
        let limit = self.max_row_bytes;
        if len > limit {
            return Err(Error::TooLarge { name: name.clone(), len: len as u64, limit: limit as u64 });
        }
        let is_plain = |text: &&str| !text::has_hidden(text);
        if !ids.iter().chain(texts).all(is_plain) {
            return Ok(TradeEntry::Refused);
        }
        match self.pass(access, name, &texts.join("\n")) {
            Ok(()) => Ok(TradeEntry::Kept(raw.map(|raw| self.masked(raw, usize::MAX)))),
            Err(Error::Stopped { .. }) => Ok(TradeEntry::Refused),
            Err(error) => Err(error),
        }
    }

    /// Says whether the lesson of a note may come in. A model may have worded it: it comes in as by an agent.
    pub(crate) fn admit_lesson(&self, access: &Access, name: &Name, lesson: &str) -> Result<()> {
        self.admit_text(access, name, lesson, 0)
    }

    /// Says whether a text may come in, with so many bytes beside it.
    fn admit_text(&self, access: &Access, name: &Name, content: &str, beside: usize) -> Result<()> {
        if content.trim().is_empty() {
            return Err(Error::Config { setting: "content", rule: "must not be empty" });
        }
        let (len, limit) = (content.len() + beside, self.max_row_bytes);
        if len > limit {
            return Err(Error::TooLarge { name: name.clone(), len: len as u64, limit: limit as u64 });
        }
        self.pass(access, name, content)
    }

    /// Says whether a text holds no secret that may not come in.
    fn pass_secrets(&self, access: &Access, name: &Name, text: &str) -> Result<()> {
        let mut policy = self.doors.policy_for(access.actor, Door::StoreWrite, name);
        policy.injections = InjectionPolicy::Allow;
        self.doors.judge(Door::StoreWrite, policy, name, text, &mut Masks::default()).map(drop)
    }

    /// Checks a text by the store's policy. For the agent, the policy of tools counts too.
    fn pass(&self, access: &Access, name: &Name, text: &str) -> Result<()> {
        let policy = self.doors.policy_for(access.actor, Door::StoreWrite, name);
        self.doors.judge(Door::StoreWrite, policy, name, text, &mut Masks::default()).map(drop)
    }
}

/// How a trade may come in.
#[cfg(all(feature = "finance", feature = "sqlite"))]
pub(crate) enum TradeEntry {
    /// With its record, masked.
    Kept(Option<String>),
    /// Not at all: one of its words may not come in.
    Refused,
}

/// Returns a value under its name, as in a file of settings.
fn labelled(name: &str, value: &str) -> String {
    format!("{name}: {value}")
}

/// Returns whether a value is nested no deeper than `depth`.
fn is_within(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match value {
        Value::Array(values) => values.iter().all(|value| is_within(value, depth)),
        Value::Object(map) => map.values().all(|value| is_within(value, depth)),
        _ => true,
    }
}

/// Refuses an access outside a main session of the store's scope.
pub(crate) fn main_only(scope: &Scope, access: &Access, name: &Name) -> Result<()> {
    if access.kind == SessionKind::Main && access.scope == *scope {
        return Ok(());
    }
    Err(Error::Denied { name: name.clone(), kind: access.kind })
}

/// Refuses what cannot be a category or a key: it is printed before what it names, on the same line.
fn check_word(setting: &'static str, word: &str) -> Result<()> {
    let is_plain = |c: char| !c.is_control() && !text::is_invisible(c) && !matches!(c, '[' | ']' | '<' | '>');
    let rule = if word.trim().is_empty() {
        "must not be empty"
    } else if word.len() > LONGEST_WORD {
        "must have at most 128 bytes"
    } else if !word.chars().all(is_plain) {
        "must be one line without brackets"
    } else {
        return Ok(());
    };
    Err(Error::Config { setting, rule })
}
