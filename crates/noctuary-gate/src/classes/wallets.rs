//! Wallets: what opens one, and what names one beside the seed's addresses.

use crate::class::{Bounds, Class, Proof, Shape, labelled, open, pattern, run58, scan};
use crate::symbols::symbols;
use crate::{base58, mnemonic, proof};

pub(super) const WALLETS: &[Class] = &[
    scan("mnemonic", "mnemonics of BIP-39, in English", mnemonic::find, None, |_| true),
    run58(
        "wif_key",
        "private keys of Bitcoin in WIF",
        base58::wif_shape,
        r"[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}",
        proof::wif,
    ),
    pattern(
        "extended_key",
        "extended keys of BIP-32, private and public",
        &[
            "xprv", "yprv", "zprv", "tprv", "uprv", "vprv", "Yprv", "Zprv", "xpub", "ypub", "zpub", "tpub",
            "upub", "vpub", "Ypub", "Zpub",
        ],
        r"[a-zYZ]p(?:rv|ub)[1-9A-HJ-NP-Za-km-z]{107}",
    )
    .proof(Proof::Required(proof::extended_key)),
    labelled(
        "hex_private_key",
        "keys of 32 bytes in hexadecimal, after a word for it",
        &["private key", "secret key", "privkey", "mnemonic", "wallet key", "signing key", "deployer key"],
        r"(?:0x)?[0-9a-fA-F]{64}",
    ),
    labelled(
        "solana_secret",
        "keys of 64 bytes in base 58, after a word for it",
        &["private key", "secret key"],
        r"[1-9A-HJ-NP-Za-km-z]{86,88}",
    ),
    Class::new(
        "nostr_key",
        "secret keys of Nostr",
        Shape::Token(&["nsec1"], &symbols("a-z0-9"), 58, 58),
        Bounds::Both,
    )
    .proof(Proof::Confidence(proof::bech32)),
    open("tezos_key", "secret keys of Tezos", &["edsk"], &symbols("1-9A-HJ-NP-Za-km-z"), 50)
        .proof(Proof::Required(proof::base58check)),
    pattern(
        "bech32_address",
        "addresses in bech32 of test networks and Litecoin",
        &["tb1", "TB1", "bcrt1", "ltc1"],
        r"(?:tb|bcrt|ltc)1[02-9ac-hj-np-z]{11,87}|TB1[02-9AC-HJ-NP-Z]{11,87}",
    )
    .proof(Proof::Required(proof::witness_address)),
    run58(
        "base58_address",
        "addresses in Base58Check of test networks, Litecoin, Dogecoin and Dash",
        base58::address_shape,
        r"[2mnLMQDA9X7y][1-9A-HJ-NP-Za-km-z]{25,34}",
        proof::other_address,
    ),
];
