#!/usr/bin/env bash
# Looks at pages in a real browser, at three widths, light and dark: nothing is wider than the window, cut, tiny or pale.
#   check.sh PAGE.html…
# Facts of the layout are compared, and no pixels, since each machine has fonts of its own.
set -euo pipefail
probe=$(dirname "$0")/probe.js
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0
for page in "$@"; do
  # A copy that may run the probe: the page itself runs nothing.
  { sed 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' "$page"; echo '<script>'; cat "$probe"; echo '</script>'; } >"$work/page.html"
  for width in 360 768 1280; do
    # A window of a browser is no narrower than 500 pixels; a frame is.
    printf '<title>nothing was told</title><iframe src="page.html" width="%s" height="1400" style="border:0"></iframe><script>onmessage = (told) => { document.title = told.data; };</script>' \
      "$width" >"$work/frame.html"
    for scheme in light:1 dark:0; do
      title=$(timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --window-size=1400,1500 --virtual-time-budget=2000 \
        --blink-settings="preferredColorScheme=${scheme#*:}" --dump-dom "file://$work/frame.html" 2>/dev/null |
        grep -o '<title>[^<]*' | head -1)
      if [ "$title" != "<title>fine at $width" ]; then
        echo "$page at $width, ${scheme%:*}: ${title#<title>}" >&2
        wrong=1
      fi
    done
  done
done
exit "$wrong"
