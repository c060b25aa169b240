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

/// The eleven classes of seed 000. Word bounds are ASCII: a letter of another script next to a key does not
/// hide it.
pub(super) const CLASSES: &[Class] = &[
    Class {
        name: "pem_private",
        literals: &["PRIVATE KEY"],
        // The head alone is a hit. Its body is taken in to the end mark, whatever a log puts before each line;
        // without an end mark, as far as lines of base64 go.
        pattern: r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:(?s:.*?)-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|(?:\r?\n[^\n]{0,80}?[A-Za-z0-9+/=]{24,}[^\n]{0,8})*)",
        proof: Proof::None,
    },
    Class {
        name: "anthropic_key",
        literals: &["sk-ant-"],
        pattern: r"(?-u:\b)sk-ant-[A-Za-z0-9_-]{8,}",
        proof: Proof::None,
    },
    Class {
        name: "openai_key",
        literals: &["sk-"],
        pattern: r"(?-u:\b)sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,})",
        proof: Proof::Confidence(|text| text.contains("T3BlbkFJ")),
    },
    Class {
        name: "stripe_key",
        literals: &["k_live_"],
        pattern: r"(?-u:\b)[sr]k_live_[A-Za-z0-9]{8,}",
        proof: Proof::None,
    },
    Class {
        name: "github_pat",
        literals: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        pattern: r"(?-u:\b)(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
        proof: Proof::None,
    },
    Class {
        name: "google_api_key",
        literals: &["AIza"],
        pattern: r"(?-u:\b)AIza[0-9A-Za-z_-]{35}",
        proof: Proof::None,
    },
    Class {
        name: "slack_token",
        literals: &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-"],
        pattern: r"(?-u:\b)xox[bpars]-[0-9A-Za-z-]{8,}",
        proof: Proof::None,
    },
    Class {
        name: "aws_access_key",
        literals: &["AKIA"],
        pattern: r"(?-u:\b)AKIA[0-9A-Z]{16}(?-u:\b)",
        proof: Proof::None,
    },
    Class {
        name: "evm_address",
        literals: &["0x"],
        pattern: r"(?-u:\b)0x[0-9a-fA-F]{40}(?-u:\b)",
        proof: Proof::None,
    },
    Class {
        name: "btc_bech32",
        literals: &["bc1", "BC1"],
        pattern: r"(?-u:\b)(?:bc1[02-9ac-hj-np-z]{11,87}|BC1[02-9AC-HJ-NP-Z]{11,87})(?-u:\b)",
        proof: Proof::Confidence(checksum::bech32),
    },
    Class {
        name: "btc_legacy",
        literals: &[],
        pattern: r"(?-u:\b)[13][1-9A-HJ-NP-Za-km-z]{25,34}(?-u:\b)",
        proof: Proof::Required(checksum::base58check_address),
    },
];
