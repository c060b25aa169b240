#!/usr/bin/env bash
# Tests homes in encrypted files: the library's, then the command's.
set -euo pipefail
cd "$(dirname "$0")"

pkg-config --exists openssl || { apt-get update -qq && apt-get install -y -qq libssl-dev pkg-config; } >/dev/null
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
cargo fmt --all --check
cargo clippy --locked --all-targets --quiet -- -D warnings
(cd ../.. && cargo build --locked --quiet -p noctuary-cli --features sqlcipher)
NOCTUARY=$CARGO_TARGET_DIR/debug/noctuary cargo test --locked --quiet
