//! The client for embeddings, against a real server on this machine.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Read;
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use noctuary::model::HttpEmbedder;
use noctuary::vectors::{EmbedError, Embedder, Purpose};
use serde_json::{Value, json};

use noctuary_tests::common::scripted_server::{Answer, Server, http};

/// A key of a shape that no gate knows.
const SECRET: &str = "zt-9f3Kq/Lw81+bPx27-VYn0";

/// Each answer closes its connection, so that the next request comes over a new one.
const CLOSES: &str = "Connection: close";

fn client(server: &Server) -> HttpEmbedder {
    HttpEmbedder::new(&server.base, "small", 2).unwrap().key(SECRET).unwrap()
}

/// Returns the body of an answer, as vendors send it.
fn list(vectors: &[(usize, Value)]) -> String {
    let one = |(index, embedding): &(usize, Value)| json!({ "object": "embedding", "index": index, "embedding": embedding });
    let data: Vec<Value> = vectors.iter().map(one).collect();
    let usage = json!({ "prompt_tokens": 8, "total_tokens": 8 });
    json!({ "object": "list", "data": data, "model": "small", "usage": usage }).to_string()
}

fn ok(vectors: &[(usize, Value)]) -> Vec<u8> {
    http("200 OK", &["Content-Type: application/json", CLOSES], &list(vectors))
}

fn embed(client: &HttpEmbedder, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
    let answer = client.embed(texts, purpose);
    if let Err(error) = &answer {
        let said = format!("{error} {error:?} {client:?}");
        for part in SECRET.as_bytes().windows(8) {
            let part = str::from_utf8(part).unwrap();
            assert!(!said.contains(part), "{part} of the key stands in {said}");
        }
        assert!(said.chars().count() < 900, "{said}");
        assert!(!said.contains(|c: char| c.is_control()), "{said:?}");
    }
    answer
}

/// Returns the client's words for an answer to one text, without the address in front of it.
fn refused(answer: impl Into<Vec<u8>>) -> (String, EmbedError) {
    let server = Server::says(answer);
    let error = embed(&client(&server).patience(Duration::ZERO), &["tea"], Purpose::Document).unwrap_err();
    let said = error.to_string();
    let said = said.strip_prefix(server.base.strip_suffix("/v1").unwrap()).unwrap();
    (said.trim_start().to_owned(), error)
}

#[test]
fn vectors_come_back_in_the_order_of_their_texts() {
    let server = Server::says(ok(&[(1, json!([0.5, -4])), (0, json!([1, 2.25]))]));
    let client = client(&server).parameter("truncate", json!(true)).parameter("input", json!("mine"));
    let vectors = embed(&client, &["tea", "rope"], Purpose::Document).unwrap();
    assert_eq!(vectors, [[1.0, 2.25], [0.5, -4.0]]);
    let asked = server.asked().remove(0);
    assert!(asked.head.starts_with("POST /v1/embeddings HTTP/1.1\r\n"), "{}", asked.head);
    let header = |line: &str| asked.head.lines().filter(|other| other.eq_ignore_ascii_case(line)).count();
    assert_eq!(header(&format!("authorization: Bearer {SECRET}")), 1, "{}", asked.head);
    assert_eq!(asked.body, json!({ "model": "small", "input": ["tea", "rope"], "truncate": true }));
}

#[test]
fn texts_go_out_in_requests_that_are_bounded() {
    let answers =
        [ok(&[(0, json!([1, 0])), (1, json!([2, 0]))]), ok(&[(0, json!([3, 0]))]), ok(&[(0, json!([4, 0]))])];
    let server = Server::says_each(answers);
    let client = client(&server).batch(NonZeroUsize::new(2).unwrap(), 8).text_chars(6);
    let vectors = embed(&client, &["one", "two", "three", "seventy"], Purpose::Document).unwrap();
    assert_eq!(vectors, [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0]]);
    let asked: Vec<Value> = server.asked().into_iter().map(|asked| asked.body["input"].clone()).collect();
    assert_eq!(asked, [json!(["one", "two"]), json!(["three"]), json!(["sevent"])]);
    // Nobody is asked for nothing.
    let nobody = HttpEmbedder::new("http://127.0.0.1:1/v1", "small", 2).unwrap();
    assert!(embed(&nobody, &[], Purpose::Document).unwrap().is_empty());
}

