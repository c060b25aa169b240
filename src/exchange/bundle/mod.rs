//! Bundles: a life as a tree of markdown that another home, machine or program can read and verify.
//!
//! ```text
//! index.md                       contents, version, whose signature
//! memories/<category>/<id>.md    rows: fields, then the words
//! facts/<id>.md                  facts with both times; facts/decisions.jsonl has their history
//! learnings/<id>.md
//! methodologies/<class>/<id>.md  methods with their cases; methodologies/outcomes.json lists outcomes that counted
//! preferences/<dimension>/<id>.md, without hard constraints unless they are asked for
//! roles/<role>/<id>.md           notes of roles, and their lessons
//! trade-cases/<id>.md, assets/<TICKER>.md, in a build with the feature `finance`: notes with lessons, and pages of tickers
//! edges.jsonl, pages/<id>.md     who and what is mentioned where: made of the rows, and read by no import
//! profile/<key>.md
//! documents/<name>               documents of the workspace, byte for byte
//! artifacts/<id>.json            charts, spreadsheets and reports with their data
//! files/<user>/<file>            files that people handed over, each with its record beside it, <file>.json
//! tombstones.json                statements that must stay out, as keyed hashes
//! signature.txt                  HMAC-SHA256 of each file, by the key of the operator
//! manifest.txt, manifest.sig     SHA-256 of each file, and an Ed25519 signature over all
//! ```

mod derived;
mod entry;
mod export;
mod front;
mod gone;
mod import;
mod judge;
mod judge_practice;
mod key;
mod made;
mod places;
mod plan;
mod practice;
mod presence;
mod rows;
mod seal;
mod standing;
mod tree;

pub(super) use export::owner_only;
pub(super) use front::Front;
pub(super) use places::{
    DECISIONS, DOCUMENT_STONES, INDEX, OUTCOMES, PREFERENCES_README, STONES, document_name, is_derived,
};
pub(super) use seal::is_seal;

pub use export::Export;
pub use import::BundleImport;
pub use key::BundleKey;
pub use plan::{BundleAction, BundleItem, BundlePlan, Channel};
pub use presence::Presence;
pub use rows::StoredRows;
pub use tree::Bundle;
