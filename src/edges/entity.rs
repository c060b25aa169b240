//! An entity: a thing that texts speak of, by its kind and its key.

use std::borrow::Cow;
use std::fmt;

use crate::base::debug::debug_as;
use crate::base::gather::Gather as _;
use crate::base::text;
use serde::{Deserialize, Serialize};

/// A thing that texts speak of. Prints as `name:marta`.
///
/// ```
/// use noctuary::edges::Entity;
///
/// let marta = Entity::new(Entity::NAME, Entity::fold("  Marta  SAILS "));
/// assert_eq!(marta.to_string(), "name:marta sails");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Entity {
    /// The kind: one of the words below, or a word of the host's.
    pub kind: Cow<'static, str>,
    /// The key, in the one spelling under which it is found.
    pub key: String,
}

impl Entity {
    /// A name: `Marta`, `Jan Kowalski`, `BTC-USD`.
    pub const NAME: &'static str = "name";
    /// The target of a wiki link: `[[boat|the boat]]` is `boat`.
    pub const LINK: &'static str = "link";
    /// A tag: `#sailing`.
    pub const TAG: &'static str = "tag";
    /// A person: `@marta`.
    pub const PERSON: &'static str = "person";
    /// An address, without its scheme and query: `docs.rs/noctuary`.
    pub const URL: &'static str = "url";
    /// A path of a file: `src/lib.rs`.
    pub const PATH: &'static str = "path";
    /// A ticker of a market: `BTC`, `EURUSD`.
    #[cfg(feature = "finance")]
    pub(crate) const TICKER: &'static str = "ticker";
    /// A scenario that the host named in the notes of a row.
    pub const SCENARIO: &'static str = "scenario";

    /// The most bytes of a key: a longer one is no name.
    pub(crate) const LONGEST: usize = 200;

    /// Makes an entity of a kind.
    #[must_use]
    pub fn new(kind: impl Into<Cow<'static, str>>, key: impl Into<String>) -> Self {
        Self { kind: kind.into(), key: key.into() }
    }

    /// Returns the spelling by which names, links, tags and people are compared, in any composition. It has lower case,
    /// one space between words, no apostrophe.
    #[must_use]
    pub fn fold(text: &str) -> String {
        let name = text::same_name(text);
        if !name.contains('\'') {
            return name;
        }
        let words = name.split(' ').map(|word| word.strip_suffix("'s").unwrap_or(word).replace('\'', ""));
        words.filter(|word| !word.is_empty()).gather().join(" ")
    }

    /// Returns whether a store may keep it.
    pub(crate) fn is_sound(&self) -> bool {
        let is_plain = |text: &str| !text.is_empty() && !text.contains(char::is_control);
        self.key.len() <= Self::LONGEST
            && self.kind.len() <= Self::LONGEST
            && is_plain(&self.key)
            && is_plain(&self.kind)
    }
}

debug_as!(Entity, |it| "Entity {{ {}, {} bytes }}", it.kind, it.key.len());

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.key)
    }
}
