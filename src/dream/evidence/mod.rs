//! The check whether a line agrees with its sources: deterministic, and strict in doubt.
//!
//! The cited lines must have been shown. Every number, date and name of the claim must occur in them, in this notation
//! or another ("15:00" is "3pm", "50 %" is "half", "on the 5th" is a day of the journal's month), and the claim must
//! not turn a sentence of theirs into its opposite, nor take the side of a contrast ("A instead of B") that they drop.
//! Text between its quotation marks must occur there word for word. A claim that is a cited line word for word passes
//! at once. In front of it may be a time, a tag and a speaker, but no label that takes it back ("Myth: …").
//!
//! Addresses, hosts, paths and mail addresses are names too. A label ("Decision: …") shares nothing with a claim, and a record of
//! a program supports none.
//!
//! This is no proof of truth: it catches what a model made up, not what it misread. A line passes although it is false:
//! the right words in the wrong places (who called whom, which of two numbers is the rent, a comparison turned round),
//! a condition told as a fact, a question told as its answer, a denial without a negation, an exact day out of a vague
//! week, an invented name in a script without upper case, an opposite by another word (cheap for dear), and a number or
//! name that is elsewhere in the cited lines. A line is held although it is true: one that must be counted, reckoned or
//! known (a year of birth from an age, two children from their names), and a paraphrase or translation without a word
//! in common.
//!
//! Two questions are asked besides, of what cites nothing too: [`origin`], whose words it is, and [`orders`],
//! whether it is an order to its reader.

mod addresses;
mod claim;
mod common;
mod contrast;
mod dates;
mod days;
mod implied;
mod judge;
mod matter;
mod names;
mod numbers;
mod orders;
mod origin;
mod person;
mod quotes;
mod rules;
mod shown;
mod spelled;
mod spoken;
#[cfg(test)]
mod table;
mod taken;
mod tellers;
mod verbatim;

pub(crate) use judge::{Judge, Verdict, told};
pub(crate) use matter::{is_negation, negates_unparted};
pub(crate) use rules::Rules;
pub use rules::{Evidence, Trust};
pub(crate) use shown::Shown;
