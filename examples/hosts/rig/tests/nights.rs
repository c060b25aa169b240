//! Whole nights through the client library, against a server in this process.

use noctuary::model::Finish;
use noctuary::{DreamReport, JournalDreamer, LlmRequest, dream_once_async};
use noctuary_local_server::{Answer, KEY, LocalServer, MODEL, run};
use noctuary_with_rig::ask;
use rig_core::DynModel;
use rig_core::operation::Completion;
use rig_core::providers::openai::{OpenAIConfig, Route};

fn model(url: &str) -> DynModel<Completion> {
    let config = OpenAIConfig::new(KEY).with_base_url(format!("{url}/v1")).with_route(Route::Chat);
    config.client().completion(MODEL).erase()
}

fn dream(dreamer: &JournalDreamer, url: &str) -> DreamReport {
    let model = model(url);
    run(dream_once_async(dreamer, |request| ask(&model, request))).expect("a dream")
}

/// rig hands a refusal on as the answer, and one in the form of a memory was promoted.
#[test]
fn a_refusal_keeps_its_words() {
    for (answer, text) in [
        (Answer::Refused("I cannot keep that."), "I cannot keep that."),
        (Answer::Filtered("- half a"), "- half a"),
    ] {
        let server = LocalServer::start(answer).expect("a server");
        let request = LlmRequest::new("be brief", "hello");
        let reply = run(ask(&model(&server.url()), request)).expect("an answer");
        assert_eq!((reply.text.as_str(), reply.finish), (text, Finish::Other));
    }
}

noctuary_local_server::nights!(dream, cached: 1000, refused: [401 => "401", 404 => "404"], source: "../src/lib.rs");
