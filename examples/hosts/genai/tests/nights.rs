//! Whole nights through the client library, against a server in this process.

use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint, ServiceTargetResolver};
use genai::{Client, ModelIden, ServiceTarget};
use noctuary::{DreamReport, JournalDreamer, LlmRequest, dream_once_async};
use noctuary_local_server::{Answer, KEY, LocalServer, MODEL, run};
use noctuary_with_genai::ask;

fn client(url: &str, key: AuthData) -> Client {
    let endpoint = Endpoint::from_owned(format!("{url}/v1/"));
    let resolver = ServiceTargetResolver::from_resolver_fn(move |target: ServiceTarget| {
        let model = ModelIden::new(AdapterKind::OpenAI, target.model.model_name);
        Ok(ServiceTarget { endpoint: endpoint.clone(), auth: key.clone(), model })
    });
    Client::builder().with_service_target_resolver(resolver).build().expect("a client")
}

fn dream(dreamer: &JournalDreamer, url: &str) -> DreamReport {
    let client = client(url, AuthData::from_single(KEY));
    run(dream_once_async(dreamer, |request| ask(&client, MODEL, request))).expect("a dream")
}

/// Without its key, genai asked nobody and "had no answer", which may pass, and said no more.
#[test]
fn without_its_key_it_says_which_and_that_waiting_does_not_help() {
    let server = LocalServer::start(Answer::Text("- a")).expect("a server");
    let client = client(&server.url(), AuthData::from_env("NOCTUARY_NO_SUCH_KEY"));
    let request = LlmRequest::new("be brief", "hello");
    let error = run(ask(&client, MODEL, request)).expect_err("there is no key");
    assert!(!error.is_retryable() && error.to_string().contains("NOCTUARY_NO_SUCH_KEY"), "{error}");
    assert!(server.asked().is_empty());
}

noctuary_local_server::nights!(dream, cached: 1000, refused: [401 => "401", 404 => "404"], source: "../src/lib.rs");
