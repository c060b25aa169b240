//! The state files: JSON beside the documents, which a reader of a life can do without.
//!
//! Their names are the constants of `StateName` in `base/name.rs`; [`registry`] lists them all.

pub(crate) mod asked;
pub(crate) mod by_hand;
pub(crate) mod carry;
#[cfg(feature = "exchange")]
pub(crate) mod chats;
#[cfg(feature = "exchange")]
pub(crate) mod copies_intent;
pub(crate) mod dreamed;
#[cfg(feature = "sleep")]
pub(crate) mod dreams;
pub(crate) mod file;
pub(crate) mod forgotten;
pub(crate) mod history;
pub(crate) mod intent;
pub(crate) mod ledger;
pub(crate) mod life;
pub(crate) mod lock;
pub(crate) mod log;
pub(crate) mod proposal;
pub(crate) mod quarantine;
pub(crate) mod receipts;
pub(crate) mod registry;
pub(crate) mod seal;
#[cfg_attr(not(feature = "sleep"), expect(unreachable_pub, reason = "the room of sleepers exports it"))]
pub(crate) mod sleep_files;
#[cfg(any(feature = "doctor", feature = "exchange", feature = "sleep"))]
pub(crate) mod sleep_intent;
#[cfg(any(feature = "doctor", feature = "exchange", feature = "sleep"))]
#[cfg_attr(not(feature = "sleep"), expect(unreachable_pub, reason = "the room of sleepers exports it"))]
pub(crate) mod sleep_state;
pub(crate) mod soul;
#[cfg(any(feature = "doctor", feature = "exchange"))]
pub(crate) mod travel;
pub(crate) mod undone;

/// Times in state files: ISO 8601 in UTC with milliseconds, as JavaScript prints them.
pub(crate) mod iso_millis {
    use chrono::{DateTime, SecondsFormat, Utc};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn print(instant: DateTime<Utc>) -> String {
        instant.to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    #[expect(clippy::ref_option, reason = "serde hands out the field by reference")]
    pub(crate) fn serialize<S: Serializer>(
        value: &Option<DateTime<Utc>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(instant) => serializer.serialize_str(&print(*instant)),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<DateTime<Utc>>, D::Error> {
        Option::<DateTime<Utc>>::deserialize(deserializer)
    }
}
