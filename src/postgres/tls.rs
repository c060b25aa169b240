//! The encryption of connections: TLS by rustls, and whose word it takes for who a server is.

use std::fmt;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::base::error::{Error, Result};

/// The certificates of encrypted connections. As made by `default`, a server is trusted by Mozilla's roots, and its certificate must name
/// the host of the URL.
///
/// Prints no key.
///
/// # Example: a server with a certificate of one's own authority
///
/// ```no_run
/// use noctuary::postgres::{Postgres, PostgresConfig, PostgresTls};
///
/// let mut config = PostgresConfig::default();
/// config.tls = PostgresTls::default().roots(std::fs::read("/etc/noctuary/ca.pem")?);
/// let server = Postgres::connect_with("postgres://noctuary@db.example/lives", config)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PostgresTls {
    roots: Option<Vec<u8>>,
    identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl PostgresTls {
    /// Trusts the certificates of a PEM text alone, in place of Mozilla's roots.
    #[must_use]
    pub fn roots(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.roots = Some(pem.into());
        self
    }

    /// Shows a certificate to the server, for its method `cert` or `clientcert=verify-full`: PEM texts of the chain and of its key.
    #[must_use]
    pub fn identity(mut self, chain: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        self.identity = Some((chain.into(), key.into()));
        self
    }

    /// Makes the connector of the driver.
    pub(super) fn connector(&self) -> Result<MakeRustlsConnect> {
        let refused = |rule| Error::Config { setting: "tls", rule };
        let mut roots = RootCertStore::empty();
        match &self.roots {
            None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Some(pem) => {
                for certificate in certificates(pem).ok_or_else(|| refused(NO_ROOTS))? {
                    roots.add(certificate).map_err(|_| refused(NO_ROOTS))?;
                }
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|_| refused("must fit the versions of TLS"))?
            .with_root_certificates(roots);
        let mut config = match &self.identity {
            None => config.with_no_client_auth(),
            Some((chain, key)) => {
                let chain = certificates(chain).ok_or_else(|| refused(NO_IDENTITY))?;
                let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| refused(NO_IDENTITY))?;
                config.with_client_auth_cert(chain, key).map_err(|_| refused(NO_IDENTITY))?
            }
        };
        // For `sslnegotiation=direct`, which asks for it.
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(MakeRustlsConnect::new(config))
    }
}

const NO_ROOTS: &str = "must have roots that are certificates in PEM";
const NO_IDENTITY: &str = "must have a certificate in PEM as identity, and the key that belongs to it";

/// Reads certificates; `None` where there are none, or what is no certificate.
fn certificates(pem: &[u8]) -> Option<Vec<CertificateDer<'static>>> {
    let found: Vec<_> = CertificateDer::pem_slice_iter(pem).collect::<std::result::Result<_, _>>().ok()?;
    (!found.is_empty()).then_some(found)
}

impl fmt::Debug for PostgresTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roots = if self.roots.is_some() { "its own" } else { "Mozilla's" };
        let identity = if self.identity.is_some() { "with" } else { "without" };
        write!(f, "PostgresTls {{ roots: {roots}, {identity} identity }}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_certificate_is_refused_and_not_told() {
        assert!(PostgresTls::default().connector().is_ok());
        for pem in ["", "sesame", "-----BEGIN CERTIFICATE-----\nsesame\n-----END CERTIFICATE-----\n"] {
            for tls in [PostgresTls::default().roots(pem), PostgresTls::default().identity(pem, pem)] {
                let error = tls.connector().err().unwrap();
                assert!(matches!(error, Error::Config { setting: "tls", .. }), "{error:?}");
                assert!(!format!("{tls:?} {error:?}").contains("sesame"));
            }
        }
    }
}
