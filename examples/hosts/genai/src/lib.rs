//! Dreams through [`genai`], which speaks to some twenty vendors and to Ollama. Copy this file.
//!
//! ```no_run
//! # async fn night(dreamer: noctuary::JournalDreamer) -> Result<(), Box<dyn std::error::Error>> {
//! let client = genai::Client::new()?;
//! let ask = |request| noctuary_with_genai::ask(&client, "gpt-5-mini", request);
//! let report = noctuary::dream_once_async(&dreamer, ask).await?;
//! # drop(report);
//! # Ok(())
//! # }
//! ```

use genai::chat::{ChatMessage, ChatOptions, ChatRequest, StopReason};
use genai::{Client, Error, resolver};
use noctuary::model::{Finish, Usage};
use noctuary::{LlmError, LlmReply, LlmRequest};

/// Answers a request with the model of this name.
pub async fn ask(client: &Client, model: &str, request: LlmRequest) -> Result<LlmReply, LlmError> {
    let chat = ChatRequest::from_system(request.system).append_message(ChatMessage::user(request.user));
    let options = ChatOptions { max_tokens: request.max_output_tokens, ..ChatOptions::default() };
    // The status alone: what a server says beside it repeats prompts and keys.
    let answer = client.exec_chat(model, chat, Some(&options)).await.map_err(|error| match &error {
        Error::Resolver { resolver_error: resolver::Error::ApiKeyEnvNotFound { env_name }, .. } => {
            LlmError::new(format!("genai finds no key in the variable {env_name}")).permanent()
        }
        Error::RequiresApiKey { .. } | Error::NoAuthData { .. } | Error::NoAuthResolver { .. } => {
            LlmError::new("genai has no key for this model").permanent()
        }
        _ => error.status().map_or(LlmError::new("genai had no answer"), |s| LlmError::of_status(s.as_u16())),
    })?;
    let finish = match answer.stop_reason {
        Some(StopReason::Completed(_)) => Finish::Stop,
        Some(StopReason::MaxTokens(_)) => Finish::Length,
        _ => Finish::Other,
    };
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(0);
    let cached = answer.usage.prompt_tokens_details.as_ref().and_then(|details| details.cached_tokens);
    let (input, output) = (count(answer.usage.prompt_tokens), count(answer.usage.completion_tokens));
    let usage = Usage { input, output, cached_input: count(cached) };
    Ok(LlmReply::new(answer.texts().concat()).without_thoughts().finish(finish).usage(usage))
}
