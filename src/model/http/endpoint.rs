//! The address that requests go to.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;

use crate::base::error::{Error, Result};

/// The address of one service of a server, such as its chat completions. Prints scheme, host and port: a path may tell an account.
#[derive(Clone)]
pub(super) struct Endpoint {
    url: String,
    origin: String,
    host: String,
    is_encrypted: bool,
}

impl Endpoint {
    /// Parses a base URL, and sets the path of the service behind it unless it is there.
    pub(super) fn parse(base: &str, service: &'static str) -> Result<Self> {
        let rule = |rule| Error::Config { setting: "base_url", rule };
        let base = base.trim();
        let uri: Uri = base.parse().map_err(|_| rule("must be a URL"))?;
        let is_encrypted = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(rule("must begin with https:// or http://")),
        };
        let authority = uri.authority().filter(|authority| !authority.host().is_empty());
        let authority = authority.ok_or(rule("must name a host"))?;
        if authority.as_str().contains('@') {
            return Err(rule("must hold no user name and no password"));
        }
        if uri.query().is_some() || base.contains('#') {
            return Err(rule("must hold no query and no fragment"));
        }
        let scheme = if is_encrypted { "https" } else { "http" };
        let origin = format!("{scheme}://{authority}");
        let path = uri.path().trim_end_matches('/');
        let path = path.strip_suffix(service).unwrap_or(path);
        Ok(Self {
            url: format!("{origin}{path}{service}"),
            host: authority.host().trim_matches(['[', ']']).to_ascii_lowercase(),
            origin,
            is_encrypted,
        })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the path behind the host.
    pub(super) fn path(&self) -> &str {
        self.url.strip_prefix(&self.origin).unwrap_or(&self.url)
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// Returns whether it is this machine, by its address or as `localhost`.
    pub(super) fn is_local(&self) -> bool {
        let is_loopback = |address: IpAddr| address.to_canonical().is_loopback();
        self.host == "localhost" || self.host.parse().is_ok_and(is_loopback)
    }

    /// Returns the name of the bound of an answer. OpenAI renamed it and refuses the old name for its newer models; most
    /// others know the old one only.
    pub(super) fn bound_of_answer(&self) -> &'static str {
        let is_of = |domain: &str| {
            self.host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        if is_of("openai.com") || is_of("openai.azure.com") { "max_completion_tokens" } else { "max_tokens" }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(base: &str) -> Result<Endpoint> {
        Endpoint::parse(base, "/chat/completions")
    }

    fn rule(base: &str) -> &'static str {
        match parse(base).map(|endpoint| endpoint.url) {
            Err(Error::Config { setting: "base_url", rule }) => rule,
            other => panic!("{base}: {other:?}"),
        }
    }

    #[test]
    fn a_base_is_taken_with_and_without_what_stands_behind_it() {
        for base in
            ["http://a:1/v1", " http://a:1/v1/ ", "HTTP://a:1/v1//", "http://a:1/v1/chat/completions/"]
        {
            let endpoint = parse(base).unwrap();
            assert_eq!(endpoint.url(), "http://a:1/v1/chat/completions", "{base}");
            assert_eq!(endpoint.to_string(), "http://a:1");
        }
        assert_eq!(parse("https://a").unwrap().url(), "https://a/chat/completions");
        let embeddings = Endpoint::parse("http://a:1/v1/embeddings", "/embeddings").unwrap();
        assert_eq!(embeddings.path(), "/v1/embeddings");
    }

    #[test]
    fn what_could_hold_a_key_is_no_base() {
        assert_eq!(rule("https://me:word@a/v1"), "must hold no user name and no password");
        assert_eq!(rule("https://word@a/v1"), "must hold no user name and no password");
        assert_eq!(rule("https://a/v1?key=word"), "must hold no query and no fragment");
        assert_eq!(rule("https://a/v1?"), "must hold no query and no fragment");
        assert_eq!(rule("https://a/v1#word"), "must hold no query and no fragment");
        assert_eq!(rule("ftp://a/v1"), "must begin with https:// or http://");
        assert_eq!(rule("a:1"), "must begin with https:// or http://");
        assert_eq!(rule("/v1"), "must begin with https:// or http://");
        assert_eq!(rule(""), "must be a URL");
        assert_eq!(rule("https://a b/v1"), "must be a URL");
    }

    #[test]
    fn this_machine_is_known_by_its_addresses() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1", "127.8.8.8:1", "[::1]:1", "[::ffff:127.0.0.1]"]
        {
            assert!(parse(&format!("http://{host}/v1")).unwrap().is_local(), "{host}");
        }
        for host in ["localhost.example.org", "128.0.0.1", "[::2]", "10.0.0.1", "127.0.0.1.nip.io"] {
            assert!(!parse(&format!("http://{host}/v1")).unwrap().is_local(), "{host}");
        }
    }

    #[test]
    fn the_bound_is_called_as_the_host_calls_it() {
        let bound = |base| parse(base).unwrap().bound_of_answer();
        assert_eq!(bound("https://api.openai.com/v1"), "max_completion_tokens");
        assert_eq!(bound("https://me.openai.azure.com/openai/v1"), "max_completion_tokens");
        assert_eq!(bound("https://api.notopenai.com/v1"), "max_tokens");
        assert_eq!(bound("http://127.0.0.1:1/v1"), "max_tokens");
    }
}
