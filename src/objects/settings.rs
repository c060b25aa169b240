//! Where an object store is, and how it is reached.

use std::time::Duration;

use crate::base::debug::debug_as;

/// The address of an object store, and its options.
///
/// | address | store |
/// |---|---|
/// | `s3://bucket/prefix` | Amazon S3, and what speaks like it: set `endpoint` |
/// | `gs://bucket/prefix` | Google Cloud Storage |
/// | `az://container/prefix`, with the option `account_name` | Azure Blob Storage |
/// | `file:///srv/uploads` | a folder, which must exist; [`LocalFileStore`](crate::files::LocalFileStore) does more for one |
/// | `memory:///` | memory, for tests |
///
/// Options have the names that the crate `object_store` gives them, such as `region`, `access_key_id`, `endpoint`, `allow_http`. Nothing
/// prints their values.
///
/// ```
/// use noctuary::files::ObjectSettings;
///
/// let settings = ObjectSettings::new("s3://uploads/noctuary").option("region", "eu-west-1").environment();
/// assert_eq!(format!("{settings:?}"), "ObjectSettings(s3://uploads/noctuary, region)");
/// ```
#[derive(Clone)]
pub struct ObjectSettings {
    pub(super) url: String,
    pub(super) options: Vec<(String, String)>,
    pub(super) is_environment: bool,
    pub(super) timeout: Duration,
}

/// Maximum duration of a request, unless another one is set.
const TIMEOUT: Duration = Duration::from_secs(60);

impl ObjectSettings {
    /// Makes settings of an address. It must hold no secret: errors name it.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), options: Vec::new(), is_environment: false, timeout: TIMEOUT }
    }

    /// Sets an option.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((name.into(), value.into()));
        self
    }

    /// Takes settings that are not among the options from environment variables: `AWS_…`, `GOOGLE_…`,
    /// `AZURE_…`.
    #[must_use]
    pub fn environment(mut self) -> Self {
        self.is_environment = true;
        self
    }

    /// Sets how long one request may take, 60 seconds unless said. A request is sent three times at most.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}

debug_as!(ObjectSettings, |it| "ObjectSettings({}{})", it.url, names(&it.options));

fn names(options: &[(String, String)]) -> String {
    options.iter().map(|(name, _)| format!(", {name}")).collect()
}
