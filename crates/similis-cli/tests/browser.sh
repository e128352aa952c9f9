#!/usr/bin/env bash
# Opens reports and the page of the program $1 in headless Chromium; installs Debian's package if there is none. The Python $2 has the
# package similis, and JupyterLab, in which the widget of notebooks is tried. Where Node is installed, the page's built files are compared with their sources.
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
python3 "$here/page_tests.py" "$1" --python "$2"
python3 "$here/notebook_tests.py" "$2"
if command -v npm >/dev/null; then
  cd "$here/../../../web"
  npm ci --silent
  npm run --silent check
else
  echo "no npm: the page's built files are not compared with web/"
fi
