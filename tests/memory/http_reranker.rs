//! The client for rerankers, against a real server on this machine.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::num::NonZeroUsize;
use std::time::Duration;

use noctuary::model::HttpReranker;
use noctuary::vectors::{EmbedError, Reranker};
use serde_json::{Value, json};

use noctuary_tests::common::scripted_server::{Server, http};

/// A key of a shape that no gate knows.
const SECRET: &str = "zt-9f3Kq/Lw81+bPx27-VYn0";

fn client(server: &Server) -> HttpReranker {
    HttpReranker::new(&server.base, "cross").unwrap().key(SECRET).unwrap()
}

fn ok(results: &[(usize, Value)]) -> Vec<u8> {
    let one = |(index, score): &(usize, Value)| json!({ "index": index, "relevance_score": score });
    let results: Vec<Value> = results.iter().map(one).collect();
    let body = json!({ "model": "cross", "results": results }).to_string();
    http("200 OK", &["Content-Type: application/json", "Connection: close"], &body)
}

fn refused(answer: Vec<u8>) -> (String, EmbedError) {
    let server = Server::says(answer);
    let error = client(&server).rerank("tea", &["green", "black"]).unwrap_err();
    let said = error.to_string();
    assert!(!format!("{said} {error:?} {:?}", client(&server)).contains(&SECRET[..8]), "{said}");
    (said.strip_prefix(server.base.strip_suffix("/v1").unwrap()).unwrap().trim_start().to_owned(), error)
}

#[test]
fn scores_come_back_in_the_order_of_their_texts() {
    let server = Server::says(ok(&[(1, json!(0.75)), (0, json!(-9.5))]));
    let client = client(&server).parameter("return_documents", json!(false)).parameter("top_n", json!(1));
    assert_eq!(client.rerank("tea", &["green", "black"]).unwrap(), [-9.5, 0.75]);
    let asked = server.asked().remove(0);
    assert!(asked.head.starts_with("POST /v1/rerank HTTP/1.1\r\n"), "{}", asked.head);
    assert_eq!(
        asked.body,
        json!({
            "model": "cross", "query": "tea", "documents": ["green", "black"], "top_n": 2,
            "return_documents": false,
        })
    );
}

#[test]
fn many_texts_are_several_requests() {
    let server = Server::says_each([ok(&[(1, json!(2)), (0, json!(1))]), ok(&[(0, json!(3))])]);
    let client = client(&server).batch(NonZeroUsize::new(2).unwrap(), 100).text_chars(3);
    assert_eq!(client.rerank("tea", &["green", "black", "white"]).unwrap(), [1.0, 2.0, 3.0]);
    let asked = server.asked();
    assert_eq!(asked[0].body["documents"], json!(["gre", "bla"]));
    assert_eq!((&asked[1].body["documents"], &asked[1].body["top_n"]), (&json!(["whi"]), &json!(1)));
}

#[test]
fn what_cannot_be_used_is_an_error() {
    let (said, error) = refused(ok(&[(1, json!(1))]));
    assert_eq!((said.as_str(), error.is_retryable()), ("answered 1 scores for 2 texts", false));
    let (said, error) = refused(ok(&[(1, json!(1)), (1, json!(1))]));
    assert_eq!((said.as_str(), error.is_retryable()), ("answered 1 scores for 2 texts", false));
    let (said, _) = refused(ok(&[(1, json!(null)), (0, json!(1))]));
    assert_eq!(said, "answered scores with what is no number");
    assert_eq!(refused(http("200 OK", &[], "[]")).0, "answered without scores");
    assert_eq!(refused(http("200 OK", &[], "hello")).0, "answered what is no JSON, 5 bytes");
    // It is asked once: a search waits for it.
    let (said, error) = refused(http("429 Too Many Requests", &["Retry-After: 0"], SECRET));
    assert_eq!(said, "answered 429 Too Many Requests: [key]; it asks to wait 0 s");
    assert_eq!((error.is_retryable(), error.retry_after()), (true, Some(Duration::ZERO)));
}
