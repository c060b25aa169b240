//! The grammar of each file: parsing and printing are inverse, and unknown keys survive.

pub(crate) mod asked;
pub(crate) mod checks;
pub(crate) mod curated;
pub(crate) mod day_log;
pub(crate) mod dreams;
pub(crate) mod fences;
pub(crate) mod fields;
pub(crate) mod forgotten;
pub(crate) mod heartbeat;
pub(crate) mod history;
pub(crate) mod ignored;
pub(crate) mod intent;
pub(crate) mod journal;
pub(crate) mod ledger;
pub(crate) mod life;
pub(crate) mod lock;
pub(crate) mod log;
pub(crate) mod observations;
pub(crate) mod origins;
pub(crate) mod proposal;
pub(crate) mod quarantine;
pub(crate) mod reply;
pub(crate) mod rulings;
pub(crate) mod seal;
pub(crate) mod sections;
pub(crate) mod sleep_intent;
pub(crate) mod sleep_reply;
pub(crate) mod sleep_state;
pub(crate) mod soul;
pub(crate) mod speakers;
pub(crate) mod state;
pub(crate) mod undone;

pub use checks::Checks;
pub use curated::DreamId;
pub use day_log::{DayLog, Entry, Note, NoteKind, Origin, UnknownNoteKind, UnknownOrigin};
pub use dreams::DreamEntry;
pub use fields::{Fields, Identity, Profile};
pub use heartbeat::{Heartbeat, HeartbeatFile};
pub use journal::JournalName;
pub use life::OnboardingEnd;
pub use observations::{Mark, Observation, Observations};
pub use quarantine::{Quarantine, QuarantineEntry, QuarantinedFile};
pub(crate) use sleep_state::LONGEST as LONGEST_SLEEP_FILE;
pub use sleep_state::{SleepFiles, SleepState};
pub use state::DreamedState;

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
