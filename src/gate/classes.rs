//! The classes of secrets, one row each, in the order in which they are tried.
//!
//! To add a class, add a row: its name, the literals of which one must occur for the pattern to be run at
//! all, the pattern, and the proof that a match can give. A distinctive prefix blocks on its shape alone, and
//! no failed proof clears it; a weak shape needs its proof.

use super::checksum;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    pub(super) name: &'static str,
    /// One of these must occur. Empty: the pattern always runs.
    pub(super) literals: &'static [&'static str],
    pub(super) pattern: &'static str,
    pub(super) bounds: Bounds,
    /// Given a text and where the pattern ends, says where the secret ends.
    pub(super) body: Option<fn(&str, usize) -> usize>,
    pub(super) proof: Proof,
}

/// What a match can prove of itself.
#[derive(Debug, Clone, Copy)]
pub(super) enum Proof {
    /// Nothing: the shape decides.
    None,
    /// Raises the confidence; a failed proof leaves the shape's.
    Confidence(fn(&str) -> bool),
    /// Without it there is no finding.
    Required(fn(&str) -> bool),
}

/// What must not stand right beside a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bounds {
    /// Anything may: the prefix is distinctive wherever it stands.
    None,
    /// No ASCII letter or digit after it.
    Right,
    /// No ASCII letter or digit on either side, but for the end of an escape.
    Both,
}

/// The eleven classes of seed 000. Word bounds are ASCII, and an underscore is none: neither a letter of
/// another script nor markdown beside a key hides it.
pub(super) const CLASSES: &[Class] = &[
    Class {
        name: "pem_private",
        literals: &["PRIVATE KEY-----"],
        // The head alone is a hit; `body` says how far the rest goes.
        pattern: r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----",
        bounds: Bounds::None,
        body: Some(super::pem::body),
        proof: Proof::None,
    },
    Class {
        name: "anthropic_key",
        literals: &["sk-ant-"],
        pattern: r"sk-ant-[A-Za-z0-9_-]{8,}",
        bounds: Bounds::None,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "openai_key",
        literals: &["sk-"],
        pattern: r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,})",
        bounds: Bounds::Both,
        body: None,
        proof: Proof::Confidence(|text| text.contains("T3BlbkFJ")),
    },
    Class {
        name: "stripe_key",
        literals: &["k_live_"],
        pattern: r"[sr]k_live_[A-Za-z0-9]{8,}",
        bounds: Bounds::None,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "github_pat",
        literals: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        pattern: r"(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
        bounds: Bounds::None,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "google_api_key",
        literals: &["AIza"],
        pattern: r"AIza[0-9A-Za-z_-]{35}",
        bounds: Bounds::None,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "slack_token",
        literals: &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-"],
        pattern: r"xox[bpars]-[0-9A-Za-z-]{8,}",
        bounds: Bounds::None,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "aws_access_key",
        literals: &["AKIA"],
        pattern: r"AKIA[0-9A-Z]{16}",
        bounds: Bounds::Right,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "evm_address",
        literals: &["0x"],
        pattern: r"0x[0-9a-fA-F]{40}",
        bounds: Bounds::Both,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "btc_bech32",
        literals: &["bc1", "BC1"],
        pattern: r"(?:bc1[02-9ac-hj-np-z]{11,87}|BC1[02-9AC-HJ-NP-Z]{11,87})",
        bounds: Bounds::Both,
        body: None,
        proof: Proof::Confidence(checksum::bech32),
    },
    Class {
        name: "btc_legacy",
        literals: &[],
        pattern: r"[13][1-9A-HJ-NP-Za-km-z]{25,34}",
        bounds: Bounds::Both,
        body: None,
        proof: Proof::Required(checksum::base58check_address),
    },
];
