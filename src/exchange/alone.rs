//! A request to forget without stores beside the workspace, where the feature `artifacts` is off.

use std::marker::PhantomData;

use chrono::{DateTime, Utc};

use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::receipt::PlaceReceipt;

/// No stores.
#[derive(Default)]
pub(super) struct Beside<'a>(PhantomData<&'a ()>);

#[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as where there are such stores")]
impl Beside<'_> {
    pub(super) fn forget(
        &self,
        _access: &Access,
        _texts: &[String],
        _removes: bool,
        _now: DateTime<Utc>,
    ) -> Result<Vec<PlaceReceipt>> {
        Ok(Vec::new())
    }

    pub(super) fn lift(&self, _access: &Access, _text: &str) -> Result<bool> {
        Ok(false)
    }
}
