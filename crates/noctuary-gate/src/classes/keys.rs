//! The eleven classes of seed 000, and key files.

use super::pem;
use crate::class::{Bounds, Class, Proof, Shape, exact, open, pattern, run58};
use crate::symbols::{ALNUM, ANY_HEX, BASE64, HEX, UPPER, URL, symbols};
use crate::{base58, proof};

/// In the order in which the seed tries them. Word bounds are ASCII, and an underscore is none: neither a letter of
/// another script nor markdown beside a key hides it.
pub(super) const SEED: &[Class] = &[
    Class {
        // The head alone is a hit; `body` says how far the rest goes.
        body: Some(pem::body),
        is_dense: false,
        ..Class::new(
            "pem_private",
            "private keys in PEM, of PGP too",
            Shape::Pattern(&["-----BEGIN"], pem::HEAD),
            Bounds::None,
        )
    },
    open("anthropic_key", "Anthropic keys", &["sk-ant-"], URL, 8).bounds(Bounds::None),
    pattern(
        "openai_key",
        "OpenAI keys, of projects and services too",
        &["sk-"],
        r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,})",
    )
    .proof(Proof::Checksum(|text| text.contains("T3BlbkFJ"))),
    open("stripe_key", "Stripe live keys, secret and restricted", &["sk_live_", "rk_live_"], ALNUM, 8)
        .bounds(Bounds::None),
    pattern(
        "github_pat",
        "GitHub tokens of six forms",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"gh[pousr]_[A-Za-z0-9]{20,}|ghs_[0-9]{1,12}_eyJ[A-Za-z0-9_.-]{20,}|github_pat_[A-Za-z0-9_]{20,}",
    )
    .bounds(Bounds::None)
    .proof(Proof::Confidence(proof::github)),
    Class::new("google_api_key", "Google API keys", Shape::Token(&["AIza"], URL, 35, 35), Bounds::None),
    pattern(
        "slack_token",
        "Slack tokens of five forms",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-"],
        r"xox[bpars]-[0-9A-Za-z-]{8,}",
    )
    .loose()
    .bounds(Bounds::None)
    .proof(Proof::Required(proof::slack)),
    exact("aws_access_key", "AWS access key ids", &["AKIA"], UPPER, 16).bounds(Bounds::Right),
    exact("evm_address", "addresses of Ethereum and its kin", &["0x"], ANY_HEX, 40)
        .proof(Proof::Confidence(proof::eip55)),
    pattern(
        "btc_bech32",
        "Bitcoin addresses in bech32",
        &["bc1", "BC1"],
        r"bc1[02-9ac-hj-np-z]{11,87}|BC1[02-9AC-HJ-NP-Z]{11,87}",
    )
    .proof(Proof::Checksum(proof::bech32)),
    run58(
        "btc_legacy",
        "Bitcoin addresses in Base58Check",
        base58::legacy_shape,
        r"[13][1-9A-HJ-NP-Za-km-z]{25,34}",
        proof::base58check_address,
    ),
];

/// The contents of files of keys and logins, whatever program reads them.
pub(super) const KEYS: &[Class] = &[
    open("age_key", "secret keys of age", &["AGE-SECRET-KEY-1"], UPPER, 58)
        .proof(Proof::Confidence(proof::bech32)),
    open("age_plugin_key", "identities of age plugins", &["AGE-PLUGIN-"], &symbols("A-Z0-9-"), 40),
    pattern(
        "putty_key",
        "private keys of PuTTY",
        &["PuTTY-User-Key-File-", "Private-Lines: "],
        r"PuTTY-User-Key-File-[23]: ?[a-z0-9-]+|Private-Lines: [0-9]+\r?\n[A-Za-z0-9+/=\r\n]+",
    )
    .loose(),
    pattern(
        "ssh2_key",
        "private keys of SSH2",
        &["---- BEGIN SSH2 ENCRYPTED"],
        r"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
    )
    .loose(),
    pattern(
        "jwt",
        "JSON web tokens with a header that names its algorithm",
        &["eyJ", "ewo", "ewog"],
        r"e[wy][A-Za-z0-9_-]{10,1000}={0,2}\.[A-Za-z0-9_-]{2,}(?:\.[A-Za-z0-9_-]*){0,3}",
    )
    .proof(Proof::Required(proof::jwt)),
    pattern(
        "url_password",
        "passwords in URLs",
        &["://"],
        r#"://[^\s/?#:@'"<>`]{0,128}:([^\s/?#:@'"<>`]{3,256})@[A-Za-z0-9\[_]"#,
    )
    .loose()
    .bounds(Bounds::None)
    .proof(Proof::Required(proof::url_password)),
    pattern(
        "basic_auth",
        "headers of basic authorisation",
        &["Basic ", "basic "],
        r"[Bb]asic ([A-Za-z0-9+/]{8,1000}={0,2})",
    )
    .loose()
    .proof(Proof::Required(proof::basic_auth)),
    pattern(
        "bearer_token",
        "headers of bearer authorisation",
        &["Bearer ", "bearer "],
        r"[Bb]earer ([A-Za-z0-9._~+/-]{20,1000}={0,2})",
    )
    .proof(Proof::Required(proof::drawn)),
    pattern(
        "netrc_password",
        "passwords in .netrc",
        &["machine "],
        r"machine\s+[A-Za-z0-9._-]{3,128}\s+login\s+\S{1,128}\s+password\s+(\S{3,256})",
    )
    .loose()
    .proof(Proof::Required(proof::password)),
    pattern(
        "kubeconfig_key",
        "keys in a kubeconfig",
        &["client-key-data:"],
        r#"client-key-data:\s{0,8}["']?([A-Za-z0-9+/=]{40,})"#,
    ),
    pattern(
        "docker_auth",
        "logins in a Docker config",
        &["\"auth\":"],
        r#""auth":\s{0,8}"([A-Za-z0-9+/]{8,1000}={0,2})""#,
    )
    .loose()
    .proof(Proof::Required(proof::basic_auth)),
    pattern(
        "npmrc_token",
        "tokens in .npmrc",
        &[":_authToken", ":_auth", ":_password"],
        r#":_(?:authToken|auth|password)\s{0,4}=\s{0,4}["']?[A-Za-z0-9+/=_.-]{10,256}"#,
    )
    .loose()
    .led_by(&symbols("A-Za-z0-9:/._-"), 5, 200)
    .bounds(Bounds::None)
    .proof(Proof::Required(proof::npmrc)),
    open(
        "gcp_private_key_id",
        "service accounts of Google",
        &["\"private_key_id\": \"", "\"private_key_id\":\""],
        HEX,
        40,
    ),
    open("dotenv_key", "keys of encrypted .env files", &["dotenv://:key_"], HEX, 64),
    pattern(
        "azure_account_key",
        "account keys and signatures in connection strings of Azure",
        &["AccountKey=", "SharedAccessKey=", "SharedAccessSignature="],
        r"(?:AccountKey|SharedAccessKey|SharedAccessSignature)=([A-Za-z0-9+/%&=_-]{40,400})",
    ),
    exact(
        "tls_psk",
        "ids of pre-shared keys of WireGuard",
        &["PrivateKey = ", "PresharedKey = "],
        BASE64,
        44,
    ),
];
