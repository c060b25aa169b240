//! The grammar of each file: parsing and printing are inverse, and unknown keys survive.

pub(crate) mod documents;
pub(crate) mod replies;
pub(crate) mod state;

pub use crate::base::document::SourceRef;
pub use documents::checks::Checks;
pub use documents::curated::DreamId;
pub use documents::day_log::{DayLog, Entry};
pub use documents::fields::{Fields, Identity, Profile};
pub use documents::heartbeat::{Heartbeat, HeartbeatFile};
pub use documents::journal::JournalName;
pub(crate) use documents::note::Note;
pub use documents::note::{NoteKind, UnknownNoteKind};
pub use documents::observations::{Mark, Observation, Observations, UnknownMark};
pub use documents::origin::{Origin, UnknownOrigin};
pub use state::dreamed::DreamedState;
pub(crate) use state::dreams::DreamEntry;
pub use state::life::OnboardingEnd;
pub use state::quarantine::{Quarantine, QuarantineEntry, QuarantinedFile};
pub(crate) use state::sleep_state::LONGEST as LONGEST_SLEEP_FILE;
pub(crate) use state::sleep_state::{SleepFiles, SleepState};