#[test]
fn prefixes_and_dimensions_are_sent_and_are_of_the_generation() {
    let server = Server::says_each([ok(&[(0, json!([1, 0]))]), ok(&[(0, json!([1, 0]))])]);
    let bare = client(&server);
    let e5 = bare.clone().prefixes("passage: ", "query: ").shortened();
    embed(&e5, &["tea"], Purpose::Document).unwrap();
    embed(&e5, &["tea?"], Purpose::Query).unwrap();
    let bodies: Vec<Value> = server.asked().into_iter().map(|asked| asked.body).collect();
    assert_eq!(bodies[0], json!({ "model": "small", "input": ["passage: tea"], "dimensions": 2 }));
    assert_eq!(bodies[1]["input"], json!(["query: tea?"]));

    let variants = [
        bare.clone(),
        e5,
        bare.clone().prefixes("passage: ", ""),
        bare.clone().prefixes("", "passage: "),
        bare.clone().shortened(),
        bare.clone().text_chars(100),
        bare.clone().parameter("truncate", json!(true)),
        bare.clone().settings("q8"),
    ];
    for (at, one) in variants.iter().enumerate() {
        for other in &variants[at + 1..] {
            assert_ne!(one.id().generation(), other.id().generation());
        }
    }
    let same = bare.clone().patience(Duration::ZERO).timeout(Duration::ZERO).key("another").unwrap();
    assert_eq!(same.id(), bare.id(), "these change no vector");
}

#[test]
fn dimensions_may_be_taken_from_the_server() {
    let server = Server::says_each([ok(&[(0, json!([1, 2, 3]))]), ok(&[(0, json!([1, 2, 3]))])]);
    let client = HttpEmbedder::new(&server.base, "small", 0).unwrap().probed().unwrap();
    assert_eq!(client.id().dimensions, 3);
    assert_eq!(embed(&client, &["tea"], Purpose::Query).unwrap(), [[1.0, 2.0, 3.0]]);
    assert_eq!(server.asked().len(), 2);
    let server = Server::says(ok(&[(0, json!([]))]));
    assert!(HttpEmbedder::new(&server.base, "small", 7).unwrap().probed().is_err());
}

#[test]
fn a_busy_server_is_asked_again_for_texts_and_not_for_a_question() {
    let busy = || http("429 Too Many Requests", &["Retry-After: 0", CLOSES], r#"{"error":"slow down"}"#);
    let server = Server::says_each([busy(), busy(), ok(&[(0, json!([1, 0]))])]);
    assert_eq!(embed(&client(&server), &["tea"], Purpose::Document).unwrap(), [[1.0, 0.0]]);
    assert_eq!(server.asked().len(), 3);

    let server = Server::says(busy());
    let error = embed(&client(&server), &["tea"], Purpose::Query).unwrap_err();
    assert!(
        error.to_string().ends_with("answered 429 Too Many Requests: slow down; it asks to wait 0 s"),
        "{error}"
    );
    assert!(error.is_retryable());
    assert_eq!(server.asked().len(), 1);

    // Nobody waits for longer than the patience lasts, and not for ever.
    let hour = || http("503 Service Unavailable", &["Retry-After: 3600", CLOSES], "");
    let begun = Instant::now();
    let server = Server::says(hour());
    let error = embed(&client(&server), &["tea"], Purpose::Document).unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)));
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert_eq!(server.asked().len(), 1);
    let server = Server::says_each((0..6).map(|_| busy()));
    assert!(embed(&client(&server), &["tea"], Purpose::Document).is_err());
    assert_eq!(server.asked().len(), 6);
}

#[test]
fn other_errors_are_told_at_once_and_say_whether_waiting_helps() {
    for (status, helps) in
        [("500 Internal Server Error", true), ("400 Bad Request", false), ("401 Unauthorized", false)]
    {
        let body = json!({ "error": { "message": format!("the key {SECRET} is no good") } }).to_string();
        let (said, error) = refused(http(status, &["Retry-After: 0"], &body));
        assert_eq!(said, format!("answered {status}: the key [key] is no good; it asks to wait 0 s"));
        assert_eq!(error.is_retryable(), helps, "{status}");
    }
    let (said, _) = refused(http("404 Not Found", &[], ""));
    assert_eq!(said, "answered 404 Not Found for /v1/embeddings");
}

