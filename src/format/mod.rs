//! The grammar of each file: parsing and printing are inverse, and unknown keys survive.

pub(crate) mod documents;
pub(crate) mod replies;
pub(crate) mod state;

pub use crate::base::document::SourceRef;
pub use documents::checks::Checks;
pub use documents::curated::DreamId;
pub(crate) use documents::day_log::Note;
pub use documents::day_log::{DayLog, Entry, NoteKind, Origin, UnknownNoteKind, UnknownOrigin};
pub use documents::fields::{Fields, Identity, Profile};
pub use documents::heartbeat::{Heartbeat, HeartbeatFile};
pub use documents::journal::JournalName;
pub use documents::observations::{Mark, Observation, Observations};
pub use state::dreamed::DreamedState;
pub(crate) use state::dreams::DreamEntry;
pub use state::life::OnboardingEnd;
pub use state::quarantine::{Quarantine, QuarantineEntry, QuarantinedFile};
pub(crate) use state::sleep_state::LONGEST as LONGEST_SLEEP_FILE;
pub(crate) use state::sleep_state::{SleepFiles, SleepState};
