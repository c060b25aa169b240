//! Ids that are hashes: the same thing has the same one in each home.

use super::access::Scope;
use super::digest::Hasher;
use super::name::Name;

/// Returns the id of a document: a UUID (version 8) hashed from scope and path, so that making it anew keeps it.
pub(crate) fn document_id(scope: &Scope, name: &Name) -> String {
    let mut hasher = Hasher::new();
    hasher.field(scope.user.as_bytes()).field(scope.agent.as_bytes()).field(name.as_str().as_bytes());
    uuid(hasher)
}

/// Returns the id of a chunk: a UUID (version 8) hashed from its document and place.
pub(crate) fn chunk_id(document: &str, index: i64) -> String {
    let mut hasher = Hasher::new();
    hasher.field(document.as_bytes()).field(&index.to_be_bytes());
    uuid(hasher)
}

/// Writes a hash as a UUID (version 8).
fn uuid(hasher: Hasher) -> String {
    let hex = hasher.finish().short(32);
    format!("{}-{}-8{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
}
