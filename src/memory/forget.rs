//! All that a store is asked to forget in one call.

use super::id::MemoryId;
use crate::base::debug::debug_as;

/// All that a store [forgets](crate::MemoryStore::forget_all) in one call: statements, rows, and the words of one person.
///
/// ```
/// use noctuary::memory::ForgetRequest;
///
/// let mut request = ForgetRequest::of("My landlord is Jan Kowalski.");
/// request.statements.push("The rent is 900 EUR.".to_owned());
/// assert_eq!(format!("{request:?}"), "ForgetRequest { statements: 2, rows: 0, person: false }");
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ForgetRequest {
    /// The statements. Each leaves a tombstone.
    pub statements: Vec<String>,
    /// Rows that are removed whole, without a tombstone. An id without a row is passed over.
    pub rows: Vec<MemoryId>,
    /// The name of a [participant](crate::format::Origin::Participant): rows of that origin and that speaker are removed whole,
    /// and the audit no longer names them. Without a tombstone.
    pub person: Option<String>,
}

impl ForgetRequest {
    /// Makes the request to forget one statement.
    #[must_use]
    pub fn of(text: impl Into<String>) -> Self {
        Self { statements: vec![text.into()], ..Self::default() }
    }
}

debug_as!(
    ForgetRequest,
    |it| "ForgetRequest {{ statements: {}, rows: {}, person: {} }}",
    it.statements.len(),
    it.rows.len(),
    it.person.is_some()
);
