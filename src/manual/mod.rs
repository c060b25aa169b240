//! Long pages: what a reader wants to know before trusting a life to this crate.
//!
//! | Your question | Page |
//! |---|---|
//! | How do I get to a first dream? | [`getting_started`] |
//! | How does a day go: sessions, prompts, notes, journals, presets? | [`day`] |
//! | What does a dream do, how did it end, what do I do about it, which settings are there? | [`night`] |
//! | When do I call it: cron, timers, several lives, shutdown? | [`scheduling`] |
//! | Which model will do, and what does a night cost? | [`models`] |
//! | Who is told what, what leaves the machine, what is not protected? | [`privacy`] |
//! | What counts as a secret or an instruction in disguise, and what happens then? | [`gate`] |
//! | Why is a line promoted exactly once? Two hosts, editors, containers, backups? | [`durability`] |
//! | What stands in which file, byte by byte? | [`formats`] |
//! | What do memory stores keep, find and forget? | [`memory`] |
//! | How is a workspace searched? (feature `sqlite`) | [`search`] |
//! | How does an agent live that sleeps when it is tired? | [`sleep`] |
//! | How do I write a backend, a filter, a client or a dreamer of my own? | [`backends`] |
//! | What do others do, and what do they do better? | [`comparison`] |
//! | Why is it like this? Why was my line not promoted? | [`faq`] |
//!
//! Code on these pages is run as tests, and the files that [`formats`] shows are read by the parsers that read yours.

#[cfg(test)]
mod tests;

#[doc = include_str!("getting_started.md")]
pub mod getting_started {}

#[doc = include_str!("day.md")]
pub mod day {}

#[doc = include_str!("night.md")]
pub mod night {}

#[doc = include_str!("scheduling.md")]
pub mod scheduling {}

#[doc = include_str!("models.md")]
pub mod models {}

#[doc = include_str!("privacy.md")]
pub mod privacy {}

#[doc = include_str!("gate.md")]
pub mod gate {}

#[doc = include_str!("durability.md")]
pub mod durability {}

#[doc = include_str!("formats.md")]
pub mod formats {}

#[doc = include_str!("memory.md")]
pub mod memory {}

#[cfg(feature = "sqlite")]
#[cfg_attr(docsrs, doc(cfg(feature = "sqlite")))]
#[doc = include_str!("search.md")]
pub mod search {}

#[doc = include_str!("sleep.md")]
pub mod sleep {}

#[doc = include_str!("backends.md")]
pub mod backends {}

#[doc = include_str!("comparison.md")]
pub mod comparison {}

#[doc = include_str!("faq.md")]
pub mod faq {}
