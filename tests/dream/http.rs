//! The client for chat completions, against a real server on this machine: what a server may do, and what comes of it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use noctuary::model::{ChatCompletions, Finish, Usage};
use noctuary::{Error, LlmClient, LlmError, LlmReply, LlmRequest, Outcome};
use serde_json::{Value, json};

use noctuary_tests::common::scripted_server::{Answer, Server, http};
use noctuary_tests::dreaming::{self, KEY, Life, MEMORY, journal};

/// A key of a shape that no gate knows.
const SECRET: &str = "zt-9f3Kq/Lw81+bPx27-VYn0";

/// How long a server goes on that the client should have left: a test that fails, and does not hang.
const PATIENCE: Duration = Duration::from_secs(30);

/// The client of a server.
trait Chat {
    fn client(&self) -> ChatCompletions;
}

impl Chat for Server {
    fn client(&self) -> ChatCompletions {
        ChatCompletions::new(&self.base, "small").unwrap().key(SECRET).unwrap()
    }
}

/// A completion, as vendors send it.
fn completion(content: &Value, finish: &str) -> String {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": content }, "finish_reason": finish }],
        "usage": { "prompt_tokens": 120, "completion_tokens": 8, "prompt_tokens_details": { "cached_tokens": 64 } },
    })
    .to_string()
}

fn ok(content: &Value, finish: &str) -> Vec<u8> {
    http("200 OK", &["Content-Type: application/json"], &completion(content, finish))
}

fn ask(client: &ChatCompletions) -> Result<LlmReply, LlmError> {
    let answer = client.complete(&LlmRequest::new("be brief", "hello"));
    if let Err(error) = &answer {
        let said = format!("{error} {error:?} {client:?}");
        for part in SECRET.as_bytes().windows(8) {
            let part = str::from_utf8(part).unwrap();
            assert!(!said.contains(part), "{part} of the key stands in {said}");
        }
        assert!(said.chars().count() < 700, "{said}");
        assert!(!said.contains(|c: char| c.is_control()), "{said:?}");
    }
    answer
}

/// Returns the client's result for an answer, without the address in front of it.
fn refused(answer: impl Into<Vec<u8>>) -> (String, LlmError) {
    let server = Server::says(answer);
    let error = ask(&server.client()).unwrap_err();
    let said = error.to_string();
    let origin = server.base.strip_suffix("/v1").unwrap();
    let said = said.strip_prefix(origin).unwrap_or_else(|| panic!("{origin} does not stand before {said}"));
    (said.trim_start().to_owned(), error)
}

#[test]
fn a_good_answer_is_taken_with_what_it_cost() {
    let server = Server::says(ok(&json!("- one\n"), "stop"));
    let client = server.client().parameter("temperature", json!(0));
    let mut request = LlmRequest::new("be brief", "hello");
    request.max_output_tokens = Some(99);
    let reply = client.complete(&request).unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("- one\n", Finish::Stop));
    assert_eq!(reply.usage, Some(Usage { input: 120, output: 8, cached_input: 64 }));

    let asked = server.asked();
    let head = &asked[0].head;
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    let header = |line: &str| head.lines().filter(|other| other.eq_ignore_ascii_case(line)).count();
    assert_eq!(header(&format!("authorization: Bearer {SECRET}")), 1, "{head}");
    assert_eq!(header("content-type: application/json"), 1, "{head}");
    assert_eq!(
        asked[0].body,
        json!({
            "model": "small",
            "messages": [
                { "role": "system", "content": "be brief" },
                { "role": "user", "content": "hello" },
            ],
            "stream": false,
            "temperature": 0,
            "max_tokens": 99,
        })
    );
}

#[test]
fn without_a_key_none_is_sent() {
    let server = Server::says(ok(&json!("- one"), "stop"));
    let client = ChatCompletions::new(&server.base, "small").unwrap();
    assert_eq!(ask(&client).unwrap().text, "- one");
    let head = server.asked().remove(0).head.to_ascii_lowercase();
    assert!(!head.contains("authorization"), "{head}");
}

