//! Methods, cases and outcomes, preferences and the notes of roles.

mod changes;
mod rows;
