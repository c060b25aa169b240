//! The settings of a server, and its address.

use std::fmt;
use std::time::Duration;

use ::postgres::Config;
use ::postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::tls::PostgresTls;
use crate::base::error::{Error, Result};

/// The settings of a [`Postgres`](super::Postgres) server.
///
/// ```
/// let mut config = noctuary::postgres::PostgresConfig::default();
/// config.max_connections = 4;
/// config.schema = "agents".to_owned();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostgresConfig {
    /// The schema of the tables: a lower-case letter, then lower-case letters, digits and `_`. `noctuary`.
    pub schema: String,
    /// The most connections for verbs, of all scopes together. A process that holds leases has one more. 8.
    pub max_connections: usize,
    /// The time in which a connection must be made. 10 seconds.
    pub connect_timeout: Duration,
    /// The time that a verb waits for another writer of the same scope, or for a free connection, before
    /// [`Error::Busy`]. 30 seconds.
    pub lock_timeout: Duration,
    /// The time that one statement may take. A process that stops inside of a transaction loses it after the same time. 60 seconds.
    pub statement_timeout: Duration,
    /// Whether a pooler is between, which gives each transaction another connection. A dead holder of a lease is then
    /// known by its time alone, and no statement is kept prepared. `false`.
    pub is_pooled: bool,
    /// Approximate maximum of memory, in bytes, for rows that searches read, for all scopes together. 0 keeps nothing,
    /// and nothing is kept behind a pooler. 32 MiB.
    pub kept_bytes: usize,
    /// Whether a server on another machine may be reached without encryption. Switch it on where a tunnel or a private network
    /// encrypts. With `sslmode=require` in the URL connections are encrypted all the same. `false`.
    pub allow_plaintext: bool,
    /// The certificates of encrypted connections. Mozilla's roots, and no identity.
    pub tls: PostgresTls,
}

impl Default for PostgresConfig {
    fn default() -> Self {
        Self {
            schema: "noctuary".to_owned(),
            max_connections: 8,
            connect_timeout: Duration::from_secs(10),
            lock_timeout: Duration::from_secs(30),
            statement_timeout: Duration::from_secs(60),
            is_pooled: false,
            kept_bytes: 32 << 20,
            allow_plaintext: false,
            tls: PostgresTls::default(),
        }
    }
}

impl PostgresConfig {
    /// Checks the bounds.
    pub(super) fn check(&self) -> Result<()> {
        let refused = |setting, rule| Err(Error::Config { setting, rule });
        let is_named = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if !self.schema.starts_with(|first: char| first.is_ascii_lowercase())
            || !self.schema.bytes().all(is_named)
            || self.schema.len() > 48
            || self.schema.starts_with("pg_")
        {
            return refused(
                "schema",
                "must be a lower-case letter, then at most 47 lower-case letters, digits and `_`; not `pg_…`",
            );
        }
        if self.max_connections == 0 {
            return refused("max_connections", "must be at least 1");
        }
        let second = Duration::from_millis(1);
        if [self.connect_timeout, self.lock_timeout, self.statement_timeout].iter().any(|time| *time < second)
        {
            return refused(
                "connect_timeout, lock_timeout and statement_timeout",
                "must be at least a millisecond",
            );
        }
        Ok(())
    }
}

/// The address of a server, and how it is called.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    /// `None` where connections are not encrypted.
    pub(super) connector: Option<MakeRustlsConnect>,
    /// Without user and password.
    told: String,
}

impl Address {
    /// Reads a URL, or the words of `key=value`.
    pub(super) fn parse(url: &str, settings: &PostgresConfig) -> Result<Self> {
        settings.check()?;
        if has_bare_signs(url) {
            let rule = "must have a password without `@` and `/`: write `%40` for `@` and `%2F` for `/`";
            return Err(Error::Config { setting: "url", rule });
        }
        // The driver's message may quote the password.
        let mut config: Config = url.parse().map_err(|_| Error::Config {
            setting: "url",
            rule: if url.contains("sslmode=verify") {
                "must have `sslmode=require`, which checks the certificate and the name of the host: `verify-ca` and `verify-full` are not known"
            } else {
                "must be `postgres://user:password@host:port/database`, or `host=… user=… password=… dbname=…`"
            },
        })?;
        let is_near = |host: &Host| match host {
            Host::Tcp(name) => {
                name == "localhost"
                    || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
            }
            #[cfg(unix)]
            Host::Unix(_) => true,
        };
        let hosts_are_near = config.get_hosts().iter().all(is_near);
        let addresses_are_near = config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback);
        let is_asked_for = config.get_ssl_mode() == SslMode::Require;
        let must_encrypt = !(settings.allow_plaintext || hosts_are_near && addresses_are_near);
        if must_encrypt && config.get_ssl_mode() == SslMode::Disable {
            return Err(Error::Config {
                setting: "url",
                rule: "must not switch encryption off for a server on another machine; set `allow_plaintext` where a tunnel or a private network encrypts",
            });
        }
        // A server that offers no encryption may be somebody between: it is all or nothing.
        let connector = if (must_encrypt || is_asked_for) && !config.get_hosts().iter().all(is_socket) {
            config.ssl_mode(SslMode::Require);
            Some(settings.tls.connector()?)
        } else {
            config.ssl_mode(SslMode::Disable);
            None
        };
        config.connect_timeout(settings.connect_timeout);
        config.keepalives_idle(Duration::from_secs(30));
        config.tcp_user_timeout(settings.statement_timeout.saturating_add(Duration::from_secs(5)));
        if config.get_application_name().is_none() {
            config.application_name("noctuary");
        }
        let told = tell(&config, &settings.schema);
        Ok(Self { config, connector, told })
    }
}

