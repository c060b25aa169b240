//! The outcome of a trade.

use crate::learning::{Ending, MethodId, NewOutcome};

/// Returns the outcome of a trade for the methods that were used: a profit is a success, a loss is a failure. If neither was
/// made, or the number is not valid, the methods get no outcome.
///
/// ```
/// use noctuary::finance::outcome_of_pnl;
/// use noctuary::learning::{Ending, MethodId};
///
/// let outcome = outcome_of_pnl("order-9", [MethodId::new(1)], -41.5).unwrap();
/// assert_eq!(outcome.ending, Ending::Failure);
/// assert!(outcome_of_pnl("order-10", [MethodId::new(1)], 0.0).is_none());
/// ```
pub fn outcome_of_pnl(
    id: impl Into<String>,
    methods: impl IntoIterator<Item = MethodId>,
    pnl: f64,
) -> Option<NewOutcome> {
    let ending = match pnl {
        pnl if pnl > 0.0 => Ending::Success,
        pnl if pnl < 0.0 => Ending::Failure,
        _ => return None,
    };
    Some(NewOutcome::new(id, methods, ending))
}
