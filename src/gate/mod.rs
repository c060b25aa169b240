//! Policies on text: what a filter finds is refused, masked or allowed here, in one way at every door.
#![expect(clippy::needless_bitwise_bool, reason = "without branches many bytes are looked at together")]

mod allow;
mod base58;
mod bounds;
mod chosen;
mod class;
mod classes;
mod dense;
mod door;
mod doors;
mod filter;
mod injection;
mod mask;
mod mnemonic;
mod places;
mod policy;
mod proof;
mod scanner;
pub(crate) mod secret;
mod steps;
mod symbols;
mod table;
mod tombstone;
mod view;

pub use crate::pii::{Confidence, Cure, Finding, GateFinding, View};
pub use allow::Allow;
pub use door::{Door, DoorWarning, Passed};
pub use doors::Doors;
pub(crate) use filter::Gate;
pub use injection::{Injection, scan_injection};
pub(crate) use mask::{Masks, mask_within};
pub(crate) use places::Places;
pub use policy::{DoorPolicy, InjectionPolicy, SecretPolicy};
pub use scanner::Strictness;
pub(crate) use secret::SecretGate;
pub(crate) use tombstone::FORGOTTEN;
pub use tombstone::{Tombstone, TombstoneKey, Tombstones};
pub(crate) use view::as_drawn;
