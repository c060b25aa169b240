#!/usr/bin/env bash
# Checks that the comparison still builds. Its figures come from `cargo run --release`, which takes minutes to build.
set -euo pipefail
cd "$(dirname "$0")"

cargo fmt --check
cargo check --locked --quiet
