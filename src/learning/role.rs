//! A note of a role: an observation of an agent while it acted in one of its roles.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::debug::debug_as;
use crate::base::row_id::row_id;

/// The id of a note: positive, never used twice in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RoleNoteId(i64);

row_id!(RoleNoteId);

/// A note to take.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewRoleNote {
    /// The role: `planner`, `reviewer`.
    pub role: String,
    /// The matter of it: a project, an asset.
    pub subject: Option<String>,
    /// The note itself.
    pub content: String,
}

impl NewRoleNote {
    /// Makes a note of a role.
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Self {
        Self { role: role.into(), subject: None, content: content.into() }
    }

    /// Says what it is about.
    #[must_use]
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }
}

debug_as!(NewRoleNote, |it| "NewRoleNote {{ {} bytes }}", it.content.len());

/// A note. It is pending until it is reflected on, once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RoleNote {
    /// Its id.
    pub id: RoleNoteId,
    /// The role.
    pub role: String,
    /// The matter of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The note itself.
    pub content: String,
    /// When it was taken.
    pub created_at: DateTime<Utc>,
    /// The lesson of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<Reflection>,
}

impl RoleNote {
    /// Makes a note as a store keeps it right after it was taken.
    #[must_use]
    pub fn new(id: RoleNoteId, taken: NewRoleNote, now: DateTime<Utc>) -> Self {
        let NewRoleNote { role, subject, content } = taken;
        Self { id, role, subject, content, created_at: now, reflection: None }
    }

    /// Returns the note with its lesson.
    pub(crate) fn told(&self) -> String {
        match &self.reflection {
            Some(reflection) => format!("{} Lesson: {}", self.content, reflection.lesson),
            None => self.content.clone(),
        }
    }
}

debug_as!(
    RoleNote,
    |it| "RoleNote {{ {}, {} bytes, reflected: {} }}",
    it.id,
    it.content.len(),
    it.reflection.is_some()
);

/// The class of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RoleClass {
    /// Something went well.
    Success,
    /// Something went badly.
    Failure,
    /// Neither.
    Neutral,
}

impl RoleClass {
    pub(crate) const ALL: [Self; 3] = [Self::Success, Self::Failure, Self::Neutral];

    /// Returns its word in a file: `success`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Neutral => "neutral",
        }
    }
}

impl fmt::Display for RoleClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The lesson of a note, and when it was drawn.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reflection {
    /// The class of the note.
    pub class: RoleClass,
    /// The lesson.
    pub lesson: String,
    /// When.
    pub at: DateTime<Utc>,
}

impl Reflection {
    /// Makes a reflection.
    #[must_use]
    pub fn new(class: RoleClass, lesson: impl Into<String>, now: DateTime<Utc>) -> Self {
        Self { class, lesson: lesson.into(), at: now }
    }
}

debug_as!(Reflection, |it| "Reflection {{ {}, {} bytes }}", it.class, it.lesson.len());
