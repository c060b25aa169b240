//! The key of an operator, and what it signs.

use crate::base::debug::debug_as;
use crate::base::digest::{Digest, Hasher};

/// The secret key of the exporter. A bundle that it signed comes back with its trust.
///
/// Keep it in a file of mode 0600, and give it to nobody. No bundle holds it: a bundle names its
/// [`instance_id`](Self::instance_id).
#[derive(Clone, PartialEq, Eq)]
pub struct BundleKey([u8; 32]);

debug_as!(BundleKey, "BundleKey(…)");

impl BundleKey {
    /// Makes the key of these bytes, which must be random.
    ///
    /// ```
    /// use noctuary::exchange::BundleKey;
    ///
    /// let key = BundleKey::from_bytes([7; 32]); // of your system's random numbers
    /// assert_eq!(key.instance_id().len(), 16);
    /// assert_eq!(format!("{key:?}"), "BundleKey(…)");
    /// ```
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns its name in bundles: the first 16 digits of a hash of it.
    #[must_use]
    pub fn instance_id(&self) -> String {
        Digest::of(&self.mac_key()).short(16)
    }

    /// Returns the name under which others [trust](super::BundleImport::trust) it: its instance, and with the feature
    /// `signing` its public key.
    #[must_use]
    pub fn identity(&self) -> String {
        #[cfg(feature = "signing")]
        return format!("{}:{}", self.instance_id(), self.public());
        #[cfg(not(feature = "signing"))]
        return self.instance_id();
    }

    /// Returns the key of the seed's signatures, which differs from that of Ed25519.
    fn mac_key(&self) -> [u8; 32] {
        hmac(&self.0, b"noctuary bundle hmac v1")
    }

    /// Returns the HMAC-SHA256 of a message.
    pub(super) fn mac(&self, message: &[u8]) -> [u8; 32] {
        hmac(&self.mac_key(), message)
    }

    /// Returns the secret of the Ed25519 signatures.
    #[cfg(feature = "signing")]
    fn signing(&self) -> ed25519_dalek::SigningKey {
        ed25519_dalek::SigningKey::from_bytes(&hmac(&self.0, b"noctuary bundle ed25519 v1"))
    }

    /// Returns the key that others verify by, as hexadecimal digits.
    #[cfg(feature = "signing")]
    #[cfg_attr(docsrs, doc(cfg(feature = "signing")))]
    #[must_use]
    pub fn public(&self) -> String {
        hex::encode(self.signing().verifying_key().as_bytes())
    }

    /// Signs a message, as hexadecimal digits.
    #[cfg(feature = "signing")]
    pub(super) fn sign(&self, message: &[u8]) -> String {
        use ed25519_dalek::Signer;

        hex::encode(self.signing().sign(message).to_bytes())
    }
}

/// Returns whether a message was signed by whoever has the secret of a public key.
#[cfg(feature = "signing")]
pub(super) fn is_signed(public: &str, message: &[u8], signature: &str) -> bool {
    let verify = || {
        let public: [u8; 32] = hex::decode(public).ok()?.try_into().ok()?;
        let signature: [u8; 64] = hex::decode(signature).ok()?.try_into().ok()?;
        let key = ed25519_dalek::VerifyingKey::from_bytes(&public).ok()?;
        key.verify_strict(message, &ed25519_dalek::Signature::from_bytes(&signature)).ok()
    };
    verify().is_some()
}

/// Without the feature, no such signature is known.
#[cfg(not(feature = "signing"))]
pub(super) fn is_signed(_public: &str, _message: &[u8], _signature: &str) -> bool {
    false
}

/// Returns the HMAC-SHA256 of a message. (RFC 2104)
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    const BLOCK: usize = 64;
    let mut block = [0; BLOCK];
    if key.len() > BLOCK {
        block[..32].copy_from_slice(Digest::of(key).as_bytes());
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let padded = |pad: u8| block.map(|byte| byte ^ pad);
    let mut inner = Hasher::new();
    inner.update(&padded(0x36));
    inner.update(message);
    let mut outer = Hasher::new();
    outer.update(&padded(0x5c));
    outer.update(inner.finish().as_bytes());
    *outer.finish().as_bytes()
}

/// Returns whether two codes are equal, in a time that does not tell where they differ.
pub(super) fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |all, (one, other)| all | (one ^ other)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    // XP-05: the vectors of RFC 4231.
    #[test]
    fn the_hmac_is_that_of_the_standard() {
        let vectors: [(&[u8], &[u8], &str); 4] = [
            (&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (&[0xaa; 20], &[0xdd; 50], "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ];
        for (key, message, code) in vectors {
            assert_eq!(hex::encode(hmac(key, message)), code);
        }
    }

    #[cfg(feature = "signing")]
    #[test]
    fn a_signature_binds_message_and_key() {
        let (key, other) = (BundleKey::from_bytes([1; 32]), BundleKey::from_bytes([2; 32]));
        let signature = key.sign(b"x");
        assert!(is_signed(&key.public(), b"x", &signature));
        assert!(!is_signed(&key.public(), b"y", &signature));
        assert!(!is_signed(&other.public(), b"x", &signature));
        assert!(!is_signed("00", b"x", "zz"));
    }
}
