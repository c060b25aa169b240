//! A connection to an endpoint: one request, one answer, and why there is none.

use std::io::Read;
use std::time::Duration;

use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, DATE, HeaderName, RETRY_AFTER};
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};

use super::endpoint::Endpoint;
use super::key::{self, Key};
use super::wait::Wait;
use super::wire;
use crate::base::error::{Error, Result};
use crate::embed::EmbedError;
use crate::llm::{LlmError, may_pass};

/// The most that is read of what comes with an error, in bytes.
const MOST_OF_ERROR: u64 = 16 << 10;

/// A year: no clock ends at it, as it does at `Duration::MAX`.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The way to an endpoint, with its key.
#[derive(Clone)]
pub(super) struct Connection {
    agent: Agent,
    endpoint: Endpoint,
    key: Option<Key>,
}

/// The reason why a call gave nothing that can be used.
pub(super) struct Failure {
    pub(super) message: String,
    /// Whether waiting may help.
    pub(super) may_pass: bool,
    /// The time that the server asks to wait.
    pub(super) wait: Option<Duration>,
    /// Whether the server is there, and has too much to do.
    pub(super) is_busy: bool,
}

impl Connection {
    /// Makes a way to a base URL and the path behind it. Connections stay open for a while where `is_asked_often`.
    pub(super) fn new(base_url: &str, path: &'static str, is_asked_often: bool) -> Result<Self> {
        let endpoint = Endpoint::parse(base_url, path)?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A POST is not repeated elsewhere, and nor is a key.
            .max_redirects(0)
            .max_idle_connections(if is_asked_often { 2 } else { 0 })
            .user_agent(concat!("noctuary/", env!("CARGO_PKG_VERSION")));
        // A server on this machine is reached without a proxy.
        let config = if endpoint.is_local() { config.proxy(None) } else { config };
        Ok(Self { agent: config.build().new_agent(), endpoint, key: None })
    }

    pub(super) fn key(self, key: &str) -> Result<Self> {
        if !self.endpoint.is_encrypted() && !self.endpoint.is_local() {
            return Err(Error::Config {
                setting: "key",
                rule: "is sent to another machine over https only; see key_over_plain_http",
            });
        }
        self.key_over_plain_http(key)
    }

    pub(super) fn key_from_env(self, variable: &'static str) -> Result<Self> {
        // The standard library's error for a variable that is not text quotes its value.
        let key = std::env::var(variable)
            .map_err(|_| Error::Config { setting: variable, rule: "must be set, to the key" })?;
        self.key(&key)
    }

    pub(super) fn key_over_plain_http(mut self, key: &str) -> Result<Self> {
        self.key = Some(Key::parse(key)?);
        Ok(self)
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(super) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Sends a body once, and returns the body of a good answer, up to a limit in bytes.
    pub(super) fn post(
        &self,
        body: &[u8],
        most: u64,
        timeout: Duration,
    ) -> std::result::Result<Vec<u8>, Failure> {
        let mut call = self
            .agent
            .post(self.endpoint.url())
            .config()
            .timeout_global(Some(timeout.min(LONGEST)))
            .build()
            .header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            call = call.header(AUTHORIZATION, key.header());
        }
        let broken = |error: &ureq::Error| self.broken(error, most, timeout);
        let mut response = call.send(body).map_err(|error| broken(&error))?;
        if !response.status().is_success() {
            return Err(self.refused(&mut response));
        }
        response.body_mut().with_config().limit(most).read_to_vec().map_err(|error| broken(&error))
    }

    /// Returns the words of a server as they can be shown to an operator.
    pub(super) fn excerpt(&self, text: &str) -> String {
        key::excerpt(text, self.key.as_ref())
    }

    /// Makes a failure of this endpoint that may pass.
    pub(super) fn failed(&self, what: &str) -> Failure {
        Failure { message: format!("{} {what}", self.endpoint), may_pass: true, wait: None, is_busy: false }
    }

    /// Returns why the call did not come to its end.
    fn broken(&self, error: &ureq::Error, most: u64, timeout: Duration) -> Failure {
        match error {
            ureq::Error::Timeout(_) => {
                self.failed(&format!("gave no whole answer within {:?}", timeout.min(LONGEST)))
            }
            ureq::Error::BodyExceedsLimit(_) => {
                self.failed(&format!("answered more than {}", size(most))).permanent()
            }
            other => self.failed(&format!("did not answer: {}", self.excerpt(&other.to_string()))),
        }
    }

    /// Returns why there is an answer, and it is an error.
    fn refused(&self, response: &mut Response<Body>) -> Failure {
        let status = response.status();
        let mut said = status.to_string();
        if status == StatusCode::NOT_FOUND {
            // Most often the base lacks its `/v1`.
            said.push_str(&format!(" for {}", self.excerpt(self.endpoint.path())));
        }
        if status.is_redirection() {
            said.push_str(", and redirects are not followed");
        }
        let mut body = Vec::new();
        // The bytes that were read count; a longer or broken answer says nothing new.
        let _ = response.body_mut().as_reader().take(MOST_OF_ERROR).read_to_end(&mut body);
        let words = self.excerpt(&wire::message(&body));
        if !words.is_empty() {
            said.push_str(": ");
            said.push_str(&words);
        }
        let header = |name: HeaderName| response.headers().get(name).and_then(|value| value.to_str().ok());
        let wait = header(RETRY_AFTER).and_then(Wait::parse);
        if let Some(wait) = wait {
            said.push_str(&format!("; it asks to wait {wait}"));
        }
        let failure = self.failed(&format!("answered {said}"));
        Failure {
            may_pass: may_pass(status.as_u16()),
            wait: wait.and_then(|wait| wait.duration(header(DATE))),
            is_busy: matches!(status.as_u16(), 429 | 503),
            ..failure
        }
    }
}

/// Returns a number of bytes, rounded up.
fn size(bytes: u64) -> String {
    if bytes < 1 << 20 {
        format!("{} KiB", bytes.div_ceil(1 << 10))
    } else {
        format!("{} MiB", bytes.div_ceil(1 << 20))
    }
}

impl Failure {
    pub(super) fn permanent(mut self) -> Self {
        self.may_pass = false;
        self
    }
}

impl From<Failure> for LlmError {
    fn from(failure: Failure) -> Self {
        let error = Self::new(failure.message);
        let error = if failure.may_pass { error } else { error.permanent() };
        match failure.wait {
            Some(wait) => error.wait(wait),
            None => error,
        }
    }
}

impl From<Failure> for EmbedError {
    fn from(failure: Failure) -> Self {
        let error = Self::new(failure.message);
        let error = if failure.may_pass { error } else { error.permanent() };
        match failure.wait {
            Some(wait) => error.wait(wait),
            None => error,
        }
    }
}
