//! The signatures of a bundle: the seed's, which only its own key verifies, and one that others can verify.
//!
//! ```text
//! signature.txt   noctuary-hmac-v1 0f3a9c5be2d14477
//!                 <HMAC-SHA256 of path and bytes>  facts/5d0e….md
//!                 sum <HMAC-SHA256 of the lines above>
//! manifest.txt    noctuary-manifest-v1 0f3a9c5be2d14477 <public key>
//!                 <SHA-256>  facts/5d0e….md
//! manifest.sig    <Ed25519 signature of manifest.txt>
//! ```
//!
//! Trust follows the key that verified, never a field: the instance of each entry must be that of the envelope.

use std::collections::BTreeSet;

use super::key::{BundleKey, is_equal, is_signed};
use super::tree::Bundle;
use crate::base::digest::Digest;

pub(super) const HMAC: &str = "signature.txt";
pub(super) const MANIFEST: &str = "manifest.txt";
pub(super) const SIGNATURE: &str = "manifest.sig";

const HMAC_HEAD: &str = "noctuary-hmac-v1 ";
const MANIFEST_HEAD: &str = "noctuary-manifest-v1 ";

/// The files that sign others.
pub(in crate::exchange) fn is_seal(path: &str) -> bool {
    [HMAC, MANIFEST, SIGNATURE].contains(&path)
}

impl Bundle {
    /// Signs the files anew, in the place of earlier signatures.
    pub fn sign(&mut self, key: &BundleKey) {
        seal(self, key);
    }
}

/// Signs a bundle.
fn seal(bundle: &mut Bundle, key: &BundleKey) {
    let instance = key.instance_id();
    let mut lines = format!("{HMAC_HEAD}{instance}\n");
    for (path, bytes) in bundle.files().filter(|(path, _)| !is_seal(path)) {
        lines.push_str(&format!("{}  {path}\n", hex::encode(mac_of(key, path, bytes))));
    }
    lines.push_str(&format!("sum {}\n", hex::encode(key.mac(lines.as_bytes()))));
    bundle.put(HMAC, lines);
    #[cfg(feature = "signing")]
    {
        let mut manifest = format!("{MANIFEST_HEAD}{instance} {}\n", key.public());
        for (path, bytes) in bundle.files().filter(|(path, _)| *path != MANIFEST && *path != SIGNATURE) {
            manifest.push_str(&format!("{}  {path}\n", Digest::of(bytes)));
        }
        let signature = key.sign(manifest.as_bytes());
        bundle.put(MANIFEST, manifest);
        bundle.put(SIGNATURE, format!("{signature}\n"));
    }
}

fn mac_of(key: &BundleKey, path: &str, bytes: &[u8]) -> [u8; 32] {
    key.mac(&[path.as_bytes(), b"\0", bytes].concat())
}

/// The files of a bundle that a trusted key has signed as they are.
#[derive(Default)]
pub(super) struct Verified {
    /// The instance whose key it was.
    pub(super) author: Option<String>,
    pub(super) good: BTreeSet<String>,
    /// Signed files that are gone.
    pub(super) missing: Vec<String>,
}

/// Verifies a bundle by the own key, and by those of others: each an instance and a public key, `instance:key`.
pub(super) fn verify(bundle: &Bundle, own: Option<&BundleKey>, trusted: &[String]) -> Verified {
    let by_own = own.and_then(|own| by_hmac(bundle, own));
    by_own.or_else(|| by_manifest(bundle, own, trusted)).unwrap_or_default()
}

fn by_hmac(bundle: &Bundle, own: &BundleKey) -> Option<Verified> {
    let text = std::str::from_utf8(bundle.get(HMAC)?).ok()?;
    let end = text.rfind("sum ")?;
    let (lines, sum) = text.split_at(end);
    let sum = hex::decode(sum.strip_prefix("sum ")?.trim_end()).ok()?;
    let author = own.instance_id();
    let list = lines.strip_prefix(HMAC_HEAD)?.strip_prefix(author.as_str())?.strip_prefix('\n')?;
    if !is_equal(&own.mac(lines.as_bytes()), &sum) {
        return None;
    }
    let is_good = |code: &str, path: &str, bytes: &[u8]| {
        hex::decode(code).is_ok_and(|code| is_equal(&mac_of(own, path, bytes), &code))
    };
    Some(checked(bundle, author, list, is_good))
}

fn by_manifest(bundle: &Bundle, own: Option<&BundleKey>, trusted: &[String]) -> Option<Verified> {
    let manifest = std::str::from_utf8(bundle.get(MANIFEST)?).ok()?;
    let signature = std::str::from_utf8(bundle.get(SIGNATURE)?).ok()?.trim_end();
    let (head, list) = manifest.strip_prefix(MANIFEST_HEAD)?.split_once('\n')?;
    let (author, public) = head.split_once(' ')?;
    let identity = format!("{author}:{public}");
    let is_ours = own.is_some_and(|own| own.identity() == identity);
    if !is_ours && !trusted.contains(&identity) {
        return None;
    }
    if !is_signed(public, manifest.as_bytes(), signature) {
        return None;
    }
    let is_good = |hash: &str, _: &str, bytes: &[u8]| Digest::of(bytes).to_string() == hash;
    Some(checked(bundle, author.to_owned(), list, is_good))
}

fn checked(
    bundle: &Bundle,
    author: String,
    list: &str,
    is_good: impl Fn(&str, &str, &[u8]) -> bool,
) -> Verified {
    let mut verified = Verified { author: Some(author), ..Verified::default() };
    for (code, path) in list.lines().filter_map(|line| line.split_once("  ")) {
        match bundle.get(path) {
            Some(bytes) if is_good(code, path, bytes) => {
                verified.good.insert(path.to_owned());
            }
            Some(_) => {}
            None if bundle.is_too_large(path) => {}
            None => verified.missing.push(path.to_owned()),
        }
    }
    verified
}
