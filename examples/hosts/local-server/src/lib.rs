//! A language model's server inside the test's own process, and the nights that every adapter passes.
//!
//! It answers every request in the same way, in the shape of OpenAI's chat completions or of Ollama's chat,
//! whichever the path asks for.

mod nights;

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use serde_json::{Value, json};

pub use nights::{
    a_filtered_answer_moves_nothing, a_model_that_refuses_moves_nothing, a_refusal_will_not_go_away,
    a_server_that_fails_moves_nothing, a_server_that_is_gone_moves_nothing,
    an_answer_that_was_cut_off_moves_nothing, promotion_stands_in_memory, run, the_adapter_is_short,
    thoughts_are_not_promoted,
};

/// The key that a host sends. It has the shape of no vendor's keys, so that nothing masks it by chance.
pub const KEY: &str = "plum-orchard-by-the-sea";

/// The name of the model.
pub const MODEL: &str = "local-model";

/// How every request is answered.
#[derive(Debug, Clone, Copy)]
pub enum Answer {
    /// With a whole text.
    Text(&'static str),
    /// With a text that a limit cut off.
    CutOff(&'static str),
    /// With a text that a filter ended.
    Filtered(&'static str),
    /// With a refusal, where OpenAI puts it: beside a message without a text, which ended by itself.
    Refused(&'static str),
    /// With a status, and a body that repeats the key, as OpenAI writes it.
    Status(u16),
    /// The same as llama.cpp writes it: its `code` is a number.
    Numbered(u16),
    /// With a status and a page that is no JSON, as of another address.
    Page(u16),
}

/// A server on a port of its own, until it is dropped.
#[derive(Debug)]
pub struct LocalServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Value>>>,
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl LocalServer {
    /// Starts one.
    pub fn start(answer: Answer) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let (asked, closing) = (Arc::default(), Arc::default());
        let thread = std::thread::spawn({
            let (asked, closing) = (Arc::clone(&asked), Arc::clone(&closing));
            move || serve(&listener, answer, &asked, &closing)
        });
        Ok(Self { address, asked, closing, thread: Some(thread) })
    }

    /// Where it listens, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The bodies of the requests so far.
    pub fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        // Wakes up the thread, which waits for a caller.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn serve(listener: &TcpListener, answer: Answer, asked: &Mutex<Vec<Value>>, closing: &AtomicBool) {
    for stream in listener.incoming() {
        if closing.load(Ordering::SeqCst) {
            return;
        }
        // A caller that hangs up is its own affair.
        drop(stream.and_then(|stream| converse(stream, answer, asked)));
    }
}

fn converse(mut stream: TcpStream, answer: Answer, asked: &Mutex<Vec<Value>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
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
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request: Value = serde_json::from_slice(&body)?;
    let is_ollama = first.contains(" /api/chat");
    let (status, reply) = if is_ollama { in_ollamas(answer, &request) } else { in_openais(answer) };
    asked.lock().unwrap_or_else(PoisonError::into_inner).push(request);
    let (kind, reply) = match &reply {
        Value::String(page) => ("text/plain", page.clone()),
        reply => ("application/json", reply.to_string()),
    };
    // A client that asks again waits no time.
    write!(
        stream,
        "HTTP/1.1 {status} told\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nretry-after: 0\r\n\
         connection: close\r\n\r\n{reply}",
        reply.len()
    )?;
    stream.flush()
}

/// Puts the key into the message, as some vendors do.
fn complaint(status: u16) -> String {
    match status {
        404 => format!("model '{MODEL}' not found by the owner of {KEY}"),
        _ => format!("something is wrong with the key {KEY}"),
    }
}

fn page(status: u16) -> Value {
    let why = if status == 404 { "page not found" } else { "told" };
    format!("{status} {why}, {KEY}").into()
}

fn in_openais(answer: Answer) -> (u16, Value) {
    let (text, refusal, finish) = match answer {
        Answer::Text(text) => (Some(text), None, "stop"),
        Answer::CutOff(text) => (Some(text), None, "length"),
        Answer::Filtered(text) => (Some(text), None, "content_filter"),
        Answer::Refused(text) => (None, Some(text), "stop"),
        Answer::Status(status) => {
            let error = json!({ "message": complaint(status), "type": "told", "param": null, "code": null });
            return (status, json!({ "error": error }));
        }
        Answer::Numbered(status) => {
            let error = json!({ "code": status, "message": complaint(status), "type": "told_error" });
            return (status, json!({ "error": error }));
        }
        Answer::Page(status) => return (status, page(status)),
    };
    let message = json!({ "role": "assistant", "content": text, "refusal": refusal });
    let reply = json!({
        "id": "answer-1", "object": "chat.completion", "created": 1_795_000_000, "model": MODEL,
        "choices": [{ "index": 0, "message": message, "finish_reason": finish, "logprobs": null }],
        "usage": {
            "prompt_tokens": 1200, "completion_tokens": 30, "total_tokens": 1230,
            "prompt_tokens_details": { "cached_tokens": 1000 },
        },
    });
    (200, reply)
}

fn in_ollamas(answer: Answer, request: &Value) -> (u16, Value) {
    let bound = request["options"]["num_predict"].as_u64().unwrap_or(u64::MAX);
    let (text, finish, written) = match answer {
        Answer::Text(text) => (text, "stop", 30),
        Answer::CutOff(text) => (text, "length", bound),
        // Ollama filters nothing; an answer without its figures is the nearest to it.
        Answer::Filtered(text) | Answer::Refused(text) => {
            let message = json!({ "role": "assistant", "content": text });
            return (200, json!({ "model": MODEL, "created_at": "", "message": message, "done": false }));
        }
        Answer::Status(status) | Answer::Numbered(status) => {
            return (status, json!({ "error": complaint(status) }));
        }
        Answer::Page(status) => return (status, page(status)),
    };
    let reply = json!({
        "model": MODEL, "created_at": "2026-11-22T03:00:00Z", "done": true, "done_reason": finish,
        "message": { "role": "assistant", "content": text },
        "total_duration": 5, "load_duration": 1, "prompt_eval_duration": 2, "eval_duration": 2,
        "prompt_eval_count": 1200, "eval_count": written,
    });
    (200, reply)
}

/// The tests of an adapter: all nights, through `dream(&JournalDreamer, url) -> DreamReport`. `cached` is how many
/// tokens its server says came from a cache, `refused` the statuses that will not go away, each with what is told of it.
#[macro_export]
macro_rules! nights {
    ($dream:path, cached: $cached:literal, refused: [$($status:literal => $told:literal),+], source: $source:literal) => {
        #[test]
        fn what_the_model_promotes_stands_in_memory() {
            $crate::promotion_stands_in_memory(&$dream, $cached);
        }

        #[test]
        fn an_answer_that_was_cut_off_moves_nothing() {
            $crate::an_answer_that_was_cut_off_moves_nothing(&$dream);
        }

        #[test]
        fn a_filtered_answer_moves_nothing() {
            $crate::a_filtered_answer_moves_nothing(&$dream);
        }

        #[test]
        fn a_server_that_fails_moves_nothing() {
            $crate::a_server_that_fails_moves_nothing(&$dream);
        }

        #[test]
        fn a_refusal_will_not_go_away() {
            $($crate::a_refusal_will_not_go_away(&$dream, $status, $told);)+
        }

        #[test]
        fn thoughts_are_not_promoted() {
            $crate::thoughts_are_not_promoted(&$dream);
        }

        #[test]
        fn a_model_that_refuses_moves_nothing() {
            $crate::a_model_that_refuses_moves_nothing(&$dream);
        }

        #[test]
        fn a_server_that_is_gone_moves_nothing() {
            $crate::a_server_that_is_gone_moves_nothing(&$dream);
        }

        #[test]
        fn the_adapter_is_short() {
            $crate::the_adapter_is_short(include_str!($source));
        }
    };
}
