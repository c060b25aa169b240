//! Formats: reading and printing one file of a life, without a workspace.
//!
//! A document that is changed in one place keeps every other byte. State files keep keys that this library does not know.
//!
//! ```
//! use noctuary::format::{DayLog, Fields, Origin};
//!
//! let journal = "# Memory — 2026-11-21\n\n## Session [09:12]\n\n- [09:14:05] [user] Decision: Fridays.\n";
//! let entry = &DayLog::parse(journal).entries[0];
//! assert_eq!((entry.origin.as_ref(), entry.text.as_str()), (Some(&Origin::User), "Fridays."));
//!
//! let identity = Fields::parse("# Identity\n\n- **Name:** Atlas\n");
//! assert_eq!(identity.get("name"), Some("Atlas"));
//! assert_eq!(identity.set("name", "Wren"), "# Identity\n\n- **Name:** Wren\n");
//! ```
//!
//! | Name | File |
//! |---|---|
//! | [`DayLog`], [`Entry`], [`JournalName`], [`Origin`], [`NoteKind`] | a journal: its name, entries and speakers |
//! | [`Fields`], [`Identity`], [`Profile`] | labelled fields of `IDENTITY.md` and `USER.md` |
//! | [`HeartbeatFile`], [`Heartbeat`] | the memo in `HEARTBEAT.md` |
//! | [`Checks`] | `memory/heartbeat-state.json` |
//! | [`DreamId`], [`SourceRef`] | the id of a dream, and a citation of journal lines |
//! | `Observations`, `Observation`, `Mark` | a sleeper's `observations.md` (feature `sleep`) |
//! | [`DreamedState`] | `.dreamed-state.json`: the last run, and the day's counters |
//! | [`Quarantine`], [`QuarantineEntry`], [`QuarantinedFile`] | `.dreamed-quarantine.json` |
//! | [`OnboardingEnd`] | how an onboarding ended |
//! | [`UnknownOrigin`], [`UnknownNoteKind`] | errors of parsing a word |
//!
//! # Limits
//!
//! - Every text parses as a document. Damaged state files are [`Error::Corrupt`](crate::Error::Corrupt), and nothing is reset.
//! - The ledger, the intent and the other files in `.dreaming.d/` have no public parser.
//!
//! The manual has [every file, byte by byte](crate::manual::formats).

pub(crate) mod documents;
pub(crate) mod replies;
pub(crate) mod state;

pub use crate::base::document::SourceRef;
pub use documents::checks::Checks;
pub use documents::curated::DreamId;
pub use documents::day_log::{DayLog, Entry};
pub use documents::fields::Fields;
pub use documents::heartbeat::{Heartbeat, HeartbeatFile};
pub use documents::identity::Identity;
pub use documents::journal::JournalName;
pub(crate) use documents::note::Note;
pub use documents::note::{NoteKind, UnknownNoteKind};
#[cfg(any(feature = "doctor", feature = "exchange", feature = "sleep"))]
#[cfg_attr(docsrs, doc(cfg(feature = "sleep")))]
pub use documents::observations::{Mark, Observation, Observations, UnknownMark};
pub use documents::origin::{Origin, UnknownOrigin};
pub use documents::profile::Profile;
pub use state::dreamed::DreamedState;
#[cfg(feature = "sleep")]
pub(crate) use state::dreams::DreamEntry;
pub use state::life::OnboardingEnd;
pub use state::quarantine::{Quarantine, QuarantineEntry, QuarantinedFile};
#[cfg(feature = "sleep")]
pub(crate) use state::sleep_files::LONGEST as LONGEST_SLEEP_FILE;
#[cfg(any(feature = "doctor", feature = "exchange", feature = "sleep"))]
pub(crate) use state::sleep_files::SleepFiles;
#[cfg(any(feature = "doctor", feature = "exchange", feature = "sleep"))]
pub(crate) use state::sleep_state::SleepState;
