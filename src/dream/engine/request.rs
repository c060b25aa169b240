//! The request of a pass, and its part in the report, for every dreamer.

use chrono::{DateTime, Utc};

use crate::base::digest::Hasher;
use crate::base::gather::Gather as _;
use crate::dreamer::{Charge, PassReport};
use crate::format::DreamId;
use crate::gate::{DoorWarning, Masks};
use crate::llm::LlmRequest;

/// Returns the mark in each fence: a hash of all that is inside, which no text inside can foresee.
pub(crate) fn nonce<'t>(
    id: &DreamId,
    now: DateTime<Utc>,
    memory: &str,
    lines: impl IntoIterator<Item = &'t str>,
) -> String {
    let mut hasher = Hasher::new();
    hasher.field(id.as_str().as_bytes()).field(now.to_rfc3339().as_bytes()).field(memory.as_bytes());
    for line in lines {
        hasher.field(line.as_bytes());
    }
    hasher.finish().short(16)
}

/// Reports the size of a request, its masked secrets, and findings that were let pass.
pub(crate) fn tell_request(
    pass: &mut PassReport,
    request: &LlmRequest,
    masks: &Masks,
    found: &[DoorWarning],
) {
    pass.request_bytes = request.bytes() as u64;
    pass.masked = masks.counts().map(|(class, count)| Charge { class: class.to_owned(), count }).gather();
    pass.warn(found.iter().map(|warning| (warning.class.clone(), warning.count)));
}
