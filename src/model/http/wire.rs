//! Requests to a server and its answers, in OpenAI's grammar.

use serde_json::{Map, Value, json};

use crate::base::usage::Usage;
use crate::llm::{Finish, LlmReply, LlmRequest};

/// Why an answer is no completion.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    NoJson,
    /// With what it says instead.
    NoChoice(String),
}

/// Returns a request as bytes. Fields that are filled in here override the host's own parameters.
pub(super) fn body(own: &Map<String, Value>, model: &str, request: &LlmRequest, bound: &str) -> Vec<u8> {
    let mut body = own.clone();
    body.insert("model".to_owned(), model.into());
    let messages = [("system", &request.system), ("user", &request.user)];
    let message = |(role, content): (&str, &String)| json!({ "role": role, "content": content });
    body.insert("messages".to_owned(), messages.into_iter().map(message).collect());
    body.insert("stream".to_owned(), false.into());
    if let Some(tokens) = request.max_output_tokens {
        body.insert(bound.to_owned(), tokens.into());
    }
    Value::Object(body).to_string().into_bytes()
}

/// Reads a completion: the first choice, and what it cost.
pub(super) fn reply(body: &[u8]) -> Result<LlmReply, Fault> {
    let completion: Value = serde_json::from_slice(without_mark(body)).map_err(|_| Fault::NoJson)?;
    let choice = &completion["choices"][0];
    if !choice.is_object() {
        return Err(Fault::NoChoice(error(&completion).unwrap_or_default().to_owned()));
    }
    let message = &choice["message"];
    let reply = match refusal(message) {
        Some(words) => LlmReply::new(words).finish(Finish::Other),
        None => LlmReply::new(content(&message["content"]))
            .without_thoughts()
            .finish(finish(&choice["finish_reason"])),
    };
    Ok(match usage(&completion["usage"]) {
        Some(usage) => reply.usage(usage),
        None => reply,
    })
}

/// Returns the words of a body that came with an error: its message where it has one, else all of it.
pub(super) fn message(body: &[u8]) -> String {
    let body = without_mark(body);
    let value: Option<Value> = serde_json::from_slice(body).ok();
    match value.as_ref().and_then(error) {
        Some(message) => message.to_owned(),
        None => String::from_utf8_lossy(body).into_owned(),
    }
}

/// Returns a body without the mark of its byte order, which some servers set and JSON does not know.
pub(super) fn without_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)
}

/// Returns the message of an error, from the places where servers put it.
pub(super) fn error(value: &Value) -> Option<&str> {
    ["/error/message", "/error", "/message", "/detail"]
        .into_iter()
        .find_map(|place| value.pointer(place).and_then(Value::as_str))
}

/// Returns the content. A message is a text, or parts that are text in part. It is neither where a model called a tool
/// or was stopped.
fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// Returns the words of a model that would not answer, where the server keeps them apart: it ends as if it had.
fn refusal(message: &Value) -> Option<&str> {
    let parts = message["content"].as_array().into_iter().flatten();
    let mut places = std::iter::once(message).chain(parts).map(|place| &place["refusal"]);
    places.find_map(|words| words.as_str().filter(|words| !words.is_empty()))
}

/// Returns why it ended, in the words of several servers.
fn finish(reason: &Value) -> Finish {
    match reason.as_str() {
        Some("stop" | "stop_sequence" | "eos" | "eos_token" | "end_turn") => Finish::Stop,
        Some("length" | "max_tokens" | "model_length") => Finish::Length,
        Some("") | None => Finish::Unsaid,
        Some(_) => Finish::Other,
    }
}

