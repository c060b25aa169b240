//! Every suite of a store, one after the other.

use super::kit::Make;
use super::rights::{audits, doors, scopes, sessions};
use super::rows::{batches, deletions, edits, forgets, lists, pins, profiles, promotions, rows, writers};
use super::search::{any_text, operators, scripts, words};

/// Runs every suite.
pub fn store(make: Make<'_>) {
    rows(make().as_ref());
    lists(make().as_ref());
    words(make().as_ref());
    operators(make().as_ref());
    scripts(make().as_ref());
    any_text(make().as_ref(), 300);
    sessions(make().as_ref());
    scopes(make().as_ref());
    doors(make().as_ref());
    batches(make().as_ref(), make().as_ref());
    edits(make().as_ref());
    deletions(make().as_ref());
    forgets(make().as_ref());
    pins(make().as_ref());
    promotions(make().as_ref());
    profiles(make().as_ref());
    audits(make().as_ref());
    writers(&make());
}