#[test]
fn each_call_is_a_call_of_its_own() {
    let server = Server::new(vec![
        Box::new(|stream| stream.write_all(&ok(&json!("- one"), "stop"))),
        Box::new(|stream| stream.write_all(&http("503 Service Unavailable", &[], ""))),
        Box::new(|stream| stream.write_all(&ok(&json!("- two"), "stop"))),
    ]);
    let client = server.client();
    assert_eq!(ask(&client).unwrap().text, "- one");
    assert!(ask(&client).is_err());
    assert_eq!(ask(&client.clone()).unwrap().text, "- two");
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn an_answer_in_chunks_is_one_answer() {
    let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for chunk in completion(&json!("- café\n"), "stop").as_bytes().chunks(7) {
        write!(bytes, "{:x}\r\n", chunk.len()).unwrap();
        bytes.extend(chunk);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
    assert_eq!(ask(&Server::says(bytes).client()).unwrap().text, "- café\n");
}

#[test]
fn an_answer_that_was_cut_off_or_stopped_says_so() {
    for (finish, expected) in
        [("length", Finish::Length), ("content_filter", Finish::Other), ("tool_calls", Finish::Other)]
    {
        let reply = ask(&Server::says(ok(&json!("- half a"), finish)).client()).unwrap();
        assert_eq!((reply.finish, reply.usage.unwrap().output), (expected, 8), "{finish}");
    }
    let reply = ask(&Server::says(ok(&Value::Null, "tool_calls")).client()).unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("", Finish::Other));
}

#[test]
fn a_refusal_keeps_its_words_and_a_marked_body_is_read() {
    // The words of a refusal were lost, and the mark of a byte order made an answer "no JSON".
    let refusal = json!({ "role": "assistant", "content": null, "refusal": "I cannot keep that." });
    let body =
        json!({ "choices": [{ "index": 0, "message": refusal, "finish_reason": "stop" }] }).to_string();
    let marked = format!("\u{feff}{body}");
    for body in [body, marked] {
        let reply = ask(&Server::says(http("200 OK", &[], &body)).client()).unwrap();
        assert_eq!((reply.text.as_str(), reply.finish), ("I cannot keep that.", Finish::Other));
    }
    let marked = "\u{feff}{\"error\":{\"message\":\"it broke\"}}";
    assert_eq!(refused(http("500 Oops", &[], marked)).0, "answered 500 Internal Server Error: it broke");
}

#[test]
fn too_many_requests_say_how_long_to_wait() {
    let body = r#"{"error":{"message":"Rate limit reached for small.","type":"requests"}}"#;
    let (said, error) = refused(http("429 Too Many Requests", &["Retry-After: 30"], body));
    assert_eq!(said, "answered 429 Too Many Requests: Rate limit reached for small.; it asks to wait 30 s");
    assert_eq!((error.is_retryable(), error.retry_after()), (true, Some(Duration::from_secs(30))));

    let date = "Retry-After: Fri, 27 Nov 2026 08:00:00 GMT";
    let (said, error) = refused(http("429 Too Many Requests", &[date], ""));
    assert_eq!(said, "answered 429 Too Many Requests; it asks to wait until 2026-11-27T08:00:00+00:00");
    assert_eq!(error.retry_after(), None, "nobody says what time it is there");

    // The date was shown and not honoured. The server's clock counts, not this machine's.
    let then = "Date: Fri, 27 Nov 2026 07:58:30 GMT";
    let (said, error) = refused(http("503 Service Unavailable", &[date, then], ""));
    assert_eq!(said, "answered 503 Service Unavailable; it asks to wait until 2026-11-27T08:00:00+00:00");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(90)));
    let later = "Date: Fri, 27 Nov 2026 08:00:01 GMT";
    let (_, error) = refused(http("429 Too Many Requests", &[date, later], ""));
    assert_eq!(error.retry_after(), Some(Duration::ZERO), "it has passed");

    for nonsense in ["soon", "-1", "99999999999999999999", SECRET, ""] {
        let (said, error) =
            refused(http("429 Too Many Requests", &[&format!("Retry-After: {nonsense}")], ""));
        assert_eq!(said, "answered 429 Too Many Requests", "{nonsense}");
        assert_eq!(error.retry_after(), None);
    }
}

