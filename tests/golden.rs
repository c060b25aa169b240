//! Files of the first release: they open, read back and go on.
#[path = "golden/mod.rs"]
mod golden;
