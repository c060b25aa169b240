//! The count of calls in the state of a sleeper.

use crate::dream::engine::Calls;
use crate::format::SleepState;

impl From<&SleepState> for Calls {
    fn from(state: &SleepState) -> Self {
        Self {
            failures: state.consecutive_failures,
            next_allowed_at: state.next_allowed_at,
            day: state.counted_day,
            made: state.calls_that_day,
            bytes: state.bytes_that_day,
            tokens: state.tokens_that_day,
        }
    }
}

impl Calls {
    /// Writes them into the state of a sleeper.
    pub(crate) fn into_sleep(self, state: &mut SleepState) {
        (state.consecutive_failures, state.next_allowed_at) = (self.failures, self.next_allowed_at);
        (state.counted_day, state.calls_that_day) = (self.day, self.made);
        (state.bytes_that_day, state.tokens_that_day) = (self.bytes, self.tokens);
    }
}
