//! The entries of the learning loop in a bundle: methods, preferences, notes of roles.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::entry::{check, folder, time};
use super::front::Front;
use crate::base::digest::Digest;
use crate::base::text;
use crate::learning::{
    Approval, Case, CaseId, LearningConfig, Method, MethodId, NewMethod, NewPreference, NewRoleNote,
    Preference, PreferenceId, PreferenceKind, PreferenceState, Reflection, RoleClass, RoleNote, RoleNoteId,
    wilson,
};
use crate::memory::MemoryId;
use crate::store::carry_practice::CarriedMethod;
use crate::store::practice::{kept_wish, normal};

/// A case, without the numbers of its home.
#[derive(Serialize, Deserialize)]
struct NamedCase {
    content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    created_at: DateTime<Utc>,
}

/// A list of outcomes that were counted.
#[derive(Serialize, Deserialize)]
pub(super) struct CountedOutcomes {
    pub(super) schema_version: u64,
    #[serde(default)]
    pub(super) instance_id: Option<String>,
    pub(super) counted: Vec<String>,
}

/// Returns whether a word may name a class, a dimension or a role.
fn is_word(word: &str) -> bool {
    let is_plain = |c: char| !c.is_control() && !text::is_invisible(c) && !matches!(c, '[' | ']' | '<' | '>');
    !word.trim().is_empty() && word.len() <= 128 && word.chars().all(is_plain)
}

fn name_of(what: &str) -> String {
    Digest::of(what.as_bytes()).short(16)
}

/// Returns what the outcomes of a method say; a text of a number may lose its last digit.
fn confidence(method: &Method, standing: f64) -> f64 {
    if method.uses == 0 { standing } else { wilson(method.successes, method.uses) }
}

/// Prints a method with its cases, the oldest first.
pub(super) fn method(method: &Method, cases: &[Case], instance: Option<&str>) -> (String, Front) {
    let name = name_of(&normal(&method.class, &method.body));
    let mut front = Front::new("methodology", instance);
    front.put("id", &name);
    front.put("name", &method.name);
    front.put("asset_class", &method.class);
    front.put("confidence", confidence(method, method.confidence));
    front.put("quarantine", method.quarantine);
    front.put("times_used", method.uses);
    front.put("successes", method.successes);
    front.put("graduated", method.graduated);
    front.put("created_at", time(method.created_at));
    front.put("updated_at", time(method.updated_at));
    let named = |case: &Case| NamedCase {
        content: case.content.clone(),
        outcome: case.outcome.clone(),
        created_at: case.created_at,
    };
    front.put("cases", cases.iter().map(named).collect::<Vec<_>>());
    front.body.clone_from(&method.body);
    (format!("methodologies/{}/{name}.md", folder(&method.class)), front)
}

/// Reads a method; the error names the field.
pub(super) fn read_method(front: &Front) -> Result<CarriedMethod, &'static str> {
    check(front, &["methodology"])?;
    let (name, class): (String, String) = (front.must("name")?, front.must("asset_class")?);
    for (word, field) in [(&name, "name"), (&class, "asset_class")] {
        if !is_word(word) {
            return Err(field);
        }
    }
    let (created_at, updated_at) = (front.must("created_at")?, front.must("updated_at")?);
    let new = NewMethod::new(name, class, front.body.clone());
    let mut method = Method::new(MethodId::new(0), new, &LearningConfig::default(), created_at);
    method.updated_at = updated_at;
    (method.uses, method.successes) = (front.must("times_used")?, front.must("successes")?);
    method.quarantine = front.must("quarantine")?;
    method.graduated = front.maybe("graduated")?;
    if method.successes > method.uses {
        return Err("successes");
    }
    // Outcomes alone move a confidence.
    let claimed: f64 = front.must("confidence")?;
    method.confidence = confidence(&method, claimed);
    let is_earned = (method.confidence - claimed).abs() < 1e-9;
    if !is_earned || !(0.0..=1.0).contains(&method.confidence) {
        return Err("confidence");
    }
    if method.quarantine > 1 {
        return Err("quarantine");
    }
    // The doctor leaves the word of a person on a method that it puts into quarantine, and does so for failures alone.
    let is_unearned = method.uses == 0 || (method.quarantine > 0 && method.successes == method.uses);
    if method.graduated.is_some() && is_unearned {
        return Err("graduated");
    }
    let cases: Vec<NamedCase> = front.maybe("cases")?.unwrap_or_default();
    let case = |case: NamedCase| {
        let mut carried = Case::new(CaseId::new(0), MethodId::new(0), case.content, case.created_at);
        carried.outcome = case.outcome;
        carried
    };
    Ok(CarriedMethod { method, cases: cases.into_iter().map(case).collect() })
}

/// Returns every text of a method.
pub(super) fn texts_of_method(carried: &CarriedMethod) -> Vec<&str> {
    let CarriedMethod { method, cases } = carried;
    let mut texts = vec![method.name.as_str(), &method.class, &method.body];
    for case in cases {
        texts.push(&case.content);
        texts.extend(case.outcome.as_deref());
    }
    texts
}

/// Returns a method as somebody else's: what it earned elsewhere counts for nothing here.
pub(super) fn new_method(carried: &CarriedMethod) -> NewMethod {
    let method = &carried.method;
    let new = NewMethod::new(method.name.clone(), method.class.clone(), method.body.clone());
    carried.cases.iter().fold(new, |new, case| new.case(case.content.clone()))
}

