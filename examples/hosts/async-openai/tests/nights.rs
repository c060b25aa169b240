//! Whole nights through the client library, against a server in this process.

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use noctuary::{DreamReport, JournalDreamer, dream_once_async};
use noctuary_local_server::{KEY, MODEL, run};
use noctuary_with_async_openai::ask;

fn dream(dreamer: &JournalDreamer, url: &str) -> DreamReport {
    let config = OpenAIConfig::new().with_api_key(KEY).with_api_base(format!("{url}/v1"));
    let client = Client::with_config(config);
    run(dream_once_async(dreamer, |request| ask(&client, MODEL, request))).expect("a dream")
}

noctuary_local_server::nights!(dream, cached: 1000, refused: 401 => "401", source: "../src/lib.rs");
