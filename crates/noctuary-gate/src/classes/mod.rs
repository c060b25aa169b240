//! The classes of secrets, one row each, by kind: `keys`, `vendors`, `labelled`, `named`, `wallets`, `personal`.
//!
//! To add a class, add a row: its name, its description, the literals at its beginning, and the shape that follows. A
//! weak shape also needs the proof of a match. The shapes are written from what the makers of a token publish of it.
//! A distinctive prefix blocks on its shape alone, and no failed proof clears it; a weak shape needs its proof. Where
//! two classes share a place, the earlier in the table names it.

mod keys;
mod labelled;
mod named;
mod pem;
mod personal;
mod vendors;
mod wallets;

use super::class::Class;

/// Returns all classes, in their order.
pub(super) fn all() -> impl Iterator<Item = &'static Class> {
    [
        keys::SEED,
        vendors::VENDORS,
        vendors::WEBHOOKS,
        wallets::WALLETS,
        keys::KEYS,
        labelled::LABELLED,
        named::NAMED,
        personal::PERSONAL,
    ]
    .into_iter()
    .flatten()
}
