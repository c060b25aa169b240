//! A dream to look at: one HTML page that shows where each promoted line came from, what was held back and why, and
//! what `MEMORY.md` became.
//!
//! The page stands alone. It has no script, and it forbids itself to fetch anything. Every text that is not the page's
//! own is masked by the filter of the [`Doors`] and then escaped by the template; characters that cannot be seen are
//! shown by their numbers.

mod dream_page;
mod frame;
mod growth;
mod inputs;
mod journals;
mod lines;
mod marks;
mod memory;
mod nights;
mod page;
mod parts;
mod secrets;
mod veil;

pub use dream_page::DreamPage;
