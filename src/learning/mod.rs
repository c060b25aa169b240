//! The learning of an agent about its own work. Only real outcomes raise methods, and only a person makes preferences
//! binding.
//!
//! [`MethodStore`], [`PreferenceStore`] and [`RoleStore`] are additional contracts of both memory stores.
//!
//! ```
//! use chrono::Utc;
//! use noctuary::learning::{Ending, MethodStore, NewMethod, NewOutcome};
//! use noctuary::{Access, Actor, FileMemoryStore, Scope, SessionKind};
//!
//! # let folder = tempfile::tempdir()?;
//! let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
//! let agent = Access::agent(Scope::user("marta"));
//! let host = Access::new(SessionKind::Main, Actor::Library, Scope::user("marta"));
//! let method = NewMethod::new("Tests first", "releases", "Run the tests of a branch before it is merged.");
//! let id = store.create_method(&agent, &method, Utc::now())?;
//! let release = NewOutcome::new("release-41", [id], Ending::Success).case("Nothing broke.");
//! let reported = store.report_outcome(&host, &release, Utc::now())?;
//! assert_eq!((reported.methods[0].uses, reported.methods[0].quarantine), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`NewMethod`], [`Method`], [`MethodId`] | a named way of doing something, and its standing |
//! | [`Case`], [`CaseId`] | something that happened while a method was used |
//! | [`NewOutcome`], [`Ending`], [`Reported`] | how something ended, reported once |
//! | [`PreferenceStore`], [`NewPreference`], [`Preference`], [`PreferenceId`], [`PreferenceKind`], [`PreferenceState`] | a person's preferences |
//! | [`Constraint`] | a standing rule: an approved constraint, for prompts and before a tool runs |
//! | [`RoleStore`], [`NewRoleNote`], [`RoleNote`], [`RoleNoteId`], [`RoleClass`], [`Reflection`] | notes of a role, and their lessons |
//! | [`Approval`] | the word of a person |
//! | [`wilson`], [`WILSON_Z`] | confidence: the lower bound of Wilson's score interval |
//! | [`LearningConfig`] | thresholds |
//!
//! # Limits
//!
//! - Only outcomes move a confidence, each once. A fact, a dream or a tool moves none.
//! - Only the human of a main session graduates a method, or takes it out of quarantine.
//! - A preference has no effect until the human of a main session approves it.
//! - [`PreferenceStore::constraints_for`] says which rules apply to a call; the host decides to run it or not.
//! - Every other verb is for main sessions, and is denied to others.
//! - Lessons of a review that `memory_learn` writes are [learnings](crate::memory::LearningStore), and no methods.
//!
//! The manual has [the whole loop](crate::manual::memory#learning).

mod approval;
mod confidence;
mod config;
mod constraint;
mod method;
mod outcome;
mod preference;
mod role;
mod roles;
mod rules;
mod store;

pub use approval::Approval;
pub use confidence::{WILSON_Z, wilson};
pub use config::LearningConfig;
pub use constraint::Constraint;
pub use method::{Case, CaseId, Method, MethodId, NewMethod};
pub(crate) use outcome::Counted;
pub use outcome::{Ending, NewOutcome, Reported};
pub use preference::{NewPreference, Preference, PreferenceId, PreferenceKind, PreferenceState};
pub use role::{NewRoleNote, Reflection, RoleClass, RoleNote, RoleNoteId};
pub use roles::RoleStore;
pub use rules::PreferenceStore;
pub use store::MethodStore;
