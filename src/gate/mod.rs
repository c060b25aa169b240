//! The gate: one scanner for secrets and disguised instructions, at every place where text comes in or goes out.
//!
//! ```
//! use noctuary::gate::{Allow, Door, DoorPolicy, Doors, InjectionPolicy, SecretPolicy};
//! use noctuary::{DocName, Error};
//!
//! let doors = Doors::default()
//!     .allow(Allow::none().class("evm_address")) // this host is a wallet
//!     .policy(Door::WorkspaceWrite, DoorPolicy::new(SecretPolicy::Reject, InjectionPolicy::Reject));
//! let (journal, key) = (DocName::parse("memory/2026-11-21-repl.md")?, "the key is AKIAIOSFODNN7EXAMPLE");
//! let passed = doors.pass(Door::JournalAppend, &journal, key)?;
//! assert_eq!(passed.text, "the key is [REDACTED:aws_access_key#1]");
//! let stopped = doors.pass(Door::WorkspaceWrite, &DocName::MEMORY, key);
//! assert!(matches!(stopped, Err(Error::Stopped { .. })));
//! # Ok::<(), noctuary::Error>(())
//! ```
//!
//! Give the same [`Doors`] to lives, dreamers, stores, importers and tools; without it they use the defaults.
//!
//! | Name | Use |
//! |---|---|
//! | [`Door`], [`DoorPolicy`], [`SecretPolicy`], [`InjectionPolicy`] | the places, and the policy of each |
//! | [`Passed`], [`DoorWarning`] | the text that passed, with warnings |
//! | [`Allow`] | classes and values that an operator allows |
//! | [`Finding`], [`GateFinding`], [`View`], [`Confidence`], [`Cure`] | a secret: its class, place, disguise and cure, never its text |
//! | [`Strictness`] | how much proof [the filter](crate::SecretGate) wants |
//! | [`scan_injection`], [`Injection`] | disguised instructions |
//! | [`Tombstone`], [`TombstoneKey`], [`Tombstones`] | keyed hashes of forgotten statements |
//!
//! # Limits
//!
//! - The filter knows shapes, makers and plain names. It misses secrets that are encrypted, reversed, spelled out, or without any form.
//! - A secret that is split over two writes is not seen.
//! - The scan for instructions is a net, not a wall.
//! - Cards, accounts, telephone numbers and addresses are found only after [`SecretGate::with`](crate::SecretGate::with).
//!
//! The manual has [all of what is found and missed](crate::manual::gate).

mod allow;
mod door;
mod doors;
mod filter;
mod mask;
mod places;
mod policy;
mod tombstone;

pub use crate::base::finding::{Cure, GateFinding};
pub use allow::Allow;
pub use door::{Door, DoorWarning, Passed};
pub use doors::Doors;
pub(crate) use doors::looks_like_an_instruction;
pub(crate) use filter::Gate;
pub(crate) use mask::{Masks, PLACEHOLDER, mask_within};
pub(crate) use noctuary_gate::as_drawn;
#[doc(inline)]
pub use noctuary_gate::{Confidence, Finding, Injection, Strictness, View, scan_injection};
pub(crate) use places::Places;
pub use policy::{DoorPolicy, InjectionPolicy, SecretPolicy};
#[cfg(feature = "exchange")]
pub(crate) use tombstone::mark;
pub(crate) use tombstone::{FORGOTTEN, is_struck, signature, statement_signature};
pub use tombstone::{Tombstone, TombstoneKey, Tombstones};
