//! Whole nights through the client library, against a server in this process.

use noctuary::{DreamReport, JournalDreamer, dream_once_async};
use noctuary_local_server::{KEY, MODEL, run};
use noctuary_with_rig::ask;
use rig_core::providers::openai::{OpenAIConfig, Route};

fn dream(dreamer: &JournalDreamer, url: &str) -> DreamReport {
    let config = OpenAIConfig::new(KEY).with_base_url(format!("{url}/v1")).with_route(Route::Chat);
    let model = config.client().completion(MODEL).erase();
    run(dream_once_async(dreamer, |request| ask(&model, request))).expect("a dream")
}

noctuary_local_server::nights!(dream, cached: 1000, refused: 401 => "401", source: "../src/lib.rs");
