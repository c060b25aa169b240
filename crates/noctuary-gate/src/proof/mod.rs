//! Proofs: the checks that a match must pass beside its shape.

mod base64;
mod chance;
mod login;
mod named;
mod personal;
mod token;
mod wallet;

pub(super) use chance::{both_cases, by_chance, drawn, drawn_token, has_drawn_piece, is_filler, mixed};
pub(super) use login::{basic_auth, password, url_password};
pub(super) use named::{is_key, is_password};
pub(super) use personal::{card, iban, phone, ssn};
pub(super) use token::{azure_secret, github, jwt, ngrok, npmrc, slack, square};
pub(super) use wallet::{
    base58check, base58check_address, bech32, eip55, extended_key, other_address, wif, witness_address,
};
