//! The answer to a request, as every dreamer takes it.

use crate::dreamer::Failure;
use crate::gate::{Gate, Masks};
use crate::llm::{Finish, LlmError, LlmReply};

/// No answer is longer, in bytes: nobody asked for a book.
const MOST: usize = 1 << 20;

/// Returns the text of a whole answer. An answer that failed, was cut off or stopped, is empty or too long, gives none.
/// A client's message about its failure is masked.
pub(crate) fn whole(answer: Result<LlmReply, LlmError>, gate: &Gate) -> Result<String, Failure> {
    let reply = answer.map_err(|error| Failure::Client {
        message: gate.mask(&error.to_string(), &mut Masks::default()),
        retryable: error.is_retryable(),
    })?;
    match reply.finish {
        Finish::Stop if reply.text.len() > MOST => Err(Failure::TooLarge),
        Finish::Stop if reply.text.trim().is_empty() => Err(Failure::Empty),
        Finish::Stop => Ok(reply.text),
        Finish::Length => Err(Failure::Truncated),
        Finish::Other => Err(Failure::Stopped),
        Finish::Unsaid => Err(Failure::Unsaid),
    }
}
