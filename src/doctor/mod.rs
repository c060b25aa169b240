//! The doctor: a look at a workspace and the memory store beside it, which writes nothing, and remedies.
//!
//! ```
//! use chrono::Utc;
//! use noctuary::doctor::{Apply, Doctor};
//!
//! # let folder = tempfile::tempdir()?;
//! # std::fs::write(folder.path().join("memory.md"), "- tea\n")?;
//! # std::fs::write(folder.path().join("MEMORY.md"), "- tea\n")?;
//! let doctor = Doctor::of(folder.path())?; // a folder, or a database file
//! let found = doctor.examine(Utc::now())?;
//! for finding in &found.findings {
//!     println!("{finding}"); // the kind, where, what it means, and what to do
//! }
//! let plan = doctor.fix(&found, Apply::DryRun, &[], Utc::now())?;
//! assert!(plan.is_empty(), "which of two files counts is for a person to say");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`Doctor`] | a home, how it is looked at, and what is mended |
//! | [`Examination`], [`Health`] | findings, and counts of what is there |
//! | [`DoctorFinding`], [`FindingKind`] | what it is, where, and what to do |
//! | [`AnonymousFinding`] | the same without names and exact numbers |
//! | [`Apply`], [`FixAction`], [`Fixed`] | what the doctor mends itself |
//!
//! # Limits
//!
//! - A look needs memory for the whole of a database. Where the database has a log, a copy of both is in the folder for
//!   temporary files meanwhile.
//! - Documents that an ignore file names are not looked at, and of foreign ones only markdown and plain text.
//! - A document that others can read is no finding, since most accounts make files so; one that they can write is.
//! - The doctor removes no row and no document, decides on no fact, approves nothing, and edits no `.gitignore`.
//! - Vectors are filled by the embedder of [`Doctor::stores`]; only [`Doctor::reflect_pending`] asks a model.

#[expect(clippy::module_inception, reason = "the doctor is what this room is about")]
mod doctor;
mod documents;
mod examination;
mod finding;
mod fix;
mod folder;
mod rows;
mod state;

pub use doctor::Doctor;
pub use examination::{AnonymousFinding, Examination, Health};
pub use finding::{DoctorFinding, FindingKind};
pub use fix::{Apply, FixAction, Fixed};
