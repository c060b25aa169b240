//! Whole nights through the client library, against a server in this process.

use noctuary::{DreamReport, JournalDreamer, dream_once_async};
use noctuary_local_server::{MODEL, run};
use noctuary_with_ollama_rs::ask;
use ollama_rs::Ollama;

fn dream(dreamer: &JournalDreamer, url: &str) -> DreamReport {
    let client = Ollama::try_new(url).expect("an address");
    run(dream_once_async(dreamer, |request| ask(&client, MODEL, 32_768, request))).expect("a dream")
}

noctuary_local_server::nights!(dream, cached: 0, refused: 404 => "no such model", source: "../src/lib.rs");
