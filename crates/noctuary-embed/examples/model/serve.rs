//! A server for a model, in the shapes of OpenAI's embeddings and of Cohere's rerank. For this machine and one caller at a
//! time: it has no key and no encryption.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use noctuary::vectors::{Embedder, Purpose, Reranker};
use serde_json::{Value, json};

/// The most that is read of a request, in bytes.
const MOST: usize = 16 << 20;

/// Answers requests one after another, without an end.
///
/// A text is embedded as one that is kept: a caller puts the prefix for a question before it.
pub(crate) fn serve(
    listener: &TcpListener,
    embedder: &dyn Embedder,
    reranker: Option<&dyn Reranker>,
) -> io::Result<()> {
    for stream in listener.incoming() {
        // A caller that hangs up is its own affair.
        drop(converse(&stream?, embedder, reranker));
    }
    Ok(())
}

fn converse(
    mut stream: &TcpStream,
    embedder: &dyn Embedder,
    reranker: Option<&dyn Reranker>,
) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let (status, answer) = if length > MOST {
        (413, error("the request is too large"))
    } else {
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let request: Value = serde_json::from_slice(&body).unwrap_or_default();
        let path = first.split(' ').nth(1).unwrap_or_default();
        match (path, reranker) {
            ("/v1/embeddings", _) => embeddings(&request, embedder),
            ("/v1/rerank", Some(reranker)) => ranking(&request, reranker),
            _ => (404, error("there is no such path here")),
        }
    };
    let answer = answer.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} told\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
        answer.len()
    )?;
    stream.flush()
}

fn error(message: &str) -> Value {
    json!({ "error": { "message": message } })
}

fn texts(list: &Value) -> Option<Vec<&str>> {
    match list {
        Value::String(text) => Some(vec![text]),
        Value::Array(texts) => texts.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

fn embeddings(request: &Value, embedder: &dyn Embedder) -> (u16, Value) {
    let Some(texts) = texts(&request["input"]) else {
        return (400, error("input must be a text or a list of texts"));
    };
    match embedder.embed(&texts, Purpose::Document) {
        Ok(vectors) => {
            let one = |(index, vector)| json!({ "object": "embedding", "index": index, "embedding": vector });
            let data: Vec<Value> = vectors.into_iter().enumerate().map(one).collect();
            (200, json!({ "object": "list", "model": embedder.id().model, "data": data }))
        }
        Err(failure) => (500, error(&failure.to_string())),
    }
}

fn ranking(request: &Value, reranker: &dyn Reranker) -> (u16, Value) {
    let (Some(query), Some(documents)) = (request["query"].as_str(), texts(&request["documents"])) else {
        return (400, error("query must be a text, and documents a list of texts"));
    };
    match reranker.rerank(query, &documents) {
        Ok(scores) => {
            let mut scores: Vec<(usize, f32)> = scores.into_iter().enumerate().collect();
            scores.sort_by(|one, other| other.1.total_cmp(&one.1));
            let most = request["top_n"].as_u64().and_then(|most| usize::try_from(most).ok());
            let one = |(index, score)| json!({ "index": index, "relevance_score": score });
            let results: Vec<Value> = scores.into_iter().take(most.unwrap_or(usize::MAX)).map(one).collect();
            (200, json!({ "results": results }))
        }
        Err(failure) => (500, error(&failure.to_string())),
    }
}
