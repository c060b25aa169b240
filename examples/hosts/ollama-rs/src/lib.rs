//! Dreams through [`ollama_rs`], on a model of your own machine. Copy this file.
//!
//! Ollama cuts what does not fit into its context without a word, and `ollama-rs` does not say why an answer
//! ended. So the context is an argument here, and an answer that fills it, or its bound, counts as cut off.
//! A dream's request is larger than Ollama's usual context: ask for 32,768 or more, or lower
//! `DreamConfig::total_input_bytes` and `memory_bytes` until it fits; a token is about four bytes of English.
//!
//! ```no_run
//! # async fn night(dreamer: noctuary::JournalDreamer) -> Result<(), noctuary::Error> {
//! let client = ollama_rs::Ollama::default();
//! let ask = |request| noctuary_with_ollama_rs::ask(&client, "qwen3:8b", 32_768, request);
//! let report = noctuary::dream_once_async(&dreamer, ask).await?;
//! # drop(report);
//! # Ok(())
//! # }
//! ```

use noctuary::model::{Finish, Usage};
use noctuary::{LlmError, LlmReply, LlmRequest};
use ollama_rs::generation::chat::{ChatMessage, request::ChatMessageRequest};
use ollama_rs::{Ollama, error::OllamaError, models::ModelOptions};

/// Answers a request with the model of this name, in a context of so many tokens.
pub async fn ask(client: &Ollama, model: &str, context: u64, ask: LlmRequest) -> Result<LlmReply, LlmError> {
    let bound = ask.max_output_tokens.and_then(|most| i32::try_from(most).ok());
    let messages = vec![ChatMessage::system(ask.system), ChatMessage::user(ask.user)];
    let options = ModelOptions::default().num_ctx(context).num_predict(bound.unwrap_or(-1));
    let chat = ChatMessageRequest::new(model.to_owned(), messages).options(options);
    let answer = client.send_chat_messages(chat).await.map_err(|error| match error {
        // Not its own words: they are the body, and the status is not told.
        OllamaError::Other(body) if body.contains("not found") => LlmError::new("no such model").permanent(),
        _ => LlmError::new("Ollama had no answer"),
    })?;
    let reply = LlmReply::new(answer.message.content).without_thoughts();
    let Some(figures) = answer.final_data else { return Ok(reply.finish(Finish::Other)) };
    let (input, output) = (figures.prompt_eval_count, figures.eval_count);
    let is_cut = input.saturating_add(output) >= context
        || bound.is_some_and(|most| output >= most.unsigned_abs().into());
    let finish = if is_cut { Finish::Length } else { Finish::Stop };
    Ok(reply.finish(finish).usage(Usage { input, output, cached_input: 0 }))
}
