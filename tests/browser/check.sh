#!/usr/bin/env bash
# Reads facts of printed pages in a real browser: check.sh PAGE.html... Facts and no pictures, since fonts differ between
# machines. At 360, 768 and 1,280 pixels, light and dark: nothing is wider than the screen, no text is clipped, and each text
# has a contrast of 4.5 to what is behind it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then echo 'skipped: there is no chromium'; exit 0; fi
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
wrong=0
for page in "$@"; do
  # The page is data of an outer one, so that its own policy, which runs nothing, holds.
  {
    echo '<!doctype html><meta charset="utf-8"><textarea id="page" hidden>'
    sed 's/&/\&amp;/g; s/</\&lt;/g' "$page"
    echo '</textarea><script>'
    cat "$here/facts.js"
    echo '</script>'
  } >"$work/page.html"
  # 0 is dark, 1 is light.
  for scheme in 0 1; do
    facts=$(timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --virtual-time-budget=20000 \
      --blink-settings=preferredColorScheme=$scheme --dump-dom "file://$work/page.html" 2>"$work/log" | grep -v '^<' | head -n 40 || true)
    if [[ $facts != 'read '* ]] || [ "$(wc -l <<<"$facts")" -gt 1 ]; then
      printf '%s, scheme %s:\n%s\n' "$page" "$scheme" "${facts:-$(tail "$work/log")}" >&2
      wrong=1
    else
      echo "$page: $facts"
    fi
  done
done
exit "$wrong"