#[test]
fn what_cannot_be_used_is_an_error() {
    let one = |vectors: &[(usize, Value)]| refused(ok(vectors));
    let is = |(said, error): (String, EmbedError), words: &str, helps: bool| {
        assert_eq!((said.as_str(), error.is_retryable()), (words, helps));
    };
    is(one(&[]), "answered 0 vectors for 1 texts", false);
    is(one(&[(0, json!([1, 0])), (1, json!([1, 0]))]), "answered 2 vectors for 1 texts", false);
    let three = "answered vectors of 3 dimensions, not 2; say the dimensions of the model";
    is(one(&[(0, json!([1, 0, 0]))]), three, false);
    is(one(&[(0, json!([1, null]))]), "answered vectors with what is no number", true);
    is(one(&[(0, json!([1, 1e99]))]), "answered vectors with what is no number", true);
    is(refused(http("200 OK", &[], "<html>")), "answered what is no JSON, 6 bytes", true);
    is(refused(http("200 OK", &[], "{}")), "answered without vectors", false);
    let busy = r#"{"error":{"message":"busy"}}"#;
    is(refused(http("200 OK", &[], busy)), "answered without vectors: busy", true);
    let half = list(&[(0, json!([1, 0]))]);
    is(refused(http("200 OK", &[], &half[..40])), "answered what is no JSON, 40 bytes", true);
    let large = " ".repeat(1 << 20) + &half;
    is(refused(http("200 OK", &[], &large)), "answered more than 65 KiB", false);
}

#[test]
fn a_question_does_not_wait_for_a_server_that_hangs() {
    let hangs: Answer = Box::new(|stream| {
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        // Until the client goes away.
        stream.read(&mut [0]).map(drop)
    });
    let server = Server::new(vec![hangs]);
    let client = client(&server).query_timeout(Duration::from_millis(200));
    let error = embed(&client, &["tea"], Purpose::Query).unwrap_err();
    assert!(error.to_string().ends_with("gave no whole answer within 200ms"), "{error}");
    assert!(error.is_retryable());
}

#[test]
fn a_key_goes_to_another_machine_encrypted_only() {
    let plain = || HttpEmbedder::new("http://10.0.0.9:8000/v1", "small", 2).unwrap();
    assert!(plain().key(SECRET).unwrap_err().to_string().contains("over https only"));
    assert!(plain().key_over_plain_http(SECRET).is_ok());
    assert!(HttpEmbedder::new("https://me:hunter2@a/v1", "small", 2).is_err());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let gone = HttpEmbedder::new(&base, "small", 2).unwrap().key(SECRET).unwrap();
    let error = embed(&gone, &["tea"], Purpose::Document).unwrap_err();
    assert!(error.to_string().contains("did not answer: ") && error.is_retryable(), "{error}");
}

mod in_a_store {
    use std::sync::Arc;

    use chrono::Utc;
    use noctuary::memory::{Degraded, NewMemory, Query, SearchOutcome, Source};
    use noctuary::store::StoreConfig;
    use noctuary::vectors::{EmbedConfig, embed_once};
    use noctuary::{Access, MemoryStore, Scope, SqliteMemoryStore};

    use super::*;

    #[test]
    fn rows_are_found_by_meaning_and_by_words_when_the_server_is_gone() {
        // The row, and two questions; then the server is gone.
        let near = || ok(&[(0, json!([1, 0.1]))]);
        let server = Server::says_each([ok(&[(0, json!([1, 0])), (1, json!([0, 1]))]), near()]);
        let embedder = Arc::new(client(&server));
        let mut config = StoreConfig::default();
        config.embedder = Some(embedder.clone());
        let store = SqliteMemoryStore::open_in_memory_with(Scope::user("marta"), config).unwrap();
        let marta = Access::agent(Scope::user("marta"));
        for text in ["Bought thirty metres of rope", "The kettle is green"] {
            store.write(&marta, &NewMemory::new("note", text, Source::UserExplicit), Utc::now()).unwrap();
        }
        let report = embed_once(&store, &embedder, &EmbedConfig::default()).unwrap();
        assert!(report.serves, "{report:?}");
        let found = store.search(&marta, &Query::new("cordage purchase")).unwrap();
        assert_eq!(found.hits[0].memory.content, "Bought thirty metres of rope");
        server.asked();
        let found = store.search(&marta, &Query::new("kettle")).unwrap();
        assert_eq!(found.outcome, SearchOutcome::Degraded(Degraded::Failed));
        assert_eq!(found.hits[0].memory.content, "The kettle is green");
    }
}
