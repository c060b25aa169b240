//! Whole nights through the client library, against a server in this process.

use noctuary::model::Finish;
use noctuary::{DreamReport, JournalDreamer, LlmRequest, dream_once_async};
use noctuary_local_server::{Answer, LocalServer, MODEL, run};
use noctuary_with_ollama_rs::ask;
use ollama_rs::Ollama;

fn dream(dreamer: &JournalDreamer, url: &str) -> DreamReport {
    let client = Ollama::try_new(url).expect("an address");
    run(dream_once_async(dreamer, |request| ask(&client, MODEL, 32_768, request))).expect("a dream")
}

/// Without a bound the server of the test says that it wrote as many tokens as there are numbers.
#[test]
fn figures_of_any_size_are_an_answer() {
    let server = LocalServer::start(Answer::CutOff("- a")).expect("a server");
    let client = Ollama::try_new(server.url()).expect("an address");
    let reply = run(ask(&client, MODEL, 32_768, LlmRequest::new("be brief", "hello"))).expect("an answer");
    assert_eq!(reply.finish, Finish::Length);
}

noctuary_local_server::nights!(dream, cached: 0, refused: [404 => "no such model"], source: "../src/lib.rs");
