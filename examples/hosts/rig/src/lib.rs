//! Dreams through [`rig_core`], with any model of its providers. Copy this file.
//!
//! ```no_run
//! # async fn night(dreamer: noctuary::JournalDreamer) -> Result<(), Box<dyn std::error::Error>> {
//! let model = rig_core::providers::openai::OpenAI::from_env()?.completion("gpt-5-mini").erase();
//! let ask = |request| noctuary_with_rig::ask(&model, request);
//! let report = noctuary::dream_once_async(&dreamer, ask).await?;
//! # drop(report);
//! # Ok(())
//! # }
//! ```

use noctuary::model::{Finish, Usage};
use noctuary::{LlmError, LlmReply, LlmRequest};
use rig_core::DynModel;
use rig_core::completion::{CompletionRequest, FinishReason};
use rig_core::operation::Completion;

/// Answers a request with this model.
pub async fn ask(model: &DynModel<Completion>, request: LlmRequest) -> Result<LlmReply, LlmError> {
    let chat = CompletionRequest::new(request.user)
        .preamble(request.system)
        .max_tokens(request.max_output_tokens.map(u64::from));
    let answer = model.call(chat).await.map_err(|error| {
        // The kind and the status alone: what a server says beside them repeats prompts and keys.
        let report = error.report();
        let status = report.http_status.map_or_else(String::new, |status| format!(" {status}"));
        let failure = LlmError::new(format!("rig had no answer: {}{status}", report.kind.code()));
        if report.is_retryable() { failure } else { failure.permanent() }
    })?;
    // rig hands a refusal on as a text that ended by itself; the server's own answer tells it apart.
    let raw = answer.raw.to_string().replace(r#""refusal":"""#, "");
    let is_refused = answer.error.is_some() || raw.contains(r#""refusal":""#);
    let finish = match answer.finish_reason() {
        Some(FinishReason::Stop) if !is_refused => Finish::Stop,
        Some(FinishReason::Length) => Finish::Length,
        _ => Finish::Other,
    };
    let (usage, count) = (&answer.usage, Option::unwrap_or_default);
    let (input, output) = (count(usage.input_tokens), count(usage.output_tokens));
    let usage = Usage { input, output, cached_input: count(usage.cached_input_tokens) };
    Ok(LlmReply::new(answer.text()).without_thoughts().finish(finish).usage(usage))
}