fn usage(usage: &Value) -> Option<Usage> {
    let tokens = |place: &str| usage.pointer(place).and_then(Value::as_u64);
    let (input, output) = (tokens("/prompt_tokens"), tokens("/completion_tokens"));
    (input.is_some() || output.is_some()).then(|| Usage {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
        cached_input: tokens("/prompt_tokens_details/cached_tokens").unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &Value) -> LlmReply {
        reply(body.to_string().as_bytes()).unwrap()
    }

    fn said(content: &str) -> String {
        read(&json!({ "choices": [{ "message": { "content": content }, "finish_reason": "stop" }] })).text
    }

    #[test]
    fn a_request_says_what_the_host_adds_and_no_parameter_changes_what_is_asked() {
        let own = [("temperature", json!(0)), ("stream", json!(true)), ("messages", json!([]))];
        let own = own.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let mut request = LlmRequest::new("be brief", "hello");
        let sent: Value = serde_json::from_slice(&body(&own, "m", &request, "max_tokens")).unwrap();
        let messages =
            json!([{ "role": "system", "content": "be brief" }, { "role": "user", "content": "hello" }]);
        assert_eq!(sent, json!({ "model": "m", "messages": messages, "stream": false, "temperature": 0 }));
        request.max_output_tokens = Some(7);
        let sent: Value = serde_json::from_slice(&body(&own, "m", &request, "max_tokens")).unwrap();
        assert_eq!(sent["max_tokens"], 7);
    }

    #[test]
    fn thoughts_are_no_part_of_an_answer() {
        assert_eq!(said("<think>\n- no\n</think>\n\n- yes"), "\n\n- yes");
        assert_eq!(said("\n<think>- no</think>- yes</think>"), "- yes</think>");
        assert_eq!(said("- no\n</think>\n- yes"), "- yes");
        assert_eq!(said("<think>- no</think>\n<think>- no</think>\n- yes"), "\n- yes");
        assert_eq!(said("<think>\n- no"), "");
        assert_eq!(said("- The user closes `</think>` by hand."), "- The user closes `</think>` by hand.");
        assert_eq!(said("- The tag <think> opens.\n- Two"), "- The tag <think> opens.\n- Two");
    }

    #[test]
    fn a_refusal_keeps_its_words_and_is_no_answer() {
        // The answer was empty, and nobody learnt that the model had refused.
        let of =
            |message: Value| read(&json!({ "choices": [{ "message": message, "finish_reason": "stop" }] }));
        for message in [
            json!({ "content": null, "refusal": "I cannot help with that." }),
            json!({ "content": "", "refusal": "I cannot help with that." }),
            json!({ "content": "- Half an answer", "refusal": "I cannot help with that." }),
            json!({ "content": [{ "type": "refusal", "refusal": "I cannot help with that." }] }),
        ] {
            let reply = of(message);
            assert_eq!((reply.text.as_str(), reply.finish), ("I cannot help with that.", Finish::Other));
        }
        for nothing in [json!(null), json!(""), json!(false), json!({})] {
            let reply = of(json!({ "content": "- a", "refusal": nothing }));
            assert_eq!((reply.text.as_str(), reply.finish), ("- a", Finish::Stop));
        }
    }

    #[test]
    fn the_mark_of_a_byte_order_is_no_part_of_a_body() {
        // An answer of a server behind some proxies was "no JSON".
        let marked = |body: &str| format!("\u{feff}{body}").into_bytes();
        let completion = json!({ "choices": [{ "message": { "content": "- a" }, "finish_reason": "stop" }] });
        assert_eq!(reply(&marked(&completion.to_string())).unwrap().text, "- a");
        assert_eq!(message(&marked(r#"{"error":"busy"}"#)), "busy");
        assert_eq!(message(&marked("busy")), "busy");
        assert_eq!(reply(&marked("\u{feff}{}")).unwrap_err(), Fault::NoJson, "one is a mark, two are not");
    }

    #[test]
    fn an_answer_in_parts_is_joined() {
        let parts = json!([{ "type": "text", "text": "- a" }, { "type": "image" }, { "text": "\n- b" }]);
        let completion = json!({ "choices": [{ "message": { "content": parts } }] });
        assert_eq!(read(&completion).text, "- a\n- b");
    }

    #[test]
    fn only_what_is_said_to_be_whole_is_whole() {
        for (reason, finish) in [
            (json!("stop"), Finish::Stop),
            (json!("eos_token"), Finish::Stop),
            (json!("length"), Finish::Length),
            (json!("model_length"), Finish::Length),
            (json!("content_filter"), Finish::Other),
            (json!("tool_calls"), Finish::Other),
            (json!(""), Finish::Unsaid),
            (Value::Null, Finish::Unsaid),
            (json!(1), Finish::Unsaid),
        ] {
            let completion =
                json!({ "choices": [{ "message": { "content": "- a" }, "finish_reason": reason }] });
            assert_eq!(read(&completion).finish, finish, "{reason}");
        }
    }

    #[test]
    fn what_it_cost_is_told_where_it_is_known() {
        let with = |usage: Value| read(&json!({ "choices": [{}], "usage": usage })).usage;
        let details = json!({ "prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": { "cached_tokens": 4 } });
        assert_eq!(with(details), Some(Usage { input: 9, output: 2, cached_input: 4 }));
        let plain = Usage { input: 9, output: 0, cached_input: 0 };
        assert_eq!(with(json!({ "prompt_tokens": 9, "prompt_tokens_details": null })), Some(plain));
        for nothing in [Value::Null, json!({}), json!([]), json!({ "prompt_tokens": -1 })] {
            assert_eq!(with(nothing), None);
        }
    }

    #[test]
    fn what_is_no_completion_says_so() {
        let fault = |body: &str| reply(body.as_bytes()).unwrap_err();
        assert_eq!(fault("<html>"), Fault::NoJson);
        assert_eq!(fault(""), Fault::NoJson);
        assert_eq!(fault(&"[".repeat(100_000)), Fault::NoJson);
        for body in
            ["{}", "[]", "null", "7", r#"{"choices":null}"#, r#"{"choices":[]}"#, r#"{"choices":["a"]}"#]
        {
            assert_eq!(fault(body), Fault::NoChoice(String::new()), "{body}");
        }
        let busy = Fault::NoChoice("busy".to_owned());
        assert_eq!(fault(r#"{"error":{"message":"busy","code":502}}"#), busy);
        assert_eq!(fault(r#"{"error":"busy"}"#), busy);
        assert_eq!(message(br#"{"detail":"busy"}"#), "busy");
        assert_eq!(message(b"bu\xffsy"), "bu\u{fffd}sy");
    }
}
