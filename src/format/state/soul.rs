//! The seed's `.soul-state.json`: which `SOUL.md` the agent knows of.
//!
//! ```text
//! {"hash":"9f86d0…","seen_at":"2026-11-21T09:14:05.000Z","pending":"60303a…"}
//! ```
//!
//! `pending` is ours: the hash of a change that was handed over and is not confirmed. Unknown keys survive. A file of
//! another shape is another program's: it stays as it is, and ours is `.dreaming.d/soul.json` then.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::document::Revision;
use crate::base::error::{Result, parse_json};
use crate::base::name::StateName;
use crate::format::state::iso_millis;

/// The `SOUL.md` that was last acknowledged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SoulState {
    /// Its hash; `None` where none was ever read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<Revision>,
    /// When it became the known one.
    #[serde(default, with = "iso_millis", skip_serializing_if = "Option::is_none")]
    pub(crate) seen_at: Option<DateTime<Utc>>,
    /// The hash of a change whose notice was handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pending: Option<Revision>,
    /// Keys of others, kept as they are.
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl SoulState {
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Self> {
        bytes.map_or_else(|| Ok(Self::default()), |bytes| parse_json(StateName::SOUL.as_str(), bytes))
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).expect("maps with text keys print");
        bytes.push(b'\n');
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_others_survive_and_damage_is_an_error() {
        let text = format!(r#"{{"hash":"{}","theirs":[1]}}"#, Revision::of(b"x"));
        let state = SoulState::parse(Some(text.as_bytes())).unwrap();
        assert_eq!(state.hash, Some(Revision::of(b"x")));
        assert_eq!(String::from_utf8(state.print()).unwrap().trim_end(), text);
        for damage in ["", "[]", r#"{"hash":"abc"}"#] {
            assert!(SoulState::parse(Some(damage.as_bytes())).is_err(), "{damage}");
        }
        assert_eq!(SoulState::parse(None).unwrap(), SoulState::default());
    }
}
