#![doc = include_str!("../README.md")]
#![expect(clippy::needless_bitwise_bool, reason = "without branches many bytes are looked at together")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod base58;
mod bounds;
mod chosen;
mod class;
mod classes;
mod dense;
mod filter;
mod injection;
mod mnemonic;
mod proof;
mod scanner;
mod secret;
mod steps;
mod symbols;
mod table;
#[cfg(any(test, feature = "testing"))]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub mod testing;
pub mod text;
mod view;

pub use filter::{Confidence, Finding, PiiFilter, View};
pub use injection::{Injection, scan_injection};
pub use scanner::{ADDRESSES, Strictness};
pub use secret::SecretGate;
pub use view::{as_drawn, escape_at, letter_like};