#[test]
fn an_error_says_its_status_and_whether_waiting_helps() {
    for (status, helps) in [
        ("500 Internal Server Error", true),
        ("503 Service Unavailable", true),
        ("408 Request Timeout", true),
        ("400 Bad Request", false),
        ("401 Unauthorized", false),
        ("404 Not Found", false),
    ] {
        let (said, error) = refused(http(status, &[], r#"{"error":"it broke"}"#));
        // Most often the base lacks its `/v1`, so a 404 names what was asked.
        let path = if status.starts_with("404") { " for /v1/chat/completions" } else { "" };
        assert_eq!(said, format!("answered {status}{path}: it broke"));
        assert_eq!(error.is_retryable(), helps, "{status}");
    }
    let (said, _) = refused(http("502 Bad Gateway", &[], "<html>\n<h1>Bad gateway</h1>\n</html>"));
    assert_eq!(said, "answered 502 Bad Gateway: <html> <h1>Bad gateway</h1> </html>");
    let (said, _) = refused("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 99\r\n\r\nbroke off");
    assert_eq!(said, "answered 500 Internal Server Error: broke off");
}

#[test]
fn no_error_repeats_a_key() {
    let message = |text: &str| json!({ "error": { "message": text } }).to_string();
    let escaped = SECRET.replace('/', "\\u002f");
    let hostile = [
        message(&format!("Incorrect key: {SECRET}")),
        message(&format!("Bearer {SECRET}{SECRET}{SECRET}")),
        message(&format!("{}{SECRET}", "é".repeat(290))),
        message(&format!("{}{SECRET}", " ".repeat(20_000))),
        message(&SECRET.to_uppercase()),
        message(&format!("{}\u{200b}{}", &SECRET[..9], &SECRET[9..])),
        message(&format!("ends in {}", &SECRET[12..])),
        format!("authorization: Bearer {SECRET}\r\ncookie: {SECRET}"),
        format!(r#"{{"headers":{{"authorization":"Bearer {escaped}"}}}}"#),
        format!("\u{1b}]0;{SECRET}\u{7}\u{1b}[2J"),
    ];
    for body in &hostile {
        for status in ["401 Unauthorized", "500 Internal Server Error", "302 Found"] {
            let (said, _) = refused(http(status, &[&format!("Location: http://{SECRET}/")], body));
            assert!(said.starts_with(&format!("answered {status}")), "{said}");
        }
        refused(http("200 OK", &[], body));
        refused(body.as_bytes());
    }
    // A key that is another's, of a shape that the gate knows.
    let (said, _) = refused(http("500 Oops", &[], &message(&format!("upstream refused {KEY}"))));
    assert!(said.ends_with("upstream refused [REDACTED:aws_access_key#1]"), "{said}");
}

#[test]
fn a_redirect_is_not_followed_and_the_key_goes_nowhere_else() {
    for status in ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect"] {
        let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
        elsewhere.set_nonblocking(true).unwrap();
        let location = format!("Location: http://{}/v1/chat/completions", elsewhere.local_addr().unwrap());
        let (said, error) = refused(http(status, &[&location], ""));
        assert_eq!(said, format!("answered {status}, and redirects are not followed"));
        assert!(!error.is_retryable());
        assert_eq!(elsewhere.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "nobody came");
    }
}

#[test]
fn what_is_no_completion_is_an_error() {
    assert_eq!(refused(http("200 OK", &[], "<html>hello</html>")).0, "answered what is no JSON, 18 bytes");
    assert_eq!(refused(http("200 OK", &[], "")).0, "answered what is no JSON, 0 bytes");
    assert_eq!(refused(http("200 OK", &[], r#"{"choices":[]}"#)).0, "answered without a choice");
    let busy = r#"{"error":{"message":"all providers are busy","code":502}}"#;
    assert_eq!(refused(http("200 OK", &[], busy)).0, "answered without a choice: all providers are busy");
    let half = completion(&json!("- one"), "stop");
    assert!(refused(http("200 OK", &[], &half[..90])).0.starts_with("answered what is no JSON"));
    let broken = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{\"choices\":";
    assert!(refused(broken).0.starts_with("did not answer: "), "{}", refused(broken).0);
    assert!(refused("no HTTP at all\r\n\r\n").0.starts_with("did not answer: "));
    assert!(refused("").0.starts_with("did not answer: "));
}

#[test]
fn an_answer_is_read_up_to_a_bound() {
    let large = completion(&json!("a".repeat(10 << 20)), "stop");
    let (said, error) = refused(http("200 OK", &[], &large));
    assert_eq!(said, "answered more than 4 MiB");
    assert!(!error.is_retryable());
    let (said, _) = refused(format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{large}"));
    assert_eq!(said, "answered more than 4 MiB", "of unknown length");
    let large = completion(&json!("a".repeat(3 << 20)), "stop");
    assert_eq!(ask(&Server::says(http("200 OK", &[], &large)).client()).unwrap().text.len(), 3 << 20);
    // An error of any size is an error.
    assert!(refused(http("500 Oops", &[], &"a ".repeat(5 << 20))).0.ends_with('…'));
}

/// The client's words of a server that takes its time.
fn slow(answer: Answer) -> String {
    let server = Server::new(vec![answer]);
    let client = server.client().timeout(Duration::from_millis(300));
    let error = ask(&client).unwrap_err();
    assert!(error.is_retryable());
    let said = error.to_string();
    assert_eq!(server.asked().len(), 1);
    said
}

#[test]
fn a_server_that_hangs_is_left() {
    let said = slow(Box::new(|stream| {
        stream.set_read_timeout(Some(PATIENCE))?;
        // Until the client goes away.
        if stream.read(&mut [0])? > 0 {
            return Ok(());
        }
        stream.write_all(&ok(&json!("- late"), "stop"))
    }));
    assert!(said.ends_with("gave no whole answer within 300ms"), "{said}");
}

#[test]
fn a_server_that_drips_is_left_however_often_a_byte_comes() {
    fn drip(stream: &mut TcpStream, head: &str, byte: &str) -> io::Result<()> {
        stream.write_all(head.as_bytes())?;
        for _ in 0..PATIENCE.as_millis() / 20 {
            thread::sleep(Duration::from_millis(20));
            stream.write_all(byte.as_bytes())?;
        }
        Ok(())
    }
    let whole = "gave no whole answer within 300ms";
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
    let said = slow(Box::new(|stream| drip(stream, head, " ")));
    assert!(said.ends_with(whole), "{said}");
    let said = slow(Box::new(|stream| drip(stream, "HTTP/1.1 200 OK\r\n", "X: y\r\n")));
    assert!(said.ends_with(whole), "{said}");
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let said = slow(Box::new(|stream| drip(stream, head, "1\r\n \r\n")));
    assert!(said.ends_with(whole), "{said}");
    // The status is known, and what was said until then.
    let head = "HTTP/1.1 500 Oops\r\nContent-Length: 100000\r\n\r\nit broke";
    let said = slow(Box::new(|stream| drip(stream, head, " ")));
    assert!(said.ends_with("answered 500 Internal Server Error: it broke"), "{said}");
}

#[test]
fn a_server_that_does_not_encrypt_is_told_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("https://{}/v1", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut heard = vec![0; 4096];
        let len = stream.read(&mut heard).unwrap();
        let _ = stream.write_all(&ok(&json!("- one"), "stop"));
        String::from_utf8_lossy(&heard[..len]).into_owned()
    });
    let error = ask(&ChatCompletions::new(&base, "small").unwrap().key(SECRET).unwrap()).unwrap_err();
    assert!(error.to_string().contains("did not answer: "), "{error}");
    let heard = server.join().unwrap();
    assert!(!heard.is_empty() && !heard.contains(SECRET) && !heard.contains("hello"), "{heard:?}");
}

#[test]
fn whoever_has_time_without_end_waits_for_the_answer() {
    let server = Server::says(ok(&json!("- one"), "stop"));
    assert_eq!(ask(&server.client().timeout(Duration::MAX)).unwrap().text, "- one");
}

#[test]
fn nobody_at_an_address_is_an_error_that_may_pass() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let error = ask(&ChatCompletions::new(&base, "small").unwrap().key(SECRET).unwrap()).unwrap_err();
    assert!(error.to_string().contains("did not answer: "), "{error}");
    assert!(error.is_retryable());
}

#[test]
fn a_key_goes_to_another_machine_encrypted_or_by_the_hosts_own_word() {
    let plain = || ChatCompletions::new("http://10.0.0.9:8000/v1", "small").unwrap();
    let rule = |answer: Result<ChatCompletions, Error>| match answer {
        Err(Error::Config { setting, rule }) => (setting, rule),
        other => panic!("{other:?}"),
    };
    let (setting, said) = rule(plain().key(SECRET));
    assert_eq!(setting, "key");
    assert!(said.contains("over https only"), "{said}");
    assert!(plain().key_over_plain_http(SECRET).is_ok());
    assert!(ChatCompletions::new("https://10.0.0.9/v1", "small").unwrap().key(SECRET).is_ok());
    assert_eq!(rule(plain().key_from_env("NOCTUARY_NO_SUCH_KEY")).0, "NOCTUARY_NO_SUCH_KEY");
    // Cargo sets it.
    let from_env = ChatCompletions::new("https://a/v1", "small").unwrap().key_from_env("CARGO_PKG_NAME");
    assert!(from_env.is_ok());
    for (base, key) in [
        ("https://me:hunter2@a/v1", "k"),
        ("https://a/v1?key=hunter2", "k"),
        ("https://a/v1#hunter2", "k"),
        ("https://a/v1", "hunter2\nhunter2"),
    ] {
        let error = ChatCompletions::new(base, "small").and_then(|client| client.key(key)).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
    let shown = format!("{:?}", plain().key_over_plain_http(SECRET).unwrap());
    assert_eq!(
        shown,
        r#"ChatCompletions { endpoint: http://10.0.0.9:8000, model: "small", has_key: true, timeout: 600s, .. }"#
    );
}

fn life() -> Life {
    Life::with(&[(20, "- 09:12 [user] Marta signs the lease on 2026-12-04.\n")])
}

/// BX-35
#[test]
fn a_night_over_it_promotes_what_the_journal_says_and_holds_what_it_does_not() {
    let life = life();
    let day = journal(20);
    let answer = format!(
        "### Facts\n\n- Marta signs the lease on 2026-12-04. ({day}#L1)\n- Marta pays 950 euro. ({day}#L1)\n"
    );
    let server = Server::says(ok(&json!(answer), "stop"));
    let report = life.dream(&server.client());
    assert_eq!(report.outcome, Outcome::Appended);
    assert_eq!(report.usage, Some(Usage { input: 120, output: 8, cached_input: 64 }));
    assert_eq!((report.promoted().count(), report.held().count()), (1, 1));
    let memory = life.memory();
    assert!(
        memory.starts_with(MEMORY) && memory.contains("Marta signs the lease on 2026-12-04."),
        "{memory}"
    );
    assert!(!memory.contains("950"), "{memory}");
    let asked = server.asked().remove(0).body;
    assert!(asked["messages"][1]["content"].as_str().unwrap().contains("Marta signs"), "{asked}");
    assert_eq!(asked["max_tokens"], 4096);
    // The same once more has nothing to ask.
    let nobody = ChatCompletions::new("http://127.0.0.1:1/v1", "small").unwrap();
    assert_eq!(life.dream(&nobody).outcome, Outcome::NothingNew);
}

#[test]
fn a_night_whose_server_fails_moves_nothing_and_writes_no_key_anywhere() {
    let refusal = json!({ "error": { "message": format!("no such key: {SECRET}") } }).to_string();
    for answer in [
        http("401 Unauthorized", &[], &refusal),
        http("500 Oops", &["Retry-After: 5"], &refusal),
        http("200 OK", &[], "{}"),
        ok(&json!("### Facts\n\n- Marta signs the lease on 2026"), "length"),
        ok(&Value::Null, "stop"),
        ok(&json!("- Marta signs the lease on 2026-12-04."), "content_filter"),
        Vec::new(),
    ] {
        let life = life();
        let before = life.documents();
        let report = life.dream(&Server::says(answer).client());
        assert_eq!(report.outcome, Outcome::LlmError);
        assert_eq!(life.documents(), before);
        let report = serde_json::to_string(&report).unwrap();
        assert!(!report.contains(&SECRET[..8]), "{report}");
        for (file, bytes) in life.tree() {
            assert!(!String::from_utf8_lossy(&bytes).contains(&SECRET[..8]), "{file}");
        }
        // What was not read waits for the next night.
        let good = format!("### Facts\n\n- Marta signs the lease on 2026-12-04. ({}#L1)\n", journal(20));
        let report = dreaming::dream(
            &life.dreamer(),
            &Server::says(ok(&json!(good), "stop")).client(),
            dreaming::night(22),
        );
        assert_eq!(report.outcome, Outcome::Appended);
    }
}
