//! A connection to an object store, and the few verbs that a store of files needs of one.

use std::future::poll_fn;
use std::io;
use std::ops::Range;
use std::path::Path as FilePath;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    Error as Fault, GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload,
    RetryConfig,
};

use super::client::Connector;
use super::settings::ObjectSettings;
use super::wait::wait;
use crate::base::debug::debug_as;
use crate::base::error::{At, Error, Result};

/// Builds a client of a vendor by its settings.
macro_rules! built {
    ($builder:ident, $settings:expr) => {{
        let settings: &ObjectSettings = $settings;
        let mut builder = if settings.is_environment { $builder::from_env() } else { $builder::new() };
        for (name, value) in &settings.options {
            let known = name.parse().map_err(|_| Error::Config {
                setting: "option",
                rule: "must be one that the object store knows",
            })?;
            builder = builder.with_config(known, value);
        }
        // It would sleep by the timer of a runtime; the client asks again itself.
        let retry = RetryConfig { max_retries: 0, ..RetryConfig::default() };
        builder
            .with_url(settings.url.clone())
            .with_retry(retry)
            .with_http_connector(Connector { timeout: settings.timeout })
            .build()
            .map_err(|_| UNUSABLE)?
    }};
}

/// An object store, for the files of any number of people: clones share it.
///
/// ```
/// use noctuary::files::{ObjectSettings, ObjectStorage};
///
/// let storage = ObjectStorage::connect(&ObjectSettings::new("memory:///"))?;
/// assert!(ObjectStorage::connect(&ObjectSettings::new("ftp://host/")).is_err());
/// # let _ = storage;
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone)]
pub struct ObjectStorage {
    store: Arc<dyn ObjectStore>,
    /// The beginning of each name: empty, or with a slash at its end.
    prefix: String,
    address: String,
    /// Whether names come in their order.
    is_sorted: bool,
}

debug_as!(ObjectStorage, |it| "ObjectStorage({})", it.address);

/// An object as a list has it.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    /// Its name below the folder that was listed.
    pub(super) file: String,
    pub(super) len: u64,
    pub(super) modified: DateTime<Utc>,
}

impl ObjectStorage {
    /// Makes a connection. No request is sent yet.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for an address of another kind, an option that is not known, and what is missing.
    pub fn connect(settings: &ObjectSettings) -> Result<Self> {
        let rest = |scheme: &str| settings.url.strip_prefix(scheme);
        // The bucket is read out of the address by the builder.
        let prefix = |rest: &str| rest.split_once('/').map_or("", |(_, prefix)| prefix).to_owned();
        let (store, prefix, is_sorted): (Arc<dyn ObjectStore>, String, bool) = if let Some(rest) =
            rest("s3://")
        {
            (Arc::new(built!(AmazonS3Builder, settings)), prefix(rest), true)
        } else if let Some(rest) = rest("gs://") {
            (Arc::new(built!(GoogleCloudStorageBuilder, settings)), prefix(rest), true)
        } else if let Some(rest) = rest("az://") {
            (Arc::new(built!(MicrosoftAzureBuilder, settings)), prefix(rest), true)
        } else if let Some(path) = rest("file://") {
            let store = LocalFileSystem::new_with_prefix(FilePath::new(path)).map_err(|_| UNUSABLE)?;
            (Arc::new(store.with_fsync(true)), String::new(), false)
        } else if let Some(rest) = rest("memory://") {
            (Arc::new(InMemory::new()), rest.trim_start_matches('/').to_owned(), true)
        } else {
            return Err(Error::Config { setting: "url", rule: "must begin with s3, gs, az, file or memory" });
        };
        let prefix = prefix.trim_matches('/').to_owned();
        let prefix = if prefix.is_empty() { prefix } else { format!("{prefix}/") };
        Path::parse(&prefix)
            .map_err(|_| Error::Config { setting: "url", rule: "must have a plain prefix" })?;
        let address = settings.url.trim_end_matches('/').to_owned();
        Ok(Self { store, prefix, address, is_sorted })
    }

    /// Returns the address of an object.
    pub(super) fn url(&self, name: &str) -> String {
        format!("{}/{name}", self.address)
    }

    fn path(&self, name: &str) -> Result<Path> {
        let broken = |_| Error::Config { setting: "key", rule: "must be the name of an object" };
        Path::parse(format!("{}{name}", self.prefix)).map_err(broken)
    }

    /// Makes an object, whole and durable; `false` where it exists.
    pub(super) fn create(&self, name: &str, bytes: Vec<u8>) -> Result<bool> {
        match self.put(name, bytes, PutMode::Create) {
            Err(Fault::AlreadyExists { .. } | Fault::Precondition { .. }) => Ok(false),
            put => put.map(|()| true).map_err(|error| told(&error)).at("create", self.url(name)),
        }
    }

