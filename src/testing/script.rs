//! A model that answers from a list.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::base::debug::debug_as;
use crate::llm::{Finish, LlmClient, LlmError, LlmReply, LlmRequest};

/// A model that gives scripted answers in their order, and remembers the requests.
///
/// Without a script, or when it has run out, it answers `NOTHING_TO_PROMOTE`.
///
/// ```
/// use noctuary::testing::Script;
/// use noctuary::{LlmClient, LlmRequest};
///
/// let model = Script::new().says("- one").fails("no route");
/// assert_eq!(model.complete(&LlmRequest::new("", "hello"))?.text, "- one");
/// assert!(model.complete(&LlmRequest::new("", "again")).is_err());
/// assert_eq!(model.requests()[0].user, "hello");
/// # Ok::<(), noctuary::LlmError>(())
/// ```
#[derive(Default)]
pub struct Script {
    answers: Mutex<VecDeque<Answer>>,
    requests: Mutex<Vec<LlmRequest>>,
}

type Answer = Box<dyn FnOnce(&LlmRequest) -> Result<LlmReply, LlmError> + Send>;

impl Script {
    /// An empty script.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Then answers with this text.
    #[must_use]
    pub fn says(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.answers(move |_| Ok(LlmReply::new(text)))
    }

    /// Then answers with this text, cut off at a length limit.
    #[must_use]
    pub fn is_cut_off_at(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.answers(move |_| Ok(LlmReply::new(text).finish(Finish::Length)))
    }

    /// Then fails.
    #[must_use]
    pub fn fails(self, message: impl Into<String>) -> Self {
        let message = message.into();
        self.answers(move |_| Err(LlmError::new(message)))
    }

    /// Then answers what a closure says of the request.
    #[must_use]
    pub fn answers(
        self,
        answer: impl FnOnce(&LlmRequest) -> Result<LlmReply, LlmError> + Send + 'static,
    ) -> Self {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push_back(Box::new(answer));
        self
    }

    /// Returns the requests that it was asked.
    #[must_use]
    pub fn requests(&self) -> Vec<LlmRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl LlmClient for Script {
    fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let answer = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        answer.map_or_else(|| Ok(LlmReply::new("NOTHING_TO_PROMOTE")), |answer| answer(request))
    }
}

debug_as!(Script, |it| "Script {{ asked: {} }}", it.requests().len());
