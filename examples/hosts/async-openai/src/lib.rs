//! Dreams through [`async_openai`], at OpenAI or whatever speaks its chat completions. Copy this file.
//!
//! ```no_run
//! # async fn night(dreamer: noctuary::JournalDreamer) -> Result<(), noctuary::Error> {
//! let client = async_openai::Client::new();
//! let ask = |request| noctuary_with_async_openai::ask(&client, "gpt-5-mini", request);
//! let report = noctuary::dream_once_async(&dreamer, ask).await?;
//! # drop(report);
//! # Ok(())
//! # }
//! ```

use async_openai::types::chat::{self, CreateChatCompletionRequest as Request, FinishReason};
use async_openai::{Client, config::Config, error::OpenAIError};
use noctuary::model::{Finish, Usage};
use noctuary::{LlmError, LlmReply, LlmRequest};

/// Answers a request with the model of this name.
pub async fn ask<C: Config>(client: &Client<C>, model: &str, ask: LlmRequest) -> Result<LlmReply, LlmError> {
    let system = chat::ChatCompletionRequestSystemMessage::from(ask.system);
    let user = chat::ChatCompletionRequestUserMessage::from(ask.user);
    let mut chat = Request { messages: vec![system.into(), user.into()], ..Request::default() };
    (chat.model, chat.max_completion_tokens) = (model.to_owned(), ask.max_output_tokens);
    // The status alone: what a server says beside it repeats prompts and keys.
    let mut answer = client.chat().create(chat).await.map_err(|error| match error {
        OpenAIError::ApiError(error) => LlmError::of_status(error.status_code.as_u16()),
        // Of a refusal in a shape that it does not know, it tells no status.
        OpenAIError::JSONDeserialize(_, body) => LlmError::of_body(&body),
        _ => LlmError::new("async-openai had no answer"),
    })?;
    let choice = answer.choices.pop().ok_or_else(|| LlmError::new("the answer has no choice"))?;
    let refusal = choice.message.refusal.filter(|words| !words.is_empty());
    let finish = match choice.finish_reason {
        Some(FinishReason::Stop) if refusal.is_none() => Finish::Stop,
        Some(FinishReason::Length) => Finish::Length,
        _ => Finish::Other,
    };
    let text = refusal.or(choice.message.content).unwrap_or_default();
    let reply = LlmReply::new(text).without_thoughts().finish(finish);
    let Some(usage) = answer.usage else { return Ok(reply) };
    let cached = usage.prompt_tokens_details.and_then(|details| details.cached_tokens).unwrap_or(0).into();
    let (input, output) = (usage.prompt_tokens.into(), usage.completion_tokens.into());
    Ok(reply.usage(Usage { input, output, cached_input: cached }))
}