/// Prints a preference. `memory` is the name of the row that it has.
pub(super) fn preference(
    preference: &Preference,
    memory: Option<&String>,
    instance: Option<&str>,
) -> (String, Front) {
    let name = name_of(&kept_wish(preference));
    let mut front = Front::new("preference", instance);
    front.put("id", &name);
    front.put("dimension", &preference.dimension);
    front.put("preference_kind", preference.kind);
    front.put("state", preference.state);
    front.put("tools", &preference.tools);
    front.put("words", &preference.words);
    front.put("approved", preference.approved);
    front.put("memory", memory);
    front.put("created_at", time(preference.created_at));
    front.body.clone_from(&preference.statement);
    (format!("preferences/{}/{name}.md", folder(&preference.dimension)), front)
}

/// Reads a preference and the name of its row; the error names the field.
pub(super) fn read_preference(front: &Front) -> Result<(Preference, Option<String>), &'static str> {
    check(front, &["preference"])?;
    let dimension: String = front.must("dimension")?;
    if !is_word(&dimension) {
        return Err("dimension");
    }
    let kind: PreferenceKind = front.must("preference_kind")?;
    let mut wanted = match kind {
        PreferenceKind::Behavioural => NewPreference::behavioural(dimension, front.body.clone()),
        PreferenceKind::HardConstraint => NewPreference::hard_constraint(dimension, front.body.clone()),
    };
    wanted.tools = front.maybe("tools")?.unwrap_or_default();
    wanted.words = front.maybe("words")?.unwrap_or_default();
    let is_of_call = !wanted.tools.is_empty() || !wanted.words.is_empty();
    if is_of_call && kind != PreferenceKind::HardConstraint {
        return Err("tools");
    }
    let mut preference = Preference::new(PreferenceId::new(0), wanted, front.must("created_at")?);
    preference.state = front.must("state")?;
    preference.approved = front.maybe::<Approval>("approved")?;
    if preference.approved.is_none() != (preference.state == PreferenceState::Proposed) {
        return Err("approved");
    }
    Ok((preference, front.maybe("memory")?))
}

/// Returns every text of a preference.
pub(super) fn texts_of_preference(preference: &Preference) -> impl Iterator<Item = &str> {
    let texts = [&preference.dimension, &preference.statement].into_iter();
    texts.chain(&preference.tools).chain(&preference.words).map(String::as_str)
}

/// Returns a preference as a proposal of somebody else.
pub(super) fn new_preference(preference: &Preference) -> NewPreference {
    let (dimension, statement) = (preference.dimension.clone(), preference.statement.clone());
    let mut new = match preference.kind {
        PreferenceKind::Behavioural => NewPreference::behavioural(dimension, statement),
        PreferenceKind::HardConstraint => NewPreference::hard_constraint(dimension, statement),
    };
    (new.tools, new.words) = (preference.tools.clone(), preference.words.clone());
    new.imported()
}

/// Prints a note of a role.
pub(super) fn note(note: &RoleNote, instance: Option<&str>) -> (String, Front) {
    let mut front = Front::new("role_note", None);
    front.put("role", &note.role);
    front.put("subject", &note.subject);
    front.put("created_at", time(note.created_at));
    front.body.clone_from(&note.content);
    let name = name_of(&front.print());
    let mut front = Front::new("role_note", instance);
    front.put("id", &name);
    front.put("role", &note.role);
    front.put("subject", &note.subject);
    front.put("created_at", time(note.created_at));
    if let Some(reflection) = &note.reflection {
        front.put("class", reflection.class);
        front.put("lesson", &reflection.lesson);
        front.put("reflected_at", time(reflection.at));
    }
    front.body.clone_from(&note.content);
    // Traders know a note that was reflected on as a case; each build reads it at either place.
    let path = if cfg!(feature = "finance") && note.reflection.is_some() {
        format!("trade-cases/{name}.md")
    } else {
        format!("roles/{}/{name}.md", folder(&note.role))
    };
    (path, front)
}

/// Reads a note of a role; the error names the field.
pub(super) fn read_note(front: &Front) -> Result<RoleNote, &'static str> {
    check(front, &["role_note"])?;
    let role: String = front.must("role")?;
    if !is_word(&role) {
        return Err("role");
    }
    let mut new = NewRoleNote::new(role, front.body.clone());
    new.subject = front.maybe("subject")?;
    if new.subject.as_deref().is_some_and(|subject| !is_word(subject)) {
        return Err("subject");
    }
    let mut note = RoleNote::new(RoleNoteId::new(0), new, front.must("created_at")?);
    if let Some(lesson) = front.maybe::<String>("lesson")? {
        let class: RoleClass = front.must("class")?;
        note.reflection = Some(Reflection::new(class, lesson, front.must("reflected_at")?));
    }
    Ok(note)
}

/// Returns every text of a note.
pub(super) fn texts_of_note(note: &RoleNote) -> impl Iterator<Item = &str> {
    let lesson = note.reflection.iter().map(|reflection| &reflection.lesson);
    [&note.role, &note.content].into_iter().chain(&note.subject).chain(lesson).map(String::as_str)
}

/// Returns whether two notes are the same one.
pub(super) fn is_same_note(one: &RoleNote, other: &RoleNote) -> bool {
    (&one.role, &one.subject, one.created_at) == (&other.role, &other.subject, other.created_at)
        && text::statement(&one.content) == text::statement(&other.content)
}

/// A preference that comes back, with the name of its row.
pub(super) struct CarriedPreference {
    pub(super) preference: Preference,
    pub(super) memory: Option<String>,
}

impl CarriedPreference {
    /// Returns it with the row of this home.
    pub(super) fn with_row(self, row: Option<MemoryId>) -> Preference {
        Preference { memory: row, ..self.preference }
    }
}

/// The learning loop of a home, and what comes into it.
pub(super) struct KnownPractice {
    pub(super) methods: BTreeSet<String>,
    pub(super) wishes: BTreeSet<String>,
    pub(super) notes: Vec<RoleNote>,
}
