//! A server on this machine that answers by a script, and tells what it was asked.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

use serde_json::Value;

/// A server that answers one request after another, each in its own way, and tells what it was asked.
pub struct Server {
    pub base: String,
    thread: JoinHandle<Vec<Asked>>,
}

/// The request to a server: the head, and the body.
pub struct Asked {
    pub head: String,
    pub body: Value,
}

pub type Answer = Box<dyn FnOnce(&mut TcpStream) -> io::Result<()> + Send>;

impl Server {
    pub fn new(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let thread = thread::spawn(move || {
            let answer = |answer: Answer| {
                let (mut stream, _) = listener.accept().unwrap();
                let asked = read(&stream);
                // A client that has gone away is its own affair.
                let _ = answer(&mut stream);
                asked
            };
            answers.into_iter().map(answer).collect()
        });
        Self { base, thread }
    }

    /// One that answers once, with these bytes.
    pub fn says(bytes: impl Into<Vec<u8>>) -> Self {
        Self::says_each([bytes.into()])
    }

    /// One that answers so many requests, each with its bytes.
    pub fn says_each(answers: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let answer = |bytes: Vec<u8>| -> Answer { Box::new(move |stream| stream.write_all(&bytes)) };
        Self::new(answers.into_iter().map(answer).collect())
    }

    /// Waits for the end of the script.
    pub fn asked(self) -> Vec<Asked> {
        self.thread.join().unwrap()
    }
}

fn read(stream: &TcpStream) -> Asked {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "the request ends in its head: {head}");
    }
    // Names of headers have no case; what a key is has.
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse().unwrap())
    });
    let mut body = vec![0; length.expect("the length of the body")];
    reader.read_exact(&mut body).unwrap();
    Asked { head, body: serde_json::from_slice(&body).unwrap() }
}

/// The bytes of an answer.
pub fn http(status: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
    for header in headers {
        write!(head, "{header}\r\n").unwrap();
    }
    format!("{head}\r\n{body}").into_bytes()
}
