//! The classes of secrets, one row each, in the order in which they are tried.
//!
//! To add a class, add a row: its name, its pattern with the literals of which every match holds one, and the
//! proof that a match can give. A distinctive prefix blocks on its shape alone, and
//! no failed proof clears it; a weak shape needs its proof.

use std::ops::Range;

use super::checksum;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) bounds: Bounds,
    /// Given a text and where the pattern ends, says where the secret ends.
    pub(super) body: Option<fn(&str, usize) -> usize>,
    pub(super) proof: Proof,
}

/// How a match looks.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A pattern, and the literals of which each match holds one.
    Pattern(&'static str, &'static [&'static str]),
    /// A scan by hand, from a place on.
    Scan(fn(&str, usize) -> Option<Range<usize>>),
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
        // The head alone is a hit; `body` says how far the rest goes.
        shape: Shape::Pattern(r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----", &["-----BEGIN "]),
        bounds: Bounds::None,
        body: Some(super::pem::body),
        proof: Proof::None,
    },
    Class {
        name: "anthropic_key",
        shape: Shape::Pattern(r"sk-ant-[A-Za-z0-9_-]{8,}", &["sk-ant-"]),
        bounds: Bounds::None,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "openai_key",
        shape: Shape::Pattern(
            r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,})",
            &["sk-"],
        ),
        bounds: Bounds::Both,
        body: None,
        proof: Proof::Confidence(|text| text.contains("T3BlbkFJ")),
    },
    Class {
        name: "stripe_key",
        shape: Shape::Pattern(r"[sr]k_live_[A-Za-z0-9]{8,}", &["k_live_"]),
        bounds: Bounds::None,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "github_pat",
        shape: Shape::Pattern(
            r"(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
            &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        ),
        bounds: Bounds::None,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "google_api_key",
        shape: Shape::Pattern(r"AIza[0-9A-Za-z_-]{35}", &["AIza"]),
        bounds: Bounds::None,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "slack_token",
        shape: Shape::Pattern(r"xox[bpars]-[0-9A-Za-z-]{8,}", &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-"]),
        bounds: Bounds::None,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "aws_access_key",
        shape: Shape::Pattern(r"AKIA[0-9A-Z]{16}", &["AKIA"]),
        bounds: Bounds::Right,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "evm_address",
        shape: Shape::Pattern(r"0x[0-9a-fA-F]{40}", &["0x"]),
        bounds: Bounds::Both,
        body: None,
        proof: Proof::None,
    },
    Class {
        name: "btc_bech32",
        shape: Shape::Pattern(r"(?:bc1[02-9ac-hj-np-z]{11,87}|BC1[02-9AC-HJ-NP-Z]{11,87})", &["bc1", "BC1"]),
        bounds: Bounds::Both,
        body: None,
        proof: Proof::Confidence(checksum::bech32),
    },
    Class {
        name: "btc_legacy",
        shape: Shape::Scan(checksum::legacy_shape),
        bounds: Bounds::Both,
        body: None,
        proof: Proof::Required(checksum::base58check_address),
    },
];
