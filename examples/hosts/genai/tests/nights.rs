//! Whole nights through the client library, against a server in this process.

use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint, ServiceTargetResolver};
use genai::{Client, ModelIden, ServiceTarget};
use noctuary::{DreamReport, JournalDreamer, dream_once_async};
use noctuary_local_server::{KEY, MODEL, run};
use noctuary_with_genai::ask;

fn dream(dreamer: &JournalDreamer, url: &str) -> DreamReport {
    let endpoint = Endpoint::from_owned(format!("{url}/v1/"));
    let resolver = ServiceTargetResolver::from_resolver_fn(move |target: ServiceTarget| {
        let model = ModelIden::new(AdapterKind::OpenAI, target.model.model_name);
        Ok(ServiceTarget { endpoint: endpoint.clone(), auth: AuthData::from_single(KEY), model })
    });
    let client = Client::builder().with_service_target_resolver(resolver).build().expect("a client");
    run(dream_once_async(dreamer, |request| ask(&client, MODEL, request))).expect("a dream")
}

noctuary_local_server::nights!(dream, cached: 1000, refused: 401 => "401", source: "../src/lib.rs");
