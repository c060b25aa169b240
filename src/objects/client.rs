//! The requests of `object_store`, sent by the client that the crate has already: blocking, with limits of time.

use std::thread;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::BodyExt;
use object_store::ClientConfigKey;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use ureq::Agent;
use ureq::http::{Method, Request, StatusCode};

/// A request is sent so often where a server is busy or does not answer.
const ATTEMPTS: u32 = 3;
/// The pause before the second one; it doubles.
const PAUSE: Duration = Duration::from_millis(100);
/// A limit that no answer reaches. A read may have more, but its request limits it.
const MOST: u64 = 1 << 32;

/// Makes clients.
#[derive(Debug)]
pub(super) struct Connector {
    pub(super) timeout: Duration,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let is_plain =
            options.get_config_value(&ClientConfigKey::AllowHttp).is_some_and(|said| said == "true");
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .https_only(!is_plain)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(self.timeout))
            .user_agent(concat!("noctuary/", env!("CARGO_PKG_VERSION")));
        Ok(HttpClient::new(Client { agent: config.build().new_agent() }))
    }
}

#[derive(Debug)]
struct Client {
    agent: Agent,
}

#[async_trait]
impl HttpService for Client {
    /// Every request of a store of files may be repeated. An object is created under a key that nobody else draws, and a removed
    /// object stays removed.
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let mut pause = PAUSE;
        for attempt in 1.. {
            let answer = self.send(Request::from_parts(parts.clone(), &body[..]));
            let may_pass = match &answer {
                Ok(response) => is_busy(response.status()),
                Err(error) => error.kind() != HttpErrorKind::Decode,
            };
            if !may_pass || attempt >= ATTEMPTS {
                return answer;
            }
            thread::sleep(pause);
            pause *= 2;
        }
        unreachable!("the last attempt returns")
    }
}

impl Client {
    fn send(&self, request: Request<&[u8]>) -> Result<HttpResponse, HttpError> {
        let has_body = !request.body().is_empty() || [Method::PUT, Method::POST].contains(request.method());
        let sent = if has_body { self.agent.run(request) } else { self.agent.run(request.map(drop)) };
        let (parts, mut body) = sent.map_err(failed)?.into_parts();
        let bytes = body.with_config().limit(MOST).read_to_vec().map_err(failed)?;
        Ok(HttpResponse::from_parts(parts, bytes.into()))
    }
}

fn is_busy(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 429 | 500 | 502 | 503 | 504)
}

fn failed(error: ureq::Error) -> HttpError {
    let kind = match &error {
        ureq::Error::Timeout(_) => HttpErrorKind::Timeout,
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => HttpErrorKind::Connect,
        ureq::Error::Io(_) => HttpErrorKind::Interrupted,
        // Nothing is mended by asking again.
        _ => HttpErrorKind::Decode,
    };
    HttpError::new(kind, error)
}
