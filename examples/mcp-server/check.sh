#!/usr/bin/env bash
# Builds the server, tests it, and calls it with a client of another language.
set -euo pipefail
cd "$(dirname "$0")"

cargo fmt --check
cargo clippy --locked --all-targets --quiet -- -D warnings
cargo test --locked --quiet

if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
  echo 'skipped: the client needs node and npm, and they are not here'
  exit 0
fi
cargo build --locked --quiet
server=$(cargo metadata --locked --no-deps --format-version 1 |
  node -e 'console.log(JSON.parse(require("fs").readFileSync(0)).target_directory)')/debug/noctuary-mcp
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp client/package.json client/package-lock.json client/client.mjs "$folder"
if ! npm view --silent @modelcontextprotocol/sdk version >/dev/null 2>&1; then
  echo 'skipped: the client needs the registry of npm, and it is not reachable'
  exit 0
fi
(cd "$folder" && npm ci --silent --ignore-scripts --no-audit --no-fund)
node "$folder/client.mjs" "$server"
