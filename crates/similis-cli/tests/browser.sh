#!/usr/bin/env bash
# Opens reports of the program $1 in headless Chromium; installs Debian's package if there is none.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v chromium >/dev/null; then
  echo "no chromium: installing Debian's package for the browser test"
  as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  if ! { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium; } >/dev/null; then
    echo "the browser test needs chromium, and it cannot be installed here: install it so that \`chromium\` is on the PATH" >&2
    exit 1
  fi
fi
python3 "$here/browser.py" "$1"