    /// Makes an object, or replaces it whole.
    pub(super) fn replace(&self, name: &str, bytes: Vec<u8>) -> Result<()> {
        self.put(name, bytes, PutMode::Overwrite).map_err(|error| told(&error)).at("write", self.url(name))
    }

    fn put(&self, name: &str, bytes: Vec<u8>, mode: PutMode) -> std::result::Result<(), Fault> {
        let path = Path::parse(format!("{}{name}", self.prefix))?;
        let options = PutOptions { mode, ..PutOptions::default() };
        wait(self.store.put_opts(&path, PutPayload::from(bytes), options)).map(drop)
    }

    /// Reads an object, or a part of it that lies within it; `None` where there is none.
    pub(super) fn get(&self, name: &str, part: Option<Range<u64>>) -> Result<Option<Vec<u8>>> {
        let path = self.path(name)?;
        let options = GetOptions { range: part.map(Into::into), ..GetOptions::default() };
        let got = wait(async { self.store.get_opts(&path, options).await?.bytes().await });
        match got {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(Fault::NotFound { .. }) => Ok(None),
            Err(error) => Err(told(&error)).at("read", self.url(name)),
        }
    }

    /// Returns whether an object exists.
    pub(super) fn exists(&self, name: &str) -> Result<bool> {
        let path = self.path(name)?;
        match wait(self.store.head(&path)) {
            Ok(_) => Ok(true),
            Err(Fault::NotFound { .. }) => Ok(false),
            Err(error) => Err(told(&error)).at("look at", self.url(name)),
        }
    }

    /// Removes an object, where it exists.
    pub(super) fn remove(&self, name: &str) -> Result<()> {
        let path = self.path(name)?;
        match wait(self.store.delete(&path)) {
            Ok(()) | Err(Fault::NotFound { .. }) => Ok(()),
            Err(error) => Err(told(&error)).at("remove", self.url(name)),
        }
    }

    /// Visits the objects of a folder in the order of their names, behind a given one, as long as `visit` says so.
    pub(super) fn each(
        &self,
        folder: &str,
        after: Option<&str>,
        mut visit: impl FnMut(Listed) -> Result<bool>,
    ) -> Result<()> {
        let path = self.path(folder)?;
        let mut found = match after {
            Some(after) => {
                self.store.list_with_offset(Some(&path), &self.path(&format!("{folder}/{after}"))?)
            }
            None => self.store.list(Some(&path)),
        };
        let mut next = || -> Result<Option<Listed>> {
            loop {
                match wait(poll_fn(|context| found.as_mut().poll_next(context))) {
                    None | Some(Err(Fault::NotFound { .. })) => return Ok(None),
                    Some(Err(error)) => return Err(told(&error)).at("list", self.url(folder)),
                    Some(Ok(object)) => {
                        if let Some(listed) = listed(&path, &object) {
                            return Ok(Some(listed));
                        }
                    }
                }
            }
        };
        if self.is_sorted {
            while let Some(listed) = next()? {
                if !visit(listed)? {
                    return Ok(());
                }
            }
            return Ok(());
        }
        let mut all = Vec::new();
        while let Some(listed) = next()? {
            all.push(listed);
        }
        all.sort_by(|one, other| one.file.cmp(&other.file));
        for listed in all {
            if !visit(listed)? {
                break;
            }
        }
        Ok(())
    }
}

const UNUSABLE: Error = Error::Config {
    setting: "url",
    rule: "and its options do not make a connection: one is missing or wrong",
};

/// Returns an object of a folder itself, not of one below it.
fn listed(folder: &Path, object: &ObjectMeta) -> Option<Listed> {
    let file = object.location.as_ref().strip_prefix(folder.as_ref())?.strip_prefix('/')?;
    let (file, len, modified) = (file.to_owned(), object.size, object.last_modified);
    (!file.contains('/')).then_some(Listed { file, len, modified })
}

/// Returns a failure in words that hold no key and no signature: a server says some of what it was sent.
fn told(error: &Fault) -> io::Error {
    let kind = match error {
        Fault::PermissionDenied { .. } | Fault::Unauthenticated { .. } => io::ErrorKind::PermissionDenied,
        Fault::NotFound { .. } => io::ErrorKind::NotFound,
        Fault::NotSupported { .. } | Fault::NotImplemented { .. } => io::ErrorKind::Unsupported,
        _ => io::ErrorKind::Other,
    };
    let text = error.to_string();
    let said = |mark: &str| {
        let rest = &text[text.find(mark)? + mark.len()..];
        let end = rest.find(['<', '\n', '?', ':']).unwrap_or(rest.len());
        Some(rest[..end].trim().to_owned())
    };
    let why = said("status code: ").or_else(|| said("HTTP error: "));
    let words = match why {
        Some(why) if !why.is_empty() => format!("the object store answered {why}"),
        _ if kind == io::ErrorKind::Other => "the object store failed".to_owned(),
        _ => format!("the object store says: {kind}"),
    };
    io::Error::new(kind, words)
}
