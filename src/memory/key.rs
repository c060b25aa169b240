//! The key of a fact: a subject and a property.

use serde::{Deserialize, Serialize};

use crate::base::debug::debug_as;
use crate::base::text;

/// What a fact is about: a subject, and one of its properties.
///
/// Two statements with the same key contradict each other where it has one value, and are siblings where it may
/// have many. Case and white space of the words do not count.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FactKey {
    /// Of whom or what it is said: `marta`.
    pub subject: String,
    /// Which property: `home`.
    pub slot: String,
    /// How many values that has at a time.
    pub cardinality: Cardinality,
}

/// How many values a property has at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cardinality {
    /// One: a home, a plan, a favourite.
    One,
    /// Any number: languages that somebody speaks, tools in use.
    Many,
}

impl FactKey {
    /// A property with one value at a time.
    pub fn one(subject: impl Into<String>, slot: impl Into<String>) -> Self {
        Self { subject: subject.into(), slot: slot.into(), cardinality: Cardinality::One }
    }

    /// A property with any number of values.
    pub fn many(subject: impl Into<String>, slot: impl Into<String>) -> Self {
        Self { cardinality: Cardinality::Many, ..Self::one(subject, slot) }
    }

    /// Subject and slot as they are compared.
    pub(crate) fn normal(&self) -> (String, String) {
        (text::normalise(&self.subject), text::normalise(&self.slot))
    }
}

debug_as!(FactKey, |it| "FactKey({:?}, {} bytes)", it.cardinality, it.subject.len() + it.slot.len());
