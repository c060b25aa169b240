//! Whole nights through the client library, against a server in this process.

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use noctuary::model::Finish;
use noctuary::{DreamReport, JournalDreamer, LlmRequest, dream_once_async};
use noctuary_local_server::{Answer, KEY, LocalServer, MODEL, run};
use noctuary_with_async_openai::ask;

fn client(url: &str) -> Client<OpenAIConfig> {
    Client::with_config(OpenAIConfig::new().with_api_key(KEY).with_api_base(format!("{url}/v1")))
}

fn dream(dreamer: &JournalDreamer, url: &str) -> DreamReport {
    let client = client(url);
    run(dream_once_async(dreamer, |request| ask(&client, MODEL, request))).expect("a dream")
}

/// A refusal ended as an empty answer, and its words were lost.
#[test]
fn a_refusal_keeps_its_words() {
    for (answer, text) in [
        (Answer::Refused("I cannot keep that."), "I cannot keep that."),
        (Answer::Filtered("- half a"), "- half a"),
    ] {
        let server = LocalServer::start(answer).expect("a server");
        let request = LlmRequest::new("be brief", "hello");
        let reply = run(ask(&client(&server.url()), MODEL, request)).expect("an answer");
        assert_eq!((reply.text.as_str(), reply.finish), (text, Finish::Other));
    }
}

noctuary_local_server::nights!(dream, cached: 1000, refused: [401 => "401", 404 => "404"], source: "../src/lib.rs");
