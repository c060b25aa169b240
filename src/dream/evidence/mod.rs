//! The check whether a line agrees with its sources: deterministic, and strict in doubt.
//!
//! The cited lines must have been shown. Every number, date and name of the claim must occur in them, in any notation.
//! "15:00" is "3pm", "50 %" is "half", "on the 5th" is a day of the journal's month. The claim must not turn a sentence
//! of theirs into its opposite. From a contrast ("A instead of B") it must not take the dropped side. Text between its
//! quotation marks must occur there word for word. A claim that is a cited line word for word passes at once. In front
//! of it may be a time, a tag and a speaker, but no label that takes it back ("Myth: …").
//!
//! Addresses, hosts, paths and mail addresses are names too. A label ("Decision: …") shares nothing with a claim, and a record of
//! a program supports none.
//!
//! This is no proof of truth: it catches what a model made up, not what it misread. Some false lines pass. The right
//! words may be in the wrong places: who called whom, which of two numbers is the rent. A condition may be told as a
//! fact, or a question as its answer. A denial may have no negation, an opposite another word (cheap for dear). A vague
//! week may become an exact day. A number or name may be from elsewhere in the cited lines, or invented in a script
//! without upper case. Some true lines are held: those that must be counted, reckoned or known (a year of birth from an
//! age). So are paraphrases or translations without a word in common.
//!
//! Two questions are asked of every line. [`origin`] asks whose words it is, and [`orders`] whether it is an order to
//! its reader.

mod addresses;
mod claim;
mod common;
mod contrast;
mod dates;
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
pub(crate) use orders::gives_order;
pub(crate) use rules::Rules;
pub use rules::{Evidence, Trust};
pub(crate) use shown::Shown;