/// Returns whether a password in a URL has a sign that ends it too early. A part of it would be the host, and be told.
fn has_bare_signs(url: &str) -> bool {
    let rest = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"));
    let address = rest.map(|rest| rest.split('?').next().unwrap_or_default());
    address.is_some_and(|address| address.matches('@').count() > 1)
}

/// Returns whether a host is a unix socket, which nothing encrypts.
fn is_socket(host: &Host) -> bool {
    match host {
        Host::Tcp(_) => false,
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// Prints where a server is, without user and password.
fn tell(config: &Config, schema: &str) -> String {
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => format!("{name}:{port}"),
        #[cfg(unix)]
        Some(Host::Unix(path)) => format!("{}:{port}", path.display()),
        None => {
            config.get_hostaddrs().first().map_or_else(String::new, |address| format!("{address}:{port}"))
        }
    };
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("postgres://{host}/{database}#{schema}")
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> Result<Address> {
        Address::parse(url, &PostgresConfig::default())
    }

    #[test]
    fn an_address_is_told_without_its_password() {
        let address = parse("postgres://marta:sesame@localhost:5433/lives").unwrap();
        assert_eq!(address.to_string(), "postgres://localhost:5433/lives#noctuary");
        let error = parse("postgres://marta:sesame@localhost:nine/lives").err().unwrap();
        assert!(!format!("{error} {error:?}").contains("sesame"));
    }

    // A part of the password was told as the host.
    #[test]
    fn a_password_that_ends_too_early_is_refused_and_told_by_nobody() {
        let error = parse("postgres://marta:open@sesame/x@localhost/lives").err().unwrap();
        assert!(matches!(error, Error::Config { setting: "url", rule } if rule.contains("%40")), "{error}");
        assert!(!format!("{error} {error:?}").contains("sesame"));
        let encoded = parse("postgres://marta:open%40sesame%2Fx@localhost/lives").unwrap();
        assert_eq!(encoded.to_string(), "postgres://localhost:5432/lives#noctuary");
        let error = parse("postgres://marta@localhost/lives?sslmode=verify-full").err().unwrap();
        assert!(error.to_string().contains("sslmode=require"), "{error}");
    }

    #[test]
    fn no_password_travels_in_plain_text_unless_the_host_says_so() {
        for near in
            ["postgres://127.0.0.1/l", "postgres://[::1]/l", "host=/run/pg user=m", "host=localhost user=m"]
        {
            assert!(parse(near).unwrap().connector.is_none(), "{near}");
        }
        for far in [
            "postgres://db.example/l",
            "postgres://10.0.0.7/l",
            "host=localhost hostaddr=10.0.0.7",
            "host=localhost,db user=m",
            "postgres://db.example/l?sslmode=prefer",
        ] {
            let address = parse(far).unwrap();
            assert!(address.connector.is_some(), "{far}");
            assert_eq!(address.config.get_ssl_mode(), SslMode::Require, "{far}");
            let settings = PostgresConfig { allow_plaintext: true, ..PostgresConfig::default() };
            let plain = Address::parse(far, &settings).unwrap();
            assert!(plain.connector.is_none() && plain.config.get_ssl_mode() == SslMode::Disable, "{far}");
        }
        let off = parse("postgres://db.example/l?sslmode=disable");
        assert!(matches!(off, Err(Error::Config { setting: "url", .. })));
        let asked = parse("postgres://localhost/l?sslmode=require").unwrap();
        assert!(asked.connector.is_some());
    }

    #[test]
    fn a_schema_is_a_plain_word() {
        for schema in ["", "1a", "Ab", "a-b", "a\"b", "pg_x", "a b"] {
            let settings = PostgresConfig { schema: schema.to_owned(), ..PostgresConfig::default() };
            assert!(matches!(settings.check(), Err(Error::Config { setting: "schema", .. })), "{schema}");
        }
    }
}
